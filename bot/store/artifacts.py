"""Reports as files, in a folder or an object store, through fsspec."""

from __future__ import annotations

import re
import uuid
from pathlib import Path
from typing import Self

import fsspec  # type: ignore[import-untyped]
from fsspec.implementations.local import LocalFileSystem  # type: ignore[import-untyped]

from bot.errors import Transient
from bot.settings import Settings

_SAFE = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,199}")


class FileArtifacts:
    """A `bot.store.base.Artifacts` at any URL that fsspec knows (`file://`, `s3://`, `memory://`)."""

    def __init__(self, url: str) -> None:
        self._files, self._root = fsspec.core.url_to_fs(url)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_raised: object) -> None:
        """Nothing is held open between two files."""

    def put(self, key: str, name: str, content: bytes) -> None:
        """Write one file, whole or not at all. Raises Transient when the storage refuses."""
        path = self._path(key, name)
        try:
            self._files.makedirs(self._path(key), exist_ok=True)
            if isinstance(self._files, LocalFileSystem):
                unfinished = f"{path}.{uuid.uuid4().hex}.part"
                self._files.pipe_file(unfinished, content)
                Path(unfinished).replace(path)
            else:  # object stores show a file only when it is whole
                self._files.pipe_file(path, content)
        except OSError as error:
            raise Transient(f"the artifact {name} cannot be written ({error.strerror})") from error

    def get(self, key: str, name: str) -> bytes | None:
        """Read one file; None when there is none. Raises Transient when the storage refuses."""
        try:
            content: bytes = self._files.cat_file(self._path(key, name))
        except FileNotFoundError:
            return None
        except OSError as error:
            raise Transient(f"the artifact {name} cannot be read ({error.strerror})") from error
        return content

    def delete(self, key: str) -> None:
        """Remove a folder; a missing one is fine."""
        try:
            self._files.rm(self._path(key), recursive=True)
        except FileNotFoundError:
            return

    def _path(self, *parts: str) -> str:
        """Join names that cannot leave the root. Raises ValueError for others."""
        for part in parts:
            if not _SAFE.fullmatch(part) or ".." in part:
                raise ValueError(f"{part!r} cannot name an artifact")
        return "/".join((self._root, *parts))


def open_artifacts(settings: Settings) -> FileArtifacts:
    """Open the artifacts that the settings name: a folder inside `home` without a URL."""
    folder = settings.home.absolute() / "artifacts"
    return FileArtifacts(settings.artifacts_url or folder.as_uri())
