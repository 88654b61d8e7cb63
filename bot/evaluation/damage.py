"""One half of stage 7: runs the tests that speak for the change on damaged copies of head: do they notice?"""

from __future__ import annotations

import re
import shutil
import time
from collections.abc import Collection
from dataclasses import dataclass, replace
from pathlib import Path

from bot.context import EvaluationContext
from bot.diff.paths import is_settings_path
from bot.evaluation.on_host import as_configured, concerned
from bot.evidence.damage import (
    NO_END,
    Proofs,
    called_in,
    is_seen_needed,
    kept_that_reach,
    notices_named,
    shown_on_base,
    stand_ins,
)
from bot.evidence.said_values import is_said
from bot.evidence.unneeded import find_unneeded, for_one_value, in_words
from bot.services import Services, build_request
from bot.task.categories import keeps_behavior
from bot.values import (
    ActionKind,
    Beside,
    DamageSeen,
    Evidence,
    Observed,
    Step,
    TestChange,
    TestComparison,
    Transition,
)
from sandbox.base import Limits
from sandbox.damage.inside import MOST_BYTES
from sandbox.damage.making import DamagedCopy, empty_functions, make_damages, taken_back
from sandbox.damage.trial import (
    MOST_RUN,
    Concerned,
    Trials,
    is_compiled,
    loads_the_tree,
    runs_the_tree,
    try_damages,
    try_hunks,
    with_tests_alone,
)
from sandbox.damage.values import (
    AS_ON_BASE,
    KEY,
    OF_LINES,
    RESULTS,
    SAME,
    UNASKED,
    Damage,
    DamageTrial,
    OneValue,
)
from sandbox.repository.names import TreeReader
from sandbox.test_runs.four_runs import passed
from sandbox.test_runs.test_order import TestOrder
from sandbox.toolchains.ecosystem import BuildRequest
from sandbox.values import ChangeKind, Observation, Side

_NAME = re.compile(r"[A-Za-z_$][\w$]*")
_SHORTEST_S, _LONGER_THAN_HEAD = 15.0, 3  # and so many times what head's own run took
_MOST_OF_BASE = 4
_LEAST_S = 60.0  # for many runs of quick tests, however busy the machine is
_LEAST_OF_REMARKS_S = 30.0  # for a few, of which only a remark is made
_SHARE_OF_BASE = 0.5  # of the time that head's own run took
_LOADING = ("python", "node")  # what loads compiled libraries; the others compile for each run
_WHOLE_RUNS = 4  # of all tests, for conditions that those for the change do not need
_STEP = Step(
    id="D1",
    goal="Damage what the change touches, and see which of the tests that speak for it notice.",
    guidance="Each change taken back, functions emptied, conditions, operators and constants changed.",
    requirement_ids=(),
    action=ActionKind.DAMAGE,
)
_INSTALLED = "The tests run a copy of the code not made from this tree, so damage shows nothing."
_NOTHING = "Nothing that changed can be damaged and still be loaded."
_OFF = "`limits.damage` is 0."
_CUT = "The change is too large to damage it everywhere."
_LATE = "the time that `limits.damage` allows was over before a damaged copy was tried."
_LONG = "a changed file is too long to damage it."


async def measure_damage(
    services: Services, case: EvaluationContext, observed: Observed, groups: tuple[Proofs, ...]
) -> Observed:
    """Return what was observed, and what damage shows of it; `case` is on this host.

    Of each of the `groups` of tests, which speak for a demand, one has to notice something. Without any
    groups those tests of base are tried that reach what changed.
    """
    kept = frozenset() if groups else kept_that_reach(observed)
    is_of_base = not groups
    has_code = any(one.kind is ChangeKind.CODE for one in observed.kinds)
    if is_of_base and not (kept and has_code):
        return observed
    started = time.monotonic()
    seen = await _measured(services, case, observed, groups or (Proofs(kept),), is_of_base)
    if is_of_base and seen.problem:
        return observed
    seen = replace(seen, evidence_id=_STEP.id, is_of_base=is_of_base)
    lines = []
    for one in (*seen.trials, *seen.of_hunks, *seen.unneeded):
        noticed, ran = len(one.noticed), len(one.noticed) + len(one.unnoticed)
        told = f"{noticed} of {ran} tests noticed" if ran else "not measured: it does not load"
        lines.append(f"{one.damage.path}:{one.damage.line}: {one.damage.what}: {told}")
    lines += map(in_words, seen.one_value)
    lines += (
        f"{one.path}:{one.line}: {one.what}: not tried, the limit was reached"
        for one in seen.untried
    )
    took_s = round(time.monotonic() - started, 2)
    head = Observation(Side.HEAD, "", None, "\n".join(lines), took_s, problem=seen.problem)
    evidence = Evidence(_STEP.id, _STEP, None, head, Transition.UNKNOWN)
    return replace(observed, damage=seen, evidence=(*observed.evidence, evidence))


async def _measured(
    services: Services,
    case: EvaluationContext,
    observed: Observed,
    groups: tuple[Proofs, ...],
    is_of_base: bool,
) -> DamageSeen:
    """Damage head: first what these tests call, then what they reach or name; and try the tests."""
    end = time.monotonic() + case.damage_seconds
    if not case.damage_seconds or case.checkout.diff.truncated:
        return DamageSeen(problem=_CUT if case.damage_seconds else _OFF, is_limited=True)
    wanted = frozenset[str]().union(*(one.tests for one in groups))
    tests = [one for one in observed.tests.comparisons if one.id in wanted]
    code = {one.path for one in observed.kinds if one.kind is ChangeKind.CODE}
    if not is_of_base:
        code.update(one.path for one in observed.kinds if is_settings_path(one.path))
    paths = {one.path for one in tests}
    symbols = (one for one in observed.symbols if any(test.path in paths for test in one.tests))
    reached = {one.place.name for one in symbols}
    words = reached.union(*(_NAME.findall(one.source) for one in tests))
    called = {name for one in tests for name in called_in(one)}
    made = await make_damages(services.sandbox, case.checkout, code, words, called)
    damages = tuple(one for one in made if one.damage.kind not in UNASKED)
    if is_of_base:
        damages = _for_what_holds(damages)
    of_projects = concerned(case, observed, tests)
    if not damages or not of_projects:
        files = [Path(case.checkout.head_tree, path) for path in code]
        # Of one that is nearly too long, the time to read it may have been over.
        is_long = any(one.is_file() and one.stat().st_size > MOST_BYTES / 5 for one in files)
        return DamageSeen(problem=_LONG if is_long else _NOTHING, is_open=is_long)
    measuring = _Measuring(
        services=services,
        case=case,
        observed=observed,
        groups=groups,
        is_of_base=is_of_base,
        tests=tests,
        code=code,
        made=made,
        damages=damages,
        concerned=of_projects,
        end=end,
    )
    return await measuring.all()


@dataclass(frozen=True, slots=True)
class _Measuring:
    """Of one change the `tests`, its `damages` (`made` has the `UNASKED` besides) and its files of code.

    Time ends at `end` (monotonic).
    """

    services: Services
    case: EvaluationContext
    observed: Observed
    groups: tuple[Proofs, ...]
    is_of_base: bool
    tests: list[TestComparison]
    code: set[str]
    made: tuple[DamagedCopy, ...]
    damages: tuple[DamagedCopy, ...]
    concerned: tuple[Concerned, ...]
    end: float

    async def all(self) -> DamageSeen:
        """Try the damages; where nobody noticed any, make sure that the tests run the tree at all."""
        case, seconds = self.case, self.case.damage_seconds
        # What tests of base notice is all that can show a refactoring; of what else it is a remark.
        if self.is_of_base and not keeps_behavior(case.planned.requirements):
            seconds = min(seconds, max(_LEAST_OF_REMARKS_S, self.head_s * _SHARE_OF_BASE))
        environment, network = self.concerned[0].environment, case.policy.network_to_observe
        folder = self.services.evaluation_folder(case.request) / "damage"
        trials = Trials(
            checkout=case.checkout,
            concerned=self.concerned,
            groups=() if self.is_of_base else tuple(one.tests for one in self.groups),
            replaced={one.id: stand_ins(one) for one in self.tests},
            workspace=folder,
            order=TestOrder(Side.HEAD, case.checkout.head_tree, environment, network=network),
            seconds=seconds,
            limits=Limits(timeout_s=_SHORTEST_S + _LONGER_THAN_HEAD * self.head_s),
            called={one.id: frozenset(called_in(one)) for one in self.tests},
        )
        if any(map(is_compiled, self.code)):
            trials = replace(trials, builds=self.builds(_LOADING), only_compiled=True)
        try:
            trials = await with_tests_alone(self.services.sandbox, trials, self.damages)
            tried, is_run = await self.tried(trials)
            if not is_run and not self.is_of_base:
                trials = replace(trials, builds=self.builds(), only_compiled=False, same=None)
                tried, is_run = await self.tried(trials)
            if is_run and not self.is_of_base and not _is_noticed(tried):
                tried += await self.hunks_left(trials, tried)
            if not _is_noticed(tried):
                return _unnoticed(tried, is_run)
            if not self.is_of_base:
                return await self.needed(trials, tried)
            done = {one.damage for one in tried}
            late = tuple(one.damage for one in self.damages if one.damage not in done)
            return DamageSeen(tried, untried=late)
        finally:
            shutil.rmtree(folder, ignore_errors=True)

    @property
    def head_s(self) -> float:
        """The seconds that head's own run took."""
        return self.observed.suite_on_head.seconds if self.observed.suite_on_head else 0.0

    async def tried(self, trials: Trials) -> tuple[tuple[DamageTrial, ...], bool]:
        """Try the damages; where tests ran and nobody noticed any, tell whether they run the tree at all."""
        tried = await try_damages(self.services.sandbox, trials, self.damages)
        if _is_noticed(tried) or not _is_unnoticed(tried):
            return tried, True
        if self.is_of_base:
            return tried, await loads_the_tree(self.services.sandbox, trials, self.damages[0])
        return tried, await runs_the_tree(self.services.sandbox, trials)

    async def hunks_left(
        self, trials: Trials, tried: tuple[DamageTrial, ...]
    ) -> tuple[DamageTrial, ...]:
        """Take back what was not tried yet: what fails without the whole change may need some of these."""
        done = {one.damage for one in tried}
        hunks = (one for one in self.damages if one.damage.kind == "reverted")
        left = [one for one in hunks if one.damage not in done]
        return await try_hunks(
            self.services.sandbox, self.within(trials, trials.seconds), left[:MOST_RUN]
        )

    def builds(self, ecosystems: Collection[str] = ()) -> dict[str, BuildRequest]:
        """What building head asked for, by project; of these ecosystems alone where any are given."""
        case, found = self.case, {}
        for one in case.built.projects:
            if one.head and not one.head.failure:
                if ecosystems and one.head.recipe.ecosystem not in ecosystems:
                    continue
                asked = build_request(
                    self.services, case.request, case.checkout, Side.HEAD, one.head.recipe
                )
                found[asked.recipe.root] = as_configured(asked, case.policy)
        return found

    async def needed(self, trials: Trials, tried: tuple[DamageTrial, ...]) -> DamageSeen:
        """Tell of a change whose damage is noticed what each hunk and each condition is needed for.

        Hunks are taken back as far as the limit has room.
        """
        case, tests = self.case, self.tests
        # What passes without the change cannot need it.
        turned = any(one.change is not TestChange.PASS_TO_PASS for one in tests)
        hunks = taken_back(case.checkout, self.code, self.damages) if turned else ()
        left = [one for one in hunks if not is_seen_needed(one.damage, tried)]
        room = self.within(trials, max(_LEAST_OF_REMARKS_S, self.head_s * _SHARE_OF_BASE))
        # Something is known of a hunk where both sides of the one project have the same packages.
        paths = {one.damage.path for one in hunks} | {one.path for one in tests}
        projects = {one.root: one for one in map(case.built.at, paths)}
        sides = [side for one in projects.values() for side in (one.base, one.head)]
        layers = {side.dependencies_layer if side else None for side in sides}
        on_base: tuple[DamageTrial, ...] = ()
        if len(projects) == len(layers) == 1:
            on_base = shown_on_base(case.checkout.diff, tests, [one.damage for one in hunks])
        known = on_base if left else ()
        asked = () if known else left
        # What functions return is asked besides.
        most = MOST_RUN - sum(one.damage.kind not in RESULTS for one in tried)
        of_hunks = await try_hunks(self.services.sandbox, room, asked[: max(most, 0)])
        untried = tuple(one.damage for one in asked[len(of_hunks) :])
        room = self.within(trials, max(_LEAST_S, self.head_s * _WHOLE_RUNS))
        asking = [o for o in self.made if o.damage.kind in UNASKED and not self.is_said(o.damage)]
        # Of what is done alike, what the task speaks of shows whether it is needed.
        edits = {one.damage.edit for one in asking} - {""}
        twins = [one for one in self.made if one.damage.edit in edits and one not in asking]
        # Of a table's entries tests look at some.
        asking_of = [o for o in asking if o.damage.kind != KEY] + twins
        if any(one.noticed for one in on_base):  # all of the change as on base is known
            whole = [_spaced(one) for one in hunks]
            asking_of = [one for one in asking_of if _spaced(one) not in whole]
        everybody = [one for one in self.observed.tests.comparisons if passed(one.head_on_head)]
        rooms = room, replace(room, concerned=concerned(case, self.observed, everybody))
        found = await find_unneeded(self.services, case, self.observed, rooms, asking_of)
        asked_about = {one.damage for one in asking}
        unneeded = tuple(one for one in found.trials if one.damage in asked_about)
        one_value: tuple[OneValue, ...] = ()
        if not unneeded:
            conditions = [one.damage for one in asking]
            room = self.within(trials, max(_LEAST_S, self.head_s * _WHOLE_RUNS))
            one_value = await for_one_value(self.services, case, tests, room, conditions)
        beside = await self.beside(trials, (*tried, *(known or of_hunks)))
        return DamageSeen(
            tried,
            of_hunks=known or of_hunks,
            untried=(*untried, *found.late, *found.cut_off),
            late=found.late,
            beside=beside,
            unneeded=unneeded,
            one_value=one_value,
        )

    def is_said(self, damage: Damage) -> bool:
        """Tell whether the task speaks of what a damage takes away."""
        base = TreeReader(Path(self.case.checkout.base_tree))
        return is_said(damage, self.case.planned.requirements, base.read(damage.path) or "")

    def within(self, trials: Trials, seconds: float) -> Trials:
        """The same with so much time, and none of it after the end."""
        return replace(trials, seconds=min(self.end - time.monotonic(), seconds))

    async def beside(self, trials: Trials, tried: tuple[DamageTrial, ...]) -> tuple[Beside, ...]:
        """Empty what a demand names where no damage showed that its tests run it: they have to notice that.

        A change that only takes code away has nothing beside it that its tests could show instead.
        """
        code, files = self.code, trials.checkout.diff.files
        hunks = (hunk for one in files if one.path in code for hunk in one.hunks)
        adds = any(line.startswith("+") for hunk in hunks for line in hunk.lines)
        changed = {one.damage.symbol for one in self.made}
        waiting: dict[frozenset[str], frozenset[str]] = {}
        for proofs in self.groups if adds else ():
            is_run = any(notices_named(proofs, one, files, changed) for one in tried)
            names = proofs.names - (proofs.shown - changed)
            if names and not is_run:
                waiting[names] = waiting.get(names, frozenset()) | proofs.tests
        found = []
        for names, tests in waiting.items():
            tree = trials.checkout.head_tree
            copy = await empty_functions(self.services.sandbox, tree, sorted(code), names)
            done = await try_hunks(self.services.sandbox, trials, [copy]) if copy else ()
            # One whose file cannot be loaded without them does run them.
            unnoticed = {test for one in done for test in one.unnoticed}
            if copy and (left := sorted(tests & unnoticed)):
                found.append(Beside(tuple(sorted(copy.functions)), tuple(left)))
        return tuple(found)


def _spaced(copy: DamagedCopy) -> list[tuple[str, list[bytes]]]:
    """Return a copy's files by line, with one space where there are several behind what begins a line."""
    return [
        (path, [re.sub(rb"(?<=\S)[ \t]+", b" ", row.rstrip()) for row in text.splitlines()])
        for path, text in copy.files
    ]


def _unnoticed(tried: tuple[DamageTrial, ...], is_run: bool) -> DamageSeen:
    """Say what it means that no test noticed any damage."""
    if not _is_unnoticed(tried):
        problem = NO_END if tried else _LATE
        return DamageSeen(tried, problem, is_limited=not tried, is_open=True)
    return DamageSeen(tried) if is_run else DamageSeen(problem=_INSTALLED, is_open=True)


def _is_noticed(tried: tuple[DamageTrial, ...]) -> bool:
    return any(one.noticed for one in tried if one.damage.kind != SAME)


def _is_unnoticed(tried: tuple[DamageTrial, ...]) -> bool:
    return any(one.unnoticed for one in tried if one.damage.kind != SAME)


def _for_what_holds(damages: tuple[DamagedCopy, ...]) -> tuple[DamagedCopy, ...]:
    """A few that tests of base can notice, which never are what is as there; the changed lines first."""
    able = [one for one in damages if one.damage.kind not in (*AS_ON_BASE, SAME)]
    able.sort(key=lambda one: one.damage.kind not in OF_LINES)
    return tuple(able[:_MOST_OF_BASE])
