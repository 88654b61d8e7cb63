"""Asks what is installed how it starts node: the runner itself, and node for the options that it knows.

Runs inside the sandbox, under its `python3` (3.8 or newer). Nothing that is answered here is a result.
"""

from __future__ import annotations

import contextlib
import glob
import json
import math
import os
import re
import shlex
import subprocess
import tempfile
from typing import NamedTuple

CLI_OF_MOCHA = 6  # the first version with lib/cli/cli.js
TAP_OF_MODULES = 18  # the first version that is made of plug-ins, and lists its files
_HERE = os.path.dirname(os.path.abspath(__file__))  # noqa: PTH100, PTH120
_ASKED_S = 60.0
_BUILT_S = 300.0  # tap compiles its plug-ins before it starts the first file
_SLOWER = 4.0  # than where a project's bound was chosen: several runs share the machine
_LOADER = "--experimental-loader"
_OF_ONE_FILE = re.compile(r"ASSAY_|NODE_OPTIONS$|TAP_CHILD_|TAP_JOB_ID$")


_LONGEST_RANGE = 80


class Installed:
    """The runner that the tree has: its folder, version, script and range of node; empty for node itself."""

    def __init__(self, package: str, name: str) -> None:
        self.folder, self.version, self.script, self.wanted_node = "", "", "", ""
        upwards = [os.getcwd()]  # noqa: PTH109
        while upwards[-1] != os.path.dirname(upwards[-1]):  # noqa: PTH120
            upwards.append(os.path.dirname(upwards[-1]))  # noqa: PTH120
        for folder in upwards if package else ():
            place = os.path.join(folder, "node_modules", package)  # noqa: PTH118
            with contextlib.suppress(OSError, ValueError, AttributeError, KeyError):
                with open(os.path.join(place, "package.json"), "rb") as file:  # noqa: PTH118, PTH123
                    manifest = json.loads(file.read())
                bins = manifest.get("bin", "")
                script = bins if isinstance(bins, str) else bins.get(name) or bins.get(package)
                self.folder, self.version = os.path.realpath(place), str(manifest["version"])
                self.script = os.path.join(place, script) if script else ""  # noqa: PTH118
                engines = manifest.get("engines")
                wanted = engines.get("node", "") if isinstance(engines, dict) else ""
                self.wanted_node = str(wanted)[:_LONGEST_RANGE]
                break

    @property
    def major(self) -> int:
        """Return the first number of its version, 0 when it is not known."""
        found = re.match(r"\d{1,6}", self.version)
        return int(found.group()) if found else 0


def ask(words: list[str], environment: dict[str, str], time_s: float = _ASKED_S) -> str:
    """Return what a short program prints; it has no key and nothing that it says is a result."""
    with contextlib.suppress(OSError, subprocess.SubprocessError):
        done = subprocess.run(
            ["node", *words],
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            timeout=time_s,
            check=False,
        )
        if done.returncode == 0:
            return done.stdout.decode("utf-8", "replace")
    return ""


class Start:
    """Says with which words and variables node is started.

    `variables`, `file_s` and `is_unknown` are known after `words`: whether the runner did not tell how.
    """

    def __init__(self, orders: dict, installed: Installed) -> None:  # type: ignore[type-arg]
        self._orders = orders
        self._installed = installed
        self.variables: dict[str, str] = {}
        self.is_unknown = False

    def words(self) -> list[str]:
        """Return node's own arguments, those included that only this version of the runner wants."""
        own, installed = list(self._orders["node"]), self._installed
        for first, before, node, _ in self._orders["editions"]:
            if first <= installed.major and (not before or installed.major < before):
                own += node
        if self._orders["runner"] == "mocha" and installed.major >= CLI_OF_MOCHA:
            options = [f"{_HERE}/node/mocha_options.cjs", installed.folder]
            asked = ask([*options, *self._orders["arguments"]], self._orders["environment"])
            with contextlib.suppress(ValueError):
                own += [str(word) for word in json.loads(asked or "[]")]
        elif self._orders["runner"] == "tap" and installed.major >= TAP_OF_MODULES:
            told = self._as_tap_does()
            own, self.is_unknown = [*own, *told], not told
        return self._as_node_knows(own)

    @property
    def file_s(self) -> float:
        """Return for how long tap lets a file run, with time to spare; infinite where nothing says it."""
        told = self.variables.get("TAP_TIMEOUT", "")
        is_bound = re.fullmatch(r"\d{1,9}(?:\.\d{1,9})?", told) and float(told) > 0
        return _SLOWER * float(told) if is_bound else math.inf

    def _as_tap_does(self) -> list[str]:
        """Let tap start a file of ours, which tells the arguments and variables that it was given.

        They come from tap's plug-ins and from the project's `.taprc`.
        """
        environment = self._orders["environment"]
        with tempfile.TemporaryDirectory() as folder:
            told = os.path.join(folder, "told")  # noqa: PTH118
            flags = ["--disable-coverage", "--allow-empty-coverage", "--allow-incomplete-coverage"]
            line = [self._installed.script, "run", *flags, f"{_HERE}/node/tap_started.cjs"]
            ask(line, {**environment, "ASSAY_TOLD": told}, _BUILT_S)
            with contextlib.suppress(OSError, ValueError, TypeError, AttributeError):
                with open(told, "rb") as file:  # noqa: PTH123
                    seen = json.loads(file.read())
                pairs = {str(key): str(value) for key, value in seen["variables"].items()}
                self.variables = {
                    key: value
                    for key, value in pairs.items()
                    if environment.get(key) != value and not _OF_ONE_FILE.match(key)
                }
                options = shlex.split(pairs.get("NODE_OPTIONS", ""))
                given = [*options, *(str(word) for word in seen["arguments"])]
                first = f"--import={_HERE}/node/tap_first.mjs"
                self.variables["ASSAY_TAP"] = self._installed.folder
                return [*(word for word in given if "@tapjs/processinfo" not in word), first]
        return []

    def _as_node_knows(self, words: list[str]) -> list[str]:
        """Name our hooks as a node before 18.18 takes them: as loaders, and before 12 not at all."""
        hooks = f"--import={_HERE}/node/"
        if not any(word.startswith(hooks) for word in words):
            return words
        flags = "[...(process.allowedNodeEnvironmentFlags || [])].join()"
        known = ask(["-p", flags], self._orders["environment"]).strip().split(",")
        if "--import" in known:
            return words
        found = []
        for word in words:
            loader = word.replace("--import=", f"{_LOADER}=").replace("_hook.mjs", "_loader.mjs")
            if not word.startswith(hooks):
                found.append(word)
            elif _LOADER in known:
                found.append(loader)
        return found


# --- the test files of runners that start each in a process of its own -----------------------------
# Runs inside the sandbox, under its `python3` (3.8 or newer); it reads names only.


SCRIPT = re.compile(r"\.([mc]?[jt]s|[jt]sx)$")
# What `tap` (13 to 16) and `uvu` take for tests when they are given no files.
_BY_NAME = re.compile(
    r"((/|^)(tests?|__tests?__)/.*|\.(tests?|spec)|^/?tests?)\.([mc]js|[jt]sx?)$", re.I
)
_NEVER = re.compile(r"(^|/)(node_modules|\.git|coverage|tap-snapshots|fixtures?|dist)/")
_MOST = 5000
_IGNORE = "--ignore="
_LISTED = re.compile(r"^files:[ \t]*(.*)\n((?:[ \t]*-[ \t].*\n)*)", re.MULTILINE)


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


class TestFiles(NamedTuple):
    """The files to run, which of these may be `helpers`, and all that the runner itself `found`.

    A helper that was asked for defines tests for the files that load it, and tells none where it runs alone.
    """

    run: list[str]
    helpers: list[str]
    found: list[str]


def test_files(runner: str, words: list[str], only: list[str]) -> TestFiles:
    """Return the files to run, relative to the working folder.

    `words` are files, folders and patterns of the runner's command line. `only` restricts them: files
    and folders that shall run, empty for all; files that no pattern holds run all the same.
    """
    named = words or (_of_tap_settings() if runner == "tap" else [])
    found = _uvu(words) if runner == "uvu" else _named(named, runner)
    if not named and runner == "tap":
        found = [path for path in _below(".") if _BY_NAME.search(path)]
    found = list(dict.fromkeys(os.path.normpath(path) for path in found))[:_MOST]
    if not only or not all(SCRIPT.search(path) or os.path.isdir(path) for path in only):  # noqa: PTH112
        return TestFiles(found, [], found)
    chosen = [
        path
        for path in found
        if any(path == one or path.startswith(one.rstrip("/") + "/") for one in only)
    ]
    apart = [path for path in only if SCRIPT.search(path) and os.path.normpath(path) not in found]
    helpers = [path for path in (*apart, *chosen) if _names(path, runner)]
    asked = [path for path in apart if path in helpers or not chosen]
    return TestFiles([*asked, *chosen] or found, helpers, found)


def _of_tap_settings() -> list[str]:
    """Return the patterns of the setting `files` of tap (to 16), in package.json or its own file."""
    with contextlib.suppress(OSError, ValueError, AttributeError, KeyError):
        with open("package.json", "rb") as file:  # noqa: PTH123
            files = json.loads(file.read())["tap"]["files"]
        return [str(one) for one in ([files] if isinstance(files, str) else files)]
    with contextlib.suppress(OSError), open(".taprc", encoding="utf-8") as file:  # noqa: PTH123
        found = _LISTED.search(f"{file.read()}\n")
        if found:
            rows = (found.group(1).strip("[]").split(","), found.group(2).splitlines())
            return [text for row in rows for one in row if (text := one.strip(" \t-'\""))]
    return []


def _names(path: str, library: str) -> bool:
    """Tell whether a file loads a library of tests, as one has to that defines any."""
    with contextlib.suppress(OSError), open(path, "rb") as file:  # noqa: PTH123
        return bool(re.search(rb"""['"]%s['"]""" % library.encode(), file.read()))
    return False


def _named(words: list[str], runner: str) -> list[str]:
    found: list[str] = []
    for path in [path for word in words for path in expanded(word)]:
        if os.path.isdir(path) and runner == "tap":  # noqa: PTH112
            found += [one for one in _below(path) if SCRIPT.search(one)]
        elif os.path.isdir(path):  # noqa: PTH112
            found.append(path)
        else:  # Node means a file by a name without its ending, too
            names = (path, f"{path}.js", f"{path}.cjs", f"{path}.mjs", f"{path}.ts")
            found.append(next((one for one in names if os.path.isfile(one)), path))  # noqa: PTH113
    return found


def _uvu(words: list[str]) -> list[str]:
    """Return what `uvu [folder] [pattern]` runs; patterns are regular expressions.

    What `--ignore` names, by its path in the folder, is passed over with all that stands below it.
    """
    folder, text = (*(word for word in words if not word.startswith(_IGNORE)), "", "")[:2]
    pattern = _BY_NAME if not folder else SCRIPT
    try:
        ignored = [
            re.compile(one[len(_IGNORE) :], re.I) for one in words if one.startswith(_IGNORE)
        ]
        pattern = re.compile(text.strip("/"), re.I) if text else pattern
    except re.error:
        return []
    found = []
    for path in _below(folder or "."):
        parts = os.path.relpath(path, folder or ".").split("/")
        above = ["/".join(parts[:end]) for end in range(1, len(parts) + 1)]
        is_test = pattern.search(path) and SCRIPT.search(path)
        if is_test and not any(one.search(place) for one in ignored for place in above):
            found.append(path)
    return found


def _below(folder: str) -> list[str]:
    found: list[str] = []
    for place, folders, names in os.walk(folder):
        folders[:] = sorted(one for one in folders if one not in ("node_modules", ".git"))
        found += [os.path.normpath(os.path.join(place, name)) for name in sorted(names)]  # noqa: PTH118
    return [path for path in found if not _NEVER.search(path)]
