"""What one build is asked for."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from pathlib import Path

from sandbox.base import Limits, Network
from sandbox.models import Recipe, Side


@dataclass(frozen=True, slots=True)
class BuildRequest:
    """One side to build. `tree` is only read; `version` is what the project shall say it is.

    `state` is Assay's own persistent folder, `evaluation_folder` goes when the evaluation is over.
    `repository` is the one that the pull request is for, never the fork.
    """

    side: Side
    tree: Path
    recipe: Recipe
    version: str
    repository: str
    sha: str
    state: Path
    evaluation_folder: Path
    limits: Limits = field(default_factory=Limits)
    network: Network = Network.BUILD


def repository_folder(request: BuildRequest) -> Path:
    """Return the repository's own lasting folder: what one builds is never used for another."""
    name = hashlib.sha256(request.repository.encode()).hexdigest()[:24]
    return request.state / "environments" / name
