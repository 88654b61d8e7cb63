"""What every session with models took is counted, however the session ends."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from pydantic import BaseModel

from bot.commands.services import counted
from bot.judges.model import Prompt, SessionLimits, no_models
from bot.store import Store
from bot.values import Role
from tests.scripted import Scripted

LIMITS = SessionLimits(usd=1.0, minutes=1.0)
PROMPT = Prompt(Role.PLANNER, "You plan.", "What?")


class Word(BaseModel):
    word: str


@pytest.mark.parametrize("end", [None, asyncio.CancelledError, ValueError])
async def test_what_a_session_took_is_counted_however_it_ends(
    end: type[BaseException] | None, tmp_path: Path
) -> None:
    with Store(f"sqlite:///{tmp_path / 'records.db'}") as records:
        records.migrate()
        models = counted(Scripted(lambda call: {"word": "w"}, tmp_path / "replies").open, records)
        for _ in range(2):
            try:
                async with models(LIMITS) as session:
                    assert session is not None
                    await session.ask(PROMPT, Word)
                    if end:
                        raise end
            except (asyncio.CancelledError, ValueError):
                assert end
        async with counted(no_models, records)(LIMITS) as nobody:
            assert nobody is None
        (planner,) = records.totals().models
    assert (planner.role, planner.calls, planner.cached) == (Role.PLANNER, 2, 1)
    assert planner.input_tokens > 0


async def test_a_database_that_is_away_spoils_no_answer(tmp_path: Path) -> None:
    gone = Store(f"sqlite:///{tmp_path / 'no' / 'such' / 'folder.db'}")
    models = counted(Scripted(lambda call: {"word": "w"}, tmp_path / "replies").open, gone)
    async with models(LIMITS) as session:
        assert session is not None
        assert (await session.ask(PROMPT, Word)).word == "w"
    gone.close()
