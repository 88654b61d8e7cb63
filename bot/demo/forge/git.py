"""The forge's bare repositories: made, asked and linked to pull requests by the git program."""

from __future__ import annotations

import os
import re
import subprocess
from dataclasses import dataclass
from pathlib import Path

from bot.demo.forge.access import Refused, invalid
from bot.demo.forge.rows import PullPart
from bot.demo.forge.state import State

GIT_TIMEOUT_S = 60
# GitHub serves any commit it still has: runs pin a sha and fetch it later.
_SERVING = "[http]\n\treceivepack = true\n[uploadpack]\n\tallowAnySHA1InWant = true\n"
SHA = re.compile(r"[0-9a-f]{40}")


def git_environment() -> dict[str, str]:
    """Git without the host's own configuration."""
    return {
        "PATH": os.environ.get("PATH", "/usr/bin:/bin"),
        "LC_ALL": "C.UTF-8",
        "HOME": "/nonexistent",
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_CONFIG_GLOBAL": "/dev/null",
        "GIT_TERMINAL_PROMPT": "0",
    }


def run_git(folder: Path, *arguments: str) -> subprocess.CompletedProcess[bytes]:
    """Runs git inside a bare repository; the caller reads the exit code."""
    return subprocess.run(
        ["git", "--git-dir", str(folder), *arguments],
        env=git_environment(),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=GIT_TIMEOUT_S,
        check=False,
    )


def create(state: State, repository: str, default_branch: str, fork_of: str) -> None:
    """Makes an empty bare repository, or a fork with all of its parent's branches."""
    folder = state.git_dir(repository)
    folder.parent.mkdir(parents=True, exist_ok=True)
    must(run_git(folder, "init", "--bare", f"--initial-branch={default_branch}"))
    with (folder / "config").open("a") as configuration:
        configuration.write(_SERVING)
    if fork_of:
        parent = str(state.git_dir(fork_of))
        must(run_git(folder, "fetch", "--quiet", parent, "+refs/heads/*:refs/heads/*"))


def branch_sha(state: State, repository: str, branch: str) -> str:
    """The commit at a branch's tip, or an empty string."""
    reference = f"refs/heads/{branch}^{{commit}}"
    found = run_git(state.git_dir(repository), "rev-parse", "--verify", "--quiet", reference)
    return found.stdout.decode().strip() if found.returncode == 0 else ""


def has_commit(state: State, repository: str, sha: str) -> bool:
    """Whether a full sha names a commit that is here."""
    if not SHA.fullmatch(sha):
        return False
    return run_git(state.git_dir(repository), "cat-file", "-e", f"{sha}^{{commit}}").returncode == 0


def resolve(state: State, repository: str, revision: str) -> str:
    """The commit of a branch or sha, or an empty string."""
    if has_commit(state, repository, revision):
        return revision
    return branch_sha(state, repository, revision)


def link_pull(state: State, repository: str, number: int, pull: PullPart) -> None:
    """Brings the head's commits here and sets `refs/pull/N/head` to them."""
    source = str(state.git_dir(pull.head_repository))
    refspec = f"+refs/heads/{pull.head_ref}:refs/pull/{number}/head"
    fetched = run_git(state.git_dir(repository), "fetch", "--quiet", source, refspec)
    if fetched.returncode != 0:
        raise invalid("PullRequest", "head", "invalid")


def count_commits(state: State, repository: str, pull: PullPart) -> int:
    """How many commits the head has over the base."""
    span = f"{pull.base_sha}..{pull.head_sha}"
    found = run_git(state.git_dir(repository), "rev-list", "--count", span)
    return int(found.stdout) if found.returncode == 0 else 0


@dataclass(frozen=True, slots=True)
class PullFile:
    """One file of a pull request; `before` is its old name where it was renamed."""

    status: str
    path: str
    before: str = ""


_STATUS = {"A": "added", "D": "removed", "M": "modified", "R": "renamed", "T": "changed"}


def changed_files(state: State, repository: str, pull: PullPart) -> tuple[PullFile, ...]:
    """What the head changes since it left the base."""
    span = f"{pull.base_sha}...{pull.head_sha}"
    return _files(run_git(state.git_dir(repository), "diff", "--name-status", "-z", "-M", span))


def _files(found: subprocess.CompletedProcess[bytes]) -> tuple[PullFile, ...]:
    words = iter(found.stdout.decode(errors="replace").split("\0"))
    files = []
    for status in filter(None, words):
        path, before = next(words), ""
        if status[0] == "R":
            path, before = next(words), path
        files.append(PullFile(_STATUS.get(status[0], "changed"), path, before))
    return tuple(files)


def branches(state: State, repository: str) -> tuple[str, ...]:
    """The names of all branches."""
    listed = run_git(
        state.git_dir(repository), "for-each-ref", "--format=%(refname:short)", "refs/heads"
    )
    return tuple(listed.stdout.decode().split())


def blob(state: State, repository: str, sha: str, path: str) -> bytes | None:
    """A file's content at a commit, or None."""
    if "\0" in path:
        return None
    found = run_git(state.git_dir(repository), "cat-file", "blob", f"{sha}:{path}")
    return found.stdout if found.returncode == 0 else None


@dataclass(frozen=True, slots=True)
class Commit:
    """A commit for people; `diff` is to its first parent."""

    sha: str
    author: str
    message: str
    diff: str


def commit(state: State, repository: str, sha: str) -> Commit | None:
    """One commit by its full sha, or None."""
    if not has_commit(state, repository, sha):
        return None
    folder = state.git_dir(repository)
    said = run_git(folder, "log", "-1", "--no-show-signature", "--format=%an%x00%B", sha)
    plain = ("--no-color", "--no-ext-diff", "--no-textconv", "--diff-merges=first-parent")
    diff = run_git(folder, "show", "--format=", *plain, sha)
    author, _, message = said.stdout.decode(errors="replace").partition("\0")
    return Commit(sha, author, message.strip(), diff.stdout.decode(errors="replace"))


def must(done: subprocess.CompletedProcess[bytes]) -> None:
    """500 for a git that failed."""
    if done.returncode != 0:
        raise Refused(500, done.stderr.decode(errors="replace")[:300])
