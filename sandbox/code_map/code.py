"""Reads the code of both sides: base's from what is kept, head's only where it differs."""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import json
import os
import sqlite3
from collections.abc import Container, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

from sandbox.base import TREE, Killed, Limits, Mount, Sandbox
from sandbox.code_map.facts import GRAPH_VERSION, Code, Definition, Facts, SourceFile
from sandbox.code_map.inventory import Inventory, InventoryFile, take_inventory, tree_program
from sandbox.concurrently import concurrently
from sandbox.repository.names import raw_name
from sandbox.streams import json_values, last_line
from sandbox.values import Checkout

_MOST_ROWS = 100_000
_AT_ONCE = 500
_BUSY_S = 10.0


class KeptFacts:
    """The facts of one repository's base files; a database that cannot be read is begun anew."""

    def __init__(self, folder: Path, repository: str) -> None:
        name = hashlib.sha256(repository.encode(errors="replace")).hexdigest()[:32]
        self._file = folder / f"{name}.sqlite"

    def find(self, files: Iterable[InventoryFile]) -> dict[str, Facts]:
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
                for known, text in rows:
                    definitions, *lines = json.loads(text)
                    # Tuples of numbers cost the garbage collector nothing; a big repository has a
                    # million of them.
                    uses, imports = ({n: tuple(one) for n, one in kind.items()} for kind in lines)
                    found[known] = Facts(tuple(map(Definition._make, definitions)), uses, imports)
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


def key(file: InventoryFile) -> str:
    """What facts depend on: the content, the grammar, and our queries."""
    return f"{GRAPH_VERSION}:{file.language}:{file.blob}"


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
    changed = frozenset(checkout.diff.changed_paths)
    base_tree, head_tree = Path(checkout.base_tree), Path(checkout.head_tree)
    listed_base = await asyncio.to_thread(take_inventory, base_tree, None, changed)
    # A diff that was cut does not name every file that differs: then all are looked at.
    known = None if checkout.diff.truncated else listed_base
    listed_head = await asyncio.to_thread(take_inventory, head_tree, known, changed)
    base, new = await concurrently(
        _read_kept(sandbox, base_tree, listed_base, kept),
        # Of head only what base has nowhere.
        _read_unknown(
            sandbox, head_tree, listed_head, {key(one) for one in listed_base.files.values()}
        ),
    )
    head = replace(new, facts=base.facts | new.facts)
    remarks = (*_left_out("base", base), *_left_out("head", head))
    return Code(_files(base), _files(head), tuple(dict.fromkeys(remarks)))


async def read_base_code(sandbox: Sandbox, tree: Path, kept: KeptFacts) -> tuple[SourceFile, ...]:
    """Return the facts of one tree of base's own history, where there is no head. Raises SandboxError."""
    inventory = await asyncio.to_thread(take_inventory, tree)
    return _files(await _read_kept(sandbox, tree, inventory, kept))


async def _read_kept(sandbox: Sandbox, tree: Path, inventory: Inventory, kept: KeptFacts) -> _Side:
    known = await asyncio.to_thread(kept.find, list(inventory.files.values()))
    new = await _read_unknown(sandbox, tree, inventory, known)
    if new.facts:
        await asyncio.to_thread(kept.keep, new.facts)
    return replace(new, facts=known | new.facts)


async def _read_unknown(
    sandbox: Sandbox, tree: Path, inventory: Inventory, known: Container[str]
) -> _Side:
    """Parse the files whose content is not `known`, by `key`; only theirs are the side's facts."""
    files = [one for one in inventory.files.values() if key(one) not in known]
    parsed = await parse(sandbox, tree, files)
    facts = {key(inventory.files[path]): found for path, found in parsed.facts.items()}
    return _Side(inventory, facts, tuple(parsed.problems))


def _files(side: _Side) -> tuple[SourceFile, ...]:
    listed = side.inventory.files.values()
    return tuple(
        SourceFile(one.path, one.language, side.facts[key(one)])
        for one in listed
        if key(one) in side.facts
    )


def _left_out(name: str, side: _Side) -> list[str]:
    counted = side.inventory.left_out.items()
    said = [
        f"{n} source file{' was' if n == 1 else 's were'} not read on {name}: {why}."
        for why, n in counted
    ]
    return [*said, *side.problems[:_SHOWN_PROBLEMS]]


# --- parsed inside the sandbox; a file that kills its worker costs only itself ---------------------


_KINDS = frozenset(("function", "method", "class", "type", "constant", "macro", "module"))
_NAME_CHARACTERS, _LINES = 120, 1_000_000
_MOST = 8_000  # of anything in one file


@dataclass(slots=True)
class ParserRecords:
    """What one run told: facts by the file's number, files that took too long, the last one begun."""

    facts: dict[int, Facts] = field(default_factory=dict)
    gave_up: set[int] = field(default_factory=set)
    begun: int = -1


def read_told(channel: bytes, files: int) -> ParserRecords:
    """Read the lines of a worker that was given so many files; a line of another shape is skipped."""
    told = ParserRecords()
    for record in json_values(channel.split(b"\n")):
        if not isinstance(record, list) or not record:
            continue
        number = record[0]
        if type(number) is not int or not 0 <= number < files:
            continue
        told.begun = max(told.begun, number)
        if len(record) == 2:
            told.gave_up.add(number)
        elif len(record) == 4 and number not in told.facts:
            facts = read_facts(record[1:])
            if facts:
                told.facts[number] = facts
    return told


def read_facts(record: object) -> Facts | None:
    """Check [definitions, uses, imports] piece by piece; None when it is something else."""
    if not (isinstance(record, list) and len(record) == 3):
        return None
    definitions, uses, imports = record
    if not (isinstance(definitions, list) and isinstance(uses, dict) and isinstance(imports, dict)):
        return None
    found = []
    for one in definitions[:_MOST]:
        if isinstance(one, list) and len(one) == 4:
            name, kind, line, end_line = one
            is_known = isinstance(kind, str) and kind in _KINDS
            if is_known and _is_name(name) and _is_line(line) and _is_line(end_line):
                found.append(Definition(name, kind, line, max(line, end_line)))
    return Facts(tuple(found), _lines_by_name(uses), _lines_by_name(imports))


def _lines_by_name(value: dict[object, object]) -> dict[str, tuple[int, ...]]:
    kept: dict[str, tuple[int, ...]] = {}
    for name, lines in list(value.items())[:_MOST]:
        if isinstance(name, str) and _is_name(name) and isinstance(lines, list):
            kept[name] = tuple(line for line in lines[:_MOST] if _is_line(line))
    return kept


def _is_name(value: object) -> bool:
    return isinstance(value, str) and 0 < len(value) <= _NAME_CHARACTERS


def _is_line(value: object) -> bool:
    return type(value) is int and 0 < value <= _LINES


def plain(facts: Facts) -> list[object]:
    """The inverse of `read_facts`: what is kept."""
    definitions = [[d.name, d.kind, d.line, d.end_line] for d in facts.definitions]
    return [definitions, dict(facts.uses), dict(facts.imports)]


_PROGRAM = "sandbox.code_map.inside.parse"
_LIMITS = Limits(timeout_s=120.0, memory_mb=2048, processes=16, output_bytes=20_000)
_CHANNEL_BYTES = 200_000_000
_RESTARTS = 5
_WORTH_A_WORKER = 300  # files
_USED = {
    Killed.TIMEOUT: "time",
    Killed.MEMORY: "memory",
    Killed.DISK: "disk",
    Killed.ENTRIES: "room for its files",
    Killed.CHANNEL: "room for its result",
}


@dataclass(slots=True)
class Parsed:
    """Facts by path; `problems` are one sentence each."""

    facts: dict[str, Facts] = field(default_factory=dict)
    problems: list[str] = field(default_factory=list)


async def parse(sandbox: Sandbox, tree: Path, files: list[InventoryFile]) -> Parsed:
    """Parse files of one tree. Raises SandboxError when isolation cannot be had."""
    if not files:
        return Parsed()
    workers = max(1, min(os.cpu_count() or 1, 4, len(files) // _WORTH_A_WORKER))
    shares = (files[number::workers] for number in range(workers))
    done = await concurrently(*(_parse(sandbox, tree, share) for share in shares))
    whole = Parsed()
    for one in done:
        whole.facts |= one.facts
        whole.problems += one.problems
    return whole


async def _parse(sandbox: Sandbox, tree: Path, files: list[InventoryFile]) -> Parsed:
    """Start a worker, and another one behind the file that ended the last one."""
    parsed, left = Parsed(), files
    for _ in range(_RESTARTS):
        named = [(os.fsdecode(raw_name(one.path)), one.language) for one in left]
        own = Mount(str(tree), TREE)
        command = tree_program(_PROGRAM, named, _LIMITS, _CHANNEL_BYTES, own)
        completed = await sandbox.run(command)
        told = read_told(completed.channel, len(left))
        parsed.facts |= {left[number].path: facts for number, facts in told.facts.items()}
        parsed.problems += [f"{left[n].path} takes too long to parse." for n in told.gave_up]
        if completed.exit_code == 0:
            return parsed
        at = f" at {left[told.begun].path}" if told.begun >= 0 else ""
        why = f"The parser ended{at}: {last_line(completed.stderr)}"
        if completed.killed:
            why = f"The parser was stopped{at}: it used too much {_USED[completed.killed]}."
        parsed.problems.append(why)
        if told.begun < 0 or completed.killed in (Killed.TIMEOUT, Killed.CHANNEL):
            left = left[told.begun + 1 :] if told.begun >= 0 else left
            break
        left = left[told.begun + 1 :]
        if not left:
            return parsed
    parsed.problems.append(f"{len(left)} source files were not parsed.")
    return parsed
