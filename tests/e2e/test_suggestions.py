"""`suggestions: true`: linters' own fixes as one review that can be committed, and never twice."""

from __future__ import annotations

import pytest

from bot.demo.forge.operator import NewRepository
from bot.text.json_reading import Payload
from tests.e2e.project import ASKED, FIX
from tests.e2e.talking import opened
from tests.e2e.town import Place, Town, eventually
from tests.world import git

pytestmark = [pytest.mark.real, pytest.mark.slow]
ASKS = {".github/assay.yml": "suggestions: true\n", "ruff.toml": "[format]\n"}
HELD = "```suggestion\n"
UNTIDY = {
    **FIX,
    "calc.py": "import os\n" + FIX["calc.py"] + "\n\ndef names( a ):\n    return a\n",
}


def review_comments(place: Place, number: int) -> list[Payload]:
    """Assay's comments on lines, oldest first."""
    return list(place.rest("GET", f"pulls/{number}/comments?per_page=100").items())


def reviews(place: Place, number: int) -> list[Payload]:
    return list(place.rest("GET", f"pulls/{number}/reviews").items())


def committed(text: str, comments: list[Payload]) -> str:
    """A file after somebody committed all suggestions as a batch."""
    lines = text.split("\n")
    for one in sorted(comments, key=lambda one: -one.integer("line")):
        last = one.integer("line")
        first = one.integer("start_line") or last
        block = one.text("body").partition(HELD)[2].removesuffix("```")
        lines[first - 1 : last] = block.split("\n")[:-1]
    return "\n".join(lines)


def test_fixes_are_one_review_that_can_be_committed(town: Town) -> None:
    place = town.place(ASKS)
    sha, number = opened(place, UNTIDY)
    assert place.completed(sha).status == "completed"
    (review,) = reviews(place, number)
    assert review.text("commit_id") == sha
    assert review.text("user", "login") == "assay[bot]"
    found = review_comments(place, number)
    assert len(found) == 2
    assert "ruff F401" in found[0].text("body")

    place.command(number, "/judge rerun")
    place.completed(sha, 2)
    town.settle()
    assert len(reviews(place, number)) == 1, "a second judgement repeats nothing"

    newer = place.push("mean", {"note.txt": "more\n"}, new=False)
    place.completed(newer)
    town.settle()
    assert len(reviews(place, number)) == 1, "what stands is not repeated for a newer commit"

    tidy = committed(UNTIDY["calc.py"], found)
    assert tidy == FIX["calc.py"] + "\n\ndef names(a):\n    return a\n"
    fixed = place.push("mean", {"calc.py": tidy}, new=False)
    assert place.completed(fixed).conclusion == "success"
    town.settle()
    assert len(reviews(place, number)) == 1


def test_a_repository_that_does_not_ask_gets_none(town: Town) -> None:
    place = town.place({"ruff.toml": "[format]\n"})
    sha, number = opened(place, {**UNTIDY, ".github/assay.yml": ASKS[".github/assay.yml"]})
    place.completed(sha)
    town.settle()
    assert reviews(place, number) == []


def test_a_lost_answer_or_a_refusal_keeps_nobody_from_the_verdict(town: Town) -> None:
    place = town.place(ASKS)
    town.operator.control(
        "POST", "faults", operation="pulls/create-review", kind="cut_after", calls=1
    )
    sha, number = opened(place, UNTIDY)
    place.completed(sha)
    town.settle()
    assert len(reviews(place, number)) == 1, "it is found again"
    assert len(review_comments(place, number)) == 2

    town.operator.control(
        "POST", "faults", operation="pulls/create-review", kind="status", calls=1, status=403
    )
    sha = place.push("mean", {"more.py": "import os\n"}, new=False)
    assert place.completed(sha).status == "completed"
    assert len(reviews(place, number)) == 1
    town.operator.control("DELETE", "faults")


def test_a_fork_gets_them_as_well(town: Town) -> None:
    place = town.place(ASKS)
    fork = town.operator.repository(
        NewRepository(f"zoe/{place.name.partition('/')[2]}", fork_of=place.name)
    )
    git(place.tree, "checkout", "--quiet", "-B", "theirs", "main")
    for path, text in UNTIDY.items():
        (place.tree / path).write_text(text)
    git(place.tree, "add", "--all")
    git(place.tree, "commit", "--quiet", "-m", "Change")
    git(place.tree, "push", "--quiet", str(fork), "HEAD:refs/heads/theirs")
    sha = git(place.tree, "rev-parse", "HEAD")
    number = town.operator.pull_request(
        town.zoe, place.name, title=ASKED, body="", head="zoe:theirs", base="main"
    )
    waiting = eventually(lambda: place.runs(sha), "the first-time contributor's check run")
    if waiting[-1].conclusion == "action_required":
        place.command(number, "/judge")
        place.completed(sha, 2)
    place.completed(sha)
    town.settle()
    assert len(review_comments(place, number)) == 2
