"""Durable execution; the only package that imports dbos.

Two faces: `EngineClient` puts jobs in (web process, after fork), `open_worker` runs them.
"""

from bot.queue.client import EngineClient, QueueDepth
from bot.queue.lease import LeaseLost
from bot.queue.options import EngineOptions, engine_options, migrate
from bot.queue.worker import Work, open_worker
