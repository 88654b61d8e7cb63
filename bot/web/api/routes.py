"""The routes of `/api/v1`, for whoever brings a valid token, for its own repository."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from http import HTTPStatus

from flask import Blueprint, Request, Response, request, url_for
from pydantic import BaseModel, ValidationError
from werkzeug.exceptions import RequestEntityTooLarge

from bot.report.ranking import Contestant, NotComparable, ranking
from bot.store import ApiToken, EvaluationRecord, Store, utc_day
from bot.web.api.models import (
    Accepted,
    ApiProblem,
    PostedPatch,
    Problem,
    Ranking,
    as_response,
    description,
    refusal,
)
from bot.web.api.standing import Moment, ReadReport, Streams, progress_of, report_of, standing
from bot.web.api.submission import Submission, is_patch_of
from bot.webhook.patches import problems

_MAKE_ONE = "Ask the operator for a token: `assay token create --repository owner/name`."


MOST_RANKED = 20
MOST_BYTES = 8 << 20
"""Of one request: a diff and a trajectory of the largest allowed size fit."""


@dataclass(frozen=True, slots=True)
class Api:
    """The adapters of the API. `report_page` signs the address of an evaluation's page."""

    tokens: Store
    submission: Submission
    read_report: ReadReport
    report_page: Callable[[str], str]
    public_url: str
    streams: Streams = field(default_factory=lambda: Streams(2))

    def patches(self) -> Response:
        """Take a patch in."""
        token = bearer(request, self.tokens)
        patch = _posted()
        if not token.covers(patch.repository):
            raise refusal(
                HTTPStatus.FORBIDDEN,
                "A token of another repository",
                f"This token is for {token.repository}, and for no other repository.",
            )
        record = self.submission.take(patch, token)
        path = url_for("api.patch", patch_id=record.id)
        address = f"{self.public_url.rstrip('/')}{path}"
        accepted = Accepted(
            id=record.id, status=record.state, status_url=address, events_url=f"{address}/events"
        )
        return _json(accepted, HTTPStatus.ACCEPTED, {"Location": address})

    def patch(self, patch_id: str) -> Response:
        """Say how a patch stands."""
        token = bearer(request, self.tokens)
        record = self._record(patch_id, token)
        page = self.report_page(record.id) if token.shows_report else ""
        return _json(standing(record, self.read_report, page))

    def events(self, patch_id: str) -> Response:
        """Tell each stage as it begins, then how it ended."""
        token = bearer(request, self.tokens)
        self._record(patch_id, token)
        stream = self.streams.opened(partial(self._moment, patch_id, token))
        if stream is None:
            raise refusal(
                HTTPStatus.SERVICE_UNAVAILABLE,
                "Too many streams",
                f"All {self.streams.places} are taken. Ask for the status instead, or try again.",
                {"Retry-After": "10"},
            )
        headers = {"X-Accel-Buffering": "no", "Cache-Control": "no-store"}
        return Response(stream, mimetype="text/event-stream", headers=headers)

    def rankings(self) -> Response:
        """Rank patches that were judged by the same requirements."""
        token = bearer(request, self.tokens)
        names = tuple(dict.fromkeys(request.args.getlist("patch")))
        if not 2 <= len(names) <= MOST_RANKED:
            what = f"Name 2 to {MOST_RANKED} patches: `?patch=ID&patch=ID`."
            raise refusal(HTTPStatus.UNPROCESSABLE_ENTITY, "Nothing to rank", what)
        reports = [report_of(self._record(name, token), self.read_report) for name in names]
        if waiting := [n for n, report in zip(names, reports, strict=True) if report is None]:
            what = f"These have no report yet: {', '.join(waiting)}."
            raise refusal(HTTPStatus.CONFLICT, "Not judged yet", what, {"Retry-After": "10"})
        found = zip(names, reports, strict=True)
        try:
            ranks = ranking([Contestant(name, report) for name, report in found if report])
        except NotComparable as error:
            status = HTTPStatus.UNPROCESSABLE_ENTITY
            raise refusal(status, "Not comparable", f"{error} Send them with `plan_of`.") from error
        return _json(Ranking(ranks=ranks))

    def _moment(self, patch_id: str, token: ApiToken) -> Moment:
        record = self._record(patch_id, token)
        if record.state.is_final:
            page = self.report_page(record.id) if token.shows_report else ""
            return Moment("conclusion", standing(record, self.read_report, page), is_last=True)
        return Moment("stage", progress_of(record), is_last=False)

    def _record(self, patch_id: str, token: ApiToken) -> EvaluationRecord:
        """Find a patch of the token's repository: another one's looks like none."""
        record = self.submission.requests.evaluation(patch_id)
        if record is None or not is_patch_of(record, token.repository):
            what = "There is no such patch, or it is older than the records are kept."
            raise refusal(HTTPStatus.NOT_FOUND, "No such patch", what)
        return record


def blueprint(api: Api) -> Blueprint:
    """Build the routes."""
    routes = Blueprint("api", __name__, url_prefix="/api/v1")
    routes.add_url_rule("/patches", view_func=api.patches, endpoint="patches", methods=["POST"])
    routes.add_url_rule("/patches/<patch_id>", view_func=api.patch, endpoint="patch")
    routes.add_url_rule("/patches/<patch_id>/events", view_func=api.events, endpoint="events")
    routes.add_url_rule("/rankings", view_func=api.rankings, endpoint="rankings")
    routes.add_url_rule("/openapi.json", view_func=_description, endpoint="openapi")
    routes.register_error_handler(
        ApiProblem, lambda error: as_response(error.problem, error.headers)
    )
    return routes


def _posted() -> PostedPatch:
    """Read the body. Raises ApiProblem for what is too large, no JSON, or no patch."""
    if request.mimetype != "application/json":
        what = "Send the patch as JSON, with `Content-Type: application/json`."
        raise refusal(HTTPStatus.UNSUPPORTED_MEDIA_TYPE, "Not JSON", what)
    request.max_content_length = MOST_BYTES
    try:
        body = request.get_data(cache=False)
    except RequestEntityTooLarge as error:
        what = f"A request may have {MOST_BYTES >> 20} MiB. Push a branch and send its name."
        raise refusal(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, "Too large", what) from error
    try:
        return PostedPatch.model_validate_json(body)
    except ValidationError as error:
        wrong = problems(error)
        is_json = error.errors(include_input=False)[0]["type"] != "json_invalid"
        status = HTTPStatus.UNPROCESSABLE_ENTITY if is_json else HTTPStatus.BAD_REQUEST
        raise ApiProblem(
            Problem(
                title="Not a patch" if is_json else "Not JSON",
                status=status.value,
                detail="; ".join(f"{one.field}: {one.message}".removeprefix(": ") for one in wrong),
                errors=wrong,
            )
        ) from error


def _description() -> Response:
    headers = {"Cache-Control": "max-age=3600", "Access-Control-Allow-Origin": "*"}
    return Response(description(), mimetype="application/json", headers=headers)


def _json(
    said: BaseModel, status: HTTPStatus = HTTPStatus.OK, headers: dict[str, str] | None = None
) -> Response:
    text = said.model_dump_json(by_alias=True)
    return Response(text, status.value, headers, mimetype="application/json")


def bearer(request: Request, tokens: Store) -> ApiToken:
    """Return the valid token of a request. Raises ApiProblem (401) where there is none."""
    scheme, _, secret = request.headers.get("Authorization", "").partition(" ")
    if scheme.lower() != "bearer" or not secret.strip():
        raise _unauthorized("The header `Authorization: Bearer …` is missing.", "")
    token = tokens.token_of(secret.strip())
    if token is None:
        raise _unauthorized("The token is not known.", "invalid_token")
    if token.revoked_s is not None:
        raise _unauthorized("The token was revoked.", "invalid_token")
    if not token.is_valid(time.time()):
        what = f"The token expired on {utc_day(token.expires_s)}."
        raise _unauthorized(what, "invalid_token")
    return token


def _unauthorized(what: str, error: str) -> ApiProblem:
    challenge = f'Bearer error="{error}"' if error else "Bearer"
    headers = {"WWW-Authenticate": challenge}
    return refusal(HTTPStatus.UNAUTHORIZED, "No valid token", f"{what} {_MAKE_ONE}", headers)
