"""Where a built environment stands inside the sandbox; the builder and every tool agree here.

A virtual environment works only at the path where it was built, so both layers are mounted at
the same paths on both sides, while building (writable) and while observing (read-only).
"""

from __future__ import annotations

from sandbox.base import Mount
from sandbox.models import Environment

DEPENDENCIES = "/env/deps"
PROJECT = "/env/project"


def mounts(environment: Environment) -> tuple[Mount, ...]:
    """Return the read-only mounts of a built environment; a layer that was not built has none."""
    layers = (
        (environment.dependencies_layer, DEPENDENCIES),
        (environment.project_layer, PROJECT),
    )
    return tuple(Mount(source, target) for source, target in layers if source)


def variables(
    environment: Environment, extra: tuple[tuple[str, str], ...] = ()
) -> tuple[tuple[str, str], ...]:
    """Return the whole environment of a command: the environment's own, then `extra` over it."""
    return tuple((dict(environment.variables) | dict(extra)).items())
