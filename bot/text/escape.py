"""Escape hostile text for the place where it is shown in Markdown.

One escape per place: `prose` for a sentence or table cell, `code` for inline code, `fence` for a block.
In HTML, Jinja's autoescape does the job.

GitHub looks for mentions and references in the *rendered* text, where a backslash is gone: only a
zero-width space between the sign and the word helps. Other bots read the raw comment, code
blocks included, so mentions and commands are broken there too, by entities that nobody copies.
"""

from __future__ import annotations

import hashlib
import hmac
import re
from dataclasses import dataclass
from functools import cache

from markupsafe import Markup

from bot.text.clipping import clip_middle
from bot.text.scrub import scrub

_BREAK_ENTITY = "&#8203;"

_QUOTED = re.compile(r"`([^`]+)`")
_SPACES = re.compile(r"\s+")
_ENTITIES = {"&": "&amp;", "<": "&lt;", ">": "&gt;", "|": "&#124;"}
_MARKUP = re.compile(r"[\\`*\[\]~$&<>|#]|(?<![A-Za-z0-9])_|_(?![A-Za-z0-9])")
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
_COMMAND_LINE = re.compile(r"^([^\S\n]*)/(?=[A-Za-z][\w-]*(?:\s|$))", re.MULTILINE)
_MENTION = re.compile(r"(?<![A-Za-z0-9_])@(?=[A-Za-z0-9])")


def _escape_markup(found: re.Match[str]) -> str:
    sign = found.group()
    return _ENTITIES.get(sign, "\\" + sign)


def _escape_start(found: re.Match[str]) -> str:
    sign = found.group()
    return sign + _BREAK_ENTITY if sign.isdigit() or sign == "/" else "\\" + sign


def sentence(text: str) -> Markup:
    """Untrusted text as one line of Markdown that renders to that text, between backticks as code.

    Safe in a paragraph, a list item, a heading and a table cell.
    """
    parts = _QUOTED.split(_one_line(text))
    line = "".join(
        code(part) if index % 2 else _escaped(part, _AUTOLINK) for index, part in enumerate(parts)
    )
    return Markup(_BLOCK_START.sub(_escape_start, line))  # noqa: S704


def code(text: str) -> Markup:
    """Untrusted text as inline code, also inside a table (a backtick span breaks at a pipe there)."""
    return Markup(f"<code>{_escaped(_one_line(text), _AUTOLINK_IN_CODE) or ' '}</code>")  # noqa: S704


def _one_line(text: str) -> str:
    return _SPACES.sub(" ", scrub(text)).strip()


def _escaped(line: str, links: re.Pattern[str]) -> str:
    pieces: list[str] = []
    last = 0
    for found in links.finditer(line):
        pieces += [_MARKUP.sub(_escape_markup, line[last : found.start()]), found.group()]
        pieces.append(_BREAK_ENTITY)
        last = found.end()
    return "".join((*pieces, _MARKUP.sub(_escape_markup, line[last:])))


def fence(text: str, language: str = "") -> Markup:
    """Untrusted text as a code block that nothing inside it can close, and that copies as it is.

    Where a line could be a command or a mention to a bot that reads the raw comment, the block is HTML:
    there such a sign can be spelled as an entity, without a hidden character.
    """
    body = scrub(text).strip("\n")
    if _COMMAND_LINE.search(body) or _MENTION.search(body):
        # no `<` of the text is left that could end it
        shown = re.sub("[&<>]", lambda sign: _ENTITIES[sign.group()], body)
        shown = _MENTION.sub("&#64;", _COMMAND_LINE.sub(r"\1&#47;", shown))
        named = f' lang="{language}"' if language else ""
        return Markup(f"<pre{named}><code>{shown}\n</code></pre>")  # noqa: S704
    return _block(language, f"{body}\n")


def suggestion(lines: tuple[str, ...]) -> Markup | None:
    """Untrusted lines as a block that GitHub offers to commit, letter by letter; without any it removes.

    None for what cannot stand as it is: hidden characters, secrets, what could speak to a bot.
    """
    body = "".join(f"{line}\n" for line in lines)
    if scrub(body) != body or _COMMAND_LINE.search(body) or _MENTION.search(body):
        return None
    return _block("suggestion", body)


def _block(language: str, body: str) -> Markup:
    longest = max(map(len, _BACKTICKS.findall(body)), default=0)
    ticks = "`" * max(3, longest + 1)
    return Markup(f"{ticks}{language}\n{body}{ticks}")  # noqa: S704


_LABEL = re.compile(r"[^A-Za-z0-9 #._:/'-]")
_FORGED = re.compile(
    r"\[(?=[\w \t-]{1,160}[ \t](?<!\bin )(?<!\bor )(?<!\band )(?<!\bnot )(?<!\belse )"
    r"(?:end[ \t]{0,9}\]|begin\b[^\]\n]{0,160}\])"
    r"|[^\]\n]{0,40}[0-9a-f]{8}[^\]\n]{0,100}\b(?:begin|end)\b[^\]\n]{0,160}\])",
    re.IGNORECASE,
)
"""The bracket of what looks like a mark of ours, whatever word it is made of; `items[start:end]` is code."""
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
