"""What a workflow left for a commit: found by name, capped, and only with the optional permission."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterator

import pytest

from bot.demo.forge.operator import APP_PERMISSIONS
from bot.errors import UserError
from tests.world import Place, World

MOST = 1_000


@pytest.fixture
def granted(world: World) -> Iterator[World]:
    """The app with `actions: read`."""
    path, before = f"apps/{world.app.id}", dict(APP_PERMISSIONS)
    world.operator.control("PATCH", path, permissions={**before, "actions": "read"})
    yield world
    world.operator.control("PATCH", path, permissions=before)


def leave(place: Place, name: str, data: bytes, **more: object) -> None:
    wishes = {"head_sha": place.head(), "zip": b64encode(data).decode(), **more}
    place.world.operator.control("POST", "artifacts", repository=place.name, name=name, **wishes)


async def found(place: Place, name: str = "log") -> bytes | None:
    async with place.world.new_github().repository(place.name) as repository:
        return await repository.artifact(name, place.head(), MOST)


async def test_the_newest_of_that_name_and_commit_is_brought(granted: World) -> None:
    place = granted.new_place(private=True)
    leave(place, "log", b"older")
    leave(place, "log", b"newer")
    leave(place, "other", b"another")
    leave(place, "log", b"of another commit", head_sha="1" * 40)
    assert await found(place) == b"newer"
    assert await found(place, "logs") is None
    assert await found(place, "../log?a=b&name=log") is None


async def test_a_large_one_is_not_brought(granted: World) -> None:
    place = granted.new_place()
    leave(place, "log", b"x", size=200_000_000)
    with pytest.raises(UserError, match="was not read"):
        await found(place)
    leave(place, "log", b"x" * (MOST + 1), size=10)  # whatever its size is said to be
    with pytest.raises(UserError, match="it has more than"):
        await found(place)


@pytest.mark.parametrize("private", [True, False])
async def test_without_the_permission_it_is_said_which_one(world: World, private: bool) -> None:
    place = world.new_place(private=private)
    leave(place, "log", b"x")
    with pytest.raises(UserError) as refused:
        await found(place)
    assert "actions=read" in refused.value.next_step
