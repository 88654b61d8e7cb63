"""The record stream: what the host makes of channels that are cut, altered, forged or replayed."""

from __future__ import annotations

import ast
import json
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from pydantic import TypeAdapter

from sandbox.harness import chain
from sandbox.test_runs.run_records import read_channel
from sandbox.values import TestRun

KEY = bytes(range(32))
HARNESS = Path(__file__).parents[3] / "sandbox" / "harness"

CONTROL = (
    {"kind": "canary", "name": "test_x_must_fail", "outcome": "failed"},
    {"kind": "canary", "name": "test_x_must_pass", "outcome": "passed"},
)
ONE = {"kind": "test", "id": "a.py::t", "path": "a.py", "line": 1, "source": "def t(): ..."}
TWO = {"kind": "test", "id": "a.py::u", "path": "a.py", "line": 2, "source": ""}
END = ({"kind": "session", "status": 0}, {"kind": "ended", "status": 0})


def start(number: int) -> dict[str, object]:
    return {"kind": "start", "number": number}


def finish(number: int, outcome: str = "passed") -> dict[str, object]:
    return {"kind": "finish", "number": number, "outcome": outcome, "message": "", "seconds": 0.5}


HONEST: tuple[dict[str, object], ...] = (
    ONE, TWO, {"kind": "collected", "count": 2}, *CONTROL,
    start(0), finish(0), start(1), finish(1, "failed"), *CONTROL, *END,
)  # fmt: skip


def frames(records: tuple[dict[str, object], ...], key: bytes = KEY) -> list[bytes]:
    made = []
    for record in records:
        made.append(chain.frame(key, chain.encode(record)))
        key = chain.following(key)
    return made


def read(records: tuple[dict[str, object], ...], killed: str = "") -> TestRun:
    return read_channel(KEY + b"".join(frames(records)), killed)


def test_an_honest_stream() -> None:
    run = read(HONEST)
    assert (run.complete, run.problem, run.forged) == (True, "", False)
    assert [(r.id, r.outcome.value, r.seconds) for r in run.results] == [
        ("a.py::t", "passed", 0.5),
        ("a.py::u", "failed", 0.5),
    ]


@given(st.integers(min_value=0))
def test_every_cut_is_incomplete(where: int) -> None:
    channel = KEY + b"".join(frames(HONEST))
    run = read_channel(channel[: where % len(channel)])
    assert not run.complete
    assert run.problem


@example(where=32, change=ord("0") ^ ord("+"))
@example(where=165, change=ord("a") ^ ord("A"))
@given(st.integers(min_value=0), st.integers(min_value=1, max_value=255))
def test_every_altered_byte_is_seen(where: int, change: int) -> None:
    channel = bytearray(KEY + b"".join(frames(HONEST)))
    channel[where % len(channel)] ^= change
    assert not read_channel(bytes(channel)).complete


@given(st.permutations(range(len(HONEST))))
def test_records_cannot_change_places(order: list[int]) -> None:
    made = frames(HONEST)
    shuffled = [made[index] for index in order]
    run = read_channel(KEY + b"".join(shuffled))
    assert run.forged == (shuffled != made)


def test_a_record_cannot_be_replayed() -> None:
    made = frames(HONEST)
    run = read_channel(KEY + b"".join([*made[:7], made[6], *made[7:]]))
    assert run.forged
    assert run.problem == "The results cannot be trusted: a record with a wrong tag."


CONTROL_PASSED = {"kind": "canary", "name": "test_x_must_fail", "outcome": "passed"}
CONTROL_FAILED = {"kind": "canary", "name": "test_x_must_pass", "outcome": "error"}


@pytest.mark.parametrize(
    ("records", "problem"),
    [
        ((*HONEST[:-3], CONTROL_PASSED, *END), "a control test that must fail ended as passed"),
        ((*HONEST[:-3], CONTROL_FAILED, *END), "A control test that must pass ended as error"),
        ((*HONEST[:-4], *END), "The control tests of the harness did not run"),
        ((*HONEST[:7], *CONTROL, *END), "1 of 2 collected tests have no result"),
        ((*HONEST[:7], finish(0), *END), "a record of a wrong shape"),
        ((*HONEST[:5], finish(1), *END), "a record of a wrong shape"),
        ((*HONEST[:5], start(7), finish(7), *END), "a record of a wrong shape"),
        ((*HONEST[:5], start(0), finish(0, "splendid"), *END), "a record of a wrong shape"),
        ((*HONEST[:3], ONE, *END), "a record of a wrong shape"),
        (({**ONE, "line": -1}, *END), "a record of a wrong shape"),
        (({**ONE, "path": None}, *END), "a record of a wrong shape"),
        ((*HONEST[:6], {**finish(0), "seconds": float("nan")}, *END), "a record of a wrong shape"),
        ((*HONEST[:-1], start(0), END[1]), "a record after the end of the run"),
        (HONEST[:-1], "The test run was killed from within after the last test"),
        ((*HONEST[:6], END[1]), "exited with 0 in a.py::t, before its end"),
        ((*HONEST[:6], {"kind": "ended", "status": 9}), "was killed by signal 9 in a.py::t"),
        (({"kind": "ended", "status": 256},), "exited with 1 while the tests were being collected"),
        ((), "was killed from within while"),
    ],
)
def test_what_is_wrong_is_said_in_a_sentence(
    records: tuple[dict[str, object], ...], problem: str
) -> None:
    run = read(records)
    assert not run.complete
    assert problem in run.problem
    assert run.problem.endswith(".")


@pytest.mark.parametrize("killed", ["", "timed out"])
def test_a_test_that_has_its_result_cannot_be_started_again(killed: str) -> None:
    run = read(
        (ONE, {"kind": "collected", "count": 1}, *CONTROL, start(0), finish(0), start(0)), killed
    )
    assert (run.complete, run.forged) == (False, True)
    assert [result.outcome.value for result in run.results] == ["passed"]


def test_an_empty_channel() -> None:
    assert read_channel(b"").problem == "The test harness did not start; see the output."


def test_a_limit_is_named_with_the_test_it_struck() -> None:
    run = read(HONEST[:6], "timed out after 5 s")
    assert run.problem == "The test run timed out after 5 s in a.py::t."
    assert [(r.id, r.outcome.value) for r in run.results] == [("a.py::t", "error")]


def test_results_of_the_same_id_are_numbered() -> None:
    error = {"kind": "collect_error", "id": "b.py::x", "path": "b.py", "message": "no"}
    run = read((*HONEST[:-4], error, error, *CONTROL, *END))
    assert [r.id for r in run.results][2:] == ["b.py::x", "b.py::x#2"]


def test_a_file_that_cannot_be_loaded_as_tests_nor_as_doctests_is_told_once() -> None:
    error = {"kind": "collect_error", "id": "b.py", "path": "b.py", "message": "no"}
    run = read((*HONEST[:-4], error, error, *CONTROL, *END))
    assert [r.id for r in run.results][2:] == ["b.py"]


def test_the_key_of_a_frame_does_not_open_the_past() -> None:
    """Who learns the third key can write the third record but not the second."""
    third = chain.following(chain.following(KEY))
    made = frames(HONEST[:2]) + frames((finish(0),), third)
    assert len(chain.Reader(KEY).feed(b"".join(made))) == 3
    forged = [frames(HONEST[:1])[0], chain.frame(third, json.dumps(TWO).encode())]
    with pytest.raises(chain.Broken):
        chain.Reader(KEY).feed(b"".join(forged))


@pytest.mark.parametrize("path", sorted(HARNESS.glob("*.py")), ids=lambda path: path.name)
def test_the_harness_is_written_for_old_pythons(path: Path) -> None:
    """It runs under the project's interpreter, which may be Python 3.8."""
    tree = ast.parse(path.read_text(), feature_version=(3, 8))
    first = next(node for node in tree.body if not isinstance(node, ast.Expr))
    assert isinstance(first, ast.ImportFrom), "annotations must not be evaluated"
    assert first.module == "__future__"


def test_texts_that_no_store_takes_are_cleaned() -> None:
    odd = {**ONE, "id": "a\udcff.py::t\0"}
    run = read((odd, *HONEST[1:]))
    assert run.results[0].id == "a?.py::t\ufffd"
    adapter = TypeAdapter(TestRun)
    assert adapter.validate_json(adapter.dump_json(run)) == run


def test_a_record_that_is_no_record() -> None:
    deep = chain.frame(KEY, b"[" * 100_000)
    assert read_channel(KEY + deep).forged
    assert read_channel(KEY + chain.frame(KEY, b"[]")).forged
