"""What every route of the forge leans on: the state, the JSON, the deliveries, and the request's own."""

from __future__ import annotations

from dataclasses import dataclass
from typing import cast

from flask import Response, current_app, jsonify, request

from bot.demo.forge.access import Principal, Refused, invalid, principal_of, require
from bot.demo.forge.deliveries import Deliveries
from bot.demo.forge.rows import RepositoryRow
from bot.demo.forge.shapes import Json
from bot.demo.forge.state import State
from bot.demo.forge.work_shapes import WorkShapes
from bot.text.json_reading import Payload

KEY = "forge"
PER_PAGE = 30
MOST_PER_PAGE = 100


@dataclass(frozen=True, slots=True)
class Context:
    """One forge's parts."""

    state: State
    shapes: WorkShapes
    deliveries: Deliveries
    token_lifetime_s: float


@dataclass(frozen=True, slots=True)
class Granted:
    """A request that passed the door: who asks, and about which repository."""

    principal: Principal
    repository: RepositoryRow


def context() -> Context:
    """The forge that serves the current request."""
    return cast(Context, current_app.extensions[KEY])


def granted(owner: str, repo: str, need: str) -> Granted:
    """The asker and the repository when `need` ("checks:write") is granted; raises `Refused`."""
    state = context().state
    principal = principal_of(state, request.headers.get("Authorization", ""))
    repository = require(principal, state.repository(f"{owner}/{repo}"), need)
    return Granted(principal, repository)


def body() -> Payload:
    """The request's JSON object; 400 or 422 when it is none."""
    try:
        payload = Payload.parse(request.get_data() or b"{}")
    except ValueError:
        raise Refused(400, "Problems parsing JSON") from None
    if not isinstance(payload.value, dict):
        raise Refused(422, "Invalid request.\n\nFor 'links/0/schema', it is not an object.")
    return payload


def required_text(payload: Payload, resource: str, field: str) -> str:
    """A string that must be there and not be empty; 422 otherwise."""
    text = payload.text(field)
    if not text.strip():
        raise invalid(resource, field, f"{field} can't be blank")
    return text


def answer(shape: Json | list[Json], status: int = 200) -> Response:
    """A JSON reply."""
    response = jsonify(shape)
    response.status_code = status
    response.headers["X-GitHub-Media-Type"] = "github.v3; format=json"
    return response


def page_of(shapes: list[Json], key: str = "") -> Response:
    """One page of a list (under `key` with a total when given) with GitHub's Link header."""
    size = min(max(request.args.get("per_page", PER_PAGE, type=int), 1), MOST_PER_PAGE)
    number = max(request.args.get("page", 1, type=int), 1)
    last = max((len(shapes) + size - 1) // size, 1)
    part = shapes[(number - 1) * size : number * size]
    response = answer({"total_count": len(shapes), key: part} if key else part)
    links = []
    if number < last:
        links += [_link(number + 1, "next"), _link(last, "last")]
    if number > 1:
        links += [_link(number - 1, "prev"), _link(1, "first")]
    if links:
        response.headers["Link"] = ", ".join(links)
    return response


def _link(page: int, relation: str) -> str:
    query = "&".join(
        f"{key}={value}" for key, value in request.args.items(multi=True) if key != "page"
    )
    return f'<{request.base_url}?{query}&page={page}>; rel="{relation}"'
