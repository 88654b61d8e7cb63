"""What records the calls of tests looks at objects of the tree, which may raise anything when asked."""

from __future__ import annotations

import sys
import unittest
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from sandbox.elsewhere.inside.calls import function_of
from sandbox.elsewhere.inside.recorder import CallRecorder

MODULE = """
class Odd:
    def __getattr__(self, name):
        raise RuntimeError("there is no request")


request = Odd()


class Count:
    def twice(self, n):
        return 2 * n
"""


OF_CLASSES = """
class Amount:
    @classmethod
    def parsed(cls, text, base=10):
        return int(text, base)

    @staticmethod
    def cents_of(euros):
        return 100 * euros


class Price(Amount):
    pass


def local():
    class Inner(Amount):
        pass

    return Inner
"""


def test_methods_of_classes_are_called_without_an_object(tmp_path: Path) -> None:
    (tmp_path / "amounts.py").write_text(OF_CLASSES)
    (tmp_path / "test_a.py").write_text(
        "def test_a(kit):\n    kit.Price.parsed('12', base=8)\n    kit.Amount.cents_of(3)\n"
        "    kit.local().parsed('7')\n"
    )
    kit = ModuleType("amounts")
    sys.modules["amounts"] = kit
    names: dict[str, Any] = {}
    for name, into in (("amounts.py", vars(kit)), ("test_a.py", names)):
        path = tmp_path / name
        exec(compile(path.read_text(), str(path), "exec"), into)  # noqa: S102
    recorder = CallRecorder(str(tmp_path), ["test_a.py"], ["test_a.py::test_a"], [])
    before = sys.getprofile()
    recorder.start()
    try:
        names["test_a"](kit)
    finally:
        recorder.stop()
        sys.setprofile(before)
    found = {(one["name"], one["arguments"]): one for one in recorder.calls.values()}
    wanted = {
        ("Price.parsed", "((), {'text': '12', 'base': 8})"),
        ("Amount.cents_of", "((), {'euros': 3})"),
        ("local", "((), {})"),
    }
    assert {*found} == wanted
    assert [function_of(one)[0] for one in found.values()] == [None] * len(found)
    kind, method = function_of(found["Price.parsed", "((), {'text': '12', 'base': 8})"])
    assert (kind, method("12", base=8)) == (None, 10)
    del sys.modules["amounts"]


def test_objects_that_raise_when_they_are_asked_do_not_take_the_recorder_away(
    tmp_path: Path,
) -> None:
    names: dict[str, Any] = {"__name__": "odd"}
    exec(compile(MODULE, str(tmp_path / "odd.py"), "exec"), names)  # noqa: S102
    recorder = CallRecorder(str(tmp_path), ["test_a.py"], [], [])
    before = sys.getprofile()
    recorder.start()
    try:
        assert names["Count"]().twice(2) == 4
        recorder.look_on(str(tmp_path / "test_a.py"), "test_a")
    finally:
        recorder.stop()
        sys.setprofile(before)
    assert recorder.blinded == set()


def test_what_a_test_mocks_is_seen_where_the_test_itself_loads_the_mocks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delitem(sys.modules, "unittest.mock", raising=False)
    monkeypatch.delattr(unittest, "mock", raising=False)
    (tmp_path / "tax.py").write_text("def rate(country):\n    return 19\n")
    (tmp_path / "test_a.py").write_text(
        "def test_a(tax):\n    import unittest.mock\n"
        "    with unittest.mock.patch.object(tax, 'rate') as rate:\n        rate('DE', 2026)\n"
    )
    tax = ModuleType("tax")
    names: dict[str, Any] = {}
    for name, into in (("tax.py", vars(tax)), ("test_a.py", names)):
        path = tmp_path / name
        exec(compile(path.read_text(), str(path), "exec"), into)  # noqa: S102
    recorder = CallRecorder(str(tmp_path), ["test_a.py"], ["test_a.py::test_a"], [])
    before, test = sys.getprofile(), (str(tmp_path / "test_a.py"), "test_a")
    recorder.start()
    assert "unittest.mock" not in sys.modules  # it loads asyncio, which tests may look for
    try:
        recorder.begun(*test)
        names["test_a"](tax)
        recorder.look_on(*test, is_over=True)
    finally:
        recorder.stop()
        sys.setprofile(before)
    told = {"name": "rate", "why": "too many positional arguments"}
    assert recorder.stand_ins.misfits == [{"path": "test_a.py", "test": "test_a", **told}]
