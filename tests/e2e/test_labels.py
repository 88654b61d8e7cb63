"""What people say of verdicts: kept, taken out as JSON lines, deleted; no conclusion ever changes."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.e2e.project import BREAKS
from tests.e2e.talking import UNTESTED, opened, refused_to_strangers, say, sent_again
from tests.e2e.town import Place, Town, deliver, eventually, report
from tests.world import git

pytestmark = pytest.mark.real


def assay(town: Town, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run a command on the town's own records."""
    return subprocess.run(
        [sys.executable, "-m", "bot.cli", *arguments],
        env={**os.environ, **town.environment},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )


def exported(place: Place, folder: Path) -> list[dict[str, object]]:
    """The labels of one repository, by the command line."""
    out = folder / "labels.jsonl"
    done = assay(place.town, "labels", "export", "--repository", place.name, "--out", str(out))
    assert done.returncode == 0, done.stderr
    rows = [json.loads(line) for line in out.read_text().splitlines()]
    assert done.stdout.startswith(f"{len(rows)} labels in ")
    return rows


def test_labels_are_kept_taken_out_and_deleted(town: Town, tmp_path: Path) -> None:
    place = town.place()
    sha, number = opened(place, {**UNTESTED, **BREAKS})
    run = place.completed(sha)
    assert run.conclusion == "failure"
    refused_to_strangers(place, number, "/judge disagree B2 I want it merged")
    assert exported(place, tmp_path) == []

    line = '/judge disagree b2, R1 "because" the sum \u202ewas\u202c wrong 👍 @everyone\n\n`rm -rf /` |'
    comment = place.command(number, line)
    eventually(lambda: place.comments(number), "a comment")
    sent_again(place, comment)
    told = say(place, number, "/judge agree B1 it builds here as well", town.mara)
    assert "agrees with B1 (satisfied, decided by tests and checks)" in told
    assert "changes no conclusion" in told
    rows = exported(place, tmp_path)
    assert [(row["kind"], row["subject"], row["person"]) for row in rows] == [
        ("disagree", "B2", "ben"),
        ("disagree", "R1", "ben"),
        ("agree", "B1", "mara"),
    ]
    first = rows[0]
    assert (first["head_sha"], first["base_sha"]) == (sha, git(place.tree, "rev-parse", "main"))
    assert (first["repository"], first["number"]) == (place.name, number)
    assert (first["verdict"], first["decided_by"]) == ("unsatisfied", "oracle")
    assert (first["category"], first["conclusion"]) == ("baseline", "failure")
    assert (first["model"], first["schema"]) == ("", 1)
    assert first["source"] == f"comment {comment}"
    assert str(first["reason"]).startswith('"because" the sum ⟨U+202E⟩was')
    assert rows[1]["text"] == "mean of no prices is zero"
    assert place.runs(sha)[-1].conclusion == "failure", "no conclusion changes"
    assert report(place.runs(sha)[-1]).items("acceptances") == ()

    place.command(number, "/judge accept R1 seen")
    place.command(number, "/judge override B2 the sum was wrong before", town.mara)
    eventually(lambda: place.runs(sha)[-1].conclusion == "success", "the override")
    town.settle()
    rows = exported(place, tmp_path)
    assert [(row["kind"], row["subject"]) for row in rows[3:]] == [
        ("accept", "R1"),
        ("override", "B2"),
    ]
    assert rows[4]["conclusion"] == "failure", "as it stood before people decided"

    assert assay(town, "labels", "delete").returncode == 2
    assert assay(town, "labels", "delete", "--pull-request", "1").returncode == 2
    done = assay(town, "labels", "delete", "--repository", place.name, "--person", "Ben")
    assert done.stdout == "3 labels deleted.\n"
    assert {row["person"] for row in exported(place, tmp_path)} == {"mara"}
    assay(town, "labels", "delete", "--repository", place.name)
    assert exported(place, tmp_path) == []


@pytest.mark.slow
def test_what_is_no_label_gets_one_line(town: Town, tmp_path: Path) -> None:
    place = town.place()
    sha, number = opened(place, UNTESTED)
    early = say(place, number, "/judge agree R1 sure")
    assert "no verdict yet" in early or "was judged after you wrote this" in early
    place.completed(sha)
    expected = {
        "/judge agree": "Name a requirement: <code>/judge agree R1 &lt;reason&gt;</code>",
        "/judge disagree R1": "Say why: <code>/judge disagree R1 &lt;reason&gt;</code>",
        "/judge agree R9 it is gone": "There is no requirement <code>R9</code> here",
        f"/judge disagree R1 {'long ' * 12_000}": "disagrees with R1 (unverified, not decided)",
    }
    for line, answer in expected.items():
        said = say(place, number, line)
        assert answer in said, (line[:80], said)
        assert len(said.splitlines()) == 1, said
    (row,) = exported(place, tmp_path)
    assert len(str(row["reason"])) <= 500


def test_a_merge_against_the_verdict_is_kept(town: Town, tmp_path: Path) -> None:
    place = town.place()
    sha, number = opened(place, BREAKS)
    run = place.completed(sha)
    place.rest("PATCH", f"pulls/{number}", state="closed")
    (closed,) = place.deliveries("pull_request", "closed")
    town.settle()
    assert exported(place, tmp_path) == [], "closing says nothing"
    payload = json.loads(closed.payload)
    payload["pull_request"]["merged"] = True
    for _ in range(2):
        assert deliver(town, "pull_request", payload) == 202
    town.settle()
    (row,) = exported(place, tmp_path)
    assert (row["kind"], row["person"], row["conclusion"]) == ("merge", "mara", "failure")
    assert (row["subject"], row["head_sha"]) == ("", sha)
    assert row["base_sha"] == git(place.tree, "rev-parse", "main")
    assert row["text"] == run.title
