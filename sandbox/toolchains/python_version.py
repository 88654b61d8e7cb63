"""Which Python a project asks for, and where it comes from when the machine has another.

Interpreters are uv's own builds. They are not in any package registry: where they cannot be reached
(or mirrored, UV_PYTHON_INSTALL_MIRROR), the project needs a Python that this machine lacks.
"""

from __future__ import annotations

import re

from packaging.specifiers import SpecifierSet

from sandbox.toolchains.ci import ci_jobs
from sandbox.toolchains.ecosystem import SetupHints, Toolchain
from sandbox.toolchains.layers import TOOLCHAIN, UV
from sandbox.toolchains.tree import Tree

_MINORS = range(8, 16)
_LATEST = 99
_MATRIX = re.compile(
    r"(?m)^[ \t]*+(?:-[ \t]*+)?python(?:-version)?s?:[ \t]*(\[[^\]]{0,2000}\]|(?:\n[ \t]*-[^\n]*)+|[^\n]*)"
)


def missing_python(requires: str, version: str) -> str:
    """Return "Python >= 3.13" when this interpreter does not do, else "" (also when unreadable)."""
    try:
        lacking = [s for s in SpecifierSet(requires) if not s.contains(version, prereleases=True)]
    except ValueError:  # InvalidSpecifier is one; so is a number too long to read
        return ""
    if not lacking:
        return ""
    return "Python " + ", ".join(sorted(f"{s.operator} {s.version}" for s in lacking))


def nearest_release(requires: str, version: str) -> str:
    """Return the release ("3.13") nearest to the machine's that does, "" when none is known."""
    here = int(version.split(".")[1])
    for minor in sorted(_MINORS, key=lambda one: (abs(one - here), one)):
        if not missing_python(requires, f"3.{minor}.{_LATEST}"):
            return f"3.{minor}"
    return ""


def fetching(toolchain: str) -> tuple[str, ...]:
    """Return the command that installs a release ("python 3.13") into an empty layer."""
    release = toolchain.removeprefix("python ")
    place = ("--no-config", "python", "install", "--no-bin", "--install-dir", TOOLCHAIN)
    return ("env", "UV_CACHE_DIR=/tmp/uv", "UV_NO_PROGRESS=1", UV, *place, release)


def resolved_before(setup: SetupHints, toolchain: Toolchain) -> str:
    """Return the date before which packages count for old commits, "" where all do.

    It is the first of a month, so that layers are shared, and at least a year after the release of this
    Python (3.N in October of 2011 + N): older packages were not made for it.
    """
    if not setup.released_before:
        return ""
    year, month = (int(part) for part in setup.released_before.split("-")[:2])
    commits = f"{year + month // 12}-{month % 12 + 1:02}-01"
    return max(commits, f"{2012 + int(toolchain.python.split('.')[1])}-11-01")


def untested_python(tree: Tree, version: str) -> tuple[str, bool]:
    """Say so when the project itself tests with other versions than the machine's only.

    The second value tells whether all of those are older.
    """
    tested = _tested(tree)
    here = int(version.split(".")[1])
    if not tested or here in tested:
        return "", False
    listed = ", ".join(f"3.{minor}" for minor in sorted(tested))
    said = f"The project is tested with Python {listed}; the sandbox has Python {version}."
    return said, max(tested) < here


def _tested(tree: Tree) -> set[int]:
    """Return the minor versions of CI's matrices, else of tox's environments."""
    jobs = (job for job in ci_jobs(tree) if job.is_of_workflow)
    found = [text for job in jobs for text in _MATRIX.findall(job.text)]
    minors = {int(minor) for text in found for minor in re.findall(r"\b3\.(\d{1,2})\b", text)}
    tox = tree.ini("tox.ini")
    listed = "envlist" if tox.has_option("tox", "envlist") else "env_list"
    environments = re.sub(
        r"py\{([^{}]*)\}",
        lambda found: ",".join(f"py{one.strip()}" for one in found[1].split(",")),
        tox.get("tox", listed, fallback=""),
    )
    return minors or {int(minor) for minor in re.findall(r"\bpy3\.?(\d{1,2})\b", environments)}
