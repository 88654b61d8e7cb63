"""Asks a model what else the task demands, and which further steps would show whether that holds.

CodeVisionary's requirement comprehension, Agent-as-a-Judge's requirements as a graph: the list that was made
by rule stays whole, the model may add, connect and point at duplicates. Then CodeVisionary's plan of goal and
guidance, typed and bound to requirement ids: the steps that the rules ask for are in the plan whatever it
says; what it proposes is checked by code, and appended or dropped with a remark.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated

from pydantic import BaseModel, Field, StringConstraints

from bot.judges.agents import Agents
from bot.judges.material import AUTHOR_CHARS, TASK_CHARS, told_sources
from bot.judges.model.base import Prompt
from bot.judges.weighing import OPEN_TO_JUDGES
from bot.task.categories import ASKED
from bot.task.understanding import ComprehensionReply
from bot.values import ActionKind, Impact, Located, Plan, Requirements, Role, Step, Task, TaskSource
from sandbox.browser.script import ScriptError, read_script

MOST_STEPS = 8
MOST_PAGES = 3
LISTED_CHARS, PLACES_CHARS, PLAN_CHARS = 10_000, 6_000, 4_000
DIFF_CHARS, CODE_CHARS = 8_000, 8_000
_LONGEST_SEARCH, _LONGEST_LINE = 200, 2_000
_PAGES = (".html", ".htm", ".svg")
MENU = (
    ActionKind.BASH,
    ActionKind.READ,
    ActionKind.SEARCH,
    ActionKind.SCREENSHOT,
    ActionKind.INTERACTION,
)
"""What may be proposed; tests, linters, checks and the code graph are in every plan already."""

Text = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=300)]
Argument = Annotated[str, StringConstraints(min_length=1, max_length=2_000)]


class ProposedStep(BaseModel):
    """A step as the model writes it; `action` is checked against the menu afterwards."""

    goal: Text
    guidance: Text
    requirements: list[str] = Field(min_length=1, max_length=40)
    action: str = Field(max_length=40)
    arguments: list[Argument] = Field(min_length=1, max_length=40)


class PlanReply(BaseModel):
    """The steps that the model would add."""

    steps: list[ProposedStep] = Field(default_factory=list, max_length=24)


@dataclass(frozen=True, slots=True)
class PlanningFacts:
    """What a plan stands on: the fixed steps, hints of the code graph, and what exists.

    `has_file` tells of a path whether either side has it; `site` is the served project's address or empty.
    `code` is what the change touches as it is on head.
    """

    fixed: Plan
    changed_paths: tuple[str, ...]
    has_file: Callable[[str], bool]
    site: str = ""
    impact: Impact | None = None
    located: tuple[Located, ...] = ()
    task: Task | None = None
    diff: str = ""
    code: str = ""


@dataclass(frozen=True, slots=True)
class Proposed:
    """The steps that hold, and why the others do not."""

    steps: tuple[Step, ...]
    remarks: tuple[str, ...] = ()


async def propose_steps(
    agents: Agents, requirements: Requirements, facts: PlanningFacts
) -> Proposed:
    """Ask once. Raises Answerless, BudgetSpent or ModelAway; the fixed steps stand without it."""
    delimiter = agents.delimiter
    asked, claimed = told_sources(facts.task.sources if facts.task else ())
    seen = (
        ("task", asked, TASK_CHARS),
        ("words of the change's author", claimed, AUTHOR_CHARS),
        ("diff from base to head", facts.diff, DIFF_CHARS + 1_000),
        ("changed code on head", facts.code, CODE_CHARS),
    )
    fixed = "\n".join(f"{step.action.value}: {step.goal}" for step in facts.fixed.steps)
    prompt = Prompt(
        Role.PLANNER,
        *agents.texts(
            "planner",
            listed=delimiter.enclose("requirements", listed_text(requirements), LISTED_CHARS),
            seen="\n\n".join(
                delimiter.enclose(name, text, most) for name, text, most in seen if text
            ),
            places=delimiter.enclose("code", _places(facts), PLACES_CHARS),
            fixed=delimiter.enclose("steps", fixed, PLAN_CHARS),
            site=facts.site,
            most=MOST_STEPS,
        ),
    )
    reply = await agents.session.ask(prompt, PlanReply)
    return checked(reply, requirements, facts)


def _places(facts: PlanningFacts) -> str:
    """What changes, who uses it, and where the requirements are most likely about."""
    lines = [f"changed file: {path}" for path in facts.changed_paths[:60]]
    for symbol in facts.impact.symbols[:40] if facts.impact else ():
        users = ", ".join(place.words for place in symbol.callers[:4]) or "nobody found"
        lines.append(f"{symbol.how}: {symbol.place.words} (used by {users})")
    for one in facts.located:
        lines += [
            f"{one.requirement_id} may be about {found.place.words}, line {found.place.line}"
            for found in one.places
        ]
    return "\n".join(lines)


# --- what may enter the plan --------------------------------------------------------------------


def checked(reply: PlanReply, requirements: Requirements, facts: PlanningFacts) -> Proposed:
    """Number the steps that hold after the fixed ones."""
    open_ids = {one.id for one in requirements.items if one.category in OPEN_TO_JUDGES}
    steps: list[Step] = []
    remarks: list[str] = []
    first = len(facts.fixed.steps) + 1
    for proposed in reply.steps:
        ids = tuple(dict.fromkeys(id_ for id_ in proposed.requirements if id_ in open_ids))
        arguments = tuple(proposed.arguments)
        if len(steps) >= MOST_STEPS:
            problem = f"{MOST_STEPS} steps are the most"
        elif proposed.action not in MENU:
            problem = f"“{proposed.action[:40]}” is not on the menu"
        elif not ids:
            problem = "it serves no requirement that is open to judges"
        elif any("\0" in one for one in arguments):
            problem = "an argument holds a character that none may hold"
        else:
            problem = _ARGUMENTS[ActionKind(proposed.action)](arguments, facts)
        if problem:
            remarks.append(f"The planned step “{proposed.goal[:60]}” was left out: {problem}.")
            continue
        steps.append(
            Step(
                f"E{first + len(steps)}",
                proposed.goal,
                proposed.guidance,
                ids,
                ActionKind(proposed.action),
                arguments,
                is_proposed=True,
            )
        )
    return Proposed(tuple(steps), tuple(remarks))


def _line_problem(arguments: tuple[str, ...], _: PlanningFacts) -> str:
    if len(arguments) != 1 or len(arguments[0]) > _LONGEST_LINE:
        return "it takes one shell line"
    return ""


def _read_problem(arguments: tuple[str, ...], facts: PlanningFacts) -> str:
    path, *lines = arguments
    if not facts.has_file(path):
        return f"there is no file {path[:60]} on either side"
    numbers = [int(one) for one in lines if one.isdecimal() and len(one) < 8]
    if len(numbers) != len(lines) or len(lines) not in (0, 2) or numbers != sorted(numbers):
        return "it takes a path and, if wanted, the first and the last line"
    return "" if 0 not in numbers else "lines count from 1"


def _search_problem(arguments: tuple[str, ...], _: PlanningFacts) -> str:
    if len(arguments) != 1 or len(arguments[0].strip()) < 2 or len(arguments[0]) > _LONGEST_SEARCH:
        return "it takes one text"
    return "" if "\n" not in arguments[0] else "it looks for one line"


def _pages_problem(arguments: tuple[str, ...], facts: PlanningFacts) -> str:
    if len(arguments) > MOST_PAGES:
        return f"it takes at most {MOST_PAGES} pages"
    return next(filter(None, (_page_problem(page, facts) for page in arguments)), "")


def _page_problem(page: str, facts: PlanningFacts) -> str:
    if facts.site:
        below = (facts.site + "/", "/")
        is_below = page == facts.site or (page.startswith(below) and not page.startswith("//"))
        return "" if is_below and ".." not in page else "the page is not below `setup.url`"
    if not page.lower().endswith(_PAGES) or not facts.has_file(page):
        return f"there is no page {page[:60]} on either side"
    return ""


def _script_problem(arguments: tuple[str, ...], facts: PlanningFacts) -> str:
    try:
        acts = read_script(arguments)
    except ScriptError as error:
        return str(error)
    return _page_problem(acts[0].target, facts)


_ARGUMENTS: dict[ActionKind, Callable[[tuple[str, ...], PlanningFacts], str]] = {
    ActionKind.BASH: _line_problem,
    ActionKind.READ: _read_problem,
    ActionKind.SEARCH: _search_problem,
    ActionKind.SCREENSHOT: _pages_problem,
    ActionKind.INTERACTION: _script_problem,
}


# --- what else the task demands: added by rule (`enriched`) to the list, which stays whole ---------


SOURCE_CHARS, KNOWN_CHARS = 8_000, 12_000
MOST_SOURCES = 8


async def comprehend_more(
    agents: Agents, sources: tuple[TaskSource, ...], floor: Requirements
) -> ComprehensionReply:
    """Ask once. Raises Answerless, BudgetSpent or ModelAway; the floor stands without it."""
    read = sources[:MOST_SOURCES]
    prompt = Prompt(
        Role.COMPREHENSION,
        *agents.texts(
            "comprehension",
            sources=[
                agents.delimiter.enclose(
                    f"{source.reference}: {source.trust.value}",
                    f"{source.title}\n\n{source.text}",
                    SOURCE_CHARS,
                )
                for source in read
            ],
            listed=agents.delimiter.enclose("listed", listed_text(floor), KNOWN_CHARS),
            names=[source.reference for source in read],
        ),
    )
    return await agents.session.ask(prompt, ComprehensionReply)


def listed_text(floor: Requirements) -> str:
    """What the task asks for so far, one requirement a line."""
    asked = [one for one in floor.items if one.category in ASKED]
    lines = [
        f"{one.id} ({one.category.value}, {one.origin}"
        f"{', after ' + ' '.join(one.prerequisites) if one.prerequisites else ''}): {one.shown}"
        f"{f' (its title: {one.text})' if one.text not in one.shown else ''}"
        for one in asked
    ]
    return "\n".join((*lines, *(f"{wish.id} (wish): {wish.text}" for wish in floor.preferences)))
