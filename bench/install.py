"""Installation: make bytecode of what the bot loads, and renew the lock files.

python -m bench.install --compile    bytecode for the packages that a start loads
python -m bench.install --lock       requirements.lock and requirements-dev.lock (needs uv)
"""

from __future__ import annotations

import argparse
import compileall
import subprocess
import sys
import sysconfig
from datetime import UTC, datetime, timedelta
from pathlib import Path

LATE = {"litellm", "boto3", "botocore", "openai", "huggingface_hub", "tokenizers", "tiktoken"}
"""Loaded late or never; half of all bytecode. Python compiles what it needs of them when asked."""

COOLDOWN_DAYS = 15
"""Fresh releases are where hijacked accounts show; the lock takes none younger than this."""


def compile_packages() -> None:
    """Write bytecode for every installed package that a start may load."""
    site = Path(sysconfig.get_paths()["purelib"])
    for folder in sorted(site.iterdir()):
        name = folder.name
        if (
            folder.is_dir()
            and name not in LATE
            and not name.endswith((".dist-info", "__pycache__"))
        ):
            compileall.compile_dir(folder, quiet=2, workers=0)


def lock() -> None:
    """Resolve pyproject.toml into the two lock files, with hashes, for every platform."""
    newest = (datetime.now(UTC) - timedelta(days=COOLDOWN_DAYS)).date().isoformat()
    command = [sys.executable, "-m", "uv", "pip", "compile", "-q", "--universal"]
    command += ["--python-version", "3.11", "--generate-hashes", "--no-header", "--no-annotate"]
    command += ["--no-strip-extras", "--no-emit-index-url", "--exclude-newer", newest]
    command += ["--extra", "build", "pyproject.toml"]
    subprocess.run([*command, "-o", "requirements.lock"], check=True)
    dev = ["--extra", "dev", "-c", "requirements.lock", "-o", "requirements-dev.lock"]
    subprocess.run([*command, *dev], check=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--compile", action="store_true", help="bytecode for what a start loads")
    parser.add_argument("--lock", action="store_true", help="renew the lock files")
    args = parser.parse_args()
    if args.compile:
        compile_packages()
    if args.lock:
        lock()


if __name__ == "__main__":
    main()
