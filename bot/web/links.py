"""Signed addresses of report pages: who holds the link may read, nobody can guess another one."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from urllib.parse import quote, urlencode

from itsdangerous import Signer

from bot.kept_key import kept_key
from bot.settings import Settings

INDEX = "index"
"""The name under which the list of evaluations is signed; no evaluation has it as its id."""


@dataclass(frozen=True, slots=True)
class ReportLinks:
    """Signs and checks links. They hold as long as the key does: retention ends them, not time.

    With `private` false the pages are for everybody and links carry no signature.
    """

    public_url: str
    key: bytes = field(repr=False)
    private: bool = True

    def sign(self, evaluation_id: str) -> str:
        """Return the address of an evaluation's page."""
        return self._address(f"/evaluations/{quote(evaluation_id, safe='')}", evaluation_id)

    def index(self) -> str:
        """Return the address of the list of recent evaluations, for the operator."""
        return self._address("/", INDEX)

    def signature(self, name: str) -> str:
        """Return the signature of an evaluation's id; empty when pages are public."""
        return self._signer().get_signature(name).decode() if self.private else ""

    def allows(self, name: str, signature: str) -> bool:
        """Tell whether a reader with this signature may see the page. Takes constant time."""
        return not self.private or self._signer().verify_signature(name, signature)

    def _address(self, path: str, name: str) -> str:
        query = "?" + urlencode({"s": self.signature(name)}) if self.private else ""
        return f"{self.public_url.rstrip('/')}{path}{query}"

    def _signer(self) -> Signer:
        return Signer(
            self.key, salt="assay.report", key_derivation="hmac", digest_method=hashlib.sha256
        )


def open_links(settings: Settings) -> ReportLinks:
    """Make links with the key of the settings, or with one kept in `home` (made when there is none)."""
    given = settings.link_key.get_secret_value()
    key = given.encode() if given else kept_key(settings.home / "link.key")
    return ReportLinks(settings.public_url, key, settings.private_reports)
