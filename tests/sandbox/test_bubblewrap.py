"""The bubblewrap driver against the suite for every driver, as root and as a plain user."""

import asyncio
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path, PurePosixPath

import pytest

from sandbox import open_sandbox
from sandbox.base import TREE, Command, Mount, MountMode, Sandbox, SandboxError
from sandbox.bubblewrap.driver import BubblewrapSandbox
from sandbox.errors import HostTrouble
from tests.plain_user import PYTHON, VARIABLES, as_plain_user, plain_users_folder, why_not
from tests.sandbox import conformance
from tests.sandbox.conformance.running import SMALL, python, shell

pytestmark = pytest.mark.real

ROOT = Path(__file__).parents[2]


class Driver:
    @pytest.fixture
    def sandbox(self, tmp_path: Path) -> Sandbox:
        return open_sandbox("auto", tmp_path / "state")


class TestPrograms(Driver, conformance.Programs): ...


class TestIsolation(Driver, conformance.Isolation): ...


class TestFolders(Driver, conformance.Folders): ...


class TestBounds(Driver, conformance.Bounds): ...


class TestBuildNetwork(Driver, conformance.BuildNetwork): ...


class TestFoldersByCopy(conformance.Folders):
    """The same where the kernel gives no overlay."""

    @pytest.fixture
    def sandbox(self, tmp_path: Path) -> Sandbox:
        return BubblewrapSandbox(tmp_path / "state", copies=True)


@pytest.fixture
def watched(tmp_path: Path) -> Sandbox:
    """The driver on a machine whose cgroups cannot be written."""
    return BubblewrapSandbox(tmp_path / "state", cgroups=False)


class TestWithoutCgroups:
    test_memory = conformance.Bounds.test_memory_is_bounded
    test_together = conformance.Bounds.test_memory_of_many_processes_counts_together

    @pytest.fixture
    def sandbox(self, watched: Sandbox) -> Sandbox:
        return watched


@pytest.mark.skipif(bool(why_not()), reason=why_not())
@pytest.mark.parametrize(
    "which",
    [
        pytest.param("TestPrograms or TestIsolation", id="programs and isolation"),
        pytest.param("not ByCopy", id="everything", marks=pytest.mark.slow),
    ],
)
def test_the_same_holds_for_a_plain_user(which: str) -> None:
    pytest_ = (PYTHON, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", "-k", which)
    with plain_users_folder() as base:
        done = subprocess.run(
            as_plain_user(*pytest_, "--basetemp", str(base / "t"), __file__),
            cwd=ROOT,
            env={**os.environ, **VARIABLES, "HOME": str(base)},
            capture_output=True,
            text=True,
            timeout=600,
            check=False,
        )
    assert done.returncode == 0, done.stdout[-6000:] + done.stderr[-2000:]


_WORKER = """
import asyncio, sys
from pathlib import Path, PurePosixPath
from sandbox import open_sandbox
from sandbox.base import Command, Mount, MountMode, Network
out = Mount(sys.argv[2], "/out", MountMode.WRITABLE)
mounts = (out, Mount(sys.argv[2], "/work/tree", MountMode.COPY_ON_WRITE))
script = "while :; do echo >> /out/beat; sleep 0.05; done"
command = Command(("sh", "-c", script), mounts, network=Network.BUILD)
asyncio.run(open_sandbox("bubblewrap", Path(sys.argv[1])).run(command))
"""


def _children_of(pid: int) -> list[int]:
    text = Path(f"/proc/{pid}/task/{pid}/children").read_text()
    direct = [int(word) for word in text.split()]
    return direct + [grandchild for child in direct for grandchild in _children_of(child)]


def _is_alive(pid: int) -> bool:
    """A zombie that nobody waits for (PID 1 of a container may not) is dead."""
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except FileNotFoundError:
        return False
    return state != "Z"


def test_a_killed_worker_leaves_nothing_alive(tmp_path: Path) -> None:
    out = tmp_path / "out"
    out.mkdir()
    arguments = [sys.executable, "-c", _WORKER, str(tmp_path / "state"), str(out)]
    with subprocess.Popen(arguments, cwd=ROOT) as worker:
        _wait_for(lambda: (out / "beat").exists() and bool((out / "beat").stat().st_size))
        children = _children_of(worker.pid)
        worker.send_signal(signal.SIGKILL)
    assert len(children) >= 4  # bubblewrap outside and inside, slirp4netns, sh
    _wait_for(lambda: not any(map(_is_alive, children)))
    size = (out / "beat").stat().st_size
    time.sleep(0.3)
    assert 0 < size == (out / "beat").stat().st_size


def _wait_for(what: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 300
    while not what():
        assert time.monotonic() < deadline, "it did not happen"
        time.sleep(0.05)


def _supervisors() -> list[int]:
    """The bubblewraps that this process started."""
    children = Path(f"/proc/{os.getpid()}/task/{os.getpid()}/children").read_text().split()
    return [
        int(child)
        for child in children
        if b"/bwrap\0" in Path(f"/proc/{child}/cmdline").read_bytes()
    ]


async def test_who_kills_a_sandbox_from_outside_says_nothing_about_the_program(
    tmp_path: Path,
) -> None:
    driver = BubblewrapSandbox(tmp_path / "state")
    running = asyncio.create_task(
        driver.run(Command(("sh", "-c", "echo no >&2; sleep 60"), cwd="/"))
    )
    while not (supervisors := _supervisors()):  # noqa: ASYNC110  a process: no event
        await asyncio.sleep(0.05)
    await asyncio.sleep(0.3)
    os.kill(supervisors[0], signal.SIGKILL)
    with pytest.raises(HostTrouble, match="killed on the machine that judges"):
        await running


HOLDING = """
import sys, time
from pathlib import Path
from sandbox.folders import leased
with leased(Path(sys.argv[1])) as folder:
    print(folder.name, flush=True)
    time.sleep(600)
"""


def test_opening_again_sweeps_what_a_killed_worker_left_and_nothing_of_a_live_one(
    tmp_path: Path,
) -> None:
    """Whatever process ids say: in another container they are other processes'."""
    copies = tmp_path / "state/copies"
    with ExitStack() as closing:
        holders = [
            closing.enter_context(
                subprocess.Popen([*apart, sys.executable, "-c", HOLDING, copies], stdout=-1)
            )
            for apart in ((), ("unshare", "--user", "--pid", "--fork", "--kill-child"))
        ]
        left, alive = (copies / one.stdout.readline().decode().strip() for one in holders)
        closing.callback(holders[1].kill)
        holders[0].kill()
        holders[0].wait()
        open_sandbox("auto", tmp_path / "state")
        assert (left.exists(), alive.exists()) == (False, True)


def test_an_unknown_name_is_told(tmp_path: Path) -> None:
    with pytest.raises(SandboxError, match="bubblewrap"):
        open_sandbox("none", tmp_path)


async def test_starting_is_cheap(tmp_path: Path) -> None:
    sandbox = open_sandbox("auto", tmp_path / "state")
    seconds = []
    for _ in range(5):
        seconds.append((await shell(sandbox, "true")).seconds)
    assert min(seconds) < 10  # 30 ms when the machine is idle


def _host_mounts() -> str:
    return Path("/proc/self/mountinfo").read_text()


def _files_below(folder: Path) -> list[Path]:
    return [path for path in folder.rglob("*") if path.is_file()]


def _open_descriptors() -> int:
    return len(list(Path("/proc/self/fd").iterdir()))


async def test_nothing_is_left_on_the_host(tmp_path: Path) -> None:
    mounts_before = _host_mounts()
    sandbox = open_sandbox("auto", tmp_path / "state")
    mount = Mount("/usr/share/dpkg", TREE, MountMode.COPY_ON_WRITE)
    await sandbox.run(Command(("true",), (mount,), limits=SMALL))
    assert _host_mounts() == mounts_before
    assert _files_below(tmp_path / "state") == []
    before = _open_descriptors()
    await asyncio.gather(*(sandbox.run(Command(("true",), cwd="/")) for _ in range(5)))
    assert _open_descriptors() == before


LIST = """
import os
found = []
def look(folder, deep):
    for name in sorted(os.listdir(folder)):
        path = os.path.join(folder, name)
        found.append(path)
        if deep and os.path.isdir(path) and not os.path.islink(path):
            look(path, deep - 1)
look("/", 0)
for folder in ("/etc", "/dev", "/var", "/home", "/run", "/opt", "/srv", "/mnt"):
    look(folder, 0)
look("/etc/ssl", 0)
for folder in ("/usr/etc", "/usr/local/etc", "/usr/local/src", "/usr/src", "/run", "/var/lib", "/var/cache"):
    if os.path.isdir(folder):
        look(folder, 1)
print(*found, sep="\\n")
"""
README = Path(__file__).parents[2] / "sandbox/README.md"


async def test_the_readme_says_what_is_seen_inside(tmp_path: Path) -> None:
    table = (
        README.read_text().partition("## What code sees inside")[2].partition("\n**Linters**")[0]
    )
    rows = [line.split("|")[1] for line in table.splitlines() if line.startswith("| `")]
    said = {path for row in rows for path in re.findall(r"`(/[^`]*)`", row)}
    above = {str(folder) for path in said for folder in PurePosixPath(path).parents}

    done = await python(BubblewrapSandbox(tmp_path), LIST)

    seen = set(done.stdout.decode().split())
    assert seen - said - above == set(), done
    assert {"/etc/passwd", "/tmp", "/usr"} <= seen
