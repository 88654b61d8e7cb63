"""Where a built environment stands inside the sandbox; the builder and every tool agree here.

A virtual environment works only at the path where it was built, so both layers are mounted at
the same paths on both sides, while building (writable) and while observing (read-only).
"""

from __future__ import annotations

import json
from pathlib import Path

from sandbox.base import TREE, Mount
from sandbox.models import Environment

DEPENDENCIES = "/env/deps"
PROJECT = "/env/project"
LENT = "/env/lent"
"""The other side's dependencies, when its tests run crosswise."""
TOOLS = "/env/tools"
"""Only while building: the package installer of Assay's own installation."""
INSIDE = "/env/inside"
"""Only while building: the programs of `sandbox/environments/inside`."""
CACHE = "/env/cache"
"""Only while building: what was downloaded before."""

SYSTEM_PATH = "/usr/local/bin:/usr/bin:/bin"

NOTES = "notes.json"
"""Beside a project layer, written by the host: [[name in KEPT, path in the tree], ...]."""
KEPT = "kept"
"""In a project layer: the files that the build wrote into the tree."""


def mounts(environment: Environment) -> tuple[Mount, ...]:
    """Return the read-only mounts of a built environment; a layer that was not built has none.

    What the build wrote into the tree (a version file, a compiled module) is laid over it again.
    """
    layers = (
        (environment.dependencies_layer, DEPENDENCIES),
        (environment.project_layer, PROJECT),
    )
    found = tuple(Mount(source, target) for source, target in layers if source)
    return found + (_kept(Path(environment.project_layer)) if environment.project_layer else ())


def _kept(layer: Path) -> tuple[Mount, ...]:
    notes_file = layer.parent / NOTES
    notes = json.loads(notes_file.read_text()) if notes_file.exists() else []
    return tuple(Mount(str(layer / KEPT / name), f"{TREE}/{path}") for name, path in notes)


def variables(
    environment: Environment, extra: tuple[tuple[str, str], ...] = ()
) -> tuple[tuple[str, str], ...]:
    """Return the whole environment of a command: the environment's own, then `extra` over it."""
    return tuple((dict(environment.variables) | dict(extra)).items())
