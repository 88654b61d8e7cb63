"""An OpenAI-compatible endpoint on loopback that answers as a test says."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Asked = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Said:
    """One answer. `body` is sent as it is where it is bytes; `cut` ends the connection in its middle."""

    text: str = ""
    status: int = 200
    body: bytes | None = None
    headers: tuple[tuple[str, str], ...] = ()
    wait_s: float = 0.0
    cut: bool = False
    tool_calls: tuple[tuple[str, str], ...] = ()  # (name, arguments as JSON)
    refusal: str = ""
    finish: str = ""


@dataclass(slots=True)
class Endpoint:
    """Where it listens (`url` is the base of the API), and what it was asked."""

    url: str
    asked: list[Asked] = field(default_factory=list)
    keys: list[str] = field(default_factory=list)


@contextmanager
def model_endpoint(answer: Callable[[Asked], Said]) -> Iterator[Endpoint]:
    """Serve until the context ends."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Handler)
    server.daemon_threads = True
    endpoint = Endpoint(f"http://127.0.0.1:{server.server_port}/v1")
    server.endpoint, server.answer = endpoint, answer  # type: ignore[attr-defined]
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield endpoint
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        endpoint: Endpoint = self.server.endpoint  # type: ignore[attr-defined]
        endpoint.asked.append(asked)
        endpoint.keys.append(self.headers.get("Authorization", ""))
        said: Said = self.server.answer(asked)  # type: ignore[attr-defined]
        time.sleep(said.wait_s)
        body = said.body if said.body is not None else json.dumps(_completion(asked, said)).encode()
        self.send_response(said.status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        for name, value in said.headers:
            self.send_header(name, value)
        try:
            self.end_headers()
            self.wfile.write(body[: len(body) // 2] if said.cut else body)
        except OSError:  # who asked has given up
            self.close_connection = True
        if said.cut:
            self.close_connection = True

    def log_message(self, *_said: object) -> None:
        """Say nothing: the tests' output is read."""


def _completion(asked: Asked, said: Said) -> dict[str, object]:
    if said.status != 200:
        return {"error": {"message": said.text or "no", "type": "error", "code": None}}
    calls = [
        {"id": f"call_{i}", "type": "function", "function": {"name": name, "arguments": arguments}}
        for i, (name, arguments) in enumerate(said.tool_calls)
    ]
    message: dict[str, object] = {"role": "assistant", "content": said.text or None}
    if said.refusal:
        message["refusal"] = said.refusal
    if calls:
        message["tool_calls"] = calls
    sent = [one.get("content", "") for one in asked["messages"]]
    tools = json.dumps(asked["tools"]) if asked.get("tools") else ""
    prompt = sum(len(str(one)) for one in (*sent, tools)) // 4
    return {
        "id": "x",
        "object": "chat.completion",
        "created": 1,
        "model": asked["model"],
        "choices": [
            {
                "index": 0,
                "message": message,
                "finish_reason": said.finish or ("tool_calls" if calls else "stop"),
            }
        ],
        "usage": {
            "prompt_tokens": prompt,
            "completion_tokens": len(said.text) // 4 + 1,
            "total_tokens": prompt + len(said.text) // 4 + 1,
        },
    }


def settings_for(endpoint: Endpoint, **more: object) -> dict[str, object]:
    """The settings that make Assay use this endpoint."""
    return {"model": "test-model", "model_url": endpoint.url, "model_key": "key", **more}
