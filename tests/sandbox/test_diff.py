"""What changed between two commits, with real git and awkward content."""

from __future__ import annotations

from pathlib import Path

import pytest

from sandbox.repository.checkout import DiffLimits, read_diff
from sandbox.repository.fetch import fetch
from sandbox.repository.mirror import Mirror, RepositorySource, open_mirror
from sandbox.values import ChangeStatus, Diff, FileChange
from tests.sandbox.repositories import Repository

USUAL = DiffLimits()


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    return Repository(tmp_path / "project")


def mirrored(repository: Repository, *shas: str) -> Mirror:
    mirror = open_mirror(
        repository.folder.parent / "root", RepositorySource(str(repository.folder))
    )
    fetch(mirror, shas)
    return mirror


def difference(repository: Repository, base: str, head: str, limits: DiffLimits = USUAL) -> Diff:
    return read_diff(mirrored(repository, base, head), base, head, limits)


def only(diff: Diff) -> FileChange:
    assert len(diff.files) == 1
    return diff.files[0]


def test_a_rename_keeps_both_names(repository: Repository) -> None:
    text = "".join(f"line {n}\n" for n in range(40))
    base = repository.commit({"old name.py": text})
    repository.git("mv", "old name.py", "new name.py")
    head = repository.commit({"new name.py": text + "more\n"})
    change = only(difference(repository, base, head))
    assert (change.status, change.old_path, change.path) == (
        ChangeStatus.RENAMED,
        "old name.py",
        "new name.py",
    )
    assert change.hunks[0].lines[-1] == "+more"
    assert (change.hunks[0].new_start, change.hunks[0].new_count) == (38, 4)


def test_lines_that_look_like_headers_stay_lines(repository: Repository) -> None:
    base = repository.commit({"a": "x\n", "z": "1\n"})
    sly = "-- a/evil\n++ b/evil\n@@ -1 +1 @@\ndiff --git a/x b/x\nBinary files differ\n\\ No\n"
    head = repository.commit({"a": sly, "z": "2\n"})
    first, second = difference(repository, base, head).files
    assert first.hunks[0].lines == ("-x", *(f"+{line}" for line in sly.splitlines()))
    assert not first.binary
    assert second.hunks[0].lines == ("-1", "+2")


def test_carriage_returns_and_a_missing_last_newline(repository: Repository) -> None:
    base = repository.commit({"crlf": "a\r\nb\r\n", "last": "x\ny"})
    head = repository.commit({"crlf": "a\r\nc\r\n", "last": "x\ny\n"})
    crlf, last = difference(repository, base, head).files
    assert crlf.hunks[0].lines == (" a\r", "-b\r", "+c\r")
    assert last.hunks[0].lines == (" x", "-y", "+y")


def test_bytes_that_are_no_text(repository: Repository) -> None:
    base = repository.commit({"b": b"\0\1", "latin": b"caf\xe9\n"})
    head = repository.commit({"b": b"\0\2", "latin": b"th\xe9\n"})
    binary, latin = difference(repository, base, head).files
    assert binary.binary
    assert binary.hunks == ()
    assert latin.hunks[0].lines == ("-caf�", "+th�")


def test_a_change_of_mode_and_of_kind(repository: Repository) -> None:
    base = repository.commit({"run.sh": "x\n", "link": "target\n", "z": "1\n"})
    (repository.folder / "run.sh").chmod(0o755)
    (repository.folder / "link").unlink()
    (repository.folder / "link").symlink_to("z")
    head = repository.commit({"z": "2\n"})
    link, run, last = difference(repository, base, head).files
    assert (run.path, run.old_mode, run.new_mode, run.hunks) == ("run.sh", "100644", "100755", ())
    assert (link.path, link.old_mode, link.new_mode) == ("link", "100644", "120000")
    assert [hunk.lines for hunk in link.hunks] == [("-target",), ("+z",)]
    assert last.hunks[0].lines == ("-1", "+2")


@pytest.mark.real
def test_a_file_of_200_megabytes_costs_no_diff(repository: Repository) -> None:
    base = repository.commit({"a.py": "1\n", "z.py": "1\n"})
    head = repository.commit({"data.txt": b"0123456789abcde\n" * 13_000_000, "z.py": "2\n"})
    diff = difference(repository, base, head)
    large, small = diff.files
    assert (large.path, large.truncated, large.binary, large.hunks) == ("data.txt", True, False, ())
    assert small.hunks[0].lines == ("-1", "+2")
    assert diff.truncated


@pytest.mark.real
def test_five_thousand_files_are_capped_and_said(repository: Repository) -> None:
    base = repository.commit({"a": "1"})
    head = repository.commit({f"many/f{n:04}.txt": f"{n}\n" for n in range(5000)})
    diff = difference(repository, base, head)
    assert len(diff.files) == 3000
    assert diff.truncated
    assert diff.files[2999].hunks[0].lines == ("+2999",)


def test_long_changes_are_cut_by_file_and_as_a_whole(repository: Repository) -> None:
    base = repository.commit({"a": "1"})
    files = {"b": "x\n" * 50, "c": "y\n" * 10, "d": "y\n" * 10}
    head = repository.commit(files)
    by_lines = difference(repository, base, head, DiffLimits(lines_per_file=20))
    assert [(file.truncated, len(file.hunks)) for file in by_lines.files] == [
        (True, 0),
        (False, 1),
        (False, 1),
    ]
    by_bytes = difference(repository, base, head, DiffLimits(total_bytes=400))
    assert [file.path for file in by_bytes.files] == ["b", "c", "d"]
    assert [file.truncated for file in by_bytes.files] == [False, True, True]
    assert by_bytes.truncated
    assert by_lines.truncated


def test_a_lock_that_is_resolved_anew_cuts_nothing(repository: Repository) -> None:
    base = repository.commit({"a": "1"})
    files = {"pnpm-lock.yaml": "x\n" * 50, "of tests/yarn.lock": "y\n" * 50, "z": "z\n" * 10}
    head = repository.commit(files)
    diff = difference(repository, base, head, DiffLimits(lines_per_file=20))
    assert [len(file.hunks) for file in diff.files] == [1, 1, 1]
    assert not diff.truncated


def test_a_diff_that_takes_too_long_still_lists_the_files(repository: Repository) -> None:
    mirror_of = {"a": "".join(f"{n % 7}\n" for n in range(100_000))}
    base = repository.commit(mirror_of)
    head = repository.commit({"a": "".join(f"{n * n % 11}\n" for n in range(100_000))})
    diff = difference(repository, base, head, DiffLimits(patch_timeout_s=0.05))
    assert only(diff).truncated


def test_submodules_and_empty_files(repository: Repository) -> None:
    base = repository.commit({"a": "1"})
    repository.git("update-index", "--add", "--cacheinfo", f"160000,{base},sub")
    repository.git("commit", "-qm", "s")
    (repository.folder / "sub").mkdir()
    head = repository.commit({"zero": ""})
    changes = {file.path: file for file in difference(repository, base, head).files}
    assert changes["sub"].new_mode == "160000"
    assert changes["zero"].hunks == ()
