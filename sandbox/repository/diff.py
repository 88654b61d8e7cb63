"""What head changes over base, read from git's machine formats and capped.

The list of files comes from `--raw -z`, the hunks from the patch text. Hunks are read by their
counts, so no line of a file can pass for a header. Carriage returns stay in the lines.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from sandbox.errors import CheckoutError, CheckoutUnavailable
from sandbox.repository.git import BIG_FILE_BYTES, GitCall, GitResult, expect, run_git
from sandbox.repository.mirror import Mirror
from sandbox.repository.names import display_name
from sandbox.values import ChangeStatus, Diff, FileChange, Hunk

_STATUS = {b"A": ChangeStatus.ADDED, b"D": ChangeStatus.DELETED, b"R": ChangeStatus.RENAMED}
_HUNK = re.compile(rb"@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@")
# The end of a section's first line, where it is about what a package manager wrote.
_LOCK = re.compile(rb"(?:\.lock|/package-lock\.json|/npm-shrinkwrap\.json|/pnpm-lock\.yaml)\Z")
_OPTIONS = ("-r", "--no-ext-diff", "--no-textconv", "--full-index", "--find-renames")


@dataclass(frozen=True, slots=True)
class DiffLimits:
    """How much of a diff is kept; files above `git.BIG_FILE_BYTES` get no hunks.

    A lock that is resolved anew has more lines than what anybody writes, and must not hide the rest.
    """

    files: int = 3000
    lines_per_file: int = 5000
    lines_per_lock: int = 200_000
    total_bytes: int = 20_000_000
    patch_timeout_s: float = 120.0


@dataclass(frozen=True, slots=True)
class _Raw:
    """One record of `--raw`: the change, its blobs, and how many sections the patch has for it."""

    change: FileChange
    blobs: tuple[bytes, ...]
    sections: int


def read_diff(mirror: Mirror, base: str, head: str, limits: DiffLimits = DiffLimits()) -> Diff:
    """Return what changed from one commit to the other; equal commits give an empty diff."""
    records = _records(mirror, base, head)
    # The blobs that git treats as binary only because of their size.
    blobs = {blob for record in records for blob in record.blobs if blob.strip(b"0")}
    asked = b"".join(blob + b"\n" for blob in blobs)
    result = run_git(GitCall(("cat-file", "--batch-check"), mirror.git_dir, asked))
    lines = (line.split() for line in result.stdout.splitlines())
    too_large = {
        line[0] for line in lines if line[1:2] == [b"blob"] and int(line[2]) > BIG_FILE_BYTES
    }

    call = GitCall(
        ("diff-tree", "--patch", "--unified=3", "--diff-algorithm=myers", *_OPTIONS, base, head),
        mirror.git_dir,
        timeout_s=limits.patch_timeout_s,
        max_output_bytes=limits.total_bytes,
    )
    try:
        shown = run_git(call)
    except CheckoutUnavailable:  # a diff made to be slow: the list of files must do
        shown = GitResult(0, b"", "", truncated=True)
    if not shown.truncated:
        expect(shown, "compare base and head")
    sections = _sections(shown.stdout, limits, shown.truncated)

    files: list[FileChange] = []
    for record in records[: limits.files]:
        mine = [next(sections) for _ in range(record.sections)]
        is_too_large = not too_large.isdisjoint(record.blobs)
        files.append(
            replace(
                record.change,
                hunks=tuple(hunk for section in mine for hunk in section.hunks),
                binary=any(section.binary for section in mine) and not is_too_large,
                truncated=is_too_large or any(section.truncated for section in mine),
            )
        )
    truncated = len(records) > limits.files or any(file.truncated for file in files)
    return Diff(tuple(files), truncated)


def _records(mirror: Mirror, base: str, head: str) -> list[_Raw]:
    listing = run_git(GitCall(("diff-tree", "-z", "--raw", *_OPTIONS, base, head), mirror.git_dir))
    if listing.truncated:
        raise CheckoutError("The pull request changes too many files to be listed.", "Split it.")
    expect(listing, "compare base and head")
    records = []
    fields = iter(listing.stdout.split(b"\0"))
    for meta in fields:
        if not meta.startswith(b":"):
            continue
        old_mode, new_mode, old_blob, new_blob, status = meta[1:].split()
        path = next(fields)
        renamed = status[:1] == b"R"
        change = FileChange(
            display_name(next(fields) if renamed else path),
            _STATUS.get(status[:1], ChangeStatus.MODIFIED),
            old_path=display_name(path) if renamed else None,
            old_mode=_mode(old_mode),
            new_mode=_mode(new_mode),
        )
        records.append(_Raw(change, (old_blob, new_blob), 2 if status == b"T" else 1))
    return records


def _mode(mode: bytes) -> str:
    return "" if mode == b"000000" else mode.decode()


@dataclass(frozen=True, slots=True)
class _Section:
    hunks: tuple[Hunk, ...] = ()
    binary: bool = False
    truncated: bool = False


def _sections(patch: bytes, limits: DiffLimits, cut: bool) -> Iterator[_Section]:
    """Yield the patch's sections in order; after a cut, empty truncated ones for ever."""
    lines = patch.split(b"\n")
    position, left = 0, len(lines)
    while position < left:
        if not lines[position].startswith(b"diff --git "):
            position += 1
            continue
        is_lock = _LOCK.search(lines[position].rstrip(b'"'))
        most = limits.lines_per_lock if is_lock else limits.lines_per_file
        section, position = _section(lines, position + 1, most)
        if cut and position >= left:  # its last hunk is not whole
            section = replace(section, truncated=True, hunks=section.hunks[:-1])
        yield section
    while True:
        yield _Section(truncated=cut)


def _section(lines: list[bytes], position: int, max_lines: int) -> tuple[_Section, int]:
    hunks: list[Hunk] = []
    binary = truncated = False
    kept = 0
    while position < len(lines) and not lines[position].startswith(b"diff --git "):
        line = lines[position]
        binary = binary or line.startswith(b"Binary files ")
        position += 1
        if match := _HUNK.match(line):
            old_start, old_count, new_start, new_count = (
                1 if number is None else int(number) for number in match.groups()
            )
            start, old_left, new_left = position, old_count, new_count
            while position < len(lines) and (
                old_left > 0 or new_left > 0 or lines[position].startswith(b"\\")
            ):
                sign = lines[position][:1]
                old_left -= sign in (b" ", b"-", b"")
                new_left -= sign in (b" ", b"+", b"")
                position += 1
            kept += position - start
            truncated = truncated or kept > max_lines
            if not truncated:
                shown = (
                    text.decode(errors="replace")
                    for text in lines[start:position]
                    if not text.startswith(b"\\")
                )
                hunks.append(Hunk(old_start, old_count, new_start, new_count, tuple(shown)))
    return _Section(tuple(hunks), binary, truncated), position
