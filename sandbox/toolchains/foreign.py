"""Languages that Assay knows and cannot build yet: it says what it would need, and judges nothing."""

from __future__ import annotations

from dataclasses import dataclass
from fnmatch import fnmatch
from pathlib import Path

from sandbox.toolchains.ecosystem import Ecosystem, SetupHints, Toolchain, TreeEvidence
from sandbox.toolchains.native import lacking
from sandbox.toolchains.tree import Tree
from sandbox.values import Recipe


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
_TEST_FOLDERS = ("test/", "tests/", "spec/", "t/", "src/test/")


def _ecosystem(language: _Language) -> Ecosystem:
    def weigh(tree: Tree) -> TreeEvidence | None:
        files = tree.files()
        sources = (
            sum(path.endswith(language.suffixes) for path in files) if language.suffixes else 0
        )
        top = [path for path in files if "/" not in path]
        declared = any(fnmatch(path, name) for path in top for name in language.files)
        if not declared and not sources:
            return None
        tests = declared and any(path.startswith(_TEST_FOLDERS) for path in files)
        return TreeEvidence(declared, tests, sources)

    def detect(tree: Path, setup: SetupHints, _: Toolchain) -> Recipe | None:
        if weigh(Tree(tree / setup.root)) is None:
            return None
        cannot = f"Assay cannot build {language.shown} projects yet"
        needs = (f"{language.shown} ({language.tools}); {cannot}",)
        return lacking(language.name, setup.root, needs, (f"{cannot}.",))

    return Ecosystem(language.name, weigh, detect)


ECOSYSTEMS = tuple(_ecosystem(language) for language in _LANGUAGES)
"""They come last: where the evidence is equal, what Assay can build wins."""
