"""Fixes what will be checked before the first verdict: every step is bound to requirements."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from bot.configuration import Configuration
from bot.diff.lines import TextReader
from bot.task.categories import ASKED
from bot.task.requirements import BUILDS, NOTHING_REGRESSES, PAGES_WORK, TESTS_NOT_WEAKENED
from bot.values import ActionKind, ItemKind, Plan, Requirements, Step
from sandbox.values import Diff


def plan(
    requirements: Requirements,
    configuration: Configuration,
    changed_paths: tuple[str, ...],
    pages: tuple[str, ...] = (),
    more: tuple[Step, ...] = (),
) -> Plan:
    """Fix the steps: the tests, the changed files' linters, each check or script, plan items, pages, what
    kinds of evidence plan of themselves, places.

    Ids are E1, E2, …; an evidence takes its step's id. The tests' argument is the configuration's
    shell line, if any.
    """
    asked = tuple(r.id for r in requirements.items if r.category in ASKED)
    suite = replace(
        _SUITE,
        requirement_ids=(BUILDS, NOTHING_REGRESSES, TESTS_NOT_WEAKENED, *asked),
        arguments=(command,) if (command := configuration.setup.test) else (),
    )
    own = _own(requirements, changed_paths, pages)
    last = (_PLACES,) if changed_paths else ()
    taken = (suite, *((_LINTER,) if changed_paths else ()), *own)
    numbered = enumerate((*more, *last), start=len(taken) + 1)
    late = (
        replace(step, id=f"E{number}", requirement_ids=step.requirement_ids or asked)
        for number, step in numbered
    )
    return Plan((*taken, *late))


@dataclass(frozen=True, slots=True)
class Change:
    """What is changed, with both sides' files to read."""

    diff: Diff
    base: TextReader
    head: TextReader


Planner = Callable[[Requirements, Change], Step | None]
"""Says which step a change needs; one without requirements is about all that was asked."""


def planned_by(
    planners: tuple[Planner, ...], requirements: Requirements, change: Change
) -> tuple[Step, ...]:
    """Return the steps that these plan, in their order."""
    return tuple(step for one in planners if (step := one(requirements, change)))


_SUITE = Step(
    id="E1",
    goal="See which tests fail on base and pass on head, and which the change breaks.",
    guidance="Base tests and head tests, each on base code and on head code.",
    requirement_ids=(),
    action=ActionKind.UNIT_TESTS,
)
_LINTER = Step(
    id="E2",
    goal="See what linters find on head and did not find on base.",
    guidance="The changed files, by the rules of base.",
    requirement_ids=(),
    action=ActionKind.STATIC_LINTER,
)
_PAGES = Step(
    id="",
    goal="See the pages that the change touches, and try their controls.",
    guidance="In a browser, wide and narrow, light and dark, on both sides.",
    requirement_ids=(PAGES_WORK,),
    action=ActionKind.SCREENSHOT,
)
_PLACES = Step(
    id="",
    goal="See who uses what the change touches, and where the requirements are about.",
    guidance="By the names in the code of both sides: a hint, no verdict rests on it.",
    requirement_ids=(),
    action=ActionKind.LOCATE,
)


def _own(
    requirements: Requirements, changed_paths: tuple[str, ...], pages: tuple[str, ...]
) -> tuple[Step, ...]:
    """The steps for checks and scripts, test plan items, pages and documents, in this order."""
    steps = [
        Step(
            id="",
            goal=requirement.text,
            guidance="Every act of the script goes well on head."
            if requirement.script
            else "Exit code 0 on head means that it holds.",
            requirement_ids=(requirement.id,),
            action=ActionKind.INTERACTION if requirement.script else ActionKind.BASH,
            arguments=requirement.script or (requirement.check,),
        )
        for requirement in requirements.items
        if requirement.check or requirement.script
    ]
    # The look finds an item of the test plan by its requirement.
    steps += [
        Step("", r.text, _GUIDANCE[r.item.kind], (r.id,), _ACTIONS[r.item.kind])
        for r in requirements.items
        if r.item is not None
    ]
    if pages:
        steps.append(replace(_PAGES, arguments=pages))
    # The text of changed documents is shown: their diff says nothing.
    documents = [path for path in changed_paths if path.lower().endswith(_DOCUMENTS)]
    steps += [
        replace(_DOCUMENT, goal=f"See what {path} says.", arguments=(path,))
        for path in documents[:_MOST_DOCUMENTS]
    ]
    return tuple(replace(step, id=f"E{number}") for number, step in enumerate(steps, start=3))


_DOCUMENT = Step(
    id="",
    goal="",
    guidance="Converted to text on both sides, for people to read.",
    requirement_ids=(),
    action=ActionKind.READ,
)
_DOCUMENTS = (".docx", ".xlsx", ".pptx", ".pdf")
_MOST_DOCUMENTS = 3
_ACTIONS = {
    ItemKind.UNIT_TEST: ActionKind.SHELL_INTERACTION,
    ItemKind.SHELL_INTERACTION: ActionKind.SHELL_INTERACTION,
    ItemKind.FILE_COMPARISON: ActionKind.FILE_COMPARISON,
}
_GUIDANCE = {
    ItemKind.UNIT_TEST: "The plan's tests, each seen by the test recorder; a failing one binds.",
    ItemKind.SHELL_INTERACTION: "The plan's commands behind a terminal, with the input it names.",
    ItemKind.FILE_COMPARISON: "The plan's commands, then the files they left against the expected.",
}
