"""What a Python project's tests need: extras, groups and requirement files, and what CI makes before them.

Each of them comes with its reason.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import PurePosixPath

from packaging.specifiers import SpecifierSet
from packaging.utils import canonicalize_name

from sandbox.toolchains.ecosystem import Toolchain
from sandbox.toolchains.layers import TOOLCHAIN, UV
from sandbox.toolchains.python_calls import calls_in, make_places
from sandbox.toolchains.python_ci import TestHints
from sandbox.toolchains.python_layer import local_folders, names_local_project, requirement_files
from sandbox.toolchains.python_project import (
    NamedList,
    PythonProject,
    read_project,
    requirement_name,
)
from sandbox.toolchains.test_line import ci_jobs
from sandbox.toolchains.tree import Tree

_MINORS = range(8, 16)
_LATEST = 99
_VERSIONS = (
    r"(?m)^[ \t]*+(?:-[ \t]*+)?(?:python(?:-version)?s?%s):[ \t]*"
    r"(\[[^\]]{0,2000}\]|(?:\n[ \t]*-[^\n]*)+|[^\n]*)"
)
_KEY_OF_MATRIX = re.compile(r"python-version:[ \t]*\$\{\{[ \t]*matrix\.([\w-]{1,60})[ \t]*\}\}")


def missing_python(requires: str, version: str) -> str:
    """Return "Python >= 3.13" when this interpreter does not do, else "" (also when unreadable)."""
    try:
        lacking = [s for s in SpecifierSet(requires) if not s.contains(version, prereleases=True)]
    except ValueError:  # InvalidSpecifier is one; so is a number too long to read
        return ""
    if not lacking:
        return ""
    return "Python " + ", ".join(sorted(f"{s.operator} {s.version}" for s in lacking))


def nearest_release(requires: str, version: str) -> str:
    """Return the release ("3.13") nearest to the machine's that does, "" when none is known."""
    here = int(version.split(".")[1])
    for minor in sorted(_MINORS, key=lambda one: (abs(one - here), one)):
        if not missing_python(requires, f"3.{minor}.{_LATEST}"):
            return f"3.{minor}"
    return ""


def fetching(toolchain: str) -> tuple[str, ...]:
    """Return the command that installs a release ("python 3.13") into an empty layer."""
    release = toolchain.removeprefix("python ")
    place = ("--no-config", "python", "install", "--no-bin", "--install-dir", TOOLCHAIN)
    return ("env", "UV_CACHE_DIR=/tmp/uv", "UV_NO_PROGRESS=1", UV, *place, release)


def untested_python(tree: Tree, version: str) -> tuple[str, bool]:
    """Say so when the project itself tests with other versions than the machine's only.

    The second value tells whether all of those are older.
    """
    # The minor versions of CI's matrices, else of tox's environments.
    matrices: list[str] = []
    for job in ci_jobs(tree):
        if job.is_of_workflow:
            keys = "".join(f"|{re.escape(one)}" for one in {*_KEY_OF_MATRIX.findall(job.text)})
            matrices += re.findall(_VERSIONS % keys, job.text)
    tested = {int(minor) for text in matrices for minor in re.findall(r"\b3\.(\d{1,2})\b", text)}
    tox = tree.ini("tox.ini")
    option = "envlist" if tox.has_option("tox", "envlist") else "env_list"
    environments = re.sub(
        r"py\{([^{}]*)\}",
        lambda found: ",".join(f"py{one.strip()}" for one in found[1].split(",")),
        tox.get("tox", option, fallback=""),
    )
    of_tox = {int(minor) for minor in re.findall(r"\bpy3\.?(\d{1,2})\b", environments)}
    tested = tested or of_tox
    here = int(version.split(".")[1])
    if not tested or here in tested:
        return "", False
    listed = ", ".join(f"3.{minor}" for minor in sorted(tested))
    said = f"The project is tested with Python {listed}; the sandbox has Python {version}."
    return said, max(tested) < here


_TESTS = {
    "test", "tests", "testing", "pytest", "unittest", "unittests", "hatch-test", "tests-require",
    "unit", "unit-test", "unit-tests",
}  # fmt: skip
_DEVELOPMENT = {"dev", "develop", "development", "default"}
# A list with one of these words stands beside one for the newest versions, and both cannot be had at once.
_OF_OLDEST = {"oldest", "lowest", "minimum", "minimal", "minimums", "min"}
_OF_NEWEST = {"latest", "newest", "highest", "max"}
_FOR_DEVELOPMENT = "it is for development and brings pytest"
_FILE_FOR_TESTS = "its name says that it is for tests"
_FILE_FOR_DEVELOPMENT = "its name says that it is for development"
_IS_NAME = re.compile(r"[A-Za-z0-9][\w.-]*")  # it becomes an argument of a command
_DEVELOPMENT_FILES = _DEVELOPMENT | {"ci", "devel"}


@dataclass(frozen=True, slots=True)
class Selection:
    """What is installed beside the project's own dependencies. `reasons` are full sentences.

    `spare` are the extras and groups that are there for development only, and the files beside the plainest
    one for it or for tests, which may be another choice of the same: the tests may do without them.
    """

    extras: tuple[str, ...]
    groups: tuple[NamedList, ...]
    files: tuple[str, ...]
    packages: tuple[str, ...]
    reasons: tuple[str, ...]
    spare: tuple[str, ...] = ()

    def without_spare(self) -> Selection:
        """The same without what the tests may do without."""
        extras = tuple(one for one in self.extras if one not in self.spare)
        groups = tuple(one for one in self.groups if one.name not in self.spare)
        files = tuple(one for one in self.files if one not in self.spare)
        return replace(self, extras=extras, groups=groups, files=files, spare=())


def select(tree: Tree, project: PythonProject, hints: tuple[TestHints, ...]) -> Selection:
    """Choose by name, by what tox or CI installs, and by what brings pytest."""
    extras = _chosen(project.extras, [(h.source, h.extras) for h in hints])
    groups = _chosen(project.groups, [(h.source, h.groups) for h in hints])
    if not extras and not groups:
        extras = _development(project.extras)
        groups = _development(project.groups)
    files = _files(tree, project, hints)
    packages = {p: h.source for h in reversed(hints) for p in h.packages}
    reasons = (
        *(f"Extra `{name}` is installed, because {why}." for name, why in extras.items()),
        *(
            f"Dependency group `{name}` is installed, because {why}."
            for name, why in groups.items()
        ),
        *(f"`{path}` is installed, because {why}." for path, why in files.items()),
        *(f"`{text}` is installed, because {source} does." for text, source in packages.items()),
    )
    chosen = tuple(group for group in project.groups if group.name in groups)
    why = {**extras, **groups}
    spare = tuple(name for name in why if why[name] == _FOR_DEVELOPMENT)
    spare = spare if len(spare) < len(why) else ()
    for guess in (_FILE_FOR_TESTS, _FILE_FOR_DEVELOPMENT):
        guessed = [path for path in files if files[path] == guess]
        spare += tuple(sorted(guessed, key=lambda path: len(_words(path)))[1:])
    return Selection(tuple(extras), chosen, tuple(files), tuple(packages), reasons, spare)


def _chosen(
    lists: tuple[NamedList, ...], named_by: list[tuple[str, tuple[str, ...]]]
) -> dict[str, str]:
    """Return name → why for the lists whose name, hint or content says that tests need them."""
    found: dict[str, str] = {}
    for entry in lists:
        if not _IS_NAME.fullmatch(entry.name):
            continue
        sources = [source for source, names in named_by if entry.name in names]
        name = entry.name.lower().replace("_", "-")
        if name in _TESTS:
            found[entry.name] = "its name says that it is for tests"
        elif sources:
            found[entry.name] = f"{sources[0]} installs it"
        elif name in _DEVELOPMENT and _brings_pytest(entry):
            found[entry.name] = _FOR_DEVELOPMENT
    return found


def _brings_pytest(entry: NamedList) -> bool:
    return any(requirement_name(requirement) == "pytest" for requirement in entry.requirements)


def _development(lists: tuple[NamedList, ...]) -> dict[str, str]:
    """With nothing named for tests, take what is for development, or else what brings pytest."""
    lists = tuple(entry for entry in lists if _IS_NAME.fullmatch(entry.name))
    for entry in lists:
        if entry.name.lower() in _DEVELOPMENT:
            return {entry.name: "it is for development and nothing is named for tests"}
    for entry in lists:
        if _brings_pytest(entry):
            return {entry.name: "it brings pytest"}
    return {}


def _files(tree: Tree, project: PythonProject, hints: tuple[TestHints, ...]) -> dict[str, str]:
    found: dict[str, str] = {}
    for hint in hints:
        for path in hint.files:
            if tree.read_bytes(path):
                found.setdefault(path, f"{hint.source} installs it")
    of_tests = {path: _words(path) for path in _requirement_files(tree) if _words(path) & _TESTS}
    newest = [words - _OF_NEWEST for words in of_tests.values() if not words & _OF_OLDEST]
    for path, words in of_tests.items():
        if not words & _OF_OLDEST or words - _OF_OLDEST not in newest:
            found.setdefault(path, _FILE_FOR_TESTS)
    for path in _requirement_files(tree) if not found else []:
        if _words(path) & _DEVELOPMENT_FILES:
            found.setdefault(path, _FILE_FOR_DEVELOPMENT)
    text = tree.read("requirements.txt")
    states_its_own = project.source == "pyproject.toml" and (
        project.dependencies or project.is_installable
    )
    is_for_development = names_local_project(text) or re.search(r"^pytest\b", text, re.M)
    # A place that brings pytest may install all that tests need, as an environment of tox does: a list for
    # developers may hold versions that no longer run, and nobody would notice.
    is_whole = project.is_installable and any(
        hint.is_whole and not hint.is_aside and "pytest" in map(requirement_name, hint.packages)
        for hint in hints
    )
    if text and not is_whole and (not states_its_own or is_for_development):
        found.setdefault("requirements.txt", "it lists what the repository needs")
    return found


def _words(path: str) -> set[str]:
    return set(re.split(r"[\W_]+", PurePosixPath(path).with_suffix("").as_posix().lower()))


def _requirement_files(tree: Tree) -> list[str]:
    folders = [*tree.listing(".", ".txt"), *tree.listing("requirements", ".txt")]
    folders += [*tree.listing("tests", ".txt"), *tree.listing("test", ".txt")]
    return [path for path in folders if "require" in path.lower()]


# --- what is made ready before the tests -----------------------------------------------------------
# CI makes message catalogs, generated modules and test data; a project that needs neighbours gets the tree's.


_STARTS_TESTS = re.compile(
    r"(?:^|\s)(?:tox|nox|hatch\s+(?:run|test)|(?:make|just)\s+[\w-]*(?:test|check)[\w-]*)(?=\s|$)"
)
# A program, a script of the tree or a target that makes files, and nothing else of the shell.
_PREPARES = re.compile(
    r"(?:(?:ba)?sh\s+|python3?\s+)?(?:\./)?(?P<script>[\w-][\w./-]*\.(?:sh|py))(?:\s+[\w./=:-]+)*"
    r"|make\s+(?P<target>[\w.-]+)|(?:msgfmt|pybabel)(?:\s+[\w./=:-]+)+"
)
_MAKES_FILES = re.compile(
    r"(?i)gen|build|compil|transl|locale|messages|catalog|proto|prepar|fixture|msgfmt"
)
_MAKES_NO_FILES = re.compile(
    r"(?i)(?:^|[\W_])(?:clean|docs?|lint|format|install|release|publish|deploy|upload|bench\w*|wheel|s?dist)"
    r"(?=$|[\W_])"
)
_NEEDS_MACHINE = re.compile(r"(?:sudo|apt|apt-get|docker|docker-compose|systemctl|service)\s")
_MOST_STEPS = 5


def prepare(
    tree: Tree, toolchain: Toolchain, *, is_kept: bool
) -> tuple[tuple[tuple[str, ...], ...], tuple[str, ...]]:
    """Return the commands of the first job that prepares and starts tests, and the reasons.

    Only single commands that make files are followed, and only where a layer keeps what they make.
    What a job does to its machine is said and left out.
    """
    programs = {name for name, _ in toolchain.programs}
    targets = {place.name for place in make_places(tree)} if "make" in programs else set[str]()
    for job in ci_jobs(tree):
        lines = job.lines()
        starts = (
            n
            for n, line in enumerate(lines)
            if calls_in(tree, (line,)) or (_STARTS_TESTS.search(line) and "install" not in line)
        )
        before = list(dict.fromkeys(lines[: next(starts, 0)]))
        made = [line for line in before if _makes_files(line, tree, targets)][:_MOST_STEPS]
        other = [line for line in before if _NEEDS_MACHINE.match(line)][:_MOST_STEPS]
        if made or other:
            run, left_out = (made, other) if is_kept else ([], [*made, *other])
            reasons = [
                f"`{line}` is run before the tests, as {job.path} does; "
                "if it fails, the tests run without it."
                for line in run
            ]
            reasons += [
                f"`{line}`, which {job.path} runs before the tests, is not run."
                for line in left_out
            ]
            return tuple(("sh", "-c", f"{line} || true") for line in run), tuple(reasons)
    return (), ()


def _makes_files(line: str, tree: Tree, targets: set[str]) -> bool:
    """Tell whether a line is one command that makes files, and what it starts is there."""
    said = _PREPARES.fullmatch(line)
    if not said or not _MAKES_FILES.search(line) or _MAKES_NO_FILES.search(line):
        return False
    is_target = not said["target"] or said["target"] in targets
    return is_target and (not said["script"] or tree.has(said["script"]))


_DECLARES = {"pyproject.toml", "setup.py", "setup.cfg"}
_WORD = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")


@dataclass(frozen=True, slots=True)
class Sibling:
    """Another project of the repository: its normalised name, its folder, and its files."""

    name: str
    folder: str
    tree: Tree


def needed_siblings(whole: Tree, root: str, names: Iterable[str]) -> tuple[Sibling, ...]:
    """Return the projects whose names are required, and those that they require in turn."""
    declaring = [PurePosixPath(path) for path in whole.files()]
    folders = dict.fromkeys(path.parent.as_posix() for path in declaring if path.name in _DECLARES)
    known: dict[str, Sibling] = {}
    for folder in folders:
        tree = Tree(whole.root / folder)
        project = read_project(tree)
        if folder not in (".", root) and project.name and project.is_installable:
            known[project.name] = Sibling(project.name, folder, tree)
    found: dict[str, Sibling] = {}
    waiting = [*names, *(_named_in_code(Tree(whole.root / root), known))] if known else []
    while waiting:
        one = known.get(waiting.pop())
        if one and one.name not in found:
            found[one.name] = one
            project = read_project(one.tree)
            waiting += [requirement_name(line) for line in project.dependencies]
            waiting += _named_in_code(one.tree, known)
    return tuple(found[name] for name in sorted(found))


def _named_in_code(tree: Tree, known: dict[str, Sibling]) -> list[str]:
    """Look for the names where only code, or another notation, says what is required."""
    if not read_project(tree).is_dynamic or tree.toml("pyproject.toml").table("tool").has("poetry"):
        return []
    words = _WORD.findall(f"{tree.read('setup.py')}\n{tree.read('setup.cfg')}")
    return [name for word in words if (name := canonicalize_name(word)) in known]


def is_read_at_top(whole: Tree, root: str, files: Iterable[str]) -> bool:
    """Tell whether a project's lists name folders from the top of the repository on, where CI reads them."""
    place = Tree(whole.root / root)
    texts = (text for _, text in requirement_files(place, files) if root)
    named = (folder for text in texts for folder in local_folders(text))
    return any(whole.has(one) and not place.has(one) for one in named)


def requirement_names(tree: Tree, project: PythonProject, selection: Selection) -> set[str]:
    """Return the normalised names that are known to be installed; dynamic ones are not known."""
    lines = [*project.dependencies, *selection.packages]
    for entry in (*project.extras, *selection.groups):
        if entry.name in selection.extras or entry in selection.groups:
            lines += entry.requirements
    for _, text in requirement_files(tree, selection.files):
        lines += text.splitlines()
    return {requirement_name(line) for line in lines}
