"""What came of one command: its streams, which limit ended it, and the value that callers get."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass

from sandbox.base import Completed, Killed, Limits, SandboxError
from sandbox.bubblewrap.process import Ends, Pipes, ProcessTree, StatusLines
from sandbox.errors import HostTrouble
from sandbox.limits import MEBIBYTE, DiskWatch, MemoryGroup, TreeMemory, limit_reached
from sandbox.streams import Capped, HeadTail

_KILLED_TRIES = 3


@dataclass(frozen=True, slots=True)
class Streams:
    """Where one command's output goes."""

    out: HeadTail
    err: HeadTail
    channel: Capped
    status: StatusLines


@dataclass(frozen=True, slots=True)
class Bounds:
    """What watches over a command's memory and disk; without a group its processes are summed."""

    group: MemoryGroup | None
    disk: DiskWatch


def open_ends(pipes: Pipes, streams: Streams, *, wants_channel: bool) -> Ends:
    """Open the pipes into the streams; call inside the running loop."""
    return Ends(
        stdout=pipes.open(streams.out),
        stderr=pipes.open(streams.err),
        status=pipes.open(streams.status),
        channel=pipes.open(streams.channel) if wants_channel else None,
    )


async def first_end(
    tree: ProcessTree, limits: Limits, bounds: Bounds, overflowed: asyncio.Event
) -> Killed | None:
    """Wait for the program's end or the first limit that it runs into."""
    limit_bytes = limits.memory_mb * MEBIBYTE
    memory = bounds.group or TreeMemory(tree.pid, limit_bytes)
    ended = asyncio.create_task(tree.ended())
    overflow = asyncio.create_task(overflowed.wait())
    passed = asyncio.create_task(limit_reached(memory, limit_bytes, bounds.disk))
    tasks: tuple[asyncio.Task[None] | asyncio.Task[bool] | asyncio.Task[Killed], ...]
    tasks = (ended, overflow, passed)
    try:
        done, _ = await asyncio.wait(
            tasks, timeout=limits.timeout_s, return_when=asyncio.FIRST_COMPLETED
        )
        if ended in done:
            return None
        if overflow in done:
            return Killed.CHANNEL
        return passed.result() if passed in done else Killed.TIMEOUT
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.wait(tasks)


def kernel_killed(
    killed: Killed | None, streams: Streams, group: MemoryGroup | None
) -> Killed | None:
    """Memory, when the kernel killed for it and the program did not end well all the same."""
    if killed is None and group and streams.status.exit_code() != 0 and group.ran_out():
        return Killed.MEMORY
    return killed


def completed(streams: Streams, killed: Killed | None, seconds: float) -> Completed:
    """Put the result together.

    Raises SandboxError when the program was never started, HostTrouble when somebody killed its keeper.
    """
    exit_code = streams.status.exit_code()
    if exit_code is None and killed is None:
        said = streams.err.value().decode(errors="replace").strip()
        if failure := streams.status.failure() or (said if said.startswith("bwrap: ") else ""):
            raise SandboxError(failure)
        raise HostTrouble("A sandbox was killed on the machine that judges.", _KILLED_TRIES)
    return Completed(
        exit_code=None if killed else exit_code,
        stdout=streams.out.value(),
        stderr=streams.err.value(),
        seconds=seconds,
        killed=killed,
        truncated=streams.out.truncated or streams.err.truncated,
        channel=streams.channel.value(),
    )
