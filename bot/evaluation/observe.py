"""Stage 6: tests four ways, linters, checks: on base and on head, in the sandbox."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from bot.apart import apart
from bot.context import Built, EvaluationContext
from bot.diff.kinds import is_test_file, kinds_of_change
from bot.diff.lines import added_lines
from bot.errors import OutOfTime, Superseded, Transient, UserError
from bot.evaluation.on_host import case_here, on_this_host
from bot.evidence.kinds import look_of
from bot.evidence.seen import Seen
from bot.evidence.test_plan.ended import ITEM_ACTIONS
from bot.integrity import inspect_integrity
from bot.integrity.compatibility.dependencies import (
    dependency_findings,
    new_dependencies,
    unnamed_versions,
)
from bot.integrity.texts.instructions import orders_in_text, orders_in_words
from bot.integrity.weakened_tests.adaptation import find_adapted
from bot.integrity.weakened_tests.grown import find_grown
from bot.integrity.weakened_tests.grown_scripts import find_grown_scripts
from bot.integrity.weakened_tests.lost_imports import (
    find_bereft,
    loading_packages_otherwise,
    without_lost_imports,
)
from bot.integrity.weakened_tests.removed_code import find_gone, find_retired
from bot.integrity.weakened_tests.snapshots import with_snapshots
from bot.judges.citations import words_to_judges
from bot.services import Services
from bot.task.categories import version_of
from bot.task.permissions import removed_names
from bot.task.requirements import BUILDS
from bot.trajectory.claims import Held, SeenFacts, facts_of, hold
from bot.trajectory.reading import MOST_CHARACTERS, log_in_archive
from bot.values import ActionKind, Claims, Evidence, FourWay, Observed, Step, Task, TestComparison
from bot.values.four_way import transition
from bot.values.rules import CONFIGURATION, INSTRUCTION_IN_LOG, POLICY_LOOSENED
from sandbox.base import Network
from sandbox.changes.reading import read_kinds
from sandbox.concurrently import a_few_at_a_time, concurrently, cores
from sandbox.errors import CheckoutError
from sandbox.registry import RegistryAnswer, WantedPackage, look_up
from sandbox.repository.names import TreeReader, inside
from sandbox.test_runs.path_kinds import is_untested
from sandbox.values import FAILING, Diff, Environment, Finding, Observation, Outcome

_FIRST = (ActionKind.UNIT_TESTS, ActionKind.STATIC_LINTER, ActionKind.LOCATE)
_AT_A_TIME = max(2, min(8, cores()))
_MOST_READ = 100_000  # characters
_BUILD = Step(
    id="E0",
    goal="Install the project and what it needs.",
    guidance="The commands that the recipe names, on both sides.",
    requirement_ids=(BUILDS,),
    action=ActionKind.DYNAMIC_EXECUTION,
)


@on_this_host
async def observe(services: Services, case: EvaluationContext, task: Task) -> Observed:
    """Look at everything that the plan names. Raises OutOfTime when that takes too long."""
    await services.origin.announce(case.request, "observe", case.planned.plan)
    case = await case_here(services, case)
    minutes = case.policy.configuration.limits.minutes
    try:
        async with asyncio.timeout(minutes * 60):
            return await _observe(services, case, task)
    except TimeoutError as error:
        raise OutOfTime(
            f"Observing did not end within the {minutes:g} minutes that `limits.minutes` allows.",
            "Raise the limit in .github/assay.yml on the base branch, or make the tests quicker.",
        ) from error


def _went_back(test: TestComparison) -> bool:
    """Whether a test in a file that is as before again is gone, or passes on head, and not as on base."""
    is_kept = test.base_on_head is test.head_on_head is Outcome.PASSED
    return test.head_on_head not in FAILING and not is_kept


def _orders(task: Task, evidence: tuple[Evidence, ...]) -> tuple[Finding, ...]:
    return tuple(dict.fromkeys(orders_in_words(task, evidence)))


def _with_reasons(
    case: EvaluationContext,
    tests: FourWay,
    base: TreeReader,
    head: TreeReader,
    gone: frozenset[str],
) -> FourWay:
    """Say of the tests that were edited or deleted which of them something speaks for."""
    checkout, said = case.checkout, case.planned.requirements.said
    changed = checkout.diff.changed_paths
    told = without_lost_imports(tests.comparisons, base, head)
    told = with_snapshots(told, base, head, changed)
    bereft, went = find_bereft(told, checkout.diff)
    retired = find_retired(tests.comparisons, base, head, gone)
    known = {one.id for one in retired}
    own = [one.id for one in told if one.path in changed and _went_back(one)]
    return replace(
        tests,
        comparisons=told,
        retired=(*retired, *(one for one in went if one.id not in known)),
        grown=(
            *find_grown(told, base, head, said, changed),
            *find_grown_scripts(told, base, head, said, changed),
        ),
        adapted=(
            *find_adapted(told, checkout.diff, base, head),
            *loading_packages_otherwise(told, checkout.diff, base, head),
        ),
        bereft=bereft,
        takes_back=checkout.takes_back,
        takes_back_title=checkout.takes_back_title,
        taken_back=tuple(own) if checkout.takes_back else (),
    )


async def _observe(services: Services, case: EvaluationContext, task: Task) -> Observed:
    seen = [Seen(_build_evidence(case.built)), *await _look(services, case)]
    tests = next((one.tests for one in seen if one.tests), None)
    tests = tests or FourWay((), "There are no tests that Assay can run.")
    checkout, built, proposed = case.checkout, case.built, case.policy.proposed
    base, head = TreeReader(Path(checkout.base_tree)), TreeReader(Path(checkout.head_tree))
    kinds = await read_kinds(services.sandbox, checkout)
    unwanted = frozenset[str]().union(*map(removed_names, case.planned.requirements.items))
    gone = await asyncio.to_thread(find_gone, unwanted, base, head)
    tests = await asyncio.to_thread(_with_reasons, case, tests, base, head, gone)
    wanted = (one.text for one in case.planned.requirements.items)
    untested = await asyncio.to_thread(_is_untested, case)
    timeout_s, asked = case.policy.configuration.limits.minutes * 60, case.planned.requirements
    integrity = await apart(timeout_s, inspect_integrity, checkout.diff, base, head, tests, asked)
    evidence = tuple(item for one in seen for item in one.evidence)
    integrity += await apart(timeout_s, _orders, task, evidence)
    integrity += await _vetted_dependencies(services, case, base, head)
    observed = Observed(
        evidence=evidence,
        tests=tests,
        findings=(
            *(one for one in proposed if one.rule == CONFIGURATION),
            *(item for one in seen for item in one.findings),
        ),
        integrity=(*integrity, *(one for one in proposed if one.rule == POLICY_LOOSENED)),
        built_base=_is_built(built.decisive.base),
        built_head=_is_built(built.decisive.head),
        build_folder=built.decisive.root,
        needs=_needs(built),
        left_out=" ".join(_left_out(built)),
        unbuilt=next((e.recipe.unbuilt for e in _bases(built) if e.recipe.unbuilt), ""),
        too_new=next((e.recipe.too_new for e in _bases(built) if e.recipe.too_new), ""),
        missing_submodules=tuple(one for one in checkout.missing_submodules if one.is_named),
        base_is_untested=untested,
        gone=tuple(sorted(gone)),
        unnamed=unnamed_versions(checkout.diff, map(version_of, wanted)),
        read_by_tests=_read_by_tests(checkout.diff, tests),
        changed_paths=checkout.diff.changed_paths,
        changes_truncated=checkout.diff.truncated,
        kinds=kinds_of_change(checkout.diff, kinds),
        impact=next((one.impact for one in seen if one.impact), None),
        located=tuple(item for one in seen for item in one.located),
        examples=tuple(item for one in seen for item in one.examples),
        fixes=tuple(item for one in seen for item in one.fixes),
        without=case.request.without,
    )
    return await with_claims(services, case, observed)


def _read_by_tests(diff: Diff, tests: FourWay) -> str:
    own = {one.path for one in tests.comparisons}
    read = (one for one in diff.files if is_test_file(one.path) and one.path not in own)
    return "\n".join(line for one in read for _, line in added_lines(one))[:_MOST_READ]


async def _vetted_dependencies(
    services: Services, case: EvaluationContext, base: TreeReader, head: TreeReader
) -> tuple[Finding, ...]:
    """Ask the registries about new dependencies, where the build may use the network."""
    timeout_s = case.policy.configuration.limits.minutes * 60
    new = await apart(timeout_s, new_dependencies, case.checkout.diff, base, head)
    if not new:
        return ()
    answers: dict[WantedPackage, RegistryAnswer] = {}
    if case.policy.network_to_build is Network.BUILD:
        answers = await look_up(services.sandbox, [wanted for wanted, _ in new])
    return tuple(dependency_findings(new, answers))


async def _look(services: Services, case: EvaluationContext) -> list[Seen]:
    """Take every step of the plan; the linters and the code graph look while the tests run.

    A test plan's items come last, a few at a time: each has its own fresh tree.
    """
    steps = case.planned.plan.steps
    first = [look_of(case, step)(services, case, step) for step in steps if step.action in _FIRST]
    later = (step for step in steps if step.action not in (*_FIRST, *ITEM_ACTIONS))
    seen = await concurrently(*first)
    seen += [await look_of(case, step)(services, case, step) for step in later]
    items = [
        look_of(case, step)(services, case, step) for step in steps if step.action in ITEM_ACTIONS
    ]
    return seen + await a_few_at_a_time(_AT_A_TIME, items)


# --- the build ------------------------------------------------------------------------------


def _build_evidence(built: Built) -> tuple[Evidence, ...]:
    """Show the output of a build that failed; one that went well has nothing to tell."""
    sides = built.decisive.base, built.decisive.head
    if not any(one and one.failure and not one.recipe.needs for one in sides):
        return ()
    seen: list[Observation | None] = []
    for one in sides:
        fine = Observation(one.side, "", 0, "It was built.", one.seconds) if one else None
        seen.append(one.failure if one and one.failure else fine)
    base, head = seen
    return (Evidence(_BUILD.id, _BUILD, base, head, transition(base, head)),)


def _is_untested(case: EvaluationContext) -> bool:
    configuration = case.policy.configuration
    lines = [configuration.setup.test, *(one.setup.test for one in configuration.projects)]
    return not any(lines) and is_untested(Path(case.checkout.base_tree))


# --- facts ----------------------------------------------------------------------------------


def _is_built(environment: Environment | None) -> bool | None:
    if environment is None or environment.recipe.needs:
        return None
    return environment.failure is None


def _needs(built: Built) -> tuple[str, ...]:
    """What the machine lacks for the projects that the change touches."""
    sides = (side for one in built.projects if one.is_touched for side in one.sides)
    return tuple(dict.fromkeys(need for side in sides for need in side.recipe.needs))


def _bases(built: Built) -> Iterator[Environment]:
    yield from (one.base for one in built.projects if one.base and one.is_touched)


def _left_out(built: Built) -> Iterator[str]:
    for one in built.projects:
        if one.base and one.base.recipe.left_out:
            yield (
                f"{one.root}: {one.base.recipe.left_out}" if one.root else one.base.recipe.left_out
            )


# --- the agent's own log: as it was sent, else where the configuration says that it is -------------
# It is a hint. That it is not there is no remark, that it cannot be read is one, and neither ends
# anything.


_TIMEOUT_S = 120.0
_MOST_ARCHIVE_BYTES = 50_000_000


@dataclass(frozen=True, slots=True)
class _Log:
    text: str = ""
    problem: str = ""


async def with_claims(services: Services, case: EvaluationContext, observed: Observed) -> Observed:
    """Hold the agent's log, where there is one, against what was seen."""
    timeout_s = min(case.policy.configuration.limits.minutes * 60, _TIMEOUT_S)
    try:
        log = await _found(services, case, timeout_s)
        if log.problem:
            return replace(observed, claims=Claims("", problem=log.problem))
        if not log.text:
            return observed
        facts = facts_of(case.planned.requirements, observed)
        held = await apart(timeout_s, _held, log.text, facts)
    except UserError:
        held = Held(Claims("", problem="It takes too long or too much memory to read."))
    return replace(observed, claims=held.claims, integrity=(*observed.integrity, *held.findings))


def _held(text: str, facts: SeenFacts) -> Held:
    """Hold a log; one that tells judges what to say is shown to people only."""
    held = hold(text, facts)
    shown = "\n".join(
        text
        for one in held.claims.steps
        for text in (one.step.thought, one.step.action, one.step.observation)
    )
    orders = tuple(orders_in_text("The agent's log", shown, INSTRUCTION_IN_LOG))
    claims = replace(held.claims, for_judges=not (orders or words_to_judges(shown)))
    return Held(claims, (*held.findings, *orders))


async def _found(services: Services, case: EvaluationContext, timeout_s: float) -> _Log:
    """The log as it was sent, of head's tree, or of a workflow's artifact, in this order."""
    where = case.policy.configuration.trajectory
    if case.request.trajectory:
        return _Log(case.request.trajectory)
    if where.path:
        tree = Path(case.checkout.head_tree)
        log = await asyncio.to_thread(_in_tree, tree, where.path)
        if log.text or log.problem:
            return log
    if not where.artifact:
        return _Log()
    request = replace(case.request, head_sha=case.checkout.head_sha)
    try:
        archive = await services.origin.artifact(request, where.artifact, _MOST_ARCHIVE_BYTES)
    except UserError as error:
        return _Log(problem=f"{error.what} {error.next_step}".strip())
    except (Transient, Superseded):  # nothing is looked at again for a hint
        return _Log(problem="GitHub could not be asked for it.")
    # It is an archive of a stranger's making, so it is read in a process of its own.
    text = "" if archive is None else await apart(timeout_s, log_in_archive, archive)
    return _Log(text, "" if text or archive is None else _NO_LOG)


def _in_tree(tree: Path, path: str) -> _Log:
    try:
        file = inside(tree, path)
    except CheckoutError:
        return _Log()
    if not file.is_file() or not file.resolve().is_relative_to(tree.resolve()):
        return _Log()
    with file.open("rb") as opened:
        data = opened.read(MOST_CHARACTERS + 1)
    if len(data) > MOST_CHARACTERS:
        return _Log(
            problem=f"It has more than {MOST_CHARACTERS // 1_000_000} MB, and was not read."
        )
    return _Log(data.decode(errors="replace"))


_NO_LOG = (
    "The artifact holds no `.json`, `.jsonl` or `.traj` file of at most 32 MB that can be read."
)
