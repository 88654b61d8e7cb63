"""What base refuses, by conditions on which it raises or by calls that protect, and what is left of it."""

from __future__ import annotations

import pytest

from bot.values import rules
from tests.bot.integrity.test_callers import found

UNITS = "`parse` understands days and weeks"
STORE = '''import hmac

UNITS = {"s": 1, "m": 60}


def parse(number, unit):
    """Return seconds."""
    if unit not in UNITS:
        raise ValueError(f"unknown unit: {unit!r}")
    return number * UNITS[unit]


class Store:
    def read(self, name):
        if "/" in name or name.startswith("."):
            raise KeyError(name)
        if name not in self.notes:
            raise KeyError(name)
        return self.notes[name]

    def allowed(self, given):
        return hmac.compare_digest(given, self.token)
'''
SCRIPT = """export function parse(number, unit) {
  if (!(unit in UNITS)) throw new RangeError('unknown unit');
  return number * UNITS[unit];
}

export function read(name) {
  if (name.includes('/') || name.startsWith('.')) {
    throw new Error(name);
  }
  return notes[name];
}

export function allowed(given) {
  return timingSafeEqual(given, token);
}
"""
GONE = """    if unit not in UNITS:
        raise ValueError(f"unknown unit: {unit!r}")
    return number * UNITS[unit]
"""
LOST = {
    "a guard": ("shop.py", GONE, "    return number * UNITS.get(unit, 0)\n"),
    "a part of one": ("shop.py", '"/" in name or name', "name"),
    "a guard that asks for more": ("shop.py", "if unit not in UNITS", "if number and unit not in UNITS"),
    "a call that protects": ("shop.py", "hmac.compare_digest(given, self.token)", "self.token in given"),
    "a guard of a script": ("shop.js", "  if (!(unit in UNITS)) throw new RangeError('unknown unit');\n", ""),
    "a part of one of a script": ("shop.js", "name.includes('/') || ", ""),
    "a call of a script": ("shop.js", "timingSafeEqual(given, token)", "given.includes(token)"),
}  # fmt: skip
KEPT = {
    "another condition": ("shop.py", "if unit not in UNITS", "if UNITS.get(unit) is None"),
    "another text": ("shop.py", "unknown unit: {unit!r}", "no unit: {unit!r}"),
    "another order": (
        "shop.py",
        '"/" in name or name.startswith(".")',
        'name.startswith(".") or "/" in name',
    ),
    "one that refuses more": ("shop.py", 'name.startswith(".")', 'name.startswith(".") or not name'),
    "a function of its own": (
        "shop.py",
        GONE,
        "    return number * known(unit)\n\n\ndef known(unit):\n    if unit not in UNITS:\n"
        "        raise ValueError(unit)\n    return UNITS[unit]\n",
    ),
    "one more guard": (
        "shop.py",
        '        if "/" in name or name.startswith("."):\n            raise KeyError(name)\n',
        '        if name.startswith("."):\n            raise KeyError(name)\n'
        '        if ".." in name.split("/"):\n            raise KeyError(name)\n',
    ),
    "the function": (
        "shop.js",
        "export function allowed(given) {\n  return timingSafeEqual(given, token);\n}\n",
        "",
    ),
    "another text of a script": ("shop.js", "'unknown unit'", "'no unit'"),
}  # fmt: skip


def removed(edit: tuple[str, str, str], asked: str = UNITS) -> list[str]:
    path, was, now = edit
    base = STORE if path.endswith(".py") else SCRIPT
    assert was in base
    told = found(path, base, base.replace(was, now), asked)
    return [message for rule, message in told if rule == rules.GUARD_REMOVED]


@pytest.mark.parametrize("name", LOST)
def test_a_guard_that_goes_unasked_is_told(name: str) -> None:
    (message,) = removed(LOST[name])
    is_less = "part" in name or "more" in name
    assert (
        ", which base has, refuses less now" if is_less else ", which base has, is gone"
    ) in message


@pytest.mark.parametrize("name", KEPT)
def test_what_refuses_as_much_is_not(name: str) -> None:
    assert removed(KEPT[name]) == []


@pytest.mark.parametrize(
    "asked",
    [
        "`parse` accepts any letter",
        "Do not raise for letters that `parse` does not know",
        "`parse` takes an unknown letter for seconds",
    ],
)
def test_a_task_that_speaks_of_it_lets_it_go(asked: str) -> None:
    assert removed(LOST["a guard"], asked) == []


def test_what_must_be_refused_still_is_no_word_for_letting_it_through() -> None:
    asked = "Support notes in folders. Names that lead out must still be refused as they are now."

    assert removed(LOST["a part of one"], asked)


@pytest.mark.parametrize("name", ["a call that protects", "a call of a script"])
def test_a_task_of_errors_is_no_word_for_a_call_that_protects(name: str) -> None:
    assert removed(LOST[name], "A wrong signature raises an error")
    assert not removed(
        LOST[name], "Digests need not be compared in constant time, tokens are secure"
    )
