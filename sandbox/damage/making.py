"""Has the changed files of head damaged inside the sandbox: small, ranked, and the same every time."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path, PurePosixPath

from sandbox.base import TREE, Limits, Mount, Sandbox
from sandbox.code_map.inventory import language_of, tree_program
from sandbox.damage.values import NEAR, SAME, UNASKED, Damage, Lines
from sandbox.linters.reading import records
from sandbox.repository.names import inside, raw_name
from sandbox.test_runs.path_kinds import PathKind, classify
from sandbox.values import ChangeStatus, Checkout, FileChange, Hunk

_PROGRAM = "sandbox.damage.inside.program"
_LIMITS = Limits(timeout_s=60.0, memory_mb=2048, processes=16, output_bytes=20_000)
_CHANNEL_BYTES = 20_000_000
_MOST_FILES = 40
MANY = 10
"""Damages from which on one more is made of all functions together: not all of them will be tried."""
_MOST_WORDS = 2_000
_MOST_NAMES = 40
_NO_DAMAGE = (SAME, "lost", "restored", "beneath")
_PLAIN_FILES = ("100644", "100755")


@dataclass(frozen=True, slots=True)
class DamagedCopy:
    """A damage, and the whole texts of the files that have it, by path; `functions` are the emptied ones."""

    damage: Damage
    files: tuple[tuple[str, bytes], ...]
    functions: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class _Edit:
    """What one damage puts in place of some bytes."""

    damage: Damage
    start: int
    end: int
    put: bytes


async def make_damages(
    sandbox: Sandbox,
    checkout: Checkout,
    paths: Collection[str],
    words: Collection[str],
    called: Collection[str] = (),
) -> tuple[DamagedCopy, ...]:
    """Return damaged copies of head, the most telling first, and second one that only looks different.

    Behind them stand those that are asked about (`UNASKED`). Raises SandboxError.
    `paths` are the files whose change is code; functions that the tests call come first (`called`), then
    what they name (`words`).
    """
    changes = _damageable(checkout, paths)
    changes = [one for one in changes if not _is_made_of_another(one, changes)]
    # Of very many files those come first whose module the tests name.
    changes.sort(key=lambda one: PurePosixPath(one.path).stem not in words)
    changes = changes[:_MOST_FILES]
    asked = {one.path: _asked(one) for one in changes}
    edits = await _edits(sandbox, checkout.head_tree, asked, words=words, called=called)
    texts = _Texts(Path(checkout.head_tree))
    same = [one for one in edits if one.damage.kind == SAME]
    asking = [one for one in edits if one.damage.kind in UNASKED]
    others = [one for one in edits if one.damage.kind not in (*UNASKED, SAME)]
    copies = [_copy(one.damage, [one], texts) for one in others]
    emptied = [one for one in edits if one.damage.kind == "emptied"]
    if sum(one.damage.kind != NEAR for one in copies if one) > MANY and len(emptied) > 1:
        copies.insert(1, _copy(_together(emptied), emptied, texts))
    if copies and same:
        copies.insert(1, _copy(same[0].damage, same, texts))
    copies += [_copy(one.damage, [one], texts) for one in asking]
    return tuple(one for one in copies if one)


def taken_back(
    checkout: Checkout, paths: Collection[str], copies: Iterable[DamagedCopy]
) -> tuple[DamagedCopy, ...]:
    """Return a copy for each hunk that can be as on base, out of `copies`; a new file is empty then."""
    reverted = [one for one in copies if one.damage.kind == "reverted"]
    found = []
    for change in _damageable(checkout, paths):
        if change.status is ChangeStatus.ADDED:
            damage = Damage(change.path, "reverted", 1, "", "the new file is empty", False)
            reverted.append(DamagedCopy(damage, ((change.path, b""),)))
        for hunk in change.hunks:
            end = hunk.new_start + hunk.new_count
            places = (Lines(change.path, max(hunk.new_start, 1), max(end, 1)),)
            found += [
                replace(one, damage=replace(one.damage, places=places))
                for one in reverted
                if one.damage.path == change.path and hunk.new_start <= one.damage.line <= end
            ]
    return tuple(found)


async def empty_functions(
    sandbox: Sandbox, tree: str, paths: Collection[str], names: Collection[str]
) -> DamagedCopy | None:
    """Return copies of files in which functions of these names do nothing; None where there are none.

    Raises SandboxError.
    """
    edits = await _edits_of_all(sandbox, tree, paths, emptied=names)
    copy = _copy(_together(edits), edits, _Texts(Path(tree))) if edits else None
    names = frozenset(one.damage.symbol for one in edits)
    return replace(copy, functions=names) if copy else None


async def other_values(
    sandbox: Sandbox, tree: str, paths: Collection[str], values: Collection[str]
) -> tuple[DamagedCopy, ...]:
    """Return copies of files in which other values stand for these, one copy for each way to change them.

    () where these do not stand in the files' texts and numbers, or all over them. Raises SandboxError.
    """
    edits = await _edits_of_all(sandbox, tree, paths, others=values)
    ways = dict.fromkeys(one.damage.what for one in edits)
    groups = ([one for one in edits if one.damage.what == way] for way in ways)
    texts = _Texts(Path(tree))
    return tuple(copy for group in groups if (copy := _copy(group[0].damage, group, texts)))


async def _edits_of_all(
    sandbox: Sandbox, tree: str, paths: Collection[str], **names: Collection[str]
) -> list[_Edit]:
    """Ask for edits of whole files, whatever of them has changed."""
    known = [path for path in paths if language_of(path)][:_MOST_FILES]
    files = {path: _file(path, [], []) for path in known} if any(names.values()) else {}
    return await _edits(sandbox, tree, files, **names)


@dataclass(frozen=True, slots=True)
class StepCopies:
    """Copies of head for a judge's step: in other words, and damaged. `restored` is what they are near to as
    on base; None where nothing of it is there.
    """

    same: DamagedCopy
    restored: DamagedCopy | None
    damages: tuple[DamagedCopy, ...]


class StepEdits:
    """Every edit of the changed files that a judge's step may be run with."""

    def __init__(self, edits: list[_Edit], head: Path) -> None:
        self._edits = edits
        self._texts = _Texts(head)

    @property
    def beneath(self) -> tuple[DamagedCopy, ...]:
        """Return the copies that show which functions run for what is asked for."""
        return self._copies(one for one in self._edits if one.damage.kind == "beneath")

    def near(self, is_near: Callable[[Damage], bool]) -> StepCopies | None:
        """Return the copies near to something; None where nothing there can be damaged."""
        near = [o for o in self._edits if o.damage.kind not in _NO_DAMAGE and is_near(o.damage)]
        files = {one.damage.path for one in near}
        same = [o for o in self._edits if o.damage.kind == SAME and o.damage.path in files]
        control = _copy(same[0].damage, same, self._texts) if same else None
        if control is None:
            return None
        before = [o for o in self._edits if o.damage.kind == "restored" and is_near(o.damage)]
        files = {one.damage.path for one in before}
        lost = [o for o in self._edits if o.damage.kind == "lost" and o.damage.path in files]
        places = []
        for one in before:
            text = self._texts[one.damage.path]
            first, last = (text.count(b"\n", 0, at) + 1 for at in (one.start, one.end))
            places.append(Lines(one.damage.path, first, last))
        restored = None
        if before:
            told = ", ".join(one.damage.what for one in before[:3])
            damage = replace(before[0].damage, what=told, places=tuple(places))
            restored = _copy(damage, before + lost, self._texts)
        return StepCopies(control, restored, self._copies(near))

    def _copies(self, edits: Iterable[_Edit]) -> tuple[DamagedCopy, ...]:
        copies = (_copy(one.damage, [one], self._texts) for one in edits)
        return tuple(one for one in copies if one)


async def make_step_edits(
    sandbox: Sandbox, checkout: Checkout, paths: Collection[str], named: Collection[str]
) -> StepEdits:
    """Return what may be changed for a step that is about what is `named`. Raises SandboxError."""
    asked = {one.path: _asked(one) for one in _damageable(checkout, paths)[:_MOST_FILES]}
    edits = await _edits(sandbox, checkout.head_tree, asked, named=named)
    return StepEdits(edits, Path(checkout.head_tree))


def _damageable(checkout: Checkout, paths: Collection[str]) -> list[FileChange]:
    """Return the files of head that can be damaged: plain source with lines that changed."""
    return [
        one
        for one in checkout.diff.files
        if one.path in paths and one.new_mode in _PLAIN_FILES and one.hunks and not one.binary
        if one.status is not ChangeStatus.DELETED and classify(one.path) is PathKind.SOURCE
        if language_of(one.path) or one.status is not ChangeStatus.ADDED
    ]


def _is_made_of_another(change: FileChange, changes: list[FileChange]) -> bool:
    """Tell whether a file is the minified one of another that changes, and that no changed line names."""
    name = PurePosixPath(change.path).name
    stem, minified, _ = name.partition(".min.")
    others = [one for one in changes if one is not change]
    lines = (line for one in others for hunk in one.hunks for line in hunk.lines)
    is_changed = any(PurePosixPath(one.path).stem == stem for one in others)
    return bool(minified) and is_changed and not any(f"{stem}.min" in line for line in lines)


_File = dict[str, object]


async def _edits(
    sandbox: Sandbox, tree: str, files: dict[str, _File], **names: Collection[str]
) -> list[_Edit]:
    """Ask for damages of files, by their paths; `names` are those that the program of `inside` knows."""
    if not files:
        return []
    orders: dict[str, object] = {
        **dict.fromkeys(("words", "called", "emptied", "others"), ()),
        "named": None,
        "files": list(files.values()),
    }
    orders.update((key, sorted(some)[:_MOST_WORDS]) for key, some in names.items())
    command = tree_program(_PROGRAM, orders, _LIMITS, _CHANNEL_BYTES, Mount(tree, TREE))
    return list(_told((await sandbox.run(command)).channel, list(files)))


def _file(path: str, ranges: list[tuple[int, int]], hunks: list[tuple[int, int, str]]) -> _File:
    name = os.fsdecode(raw_name(path))
    return {"path": name, "language": language_of(path), "ranges": ranges, "hunks": hunks}


def _asked(change: FileChange) -> _File:
    is_new = change.status is ChangeStatus.ADDED
    segments = [segment for hunk in change.hunks for segment in _segments(hunk)]
    hunks: list[tuple[int, int, str]] = []  # the first line of head, how many, what base has there
    for hunk in () if is_new else change.hunks:
        lines = [line[1:] + "\n" for line in hunk.lines if line[:1] in ("-", " ")]
        hunks.append((hunk.new_start, hunk.new_count, "".join(lines)))
    return _file(change.path, [(first, first + count - 1) for first, count in segments], hunks)


def _segments(hunk: Hunk) -> Iterator[tuple[int, int]]:
    """Yield (first line of head, number of lines) of what a hunk adds; 0 where it only removes."""
    line, first, count, is_open = hunk.new_start, 0, 0, False
    for text in (*hunk.lines, " "):
        kind = text[:1]
        if kind in "+-" and kind:
            first, count = (first, count) if is_open else (line, 0)
            is_open = True
            count += kind == "+"
        elif is_open:
            yield first, count
            is_open = False
        line += kind in ("+", " ")


def _told(channel: bytes, paths: list[str]) -> Iterator[_Edit]:
    """Read the program's lines; what names no file is skipped."""
    for told in records(channel):
        number = told["file"].number
        if told["kind"].text and number < len(paths):
            damage = Damage(
                paths[number],
                told["kind"].text[:20],
                told["line"].number,
                told["symbol"].text[:80],
                told["what"].text[:200],
                told["is_telling"].is_true,
                told["is_new"].is_true,
                tuple(one.text[:80] for one in islice(told["names"], _MOST_NAMES)),
                told["is_changed"].is_true,
                parameters=tuple(one.text[:80] for one in islice(told["parameters"], _MOST_NAMES)),
                edit=told["edit"].text[:80],
            )
            put = told["text"].text.encode("utf-8", "surrogateescape")
            yield _Edit(damage, told["start"].number, told["end"].number, put)


class _Texts(dict[str, bytes]):
    """The files of a tree, read when they are first asked for."""

    def __init__(self, tree: Path) -> None:
        super().__init__()
        self._tree = tree

    def __missing__(self, path: str) -> bytes:
        descriptor = os.open(inside(self._tree, path), os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
        with os.fdopen(descriptor, "rb") as stream:
            text = self[path] = stream.read()
        return text


def _copy(damage: Damage, edits: list[_Edit], texts: _Texts) -> DamagedCopy | None:
    """Make every edit that overlaps none behind it; None where one does not fit its file."""
    files: dict[str, bytes] = {}
    before: dict[str, int] = {}
    for one in sorted(edits, key=lambda one: -one.start):
        path = one.damage.path
        text = files.get(path, texts[path])
        if not one.start <= one.end <= len(text):
            return None
        if one.end <= before.get(path, len(text)):
            files[path] = text[: one.start] + one.put + text[one.end :]
            before[path] = one.start
    return DamagedCopy(damage, tuple(files.items()))


def _together(edits: list[_Edit]) -> Damage:
    first = edits[0].damage
    return replace(first, symbol="", what=f"{len(edits)} changed functions do nothing")
