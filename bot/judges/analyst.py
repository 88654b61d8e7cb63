"""An analyst finds out about one requirement by acting: it executes, then analyses (CodeVisionary).

A fresh conversation for each requirement (Agent-as-a-Judge: memory of other verdicts hurt). What it says
counts only through the steps that it names: a failure on head, or nothing.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import Annotated, Literal

from pydantic import BaseModel, Field, StringConstraints

from bot.evidence.own_steps.weigh import REFUTES, what_counts, why_no_refutation
from bot.judges.actions import tools_of
from bot.judges.agents import Acting, Agents
from bot.judges.analyst_steps import AnalystSteps
from bot.judges.citations import citation_problem
from bot.judges.inputs import near_inputs
from bot.judges.material import Material, claimed_text, evidence_text, requirement_text, shared_text
from bot.judges.model.base import ModelProblem, Prompt, Toolbox
from bot.judges.seen_tests import function_of
from bot.values import Analysis, Decider, Evidence, Requirement, Role, Verdict, VerdictOutcome
from sandbox.values import TestResult

TEMPERATURE = 0.2
TESTS_CHARS = 8_000
NEIGHBOUR_CHARS = 3_000
MOST_IDS = 4  # of the tests that share one body
_SPARE_REQUESTS = 2  # for the answer itself, and for one that is refused or cannot be read


class AnalysisReply(BaseModel):
    """What an analyst came to, as the model writes it."""

    reason: Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=2000)]
    outcome: Literal["satisfied", "unsatisfied", "unverified"]
    refuted_by: list[str] = Field(default_factory=list, max_length=20)
    evidence: list[str] = Field(default_factory=list, max_length=40)


@dataclass(frozen=True, slots=True)
class Analysed:
    """An analysis, and the evidence of its steps."""

    analysis: Analysis
    evidence: tuple[Evidence, ...] = ()


@dataclass(frozen=True, slots=True)
class Assignment:
    """One requirement, how the oracles left it, and what was seen of it."""

    requirement: Requirement
    found: Verdict
    material: Material


async def analyse(agents: Agents, acting: Acting, assignment: Assignment) -> Analysed:
    """Let an analyst act; a budget that ends, or a model that is away, is `unverified`.

    The reply is held to the steps that it names.
    """
    material, requirement = assignment.material, assignment.requirement
    steps = AnalystSteps(agents, acting, requirement, material.about(requirement), material.around)
    try:
        async with asyncio.timeout(acting.minutes * 60):
            reply = await agents.session.converse(
                _prompt(agents, acting, assignment),
                AnalysisReply,
                Toolbox(
                    tools_of(steps),
                    acting.interactions + _SPARE_REQUESTS,
                    lambda reply: _refusal(steps, reply),
                ),
            )
    except ModelProblem as error:
        return _analysed(steps, None, error.why)
    except TimeoutError:
        return _analysed(steps, None, f"It did not end within {acting.minutes:g} minutes.")
    return _analysed(steps, reply, _refusal(steps, reply))


def _analysed(steps: AnalystSteps, reply: AnalysisReply | None, problem: str) -> Analysed:
    """What was seen stays, also without a reply; nobody guesses then what it means."""
    evidence = steps.taken()
    outcome = VerdictOutcome(reply.outcome) if reply else VerdictOutcome.UNVERIFIED
    is_refuted = outcome is VerdictOutcome.UNSATISFIED
    analysis = Analysis(
        requirement_id=steps.requirement.id,
        outcome=VerdictOutcome.UNVERIFIED if problem else outcome,
        reason=reply.reason if reply else "It ended before it came to an answer.",
        evidence_ids=tuple(one.id for one in evidence),
        refuted_by=_refuting(steps, reply) if reply and is_refuted else (),
        interactions=steps.actions,
        problem=problem,
    )
    return Analysed(analysis, evidence)


def _refuting(steps: AnalystSteps, reply: AnalysisReply) -> tuple[str, ...]:
    """The steps that it names, its own or the plan's, and that refute the requirement."""
    named = dict.fromkeys(reply.refuted_by)
    pieces = (steps.find(id_) for id_ in named)
    about = steps.requirement.id
    return tuple(one.id for one in pieces if one and not why_no_refutation(one, about))


def _refusal(steps: AnalystSteps, reply: AnalysisReply) -> str:
    """Why the answer does not count, step by step, and what would; empty where it does."""
    requirement, outcome = steps.requirement, VerdictOutcome(reply.outcome)
    if outcome is VerdictOutcome.UNSATISFIED and not _refuting(steps, reply):
        named = [(id_, steps.find(id_)) for id_ in dict.fromkeys(reply.refuted_by)]
        why = [
            why_no_refutation(one, requirement.id)
            if one
            else f"{id_[:40]!r} is no step of yours or of the plan on this requirement."
            for id_, one in named
        ]
        said = " ".join(why) or "It names no step in refuted_by."
        return f'It says "unsatisfied", and no step shows it. {said} {REFUTES}'
    if outcome is not VerdictOutcome.SATISFIED:
        return ""
    cited = tuple(dict.fromkeys(reply.evidence))
    evidence = (*steps.taken(), *steps.known)
    problem = citation_problem(requirement, outcome, cited, evidence, steps.around)
    return f"{problem} {what_counts(requirement)}" if problem else ""


# --- the prompt ---------------------------------------------------------------------------------


def _prompt(agents: Agents, acting: Acting, assignment: Assignment) -> Prompt:
    requirement, material, delimiter = assignment.requirement, assignment.material, agents.delimiter
    tests = authors_tests(assignment)
    # Each body once, below the tests that are made of it: the rows of a table share theirs.
    by_body: dict[str, list[str]] = {}
    for one in tests:
        by_body.setdefault(one.source, []).append(one.id)
    bodies: list[str] = []
    for source, ids in by_body.items():
        more = [f"… and {len(ids) - MOST_IDS} more cases"] if len(ids) > MOST_IDS else []
        bodies.append("\n".join((*ids[:MOST_IDS], *more, source)))
    near = "\n".join(
        f"{one.literal}: {', '.join(one.near)}" for one in near_inputs(one.source for one in tests)
    )
    evidence = evidence_text(material.about(requirement), delimiter)
    claimed = claimed_text(material, requirement, delimiter)

    def enclosed(name: str, text: str, most: int = NEIGHBOUR_CHARS) -> str:
        return delimiter.enclose(name, text, most) if text else ""

    return Prompt(
        Role.ANALYST,
        *agents.texts(
            "analyst",
            shared=shared_text(material, delimiter),
            evidence="\n\n".join(filter(None, (evidence, claimed))),
            requirement=requirement_text(requirement, delimiter),
            tests=enclosed("tests", "\n\n".join(bodies), TESTS_CHARS),
            neighbours=enclosed("neighbours", near),
            unnoticed=enclosed("damages", material.unnoticed),
            differing=enclosed("inputs", material.differing),
            interactions=acting.interactions,
            reads_only=acting.reads_only,
        ),
        temperature=TEMPERATURE,
        about=requirement.id,
    )


def authors_tests(assignment: Assignment) -> tuple[TestResult, ...]:
    """The author's tests that alone speak for the requirement, or may be made for it, as they ran on head."""
    if assignment.found.decided_by not in (Decider.AUTHORS_TEST, Decider.NOBODY):
        return ()
    named = {function_of(name) for name in assignment.found.tests}
    found = {
        one.id: one
        for piece in assignment.material.evidence
        if piece.head is not None and piece.head.tests is not None
        for one in piece.head.tests.results
    }
    return tuple(one for one in found.values() if function_of(one.id) in named and one.source)
