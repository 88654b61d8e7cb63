"""Settles a filled dependency layer: nothing of the tree may stay in it, the project layer goes first.

Usage: settle.py TREE PROJECT_SITE LOCAL [NAME ...]. Everything installed from below TREE, and every NAME
(the project itself, when a test tool brought its published version), is uninstalled, because the
layer is shared by both sides. The tree's folders that were installed are written to LOCAL, for
install_local.py.
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


def normalised(name: str) -> str:
    """Return the name as package indexes compare it (PEP 503)."""
    return re.sub(r"[-_.]+", "-", name).lower()


def main(tree: str, project_site: str, local_file: str, *names: str) -> int:
    """Uninstall, note, activate; returns the exit code."""
    site = sysconfig.get_path("purelib")
    found = {
        normalised(d.metadata["Name"]): local_folder(d, tree) for d in distributions(path=[site])
    }
    local = {name: folder for name, folder in found.items() if folder is not None}
    unwanted = sorted(set(local) | (set(found) & set(names)))
    if unwanted:
        done = subprocess.run(["uv", "pip", "uninstall", *unwanted], check=False)
        if done.returncode:
            return done.returncode
    Path(site, "_assay_project.py").write_text(_ACTIVATION.format(project=project_site, site=site))
    Path(site, "_assay_project.pth").write_text("import _assay_project\n")
    Path(local_file).write_text(json.dumps(sorted(set(local.values()))))
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
