"""Where memory cgroups may be made, on folders laid out as the kernel lays them out."""

import os
import time
from pathlib import Path

import pytest

from sandbox.limits import (
    MEBIBYTE,
    V1,
    V2,
    DiskWatch,
    GroupParent,
    TreeMemory,
    find_group_parent,
    folder_bytes,
)


def test_no_cgroup_is_no_parent(tmp_path: Path) -> None:
    assert find_group_parent("4:memory:/a\n0::/\n", tmp_path) is None


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_folder_that_cannot_be_written_is_no_parent(tmp_path: Path) -> None:
    (tmp_path / "memory").mkdir(mode=0o555)
    assert find_group_parent("4:memory:/\n", tmp_path) is None


def test_groups_of_gone_workers_are_swept(tmp_path: Path) -> None:
    namespace = Path("/proc/self/ns/pid").stat().st_ino
    gone, own = (tmp_path / f"assay-{namespace}-{pid}-ab" for pid in (4194304, os.getpid()))
    for folder in (gone, own, tmp_path / "other"):
        folder.mkdir()
    GroupParent(tmp_path, V1).sweep()
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted([own.name, "other"])


def test_both_interfaces_name_their_files() -> None:
    assert (V1.limits, V2.limits) == (("memory.limit_in_bytes",), ("memory.max",))


def test_a_process_holds_memory() -> None:
    held = bytearray(b"x" * (32 * MEBIBYTE))
    assert TreeMemory(os.getpid(), 0).held_bytes() > len(held)


def test_growth_is_noticed_and_what_was_there_is_not(tmp_path: Path) -> None:
    (tmp_path / "before").write_bytes(os.urandom(3 * MEBIBYTE))
    watch = DiskWatch([str(tmp_path)], 2 * MEBIBYTE, scan_every_s=0)
    assert not watch.is_over()
    (tmp_path / "after").write_bytes(os.urandom(3 * MEBIBYTE))
    assert watch.is_over()
    assert folder_bytes(str(tmp_path), 1 << 40) >= 6 * MEBIBYTE


def test_a_watch_without_folders_costs_nothing() -> None:
    started = time.monotonic()
    assert not any(DiskWatch([], 1).is_over() for _ in range(1000))
    assert time.monotonic() - started < 10
