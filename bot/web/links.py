"""Signed addresses of report pages: who holds the link may read, nobody can guess another one."""

from __future__ import annotations

import functools
import hashlib
from collections.abc import Callable
from dataclasses import dataclass, field
from urllib.parse import quote, urlencode

from itsdangerous import Signer

from bot.settings import Settings
from bot.store import Store

INDEX = "index"
"""The name under which the list of evaluations is signed; no evaluation has it as its id."""


@dataclass(frozen=True, slots=True)
class SignedLinks:
    """Signs and checks links. They hold as long as the key does: retention ends them, not time.

    With `private` false the pages are for everybody and links carry no signature.
    """

    public_url: str
    key: Callable[[], bytes] = field(repr=False)
    private: bool = True

    def sign(self, evaluation_id: str) -> str:
        """Return the address of an evaluation's page."""
        return self._address(f"/evaluations/{quote(evaluation_id, safe='')}", evaluation_id)

    def index(self) -> str:
        """Return the address of the list of recent evaluations, for the operator."""
        return self._address("/", INDEX)

    def calibration(self) -> str:
        """Return the address of the page about labels: whoever may see the list may see it."""
        return self._address("/calibration", INDEX)

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
            self.key(), salt="assay.report", key_derivation="hmac", digest_method=hashlib.sha256
        )


def open_links(settings: Settings, keys: Store) -> SignedLinks:
    """Make links with the key of the settings, or else with the one that all hosts share.

    That one is read when it is first needed: the web process starts while the database is away.
    """
    given = settings.link_key.get_secret_value().encode()

    @functools.cache
    def key() -> bytes:
        return given or keys.kept_key("link")

    return SignedLinks(settings.public_url, key, settings.private_reports)
