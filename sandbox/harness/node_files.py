"""Finds the test files of runners that start each in a process of its own: tap, tape, uvu, `node FILE`.

Runs inside the sandbox, under its `python3` (3.8 or newer); it reads names only.
"""

from __future__ import annotations

import glob
import os
import re

SCRIPT = re.compile(r"\.([mc]?[jt]s|[jt]sx)$")
# What `tap` (13 to 16) and `uvu` take for tests when they are given no files.
_BY_NAME = re.compile(
    r"((/|^)(tests?|__tests?__)/.*|\.(tests?|spec)|^/?tests?)\.([mc]js|[jt]sx?)$", re.I
)
_NEVER = re.compile(r"(^|/)(node_modules|\.git|coverage|tap-snapshots|fixtures?|dist)/")
_MOST = 5000


def expanded(pattern: str) -> list[str]:
    """Return the files of a pattern, or the pattern itself where there are none, as a shell does.

    `{a,b}` is opened up, which the runners' own patterns can do and Python's cannot.
    """
    found: list[str] = []
    for one in _without_braces(pattern):
        names = glob.glob(one, recursive=True)  # noqa: PTH207 - as text, relative
        found += sorted(path for path in names if "node_modules" not in path.split("/"))
    return list(dict.fromkeys(found)) or [pattern]


def _without_braces(pattern: str) -> list[str]:
    match = re.search(r"\{([^{}]*,[^{}]*)\}", pattern)
    if not match:
        return [pattern]
    ends = (pattern[: match.start()], pattern[match.end() :])
    opened = [f"{ends[0]}{one}{ends[1]}" for one in match.group(1).split(",")][:20]
    return [one for each in opened for one in _without_braces(each)][:200]


def test_files(runner: str, words: list[str], only: list[str]) -> list[str]:
    """Return the files to run, relative to the working folder.

    `words` are files, folders and patterns of the runner's command line. `only` restricts them: files
    and folders that shall run, empty for all; files that no pattern holds run all the same.
    """
    found = _uvu(words) if runner == "uvu" else _named(words, runner)
    if not words and runner == "tap":
        found = [path for path in _below(".") if _BY_NAME.search(path)]
    found = list(dict.fromkeys(_plain(path) for path in found))[:_MOST]
    if not only or not all(SCRIPT.search(path) or os.path.isdir(path) for path in only):  # noqa: PTH112
        return found
    chosen = [path for path in found if any(_is_below(path, one) for one in only)]
    return chosen or [path for path in only if SCRIPT.search(path)] or found


def _plain(path: str) -> str:
    return os.path.normpath(path)


def _is_below(path: str, folder: str) -> bool:
    return path == folder or path.startswith(folder.rstrip("/") + "/")


def _named(words: list[str], runner: str) -> list[str]:
    found: list[str] = []
    for path in [path for word in words for path in expanded(word)]:
        if os.path.isdir(path) and runner == "tap":  # noqa: PTH112
            found += [one for one in _below(path) if SCRIPT.search(one)]
        else:
            found.append(path if os.path.isdir(path) else _with_suffix(path))  # noqa: PTH112
    return found


def _with_suffix(path: str) -> str:
    """Return the file that Node means by a name without its ending."""
    names = (path, f"{path}.js", f"{path}.cjs", f"{path}.mjs", f"{path}.ts")
    return next((one for one in names if os.path.isfile(one)), path)  # noqa: PTH113


def _uvu(words: list[str]) -> list[str]:
    """Return what `uvu [folder] [pattern]` runs; the pattern is a regular expression."""
    folder, text = (*words, "", "")[:2]
    pattern = _BY_NAME if not folder else SCRIPT
    if text:
        try:
            pattern = re.compile(text.strip("/"), re.I)
        except re.error:
            return []
    return [path for path in _below(folder or ".") if pattern.search(path) and SCRIPT.search(path)]


def _below(folder: str) -> list[str]:
    found: list[str] = []
    for place, folders, names in os.walk(folder):
        folders[:] = sorted(one for one in folders if one not in ("node_modules", ".git"))
        found += [_plain(os.path.join(place, name)) for name in sorted(names)]  # noqa: PTH118
    return [path for path in found if not _NEVER.search(path)]
