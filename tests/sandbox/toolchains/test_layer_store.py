"""Layers on disk: what lasts, what goes, and what a hostile build leaves in them."""

from __future__ import annotations

import os
import time
from pathlib import Path

from sandbox.toolchains.layers import evict, is_finished, publish, unfinished

DAY_S = 86400


async def make(folder: Path, size_bytes: int, age_days: float) -> Path:
    folder.parent.mkdir(parents=True, exist_ok=True)
    async with unfinished(folder) as temporary:
        (temporary / "layer/file").write_bytes(b"x" * size_bytes)
        publish(temporary, folder)
    then = time.time() - age_days * DAY_S
    os.utime(folder, (then, then))
    return folder


async def test_old_layers_go_and_used_ones_stay(tmp_path: Path) -> None:
    layers = tmp_path / "environments/repository/dependencies"
    old = await make(layers / "old", 10, age_days=40)
    used = await make(layers / "used", 10, age_days=40)
    assert is_finished(used)
    assert evict(tmp_path, older_than_days=30, max_bytes=10**9) > 0
    assert not old.exists()
    assert used.exists()


async def test_the_oldest_go_first_until_the_rest_fits(tmp_path: Path) -> None:
    layers = tmp_path / "environments/repository/dependencies"
    made = [await make(layers / str(age), 500_000, age_days=age) for age in (3, 2, 1, 0)]
    evict(tmp_path, older_than_days=30, max_bytes=1_200_000)
    assert [folder.exists() for folder in made] == [False, False, True, True]


async def test_a_layer_in_use_is_never_evicted(tmp_path: Path) -> None:
    layer = await make(tmp_path / "environments/repository/projects/new", 500_000, age_days=0)
    assert evict(tmp_path, older_than_days=0, max_bytes=0) == 0
    assert layer.exists()


async def test_a_published_layer_has_no_set_uid_no_pipe_and_can_be_read(tmp_path: Path) -> None:
    folder = tmp_path / "environments/repository/dependencies/digest"
    async with unfinished(folder) as temporary:
        program = temporary / "layer/program"
        program.write_text("")
        program.chmod(0o6700)
        (temporary / "layer/hidden").mkdir(mode=0o700)
        (temporary / "layer/hidden/link").symlink_to("/etc/passwd")
        os.mkfifo(temporary / "layer/pipe")
        publish(temporary, folder)
    assert (folder / "layer/program").stat().st_mode & 0o7777 == 0o755
    assert (folder / "layer/hidden").stat().st_mode & 0o7777 == 0o755
    assert not (folder / "layer/pipe").exists()
    assert (folder / "layer/hidden/link").is_symlink()


async def test_what_was_not_published_is_gone_and_leftovers_too(tmp_path: Path) -> None:
    folder = tmp_path / "environments/repository/dependencies/digest"
    leftover = folder.parent / ".digest.dead"
    (leftover / "layer").mkdir(parents=True)
    async with unfinished(folder) as temporary:
        assert (temporary / "layer").is_dir()
        assert not leftover.exists()
    assert list(folder.parent.iterdir()) == []
    assert not is_finished(folder)
