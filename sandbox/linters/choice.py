"""Which files of a tree a linter is shown, and why others are not."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from sandbox.errors import CheckoutError
from sandbox.linters.base import LintedFile, Linter
from sandbox.repository.names import inside

MAX_NAME_BYTES = 1_000_000  # the kernel takes 2 MB of arguments
MAX_FILES = 20_000
_SKIPPED = {".git", "node_modules", "venv", ".venv", "__pycache__", "site-packages", "target"}
_FIRST_LINE_BYTES = 256


@dataclass(frozen=True, slots=True)
class Chosen:
    """The files of one linter, with a remark on those that were left out."""

    sources: tuple[LintedFile, ...]
    remark: str = ""


def sources(tree: Path, paths: Iterable[str]) -> tuple[LintedFile, ...]:
    """Return the regular files that `paths` name, folders with all that is below them.

    A name that is no UTF-8 is passed over: no linter's output could tell of it.
    """
    found: dict[str, LintedFile] = {}
    for path in paths:
        for name in _below(tree, path):
            if len(found) >= MAX_FILES:
                break
            with (tree / name).open("rb") as opened:
                first_line = opened.read(_FIRST_LINE_BYTES).split(b"\n")[0]
            found[name] = LintedFile(name, first_line.decode(errors="replace"))
    return tuple(found.values())


def _below(tree: Path, path: str) -> Iterator[str]:
    try:
        start = inside(tree, path) if path not in ("", ".") else tree
    except CheckoutError:
        return
    if start.is_symlink() or path.startswith('"'):
        return
    if start.is_file():
        yield path
    for folder, folders, names in os.walk(start):
        folders[:] = sorted(set(folders) - _SKIPPED)
        for name in sorted(names):
            file = Path(folder, name)
            if file.is_file() and not file.is_symlink() and _is_utf8(name):
                yield file.relative_to(tree).as_posix()


def _is_utf8(name: str) -> bool:
    try:
        return bool(name.encode())
    except UnicodeEncodeError:
        return False


def choose(linter: Linter, tree: Path, files: Iterable[LintedFile]) -> Chosen:
    """Return what one linter takes of the files: within its size, and named within one command."""
    kept: list[LintedFile] = []
    too_large: list[str] = []
    left, too_many = MAX_NAME_BYTES, 0
    for source in files:
        file = tree / source.path
        if not linter.takes(source) or not file.is_file():  # base's configuration may not have it
            continue
        if file.stat().st_size > linter.largest_bytes:
            too_large.append(source.path)
            continue
        left -= len(source.path.encode()) + 16
        if left > 0:
            kept.append(source)
        else:
            too_many += 1
    said = []
    if too_large:
        names = ", ".join(too_large[:3]) + (", …" if len(too_large) > 3 else "")
        most_mb = linter.largest_bytes / 1e6
        said.append(f"{len(too_large)} larger than {most_mb:g} MB not looked at: {names}")
    if too_many:
        said.append(f"{too_many} files more than one command can name")
    return Chosen(tuple(kept), "; ".join(said))
