"""Finds tests of scripts that read as on base, where their file only loads newer packages otherwise.

Base's version of such a file cannot be loaded with head's packages: that says nothing of head's code.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Iterable, Mapping

from bot.diff.lines import TextReader, is_gone, is_new, old_path
from bot.text.json_reading import json_object
from bot.values import AdaptedTest, TestComparison
from sandbox.values import Diff

_PLACE = r"['\"](?P<%s>[^'\"\n]{1,200})['\"]"
_END = r"[ \t]{0,9};?[ \t]{0,9}$"
_IMPORT = re.compile(
    rf"^import\b(?P<names>[^'\";()]{{1,500}}?)\bfrom[ \t]*{_PLACE % 'place'}{_END}"
    rf"|^(?:const|import)[ \t]+(?P<name>\w+)[ \t]*=[ \t]*require\({_PLACE % 'path'}\){_END}",
    re.MULTILINE,
)
_MEMBERS = re.compile(r"\{([^{}]*)\}")
_WHOLE = ("", "*", "default")
"""What an import names for all that a package exports."""
_MANIFEST = "package.json"
_DEPENDENCIES = ("dependencies", "devDependencies", "peerDependencies", "optionalDependencies")


def loading_packages_otherwise(
    tests: Iterable[TestComparison], diff: Diff, base: TextReader, head: TextReader
) -> tuple[AdaptedTest, ...]:
    """Return the edited tests of whose files nothing changes but how such packages are imported."""
    changes = {one.path: one for one in diff.files if not (is_new(one) or is_gone(one))}
    manifests = [path for path in changes if posixpath.basename(path) == _MANIFEST]
    newer = {
        name.removeprefix("@types/")
        for path in manifests
        for name, version in _asked(head.read(path)).items()
        if _asked(base.read(old_path(changes[path]))).get(name, version) != version
    }
    if newer:  # of others: what the repository's own packages export is its own code
        named = (path for path in head.paths() if posixpath.basename(path) == _MANIFEST)
        newer -= {str(json_object(head.read(path)).get("name")) for path in named}
    found: list[AdaptedTest] = []
    alike: dict[str, bool] = {}
    for test in tests:
        change = changes.get(test.path)
        if not (change and newer and test.is_edited and test.only_loads_otherwise):
            continue
        if test.path not in alike:
            before, after = base.read(old_path(change)), head.read(change.path)
            alike[test.path] = _is_alike(before or "", after or "", newer)
        if alike[test.path]:
            found.append(AdaptedTest(test.id, only_moved=True, is_of_package=True))
    return tuple(found)


def _is_alike(before: str, after: str, newer: set[str]) -> bool:
    """Whether files differ in imports of these packages alone, and each name stands for what it did."""
    left = (_IMPORT.sub(_without(newer), before), _IMPORT.sub(_without(newer), after))
    return left[0] == left[1] and _imported(before) == _imported(after)


def _without(places: set[str]) -> Callable[[re.Match[str]], str]:
    return lambda one: "" if (one["place"] or one["path"]) in places else one.group()


def _imported(text: str) -> dict[str, tuple[str, str]]:
    """Return what each name stands for: a place, and what it exports, or "" for all of it."""
    found: dict[str, tuple[str, str]] = {}
    for one in _IMPORT.finditer(text):
        place = one["place"] or one["path"]
        members = " , ".join(_MEMBERS.findall(one["names"] or "")).split(",")
        alone = _MEMBERS.sub("", one["names"] or one["name"]).split(",")
        for part, is_member in [*((p, True) for p in members), *((p, False) for p in alone)]:
            words = part.replace("*", " * ").split()
            if words and words[0] != "type":
                said = words[0] if is_member or "as" in words else ""
                found[words[-1]] = (place, "" if said in _WHOLE else said)
    return found


def _asked(text: str | None) -> Mapping[str, str]:
    """Return the packages that a manifest asks for, with their versions."""
    tables = map(json_object(text).get, _DEPENDENCIES)
    return {str(k): str(v) for table in tables if isinstance(table, dict) for k, v in table.items()}
