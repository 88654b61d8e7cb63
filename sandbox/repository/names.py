"""File names as git has them (bytes) and as everybody else can show and store them (text).

A name that is valid UTF-8 is itself. Any other name takes git's own quoted form, for example
`"caf\\351.txt"`, and so does one that begins with a quote, so the form can always be undone.
"""

from __future__ import annotations

import os
import re
from pathlib import Path

from sandbox.errors import CheckoutError, must_exist
from sandbox.toolchains.tree import Tree

_ESCAPE = re.compile(rb"\\([0-7]{3}|.)", re.DOTALL)
_FORBIDDEN = {b"", b".", b".."}


def display_name(raw: bytes) -> str:
    """Return the text form of a file name; `raw_name` undoes it."""
    try:
        text = raw.decode()
    except UnicodeDecodeError:
        return _quoted(raw)
    return _quoted(raw) if text.startswith('"') else text


def raw_name(display: str) -> bytes:
    """Return the bytes of a file name shown by `display_name`."""
    if not (display.startswith('"') and display.endswith('"') and len(display) > 1):
        return display.encode(errors="surrogatepass")
    return _ESCAPE.sub(_unescape, display[1:-1].encode(errors="surrogatepass"))


def _quoted(raw: bytes) -> str:
    parts = (
        f"\\{chr(byte)}" if byte in b'"\\' else chr(byte) if 32 <= byte < 127 else f"\\{byte:03o}"
        for byte in raw
    )
    return f'"{"".join(parts)}"'


def _unescape(match: re.Match[bytes]) -> bytes:
    code = match.group(1)
    return bytes([int(code, 8) & 0xFF]) if len(code) == 3 else code


def is_plain(raw: bytes) -> bool:
    """Say whether a name is relative, has no empty or dotted step and so stays inside the tree."""
    return b"\0" not in raw and not any(part in _FORBIDDEN for part in raw.split(b"/"))


def inside(tree: Path, display: str) -> Path:
    """Return where a shown name stands below `tree`; the name is checked, links are not followed.

    Raises CheckoutError for a name that is absolute, empty or climbs out.
    """
    raw = raw_name(display)
    if not is_plain(raw):
        raise CheckoutError(f"{display!r} is not a path inside the repository.")
    return tree / os.fsdecode(raw)


# --- single files of an exported tree; links are not followed and nothing large is read ------------


MAX_FILE_BYTES = 2_000_000


class TreeReader:
    """The files of one side, by their names in the repository. Raises FilesMissing without the side."""

    def __init__(self, tree: Path) -> None:
        self._tree = must_exist(tree)
        self._listed = Tree(tree)

    def paths(self) -> tuple[str, ...]:
        """Return the paths of all files that are not hidden or vendored."""
        return self._listed.files()

    def read(self, path: str) -> str | None:
        """Return a file's text; None when it is absent, no text, or too large to read."""
        data = self.read_bytes(path)
        if data is None:
            return None
        try:
            return data.decode("utf-8").replace("\r\n", "\n")
        except UnicodeDecodeError:
            return None

    def read_bytes(self, path: str) -> bytes | None:
        """Return a file's bytes; None when it is absent or too large to read."""
        try:
            file = inside(self._tree, path)
        except CheckoutError:
            return None
        if file.is_symlink() or not file.is_file() or file.stat().st_size > MAX_FILE_BYTES:
            return None
        return file.read_bytes()
