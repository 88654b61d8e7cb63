"""The App's credentials in `home`: one file of settings and one key, readable by their owner alone."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from bot.errors import UserError
from bot.github import AppCredentials
from bot.own_folder import make_home
from bot.settings import CREDENTIALS, Settings

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
            "ASSAY_PUBLIC_URL": settings.public_url,
            **({"GHE_HOST": settings.ghe_host} if settings.ghe_host else {}),
        }
        make_home(self.home)
        try:
            _write(self.key, credentials.private_key)
            _write(self.settings, _as_settings(values))
        except OSError as error:
            raise UserError(
                f"The App's credentials cannot be stored in {self.home}: {error.strerror}.",
                "Make ASSAY_HOME a folder that you may write to.",
            ) from error


def _as_settings(values: Mapping[str, str]) -> str:
    """Write the lines as dotenv reads them; what stands in single quotes is not expanded."""
    escaped = {
        name: value.replace("\\", "\\\\").replace("'", "\\'") for name, value in values.items()
    }
    return "".join(f"{name}='{value}'\n" for name, value in escaped.items())


def _write(path: Path, text: str) -> None:
    partial = path.with_name(f".{path.name}.partial")
    partial.unlink(missing_ok=True)
    descriptor = os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "w", encoding="utf-8") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    partial.replace(path)
