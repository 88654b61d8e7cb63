"""What the API takes and says, its errors too, and its OpenAPI description, made of these models."""

from __future__ import annotations

import functools
import json
from collections.abc import Mapping
from http import HTTPStatus
from typing import Annotated

from flask import Response
from pydantic import BaseModel, ConfigDict, Field
from pydantic.json_schema import models_json_schema

from bot.report.ranking import Rank
from bot.report.repair import RepairRow
from bot.store import EvaluationState
from bot.values import Conclusion
from bot.webhook.patches import MOST_TEXT_CHARACTERS, AgentPatch, FieldProblem

PROBLEM_TYPE = "application/problem+json"
BELOW = "/api/"
"""Every error below this address is a problem, whoever finds it."""
_Json = dict[str, object]
_PLACE = "#/components/schemas/{model}"
_PROBLEMS = {
    400: "The body is not JSON.",
    401: "The token is missing, wrong, revoked or expired.",
    403: "The token is for another repository.",
    404: "There is no such patch or repository.",
    409: "What is named has not been judged yet.",
    413: "The body is too large.",
    415: "The body is not sent as JSON.",
    422: "The patch is incomplete, has binary files, or names what is not there.",
    429: "Too many patches of this repository wait or run.",
    503: "GitHub or the database does not answer; send it again.",
}


_ID: _Json = {
    "name": "patch_id",
    "in": "path",
    "required": True,
    "schema": {"type": "string"},
    "description": "The `id` that the patch was accepted with.",
}

MOST_TRAJECTORY_CHARACTERS = 1_000_000
REPOSITORY = r"^[A-Za-z0-9][A-Za-z0-9-]{0,38}/[A-Za-z0-9._-]{1,100}$"


class PostedPatch(AgentPatch):
    """A patch to be judged: one of `diff` and `branch`, and what was asked (`task` or `issue`)."""

    repository: Annotated[str, Field(pattern=REPOSITORY, description="The repository: owner/name.")]
    description: str = Field(
        default="",
        max_length=MOST_TEXT_CHARACTERS,
        description="What the patch says of itself, as a pull request would.",
    )
    trajectory: str = Field(
        default="",
        max_length=MOST_TRAJECTORY_CHARACTERS,
        description="The agent's own log; a hint, never proof.",
    )
    plan_of: str = Field(
        default="",
        max_length=200,
        description="Id of an earlier patch for the same base, task and issue, by whose requirements "
        "this one is judged too: then both can be ranked.",
    )


class _Said(BaseModel):
    model_config = ConfigDict(frozen=True)


class Problem(_Said):
    """What went wrong: `title` says what kind of thing, `detail` this very thing and the way out."""

    type: str = Field(default="about:blank", description="Always about:blank: `title` says it all.")
    title: str
    status: int = Field(ge=400, le=599)
    detail: str = ""
    errors: tuple[FieldProblem, ...] = Field(default=(), description="What is wrong, by field.")


class Accepted(_Said):
    """The patch is stored and will be judged, or was sent before."""

    id: str
    status: EvaluationState
    status_url: str = Field(description="Ask here how far it is, and for the verdict.")
    events_url: str = Field(description="Hear here what happens, as server-sent events.")


class Progress(_Said):
    """How far an evaluation is: the stage that runs, and its place among `of` stages (0: none yet)."""

    stage: str
    number: int
    of: int


class ReportLinks(_Said):
    """Signed addresses of the full report; whoever holds one may read it."""

    html: str
    json_: str = Field(serialization_alias="json")
    markdown: str
    sarif: str


class PatchStatus(_Said):
    """How a patch stands. `conclusion` and `rows` are there once `status` is `done`.

    `problem` says why it could not be judged. `report` is there for tokens that may see it.
    """

    id: str
    repository: str
    status: EvaluationState
    progress: Progress
    waiting: str = Field(description="Why it waits for the outside; empty where it does not.")
    created_at: str = Field(description="ISO 8601, UTC.")
    updated_at: str
    conclusion: Conclusion | None
    title: str
    met: int = Field(description="Requirements that are met.")
    total: int
    rows: tuple[RepairRow, ...]
    problem: Problem | None
    report: ReportLinks | None


class Ranking(_Said):
    """Patches for one task, the best first; tied ones share a place. `name` is the patch's id."""

    ranks: tuple[Rank, ...]


def _said(what: str, model: type[BaseModel]) -> _Json:
    return {"description": what, "content": {"application/json": {"schema": _ref(model)}}}


def _refused(*statuses: int) -> _Json:
    content = {PROBLEM_TYPE: {"schema": _ref(Problem)}}
    return {
        str(status): {"description": _PROBLEMS[status], "content": content} for status in statuses
    }


def _ref(model: type[BaseModel]) -> _Json:
    return {"$ref": _PLACE.format(model=model.__name__)}


_POST: _Json = {
    "operationId": "postPatch",
    "summary": "Send a patch; the same patch again is the same evaluation",
    "requestBody": {
        "required": True,
        "content": {"application/json": {"schema": _ref(PostedPatch)}},
    },
    "responses": {"202": _said("It will be judged.", Accepted), **_refused(*_PROBLEMS)},
}
_GET: _Json = {
    "operationId": "getPatch",
    "summary": "How a patch stands, and what to repair",
    "responses": {"200": _said("How it stands.", PatchStatus), **_refused(401, 404, 503)},
}
_EVENTS: _Json = {
    "operationId": "getPatchEvents",
    "summary": "What happens to a patch, as server-sent events; ask again when it is cut off",
    "responses": {
        "200": {
            "description": "Events `stage` (data: Progress) and at the end `conclusion` "
            "(data: PatchStatus).",
            "content": {"text/event-stream": {"schema": {"type": "string"}}},
        },
        **_refused(401, 404, 503),
    },
}
_RANKINGS: _Json = {
    "operationId": "getRanking",
    "summary": "Patches that were judged by the same requirements, the best first",
    "parameters": [
        {
            "name": "patch",
            "in": "query",
            "required": True,
            "schema": {"type": "array", "items": {"type": "string"}, "minItems": 2, "maxItems": 20},
            "description": "Ids of patches, each as a parameter of its own.",
        }
    ],
    "responses": {"200": _said("The ranking.", Ranking), **_refused(401, 404, 409, 422, 503)},
}
_PATHS = {
    "/api/v1/patches": {"post": _POST},
    "/api/v1/patches/{patch_id}": {"parameters": [_ID], "get": _GET},
    "/api/v1/patches/{patch_id}/events": {"parameters": [_ID], "get": _EVENTS},
    "/api/v1/rankings": {"get": _RANKINGS},
}


@functools.cache
def description() -> str:
    """Return the description (OpenAPI 3.1) as JSON text."""
    taken, said = (PostedPatch,), (Accepted, PatchStatus, Progress, Problem, Ranking)
    _, schemas = models_json_schema(
        [*((one, "validation") for one in taken), *((one, "serialization") for one in said)],
        ref_template=_PLACE,
    )
    document = {
        "openapi": "3.1.0",
        "info": {
            "title": "Assay",
            "version": "1",
            "description": "Send a patch, watch it being judged, and read what to repair.",
            "license": {"name": "MIT", "identifier": "MIT"},
        },
        "servers": [{"url": "/"}],
        "security": [{"token": []}],
        "paths": _PATHS,
        "components": {
            "schemas": schemas["$defs"],
            "securitySchemes": {
                "token": {
                    "type": "http",
                    "scheme": "bearer",
                    "description": "`assay token create` makes one for a repository.",
                }
            },
        },
    }
    return json.dumps(document, indent=2) + "\n"


# --- errors as RFC 9457 says: `application/problem+json` -------------------------------------


class ApiProblem(Exception):
    """Ends a request with a problem; `headers` go with it."""

    def __init__(self, problem: Problem, headers: Mapping[str, str] | None = None) -> None:
        super().__init__(problem.title)
        self.problem = problem
        self.headers = dict(headers or {})


def refusal(
    status: HTTPStatus, title: str, detail: str, headers: Mapping[str, str] | None = None
) -> ApiProblem:
    """Return a problem to be raised."""
    return ApiProblem(Problem(title=title, status=status.value, detail=detail), headers)


def as_response(problem: Problem, headers: Mapping[str, str] | None = None) -> Response:
    """Return the answer that shows a problem."""
    text = problem.model_dump_json(exclude_defaults=False)
    response = Response(text, problem.status, content_type=PROBLEM_TYPE)
    response.headers.update(headers or {})
    return response
