"""The practice server: a Discord of our own on loopback, for the real client library."""

from bot.playground.discord.server import PracticeDiscord, practice_discord

__all__ = ["PracticeDiscord", "practice_discord"]
