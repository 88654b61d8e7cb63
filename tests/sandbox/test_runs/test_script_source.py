"""The code of a JavaScript test is found by its title."""

from __future__ import annotations

from pathlib import Path

import pytest

from sandbox.test_runs.script_source import (
    LARGEST_SOURCE,
    WHOLE_FILE,
    ScriptSources,
    brackets,
    calls,
)
from sandbox.toolchains.tree import Tree

TEXT = """\
// test('in a comment', () => {});
import {test, describe} from 'node:test';
const trap = 'test("in a string", () => {})';
const pattern = /[)"'`]test('in a pattern'/;
describe('one', () => {
  test('it\\'s here', async t => {
    t.is(`${trap})`, ')');
  });
  test('twice', () => { first(); });
});
describe('two', () => {
  test('twice', () => { second(); });
});
test.each([1, 2])('case %i', () => {});
"""


def sources(folder: Path, text: str = TEXT) -> ScriptSources:
    (folder / "a.test.js").write_text(text)
    return ScriptSources(Tree(folder))


def test_calls_are_found_and_comments_strings_and_patterns_are_not(tmp_path: Path) -> None:
    titles = {call.title for call in calls(TEXT)}
    assert {"one", "two", "it's here", "twice", "case %i"} <= titles
    assert not {"in a comment", "in a string", "in a pattern"} & titles


def test_a_test_is_told_with_its_line_title_and_body(tmp_path: Path) -> None:
    line, source = sources(tmp_path).of("a.test.js", ["one", "it's here"], 0)
    assert line == 6
    assert source.startswith("one > it's here\ntest('it\\'s here', async")
    assert source.endswith("})")


def test_the_same_title_in_two_suites_is_told_apart(tmp_path: Path) -> None:
    found = sources(tmp_path)
    assert "second()" in found.of("a.test.js", ["two", "twice"], 12)[1]
    assert "first()" in found.of("a.test.js", ["one", "twice"], 9)[1]


ALIKE = """\
import {at, atLeast} from './at';
describe('at', () => {
  it('fails', () => { first(); });
  it('fails', () => { again(); });
});
describe('at least', () => {
  describe('at', () => {
    it('fails', () => { deep(); });
  });
  it('fails', () => { second(); });
});
it('fails', () => { outside(); });
"""


@pytest.mark.parametrize(
    ("suites", "line", "said"),
    [
        (["at"], 0, "first()"),
        (["at"], 4, "again()"),
        (["at least"], 0, "second()"),
        (["at least", "at"], 0, "deep()"),
        ([], 0, "outside()"),
        (["at least", "unheard of"], 10, "second()"),  # what a title made at run time stands in
    ],
)
def test_the_same_title_is_told_apart_by_all_suites_round_it(
    suites: list[str], line: int, said: str, tmp_path: Path
) -> None:
    """Most runners do not tell the line, and the name of one suite may be part of another's."""
    assert said in sources(tmp_path, ALIKE).of("a.test.js", [*suites, "fails"], line)[1]


def test_a_title_that_is_made_at_run_time_speaks_alone(tmp_path: Path) -> None:
    text = "for (const one of [1, 2]) test(`case ${one}`, () => {});"
    assert sources(tmp_path, text).of("a.test.js", ["case 1"], 0) == (0, "case 1")
    assert sources(tmp_path).of("nowhere.js", ["case 1"], 0) == (0, "case 1")


TABLES = """\
describe('sums', () => {
  it.each([[1, 2], [3, 4]])('adds %i and %i', (a, b) => { add(a, b); });
  it.each<{name: string}>([
    {name: 'one', call: ['x']},
  ])(
    '$name.short of $size (plain)', () => {});
  it('stands alone', () => {});
  for (const name of names) it(`${name} is made`, () => {});
});
describe('others', () => {
  test.each`a | b
    ${1} | ${2}`('adds $a', () => {});
  test.each(rows)('%s', () => {});
  each(rows)('bare %s', () => {});
});
"""


@pytest.mark.parametrize(
    ("titles", "table"),
    [
        (["sums", "adds 1 and 2"], "sums > adds %i and %i"),
        (["sums", "one of 3 (plain)"], "sums > $name.short of $size (plain)"),
        (["sums", "adds 1 to 2"], ""),
        (["others", "anything"], "others > %s"),
        (["others", "adds 1"], ""),  # both of its tables can make it
        (["sums", "stands alone"], ""),
        (["sums", "x is made"], ""),
        (["sums", "of (plain)"], ""),
        (["nowhere", "adds 1 and 2"], ""),
        (["adds 1 and 2"], ""),
    ],
)
def test_a_row_is_known_by_the_one_table_that_makes_its_title(
    tmp_path: Path, titles: list[str], table: str
) -> None:
    found = sources(tmp_path, TABLES).table_of("a.test.js", titles)
    assert found == (f"a.test.js::{table}" if table else "")


@pytest.mark.parametrize(
    ("titles", "line", "body"),
    [
        (["sums", "adds 1 and 2"], 2, "('adds %i and %i', (a, b) => { add(a, b); })"),
        (["sums", "one of 3 (plain)"], 5, "(\n    '$name.short of $size (plain)', () => {})"),
        (["others", "adds 1"], 0, ""),  # both of its tables can make it
        (["sums", "x is made"], 0, ""),
    ],
)
def test_a_row_reads_as_the_body_of_its_table_without_the_other_rows(
    tmp_path: Path, titles: list[str], line: int, body: str
) -> None:
    said = " > ".join(titles)
    found = sources(tmp_path, TABLES).of("a.test.js", titles, 0)
    assert found == (line, f"{said}\n{body}" if body else said)


@pytest.mark.thorough
def test_tables_without_end_are_read_in_linear_time(tmp_path: Path) -> None:
    many = "test.each([])('%s%s%s%s a', () => {" * 20_000
    found = sources(tmp_path, many)
    for _ in range(100):
        assert not found.table_of("a.test.js", ["b" * 1000])
    assert calls("x(" + "'a'" * 300_000) == []
    assert len(calls("x('a', " * 50_000 + ")" * 50_000)) == 50_000


def test_a_long_body_is_capped(tmp_path: Path) -> None:
    text = "test('long', () => {" + "x();" * 5000 + "});"
    assert len(sources(tmp_path, text).of("a.test.js", ["long"], 0)[1]) == LARGEST_SOURCE


def test_text_that_is_no_code_is_read_to_its_end() -> None:
    for text in ("`" * 50_000, "'" * 50_000, "/*" * 50_000, "(" * 50_000 + "]" * 50_000):
        assert len(brackets(text)) <= len(text)
        assert calls(text) == []


def test_what_stands_outside_of_tests_is_what_the_whole_file_asserts(tmp_path: Path) -> None:
    text = TEXT + "t.equal(mm('/a', '/**'), true);\nt.test('last', t => { third(); });\n"
    line, source = sources(tmp_path, text).of("a.test.js", [WHOLE_FILE], 0)
    assert line == 1
    assert "t.equal(mm('/a', '/**'), true);" in source
    assert not any(one in source for one in ("first()", "second()", "third()", "case %i"))
