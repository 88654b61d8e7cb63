"""How many calls the judges of an evaluation may make, before anything has been observed.

Nobody knows yet which requirements the oracles will decide. At least: all of them, and models only say
what they think of the whole patch, and of its criteria. At most: none, every analyst uses all its
interactions and every panel goes all its rounds.
"""

from __future__ import annotations

from bot.configuration import Configuration
from bot.judge.weighing import OPEN_TO_JUDGES
from bot.models import ExpectedCalls, Requirements, Role

CHARS_A_TOKEN = 4
INSTRUCTION_TOKENS = 450
EVIDENCE_TOKENS = 1_200
TURN_TOKENS = 500  # what one more interaction adds to an analyst's conversation
ANSWER_TOKENS = 300
CANARIES = 3


def expected_calls(
    requirements: Requirements, shared_chars: int, configuration: Configuration, grades: int
) -> tuple[ExpectedCalls, ...]:
    """The calls by role; `shared_chars` is the length of what every prompt begins with.

    `grades` is how often the change is graded by criteria.
    """
    open_ = sum(one.category in OPEN_TO_JUDGES for one in requirements.items)
    judges, limits = configuration.judges, configuration.limits
    asked = INSTRUCTION_TOKENS + shared_chars // CHARS_A_TOKEN + EVIDENCE_TOKENS
    talk = limits.interactions * TURN_TOKENS // 2  # on average half of the conversation is there
    tried = CANARIES * judges.count if judges.canary and open_ else 0
    rounds = tried + open_ * judges.count * (1 + judges.rounds)
    expected = (
        ExpectedCalls(Role.ANALYST, 0, open_ * limits.interactions, asked + talk, ANSWER_TOKENS),
        ExpectedCalls(Role.PANEL, 0, rounds, asked, ANSWER_TOKENS),
        ExpectedCalls(Role.PATCH, judges.count, judges.count, asked, ANSWER_TOKENS),
        ExpectedCalls(Role.QUANTIFIER, grades, grades, asked, ANSWER_TOKENS),
    )
    return tuple(one for one in expected if one.most)
