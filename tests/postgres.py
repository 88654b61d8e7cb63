"""A real Postgres of the tests' own: started on a free port, as a plain user, thrown away after."""

from __future__ import annotations

import os
import pwd
import shutil
import socket
import subprocess
import tempfile
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psycopg


def postgres_bin() -> Path | None:
    """Find the newest installed server's programs; Debian keeps them off the PATH."""
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"), key=_version)
    if found:
        return found[-1].parent
    initdb = shutil.which("initdb")
    return Path(initdb).resolve().parent if initdb else None


def _version(initdb: Path) -> int:
    return int(initdb.parent.parent.name)


def _plain_user() -> str | None:
    """Name the account to run as: the server refuses root."""
    if os.geteuid() != 0:
        return None
    for name in ("postgres", "nobody"):
        try:
            return pwd.getpwnam(name).pw_name
        except KeyError:
            continue
    raise RuntimeError("no plain user to run Postgres as")


class Postgres:
    """One running server; databases on demand."""

    def __init__(self, port: int) -> None:
        self._port = port

    def database(self) -> str:
        """Create an empty database and return its URL."""
        name = f"t{uuid.uuid4().hex[:12]}"
        with psycopg.connect(self._url("postgres"), autocommit=True) as connection:
            connection.execute(f"create database {name}".encode())
        return self._url(name)

    def _url(self, name: str) -> str:
        return f"postgresql://assay@127.0.0.1:{self._port}/{name}"


@contextmanager
def running_postgres(programs: Path) -> Iterator[Postgres]:
    """Start a server in a folder of its own; stop it and remove the folder at the end."""
    user = _plain_user()
    with tempfile.TemporaryDirectory(prefix="assay-pg-", ignore_cleanup_errors=True) as folder:
        data = Path(folder) / "data"
        if user:
            shutil.chown(folder, user)
        _run(
            [str(programs / "initdb"), "-D", str(data), "-U", "assay", "-A", "trust", "--no-sync"],
            user,
        )
        port = _free_port()
        options = f"-p {port} -c listen_addresses=127.0.0.1 -c unix_socket_directories={folder} -c fsync=off"
        pg_ctl = [str(programs / "pg_ctl"), "-D", str(data), "-w"]
        _run([*pg_ctl, "-o", options, "-l", f"{folder}/log", "start"], user)
        try:
            yield Postgres(port)
        finally:
            _run([*pg_ctl, "-m", "immediate", "stop"], user)


def _run(argv: list[str], user: str | None) -> None:
    subprocess.run(
        argv, user=user, check=True, cwd="/", stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL
    )


def _free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return int(listener.getsockname()[1])
