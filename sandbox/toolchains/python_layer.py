"""The layers of a Python project: environment, versions of packages, and the digest of what is installed.

Two sides with the same digest may share one dependency layer.
"""

from __future__ import annotations

import ast
import hashlib
import json
import re
import shlex
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from uv import find_uv_bin

from sandbox.base import TREE, Mount, Network
from sandbox.toolchains.ecosystem import BuildRequest, SetupHints, Toolchain, Variables
from sandbox.toolchains.layers import (
    CACHE,
    DEPENDENCIES,
    PROJECT,
    SYSTEM_PATH,
    TOOLCHAIN,
    TOOLS,
    UV,
)
from sandbox.toolchains.python_project import parsed, read_project
from sandbox.toolchains.tree import Tree
from sandbox.values import Recipe


def installer() -> tuple[Mount, ...]:
    """Return the mount of the package installer from Assay's own installation."""
    return (Mount(find_uv_bin(), UV),)


def building(request: BuildRequest) -> Variables:
    """Return the environment of the build commands."""
    path = f"{PROJECT}/bin:{DEPENDENCIES}/bin:{TOOLS}:{SYSTEM_PATH}"
    return (
        ("PATH", path),
        ("VIRTUAL_ENV", DEPENDENCIES),
        ("UV_PROJECT_ENVIRONMENT", DEPENDENCIES),
        ("UV_CACHE_DIR", CACHE),
        ("PIP_CACHE_DIR", f"{CACHE}/pip"),
        ("UV_LINK_MODE", "copy"),
        ("UV_NO_CONFIG", "1"),  # the repository does not choose where from
        ("UV_PYTHON_DOWNLOADS", "never"),
        ("UV_PYTHON_INSTALL_DIR", TOOLCHAIN),  # what was fetched before, if anything was
        ("UV_NO_PROGRESS", "1"),
        ("NO_COLOR", "1"),
        ("GIT_TERMINAL_PROMPT", "0"),
        *((("UV_OFFLINE", "1"),) if request.network is Network.NONE else ()),
    )


_FOR_ONE = "SETUPTOOLS_SCM_PRETEND_VERSION_FOR_"
_VERSIONS = (
    "SETUPTOOLS_SCM_PRETEND_VERSION", "PDM_BUILD_SCM_VERSION", "PBR_VERSION",
    "POETRY_DYNAMIC_VERSIONING_BYPASS", "UV_DYNAMIC_VERSIONING_BYPASS",
)  # fmt: skip


def versioning(request: BuildRequest, alone: bool) -> Variables:
    """Return what tells plug-ins that read git's tags the project's version, since there is no git here.

    Most of these variables are for whatever is built, a dependency from its source, too: where the project
    is not built alone, only those that name it are returned.
    """
    version = request.version or "0.0.0"
    name = read_project(Tree(request.tree / request.recipe.root)).name
    named = (_FOR_ONE + re.sub(r"[-_.]+", "_", name).upper(),) if name else ()
    return tuple((one, version) for one in (*named, *(_VERSIONS if alone else ())))


def observing(recipe: Recipe, has_project: bool) -> Variables:
    """Return the environment of what looks at a built project."""
    path = f"{PROJECT}/bin:{DEPENDENCIES}/bin:{SYSTEM_PATH}"
    start = f"{TREE}/{recipe.root}".rstrip("/")
    variables = (("PATH", path), ("VIRTUAL_ENV", DEPENDENCIES))
    return variables if has_project else (*variables, ("PYTHONPATH", f"{start}:{start}/src"))


HARNESS_VERSION = "2"
"""Raised when the way layers are built changes: old layers are then never used again."""

_PACKAGING_FILES = ("pyproject.toml", "setup.py", "setup.cfg", "poetry.lock", "pdm.lock", "uv.lock")
_FOLDER = re.compile(r"^(?:(?:-e|--editable)[ =]\s*(?![\w+]+:)|(?=\.))([^\s;\[#]+)", re.M)
_NESTED = re.compile(r"^(?:-r|-c|--requirement|--constraint)[ \t=]*(\S+)", re.M)


def lock_digest(
    toolchain: Toolchain, commands: Iterable[tuple[str, ...]], inputs: Iterable[str]
) -> str:
    """Return the sha256 over the toolchain, the commands and every input, order kept."""
    parts = [HARNESS_VERSION, toolchain.python, toolchain.uv, list(commands), list(inputs)]
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()


def normalised(requirements: Iterable[str]) -> str:
    """Return requirement lines in one spelling and order, so that formatting does not matter."""
    return "\n".join(sorted({str(parsed(text) or text.strip()) for text in requirements}))


def requirement_files(tree: Tree, paths: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Yield (path, text without comments) of these files and of those they include, each once."""
    waiting, seen = list(paths), set[str]()
    while waiting:
        path = waiting.pop(0)
        if path in seen:
            continue
        seen.add(path)
        stripped = [re.sub(r"(^|\s)#.*", "", line).strip() for line in tree.read(path).splitlines()]
        text = "\n".join(line for line in stripped if line)
        yield path, text
        folder = path.rpartition("/")[0]
        waiting += [f"{folder}/{found}".lstrip("/") for found in _NESTED.findall(text)]


def names_local_project(text: str) -> bool:
    """Tell whether a requirements file installs something by path: its metadata is then an input."""
    return bool(re.search(r"^(-e\s|--editable|\.|file:|/)|@\s*file:", text, re.M))


def local_folders(text: str) -> list[str]:
    """Return the folders that a requirements file installs, as they are written there."""
    return _FOLDER.findall(text)


def dynamic_inputs(tree: Tree) -> tuple[str, ...]:
    """Return path and content digest of every file that a build is known to read.

    That is the packaging files, all requirement files, and what `setup.py` names in a string.
    """
    paths = [*_PACKAGING_FILES, *tree.listing(".", ".txt"), *tree.listing("requirements", ".txt")]
    module = tree.python("setup.py")
    texts = {node.value for node in ast.walk(module) if isinstance(node, ast.Constant)}
    named = sorted(text for text in texts if isinstance(text, str) and 0 < len(text) < 200)
    paths += [one for one in named if not one.startswith(("/", "..")) and tree.read_bytes(one)]
    return tuple(
        f"{path} {hashlib.sha256(tree.read_bytes(path)).hexdigest()}"
        for path in dict.fromkeys(paths)
        if tree.has(path)
    )


def packaging_inputs(whole: Tree) -> tuple[str, ...]:
    """Return path and content digest of every packaging file of a repository, however deep."""
    found = (
        path
        for path in whole.files()
        if (name := path.rpartition("/")[2]) in _PACKAGING_FILES
        or (name.startswith("requirements") and name.endswith((".txt", ".in")))
    )
    own = (f"{path} {hashlib.sha256(whole.read_bytes(path)).hexdigest()}" for path in found)
    return tuple(dict.fromkeys((*dynamic_inputs(whole), *own)))


# --- which versions are installed: of a lock file, or as they were when the commits were made ------

PIP_INSTALL = ("uv", "pip", "install")
_LOCKS = ("poetry.lock", "pdm.lock")
_LOCKED = re.compile(r"name = \"([A-Za-z0-9][\w.-]{0,99})\"\nversion = \"(\d[\w.+!-]{0,59})\"\n")
_ELSEWHERE = re.compile(r"^(?:\[package\.source\]|(?:git|path|url) = )", re.MULTILINE)
_MOST_LOCKED = 500
_CONSTRAINTS = f"{DEPENDENCIES}/locked.txt"

Commands = tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True)
class Versions:
    """Where versions come from: the pins of a `lock` file, what was released `before` a date, the newest."""

    before: str = ""
    lock: str = ""
    pins: tuple[str, ...] = ()

    @property
    def said(self) -> str:
        """Return the end of the sentence "Dependencies come from …"."""
        newest = "resolved to the newest allowed"
        if self.before:
            newest += f" of those released before {self.before}, because the commits are old"
        if self.lock:
            return (
                f"at the versions of {self.lock}; or {newest}, where those cannot be had as wheels."
            )
        if self.before:
            return (
                f"{newest} and there is no lock file; or of all, where those cannot be installed."
            )
        return f"{newest}."

    def install(self, commands: Commands) -> Commands:
        """Return the commands with these versions, and as they are where that fails."""
        dated = (*PIP_INSTALL, "--exclude-newer", self.before) if self.before else PIP_INSTALL
        found = []
        for argv in commands:
            lines = [shlex.join((*dated, *argv[3:]))] if self.before else []
            if self.pins:
                as_locked = (*dated, "-c", _CONSTRAINTS, *argv[3:])
                written = f"printf '%s\\n' {shlex.join(self.pins)} > {_CONSTRAINTS}"
                lines.insert(0, f"{written} && {shlex.join(as_locked)}")
            is_told = lines and argv[:3] == PIP_INSTALL
            found.append(("sh", "-c", " || ".join([*lines, shlex.join(argv)])) if is_told else argv)
        return tuple(found)


def versions(tree: Tree, setup: SetupHints, toolchain: Toolchain) -> Versions:
    """Return which versions a project gets that has no lock file of uv.

    For old commits packages count up to the first of a month, so that layers are shared, and at least a year
    after the release of this Python (3.N in October of 2011 + N): older packages were not made for it, nor
    are those of a lock file then.
    """
    before = least = ""
    if setup.released_before:
        year, month = (int(part) for part in setup.released_before.split("-")[:2])
        commits = f"{year + month // 12}-{month % 12 + 1:02}-01"
        least = f"{2012 + int(toolchain.python.split('.')[1])}-11-01"
        before = max(commits, least)
    lock = next((one for one in _LOCKS if tree.is_plain(one)), "")
    pins = _pins(tree.read(lock)) if lock and (not before or before != least) else ()
    return Versions(before, lock if pins else "", pins)


def _pins(text: str) -> tuple[str, ...]:
    """Return what a lock file has one version of, from the index, as lines of a file of constraints.

    Nothing is compiled here that the file's own Python had a wheel for.
    """
    found: dict[str, set[str]] = defaultdict(set)
    in_source: set[str] = set()
    for entry in text.split("[[package]]\n")[1:]:
        if named := _LOCKED.match(entry):
            found[named[1]].add("" if _ELSEWHERE.search(entry) else named[2])
            if "\nfiles = [" in entry and '.whl"' not in entry:
                in_source.add(named[1])
    single = [(name, *of) for name, of in found.items() if len(of) == 1 and "" not in of]
    pins = [f"{name}=={version}" for name, version in single[:_MOST_LOCKED]]
    wheels = [f"--only-binary {name}" for name, _ in single[:_MOST_LOCKED] if name not in in_source]
    return (*pins, *wheels)
