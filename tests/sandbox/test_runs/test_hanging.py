"""A test that never ends with base's code fails there, and no other test of its file does."""

from __future__ import annotations

import asyncio
import json
import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from sandbox import open_sandbox
from sandbox.base import Limits
from sandbox.test_runs.four_runs import FourRuns
from sandbox.test_runs.repeats import with_hanging_tests
from sandbox.test_runs.test_order import TestOrder
from sandbox.test_runs.unit_tests import run_tests
from sandbox.values import Side, TestRun
from tests.sandbox.toolchains.test_node_runners import built, written

pytestmark = [
    pytest.mark.real,
    pytest.mark.slow,
    pytest.mark.skipif(
        shutil.which("npm", path="/usr/local/bin:/usr/bin:/bin") is None,
        reason="node and npm are not installed where the sandbox looks",
    ),
]

UNTIL = """exports.until = (day, wanted) => {
  let count = 0;
  while (day !== wanted) { day = (day + 1) % 7; count += 1; }
  return count;
};
"""
REFUSES = UNTIL.replace("  let", "  if (wanted > 6) throw new RangeError('no such day');\n  let")
USED = "const assert = require('assert');\nconst {until} = require('../days.js');\n"
COUNTS, HANGS, LATER = (
    "assert.equal(until(1, 3), 2);",
    "assert.throws(() => until(1, 9), /no such day/);",
    "assert.equal(until(6, 1), 2);",
)
CALLBACKS = "test('{0}', t => {{ {1} t.pass('is so'); t.end(); }});\n"
PLAIN = "test('{0}', () => {{ {1} }});\n"
RUNNERS = {
    "tape": ("^5", "const test = require('tape');\n", CALLBACKS, ""),
    "tap": ("^16", "const {test} = require('tap');\n", CALLBACKS, ""),
    "uvu": ("^0.5", "const {test} = require('uvu');\n", PLAIN, "test.run();\n"),
    "node": ("", "const test = require('node:test');\n", PLAIN, ""),
    "vitest": ("^2", "import {test} from 'vitest';\n", PLAIN, ""),
}


def order_of(folder: Path, runner: str, days: str) -> TestOrder:
    version, head, test, end = RUNNERS[runner]
    folder.mkdir()
    manifest = {
        "scripts": {
            "test": "node --test test/" if runner == "node" else f"{runner} test/days.test.js"
        },
        "devDependencies": {runner: version} if version else {},
    }
    if runner in ("uvu", "vitest"):
        manifest["scripts"]["test"] = "uvu test" if runner == "uvu" else "vitest run"
    cases = (("counts", COUNTS), ("hangs", HANGS), ("counts on", LATER))
    text = head + USED + "".join(test.format(*case) for case in cases) + end
    if runner == "vitest":
        text = text.replace(
            "const assert = require('assert');", "import assert from 'node:assert';"
        )
        text = text.replace(
            "const {until} = require('../days.js');", "import {until} from '../days.js';"
        )
    files = {"package.json": json.dumps(manifest), "days.js": days, "test/days.test.js": text}
    tree = written(folder, files)
    environment = built(folder, tree)
    assert environment.failure is None, environment.failure
    return TestOrder(Side.BASE, str(tree), environment, limits=Limits(timeout_s=20))


@pytest.mark.parametrize("runner", ["tape", "tap", "uvu"])
def test_the_one_that_runs_is_told(runner: str, tmp_path: Path) -> None:
    order = order_of(tmp_path / runner, runner, UNTIL)
    seen = asyncio.run(run_tests(open_sandbox("auto", tmp_path / "state"), order))
    assert seen.tests is not None, seen
    found = {one.id.rpartition("::")[2]: one.outcome.value for one in seen.tests.results}
    assert found.pop("counts", "passed") == "passed"  # tap tells it with the end of its file
    assert found == {"hangs": "error"}, seen


@pytest.mark.parametrize("runner", ["node", "vitest"])
def test_where_no_runner_tells_it_new_tests_run_alone(runner: str, tmp_path: Path) -> None:
    sandbox = open_sandbox("auto", tmp_path / "state")
    on_head = order_of(tmp_path / "head", runner, REFUSES)
    on_base = replace(on_head, tree=order_of(tmp_path / "base", runner, UNTIL).tree)

    async def look() -> FourRuns:
        head, base = await run_tests(sandbox, on_head), await run_tests(sandbox, on_base)
        assert head.tests is not None and head.tests.complete, head
        assert base.timed_out and base.tests is not None, base
        paths = ("test/days.test.js",)
        runs = FourRuns(TestRun(True, ()), head.tests, None, base.tests, head_paths=paths)
        return await with_hanging_tests(sandbox, on_base, (base, head), runs)

    told = asyncio.run(look()).head_on_base
    assert told is not None
    found = {one.id.rpartition("::")[2]: one.outcome.value for one in told.results}
    assert found == {"counts": "passed", "hangs": "error", "counts on": "passed"}
