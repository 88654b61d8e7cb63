"""What one analyst does about one requirement: its steps, numbered, remembered and counted."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field

from pydantic import TypeAdapter

from bot.evidence.own_steps.weigh import own_step, refutes, what_counts
from bot.judges.agents import Acting, Agents, Taken
from bot.judges.material import evidence_text
from bot.judges.model.base import BudgetSpent
from bot.text.clipping import steady
from bot.values import ActionKind, Category, Evidence, Requirement, Step, Transition
from sandbox.values import Observation, Side

MOST_CHARS_READ = 240_000
"""About 60,000 tokens of results for one requirement; then it ends without an answer."""
NOTE_CHARS = 4_000
_TAKEN = TypeAdapter(Taken)


@dataclass(slots=True)
class AnalystSteps:
    """One requirement's own; nothing of another requirement ever lies here."""

    agents: Agents
    acting: Acting
    requirement: Requirement
    known: tuple[Evidence, ...]
    around: str = ""
    evidence: dict[int, Evidence] = field(default_factory=dict)
    actions: int = 0
    chars_read: int = 0

    async def step(
        self, action: ActionKind, arguments: tuple[str, ...], goal: str, expected: str
    ) -> str:
        """Take a step on both sides and tell what it showed. Raises BudgetSpent.

        The goal is the analyst's reason to extend the plan, with what it expects to see.
        """
        number = self.begin()
        step = Step(
            id=f"A-{self.requirement.id}-{number}",
            goal=goal,
            guidance=expected,
            requirement_ids=(self.requirement.id,),
            action=action,
            arguments=arguments,
        )

        async def work() -> bytes:
            web = self.acting.web
            if step.action is not ActionKind.WEB_BROWSING or web is None:
                return _TAKEN.dump_json(await self.acting.take(step))
            # What was found outside can be shown and cited; it shows nothing of the change.
            (words,) = arguments
            seen = Observation(Side.HEAD, f"look up: {words}", 0, await web(words), 0.0)
            return _TAKEN.dump_json(Taken(Evidence(step.id, step, None, seen, Transition.UNKNOWN)))

        asked = "\0".join((step.id, step.action.value, *step.arguments))
        digest = hashlib.sha256(asked.encode("utf-8", "replace")).hexdigest()
        key = f"step {self.acting.run} {digest}"
        taken = _TAKEN.validate_json(await self.agents.session.remembered(key, work))
        said = self.enclosed(f"note to {step.id}", taken.note) if taken.note else ""
        if taken.evidence is not None:
            one = own_step(taken.evidence, self.requirement, self.around)
            self.evidence[number] = one
            is_own = action is ActionKind.DYNAMIC_EXECUTION
            shown = evidence_text((one,), self.agents.delimiter, with_command=not is_own)
            said = f"{_told(one, self.requirement)}\n{shown}\n{said}"
        return self.read(said or f"{step.id}: nothing was found.")

    def begin(self) -> int:
        """Count one interaction and return its number. Raises BudgetSpent when there are no more."""
        if self.actions >= self.acting.interactions:
            raise BudgetSpent(f"It used all {self.acting.interactions} interactions it was given.")
        self.actions += 1
        return self.actions

    def read(self, text: str) -> str:
        """Count what the analyst is given to read. Raises BudgetSpent when it was enough."""
        self.chars_read += len(text)
        if self.chars_read > MOST_CHARS_READ:
            raise BudgetSpent(
                f"It was given {MOST_CHARS_READ:,} characters to read, and wants more."
            )
        return text

    def enclosed(self, label: str, text: str) -> str:
        """A text that nobody vouches for, for the analyst to read."""
        return self.agents.delimiter.enclose(label, steady(text), NOTE_CHARS)

    def taken(self) -> tuple[Evidence, ...]:
        """The evidence of its steps, in their order."""
        return tuple(self.evidence[number] for number in sorted(self.evidence))

    def find(self, evidence_id: str) -> Evidence | None:
        """One piece by its id, of its own steps or of the evaluation's."""
        return next((one for one in (*self.taken(), *self.known) if one.id == evidence_id), None)


def _told(one: Evidence, requirement: Requirement) -> str:
    """What our own code makes of a step, for the analyst: outside the marks, so it can be believed."""
    if one.head is not None and one.head.problem:
        return f"{one.id} proves nothing on head; below stands why. {what_counts(requirement)}"
    if one.transition is Transition.VACUOUS:
        passes = f"{one.id} passes on base too: it proves nothing new about head."
        return f"{passes} {what_counts(requirement)}"
    if one.transition is Transition.HELD and requirement.category is Category.KEEP:
        return f"{one.id} holds on both sides: you may name it in evidence."
    if refutes(one, one.step.requirement_ids[0]):
        return f"{one.id} fails on head: you may name it in refuted_by, if the requirement asks for it."
    return f"{one.id} was taken."
