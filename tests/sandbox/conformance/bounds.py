"""Limits: time, memory, processes, files, disk; and that nothing is left alive."""

import asyncio
import contextlib
import time
from dataclasses import replace
from pathlib import Path

import pytest

from sandbox.base import Killed, Mount, MountMode, Sandbox
from tests.sandbox.conformance.running import SMALL, python, shell

_DAEMON = (
    "import os, time\n"
    "if os.fork() == 0:\n"
    "    os.setsid()\n"
    "    if os.fork() == 0:\n"
    "        while True:\n"
    "            open('/out/beat', 'a').write('x'); time.sleep(0.05)\n"
    "    os._exit(0)\n"
)


def at_out(folder: Path) -> tuple[Mount, ...]:
    return (Mount(str(folder), "/out", MountMode.WRITABLE),)


def size_of(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.iterdir())


async def assert_still(out: Path) -> None:
    """The daemon wrote, and writes no more."""
    size = (out / "beat").stat().st_size
    await asyncio.sleep(0.3)
    assert 0 < size == (out / "beat").stat().st_size


class Bounds:
    @pytest.fixture
    def out(self, tmp_path: Path) -> Path:
        folder = tmp_path / "out"
        folder.mkdir()
        return folder

    async def test_timeout_kills_daemons_too(self, sandbox: Sandbox, out: Path) -> None:
        started = time.monotonic()
        limits = replace(SMALL, timeout_s=3)
        done = await python(sandbox, _DAEMON + "time.sleep(600)", mounts=at_out(out), limits=limits)
        assert (done.exit_code, done.killed) == (None, Killed.TIMEOUT)
        assert time.monotonic() - started < 300
        await assert_still(out)

    async def test_a_program_that_ignores_signals_is_killed(self, sandbox: Sandbox) -> None:
        script = "trap '' TERM INT HUP; echo up; while :; do sleep 1; done"
        done = await shell(sandbox, script, limits=replace(SMALL, timeout_s=2))
        assert (done.killed, done.stdout) == (Killed.TIMEOUT, b"up\n")

    async def test_the_end_of_the_program_ends_its_daemons(
        self, sandbox: Sandbox, out: Path
    ) -> None:
        wrote = "os.path.exists('/out/beat') and os.path.getsize('/out/beat')"
        until_it_wrote = f"while not ({wrote}): time.sleep(0.01)"
        done = await python(sandbox, _DAEMON + until_it_wrote, mounts=at_out(out))
        assert done.exit_code == 0
        await assert_still(out)

    async def test_cancelling_kills(self, sandbox: Sandbox, out: Path) -> None:
        script = _DAEMON + "time.sleep(60)"
        task = asyncio.create_task(python(sandbox, script, mounts=at_out(out)))
        for _ in range(1200):
            await asyncio.sleep(0.05)
            if (out / "beat").exists() and (out / "beat").stat().st_size:
                break
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        await assert_still(out)

    async def test_a_fork_bomb_stays_inside(self, sandbox: Sandbox) -> None:
        script = "bomb() { bomb | bomb & }; bomb; sleep 60"
        bomb = shell(sandbox, script, limits=replace(SMALL, timeout_s=1.5, processes=40))
        beside = shell(sandbox, "sleep 0.7; echo fine")
        bombed, done = await asyncio.gather(bomb, beside)
        assert bombed.killed is Killed.TIMEOUT or bombed.exit_code is not None
        assert done.stdout == b"fine\n"

    async def test_processes_are_counted(self, sandbox: Sandbox) -> None:
        script = (
            "import os, time\ncount = 0\ntry:\n"
            "    while count < 500:\n"
            "        if os.fork() == 0: time.sleep(30); os._exit(0)\n"
            "        count += 1\n"
            "except BlockingIOError: pass\nprint(count)"
        )
        done = await python(sandbox, script, limits=replace(SMALL, processes=30))
        assert 20 <= int(done.stdout) <= 40

    async def test_memory_is_bounded(self, sandbox: Sandbox) -> None:
        script = (
            "import time; held = bytearray(600 << 20); time.sleep(50); print('kept', len(held))"
        )
        done = await python(sandbox, script, limits=replace(SMALL, memory_mb=200))
        assert (done.exit_code, done.killed, done.stdout) == (None, Killed.MEMORY, b"")

    async def test_memory_of_many_processes_counts_together(self, sandbox: Sandbox) -> None:
        script = (
            "import os, time\n"
            "for _ in range(6):\n"
            "    if os.fork() == 0: held = bytearray(60 << 20); time.sleep(60)\n"
            "time.sleep(60)"
        )
        done = await python(sandbox, script, limits=replace(SMALL, memory_mb=200))
        assert done.killed is Killed.MEMORY

    async def test_memory_counts_though_those_left_hold_less(self, sandbox: Sandbox) -> None:
        """The kernel may kill one of two, and what is left then looks small enough."""
        script = (
            "import os, time\n"
            "for _ in range(2):\n"
            "    if os.fork() == 0: held = bytearray(150 << 20); time.sleep(60)\n"
            "time.sleep(60)"
        )
        done = await python(sandbox, script, limits=replace(SMALL, memory_mb=200))
        assert done.killed is Killed.MEMORY

    async def test_file_size_is_bounded(self, sandbox: Sandbox) -> None:
        limits = replace(SMALL, file_size_mb=1)
        done = await shell(sandbox, "head -c 5000000 /dev/zero > big; wc -c < big", limits=limits)
        assert int(done.stdout) <= 1 << 20

    @pytest.mark.parametrize("folder", ["/tmp", "/dev/shm", "$HOME", "/work/tree", "/var/tmp"])
    async def test_scratch_space_is_bounded(self, sandbox: Sandbox, out: Path, folder: str) -> None:
        script = (
            f"cd {folder}; i=0; while [ $i -lt 8 ]; do"
            " head -c 10000000 /dev/zero > f$i || exit 28; i=$((i+1)); done"
        )
        mounts = (Mount(str(out), "/work/tree", MountMode.COPY_ON_WRITE),)
        done = await shell(sandbox, script, mounts=mounts, limits=replace(SMALL, disk_mb=40))
        assert done.exit_code == 28 or done.killed is Killed.DISK, done

    async def test_writable_folders_are_bounded(self, sandbox: Sandbox, out: Path) -> None:
        script = (
            "i=0; while [ $i -lt 2000 ]; do head -c 1000000 /dev/zero > /out/f$i || exit 28;"
            " i=$((i+1)); sleep 0.005; done"
        )
        limits = replace(SMALL, disk_mb=40)
        done = await shell(sandbox, script, mounts=at_out(out), limits=limits)
        assert done.killed is Killed.DISK
        assert size_of(out) < 400_000_000

    async def test_entries_are_bounded(self, sandbox: Sandbox, out: Path) -> None:
        script = "i=0; while [ $i -lt 4000 ]; do : > {0}/f$i || exit 28; i=$((i+1)); done"
        limits = replace(SMALL, entries=2000)
        done = await shell(sandbox, script.format("/out"), mounts=at_out(out), limits=limits)
        assert done.killed is Killed.ENTRIES
        done = await shell(sandbox, script.format("/tmp"), limits=limits)
        assert done.exit_code in {2, 28}, done

    async def test_many_run_side_by_side(self, sandbox: Sandbox) -> None:
        async with asyncio.timeout(30):
            runs = [
                shell(sandbox, f"echo {number} > $TMPDIR/n; cat $TMPDIR/n") for number in range(16)
            ]
            done = await asyncio.gather(*runs)
        assert [int(each.stdout) for each in done] == list(range(16))

    async def test_cancelling_at_any_moment_is_clean(self, sandbox: Sandbox) -> None:
        for step in range(8):
            task = asyncio.create_task(shell(sandbox, "sleep 30"))
            await asyncio.sleep(step * 0.008)
            task.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await task
        assert (await shell(sandbox, "echo fine")).stdout == b"fine\n"
