"""Where a built environment stands inside the sandbox; the builder and every tool agree here.

A virtual environment works only at the path where it was built, so both layers are mounted at
the same paths on both sides, while building (writable) and while observing (read-only).
"""

from __future__ import annotations

import json
from pathlib import Path

from sandbox.base import TREE, Mount, MountMode
from sandbox.values import Environment

DEPENDENCIES = "/env/deps"
PROJECT = "/env/project"
LENT = "/env/lent"
"""The other side's dependencies, when its tests run crosswise."""
TOOLS = "/env/tools"
"""Only while building: the package installer of Assay's own installation."""
UV = f"{TOOLS}/uv"
TOOLCHAIN = "/env/toolchain"
"""A toolchain of the version that the project asks for; the same for all repositories."""
INSIDE = "/env/inside"
"""Only while building: the programs of `sandbox/toolchains/inside`."""
CACHE = "/env/cache"
"""Only while building: what was downloaded before."""

SYSTEM_PATH = "/usr/local/bin:/usr/bin:/bin"

NOTES = "notes.json"
"""Beside a layer, written by the host: [[name in KEPT, path in the tree, belongs to tests], ...]."""
UNFETCHED = "unfetched.json"
"""In a dependency layer: [[dependency, whose it is, was it left out], ...] of what is in no registry."""
KEPT = "kept"
"""In a layer: the files that the build wrote into the tree."""


def mounts(environment: Environment, tests: Environment | None = None) -> tuple[Mount, ...]:
    """Return the read-only mounts of a built environment; a layer that was not built has none.

    What the build wrote into the tree (a version file, a compiled module, `node_modules`) is laid
    over it again. A folder is copy-on-write like the tree, since programs keep caches in it. What of it
    belongs to tests comes from the build of `tests`, whose tests run here.
    """
    layers = (
        (environment.toolchain_layer, TOOLCHAIN),
        (environment.dependencies_layer, DEPENDENCIES),
        (environment.project_layer, PROJECT),
    )
    found = tuple(Mount(source, target) for source, target in layers if source)
    if tests is None or tests is environment:
        return found + tuple(one for source, _ in layers if source for one in kept(source))
    own = tuple(one for source, _ in layers if source for one in kept(source, of_tests=False))
    theirs = (tests.dependencies_layer, tests.project_layer)
    return (
        found + own + tuple(one for layer in theirs if layer for one in kept(layer, of_tests=True))
    )


def kept(layer: str, of_tests: bool | None = None) -> tuple[Mount, ...]:
    """Return the mounts of what a layer's build wrote into the tree, or of one kind of it."""
    notes_file = Path(layer).parent / NOTES
    notes = json.loads(notes_file.read_text()) if notes_file.exists() else []
    found = (
        (Path(layer) / KEPT / name, path)
        for name, path, *marks in notes
        if of_tests is None or any(marks) is of_tests
    )
    return tuple(Mount(str(source), f"{TREE}/{path}", _mode(source)) for source, path in found)


def known_as(layer: str) -> str:
    """Return what names a layer on every host: repository, kind and key, wherever environments stand."""
    return "/".join(Path(layer).parts[-4:-1])


def _mode(source: Path) -> MountMode:
    return MountMode.COPY_ON_WRITE if source.is_dir() else MountMode.READ_ONLY


def variables(
    environment: Environment, extra: tuple[tuple[str, str], ...] = ()
) -> tuple[tuple[str, str], ...]:
    """Return the whole environment of a command: the environment's own, then `extra` over it."""
    return tuple((dict(environment.variables) | dict(extra)).items())
