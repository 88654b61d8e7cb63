"""Puts the adapters together for one evaluation; without the engine, which takes a second to load."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
from dataclasses import replace

from bot.commands.services import open_services
from bot.errors import UserError
from bot.evaluation import evaluate
from bot.evaluation.upkeep import too_full
from bot.judges.model import OpenSession
from bot.services import Origin
from bot.settings import Settings
from bot.steps import run_in_process
from bot.store import open_records
from bot.values import EvaluationRequest, Publication

CountRuns = Callable[[int, int], None]


async def judge_once(
    settings: Settings,
    origin: Origin,
    request: EvaluationRequest,
    models: OpenSession | None = None,
    count_runs: CountRuns | None = None,
) -> Publication:
    """Run one evaluation here and now, without an engine. Raises SandboxError, Transient, UserError.

    `models` stand in for those that the settings name.
    """
    if why := too_full(settings):
        raise UserError(why, "Free some space, or set ASSAY_DISK_FLOOR_GB lower.")
    with closing(open_records(settings)) as store:
        store.migrate()
        services = open_services(settings, store, origin, models)
        if count_runs:
            services = replace(services, count_runs=count_runs)
        return await evaluate(request, services, run_in_process)
