"""Both sides on disk, by the public door `take`, with real git and hostile repositories."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import time
import zlib
from multiprocessing import get_context
from pathlib import Path

import pytest

from sandbox.errors import CheckoutError, CheckoutUnavailable, MissingRevision
from sandbox.repository.checkout import CheckoutRequest, take
from sandbox.repository.mirror import RepositorySource, list_paths, locked, open_mirror, read_file
from sandbox.repository.tree import TreeLimits
from sandbox.values import ChangeStatus, Checkout
from tests.sandbox.repositories import Repository, served

pytestmark = pytest.mark.real

TOKEN = "ghs_secretsecretsecret"


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    return Repository(tmp_path / "project")


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return tmp_path / "root"


def taken(root: Path, repository: Repository, base: str, head: str) -> Checkout:
    return take(root, CheckoutRequest("e1", RepositorySource(str(repository.folder)), base, head))


def names(tree: str) -> set[str]:
    return {str(p.relative_to(tree)) for p in Path(tree).rglob("*") if not p.is_dir()}


def test_both_sides_stand_without_git_and_base_is_the_merge_base(
    root: Path, repository: Repository
) -> None:
    fork_point = repository.commit({"a.py": "one\n", "gone.txt": "x\n"})
    repository.git("checkout", "--quiet", "-b", "feature")
    head = repository.commit({"a.py": "two\n", "gone.txt": None})
    repository.git("checkout", "--quiet", "main")
    target = repository.commit({"later.py": "not in base\n"})

    checkout = taken(root, repository, "main", "feature")

    assert (checkout.base_sha, checkout.head_sha) == (fork_point, head)
    assert checkout.target_sha == target
    assert names(checkout.base_tree) == {"a.py", "gone.txt"}
    assert names(checkout.head_tree) == {"a.py"}
    assert Path(checkout.head_tree, "a.py").read_text() == "two\n"
    assert [(f.path, f.status) for f in checkout.diff.files] == [
        ("a.py", ChangeStatus.MODIFIED),
        ("gone.txt", ChangeStatus.DELETED),
    ]
    assert checkout.diff.files[0].hunks[0].lines == ("-one", "+two")


def test_a_commit_is_taken_back_where_just_that_is_undone(
    root: Path, repository: Repository
) -> None:
    lines = [f"line {number}" for number in range(40)]
    first = repository.commit({"a.py": "\n".join(lines), "b.bin": b"\0one"})
    lines[30] = "other"
    files = {"a.py": "\n".join(lines), "b.bin": b"\0two", "c.py": "c\n"}
    second = repository.commit(files, "Change b\n\nAnd add c.")
    lines.insert(0, "what came later")
    base = repository.commit({"a.py": "\n".join(lines)})
    repository.git("revert", "--no-edit", second)
    undoing = taken(root, repository, base, "HEAD")
    assert (undoing.takes_back, undoing.takes_back_title) == (second, "Change b")

    message = f"This reverts commit {second}."
    more = repository.commit({"d.py": "d\n"}, message)  # and something else
    assert taken(root, repository, base, more).takes_back == ""
    repository.git("checkout", "--quiet", "-b", "half", base)
    half = repository.commit({"c.py": None}, message)
    assert taken(root, repository, base, half).takes_back == ""
    repository.git("checkout", "--quiet", "-b", "root", base)
    undone = repository.commit({"a.py": None, "b.bin": None}, f"This reverts commit {first}.")
    assert taken(root, repository, base, undone).takes_back == ""


def test_a_second_call_finds_everything_done(root: Path, repository: Repository) -> None:
    base, head = repository.commit({"a": "1"}), repository.commit({"a": "2"})
    first = taken(root, repository, base, head)
    inode = Path(first.head_tree, "a").stat().st_ino
    repository.folder.rename(repository.folder.with_name("moved away"))
    repository.folder.mkdir()

    assert taken(root, repository, base, head) == first
    assert Path(first.head_tree, "a").stat().st_ino == inode


def test_no_difference_is_an_empty_diff(root: Path, repository: Repository) -> None:
    sha = repository.commit({"a": "1"})
    assert taken(root, repository, sha, sha).diff.files == ()


def test_unrelated_histories_are_said(root: Path, repository: Repository) -> None:
    repository.commit({"a": "1"})
    repository.git("checkout", "--quiet", "--orphan", "other")
    repository.commit({"b": "1"})
    with pytest.raises(CheckoutError, match="no common history"):
        taken(root, repository, "main", "other")


def test_a_shallow_clone_says_so_until_it_is_whole(
    root: Path, repository: Repository, tmp_path: Path
) -> None:
    base = repository.commit({"a": "1"})
    repository.commit({"a": "2"})
    repository.git("checkout", "--quiet", "-b", "side", base)
    repository.commit({"b": "1"})
    shallow = tmp_path / "shallow"
    repository.git(
        "clone",
        "-q",
        "--depth=1",
        "--no-single-branch",
        f"file://{repository.folder}",
        str(shallow),
    )
    source = RepositorySource(str(shallow))
    request = CheckoutRequest("e1", source, "origin/main", "origin/side")
    with pytest.raises(CheckoutError, match="unshallow"):
        take(root, request)
    repository.git("-C", str(shallow), "fetch", "--quiet", "--unshallow")
    repository.git("-C", str(shallow), "checkout", "--quiet", "main")
    (shallow / "new").write_text("x")
    assert take(root, request).base_sha == base


def test_a_partial_clone_says_so_until_it_is_whole(
    root: Path, repository: Repository, tmp_path: Path
) -> None:
    base = repository.commit({"a": "1"})
    repository.commit({"a": "2"})
    repository.git("config", "uploadpack.allowFilter", "true")
    partial = tmp_path / "partial"
    where = f"file://{repository.folder}"
    repository.git("clone", "-q", "--filter=blob:none", where, str(partial))
    request = CheckoutRequest("e1", RepositorySource(str(partial)), "HEAD~1", "HEAD")
    with pytest.raises(CheckoutError, match="missing from the repository's history") as caught:
        take(root, request)
    assert "git fetch --refetch --no-filter" in str(caught.value.next_step)
    repository.git("-C", str(partial), "fetch", "--quiet", "--refetch", "--no-filter")
    assert take(root, request).base_sha == base


def test_what_only_another_tag_lacks_stops_nothing(root: Path, repository: Repository) -> None:
    base = repository.commit({"a": "1"})
    repository.git("tag", "v1")
    repository.git("checkout", "--quiet", "-b", "side")
    repository.commit({"large": "lost\n"})
    repository.git("tag", "v2")
    lost = repository.git("rev-parse", "HEAD:large").strip()
    repository.git("checkout", "--quiet", "main")
    head = repository.commit({"a": "2"})
    (repository.folder / ".git" / "objects" / lost[:2] / lost[2:]).unlink()

    checkout = taken(root, repository, base, head)

    assert (names(checkout.head_tree), checkout.head_sha) == ({"a"}, head)
    with pytest.raises(CheckoutError, match=f"Object {lost} is missing"):
        taken(root, repository, base, "side")


@pytest.mark.parametrize(
    ("revision", "message"),
    [
        ("deleted-branch", "names no commit"),
        ("--upload-pack=touch pwned", "names no commit"),
        ("a\0b", "not a revision"),
        ("f" * 40, "does not exist"),
        ("", "not a revision"),
    ],
)
def test_a_revision_that_is_not_there(
    root: Path, repository: Repository, revision: str, message: str
) -> None:
    repository.commit({"a": "1"})
    with pytest.raises(MissingRevision, match=message):
        taken(root, repository, "main", revision)


def test_a_folder_that_is_no_repository(root: Path, tmp_path: Path) -> None:
    for folder in (tmp_path / "nothing", tmp_path):
        with pytest.raises(CheckoutError, match="is not a"):
            take(root, CheckoutRequest("e1", RepositorySource(str(folder)), "main", "HEAD"))


@pytest.mark.parametrize(
    "location",
    [
        "http://github.com/o/r",
        "http://127.0.0.1:1/o/r",
        "ssh://git@github.com/o/r",
        "ext::sh -c touch% pwned ://x",
        "https://user:pw@github.com/o/r",
        "https://github.com/o/r?x=1",
    ],
)
def test_only_https_and_local_folders_are_fetched(root: Path, location: str) -> None:
    with pytest.raises(CheckoutError) as caught:
        open_mirror(root, RepositorySource(location))
    assert "pw" not in str(caught.value)


# --- hostile repositories -------------------------------------------------------------------


def test_a_local_repository_cannot_run_anything(
    root: Path, repository: Repository, tmp_path: Path
) -> None:
    """Hooks, filters, diff drivers, monitors and lazy fetches of a hostile folder stay quiet."""
    mark = tmp_path / "pwned"
    run = f"touch {mark}"
    base = repository.commit({"a.py": "one\n"})
    head = repository.commit(
        {"a.py": "two\n", ".gitattributes": "* filter=evil diff=evil merge=evil\n"}
    )
    hooks = repository.folder / ".git" / "hooks"
    hooks.mkdir(exist_ok=True)
    for hook in ("post-checkout", "reference-transaction", "post-index-change", "pre-auto-gc"):
        (hooks / hook).write_text(f"#!/bin/sh\n{run}\n")
        (hooks / hook).chmod(0o755)
    with (repository.folder / ".git" / "config").open("a") as config:
        config.write(
            f"""
[core]
    fsmonitor = "{run}; false"
    sshCommand = "{run}"
    pager = "{run}"
    alternateRefsCommand = "{run}"
    gitProxy = "{run}"
[filter "evil"]
    smudge = "{run}; cat"
    process = "{run}"
    required = true
[diff "evil"]
    textconv = "{run}; cat"
    command = "{run}"
[diff]
    external = "{run}"
[uploadpack]
    packObjectsHook = "{run}; exec "
[remote "origin"]
    url = "ext::sh -c touch% {mark}"
    promisor = true
    uploadpack = "{run}"
[extensions]
    partialClone = origin
[protocol "ext"]
    allow = always
[alias]
    rev-parse = "!{run}"
    upload-pack = "!{run}"
"""
        )
    subprocess.run(["git", "status"], cwd=repository.folder, capture_output=True, check=False)
    assert mark.exists(), "plain git falls for it"
    mark.unlink()

    checkout = taken(root, repository, base, head)

    assert Path(checkout.head_tree, "a.py").read_text() == "two\n"
    assert not mark.exists()
    lost = repository.blob("lost")
    bad = repository.commit_tree(f"100644 blob {lost}\tlost\n", base)
    (repository.folder / ".git" / "objects" / lost[:2] / lost[2:]).unlink()
    with pytest.raises(CheckoutError):
        taken(root, repository, base, bad)
    assert not mark.exists()


def test_attributes_cannot_hide_a_change(root: Path, repository: Repository) -> None:
    base = repository.commit({"a.py": "one\n"})
    head = repository.commit({"a.py": "two\n", ".gitattributes": "*.py -diff binary\n"})
    changed = {f.path: f for f in taken(root, repository, base, head).diff.files}
    assert not changed["a.py"].binary
    assert changed["a.py"].hunks[0].lines == ("-one", "+two")


def test_links_that_leave_become_text(root: Path, repository: Repository) -> None:
    base = repository.commit({"deep/er/file": "x", "a": "1"})
    links = {
        "absolute": "/etc/passwd",
        "climbs": "../../etc/passwd",
        "self": ".",
        "by-another": "self/self/../etc",
        "loop": "loop",
        "fine": "deep/er/file",
        "deep/up": "../a",
        "dangling": "deep/nothing",
    }
    for name, target in links.items():
        (repository.folder / name).symlink_to(target)
    head = repository.commit()

    checkout = taken(root, repository, base, head)

    tree = Path(checkout.head_tree)
    kept = {name for name in links if (tree / name).is_symlink()}
    assert kept == {"self", "fine", "deep/up", "dangling"}
    assert (tree / "absolute").read_text() == "/etc/passwd"
    assert len(checkout.warnings) == 1
    assert "and 3 more like it" in checkout.warnings[0]


def test_submodules_are_empty_folders(root: Path, repository: Repository) -> None:
    base = repository.commit({"a": "1"})
    config = '[submodule "x"]\n\tpath = vendored\n\turl = ext::sh -c touch% /tmp/pwned\n'
    (repository.folder / ".gitmodules").write_text(config)
    repository.git("update-index", "--add", "--cacheinfo", f"160000,{base},vendored")
    repository.git("add", ".gitmodules")
    repository.git("commit", "-qm", "submodule")

    checkout = taken(root, repository, base, "HEAD")

    assert list(Path(checkout.head_tree, "vendored").iterdir()) == []
    reason = "It is not in the local clone: run `git submodule update --init --recursive`."
    assert checkout.warnings == (
        f"Submodule vendored at {base[:12]} could not be fetched: {reason}",
    )


def test_large_file_pointers_stay_pointers(root: Path, repository: Repository) -> None:
    pointer = f"version https://git-lfs.github.com/spec/v1\noid sha256:{'0' * 64}\nsize 9\n"
    base = repository.commit({"a": "1"})
    head = repository.commit(
        {".gitattributes": "*.bin filter=lfs diff=lfs merge=lfs -text\n", "m.bin": pointer}
    )
    checkout = taken(root, repository, base, head)
    assert Path(checkout.head_tree, "m.bin").read_text() == pointer
    assert checkout.warnings == (
        "m.bin is a large-file (LFS) pointer; its content is not fetched.",
    )


@pytest.mark.parametrize("name", [".git", ".GIT", "git~1", ".g‌it", "..", "."])
def test_names_that_aim_at_git_are_refused(
    root: Path, repository: Repository, name: str, tmp_path: Path
) -> None:
    base = repository.commit({"a": "1"})
    blob = repository.blob("[core]\n")
    inner = repository.git("mktree", stdin=f"100644 blob {blob}\tconfig\n".encode())
    head = repository.commit_tree(f"040000 tree {inner}\t{name}\n", base)
    with pytest.raises(CheckoutError):
        taken(root, repository, base, head)
    assert [p for p in root.rglob("tree") if p.is_dir() and p.parent.name == head] == []
    assert not list(root.rglob("*.partial-*"))


def test_a_link_and_a_folder_of_one_name_cannot_write_through(
    root: Path, repository: Repository, tmp_path: Path
) -> None:
    base = repository.commit({"a": "1"})
    link = repository.blob(str(tmp_path))
    inner = repository.git("mktree", stdin=f"100644 blob {repository.blob('x')}\tpwned\n".encode())
    twice = f"120000 blob {link}\tx\n040000 tree {inner}\tx\n"
    head = repository.commit_tree(twice, base)
    with pytest.raises(CheckoutError):
        taken(root, repository, base, head)
    assert not (tmp_path / "pwned").exists()


def test_caps_on_what_a_commit_unpacks_to(root: Path, repository: Repository) -> None:
    base, head = repository.commit({"a": "1"}), repository.commit({"b": "x" * 5000, "c": "1"})
    request = CheckoutRequest("e1", RepositorySource(str(repository.folder)), base, head)
    with pytest.raises(CheckoutError, match="3 files; 2 are allowed"):
        take(root, request, TreeLimits(files=2))
    with pytest.raises(CheckoutError, match="unpacks to"):
        take(root, request, TreeLimits(total_bytes=4000))
    assert len(take(root, request).diff.files) == 2


@pytest.mark.slow
def test_a_tree_that_unfolds_to_billions_of_files_is_refused(
    root: Path, repository: Repository
) -> None:
    base = repository.commit({"a": "1"})
    listing = f"100644 blob {repository.blob('x')}\tf\n"
    for _ in range(10):
        inner = repository.git("mktree", stdin=listing.encode())
        listing = "".join(f"040000 tree {inner}\td{number}\n" for number in range(10))
    began = time.monotonic()
    with pytest.raises(CheckoutError):
        taken(root, repository, base, repository.commit_tree(listing, base))
    assert time.monotonic() - began < 200  # git's own limit is 120 s


@pytest.mark.parametrize("depth", [250, pytest.param(20_000, marks=pytest.mark.slow)])
def test_a_tree_that_is_too_deep_is_said(root: Path, repository: Repository, depth: int) -> None:
    base = repository.commit({"a": "1"})
    entry, tree = b"100644 f\0" + bytes.fromhex(repository.blob("x")), ""
    for _ in range(depth):
        tree = _tree(repository, entry)
        entry = b"40000 d\0" + bytes.fromhex(tree)
    with pytest.raises(CheckoutError, match=r"too deep|cannot be unpacked|could not"):
        taken(root, repository, base, repository.commit_tree(f"040000 tree {tree}\td\n", base))


def _tree(repository: Repository, entry: bytes) -> str:
    """Write a tree of one entry; a process for each of many would take minutes."""
    content = b"tree %d\0" % len(entry) + entry
    name = hashlib.sha1(content, usedforsecurity=False).hexdigest()
    file = repository.folder / ".git/objects" / name[:2] / name[2:]
    file.parent.mkdir(exist_ok=True)
    file.write_bytes(zlib.compress(content, 0))
    return name


def test_many_deep_names_are_checked_in_a_moment(root: Path, repository: Repository) -> None:
    base = repository.commit({"a": "1"})
    blob = repository.blob("x")
    files = "".join(f"100644 blob {blob}\tf{number}\n" for number in range(10_000))
    tree = repository.git("mktree", stdin=files.encode())
    for _ in range(190):
        tree = repository.git("mktree", stdin=f"040000 tree {tree}\t{'d' * 15}\n".encode())
    head = repository.commit_tree(f"040000 tree {tree}\td\n", base)
    began = time.process_time()
    assert len(taken(root, repository, base, head).diff.files) == 3_000
    assert time.process_time() - began < 20


def test_names_that_are_no_utf8_survive_json(root: Path, repository: Repository) -> None:
    base = repository.commit({"a": "1"})
    odd = [b"caf\xe9.txt", b'"quoted".txt', "naïve \n\t.txt".encode(), b"back\\slash"]
    for name in odd:
        Path(repository.folder, os.fsdecode(name)).write_text("1\n")
    checkout = taken(root, repository, base, repository.commit())
    shown = [file.path for file in checkout.diff.files]
    assert json.loads(json.dumps(shown)) == shown
    assert set(shown) == {'"caf\\351.txt"', '"\\"quoted\\".txt"', "naïve \n\t.txt", "back\\slash"}
    assert all(len(file.hunks) == 1 for file in checkout.diff.files)
    assert {os.fsencode(p.name) for p in Path(checkout.head_tree).iterdir()} == {*odd, b"a"}


def test_names_as_long_as_they_get_and_odd_encodings(root: Path, repository: Repository) -> None:
    base = repository.commit({"a": "1"})
    long = "/".join(["d" * 250] * 12) + "/f"
    files = {long: "x", "u.txt": "text\n", "w.txt": "\r\n", "i.txt": "$Id$\n"}
    attributes = "u.txt working-tree-encoding=NO-SUCH\nw.txt text eol=crlf\ni.txt ident\n"
    repository.commit(files)
    (repository.folder / ".gitattributes").write_text(attributes)
    repository.git("add", ".gitattributes")
    repository.git("commit", "-qm", "attributes")
    head = repository.git("rev-parse", "HEAD")
    tree = Path(taken(root, repository, base, head).head_tree)
    assert (tree / long).read_text() == "x"
    assert (tree / "u.txt").read_text() == "text\n"


def test_a_name_too_long_for_the_disk_is_said(root: Path, repository: Repository) -> None:
    base = repository.commit({"a": "1"})
    blob = repository.blob("x")
    head = repository.commit_tree(f"100644 blob {blob}\t{'n' * 300}\n", base)
    with pytest.raises(CheckoutError, match="could not unpack the commit"):
        taken(root, repository, base, head)


def test_a_folder_with_an_odd_name(root: Path, tmp_path: Path) -> None:
    repository = Repository(tmp_path / "wéird %41 :x'\n$(touch pwned)")
    base, head = repository.commit({"a": "1"}), repository.commit({"a": "2"})
    assert taken(root, repository, base, head).head_sha == head


# --- where it comes from --------------------------------------------------------------------


def test_a_fork_is_fetched_with_a_token_that_leaves_no_trace(
    root: Path, repository: Repository, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    base = repository.commit({"a": "1"})
    repository.git("checkout", "--quiet", "--detach")
    head = repository.commit({"a": "2"})
    repository.git("update-ref", "refs/pull/7/head", head)
    repository.git("checkout", "--quiet", "main")
    with served(tmp_path, TOKEN) as server:
        source = RepositorySource(f"{server.url}/project/.git", TOKEN, allow_http=True)
        checkout = take(root, CheckoutRequest("e1", source, "main", "refs/pull/7/head"))
        assert (checkout.base_sha, checkout.head_sha) == (base, head)
        assert any(asked for asked in server.asked)
        assert server.leaks == []
        before = len(server.asked)
        take(root, CheckoutRequest("e2", source, base, head))
        assert len(server.asked) == before
    assert TOKEN not in repr(source)
    assert not [p for p in root.rglob("*") if p.is_file() and TOKEN.encode() in p.read_bytes()]
    out, err = capfd.readouterr()
    assert TOKEN not in out + err


def test_a_wrong_token_is_a_clear_answer(
    root: Path, repository: Repository, tmp_path: Path
) -> None:
    repository.commit({"a": "1"})
    with served(tmp_path, TOKEN) as server:
        for token in ("ghs_wrong", ""):
            source = RepositorySource(f"{server.url}/project/.git", token, allow_http=True)
            with pytest.raises(CheckoutError, match="refused access") as caught:
                take(root, CheckoutRequest("e1", source, "main", "main"))
            assert "ghs_wrong" not in str(caught.value)


def test_missing_branches_commits_and_repositories_on_a_server(
    root: Path, repository: Repository, tmp_path: Path
) -> None:
    sha = repository.commit({"a": "1"})
    with served(tmp_path, TOKEN) as server:
        source = RepositorySource(f"{server.url}/project/.git", TOKEN, allow_http=True)
        odd = ("-x", "a..b", "refs/heads/*", "a\0b", "\ud800", "a\nb", "")
        for revision in ("deleted", "refs/pull/9/head", "f" * 40, *odd):
            with pytest.raises(MissingRevision):
                take(root, CheckoutRequest("e1", source, sha, revision))
        gone = RepositorySource(f"{server.url}/nothing/.git", TOKEN, allow_http=True)
        with pytest.raises(CheckoutError, match="does not exist"):
            take(root, CheckoutRequest("e1", gone, "main", "main"))


def test_a_server_that_is_down_may_be_tried_again(root: Path) -> None:
    source = RepositorySource("http://127.0.0.1:9/o/r.git", TOKEN, allow_http=True)
    with pytest.raises(CheckoutUnavailable):
        take(root, CheckoutRequest("e1", source, "main", "main"))


def test_a_repository_that_lacks_an_object_says_which(root: Path, repository: Repository) -> None:
    sha = repository.commit({"a": "1"})
    blob = repository.blob("1")
    Path(repository.folder, ".git", "objects", blob[:2], blob[2:]).unlink()
    source = RepositorySource(str(repository.folder))
    with pytest.raises(CheckoutError, match=f"Object {blob} is missing") as caught:
        take(root, CheckoutRequest("e1", source, sha, sha))
    assert not isinstance(caught.value, CheckoutUnavailable)


def test_the_pinned_commit_is_taken_after_a_force_push(
    root: Path, repository: Repository, tmp_path: Path
) -> None:
    base = repository.commit({"a": "1"})
    repository.git("checkout", "--quiet", "-b", "feature")
    pinned = repository.commit({"a": "2"})
    repository.git("reset", "--quiet", "--hard", base)
    repository.commit({"a": "3"})
    with served(tmp_path, TOKEN) as server:
        source = RepositorySource(f"{server.url}/project/.git", TOKEN, allow_http=True)
        checkout = take(root, CheckoutRequest("e1", source, "main", pinned))
    assert Path(checkout.head_tree, "a").read_text() == "2"


def test_what_a_killed_fetch_left_does_not_matter(root: Path, repository: Repository) -> None:
    base = repository.commit({"a": "1"})
    source = RepositorySource(str(repository.folder))
    mirror = open_mirror(root, source)
    for name in ("packed-refs.lock", "shallow.lock", "refs/assay/keep/x.lock"):
        path = mirror.git_dir / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
    (mirror.git_dir / "objects" / "pack" / "tmp_pack_1").touch()
    entry = root / "trees" / mirror.git_dir.stem / f"{base}.partial-1-abcd"
    (entry / "tree").mkdir(parents=True)
    assert taken(root, repository, base, base).head_sha == base
    assert not list(mirror.git_dir.rglob("*.lock"))


def test_a_worker_killed_at_any_moment_leaves_nothing_in_the_way(
    root: Path, repository: Repository
) -> None:
    base = repository.commit({f"d{n % 9}/f{n}": f"{n}\n" * 50 for n in range(2000)})
    head = repository.commit({"a": "2"})
    arguments = (root, repository.folder, base, head)
    for delay_s in (0.3, 0.35, 0.4, 0.5, 0.6):
        worker = get_context("spawn").Process(target=_take_in_a_process, args=arguments)
        worker.start()
        worker.join(delay_s)
        worker.kill()
        worker.join()
    checkout = taken(root, repository, base, head)
    assert len(names(checkout.base_tree)) == 2000
    assert len(names(checkout.head_tree)) == 2001


def _take_in_a_process(root: Path, folder: Path, base: str, head: str) -> str:
    return take(root, CheckoutRequest("e", RepositorySource(str(folder)), base, head)).head_tree


def test_workers_that_ask_at_the_same_time_do_not_collide(
    root: Path, repository: Repository
) -> None:
    base = repository.commit({f"f{n}": "x" for n in range(50)})
    head = repository.commit({"a": "2"})
    arguments = [(root, repository.folder, base, head)] * 4
    with get_context("spawn").Pool(4) as pool:
        trees = pool.starmap(_take_in_a_process, arguments)
    assert len(set(trees)) == 1
    assert len(names(trees[0])) == 51


def test_a_mirror_that_stays_busy_is_said(root: Path, repository: Repository) -> None:
    mirror = open_mirror(root, RepositorySource(str(repository.folder)))
    with locked(mirror), pytest.raises(CheckoutUnavailable), locked(mirror, wait_s=0.1):
        pytest.fail("two held the lock")


# --- reading without a tree -----------------------------------------------------------------


def test_files_are_read_from_the_mirror(root: Path, repository: Repository) -> None:
    repository.commit({".github/assay.yml": "gate: {}\n", "docs/a": "x" * 100, "docs/b*": "1"})
    (repository.folder / "link").symlink_to("docs/a")
    sha = repository.commit()
    taken(root, repository, sha, sha)
    mirror = open_mirror(root, RepositorySource(str(repository.folder)))
    assert read_file(mirror, sha, ".github/assay.yml", 1000) == b"gate: {}\n"
    for absent in ("nothing", "docs", "link", "*", "../x", ":(top)docs/a", "/etc/passwd"):
        assert read_file(mirror, sha, absent, 1000) is None
    with pytest.raises(CheckoutError, match="larger than 10 bytes"):
        read_file(mirror, sha, "docs/a", 10)
    assert list_paths(mirror, sha) == (".github/assay.yml", "docs/a", "docs/b*", "link")
    assert list_paths(mirror, sha, "docs") == ("docs/a", "docs/b*")


# --- versions -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("tag", "base", "head"),
    [
        ("v1.2.3", "1.2.3", "1.2.4.dev1+g"),
        ("1.0rc1", "1.0rc1", "1.0.dev1+g"),
        ("my-project-2-0.4", "0.4", "0.5.dev1+g"),
        ("release", "", ""),
        ("v1; rm -rf", None, None),
    ],
)
def test_versions_come_from_the_nearest_tag(
    root: Path, repository: Repository, tag: str, base: str | None, head: str | None
) -> None:
    base_sha = repository.commit({"a": "1"})
    if base is None:
        tag, base, head = "v1$(id)", "", ""
    repository.git("tag", tag)
    head_sha = repository.commit({"a": "2"})
    checkout = taken(root, repository, base_sha, head_sha)
    assert checkout.base_version == base
    assert checkout.head_version.startswith(head or "")
    assert bool(checkout.head_version) == bool(head)
