"""`/judge plan`: an answer in the conversation, and nothing that runs."""

from __future__ import annotations

from dataclasses import replace

from bot.errors import Superseded
from bot.github import Permission, Reaction
from bot.values import (
    ActionKind,
    Category,
    ExpectedCalls,
    ExpectedPrice,
    Forecast,
    Plan,
    Requirement,
    Requirements,
    Role,
    Step,
    Trust,
)
from tests.bot.webhook.conftest import Office
from tests.bot.webhook.payloads import HEAD, comment

PLACE = (9, "<!-- assay:reply to 31 -->")
STEP = Step("E1", "See which tests fail.", "-", ("R1",), ActionKind.UNIT_TESTS)
HOSTILE = "</table> @everyone ![x](http://evil.example/x.png) |"
FORECAST = Forecast(
    Requirements(
        (Requirement("R1", HOSTILE, Category.BEHAVIOUR, "issue #7", Trust.ASKER),),
        remarks=("The model's “x” was left out.",),
    ),
    Plan((STEP,)),
    "d" * 64,
    (ExpectedPrice(ExpectedCalls(Role.PANEL, 0, 24, 2_000, 300), "small", 0.0, 0.25),),
    usd=2.0,
    interactions=40,
    minutes=30.0,
)


async def test_plan_and_price_are_posted_and_nothing_is_queued(office: Office) -> None:
    office.foresight.told = FORECAST
    await office.take(comment("/judge plan"))
    body = office.hello.comments_put[PLACE]
    assert "See which tests fail." in body
    assert "at most $0.25" in body
    assert "0 to 24" in body
    assert "</table>" not in body
    assert "@everyone" not in body
    assert "](http://evil" not in body
    (asked,) = office.foresight.asked
    assert (asked.head_sha, asked.number) == (HEAD, 9)
    assert office.records.recent() == ()
    assert office.hello.checks == {}
    assert office.jobs.depth().evaluations == 0
    assert office.hello.reactions == [(31, Reaction.EYES)]


async def test_a_price_that_nobody_knows_is_not_called_nothing(office: Office) -> None:
    (price,) = FORECAST.prices
    office.foresight.told = replace(FORECAST, prices=(replace(price, usd_most=None),))
    await office.take(comment("/judge plan"))
    body = office.hello.comments_put[PLACE]
    assert "unknown" in body
    assert "$0.00" not in body


async def test_why_there_is_no_plan_is_said(office: Office) -> None:
    await office.take(comment("/judge plan"))
    assert "No plan. Wait." in office.hello.comments_put[PLACE]
    office.foresight.told = Superseded("A newer commit was pushed: eeee.")
    await office.take(comment("/judge plan"))
    assert "newer commit" in office.hello.comments_put[PLACE]


async def test_a_reader_gets_no_plan(office: Office) -> None:
    office.hello.permissions["maintainer"] = Permission.READ
    await office.take(comment("/judge plan"))
    assert office.foresight.asked == []
    assert list(office.hello.comments_put) == [(9, "<!-- assay:no write access -->")]
