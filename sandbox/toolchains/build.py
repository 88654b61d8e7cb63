"""Builds one side's environment inside the sandbox: a dependency layer and a project layer.

Layers stay below `<state>/environments/<repository>`. Those that others use later are written for trusted
commits alone (`BuildRequest.is_trusted`). Any other commit has layers of its own, found by that commit
alone; a head that declares the dependencies of its base uses base's. Where code of the tree can run while
dependencies are installed, the commit is part of their key. The downloads are copy-on-write whenever a
tree is there. Whoever opened a pull request, or pushed a branch, can therefore never change what the
evaluation of another commit runs with.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import os
import platform
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath

from sandbox.base import TREE, Mount, MountMode, Network, Sandbox
from sandbox.concurrently import a_few_at_a_time, cores
from sandbox.test_runs.path_kinds import PathKind, classify
from sandbox.toolchains import build_command as steps
from sandbox.toolchains import layers
from sandbox.toolchains.build_command import BuildRun
from sandbox.toolchains.ecosystem import BuildRequest, repository_folder
from sandbox.toolchains.tree import Tree
from sandbox.values import Environment, Observation, Unfetched

_KEPT_ENTRIES = 200
_MOST_UNFETCHED, _NAME_CHARS = 20, 100


@dataclass(frozen=True, slots=True)
class _Layer:
    """A finished layer's host folder, or why there is none."""

    folder: str = ""
    cached: bool = False
    failure: Observation | None = None
    unfetched: tuple[Unfetched, ...] = ()


async def build(sandbox: Sandbox, request: BuildRequest) -> Environment:
    """Build both layers, or find them built. A failing build is data: `Environment.failure`.

    Raises SandboxError when the sandbox itself fails.
    """
    started = time.monotonic()
    request = await _equipped(sandbox, request)
    run = BuildRun(sandbox, request)
    if request.recipe.needs:
        said = f"This machine lacks {' and '.join(request.recipe.needs)}, so nothing was built."
        lacking = Observation(request.side, problem=said)
        return _environment(run, _Layer(), _Layer(failure=lacking), started)
    return await _on(run, await _dependencies(run), started)


async def build_both(
    sandbox: Sandbox, base: BuildRequest | None, head: BuildRequest | None
) -> tuple[Environment | None, Environment | None]:
    """Build both sides, at the same time where there are cores; what both need is installed once.

    Raises SandboxError when the sandbox itself fails.
    """

    async def one(request: BuildRequest | None, layer: _Layer | None = None) -> Environment | None:
        if request is None:
            return None
        if layer:
            return await _on(BuildRun(sandbox, request), layer, started)
        return await build(sandbox, request)

    started, shared = time.monotonic(), None
    base = await _equipped(sandbox, base) if base else None
    head = await _equipped(sandbox, head) if head else None
    if (
        base
        and head  # Where head declares what base does, base's layer is head's too.
        and base.recipe.lock_digest == head.recipe.lock_digest
        and not (base.recipe.needs or head.recipe.needs)
    ):
        shared = await _dependencies(BuildRun(sandbox, base))
    usable = shared if shared and not shared.failure else None
    built = await a_few_at_a_time(cores(), [one(base, shared), one(head, usable)])
    if base and head and built[0] and built[1] and steps.can_do_without(built[0], built[1]):
        base, head = steps.tolerating(base), steps.tolerating(head)
        built = await a_few_at_a_time(cores(), [one(base), one(head)])
    return built[0], built[1]


@asynccontextmanager
async def built_again(
    sandbox: Sandbox, request: BuildRequest, environment: Environment
) -> AsyncIterator[Environment]:
    """Give an environment with what is built from `request.tree`, an altered copy of its own tree.

    Its dependencies are installed again only where code of the tree takes part in that. `request.sha` is
    that tree's alone, and what was built for it goes with the context. A failing build is data. Raises
    SandboxError when the sandbox itself fails.
    """
    run = BuildRun(sandbox, replace(request, is_trusted=False), environment.toolchain_layer)
    dependencies = _Layer(environment.dependencies_layer, cached=True)
    if request.recipe.runs_tree:
        dependencies = await _dependencies(run)
    made = await _on(run, dependencies, time.monotonic())
    try:
        yield made
    finally:
        own = {made.dependencies_layer, made.project_layer} - {environment.dependencies_layer, ""}
        for layer in own:
            await asyncio.to_thread(layers.discard, Path(layer).parent)


async def _equipped(sandbox: Sandbox, request: BuildRequest) -> BuildRequest:
    """Return the request; where its toolchain cannot be had, with what the machine then lacks."""
    recipe = request.recipe
    if not recipe.lacks or recipe.needs:
        return request
    failure = (await _toolchain(BuildRun(sandbox, request))).failure
    if failure is None:
        return request
    said = failure.output.strip().splitlines() or [failure.problem]
    why = f"{recipe.toolchain} could not be fetched: {said[-1].strip()[:200]}"
    reasons = (f"{why[0].upper()}{why[1:]}.", *recipe.reasons)
    return replace(request, recipe=replace(recipe, needs=(recipe.lacks,), reasons=reasons))


async def _on(run: BuildRun, dependencies: _Layer, started: float) -> Environment:
    """Build the project's own layer on its dependencies, where they could be built."""
    if dependencies.failure:
        return _environment(run, dependencies, _Layer(), started)
    toolchain = (await _toolchain(run)).folder
    project = await _project(replace(run, toolchain=toolchain), dependencies.folder)
    built = _environment(run, dependencies, project, started)
    return replace(built, toolchain_layer=toolchain)


def _environment(
    run: BuildRun, dependencies: _Layer, project: _Layer, started: float
) -> Environment:
    request = run.request
    failure = dependencies.failure or project.failure
    is_cached = dependencies.cached and project.cached and not failure
    return Environment(
        side=request.side,
        recipe=request.recipe,
        digest=request.recipe.lock_digest,
        dependencies_layer="" if failure else dependencies.folder,
        project_layer="" if failure else project.folder,
        variables=() if failure else run.ecosystem.observing(request.recipe, bool(project.folder)),
        seconds=0.0 if is_cached else time.monotonic() - started,
        cached=is_cached,
        failure=failure,
        unfetched=dependencies.unfetched,
    )


async def _made(
    folder: Path,
    make: Callable[[Path], Awaitable[_Layer]],
    then: Callable[[], Awaitable[None]] | None = None,
    tries: int = 2,
) -> _Layer:
    """Return the layer of a folder, made by one process at a time where it is not there yet.

    It is tried again where something else than the project was the problem. What is to be done `then` is
    done before another process finds it.
    """
    layer = _Layer(str(folder / "layer"), cached=True)
    async with layers.locked(folder):
        if layers.is_finished(folder):
            return layer
        while True:
            tries -= 1
            async with layers.unfinished(folder) as temporary:
                made = await make(temporary)
                if made.failure is None:
                    layers.publish(temporary, folder)
                    if then:
                        await then()
                    return replace(layer, cached=False)
            if not tries or not made.failure.problem or made.unfetched:
                return made


async def _toolchain(run: BuildRun) -> _Layer:
    """Fetch what the machine lacks, once for all repositories: no code of a tree runs beside it."""
    request = run.request
    if not request.recipe.toolchain:
        return _Layer(cached=True)
    name = f"{platform.machine()}-{request.recipe.toolchain}"
    key = hashlib.sha256(name.encode()).hexdigest()

    async def fetch(temporary: Path) -> _Layer:
        return _Layer(failure=await steps.fetch_toolchain(run, str(temporary / "layer")))

    folder = request.state / "environments" / "every-repository" / "toolchains" / key
    return await _made(folder, fetch, tries=1)


# --- the dependency layer ---------------------------------------------------------------------


def place(request: BuildRequest, kind: str, parts: list[object]) -> Path:
    """Return the folder of a layer: shared by all for a trusted commit, else of that commit alone."""
    if not request.is_trusted:
        kind, parts = f"{layers.APART}{kind}", [request.sha, *parts]
    key = hashlib.sha256(json.dumps(parts).encode()).hexdigest()
    return repository_folder(request.state, request.repository) / kind / key


async def _dependencies(run: BuildRun) -> _Layer:
    toolchain = await _toolchain(run)
    if toolchain.failure:
        return toolchain
    run, request = replace(run, toolchain=toolchain.folder), run.request

    async def fill(temporary: Path) -> _Layer:
        mount = Mount(str(temporary / "layer"), layers.DEPENDENCIES, MountMode.WRITABLE)
        for argv in request.recipe.install:
            if failure := await steps.install_dependencies(run, argv, (mount,)):
                return _named(failure, _unfetched(temporary / "layer"))
        _note_kept(temporary, run)
        return _Layer()

    parts = [request.recipe.lock_digest, *([request.sha] if request.recipe.runs_tree else [])]
    folder = place(request, "dependencies", list(parts))

    async def keep_downloads() -> None:
        downloading = run.ecosystem.downloading
        is_shared = request.is_trusted and request.network is not Network.NONE
        wanted = downloading(request, folder / "layer") if downloading and is_shared else None
        if wanted:
            await steps.keep_downloads(run, wanted)

    lasting = place(replace(request, is_trusted=True), "dependencies", list(parts))
    layer = _Layer(str(lasting / "layer"), cached=True)
    if not layers.is_finished(lasting):
        layer = await _made(folder, fill, keep_downloads)
    return layer if layer.failure else replace(layer, unfetched=_unfetched(Path(layer.folder)))


def _named(failure: Observation, unfetched: tuple[Unfetched, ...]) -> _Layer:
    """Say which dependency a build failed for, when it is one that no registry has."""
    needed = [one for one in unfetched if not one.left_out]
    if not needed:
        return _Layer(failure=failure)
    names = [f"{one.name} of {one.owner}" if one.owner else one.name for one in needed]
    said = (
        f"The {needed[0].what} {' and '.join(names)} could not be fetched: its host does not answer from "
        "the sandbox. This says nothing about the project."
    )
    return _Layer(failure=replace(failure, problem=said), unfetched=unfetched)


def _unfetched(layer: Path) -> tuple[Unfetched, ...]:
    """Return what the installer noted; a build can write anything there, so only its shape is believed."""
    rows = Tree(layer).json(layers.UNFETCHED).data
    found = []
    for row in rows[:_MOST_UNFETCHED] if isinstance(rows, list) else []:
        match row:
            case [str(what), str(name), str(owner), bool(left_out)]:
                what, name, owner = (text[:_NAME_CHARS] for text in (what, name, owner))
                found.append(Unfetched(what, name, owner, left_out))
    return tuple(found)


# --- the project layer ------------------------------------------------------------------------


async def _project(run: BuildRun, dependencies: str) -> _Layer:
    request = run.request
    if not request.recipe.install_project:
        return _Layer(cached=True)
    recipe = request.recipe
    parts: list[object] = [request.sha, recipe.lock_digest, request.version, recipe.root]
    # What it is installed on is part of it: a layer of base's branch never decides for another branch.
    folder = place(
        request, "projects", [*parts, recipe.install_project, layers.known_as(dependencies)]
    )

    async def install(temporary: Path) -> _Layer:
        commands = recipe.install_project
        mounts = (
            Mount(dependencies, layers.DEPENDENCIES),
            *layers.kept(dependencies),
            Mount(str(temporary / "layer"), layers.PROJECT, MountMode.WRITABLE),
        )
        program = (
            "python3",
            "-I",
            f"{layers.INSIDE}/install.py",
            TREE,
            f"{layers.PROJECT}/{layers.KEPT}",
        )
        what = "all" if run.ecosystem.keeps_output else "new"
        shown = next((argv for argv in commands if argv[0] != "sh"), commands[0])
        failure = await steps.run_step(run, (*program, what, json.dumps(commands)), shown, mounts)
        if failure is None:
            _note_kept(temporary, run)
        return _Layer(failure=failure)

    return await _made(folder, install)


def _note_kept(temporary: Path, run: BuildRun) -> None:
    """Believe of a build's index only what names a real file of the layer and a plain place in the tree."""
    layer, tree = Tree(temporary / "layer"), Tree(run.request.tree)
    index = layer.json(f"{layers.KEPT}/index.json").data
    entries: list[tuple[str, str]] = []
    for entry in index[:_KEPT_ENTRIES] if isinstance(index, list) else []:
        match entry:
            case [str(name), str(path)] if name.isdecimal() and _is_free(tree, path):
                if layer.is_plain(f"{layers.KEPT}/{name}"):
                    entries.append((name, path))
    if not run.ecosystem.keeps_output:
        above = layer.root / layers.KEPT
        entries = [one for entry in entries for one in _divided(above, *entry)]
    notes = [(name, path, _is_of_tests(path)) for name, path in entries]
    (temporary / layers.NOTES).write_text(json.dumps(notes))


_AT_START = ("sitecustomize", "usercustomize")  # Python itself imports them, wherever they stand


def _is_of_tests(path: str) -> bool:
    *folders, name = path.split("/")
    if "node_modules" in (*folders, name):
        return False
    return name.startswith(_AT_START) or classify(path) is not PathKind.SOURCE


def _divided(above: Path, name: str, path: str) -> list[tuple[str, str]]:
    """Take out of a kept folder what belongs to tests, such as a conftest.py: it may have to stay away."""
    found, place = [(name, path)], above / name
    if place.is_symlink() or not place.is_dir() or _is_of_tests(path) or "node_modules" in path:
        return found
    for folder, _, names in os.walk(place):
        for one in sorted(names):
            inner = Path(folder, one)
            within = f"{path}/{inner.relative_to(place).as_posix()}"
            if _is_of_tests(within) and not inner.is_symlink():
                found.append((f"{name}-{len(found)}", within))
                inner.rename(above / found[-1][0])
    return found[:_KEPT_ENTRIES]


def _is_free(tree: Tree, path: str) -> bool:
    """Tell whether a mount at `path` adds to the tree and passes through no link."""
    pure = PurePosixPath(path)
    if pure.is_absolute() or ".." in pure.parts or not pure.parts or "\0" in path:
        return False
    # Folders above it can be new, too: tap's plug-ins stand in `.tap/plugins/node_modules`.
    # What a build leaves in installed packages (`node_modules/.cache`) is no part of the tree: these are
    # mounted there, and cannot be written.
    there = next(one for one in pure.parents if os.path.lexists(tree.root / one))
    is_plain = (tree.root / there).is_dir() and tree.is_plain(there.as_posix())
    is_installed = "node_modules" in pure.parent.relative_to(there).parts
    return is_plain and not is_installed and not (tree.root / path).is_symlink()
