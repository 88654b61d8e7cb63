"""Says what a change does that nothing needs and nobody speaks of: `if size < 16 and …`.

That are conditions on a value, and handlers that pass over an error.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from bot.evidence.said_values import SHOWN_CODE, has_number, has_text
from bot.values import DamageSeen, Requirements, TestComparison
from sandbox.damage.values import PASSED_OVER, SAME, Damage, DamageTrial

_SPAN = re.compile(r"`([^`\n]*)`")
_OF_ERRORS = re.compile(
    r"(?i)\b(?:errors?|exceptions?|fail\w*|invalid\w*|rais\w*|throw\w*|caught|catch\w*|ignor\w*|skip\w*"
    r"|swallow\w*|malformed|crash\w*|cannot|can't|could not|reject\w*|refus\w*|toler\w*|lenient\w*"
    r"|broken|corrupt\w*|silent\w*|missing|absent|unavailable|unreadable|unsupported|best effort"
    r"|not (?:found|there|available|installed))\b"
)
_WORD = re.compile(r"['\"]?[\w.+-]+['\"]?\Z")


def is_said(damage: Damage, wanted: Requirements) -> bool:
    """Tell whether a task speaks of errors, or of each value that a condition asks for.

    What it only shows in code is no word about a value.
    """
    said = "\n".join((*wanted.said, *(one.text for one in wanted.items)))
    if damage.kind == PASSED_OVER:
        return _OF_ERRORS.search(said) is not None or any(one in said for one in damage.names)
    prose = _SPAN.sub(
        lambda span: span[0] if _WORD.match(span[1]) else " ", SHOWN_CODE.sub(" ", said)
    )
    return all(_is_said(one, prose) for one in damage.names)


def _is_said(value: str, prose: str) -> bool:
    if value[:1].isdecimal():
        return has_number(value, prose)
    return has_text(value, prose) or (len(value.split()) > 1 and value in prose)


def unneeded(tests: Iterable[TestComparison], seen: DamageSeen | None) -> DamageTrial | None:
    """Return what no test needs, in a function (else a file) whose damage these tests notice.

    Where nobody notices any there, it stands in everybody's way.
    """
    ids = {one.id for one in tests}
    for one in seen.unneeded if seen else ():
        there = [o for o in _noticed(seen) if o.damage.path == one.damage.path]
        nearest = [o for o in there if o.damage.symbol == one.damage.symbol] or there
        if not nearest or any(ids.intersection(o.noticed) for o in nearest):
            return one
    return None


def _noticed(seen: DamageSeen | None) -> list[DamageTrial]:
    return [o for o in seen.trials if o.noticed and o.damage.kind != SAME] if seen else []
