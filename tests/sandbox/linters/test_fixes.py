"""Linters' own exact fixes as whole lines, in real bubblewrap on real checkouts."""

from __future__ import annotations

from pathlib import Path

import pytest

from sandbox.base import TREE, Sandbox
from sandbox.linters import LintRequest, lint_change
from sandbox.linters.base import Edit, LinterOutput, Position
from sandbox.linters.compiled import CLIPPY, GOFMT_DIFF
from sandbox.linters.node import ESLINT
from sandbox.linters.reading import diff_edits, sarif
from sandbox.linters.run import MOST_LINES, SourceText
from sandbox.values import Fix, Replacement
from tests.sandbox.linters.changes import Files, changed

real = pytest.mark.real


async def fixes(sandbox: Sandbox, tmp_path: Path, base: Files, head: Files) -> tuple[Fix, ...]:
    """The fixes of what is new on head, formatters asked as well."""
    checkout = changed(tmp_path, base, head)
    request = LintRequest(checkout, tmp_path / "workspace", with_formatters=True)
    linted = await lint_change(sandbox, request)
    assert linted is not None
    return linted.fixes


def fixed(text: str, fix: Fix) -> str:
    """The file after somebody committed the suggestion."""
    lines, what = text.split("\n"), fix.replacement
    assert tuple(lines[what.first - 1 : what.last]) == what.before
    return "\n".join([*lines[: what.first - 1], *what.after, *lines[what.last :]])


@real
async def test_only_what_ruff_calls_safe_is_a_fix(sandbox: Sandbox, tmp_path: Path) -> None:
    head = 'import os\n\n\ndef f():\n    x = 1\n    return "é", f"ü", f"plain"\n'
    base = {"a.py": "x = 1\n", "ruff.toml": "[lint]\nselect = ['F']\n"}
    found = await fixes(sandbox, tmp_path, base, {"a.py": head})
    assert [one.finding.rule for one in found] == ["F401", "F541", "F541"]
    assert fixed(head, found[0]) == head.removeprefix("import os\n")
    assert found[1].replacement.after == ('    return "é", "ü", f"plain"',)
    assert found[2].replacement.after == ('    return "é", f"ü", "plain"',)


@real
async def test_what_base_had_already_is_not_fixed(sandbox: Sandbox, tmp_path: Path) -> None:
    base, head = "import os\n\nx = 1\n", "import os\nimport re\n\nx = 1\n"
    (found,) = await fixes(sandbox, tmp_path, {"a.py": base}, {"a.py": head})
    assert found.replacement == Replacement(2, ("import re",), ())


@real
async def test_shellchecks_two_insertions_are_one_line(sandbox: Sandbox, tmp_path: Path) -> None:
    head = "#!/bin/sh\nif true; then\n\trm $1\nfi\n"
    (found,) = await fixes(sandbox, tmp_path, {"a.sh": "#!/bin/sh\n"}, {"a.sh": head})
    assert found.replacement == Replacement(3, ("\trm $1",), ('\trm "$1"',))


@real
@pytest.mark.parametrize(
    "configuration",
    [
        {"pyproject.toml": "[tool.ruff.format]\n"},
        {"ruff.toml": "[format]\n"},
        {".pre-commit-config.yaml": "repos:\n  - hooks:\n      - id: ruff-format\n"},
    ],
)
async def test_layout_is_fixed_where_base_says_that_ruff_does_it(
    sandbox: Sandbox, tmp_path: Path, configuration: dict[str, str]
) -> None:
    base = "x = {1:2}\n"
    head = base + "\n\ndef f( a ):\n    return a\n\n\ny = (\n  1)\n"
    found = await fixes(sandbox, tmp_path, {"a.py": base, **configuration}, {"a.py": head})
    assert [one.finding.tool for one in found] == ["ruff format"] * 2, "base's own line is not new"
    text = head
    for one in reversed(found):
        text = fixed(text, one)
    assert text == base + "\n\ndef f(a):\n    return a\n\n\ny = 1\n"


@real
async def test_a_project_that_does_not_format_is_left_alone(
    sandbox: Sandbox, tmp_path: Path
) -> None:
    head = {"a.py": "x = {1:2}\n", "pyproject.toml": "[tool.ruff.format]\n"}
    assert await fixes(sandbox, tmp_path, {"a.py": "x = 1\n"}, head) == ()


@real
async def test_files_whose_columns_cannot_be_told_get_no_fix(
    sandbox: Sandbox, tmp_path: Path
) -> None:
    head = {
        "crlf.py": "import os\r\nx = 1\r\n",
        "mark.py": "\ufeffimport os\n",
        "latin.py": b"# -*- coding: latin-1 -*-\nimport os\n" + b"x = '\xe9'\n",
    }
    assert await fixes(sandbox, tmp_path, {"a.py": "x = 1\n"}, head) == ()


def at(line: int, column: int) -> Position:
    return Position(line, column)


@pytest.mark.parametrize(
    ("edits", "wanted"),
    [
        ((Edit(at(2, 1), at(3, 1), ""),), Replacement(2, ("two",), ())),
        ((Edit(at(2, 1), at(2, 1), "new\n"),), Replacement(2, ("two",), ("new", "two"))),
        ((Edit(at(1, 4), at(2, 1), " "),), Replacement(1, ("one", "two"), ("one two",))),
        ((Edit(at(0, 5), at(0, 8), "2"),), Replacement(2, ("two",), ("2",))),
        ((Edit(at(4, 1), at(4, 1), "four\n"),), None),  # behind the last line break
        ((Edit(at(3, 6), at(4, 1), "\n"),), None),  # nothing changes
        ((Edit(at(3, 2), at(3, 1), ""),), None),
        ((Edit(at(9, 1), at(9, 2), ""),), None),
        ((Edit(at(1, 9), at(1, 9), ""),), None),
        ((Edit(at(1, 1), at(1, 3), "a"), Edit(at(1, 2), at(1, 4), "b")), None),
        ((Edit(at(1, 1), at(1, 1), "a"), Edit(at(1, 1), at(1, 1), "b")), None),
        ((Edit(at(1, 1), at(1, 4), "x" * 5_000),), None),
        ((Edit(at(1, 1), at(1, 1), "y\n" * (MOST_LINES + 1)),), None),
        ((), None),
    ],
)
def test_edits_become_the_fewest_lines(edits: tuple[Edit, ...], wanted: Replacement | None) -> None:
    found = SourceText("one\ntwo\nthree\n").replacement(edits)
    if found is not None and wanted is None:
        assert found.last == 4, "no diff has that line"
    else:
        assert found == wanted


def test_a_line_break_at_the_end_is_no_fix() -> None:
    text = SourceText("one\ntwo")
    assert text.replacement((Edit(at(2, 4), at(2, 4), "\n"),)) is None
    assert text.replacement((Edit(at(2, 1), at(2, 4), "2"),)) == Replacement(2, ("two",), ("2",))


def test_columns_are_counted_as_each_linter_counts_them() -> None:
    text = SourceText("ok\n😀é = 1\n")
    for position in (at(2, 5), Position(2, 6, is_utf16=True), Position(0, 9, is_utf16=True)):
        found = text.replacement((Edit(position, position, "="),))
        assert found == Replacement(2, ("😀é = 1",), ("😀é == 1",)), position
    inside = Position(2, 2, is_utf16=True)
    assert text.replacement((Edit(inside, inside, "x"),)) is None


def test_eslint_offsets_are_read() -> None:
    said = b"""[{"filePath": "/work/tree/a.js", "messages": [
        {"ruleId": "semi", "line": 1, "message": "m", "fix": {"range": [3, 3], "text": ";"}},
        {"ruleId": "odd", "line": 1, "message": "m", "fix": {"range": "all", "text": 3}}]}]"""
    said = said.replace(b"/work/tree", TREE.encode())
    one, other = ESLINT.read(LinterOutput(1, said, b""))
    found = SourceText("f()\n").replacement(one.edits)
    assert found == Replacement(1, ("f()",), ("f();",))
    assert other.edits == ()


def test_sarif_fixes_are_read_where_there_is_no_choice() -> None:
    change = """{"artifactLocation": {"uri": "a.py"}, "replacements": [{"deletedRegion":
        {"startLine": 1, "startColumn": 1, "endLine": 1, "endColumn": 4},
        "insertedContent": {"text": "1"}}]}"""
    place = (
        '{"physicalLocation": {"artifactLocation": {"uri": "a.py"}, "region": {"startLine": 1}}}'
    )
    fix = f'{{"artifactChanges": [{change}]}}'
    for several, wanted in ((fix, 1), (f"{fix}, {fix}", 0)):
        result = f'{{"ruleId": "r", "locations": [{place}], "fixes": [{several}]}}'
        said = f'{{"runs": [{{"results": [{result}]}}]}}'.encode()
        (remark,) = sarif(LinterOutput(0, said, b""))
        assert len(remark.edits) == wanted


def test_no_line_of_a_file_passes_for_a_header() -> None:
    diff = (
        b"--- a.go.orig\n+++ a.go\n@@ -1,3 +1,3 @@\n-- x\n--- y\n+++ b.go\n+z\n c\n"
        b"@@ -9 +9 @@\n-a\n+b\n\\ No newline at end of file\n"
    )
    ((path, line, edit),) = diff_edits(diff)
    assert (path, line, edit.text) == ("a.go", 1, "++ b.go\nz\n")
    assert (edit.start, edit.end) == (at(1, 1), at(3, 1))


def test_what_clippy_calls_applicable_is_read() -> None:
    def part(end: int, text: str, applicability: str) -> str:
        return (
            f'{{"file_name": "a.rs", "line_start": 1, "column_start": 1, "line_end": 1, "column_end": {end},'
            f' "suggested_replacement": "{text}", "suggestion_applicability": "{applicability}"}}'
        )

    place = '{"file_name": "a.rs", "line_start": 1, "line_end": 1, "is_primary": true}'
    for applicability, wanted in (("MachineApplicable", 1), ("MaybeIncorrect", 0)):
        helps = f'[{{"spans": []}}, {{"spans": [{part(4, "new", applicability)}]}}]'
        said = (
            f'{{"reason": "compiler-message", "message": {{"code": {{"code": "r"}}, "message": "m", '
            f'"spans": [{place}], "children": {helps}}}}}'
        )
        (remark,) = CLIPPY.read(LinterOutput(0, said.encode(), b""))
        assert len(remark.edits) == wanted


def test_gofmts_diff_is_read() -> None:
    diff = b"diff a.go.orig a.go\n--- a.go.orig\n+++ a.go\n@@ -1,3 +1,3 @@\n package a\n\n-x:=1\n+x := 1\n"
    (remark,) = GOFMT_DIFF.read(LinterOutput(1, diff, b""))
    assert (remark.path, remark.line) == ("a.go", 3)
    found = SourceText("package a\n\nx:=1\n").replacement(remark.edits)
    assert found == Replacement(3, ("x:=1",), ("x := 1",))
