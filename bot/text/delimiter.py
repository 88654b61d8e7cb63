"""Encloses text that nobody vouches for before a model reads it."""

from __future__ import annotations

import hashlib
import hmac
import re
from dataclasses import dataclass
from functools import cache

from bot.text.clipping import clip_middle
from bot.text.scrub import scrub

_LABEL = re.compile(r"[^A-Za-z0-9 #._:/'-]")
_FORGED = re.compile(r"\[(?=[^\]\n]{0,160}\b(?:begin|end)\b[^\]\n]{0,160}\])", re.IGNORECASE)
"""The bracket of what looks like a mark of ours, whatever word it is made of."""
_WIDE = 0xFEE0  # from an ASCII sign to its full-width twin


@dataclass(frozen=True, slots=True)
class Delimiter:
    """The mark round hostile text in one run: `word` cannot be guessed by who wrote the text.

    It is derived, not drawn: the same run asks the same question, whose answer is remembered.
    """

    word: str

    def enclose(self, label: str, text: str, most_chars: int) -> str:
        """The text between marks that it cannot close, scrubbed and at most `most_chars` long.

        Of a longer one head and tail stay: the cause stands first, the summary last.
        """
        body = self._without_marks(clip_middle(scrub(text), most_chars))
        name = self._without_marks(_LABEL.sub("_", label)[:120])
        return f"[{self.word} begin {name}]\n{body}\n[{self.word} end]"

    def _without_marks(self, text: str) -> str:
        """Neither the run's word, spaced out or in wide letters either, nor what is shaped like a mark."""
        return _FORGED.sub("(", _spaced(self.word).sub("[mark removed]", text))


@cache
def _spaced(word: str) -> re.Pattern[str]:
    letters = (f"[{letter}{chr(ord(letter) + _WIDE)}]" for letter in word)
    return re.compile(r"[\W_]{0,3}".join(letters), re.IGNORECASE)


def delimiter_of(key: bytes, run: str) -> Delimiter:
    """The delimiter of a run (`run` names both commits); `key` is the installation's secret."""
    return Delimiter(hmac.new(key, run.encode(), hashlib.sha256).hexdigest()[:20])
