"""The docker driver on a real engine against the suite for every driver."""

import asyncio
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from docker import APIClient

from sandbox import open_sandbox
from sandbox.base import TREE, Command, Mount, MountMode, Network, Sandbox, SandboxError
from sandbox.docker.container import OURS, WORKER
from sandbox.docker.driver import BuildNetwork
from sandbox.docker.engine import Engine
from tests.docker_engine import IMAGE
from tests.sandbox import conformance
from tests.sandbox.conformance.running import SMALL, python, shell

pytestmark = pytest.mark.real

ROOT = Path(__file__).parents[2]
NOBODY = 65534
# What depends on who the worker is: owners of folders, and the disk limit of copies.
PLAIN = "TestFolders or scratch_space or home_and_tmp or no_capability or forged"


@pytest.fixture(scope="module", autouse=True)
def engine(docker_engine: str) -> Iterator[str]:
    """The engine's address; what the driver reads is in the environment."""
    with pytest.MonkeyPatch.context() as environment:
        environment.setenv("DOCKER_HOST", docker_engine)
        environment.setenv("ASSAY_DOCKER_IMAGE", IMAGE)
        yield docker_engine


@pytest.fixture(scope="module")
def opened(engine: str, tmp_path_factory: pytest.TempPathFactory) -> Sandbox:
    return open_sandbox("docker", tmp_path_factory.mktemp("state"))


class Driver:
    @pytest.fixture
    def sandbox(self, opened: Sandbox) -> Sandbox:
        return opened


class TestPrograms(Driver, conformance.Programs): ...


class TestIsolation(Driver, conformance.Isolation): ...


class TestFolders(Driver, conformance.Folders): ...


class TestBounds(Driver, conformance.Bounds): ...


class TestBuildNetwork(Driver, conformance.BuildNetwork): ...


@pytest.fixture
def client(engine: str) -> Iterator[APIClient]:
    client = APIClient(base_url=engine)
    yield client
    client.close()


@pytest.mark.skipif(os.geteuid() != 0, reason="needs root to become another user")
def test_the_same_holds_for_a_plain_user_of_the_engines_group(engine: str) -> None:
    socket = Path(engine.removeprefix("unix://"))
    if not engine.startswith("unix://") or socket.stat().st_gid == 0:
        pytest.skip("the engine's socket has no group that a plain user could be in")
    base = Path("/tmp", f"assay-docker-plain-{os.getpid()}")
    base.mkdir(mode=0o700)
    os.chown(base, NOBODY, NOBODY)
    drop = ["setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", f"--groups={socket.stat().st_gid}"]
    tests = [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", "-k", PLAIN]
    try:
        done = subprocess.run(
            [*drop, *tests, "--basetemp", str(base / "t"), __file__],
            cwd=ROOT,
            env={**os.environ, "HOME": str(base), "PYTHONDONTWRITEBYTECODE": "1"},
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
    finally:
        shutil.rmtree(base, ignore_errors=True)
    assert done.returncode == 0, done.stdout[-6000:] + done.stderr[-2000:]
    assert " passed" in done.stdout


def _states(client: APIClient, worker: int) -> list[str]:
    """The states of the containers of the worker with that process id."""
    ours = client.containers(all=True, filters={"label": OURS})
    return [one["State"] for one in ours if f" {worker} " in one["Labels"][WORKER]]


class TestTheStream:
    """The program shares docker's own stream with nobody, and cannot get at it."""

    async def test_no_frame_can_be_forged(self, opened: Sandbox) -> None:
        script = (
            "for fd in 0 1 2; do echo c0000 > /proc/1/fd/$fd || echo refused; done;"
            "ls /proc/1/fd || echo refused; cat /proc/1/mem || echo refused"
        )
        done = await shell(opened, script, channel_bytes=100)
        assert (done.stdout, done.channel, done.exit_code) == (b"refused\n" * 5, b"", 0)

    async def test_the_entry_program_cannot_be_traced_or_robbed(self, opened: Sandbox) -> None:
        script = (
            "import ctypes, os; libc = ctypes.CDLL(None)\n"
            "print(libc.ptrace(16, 1, 0, 0), libc.syscall(438, os.pidfd_open(1), 1, 0))"
        )
        assert (await python(opened, script)).stdout == b"-1 -1\n"

    async def test_the_entry_program_takes_no_signal(self, opened: Sandbox) -> None:
        script = "for s in HUP INT TERM KILL STOP CHLD USR1 PIPE; do kill -s $s 1; done; echo alive"
        done = await shell(opened, script)
        assert (done.stdout, done.exit_code) == (b"alive\n", 0)

    async def test_frames_on_the_programs_own_output_are_only_text(self, opened: Sandbox) -> None:
        forged = b"x\0\0\0\x010"
        done = await shell(opened, "cat; exit 7", stdin=forged)
        assert (done.stdout, done.exit_code) == (forged, 7)


async def test_there_is_no_way_to_the_engine(opened: Sandbox) -> None:
    script = "find / -xdev \\( -name docker.sock -o -name containerd.sock \\) 2>/dev/null; env"
    assert b"ocker" not in (await shell(opened, script)).stdout


_WORKER = """
import asyncio, sys
from pathlib import Path
from sandbox import open_sandbox
from sandbox.base import Command, Mount, MountMode, Network
mounts = (Mount(sys.argv[2], "/out", MountMode.WRITABLE),)
script = "while :; do echo >> /out/beat; sleep 0.05; done"
command = Command(("sh", "-c", script), mounts, cwd="/tmp", network=Network.BUILD)
asyncio.run(open_sandbox("docker", Path(sys.argv[1])).run(command))
"""


def test_a_killed_worker_leaves_nothing_running_and_the_next_one_sweeps(
    client: APIClient, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    out.mkdir()
    arguments = [sys.executable, "-c", _WORKER, str(tmp_path / "state"), str(out)]
    with subprocess.Popen(arguments, cwd=ROOT) as worker:
        deadline = time.monotonic() + 300
        while not (out / "beat").exists() and time.monotonic() < deadline:
            time.sleep(0.05)
        running = _states(client, worker.pid).count("running")
        worker.kill()
    deadline = time.monotonic() + 120
    while "running" in _states(client, worker.pid) and time.monotonic() < deadline:
        time.sleep(0.1)
    assert running == 2  # the build and its network
    assert "running" not in _states(client, worker.pid)
    size = (out / "beat").stat().st_size
    time.sleep(0.3)
    assert 0 < size == (out / "beat").stat().st_size
    open_sandbox("docker", tmp_path / "state")
    assert _states(client, worker.pid) == []


async def test_the_sweep_spares_a_live_worker(opened: Sandbox, tmp_path: Path) -> None:
    running = asyncio.create_task(shell(opened, "sleep 3; echo whole"))
    await asyncio.sleep(0.8)
    await asyncio.to_thread(open_sandbox, "docker", tmp_path / "other")
    assert (await running).stdout == b"whole\n"


def _open_descriptors() -> int:
    return len(list(Path("/proc/self/fd").iterdir()))


def _files_in(folder: Path) -> list[Path]:
    return list(folder.glob("*"))


async def test_nothing_is_left(opened: Sandbox, client: APIClient, tmp_path: Path) -> None:
    sandbox = await asyncio.to_thread(open_sandbox, "docker", tmp_path / "state")
    mount = Mount("/usr/share/dpkg", TREE, MountMode.COPY_ON_WRITE)
    command = Command(("true",), (mount,), cwd="/", limits=SMALL)
    await sandbox.run(replace(command, network=Network.BUILD))
    await asyncio.gather(*(sandbox.run(command) for _ in range(4)))
    before = _open_descriptors()
    for _ in range(3):
        await asyncio.gather(*(sandbox.run(command) for _ in range(4)))
    # The SDK keeps at most ten connections open; a leak would be one for each of twelve commands.
    assert _open_descriptors() < before + 11
    assert _states(client, os.getpid()) == []
    assert _files_in(tmp_path / "state/docker") == []


def test_a_missing_image_is_told_with_the_command(engine: str, tmp_path: Path) -> None:
    with pytest.MonkeyPatch.context() as environment:
        environment.setenv("ASSAY_DOCKER_IMAGE", "no-such-image")
        with pytest.raises(SandboxError, match=r"docker build .* -t no-such-image deploy"):
            open_sandbox("docker", tmp_path)


def test_a_missing_engine_is_told_with_the_command(engine: str, tmp_path: Path) -> None:
    with pytest.MonkeyPatch.context() as environment:
        environment.setenv("DOCKER_HOST", f"unix://{tmp_path}/none.sock")
        with pytest.raises(SandboxError, match="systemctl start docker"):
            open_sandbox("docker", tmp_path)


def test_a_network_that_another_worker_makes_meanwhile_is_waited_out(
    engine: str, client: APIClient
) -> None:
    """Once by its id, too: "network assay-build is ambiguous", and every build of that moment failed."""

    class Beside(Engine):
        made = 0

        def start(self, name: str) -> None:
            if not self.made:
                self.made += 1
                client.create_network(
                    "assay-build", driver="bridge", labels={OURS: "1"}, check_duplicate=False
                )
            super().start(name)

    beside = Beside()
    name = f"assay-test-{os.getpid()}-net"
    network = BuildNetwork(beside, IMAGE)
    try:
        network.open(name, frozenset(), 60.0)
        assert client.inspect_container(name)["State"]["Running"]
    finally:
        network.end(name)
    assert beside.made == 1
    assert len(client.networks(names=["^assay-build$"])) == 1


async def test_two_networks_of_one_name_are_one_again(client: APIClient, opened: Sandbox) -> None:
    """An engine makes two for two workers who ask at once; by its name neither could be joined."""
    assert (await shell(opened, "echo built", network=Network.BUILD)).stdout == b"built\n"
    (first,) = client.networks(names=["^assay-build$"])
    client.create_network("assay-build", driver="bridge", labels={OURS: "1"}, check_duplicate=False)
    assert len(client.networks(names=["^assay-build$"])) == 2
    assert (await shell(opened, "echo built", network=Network.BUILD)).stdout == b"built\n"
    assert [one["Id"] for one in client.networks(names=["^assay-build$"])] == [first["Id"]]
