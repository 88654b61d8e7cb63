"""Where a built environment stands inside the sandbox; the builder and every tool agree here.

A virtual environment works only at the path where it was built, so both layers are mounted at
the same paths on both sides, while building (writable) and while observing (read-only).
"""

from __future__ import annotations

import asyncio
import json
import os
import secrets
import subprocess
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path

from sandbox.base import TREE, Mount, MountMode
from sandbox.folders import try_lock
from sandbox.layout import DEFAULT_ENVIRONMENT
from sandbox.values import Environment, Side

DEPENDENCIES = "/env/deps"
PROJECT = "/env/project"
LENT = "/env/lent"
"""The other side's dependencies, when its tests run crosswise."""
TOOLS = "/env/tools"
"""Only while building: the package installer of Assay's own installation."""
UV = f"{TOOLS}/uv"
TOOLCHAIN = "/env/toolchain"
"""A toolchain of the version that the project asks for; the same for all repositories."""
INSIDE = "/env/inside"
"""Only while building: the programs of `sandbox/toolchains/inside`."""
CACHE = "/env/cache"
"""Only while building: what was downloaded before."""

SYSTEM_PATH = "/usr/local/bin:/usr/bin:/bin"

NOTES = "notes.json"
"""Beside a layer, written by the host: [[name in KEPT, path in the tree, belongs to tests], ...]."""
UNFETCHED = "unfetched.json"
"""In a dependency layer: [[what it is, its name, whose it is, was it left out], ...] of what was not had."""
KEPT = "kept"
"""In a layer: the files that the build wrote into the tree."""


def mounts(environment: Environment | None, tests: Environment | None = None) -> tuple[Mount, ...]:
    """Return the read-only mounts of a built environment, if any; a layer that was not built has none.

    What the build wrote into the tree (a version file, a compiled module, `node_modules`) is laid
    over it again. A folder is copy-on-write like the tree, since programs keep caches in it. What of it
    belongs to tests comes from the build of `tests`, whose tests run here.
    """
    if environment is None:
        return ()
    layers = (
        (environment.toolchain_layer, TOOLCHAIN),
        (environment.dependencies_layer, DEPENDENCIES),
        (environment.project_layer, PROJECT),
    )
    found = tuple(Mount(source, target) for source, target in layers if source)
    if tests is None or tests is environment:
        return (*found, *(one for source, _ in layers for one in kept(source)))
    own = (one for source, _ in layers for one in kept(source, of_tests=False))
    theirs = (tests.dependencies_layer, tests.project_layer)
    return (*found, *own, *(one for layer in theirs for one in kept(layer, of_tests=True)))


def kept(layer: str, of_tests: bool | None = None) -> tuple[Mount, ...]:
    """Return the mounts of what the build of a layer, if any, wrote into the tree, or of one kind of it."""
    if not layer:
        return ()
    notes_file = Path(layer).parent / NOTES
    notes = json.loads(notes_file.read_text()) if notes_file.exists() else []
    found = []
    for name, path, *marks in notes:
        if of_tests is None or any(marks) is of_tests:
            source = Path(layer) / KEPT / name
            mode = MountMode.COPY_ON_WRITE if source.is_dir() else MountMode.READ_ONLY
            found.append(Mount(str(source), f"{TREE}/{path}", mode))
    return tuple(found)


def unbuilt(side: Side, environment: Environment | None) -> str:
    """Say that nothing was run on a side whose environment could not be built; "" for any other."""
    if environment is None or environment.failure is None:
        return ""
    return f"The environment of {side} could not be built, so nothing was run."


def known_as(layer: str) -> str:
    """Return what names a layer on every host: repository, kind and key, wherever environments stand."""
    return "/".join(Path(layer).parts[-4:-1])


def variables(
    environment: Environment, extra: tuple[tuple[str, str], ...] = ()
) -> tuple[tuple[str, str], ...]:
    """Return the whole environment of a command: what all have, the environment's own, then `extra`."""
    return tuple((DEFAULT_ENVIRONMENT | dict(environment.variables) | dict(extra)).items())


DECLARED = ".declared-"
"""How folders begin that only downloads are made in."""
APART = "apart-"
"""How folders begin whose layers only the commit that they were built from can use."""
_POLL_S = 0.1
_IN_USE_S = 2 * 3600.0  # longer than any evaluation
_SPECIAL = ("(", "-type", "p", "-o", "-type", "s", "-o", "-type", "b", "-o", "-type", "c", ")")


def is_finished(folder: Path) -> bool:
    """Tell whether the layer is complete; marks it as used now."""
    if not (folder / "layer").is_dir():
        return False
    with suppress(FileNotFoundError):
        os.utime(folder)
    return True


@asynccontextmanager
async def locked(folder: Path) -> AsyncIterator[None]:
    """Hold the only right, of all processes of this machine, to make `folder`."""
    folder.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    descriptor = os.open(f"{folder}.lock", os.O_CREAT | os.O_RDWR | os.O_CLOEXEC, 0o600)
    try:
        while not try_lock(descriptor):  # noqa: ASYNC110  held by another process: no event
            await asyncio.sleep(_POLL_S)
        yield
    finally:
        os.close(descriptor)


@asynccontextmanager
async def unfinished(folder: Path) -> AsyncIterator[Path]:
    """Give a fresh folder with an empty `layer` in it; what was not published is removed.

    The caller holds the lock of `folder`, so leftovers of a killed build are removed first.
    """
    for leftover in folder.parent.glob(f".{folder.name}.*"):
        remove(leftover)
    temporary = folder.parent / f".{folder.name}.{secrets.token_hex(4)}"
    (temporary / "layer").mkdir(parents=True, mode=0o755)
    try:
        yield temporary
    finally:
        remove(temporary)


def publish(temporary: Path, folder: Path) -> None:
    """Make the layer harmless to keep, then give it its name."""
    layer = str(temporary / "layer")
    subprocess.run(["find", layer, *_SPECIAL, "-delete"], check=True)
    subprocess.run(["chmod", "-R", "u-s,g-s,u+rwX,go+rX,go-w", "--", layer], check=True)
    temporary.rename(folder)


def remove(folder: Path) -> None:
    """Remove a folder that a hostile build filled: `rm` copes with any depth and follows no link."""
    if folder.exists():
        subprocess.run(["rm", "-rf", "--one-file-system", "--", str(folder)], check=True)


def evict(state: Path, older_than_days: float, max_bytes: int) -> int:
    """Remove environments unused for so long, then the oldest until the rest fits.

    What one commit alone can use goes before what all share. Nothing used in the last two hours goes: an
    evaluation may stand on it. Returns the bytes freed.
    """

    def in_order(folder: Path) -> tuple[bool, float]:
        is_apart = folder.parent.name.startswith(APART) or folder.name.startswith(DECLARED)
        return not is_apart, folder.stat().st_mtime

    environments = state / "environments"
    folders = [path.parent for path in environments.glob("*/*/*/layer")]
    folders += [*environments.glob("*/downloads"), *environments.glob(f"*/{DECLARED}*")]
    found = sorted(folders, key=in_order)
    sizes: dict[Path, int] = {}
    for folder in found:
        done = subprocess.run(["du", "-sb", "--", str(folder)], capture_output=True, check=False)
        sizes[folder] = int(done.stdout.split()[0]) if done.stdout else 0
    total, freed, now = sum(sizes.values()), 0, time.time()
    for folder in found:
        age_s = now - folder.stat().st_mtime
        is_old = age_s > older_than_days * 86400
        if age_s > _IN_USE_S and (is_old or total - freed > max_bytes) and discard(folder):
            freed += sizes[folder]
    return freed


def discard(folder: Path) -> bool:
    """Remove the folder of a layer, and tell whether it is gone: what is being built stays.

    It is renamed first, so that nobody finds half of it.
    """
    descriptor = os.open(f"{folder}.lock", os.O_CREAT | os.O_RDWR | os.O_CLOEXEC, 0o600)
    try:
        if not try_lock(descriptor):
            return False
        gone = folder.parent / f".{folder.name}.{secrets.token_hex(4)}"
        folder.rename(gone)
        remove(gone)
        return True
    finally:
        os.close(descriptor)
