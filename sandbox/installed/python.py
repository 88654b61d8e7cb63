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

from packaging.utils import canonicalize_name

from sandbox.base import TREE, Command, Limits, Mount, MountMode, Sandbox
from sandbox.installed.values import Extra, InstalledSide, Unmet, Use
from sandbox.streams import json_values
from sandbox.toolchains.build import place
from sandbox.toolchains.build_command import BuildRun, run_step
from sandbox.toolchains.ecosystem import BuildRequest
from sandbox.toolchains.layers import (
    DEPENDENCIES,
    INSIDE,
    KEPT,
    TOOLCHAIN,
    is_finished,
    locked,
    publish,
    unfinished,
)
from sandbox.toolchains.python import WITH_VERSION
from sandbox.toolchains.python_project import read_project
from sandbox.toolchains.tree import Tree
from sandbox.values import Environment, Observation, Recipe

_PROGRAM = "/opt/assay/imports.py"
_KNOWN = "/opt/assay/known.txt"
_PINNED = re.compile(r"([A-Za-z0-9][\w.]{0,99})-(\d[\w.!]{0,59})\.dist-info")
_TO_BUILD = Limits(timeout_s=180.0)
_TO_IMPORT = Limits(timeout_s=120.0, output_bytes=20_000)
_CHANNEL_BYTES = 1_000_000
_CHARACTERS = 300


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
    done = await sandbox.run(
        Command(
            argv=(f"{DEPENDENCIES}/bin/python", "-I", "-B", "-W", "ignore", _PROGRAM),
            mounts=(
                Mount(layer, DEPENDENCIES),
                Mount(str(program), _PROGRAM),
                *((Mount(toolchain, TOOLCHAIN),) if toolchain else ()),
            ),
            environment=(("PATH", f"{DEPENDENCIES}/bin:/usr/bin:/bin"), ("HOME", "/tmp")),  # noqa: S108
            cwd="/tmp",  # noqa: S108  of the sandbox
            stdin=json.dumps(asked).encode(),
            limits=_TO_IMPORT,
            channel_bytes=_CHANNEL_BYTES,
        )
    )
    return _told(done.channel, done.seconds)


def _told(channel: bytes, seconds: float) -> InstalledSide:
    """Read what the program told; the project can have it say anything, so only the shapes are believed."""
    uses, unmet, extras, left_out = [], [], [], []
    is_whole = False
    for row in json_values(channel.splitlines()):
        match row:
            case [
                "use",
                str(name),
                str(attribute),
                bool(is_entry),
                str(error),
                str(missing),
                bool(counts),
            ]:
                what = f"from {name} import {attribute}" if attribute else f"import {name}"
                error = " ".join(error.split())[:_CHARACTERS]
                uses.append(Use(what, error, missing, counts, is_entry))
            case ["unmet", str(package), str(path)]:
                unmet.append(Unmet(package, path))
            case ["extra", str(package), str(extra)]:
                extras.append(Extra(canonicalize_name(package), canonicalize_name(extra)))
            case ["left out", str(path)]:
                left_out.append(path)
            case ["done"]:
                is_whole = True
    problem = "" if is_whole else "What was installed could not be looked at."
    return InstalledSide(
        "pip install . && cd /tmp && python",
        seconds,
        tuple(uses),
        tuple(unmet),
        tuple(extras),
        tuple(left_out),
        problem=problem,
    )


# --- the installation ------------------------------------------------------------------------


async def _installed(run: BuildRun, environment: Environment) -> tuple[str, Observation | None]:
    """Return the layer with the project as users have it, and the failure where there is none."""
    request, recipe = run.request, run.request.recipe
    known = "\n".join(sorted(_versions(Path(environment.dependencies_layer))))
    words = ("uv", "pip", "install", "--constraint", _KNOWN, ".", *_siblings(recipe))
    before = [argv for argv in recipe.install_project if argv[2:3] == (WITH_VERSION,)]
    commands = (recipe.install[0], *before, words)
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
            program = (
                "python3",
                "-I",
                f"{INSIDE}/install.py",
                TREE,
                f"{DEPENDENCIES}/{KEPT}",
                "none",
            )
            argv = (*program, json.dumps(commands))
            failure = await run_step(run, argv, ("pip", "install", "."), mounts)
            if failure:
                return "", failure
            publish(temporary, folder)
        return str(folder / "layer"), None


def _siblings(recipe: Recipe) -> tuple[str, ...]:
    """Return the repository's other projects that the tests have from the tree, not from the index."""
    lines = (shlex.split(argv[2]) if argv[:2] == ("sh", "-c") else argv for argv in recipe.install)
    pairs = (pair for words in lines for pair in pairwise(words))
    found = (
        path for option, path in pairs if option == "--editable" and path.startswith(f"{TREE}/")
    )
    return tuple(dict.fromkeys(found))


def _versions(layer: Path) -> Iterator[str]:
    """Yield the versions that the tests have of what comes from the index."""
    for one in layer.glob("lib/python3*/site-packages/*.dist-info"):
        if (said := _PINNED.fullmatch(one.name)) and not (one / "direct_url.json").exists():
            yield f"{said[1]}=={said[2]}"


def providers(layer: str, package: str) -> tuple[str, ...]:
    """Return the names of the distributions of a layer that bring a module."""
    found = []
    for one in sorted(Path(layer).glob("lib/python3*/site-packages/*.dist-info")):
        record = Tree(one).read("RECORD")
        lines = record.splitlines()
        if any(line.startswith((f"{package}/", f"{package}.py,", f"{package}.")) for line in lines):
            found.append(canonicalize_name(one.name.partition("-")[0]))
    return tuple(found)
