"""Runs a pure function over strangers' texts: in a thread where they are small, else in a process of its own.

A thread cannot be ended, and one regular expression holds all others up; a process can be killed. It
starts with an empty environment and knows nothing but the function and its arguments.
"""

from __future__ import annotations

import asyncio
import ctypes
import pickle
import resource
import signal
import sys
from collections.abc import Callable
from typing import ParamSpec, TypeVar

from bot.errors import OutOfTime, UserError

P = ParamSpec("P")
T = TypeVar("T")

SMALL_BYTES = 400_000
"""What is read in a moment whatever it says; starting a process takes half a second."""
_MEMORY_BYTES = 4 << 30
_DIE_WITH_PARENT = 1  # PR_SET_PDEATHSIG
_PROGRAM = "import sys; sys.path[:] = sys.argv[1:]; from bot.apart import answer; answer()"


async def apart(
    timeout_s: float, function: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs
) -> T:
    """Return what the function returns. Raises OutOfTime, and UserError where it needs too much memory.

    The arguments, and how much they are, decide where it runs. A cancelled call ends the process.
    """
    given = await asyncio.to_thread(pickle.dumps, (function, args, kwargs))
    if len(given) <= SMALL_BYTES:
        return await asyncio.to_thread(function, *args, **kwargs)
    try:
        said = await run_child((sys.executable, "-I", "-c", _PROGRAM, *sys.path), given, timeout_s)
    except TimeoutError as error:
        raise OutOfTime(
            f"Reading the change and the task did not end within {timeout_s / 60:g} minutes.",
            "Split what is very large, or raise `limits.minutes` in .github/assay.yml on the base branch.",
        ) from error
    except ChildProcessError as error:
        raise UserError(
            "Assay could not read the change and the task: its own process for that failed "
            f"(exit code {error}).",
            "Split what is very large. The log of Assay's worker says more.",
        ) from error
    value: T | UserError = await asyncio.to_thread(pickle.loads, said)
    if isinstance(value, UserError):
        raise value
    return value


async def run_child(
    argv: tuple[str, ...], given: bytes, timeout_s: float, *, is_silent: bool = False
) -> bytes:
    """Return what a program of ours answers to its input; `is_silent` keeps its complaints out of the log.

    It starts with an empty environment, and has ended when this returns or is cancelled. Raises
    TimeoutError, and ChildProcessError with the exit code.
    """
    process = await asyncio.create_subprocess_exec(
        *argv,
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.DEVNULL if is_silent else None,
        env={},
    )
    try:
        async with asyncio.timeout(timeout_s):
            said, _ = await process.communicate(given)
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
    if process.returncode:
        raise ChildProcessError(process.returncode)
    return said


def answer() -> None:
    """Be the process: read the function and its arguments, write what it returns or tells the asker."""
    ctypes.CDLL(None).prctl(_DIE_WITH_PARENT, signal.SIGKILL)
    resource.setrlimit(resource.RLIMIT_AS, (_MEMORY_BYTES, _MEMORY_BYTES))

    function, args, kwargs = pickle.load(sys.stdin.buffer)  # noqa: S301  written by `apart`
    try:
        value = function(*args, **kwargs)
    except UserError as error:
        value = error
    pickle.dump(value, sys.stdout.buffer)
