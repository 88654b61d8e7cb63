"""Prepares namespaces and mounts for one command, then becomes bubblewrap.

Runs as its own short-lived process, so that nothing here touches the worker's mounts or ids:

1. As root: show every mounted host folder under an unprivileged id (identity-mapped mounts), then
   become that id for good. A plain user keeps its own id.
2. In an own user namespace: mount the sized scratch memory and the copy-on-write trees.
3. For a build: an own network namespace with user-mode networking (slirp4netns) round it.
4. Set the resource limits and `exec` bubblewrap, which takes away what is left.

Everything is staged under /tmp of a private mount namespace, so the host sees no mount and nothing
is left over when the last process ends, however it ends.
"""

from __future__ import annotations

import json
import os
import resource
import socket
import sys
from dataclasses import asdict, dataclass
from pathlib import Path

from sandbox import kernel

STAGE = "/tmp"  # noqa: S108  covered by an own tmpfs in a private mount namespace
SCRATCH = f"{STAGE}/scratch"
ETC = f"{STAGE}/etc"
_QUIET = kernel.MS_NOSUID | kernel.MS_NODEV
CHANNEL_DESCRIPTOR = 9  # one digit: `echo >&10` is an error in a POSIX shell
_NOT_MAPPABLE = "not-mappable"


@dataclass(frozen=True, slots=True)
class StagedMount:
    """One host folder or file to stage; `overlay` puts a copy-on-write layer above it."""

    source: str
    overlay: bool
    map_owner: bool


@dataclass(frozen=True, slots=True)
class LaunchPlan:
    """All that the launcher does, decided beforehand by the driver; travels as JSON.

    `drop_to` is the uid and gid that root becomes, None for a plain user. `rlimits` are pairs of
    (resource number, value). `slirp` is the argv without the namespace's path and descriptors;
    empty for no network. `routes` are netlink messages in hex. `channel` is the private pipe, if any.
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
    routes: tuple[str, ...]
    channel: int | None
    argv: tuple[str, ...]

    def to_json(self) -> str:
        """One line of JSON; file names that are no UTF-8 survive as surrogates."""
        return json.dumps(asdict(self))


def plan_from_json(text: str) -> LaunchPlan:
    """Read what `to_json` wrote."""
    raw = json.loads(text)
    mounts = tuple(StagedMount(**mount) for mount in raw.pop("mounts"))
    etc = tuple((name, content) for name, content in raw.pop("etc"))
    rlimits = tuple((number, value) for number, value in raw.pop("rlimits"))
    return LaunchPlan(mounts=mounts, etc=etc, rlimits=rlimits, **raw)


def staged(index: int) -> str:
    """Where mount number `index` stands on the stage, ready to be bound."""
    return f"{STAGE}/m{index}"


def layered(index: int) -> str:
    """Where the copy-on-write view of mount number `index` stands on the stage."""
    return f"{STAGE}/o{index}"


def _make_stage(plan: LaunchPlan, clones: list[int]) -> None:
    kernel.mount("stage", STAGE, "tmpfs", _QUIET, "mode=755,size=4m,nr_inodes=4096")
    for folder in (SCRATCH, ETC):
        Path(folder).mkdir(mode=0o755)
    for name, text in plan.etc:
        (Path(ETC) / name).write_text(text)
    for index, (clone, mount) in enumerate(zip(clones, plan.mounts, strict=True)):
        if Path(mount.source).is_dir():
            Path(staged(index)).mkdir(mode=0o755)
            Path(layered(index)).mkdir(mode=0o755)
        else:
            Path(staged(index)).touch()
        kernel.attach_mount(clone, staged(index))
        os.close(clone)


def _clone_mapped(mount: StagedMount, shown: int, namespaces: dict[tuple[int, int], int]) -> int:
    """Clone one mount so that its owner's files belong to `shown`."""
    if not mount.map_owner:
        return kernel.clone_mount(mount.source, recursive=True)
    status = os.stat(mount.source)  # noqa: PTH116  follows the link that the mount follows
    owner = (status.st_uid, status.st_gid)
    if owner not in namespaces:
        namespaces[owner] = kernel.mapped_namespace(owner, (shown, shown))
    clone = kernel.clone_mount(mount.source, recursive=False)
    try:
        kernel.map_mount_owner(clone, namespaces[owner])
    except OSError as error:
        raise OSError(error.errno, f"{_NOT_MAPPABLE} {mount.source}: {error}") from error
    return clone


def _stage_as_root(plan: LaunchPlan, shown: int) -> None:
    kernel.unshare(kernel.CLONE_NEWNS)
    kernel.make_mounts_private()
    namespaces: dict[tuple[int, int], int] = {}
    clones = [_clone_mapped(mount, shown, namespaces) for mount in plan.mounts]
    for namespace in namespaces.values():
        os.close(namespace)
    _make_stage(plan, clones)
    os.setgroups([])
    os.setresgid(shown, shown, shown)
    os.setresuid(shown, shown, shown)
    kernel.allow_own_proc_files()
    kernel.die_with_parent(plan.parent)  # a change of uid clears it
    _become_root_of_own_namespace()


def _stage_as_user(plan: LaunchPlan) -> None:
    _become_root_of_own_namespace()
    clones = [kernel.clone_mount(mount.source, recursive=True) for mount in plan.mounts]
    _make_stage(plan, clones)


def _become_root_of_own_namespace() -> None:
    uid, gid = os.getuid(), os.getgid()
    kernel.unshare(kernel.CLONE_NEWUSER | kernel.CLONE_NEWNS)
    Path("/proc/self/setgroups").write_text("deny")
    Path("/proc/self/uid_map").write_text(f"0 {uid} 1\n")
    Path("/proc/self/gid_map").write_text(f"0 {gid} 1\n")
    kernel.make_mounts_private()


def _mount_scratch(plan: LaunchPlan) -> None:
    options = f"mode=755,size={plan.scratch_bytes},nr_inodes={plan.scratch_inodes}"
    kernel.mount("scratch", SCRATCH, "tmpfs", _QUIET, options)
    for name in plan.scratch_folders:
        (Path(SCRATCH) / name).mkdir(mode=0o755)
    for index, mount in enumerate(plan.mounts):
        if mount.overlay:
            _mount_overlay(index)


def _mount_overlay(index: int) -> None:
    upper, work = f"{SCRATCH}/upper{index}", f"{SCRATCH}/working{index}"
    Path(upper).mkdir(mode=0o755)
    Path(work).mkdir(mode=0o755)
    options = f"lowerdir={staged(index)},upperdir={upper},workdir={work},userxattr"
    kernel.mount("overlay", layered(index), "overlay", _QUIET, options)


def _connect(plan: LaunchPlan) -> None:
    """Give the command an own network whose only way out is slirp4netns. Raises OSError."""
    ready, tell_ready = os.pipe()
    wait_for_namespace, tell_namespace = os.pipe()
    log = os.memfd_create("slirp4netns")
    parent = os.getpid()
    if os.fork() == 0:
        try:
            kernel.die_with_parent(parent)
            os.read(wait_for_namespace, 1)
            _become_slirp(plan, parent, tell_ready, log)
        finally:
            os._exit(127)
    kernel.unshare(kernel.CLONE_NEWNET)
    os.write(tell_namespace, b"1")
    os.close(tell_ready)
    if not os.read(ready, 1):
        raise OSError(0, f"slirp4netns did not start: {os.pread(log, 2000, 0)!r}")
    for descriptor in (ready, wait_for_namespace, tell_namespace, log):
        os.close(descriptor)
    _add_routes(plan)


def _become_slirp(plan: LaunchPlan, namespace_of: int, ready: int, log: int) -> None:
    """Keep nothing of the command's own descriptors: its pipes must close when it ends."""
    nothing = os.open(os.devnull, os.O_RDWR)
    for descriptor, target in ((nothing, 0), (log, 1), (log, 2), (ready, 3)):
        os.dup2(descriptor, target)
    os.closerange(4, 65536)
    arguments = ["--ready-fd=3", "--netns-type=path", f"/proc/{namespace_of}/ns/net", "tap0"]
    os.execve(plan.slirp[0], [*plan.slirp, *arguments], {"PATH": "/usr/bin:/bin"})  # noqa: S606


def _add_routes(plan: LaunchPlan) -> None:
    with socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, socket.NETLINK_ROUTE) as link:
        link.bind((0, 0))
        for message in plan.routes:
            link.send(bytes.fromhex(message))
            # struct nlmsghdr is 16 bytes, then the (negative) error number of the answer.
            error = int.from_bytes(link.recv(4096)[16:20], sys.byteorder, signed=True)
            if error:
                raise OSError(-error, f"route {message}: {os.strerror(-error)}")


def launch(plan: LaunchPlan) -> None:
    """Carry out the plan; returns only by raising OSError."""
    kernel.die_with_parent(plan.parent)
    for procs in plan.cgroups:
        Path(procs).write_text(str(os.getpid()))
    if plan.drop_to is None:
        _stage_as_user(plan)
    else:
        _stage_as_root(plan, plan.drop_to)
    _mount_scratch(plan)
    if plan.slirp:
        _connect(plan)
    for number, value in plan.rlimits:
        hard = resource.getrlimit(number)[1]
        allowed = value if hard == resource.RLIM_INFINITY else min(value, hard)
        resource.setrlimit(number, (allowed, allowed))
    if plan.channel is not None:
        os.dup2(plan.channel, CHANNEL_DESCRIPTOR)
        os.close(plan.channel)
    os.execve(plan.argv[0], plan.argv, {})  # noqa: S606


def main() -> None:
    """Read the plan from the descriptor argv[1]; report a failure on the descriptor argv[2]."""
    plan_descriptor, status = int(sys.argv[1]), int(sys.argv[2])
    with os.fdopen(plan_descriptor, "rb") as file:
        file.seek(0)
        plan = plan_from_json(file.read().decode())
    try:
        launch(plan)
    except OSError as error:
        os.write(status, json.dumps({"launch-error": str(error)}).encode() + b"\n")
        sys.exit(1)
