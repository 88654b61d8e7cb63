"""The build network: the outside yes, the host and private addresses no."""

import subprocess
import sys
from pathlib import Path

import pytest

from sandbox.base import Network, Sandbox
from tests.sandbox.conformance.isolation import assert_host_sockets_unreachable
from tests.sandbox.conformance.running import python

DOWNLOAD = ("-m", "pip", "download", "-q", "--no-deps", "iniconfig")


def downloads_by_hand(folder: Path) -> bool:
    command = [sys.executable, *DOWNLOAD, "--dest", str(folder)]
    return subprocess.run(command, check=False, capture_output=True).returncode == 0


class BuildNetwork:
    async def test_names_resolve_and_pip_installs(self, sandbox: Sandbox, tmp_path: Path) -> None:
        if not downloads_by_hand(tmp_path):
            pytest.skip("this machine cannot reach the package index itself")
        script = (
            "import glob, subprocess, sys\n"
            f"subprocess.run([sys.executable, *{DOWNLOAD!r}], check=True)\n"
            "print(len(glob.glob('iniconfig*')))"
        )
        done = await python(sandbox, script, network=Network.BUILD)
        assert done.stdout == b"1\n", done

    async def test_the_host_is_out_of_reach(self, sandbox: Sandbox) -> None:
        await assert_host_sockets_unreachable(sandbox, network=Network.BUILD)

    async def test_private_and_metadata_addresses_are_refused_at_once(
        self, sandbox: Sandbox
    ) -> None:
        addresses = [
            *("169.254.169.254", "10.1.2.3", "172.16.0.1", "192.168.1.1", "100.64.0.1"),
            *("168.63.129.16", "192.0.0.192", "198.18.0.1", "240.0.0.1"),
        ]
        script = (
            "import socket\n"
            f"for address in {addresses}:\n"
            "    try: socket.create_connection((address, 80), 1); print('reached')\n"
            "    except TimeoutError: print('sent out')\n"
            "    except OSError as error: print(error.errno)\n"
        )
        done = await python(sandbox, script, network=Network.BUILD)
        assert done.stdout == b"13\n" * len(addresses), done

    async def test_no_credential_of_the_index_is_passed(self, sandbox: Sandbox) -> None:
        script = "import os; print(sorted(v for v in os.environ.values() if '@' in v))"
        assert (await python(sandbox, script, network=Network.BUILD)).stdout == b"[]\n"
