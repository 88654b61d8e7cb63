"""A panel of judges for one requirement that no oracle decides: blind opinions, then negotiation.

CodeVisionary's stage 2: three judges, up to four rounds, temperature 0.7. Unlike the paper's code,
judges can withdraw, no agreement is `unverified`, and the dissent is shown.
"""

from __future__ import annotations

from bot.agents.chambers import Chambers
from bot.agents.negotiation import negotiate
from bot.agents.opinion import Question, blind_opinions, facts_text
from bot.configuration import JudgePolicy
from bot.judge.votes import count_votes, held_back
from bot.judge.words_to_judges import words_to_judges
from bot.models import PanelResult, Round


async def ask_panel(chambers: Chambers, question: Question, policy: JudgePolicy) -> PanelResult:
    """Ask every judge blind, then let them negotiate. Raises BudgetSpent or ModelAway.

    Where what they read speaks to judges, "satisfied" is for a person.
    """
    first = Round(0, (), await blind_opinions(chambers, question, policy.count))
    rounds = await negotiate(chambers, question, first, policy.rounds)
    counted = count_votes(question.requirement, question.shown, rounds)
    spoken = question.dossier.words_to_judges or words_to_judges(facts_text(chambers, question))
    return held_back(counted, spoken) if spoken else counted
