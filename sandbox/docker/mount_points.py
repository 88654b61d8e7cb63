"""Makes the mount points inside other mounts, so that they belong to the worker and not to root.

The engine would make a missing one itself, as root, and a worker that is not could not remove it.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path, PurePosixPath

from sandbox.base import Mount, MountMode

_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW


def make_mount_points(mounts: Iterable[Mount]) -> None:
    """Make what is missing; `mounts` are in mounting order, parents first.

    A link in the way is left to the engine, which resolves it inside the container: here it could
    lead out of the folder.
    """
    above: list[Mount] = []
    for mount in mounts:
        target = PurePosixPath(mount.target)
        around = [one for one in above if target.is_relative_to(one.target)]
        if around and around[-1].mode is MountMode.WRITABLE:
            inside = target.relative_to(around[-1].target)
            _make(around[-1].source, inside.parts, is_folder=Path(mount.source).is_dir())
        above.append(mount)


def _make(folder: str, parts: tuple[str, ...], *, is_folder: bool) -> None:
    if not parts:
        return
    at = os.open(folder, _FOLDER)
    try:
        for part in parts[:-1] if not is_folder else parts:
            with suppress(FileExistsError):
                os.mkdir(part, 0o755, dir_fd=at)
            outer, at = at, os.open(part, _FOLDER, dir_fd=at)
            os.close(outer)
        if not is_folder:
            os.close(os.open(parts[-1], os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o644, dir_fd=at))
    except OSError:
        return  # something stands in the way: the engine will say so, or use it
    finally:
        os.close(at)
