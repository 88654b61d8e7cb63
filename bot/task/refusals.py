"""Reads what a demand says of calls that are refused: below and above which number, and with which error."""

from __future__ import annotations

import builtins
import re
from collections.abc import Iterable

from bot.task.alternatives import prose_of
from bot.task.categories import keeps
from bot.values import Requirement

_NUMBER = r"(-?\d+(?:\.\d+)?)"
_BELOW = rf"(?:\b(?:below|under|(?:less|lower|smaller) than) {_NUMBER}|\bnegative\b(?: \w+)?)"
_ABOVE = rf"\b(?:above|over|beyond|exceeding|(?:more|greater|larger|higher|bigger) than) {_NUMBER}"
_OR = r",? (?:or|and|as well as) (?:\w+ ){0,3}"
_END = r"(?=\s*(?:[.,;:)\n]|\Z)|\s(?:is|are|throws?|raises?|returns?|must|should|gives?|fails?|will|gets?)\b)"
"""What follows a bare number: with a unit it may stand in a test as another number."""
_SIDES = (
    re.compile(rf"{_BELOW}{_OR}{_ABOVE}{_END}"),
    re.compile(rf"{_ABOVE}{_OR}{_BELOW}{_END}"),
)
_REFUSED = re.compile(r"\b(?:throw|rais|reject|refus|fail|error|invalid)", re.IGNORECASE)
_IN_CODE = re.compile(r"(?<![\w.])-?\d[\d_]*(?:\.\d+)?")
_COMPUTED = re.compile(
    r"(?<!\w)-\s*[A-Za-z_(]|\w\s[-+*]\s\w|\b(?:Infinity|inf|MIN|MAX|EPSILON)\b|\b[A-Z]{2,}_[A-Z_]+\b"
)
"""Numbers that nobody can read."""
_ERROR = re.compile(r"(?<![\w.])[A-Z]\w*(?:Error|Exception)(?!\w)")
_TITLE = re.compile(
    r"\b(?:test|it|describe|suite)\b[\w.]{0,40}\(\s{0,40}([\"'`])(?:(?!\1)[^\\\n]|\\.)*\1|\"\"\".*?\"\"\"",
    re.DOTALL,
)
"""What a test says of itself."""
_OF_JAVASCRIPT = frozenset(
    {"Error", "EvalError", "RangeError", "ReferenceError", "SyntaxError", "TypeError", "URIError"}
)


def untested_side(requirement: Requirement, refused: Iterable[str], tests: str) -> str:
    """Return a side of two numbers ("below 0") on which no call is refused while one is on the other; or "".

    `refused` are calls, `tests` the code of tests: what stands there in any way is taken for tested.
    """
    text = prose_of(requirement).replace("`", "")
    found = next(filter(None, (side.search(text) for side in _SIDES)), None)
    if found is None or keeps(text) or not _REFUSED.search(text) or _COMPUTED.search(tests):
        return ""
    below, above = found.groups() if found.re is _SIDES[0] else found.groups()[::-1]
    least, most = float(below or 0), float(above)
    called = [_numbers(call) for call in refused]
    has_below = any(one < least for numbers in called for one in numbers)
    has_above = any(one > most for numbers in called for one in numbers)
    written = _numbers(tests)
    if has_above and not has_below and not any(one < least for one in written):
        return f"below {below}" if below else "negative"
    if has_below and not has_above and not any(one > most for one in written):
        return f"above {above}"
    return ""


def _numbers(code: str) -> list[float]:
    return [float(one.replace("_", "")) for one in _IN_CODE.findall(code)]


def other_error(
    requirement: Requirement, raised: Iterable[str], tests: str
) -> tuple[str, str] | None:
    """Return the error that a demand names and the one that is raised in its place.

    None where one of those named is raised, where `tests` (their code) ask for it, or where what is raised
    may be a kind of it.
    """
    text = prose_of(requirement)
    named = list(dict.fromkeys(_ERROR.findall(text)))
    known = list(dict.fromkeys(raised))
    asked = _TITLE.sub("", tests)
    is_asked = any(re.search(rf"(?<!\w){one}(?!\w)", asked) for one in named)
    if not named or not known or keeps(text) or is_asked:
        return None
    if any(_may_be(one, other) for one in known for other in named):
        return None
    return named[0], known[0]


def _may_be(raised: str, named: str) -> bool:
    """Whether an error of this name is one of the other name, as far as one can tell."""
    if raised == named or (named in _OF_JAVASCRIPT and raised in _OF_JAVASCRIPT):
        return named in (raised, "Error")
    kind, wanted = getattr(builtins, raised, None), getattr(builtins, named, None)
    if isinstance(kind, type) and isinstance(wanted, type):
        return issubclass(kind, wanted)
    return raised not in _OF_JAVASCRIPT and not isinstance(kind, type)
