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
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from urllib.parse import unquote, urlsplit

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


class GitDependency:
    """A dependency that is not in a registry: its name, what it is asked as, and whose it is."""

    def __init__(self, name: str, spec: str, owner: str) -> None:
        self.name, self.spec, self.owner = name, spec, owner

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


def wanted(manifest: dict, folder: Path) -> list[GitDependency]:  # type: ignore[type-arg]
    """Return what package.json and a lock of npm ask git for."""
    found = [
        GitDependency(name, str(spec), "")
        for kind in _KINDS
        for name, spec in dict(manifest.get(kind) or {}).items()
        if is_of_git(str(spec))
    ]
    direct = {one.name for one in found}
    for name in ("package-lock.json", "npm-shrinkwrap.json"):
        try:
            lock = json.loads((folder / name).read_text())
        except (OSError, ValueError):
            continue
        found += [one for one in _of_lock(lock) if one.name not in direct]
        break
    for name in ("yarn.lock", "pnpm-lock.yaml"):
        try:
            lines = (folder / name).read_text(errors="replace").splitlines()
        except OSError:
            continue
        found += [one for one in _of_lines(lines) if one.name not in direct]
    return found


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


def _of_lock(lock: dict) -> list[GitDependency]:  # type: ignore[type-arg]
    """Return what the lock's packages come from git for, with the packages that ask for them."""
    packages = dict(lock.get("packages") or lock.get("dependencies") or {})
    found = []
    for path, entry in packages.items():
        spec = str(entry.get("resolved") or entry.get("version") or "")
        name = path.rpartition("node_modules/")[2]
        if name and _GIT.match(spec):
            asking = [
                other.rpartition("node_modules/")[2]
                for other, one in packages.items()
                if other
                and name in {**(one.get("dependencies") or {}), **(one.get("requires") or {})}
            ]
            found.append(GitDependency(name, spec, asking[0] if asking else ""))
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


def root_of(one: GitDependency, manifest: dict, folder: Path) -> str:  # type: ignore[type-arg]
    """Return the project's own dependency that leads to this one; "" when it cannot be told."""
    direct = {name for kind in _KINDS for name in manifest.get(kind) or {}}
    if one.name in direct:
        return one.name
    if one.owner in direct:
        return one.owner
    try:
        lock = json.loads((folder / "package-lock.json").read_text())
    except (OSError, ValueError):
        return ""
    packages = dict(lock.get("packages") or lock.get("dependencies") or {})
    asked: dict[str, set[str]] = {}
    for path, entry in packages.items():
        needs = {**(entry.get("dependencies") or {}), **(entry.get("requires") or {})}
        for name in needs:
            asked.setdefault(name, set()).add(path.rpartition("node_modules/")[2])
    roots, seen, todo = set(), set(), [one.owner]
    while todo:
        name = todo.pop()
        if name in seen:
            continue
        seen.add(name)
        roots |= {name} & direct
        todo += asked.get(name, ())
    return roots.pop() if len(roots) == 1 else ""


def manifests(folder: Path) -> dict[Path, dict]:  # type: ignore[type-arg]
    """Return package.json of a project and of the packages in it."""
    found: dict[Path, dict] = {}  # type: ignore[type-arg]
    for place, folders, names in os.walk(folder):
        folders[:] = [one for one in folders if one not in ("node_modules", ".git")]
        path = Path(place, "package.json")
        if "package.json" not in names or path.is_symlink() or len(found) == _MOST_PACKAGES:
            continue
        try:
            manifest = json.loads(path.read_text())
        except (OSError, ValueError):
            continue
        if isinstance(manifest, dict):
            found[path] = manifest
    return found


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


def _texts(folder: Path):  # type: ignore[no-untyped-def]
    count = 0
    for place, folders, names in os.walk(folder):
        folders[:] = [
            one for one in folders if one not in ("node_modules", ".git", "docs", ".github")
        ]
        for name in names:
            path = Path(place, name)
            is_aside = _SETTINGS.search(name) or _ASIDE.search(str(path.relative_to(folder)))
            is_naming = _NAMING.fullmatch(name) and name not in _OF_MANAGERS and not is_aside
            if not is_naming or path.is_symlink() or path.stat().st_size > _LARGEST_BYTES:
                continue
            count += 1
            if count > _MOST_FILES:
                return
            yield path, path.read_text(errors="replace")


def asked_for_by(manifest: dict, repository: str) -> tuple[str, str]:  # type: ignore[type-arg]
    """Return which dependency, of which of the project's own, comes from a repository, by the registry."""
    direct = [
        (name, str(spec))
        for kind in reversed(_KINDS)
        for name, spec in dict(manifest.get(kind) or {}).items()
    ][:_MOST_ASKED]

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
        return next((found for found in pool.map(ask, direct) if found[0]), ("", ""))


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


def without(names: set[str], folder: Path, argv: list[str]) -> tuple[int, str]:
    """Install what is left when these development tools are not asked for."""
    for path, manifest in manifests(folder).items():
        asked = [(kind, one) for kind in tools_of(path, folder) for one in manifest.get(kind) or {}]
        left_out = [(kind, one) for kind, one in asked if one in names]
        for kind, one in left_out:
            del manifest[kind][one]
        if left_out:
            path.write_text(json.dumps(manifest))
    command = unfrozen(argv)
    code, said = run(command)
    plain = [one for one in command if not one.startswith("--before=")]
    return run(plain) if code and plain != command and _NOT_YET.search(said) else (code, said)


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


class Missing:
    """What cannot be fetched, and which of the project's own dependencies leads to it ("" where unknown)."""

    def __init__(self, kind: str, name: str, owner: str, root: str) -> None:
        self.kind, self.name, self.owner, self.root = kind, name, owner, root


def absent(said: str) -> list[Missing]:
    """Return what a package manager says that the registry does not have."""
    hit = _ABSENT.search(said)
    if hit is None:
        return []
    name = unquote(hit.group(hit.lastindex or 0))
    print(f"The registry does not have the package {name}.", file=sys.stderr)
    return [Missing("package", name, "", name)]


def of_git(found: list[GitDependency], manifest: dict, folder: Path) -> list[Missing]:  # type: ignore[type-arg]
    """Return these dependencies, whose hosts do not answer."""
    for one in found:
        whose = f" of {one.owner}" if one.owner else ""
        print(f"git dependency {one.name}{whose}: {one.host} does not answer", file=sys.stderr)
    return [
        Missing("git dependency", one.name, one.owner, root_of(one, manifest, folder))
        for one in found
    ]


def missing(said: str, manifest: dict, folder: Path) -> list[Missing]:  # type: ignore[type-arg]
    """Return what cannot be fetched, as the package manager names it."""
    if lacking := absent(said):
        return lacking
    hit = _NPM_SAID.search(said)
    if not hit or answers(hit.group(1)):
        return []
    name, owner = asked_for_by(manifest, hit.group(2))
    return of_git([GitDependency(name or hit.group(2), hit.group(2), owner)], manifest, folder)


def main(unfetched: str, runners: str, *argv: str) -> int:
    """Install; returns the exit code."""
    folder = Path.cwd()
    try:
        manifest = json.loads((folder / "package.json").read_text())
    except (OSError, ValueError):
        manifest = {}
    found = wanted(manifest, folder)
    code, said, now = 1, "", []
    if any(not answers(host) for host in {one.host for one in found}):
        now = of_git(found, manifest, folder)
    else:
        code, said = run(list(argv))
        if code and _NOT_YET.search(said):
            argv = tuple(one for one in argv if not one.startswith("--before="))
            code, said = run(list(argv))
        if code and _STUMBLED.search(said):
            argv = (*argv, "--legacy-peer-deps")
            code, said = run(list(argv))
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
        code, said = without({one.root for one in now}, folder, list(argv))
        manifest, now = json.loads((folder / "package.json").read_text()), []
    return code


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
