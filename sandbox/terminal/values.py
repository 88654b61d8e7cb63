"""What an item of a test plan showed on one side: its commands, and the files that they left."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class FileOutcome(StrEnum):
    """What comparing an expected file with the one that a run left says."""

    EQUAL = "equal"
    SIMILAR = "similar"  # every value is there; order, layout or company differs
    DIFFERS = "differs"
    MISSING = "missing"  # not there, or not written by this run
    UNREADABLE = "unreadable"  # not what its name says
    UNDECIDED = "undecided"  # nothing can be said: no reference, too large, a kind without values


@dataclass(frozen=True, slots=True)
class FileCheck:
    """One expected file (`name`, in the tree) against `actual`; `detail` is the first difference."""

    name: str
    actual: str
    outcome: FileOutcome
    detail: str = ""


@dataclass(frozen=True, slots=True)
class CaseRun:
    """One command of a plan's item, run with simulated input.

    `exit_code` is None when it did not end in time, 128 + n after signal n. `asked_for_more` says
    that it read on after its input had ended, until the terminal was hung up. `typed_at` are the
    places in `output`, in characters, where it waited and something was typed.
    """

    command: str
    exit_code: int | None
    output: str
    seconds: float
    truncated: bool = False
    asked_for_more: bool = False
    typed: str = ""  # capped
    typed_at: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class ItemRun:
    """All that one item of a test plan showed on one side.

    `made` are the watched paths that the run wrote. `tests` is the number of tests that passed where
    a test runner of ours saw each (0: only exit codes are known). `authors` are the test files that
    base does not have. `lacks` says what could not be found for it.
    """

    cases: tuple[CaseRun, ...] = ()
    files: tuple[FileCheck, ...] = ()
    made: tuple[str, ...] = ()
    tests: int = 0
    authors: tuple[str, ...] = ()
    lacks: tuple[str, ...] = ()
