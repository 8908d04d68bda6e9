"""What starting and idling costs, measured on the running practice workspace.

    python -m bench.start [--install]

Prints one JSON object: seconds from the command to a page that answers and to a bot that is
connected, memory (PSS, MiB) of the process tree without the child that reads files: idle with the
embedder loaded, then after ten questions and one file; idle CPU as a share of one core; whether
the model library was loaded. `--install` also installs into a fresh folder: seconds, MB, packages.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psutil

from bot.playground.seed import PEOPLE

ROOT = Path(__file__).resolve().parents[1]
PATIENCE_S = 120.0
IDLE_S = 15.0
SETTLE_S = 3.0
QUESTIONS = 10
PARSE_CHILD = "core.knowledge.parse.child"


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def until(what: str, holds: Callable[[], bool], pause: float = 0.02) -> float:
    """Seconds until `holds`; SystemExit when patience ends."""
    begin = time.monotonic()
    while not holds():
        if time.monotonic() - begin > PATIENCE_S:
            raise SystemExit(f"bench.start: {what} did not happen within {PATIENCE_S:.0f} s")
        time.sleep(pause)
    return time.monotonic() - begin


class Page:
    """The practice workspace as its page sees it."""

    def __init__(self, port: int) -> None:
        self.url = f"http://127.0.0.1:{port}"

    def answers(self) -> bool:
        try:
            with urllib.request.urlopen(self.url + "/", timeout=5) as answer:
                return bool(answer.status == 200)
        except (urllib.error.URLError, ConnectionError):
            return False

    def snapshot(self, person: str) -> dict[str, Any]:
        with urllib.request.urlopen(f"{self.url}/live?person={person}", timeout=10) as stream:
            for line in stream:
                if line.startswith(b"data: "):
                    return dict(json.loads(line[6:]))
        raise SystemExit("bench.start: the page's stream ended")

    def do(self, what: str, body: dict[str, Any]) -> dict[str, Any]:
        return self._post(f"/do/{what}", json.dumps(body).encode())

    def upload(self, person: str, path: Path) -> str:
        query = f"/do/upload?person={person}&name={path.name}"
        return str(self._post(query, path.read_bytes())["file"])

    def _post(self, path: str, body: bytes) -> dict[str, Any]:
        request = urllib.request.Request(
            self.url + path, body, {"X-Practice": "1", "Content-Type": "application/octet-stream"}
        )
        with urllib.request.urlopen(request, timeout=30) as answer:
            return dict(json.loads(answer.read()))


@contextmanager
def workspace(data: Path, port: int) -> Iterator[subprocess.Popen[bytes]]:
    """`threadmate playground` on an empty data folder, ended by SIGTERM."""
    environment = {
        k: v for k, v in os.environ.items() if not k.startswith(("THREADMATE_", "SLACK"))
    }
    environment["THREADMATE_DATA"] = str(data)
    command = [sys.executable, "-m", "bot", "playground", "--port", str(port)]
    process = subprocess.Popen(command, cwd=ROOT, env=environment, stdout=subprocess.DEVNULL)
    try:
        yield process
    finally:
        process.terminate()
        process.wait(60)


def tree(pid: int) -> list[psutil.Process]:
    """The processes of the tree, without the child that reads files."""
    top = psutil.Process(pid)
    found: list[psutil.Process] = []
    for process in [top, *top.children(recursive=True)]:
        if PARSE_CHILD not in " ".join(process.cmdline()):
            found.append(process)
    return found


def pss_mib(pid: int) -> float:
    return round(sum(p.memory_full_info().pss for p in tree(pid)) / 2**20, 1)


def cpu_share(pid: int, seconds: float) -> float:
    """CPU seconds of the tree in `seconds` of rest, as a share of one core."""

    def spent() -> float:
        return sum(sum(p.cpu_times()[:2]) for p in tree(pid))

    before, begin = spent(), time.monotonic()
    time.sleep(seconds)
    return round((spent() - before) / (time.monotonic() - begin), 4)


def loads_litellm(pid: int) -> bool:
    """Whether a process of the tree has mapped a file of the model library."""
    return any("litellm" in m.path for p in tree(pid) for m in p.memory_maps(grouped=True))


def answered(page: Page, person: str, thread: str) -> bool:
    """Whether the bot has said something in a thread and put its sign for done on the question."""
    messages = page.snapshot(person)["messages"]
    root = next(m for m in messages if m["ts"] == thread)
    signs = {reaction["name"] for reaction in root.get("reactions", [])}
    return bool(signs & {"white_check_mark", "x"})


def work(page: Page, file: Path) -> float:
    """Ten questions one after the other and one file; seconds of the median question."""
    person, channel = first_of(page)
    threads = [page.do("say", {"person": person, "channel": channel,
                               "files": [page.upload(person, file)]})["ts"]]  # fmt: skip
    until("the file's receipt", lambda: answered(page, person, threads[0]), 0.1)
    spent: list[float] = []
    for number in range(QUESTIONS):
        text = f"@Threadmate {'年假有几天' if number % 2 else 'how many days of leave'}？ {number}"
        ts = str(page.do("say", {"person": person, "channel": channel, "text": text})["ts"])
        spent.append(until("an answer", lambda ts=ts: answered(page, person, ts), 0.1))
    return sorted(spent)[len(spent) // 2]


def first_of(page: Page) -> tuple[str, str]:
    """A person and a channel of the workspace."""
    person = PEOPLE[0][0]
    channels = page.snapshot(person)["channels"]
    return person, str(next(c["id"] for c in channels if "im" not in c))


def running(data: Path) -> dict[str, Any]:
    """Every figure of a running workspace."""
    port = free_port()
    page = Page(port)
    begin = time.monotonic()
    with workspace(data, port) as process:
        until("the page", page.answers)
        to_page = time.monotonic() - begin
        person, _ = first_of(page)
        until("the bot", lambda: bool(page.snapshot(person)["connected"]), 0.05)
        to_bot = time.monotonic() - begin
        # The first file loads the embedder: idle memory is that of a bot that has worked.
        note = data / "note.md"
        note.write_text("# Leave\n\nEveryone has 15 days of leave.\n\n# 年假\n\n每人十五天年假。\n")
        settle(process.pid)
        idle, share = pss_mib(process.pid), cpu_share(process.pid, IDLE_S)
        question = work(page, note)
        time.sleep(SETTLE_S)
        return {
            "seconds_to_page": round(to_page, 2),
            "seconds_to_bot": round(to_bot, 2),
            "pss_idle_mib": idle,
            "pss_after_work_mib": pss_mib(process.pid),
            "idle_cpu_share": share,
            "median_answer_s": round(question, 2),
            "litellm_loaded": loads_litellm(process.pid),
            "processes": len(tree(process.pid)),
        }


def settle(pid: int) -> None:
    """Wait until the sample documents are read and embedded: the tree comes to rest."""
    quiet = 0
    while quiet < 3:
        quiet = quiet + 1 if cpu_share(pid, 1.0) < 0.08 else 0


def installed(folder: Path) -> dict[str, Any]:
    """`make install` into a fresh folder."""
    target = folder / "clone"
    names = subprocess.run(
        ["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True
    )
    for name in filter(None, names.stdout.split("\0")):
        (target / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, target / name)
    begin = time.monotonic()
    subprocess.run(["make", "-s", "install"], cwd=target, check=True, stdout=subprocess.DEVNULL)
    seconds = time.monotonic() - begin
    venv = target / ".venv"
    packages = next((venv / "lib").glob("python3*")) / "site-packages"
    return {
        "install_seconds": round(seconds, 1),
        "install_mb": megabytes(venv),
        "litellm_mb": megabytes(packages / "litellm"),
        "packages": len(list(packages.glob("*.dist-info"))),
    }


def megabytes(folder: Path) -> int:
    return sum(p.lstat().st_blocks * 512 for p in folder.rglob("*")) // 10**6


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--install", action="store_true", help="also measure a fresh installation")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        figures = running(Path(folder) / "data")
        if args.install:
            figures |= installed(Path(folder))
    print(json.dumps(figures))


if __name__ == "__main__":
    main()
