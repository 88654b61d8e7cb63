"""Calls with very long values in place of the tested ones."""

from __future__ import annotations

from sandbox.elsewhere.calls_near import long_calls
from sandbox.elsewhere.inside.objects import Instance
from sandbox.elsewhere.inside.values import literal
from sandbox.elsewhere.python import PythonDriver
from sandbox.elsewhere.told import Recorded


def test_an_object_is_no_list_that_could_be_longer() -> None:
    box = Instance("shop:Box", {"width": 3})
    arguments = literal(((box, ["a"]), {}))
    assert arguments is not None
    call = Recorded("shop", "pack", 1, arguments, "test_shop.py", "test_pack", "", "pack(box)")
    found = long_calls(PythonDriver(), [call], [call])
    assert {one.what for one in found} == {"a list of 1,500 items"}
    assert len(found) == 1
