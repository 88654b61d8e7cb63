"""What an analyst's own step can show: only one that asserts something can refute, or prove nothing new."""

from __future__ import annotations

from dataclasses import replace

from bot.evidence.own_steps.hollow import hollow_problem
from bot.evidence.transitions import passed
from bot.text.steady import steady
from bot.values import ActionKind, Category, Evidence, Requirement, Transition

ASSERTING = (ActionKind.DYNAMIC_EXECUTION, ActionKind.INTERACTION, ActionKind.FILE_COMPARISON)
"""Actions that say what they expect: their failure on head means something by itself. The exit code
of any other command is only something to reason about."""
_RUNNING = (*ASSERTING, ActionKind.BASH, ActionKind.SHELL_INTERACTION)
_NEW_BEHAVIOUR = (Category.BEHAVIOUR, Category.CRITERION)


def own_step(evidence: Evidence, requirement: Requirement, around: str = "") -> Evidence:
    """The evidence with the transition of a check that came with the judge.

    A new check that passes on base too is `vacuous` where a behaviour is asked for; a command that
    asserts nothing is so when both sides also say the same. What passes on head without testing what
    was asked has a `problem` that says why: it raises nothing. `around` is the task as others than the
    author tell it.
    """
    if evidence.transition is Transition.HELD and requirement.category in _NEW_BEHAVIOUR:
        action = evidence.step.action
        if action in ASSERTING or (action in _RUNNING and _says_the_same(evidence)):
            return replace(evidence, transition=Transition.VACUOUS)
    head = evidence.head
    problem = hollow_problem(evidence, requirement, around) if head and passed(head) else ""
    if head is None or not problem:
        return evidence
    return replace(evidence, head=replace(head, problem=problem), transition=Transition.UNKNOWN)


def _says_the_same(evidence: Evidence) -> bool:
    base, head = evidence.base, evidence.head
    return base is not None and head is not None and steady(base.output) == steady(head.output)


def refutes(evidence: Evidence, requirement_id: str) -> bool:
    """Whether a step fails on head in what it asserts, and was taken for this requirement alone.

    A failure that is the judge's own mistake, or that a limit ended, has a `problem` and refutes nothing.
    """
    return (
        evidence.step.requirement_ids == (requirement_id,)
        and evidence.step.action in ASSERTING
        and passed(evidence.head) is False
    )
