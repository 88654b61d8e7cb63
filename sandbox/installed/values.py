"""What using a package by itself showed on one side."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Use:
    """One thing that users do with a package, as they write it (`import shop`).

    `error` is empty where it went well. It `counts` where something is not there that developers have:
    `package`, where it is known what brings it to them.
    """

    what: str
    error: str = ""
    package: str = ""
    counts: bool = True


@dataclass(frozen=True, slots=True)
class Lacking:
    """A file that the package does not contain, or that imports what only a `package` of the tests brings."""

    path: str
    package: str = ""


@dataclass(frozen=True, slots=True)
class InstalledSide:
    """One side. `problem` says in one sentence why nothing was seen.

    `open` are paths below the package's name that can be imported, `closed` those that are there and cannot.
    """

    command: str
    seconds: float
    uses: tuple[Use, ...] = ()
    lacking: tuple[Lacking, ...] = ()
    open: tuple[str, ...] = ()
    closed: tuple[str, ...] = ()
    problem: str = ""


def broken(base: InstalledSide, head: InstalledSide) -> tuple[Use, ...]:
    """Return what base's users can do and head's cannot, for something that is not there."""
    could = {one.what for one in base.uses if not one.error}
    return tuple(one for one in head.uses if one.error and one.counts and one.what in could)


def doubts(base: InstalledSide, head: InstalledSide) -> tuple[Lacking, ...]:
    """Return what head lacks, where base lacks nothing of its kind."""
    kinds = {_kind(one) for one in base.lacking}
    return tuple(one for one in head.lacking if _kind(one) not in kinds)


def shut(base: InstalledSide, head: InstalledSide) -> tuple[str, ...]:
    """Return the paths that base's users can import, and that head has and gives nobody."""
    return tuple(sorted(set(base.open).intersection(head.closed)))


def _kind(one: Lacking) -> str:
    return "import" if one.package else one.path.rpartition(".")[2]
