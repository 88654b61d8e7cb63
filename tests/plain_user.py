"""Programs run as a plain user, on a machine whose `/dev/net/tun` has a mode of the test's choice."""

from __future__ import annotations

import functools
import os
import subprocess
import sysconfig
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).parents[1]
NOBODY = 65534
PYTHON = "/usr/bin/python3"  # the running one may stand in root's home
_OWN_DEVICE = """
mount -t tmpfs -o mode=755 net /dev/net && mknod -m "$1" /dev/net/tun c 10 200 && shift && exec "$@"
"""
_DROP = ("setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups")
VARIABLES = {
    "PYTHONDONTWRITEBYTECODE": "1",
    "PYTHONPATH": f"{ROOT}:{sysconfig.get_path('purelib')}",
}


def with_own_tun(*argv: str, mode: str = "0666") -> list[str]:
    """Return the command by which root runs `argv` in mounts of its own; 0666 is what udev sets."""
    return ["unshare", "--mount", "sh", "-c", _OWN_DEVICE, "sh", mode, *argv]


def as_plain_user(*argv: str, tun_mode: str = "0666") -> list[str]:
    """Return the command that root gives to run `argv` so, with mounts of its own."""
    return with_own_tun(*_DROP, *argv, mode=tun_mode)


@functools.cache
def why_not() -> str:
    """Why no plain user can be played here; empty when one can."""
    if os.geteuid() != 0:
        return "needs root to become another user"
    probe = [*_DROP, PYTHON, "-c", "import pytest, sandbox"]
    variables = {**os.environ, **VARIABLES}
    done = subprocess.run(probe, check=False, cwd="/", env=variables, capture_output=True)
    return (
        "a plain user cannot read this checkout, or has another Python" if done.returncode else ""
    )


@contextmanager
def plain_users_folder() -> Iterator[Path]:
    """A folder of the plain user's below /tmp: pytest's own are root's alone."""
    with tempfile.TemporaryDirectory(prefix="assay-plain-") as name:
        os.chown(name, NOBODY, NOBODY)
        yield Path(name)
