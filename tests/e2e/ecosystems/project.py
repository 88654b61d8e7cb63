"""What a tiny repository is made of, and what judging its good and its bad change must come to."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from sandbox.registry import Client

Files = Mapping[str, str]

ASKED = "Double a number\n\n- [ ] `twice` returns double the number\n"


@dataclass(frozen=True, slots=True)
class Project:
    """`start` is main, `good` does what the task asks, `bad` breaks what worked.

    `programs` and `jars` are what the sandbox must have in Debian's folders, `registry` is where the
    project's dependencies come from. `proof` is what is fixed by the good change, `broken` what
    regresses by the bad one: a test's id, or a configured requirement's. `locked_by` writes the lock
    file of main: one that names a registry cannot stand here.
    """

    name: str
    programs: tuple[str, ...]
    start: Files
    good: Files
    bad: Files
    proof: str
    broken: str
    task: str = ASKED
    jars: tuple[str, ...] = ()  # in /usr/share/java
    registry: Client | None = None
    locked_by: tuple[str, ...] = ()
    at_best: str = "success"  # what the good change comes to
    is_slow: bool = False  # longer than the rest of `make test` has time for
