"""Filters by people: what is left alone, what its check run says, and what still blocks."""

from __future__ import annotations

import pytest

from bot.demo.forge.operator import Person
from bot.demo.forge.rows import CheckRow
from tests.e2e.project import ASKED, BREAKS, FIX
from tests.e2e.town import Place, Town, eventually
from tests.world import git

pytestmark = [pytest.mark.real, pytest.mark.slow]
FILE = ".github/assay.yml"
DOCS = {"docs/guide.md": "# Guide\n"}


def words(run: CheckRow) -> str:
    return f"{run.title}\n{run.summary}".replace("&#8203;", "").replace("\u200b", "")


def configured(town: Town, text: str, **more: object) -> Place:
    return town.place({FILE: text}, required_check="Assay", **more)


def label(place: Place, number: int, name: str, by: Person | None = None) -> None:
    place.rest("POST", f"issues/{number}/labels", by, labels=[name])


def test_on_request_only_there_is_a_button_and_no_comment(town: Town) -> None:
    place = configured(town, "triggers: [command]\n")
    sha = place.push("mean", FIX)
    number = place.open("mean", ASKED)
    waiting = place.completed(sha)
    assert (waiting.conclusion, waiting.title) == (
        "action_required",
        "Not judged yet: comment /judge",
    )
    assert [(one.label, one.identifier) for one in waiting.actions] == [("Judge now", "judge")]
    assert place.comments(number) == []
    place.click(waiting, town.zoe, "judge")
    town.settle()
    assert len(place.runs(sha)) == 1, "a stranger starts nothing"
    place.click(waiting, town.ben, "judge")
    assert place.completed(sha, 2).conclusion == "success"
    assert len(place.comments(number)) == 1


def test_changed_files_decide(town: Town) -> None:
    place = configured(town, "when: {paths: {exclude: ['docs/**']}}\n")
    docs = place.push("docs", DOCS)
    place.open("docs", "Write a guide")
    run = place.completed(docs)
    assert run.conclusion == "neutral"
    assert "when.paths" in words(run)
    assert "neutral" in town.forge.state.all(CheckRow)[-1].conclusion

    both = place.push("both", {**DOCS, **BREAKS})
    number = place.open("both", "Write a guide")
    assert place.completed(both).conclusion == "failure"
    # Moved into the folder, code is still code.
    moved = place.push(
        "moved", {"docs/calc.py": (place.tree / "calc.py").read_text(), "calc.py": None}
    )
    place.open("moved", "Move it")
    assert place.completed(moved).conclusion == "failure"
    own = place.push("own", {**DOCS, FILE: "when: {paths: {exclude: ['**']}}\n"})
    place.open("own", "Judge nothing any more")
    assert place.completed(own).conclusion in ("success", "action_required")
    assert place.verdicts(number)


def test_a_merge_queue_takes_what_was_left_out(town: Town) -> None:
    place = configured(town, "when: {paths: {exclude: ['docs/**']}}\n")
    docs = place.push("docs", DOCS)
    number = place.open("docs", "Write a guide")
    assert place.completed(docs).conclusion == "neutral"
    base = git(place.tree, "rev-parse", "main")
    branch = f"gh-readonly-queue/main/pr-{number}-{base}"
    sha = place.push(branch, {**DOCS, "docs/queued.md": "By the queue.\n"})
    town.operator.control(
        "POST", "merge-groups", repository=place.name, head_ref=branch, base_ref="main"
    )
    run = place.completed(sha)
    assert run.conclusion == "success", words(run)


def test_one_commit_in_two_pull_requests_is_not_covered_up(town: Town) -> None:
    place = configured(town, "when: {paths: {exclude: ['docs/**']}}\n")
    place.push("code", BREAKS)
    sha = place.push("both", DOCS, new=False)
    place.open("both", "Break it and write a guide")
    assert place.completed(sha).conclusion == "failure"
    number = town.operator.pull_request(
        town.ben, place.name, title="Only a guide", body="", head="both", base="code"
    )
    place.completed(sha, 2)  # the filter's words, which block too, until the other verdict is known

    def worst() -> str:
        found = words(place.completed(sha, 2))
        return found if "the worst verdict" in found else ""

    eventually(worst, "the worst verdict")
    assert place.completed(sha, 2).conclusion == "failure"
    assert place.comments(number) == []


def test_labels_skip_by_people_who_may(town: Town) -> None:
    tess = town.operator.person("tess")
    place = configured(
        town,
        "when: {labels: {skip: [no-judge]}}\n",
        collaborators={"ben": "write", "tess": "triage"},
    )
    slow = {"test_slow.py": "import time\n\n\ndef test_slow():\n    time.sleep(300)\n"}
    sha = place.push("slow", slow)
    number = place.open("slow", ASKED)
    eventually(lambda: place.runs(sha), "a check run")
    label(place, number, "no-judge", town.ben)
    town.operator.deliveries()
    label(place, number, "🚀" * 200, tess)
    place.rest("DELETE", f"issues/{number}/labels/no-judge", town.ben)
    label(place, number, "no-judge", tess)
    run = eventually(
        lambda: next((r for r in place.runs(sha) if r.conclusion == "neutral"), None), "a neutral"
    )
    assert "no-judge" in words(run)
    assert place.completed(sha, 2).conclusion == "neutral"

    newer = place.push("slow", BREAKS, new=False)
    run = place.completed(newer)
    assert run.conclusion == "action_required", "the label was set on another commit"
    assert "set it again" in words(run)
    place.rest("DELETE", f"issues/{number}/labels/no-judge", tess)
    eventually(lambda: len(place.runs(newer)) == 2, "an evaluation, without the label")
    place.command(number, "/judge cancel")
    assert place.completed(newer, 2).conclusion == "cancelled"


def test_a_label_asks(town: Town) -> None:
    tess = town.operator.person("tess")
    place = configured(
        town,
        "triggers: [command]\nwhen: {labels: {ask: [judge]}}\n",
        collaborators={"ben": "write", "tess": "triage"},
    )
    sha = place.push("mean", FIX)
    number = place.open("mean", ASKED)
    assert place.completed(sha).conclusion == "action_required"
    label(place, number, "judge", tess)
    town.settle()
    assert [run.conclusion for run in place.runs(sha)][-1] == "action_required"
    place.rest("DELETE", f"issues/{number}/labels/judge", tess)
    label(place, number, "judge", town.ben)
    run = eventually(
        lambda: next((r for r in place.runs(sha) if r.conclusion == "success"), None), "a verdict"
    )
    assert run.conclusion == "success"


def test_target_branches_and_authors(town: Town) -> None:
    place = configured(town, "when: {branches: [main], authors: {skip: [ben]}}\n")
    place.push("wip", {})
    sha = place.push("mean", FIX)
    number = town.operator.pull_request(
        town.mara, place.name, title=ASKED, body="", head="mean", base="wip"
    )
    town.settle()
    assert place.runs(sha) == []
    place.rest("PATCH", f"pulls/{number}", town.mara, base="main")
    assert place.completed(sha).conclusion == "success", "a new target is judged"

    bens = place.push("bens", DOCS)
    place.open("bens", "Write a guide")  # as ben
    run = place.completed(bens)
    assert (run.conclusion, "ben" in words(run)) == ("neutral", True)


def test_drafts(town: Town) -> None:
    place = configured(town, "limits: {minutes: 20}\n")
    sha = place.push("mean", FIX)
    number = place.open("mean", ASKED, draft=True)
    town.settle()
    assert place.runs(sha) == []
    wishes = {"repository": place.name, "number": number}
    town.operator.control("POST", "pulls/ready", **wishes)
    assert place.completed(sha).conclusion == "success"
    slow = {"test_slow.py": "import time\n\n\ndef test_slow():\n    time.sleep(300)\n"}
    newer = place.push("mean", slow, new=False)
    eventually(lambda: place.runs(newer), "a check run")
    town.operator.control("POST", "pulls/draft", **wishes)
    run = place.completed(newer)
    assert (run.conclusion, "draft" in words(run)) == ("cancelled", True)

    eager = configured(town, "when: {drafts: true}\n")
    sha = eager.push("mean", FIX)
    eager.open("mean", ASKED, draft=True)
    assert eager.completed(sha).conclusion == "success"
