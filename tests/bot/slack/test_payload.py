"""Payloads made fit to be kept."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from bot.slack.payload import whole

TEXT = st.text(st.characters(), max_size=8)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | TEXT,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXT, inner, max_size=4),
    max_leaves=12,
)


@settings(max_examples=60)
@given(JSON)
def test_any_payload_can_be_written_as_utf_8(payload: Any) -> None:
    kept = whole(payload)
    json.dumps(kept, ensure_ascii=False).encode()
    assert whole(kept) == kept


def test_only_the_half_characters_are_replaced() -> None:
    payload = {"text": "年假\ud83d 😀", "files": [{"name": "\udcffa.md", "size": 3}], "ok": True}
    assert whole(payload) == {
        "text": "年假\ufffd 😀",
        "files": [{"name": "\ufffda.md", "size": 3}],
        "ok": True,
    }
