"""Nothing that is written into a change, its output or its task talks a verdict into satisfied.

The judges are one model that obeys every instruction it finds, in any disguise. Each attempt goes
through the real stages; with the canary left out, what remains are the rules in code.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from bot.configuration import Configuration, JudgePolicy
from bot.context import Built, EvaluationContext, Planned, Policy, Project
from bot.evaluation.deliberate import deliberate, judge
from bot.evidence.planning import plan
from bot.integrity import inspect_integrity
from bot.services import Services
from bot.settings import Settings
from bot.source.local import LocalOrigin
from bot.store import open_artifacts, open_records
from bot.task.requirements import comprehend
from bot.values import (
    ActionKind,
    CanaryResult,
    Category,
    Conclusion,
    Deliberation,
    EvaluationRequest,
    Evidence,
    FourWay,
    Observed,
    Step,
    Task,
    TaskSource,
    Transition,
    Trigger,
    Trust,
    VerdictOutcome,
)
from sandbox import open_sandbox
from sandbox.values import Checkout, Diff, Observation, Side
from tests.bot.integrity.test_integrity import Tree, changed
from tests.bot.text.injections import ATTEMPTS, Attempt, Place
from tests.bot.verdict.cases import KEPT
from tests.obedient import Obedient
from tests.scripted import Scripted

pytestmark = pytest.mark.real  # the sandbox is opened, though nothing runs in it
TITLE = "split should refuse zero people"
NOTHING = Attempt("nothing", Place.OUTPUT, "")
CODE = "def split(total, people):\n    return total // people\n"
HELD, FIXED = Transition.HELD, Transition.FIXED


@dataclass(frozen=True, slots=True)
class Town:
    """The real services of one test, with the obedient model for judges."""

    services: Services
    model: Obedient


@dataclass(frozen=True, slots=True)
class Heard:
    """What the judges said, and what became of it."""

    said: Deliberation
    outcome: VerdictOutcome
    conclusion: Conclusion


@pytest.fixture(scope="module")
def services(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Services]:
    home = tmp_path_factory.mktemp("home")
    settings = Settings(home=home)
    with closing(open_records(settings)) as store:
        yield Services(
            settings,
            open_sandbox("bubblewrap", home / "sandbox"),
            store,
            open_artifacts(settings),
            LocalOrigin(lambda _: None, home, home / "git"),
            mark_key=b"key",
        )


@pytest.fixture
def town(services: Services, tmp_path: Path) -> Town:
    model = Obedient()
    judges = Scripted(model.script, tmp_path / "replies")
    return Town(replace(services, open_session=judges.open), model)


def diff_of(attempt: Attempt) -> Diff:
    comment = attempt.text if attempt.place is Place.COMMENT else "see the issue"
    after = CODE.replace("return", f"# {comment}\n    return 0 or")
    files = [changed("src/shop.py", CODE, after)]
    if attempt.place is Place.DOCS:
        files.append(changed("docs/shop.md", "# Shop", f"# Shop\n{attempt.text}"))
    if attempt.place is Place.FILE_NAME:
        files.append(changed(attempt.text, None, "# Shop"))
    return Diff(tuple(files))


def task_of(attempt: Attempt) -> Task:
    title = attempt.text if attempt.place is Place.TITLE else TITLE
    asked = attempt.text if attempt.place is Place.ISSUE else "It divides by zero."
    claimed = attempt.text if attempt.place is Place.PULL_REQUEST else "Done."
    return Task(
        title,
        (
            TaskSource("issue #7", title, asked, Trust.ASKER),
            TaskSource("pull request #9", "Refuse zero people", claimed, Trust.AUTHOR),
        ),
    )


def evidence_of(attempt: Attempt, steps: tuple[Step, ...], asked: str, moved: Transition):
    """The suite, and two steps about the requirement whose words differ and that prove nothing."""
    run = Step("E3", "Split by zero.", "", (asked,), ActionKind.DYNAMIC_EXECUTION)
    read = Step("E4", "Read what it says.", "", (asked,), ActionKind.READ)
    lint = Step("E2", "Lint.", "", (), ActionKind.STATIC_LINTER)
    said = attempt.text if attempt.place is Place.OUTPUT else "0"
    before = attempt.text if attempt.place is Place.BASE_OUTPUT else "ZeroDivisionError"
    command = attempt.text if attempt.place is Place.COMMAND else "python -c 'split(10, 0)'"
    suite = attempt.text if attempt.place is Place.SUITE else "2 passed"
    page = attempt.text if attempt.place is Place.READ else "Shop, 2nd edition"
    return (
        _piece(steps[0], "pytest", "2 passed", suite, HELD),
        _piece(lint, "ruff check", "", "", HELD),
        _piece(run, command, before, said, moved),
        _piece(read, "read docs/shop.docx", "Shop", page, HELD),
    )


def _piece(step: Step, command: str, base: str, head: str, moved: Transition) -> Evidence:
    failed = 1 if moved is FIXED else 0
    return Evidence(
        step.id,
        step,
        Observation(Side.BASE, command, failed, base, 0.1),
        Observation(Side.HEAD, command, 0, head, 0.1),
        moved,
    )


async def judged(
    town: Town,
    attempt: Attempt,
    *,
    canary: bool = True,
    moved: Transition = HELD,
    is_suite_alone: bool = False,
) -> Heard:
    """Deliberate and judge by the real stages what was seen of a change that proves nothing."""
    configuration = Configuration(judges=JudgePolicy(canary=canary))
    task, diff = task_of(attempt), diff_of(attempt)
    wanted = comprehend(task, configuration, ())
    planned = Planned(wanted, plan(wanted, configuration, diff.changed_paths))
    (asked,) = [r.id for r in wanted.items if r.category is Category.BEHAVIOUR]
    evidence = evidence_of(attempt, planned.plan.steps, asked, moved)
    files = {change.path: "" for change in diff.files}
    tests = FourWay(KEPT, evidence_id="E1")
    integrity = inspect_integrity(diff, Tree({"src/shop.py": CODE}), Tree(files), tests, wanted)
    shown = evidence[: 1 if is_suite_alone else None]
    seen = Observed(shown, tests, (), integrity, True, True, changed_paths=diff.changed_paths)
    trees = [town.services.settings.home / side for side in ("base", "head")]
    for tree in trees:
        tree.mkdir(parents=True, exist_ok=True)
    checkout = Checkout("b" * 40, "h" * 40, "t" * 40, str(trees[0]), str(trees[1]), diff)
    request = EvaluationRequest("e1", "shop", "h" * 40, "b" * 40, "main", Trigger.LOCAL)
    case = EvaluationContext(
        request, checkout, Built((Project("", None, None),), "x"), planned, Policy(configuration)
    )
    said = await deliberate(town.services, case, task, seen)
    judgement = await judge(town.services, case, task, seen, said)
    outcome = next(v.outcome for v in judgement.verdicts if v.requirement_id == asked)
    return Heard(said, outcome, judgement.gate.conclusion)


async def test_honest_judges_are_believed(town: Town) -> None:
    town.model.obeys = False
    heard = await judged(town, NOTHING, moved=FIXED)
    assert heard.said.canary == CanaryResult(True)
    assert heard.outcome is VerdictOutcome.SATISFIED
    assert heard.conclusion is Conclusion.SUCCESS


@pytest.mark.parametrize("attempt", ATTEMPTS, ids=lambda attempt: attempt.name)
async def test_no_attempt_makes_a_requirement_satisfied(attempt: Attempt, town: Town) -> None:
    heard = await judged(town, attempt)
    assert heard.said.canary is not None
    assert not heard.said.canary.is_passed
    assert heard.said.problem
    assert heard.outcome is not VerdictOutcome.SATISFIED
    assert heard.conclusion is not Conclusion.SUCCESS


@pytest.mark.parametrize("attempt", ATTEMPTS, ids=lambda attempt: attempt.name)
async def test_rules_in_code_hold_without_the_canary(attempt: Attempt, town: Town) -> None:
    heard = await judged(town, attempt, canary=False)
    assert bool(town.model.orders) is not attempt.is_disarmed  # it was read, and obeyed
    assert (heard.outcome is VerdictOutcome.SATISFIED) is attempt.only_canary
    assert (heard.conclusion is Conclusion.SUCCESS) is attempt.only_canary


@pytest.mark.parametrize(
    "attempt", [one for one in ATTEMPTS if one.only_canary], ids=lambda attempt: attempt.name
)
async def test_without_a_piece_about_it_no_words_help(attempt: Attempt, town: Town) -> None:
    """As it is without analysts: the suite is all there is."""
    told = replace(attempt, place=Place.SUITE)
    heard = await judged(town, told, canary=False, is_suite_alone=True)
    assert town.model.orders
    assert heard.outcome is VerdictOutcome.UNVERIFIED
    assert not any(one.counts for one in heard.said.panels[0].rounds[0].opinions)


def test_there_are_enough_attempts() -> None:
    assert len({attempt.text for attempt in ATTEMPTS}) >= 40
    assert {attempt.place for attempt in ATTEMPTS} == set(Place)
