"""What the browser's side tells is read with suspicion."""

from __future__ import annotations

import json

from hypothesis import given
from hypothesis import strategies as st

from sandbox.browser.records import read_records
from sandbox.values import Side

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3)
    ),
    max_leaves=8,
)
KINDS = (
    "picture",
    "difference",
    "server",
    "needs",
    "browser",
    "end",
    "visit",
    "fault",
    "note",
    "act",
    "x",
)
RECORDS = st.fixed_dictionaries(
    {"kind": st.sampled_from(KINDS) | JSON, "side": st.sampled_from(("base", "head")) | JSON},
    optional={
        "visit": st.text(max_size=5) | JSON,
        "message": JSON,
        "png": JSON,
        "title": JSON,
        "changed": JSON,
    },
)


@given(st.lists(RECORDS | JSON, max_size=12))
def test_any_json_is_read_without_harm(records: list[object]) -> None:
    told = read_records(b"\n".join(json.dumps(record).encode() for record in records))
    assert told.shots == []  # nothing here is a picture
    assert all(visit.is_whole in (True, False) for visit in told.visits.values())


@given(st.binary(max_size=300))
def test_any_bytes_are_read_without_harm(noise: bytes) -> None:
    assert read_records(noise).shots == []


def test_texts_are_cut_and_half_a_record_is_left_out() -> None:
    whole = {"kind": "visit", "side": "base", "visit": "a", "problem": "x" * 9000, "tree": 7}
    told = read_records(
        json.dumps(whole).encode() + b"\n" + b'{"kind": "visit", "side": "head", "vis'
    )
    (key,) = told.visits
    assert key == (Side.BASE, "a")
    assert told.visits[key].is_whole
    assert len(told.visits[key].problem) == 5000
    assert told.visits[key].tree == ""
