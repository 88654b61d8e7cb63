"""Reads files of a hostile tree: nothing outside it, nothing but regular files, nothing endless."""

from __future__ import annotations

import ast
import json
import os
import re
import tomllib
from configparser import ConfigParser
from configparser import Error as ConfigError
from dataclasses import dataclass, field
from pathlib import Path

FILE_BYTES = 2_000_000
LISTED_FILES = 20_000
LINE_CHARS = 2_000
_UNSTORABLE = re.compile(r"\\u(?:0000|[dD][89a-fA-F][0-9a-fA-F]{2})")
_SKIPPED = {"node_modules", "venv", "env", "build", "dist", "__pycache__", "site-packages"}


@dataclass(frozen=True, slots=True)
class Tree:
    """A folder on the host with one side's files, or a project's folder inside it.

    `without` are folders whose files are not listed.
    """

    root: Path
    without: tuple[str, ...] = ()
    _walked: list[tuple[str, ...]] = field(
        default_factory=list, init=False, repr=False, compare=False
    )

    def read_bytes(self, path: str) -> bytes:
        """Return the file's bytes; b"" when there is none, or it is no plain file inside the tree."""
        target = self.root / path
        try:
            resolved = target.resolve(strict=True)
            if not resolved.is_relative_to(self.root.resolve()) or not resolved.is_file():
                return b""
            with resolved.open("rb") as stream:
                return stream.read(FILE_BYTES)
        except (OSError, RuntimeError, ValueError):
            return b""

    def read(self, path: str) -> str:
        """Return the file's text, undecodable bytes replaced; "" when there is none."""
        return self.read_bytes(path).decode("utf-8", "replace")

    def has(self, path: str) -> bool:
        """Tell whether a plain file or a folder of the tree stands there."""
        try:
            resolved = (self.root / path).resolve(strict=True)
        except (OSError, RuntimeError, ValueError):
            return False
        return resolved.is_relative_to(self.root.resolve())

    def is_plain(self, path: str) -> bool:
        """Tell whether a file or folder stands at exactly this path, reached through no link."""
        exact = self.root.resolve() / path
        try:
            return exact.resolve(strict=True) == exact
        except (OSError, RuntimeError, ValueError):
            return False

    def toml(self, path: str) -> Table:
        """Return the file as a table; an empty one when it is absent or no TOML."""
        try:
            return Table(tomllib.loads(self.read(path)))
        except (ValueError, RecursionError):
            return Table({})

    def json(self, path: str) -> Table:
        """Return the file as a table; an empty one when it is absent or no JSON."""
        return json_table(self.read(path))

    def python(self, path: str) -> ast.Module:
        """Return the file as a syntax tree; an empty one when it is absent or no Python."""
        try:
            return ast.parse(self.read(path))
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return ast.Module([], [])

    def ini(self, path: str) -> ConfigParser:
        """Return the file as sections without interpolation; empty when it is absent or no INI."""
        parser = ConfigParser(interpolation=None, strict=False)
        try:
            # The standard parser's patterns take quadratic time on a long line.
            lines = (line for line in self.read(path).splitlines() if len(line) < LINE_CHARS)
            parser.read_string("\n".join(lines))
        except (ConfigError, ValueError):
            return ConfigParser(interpolation=None)
        return parser

    def files(self) -> tuple[str, ...]:
        """Return relative paths of files, sorted, hidden and vendored folders left out, capped.

        Every ecosystem asks, so the folder is walked once and what it held then is kept.
        """
        if not self._walked:
            found: list[str] = []
            for folder, names, files in os.walk(self.root):
                names[:] = sorted(n for n in names if n not in _SKIPPED and not n.startswith("."))
                place = Path(folder).relative_to(self.root).as_posix()
                if place in self.without:
                    names.clear()
                    continue
                above = "" if place == "." else f"{place}/"
                found += [above + name for name in sorted(files)]
                if len(found) >= LISTED_FILES:
                    break
            self._walked.append(tuple(found[:LISTED_FILES]))
        return self._walked[0]

    def listing(self, folder: str, suffix: str) -> tuple[str, ...]:
        """Return the sorted relative paths of the files directly in `folder` with that suffix."""
        if not self.has(folder) or not (self.root / folder).is_dir():
            return ()
        names = sorted(entry.name for entry in (self.root / folder).iterdir())
        return tuple((Path(folder) / n).as_posix() for n in names if n.endswith(suffix))


@dataclass(frozen=True, slots=True)
class Table:
    """A table of a parsed file whose shape nobody promised: a wrong shape reads as absent."""

    data: object

    @property
    def members(self) -> dict[str, object]:
        """Return what the table has by its keys."""
        return self.data if isinstance(self.data, dict) else {}

    def table(self, *keys: str) -> Table:
        """Return the table below these keys, empty when there is none."""
        found = self
        for key in keys:
            found = Table(found.members.get(key))
        return Table(found.members)

    def names(self) -> tuple[str, ...]:
        """Return the table's keys in the file's order."""
        return tuple(map(str, self.members))

    def has(self, key: str) -> bool:
        """Tell whether the key is there, whatever its value."""
        return key in self.members

    def text(self, key: str) -> str:
        """Return the value when it is a string, else ""."""
        value = self.members.get(key)
        return value if isinstance(value, str) else ""

    def strings(self, key: str) -> tuple[str, ...]:
        """Return the strings of a list, or of a string of many words; else ()."""
        listed = (one for one in self._list(key) if isinstance(one, str))
        return tuple(self.text(key).split() or listed)

    def tables(self, key: str) -> tuple[Table, ...]:
        """Return the tables of a list of tables; else ()."""
        return tuple(Table(one) for one in self._list(key) if isinstance(one, dict))

    def lists(self, key: str) -> tuple[list[object], ...]:
        """Return the lists of a list of lists; else ()."""
        return tuple(one for one in self._list(key) if isinstance(one, list))

    def _list(self, key: str) -> list[object]:
        value = self.members.get(key)
        return value if isinstance(value, list) else []


def json_table(text: str) -> Table:
    """Return a text as a table; an empty one when it is no JSON.

    Escaped NULs and halves of surrogate pairs are replaced: no command and no store takes them.
    """
    try:
        return Table(json.loads(_UNSTORABLE.sub(r"\\ufffd", text)))
    except (ValueError, RecursionError):
        return Table({})
