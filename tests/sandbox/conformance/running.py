"""Short ways to run something inside."""

from dataclasses import replace

from sandbox.base import Command, Completed, Limits, Sandbox

SMALL = Limits(timeout_s=60, memory_mb=512, processes=64, file_size_mb=64, disk_mb=64)


async def shell(sandbox: Sandbox, script: str, **fields: object) -> Completed:
    return await program(sandbox, "/bin/sh", "-c", script, **fields)


async def python(sandbox: Sandbox, script: str, **fields: object) -> Completed:
    return await program(sandbox, "/usr/bin/python3", "-I", "-c", script, **fields)


async def program(sandbox: Sandbox, *argv: str, **fields: object) -> Completed:
    command = Command(argv, cwd="/tmp", limits=SMALL)
    return await sandbox.run(replace(command, **fields))  # type: ignore[arg-type]
