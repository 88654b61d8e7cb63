"""A unified diff as head, with real git."""

from __future__ import annotations

from pathlib import Path

import pytest

from sandbox.errors import CheckoutError, PatchRejected
from sandbox.repository.checkout import CheckoutRequest, take
from sandbox.repository.mirror import RepositorySource
from sandbox.values import Checkout
from tests.sandbox.repositories import Repository

pytestmark = pytest.mark.real

TEXT = "".join(f"line {n}\n" for n in range(1, 41))


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    repository = Repository(tmp_path / "project")
    repository.commit({"a b.py": TEXT, "other.py": "x\n"})
    return repository


def judged(repository: Repository, patch: str, identifier: str = "e1") -> Checkout:
    source = RepositorySource(str(repository.folder))
    request = CheckoutRequest(identifier, source, "main", "", patch=patch)
    return take(repository.folder.parent / "root", request)


def good_patch(repository: Repository) -> str:
    changed = TEXT.replace("line 3\n", "line three\n").replace("line 30\n", "line thirty\n")
    (repository.folder / "a b.py").write_text(changed)
    patch = repository.git("diff", "--binary") + "\n"
    repository.git("checkout", "--quiet", ".")
    return patch


def test_a_patch_becomes_head(repository: Repository) -> None:
    patch = good_patch(repository)
    checkout = judged(repository, patch)
    assert checkout.base_sha == checkout.target_sha == repository.git("rev-parse", "main")
    assert "line thirty" in Path(checkout.head_tree, "a b.py").read_text()
    assert [(f.path, len(f.hunks)) for f in checkout.diff.files] == [("a b.py", 2)]
    assert judged(repository, patch, "e2").head_sha == checkout.head_sha
    assert judged(repository, patch.rstrip("\n")).head_sha == checkout.head_sha


def test_files_come_and_go(repository: Repository) -> None:
    patch = (
        "diff --git a/other.py b/other.py\ndeleted file mode 100644\n"
        "--- a/other.py\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n"
        "--- /dev/null\n+++ b/deep/new.py\n@@ -0,0 +1 @@\n+new\n"
    )
    tree = Path(judged(repository, patch).head_tree)
    assert not (tree / "other.py").exists()
    assert (tree / "deep" / "new.py").read_text() == "new\n"


def test_a_hunk_that_does_not_fit_is_named(repository: Repository) -> None:
    patch = good_patch(repository).replace("-line 30", "-line of another version")
    with pytest.raises(PatchRejected, match=r"a b\.py, hunk 2 \(at line 27 of base\)"):
        judged(repository, patch)


@pytest.mark.parametrize(
    ("patch", "message"),
    [
        ("please make it faster", "not a unified diff"),
        ("   \n", "empty"),
        ("--- a/other.py\n+++ b/other.py\n@@ -1 +1 @@\n-\ud800\n+\0\n", "other.py, hunk 1"),
        ("--- a/other.py\n+++ b/other.py\n@@ -1,9 +1,9 @@\n-x\n+y\n", "broken at its line"),
        ("--- a/gone.py\n+++ b/gone.py\n@@ -1 +1 @@\n-x\n+y\n", "gone.py"),
        ("--- /dev/null\n+++ b/.git/config\n@@ -0,0 +1 @@\n+x\n", "does not apply"),
        ("--- /dev/null\n+++ b/../../out\n@@ -0,0 +1 @@\n+x\n", "does not apply"),
        ("x" * 20_000_001, "larger than"),
    ],
)
def test_what_is_no_patch_is_a_clear_answer(
    repository: Repository, patch: str, message: str
) -> None:
    with pytest.raises(PatchRejected, match=message):
        judged(repository, patch)


def test_an_absolute_name_stays_inside(repository: Repository) -> None:
    patch = "--- /dev/null\n+++ /etc/evil\n@@ -0,0 +1 @@\n+x\n"
    assert Path(judged(repository, patch).head_tree, "etc/evil").read_text() == "x\n"
    assert not Path("/etc/evil").exists()


def test_a_patch_cannot_write_through_a_link(repository: Repository, tmp_path: Path) -> None:
    patch = (
        "diff --git a/link b/link\nnew file mode 120000\n--- /dev/null\n+++ b/link\n"
        f"@@ -0,0 +1 @@\n+{tmp_path}\n\\ No newline at end of file\n"
        "diff --git a/link/pwned b/link/pwned\nnew file mode 100644\n"
        "--- /dev/null\n+++ b/link/pwned\n@@ -0,0 +1 @@\n+x\n"
    )
    with pytest.raises(CheckoutError):
        judged(repository, patch)
    assert not (tmp_path / "pwned").exists()


def test_the_identifier_is_no_way_out(repository: Repository) -> None:
    for identifier in ("../../heads/main", "", "a b", "x" * 200):
        with pytest.raises(CheckoutError, match="cannot name"):
            judged(repository, good_patch(repository), identifier)
