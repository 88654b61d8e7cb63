"""Both sides of a pull request on disk, without `.git`, and what lies between them.

`take` is idempotent: everything stands below one root, by repository and commit, written under a
temporary name and renamed, so a second call (or another worker) finds it done.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path

from sandbox.repository.diff import read_diff
from sandbox.repository.fetch import fetch, resolve_at_source
from sandbox.repository.mirror import Mirror, Source, committed_s, merge_base, open_mirror
from sandbox.repository.patch import commit_patch
from sandbox.repository.retention import hold
from sandbox.repository.tree import Exported, TreeLimits, export
from sandbox.values import Checkout


@dataclass(frozen=True, slots=True)
class CheckoutRequest:
    """What to bring to disk. `id` is the evaluation's; `release` takes it back.

    `base` is the target's tip and `head` the other side: a full sha (pinned, best), a branch, a
    `refs/...` name, or any revision of a local repository. With `patch`, a unified diff, `head` is
    not looked at: the patch is committed on top of `base`.
    """

    id: str
    source: Source
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
    return Checkout(
        base_sha=base,
        head_sha=head,
        target_sha=target,
        base_tree=sides[0].folder,
        head_tree=sides[1].folder,
        diff=read_diff(mirror, base, head),
        warnings=tuple(dict.fromkeys(sides[0].warnings + sides[1].warnings)),
        base_version=sides[0].version,
        head_version=sides[1].version,
        missing_submodules=tuple(dict.fromkeys(sides[0].missing + sides[1].missing)),
        newest_commit_s=max(committed_s(mirror, sha) for sha in (target, head)),
    )


@dataclass(frozen=True, slots=True)
class Base:
    """One commit on disk, alone: no other side was looked at."""

    mirror: Mirror
    sha: str
    tree: Path


def take_base(root: Path, source: Source, base: str, holder: str) -> Base:
    """Fetch one commit or branch and return it; `release` takes it back. Raises as `take` does."""
    mirror = open_mirror(root, source)
    sha = resolve_at_source(mirror, base)
    fetch(mirror, (sha,))
    return Base(mirror, sha, Path(_exported(root, mirror, sha, holder, TreeLimits()).folder))


def _exported(root: Path, mirror: Mirror, sha: str, holder: str, limits: TreeLimits) -> Exported:
    entry = root.absolute() / "trees" / mirror.git_dir.stem / sha
    own = entry.with_name(f"{sha}-{hashlib.sha256(holder.encode()).hexdigest()[:16]}")
    for place in (entry, own):
        hold(place, holder)
    return export(mirror, sha, entry, limits, own)
