"""Both sides of a pull request on disk, without `.git`, and what lies between them.

`take` is idempotent: everything stands below one root, by repository and commit, written under a
temporary name and renamed, so a second call (or another worker) finds it done.
"""

from __future__ import annotations

import re
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from sandbox.errors import CheckoutError, CheckoutUnavailable, PatchRejected
from sandbox.repository.fetch import fetch, resolve_at_source
from sandbox.repository.git import BIG_FILE_BYTES, GitCall, GitResult, as_assay, expect, run_git
from sandbox.repository.mirror import (
    Mirror,
    RepositorySource,
    committed_s,
    git,
    hold,
    known_as,
    locked,
    merge_base,
    messages,
    open_mirror,
)
from sandbox.repository.names import display_name
from sandbox.repository.tree import Exported, TreeLimits, export
from sandbox.values import ChangeStatus, Checkout, Diff, FileChange, Hunk

_MAX_PATCH_BYTES = 20_000_000
_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,99}")
_FAILED = re.compile(r"^error: patch failed: (?P<path>.+):(?P<line>\d+)$", re.MULTILINE)
_CORRUPT = re.compile(r"^error: corrupt patch at line (?P<line>\d+)", re.MULTILINE)
_HUNK = re.compile(r"@@ -(\d+)")
_REVERTS = re.compile(r"This reverts commit ([0-9a-f]{40}(?:[0-9a-f]{24})?)\b")
_PLACE = re.compile(rb"^(?:index .*|@@ [^@\n]* @@.*)$", re.MULTILINE)


def commit_patch(mirror: Mirror, base: str, patch: str, identifier: str) -> str:
    """Apply a unified diff to `base` and return the sha of the commit, kept under refs/assay/patch.

    The same patch on the same base gives the same commit. Raises PatchRejected.
    """
    if not _ID.fullmatch(identifier):
        raise CheckoutError(f"{identifier!r} cannot name a patch.")
    raw = patch.encode(errors="surrogatepass")
    if len(raw) > _MAX_PATCH_BYTES:
        raise PatchRejected("The diff is larger than 20 MB.", "Split it.")
    if not raw.strip():
        raise PatchRejected("The diff is empty.", "Send a unified diff, as `git diff` prints it.")
    raw = raw if raw.endswith(b"\n") else raw + b"\n"
    with locked(mirror) as lock, tempfile.TemporaryDirectory(prefix="assay-index-") as folder:
        index = (("GIT_INDEX_FILE", str(Path(folder, "index"))),)
        expect(git(mirror, ("read-tree", base), variables=index), "read the base")
        applied = git(mirror, ("apply", "--cached", "--whitespace=nowarn", "-"), raw, index)
        if applied.exit_code:
            raise _rejection(applied.stderr, patch)
        written = expect(git(mirror, ("write-tree",), variables=index), "write the tree")
        tree = written.stdout.decode().strip()
        dated = git(mirror, ("show", "-s", "--format=%ct", base))
        date = f"{expect(dated, 'read the base').stdout.decode().strip()} +0000"
        made = GitCall(
            ("commit-tree", tree, "-p", base, "-m", "The patch under judgement"),
            mirror.git_dir,
            variables=as_assay(date),
            inherit=(lock,),
        )
        sha = expect(run_git(made), "commit the patch").stdout.decode().strip()
        pin = ("update-ref", f"refs/assay/patch/{identifier}", sha)
        expect(git(mirror, pin), "keep the patch")
    return sha


def _rejection(stderr: str, patch: str) -> PatchRejected:
    way_out = "Make the diff against the base commit, as `git diff` prints it."
    if failed := _FAILED.search(stderr):
        path, line = failed["path"], int(failed["line"])
        hunk = _hunk_number(patch, path, line)
        return PatchRejected(
            f"The diff does not apply: {path}, hunk {hunk} (at line {line} of base) does not match.",
            way_out,
        )
    if corrupt := _CORRUPT.search(stderr):
        return PatchRejected(f"The diff is broken at its line {corrupt['line']}.", way_out)
    if "No valid patches" in stderr:
        return PatchRejected("The text is not a unified diff.", way_out)
    reasons = [line.removeprefix("error: ") for line in stderr.splitlines() if "error:" in line]
    return PatchRejected(f"The diff does not apply: {(reasons or [stderr])[0][:300]}.", way_out)


def _hunk_number(patch: str, path: str, line: int) -> int:
    """Return which hunk (from 1) of `path` in the patch starts at `line` of base; 1 when unsure."""
    number, here = 0, False
    for text in patch.splitlines():
        if text.startswith(("--- ", "+++ ")):
            here = text[4:].split("\t")[0].strip().partition("/")[2] == path or (
                here and text.startswith("+++ ")
            )
            number = 0
        elif here and (match := _HUNK.match(text)):
            number += 1
            if int(match.group(1)) == line:
                return number
    return 1


@dataclass(frozen=True, slots=True)
class CheckoutRequest:
    """What to bring to disk. `id` is the evaluation's; `release` takes it back.

    `base` is the target's tip and `head` the other side: a full sha (pinned, best), a branch, a
    `refs/...` name, or any revision of a local repository. With `patch`, a unified diff, `head` is
    not looked at: the patch is committed on top of `base`.
    """

    id: str
    source: RepositorySource
    base: str
    head: str
    patch: str = ""


def take(root: Path, request: CheckoutRequest, limits: TreeLimits | None = None) -> Checkout:
    """Fetch what is missing and return both sides with their diff.

    Raises CheckoutError (with what to do), CheckoutUnavailable when another try may help.
    """
    mirror = open_mirror(root, request.source)
    target = resolve_at_source(mirror, request.base)
    if request.patch:
        fetch(mirror, (target,))
        base, head = target, commit_patch(mirror, target, request.patch, request.id)
    else:
        head = resolve_at_source(mirror, request.head)
        fetch(mirror, (target, head))
        base = merge_base(mirror, target, head)
    sides = tuple(
        _exported(root, mirror, sha, request.id, limits or TreeLimits()) for sha in (base, head)
    )
    diff = read_diff(mirror, base, head)
    takes_back = "" if diff.truncated else _taken_back(mirror, base, head)
    title = git(mirror, ("log", "-1", "--format=%s", takes_back)).stdout if takes_back else b""
    return Checkout(
        base_sha=base,
        head_sha=head,
        target_sha=target,
        base_tree=sides[0].folder,
        head_tree=sides[1].folder,
        diff=diff,
        warnings=tuple(dict.fromkeys(sides[0].warnings + sides[1].warnings)),
        base_version=sides[0].version,
        head_version=sides[1].version,
        missing_submodules=tuple(dict.fromkeys(sides[0].missing + sides[1].missing)),
        newest_commit_s=max(committed_s(mirror, sha) for sha in (target, head)),
        takes_back=takes_back,
        takes_back_title=title.decode(errors="replace").strip(),
    )


def _taken_back(mirror: Mirror, base: str, head: str) -> str:
    """Return the commit that a change says to revert, in the words of `git revert`, and undoes exactly."""
    said: list[str] = _REVERTS.findall(messages(mirror, base, head))
    if len({*said}) != 1:
        return ""
    sha = said[0]
    if git(mirror, ("merge-base", "--is-ancestor", sha, base)).exit_code:
        return ""
    done, undone = (base, head), (sha, f"{sha}^1")
    for shown in ("--numstat", "--binary"):  # how much, before what: another commit may be huge
        told = _differs(mirror, shown, *done)
        if not told or told != _differs(mirror, shown, *undone):
            return ""
    return sha


def _differs(mirror: Mirror, shown: str, one: str, other: str) -> bytes:
    """Return what differs between two commits, wherever in its file it stands; empty where git cannot say."""
    options = ("--no-color", "--no-ext-diff", "--no-textconv", "--no-renames")
    told = git(mirror, ("diff", *options, shown, one, other))
    return b"" if told.exit_code else _PLACE.sub(b"", told.stdout)


@dataclass(frozen=True, slots=True)
class Base:
    """One commit on disk, alone: no other side was looked at."""

    mirror: Mirror
    sha: str
    tree: Path


def take_base(root: Path, source: RepositorySource, base: str, holder: str) -> Base:
    """Fetch one commit or branch and return it; `release` takes it back. Raises as `take` does."""
    mirror = open_mirror(root, source)
    sha = resolve_at_source(mirror, base)
    fetch(mirror, (sha,))
    return Base(mirror, sha, Path(_exported(root, mirror, sha, holder, TreeLimits()).folder))


def _exported(root: Path, mirror: Mirror, sha: str, holder: str, limits: TreeLimits) -> Exported:
    entry = root.absolute() / "trees" / mirror.git_dir.stem / sha
    own = entry.with_name(f"{sha}-{known_as(holder)}")
    for place in (entry, own):
        hold(place, holder)
    return export(mirror, sha, entry, own, limits)


# --- what head changes over base, read from git's machine formats and capped ---------------------
# The list of files comes from `--raw -z`, the hunks from the patch text. Hunks are read by their counts,
# so no line of a file can pass for a header. Carriage returns stay in the lines.


_STATUS = {b"A": ChangeStatus.ADDED, b"D": ChangeStatus.DELETED, b"R": ChangeStatus.RENAMED}
_DIFF_HUNK = re.compile(rb"@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@")
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
        if match := _DIFF_HUNK.match(line):
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
