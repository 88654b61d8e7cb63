"""Runs pytest and unittest by a harness outside the tree; see `sandbox.harness` for its limits."""

from __future__ import annotations

import json
import shlex
from pathlib import Path

from sandbox.base import Command, Completed, Mount
from sandbox.test_runs.run_records import read_channel
from sandbox.test_runs.test_order import TestDriver, TestOrder, held_tests
from sandbox.toolchains import layers
from sandbox.values import Environment, TestRun, TestRunner

_HARNESS = Path(__file__).parent.parent / "harness"
_HARNESS_TARGET = "/opt/assay/sandbox/harness"
_CHANNEL_BYTES = 256 << 20  # a hundred thousand tests


def _command(order: TestOrder) -> Command:
    """The harness by the project's own interpreter; orders go by standard input."""
    recipe = order.environment.recipe
    own = (
        order.plugins if order.plugins is not None and recipe.runner is TestRunner.PYTEST else None
    )
    variables = () if own is None else (("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1"),)
    orders = {
        "runner": recipe.runner.value,
        "arguments": (*(own or ()), *recipe.test_arguments),
        "paths": order.paths,
        "only": order.only,
        "environment": dict(layers.variables(order.environment, variables)),
        "lent": _lent_paths(order.lender),
    }
    return Command(
        argv=(f"{layers.DEPENDENCIES}/bin/python", "-S", f"{_HARNESS_TARGET}/launch.py"),
        mounts=(
            *order.mounts,
            *held_tests(order.tree),
            *_lent_mounts(order.lender),
            Mount(str(_HARNESS), _HARNESS_TARGET),
        ),
        cwd=order.start,
        # PYTHONPATH and the like wait for the child: the keeper must not load the tree's modules.
        environment=(("PYTHONHASHSEED", "0"),),
        stdin=json.dumps(orders).encode() + b"\n",
        network=order.network,
        limits=order.limits,
        channel_bytes=_CHANNEL_BYTES,
    )


def _lent_mounts(lender: Environment | None) -> tuple[Mount, ...]:
    return (Mount(lender.dependencies_layer, layers.LENT),) if lender else ()


def _lent_paths(lender: Environment | None) -> tuple[str, ...]:
    """Return the lender's site-packages as they stand inside."""
    if lender is None:
        return ()
    layer = Path(lender.dependencies_layer)
    found = layer.glob("lib/python3*/site-packages")
    return tuple(f"{layers.LENT}/{folder.relative_to(layer)}" for folder in found)


def _read(_: TestOrder, completed: Completed, killed: str) -> TestRun:
    return read_channel(completed.channel, killed)


def _shown(order: TestOrder) -> str:
    recipe = order.environment.recipe
    words = [*recipe.test_arguments, *order.paths]
    return shlex.join(["python", "-m", recipe.runner.value, *words])


PYTHON_TESTS = TestDriver(_command, _read, _shown)
"""pytest and unittest."""
