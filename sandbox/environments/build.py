"""Builds one side's environment inside the sandbox: a dependency layer and a project layer.

Only what was built from base outlives the evaluation, below `<state>/environments/<repository>`; a
head with base's digest uses base's dependency layer, another one builds in the evaluation's folder.
Whoever opened the pull request can therefore never change what a later evaluation runs with.
"""

from __future__ import annotations

import hashlib
import json
import re
import shlex
import time
from dataclasses import dataclass, field, replace
from pathlib import Path, PurePosixPath

from uv import find_uv_bin

from sandbox.base import (
    TREE,
    Command,
    Completed,
    Killed,
    Limits,
    Mount,
    MountMode,
    Network,
    Sandbox,
    SandboxError,
)
from sandbox.environments.hints import Toolchain
from sandbox.environments.index import IndexSettings, host_index_settings
from sandbox.environments.layer_store import is_finished, locked, publish, unfinished
from sandbox.environments.layers import CACHE, DEPENDENCIES, INSIDE, KEPT, NOTES, PROJECT, TOOLS
from sandbox.environments.tree import Tree
from sandbox.models import Environment, Observation, Recipe, Side

_OUTPUT_CHARS = 20_000
_KEPT_ENTRIES = 200
_SYSTEM_PATH = "/usr/local/bin:/usr/bin:/bin"
_UNREACHABLE = re.compile(
    r"dns error|failed to lookup address|connection (refused|reset|closed)|network is unreachable|"
    r"operation timed out|error sending request|connect error|tcp connect|\b(502|503|504|429)\b.*http|"
    r"http status (server error|client error \(429)|temporary failure in name resolution",
    re.I,
)
_OWN_FAILURE = re.compile(r"no solution found|failed to build|build backend (returned|failed)", re.I)


@dataclass(frozen=True, slots=True)
class BuildRequest:
    """One side to build. `tree` is only read; `version` is what the project shall say it is.

    `state` is Assay's own persistent folder, `evaluation_folder` goes when the evaluation is over.
    `repository` is the one that the pull request is for, never the fork.
    """

    side: Side
    tree: Path
    recipe: Recipe
    version: str
    repository: str
    sha: str
    state: Path
    evaluation_folder: Path
    limits: Limits = field(default_factory=Limits)


@dataclass(frozen=True, slots=True)
class _Build:
    """What all commands of one build share."""

    sandbox: Sandbox
    request: BuildRequest
    index: IndexSettings


@dataclass(frozen=True, slots=True)
class _Layer:
    """A finished layer's host folder, or why there is none."""

    folder: str = ""
    cached: bool = False
    failure: Observation | None = None


async def toolchain(sandbox: Sandbox) -> Toolchain:
    """Ask the sandbox for its `python3`. Raises SandboxError when it has none."""
    code = "import platform; print(platform.python_version())"
    done = await sandbox.run(Command(("python3", "-I", "-c", code), cwd="/"))
    version = done.stdout.decode(errors="replace").strip()
    if done.exit_code != 0 or not re.fullmatch(r"\d+\.\d+\.\d+\w*", version):
        raise SandboxError("the sandbox has no Python: apt-get install python3")
    asked = await sandbox.run(
        Command((f"{TOOLS}/uv", "--version"), mounts=(_installer(),), cwd="/")
    )
    return Toolchain(python=version, uv=asked.stdout.decode(errors="replace").split()[1])


async def build(sandbox: Sandbox, request: BuildRequest) -> Environment:
    """Build both layers, or find them built. A failing build is data: `Environment.failure`.

    Raises SandboxError when the sandbox itself fails.
    """
    started = time.monotonic()
    work = _Build(sandbox, request, host_index_settings())
    recipe = replace(request.recipe, reasons=(*request.recipe.reasons, *work.index.remarks))
    if recipe.needs:
        return _failed(recipe, request, _lacking(request), 0.0)
    dependencies = await _dependencies(work)
    if dependencies.failure:
        return _failed(recipe, request, dependencies.failure, time.monotonic() - started)
    project = await _project(work, dependencies.folder)
    if project.failure:
        return _failed(recipe, request, project.failure, time.monotonic() - started)
    return Environment(
        side=request.side,
        recipe=recipe,
        digest=recipe.lock_digest,
        dependencies_layer=dependencies.folder,
        project_layer=project.folder,
        variables=_test_variables(bool(project.folder)),
        seconds=time.monotonic() - started,
        cached=dependencies.cached and project.cached,
    )


def _failed(
    recipe: Recipe, request: BuildRequest, failure: Observation, seconds: float
) -> Environment:
    return Environment(
        side=request.side,
        recipe=recipe,
        digest=recipe.lock_digest,
        dependencies_layer="",
        project_layer="",
        variables=(),
        seconds=seconds,
        failure=failure,
    )


def _lacking(request: BuildRequest) -> Observation:
    needs = " and ".join(request.recipe.needs)
    said = f"This machine lacks {needs}, so nothing was built."
    return Observation(request.side, "", None, "", 0.0, problem=said)


# --- the dependency layer ---------------------------------------------------------------------


async def _dependencies(work: _Build) -> _Layer:
    request = work.request
    digest = request.recipe.lock_digest
    lasting = _repository_folder(request) / "dependencies" / digest
    if request.side is not Side.BASE and is_finished(lasting):
        return _Layer(str(lasting / "layer"), cached=True)
    own = request.evaluation_folder / "environment" / "dependencies" / digest
    folder = lasting if request.side is Side.BASE else own
    async with locked(folder):
        if is_finished(folder):
            return _Layer(str(folder / "layer"), cached=True)
        failure = await _fill(work, folder)
        if failure and failure.problem:
            failure = await _fill(work, folder)
        return _Layer(failure=failure) if failure else _Layer(str(folder / "layer"))


async def _fill(work: _Build, folder: Path) -> Observation | None:
    async with unfinished(folder) as temporary:
        mount = Mount(str(temporary / "layer"), DEPENDENCIES, MountMode.WRITABLE)
        for argv in work.request.recipe.install:
            failure = await _step(work, argv, argv, (mount,))
            if failure:
                return failure
        publish(temporary, folder)
    return None


# --- the project layer ------------------------------------------------------------------------


async def _project(work: _Build, dependencies: str) -> _Layer:
    request = work.request
    if not request.recipe.install_project:
        return _Layer(cached=True)
    parts = (request.sha, request.recipe.lock_digest, request.version)
    key = hashlib.sha256(json.dumps([*parts, request.recipe.install_project]).encode()).hexdigest()
    lasting = _repository_folder(request) / "projects"
    own = request.evaluation_folder / "environment" / "projects"
    folder = (lasting if request.side is Side.BASE else own) / key
    async with locked(folder):
        if is_finished(folder):
            return _Layer(str(folder / "layer"), cached=True)
        failure = await _install(work, folder, dependencies)
        if failure and failure.problem:
            failure = await _install(work, folder, dependencies)
        return _Layer(failure=failure) if failure else _Layer(str(folder / "layer"))


async def _install(work: _Build, folder: Path, dependencies: str) -> Observation | None:
    commands = work.request.recipe.install_project
    async with unfinished(folder) as temporary:
        mounts = (
            Mount(dependencies, DEPENDENCIES),
            Mount(str(temporary / "layer"), PROJECT, MountMode.WRITABLE),
        )
        program = ("python3", "-I", f"{INSIDE}/install.py", TREE, f"{PROJECT}/{KEPT}")
        failure = await _step(work, (*program, json.dumps(commands)), commands[0], mounts)
        if failure:
            return failure
        notes = _kept_entries(Tree(temporary / "layer"), Tree(work.request.tree))
        (temporary / NOTES).write_text(json.dumps(notes))
        publish(temporary, folder)
    return None


def _kept_entries(layer: Tree, tree: Tree) -> list[tuple[str, str]]:
    """Believe of the index only what names a real file of the layer and a plain place in the tree."""
    try:
        index = json.loads(layer.read(f"{KEPT}/index.json") or "[]")
    except (ValueError, RecursionError):
        return []
    found: list[tuple[str, str]] = []
    for entry in index[:_KEPT_ENTRIES] if isinstance(index, list) else []:
        if not (isinstance(entry, list) and len(entry) == 2 and all(isinstance(p, str) for p in entry)):
            continue
        name, path = entry
        if name.isdecimal() and layer.is_plain(f"{KEPT}/{name}") and _is_free(tree, path):
            found.append((name, path))
    return found


def _is_free(tree: Tree, path: str) -> bool:
    """Tell whether a mount at `path` adds to the tree and passes through no link."""
    pure = PurePosixPath(path)
    if pure.is_absolute() or ".." in pure.parts or not pure.parts or "\0" in path:
        return False
    parent = pure.parent.as_posix()
    return tree.is_plain(parent) and not (tree.root / path).is_symlink()


# --- one command ------------------------------------------------------------------------------


async def _step(
    work: _Build, argv: tuple[str, ...], shown: tuple[str, ...], mounts: tuple[Mount, ...]
) -> Observation | None:
    """Run one command of a build; return None when it succeeded, else what it showed."""
    command = Command(
        argv,
        mounts=(*_build_mounts(work), *mounts),
        environment=_build_variables(work),
        network=Network.BUILD,
        limits=work.request.limits,
    )
    done = await work.sandbox.run(command)
    return None if done.exit_code == 0 else _observation(work.request.side, shown, done)


def _observation(side: Side, shown: tuple[str, ...], done: Completed) -> Observation:
    output = (done.stdout + b"\n" + done.stderr).decode(errors="replace").strip()
    return Observation(
        side=side,
        command=shlex.join(shown),
        exit_code=done.exit_code,
        output=output[-_OUTPUT_CHARS:],  # the reason stands at the end
        seconds=done.seconds,
        timed_out=done.killed is Killed.TIMEOUT,
        truncated=done.truncated or len(output) > _OUTPUT_CHARS,
        problem=_network_problem(output),
    )


def _network_problem(output: str) -> str:
    """Tell the network's failure from the project's own; a build that prints both is its own fault."""
    if _OWN_FAILURE.search(output) or not _UNREACHABLE.search(output):
        return ""
    return "The package index could not be reached, so this says nothing about the project."


def _build_mounts(work: _Build) -> tuple[Mount, ...]:
    request = work.request
    downloads = _repository_folder(request) / "downloads"
    downloads.mkdir(parents=True, exist_ok=True, mode=0o755)
    is_base = request.side is Side.BASE
    return (
        Mount(str(request.tree), TREE, MountMode.COPY_ON_WRITE),
        Mount(str(downloads), CACHE, MountMode.WRITABLE if is_base else MountMode.COPY_ON_WRITE),
        Mount(str(Path(__file__).parent / "inside"), INSIDE),
        _installer(),
        *work.index.mounts,
    )


def _installer() -> Mount:
    return Mount(find_uv_bin(), f"{TOOLS}/uv")


def _build_variables(work: _Build) -> tuple[tuple[str, str], ...]:
    path = f"{PROJECT}/bin:{DEPENDENCIES}/bin:{TOOLS}:{_SYSTEM_PATH}"
    return (
        ("PATH", path),
        ("VIRTUAL_ENV", DEPENDENCIES),
        ("UV_PROJECT_ENVIRONMENT", DEPENDENCIES),
        ("UV_CACHE_DIR", CACHE),
        ("UV_LINK_MODE", "copy"),
        ("UV_NO_CONFIG", "1"),  # the repository does not choose where from
        ("UV_PYTHON_DOWNLOADS", "never"),
        ("UV_NO_PROGRESS", "1"),
        ("UV_COMPILE_BYTECODE", "1"),  # layers are read-only later: tests could not store it
        ("NO_COLOR", "1"),
        ("GIT_TERMINAL_PROMPT", "0"),
        *_versions(work.request.version),
        *work.index.variables,
    )


def _versions(version: str) -> tuple[tuple[str, str], ...]:
    """Tell the plug-ins that read git's tags what the version is, since there is no git here."""
    names = ("SETUPTOOLS_SCM_PRETEND_VERSION", "PDM_BUILD_SCM_VERSION", "PBR_VERSION")
    bypass = ("POETRY_DYNAMIC_VERSIONING_BYPASS", "UV_DYNAMIC_VERSIONING_BYPASS")
    return tuple((name, version or "0.0.0") for name in (*names, *bypass))


def _test_variables(has_project: bool) -> tuple[tuple[str, str], ...]:
    path = f"{PROJECT}/bin:{DEPENDENCIES}/bin:{_SYSTEM_PATH}"
    variables = (("PATH", path), ("VIRTUAL_ENV", DEPENDENCIES))
    return variables if has_project else (*variables, ("PYTHONPATH", f"{TREE}:{TREE}/src"))


def _repository_folder(request: BuildRequest) -> Path:
    """One folder a repository: what one builds is never used for another."""
    name = hashlib.sha256(request.repository.encode()).hexdigest()[:24]
    return request.state / "environments" / name
