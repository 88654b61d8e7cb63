"""What is made ready before the tests: what CI makes in the tree, and other projects of the same repository.

CI makes message catalogs, generated modules and test data; a project that needs neighbours gets the tree's.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import PurePosixPath

from packaging.utils import canonicalize_name

from sandbox.toolchains.ecosystem import Toolchain
from sandbox.toolchains.python_arguments import requirement_name
from sandbox.toolchains.python_calls import calls_in, make_places
from sandbox.toolchains.python_digest import requirement_files
from sandbox.toolchains.python_project import PythonProject, read_project
from sandbox.toolchains.python_selection import Selection
from sandbox.toolchains.test_line import ci_jobs
from sandbox.toolchains.tree import Tree

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
        starts = (n for n, line in enumerate(lines) if _starts_tests(tree, line))
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


def _starts_tests(tree: Tree, line: str) -> bool:
    return bool(calls_in(tree, (line,)) or (_STARTS_TESTS.search(line) and "install" not in line))


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


def requirement_names(tree: Tree, project: PythonProject, selection: Selection) -> set[str]:
    """Return the normalised names that are known to be installed; dynamic ones are not known."""
    lines = [*project.dependencies, *selection.packages]
    for entry in (*project.extras, *selection.groups):
        if entry.name in selection.extras or entry in selection.groups:
            lines += entry.requirements
    for _, text in requirement_files(tree, selection.files):
        lines += text.splitlines()
    return {requirement_name(line) for line in lines}
