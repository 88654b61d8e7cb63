"""C and C++ with CMake: configured and built outside the tree, tested by ctest."""

from __future__ import annotations

import re
from pathlib import Path

from sandbox.toolchains.ecosystem import Ecosystem, Evidence, SetupHints, Toolchain
from sandbox.toolchains.native import (
    C_SUFFIXES,
    building,
    container_hints,
    lacking,
    observing,
    recipe,
)
from sandbox.toolchains.tree import Tree
from sandbox.values import Recipe, TestRunner

_NAME = "cmake"
_TESTS = re.compile(
    r"\b(enable_testing|add_test|gtest_discover_tests|catch_discover_tests)\s*\(|include\s*\(\s*CTest",
    re.I,
)
_BUILD = "/tmp/trial"  # noqa: S108 - the sandbox's own


def weigh(tree: Tree) -> Evidence | None:
    """A CMakeLists.txt at the top."""
    text = tree.read("CMakeLists.txt")
    if not text:
        return None
    sources = sum(path.endswith(C_SUFFIXES) for path in tree.files())
    return Evidence(declared=True, tests=_TESTS.search(text) is not None, sources=sources)


def detect(tree: Path, setup: SetupHints, toolchain: Toolchain) -> Recipe | None:
    """Return how CMake builds it and ctest tests it."""
    place = Tree(tree / setup.root)
    text = place.read("CMakeLists.txt")
    if not text:
        return None
    reasons = (
        "It is built with CMake, because there is a CMakeLists.txt.",
        *container_hints(place),
    )
    needs = tuple(
        said
        for program, said in (
            ("cmake", "CMake (cmake)"),
            ("cc", "a C compiler (gcc, g++)"),
            ("make", "make (make)"),
        )
        if not toolchain.version(program)
    )
    if needs:
        return lacking(_NAME, setup.root, needs, reasons)
    build = (("cmake", "-S", ".", "-B", _BUILD), ("cmake", "--build", _BUILD))
    if _TESTS.search(text):
        why = "Tests run with ctest, because CMakeLists.txt turns testing on."
        return recipe(_NAME, (*reasons, why), setup, build=build, tests=(TestRunner.CTEST, ()))
    why = "CMakeLists.txt does not turn testing on, so no tests are run."
    return recipe(_NAME, (*reasons, why), setup, build=build)


ECOSYSTEM = Ecosystem(
    name=_NAME,
    weigh=weigh,
    detect=detect,
    building=building,
    observing=observing,
    commands=frozenset({"cmake", "ctest"}),
    programs=(("cmake", "--version"), ("cc", "--version"), ("make", "--version")),
)
