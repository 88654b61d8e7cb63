"""Sees what stands for functions of the tree while tests run: other functions, and mocks called otherwise."""

from __future__ import annotations

import inspect
import sys
from types import CodeType, FunctionType, ModuleType
from typing import Any

_MOST = 200
_LONGEST = 160


class StandIns:
    """What tests of one process put in place of the tree's functions.

    `misfits` are calls that the function of a module, which a mock without its signature stands for, would
    not take; `replaced` the functions with one of the `named` names that are of a file of the tests when a
    test begins.
    """

    def __init__(self, tree: str, tests: set[str]) -> None:
        self._tree = tree
        self._tests = tests
        self.named: list[str] = []
        self.replaced: list[dict[str, str]] = []
        self._standing: list[tuple[str, inspect.Signature, Any]] = []
        self._is_watching = False
        self.misfits: list[dict[str, str]] = []

    def watch(self) -> bool:
        """See from now what `mock.patch` puts in place; False where nobody has loaded it yet."""
        mock: Any = sys.modules.get("unittest.mock")
        if self._is_watching or not hasattr(mock, "patch"):
            return self._is_watching
        self._is_watching = True
        patch: Any = type(mock.patch("a.b"))  # it has no public name
        enter = patch.__enter__

        def entered(patching: Any) -> Any:
            new, original = enter(patching), patching.temp_original
            is_mock = isinstance(new, mock.NonCallableMock) and len(self._standing) < _MOST
            is_of_module = type(patching.target) is ModuleType and type(original) is FunctionType
            if is_mock and is_of_module and original.__code__.co_filename.startswith(self._tree):
                signature = inspect.signature(original, follow_wrapped=False)
                self._standing.append((original.__name__, signature, new))
            return new

        patch.__enter__ = entered
        return True

    def begun(self, path: str, test: str) -> None:
        """Look for functions with the names in the tree's modules that a file of the tests has put there."""
        if not self.named or not path.startswith(self._tree) or len(self.replaced) >= _MOST:
            return
        for module in list(sys.modules.values()):
            file = getattr(module, "__file__", None) or ""
            if (
                type(module) is not ModuleType
                or not file.startswith(self._tree)
                or file in self._tests
            ):
                continue
            owners = [
                module,
                *[one for one in list(vars(module).values()) if isinstance(one, type)],
            ]
            for name in self.named:
                codes = [getattr(vars(one).get(name), "__code__", None) for one in owners]
                files = {one.co_filename for one in codes if isinstance(one, CodeType)}
                found = files & self._tests
                place = {"path": path[len(self._tree) :], "test": test, "name": name}
                self.replaced += [
                    {**place, "file": one[len(self._tree) :]} for one in sorted(found)
                ]

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
