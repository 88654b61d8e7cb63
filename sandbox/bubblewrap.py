"""The bubblewrap driver: one fresh set of namespaces for every command, 10-30 ms a start.

How a command is put together: `layout` says what it sees, `launch` prepares mounts and network in
a process of its own and becomes bubblewrap, `process` waits for it and kills it, `streams` reads
it, `limits` keeps it within bounds.
"""

from __future__ import annotations

import asyncio
import os
import resource
import secrets
import shutil
import subprocess
import sys
import time
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from sandbox import layout, network
from sandbox.base import Command, Completed, Killed, Limits, MountMode, Network, SandboxError
from sandbox.launch import CHANNEL_DESCRIPTOR, LaunchPlan, StagedMount
from sandbox.process import Ends, Pipes, ProcessTree, StatusLines, memory_file, start
from sandbox.streams import Capped, HeadTail

# Above every range that systemd and /etc/subuid hand out (systemd: UIDS-GIDS.md); one for each
# command, so that RLIMIT_NPROC counts that command alone.
_FIRST_UID = 0x7000_0000
_UIDS = 1 << 24

# `sandbox` is entered without its __init__, whose imports would cost 30 ms a start.
_BOOT = (
    "import sys, types; package = types.ModuleType('sandbox'); "
    "package.__path__ = [sys.argv.pop(1)]; sys.modules['sandbox'] = package; "
    "from sandbox.launch import main; main()"
)
_MEBIBYTE = 1 << 20
_DRAIN_TIMEOUT_S = 2.0


@dataclass(slots=True)
class _Outcome:
    """What ended the command, when it was a limit."""

    killed: Killed | None = None


def _program(name: str, package: str) -> str:
    path = shutil.which(name, path="/usr/bin:/bin:/usr/local/bin:/usr/sbin:/sbin")
    if path is None:
        raise SandboxError(f"{name} is not installed: apt-get install {package}")
    return path


def _check(command: Command) -> None:
    texts = [*command.argv, command.cwd, *(part for pair in command.environment for part in pair)]
    if not command.argv or any("\0" in text for text in texts):
        raise ValueError("argv must not be empty, and no text may hold a NUL character")
    if "=" in command.argv[0]:
        raise ValueError(f"a program's name cannot hold '=': {command.argv[0]!r}")
    if any(not name or "=" in name for name, _ in command.environment):
        raise ValueError("a variable's name cannot be empty or hold '='")
    layout.check_mounts(command.mounts)


class BubblewrapSandbox:
    """Runs commands by bubblewrap in mount, user, PID, IPC, UTS and network namespaces."""

    name = "bubblewrap"

    def __init__(self, state: Path) -> None:
        self._state = state
        self._bwrap = _program("bwrap", "bubblewrap")
        self._is_root = os.geteuid() == 0

    async def run(self, command: Command) -> Completed:
        """Run to the end or to a limit. See `Sandbox.run`. Raises SandboxError, ValueError."""
        _check(command)
        with ExitStack() as closing:
            return await self._run(command, closing)

    async def _run(self, command: Command, closing: ExitStack) -> Completed:
        limits = command.limits
        outcome, overflowed = _Outcome(), asyncio.Event()
        out, err = HeadTail(limits.output_bytes), HeadTail(limits.output_bytes)
        channel, status = Capped(command.channel_bytes, overflowed.set), StatusLines()
        pipes = Pipes(closing)
        closing.callback(pipes.close_writing_ends)
        ends = Ends(
            stdout=pipes.open(out),
            stderr=pipes.open(err),
            status=pipes.open(status),
            channel=pipes.open(channel) if command.channel_bytes > 0 else None,
        )
        started = time.monotonic()
        process = self._start(command, ends, closing)
        pipes.close_writing_ends()
        async with ProcessTree(process, status) as tree:
            outcome.killed = await _first_end(tree, limits, overflowed)
        seconds = time.monotonic() - started
        await pipes.drained(_DRAIN_TIMEOUT_S)
        exit_code = status.exit_code()
        if exit_code is None and outcome.killed is None:
            raise SandboxError(status.failure() or err.value().decode(errors="replace").strip())
        return Completed(
            exit_code=None if outcome.killed else exit_code,
            stdout=out.value(),
            stderr=err.value(),
            seconds=seconds,
            killed=outcome.killed,
            truncated=out.truncated or err.truncated,
            channel=channel.value(),
        )

    def _start(self, command: Command, ends: Ends, closing: ExitStack) -> subprocess.Popen[bytes]:
        mounts = layout.in_mounting_order(command.mounts)
        variables = layout.environment(command, ())
        if ends.channel is not None:
            variables["ASSAY_CHANNEL_FD"] = str(CHANNEL_DESCRIPTOR)
        options = layout.bubblewrap_options(command, mounts, variables, ends.status)
        arguments = memory_file("bwrap", os.fsencode("\0".join(options) + "\0"), closing)
        bwrap = (self._bwrap, "--args", str(arguments), "--", *_program_argv(command))
        plan = memory_file("plan", self._plan(command, bwrap, ends).to_json().encode(), closing)
        launcher = [sys.executable, "-I", "-S", "-c", _BOOT, str(Path(__file__).parent)]
        stdin = memory_file("stdin", command.stdin, closing)
        return start([*launcher, str(plan), str(ends.status)], stdin, ends, (arguments, plan))

    def _plan(self, command: Command, bwrap: tuple[str, ...], ends: Ends) -> LaunchPlan:
        limits, connected = command.limits, command.network is Network.BUILD
        return LaunchPlan(
            parent=os.getpid(),
            drop_to=_FIRST_UID + secrets.randbelow(_UIDS) if self._is_root else None,
            mounts=tuple(self._staged(command)),
            scratch_bytes=limits.disk_mb * _MEBIBYTE,
            scratch_inodes=100_000 + 50 * limits.disk_mb,
            scratch_folders=layout.SCRATCH_FOLDERS,
            etc=layout.generated_etc(network.RESOLVER if connected else None),
            cgroups=(),
            rlimits=_rlimits(limits),
            slirp=network.slirp_argv(_program("slirp4netns", "slirp4netns")) if connected else (),
            routes=network.refused_routes() if connected else (),
            channel=ends.channel,
            argv=bwrap,
        )

    def _staged(self, command: Command) -> list[StagedMount]:
        staged = []
        for mount in layout.in_mounting_order(command.mounts):
            source = Path(mount.source)
            if not source.exists():
                raise SandboxError(f"nothing to mount at {mount.source!r}")
            overlay = mount.mode is MountMode.COPY_ON_WRITE and source.is_dir()
            staged.append(StagedMount(str(source.resolve()), overlay, self._is_root))
        return staged


def _program_argv(command: Command) -> tuple[str, ...]:
    # `env` turns a missing program into 127 and a missing folder into 125, as a shell would.
    return ("/usr/bin/env", "-u", "PWD", f"--chdir={command.cwd}", "--", *command.argv)


def _rlimits(limits: Limits) -> tuple[tuple[int, int], ...]:
    own_processes = 4  # bubblewrap outside and inside, slirp4netns, env
    return (
        (resource.RLIMIT_NPROC, limits.processes + own_processes),
        (resource.RLIMIT_FSIZE, limits.file_size_mb * _MEBIBYTE),
        (resource.RLIMIT_CORE, 0),
        (resource.RLIMIT_NOFILE, 65536),
    )


async def _first_end(tree: ProcessTree, limits: Limits, overflowed: asyncio.Event) -> Killed | None:
    """Wait for the program's end or the first limit that it runs into."""
    ended = asyncio.create_task(tree.ended())
    overflow = asyncio.create_task(overflowed.wait())
    try:
        done, _ = await asyncio.wait(
            {ended, overflow}, timeout=limits.timeout_s, return_when=asyncio.FIRST_COMPLETED
        )
        if overflow in done:
            return Killed.CHANNEL
        return None if ended in done else Killed.TIMEOUT
    finally:
        for task in (ended, overflow):
            task.cancel()
