"""What is left on disk: an evaluation's own things go when it is over, shared ones when they are old."""

from __future__ import annotations

import asyncio
import shutil
import time
from pathlib import Path

from bot.models import EvaluationRequest
from bot.stages.on_host import on_this_host
from bot.stages.services import Services, layers_home
from sandbox.environments.layer_store import evict as evict_environments
from sandbox.retention import Retention, release
from sandbox.retention import evict as evict_trees

SECONDS_A_DAY = 86_400
BYTES_A_GB = 1_000_000_000


@on_this_host
async def clean_up(services: Services, request: EvaluationRequest) -> None:
    """Remove what only this evaluation used, and let its trees go."""
    await asyncio.to_thread(release, services.settings.home / "git", request.id)
    folder = services.evaluation_folder(request)
    await asyncio.to_thread(shutil.rmtree, folder, ignore_errors=True)


async def tidy(services: Services) -> int:
    """Remove what is older than the retention or over the disk budget; return the bytes freed."""
    return await asyncio.to_thread(_tidy, services)


def _tidy(services: Services) -> int:
    settings = services.settings
    home, half = settings.home.absolute(), settings.disk_gb * BYTES_A_GB // 2
    _remove_abandoned(home / "evaluations")
    shutil.rmtree(home / "replies", ignore_errors=True)  # of versions that kept them there
    freed = evict_trees(home / "git", Retention(settings.retention_days * SECONDS_A_DAY, half))
    return freed + evict_environments(layers_home(services), settings.retention_days, half)


def _remove_abandoned(evaluations: Path) -> None:
    """Remove the folders of evaluations that were cancelled on the way, a day after."""
    oldest_s = time.time() - SECONDS_A_DAY
    for folder in evaluations.glob("*"):
        if folder.stat().st_mtime < oldest_s:
            shutil.rmtree(folder, ignore_errors=True)
