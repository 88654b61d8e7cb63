"""The App as `app.yml` describes it: what GitHub registers, and what the doctor compares with.

https://docs.github.com/en/apps/sharing-github-apps/registering-a-github-app-from-a-manifest
"""

from __future__ import annotations

import json
from urllib.parse import quote, urlencode

import yaml
from pydantic import BaseModel, ConfigDict

from bot.templates import app_manifest


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
        """Return the JSON that GitHub's page takes: this, the webhook, and where to come back to."""
        return json.dumps(
            {
                **self.model_dump(mode="json"),
                "hook_attributes": {"url": f"{public_url.rstrip('/')}/webhook", "active": True},
                "redirect_url": back,
            }
        )


def load_manifest() -> Manifest:
    """Read `app.yml`. Raises pydantic's ValidationError when it is not what it must be."""
    return Manifest.model_validate(yaml.safe_load(app_manifest().read_text(encoding="utf-8")))


def new_app_page(web: str, organization: str, state: str) -> str:
    """Return GitHub's page for a new App of the organization, or of the person when it is empty."""
    owner = f"/organizations/{quote(organization, safe='')}" if organization else ""
    return f"{web}{owner}/settings/apps/new?{urlencode({'state': state})}"
