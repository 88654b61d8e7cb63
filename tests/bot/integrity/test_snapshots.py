"""A test of JavaScript is told with what changed of the snapshots that are its own."""

from __future__ import annotations

from dataclasses import replace

import pytest

from bot.integrity import inspect_integrity
from bot.integrity.weakened_tests.snapshots import with_snapshots
from bot.values import ChangedSnapshot, FourWay, Requirements, TestChange
from bot.values.rules import EXPECTATION_CHANGED
from sandbox.values import Diff
from tests.bot.integrity.test_integrity import Tree, changed
from tests.bot.verdict.cases import comparison

PATH = "test/quote.test.ts"
SNAPSHOTS = "test/__snapshots__/quote.test.ts.snap"
CODE = "test('renders', () => {\n  expect(render(q)).toMatchSnapshot();\n});"
HEAD = "// Vitest Snapshot v1\n\n"


def snap(name: str, text: str, number: int = 1) -> str:
    return f"exports[`{name} {number}`] = `{text}`;\n\n"


def told(
    base: str, head: str, title: str = "quote > renders", code: str = CODE
) -> tuple[ChangedSnapshot, ...]:
    fields = {"path": PATH, "source_before": CODE}
    made = comparison("", TestChange.EXPECTATION_CHANGED, code, **fields)
    test = replace(made, id=f"{PATH}::{title}")
    sides = Tree({SNAPSHOTS: HEAD + base}), Tree({SNAPSHOTS: HEAD + head})
    (found,) = with_snapshots([test], *sides, (SNAPSHOTS,))
    return found.snapshots


@pytest.mark.parametrize("name", ["quote > renders", "quote renders"])
def test_the_snapshots_of_a_test_that_reads_as_on_base(name: str) -> None:
    other = snap("quote > renders all", "x")
    before = other + snap(name, "a") + snap(name, '\n"b\nc `"\n'.replace("`", "\\`"), 2)
    after = before.replace("b\nc", "b\n  c")
    (one,) = told(before, after)
    assert (one.path, one.before, one.after) == (SNAPSHOTS, '\n"b\nc `"\n', '\n"b\n  c `"\n')
    assert (HEAD + after).splitlines()[one.line - 1] == '"b'


def test_those_of_others_and_those_that_are_more_tell_nothing() -> None:
    assert told(snap("quote > other", "a"), snap("quote > other", "b")) == ()
    more = snap("quote > renders", "b") + snap("quote > renders", "c", 2)
    assert told(snap("quote > renders", "a"), more) == ()
    edited = CODE.replace("render(q)", "render(r)")
    assert told(snap("quote > renders", "a"), snap("quote > renders", "b"), code=edited) == ()


def test_the_hunk_that_is_shown_is_that_of_the_snapshot() -> None:
    before, after = (HEAD + snap("renders", one) for one in ("a b", "a  b"))
    files = (changed(PATH, "", "// more\n"), changed(SNAPSHOTS, before, after))
    (one,) = told(snap("renders", "a b"), snap("renders", "a  b"), "renders")
    test = comparison("renders", TestChange.EXPECTATION_CHANGED, snapshots=(one,), path=PATH)
    sides = Tree({SNAPSHOTS: before}), Tree({SNAPSHOTS: after, PATH: "// more\n"})
    found = inspect_integrity(Diff(files), *sides, FourWay((test,)), Requirements(()))
    (shown,) = [each for each in found if each.rule == EXPECTATION_CHANGED]
    assert (shown.path, shown.line) == (SNAPSHOTS, one.line)
    assert "+exports[`renders 1`] = `a  b`;" in shown.hunk
