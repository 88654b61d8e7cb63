"""Finds what newly opens the network, starts programs or asks where it runs while a package is installed.

`setup.py`, build hooks, and the scripts that `postinstall` and its like name run on the machine of whoever
installs the package, wherever they lie: in a folder of tools, say.
"""

from __future__ import annotations

import json
import posixpath
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import PurePosixPath

from bot.diff.kinds import is_test_file
from bot.diff.lines import TextReader, added_lines, is_gone, old_path
from bot.integrity.inspection import Inspection, make_finding
from bot.integrity.reach import newly_reached, ships
from bot.text.clipping import clip_line
from bot.values.rules import IN_WORDS, NETWORK_OPENED, PLACE_ASKED, PROGRAM_STARTED
from sandbox.values import Diff, Finding

_HOOKS = ("preinstall", "install", "postinstall", "prepare")
_FILES = re.compile(r"[\w@.][\w@./-]{0,200}\.[cm]?[jt]s\b")
_FETCHES = re.compile(r"\b(?:curl|wget)\s|\bhttps?://|\bfetch\(|['\"](?:node:)?https?['\"]")
_BUILD_FILES = ("setup.py", "hatch_build.py")
_RULES = (NETWORK_OPENED, PLACE_ASKED, PROGRAM_STARTED)
_SHOWN_CHARS = 60


@dataclass(frozen=True, slots=True)
class _Renamed:
    """The files of one side that installing runs, under names of sources that ship."""

    side: TextReader
    names: Mapping[str, str]

    def read(self, path: str) -> str | None:
        found = self.names.get(path)
        return None if found is None else self.side.read(found)

    def read_bytes(self, path: str) -> bytes | None:
        found = self.names.get(path)
        return None if found is None else self.side.read_bytes(found)

    def paths(self) -> tuple[str, ...]:
        return tuple(self.names)


def reached_on_install(inspection: Inspection) -> Iterator[Finding]:
    """Look at what installing runs as at what ships; base knows only what it did while being installed."""
    yield from _fetched_by_scripts(inspection)
    run = {path for path in _run_on_install(inspection.head) if not ships(path)}
    ours = [one for one in inspection.diff.files if one.path in run and not is_gone(one)]
    if not ours:
        return
    before = _run_on_install(inspection.base)
    names = {_as_source(path): path for path in (*before, *(old_path(one) for one in ours))}
    now = {_as_source(one.path): one for one in ours}
    renamed = [
        replace(one, path=name, old_path=_as_source(old_path(one))) for name, one in now.items()
    ]
    seen = replace(
        inspection,
        diff=Diff(tuple(renamed)),
        base=_Renamed(inspection.base, names),
        head=_Renamed(inspection.head, {name: one.path for name, one in now.items()}),
    )
    for found in newly_reached(seen):
        if found.rule in _RULES:
            change = now[found.path]
            line = dict(added_lines(change)).get(found.line, "")
            shown = clip_line(line.strip(), _SHOWN_CHARS)
            message = (
                f"Whoever installs the package runs this file, and {IN_WORDS[found.rule]}: `{shown}`. The "
                "task does not speak of it."
            )
            yield make_finding(found.rule, change, found.line, message)


def _fetched_by_scripts(inspection: Inspection) -> Iterator[Finding]:
    """Scripts of package.json that newly fetch something by themselves while the package is installed."""
    for change in inspection.diff.files:
        if PurePosixPath(change.path).name != "package.json" or is_gone(change):
            continue
        before, after = (
            _scripts(text) for text in (inspection.before(change), inspection.after(change))
        )
        for hook, script in after.items():
            if _FETCHES.search(script) and not _FETCHES.search(before.get(hook, "")):
                lines = (number for number, line in added_lines(change) if f'"{hook}"' in line)
                shown = clip_line(script, _SHOWN_CHARS)
                message = f"Whoever installs the package fetches something: `{shown}`. "
                message += "The task does not speak of it."
                yield make_finding(NETWORK_OPENED, change, next(lines, 0), message)


def _scripts(text: str | None) -> dict[str, str]:
    """The scripts of a package.json that installing runs."""
    try:
        read = json.loads(text or "{}")
    except (ValueError, RecursionError):
        return {}
    scripts = read.get("scripts") if isinstance(read, dict) else None
    known = scripts if isinstance(scripts, dict) else {}
    return {hook: str(known[hook]) for hook in _HOOKS if hook in known}


def _run_on_install(side: TextReader) -> set[str]:
    """The files that installing runs: by their names, or as the package.json above them says."""
    found: set[str] = set()
    for path in side.paths():
        folder, name = posixpath.split(path)
        if name in _BUILD_FILES and not is_test_file(path):
            found.add(path)
        elif name == "package.json" and not is_test_file(path):
            named = (
                one for line in _scripts(side.read(path)).values() for one in _FILES.findall(line)
            )
            found.update(posixpath.normpath(posixpath.join(folder, one)) for one in named)
    return found


def _as_source(path: str) -> str:
    """A name that no folder of tools makes a tool of; a name of its own at the top is none, either."""
    return f"installed/{path.replace('/', '-').replace('setup.', 'set_up.')}"
