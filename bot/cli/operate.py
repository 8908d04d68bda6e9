"""migrate, doctor, manifest: for those who run it."""

from __future__ import annotations

import asyncio
import sys

import typer

from bot.cli import shell
from bot.config import load
from bot.ending import DONE, FAILED, WRONG_CONFIG
from core.errors import WrongUse
from core.texts import say


def register(app: typer.Typer) -> None:
    app.command("migrate")(migrate)
    app.command("doctor")(doctor)
    app.command("manifest")(manifest)


def migrate() -> int:
    """Bring the database's schema up to date. Done at every start too."""
    from bot.app import migrated

    number = asyncio.run(migrated(load()))
    shell.print_text(say("cli.migrated", shell.language(), number=number))
    return 0


def doctor(as_json: bool = typer.Option(False, "--json", help="One JSON object.")) -> int:
    """Check every part, and say what to do about it.

    Configuration, data folder, reading files, search, Slack's tokens and scopes, Discord's token,
    intent, commands and permissions, the model.
    """
    from bot.doctor import examine

    findings = asyncio.run(examine(shell.language()))
    if as_json:
        shell.print_json({"checks": [finding.model_dump() for finding in findings]})
    for finding in [] if as_json else findings:
        sign = {"ok": "✓", "wrong": "x", "off": "·"}[finding.state]
        shell.print_text(f"{sign} {finding.name:<12} {finding.text}")
    config_wrong = any(one.name == "config" and one.state == "wrong" for one in findings)
    wrong = any(one.state == "wrong" for one in findings)
    return WRONG_CONFIG if config_wrong else FAILED if wrong else DONE


def manifest(platform: str = typer.Argument(help="slack or discord")) -> int:
    """Print what an app is created with: Slack's manifest, or Discord's invitation and settings."""
    match platform:
        case "slack":
            from bot.slack.manifest import manifest_json

            shown = manifest_json()
        case "discord":
            from bot.discord.manifest import manifest_json as discord_json

            shown = discord_json()
        case _:
            raise WrongUse(key="cli.no_platform", platform=platform)
    sys.stdout.write(shown + "\n")
    return 0
