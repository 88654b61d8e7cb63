"""Fixes what will be checked before the first verdict: every step is bound to requirements."""

from __future__ import annotations

from bot.configuration import Configuration
from bot.judge.requirements import BUILDS, NOTHING_REGRESSES, TESTS_NOT_WEAKENED
from bot.models import ActionKind, Category, Plan, Requirements, Step


def plan(
    requirements: Requirements, configuration: Configuration, changed_paths: tuple[str, ...]
) -> Plan:
    """One step for the tests, one for changed files' linters, one for each check; ids E1, E2, ….

    An evidence takes its step's id. The tests' argument is the configuration's shell line, if any.
    """
    asked = tuple(
        r.id for r in requirements.items if r.category in (Category.BEHAVIOUR, Category.UPKEEP)
    )
    tests = Step(
        id="E1",
        goal="See which tests fail on base and pass on head, and which the change breaks.",
        guidance="Base tests and head tests, each on base code and on head code.",
        requirement_ids=(BUILDS, NOTHING_REGRESSES, TESTS_NOT_WEAKENED, *asked),
        action=ActionKind.UNIT_TESTS,
        arguments=(command,) if (command := configuration.setup.test) else (),
    )
    linter = Step(
        id="E2",
        goal="See what linters find on head and did not find on base.",
        guidance="The changed files, by the rules of base.",
        requirement_ids=(),
        action=ActionKind.STATIC_LINTER,
    )
    return Plan((tests, *((linter,) if changed_paths else ()), *_checks(requirements)))


def _checks(requirements: Requirements) -> tuple[Step, ...]:
    checked = (r for r in requirements.items if r.check)
    return tuple(
        Step(
            id=f"E{number}",
            goal=requirement.text,
            guidance="Exit code 0 on head means that it holds.",
            requirement_ids=(requirement.id,),
            action=ActionKind.BASH,
            arguments=(requirement.check,),
        )
        for number, requirement in enumerate(checked, start=3)
    )
