"""What the harness says of honest projects that use pytest."""

from __future__ import annotations

import pytest

from tests.sandbox.harness.conftest import Bench, by_id, outcomes

pytestmark = pytest.mark.real

EVERY_OUTCOME = '''
import pytest

def test_passes():
    """Says that one is one."""
    assert 1 == 1

def test_fails():
    assert [1, 2] == [1, 3]

@pytest.fixture
def broken():
    raise RuntimeError("no database")

def test_setup_breaks(broken):
    pass

@pytest.fixture
def messy():
    yield
    raise RuntimeError("cannot clean up")

def test_teardown_breaks(messy):
    pass

@pytest.mark.skip(reason="not today")
def test_skipped():
    pass

def test_skips_itself():
    pytest.skip("later")

@pytest.mark.xfail(reason="known bug")
def test_known_bug():
    assert False

@pytest.mark.xfail(reason="known bug")
def test_mended():
    pass

@pytest.mark.xfail(strict=True, reason="known bug")
def test_mended_strictly():
    pass

@pytest.mark.parametrize("value", [1, 2, 3])
def test_values(value):
    assert value < 3
'''


def test_every_outcome_is_told_apart(bench: Bench) -> None:
    observation = bench.run({"test_all.py": EVERY_OUTCOME})
    run = observation.tests
    assert run is not None
    assert outcomes(run) == {
        "test_passes": "passed",
        "test_fails": "failed",
        "test_setup_breaks": "error",
        "test_teardown_breaks": "error",
        "test_skipped": "skipped",
        "test_skips_itself": "skipped",
        "test_known_bug": "xfailed",
        "test_mended": "xpassed",
        "test_mended_strictly": "failed",
        "test_values[1]": "passed",
        "test_values[2]": "passed",
        "test_values[3]": "failed",
    }
    assert (run.complete, run.problem, run.forged) == (True, "", False)
    assert observation.exit_code == 1
    passes = by_id(run)["test_all.py::test_passes"]
    assert (passes.path, passes.line) == ("test_all.py", 4)
    assert "Says that one is one." in passes.source
    fails = by_id(run)["test_all.py::test_fails"]
    assert "assert [1, 2] == [1, 3]" in fails.message
    assert "At index 1 diff: 2 != 3" in fails.message
