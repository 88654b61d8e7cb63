"""How a job stands, for tests: Assay itself goes by its records."""

from __future__ import annotations

from enum import StrEnum

from bot.queue import EngineClient


class JobState(StrEnum):
    """Where a job stands."""

    QUEUED = "queued"
    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"
    CANCELLED = "cancelled"


_STATES = {
    "ENQUEUED": JobState.QUEUED,
    "DELAYED": JobState.QUEUED,
    "PENDING": JobState.RUNNING,
    "SUCCESS": JobState.DONE,
    "ERROR": JobState.FAILED,
    "MAX_RECOVERY_ATTEMPTS_EXCEEDED": JobState.FAILED,
    "CANCELLED": JobState.CANCELLED,
}


def state_of(jobs: EngineClient, job: str) -> JobState | None:
    """Tell where a job stands; None for an unknown id."""
    found = jobs._client.list_workflows(workflow_ids=[job], load_input=False, load_output=False)
    return _STATES[found[0].status] if found else None
