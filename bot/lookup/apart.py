"""Runs one of Assay's small programs in a process that can be ended: its input is untrusted."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

from bot.lookup.base import Refused

_PROGRAMS = Path(__file__).parent / "inside"


async def run_apart(program: str, given: bytes, timeout_s: float) -> bytes:
    """What a program of `inside` answers to its input. Raises Refused when it fails or takes too long."""
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-I",
        str(_PROGRAMS / program),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.DEVNULL,
        env={},
    )
    try:
        async with asyncio.timeout(timeout_s):
            said, _ = await process.communicate(given)
    except TimeoutError as error:
        raise Refused("The program took too long.") from error
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
    if process.returncode:
        raise Refused("The program failed.")
    return said
