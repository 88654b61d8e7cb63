"""What gunicorn needs beside its own: slow senders make room for others, a broken body is the sender's fault.

gunicorn's threads read a request to its end however long that takes. Here nobody may take longer than
READ_S, and where all threads are busy the one that has been reading longest is cut off: `/healthz`
answers whatever comes in.
"""

from __future__ import annotations

import socket
import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from typing import Any
from wsgiref.types import InputStream, StartResponse, WSGIApplication, WSGIEnvironment

from gunicorn.http.errors import NoMoreData, ParseException  # type: ignore[import-untyped]
from gunicorn.workers.gthread import TConn, ThreadWorker  # type: ignore[import-untyped]
from werkzeug.exceptions import BadRequest

READ_S = 20.0
"""GitHub gives a delivery up after ten seconds."""
_AT_LEAST_S = 1.0  # that a sender is given, however many wait


class PatientWorker(ThreadWorker):  # type: ignore[misc]  # gunicorn has no types
    """Cuts off whoever keeps a thread waiting for the rest of a request."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._since: dict[TConn, float] = {}

    def enqueue_req(self, conn: TConn) -> None:
        """Give a connection to a thread, and make room where there is none."""
        self._since[conn] = time.monotonic()
        self._make_room()
        super().enqueue_req(conn)

    def finish_request(self, conn: TConn, fs: Any) -> None:
        """Forget a connection that its thread is done with."""
        self._since.pop(conn, None)
        super().finish_request(conn, fs)

    def murder_pending(self) -> None:
        """Cut off who is too slow; gunicorn calls this every second."""
        super().murder_pending()
        self._make_room()

    def _make_room(self) -> None:
        """Nothing more is read from those cut off; what was read whole is answered all the same."""
        now, left = time.monotonic(), len(self._since) - self.cfg.threads
        for conn, since in list(self._since.items()):  # the oldest first
            if now - since < (_AT_LEAST_S if left > 0 else READ_S):
                return
            left -= 1
            with suppress(OSError):
                conn.sock.shutdown(socket.SHUT_RD)


class _Body:
    """A request's body whose malformed chunks are told as a 400."""

    def __init__(self, stream: InputStream) -> None:
        self._stream = stream

    def read(self, size: int = -1, /) -> bytes:
        """Read as the stream does. Raises BadRequest."""
        return _told(self._stream.read, size)

    def readline(self, size: int = -1, /) -> bytes:
        """Read as the stream does. Raises BadRequest."""
        return _told(self._stream.readline, size)


def _told(read: Callable[[int], bytes], size: int) -> bytes:
    try:
        return read(size)
    except (ParseException, NoMoreData) as error:
        raise BadRequest("The body is cut off or not chunked as HTTP asks for.") from error


class CheckedBodies:
    """An application whose bodies are `_Body`."""

    def __init__(self, application: WSGIApplication) -> None:
        self._application = application

    def __call__(self, environ: WSGIEnvironment, start: StartResponse) -> Iterable[bytes]:
        """Answer one request."""
        environ["wsgi.input"] = _Body(environ["wsgi.input"])
        return self._application(environ, start)
