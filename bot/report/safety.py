"""Make hostile text harmless for the place where it is shown.

`visible` first: what a terminal or a text direction would interpret is removed or spelled out. Then one
escape per place: `prose` for a Markdown sentence or table cell, `code` for inline code, `fence` for
a block. In HTML, Jinja's autoescape does the job.

GitHub looks for mentions and references in the *rendered* text, where a backslash is gone: only a
zero-width space between the sign and the word helps. Other bots read the raw comment, code
blocks included, so mentions and commands are broken there too.
"""

from __future__ import annotations

import re
from dataclasses import fields, is_dataclass, replace
from enum import Enum
from typing import TypeVar

from markupsafe import Markup

from bot.report.redact import redact

_BREAK = "\u200b"
_BREAK_ENTITY = "&#8203;"

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
    return _scrub_any(value, secrets)  # type: ignore[return-value]


def _scrub_any(value: object, secrets: tuple[str, ...]) -> object:
    if isinstance(value, Enum):
        return value
    if isinstance(value, str):
        return scrub(value, secrets)
    if isinstance(value, tuple):
        return tuple(_scrub_any(item, secrets) for item in value)
    if is_dataclass(value) and not isinstance(value, type):
        parts = {f.name: _scrub_any(getattr(value, f.name), secrets) for f in fields(value)}
        return replace(value, **parts)
    return value


# --- Markdown -------------------------------------------------------------------------------

_SPACES = re.compile(r"\s+")
_ENTITIES = {"&": "&amp;", "<": "&lt;", ">": "&gt;", "|": "&#124;"}
_MARKUP = re.compile(r"[\\`*\[\]~$&<>|]|(?<![A-Za-z0-9])_|_(?![A-Za-z0-9])")
_BLOCK_START = re.compile(r"^(?:[#+=:/-]|\d{1,9}(?=[.)](?:\s|$)))")
_ADDRESS = r"@(?=[A-Za-z0-9])|(?<=[A-Za-z0-9]):(?=//)|www(?=\.)|(?:mailto|xmpp):"
_AUTOLINK = re.compile(
    _ADDRESS + r"|\#(?=\d)|\bGH-(?=\d)"  # an issue
    r"|(?<![A-Za-z0-9])[0-9a-f]{4}(?=[0-9a-f]{3,36}(?![A-Za-z0-9]))",  # a commit
    re.IGNORECASE,
)
_AUTOLINK_IN_CODE = re.compile(_ADDRESS, re.IGNORECASE)
"""GitHub links no issue or commit inside code, and a sha there is for copying."""
_BACKTICKS = re.compile(r"`+")
_COMMAND_LINE = re.compile(r"^(\s*)/(?=[A-Za-z][\w-]*(?:\s|$))", re.MULTILINE)
_MENTION = re.compile(r"(?<![A-Za-z0-9_])@(?=[A-Za-z0-9])")


def _escape_markup(found: re.Match[str]) -> str:
    sign = found.group()
    return _ENTITIES.get(sign, "\\" + sign)


def _escape_start(found: re.Match[str]) -> str:
    sign = found.group()
    return sign + _BREAK_ENTITY if sign.isdigit() or sign == "/" else "\\" + sign


def prose(text: str) -> Markup:
    """Untrusted text as one line of Markdown that renders to exactly that text and nothing else.

    Safe in a paragraph, a list item, a heading and a table cell.
    """
    return Markup(_BLOCK_START.sub(_escape_start, _one_line(text, _AUTOLINK)))  # noqa: S704


def code(text: str) -> Markup:
    """Untrusted text as inline code, also inside a table (a backtick span breaks at a pipe there)."""
    return Markup(f"<code>{_one_line(text, _AUTOLINK_IN_CODE) or ' '}</code>")  # noqa: S704


def _one_line(text: str, links: re.Pattern[str]) -> str:
    line = _SPACES.sub(" ", visible(text)).strip()
    pieces: list[str] = []
    last = 0
    for found in links.finditer(line):
        pieces += [_MARKUP.sub(_escape_markup, line[last : found.start()]), found.group()]
        pieces.append(_BREAK_ENTITY)
        last = found.end()
    return "".join((*pieces, _MARKUP.sub(_escape_markup, line[last:])))


def fence(text: str, language: str = "") -> Markup:
    """Untrusted text as a code block that nothing inside it can close."""
    body = _COMMAND_LINE.sub(rf"\1{_BREAK}/", visible(text).strip("\n"))
    body = _MENTION.sub(f"@{_BREAK}", body)
    longest = max((len(run) for run in _BACKTICKS.findall(body)), default=0)
    ticks = "`" * max(3, longest + 1)
    return Markup(f"{ticks}{language}\n{body}\n{ticks}")  # noqa: S704
