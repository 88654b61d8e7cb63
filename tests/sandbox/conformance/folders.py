"""Mounted host folders: read only, writable, copy on write."""

import os
import stat
import time
from pathlib import Path

import pytest

from sandbox.base import TREE, Mount, MountMode, Sandbox
from sandbox.toolchains.tree import Tree
from tests.sandbox.conformance.running import program, shell


def snapshot(folder: Path) -> dict[str, tuple[object, ...]]:
    found: dict[str, tuple[object, ...]] = {}
    for path in sorted(folder.rglob("*")):
        status = path.lstat()
        content = path.read_bytes() if path.is_file() else b""
        found[str(path)] = (status.st_mode, status.st_uid, status.st_mtime_ns, content)
    return found


class Folders:
    @pytest.fixture
    def tree(self, tmp_path: Path) -> Path:
        """A folder as git exports it: usual modes, a program, a link, a name that is no UTF-8."""
        folder = tmp_path / "tree"
        (folder / "pkg").mkdir(parents=True)
        (folder / "pkg/code.py").write_text("x = 1\n")
        (folder / "run.sh").write_text("#!/bin/sh\necho ran\n")
        (folder / "run.sh").chmod(0o755)
        (folder / "link").symlink_to("pkg/code.py")
        Path(os.fsdecode(os.fsencode(folder) + b"/\xff\xfe")).write_text("odd\n")
        return folder

    async def test_read_only_can_be_read_and_run_but_not_changed(
        self, sandbox: Sandbox, tree: Path
    ) -> None:
        before = snapshot(tree)
        script = "cat pkg/code.py link; ./run.sh; cat ?? | tail -1; rm -f pkg/code.py; echo > new"
        done = await shell(sandbox, script, mounts=(Mount(str(tree), TREE),), cwd=TREE)
        assert done.stdout.startswith(b"x = 1\nx = 1\nran\n")
        assert done.exit_code != 0
        assert snapshot(tree) == before

    async def test_copy_on_write_acts_as_an_own_tree_and_leaves_the_folder_alone(
        self, sandbox: Sandbox, tree: Path
    ) -> None:
        before = snapshot(tree)
        script = (
            "set -e; echo y >> pkg/code.py; mv pkg lib; cat lib/code.py; rm run.sh; mkdir pkg;"
            "echo new > pkg/new; rm link; chmod 700 .; rm -r lib; touch *; ls; test -O . && test -O pkg"
        )
        mounts = (Mount(str(tree), TREE, MountMode.COPY_ON_WRITE),)
        done = await shell(sandbox, script, mounts=mounts, cwd=TREE)
        assert (done.exit_code, done.stdout[:8]) == (0, b"x = 1\ny\n"), done
        assert snapshot(tree) == before

    async def test_each_command_starts_from_the_folder_again(
        self, sandbox: Sandbox, tree: Path
    ) -> None:
        mounts = (Mount(str(tree), TREE, MountMode.COPY_ON_WRITE),)
        for _ in range(2):
            done = await shell(sandbox, "ls; touch planted", mounts=mounts, cwd=TREE)
            assert b"planted" not in done.stdout
            assert done.exit_code == 0

    async def test_a_single_file_can_be_copied_on_write(self, sandbox: Sandbox, tree: Path) -> None:
        mounts = (Mount(str(tree / "run.sh"), "/data/run.sh", MountMode.COPY_ON_WRITE),)
        done = await shell(sandbox, "echo changed > /data/run.sh; cat /data/run.sh", mounts=mounts)
        assert done.stdout == b"changed\n"
        assert "ran" in (tree / "run.sh").read_text()

    async def test_mounts_nest(self, sandbox: Sandbox, tree: Path, tmp_path: Path) -> None:
        (tmp_path / "deps").mkdir()
        (tmp_path / "deps/dep.py").write_text("d\n")
        mounts = (
            Mount(str(tmp_path / "deps"), f"{TREE}/.venv/deps"),
            Mount(str(tree), TREE, MountMode.COPY_ON_WRITE),
        )
        done = await shell(sandbox, "cat .venv/deps/dep.py link", mounts=mounts, cwd=TREE)
        assert done.stdout == b"d\nx = 1\n"

    async def test_what_is_written_belongs_to_the_worker(
        self, sandbox: Sandbox, tmp_path: Path
    ) -> None:
        out = tmp_path / "out"
        out.mkdir()
        (out / "given").write_text("1")
        script = (
            "set -e; cd /out; echo 2 >> given; mkdir -p a/b; echo r > a/b/r; chmod 0 a/b/r a/b;"
            "cp /bin/sh suid; chmod 6755 suid; mkfifo pipe; ln -s /etc/passwd link"
        )
        done = await shell(sandbox, script, mounts=(Mount(str(out), "/out", MountMode.WRITABLE),))
        assert (done.exit_code, done.stderr) == (0, b"")
        moved = out.rename(tmp_path / "moved")
        assert (moved / "a/b/r").read_text() == "r\n"
        assert (moved / "given").read_text() == "12\n"
        assert {path.lstat().st_uid for path in moved.rglob("*")} == {os.geteuid()}
        assert not (moved / "suid").stat().st_mode & (stat.S_ISUID | stat.S_ISGID)
        assert not (moved / "pipe").exists()

    async def test_links_do_not_lead_the_worker_out(self, sandbox: Sandbox, tmp_path: Path) -> None:
        out, secret = tmp_path / "out", tmp_path / "secret"
        out.mkdir()
        secret.write_text("host")
        script = f"cd /out; ln -s {secret} file; ln -s {tmp_path} dir; echo ok > real; cat file"
        done = await shell(sandbox, script, mounts=(Mount(str(out), "/out", MountMode.WRITABLE),))
        assert b"host" not in done.stdout
        assert Tree(out).read("real") == "ok\n"
        for name in ("file", "dir/secret", "../secret", str(secret), "none", "."):
            assert Tree(out).read(name) == ""

    async def test_a_link_in_the_tree_does_not_reach_the_host(
        self, sandbox: Sandbox, tree: Path, tmp_path: Path
    ) -> None:
        (tmp_path / "secret").write_text("host")
        (tree / "out").symlink_to(tmp_path / "secret")
        (tree / "up").symlink_to("../secret")
        mounts = (Mount(str(tree), TREE, MountMode.COPY_ON_WRITE),)
        done = await shell(sandbox, "cat out up; echo x > up", mounts=mounts, cwd=TREE)
        assert done.stdout == b""
        assert (tmp_path / "secret").read_text() == "host"

    async def test_a_large_tree_starts_as_fast_as_a_small_one(
        self, sandbox: Sandbox, tmp_path: Path
    ) -> None:
        large = tmp_path / "large"
        for folder in range(20):
            (large / str(folder)).mkdir(parents=True)
            for name in range(100):
                (large / str(folder) / str(name)).touch()
        mounts = (Mount(str(large), TREE, MountMode.COPY_ON_WRITE),)
        started = time.monotonic()
        done = await program(sandbox, "find", ".", "-type", "f", mounts=mounts, cwd=TREE)
        assert done.stdout.count(b"\n") == 2000
        assert time.monotonic() - started < 60  # a tenth of a second on an idle machine
