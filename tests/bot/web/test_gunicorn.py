"""The shipped web server: two processes, one job store, one count."""

from __future__ import annotations

import json
import re
import socket
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path
from urllib.parse import urlsplit

import httpx
import pytest

from bot.github import signature
from bot.queue import EngineClient, engine_options
from bot.settings import Settings
from tests.gunicorn import running_gunicorn

pytestmark = pytest.mark.real
SECRET = "s3cret"
BODY = json.dumps(
    {
        "action": "opened",
        "pull_request": {"number": 9, "head": {"sha": "a" * 40}},
        "repository": {"full_name": "octo/hello"},
    }
).encode()


def send(address: str, delivery: str) -> int:
    headers = {
        "Content-Type": "application/json",
        "X-GitHub-Event": "pull_request",
        "X-GitHub-Delivery": delivery,
        "X-Hub-Signature-256": signature(SECRET, BODY),
    }
    return httpx.post(f"{address}/webhook", content=BODY, headers=headers, timeout=60).status_code


@pytest.mark.parametrize("database", ["sqlite", pytest.param("postgres", marks=pytest.mark.slow)])
def test_two_processes_store_every_delivery_once(
    database: str, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    url = "" if database == "sqlite" else request.getfixturevalue("postgres").database()
    environment = {"WEBHOOK_SECRET": SECRET, "ASSAY_DATABASE_URL": url, "ASSAY_WEB_WORKERS": "2"}
    environment |= {"ASSAY_METRICS_TOKEN": "t0ken"}
    deliveries = [f"delivery-{number % 60}" for number in range(120)]  # each id twice
    with running_gunicorn(tmp_path, "bot.wsgi:application()", environment) as address:
        assert httpx.get(f"{address}/readyz", timeout=60).json()["status"] == "ok"
        with ThreadPoolExecutor(8) as senders:
            statuses = list(senders.map(lambda one: send(address, one), deliveries))
        counted = httpx.get(
            f"{address}/metrics", headers={"Authorization": "Bearer t0ken"}, timeout=60
        ).text
    assert set(statuses) == {202}
    client = EngineClient(engine_options(Settings(home=tmp_path, database_url=url)))
    assert client.depth().deliveries == 60
    client.close()
    accepted = re.search(r'assay_webhooks_total\{.*outcome="accepted"\} (\d+)', counted)
    assert accepted
    assert int(accepted[1]) == 120


def raw(address: str, request: bytes) -> socket.socket:
    """A connection on which these bytes were sent."""
    parts = urlsplit(address)
    assert parts.hostname
    assert parts.port
    connection = socket.create_connection((parts.hostname, parts.port), timeout=60)
    connection.sendall(request)
    return connection


POST = b"POST /webhook HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n"


@pytest.mark.parametrize(
    "body", [b"zz\r\n{}\r\n0\r\n\r\n", b"-1\r\n{}\r\n", b"5\r\n{}aaaaaaaa\r\n0\r\n\r\n", b"5\r\n{}"]
)
def test_a_malformed_chunk_is_the_senders_fault(body: bytes, tmp_path: Path) -> None:
    with running_gunicorn(
        tmp_path, "bot.wsgi:application()", {"WEBHOOK_SECRET": SECRET, "ASSAY_WEB_WORKERS": "1"}
    ) as address:
        sender = raw(address, POST + b"Transfer-Encoding: chunked\r\n\r\n" + body)
        sender.shutdown(socket.SHUT_WR)
        with sender:
            answer = sender.recv(4096)
    assert answer.startswith(b"HTTP/1.1 400 "), answer


def test_slow_senders_do_not_keep_others_out(tmp_path: Path) -> None:
    environment = {
        "WEBHOOK_SECRET": SECRET,
        "ASSAY_WEB_WORKERS": "1",
        "ASSAY_WEB_THREADS": "4",
    }
    with (
        running_gunicorn(tmp_path, "bot.wsgi:application()", environment) as address,
        ExitStack() as slow,
    ):
        for request in (POST, POST + b"Content-Length: 1000\r\n\r\n{", b"", b"G"):
            for _ in range(8):
                slow.enter_context(raw(address, request))
        began = time.monotonic()
        assert httpx.get(f"{address}/healthz", timeout=60).status_code == 200
        assert send(address, "in-between") == 202
        assert time.monotonic() - began < 40
