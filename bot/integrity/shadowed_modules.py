"""Finds new modules that tests load in place of one that base has.

pytest looks into the folders of `pythonpath`, and into those of test files, before the project's own: what is
tested is then a copy there, and not the code that ships.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator

from bot.diff.kinds import is_test_file
from bot.diff.lines import is_new
from bot.integrity.inspection import Inspection, make_finding
from bot.values.rules import MODULE_SHADOWED
from sandbox.values import Finding

_RUNNER_FILES = ("pyproject.toml", "pytest.ini", ".pytest.ini", "tox.ini", "setup.cfg")
_FOLDERS = re.compile(
    r"^[ \t]*pythonpath[ \t]*=([^\n]{0,400}(?:\n[ \t][^\n=]{1,200}){0,20})", re.MULTILINE
)
_ROOTS = ("", "src")


def shadowed_modules(inspection: Inspection) -> Iterator[Finding]:
    """New modules in a folder that is looked into before the one of base's module of that name."""
    added = [c for c in inspection.diff.files if is_new(c) and c.path.endswith(".py")]
    if not added:
        return
    named = {folder for name in _RUNNER_FILES for folder in _folders(inspection.head.read(name))}
    known = frozenset(inspection.base.paths())
    stays = known.intersection(inspection.head.paths())
    tested = {posixpath.dirname(path) for path in known if _is_test(path)}
    tested |= {posixpath.dirname(one.path) for one in added if _is_test(one.path)}
    roots = {*_ROOTS, *named}
    for change in added:
        for folder in (named | tested) - {""}:
            module = _module(change.path, folder)
            others = (_ways(root, module) for root in roots - {folder})
            found = [way for ways in others for way in ways if way in stays] if module else []
            if found and not any(way in known for way in _ways(folder, module)):
                message = f"Tests that load `{module}` get this file, and not `{found[0]}` of base."
                yield make_finding(MODULE_SHADOWED, change, 1, message)
                break


def _is_test(path: str) -> bool:
    name = posixpath.basename(path)
    return path.endswith(".py") and is_test_file(path) and "test" in name


def _folders(text: str | None) -> Iterator[str]:
    for found in _FOLDERS.finditer(text or ""):
        for one in re.findall(r"[\w./-]+", found[1]):
            yield posixpath.normpath(one).removeprefix("./").removeprefix(".")


def _module(path: str, folder: str) -> str:
    """The name of the module that a file is in a folder of modules; empty where it is none."""
    if not path.startswith(f"{folder}/"):
        return ""
    first, _, rest = path.removeprefix(f"{folder}/").partition("/")
    is_package = rest == "__init__.py"
    return first if is_package else first.removesuffix(".py") if not rest else ""


def _ways(root: str, module: str) -> list[str]:
    return [posixpath.join(root, f"{module}{end}") for end in (".py", "/__init__.py")]
