"""Installs Node packages, and says at once which of them is to come from git and cannot be fetched.

Usage: npm_install.py UNFETCHED RUNNERS ARGV... where ARGV is the package manager's own command. When the
host of a git dependency does not answer, [[dependency, whose it is, was it left out], ...] is written to
UNFETCHED. What only a development tool needs is left out, and the rest is installed as the lock has it: a
tool that is none of the test RUNNERS (`mocha,jest`) and that no file of the project names. So is such a tool
that the registry does not have. A `--before=DATE` of npm's is dropped when the registry offers nothing of
that time, or nothing that fits together: a copy of another registry may have the days on which it was copied.
Where npm itself stumbles over packages that are peers of one another, it leaves peers to the project.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import unquote, urlsplit

Json = dict[str, Any]
_KINDS = ("dependencies", "optionalDependencies", "devDependencies")
_HOSTED = re.compile(r"(github|gitlab|bitbucket|gist):|[\w.-]+/[\w.-]+(#.*)?$")
_HOSTS = {"gitlab": "gitlab.com", "bitbucket": "bitbucket.org"}
_GIT = re.compile(
    r"(github|gitlab|bitbucket|gist):|git(\+\w+)?:|(git\+)?ssh:|"
    r"https?://.*(\.git(#|$)|/(tarball|archive|tar\.gz)/)"
)
_IN_LOCK = re.compile(
    r"""(?:git(?:\+\w+)?://|https://codeload\.|https://github\.com/[\w.-]+/[\w.-]+\.git)[^\s"',)}]*"""
)
_NPM_SAID = re.compile(
    r"(?:ssh|https|git)://(?:[\w.-]+@)?([\w.-]+)[/:]([\w.-]+/[\w.-]+?)(?:\.git)?[\s'\"]"
)
_NOT_YET = re.compile(
    r"\bENOVERSIONS\b|\bwith (?:a date before|an Enjoy By date)\b|\bERESOLVE\b"  # a peer of that time
)
_STUMBLED = re.compile(r"npm (?:ERR!|error) Cannot read properties of null")
"""npm 10 about packages that ask for one another as peers (a TypeError of its own)."""
_NAME = r"((?:@[\w.-]+(?:/|%2[fF]))?[\w.-]+)"
# as npm, pnpm, yarn 1 and yarn 4 say it
_ABSENT = re.compile(
    rf"(?:No matching version found for |\b404 +(?:The requested resource )?'){_NAME}@"
    rf"|404\b.{{0,40}} GET https?://\S{{1,200}}?/{_NAME}(?:/-/\S{{1,200}})?(?: - |: )Not [fF]ound"
    rf"|Couldn't find (?:package|any versions for) \"{_NAME}[@\"]"
    rf"|https?://\S{{1,200}}?/{_NAME}/-/\S{{1,200}}: Request failed \"404"
    rf"|{_NAME}@npm:\S{{1,200}}: (?:Package not found|No candidates found)"
)
_NPM_ERROR = re.compile(r"npm (?:ERR!|error)")
_ANSWER_S = 15
_ASK_S = 40
_MOST_ASKED = 60
_MOST_LEFT_OUT = 10
_MOST_FILES = 5000
_MOST_PACKAGES = 500  # of a workspace
_LARGEST_BYTES = 1_000_000
_NAMING = re.compile(r".*(\.([cm]?[jt]s|[jt]sx|json|ya?ml|opts)|rc)")
_OF_MANAGERS = {
    "package.json", "package-lock.json", "npm-shrinkwrap.json", ".npmrc",
    "pnpm-lock.yaml", "pnpm-workspace.yaml", "yarn.lock", ".yarnrc", ".yarnrc.yml",
}  # fmt: skip
# What tests do not load: linters' and publishers' settings, benchmarks, examples.
_SETTINGS = re.compile(r"lint|standard|prettier|renovate|commit|release|czrc", re.I)
_ASIDE = re.compile(r"((^|[./_-])bench(mark)?s?|(^|/)(examples?|website))([./_-]|$)", re.I)
_CODE = re.compile(r"^(?!\.|.*\.conf)[^/]+\.[cm]?[jt]sx?$")  # what is not named as settings
_LOADS = r"(?:\bfrom|\bimport|\w\()\s*['\"`]"  # before a name that code loads


class GitDependency(NamedTuple):
    """A dependency that is not in a registry: its name, what it is asked as, and whose it is."""

    name: str
    spec: str
    owner: str

    @property
    def host(self) -> str:
        """Return the host that has to answer."""
        hosted = re.match(r"(\w+):[^/]", self.spec)
        if _HOSTED.match(self.spec) or not self.spec:
            return _HOSTS.get(hosted.group(1) if hosted else "", "github.com")
        try:
            url = urlsplit(self.spec.replace("git+", "").replace("git@", ""))
        except ValueError:  # no address, so npm cannot have it either
            return "github.com"
        return url.hostname or "github.com"


def is_of_git(spec: str) -> bool:
    """Tell whether a dependency's version names a place outside of every registry."""
    return bool(
        _GIT.match(spec) or (_HOSTED.match(spec) and not spec.startswith(("npm:", "file:")))
    )


def read(path: Path) -> Json:
    """Return what a manifest or a lock of npm says; nothing where it is none."""
    try:
        said = json.loads(path.read_text())
    except (OSError, ValueError):
        return {}
    return said if isinstance(said, dict) else {}


def locked(folder: Path) -> Json:
    """Return the packages of a lock of npm by their places, "" being the project itself."""
    lock = read(folder / "package-lock.json") or read(folder / "npm-shrinkwrap.json")
    return lock.get("packages") or lock.get("dependencies") or {}


def asking(packages: Json) -> dict[str, list[str]]:
    """Return the packages of a lock of npm that ask for a package, by its name."""
    found: dict[str, list[str]] = {}
    for path, entry in packages.items():
        for name in {**(entry.get("dependencies") or {}), **(entry.get("requires") or {})}:
            found.setdefault(name, []).append(path.rpartition("node_modules/")[2])
    return found


def direct(manifest: Json, kinds: tuple[str, ...] = _KINDS) -> list[tuple[str, str]]:
    """Return the names and versions that package.json asks for."""
    return [
        (name, str(spec)) for kind in kinds for name, spec in (manifest.get(kind) or {}).items()
    ]


def wanted(manifest: Json, folder: Path) -> list[GitDependency]:
    """Return what package.json and the locks ask git for."""
    own = [GitDependency(name, spec, "") for name, spec in direct(manifest) if is_of_git(spec)]
    found = _of_lock(locked(folder))
    for name in ("yarn.lock", "pnpm-lock.yaml"):
        with suppress(OSError):
            found += _of_lines((folder / name).read_text(errors="replace").splitlines())
    return own + [one for one in found if one.name not in {other.name for other in own}]


def _of_lines(lines: list[str]) -> list[GitDependency]:
    """Return what the locks of yarn and pnpm have from git; each entry begins with a line of its name."""
    found: dict[str, GitDependency] = {}
    name = ""
    for line in lines:
        if line.endswith(":") and len(line) - len(line.lstrip()) <= 2:
            name = re.sub(r"(?<=.)@.*", "", line.strip().strip("'\":").lstrip("/"))
        hit = _IN_LOCK.search(line)
        if hit and name:
            found.setdefault(name, GitDependency(name, hit.group(), ""))
    return list(found.values())


def _of_lock(packages: Json) -> list[GitDependency]:
    """Return what the lock's packages come from git for, with the packages that ask for them."""
    askers = asking(packages)
    found = []
    for path, entry in packages.items():
        spec = str(entry.get("resolved") or entry.get("version") or "")
        name = path.rpartition("node_modules/")[2]
        if name and _GIT.match(spec):
            owner = next((one for one in askers.get(name, ()) if one), "")
            found.append(GitDependency(name, spec, owner))
    return found


def answers(host: str) -> bool:
    """Tell whether git can be served by a host from here."""
    try:
        done = subprocess.run(
            ["git", "-c", "http.connectTimeout=10", "ls-remote", f"https://{host}/npm/npm", "HEAD"],
            stdin=subprocess.DEVNULL, capture_output=True, timeout=_ANSWER_S, check=False,
        )  # fmt: skip
    except (OSError, subprocess.TimeoutExpired):
        return False
    said = done.stderr.lower()
    return done.returncode == 0 or not (
        b"resolve" in said or b"connect" in said or b"timed out" in said
    )


def root_of(one: GitDependency, manifest: Json, folder: Path) -> str:
    """Return the project's own dependency that leads to this one; "" when it cannot be told."""
    own = {name for name, _ in direct(manifest)}
    if one.name in own:
        return one.name
    if one.owner in own:
        return one.owner
    askers = asking(locked(folder))
    roots, seen, todo = set(), set(), [one.owner]
    while todo:
        name = todo.pop()
        if name in seen:
            continue
        seen.add(name)
        roots |= {name} & own
        todo += askers.get(name, ())
    return roots.pop() if len(roots) == 1 else ""


def files(folder: Path, *skipped: str) -> Iterator[Path]:
    """Every file of the project's own that is no link, outside of these folders."""
    for place, folders, names in os.walk(folder):
        folders[:] = [one for one in folders if one not in ("node_modules", ".git", *skipped)]
        yield from (path for path in (Path(place, one) for one in names) if not path.is_symlink())


def manifests(folder: Path) -> dict[Path, Json]:
    """Return package.json of a project and of the packages in it."""
    packages = (path for path in files(folder) if path.name == "package.json")
    return {path: read(path) for path in islice(packages, _MOST_PACKAGES)}


def tools_of(path: Path, folder: Path) -> tuple[str, ...]:
    """Return which dependencies of a package are for development: all, where tests do not load it."""
    return _KINDS if _ASIDE.search(str(path.relative_to(folder))) else _KINDS[2:]


def is_spare(name: str, folder: Path, runners: list[str]) -> bool:
    """Tell whether the tests run without a package: a tool of development that nothing names."""
    is_tool = False
    for path, own in manifests(folder).items():
        of_tools = tools_of(path, folder)
        is_tool |= any(name in (own.get(kind) or {}) for kind in of_tools)
        if any(name in (own.get(kind) or {}) for kind in _KINDS if kind not in of_tools):
            return False
        aside = (*_KINDS, "scripts", "config")  # `config` is for programs that scripts call
        kept = {key: own[key] for key in own if key not in aside and not _SETTINGS.search(key)}
        if f'"{name}' in json.dumps(kept):
            return False
    if not is_tool or name in runners:
        return False
    word = rf"{re.escape(name)}(?![\w-])"
    loaded, named = re.compile(_LOADS + word), re.compile(rf"(?<![\w@/-]){word}")
    return not any(
        (loaded if _CODE.search(path.name) else named).search(text) for path, text in _texts(folder)
    )


def _texts(folder: Path) -> Iterator[tuple[Path, str]]:
    """The files in which a project may name a package, with their texts."""
    naming = (
        path
        for path in files(folder, "docs", ".github")
        if _NAMING.fullmatch(path.name) and path.name not in _OF_MANAGERS
        if not _SETTINGS.search(path.name) and not _ASIDE.search(str(path.relative_to(folder)))
        if path.stat().st_size <= _LARGEST_BYTES
    )
    for path in islice(naming, _MOST_FILES):
        yield path, path.read_text(errors="replace")


def asked_for_by(manifest: Json, repository: str) -> tuple[str, str]:
    """Return which dependency, of which of the project's own, comes from a repository, by the registry."""

    def ask(one: tuple[str, str]) -> tuple[str, str]:
        argv = ["npm", "view", f"{one[0]}@{one[1]}", "dependencies", "--json"]
        try:
            done = subprocess.run(argv, capture_output=True, text=True, timeout=_ASK_S, check=False)
            said = json.loads(done.stdout or "{}")
        except (OSError, ValueError, subprocess.TimeoutExpired):
            return "", ""
        newest = said[-1] if isinstance(said, list) and said else said
        for name, spec in newest.items() if isinstance(newest, dict) else ():
            if repository.lower() in str(spec).lower():
                return name, one[0]
        return "", ""

    with ThreadPoolExecutor(4) as pool:
        answered = pool.map(ask, direct(manifest, _KINDS[::-1])[:_MOST_ASKED])
        return next((found for found in answered if found[0]), ("", ""))


def run(argv: list[str]) -> tuple[int, str]:
    """Run a command; return its exit code and what it said, which is shown too.

    Not shown are the errors of a dated installation that is tried again without its date: they are not
    why the build fails, when that fails too.
    """
    is_dated = any(one.startswith("--before=") for one in argv)
    said: list[str] = []
    held: list[str] = []
    # pnpm and yarn tell their errors on standard output
    with subprocess.Popen(
        argv, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace"
    ) as process:
        for line in process.stdout or ():
            said.append(line)
            if is_dated and _NPM_ERROR.match(line):
                held.append(line)
            else:
                sys.stderr.write(line)
    told = "".join(said[-200:])
    if not (is_dated and process.returncode and _NOT_YET.search(told)):
        sys.stderr.writelines(held)
    return process.returncode, told


def install(argv: list[str]) -> tuple[int, str]:
    """Run a command, and again without its date where the registry has nothing of that time."""
    code, said = run(argv)
    undated = [one for one in argv if not one.startswith("--before=")]
    return run(undated) if code and undated != argv and _NOT_YET.search(said) else (code, said)


def without(names: set[str], folder: Path, argv: list[str]) -> tuple[int, str]:
    """Install what is left when these development tools are not asked for."""
    for path, manifest in manifests(folder).items():
        kinds = [kind for kind in tools_of(path, folder) if names & set(manifest.get(kind) or ())]
        for kind in kinds:
            manifest[kind] = {k: v for k, v in manifest[kind].items() if k not in names}
        if kinds:
            path.write_text(json.dumps(manifest))
    return install(unfrozen(argv))


def unfrozen(argv: list[str]) -> list[str]:
    """Return the command that installs as the lock has it, for less than it has."""
    if argv[0] == "npm":
        peers = ("--legacy-peer-deps", "--force")
        options = [one for one in argv if one in peers or one.startswith("--before=")]
        return ["npm", "install", "--ignore-scripts", "--no-save", *options]
    loose = {"--frozen-lockfile": "--no-frozen-lockfile", "--immutable": "--no-immutable"}
    if "--non-interactive" in argv:  # yarn 1 has no such option: it is so where nothing is said
        return [one for one in argv if one not in loose]
    return [loose.get(one, one) for one in argv]


class Missing(NamedTuple):
    """What cannot be fetched, and which of the project's own dependencies leads to it ("" where unknown)."""

    kind: str
    name: str
    owner: str
    root: str


def of_git(found: list[GitDependency], manifest: Json, folder: Path) -> list[Missing]:
    """Return these dependencies, whose hosts do not answer."""
    lacking = []
    for one in found:
        whose = f" of {one.owner}" if one.owner else ""
        print(f"git dependency {one.name}{whose}: {one.host} does not answer", file=sys.stderr)
        root = root_of(one, manifest, folder)
        lacking.append(Missing("git dependency", one.name, one.owner, root))
    return lacking


def missing(said: str, manifest: Json, folder: Path) -> list[Missing]:
    """Return what cannot be fetched, as the package manager names it."""
    if absent := _ABSENT.search(said):
        name = unquote(absent.group(absent.lastindex or 0))
        print(f"The registry does not have the package {name}.", file=sys.stderr)
        return [Missing("package", name, "", name)]
    hit = _NPM_SAID.search(said)
    if not hit or answers(hit.group(1)):
        return []
    name, owner = asked_for_by(manifest, hit.group(2))
    return of_git([GitDependency(name or hit.group(2), hit.group(2), owner)], manifest, folder)


def main(unfetched: str, runners: str, *argv: str) -> int:
    """Install; returns the exit code."""
    folder = Path.cwd()
    manifest = read(folder / "package.json")
    found = wanted(manifest, folder)
    command, code, said, now = list(argv), 1, "", []
    if any(not answers(host) for host in {one.host for one in found}):
        now = of_git(found, manifest, folder)
    else:
        code, said = install(command)
        if code and _STUMBLED.search(said):
            command = [*command, "--legacy-peer-deps"]
            code, said = install(command)
    rows: list[list[object]] = []
    while code and len(rows) < _MOST_LEFT_OUT:
        now = now or missing(said, manifest, folder)
        is_of_git = any(one.kind != "package" for one in now)
        is_left_out = all(is_spare(one.root, folder, runners.split(",")) for one in now)
        if not now or not (is_left_out or is_of_git):
            return code
        rows += [[one.kind, one.name, one.owner, is_left_out] for one in now]
        Path(unfetched).write_text(json.dumps(rows))
        if not is_left_out:
            return code
        code, said = without({one.root for one in now}, folder, command)
        manifest, now = read(folder / "package.json"), []
    return code


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
