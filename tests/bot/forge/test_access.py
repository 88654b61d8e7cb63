"""The forge takes an App's JWT as GitHub does."""

from __future__ import annotations

import time

import httpx
import jwt
import pytest

from tests.world import World

pytestmark = pytest.mark.real


def test_the_apps_jwt_is_what_github_wants(world: World) -> None:
    now_s = int(time.time())
    good = {"iss": str(world.app.id), "iat": now_s - 60, "exp": now_s + 540}
    other = world.operator.app("Someone else")

    def status(claims: dict[str, object], key: str, algorithm: str = "RS256") -> int:
        token = jwt.encode(claims, key, algorithm=algorithm)
        headers = {"Authorization": f"Bearer {token}"}
        return httpx.get(f"{world.web}/api/v3/app", headers=headers, timeout=60).status_code

    key = world.app.private_key
    assert status(good, key) == 200
    assert status(good, other.private_key) == 401
    assert status({**good, "exp": now_s - 120}, key) == 401
    assert status({**good, "exp": now_s + 3600}, key) == 401
    assert status({**good, "iat": now_s + 600}, key) == 401
    assert status({"iss": good["iss"], "iat": now_s}, key) == 401
    assert status({**good, "iss": "424242"}, key) == 404
    assert status(good, "a shared secret that is long enough for HS256", "HS256") == 401
