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
from importlib.metadata import Distribution, distributions
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


def local_folder(distribution: Distribution, tree: str) -> str | None:
    """Return the folder below `tree` that this was installed from, "." for the tree itself."""
    url = urlsplit(json.loads(distribution.read_text("direct_url.json") or "{}").get("url", ""))
    path = Path(unquote(url.path))
    inside = url.scheme == "file" and path.is_relative_to(tree)
    return path.relative_to(tree).as_posix() if inside else None


def settle(local: Path, tree: str, project_site: str, *names: str) -> int:
    """Uninstall, note, activate; returns the exit code."""
    site = sysconfig.get_path("purelib")
    found: dict[str, str | None] = {}
    for one in distributions(path=[site]):
        name = re.sub(
            r"[-_.]+", "-", one.metadata["Name"]
        ).lower()  # as indexes compare it (PEP 503)
        found[name] = local_folder(one, tree)
    folders = {name: folder for name, folder in found.items() if folder is not None}
    unwanted = sorted(set(folders) | (set(found) & set(names)))
    if unwanted:
        done = subprocess.run(["uv", "pip", "uninstall", *unwanted], check=False)
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
