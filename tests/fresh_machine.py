"""A Debian 12 that nobody prepared: own mounts, processes and devices; the network is this machine's.

What this machine needs to reach its package indexes is given on: variables, pip's and apt's files,
certificates. `pivot_root` and not `chroot`: a process whose root was changed may make no user namespace.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from sandbox.index import host_index_settings
from tests.docker_engine import CACHE, debian_archive

ROOT = Path(__file__).parents[1]
DOWNLOADS = CACHE.parent / "fresh"
USER, UID = "mara", "1000"
_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
_PASSED_ON = ("PIP_", "UV_", "NPM_CONFIG_", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY")
_NOT_PASSED_ON = ("PIP_CONFIG_FILE", "PIP_NO_CACHE_DIR", "PIP_CACHE_DIR")
_CA_VARIABLES = (
    "SSL_CERT_FILE",
    "REQUESTS_CA_BUNDLE",
    "CURL_CA_BUNDLE",
    "NODE_EXTRA_CA_CERTS",
    "GIT_SSL_CAINFO",
)
# $1: the new root, $2: the mode of /dev/net/tun, $3: a file of folders to show there read-only,
# $4: a folder that keeps what apt and root's pip have downloaded.
_ENTER = """
root=$1 tun=$2 shown=$3 downloads=$4; shift 4
mount --make-rprivate /
mount --bind "$root" "$root"
mount -t proc proc "$root/proc"
mount --rbind /sys "$root/sys"
mount -t tmpfs -o mode=755 dev "$root/dev"
mkdir "$root/dev/net" "$root/dev/pts" "$root/dev/shm"
while read name minor; do mknod -m 666 "$root/dev/$name" c 1 "$minor"; done <<END
null 3
zero 5
full 7
random 8
urandom 9
END
mknod -m 666 "$root/dev/tty" c 5 0
mknod -m "$tun" "$root/dev/net/tun" c 10 200
mount -t devpts -o newinstance,ptmxmode=0666 devpts "$root/dev/pts"
ln -s pts/ptmx "$root/dev/ptmx"
mount -t tmpfs -o mode=1777 shm "$root/dev/shm"
ln -s /proc/self/fd "$root/dev/fd"
while read path; do
    mkdir -p "$root$path"
    mount --bind "$path" "$root$path"
    mount -o remount,bind,ro "$root$path"
done <"$shown"
mkdir -p "$root/root/.cache/pip" "$downloads/pip" "$downloads/apt"
mount --bind "$downloads/pip" "$root/root/.cache/pip"
mount --bind "$downloads/apt" "$root/var/cache/apt/archives"
cd "$root"
mkdir -p old
umount=$(command -v umount)  # the new system has none
pivot_root . old
"/old$umount" -l /old
cd /
exec "$@"
"""


@dataclass(frozen=True, slots=True)
class FreshMachine:
    """The system's files below `root`; every `run` has its own processes and devices."""

    root: Path
    shown: Path

    def run(
        self, script: str, user: str = "root", tun_mode: str = "0600", timeout_s: float = 2700
    ) -> subprocess.CompletedProcess[str]:
        """Run a shell script there as somebody who has just logged in."""
        home = "/root" if user == "root" else f"/home/{user}"
        variables = {**_variables(), "HOME": home, "PATH": _PATH, "USER": user, "LC_ALL": "C.UTF-8"}
        apart = ("unshare", "--mount", "--pid", "--ipc", "--fork", "--kill-child")
        places = (str(self.root), tun_mode, str(self.shown), str(DOWNLOADS))
        enter = ("sh", "-euc", _ENTER, "sh", *places)
        become = (
            ()
            if user == "root"
            else ("setpriv", f"--reuid={user}", f"--regid={user}", "--init-groups")
        )
        named = (f"{name}={value}" for name, value in variables.items())
        return subprocess.run(
            [*apart, *enter, *become, "env", "-i", *named, "sh", "-euc", f"cd; {script}"],
            env={"PATH": _PATH},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=timeout_s,
            check=False,
        )

    def checked(self, script: str) -> None:
        """Prepare something as root; it must work."""
        done = self.run(script)
        assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]


def _variables() -> dict[str, str]:
    given = {n: v for n, v in os.environ.items() if n.upper().startswith(_PASSED_ON)}
    given |= {name: os.environ[name] for name in _CA_VARIABLES if name in os.environ}
    return {name: value for name, value in given.items() if name not in _NOT_PASSED_ON}


@contextmanager
def fresh_machine() -> Iterator[FreshMachine]:
    """A system with git, make, python3 and ca-certificates, and no more. Raises NoEngine."""
    place = ROOT / ".cache"
    place.mkdir(exist_ok=True)
    with TemporaryDirectory(prefix="fresh-", dir=place, ignore_cleanup_errors=True) as folder:
        root, shown = Path(folder, "root"), Path(folder, "shown")
        root.mkdir()
        unpack = ["tar", "-C", str(root), "--numeric-owner", "-xzf", str(debian_archive())]
        subprocess.run(unpack, check=True)
        shown.write_text("".join(f"{path}\n" for path in _shown()))
        _give_on(root)
        machine = FreshMachine(root, shown)
        packages = "git make python3 ca-certificates"
        machine.checked(
            "export DEBIAN_FRONTEND=noninteractive; apt-get -qq update; apt-get -qq purge mount; "
            f"apt-get -qq install --no-install-recommends {packages}; "
            f"useradd --uid {UID} --create-home --user-group {USER}"
        )
        _trust(root)
        _lay_repository(root)
        yield machine


def _shown() -> set[str]:
    """Folders that stand for package indexes."""
    sources = {mount.source for mount in host_index_settings().mounts}
    return {source for source in sources if Path(source).is_dir()}


def _trust(root: Path) -> None:
    """Copy the certificates that the variables and pip's files name to the same places."""
    named = {os.environ.get(name, "") for name in (*_CA_VARIABLES, "PIP_CERT")}
    named |= {mount.source for mount in host_index_settings().mounts}
    for path in (Path(name) for name in named if Path(name).is_file()):
        target = root / path.relative_to("/")
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, target)


def _give_on(root: Path) -> None:
    """Copy the names of hosts, apt's way to its archives, and pip's own files for everybody."""
    for name in ("resolv.conf", "hosts", "pip.conf"):
        with suppress(FileNotFoundError):
            shutil.copyfile(Path("/etc", name), root / "etc" / name)
    for path in Path("/etc/apt/apt.conf.d").iterdir():
        if "Acquire::http" in path.read_text(errors="replace"):
            shutil.copyfile(path, root / "etc/apt/apt.conf.d" / path.name)
    for place in (".config/pip", ".pip"):
        source = Path.home() / place / "pip.conf"
        if source.is_file():
            for home in ("root", "etc/skel"):
                target = root / home / place / "pip.conf"
                target.parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(source, target)


def _lay_repository(root: Path) -> None:
    """A bare clone for each of the two, who would not trust the other's."""
    for owner, name in ((0, "root"), (int(UID), USER)):
        bare = root / "srv" / f"{name}.git"
        clone = ["git", "clone", "--quiet", "--bare", "--no-local", str(ROOT), str(bare)]
        subprocess.run(clone, check=True)
        for path in (bare, *bare.rglob("*")):
            os.chown(path, owner, owner)
