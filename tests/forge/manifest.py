"""The manifest flow: an App is registered by a form, and its credentials are handed over once."""

from __future__ import annotations

import json
import secrets
import time
from dataclasses import dataclass
from urllib.parse import urlencode

from flask import Blueprint, Response, redirect, request
from werkzeug.wrappers import Response as AnyResponse

from bot.demo.forge.access import Refused, not_found
from bot.demo.forge.api_apps import Registered, register
from bot.demo.forge.context import answer, context
from bot.demo.forge.rows import AppRow
from bot.demo.forge.state import State
from bot.text.json_reading import Payload

routes = Blueprint("manifests", __name__, url_prefix="/api/v3")
pages = Blueprint("_manifests", __name__)


@dataclass(frozen=True, slots=True)
class ConversionRow:
    """The code of a finished manifest flow; the key is handed over once and then forgotten."""

    code: str
    app_id: int
    private_key: str
    expires_at_s: float
    client_secret: str = ""


MANIFEST_LIFETIME_S = 3600


def remember_conversion(made: Registered) -> str:
    """The one-time code of the manifest flow."""
    row = ConversionRow(
        secrets.token_hex(20),
        made.app.id,
        made.private_key,
        time.time() + MANIFEST_LIFETIME_S,
        made.client_secret,
    )
    context().state.put(row.code, row)
    return row.code


@routes.post("/app-manifests/<code>/conversions", endpoint="apps/create-from-manifest")
def manifest_converted(code: str) -> Response:
    """Hands over the credentials of a new app, once and within the hour."""
    forge = context()
    row = take_conversion(forge.state, code)
    app = forge.state.get(AppRow, row.app_id) if row else None
    if row is None or app is None or row.expires_at_s < time.time():
        raise not_found()
    return answer(
        {
            **forge.shapes.app(app),
            "client_secret": row.client_secret,
            "webhook_secret": app.webhook_secret,
            "pem": row.private_key,
        },
        201,
    )


def take_conversion(state: State, code: str) -> ConversionRow | None:
    """A manifest code, which is then spent."""
    with state.change():
        row = state.get(ConversionRow, code)
        state.remove(ConversionRow, code)
    return row


@pages.post("/settings/apps/new")
@pages.post("/organizations/<organization>/settings/apps/new")
def manifest_submitted(organization: str = "") -> AnyResponse:
    """Registers the app of a manifest and leads back with the code, as GitHub's page does."""
    try:
        manifest = Payload.parse(request.form.get("manifest", ""))
    except ValueError:
        raise Refused(422, "The manifest is no JSON.") from None
    back = manifest.text("redirect_url")
    if not back.startswith(("http://", "https://")):
        raise Refused(422, "redirect_url must be a web address.")
    wishes = {
        "name": manifest.text("name"),
        "owner": organization,
        "webhook_url": manifest.text("hook_attributes", "url"),
        "permissions": manifest.at("default_permissions").value,
        "events": manifest.at("default_events").value,
        "callback_urls": manifest.at("callback_urls").value,
    }
    query = {"code": remember_conversion(register(Payload(json.loads(json.dumps(wishes)))))}
    if state := request.args.get("state"):
        query["state"] = state
    return redirect(f"{back}{'&' if '?' in back else '?'}{urlencode(query)}")
