"""Values near a value, each of its own type: what a fix for a whole class of inputs treats alike.

A change of one character, digit or element keeps what makes most inputs special (a sign, a suffix, a
length), so that a fix for all inputs of a kind is seen at many of these values.
"""

from __future__ import annotations

import contextlib
import datetime
import math
import re
import unicodedata
from collections.abc import Iterable, Iterator
from decimal import Decimal
from fractions import Fraction
from functools import cache
from itertools import islice, zip_longest
from typing import Any

from sandbox.elsewhere.inside.objects import Buffer, Instance, Iterated

MOST = 30
"""The most values near one."""
_STEPS = (
    1, -1, 2, -2, 3, -3, 5, -5, 4, 7, 10, -10, 100, -100, 6, 8, 9, 12, 15, 20, 50, 1000, 10_007,
)  # fmt: skip
_SHIFTS = (3, 7, 11)
_MOST_PLACES = 8
_DEEPEST, _DEEPEST_SWAPPED = 3, 8  # what is swapped in a part alone would not fit the rest any more
_MOST_DIGITS = 60
_SHORT = 8
_LETTERS = (1, 3, 5, 8, 11, 14)
_KINDS = ("Ll", "Lu", "Lo", "Mn")
_FAR = 48
_FOREIGN = str.maketrans("aeouAEOU", "äéöüÄÉÖÜ")
_WORDS = ("a", "b", "x1", "0", "7", " ", "abc", "Zoe", "two words", "alpha", "Berlin", "a-b", "a_b")
_WORDS_MORE = ("a.b", "a,b", "12", "3.5", "-1", "#", "x y z", "Über", "left", "/", "a=b", "true")
_ITEMS = (0, 1, 2, 10, "a", "b", "abc", 0.5)


def near(value: object, depth: int = 0) -> list[Any]:
    """Return values near a plain one, the most telling first; none for other types."""
    found: list[Any] = []
    for one in islice(_near(value, depth), 4 * MOST):
        is_new = all(type(one) is not type(known) or one != known for known in (value, *found))
        if is_new and not (isinstance(one, float) and not math.isfinite(one)):
            found.append(one)
    return found[:MOST]


def neighbors(value: object, words: Iterable[object]) -> Iterator[tuple[Any, int]]:
    """Yield values near one, words of its type among them; with -1 or 1 where it is a number's next."""
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    own = [one for one in words if type(one) is type(value) and one != value]
    values = near(value)
    texts = [one for one in own if isinstance(one, str)]
    measured = (*_measured(value, texts), *_marked(value, texts)) if isinstance(value, str) else ()
    apart = _apart(value, words) if is_number else ()
    for other in (*values[:4], *own[:4], *apart, *measured, *values[4:]):
        yield other, (other > value) - (other < value) if is_number and other in values[:2] else 0


def _apart(value: Any, words: Iterable[object]) -> Iterator[Any]:
    """Yield what is a number of the change away from a number: what goes round at 60 does so at 120, too."""
    steps = (one for one in words if type(one) is int and one > _STEPS[0])
    for step in islice(steps, _MOST_SHARED):
        yield from (value + step, value - step, value + 2 * step, value + 10 * step)


def is_alike(value: Any, other: Any) -> bool:
    """Tell whether it is the same number negated, or the same text in other writing."""
    if type(value) is not type(other) or isinstance(value, bool):
        return False
    if isinstance(value, str | bytes):
        return bool(value.strip().lower() == other.strip().lower())
    return isinstance(value, int | float | Decimal | Fraction) and bool(other == -value)


_WORD = re.compile(r"(?<!\w)[^\W\d_]\w{2,30}(?!\w)")
_MOST_SHARED = 2
_LONGEST_READ = 2_000  # characters of a value
_WHOLE = re.compile(r"-?\d{1,9}")
ALONE = re.compile(r"(?<![\w.])\d{1,6}(?![\w.])")
"""A number that stands by itself in a text."""
_MEASURE = re.compile(r"\d([^\W\d_]{1,8})(?!\w)")
_LONGEST_UNIT = 8
_NUMBER = re.compile(r"(?<![\w.+-])\d")
_TOUCHING = re.compile(r"(?<=\d)(?=[^\W\d_])|(?<=[^\W\d_])(?=\d)")


def swapped(value: Any, name: str, other: str, depth: int = 0) -> Any:
    """Return a plain value with another word (or whole number) in place of one; the same without it.

    Words are swapped in texts and as keys.
    """
    if isinstance(value, str):
        is_word = any(letter.isalnum() for letter in name)
        whole = rf"(?<!\w){re.escape(name)}(?!\w)" if is_word else re.escape(name)
        return type(value)(re.sub(whole, lambda _: other, value))
    if type(value) is int and name == str(value) and _WHOLE.fullmatch(other):
        return int(other)
    if depth >= _DEEPEST_SWAPPED:
        return value
    if type(value) in (list, tuple, Iterated):
        return type(value)(swapped(one, name, other, depth + 1) for one in value)
    if isinstance(value, Instance):
        state = value.state.items()
        value = Instance(
            value.place, {at: swapped(one, name, other, depth + 1) for at, one in state}
        )
    elif isinstance(value, dict) and not (name in value and other in value):
        return {
            swapped(key, name, other, depth + 1): swapped(one, name, other, depth + 1)
            for key, one in value.items()
        }
    return value


def shared_words(values: Iterable[object]) -> Iterator[tuple[str, str]]:
    """Yield a word that several values have, with another for it.

    What holds between them (one begins with the other, a key is there) is lost where only one is varied.
    """
    first: dict[str, int] = {}
    shared: dict[str, None] = {}
    for number, value in enumerate(values):
        for word in dict.fromkeys(_WORD.findall(repr(value)[:_LONGEST_READ])):
            if first.setdefault(word, number) != number:
                shared[word] = None
    for word in islice(shared, _MOST_SHARED):
        others = ["".join(_next(one, shift) for one in word) for shift in _SHIFTS]
        for other in (*others, f"{word}a", f"x{word}", word[::-1], f"{word}7"):
            if other != word:
                yield word, other


def _measured(text: str, words: Iterable[str]) -> Iterator[str]:
    """Yield a text with another word of the change behind its number, and what else people write for that."""
    found = _MEASURE.search(text)
    if found is None:
        return
    units = (o for o in words if o.isalpha() and o != found[1] and len(o) <= _LONGEST_UNIT)
    for unit in islice(units, _MOST_SHARED):
        other = text[: found.start(1)] + unit + text[found.end(1) :]
        yield other
        yield from _written_otherwise(other)


def _marked(text: str, words: Iterable[str]) -> Iterator[str]:
    """Yield a text with a sign of the change twice, not at all, and with something else behind it."""
    signs = (o for o in words if o in text and not re.search(r"\w|\s", o))
    for sign in islice(signs, _MOST_SHARED):
        start = text.rindex(sign)
        before, after = text[:start], text[start + len(sign) :]
        yield from (f"{before}{sign}{sign}{after}", f"{before}{sign}g{after}")
        yield from (f"{before}{sign}{after[1:]}", before + after)


def _written_otherwise(text: str) -> Iterator[str]:
    """Yield a text with space around, in the other case, with a sign, and with its number apart."""
    yield f" {text} "
    yield text.swapcase()
    yield _NUMBER.sub(r"-\g<0>", text, count=1)
    yield _TOUCHING.sub(" ", text)


def _near(value: Any, depth: int) -> Iterator[Any]:
    kind = type(value)
    if value is None or kind is bool:
        # Code that asks for truth takes these for nothing, too.
        yield from (0, False, "") if value is None else (not value,)
    elif kind is int:
        yield from _near_number(value)
    elif kind is float and math.isfinite(value):
        yield from map(float, _near_number(value))
        yield from (value + 0.5, value - 0.5, value + 0.01, value / 2)
    elif kind is Fraction or (
        kind is Decimal and value.is_finite() and abs(value.adjusted()) < _MOST_DIGITS
    ):
        yield from _near_number(value)
        yield from (value + kind("0.5"), value - kind("0.01"), value / 2)
    elif kind is str:
        yield from _near_text(value, _in_other_letters(value))
    elif kind is bytes:
        yield from (one.encode("latin-1", "ignore") for one in _near_text(value.decode("latin-1")))
    elif kind in (datetime.date, datetime.datetime, datetime.time, datetime.timedelta):
        yield from _near_time(value)
    elif depth < _DEEPEST:
        yield from _near_whole(value, depth + 1)


def _near_whole(value: Any, depth: int) -> Iterator[Any]:
    """Values near one that has parts, each with one of them changed."""
    kind = type(value)
    if kind in (list, tuple, Iterated):
        yield from map(kind, _near_items(list(value), depth))
    elif kind is set:
        items = _near_items(sorted(value, key=repr), depth)
        yield from (set(one) for one in items if one)
    elif kind is dict and not _knows_its_keys(value):
        yield from _near_members(value, depth)
    elif kind is Buffer:
        for one in near(value.content, depth):
            yield value._replace(content=one, position=min(value.position, len(one)))
    elif kind is Instance:
        # What an object keeps for itself mostly follows from the rest of it.
        own = {name: one for name, one in value.state.items() if not name.startswith("_")}
        for state in _changed(own, depth):
            yield Instance(value.place, {**value.state, **state})


def _near_number(value: Any) -> Iterator[Any]:
    yield from (value + step for step in _STEPS[:6])
    yield from (-value, value * 2, value * 10, value * 0, value * 3)
    yield from (value + step for step in _STEPS[6:])
    yield from (value * 0 + 1, value * 0 + 2, value * 10 + 7)


def _near_text(text: str, first: Iterable[str] = ()) -> Iterator[str]:
    if "\n" in text.strip():
        yield from islice(_near_lines(text), _MOST_PLACES)
    places = [at for at, one in enumerate(text) if one.isalnum()][:_MOST_PLACES]
    changed = (text[:at] + _next(text[at], 1) + text[at + 1 :] for at in places)
    around = (f"{text}a", text[:-1], f"a{text}", text[1:], text + text, f"{text} {text}")
    shifted = ("".join(_next(one, shift) for one in text) for shift in _SHIFTS)
    longer = (f"{text}7", f"7{text}", f"x{text}y", text[: len(text) // 2], text[::-1])
    spaced = (text.replace(" ", ""), f"{text} b", f"{text}-{text}", "")
    unusual = (*_written_otherwise(text), text.replace(" ", "\t"), f"{text}\n")
    cased = (text.translate(_FOREIGN), text.upper())
    if not text:
        yield from (*_WORDS, *_WORDS_MORE)
    numbers = map(str, _near_number(int(text))) if _WHOLE.fullmatch(text) else ()
    for group in zip_longest(
        first,
        numbers,
        _with_other_numbers(text),
        changed,
        around,
        cased,
        shifted,
        unusual,
        longer,
        spaced,
    ):
        yield from (one for one in group if one is not None)
    yield from (*_WORDS, *_WORDS_MORE) if len(text) < _SHORT else ()


def _with_other_numbers(text: str) -> Iterator[str]:
    """Yield a text with other numbers in place of the first one that stands by itself: `5 per second`."""
    found = None if _WHOLE.fullmatch(text) else ALONE.search(text)
    if found is not None:
        number = int(found[0])
        for other in (number + 1, number * 2, number * 10 + 7, number + 20):
            yield f"{text[: found.start()]}{other}{text[found.end() :]}"


def _near_lines(text: str) -> Iterator[str]:
    """Yield programs and documents near one: a word is another one wherever it stands, a line is gone."""
    lines = text.splitlines(keepends=True)
    words = list(dict.fromkeys(_WORD.findall(text[:_LONGEST_READ])))
    renamed = (
        swapped(text, word, "".join(_next(one, _SHIFTS[0]) for one in word))
        for word in reversed(words)
    )
    shorter = ("".join((*lines[:at], *lines[at + 1 :])) for at in reversed(range(len(lines))))
    for group in zip_longest(renamed, shorter):
        yield from (one for one in group if one is not None)


def _in_other_letters(text: str) -> Iterator[str]:
    """Yield a text with other letters in place of those outside ASCII, where it has any."""
    for shift in _LETTERS if outside_ascii(text) else ():
        yield "".join(one if one.isascii() else _next(one, shift) for one in text)


def outside_ascii(text: str) -> frozenset[str]:
    """Return the letters of a text that are none of ASCII's, with the marks that stand above letters."""
    return frozenset(
        one for one in text if not one.isascii() and unicodedata.category(one) in _KINDS
    )


def accented(text: str) -> frozenset[str]:
    """Return those that have an accent: what holds for one does for others, while `ß` is like no other."""
    return frozenset(
        one
        for one in outside_ascii(text)
        if unicodedata.decomposition(one) or unicodedata.category(one) == "Mn"
    )


def _next(letter: str, shift: int) -> str:
    """Return another letter or digit of the same kind; what is neither stays."""
    if letter.isascii() and letter.isdigit():
        return str((int(letter) + shift) % 10)
    first = "a" if "a" <= letter <= "z" else "A" if "A" <= letter <= "Z" else ""
    if first:
        return chr(ord(first) + (ord(letter) - ord(first) + shift) % 26)
    alike = () if letter.isascii() else _alike(letter)
    return alike[(alike.index(letter) + shift) % len(alike)] if alike else letter


@cache
def _alike(letter: str) -> tuple[str, ...]:
    """Return the letters around one that are of its script and case, with an accent where it has one."""
    kind = _kind(letter)
    around = range(max(ord(letter) - _FAR, 128), ord(letter) + _FAR)
    is_letter = kind[0] in (*_KINDS, "Nd")
    return tuple(filter(lambda one: _kind(one) == kind, map(chr, around))) if is_letter else ()


def _kind(letter: str) -> tuple[str, str, bool]:
    script = unicodedata.name(letter, "").partition(" ")[0]
    return unicodedata.category(letter), script, bool(unicodedata.decomposition(letter))


def _near_items(items: list[Any], depth: int) -> Iterator[list[Any]]:
    if not items:
        yield from ([one] for one in _ITEMS)
        yield from ([one, one] for one in _ITEMS)
        yield from ([1, 2, 3], ["a", "b"], ["b", "a", "c"], [2, 1], [-1], [-1, 1])
        return
    places = range(min(len(items), _MOST_PLACES))
    changed = [
        [[*items[:at], one, *items[at + 1 :]] for one in near(items[at], depth)] for at in places
    ]
    more = near(items[-1], depth)[:3]
    added = ([*items, one] for one in (items[-1], *more))
    before = ([one, *items] for one in more)
    removed = ([*items[:at], *items[at + 1 :]] for at in places)
    whole = iter((items[::-1], items * 2, items[1:] + items[:1]))
    for group in zip_longest(*changed, added, removed, before, whole):
        yield from (one for one in group if one is not None)
    yield []


def _near_members(members: dict[Any, Any], depth: int) -> Iterator[dict[Any, Any]]:
    names = list(members)[:_MOST_PLACES]
    removed = ({key: one for key, one in members.items() if key != name} for name in names)
    renamed = (
        {(other if key == name else key): one for key, one in members.items()}
        for name in names
        for other in near(name, depth)[:2]
    )
    added = (
        {**members, other: members[name]} for name in names for other in near(name, depth)[2:4]
    )
    for group in zip_longest(_changed(members, depth), removed, added, renamed):
        yield from (one for one in group if one is not None)


def _knows_its_keys(members: dict[Any, Any]) -> bool:
    """Tell whether a table is of objects that hold their keys: one that is changed alone fits no more."""
    objects = [isinstance(one, Instance) and repr(key) in repr(one) for key, one in members.items()]
    return bool(objects) and all(objects)


def _changed(members: dict[Any, Any], depth: int) -> Iterator[dict[Any, Any]]:
    """Members with another value under one of their names, the names in turn."""
    names = list(members)[:_MOST_PLACES]
    changed = [[{**members, name: one} for one in near(members[name], depth)] for name in names]
    for group in zip_longest(*changed):
        yield from (one for one in group if one is not None)


def _near_time(value: Any) -> Iterator[Any]:
    """Other days and times: the next ones, the ends of months and years, leap days."""
    if isinstance(value, datetime.timedelta):
        with contextlib.suppress(OverflowError):
            yield from (value + datetime.timedelta(seconds=step) for step in _STEPS[:4])
            yield from (-value, value * 2, value * 0, value * 10, value / 2)
            yield from (value + datetime.timedelta(days=step) for step in _STEPS[:8])
        return
    others: list[dict[str, int]] = []
    if isinstance(value, datetime.date):
        with contextlib.suppress(OverflowError):
            for step in (*_STEPS[:4], 7, 30, -30, 365, 28, 14):
                yield value + datetime.timedelta(days=step)
        others += ({"day": day} for day in (1, 31, 30, 28, 29, 15))
        others += ({"month": month} for month in (1, 12, 2, 4, 6, 11))
        others += ({"year": value.year + step} for step in (1, -1, 4, 10))
        others += ({"year": 2024, "month": 2, "day": 29}, {"year": 1999, "month": 12, "day": 31})
    if not isinstance(value, datetime.date) or isinstance(value, datetime.datetime):
        others += ({"hour": 0, "minute": 0}, {"hour": 23, "minute": 59, "second": 59})
        others += ({"hour": hour} for hour in (1, 12, 13, 6))
        others += ({"minute": 1}, {"minute": 30}, {"second": 7}, {"microsecond": 500_000})
    for one in others:
        with contextlib.suppress(ValueError):  # no such day
            yield value.replace(**one)
