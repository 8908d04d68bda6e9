"""Needs: what suspended runs wait for, kept until a person decides."""

from core.needs.needs import Asked, Body, Needs, fits, need_id

__all__ = ["Asked", "Body", "Needs", "fits", "need_id"]
