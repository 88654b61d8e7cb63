"""One file an ecosystem: detect() says yes with a reason, or no."""

from __future__ import annotations

from pathlib import Path

from sandbox.environments import python
from sandbox.environments.hints import SetupHints as SetupHints
from sandbox.environments.hints import Toolchain as Toolchain
from sandbox.models import Recipe

ECOSYSTEMS = {
    python.ECOSYSTEM: python.detect,
}
"""Every ecosystem that Assay can build, in the order in which they are asked."""


def detect(tree: Path, hints: SetupHints, toolchain: Toolchain) -> Recipe | None:
    """Return the recipe of the first ecosystem that knows the tree, or None."""
    found = (ask(tree, hints, toolchain) for ask in ECOSYSTEMS.values())
    return next((recipe for recipe in found if recipe), None)
