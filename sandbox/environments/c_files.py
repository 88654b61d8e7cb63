"""C and C++ files that nothing builds: the compiler's syntax check says whether they could be."""

from __future__ import annotations

from pathlib import Path

from sandbox.environments.ecosystem import Ecosystem, Evidence
from sandbox.environments.hints import SetupHints, Toolchain
from sandbox.environments.native import C_SUFFIXES, building, lacking, observing, recipe
from sandbox.environments.tree import Tree
from sandbox.models import Recipe

_NAME = "c"
_MOST_FILES = 200
_BUILD_FILES = (
    "Makefile", "makefile", "GNUmakefile", "CMakeLists.txt", "configure", "configure.ac",
    "meson.build", "BUILD", "BUILD.bazel", "WORKSPACE", "SConstruct", "platformio.ini",
)  # fmt: skip
# Since C99 a function must be declared before it is called; gcc 14 refuses what older ones let pass.
_C_RULES = ("-Werror=implicit-function-declaration", "-Werror=implicit-int")
_FOLDERS = ("-I", ".", "-I", "include", "-I", "src")


def weigh(tree: Tree) -> Evidence | None:
    """C sources, and nothing that says how to build them."""
    sources = sum(path.endswith(C_SUFFIXES) for path in tree.files())
    if not sources or any(tree.has(name) for name in _BUILD_FILES):
        return None
    return Evidence(declared=False, tests=False, sources=sources)


def detect(tree: Path, setup: SetupHints, toolchain: Toolchain) -> Recipe | None:
    """Return the compiler's check of every file; there are no tests."""
    place = Tree(tree / setup.root)
    if weigh(place) is None:
        return None
    reasons = ("Nothing says how the C files are built, so the compiler only checks each of them.",)
    if not toolchain.version("cc"):
        return lacking(_NAME, setup.root, ("a C compiler (gcc, g++)",), reasons)
    files = [path for path in place.files() if path.endswith(C_SUFFIXES)][:_MOST_FILES]
    plain = tuple(f"./{path}" for path in files if path.endswith(".c"))
    plus = tuple(f"./{path}" for path in files if not path.endswith(".c"))
    checks = [("cc", "-fsyntax-only", *_C_RULES, *_FOLDERS, *plain)] if plain else []
    checks += [("c++", "-fsyntax-only", *_FOLDERS, *plus)] if plus else []
    return recipe(_NAME, reasons, setup, build=tuple(checks))


ECOSYSTEM = Ecosystem(
    name=_NAME,
    weigh=weigh,
    detect=detect,
    building=building,
    observing=observing,
    commands=frozenset({"cc", "gcc", "g++"}),
    programs=(("cc", "--version"),),
)
