"""Reads which packages a change newly depends on, so that their registry can be asked about them."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import PurePosixPath

from bot.diff.lines import TextReader, added_lines, is_gone, is_new, old_path
from bot.diff.paths import is_automation, is_build_file
from bot.integrity.inspection import make_finding
from bot.values.rules import DEPENDENCY_UNASKED, DEPENDENCY_UNKNOWN, DEPENDENCY_YOUNG
from sandbox.registry import YOUNG_DAYS, Client, RegistryAnswer, WantedPackage
from sandbox.values import Diff, FileChange, Finding, Severity

MAX_DEPENDENCIES = 20
_NAME = re.compile(
    r"\s*([A-Za-z0-9](?:[\w.-]{0,98}[A-Za-z0-9])?)\s*(?:\[[^\]]*\])?\s*(?:[<>=!~;(,].*)?$"
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
        if file == "package.json":
            client = Client.NPM
        elif file == "pyproject.toml" or re.fullmatch(r"requirements[\w.-]*\.(?:txt|in)", file):
            client = Client.PIP
        else:
            continue
        if is_gone(change):
            continue
        before = None if is_new(change) else base.read(old_path(change))
        known = set(_named(change.path, before))
        for name in _named(change.path, head.read(change.path)):
            if name not in known:
                found.setdefault(WantedPackage(client, name), change)
    return tuple(found.items())[:MAX_DEPENDENCIES]


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
        loose = re.sub(r"[-_.]+", "[-_.]+", re.escape(wanted.name).replace(r"\-", "-"))
        named = re.compile(loose, re.IGNORECASE)
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


def _named(path: str, text: str | None) -> Iterator[str]:
    if text is None:
        return
    if path.endswith(".json"):
        yield from _npm_names(text)
    elif path.endswith(".toml"):
        yield from _project_names(text)
    else:
        yield from _requirements(line.split("#", 1)[0] for line in text.splitlines())


def _npm_names(text: str) -> Iterator[str]:
    try:
        manifest = json.loads(text)
    except (ValueError, RecursionError):
        return
    for group in _NPM_GROUPS:
        named = manifest.get(group) if isinstance(manifest, dict) else None
        for name, version in named.items() if isinstance(named, dict) else ():
            elsewhere = not isinstance(version, str) or ":" in version or "/" in version
            if _NPM_NAME.fullmatch(name) and not elsewhere:
                yield name


def _project_names(text: str) -> Iterator[str]:
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
        for name in _requirements(lines):
            if name not in {_normal(one) for one in (*elsewhere, own)}:
                yield name


def _table(parent: dict[str, object], key: str) -> dict[str, object]:
    found = parent.get(key)
    return found if isinstance(found, dict) else {}


def _requirements(lines: Iterable[str]) -> Iterator[str]:
    for line in lines:
        match = _NAME.match(line.split(";", 1)[0])
        if match and " @ " not in line:
            yield _normal(match.group(1))


def _normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()
