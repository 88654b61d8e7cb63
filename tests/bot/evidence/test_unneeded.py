"""What of a change is asked about, and what there was no time for."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import cast

from bot.context import EvaluationContext
from bot.evidence.unneeded import find_unneeded
from bot.services import Services
from sandbox.damage.making import DamagedCopy
from sandbox.damage.trial import Trials
from sandbox.damage.values import ALTERED, Damage
from sandbox.test_runs.test_order import TestOrder
from tests.bot.verdict.cases import observed
from tests.sandbox.linters.changes import changed

CHANGE = {"a.py": "x = 2\n"}


async def test_what_there_is_no_time_to_try_is_told(tmp_path: Path) -> None:
    trials = Trials(
        checkout=changed(tmp_path, {"a.py": "x = 1\n"}, CHANGE),
        concerned=(),
        groups=(),
        replaced={},
        workspace=tmp_path / "damage",
        order=cast("TestOrder", None),
        seconds=0.0,
    )
    told = "`1` is still there"
    damages = [Damage("a.py", ALTERED, line, "", told, is_telling=False) for line in (1, 2, 3)]
    services = cast("Services", SimpleNamespace(sandbox=None))  # nothing is run
    asking = [DamagedCopy(one, (("a.py", b"x = 1\n"),)) for one in damages]
    case = cast("EvaluationContext", None)
    found = await find_unneeded(services, case, observed(), (trials, trials), asking)

    assert (found.trials, found.late) == ((), tuple(damages))
