"""The Linux calls that Python 3.11 has no name for: namespaces, mounts, identity-mapped mounts.

Only the launcher uses them. Sources: man 2 unshare, mount, open_tree, move_mount, mount_setattr.
"""

from __future__ import annotations

import ctypes
import errno
import os

CLONE_NEWNS = 0x00020000
CLONE_NEWUSER = 0x10000000
CLONE_NEWNET = 0x40000000

MS_NOSUID = 0x2
MS_NODEV = 0x4
MS_REC = 0x4000
MS_PRIVATE = 0x40000

# New calls have one number on every architecture.
_SYS_OPEN_TREE = 428
_SYS_MOVE_MOUNT = 429
_SYS_MOUNT_SETATTR = 442
_AT_FDCWD = -100
_AT_EMPTY_PATH = 0x1000
_AT_RECURSIVE = 0x8000
_OPEN_TREE_CLONE = 0x1
_OPEN_TREE_CLOEXEC = os.O_CLOEXEC
_MOVE_MOUNT_F_EMPTY_PATH = 0x4
_MOUNT_ATTR_IDMAP = 0x00100000
_PR_SET_PDEATHSIG = 1
_KEYCTL_JOIN_SESSION_KEYRING = 1
# The one old call here: its number differs.
_SYS_KEYCTL = 250 if os.uname().machine == "x86_64" else 219
_PR_SET_DUMPABLE = 4
_SIGKILL = 9  # `import signal` costs 4 ms at every start

_libc = ctypes.CDLL(None, use_errno=True)
_libc.syscall.restype = ctypes.c_long


class _MountAttributes(ctypes.Structure):
    """`struct mount_attr` of mount_setattr(2)."""

    _fields_ = (
        ("attr_set", ctypes.c_uint64),
        ("attr_clr", ctypes.c_uint64),
        ("propagation", ctypes.c_uint64),
        ("userns_fd", ctypes.c_uint64),
    )


def _checked(result: int, what: str) -> int:
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{what}: {os.strerror(number)}")
    return result


def unshare(flags: int) -> None:
    """Leave the namespaces named by `flags`. Raises OSError."""
    _checked(_libc.unshare(flags), "unshare")


def mount(source: str, target: str, kind: str, flags: int, options: str = "") -> None:
    """Mount `kind` at `target`. Raises OSError."""
    arguments = (os.fsencode(part) for part in (source, target, kind))
    result = _libc.mount(*arguments, ctypes.c_ulong(flags), os.fsencode(options))
    _checked(result, f"mount {kind} at {target}")


def make_mounts_private() -> None:
    """Keep what is mounted from here on out of every other mount namespace."""
    _checked(
        _libc.mount(None, b"/", None, ctypes.c_ulong(MS_REC | MS_PRIVATE), None), "private mounts"
    )


def clone_mount(path: bytes, *, recursive: bool) -> int:
    """A detached copy of the mount at `path`, as a descriptor. Raises OSError."""
    flags = _OPEN_TREE_CLONE | _OPEN_TREE_CLOEXEC | (_AT_RECURSIVE if recursive else 0)
    result = _libc.syscall(_SYS_OPEN_TREE, _AT_FDCWD, path, ctypes.c_uint(flags))
    return _checked(int(result), f"clone mount of {path!r}")


def attach_mount(descriptor: int, target: str) -> None:
    """Put a detached mount at `target`. Raises OSError."""
    result = _libc.syscall(
        _SYS_MOVE_MOUNT,
        descriptor,
        b"",
        _AT_FDCWD,
        os.fsencode(target),
        ctypes.c_uint(_MOVE_MOUNT_F_EMPTY_PATH),
    )
    _checked(int(result), f"attach mount at {target}")


def map_mount_owner(descriptor: int, user_namespace: int) -> None:
    """Show a detached mount's files under the ids that `user_namespace` maps. Raises OSError."""
    attributes = _MountAttributes(_MOUNT_ATTR_IDMAP, 0, 0, user_namespace)
    result = _libc.syscall(
        _SYS_MOUNT_SETATTR,
        descriptor,
        b"",
        ctypes.c_uint(_AT_EMPTY_PATH),
        ctypes.byref(attributes),
        ctypes.sizeof(attributes),
    )
    _checked(int(result), "map mount owner")


def die_with_parent(parent: int) -> None:
    """Be killed when the parent ends, and end now if `parent` is already gone."""
    _checked(_libc.prctl(_PR_SET_PDEATHSIG, _SIGKILL, 0, 0, 0), "prctl")
    if os.getppid() != parent:
        os._exit(1)


def leave_keyring() -> None:
    """Start a new session keyring: the worker's would be readable inside whatever the uid."""
    result = int(_libc.syscall(_SYS_KEYCTL, _KEYCTL_JOIN_SESSION_KEYRING, None))
    if result < 0 and ctypes.get_errno() != errno.ENOSYS:  # a kernel without keys has none to leak
        _checked(result, "keyctl")


def allow_own_proc_files() -> None:
    """Let a process that dropped its uid write its own /proc/self/uid_map again."""
    _checked(_libc.prctl(_PR_SET_DUMPABLE, 1, 0, 0, 0), "prctl")


def mapped_namespace(owner: tuple[int, int], shown: tuple[int, int]) -> int:
    """A descriptor of a user namespace that maps one (uid, gid) on disk to the (uid, gid) shown.

    Needs root in the first user namespace. Raises OSError.
    """
    ready, tell = os.pipe()
    hold, release = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            os.close(release)
            unshare(CLONE_NEWUSER)
            os.write(tell, b"1")
            os.read(hold, 1)
        finally:
            os._exit(1)
    os.close(tell)
    try:
        os.read(ready, 1)
        for name, on_disk, outside in zip(("uid_map", "gid_map"), owner, shown, strict=True):
            with open(f"/proc/{child}/{name}", "w", encoding="ascii") as file:
                file.write(f"{on_disk} {outside} 1\n")
        return os.open(f"/proc/{child}/ns/user", os.O_RDONLY | os.O_CLOEXEC)
    finally:
        for descriptor in (ready, hold, release):
            os.close(descriptor)
        os.waitpid(child, 0)
