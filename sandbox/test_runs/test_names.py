"""Which files are tests in Go, Rust, Java, C, C++ and shell by name, and what build files say of tests.

Sources: `go help test` (*_test.go, testdata), Cargo's target layout (tests/*.rs; a `#[cfg(test)]` module
belongs to its source), Maven Surefire's defaults (src/test/java, *Test, Test*, *Tests, *TestCase), bats.
"""

from __future__ import annotations

import os
import re
from pathlib import Path, PurePosixPath

TEST_FOLDERS = {"tests", "__tests__"}
# Deeper down, packages have sources of that name.
TEST_FOLDERS_AT_THE_ROOT = {"test", "testing", "spec", "test-d"}
_WORKSPACES = {"packages", "apps", "libs", "modules", "plugins", "services"}
_BUILD_FILES = {"Makefile", "makefile", "GNUmakefile", "CMakeLists.txt"}
_BUILD_SUFFIXES = {".mk", ".cmake"}

_C = {".c", ".cc", ".cpp", ".cxx", ".C"}
_SHELL = {".sh", ".bash"}
_JAVA = re.compile(r"(Test\w*|\w+(Test|Tests|TestCase|IT))\.java")
_SPEAKS_OF_TESTS = re.compile(r"test|check", re.I)
# What turns failures into successes without naming a test.
_CHANGES_MAKE = re.compile(
    r"^\s*(export\s+|override\s+)*(\.IGNORE|\.?SHELL|\.ONESHELL|(GNU)?MAKEFLAGS|-?include)"
)
_RULE = re.compile(r"[^\s#:=][^#:=]*:(?!=)")


def is_test_folder(folders: tuple[str, ...], index: int) -> bool:
    """Tell whether the folder at `index` of a path holds tests."""
    name = folders[index].lower()
    at_root = index == 0 or (index == 2 and folders[0] in _WORKSPACES)
    return name in TEST_FOLDERS or (at_root and name in TEST_FOLDERS_AT_THE_ROOT)


def is_test_file(path: PurePosixPath) -> bool:
    """Tell whether a runner runs this file, or builds a program that is run out of it."""
    name, suffix, folders = path.name, path.suffix, path.parts[:-1]
    in_tests = any(is_test_folder(folders, index) for index in range(len(folders)))
    if suffix == ".go":
        return name.endswith("_test.go") and "testdata" not in folders and "vendor" not in folders
    if suffix == ".bats":
        return True
    if suffix == ".rs":
        return bool(folders) and folders[-1] == "tests"
    if suffix == ".java":
        return bool(_JAVA.fullmatch(name)) and not _is_main_java(folders)
    if suffix in _C | _SHELL:
        return in_tests or _is_named_test(path.stem)
    return False


def _is_main_java(folders: tuple[str, ...]) -> bool:
    return "/src/main/" in f"/{'/'.join(folders)}/"


def _is_named_test(stem: str) -> bool:
    words = re.split(r"[_\-.]", stem.lower())
    return words[0] in {"test", "tests"} or words[-1] in {"test", "tests"}


def is_build_file(path: PurePosixPath) -> bool:
    """Tell whether a file is both build and runner: only what it says of tests configures the runner."""
    return path.name in _BUILD_FILES or path.suffix in _BUILD_SUFFIXES


def is_support(path: PurePosixPath) -> bool:
    """Tell whether a file is material of tests by where its language keeps that."""
    folders = path.parts[:-1]
    return "testdata" in folders or "/src/test/" in f"/{'/'.join(folders)}/"


def reach(path: PurePosixPath) -> str | None:
    """Return the folder whose tests a file of `is_support` can change; None for other files."""
    parts = path.parts[:-1]
    if "testdata" in parts:
        return "/".join(parts[: parts.index("testdata")])
    text = "/".join(parts)
    if "/src/test/" in f"/{text}/":
        return f"/{text}/".partition("/src/test/")[0].strip("/")
    return None


def test_lines(name: str, text: str) -> str:
    """Return what a Makefile or CMakeLists.txt says of tests: rules with their recipes, statements."""
    is_cmake = name == "CMakeLists.txt" or name.endswith(".cmake")
    found = _cmake_statements(text) if is_cmake else _make_lines(text)
    return "\n".join(found)


def _make_lines(text: str) -> list[str]:
    found, in_test_rule, continues = [], False, False
    for line in text.splitlines():
        if not line.startswith("\t") and not continues:
            in_test_rule = bool(_RULE.match(line)) and bool(_SPEAKS_OF_TESTS.search(line))
        if in_test_rule or _SPEAKS_OF_TESTS.search(line) or _CHANGES_MAKE.match(line):
            found.append(line.rstrip())
        continues = line.endswith("\\")
        in_test_rule = in_test_rule and bool(line.strip())
    return found


def _cmake_statements(text: str) -> list[str]:
    bare = re.sub(r"#[^\n]*", "", text)
    statements = re.findall(r"(?<!\w)\w+\s*\([^()]*(?:\([^()]*\)[^()]*)*\)", bare)
    # The project's own name may well hold the word.
    return [" ".join(s.split()) for s in statements if _SPEAKS_OF_TESTS.search(s)]


_ASIDE = {".git", ".venv", "venv", "node_modules", "vendor", "third_party", "__pycache__"}
_NAME = re.compile(
    r"(?i)(?:^|[^a-z])(?:tests?|testing|unittests?|testsuites?|specs?|checks?|doctests?|conftest)(?:[^a-z]|$)"
    r"|(?-i:Tests?|Spec|IT)(?:[^a-z]|$)|\.(?:t|bats|feature)$"
)
_BUILD = re.compile(
    r"(?i)^(?:.*makefile.*|.*\.mk|package\.json|pyproject\.toml|setup\.(?:cfg|py)|tox\.ini|noxfile\.py|pytest\.ini|"
    r"justfile|taskfile.*|build\.gradle.*|pom\.xml|cmakelists\.txt|meson\.build|rakefile|gemfile|jenkinsfile|"
    r"composer\.json|.*\.ya?ml|dune.*|build(?:\.bazel)?|.*\.cabal|mix\.exs|deno\.jsonc?|.*\.csproj)$"
)
_SAYS_TEST = re.compile(
    rb"(?i)(?:^|[^a-z])(?:py)?(?:unit|doc|integration)?(?:tests?|testing|specs?|checks?)(?:[^a-z]|$)"
)
_NPM_DEFAULT = re.compile(
    rb'"test"\s*:\s*"echo (?:[^"\\\n]|\\.)*no test specified(?:[^"\\\n]|\\.)*"'
)
_RUST_TEST = re.compile(rb"#\[(?:\w+::)*test\b|cfg\(test\)")
_MOST_ENTRIES, _MOST_BYTES = 50_000, 1_000_000


def is_untested(tree: Path) -> bool:
    """Return whether no file's name, no build file and no Rust source speaks of tests.

    Where there are too many files to look at them all, it may well have some.
    """
    seen = 0
    for folder, below, names in os.walk(tree):
        below[:] = [name for name in below if name not in _ASIDE]
        seen += len(names) + len(below)
        if seen > _MOST_ENTRIES or any(map(_NAME.search, (*below, *names))):
            return False
        if any(_speaks_of_tests(Path(folder, name)) for name in names):
            return False
    return True


def _speaks_of_tests(file: Path) -> bool:
    says = _RUST_TEST if file.suffix == ".rs" else _SAYS_TEST if _BUILD.match(file.name) else None
    if says is None or file.is_symlink() or not file.is_file():
        return False
    with file.open("rb") as stream:
        text = stream.read(_MOST_BYTES)
    return says.search(_NPM_DEFAULT.sub(b"", text)) is not None
