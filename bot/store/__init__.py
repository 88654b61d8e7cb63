"""Records (SQL) and artifacts (files or object storage)."""

from bot.store.artifacts import FileArtifacts, open_artifacts
from bot.store.base import (
    Artifacts,
    Ended,
    EvaluationFacts,
    EvaluationRecord,
    EvaluationState,
    HostDisk,
    StageTime,
    Totals,
    VerdictLabelFilter,
)
from bot.store.listing import EvaluationFilter, FlakyTest, JudgedEvaluation, ListedEvaluation
from bot.store.records import Store, open_records
from bot.store.tables import utc_day
from bot.store.tokens import MOST_DAYS, ApiToken, IssuedToken, WebSession, check_repository
