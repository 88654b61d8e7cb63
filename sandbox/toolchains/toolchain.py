"""Asks the sandbox which toolchains it has, in one start."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable

from sandbox.base import Command, Sandbox, SandboxError
from sandbox.toolchains.ecosystem import Ecosystem, Toolchain
from sandbox.toolchains.layers import SYSTEM_PATH, UV

_VERSION = re.compile(r"(?<!\d)\d+(?:\.\d+)+")
# One process for all: each start of a sandbox costs, and some tools take a second to say their name.
_ASK = """\
import json, platform, subprocess, sys
from concurrent.futures import ThreadPoolExecutor
def ask(argv):
    try:
        done = subprocess.run(argv, capture_output=True, text=True, timeout=60)
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return (done.stdout + done.stderr)[:2000] if done.returncode == 0 else ""
with ThreadPoolExecutor(8) as pool:
    said = list(pool.map(ask, json.loads(sys.argv[1])))
print(json.dumps([platform.python_version(), *said]))
"""


async def toolchain(sandbox: Sandbox, ecosystems: Iterable[Ecosystem]) -> Toolchain:
    """Ask the sandbox for its `python3` and for these ecosystems' programs; the others' take seconds.

    Raises SandboxError when it has no Python, which every build needs.
    """
    wanted = tuple(ecosystems)
    asked = {argv[0]: argv for one in wanted for argv in one.programs}
    tools = tuple(mount for one in wanted for mount in one.tools())
    argv = ("python3", "-I", "-c", _ASK, json.dumps(list(asked.values())))
    path = (("PATH", f"{SYSTEM_PATH}:/usr/sbin:/sbin"),)
    done = await sandbox.run(Command(argv, mounts=tools, environment=path, cwd="/"))
    try:
        version, *said = json.loads(done.stdout)
    except ValueError:
        version, said = "", []
    if done.exit_code != 0 or not re.fullmatch(r"\d+\.\d+\.\d+\w*", version):
        raise SandboxError("the sandbox has no Python", "apt-get install python3")
    versions = {name: _VERSION.search(text) for name, text in zip(asked, said, strict=True)}
    programs = tuple((name, found.group()) for name, found in versions.items() if found)
    return Toolchain(python=version, uv=dict(programs).get(UV, ""), programs=programs)
