"""The tables, and what leads an older database to them."""

from __future__ import annotations

import time

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    Engine,
    Float,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    String,
    Table,
    Text,
    UniqueConstraint,
    insert,
    inspect,
    select,
    text,
    update,
)
from sqlalchemy.schema import SchemaItem

METADATA = MetaData()


def _table(name: str, *columns: SchemaItem) -> Table:
    return Table(name, METADATA, *columns)


VERSION = _table("assay_version", Column("version", Integer, nullable=False))

EVALUATIONS = _table(
    "assay_evaluations",
    Column("id", String(200), primary_key=True),
    Column("repository", String(300), nullable=False),
    Column("number", Integer, nullable=False),
    Column("head_sha", String(64), nullable=False),
    Column("installation", BigInteger, nullable=False),
    Column("trigger", String(32), nullable=False),
    Column("actor", String(100), nullable=False),
    Column("state", String(16), nullable=False),
    Column("request", Text, nullable=False),
    Column("claim", String(400), nullable=True, unique=True),
    Column("created_s", Float(53), nullable=False),
    Column("updated_s", Float(53), nullable=False),
    Column("stage", String(64), nullable=False, default=""),
    Column("conclusion", String(32), nullable=False, default=""),
    Column("title", Text, nullable=False, default=""),
    Column("problem", Text, nullable=False, default=""),
    Column("report_key", String(300), nullable=False, default=""),
    Column("check_run", BigInteger, nullable=False, default=0),
    Column("comment", BigInteger, nullable=False, default=0),
    Column("check_run_finished", Boolean, nullable=False, default=False),
    Index("assay_evaluations_subject", "repository", "number", "created_s"),
    Index("assay_evaluations_head", "repository", "head_sha"),
    Index("assay_evaluations_created", "created_s"),
)

STAGE_TIMES = _table(
    "assay_stage_times",
    Column("stage", String(64), primary_key=True),
    Column("runs", BigInteger, nullable=False),
    Column("seconds", Float(53), nullable=False),
)

BASE_RESULTS = _table(
    "assay_base_results",
    Column("key", String(200), primary_key=True),
    Column("value", Text, nullable=False),
    Column("used_s", Float(53), nullable=False),
)

DECISIONS = _table(
    "assay_decisions",
    Column("decision", String(16), primary_key=True),
    Column("repository", String(300), primary_key=True),
    Column("number", Integer, primary_key=True, autoincrement=False),
    Column("sha", String(64), primary_key=True),
    Column("actor", String(100), nullable=False),
    Column("decided_s", Float(53), nullable=False),
)

RUBRICS = _table(
    "assay_rubrics",
    Column("repository", String(300), primary_key=True),
    Column("issue", Integer, primary_key=True, autoincrement=False),
    Column("version", Integer, primary_key=True, autoincrement=False),
    Column("rubric", Text, nullable=False),
    Column("kept_s", Float(53), nullable=False),
)

APPROVALS = _table(
    "assay_rubric_approvals",
    Column("repository", String(300), primary_key=True),
    Column("issue", Integer, primary_key=True, autoincrement=False),
    Column("version", Integer, primary_key=True, autoincrement=False),
    Column("actor", String(100), primary_key=True),
    Column("approved_s", Float(53), nullable=False),
)

MODEL_USAGE = _table(
    "assay_model_usage",
    Column("evaluation", String(200), primary_key=True),
    Column("role", String(32), primary_key=True),
    Column("model", String(200), primary_key=True),
    Column("calls", BigInteger, nullable=False),
    Column("cached", BigInteger, nullable=False),
    Column("input_tokens", BigInteger, nullable=False),
    Column("output_tokens", BigInteger, nullable=False),
    Column("usd", Float(53), nullable=True),
    Column("seconds", Float(53), nullable=False),
)

ACCEPTANCES = _table(
    "assay_acceptances",
    Column("id", Integer, primary_key=True),
    Column("repository", String(300), nullable=False),
    Column("number", Integer, nullable=False),
    Column("head_sha", String(64), nullable=False),
    Column("subject", String(200), nullable=False),
    Column("source", String(200), nullable=False),
    Column("acceptance", Text, nullable=False),
    UniqueConstraint("repository", "number", "head_sha", "subject", "source"),
)

KEYS = _table(
    "assay_keys",
    Column("name", String(40), primary_key=True),
    Column("key", LargeBinary, nullable=False),
)

REPLIES = _table(
    "assay_model_replies",
    Column("key", String(64), primary_key=True),
    Column("reply", LargeBinary, nullable=False),
    Column("kept_s", Float(53), nullable=False),
)

HOSTS = _table(
    "assay_hosts",
    Column("name", String(300), primary_key=True),
    Column("free_bytes", BigInteger, nullable=False),
    Column("floor_bytes", BigInteger, nullable=False),
    Column("seen_s", Float(53), nullable=False),
)

ARTIFACTS = _table(
    "assay_artifacts",
    Column("key", String(200), primary_key=True),
    Column("name", String(200), primary_key=True),
    Column("content", LargeBinary, nullable=False),
)

LABELS = _table(
    "assay_labels",
    Column("id", Integer, primary_key=True),
    Column("repository", String(300), nullable=False),
    Column("number", Integer, nullable=False),
    Column("head_sha", String(64), nullable=False),
    Column("subject", String(200), nullable=False),
    Column("source", String(200), nullable=False),
    Column("person", String(100), nullable=False),
    Column("label", Text, nullable=False),
    UniqueConstraint("repository", "number", "head_sha", "subject", "source"),
)

PAUSES = _table(
    "assay_pauses",
    Column("repository", String(300), primary_key=True),
    Column("number", Integer, primary_key=True, autoincrement=False),
    Column("is_paused", Boolean, nullable=False),
    Column("actor", String(100), nullable=False),
    Column("comment", BigInteger, nullable=False),
    Column("said_s", Float(53), nullable=False),
)

API_TOKENS = _table(
    "assay_api_tokens",
    Column("id", String(16), primary_key=True),
    Column("repository", String(300), nullable=False),
    Column("name", String(100), nullable=False),
    Column("salt", LargeBinary, nullable=False),
    Column("digest", LargeBinary, nullable=False),
    Column("shows_report", Boolean, nullable=False),
    Column("created_s", Float(53), nullable=False),
    Column("expires_s", Float(53), nullable=False),
    Column("revoked_s", Float(53), nullable=True),
)

SESSIONS = _table(
    "assay_web_sessions",
    Column("digest", String(64), primary_key=True),
    Column("login", String(100), nullable=False),
    Column("is_operator", Boolean, nullable=False),
    Column("sealed_token", LargeBinary, nullable=False),
    Column("readable", Text, nullable=False),
    Column("asked_s", Float(53), nullable=False),
    Column("expires_s", Float(53), nullable=False),
    Index("assay_web_sessions_expires", "expires_s"),
)

FACTS = _table(
    "assay_evaluation_facts",
    Column("evaluation", String(200), primary_key=True),
    Column("agent", String(100), nullable=False),
    Column("met", Integer, nullable=False),
    Column("total", Integer, nullable=False),
    Column("usd", Float(53), nullable=True),
)

FLAKY_TESTS = _table(
    "assay_flaky_tests",
    Column("evaluation", String(200), primary_key=True),
    Column("test", String(300), primary_key=True),
)

_BY_REPOSITORY = text(
    "create index if not exists assay_evaluations_by_repository"
    " on assay_evaluations (lower(repository), installation, created_s, repository, number, state,"
    " conclusion, id)"
)
"""Holds all that is counted: the rows themselves are far larger, with the diffs that agents sent."""

SCHEMA = 8
"""Grows when a table or a column comes: `migrate` then adds the tables that lack, and columns by SQL."""
_LOCK = 0x417373617901  # any number that only this migration uses


def migrate(engine: Engine) -> None:
    """Create or upgrade the tables; several processes may do so at once."""
    with engine.begin() as connection:
        if engine.dialect.name == "postgresql":
            connection.execute(text(f"select pg_advisory_xact_lock({_LOCK})"))
        else:
            connection.execute(text("begin immediate"))
        version = 0
        if inspect(connection).has_table(VERSION.name):
            version = connection.execute(select(VERSION.c.version)).scalar() or 0
        if version > SCHEMA:
            raise RuntimeError(
                f"the database is of version {version}, newer than this Assay ({SCHEMA})"
            )
        if version < SCHEMA:
            METADATA.create_all(connection)
            connection.execute(_BY_REPOSITORY)
            connection.execute(update(VERSION) if version else insert(VERSION), {"version": SCHEMA})


def now_s() -> float:
    """Unix time of a record's change."""
    return time.time()


def utc_day(unix_s: float) -> str:
    """The day of a moment, as people read it."""
    return time.strftime("%Y-%m-%d", time.gmtime(unix_s))
