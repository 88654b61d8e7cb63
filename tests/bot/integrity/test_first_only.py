"""JavaScript that newly replaces the first of a sign only."""

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
