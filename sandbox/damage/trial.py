"""Runs the tests concerned on damaged copies of head, in head's environment, and tells which notice."""

from __future__ import annotations

import asyncio
import hashlib
import os
import shutil
import stat
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path, PurePosixPath

from sandbox.base import TREE, Limits, Mount, Sandbox
from sandbox.code_map.inventory import language_of
from sandbox.concurrently import a_few_at_a_time, cores
from sandbox.damage.making import DamagedCopy
from sandbox.damage.values import NEAR, OF_LINES, RESULTS, SAME, Damage, DamageTrial, is_hollow
from sandbox.repository.combine import combine
from sandbox.repository.names import inside, raw_name
from sandbox.test_runs.crosswise import find_crosswise
from sandbox.test_runs.four_runs import aligned, failed, is_whole_file, passed, worth_alone
from sandbox.test_runs.test_order import TestOrder
from sandbox.test_runs.unit_tests import run_tests
from sandbox.toolchains.build import built_again
from sandbox.toolchains.ecosystem import BuildRequest
from sandbox.values import Checkout, Environment, Outcome, TestRun, TestRunner

MOST_RUN = 12
_RUN_WHOLE = (TestRunner.MAKE, TestRunner.CTEST, TestRunner.COMMAND)
_BY_NAME = (TestRunner.PYTEST, TestRunner.UNITTEST)  # what runs single tests of a file
_CYTHON, _COMPILED = (".pyx", ".pxd", ".pxi"), ("c", "cpp", "rust")
_LEAST_S = 1.0
_MOST_OF_RESULTS, _LEFT_FOR_OTHERS = 2, 0.5  # functions whose results are changed besides
_AT_ONCE = 2  # whatever the machine: what is tried must not depend on its cores
NO_PROGRAM = b"]]) damaged ((["
"""The text of a file that nothing can load."""


@dataclass(frozen=True, slots=True)
class Concerned:
    """Tests of one project that pass on head: {id: path}, and the environment to run them in.

    `seen` is head's own run, whose spelling of ids counts. `only` are the names of these tests where they
    are run without the others of their files; `among_all` says that one of them needs those of other files.
    """

    environment: Environment
    tests: dict[str, str]
    seen: TestRun
    only: tuple[str, ...] = ()
    among_all: bool = False


@dataclass(frozen=True, slots=True)
class Trials:
    """What trying needs. Of each of the `groups` of tests one has to notice something; without, all is tried.

    `replaced` has the functions for which a test has stand-ins. `workspace` is an own folder; `order` holds
    head's tree and network, `limits` are those of one run, `seconds` are for all. `builds`, by project, are
    asked for where the tests run an installed copy: each damaged tree is built before they run, or only
    those whose damage is in what is compiled (`only_compiled`). `called` has the names that a test calls;
    `same` is what is known of the copy that only looks different.
    """

    checkout: Checkout
    concerned: tuple[Concerned, ...]
    groups: tuple[frozenset[str], ...]
    replaced: dict[str, frozenset[str]]
    workspace: Path
    order: TestOrder
    seconds: float
    limits: Limits = field(default_factory=Limits)
    builds: dict[str, BuildRequest] = field(default_factory=dict)
    only_compiled: bool = False
    called: dict[str, frozenset[str]] = field(default_factory=dict)
    same: DamageTrial | None = None


async def try_damages(
    sandbox: Sandbox, trials: Trials, damages: Sequence[DamagedCopy]
) -> tuple[DamageTrial, ...]:
    """Try damages, a few at a time: of what the tests of a waiting group call, then in their order.

    Ends when of every group a test has noticed a telling one, when `MOST_RUN` were tried, or when time
    is over. Raises SandboxError.
    """
    tried = [trials.same] if trials.same else []
    end = time.monotonic() + trials.seconds
    waiting = [one for one in damages if not (trials.same and one.damage.kind == SAME)]
    groups = trials.groups
    while len(tried) < MOST_RUN and time.monotonic() < end - _LEAST_S:
        waiting = [one for one in waiting if not _is_idle(one.damage, tried)]
        now = _next(trials, waiting, tried, groups)
        waiting = [one for one in waiting if one not in now]
        left_s = end - time.monotonic()
        steps = [_try(sandbox, trials, len(tried) + n, one, left_s) for n, one in enumerate(now)]
        tried += await a_few_at_a_time(cores(), steps)
        left = [one.damage for one in waiting if not _is_idle(one.damage, tried)]
        unmet = {one.symbol for one in left if one.kind == "emptied"}
        sees = {
            test
            for group in groups
            for test in group
            if not unmet & trials.replaced.get(test, frozenset()) and _sees(test, tried, left)
        }
        groups = tuple(group for group in groups if not group & sees)
        if not left or (trials.groups and not groups):
            break
    return *tried, *await _try_results(sandbox, trials, damages, tried, end)


async def _try_results(
    sandbox: Sandbox,
    trials: Trials,
    damages: Sequence[DamagedCopy],
    tried: list[DamageTrial],
    end: float,
) -> list[DamageTrial]:
    """Try whether tests that see the change compare what the functions of base return that they call.

    Who misses neither a number near by nor one of the other sign compares it. Else there is a third one, and
    where a test passes with both others, none. Of many functions nothing is known, and half of the time is
    left for what is asked about (`UNASKED`).
    """
    sees = {test for one in tried if one.damage.kind != SAME for test in one.noticed}
    sees &= frozenset[str]().union(*trials.groups)
    names = frozenset[str]().union(*(trials.called.get(test, ()) for test in sees))
    copies = [one for one in damages if one.damage.kind in RESULTS and one.damage.symbol in names]
    functions = dict.fromkeys(one.damage.function for one in copies if not one.damage.is_new)
    found: list[DamageTrial] = []
    kinds = "result", NEAR, "nothing"
    for function in functions if len(functions) <= _MOST_OF_RESULTS else ():
        own = [one for one in copies if one.damage.function == function]
        others, near, nothing = ([o for o in own if o.damage.kind == kind] for kind in kinds)
        more = others[1:]
        for asked in ([*others[:1], *near], more, nothing):
            values = [one for one in (*tried, *found) if one.damage.function == function]
            given = [one for one in values if one.damage.kind in ("result", NEAR)]
            if asked is more and near and all(sees <= {*one.noticed} for one in given):
                break
            other = [one for one in given if one.damage.kind == "result"]
            if asked is nothing and not any(all(t in o.unnoticed for o in other) for t in sees):
                continue
            done = {one.damage for one in values}
            now = [one for one in asked if one.damage not in done]
            if not now or time.monotonic() > end - trials.seconds * _LEFT_FOR_OTHERS:
                continue
            left_s = end - time.monotonic()
            number = len(tried) + len(found)
            steps = [_try(sandbox, trials, number + n, one, left_s) for n, one in enumerate(now)]
            found += await a_few_at_a_time(cores(), steps)
    return found


def _next(
    trials: Trials,
    waiting: list[DamagedCopy],
    tried: list[DamageTrial],
    groups: tuple[frozenset[str], ...],
) -> list[DamagedCopy]:
    """Choose what to try now: what only looks different, and what shows soonest that a group notices damage.

    Who notices a change in the lines of a function that it calls need not show more.
    """
    now = [one for one in waiting if one.damage.kind == SAME][:1]
    met = {one.damage.symbol for one in tried}
    for group in groups:
        names = frozenset[str]().union(*(trials.called.get(test, ()) for test in group))
        own = [one for one in waiting if one.damage.symbol in names and one not in now]
        lines = [o for o in own if o.damage.kind in OF_LINES and o.damage.symbol not in met]
        now += (lines or own)[:1]
    rest = [one for one in waiting if one not in now]
    return [*now, *rest][:_AT_ONCE]


async def try_hunks(
    sandbox: Sandbox, trials: Trials, copies: Sequence[DamagedCopy]
) -> tuple[DamageTrial, ...]:
    """Try hunks as on base, a few at a time; none is begun when the time is over. Raises SandboxError."""
    tried: list[DamageTrial] = []
    end = time.monotonic() + trials.seconds
    for at in range(0, len(copies), _AT_ONCE):
        if time.monotonic() > end - _LEAST_S:
            break
        steps = [
            _try(sandbox, trials, MOST_RUN + at + number, one, trials.limits.timeout_s)
            for number, one in enumerate(copies[at : at + _AT_ONCE])
        ]
        tried += await a_few_at_a_time(cores(), steps)
    return tuple(tried)


def _is_idle(damage: Damage, tried: list[DamageTrial]) -> bool:
    """Tell whether nobody asks what a function's result is: who notices it emptied notices another, too."""
    if damage.kind not in RESULTS:
        return False
    of_it = [one for one in tried if one.damage.function == damage.function]
    emptied = {test for one in of_it if one.damage.kind == "emptied" for test in one.noticed}
    another = {test for one in of_it if one.damage.kind == "result" for test in one.noticed}
    return any(one.damage.kind == "emptied" for one in of_it) and emptied <= another


def _sees(test: str, tried: list[DamageTrial], left: list[Damage]) -> bool:
    """Tell whether a test noticed a telling damage, and more than that a function returns nothing."""
    unclear = {one.function for one in left if one.kind == "nothing"}
    noticed = [one.damage for one in tried if one.damage.is_telling and test in one.noticed]
    another = {
        one.damage.function for one in tried if test in one.noticed and one.damage.kind == "result"
    }
    alone = [
        one.kind == "emptied"
        and one.function not in another
        and (one.function in unclear or is_hollow(one, tried, test))
        for one in noticed
    ]
    is_together = [one.kind == "emptied" and not one.symbol for one in noticed]
    return any(not a and (not t or not any(alone)) for a, t in zip(alone, is_together, strict=True))


async def with_tests_alone(
    sandbox: Sandbox, trials: Trials, damages: Sequence[DamagedCopy]
) -> Trials:
    """Return the trials with the tests run alone where that saves time and all of them pass so on head.

    One that needs the others of its file would seem to notice every damage. Where they pass alone on the
    copy of `damages` that only looks different, both is known at once.
    """
    able: list[Concerned] = []
    same = next((one for one in damages if one.damage.kind == SAME), None)
    for one in trials.concerned:
        may_be = one.environment.recipe.runner in _BY_NAME and not one.among_all
        only = worth_alone(one.tests, one.seen) if may_be else ()
        alone = replace(trials, concerned=(replace(one, only=only),))
        if only and same and len(trials.concerned) == 1:
            done = await _try(sandbox, alone, 0, same, trials.limits.timeout_s)
            if len(done.unnoticed) == len(one.tests):
                return replace(alone, same=done)
        if only:
            order = replace(trials.order, limits=trials.limits)
            seen = await _run(sandbox, alone, order)
            able += alone.concerned if len(seen.unnoticed) == len(one.tests) else (one,)
        else:
            able.append(one)
    return replace(trials, concerned=tuple(able))


async def runs_the_tree(sandbox: Sandbox, trials: Trials) -> bool:
    """Tell whether the tests would notice base's code in place of head's, in head's environment.

    If not, they run an installed or compiled copy of it, and damage to the tree shows nothing.
    """
    tree = await asyncio.to_thread(
        base_with_tests_of_head, trials.checkout, trials.workspace / "base"
    )
    order = replace(trials.order, tree=str(tree), limits=trials.limits)
    done = await _run(sandbox, trials, order)
    # In neither is what base's code keeps from being loaded.
    return bool(done.noticed) or not done.unnoticed


def is_compiled(path: str) -> bool:
    """Tell whether a file becomes part of a library that programs of Python and Node load."""
    return PurePosixPath(path).suffix in _CYTHON or language_of(path) in _COMPILED


def base_with_tests_of_head(checkout: Checkout, out: Path) -> Path:
    """Make the tree of base's code with all that belongs to head's tests, and return where it is (`out`)."""
    base, head = Path(checkout.base_tree), Path(checkout.head_tree)
    return combine(base, head, find_crosswise(base, head).swapped, out)


async def loads_the_tree(sandbox: Sandbox, trials: Trials, copy: DamagedCopy) -> bool:
    """Tell whether the tests would notice that the files of a copy cannot be loaded at all."""
    broken = replace(copy, files=tuple((path, NO_PROGRAM) for path, _ in copy.files))
    done = await _try(sandbox, trials, 0, broken, trials.limits.timeout_s)
    return bool(done.noticed) or not done.unnoticed


async def _try(
    sandbox: Sandbox, trials: Trials, number: int, copy: DamagedCopy, left_s: float
) -> DamageTrial:
    folder = trials.workspace / f"damage-{number}"
    limits = replace(trials.limits, timeout_s=min(trials.limits.timeout_s, max(_LEAST_S, left_s)))
    order = replace(trials.order, limits=limits)
    if trials.only_compiled and not any(is_compiled(path) for path, _ in copy.files):
        trials = replace(trials, builds={})
    try:
        if trials.builds:
            tree = await asyncio.to_thread(tree_of, Path(order.tree), copy, folder)
            order = replace(order, tree=str(tree))
        else:
            order = replace(order, laid=await asyncio.to_thread(laid_over, folder, copy))
        done = await _run(sandbox, trials, order)
    finally:
        await asyncio.to_thread(shutil.rmtree, folder, ignore_errors=True)
    return DamageTrial(copy.damage, done.noticed, done.unnoticed, done.unloaded)


def laid_over(folder: Path, copy: DamagedCopy) -> tuple[Mount, ...]:
    """Write a copy's files into a folder, and return where each is laid over the tree."""
    folder.mkdir(parents=True, exist_ok=True)
    found = []
    for number, (path, text) in enumerate(copy.files):
        file = folder / f"{number}{PurePosixPath(path).suffix}"
        file.write_bytes(text)
        file.chmod(0o755)
        found.append(Mount(str(file), f"{TREE}/{os.fsdecode(raw_name(path))}"))
    return tuple(found)


def tree_of(head: Path, copy: DamagedCopy, folder: Path) -> Path:
    """Make a copy's whole tree in a folder, and return where it is."""
    own = folder / "files"
    for path, text in copy.files:
        target = inside(own, path)
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(text)
        target.chmod(stat.S_IMODE(inside(head, path).stat().st_mode))
    return combine(head, own, [path for path, _ in copy.files], folder / "tree")


@dataclass(slots=True)
class _Seen:
    """Which of the tests fail, which pass, and which cannot be loaded."""

    noticed: tuple[str, ...] = ()
    unnoticed: tuple[str, ...] = ()
    unloaded: tuple[str, ...] = ()


async def _run(sandbox: Sandbox, trials: Trials, order: TestOrder) -> _Seen:
    """Return what the tests do in a tree.

    Where tests hang, those count that failed before the time was over; what passed till then says nothing.
    """
    seen = _Seen()
    for one in trials.concerned:
        whole = one.among_all or one.environment.recipe.runner in _RUN_WHOLE
        paths = () if whole else tuple(sorted(set(one.tests.values())))
        async with _environment(sandbox, trials, one, order) as environment:
            if environment.failure:
                continue
            asked = replace(order, environment=environment, paths=paths, only=one.only)
            done = await run_tests(sandbox, asked)
        if done.tests is None or done.tests.forged:
            continue
        if not (done.tests.complete or done.timed_out):
            continue
        told = aligned(done.tests, one.seen).results
        results = {r.id: r for r in told if not is_whole_file(r)}
        found = [test_id for test_id in one.tests if test_id in results]
        if not done.tests.complete:
            seen.noticed += tuple(t for t in found if results[t].outcome is Outcome.FAILED)
            continue
        seen.noticed += tuple(t for t in found if failed(results[t].outcome))
        seen.unnoticed += tuple(t for t in found if passed(results[t].outcome))
        lost = {r.path for r in told if is_whole_file(r) and failed(r.outcome)}
        unloaded = (t for t, path in one.tests.items() if path in lost and t not in results)
        seen.unloaded += tuple(unloaded)
    return seen


@asynccontextmanager
async def _environment(
    sandbox: Sandbox, trials: Trials, one: Concerned, order: TestOrder
) -> AsyncIterator[Environment]:
    """Give head's environment, or where it is asked for what is built from this very tree."""
    request = trials.builds.get(one.environment.recipe.root)
    if request is None:
        yield one.environment
        return
    digest = hashlib.sha256(order.tree.encode()).hexdigest()
    limits = replace(request.limits, timeout_s=min(request.limits.timeout_s, trials.seconds))
    wanted = replace(request, tree=Path(order.tree), sha=f"{request.sha}-{digest}", limits=limits)
    async with built_again(sandbox, wanted, one.environment) as environment:
        yield environment
