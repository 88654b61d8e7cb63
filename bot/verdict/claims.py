"""Tests that prove something of a demand, and what they leave open: what the looks at them share."""

from __future__ import annotations

from dataclasses import dataclass

from bot.evidence.case import Case
from bot.evidence.oracle import unverified
from bot.evidence.tests.results import code_of
from bot.task.code_names import named_code
from bot.values import ActionKind, Requirement, TestComparison, Verdict
from sandbox.elsewhere.values import BothSides, SecondLook, TestedInput, Unmeasured


@dataclass(frozen=True, slots=True)
class Claim:
    """Tests that prove something of a demand, asked whether that is all of it."""

    requirement: Requirement
    tests: tuple[TestComparison, ...]
    case: Case

    @property
    def ids(self) -> tuple[str, ...]:
        """The ids of the tests."""
        return tuple(test.id for test in self.tests)

    @property
    def seen(self) -> SecondLook:
        """What their calls gave elsewhere, and on both sides; nothing where none could be made again."""
        return self.case.observed.second_look or SecondLook()

    @property
    def inputs(self) -> list[TestedInput]:
        """What was measured of the calls in the files of these tests."""
        paths = {test.path for test in self.tests}
        return [one for one in self.seen.inputs if one.path in paths]

    @property
    def plain_inputs(self) -> list[TestedInput]:
        """Of these, the calls of functions that their test calls with plain values only.

        What it shows by another call, that it is refused, say, nobody knows.
        """
        inputs, no_plain = self.inputs, Unmeasured.NO_PLAIN_INPUT
        mixed = {(o.path, o.test, o.function) for o in inputs if o.problem is no_plain}
        return [
            one
            for one in inputs
            if mixed.isdisjoint((one.path, one.test, name) for name in ("", one.function))
        ]

    @property
    def refused(self) -> list[BothSides]:
        """The tests' calls that head refuses; where the demand names their functions, only of these."""
        named = named_code(self.requirement)
        own = [one for one in self.inputs if one.function.rpartition(".")[2] in named]
        return [one.tested for one in own or self.inputs if one.tested.is_refused]

    @property
    def asked(self) -> str:
        """All that is asked for, of this demand and of the others."""
        return "\n".join(one.with_detail for one in self.case.requirements.items)

    @property
    def proving_code(self) -> str:
        """The code of all tests that fail without the change, and what is new in the files that they read."""
        proofs, observed = self.case.groups.proofs, self.case.observed
        return f"{code_of(proofs)}\n{observed.read_by_tests}" if proofs else ""

    def left_open(self, why: str, next_step: str, evidence: tuple[str, ...]) -> Verdict:
        """Return that these tests do not show all of it; `evidence` is what tells so, beside their own."""
        shown = (*self.case.proof_ids, *evidence)
        return unverified(self.requirement, why, next_step, shown, self.tests)

    @property
    def nearby(self) -> tuple[str, ...]:
        """The ids of the evidence that shows calls near the tested ones."""
        return self.case.ids_of(ActionKind.NEARBY_INPUTS)


@dataclass(frozen=True, slots=True)
class Gap:
    """What the tests leave open, as a sentence, what to do, and the evidence beside the tests' own."""

    but: str
    next_step: str
    evidence: tuple[str, ...] = ()
