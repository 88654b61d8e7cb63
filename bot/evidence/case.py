"""Everything that the rules of one evaluation look at, gathered once."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection
from dataclasses import dataclass

from bot.configuration import Configuration
from bot.diff.paths import is_policy
from bot.evidence.tests.matching import function_of
from bot.evidence.tests.results import (
    TestGroups,
    blamed_on_the_machine,
    group_tests,
    lacks_private,
)
from bot.task.categories import ASKED, NARROW, upkeep_area
from bot.task.meant_changes import allows, contradiction, said_to_change, ties_by_example, why_meant
from bot.task.permissions import (
    ask_to_remove,
    asks_to_move_function,
    asks_to_remove,
    asks_to_remove_function,
    lets_go,
    names_subject,
)
from bot.task.refusals import gives_up_error
from bot.task.requirements import BUILDS, NOTHING_REGRESSES
from bot.task.ties import Tie, test_name, tie_tests
from bot.values import (
    ActionKind,
    AdaptedTest,
    Category,
    Evidence,
    GrownTest,
    Observed,
    PermittedChange,
    Requirement,
    Requirements,
    RetiredTest,
    ShownResult,
    TestChange,
    TestComparison,
    Transition,
    Verdict,
)
from bot.values.four_way import passed
from sandbox.values import ChangeKind

_ABOUT = 0.5  # share of a test's name, from which on a demand is about the test
_WARNS = re.compile(r": ((Pending)?Deprecation|Future)Warning$")
_LACKS_NAME = re.compile(r"cannot import name '(\w+)'|does not provide an export named '([\w$]+)'")
_TRY_TESTED_VERSION = (
    "Let Assay judge on a machine with a version that the project is tested with, or make the tests pass "
    "with this one."
)


@dataclass(frozen=True, slots=True)
class Case:
    """One evaluation's facts. `suite` is the evidence of the unit tests step, where it ran."""

    requirements: Requirements
    observed: Observed
    configuration: Configuration
    groups: TestGroups
    ties: tuple[Tie, ...]
    suite: Evidence | None

    @property
    def is_configuration_alone(self) -> bool:
        """Whether nothing changed but Assay's own configuration: both sides run the same code."""
        paths, is_cut = self.observed.changed_paths, self.observed.changes_truncated
        return bool(paths) and not is_cut and all(map(is_policy, paths))

    def tied(self, requirement: Requirement) -> dict[str, Tie]:
        """The ties of one requirement by test id."""
        return {tie.test_id: tie for tie in self.ties if tie.requirement_id == requirement.id}

    def seen_by(self, action: ActionKind) -> tuple[Evidence, ...]:
        """The evidence of one kind."""
        return tuple(e for e in self.observed.evidence if e.step.action is action)

    def ids_of(self, action: ActionKind) -> tuple[str, ...]:
        """The ids of the evidence of one kind, for a verdict to cite."""
        return tuple(one.id for one in self.seen_by(action))

    @property
    def code_changes(self) -> tuple[str, ...]:
        """The changed files whose program may do something else now."""
        return tuple(one.path for one in self.observed.kinds if one.kind is ChangeKind.CODE)

    @property
    def is_inert(self) -> bool:
        """Whether every changed file was seen to leave the program as it is."""
        kinds, is_cut = self.observed.kinds, self.observed.changes_truncated
        return bool(kinds) and not is_cut and all(k.kind.is_inert for k in kinds)

    @property
    def is_untested(self) -> bool:
        """Whether base has no test that could have passed, and was not only not understood."""
        ran = any(one.base_on_base is not None for one in self.observed.tests.comparisons)
        return self.observed.base_is_untested and not ran and self.only_exit_code is None

    def is_sole(self, requirement: Requirement) -> bool:
        """Whether the task demands nothing else; what the author adds takes nothing from what is asked."""
        is_asked, others = requirement.trust.is_asked, self._beside(requirement)
        may_be = requirement.category in ASKED and requirement.mandatory
        return may_be and all(is_asked and not one.trust.is_asked for one in others)

    def is_for_another(self, requirement: Requirement, test: TestComparison) -> bool:
        """Whether a test is tied to demands beside this one only."""
        tied = {tie.requirement_id for tie in self.ties if tie.test_id == test.id}
        return requirement.id not in tied and any(o.id in tied for o in self._beside(requirement))

    def _beside(self, requirement: Requirement) -> list[Requirement]:
        """The other demands; beside a behavior, none that no test fails for without the change."""
        asked = [r for r in self.requirements.items if r.category in ASKED and r.mandatory]
        if requirement.category is Category.BEHAVIOUR:
            asked = [r for r in asked if r.category is not Category.KEEP]
            asked = [r for r in asked if upkeep_area(r.text) not in NARROW]
        return [r for r in asked if r != requirement]

    @property
    def regressions(self) -> tuple[TestComparison, ...]:
        """Tests that passed on base and fail on head, without those that something speaks for.

        An edited test counts unless it only follows a moved interface; parameters that were taken
        out, and a deleted test, count unless a requirement names them: those are changed
        expectations, for the gate.
        """
        return (
            *(t for t in self.groups.regressions if not self.is_retired(t)),
            *(t for t in self.groups.loosened if not self.is_explained(t)),
            *(t for t in self.groups.withdrawn if not self.is_named(t)),
        )

    def excuse(self, failing: Collection[TestComparison]) -> tuple[str, str] | None:
        """Why new tests that fail may say nothing of the change, and what to do; None where they bind."""
        if any(test not in self.groups.failures for test in failing):
            return None
        if self.observed.too_new:
            return self.observed.too_new, _TRY_TESTED_VERSION
        return blamed_on_the_machine(failing, self.groups.still_failing)

    def adapted(self, test: TestComparison) -> AdaptedTest | None:
        """What reading both versions showed of a test that still demands the same."""
        return next((one for one in self.observed.tests.adapted if one.id == test.id), None)

    def grown(self, test: TestComparison) -> GrownTest | None:
        """The new members that a test expects beside all others, where the task names them."""
        return next((one for one in self.observed.tests.grown if one.id == test.id), None)

    def permission(self, test: TestComparison) -> PermittedChange | None:
        """The words that let a test change which passes on base's code, too, since it was edited."""
        is_loosened = test in self.groups.loosened
        return allows(self.requirements, test, self.groups.proofs) if is_loosened else None

    def is_explained(self, test: TestComparison) -> bool:
        """Whether something speaks for an edited test whose version of base fails on head."""
        spoken_for = self.grown(test) or self.permission(test)
        cannot_load = test.only_loads_otherwise or test.id in self.observed.tests.bereft
        return spoken_for is not None or cannot_load or self.adapted(test) is not None

    def breaks_nobody(self, test: TestComparison) -> bool:
        """Whether an adapted test shows no break: its base version fails for a reason that is none.

        It is none when head only warns (and the suite makes warnings errors), when a package of another
        version is imported otherwise, when a private name moved and the same code stands at its new
        place, or when somebody asks to remove or to move what base's file imports. Any other adapted test
        follows an interface that broke: for a person to accept.
        """
        lines = test.message.strip().splitlines()
        adapted = self.adapted(test)
        if not lines or adapted is None:
            return False
        if adapted.is_of_package or _WARNS.search(lines[-1]):
            return True
        lacking = _LACKS_NAME.search(test.message)
        if lacking and test.not_loaded:
            name = next(filter(None, lacking.groups()))
            return any(
                asks_to_remove_function(r, name) or asks_to_move_function(r, name)
                for r in self.requirements.items
            )
        return adapted.only_moved and bool(lacks_private(test))

    @property
    def skipped(self) -> tuple[TestComparison, ...]:
        """Tests that passed on base and that head no longer asks to pass, though nobody retired them."""
        return tuple(
            test
            for test in self.groups.skipped
            if not (self._may_go(test) or self._is_asked_to_go(test))
        )

    def _is_asked_to_go(self, test: TestComparison) -> bool:
        return any(asks_to_remove(r, test) for r in self.requirements.items)

    def _may_go(self, test: TestComparison) -> bool:
        """Whether those who may ask let a test go, or be skipped, in so many words."""
        return any(lets_go(one, test) for one in self.requirements.permitted)

    def contradiction(self, test: TestComparison) -> ShownResult | None:
        """What the task shows by example, and a test of head expects to be something else."""
        return contradiction(self.requirements.shown, test)

    def why_meant(self, test: TestComparison) -> str:
        """Where the task shows what a test expects now, or lets it change, as a sentence; "" otherwise.

        Unless somebody allows it to change, it counts only where head's version fails with base's code.
        """
        if grown := self.grown(test):
            return f"{test.shown} {grown}."
        if permitted := self.permission(test):
            return said_to_change(permitted, test)
        is_proven = test in self.groups.proofs or test.head_on_head is None
        if test.change is not TestChange.EXPECTATION_CHANGED or not is_proven:
            return ""
        return why_meant(self.requirements, self.observed.integrity, test, self.groups.hollow)

    def retirement(self, test: TestComparison) -> RetiredTest | None:
        """The removed functions that a deleted test tested, where it tested nothing else."""
        return next((one for one in self.observed.tests.retired if one.id == test.id), None)

    @property
    def retired(self) -> tuple[TestComparison, ...]:
        """Deleted tests that fail on head, and of whose subject a requirement plainly speaks."""
        return tuple(t for t in self.groups.regressions if self.is_retired(t))

    def is_retired(self, test: TestComparison) -> bool:
        """Whether a deleted test that fails on head went with its code, or a requirement spells it out."""
        return test.head_on_head is None and (
            self.retirement(test) is not None
            or any(names_subject(requirement, test) for requirement in self.requirements.items)
            or self._may_go(test)
        )

    def is_doubted(self, test: TestComparison) -> bool:
        """Whether a finding says that a test's results were made up, so that it proves nothing."""
        titles = test_name(test.id).split(" > ")  # a finding may know the last title only
        names = {f"{test.path}::{' > '.join(titles[at:])}" for at in range(len(titles))}
        return any(not names.isdisjoint(found.tests) for found in self.observed.integrity)

    def is_named(self, test: TestComparison) -> bool:
        """Whether a requirement plainly speaks of a test whose parameters were taken out, or they may go."""
        return self._may_go(test) or any(
            tie.test_id == test.id and tie.score >= NAMED for tie in self.ties
        )

    def is_accepted(self, test: TestComparison) -> bool:
        """Whether a changed expectation was asked for and the new behaviour is proven.

        The demand has to speak of most that the test's name says: a test of something else, which its words
        touch by the way, is not its to change. A whole test that is gone needs more: somebody other than
        the author asks to remove its subject, or for what both it and the test in its place are about,
        whose name is the author's own.
        """
        may_demand_less = test in self.groups.loosened and test.only_loads_otherwise
        if self.contradiction(test) or self.why_meant(test) or may_demand_less:
            return bool(self.why_meant(test))
        if self.is_retired(test):
            gone = self.retirement(test)
            named = (gone.functions, gone.files) if gone else ()
            is_asked = any(ask_to_remove(self.requirements.items, one) for one in named)
            # Its functions were nobody else's, or somebody who may ask wants them gone.
            went_rightly = gone is not None and (
                not gone.is_public or (is_asked and not gone.may_test_more)
            )
            return self._may_go(test) or self._is_asked_to_go(test) or went_rightly
        naming = {
            tie.requirement_id
            for tie in self.ties
            if tie.test_id == test.id and not tie.by_example and tie.of_name >= _ABOUT
        }
        naming -= {one.id for one in self.requirements.items if gives_up_error(one, test)}
        if test.head_on_head is not None:
            return bool(naming) and test in self.groups.proofs
        asked = {one.id for one in self.requirements.items if one.trust.is_asked}
        proofs = {proof.id: function_of(proof) for proof in self.groups.proofs}
        return any(
            tie.requirement_id in (naming if of == function_of(test) else naming & asked)
            for tie in self.ties
            if (of := proofs.get(tie.test_id))
        )

    @property
    def suite_ids(self) -> tuple[str, ...]:
        """The evidence id of the tests, for a verdict to cite."""
        if self.observed.tests.evidence_id:
            return (self.observed.tests.evidence_id,)
        return (self.suite.id,) if self.suite else ()

    @property
    def broken_ids(self) -> tuple[str, ...]:
        """The runs of base's tests that failed on head's code; where none did by itself, the whole suite."""
        failing = (e for e in self._runs if passed(e.head) is False)
        return tuple(e.id for e in failing if e.step.requirement_ids) or self.suite_ids

    @property
    def damage_ids(self) -> tuple[str, ...]:
        """The evidence id of damaged copies; none where none were made."""
        seen = self.observed.damage
        return (seen.evidence_id,) if seen and seen.evidence_id else ()

    @property
    def proof_ids(self) -> tuple[str, ...]:
        """The runs of head's tests that failed on base's code; where there is none, the whole suite."""
        failing = (e for e in self._runs if passed(e.base) is False)
        return tuple(e.id for e in failing if not e.step.requirement_ids) or self.suite_ids

    @property
    def _runs(self) -> tuple[Evidence, ...]:
        """The project's tests, whole or crosswise, and not those of a plan's item."""
        about = [(e, e.step.requirement_ids) for e in self.seen_by(ActionKind.UNIT_TESTS)]
        return tuple(e for e, ids in about if not ids or NOTHING_REGRESSES in ids)

    @property
    def build_ids(self) -> tuple[str, ...]:
        """The evidence of a build that failed, for a verdict to cite."""
        built = self.seen_by(ActionKind.DYNAMIC_EXECUTION)
        return tuple(e.id for e in built if BUILDS in e.step.requirement_ids)

    @property
    def only_exit_code(self) -> Transition | None:
        """The suite's transition where a shell command gave no result per test."""
        if self.observed.tests.comparisons or self.suite is None:
            return None
        by_exit = self.suite.transition
        return None if by_exit is Transition.UNKNOWN else by_exit

    @property
    def tests_passed_on_base(self) -> bool:
        """Whether anything passed on base that could regress."""
        called = self.groups
        if called.kept or self.regressions or called.undecided or called.skipped:
            return True
        by_exit = self.suite if not self.observed.tests.comparisons else None
        return by_exit is not None and bool(passed(by_exit.base))

    @property
    def moving(self) -> set[ChangeKind]:
        """The kinds of all that is another thing than on base."""
        return {one.kind for one in self.observed.kinds if not one.kind.is_inert}

    @property
    def only_tests_changed(self) -> bool:
        """Whether nothing but tests is another thing than on base."""
        return self.moving == {ChangeKind.TESTS}

    @property
    def nothing_regressed(self) -> bool:
        """Whether base's tests were seen to hold on head, all of them."""
        tests = self.observed.tests
        if tests.problem or not self.tests_passed_on_base or tests.not_run:
            return False
        if any(one.problem or one.transition not in (None, *_HELD) for one in tests.folders):
            return False
        if self.only_exit_code is not None:
            return self.only_exit_code is Transition.HELD
        return not (self.regressions or self.groups.undecided or self.skipped)


_HELD = (Transition.HELD, Transition.FIXED)
NAMED = 0.5
"""A tie from which on a requirement is taken to name a test whose expectation was taken out."""


Weigher = Callable[[Verdict, Requirement, Case], Verdict]
"""Says what the results of a kind of evidence change of a verdict; most leave most of them as they are."""


def open_case(requirements: Requirements, observed: Observed, configuration: Configuration) -> Case:
    """Gather the facts of one evaluation and tie its tests to what was asked."""
    groups = group_tests(observed.tests)
    speaking = (
        *groups.proofs,
        *groups.failures,
        *groups.hollow,
        *groups.regressions,
        *groups.withdrawn,
        *groups.still_failing,
        *groups.unsteady,
        *(e for e in groups.expectations if e not in groups.proofs),
    )
    asked = [r for r in requirements.items if r.category is Category.BEHAVIOUR]
    stays = [r for r in requirements.items if r.category is Category.KEEP]
    suites = [e for e in observed.evidence if e.step.action is ActionKind.UNIT_TESTS]
    every = observed.tests.comparisons
    ties = (
        *tie_tests(asked, speaking, every),
        *ties_by_example(asked, speaking, requirements.shown),
        *(tie_tests(stays, (*speaking, *groups.kept), every) if stays else ()),
    )
    suite = suites[0] if suites else None
    return Case(requirements, observed, configuration, groups, ties, suite)
