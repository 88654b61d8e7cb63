"""Fetches one file of an npm package into a cache outside the tree, once."""

from __future__ import annotations

import functools
import os
import shutil
import subprocess
import tarfile
import tempfile
from dataclasses import dataclass
from pathlib import Path

NPM_TIMEOUT_S = 120


@dataclass(frozen=True, slots=True)
class PackageFile:
    """One file of one version of a package."""

    package: str
    version: str
    member: str


OPENAPI = PackageFile("@octokit/openapi", "23.0.2", "generated/api.github.com.json")
GRAPHQL = PackageFile("@octokit/graphql-schema", "15.26.1", "schema.graphql")
EXAMPLES = PackageFile("@octokit/webhooks-examples", "7.6.1", "api.github.com/index.json")


def cache_folder() -> Path:
    base = os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
    return Path(base) / "assay-tests"


@functools.cache
def fetched(wanted: PackageFile) -> Path | None:
    """The file on disk, or None when npm is missing or cannot be reached."""
    name = f"{wanted.package.replace('/', '-').lstrip('@')}-{wanted.version}"
    target = cache_folder() / name / Path(wanted.member).name
    if target.is_file():
        return target
    if shutil.which("npm") is None:
        return None
    target.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        archive = _packed(wanted, Path(folder))
        if archive is None:
            return None
        with tarfile.open(archive) as opened:
            source = opened.extractfile(f"package/{wanted.member}")
            assert source is not None
            unfinished = target.with_suffix(f".{os.getpid()}")
            with source, unfinished.open("wb") as written:
                shutil.copyfileobj(source, written)
    unfinished.replace(target)
    return target


def _packed(wanted: PackageFile, folder: Path) -> Path | None:
    command = ["npm", "pack", "--silent", f"{wanted.package}@{wanted.version}"]
    try:
        done = subprocess.run(
            command, cwd=folder, capture_output=True, timeout=NPM_TIMEOUT_S, check=False
        )
    except subprocess.TimeoutExpired:
        return None
    archives = list(folder.glob("*.tgz"))
    return archives[0] if done.returncode == 0 and archives else None
