"""What the client makes of a GitHub that refuses, stumbles, lies or hangs."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable

import pytest

from bot.errors import Transient, UserError
from bot.github import (
    CheckReport,
    CheckStatus,
    NotThere,
    Permission,
)
from bot.github.client import GitHubApp, open_public
from bot.github.repository import Repository
from bot.github.transport import Manners, Pace
from bot.values.conclusions import Annotation, AnnotationLevel
from tests.world import Place, World, running_world

pytestmark = pytest.mark.real

Act = Callable[[Repository, Place, str], Awaitable[object]]


async def read(repository: Repository, place: Place, key: str = "") -> object:
    return await repository.pull_request(place.number)


async def comment(repository: Repository, place: Place, key: str = "report") -> object:
    return await repository.put_comment(place.number, f"<!-- {key} -->", "verdict")


async def check(repository: Repository, place: Place, key: str = "e1") -> object:
    remarks = [Annotation("a", 1, 1, AnnotationLevel.NOTICE, f"{n}") for n in range(120)]
    return await repository.put_check_run(
        CheckReport(
            name="Assay",
            head_sha=place.head(),
            external_id=key,
            status=CheckStatus.IN_PROGRESS,
            title="observe",
            summary="",
            annotations=tuple(remarks),
        )
    )


async def closing(repository: Repository, place: Place, key: str = "") -> object:
    return await repository.closing_issues(place.number)


OPERATIONS: dict[str, Act] = {
    "pulls/get": read,
    "issues/create-comment": comment,
    "checks/create": check,
    "checks/update": check,
    "graphql": closing,
}


@pytest.fixture(scope="module")
def one_place(shared_world: World) -> Place:
    """One repository for the many cases that differ in the failure only."""
    return shared_world.new_place()


@pytest.fixture(autouse=True)
def _clean(world: World) -> None:
    world.operator.control("DELETE", "faults")


@pytest.mark.parametrize("operation", OPERATIONS)
@pytest.mark.parametrize(
    ("status", "error", "way_out"),
    [
        (401, UserError, "APP_ID"),
        (403, UserError, "permissions of app.yml"),
        (404, NotThere, "not installed"),
        (410, NotThere, "not installed"),
        (422, UserError, ""),
        (451, UserError, "assay doctor"),
        (409, Transient, ""),
        (429, Transient, ""),
        (500, Transient, ""),
        (502, Transient, ""),
        (503, Transient, ""),
    ],
)
async def test_each_status_has_its_meaning(
    one_place: Place, operation: str, status: int, error: type[Exception], way_out: str
) -> None:
    place = one_place
    async with place.world.github().repository(place.name) as repository:
        place.world.operator.fault(
            operation, "status", status=status, calls=9, message="why\x1b[0m"
        )
        with pytest.raises(error) as caught:
            await OPERATIONS[operation](repository, place, f"{operation} {status}")
    assert str(status) in str(caught.value)
    assert way_out in str(caught.value)
    assert "\x1b" not in str(caught.value)


@pytest.mark.parametrize("operation", OPERATIONS)
@pytest.mark.parametrize("kind", ["cut", "garbage"])
async def test_a_broken_answer_is_worth_another_try(
    one_place: Place, operation: str, kind: str
) -> None:
    place = one_place
    async with place.world.github().repository(place.name) as repository:
        place.world.operator.fault(operation, kind, calls=9)
        with pytest.raises(Transient):
            await OPERATIONS[operation](repository, place, f"{operation} {kind}")


@pytest.mark.parametrize("operation", ["pulls/get", "issues/create-comment"])
async def test_a_hanging_github_ends_in_time(place: Place, operation: str) -> None:
    place.world.operator.fault(operation, "hang", seconds=120)
    async with place.world.github(timeout_s=0.3).repository(place.name) as repository:
        started_s = time.monotonic()
        with pytest.raises(Transient, match="did not answer in time"):
            await OPERATIONS[operation](repository, place)
    assert time.monotonic() - started_s < 120


async def test_a_hanging_github_blocks_nobody_else(place: Place) -> None:
    place.world.operator.fault("issues/get", "hang", seconds=120)
    async with place.world.github(timeout_s=110).repository(place.name) as repository:
        hanging = asyncio.create_task(repository.issue(place.number))
        await asyncio.sleep(0.1)
        assert (await repository.pull_request(place.number)).number == place.number
        assert not hanging.done()
        hanging.cancel()
        with pytest.raises(asyncio.CancelledError):
            await hanging


@pytest.mark.parametrize("operation", ["pulls/get", "graphql"])
@pytest.mark.parametrize("kind", ["cut", "status"])
async def test_a_read_is_tried_again_a_little(place: Place, operation: str, kind: str) -> None:
    async with place.world.github().repository(place.name) as repository:
        place.world.operator.fault(operation, kind, calls=2, status=502)
        await OPERATIONS[operation](repository, place)
        assert place.world.operator.control("GET", "calls").integer(operation) == 3


@pytest.mark.parametrize("operation", ["issues/create-comment", "checks/create"])
async def test_a_write_is_sent_once(place: Place, operation: str) -> None:
    async with place.world.github().repository(place.name) as repository:
        place.world.operator.fault(operation, "status", status=502)
        with pytest.raises(Transient):
            await OPERATIONS[operation](repository, place)
        assert place.world.operator.control("GET", "calls").integer(operation) == 1


async def test_a_comment_whose_answer_was_lost_is_not_doubled(place: Place) -> None:
    async with place.world.github().repository(place.name) as repository:
        place.world.operator.fault("issues/create-comment", "cut_after")
        with pytest.raises(Transient):
            await comment(repository, place)
        await comment(repository, place)
        assert len(await repository.comments(place.number)) == 1


@pytest.mark.parametrize("lost", ["checks/create", "checks/update"])
async def test_annotations_whose_answer_was_lost_are_not_doubled(place: Place, lost: str) -> None:
    async with place.world.github().repository(place.name) as repository:
        place.world.operator.fault(lost, "cut_after")
        with pytest.raises(Transient):
            await check(repository, place)
        await check(repository, place)
        (run,) = await repository.check_runs(place.head(), "Assay")
    assert run.annotations == 120
    path = f"repos/{place.name}/check-runs/{run.id}/annotations"
    first, second = (
        place.world.operator.as_person(
            place.world.ada, "GET", f"{path}?per_page=100&page={page}"
        ).items()
        for page in (1, 2)
    )
    assert [item.text("message") for item in (*first, *second)] == [f"{n}" for n in range(120)]


@pytest.mark.parametrize(
    ("headers", "wait_s"),
    [
        ({"Retry-After": "42"}, (42, 42)),
        ({"Retry-After": "Wed, 21 Oct 2026 07:28:00 GMT"}, (60, 60)),
        ({"Retry-After": "-1"}, (60, 60)),
        ({"Retry-After": "999999999"}, (3700, 3700)),
        ({"x-ratelimit-remaining": "0", "x-ratelimit-reset": "{soon}"}, (80, 101)),
        ({"x-ratelimit-remaining": "0", "x-ratelimit-reset": "junk"}, (60, 60)),
        ({"x-ratelimit-remaining": "0"}, (60, 60)),
    ],
)
@pytest.mark.parametrize("status", [403, 429])
async def test_a_rate_limit_says_when_to_come_back(
    one_place: Place, status: int, headers: dict[str, str], wait_s: tuple[int, int]
) -> None:
    place = one_place
    soon = str(int(time.time()) + 100)
    sent = {name: value.format(soon=soon) for name, value in headers.items()}
    async with place.world.github().repository(place.name) as repository:
        place.world.operator.fault("pulls/get", "status", status=status, headers=sent, calls=3)
        started_s = time.monotonic()
        with pytest.raises(Transient, match="rate limit") as caught:
            await read(repository, place)
    assert wait_s[0] <= caught.value.retry_after_s <= wait_s[1]
    assert time.monotonic() - started_s < 55, "it must not sleep by itself"


async def test_a_secondary_limit_without_headers_is_known_by_its_words(place: Place) -> None:
    words = "You have exceeded a secondary rate limit."
    async with place.world.github().repository(place.name) as repository:
        place.world.operator.fault("pulls/get", "status", status=403, message=words)
        with pytest.raises(Transient) as caught:
            await read(repository, place)
    assert caught.value.retry_after_s == 60


async def test_a_revoked_token_is_replaced_once(place: Place) -> None:
    async with place.world.new_github().repository(place.name) as repository:
        await read(repository, place)
        place.world.operator.control("POST", "tokens/revoke")
        await read(repository, place)
        place.world.operator.control("POST", "tokens/revoke")
        await comment(repository, place)
        calls = place.world.operator.control("GET", "calls")
        assert calls.integer("apps/create-installation-access-token") == 3


async def test_one_token_serves_a_whole_job(place: Place) -> None:
    github = place.world.new_github()
    for _ in range(3):
        async with github.repository(place.name, place.world.installation) as repository:
            await read(repository, place)
    calls = place.world.operator.control("GET", "calls")
    assert calls.integer("apps/create-installation-access-token") == 1
    assert calls.integer("apps/get-authenticated") == 1


async def test_a_token_near_its_end_is_renewed(
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    folder = tmp_path_factory.mktemp("short")
    with running_world(folder, None, token_lifetime_s=300) as world:
        place = world.new_place()
        async with world.github().repository(place.name) as repository:
            await read(repository, place)
            await read(repository, place)
        calls = world.operator.control("GET", "calls")
        assert calls.integer("apps/create-installation-access-token") == 2


async def test_a_wrong_key_is_told_with_the_way_out(world: World) -> None:
    place, other = world.new_place(), world.operator.app("Impostor")
    impostor = GitHubApp(world.manners(), str(world.app.id), other.private_key)
    with pytest.raises(UserError, match="PRIVATE_KEY"):
        await impostor.installation_of(place.name)
    broken = GitHubApp(world.manners(), str(world.app.id), "-----BEGIN PRIVATE KEY-----\nx")
    with pytest.raises(UserError, match="PRIVATE_KEY must be the PEM"):
        await broken.app()


@pytest.mark.parametrize(("app_id", "key"), [("", "-----BEGIN PRIVATE KEY-----"), ("1", "")])
def test_missing_credentials_are_told_at_once(world: World, app_id: str, key: str) -> None:
    with pytest.raises(UserError, match="assay setup"):
        GitHubApp(world.manners(), app_id, key)


async def test_a_suspended_or_removed_installation_is_told(world: World) -> None:
    app = world.operator.app("Short lived")
    installation = world.operator.install(app, "bob")
    github = GitHubApp(world.manners(), str(app.id), app.private_key)
    world.operator.control("PATCH", f"installations/{installation}", suspended=True)
    with pytest.raises(UserError, match="suspended"):
        await github.installation_repositories(installation)
    with pytest.raises(UserError, match="no longer installed"):
        await github.installation_repositories(9_999_999)


async def test_a_graphql_limit_is_transient_and_a_stumble_too(place: Place) -> None:
    for kind, expected in (("status", 502), ("garbage", 200)):
        async with place.world.github().repository(place.name) as repository:
            place.world.operator.fault("graphql", kind, calls=3, status=expected)
            with pytest.raises(Transient):
                await closing(repository, place)


async def test_a_permission_that_was_never_granted_is_named(world: World) -> None:
    place = world.new_place(private=True)
    reply = world.operator.control(
        "POST", "apps", name="Modest", permissions={"metadata": "read"}, events=[]
    )
    installation = world.operator.control(
        "POST", "installations", app_id=reply.integer("id"), account="ada"
    )
    github = GitHubApp(world.manners(), str(reply.integer("id")), reply.text("private_key"))
    async with github.repository(place.name, installation.integer("id")) as repository:
        assert await repository.permission("ada") is Permission.ADMIN
        with pytest.raises(UserError, match="pull_requests=read"):
            await read(repository, place)
        with pytest.raises(UserError, match="issues=read"):
            await comment(repository, place)


async def test_writes_keep_their_distance(place: Place) -> None:
    manners = Manners(place.world.manners().addresses, pace=Pace(0.3))
    github = GitHubApp(manners, str(place.world.app.id), place.world.app.private_key)
    async with github.repository(place.name) as repository:
        started_s = time.monotonic()
        await asyncio.gather(
            *(repository.put_comment(place.number, f"<!-- {n} -->", "x") for n in range(3))
        )
    assert time.monotonic() - started_s >= 0.6


async def test_nobody_listening_is_transient(world: World) -> None:
    manners = world.manners()
    closed = Manners(type(manners.addresses).of("http://127.0.0.1:9"), retry_pause_s=0.01)
    async with open_public(closed, "ada/hello") as reader:
        with pytest.raises(Transient, match="cannot be reached"):
            await reader.pull_request(1)


async def test_the_token_is_in_no_log(place: Place, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(0)
    async with place.world.github().repository(place.name) as repository:
        await comment(repository, place)
        place.world.operator.fault("pulls/get", "status", status=403)
        with pytest.raises(UserError) as caught:
            await read(repository, place)
    said = f"{caplog.text} {caught.value!r} {caught.value.__cause__!r}"
    assert "ghs_" not in said
    assert "Bearer" not in said
    assert "PRIVATE KEY" not in said
