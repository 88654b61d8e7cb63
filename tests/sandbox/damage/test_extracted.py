"""An expression that was moved into a function of its own is the same code; what might differ is not."""

from __future__ import annotations

from difflib import SequenceMatcher

import pytest

from sandbox.damage.inside.altered import altered
from sandbox.damage.inside.source import Clock, Source, functions

SCRIPT = (
    "const KIND = 'space';\n\n%sfunction f(a, b) {\n  const n = b;\n  if (%s) {\n    return 1;\n  }\n"
    "  return 2;\n}\n"
)
PYTHON = (
    "KIND = 'space'\n\n\n%sdef f(a, b):\n    n = b\n    if %s:\n        return 1\n    return 2\n"
)
DEF = "def is_one(a, b):\n    return %s\n\n\n"


def tried(base: str, head: str, language: str = "python") -> list[str]:
    """What is tried of a change from one text to another."""
    old, new = (one.encode().splitlines(keepends=True) for one in (base, head))
    steps = SequenceMatcher(None, old, new, autojunk=False).get_opcodes()
    edits = [(a, b, c, d) for kind, a, b, c, d in steps if kind != "equal"]
    hunks = [(c + (d > c), d - c, b"".join(old[a:b])) for a, b, c, d in edits]
    ranges = [(c + 1, d) for _, _, c, d in edits]
    clock = Clock()
    root = clock.parse(head.encode(), language)
    assert root is not None and clock.parse(base.encode(), language) is not None
    source = Source(0, language, head.encode(), ranges, hunks, root, list(functions(root)))
    return [one.what for one in altered([source], clock)]


@pytest.mark.parametrize(
    ("gone", "function", "came"),
    [
        (
            "a && b === KIND && n === 1",
            "function isOne(one, two, three) { return one && two === KIND && three === 1; }",
            "isOne(a, b, n)",
        ),
        ("a && n > 1", "const isOne = (one, two) => one && two > 1;", "isOne(a, n)"),
        (
            "a && n > 1",
            "export function isOne(a, two) {\n  // both\n  return a && two > 1;\n}",
            "isOne(a, n)",
        ),
        ("(a || n) && b", "function either(one, two) { return one || two; }", "either(a, n) && b"),
        ("!(a || n)", "const either = (one, two) => (one || two);", "!either(a, n)"),
        ("a.size === 1 && n", "const isOne = (size, n) => size === 1 && n;", "isOne(a.size, n)"),
        ("a === 'x'", "const is = (one, two) => one === two;", "is(a, 'x')"),
        ("size(a) && n > 1", "const isOne = (one, two) => size(one) && two > 1;", "isOne(a, n)"),
    ],
)
def test_a_condition_of_a_script_that_got_a_function_is_not_tried(
    gone: str, function: str, came: str
) -> None:
    assert tried(SCRIPT % ("", gone), SCRIPT % (function + "\n\n", came), "javascript") == []


@pytest.mark.parametrize(
    ("gone", "function", "came"),
    [
        # Another value, another order, another precedence.
        ("a && n === 1", "const isOne = (one, two) => one && two === 2;", "isOne(a, n)"),
        ("a && n === 1", "const isOne = (one, two) => two && one === 1;", "isOne(a, n)"),
        ("!a || n", "const either = (one, two) => one || two;", "!either(a, n)"),
        ("a + n * 2", "const both = (one, two) => one + two;", "both(a, n) * 2"),
        # What is evaluated though it was not, or before it was.
        ("a && a.b === 1", "const isOne = (one, two) => one && two === 1;", "isOne(a, a.b)"),
        ("a && g(b)", "const both = (one, two) => one && two;", "both(a, g(b))"),
        ("a?.b.c", "const inner = one => one.c;", "inner(a?.b)"),
        ("a && late > 1", "const isOne = (one, two) => one && two > 1;", "isOne(a, late)"),
        ("typeof later === 'x'", "const is = one => typeof one === 'x';", "is(later)"),
        # What means something else in there.
        ("a.b(n)", "const call = (one, two) => one(two);", "call(a.b, n)"),
        ("this.x === a", "function is(one) { return this.x === one; }", "is(a)"),
        ("arguments[0] === a", "function is(one) { return arguments[0] === one; }", "is(a)"),
        ("same({a})", "const is = one => same({one});", "is(a)"),
        (
            "a && n > eval('1')",
            "const isOne = (one, two) => one && two > eval('1');",
            "isOne(a, n)",
        ),
        ("a && n && é", "const isOne = (one, two) => one && two && é;", "isOne(a, n)"),
        ("a > limit", "var limit = 3;\nconst isMore = one => one > limit;", "isMore(a)"),
        # What is not the whole of it, or not it.
        ("a && n", "function both(one, two) { count++; return one && two; }", "both(a, n)"),
        ("a && n", "const both = (one, two = 1) => one && two;", "both(a, n)"),
        ("a && n", "const both = async (one, two) => one && two;", "both(a, n)"),
        ("a && n", "let both = (one, two) => one && two;\nboth = g;", "both(a, n)"),
        (
            "a.some((x) => x > n)",
            "const any = (one, two) => one.some((x) => x > two);",
            "any(a, n)",
        ),
    ],
)
def test_a_function_that_may_do_something_else_is_tried(
    gone: str, function: str, came: str
) -> None:
    local = "  let limit = 4;\n  if (b) { var late = 1; let later = 2; }\n"
    base, head = SCRIPT % ("", gone), SCRIPT % (function + "\n\n", came)
    if "limit" in gone:
        base, head = (one.replace("  const n", local + "  const n") for one in (base, head))

    assert tried(base, head, "javascript")


def test_a_name_that_a_function_inside_sets_is_tried() -> None:
    base, head = (
        one.replace("const n = b;", "let n = b;\n  const g = () => (n = 3);")
        for one in (
            SCRIPT % ("", "b(g) && n > 1"),
            SCRIPT
            % ("const isOne = (one, two, three) => one(two) && three > 1;\n", "isOne(b, g, n)"),
        )
    )

    assert tried(base, head, "javascript")


@pytest.mark.parametrize(
    ("gone", "function", "came"),
    [
        ("a and b == KIND", DEF % "a and b == KIND", "is_one(a, b)"),
        (
            "a and n == 1",
            'def is_one(x: int, y: int) -> bool:\n    """Tell."""\n    return x and y == 1\n\n\n',
            "is_one(a, n)",
        ),
        ("a.b and n", DEF % "a and b", "is_one(a.b, n)"),
        ("(a or n) and b", DEF % "a or b", "is_one(a, n) and b"),
    ],
)
def test_a_condition_of_python_that_got_a_function_is_not_tried(
    gone: str, function: str, came: str
) -> None:
    assert tried(PYTHON % ("", gone), PYTHON % (function, came)) == []


@pytest.mark.parametrize(
    ("gone", "function", "came"),
    [
        ("a and n == 2", DEF % "a and b == 1", "is_one(a, n)"),
        ("not a or n", DEF % "a or b", "not is_one(a, n)"),
        ("a and a.b", DEF % "a and b", "is_one(a, a.b)"),
        ("a.b if n else 1", DEF % "a if b else 1", "is_one(a.b, n)"),
        ("a and late", DEF % "a and b", "is_one(a, late)"),
        ("a in locals() and n", DEF % "a in locals() and b", "is_one(a, n)"),
        ("any(a for a in n)", DEF % "any(a for a in b)", "is_one(a, n)"),
        ("a.n == 1 and n", DEF % "a.b == 1 and b", "is_one(a, n)"),
        ("a and n", "@cached\n" + DEF % "a and b", "is_one(a, n)"),
        ("a and n", DEF % "a and b" + "from others import *\n\n\n", "is_one(a, n)"),
        ("a and n", DEF % "a and b" + "is_one = max\n\n\n", "is_one(a, n)"),
    ],
)
def test_a_function_of_python_that_may_do_something_else_is_tried(
    gone: str, function: str, came: str
) -> None:
    local = "    if b:\n        late = 1\n    n = b\n"
    base, head = (
        one.replace("    n = b\n", local)
        for one in (PYTHON % ("", gone), PYTHON % (function, came))
    )

    assert tried(base, head)


@pytest.mark.parametrize(
    ("function", "is_there"),
    [
        ("function isOne(one, two) { return one && two > 1; }\n", True),
        ("const isOne = (one, two) => one && two > 1;\n", False),
    ],
)
def test_a_function_that_may_not_be_there_yet_is_tried(function: str, is_there: bool) -> None:
    base, head = SCRIPT % ("", "a && n > 1"), SCRIPT % ("", "isOne(a, n)")

    assert bool(tried(base, head + function, "javascript")) is not is_there
    late = PYTHON % ("", "is_one(a, n)") + "\n\n" + DEF % "a and b"
    assert tried(PYTHON % ("", "a and n"), late)


def test_what_else_is_changed_beside_it_is_tried() -> None:
    function = "const isOne = (one, two) => one && two > 1;"
    found = tried(
        SCRIPT % ("", "a && n > 1 && b > 2"),
        SCRIPT % (function + "\n\n", "isOne(a, n) && b > 3"),
        "javascript",
    )

    assert "`2` is still there instead of `3`" in found
