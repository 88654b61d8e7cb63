"""JavaScript that newly replaces the first of a sign only, Python that strips letters in place of a word."""

from __future__ import annotations

import pytest

from bot.integrity import inspect_integrity
from bot.values import Category, FourWay, Requirement, Requirements, Trust, rules
from sandbox.values import Diff
from tests.bot.integrity.test_integrity import Tree, changed

BEFORE = "export function quote(text) {\n  return text;\n}\n"
ASKED = "`quote` escapes every `~`"


def found(
    line: str, asked: str = ASKED, *, path: str = "src/quote.js", before: str = BEFORE
) -> list[str]:
    """What is said of a change that puts this line in the place of the plain one."""
    after = BEFORE.replace("return text;", line)
    wanted = Requirements((Requirement("R1", asked, Category.BEHAVIOUR, "issue #1", Trust.ASKER),))
    diff = Diff((changed(path, before, after),))
    findings = inspect_integrity(
        diff, Tree({path: before}), Tree({path: after}), FourWay(()), wanted
    )
    return [one.message for one in findings if one.rule == rules.ONLY_FIRST_REPLACED]


@pytest.mark.parametrize(
    ("line", "sign"),
    [
        (r"return text.replace('~', '\\~');", "~"),
        (r"return text.replace(/~/, '\\~');", "~"),
        (r"return text.replace(/\./i, '_');", "."),
        (r"return decodeURI(text).replace('\\', '%5C');", "\\"),
        (r"return text.replace('%5C', escaped);", "%5C"),
    ],
)
def test_what_replaces_the_first_only_is_asked_about(line: str, sign: str) -> None:
    (message,) = found(line)
    assert f"replaces the first `{sign}` of a text only" in message


@pytest.mark.parametrize(
    "line",
    [
        r"return text.replace(/~/g, '\\~');",
        r"return text.replaceAll('~', '\\~');",
        "return text.replace('name', value);",
        "return text.replace(/[~!]/, '');",
        "return '{.*}'.replace('.', any);",
        "while (text.includes('~')) text = text.replace('~', '-'); return text;",
    ],
)
def test_what_replaces_all_or_a_word_is_not(line: str) -> None:
    assert found(line) == []


def test_nor_what_the_task_speaks_of_nor_what_base_does_nor_a_test() -> None:
    line = r"return text.replace('~', '\\~');"
    assert found(line, "`quote` escapes a leading `~`") == []
    assert found(line, before=BEFORE.replace("return text;", f"const a = 1; {line}")) == []
    assert found(line, path="test/quote.test.js") == []


def stripped(line: str, *, before: str = "", path: str = "people/names.py") -> list[str]:
    """What is said of a Python function that newly does this to a text."""
    source = f"def plain(text):\n    return {line}\n"
    wanted = Requirements((Requirement("R1", "x", Category.BEHAVIOUR, "issue #1", Trust.ASKER),))
    old = before or "def plain(text):\n    return text\n"
    found = inspect_integrity(
        Diff((changed(path, old, source),)),
        Tree({path: old}),
        Tree({path: source}),
        FourWay(()),
        wanted,
    )
    return [one.message for one in found if one.rule == rules.LETTERS_STRIPPED]


@pytest.mark.parametrize(
    "line",
    [
        "text.lstrip('Dr. ')",
        "text.rstrip('_start')",
        "text.strip('export ')",
        'text.lstrip("mailto:")',
    ],
)
def test_a_word_that_is_stripped_letter_by_letter_is_asked_about(line: str) -> None:
    (message,) = stripped(line)
    assert "takes away each of the letters" in message


@pytest.mark.parametrize(
    "line",
    [
        "text.removeprefix('Dr. ')",
        "text.strip(' \\r\\n')",
        "text.lstrip('vV')",
        "text.strip('0123456789abcdefABCDEF')",
        "text.lstrip('\\ufeff')",
        "text.strip(letters)",
        "text.strip()",
    ],
)
def test_signs_and_letters_in_a_row_are_not(line: str) -> None:
    assert stripped(line) == []


def test_nor_is_what_base_strips_nor_a_test() -> None:
    before = "def plain(text):\n    return text and text.lstrip('Dr. ')\n"
    assert stripped("text.lstrip('Dr. ')", before=before) == []
    assert stripped("text.lstrip('Dr. ')", path="tests/test_names.py") == []


def test_more_letters_than_base_strips_of_the_same_are_not() -> None:
    known = "def plain(text):\n    return text.rstrip('km')\n"
    assert stripped("text.rstrip('kmg')", before=known) == []
    assert stripped("text.lstrip('kmg')", before=known) != []
