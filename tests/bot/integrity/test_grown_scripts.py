"""A test of JavaScript that expects one member more, which the task names, stops nothing."""

from __future__ import annotations

import pytest

from bot.integrity.weakened_tests.grown_scripts import find_grown_scripts
from bot.values import TestChange
from tests.bot.integrity.test_integrity import Tree
from tests.bot.verdict.cases import FAILED, PASSED, comparison

PATH = "test/shop.test.js"
SNAPSHOT = "test/__snapshots__/shop.test.js.snap"
SAID = ("Add `init` to the methods, with a startLine",)


def members(before: str, after: str, said: tuple[str, ...] = SAID) -> tuple[str, ...]:
    before, after = (f"test('all', t => {{\n\t{one}\n}});" for one in (before, after))
    assert before != after
    return _found(before, after, {PATH: before}, {PATH: after}, said)


def _found(
    before: str, after: str, base: dict[str, str], head: dict[str, str], said: tuple[str, ...]
) -> tuple[str, ...]:
    fields = {"base_on_head": FAILED, "head_on_base": FAILED, "head_on_head": PASSED}
    kind = TestChange.EXPECTATION_CHANGED
    test = comparison("all", kind, **fields, path=PATH, source=after, source_before=before)
    changed = tuple(path for path in head if head[path] != base.get(path))
    found = find_grown_scripts([test], Tree(base), Tree(head), said, changed)
    return found[0].members if found else ()


@pytest.mark.parametrize(
    "code",
    [
        "const wanted = ['emit'];\n\tt.deepEqual(names().sort(), [...old, ...wanted].sort());",
        "t.deepEqual(names(), ['emit', 'on']);",
        "expect(names()).toEqual(new Set(['emit']));",
        "const wanted = ['emit'];\n\tfor (const one of wanted) { t.is(typeof shop[one], 'function'); }",
        "checkTree('{', {all: [['emit']]});",
    ],
)
def test_a_member_that_the_task_names_may_join(code: str) -> None:
    head = code.replace("'emit'", "'emit', 'init'")
    assert members(code, head) == ("init",)
    assert members(code, code.replace("'emit'", "'init', 'emit'")) == ("init",)
    assert members(code, head, ("Sort the methods",)) == ()
    assert members(code, code.replace("'emit'", "'init'")) == ()
    assert members(code, code.replace("'emit'", "'emit', 'init', 'more'")) == ()
    assert members(code, head.replace(");", ").or(true);")) == ()


def test_every_object_of_a_list_may_have_one_more() -> None:
    code = "checkTree(text, {offset: 0}, [{error: A, offset: 26}, {error: B, offset: 49}]);"
    head = code.replace("26}", "26, startLine: 0}").replace("49}", "49, startLine: 1}")
    assert members(code, head) == ("startLine",)
    assert members(code, head.replace("error: B", "error: C")) == ()


@pytest.mark.parametrize(
    "code",
    [
        "t.is(price({emit: 1}), 4);",
        "const options = {emit: 1};\n\tt.is(price(options), 4);",
        "const options = {emit: 1};\n\tt.is(price({...options}), 4);",
        "t.is(new Shop({emit: 1}).price, 4);",
        "t.true(['emit'].includes(shop.name()));",
        "t.notDeepEqual(names(), ['emit']);",
        "expect(['emit']).not.toContain(shop.name());",
        "if (x) { emit }",
        "t.is(price(['emit']), 4);",
    ],
)
def test_what_is_given_or_left_out_may_not_grow(code: str) -> None:
    head = code.replace("'emit'", "'emit', 'init'").replace("emit: 1", "emit: 1, init: 2")
    assert members(code, head.replace("{ emit }", "{ emit, init }")) == ()


@pytest.mark.parametrize("text", ["(" * 10_000, "{" * 50 + "]" * 50, "[" * 5_000 + "]" * 5_000])
def test_what_cannot_be_read_stays_with_a_person(text: str) -> None:
    assert members(text, f"{text} ['init']") == ()


TAKEN = 'exports[`all`] = `\nError {\n  "cause": Object {\n    "name": "--nums",\n  },\n}\n`\n'


@pytest.mark.parametrize(
    ("head", "found"),
    [
        (TAKEN.replace("Object {\n", 'Object {\n    "startLine": 4,\n'), ("startLine",)),
        (TAKEN.replace("Object {\n", 'Object {\n    "endLine": 4,\n'), ()),
        (TAKEN.replace('"--nums"', '"startLine"'), ()),
    ],
)
def test_a_line_that_the_task_names_may_join_a_snapshot(head: str, found: tuple[str, ...]) -> None:
    test = "test('all', t => {\n\tt.matchSnapshot(shop());\n});"
    assert (
        _found(test, test, {SNAPSHOT: TAKEN, PATH: test}, {SNAPSHOT: head, PATH: test}, SAID)
        == found
    )
