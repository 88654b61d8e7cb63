"""One database behind the records: SQLite or Postgres, whose failures are `Transient`."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from sqlalchemy import (
    ColumnElement,
    Connection,
    Engine,
    Executable,
    Row,
    Select,
    Table,
    create_engine,
    event,
)
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.engine import make_url
from sqlalchemy.exc import ArgumentError, DBAPIError
from sqlalchemy.exc import TimeoutError as PoolTimeout

from bot.errors import Transient, UserError
from bot.store.tables import migrate

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

T = TypeVar("T", bound="DataclassInstance")
_SQLITE_TIMEOUT_S = 8.0
_PAUSE_S = 0.02


class Database:
    """Where tables are read and written. Create it after fork, one for each process."""

    def __init__(self, database_url: str) -> None:
        self._engine = _engine(database_url)

    def migrate(self) -> None:
        """Create or upgrade the tables. Raises Transient when the database cannot be reached."""
        with _or_transient():
            migrate(self._engine)

    def close(self) -> None:
        """Give the connections back."""
        self._engine.dispose()

    def _insert(self, table: Table) -> Any:
        """An insert that knows ON CONFLICT, which both databases spell alike."""
        on_postgres = self._engine.dialect.name == "postgresql"
        return postgresql.insert(table) if on_postgres else sqlite.insert(table)

    def _new(self, table: Table, row: dict[str, Any]) -> Executable:
        """An insert of a row, which changes nothing where that is there already."""
        new: Executable = self._insert(table).values(row).on_conflict_do_nothing()
        return new

    def _put(
        self,
        table: Table,
        keys: dict[str, Any],
        values: dict[str, Any],
        where: ColumnElement[bool] | None = None,
    ) -> Executable:
        """An insert of a row, or new values of the one that has these keys (and is so)."""
        new = self._insert(table).values({**keys, **values})
        put: Executable = new.on_conflict_do_update(
            index_elements=list(keys), set_=values, where=where
        )
        return put

    @contextmanager
    def _begin(self) -> Iterator[Connection]:
        with _or_transient(), self._engine.begin() as connection:
            yield connection

    # --- one statement in a transaction of its own ---

    def _do(self, change: Executable) -> int:
        """Change rows; return how many."""
        with self._begin() as connection:
            return connection.execute(change).rowcount

    def _rows(self, asked: Select[Any]) -> Sequence[Any]:
        with self._begin() as connection:
            return connection.execute(asked).all()

    def _column(self, asked: Select[Any]) -> Sequence[Any]:
        with self._begin() as connection:
            return connection.execute(asked).scalars().all()

    def _value(self, asked: Select[Any]) -> Any:
        """The first value of the first row; None where there is no row."""
        with self._begin() as connection:
            return connection.execute(asked).scalar()


@contextmanager
def _or_transient() -> Iterator[None]:
    try:
        yield
    except (DBAPIError, PoolTimeout) as error:
        raise Transient(
            f"the records' database does not answer ({type(error).__name__})"
        ) from error


def value_of(kind: type[T], row: Row[Any], **own: object) -> T:
    """Make a value of the columns that have the names of its fields, and of its `own` values."""
    values = {**row._asdict(), **own}
    return kind(**{field.name: values[field.name] for field in fields(kind)})


def _engine(database_url: str) -> Engine:
    try:
        url = make_url(database_url)
    except ArgumentError as error:
        raise UserError(
            "ASSAY_DATABASE_URL is not the URL of a database.", "Write postgresql://user@host/name."
        ) from error
    if url.get_backend_name() == "sqlite":
        Path(url.database or "").parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        engine = create_engine(url, connect_args={"timeout": _SQLITE_TIMEOUT_S})
        event.listen(engine, "connect", _prepare_sqlite)
        return engine
    return create_engine(
        url.set(drivername="postgresql+psycopg"),
        connect_args={"connect_timeout": 5},
        pool_pre_ping=True,
        pool_timeout=8,
    )


def _prepare_sqlite(connection: sqlite3.Connection, _record: object) -> None:
    """Let readers and a writer work at the same time.

    SQLite does not wait for this one: while another process makes the tables, it fails at once.
    """
    end_s = time.monotonic() + _SQLITE_TIMEOUT_S
    while True:
        try:
            connection.execute("PRAGMA journal_mode=WAL")
            return
        except sqlite3.OperationalError:
            if time.monotonic() > end_s:
                raise
            time.sleep(_PAUSE_S)
