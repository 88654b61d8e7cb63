"""The API behind the shipped web server: streams keep few threads, and end when they must."""

from __future__ import annotations

import time
from contextlib import ExitStack, closing
from pathlib import Path

import httpx
import pytest

from bot.settings import Settings
from bot.store import Ended, EvaluationState, open_records
from bot.values import Conclusion, EvaluationRequest, Trigger
from tests.gunicorn import running_gunicorn

pytestmark = pytest.mark.real
ENVIRONMENT = {"ASSAY_WEB_WORKERS": "1", "ASSAY_WEB_THREADS": "4", "ASSAY_WEB_STREAMS": "2"}
REQUEST = EvaluationRequest(
    "hello-1", "octo/hello", "", "b" * 40, "main", Trigger.AGENT_PATCH, patch="--- a/x\n"
)


def test_streams_leave_threads_for_others_and_are_given_back(tmp_path: Path) -> None:
    with (
        closing(open_records(Settings(home=tmp_path))) as records,
        running_gunicorn(tmp_path, "bot.wsgi:application()", ENVIRONMENT) as address,
    ):
        records.queued(REQUEST)
        token = records.issue_token("octo/hello", days=1).secret
        headers = {"Authorization": f"Bearer {token}"}
        path = "/api/v1/patches/hello-1"
        with ExitStack() as stack:
            api = stack.enter_context(httpx.Client(base_url=address, headers=headers, timeout=60))
            first, second = (
                stack.enter_context(api.stream("GET", f"{path}/events")) for _ in range(2)
            )
            assert (first.status_code, second.status_code) == (200, 200)
            full = api.get(f"{path}/events")
            assert (full.status_code, full.headers["Retry-After"]) == (503, "10")
            assert api.get("/healthz").status_code == 200
            assert api.get(path).json()["status"] == "queued"
            records.ended("hello-1", Ended(EvaluationState.DONE, Conclusion.SUCCESS, "All met"))
            for stream in (first, second):
                assert "event: conclusion" in stream.read().decode()
            deadline = time.monotonic() + 60
            while api.get(f"{path}/events").status_code != 200:
                assert time.monotonic() < deadline, "no place was given back"
                time.sleep(0.1)


def test_without_an_app_a_patch_is_told_what_is_missing(tmp_path: Path) -> None:
    with (
        closing(open_records(Settings(home=tmp_path))) as records,
        running_gunicorn(tmp_path, "bot.wsgi:application()", ENVIRONMENT) as address,
    ):
        token = records.issue_token("octo/hello", days=1).secret
        body = {"repository": "octo/hello", "diff": "--- a/x\n", "task": "Fix it"}
        headers = {"Authorization": f"Bearer {token}"}
        answer = httpx.post(f"{address}/api/v1/patches", json=body, headers=headers, timeout=60)
        assert (answer.status_code, answer.headers["content-type"]) == (
            503,
            "application/problem+json",
        )
        assert "assay setup" in answer.json()["detail"]
