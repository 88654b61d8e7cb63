"""File names as text and back."""

from __future__ import annotations

import json

from hypothesis import given
from hypothesis import strategies as st

from sandbox.repository.names import display_name, raw_name


@given(st.binary(min_size=1))
def test_every_name_can_be_shown_stored_and_taken_back(raw: bytes) -> None:
    shown = display_name(raw)
    assert raw_name(shown) == raw
    assert json.loads(json.dumps(shown)).encode() == shown.encode()


@given(st.text())
def test_any_text_can_be_read_as_a_name(text: str) -> None:
    assert isinstance(raw_name(text), bytes)
