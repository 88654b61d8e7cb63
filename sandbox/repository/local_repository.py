"""A repository of this machine as somebody works in it: its default branch, and what is not committed.

Nothing is written to it. What is not committed becomes a commit of our own mirror, by a copy of the
repository's index and without its filters, which are programs.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from sandbox.errors import CheckoutError
from sandbox.repository.git import GitCall, GitResult, as_assay, expect, git_in, run_git
from sandbox.repository.mirror import UNSHALLOW, Mirror, git, locked, pin_own

COMMIT_MESSAGE = "Uncommitted changes"
MOST_FILES = 20_000
MOST_BYTES = 1 << 30
_DEFAULTS = ("main", "master")
AS_ASSAY = as_assay("2026-01-01T00:00:00Z")
"""The variables by which a commit is Assay's own, and the same whenever it is made."""


def toplevel(folder: Path) -> Path:
    """Return the root of the work tree that holds `folder`; `folder` itself where there is none."""
    found = git_in(folder, "rev-parse", "--show-toplevel")
    name = os.fsdecode(found.stdout.rstrip(b"\n"))
    return Path(name) if found.exit_code == 0 and name else folder


def common_dir(folder: Path) -> Path | None:
    """Return where git keeps what belongs to `folder`; None where that is no repository."""
    found = git_in(folder, "rev-parse", "--path-format=absolute", "--git-common-dir")
    name = os.fsdecode(found.stdout.rstrip(b"\n"))
    return Path(name).resolve() if found.exit_code == 0 and name else None


def is_shallow_clone(folder: Path) -> bool:
    """Say whether a repository of this machine lacks the older part of its history."""
    return git_in(folder, "rev-parse", "--is-shallow-repository").stdout.strip() == b"true"


def default_base(folder: Path) -> str:
    """Return the remote's default branch, else main or master. Raises CheckoutError without any."""
    remotes = git_in(folder, "remote").stdout.decode(errors="replace").split()
    remotes.sort(key=lambda name: name != "origin")
    for remote in remotes:
        head = git_in(folder, "symbolic-ref", "--short", f"refs/remotes/{remote}/HEAD")
        named = head.stdout.decode(errors="replace").strip()
        for name in (named, *(f"{remote}/{usual}" for usual in _DEFAULTS)):
            if name and _exists(folder, f"refs/remotes/{name}"):
                return name
    for name in _DEFAULTS:
        if _exists(folder, f"refs/heads/{name}"):
            return name
    next_step = "Name the branch that the change wants into: --base BRANCH."
    if is_shallow_clone(folder):
        next_step = f"{folder} is a shallow clone; run in it: {UNSHALLOW}"
    raise CheckoutError(
        "The repository has neither a remote's default branch nor a branch main or master.",
        next_step,
    )


def _exists(folder: Path, reference: str) -> bool:
    return git_in(folder, "rev-parse", "--verify", "--quiet", reference).exit_code == 0


def contains(folder: Path, target: str, sha: str) -> bool:
    """Whether the commit `target` has `sha` in its history."""
    return git_in(folder, "merge-base", "--is-ancestor", sha, target).exit_code == 0


def lacks_common_history(folder: Path, one: str, other: str) -> bool:
    """Whether a shallow clone was cut off above the common ancestor of two commits."""
    apart = git_in(folder, "merge-base", one, other).exit_code != 0
    return apart and is_shallow_clone(folder)


# --- what is not committed ------------------------------------------------------------------


def changed_files(mirror: Mirror, folder: Path) -> tuple[str, ...]:
    """Return the files that differ from HEAD, staged or not, and the new ones that nothing ignores."""
    if git_in(folder, "rev-parse", "--is-inside-work-tree").stdout.strip() != b"true":
        return ()
    with _own_index(mirror, folder) as index:
        return index.changed()


def commit_work_tree(mirror: Mirror, folder: Path, head: str) -> str:
    """Commit the files as they stand on top of `head`, which the mirror has; returns the commit.

    Raises CheckoutError for more than a change can be.
    """
    with locked(mirror), _own_index(mirror, folder) as index:
        names = index.changed()
        present = (folder / name for name in names)
        size = sum(path.lstat().st_size for path in present if path.is_symlink() or path.is_file())
        if len(names) > MOST_FILES or size > MOST_BYTES:
            raise CheckoutError(
                f"{len(names)} files with {size / 1e6:.0f} MB are not committed: too much to judge.",
                "Add what is not source to .gitignore.",
            )
        tree = index.tree(names)
        made = git(
            mirror, ("commit-tree", "-p", head, "-m", COMMIT_MESSAGE, tree), variables=AS_ASSAY
        )
        sha = expect(made, "commit the work tree").stdout.decode().strip()
        pin_own(mirror, sha)
    return sha


class _Index:
    """A copy of a repository's index, compared with its work tree by a git that has none of its settings."""

    def __init__(self, mirror: Mirror, folder: Path, index: Path, ignored: Path) -> None:
        self._mirror, self._folder, self._ignored = mirror, folder, ignored
        self._variables = (("GIT_INDEX_FILE", str(index)), ("GIT_WORK_TREE", str(folder)))

    def changed(self) -> tuple[str, ...]:
        """Return the changed names, sorted; repositories inside are not looked into."""
        by_index = self._run(
            "ls-files", "-z", "--modified", "--deleted", "--others",
            "--exclude-per-directory=.gitignore", f"--exclude-from={self._ignored}",
        )  # fmt: skip
        names = {*_names(by_index.stdout), *self._staged()}
        return tuple(sorted(name for name in names if not name.endswith("/")))

    def tree(self, names: tuple[str, ...]) -> str:
        """Write the files of these names, and what HEAD has beside them, as a tree.

        What is staged is taken out first: its content is not in the mirror, and git would trust the index.
        """
        self._run("update-index", "--force-remove", "-z", "--stdin", names=self._staged())
        self._run("update-index", "--add", "--remove", "--replace", "-z", "--stdin", names=names)
        return self._run("write-tree").stdout.decode().strip()

    def _staged(self) -> tuple[str, ...]:
        listed = git_in(
            self._folder, "diff-index", "--cached", "--no-renames", "--name-only", "-z", "HEAD"
        )
        return _names(expect(listed, "compare the index with HEAD").stdout)

    def _run(self, *arguments: str, names: Iterable[str] = ()) -> GitResult:
        stdin = b"".join(os.fsencode(name) + b"\0" for name in names)
        done = git(self._mirror, arguments, stdin, self._variables)
        return expect(done, "read the work tree")


@contextmanager
def _own_index(mirror: Mirror, folder: Path) -> Iterator[_Index]:
    with tempfile.TemporaryDirectory(prefix="assay-index-") as place:
        index, ignored = Path(place, "index"), Path(place, "ignored")
        if (theirs := _path_in(folder, "index")).is_file():
            shutil.copy2(theirs, index)  # with its time, by which git tells what it must read again
        # What the person ignores in every repository (the file that their git names, else its usual
        # place), and what in this one.
        home = Path.home()
        everywhere = Path(os.environ.get("XDG_CONFIG_HOME") or home / ".config", "git", "ignore")
        wanted = ("--file", str(home / ".gitconfig"), "--type=path", "core.excludesFile")
        named = run_git(GitCall(("config", *wanted), variables=(("HOME", str(home)),)))
        if named.exit_code == 0:
            everywhere = Path(os.fsdecode(named.stdout.rstrip(b"\n")))
        lists = (everywhere, _path_in(folder, "info/exclude"))
        ignored.write_bytes(b"\n".join(path.read_bytes() for path in lists if path.is_file()))
        yield _Index(mirror, folder, index, ignored)


def _path_in(folder: Path, name: str) -> Path:
    found = git_in(folder, "rev-parse", "--path-format=absolute", "--git-path", name)
    return Path(os.fsdecode(found.stdout.rstrip(b"\n")))


def _names(listed: bytes) -> tuple[str, ...]:
    return tuple(os.fsdecode(name) for name in listed.split(b"\0") if name)
