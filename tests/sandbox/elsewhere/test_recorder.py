"""What records the calls of tests looks at objects of the tree, which may raise anything when asked."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

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
