"""Detects a Node project and says how to install and test it, without running any of it."""

from __future__ import annotations

import hashlib
import json
import re
from dataclasses import replace
from pathlib import Path, PurePosixPath

from sandbox.base import TREE
from sandbox.toolchains import node_workspace as workspace
from sandbox.toolchains.ecosystem import (
    BuildRequest,
    Downloads,
    Ecosystem,
    Runner,
    SetupHints,
    Toolchain,
    TreeEvidence,
    Variables,
    weighed,
)
from sandbox.toolchains.layers import CACHE, PROJECT, SYSTEM_PATH, TOOLCHAIN
from sandbox.toolchains.node_build import Commands, build_first
from sandbox.toolchains.node_chain import read_settings
from sandbox.toolchains.node_script import SUFFIXES, choose_runner, is_test
from sandbox.toolchains.node_version import OLDEST, able_to_run, fetching, wanted_node
from sandbox.toolchains.tree import Table, Tree
from sandbox.values import Recipe, TestRunner

_NAME = "node"
_HAS_REPORTERS = "^18.15 || >=19.6"  # node --test, by the documentation of `--test-reporter`
_LAYER_VERSION = "1"


_WITH_SNAPSHOTS = (TestRunner.JEST, TestRunner.VITEST)
_IN_COLOR = re.compile(r"<(?:red|green|dim|bold|yellow|inverse)>[^<>\n]{1,200}</>")
_MOST_READ = 300


def weigh(tree: Tree) -> TreeEvidence | None:
    """Return how much in the tree speaks for Node."""
    declared = tree.is_plain("package.json")
    return weighed(tree, SUFFIXES, declared=declared, is_test=is_test) if declared else None


def runs_alone(tree: Tree) -> bool:
    """Tell whether the folder's own package.json says how its tests are run."""
    manifest = tree.json("package.json")
    return choose_runner(tree, manifest, SetupHints()).runner is not TestRunner.NONE


def detect(tree: Path, setup: SetupHints, toolchain: Toolchain) -> Recipe | None:
    """Return how to install and test the Node project in `tree`, or None when there is none."""
    place = Tree(tree / setup.root)
    if not place.is_plain("package.json"):
        return None
    manifest = place.json("package.json")
    runner = choose_runner(place, manifest, setup)
    runner = runner if setup.test else _as_in_ci(Tree(tree), runner)
    manager = workspace.choose_manager(Tree(tree), setup.root)
    folders = tuple(dict.fromkeys((setup.root, manager.folder)))
    version = toolchain.version("node")
    wanted = able_to_run(
        wanted_node(Tree(tree), folders, version, setup.released_before),
        version,
        f"{manager.name} {manager.version}",
        workspace.node_of_manager(manager),
    )
    if runner.runner is TestRunner.NODE_TEST:
        wanted = able_to_run(wanted, version, "a reporter of node --test", _HAS_REPORTERS)
    missing = f"Node {wanted.missing}" if wanted.missing else ""
    if not version or not toolchain.version("npm"):
        asked = manifest.table("engines").text("node")
        missing = f"Node {asked} (node, npm)".replace("  ", " ") if asked else "Node (node, npm)"
    if missing:
        has = f"has Node {version}" if version else "has no Node"
        said = f"The project needs {missing}, but the sandbox {has}."
        return Recipe(
            _NAME, (said, runner.reason), (), (), runner.runner, runner.arguments, "",
            needs=(missing,), root=setup.root,
        )  # fmt: skip
    recipe = _recipe(Tree(tree), manifest, runner, setup, toolchain)
    if not wanted.release:
        return recipe
    # Everything runs on the Node that the project asks for.
    name = f"node {wanted.release}"
    digest = hashlib.sha256(f"{recipe.lock_digest} {name}".encode()).hexdigest()
    asks = f"{wanted.older}, and tests are watched from Node {OLDEST} on," if wanted.older else "it"
    said = f"Node {wanted.release} is taken from npm's registry, because {wanted.source} asks for {asks}"
    reasons = (*recipe.reasons, f"{said} and the sandbox has {version}.")
    return replace(recipe, reasons=reasons, lock_digest=digest, toolchain=name)


def _as_in_ci(tree: Tree, runner: Runner) -> Runner:
    """Run the tests in the time zone and the locale of the project's CI, where their call names none.

    Snapshots that have colors were written where tests print in colors, as they do in most CI.
    """
    source, settings = read_settings(tree)
    # A snapshot of `<red>text</>`, as pretty-format tells colors.
    files = tree.files() if runner.runner in _WITH_SNAPSHOTS else ()
    kept = [
        one for one in files if one.endswith(".snap") or (one.endswith(SUFFIXES) and is_test(one))
    ]
    colored = next((one for one in kept[:_MOST_READ] if _IN_COLOR.search(tree.read(one))), "")
    if colored:
        settings = (*settings, ("NO_COLOR", ""), ("FORCE_COLOR", "1"))
        source = f"{source} or {colored}" if source else colored
    if not settings or runner.runner is TestRunner.NONE:
        return runner

    def prefixed(arguments: tuple[str, ...]) -> tuple[str, ...]:
        named = {word.partition("=")[0] for word in arguments[: arguments.index("--")]}
        return (*(f"{k}={v}" for k, v in settings if k not in named), *arguments)

    said = " ".join(f"{name}={value}" for name, value in settings)
    more = tuple(replace(call, arguments=prefixed(call.arguments)) for call in runner.more)
    reason = f"{runner.reason} `{said}` is set for them, as {source} does."
    return replace(runner, arguments=prefixed(runner.arguments), reason=reason, more=more)


def _recipe(
    tree: Tree, manifest: Table, runner: Runner, setup: SetupHints, toolchain: Toolchain
) -> Recipe:
    manager = workspace.choose_manager(tree, setup.root)
    manifests = _manifests(tree, manager, setup.root)
    top = tree.json(str(PurePosixPath(manager.folder, "package.json")))
    install: Commands
    if setup.install:
        install = (workspace.keeping_modules([("sh", "-c", setup.install)], setup.install_root),)
        why = f"Dependencies come from `{setup.install}`, because the repository's configuration says so."
    elif manager.lock or any(
        one.table(field).names() for one in map(tree.json, manifests) for field in workspace.TABLES
    ):
        more = workspace.runner_installs(tree, setup.root, runner.runner.value)
        install = workspace.install_commands(manager, top, setup.released_before, more)
        why = _installed_by(manager, setup.released_before)
    else:
        install, why = (), "Nothing is installed: package.json names no dependencies."
    build, optional, why_build = build_first(Tree(tree.root / setup.root), manifest, runner)
    needed, names = workspace.workspace_builds(tree, setup.root)
    if names:
        told = ", ".join(names[:5]) + (" and more" if len(names) > 5 else "")
        why_build = (*why_build, f"What it needs of its workspace is built first: {told}.")
    versions = (_LAYER_VERSION, toolchain.version("node"), toolchain.version("npm"))
    inputs = workspace.manager_inputs(tree, manager, manifests)
    return Recipe(
        ecosystem=_NAME,
        reasons=(why, *why_build, runner.reason),
        install=install,
        install_project=(*needed, *build),
        optional=optional,
        runner=runner.runner,
        test_arguments=runner.arguments,
        lock_digest=hashlib.sha256(json.dumps([versions, install, inputs]).encode()).hexdigest(),
        root=setup.root,
        more_calls=runner.more,
        runs_tree=bool(setup.install) or workspace.runs_tree(tree, manager, manifests),
    )


def downloading(request: BuildRequest, _: Path) -> Downloads | None:
    """Return how to download again what the manifests and the lock ask for, with no script of theirs."""
    tree, root = Tree(request.tree), request.recipe.root
    manager = workspace.choose_manager(tree, root)
    if not request.recipe.install:
        return None
    return workspace.declared_downloads(tree, manager, _manifests(tree, manager, root))


def _installed_by(manager: workspace.Manager, released_before: str) -> str:
    version = f" {manager.version}" if manager.version else ""
    exact = f"exactly as {manager.lock} locks them" if manager.lock else "the newest allowed"
    if manager.is_loose:
        exact = f"as {manager.lock} locks them, where that fits package.json"
    if workspace.is_dated(manager, released_before):
        exact = (
            f"there is no lock file and the commits are old, so the newest allowed of those released "
            f"before {released_before}, or of all where the registry has none of that time that fit"
        )
    said = f"Dependencies are installed by {manager.name}{version}, because {manager.reason}"
    option = f" With `{manager.option}`, as CI does." if manager.option else ""
    return f"{said}: {exact}.{option}"


def _manifests(tree: Tree, manager: workspace.Manager, root: str) -> tuple[str, ...]:
    """Return the package.json files that an install reads: all of a workspace's."""
    top = str(PurePosixPath(manager.folder, "package.json"))
    own = str(PurePosixPath(root, "package.json"))
    place = Tree(tree.root / manager.folder)
    if not workspace.is_workspace(tree, manager.folder):
        return tuple(dict.fromkeys((top, own)))
    found = [path for path in place.files() if PurePosixPath(path).name == "package.json"]
    inside = {own, *(str(PurePosixPath(manager.folder, path)) for path in found)}
    # In one order whatever package is tested: they all share what is installed.
    return tuple(dict.fromkeys((top, *sorted(inside))))


# --- the environment -------------------------------------------------------------------------


def building(request: BuildRequest) -> Variables:
    """Return the environment of the build commands; downloads are kept, nothing is asked or told."""
    bins = _bins(request.recipe.root)
    return (
        ("PATH", f"{bins}:{workspace.MANAGER_BINS}:{_node_of(request.recipe)}{SYSTEM_PATH}"),
        ("CI", "true"),
        ("HUSKY", "0"),
        ("NO_COLOR", "1"),
        ("npm_config_cache", f"{CACHE}/npm"),
        *_retries(10_000),
        ("npm_config_audit", "false"),
        ("npm_config_fund", "false"),
        ("npm_config_update_notifier", "false"),
        ("COREPACK_ENABLE_STRICT", "0"),
        ("YARN_ENABLE_TELEMETRY", "0"),
        ("YARN_IGNORE_PATH", "1"),  # the repository does not bring its own yarn
        ("YARN_NODE_LINKER", "node-modules"),
        ("YARN_GLOBAL_FOLDER", f"{CACHE}/yarn-berry"),
        ("GIT_TERMINAL_PROMPT", "0"),
    )


def observing(recipe: Recipe, has_project: bool) -> Variables:
    """Return the environment of what looks at a built project; CI keeps runners from new snapshots."""
    del has_project
    path = f"{_bins(recipe.root)}:{workspace.MANAGER_BINS}:{_node_of(recipe)}{PROJECT}/bin:{SYSTEM_PATH}"
    return (
        ("PATH", path),
        ("CI", "true"),
        ("NO_COLOR", "1"),
        ("FORCE_COLOR", "0"),
        *_retries(1_000),  # tests that install something, without a network
    )


def _retries(longest_ms: int) -> Variables:
    """Let npm know at once that a host does not answer, and not after minutes."""
    return (
        ("npm_config_fetch_retry_mintimeout", "1000"),
        ("npm_config_fetch_retry_maxtimeout", str(longest_ms)),
    )


def _node_of(recipe: Recipe) -> str:
    return f"{TOOLCHAIN}/node_modules/.bin:" if recipe.toolchain else ""


def _bins(root: str) -> str:
    places = [PurePosixPath(TREE, root), *PurePosixPath(TREE, root).parents]
    inside = [place for place in places if place.is_relative_to(TREE)]
    return ":".join(f"{place}/node_modules/.bin" for place in inside)


_COMMANDS = frozenset((
    "npm", "npx", "pnpm", "yarn", "node", "jest", "vitest", "mocha", "ava", "bun", "jasmine",
    "tap", "tape", "uvu",
))  # fmt: skip
ECOSYSTEM = Ecosystem(
    name=_NAME,
    weigh=weigh,
    detect=detect,
    building=building,
    observing=observing,
    downloading=downloading,
    commands=_COMMANDS,
    programs=(("node", "--version"), ("npm", "--version")),
    keeps_output=True,
    fetching=fetching,
    runs_alone=runs_alone,
)
"""Node, with npm, pnpm and yarn."""
