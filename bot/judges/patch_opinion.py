"""One word on the whole patch, VALID or INVALID, by the rubric where there is one.

Rubric-guided judging: thought, justification, minimality, and a flag for people where the answer is
not to be leaned on. It is asked several times for itself; what is cited is checked by code. It never
changes a verdict on a requirement: `bot.verdict.patch_reasons` says what it may do at the gate.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Annotated, Literal

from pydantic import BaseModel, Field, StringConstraints

from bot.judges.agents import Agents
from bot.judges.citations import holds_for_patch, words_to_judges
from bot.judges.material import Material, evidence_text, shared_text, shown_evidence
from bot.judges.model.base import Answerless, ModelProblem, Prompt
from bot.text import scrub
from bot.values import PatchOpinion, Role, TaskRubric, Validity
from sandbox.concurrently import concurrently

TEMPERATURE = 0.7
RUBRIC_CHARS = 12_000
LEAST_QUOTE = 4  # characters: a brace or a blank line is found in any diff
_SPOKEN = "The change speaks to those who judge it."
Told = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=2000)]
Remark = Annotated[str, StringConstraints(strip_whitespace=True, max_length=2000)]
Quote = Annotated[str, StringConstraints(max_length=400)]


class PatchReply(BaseModel):
    """The whole patch as the model judges it."""

    thought: Told
    justification: Told
    minimality: Remark = ""
    evidence: list[str] = Field(default_factory=list, max_length=20)
    quotes: list[Quote] = Field(default_factory=list, max_length=10)
    verdict: Literal["VALID", "INVALID"]


@dataclass(frozen=True, slots=True)
class _Vote:
    """One sample with those of its citations that hold; `problem` says why there is no reply."""

    reply: PatchReply | None
    evidence_ids: tuple[str, ...] = ()
    quotes: tuple[str, ...] = ()
    problem: str = ""

    @property
    def validity(self) -> Validity | None:
        return Validity(self.reply.verdict) if self.reply else None


async def ask_on_patch(
    agents: Agents, material: Material, rubrics: tuple[TaskRubric, ...], samples: int
) -> PatchOpinion:
    """Ask `samples` times and count; a budget that is spent, or no model, gives an opinion with a problem."""
    binding = tuple(one for one in rubrics if one.is_golden) or rubrics
    shown = []
    for one in binding:
        parts = (
            ("must hold", one.rubric.requirements),
            ("must not hold", one.rubric.unacceptable),
            ("may differ", one.rubric.acceptable),
        )
        entries = [f"- {kind}: {entry}" for kind, listed in parts for entry in listed]
        cause = f"Root cause or intent: {one.rubric.root_cause}"
        shown.append("\n".join((one.name, cause, *entries)))
    rubric = "\n\n".join(shown) or "There is no rubric: go by the task alone."
    try:
        votes = await concurrently(
            *(_vote(agents, material, rubric, number) for number in range(1, samples + 1))
        )
    except ModelProblem as error:
        votes = [_Vote(None, problem=error.why)]
    opinion = counted(tuple(votes), binding)
    mark = agents.delimiter
    read = f"{shared_text(material, mark)}\n{evidence_text(material.evidence, mark)}"
    if (material.words_to_judges or words_to_judges(read)) and opinion.validity is Validity.VALID:
        return replace(opinion, is_unsure=True, doubts=(*opinion.doubts, _SPOKEN))
    return opinion


async def _vote(agents: Agents, material: Material, rubric: str, number: int) -> _Vote:
    delimiter, shown = agents.delimiter, shown_evidence(material.evidence)
    prompt = Prompt(
        Role.PATCH,
        *agents.texts(
            "patch",
            shared=shared_text(material, delimiter),
            evidence=evidence_text(shown, delimiter),
            rubric=delimiter.enclose("rubric", rubric, RUBRIC_CHARS),
            ids=", ".join(one.id for one in shown) or "(there are none)",
        ),
        temperature=TEMPERATURE,
        sample=number,
    )
    try:
        reply = await agents.session.ask(prompt, PatchReply)
    except Answerless as error:
        return _Vote(None, problem=error.why)
    as_valid = reply.verdict == Validity.VALID
    known = {one.id for one in shown if holds_for_patch(one, as_valid=as_valid)}
    cited = tuple(id_ for id_ in dict.fromkeys(reply.evidence) if id_ in known)
    # A quote holds where the diff adds or removes that line.
    changed = {
        line[1:].strip()
        for line in material.diff.splitlines()
        if line[:1] in "+-" and not line.startswith(("+++", "---"))
    }
    plain = (quote.strip() for quote in reply.quotes)
    bare = (one[1:].strip() if one[:1] in "+-" else one for one in plain)
    quoted = (one for one in dict.fromkeys(bare) if len(one) >= LEAST_QUOTE and one in changed)
    return _Vote(reply, cited, tuple(one for one in quoted if not words_to_judges(one)))


# --- counting -------------------------------------------------------------------------------


def counted(votes: tuple[_Vote, ...], rubrics: tuple[TaskRubric, ...]) -> PatchOpinion:
    """A verdict needs a majority of all samples; what makes it doubtful is said."""
    is_golden = any(one.is_golden for one in rubrics)
    sides = {side: [one for one in votes if one.validity is side] for side in Validity}
    best = max(sides.values(), key=len)
    is_agreed = len(best) * 2 > len(votes)
    evidence_ids = tuple(dict.fromkeys(id_ for one in best for id_ in one.evidence_ids))
    quotes = tuple(dict.fromkeys(quote for one in best for quote in one.quotes))
    split = ("The samples do not agree.",) if len(best) < len(votes) else ()
    hollow = () if evidence_ids or quotes else ("It cites nothing that holds.",)
    doubts = (*split, *hollow) if is_agreed else ()
    first = best[0].reply if best else None
    return PatchOpinion(
        validity=best[0].validity if is_agreed else None,
        thought=scrub(first.thought) if first else "",
        justification=scrub(first.justification) if first else "",
        minimality=scrub(first.minimality or "nothing") if first else "",
        is_unsure=bool(doubts) or not is_agreed,
        rubric="; ".join(one.name for one in rubrics),
        problem=next((one.problem for one in votes if one.problem), "") if not is_agreed else "",
        is_golden=is_golden,
        evidence_ids=evidence_ids,
        quotes=quotes,
        doubts=doubts,
        votes=(
            len(sides[Validity.VALID]),
            len(sides[Validity.INVALID]),
            sum(one.validity is None for one in votes),
        ),
    )
