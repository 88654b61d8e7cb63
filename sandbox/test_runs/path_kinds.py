"""Which files of a repository are tests, belong to tests, or configure the runner, by their names.

Sources: pytest's default `python_files` (test_*.py, *_test.py), unittest's default pattern (test*.py),
Django's tests.py, and the folder names in use for test data and snapshots; for JavaScript and
TypeScript what node --test, jest, vitest, mocha and ava look for by default.
"""

from __future__ import annotations

import configparser
import json
import os
import re
import tomllib
from enum import StrEnum
from pathlib import Path, PurePosixPath

_FIXTURES = {"fixtures", "fixture", "__fixtures__"}
_MATERIAL = _FIXTURES | {"__mocks__", "helpers", "support", "mocks"}
_TAP_SNAPSHOTS = "tap-snapshots"  # one for each file of tests, below the same folders
SCRIPTS = (".js", ".cjs", ".mjs", ".jsx", ".ts", ".cts", ".mts", ".tsx")
"""How the names of JavaScript's and TypeScript's files end."""
_SCRIPT_TEST = re.compile(
    r"(?:(?:^|[._-])(?:test|tests|spec)|^test-.*|^tests?\.(?!config|utils?\b|helpers?\b|d\.)[\w.-]+)"
    r"\.[cm]?[jt]sx?\Z"
)
_TYPE_TEST = re.compile(r"\.(?:test|spec)-d\.[cm]?tsx?\Z")  # compiled, and never run
_SCRIPT_CONFIGURATION = re.compile(
    r"(?:jest|vitest|ava|karma|playwright)\.config\.[\w.]+\Z|\.mocharc(?:\.\w+)?\Z|vitest\.workspace\.\w+\Z"
    r"|(?:karma|wdio)\.conf\.[\w.]+\Z|\.taprc\Z|mocha\.opts\Z|\.?jasmine\.(?:json|[cm]?js)\Z"
)
# What runners load before the tests, in no test folder: it must come from the same side as the tests.
_SCRIPT_SETUP = re.compile(
    r"(?:(?:jest|vitest|mocha|ava|tests?)[._-]?setup|setup[._-]?(?:jest|vitest|mocha|ava|tests?))"
    r"(?:[._-][\w.-]*)?\.[cm]?[jt]sx?\Z",
    re.I,
)
_MANIFEST_SECTIONS = ("jest", "ava", "mocha", "vitest", "tap")
_CONFIGURATION_SECTIONS = {"setup.cfg": ("tool:pytest",), "tox.ini": ("pytest", "testenv")}
_CONFIGURATION = {
    "pytest.ini", ".pytest.ini", "pytest.toml", ".pytest.toml", "pyproject.toml", "package.json",
    *_CONFIGURATION_SECTIONS,
}  # fmt: skip


class PathKind(StrEnum):
    """What a changed file is to the tests."""

    SOURCE = "source"
    TEST = "test"
    SUPPORT = "support"  # travels with the tests: fixtures, snapshots, conftest.py
    RUNNER_CONFIG = "runner_config"


def classify(path: str) -> PathKind:
    """Return what the file at a repository path is. Doctests in sources belong to the source."""
    pure = PurePosixPath(path)
    folders = pure.parts[:-1]
    tests = any(is_test_folder(folders, i) for i in range(len(folders)))
    is_kept_by_language = folder_reached(pure) is not None
    if _SCRIPT_CONFIGURATION.match(pure.name):
        return PathKind.RUNNER_CONFIG
    if pure.name in _CONFIGURATION:
        # A package.json among the fixtures is what a test reads.
        is_material = tests and not _FIXTURES.isdisjoint(folders)
        return PathKind.SUPPORT if is_material or is_kept_by_language else PathKind.RUNNER_CONFIG
    if pure.name == "conftest.py" or _SCRIPT_SETUP.match(pure.name):
        return PathKind.SUPPORT
    is_of_tap = _TAP_SNAPSHOTS in folders  # these names end like those of tests
    is_python_test = pure.name.endswith(".py") and (
        pure.name.startswith(("test_", "tests_")) or pure.name.endswith("_test.py")
        or pure.name in ("tests.py", "test.py")
    )  # fmt: skip
    is_test = is_python_test or _SCRIPT_TEST.search(pure.name) or is_test_file(pure)
    # Of a test folder the scripts that runners take for tests, and what Python's unittest may be told to.
    is_aside = _MATERIAL.intersection(pure.parts) or pure.name.startswith("_")
    is_script = pure.name.endswith((*SCRIPTS, "_tests.py"))
    is_script = is_script and not is_aside and not pure.name.endswith(".d.ts")
    if (is_test or (tests and is_script)) and not is_of_tap:
        return PathKind.TEST
    is_snapshot = is_of_tap or "__snapshots__" in folders or pure.suffix in (".snap", ".snapshot")
    if tests or is_snapshot or is_kept_by_language or _TYPE_TEST.search(pure.name):
        return PathKind.SUPPORT
    return PathKind.RUNNER_CONFIG if is_build_file(pure) else PathKind.SOURCE


_LOADS = (
    r"setupFiles(?:AfterEnv)?|globalSetup|globalTeardown|testEnvironment|testRunner|snapshotSerializers|"
    r"transform|resolver|reporters?|require|import|loader|file|helpers"
)
_LOADED = re.compile(
    rf"""\b(?:{_LOADS})["']?[ \t]{{0,9}}[:=][ \t]{{0,9}}"""
    r"""(\[[^\]]{0,4000}\]|\{[^{}]{0,4000}\}|["'][^"'\n]{1,300}["'])"""
)
_LOADED_LINE = re.compile(rf"(?:{_LOADS}):")  # of YAML: what is indented below belongs to it
_SCRIPT_WORD = re.compile(r"[\w@./-]{1,200}\.[cm]?[jt]sx?\b")
_MOST_READ, _LONGEST_LINE = 100_000, 1000


def loaded_by_configuration(tree: Path, path: str) -> set[str]:
    """Return the scripts of the tree that a JavaScript runner's configuration loads before any test."""
    name = PurePosixPath(path).name
    if name != "package.json" and not _SCRIPT_CONFIGURATION.match(name):
        return set()
    text = runner_configuration(tree, path).replace("<rootDir>/", "")
    parts = _LOADED.findall(text[:_MOST_READ])
    is_below = False
    for line in text[:_MOST_READ].splitlines():
        is_below = bool(_LOADED_LINE.match(line)) or (is_below and line.startswith((" ", "-")))
        parts += [line[:_LONGEST_LINE]] if is_below else []
    words = {word for part in parts for word in _SCRIPT_WORD.findall(part)}
    folder = PurePosixPath(path).parent
    named = {(folder / word).as_posix() for word in words if ".." not in word}
    return {one for one in named if (tree / one).is_file() and not (tree / one).is_symlink()}


def scope(path: str) -> str:
    """Return the folder whose tests a support or configuration file can change ("" is everything).

    Data can be read by any test of its test folder; a conftest.py speaks for its own folder.
    """
    parts = PurePosixPath(path).parts[:-1]
    if PurePosixPath(path).name == "conftest.py":
        return "/".join(parts)
    if _TAP_SNAPSHOTS in parts:
        at = parts.index(_TAP_SNAPSHOTS)
        return "/".join((*parts[:at], *parts[at + 1 :]))
    folder = folder_reached(PurePosixPath(path))
    if folder is not None:
        return folder
    for index in range(len(parts)):
        if is_test_folder(parts, index):
            return "/".join(parts[: index + 1])
    return "/".join(parts) if classify(path) is PathKind.RUNNER_CONFIG else "/".join(parts[:-1])


def runner_configuration(tree: Path, path: str) -> str:
    """Return the part of a configuration file that speaks to the test runner, comparable as text.

    A file that cannot be read as what it claims to be is compared whole.
    """
    file = tree / path
    if file.is_symlink() or not file.is_file():
        return ""
    text = file.read_text(errors="replace")
    name = PurePosixPath(path).name
    if is_build_file(PurePosixPath(path)):
        return test_lines(name, text)
    try:
        return _sections(name, text)
    except (ValueError, RecursionError, configparser.Error):
        return text


def _sections(name: str, text: str) -> str:
    """Return what speaks to the runner in a file that is also for others. Raises what its reader does.

    The `test` script of a manifest is not part of it: head's tests run as base's script says anyway.
    """
    if name == "pyproject.toml":
        tool = tomllib.loads(text).get("tool", {})
        return repr(tool.get("pytest")) if isinstance(tool, dict) and "pytest" in tool else ""
    if name == "package.json":
        manifest = json.loads(text)
        known = manifest if isinstance(manifest, dict) else {}
        found = {section: known[section] for section in _MANIFEST_SECTIONS if section in known}
        return json.dumps(found, sort_keys=True) if found else ""
    if name in _CONFIGURATION_SECTIONS:
        parser = configparser.RawConfigParser(strict=False)
        parser.read_string(text)
        names = (one for one in _CONFIGURATION_SECTIONS[name] if parser.has_section(one))
        return repr([(one, sorted(parser.items(one))) for one in names])
    return text


def speaks_by_absence(path: str) -> bool:
    """Tell whether a file's absence on one side can change that side's tests: code and configuration."""
    return path.endswith((*SCRIPTS, ".py")) or classify(path) is PathKind.RUNNER_CONFIG


# --- tests of compiled languages and of shells, by name and by what build files say ----------------
# Sources: `go help test` (*_test.go, testdata), Cargo's target layout (tests/*.rs; a `#[cfg(test)]` module
# belongs to its source), Maven Surefire's defaults (src/test/java, *Test, Test*, *Tests, *TestCase), bats.


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
        is_main = "/src/main/" in f"/{'/'.join(folders)}/"
        return bool(_JAVA.fullmatch(name)) and not is_main
    if suffix in _C | _SHELL:
        words = re.split(r"[_\-.]", path.stem.lower())
        return in_tests or not {"test", "tests"}.isdisjoint((words[0], words[-1]))
    return False


def is_build_file(path: PurePosixPath) -> bool:
    """Tell whether a file is both build and runner: only what it says of tests configures the runner."""
    return path.name in _BUILD_FILES or path.suffix in _BUILD_SUFFIXES


def folder_reached(path: PurePosixPath) -> str | None:
    """Return the folder whose tests a file can change by where its language keeps material; else None."""
    parts = path.parts[:-1]
    if "testdata" in parts:
        return "/".join(parts[: parts.index("testdata")])
    at = 2 if parts and parts[0] in _WORKSPACES else 0
    if parts[at : at + 1] and parts[at] in _FIXTURES:
        return "/".join(parts[:at])
    text = "/".join(parts)
    if "/src/test/" in f"/{text}/":
        return f"/{text}/".partition("/src/test/")[0].strip("/")
    return None


def test_lines(name: str, text: str) -> str:
    """Return what a Makefile or CMakeLists.txt says of tests: rules with their recipes, statements."""
    if name == "CMakeLists.txt" or name.endswith(".cmake"):
        bare = re.sub(r"#[^\n]*", "", text)
        statements = re.findall(r"(?<!\w)\w+\s*\([^()]*(?:\([^()]*\)[^()]*)*\)", bare)
        # The project's own name may well hold the word.
        told = (" ".join(s.split()) for s in statements if _SPEAKS_OF_TESTS.search(s))
        return "\n".join(told)
    found, in_test_rule, continues = [], False, False
    for line in text.splitlines():
        if not line.startswith("\t") and not continues:
            in_test_rule = bool(_RULE.match(line)) and bool(_SPEAKS_OF_TESTS.search(line))
        if in_test_rule or _SPEAKS_OF_TESTS.search(line) or _CHANGES_MAKE.match(line):
            found.append(line.rstrip())
        continues = line.endswith("\\")
        in_test_rule = in_test_rule and bool(line.strip())
    return "\n".join(found)


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
        for file in (Path(folder, name) for name in names):
            is_rust, is_build = file.suffix == ".rs", _BUILD.match(file.name)
            says = _RUST_TEST if is_rust else _SAYS_TEST if is_build else None
            if says is None or file.is_symlink() or not file.is_file():
                continue
            with file.open("rb") as stream:
                text = stream.read(_MOST_BYTES)
            if says.search(_NPM_DEFAULT.sub(b"", text)):
                return False
    return True
