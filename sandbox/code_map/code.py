"""Reads the code of both sides: base's from what is kept, head's only where it differs."""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import json
import sqlite3
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from sandbox.base import Sandbox
from sandbox.code_map.facts import GRAPH_VERSION, Code, Definition, Facts, SourceFile
from sandbox.code_map.inventory import Inventory, Listed, take_inventory
from sandbox.code_map.parsing import Parsed, parse, plain
from sandbox.concurrently import concurrently
from sandbox.values import Checkout

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


_SHOWN_PROBLEMS = 10


@dataclass(frozen=True, slots=True)
class _Side:
    inventory: Inventory
    facts: dict[str, Facts]  # by key
    problems: tuple[str, ...]


async def read_code(sandbox: Sandbox, checkout: Checkout, kept: KeptFacts) -> Code:
    """Return the facts of every source file of both sides, within limits that `remarks` tell.

    Base and head are parsed by workers of their own (see `keeping`). Raises SandboxError.
    """
    listed_base, listed_head = await asyncio.to_thread(_take_inventories, checkout)
    base, new = await concurrently(
        _read_kept(sandbox, Path(checkout.base_tree), listed_base, kept),
        _read_new(sandbox, Path(checkout.head_tree), listed_head, listed_base),
    )
    head = replace(new, facts=base.facts | new.facts)
    remarks = (*_left_out("base", base), *_left_out("head", head))
    return Code(_files(base), _files(head), tuple(dict.fromkeys(remarks)))


async def read_base_code(sandbox: Sandbox, tree: Path, kept: KeptFacts) -> tuple[SourceFile, ...]:
    """Return the facts of one tree of base's own history, where there is no head. Raises SandboxError."""
    inventory = await asyncio.to_thread(take_inventory, tree)
    return _files(await _read_kept(sandbox, tree, inventory, kept))


def _take_inventories(checkout: Checkout) -> tuple[Inventory, Inventory]:
    diff = checkout.diff
    changed = frozenset(diff.changed_paths)
    base = take_inventory(Path(checkout.base_tree), None, changed)
    # A diff that was cut does not name every file that differs: then all are looked at.
    known = None if diff.truncated else base
    return base, take_inventory(Path(checkout.head_tree), known, changed)


async def _read_kept(sandbox: Sandbox, tree: Path, inventory: Inventory, kept: KeptFacts) -> _Side:
    files = list(inventory.files.values())
    known = await asyncio.to_thread(kept.find, files)
    parsed = await parse(sandbox, tree, [one for one in files if key(one) not in known])
    new = _by_key(inventory, parsed)
    if new:
        await asyncio.to_thread(kept.keep, new)
    return _Side(inventory, known | new, tuple(parsed.problems))


async def _read_new(sandbox: Sandbox, tree: Path, inventory: Inventory, base: Inventory) -> _Side:
    """Parse the files of head whose content base has nowhere; only theirs are its facts."""
    of_base = {key(one) for one in base.files.values()}
    files = [one for one in inventory.files.values() if key(one) not in of_base]
    parsed = await parse(sandbox, tree, files)
    return _Side(inventory, _by_key(inventory, parsed), tuple(parsed.problems))


def _by_key(inventory: Inventory, parsed: Parsed) -> dict[str, Facts]:
    return {key(inventory.files[path]): facts for path, facts in parsed.facts.items()}


def _files(side: _Side) -> tuple[SourceFile, ...]:
    listed = side.inventory.files.values()
    return tuple(
        SourceFile(one.path, one.language, side.facts[key(one)])
        for one in listed
        if key(one) in side.facts
    )


def _left_out(name: str, side: _Side) -> list[str]:
    counted = side.inventory.left_out.items()
    said = [f"{n} source files of {name} were not read: {why}." for why, n in counted]
    return [*said, *side.problems[:_SHOWN_PROBLEMS]]
