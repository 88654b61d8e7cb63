"""Suggestions: one review, posted once, without what GitHub does not take."""

from __future__ import annotations

import pytest

from bot.errors import Transient
from bot.values.conclusions import Review, Suggestion
from tests.forge.faults import FaultKind, OrderedFault
from tests.world import Place


def suggestion(line: int, last: int = 0, path: str = "hello.py", mark: str = "") -> Suggestion:
    name = mark or f"{path}-{line}"
    body = "why\n\n```suggestion\nprint('hi')\n```"
    return Suggestion(path, line, last or line, f"<!-- assay:suggestion {name} -->", body)


def posted(place: Place, what: str = "comments") -> list[str]:
    path = f"repos/{place.name}/pulls/{place.number}/{what}?per_page=100"
    found = place.world.operator.as_person(place.world.ada, "GET", path).items()
    return [one.text("body") for one in found]


async def put(place: Place, *suggestions: Suggestion) -> int:
    async with place.world.github().repository(place.name) as repository:
        return await repository.suggest(place.number, place.head(), Review("above", suggestions))


@pytest.fixture
def long(place: Place) -> Place:
    """The pull request adds twenty lines to its file."""
    place.commit("feature", {"hello.py": "".join(f"line({n})\n" for n in range(20))})
    return place


async def test_a_review_is_posted_once(long: Place) -> None:
    wanted = (suggestion(2), suggestion(4, 6))
    assert await put(long, *wanted) == 2
    assert await put(long, *wanted) == 0
    assert await put(long, *wanted, suggestion(9)) == 1
    assert posted(long, "reviews") == ["above", "above"]
    assert posted(long)[1] == f"{wanted[1].mark}\n{wanted[1].body}"


async def test_equal_fixes_on_several_lines_are_counted(long: Place) -> None:
    wanted = tuple(suggestion(line, mark="same") for line in (2, 4, 6))
    assert await put(long, *wanted[:2]) == 2
    assert await put(long, *wanted) == 1


async def test_what_was_changed_since_may_be_suggested_again(long: Place) -> None:
    assert await put(long, suggestion(2), suggestion(9)) == 2
    lines = ["first", *(f"line({n})" for n in range(20))]
    lines[9] = "changed"
    long.commit("feature", {"hello.py": "\n".join(lines) + "\n"})
    assert await put(long, suggestion(2), suggestion(9)) == 1


async def test_what_github_refuses_is_left_out_and_the_rest_posted(long: Place) -> None:
    bad = (suggestion(40), suggestion(1, path="gone.py"))
    good = tuple(suggestion(line) for line in range(2, 10))
    assert await put(long, *good[:3], bad[0], *good[3:], bad[1]) == len(good)
    assert sorted(posted(long)) == sorted(f"{one.mark}\n{one.body}" for one in good)
    assert await put(long, *bad) == 0


async def test_a_lost_answer_posts_nothing_twice(long: Place) -> None:
    fault = OrderedFault("pulls/create-review", FaultKind.CUT_AFTER)
    long.world.operator.control(
        "POST", "faults", operation=fault.operation, kind=fault.kind.value, calls=1
    )
    with pytest.raises(Transient):
        await put(long, suggestion(2), suggestion(3))
    assert await put(long, suggestion(2), suggestion(3)) == 0
    assert len(posted(long)) == 2


async def test_a_mark_in_somebody_elses_words_counts_for_nothing(long: Place) -> None:
    forged = suggestion(3).mark
    quoting = Suggestion("hello.py", 2, 2, "<!-- assay:suggestion own -->", f"says\n{forged}\n")
    assert await put(long, quoting) == 1
    assert await put(long, suggestion(3)) == 1
