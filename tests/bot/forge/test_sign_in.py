"""The forge signs people in as GitHub does, and answers what they can read."""

from __future__ import annotations

from urllib.parse import parse_qs, urlsplit

import httpx
import pytest

from bot.demo.forge.operator import NewRepository
from bot.errors import UserError
from bot.github.sign_in import CredentialsRefused, SignIn
from bot.values import ReadableRepository
from tests.world import World

BACK = "http://127.0.0.1:9/login/callback"
VERIFIER = "v" * 64


def code_of(sign_in: SignIn, login: str) -> str:
    page = f"{sign_in.address(BACK, 's1', VERIFIER)}&login={login}"
    reply = httpx.get(page, timeout=60)
    query = parse_qs(urlsplit(reply.headers["location"]).query)
    assert query["state"] == ["s1"]
    return query["code"][0]


def listed_status(world: World) -> int:
    """What a person's own token, which no sign-in made, gets for a list of installations."""
    address = f"{world.web}/api/v3/user/installations"
    own = {"Authorization": f"Bearer {world.bob.token}"}
    return httpx.get(address, headers=own, timeout=60).status_code


async def test_a_person_s_token_lists_what_they_have_a_role_in(world: World) -> None:
    app = world.operator.app("Assay signs in", callback_url=BACK)
    shared = NewRepository("eve/shared", private=True, collaborators={"bob": "read"})
    world.operator.person("eve")
    for new in (NewRepository("eve/own", private=True), NewRepository("eve/open"), shared):
        world.operator.repository(new)
    installation = world.operator.install(app, "eve")
    sign_in = SignIn(world.manners(), app.client_id, app.client_secret)
    token = await sign_in.token(code_of(sign_in, "bob"), BACK, VERIFIER)

    assert token.lasts_s == 28_800 and token.value not in repr((token, sign_in))
    assert await sign_in.login(token.value) == "bob"
    assert await sign_in.readable(token.value) == (ReadableRepository(installation, "eve/shared"),)
    for path in ("user/installations", "user"):
        assert world.get(f"{world.web}/api/v3/{path}").status_code == 401
    assert listed_status(world) == 403
    refused = world.post("v3/repos/eve/shared/issues", token.value, {"title": "x"})
    assert refused.status_code == 403
    await sign_in.end(token.value)
    await sign_in.end(token.value)
    with pytest.raises(CredentialsRefused):
        await sign_in.readable(token.value)


async def test_a_code_that_is_no_good_is_told_with_the_way_out(world: World) -> None:
    app = world.operator.app("Assay refuses", callback_url=BACK)
    sign_in = SignIn(world.manners(), app.client_id, app.client_secret)
    stranger = SignIn(world.manners(), app.client_id, "guessed")

    with pytest.raises(UserError, match="client secret"):
        await stranger.token(code_of(sign_in, "bob"), BACK, VERIFIER)
    with pytest.raises(UserError, match="Sign in again"):
        await sign_in.token(code_of(sign_in, "bob"), BACK, "another verifier")
    with pytest.raises(UserError, match="callback URL"):
        await sign_in.token(code_of(sign_in, "bob"), f"{BACK}/x", VERIFIER)
    code = code_of(sign_in, "bob")
    await sign_in.token(code, BACK, VERIFIER)
    with pytest.raises(UserError, match="Sign in again"):
        await sign_in.token(code, BACK, VERIFIER)


def test_a_page_that_the_app_did_not_name_gets_nobody(world: World) -> None:
    app = world.operator.app("Assay is careful", callback_url=BACK)
    sign_in = SignIn(world.manners(), app.client_id, app.client_secret)

    elsewhere = sign_in.address("http://127.0.0.1:9/elsewhere", "s1", VERIFIER)
    assert httpx.get(f"{elsewhere}&login=bob", timeout=60).status_code == 422
    asked = httpx.get(sign_in.address(BACK, "s1", VERIFIER), timeout=60)
    assert asked.status_code == 200 and "Continue as bob" in asked.text
    unknown = SignIn(world.manners(), "Iv1.unknown", "x").address(BACK, "s1", VERIFIER)
    assert httpx.get(unknown, timeout=60).status_code == 404
