"""A real gunicorn with the configuration that is shipped, on a free port of the loopback."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import httpx

ROOT = Path(__file__).parent.parent


@contextmanager
def running_gunicorn(home: Path, application: str, environment: Mapping[str, str]) -> Iterator[str]:
    """Serve `application` until the block ends; gives its address."""
    port = _free_port()
    inherited = {name: value for name, value in os.environ.items() if not name.startswith("ASSAY_")}
    process = subprocess.Popen(
        [
            sys.executable,
            "-m",
            "gunicorn",
            "-c",
            str(ROOT / "deploy/gunicorn.conf.py"),
            application,
        ],
        cwd=ROOT,
        env={
            **inherited,
            "ASSAY_HOME": str(home),
            "ASSAY_PORT": str(port),
            "PYTHONPATH": str(ROOT),
            "LOG_LEVEL": "WARNING",
            **environment,
        },
    )
    try:
        _wait_until_it_answers(process, port)
        yield f"http://127.0.0.1:{port}"
    finally:
        process.terminate()
        process.wait(timeout=120)


def _wait_until_it_answers(process: subprocess.Popen[bytes], port: int) -> None:
    deadline = time.monotonic() + 600
    while time.monotonic() < deadline:
        assert process.poll() is None, "gunicorn ended early"
        try:
            if httpx.get(f"http://127.0.0.1:{port}/healthz", timeout=60).status_code == 200:
                return
        except httpx.TransportError:
            time.sleep(0.1)
    raise AssertionError("gunicorn did not answer")


def _free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return int(listener.getsockname()[1])
