"""Faults on demand: the next N calls of an operation fail in a chosen way, as GitHub and networks do."""

from __future__ import annotations

import json
import socket
import threading
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import TYPE_CHECKING

from flask import Flask
from werkzeug.exceptions import HTTPException
from werkzeug.wrappers import Response

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIApplication, WSGIEnvironment

LONGEST_HANG_S = 120.0
EVERY = "*"


class FaultKind(StrEnum):
    """How a call fails."""

    STATUS = "status"  # answers `status` with `headers` and does nothing
    HANG = "hang"  # says nothing for `seconds`
    CUT = "cut"  # closes the connection before doing anything
    CUT_AFTER = "cut_after"  # does the work, then closes the connection: the answer is lost
    LATE = "late"  # does the work after `seconds`, and then answers
    GARBAGE = "garbage"  # answers 200 with a page that is no JSON


@dataclass(frozen=True, slots=True)
class OrderedFault:
    """One order to fail; `operation` is GitHub's operation id ("checks/create"), `*` for all."""

    operation: str
    kind: FaultKind
    calls: int = 1
    status: int = 500
    headers: tuple[tuple[str, str], ...] = ()
    message: str = "injected fault"
    seconds: float = 0.0


@dataclass(slots=True)
class Faults:
    """WSGI middleware; also counts the calls of every operation. Outermost, so no check sees them."""

    app: Flask
    inner: WSGIApplication
    calls: dict[str, int] = field(default_factory=dict)
    _orders: list[OrderedFault] = field(default_factory=list)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def order(self, fault: OrderedFault) -> None:
        """Adds a fault behind those that wait."""
        with self._lock:
            self._orders.append(fault)

    def clear(self) -> None:
        """Forgets all orders and counts."""
        with self._lock:
            self._orders.clear()
            self.calls.clear()

    def __call__(self, environ: WSGIEnvironment, start: StartResponse) -> Iterable[bytes]:
        """Serves a request, or fails it as ordered."""
        fault = self._next(operation_of(self.app, environ))
        if fault is None:
            return self.inner(environ, start)
        return _WAYS[fault.kind](self, fault, environ, start)

    def _next(self, operation: str) -> OrderedFault | None:
        with self._lock:
            self.calls[operation] = self.calls.get(operation, 0) + 1
            for index, fault in enumerate(self._orders):
                if fault.operation in {operation, EVERY} and operation:
                    left = fault.calls - 1
                    self._orders[index : index + 1] = [replace(fault, calls=left)] if left else []
                    return fault
        return None

    def _status(
        self, fault: OrderedFault, environ: WSGIEnvironment, start: StartResponse
    ) -> Iterable[bytes]:
        text = json.dumps({"message": fault.message, "documentation_url": ""})
        reply = Response(text, fault.status, list(fault.headers), content_type="application/json")
        return reply(environ, start)

    def _garbage(
        self, fault: OrderedFault, environ: WSGIEnvironment, start: StartResponse
    ) -> Iterable[bytes]:
        return Response("<html>Unicorn!</html>", 200)(environ, start)

    def _hang(
        self, fault: OrderedFault, environ: WSGIEnvironment, start: StartResponse
    ) -> Iterable[bytes]:
        time.sleep(min(fault.seconds, LONGEST_HANG_S))
        return self._cut(fault, environ, start)

    def _late(
        self, fault: OrderedFault, environ: WSGIEnvironment, start: StartResponse
    ) -> Iterable[bytes]:
        time.sleep(min(fault.seconds, LONGEST_HANG_S))
        return self.inner(environ, start)

    def _cut_after(
        self, fault: OrderedFault, environ: WSGIEnvironment, start: StartResponse
    ) -> Iterable[bytes]:
        list(self.inner(environ, _silent))
        return self._cut(fault, environ, start)

    def _cut(
        self, fault: OrderedFault, environ: WSGIEnvironment, start: StartResponse
    ) -> Iterable[bytes]:
        connection = environ.get("werkzeug.socket")
        if isinstance(connection, socket.socket):
            connection.shutdown(socket.SHUT_RDWR)
        return Response(status=500)(environ, start)  # goes nowhere: nobody listens any more


def operation_of(app: Flask, environ: WSGIEnvironment) -> str:
    """GitHub's operation id of a request, or an empty string."""
    try:
        endpoint, _ = app.url_map.bind_to_environ(environ).match()
    except HTTPException:
        return ""
    # A blueprint's name comes before the first dot; operation ids hold none. "_forge" is no operation.
    blueprint, _, operation = str(endpoint).partition(".")
    return "" if blueprint.startswith("_") else operation


def _silent(*_: object) -> Callable[[bytes], object]:
    return lambda _written: None


_WAYS = {
    FaultKind.STATUS: Faults._status,
    FaultKind.HANG: Faults._hang,
    FaultKind.CUT: Faults._cut,
    FaultKind.CUT_AFTER: Faults._cut_after,
    FaultKind.LATE: Faults._late,
    FaultKind.GARBAGE: Faults._garbage,
}
