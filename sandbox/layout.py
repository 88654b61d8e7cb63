"""What a command sees inside: bubblewrap's arguments, the generated /etc, the default environment."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path, PurePosixPath

from sandbox.base import Command, Mount, MountMode, Network
from sandbox.folders import is_overlaid
from sandbox.stage import ETC, SCRATCH, layered, staged

HOME = "/home/assay"
UID = 1000

DEFAULT_ENVIRONMENT = {
    "HOME": HOME,
    "LANG": "C.UTF-8",
    "PATH": "/usr/local/bin:/usr/bin:/bin",
    "TMPDIR": "/tmp",  # noqa: S108  the sandbox's own
}

SCRATCH_FOLDERS = ("tmp", "vartmp", "shm", "home")
SCRATCH_TARGETS = (
    ("tmp", "/tmp"),  # noqa: S108  the sandbox's own
    ("vartmp", "/var/tmp"),  # noqa: S108
    ("shm", "/dev/shm"),  # noqa: S108
    ("home", HOME),
)
_SYSTEM_FOLDERS = ("bin", "sbin", "lib", "lib32", "lib64", "libx32")
# Of the host's /etc only what programs need to start and what is the same on every machine.
_HOST_ETC = (
    "alternatives", "ca-certificates.conf", "chromium", "chromium.d", "debian_version", "fonts",
    "java-11-openjdk", "java-17-openjdk", "java-21-openjdk", "ld.so.cache", "ld.so.conf",
    "ld.so.conf.d", "localtime", "magic", "mime.types", "os-release", "perl", "protocols",
    "python3", "python3.11", "services", "shells", "ssl/certs", "ssl/openssl.cnf", "timezone",
)  # fmt: skip
# Of the host's /usr what configures it or is only its source: seen empty.
_HIDDEN = ("/usr/etc", "/usr/local/etc", "/usr/local/src", "/usr/src")
_RESERVED = ("/", "/proc", "/dev", "/etc", "/usr", "/tmp", HOME)  # noqa: S108


def passwd(uid: int, gid: int) -> str:
    """The text of /etc/passwd: root, the command's user (by its full name in commits) and nobody."""
    return (
        f"root:x:0:0:root:/root:/usr/sbin/nologin\nassay:x:{uid}:{gid}:Assay:{HOME}:/bin/sh\n"
        "nobody:x:65534:65534:nobody:/nonexistent:/usr/sbin/nologin\n"
    )


def group(gid: int) -> str:
    """The text of /etc/group."""
    return f"root:x:0:\nassay:x:{gid}:\nnogroup:x:65534:\n"


# A name with a domain, as machines of CI have: git makes an address for commits from it.
HOSTS = (
    "127.0.0.1 localhost\n127.0.1.1 sandbox.localdomain sandbox\n"
    "::1 localhost ip6-localhost ip6-loopback\n"
)
"""The text of /etc/hosts."""

_ETC = {
    "passwd": passwd(UID, UID),
    "group": group(UID),
    "hosts": HOSTS,
    "hostname": "sandbox\n",
    "nsswitch.conf": "passwd: files\ngroup: files\nhosts: files dns\n",
    "host.conf": "multi on\n",
    "machine-id": "00000000000000000000000000000001\n",
}


def generated_etc(resolver: str | None) -> tuple[tuple[str, str], ...]:
    """The files of /etc that are ours: (name, text). `resolver` is the address of the name server."""
    resolv_conf = f"nameserver {resolver}\n" if resolver else ""
    return (*_ETC.items(), ("resolv.conf", resolv_conf))


def check_command(command: Command) -> None:
    """Raise ValueError for what no program can be given, and for a target that cannot be mounted.

    That is one that is no plain absolute path, or hides the sandbox's own.
    """
    texts = [*command.argv, command.cwd, *(part for pair in command.environment for part in pair)]
    texts += [path for mount in command.mounts for path in (mount.source, mount.target)]
    if not command.argv or any("\0" in text for text in texts):
        raise ValueError("argv must not be empty, and no text may hold a NUL character")
    if not command.argv[0] or "=" in command.argv[0]:
        raise ValueError(f"a program's name cannot be empty or hold '=': {command.argv[0]!r}")
    if any(not name or "=" in name for name, _ in command.environment):
        raise ValueError("a variable's name cannot be empty or hold '='")
    for mount in command.mounts:
        target = PurePosixPath(mount.target)
        is_plain = target.is_absolute() and ".." not in target.parts
        if not is_plain or str(target) in _RESERVED or target.parts[1] in {"proc", "dev"}:
            raise ValueError(f"cannot mount at {mount.target!r}")


def program_argv(command: Command) -> tuple[str, ...]:
    """The program behind `env`, which says 127 for a missing program and 125 for a missing folder.

    It also gives back the signals that Python ignores: a program would otherwise inherit that.
    """
    return (*program_prefix(), f"--chdir={command.cwd}", "--", *command.argv)


def program_prefix() -> tuple[str, ...]:
    """How every program of ours is begun; by it a process is known as a sandbox of ours."""
    return ("/usr/bin/env", "--default-signal", "-u", "PWD")


def in_mounting_order(mounts: Iterable[Mount]) -> tuple[Mount, ...]:
    """Parents before what is mounted inside them."""
    return tuple(sorted(mounts, key=lambda mount: len(PurePosixPath(mount.target).parts)))


def environment(command: Command, build: Iterable[tuple[str, str]]) -> dict[str, str]:
    """The whole environment of the program, without the channel's variable."""
    build_defaults = dict(build) if command.network is Network.BUILD else {}
    return {**DEFAULT_ENVIRONMENT, **build_defaults, **dict(command.environment)}


def bubblewrap_options(
    command: Command, mounts: tuple[Mount, ...], variables: dict[str, str], status: int
) -> list[str]:
    """The options for `bwrap --args`; `mounts` are in the order in which they were staged."""
    options = ["--unshare-all", "--unshare-user", "--disable-userns"]
    if command.network is Network.BUILD:
        options += ["--share-net"]  # the launcher's own network, see launch._connect
    options += ["--uid", str(UID), "--gid", str(UID), "--hostname", "sandbox"]
    options += ["--die-with-parent", "--new-session", "--cap-drop", "ALL", "--clearenv"]
    options += ["--json-status-fd", str(status)]
    for name, value in variables.items():
        options += ["--setenv", name, value]
    options += ["--ro-bind", "/usr", "/usr"]
    for folder in _HIDDEN:
        if Path(folder).is_dir() and not Path(folder).is_symlink():
            options += ["--tmpfs", folder, "--remount-ro", folder]
    for name in _SYSTEM_FOLDERS:
        path = Path("/", name)
        if path.is_symlink():
            options += ["--symlink", str(path.readlink()), str(path)]
        elif path.is_dir():
            options += ["--ro-bind", str(path), str(path)]
    for folder in ("/run", "/var/lib", "/var/cache", "/opt", "/srv", "/mnt"):
        options += ["--dir", folder]
    options += ["--symlink", "/run", "/var/run"]
    for name, _ in generated_etc(None):
        options += ["--ro-bind", f"{ETC}/{name}", f"/etc/{name}"]
    for name in _HOST_ETC:
        options += ["--ro-bind-try", f"/etc/{name}", f"/etc/{name}"]
    options += ["--proc", "/proc", "--dev", "/dev"]
    # Process 1 tells how the program ended: its descriptors and its memory are out of reach.
    options += ["--tmpfs", "/proc/1", "--remount-ro", "/proc/1"]
    for folder, target in SCRATCH_TARGETS:
        options += ["--bind", f"{SCRATCH}/{folder}", target]
    for index, mount in enumerate(mounts):
        bind = "--ro-bind" if mount.mode is MountMode.READ_ONLY else "--bind"
        source = layered(index) if is_overlaid(mount) else staged(index)
        options += [bind, source, mount.target]
    return [*options, "--remount-ro", "/dev", "--remount-ro", "/", "--chdir", "/"]
