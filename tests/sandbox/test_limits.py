"""Where memory cgroups may be made, on folders laid out as the kernel lays them out."""

import os
import time
from pathlib import Path

import pytest

from sandbox.base import Killed, Limits
from sandbox.limits import (
    MEBIBYTE,
    V1,
    V2,
    DiskUse,
    DiskWatch,
    GroupParent,
    TreeMemory,
    find_group_parent,
    folder_use,
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
    assert (V1.limit, V2.limit) == ("memory.limit_in_bytes", "memory.max")


def test_a_process_holds_memory() -> None:
    held = bytearray(b"x" * (32 * MEBIBYTE))
    assert TreeMemory(os.getpid(), 0).held_bytes() > len(held)


def test_growth_is_noticed_and_what_was_there_is_not(tmp_path: Path) -> None:
    (tmp_path / "before").write_bytes(os.urandom(3 * MEBIBYTE))
    watch = DiskWatch([str(tmp_path)], Limits(disk_mb=2), scan_every_s=0)
    assert watch.passed() is None
    (tmp_path / "after").write_bytes(os.urandom(3 * MEBIBYTE))
    assert watch.passed() is Killed.DISK
    assert folder_use(str(tmp_path), DiskUse(1 << 40, 1 << 40)).bytes >= 6 * MEBIBYTE


def test_entries_are_counted_too(tmp_path: Path) -> None:
    """Empty files, folders and links take no bytes, and fill a disk all the same."""
    (tmp_path / "before").mkdir()
    watch = DiskWatch([str(tmp_path)], Limits(entries=9), scan_every_s=3600)
    for number in range(3):
        (tmp_path / f"file{number}").touch()
        (tmp_path / f"folder{number}").mkdir()
        (tmp_path / f"link{number}").symlink_to("nowhere")
    assert watch.passed(at_the_end=True) is None
    (tmp_path / "before/one-more").touch()
    assert watch.passed() in (None, Killed.ENTRIES)  # it need not have counted already
    assert watch.passed(at_the_end=True) is Killed.ENTRIES


def test_a_watch_without_folders_costs_nothing() -> None:
    started = time.monotonic()
    assert not any(DiskWatch([], Limits()).passed() for _ in range(1000))
    assert time.monotonic() - started < 10
