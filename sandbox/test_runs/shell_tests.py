"""Runs a configured shell line as the tests; only its exit code speaks."""

from __future__ import annotations

from sandbox.base import Command, Completed
from sandbox.test_runs.test_order import TestDriver, TestOrder
from sandbox.toolchains import layers
from sandbox.values import TestRun


def _command(order: TestOrder) -> Command:
    return Command(
        argv=("/bin/sh", "-c", _shown(order)),
        mounts=order.mounts,
        cwd=order.start,
        environment=layers.variables(order.environment),
        network=order.network,
        limits=order.limits,
    )


def _read(_: TestOrder, __: Completed, ___: str) -> TestRun | None:
    return None


def _shown(order: TestOrder) -> str:
    return order.environment.recipe.test_arguments[0]


SHELL_TESTS = TestDriver(_command, _read, _shown)
"""A line of the repository's configuration."""
