"""Take out of text what a terminal, a text direction or a thief could use: the first layer everywhere.

Secrets are token shapes that issuers publish, and the exact secrets we know. Own patterns: detect-secrets had
no release since 1.5.0 (2024) and answers per file, not per text. Each pattern keeps what stands before the
secret (group `keep`), so that a reader still sees where it was. Bare sha1s, uuids and base64 data match
nothing here.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, fields, is_dataclass, replace
from enum import Enum
from functools import lru_cache
from typing import TypeVar

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
    if not secrets and len(text) <= _SHORT:
        return _scrubbed(text)
    return redact(visible(text), secrets)


_SHORT = 300


@lru_cache(maxsize=8192, typed=True)  # text that is escaped already is another one
def _scrubbed(text: str) -> str:
    """Short texts are names, paths and sentences, which a report says many times."""
    return redact(visible(text))


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


# --- secrets -------------------------------------------------------------------------------------


_HINT = re.compile(
    r"assay_[0-9a-f]|gh[pousr]_|github_pat_|glpat-|A(?:KI|SI|BI|CC)A|xox|xapp-|hooks\.slack|-----|eyJ|npm_|pypi-|sk-"
    r"|[rs]k_|AIza|ya29|hf_|SG\.|dop_v1|dckr_pat|authorization|bearer|api[_-]?key|access[_-]?key"
    r"|private[_-]?key|account[_-]?key|://[^\s/]*@|machine\s|token|secret|passw|credential|cookie",
    re.IGNORECASE,
)
"""Cheap first look: a text without any of these holds no shape of the table below."""

_NAME = (
    r"(?:token|secret|passwd|password|api_?key|access_?key|private_?key|account_?key|credentials?)"
)


def _looks_random(value: str) -> bool:
    """Letters and digits, with three bits of Shannon entropy a character or more."""
    if not (any(c.isdigit() for c in value) and any(c.isalpha() for c in value)):
        return False
    counts = Counter(value).values()
    return -sum(n / len(value) * math.log2(n / len(value)) for n in counts) >= 3.0


@dataclass(frozen=True, slots=True)
class _Shape:
    """One kind of secret; `is_secret` looks once more at what the group `secret` holds."""

    name: str
    pattern: re.Pattern[str]
    is_secret: Callable[[str], bool] = lambda _: True

    def replace(self, text: str) -> str:
        return self.pattern.sub(self._replacement, text)

    def _replacement(self, match: re.Match[str]) -> str:
        groups = match.groupdict()
        if not self.is_secret(groups.get("secret") or match.group()):
            return match.group()
        return f"{groups.get('keep') or ''}[redacted: {self.name}]{groups.get('rest') or ''}"


_SHAPES = (
    _Shape(
        "private key",
        re.compile(
            r"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----"
            r"(?:[^-]|-(?!----)){0,20000}(?:-----END [A-Z0-9 ]{0,40}-----)?"
        ),
    ),
    _Shape(
        "private key",  # its beginning was cut off
        re.compile(r"(?:^[A-Za-z0-9+/=]{16,76}\n){1,200}-----END [A-Z0-9 ]{0,40}KEY-----", re.M),
    ),
    _Shape(
        "GitHub token",
        re.compile(r"(?:gh[pousr]_[A-Za-z0-9]{16,255}|github_pat_[A-Za-z0-9_]{16,255})"),
    ),
    _Shape("Assay token", re.compile(r"assay_[0-9a-f]{12}_[A-Za-z0-9_-]{43}")),
    _Shape("GitLab token", re.compile(r"glpat-[\w-]{16,}")),
    _Shape("AWS key id", re.compile(r"A(?:KIA|SIA|BIA|CCA)[A-Z0-9]{16}(?![A-Z0-9])")),
    _Shape("Slack token", re.compile(r"x(?:ox[abeoprs]|app-\d)-[A-Za-z0-9-]{10,}")),
    _Shape("Slack webhook", re.compile(r"https://hooks\.slack\.com/services/[A-Za-z0-9/]{10,}")),
    _Shape(
        "JSON web token",
        re.compile(r"eyJ(?<![\w-]eyJ)[\w-]{8,4000}\.[\w-]{8,8000}(?:\.[\w-]{0,8000}){1,3}"),
    ),
    _Shape("npm token", re.compile(r"npm_[A-Za-z0-9]{30,}")),
    _Shape("PyPI token", re.compile(r"pypi-AgE[\w-]{16,}")),
    _Shape("API key", re.compile(r"sk-(?<![A-Za-z0-9]sk-)[A-Za-z0-9_-]{20,}"), _looks_random),
    _Shape("API key", re.compile(r"(?:s|r)k_(?:live|test)_[A-Za-z0-9]{16,}")),
    _Shape("Google key", re.compile(r"AIza[\w-]{35}|ya29\.[\w-]{20,}")),
    _Shape("Hugging Face token", re.compile(r"hf_[A-Za-z0-9]{30,}")),
    _Shape("SendGrid key", re.compile(r"SG\.[\w-]{16,32}\.[\w-]{32,64}")),
    _Shape("access token", re.compile(r"d(?:op_v1_[a-f0-9]{32,}|ckr_pat_[\w-]{20,})")),
    _Shape(
        "authorization",
        re.compile(
            r"(?P<keep>authorization[\"']?\s{0,8}[:=]\s{0,8}[\"']?(?:(?:bearer|basic|token|digest)\s{1,8})?)"
            # a call is code: `authorization = header_of(user)`
            r"(?P<secret>(?!(?:bearer|basic|token|digest)\s|[A-Za-z_][\w.]{0,80}\()[^\s\"'`\[]{6,})",
            re.IGNORECASE,
        ),
    ),
    _Shape(
        "bearer token",
        re.compile(r"(?P<keep>bearer\s{1,8})(?P<secret>[\w.~+/-]{16,}=*)", re.IGNORECASE),
        _looks_random,
    ),
    _Shape(
        "cookie", re.compile(r"(?P<keep>cookie:\s{0,8})(?P<secret>[^\s=]{1,80}=[^\n\[]{8,})", re.I)
    ),
    _Shape(
        "credentials",
        re.compile(
            r"(?P<keep>://)(?P<secret>[^\s/:@\"'\[<>]{0,300}:[^\s/@\"'\[<>]{1,300}"
            r"|[^\s/:@\"'\[<>]{16,300})(?P<rest>@)"
        ),
    ),
    _Shape(
        "password",
        re.compile(
            r"(?P<keep>machine\s{1,9}\S{1,200}\s{1,9}login\s{1,9}\S{1,200}\s{1,9}password\s{1,9})"
            r"(?P<secret>[^\s\[]\S*)"
        ),
    ),
    _Shape(
        "secret",
        re.compile(
            rf"(?P<keep>{_NAME}[A-Za-z0-9_]{{0,40}}[\"']?\s{{0,4}}[=:]\s{{0,4}}"
            r"[\"']?)(?P<secret>[A-Za-z0-9+/_=.~!@$%^*-]{12,})",
            re.IGNORECASE,
        ),
        _looks_random,
    ),
)

_SHORTEST_KNOWN = 6
"""A known secret shorter than this would blank out ordinary words."""


def redact(text: str, secrets: Iterable[str] = ()) -> str:
    """Replace everything that looks like a secret, and every exact secret of `secrets`.

    Doing it twice changes nothing more. Linear in the length of the text.
    """
    for secret in sorted(secrets, key=len, reverse=True):
        if len(secret) >= _SHORTEST_KNOWN:
            text = text.replace(secret, "[redacted]")
    if not _HINT.search(text):
        return text
    for shape in _SHAPES:
        text = shape.replace(text)
    return text
