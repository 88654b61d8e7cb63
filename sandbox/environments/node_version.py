"""Compares a Node version with what `engines.node` asks for (npm's ranges, as far as projects use them)."""

from __future__ import annotations

import re

_COMPARATOR = re.compile(
    r"(>=|<=|>|<|\^|~|=)?\s*v?(\d+|[xX*])(?:\.(\d+|[xX*]))?(?:\.(\d+|[xX*]))?\S*"
)
_HYPHEN = re.compile(r"(\S+)\s+-\s+(\S+)")
Version = tuple[int, int, int]


def satisfies(version: str, wanted: str) -> bool:
    """Tell whether a version is in the range; a range that cannot be read holds everything."""
    numbers = [int(part) for part in re.findall(r"\d+", version)[:3]]
    found = (*numbers, 0, 0, 0)[:3]
    parts = [part.strip() for part in wanted[:200].split("||")]
    return any(_all_hold((found[0], found[1], found[2]), part) for part in parts)


def _all_hold(version: Version, part: str) -> bool:
    part = _HYPHEN.sub(r">=\1 <=\2", part)
    if not part:
        return True
    rest = _COMPARATOR.sub("", part).strip()
    if rest:
        return True
    return all(_holds(version, *match.groups()) for match in _COMPARATOR.finditer(part))


def _holds(
    version: Version, sign: str | None, major: str, minor: str | None, patch: str | None
) -> bool:
    given = [int(part) for part in (major, minor, patch) if part and part.isdecimal()]
    if not given:
        return True
    low = (*given, 0, 0)[:3]
    if sign == "^":
        width = next((i + 1 for i, part in enumerate(given) if part), len(given))
        return version >= low and version[:width] == low[:width]
    if sign == "~":
        width = min(2, len(given))
        return version >= low and version[:width] == low[:width]
    known = version[: len(given)]
    asked = tuple(given)
    return {
        ">=": version >= low,
        "<": version < low,
        ">": known > asked,
        "<=": known <= asked,
    }.get(sign or "=", known == asked)
