"""What one step showed, and how long one run of it may take."""

from __future__ import annotations

from dataclasses import dataclass

from bot.models import Evidence, ExampleSeen, FourWay, Impact, Located
from bot.stages.docket import Case
from sandbox.base import Limits
from sandbox.models import Finding

_LONGEST_RUN = 0.8  # of `limits.minutes`


@dataclass(frozen=True, slots=True)
class Seen:
    """What one step showed: evidence that verdicts may cite, the tests four ways, findings new on head,
    what the task's examples did, and hints that no verdict rests on."""

    evidence: tuple[Evidence, ...] = ()
    tests: FourWay | None = None
    findings: tuple[Finding, ...] = ()
    examples: tuple[ExampleSeen, ...] = ()
    impact: Impact | None = None
    located: tuple[Located, ...] = ()


def limits(case: Case) -> Limits:
    """Let one run take most of the time: when it hangs, the rest suffices to say which run it was."""
    minutes = case.policy.configuration.limits.minutes
    return Limits(timeout_s=minutes * 60 * _LONGEST_RUN)
