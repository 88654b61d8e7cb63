"""`checks: per_requirement`: each requirement has a check run of its own, never one that is left open."""

from __future__ import annotations

import pytest

from bot.demo.forge.rows import CheckRow
from tests.e2e.project import ASKED, BREAKS
from tests.e2e.talking import UNTESTED, opened
from tests.e2e.town import Place, Town, eventually

pytestmark = [pytest.mark.real, pytest.mark.slow]
EACH = {".github/assay.yml": "checks: per_requirement\n"}


def each(place: Place, sha: str) -> dict[str, CheckRow]:
    """The requirements' check runs by name; of several the newest."""
    return {run.name: run for run in place.runs(sha) if run.name.startswith("assay / ")}


def main(place: Place, sha: str, count: int = 1) -> CheckRow:
    """Wait for the main check run to be completed for the `count`th time."""

    def look() -> CheckRow | None:
        runs = [run for run in place.runs(sha) if run.name == "Assay"]
        done = len(runs) >= count and all(run.status == "completed" for run in runs)
        return runs[-1] if done else None

    return eventually(look, f"{count} verdicts on {sha[:8]}")


def test_each_requirement_has_a_check_run(town: Town) -> None:
    place = town.place(EACH)
    sha, number = opened(place, {**UNTESTED, **BREAKS})
    assert main(place, sha).conclusion == "failure"
    runs = each(place, sha)
    assert {name: run.conclusion for name, run in runs.items()} == {
        "assay / B1": "success",
        "assay / B2": "failure",
        "assay / B3": "success",
        "assay / R1": "action_required",
    }
    assert {run.status for run in runs.values()} == {"completed"}
    assert runs["assay / R1"].title == "Unverified, not decided"
    assert ASKED in runs["assay / R1"].summary
    assert "/judge explain R1" in runs["assay / R1"].summary.replace("&#8203;", "")
    before = len(place.runs(sha))

    place.command(number, "/judge accept R1 seen")
    eventually(lambda: each(place, sha)["assay / R1"].conclusion == "success", "the acceptance")
    assert each(place, sha)["assay / R1"].title == "Accepted by a person"
    town.settle()
    assert len(place.runs(sha)) == before, "they are brought up to date in place"

    place.command(number, "/judge rerun")
    assert main(place, sha, 2).conclusion == "failure"
    assert town.shown[sha].count("completed: To be judged again") == 4, "none passes meanwhile"
    assert each(place, sha)["assay / R1"].conclusion == "success"


def test_there_are_none_unless_they_are_asked_for(town: Town) -> None:
    place = town.place()
    sha, _ = opened(place)
    main(place, sha)
    assert each(place, sha) == {}


def test_what_several_pull_requests_share_passes_for_none(town: Town) -> None:
    place = town.place(EACH)
    town.operator.control("POST", "protect", repository=place.name, branch="release")
    place.push("mine", {"one.txt": "1\n"})
    place.push("release", {"two.txt": "1\n"})
    sha, _ = opened(place)
    assert main(place, sha).conclusion == "success"
    assert each(place, sha)["assay / R1"].conclusion == "success"
    by_mara = {"title": ASKED, "body": "", "head": "mean"}
    town.operator.pull_request(town.mara, place.name, **by_mara, base="mine")
    main(place, sha, 2)
    town.settle()
    assert len([run for run in place.runs(sha) if run.name == "assay / R1"]) == 1, "its own branch"
    town.operator.pull_request(town.mara, place.name, **by_mara, base="release")
    main(place, sha, 3)
    town.settle()
    shared = each(place, sha)["assay / R1"]
    assert (shared.conclusion, shared.status) == ("action_required", "completed")
    assert shared.title == "Not decided: several pull requests have this commit"


def test_a_pull_request_that_nobody_judges_borrows_none(town: Town) -> None:
    place = town.place({".github/assay.yml": "checks: per_requirement\ntriggers: [command]\n"})
    place.push("other", {"one.txt": "1\n"})
    sha, number = opened(place)
    main(place, sha)
    place.command(number, "/judge")
    assert main(place, sha, 2).conclusion == "success"
    assert each(place, sha)["assay / R1"].conclusion == "success"
    town.operator.pull_request(
        town.mara, place.name, title="Something else", body="", head="mean", base="other"
    )
    main(place, sha, 3)
    town.settle()
    assert each(place, sha)["assay / R1"].conclusion == "action_required"
