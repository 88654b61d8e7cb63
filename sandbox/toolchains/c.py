"""C and C++: by CMake, built outside the tree and tested by ctest; or by `make`, where a target
tests.
"""

from __future__ import annotations

import re
from pathlib import Path

from sandbox.toolchains.ecosystem import Ecosystem, SetupHints, Toolchain, TreeEvidence
from sandbox.toolchains.native import C_SUFFIXES, NO_TESTS, TRIAL, in_a_copy, lacking, recipe
from sandbox.toolchains.tree import Tree
from sandbox.values import Recipe, TestCall, TestRunner

_CMAKE = "cmake"
_TESTS = re.compile(
    r"\b(enable_testing|add_test|gtest_discover_tests|catch_discover_tests)\s*\(|include\s*\(\s*CTest",
    re.I,
)


def weigh_cmake(tree: Tree) -> TreeEvidence | None:
    """A CMakeLists.txt at the top."""
    text = tree.read("CMakeLists.txt")
    if not text:
        return None
    sources = sum(path.endswith(C_SUFFIXES) for path in tree.files())
    return TreeEvidence(declared=True, tests=_TESTS.search(text) is not None, sources=sources)


def detect_cmake(tree: Path, setup: SetupHints, toolchain: Toolchain) -> Recipe | None:
    """Return how CMake builds it and ctest tests it."""
    place = Tree(tree / setup.root)
    text = place.read("CMakeLists.txt")
    if not text:
        return None
    reasons = ("It is built with CMake, because there is a CMakeLists.txt.",)
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
        return lacking(_CMAKE, setup.root, needs, reasons)
    build = (("cmake", "-S", ".", "-B", TRIAL), ("cmake", "--build", TRIAL))
    if _TESTS.search(text):
        why = "Tests run with ctest, because CMakeLists.txt turns testing on."
        return recipe(_CMAKE, (*reasons, why), setup, build=build, tests=TestCall(TestRunner.CTEST))
    why = "CMakeLists.txt does not turn testing on, so no tests are run."
    return recipe(_CMAKE, (*reasons, why), setup, build=build)


CMAKE = Ecosystem(
    name=_CMAKE,
    weigh=weigh_cmake,
    detect=detect_cmake,
    commands=frozenset({"cmake", "ctest"}),
    programs=(("cmake", "--version"), ("cc", "--version"), ("make", "--version")),
)


# --- a Makefile ------------------------------------------------------------------------------------


_MAKE = "make"
_MAKEFILES = ("GNUmakefile", "makefile", "Makefile")
_TARGET = re.compile(r"^(test|check|tests)\s*:(?!=)", re.M)


def _makefile(tree: Tree) -> str:
    return next((text for name in _MAKEFILES if (text := tree.read(name))), "")


def weigh_make(tree: Tree) -> TreeEvidence | None:
    """A Makefile beside C sources; alone it speaks last, since every language has them."""
    text = _makefile(tree)
    sources = sum(path.endswith(C_SUFFIXES) for path in tree.files())
    target = _TARGET.search(text)
    if not text or not (sources or target):
        return None
    tests = bool(sources) and target is not None
    return TreeEvidence(declared=bool(sources), tests=tests, sources=sources)


def detect_make(tree: Path, setup: SetupHints, toolchain: Toolchain) -> Recipe | None:
    """Return how `make` builds and tests it."""
    place = Tree(tree / setup.root)
    text = _makefile(place)
    if not text:
        return None
    reasons = ("It is built with make, because there is a Makefile.",)
    needs = []
    if not toolchain.version("make"):
        needs.append("make (make)")
    if any(p.endswith(C_SUFFIXES) for p in place.files()) and not toolchain.version("cc"):
        needs.append("a C compiler (gcc, g++)")
    if needs:
        return lacking(_MAKE, setup.root, tuple(needs), reasons)
    configured = re.fullmatch(r"make ([\w.-]+)", setup.test.strip())
    found = _TARGET.findall(text)
    by_rank = [one for one in ("test", "check") if one in found] or found
    target = configured.group(1) if configured else next(iter(by_rank), "")
    tests = NO_TESTS
    why = "The Makefile has no target `test` or `check`."
    if target:
        tests = TestCall(TestRunner.MAKE, ("make", target))
        why = f"Tests run with `make {target}`, because the Makefile has that target."
    return recipe(_MAKE, (*reasons, why), setup, build=(in_a_copy("make"),), tests=tests)


MAKE = Ecosystem(
    name=_MAKE,
    weigh=weigh_make,
    detect=detect_make,
    programs=(("make", "--version"), ("cc", "--version")),
)
