"""All that is said to the docker engine, each failure told with its way out."""

from __future__ import annotations

import os
import socket
import threading
import time
import weakref
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import Any

from docker import APIClient  # type: ignore[import-untyped]
from docker.errors import APIError, DockerException, ImageNotFound, NotFound  # type: ignore[import-untyped]
from docker.utils import kwargs_from_env  # type: ignore[import-untyped]

from sandbox.base import SandboxError
from sandbox.docker.container import MASKED, READ_ONLY, Locked
from sandbox.streams import Sink

_TIMEOUT_S = 60
_CONFLICT = 409
_JUST_ENDED = "is not running"
_REMOVE_TRIES = 10
_REMOVE_PAUSE_S = 0.1
_ATTACH = {"stdin": 1, "stdout": 1, "stderr": 1, "stream": 1}
_START_ENGINE = (
    "sudo systemctl start docker, and so that this user may use it: sudo usermod -aG docker {user}"
)
_BUILD_IMAGE = "docker build -f deploy/sandbox.Dockerfile -t {image} deploy"


@dataclass(frozen=True, slots=True)
class FoundContainer:
    """A container or volume of ours: its name and labels."""

    name: str
    labels: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Subnet:
    """A network: its id, its IPv4 range and the address of its way out."""

    id: str
    range: str
    gateway: str


class Attached:
    """The stream of a container: one socket for input and output."""

    def __init__(self, stream: Any) -> None:
        self._stream = stream
        self.socket: socket.socket = stream._sock
        self.socket.setblocking(False)

    def close(self) -> None:
        """Close it; the container's input ends by that."""
        with suppress(OSError):
            self.socket.shutdown(socket.SHUT_RDWR)
        self._stream._response.close()
        self._stream.close()
        self.socket.close()


@contextmanager
def _told(doing: str) -> Iterator[None]:
    try:
        yield
    except APIError as error:
        raise SandboxError(f"docker cannot {doing}: {error.explanation or error}") from error
    except (DockerException, OSError) as error:  # the SDK's transport raises OSErrors
        raise SandboxError(f"docker cannot {doing}: {error}") from error


class Engine:
    """A connection to a running engine, for many threads."""

    def __init__(self) -> None:
        """Connect as `DOCKER_HOST` says. Raises SandboxError."""
        at = os.environ.get("DOCKER_HOST") or "unix:///var/run/docker.sock"
        try:
            # Where nobody listens, the SDK would leave its socket open.
            scheme, _, path = at.partition("://")
            if scheme == "unix":
                with socket.socket(socket.AF_UNIX) as probe:
                    probe.connect(path)
            self._client = APIClient(timeout=_TIMEOUT_S, **kwargs_from_env())
        except (DockerException, OSError) as error:
            user = os.environ.get("USER") or str(os.geteuid())
            what = f"no docker engine answers at {at} ({error})"
            raise SandboxError(what, _START_ENGINE.format(user=user)) from error
        self._making_networks = threading.Lock()
        weakref.finalize(self, self._client.close)

    def processors(self) -> int:
        """How many processors the engine's machine has."""
        with _told("say what it is"):
            return int(self._client.info()["NCPU"])

    def create(self, locked: Locked) -> None:
        """Create a container. Raises SandboxError, also when its image is missing."""
        with _told("create a container"):
            options = self._client.create_host_config(**locked.host_options())
            # The SDK has no option for these.
            options |= {"MaskedPaths": list(MASKED), "ReadonlyPaths": list(READ_ONLY)}
            try:
                self._client.create_container(host_config=options, **locked.options())
            except ImageNotFound as error:
                what = f"the engine has no image {locked.image}"
                build = _BUILD_IMAGE.format(image=locked.image)
                raise SandboxError(what, build) from error

    def attach(self, name: str) -> Attached:
        """Attach to a container's stream, before it is started."""
        with _told("attach to a container"):
            return Attached(self._client.attach_socket(name, params=dict(_ATTACH)))

    def start(self, name: str) -> None:
        """Start a container."""
        with _told("start a container"):
            self._client.start(name)

    def ran_out_of_memory(self, name: str) -> bool:
        """Wait for the container's end; true when the kernel killed inside for want of memory."""
        with _told("inspect a container"):
            self._client.wait(name, timeout=_TIMEOUT_S)
            return bool(self._client.inspect_container(name)["State"]["OOMKilled"])

    def holds_more(self, name: str, limit_bytes: int) -> bool:
        """Whether a running container's processes hold more, files in scratch space aside.

        Also when the kernel has killed one of them for memory: what is left may hold less.
        """
        with _told("measure a container"):
            try:
                memory = self._client.stats(name, stream=False, one_shot=True)["memory_stats"]
            except NotFound:
                return False
            counts = memory.get("stats", {})
            held = int(counts.get("anon", counts.get("total_rss", 0)))
            if held > limit_bytes:
                return True
            # What is inspected says so only of a container that has ended.
            filters = {"container": name, "event": "oom"}
            return bool(list(self._client.events(since=0, until=int(time.time()), filters=filters)))

    def remove(self, name: str) -> None:
        """Kill and remove a container; one that is not there, or that another removes, is fine."""
        with _told("remove a container"), suppress(NotFound):
            for left in reversed(range(_REMOVE_TRIES)):
                try:
                    self._client.remove_container(name, v=True, force=True)
                except APIError as error:
                    if error.status_code == _CONFLICT:
                        return
                    # The engine trips over a container that ends while it is being killed.
                    if not left or _JUST_ENDED not in str(error.explanation):
                        raise
                    time.sleep(_REMOVE_PAUSE_S)
                else:
                    return

    def containers(self, label: str) -> list[FoundContainer]:
        """All containers with the label, running or not."""
        with _told("list containers"):
            found = self._client.containers(all=True, filters={"label": label})
        return [FoundContainer(one["Names"][0].lstrip("/"), one["Labels"]) for one in found]

    def network(self, name: str, labels: Mapping[str, str]) -> Subnet:
        """The bridge network of that name, made when it is not there.

        An engine makes two of one name for two workers who ask at once: the older one is everybody's.
        """
        with self._making_networks, _told("make a network"):
            if not (known := self._networks(name)):
                try:
                    self._client.create_network(
                        name,
                        driver="bridge",
                        options={"com.docker.network.bridge.enable_icc": "false"},
                        labels=dict(labels),
                        enable_ipv6=False,
                        check_duplicate=True,
                    )
                except APIError as error:
                    if error.status_code != _CONFLICT:  # another worker was quicker
                        raise
                known = self._networks(name)
            first, *others = known
            for one in others:
                with suppress(APIError):  # somebody else was quicker, or is in it
                    self._client.remove_network(one["Id"])
            settings = first["IPAM"]["Config"][0]
            return Subnet(first["Id"], settings["Subnet"], settings["Gateway"])

    def _networks(self, name: str) -> list[dict[str, Any]]:
        found = self._client.networks(names=[f"^{name}$"])
        return sorted(found, key=lambda one: (one["Created"], one["Id"]))


# --- what the worker and the entry program say to each other over the attached stream --------------


_ENGINE_HEADER_BYTES = 8
_FRAME_HEADER_BYTES = 5
_ENGINE_STDOUT = 1
_ENTRY_SAID_BYTES = 4000


@dataclass(frozen=True, slots=True)
class LaunchOrder:
    """What the entry program is to start: the whole argv and environment, nothing is added.

    `filter` is a seccomp program, empty for none. After `deadline_s` the container ends by itself.
    """

    argv: Sequence[str]
    environment: Mapping[str, str]
    stdin: bytes
    filter: bytes
    wants_channel: bool
    deadline_s: int


def launch_message(launch: LaunchOrder) -> bytes:
    """The launch for `entry.read_launch`: texts may be any bytes but NUL, so nothing is quoted."""
    texts = [os.fsencode(text) for text in launch.argv]
    texts += [os.fsencode(f"{name}={value}") for name, value in launch.environment.items()]
    numbers = (
        len(launch.argv),
        len(launch.environment),
        len(launch.stdin),
        len(launch.filter),
        int(launch.wants_channel),
        launch.deadline_s,
    )
    header = b"%d %d %d %d %d %d" % numbers
    body = launch.stdin + launch.filter + b"\0".join(texts)
    return b"%06d%010d" % (len(header), len(body)) + header + body


class _Cutter:
    """Cuts a stream into packets of a header of fixed size and a payload."""

    def __init__(self, header_bytes: int) -> None:
        self._header_bytes = header_bytes
        self._held = bytearray()

    def cut(self, data: bytes) -> list[tuple[bytes, bytes]]:
        """The packets, header and payload, that are complete with this data."""
        self._held += data
        found, start = [], 0
        while len(self._held) - start >= self._header_bytes:
            body = start + self._header_bytes
            end = body + int.from_bytes(self._held[body - 4 : body], "big")
            if len(self._held) < end:
                break
            found.append((bytes(self._held[start:body]), bytes(self._held[body:end])))
            start = end
        del self._held[:start]
        return found


class Frames:
    """Takes the attached stream apart: docker's packets, and in its stdout the entry's frames."""

    def __init__(self, sinks: Mapping[bytes, Sink]) -> None:
        """`sinks` by the kind of a frame: `o`utput, `e`rror output, `c`hannel."""
        self._sinks = sinks
        self._packets = _Cutter(_ENGINE_HEADER_BYTES)
        self._frames = _Cutter(_FRAME_HEADER_BYTES)
        self._said = bytearray()
        self.exit_code: int | None = None

    def feed(self, data: bytes) -> None:
        """Take the next bytes. Raises SandboxError when they are no frames."""
        for header, payload in self._packets.cut(data):
            if header[0] != _ENGINE_STDOUT:
                self._said += payload[: _ENTRY_SAID_BYTES - len(self._said)]
                continue
            for frame, content in self._frames.cut(payload):
                kind = frame[:1]
                if kind == b"x":
                    self.exit_code = int(content)
                elif kind in self._sinks:
                    self._sinks[kind].feed(content)
                else:
                    raise SandboxError(f"the container's stream holds no frames: {frame!r}")

    def said(self) -> str:
        """What the entry program itself complained about."""
        return self._said.decode(errors="replace").strip()
