"""Places in the code, found by names: hints for people, never evidence for a verdict."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class CodePlace:
    """A place in the code: a symbol, or a line outside of all (then `name` and `kind` are empty)."""

    path: str
    line: int
    name: str = ""
    kind: str = ""

    @property
    def words(self) -> str:
        """The place as people write it."""
        return f"{self.path}: {self.name}" if self.name else f"{self.path}:{self.line}"


@dataclass(frozen=True, slots=True)
class LocatedPlace:
    """A place that a requirement may be about. `score` is 0 to 1, `reason` a clause."""

    place: CodePlace
    score: float
    reason: str


@dataclass(frozen=True, slots=True)
class Located:
    """The best places for one requirement, the best first."""

    requirement_id: str
    places: tuple[LocatedPlace, ...]


@dataclass(frozen=True, slots=True)
class ChangedSymbol:
    """A definition that the diff touches (`how`: added, changed, removed), and who uses it on head.

    `callers` use it directly, `tests` reach it, also through callers; both are capped, the counts whole.
    """

    place: CodePlace
    how: str
    callers: tuple[CodePlace, ...]
    tests: tuple[CodePlace, ...]
    caller_count: int
    test_count: int


@dataclass(frozen=True, slots=True)
class Impact:
    """What a diff touches, by names in the code: a hint for people, never evidence for a verdict."""

    symbols: tuple[ChangedSymbol, ...]
    left_out: int = 0
    remarks: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Dependent:
    """A project of the repository that uses what a diff changes in another one.

    `uses` are names of definitions, and paths of files with changes outside of all definitions.
    """

    folder: str
    uses: tuple[str, ...]
