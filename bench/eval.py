"""Quality on a corpus: files, attacks, retrieval, quotes; one line a measurement.

    python -m bench.eval FOLDER

FOLDER holds files/manifest.jsonl, attacks/attacks.jsonl and retrieval/*.jsonl. Each line is the
command's name, then the JSON that the command itself prints last. Exit code 1 if one of them fails.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from pathlib import Path

SETS = (
    ("cmrc2018-zh", "cmrc2018-zh", "cmrc2018-zh", ()),
    ("drcd-zhtw", "drcd-zhtw", "drcd-zhtw", ()),
    ("pubmedqa-en", "pubmedqa-en", "pubmedqa-en", ()),
    ("xquad-en", "xquad-en", "xquad-enzh", ("q_en", "pos_en", "answer_en")),
    ("xquad zh on en", "xquad-en", "xquad-enzh", ("q_zh", "pos_en", "answer_en")),
)
"""Name, corpus, queries, and the fields of question, gold and answer where they are not q, pos."""

WITHOUT_ANSWERS = {"pubmedqa-en", "xquad zh on en"}
"""Sets whose rows name no answer string in the passages' language: no quotes to measure."""


def commands(corpus: Path) -> list[tuple[str, list[str]]]:
    """Every measurement as (name, arguments of `python -m`)."""
    retrieval = corpus / "retrieval"
    found = [
        ("files", ["bench.files", "--manifest", str(corpus / "files" / "manifest.jsonl")]),
        ("attacks", ["bench.attacks", "--cases", str(corpus / "attacks" / "attacks.jsonl")]),
    ]
    for name, passages, queries, fields in SETS:
        data = ["--corpus", str(retrieval / f"{passages}.corpus.jsonl")]
        data += ["--queries", str(retrieval / f"{queries}.queries.jsonl")]
        if fields:
            data += ["--query-field", fields[0], "--gold-field", fields[1]]
        found.append((f"retrieval {name}", ["bench.retrieval", *data]))
        if name in WITHOUT_ANSWERS:
            continue
        answers = ["--answer-field", fields[2]] if fields else []
        found.append((f"quotes {name}", ["bench.quotes", *data, *answers]))
    return found + removals(retrieval)


def removals(retrieval: Path) -> list[tuple[str, list[str]]]:
    """How often something is quoted although the answer was taken out."""
    found: list[tuple[str, list[str]]] = []
    for name, passages, queries, fields in SETS[:4]:
        data = ["--corpus", str(retrieval / f"{passages}.corpus.jsonl")]
        data += ["--queries", str(retrieval / f"{queries}.queries.jsonl")]
        if fields:
            data += ["--query-field", fields[0], "--gold-field", fields[1]]
        what = ("passage", "article") if fields else ("passage",)
        found += [
            (f"{one} removed {name}", ["bench.quotes", *data, "--remove", one]) for one in what
        ]
    return found


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("corpus", type=Path)
    corpus = parser.parse_args().corpus
    failed = 0
    for name, arguments in commands(corpus):
        command = [sys.executable, "-m", *arguments]
        done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False)
        failed += done.returncode != 0
        last = (done.stdout.strip().splitlines() or ["no output"])[-1]
        print(f"{name}: {last}", flush=True)
    return int(failed > 0)


if __name__ == "__main__":
    sys.exit(main())
