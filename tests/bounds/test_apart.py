"""What strangers' texts cost can be ended: a large reading is a process."""

from __future__ import annotations

import asyncio
import os
import re
import time
from contextlib import suppress
from pathlib import Path

import pytest

from bot.apart import SMALL_BYTES, apart
from bot.errors import OutOfTime, UserError

pytestmark = pytest.mark.real

LARGE = "a" * (SMALL_BYTES + 1)


def catastrophe(text: str) -> bool:
    """As bad as a regular expression can be."""
    return re.fullmatch(r"(a|a)*b", text[:60]) is not None


def size(text: str) -> tuple[int, int]:
    return os.getpid(), len(text)


def environment(_text: str) -> dict[str, str]:
    return dict(os.environ)


def refused(text: str) -> None:
    raise UserError(f"{len(text)} characters are too many.", "Split it.")


def hungry(text: str) -> int:
    return len(bytearray(6 << 30)) + len(text)


def children() -> set[int]:
    """The processes that this one started, as the kernel lists them."""
    found: set[int] = set()
    for task in Path("/proc/self/task").iterdir():
        with suppress(OSError):
            found |= {int(pid) for pid in (task / "children").read_text().split()}
    return found


async def test_only_what_is_large_has_a_process_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PRIVATE_KEY", "secret")

    assert await apart(60, size, "abc") == (os.getpid(), 3)
    pid, length = await apart(60, size, LARGE)
    assert pid != os.getpid()
    assert length == len(LARGE)
    assert "PRIVATE_KEY" not in await apart(60, environment, LARGE)


async def test_the_limit_ends_what_never_ends_and_holds_nobody_up() -> None:
    before, beats = children(), 0

    async def beat() -> None:
        nonlocal beats
        while True:
            await asyncio.sleep(0.05)
            beats += 1

    beating = asyncio.create_task(beat())
    began = time.monotonic()
    with pytest.raises(OutOfTime, match="did not end within"):
        await apart(3, catastrophe, LARGE)
    beating.cancel()

    assert time.monotonic() - began < 30
    assert beats > 10
    assert children() <= before


async def test_a_cancelled_reading_leaves_no_process() -> None:
    before = children()
    reading = asyncio.create_task(apart(600, catastrophe, LARGE))
    await asyncio.sleep(1)
    assert children() > before
    reading.cancel()
    with pytest.raises(asyncio.CancelledError):
        await reading

    assert children() <= before


async def test_what_it_says_to_the_asker_comes_through_and_memory_has_an_end() -> None:
    with pytest.raises(UserError, match="are too many"):
        await apart(60, refused, LARGE)
    with pytest.raises(UserError, match="its own process for that failed"):
        await apart(60, hungry, LARGE)
