"""Sees with what arguments mocks are called that stand for functions of the tree."""

from __future__ import annotations

import inspect
from types import FunctionType, ModuleType
from typing import Any
from unittest import mock

_MOST = 200
_LONGEST = 160


class StandIns:
    """The calls of one process that the function of a module, which a mock without its signature stands for,
    would not take."""

    def __init__(self, tree: str) -> None:
        self._tree = tree + "/"
        self._standing: list[tuple[str, inspect.Signature, mock.NonCallableMock]] = []
        self.misfits: list[dict[str, str]] = []

    def watch(self) -> None:
        """See from now what `mock.patch` puts in place."""
        patch: Any = mock._patch
        enter = patch.__enter__

        def entered(patching: Any) -> Any:
            new = enter(patching)
            self._put(patching.target, patching.temp_original, new)
            return new

        patch.__enter__ = entered

    def _put(self, target: object, original: object, new: object) -> None:
        is_mock = isinstance(new, mock.NonCallableMock) and len(self._standing) < _MOST
        if not is_mock or type(target) is not ModuleType or type(original) is not FunctionType:
            return
        if original.__code__.co_filename.startswith(self._tree):
            signature = inspect.signature(original, follow_wrapped=False)
            self._standing.append((original.__name__, signature, new))  # type: ignore[arg-type]

    def ended(self, path: str, test: str) -> None:
        """Look at the calls that a test led to."""
        standing, self._standing = self._standing, []
        for name, signature, new in standing:
            for args, kwargs in new.call_args_list[:_MOST]:
                try:
                    signature.bind(*args, **kwargs)
                except TypeError as error:
                    told = {"name": name, "why": str(error)[:_LONGEST]}
                    self.misfits.append({"path": path, "test": test, **told})
                    break
