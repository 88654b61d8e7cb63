"""A step in docker as Assay takes it, and the same by `docker run` and `docker exec` by hand."""

from __future__ import annotations

import asyncio
import os
import shlex
import shutil
import subprocess
import tempfile
import time
from collections.abc import Awaitable
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median

import pytest

from sandbox import open_sandbox
from sandbox.base import TREE, Command, Limits, Mount, MountMode, Sandbox
from tests.docker_engine import IMAGE, NoEngine, running_engine, sandbox_image

_ROUNDS = 9
_TEST = (
    "import time, unittest\n\n\nclass Part(unittest.TestCase):\n    def test_it(self):\n"
    "        time.sleep({})\n"
)
_LOCKED = shlex.split(
    "--network none --read-only --cap-drop ALL --security-opt no-new-privileges --pids-limit 512 "
    "--memory 8g --cpus 2 --user 10001:10001 --tmpfs /tmp --tmpfs /var/tmp --tmpfs /home"
)
_ARGV = ("python3", "-m", "unittest", "-q", "test_it")


@dataclass(frozen=True, slots=True)
class Rounds:
    """Seconds of each round: as Assay does it, by `docker run`, and by `docker exec`."""

    ours: list[float] = field(default_factory=list)
    run: list[float] = field(default_factory=list)
    exec: list[float] = field(default_factory=list)

    def over(self, by_hand: list[float]) -> float:
        """The median of the rounds' ratios: what slows the machine slows both."""
        return median(one / other for one, other in zip(self.ours, by_hand, strict=True))


def main() -> None:
    """Print the ratios, or why there is no engine."""
    try:
        with running_engine() as address:
            sandbox_image(address)
            with pytest.MonkeyPatch.context() as environment:
                environment.setenv("DOCKER_HOST", address)
                environment.setenv("ASSAY_DOCKER_IMAGE", IMAGE)
                for name, seconds in (("a start", 0.0), ("a step of two seconds", 2.0)):
                    _tell(name, asyncio.run(_measured(seconds)))
    except NoEngine as error:
        print(f"docker: not measured: {error}")


def _tell(name: str, found: Rounds) -> None:
    print(f"docker, {name}: over `cp -a` and `docker run --rm`: {found.over(found.run):.2f}x")
    print(f"  over `cp -a` and `docker exec`: {found.over(found.exec):.2f}x")
    print(f"  ours {_listed(found.ours)}; run {_listed(found.run)}; exec {_listed(found.exec)}")
    print(f"  load average {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores")


def _listed(seconds: list[float]) -> str:
    return " ".join(f"{one:.2f}" for one in seconds) + " s"


async def _measured(seconds: float) -> Rounds:
    with tempfile.TemporaryDirectory(prefix="assay-bench-") as folder:
        place = Path(folder)
        tree = _written(place, seconds)
        found = Rounds()
        sandbox = await asyncio.to_thread(open_sandbox, "docker", place / "state")
        with _Hand(place) as hand:
            for _ in range(_ROUNDS):
                found.ours.append(await _seconds(_ours(sandbox, tree)))
                found.run.append(await _seconds(asyncio.to_thread(hand.run)))
                found.exec.append(await _seconds(asyncio.to_thread(hand.exec)))
    return found


def _written(place: Path, seconds: float) -> Path:
    place.chmod(0o755)
    tree = place / "tree"
    tree.mkdir()
    (tree / "test_it.py").write_text(_TEST.format(seconds))
    return tree


async def _seconds(step: Awaitable[None]) -> float:
    started = time.monotonic()
    await step
    return time.monotonic() - started


async def _ours(sandbox: Sandbox, tree: Path) -> None:
    mounts = (Mount(str(tree), TREE, MountMode.COPY_ON_WRITE),)
    done = await sandbox.run(Command(_ARGV, mounts, limits=Limits(timeout_s=60)))
    assert done.exit_code == 0, done.stderr


class _Hand:
    """What a person types, as locked in: a copy of the tree a step, in a new or a running container."""

    def __init__(self, place: Path) -> None:
        self._place = place
        self._name = f"assay-bench-{os.getpid()}"

    def __enter__(self) -> _Hand:
        (self._place / "exec").mkdir()
        mount = f"{self._place / 'exec'}:/copies"
        name = ("--name", self._name)
        _docker(
            "run", "--detach", "--rm", *name, *_LOCKED, "--volume", mount, IMAGE, "sleep", "600"
        )
        return self

    def __exit__(self, *_: object) -> None:
        _docker("kill", self._name)

    def run(self) -> None:
        """`docker run --rm` on a copy."""
        copy = self._copy(self._place)
        mount = f"{copy}:{TREE}"
        _docker("run", "--rm", *_LOCKED, "--volume", mount, "--workdir", TREE, IMAGE, *_ARGV)
        shutil.rmtree(copy)

    def exec(self) -> None:
        """`docker exec` on a copy, without the isolation of one step from the next."""
        copy = self._copy(self._place / "exec")
        _docker("exec", "--workdir", f"/copies/{copy.name}", self._name, *_ARGV)
        shutil.rmtree(copy)

    def _copy(self, folder: Path) -> Path:
        copy = folder / "copy"
        shutil.copytree(self._place / "tree", copy)
        return copy


def _docker(*argv: str) -> None:
    done = subprocess.run(["docker", *argv], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
