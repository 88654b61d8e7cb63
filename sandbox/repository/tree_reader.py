"""Reads single files of an exported tree; links are not followed and nothing large is read."""

from __future__ import annotations

from pathlib import Path

from sandbox.errors import CheckoutError, must_exist
from sandbox.repository.names import inside
from sandbox.toolchains.tree import Tree

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
