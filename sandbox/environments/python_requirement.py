"""Requirement lines (PEP 508) of files that nobody promised to be well formed."""

from __future__ import annotations

import re

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

_LINE_CHARS = 2_000


def parsed(text: str) -> Requirement | None:
    """Return the requirement, or None when the text is none, or one too deep or long to parse."""
    if len(text) > _LINE_CHARS:
        return None
    try:
        return Requirement(text)
    except (ValueError, RecursionError):  # InvalidRequirement is a ValueError
        return None


def requirement_name(text: str) -> str:
    """Return the normalised name that a requirement line starts with, "" when it names none."""
    requirement = parsed(text)
    if requirement:
        return canonicalize_name(requirement.name)
    match = re.match(r"[A-Za-z0-9][\w.-]{0,200}", text.strip()[:_LINE_CHARS])
    return canonicalize_name(match.group()) if match else ""
