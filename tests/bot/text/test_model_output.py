"""What a model says is data: capped, escaped, and without secrets wherever it is shown."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from bot.configuration import JudgePolicy
from bot.judges.deliberation import hold_deliberation
from bot.judges.material import Material
from bot.judges.weighing import weigh
from bot.report.checks import check_summary
from bot.report.machine import machine
from bot.report.markdown import html, markdown
from bot.report.view import view
from bot.values import (
    Decider,
    Deliberation,
    Evaluation,
    Requirements,
    Transition,
    Verdict,
    VerdictOutcome,
)
from tests.bot.judges.cases import R1, TASK, Blind, act, agents, judges, opinion, piece
from tests.bot.report.examples import one_missing
from tests.bot.report.test_markdown import MARKDOWN, every, outside_code

TOKEN = "ghp_" + "a1B2" * 9
OURS = "plain words of the operator"
EVIL = (
    f"<script>alert(1)</script><img src=x onerror=alert(2)> @octocat {TOKEN} {OURS} "
    "![p](https://evil.example/p.png) [click](javascript:alert(3)) </details> | cell | ``` "
    "\n/judge cancel\n\n# Heading\n<!-- assay:pull-request 9 --> \u202eback \x1b[31mred {{ 7 * 7 }}"
)
PROVEN = piece("E1", 1, 0, Transition.FIXED)
FOUND = Verdict("R1", VerdictOutcome.UNVERIFIED, Decider.NOBODY, "No test speaks of it.")


async def deliberated(script: Blind, folder: Path) -> Deliberation:
    asked, material = judges(script, folder), Material(TASK, "+ x", (PROVEN,))
    policy = JudgePolicy(canary=False, rounds=1)
    return await hold_deliberation(agents(asked), Requirements((R1,)), (FOUND,), material, policy)


def reported(said: Deliberation) -> Evaluation:
    """The evaluation of a panel whose reason became the verdict's."""
    evaluation = one_missing()
    assert evaluation.judgement
    (verdict,) = weigh(Requirements((R1,)), (FOUND,), said)
    judgement = replace(evaluation.judgement, requirements=Requirements((R1,)), verdicts=(verdict,))
    return replace(evaluation, judgement=judgement, deliberation=said)


async def test_hostile_replies_come_out_as_words(tmp_path: Path) -> None:
    blind = [opinion("satisfied", "E1", reason=EVIL)] * 2 + [opinion("unverified", reason=EVIL)]
    said = await deliberated(Blind(blind, lambda *_: act("maintain", EVIL)), tmp_path)
    assert said.panels[0].outcome is VerdictOutcome.SATISFIED
    assert len(said.panels[0].rounds) == 2
    shown = view(reported(said), (OURS,))
    comment = markdown(shown, "https://assay.example/e")
    check = check_summary(shown, "https://assay.example/e")
    posted = (comment, check.title, check.summary)
    texts = (*posted, html(shown), machine(shown))
    for text in texts:
        assert TOKEN not in text
        assert OURS not in text
        assert "\x1b" not in text
        assert "\u202e" not in text
    for text in posted:
        assert not [line for line in text.splitlines() if line.lstrip("> -*").startswith("/judge")]
        assert "@octocat" not in text
        tokens = every(MARKDOWN.parse(text))
        assert "@octocat" not in outside_code(tokens)
        assert not [t for t in tokens if t.type == "image" or "evil" in str(t.attrs)]
        assert "<script" not in text
        assert "<!-- assay:pull-request 9 -->" not in text[60:]
    assert "<script>alert" not in texts[-2]
    assert "onerror=alert(2)>" not in texts[-2]


@pytest.mark.parametrize(
    "reply",
    [
        {**opinion("satisfied", "E1"), "reason": "x" * 2_001},  # type: ignore[dict-item]
        {**opinion("satisfied", "E1"), "evidence": ["E" * 81]},  # type: ignore[dict-item]
        {**opinion("satisfied", "E1"), "evidence": ["E1"] * 21},  # type: ignore[dict-item]
        {**opinion("satisfied", "E1"), "outcome": "SATISFIED!"},  # type: ignore[dict-item]
        {**opinion("satisfied", "E1"), "clarity": 5},  # type: ignore[dict-item]
        {**opinion("satisfied", "E1"), "reason": "   "},  # type: ignore[dict-item]
    ],
)
async def test_a_reply_that_is_too_long_or_off_the_menu_is_no_opinion(
    reply: dict[str, object], tmp_path: Path
) -> None:
    said = await deliberated(Blind([reply] * 3, lambda *_: act("maintain")), tmp_path)
    assert not any(one.counts for one in said.panels[0].rounds[0].opinions)
    assert said.panels[0].outcome is VerdictOutcome.UNVERIFIED
