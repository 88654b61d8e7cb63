"""What a limit ended: the test that was running is known where it was the only one."""

from __future__ import annotations

from pathlib import Path

import pytest

from sandbox.test_runs.four_runs import OtherRunner, other_series
from sandbox.test_runs.node_records import read_node_channel
from sandbox.values import TestRun
from tests.sandbox.harness.test_records import KEY, frames

START = "/work/tree"
KILLED = "was killed at the memory limit of 4096 MB"
READY: tuple[dict[str, object], ...] = (
    {"kind": "runner", "name": "jest", "version": "29.7.0"},
    {"kind": "ready"},
)


def running(file: str, title: str) -> dict[str, object]:
    return {"kind": "running", "file": f"{START}/{file}", "title": [title]}


def rested(file: str) -> dict[str, object]:
    return {"kind": "rested", "file": f"{START}/{file}"}


def read(tree: Path, *records: dict[str, object], killed: str = KILLED) -> TestRun:
    for name in ("a.test.js", "b.test.js"):
        (tree / name).write_text("test('expands', () => {});\ntest('ends', () => {});\n")
    return read_node_channel(KEY + b"".join(frames((*READY, *records))), tree, START, killed)


def test_the_test_that_was_running_failed(tmp_path: Path) -> None:
    seen = read(
        tmp_path,
        running("b.test.js", "ends"),
        running("a.test.js", "ends"),
        rested("a.test.js"),
        running("a.test.js", "expands"),
        rested("b.test.js"),
    )
    (found,) = seen.results
    assert (found.id, found.outcome.value) == ("a.test.js::expands", "error")
    assert found.message == f"This test was running when the run {KILLED}."
    assert not seen.complete and seen.problem == f"The test run {KILLED}."


def test_of_two_tests_that_were_running_nobody_knows_which(tmp_path: Path) -> None:
    seen = read(tmp_path, running("a.test.js", "expands"), running("b.test.js", "ends"))
    assert seen.results == ()


def test_what_was_told_before_a_second_run_does_not_count(tmp_path: Path) -> None:
    told: dict[str, object] = {
        "kind": "test", "file": f"{START}/a.test.js", "line": 1, "title": ["expands"], "outcome": "failed",
        "message": "", "seconds": 0.1, "suite": False, "failure": "",
    }  # fmt: skip
    passed = {**told, "outcome": "passed"}
    first = (
        told,
        {"kind": "hung"},
        {"kind": "end", "lost": 1, "problem": "gave up"},
        {"kind": "again"},
    )
    end = ({"kind": "end", "lost": 0, "problem": ""}, {"kind": "ended", "status": 0})
    seen = read(tmp_path, *first, {"kind": "ready"}, passed, *end, killed="")
    assert seen.complete, seen.problem
    assert [one.outcome.value for one in seen.results] == ["passed"]
    assert seen.runner == "jest 29.7.0"


@pytest.mark.parametrize(
    ("module", "status", "problem"),
    [
        ("node:test", 0, "tap ran no test: the test files are written for node:test."),
        ("node:test", 256, ""),
        ("tap", 0, ""),
    ],
)
def test_files_that_are_written_for_another_runner(
    module: str, status: int, problem: str, tmp_path: Path
) -> None:
    """They end well under tap without a word, as a file does that leaves before its tests."""
    (tmp_path / "a.js").write_text(
        f"const {{test}} = require('{module}');\ntest('ends', () => {{}});\n"
    )
    told = (
        {"kind": "runner", "name": "tap", "version": "16.3.10"},
        {"kind": "begun", "file": f"{START}/a.js"},
        {"kind": "ready"},
        {"kind": "ended", "status": status},
    )
    seen = read_node_channel(KEY + b"".join(frames(told)), tmp_path, START)
    assert (seen.complete, seen.problem) == (not problem, problem)
    assert [one.outcome.value for one in seen.results] == ["error"]


@pytest.mark.parametrize(("status", "is_complete"), [(0, True), (256, False)])
def test_a_file_that_fails_where_tap_did_not_say_how_it_starts_it_shows_nothing(
    status: int, is_complete: bool, tmp_path: Path
) -> None:
    (tmp_path / "a.ts").write_text("const x: number = 1;\n")
    told = (
        {"kind": "runner", "name": "tap", "version": "21.1.1"},
        {"kind": "unknown start"},
        {"kind": "begun", "file": f"{START}/a.ts"},
        {"kind": "ready"},
        {"kind": "end", "lost": 0, "problem": ""},
        {"kind": "ended", "status": status},
    )
    said = "Error: plug-ins cannot be installed"
    seen = read_node_channel(KEY + b"".join(frames(told)), tmp_path, START, said=said)
    assert seen.complete is is_complete
    own = "Assay failed to ask tap 21.1.1 how it starts a test file, and some fail. "
    why = f"{own}This says nothing about the change. The message was: {said}"
    assert seen.problem == ("" if is_complete else why)


@pytest.mark.parametrize(
    ("base", "head", "is_other"),
    [
        ("jest 29.7.0", "jest 30.4.2", True),
        ("jest 29.7.0", "jest 29.9.1", False),
        ("vitest 0.34.6", "vitest 0.33.0", True),
        ("mocha 5.2.0", "jest 30.0.0", False),  # then the results are not the same tests
        ("", "jest 30.0.0", False),
    ],
)
def test_another_major_version_of_the_runner(base: str, head: str, is_other: bool) -> None:
    assert other_series(base, head) == (OtherRunner(base, head) if is_other else None)


@pytest.mark.parametrize(
    ("text", "status", "outcomes"),
    [
        ("const a = require('../lib');\nconsole.log(a.time());\n", 0, []),
        ("const a = require('../lib');\nconsole.log(a.time());\n", 256, ["error"]),
        ("const a = require('../lib');\nassert.equal(a.time(), 1);\n", 0, ["error"]),
        ("import t from 'tap';\nimport a from '../lib';\nt.is(a.time(), 1);\n", 0, ["error"]),
        ("const test = require('./own');\ntest('a', () => {});\n", 0, ["error"]),
    ],
)
def test_a_file_that_tests_nothing_and_ends_well_is_no_test(
    tmp_path: Path, text: str, status: int, outcomes: list[str]
) -> None:
    (tmp_path / "test").mkdir()
    (tmp_path / "test/test-speed.js").write_text(text)
    begun = {"kind": "begun", "file": f"{START}/test/test-speed.js"}
    seen = read(tmp_path, begun, {"kind": "ended", "status": status}, killed="")

    assert [one.outcome.value for one in seen.results] == outcomes


@pytest.mark.parametrize(
    ("manifest", "path", "found"),
    [
        ("packages/shop/package.json", "packages/shop/src/c.test.ts", True),
        ("packages/shop/lib/package.json", "packages/shop/src/c.test.ts", False),
        ("packages/shop/package.json", "packages/till/src/c.test.ts", False),
    ],
)
def test_what_is_compiled_in_a_package_is_told_by_its_source(
    tmp_path: Path, manifest: str, path: str, found: bool
) -> None:
    for name in (manifest, path):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("{}")
    told: dict[str, object] = {
        "kind": "test", "file": f"{START}/packages/shop/dist/c.test.js", "line": 1, "title": ["expands"],
        "outcome": "failed", "message": "", "seconds": 0.1, "suite": False, "failure": "",
    }  # fmt: skip
    seen = read(tmp_path, told)
    assert (f"{path}::expands" in [one.id for one in seen.results]) is found
