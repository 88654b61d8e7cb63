"""What a test run is asked for, and what a runner has to bring to be one of those that Assay knows."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path, PurePosixPath

from sandbox.base import TREE, Command, Completed, Limits, Mount, MountMode, Network
from sandbox.test_runs.path_kinds import PathKind, classify
from sandbox.toolchains import layers
from sandbox.toolchains.tree import Tree
from sandbox.values import Environment, Side, TestCall, TestRun


@dataclass(frozen=True, slots=True)
class TestOrder:
    """What to run: a tree (host folder), the environment of its side, and only `paths` if given.

    `paths` are files or folders relative to the tree ("" is all of it); the runner's own
    arguments still apply. `fallback` is the other side's environment when its tests run here: what only
    they import (a dependency that the change drops or adds) comes from there, after everything else.
    `guest` is that environment too, also where the dependencies are equal: what builds made for tests is
    as it has it. `plugins` are the arguments that load pytest's plug-ins (None: it loads them by itself),
    `laid` are files over those of the tree and the environment. `only` are ids without parameters: where
    the runner can, only these tests of the files run (pytest and unittest do).
    """

    __test__ = False
    side: Side
    tree: str
    environment: Environment
    paths: tuple[str, ...] = ()
    limits: Limits = field(default_factory=Limits)
    fallback: Environment | None = None
    network: Network = Network.NONE
    guest: Environment | None = None
    plugins: tuple[str, ...] | None = None
    laid: tuple[Mount, ...] = ()
    only: tuple[str, ...] = ()

    @property
    def start(self) -> str:
        """Return where every command starts inside: the project's folder."""
        return f"{TREE}/{self.environment.recipe.root}".rstrip("/")

    @property
    def mounts(self) -> tuple[Mount, ...]:
        """Return the tree, copy-on-write, and the environment's layers."""
        tree = Mount(self.tree, TREE, MountMode.COPY_ON_WRITE)
        return (tree, *layers.mounts(self.environment, self.guest), *self.laid)

    def started_by(
        self,
        program: tuple[str, ...],
        told: Mapping[str, object],
        mounts: tuple[Mount, ...],
        variables: tuple[tuple[str, str], ...] = (),
    ) -> Command:
        """Return the command of a supervisor of ours, which is `told` what to do on standard input."""
        return Command(
            argv=(*program[:-1], f"{HARNESS_TARGET}/{program[-1]}"),
            mounts=(*mounts, *held_tests(self.tree), HARNESS),
            cwd=self.start,
            environment=variables,
            stdin=json.dumps(told).encode() + b"\n",
            network=self.network,
            limits=self.limits,
            channel_bytes=CHANNEL_BYTES,
        )


def calling(environment: Environment, first: TestCall, *more: TestCall) -> Environment:
    """Return the environment with these calls in place of the project's own."""
    recipe = replace(
        environment.recipe, runner=first.runner, test_arguments=first.arguments, more_calls=more
    )
    return replace(environment, recipe=recipe)


HARNESS_TARGET = "/opt/assay/sandbox/harness"
HARNESS = Mount(str(Path(__file__).parent.parent / "harness"), HARNESS_TARGET)
CHANNEL_BYTES = 256 << 20  # a hundred thousand tests
_MOST_HELD = 150


def held_tests(tree: str) -> tuple[Mount, ...]:
    """Return mounts that keep the test files of a tree (host folder) as they are, in builds and runs.

    The folders between are mounts too, so that none can be moved away; what else is made in them is
    thrown away with the run. A tree with very many tests goes without: each mount costs a millisecond.
    """
    here = Tree(Path(tree))
    files = [p for p in here.files() if classify(p) is PathKind.TEST and here.is_plain(p)]
    if len(files) > _MOST_HELD:
        return ()
    parents = (one for path in files for one in PurePosixPath(path).parents if one.name)
    folders = sorted(
        {one.as_posix() for one in parents if classify(f"{one}/x") is PathKind.SUPPORT}
    )
    mounts = [Mount(f"{tree}/{one}", f"{TREE}/{one}", MountMode.COPY_ON_WRITE) for one in folders]
    return (*mounts, *(Mount(f"{tree}/{path}", f"{TREE}/{path}") for path in files))


@dataclass(frozen=True, slots=True)
class TestDriver:
    """How one kind of runner is started and understood.

    `command` makes the one command of a run; `order.paths` are relative to the project's folder by
    then, and () is everything. `read` turns what came back into a TestRun with paths relative to the
    project's folder (told which limit killed it, "" for none), or None when single tests cannot be told.
    `shown` is the command as a person would repeat it.
    """

    __test__ = False
    command: Callable[[TestOrder], Command]
    read: Callable[[TestOrder, Completed, str], TestRun | None]
    shown: Callable[[TestOrder], str]


def within(paths: tuple[str, ...], root: str) -> tuple[str, ...]:
    """Return the paths (of the tree) that concern the project at `root`, still of the tree.

    A folder above the project means all of the project; what stands beside it is left out.
    """
    if not root:
        return paths
    top = PurePosixPath(root)
    found = []
    for path in paths:
        pure = PurePosixPath(path)
        if pure.is_relative_to(top):
            found.append(path)
        elif top.is_relative_to(pure):
            found.append(root)
    return tuple(dict.fromkeys(found))


def local(order: TestOrder) -> TestOrder:
    """Return the order with its paths relative to the project's folder; () for all of it."""
    root = order.environment.recipe.root
    paths = tuple(
        "" if path in ("", root) else path.removeprefix(f"{root}/" if root else "")
        for path in order.paths
    )
    only = tuple(one.removeprefix(f"{root}/" if root else "") for one in order.only)
    return replace(order, paths=() if "" in paths else paths, only=only)


def of_the_tree(run: TestRun, root: str) -> TestRun:
    """Return the run with paths, and the ids that start with them, relative to the tree."""
    if not root:
        return run
    results = []
    for one in run.results:
        if one.path and not one.path.startswith("/"):
            path = str(PurePosixPath(root, one.path))
            test_id = f"{root}/{one.id}" if one.id.startswith(one.path) else one.id
            is_whole = one.id == one.path  # a whole file or folder; "." is the project's own
            results.append(replace(one, id=path if is_whole else test_id, path=path))
        else:
            results.append(one)
    return replace(run, results=tuple(results))
