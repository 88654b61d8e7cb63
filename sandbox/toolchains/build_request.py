"""What one build is asked for."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from pathlib import Path

from sandbox.base import Limits, Network
from sandbox.values import Recipe, Side

_LAYOUT = "2"
"""Raised when older layers and downloads must never be used again."""


@dataclass(frozen=True, slots=True)
class BuildRequest:
    """One side to build. `tree` is only read; `version` is what the project shall say it is.

    `state` is Assay's own persistent folder. `repository` is the one that the pull request is for,
    never the fork. `is_trusted` says that the commit `sha` is reachable from the default branch or a
    protected one: what others use later is only ever written for such a commit.
    """

    side: Side
    tree: Path
    recipe: Recipe
    version: str
    repository: str
    sha: str
    state: Path
    is_trusted: bool = False
    limits: Limits = field(default_factory=Limits)
    network: Network = Network.BUILD


def repository_folder(state: Path, repository: str) -> Path:
    """Return the repository's own lasting folder: what one builds is never used for another."""
    name = hashlib.sha256(f"{_LAYOUT} {repository}".encode()).hexdigest()[:24]
    return state / "environments" / name


def downloads_folder(request: BuildRequest) -> Path:
    """Return the folder of what was downloaded before; it is there."""
    folder = repository_folder(request.state, request.repository) / "downloads"
    folder.mkdir(parents=True, exist_ok=True, mode=0o755)
    return folder
