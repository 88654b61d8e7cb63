"""What an analyst's own step can show: only one that asserts something can refute, or prove nothing new."""

from __future__ import annotations

import re
from dataclasses import replace

from bot.evidence.own_steps.hollow import ASSERTING, LINES, hollow_problem, is_vacuous
from bot.evidence.transitions import NOT_RUNNABLE, passed
from bot.task.categories import is_invariant
from bot.values import ActionKind, Category, Evidence, Requirement, Transition

_NOT_ON_BASE = (
    "It fails on base too, and what must stay is what base does: expect what base gives, and see whether "
    "head gives it still."
)


def own_step(evidence: Evidence, requirement: Requirement, around: str = "") -> Evidence:
    """The evidence with the transition of a check that came with the judge.

    A new check that passes on base too is `vacuous` where a behaviour is asked for; a command that
    asserts nothing is so when both sides also say the same. What passes on head without testing what
    was asked has a `problem` that says why: it raises nothing. `around` is the task as others than the
    author tell it.
    """
    is_kept = requirement.category is Category.KEEP and not is_invariant(requirement.text)
    if is_kept and evidence.transition is Transition.STILL_FAILING and evidence.head:
        unknown = replace(evidence.head, problem=_NOT_ON_BASE)
        return replace(evidence, head=unknown, transition=Transition.UNKNOWN)
    if is_vacuous(evidence, requirement):
        return replace(evidence, transition=Transition.VACUOUS)
    head = evidence.head
    problem = hollow_problem(evidence, requirement, around) if head and passed(head) else ""
    if head is None or not problem:
        return evidence
    return replace(evidence, head=replace(head, problem=problem), transition=Transition.UNKNOWN)


_OWN_MISTAKE = re.compile(
    r"\b(?:SyntaxError|IndentationError|ModuleNotFoundError|command not found|No such file or directory"
    r"|unrecognized arguments|unexpected EOF)\b|^usage: ",
    re.MULTILINE,
)


def planned_step_refutes(evidence: Evidence, requirement_id: str) -> bool:
    """Whether a planned step for this requirement alone fails on head, and not by a mistake of its own.

    A line of the plan ends with 0 when all is well; an analyst has to say that its failure means what it
    seems to mean.
    """
    step, head = evidence.step, evidence.head
    if head is None or not step.is_proposed or step.requirement_ids != (requirement_id,):
        return False
    is_asserting = step.action in (*ASSERTING, ActionKind.BASH)
    ran = head.exit_code not in NOT_RUNNABLE and not _OWN_MISTAKE.search(head.output)
    return is_asserting and ran and passed(head) is False


def why_no_refutation(evidence: Evidence, requirement_id: str) -> str:
    """Why a step that an analyst names refutes nothing, as a sentence; empty where it does."""
    if refutes(evidence, requirement_id) or planned_step_refutes(evidence, requirement_id):
        return ""
    head, step, why = evidence.head, evidence.step, "asserts nothing of its own"
    if head is None or head.exit_code is None or head.timed_out:
        why = "gave no result on head"
    elif head.problem:
        why = f"proves nothing: {head.problem.rstrip('.')}"
    elif passed(head):
        why = "passes on head"
    elif step.requirement_ids != (requirement_id,):
        why = "is about other requirements too"
    elif step.is_proposed:
        why = "fails on head by a mistake of the step itself"
    elif step.action in LINES:
        why = "is a shell line, which asserts nothing"
    return f"{evidence.id} {why}."


REFUTES = (
    "What counts: a dynamic_execution, interaction or file_comparison step of yours, or a planned step for "
    "this requirement alone, that fails on head in what the requirement asks for."
)
_SHOWS = {
    Category.UPKEEP: "What counts: a step that read it on head.",
    Category.KEEP: (
        "What counts: a step of yours that passes on base and on head, and fails where the code that the "
        "requirement names is damaged."
    ),
}


def what_counts(requirement: Requirement) -> str:
    """What would show a requirement, as a sentence for who was refused."""
    return _SHOWS.get(
        requirement.category,
        "What counts: a step of yours that fails on base, passes on head, and fails again where the code "
        "that the requirement names is damaged, or is as on base.",
    )


def refutes(evidence: Evidence, requirement_id: str) -> bool:
    """Whether a step fails on head in what it asserts, and was taken for this requirement alone.

    A failure that is the judge's own mistake, or that a limit ended, has a `problem` and refutes nothing.
    """
    return (
        evidence.step.requirement_ids == (requirement_id,)
        and evidence.step.action in ASSERTING
        and passed(evidence.head) is False
    )
