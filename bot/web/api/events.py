"""An evaluation as server-sent events: its stages as they begin, and how it ended.

Each stream keeps a thread of the web process, so they are few and short. A client that is cut off
(`EventSource` does so by itself) asks again and hears from the present stage on.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field

from pydantic import BaseModel

from bot.errors import Transient
from bot.web.api.models import ApiProblem

POLL_S = 0.5
HEARTBEAT_S = 10.0
LONGEST_S = 300.0
_RETRY_MS = 1_000


@dataclass(frozen=True, slots=True)
class Moment:
    """How an evaluation stands. `name` is the event's; the same `name` and `data` are told once."""

    name: str
    data: BaseModel
    is_last: bool


Look = Callable[[], Moment]
"""Asks how it stands now. May raise `Transient`."""


@dataclass(slots=True)
class Streams:
    """The places for streams of one web process.

    A reader who is gone keeps the place until the next heartbeat.
    """

    places: int
    longest_s: float = LONGEST_S
    heartbeat_s: float = HEARTBEAT_S
    poll_s: float = POLL_S
    _free: threading.BoundedSemaphore = field(init=False)

    def __post_init__(self) -> None:
        self._free = threading.BoundedSemaphore(max(self.places, 1))

    def opened(self, look: Look) -> Iterator[str] | None:
        """Return the events from now on; None where all places are taken.

        The place is given back when the stream ends, and when its reader is gone.
        """
        if self.places < 1 or not self._free.acquire(blocking=False):
            return None
        stream = self._held(look)
        next(stream)  # only what was begun gives its place back when nobody reads it
        return stream

    def _held(self, look: Look) -> Iterator[str]:
        try:
            yield ""
            yield from self._events(look)
        finally:
            self._free.release()

    def _events(self, look: Look) -> Iterator[str]:
        began_s = spoke_s = time.monotonic()
        told = ""
        yield f"retry: {_RETRY_MS}\n\n"
        while time.monotonic() - began_s < self.longest_s:
            moment, text = None, told
            with suppress(Transient, ApiProblem):  # asked again in a moment; or it is gone
                moment = look()
            if moment:
                data = moment.data.model_dump_json(by_alias=True)
                text = f"event: {moment.name}\ndata: {data}\n\n"
            if text != told:
                yield text
                told, spoke_s = text, time.monotonic()
                if moment and moment.is_last:
                    return
            elif time.monotonic() - spoke_s > self.heartbeat_s:
                yield ": still there\n\n"  # who does not read it any more is found out
                spoke_s = time.monotonic()
            time.sleep(self.poll_s)
