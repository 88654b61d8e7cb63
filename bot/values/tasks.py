"""What was asked."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Trust(StrEnum):
    """Who stands behind a text, the most trusted first. Only what is asked can excuse anything."""

    MAINTAINER = "maintainer"  # configuration or criteria on the base branch
    ASKER = "asker"  # the issue, the --task file, the dispatched task
    PAGE = "page"  # a web page that the task links: who wrote it, and when, is not known
    AUTHOR = "author"  # the pull request's own words

    @property
    def is_asked(self) -> bool:
        """Whether somebody who may ask says so; the others can add a requirement and no more."""
        return self in (Trust.MAINTAINER, Trust.ASKER)

    @property
    def rank(self) -> int:
        """0 for the most trusted."""
        return list(Trust).index(self)


class SourceKind(StrEnum):
    """Where a text stands."""

    WORDS = "words"  # of whoever speaks: an issue, a pull request, a task file
    DOCUMENT = "document"  # a document of the base branch that such words link
    PAGE = "page"  # a web page that such words link


@dataclass(frozen=True, slots=True)
class ListedRequirement:
    """One requirement as a task file lists it. `key` and `prerequisites` are the file's own ids.

    `area` is what the file calls its kind ("Visualization").
    """

    key: str
    text: str
    prerequisites: tuple[str, ...] = ()
    area: str = ""
    mandatory: bool = True
    detail: str = ""


@dataclass(frozen=True, slots=True)
class ListedTask:
    """What a task file of typed requirements lists, with remarks on its mended defects."""

    requirements: tuple[ListedRequirement, ...]
    preferences: tuple[str, ...] = ()
    remarks: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class TaskSource:
    """One text that says what was asked. `reference` is for people: "issue #7", "pull request #9".

    `listed` is there where the text is a file of typed requirements: they are taken as they stand.
    `issue` is the issue's number where the text is an issue of the repository itself, else 0. What is
    linked names in its `reference` who links it.
    """

    reference: str
    title: str
    text: str
    trust: Trust
    issue: int = 0
    listed: ListedTask | None = None
    kind: SourceKind = SourceKind.WORDS


@dataclass(frozen=True, slots=True)
class Task:
    """What was asked, in order of trust, most trusted first; `author` is who changed the code.

    `named` are documents that the sources only name: they demand nothing by themselves.
    """

    title: str
    sources: tuple[TaskSource, ...]
    warnings: tuple[str, ...] = ()  # "issue #99 is linked but does not exist"
    author: str = ""
    named: tuple[TaskSource, ...] = ()


class Category(StrEnum):
    """What kind of demand a requirement is."""

    BASELINE = "baseline"  # always holds: it builds, nothing regresses, tests are not weakened
    BEHAVIOUR = "behaviour"
    KEEP = "keep"  # what must stay as it is, or must not depend on something
    UPKEEP = "upkeep"  # refactoring, docs, typing: no change of behaviour is asked for
    CHECK = "check"  # an executable check of the configuration
    CRITERION = "criterion"  # an item of the test plan that the configuration names
    PROHIBITION = (
        "prohibition"  # what must not hold: the task forbids it, or an approved rubric does
    )

    @property
    def is_of_project(self) -> bool:
        """Whether every change of the project has to meet it, whatever its task is."""
        return self in (Category.BASELINE, Category.CHECK)


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
    `item` is what a test plan says of it, for a criterion. `quotation` are the source's words that it
    rests on, where a model found it; `area` what a task file calls its kind. `wording` says as what
    must hold what `text`, the title of a bug, says as what is wrong. `issue` is the asking issue's number;
    `is_title` says that the title of a text speaks for it, since it lists nothing.
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
    quotation: str = ""
    area: str = ""
    wording: str = ""
    issue: int = 0
    is_title: bool = False

    @property
    def shown(self) -> str:
        """The demand as people read it."""
        return self.wording or self.text

    @property
    def with_detail(self) -> str:
        """Its text, and below it what the same source says around it."""
        return f"{self.text}\n{self.detail}"


@dataclass(frozen=True, slots=True)
class Preference:
    """A soft wish; never changes the conclusion."""

    id: str
    text: str
    origin: str


@dataclass(frozen=True, slots=True)
class ShownResult:
    """A call that the task says should give a result. `call` and `results` are as code would write them,
    `said_call` and `said_result` as the task does."""

    call: str
    results: tuple[str, ...]
    said_call: str
    said_result: str
    origin: str


class ExampleKind(StrEnum):
    """What a task says of something that it shows."""

    EXPECTED = "expected"  # must hold on head
    KEPT = "kept"  # holds on base, and must on head
    REPORTED = "reported"  # what is complained of: head must not show it any more
    CHANGING = "changing"  # complained of or demanded without a result: head must give another one
    SHOWN = "shown"  # the task does not say whether it is right


class ExampleLanguage(StrEnum):
    """What an example is written in."""

    EITHER = "either"  # Python and JavaScript write it alike
    PYTHON = "python"
    JAVASCRIPT = "javascript"
    SHELL = "shell"


@dataclass(frozen=True, slots=True)
class Example:
    """Code or a command that the task shows, with what it gives: `results` are spellings of a value or lines
    of output, `error` is the class of what is raised, `message` a part of what that says. A kept one without
    any must not raise; a changing one with an `error` is complained of because it raises.

    `said_call` and `said_result` are the task's own words, `before` what is run first, in order. Reported
    examples of one `group` (0: none) are one report: it is gone when one of them is.
    """

    kind: ExampleKind
    call: str
    results: tuple[str, ...]
    error: str
    said_call: str
    said_result: str
    origin: str
    language: ExampleLanguage = ExampleLanguage.EITHER
    before: tuple[str, ...] = ()
    group: int = 0
    message: str = ""

    @property
    def must_hold(self) -> bool:
        """Whether head has to do what is shown; what is complained of must be gone."""
        return self.kind is not ExampleKind.REPORTED


class WhyUnread(StrEnum):
    """Why something that looks like an example was left alone."""

    UNPARSABLE = "unparsable"
    CONDITIONAL = "conditional"  # it holds only where something else is so
    SHELL_SYNTAX = "shell_syntax"
    ABBREVIATED = (
        "abbreviated"  # its output is shown in part, or names a place on somebody's machine
    )


@dataclass(frozen=True, slots=True)
class UnreadExample:
    """Something that looks like an example and was left alone, as the task writes it."""

    said: str
    why: WhyUnread
    origin: str


@dataclass(frozen=True, slots=True)
class PermittedChange:
    """A sentence of the task that allows tests to change, or to go where it `removes` them.

    `rows` is the code before it to which it points back: "tests that expect them to fail may change".
    """

    sentence: str
    origin: str
    removes: bool = False
    rows: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Requirements:
    """Everything the task demands, with remarks on what was repaired or left out.

    `shown` and `permitted` are what those who may ask show by example, and which tests they let change;
    `examples` are what of it can be run on both sides, `unread` what looks like one and was left alone.
    `said` are their texts (capped), the author's where nobody else asks; `not_apart` are sentences of them
    that ask for something and are no requirements of their own.
    """

    items: tuple[Requirement, ...]
    preferences: tuple[Preference, ...] = ()
    remarks: tuple[str, ...] = ()
    shown: tuple[ShownResult, ...] = ()
    permitted: tuple[PermittedChange, ...] = ()
    examples: tuple[Example, ...] = ()
    said: tuple[str, ...] = ()
    unread: tuple[UnreadExample, ...] = ()
    not_apart: tuple[str, ...] = ()

    @property
    def beside_baseline(self) -> tuple[Requirement, ...]:
        """What this task and this configuration demand, and not every one."""
        return tuple(one for one in self.items if one.category is not Category.BASELINE)
