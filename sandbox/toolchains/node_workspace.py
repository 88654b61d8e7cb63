"""What of a workspace is built before one of its packages is tested: the packages that it imports."""

from __future__ import annotations

import json
import re
import shlex
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import PurePosixPath

from sandbox.base import TREE
from sandbox.toolchains.ecosystem import Downloads
from sandbox.toolchains.layers import CACHE, DEPENDENCIES, INSIDE, KEPT, UNFETCHED
from sandbox.toolchains.node_chain import RUNNERS, Chain, bare
from sandbox.toolchains.test_line import ci_jobs
from sandbox.toolchains.tree import Table, Tree
from sandbox.values import TestRunner

BUILDS = ("build", "compile", "prepare")
TABLES = ("dependencies", "devDependencies", "optionalDependencies", "peerDependencies")
_TEST_OF_ALL = re.compile(
    r"yarn workspaces (?:foreach (?:-[-\w]{1,40} ){1,9})?run test"
    r"|npm (?:run )?test (?:-ws|--workspaces)(?: --if-present)?"
    r"|npm (?:-ws|--workspaces) (?:--if-present )?(?:run )?test"
    r"|pnpm (?:-r|--recursive) (?:run )?test|(?:npx )?(?:lerna|turbo) run test"
)
_MOST_PACKAGES = 40
_DEEP = 10
_MOST = 200  # commands of a script: scripts can call each other again and again


def is_workspace(tree: Tree, folder: str) -> bool:
    """Tell whether the packages below a folder are installed together."""
    manifest = tree.json(str(PurePosixPath(folder, "package.json")))
    listed = str(PurePosixPath(folder, "pnpm-workspace.yaml"))
    return manifest.has("workspaces") or tree.is_plain(listed)


def packages_tested(tree: Tree) -> tuple[str, ...] | None:
    """Return the packages whose tests are all that the script of the top runs; None where it runs more."""
    script = tree.json("package.json").table("scripts").text("test").strip()
    if not is_workspace(tree, "") or not _TEST_OF_ALL.fullmatch(script):
        return None
    manifests = (PurePosixPath(path) for path in tree.files() if path.endswith("/package.json"))
    return tuple(
        one.parent.as_posix()
        for one in manifests
        if tree.json(one.as_posix()).table("scripts").text("test")
    )


def workspace_builds(tree: Tree, root: str) -> tuple[tuple[tuple[str, ...], ...], tuple[str, ...]]:
    """Return the commands that build what a package needs of its workspace, in order, and the names.

    A package is built where its entry is not in the tree. A build that fails ends nothing: the tests
    show whether they needed it.
    """
    if not root:
        return (), ()
    paths = [path for path in tree.files() if PurePosixPath(path).name == "package.json"]
    members = {
        name: str(PurePosixPath(path).parent)
        for path in paths
        if (name := tree.json(path).text("name"))
    }
    found: dict[str, str] = {}
    _visit(tree, root, members, found, 0)
    names = [name for name, folder in found.items() if folder != root and _is_unbuilt(tree, folder)]
    lines = []
    for folder in (found[name] for name in names):
        script = build_script(tree.json(f"{folder}/package.json").table("scripts"))
        build = f"cd {shlex.quote(f'{TREE}/{folder}')} && npm run {script}"
        lines.append(f"{build} || echo 'A build failed; the others go on.' >&2")
    return tuple(("sh", "-c", line) for line in lines), tuple(names)


def _visit(
    tree: Tree, folder: str, members: dict[str, str], found: dict[str, str], depth: int
) -> None:
    """Add the packages that one needs, what these need first."""
    manifest = tree.json(f"{folder}/package.json")
    for name in (one for field in TABLES for one in manifest.table(field).names()):
        inner = members.get(name)
        if inner and name not in found and depth < _DEEP and len(found) < _MOST_PACKAGES:
            found[name] = inner  # marks it: workspaces have circles
            _visit(tree, inner, members, found, depth + 1)
            found[name] = found.pop(name)


def _is_unbuilt(tree: Tree, folder: str) -> bool:
    manifest = tree.json(f"{folder}/package.json")
    # Every path of the `exports` field, conditions and sub-paths opened up.
    waiting = [manifest.members.get("exports")]
    found: list[str] = []
    while waiting and len(found) < _MOST_PACKAGES:
        one = waiting.pop()
        if isinstance(one, str):
            found.append(one)
        elif isinstance(one, dict):
            waiting += one.values()
    entries = [manifest.text("main"), manifest.text("module"), *found]
    plain = [entry.removeprefix("./") for entry in entries if entry and "*" not in entry]
    is_there = any(tree.has(f"{folder}/{entry}") for entry in plain)
    return bool(plain) and not is_there and bool(build_script(manifest.table("scripts")))


def build_script(scripts: Table) -> str:
    """Return the script that builds, "" without one; of one that tests, too, the script by which it compiles.

    A test that fails, or a linter, would end the whole, and all of it would run before each run of the tests.
    """
    name = next((one for one in BUILDS if scripts.text(one)), "")
    commands = [words for _, words in islice(Chain(scripts, lambda _: "").segments(name), _MOST)]
    called = [one for words in commands if words[:1] == ["(scripts)"] for one in words[1:]]
    programs = {words[0].rsplit("/", 1)[-1] for one in commands if (words := bare(one)[1])}
    tests = "test" in called or not programs.isdisjoint(RUNNERS)
    return next((one for one in called if tests and one in BUILDS), name)


_FIELD = re.compile(r"(npm|pnpm|yarn)@(\d+\.\d+\.\d+)\b")
_LOCKS = (
    ("pnpm", "pnpm-lock.yaml"),
    ("yarn", "yarn.lock"),
    ("npm", "package-lock.json"),
    ("npm", "npm-shrinkwrap.json"),
)
_PROGRAM = f"{DEPENDENCIES}/manager"
MANAGER_BINS = f"{_PROGRAM}/node_modules/.bin"
"""Where the fetched pnpm or yarn is: builds and tests call it by its name."""
NPM_INSTALL = f"{INSIDE}/npm_install.py"
_YARN_CLASSIC = "1.22.22"
# By the lock's format (https://github.com/pnpm/spec): a newer pnpm refuses or rewrites an older lock.
_PNPM_BY_LOCK = (("5.", "7"), ("6.", "8"), ("9.", "10"))
_OLDEST_THAT_READS = {"8": 7, "10": 9}
"""Of these, the first major of pnpm that knows the same format: an older one passes over the lock."""
# What each major of pnpm, and those after it, asks of Node.
_NODE_OF_PNPM = ((11, ">=22.13"), (9, ">=18.12"), (8, ">=16.14"), (7, ">=14.6"), (0, ""))
# By `__metadata.version` of the lock, as each release writes it: a newer yarn refuses to freeze an older one.
_YARN_BY_LOCK = {"5": "3.1.1", "6": "3.8.7", "8": "4.13.0", "9": "4.14.1"}
_YARN_NEWEST = "4"
_PEERS_IN_CI = re.compile(
    r"\bnpm (?:ci|i|install)\b(?: -[\w=-]{1,40}){0,8} (--legacy-peer-deps|--force)\b"
)
_INSTALLS_IN_CI = re.compile(
    r"(?m)\b(?:(npm) (?:ci\b|(?:install|i)(?: --[\w=-]{1,40}){0,8}$)"
    r"|(pnpm) (?:install|i)\b|(yarn)(?: install\b|$))"
)
_TESTS_IN_CI = re.compile(r"\bnpm (?:t\b|(?:run )?[\w:-]{0,40}test)")
# Copies, because hard links into the downloads would not outlive them; no other pnpm. What the lock
# pins is installed: pnpm 11 would ask the registry for the date of each entry, of all platforms.
_PNPM_OPTIONS = (
    f"--store-dir={CACHE}/pnpm",
    "--config.package-import-method=copy",
    "--config.manage-package-manager-versions=false",
    "--config.trust-lockfile=true",
)
_LIFECYCLE = ("preinstall", "install", "postinstall")
# Install scripts of dependencies run in the sandbox like everything else, but one that fails (a download
# of a browser, a native module that has a fall-back) does not make the project unbuildable.
_TOLERATED = "|| echo 'An install script failed; the build goes on.' >&2"


@dataclass(frozen=True, slots=True)
class Manager:
    """A package manager: its name, version ("" for the sandbox's own npm), and where it installs.

    `folder` is relative to the tree: the workspace's top, or the project's own folder. `lock` is the lock
    file there, "" when there is none. `option` is how npm shall treat peers that fit no version, as CI says.
    """

    name: str
    version: str
    folder: str
    lock: str
    reason: str
    option: str = ""
    is_loose: bool = False  # nobody sees where its lock is out of date, so it need not fit


def choose_manager(tree: Tree, root: str) -> Manager:
    """Choose by the nearest lock file, from the project's folder up to the tree's top."""
    chosen = _nearest(tree, root)
    if chosen.name != "npm":
        return chosen
    jobs = [job.text for job in ci_jobs(tree)]
    options = (found[1] for job in jobs for found in _PEERS_IN_CI.finditer(job))
    # `npm install` mends a lock that is out of date without a word, so CI stays green with one.
    testing = (job for job in jobs if _TESTS_IN_CI.search(job))
    calls = [found[0] for job in testing for found in _INSTALLS_IN_CI.finditer(job) if found[1]]
    is_loose = bool(calls and chosen.lock) and not any("npm ci" in one for one in calls)
    return replace(chosen, option=next(options, ""), is_loose=is_loose)


def _nearest(tree: Tree, root: str) -> Manager:
    upwards = [root, *(str(parent) for parent in PurePosixPath(root).parents)] if root else [""]
    for folder in dict.fromkeys("" if one == "." else one for one in upwards):
        place = Tree(tree.root / folder)
        manifest = place.json("package.json")
        named = _FIELD.match(manifest.text("packageManager"))
        locks = [(name, lock) for name, lock in _LOCKS if place.is_plain(lock)]
        if named:
            name, version = named.groups()
            lock = next((lock for owner, lock in locks if owner == name), "")
            version = "" if name == "npm" else version
            of_lock = _version(name, place.read(lock)) if name == "pnpm" and lock else ""
            if of_lock and int(version.partition(".")[0]) < _OLDEST_THAT_READS.get(of_lock, 0):
                reason = f"{name} {version}, which package.json names, cannot read the {lock}"
                return Manager(name, of_lock, folder, lock, reason, is_loose=True)
            return Manager(name, version, folder, lock, "package.json names it")
        if locks:
            (name, lock), reason = locks[0], f"there is a {locks[0][1]}"
            if len({owner for owner, _ in locks}) > 1:
                # The one that CI installs with is kept up.
                steps = (one for job in ci_jobs(tree) for one in _INSTALLS_IN_CI.finditer(job.text))
                used = {str(one[one.lastindex or 0]) for one in steps}
                mine = [one for one in locks if one[0] in used]
                if len(mine) == 1:
                    (name, lock), reason = mine[0], f"there is a {mine[0][1]}, and CI uses it"
            version = _version(name, place.read(lock))
            return Manager(name, version, folder, lock, reason)
        if manifest.has("workspaces") and folder != root:
            return Manager("npm", "", folder, "", "nothing names another")
    return Manager("npm", "", root, "", "nothing names another")


def node_of_manager(manager: Manager) -> str:
    """Return the range of Node on which a package manager runs; "" for any."""
    major = int(manager.version.split(".")[0]) if manager.name == "pnpm" else 0
    return next(wanted for least, wanted in _NODE_OF_PNPM if major >= least)


def _version(name: str, lock: str) -> str:
    if name == "pnpm":
        found = re.search(r"^lockfileVersion:\s*['\"]?([\d.]+)", lock, re.M)
        text = found.group(1) if found else ""
        return next((version for start, version in _PNPM_BY_LOCK if text.startswith(start)), "10")
    if name == "yarn":
        found = re.search(r"^__metadata:[^\S\n]*\n\s+version:\s*(\d+)", lock, re.M)
        return _YARN_BY_LOCK.get(found.group(1), _YARN_NEWEST) if found else _YARN_CLASSIC
    return ""


def install_commands(
    manager: Manager,
    manifest: Table,
    released_before: str = "",
    more: tuple[str, ...] = (),
) -> tuple[tuple[str, ...], ...]:
    """Return the commands of the dependency layer; only folders named `node_modules` are kept.

    What no lock fixes is installed as npm's registry offered it before `released_before`, an ISO date or
    "". `more` are shell lines that come last; one that fails ends nothing.
    """
    # Runners are installed whatever else cannot be: packages share an installation, whatever tests them.
    told = ("python3", "-I", NPM_INSTALL, f"{DEPENDENCIES}/{UNFETCHED}", ",".join(TestRunner))
    dated = (f"--before={released_before}",) if is_dated(manager, released_before) else ()
    # The install scripts of dependencies. pnpm links packages, and npm takes links for packages under
    # development: it would run their `prepare`.
    own_rebuild = shlex.join((f"{MANAGER_BINS}/pnpm", "rebuild", *_PNPM_OPTIONS))
    rebuild = f"{own_rebuild if manager.name == 'pnpm' else 'npm rebuild'} {_TOLERATED}"
    steps = [(*told, *_install(manager), *dated), ("sh", "-c", rebuild)]
    scripts = manifest.table("scripts")
    own = [name for name in _LIFECYCLE if scripts.text(name)]
    lines = (*(f"npm run {name}" for name in own), *more)
    steps += [("sh", "-c", f"{line} {_TOLERATED}") for line in lines]
    filled = keeping_modules(steps, manager.folder)
    return (filled,) if manager.name == "npm" else (_fetch(manager), filled)


def keeping_modules(steps: list[tuple[str, ...]], folder: str) -> tuple[str, ...]:
    """Return the command that runs others in a folder of the tree, and keeps its `node_modules`."""
    keep = ("python3", "-I", f"{INSIDE}/install.py", TREE, f"{DEPENDENCIES}/{KEPT}")
    return (*keep, "node_modules", json.dumps(steps), f"{TREE}/{folder}".rstrip("/"))


_TAP_PLUGIN = re.compile(r"^[ \t]*plugin[ \t]*:", re.MULTILINE)


def runner_installs(tree: Tree, root: str, runner: str) -> tuple[str, ...]:
    """Return the shell lines of a runner that installs more by itself: tap gets plug-ins that are named."""
    place = Tree(tree.root / root)
    named = place.json("package.json").table("tap").has("plugin")
    asks = runner == "tap" and (named or _TAP_PLUGIN.search(place.read(".taprc")))
    return (f"cd {shlex.quote(f'{TREE}/{root}'.rstrip('/'))} && tap build",) if asks else ()


def is_dated(manager: Manager, released_before: str) -> bool:
    """Tell whether packages are chosen by their date: only npm can, and only without a lock."""
    return bool(released_before) and manager.name == "npm" and not manager.lock


def _fetch(manager: Manager) -> tuple[str, ...]:
    """Get pnpm or yarn from the registry; corepack would ask another server for its keys."""
    package = manager.name
    if package == "yarn" and not manager.version.startswith("1."):
        package = "@yarnpkg/cli-dist"
    wanted = f"{package}@{manager.version}"
    return ("npm", "install", "--ignore-scripts", "--prefix", _PROGRAM, wanted)


def _install(manager: Manager) -> tuple[str, ...]:
    program = f"{MANAGER_BINS}/{manager.name}"
    if manager.name == "pnpm":
        frozen = (
            "--frozen-lockfile" if manager.lock and not manager.is_loose else "--no-frozen-lockfile"
        )
        return (program, "install", frozen, "--ignore-scripts", *_PNPM_OPTIONS)
    if manager.name == "yarn" and manager.version.startswith("1."):
        options = ("--ignore-scripts", "--non-interactive", "--cache-folder", f"{CACHE}/yarn")
        return (program, "install", "--frozen-lockfile", *options)
    if manager.name == "yarn":
        frozen = "--immutable" if manager.lock else "--no-immutable"
        return (program, "install", frozen, "--mode=skip-build")
    options = ("--ignore-scripts", *((manager.option,) if manager.option else ()))
    if manager.lock and not manager.is_loose:
        return ("npm", "ci", *options)
    return ("npm", "install", *options, "--no-save" if manager.lock else "--no-package-lock")


_DEPENDENCY_FIELDS = (
    "dependencies", "devDependencies", "optionalDependencies", "peerDependencies",
    "peerDependenciesMeta", "overrides", "resolutions", "pnpm", "dependenciesMeta", "workspaces",
)  # fmt: skip


def _fields(manifest: Table, *names: str) -> dict[str, object]:
    data = manifest.members
    return {name: data[name] for name in names if name in data}


def manager_inputs(tree: Tree, manager: Manager, manifests: tuple[str, ...]) -> tuple[str, ...]:
    """Return every input of the dependency layer as text: manifests' dependencies, lock, settings."""
    found = [repr(manager)]
    for manifest in map(tree.json, manifests):
        scripts = manifest.table("scripts")
        parts = _fields(manifest, *_DEPENDENCY_FIELDS)
        parts["scripts"] = {name: scripts.text(name) for name in _LIFECYCLE}
        parts["tap"] = manifest.table("tap").strings("plugin")
        found.append(json.dumps(parts, sort_keys=True))
    place = Tree(tree.root / manager.folder)
    settings = (
        ".npmrc", ".yarnrc", ".yarnrc.yml", "pnpm-workspace.yaml", ".pnpmfile.cjs", ".taprc",
    )  # fmt: skip
    for path in (manager.lock, *settings) if manager.lock else settings:
        found.append(f"{path}\n{place.read(path)}")
    for path in Tree(place.root / "patches").files() if place.is_plain("patches") else ():
        found.append(f"{path}\n{place.read(f'patches/{path}')}")
    return tuple(found)


# --- code of the tree ------------------------------------------------------------------------

# Settings of npm that name no program and load no code; any other may.
_PLAIN_SETTINGS = {
    "audit", "auto-install-peers", "engine-strict", "fund", "legacy-peer-deps", "link-workspace-packages",
    "lockfile-version", "loglevel", "package-lock", "prefer-workspace-packages", "progress", "registry",
    "resolution-mode", "save", "save-exact", "save-prefix", "shamefully-hoist", "strict-peer-dependencies",
    "tag-version-prefix", "update-notifier",
}  # fmt: skip
_SETTING = re.compile(r"^[ \t]*([\w@:.-]+)[ \t]*=", re.M)
_LOCAL_SPEC = re.compile(r"^(file|link|portal|patch|exec|workspace):|^\.{0,2}/")
_LOADED = (".pnpmfile.cjs", ".pnpmfile.mjs", "pnpmfile.js", ".yarnrc", ".yarnrc.yml", "binding.gyp")


def runs_tree(tree: Tree, manager: Manager, manifests: tuple[str, ...]) -> bool:
    """Tell whether an install can run code of the tree: its own scripts, packages of it, settings."""
    place = Tree(tree.root / manager.folder)
    settings = set(_SETTING.findall(place.read(".npmrc")))
    if any(place.is_plain(name) for name in _LOADED) or not settings <= _PLAIN_SETTINGS:
        return True
    for manifest in map(tree.json, manifests):
        tables = [manifest.table(name) for name in _DEPENDENCY_FIELDS]
        specs = (table.text(name) for table in tables for name in table.names())
        has_scripts = any(manifest.table("scripts").text(name) for name in _LIFECYCLE)
        if has_scripts or any(_LOCAL_SPEC.match(spec) for spec in specs):
            return True
    return len(manifests) > 1


def declared_downloads(tree: Tree, manager: Manager, manifests: tuple[str, ...]) -> Downloads:
    """Return the commands that download, and the declarations that they read: no script, no setting."""
    kept = tuple(path for path in manifests if tree.is_plain(path))
    files = []
    for path in kept:
        fields = _fields(tree.json(path), "name", "version", *_DEPENDENCY_FIELDS)
        files.append((path, json.dumps(fields)))
    names = [name for name in (manager.lock, "pnpm-workspace.yaml") if name]
    place = Tree(tree.root / manager.folder)
    files += [
        (f"{manager.folder}/{n}".lstrip("/"), place.read(n)) for n in names if place.is_plain(n)
    ]
    install = _install(manager)
    if manager.name == "pnpm":
        install = (*install, "--ignore-pnpmfile")
    folder = f"{TREE}/{manager.folder}".rstrip("/")
    there = ("sh", "-c", 'cd "$0" && exec "$@"', folder, *install)
    return Downloads((there,) if manager.name == "npm" else (_fetch(manager), there), tuple(files))
