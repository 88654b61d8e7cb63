"""`assay worker`: runs evaluations until it is told to stop."""

from __future__ import annotations

import logging
import signal
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from functools import partial

import click

from bot.commands.services import open_services
from bot.evaluation import evaluate
from bot.evaluation.conclude_again import KeptVerdicts
from bot.evaluation.forecast import foresee
from bot.evaluation.rubrics import RubricDrafter
from bot.evaluation.upkeep import DiskFloor, tidy
from bot.github.client import open_app
from bot.queue import EngineClient, Work, engine_options, open_worker
from bot.settings import Settings, load_settings, make_home
from bot.source.github import CHECK_NAME, GitHubOrigin
from bot.steps import StepRunner
from bot.store import open_records
from bot.values import EvaluationRequest, Publication
from bot.web.links import open_links
from bot.webhook.adapters import Adapters
from bot.webhook.handle import ended, handle
from bot.webhook.sweep import forget_old, sweep

_SECONDS_A_DAY = 86_400


def run() -> None:
    """Run evaluations until a signal says to stop."""
    settings = load_settings()
    set_up_log(settings)
    make_home(settings.home)
    with open_work(settings) as work, open_worker(engine_options(settings), work) as worker:
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, lambda *_: worker.stop())
        click.echo("assay worker: ready", err=True)
        worker.wait()


@contextmanager
def open_work(settings: Settings) -> Iterator[Work]:
    """Wire what a worker runs. Raises UserError when the App is not registered."""
    with ExitStack() as stack:
        store = stack.enter_context(open_records(settings))
        store.migrate()
        github = open_app(settings)
        jobs = EngineClient(engine_options(settings))
        stack.callback(jobs.close)
        links = open_links(settings, store)
        origin = GitHubOrigin(github, store, links.sign, allow_http="://" in settings.ghe_host)
        services = open_services(settings, store, origin)
        approve = settings.approve_first_time_forks
        foretell = partial(foresee, services)
        drafter = RubricDrafter(
            settings,
            services.sandbox,
            github,
            services.open_session,
            services.mark_key,
            services.secrets,
        )
        verdicts = KeptVerdicts(services)
        adapters = Adapters(
            github, store, jobs, links.sign, CHECK_NAME, drafter, foretell, verdicts, approve
        )

        async def run_evaluation(request: EvaluationRequest, run: StepRunner) -> Publication:
            return await evaluate(request, services, run)

        async def look_after(run: StepRunner) -> None:
            oldest_s = time.time() - settings.retention_days * _SECONDS_A_DAY
            await run("forget", forget_old, adapters, services.artifacts, jobs.prune, oldest_s)
            await sweep(adapters, run)

        yield Work(
            evaluate=run_evaluation,
            handle=partial(handle, adapters),
            ended=partial(ended, adapters),
            sweep=look_after,
            progress=store,
            has_room=DiskFloor(settings, store).has_room,
            keep_house=partial(tidy, services),
        )


def set_up_log(settings: Settings) -> None:
    """Log to standard error, one line an event."""
    logging.basicConfig(
        level=settings.log_level, format="%(asctime)s %(levelname)-7s %(name)s: %(message)s"
    )
    logging.getLogger("httpx").setLevel(logging.WARNING)
