"""Runs the tests of Node projects by their own runners, with reporters and watchers outside the tree.

What the reporters can and cannot promise stands in `sandbox/harness/node/README.md`.
"""

from __future__ import annotations

import os
import re
import shlex
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path, PurePosixPath

from sandbox.base import TREE, Command, Mount
from sandbox.test_runs.node_records import read_node_channel
from sandbox.test_runs.path_kinds import SCRIPTS, PathKind, classify
from sandbox.test_runs.run_records import end_of_output
from sandbox.test_runs.test_order import HARNESS_TARGET, TestDriver, TestOrder
from sandbox.toolchains import layers
from sandbox.toolchains.node_chain import VARIABLE
from sandbox.toolchains.tree import LISTED_FILES, Tree
from sandbox.values import Environment, TestRunner

_NODE = f"{HARNESS_TARGET}/node"
_ORIGINAL = "/opt/assay/original/tree"
_PACKAGES = "/opt/assay/original/packages"
_RECORDER = ("--require", f"{_NODE}/recorder.cjs")  # before Node 10 with no "=" between
_TIME_SHARE = 0.9  # of the run's limit: the supervisor wants to say what hung


@dataclass(frozen=True, slots=True)
class _Edition:
    """What only the major versions from `first` on, and below `before` (0: all), are given."""

    first: int
    before: int = 0
    node: tuple[str, ...] = ()
    arguments: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _Start:
    """How a runner is started: whose script, what node is told, what comes before its arguments.

    `through` is a script of ours that node starts instead; it gets the runner's as its first argument.
    `each` says that every test file is started by itself, as a process that we watch from inside.
    """

    package: str
    script: str
    arguments: tuple[str, ...] = ()
    node: tuple[str, ...] = ()
    takes_files: tuple[str, ...] | None = ()  # what stands before named files; None: it takes none
    through: tuple[str, ...] = ()
    editions: tuple[_Edition, ...] = ()
    each: bool = False
    variables: tuple[tuple[str, str], ...] = ()


_WATCHED = ("--require", f"{_NODE}/script.cjs")
_STARTS = {
    TestRunner.NODE_TEST: _Start(
        "", "",
        (f"--test-reporter={_NODE}/node_test.mjs", "--test-reporter-destination=stdout",
         "--test-reporter=spec", "--test-reporter-destination=stderr"),
    ),
    TestRunner.MOCHA: _Start(
        "mocha", "_mocha", (f"--reporter={_NODE}/mocha.cjs",), takes_files=None,
        editions=(_Edition(8, arguments=("--no-parallel",)),),
    ),
    TestRunner.JEST: _Start(
        "jest", "jest",
        (f"--reporters={_NODE}/jest.cjs", "--reporters=default", "--ci", "--coverage=false",
         "--watchAll=false"),
        takes_files=("--runTestsByPath",),
        editions=(_Edition(22, arguments=("--testLocationInResults", "--passWithNoTests")),),
    ),
    TestRunner.VITEST: _Start(
        "vitest", "vitest",
        ("run", "--passWithNoTests"), through=(f"{_NODE}/vitest_start.mjs",)
    ),
    TestRunner.AVA: _Start(
        "ava", "ava", ("--tap",),
        editions=(
            _Edition(0, 4, node=("--require", f"{_NODE}/ava_require.cjs")),
            _Edition(4, node=(f"--import={_NODE}/ava_hook.mjs",)),
        ),
    ),
    TestRunner.JASMINE: _Start(
        "jasmine", "jasmine", node=("--require", f"{_NODE}/jasmine.cjs"), takes_files=None
    ),
    TestRunner.TAP: _Start("tap", "tap", node=_WATCHED, each=True, variables=(("ASSAY_TAP", "1"),)),
    TestRunner.TAPE: _Start("tape", "tape", node=_WATCHED, each=True),
    TestRunner.UVU: _Start(
        "uvu", "uvu", node=(*_WATCHED, f"--import={_NODE}/script_hook.mjs"), each=True
    ),
    TestRunner.NODE: _Start("", "", node=_WATCHED, each=True),
}  # fmt: skip
NODE_RUNNERS = tuple(_STARTS)


@dataclass(frozen=True, slots=True)
class _Call:
    """A recipe's test arguments taken apart: NAME=value..., options of node..., `--`, the runner's."""

    variables: dict[str, str]
    node: tuple[str, ...]
    runner: tuple[str, ...]

    @property
    def files(self) -> tuple[str, ...]:
        """Return the words that can be files or patterns."""
        return tuple(word for word in self.runner if not word.startswith("-"))

    @property
    def options(self) -> tuple[str, ...]:
        """Return the words that begin as options."""
        return tuple(word for word in self.runner if word.startswith("-"))


def _call(arguments: tuple[str, ...]) -> _Call:
    at = arguments.index("--")
    before, runner = arguments[:at], arguments[at + 1 :]
    variables = [word for word in before if VARIABLE.match(word)]
    node = tuple(word for word in before if not VARIABLE.match(word))
    return _Call(dict(word.split("=", 1) for word in variables), node, runner)


def _command(order: TestOrder) -> Command:
    recipe = order.environment.recipe
    start, call = _STARTS[recipe.runner], _call(recipe.test_arguments)
    arguments, globs = _arguments(order, start, call)
    variables = (*call.variables.items(), *start.variables)
    test = ("--test",) if recipe.runner is TestRunner.NODE_TEST else ()
    orders = {
        "runner": recipe.runner.value,
        "package": start.package,
        "bin": start.script,
        "node": (*_RECORDER, *_watching(start, call), *call.node),
        "own_node": (*test, *call.node),
        "through": start.through,
        "reporter": (*test, *start.arguments),
        "editions": [(one.first, one.before, one.node, one.arguments) for one in start.editions],
        "before": recipe.install_project,
        "tests": _tests_of(order.tree) if recipe.install_project else (),
        "original": _ORIGINAL,
        "packages": _PACKAGES,
        "arguments": arguments,
        "globs": globs,
        "each": start.each,
        "only": order.paths,
        "time_s": order.limits.timeout_s * _TIME_SHARE,
        "environment": dict(layers.variables(order.environment, variables)),
        "cwd": order.start,
    }
    mounts = (
        # What the project layer built is built again in the tree at hand: tests may be compiled
        # with it, and a crosswise run has the other side's tests.
        *replace(order, environment=replace(order.environment, project_layer="")).mounts,
        *_of_fallback(order.fallback),
        *((Mount(order.tree, _ORIGINAL), *_packages(order)) if recipe.install_project else ()),
    )
    path = (("PATH", layers.SYSTEM_PATH),)
    return order.started_by(("python3", "-I", "-S", "launch_node.py"), orders, mounts, path)


def _watching(start: _Start, call: _Call) -> tuple[str, ...]:
    """Return node's options of a runner, without hooks of ES modules where it requires the test files.

    uvu does so where it is given modules to require, which compile the tests. With a hook node would load
    the files as ES modules, whose endings it does not know.
    """
    hooks = ("--import=",) if start.each and "-r" in call.node else ()
    return tuple(word for word in start.node if not word.startswith(hooks))


def _tests_of(folder: str) -> tuple[str, ...]:
    """Return what of the tree belongs to its tests: a build may write there, and tests run as they were."""
    tree, top = Tree(Path(folder)), Path(folder)
    files = (Path(place, name) for place, _, names in os.walk(top) for name in names)
    paths = (file.relative_to(top).as_posix() for file in files)  # hidden and vendored ones, too
    of_tests = (path for path in paths if classify(path) is not PathKind.SOURCE)
    return tuple(path for path in islice(of_tests, LISTED_FILES) if tree.is_plain(path))


def _packages(order: TestOrder) -> tuple[Mount, ...]:
    """Return the packages once more, where no build can reach them."""
    found = layers.kept(order.environment.dependencies_layer)
    return tuple(
        Mount(one.source, f"{_PACKAGES}/{one.target.removeprefix(TREE).lstrip('/')}")
        for one in found
        if one.target.endswith("/node_modules")
    )


def _arguments(
    order: TestOrder, start: _Start, call: _Call
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the runner's arguments and the patterns to expand after them.

    Where only some paths are asked for and the runner cannot be told so safely, all of it runs:
    more results than asked for do no harm.
    """
    if start.each:
        return (), call.runner
    paths = [PurePosixPath(path) for path in order.paths]
    can_choose = all(path.suffix in SCRIPTS for path in paths)
    if order.environment.recipe.runner is TestRunner.NODE_TEST:
        held = (any(path.match(one) for one in call.files) for path in paths)
        chosen = order.paths if can_choose and (not call.files or all(held)) else ()
        return call.options, chosen or call.files
    # An option's value cannot be told from a file without knowing every option of a runner.
    if order.paths and can_choose and not call.files and start.takes_files is not None:
        return (*call.runner, *start.takes_files), order.paths
    return call.runner, ()


def _of_fallback(fallback: Environment | None) -> tuple[Mount, ...]:
    """Lay the other side's packages one folder above the tree: Node looks there last."""
    if fallback is None:
        return ()
    place = f"{TREE}/node_modules"
    found = [mount for mount in layers.kept(fallback.dependencies_layer) if mount.target == place]
    return tuple(Mount(one.source, f"{PurePosixPath(TREE).parent}/node_modules") for one in found)


def _shown(order: TestOrder) -> str:
    recipe = order.environment.recipe
    call, start = _call(recipe.test_arguments), _STARTS[recipe.runner]
    variables = [f"{name}={value}" for name, value in call.variables.items()]
    program = ["npx", start.package] if start.package and not call.node else ["node", *call.node]
    named = [f"node_modules/.bin/{start.package}"] if start.package and call.node else []
    test = ["--test"] if recipe.runner is TestRunner.NODE_TEST else []
    arguments, files = _arguments(order, start, call)
    if start.each and order.paths:
        files = order.paths
        if recipe.runner is TestRunner.UVU:  # it takes a folder and a pattern
            files = (".", "|".join(re.escape(path) for path in order.paths))
    return shlex.join([*variables, *program, *named, *test, *arguments, *files])


NODE_TESTS = TestDriver(
    _command,
    lambda order, done, killed: read_node_channel(
        done.channel,
        Path(order.tree, order.environment.recipe.root),
        order.start,
        killed,
        end_of_output(done),
    ),
    _shown,
)
"""The runners of Node projects."""
