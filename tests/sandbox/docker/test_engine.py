"""What the engine says when a container ends while it is being removed."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from sandbox.base import SandboxError
from sandbox.docker.engine import Engine

pytestmark = pytest.mark.real
ENDED = "Could not kill running container c1, cannot remove - Container c1 is not running"
Answer = tuple[int, str]


class _Handler(BaseHTTPRequestHandler):
    answers: list[Answer]

    def do_GET(self) -> None:
        self._say(200, {"ApiVersion": "1.41", "Version": "20.10"})

    def do_DELETE(self) -> None:
        status, message = self.answers.pop(0)
        self._say(status, {"message": message} if message else None)

    def _say(self, status: int, told: object) -> None:
        body = b"" if told is None else json.dumps(told).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_said: object) -> None:
        """Say nothing."""


@pytest.fixture
def answers(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[Answer]]:
    given: list[Answer] = []
    handler = type("Handler", (_Handler,), {"answers": given})
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        monkeypatch.setenv("DOCKER_HOST", f"tcp://127.0.0.1:{server.server_port}")
        yield given
        server.shutdown()
        thread.join()


@pytest.mark.parametrize(
    "said",
    [
        [(204, "")],
        [(404, "No such container: c1")],
        [(409, "removal of container c1 is already in progress")],
        [(500, ENDED), (500, ENDED), (204, "")],
        [(500, ENDED), (404, "No such container: c1")],
    ],
)
def test_a_container_is_removed_however_it_ended(answers: list[Answer], said: list[Answer]) -> None:
    answers += said
    Engine().remove("c1")
    assert answers == []


@pytest.mark.parametrize("said", [[(500, "disk is full")], [(500, ENDED)] * 10])
def test_what_cannot_be_removed_is_an_error(answers: list[Answer], said: list[Answer]) -> None:
    answers += said
    with pytest.raises(SandboxError, match="cannot remove a container"):
        Engine().remove("c1")
    assert answers == []
