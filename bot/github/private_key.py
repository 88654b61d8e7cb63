"""The App's key, from the environment or from its file, and all else that this process keeps secret."""

from __future__ import annotations

from bot.errors import UserError
from bot.settings import Settings


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
        settings.link_key,
        settings.model_key,
        settings.search_key,
    )
    known = (private_key(settings), *(secret.get_secret_value() for secret in held))
    return tuple(secret for secret in known if secret)
