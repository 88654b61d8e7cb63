"""Asking models: typed replies, tools, budgets, memory; through the library's seam and over the wire."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest
from pydantic import BaseModel, Field
from pydantic_ai.messages import ModelMessage, ModelResponse, TextPart
from pydantic_ai.models.function import AgentInfo, FunctionModel

from bot.judges.model import SessionLimits, open_models
from bot.judges.model.account import Account
from bot.judges.model.base import (
    Answerless,
    BudgetSpent,
    ModelAway,
    Prompt,
    RecordingMemory,
    Tool,
    Toolbox,
)
from bot.judges.model.remembering import SessionState
from bot.judges.model.session import ModelSession
from bot.settings import Settings
from bot.values import Role
from tests.endpoint import Said, model_endpoint, settings_for
from tests.scripted import FolderMemory, Scripted, said

pytestmark = pytest.mark.real
LIMITS = SessionLimits(usd=2.0, minutes=5.0)
PLAIN_FIELDS = {"model", "messages", "temperature", "stream", "tools", "tool_choice"}
PROMPT = Prompt(Role.PANEL, "You add.", "One and one?")


class Sum(BaseModel):
    total: int = Field(ge=0)


class Pair(BaseModel):
    left: int
    right: int


async def add(pair: Pair) -> str:
    return str(pair.left + pair.right)


ADD = Tool("add", "Adds two numbers.", Pair, add)


def settings(tmp_path: Path, **given: object) -> Settings:
    return Settings(home=tmp_path, **given)  # type: ignore[arg-type]


async def test_a_reply_comes_typed_and_is_paid_once(tmp_path: Path) -> None:
    scripted = Scripted(lambda call: {"total": 2}, tmp_path)
    assert (await scripted.session().ask(PROMPT, Sum)).total == 2
    again = scripted.session()
    assert (await again.ask(PROMPT, Sum)).total == 2
    assert len(scripted.calls) == 1
    (usage,) = again.usage
    assert (usage.calls, usage.cached, usage.input_tokens) == (1, 1, 0)
    other_sample = Prompt(Role.PANEL, "You add.", "One and one?", sample=1)
    await again.ask(other_sample, Sum)
    assert len(scripted.calls) == 2


def _cut_what_is_kept(folder: Path) -> None:
    (kept,) = (one for one in folder.rglob("*") if one.is_file())
    kept.write_bytes(kept.read_bytes()[:20])


async def test_a_kept_reply_that_a_power_failure_cut_is_asked_for_again(tmp_path: Path) -> None:
    scripted = Scripted(lambda call: {"total": 2}, tmp_path)
    await scripted.session().ask(PROMPT, Sum)
    _cut_what_is_kept(tmp_path)
    assert (await scripted.session().ask(PROMPT, Sum)).total == 2
    assert (await scripted.session().ask(PROMPT, Sum)).total == 2
    assert len(scripted.calls) == 2


async def test_an_unreadable_reply_is_asked_again_once(tmp_path: Path) -> None:
    replies = iter(["two, I think", '{"total": 2}', "no", "no", '{"total": 2}'])
    scripted = Scripted(lambda call: next(replies), tmp_path)
    assert (await scripted.session().ask(PROMPT, Sum)).total == 2
    with pytest.raises(Answerless, match="could not be parsed"):
        await scripted.session().ask(Prompt(Role.PANEL, "s", "another"), Sum)
    assert len(scripted.calls) == 4


async def test_money_that_is_spent_asks_no_more(tmp_path: Path) -> None:
    scripted = Scripted(lambda call: {"total": 2}, tmp_path)
    spent = scripted.session(SessionLimits(usd=1.0, minutes=1.0, usd_spent=1.0))
    with pytest.raises(BudgetSpent, match=r"\$1.00"):
        await spent.ask(PROMPT, Sum)
    assert scripted.calls == []


async def test_over_the_wire_with_a_tool_and_a_price(tmp_path: Path) -> None:
    def answer(asked: dict) -> Said:
        results = [one["content"] for one in asked["messages"] if one["role"] == "tool"]
        if not results:
            return Said(tool_calls=(("add", '{"left": 1}'),))
        if "Wrong arguments" in results[-1]:
            return Said(tool_calls=(("no_such_tool", "{}"),))
        if "no_such_tool" in results[-1]:
            return Said(tool_calls=(("add", '{"left": 1, "right": 1}'),))
        return Said(text=json.dumps({"total": int(results[-1])}))

    with model_endpoint(answer) as endpoint:
        prices = {"test-model": (1.0, 2.0)}
        given = settings(tmp_path, **settings_for(endpoint, model_prices=prices))
        async with open_models(given, FolderMemory(tmp_path))(LIMITS) as session:
            assert session is not None
            assert (await session.converse(PROMPT, Sum, Toolbox([ADD], 10))).total == 2
            (usage,) = session.usage
            with pytest.raises(BudgetSpent, match="2 interactions"):
                await session.converse(Prompt(Role.ANALYST, "s", "u"), Sum, Toolbox([ADD], 2))
        assert usage.calls == len(endpoint.asked) - 2 == 4
        assert usage.usd == pytest.approx((usage.input_tokens + 2 * usage.output_tokens) / 1e6)
        assert endpoint.keys[0] == "Bearer key"
        # Some endpoints refuse every word that they do not know.
        assert set(endpoint.asked[0]) <= PLAIN_FIELDS


@pytest.mark.parametrize(
    ("answer", "error", "words"),
    [
        (Said(status=401), ModelAway, "rejects the key"),
        (Said(status=404), ModelAway, "does not know"),
        (Said(text="I cannot help with that."), Answerless, "twice"),
        (Said(refusal="No."), Answerless, "^The model refused to answer.$"),
        (Said(text='{"total":', finish="length"), Answerless, "exceeded the length limit"),
        (
            Said(tool_calls=(("no_such_tool", "{}"),)),
            Answerless,
            "^The model's reply could not be parsed, twice in a row.$",
        ),
        (Said(status=400), ModelAway, "rejects the request"),
        (Said(body=b'{"choices": ['), ModelAway, "does not return chat completions"),
        (Said(body=b"<html>Welcome</html>"), ModelAway, "check `ASSAY_MODEL_URL`"),
        (Said(status=500, headers=(("retry-after-ms", "1"),)), ModelAway, "status 500"),
        (Said(status=429, headers=(("retry-after-ms", "1"),)), ModelAway, "status 429"),
    ],
)
async def test_what_an_endpoint_does_wrong(
    answer: Said, error: type[Exception], words: str, tmp_path: Path
) -> None:
    with model_endpoint(lambda asked: answer) as endpoint:
        async with open_models(
            settings(tmp_path, **settings_for(endpoint)), FolderMemory(tmp_path)
        )(LIMITS) as session:
            assert session is not None
            with pytest.raises(error, match=words):
                await session.ask(PROMPT, Sum)


async def test_an_endpoint_that_is_busy_is_asked_again(tmp_path: Path) -> None:
    replies = iter(
        [
            Said(status=429, headers=(("Retry-After", "0"),)),
            Said(status=503),
            Said(text='{"total": 2}', cut=True),
            Said(text='{"total": 2}'),
        ]
    )
    with model_endpoint(lambda asked: next(replies)) as endpoint:
        async with open_models(
            settings(tmp_path, **settings_for(endpoint)), FolderMemory(tmp_path)
        )(LIMITS) as session:
            assert session is not None
            assert (await session.ask(PROMPT, Sum)).total == 2


async def test_a_slow_answer_is_asked_for_again_until_the_time_is_over(tmp_path: Path) -> None:
    waits = iter((1.5, 0.0))
    with model_endpoint(lambda asked: Said('{"total": 2}', wait_s=next(waits, 3.0))) as endpoint:
        given = settings(tmp_path, **settings_for(endpoint, model_timeout_s=0.5))
        async with open_models(given, FolderMemory(tmp_path))(LIMITS) as session:
            assert session is not None
            assert (await session.ask(PROMPT, Sum)).total == 2
        given = settings(tmp_path / "other", **settings_for(endpoint))
        async with open_models(given, FolderMemory(tmp_path / "other"))(
            SessionLimits(usd=2.0, minutes=0.01)
        ) as session:
            assert session is not None
            with pytest.raises(BudgetSpent, match=r"0\.01 minutes"):
                await session.ask(PROMPT, Sum)


async def test_who_does_not_answer_in_time_is_not_asked_again(tmp_path: Path) -> None:
    """Else a run of twenty questions waits twenty times for nothing."""
    asked: list[str] = []

    async def respond(messages: list[ModelMessage], _info: AgentInfo) -> ModelResponse:
        asked.append(said(messages))
        if "slow" in asked[-1]:
            await asyncio.sleep(60)
        return ModelResponse(parts=[TextPart('{"total": 2}')])

    def session() -> ModelSession:
        state = SessionState(Account(LIMITS, {}), asyncio.Semaphore(8), patience_s=0.2)
        model = FunctionModel(respond, model_name="small")
        return ModelSession(lambda _prompt, _tools: model, RecordingMemory(memory), state)

    memory = FolderMemory(tmp_path)
    first = session()
    assert (await first.ask(PROMPT, Sum)).total == 2
    for question in ("slow", "quick"):
        with pytest.raises(ModelAway, match=r"does not respond\. Try again when it is back"):
            await first.ask(Prompt(Role.PANEL, "You add.", question), Sum)
    assert len(asked) == 2
    assert (await first.ask(PROMPT, Sum)).total == 2, "what is remembered needs nobody"
    assert (await session().ask(Prompt(Role.PANEL, "You add.", "quick"), Sum)).total == 2


async def test_without_a_model_there_is_no_session(tmp_path: Path) -> None:
    async with open_models(settings(tmp_path), FolderMemory(tmp_path))(LIMITS) as session:
        assert session is None


async def test_each_seat_of_a_panel_asks_a_model_of_its_own(tmp_path: Path) -> None:
    with model_endpoint(lambda asked: Said(text='{"total": 2}')) as endpoint:
        seats = {"panel": ["first", "second"], "patch": "third"}
        given = settings(tmp_path, **settings_for(endpoint, models=seats))
        async with open_models(given, FolderMemory(tmp_path))(LIMITS) as session:
            assert session is not None
            for seat in (1, 2, 3):
                await session.ask(Prompt(Role.PANEL, "s", "u", sample=seat), Sum)
            await session.ask(Prompt(Role.PATCH, "s", "u"), Sum)
            await session.ask(Prompt(Role.ANALYST, "s", "u"), Sum)
        models = [one["model"] for one in endpoint.asked]
        assert models == ["first", "second", "first", "third", "test-model"]
