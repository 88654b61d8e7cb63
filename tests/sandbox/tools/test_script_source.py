"""The code of a JavaScript test is found by its title."""

from __future__ import annotations

from pathlib import Path

from sandbox.environments.tree import Tree
from sandbox.tools.script_source import LARGEST_SOURCE, ScriptSources, brackets, calls

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


def test_a_title_that_is_made_at_run_time_speaks_alone(tmp_path: Path) -> None:
    assert sources(tmp_path).of("a.test.js", ["case 1"], 0) == (0, "case 1")
    assert sources(tmp_path).of("nowhere.js", ["case 1"], 0) == (0, "case 1")


def test_a_long_body_is_capped(tmp_path: Path) -> None:
    text = "test('long', () => {" + "x();" * 5000 + "});"
    assert len(sources(tmp_path, text).of("a.test.js", ["long"], 0)[1]) == LARGEST_SOURCE


def test_text_that_is_no_code_is_read_to_its_end() -> None:
    for text in ("`" * 50_000, "'" * 50_000, "/*" * 50_000, "(" * 50_000 + "]" * 50_000):
        assert len(brackets(text)) <= len(text)
        assert calls(text) == []
