"""How fast the webhook is with its durable write, against the same application without it.

`python -m tests.bench.webhook`: a real gunicorn with the shipped configuration (two processes, SQLite),
eight senders that keep their connections; first as fast as it goes, then at an even pace.
"""

from __future__ import annotations

import http.client
import json
import statistics
import tempfile
import time
import uuid
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from flask import Flask

from bot import wsgi
from bot.github import signature
from bot.queue import QueueDepth
from bot.settings import Settings
from bot.store import open_records
from bot.values import Delivery
from bot.web.app import WebParts, create_app
from tests.gunicorn import running_gunicorn

SECRET = "bench"
SENDERS = 8
BURST = 2_000
PACED = 200
PACED_PER_S = 40.0


@dataclass(frozen=True, slots=True)
class Figures:
    """One application: requests a second in a burst, and latencies (ms) at an even pace."""

    per_s: float
    median_ms: float
    p99_ms: float


class Nowhere:
    """Takes deliveries and keeps none: what is left is the price of HTTP, signature and JSON."""

    def submit_delivery(self, delivery: Delivery, lane: str) -> None:
        """Forget it."""

    def depth(self) -> QueueDepth:
        """Say that nothing waits."""
        return QueueDepth(0, 0)

    def check(self) -> None:
        """Be well."""


def durable() -> Flask:
    """The application as it is shipped."""
    return wsgi.application()


def forgetful() -> Flask:
    """The same without the durable write."""
    settings = Settings()
    secret = settings.webhook_secret.get_secret_value()
    return create_app(WebParts(secret, Nowhere(), open_records(settings)))


def measure(application: str) -> Figures:
    """Serve an application and send to it; about ten seconds."""
    with tempfile.TemporaryDirectory(prefix="assay-bench-") as home:
        environment = {"WEBHOOK_SECRET": SECRET}
        name = f"tests.bench.webhook:{application}()"
        with running_gunicorn(Path(home), name, environment) as address:
            _send(address, 100, 0.0)  # warm
            began = time.perf_counter()
            _send(address, BURST, 0.0)
            per_s = BURST / (time.perf_counter() - began)
            paced = sorted(_send(address, PACED, PACED_PER_S))
    return Figures(per_s, statistics.median(paced), paced[int(len(paced) * 0.99) - 1])


def _send(address: str, requests: int, per_s: float) -> list[float]:
    """Send from all senders; return each request's milliseconds."""
    share = requests // SENDERS
    with ThreadPoolExecutor(SENDERS) as senders:
        pause_s = SENDERS / per_s if per_s else 0.0
        parts = senders.map(lambda _: _send_one_by_one(address, share, pause_s), range(SENDERS))
        return [took for part in parts for took in part]


def _send_one_by_one(address: str, requests: int, pause_s: float) -> list[float]:
    connection = http.client.HTTPConnection(address.removeprefix("http://"), timeout=30)
    took = []
    for number in range(requests):
        body = _payload(number)
        headers = {
            "Content-Type": "application/json",
            "X-GitHub-Event": "pull_request",
            "X-GitHub-Delivery": str(uuid.uuid4()),
            "X-Hub-Signature-256": signature(SECRET, body),
        }
        began = time.perf_counter()
        connection.request("POST", "/webhook", body, headers)
        answer = connection.getresponse()
        answer.read()
        took.append((time.perf_counter() - began) * 1000)
        if answer.status != 202:
            raise RuntimeError(f"the webhook answered {answer.status}")
        time.sleep(pause_s)
    connection.close()
    return took


def _payload(number: int) -> bytes:
    """A pull request's payload of the usual size, 25 kB."""
    pull_request = {"number": number + 1, "head": {"sha": "a" * 40}, "body": "x" * 24_000}
    return json.dumps(
        {
            "action": "synchronize",
            "pull_request": pull_request,
            "repository": {"full_name": "octo/hello"},
        }
    ).encode()


def main() -> None:
    """Print both applications' figures and their ratios."""
    plain, kept = measure("forgetful"), measure("durable")
    print(f"webhook, {SENDERS} senders, two web processes, SQLite")
    for name, figures in (("without the durable write", plain), ("with it, as shipped", kept)):
        print(
            f"  {name:<26} {figures.per_s:6.0f} requests/s in a burst; at {PACED_PER_S:.0f}/s"
            f" median {figures.median_ms:.1f} ms, p99 {figures.p99_ms:.1f} ms"
        )
    print(
        f"  ratio                      {kept.per_s / plain.per_s:6.2f} of the throughput,"
        f" {kept.p99_ms / plain.p99_ms:.1f}x the p99"
    )


if __name__ == "__main__":
    main()
