"""The shipped web server: two processes, one job store, one count."""

from __future__ import annotations

import json
import re
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import httpx
import pytest

from bot.engine import EngineClient, engine_options
from bot.github import signature
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


@pytest.mark.parametrize("database", ["sqlite", "postgres"])
def test_two_processes_store_every_delivery_once(
    database: str, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    url = "" if database == "sqlite" else request.getfixturevalue("postgres").database()
    environment = {"WEBHOOK_SECRET": SECRET, "ASSAY_DATABASE_URL": url, "ASSAY_WEB_WORKERS": "2"}
    deliveries = [f"delivery-{number % 60}" for number in range(120)]  # each id twice
    with running_gunicorn(tmp_path, "bot.wsgi:application()", environment) as address:
        assert httpx.get(f"{address}/readyz", timeout=60).json()["status"] == "ok"
        with ThreadPoolExecutor(8) as senders:
            statuses = list(senders.map(lambda one: send(address, one), deliveries))
        counted = httpx.get(f"{address}/metrics", timeout=60).text
    assert set(statuses) == {202}
    client = EngineClient(engine_options(Settings(home=tmp_path, database_url=url)))
    assert client.depth().deliveries == 60
    client.close()
    accepted = re.search(r'assay_webhooks_total\{.*outcome="accepted"\} (\d+)', counted)
    assert accepted
    assert int(accepted[1]) == 120
