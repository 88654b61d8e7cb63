"""Runs the tests of every project four ways: each side's tests on each side's code."""

from __future__ import annotations

import asyncio
import hashlib
import json
import re
import shlex
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from itertools import count
from pathlib import Path, PurePosixPath

from pydantic import TypeAdapter

from bot.context import EvaluationContext, Project
from bot.evidence.seen import Seen, limits
from bot.evidence.tests.four_way import compare
from bot.services import Services
from bot.store import Store
from bot.task.requirements import NOTHING_REGRESSES
from bot.values import Evidence, FourWay, NotRun, Part, Step, TestComparison, TestedFolder
from bot.values.four_way import between, passed, transition
from sandbox.concurrently import a_few_at_a_time, cores
from sandbox.test_runs.four_runs import FourRuns, failed, is_below, is_whole_file
from sandbox.test_runs.four_way import RUNS, Crossed, Sides, run_four_ways
from sandbox.test_runs.path_kinds import is_untested
from sandbox.test_runs.test_order import TestOrder
from sandbox.test_runs.unit_tests import HARNESS_VERSION, run_tests
from sandbox.toolchains.layers import known_as
from sandbox.toolchains.projects import MOST_PROJECTS
from sandbox.values import Environment, Observation, Outcome, Side, TestRun, TestRunner

_OBSERVATION = TypeAdapter(Observation)


class BaseResults:
    """The kept run of one base: found by commit, environment, command, network and harness version."""

    def __init__(self, store: Store, sides: Sides, repository: str) -> None:
        self._store = store
        base, recipe = sides.base, sides.base.recipe
        command = [(call.runner.value, *call.arguments) for call in recipe.calls]
        checkout = sides.checkout
        tree = (checkout.base_sha, *(one.path for one in checkout.missing_submodules))
        layers = (base.digest, known_as(base.dependencies_layer), known_as(base.project_layer))
        where = (repository, tree, *layers, recipe.root)
        parts = (*where, command, sides.network.value, HARNESS_VERSION)
        self._key = "base-tests:" + hashlib.sha256(json.dumps(parts).encode()).hexdigest()

    def find(self) -> Observation | None:
        """Return the kept run, or None."""
        text = self._store.base_result(self._key)
        return _OBSERVATION.validate_python(json.loads(text)) if text else None

    def keep(self, observation: Observation) -> None:
        """Keep a run that is complete; one that proves nothing is run again next time."""
        if observation.tests is not None and observation.tests.complete:
            # As ASCII: what tests say may hold halves of surrogate pairs, which no database stores.
            text = json.dumps(_OBSERVATION.dump_python(observation, mode="json"))
            self._store.keep_base_result(self._key, text)


def crossed_evidence(
    step: Step,
    own: tuple[Observation | None, Observation | None],
    crossed: Crossed,
    suffix: str = "",
) -> tuple[Evidence, ...]:
    """Base's tests on head's code beside base's own run, and head's tests on base's beside head's own.

    `own` are base's and head's full runs; `suffix` tells the runs of several projects apart.
    """
    base_tests = replace(
        step,
        id=f"{step.id}b{suffix}",
        goal="Run base's version of the changed tests on head's code.",
        guidance="In head's tree with base's test files. Only what differs between the two is run.",
        requirement_ids=(NOTHING_REGRESSES,),
    )
    head_tests = replace(
        step,
        id=f"{step.id}h{suffix}",
        goal="Run head's version of the changed tests on base's code.",
        guidance="In base's tree with head's test files: a new test must fail here to prove anything.",
        requirement_ids=(),
    )
    found = list[Evidence]()
    if own[0] and (seen := crossed.base_on_head):
        shown = between(_passed_among(own[0], seen), passed(seen))
        found.append(Evidence(base_tests.id, base_tests, own[0], seen, shown))
    if own[1] and (seen := crossed.head_on_base):
        shown = between(passed(seen), _passed_among(own[1], seen))
        found.append(Evidence(head_tests.id, head_tests, seen, own[1], shown))
    return tuple(found)


def _passed_among(own: Observation, crossed: Observation) -> bool | None:
    """Whether a side's full run passed in the files that ran crosswise: others say nothing of these."""
    if own.tests is None or crossed.tests is None or not own.tests.complete:
        return passed(own)
    ran = {one.path for one in crossed.tests.results}
    failing = [one.path for one in own.tests.results if failed(one.outcome)]
    is_elsewhere = bool(failing) and ran.isdisjoint(failing)
    return True if is_elsewhere and passed(own) is False else passed(own)


_WORDS = re.compile(r"[\s;&|()'\"=]+")


@dataclass(frozen=True, slots=True)
class _Run:
    """What running one project's tests showed; without observations `four_way` says why."""

    project: Project
    four_way: FourWay
    base: Observation | None = None
    head: Observation | None = None
    crossed: Crossed = field(default_factory=Crossed)

    @property
    def root(self) -> str:
        return self.project.root

    @property
    def found_tests(self) -> bool:
        """Whether anything was run on base; what only uses the change is not run without."""
        results = self.base.tests.results if self.base and self.base.tests else ()
        return self.only_exit_code or any(not is_whole_file(one) for one in results)

    def has_none(self, tree: Path) -> bool:
        """Whether a project below the top has no test: none was collected, and nothing looks like one."""
        sides = [seen for seen in (self.base, self.head) if seen]
        ran = [seen.tests for seen in sides if seen.tests]
        is_empty = len(sides) == len(Side) and not any(
            one.results or not one.complete for one in ran
        )
        is_known = bool(self.root) and is_empty and not self.only_exit_code
        return is_known and is_untested(tree / self.root)

    @property
    def only_exit_code(self) -> bool:
        return any(seen and seen.command and seen.tests is None for seen in (self.base, self.head))

    def covers(self, folder: str, tree: Path) -> bool:
        """Whether tests below a folder were run: one passed on base, or a line runs all of them."""
        if self.only_exit_code:
            # The folders of the repository that a configured line names: it may run nothing beside them.
            seen = self.base or self.head
            words = _WORDS.split(seen.command) if seen else []
            plain = [word.removeprefix("./").rstrip("/") for word in words if ".." not in word]
            relative = [word for word in plain if word and not word.startswith("/")]
            named = tuple(word for word in relative if (tree / word).is_dir())
            return is_below(folder, named or (self.root,))
        results = self.base.tests.results if self.base and self.base.tests else ()
        return any(
            one.outcome is Outcome.PASSED and is_below(one.path, (folder,)) for one in results
        )


async def run_unit_tests(services: Services, case: EvaluationContext, step: Step) -> Seen:
    """Run the tests of all projects; one that the tests of the whole repository reach runs with them."""
    projects = case.built.projects
    tree = Path(case.checkout.base_tree)
    ended = count(1)

    def run_ended() -> None:
        services.count_runs(next(ended), RUNS * len(projects))

    async def run(project: Project) -> _Run:
        return await _run(services, case, project, run_ended)

    runs = [await run(one) for one in projects if not one.root]
    rest = [
        one for one in projects if one.root and not any(top.covers(one.root, tree) for top in runs)
    ]
    steps = [run(one) for one in rest if one.is_touched or not _why_not_built(case, one)]
    runs += await a_few_at_a_time(max(1, cores() // 2), steps)
    runs = [one for one in runs if one.project.is_touched or one.found_tests]
    runs.sort(key=lambda one: projects.index(one.project))
    tested = [one for one in runs if not one.has_none(tree)] or runs
    base, head = (_together(side, tested) for side in Side)
    is_seen = base is not None or head is not None
    whole = (Evidence(step.id, step, base, head, transition(base, head)),) if is_seen else ()
    tests = _all_ways(case, tested, step.id if whole else "")
    crossed = (
        one
        for number, run in enumerate(tested, start=1)
        for one in crossed_evidence(
            step, (run.base, run.head), run.crossed, str(number) if len(tested) > 1 else ""
        )
    )
    return Seen((*whole, *crossed), replace(tests, not_run=tuple(_not_run(case, runs))))


async def _run(
    services: Services, case: EvaluationContext, project: Project, run_ended: Callable[[], None]
) -> _Run:
    """Run one project's tests, with base's known results where they are kept."""
    base, head = project.base, project.head
    if head is not None and Part.BASE_SIDE in case.request.without:
        return await _head_alone(services, case, project, head)
    if base is None or head is None:
        side = "either side" if base is head else "base" if base is None else "head"
        known = f"No kind of project that Assay knows was found on {side}, so no tests were run."
        return _Run(project, FourWay((), known))
    if base.recipe.ecosystem != head.recipe.ecosystem:
        changed = (
            f"The project is {base.recipe.ecosystem} on base and {head.recipe.ecosystem} on head"
        )
        return _Run(project, FourWay((), f"{changed}, so its tests cannot be compared."))
    is_first = base.recipe.runner is TestRunner.NONE is not head.recipe.runner
    if is_first:  # head brings the first tests: they are run on base's code as head runs them
        base = replace(head, side=Side.BASE)
    place = project.root.replace("/", "_")
    sides = Sides(
        checkout=case.checkout,
        base=base,
        head=head,
        workspace=services.evaluation_folder(case.request) / "trees" / place,
        limits=limits(case),
        network=case.policy.network_to_observe,
        run_ended=run_ended,
    )
    kept = BaseResults(services.store, sides, case.request.repository)
    known_base = None if is_first else kept.find()
    seen = await run_four_ways(services.sandbox, replace(sides, known_base=known_base))
    if not is_first:
        kept.keep(seen.base)
    if seen.runs is None:
        return _Run(project, FourWay((), seen.problem), seen.base, seen.head)
    compared = await asyncio.to_thread(compare, seen.runs, case.checkout.diff)
    return _Run(project, compared, seen.base, seen.head, seen.crossed)


async def _head_alone(
    services: Services, case: EvaluationContext, project: Project, head: Environment
) -> _Run:
    """Run head's tests on head's code, and nothing of base: what no test did there is not known."""
    order = TestOrder(
        Side.HEAD,
        case.checkout.head_tree,
        head,
        limits=limits(case),
        network=case.policy.network_to_observe,
    )
    seen = await run_tests(services.sandbox, order)
    if seen.tests is None:
        problem = seen.problem or "Base was not looked at."
        return _Run(project, FourWay((), problem), None, seen)
    runs = FourRuns(TestRun(True, ()), seen.tests)
    compared = await asyncio.to_thread(compare, runs, case.checkout.diff)
    return _Run(project, compared, None, seen)


# --- all projects together --------------------------------------------------------------------


def _together(side: Side, runs: list[_Run]) -> Observation | None:
    """One observation for all projects, so that the tests are one step of the evaluation."""
    seen = [(run.root, one) for run in runs if (one := run.base if side is Side.BASE else run.head)]
    if len(seen) < 2:
        return seen[0][1] if seen else None
    codes = [one.exit_code for _, one in seen]
    tested = [one.tests for _, one in seen if one.tests]
    problems = [
        f"{root or 'The root directory'}: {one.problem}" for root, one in seen if one.problem
    ]
    lines = [
        f"(cd {shlex.quote(root)} && {one.command})" if root else one.command
        for root, one in seen
        if one.command
    ]
    joined = TestRun(
        complete=all(run.complete for run in tested),
        results=tuple(result for run in tested for result in run.results),
        problem=" ".join(run.problem for run in tested if run.problem),
        forged=any(run.forged for run in tested),
    )
    return Observation(
        side=side,
        command="\n".join(lines),
        exit_code=None if None in codes else max(code or 0 for code in codes),
        output="\n".join(f"--- {root or '.'}\n{one.output}" for root, one in seen),
        seconds=sum(one.seconds for _, one in seen),
        timed_out=any(one.timed_out for _, one in seen),
        out_of_memory=any(one.out_of_memory for _, one in seen),
        truncated=any(one.truncated for _, one in seen),
        tests=joined if tested else None,
        problem=" ".join(problems),
    )


def _all_ways(case: EvaluationContext, runs: list[_Run], evidence_id: str) -> FourWay:
    """The comparisons of all projects; what one of them cannot show stands in its folder's entry."""
    apart = tuple(run.root for run in runs if run.root)
    comparisons: list[TestComparison] = []
    for run in runs:
        others = () if run.root else apart  # a project's own run speaks for its folder
        comparisons += [c for c in run.four_way.comparisons if not is_below(c.path, others)]
    problems = [run.four_way.problem for run in runs]
    on_base = " ".join(dict.fromkeys(filter(None, (run.four_way.ended_on_base for run in runs))))
    whole = " ".join(dict.fromkeys(problems)) if all(problems) else ""
    known = (*apart, *(one.folder for one in case.built.concerned if one.folder))
    folders = tuple(one for run in runs for one in _folders(run, known, apart))
    return FourWay(tuple(comparisons), whole, evidence_id, folders, ended_on_base=on_base)


def _folders(run: _Run, known: tuple[str, ...], apart: tuple[str, ...]) -> Iterable[TestedFolder]:
    """Count a run's tests by folder: a project is one, the repository's own tests are told apart."""
    problem = run.four_way.problem
    if run.base is None and run.head is None:
        yield TestedFolder(run.root, problem=problem)
        return
    if run.only_exit_code:
        yield TestedFolder(run.root, transition=transition(run.base, run.head), problem=problem)
        return
    counts: list[Counter[str]] = []
    for seen in (run.base, run.head):
        results = seen.tests.results if seen and seen.tests else ()
        own = [one.path for one in results if not is_whole_file(one)]
        if run.root:
            counts.append(Counter(run.root for _ in own))
        else:
            beside = (path for path in own if not is_below(path, apart))
            counts.append(Counter(folder_of(path, known) for path in beside))
    found = dict.fromkeys((*counts[0], *counts[1])) or {run.root: None}
    for folder in found:
        yield TestedFolder(folder, counts[0][folder], counts[1][folder], problem=problem)


def folder_of(path: str, known: Iterable[str]) -> str:
    """The innermost known project that a test stands in, else the top folder that it is in."""
    inside = [folder for folder in known if is_below(path, (folder,))]
    parts = PurePosixPath(path).parts
    return max(inside, key=len, default=parts[0] if len(parts) > 1 else "")


# --- what was not run -------------------------------------------------------------------------


def _not_run(case: EvaluationContext, runs: list[_Run]) -> Iterable[NotRun]:
    """Name the projects that the change concerns and whose tests no run reached, and why."""
    tree = Path(case.checkout.base_tree)
    own = {run.root for run in runs if run.base or run.head or run.project.is_touched}
    for one in case.built.concerned:
        if one.folder in own or any(run.covers(one.folder, tree) for run in runs):
            continue
        project = next((other for other in case.built.projects if other.root == one.folder), None)
        if case.policy.configuration.setup.test:
            why = "`setup.test` does not run it"
        elif project is None:
            why = f"the change concerns more than {MOST_PROJECTS} projects"
        else:
            why = _why_not_built(case, project) or "none of its tests could be loaded on base"
        yield NotRun(one.folder, one.uses, why)


def _why_not_built(case: EvaluationContext, project: Project) -> str:
    is_off = Part.BASE_SIDE in case.request.without
    base = () if is_off else ((project.base, "base"),)
    for environment, side in (*base, (project.head, "head")):
        if environment is None:
            return f"it is not there on {side}"
        if environment.recipe.needs:
            return f"this machine lacks {' and '.join(environment.recipe.needs)}"
        failure = environment.failure
        if failure and failure.problem:
            return "the package index could not be reached"
        if failure:
            return f"it does not build on {side}"
    return ""
