"""The child process: `python -m core.knowledge.parse.child MEMORY_MB`. One file at a time.

Frames are a four-byte length and JSON: in `{path, name, seconds}`, out a `Parsed` (with the
traceback as its parser where a reader broke, for the parent to log).
"""

from __future__ import annotations

import json
import resource
import signal
import struct
import sys
import traceback
from pathlib import Path
from typing import BinaryIO

HEADER = struct.Struct(">I")
GRACE_S = 5


def main() -> None:
    limit_memory(int(sys.argv[1]) * 2**20)
    # Only after the limits: the readers are native code on other people's bytes.
    from core.knowledge.parse.document import parse
    from core.knowledge.parse.state import Refused

    requests, answers = sys.stdin.buffer, claim_output()
    while frame := read_frame(requests):
        request = json.loads(frame)
        # If the parent dies while this file hangs, nobody else would end us.
        signal.alarm(int(request["seconds"]) + GRACE_S)
        name = str(request["name"])
        try:
            parsed = parse(Path(request["path"]).read_bytes(), name)
        except MemoryError:
            parsed = Refused("failed", "parse.memory").parsed(name)
        except RecursionError:
            parsed = Refused("failed", "parse.too_deep").parsed(name)
        except FileNotFoundError:
            parsed = Refused("failed", "parse.gone").parsed(name)
        except Exception:  # noqa: BLE001  # the border: what a reader raises on a broken file
            parsed = Refused("failed", "parse.crashed").parsed(name)
            parsed = parsed.model_copy(update={"parser": traceback.format_exc(limit=-3)})
        signal.alarm(0)
        write_frame(answers, parsed.model_dump_json().encode())


def limit_memory(size: int) -> None:
    resource.setrlimit(resource.RLIMIT_AS, (size, size))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    # Readers get bytes and give text; a file that makes them write one meets this.
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))


def claim_output() -> BinaryIO:
    """Our answers' pipe; what a library prints goes to standard error."""
    import os

    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    return answers


def read_frame(stream: BinaryIO) -> bytes:
    head = stream.read(HEADER.size)
    return stream.read(HEADER.unpack(head)[0]) if len(head) == HEADER.size else b""


def write_frame(stream: BinaryIO, data: bytes) -> None:
    stream.write(HEADER.pack(len(data)) + data)
    stream.flush()


if __name__ == "__main__":
    main()
