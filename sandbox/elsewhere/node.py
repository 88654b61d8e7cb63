"""The second look for Node: the tests get proxies of what they load, and a plain `node` calls it again.

TypeScript, and the runners with module registries of their own (jest, vitest), are not looked at.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from urllib.parse import quote

from sandbox.base import TREE, Command, Mount
from sandbox.elsewhere.driver import CHANNEL_BYTES, ELSEWHERE, Again, Looking, plain_program
from sandbox.elsewhere.told import SHOWN, Recorded, recorded_calls
from sandbox.linters.reading import Node
from sandbox.test_runs.node_tests import NODE_TESTS
from sandbox.test_runs.test_order import TestOrder, local
from sandbox.values import Environment

_INSIDE = Path(__file__).parent / "inside" / "node"
_TARGET = "/opt/assay/sandbox/elsewhere/inside/node"
_RUN = "/srv/run"
_RUNNERS_OWN = ("NODE", "npm_", "NPM_", "MOCHA", "CI", "ASSAY", "NYC", "INIT_CWD")


class NodeDriver:
    """Calls of tests that node --test, mocha, tape or node alone runs."""

    is_apart = False

    def recording(self, looking: Looking) -> Command:
        """Return the run of the tests with the preload that records."""
        tree = looking.checkout.head_tree
        return _in_the_runner(looking, tree, looking.head, looking.paths, ())

    def recorded(self, told: Node, looking: Looking) -> Iterator[Recorded]:
        """Read the calls of a record."""
        return recorded_calls(told, looking.test_files, _shown)

    def under_test(self, again: Again) -> Command:
        """Return a run of the runner in which every file of the tests is ours."""
        paths = tuple(sorted({call.path for call in again.calls}))
        return _in_the_runner(again.looking, again.tree, again.environment, paths, again.calls)

    def plain(self, again: Again) -> Command:
        """Return a launcher that starts `node` with a program of ours."""
        orders = {
            "tree": ELSEWHERE,
            "gone": again.looking.test_files,
            "calls": _orders(again.calls, ELSEWHERE),
        }
        own = (
            *(Mount(str(_INSIDE / one), f"{_RUN}/{one}") for one in ("run.py", "values.cjs")),
            Mount(str(_INSIDE / "plain.cjs"), f"{_RUN}/main.cjs"),
        )
        argv = ("python3", "-I", "-S", f"{_RUN}/run.py")
        return plain_program(again, argv, own, _RUNNERS_OWN, orders)


def _in_the_runner(
    looking: Looking,
    tree: str,
    environment: Environment,
    paths: tuple[str, ...],
    calls: tuple[Recorded, ...],
) -> Command:
    """Return the project's own test run, started by a launcher that adds the preload."""
    order = TestOrder(environment.side, tree, environment, paths, looking.limits)
    run = NODE_TESTS.command(local(order))
    orders = {
        "tree": TREE,
        "runner": environment.recipe.runner.value,
        "paths": paths,
        "tests": looking.test_files,
        "calls": _orders(calls, TREE),
    }
    return replace(
        run,
        argv=("python3", "-I", "-S", f"{_TARGET}/run.py", *run.argv),
        mounts=(*run.mounts, Mount(str(_INSIDE), _TARGET)),
        stdin=json.dumps(orders).encode() + b"\n" + run.stdin,
        channel_bytes=CHANNEL_BYTES,
    )


def _orders(calls: tuple[Recorded, ...], tree: str) -> list[dict[str, object]]:
    return [
        {
            "number": number,
            "url": f"file://{quote(f'{tree}/{call.module}')}",
            "module": call.module,
            "name": call.name,
            "arguments": call.arguments,
            "path": call.path,
            "timeless": call.timeless,
        }
        for number, call in enumerate(calls)
    ]


def _shown(name: str, arguments: str) -> str:
    plain = name.removeprefix("default.")
    return f"{plain}({arguments[1:-1]})"[:SHOWN]
