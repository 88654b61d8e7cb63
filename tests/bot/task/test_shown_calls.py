"""Which calls a task shows with what they give: demanded, to be kept, or complained of."""

from __future__ import annotations

import textwrap
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.task.examples.calls import examples_of
from bot.values import (
    Example,
    ExampleKind,
    ExampleLanguage,
    TaskSource,
    Trust,
    UnreadExample,
    WhyUnread,
)
from tests.bot.verdict.cases import requirements

EXPECTED, KEPT, REPORTED = ExampleKind.EXPECTED, ExampleKind.KEPT, ExampleKind.REPORTED
SHOWN = ExampleKind.SHOWN
Row = tuple[str, str, str]


def read(
    text: str, title: str = "", demands: tuple[str, ...] = ()
) -> list[Example | UnreadExample]:
    return list(examples_of(TaskSource("issue #7", title, text, Trust.ASKER), demands))


def shown(text: str, title: str = "", demands: tuple[str, ...] = ()) -> list[Row]:
    """(kind, call, result or error) of what may decide something by its result."""
    found = [one for one in read(text, title, demands) if isinstance(one, Example)]
    decisive = [one for one in found if one.kind not in (SHOWN, ExampleKind.CHANGING)]
    return [(one.kind, one.said_call, one.error or one.said_result) for one in decisive]


def unread(text: str) -> list[tuple[WhyUnread, str]]:
    return [(one.why, one.said) for one in read(text) if isinstance(one, UnreadExample)]


@pytest.mark.parametrize(
    ("text", "kind", "call", "result"),
    [
        ("`f(1)` should return `2`.", EXPECTED, "f(1)", "2"),
        ("For example, `f(1)` should return 2.", EXPECTED, "f(1)", "2"),
        ("`f(1)` should return -2.5. The rest stays.", EXPECTED, "f(1)", "-2.5"),
        ('``slug("A B")`` must give ``a_b``', EXPECTED, 'slug("A B")', "a_b"),
        ("`f(-1)` should raise `ValueError` too", EXPECTED, "f(-1)", "ValueError"),
        ("`f(-1)` must be rejected with a ValueError.", EXPECTED, "f(-1)", "ValueError"),
        ("`f(-1)` should throw `errors.Refused`", EXPECTED, "f(-1)", "Refused"),
        ("`shop.Cart(3).total()` should be `3`", EXPECTED, "shop.Cart(3).total()", "3"),
        ("`f(0)` must still return `[]`", KEPT, "f(0)", "[]"),
        ("`f(0)` should continue to return `[]`", KEPT, "f(0)", "[]"),
        ("`f(0)` stays `[]`.", KEPT, "f(0)", "[]"),
        ("`f(0)` currently returns `3`.", REPORTED, "f(0)", "3"),
        ("`f(0)` raises `KeyError` today.", REPORTED, "f(0)", "KeyError"),
        ("`f(1)` should return the string `'x'`.", EXPECTED, "f(1)", "'x'"),
        ("`f(1)` is supposed to give `[1]`", EXPECTED, "f(1)", "[1]"),
        ("`f(1) == 2` should hold.", EXPECTED, "f(1)", "2"),
        ("`f(1) === 2` must still be `true`.", KEPT, "f(1)", "2"),
        ("`f(0)` must stay `[]`", KEPT, "f(0)", "[]"),
        ("`f(0)` must keep working.", KEPT, "f(0)", ""),
        ("`isOn(null)` should return `undefined`", EXPECTED, "isOn(null)", "undefined"),
        (
            "`pick({a: 1})` should return `{a: 1, b: [true]}`",
            EXPECTED,
            "pick({a: 1})",
            "{a: 1, b: [true]}",
        ),
        ("I'd expect `f(1)` to return `2`, but it returns `3`.", EXPECTED, "f(1)", "2"),
        ("`f(1)` should be equal to `2`.", EXPECTED, "f(1)", "2"),
        ("Expected result: `f(1)` returns `2`.", EXPECTED, "f(1)", "2"),
        ("Actual: `f(1)` returns `2`.", REPORTED, "f(1)", "2"),
        ("`f(1)` should return `2` (an hour), not `3`.", EXPECTED, "f(1)", "2"),
        ("With this change, `f(1)` should return `2`.", EXPECTED, "f(1)", "2"),
        ("If I call `f(1)` it should return `2` in all cases.", EXPECTED, "f(1)", "2"),
        ("## Current behavior\n\n`f(1)` is returning false", REPORTED, "f(1)", "false"),
        ("**Expected**\n\n`f(1)` returns `2`", EXPECTED, "f(1)", "2"),
        ("## Expected behaviour\n\nAnd `f(1)` is still `2`", KEPT, "f(1)", "2"),
    ],
)
def test_a_sentence_shows(text: str, kind: ExampleKind, call: str, result: str) -> None:
    assert shown(text) == [(kind, call, result)]


def test_instead_says_both() -> None:
    both = [(REPORTED, "mean([1, 2])", "1"), (EXPECTED, "mean([1, 2])", "1.5")]
    assert shown("`mean([1, 2])` returns `1` instead of `1.5`.") == both
    assert shown("`mean([1, 2])` gives `1` but should give `1.5`.") == both


def test_it_is_the_call_before() -> None:
    text = "`split(9, 0)` raises `ZeroDivisionError` today. It should raise `ValueError`."
    assert shown(text) == [
        (REPORTED, "split(9, 0)", "ZeroDivisionError"),
        (EXPECTED, "split(9, 0)", "ValueError"),
    ]


@pytest.mark.parametrize(
    "said",
    [
        "`f(1)` gives `2`. It should give `3`: as documented.",
        "`f(1)` is 2 today and should be 3.",
        "`f(1)` returns `2`, but should return `3`.",
        "`f(1)` returns `2` instead of `3`.",
        "Currently `f(1)` returns `2`. It should return `3`.",
    ],
)
def test_what_a_demand_complains_of_is_not_what_it_wants(said: str) -> None:
    found = shown(f"- {said}\n", demands=(said,))
    assert [one[2] for one in found if one[0] is EXPECTED] == ["3"]


def test_a_listed_demand_needs_no_should() -> None:
    demand = "`f(1)` returns 2"
    assert shown(demand) == []
    assert shown(demand, demands=(demand,)) == [(EXPECTED, "f(1)", "2")]
    assert shown("", demands=("`f(1)` → `2`",)) == [(EXPECTED, "f(1)", "2")]
    assert shown("", demands=("`f(1) == 2`",)) == [(EXPECTED, "f(1)", "2")]
    assert shown("", demands=("`f(1)` still returns `2`",)) == [(KEPT, "f(1)", "2")]


@pytest.mark.parametrize(
    "text",
    [
        "`f(1)` returns `2`.",
        "`f(1)` should not return `2`.",
        "`f(1)` should return `2` or `3`.",
        "`f(1)` should return 1.2.3 of it.",
        "`f(1)` should return the value of `x`.",
        "`f(x for x in y)` should return `2`.",
        "`f(lambda: 1)` should return `2`.",
        "`f(1).__class__` should be `2`.",
        "`__import__('os').system('x')` should be `0`.",
        "`f` should be `2`.",
        "`f(1)` should return `g(2)`.",
        "`f(1)` should be faster than `2`.",
        "> `f(1)` should return `2`.",
        "## Nice to have\n`f(1)` should return `2`.",
        "It should return `2`.",
        "On Windows, `f(1)` should return `2`.",
        "With `strict` set, `f(1)` should return `2`.",
        "`f(1)` should return `2` when the cache is warm.",
        "`f(1)` currently returns `1` if called twice.",
        "If `f(1)` is called twice, it should return `2`.",
        "`f(1)` still returns `2`, even after the update.",
        "I am not sure whether `f(1)` should return `2`.",
        "`f(1)` should return `2`, right?",
        "I did not expect `f(1)` to return `2`.",
        "You wouldn't expect `f(1)` to return `2`.",
        "`f(1)` should print `2`.",
        "Why does `f(1)` return `2`?",
    ],
)
def test_what_shows_nothing_that_can_be_called(text: str) -> None:
    assert shown(text) == []


SESSION = """```pycon
>>> import tally
>>> tally.f(1)
2
>>> f(-1)
Traceback (most recent call last):
  ...
ValueError: no
>>> f("a")
'b'
>>> cart = f(3)
>>> f(4)
<Cart of 4>
>>> f(5)
[1,
 2]
```"""
IN_SESSION = [
    (EXPECTED, "tally.f(1)", "2"),
    (EXPECTED, "f(-1)", "ValueError"),
    (EXPECTED, 'f("a")', "'b'"),
    (EXPECTED, "f(4)", "<Cart of 4>"),
    (EXPECTED, "f(5)", "[1,\n 2]"),
]


@pytest.mark.parametrize(
    "above",
    ["## Expected behavior\n", "**Expected**\n\n", "It should give:\n\n"],
)
def test_a_session_shows_what_is_expected(above: str) -> None:
    assert shown(above + SESSION) == IN_SESSION


def test_a_session_in_a_list_is_what_its_item_says() -> None:
    inside = textwrap.indent(SESSION, "  ")
    assert shown(f"- What I expect:\n\n{inside}\n") == IN_SESSION
    assert shown(f"It should be:\n\n- For example:\n\n{inside}\n") == []


@pytest.mark.parametrize(
    "above", ["## Actual\n", "But I get:\n\n", "## What happens\n", "It is wrong today\n\n"]
)
def test_a_session_is_one_report(above: str) -> None:
    assert shown(above + SESSION) == [(REPORTED, *rest) for _, *rest in IN_SESSION]
    groups = {one.group for one in read(above + SESSION) if isinstance(one, Example)}
    assert len(groups) == 1
    assert 0 not in groups


@pytest.mark.parametrize(
    "above",
    [
        "",
        "## To reproduce\n",
        "## Expected and actual\n",
        "f should be quicker.\n\n",
        "This is how it works today:\n\n",
        "I get:\n\n",
        "## Nice to have\n",
    ],
)
def test_a_session_elsewhere_decides_nothing(above: str) -> None:
    assert shown(above + SESSION) == []


@pytest.mark.parametrize(
    "above", ["As a workaround:\n\n", "In 1.4 it used to give:\n\n", "Other tools give:\n\n"]
)
def test_a_session_of_something_else_is_not_read(above: str) -> None:
    assert read(above + SESSION) == []


def test_how_it_is_without_a_new_argument_is_no_report() -> None:
    wish = "`slug('a b', '_')` should return `'a_b'`."
    now = "`slug('a b')` currently returns `'a-b'`."
    assert shown(f"{now} {wish}") == [(EXPECTED, "slug('a b', '_')", "'a_b'")]
    assert shown(f"{now} `slug('b')` should return `'b'`.")[0][0] is REPORTED


def test_a_session_is_run_from_its_first_line() -> None:
    lines = ">>> from tally import Cart\n>>> cart = Cart(3)\n>>> cart.total()\n3\n"
    text = f"Expected:\n\n```pycon\n{lines}```"
    (one,) = read(text)
    assert isinstance(one, Example)
    assert (one.call, one.results, one.language) == ("cart.total()", ("3",), ExampleLanguage.PYTHON)
    assert one.before == ("from tally import Cart", "cart = Cart(3)")


CODE = """{above}```python
from tally import f

f(1)  # => 2
f(2)  # should be 3
f(3)  # currently 4
f(4)  # returns 5, expected 6
f(5)  # => 6 instead of 7
f(6)  # should still be 7
f(7)
# should raise ValueError

x = f(8)  # should be [8]
f(9)  # some words
assert f(10) == 11
```"""
OF_CODE: list[Row] = [
    (EXPECTED, "f(2)", "3"),
    (REPORTED, "f(3)", "4"),
    (REPORTED, "f(4)", "5"),
    (EXPECTED, "f(4)", "6"),
    (REPORTED, "f(5)", "6"),
    (EXPECTED, "f(5)", "7"),
    (KEPT, "f(6)", "7"),
    (EXPECTED, "f(7)", "ValueError"),
    (EXPECTED, "x", "[8]"),
    (EXPECTED, "f(10)", "11"),
]


def test_comments_say_what_a_line_gives() -> None:
    assert shown(CODE.format(above="")) == OF_CODE
    expected = shown(CODE.format(above="Expected:\n\n"))
    assert expected == [(EXPECTED, "f(1)", "2"), *OF_CODE]


def test_a_comment_above_a_line_is_not_below_another() -> None:
    assert shown("```python\nf(1)\n# should be 3\nf(2)\n```") == []
    assert shown("Expected:\n```python\nf(1)\n# => 3\nf(2)\n```") == [(EXPECTED, "f(1)", "3")]


SCRIPT = """{above}```js
const {{slug, trim}} = require('tally');

slug('A B'); //=> 'a-b'
slug('A'); // should be 'a'
slug('B'); // returns 'B', expected 'b'
slug({{
  deep: [1, 2],
}}); // should be null
const list = trim([1]); // should still be [1]
slug('//'); // some words
trim(2)
// → 3
```"""
OF_SCRIPT: list[Row] = [
    (EXPECTED, "slug('A')", "'a'"),
    (REPORTED, "slug('B')", "'B'"),
    (EXPECTED, "slug('B')", "'b'"),
    (EXPECTED, "slug({\n  deep: [1, 2],\n})", "null"),
    (KEPT, "list", "[1]"),
]


def test_comments_in_javascript() -> None:
    assert shown(SCRIPT.format(above="")) == OF_SCRIPT
    first, *rest = shown(SCRIPT.format(above="Expected:\n\n"))
    assert first == (EXPECTED, "slug('A B')", "'a-b'")
    assert rest == [*OF_SCRIPT, (EXPECTED, "trim(2)", "3")]
    examples = [one for one in read(SCRIPT.format(above="")) if isinstance(one, Example)]
    assert {one.language for one in examples} == {ExampleLanguage.JAVASCRIPT}
    assert all(one.before[0] == "const {slug, trim} = require('tally');" for one in examples)


def test_a_comment_below_has_an_object_as_javascript_writes_it() -> None:
    call, result = "hidden({ 'api-key': 1, API_KEY: 2 })", "{ 'api-key': '…', API_KEY: undefined }"
    text = f"Names should be compared without regard to case:\n\n```js\n{call}\n// {result}\n```"
    assert shown(text) == [(EXPECTED, call, result)]
    aside = text.replace(
        "should be compared without regard", "are different, compared with those of x,"
    )
    assert shown(aside) == []


def test_a_session_of_node() -> None:
    lines = "> const f = require('f')\nundefined\n> f(1)\n[ 1, 2 ]\n> f(2)\n{ a: 'b' }"
    text = f"Expected:\n```js\n{lines}\n```"
    assert shown(text) == [(EXPECTED, "f(1)", "[ 1, 2 ]"), (EXPECTED, "f(2)", "{ a: 'b' }")]


CONSOLE = """{above}```console
$ pip install tally
Successfully installed tally-1.0
$ cat prices.csv
a,1
b,2
$ tally sum prices.csv
3
$ echo "a,4" | tally sum -
4
```"""


@pytest.mark.parametrize(
    ("above", "kind"),
    [
        ("It should print:\n\n", EXPECTED),
        ("## Actual\n", REPORTED),
        ("This must keep working:\n\n", KEPT),
    ],
)
def test_command_lines(above: str, kind: ExampleKind) -> None:
    text = CONSOLE.format(above=above)
    assert shown(text) == [
        (kind, "tally sum prices.csv", "3"),
        (kind, 'echo "a,4" | tally sum -', "4"),
    ]
    first = read(text)[0]
    assert isinstance(first, Example)
    assert first.before == ("cat prices.csv\na,1\nb,2\n",)


@pytest.mark.parametrize(
    ("block", "why"),
    [
        ("console\n$ tally x > y\n3", WhyUnread.SHELL_SYNTAX),
        ("console\n$ tally $HOME\n3", WhyUnread.SHELL_SYNTAX),
        ("console\n$ cd x && tally\n3", WhyUnread.SHELL_SYNTAX),
        ("sh\n$ tally `ls`\n3", WhyUnread.SHELL_SYNTAX),
        ("sh\n$ tally *.csv\n3", WhyUnread.SHELL_SYNTAX),
        ("sh\n$ a | b | c\n3", WhyUnread.SHELL_SYNTAX),
        ("sh\n$ A=1 tally\n3", WhyUnread.SHELL_SYNTAX),
        ("text\n$ tally x\n1\n...\n9", WhyUnread.ABBREVIATED),
        ("text\n$ tally x\nwrote /home/ada/x", WhyUnread.ABBREVIATED),
        ("python\nf(1  # should be 2", WhyUnread.UNPARSABLE),
        ("pycon\n>>> f(1\n2", WhyUnread.UNPARSABLE),
    ],
)
def test_what_cannot_be_read_is_reported(block: str, why: WhyUnread) -> None:
    text = f"It should give:\n\n```{block}\n```"
    assert [one for one, _ in unread(text)] == [why]
    assert shown(text) == []


def test_what_holds_sometimes_is_reported() -> None:
    (one,) = unread("`f(1)` should return `2` when the cache is warm.")
    assert one == (WhyUnread.CONDITIONAL, "`f(1)` should return `2` when the cache is warm.")


NOTHING = {
    "traceback": 'But I get:\n\n```\nTraceback (most recent call last):\n  File "a.py", line 3, in f\n'
    "    return g(x)\nValueError: bad x\n```",
    "javascript stack": "Actual:\n\n```\nTypeError: x is not a function\n    at f (/app/index.js:3:5)\n```",
    "install": "Steps:\n\n```sh\n$ pip install tally\nCollecting tally\n$ npm install\nadded 3 packages\n```",
    "versions": "But I see:\n\n```console\n$ tally --version\ntally 1.2.3\n$ uname -a\nLinux\n```",
    "version in python": "Actual:\n\n```pycon\n>>> import tally\n>>> tally.__version__\n'1.0'\n```",
    "version table": "## Actual\n\n```\npython: 3.11\ntally: 1.2.3\n```",
    "workaround": "A workaround:\n\n```python\nf(1)  # => 2\n```",
    "alternative": "Alternatively, this should work:\n\n```js\nf(1) // => 2\n```",
    "another library": "In comparison, other libraries give:\n\n```pycon\n>>> f(1)\n2\n```",
    "older": "In 1.9 I got:\n\n```pycon\n>>> f(1)\n2\n```",
    "quoted reply": "> `f(1)` should return `2`.\n\nI do not agree.",
    "quoted session": ">>> f(1)\n2\n\nis what I see",
    "configuration": "It should accept:\n\n```toml\n[tool.tally]\nf = 1  # should be 2\n```",
    "yaml": "Expected:\n\n```yaml\nkey: f(1)  # should be 2\n```",
    "diff": "The fix should be:\n\n```diff\n-f(1)  # => 2\n+f(2)  # => 3\n```",
    "html": "Expected:\n\n```html\n<p>f(1) = 2</p>\n```",
    "other tool": "Expected output of mypy:\n\n```\na.py:3: error: f(1) returns int\nFound 1 error\n```",
    "log": "Currently:\n\n```\n2024-01-02 INFO f(1) returned 2\n```",
    "definition": "It should be:\n\n```python\ndef f(x):\n    return x + 1  # should be 2\n```",
    "imports": "It should be possible:\n\n```python\nfrom tally import f\nimport tally.g\n```",
    "call alone": "This should work:\n\n```python\nf(1)\n```",
    "prose comments": "This should work:\n\n```python\nf(1)  # works\nf(2)  # should be fast\n```",
    "prose comments in javascript": "Expected:\n\n```js\nf(1) // should not crash\nf(2) // => Error\n```",
    "json": 'It should give:\n\n```json\n{"f(1)": 2}\n```',
    "another language": "Expected:\n\n```ruby\nf(1) # => 2\n```",
    "prompt of another shell": "Expected:\n\n```\nC:\\> tally x\n3\n```",
    "prompt without output": "It should run:\n\n```console\n$ tally init\n$ tally sum\n```",
    "signature": "`f(x, *, strict=False)` should return a list.",
    "type": "`f(1)` should return a `list[int]`, and `g(x: int)` should be `Any`.",
    "call of another call": "`f(1)` should be the same as `g(1)`.",
    "either": "`f(1)` should return `None` or raise.",
    "wish": "## Nice to have\n\n```python\nf(1)  # should be 2\n```",
}  # fmt: skip


@pytest.mark.parametrize("name", NOTHING)
def test_nothing_is_read_of(name: str) -> None:
    assert shown(NOTHING[name]) == []


def test_only_those_who_ask_show() -> None:
    text = "`f(1)` should return `2`."
    assert len(requirements("Fix f", text).examples) == 1
    assert requirements("Fix f", text, trust=Trust.AUTHOR).examples == ()


@given(
    st.sampled_from(("python", "js", "console", "", "pycon")),
    st.text("f(1){[ '\"`]}#/=>$>.;\n\\ax", max_size=200),
)
def test_any_block_shows_something_or_nothing(told: str, text: str) -> None:
    for kind, call, _ in shown(f"It should give:\n\n```{told}\n{text}\n```"):
        assert kind in ExampleKind
        assert call


@given(st.text("\0`f(1) should return2,instead of.It\n", max_size=300))
def test_any_words_show_something_or_nothing(text: str) -> None:
    for kind, call, result in shown(text, demands=(text,)):
        assert kind in ExampleKind
        assert call
        assert result or kind is KEPT


def test_long_words_take_no_long_time() -> None:
    began = time.process_time()
    for piece in (
        "`f(1)` should ",
        "now then always ",
        "`f(1)` returns `2` ",
        "It ",
        "`" * 3,
        "f(",
        "if `f(1)` ",
    ):
        shown(piece * 10_000, demands=(piece * 10_000,))
    assert time.process_time() - began < 5


SAID = {
    "a class": (
        '`f(-1)` should raise `ValueError` with the message "n must be at least 0".',
        "ValueError",
    ),
    "no class": ('`f(-1)` should fail with "n must be at least 0".', ""),
    "code": ("`f(-1)` must throw an error with the message `n must be at least 0`.", ""),
    "bare": (
        "`f(-1)` should raise ValueError with \u201cn must be at least 0\u201d.",
        "ValueError",
    ),
}


@pytest.mark.parametrize("name", SAID)
def test_the_message_of_an_error_is_read(name: str) -> None:
    text, error = SAID[name]
    (one,) = read(text)
    assert isinstance(one, Example)
    assert (one.kind, one.error, one.message) == (EXPECTED, error, "n must be at least 0")


@pytest.mark.parametrize(
    "text",
    [
        '`f(-1)` should raise `ValueError` with the message "n must be at least {n}".',
        '`f(-1)` should raise `ValueError` with a message like "n must be at least 0".',
        '`f(-1)` should raise `ValueError` with the message "n must be ...".',
        "`f(-1)` should raise `ValueError`.",
    ],
)
def test_a_message_that_is_not_whole_is_no_part_of_an_example(text: str) -> None:
    assert not any(one.message for one in read(text) if isinstance(one, Example))


@pytest.mark.parametrize(
    ("text", "call", "result"),
    [
        ("`slug()` is wrong. `a b; c` should give `'a'`.", "", ""),
        ("`slug()` is wrong. `A|B` should give `'a-b'`.", "slug('A|B')", "'a-b'"),
        ("`slug()` is wrong. `'A'` should give `'a'`.", "slug('A')", "'a'"),
        ("`slug(x)`: `[1, 2]` must return 3.", "slug([1, 2])", "3"),
        ('`slug()` is wrong. `<a b="x; y">` should be `None`.', "slug('<a b=\"x; y\">')", "None"),
        ("`slug()` and `trim()` differ. `A|B` should give `'a-b'`.", "", ""),
        ("`slug()` is wrong. `title` should give `a-b`.", "", ""),
        ("`slug()` is wrong. `--flag` should give `a-b`.", "", ""),
        ("`slug()` is wrong. `A|B` should give `'a-b'` on Windows.", "", ""),
        ("`slug` is wrong. `A|B` should give `'a-b'`.", "", ""),
    ],
)
def test_what_an_input_gives_is_read_of_the_only_function(
    text: str, call: str, result: str
) -> None:
    found = [one for one in read(text) if isinstance(one, Example) and one.results]
    assert [(one.call, one.said_result) for one in found] == ([(call, result)] if call else [])
    assert all(one.kind is SHOWN for one in found)
