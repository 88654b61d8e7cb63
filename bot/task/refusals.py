"""Reads what a demand says of calls that are refused: below and above which number, and with which error.

What must stay as it is needs no test that fails without the change.
"""

from __future__ import annotations

import builtins
import re
from collections.abc import Container, Iterable, Iterator

from bot.task.alternatives import prose_of
from bot.task.categories import MODAL, keeps
from bot.task.code_names import CODE_SPAN
from bot.text.words import sentences, sentences_of_paragraphs, whole_name
from bot.values import Requirement, TestComparison

_NUMBER = r"(-?\d+(?:\.\d+)?)"
_BELOW = rf"(?:\b(?:below|under|(?:less|lower|smaller) than) {_NUMBER}|\bnegative\b(?: \w+)?)"
_ABOVE = rf"\b(?:above|over|beyond|exceeding|(?:more|greater|larger|higher|bigger) than) {_NUMBER}"
_OR = r",? (?:or|and|as well as) (?:\w+ ){0,3}"
_END = r"(?=\s*(?:[.,;:)\n]|\Z)|\s(?:is|are|throws?|raises?|returns?|must|should|gives?|fails?|will|gets?)\b)"
"""What follows a bare number: with a unit it may stand in a test as another number."""
_SIDES = (re.compile(rf"{_BELOW}{_OR}{_ABOVE}{_END}"), re.compile(rf"{_ABOVE}{_OR}{_BELOW}{_END}"))
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
_RAISED = re.compile(r"\b(?:raises?|throws?)\b[^.;\n]{0,60}?\b([A-Z]\w*(?:Error|Exception))\b")
_NEGATED = re.compile(r"\b(?:no longer|not|never|without|instead of)\b|n't\b", re.IGNORECASE)
_EXPECTING = re.compile(r"(?i)raises|throw|reject|refus|except|catch|panic|error|invalid|fail")
_HEADING = re.compile(
    r"^[ \t]*(?:async[ \t]+)?def [^\n]*|\"\"\".*?\"\"\"|'''.*?'''|#[^\n]*", re.DOTALL | re.MULTILINE
)
_ALLOWING = re.compile(
    r"(?i)\b(?:accept|allow|permit|support|ignor|toler|lenient|instead|no longer)\w*"
)
_DEMANDED_ERROR = re.compile(
    r"\b(?:should|must|shall|needs? to|has to|have to|ought to) (?:(?:now|then|always|instead|rather) ){0,2}"
    r"(?:[^.;`]{1,80} and (?:then )?(?=raise|throw|reject|fail))?"
    r"(?:raise|throw|be|(?:be )?(?:refused|reject(?:ed)?) with|fail with|give|cause|(?:result|end) in)"
    r" (?:an? |the )?"
    r"`?(?:\w{1,40}\.){0,4}([A-Z]\w{0,60}(?:Error|Exception))\b"
)
ERRORS_OF_JAVASCRIPT = frozenset(
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


_BOUNDS = ((re.compile(_BELOW), 1), (re.compile(_ABOVE), -1))
_INCLUDED = re.compile(r"(?i)\b(?:or equal|zero|(?:non-?)?positive|at (?:least|most)|or 0)\b")
"""Words that draw the line elsewhere than "negative" or "above 3" do by themselves."""
_MESSAGE = re.compile(r"\"[^\"\n]{1,200}\"")


def refused_beyond(requirement: Requirement, tested: str, near: str) -> str:
    """Return which numbers a demand wants refused ("negative"), where `tested` has one and `near` has none.

    Both are calls that are the same but for one number. "" for no such numbers.
    """
    text = prose_of(requirement).replace("`", "")
    own, other = _numbers(tested), _numbers(near)
    changed = [(a, b) for a, b in zip(own, other, strict=False) if a != b]
    if len(own) != len(other) or len(changed) != 1 or keeps(text) or not _REFUSED.search(text):
        return ""
    prose = _MESSAGE.sub(" ", text)  # what an error says has its own words
    if _INCLUDED.search(prose):
        return ""
    here, _ = changed[0]
    bounds = [
        (sign, float((found[1] if pattern.groups else None) or 0), found)
        for pattern, sign in _BOUNDS
        for found in pattern.finditer(prose)
    ]
    if any(sign * one < sign * bound for one in other for sign, bound, _ in bounds):
        return ""
    asked = (found for sign, bound, found in bounds if sign * here < sign * bound)
    first = next(asked, None)
    if first is None:
        return ""
    return first[0].strip() if first.re.groups and first[1] else "negative"


def _numbers(code: str) -> list[float]:
    return [float(one.replace("_", "")) for one in _IN_CODE.findall(code)]


def other_error(
    requirement: Requirement, raised: Iterable[str], before: Container[str], tests: str
) -> tuple[str, str] | None:
    """Return the error that a demand names and the one that is raised in its place.

    None where one of those named is raised, where `tests` (their code) ask for it, or where what is raised
    may be a kind of it. What was raised `before` is what the demand complains of.
    """
    text = prose_of(requirement)
    named = [one for one in dict.fromkeys(_ERROR.findall(text)) if one not in before]
    known = list(dict.fromkeys(raised))
    asked = _TITLE.sub("", tests)
    is_asked = any(re.search(rf"(?<!\w){one}(?!\w)", asked) for one in named)
    if not named or not known or keeps(text) or is_asked:
        return None
    if any(_may_be(one, other) for one in known for other in named):
        return None
    return named[0], known[0]


def _not_kept(requirement: Requirement) -> Iterator[str]:
    """Yield the sentences of a demand that ask for something else than what is there."""
    return (one for one in sentences_of_paragraphs(prose_of(requirement)) if not keeps(one))


def demanded_error(requirement: Requirement) -> str:
    """Return an error that a sentence of a demand wants raised; "" where none does, or it stays as it is."""
    found = (_DEMANDED_ERROR.search(" ".join(one.split())) for one in _not_kept(requirement))
    return next((one[1] for one in found if one), "")


_NOTHING = re.compile(r"(?<![\w.])(?:None|null|undefined|nil)(?![\w.])")
_SPELLS_NOTHING = re.compile(r"(?i)none|null|undefined|nil|void 0")
_NO_ERROR = re.compile(r"\b(?:cb|callback|done|next|bind|call|apply)\(\s{0,9}(?:null|undefined)\b")
"""What says that there is no error, or no object."""
_DEMANDED = re.compile(r"\b(?:must|should|shall|(?:has|have|needs?|ought)\s+to)\b")


def untested_nothing(requirement: Requirement, tests: str) -> str:
    """Return `None`, `null` or `undefined` where a sentence of a demand speaks of it and `tests` of none."""
    if _SPELLS_NOTHING.search(_NO_ERROR.sub("", tests)):
        return ""
    found = (_NOTHING.search(o) for o in _not_kept(requirement) if _DEMANDED.search(o))
    return next((one[0] for one in found if one), "")


_GROUPS = ("ExceptionGroup", "BaseExceptionGroup", "AggregateError")


def wants_given(said: str, function: str, value: str) -> bool:
    """Tell whether a sentence wants a function to give a value at times, both written as code."""
    names = [whole_name(one) for one in (function, value)]
    wanted = (one for one in sentences(said) if MODAL.search(one))
    code = (
        "\n".join(CODE_SPAN.findall(one))
        for one in wanted
        if not (keeps(one) or _NEGATED.search(CODE_SPAN.sub(" ", one)))
    )
    return any(all(name.search(one) for name in names) for one in code)


def _may_be(raised: str, named: str) -> bool:
    """Whether an error of this name is one of the other name, or a group that may hold it."""
    if raised in _GROUPS:
        return True
    if raised == named or (named in ERRORS_OF_JAVASCRIPT and raised in ERRORS_OF_JAVASCRIPT):
        return named in (raised, "Error")
    kind, wanted = getattr(builtins, raised, None), getattr(builtins, named, None)
    if isinstance(kind, type) and isinstance(wanted, type):
        return issubclass(kind, wanted)
    return raised not in ERRORS_OF_JAVASCRIPT and not isinstance(kind, type)


def asks_for_error(requirement: Requirement) -> bool:
    """Whether a demand says that something must be raised.

    The error of a bug's title ("`f('')` raises KeyError") is what must not be: what should be is asked then.
    """
    said = requirement.shown
    if _NEGATED.search(said) or said.startswith("Fixed: "):
        return False
    # Of several sentences another one may ask for what is given.
    asking = [one for one in sentences(said) if MODAL.search(one)] or [said]
    return all(map(_RAISED.search, asking))


def leaves_error_unasked(requirement: Requirement, test: TestComparison) -> bool:
    """Whether an error that must be raised is nothing that the body of a test of Python could be after."""
    is_asked = test.path.endswith(".py") and asks_for_error(requirement)
    return is_asked and bool(test.source) and not _EXPECTING.search(_HEADING.sub("", test.source))


def expects_error(code: str) -> bool:
    """Whether the code of some tests could be after an error, in any language."""
    return _EXPECTING.search(code) is not None


def gives_up_error(requirement: Requirement, test: TestComparison) -> bool:
    """Whether an edited test demands fewer errors than before, of which the requirement says nothing."""
    before, after = (
        len(_EXPECTING.findall(_HEADING.sub("", one))) for one in (test.source_before, test.source)
    )
    said = requirement.with_detail
    return before > after and not (_EXPECTING.search(said) or _ALLOWING.search(said))
