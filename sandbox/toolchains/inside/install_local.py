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
    """Install each folder in turn; returns the first failing exit code, else 0."""
    folders = [folder for folder in json.loads(Path(local_file).read_text()) if folder not in done]
    for folder in folders:
        argv = ["uv", "pip", "install", "--no-deps", "--prefix", prefix]
        code = subprocess.run([*argv, "--editable", f"{tree}/{folder}"], check=False).returncode
        if code:
            return code
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
