"""What the engine is told, where its database stands, and how an outage is logged: a line a minute."""

from __future__ import annotations

import logging
import re
import sqlite3
import threading
import time
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from dbos import DBOS, error
from sqlalchemy.engine import make_url
from sqlalchemy.exc import ArgumentError, SQLAlchemyError

from bot.errors import Transient, UserError
from bot.settings import Settings

APPLICATION = "assay"
# Raise it only when the order or the names of steps change: jobs in flight of another version wait
# for a worker of their own version.
APPLICATION_VERSION = "8"
EVALUATIONS = "evaluations"
DELIVERIES = "deliveries"
UPKEEP = "upkeep"


@dataclass(frozen=True, slots=True)
class EngineOptions:
    """Everything the engine can be told; times in seconds."""

    database_url: str
    home: Path
    workers: int = 1
    deliveries: int = 8  # webhooks that one worker handles at the same time
    sweep_s: float = 600.0
    patience_s: float = 86_400.0  # how long a step is tried again while the outside is away
    longest_wait_s: float = 3700.0  # between two tries of a step, whatever the outside asks for
    poll_s: float = 0.2  # a pull request's webhooks are handled one after the other, one a poll
    reap_s: float = 1.0
    grace_passes: int = 2  # an executor without a lease is dead after so many passes of the reaper
    max_recovery_attempts: int = 3  # of one stage that its worker died in

    @property
    def on_sqlite(self) -> bool:
        """Tell whether this is the embedded database."""
        return self.database_url.startswith("sqlite")


def engine_options(settings: Settings) -> EngineOptions:
    """Read the engine's options from the settings; without a database URL SQLite inside `home`."""
    home = settings.home.absolute()
    if not settings.database_url:
        url = f"sqlite:///{home / 'engine.db'}"
    elif settings.database_url.startswith("sqlite"):
        url = settings.database_url
    else:
        try:
            parsed = make_url(settings.database_url).set(drivername="postgresql")
        except ArgumentError as failure:
            raise UserError(
                "ASSAY_DATABASE_URL is not the URL of a database.",
                "Write postgresql://user@host/name.",
            ) from failure
        if "connect_timeout" not in parsed.query:  # the driver would wait for minutes
            parsed = parsed.update_query_dict({"connect_timeout": "5"})
        url = parsed.render_as_string(hide_password=False)
    return EngineOptions(
        database_url=url,
        home=home,
        workers=settings.workers,
        sweep_s=settings.sweep_minutes * 60.0,
        patience_s=settings.patience_hours * 3600.0,
        longest_wait_s=settings.longest_wait_s,
    )


def migrate(options: EngineOptions) -> None:
    """Create or upgrade the engine's tables; safe to run from several processes at once.

    Raises Transient when the database cannot be reached.
    """
    quiet_library_log()
    options.home.mkdir(parents=True, exist_ok=True, mode=0o700)
    if options.on_sqlite:
        path = make_url(options.database_url).database or ""
        Path(path).parent.mkdir(parents=True, exist_ok=True)
        # lets readers and a writer work at the same time; the mode is stored in the file
        with closing(sqlite3.connect(path, timeout=30)) as connection:
            connection.execute("PRAGMA journal_mode=WAL")
    try:
        DBOS.migrate(options.database_url)
    except SQLAlchemyError as failure:
        raise Transient("the job store cannot be reached") from failure


_EVERYDAY = (
    error.DBOSWorkflowCancelledError,
    error.DBOSAwaitedWorkflowCancelledError,
    error.DBOSWorkflowConflictIDError,
)
_EVERYDAY_WORDS = ("was cancelled during execution", "Asyncio task cancelled")


class _WithoutCancellations(logging.Filter):
    """A cancelled job and a worker that stops are everyday events, not errors with a traceback."""

    def filter(self, record: logging.LogRecord) -> bool:
        raised = record.exc_info[1] if record.exc_info else None
        everyday = any(words in record.msg for words in _EVERYDAY_WORDS)
        return not everyday and not isinstance(raised, _EVERYDAY)


_OF_THE_STORE = re.compile(
    r"the job store|Database connection|connection pool|psycopg|sqlite3|sqlalche|"
    r"Notification listener error|server closed the connection|connection to server"
)
_LOGGERS = ("dbos", "bot.queue.worker", "bot.queue.client", "sqlalchemy.pool")
EVERY_S = 60.0


class OneLineAMinute(logging.Filter):
    """Lets one report of an outage through each minute, without its traceback; all else passes."""

    def __init__(self) -> None:
        super().__init__()
        self._told_s = -EVERY_S
        self._held_back = 0
        self._lock = threading.Lock()

    def filter(self, record: logging.LogRecord) -> bool:
        """Say whether a record is logged; an outage's is shortened to one line."""
        raised = record.exc_info[1] if record.exc_info else None
        said = record.getMessage()
        if record.levelno < logging.WARNING or not (
            isinstance(raised, SQLAlchemyError) or _OF_THE_STORE.search(said)
        ):
            return True
        with self._lock:
            if time.monotonic() - self._told_s < EVERY_S:
                self._held_back += 1
                return False
            self._told_s, before, self._held_back = time.monotonic(), self._held_back, 0
        more = f" ({before} more reports of this in the last minute)" if before else ""
        record.msg = f"the job store does not answer: {said.splitlines()[0][:200]}{more}"
        record.args, record.exc_info, record.exc_text = (), None, None
        return True


_WITHOUT_CANCELLATIONS, _HOLD_BACK = _WithoutCancellations(), OneLineAMinute()


def quiet_library_log() -> None:
    """Let the library say warnings only, through our own log, and hold back what outages repeat."""
    log = logging.getLogger("dbos")
    if not log.handlers:
        log.addHandler(logging.NullHandler())  # or the library prints in a format of its own
    log.setLevel(logging.WARNING)
    log.addFilter(_WITHOUT_CANCELLATIONS)  # a second time changes nothing, as with the other
    for name in _LOGGERS:
        logging.getLogger(name).addFilter(_HOLD_BACK)
