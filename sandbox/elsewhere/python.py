"""The second look for Python: a profiler sees the calls, and every call has a forked process of its own."""

from __future__ import annotations

import datetime
import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from sandbox.base import TREE, Command, Limits, Mount, MountMode
from sandbox.elsewhere.driver import CHANNEL_BYTES, ELSEWHERE, Again, Looking, moved, plain_program
from sandbox.elsewhere.inside.objects import BUFFERS, FILES, MADE, Buffer, Instance
from sandbox.elsewhere.inside.values import UNREADABLE, literal, read
from sandbox.elsewhere.told import SHOWN, Recorded
from sandbox.elsewhere.values import MOMENT, ZONES
from sandbox.elsewhere.variation import swapped
from sandbox.toolchains import layers
from sandbox.values import Environment, TestRunner

_INSIDE = Path(__file__).parent / "inside"
_PACKAGE = "sandbox/elsewhere/inside"
_RUN = "/srv/run"


def _told_in(zone: datetime.timezone, moment: datetime.datetime) -> datetime.datetime:
    """Return the same moment as another time zone tells it; one without a zone as it is."""
    return moment.astimezone(zone) if moment.tzinfo is not None else moment


_CONVERSIONS: Mapping[tuple[str, str], Callable[[Any], object]] = {
    ("bytes", "str"): bytes.decode,
    ("str", "bytes"): str.encode,
    ("list", "tuple"): tuple,
    ("tuple", "list"): list,
    ("set", "frozenset"): frozenset,
    ("frozenset", "set"): set,
    ("int", "float"): float,
    **{("bytes", name): partial(Buffer, name) for name, one in BUFFERS.items() if one not in FILES},
    **{
        (MOMENT, name): partial(_told_in, datetime.timezone(datetime.timedelta(hours=hours)))
        for name, hours in ZONES.items()
    },
}
"""The same value of another type, by the names of both."""
_DEEPEST = 6
_BARE_FILE = """import unittest

import assay_again


class TestAgain(unittest.TestCase):
"""
_BARE_TEST = """    def {method}(self):
        for one in assay_again.AGAIN.calls({path!r}, {name!r}):
            while one.goes_on():
                try:
                    one.result = one.function(*one.args, **one.kwargs)
                except BaseException as error:
                    one.raised = error

"""
_SEED = 1  # of hashes in a plain program: any but the runner's 0, and the same on both sides
_RUNNERS_OWN = ("PYTEST", "PYTHON", "CI", "TOX", "NOX", "VIRTUAL_ENV", "ASSAY", "COVERAGE")


def _shown(name: str, arguments: str) -> str:
    try:
        positional, named, *_ = read(arguments)  # a method's object follows
        words = [*map(repr, positional), *(f"{k}={v!r}" for k, v in named.items())]
    except UNREADABLE:
        words = ["…"]
    return f"{name}({', '.join(words)})"[:SHOWN]


class PythonDriver:
    """Calls of pytest's and unittest's tests."""

    is_apart = True
    shown = staticmethod(_shown)

    def recording(self, looking: Looking) -> Command:
        """Return the run of the tests under a profiler."""
        recipe = looking.head.recipe
        root = f"{recipe.root}/" if recipe.root else ""
        orders = {
            "tree": TREE,
            "runner": recipe.runner.value,
            "arguments": recipe.test_arguments,
            "paths": looking.paths,
            "only": [one.removeprefix(root) for one in looking.only],
            "cases": [one.removeprefix(root) for one in looking.tests if "[" in one],
            "tests": looking.test_files,
            "wanted": looking.tests,
            "touched": sorted(looking.touched),
            "named": sorted(looking.named),
            "environment": dict(layers.variables(looking.head)),
            "calls": [],
        }
        return _in_the_runner(looking.head, looking.checkout.head_tree, orders, (), looking.limits)

    def under_test(self, again: Again) -> Command:
        """Return a run of the runner with bare files over those of the tests."""
        recipe = again.environment.recipe
        paths = sorted({call.path for call in again.calls})
        inside = [path.removeprefix(f"{recipe.root}/" if recipe.root else "") for path in paths]
        bare = ("-c", "/dev/null", "--rootdir", TREE, "--noconftest", "-p", "no:cacheprovider")
        orders = {
            "tree": TREE,
            "runner": recipe.runner.value,
            "arguments": [*(bare if recipe.runner is TestRunner.PYTEST else ()), *inside],
            "paths": paths,
            "sys_path": _paths(again),
            "environment": dict(layers.variables(again.environment)),
            "calls": [_order(call) for call in again.calls],
        }
        again.folder.mkdir(parents=True, exist_ok=True)
        laid = []
        for number, path in enumerate(paths):  # the same names, and nothing else
            names = {one.test for one in again.calls if one.path == path}
            text = _BARE_FILE
            for name in sorted(filter(str.isidentifier, names)):
                method = name if name.startswith("test") else f"test_{name}"
                text += _BARE_TEST.format(method=method, path=path, name=name)
            file = again.folder / f"{number}.py"
            file.write_text(text)
            laid.append(Mount(str(file), f"{TREE}/{path}"))
        limits = again.looking.limits
        command = _in_the_runner(again.environment, again.tree, orders, tuple(laid), limits)
        return replace(command, environment=(("PYTHONHASHSEED", str(again.seed)),))

    def plain(self, again: Again) -> Command:
        """Return an interpreter with a program of ours, isolated but for the seed of its hashes."""
        orders = {
            "tree": ELSEWHERE,
            "gone": again.looking.test_files,
            "sys_path": [moved(path) for path in _paths(again)],
            "brief": [_order(call) for call in again.calls if again.is_brief],
            "calls": [_order(one) for one in (again.at_length if again.is_brief else again.calls)],
            "series": [
                {"steps": [_order(call) for call in o.steps], "one": o.is_one, "slot": o.slot}
                for o in again.series
            ],
        }
        own = (
            Mount(str(_INSIDE), f"{_RUN}/{_PACKAGE}"),
            Mount(str(_INSIDE / "plain.py"), f"{_RUN}/main.py"),
        )
        argv = (f"{layers.DEPENDENCIES}/bin/python", "-s", f"{_RUN}/main.py")
        command = plain_program(again, argv, own, _RUNNERS_OWN, orders)
        seed = ("PYTHONHASHSEED", str(again.seed or _SEED))
        return replace(command, environment=(*command.environment, seed))

    def values(self, call: Recorded) -> tuple[object, ...]:
        """Return what is placed, what is named, and the attributes of a method's object."""
        try:
            positional, *named = read(call.arguments)
            return (*positional, *(members[name] for members, name in _named(named)))
        except UNREADABLE:
            return ()

    def taken(self, call: Recorded) -> int:
        """Return how many of these the function itself takes."""
        try:
            positional, named, *_ = read(call.arguments)
            return len(positional) + len(named)
        except UNREADABLE:
            return 0

    def varied(self, call: Recorded, number: int, value: object) -> Recorded:
        """Return the same call with another value as one of these arguments."""
        positional, *named = read(call.arguments)
        if number < len(positional):
            positional = (*positional[:number], value, *positional[number + 1 :])
        else:
            members, name = list(_named(named))[number - len(positional)]
            members[name] = value
        of_object = call.of_object or number >= len(positional) + len(named[0])
        return replace(_with(call, (positional, *named)), of_object=of_object)

    def without(self, call: Recorded, names: frozenset[str]) -> Recorded | None:
        """Return the same call without the arguments that have these names; None where it has none."""
        try:
            positional, named, *more = read(call.arguments)
            kept = {name: value for name, value in named.items() if name not in names}
            is_less = len(kept) < len(named)
            for state in (one for one in more if MADE in one):
                made_of, by_name = state[MADE]
                state[MADE] = made_of, {n: one for n, one in by_name.items() if n not in names}
                is_less = is_less or len(state[MADE][1]) < len(by_name)
        except UNREADABLE:
            return None
        return _with(call, (positional, kept, *more)) if is_less else None

    def shorter(self, call: Recorded) -> Recorded | None:
        """Return None: what a function has no place for is refused, and `without` leaves it out."""
        return None

    def swapped(self, call: Recorded, name: str, other: str) -> Recorded | None:
        """Return the same call with another word in its arguments, as one's name, or as the function's.

        The name of a type stands for the arguments of that type.
        """
        try:
            told = swapped(_converted(read(call.arguments), name, other), name, other)
        except UNREADABLE:
            return None
        arguments, called = literal(told), swapped(call.name, name, other)
        if not arguments or (call.name, call.arguments) == (called, arguments):
            return None
        return _with(call, told, called)


def _with(call: Recorded, told: tuple[Any, ...], name: str = "") -> Recorded:
    """Return the same call with other arguments, or of another function."""
    arguments, called = literal(told) or repr(told), name or call.name
    return replace(call, name=called, arguments=arguments, shown=_shown(called, arguments))


def _named(named: list[dict[str, object]]) -> Iterator[tuple[dict[str, object], str]]:
    """Yield where each value stands that has a name; what an object was made of stays as it is."""
    return ((members, name) for members in named for name in members if name != MADE)


def _converted(value: Any, name: str, other: str, depth: int = 0) -> Any:
    """Return the arguments of a call, or a value of them, with what is of one type as the same of another."""
    convert = _CONVERSIONS.get((name, other))
    if convert is None or depth > _DEEPEST:
        return value
    if type(value).__name__ == name and depth > 1:  # what is placed is a tuple, too
        return convert(value)
    if type(value) in (list, tuple):
        return type(value)(_converted(one, name, other, depth + 1) for one in value)
    if isinstance(value, Instance):
        state = {key: _converted(o, name, other, depth + 1) for key, o in value.state.items()}
        return value._replace(state=state)
    if type(value) is dict:
        kept = value.get(MADE)
        members = {key: _converted(one, name, other, depth + 1) for key, one in value.items()}
        return members if kept is None else {**members, MADE: kept}
    return value


def _paths(again: Again) -> list[str]:
    return [one.text for one in again.told["sys_path"]]


def _in_the_runner(
    environment: Environment,
    tree: str,
    orders: Mapping[str, object],
    laid: tuple[Mount, ...],
    limits: Limits,
) -> Command:
    target = f"/opt/assay/{_PACKAGE}"
    return Command(
        argv=(f"{layers.DEPENDENCIES}/bin/python", "-S", f"{target}/run.py"),
        mounts=(
            Mount(tree, TREE, MountMode.COPY_ON_WRITE),
            *layers.mounts(environment),
            *laid,
            Mount(str(_INSIDE), target),
        ),
        cwd=f"{TREE}/{environment.recipe.root}".rstrip("/"),
        environment=(("PYTHONHASHSEED", "0"),),
        stdin=json.dumps(orders).encode() + b"\n",
        limits=limits,
        channel_bytes=CHANNEL_BYTES,
    )


def _order(call: Recorded) -> dict[str, object]:
    return {
        "module": call.module,
        "name": call.name,
        "depth": call.depth,
        "arguments": call.arguments,
        "path": call.path,
        "test": call.test,
        "timeless": call.timeless,
    }
