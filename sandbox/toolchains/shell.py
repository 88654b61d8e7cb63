"""Shell projects: every script must parse; bats files or test scripts are the tests."""

from __future__ import annotations

import re
from pathlib import Path, PurePosixPath

from sandbox.toolchains.ecosystem import Ecosystem, SetupHints, Toolchain, TreeEvidence
from sandbox.toolchains.native import lacking, recipe
from sandbox.toolchains.tree import Tree
from sandbox.values import Recipe, TestCall, TestRunner

_NAME = "shell"
_SUFFIXES = (".sh", ".bash", ".bats")
_MOST_FILES = 200
_OTHERS = (
    "pyproject.toml", "setup.py", "package.json", "go.mod", "Cargo.toml", "pom.xml", "CMakeLists.txt",
    "build.gradle", "Gemfile", "composer.json", "meson.build",
)  # fmt: skip
_TEST_FOLDERS = frozenset({"test", "tests", "testing"})
_TEST_SCRIPT = re.compile(r"tests?[._-].*(sh|bash)|.*[._-]tests?\.(sh|bash)")


def weigh(tree: Tree) -> TreeEvidence | None:
    """Shell scripts, and bats files or test scripts among them."""
    files = [path for path in tree.files() if path.endswith(_SUFFIXES)]
    if not files:
        return None
    bats = any(path.endswith(".bats") for path in files)
    # Beside another language's project file, test scripts are its odds and ends.
    alone = not any(tree.has(name) for name in _OTHERS)
    return TreeEvidence(bats, bats or (alone and any(map(_is_test, files))), len(files))


def _is_test(script: str) -> bool:
    *folders, name = script.split("/")
    return not _TEST_FOLDERS.isdisjoint(folders) or bool(_TEST_SCRIPT.fullmatch(name))


def detect(tree: Path, setup: SetupHints, toolchain: Toolchain) -> Recipe | None:
    """Return the parse check of every script, and how its tests run."""
    place = Tree(tree / setup.root)
    files = [path for path in place.files() if path.endswith(_SUFFIXES)][:_MOST_FILES]
    if not files:
        return None
    programs: dict[str, str] = {}  # by their first lines, "" without one
    for path in (one for one in files if not one.endswith(".bats")):
        first = place.read_bytes(path)[:200].split(b"\n", 1)[0].decode("utf-8", "replace")
        words = first[2:].split() if first.startswith("#!") else []
        programs[path] = PurePosixPath(words[-1]).name if words else ""
    scripts = [path for path, one in programs.items() if one in {"", "sh", "bash", "dash"}]
    build = tuple(
        ("sh" if programs[path] in {"sh", "dash"} else "bash", "-n", f"./{path}")
        for path in scripts
    )
    reasons = ("It is made of shell scripts; building it is parsing them.",)
    if any(path.endswith(".bats") for path in files):
        if not toolchain.version("bats"):
            return lacking(_NAME, setup.root, ("Bats (bats)",), reasons)
        why = "Tests run with bats, because there are `.bats` files."
        return recipe(_NAME, (*reasons, why), setup, build=build, tests=TestCall(TestRunner.BATS))
    if any(map(_is_test, scripts)):
        why = "Each test script is one test: its exit code counts, and TAP where it prints that."
        return recipe(
            _NAME, (*reasons, why), setup, build=build, tests=TestCall(TestRunner.SCRIPTS)
        )
    return recipe(_NAME, (*reasons, "No test scripts were found."), setup, build=build)


ECOSYSTEM = Ecosystem(
    name=_NAME,
    weigh=weigh,
    detect=detect,
    commands=frozenset({"bats"}),
    programs=(("bats", "--version"),),
)
