"""What an edited expectation changes beside what a task asks for."""

from __future__ import annotations

import pytest

from bot.task.changed_parts import changed_beside

EUR = "Currency on invoices\n\n- [ ] `render` writes `EUR` behind the total\n"
TEXT = "'Invoice 7\\nDate: 2026-03-04\\nTotal: 12.50'"
TABLE = "{'number': 7, 'date': '2026-03-04', 'total': '12.50'}"


def beside(before: str, after: str, said: str = EUR) -> tuple[str, str] | None:
    """Compare what one assertion expects."""
    test = "def test_render():\n    assert render({{'a': 1}}) == {}\n"
    found = changed_beside(test.format(before), test.format(after), said)
    return (found.before, found.after) if found else None


@pytest.mark.parametrize(
    ("before", "after", "wanted"),
    [
        (
            TEXT,
            TEXT.replace("2026-03-04", "04.03.2026").replace("12.50", "12.50 EUR"),
            ("Date: 2026-03-04", "Date: 04.03.2026"),
        ),
        (TEXT, TEXT.replace("12.50", "12.5 EUR"), ("Total: 12.50", "Total: 12.5 EUR")),
        (
            TEXT,
            TEXT.replace("Date: 2026-03-04\\n", "").replace("12.50", "12.50 EUR"),
            ("Date: 2026-03-04", ""),
        ),
        (
            TABLE,
            TABLE.replace("2026-03-04", "04.03.2026").replace("12.50", "12.50 EUR"),
            ("date: 2026-03-04", "date: 04.03.2026"),
        ),
        (
            "Shown(date='2026-03-04', total='12.50')",
            "Shown(date='04.03.2026', total='12.50 EUR')",
            ("date: 2026-03-04", "date: 04.03.2026"),
        ),
    ],
)
def test_a_part_that_nobody_asked_about(
    before: str, after: str, wanted: tuple[str, str] | None
) -> None:
    assert beside(before, after) == wanted


@pytest.mark.parametrize(
    ("before", "after", "said"),
    [
        (TEXT, TEXT.replace("12.50", "12.50 EUR"), EUR),
        # a value that changes as a whole, and one of which no part is what the task names
        ("4", "8", EUR),
        (TEXT, TEXT.replace("2026-03-04", "04.03.2026"), EUR),
        # another unit has another number, and the task may speak of digits
        (TEXT, TEXT.replace("12.50", "1250 cents"), "`render` writes the total in cents"),
        (
            TEXT,
            TEXT.replace("12.50", "12.5 EUR"),
            "`render` writes `EUR`, and no more decimals than it has to",
        ),
        # what follows from it: sums, digests, rulers, another order, another word of the same sentence
        (
            "{'net': 10, 'total': 10}",
            "{'net': 10, 'total': 12, 'tax': 2}",
            "`bill` has the `tax`, too",
        ),
        ("'a1b2c3d4\\nx'", "'b1b2c3d5\\nx EUR'", EUR),
        ("'pen 1\\n-----'", "'pen 1 EUR\\n---------'", EUR),
        ("['b', 'a']", "['a', 'b', 'EUR']", EUR),
        (
            "'Invalid config given'",
            "\"Missing key 'a' in config\"",
            "The message names the missing key",
        ),
        # the task speaks of both
        (
            TEXT,
            TEXT.replace("2026-03-04", "04.03.2026").replace("12.50", "12.50 EUR"),
            f"{EUR}- [ ] the date is written with the day first\n",
        ),
    ],
)
def test_what_is_asked_for_or_follows_from_it(before: str, after: str, said: str) -> None:
    assert beside(before, after, said) is None


def test_nothing_else_may_change_where_the_task_says_so() -> None:
    before, after = "{'net': 10, 'total': '1'}", "{'net': 11, 'total': '1 EUR'}"
    assert beside(before, after) is None
    assert beside(before, after, f"{EUR}\nNothing else changes.") == ("net: 10", "net: 11")


def test_inputs_rows_and_javascript() -> None:
    call = "def test_x():\n    assert render('2026-03-04 {}') == 'x'\n"
    assert changed_beside(call.format("1"), call.format("EUR"), EUR) is None
    row = (
        "@pytest.mark.parametrize('given, wanted', [(1, 'on 2026-03-04\\n12')])\n"
        "def test_x(given, wanted):\n    assert render(given) == wanted\n"
    )
    edited = row.replace("2026-03-04", "04.03.2026").replace("12'", "12 EUR'")
    found = changed_beside(row, edited, EUR)
    assert found is not None
    assert found.after == "on 04.03.2026"
    script = (
        "test('x', () => {\n  expect(render(1)).toEqual({\n    date: '2026-03-04',\n"
        "    total: '12.50',\n  });\n});"
    )
    edited = script.replace("2026-03-04", "04.03.2026").replace("12.50", "12.50 EUR")
    found = changed_beside(script, edited, EUR)
    assert found is not None
    assert found.before == "date: 2026-03-04"
