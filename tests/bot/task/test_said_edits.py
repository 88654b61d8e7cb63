"""What an issue's words ask for of an edited test: each change by itself, and nothing beside it."""

from __future__ import annotations

import pytest

from bot.task.meant_changes import why_meant
from bot.task.requirements import comprehend
from bot.values import ChangedSnapshot, Task, TaskSource, TestChange, Trust
from tests.bot.verdict.cases import DEFAULTS, comparison

TIMEOUT = "def test_defaults():\n    bus = Bus()\n    assert bus.size == 100\n    assert bus.timeout == 5.0\n"
LOG = 'def test_log(bus, log):\n    bus.run()\n    assert "handler failed: boom" in log.text\n'
PEOPLE = (
    "def test_people(trip):\n"
    '    assert run("people", trip).lines() == ["bo            10.50", "ina           29.00"]\n'
)
FORMAT = (
    "it('rounds', () => {\n    expect(format({ value: 1 / 3, unit: 'h' })).toBe('0.333 h');\n  })"
)
DEFAULT = (
    "5 seconds is too short as a default\n\nMails take longer. Make the default timeout 30 seconds."
)
LISTED = (
    "Change the default timeout from 5 to 30 seconds\n\n- `Bus(timeout=...)` defaults to 30 seconds\n"
    "- None means no limit\n- negative values must raise a ValueError\n"
)
USELESS = 'Log messages are useless\n\nAll we see is "timeout" or "handler failed: ". Please log the topic.'
COLUMN = (
    "`potluck people` is not aligned\n\nThe column is 10 wide:\n\n"
    "```\nbo            12.50\nmaximilian_von     3.00\n```\n\n"
    "The column should be as wide as the longest name, then two spaces, e.g.\n\n"
    "```\nbo                 12.50\nmaximilian_von      3.00\n```\n"
)
NARROW = (
    'Line breaks before units\n\nIn tables "1500 m" is wrapped.\n\n'
    "`format` should put a no-break space between them:\n\n"
    "```ts\nformat({ value: 1500, unit: 'm' }) // '1500\\u202fm'\n```\n"
)
UNKNOWN = 'Name the unit\n\nFor an unknown unit, `parse` should say `unknown unit "x"` instead of "bad unit".'
PARSE = 'def test_parse():\n    assert parse("3 foo") == "{}"\n'


def meant(task: str, before: str, after: str, trust: Trust = Trust.ASKER, **fields) -> str:
    title, _, text = task.partition("\n")
    source = TaskSource("issue #7", title, text, trust)
    wanted = comprehend(Task(title, (source,)), DEFAULTS, ())
    path = "test/convert.test.ts" if before.startswith(("it(", "test(")) else "tests/test_shop.py"
    test = comparison(
        "test_it", TestChange.EXPECTATION_CHANGED, after, source_before=before, path=path, **fields
    )
    return why_meant(wanted, (), test)


@pytest.mark.parametrize(
    ("task", "before", "old", "new"),
    [
        (DEFAULT, TIMEOUT, "5.0", "30.0"),
        (DEFAULT, TIMEOUT, "5.0", "30"),
        (LISTED, TIMEOUT, "5.0", "30"),
        ("The size should be at most 64\n\n", TIMEOUT.replace("bus.size", "len(bus.size())"), "100", "64"),
        (USELESS, LOG, 'assert "handler failed: boom" in log.text', 'assert "a: bad failed" in log.text'),
        (COLUMN, PEOPLE, '"bo            10.50", "ina           29.00"', '"bo      10.50", "ina     29.00"'),
        (NARROW, FORMAT, "'0.333 h'", "'0.333\\u202fh'"),
        (UNKNOWN, PARSE.format("bad unit"), "bad unit", "unknown unit"),
    ],
)  # fmt: skip
def test_an_edit_that_the_words_ask_for(task: str, before: str, old: str, new: str) -> None:
    assert before.count(old) == 1
    why = meant(task, before, before.replace(old, new))
    assert "issue #7" in why
    assert ("only blanks" in why) == (task in (COLUMN, NARROW))


@pytest.mark.parametrize(
    ("task", "before", "old", "new"),
    [
        # another number, of another name, or one that is not demanded
        (DEFAULT, TIMEOUT, "5.0", "300.0"),
        (DEFAULT, TIMEOUT, "100", "30"),
        (DEFAULT, TIMEOUT, "100\n    assert bus.timeout == 5.0", "99\n    assert bus.timeout == 30.0"),
        (DEFAULT, TIMEOUT, "bus = Bus()", "bus = Bus(timeout=30)"),
        (DEFAULT, TIMEOUT, "bus.timeout == 5.0", "bus.timeout > 5.0"),
        (DEFAULT, TIMEOUT, "    assert bus.size == 100\n", ""),
        (DEFAULT.replace("Make", "Do not make"), TIMEOUT, "5.0", "30.0"),
        (DEFAULT.replace("Make the", "In other projects the"), TIMEOUT, "5.0", "30.0"),
        # what is not quoted, or stays expected, or is quoted as right
        (USELESS, LOG, 'assert "handler failed: boom" in log.text', "assert bus.runs\n    log.clear()\n"),
        (USELESS, LOG, 'assert "handler failed: boom" in log.text', "log.clear()"),
        (USELESS, LOG, "    bus.run()\n", ""),
        (USELESS, LOG.replace("handler", "helper"), "helper failed: boom", "a: bad failed"),
        (USELESS, LOG, "handler failed: boom", "handler failed: nothing"),
        (USELESS.replace("All we see is", "Alerts must keep"), LOG, "handler failed: boom", "a: bad failed"),
        ("Add topics\n\n" + USELESS.partition("\n\n")[2], LOG, "handler failed: boom", "a: bad failed"),
        # other letters beside the blanks, or blanks of which nothing is shown
        (COLUMN, PEOPLE, '"bo            10.50", "ina           29.00"', '"bo      10.50", "ina     92.00"'),
        (COLUMN, PEOPLE, '"ina           29.00"', '"ina           29.00", ""'),
        (COLUMN.replace("people", "total"), PEOPLE, '"bo            10.50"', '"bo      10.50"'),
        (NARROW, PEOPLE, '"bo            10.50"', '"bo      10.50"'),
        (NARROW, FORMAT, "'0.333 h'", "'0.33\\u202fh'"),
        (NARROW, FORMAT, "'0.333 h'", "'0.333\\u00a0h'"),
        (NARROW, FORMAT, "1 / 3", "1 / 4"),
        (UNKNOWN, PARSE.format("unknown unit"), "unknown unit", "bad unit"),
    ],
)  # fmt: skip
def test_an_edit_that_they_do_not_ask_for(task: str, before: str, old: str, new: str) -> None:
    assert before.count(old) == 1
    assert meant(task, before, before.replace(old, new)) == ""


SIZE = (
    'Say how many came\n\n"there must be 3 values" does not tell me what I gave. Please let it name both '
    "(if there is no list, none): `there must be 3 values, got 2`.\n"
)
REJECTS = (
    "test('checked', async () => {\n"
    "    await assert.rejects(load('a'), { message: 'there must be 1 values' });\n  })"
)
NOW = "await assert.rejects(load('a'), (error) => {\n      assert.equal(error.message, '{}');\n    });"


@pytest.mark.parametrize(
    ("task", "text", "is_meant"),
    [
        (SIZE, "there must be 1 values, got 0", True),
        (SIZE, "there must be 1 values, got none", False),
        (SIZE, "there must be 2 values", False),
        (SIZE.replace("Please let it name", "It must not name"), "there must be 1 values, got 0", False),
    ],
)  # fmt: skip
def test_a_text_became_another_that_is_shown_with_other_numbers(task, text, is_meant) -> None:
    first, _, end = REJECTS.splitlines()
    after = "\n".join((first, f"    {NOW.replace('{}', text)}", end))
    assert bool(meant(task, REJECTS, after)) is is_meant


OWN_ERROR = (
    "ValueError from `read` kills the watcher\n\nIt should be an own type, say `BadData`. It is fine that "
    "it is no ValueError any more.\n"
)
RAISES = "def test_read():\n    with raises(ValueError, match='bad'):\n        read('x')\n"


@pytest.mark.parametrize(
    ("task", "old", "new", "is_meant"),
    [
        (OWN_ERROR, "ValueError", "BadData", True),
        (OWN_ERROR, "ValueError", "OSError", False),
        (OWN_ERROR, "ValueError, match='bad'", "BadData", False),
        (OWN_ERROR, "'x'", "'y'", False),
        (OWN_ERROR.replace("ValueError", "An error"), "ValueError", "BadData", False),
        (OWN_ERROR.replace("should be", "is"), "ValueError", "BadData", False),
    ],
)
def test_another_error_is_expected_where_a_demand_names_it(task, old, new, is_meant) -> None:
    assert bool(meant(task, RAISES, RAISES.replace(old, new))) is is_meant


def test_the_words_of_the_author_ask_for_nothing() -> None:
    assert meant(DEFAULT, TIMEOUT, TIMEOUT.replace("5.0", "30.0"), Trust.AUTHOR) == ""


SHOWN = "4 x rope  10.00 EUR\ntotal     28.49 EUR"
ALIGN = f"Align\n\nrenderQuote should align:\n\n```\n{SHOWN}\n```\n\ninstead of\n\n```\nx\n```\n"
SNAPSHOT = "test('renderQuote', () => {\n  expect(renderQuote(q)).toMatchSnapshot();\n});"


@pytest.mark.parametrize(
    ("after", "is_meant"), [(SHOWN, True), (SHOWN.replace("28", "29"), False), ("x", False)]
)
def test_a_snapshot_became_what_a_demand_shows(after: str, is_meant: bool) -> None:
    before = "4 x rope 10.00 EUR\ntotal 28.49 EUR"
    changed = ChangedSnapshot("s.snap", 1, f'"{before}"', f'"{after}"')
    assert bool(meant(ALIGN, SNAPSHOT, SNAPSHOT, snapshots=(changed,))) is is_meant


SUMMARY = (
    "Summary on one line\n\nWith 20 decks it fills the screen. Could it be one line per deck?\n\n"
    "```\nSpanish: 3 cards (1 due)\nEmpty: 0 cards (nothing to do)\n```\n"
)


@pytest.mark.parametrize(
    ("task", "after", "is_meant"),
    [
        (SUMMARY, "Empty: 0 cards (nothing to do)\n", True),
        (SUMMARY, "Empty: 0 cards (nothing at all)\n", False),
        (
            SUMMARY.replace("Could it be one line per deck?", "It is this:"),
            "Empty: 0 cards (nothing to do)\n",
            False,
        ),
    ],
)
def test_a_snapshot_became_some_lines_of_what_is_shown(
    task: str, after: str, is_meant: bool
) -> None:
    code = "test('summary', () => {\n  expect(summary(deck)).toMatchSnapshot();\n});"
    changed = ChangedSnapshot("a.snap", 1, "Empty: 0 cards\n  due: 0\n  new: 0\n", after)
    assert bool(meant(task, code, code, snapshots=(changed,))) is is_meant


EURO = "Euro sign\n\n`formatCents(1999)` should return `€19.99` instead of `19.99 EUR`, in renderQuote, too."


@pytest.mark.parametrize(
    ("after", "is_meant"),
    [
        ("4 x rope €10.00\ndiscount -€1.50", True),
        ("4 x rope €10.00\ndiscount €-1.50", True),
        ("4 x rope €10.00\ndiscount -€1.05", False),
        ("4 x rope €10.00\ndiscount -1.50", False),
        ("4 x rope €10.00\n-€1.50", False),
        ("4 x rope EUR 10.00\ndiscount -€1.50", False),
    ],
)
def test_a_text_changes_as_another_that_is_wanted_instead(after: str, is_meant: bool) -> None:
    changed = ChangedSnapshot("s.snap", 1, "4 x rope 10.00 EUR\ndiscount -1.50 EUR", after)
    assert bool(meant(EURO, SNAPSHOT, SNAPSHOT, snapshots=(changed,))) is is_meant


CSS = (
    "Number css variables\n\n`--color-0` ... is not what people expect, {lead}:\n\n"
    "```css\n:root {{\n  --color-100: #adc;\n}}\n```\n"
)


@pytest.mark.parametrize(
    ("lead", "is_meant"),
    [
        ("use 100, 200, ... please", True),
        ("which is odd. We want", True),
        ("and we should not get", False),
        ("it gives today", False),
    ],
)
def test_a_snapshot_became_the_block_that_is_asked_for(lead: str, is_meant: bool) -> None:
    changed = ChangedSnapshot(
        "a.snap",
        1,
        '\n":root {\n  --color-0: #adc;\n}\n"\n',
        '\n":root {\n  --color-100: #adc;\n}\n"\n',
    )
    code = "test('writes css', () => {\n  expect(css(palette)).toMatchSnapshot();\n});"
    assert bool(meant(CSS.format(lead=lead), code, code, snapshots=(changed,))) is is_meant
