"""Static sites: HTML that needs no build; there is nothing to test, but any web server can serve it."""

from __future__ import annotations

from pathlib import Path

from sandbox.toolchains.ecosystem import Ecosystem, SetupHints, Toolchain, TreeEvidence
from sandbox.toolchains.native import recipe
from sandbox.toolchains.tree import Tree
from sandbox.values import Recipe

_NAME = "site"
_SUFFIXES = (".html", ".htm")
_BUILT_BY = ("package.json", "_config.yml", "hugo.toml", "config.toml", "mkdocs.yml")


def weigh(tree: Tree) -> TreeEvidence | None:
    """HTML pages; an index.html at the top, with nothing that would make it, is the declaration."""
    pages = sum(path.endswith(_SUFFIXES) for path in tree.files())
    if not pages:
        return None
    declared = tree.has("index.html") and not any(tree.has(name) for name in _BUILT_BY)
    return TreeEvidence(declared=declared, tests=False, sources=pages)


def detect(tree: Path, setup: SetupHints, _: Toolchain) -> Recipe | None:
    """Return a recipe with nothing to build and nothing to test."""
    if weigh(Tree(tree / setup.root)) is None:
        return None
    said = (
        "It is a static site: pages that need no build and have no tests, to be seen in a browser."
    )
    return recipe(_NAME, (said,), setup)


ECOSYSTEM = Ecosystem(name=_NAME, weigh=weigh, detect=detect)
