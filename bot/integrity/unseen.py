"""Finds changed content that a run can load and that no diff shows: links, pointers, compiled code."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import PurePosixPath

from bot.diff.lines import is_gone
from bot.integrity.inspection import Inspection, make_finding
from bot.values.rules import UNSEEN_CONTENT
from sandbox.values import FileChange, Finding

_SUBMODULE, _SYMLINK = "160000", "120000"
_LFS = b"version https://git-lfs.github.com/spec/"
_LOADED = frozenset(
    [
        ".a",
        ".class",
        ".dll",
        ".dylib",
        ".egg",
        ".exe",
        ".jar",
        ".joblib",
        ".node",
        ".o",
        ".pickle",
        ".pkl",
        ".pyc",
        ".pyd",
        ".pyo",
        ".pyz",
        ".so",
        ".war",
        ".wasm",
        ".whl",
    ]
)
_PICTURES = frozenset(
    [".gif", ".ico", ".jpeg", ".jpg", ".mp4", ".pdf", ".png", ".ttf", ".webp", ".woff", ".woff2"]
)
# ELF, Windows, Mach-O (both byte orders and universal, which Java classes share), WebAssembly.
_PROGRAMS = (
    *(b"\x7fELF", b"MZ", b"\xcf\xfa\xed\xfe", b"\xce\xfa\xed\xfe", b"\xca\xfe\xba\xbe", b"\0asm"),
)


def unseen_content(inspection: Inspection) -> Iterator[Finding]:
    """One finding for each changed file whose content a run can load and the diff does not show."""
    for change in inspection.diff.files:
        what = None if is_gone(change) else _unseen(inspection, change)
        if what:
            yield make_finding(UNSEEN_CONTENT, change, 0, what)


def _unseen(inspection: Inspection, change: FileChange) -> str | None:
    if change.new_mode == _SUBMODULE:
        return "This submodule moves to another commit, and what changed in it is not shown here."
    if change.new_mode == _SYMLINK and _replaces_code(inspection, change):
        return "This symbolic link stands in for code, and the diff does not show what it leads to."
    content = inspection.head.read_bytes(change.path)
    if content is not None and content.startswith(_LFS):
        return "This is a large-file (LFS) pointer, and its content was not fetched."
    if change.binary and _is_loaded(change.path, content):
        return "This binary file can be loaded as code, and nobody can read it in a diff."
    return None


def _replaces_code(inspection: Inspection, change: FileChange) -> bool:
    """Whether a link has the name of code, or stands where a file or a folder was."""
    was_file = change.old_mode not in ("", _SYMLINK)
    was_folder = any(
        is_gone(other) and other.path.startswith(f"{change.path}/")
        for other in inspection.diff.files
    )
    is_code = PurePosixPath(change.path).suffix not in ("", ".md", ".txt", ".rst")
    return was_file or was_folder or is_code


def _is_loaded(path: str, content: bytes | None) -> bool:
    suffixes = PurePosixPath(path.lower()).suffixes
    if not _LOADED.isdisjoint(suffixes):
        return True
    if content is None:  # too large to look at
        return _PICTURES.isdisjoint(suffixes[-1:])
    return content.startswith(_PROGRAMS)
