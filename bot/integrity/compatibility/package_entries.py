"""Finds what reaches whoever installs a package, and not its tests.

An entry of `package.json` that is kept in the repository beside the source that it is made of and stays as it
was, the other one of two entries (for `import` and for `require`), a program that can be executed no more;
and what newly opens the network, starts programs or asks where it runs in `setup.py`, in build hooks and in
the scripts that `postinstall` and its like name, wherever these lie."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator
from pathlib import PurePosixPath

from bot.diff.kinds import is_shipped_source, is_test_file
from bot.diff.lines import TextReader, added_lines, is_new, old_path, removed_lines
from bot.integrity.reading.inspection import Inspection, make_finding, ships, words_of_task
from bot.integrity.reading.languages import SCRIPT
from bot.integrity.side_effects.reach import reached_by
from bot.text.clipping import clip_line
from bot.text.json_reading import json_object
from bot.values.rules import (
    ENTRY_STALE,
    IN_WORDS,
    MODE_LOST,
    NETWORK_OPENED,
    PLACE_ASKED,
    PROGRAM_STARTED,
)
from sandbox.values import FileChange, Finding

_PROGRAM, _PLAIN = "100755", "100644"
_OF_MODES = re.compile(r"(?i)\b(?:chmod|modes?|executable|permissions?|x[- ]bit|0?[67][045]{2})\b")
_OF_ENTRIES = re.compile(
    r"(?i)\b(?:dist|bundles?|cjs|esm|common ?js|es ?modules?|builds?|built|rebuil\w+|umd)\b"
)
_MADE = re.compile(r"(?:^|/)(?:dist|lib|build|out|es|esm|cjs|umd|bundles?|public)/")
_MAKES = re.compile(r"(?:pre|post)?(?:prepare|prepack|publish\w*|version)$|release")
"""Scripts that make what is published anew."""
_REMARK = re.compile(r"\s*(?://|/?\*|$)")
_LEAST = 8  # letters and signs of a line that tells something
_MOST_TARGETS = 40


def stale_entries(inspection: Inspection) -> Iterator[Finding]:
    """Changed sources of which what users load is as on base."""
    sources = [one for one in inspection.left(SCRIPT.suffixes) if _is_edited(one)]
    if not sources or _OF_ENTRIES.search(words_of_task(inspection)):
        return
    head, touched = inspection.head, {one.path for one in inspection.diff.files}
    for manifest in (one for one in head.paths() if posixpath.basename(one) == "package.json"):
        read = json_object(head.read(manifest))
        scripts = read.get("scripts")
        if any(map(_MAKES.match, scripts if isinstance(scripts, dict) else ())):
            continue
        folder = posixpath.dirname(manifest)
        named = (posixpath.normpath(posixpath.join(folder, one)) for one in _targets(read))
        targets = list(dict.fromkeys(named))[:_MOST_TARGETS]
        for change in sources:
            stem = posixpath.splitext(change.path)[0]
            for one in targets:
                text = head.read(one)  # what is built may be in no list
                if text is None or one in touched or posixpath.basename(change.path) in text:
                    continue  # it is changed along, or loads what is changed
                is_other = change.path in targets and posixpath.splitext(one)[0] == stem
                if is_other or _is_made_of(one, text, change):
                    message = (
                        f"`{manifest}` gives users `{one}`, which is as on base, while `{change.path}` "
                        "changes beside it. The task does not speak of that."
                    )
                    lines = added_lines(change) or removed_lines(change)
                    yield make_finding(ENTRY_STALE, change, lines[0][0], message)


def _is_edited(change: FileChange) -> bool:
    lines = (*added_lines(change), *removed_lines(change))
    is_edited = any(not _REMARK.match(line) for _, line in lines)
    return is_edited and is_shipped_source(change.path) and not is_new(change)


def _is_made_of(path: str, text: str, change: FileChange) -> bool:
    """Tell whether a built file has all that a source had, which the change takes away."""
    stems = (posixpath.splitext(posixpath.basename(one))[0] for one in (path, change.path))
    if next(stems) != next(stems) or not _MADE.search(path) or _MADE.search(change.path):
        return False
    known = {_bare(line) for line in text.splitlines()}
    gone = [_bare(line) for _, line in removed_lines(change) if not _REMARK.match(line)]
    told = [one for one in gone if len(one) >= _LEAST]
    return bool(told) and known.issuperset(told)


def _bare(line: str) -> str:
    return "".join(line.split()).rstrip(";,")


def _targets(manifest: dict[str, object]) -> Iterator[str]:
    """Yield the files that a package's entries name."""
    waiting = [manifest.get(key) for key in ("main", "module", "browser", "bin", "exports")]
    while waiting:
        one = waiting.pop()
        if isinstance(one, str):
            yield one
        elif isinstance(one, dict | list):
            waiting += one.values() if isinstance(one, dict) else one


def lost_modes(inspection: Inspection) -> Iterator[Finding]:
    """Programs of base that cannot be executed any more."""
    for change in inspection.left():
        is_lost = (change.old_mode, change.new_mode) == (_PROGRAM, _PLAIN)
        if not is_lost or is_test_file(change.path):
            continue
        is_script = (inspection.after(change) or "").startswith("#!")
        if is_script and not _OF_MODES.search(words_of_task(inspection)):
            message = (
                f"`{change.path}` can be executed on base, and no more on head. The task does not speak of "
                "that."
            )
            yield make_finding(MODE_LOST, change, 1, message)


_HOOKS = ("preinstall", "install", "postinstall", "prepare")
_FILES = re.compile(r"[\w@.][\w@./-]{0,200}\.[cm]?[jt]s\b")
_FETCHES = re.compile(r"\b(?:curl|wget)\s|\bhttps?://|\bfetch\(|['\"](?:node:)?https?['\"]")
_BUILD_FILES = ("setup.py", "hatch_build.py")
_RULES = (NETWORK_OPENED, PLACE_ASKED, PROGRAM_STARTED)
_SHOWN_CHARS = 60


def reached_on_install(inspection: Inspection) -> Iterator[Finding]:
    """Look at what installing runs as at what ships; base knows only what it did while being installed."""
    yield from _fetched_by_scripts(inspection)
    run = {path for path in _run_on_install(inspection.head) if not ships(path)}
    ours = [one for one in inspection.left() if one.path in run]
    if not ours:
        return
    changes = {one.path: one for one in ours}
    of_base = {*_run_on_install(inspection.base), *map(old_path, ours)}
    for found in reached_by(ours, inspection, lambda: of_base):
        if found.rule in _RULES:
            change = changes[found.path]
            line = dict(added_lines(change)).get(found.line, "")
            shown = clip_line(line.strip(), _SHOWN_CHARS)
            message = (
                f"Whoever installs the package runs this file, and {IN_WORDS[found.rule]}: `{shown}`. The "
                "task does not speak of it."
            )
            yield make_finding(found.rule, change, found.line, message)


def _fetched_by_scripts(inspection: Inspection) -> Iterator[Finding]:
    """Scripts of package.json that newly fetch something by themselves while the package is installed."""
    for change in inspection.left():
        if PurePosixPath(change.path).name != "package.json":
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
    scripts = json_object(text).get("scripts")
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
