"""Reads which packages a change newly depends on, so that their registry can be asked about them.

And which it moves to another version beside the one that is asked for.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import PurePosixPath

from bot.diff.lines import TextReader, added_lines, is_gone, is_new, old_path
from bot.diff.paths import is_automation, is_build_file
from bot.integrity.inspection import Inspection, make_finding
from bot.integrity.public_names import words_of_task
from bot.text.words import Vocabulary, words_of
from bot.values.rules import (
    DEPENDENCY_MOVED,
    DEPENDENCY_UNASKED,
    DEPENDENCY_UNKNOWN,
    DEPENDENCY_YOUNG,
)
from sandbox.registry import YOUNG_DAYS, Client, RegistryAnswer, WantedPackage
from sandbox.values import Diff, FileChange, Finding, Severity

MAX_DEPENDENCIES = 20
_MANIFEST = re.compile(r"package\.json|pyproject\.toml|requirements[\w.-]*\.(?:txt|in)")
_OF_ALL = re.compile(
    r"(?i)(?<![(\w])(?:dependencies|deps|dependents|packages|requirements|updates|upgrades|groups?|"
    r"lock ?files?|audit|pins|pinned|compatib\w+|engines?|drop\w*|downgrad\w*|revert\w*|roll\w* back|"
    r"monorepo|migrat\w*|requires? node(?:\.?js)?|esm|friends|everything|all others|minor|"
    r"moderni\w*|housekeep\w*|maintenance|tweaks?)\b"
)
"""What speaks of more dependencies than it names, or of older versions."""
_UPDATES = re.compile(r"(?i)\b(?:bump\w*|updat\w+|upgrad\w+|pin|moves?)\b")
_TELLS_NOTHING = frozenset((
    *("types", "js", "node", "python", "py", "lib", "the", "is", "to", "core", "plugin", "cli", "config"),
    *("utils", "client", "server", "parser", "loader", "runtime", "api", "sdk"),
))  # fmt: skip
_NAME = re.compile(
    r"\s*([A-Za-z0-9](?:[\w.-]{0,98}[A-Za-z0-9])?)\s*(?:\[[^\]]*\])?\s*((?:[<>=!~;(,].*)?)$"
)
_NPM_NAME = re.compile(r"(?:@[a-z0-9~][\w.~-]{0,80}/)?[a-z0-9~][\w.~-]{0,100}", re.IGNORECASE)
_NPM_GROUPS = ("dependencies", "devDependencies", "optionalDependencies", "peerDependencies")


def new_dependencies(
    diff: Diff, base: TextReader, head: TextReader
) -> tuple[tuple[WantedPackage, FileChange], ...]:
    """Packages that a changed manifest names on head and did not name on base; at most 20."""
    found: dict[WantedPackage, FileChange] = {}
    for change in diff.files:
        file = PurePosixPath(change.path).name
        client = Client.NPM if file == "package.json" else Client.PIP
        if is_gone(change) or not _MANIFEST.fullmatch(file):
            continue
        before = None if is_new(change) else base.read(old_path(change))
        known = dict(_named(change.path, before))
        for name, _ in _named(change.path, head.read(change.path)):
            if name not in known:
                found.setdefault(WantedPackage(client, name), change)
    return tuple(found.items())[:MAX_DEPENDENCIES]


def moved_versions(inspection: Inspection) -> Iterator[Finding]:
    """Direct dependencies that get another version beside the ones that the task updates, or an older one."""
    said = words_of_task(inspection)
    if _OF_ALL.search(said):
        return
    known = Vocabulary(words_of(said))
    moved: list[tuple[FileChange, str, str, str]] = []
    for change in inspection.diff.files:
        if _MANIFEST.fullmatch(PurePosixPath(change.path).name) and not is_gone(change):
            before = dict(_named(change.path, inspection.before(change)))
            after = dict(_named(change.path, inspection.after(change)))
            both = ((name, before[name], now) for name, now in after.items() if name in before)
            moved += ((change, *one) for one in both if one[1] != one[2])
    unnamed = [one for one in moved if not _is_named(one[1], said, known)]
    is_update = len(unnamed) < len(moved) and _UPDATES.search(said) is not None
    for change, name, was, now in unnamed:
        if is_update or _is_older(now, was):
            lines = (number for number, text in added_lines(change) if _loose(name).search(text))
            message = f"`{name}` goes from `{was}` to `{now}`, and the task does not speak of it."
            yield make_finding(DEPENDENCY_MOVED, change, next(lines, 0), message)


def _is_named(name: str, said: str, known: Vocabulary) -> bool:
    """Tell whether a text has a package's name, or a word of it: what belongs together moves along."""
    if _loose(name).search(said):
        return True
    words = (one for one in re.split(r"[^A-Za-z0-9]+", name.lower()) if one not in _TELLS_NOTHING)
    return any(map(known.knows, words_of(" ".join(words))))


def _is_older(now: str, was: str) -> bool:
    """Tell whether the first version that is written is an older one; of what has none nothing is known."""
    found = [re.search(r"\d{1,9}(?:\.\d{1,9}){0,5}", one) for one in (now, was)]
    new, old = ([int(n) for n in one[0].split(".")] if one else [] for one in found)
    return new[: len(old)] < old[: len(new)]


def _loose(name: str) -> re.Pattern[str]:
    """The pattern of a package's name, however its parts are joined."""
    loose = re.sub(r"[-_.]+", "[-_.]+", re.escape(name).replace(r"\-", "-"))
    return re.compile(rf"(?<![\w@/-]){loose}(?![\w/-])", re.IGNORECASE)


def unnamed_versions(diff: Diff, versions: Iterable[str]) -> tuple[str, ...]:
    """Return those of some versions that no changed line of a file of dependencies or automation has."""
    files = (one for one in diff.files if is_build_file(one.path) or is_automation(one.path))
    added = "\n".join(text for one in files for _, text in added_lines(one))
    return tuple(
        one
        for one in dict.fromkeys(filter(None, versions))
        if not re.search(rf"(?<![\d.]){re.escape(one)}(?!\.?\d)", added)
    )


def dependency_findings(
    asked: Iterable[tuple[WantedPackage, FileChange]], answers: dict[WantedPackage, RegistryAnswer]
) -> Iterator[Finding]:
    """What the registry's answers say of each new dependency; one that does not exist blocks."""
    for wanted, change in asked:
        named = _loose(wanted.name)
        line = next((number for number, text in added_lines(change) if named.search(text)), 0)
        rule, severity, message = _TOLD[answers.get(wanted, RegistryAnswer.UNKNOWN)]
        if rule:
            found = make_finding(rule, change, line, f"`{wanted.name}` {message}")
            yield replace(found, severity=severity)


_TOLD = {
    RegistryAnswer.EXISTS: ("", Severity.ADVISE, ""),
    RegistryAnswer.ABSENT: (
        DEPENDENCY_UNKNOWN,
        Severity.BLOCK,
        "is a new dependency that does not exist in the registry; anybody may register that name.",
    ),
    RegistryAnswer.YOUNG: (
        DEPENDENCY_YOUNG,
        Severity.ADVISE,
        f"is a new dependency without any release older than {YOUNG_DAYS} days.",
    ),
    RegistryAnswer.UNKNOWN: (
        DEPENDENCY_UNASKED,
        Severity.ADVISE,
        "is a new dependency, and its registry could not be asked whether it exists.",
    ),
}


def _named(path: str, text: str | None) -> Iterator[tuple[str, str]]:
    """Yield the packages that a manifest names, each with the versions that may be taken."""
    if text is None:
        return
    if path.endswith(".json"):
        yield from _npm_names(text)
    elif path.endswith(".toml"):
        yield from _project_names(text)
    else:
        yield from _requirements(line.split("#", 1)[0] for line in text.splitlines())


def _npm_names(text: str) -> Iterator[tuple[str, str]]:
    try:
        manifest = json.loads(text)
    except (ValueError, RecursionError):
        return
    for group in _NPM_GROUPS:
        named = manifest.get(group) if isinstance(manifest, dict) else None
        for name, version in named.items() if isinstance(named, dict) else ():
            elsewhere = not isinstance(version, str) or ":" in version or "/" in version
            if _NPM_NAME.fullmatch(name) and not elsewhere:
                yield name, version


def _project_names(text: str) -> Iterator[tuple[str, str]]:
    try:
        manifest = tomllib.loads(text)
    except (ValueError, RecursionError):
        return
    project, build = _table(manifest, "project"), _table(manifest, "build-system")
    groups = [project.get("dependencies"), build.get("requires")]
    groups += [*_table(project, "optional-dependencies").values()]
    groups += [*_table(manifest, "dependency-groups").values()]
    elsewhere = set(_table(_table(_table(manifest, "tool"), "uv"), "sources"))
    own = str(project.get("name", ""))
    for group in groups:
        lines = (
            (entry for entry in group if isinstance(entry, str)) if isinstance(group, list) else ()
        )
        for name, versions in _requirements(lines):
            if name not in {_normal(one) for one in (*elsewhere, own)}:
                yield name, versions


def _table(parent: dict[str, object], key: str) -> dict[str, object]:
    found = parent.get(key)
    return found if isinstance(found, dict) else {}


def _requirements(lines: Iterable[str]) -> Iterator[tuple[str, str]]:
    for line in lines:
        match = _NAME.match(line.split(";", 1)[0])
        if match and " @ " not in line:
            yield _normal(match[1]), "".join(match[2].split())


def _normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()
