"""Faults on demand: the next N calls of an operation fail in a chosen way, as GitHub and networks do."""

from __future__ import annotations

import json
import socket
import threading
import time
from collections.abc import Iterable
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
        match fault.kind:
            case FaultKind.STATUS:
                said = json.dumps({"message": fault.message, "documentation_url": ""})
                headers, of = list(fault.headers), "application/json"
                return Response(said, fault.status, headers, content_type=of)(environ, start)
            case FaultKind.GARBAGE:
                return Response("<html>Unicorn!</html>", 200)(environ, start)
            case FaultKind.LATE:
                time.sleep(min(fault.seconds, LONGEST_HANG_S))
                return self.inner(environ, start)
            case FaultKind.HANG:
                time.sleep(min(fault.seconds, LONGEST_HANG_S))
            case FaultKind.CUT_AFTER:
                list(self.inner(environ, lambda *_: lambda _written: None))
        connection = environ.get("werkzeug.socket")
        if isinstance(connection, socket.socket):
            connection.shutdown(socket.SHUT_RDWR)
        return Response(status=500)(environ, start)  # goes nowhere: nobody listens any more

    def _next(self, operation: str) -> OrderedFault | None:
        with self._lock:
            self.calls[operation] = self.calls.get(operation, 0) + 1
            for index, fault in enumerate(self._orders):
                if fault.operation in {operation, EVERY} and operation:
                    left = fault.calls - 1
                    self._orders[index : index + 1] = [replace(fault, calls=left)] if left else []
                    return fault
        return None


def operation_of(app: Flask, environ: WSGIEnvironment) -> str:
    """GitHub's operation id of a request, or an empty string."""
    try:
        endpoint, _ = app.url_map.bind_to_environ(environ).match()
    except HTTPException:
        return ""
    # A blueprint's name comes before the first dot; operation ids hold none. "_forge" is no operation.
    blueprint, _, operation = str(endpoint).partition(".")
    return "" if blueprint.startswith("_") else operation
