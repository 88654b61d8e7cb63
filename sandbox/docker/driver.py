"""Runs a command in a container of its own, in a build with a network, and carries back what came of it."""

from __future__ import annotations

import asyncio
import os
import secrets
import time
from collections.abc import AsyncIterator, Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from ipaddress import IPv4Address, IPv4Network
from pathlib import Path
from typing import ParamSpec, TypeVar

from sandbox import layout, network
from sandbox.base import Command, Completed, Killed, Limits, Mount, Network, SandboxError
from sandbox.concurrently import to_its_end
from sandbox.docker import container
from sandbox.docker.container import NO_NETWORK, Locked, make_mount_points, program_of_ours
from sandbox.docker.engine import Attached, Engine, Frames, LaunchOrder, Subnet, launch_message
from sandbox.errors import HostTrouble
from sandbox.folders import FolderPolicy, Folders, resolved
from sandbox.index import host_index_settings
from sandbox.limits import MEBIBYTE, DiskWatch, first_end
from sandbox.seccomp import seccomp_filter
from sandbox.stage import CHANNEL_DESCRIPTOR
from sandbox.streams import Capped, HeadTail

_NAME = "assay-build"
_ANSWER_TIMEOUT_S = 20
_JOIN_TRIES, _JOIN_PAUSE_S = 10, 0.3
_ENGINE_HEADER_BYTES = 8
_RESOLVER_FILES = ("/etc/resolv.conf", "/run/systemd/resolve/resolv.conf")


def name_servers(files: Iterable[str] = _RESOLVER_FILES) -> frozenset[str]:
    """The IPv4 name servers of this machine that are not on its own loopback."""
    found = set()
    for file in files:
        if Path(file).is_file():
            lines = [line.split() for line in Path(file).read_text().splitlines()]
            found |= {words[1] for words in lines if words[:1] == ["nameserver"] and words[1:]}
    usual = {text for text in found if ":" not in text}
    return frozenset(text for text in usual if not IPv4Address(text).is_loopback)


def messages(subnet: Subnet, hosts: Iterable[str], servers: Iterable[str]) -> tuple[bytes, ...]:
    """The netlink messages for a namespace on that bridge, in the order in which they must be sent."""
    asked = network.name_server_rules(sorted(servers), subnet.gateway)
    # The neighbours on the bridge: two halves are more specific than the kernel's own route to it.
    neighbours = IPv4Network(subnet.range).subnets(prefixlen_diff=1)
    refused = (*neighbours, IPv4Network(subnet.gateway))  # last: it must be known till then
    return (*asked, *network.routes(hosts, subnet.gateway), *network.prohibitions(refused))


class BuildNetwork:
    """The networks of builds: a bridge of our own, and routes that refuse the host and private ranges.

    Each build gets a network namespace of its own, held open by a small container of ours (`gate`) that
    sets the routes before the build joins. The build has no capability, so it cannot change them, and
    needs no rule of the operator's on the host. Name servers may be asked even when their addresses are
    private: on port 53 alone, by a routing rule. What this cannot refuse: a public address of the
    engine's host when the worker itself is in a container and does not know it.
    """

    def __init__(self, engine: Engine, image: str) -> None:
        self._engine = engine
        self._image = image
        self._streams: dict[str, Attached] = {}

    def open(self, name: str, hosts: frozenset[str], timeout_s: float) -> None:
        """Start the container `name` whose network others may join. Raises SandboxError."""
        # Till one of two networks that were made at once is gone, the engine joins neither, not even by
        # its id.
        for left in reversed(range(_JOIN_TRIES)):
            subnet = self._engine.network(_NAME, {container.OURS: "1"})
            locked = Locked(
                name=name,
                image=self._image,
                program=program_of_ours("gate"),
                owner="0:0",
                labels=container.labels(timeout_s),
                network=subnet.id,
                # The engine's own starter counts too, with a dozen threads where the machine is busy.
                limits=Limits(memory_mb=64, disk_mb=64, processes=64),
                capabilities=("NET_ADMIN",),
            )
            self._engine.create(locked)
            stream = self._streams[name] = self._engine.attach(name)
            try:
                self._engine.start(name)
                break
            except SandboxError:
                self.end(name)
                if not left:
                    raise
                time.sleep(_JOIN_PAUSE_S)
        stream.socket.settimeout(_ANSWER_TIMEOUT_S)
        parts = messages(subnet, hosts, name_servers())
        told = b"".join(b"%06d" % len(part) + part for part in parts)
        stream.socket.sendall(b"%06d" % len(parts) + told)
        try:
            answer = stream.socket.recv(4096)[_ENGINE_HEADER_BYTES:]
        except TimeoutError as error:
            raise SandboxError("the build network's container does not answer") from error
        if answer != b"ready":
            raise SandboxError(f"the build network was refused: {answer.decode(errors='replace')}")

    def end(self, name: str) -> None:
        """Remove the container; one that was never started is fine."""
        if stream := self._streams.pop(name, None):
            stream.close()
        self._engine.remove(name)


DEFAULT_IMAGE = "assay-sandbox"
# Above every range that systemd and /etc/subuid hand out: nobody on the host has this id.
_FIRST_UID, _UIDS = 0x7000_0000, 1 << 24
_READ_BYTES = 1 << 18
_LOOK_EVERY_S = 0.2
_KILLED_TRIES = 3
_SPARE_S = 30  # the container's own deadline comes after the worker's
_TRIAL = Command(("true",), cwd="/", network=Network.BUILD, limits=Limits(timeout_s=30))

Arguments = ParamSpec("Arguments")
Result = TypeVar("Result")


async def _in_thread(
    function: Callable[Arguments, Result], *arguments: Arguments.args, **options: Arguments.kwargs
) -> Result:
    """Like `to_thread`, but a cancellation waits for the thread: what it made can then be removed."""
    return await to_its_end(asyncio.to_thread(function, *arguments, **options))


class DockerSandbox:
    """Runs commands by a docker engine on this machine, each in a fresh container."""

    name = "docker"

    def __init__(self, state: Path, image: str) -> None:
        """`state` is a folder of ours that the engine sees at the same path. Raises SandboxError."""
        self._engine = Engine()
        self._image = image
        self._folders = Folders(state / "docker")
        is_root = os.geteuid() == 0
        self._given_to = _FIRST_UID + secrets.randbelow(_UIDS) if is_root else None
        uid = gid = self._given_to or os.geteuid()
        if not is_root:
            gid = os.getegid()
        self._owner = f"{uid}:{gid}"
        # The user's and the machine's name, for programs that ask.
        etc = state / "docker-etc" / f"{uid}-{gid}"
        etc.mkdir(parents=True, exist_ok=True)
        texts = {
            "passwd": layout.passwd(uid, gid),
            "group": layout.group(gid),
            "hosts": layout.HOSTS,
        }
        mounts = []
        for file, text in texts.items():
            (etc / file).write_text(text)
            (etc / file).chmod(0o644)
            mounts.append(Mount(str((etc / file).resolve()), f"/etc/{file}"))
        self._etc = tuple(mounts)
        self._build = network.build_settings(host_index_settings())
        self._network = BuildNetwork(self._engine, image)
        self._entry = program_of_ours("entry")
        self._processors = self._engine.processors()

    def sweep(self) -> None:
        """Remove what a killed worker left: its containers and copies of trees."""
        for found in self._engine.containers(container.OURS):
            if container.is_abandoned(found.labels, time.time()):
                self._engine.remove(found.name)
        self._folders.sweep()

    def check(self) -> None:
        """Run a command to see that engine, image and build network work. Raises SandboxError."""
        with ThreadPoolExecutor(1) as executor:
            done = executor.submit(asyncio.run, self.run(_TRIAL)).result()
        if done.exit_code != 0:
            said = done.stderr.decode(errors="replace").strip()
            raise SandboxError(f"the image {self._image} cannot run a program: {said}")

    async def run(self, command: Command) -> Completed:
        """Run to the end or to a limit. See `Sandbox.run`. Raises SandboxError, ValueError."""
        layout.check_command(command)
        mounts = layout.in_mounting_order(resolved(self._build.mounts_of(command)))
        policy = FolderPolicy(by_copy=True, owner=self._given_to)
        async with (
            self._folders.prepared(mounts, policy) as laid_out,
            self._way_out(command) as connected,
        ):
            await asyncio.to_thread(make_mount_points, laid_out)
            locked = Locked(
                name=f"assay-{secrets.token_hex(8)}",
                image=self._image,
                program=self._entry,
                owner=self._owner,
                labels=container.labels(command.limits.timeout_s),
                mounts=(*self._etc, *laid_out),
                network=connected,
                limits=command.limits,
                processors=self._processors,
                scratch_bytes=command.limits.disk_mb * MEBIBYTE,
            )
            async with self._attached(locked) as attached:
                return await self._converse(command, locked, attached)

    @asynccontextmanager
    async def _way_out(self, command: Command) -> AsyncIterator[str]:
        if command.network is Network.NONE:
            yield NO_NETWORK
            return
        hosts = await network.addresses_of(self._build.hosts)
        name = f"assay-{secrets.token_hex(8)}-net"
        try:
            await _in_thread(self._network.open, name, hosts, command.limits.timeout_s)
            yield f"container:{name}"
        finally:
            await _in_thread(self._network.end, name)

    @asynccontextmanager
    async def _attached(self, locked: Locked) -> AsyncIterator[Attached]:
        """The started container's stream; when the context ends the container is gone."""
        opened: list[Attached] = []  # filled also when the task is cancelled meanwhile
        try:
            await _in_thread(self._begin, locked, opened)
            yield opened[0]
        finally:
            for attached in opened:
                attached.close()
            await _in_thread(self._engine.remove, locked.name)

    def _begin(self, locked: Locked, opened: list[Attached]) -> None:
        self._engine.create(locked)
        opened.append(self._engine.attach(locked.name))
        self._engine.start(locked.name)

    async def _converse(self, command: Command, locked: Locked, attached: Attached) -> Completed:
        overflowed = asyncio.Event()
        out, err = (HeadTail(command.limits.output_bytes) for _ in range(2))
        channel = Capped(command.channel_bytes, overflowed.set)
        frames = Frames({b"o": out, b"e": err, b"c": channel})
        disk = await asyncio.to_thread(DiskWatch.of, locked.mounts, locked.limits)
        started = time.monotonic()
        talking, passed = self._talk(command, attached, frames), self._limit_passed(locked, disk)
        killed = await first_end(talking, passed, overflowed, locked.limits.timeout_s)
        seconds = time.monotonic() - started
        if killed is None:
            # A limit that the program ran into between two looks.
            failed = frames.exit_code != 0
            if failed and await _in_thread(self._engine.ran_out_of_memory, locked.name):
                killed = Killed.MEMORY
            else:
                killed = await asyncio.to_thread(disk.passed, at_the_end=True)
        exit_code = frames.exit_code
        if exit_code is None and killed is None:
            said = frames.said() or "without a word"
            raise HostTrouble(f"A container ended before its program did: {said}.", _KILLED_TRIES)
        done = Completed(
            exit_code=None if killed else exit_code,
            stdout=out.value(),
            stderr=err.value(),
            seconds=seconds,
            killed=killed,
            truncated=out.truncated or err.truncated,
            channel=channel.value(),
        )
        if done.exit_code != 0:
            await asyncio.to_thread(disk.check)
        return done

    async def _talk(self, command: Command, attached: Attached, frames: Frames) -> None:
        loop = asyncio.get_running_loop()
        variables = layout.environment(command, self._build.variables)
        if command.channel_bytes:
            variables["ASSAY_CHANNEL_FD"] = str(CHANNEL_DESCRIPTOR)
        order = LaunchOrder(
            argv=layout.program_argv(command),
            environment=variables,
            stdin=command.stdin,
            filter=seccomp_filter() or b"",
            wants_channel=command.channel_bytes > 0,
            deadline_s=int(command.limits.timeout_s) + _SPARE_S,
        )
        sending = asyncio.create_task(loop.sock_sendall(attached.socket, launch_message(order)))
        try:
            while data := await loop.sock_recv(attached.socket, _READ_BYTES):
                frames.feed(data)
                if frames.exit_code is not None:
                    return
        except OSError as error:
            raise HostTrouble(f"The container engine broke off: {error}.", _KILLED_TRIES) from error
        finally:
            sending.cancel()
            await asyncio.gather(sending, return_exceptions=True)

    async def _limit_passed(self, locked: Locked, disk: DiskWatch) -> Killed:
        limit_bytes = locked.limits.memory_mb * MEBIBYTE
        while True:
            await asyncio.sleep(_LOOK_EVERY_S)
            if passed := await asyncio.to_thread(disk.passed):
                return passed
            if await asyncio.to_thread(self._engine.holds_more, locked.name, limit_bytes):
                return Killed.MEMORY


def open_docker(state: Path) -> DockerSandbox:
    """The driver, tried once and with what a killed worker left removed. Raises SandboxError."""
    state.mkdir(parents=True, exist_ok=True, mode=0o700)
    driver = DockerSandbox(state, os.environ.get("ASSAY_DOCKER_IMAGE") or DEFAULT_IMAGE)
    driver.check()
    driver.sweep()
    return driver
