"""Records what tests call, and has it called again by a plain program in another place."""

from __future__ import annotations

import asyncio
import json
import shutil
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from sandbox.base import TREE, Command, Limits, Mount, MountMode, Sandbox
from sandbox.concurrently import concurrently
from sandbox.elsewhere.told import (
    SHOWN,
    Outcome,
    Recorded,
    Run,
    is_same,
    last_record,
    place_in,
    read_run,
    recorded_calls,
)
from sandbox.elsewhere.values import Difference, SecondLook
from sandbox.environments import layers
from sandbox.models import Checkout, Environment, TestRunner

RUNNERS = (TestRunner.PYTEST, TestRunner.UNITTEST)
_INSIDE = Path(__file__).parent / "inside"
_PACKAGE = "sandbox/elsewhere/inside"
_ELSEWHERE = "/srv/app"
_RUN = "/srv/run"
_CHANNEL_BYTES = 4 << 20
_RUNNERS_OWN = ("PYTEST", "PYTHON", "CI", "TOX", "NOX", "VIRTUAL_ENV", "ASSAY", "COVERAGE")


@dataclass(frozen=True, slots=True)
class Looking:
    """What a second look needs: the files of the tests that speak for the change, and where they run.

    `test_files` are all files of the tests (paths of the tree), `limits` those of one run, `workspace`
    an own folder.
    """

    checkout: Checkout
    head: Environment
    base: Environment | None
    paths: tuple[str, ...]
    test_files: tuple[str, ...]
    workspace: Path
    limits: Limits = field(default_factory=Limits)


async def look_again(sandbox: Sandbox, looking: Looking) -> SecondLook:
    """Compare what the tests' calls give under test and elsewhere. Raises SandboxError.

    A call counts where a bare test that makes it sees what the author's test saw: then nothing that the
    test sets up matters. It differs where a plain program sees something else, twice, and not on base too.
    """
    told = last_record(await sandbox.run(_recording(looking)))
    calls = tuple(recorded_calls(told, looking.test_files))
    if not calls:
        return SecondLook()
    here = place_in(told)
    paths = [one.text for one in told["sys_path"]]
    looks = _Looks(sandbox, looking, paths, here)
    compared, differing = await looks.compare(calls)
    if differing:
        again = tuple(calls[number] for number in differing)
        _, twice = await looks.compare(again)
        differing = {n: differing[n] for i, n in enumerate(differing) if i in twice}
    if differing and looking.base is not None:
        differing = await looks.not_on_base(calls, differing)
    found = tuple(_difference(calls[n], one) for n, one in differing.items())
    return SecondLook(len(compared), found)


def _difference(call: Recorded, elsewhere: Outcome) -> Difference:
    return Difference(
        call.shown,
        call.name,
        call.outcome[:SHOWN],
        (elsewhere.later if elsewhere.times else elsewhere.text)[:SHOWN],
        call.path,
        call.test,
        elsewhere.times,
    )


@dataclass(frozen=True, slots=True)
class _Looks:
    """Makes calls again, under test and elsewhere."""

    sandbox: Sandbox
    looking: Looking
    paths: list[str]
    here: dict[str, str]

    async def compare(self, calls: tuple[Recorded, ...]) -> tuple[set[int], dict[int, Outcome]]:
        """Return the numbers of the calls that could be compared, and what differs elsewhere."""
        tree, environment = self.looking.checkout.head_tree, self.looking.head
        control, plain = await concurrently(
            self._under_test(calls, tree, environment), self._plain(calls, tree, environment)
        )
        compared: set[int] = set()
        differing: dict[int, Outcome] = {}
        for number, call in enumerate(calls):
            bare, other = control.outcomes.get(number), plain.outcomes.get(number)
            if bare is None or other is None or bare.unsteady or other.unsteady:
                continue
            if not is_same(call.outcome, self.here, bare.text, control.place):
                continue
            compared.add(number)
            if other.later or not is_same(call.outcome, self.here, other.text, plain.place):
                differing[number] = other
        return compared, differing

    async def not_on_base(
        self, calls: tuple[Recorded, ...], differing: dict[int, Outcome]
    ) -> dict[int, Outcome]:
        """Leave out what differs between the two places on base too."""
        base = self.looking.base
        if base is None:
            return differing
        tree = self.looking.checkout.base_tree
        asked = tuple(calls[number] for number in differing)
        control, plain = await concurrently(
            self._under_test(asked, tree, base), self._plain(asked, tree, base)
        )
        kept = {}
        for at, number in enumerate(differing):
            bare, other = control.outcomes.get(at), plain.outcomes.get(at)
            if bare and other and not bare.unsteady and not other.unsteady:
                alike = is_same(bare.text, control.place, other.text, plain.place)
                if other.later or not alike:
                    continue
            kept[number] = differing[number]
        return kept

    async def _under_test(
        self, calls: tuple[Recorded, ...], tree: str, environment: Environment
    ) -> Run:
        folder = self.looking.workspace / environment.side
        try:
            laid = await asyncio.to_thread(_laid, folder, calls)
            return read_run(await self.sandbox.run(self._control(calls, tree, environment, laid)))
        finally:
            await asyncio.to_thread(shutil.rmtree, folder, ignore_errors=True)

    def _control(
        self,
        calls: tuple[Recorded, ...],
        tree: str,
        environment: Environment,
        laid: tuple[Mount, ...],
    ) -> Command:
        recipe = environment.recipe
        paths = sorted({call.path for call in calls})
        inside = [_local(path, recipe.root) for path in paths]
        bare = ("-c", "/dev/null", "--rootdir", TREE, "--noconftest", "-p", "no:cacheprovider")
        orders = {
            "tree": TREE,
            "runner": recipe.runner.value,
            "arguments": [*(bare if recipe.runner is TestRunner.PYTEST else ()), *inside],
            "paths": paths,
            "sys_path": self.paths,
            "environment": dict(layers.variables(environment)),
            "calls": [_order(call) for call in calls],
        }
        return _in_the_runner(environment, tree, orders, laid, self.looking.limits)

    async def _plain(self, calls: tuple[Recorded, ...], tree: str, environment: Environment) -> Run:
        orders = {
            "tree": _ELSEWHERE,
            "gone": self.looking.test_files,
            "sys_path": [_moved(path) for path in self.paths],
            "calls": [_order(call) for call in calls],
        }
        variables = {
            name: value.replace(TREE, _ELSEWHERE)
            for name, value in layers.variables(environment)
            if not name.startswith(_RUNNERS_OWN)
        }
        home = {"HOME": "/tmp/home/ada", "USER": "ada", "LOGNAME": "ada"}  # noqa: S108 - the sandbox's own
        root = environment.recipe.root
        command = Command(
            argv=(f"{layers.DEPENDENCIES}/bin/python", "-I", f"{_RUN}/main.py"),
            mounts=(
                Mount(tree, _ELSEWHERE, MountMode.COPY_ON_WRITE),
                *(replace(one, target=_moved(one.target)) for one in layers.mounts(environment)),
                Mount(str(_INSIDE), f"{_RUN}/{_PACKAGE}"),
                Mount(str(_INSIDE / "plain.py"), f"{_RUN}/main.py"),
            ),
            environment=tuple({**variables, **home}.items()),
            cwd=f"{_ELSEWHERE}/{root}".rstrip("/"),
            stdin=json.dumps(orders).encode() + b"\n",
            limits=self.looking.limits,
            channel_bytes=_CHANNEL_BYTES,
        )
        return read_run(await self.sandbox.run(command))


def _recording(looking: Looking) -> Command:
    recipe = looking.head.recipe
    orders = {
        "tree": TREE,
        "runner": recipe.runner.value,
        "arguments": recipe.test_arguments,
        "paths": looking.paths,
        "tests": looking.test_files,
        "environment": dict(layers.variables(looking.head)),
        "calls": [],
    }
    return _in_the_runner(looking.head, looking.checkout.head_tree, orders, (), looking.limits)


def _in_the_runner(
    environment: Environment,
    tree: str,
    orders: Mapping[str, object],
    laid: tuple[Mount, ...],
    limits: Limits,
) -> Command:
    target = f"/opt/assay/{_PACKAGE}"
    return Command(
        argv=(f"{layers.DEPENDENCIES}/bin/python", "-S", f"{target}/run.py"),
        mounts=(
            Mount(tree, TREE, MountMode.COPY_ON_WRITE),
            *layers.mounts(environment),
            *laid,
            Mount(str(_INSIDE), target),
        ),
        cwd=f"{TREE}/{environment.recipe.root}".rstrip("/"),
        environment=(("PYTHONHASHSEED", "0"),),
        stdin=json.dumps(orders).encode() + b"\n",
        limits=limits,
        channel_bytes=_CHANNEL_BYTES,
    )


def _moved(path: str) -> str:
    is_inside = path == TREE or path.startswith(TREE + "/")
    return _ELSEWHERE + path[len(TREE) :] if is_inside else path


def _local(path: str, root: str) -> str:
    return path.removeprefix(f"{root}/" if root else "")


def _order(call: Recorded) -> dict[str, object]:
    return {
        "module": call.module,
        "name": call.name,
        "depth": call.depth,
        "arguments": call.arguments,
        "path": call.path,
        "test": call.test,
    }


def _laid(folder: Path, calls: tuple[Recorded, ...]) -> tuple[Mount, ...]:
    """Write a bare test file in place of each that made calls: the same names, and nothing else."""
    folder.mkdir(parents=True, exist_ok=True)
    mounts = []
    for number, path in enumerate(sorted({call.path for call in calls})):
        names = sorted(
            {call.test for call in calls if call.path == path and call.test.isidentifier()}
        )
        lines = [
            "import unittest",
            "",
            "import assay_again",
            "",
            "",
            "class TestAgain(unittest.TestCase):",
        ]
        for name in names:
            own = name if name.startswith("test") else f"test_{name}"
            lines += [
                f"    def {own}(self):",
                f"        for one in assay_again.AGAIN.calls({path!r}, {name!r}):",
                "            while one.goes_on():",
                "                try:",
                "                    one.result = one.function(*one.args, **one.kwargs)",
                "                except BaseException as error:",
                "                    one.raised = error",
                "",
            ]
        file = folder / f"{number}.py"
        file.write_text("\n".join(lines) + "\n")
        mounts.append(Mount(str(file), f"{TREE}/{path}"))
    return tuple(mounts)
