"""A bare mirror per repository: fetched defensively, read without a work tree.

One process writes a mirror at a time (a file lock that git's own children hold too, so it outlives
a killed worker exactly as long as its git does). What a killed git left behind is removed under
that lock. Every fetched commit is pinned by a reference, so nothing of it is ever collected.
"""

from __future__ import annotations

import fcntl
import hashlib
import ipaddress
import os
import re
import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from urllib.parse import urlsplit

from sandbox.errors import CheckoutError, CheckoutUnavailable, MissingRevision
from sandbox.folders import is_abandoned, sweep, try_lock
from sandbox.repository.git import GitCall, GitResult, expect, run_git
from sandbox.repository.names import display_name, is_plain, raw_name

SHA = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}")
_LOCK_WAIT_S = 900.0
UNSHALLOW = "git fetch --unshallow origin '+refs/heads/*:refs/remotes/origin/*'"
"""Brings the whole history of every branch to a shallow clone, also of a single branch."""
# No diff driver, filter or merge driver, whatever the tree's own .gitattributes say: a pull
# request must not be able to hide its text from the diff by `*.py -diff`.
_ATTRIBUTES = "* !diff !filter !merge\n"


@dataclass(frozen=True, slots=True)
class RepositorySource:
    """Where a repository lives: an https URL, or a folder of this machine.

    `token` is a short-lived password for the URL's host. `allow_http` admits http to the loopback.
    """

    location: str
    token: str = field(default="", repr=False)
    allow_http: bool = False

    @property
    def is_local(self) -> bool:
        """Say whether the repository is a folder of this machine."""
        return "://" not in self.location or self.location.startswith("file://")


@dataclass(frozen=True, slots=True)
class Mirror:
    """A bare repository of our own, at `git_dir`."""

    git_dir: Path
    source: RepositorySource


def open_mirror(root: Path, source: RepositorySource) -> Mirror:
    """Return the mirror of `source` below `root`, made (empty) when it does not exist.

    Raises CheckoutError for a location that is not https, loopback http or a local repository.
    """
    location = checked_location(source)
    name = re.sub(r"[^A-Za-z0-9]+", "-", location.rstrip("/").removesuffix(".git"))[-40:].strip("-")
    digest = hashlib.sha256(location.encode(errors="surrogateescape")).hexdigest()[:16]
    mirror = Mirror(root.absolute() / "mirrors" / f"{name}-{digest}.git", source)
    if not mirror.git_dir.exists():
        with locked(mirror):
            if not mirror.git_dir.exists():  # nobody else was faster
                partial = mirror.git_dir.with_name(mirror.git_dir.name + ".partial")
                shutil.rmtree(partial, ignore_errors=True)
                made = run_git(GitCall(("init", "--quiet", "--bare", "--template=", str(partial))))
                expect(made, "make a mirror")
                (partial / "HEAD").write_text("ref: refs/heads/none\n")
                (partial / "info").mkdir(exist_ok=True)
                (partial / "info" / "attributes").write_text(_ATTRIBUTES)
                partial.rename(mirror.git_dir)
    os.utime(mirror.git_dir)  # retention goes by the last use
    return mirror


def checked_location(source: RepositorySource) -> str:
    """Return the https URL or the absolute folder; raises CheckoutError for anything else."""
    if source.is_local:
        return str(Path(source.location.removeprefix("file://")).resolve())
    url = urlsplit(source.location)
    if url.username or url.password or url.query or url.fragment or not url.hostname:
        raise CheckoutError(
            "The address of the repository is not a plain https URL without credentials."
        )
    try:
        is_loopback = ipaddress.ip_address(url.hostname).is_loopback
    except ValueError:
        is_loopback = url.hostname == "localhost"
    if url.scheme == "https" or (url.scheme == "http" and source.allow_http and is_loopback):
        return source.location
    raise CheckoutError(f"Repositories are not fetched by {url.scheme}.", "Use https.")


@contextmanager
def locked(mirror: Mirror, wait_s: float = _LOCK_WAIT_S) -> Iterator[int]:
    """Hold the mirror alone; yields the lock's descriptor for git to inherit.

    Raises CheckoutUnavailable when another process keeps it longer than `wait_s`.
    """
    mirror.git_dir.parent.mkdir(parents=True, exist_ok=True)
    descriptor = os.open(f"{mirror.git_dir}.lock", os.O_CREAT | os.O_RDWR, 0o600)
    try:
        deadline = time.monotonic() + wait_s
        while not try_lock(descriptor):
            if time.monotonic() > deadline:
                raise CheckoutUnavailable("Another worker is still fetching this repository.")
            time.sleep(0.05)
        # What a killed git left goes, now that nobody else can be running.
        for pattern in ("*.lock", "refs/**/*.lock", "objects/pack/tmp_*", "objects/pack/.tmp-*"):
            for path in mirror.git_dir.glob(pattern):
                path.unlink(missing_ok=True)
        for folder in mirror.git_dir.glob("objects/tmp_objdir-*"):
            shutil.rmtree(folder, ignore_errors=True)
        yield descriptor
    finally:
        os.close(descriptor)


# --- reading --------------------------------------------------------------------------------


def has(mirror: Mirror, sha: str) -> bool:
    """Say whether a commit is here with its whole history: pinned, or an ancestor of a pinned one."""
    if not SHA.fullmatch(sha):
        raise MissingRevision(f"{sha!r} is not a full commit id.")
    if has_reference(mirror, f"refs/assay/keep/{sha}"):
        return True
    containing = ("for-each-ref", "--count=1", "--contains", sha, "refs/assay/keep")
    result = git(mirror, containing)
    return result.exit_code == 0 and bool(result.stdout)


def pin_own(mirror: Mirror, sha: str) -> None:
    """Keep a commit that was made in the mirror, and that its source does not have."""
    pins = "".join(f"update refs/assay/{kind}/{sha} {sha}\n" for kind in ("keep", "own"))
    expect(git(mirror, ("update-ref", "--stdin"), stdin=pins.encode()), "pin the commit")


def is_own(mirror: Mirror, sha: str) -> bool:
    """Say whether a commit was made in the mirror."""
    return has_reference(mirror, f"refs/assay/own/{sha}")


def has_reference(mirror: Mirror, name: str) -> bool:
    """Say whether there is a reference of that name."""
    return git(mirror, ("rev-parse", "--verify", "--quiet", name)).exit_code == 0


def is_shallow(mirror: Mirror) -> bool:
    """Say whether history is cut off; only a local source that is a shallow clone brings that."""
    return (mirror.git_dir / "shallow").exists()


def merge_base(mirror: Mirror, one: str, other: str) -> str:
    """Return the best common ancestor of two commits.

    Raises CheckoutError for unrelated histories.
    """
    result = git(mirror, ("merge-base", one, other))
    if result.exit_code == 0:
        return result.stdout.decode().split()[0]
    if is_shallow(mirror):
        raise CheckoutError(
            "The repository is a shallow clone that lacks the common history of both sides.",
            f"Run in it: {UNSHALLOW}",
        )
    raise CheckoutError(
        "Head and target have no common history.",
        "Start the branch from the target branch; unrelated histories cannot be compared.",
    )


def committed_s(mirror: Mirror, sha: str) -> int:
    """Return when a commit was made (Unix time), by its own word; 0 when it does not say."""
    said = git(mirror, ("log", "-1", "--no-show-signature", "--format=%ct", sha)).stdout.strip()
    return int(said) if said.isdigit() else 0


def read_file(mirror: Mirror, sha: str, path: str, max_bytes: int) -> bytes | None:
    """Return a file of a commit, or None when there is no regular file of that name.

    Raises CheckoutError when it is larger than `max_bytes`.
    """
    raw = raw_name(path)
    if not is_plain(raw):
        return None
    listed = git(mirror, ("ls-tree", "-z", "--long", sha, "--", os.fsdecode(raw)))
    meta, _, name = expect(listed, "list the tree").stdout.rstrip(b"\0").partition(b"\t")
    if name != raw or not meta.startswith(b"100"):
        return None
    _, _, blob, size = meta.split()
    if int(size) > max_bytes:
        raise CheckoutError(f"{path} is larger than {max_bytes} bytes.", "Make it smaller.")
    return expect(git(mirror, ("cat-file", "blob", blob.decode())), "read a file").stdout


def messages(mirror: Mirror, base: str, head: str) -> str:
    """Return the newest 20 commit messages between two commits, oldest first, by an empty line apart."""
    listed = git(
        mirror, ("log", "--reverse", "--no-merges", "-n20", "--format=%B", f"{base}..{head}")
    )
    return expect(listed, "read the commit messages").stdout.decode(errors="replace").strip()


def list_paths(mirror: Mirror, sha: str, below: str = "") -> tuple[str, ...]:
    """Return the names of all files of a commit, or of those below a folder (see `names.py`)."""
    scope = ("--", os.fsdecode(raw_name(below)).rstrip("/") + "/") if below else ()
    listed = git(mirror, ("ls-tree", "-r", "-z", "--name-only", "--full-tree", sha, *scope))
    names = expect(listed, "list the tree").stdout.split(b"\0")
    return tuple(display_name(name) for name in names if name)


def git(
    mirror: Mirror,
    arguments: tuple[str, ...],
    stdin: bytes = b"",
    variables: tuple[tuple[str, str], ...] = (),
) -> GitResult:
    """Run git on the mirror; a failing git is a value."""
    return run_git(GitCall(arguments, mirror.git_dir, stdin, variables))


_HOLD_S = 24 * 3600.0


def hold(entry: Path, holder: str) -> None:
    """Mark an entry as used by `holder`, before it is looked at, until `release`."""
    entry.parent.mkdir(parents=True, exist_ok=True)
    with _alone(entry.parent):
        entry.with_name(f"{entry.name}.held-{known_as(holder)}").touch()
        if entry.exists():
            os.utime(entry)


def release(root: Path, holder: str) -> None:
    """Take back every hold of an evaluation; the trees stay until they are evicted."""
    suffix = f".held-{known_as(holder)}"
    for path in (root.absolute() / "trees").glob(f"*/*{suffix}"):
        path.unlink(missing_ok=True)


def evict(root: Path, older_than_days: float, max_bytes: int) -> int:
    """Delete trees and mirrors unused for so long, then the oldest trees until the rest fits.

    What somebody holds stays. Returns the bytes freed.
    """
    max_age_s = older_than_days * 24 * 3600.0
    sweep((root.absolute() / "trees").glob("*/*.partial-*"))
    freed = kept = 0
    # A mirror goes that was not opened for long, unless a tree of its repository is held.
    places = (root.absolute() / "mirrors", root.absolute() / "submodules" / "mirrors")
    for git_dir in chain.from_iterable(place.glob("*.git") for place in places):
        with locked(Mirror(git_dir, RepositorySource(str(git_dir)))):
            holds = (git_dir.parent.parent / "trees" / git_dir.stem).glob("*.held-*")
            age_s = time.time() - git_dir.stat().st_mtime
            if age_s <= max_age_s or any(_is_fresh(path) for path in holds):
                continue
            doomed = git_dir.with_suffix(".doomed")
            shutil.rmtree(doomed, ignore_errors=True)
            git_dir.rename(doomed)
        freed += _size(doomed)
        shutil.rmtree(doomed, ignore_errors=True)

    trees = root.absolute() / "trees"
    folders = [path for path in trees.glob("*/*") if path.is_dir()]
    for entry in sorted(folders, key=lambda path: path.stat().st_mtime, reverse=True):
        size = _size(entry)
        age_s = time.time() - entry.stat().st_mtime
        wanted = age_s <= max_age_s and kept + size <= max_bytes
        if wanted or not _delete(entry):
            kept += size
        else:
            freed += size
    return freed


def _delete(entry: Path) -> bool:
    with _alone(entry.parent):
        holds = entry.parent.glob(f"{entry.name}.held-*")
        being_written = ".partial-" in entry.name and not is_abandoned(entry)
        if being_written or any(_is_fresh(path) for path in holds):
            return False
        doomed = entry.with_name(f"{entry.name}.doomed-{os.urandom(4).hex()}")
        entry.rename(doomed)
    shutil.rmtree(doomed, ignore_errors=True)
    return True


def _is_fresh(path: Path) -> bool:
    return time.time() - path.stat().st_mtime < _HOLD_S


def known_as(holder: str) -> str:
    """Return what a holder is called in the names of files."""
    return hashlib.sha256(holder.encode()).hexdigest()[:16]


def _size(entry: Path) -> int:
    return sum(
        path.lstat().st_size for path in entry.rglob("*") if path.is_symlink() or path.is_file()
    )


@contextmanager
def _alone(folder: Path) -> Iterator[None]:
    descriptor = os.open(folder / ".lock", os.O_CREAT | os.O_RDWR, 0o600)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)
