"""Which statements of Python do the same in other words, so that no test could tell them apart."""

from __future__ import annotations

import pytest

from sandbox.damage.inside.same_steps import SidesOfFile

HEAD = """\
class Page:
    def __init__(self, size):
        self.size = size

    def lines(self, entries, day):
        found = ["BEGIN"]
        for number, entry in enumerate(entries):
            found += self._entry(f"{day.isoformat()}-{number}", entry)
        found.append("END")
        return found

    def _entry(self, uid, entry):
        \"""Return the lines of an entry.\"""
        end = entry.minute + entry.size
        return [f"ID:{uid}@page", f"TO:{stamp(entry.day, end)}"]


def width(page, scale):
    return clip(page.size * scale)
"""
CALLED = '            found += self._entry(f"{day.isoformat()}-{number}", entry)\n'
IN_STEPS = (
    '            found.append(f"ID:{day.isoformat()}-{number}@page")\n'
    '            found.append(f"TO:{stamp(entry.day, entry.minute + entry.size)}")\n'
)
RETURNED = "    return clip(page.size * scale)\n"


def are_same(now: str, then: str, head: str = HEAD, more: str = "") -> bool:
    """Tell whether `then`, as on base, does what `now` does; base also has `more`, and no `_entry`."""
    assert head.count(now) == 1
    with_part = head.replace(now, then)
    begin, end = head.find("    def _entry"), head.find("def width")
    base = with_part.replace(head[begin:end], "") + more
    return SidesOfFile(base.encode(), head.encode()).are_same(with_part.encode())


def test_a_function_that_was_taken_out_of_another_does_the_same() -> None:
    assert are_same(CALLED, IN_STEPS)


@pytest.mark.parametrize(
    ("was", "other"),
    [
        ("entry.minute + entry.size", "entry.minute - entry.size"),
        ("entry.minute + entry.size", "entry.size + entry.minute"),
        ("entry.day, entry.minute", "entry.minute, entry.minute"),
        ("@page", "@pages"),
        ("-{number}", "-{number + 1}"),
        ("{day.isoformat()}", "{day.isoformat()!r}"),
        ("day.isoformat()", "entry.isoformat()"),
        ("stamp(", "stamped("),
        ("            found", "            check(entry)\n            found"),
        (
            "            found",
            "            if number > 9:\n                break\n            found",
        ),
        ("            found", "        found"),
        ("found.append", "found.insert"),
    ],
)
def test_what_the_function_does_otherwise_is_another_thing(was: str, other: str) -> None:
    assert not are_same(CALLED, IN_STEPS.replace(was, other, 1))


def test_lines_in_another_order_are_another_thing() -> None:
    first, second = IN_STEPS.splitlines(keepends=True)
    assert not are_same(CALLED, second + first)


@pytest.mark.parametrize(
    ("then", "is_same"),
    [
        ("    wide = page.size * scale\n    return clip(wide)\n", True),
        ("    wide = clip(page.size * scale)\n    return wide\n", True),
        ("    size = page.size\n    return clip(size * scale)\n", True),
        ("    wide = page.size + scale\n    return clip(wide)\n", False),
        ("    wide = page.size * scale\n    page.size = 0\n    return clip(wide)\n", False),
        ("    wide = clip(page.size * scale)\n    return clip(wide)\n", False),
        ("    page.load()\n    return clip(page.size * scale)\n", False),
        ("    return page.size * scale\n", False),
        (
            "    if scale < 0:\n        raise ValueError(scale)\n    return clip(page.size * scale)\n",
            False,
        ),
        ("    return clip(page.size * scale) if scale else 0\n", False),
        ("    return clip(page.size * max(scale, 1))\n", False),
    ],
)
def test_a_value_may_have_a_name(then: str, is_same: bool) -> None:
    assert are_same(RETURNED, then) is is_same


@pytest.mark.parametrize(
    ("now", "then", "is_same"),
    [
        ("    b = a.size\n    grow(a)\n    return b\n", "    grow(a)\n    return a.size\n", False),
        ("    b = a.size\n    grow(1)\n    return b\n", "    grow(1)\n    return a.size\n", True),
        ("    b = next(a)\n    return [next(a), b]\n", "    return [next(a), next(a)]\n", False),
        ("    b = next(a)\n    return [b, next(a)]\n", "    return [next(a), next(a)]\n", True),
        ("    b = c = []\n    keep(b)\n    return c\n", "    keep([])\n    return []\n", False),
        ("    b = []\n    keep(b)\n    b.append(1)\n", "    b = [1]\n    keep(b)\n", False),
        ("    b = a\n    b += [1]\n    return a[0]\n",
         "    c = a[0]\n    b = a\n    b += [1]\n    return c\n", False),
        ("    b = c = []\n    return c\n", "    b = c = []\n    b.append(1)\n    return c\n", False),
        ("    b, c = [a, 1]\n    b.append(2)\n", "    b, c = [a, 1]\n    b += [2]\n", False),
        ("    return g(1)\n", "    b = a[0]\n    return g(1)\n", False),
        ("    return g(1)\n", "    b = a.size\n    return g(1)\n", False),
        ("    b = [1, 2]\n    return b\n", "    b = [1]\n    b.append(2)\n    return b\n", True),
        ("    try:\n        b = [f(a)]\n    finally:\n        keep(a)\n    return b\n",
         "    try:\n        c = f(a)\n        b = [c]\n    finally:\n        keep(a)\n    return b\n", False),
        ("    c = 0\n    for b in a:\n        keep(c)\n        c = b\n",
         "    c = 0\n    for b in a:\n        keep(c)\n        c = a\n", False),
        ("    global b\n    keep(a)\n    b = a\n",
         "    global b\n    c = a\n    keep(c)\n    b = c\n", False),
    ],
)  # fmt: skip
def test_steps_are_the_same_only_where_no_other_code_could_tell(
    now: str, then: str, is_same: bool
) -> None:
    head = f"def f(a):\n{now}"
    assert are_same(now, then, head) is is_same


WRITTEN = (
    "def write(path, rows):\n    with open(path) as file:\n        writer(file).writerows(rows)\n"
)
MADE = '    lines = ["a,b"]\n    for row in rows:\n        lines.append(",".join([str(row[0]), row["b"]]))\n'


@pytest.mark.parametrize(
    ("made", "reader", "is_same"),
    [
        (MADE, "    file.write(lines)\n", True),
        (MADE, "", False),  # on base nothing reads it, either: it was there for something else
        (MADE.replace("str(", "int("), "    file.write(lines)\n", False),
        (MADE.replace("lines.append", "rows.append"), "    file.write(lines)\n", False),
        (MADE.replace("lines.append", "row.b = (lines.append"), "    file.write(lines)\n", False),
        (
            f"{MADE}    if not lines[1:]:\n        raise ValueError(rows)\n",
            "    file.write(lines)\n",
            False,
        ),
        (MADE.replace("lines", "rows"), "    file.write(rows)\n", False),
    ],
)
def test_what_only_a_reader_that_is_gone_needed_says_nothing(
    made: str, reader: str, is_same: bool
) -> None:
    start = "def write(path, rows):\n"
    head, with_part = WRITTEN, WRITTEN.replace(start, start + made)
    base = f"{start}{made}    with open(path) as file:\n    {reader or '    pass'}\n"
    assert SidesOfFile(base.encode(), head.encode()).are_same(with_part.encode()) is is_same


@pytest.mark.parametrize("text", ["def f(:\n", "\0", "def f(): pass\n" * 2, "x = " + "(" * 5_000])
def test_of_what_cannot_be_read_nothing_is_known(text: str) -> None:
    assert not SidesOfFile(text.encode(), HEAD.encode()).are_same(HEAD.encode())
    assert not SidesOfFile(HEAD.encode(), HEAD.encode()).are_same(text.encode())
