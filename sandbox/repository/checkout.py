"""Both sides of a pull request on disk, without `.git`, and what lies between them.

`take` is idempotent: everything stands below one root, by repository and commit, written under a
temporary name and renamed, so a second call (or another worker) finds it done.
"""

from __future__ import annotations

import re
import tempfile
from dataclasses import dataclass
from pathlib import Path

from sandbox.errors import CheckoutError, PatchRejected
from sandbox.repository.diff import read_diff
from sandbox.repository.fetch import fetch, resolve_at_source
from sandbox.repository.git import GitCall, as_assay, expect, run_git
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
from sandbox.repository.tree import Exported, TreeLimits, export
from sandbox.values import Checkout

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
