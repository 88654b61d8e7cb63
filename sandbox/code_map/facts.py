"""What one source file says of itself: plain values, whatever its language."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

GRAPH_VERSION = 3
"""Grows when the queries or the shape of the facts change: what was kept before is read anew."""


class Definition(NamedTuple):
    """A function, class, type, constant or macro; lines count from 1, both included.

    A tuple, because a big repository has a million of them.
    """

    name: str
    kind: str
    line: int
    end_line: int


@dataclass(frozen=True, slots=True)
class Facts:
    """All of one file. `uses` and `imports` hold the lines on which a name or a module stands."""

    definitions: tuple[Definition, ...] = ()
    uses: Mapping[str, Sequence[int]] = field(default_factory=dict)
    imports: Mapping[str, Sequence[int]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class SourceFile:
    """One file of a side, with its facts; `path` as in `sandbox.repository.names`."""

    path: str
    language: str
    facts: Facts


@dataclass(frozen=True, slots=True)
class Code:
    """Both sides' source files, and one sentence for everything that was not read."""

    base: tuple[SourceFile, ...] = ()
    head: tuple[SourceFile, ...] = ()
    remarks: tuple[str, ...] = ()
