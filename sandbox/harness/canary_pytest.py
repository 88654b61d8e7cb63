"""Puts the canaries through pytest's own machinery, out of sight of reporters and fixtures."""

from __future__ import annotations

import ast
import os
import types
from pathlib import Path
from typing import Any

from sandbox.harness import canary
from sandbox.harness.item_watch import Exceptions, ItemWatch
from sandbox.harness.recorder import Recorder


class Canaries:
    """Makes canary items and runs them; each outcome is recorded."""

    def __init__(self, pytest: Any, nonce: str, exceptions: Exceptions, recorder: Recorder) -> None:
        self._pytest = pytest
        self._nonce = nonce
        self._exceptions = exceptions
        self._record = recorder.record
        self._watches: dict[int, ItemWatch] = {}

    def watch_of(self, item: Any) -> ItemWatch | None:
        """Return the watch of a canary item, None for any other."""
        return self._watches.get(id(item))

    def run(self, session: Any) -> None:
        """Run every canary once. They are not in `session.items` and no reporter hears of them."""
        runtestprotocol = __import__("_pytest.runner", fromlist=["runtestprotocol"]).runtestprotocol
        for item in list(self._items(self._module(session))):
            item.fixturenames = []
            plain = not hasattr(item, "addFailure")
            watch = self._watches[id(item)] = ItemWatch(item, self._exceptions, plain)
            try:
                runtestprotocol(item, log=False, nextitem=None)
            except Exception:
                # Hooks of the tree run in here and may raise anything. What they raise is no test's
                # outcome: a canary without one makes the whole run prove nothing.
                found = canary.UNKNOWN
            else:
                found = watch.seen() if canary.must_pass(item.name) else watch.verdict()[0]
            self._record("canary", name=item.name, outcome=found)
        self._watches.clear()

    def _module(self, session: Any) -> Any:
        module = _load(self._nonce, session.config)
        path = Path(os.getcwd()) / f"test_{self._nonce}.py"  # noqa: PTH109

        class CanaryModule(self._pytest.Module):  # type: ignore[misc,name-defined]
            """A module that is in memory only."""

            def _getobj(self) -> Any:
                return module

        if int(self._pytest.__version__.split(".")[0]) < 7:
            local = type(session.fspath)(str(path))
            return CanaryModule.from_parent(session, fspath=local)
        return CanaryModule.from_parent(session, path=path)

    def _items(self, collector: Any) -> Any:
        for node in collector.collect():
            if hasattr(node, "runtest"):
                yield node
            else:
                yield from self._items(node)


def _load(nonce: str, config: Any) -> types.ModuleType:
    """Compile the canaries as pytest compiles a test module: with its assertions rewritten."""
    from _pytest.assertion.rewrite import rewrite_asserts  # noqa: PLC0415 - the environment's

    text = canary.source(nonce, with_pytest=True)
    tree = ast.parse(text)
    rewrite_asserts(tree, text.encode(), f"test_{nonce}.py", config)
    module = types.ModuleType(f"test_{nonce}")
    exec(compile(tree, f"test_{nonce}.py", "exec"), module.__dict__)  # noqa: S102
    return module
