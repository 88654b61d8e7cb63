"""The bubblewrap driver: one fresh set of namespaces for every command, about 30 ms a start.

How a command is put together: `layout` says what it sees, `launch` prepares mounts and network in
a process of its own and becomes bubblewrap, `process` waits for it and kills it, `streams` reads
it, `limits` keeps it within bounds, `folders` cleans what it left.
"""

from __future__ import annotations

import asyncio
import marshal
import os
import resource
import secrets
import select
import shutil
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, suppress
from dataclasses import asdict, dataclass
from pathlib import Path

from sandbox import layout, network
from sandbox.base import Command, Completed, Killed, Limits, Mount, MountMode, Network, SandboxError
from sandbox.bubblewrap.process import ProcessStreams, ProcessTree, memory_file
from sandbox.bubblewrap.selfcheck import as_root, no_build_network, ways_out
from sandbox.folders import FolderPolicy, Folders, is_overlaid, resolved
from sandbox.index import host_index_settings
from sandbox.layout import program_prefix
from sandbox.limits import (
    MEBIBYTE,
    DiskWatch,
    MemoryGroup,
    TreeMemory,
    find_group_parent,
    first_end,
    limit_reached,
)
from sandbox.seccomp import seccomp_filter
from sandbox.stage import CHANNEL_DESCRIPTOR, NOT_MAPPABLE

# Above every range that systemd and /etc/subuid hand out (systemd: UIDS-GIDS.md); one for each
# command, so that RLIMIT_NPROC counts that command alone.
_FIRST_UID = 0x7000_0000
_UIDS = 1 << 24

# `sandbox` is entered without its __init__, whose imports would cost 30 ms a start.
_BOOT = (
    "import sys; package = type(sys)('sandbox'); "
    "package.__path__ = [sys.argv.pop(1)]; sys.modules['sandbox'] = package; "
    "from sandbox.bubblewrap.launch import main; main()"
)
_DRAIN_TIMEOUT_S = 2.0
_TRIAL = Command(
    ("true",),
    (Mount("/usr/share/dpkg", "/trial", MountMode.COPY_ON_WRITE),),
    cwd="/",
    limits=Limits(20),
)
_BUILD_TRIAL = Command(("true",), cwd="/", network=Network.BUILD, limits=Limits(20))
# Scratch space is memory: however large the limit, one command gets at most this part of what is free.
_SCRATCH_PART_OF_FREE_MEMORY = 0.5


# --- what the launcher is told: decided here, carried out without a decision ----------------------


@dataclass(frozen=True, slots=True)
class StagedMount:
    """One host folder or file to stage; `overlay` puts a copy-on-write layer above it."""

    source: bytes
    is_folder: bool
    overlay: bool
    map_owner: bool


@dataclass(frozen=True, slots=True)
class LaunchPlan:
    """All that the launcher does.

    `drop_to` is the uid and gid that root becomes, None for a plain user. `rlimits` are pairs of
    (resource number, value). `slirp` is the argv without the namespace's path and descriptors,
    empty for no network. `routes` are netlink messages. `cgroups` are `cgroup.procs` files to
    enter. `channel` is the descriptor of the private pipe, if any.
    """

    parent: int
    drop_to: int | None
    mounts: tuple[StagedMount, ...]
    scratch_bytes: int
    scratch_inodes: int
    scratch_folders: tuple[str, ...]
    etc: tuple[tuple[str, str], ...]
    cgroups: tuple[str, ...]
    rlimits: tuple[tuple[int, int], ...]
    slirp: tuple[str, ...]
    routes: tuple[bytes, ...]
    channel: int | None
    argv: tuple[bytes, ...]

    def to_bytes(self) -> bytes:
        """For `launch.read_plan` in the same interpreter; marshal needs no import that costs time."""
        return marshal.dumps(asdict(self))


# --- the driver ------------------------------------------------------------------------------------


def _program(name: str, package: str) -> str:
    path = shutil.which(name, path="/usr/bin:/bin:/usr/local/bin:/usr/sbin:/sbin")
    if path is None:
        raise SandboxError(f"{name} is not installed", as_root(f"apt-get install {package}"))
    return path


@dataclass(frozen=True, slots=True)
class _Prepared:
    """A command made ready to start: mounts in mounting order, its id, way out and memory group."""

    command: Command
    mounts: tuple[Mount, ...]
    uid: int | None
    routes: tuple[bytes, ...]
    group: MemoryGroup | None


class BubblewrapSandbox:
    """Runs commands by bubblewrap in mount, user, PID, IPC, UTS and network namespaces."""

    name = "bubblewrap"

    def __init__(self, state: Path, *, copies: bool = False, cgroups: bool = True) -> None:
        """`state` is a folder of ours.

        `copies` does without overlays and mapped owners, as an old kernel must: it copies trees,
        and root gives writable folders away for the time of a command. `cgroups=False` sums the
        processes' memory instead.

        Raises SandboxError when bubblewrap or slirp4netns is missing.
        """
        self._bwrap = _program("bwrap", "bubblewrap")
        self._slirp = network.slirp_argv(_program("slirp4netns", "slirp4netns"))
        self._folders = Folders(state / "copies")
        self._by_copy = copies
        self._is_root = os.geteuid() == 0
        self._maps_owners = self._is_root and not copies
        own = Path("/proc/self/cgroup").read_text()
        self._groups = find_group_parent(own, Path("/sys/fs/cgroup")) if cgroups else None
        self._build = network.build_settings(host_index_settings())

    def sweep(self) -> None:
        """Remove what a killed worker left: processes, copies of trees and empty cgroups."""
        end_orphans(self._bwrap)
        self._folders.sweep()
        if self._groups:
            self._groups.sweep()

    def check(self) -> None:
        """Run a command, and one with the build network; learns to copy where overlays fail.

        Blocks for as long as both take, a tenth of a second. Raises SandboxError with the way out.
        """
        self._check_process()
        try:
            self._run_apart(_BUILD_TRIAL)
        except SandboxError as error:
            raise no_build_network(error) from error

    def _check_process(self) -> None:
        try:
            self._run_apart(_TRIAL)
        except SandboxError as error:
            if "overlay" in str(error) and not self._by_copy:
                self._by_copy = True
                self._check_process()
                return
            what = f"bubblewrap does not work: {error}"
            if ways := " && ".join(map(as_root, ways_out())):
                raise SandboxError(what, ways) from error
            raise SandboxError(f"{what} (user namespaces must be allowed here)") from error

    def _run_apart(self, command: Command) -> Completed:
        # In a thread: the caller may already be inside an event loop.
        with ThreadPoolExecutor(1) as executor:
            return executor.submit(asyncio.run, self.run(command)).result()

    async def run(self, command: Command) -> Completed:
        """Run to the end or to a limit. See `Sandbox.run`. Raises SandboxError, ValueError."""
        layout.check_command(command)
        try:
            return await self._run(command)
        except SandboxError as error:
            if NOT_MAPPABLE not in str(error) or not self._maps_owners:
                raise
            # A file system without identity-mapped mounts: change owners and copy instead.
            self._maps_owners, self._by_copy = False, True
            return await self._run(command)

    async def _run(self, command: Command) -> Completed:
        uid = _FIRST_UID + secrets.randbelow(_UIDS) if self._is_root else None
        mounts = layout.in_mounting_order(resolved(self._build.mounts_of(command)))
        policy = FolderPolicy(self._by_copy, None if self._maps_owners else uid)
        way_out: tuple[bytes, ...] = ()
        if command.network is not Network.NONE:
            way_out = network.routes(await network.addresses_of(self._build.hosts))
        async with self._folders.prepared(mounts, policy) as laid_out:
            with ExitStack() as closing:
                try:
                    group = self._groups.group(command.limits) if self._groups else None
                except OSError as error:
                    raise SandboxError(f"cannot make a memory cgroup: {error}") from error
                if group:
                    closing.callback(group.remove)
                prepared = _Prepared(command, laid_out, uid, way_out, group)
                return await self._run_prepared(prepared, closing)

    async def _run_prepared(self, prepared: _Prepared, closing: ExitStack) -> Completed:
        command, group, overflowed = prepared.command, prepared.group, asyncio.Event()
        limits, streams = command.limits, ProcessStreams(command, overflowed.set, closing)
        disk = await asyncio.to_thread(DiskWatch.of, prepared.mounts, limits)
        started = time.monotonic()
        process = self._start(prepared, streams, closing)
        async with ProcessTree(process, streams.status) as tree:
            most = limits.memory_mb * MEBIBYTE
            passed = limit_reached(group or TreeMemory(tree.pid, most), most, disk)
            killed = await first_end(tree.ended(), passed, overflowed, limits.timeout_s)
        seconds = time.monotonic() - started
        await streams.drained(_DRAIN_TIMEOUT_S)
        if killed is None and overflowed.is_set():
            killed = Killed.CHANNEL
        if killed is None:
            killed = await asyncio.to_thread(disk.passed, at_the_end=True)
        if killed is None and group and streams.status.exit_code() != 0 and group.ran_out():
            killed = Killed.MEMORY  # the kernel killed for it, and the program did not end well
        done = streams.completed(killed, seconds)
        if done.exit_code != 0:
            await asyncio.to_thread(disk.check)
        return done

    def _start(
        self, prepared: _Prepared, streams: ProcessStreams, closing: ExitStack
    ) -> subprocess.Popen[bytes]:
        command = prepared.command
        variables = layout.environment(command, self._build.variables)
        if streams.channel_end is not None:
            variables["ASSAY_CHANNEL_FD"] = str(CHANNEL_DESCRIPTOR)
        options = layout.bubblewrap_options(command, prepared.mounts, variables, streams.status_end)
        keep = []
        if (rules := seccomp_filter()) is not None:
            keep.append(memory_file("seccomp", rules, closing))
            options += ["--seccomp", str(keep[-1])]
        arguments = memory_file("bwrap", os.fsencode("\0".join(options) + "\0"), closing)
        bwrap = (self._bwrap, "--args", str(arguments), "--", *layout.program_argv(command))
        plan = memory_file(
            "plan", self._plan(prepared, bwrap, streams.channel_end).to_bytes(), closing
        )
        stdin = memory_file("stdin", command.stdin, closing)
        python = os.path.realpath(sys.executable)
        launcher = [python, "-I", "-S", "-c", _BOOT, str(Path(__file__).parents[1])]
        launcher += [str(plan), str(streams.status_end)]
        return streams.start(launcher, stdin, (arguments, plan, *keep))

    def _plan(self, prepared: _Prepared, bwrap: tuple[str, ...], channel: int | None) -> LaunchPlan:
        limits, group = prepared.command.limits, prepared.group
        connected = prepared.command.network is Network.BUILD
        own_processes = 4  # bubblewrap outside and inside, slirp4netns, env
        free = os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
        for line in Path("/proc/meminfo").read_text().splitlines():
            if line.startswith("MemAvailable:"):
                free = int(line.split()[1]) * 1024
        return LaunchPlan(
            parent=os.getpid(),
            drop_to=prepared.uid,
            mounts=tuple(
                StagedMount(
                    source=os.fsencode(mount.source),
                    is_folder=Path(mount.source).is_dir(),
                    overlay=is_overlaid(mount),
                    map_owner=self._maps_owners,
                )
                for mount in prepared.mounts
            ),
            scratch_bytes=min(limits.disk_mb * MEBIBYTE, int(free * _SCRATCH_PART_OF_FREE_MEMORY)),
            scratch_inodes=limits.entries,
            scratch_folders=layout.SCRATCH_FOLDERS,
            etc=layout.generated_etc(network.RESOLVER if connected else None),
            cgroups=(group.procs,) if group else (),
            rlimits=(
                (resource.RLIMIT_NPROC, limits.processes + own_processes),
                (resource.RLIMIT_FSIZE, limits.file_size_mb * MEBIBYTE),
                (resource.RLIMIT_CORE, 0),
                (resource.RLIMIT_NOFILE, 65536),
            ),
            slirp=self._slirp if connected else (),
            routes=prepared.routes,
            channel=channel,
            argv=tuple(map(os.fsencode, bwrap)),
        )


def open_bubblewrap(state: Path) -> BubblewrapSandbox:
    """The driver, tried once and with what a killed worker left removed. Raises SandboxError."""
    state.mkdir(parents=True, exist_ok=True, mode=0o700)
    driver = BubblewrapSandbox(state)
    driver.check()
    driver.sweep()
    return driver


# --- ends what a killed worker left running: an init whose bubblewrap died before it could notice ---


_DEATH_TIMEOUT_S = 5.0


def end_orphans(bwrap: str) -> int:
    """Kill the inits of this user's sandboxes that have lost their `bwrap`; returns how many."""
    ended = 0
    for process in Path("/proc").glob("[0-9]*"):
        if not _is_orphan(process, bwrap):
            continue
        with suppress(OSError):  # gone since, or another user's
            pidfd = os.pidfd_open(int(process.name))
            try:
                # Asked again: the number may be another process's by now, the descriptor cannot.
                if _is_orphan(process, bwrap):
                    signal.pidfd_send_signal(pidfd, signal.SIGKILL)
                    select.select([pidfd], [], [], _DEATH_TIMEOUT_S)
                    ended += 1
            finally:
                os.close(pidfd)
    return ended


def _is_orphan(process: Path, bwrap: str) -> bool:
    """Tell whether it is a sandbox's init with a parent that is no `bwrap` (it was adopted)."""
    try:
        if not _is_ours(process, bwrap):
            return False
        status = dict(
            line.split(":\t", 1) for line in (process / "status").read_text().splitlines()
        )
        is_init = status["NSpid"].split()[1:] == ["1"]
        return is_init and not _is_ours(process.parent / status["PPid"], bwrap)
    except (OSError, KeyError, ValueError):
        return False


def _is_ours(process: Path, bwrap: str) -> bool:
    argv = (process / "cmdline").read_bytes().split(b"\0")
    wanted = [os.fsencode(word) for word in program_prefix()]
    return argv[:2] == [os.fsencode(bwrap), b"--args"] and argv[4 : 4 + len(wanted)] == wanted
