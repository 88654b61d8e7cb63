"""Prepares namespaces and mounts for one command, then becomes bubblewrap.

Runs as its own short-lived process, so that nothing here touches the worker's mounts or ids:

1. As root: show every mounted host folder under an unprivileged id (identity-mapped mounts), then
   become that id for good. A plain user keeps its own id.
2. In an own user namespace: mount the sized scratch memory and the copy-on-write trees.
3. For a build: an own network namespace with user-mode networking (slirp4netns) round it, and as
   root an own device node for it, since only udev lets others than root open the host's.
4. Set the resource limits and `exec` bubblewrap, which takes away what is left.

Everything is staged under /tmp of a private mount namespace, so the host sees no mount and nothing
is left over when the last process ends, however it ends. Every import here is paid for at each
start of a command: `pathlib`, `json`, `socket` and `dataclasses` together cost 30 ms.
"""

from __future__ import annotations

import _socket
import marshal
import os
import resource
import stat
import sys

from sandbox.bubblewrap import kernel
from sandbox.stage import (
    CHANNEL_DESCRIPTOR,
    ETC,
    LAUNCH_ERROR,
    NOT_MAPPABLE,
    SCRATCH,
    STAGE,
    layered,
    staged,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from sandbox.bubblewrap.driver import LaunchPlan, StagedMount

_QUIET = kernel.MS_NOSUID | kernel.MS_NODEV
_TUN = "/dev/net/tun"
_TUN_NUMBER = os.makedev(10, 200)  # Documentation/admin-guide/devices.txt
_OPEN_TO_ALL = 0o666
_NLMSG_ERROR_AT = slice(16, 20)  # after struct nlmsghdr: the negative error number of the answer


def read_plan(descriptor: int) -> LaunchPlan:
    """Read what `LaunchPlan.to_bytes` wrote; the fields are there, the class is not (its import)."""
    with open(descriptor, "rb") as file:
        raw = marshal.loads(file.read())  # noqa: S302  written by the driver into a memory file
    namespace = type(sys.implementation)
    raw["mounts"] = [namespace(**mount) for mount in raw["mounts"]]
    plan: Any = namespace(**raw)
    return plan  # type: ignore[no-any-return]


def _write(path: str, text: str) -> None:
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


def _make_stage(plan: LaunchPlan, clones: list[int]) -> None:
    kernel.mount("stage", STAGE, "tmpfs", _QUIET, "mode=755,size=4m,nr_inodes=4096")
    for folder in (SCRATCH, ETC):
        os.mkdir(folder, mode=0o755)
    for name, text in plan.etc:
        _write(f"{ETC}/{name}", text)
    for index, (clone, mount) in enumerate(zip(clones, plan.mounts, strict=True)):
        if mount.is_folder:
            os.mkdir(staged(index), mode=0o755)
            os.mkdir(layered(index), mode=0o755)
        else:
            _write(staged(index), "")
        kernel.attach_mount(clone, staged(index))
        os.close(clone)


def _clone_mapped(mount: StagedMount, shown: int, namespaces: dict[tuple[int, int], int]) -> int:
    """Clone one mount so that its owner's files belong to `shown`."""
    if not mount.map_owner:
        return kernel.clone_mount(mount.source, recursive=True)
    status = os.stat(mount.source)
    owner = (status.st_uid, status.st_gid)
    if owner not in namespaces:
        namespaces[owner] = kernel.mapped_namespace(owner, (shown, shown))
    clone = kernel.clone_mount(mount.source, recursive=False)
    try:
        kernel.map_mount_owner(clone, namespaces[owner])
    except OSError as error:
        raise OSError(error.errno, f"{NOT_MAPPABLE} {mount.source!r}: {error}") from error
    return clone


def _stage_as_root(plan: LaunchPlan, shown: int) -> None:
    kernel.unshare(kernel.CLONE_NEWNS)
    kernel.make_mounts_private()
    namespaces: dict[tuple[int, int], int] = {}
    clones = [_clone_mapped(mount, shown, namespaces) for mount in plan.mounts]
    for namespace in namespaces.values():
        os.close(namespace)
    _make_stage(plan, clones)
    if plan.slirp:
        _bring_tun()
    os.setgroups([])
    os.setresgid(shown, shown, shown)
    os.setresuid(shown, shown, shown)
    kernel.allow_own_proc_files()
    kernel.die_with_parent(plan.parent)  # a change of uid clears it
    _become_root_of_own_namespace()


def _bring_tun() -> None:
    """Lay a device node that the unprivileged id may open over the host's, in our mounts alone."""
    try:
        if os.stat(_TUN).st_mode & _OPEN_TO_ALL == _OPEN_TO_ALL:
            return
        kernel.mount("net", os.path.dirname(_TUN), "tmpfs", kernel.MS_NOSUID, "mode=755,size=64k")
        os.mknod(_TUN, stat.S_IFCHR | _OPEN_TO_ALL, _TUN_NUMBER)
        os.chmod(_TUN, _OPEN_TO_ALL)
    except OSError as error:
        raise OSError(
            error.errno, f"no device node {_TUN} for the build network: {error}"
        ) from error


def _become_root_of_own_namespace() -> None:
    uid, gid = os.getuid(), os.getgid()
    kernel.unshare(kernel.CLONE_NEWUSER | kernel.CLONE_NEWNS)
    _write("/proc/self/setgroups", "deny")
    _write("/proc/self/uid_map", f"0 {uid} 1\n")
    _write("/proc/self/gid_map", f"0 {gid} 1\n")
    kernel.make_mounts_private()


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
            # Nothing of the command's own descriptors is kept: its pipes must close when it ends.
            nothing = os.open(os.devnull, os.O_RDWR)
            for kept, target in ((nothing, 0), (log, 1), (log, 2), (tell_ready, 3)):
                os.dup2(kept, target)
            os.closerange(4, 65536)
            command = (*plan.slirp, "--ready-fd=3", "--netns-type=path", f"/proc/{parent}/ns/net")
            os.execve(command[0], (*command, "tap0"), {"PATH": "/usr/bin:/bin"})  # noqa: S606
        finally:
            os._exit(127)
    kernel.unshare(kernel.CLONE_NEWNET)
    os.write(tell_namespace, b"1")
    os.close(tell_ready)
    if not os.read(ready, 1):
        raise OSError(0, f"slirp4netns did not start: {os.pread(log, 2000, 0)!r}")
    for descriptor in (ready, wait_for_namespace, tell_namespace, log):
        os.close(descriptor)
    link = _socket.socket(_socket.AF_NETLINK, _socket.SOCK_RAW, _socket.NETLINK_ROUTE)
    link.bind((0, 0))
    for message in plan.routes:
        link.send(message)
        answer = link.recv(4096)
        error = int.from_bytes(answer[_NLMSG_ERROR_AT], sys.byteorder, signed=True)
        if error:
            raise OSError(-error, f"route {message.hex()}: {os.strerror(-error)}")
    link.close()


def launch(plan: LaunchPlan) -> None:
    """Carry out the plan; returns only by raising OSError."""
    kernel.die_with_parent(plan.parent)
    kernel.leave_keyring()
    for procs in plan.cgroups:
        _write(procs, str(os.getpid()))
    if plan.drop_to is None:
        _become_root_of_own_namespace()
        clones = [kernel.clone_mount(one.source, recursive=True) for one in plan.mounts]
        _make_stage(plan, clones)
    else:
        _stage_as_root(plan, plan.drop_to)
    options = f"mode=755,size={plan.scratch_bytes},nr_inodes={plan.scratch_inodes}"
    kernel.mount("scratch", SCRATCH, "tmpfs", _QUIET, options)
    for name in plan.scratch_folders:
        os.mkdir(f"{SCRATCH}/{name}", mode=0o755)
    for index, mount in enumerate(plan.mounts):
        if mount.overlay:
            upper, work = f"{SCRATCH}/upper{index}", f"{SCRATCH}/working{index}"
            os.mkdir(upper, mode=0o755)
            os.mkdir(work, mode=0o755)
            options = f"lowerdir={staged(index)},upperdir={upper},workdir={work},userxattr"
            kernel.mount("overlay", layered(index), "overlay", _QUIET, options)
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
    plan = read_plan(int(sys.argv[1]))
    try:
        launch(plan)
    except OSError as error:
        text = str(error).translate({ord(mark): " " for mark in '"\\\n\t'})
        os.write(int(sys.argv[2]), f'{{"{LAUNCH_ERROR}": "{text}"}}\n'.encode(errors="replace"))
        sys.exit(1)
