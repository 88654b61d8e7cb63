"""Tells by its path in which language a file is, and whether it is a test, in any of them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import PurePosixPath

from bot.diff.lines import old_path
from bot.diff.paths import (
    is_automation,
    is_build_file,
    is_changelog,
    is_document,
    is_policy,
    is_source_path,
    is_test_path,
)
from sandbox.values import ChangedFile, ChangeKind, Diff, FileChange

_TEST_NAME = re.compile(
    r"(?:\.|-|_)(?:test|tests|spec)\.[cm]?[jt]sx?$|^(?:test|tests)\.[cm]?[jt]sx?$|_test\.(?:go|cc|cpp|c|sh)$"
    r"|(?:^Test\w+|\w(?:Test|Tests|IT))\.(?:java|kt)$|^(?:test_|tests?\.).*\.(?:c|cc|cpp|rs|sh|bats)$"
    r"|\.bats$|_spec\.rb$|^test_.*\.py$|_test\.py$"
)
_TEST_FOLDER = re.compile(r"(?:^|/)(?:__tests__|tests?|spec|t|src/test)/")
_CODE = {
    ".py", ".js", ".jsx", ".mjs", ".cjs", ".ts", ".tsx", ".mts", ".cts", ".vue", ".svelte", ".go", ".rs",
    ".java", ".kt", ".c", ".h", ".cc", ".cpp", ".hpp", ".cxx", ".cs", ".rb", ".php", ".swift", ".sh",
    ".bash", ".bats", ".pl", ".lua", ".scala", ".sql",
}  # fmt: skip


def is_code(path: str) -> bool:
    """Whether a path is a program text of a language in common use."""
    return PurePosixPath(path).suffix.lower() in _CODE


def is_test_file(path: str) -> bool:
    """Whether a path is a test or belongs to the tests, in any language."""
    return (
        is_test_path(path)
        or _TEST_NAME.search(PurePosixPath(path).name) is not None
        or _TEST_FOLDER.search(path) is not None
    )


def is_shipped_source(path: str) -> bool:
    """Whether a path is code that ships: neither test, document, build nor automation file."""
    if is_test_file(path) or is_build_file(path) or is_automation(path) or is_changelog(path):
        return False
    return is_code(path) and not is_document(path)


# --- says of every changed file what kind of change it is: the diff decides, never a title --------


_PROGRAM = "100755"  # git's mode of a file that can be executed


def kinds_of_change(diff: Diff, seen: Mapping[str, ChangeKind]) -> tuple[ChangedFile, ...]:
    """Every changed file with its kind; `seen` says it of those whose program was seen to stay the same."""
    return tuple(
        ChangedFile(change.path, seen.get(change.path) or _kind_by_place(change))
        for change in diff.files
    )


def _kind_by_place(change: FileChange) -> ChangeKind:
    """What a file may do that nobody has seen to be harmless; a document may be read by the program."""
    paths = {change.path, old_path(change)}
    if all(is_test_file(path) for path in paths):
        return ChangeKind.TESTS
    if all(is_policy(path) for path in paths):
        return ChangeKind.POLICY
    if all(is_automation(path) or is_build_file(path) for path in paths):
        return ChangeKind.SETUP
    if _PROGRAM in (change.old_mode, change.new_mode):
        return ChangeKind.CODE
    ships = any(is_source_path(path) or is_document(path) for path in paths)
    return ChangeKind.CODE if ships else ChangeKind.SETUP
