"""Installs in place what the dependency layer had from the tree's own folders (see settle.py).

Usage: install_local.py LOCAL TREE PREFIX [DONE ...]. DONE are folders that are installed already;
all folders are relative to TREE.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path


def main(local_file: str, tree: str, prefix: str, *done: str) -> int:
    """Install the folders; returns the exit code of that, 0 where there is none."""
    folders = [folder for folder in json.loads(Path(local_file).read_text()) if folder not in done]
    words = [word for folder in folders for word in ("--editable", f"{tree}/{folder}")]
    argv = ["uv", "pip", "install", "--no-deps", "--prefix", prefix, *words]
    return subprocess.run(argv, check=False).returncode if words else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
