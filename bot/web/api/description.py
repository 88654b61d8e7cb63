"""The API's OpenAPI description, made of the models that check the requests and write the answers."""

from __future__ import annotations

import functools
import json

from pydantic import BaseModel
from pydantic.json_schema import models_json_schema

from bot.web.api.models import Accepted, PatchStatus, PostedPatch, Progress, Ranking
from bot.web.api.problems import PROBLEM_TYPE, Problem

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
        "paths": {
            "/api/v1/patches": {"post": _post()},
            "/api/v1/patches/{patch_id}": {"parameters": [_ID], "get": _get()},
            "/api/v1/patches/{patch_id}/events": {"parameters": [_ID], "get": _events()},
            "/api/v1/rankings": {"get": _rankings()},
        },
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


_ID: _Json = {
    "name": "patch_id",
    "in": "path",
    "required": True,
    "schema": {"type": "string"},
    "description": "The `id` that the patch was accepted with.",
}


def _post() -> _Json:
    body = {"required": True, "content": {"application/json": {"schema": _ref(PostedPatch)}}}
    return {
        "operationId": "postPatch",
        "summary": "Send a patch; the same patch again is the same evaluation",
        "requestBody": body,
        "responses": {"202": _said("It will be judged.", Accepted), **_refused(*_PROBLEMS)},
    }


def _get() -> _Json:
    return {
        "operationId": "getPatch",
        "summary": "How a patch stands, and what to repair",
        "responses": {"200": _said("How it stands.", PatchStatus), **_refused(401, 404, 503)},
    }


def _events() -> _Json:
    told = "Events `stage` (data: Progress) and at the end `conclusion` (data: PatchStatus)."
    answer = {"description": told, "content": {"text/event-stream": {"schema": {"type": "string"}}}}
    return {
        "operationId": "getPatchEvents",
        "summary": "What happens to a patch, as server-sent events; ask again when it is cut off",
        "responses": {"200": answer, **_refused(401, 404, 503)},
    }


def _rankings() -> _Json:
    ids = {"type": "array", "items": {"type": "string"}, "minItems": 2, "maxItems": 20}
    patch = {
        "name": "patch",
        "in": "query",
        "required": True,
        "schema": ids,
        "description": "Ids of patches, each as a parameter of its own.",
    }
    return {
        "operationId": "getRanking",
        "summary": "Patches that were judged by the same requirements, the best first",
        "parameters": [patch],
        "responses": {"200": _said("The ranking.", Ranking), **_refused(401, 404, 409, 422, 503)},
    }


def _said(what: str, model: type[BaseModel]) -> _Json:
    return {"description": what, "content": {"application/json": {"schema": _ref(model)}}}


def _refused(*statuses: int) -> _Json:
    content = {PROBLEM_TYPE: {"schema": _ref(Problem)}}
    return {
        str(status): {"description": _PROBLEMS[status], "content": content} for status in statuses
    }


def _ref(model: type[BaseModel]) -> _Json:
    return {"$ref": _PLACE.format(model=model.__name__)}
