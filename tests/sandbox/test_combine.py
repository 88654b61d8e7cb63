"""One side's code with named paths of the other side."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from sandbox.errors import CheckoutError
from sandbox.repository.combine import combine


def tree(folder: Path, files: dict[str, str]) -> Path:
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content)
    return folder


def read(folder: Path) -> dict[str, str]:
    return {
        str(path.relative_to(folder)): path.read_text()
        for path in folder.rglob("*")
        if path.is_file()
    }


@pytest.fixture
def head(tmp_path: Path) -> Path:
    return tree(
        tmp_path / "head",
        {"src/a.py": "head", "tests/test_a.py": "head", "tests/new.py": "head", "top": "head"},
    )


@pytest.fixture
def base(tmp_path: Path) -> Path:
    return tree(tmp_path / "base", {"src/a.py": "base", "tests/test_a.py": "base", "old": "base"})


def test_named_files_come_from_the_other_side(head: Path, base: Path, tmp_path: Path) -> None:
    paths = ["tests/test_a.py", "tests/new.py", "old", "nowhere/at/all"]
    out = combine(head, base, paths, tmp_path / "out")
    assert read(out) == {
        "src/a.py": "head",
        "tests/test_a.py": "base",
        "old": "base",
        "top": "head",
    }
    assert (out / "src/a.py").samefile(head / "src/a.py")
    assert read(head)["tests/test_a.py"] == "head"


def test_a_folder_is_replaced_whole(head: Path, base: Path, tmp_path: Path) -> None:
    out = combine(head, base, ["tests"], tmp_path / "out")
    assert set(read(out)) == {"src/a.py", "tests/test_a.py", "top"}
    assert read(out)["tests/test_a.py"] == "base"


def test_what_exists_is_returned_as_it_is(head: Path, base: Path, tmp_path: Path) -> None:
    out = combine(head, base, ["old"], tmp_path / "out")
    before = out.stat().st_ino
    assert combine(head, base, ["old"], out).stat().st_ino == before
    assert not list(tmp_path.glob("out.partial*"))


def test_links_of_one_side_are_not_followed(head: Path, base: Path, tmp_path: Path) -> None:
    """Head turns `tests` into a link to `src`: base's tests must not be written into the code."""
    (base / "back").symlink_to("src")
    (head / "linked").symlink_to("src")
    tree(base, {"linked/a.py": "base's own folder"})
    out = combine(head, base, ["linked/a.py", "back", "back/a.py"], tmp_path / "out")
    assert (out / "src/a.py").read_text() == "head"
    assert (out / "linked/a.py").read_text() == "base's own folder"
    assert (out / "back").is_symlink()


def test_a_deleted_path_behind_a_link_stays(head: Path, base: Path, tmp_path: Path) -> None:
    (head / "linked").symlink_to("src")
    out = combine(head, base, ["linked/a.py"], tmp_path / "out")
    assert (out / "src/a.py").read_text() == "head"


@pytest.mark.parametrize("path", ["../head/top", "/etc/passwd", "", "a//b", "a/./b", "a\0b"])
def test_paths_that_lead_out_are_refused(head: Path, base: Path, tmp_path: Path, path: str) -> None:
    with pytest.raises(CheckoutError):
        combine(head, base, [path], tmp_path / "out")
    assert not (tmp_path / "out").exists()
    assert not list(tmp_path.glob("out.partial*"))


def test_names_that_are_no_utf8(head: Path, base: Path, tmp_path: Path) -> None:
    (base / os.fsdecode(b"caf\xe9")).write_text("x")
    out = combine(head, base, ['"caf\\351"'], tmp_path / "out")
    assert (out / os.fsdecode(b"caf\xe9")).read_text() == "x"


@pytest.mark.skipif(not Path("/dev/shm").is_dir(), reason="needs a second file system")
def test_across_file_systems_files_are_copied(head: Path, base: Path) -> None:
    out = Path("/dev/shm") / f"assay-test-{os.getpid()}"
    combine(head, base, ["old"], out)
    try:
        assert read(out)["old"] == "base"
    finally:
        for path in sorted(out.rglob("*"), reverse=True):
            path.rmdir() if path.is_dir() else path.unlink()
        out.rmdir()
