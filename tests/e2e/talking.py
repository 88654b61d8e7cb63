"""What tests of talking share: a command and its answer, and the same webhook once more."""

from __future__ import annotations

import json

from bot.demo.forge.operator import Person
from tests.e2e.project import ASKED, FIX
from tests.e2e.town import Place, Town, deliver, eventually

UNTESTED = {"calc.py": FIX["calc.py"]}
"""Does what was asked, and has no test that shows it."""


def replies_to(place: Place, number: int, command: int) -> list[str]:
    """The replies to a command so far, without their marker."""
    marker = f"<!-- assay:reply to {command} -->"
    bodies = (one.text("body") for one in place.comments(number))
    return [body.removeprefix(marker).strip() for body in bodies if body.startswith(marker)]


def answer_to(place: Place, number: int, command: int) -> str:
    """Wait for the one reply to a command; give its text as people read it."""

    def look() -> str:
        found = replies_to(place, number, command)
        assert len(found) < 2, "a command is answered once"
        return found[0] if found else ""

    return eventually(look, f"an answer to {command}")


def say(place: Place, number: int, text: str, by: Person | None = None) -> str:
    """Give a command and wait for its answer, without the characters that break links."""
    told = answer_to(place, number, place.command(number, text, by))
    return told.replace("&#8203;", "")


def sent_again(place: Place, comment: int) -> None:
    """Send the webhook of a comment once more, as if GitHub had lost count."""
    town: Town = place.town
    sent = next(
        row
        for row in place.deliveries("issue_comment", "created")
        if json.loads(row.payload)["comment"]["id"] == comment
    )
    town.operator.control("POST", f"deliveries/{sent.id}/redeliver")
    assert deliver(town, "issue_comment", json.loads(sent.payload)) == 202
    town.settle()


def opened(place: Place, files: dict[str, str] | None = None) -> tuple[str, int]:
    """A pull request by mara; gives its head and number."""
    sha = place.push("mean", files or FIX)
    number = place.town.operator.pull_request(
        place.town.mara, place.name, title=ASKED, body="", head="mean", base="main"
    )
    return sha, number


def refused_to_strangers(place: Place, number: int, line: str) -> None:
    """A stranger's command changes nothing, and is answered by a sign and one comment for all."""
    told = [one.text("body") for one in place.comments(number)]
    comment = place.command(number, line, place.town.zoe)
    eventually(lambda: place.reactions(comment) == ["confused"], f"a refusal of {line}")
    place.town.settle()
    now = [one.text("body") for one in place.comments(number)]
    fresh = [body for body in now if body not in told]
    assert all("You need write access" in body for body in fresh), fresh
