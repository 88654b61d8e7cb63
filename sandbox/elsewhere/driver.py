"""The seam to a language: how its tests' calls are recorded, and made again under test and elsewhere."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Protocol

from sandbox.base import TREE, Command, Limits, Mount, MountMode
from sandbox.elsewhere.inside.calls import is_of_test
from sandbox.elsewhere.told import Recorded
from sandbox.linters.reading import Node
from sandbox.toolchains import layers
from sandbox.values import Checkout, Environment

ELSEWHERE = "/srv/app"
"""Where the tree stands for the plain program."""
CHANNEL_BYTES = 4 << 20
SOMEBODY = {"HOME": "/tmp/home/ada", "USER": "ada", "LOGNAME": "ada"}  # noqa: S108 - the sandbox's own
"""Who runs the plain program, as its variables say."""
FAR_WEST = "Etc/GMT+12"
"""Midnight in UTC is on the day before there; the C library knows it without a file of zones."""


@dataclass(frozen=True, slots=True)
class Looking:
    """What a second look needs: the files of the tests that speak for the change, and where they run.

    `paths` are these files (of the tree) and `tests` the ids of these tests; `test_files` are all files of
    the tests, `limits` those of one run, `workspace` an own folder. `only` are names of tests where a
    runner that can runs just these. `touched` names the functions and methods that the change touches,
    `beside` what a task puts side by side, `same` what it takes for the same, `kept` inputs that it wants to
    stay as they are, `named` what it names as code. `code` is the code of these tests. `in_other_zone` has
    the plain program run in another time zone. `is_held` says that these tests hold on base, and that
    behavior is to stay as it is: all that is asked is what comes otherwise.
    """

    checkout: Checkout
    head: Environment
    base: Environment | None
    paths: tuple[str, ...]
    tests: tuple[str, ...]
    test_files: tuple[str, ...]
    workspace: Path
    limits: Limits = field(default_factory=Limits)
    only: tuple[str, ...] = ()
    touched: frozenset[str] = frozenset()
    beside: tuple[tuple[str, ...], ...] = ()
    same: tuple[tuple[str, str], ...] = ()
    kept: tuple[str, ...] = ()
    named: frozenset[str] = frozenset()
    code: str = ""
    in_other_zone: bool = False
    is_held: bool = False

    def speaks(self, call: Recorded) -> bool:
        """Tell whether one of these tests makes a call."""
        return any(is_of_test(call.test, test) for test in self.tests)


@dataclass(frozen=True, slots=True)
class Series:
    """Calls that one process makes one after another: what the last one gives is asked for.

    `is_one` has methods called on the first one's object. `slot` is the argument of the first that is
    changed in place to what the last has there, where it is none below 0.
    """

    steps: tuple[Recorded, ...]
    is_one: bool = False
    slot: int = -1


@dataclass(frozen=True, slots=True)
class Again:
    """Calls to make once more in a tree (host folder) with its environment; `told` is the recording's record.

    `folder` is an own folder for what has to be written; `is_brief` asks for each call twice and no more.
    `seed` is that of hashes, so of the order of sets; a plain program has another one than 0. Where it is
    brief, `series` are made besides, and behind these the calls `at_length`, as they are where it is not;
    their numbers follow those of the others. Only a driver that makes calls apart takes the latter.
    """

    looking: Looking
    told: Node
    calls: tuple[Recorded, ...]
    tree: str
    environment: Environment
    folder: Path
    is_brief: bool = False
    seed: int = 0
    series: tuple[Series, ...] = ()
    at_length: tuple[Recorded, ...] = ()


class Driver(Protocol):
    """Makes the commands of one language, and reads its record of the calls.

    `is_apart` says that every call is made again in a process of its own. Where it is not, calls may see
    what others left; one that differs is then made again alone before it counts.
    """

    is_apart: bool

    def recording(self, looking: Looking) -> Command:
        """Return the run of the tests that records their calls; its last record holds them."""

    def shown(self, name: str, arguments: str, /) -> str:
        """Return a call as one would write it, from its function's name and its arguments' text."""

    def under_test(self, again: Again) -> Command:
        """Return the run of a bare test that makes the calls; it may write into `again.folder`."""

    def plain(self, again: Again) -> Command:
        """Return the run of a plain program elsewhere that makes the calls."""

    def values(self, call: Recorded) -> tuple[object, ...]:
        """Return what a call is given, and what it may be given otherwise."""

    def taken(self, call: Recorded) -> int:
        """Return how many of these the function itself takes: the others are its object's."""

    def varied(self, call: Recorded, number: int, value: object) -> Recorded:
        """Return the same call with another value in one of these places."""

    def without(self, call: Recorded, names: frozenset[str]) -> Recorded | None:
        """Return the same call without arguments, or options, of these names; None where it has none."""

    def shorter(self, call: Recorded) -> Recorded | None:
        """Return the same call without its last argument, where a function may have no place for that."""

    def swapped(self, call: Recorded, name: str, other: str) -> Recorded | None:
        """Return the same call with another word in place of one; None where it does not have that."""


def plain_program(
    again: Again,
    argv: tuple[str, ...],
    own: tuple[Mount, ...],
    runners_own: tuple[str, ...],
    orders: Mapping[str, object],
) -> Command:
    """Return a program of ours (`own`) in the other place, with a tree and what it needs moved there.

    It has no variable whose name begins as the runner's do.
    """
    environment = again.environment
    known = {
        name: value.replace(TREE, ELSEWHERE)
        for name, value in environment.variables
        if not name.startswith(runners_own)
    }
    zone = {"TZ": FAR_WEST} if again.looking.in_other_zone else {}
    return Command(
        argv=argv,
        mounts=(
            Mount(again.tree, ELSEWHERE, MountMode.COPY_ON_WRITE),
            *(replace(one, target=moved(one.target)) for one in layers.mounts(environment)),
            *own,
        ),
        environment=tuple({**known, **SOMEBODY, **zone}.items()),
        cwd=f"{ELSEWHERE}/{environment.recipe.root}".rstrip("/"),
        stdin=json.dumps(orders).encode() + b"\n",
        limits=again.looking.limits,
        channel_bytes=CHANNEL_BYTES,
    )


def moved(path: str) -> str:
    """Return where a path of the tree stands for the plain program; other paths stay."""
    is_inside = path == TREE or path.startswith(TREE + "/")
    return ELSEWHERE + path[len(TREE) :] if is_inside else path
