"""The API on a real job store and real records, with GitHub in memory."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from bot.github import Issue
from bot.queue import EngineClient, EngineOptions
from bot.store import Store
from bot.store.artifacts import FileArtifacts
from bot.values import EvaluationRequest
from bot.web.api.routes import Api, blueprint
from bot.web.api.standing import Streams
from bot.web.api.submission import Submission
from bot.web.app import WebParts, create_app
from bot.web.links import SignedLinks
from tests.bot.webhook.pretended_github import PretendedGitHub, PretendedRepository

DIFF = "--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n"
PATCH = {"repository": "octo/hello", "diff": DIFF, "task": "Make it b"}
ISSUE = Issue(3, "Make it b", "", "maintainer", "OWNER")
PULL = Issue(9, "Fix it", "", "contributor", "NONE", is_pull_request=True)


@dataclass
class ApiClient:
    """The API as an agent calls it, and what is behind it."""

    client: FlaskClient
    records: Store
    jobs: EngineClient
    artifacts: FileArtifacts
    hello: PretendedRepository
    secret: str

    def post(self, body: object = PATCH, secret: str | None = None) -> TestResponse:
        headers = {"Authorization": f"Bearer {self.secret if secret is None else secret}"}
        if isinstance(body, bytes):
            kind = "application/json"
            return self.client.post(
                "/api/v1/patches", data=body, content_type=kind, headers=headers
            )
        return self.client.post("/api/v1/patches", json=body, headers=headers)

    def get(self, path: str, secret: str | None = None) -> TestResponse:
        return self.fetch(f"patches/{path}", secret)

    def fetch(self, path: str, secret: str | None = None) -> TestResponse:
        headers = {"Authorization": f"Bearer {self.secret if secret is None else secret}"}
        return self.client.get(f"/api/v1/{path}", headers=headers)

    def posted(self, body: object = PATCH) -> str:
        """Post a patch that is taken; gives its id."""
        answer = self.post(body)
        assert answer.status_code == 202, answer.text
        return str(answer.get_json()["id"])

    def request(self, identifier: str) -> EvaluationRequest:
        found = self.records.request(identifier)
        assert found
        return found


@pytest.fixture
def api(tmp_path: Path, empty_job_store: Path, empty_records: Path) -> Iterator[ApiClient]:
    options = EngineOptions(f"sqlite:///{tmp_path / 'engine.db'}", tmp_path)
    for store in (empty_job_store, empty_records):
        shutil.copy(store, tmp_path)
    jobs, github = EngineClient(options), PretendedGitHub()
    github.hello.issues |= {3: ISSUE, 9: PULL}
    artifacts = FileArtifacts((tmp_path / "artifacts").as_uri())
    links = SignedLinks("https://assay.example", lambda: b"key")
    with Store(f"sqlite:///{tmp_path / 'records.db'}") as records:
        submission = Submission(records, jobs, lambda: github)
        streams = Streams(2, longest_s=30, poll_s=0.02)
        parts = Api(
            records, submission, artifacts.get, links.sign, "https://assay.example/", streams
        )
        app = create_app(WebParts("", jobs, records), (blueprint(parts),))
        secret = records.issue_token("octo/hello", 30, "robo").secret
        yield ApiClient(app.test_client(), records, jobs, artifacts, github.hello, secret)
    jobs.close()
