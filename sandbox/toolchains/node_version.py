"""Which Node a project asks for, and where it comes from when the machine has another.

`engines.node` is one of npm's ranges, as far as projects use them. Where it leaves a choice, the releases
on which CI runs the tests decide. Every release of Node is in npm's registry: the `node` package's own
packages by platform hold it.
"""

from __future__ import annotations

import platform
import re
from dataclasses import dataclass, replace

from sandbox.toolchains.layers import TOOLCHAIN
from sandbox.toolchains.node_chain import MAJORS, release_named, releases_of_ci
from sandbox.toolchains.tree import Tree

_COMPARATOR = re.compile(
    r"(>=|<=|>|<|\^|~|=)?\s{0,9}v?(\d+|[xX*])(?:\.(\d+|[xX*]))?(?:\.(\d+|[xX*]))?\S*"
)
_HYPHEN = re.compile(r"(?<!\S)(\S+)\s+-\s+(\S+)")
Version = tuple[int, int, int]
_LATEST = 9999
OLDEST = 6
"""The oldest major version whose tests Assay's reporters can watch."""
_PLATFORMS = {"x86_64": "x64", "aarch64": "arm64", "ppc64le": "ppc64le", "s390x": "s390x"}
# The newest npm that runs on a Node of at least this major, by npm's own `engines`.
_NPM = (
    (20, "10"), (18, "9"), (16, "8"), (15, "7"), (14, "8"),
    (13, "7"), (12, "8"), (10, "7"), (6, "6"), (0, "5"),
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class WantedNode:
    """The Node to use. `release` is "" for the machine's, else "22" or "18.12.1"; `source` asked for it.

    `missing` is what the project asks for that no release is known to meet, `older` the release that it
    asks for where no test can be watched on that one.
    """

    release: str = ""
    source: str = ""
    missing: str = ""
    older: str = ""


def wanted_node(
    tree: Tree, folders: tuple[str, ...], machine: str, released_before: str = ""
) -> WantedNode:
    """Return which Node a project asks for, by the nearest of its files; `machine` has this version.

    A file that names a release is believed to its major version. Else the newest release of the range on
    which CI runs the tests is taken, or the machine's where it is one of them. Without any, a range is met
    by the nearest major. One with long support comes first. One that is too old to watch tests is replaced.
    """
    of_ci = releases_of_ci(tree, released_before)
    wanted = _asked_node(tree, folders, machine, of_ci)
    if wanted.release and int(wanted.release.split(".")[0]) < OLDEST:
        return replace(wanted, release=str(OLDEST), older=wanted.release)
    return wanted


def _asked_node(
    tree: Tree, folders: tuple[str, ...], machine: str, of_ci: dict[str, str]
) -> WantedNode:
    for folder in folders:
        place = Tree(tree.root / folder)
        manifest = place.json("package.json")
        named = (
            ("volta", manifest.table("volta").text("node")),
            (".nvmrc", place.read(".nvmrc")),
            (".node-version", place.read(".node-version")),
        )
        for source, text in named:
            release = release_named(text)
            if release:
                is_here = machine and release.split(".")[0] == machine.split(".", maxsplit=1)[0]
                return WantedNode() if is_here else WantedNode(release, source)
        wanted = manifest.table("engines").text("node")
        if wanted:
            return _by_ci(of_ci, wanted, machine) or _by_range(wanted, machine)
    return _by_ci(of_ci, "", machine) or WantedNode()


def able_to_run(wanted: WantedNode, machine: str, program: str, needed: str) -> WantedNode:
    """Return the Node that also runs a `program` which needs this range; the same major where it can be."""
    release = wanted.release or machine
    if (
        not release
        or wanted.missing
        or satisfies(release if not wanted.release else _newest_of(release), needed)
    ):
        return wanted
    major = release.split(".", maxsplit=1)[0]
    if satisfies(_newest_of(major), needed):
        return WantedNode(major, f"{wanted.source}, with {program}," if wanted.source else program)
    return replace(_by_range(needed, machine), source=program)


def _by_ci(releases: dict[str, str], wanted: str, machine: str) -> WantedNode | None:
    """Return the newest release of CI that is in the range; None where CI does not say.

    One with long support comes first: what runs tests is seldom made for the others.
    """
    fitting = [one for one in releases if satisfies(_newest_of(one), wanted)]
    if not fitting:
        return None
    majors = {one.split(".")[0] for one in fitting}
    is_here = machine.split(".", maxsplit=1)[0] in majors and satisfies(machine, wanted)
    numbers = {one: [int(part) for part in _newest_of(one).split(".")] for one in fitting}
    newest = max(fitting, key=lambda one: (numbers[one][0] % 2 == 0, numbers[one]))
    return WantedNode() if is_here else WantedNode(newest, releases[newest])


def _newest_of(release: str) -> str:
    return ".".join([*release.split("."), str(_LATEST), str(_LATEST)][:3])


def _by_range(wanted: str, machine: str) -> WantedNode:
    source = "engines.node"
    if machine and satisfies(machine, wanted):
        return WantedNode()
    found = re.match(r"\d+", machine)
    here = int(found.group()) if found else 0
    for major in sorted(MAJORS, key=lambda one: (one % 2, abs(one - here))):
        if satisfies(_newest_of(str(major)), wanted):
            return WantedNode(str(major), source)
    exact = release_named(wanted)
    return WantedNode(exact, source) if exact else WantedNode(missing=wanted)


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
    for part in wanted[:200].split("||"):
        asked = _HYPHEN.sub(r">=\1 <=\2", part.strip())
        if not asked or _COMPARATOR.sub("", asked).strip():
            return True
        comparators = (match.groups() for match in _COMPARATOR.finditer(asked))
        if all(_holds((found[0], found[1], found[2]), *one) for one in comparators):
            return True
    return False


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
    return {">=": version >= low, "<": version < low, ">": known > asked, "<=": known <= asked}.get(
        sign or "=", known == asked
    )
