"""Tokens for agents, made, listed and revoked by the administrators of a repository and the operator."""

from __future__ import annotations

import hmac
import logging
import time
from dataclasses import dataclass
from http import HTTPStatus

from flask import Blueprint, Response, request
from itsdangerous import Signer
from werkzeug.wrappers import Response as AnyResponse

from bot.errors import UserError
from bot.store import MOST_DAYS, IssuedToken, Store, check_repository
from bot.web.dashboard.sign_in import led_to
from bot.web.dashboard.visits import Visitor, Visits
from bot.web.links import SignedLinks
from bot.web.pages import live_page, missing

log = logging.getLogger(__name__)

MOST_SHOWN = 200
DAYS = (7, 30, 90, MOST_DAYS)


@dataclass(frozen=True, slots=True)
class TokenPages:
    """The page `/tokens` and its two forms.

    Who may only write is not let in: a token outlives its maker's access.
    """

    tokens: Store
    visits: Visits
    links: SignedLinks

    def shown(self) -> AnyResponse:
        """List what this visitor may revoke."""
        visitor = self.visits.current()
        if visitor is None or not visitor.may_make_tokens:
            return missing()
        return self._page(visitor)

    def made(self) -> AnyResponse:
        """Make a token and show it in the answer, once."""
        visitor = self._checked()
        repository = request.form.get("repository", "").strip()
        if visitor is None or not visitor.administers(repository):
            return missing()
        try:
            check_repository(repository)
            days = int(request.form.get("days", ""))
            if not 1 <= days <= MOST_DAYS:
                raise ValueError
        except UserError as error:
            return self._page(visitor, problem=error.what)
        except ValueError:
            return self._page(visitor, problem=f"A token lasts 1 to {MOST_DAYS} days.")
        name = request.form.get("name", "").strip()[:60]
        shows_report = request.form.get("report", "") == "yes"
        issued = self.tokens.issue_token(repository, days, name, shows_report=shows_report)
        log.info("%s made the token %s of %s", visitor.login, issued.token.id, repository)
        return self._page(visitor, issued=issued)

    def revoked(self, identifier: str) -> AnyResponse:
        """End a token of a repository that the visitor administers; any other looks like none."""
        visitor = self._checked()
        known = {one.id: one for one in self.tokens.tokens()}
        token = known.get(identifier)
        if visitor is None or token is None or not visitor.administers(token.repository):
            return missing()
        self.tokens.revoke_token(identifier)
        log.info("%s revoked the token %s of %s", visitor.login, identifier, token.repository)
        return led_to("/tokens")

    def _checked(self) -> Visitor | None:
        """Who sends a form of this page; None where another site made their browser send it."""
        sent = request.form.get("form", "").encode(errors="replace")
        is_ours = hmac.compare_digest(self._form_key().encode(), sent)
        return self.visits.current() if is_ours else None

    def _form_key(self) -> str:
        """What only a page of this session can hold; the cookie alone proves nothing."""
        signer = Signer(self.links.key(), salt="assay.tokens", key_derivation="hmac")
        return signer.get_signature(self.visits.secret()).decode()

    def _page(
        self, visitor: Visitor, issued: IssuedToken | None = None, problem: str = ""
    ) -> Response:
        mine = [one for one in self.tokens.tokens() if visitor.administers(one.repository)]
        return live_page(
            "dashboard/tokens.html.j2",
            HTTPStatus.BAD_REQUEST if problem else HTTPStatus.OK,
            visitor=visitor,
            here="tokens",
            form=self._form_key(),
            issued=issued,
            problem=problem,
            shown=mine[::-1][:MOST_SHOWN],
            now_s=time.time(),
            days=DAYS,
            address=self.links.public_url.rstrip("/"),
        )


def register(routes: Blueprint, pages: TokenPages) -> None:
    """Add the routes."""
    routes.add_url_rule("/tokens", view_func=pages.shown, endpoint="tokens")
    routes.add_url_rule("/tokens", view_func=pages.made, endpoint="make_token", methods=["POST"])
    routes.add_url_rule(
        "/tokens/<identifier>/revoke",
        view_func=pages.revoked,
        endpoint="revoke_token",
        methods=["POST"],
    )
