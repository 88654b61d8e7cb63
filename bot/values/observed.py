"""What was seen."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from bot.values.four_way import FourWay, Transition
from bot.values.plans import Step
from bot.values.tasks import Example, ExampleKind
from sandbox.damage.values import SAME, Damage, DamageTrial, OneValue
from sandbox.elsewhere.values import SecondLook, TestedInput
from sandbox.values import ChangedFile, Finding, Fix, MissingSubmodule, Observation


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
    conditions on a value that no passing test needs, always true or always false, and `late` those for which
    no time was left; `one_value` are such that are needed, and whose values the tests need to see anything
    of the change.
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
    late: tuple[Damage, ...] = ()
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


# --- an agent's own log of how it made the change: a hint, never proof ----------------------------


@dataclass(frozen=True, slots=True)
class TrajectoryStep:
    """One turn: what the agent said, what it did, and what it says that it saw. Numbers count from 1."""

    number: int
    thought: str
    action: str
    observation: str


@dataclass(frozen=True, slots=True)
class Trajectory:
    """A log as it was read. `problem` says, as a sentence, why there are no steps."""

    format: str
    steps: tuple[TrajectoryStep, ...] = ()
    problem: str = ""


@dataclass(frozen=True, slots=True)
class ClaimedStep:
    """A step that touches files of these requirements; its texts are scrubbed, their middles dropped."""

    step: TrajectoryStep
    requirement_ids: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Claims:
    """What an agent's log claims. `count` is of all its steps, `steps` are the newest that matter.

    `problem` says why the log was left out. `for_judges` is False where it tells judges what to say.
    """

    format: str
    count: int = 0
    steps: tuple[ClaimedStep, ...] = ()
    problem: str = ""
    for_judges: bool = True


@dataclass(frozen=True, slots=True)
class Observed:
    """All that was seen in one evaluation.

    `built_base`/`built_head` are None where there was nothing to build or the toolchain is missing
    (then `needs` says what). `base_is_untested` says that nothing on base looks like a test;
    `gone` are names that a demand wants gone, and that no code of head speaks of; `unnamed` are versions that
    a demand names, and that no changed line of a file of dependencies has. `read_by_tests` are the lines that
    the change adds to files of the tests in which no test stands: tables, fixtures and the like.
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
    read_by_tests: str = ""
    left_out: str = ""  # which of base's tests are not run, as a sentence
    unbuilt: str = ""  # which build failed on both sides, and tests ran all the same; as a sentence
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
    def symbols(self) -> tuple[ChangedSymbol, ...]:
        """What the diff touches, as far as names in the code tell."""
        return self.impact.symbols if self.impact else ()

    @property
    def suite_on_head(self) -> Observation | None:
        """The run of head's own tests on head, where there was one."""
        suites = (one.head for one in self.evidence if one.id == self.tests.evidence_id)
        return next(suites, None)
