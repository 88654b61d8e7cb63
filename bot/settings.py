"""One frozen Settings, read once from the environment (names as Probot's where it has them)."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Literal, Self
from urllib.parse import urlsplit

from pydantic import (
    AliasChoices,
    Field,
    SecretStr,
    ValidationError,
    ValidationInfo,
    field_validator,
    model_validator,
)
from pydantic_settings import BaseSettings, SettingsConfigDict

from bot.errors import UserError


class Settings(BaseSettings):
    """Everything an operator can set. `ASSAY_<NAME>` each; the App's own keep Probot's names."""

    model_config = SettingsConfigDict(
        env_prefix="ASSAY_", frozen=True, extra="ignore", populate_by_name=True
    )

    home: Path = Path(".assay")
    """State: database, artifacts, mirrors, environments. Owned by Assay alone."""
    database_url: str = ""
    """SQLAlchemy URL; empty: SQLite inside `home`."""
    artifacts_url: str = ""
    """fsspec URL for reports; empty: a folder inside `home`."""
    public_url: str = "http://127.0.0.1:8080"
    """How people reach the web process; report links start with it."""
    host: str = "127.0.0.1"
    port: int = 8080
    sandbox: str = "auto"
    workers: int = Field(default=1, ge=1, le=64)
    """Evaluations that one worker process runs at the same time."""
    metrics_token: SecretStr = SecretStr("")
    """What Prometheus must send as its bearer token; empty: there is no `/metrics`."""
    web_streams: int = Field(default=2, ge=0)
    """Event streams of the API that one web process serves at a time; each keeps a thread."""
    private_reports: bool = True
    link_key: SecretStr = SecretStr("")
    """Signs report links; the same on every host. Empty: a key is kept in `home`."""
    retention_days: int = Field(default=30, ge=1)
    disk_gb: int = Field(default=20, ge=1)
    disk_floor_gb: float = Field(default=1.0, ge=0)
    """Free space in `home` below which no new evaluation is begun."""
    write_pause_s: float = Field(default=1.0, ge=0)
    """Between two writes to GitHub, which asks for a second."""
    github_timeout_s: float = Field(default=15.0, gt=0)
    """How long GitHub may take for one answer before it is asked again."""
    sweep_minutes: float = Field(default=10, gt=0)
    patience_hours: float = Field(default=24, gt=0)
    """How long an evaluation waits for GitHub to come back before it is given up."""
    longest_wait_s: float = Field(default=3700, gt=0)
    """Between two tries of what GitHub did not answer; a spent rate limit can ask for an hour."""
    approve_first_time_forks: bool = True
    """A maintainer must approve before a first-time contributor's fork runs."""
    chromium: str = "/usr/bin/chromium"
    pdf: bool = True
    """Print every report as PDF too."""

    model: str = ""
    """Name of the model that judges; empty: only oracles decide, the rest is unverified."""
    model_url: str = ""
    """Base URL of an OpenAI-compatible endpoint; empty: OpenAI's own."""
    model_key: SecretStr = SecretStr("")
    models: dict[str, str | tuple[str, ...]] = Field(default_factory=dict)
    """Models of single roles, as JSON: `{"panel": ["…", "…"]}`; of a list, each seat takes the next one."""
    model_prices: dict[str, tuple[float, float]] = Field(default_factory=dict)
    """US dollars for a million tokens in and out, where a model has no public price."""
    model_timeout_s: float = Field(default=120.0, gt=0)
    model_calls_at_once: int = Field(default=8, ge=1, le=256)

    search: Literal["", "pages", "searxng", "brave", "tavily", "ddgs"] = ""
    """Lets judges look things up on the web: public pages only, or by a search provider too."""
    search_url: str = ""
    """Where the search provider answers; needed for SearXNG."""
    search_key: SecretStr = SecretStr("")
    search_ports: tuple[int, ...] = ()
    """Ports beside 80 and 443 on which public pages may be fetched, as JSON."""

    app_id: str = Field(default="", validation_alias=AliasChoices("APP_ID", "app_id"))
    private_key: SecretStr = Field(
        default=SecretStr(""), validation_alias=AliasChoices("PRIVATE_KEY", "private_key")
    )
    private_key_path: Path | None = Field(
        default=None, validation_alias=AliasChoices("PRIVATE_KEY_PATH", "private_key_path")
    )
    webhook_secret: SecretStr = Field(
        default=SecretStr(""), validation_alias=AliasChoices("WEBHOOK_SECRET", "webhook_secret")
    )
    client_id: str = Field(
        default="", validation_alias=AliasChoices("GITHUB_CLIENT_ID", "client_id")
    )
    client_secret: SecretStr = Field(
        default=SecretStr(""),
        validation_alias=AliasChoices("GITHUB_CLIENT_SECRET", "client_secret"),
    )
    """With both, people sign in by GitHub and see what they may read there."""
    ghe_host: str = Field(default="", validation_alias=AliasChoices("GHE_HOST", "ghe_host"))
    """GitHub Enterprise host, or a full URL of a GitHub-compatible server; empty: github.com."""
    log_level: str = Field(default="INFO", validation_alias=AliasChoices("LOG_LEVEL", "log_level"))

    @field_validator("public_url", "search_url", "ghe_host")
    @classmethod
    def _is_an_address(cls, value: str, info: ValidationInfo) -> str:
        is_host = info.field_name == "ghe_host" and "://" not in value
        parts = urlsplit(f"https://{value}" if is_host else value)  # may raise ValueError itself
        is_set = value or info.field_name == "public_url"
        if is_set and (
            parts.scheme not in ("http", "https") or not parts.hostname or parts.port == 0
        ):
            raise ValueError("it must start with http:// or https:// and name a host")
        return value

    @model_validator(mode="after")
    def _search_is_complete(self) -> Self:
        if self.search == "searxng" and not self.search_url:
            raise ValueError("ASSAY_SEARCH=searxng needs ASSAY_SEARCH_URL")
        if self.search in {"brave", "tavily"} and not self.search_key.get_secret_value():
            raise ValueError(f"ASSAY_SEARCH={self.search} needs ASSAY_SEARCH_KEY")
        return self

    def models_of(self, role: str) -> tuple[str, ...]:
        """The models that a role asks: several where its seats have their own."""
        named = self.models.get(role) or self.model
        return (named,) if isinstance(named, str) else named

    def model_of(self, role: str, sample: int = 0) -> str:
        """The model of one seat of a role (`sample` counts from 1)."""
        seats = self.models_of(role)
        return seats[max(0, sample - 1) % len(seats)]


CREDENTIALS = "app.env"
"""In `home`, 0600: what `assay setup` stored."""


def load_settings() -> Settings:
    """Read the environment, below it what `assay setup` stored in `home`, and below that secrets.

    A secret is a file named like its variable in lower case, as compose mounts it (`/run/secrets`) or
    systemd does (`LoadCredential=`). Raises UserError that names a setting whose value is not valid.
    """
    try:
        return _read_settings()
    except ValidationError as error:
        first = error.errors()[0]
        name = ".".join(str(part) for part in first["loc"])
        # Those without a name of their own are called by their field.
        name = f"ASSAY_{name.upper()}" if name.partition(".")[0] in Settings.model_fields else name
        said = first["msg"].removeprefix("Value error, ")
        what = f"The setting {name} is not valid: {said}." if name else f"{said}."
        raise UserError(what, "Correct it in the environment.") from error


def _read_settings() -> Settings:
    folders = ("/run/secrets", os.environ.get("CREDENTIALS_DIRECTORY", ""))
    secrets = tuple(folder for folder in folders if folder and Path(folder).is_dir())
    settings = Settings(_secrets_dir=secrets)  # type: ignore[call-arg]
    stored = settings.home / CREDENTIALS
    if not stored.is_file():
        return settings
    return Settings(_secrets_dir=secrets, _env_file=stored)  # type: ignore[call-arg]


def make_own_folder(folder: Path, way_out: str, mode: int = 0o777) -> None:
    """Make a folder that ignores itself in git. Raises UserError when it cannot be written."""
    ignore = folder / ".gitignore"
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=mode)
        if not ignore.exists():
            ignore.touch(mode & 0o666)
            ignore.write_text("# Made by Assay.\n*\n")
    except OSError as error:
        raise UserError(f"{folder} cannot be written to: {error.strerror}.", way_out) from error


def make_home(home: Path) -> None:
    """Make the folder for Assay's state. Raises UserError when it cannot be written."""
    make_own_folder(home, "Set ASSAY_HOME to a folder that you may write to.", 0o700)
