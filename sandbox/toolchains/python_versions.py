"""Which versions of packages are installed: of a lock file, or as they were when the commits were made."""

from __future__ import annotations

import re
import shlex
from collections import defaultdict
from dataclasses import dataclass

from sandbox.toolchains.ecosystem import SetupHints, Toolchain
from sandbox.toolchains.layers import DEPENDENCIES
from sandbox.toolchains.tree import Tree

PIP_INSTALL = ("uv", "pip", "install")
_LOCKS = ("poetry.lock", "pdm.lock")
_LOCKED = re.compile(r"name = \"([A-Za-z0-9][\w.-]{0,99})\"\nversion = \"(\d[\w.+!-]{0,59})\"\n")
_ELSEWHERE = re.compile(r"^(?:\[package\.source\]|(?:git|path|url) = )", re.MULTILINE)
_MOST_LOCKED = 500
_VERSIONS = f"{DEPENDENCIES}/locked.txt"

Commands = tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True)
class Versions:
    """Where versions come from: the pins of a `lock` file, what was released `before` a date, the newest."""

    before: str = ""
    lock: str = ""
    pins: tuple[str, ...] = ()

    @property
    def said(self) -> str:
        """Return the end of the sentence "Dependencies come from …"."""
        newest = "resolved to the newest allowed"
        if self.before:
            newest += f" of those released before {self.before}, because the commits are old"
        if self.lock:
            return (
                f"at the versions of {self.lock}; or {newest}, where those cannot be had as wheels."
            )
        if self.before:
            return (
                f"{newest} and there is no lock file; or of all, where those cannot be installed."
            )
        return f"{newest}."

    def install(self, commands: Commands) -> Commands:
        """Return the commands with these versions, and as they are where that fails."""
        return tuple(self._one(argv) if argv[:3] == PIP_INSTALL else argv for argv in commands)

    def _one(self, argv: tuple[str, ...]) -> tuple[str, ...]:
        lines = [shlex.join(argv)]
        dated = (*PIP_INSTALL, "--exclude-newer", self.before) if self.before else PIP_INSTALL
        if self.before:
            lines.insert(0, shlex.join((*dated, *argv[3:])))
        if self.pins:
            as_locked = (*dated, "-c", _VERSIONS, *argv[3:])
            written = f"printf '%s\\n' {shlex.join(self.pins)} > {_VERSIONS}"
            lines.insert(0, f"{written} && {shlex.join(as_locked)}")
        return ("sh", "-c", " || ".join(lines)) if len(lines) > 1 else argv


def versions(tree: Tree, setup: SetupHints, toolchain: Toolchain) -> Versions:
    """Return which versions a project gets that has no lock file of uv.

    For old commits packages count up to the first of a month, so that layers are shared, and at least a year
    after the release of this Python (3.N in October of 2011 + N): older packages were not made for it, nor
    are those of a lock file then.
    """
    before = least = ""
    if setup.released_before:
        year, month = (int(part) for part in setup.released_before.split("-")[:2])
        commits = f"{year + month // 12}-{month % 12 + 1:02}-01"
        least = f"{2012 + int(toolchain.python.split('.')[1])}-11-01"
        before = max(commits, least)
    lock = next((one for one in _LOCKS if tree.is_plain(one)), "")
    pins = _pins(tree.read(lock)) if lock and (not before or before != least) else ()
    return Versions(before, lock if pins else "", pins)


def _pins(text: str) -> tuple[str, ...]:
    """Return what a lock file has one version of, from the index, as lines of a file of constraints.

    Nothing is compiled here that the file's own Python had a wheel for.
    """
    found: dict[str, set[str]] = defaultdict(set)
    in_source: set[str] = set()
    for entry in text.split("[[package]]\n")[1:]:
        if named := _LOCKED.match(entry):
            found[named[1]].add("" if _ELSEWHERE.search(entry) else named[2])
            if "\nfiles = [" in entry and '.whl"' not in entry:
                in_source.add(named[1])
    single = [(name, *of) for name, of in found.items() if len(of) == 1 and "" not in of]
    pins = [f"{name}=={version}" for name, version in single[:_MOST_LOCKED]]
    wheels = [f"--only-binary {name}" for name, _ in single[:_MOST_LOCKED] if name not in in_source]
    return (*pins, *wheels)
