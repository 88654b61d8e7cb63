"""Reading what a command left, with every trick that its names allow."""

import os
from pathlib import Path

import pytest

from sandbox.folders import make_harmless, read_output


@pytest.fixture
def out(tmp_path: Path) -> Path:
    folder = tmp_path / "out"
    (folder / "a").mkdir(parents=True)
    (folder / "a/file").write_bytes(b"0123456789")
    (tmp_path / "secret").write_text("host")
    return folder


def test_a_regular_file_is_read_up_to_the_cap(out: Path) -> None:
    assert read_output(out, "a/file", 4) == b"0123"


@pytest.mark.parametrize(
    "name", ["none", "a", ".", "../secret", "a/../../secret", "/etc/passwd", "p"]
)
def test_anything_else_is_not_there(out: Path, name: str) -> None:
    os.mkfifo(out / "p")
    assert read_output(out, name, 4) is None


def test_links_are_not_followed(out: Path, tmp_path: Path) -> None:
    (out / "file").symlink_to(tmp_path / "secret")
    (out / "folder").symlink_to(tmp_path)
    assert read_output(out, "file", 4) is None
    assert read_output(out, "folder/secret", 4) is None


def test_harmless_keeps_links_and_removes_pipes(out: Path) -> None:
    os.mkfifo(out / "a/pipe")
    (out / "link").symlink_to("/etc/passwd")
    (out / "a/file").chmod(0o6000)
    (out / "a").chmod(0)
    make_harmless(out)
    assert sorted(path.name for path in out.rglob("*")) == ["a", "file", "link"]
    assert (out / "a/file").stat().st_mode & 0o7777 == 0o400
