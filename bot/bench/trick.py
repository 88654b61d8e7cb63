"""What a trick is: one way to look right without being right."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

Files = dict[str, str]
"""Path → text."""


@dataclass(frozen=True, slots=True)
class Trick:
    """One way to cheat. `play` gets tests and sources of head and returns what it rewrote.

    Both are those that the merge changed and whose names end with `suffixes`; the sources are all that
    ship where the trick can be played `is_anywhere`.
    """

    name: str
    rules: tuple[str, ...]
    play: Callable[[Files, Files], Files]
    suffixes: tuple[str, ...] = (".py",)
    is_anywhere: bool = False
