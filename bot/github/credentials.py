"""The App as it is registered: what `app.yml` describes, its key, and its credentials in `home`."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote, urlencode

import yaml
from pydantic import BaseModel, ConfigDict

from bot.errors import UserError
from bot.github import AppCredentials
from bot.settings import CREDENTIALS, Settings, make_home
from bot.templates import app_manifest


def private_key(settings: Settings) -> str:
    """Return the key's PEM text. Raises UserError when its file cannot be read."""
    if settings.private_key_path is None:
        return settings.private_key.get_secret_value().replace("\\n", "\n")
    try:
        return settings.private_key_path.read_text()
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is no text"
        raise UserError(
            f"The App's key cannot be read from {settings.private_key_path}: {reason}.",
            "Check PRIVATE_KEY_PATH and who may read that file.",
        ) from error


def held_secrets(settings: Settings) -> tuple[str, ...]:
    """Return what this process holds and no report may show, wherever it may have come from."""
    held = (
        settings.webhook_secret,
        settings.client_secret,
        settings.link_key,
        settings.model_key,
        settings.search_key,
    )
    known = (private_key(settings), *(secret.get_secret_value() for secret in held))
    return tuple(secret for secret in known if secret)


SIGNED_IN = "/login/callback"
"""Where GitHub leads people back to who sign in."""


class Manifest(BaseModel):
    """The keys of `app.yml`; an unknown one is an error."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    name: str
    url: str
    description: str
    public: bool
    default_permissions: dict[str, str]
    default_events: tuple[str, ...]

    def registration(self, public_url: str, back: str) -> str:
        """Return the JSON that GitHub's page takes: this, the webhook, and where to come back to.

        `back` is for the one who registers; who signs in comes back to `SIGNED_IN`.
        """
        return json.dumps(
            {
                **self.model_dump(mode="json"),
                "hook_attributes": {"url": f"{public_url.rstrip('/')}/webhook", "active": True},
                "redirect_url": back,
                "callback_urls": [f"{public_url.rstrip('/')}{SIGNED_IN}"],
            }
        )


def load_manifest() -> Manifest:
    """Read `app.yml`. Raises pydantic's ValidationError when it is not what it must be."""
    return Manifest.model_validate(yaml.safe_load(app_manifest().read_text(encoding="utf-8")))


def new_app_page(web: str, organization: str, state: str) -> str:
    """Return GitHub's page for a new App of the organization, or of the person when it is empty."""
    owner = f"/organizations/{quote(organization, safe='')}" if organization else ""
    return f"{web}{owner}/settings/apps/new?{urlencode({'state': state})}"


KEY = "app.pem"


@dataclass(frozen=True, slots=True)
class CredentialFiles:
    """Where they stand below one `home`."""

    home: Path

    @property
    def settings(self) -> Path:
        """Return the file that `load_settings` reads."""
        return self.home.absolute() / CREDENTIALS

    @property
    def key(self) -> Path:
        """Return the private key's file."""
        return self.home.absolute() / KEY

    def refuse_to_replace(self) -> None:
        """Raise UserError when something is stored already: an App's key is handed over only once."""
        for path in (self.settings, self.key):
            if path.exists():
                raise UserError(
                    f"An App's credentials are stored already in {path}.",
                    "Use them, or replace them with --force, or set ASSAY_HOME to another folder.",
                )

    def store(self, credentials: AppCredentials, settings: Settings) -> None:
        """Write both files; the settings come last, so that they never name a missing key.

        Raises UserError when the folder cannot be written.
        """
        values = {
            "APP_ID": str(credentials.app_id),
            "PRIVATE_KEY_PATH": str(self.key),
            "WEBHOOK_SECRET": credentials.webhook_secret,
            "GITHUB_CLIENT_ID": credentials.client_id,
            "GITHUB_CLIENT_SECRET": credentials.client_secret,
            "ASSAY_PUBLIC_URL": settings.public_url,
            **({"GHE_HOST": settings.ghe_host} if settings.ghe_host else {}),
        }
        # Lines as dotenv reads them: what stands in single quotes is not expanded.
        lines = {
            name: value.replace("\\", "\\\\").replace("'", "\\'") for name, value in values.items()
        }
        make_home(self.home)
        try:
            _write(self.key, credentials.private_key)
            _write(self.settings, "".join(f"{name}='{value}'\n" for name, value in lines.items()))
        except OSError as error:
            raise UserError(
                f"The App's credentials cannot be stored in {self.home}: {error.strerror}.",
                "Make ASSAY_HOME a folder that you may write to.",
            ) from error


def _write(path: Path, text: str) -> None:
    partial = path.with_name(f".{path.name}.partial")
    partial.unlink(missing_ok=True)
    descriptor = os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "w", encoding="utf-8") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    partial.replace(path)
