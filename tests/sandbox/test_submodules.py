"""Submodules: brought from the repository's own forge, never from where a hostile commit points."""

from __future__ import annotations

from pathlib import Path

import pytest

from sandbox.repository.checkout import CheckoutRequest, take
from sandbox.repository.mirror import RepositorySource
from sandbox.values import Checkout
from tests.sandbox.repositories import Repository, served

pytestmark = pytest.mark.real

TOKEN = "ghs_" + "s" * 36
IN_CLONE = "It is not in the local clone: run `git submodule update --init --recursive`."


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return tmp_path / "state"


@pytest.fixture
def project(tmp_path: Path) -> Repository:
    return Repository(tmp_path / "forge" / "owner" / "project")


@pytest.fixture
def library(tmp_path: Path) -> Repository:
    return Repository(tmp_path / "forge" / "owner" / "library")


def pin(repository: Repository, sha: str, url: str, path: str = "vendor/x", name: str = "x") -> str:
    """Commit a submodule as `git submodule add` would, whatever its address."""
    config = f'[submodule "{name}"]\n\tpath = {path}\n\turl = {url}\n'
    (repository.folder / ".gitmodules").write_text(config)
    repository.git("update-index", "--add", "--cacheinfo", f"160000,{sha},{path}")
    repository.git("add", ".gitmodules")
    repository.git("commit", "--quiet", "--message", "submodule")
    return repository.git("rev-parse", "HEAD")


def missing(checkout: Checkout) -> dict[str, str]:
    return {one.path: one.reason for one in checkout.missing_submodules}


@pytest.mark.parametrize("url", ["{0}/owner/library/.git", "../../library/.git"])
def test_each_side_has_the_commit_that_it_pins(
    root: Path, project: Repository, library: Repository, url: str
) -> None:
    inner = Repository(library.folder.parent / "inner")
    deep = inner.commit({"deep.txt": "deep", "link": "x"})
    first = library.commit({"a.txt": "1"})
    with served(project.folder.parent.parent, TOKEN) as server:
        library.commit({"a.txt": "2"})
        second = pin(library, deep, f"{server.url}/owner/inner/.git", "in", "in")
        address = url.format(server.url)
        base, head = pin(project, first, address), pin(project, second, address)
        source = RepositorySource(f"{server.url}/owner/project/.git", TOKEN, allow_http=True)
        checkout = take(root, CheckoutRequest("e1", source, base, head))
        asked = len(server.asked)
        take(root, CheckoutRequest("e2", source, base, head))
        assert len(server.asked) == asked
        assert server.leaks == []
    assert (missing(checkout), checkout.warnings) == ({}, ())
    assert Path(checkout.base_tree, "vendor/x/a.txt").read_text() == "1"
    assert Path(checkout.head_tree, "vendor/x/a.txt").read_text() == "2"
    assert Path(checkout.head_tree, "vendor/x/in/deep.txt").read_text() == "deep"
    assert not list(Path(checkout.head_tree).rglob(".git"))


HOSTILE = {
    "file": "file://{1}/library",
    "folder": "{1}/library",
    "program": "ext::sh -c touch% {1}/pwned",
    "ssh": "ssh://127.0.0.1/owner/library",
    "scp": "git@127.0.0.1:owner/library.git",
    "option": "--upload-pack=touch {1}/pwned",
    "host": "http://localhost:1/owner/library",
    "credentials": "http://user:word@127.0.0.1/owner/library",
    "scheme": "https://127.0.0.1/owner/library",
    "climbs": "{0}/owner/../library",
    "empty": "",
}


@pytest.mark.parametrize("url", HOSTILE.values(), ids=HOSTILE)
def test_other_addresses_are_refused(
    root: Path, project: Repository, library: Repository, url: str
) -> None:
    sha = library.commit({"a.txt": "1"})
    place = project.folder.parent
    with served(place.parent, TOKEN) as server:
        base = project.commit({"a": "1"})
        head = pin(project, sha, url.format(server.url, place))
        source = RepositorySource(f"{server.url}/owner/project/.git", TOKEN, allow_http=True)
        checkout = take(root, CheckoutRequest("e1", source, base, head))
        host = server.url.removeprefix("http://")
    assert missing(checkout) == {"vendor/x": f"Its address is not an http address on {host}."}
    assert list(Path(checkout.head_tree, "vendor/x").iterdir()) == []
    assert not (place / "pwned").exists()


@pytest.mark.parametrize("name", ["../../x", "a/../../x", "..", "-x", "..\\x"])
def test_names_that_lead_out_are_refused(root: Path, project: Repository, name: str) -> None:
    base = project.commit({"a": "1"})
    head = pin(project, base, "../library", name=name.replace("\\", "\\\\"))
    checkout = take(root, CheckoutRequest("e1", RepositorySource(str(project.folder)), base, head))
    reason = "Its name leads out of the folder of submodules."
    assert missing(checkout) == {"vendor/x": reason}


def test_what_the_server_refuses_is_told_and_tried_again(
    root: Path, project: Repository, library: Repository
) -> None:
    sha = library.commit({"a.txt": "1"})
    base = project.commit({"a": "1"})
    head = pin(project, sha, "../../missing/.git")
    gone = library.folder.rename(library.folder.with_name("hidden"))
    with served(project.folder.parent.parent, TOKEN) as server:
        source = RepositorySource(f"{server.url}/owner/project/.git", TOKEN, allow_http=True)
        checkout = take(root, CheckoutRequest("e1", source, base, head))
        assert "does not exist, or the App may not see it" in missing(checkout)["vendor/x"]
        assert checkout.warnings[0].startswith(f"Submodule vendor/x at {sha[:12]} could not be")
        gone.rename(gone.with_name("missing"))
        assert missing(take(root, CheckoutRequest("e1", source, base, head))) != {}
        again = take(root, CheckoutRequest("e2", source, base, head))
    assert missing(again) == {}
    assert Path(again.head_tree, "vendor/x/a.txt").read_text() == "1"


def test_a_local_repository_has_what_its_clone_has(
    root: Path, project: Repository, library: Repository
) -> None:
    sha = library.commit({"a.txt": "1"})
    other = library.commit({"a.txt": "2"})
    base = project.commit({"use.py": "open('vendor/x/a.txt')\n"})
    head = pin(project, sha, "https://forge.example/owner/library")
    source = RepositorySource(str(project.folder))
    found = take(root, CheckoutRequest("e1", source, base, head)).missing_submodules
    assert [(one.path, one.sha, one.reason, one.is_named) for one in found] == [
        ("vendor/x", sha, IN_CLONE, True)
    ]
    modules = project.folder / ".git" / "modules"
    modules.mkdir()
    library.git("clone", "--quiet", "--bare", str(library.folder), str(modules / "x"))
    (modules / "x" / "config").write_text(
        f"[core]\n\tbare = false\n\tworktree = ../../../gone\n\tfsmonitor = touch {root}/pwned\n"
    )
    checkout = take(root, CheckoutRequest("e2", source, base, head))
    assert missing(checkout) == {}
    assert Path(checkout.head_tree, "vendor/x/a.txt").read_text() == "1"
    assert not (root / "pwned").exists()
    later = pin(project, "f" * len(other), "https://forge.example/owner/library")
    unknown = take(root, CheckoutRequest("e3", source, head, later))
    assert "does not exist" in missing(unknown)["vendor/x"]


def test_a_submodule_that_only_prose_names(root: Path, project: Repository) -> None:
    base = project.commit({"README.md": "See docs/theme.\n", ".github/workflows/a.yml": "theme\n"})
    head = pin(project, base, "../theme", "docs/theme", "theme")
    checkout = take(root, CheckoutRequest("e1", RepositorySource(str(project.folder)), base, head))
    assert [one.is_named for one in checkout.missing_submodules] == [False]


def test_a_forged_tree_with_a_submodule_behind_a_link(root: Path, project: Repository) -> None:
    base = project.commit({"a": "1"})
    link = project.blob("/tmp")
    inner = project.git("mktree", "--missing", stdin=f"160000 commit {base}\tx\n".encode())
    lines = f"120000 blob {link}\tvendor\n040000 tree {inner}\tvendor\n"
    head = project.commit_tree(lines, base)
    project.git("update-ref", "refs/heads/odd", head)
    with pytest.raises(Exception, match=r"forged|unpacked"):
        take(root, CheckoutRequest("e1", RepositorySource(str(project.folder)), base, head))
