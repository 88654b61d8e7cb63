"""Asks what is installed how it starts node: the runner itself, and node for the options that it knows.

Runs inside the sandbox, under its `python3` (3.8 or newer). Nothing that is answered here is a result.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import shlex
import subprocess
import tempfile

CLI_OF_MOCHA = 6  # the first version with lib/cli/cli.js
TAP_OF_MODULES = 18  # the first version that is made of plug-ins, and lists its files
_HERE = os.path.dirname(os.path.abspath(__file__))  # noqa: PTH100, PTH120
_ASKED_S = 60.0
_BUILT_S = 300.0  # tap compiles its plug-ins before it starts the first file
_LOADER = "--experimental-loader"
_OF_ONE_FILE = re.compile(r"ASSAY_|NODE_OPTIONS$|TAP_CHILD_|TAP_JOB_ID$")


class Installed:
    """The runner that the tree has: its folder, version and script; empty for node itself."""

    def __init__(self, package: str, name: str) -> None:
        self.folder, self.version, self.script = "", "", ""
        for folder in _upwards(os.getcwd()) if package else ():  # noqa: PTH109
            place = os.path.join(folder, "node_modules", package)  # noqa: PTH118
            with contextlib.suppress(OSError, ValueError, AttributeError, KeyError):
                with open(os.path.join(place, "package.json"), "rb") as file:  # noqa: PTH118, PTH123
                    manifest = json.loads(file.read())
                bins = manifest.get("bin", "")
                script = bins if isinstance(bins, str) else bins.get(name) or bins.get(package)
                self.folder, self.version = os.path.realpath(place), str(manifest["version"])
                self.script = os.path.join(place, script) if script else ""  # noqa: PTH118
                break

    @property
    def major(self) -> int:
        """Return the first number of its version, 0 when it is not known."""
        found = re.match(r"\d{1,6}", self.version)
        return int(found.group()) if found else 0


def _upwards(folder: str) -> list[str]:
    found = [folder]
    while found[-1] != os.path.dirname(found[-1]):  # noqa: PTH120
        found.append(os.path.dirname(found[-1]))  # noqa: PTH120
    return found


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
    """Says with which words and variables node is started; `variables` are known after `words`."""

    def __init__(self, orders: dict, installed: Installed) -> None:  # type: ignore[type-arg]
        self._orders = orders
        self._installed = installed
        self.variables: dict[str, str] = {}

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
            own += self._as_tap_does()
        return self._as_node_knows(own)

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
