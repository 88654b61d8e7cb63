"""Attacks on the host: its files, environment, processes, sockets and kernel."""

import asyncio
import os
import socket
from pathlib import Path

import pytest

from sandbox.base import Mount, MountMode, Sandbox
from sandbox.errors import FilesMissing
from tests.sandbox.conformance.running import program, python, shell

FORGE_EXIT_CODE = """
import ctypes, os, sys
libc = ctypes.CDLL(None, use_errno=True)
zero = (1).to_bytes(8, "little")  # how bubblewrap's process 1 tells exit code 0
taken = written = 0
supervisor = os.pidfd_open(1)
for number in range(64):
    descriptor = libc.syscall(438, supervisor, number, 0)  # pidfd_getfd
    if descriptor >= 0:
        taken += 1
        os.write(descriptor, zero)
    for path in (f"/proc/1/fd/{number}", f"/proc/1/task/1/fd/{number}"):
        try:
            with open(path, "wb", buffering=0) as file:
                written += file.write(zero)
        except OSError:
            pass
for name in ("mem", "task/1/mem"):
    try:
        written += os.open(f"/proc/1/{name}", os.O_RDWR)
    except OSError:
        pass
print("taken:", taken)
print("written:", written)
print("traced:", libc.ptrace(16, 1, 0, 0))  # PTRACE_ATTACH
buffer = ctypes.create_string_buffer(8)
class Vector(ctypes.Structure):
    _fields_ = [("base", ctypes.c_void_p), ("length", ctypes.c_size_t)]
mine = theirs = Vector(ctypes.addressof(buffer), 8)
for name, call in (("read", libc.process_vm_readv), ("wrote", libc.process_vm_writev)):
    print(f"{name}:", call(1, ctypes.byref(mine), 1, ctypes.byref(theirs), 1, 0))
sys.exit(7)
"""


class Isolation:
    async def test_host_files_are_not_there(self, sandbox: Sandbox, tmp_path: Path) -> None:
        secret = tmp_path / "secret.pem"
        secret.write_text("key")
        find = "find /root /home/* /work /boot /sys -mindepth 1"
        done = await shell(sandbox, f"cat {secret} /etc/shadow; {find}")
        assert done.stdout == b""

    @pytest.mark.parametrize(
        "folder", ["/", "/usr", "/etc", "/usr/bin", "/lib", "/dev", "/proc", "/run", "/home"]
    )
    async def test_the_system_cannot_be_written(self, sandbox: Sandbox, folder: str) -> None:
        done = await shell(sandbox, f"touch {folder}/planted")
        assert done.exit_code != 0

    async def test_only_own_processes_are_seen(self, sandbox: Sandbox) -> None:
        script = "cat /proc/[0-9]*/environ /proc/[0-9]*/cmdline; ls -d /proc/[0-9]*"
        done = await shell(sandbox, script)
        assert b"pytest" not in done.stdout
        assert len([line for line in done.stdout.splitlines() if b"/proc/" in line]) < 6

    async def test_the_workers_process_cannot_be_traced(self, sandbox: Sandbox) -> None:
        script = (
            "import ctypes, os; libc = ctypes.CDLL(None, use_errno=True)\n"
            f"print(libc.ptrace(16, {os.getpid()}, 0, 0))\n"
            f"try: os.kill({os.getpid()}, 0)\nexcept OSError as error: print(error.errno)"
        )
        assert (await python(sandbox, script)).stdout == b"-1\n3\n"

    async def test_the_exit_code_cannot_be_forged(self, sandbox: Sandbox) -> None:
        """Process 1 hands it on through its descriptors: whoever can write into them could say 0."""
        done = await python(sandbox, FORGE_EXIT_CODE)
        assert done.exit_code == 7, done
        assert done.stdout == b"taken: 0\nwritten: 0\ntraced: -1\nread: -1\nwrote: -1\n", done

    async def test_a_child_can_be_traced(self, sandbox: Sandbox) -> None:
        """As debuggers and leak checkers do."""
        script = (
            "import ctypes, os, time; libc = ctypes.CDLL(None)\npid = os.fork()\n"
            "if pid == 0: time.sleep(20)\nprint(libc.ptrace(16, pid, 0, 0)); os.kill(pid, 9)\n"
        )
        assert (await python(sandbox, script)).stdout == b"0\n"

    async def test_sockets_are_of_few_families(self, sandbox: Sandbox) -> None:
        script = (
            "import socket\nopen = []\nfor family in range(1, 46):\n"
            "    for kind in (1, 2, 3, 5):\n"
            "        try: socket.socket(family, kind).close()\n"
            "        except OSError: continue\n"
            "        open.append(family)\n"
            "print(sorted(set(open)), len(socket.socketpair()))"
        )
        assert (await python(sandbox, script)).stdout == b"[1, 2, 10, 16] 2\n"

    async def test_no_descriptor_is_inherited(self, sandbox: Sandbox, tmp_path: Path) -> None:
        with (tmp_path / "open.txt").open("w") as file, socket.socket() as listener:
            os.set_inheritable(file.fileno(), True)
            os.set_inheritable(listener.fileno(), True)
            done = await python(sandbox, "import os; print(sorted(os.listdir('/proc/self/fd')))")
        assert done.stdout == b"['0', '1', '2', '3']\n"  # 3 is the listing itself

    async def test_no_capability_and_no_new_namespace(self, sandbox: Sandbox) -> None:
        done = await shell(sandbox, "grep CapEff /proc/self/status; unshare -Ur true; id -u")
        assert b"CapEff:\t0000000000000000" in done.stdout
        assert b"unshare failed" in done.stderr
        assert done.stdout.splitlines()[-1] != b"0"

    @pytest.mark.parametrize(
        "attack",
        [
            "mount -t tmpfs none /tmp",
            "mount --bind /tmp /usr",
            "mount -o remount,rw /",
            "umount /proc",
            "chroot / true",
            "mknod /tmp/disk b 8 0",
            "dmesg",
            "hostname planted",
            "su -c true",
        ],
    )
    async def test_privileged_calls_fail(self, sandbox: Sandbox, attack: str) -> None:
        done = await shell(sandbox, f"PATH=$PATH:/usr/sbin:/sbin; {attack}")
        assert done.exit_code not in (0, 127, None), done

    async def test_dangerous_kernel_interfaces_are_closed(self, sandbox: Sandbox) -> None:
        script = (
            "import ctypes, errno, os; libc = ctypes.CDLL(None, use_errno=True)\n"
            "x86 = os.uname().machine == 'x86_64'\n"
            "for call in (250, 321, 298, 323, 425) if x86 else (219, 280, 241, 282, 425):\n"
            "    result = libc.syscall(call, 0, 0, 0, 0, 0)\n"
            "    print(result == -1 and errno.errorcode[ctypes.get_errno()] in ('ENOSYS', 'EPERM'))"
        )
        assert (await python(sandbox, script)).stdout == b"True\n" * 5

    async def test_without_network_there_is_only_the_own_loopback(self, sandbox: Sandbox) -> None:
        script = (
            "import socket\n"
            "server = socket.create_server(('localhost', 0))\n"
            "socket.create_connection(('localhost', server.getsockname()[1]), 2)\n"
            "print([name for _, name in socket.if_nameindex()])\n"
            "for address in ('1.1.1.1', '169.254.169.254', '192.0.2.2'):\n"
            "    try: socket.create_connection((address, 80), 2)\n"
            "    except OSError as error: print(type(error).__name__)\n"
        )
        done = await python(sandbox, script)
        assert done.stdout == b"['lo']\nOSError\nOSError\nOSError\n", done

    async def test_git_commits_without_being_told_who_does(self, sandbox: Sandbox) -> None:
        """As on machines of CI, which have a full name and a domain: tests commit without saying more."""
        script = (
            "import subprocess\n"
            "for line in ('init -q .', 'commit -q --allow-empty -m x', 'log --format=%an'):\n"
            "    subprocess.run(['git', *line.split()], check=True, cwd='/tmp')\n"
        )
        done = await python(sandbox, script)
        assert (done.exit_code, done.stdout) == (0, b"Assay\n"), done

    async def test_loopback_and_abstract_sockets_of_the_host_are_out_of_reach(
        self, sandbox: Sandbox
    ) -> None:
        await assert_host_sockets_unreachable(sandbox)

    async def test_a_target_that_hides_the_sandbox_itself_is_refused(
        self, sandbox: Sandbox, tmp_path: Path
    ) -> None:
        for target in ("/", "/proc/self", "relative", "/a/../etc", "/etc"):
            with pytest.raises(ValueError, match="cannot mount"):
                await program(sandbox, "true", mounts=(Mount(str(tmp_path), target),))

    async def test_a_missing_source_is_the_sandboxes_failure(
        self, sandbox: Sandbox, tmp_path: Path
    ) -> None:
        mount = Mount(str(tmp_path / "gone"), "/data", MountMode.WRITABLE)
        with pytest.raises(FilesMissing, match="gone"):
            await program(sandbox, "true", mounts=(mount,))


async def assert_host_sockets_unreachable(sandbox: Sandbox, **fields: object) -> None:
    """Listen on the host, try to connect from inside, and see that nobody came."""
    name = f"\0assay-{os.getpid()}"
    with socket.socket(socket.AF_UNIX) as abstract, socket.create_server(("0.0.0.0", 0)) as server:  # noqa: S104
        abstract.bind(name)
        abstract.listen()
        port = server.getsockname()[1]
        addresses = ("127.0.0.1", "10.0.2.2", "100.127.255.2", *own_addresses())
        script = (
            f"import socket\nabstract = socket.socket(socket.AF_UNIX)\nprint(abstract.connect_ex({name!r}))\n"
            f"for address in {addresses!r}:\n"
            f"    try: socket.create_connection((address, {port}), 2); print('reached', address)\n"
            "    except OSError as error: print('refused')\n"
        )
        done = await python(sandbox, script, **fields)
        assert done.stdout == b"111\n" + b"refused\n" * len(addresses), done
        for listener in (abstract, server):
            listener.setblocking(False)
            with pytest.raises(BlockingIOError):
                await asyncio.sleep(0) or listener.accept()


def own_addresses() -> tuple[str, ...]:
    """This machine's address towards the outside; no packet is sent."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.1", 9))
        except OSError:
            return ()
        return (probe.getsockname()[0],)
