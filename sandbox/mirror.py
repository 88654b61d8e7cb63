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
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

from sandbox.errors import CheckoutError, CheckoutUnavailable, MissingRevision
from sandbox.git import GitCall, GitResult, askpass, run_git
from sandbox.names import display_name, is_plain, raw_name

SHA = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}")
_LOCK_WAIT_S = 900.0
_FETCH_TIMEOUT_S = 900.0
_UPLOAD_PACK = (
    "git -c safe.directory=* -c core.hooksPath=/dev/null -c core.fsmonitor=false"
    " -c uploadpack.allowAnySHA1InWant=true upload-pack"
)
# No diff driver, filter or merge driver, whatever the tree's own .gitattributes say: a pull
# request must not be able to hide its text from the diff by `*.py -diff`.
_ATTRIBUTES = "* !diff !filter !merge\n"


@dataclass(frozen=True, slots=True)
class Source:
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
    source: Source


def open_mirror(root: Path, source: Source) -> Mirror:
    """Return the mirror of `source` below `root`, made (empty) when it does not exist.

    Raises CheckoutError for a location that is not https, loopback http or a local repository.
    """
    location = _checked_location(source)
    name = re.sub(r"[^A-Za-z0-9]+", "-", location.rstrip("/").removesuffix(".git"))[-40:].strip("-")
    digest = hashlib.sha256(location.encode(errors="surrogateescape")).hexdigest()[:16]
    mirror = Mirror(root.absolute() / "mirrors" / f"{name}-{digest}.git", source)
    if not mirror.git_dir.exists():
        with locked(mirror):
            _initialise(mirror.git_dir)
    return mirror


def _checked_location(source: Source) -> str:
    if source.is_local:
        return str(Path(source.location.removeprefix("file://")).resolve())
    url = urlsplit(source.location)
    if url.username or url.password or url.query or url.fragment or not url.hostname:
        raise CheckoutError(
            "The address of the repository is not a plain https URL without credentials."
        )
    if url.scheme == "https" or (
        url.scheme == "http" and source.allow_http and _is_loopback(url.hostname)
    ):
        return source.location
    raise CheckoutError(f"Repositories are not fetched by {url.scheme}.", "Use https.")


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _initialise(git_dir: Path) -> None:
    if git_dir.exists():
        return
    partial = git_dir.with_name(git_dir.name + ".partial")
    shutil.rmtree(partial, ignore_errors=True)
    _expect(run_git(GitCall(("init", "--quiet", "--bare", "--template=", str(partial)))), "")
    (partial / "HEAD").write_text("ref: refs/heads/none\n")
    (partial / "info").mkdir(exist_ok=True)
    (partial / "info" / "attributes").write_text(_ATTRIBUTES)
    partial.rename(git_dir)


@contextmanager
def locked(mirror: Mirror, wait_s: float = _LOCK_WAIT_S) -> Iterator[int]:
    """Hold the mirror alone; yields the lock's descriptor for git to inherit.

    Raises CheckoutUnavailable when another process keeps it longer than `wait_s`.
    """
    mirror.git_dir.parent.mkdir(parents=True, exist_ok=True)
    descriptor = os.open(f"{mirror.git_dir}.lock", os.O_CREAT | os.O_RDWR, 0o600)
    try:
        deadline = time.monotonic() + wait_s
        while not _try_lock(descriptor):
            if time.monotonic() > deadline:
                raise CheckoutUnavailable("Another worker is still fetching this repository.")
            time.sleep(0.05)
        _remove_leftovers(mirror.git_dir)
        yield descriptor
    finally:
        os.close(descriptor)


def _try_lock(descriptor: int) -> bool:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _remove_leftovers(git_dir: Path) -> None:
    """Remove what a killed git left; only called while nobody else can be running."""
    for pattern in ("*.lock", "refs/**/*.lock", "objects/pack/tmp_*", "objects/pack/.tmp-*"):
        for path in git_dir.glob(pattern):
            path.unlink(missing_ok=True)
    for folder in git_dir.glob("objects/tmp_objdir-*"):
        shutil.rmtree(folder, ignore_errors=True)


# --- fetching -------------------------------------------------------------------------------


def resolve_at_source(mirror: Mirror, revision: str) -> str:
    """Return the sha that a branch, `refs/...` name or sha has at the source right now.

    For a local repository any revision works (`HEAD~1`). Raises MissingRevision.
    """
    if SHA.fullmatch(revision):
        return revision
    if mirror.source.is_local:
        return _resolve_locally(mirror.source, revision)
    name = revision if revision.startswith("refs/") else f"refs/heads/{revision}"
    check_reference(name)
    result = _remote(mirror, ("ls-remote", "--quiet", "--end-of-options", _url(mirror), name))
    for line in result.stdout.decode(errors="replace").splitlines():
        sha, _, found = line.partition("\t")
        if found == name and SHA.fullmatch(sha):
            return sha
    raise MissingRevision(
        f"{revision!r} does not exist in the repository.", "Was the branch deleted or renamed?"
    )


def check_reference(name: str) -> None:
    """Raise MissingRevision for a name that git would not accept as a reference."""
    result = run_git(GitCall(("check-ref-format", name)))
    if result.exit_code or "\0" in name:
        raise MissingRevision(f"{name!r} is not a name that git accepts for a branch.")


def _resolve_locally(source: Source, revision: str) -> str:
    folder = _checked_location(source)
    if not Path(folder).is_dir():
        raise CheckoutError(f"{folder} is not a folder.", "Name the folder of a git repository.")
    if "\0" in revision or not revision:
        raise MissingRevision(f"{revision!r} is not a revision.")
    found = run_git(GitCall(("-C", folder, "rev-parse", "--git-dir")))
    if found.exit_code:
        raise CheckoutError(
            f"{folder} is not a git repository.", "Name the folder of a git repository."
        )
    result = run_git(
        GitCall(
            ("-C", folder, "rev-parse", "--verify", "--end-of-options", f"{revision}^{{commit}}")
        )
    )
    if result.exit_code:
        raise MissingRevision(
            f"{revision!r} names no commit in {folder}.", "Fetch it there, or name another one."
        )
    return result.stdout.decode().strip()


def fetch(mirror: Mirror, shas: Sequence[str]) -> None:
    """Bring commits (and the tags) into the mirror and pin them; those that it has cost nothing.

    Raises MissingRevision when the source does not have one, CheckoutUnavailable when it does not
    answer, CheckoutError when it refuses.
    """
    wanted = [sha for sha in dict.fromkeys(shas) if _is_shallow(mirror) or not has(mirror, sha)]
    if not wanted:
        return
    with locked(mirror) as lock:
        options = [
            "--quiet",
            "--no-write-fetch-head",
            "--no-auto-maintenance",
            "--prune",
            "--force",
        ]
        options += ["--no-tags", "--no-recurse-submodules"]
        if mirror.source.is_local:
            options += [f"--upload-pack={_UPLOAD_PACK}", *_shallow_options(mirror)]
        arguments = ("fetch", *options, "--end-of-options", _url(mirror), *wanted)
        _remote(mirror, (*arguments, "+refs/tags/*:refs/tags/*"), lock)
        pins = "".join(f"update refs/assay/keep/{sha} {sha}\n" for sha in wanted)
        _expect(_git(mirror, ("update-ref", "--stdin"), stdin=pins.encode()), "pin the commits")


def _is_shallow(mirror: Mirror) -> bool:
    """Say whether history is cut off; only a local source that is a shallow clone brings that."""
    return (mirror.git_dir / "shallow").exists()


def _shallow_options(mirror: Mirror) -> tuple[str, ...]:
    return ("--update-shallow", *(("--unshallow",) if _is_shallow(mirror) else ()))


def _url(mirror: Mirror) -> str:
    location = _checked_location(mirror.source)
    return f"file://{location}" if mirror.source.is_local else location


def _remote(mirror: Mirror, arguments: tuple[str, ...], lock: int | None = None) -> GitResult:
    url = urlsplit(_url(mirror))
    with askpass(f"{url.scheme}://{url.netloc}", mirror.source.token) as lent:
        result = run_git(
            GitCall(
                arguments,
                mirror.git_dir,
                variables=lent.variables,
                protocols=(url.scheme,),
                inherit=(*lent.inherit, *(() if lock is None else (lock,))),
                timeout_s=_FETCH_TIMEOUT_S,
            )
        )
    if result.exit_code:
        raise _fetch_error(result.stderr, mirror.source)
    return result


_REFUSED = (
    "authentication failed",
    "could not read username",
    "could not read password",
    "error: 403",
)
_MISSING = ("not our ref", "couldn't find remote ref", "no such remote ref", "unadvertised object")
_UNAVAILABLE = (
    "could not resolve host", "failed to connect", "couldn't connect", "timed out", "error: 5",
    "error: 429", "connection reset", "early eof", "hung up", "rpc failed", "transfer closed",
    "operation too slow", "empty reply", "connection refused",
)  # fmt: skip


def _fetch_error(stderr: str, source: Source) -> CheckoutError:
    said = redacted(stderr, source)
    low = said.lower()
    if any(sign in low for sign in _MISSING):
        return MissingRevision(
            "The commit does not exist in the repository (any more).",
            "Was the branch force-pushed or deleted? Push again or start a new evaluation.",
        )
    if any(sign in low for sign in _REFUSED):
        return CheckoutError(
            "The repository refused access.", "Is the App installed on it, with contents: read?"
        )
    if "not found" in low:
        return CheckoutError(
            "The repository does not exist, or the App may not see it.",
            "Is the App installed on it?",
        )
    kind = CheckoutUnavailable if any(sign in low for sign in _UNAVAILABLE) else CheckoutError
    return kind(f"The repository could not be fetched: {_last_line(said)}")


def redacted(text: str, source: Source) -> str:
    """Return `text` without the token and without credentials in addresses."""
    if source.token:
        text = text.replace(source.token, "***")
    return re.sub(r"(\w+://)[^/\s@']+@", r"\1", text)


def _last_line(text: str) -> str:
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return lines[-1][:300] if lines else "git gave no reason"


# --- reading --------------------------------------------------------------------------------


def has(mirror: Mirror, sha: str) -> bool:
    """Say whether a commit is here with its whole history: pinned, or an ancestor of a pinned one."""
    if not SHA.fullmatch(sha):
        raise MissingRevision(f"{sha!r} is not a full commit id.")
    pinned = ("rev-parse", "--verify", "--quiet", f"refs/assay/keep/{sha}")
    if _git(mirror, pinned).exit_code == 0:
        return True
    containing = ("for-each-ref", "--count=1", "--contains", sha, "refs/assay/keep")
    result = _git(mirror, containing)
    return result.exit_code == 0 and bool(result.stdout)


def merge_base(mirror: Mirror, one: str, other: str) -> str:
    """Return the best common ancestor of two commits.

    Raises CheckoutError for unrelated histories.
    """
    result = _git(mirror, ("merge-base", one, other))
    if result.exit_code == 0:
        return result.stdout.decode().split()[0]
    if _is_shallow(mirror):
        raise CheckoutError(
            "The repository is a shallow clone that lacks the common history of both sides.",
            "Run `git fetch --unshallow` in it.",
        )
    raise CheckoutError(
        "Head and target have no common history.",
        "Start the branch from the target branch; unrelated histories cannot be compared.",
    )


def read_file(mirror: Mirror, sha: str, path: str, max_bytes: int) -> bytes | None:
    """Return a file of a commit, or None when there is no regular file of that name.

    Raises CheckoutError when it is larger than `max_bytes`.
    """
    raw = raw_name(path)
    if not is_plain(raw):
        return None
    listed = _git(mirror, ("ls-tree", "-z", "--long", sha, "--", os.fsdecode(raw)))
    meta, _, name = _expect(listed, "list the tree").stdout.rstrip(b"\0").partition(b"\t")
    if name != raw or not meta.startswith(b"100"):
        return None
    _, _, blob, size = meta.split()
    if int(size) > max_bytes:
        raise CheckoutError(f"{path} is larger than {max_bytes} bytes.", "Make it smaller.")
    return _expect(_git(mirror, ("cat-file", "blob", blob.decode())), "read a file").stdout


def messages(mirror: Mirror, base: str, head: str, max_commits: int = 20) -> str:
    """Return the commit messages between two commits, oldest first, by an empty line apart."""
    listed = _git(
        mirror,
        ("log", "--reverse", "--no-merges", f"-n{max_commits}", "--format=%B", f"{base}..{head}"),
    )
    return _expect(listed, "read the commit messages").stdout.decode(errors="replace").strip()


def list_paths(mirror: Mirror, sha: str, below: str = "") -> tuple[str, ...]:
    """Return the names of all files of a commit, or of those below a folder (sandbox.names form)."""
    scope = ("--", os.fsdecode(raw_name(below)).rstrip("/") + "/") if below else ()
    listed = _git(mirror, ("ls-tree", "-r", "-z", "--name-only", "--full-tree", sha, *scope))
    names = _expect(listed, "list the tree").stdout.split(b"\0")
    return tuple(display_name(name) for name in names if name)


def _git(mirror: Mirror, arguments: tuple[str, ...], stdin: bytes = b"") -> GitResult:
    return run_git(GitCall(arguments, mirror.git_dir, stdin))


def _expect(result: GitResult, doing: str) -> GitResult:
    if result.exit_code:
        raise CheckoutError(f"git could not {doing or 'start'}: {_last_line(result.stderr)}")
    return result
