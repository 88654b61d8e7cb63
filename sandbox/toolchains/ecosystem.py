"""What an ecosystem is told from outside the tree, and what it tells: how it is known, built and observed."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path

from sandbox.base import Command, Limits, Mount, Network, Sandbox, SandboxError
from sandbox.toolchains.layers import SYSTEM_PATH, UV
from sandbox.toolchains.tree import Tree
from sandbox.values import Recipe, Side, TestCall, TestRunner

_LAYOUT = "2"
"""Raised when older layers and downloads must never be used again."""


@dataclass(frozen=True, slots=True)
class BuildRequest:
    """One side to build. `tree` is only read; `version` is what the project shall say it is.

    `state` is Assay's own persistent folder. `repository` is the one that the pull request is for,
    never the fork. `is_trusted` says that the commit `sha` is reachable from the default branch or a
    protected one: what others use later is only ever written for such a commit.
    """

    side: Side
    tree: Path
    recipe: Recipe
    version: str
    repository: str
    sha: str
    state: Path
    is_trusted: bool = False
    limits: Limits = field(default_factory=Limits)
    network: Network = Network.BUILD


def repository_folder(state: Path, repository: str) -> Path:
    """Return the repository's own lasting folder: what one builds is never used for another."""
    name = hashlib.sha256(f"{_LAYOUT} {repository}".encode()).hexdigest()[:24]
    return state / "environments" / name


def downloads_folder(request: BuildRequest) -> Path:
    """Return the folder of what was downloaded before; it is there."""
    folder = repository_folder(request.state, request.repository) / "downloads"
    folder.mkdir(parents=True, exist_ok=True, mode=0o755)
    return folder


Variables = tuple[tuple[str, str], ...]

_ASIDE = {"docs", "doc", "examples", "example", "benchmarks", "website", "scripts", "tools"}


@dataclass(frozen=True, slots=True)
class TreeEvidence:
    """How strongly a tree says that it is of one ecosystem.

    `declared`: a project file stands at the top. `tests`: there are tests that the ecosystem can
    run. `sources`: how many files of its languages there are, documentation and the like left out.
    """

    declared: bool
    tests: bool
    sources: int

    @property
    def weight(self) -> tuple[int, int, int]:
        """Return what the ecosystems are compared by: a project with tests first, then size."""
        return (self.declared + self.tests, int(self.tests), self.sources)


SYSTEM: Variables = (("PATH", SYSTEM_PATH), ("NO_COLOR", "1"))
"""The environment of what needs nothing but the system's programs."""


@dataclass(frozen=True, slots=True)
class Downloads:
    """Commands that only download what a finished layer has, for the builds to come.

    They see no code of any tree: `files` (path, text) are all that stands where the tree would.
    """

    commands: tuple[tuple[str, ...], ...]
    files: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Ecosystem:
    """One ecosystem. `weigh` and `detect` only read files; nothing of a tree is run.

    `commands` are the first words of a configured test line that speak for it. `programs` are asked for
    their version in the sandbox (argv lists); detect() finds the answers in the Toolchain and
    puts what is missing in `Recipe.needs`. `building` and `observing` give the environment variables of
    build commands and of everything that looks afterwards (told: is there a project layer).
    `versioning` gives those that tell builds the project's version (told: is nothing else built).
    `fetching` gives the command that fills an empty toolchain layer with what `Recipe.toolchain`
    names; it sees nothing of any tree. `downloading` tells what to keep of the downloads of a finished
    dependency layer (a host folder). `keeps_output` says that the project layer keeps what its build
    wrote to `build` and `dist`.
    `runs_alone` tells whether tests can be run in a folder, or only from the top of a workspace.
    """

    name: str
    weigh: Callable[[Tree], TreeEvidence | None]
    detect: Callable[[Path, SetupHints, Toolchain], Recipe | None]
    building: Callable[[BuildRequest], Variables] = lambda _: SYSTEM
    observing: Callable[[Recipe, bool], Variables] = lambda *_: SYSTEM
    versioning: Callable[[BuildRequest, bool], Variables] = lambda *_: ()
    commands: frozenset[str] = frozenset()
    programs: tuple[tuple[str, ...], ...] = ()
    tools: Callable[[], tuple[Mount, ...]] = lambda: ()
    keeps_output: bool = False
    fetching: Callable[[str], tuple[str, ...]] | None = None
    downloading: Callable[[BuildRequest, Path], Downloads | None] | None = None
    runs_alone: Callable[[Tree], bool] = lambda _: True


def weighed(
    tree: Tree, suffixes: tuple[str, ...], *, declared: bool, is_test: Callable[[str], bool]
) -> TreeEvidence | None:
    """Return the evidence by files' names; None when nothing speaks for the ecosystem."""
    files = [path for path in tree.files() if path.endswith(suffixes)]
    sources = sum(path.split("/", 1)[0].lower() not in _ASIDE for path in files)
    tests = any(is_test(path) for path in files)
    return TreeEvidence(declared, tests, sources) if declared or files else None


@dataclass(frozen=True, slots=True)
class SetupHints:
    """The `setup` part of the repository's trusted configuration; empty lines mean "find out".

    `install` and `test` are shell lines. They come from the base branch, never from a pull request.
    `root` is the project's folder in the tree, as `Projects` finds it; "" is the tree itself. `install`
    starts in `install_root`: a line for the whole repository does not start in a project's folder.
    `released_before` (an ISO date) is set for old commits: what no lock file fixes is installed as it was
    offered then. `others` are the projects below the tree that are tested by themselves.
    """

    install: str = ""
    test: str = ""
    root: str = ""
    install_root: str = ""
    released_before: str = ""
    others: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Runner:
    """How a project's tests are run; `reason` is the sentence that says why. `arguments` as in a Recipe.

    `more` are further calls, `left_out` says which calls of the project are not made. Where a `script` calls
    the runner, `before` are names of scripts and programs that it runs first, `compiles` its own commands
    that do so. `plugins` are installed, too.
    """

    runner: TestRunner
    arguments: tuple[str, ...]
    reason: str = ""
    more: tuple[TestCall, ...] = ()
    left_out: str = ""
    script: str = ""
    before: tuple[str, ...] = ()
    compiles: tuple[tuple[str, ...], ...] = ()
    plugins: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Toolchain:
    """What the sandbox has: its `python3` ("3.11.2"), the `uv` mounted into it, and other programs.

    `programs` are (name, version) of what answered; the name is the first word of the argv that an
    ecosystem asks with. What is absent is not installed.
    """

    python: str
    uv: str = ""
    programs: tuple[tuple[str, str], ...] = ()

    def version(self, program: str) -> str:
        """Return a program's version, "" when the sandbox does not have it."""
        return dict(self.programs).get(program, "")


_VERSION = re.compile(r"(?<!\d)\d+(?:\.\d+)+")


# One process for all: each start of a sandbox costs, and some tools take a second to say their name.
_ASK = """\
import json, platform, subprocess, sys
from concurrent.futures import ThreadPoolExecutor
def ask(argv):
    try:
        done = subprocess.run(argv, capture_output=True, text=True, timeout=60)
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return (done.stdout + done.stderr)[:2000] if done.returncode == 0 else ""
with ThreadPoolExecutor(8) as pool:
    said = list(pool.map(ask, json.loads(sys.argv[1])))
print(json.dumps([platform.python_version(), *said]))
"""


async def toolchain(sandbox: Sandbox, ecosystems: Iterable[Ecosystem]) -> Toolchain:
    """Ask the sandbox for its `python3` and for these ecosystems' programs; the others' take seconds.

    Raises SandboxError when it has no Python, which every build needs.
    """
    wanted = tuple(ecosystems)
    asked = {argv[0]: argv for one in wanted for argv in one.programs}
    tools = tuple(mount for one in wanted for mount in one.tools())
    argv = ("python3", "-I", "-c", _ASK, json.dumps(list(asked.values())))
    path = (("PATH", f"{SYSTEM_PATH}:/usr/sbin:/sbin"),)
    done = await sandbox.run(Command(argv, mounts=tools, environment=path, cwd="/"))
    try:
        version, *said = json.loads(done.stdout)
    except ValueError:
        version, said = "", []
    if done.exit_code != 0 or not re.fullmatch(r"\d+\.\d+\.\d+\w*", version):
        raise SandboxError("the sandbox has no Python", "apt-get install python3")
    versions = {name: _VERSION.search(text) for name, text in zip(asked, said, strict=True)}
    programs = tuple((name, found.group()) for name, found in versions.items() if found)
    return Toolchain(python=version, uv=dict(programs).get(UV, ""), programs=programs)
