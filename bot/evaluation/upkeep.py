"""What is left on disk: an evaluation's own things go when it is over, shared ones when they are old."""

from __future__ import annotations

import asyncio
import logging
import shutil
import socket
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from bot.errors import Transient, UserError
from bot.evaluation.on_host import on_this_host
from bot.services import Services, layers_home
from bot.settings import Settings
from bot.store import HostDisk, Store
from bot.values import EvaluationRequest
from sandbox.disk import GIGABYTE, free_bytes
from sandbox.repository.mirror import evict as evict_trees
from sandbox.repository.mirror import release
from sandbox.toolchains.layers import evict as evict_environments

SECONDS_A_DAY = 86_400
TELL_EVERY_S = 60.0
log = logging.getLogger(__name__)


@on_this_host
async def clean_up(services: Services, request: EvaluationRequest) -> None:
    """Remove what only this evaluation used, and let its trees go."""
    await asyncio.to_thread(release, services.settings.home / "git", request.id)
    folder = services.evaluation_folder(request)
    await asyncio.to_thread(shutil.rmtree, folder, ignore_errors=True)


@dataclass(slots=True)
class DiskFloor:
    """Says whether this host has room for a new evaluation, and tells the operator where it has not."""

    settings: Settings
    store: Store
    _told_s: float = -TELL_EVERY_S
    _was_low: bool = False

    def has_room(self) -> bool:
        """Look at the free space: one system call."""
        home = self.settings.home.absolute()
        seen = HostDisk(
            f"{socket.gethostname()}:{home}",
            free_bytes(home),
            int(self.settings.disk_floor_gb * GIGABYTE),
            time.time(),
        )
        if seen.is_low != self._was_low or time.monotonic() - self._told_s > TELL_EVERY_S:
            self._was_low, self._told_s = seen.is_low, time.monotonic()
            if seen.is_low:
                log.warning("%s", _too_full(home, self.settings.disk_floor_gb))
            with suppress(Transient):
                self.store.host_seen(seen)
        return not seen.is_low


def refuse_full_disk(home: Path, floor_gb: float) -> None:
    """Raise UserError where no evaluation would be begun in `home` for want of room."""
    if free_bytes(home) < floor_gb * GIGABYTE:
        way_out = "Free some space, or set ASSAY_DISK_FLOOR_GB lower."
        raise UserError(_too_full(home, floor_gb), way_out)


def _too_full(home: Path, floor_gb: float) -> str:
    return (
        f"Only {free_bytes(home) / GIGABYTE:.2f} GB are free at {home.absolute()}. No new evaluation is "
        f"begun below {floor_gb:g} GB (ASSAY_DISK_FLOOR_GB)."
    )


def tidy_daily(services: Services) -> None:
    """Tidy where that was not done for a day: a command that judges may have no worker that does."""
    mark = services.settings.home / "tidied"
    if not mark.exists() or time.time() - mark.stat().st_mtime > SECONDS_A_DAY:
        tidy(services)
        mark.touch()


def tidy(services: Services) -> int:
    """Remove what is older than the retention or over the disk budget; return the bytes freed."""
    settings = services.settings
    home, half = settings.home.absolute(), settings.disk_gb * GIGABYTE // 2
    # The folders of evaluations that were cancelled on the way go a day after.
    oldest_s = time.time() - SECONDS_A_DAY
    for folder in (home / "evaluations").glob("*"):
        if folder.stat().st_mtime < oldest_s:
            shutil.rmtree(folder, ignore_errors=True)
    freed = evict_trees(home / "git", settings.retention_days, half)
    return freed + evict_environments(layers_home(services), settings.retention_days, half)
