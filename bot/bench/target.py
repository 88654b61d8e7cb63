"""What can be broken in a copy of a merge."""

from __future__ import annotations

from dataclasses import dataclass

FEWEST_MENTIONS = 2
"""How often tests must speak of a function to be a target."""


@dataclass(frozen=True, slots=True)
class Target:
    """A function that can be broken; `line` is the first line of its body, from 1, `column` from 0."""

    path: str
    name: str
    line: int
    column: int
