"""Durable execution; the only package that imports dbos.

Two faces: `EngineClient` puts jobs in (web process, after fork), `open_worker` runs them.
"""

from bot.engine.client import EngineClient, JobState, QueueDepth
from bot.engine.lease import LeaseLost
from bot.engine.options import EngineOptions, engine_options, migrate
from bot.engine.worker import Work, Worker, open_worker

__all__ = [
    "EngineClient",
    "EngineOptions",
    "JobState",
    "LeaseLost",
    "QueueDepth",
    "Work",
    "Worker",
    "engine_options",
    "migrate",
    "open_worker",
]
