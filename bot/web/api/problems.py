"""Errors of the API as RFC 9457 says: `application/problem+json`."""

from __future__ import annotations

from collections.abc import Mapping
from http import HTTPStatus

from flask import Response
from pydantic import BaseModel, ConfigDict, Field

from bot.webhook.patches import FieldProblem

PROBLEM_TYPE = "application/problem+json"
BELOW = "/api/"
"""Every error below this address is a problem, whoever finds it."""


class Problem(BaseModel):
    """What went wrong: `title` says what kind of thing, `detail` this very thing and the way out."""

    model_config = ConfigDict(frozen=True)

    type: str = Field(default="about:blank", description="Always about:blank: `title` says it all.")
    title: str
    status: int = Field(ge=400, le=599)
    detail: str = ""
    errors: tuple[FieldProblem, ...] = Field(default=(), description="What is wrong, by field.")


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
