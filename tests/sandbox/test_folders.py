"""Folders of commands: what was copied is gone when their context ends, however often it is cancelled."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path
from typing import Any

from sandbox.base import Mount, MountMode
from sandbox.folders import FolderPolicy, Folders


def test_a_second_cancellation_waits_for_the_cleaning(tmp_path: Path) -> None:
    tree, copies = tmp_path / "tree", tmp_path / "copies"
    for number in range(40):
        (tree / f"{number}").mkdir(parents=True)
    for number in range(2_000):
        os.mknod(f"{tree}/{number % 40}/{number}")
    mount = Mount(str(tree), "/work/tree", MountMode.COPY_ON_WRITE)
    complaints: list[dict[str, Any]] = []

    async def staged(laid_out: asyncio.Event) -> None:
        policy = FolderPolicy(by_copy=True, owner=None)
        async with Folders(copies).prepared((mount,), policy) as (placed,):
            assert await asyncio.to_thread(Path(placed.source, "7", "7").is_file)
            laid_out.set()
            await asyncio.Event().wait()

    async def cancelled_twice() -> None:
        asyncio.get_running_loop().set_exception_handler(lambda _, one: complaints.append(one))
        laid_out = asyncio.Event()
        task = asyncio.create_task(staged(laid_out))
        await laid_out.wait()
        task.cancel()
        await asyncio.sleep(0.001)
        assert not task.done()
        task.cancel()
        await asyncio.wait([task])
        assert task.cancelled()

    asyncio.run(cancelled_twice())
    assert list(copies.iterdir()) == []
    assert complaints == []
