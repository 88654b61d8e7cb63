"""Reports as files, in a folder or an object store, through fsspec."""

from __future__ import annotations

import re
import uuid
from pathlib import Path

import fsspec  # type: ignore[import-untyped]
from fsspec.implementations.local import LocalFileSystem  # type: ignore[import-untyped]
from sqlalchemy import delete, select

from bot.errors import Transient
from bot.settings import Settings
from bot.store.base import Artifacts
from bot.store.database import Database
from bot.store.tables import ARTIFACTS

_SAFE = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,199}")


def _checked(*names: str) -> None:
    """Raise ValueError for names that could leave the root."""
    for name in names:
        if not _SAFE.fullmatch(name) or ".." in name:
            raise ValueError(f"{name!r} cannot name an artifact")


class FileArtifacts:
    """A `bot.store.base.Artifacts` at any URL that fsspec knows (`file://`, `s3://`, `memory://`)."""

    def __init__(self, url: str) -> None:
        self._files, self._root = fsspec.core.url_to_fs(url)

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
        _checked(*parts)
        return "/".join((self._root, *parts))


class DatabaseArtifacts(Database):
    """Artifacts beside the records: every host finds them without a folder that all of them share."""

    def put(self, key: str, name: str, content: bytes) -> None:
        """Write one file, whole or not at all."""
        _checked(key, name)
        self._do(self._put(ARTIFACTS, {"key": key, "name": name}, {"content": content}))

    def get(self, key: str, name: str) -> bytes | None:
        """Read one file; None when there is none."""
        _checked(key, name)
        this = select(ARTIFACTS.c.content).where(ARTIFACTS.c.key == key, ARTIFACTS.c.name == name)
        content: bytes | None = self._value(this)
        return content

    def delete(self, key: str) -> None:
        """Remove a folder; a missing one is fine."""
        _checked(key)
        self._do(delete(ARTIFACTS).where(ARTIFACTS.c.key == key))


def open_artifacts(settings: Settings) -> Artifacts:
    """Open the artifacts that the settings name: without a URL a folder inside `home`, or Postgres."""
    folder = (settings.home.absolute() / "artifacts").as_uri()
    is_one_host = not settings.database_url or settings.database_url.startswith("sqlite")
    if settings.artifacts_url or is_one_host:
        return FileArtifacts(settings.artifacts_url or folder)
    return DatabaseArtifacts(settings.database_url)
