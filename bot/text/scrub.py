"""Take out of text what a terminal, a text direction or a thief could use: the first layer everywhere."""

from __future__ import annotations

import re
from dataclasses import fields, is_dataclass, replace
from enum import Enum
from typing import TypeVar

from bot.text.redact import redact

_TERMINAL = re.compile(
    r"\x1b\[[0-?]*[ -/]*[@-~]"  # CSI: colours, cursor
    r"|\x1b[\]PX^_][^\x07\x1b\x9c]{0,4096}(?:\x07|\x1b\\|\x9c)?"  # OSC, DCS: titles, links
    r"|\x1b[ -/]*[0-~]?"
    r"|\x9b[0-?]*[ -/]*[@-~]"
)
_NEWLINES = re.compile(r"\r\n?|[\x0b\x0c\x85\u2028\u2029]")
_INVISIBLE = re.compile(
    "[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200d\u2060-\u2065\u3164\ufe00-\ufe0e"
    "\ufeff\uffa0\ufff9-\ufffb\U000e0000-\U000e0fff]"
)
_SPELLED = re.compile(
    "[\x00-\x08\x0e-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u206f\ud800-\udfff]"
)
_UNUSUAL = re.compile(r"[^\n\t\x20-\x7e]")


def visible(text: str) -> str:
    """Remove terminal sequences and invisible characters; spell out controls and bidi overrides."""
    if not _UNUSUAL.search(text):
        return text
    text = _TERMINAL.sub("", text)
    text = _NEWLINES.sub("\n", text)
    text = _INVISIBLE.sub("", text)
    return _SPELLED.sub(lambda found: f"⟨U+{ord(found.group()):04X}⟩", text)


def scrub(text: str, secrets: tuple[str, ...] = ()) -> str:
    """`visible`, then `redact`: an invisible character inside a token must not hide the token."""
    return redact(visible(text), secrets)


_Tree = TypeVar("_Tree")


def scrub_tree(value: _Tree, secrets: tuple[str, ...] = ()) -> _Tree:
    """Scrub every string in a tree of dataclasses and tuples; enums and numbers stay.

    By construction no text of an evaluation reaches a reader around it.
    """
    return _Scrubber(secrets).of(value)  # type: ignore[return-value]


class _Scrubber:
    """Scrubs each different text of a tree once: paths, commands and names stand in it many times."""

    def __init__(self, secrets: tuple[str, ...]) -> None:
        self._secrets = secrets
        self._scrubbed: dict[str, str] = {}

    def of(self, value: object) -> object:
        if isinstance(value, Enum):
            return value
        if isinstance(value, str):
            if value not in self._scrubbed:
                self._scrubbed[value] = scrub(value, self._secrets)
            return self._scrubbed[value]
        if isinstance(value, tuple):
            return tuple(self.of(item) for item in value)
        if is_dataclass(value) and not isinstance(value, type):
            parts = {f.name: self.of(getattr(value, f.name)) for f in fields(value)}
            return replace(value, **parts)
        return value
