"""Repeats a judge's own step on copies of head: damaged near what it is about, as on base, in other words."""

from __future__ import annotations

import asyncio
import shlex
import shutil
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath

from bot.context import EvaluationContext
from bot.evidence.kinds import look_of
from bot.evidence.own_steps.commands import own_limits, plain
from bot.evidence.own_steps.weigh import LINES, NOTHING_NEAR, Named, is_to_be_measured, nearness
from bot.judges.material import told_by_others
from bot.services import Services
from bot.text.clipping import steady
from bot.values import DamageSeen, Evidence, Observed, Requirement, Task
from sandbox.damage.making import DamagedCopy, StepCopies, StepEdits, make_step_edits
from sandbox.damage.trial import tree_of
from sandbox.damage.values import Damage, DamageTrial
from sandbox.repository.combine import combine
from sandbox.repository.names import inside
from sandbox.terminal.bash import ShellRun, run_shell
from sandbox.test_runs.four_runs import is_whole_file
from sandbox.test_runs.path_kinds import PathKind, classify
from sandbox.values import FAILING, NOT_RUNNABLE, ChangeKind, Observation, Side

MOST_EMPTIED = 7
MOST_OTHERS = 6
_ORDER = {"result": -2, "nothing": -1, "unsteady": -1}
_MOST_LOOKED_FOR = 8
_SHORTEST_S = 20.0
_RUNS_LONG = 10  # runs of the step on both sides that may be spent on its copies
_OFF = "`limits.damage` is 0, so nobody measured whether the step notices damage to the code."
_CUT = "The change is too large to damage it everywhere, so nobody measured what the step notices."


@dataclass(frozen=True, slots=True)
class StepQuestion:
    """What a step is asked to show, and what stands around it as others than the author tell it."""

    requirement: Requirement
    around: str
    observed: Observed


async def with_damage(
    services: Services, case: EvaluationContext, evidence: Evidence, question: StepQuestion
) -> Evidence:
    """Return the evidence with what the step does on damaged copies, where it may raise something."""
    if not is_to_be_measured(evidence, question.requirement):
        return evidence
    seen = await _measured(services, case, evidence, question)
    seen = replace(seen, about=question.requirement.id)
    return replace(evidence, damage=(*evidence.damage, seen))


async def planned_with_damage(
    services: Services, case: EvaluationContext, task: Task, observed: Observed
) -> Observed:
    """Return what was observed, with what the planner's own steps do on damaged copies."""
    around, found = told_by_others(task), []
    for one in observed.evidence:
        measured = one
        for asked in case.planned.requirements.items if one.step.is_proposed else ():
            if asked.id in one.step.requirement_ids:
                question = StepQuestion(asked, around, observed)
                measured = await with_damage(services, case, measured, question)
        found.append(measured)
    return replace(observed, evidence=tuple(found))


async def _measured(
    services: Services, case: EvaluationContext, evidence: Evidence, question: StepQuestion
) -> DamageSeen:
    if not case.damage_seconds:
        return DamageSeen(problem=_OFF)
    if case.checkout.diff.truncated:
        return DamageSeen(problem=_CUT)
    requirement, observed = question.requirement, question.observed
    named = Named.of(requirement, question.around)
    code = {one.path for one in observed.kinds if one.kind is ChangeKind.CODE}
    edits = await make_step_edits(services.sandbox, case.checkout, code, named.identifiers)
    line = (evidence.step.arguments or ("",))[0]
    first, *others = nearness(requirement, named, observed.impact, line)
    folder = services.evaluation_folder(case.request) / "damage" / f"of-{plain(evidence.id)}"
    head_s = evidence.head.seconds if evidence.head else 0.0
    seconds = min(case.damage_seconds, max(_SHORTEST_S, _RUNS_LONG * head_s))
    trying = _Trying(services, case, evidence, folder, time.monotonic() + seconds)
    try:
        copies = edits.near(first) or await trying.beneath(edits)
        for is_near in others:
            copies = copies or edits.near(is_near)
        if copies is None:
            return DamageSeen(problem=NOTHING_NEAR.format(named.words))
        return await trying.all(copies)
    finally:
        await asyncio.to_thread(shutil.rmtree, folder, ignore_errors=True)


@dataclass(frozen=True, slots=True)
class _Trying:
    """One step on its copies, two at a time: each stands where base or head stood. Time ends at `end`."""

    services: Services
    case: EvaluationContext
    evidence: Evidence
    folder: Path
    end: float

    async def beneath(self, edits: StepEdits) -> StepCopies | None:
        """Return the copies near to what runs for what is asked for; None where nothing that changed does.

        What that was on base has to bring the failure back, whatever else of it is new.
        """
        trials = await self._in_turn(edits.beneath[:_MOST_LOOKED_FOR], "beneath")
        found = {one.damage.function for one in trials if one.noticed}
        copies = edits.near(lambda one: one.is_changed and one.function in found)
        if copies is None:
            return None
        damages = (replace(one, damage=replace(one.damage, is_new=False)) for one in copies.damages)
        return replace(copies, damages=tuple(damages))

    async def all(self, copies: StepCopies) -> DamageSeen:
        """Try the copy in other words, then damages; where one is noticed, what all was on base, too.

        Functions are emptied first: only of one that is missed it is asked what else of it is.
        """
        emptied = [one for one in copies.damages if one.damage.kind == "emptied"][:MOST_EMPTIED]
        trials = await self._two([copies.same, *emptied[:1]], "same")
        control = trials[0]
        if control.unnoticed:
            trials += await self._in_turn(emptied[1:], "emptied")
            missed = {_place(one.damage) for one in trials[1:] if one.noticed}
            rest = [one for one in copies.damages if one.damage.kind != "emptied"]
            points = [one for one in rest if one.damage.is_telling]
            of_it = [one for one in rest if _place(one.damage) in missed]
            of_it.sort(key=lambda one: _ORDER.get(one.damage.kind, 0))
            trials += await self._in_turn((of_it or points)[:MOST_OTHERS], "damaged")
        if any(one.noticed for one in trials[1:]) and control.unnoticed and copies.restored:
            trials += await self._two([copies.restored], "restored")
        asked = {one.damage.function for one in trials if one.damage.kind == "result" and one.ran}
        left = {
            one.damage.function for one in copies.damages if one.damage.kind == "result"
        } - asked
        judged = []
        for one in trials:
            # An emptied function tells little while it is not known whether its other results are noticed.
            is_open = one.damage.kind == "emptied" and one.damage.function in left
            damage = replace(one.damage, is_telling=False) if is_open else one.damage
            judged.append(replace(one, damage=damage))
        return DamageSeen(tuple(judged))

    async def _in_turn(self, copies: Sequence[DamagedCopy], name: str) -> list[DamageTrial]:
        trials: list[DamageTrial] = []
        for at in range(0, len(copies), 2):
            if time.monotonic() > self.end:
                break
            trials += await self._two(list(copies[at : at + 2]), f"{name}-{at}")
        return trials

    async def _two(self, copies: list[DamagedCopy], name: str) -> list[DamageTrial]:
        """Run the step with a copy in base's place and one in head's."""
        trees = [
            await asyncio.to_thread(self._laid, one, f"{name}-{n}") for n, one in enumerate(copies)
        ]
        step = replace(self.evidence.step, id=f"{self.evidence.step.id}-{name}")
        checkout = replace(self.case.checkout, base_tree=trees[0], head_tree=trees[-1])
        built = self.case.built
        built = replace(built, projects=tuple(replace(o, base=o.head) for o in built.projects))
        request = replace(self.case.request, without=())  # both sides are copies of head
        case = replace(self.case, request=request, checkout=checkout, built=built)
        seen = await look_of(case, step, is_analysts=True)(self.services, case, step)
        found = [(one.base, one.head) for one in seen.evidence[:1]]
        shown = list(found[0][-len(copies) :]) if found else [None] * len(copies)
        own = (self.evidence.step.id,)
        trials = []
        for copy, tree, one in zip(copies, trees, shown, strict=True):
            noticed = self._notices(one)
            if noticed and not await self._loads(copy, tree):
                noticed = None
            trials.append(
                DamageTrial(copy.damage, own if noticed else (), own if noticed is False else ())
            )
        return trials

    async def _loads(self, copy: DamagedCopy, tree: str) -> bool:
        """Whether a copy can be imported at all: where head can be and it cannot, any step would notice.

        Of other languages than Python nobody looks.
        """
        head = self.case.checkout.head_tree
        line = _importing(Path(head), [path for path, _ in copy.files])
        if not line:
            return True
        environment = self.case.built.at(copy.damage.path).head
        bounds, network = own_limits(self.case), self.case.policy.network_to_observe
        for place in (tree, head):
            order = ShellRun(line, Side.HEAD, place, environment, bounds, network)
            seen = await run_shell(self.services.sandbox, order)
            if place == tree and seen.exit_code == 0:
                return True
        return seen.exit_code != 0

    def _notices(self, shown: Observation | None) -> bool | None:
        """Whether the step shows something else than on head; None where that cannot be told."""
        head = self.evidence.head
        if shown is None or head is None or shown.exit_code is None or shown.timed_out:
            return None
        if shown.tests is not None:
            results = shown.tests.results
            if any(one.outcome in FAILING and not is_whole_file(one) for one in results):
                return True
            return False if shown.exit_code == 0 and not shown.problem else None
        if shown.exit_code in NOT_RUNNABLE or (shown.exit_code == 0 and shown.problem):
            return None
        is_line = self.evidence.step.action in LINES
        return shown.exit_code != 0 or (is_line and steady(shown.output) != steady(head.output))

    def _laid(self, copy: DamagedCopy, name: str) -> str:
        """Make the tree of a copy; in that of other words, tests are as on base."""
        head, base = Path(self.case.checkout.head_tree), Path(self.case.checkout.base_tree)
        tree = tree_of(head, copy, self.folder / f"copy-{name}")
        if copy.damage.kind != "same":
            return str(tree)
        tests = [
            one.path for one in self.case.checkout.diff.files if classify(one.path) is PathKind.TEST
        ]
        return str(combine(tree, base, tests, self.folder / f"tests-{name}"))


def _importing(head: Path, paths: Sequence[str]) -> str:
    """The line that imports modules of Python; empty where none of them is one."""
    lines = []
    for path in paths:
        file = PurePosixPath(path)
        names = [] if file.stem == "__init__" else [file.stem]
        folder = file.parent
        while folder.name and inside(head, str(folder / "__init__.py")).is_file():
            names.insert(0, folder.name)
            folder = folder.parent
        if file.suffix == ".py" and names and all(one.isidentifier() for one in names):
            lines += [f"sys.path.insert(0, {str(folder)!r})", f"import {'.'.join(names)}"]
    return f"python -c {shlex.quote('; '.join(['import sys', *lines]))}" if lines else ""


def _place(damage: Damage) -> tuple[str, str]:
    return damage.path, damage.symbol
