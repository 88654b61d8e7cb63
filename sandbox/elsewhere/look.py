"""Records what tests call, and has it called again by a plain program in another place."""

from __future__ import annotations

import asyncio
import shutil
from dataclasses import dataclass

from sandbox.base import Command, Sandbox
from sandbox.concurrently import concurrently
from sandbox.elsewhere.driver import Again, Driver, Looking
from sandbox.elsewhere.node import NodeDriver
from sandbox.elsewhere.python import PythonDriver
from sandbox.elsewhere.told import (
    SHOWN,
    Outcome,
    Recorded,
    Run,
    is_same,
    last_record,
    place_in,
    read_run,
)
from sandbox.elsewhere.values import Difference, SecondLook
from sandbox.linters.reading import Node
from sandbox.models import Environment, TestRunner

_PYTHON, _NODE = PythonDriver(), NodeDriver()
DRIVERS: dict[TestRunner, Driver] = {
    TestRunner.PYTEST: _PYTHON,
    TestRunner.UNITTEST: _PYTHON,
    TestRunner.NODE_TEST: _NODE,
    TestRunner.MOCHA: _NODE,
    TestRunner.TAPE: _NODE,
    TestRunner.NODE: _NODE,
}
"""The runners whose tests' calls can be made again."""
_MOST_ALONE = 5


async def look_again(sandbox: Sandbox, looking: Looking) -> SecondLook:
    """Compare what the tests' calls give under test and elsewhere. Raises SandboxError.

    A call counts where a bare test that makes it sees what the author's test saw: then nothing that the
    test sets up matters. It differs where a plain program sees something else, twice, and not on base too.
    """
    driver = DRIVERS[looking.head.recipe.runner]
    told = last_record(await sandbox.run(driver.recording(looking)))
    calls = tuple(driver.recorded(told, looking))
    if not calls:
        return SecondLook()
    looks = _Looks(sandbox, driver, looking, told)
    compared, differing = await looks.compare(calls)
    if differing:
        differing = await looks.differ_again(calls, differing)
    if differing and looking.base is not None:
        differing = await looks.not_on_base(calls, differing)
    found = tuple(_difference(calls[n], one) for n, one in differing.items())
    return SecondLook(len(compared), found)


def _difference(call: Recorded, elsewhere: Outcome) -> Difference:
    return Difference(
        call.shown,
        call.name,
        call.outcome[:SHOWN],
        (elsewhere.later or elsewhere.dated or elsewhere.text)[:SHOWN],
        call.path,
        call.test,
        elsewhere.times,
        bool(elsewhere.dated) and not elsewhere.later,
    )


@dataclass(frozen=True, slots=True)
class _Looks:
    """Makes calls again, under test and elsewhere."""

    sandbox: Sandbox
    driver: Driver
    looking: Looking
    told: Node

    async def compare(self, calls: tuple[Recorded, ...]) -> tuple[set[int], dict[int, Outcome]]:
        """Return the numbers of the calls that could be compared, and what differs elsewhere."""
        here = place_in(self.told)
        control, plain = await self._both(calls, self.looking.checkout.head_tree, self.looking.head)
        compared: set[int] = set()
        differing: dict[int, Outcome] = {}
        for number, call in enumerate(calls):
            bare, other = control.outcomes.get(number), plain.outcomes.get(number)
            if bare is None or other is None or bare.unsteady or other.unsteady:
                continue
            if not is_same(call.outcome, here, bare.text, control.place):
                continue
            compared.add(number)
            is_alike = is_same(call.outcome, here, other.text, plain.place)
            if other.later or other.dated or not is_alike:
                differing[number] = other
        return compared, differing

    async def differ_again(
        self, calls: tuple[Recorded, ...], differing: dict[int, Outcome]
    ) -> dict[int, Outcome]:
        """Leave out what does not differ a second time, where no other call can have a hand in it."""
        if self.driver.is_apart:
            _, twice = await self.compare(tuple(calls[number] for number in differing))
            return {n: one for at, (n, one) in enumerate(differing.items()) if at in twice}
        kept = {}
        for number in list(differing)[:_MOST_ALONE]:
            _, alone = await self.compare((calls[number],))
            if alone:
                kept[number] = alone[0]
        return kept

    async def not_on_base(
        self, calls: tuple[Recorded, ...], differing: dict[int, Outcome]
    ) -> dict[int, Outcome]:
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
                if not _differs(control, plain, at):
                    kept[number] = differing[number]
        return kept

    async def _both(
        self, calls: tuple[Recorded, ...], tree: str, environment: Environment
    ) -> tuple[Run, Run]:
        folder = self.looking.workspace / environment.side
        again = Again(self.looking, self.told, calls, tree, environment, folder)
        try:
            under_test = await asyncio.to_thread(self.driver.under_test, again)
            plain = self.driver.plain(again)
            control, other = await concurrently(self._run(under_test), self._run(plain))
            return control, other
        finally:
            await asyncio.to_thread(shutil.rmtree, folder, ignore_errors=True)

    async def _run(self, command: Command) -> Run:
        return read_run(await self.sandbox.run(command))


def _differs(control: Run, plain: Run, number: int) -> bool:
    bare, other = control.outcomes.get(number), plain.outcomes.get(number)
    if bare is None or other is None or bare.unsteady or other.unsteady:
        return False
    is_alike = is_same(bare.text, control.place, other.text, plain.place)
    return bool(other.later or other.dated or not is_alike)
