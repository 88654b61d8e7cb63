"""Projects that Assay does not build: shell scripts, static sites, and languages that it cannot build yet."""

from __future__ import annotations

import re
from dataclasses import dataclass
from fnmatch import fnmatch
from pathlib import PurePosixPath

from sandbox.toolchains.ecosystem import Ecosystem, SetupHints, Toolchain, TreeEvidence
from sandbox.toolchains.native import Plan, planned
from sandbox.toolchains.tree import Tree
from sandbox.values import TestCall, TestRunner

# --- shell: every script must parse; bats files or test scripts are the tests ----------------------

_SUFFIXES = (".sh", ".bash", ".bats")
_MOST_FILES = 200
_OTHERS = (
    "pyproject.toml", "setup.py", "package.json", "go.mod", "Cargo.toml", "pom.xml", "CMakeLists.txt",
    "build.gradle", "Gemfile", "composer.json", "meson.build",
)  # fmt: skip
_TEST_FOLDERS = frozenset({"test", "tests", "testing"})
_TEST_SCRIPT = re.compile(r"tests?[._-].*(sh|bash)|.*[._-]tests?\.(sh|bash)")


def _weigh_shell(tree: Tree) -> TreeEvidence | None:
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


def _plan_shell(place: Tree, _: TreeEvidence, toolchain: Toolchain, __: SetupHints) -> Plan:
    files = [path for path in place.files() if path.endswith(_SUFFIXES)][:_MOST_FILES]
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
            return Plan(reasons, needs=("Bats (bats)",))
        why = "Tests run with bats, because there are `.bats` files."
        return Plan((*reasons, why), build, TestCall(TestRunner.BATS))
    if any(map(_is_test, scripts)):
        why = "Each test script is one test: its exit code counts, and TAP where it prints that."
        return Plan((*reasons, why), build, TestCall(TestRunner.SCRIPTS))
    return Plan((*reasons, "No test scripts were found."), build)


SHELL = Ecosystem(
    name="shell",
    weigh=_weigh_shell,
    detect=planned("shell", _weigh_shell, _plan_shell),
    commands=frozenset({"bats"}),
    programs=(("bats", "--version"),),
)

# --- static sites: there is nothing to test, but any web server can serve them ---------------------

_MADE_BY = ("package.json", "_config.yml", "hugo.toml", "config.toml", "mkdocs.yml")
_OF_SITE = Plan(
    ("It is a static site: pages that need no build and have no tests, to be seen in a browser.",)
)


def _weigh_site(tree: Tree) -> TreeEvidence | None:
    """HTML pages; an index.html at the top, with nothing that would make it, is the declaration."""
    pages = sum(path.endswith((".html", ".htm")) for path in tree.files())
    declared = tree.has("index.html") and not any(tree.has(name) for name in _MADE_BY)
    return TreeEvidence(declared=declared, tests=False, sources=pages) if pages else None


SITE = Ecosystem("site", _weigh_site, planned("site", _weigh_site, lambda *_: _OF_SITE))

# --- languages that Assay knows and cannot build yet: it says what it would need, and judges nothing


@dataclass(frozen=True, slots=True)
class _Language:
    name: str
    shown: str
    tools: str
    files: tuple[str, ...]  # what declares a project, at the top of the tree
    suffixes: tuple[str, ...]


_LANGUAGES = (
    _Language("ruby", "Ruby", "ruby, bundler", ("Gemfile", "*.gemspec"), (".rb",)),
    _Language("php", "PHP", "php, composer", ("composer.json",), (".php",)),
    _Language("gradle", "Gradle", "gradle", ("build.gradle", "build.gradle.kts"), (".kt", ".groovy")),
    _Language("dotnet", ".NET", "dotnet", ("*.sln", "*.csproj", "*.fsproj"), (".cs", ".fs", ".vb")),
    _Language("swift", "Swift", "swift", ("Package.swift",), (".swift",)),
    _Language("elixir", "Elixir", "elixir, mix", ("mix.exs",), (".ex", ".exs")),
    _Language("scala", "Scala", "sbt", ("build.sbt",), (".scala",)),
    _Language("haskell", "Haskell", "ghc, cabal", ("*.cabal", "stack.yaml"), (".hs",)),
    _Language("dart", "Dart", "dart", ("pubspec.yaml",), (".dart",)),
    _Language("zig", "Zig", "zig", ("build.zig",), (".zig",)),
    _Language("julia", "Julia", "julia", ("Project.toml",), (".jl",)),
    _Language("r", "R", "r-base", ("DESCRIPTION",), (".R", ".r")),
    _Language("lua", "Lua", "lua, luarocks", ("*.rockspec",), (".lua",)),
    _Language("perl", "Perl", "perl, prove", ("Makefile.PL", "cpanfile"), (".pm", ".pl")),
    _Language("meson", "Meson", "meson, ninja", ("meson.build",), ()),
    _Language("bazel", "Bazel", "bazel", ("WORKSPACE", "MODULE.bazel"), ()),
)  # fmt: skip


def _foreign(language: _Language) -> Ecosystem:
    def weigh(tree: Tree) -> TreeEvidence | None:
        files = tree.files()
        sources = sum(path.endswith(language.suffixes) for path in files)
        top = [path for path in files if "/" not in path]
        declared = any(fnmatch(path, name) for path in top for name in language.files)
        if not declared and not sources:
            return None
        folders = ("test/", "tests/", "spec/", "t/", "src/test/")
        return TreeEvidence(
            declared, declared and any(p.startswith(folders) for p in files), sources
        )

    cannot = f"Assay cannot build {language.shown} projects yet"
    lacking = Plan((f"{cannot}.",), needs=(f"{language.shown} ({language.tools}); {cannot}",))
    return Ecosystem(language.name, weigh, planned(language.name, weigh, lambda *_: lacking))


FOREIGN = tuple(map(_foreign, _LANGUAGES))
"""They come last: where the evidence is equal, what Assay can build wins."""
