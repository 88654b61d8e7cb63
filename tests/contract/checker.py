"""WSGI middleware round the forge: every exchange is held against GitHub's descriptions.

A request that GitHub would refuse must be refused by the forge too; a new operation that GitHub does
not describe is a fault by itself, so nothing can be added without validation.
"""

from __future__ import annotations

import io
import json
import threading
from collections.abc import Callable, Iterable
from typing import Any
from urllib.parse import parse_qsl

from flask import Flask

from tests.contract.graphql import GraphqlDescription
from tests.contract.openapi import Description
from tests.forge.faults import operation_of

REST = "/api/v3"
GRAPHQL = "/api/graphql"


class Checker:
    """Collects what is wrong; `checked` counts the exchanges of each operation."""

    def __init__(self, rest: Description, graphql: GraphqlDescription | None) -> None:
        self._rest = rest
        self._graphql = graphql
        self._lock = threading.Lock()
        self.faults: list[str] = []
        self.checked: dict[str, int] = {}

    def round(self, app: Flask) -> Callable[..., Iterable[bytes]]:
        def serve(environ: dict[str, Any], start: Callable[..., Any]) -> Iterable[bytes]:
            path = environ["PATH_INFO"]
            if not path.startswith((REST, GRAPHQL)):
                return app(environ, start)
            body = _taken(environ)
            heard: list[Any] = []

            def listening(status: str, headers: Any, error: Any = None) -> Any:
                heard.append(int(status.split(maxsplit=1)[0]))
                return start(status, headers, error)

            reply = b"".join(app(environ, listening))
            with self._lock:
                self._check(app, environ, body, (heard[0], reply))
            return [reply]

        return serve

    def _check(
        self, app: Flask, environ: dict[str, Any], body: bytes, answer: tuple[int, bytes]
    ) -> None:
        status, reply = answer
        operation = operation_of(app, environ)
        self.checked[operation] = self.checked.get(operation, 0) + 1
        if operation == "graphql":
            self._check_graphql(body, status, reply)
        elif not self._rest.knows(operation):
            line = f"{environ['REQUEST_METHOD']} {environ['PATH_INFO']}"
            self.faults.append(f"{line}: the forge serves no such operation ({operation!r})")
        else:
            query = dict(parse_qsl(environ.get("QUERY_STRING", ""), keep_blank_values=True))
            wrong = self._rest.request_faults(operation, query, body)
            if wrong and status < 400:
                self.faults += [*wrong, f"{operation}: and the forge answered {status} to that"]
            self.faults += self._rest.reply_faults(operation, status, reply)

    def _check_graphql(self, body: bytes, status: int, reply: bytes) -> None:
        if self._graphql is None or status != 200:
            return
        asked = json.loads(body)
        wrong = self._graphql.faults(asked["query"], asked["variables"], json.loads(reply))
        self.faults += [f"graphql: {fault}" for fault in wrong]


def _taken(environ: dict[str, Any]) -> bytes:
    length = int(environ.get("CONTENT_LENGTH") or 0)
    body: bytes = environ["wsgi.input"].read(length)
    environ["wsgi.input"] = io.BytesIO(body)
    return body
