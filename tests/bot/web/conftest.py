"""A web process on a real job store and real records, and requests as GitHub signs them."""

from __future__ import annotations

import json
import shutil
import uuid
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from bot.github import signature
from bot.queue import EngineClient, EngineOptions
from bot.store import Store
from bot.web.app import WebParts, create_app

SECRET = "a webhook secret"
TOKEN = "what-prometheus-brings"
PROMETHEUS = {"Authorization": f"Bearer {TOKEN}"}


class Sender:
    """Sends webhooks as GitHub does."""

    def __init__(self, client: FlaskClient, secret: str = SECRET) -> None:
        self.client = client
        self._secret = secret

    def send(
        self,
        body: bytes | Mapping[str, object],
        event: str = "pull_request",
        headers: Mapping[str, str | None] | None = None,
    ) -> TestResponse:
        """Post a body; `headers` replace the right ones, None removes one."""
        raw = body if isinstance(body, bytes) else json.dumps(body).encode()
        right: dict[str, str | None] = {
            "X-GitHub-Event": event,
            "X-GitHub-Delivery": str(uuid.uuid4()),
            "X-Hub-Signature-256": signature(self._secret, raw),
            "Content-Type": "application/json",
            **(headers or {}),
        }
        sent = {name: value for name, value in right.items() if value is not None}
        return self.client.post("/webhook", data=raw, headers=sent)


@pytest.fixture
def options(tmp_path: Path, empty_job_store: Path) -> EngineOptions:
    shutil.copy(empty_job_store, tmp_path / "engine.db")
    return EngineOptions(f"sqlite:///{tmp_path / 'engine.db'}", tmp_path, poll_s=0.05)


@pytest.fixture
def jobs(options: EngineOptions) -> Iterator[EngineClient]:
    jobs = EngineClient(options)
    yield jobs
    jobs.close()


@pytest.fixture
def records(tmp_path: Path, empty_records: Path) -> Iterator[Store]:
    shutil.copy(empty_records, tmp_path)
    with Store(f"sqlite:///{tmp_path / 'records.db'}") as records:
        yield records


@pytest.fixture
def sender(jobs: EngineClient, records: Store) -> Sender:
    return Sender(create_app(WebParts(SECRET, jobs, records, TOKEN)).test_client())
