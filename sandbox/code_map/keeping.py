"""Facts kept by the content that they were read from: one small database a repository.

Only what base's worker told is kept. A worker that parses head's files may be taken over by them and
then say anything of any file it was given, so its facts end with the evaluation; content that base
has too is never in its hands. What hints and impact say of a repository is thus read from its own history.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import sqlite3
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from sandbox.code_map.facts import GRAPH_VERSION, Definition, Facts
from sandbox.code_map.inventory import Listed
from sandbox.code_map.reading import plain

_MOST_ROWS = 100_000
_AT_ONCE = 500
_BUSY_S = 10.0


class KeptFacts:
    """The facts of one repository's base files; a database that cannot be read is begun anew."""

    def __init__(self, folder: Path, repository: str) -> None:
        name = hashlib.sha256(repository.encode(errors="replace")).hexdigest()[:32]
        self._file = folder / f"{name}.sqlite"

    def find(self, files: Iterable[Listed]) -> dict[str, Facts]:
        """Return what is known, by `key`."""
        wanted, found = [key(one) for one in files], {}
        with contextlib.suppress(sqlite3.Error), self._opened() as database:
            for start in range(0, len(wanted), _AT_ONCE):
                some = wanted[start : start + _AT_ONCE]
                marks = ",".join("?" * len(some))
                rows = database.execute(
                    f"SELECT key, facts FROM facts WHERE key IN ({marks})",  # noqa: S608
                    some,
                )
                found.update({row[0]: _facts(row[1]) for row in rows})
        return found

    def keep(self, facts: Mapping[str, Facts]) -> None:
        """Add facts by `key`; the oldest go when there are too many."""
        rows = [(one, json.dumps(plain(known))) for one, known in facts.items()]
        try:
            with self._opened() as database:
                database.executemany("INSERT OR REPLACE INTO facts VALUES (?, ?)", rows)
                database.execute(
                    "DELETE FROM facts WHERE rowid <= (SELECT max(rowid) FROM facts) - ?",
                    (_MOST_ROWS,),
                )
        except sqlite3.OperationalError:
            return  # locked or a full disk: then it is read again next time
        except sqlite3.DatabaseError:
            self._file.unlink(missing_ok=True)

    @contextmanager
    def _opened(self) -> Iterator[sqlite3.Connection]:
        self._file.parent.mkdir(parents=True, exist_ok=True)
        database = sqlite3.connect(self._file, timeout=_BUSY_S)
        try:
            with database:
                database.execute(
                    "CREATE TABLE IF NOT EXISTS facts (key TEXT PRIMARY KEY, facts TEXT NOT NULL)"
                )
                yield database
        finally:
            database.close()


def key(file: Listed) -> str:
    """What facts depend on: the content, the grammar, and our queries."""
    return f"{GRAPH_VERSION}:{file.language}:{file.blob}"


def _facts(text: str) -> Facts:
    definitions, uses, imports = json.loads(text)
    # Tuples of numbers cost the garbage collector nothing; a big repository has a million of them.
    used, imported = ({name: tuple(one) for name, one in kind.items()} for kind in (uses, imports))
    return Facts(tuple(map(Definition._make, definitions)), used, imported)
