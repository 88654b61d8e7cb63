"""Hostile text made harmless: scrubbed of controls and secrets, and escaped for its place."""

from bot.safety.delimiter import Delimiter, delimiter_of
from bot.safety.escape import code, fence, prose, sentence
from bot.safety.redact import redact
from bot.safety.scrub import scrub, scrub_tree, visible

__all__ = [
    "Delimiter",
    "code",
    "delimiter_of",
    "fence",
    "prose",
    "redact",
    "scrub",
    "scrub_tree",
    "sentence",
    "visible",
]
