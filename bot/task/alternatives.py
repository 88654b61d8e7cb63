"""Reads what a demand names side by side: tests for one of several are no proof of all.

"Backslashes must be escaped with `output_format='python'` and `output_format='php'`" names two, and so does
"for `basename` and for `matchBase`". What must stay as it is needs no test that fails without the change.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from bot.task.categories import keeps
from bot.values import Requirement

_SENTENCE = re.compile(r"(?<=[.!?;])\s+|\n{2,}")
_FENCE = re.compile(r"^ *(```|~~~).*?^ *\1", re.DOTALL | re.MULTILINE)
_NAMED = re.compile(r"`([^`\n]{1,80})`|\"([^\"\n]{1,60})\"|\b([A-Za-z_]\w{2,60})\(\)")
_BESIDE = re.compile(
    r"(?:,|/|(?:, )?(?:and|nor|as well as))"
    r"(?: (?:for|in|with|to|from|of|on|at|by|both|also|the)){0,2}"
)
_LIKE = re.compile(rf"(?:{_BESIDE.pattern})|as(?: (?:for|in|with|to|on|at))?")
_FOR_EXAMPLE = re.compile(
    r"(?i)\b(?:such as|like|e\.\s?g\.|for (?:example|instance)|including)[\s,:(]{0,4}\Z"
)
_AND_OTHERS = re.compile(
    r"(?i)[\s,()]{0,4}(?:and so (?:on|forth)|etc\b|(?:and|or) (?:others?|similar|the like)\b|…|\.\.\.)"
)
"""What stands around names that are examples only."""
_STRING = re.compile(r"'([^'\n]+)'|\"([^\"\n]+)\"")
_WORD = re.compile(r"[A-Za-z_][\w.]*")
_SIGN = re.compile(r"[^A-Za-z0-9\s]{1,3}")
_LEAST = 2  # characters of a name that a test does not have by chance


def untested_alternatives(requirement: Requirement, tests: str) -> tuple[str, str] | None:
    """Return what a demand names and `tests` (their code) do not have, and what they have of the same list.

    None where they have all or nothing of each list, or where there is no list.
    """
    for listed in _lists(prose_of(requirement), _BESIDE):
        names = [one for one in listed if _atoms(one)]
        known = [name for name in names if _has(name, tests)]
        missing = [name for name in names if name not in known]
        if known and missing:
            return missing[0], known[0]
    return None


def side_by_side(requirement: Requirement) -> tuple[tuple[str, ...], ...]:
    """Return the words and signs that a demand puts side by side: one may stand in the place of another."""
    found = []
    for listed in _lists(prose_of(requirement), _LIKE):
        names = dict.fromkeys(filter(None, map(_plain, listed)))
        words = tuple(name for name in names if len(name) >= _LEAST and name.isidentifier())
        signs = tuple(name for name in names if _SIGN.fullmatch(name))
        found += [group for group in (words, signs) if len(group) > 1]
    return tuple(found)


def _plain(name: str) -> str:
    """The word, text or sign that a name is; "" for a longer piece of code."""
    texts = [one or other for one, other in _STRING.findall(name)]
    plain = texts[0] if len(texts) == 1 else name.partition("=")[0] or name
    return plain if _WORD.fullmatch(plain) or _SIGN.fullmatch(plain) else ""


def prose_of(requirement: Requirement) -> str:
    """Return the words of a demand, of a title with the text below it, without blocks of code."""
    said = requirement.text
    if requirement.is_title:
        said = f"{said}\n\n{requirement.detail}"
    return _FENCE.sub("\n\n", said)


def _lists(text: str, beside: re.Pattern[str]) -> Iterator[list[str]]:
    """Yield the names of code that stand side by side, with nothing but `beside` between them.

    Examples of more ("`a`, `b` and so on") are no list: no test has to have each of them.
    """
    for sentence in _SENTENCE.split(text):
        if keeps(sentence):
            continue
        names: list[str] = []
        start = end = 0
        for match in _NAMED.finditer(sentence):
            name = next(filter(None, match.groups()))
            between = " ".join(sentence[end : match.start()].split())
            is_beside = beside.fullmatch(between) is not None
            if not is_beside or (names and _is_call(name) is not _is_call(names[0])):
                if not _are_examples(sentence[:start], sentence[end:]):
                    yield names
                names, start = [], match.start()
            end = match.end()
            names.append(name)
        if not _are_examples(sentence[:start], sentence[end:]):
            yield names


def _are_examples(before: str, after: str) -> bool:
    return bool(_FOR_EXAMPLE.search(before[-40:]) or _AND_OTHERS.match(after))


def _is_call(name: str) -> bool:
    return "(" in name


def _atoms(name: str) -> list[str]:
    """What a test has to have of a name: its texts, else its words."""
    texts = [one or other for one, other in _STRING.findall(name)]
    if name.startswith("\\"):
        return [name]
    found: Iterable[str] = texts or _WORD.findall(name)
    return [one for one in found if len(one) >= _LEAST]


def _has(name: str, tests: str) -> bool:
    """A private name (`_valign`) is that of what it belongs to."""
    return all(re.search(rf"(?<!\w)_{{0,2}}{re.escape(one)}(?!\w)", tests) for one in _atoms(name))
