"""Records what tests call, and has it called again by a plain program in another place."""

from __future__ import annotations

import asyncio
import shutil
from collections import Counter
from dataclasses import dataclass, field, replace
from itertools import islice

from sandbox.base import Command, Sandbox
from sandbox.concurrently import concurrently
from sandbox.elsewhere.driver import Again, Driver, Looking
from sandbox.elsewhere.in_series import in_series
from sandbox.elsewhere.made_up import made_up
from sandbox.elsewhere.nearby import nothing_called, replay_held, replay_nearby
from sandbox.elsewhere.new_names import new_names
from sandbox.elsewhere.node import NodeDriver
from sandbox.elsewhere.python import PythonDriver
from sandbox.elsewhere.sides import AtLength, Replay
from sandbox.elsewhere.told import (
    SHOWN,
    CallOutcome,
    Recorded,
    Run,
    is_callers_own,
    is_same,
    is_vague,
    last_record,
    place_in,
    raising_unmade,
    read_run,
    recorded_calls,
)
from sandbox.elsewhere.values import Difference, LeftOut, Misfit, Replaced, SecondLook, WhyLeftOut
from sandbox.linters.reading import Node
from sandbox.test_runs.node_tests import NODE_RUNNERS
from sandbox.values import Environment, TestRunner

_PYTHON, _NODE = PythonDriver(), NodeDriver()
DRIVERS: dict[TestRunner, Driver] = {
    TestRunner.PYTEST: _PYTHON,
    TestRunner.UNITTEST: _PYTHON,
    **dict.fromkeys(NODE_RUNNERS, _NODE),
}
"""The runners whose tests' calls can be made again."""
_MOST_ALONE = 5
_MOST_BLINDED = 100
_NOT_SEEN = "returned generator ", "returned coroutine ", "returned async_generator "
"""What a test got of these nobody recorded: only both sides can be compared."""
_Differing = dict[int, tuple[str, CallOutcome]]
"""By the number of a call: what it gave under test, and what elsewhere."""


async def look_again(sandbox: Sandbox, looking: Looking) -> SecondLook:
    """Compare what the tests' calls give under test and elsewhere. Raises SandboxError.

    A call differs where a plain program sees something else, twice, in no order of chance, and not on base
    too. It counts where a bare test that makes it sees what the author's test saw: then nothing that the
    test sets up matters. The calls near those of the tests are made too, on both sides.
    """
    driver = DRIVERS[looking.head.recipe.runner]
    told = last_record(await sandbox.run(driver.recording(looking)))
    if looking.only and told["failed"].is_true:  # one of them needs the others of its file
        told = last_record(await sandbox.run(driver.recording(replace(looking, only=()))))
    calls, given = (
        tuple(recorded_calls(told[key], looking.test_files, driver.shown, looking.touched))
        for key in ("calls", "with_functions")
    )
    beside = _recorded_beside(told, looking, calls)
    tests = looking.checkout, looking.paths, looking.test_files
    beside += SecondLook(made_up=await asyncio.to_thread(made_up, *tests))
    whole = tuple(call for call in calls if not call.outcome.startswith(_NOT_SEEN))
    unrecorded = tuple(sorted(set(looking.paths) - {call.path for call in whole}))
    # A start takes longer than what is made again where each call has a process of its own.
    at_length = AtLength(whole if driver.is_apart else ())
    replay = Replay(sandbox, driver, looking, told, at_length)
    names = await asyncio.to_thread(new_names, looking.checkout, looking.test_files)
    if calls and looking.is_held:
        return await replay_held(replay, calls, names)
    near_to = (*calls, *given) if driver.is_apart else calls
    series = in_series(driver, looking, (*calls, *given), names)
    if not near_to:
        nothing = nothing_called(looking) if driver is _PYTHON else ()
        found = SecondLook(inputs=nothing, unrecorded=unrecorded) + beside
        return found + await series.alone(replay)
    looks = _Looks(sandbox, driver, looking, told, at_length)
    nearby = replay_nearby(replay, near_to, names, series)
    if driver.is_apart:
        near = await nearby
        again = await looks.all(whole)
    else:
        again, near = await concurrently(looks.all(whole), nearby)
    return again + near + SecondLook(unrecorded=unrecorded) + beside


def _recorded_beside(told: Node, looking: Looking, calls: tuple[Recorded, ...]) -> SecondLook:
    """Return what a recording says besides its calls: what stood for functions, what could not be seen."""
    blinded = []  # something took away what records the calls of these tests
    for one in islice(told["blinded"], _MOST_BLINDED):
        path, test = one["path"].text, one["test"].text
        if path in looking.paths:
            blinded.append(Difference(test, "", "", "", path, test, is_unseen=True))
    misfits = []
    for one in islice(told["misfits"], _MOST_BLINDED):
        name, why, path, test = (one[key].text[:SHOWN] for key in ("name", "why", "path", "test"))
        if name and path and test:
            misfits.append(Misfit(name, why, path, test))
    changed = {one.path for one in looking.checkout.diff.files}
    replaced = []
    for one in islice(told["replaced"], _MOST_BLINDED):
        name, file, path, test = (one[key].text for key in ("name", "file", "path", "test"))
        if name in looking.named and file in changed and path and test:
            replaced.append(Replaced(name, file, path, test))
    return SecondLook(
        differences=tuple(blinded),
        raising=raising_unmade(told, calls),
        misfits=tuple(misfits),
        replaced=tuple(replaced),
    )


@dataclass(frozen=True, slots=True)
class _Looks(Replay):
    """Makes calls under test, too; `left_out` is filled by the numbers of the calls."""

    left_out: dict[int, WhyLeftOut] = field(default_factory=dict)

    async def all(self, calls: tuple[Recorded, ...]) -> SecondLook:
        """Make the calls elsewhere; those that differ once more, and on base."""
        if not calls:
            return SecondLook()
        alike, suspected = await self.outside(calls)
        compared, differing = await self.again(calls, suspected)
        # In another zone base may be what is to be mended.
        if differing and self.looking.base is not None and not self.looking.in_other_zone:
            differing = await self.not_on_base(calls, differing)
        if differing:
            differing = await self.in_order(calls, differing)
        found = tuple(
            Difference(
                calls[n].shown,
                calls[n].name,
                under_test[:SHOWN],
                (elsewhere.later or elsewhere.dated or elsewhere.text)[:SHOWN],
                calls[n].path,
                calls[n].test,
                elsewhere.times,
                bool(elsewhere.dated) and not elsewhere.later,
            )
            for n, (under_test, elsewhere) in differing.items()
        )
        counts = Counter(self.left_out.values())
        left_out = tuple(LeftOut(why, counts[why]) for why in WhyLeftOut if counts[why])
        return SecondLook(compared + alike - counts[WhyLeftOut.ON_BASE], found, left_out)

    async def outside(self, calls: tuple[Recorded, ...]) -> tuple[int, list[int]]:
        """Make the calls in a plain program: how many give the same there, and the numbers of the others."""
        again = self._again(calls, self.looking.checkout.head_tree, self.looking.head)
        plain = self.at_length.run or await self._run(self.driver.plain(again))
        here, alike, others = place_in(self.told), 0, list[int]()
        for number, call in enumerate(calls):
            one = plain.outcomes.get(number)
            if one is None or one.unsteady:
                self.left_out[number] = WhyLeftOut.UNSTEADY if one else WhyLeftOut.NOT_THERE
            elif (
                is_vague(call.outcome)
                or (one.printed or one.later or one.dated)
                or not is_same(call.outcome, here, one.text, plain.place)
            ):
                others.append(number)
            else:
                alike += 1
        return alike, others

    async def again(
        self, calls: tuple[Recorded, ...], suspected: list[int]
    ) -> tuple[int, _Differing]:
        """Make calls once more, in both places: how many count, and what differs this time too.

        Where calls share a process each is made alone, so that no other one has a hand in it.
        """
        likely = await self._likely_first(calls, suspected)
        alone = [[number] for number in likely[:_MOST_ALONE]]
        groups = [suspected] if self.driver.is_apart and suspected else alone
        compared, differing = 0, _Differing()
        self.left_out.update(dict.fromkeys(suspected, WhyLeftOut.TOO_MANY))
        for numbers in groups:
            count, found = await self._compare(calls, numbers)
            compared += count
            differing |= found
        return compared, differing

    async def _likely_first(self, calls: tuple[Recorded, ...], suspected: list[int]) -> list[int]:
        """Put first what a bare test seems to see as the author's did, where not all can be made alone."""
        if self.driver.is_apart or len(suspected) <= _MOST_ALONE:
            return suspected
        asked = tuple(calls[number] for number in suspected)
        again = self._again(asked, self.looking.checkout.head_tree, self.looking.head)
        bare = await self._run(await asyncio.to_thread(self.driver.under_test, again))
        here, told = (
            place_in(self.told),
            {n: bare.outcomes.get(at) for at, n in enumerate(suspected)},
        )

        def is_set_up(number: int) -> bool:
            one = told[number]
            return one is None or not is_same(calls[number].outcome, here, one.text, bare.place)

        return sorted(suspected, key=is_set_up)

    async def _compare(
        self, calls: tuple[Recorded, ...], numbers: list[int]
    ) -> tuple[int, _Differing]:
        here, asked = place_in(self.told), tuple(calls[number] for number in numbers)
        control, plain = await self._both(asked, self.looking.checkout.head_tree, self.looking.head)
        compared = 0
        differing: _Differing = {}
        for at, number in enumerate(numbers):
            bare, other = control.outcomes.get(at), plain.outcomes.get(at)
            if bare is None or other is None:
                self.left_out[number] = WhyLeftOut.NOT_THERE
            elif bare.unsteady or other.unsteady:
                self.left_out[number] = WhyLeftOut.UNSTEADY
            elif not is_same(calls[number].outcome, here, bare.text, control.place):
                self.left_out[number] = WhyLeftOut.SET_UP
            else:
                del self.left_out[number]
                compared += 1
                found = _other(bare, control, other, plain)
                if found and not _is_callers_own(calls[number], *found):
                    differing[number] = found
        return compared, differing

    async def not_on_base(self, calls: tuple[Recorded, ...], differing: _Differing) -> _Differing:
        """Leave out what differs between the two places on base too."""
        base = self.looking.base
        if base is None:
            return differing
        groups = [list(differing)] if self.driver.is_apart else [[number] for number in differing]
        kept = {}
        for numbers in groups:
            asked = tuple(calls[number] for number in numbers)
            control, plain = await self._both(asked, self.looking.checkout.base_tree, base)
            for at, number in enumerate(numbers):
                bare, other = control.outcomes.get(at), plain.outcomes.get(at)
                if not bare or not other or bare.unsteady or other.unsteady:
                    kept[number] = differing[number]
                elif _other(bare, control, other, plain):
                    self.left_out[number] = WhyLeftOut.ON_BASE
                else:
                    kept[number] = differing[number]
        return kept

    async def in_order(self, calls: tuple[Recorded, ...], differing: _Differing) -> _Differing:
        """Leave out what differs in its order only, and not where both places hash alike: that of a set."""
        likely = {n: d for n, d in differing.items() if sorted(d[0]) == sorted(d[1].text)}
        if not likely:
            return differing
        asked = tuple(calls[number] for number in likely)
        head = self.looking.head
        control, plain = await self._both(asked, self.looking.checkout.head_tree, head, seed=1)
        left = set()
        for at, number in enumerate(likely):
            bare, other = control.outcomes.get(at), plain.outcomes.get(at)
            if bare and other and _other(bare, control, other, plain) is None:
                left.add(number)
        self.left_out.update(dict.fromkeys(left, WhyLeftOut.UNSTEADY))
        return {n: found for n, found in differing.items() if n not in left}

    async def _both(
        self, calls: tuple[Recorded, ...], tree: str, environment: Environment, seed: int = 0
    ) -> tuple[Run, Run]:
        again = replace(self._again(calls, tree, environment), seed=seed)
        try:
            under_test = await asyncio.to_thread(self.driver.under_test, again)
            plain = self.driver.plain(again)
            control, other = await concurrently(self._run(under_test), self._run(plain))
            return control, other
        finally:
            await asyncio.to_thread(shutil.rmtree, again.folder, ignore_errors=True)

    def _again(self, calls: tuple[Recorded, ...], tree: str, environment: Environment) -> Again:
        folder = self.looking.workspace / environment.side
        return Again(self.looking, self.told, calls, tree, environment, folder)

    async def _run(self, command: Command) -> Run:
        return read_run(await self.sandbox.run(command))


def _other(
    bare: CallOutcome, control: Run, other: CallOutcome, plain: Run
) -> tuple[str, CallOutcome] | None:
    """Return what a call gives, or prints, under test and in a plain program; None where that is the same."""
    if other.later or other.dated or not is_same(bare.text, control.place, other.text, plain.place):
        return bare.text, other
    if bare.printed is None or other.printed is None:
        return None
    if is_same(bare.printed, control.place, other.printed, plain.place):
        return None
    return f"printed {bare.printed!r}", replace(other, text=f"printed {other.printed!r}")


def _is_callers_own(call: Recorded, under_test: str, elsewhere: CallOutcome) -> bool:
    is_at_once = not (elsewhere.later or elsewhere.dated)
    return is_at_once and is_callers_own(call.path, under_test, elsewhere.text)
