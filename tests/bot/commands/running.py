"""The `assay` command as people run it: a process of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).parents[3]
OWN = (
    "ASSAY_",
    "SSH_CONNECTION",
    "APP_ID",
    "PRIVATE_KEY",
    "WEBHOOK_SECRET",
    "GHE_HOST",
    "GITHUB_TOKEN",
)


def environment(home: Path, settings: Mapping[str, str]) -> dict[str, str]:
    """This process's environment without what an operator set, and with these settings."""
    inherited = {name: value for name, value in os.environ.items() if not name.startswith(OWN)}
    return {
        **inherited,
        "PYTHONPATH": str(ROOT),
        "PYTHONUNBUFFERED": "1",
        "COLUMNS": "120",
        "ASSAY_HOME": str(home),
        **settings,
    }


def assay(home: Path, *arguments: str, **settings: str) -> subprocess.CompletedProcess[str]:
    """Run the command to its end, in the folder that holds `home`."""
    return subprocess.run(
        [sys.executable, "-m", "bot.cli", *arguments],
        cwd=home.parent,
        env=environment(home, settings),
        capture_output=True,
        text=True,
        timeout=900,
        check=False,
    )


@contextmanager
def running_assay(home: Path, *arguments: str, **settings: str) -> Iterator[subprocess.Popen[str]]:
    """Start the command; kill what is left of it at the end."""
    with subprocess.Popen(
        [sys.executable, "-m", "bot.cli", *arguments],
        cwd=home.parent,
        env=environment(home, settings),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    ) as process:
        try:
            yield process
        finally:
            if process.poll() is None:
                process.kill()
