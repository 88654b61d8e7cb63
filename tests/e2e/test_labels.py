"""What people say of verdicts: kept, taken out as JSON lines, deleted; no conclusion ever changes."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import httpx
import pytest

from bot.demo.forge.operator import NewRepository, Person
from bot.settings import Settings
from bot.store import VerdictLabelFilter, open_records
from bot.web.links import open_links
from tests.e2e.project import ASKED, BREAKS, CALC, FIX
from tests.e2e.talking import UNTESTED, opened, refused_to_strangers, say, sent_again
from tests.e2e.town import Place, Town, deliver, eventually, report
from tests.world import git

pytestmark = [pytest.mark.real, pytest.mark.slow]


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
    assert (first["model"], first["schema"]) == ("", 2)
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
    town.settle()
    assert exported(place, tmp_path) == [], "closing says nothing"
    place.rest("PATCH", f"pulls/{number}", state="open")
    base = git(place.tree, "rev-parse", "main")
    merge(place, number)
    *_, closed = place.deliveries("pull_request", "closed")
    assert deliver(town, "pull_request", json.loads(closed.payload)) == 202
    town.settle()
    (row,) = exported(place, tmp_path)
    assert (row["kind"], row["person"], row["conclusion"]) == ("merge", "mara", "failure")
    assert (row["subject"], row["head_sha"]) == ("", sha)
    assert row["base_sha"] == base
    assert row["text"] == run.title


def merged(place: Place, files: dict[str, str] = FIX, branch: str = "mean") -> tuple[str, int]:
    """A judged and merged pull request; gives its head and number."""
    sha = place.push(branch, files)
    number = place.town.operator.pull_request(
        place.town.mara, place.name, title=ASKED, body="", head=branch, base="main"
    )
    place.completed(sha)
    merge(place, number)
    return sha, number


def merge(place: Place, number: int, **wishes: object) -> str:
    """Merge as mara; gives the new commit of main, which the tree has then."""
    sha = place.rest("PUT", f"pulls/{number}/merge", **wishes).text("sha")
    git(place.tree, "fetch", "--quiet", str(place.bare), "+main:main", "--update-head-ok")
    place.town.settle()
    return sha


def taken_back(place: Place, branch: str, files: dict[str, str | None]) -> str:
    """A branch that changes main back, by whoever may push; gives its head."""
    git(place.tree, "checkout", "--quiet", "--force", "main")
    return place.push(branch, files)


BACK: dict[str, str | None] = {"calc.py": CALC, "test_mean.py": None}


def test_a_revert_is_a_label_of_what_it_reverts(town: Town, tmp_path: Path) -> None:
    place = town.place()
    sha, number = merged(place)
    assert place.runs(sha)[-1].conclusion == "success"
    assert exported(place, tmp_path) == [], "a merge with the verdict says nothing"

    taken_back(place, "back", BACK)
    body = f"Reverts {place.name}#{number}\r\n\r\nIt was slow."
    back = town.operator.pull_request(
        town.ben, place.name, title=f'Revert "{ASKED}"', body=body, head="back", base="main"
    )
    place.rest("PATCH", f"pulls/{back}", state="closed")
    town.settle()
    assert exported(place, tmp_path) == [], "closed is not merged"
    place.rest("PATCH", f"pulls/{back}", state="open")
    merge(place, back, merge_method="squash")
    for closed in place.deliveries("pull_request", "closed"):
        town.operator.control("POST", f"deliveries/{closed.id}/redeliver")
    town.settle()
    rows = [row for row in exported(place, tmp_path) if row["kind"] == "revert"]
    (row,) = rows
    assert (row["number"], row["head_sha"], row["verdict"]) == (number, sha, "success")
    assert (row["person"], row["reason"], row["subject"]) == ("mara", f"Reverted by #{back}.", "")
    assert row["description"] == ASKED


def test_a_reverted_commit_is_found_by_its_merge(town: Town, tmp_path: Path) -> None:
    place = town.place()
    sha = place.push("mean", FIX)
    number = place.open("mean", ASKED)
    place.completed(sha)
    squashed = merge(place, number, merge_method="squash")
    git(place.tree, "checkout", "--quiet", "--force", "-B", "undo", "main")
    git(place.tree, "revert", "--no-edit", squashed)
    place.push("undo", {}, new=False)
    undo = place.open("undo", "Undo the mean")
    merge(place, undo)
    rows = [row for row in exported(place, tmp_path) if row["kind"] == "revert"]
    assert [(row["number"], row["head_sha"]) for row in rows] == [(number, sha)]


def test_a_revert_that_is_pushed_is_a_label_of_what_it_reverts(town: Town, tmp_path: Path) -> None:
    place = town.place()
    sha, number = merged(place)
    merge_sha = git(place.tree, "rev-parse", "main")
    git(place.tree, "checkout", "--quiet", "--force", "-B", "work", "main")
    git(place.tree, "revert", "--no-edit", "-m", "1", merge_sha)
    undone = git(place.tree, "rev-parse", "HEAD")

    def reverts() -> list[dict[str, object]]:
        town.settle()
        return [row for row in exported(place, tmp_path) if row["kind"] == "revert"]

    place.push("work", {}, new=False)
    assert reverts() == [], "another branch says nothing"
    push_to_main(place, undone)
    (row,) = reverts()
    assert (row["number"], row["head_sha"], row["verdict"]) == (number, sha, "success")
    assert (row["person"], row["reason"]) == ("ben", f"Reverted by commit {undone}.")
    assert row["description"] == ASKED
    for sent in place.deliveries("push"):
        town.operator.control("POST", f"deliveries/{sent.id}/redeliver")
    assert reverts() == [row], "told twice it is kept once"


def test_a_pushed_commit_only_claims_to_revert(town: Town, tmp_path: Path) -> None:
    place = town.place()
    _, number = merged(place)
    main = git(place.tree, "rev-parse", "main")
    git(place.tree, "checkout", "--quiet", "--force", "-B", "work", "main")

    def said(files: dict[str, str | None], *claims: str) -> str:
        for path, content in files.items():
            (place.tree / path).unlink() if content is None else (place.tree / path).write_text(
                content
            )
        git(place.tree, "add", "--all")
        texts = [word for claim in claims for word in ("-m", claim)]
        git(place.tree, "commit", "--quiet", "--allow-empty", *texts)
        return git(place.tree, "rev-parse", "HEAD")

    claim = f"This reverts commit {main}."
    push_to_main(place, said({"calc.py": CALC}, "Undo a part", claim))
    push_to_main(place, said({}, "Of nothing known", f"This reverts commit {'0' * 40}."))
    whole = said(BACK | {"calc.py": CALC + "\n"}, "Undo", f"{claim} Not.")
    town.settle()
    assert [row for row in exported(place, tmp_path) if row["kind"] == "revert"] == []
    (sent, *_) = place.deliveries("push")
    payload = json.loads(sent.payload)
    paths = {"added": [], "modified": ["calc.py"], "removed": ["test_mean.py"]}
    commit = {"id": whole, "message": claim, **paths}
    for sender, counts in (("zoe", 0), ("ben", 1)):
        forged = {**payload, "sender": {"login": sender}, "commits": [commit]}
        assert deliver(town, "push", forged) == 202
        town.settle()
        rows = [row for row in exported(place, tmp_path) if row["kind"] == "revert"]
        assert [row["number"] for row in rows] == [number] * counts, sender


def push_to_main(place: Place, commit: str) -> None:
    """Push a commit of the work tree straight to main, as ben."""
    git(place.tree, "push", "--quiet", str(place.bare), f"{commit}:refs/heads/main")
    place.town.operator.control("POST", "refresh", repository=place.name, sender="ben")


def test_words_alone_revert_nothing(town: Town, tmp_path: Path) -> None:
    place = town.place()
    _, number = merged(place)
    main = git(place.tree, "rev-parse", "main")
    claims = f"Reverts {place.name}#{number}\n\nThis reverts commit {main}."
    title = f'Revert "{ASKED}"'

    def opened_by(person: Person, head: str, base: str = "main") -> int:
        wishes = {"title": title, "body": claims, "head": head, "base": base}
        return town.operator.pull_request(person, place.name, **wishes)

    fork = f"{town.zoe.login}/{place.name.rpartition('/')[2]}"
    bare = town.operator.repository(NewRepository(fork, fork_of=place.name))
    taken_back(place, "theirs", BACK)
    git(place.tree, "push", "--quiet", str(bare), "HEAD:refs/heads/theirs")
    place.push("other", {"notes.txt": "nothing of it\n"})
    git(place.tree, "push", "--quiet", str(place.bare), "main:refs/heads/release")
    refused = {
        "a fork's": opened_by(town.zoe, f"{town.zoe.login}:theirs"),
        "a stranger's, of a branch that others pushed": opened_by(town.zoe, "theirs"),
        "other files": opened_by(town.ben, "other"),
    }
    taken_back(place, "elsewhere", BACK)
    refused["another branch"] = opened_by(town.ben, "elsewhere", "release")
    for what, one in refused.items():
        with suppress(httpx.HTTPStatusError):  # two of them change the same: the second conflicts
            place.rest("PUT", f"pulls/{one}/merge")
        town.settle()
        rows = [row for row in exported(place, tmp_path) if row["kind"] == "revert"]
        assert rows == [], what


def test_the_labels_of_one_evaluation_travel(town: Town, tmp_path: Path) -> None:
    place = town.place()
    issue = place.issue("Add a mean", f"- {ASKED}")
    sha = place.push("mean", {**UNTESTED, **BREAKS})
    number = place.open("mean", "Add it", f"Closes #{issue}")
    assert place.completed(sha).conclusion == "failure"
    place.command(number, "/judge override B2 the sum was wrong before", town.mara)
    place.command(number, "/judge override R1 seen by hand", town.mara)
    eventually(lambda: place.runs(sha)[-1].conclusion == "success", "the overrides")
    town.settle()

    home = Path(town.environment["ASSAY_HOME"])
    settings = Settings(home=home, public_url=town.public_url)
    with open_records(settings) as records:
        kept = tuple(records.labels(VerdictLabelFilter(place.name)))
        link = open_links(settings, records).calibration()
    assert [(one.kind, one.subject) for one in kept] == [("override", "B2"), ("override", "R1")]
    assert kept[0].blocking == kept[1].blocking == ("B2", "R1")

    assert httpx.get(f"{town.public_url}/calibration", timeout=60).status_code == 404
    page = httpx.get(f"{link}&repository={place.name}", timeout=60)
    assert page.status_code == 200
    assert "2 labels by 1 person on 1 pull request." in " ".join(page.text.split())
    assert "0 of 1: too few to say" in page.text, "of R1 Assay had said neither"

    rows = exported(place, tmp_path)
    assert {row["address"] for row in rows} == {f"{town.forge.web}/{place.name}.git"}
    assert {row["task"] for row in rows} == {f"Add a mean\n\n- {ASKED}"}
    assert {row["description"] for row in rows} == {f"Add it\n\nCloses #{issue}"}

    git(place.bare, "update-ref", "-d", "refs/heads/mean")
    out = tmp_path / "rows.jsonl"
    words = ("bench", "patches", str(tmp_path / "labels.jsonl"), "--out", str(out))
    done = assay(town, *words, "--without-models")
    assert done.returncode == 1, done.stderr
    (row,) = map(json.loads, out.read_text().splitlines())
    assert (row["kind"], row["label"], row["error"]) == ("labelled", "right", "")
    assert row["judged"]["conclusion"] == "failure", "what people overrode counts as stopped"
    reasons = {one["rule"]: one["requirements"] for one in row["judged"]["reasons"]}
    assert any("R1" in named for about in reasons.values() for named in about)
    assert f"Right ones stopped: {row['case']}" in done.stdout
