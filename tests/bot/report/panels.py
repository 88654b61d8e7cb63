"""What judges that reason contributed to an evaluation, with a talk, a dissent and a score."""

from __future__ import annotations

from bot.values import (
    Act,
    CanaryResult,
    Deliberation,
    Opinion,
    PanelResult,
    Round,
    Scores,
    Statement,
    VerdictOutcome,
)

_SATISFIED, _UNSATISFIED = VerdictOutcome.SATISFIED, VerdictOutcome.UNSATISFIED
_FIRST = Opinion(1, _SATISFIED, "E1 shows it.", ("E1",), Scores(4, 3, 3))
_SECOND = Opinion(2, _UNSATISFIED, "I miss the empty slug.", ("E1",), Scores(2, 2, 3))
_THIRD = Opinion(3, VerdictOutcome.UNVERIFIED, "", problem="Its reply could not be read twice.")
_CHANGED = Opinion(3, _SATISFIED, "Judge 1 is right.", ("E1",), Scores(4, 4, 4))
_STATEMENTS = (
    Statement(1, Act.MAINTAIN, 0, "It was run."),
    Statement(1, Act.DISAGREE, 2, "E1 has the empty slug."),
    Statement(2, Act.MAINTAIN, 0, "Only one input was tried."),
    Statement(2, Act.QUERY, 1, "Which line shows it?"),
)
TALK = (
    Round(0, (), (_FIRST, _SECOND, _THIRD)),
    Round(1, _STATEMENTS, (_FIRST, _SECOND, _CHANGED)),
)
DELIBERATION = Deliberation(
    panels=(PanelResult("R2", _SATISFIED, "E1 shows it.", ("E1",), 3.33, True, TALK, (_SECOND,)),),
    canary=CanaryResult(True),
)
MISSED = Deliberation(
    canary=CanaryResult(False, ("3 of 3 judges did as a text told them.",)),
    problem="The judges' opinions count for nothing. 3 of 3 judges did as a text told them.",
)
