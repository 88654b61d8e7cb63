"""Tells of a call that began to change what it is given, where base only returned a new value."""

from __future__ import annotations

import re
from collections.abc import Iterable

from sandbox.elsewhere.values import BothSides, TestedInput

_LEFT = re.compile(r" and left (?:\[|what is no plain value|something else)")
"""What stands before the arguments as a call left them."""
_RETURNED = re.compile(
    r"returned (?!None\b|undefined\b|null\b|itself\b|an iterator\b)(.+)", re.DOTALL
)
_LEAST = 3  # characters at an end that is cut off
_SPEAKS_OF_IT = re.compile(
    r"(?i)\bin[- ]?place\b|\b(?:mutat|modif|updat|alter|append|extend|insert|fill)\w*"
    r"|\bchang\w* (?:(?:its|the|an?|what) )?(?:\w+ )?(?:arguments?|parameters?|inputs?|it)\b"
)
_TO_STAY = re.compile(
    r"(?i)\bleav\w* (?:\w+ ){1,8}as (?:it|they) (?:is|are|was|were)\b"
    r"|\b(?:without|not|never) (?:chang|mutat|modif|alter)\w* (?:its|the|an?) (?:\w+ )?"
    r"(?:arguments?|parameters?|inputs?|lists?|arrays?|dict\w*|objects?)\b"
)


def newly_changes(inputs: Iterable[TestedInput], asked: str) -> BothSides | None:
    """Return a tested call of a plain function that changes its arguments on head and not on base.

    None where the task (`asked`) speaks of that, and where base gives back what it was given: such a
    function may well change it for other inputs, unless the task says that it must not. What a method
    leaves in its object is its own.
    """
    is_to_stay = _TO_STAY.search(asked) is not None
    if _SPEAKS_OF_IT.search(asked) and not is_to_stay:
        return None
    plain = (one.tested for one in inputs if "." not in one.function.removeprefix("default."))
    return next((one for one in plain if _is_new(one, is_to_stay=is_to_stay)), None)


def _is_new(one: BothSides, *, is_to_stay: bool) -> bool:
    base, head = _RETURNED.fullmatch(one.on_base), _RETURNED.fullmatch(one.on_head)
    changed = _LEFT.search(head[1]) if head else None
    if base is None or head is None or changed is None or _LEFT.search(base[1]):
        return False
    is_given_back = base[1] in one.call and not _may_hold(head[1][changed.end() :], base[1])
    return is_to_stay or not is_given_back


def _may_hold(shown: str, value: str) -> bool:
    """Whether a value stands in a text that may be cut off: then base gave back what head leaves alone."""
    ends = range(_LEAST, len(value))
    return value in shown or any(shown.endswith(value[:end]) for end in ends)
