"""What a worker killed while a sandbox was being set up leaves behind, and that the next one ends it."""

from __future__ import annotations

import asyncio
import os
import select
import subprocess
import time
from contextlib import ExitStack
from pathlib import Path

import pytest

from sandbox.base import Command
from sandbox.bubblewrap.driver import BubblewrapSandbox
from sandbox.bubblewrap.process import memory_file
from sandbox.layout import program_argv

pytestmark = pytest.mark.real

OPTIONS = ("--unshare-user", "--unshare-pid", "--ro-bind", "/", "/", "--proc", "/proc")
SLEEP = Command(("sleep", "60"), cwd="/")


def _init_of(monitor: int) -> int:
    """The pid of the init that `bwrap` started, once it runs the program."""
    for _ in range(600):
        time.sleep(0.05)
        inits = Path(f"/proc/{monitor}/task/{monitor}/children").read_text().split()
        if inits and Path(f"/proc/{inits[0]}/task/{inits[0]}/children").read_text():
            return int(inits[0])
    raise AssertionError("the program never ran")


def _is_dead(pidfd: int, timeout_s: float) -> bool:
    return bool(select.select([pidfd], [], [], timeout_s)[0])


def test_an_init_without_its_bubblewrap_is_ended(tmp_path: Path) -> None:
    driver = BubblewrapSandbox(tmp_path / "state")
    with ExitStack() as closing:
        options = memory_file("bwrap", "\0".join((*OPTIONS, "")).encode(), closing)
        argv = ["/usr/bin/bwrap", "--args", str(options), "--", *program_argv(SLEEP)]
        monitor = subprocess.Popen(argv, pass_fds=(options,))
        init = os.pidfd_open(_init_of(monitor.pid))
        closing.callback(os.close, init)
        driver.sweep()
        assert not _is_dead(init, 0.2), "its bubblewrap still lives"
        monitor.kill()
        monitor.wait()
        driver.sweep()  # that of another process on this machine may be before it
        assert _is_dead(init, 30)


def test_a_running_command_outlives_a_sweep(tmp_path: Path) -> None:
    driver = BubblewrapSandbox(tmp_path / "state")

    async def swept_while_running() -> int | None:
        running = asyncio.create_task(driver.run(Command(("sleep", "1"), cwd="/")))
        for _ in range(8):
            await asyncio.sleep(0.1)
            await asyncio.to_thread(driver.sweep)
        return (await running).exit_code

    assert asyncio.run(swept_while_running()) == 0
