"""Says of every changed file what kind of change it is: the diff decides, never a title."""

from __future__ import annotations

from collections.abc import Mapping

from bot.diff.kinds import is_test_file
from bot.diff.lines import old_path
from bot.diff.paths import is_automation, is_build_file, is_document, is_policy, is_source_path
from sandbox.values import ChangedFile, ChangeKind, Diff, FileChange

_PROGRAM = "100755"  # git's mode of a file that can be executed


def kinds_of_change(diff: Diff, harmless: Mapping[str, ChangeKind]) -> tuple[ChangedFile, ...]:
    """Every changed file with its kind; `harmless` are those whose program was seen to stay the same."""
    return tuple(
        ChangedFile(change.path, harmless.get(change.path) or _kind_by_place(change))
        for change in diff.files
    )


def _kind_by_place(change: FileChange) -> ChangeKind:
    """What a file may do that nobody has seen to be harmless; a document may be read by the program."""
    paths = {change.path, old_path(change)}
    if all(is_test_file(path) for path in paths):
        return ChangeKind.TESTS
    if all(is_policy(path) for path in paths):
        return ChangeKind.POLICY
    if _PROGRAM in (change.old_mode, change.new_mode):
        return ChangeKind.CODE
    if all(is_automation(path) or is_build_file(path) for path in paths):
        return ChangeKind.SETUP
    ships = any(is_source_path(path) or is_document(path) for path in paths)
    return ChangeKind.CODE if ships else ChangeKind.SETUP
