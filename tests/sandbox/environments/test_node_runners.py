"""Real runners from the registry, installed by each package manager, tell every test."""

from __future__ import annotations

import asyncio
import json
import shutil
from dataclasses import dataclass
from pathlib import Path

import pytest

from sandbox import open_sandbox
from sandbox.environments import ECOSYSTEMS, SetupHints, detect
from sandbox.environments.build import build
from sandbox.environments.build_request import BuildRequest
from sandbox.environments.toolchain import toolchain
from sandbox.models import Observation, Side
from sandbox.tools.test_order import TestOrder
from sandbox.tools.unit_tests import run_tests

pytestmark = [
    pytest.mark.real,
    pytest.mark.slow,  # each installs a hundred packages
    pytest.mark.skipif(
        shutil.which("npm", path="/usr/local/bin:/usr/bin:/bin") is None,
        reason="node and npm are not installed where the sandbox looks",
    ),
]

SUM = "exports.sum = (a, b) => a + b;\n"
SUITES = """
describe('sum', () => {
  it('adds', () => { assert.equal(sum(1, 2), 3); });
  it('fails', () => { assert.equal(sum(1, 2), 4); });
  it.skip('is skipped', () => {});
});
"""
NEEDS = "const assert = require('node:assert');\nconst {sum} = require('../sum.js');\n"
AVA = """const test = require('ava');
const {sum} = require('../sum.js');
test('adds', t => { t.is(sum(1, 2), 3); });
test('fails', t => { t.is(sum(1, 2), 4); });
test.skip('is skipped', t => { t.pass(); });
"""
VITEST = """import {describe, it, assert} from 'vitest';
import {sum} from '../sum.js';
"""
BROKEN = "require('./nowhere.js');\n"


@dataclass(frozen=True)
class Case:
    """One runner with its package, test file and what a file that cannot be loaded comes to."""

    runner: str
    version: str
    files: dict[str, str]
    suite: str = "sum > "
    broken: str = "test/broken.test.js"
    others: tuple[tuple[str, str], ...] = ()  # packages with their versions


# A configuration that wants other reporters, and the pen.
VITEST_CONFIG = """import {createRequire} from 'node:module';
createRequire(import.meta.url)('/opt/assay/sandbox/harness/node/recorder.cjs').take();
export default {test: {reporters: ['json'], coverage: {enabled: true}}};
"""
_OLD_VITEST = {"test/a.test.js": VITEST + SUITES, "test/broken.test.js": BROKEN}
_VITEST = {**_OLD_VITEST, "vitest.config.mjs": VITEST_CONFIG}
# Each starts and reports in its own way; 4 is the last for Node 20.
_VITESTS = (("^1", "^5"), ("^2", "^5"), ("^3", "^6"), ("^4", "^7"))
CASES = [
    Case("mocha", "^11", {"test/a.test.js": NEEDS + SUITES}, broken=""),
    Case("jest", "^29", {"test/a.test.js": NEEDS + SUITES, "test/broken.test.js": BROKEN}),
    Case("vitest", "1.0.4", _OLD_VITEST, others=(("vite", "^5"),)),
    *(Case("vitest", one, _VITEST, others=(("vite", vite),)) for one, vite in _VITESTS),
    Case("ava", "^6", {"test/a.test.js": AVA, "test/broken.test.js": BROKEN}, ""),
]


def observed(folder: Path, tree: Path) -> Observation:
    async def observe() -> Observation:
        sandbox = open_sandbox("auto", folder / "state")
        recipe = detect(tree, SetupHints(), await toolchain(sandbox, ECOSYSTEMS.values()))
        assert recipe is not None and not recipe.needs, recipe
        side, own = Side.BASE, folder / "evaluation"
        request = BuildRequest(side, tree, recipe, "", "tests/x", "sha", folder / "state", own)
        environment = await build(sandbox, request)
        assert environment.failure is None, environment.failure
        return await run_tests(sandbox, TestOrder(side, str(tree), environment))

    return asyncio.run(observe())


def written(folder: Path, files: dict[str, str]) -> Path:
    for path in [folder, *folder.parents[:2]]:
        path.chmod(0o755)
    for path, text in files.items():
        target = folder / "tree" / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text)
    return folder / "tree"


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.runner}{case.version}")
def test_a_runner_tells_every_test(case: Case, tmp_path: Path) -> None:
    manifest = {
        "scripts": {"test": f"eslint . && {case.runner}"},
        "devDependencies": {case.runner: case.version, **dict(case.others)},
    }
    tree = written(tmp_path, {"package.json": json.dumps(manifest), "sum.js": SUM, **case.files})
    observation = observed(tmp_path, tree)
    assert observation.tests is not None and observation.tests.complete, observation
    found = {one.id: one.outcome.value for one in observation.tests.results}
    expected = {
        f"test/a.test.js::{case.suite}adds": "passed",
        f"test/a.test.js::{case.suite}fails": "failed",
        f"test/a.test.js::{case.suite}is skipped": "skipped",
    }
    assert found == expected | ({case.broken: "error"} if case.broken else {})
    assert all(one.path.startswith("test/") for one in observation.tests.results)


@pytest.mark.parametrize("manager", ["pnpm@9.15.9", "yarn@1.22.22", "yarn@4.9.2"])
def test_a_package_manager_of_the_manifest_installs(manager: str, tmp_path: Path) -> None:
    test = "import 'ms';\nimport test from 'node:test';\ntest('it is there', () => {});\n"
    manifest = {"type": "module", "packageManager": manager, "dependencies": {"ms": "2.1.3"}}
    tree = written(tmp_path, {"package.json": json.dumps(manifest), "test/a.test.js": test})
    observation = observed(tmp_path, tree)
    assert observation.tests is not None and observation.tests.complete, observation
    assert [one.outcome.value for one in observation.tests.results] == ["passed"]
