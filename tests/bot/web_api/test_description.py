"""The OpenAPI description: valid, complete, and enough to make a client that works."""

from __future__ import annotations

import importlib
import json
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import httpx
import pytest
from openapi_spec_validator import OpenAPIV31SpecValidator

from bot.store import Ended, EvaluationState
from bot.values import Conclusion
from bot.web.api.models import description
from tests.bot.web_api.conftest import DIFF, ApiClient


def test_the_description_is_valid_and_served_to_anybody(api: ApiClient) -> None:
    answer = api.client.get("/api/v1/openapi.json")
    assert (answer.status_code, answer.mimetype) == (200, "application/json")
    assert answer.text == description()
    document = json.loads(answer.text)
    assert document["openapi"].startswith("3.1.")
    assert list(OpenAPIV31SpecValidator(document).iter_errors()) == []


def test_every_route_is_described(api: ApiClient) -> None:
    described = {
        (path.replace("{", "<").replace("}", ">"), method.upper())
        for path, item in json.loads(description())["paths"].items()
        for method in item
        if method != "parameters"
    }
    served = {
        (rule.rule, method)
        for rule in api.client.application.url_map.iter_rules()
        for method in (rule.methods or set()) - {"HEAD", "OPTIONS"}
        if rule.rule.startswith("/api/")
    }
    assert served == described | {("/api/v1/openapi.json", "GET")}


@pytest.fixture
def generated(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """A client that openapi-python-client makes of the description."""
    (tmp_path / "openapi.json").write_text(description())
    (tmp_path / "config.yml").write_text("post_hooks: []\n")
    argv = [sys.executable, "-m", "openapi_python_client", "generate", "--meta", "none"]
    argv += ["--path", "openapi.json", "--output-path", "assay_client", "--config", "config.yml"]
    done = subprocess.run(argv, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "WARNING" not in done.stdout + done.stderr
    monkeypatch.syspath_prepend(tmp_path)
    return importlib.import_module("assay_client")


@pytest.mark.real
def test_a_generated_client_works(api: ApiClient, generated: ModuleType) -> None:
    models = importlib.import_module("assay_client.models")
    post, get = (
        importlib.import_module(f"assay_client.api.default.{name}")
        for name in ("post_patch", "get_patch")
    )
    transport = httpx.WSGITransport(app=api.client.application)
    client = generated.AuthenticatedClient(
        base_url="http://assay.example", token=api.secret, httpx_args={"transport": transport}
    )
    body = models.PostedPatch(repository="octo/hello", diff=DIFF, task="Make it b")
    accepted = post.sync(client=client, body=body)
    assert isinstance(accepted, models.Accepted)
    api.records.ended(
        accepted.id, Ended(EvaluationState.DONE, Conclusion.ACTION_REQUIRED, "No verdict", "Why")
    )
    status = get.sync(accepted.id, client=client)
    assert isinstance(status, models.PatchStatus)
    assert status.conclusion == models.Conclusion.ACTION_REQUIRED
    assert status.problem.detail == "Why"

    wrong = post.sync(client=client, body=models.PostedPatch(repository="octo/hello"))
    assert isinstance(wrong, models.Problem)
    assert wrong.errors[0].message.startswith("give either")
