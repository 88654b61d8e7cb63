"""The build network: the outside yes, the host and private addresses no."""

import socket

import pytest

from sandbox.base import Network, Sandbox
from tests.sandbox.conformance.isolation import assert_host_sockets_unreachable
from tests.sandbox.conformance.running import python


def _outside() -> str | None:
    try:
        with socket.create_connection(("index.invalid", 443), 5):
            return "index.invalid"
    except OSError:
        return None


class BuildNetwork:
    async def test_names_resolve_and_pip_installs(self, sandbox: Sandbox) -> None:
        if _outside() is None:
            pytest.skip("this machine cannot reach the package index itself")
        script = (
            "import subprocess, sys\n"
            "pip = [sys.executable, '-m', 'pip', 'download', '-q', '--no-deps', 'iniconfig']\n"
            "subprocess.run(pip, check=True)\n"
            "import glob, urllib.request\n"
            "print(len(glob.glob('iniconfig*')))\n"
            "print(urllib.request.urlopen('https://index.invalid/simple/iniconfig/').status)"
        )
        done = await python(sandbox, script, network=Network.BUILD)
        assert done.stdout == b"1\n200\n", done

    async def test_the_host_is_out_of_reach(self, sandbox: Sandbox) -> None:
        await assert_host_sockets_unreachable(sandbox, network=Network.BUILD)

    async def test_private_and_metadata_addresses_are_refused_at_once(
        self, sandbox: Sandbox
    ) -> None:
        script = (
            "import socket\n"
            "for address in ('169.254.169.254', '10.1.2.3', '172.16.0.1', '192.168.1.1', '100.64.0.1'):\n"
            "    try: socket.create_connection((address, 80), 1); print('reached')\n"
            "    except TimeoutError: print('sent out')\n"
            "    except OSError as error: print(error.errno)\n"
        )
        done = await python(sandbox, script, network=Network.BUILD)
        assert done.stdout == b"13\n" * 5, done

    async def test_no_credential_of_the_index_is_passed(self, sandbox: Sandbox) -> None:
        script = "import os; print(sorted(v for v in os.environ.values() if '@' in v))"
        assert (await python(sandbox, script, network=Network.BUILD)).stdout == b"[]\n"
