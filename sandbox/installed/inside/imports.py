"""Imports what an installed project has, each time in a process of its own, and tells how that went.

Usage: imports.py SITE, where the packages of the tests are. The input is {root, modules, files}: where it
was installed from, the paths of modules to import, and of files that the package should have. Writes one
JSON list a line to the channel: ["use", …], ["lacking", path, package], and ["done"] last.
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
    "test", "tests", "testing", "doc", "docs", "example", "examples", "benchmark", "benchmarks",
}  # fmt: skip
_MODULE = re.compile(r"(\w+)(?:\.[\w-]+)?\.(?:so|pyd)|(\w+)\.py")
_CONDITIONAL = re.compile(r"([\w.-]+).*;(?:.*\bextra\s*==\s*['\"]([\w.-]+)['\"])?")
_OF_TESTS = re.compile(r"(?:tests?|testing|dev|develop|development|ci|lint|docs?|typing)\b")
_IN_CONDITIONS = (ast.If, ast.Try, ast.With, ast.expr)


class InstalledProject:
    """An installed project: its files, the modules that users begin with, and what they may have besides."""

    def __init__(self, own: Distribution, tests: str) -> None:
        files = [PurePosixPath(str(one)) for one in own.files or ()]
        self.files = {
            str(one): own.locate_file(str(one))
            for one in files
            if ".." not in one.parts and not one.parts[0].endswith((".dist-info", ".pth"))
        }
        self.modules = {module_of(PurePosixPath(one)) for one in self.files} - {""}
        # Of a namespace package its members: they have nothing importable above them.
        self.first = {one for one in self.modules if not self.modules & set(above(one))}
        said = (_CONDITIONAL.match(one) for one in own.requires or ())
        self.optional = {name(one[1]) for one in said if one and not _OF_TESTS.match(one[2] or "")}
        self._tests = tests

    def place(self, path: str) -> str:
        """Return where a file of the tree stands or would stand, "" where nothing says so."""
        places = [path.split("/", at)[-1] for at in range(path.count("/") + 1)]
        would = path.removeprefix("src/").removeprefix("lib/")
        is_inside = would.split("/")[0] in {one.split(".")[0] for one in self.first}
        return next((one for one in places if one in self.files), would if is_inside else "")

    def brought(self, module: str) -> tuple[str, bool]:
        """Return what brings a module to the tests ("" where nothing does), and whether users may have it."""
        starts = (f"{module.split('.', maxsplit=1)[0]}/", f"{module.split('.', maxsplit=1)[0]}.")
        for one in distributions(path=[self._tests]):
            if any(str(file).startswith(starts) for file in one.files or ()):
                package = name(one.metadata["Name"])
                return package, package in self.optional
        return "", False


def main(tests: str) -> int:
    """Look at the project; returns the exit code."""
    channel = os.fdopen(int(os.environ.pop("ASSAY_CHANNEL_FD")), "w")

    def tell(*told: object) -> None:
        channel.write(json.dumps(told) + "\n")
        channel.flush()

    asked = json.load(sys.stdin)
    own = next((one for one in distributions() if is_from(one, asked["root"])), None)
    if own is None:
        return 1
    project = InstalledProject(own, tests)
    for path in asked["files"]:
        if (place := project.place(path)) and place not in project.files:
            tell("lacking", path, "")
    changed = {module_of(PurePosixPath(project.place(path))) for path in asked["modules"]}
    targets = [(one, "") for one in (*sorted(project.first), *sorted(changed & project.modules))]
    for point in own.entry_points:
        if point.group in ("console_scripts", "gui_scripts"):
            module, _, attribute = point.value.partition("[")[0].strip().partition(":")
            targets.append((module, attribute))
    for module, attribute in list(dict.fromkeys(targets))[:_MOST_USES]:
        error, missing, counts = used(module, attribute)
        package, is_optional = project.brought(missing) if missing else ("", False)
        # What an extra brings may be missing where not everybody looks.
        counts = counts and (module in project.first or not is_optional)
        tell("use", module, attribute, error, package, counts)
    for path, file in list(project.files.items())[:_MOST_READ]:
        for module in sorted(imported(file)) if path.endswith(".py") and not is_aside(path) else ():
            if importlib.util.find_spec(module) is None:
                package, is_optional = project.brought(module)
                if package and not is_optional:
                    tell("lacking", path, package)
    tell("done")
    return 0


def is_from(distribution: Distribution, root: str) -> bool:
    """Tell whether a distribution was installed from this folder."""
    told = json.loads(distribution.read_text("direct_url.json") or "{}")
    return str(told.get("url", "")).rstrip("/") == f"file://{root}"


def name(text: str) -> str:
    """Return a project's name as package indexes compare it (PEP 503)."""
    return re.sub(r"[-_.]+", "-", text).lower()


def above(module: str) -> list[str]:
    """Return the packages that a module is in."""
    parts = module.split(".")
    return [".".join(parts[:at]) for at in range(1, len(parts))]


def is_aside(path: str) -> bool:
    """Tell whether a file is for tests or for reading."""
    *folders, file = path.split("/")
    return not _ASIDE.isdisjoint(folders) or file.startswith(("test_", "conftest"))


def module_of(path: PurePosixPath) -> str:
    """Return the name by which a file is imported, "" where it is not, or would run a program."""
    said = _MODULE.fullmatch(path.name)
    if said is None or is_aside(str(path)) or path.name in ("__main__.py", "setup.py"):
        return ""
    stem = said[1] or said[2]
    parts = path.parts[:-1] if stem == "__init__" else (*path.parts[:-1], stem)
    return ".".join(parts) if all(part.isidentifier() for part in parts) else ""


def used(module: str, attribute: str) -> tuple[str, str, bool]:
    """Import in a child; returns the error, what was not there, and whether such an error counts."""
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
        for one in filter(None, attribute.split(".")):
            found = getattr(found, one)
    except BaseException as error:  # whatever the project raises
        missing = error.name if isinstance(error, ModuleNotFoundError) else None
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
    while ahead:
        node = ahead.pop()
        if isinstance(node, ast.Import):
            found.update(alias.name.split(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            found.update([(node.module or "").split(".")[0]] if not node.level else [])
        elif not isinstance(node, _IN_CONDITIONS):
            ahead += ast.iter_child_nodes(node)
    return found - {"", "__main__"}


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
