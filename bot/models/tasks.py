"""What was asked, and what will be checked."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Trust(StrEnum):
    """Who stands behind a text. Only AUTHOR text cannot take a requirement away."""

    MAINTAINER = "maintainer"  # configuration or criteria on the base branch
    ASKER = "asker"  # the issue, the --task file, the dispatched task
    AUTHOR = "author"  # the pull request's own words


@dataclass(frozen=True, slots=True)
class TaskSource:
    """One text that says what was asked. `reference` is for people: "issue #7", "pull request #9".

    `issue` is the issue's number where the text is an issue of the repository itself, else 0.
    """

    reference: str
    title: str
    text: str
    trust: Trust
    issue: int = 0


@dataclass(frozen=True, slots=True)
class Task:
    """What was asked, in order of trust, most trusted first; `author` is who changed the code."""

    title: str
    sources: tuple[TaskSource, ...]
    warnings: tuple[str, ...] = ()  # "issue #99 is linked but does not exist"
    author: str = ""


class Category(StrEnum):
    """What kind of demand a requirement is."""

    BASELINE = "baseline"  # always holds: it builds, nothing regresses, tests are not weakened
    BEHAVIOUR = "behaviour"
    UPKEEP = "upkeep"  # refactoring, docs, typing: no change of behaviour is asked for
    CHECK = "check"  # an executable check of the configuration
    CRITERION = "criterion"  # an item of the test plan that the configuration names
    PROHIBITION = "prohibition"  # what an approved rubric calls unacceptable: it must not hold


class ItemKind(StrEnum):
    """How an item of a test plan is decided, as PRDBench spells it."""

    UNIT_TEST = "unit_test"
    SHELL_INTERACTION = "shell_interaction"
    FILE_COMPARISON = "file_comparison"


@dataclass(frozen=True, slots=True)
class PlannedCase:
    """One command of an item; `typed` is a file of the tree, a text, or empty."""

    command: str
    typed: str = ""


@dataclass(frozen=True, slots=True)
class PlanItem:
    """One item of a test plan. `number` counts from 1; `problem` says why it cannot be carried out."""

    number: int
    metric: str
    description: str
    kind: ItemKind
    cases: tuple[PlannedCase, ...]
    input_files: tuple[str, ...]
    expected_files: tuple[str, ...]
    expected_output: str
    problem: str = ""


@dataclass(frozen=True, slots=True)
class TestPlan:
    """A whole test plan as `criteria` names it; its denominator is the list."""

    __test__ = False
    path: str
    items: tuple[PlanItem, ...]


@dataclass(frozen=True, slots=True)
class Requirement:
    """One checkable demand, a node of a DAG by `prerequisites`. `check` is a shell line or empty,
    `script` the acts of an interaction (`sandbox.browser.script`).

    `detail` is what the same source says around it (capped): it helps to tie tests, never decides.
    `item` is what a test plan says of it, for a criterion.
    """

    id: str
    text: str
    category: Category
    origin: str  # "issue #7", "configuration", "baseline"
    trust: Trust
    mandatory: bool = True
    prerequisites: tuple[str, ...] = ()
    check: str = ""
    detail: str = ""
    script: tuple[str, ...] = ()
    item: PlanItem | None = None


@dataclass(frozen=True, slots=True)
class Preference:
    """A soft wish; never changes the conclusion."""

    id: str
    text: str
    origin: str


@dataclass(frozen=True, slots=True)
class Requirements:
    """Everything the task demands, with remarks on what was repaired or left out."""

    items: tuple[Requirement, ...]
    preferences: tuple[Preference, ...] = ()
    remarks: tuple[str, ...] = ()


class ActionKind(StrEnum):
    """The kinds of action of this release."""

    UNIT_TESTS = "unit_tests"
    STATIC_LINTER = "static_linter"
    BASH = "bash"
    SHELL_INTERACTION = "shell_interaction"
    FILE_COMPARISON = "file_comparison"
    DYNAMIC_EXECUTION = "dynamic_execution"
    SCREENSHOT = "screenshot"
    INTERACTION = "interaction"
    LOCATE = "locate"
    READ = "read"
    SEARCH = "search"
    WEB_BROWSING = "web_browsing"


@dataclass(frozen=True, slots=True)
class Step:
    """One thing to observe on both sides. `arguments` belong to the action (a shell line, paths)."""

    id: str
    goal: str
    guidance: str
    requirement_ids: tuple[str, ...]
    action: ActionKind
    arguments: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Plan:
    """What will be checked, fixed before the first verdict."""

    steps: tuple[Step, ...]
