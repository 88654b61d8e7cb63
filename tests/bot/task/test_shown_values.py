"""Which values are the same however they are written, and which command lines need no shell."""

from __future__ import annotations

import pytest

from bot.task.examples.commands import (
    CommandLine,
    compared_lines,
    is_shown_in,
    read_command,
    typed_in,
)
from bot.task.examples.values import read_value, same


@pytest.mark.parametrize(
    ("one", "other", "is_same"),
    [
        ("[1, 2]", "(1, 2)", True),
        ("{'a': [1.0]}", "{'a': [1]}", True),
        ("{'a': 1}", "{'b': 1}", False),
        ("0.1", "0.1000000000001", True),
        ("0.1", "0.11", False),
        ("1", "True", False),
        ("'1'", "1", False),
        ("{1, 2}", "{2, 1}", True),
        ("Decimal('1.5')", "decimal.Decimal('1.5')", True),
        ("Decimal('1.5')", "Decimal('2')", False),
        ("Point(x=1)", "Point(x=2)", None),
        ("OrderedDict([('a', 1)])", "{'a': 1}", None),
        ("[Decimal('1')]", "[1]", None),
        ("10**400", "1.0", None),
        ("1e400", "1.0", False),
        ("x", "1", None),
        ("[1, ...]", "[1, 2]", None),
        ("", "()", None),
        ("[" * 300 + "]" * 300, "1", None),
    ],
)
def test_values_of_python(one: str, other: str, is_same: bool | None) -> None:
    read = [read_value(text) for text in (one, other)]
    told = same(read[0][0], read[1][0]) if read[0] and read[1] else None
    assert told is is_same


@pytest.mark.parametrize(
    ("one", "other", "is_same"),
    [
        ("{a: 1, 'b': null}", '{"a": 1, "b": null}', True),
        ("[ true, undefined ]", "[true, undefined]", True),
        ("undefined", "null", False),
        ("'a'", '"a"', True),
        ("-1.50", "-1.5", True),
        ("{1: 'a'}", '{"1": "a"}', True),
        ("Infinity", "1", False),
        ("NaN", "NaN", None),
        ("/a/", "1", None),
        ("`a`", "'a'", None),
    ],
)
def test_values_of_javascript(one: str, other: str, is_same: bool | None) -> None:
    read = [read_value(text, is_script=True) for text in (one, other)]
    told = same(read[0][0], read[1][0]) if read[0] and read[1] else None
    assert told is is_same


@pytest.mark.parametrize(
    ("line", "command"),
    [
        ("tally a 'b c' \"d\"", CommandLine(("tally", "a", "b c", "d"))),
        ("tally '$x;y' a\\ b # some words", CommandLine(("tally", "$x;y", "a b"))),
        ('echo "1 2" 3 | tally -', CommandLine(("tally", "-"), "1 2 3\n")),
        ("tally --map a=b", CommandLine(("tally", "--map", "a=b"))),
        ("echo -n 1 | tally", None),
        ("cat x | tally", None),
        ("tally | head", None),
        ("tally || true", None),
        ("tally; ls", None),
        ("tally &", None),
        ("tally < x", None),
        ("tally ~/x", None),
        ("tally {a,b}", None),
        ("tally 'a", None),
        ('tally "$(id)"', None),
        ("X=1 tally", None),
        ("|", None),
        ("", None),
        ("tally " + "a" * 600, None),
    ],
)
def test_command_lines(line: str, command: CommandLine | None) -> None:
    assert read_command(line) == command


def test_output_is_compared_by_its_lines() -> None:
    (first, second) = typed_in("$ tally a  \n1\n\n2\n$ tally b")
    assert (first.line, first.output, second.output) == ("tally a", "1\n\n2", "")
    assert compared_lines("Traceback (most recent call last):\n  /home/x\nValueError: no\n") == (
        "ValueError: no",
    )
    assert compared_lines("1\n...\n2") == ()
    assert is_shown_in(("1", "2"), "0\n1  \n\n2\n3\n")
    assert not is_shown_in(("1", "3"), "1\n2\n3\n")
