"""The linters that came with Assay as Python packages, as the sandbox sees them."""

from __future__ import annotations

import json
import re
import shlex
import sysconfig
from contextlib import suppress
from functools import cache
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

from packaging.requirements import InvalidRequirement, Requirement

from sandbox.base import Mount
from sandbox.linters.base import LinterCall, LintJob

_OURS = "/opt/assay"
_PYTHON = f"{_OURS}/python"
INSIDE = f"{_OURS}/inside"
"""Where the programs of `sandbox/linters/inside` stand."""


def program(name: str, *arguments: str) -> LinterCall:
    """Call a program that a Python package installed beside Assay; without it the sandbox's own."""
    own = Path(sysconfig.get_path("scripts"), name)
    if not own.is_file():
        return plain(name, *arguments)
    target, shown = f"{_OURS}/{name}", shlex.join((name, *arguments))
    return LinterCall((target, *arguments), shown, (Mount(str(own), target),))


def is_ours(name: str) -> bool:
    """Say whether Assay brings this program along, so that the sandbox need not have it."""
    return Path(sysconfig.get_path("scripts"), name).is_file() or bool(packages(name))


def plain(*argv: str, variables: tuple[tuple[str, str], ...] = (), folder: str = "") -> LinterCall:
    """Call a program of the sandbox or of the project."""
    return LinterCall(argv, shlex.join(argv), (), variables, folder)


def module(name: str, *arguments: str) -> LinterCall:
    """Call a Python package of Assay's by the sandbox's own Python; without it the sandbox's own program.

    Only the package and what it requires are mounted. `-P`: the tree's modules are not looked at.
    """
    mounts = packages(name)
    if not mounts:
        return plain(name, *arguments)
    argv = ("/usr/bin/python3", "-P", "-s", "-m", name, *arguments)
    return LinterCall(argv, shlex.join((name, *arguments)), mounts, PYTHON_VARIABLES)


def script(
    name: str, *arguments: str, needs: str, paths: tuple[str, ...], shown: str
) -> LinterCall:
    """Call one of our own scripts inside; `needs` is the Python package that it imports."""
    file = Path(__file__).parent / "inside" / name
    target = f"{INSIDE}/{name}"
    mounts = (Mount(str(file), target), *packages(needs))
    argv = ("/usr/bin/python3", "-P", "-s", target, *arguments)
    told = f"{shown} {shlex.join(paths)}"
    return LinterCall(argv, told, mounts, PYTHON_VARIABLES, stdin=json.dumps(paths).encode())


def parse_calls(kind: str, job: LintJob) -> tuple[LinterCall, ...]:
    """Call `inside/parse.py`, which asks a parser about one file after the other."""
    return (script("parse.py", kind, needs="pyyaml", paths=job.paths, shown=_READ_BY[kind]),)


_READ_BY = {"data": "# read by Python's parsers:", "bash": "bash -n", "node": "node --check"}
PYTHON_VARIABLES = (("PYTHONPATH", _PYTHON), ("PYTHONDONTWRITEBYTECODE", "1"))


OWN = "/opt/assay/own"
"""Where packages of ours stand, below the path that they have here."""
OWN_VARIABLES = (("PYTHONPATH", f"{_PYTHON}:{OWN}"), *PYTHON_VARIABLES[1:])


@cache  # what is installed beside Assay stays as it is while it runs
def packages(name: str) -> tuple[Mount, ...]:
    """Return the mounts of a package and of everything it requires; none when it is not installed."""
    try:
        waiting, found = [distribution(name)], {}
    except PackageNotFoundError:
        return ()
    while waiting:
        package = waiting.pop()
        if package.name in found:
            continue
        found[package.name] = package
        for line in package.requires or ():
            with suppress(InvalidRequirement, PackageNotFoundError):
                wanted = Requirement(line)
                if wanted.marker is None or wanted.marker.evaluate({"extra": ""}):
                    waiting.append(distribution(wanted.name))
    # The top-level names of their files, their own records of themselves included.
    tops: dict[str, Path] = {}
    for package in found.values():
        for top in {file.parts[0] for file in package.files or ()}:
            place = Path(str(package.locate_file(top)))
            is_name = re.fullmatch(r"[\w.+-]+", top) and top not in ("__pycache__", "..")
            if is_name and place.exists():
                tops[top] = place
    return tuple(Mount(str(path), f"{_PYTHON}/{top}") for top, path in sorted(tops.items()))
