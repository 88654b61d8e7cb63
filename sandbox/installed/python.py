"""Installs a Python project as its users do, into an environment of its own, and imports it from there.

The versions are those that the tests have: what is compared are the sides, not days of the index.
"""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path

from sandbox.base import TREE, Command, Limits, Mount, MountMode, Sandbox
from sandbox.installed.values import InstalledSide, Lacking, Use
from sandbox.streams import json_values
from sandbox.toolchains.build import place
from sandbox.toolchains.build_command import BuildRun, run_step
from sandbox.toolchains.ecosystem import BuildRequest
from sandbox.toolchains.layers import (
    DEPENDENCIES,
    INSIDE,
    KEPT,
    LENT,
    SYSTEM_PATH,
    TOOLCHAIN,
    is_finished,
    locked,
    publish,
    unfinished,
)
from sandbox.toolchains.python import WITH_VERSION
from sandbox.toolchains.python_layer import Versions
from sandbox.toolchains.python_project import read_project
from sandbox.toolchains.tree import Tree
from sandbox.values import Environment, Observation, Recipe

_PROGRAM = "/opt/assay/imports.py"
_KNOWN = "/opt/assay/known.txt"
_PINNED = re.compile(r"([A-Za-z0-9][\w.]{0,99})-(\d[\w.!]{0,59})\.dist-info")
_TO_BUILD = Limits(timeout_s=120.0)
_TO_IMPORT = Limits(timeout_s=120.0, output_bytes=20_000)
_CHANNEL_BYTES = 1_000_000
_CHARACTERS = 300
_COMMAND = "pip install . && cd /tmp && python"


@dataclass(frozen=True, slots=True)
class Wanted:
    """What to look at on a side, by paths in the project: modules to import, files that should be there."""

    modules: tuple[str, ...] = ()
    files: tuple[str, ...] = ()


def can_be_installed(environment: Environment, tree: Path) -> bool:
    """Whether a side is a package that was built, so that users can install it."""
    recipe = environment.recipe
    is_built = bool(environment.dependencies_layer and recipe.install and recipe.install_project)
    return is_built and read_project(Tree(tree / recipe.root)).is_installable


async def import_installed(
    sandbox: Sandbox, request: BuildRequest, environment: Environment, wanted: Wanted
) -> InstalledSide:
    """Install and import; what was installed for a commit is kept. Raises SandboxError."""
    request = replace(request, limits=_TO_BUILD)
    run = BuildRun(sandbox, request, environment.toolchain_layer)
    layer, failure = await _installed(run, environment)
    if failure:
        lines = failure.output.strip().splitlines() or ["no reason given"]
        said = failure.problem or f"It could not be installed by itself: {lines[-1][:_CHARACTERS]}"
        return InstalledSide(failure.command, failure.seconds, problem=said)
    root = f"{TREE}/{request.recipe.root}".rstrip("/")
    asked = {"root": root, "modules": wanted.modules, "files": wanted.files}
    toolchain = environment.toolchain_layer
    program = Path(__file__).parent / "inside" / "imports.py"
    tests = Path(environment.dependencies_layer)
    site = next(iter(_sites(tests)), tests).relative_to(tests)
    done = await sandbox.run(
        Command(
            argv=(f"{DEPENDENCIES}/bin/python", "-I", "-B", _PROGRAM, f"{LENT}/{site}"),
            mounts=(
                Mount(layer, DEPENDENCIES),
                Mount(str(tests), LENT),
                Mount(str(program), _PROGRAM),
                *((Mount(toolchain, TOOLCHAIN),) if toolchain else ()),
            ),
            environment=(("PATH", f"{DEPENDENCIES}/bin:{SYSTEM_PATH}"), ("HOME", "/tmp")),  # noqa: S108
            cwd="/tmp",  # noqa: S108  of the sandbox
            stdin=json.dumps(asked).encode(),
            limits=_TO_IMPORT,
            channel_bytes=_CHANNEL_BYTES,
        )
    )
    # The project can have it say anything, so only the shapes are believed.
    uses, lacking, is_whole = [], [], False
    for row in json_values(done.channel.splitlines()):
        match row:
            case ["use", str(module), str(name), str(error), str(package), bool(counts)]:
                what = f"from {module} import {name}" if name else f"import {module}"
                uses.append(Use(what, " ".join(error.split())[:_CHARACTERS], package, counts))
            case ["lacking", str(path), str(package)]:
                lacking.append(Lacking(path, package))
            case ["done"]:
                is_whole = True
    problem = "" if is_whole else "What was installed could not be looked at."
    return InstalledSide(_COMMAND, done.seconds, tuple(uses), tuple(lacking), problem=problem)


# --- the installation ------------------------------------------------------------------------


async def _installed(run: BuildRun, environment: Environment) -> tuple[str, Observation | None]:
    """Return the layer with the project as users have it, and the failure where there is none."""
    request, recipe = run.request, run.request.recipe
    known = "\n".join(sorted(_versions(Path(environment.dependencies_layer))))
    # Of the tree's other projects, too, nothing comes from the index.
    near = (one for one in _given(recipe, "--editable") if one.startswith(f"{TREE}/"))
    own = ("uv", "pip", "install", "--constraint", _KNOWN, ".", *near)
    before = _given(recipe, "--exclude-newer")
    words = Versions(before[0] if before else "").install((own,))
    versioned = [argv for argv in recipe.install_project if argv[2:3] == (WITH_VERSION,)]
    commands = (recipe.install[0], *versioned, *words)
    parts: list[object] = [request.sha, request.version, recipe.root, commands, known]
    folder = place(request, "installed", parts)
    async with locked(folder):
        if is_finished(folder):
            return str(folder / "layer"), None
        async with unfinished(folder) as temporary:
            mounts = (
                Mount(str(temporary / "layer"), DEPENDENCIES, MountMode.WRITABLE),
                Mount(str(temporary / "known.txt"), _KNOWN),
            )
            (temporary / "known.txt").write_text(known)
            program = ("python3", "-I", f"{INSIDE}/install.py")
            argv = (*program, TREE, f"{DEPENDENCIES}/{KEPT}", "none", json.dumps(commands))
            failure = await run_step(run, argv, ("pip", "install", "."), mounts)
            if failure:
                return "", failure
            publish(temporary, folder)
        return str(folder / "layer"), None


def _given(recipe: Recipe, option: str) -> tuple[str, ...]:
    """Return what the commands that install for the tests give for an option."""
    lines = (shlex.split(argv[2]) if argv[:2] == ("sh", "-c") else argv for argv in recipe.install)
    pairs = (pair for words in lines for pair in pairwise(words))
    return tuple(dict.fromkeys(value for name, value in pairs if name == option))


def _sites(layer: Path) -> Iterator[Path]:
    return layer.glob("lib/python3*/site-packages")


def _versions(layer: Path) -> Iterator[str]:
    """Yield the versions that the tests have of what comes from the index."""
    for one in (one for site in _sites(layer) for one in site.glob("*.dist-info")):
        if (said := _PINNED.fullmatch(one.name)) and not (one / "direct_url.json").exists():
            yield f"{said[1]}=={said[2]}"
