"""Has the changed files of head damaged inside the sandbox: small, ranked, and the same every time."""

from __future__ import annotations

import json
import os
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from sandbox.base import TREE, Command, Limits, Mount, Sandbox
from sandbox.damage.values import Damage
from sandbox.graph.languages import PACKAGES, language_of
from sandbox.linters.programs import PYTHON_VARIABLES, packages
from sandbox.linters.reading import Node
from sandbox.models import ChangeStatus, Checkout, FileChange, Hunk
from sandbox.names import inside, raw_name
from sandbox.tools.path_kinds import PathKind, classify

_OWN = "/opt/assay/own"
_INSIDE = ("sandbox/damage/inside", "sandbox/graph/inside")
_LIMITS = Limits(timeout_s=60.0, memory_mb=2048, processes=16, output_bytes=20_000)
_CHANNEL_BYTES = 20_000_000
_MOST_FILES = 40
_MOST_WORDS = 2_000
_PLAIN_FILES = ("100644", "100755")


@dataclass(frozen=True, slots=True)
class DamagedFile:
    """A damage, and the whole text of the file that has it."""

    damage: Damage
    text: bytes


async def make_damages(
    sandbox: Sandbox, checkout: Checkout, paths: Collection[str], words: Collection[str]
) -> tuple[DamagedFile, ...]:
    """Return damaged texts of changed files, the most telling first. Raises SandboxError.

    `paths` are the files whose change is code; functions that are named by `words` come first.
    """
    changes = [one for one in checkout.diff.files if one.path in paths and _is_damageable(one)]
    changes = changes[:_MOST_FILES]
    if not changes:
        return ()
    completed = await sandbox.run(_command(checkout, changes, sorted(words)[:_MOST_WORDS]))
    tree = Path(checkout.head_tree)
    return tuple(_told(completed.channel, tree, changes))


def _is_damageable(change: FileChange) -> bool:
    """Tell whether a file of head can be damaged: plain source with lines that changed."""
    is_there = change.status is not ChangeStatus.DELETED and change.new_mode in _PLAIN_FILES
    is_text = bool(change.hunks) and not change.binary
    is_read = language_of(change.path) or change.status is not ChangeStatus.ADDED
    return bool(is_there and is_text and is_read) and classify(change.path) is PathKind.SOURCE


def _command(checkout: Checkout, changes: list[FileChange], words: list[str]) -> Command:
    files = [_asked(one) for one in changes]
    paths = dict(PYTHON_VARIABLES)
    grammars = {mount.target: mount for name in PACKAGES for mount in packages(name)}
    here = Path(__file__).parents[2]
    return Command(
        argv=("/usr/bin/python3", "-P", "-s", "-m", "sandbox.damage.inside.make"),
        mounts=(
            Mount(checkout.head_tree, TREE),
            *(Mount(str(here / package), f"{_OWN}/{package}") for package in _INSIDE),
            *grammars.values(),
        ),
        environment=tuple({**paths, "PYTHONPATH": f"{paths['PYTHONPATH']}:{_OWN}"}.items()),
        stdin=json.dumps({"words": words, "files": files}).encode(),
        limits=_LIMITS,
        channel_bytes=_CHANNEL_BYTES,
    )


def _asked(change: FileChange) -> dict[str, object]:
    is_new = change.status is ChangeStatus.ADDED
    segments = [segment for hunk in change.hunks for segment in _segments(hunk)]
    return {
        "path": os.fsdecode(raw_name(change.path)),
        "language": language_of(change.path),
        "ranges": [(first, first + count - 1) for first, count in segments],
        "hunks": [] if is_new else [_before(hunk) for hunk in change.hunks],
    }


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


def _before(hunk: Hunk) -> tuple[int, int, str]:
    """Return (first line of head, number of lines, what base has in their place)."""
    lines = [line[1:] + "\n" for line in hunk.lines if line[:1] in ("-", " ")]
    return hunk.new_start, hunk.new_count, "".join(lines)


def _told(channel: bytes, tree: Path, changes: list[FileChange]) -> Iterable[DamagedFile]:
    """Read the program's lines and make the texts; what does not fit its file is skipped."""
    for line in channel.splitlines():
        try:
            told = Node(json.loads(line))
        except (ValueError, RecursionError):
            continue
        number = told["file"].number
        if not told["kind"].text or number >= len(changes):
            continue
        path = changes[number].path
        text = _text(inside(tree, path))
        start, end = told["start"].number, told["end"].number
        if start <= end <= len(text):
            put = told["text"].text.encode("utf-8", "surrogateescape")
            damage = Damage(
                path,
                told["kind"].text[:20],
                told["line"].number,
                told["symbol"].text[:80],
                told["what"].text[:200],
                told["is_telling"].is_true,
            )
            yield DamagedFile(damage, text[:start] + put + text[end:])


def _text(file: Path) -> bytes:
    descriptor = os.open(file, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    with os.fdopen(descriptor, "rb") as stream:
        return stream.read()
