"""Which Node a project asks for, and where it comes from when the machine has another.

`engines.node` is one of npm's ranges, as far as projects use them. Where it leaves a choice, the releases
on which CI runs the tests decide. Every release of Node is in npm's registry: the `node` package's own
packages by platform hold it.
"""

from __future__ import annotations

import platform
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from sandbox.environments.layers import TOOLCHAIN
from sandbox.environments.tree import LINE_CHARS, Tree

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
_CI_FILES = (".travis.yml", ".gitlab-ci.yml", "azure-pipelines.yml", ".circleci/config.yml")
_TESTED = re.compile(
    r"\b(?:npm|pnpm|yarn|bun)\s+(?:--?\S+\s+)*(?:run\s+|run-script\s+)?(?:t|tst|test|tests|cit|unit|coverage)\b"
    r"|\b(?:vitest|jest|mocha|jasmine|ava|tape|tap|uvu|c8|nyc)\b|\bnode\s+--test\b"
)
_NODE_KEY = re.compile(
    r"[ \t]*(?:-[ \t]+)?['\"]?(?:node|node_js|nodejs)(?:[-_]?versions?)?['\"]?[ \t]*:(?P<value>.*)",
    re.I,
)
_PLATFORMS = {"x86_64": "x64", "aarch64": "arm64", "ppc64le": "ppc64le", "s390x": "s390x"}
# The newest npm that runs on a Node of at least this major, by npm's own `engines`.
_NPM = (
    (20, "10"), (18, "9"), (16, "8"), (15, "7"), (14, "8"),
    (13, "7"), (12, "8"), (10, "7"), (6, "6"), (0, "5"),
)  # fmt: skip


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

    A file that names a release is believed to its major version. Else the newest release of the range on
    which CI runs the tests is taken, or the machine's where it is one of them. Without any, a range is met
    by the nearest major, one with long support first.
    """
    of_ci = _releases_of_ci(tree)
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
            return _by_ci(of_ci, wanted, machine) or _by_range(wanted, machine)
    return _by_ci(of_ci, "", machine) or Wanted()


def able_to_run(wanted: Wanted, machine: str, program: str, needed: str) -> Wanted:
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
        return Wanted(major, f"{wanted.source}, with {program}," if wanted.source else program)
    return replace(_by_range(needed, machine), source=program)


def _by_ci(releases: dict[str, str], wanted: str, machine: str) -> Wanted | None:
    """Return the newest release of CI that is in the range; None where CI does not say."""
    fitting = [one for one in releases if satisfies(_newest_of(one), wanted)]
    if not fitting:
        return None
    majors = {one.split(".")[0] for one in fitting}
    is_here = machine.split(".", maxsplit=1)[0] in majors and satisfies(machine, wanted)
    newest = max(fitting, key=lambda one: [int(part) for part in _newest_of(one).split(".")])
    return Wanted() if is_here else Wanted(newest, releases[newest])


def _releases_of_ci(tree: Tree) -> dict[str, str]:
    """Return the releases on which CI runs the tests, each with the file that says so.

    A matrix of releases is there for the tests; a single one counts in a job that calls them.
    """
    workflows = (tree.listing(".github/workflows", suffix) for suffix in (".yml", ".yaml"))
    found: dict[str, str] = {}
    for path in (*(one for listed in workflows for one in listed), *_CI_FILES):
        lines = [line for line in tree.read(path).splitlines() if len(line) < LINE_CHARS]
        for job in re.split(r"^(?=  [\w-]+:\s*$)", "\n".join(lines), flags=re.M):
            releases = list(_releases_in(job.splitlines()))
            if len(releases) > 1 or path == ".travis.yml" or _TESTED.search(job):
                found |= dict.fromkeys(releases, path)
    return found


def _releases_in(lines: list[str]) -> Iterator[str]:
    """Yield the releases that the keys of a CI job name, in a line or in the list below it."""
    is_listing = False
    for line in lines:
        key = _NODE_KEY.fullmatch(line)
        text = (key["value"] if key else line).split("#")[0].strip()
        if key:
            is_listing = not text
        elif is_listing and (not text or text.startswith("-")):
            text = text.removeprefix("-")
        else:
            is_listing, text = False, ""
        for word in re.split(r"[\s\[\],'\"]+", text):
            release = _release(word)
            if release and int(release.split(".")[0]) in _MAJORS:
                yield release


def _newest_of(release: str) -> str:
    return ".".join([*release.split("."), str(_LATEST), str(_LATEST)][:3])


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
