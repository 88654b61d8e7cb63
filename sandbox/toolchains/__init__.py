"""One file an ecosystem: weigh() says how much speaks for it, detect() how it is built, with reasons."""

from __future__ import annotations

import shlex
from dataclasses import dataclass, replace
from pathlib import Path

from sandbox.toolchains import node, python
from sandbox.toolchains.compiled import CMAKE, GO, JAVA, MAKE, RUST
from sandbox.toolchains.ecosystem import Ecosystem, TreeEvidence
from sandbox.toolchains.ecosystem import SetupHints as SetupHints
from sandbox.toolchains.ecosystem import Toolchain as Toolchain
from sandbox.toolchains.native import container_hints
from sandbox.toolchains.tree import Tree
from sandbox.toolchains.unbuilt import FOREIGN, SHELL, SITE
from sandbox.values import Recipe

ECOSYSTEMS: dict[str, Ecosystem] = {
    one.name: one
    for one in (
        *(python.ECOSYSTEM, node.ECOSYSTEM, GO, RUST, JAVA, CMAKE, MAKE, SHELL, SITE),
        *FOREIGN,
    )
}
"""Every ecosystem that Assay can build; the order decides only between equal evidence."""


@dataclass(frozen=True, slots=True)
class Recipes:
    """How each side is built; None where no known kind of project was found."""

    base: Recipe | None
    head: Recipe | None


@dataclass(frozen=True, slots=True)
class Choice:
    """Which ecosystem builds each side; None where no known kind of project was found."""

    base: Ecosystem | None
    head: Ecosystem | None  # for a head that base's ecosystem cannot build

    @property
    def ecosystems(self) -> tuple[Ecosystem, ...]:
        """The chosen ones; only their programs need to be asked."""
        return tuple(dict.fromkeys(one for one in (self.base, self.head) if one is not None))


def choose_both(base: Path, head: Path, hints: SetupHints) -> Choice:
    """Choose by what the trees hold; this walks them, and asks no toolchain.

    Base chooses when it has tests: a pull request must not choose what its tests are run by.
    """
    on_base, on_head = _choose(base, hints), _choose(head, hints)
    if on_base is None or not on_base[1].tests:
        on_base = on_head or on_base
    return Choice(on_base and on_base[0], on_head and on_head[0])


def detect_both(
    choice: Choice, trees: tuple[Path, Path], hints: SetupHints, toolchain: Toolchain
) -> Recipes:
    """Return the recipes of `trees`, base's and head's: one ecosystem wherever head still has base's."""
    if choice.base is None:
        return Recipes(None, None)
    base, head = trees
    same = _recipe(choice.base, head, hints, toolchain)
    other = _recipe(choice.head, head, hints, toolchain) if choice.head and not same else None
    return Recipes(_recipe(choice.base, base, hints, toolchain), same or other)


def _recipe(
    ecosystem: Ecosystem, tree: Path, hints: SetupHints, toolchain: Toolchain
) -> Recipe | None:
    """Return an ecosystem's recipe, with what the files of a container ask for among its reasons."""
    found = ecosystem.detect(tree, hints, toolchain)
    said = container_hints(Tree(tree / hints.root)) if found else ()
    return replace(found, reasons=(*found.reasons, *said)) if found and said else found


def _choose(tree: Path, hints: SetupHints) -> tuple[Ecosystem, TreeEvidence] | None:
    """Believe a configured test line first, then the weight of what is there."""
    try:
        words = shlex.split(hints.test)
    except ValueError:
        words = []
    named = Path(words[0]).name if words else ""
    place = Tree(tree / hints.root)
    weighed = ((one, one.weigh(place)) for one in ECOSYSTEMS.values())
    found = [(one, evidence) for one, evidence in weighed if evidence]
    configured = (one for one in found if named in one[0].commands)
    return next(configured, max(found, key=lambda one: one[1].weight, default=None))
