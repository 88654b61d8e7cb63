"""A docker engine for the tests: the one that runs, else Debian's own, started and ended here.

There is no image registry in the field these tests run in: the base image is Debian by debootstrap,
kept as an archive in ~/.cache/assay-tests, and deploy/sandbox.Dockerfile is built on it.
"""

import gzip
import os
import shutil
import signal
import subprocess
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

from docker import APIClient
from docker.errors import DockerException, ImageNotFound

from tests.plain_user import with_own_tun

ROOT = Path(__file__).parents[1]
CACHE = Path.home() / ".cache/assay-tests/docker"
BASE_IMAGE, IMAGE = "assay-test-base", "assay-test-sandbox"
_START_TIMEOUT_S = 60
_TRIES = 3
_BUILD_TIMEOUT_S = 600
_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"


class NoEngine(Exception):
    """Why there is no engine for the tests."""


def _program(name: str, package: str) -> str:
    path = shutil.which(name, path=_PATH)
    if path is None:
        raise NoEngine(f"{name} is not installed: apt-get install {package} (or: make test-docker)")
    return path


def _answers(address: str) -> bool:
    scheme, _, path = address.partition("://")
    if scheme == "unix" and not Path(path).is_socket():
        return False
    try:
        client = APIClient(base_url=address, timeout=60)
    except DockerException:
        return False
    client.close()
    return True


@contextmanager
def running_engine() -> Iterator[str]:
    """The address of an engine. Raises NoEngine."""
    usual = os.environ.get("DOCKER_HOST") or "unix:///var/run/docker.sock"
    if _answers(usual):
        yield usual
        return
    if os.environ.get("ASSAY_TEST_DOCKER") != "1":
        raise NoEngine(f"no docker engine answers at {usual}; ASSAY_TEST_DOCKER=1 starts one")
    if os.geteuid() != 0:
        raise NoEngine("an own docker engine can only be started by root")
    with ExitStack() as stack:
        yield _started(stack)


def _started(stack: ExitStack) -> str:
    """Start one of our own; containerd gives up by itself where the machine is busy."""
    for _ in range(_TRIES - 1):
        with suppress(NoEngine):
            return stack.enter_context(_own_engine())
    return stack.enter_context(_own_engine())


@contextmanager
def _own_engine() -> Iterator[str]:
    program = _program("dockerd", "docker.io")
    _program("iptables", "iptables")
    run = Path("/tmp", f"assay-dockerd-{os.getpid()}")  # short: a socket's path has a limit
    run.mkdir(mode=0o711)  # the socket's group may reach it
    CACHE.mkdir(parents=True, exist_ok=True)
    address = f"unix://{run}/docker.sock"
    folders = ["--data-root", str(CACHE / "data"), "--exec-root", str(run / "exec")]
    argv = [program, *folders, "--host", address, "--pidfile", str(run / "docker.pid")]
    argv = with_own_tun(*argv)  # containers get the node with the mode that the engine sees
    with (run / "log").open("wb") as log:
        process = subprocess.Popen(
            argv, stdout=log, stderr=log, env={"PATH": _PATH}, start_new_session=True
        )
    try:
        _wait_for(process, address, run / "log")
        yield address
        _prune(address)
    finally:
        process.send_signal(signal.SIGTERM)
        try:
            process.wait(30)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        shutil.rmtree(run, ignore_errors=True)


def _wait_for(process: subprocess.Popen[bytes], address: str, log: Path) -> None:
    deadline = time.monotonic() + _START_TIMEOUT_S
    while not _answers(address):
        if process.poll() is not None or time.monotonic() > deadline:
            raise NoEngine(f"dockerd does not start: {log.read_text()[-600:]}")
        time.sleep(0.3)


def _prune(address: str) -> None:
    """Remove the images that newer builds took the names of: each `make test-docker` leaves 2 GB."""
    client = APIClient(base_url=address, timeout=_BUILD_TIMEOUT_S)
    try:
        client.prune_images({"dangling": True})
    finally:
        client.close()


def debian_archive() -> Path:
    """Debian as debootstrap makes it, packed; 45 seconds the first time. Raises NoEngine."""
    archive = CACHE / "bookworm.tar.gz"
    if archive.is_file():
        return archive
    root, packing = CACHE / f"root-{os.getpid()}", CACHE / f"packing-{os.getpid()}"
    program = _program("debootstrap", "debootstrap")
    argv = [program, "--variant=minbase", "--include=mount,ca-certificates", "bookworm", str(root)]
    try:
        _run(argv)
        for name in ("var/cache/apt/archives", "var/lib/apt/lists"):
            shutil.rmtree(root / name, ignore_errors=True)
            (root / name / "partial").mkdir(parents=True)
        with gzip.open(packing, "wb", compresslevel=1) as target:
            tar = ["tar", "-C", str(root), "--numeric-owner", "-c", "."]
            with subprocess.Popen(tar, stdout=subprocess.PIPE) as process:
                assert process.stdout
                shutil.copyfileobj(process.stdout, target, 1 << 20)
        packing.rename(archive)
    finally:
        shutil.rmtree(root, ignore_errors=True)
        packing.unlink(missing_ok=True)
    return archive


def _run(argv: list[str]) -> None:
    done = subprocess.run(
        argv,
        env={"PATH": _PATH},
        capture_output=True,
        text=True,
        timeout=_BUILD_TIMEOUT_S,
        check=False,
    )
    if done.returncode != 0:
        raise NoEngine(f"{argv[0]} failed: {done.stdout[-300:]}{done.stderr[-300:]}")


def _has_image(client: APIClient, name: str) -> bool:
    try:
        client.inspect_image(name)
    except ImageNotFound:
        return False
    return True


def sandbox_image(address: str) -> str:
    """The image of deploy/sandbox.Dockerfile, built on Debian's base. Raises NoEngine."""
    client = APIClient(base_url=address, timeout=_BUILD_TIMEOUT_S)
    try:
        if not _has_image(client, BASE_IMAGE):
            client.import_image_from_file(str(debian_archive()), repository=BASE_IMAGE)
        # The engine's own layers make this quick where nothing changed.
        said = client.build(
            path=str(ROOT / "deploy"),
            dockerfile="sandbox.Dockerfile",
            tag=IMAGE,
            buildargs={"BASE": BASE_IMAGE},
            rm=True,
            decode=True,
        )
        errors = [line["error"] for line in said if "error" in line]
        if errors:
            raise NoEngine(f"deploy/sandbox.Dockerfile does not build: {errors[0]}")
    finally:
        client.close()
    return IMAGE
