"""Hostile text made harmless: scrubbed of controls and secrets, and escaped for its place."""

from bot.text.escape import Delimiter, code, delimiter_of, fence, sentence, suggestion
from bot.text.scrub import redact, scrub, scrub_tree, visible
