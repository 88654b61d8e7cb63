"""Fixtures of a validated forge; a conftest imports them."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.contract.graphql import GraphqlDescription
from tests.contract.openapi import Description
from tests.world import Place, World, describe, running_world


@pytest.fixture(scope="session")
def described() -> tuple[Description, GraphqlDescription | None] | None:
    """GitHub's descriptions, or None without npm; the forge is then used without validation."""
    return describe()


@pytest.fixture(scope="session")
def shared_world(
    tmp_path_factory: pytest.TempPathFactory,
    described: tuple[Description, GraphqlDescription | None] | None,
) -> Iterator[World]:
    with running_world(tmp_path_factory.mktemp("world"), described) as world:
        yield world


@pytest.fixture
def world(shared_world: World) -> Iterator[World]:
    """The session's forge; the test fails when an exchange was not as GitHub describes it."""
    yield shared_world
    shared_world.operator.control("DELETE", "faults")
    if wrong := shared_world.faults():
        pytest.fail("not as GitHub describes it:\n" + "\n".join(dict.fromkeys(wrong)))


@pytest.fixture
def place(world: World) -> Place:
    """A fresh repository with an open pull request."""
    return world.new_place()
