"""C and C++ with a Makefile: `make` builds, the target `test` or `check` tests."""

from __future__ import annotations

import re
from pathlib import Path

from sandbox.toolchains.ecosystem import Ecosystem, Evidence, SetupHints, Toolchain
from sandbox.toolchains.native import (
    C_SUFFIXES,
    building,
    container_hints,
    in_a_copy,
    lacking,
    observing,
    recipe,
)
from sandbox.toolchains.tree import Tree
from sandbox.values import Recipe, TestRunner

_NAME = "make"
_MAKEFILES = ("GNUmakefile", "makefile", "Makefile")
_TARGET = re.compile(r"^(test|check|tests)\s*:(?!=)", re.M)


def _makefile(tree: Tree) -> str:
    return next((text for name in _MAKEFILES if (text := tree.read(name))), "")


def weigh(tree: Tree) -> Evidence | None:
    """A Makefile beside C sources; alone it speaks last, since every language has them."""
    text = _makefile(tree)
    sources = sum(path.endswith(C_SUFFIXES) for path in tree.files())
    target = _TARGET.search(text)
    if not text or not (sources or target):
        return None
    tests = bool(sources) and target is not None
    return Evidence(declared=bool(sources), tests=tests, sources=sources)


def detect(tree: Path, setup: SetupHints, toolchain: Toolchain) -> Recipe | None:
    """Return how `make` builds and tests it."""
    place = Tree(tree / setup.root)
    text = _makefile(place)
    if not text:
        return None
    reasons = ("It is built with make, because there is a Makefile.", *container_hints(place))
    needs = []
    if not toolchain.version("make"):
        needs.append("make (make)")
    if any(p.endswith(C_SUFFIXES) for p in place.files()) and not toolchain.version("cc"):
        needs.append("a C compiler (gcc, g++)")
    if needs:
        return lacking(_NAME, setup.root, tuple(needs), reasons)
    tests, why = _tests(text, setup)
    return recipe(_NAME, (*reasons, why), setup, build=(in_a_copy("make"),), tests=tests)


def _tests(text: str, setup: SetupHints) -> tuple[tuple[TestRunner, tuple[str, ...]], str]:
    configured = re.fullmatch(r"make ([\w.-]+)", setup.test.strip())
    found = _TARGET.findall(text)
    target = (
        configured.group(1)
        if configured
        else next((t for t in ("test", "check") if t in found), "")
    )
    target = target or (found[0] if found else "")
    if not target:
        return (TestRunner.NONE, ()), "The Makefile has no target `test` or `check`."
    why = f"Tests run with `make {target}`, because the Makefile has that target."
    return (TestRunner.MAKE, ("make", target)), why


ECOSYSTEM = Ecosystem(
    name=_NAME,
    weigh=weigh,
    detect=detect,
    building=building,
    observing=observing,
    programs=(("make", "--version"), ("cc", "--version")),
)
