"""Keeps the tree's own packages out of a dependency layer, and installs them in place in the project's.

Usage: local.py settle LOCAL TREE PROJECT_SITE [NAME ...]. Everything in the layer that was installed from
below TREE, and every NAME (the project itself, when a test tool brought its published version), is
uninstalled, because the layer is shared by both sides. The tree's folders that were installed are written
to LOCAL. The project layer goes first on the path.

Usage: local.py install LOCAL TREE PREFIX [DONE ...]. Installs these folders but DONE, all relative to TREE.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
import sysconfig
from importlib.metadata import distributions
from pathlib import Path
from urllib.parse import unquote, urlsplit

# The project's paths must come before the dependencies', whose folder may hold the same names.
_ACTIVATION = """\
import site, sys
_before = list(sys.path)
site.addsitedir({project!r})
_new = [path for path in sys.path if path not in _before]
_at = _before.index({site!r}) if {site!r} in _before else len(_before)
sys.path[:] = [*_before[:_at], *_new, *_before[_at:]]
"""


def settle(local: Path, tree: str, project_site: str, *names: str) -> int:
    """Uninstall, note, activate; returns the exit code."""
    site = sysconfig.get_path("purelib")
    folders: dict[str, str] = {}  # below `tree`, "." for the tree itself, by the packages' names
    unwanted = set()
    for one in distributions(path=[site]):
        # As indexes compare names (PEP 503).
        name = re.sub(r"[-_.]+", "-", one.metadata["Name"]).lower()
        url = urlsplit(json.loads(one.read_text("direct_url.json") or "{}").get("url", ""))
        path = Path(unquote(url.path))
        if url.scheme == "file" and path.is_relative_to(tree):
            folders[name] = path.relative_to(tree).as_posix()
        if name in folders or name in names:
            unwanted.add(name)
    if unwanted:
        done = subprocess.run(["uv", "pip", "uninstall", *sorted(unwanted)], check=False)
        if done.returncode:
            return done.returncode
    Path(site, "_assay_project.py").write_text(_ACTIVATION.format(project=project_site, site=site))
    Path(site, "_assay_project.pth").write_text("import _assay_project\n")
    local.write_text(json.dumps(sorted(set(folders.values()))))
    return 0


def install(local: Path, tree: str, prefix: str, *done: str) -> int:
    """Install the folders; returns the exit code of that, 0 where there is none."""
    folders = [folder for folder in json.loads(local.read_text()) if folder not in done]
    words = [word for folder in folders for word in ("--editable", f"{tree}/{folder}")]
    argv = ["uv", "pip", "install", "--no-deps", "--prefix", prefix, *words]
    return subprocess.run(argv, check=False).returncode if words else 0


if __name__ == "__main__":
    what, local_file, *rest = sys.argv[1:]
    sys.exit({"settle": settle, "install": install}[what](Path(local_file), *rest))
