"""What GitHub and the network do wrong, at every call of every stage, and webhooks that are lost."""

from __future__ import annotations

from collections.abc import Iterator

import httpx
import pytest

from tests.e2e.project import ASKED, FIX
from tests.e2e.town import Place, Town, eventually, running_town

pytestmark = [pytest.mark.real, pytest.mark.slow]

OPERATIONS = (
    "apps/create-installation-access-token",
    "checks/create",
    "checks/get",
    "checks/list-for-ref",
    "checks/update",
    "git",
    "graphql",
    "issues/create-comment",
    "issues/get",
    "issues/list-comments",
    "pulls/get",
)
"""Everything that judging one pull request says to GitHub."""

PATIENCE_S = 3.0
"""How long Assay waits here for one answer of GitHub."""
NEVER_SAID_TO_GIT = ({"kind": "status", "status": 409}, {"kind": "garbage"})


@pytest.fixture(scope="module")
def town(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Town]:
    """A town that tries again after a second, and sweeps every few seconds."""
    folder = tmp_path_factory.mktemp("faults")
    settings = {
        "ASSAY_LONGEST_WAIT_S": "1",
        "ASSAY_SWEEP_MINUTES": "0.1",
        "ASSAY_GITHUB_TIMEOUT_S": str(PATIENCE_S),
    }
    with running_town(folder, **settings) as running:
        yield running


@pytest.fixture(autouse=True)
def without_faults(town: Town) -> Iterator[None]:
    """Leaves no fault to the next test."""
    yield
    town.operator.control("DELETE", "faults")


def _asked(town: Town) -> tuple[Place, str, int]:
    """A place with a good branch and an issue that a pull request will close."""
    place = town.place()
    sha = place.push("mean", FIX)
    return place, sha, place.issue(ASKED)


@pytest.mark.parametrize(
    "fault",
    [
        {"kind": "status", "status": 502},
        {"kind": "status", "status": 429, "headers": {"Retry-After": "1"}},
        {"kind": "status", "status": 409},
        {"kind": "cut"},
        {"kind": "cut_after"},
        {"kind": "garbage"},
        {"kind": "status", "status": 401},
    ],
    ids=lambda fault: "-".join(str(part) for part in fault.values() if not isinstance(part, dict)),
)
def test_every_call_fails_once_and_it_is_judged_all_the_same(
    town: Town, fault: dict[str, object]
) -> None:
    place, sha, issue = _asked(town)
    for operation in OPERATIONS:
        if operation != "git" or fault not in NEVER_SAID_TO_GIT:
            town.operator.fault(operation, **fault)  # type: ignore[arg-type]
    number = place.open("mean", "Add a mean", f"Closes #{issue}.")
    run = place.completed(sha)
    assert run.conclusion == "success", run.summary
    place.verdict(number)
    town.settle()
    assert len(place.comments(number)) == 1
    assert len(place.runs(sha)) == 1


@pytest.mark.parametrize("operation", ["checks/update", "graphql", "issues/create-comment", "git"])
def test_a_call_that_hangs_is_made_again(town: Town, operation: str) -> None:
    place, sha, issue = _asked(town)
    town.operator.fault(operation, "hang", seconds=PATIENCE_S * 3)
    number = place.open("mean", "Add a mean", f"Closes #{issue}.")
    run = place.completed(sha)
    assert run.conclusion == "success", run.summary
    place.verdict(number)
    town.settle()
    assert len(place.comments(number)) == 1
    assert len(place.runs(sha)) == 1


def test_github_that_hangs_throughout_shows_on_the_page(town: Town) -> None:
    place, sha, issue = _asked(town)
    town.operator.fault("graphql", "hang", seconds=PATIENCE_S * 3, calls=1000)
    place.open("mean", "Add a mean", f"Closes #{issue}.")
    run = eventually(lambda: (place.runs(sha) or [None])[0], "a check run")

    def page() -> str:
        return httpx.get(run.details_url, timeout=60).text

    eventually(lambda: "did not answer" in page(), "the page to say why")
    town.operator.control("DELETE", "faults")
    assert place.completed(sha).conclusion == "success"


def test_github_away_shows_on_the_page_and_goes_on_when_it_is_back(town: Town) -> None:
    place, sha, issue = _asked(town)
    town.operator.fault("git", "status", status=503, calls=10_000)
    number = place.open("mean", "Add a mean", f"Closes #{issue}.")
    run = eventually(lambda: (place.runs(sha) or [None])[0], "a check run")

    def page() -> str:
        return httpx.get(run.details_url, timeout=60).text

    eventually(lambda: "503" in page() or "cannot be reached" in page(), "the page to say why")
    eventually(lambda: place.runs(sha)[0].status == "in_progress", "a check run in progress")
    town.operator.control("DELETE", "faults")
    assert place.completed(sha).conclusion == "success"
    place.verdict(number)


@pytest.mark.parametrize(
    ("operation", "status", "said"),
    [
        ("apps/create-installation-access-token", 401, "401"),
        ("git", 401, "refused access"),
        ("git", 403, "refused access"),
        ("git", 404, "does not exist, or the App may not see it"),
        ("graphql", 401, "401"),
        ("graphql", 403, "403"),
        ("graphql", 422, "422"),
    ],
)
def test_a_refusal_ends_in_a_check_run_that_says_what_to_do(
    town: Town, operation: str, status: int, said: str
) -> None:
    place, sha, issue = _asked(town)
    town.operator.fault(operation, "status", status=status, calls=10_000)
    number = place.open("mean", "Add a mean", f"Closes #{issue}.")
    run = place.completed(sha)
    assert run.conclusion == "action_required"
    assert said in run.summary
    assert "What to do next" in run.summary
    assert said in place.verdict(number)


def test_a_locked_conversation_loses_only_the_comment(town: Town) -> None:
    place, sha, issue = _asked(town)
    locked = "Unable to create comment because issue is locked."
    town.operator.fault("issues/create-comment", "status", status=403, message=locked, calls=100)
    number = place.open("mean", "Add a mean", f"Closes #{issue}.")
    run = place.completed(sha)
    assert run.conclusion == "success"
    town.settle()
    page = httpx.get(run.details_url.replace("?", ".json?"), timeout=60)
    assert page.json()["conclusion"] == "success"
    assert page.json()["requirements"]
    assert place.comments(number) == []


def test_a_check_run_that_could_not_be_completed_is_closed_later(town: Town) -> None:
    place, sha, issue = _asked(town)
    town.operator.fault("checks/update", "status", status=422, calls=10_000)
    place.open("mean", "Add a mean", f"Closes #{issue}.")
    run = eventually(lambda: (place.runs(sha) or [None])[0], "a check run")
    state = run.details_url.replace("?", ".json?")

    def ended() -> bool:
        return httpx.get(state, timeout=60).status_code == 200

    eventually(ended, "the end of the evaluation")
    assert place.runs(sha)[0].status == "queued"
    town.operator.control("DELETE", "faults")
    run = place.completed(sha)
    assert run.conclusion == "success"  # the verdict, late, not a made-up end


def test_a_lost_webhook_is_swept_up(town: Town) -> None:
    place, sha, issue = _asked(town)
    app = town.environment["APP_ID"]
    town.operator.control("PATCH", f"apps/{app}", webhook_url="http://127.0.0.1:9/webhook")
    try:
        number = place.open("mean", "Add a mean", f"Closes #{issue}.")
        (lost,) = place.deliveries("pull_request", "opened")
        assert lost.status == -1
    finally:
        address = f"{town.public_url}/webhook"
        town.operator.control("PATCH", f"apps/{app}", webhook_url=address)
    assert place.completed(sha).conclusion == "success"
    place.verdict(number)
