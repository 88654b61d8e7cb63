"""What a command left is made harmless to keep."""

import os
from pathlib import Path

import pytest

from sandbox.folders import make_harmless


@pytest.fixture
def out(tmp_path: Path) -> Path:
    folder = tmp_path / "out"
    (folder / "a").mkdir(parents=True)
    (folder / "a/file").write_bytes(b"0123456789")
    return folder


def test_harmless_keeps_links_and_removes_pipes(out: Path) -> None:
    os.mkfifo(out / "a/pipe")
    (out / "link").symlink_to("/etc/passwd")
    (out / "a/file").chmod(0o6000)
    (out / "a").chmod(0)
    make_harmless(out)
    assert sorted(path.name for path in out.rglob("*")) == ["a", "file", "link"]
    assert (out / "a/file").stat().st_mode & 0o7777 == 0o400
