"""Ten thousand random documents through the splitter; every broken invariant is printed.

    python -m bench.split [--documents 10000] [--seed 1]

Documents mix fences of both signs and lengths, in quotes and lists too, tables, headings, Chinese,
emoji of several parts, long lines and indentation. Each is split at sizes of both platforms and at
small ones, by characters, UTF-16 units and bytes.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import sys
from collections import Counter
from collections.abc import Iterator

from bot.text.measure import LONGEST_SIGN, Size
from bot.text.regions import OpenFence, opened_by
from bot.text.split import Piece, after_line, pieces, split
from core.language.signs import is_between_signs

LINES = (
    "", "", " ", "plain words in a row, and some more of them. And another sentence.",
    "请假需要提前三天申请。年假有十五天；病假另计！加班呢？可以调休。", "字" * 300, "x" * 500,
    "结论：",
    "# Title", "## 第二节", "> quoted text", "1. first", "- item", "  - nested item",
    "    indented = True  # code", "\treturn x", "def f(x):", "  two spaces  ",
    "```python", "```", "```", "~~~", "~~~sh", "````md", "````", "```js {highlight: [1,2]}",
    "> ```", "- ```sh", "  ```", "```" + "i" * 120, "`code` and **bold words** [a](https://x.y/z)",
    "| a | b |", "|---|---|", "| 一 | 二 |", "| " + "长" * 90 + " | b |",
    "👨\u200d👩\u200d👧" * 20, "e\u0301" * 90, "🇨🇳🇬🇧" * 40, "한국어" * 60, "``` not a fence `",
    "a" * 90 + " " + "b" * 90, "\u3000全角缩进", "***", "---", "<tag> & entity",
)  # fmt: skip
SIZES = (
    Size(1_700, None, True), Size(2_000, None, True), Size(11_500, 4_000), Size(500, None, True),
    Size(200, None, True), Size(200, 300), Size(80, None, True), Size(120, None),
)  # fmt: skip


def document(chance: random.Random) -> str:
    """Lines in random order, some of them in runs, as code and tables are."""
    found: list[str] = []
    for _ in range(chance.randint(1, 60)):
        line = chance.choice(LINES)
        found += [line] * chance.choice((1, 1, 1, 1, 2, 8))
    return "\n".join(found) + chance.choice(("", "\n", "\n\n"))


def broken(text: str, size: Size) -> Iterator[str]:
    """What does not hold of the posts that a text is split into."""
    posts = split(text, size.chars, size.bytes, utf16=size.utf16)
    whole = [text] if len(posts) == 1 and posts[0] == text else None
    for post in posts:
        if not size.fits(post):
            yield "too long"
        if not post.strip():
            yield "empty"
        if whole is None and open_at_end(post) is not None:
            yield "a fence stays open"
    if whole is None and posts:
        yield from of_pieces(text, pieces(text, size))
    elif not posts and text.strip():
        yield "nothing is left"


def of_pieces(text: str, made: list[Piece]) -> Iterator[str]:
    """The bodies are the text; cuts leave signs whole; code keeps its fence, language, indent."""
    if "".join(piece.body for piece in made) != text:
        yield "something is lost"
    at = 0
    fences = fences_at(text)
    for number, piece in enumerate(made):
        if number:
            if not is_between_signs(text, at) and is_between_signs_near(text, at):
                yield "a sign is cut"
            fence = fences.get(at)
            if fence is not None and not piece.before.lstrip(" >").startswith(fence.marks):
                yield "a block is not opened again"
            language = (fence.info.split() or [""])[0][:30] if fence else ""
            if fence is not None and language not in piece.before:
                yield "a block's language is lost"
            if fence is None and "`" * 3 in piece.before:
                yield "a block is opened that was none"
            if fence is not None and not piece.text.startswith(piece.before + piece.body[:1]):
                yield "indentation is lost"
        at += len(piece.body)


def is_between_signs_near(text: str, at: int) -> bool:
    """True if a place for a whole cut was within reach."""
    return any(is_between_signs(text, place) for place in range(max(1, at - LONGEST_SIGN + 1), at))


def fences_at(text: str) -> dict[int, OpenFence]:
    """The fence that is open at each position, where one is; the opening line is not inside."""
    found: dict[int, OpenFence] = {}
    fence: OpenFence | None = None
    at = 0
    for line in re.findall(r"[^\n]*\n|[^\n]+", text):
        bare = line.removesuffix("\n")
        if fence is None:
            fence = opened_by(bare)
            # A cut within the opening line leaves the rest of it inside.
            start = at + 1 if fence else at + len(line)
        elif fence.closed_by(bare):
            found[at] = fence
            fence = None
            start = at + len(line)
        else:
            start = at
        if fence is not None:
            found |= dict.fromkeys(range(start, at + len(line) + 1), fence)
        at += len(line)
    return found


def open_at_end(text: str) -> OpenFence | None:
    fence: OpenFence | None = None
    for line in text.split("\n"):
        fence = after_line(fence, line)
    return fence


def main(documents: int, seed: int) -> dict[str, object]:
    chance = random.Random(seed)
    found: Counter[str] = Counter()
    posts = longest = 0
    for number in range(documents):
        text = document(chance)
        size = chance.choice(SIZES)
        for line in broken(text, size):
            found[line] += 1
            sys.stderr.write(f"document {number}, {size}: {line}\n")
        made = split(text, size.chars, size.bytes, utf16=size.utf16)
        posts, longest = posts + len(made), max(longest, len(made))
    return {
        "documents": documents,
        "posts": posts,
        "most_posts": longest,
        "broken": sum(found.values()),
        "by_invariant": dict(found),
    }


if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="bench.split")
    parser.add_argument("--documents", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    result = main(given.documents, given.seed)
    print(json.dumps(result))
    sys.exit(1 if result["broken"] else 0)
