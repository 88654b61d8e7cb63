"""Finds, in all that judges of a run read, words that tell them what to say.

The integrity check looks at what a change adds; this looks at everything in a prompt, test output and
the task's text too, and through the usual disguises: spaced or look-alike letters, reversed, rot13,
base64. It cannot know every language: the canary tries the judges themselves.
"""

from __future__ import annotations

import base64
import binascii
import codecs
import re
import unicodedata

from bot.integrity.instructions import orders_in
from bot.text.clipping import clip_line

_SAYING = re.compile(
    r"(?i)\b(?:answer|say|reply|respond|output|vote|mark|rate|grade|judges?|conclude|deem|declare|"
    r"treat|verdict|outcome)\b[^\n]{0,60}\bsatisfied\b"
)
_REPLY = re.compile(r"(?i)[\"'](?:outcome|verdict)[\"']\s*:\s*[\"'](?:satisfied|valid)[\"']")
_SQUASHED = re.compile(
    r"(?:ignore|disregard|forget)(?:all|any|the|your|every|of)*(?:previous|prior|above|earlier|system|other)*"
    r"(?:instructions|rules|prompts?|guidelines)"
    r"|(?:answer|say|reply|respond|output|vote|mark|judge|conclude|deem|declare|treat|verdict|outcome)"
    r"(?:with|as|is|be|that|it|this|requirement|must|should|just|only|simply|ri|to)*satisfied"
)
_BASE64 = re.compile(r"[A-Za-z0-9+/]{24,4000}={0,2}")
_LETTERS = re.compile(r"[^a-z]")
_LIKE = str.maketrans(
    "01345@$|"
    "\u0430\u0435\u043e\u0440\u0441\u0445\u0443\u0456\u0455\u0458\u0501\u0442\u043a\u043c\u043d"
    "\u03b1\u03bf\u03b5\u03b9\u03c1\u03c4\u03ba\u03bd",
    "oieasas" + "l" + "aeopcxyisjdtkmn" + "aoeiptkv",
)
_SHOWN_CHARS = 120


def words_to_judges(text: str) -> str:
    """The first words that speak to a judge, shortened; empty when there are none."""
    plain = unicodedata.normalize("NFKC", text)
    lines = plain.splitlines()
    for _, said in orders_in(lines):
        return clip_line(said, _SHOWN_CHARS)
    for line in lines:
        if _SAYING.search(line) or _REPLY.search(line):
            return clip_line(line, _SHOWN_CHARS)
    return _disguised(plain) or _encoded(plain)


def _disguised(text: str) -> str:
    """Look through spacing, line ends, look-alike letters, direction and rot13."""
    letters = _LETTERS.sub("", text.casefold().translate(_LIKE))
    for reading in (letters, letters[::-1], codecs.encode(letters, "rot13")):
        if found := _SQUASHED.search(reading):
            return clip_line(found.group(), _SHOWN_CHARS)
    return ""


def _encoded(text: str) -> str:
    for found in _BASE64.finditer(text):
        word = found.group().rstrip("=")
        try:
            inside = base64.b64decode(word + "=" * (-len(word) % 4), validate=True).decode()
        except (binascii.Error, UnicodeDecodeError):
            continue
        if said := _SAYING.search(inside) or _SQUASHED.search(_LETTERS.sub("", inside.casefold())):
            return clip_line(said.group(), _SHOWN_CHARS)
    return ""
