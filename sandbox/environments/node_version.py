"""Which Node a project asks for, and where it comes from when the machine has another.

`engines.node` is one of npm's ranges, as far as projects use them. Every release of Node is in npm's
registry: the `node` package's own packages by platform hold it.
"""

from __future__ import annotations

import platform
import re
from dataclasses import dataclass

from sandbox.environments.layers import TOOLCHAIN
from sandbox.environments.tree import Tree

_COMPARATOR = re.compile(
    r"(>=|<=|>|<|\^|~|=)?\s{0,9}v?(\d+|[xX*])(?:\.(\d+|[xX*]))?(?:\.(\d+|[xX*]))?\S*"
)
_HYPHEN = re.compile(r"(?<!\S)(\S+)\s+-\s+(\S+)")
Version = tuple[int, int, int]
_EXACT = re.compile(r"v?(\d{1,3}(?:\.\d{1,4}){0,2})(?:\.[xX*])?")
_CODENAMES = {
    "argon": "4", "boron": "6", "carbon": "8", "dubnium": "10", "erbium": "12", "fermium": "14",
    "gallium": "16", "hydrogen": "18", "iron": "20", "jod": "22", "krypton": "24",
}  # fmt: skip
_MAJORS = range(4, 60)
_LATEST = 9999
_PLATFORMS = {"x86_64": "x64", "aarch64": "arm64", "ppc64le": "ppc64le", "s390x": "s390x"}
# The newest npm that runs on a Node of at least this major, by npm's own `engines`.
_NPM = ((20, "10"), (14, "9"), (12, "8"), (10, "7"), (6, "6"), (0, "5"))


@dataclass(frozen=True, slots=True)
class Wanted:
    """The Node to use. `release` is "" for the machine's, else "22" or "18.12.1"; `source` asked for it.

    `missing` is what the project asks for that no release is known to meet.
    """

    release: str = ""
    source: str = ""
    missing: str = ""


def wanted_node(tree: Tree, folders: tuple[str, ...], machine: str) -> Wanted:
    """Return which Node a project asks for, by the nearest of its files; `machine` has this version.

    A file that names a release is believed to its major version; a range is met by the nearest major,
    one with long support first.
    """
    for folder in folders:
        place = Tree(tree.root / folder)
        manifest = place.json("package.json")
        named = (
            ("volta", manifest.table("volta").text("node")),
            (".nvmrc", place.read(".nvmrc")),
            (".node-version", place.read(".node-version")),
        )
        for source, text in named:
            release = _release(text)
            if release:
                is_here = machine and release.split(".")[0] == machine.split(".", maxsplit=1)[0]
                return Wanted() if is_here else Wanted(release, source)
        wanted = manifest.table("engines").text("node")
        if wanted:
            return _by_range(wanted, machine)
    return Wanted()


def _release(text: str) -> str:
    word = text.strip().split("\n", 1)[0].strip().lower()
    word = _CODENAMES.get(word.removeprefix("lts/"), word)
    found = _EXACT.fullmatch(word)
    return found.group(1) if found else ""


def _by_range(wanted: str, machine: str) -> Wanted:
    source = "engines.node"
    if machine and satisfies(machine, wanted):
        return Wanted()
    found = re.match(r"\d+", machine)
    here = int(found.group()) if found else 0
    for major in sorted(_MAJORS, key=lambda one: (one % 2, abs(one - here))):
        if satisfies(f"{major}.{_LATEST}.{_LATEST}", wanted):
            return Wanted(str(major), source)
    exact = _EXACT.fullmatch(wanted.strip())
    return Wanted(exact.group(1), source) if exact else Wanted(missing=wanted)


def fetching(toolchain: str) -> tuple[str, ...]:
    """Return the command that installs a release ("node 22") and an npm that runs on it."""
    release = toolchain.removeprefix("node ")
    major = int(release.split(".")[0])
    npm = next(version for least, version in _NPM if major >= least)
    machine = _PLATFORMS.get(platform.machine(), platform.machine())
    packages = (f"node-linux-{machine}@{release}", f"npm@{npm}")
    return ("npm", "install", "--ignore-scripts", "--no-audit", "--prefix", TOOLCHAIN, *packages)


def satisfies(version: str, wanted: str) -> bool:
    """Tell whether a version is in the range; a range that cannot be read holds everything."""
    numbers = [int(part) for part in re.findall(r"\d+", version)[:3]]
    found = (*numbers, 0, 0, 0)[:3]
    parts = [part.strip() for part in wanted[:200].split("||")]
    return any(_all_hold((found[0], found[1], found[2]), part) for part in parts)


def _all_hold(version: Version, part: str) -> bool:
    part = _HYPHEN.sub(r">=\1 <=\2", part)
    if not part:
        return True
    rest = _COMPARATOR.sub("", part).strip()
    if rest:
        return True
    return all(_holds(version, *match.groups()) for match in _COMPARATOR.finditer(part))


def _holds(
    version: Version, sign: str | None, major: str, minor: str | None, patch: str | None
) -> bool:
    given = [int(part) for part in (major, minor, patch) if part and part.isdecimal()]
    if not given:
        return True
    low = (*given, 0, 0)[:3]
    if sign == "^":
        width = next((i + 1 for i, part in enumerate(given) if part), len(given))
        return version >= low and version[:width] == low[:width]
    if sign == "~":
        width = min(2, len(given))
        return version >= low and version[:width] == low[:width]
    known = version[: len(given)]
    asked = tuple(given)
    return {
        ">=": version >= low,
        "<": version < low,
        ">": known > asked,
        "<=": known <= asked,
    }.get(sign or "=", known == asked)
