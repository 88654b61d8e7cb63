"""An outage of the job store is one line a minute, however many threads meet it."""

from __future__ import annotations

import logging
import re
import threading
import time

from sqlalchemy.exc import SQLAlchemyError

_OF_THE_STORE = re.compile(
    r"the job store|Database connection|connection pool|psycopg|sqlite3|sqlalche|"
    r"Notification listener error|server closed the connection|connection to server"
)
_LOGGERS = ("dbos", "bot.engine.worker", "bot.engine.client", "sqlalchemy.pool")
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


_FILTER = OneLineAMinute()


def hold_back() -> None:
    """Filter every logger that meets an outage; a second time changes nothing."""
    for name in _LOGGERS:
        logging.getLogger(name).addFilter(_FILTER)
