"""One file an ecosystem: weigh() says how much speaks for it, detect() how it is built, with reasons."""

from __future__ import annotations

import shlex
from dataclasses import dataclass
from pathlib import Path

from sandbox.environments import (
    c_cmake,
    c_make,
    foreign,
    go,
    java,
    node,
    python,
    rust,
    shell,
    site,
)
from sandbox.environments.ecosystem import Ecosystem
from sandbox.environments.hints import SetupHints as SetupHints
from sandbox.environments.hints import Toolchain as Toolchain
from sandbox.environments.tree import Tree
from sandbox.models import Recipe

ECOSYSTEMS: dict[str, Ecosystem] = {
    one.name: one
    for one in (
        python.ECOSYSTEM,
        node.ECOSYSTEM,
        go.ECOSYSTEM,
        rust.ECOSYSTEM,
        java.ECOSYSTEM,
        c_cmake.ECOSYSTEM,
        c_make.ECOSYSTEM,
        shell.ECOSYSTEM,
        site.ECOSYSTEM,
        *foreign.ECOSYSTEMS,
    )
}
"""Every ecosystem that Assay can build; the order decides only between equal evidence."""


@dataclass(frozen=True, slots=True)
class Recipes:
    """How each side is built; None where no known kind of project was found."""

    base: Recipe | None
    head: Recipe | None


def detect(tree: Path, hints: SetupHints, toolchain: Toolchain) -> Recipe | None:
    """Return the recipe of the ecosystem that most in the tree speaks for, or None."""
    found = _choose(tree, hints)
    return found.detect(tree, hints, toolchain) if found else None


def candidates(base: Path, head: Path, hints: SetupHints) -> tuple[Ecosystem, ...]:
    """Return the ecosystems that `detect_both` can come to; only their programs need to be asked."""
    found = (_choose(tree, hints) for tree in (base, head))
    return tuple(dict.fromkeys(one for one in found if one is not None))


def detect_both(base: Path, head: Path, hints: SetupHints, toolchain: Toolchain) -> Recipes:
    """Return both sides' recipes, of one ecosystem wherever head still has base's.

    Base chooses when it has tests: a pull request must not choose what its tests are run by.
    """
    on_base, on_head = _choose(base, hints), _choose(head, hints)
    if on_base is None or not _has_tests(on_base, base, hints):
        on_base = on_head or on_base
    if on_base is None:
        return Recipes(None, None)
    same = on_base.detect(head, hints, toolchain)
    return Recipes(on_base.detect(base, hints, toolchain), same or detect(head, hints, toolchain))


def _choose(tree: Path, hints: SetupHints) -> Ecosystem | None:
    """Believe a configured test line first, then the weight of what is there."""
    named = _named(hints.test)
    place = Tree(tree / hints.root)
    found = [(one, evidence) for one in ECOSYSTEMS.values() if (evidence := one.weigh(place))]
    for one, _ in found:
        if named in one.commands:
            return one
    best = max(found, key=lambda pair: pair[1].weight, default=None)
    return best[0] if best else None


def _named(line: str) -> str:
    try:
        words = shlex.split(line)
    except ValueError:
        return ""
    return Path(words[0]).name if words else ""


def _has_tests(ecosystem: Ecosystem, tree: Path, hints: SetupHints) -> bool:
    evidence = ecosystem.weigh(Tree(tree / hints.root))
    return evidence is not None and evidence.tests
