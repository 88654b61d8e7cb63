"""Brings commits, and the submodules that they pin, into mirrors, and says why when it cannot."""

from __future__ import annotations

import os
import posixpath
import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from urllib.parse import urlsplit

from sandbox.disk import is_said
from sandbox.errors import CheckoutError, CheckoutUnavailable, MissingRevision
from sandbox.repository.git import GitCall, GitResult, askpass, expect, git_in, last_line, run_git
from sandbox.repository.local_repository import common_dir, is_shallow_clone
from sandbox.repository.mirror import (
    SHA,
    UNSHALLOW,
    Mirror,
    RepositorySource,
    checked_location,
    git,
    has,
    has_reference,
    is_own,
    is_shallow,
    locked,
    open_mirror,
)

_FETCH_TIMEOUT_S = 900.0
_LIST_TIMEOUT_S = 60.0
_MANY_LOOSE = 6700
_UPLOAD_PACK = (
    "git -c safe.directory=* -c core.hooksPath=/dev/null -c core.fsmonitor=false"
    " -c uploadpack.allowAnySHA1InWant=true upload-pack"
)


def resolve_at_source(mirror: Mirror, revision: str) -> str:
    """Return the sha that a branch, `refs/...` name or sha has at the source right now.

    For a local repository any revision works (`HEAD~1`). Raises MissingRevision.
    """
    if SHA.fullmatch(revision):
        return revision
    if not revision or "\0" in revision or not revision.isprintable():
        raise MissingRevision(f"{revision!r} is not a revision.")
    if mirror.source.is_local:
        return _resolve_locally(mirror.source, revision)
    name = revision if revision.startswith("refs/") else f"refs/heads/{revision}"
    if run_git(GitCall(("check-ref-format", name))).exit_code:
        raise MissingRevision(f"{name!r} is not a name that git accepts for a branch.")
    result = _remote(
        mirror, ("ls-remote", "--quiet", "--end-of-options", checked_location(mirror.source), name)
    )
    for line in result.stdout.decode(errors="replace").splitlines():
        sha, _, found = line.partition("\t")
        if found == name and SHA.fullmatch(sha):
            return sha
    raise MissingRevision(
        f"{revision!r} does not exist in the repository.", "Was the branch deleted or renamed?"
    )


def _resolve_locally(source: RepositorySource, revision: str) -> str:
    folder = Path(checked_location(source))
    if not folder.is_dir():
        raise CheckoutError(f"{folder} is not a folder.", "Name the folder of a git repository.")
    if git_in(folder, "rev-parse", "--git-dir").exit_code:
        raise CheckoutError(
            f"{folder} is not a git repository.", "Name the folder of a git repository."
        )
    commit = ("--verify", "--end-of-options", f"{revision}^{{commit}}")
    result = git_in(folder, "rev-parse", *commit)
    if result.exit_code == 0:
        return result.stdout.decode().strip()
    if not expect(git_in(folder, "rev-list", "-n1", "--all"), "list").stdout:
        raise MissingRevision(f"{folder} has no commits yet.", "Commit something first.")
    next_step = "Fetch it there, or name another one."
    if is_shallow_clone(folder):
        next_step = f"It is a shallow clone; run in it: {UNSHALLOW}"
    raise MissingRevision(f"{revision!r} names no commit in {folder}.", next_step)


def fetch(mirror: Mirror, shas: Sequence[str]) -> None:
    """Bring commits (and the tags) into the mirror and pin them; those that it has cost nothing.

    Raises MissingRevision when the source does not have one, CheckoutUnavailable when it does not
    answer, CheckoutError when it refuses.
    """
    wanted = [
        sha
        for sha in dict.fromkeys(shas)
        # A shallow clone may have more of a commit's history by now.
        if not (is_own(mirror, sha) or (not is_shallow(mirror) and has(mirror, sha)))
    ]
    if not wanted:
        return
    with locked(mirror) as lock:
        options = ["--prune", "--force"]
        options += ["--unshallow"] if mirror.source.is_local and is_shallow(mirror) else []
        arguments = _fetching(mirror, *options, shas=wanted)
        try:
            _remote(mirror, (*arguments, "+refs/tags/*:refs/tags/*"), lock)
        except _ObjectsMissing:  # perhaps only the history of some other tag lacks them
            _remote(mirror, arguments, lock)
        pins = "".join(f"update refs/assay/keep/{sha} {sha}\n" for sha in wanted)
        expect(git(mirror, ("update-ref", "--stdin"), stdin=pins.encode()), "pin the commits")
        # Loose objects are packed once there are many (git's own measure); nothing is ever dropped.
        sample = mirror.git_dir / "objects" / "17"
        if sample.is_dir() and len(list(sample.iterdir())) > _MANY_LOOSE // 256:
            git(mirror, ("repack", "-d", "--quiet", "--geometric=2"))
            git(mirror, ("pack-refs", "--all"))


def fetch_alone(mirror: Mirror, sha: str) -> None:
    """Bring one commit without its history into a mirror of its own kind. Raises as `fetch` does."""
    reference = f"refs/assay/keep/{sha}"
    if has_reference(mirror, reference):
        return
    with locked(mirror) as lock:
        _remote(mirror, _fetching(mirror, "--depth=1", shas=[sha]), lock)
        expect(git(mirror, ("update-ref", reference, sha)), "pin the commit")


def _fetching(mirror: Mirror, *more: str, shas: list[str]) -> tuple[str, ...]:
    options = ["--quiet", "--no-write-fetch-head", "--no-auto-maintenance", *more]
    options += ["--no-tags", "--no-recurse-submodules"]
    if mirror.source.is_local:
        options += [f"--upload-pack={_UPLOAD_PACK}", "--update-shallow"]
    return ("fetch", *options, "--end-of-options", checked_location(mirror.source), *shas)


def _remote(mirror: Mirror, arguments: tuple[str, ...], lock: int | None = None) -> GitResult:
    url = urlsplit("file://" if mirror.source.is_local else mirror.source.location)
    with askpass(f"{url.scheme}://{url.netloc}", mirror.source.token) as lent:
        result = run_git(
            GitCall(
                arguments,
                mirror.git_dir,
                variables=lent.variables,
                protocols=(url.scheme,),
                inherit=(*lent.inherit, *(() if lock is None else (lock,))),
                timeout_s=_LIST_TIMEOUT_S if lock is None else _FETCH_TIMEOUT_S,
            )
        )
    if result.exit_code < 0 or is_said(result.stderr):
        expect(result, "fetch the repository")
    if result.exit_code:
        raise _fetch_error(result.stderr, mirror.source)
    return result


_REFUSED = (
    "authentication failed",
    "could not read username",
    "could not read password",
    "error: 403",
)
_UNREAD = re.compile(r"unable to (?:read|parse) (?:\w+ ){0,2}([0-9a-f]{40,64})\b")
_MISSING = ("not our ref", "couldn't find remote ref", "no such remote ref", "unadvertised object")
_LACKING = "repository corruption on the remote side"
_UNAVAILABLE = (
    "could not resolve host", "failed to connect", "couldn't connect", "timed out", "error: 5",
    "error: 429", "connection reset", "early eof", "hung up", "rpc failed", "transfer closed",
    "operation too slow", "empty reply", "connection refused",
)  # fmt: skip


class _ObjectsMissing(CheckoutError):
    """The repository lacks objects of the history that was asked for."""


def _fetch_error(stderr: str, source: RepositorySource) -> CheckoutError:
    said = redacted(stderr, source)
    low = said.lower()
    if _LACKING in low:
        unread = _UNREAD.search(said)
        what = f"Object {unread[1]} is" if unread else "Objects are"
        return _ObjectsMissing(
            f"{what} missing from the repository's history, so its commits cannot be read.",
            "If it is a clone with --filter, run in it: git fetch --refetch --no-filter. Otherwise run "
            "git fsck there, or name another copy.",
        )
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
    return kind(f"The repository could not be fetched: {last_line(said)}")


def redacted(text: str, source: RepositorySource) -> str:
    """Return `text` without the token and without credentials in addresses."""
    if source.token:
        text = text.replace(source.token, "***")
    return re.sub(r"(?<!\w)(\w+://)[^/\s@']+@", r"\1", text)


# --- the submodules that a commit pins -------------------------------------------------------------
# `.gitmodules` was written by whoever wrote the commit. Only https addresses on the repository's own
# host are followed, with its token; of a local repository only what its clone holds in `.git/modules`.


MOST_SUBMODULES = 50
MOST_DEEP = 4
_SETTINGS = r"^submodule\..*\.(path|url)$"
_SEARCHED_FILES = 20_000
_SEARCHED_BYTES = 1_000_000
_PROSE = {".md", ".rst", ".txt", ".adoc", ".gitmodules"}


def fetch_submodule(mirror: Mirror, commit: str, path: str, sha: str) -> Mirror:
    """Return a mirror that holds the commit `sha` of the submodule at `path`.

    Raises CheckoutError with the reason as its first sentence, CheckoutUnavailable when another try
    may help.
    """
    name, url = _declared(mirror, commit, path)
    if mirror.source.is_local:
        # A local clone keeps the repositories of its submodules in a folder of its own.
        folder = Path(mirror.source.location.removeprefix("file://")).resolve()
        modules = ((common_dir(folder) or folder) / "modules").resolve()
        found = (modules / name).resolve()
        if not found.is_relative_to(modules) or not (found / "HEAD").is_file():
            raise CheckoutError(
                "It is not in the local clone: run `git submodule update --init --recursive`."
            )
        source = RepositorySource(str(found))
    else:
        source = replace(mirror.source, location=_address(mirror.source.location, url))
    root = mirror.git_dir.parent.parent
    # Apart from whole mirrors: these hold single commits without their history.
    inner = open_mirror(root if root.name == "submodules" else root / "submodules", source)
    fetch_alone(inner, sha)
    return inner


def _declared(mirror: Mirror, commit: str, path: str) -> tuple[str, str]:
    """Return the name and the address that .gitmodules gives for a path."""
    asked = ("config", "-z", "--blob", f"{commit}:.gitmodules", "--get-regexp", _SETTINGS)
    settings: dict[str, dict[str, str]] = {}
    for entry in git(mirror, asked).stdout.decode(errors="replace").split("\0"):
        key, _, value = entry.partition("\n")
        name, _, what = key.removeprefix("submodule.").rpartition(".")
        if what:
            settings.setdefault(name, {})[what] = value
    for name, said in settings.items():
        if said.get("path", "").rstrip("/") == path:
            parts = name.replace("\\", "/").split("/")
            if not name or name.startswith(("-", "/")) or ".." in parts or "\0" in name:
                raise CheckoutError("Its name leads out of the folder of submodules.")
            return name, said.get("url", "")
    raise CheckoutError("`.gitmodules` does not name it.")


def _address(repository: str, url: str) -> str:
    """Return the https address of a submodule on the repository's own host."""
    own = urlsplit(repository)
    if url.startswith(("./", "../")):
        path = posixpath.normpath(posixpath.join(own.path.rstrip("/"), url))
        url = f"{own.scheme}://{own.netloc}{path}"
    try:
        found = urlsplit(url)
        same = (found.scheme, found.netloc) == (own.scheme, own.netloc)
    except ValueError:
        same = False
    if not same or ".." in found.path.split("/"):
        raise CheckoutError(f"Its address is not an {own.scheme} address on {own.netloc}.")
    return url


def is_named(tree: Path, path: str) -> bool:
    """Tell whether a file that is no prose names the submodule's folder, so that a run may read it."""
    wanted = os.fsencode(posixpath.basename(path))
    seen = 0
    for folder, names, files in os.walk(tree):
        names[:] = [name for name in names if name != ".github"]
        for name in files:
            seen += 1
            file = Path(folder, name)
            if seen > _SEARCHED_FILES:
                return True
            if name in _PROSE or file.suffix.lower() in _PROSE or file.is_symlink():
                continue
            with file.open("rb") as stream:
                if wanted in stream.read(_SEARCHED_BYTES):
                    return True
    return False
