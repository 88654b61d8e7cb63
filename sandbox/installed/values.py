"""What using a package by itself showed on one side."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Use:
    """One thing that users do with a package, as they write it (`import shop`).

    `error` is empty where it went well. It `counts` where something was not there, by the name `missing`
    if that is known: other errors may be meant. Everybody makes use of what `is_for_all`.
    """

    what: str
    error: str = ""
    missing: str = ""
    counts: bool = True
    is_for_all: bool = True


@dataclass(frozen=True, slots=True)
class Unmet:
    """A package that code of a file imports without a condition, and that is not installed with it."""

    package: str
    path: str


@dataclass(frozen=True, slots=True)
class Extra:
    """A requirement that users get only with an extra."""

    package: str
    extra: str


@dataclass(frozen=True, slots=True)
class Provider:
    """What the tests have a module from (`yaml` from `pyyaml`)."""

    module: str
    package: str


@dataclass(frozen=True, slots=True)
class InstalledSide:
    """One side. `problem` says in one sentence why nothing was seen.

    `left_out` are files that were asked for and are not in the package; `open` and `closed` are paths
    below its name that can be imported, and that are there and cannot.
    """

    command: str = ""
    seconds: float = 0.0
    uses: tuple[Use, ...] = ()
    unmet: tuple[Unmet, ...] = ()
    extras: tuple[Extra, ...] = ()
    left_out: tuple[str, ...] = ()
    open: tuple[str, ...] = ()
    closed: tuple[str, ...] = ()
    providers: tuple[Provider, ...] = ()  # of what is missing
    problem: str = ""

    @property
    def missing(self) -> frozenset[str]:
        """The modules that are not there."""
        told = (one.missing for one in self.uses if one.missing)
        return frozenset((*told, *(one.package for one in self.unmet)))
