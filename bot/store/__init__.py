"""Records (SQL) and artifacts (files or object storage)."""

from bot.store.artifacts import FileArtifacts, open_artifacts
from bot.store.base import (
    Artifacts,
    Decision,
    Ended,
    EvaluationRecord,
    EvaluationState,
    HostDisk,
    LabelFilter,
    StageTime,
    Store,
    Totals,
)
from bot.store.record_parts import KeptReplies
from bot.store.records import Records, open_records
from bot.store.tokens import ApiToken, IssuedToken

__all__ = [
    "ApiToken",
    "Artifacts",
    "Decision",
    "Ended",
    "EvaluationRecord",
    "EvaluationState",
    "FileArtifacts",
    "HostDisk",
    "IssuedToken",
    "KeptReplies",
    "LabelFilter",
    "Records",
    "StageTime",
    "Store",
    "Totals",
    "open_artifacts",
    "open_records",
]
