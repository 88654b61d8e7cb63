"""Records what tests call, and has it called again by a plain program in another place."""

from __future__ import annotations

import ast
import asyncio
import json
import shutil
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import islice
from pathlib import Path

from sandbox.base import TREE, Command, Completed, Limits, Mount, MountMode, Sandbox
from sandbox.concurrently import concurrently
from sandbox.elsewhere.values import Difference, SecondLook
from sandbox.environments import layers
from sandbox.linters.reading import Node
from sandbox.models import Checkout, Environment, TestRunner

RUNNERS = (TestRunner.PYTEST, TestRunner.UNITTEST)
_INSIDE = Path(__file__).parent / "inside"
_PACKAGE = "sandbox/elsewhere/inside"
_ELSEWHERE = "/srv/app"
_RUN = "/srv/run"
_CHANNEL_BYTES = 4 << 20
_MOST_CALLS = 60
_MOST_TEXT = 4_000
_SHOWN = 160
_TOKENS = ("tree", "cwd", "home", "temporary", "host", "user", "name", "program")
_NUMBERS = ("uid", "gid", "pid", "ppid")
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


@dataclass(frozen=True, slots=True)
class _Recorded:
    """One call: where its function is found, its arguments as text, who made it, and what came back."""

    module: str
    name: str
    depth: int
    arguments: str
    path: str
    test: str
    outcome: str

    @property
    def shown(self) -> str:
        """Return the call as one would write it."""
        try:
            positional, named = ast.literal_eval(self.arguments)
            words = [*map(repr, positional), *(f"{k}={v!r}" for k, v in named.items())]
        except (ValueError, SyntaxError, TypeError, AttributeError, MemoryError, RecursionError):
            words = ["…"]
        return f"{self.name}({', '.join(words)})"[:_SHOWN]


@dataclass(frozen=True, slots=True)
class _Outcome:
    text: str
    unsteady: bool
    later: str
    times: int


@dataclass(frozen=True, slots=True)
class _Run:
    """What one run of calls told: what is its own there, and the outcomes by the call's number."""

    place: dict[str, str]
    outcomes: dict[int, _Outcome]


async def look_again(sandbox: Sandbox, looking: Looking) -> SecondLook:
    """Compare what the tests' calls give under test and elsewhere. Raises SandboxError.

    A call counts where a bare test that makes it sees what the author's test saw: then nothing that the
    test sets up matters. It differs where a plain program sees something else, twice, and not on base too.
    """
    told = _last(await sandbox.run(_recording(looking)))
    calls = tuple(_recorded(told, looking.test_files))
    if not calls:
        return SecondLook()
    here = _place(told)
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


def _difference(call: _Recorded, elsewhere: _Outcome) -> Difference:
    return Difference(
        call.shown,
        call.name,
        call.outcome[:_SHOWN],
        (elsewhere.later if elsewhere.times else elsewhere.text)[:_SHOWN],
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

    async def compare(self, calls: tuple[_Recorded, ...]) -> tuple[set[int], dict[int, _Outcome]]:
        """Return the numbers of the calls that could be compared, and what differs elsewhere."""
        tree, environment = self.looking.checkout.head_tree, self.looking.head
        control, plain = await concurrently(
            self._under_test(calls, tree, environment), self._plain(calls, tree, environment)
        )
        compared: set[int] = set()
        differing: dict[int, _Outcome] = {}
        for number, call in enumerate(calls):
            bare, other = control.outcomes.get(number), plain.outcomes.get(number)
            if bare is None or other is None or bare.unsteady or other.unsteady:
                continue
            if not _same(call.outcome, self.here, bare.text, control.place):
                continue
            compared.add(number)
            if other.later or not _same(call.outcome, self.here, other.text, plain.place):
                differing[number] = other
        return compared, differing

    async def not_on_base(
        self, calls: tuple[_Recorded, ...], differing: dict[int, _Outcome]
    ) -> dict[int, _Outcome]:
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
                is_same = _same(bare.text, control.place, other.text, plain.place)
                if other.later or not is_same:
                    continue
            kept[number] = differing[number]
        return kept

    async def _under_test(
        self, calls: tuple[_Recorded, ...], tree: str, environment: Environment
    ) -> _Run:
        folder = self.looking.workspace / environment.side
        try:
            laid = await asyncio.to_thread(_laid, folder, calls)
            return _read(await self.sandbox.run(self._control(calls, tree, environment, laid)))
        finally:
            await asyncio.to_thread(shutil.rmtree, folder, ignore_errors=True)

    def _control(
        self,
        calls: tuple[_Recorded, ...],
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

    async def _plain(
        self, calls: tuple[_Recorded, ...], tree: str, environment: Environment
    ) -> _Run:
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
        return _read(await self.sandbox.run(command))


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


def _order(call: _Recorded) -> dict[str, object]:
    return {
        "module": call.module,
        "name": call.name,
        "depth": call.depth,
        "arguments": call.arguments,
        "path": call.path,
        "test": call.test,
    }


def _laid(folder: Path, calls: tuple[_Recorded, ...]) -> tuple[Mount, ...]:
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


def _last(completed: Completed) -> Node:
    lines = completed.channel.splitlines()
    return _node(lines[-1]) if lines else Node(None)


def _node(line: bytes) -> Node:
    try:
        return Node(json.loads(line))
    except (ValueError, RecursionError):
        return Node(None)


def _recorded(told: Node, test_files: tuple[str, ...]) -> Iterator[_Recorded]:
    """Read the calls; what is given a file of the tests or a folder of its own works only here."""
    for one in islice(told["calls"], _MOST_CALLS):
        texts = [
            one[key].text for key in ("module", "name", "arguments", "path", "test", "outcome")
        ]
        module, name, arguments, path, test, outcome = texts
        is_told = all(texts) and all(len(text) <= _MOST_TEXT for text in texts)
        is_here = any(path in arguments for path in (*test_files, TREE, "/tmp/"))  # noqa: S108
        if is_told and outcome != "unsteady" and path in test_files and not is_here:
            yield _Recorded(module, name, one["depth"].number, arguments, path, test, outcome)


def _place(told: Node) -> dict[str, str]:
    return {key: told["place"][key].text[:200] for key in (*_TOKENS, *_NUMBERS)}


def _read(completed: Completed) -> _Run:
    place: dict[str, str] = {}
    outcomes: dict[int, _Outcome] = {}
    for line in completed.channel.splitlines():
        told = _node(line)
        if told["place"]["tree"].text:
            place = _place(told)
        elif told["outcome"].text:
            outcomes.setdefault(
                told["number"].number,
                _Outcome(
                    told["outcome"].text[:_MOST_TEXT],
                    told["unsteady"].is_true,
                    told["later"].text[:_MOST_TEXT],
                    told["times"].number,
                ),
            )
    return _Run(place, outcomes)


def _same(one: str, here: dict[str, str], other: str, there: dict[str, str]) -> bool:
    """Tell whether two outcomes are the same but for what is each place's own.

    A recorder cannot tell what was raised.
    """
    if one == other or (one.startswith("raised") and other.startswith("raised")):
        return True
    for key in _NUMBERS:
        if one == f"returned {here[key]}" and other == f"returned {there[key]}":
            return True
    for key in _TOKENS:
        if one == f"returned {here[key]!r}" and other == f"returned {there[key]!r}":
            return True
    return _neutral(one, here) == _neutral(other, there)


def _neutral(text: str, place: dict[str, str]) -> str:
    known = sorted(
        ((place[key], key) for key in _TOKENS if len(place[key]) > 2),
        reverse=True,
        key=lambda one: len(one[0]),
    )
    for value, key in known:
        text = text.replace(value, f"<{key}>")
    return text
