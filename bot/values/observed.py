"""What was seen."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from bot.values.tasks import Example, ExampleKind, Step
from bot.values.trajectories import Claims
from sandbox.damage.values import SAME, Damage, DamageTrial, OneValue
from sandbox.elsewhere.values import SecondLook, TestedInput
from sandbox.values import ChangedFile, Finding, Fix, MissingSubmodule, Observation, Outcome


class Part(StrEnum):
    """A part of Assay that can be switched off to measure what it adds."""

    EXECUTION = "execution"  # nothing of the change is built or run; linters and readers look at it
    BASE_SIDE = "base-side"  # nothing is built, run or looked at on base
    BROWSER = "browser"
    WEB = "web"  # judges look nothing up on the web
    GRAPH = "graph"  # nobody knows what uses what the change touches
    NEGOTIATION = "negotiation"  # the panel's first, blind opinions are counted
    RUBRIC = "rubric"


ABLATED = "ablation"
"""The gate's rule where a part was off: no such verdict is one to merge by."""


@dataclass(frozen=True, slots=True)
class CodePlace:
    """A place in the code: a symbol, or a line outside of all (then `name` and `kind` are empty)."""

    path: str
    line: int
    name: str = ""
    kind: str = ""

    @property
    def words(self) -> str:
        """The place as people write it."""
        return f"{self.path}: {self.name}" if self.name else f"{self.path}:{self.line}"


@dataclass(frozen=True, slots=True)
class LocatedPlace:
    """A place that a requirement may be about. `score` is 0 to 1, `reason` a clause."""

    place: CodePlace
    score: float
    reason: str


@dataclass(frozen=True, slots=True)
class Located:
    """The best places for one requirement, the best first."""

    requirement_id: str
    places: tuple[LocatedPlace, ...]


@dataclass(frozen=True, slots=True)
class ChangedSymbol:
    """A definition that the diff touches (`how`: added, changed, removed), and who uses it on head.

    `callers` use it directly, `tests` reach it, also through callers; both are capped, the counts whole.
    """

    place: CodePlace
    how: str
    callers: tuple[CodePlace, ...]
    tests: tuple[CodePlace, ...]
    caller_count: int
    test_count: int


@dataclass(frozen=True, slots=True)
class Impact:
    """What a diff touches, by names in the code: a hint for people, never evidence that something works.

    `untouched` are names of code that nothing of the diff reaches, each with one that it does reach, and that
    the task puts side by side with it; with "" where the task says what the first has to do.
    """

    symbols: tuple[ChangedSymbol, ...]
    left_out: int = 0
    remarks: tuple[str, ...] = ()
    untouched: tuple[tuple[str, str], ...] = ()

    @property
    def names(self) -> frozenset[str]:
        """The bare names of what the diff touches, without their classes."""
        return frozenset(one.place.name.rpartition(".")[2] for one in self.symbols)


@dataclass(frozen=True, slots=True)
class Dependent:
    """A project of the repository that uses what a diff changes in another one.

    `uses` are names of definitions, and paths of files with changes outside of all definitions.
    """

    folder: str
    uses: tuple[str, ...]


class Transition(StrEnum):
    """What changed from base to head; the transition is the evidence."""

    FIXED = "fixed"
    REGRESSED = "regressed"
    STILL_FAILING = "still_failing"
    HELD = "held"
    VACUOUS = "vacuous"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Beside:
    """Tests that were not seen to fail where the `functions`, which their demand names, do nothing."""

    functions: tuple[str, ...]
    tests: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class DamageSeen:
    """What the tests that speak for the change notice of damage to it; without any, base's that reach it.

    `problem` says why nothing could be measured; empty when it was. Of a judge's own step it is what that
    step notices near to the requirement `about`. `of_hunks` are hunks as on base that were tried besides, for
    who asks what each is needed for: they may raise a doubt, and prove nothing. `untried` are those that the
    limit left, and `is_limited` says that it left everything, `is_open` that the change itself may be why
    nothing was measured. `beside` are tests that do not run what their demand names. `unneeded` are
    conditions on a value that no passing test needs, always true or always false; `one_value` are such
    that are needed, and whose values the tests need to see anything of the change.
    """

    trials: tuple[DamageTrial, ...] = ()
    problem: str = ""
    evidence_id: str = ""
    is_of_base: bool = False
    about: str = ""
    of_hunks: tuple[DamageTrial, ...] = ()
    untried: tuple[Damage, ...] = ()
    is_limited: bool = False
    is_open: bool = False
    beside: tuple[Beside, ...] = ()
    unneeded: tuple[DamageTrial, ...] = ()
    one_value: tuple[OneValue, ...] = ()

    @property
    def damages(self) -> tuple[DamageTrial, ...]:
        """Return the trials that ran with a damage, not with what is as on base or only looks different."""
        return tuple(
            one for one in self.trials if one.ran and one.damage.kind not in (SAME, "restored")
        )


@dataclass(frozen=True, slots=True)
class Evidence:
    """One step's observations on both sides, with an id that a verdict can cite.

    `damage` is what a judge's own step did on copies of head, for each requirement that it may show.
    """

    id: str
    step: Step
    base: Observation | None
    head: Observation | None
    transition: Transition
    damage: tuple[DamageSeen, ...] = ()


class TestChange(StrEnum):
    """What the four ways say about one test."""

    __test__ = False
    FAIL_TO_PASS = "fail_to_pass"
    PASS_TO_PASS = "pass_to_pass"
    PASS_TO_FAIL = "pass_to_fail"
    NEVER_FAILED = "never_failed"  # new on head, and already passes on base's code
    STILL_FAILING = "still_failing"
    NEW_FAILING = "new_failing"  # new on head, and fails there
    EXPECTATION_CHANGED = (
        "expectation_changed"  # base's version fails on head, the edited one passes
    )
    REMOVED = "removed"  # collected on base, not on head, and its base version passes on head
    FLAKY = "flaky"
    SKIPPED = "skipped"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class TestComparison:
    """One test four ways; None where it was not run or not collected there.

    `written_by_author` says that the pull request added or edited the file the test stands in.
    `assertion` is the one line of the failure that says most.
    `passes`/`runs` count the repeats on head after a first disagreement (0/0 when never repeated);
    `flakes_on_base` says that one of those on base, where it passed at first, failed. `source_before` is
    base's version of a test whose expectation changed, or whose version of base fails on head.
    """

    __test__ = False
    id: str
    change: TestChange
    base_on_base: Outcome | None = None
    base_on_head: Outcome | None = None
    head_on_base: Outcome | None = None
    head_on_head: Outcome | None = None
    written_by_author: bool = False
    message: str = ""  # the failure that matters, capped
    path: str = ""
    line: int = 0
    source: str = ""
    passes: int = 0
    runs: int = 0
    assertion: str = ""
    flakes_on_base: bool = False
    source_before: str = ""
    not_loaded: str = ""  # the exception that keeps its file from being loaded, and the path
    table: str = ""  # for one row of `test.each`: what its rows have in common
    is_unfinished: bool = False  # what failed is that the run of its file ended before it
    runner_of_base: str = (
        ""  # "jest 29.7.0": with it and base's packages, base's version passes on head
    )
    runner_of_head: str = ""  # another major version, with which that fails

    @property
    def only_loads_otherwise(self) -> bool:
        """Whether it reads as on base, where head's code keeps base's version of its file from loading.

        Of a Python test more is known (`weakened_tests/adaptation.py`), of a row of a table less.
        """
        is_same = self.source_before == self.source and not self.table
        return bool(self.not_loaded) and is_same and not self.path.endswith(".py")

    def makes(self, path: str, name: str) -> bool:
        """Whether a call is this test's, by the path and the name of the test that makes it."""
        return path == self.path and name in self.id


@dataclass(frozen=True, slots=True)
class TestedFolder:
    """A folder whose tests were run: a project's, or one of the repository's; "" is the top.

    `base` and `head` count the tests of each side. `transition` is set where only the exit code of
    the command is known; `problem` says why these runs prove nothing.
    """

    __test__ = False
    folder: str
    base: int = 0
    head: int = 0
    transition: Transition | None = None
    problem: str = ""


@dataclass(frozen=True, slots=True)
class NotRun:
    """A project whose tests the change can break and that were not run; `why` is a clause."""

    folder: str
    uses: tuple[str, ...]
    why: str


@dataclass(frozen=True, slots=True)
class RetiredTest:
    """A deleted test of functions that the change removes and that nothing on head uses any more."""

    id: str
    functions: tuple[str, ...]
    is_public: bool  # somebody outside of the project could call one of them
    may_test_more: bool = False  # it uses something that stays, too


@dataclass(frozen=True, slots=True)
class GrownTest:
    """A test that expects new members beside all that it expected, and the task's names for them."""

    id: str
    members: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class AdaptedTest:
    """An edited test that demands the same of an interface that moved, or of code that `only_moved`."""

    id: str
    only_moved: bool


@dataclass(frozen=True, slots=True)
class FourWay:
    """The four-way test result. `problem` says why it proves nothing (empty when it does).

    `folders` are those whose tests were run, `not_run` those that the change can break beside them;
    `retired` are tests that went with the code that they tested, `grown` those that only expect one member
    more, which the task names, `adapted` those that follow a moved interface. `ended_on_base` says what
    ended the run of head's tests on base's code before its end: tests without a result there show nothing.
    Where a change takes back a commit exactly (`takes_back`), `taken_back` are the ids of the tests in its
    files that are gone, or that pass on head as they are again.
    """

    comparisons: tuple[TestComparison, ...]
    problem: str = ""
    evidence_id: str = ""
    folders: tuple[TestedFolder, ...] = ()
    not_run: tuple[NotRun, ...] = ()
    retired: tuple[RetiredTest, ...] = ()
    grown: tuple[GrownTest, ...] = ()
    adapted: tuple[AdaptedTest, ...] = ()
    ended_on_base: str = ""
    takes_back: str = ""
    taken_back: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ExampleOutcome:
    """What a call of the task did on one side. `holds` is None where that cannot be told.

    `gave` says that it came to its end: it returned or printed something. `was_made` says that it ran at all.
    """

    holds: bool | None
    did: str  # "returns `3`", "raises `ValueError: no`", "prints `3`", "was not made: …"
    gave: bool = False
    was_made: bool = True


@dataclass(frozen=True, slots=True)
class ExampleSeen:
    """An example of the task, run on both sides.

    Of one that head alone gives, `near` has calls near it, and `is_needed` says whether the function that
    it calls decides what comes out: it no longer does with an empty body. None where that was not measured.
    `is_same` says whether both sides give the same; None where that cannot be told.
    """

    example: Example
    base: ExampleOutcome
    head: ExampleOutcome
    near: TestedInput | None = None
    is_needed: bool | None = None
    is_same: bool | None = None

    @property
    def is_fixed(self) -> bool:
        """Whether head gives what base does not; what is merely shown, and base does not do, is wished."""
        if not self.example.results or self.head.holds is not True or self.base.holds is True:
            return False
        is_shown = self.example.kind is ExampleKind.SHOWN and self.base.holds is False
        return is_shown or self.example.kind is ExampleKind.EXPECTED


@dataclass(frozen=True, slots=True)
class Observed:
    """All that was seen in one evaluation.

    `built_base`/`built_head` are None where there was nothing to build or the toolchain is missing
    (then `needs` says what). `base_is_untested` says that nothing on base looks like a test;
    `gone` are names that a demand wants gone, and that no code of head speaks of; `unnamed` are versions that
    a demand names, and that no changed line of a file of dependencies has.
    `changed_paths` are the files of the diff, old names included; `changes_truncated` says that some are
    missing; `kinds` says what each change is to the program. `impact` and `located` are hints for people,
    no verdict rests on them. `without` are parts that were off for a measurement.
    """

    evidence: tuple[Evidence, ...]
    tests: FourWay
    findings: tuple[Finding, ...]  # linters, only new on head
    integrity: tuple[Finding, ...]
    built_base: bool | None
    built_head: bool | None
    needs: tuple[str, ...] = ()
    base_is_untested: bool = False
    gone: tuple[str, ...] = ()
    unnamed: tuple[str, ...] = ()
    left_out: str = ""  # which of base's tests are not run, as a sentence
    unbuilt: str = ""  # which build failed on both sides and was left out, as a sentence
    too_new: str = ""  # that base is tested with older versions of its language only, as a sentence
    changed_paths: tuple[str, ...] = ()
    changes_truncated: bool = False
    kinds: tuple[ChangedFile, ...] = ()
    impact: Impact | None = None
    located: tuple[Located, ...] = ()
    missing_submodules: tuple[MissingSubmodule, ...] = ()  # those that a run may read
    build_folder: str = ""  # the project that `built_base` and `built_head` speak of
    damage: DamageSeen | None = None
    second_look: SecondLook | None = None  # None where no call could be made again
    examples: tuple[ExampleSeen, ...] = ()
    claims: Claims | None = None  # of the agent's own log, where there is one
    fixes: tuple[Fix, ...] = ()  # linters' own, where they are wanted
    without: tuple[Part, ...] = ()

    @property
    def builds_on_head_only(self) -> bool:
        """Whether base was to be built and was not, while head was."""
        return self.built_base is False and bool(self.built_head)

    @property
    def suite_on_head(self) -> Observation | None:
        """The run of head's own tests on head, where there was one."""
        suites = (one.head for one in self.evidence if one.id == self.tests.evidence_id)
        return next(suites, None)
