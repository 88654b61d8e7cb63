"""Imports what an installed project has, each time in a process of its own, and tells how that went.

The input is {root, modules, files}: where it was installed from, the paths of modules to import, and of
files that the package should have. Writes one JSON list a line to the channel: ["use", …], ["unmet", …],
["extra", …] or ["left out", path]; ["done"] comes last.
"""

from __future__ import annotations

import ast
import importlib
import importlib.util
import json
import os
import re
import signal
import sys
from importlib.metadata import Distribution, distributions
from pathlib import PurePosixPath

_SECONDS = 20
_MOST_USES, _MOST_READ = 60, 400
_ASIDE = {
    "test",
    "tests",
    "testing",
    "doc",
    "docs",
    "example",
    "examples",
    "benchmark",
    "benchmarks",
}
_MODULE = re.compile(r"(\w+)(?:\.[\w-]+)?\.(?:so|pyd|abi3\.so)$|(\w+)\.py$")
_EXTRA = re.compile(r"([\w.-]+).*;.*\bextra\s*==\s*['\"]([\w.-]+)['\"]")


def main() -> int:
    """Look at the project; returns the exit code."""
    channel = os.fdopen(int(os.environ.pop("ASSAY_CHANNEL_FD")), "w")

    def tell(*told: object) -> None:
        channel.write(json.dumps(told) + "\n")
        channel.flush()

    asked = json.load(sys.stdin)
    own = next((one for one in distributions() if is_from(one, asked["root"])), None)
    if own is None:
        return 1
    files = [PurePosixPath(str(one)) for one in own.files or []]
    files = [one for one in files if ".." not in one.parts and not is_metadata(one.parts[0])]
    there = {str(one) for one in files}
    modules = {one for one in map(module_of, files) if one}
    entries = top_modules(modules)
    for requirement in own.requires or []:
        if said := _EXTRA.match(requirement):
            tell("extra", said[1], said[2])
    for path in asked["files"]:
        place = within(path, entries, there)
        if place and place not in there:
            tell("left out", path)
    targets = [(one, "", True) for one in sorted(entries)]
    changed = (module_of(PurePosixPath(within(path, entries, there))) for path in asked["modules"])
    targets += [(one, "", False) for one in changed if one in modules and one not in entries]
    for point in own.entry_points:
        if point.group in ("console_scripts", "gui_scripts"):
            module, _, attribute = point.value.partition("[")[0].strip().partition(":")
            targets.append((module, attribute, False))
    for module, attribute, is_entry in list(dict.fromkeys(targets))[:_MOST_USES]:
        tell("use", module, attribute, is_entry, *used(module, attribute))
    sources = [one for one in files if one.suffix == ".py" and not is_aside(one)]
    for one in sources[:_MOST_READ]:
        for package in sorted(imported(own.locate_file(str(one)))):
            if package not in entries and importlib.util.find_spec(package) is None:
                tell("unmet", package, str(one))
    tell("done")
    return 0


def is_from(distribution: Distribution, root: str) -> bool:
    """Tell whether a distribution was installed from this folder."""
    told = json.loads(distribution.read_text("direct_url.json") or "{}")
    return str(told.get("url", "")).rstrip("/") == f"file://{root}"


def is_metadata(name: str) -> bool:
    """Tell whether a folder beside the packages is none."""
    return name.endswith((".dist-info", ".egg-info", ".data", ".pth")) or name == "__pycache__"


def is_aside(path: PurePosixPath) -> bool:
    """Tell whether a file is for tests or for reading."""
    name = path.name
    return bool(_ASIDE.intersection(path.parts)) or name.startswith(("test_", "conftest"))


def module_of(path: PurePosixPath) -> str:
    """Return the name by which a file is imported, "" where it is not, or would run a program."""
    said = _MODULE.fullmatch(path.name)
    if said is None or is_aside(path) or path.name in ("__main__.py", "setup.py"):
        return ""
    name = said[1] or said[2]
    parts = path.parts[:-1] if name == "__init__" else (*path.parts[:-1], name)
    return ".".join(parts) if all(part.isidentifier() for part in parts) else ""


def top_modules(modules: set[str]) -> set[str]:
    """Return what has nothing importable above it: of a namespace package its members."""
    return {
        one
        for one in modules
        if not any(one.startswith(f"{other}.") for other in modules if other != one)
    }


def within(path: str, entries: set[str], there: set[str]) -> str:
    """Return where a file of the project would stand in the installation, "" where nothing says so."""
    parts = path.split("/")
    places = ["/".join(parts[at:]) for at in range(len(parts))]
    for place in places:
        if place in there:
            return place
    tops = {one.split(".")[0] for one in entries}
    return next((place for place in places[:2] if place.split("/")[0] in tops), "")


def used(module: str, attribute: str) -> tuple[str, str, bool]:
    """Import in a child; returns the error, what was not there, and whether the error counts."""
    read, write = os.pipe()
    child = os.fork()
    if not child:
        nothing = os.open(os.devnull, os.O_RDWR)
        for descriptor in (0, 1, 2):
            os.dup2(nothing, descriptor)
        signal.alarm(_SECONDS)
        os.write(write, json.dumps(tried(module, attribute)).encode()[:4000])
        os._exit(0)
    os.close(write)
    with os.fdopen(read, "rb") as stream:
        said = stream.read()
    os.waitpid(child, 0)
    try:
        error, missing, counts = json.loads(said)
    except ValueError:
        return "It did not end.", "", False
    return str(error), str(missing), bool(counts)


def tried(module: str, attribute: str) -> tuple[str, str, bool]:
    """Import, and tell the error."""
    try:
        found = importlib.import_module(module)
        for name in filter(None, attribute.split(".")):
            found = getattr(found, name)
    except BaseException as error:  # whatever the project raises
        missing = error.name if isinstance(error, ImportError) else None
        counts = isinstance(error, (ImportError, FileNotFoundError))
        return f"{type(error).__name__}: {error}"[:500], str(missing or "")[:200], counts
    return "", "", True


def imported(file: object) -> set[str]:
    """Return the packages that a file imports, whatever else is so: in no `if`, no `try` and no `with`."""
    try:
        with open(str(file), "rb") as stream:  # noqa: PTH123  what `locate_file` gives has no one type
            ahead: list[ast.AST] = [ast.parse(stream.read(2_000_000))]
    except (OSError, SyntaxError, ValueError, RecursionError, MemoryError):
        return set()
    found: set[str] = set()
    known: frozenset[str] = getattr(sys, "stdlib_module_names", frozenset())
    while ahead:
        node = ahead.pop()
        if isinstance(node, ast.Import):
            found.update(alias.name.split(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            found.update([(node.module or "").split(".")[0]] if not node.level else [])
        elif not isinstance(node, (ast.If, ast.Try, ast.With, ast.expr)):
            ahead += ast.iter_child_nodes(node)
    return {one for one in found if one and one not in known} if known else set()


if __name__ == "__main__":
    sys.exit(main())
