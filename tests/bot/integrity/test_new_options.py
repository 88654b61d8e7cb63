"""What was asked for, and works only where callers ask for it in a way of which nobody spoke."""

from __future__ import annotations

import pytest

from bot.integrity import inspect_integrity
from bot.values import (
    Category,
    FourWay,
    Requirement,
    Requirements,
    TestChange,
    TestComparison,
    Trust,
    rules,
)
from sandbox.values import Diff
from tests.bot.integrity.test_integrity import Tree, changed

ASKED = "`merge` keeps nested settings"
PYTHON = "def merge(one, other):\n    return {**one, **other}\n"
DEEP = PYTHON.replace("other)", "other, deep=False)").replace(
    "    return", "    if deep:\n        return nested(one, other)\n    return"
)
SCRIPT = "export function merge(one, other) {\n  return { ...one, ...other };\n}\n"


def found(
    path: str,
    sides: tuple[str, str],
    test: str,
    asked: str = ASKED,
    *,
    rule: str = rules.OPTION_UNASKED,
    said: str = "Each test",
) -> bool:
    """Whether a person is asked about a change that makes one test pass."""
    before, after = sides
    wanted = Requirements((Requirement("R1", asked, Category.BEHAVIOUR, "issue #1", Trust.ASKER),))
    turned = TestComparison(
        "tests/test_it.py::test_it",
        TestChange.FAIL_TO_PASS,
        path="tests/test_it.py",
        source=test,
    )
    findings = inspect_integrity(
        Diff((changed(path, before, after),)),
        Tree({path: before}),
        Tree({path: after}),
        FourWay((turned,)),
        wanted,
    )
    return any(one.rule == rule and said in one.message for one in findings)


@pytest.mark.parametrize(
    ("path", "sides", "test"),
    [
        ("merge.py", (PYTHON, DEEP), "def test_it():\n    assert merge(A, B, deep=True) == C\n"),
        (
            "config.py",
            ("class Config:\n    a = 1\n", "class Config:\n    a = 1\n    deep = False\n"),
            "def test_it(monkeypatch):\n    monkeypatch.setattr(Config, 'deep', True)\n",
        ),
        (
            "config.py",
            (
                PYTHON,
                "DEFAULTS = dict(deep=False)\n" + PYTHON.replace("**one", "**DEFAULTS, **one"),
            ),
            "def test_it():\n    assert merge(dict(deep=True), B) == C\n",
        ),
        (
            "merge.mjs",
            (SCRIPT, SCRIPT.replace("other) {", "other, { deep = false } = {}) {")),
            "test('it', () => {\n  assert.equal(merge(a, b, { deep: true }), c);\n});",
        ),
        (
            "merge.mjs",
            (SCRIPT, SCRIPT.replace("  return", "  if (other.x || options.deep) f();\n  return")),
            "test('it', () => {\n  assert.equal(merge(a, b, { deep: true }), c);\n});",
        ),
    ],
)
def test_it_is_asked_about(path: str, sides: tuple[str, str], test: str) -> None:
    assert found(path, sides, test)
    assert not found(path, sides, test, "`merge` takes an option to keep nested settings")
    assert not found(path, sides, test, "Merge deep, so that nested settings stay")
    assert not found(path, sides, test, "Nested settings are lost. Let me say deep=True for them")
    assert not found(path, sides, "def test_it():\n    assert merge(A, B) == C\n")


@pytest.mark.parametrize(
    ("sides", "test"),
    [
        ((PYTHON, PYTHON + "\n\ndef both(one, deep=1):\n    pass\n"), "both(A, deep=2)"),
        (
            (PYTHON, PYTHON.replace("    return", "    deep = one\n    return")),
            "deep = merge(A, B)",
        ),
        (
            (PYTHON, PYTHON.replace("    return", "    deep = one()\n    return")),
            "clock.deep = 1; merge(clock, B)",  # a variable of the function is nobody's option
        ),
        ((DEEP, DEEP.replace("deep=False", "deep=True")), "merge(A, B, deep=True)"),
        (
            (PYTHON, PYTHON.replace("    return", "    log(open(one, deep=1))\n    return")),
            "open(A, deep=1)",  # what it gives to another call it does not take
        ),
    ],
)
def test_what_is_no_new_option_is_left_alone(sides: tuple[str, str], test: str) -> None:
    assert not found("merge.py", sides, f"def test_it():\n    {test}\n")


# --- what only the tests call ------------------------------------------------------------------

ANY_CASE = "The Authorization header is not found in lower case"
HANDLER = "def handle(headers):\n    return headers.get('Authorization')\n"
APART = (
    HANDLER + "\n\ndef normalize(headers):\n    return {k.title(): v for k, v in headers.items()}\n"
)
CALLS_IT = "def test_it():\n    assert handle(normalize({'authorization': 'a'})) == 'a'\n"


def only_for_tests(
    head: str, test: str = CALLS_IT, asked: str = ANY_CASE, path: str = "a.py"
) -> bool:
    before = SCRIPT if path.endswith("js") else HANDLER
    return found(path, (before, head), test, asked, rule=rules.ONLY_TESTS_CALL)


def test_a_function_that_only_the_tests_call_is_asked_about() -> None:
    assert only_for_tests(APART)
    assert only_for_tests(APART + "\n__all__ = ['normalize']\n")
    script = SCRIPT + "export const clean = (one) => one.trim();\n"
    assert only_for_tests(script, "test('it', () => merge(clean(a), b));", path="a.mjs")


@pytest.mark.parametrize(
    ("head", "test", "asked"),
    [
        (APART.replace("headers.get", "normalize(headers).get"), CALLS_IT, ANY_CASE),
        (APART, "def test_it():\n    assert handle({'authorization': 'a'}) == 'a'\n", ANY_CASE),
        (APART, CALLS_IT, "Add something for the Authorization header in lower case"),
        (APART, CALLS_IT, "The Authorization header is not normalized"),
        (APART.replace("\ndef norm", "\n@filter\ndef norm"), CALLS_IT, ANY_CASE),
        (APART, "def test_it():\n    assert normalize({'a': 1}) == {'A': 1}\n", ANY_CASE),
        (APART.replace(".get('Auth", ".get(KEY, 'Auth"), CALLS_IT, ANY_CASE),
    ],
    ids=["called", "not by the test", "new is asked for", "named", "marked", "alone", "mended"],
)
def test_what_is_called_or_asked_for_is_left_alone(head: str, test: str, asked: str) -> None:
    assert not only_for_tests(head, test, asked)


# --- what a function newly takes, and nobody tries ------------------------------------------------

TRIED = "def test_it():\n    assert merge(A, B) == C\n"
NESTS = PYTHON.replace("{**one", "{**nested(one)")


def newly_takes(path: str, before: str, after: str, asked: str = ASKED) -> bool:
    return found(path, (before, after), TRIED, asked, said="newly takes")


@pytest.mark.parametrize(
    ("path", "before", "after"),
    [
        ("merge.py", PYTHON, NESTS.replace("other):", "other, strict=False):")),
        ("merge.py", PYTHON, NESTS.replace("other):", "other, *, strict=None):")),
        ("merge.mjs", SCRIPT, SCRIPT.replace("other)", "other, { strict } = {})")),
        (
            "merge.mjs",
            SCRIPT.replace("other)", "{ other } = {})"),
            SCRIPT.replace("other)", "{ other, strict } = {})"),
        ),
    ],
)
def test_what_a_function_newly_takes_is_asked_about(path: str, before: str, after: str) -> None:
    assert newly_takes(path, before, after)
    assert not newly_takes(path, before, after, "Be strict with nested settings")
    assert not newly_takes(path, before, after, "An option for nested settings")


@pytest.mark.parametrize(
    "after",
    [
        NESTS.replace("other):", "another):"),
        NESTS.replace("other):", "other, strict):"),
        NESTS.replace("other):", "other, *rest, **more):"),
        NESTS.replace("other):", "other=None):"),
        NESTS.replace("merge(one, other)", "merge(one, other, _strict=1)"),
        NESTS.replace("other):", "other, strict=0):") + "\n\nmerge(A, B, strict=1)\n",
        NESTS.replace("other):", "other, strict=0):") + "\n\nmerge(A, B, 1)\n",
        NESTS.replace("merge(one, other)", "merge(first=None, other=None, *, own)"),
    ],
    ids=[
        "renamed",
        "must be given",
        "the rest",
        "no longer needed",
        "its own",
        "given by the code",
        "given by its place",
        "renamed beside another",
    ],
)
def test_what_is_needed_or_no_option_is_left_alone(after: str) -> None:
    assert not newly_takes("merge.py", PYTHON, after)


@pytest.mark.parametrize(
    ("call", "is_asked"), [("Settings.read(name)", False), ("Settings.read()", True)]
)
def test_the_first_argument_of_a_method_is_given_by_its_place_too(
    call: str, is_asked: bool
) -> None:
    before = "class Settings:\n    @classmethod\n    def read(cls):\n        return cls()\n"
    after = (
        before.replace("(cls)", "(cls, path=None)") + f"\n\ndef load(name):\n    return {call}\n"
    )
    assert newly_takes("settings.py", before, after) is is_asked


@pytest.mark.parametrize(
    ("test", "is_asked"),
    [
        ("test('it', () => is(merge(a, {b: [1, 2]}, { strict: true }), c));", False),
        ("test('it', () => is(merge(a, {b: [1, 2]}), c));", True),
        ("test('it', () => is(merge(\n", True),
    ],
)
def test_what_a_test_gives_by_its_place_is_left_alone(test: str, is_asked: bool) -> None:
    after, path = SCRIPT.replace("other)", "other, options)"), "test/merge.js"
    files = (changed("merge.mjs", SCRIPT, after), changed(path, "", test))
    trees = Tree({"merge.mjs": SCRIPT}), Tree({"merge.mjs": after, path: test})
    wanted = Requirements((Requirement("R1", ASKED, Category.BEHAVIOUR, "issue #1", Trust.ASKER),))
    findings = inspect_integrity(Diff(files), *trees, FourWay(()), wanted)

    assert any(one.rule == rules.OPTION_UNASKED for one in findings) is is_asked


# --- what a function of the project's own newly takes, and no call gives -------------------------

PRIVATE = (
    "def _shown(one):\n    return str(one)\n\n\ndef show(one, width):\n    return _shown(one)\n"
)
WIDE = PRIVATE.replace("(one):", "(one, width=None):").replace("str(one)", "str(one)[:width]")
IN_SCRIPT = (
    "module.exports = function (one, width) {\n  return shown(one);\n};\n\n"
    "function shown (one) {\n  return String(one); // shown(one, 1)\n}\n"
)
WIDER = IN_SCRIPT.replace("n (one) {", "n (one, width) {").replace("ing(one)", "ing(one, width)")
OF_CLASS = (
    "class Shop:\n    def show(self, one):\n        return self._shown(one)\n\n"
    "    def _shown(self, one):\n        return str(one)\n"
)
CALLED = OF_CLASS.replace("_shown", "__call__")
OF_WIDTH = "Cut what is shown at an argument `width`"


def never_given(path: str, before: str, after: str) -> bool:
    return found(
        path,
        (before, after),
        TRIED,
        OF_WIDTH,
        rule=rules.ONLY_TESTS_CALL,
        said="no code that ships",
    )


@pytest.mark.parametrize(
    ("path", "before", "after"),
    [
        ("shop.py", PRIVATE, WIDE),
        ("shop.py", OF_CLASS, OF_CLASS.replace("shown(self, one)", "shown(self, one, width=0)")),
        ("shop.js", IN_SCRIPT, WIDER),
    ],
)
def test_a_parameter_that_no_call_gives_is_asked_about_whatever_the_task_says(
    path: str, before: str, after: str
) -> None:
    assert never_given(path, before, after)
    assert not never_given(path, "", after)


@pytest.mark.parametrize(
    ("path", "before", "after"),
    [
        ("shop.py", PRIVATE, WIDE.replace("_shown(one)\n", "_shown(one, width)\n")),
        ("shop.py", PRIVATE, WIDE.replace("_shown(one)\n", "_shown(one, width=width)\n")),
        ("shop.py", PRIVATE, WIDE.replace("_shown(one)\n", "_shown(*[one, width])\n")),
        ("shop.py", PRIVATE, WIDE.replace("_shown(one)\n", "map(_shown, one, width)\n")),
        ("shop.py", PRIVATE, WIDE + "\n\nPLUGINS = {'_shown': 2}\n"),
        ("shop.py", CALLED, CALLED.replace("(self, one)", "(self, one, width=0)")),
        ("shop.js", IN_SCRIPT, WIDER.replace("shown(one);", "shown([one, 1], width);")),
        ("shop.js", IN_SCRIPT, WIDER.replace("shown(one);", "shown(...[one, width]);")),
        ("shop.js", IN_SCRIPT, WIDER.replace("shown(one);", "[one].map(shown);")),
        ("shop.js", IN_SCRIPT, WIDER + "module.exports.shown = shown;\n"),
    ],
    ids=[
        "by place", "by name", "starred", "handed on", "named in a text", "called as an object", "script",
        "spread",
        "script hands it on", "exported",
    ],
)  # fmt: skip
def test_a_parameter_that_a_call_may_give_is_left_alone(path: str, before: str, after: str) -> None:
    assert not never_given(path, before, after)


@pytest.mark.parametrize(
    ("asked", "after", "is_asked"),
    [
        ("Add `limit`. Without `limit` nothing changes.", "one, other, limit=30", True),
        ("`limit` is off by default.", "one, other, limit: float = 0.5", True),
        ("Add `limit`. Without `limit` nothing changes.", "one, other, limit=None", False),
        ("Add `limit`. Without `limit` nothing changes.", "one, other, limit=0", False),
        ("Add `limit`.", "one, other, limit=30", False),
        ("Add `most`. Without `most` nothing changes.", "one, other, limit=30", False),
    ],
)
@pytest.mark.parametrize("path", ["merge.py", "merge.mjs"])
def test_a_default_is_nothing_where_all_is_to_stay(
    path: str, asked: str, after: str, is_asked: bool
) -> None:
    before = PYTHON
    if path.endswith(".mjs"):
        before, after = SCRIPT, after.replace(": float", "").replace("None", "undefined")
    sides = before, before.replace("one, other)", f"{after})")
    test = "def test_it():\n    assert merge(A, B, limit=3) == C\n"
    said = "where it is not given, and the task says"
    assert found(path, sides, test, asked, rule=rules.DEFAULT_CHANGED, said=said) is is_asked
