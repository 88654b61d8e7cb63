"""The agent's log from the pull request: a file of head, or a workflow's artifact; never decisive."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterator

import pytest

from bot.demo.forge.operator import APP_PERMISSIONS
from bot.demo.forge.rows import AppRow
from tests.bot.trajectory.samples import CLAUDE_CODE
from tests.bot.trajectory.test_archive import archive
from tests.e2e.project import BREAKS, FIX
from tests.e2e.talking import opened
from tests.e2e.town import Place, Town, report

pytestmark = [pytest.mark.real, pytest.mark.slow]
LOG = CLAUDE_CODE.replace("greeting.py", "calc.py")
CLAIMED = "What the agent's log claims (Claude Code, 3 steps)"
BY_PATH = {".github/assay.yml": "trajectory: {path: .assay/log.jsonl}\n"}
BY_ARTIFACT = {".github/assay.yml": "trajectory: {artifact: agent-log}\n"}


@pytest.fixture
def may_read_actions(town: Town) -> Iterator[None]:
    """The optional permission, granted and taken back; old tokens are refused, so new ones are minted."""
    (app,) = town.forge.state.all(AppRow)
    path, before = f"apps/{app.id}", dict(APP_PERMISSIONS)
    town.operator.control("PATCH", path, permissions={**before, "actions": "read"})
    town.operator.control("POST", "tokens/revoke")
    yield
    town.operator.control("PATCH", path, permissions=before)
    town.operator.control("POST", "tokens/revoke")


def leave(place: Place, sha: str, data: bytes, **more: object) -> None:
    """A workflow's artifact for a commit, made before the pull request is opened."""
    wishes = {"head_sha": sha, "name": "agent-log", "zip": b64encode(data).decode(), **more}
    place.town.operator.control("POST", "artifacts", repository=place.name, **wishes)


def test_a_file_of_head_is_a_claim_and_never_decides(town: Town) -> None:
    place = town.place(BY_PATH)
    sha, number = opened(place, {**FIX, ".assay/log.jsonl": LOG})
    assert place.completed(sha).conclusion == "success"
    assert CLAIMED in place.verdict(number)

    broken = place.push("mean", BREAKS, new=False)
    run = place.completed(broken)
    assert run.conclusion == "failure", "all tests pass, says the log"
    town.settle()
    rules = [one.text("rule") for one in report(run).items("integrity")]
    assert "claim-contradicted" in rules


def test_what_is_no_log_is_left_out_and_said_and_nothing_is_lost(town: Town) -> None:
    place = town.place(BY_PATH)
    sha, number = opened(place, {**FIX, ".assay/log.jsonl": '{"of": "another schema"}\n'})
    run = place.completed(sha)
    assert run.conclusion == "success"
    warnings = " ".join(one.text() for one in report(run).items("warnings"))
    assert "The agent's log was left out. It is in none of the formats" in warnings
    assert "What the agent's log claims" not in place.verdict(number)

    large = place.push("mean", {".assay/log.jsonl": b"{}" * 17_000_000}, new=False)
    run = place.completed(large)
    assert run.status == "completed"
    assert [one.text("verdict") for one in report(run).items("requirements")].count("satisfied")
    assert "It has more than 32 MB" in str(report(run).items("warnings"))


def test_neither_base_nor_a_link_nor_a_head_that_names_one_counts(town: Town) -> None:
    place = town.place({".assay/log.jsonl": LOG})
    sha, number = opened(place, {**FIX, **BY_PATH})
    assert place.completed(sha).status == "completed"
    assert "What the agent's log claims" not in place.verdict(number)

    place = town.place(BY_PATH)
    (place.tree / ".assay").mkdir()
    (place.tree / ".assay/log.jsonl").symlink_to("/etc/passwd")
    sha, number = opened(place)
    told = str(report(place.completed(sha)).value)
    assert "The agent's log was left out" in told, "such a link is kept as text, which is no log"
    assert "root:" not in told + place.verdict(number)


def test_an_artifact_is_read_where_the_app_may(town: Town, may_read_actions: None) -> None:
    place = town.place(BY_ARTIFACT)
    sha = place.push("mean", FIX)
    leave(place, sha, archive({"log.jsonl": LOG}))
    number = place.open("mean", "mean of no prices is zero")
    assert place.completed(sha).conclusion == "success"
    assert CLAIMED in place.verdict(number)

    sha = place.push("mean", {"note.txt": "1\n"}, new=False)
    assert place.completed(sha).conclusion == "success"
    town.settle()
    assert "agent's log" not in place.verdict(number), "without one there is nothing to say"


def test_a_hostile_artifact_is_left_out_and_said(town: Town, may_read_actions: None) -> None:
    place = town.place(BY_ARTIFACT)
    for name, data, said in (
        ("large", archive({"log.jsonl": LOG}), "has more than 50 MB"),
        ("bomb", archive({"log.jsonl": "[" * 5_000_000}), "holds no `.json`"),
    ):
        sha = place.push(name, FIX | {"note.txt": name})
        leave(place, sha, data, **({"size": 200_000_000} if name == "large" else {}))
        place.open(name, "mean of no prices is zero")
        run = place.completed(sha)
        assert run.conclusion == "success"
        assert said in str(report(run).items("warnings"))


def test_without_the_permission_the_report_says_which_one(town: Town) -> None:
    place = town.place(BY_ARTIFACT)
    sha = place.push("mean", FIX)
    leave(place, sha, archive({"log.jsonl": LOG}))
    place.open("mean", "mean of no prices is zero")
    run = place.completed(sha)
    assert run.conclusion == "success"
    assert "actions=read" in str(report(run).items("warnings"))
