"""What is not committed, as git itself would commit it; and nothing of the repository is touched or run."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from sandbox.errors import CheckoutError
from sandbox.repository.checkout import CheckoutRequest, take
from sandbox.repository.fetch import fetch
from sandbox.repository.local_repository import (
    changed_files,
    commit_work_tree,
    default_base,
    toplevel,
)
from sandbox.repository.mirror import Mirror, RepositorySource, git, open_mirror
from tests.sandbox.repositories import Repository

pytestmark = pytest.mark.real


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    made = Repository(tmp_path / "work")
    files = {"a.py": "1\n", "b.py": "2\n", "folder/c.py": "3\n", "folder/d": "4\n"}
    made.commit({**files, ".gitignore": "*.log\n"})
    return made


@pytest.fixture
def mirror(repository: Repository, tmp_path: Path) -> Mirror:
    return open_mirror(tmp_path / "root", RepositorySource(str(repository.folder)))


def edited(repository: Repository) -> None:
    (repository.folder / "a.py").write_text("changed\n")
    (repository.folder / "new.py").write_text("new\n")
    (repository.folder / "x.log").write_text("ignored\n")


def staged(repository: Repository) -> None:
    (repository.folder / "staged.py").write_text("staged\n")
    (repository.folder / "twice.py").write_text("staged\n")
    (repository.folder / "b.py").write_text("staged\n")
    repository.git("add", "--all")
    (repository.folder / "twice.py").write_text("and changed again\n")


def removed(repository: Repository) -> None:
    (repository.folder / "a.py").unlink()
    repository.git("rm", "--quiet", "b.py")
    repository.git("mv", "folder/c.py", "moved.py")


def retyped(repository: Repository) -> None:
    folder = repository.folder
    (folder / "a.py").unlink()
    (folder / "a.py").symlink_to("b.py")
    (folder / "b.py").chmod(0o755)
    shutil.rmtree(folder / "folder")
    (folder / "folder").write_text("a file now\n")


def oddly_named(repository: Repository) -> None:
    for name in (b"l\xff\xfe.py", b"new\nline.py", b"-rf", b":(top)x", b"*"):
        Path(repository.folder, name.decode(errors="surrogateescape")).write_text("odd\n")


def sparse(repository: Repository) -> None:
    repository.git("sparse-checkout", "set", "--no-cone", "/a.py", "/.gitignore")
    (repository.folder / "a.py").write_text("changed\n")


def never_read(repository: Repository) -> None:
    (repository.folder / ".git" / "index").unlink()


@pytest.mark.parametrize(
    "change", (edited, staged, removed, retyped, oddly_named, sparse, never_read)
)
def test_the_work_tree_becomes_the_commit_that_git_would_make(
    repository: Repository, mirror: Mirror, tmp_path: Path, change: Callable[[Repository], None]
) -> None:
    change(repository)
    head = repository.git("rev-parse", "HEAD")
    twin = tmp_path / "twin"
    shutil.copytree(repository.folder, twin, symlinks=True)
    before = _git_files(repository.folder)

    fetch(mirror, (head,))
    names = changed_files(mirror, repository.folder)
    sha = commit_work_tree(mirror, repository.folder, head)

    assert _git_files(repository.folder) == before
    tree = git(mirror, ("rev-parse", f"{sha}^{{tree}}")).stdout.decode().strip()
    repository.folder = twin
    told = repository.git("status", "--porcelain", "--no-renames", "--untracked-files=all", "-z")
    assert set(names) == {line.split(None, 1)[1] for line in told.split("\0") if line}
    repository.git("add", "--all")
    assert tree == repository.git("write-tree")


def _git_files(folder: Path) -> dict[str, bytes]:
    paths = (path for path in (folder / ".git").rglob("*") if path.is_file())
    return {str(path): path.read_bytes() for path in paths}


def test_it_can_be_checked_out_also_from_a_shallow_clone(
    repository: Repository, tmp_path: Path
) -> None:
    repository.commit({"a.py": "2\n"})
    folder = tmp_path / "shallow"
    repository.git("clone", "--quiet", "--depth=1", f"file://{repository.folder}", str(folder))
    source = RepositorySource(str(folder))
    mirror = open_mirror(tmp_path / "root", source)
    head = repository.git("rev-parse", "HEAD")
    (folder / "a.py").write_text("changed\n")

    fetch(mirror, (head,))
    sha = commit_work_tree(mirror, folder, head)
    checkout = take(tmp_path / "root", CheckoutRequest("e1", source, head, sha))

    assert Path(checkout.head_tree, "a.py").read_text() == "changed\n"
    assert checkout.diff.changed_paths == ("a.py",)


def test_no_filter_of_the_repository_runs(
    repository: Repository, mirror: Mirror, tmp_path: Path
) -> None:
    mark = tmp_path / "pwned"
    repository.git("config", "filter.evil.clean", f"touch {mark}; cat")
    repository.git("config", "filter.evil.process", f"touch {mark}")
    repository.git("config", "core.fsmonitor", f"touch {mark}; false")
    (repository.folder / ".gitattributes").write_text("* filter=evil\n")
    (repository.folder / "a.py").write_text("changed\n")
    head = repository.git("rev-parse", "HEAD")
    mark.unlink(missing_ok=True)

    fetch(mirror, (head,))
    assert changed_files(mirror, repository.folder) == (".gitattributes", "a.py")
    commit_work_tree(mirror, repository.folder, head)
    assert not mark.exists()


def test_what_a_person_ignores_everywhere_is_no_change(
    repository: Repository, mirror: Mirror, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = tmp_path / "home"
    (home / ".config/git").mkdir(parents=True)
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.delenv("XDG_CONFIG_HOME", raising=False)
    (repository.folder / ".DS_Store").touch()
    (repository.folder / "notes.txt").touch()
    (repository.folder / ".git/info/exclude").write_text("notes.txt\n")
    assert changed_files(mirror, repository.folder) == (".DS_Store",)
    (home / ".config/git/ignore").write_text(".DS_Store\n")
    assert changed_files(mirror, repository.folder) == ()
    (home / "mine").write_text("nothing\n")
    (home / ".gitconfig").write_text("[core]\n\texcludesFile = ~/mine\n")
    assert changed_files(mirror, repository.folder) == (".DS_Store",)


def test_a_bare_repository_has_no_work_tree(repository: Repository, tmp_path: Path) -> None:
    bare = tmp_path / "bare.git"
    repository.git("clone", "--quiet", "--bare", str(repository.folder), str(bare))
    assert changed_files(open_mirror(tmp_path / "root", RepositorySource(str(bare))), bare) == ()
    assert toplevel(bare) == bare


def test_the_default_base_is_the_remotes_default_branch(
    repository: Repository, tmp_path: Path
) -> None:
    repository.git("branch", "trunk")
    folder = tmp_path / "clone"
    repository.git("clone", "--quiet", str(repository.folder), str(folder))
    clone = Repository.__new__(Repository)
    clone.folder = folder
    assert default_base(folder) == "origin/main"
    clone.git("symbolic-ref", "refs/remotes/origin/HEAD", "refs/remotes/origin/gone")
    assert default_base(folder) == "origin/main"
    clone.git("fetch", "--quiet", "origin", "trunk:refs/remotes/origin/trunk")
    clone.git("symbolic-ref", "refs/remotes/origin/HEAD", "refs/remotes/origin/trunk")
    assert default_base(folder) == "origin/trunk"
    clone.git("remote", "remove", "origin")
    assert default_base(folder) == "main"
    clone.git("branch", "--move", "main", "work")
    with pytest.raises(CheckoutError, match="--base BRANCH"):
        default_base(folder)
