"""Registers apps: by the owner's door, or by the manifest flow of the settings page."""

from __future__ import annotations

import secrets
import time

from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa

from bot.demo.forge.context import context, required_text
from bot.demo.forge.rows import AppRow, ConversionRow, User
from bot.text.json_reading import Payload

MANIFEST_LIFETIME_S = 3600


def register(wishes: Payload) -> tuple[AppRow, str]:
    """A new app with a fresh key pair; only the public half is stored."""
    store = context().state
    key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    private_key = key.private_bytes(
        serialization.Encoding.PEM,
        serialization.PrivateFormat.TraditionalOpenSSL,
        serialization.NoEncryption(),
    ).decode()
    public_key = key.public_key().public_bytes(
        serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo
    )
    name = required_text(wishes, "App", "name")
    slug = "-".join("".join(c if c.isalnum() else " " for c in name.lower()).split())
    app = AppRow(
        id=store.next_id(),
        slug=slug,
        name=name,
        owner=wishes.text("owner") or "octocat",
        public_key=public_key.decode(),
        webhook_url=wishes.text("webhook_url"),
        webhook_secret=wishes.text("webhook_secret") or secrets.token_hex(20),
        permissions=(*wishes.pairs("permissions"),),
        events=tuple(item.text() for item in wishes.items("events")),
        created_at_s=time.time(),
    )
    store.put(app.id, app)
    bot = f"{slug}[bot]"
    store.put(bot, User(store.next_id(), bot, "Bot"))
    return app, private_key


def remember_conversion(app: AppRow, private_key: str) -> str:
    """The one-time code of the manifest flow."""
    row = ConversionRow(
        secrets.token_hex(20), app.id, private_key, time.time() + MANIFEST_LIFETIME_S
    )
    context().state.put(row.code, row)
    return row.code
