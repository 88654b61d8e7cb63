"""Keeps the forge's rows in one SQLite file and its git repositories beside it."""

from __future__ import annotations

import hashlib
import secrets
import sqlite3
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TypeVar

from pydantic import TypeAdapter

from bot.demo.forge.rows import (
    AppRow,
    CommentRow,
    InstallationRow,
    IssueRow,
    RepositoryRow,
    SignInRow,
    TokenRow,
    User,
)

Row = TypeVar("Row")


class State:
    """Rows by type and key, as JSON; one connection behind one lock (the forge is small)."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        self._lock = threading.RLock()
        self._adapters: dict[type, TypeAdapter[object]] = {}
        self._database = sqlite3.connect(
            folder / "forge.db", check_same_thread=False, isolation_level=None
        )
        self._database.execute("PRAGMA journal_mode=WAL")
        self._database.execute(
            "CREATE TABLE IF NOT EXISTS rows(kind TEXT, key TEXT, json TEXT, PRIMARY KEY(kind, key))"
        )
        path = self.folder / "control-key"
        if not path.exists():
            path.touch(mode=0o600)
            path.write_text(secrets.token_urlsafe(24))
        self.control_key = path.read_text()

    def close(self) -> None:
        """Closes the database; the state cannot be used any more."""
        with self._lock:
            self._database.close()

    @contextmanager
    def change(self) -> Iterator[None]:
        """Everything inside happens at once or not at all, and alone."""
        with self._lock:
            if self._database.in_transaction:
                yield
                return
            self._database.execute("BEGIN IMMEDIATE")
            with self._database:  # commits, or rolls back what an error left
                yield

    def put(self, key: str | int, row: object) -> None:
        """Stores a row under its type and key, over what was there."""
        text = self._adapter(type(row)).dump_json(row).decode()
        with self._lock:
            self._database.execute(
                "INSERT OR REPLACE INTO rows VALUES (?, ?, ?)", (type(row).__name__, str(key), text)
            )

    def remove(self, kind: type, key: str | int) -> None:
        """Forgets a row; nothing happens when there is none."""
        with self._lock:
            self._database.execute(
                "DELETE FROM rows WHERE kind = ? AND key = ?", (kind.__name__, str(key))
            )

    def get(self, kind: type[Row], key: str | int) -> Row | None:
        """The row under a key, or None."""
        with self._lock:
            found = self._database.execute(
                "SELECT json FROM rows WHERE kind = ? AND key = ?", (kind.__name__, str(key))
            ).fetchone()
        return self._read(kind, found[0]) if found else None

    def all(self, kind: type[Row]) -> tuple[Row, ...]:
        """All rows of a type, in the order they were first stored."""
        with self._lock:
            found = self._database.execute(
                "SELECT json FROM rows WHERE kind = ? ORDER BY rowid", (kind.__name__,)
            ).fetchall()
        return tuple(self._read(kind, text) for (text,) in found)

    def next_id(self, name: str = "id") -> int:
        """A number never given before under this name."""
        with self.change():
            found = self._database.execute(
                "SELECT json FROM rows WHERE kind = 'counter' AND key = ?", (name,)
            ).fetchone()
            number = int(found[0]) + 1 if found else 1
            self._database.execute(
                "INSERT OR REPLACE INTO rows VALUES ('counter', ?, ?)", (name, str(number))
            )
        return number

    # --- what is asked for often ---

    def repository(self, name: str) -> RepositoryRow | None:
        """A repository by `owner/name`, whatever the case."""
        return self.get(RepositoryRow, name.lower())

    def user(self, login: str) -> User | None:
        """A user by login, whatever the case."""
        return self.get(User, login.lower())

    def issue(self, repository: str, number: int) -> IssueRow | None:
        """An issue or pull request by its number."""
        return self.get(IssueRow, f"{repository.lower()}#{number}")

    def put_issue(self, issue: IssueRow) -> None:
        """Stores an issue or pull request."""
        self.put(f"{issue.repository.lower()}#{issue.number}", issue)

    def issues(self, repository: str) -> tuple[IssueRow, ...]:
        """A repository's issues and pull requests by number."""
        mine = [row for row in self.all(IssueRow) if row.repository.lower() == repository.lower()]
        return tuple(sorted(mine, key=lambda row: row.number))

    def comments(self, repository: str, number: int) -> tuple[CommentRow, ...]:
        """The comments of one issue or pull request, oldest first."""
        return tuple(
            row
            for row in sorted(self.all(CommentRow), key=lambda row: row.id)
            if row.repository.lower() == repository.lower() and row.number == number
        )

    def installation_for(self, app: AppRow, repository: RepositoryRow) -> InstallationRow | None:
        """The installation of an app that covers a repository, or None."""
        for row in self.all(InstallationRow):
            if row.app_id == app.id and covers(row, repository):
                return row
        return None

    def token(self, value: str) -> TokenRow | None:
        """What a token's value stands for, or None."""
        return self.get(TokenRow, digest(value))

    def take_sign_in(self, code: str) -> SignInRow | None:
        """A code of somebody who signs in, which is then spent."""
        with self.change():
            row = self.get(SignInRow, code)
            self.remove(SignInRow, code)
        return row

    def git_dir(self, repository: str) -> Path:
        """The bare repository on disk."""
        return self.folder / "git" / f"{repository.lower()}.git"

    def _adapter(self, kind: type) -> TypeAdapter[object]:
        if kind not in self._adapters:
            self._adapters[kind] = TypeAdapter(kind)
        return self._adapters[kind]

    def _read(self, kind: type[Row], text: str) -> Row:
        row = self._adapter(kind).validate_json(text)
        assert isinstance(row, kind)  # noqa: S101  # tells mypy what the adapter made
        return row


def digest(token: str) -> str:
    """How a token is stored."""
    return hashlib.sha256(token.encode()).hexdigest()


def covers(installation: InstallationRow, repository: RepositoryRow) -> bool:
    """Whether an installation may see a repository."""
    if installation.account.lower() != repository.owner.lower():
        return False
    names = {name.lower() for name in installation.repositories}
    return not names or repository.short_name.lower() in names
