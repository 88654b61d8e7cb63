"""node --test under the harness: every test has its outcome, and nobody leaves by the back door."""

from __future__ import annotations

import asyncio
import shutil
from dataclasses import dataclass
from pathlib import Path

import pytest

from sandbox import open_sandbox
from sandbox.base import Limits, Sandbox
from sandbox.test_runs.test_order import TestOrder
from sandbox.test_runs.unit_tests import run_tests
from sandbox.values import Environment, Observation, Recipe, Side, TestRun, TestRunner

pytestmark = [
    pytest.mark.real,
    pytest.mark.skipif(
        shutil.which("node", path="/usr/local/bin:/usr/bin:/bin") is None,
        reason="node is not installed where the sandbox looks",
    ),
]
MANY = """\
import {test, describe, it} from 'node:test';
import assert from 'node:assert';
test('passes', () => {});
test('fails', () => { assert.equal(1, 2); });
test('is skipped', {skip: true}, () => {});
test('is to do', {todo: true}, () => { assert.fail(); });
describe('a suite', () => {
  it('holds a test', () => {});
  it('holds a failure', () => { throw new Error('inside'); });
});
"""
TWO = """\
import {test} from 'node:test';
import assert from 'node:assert';
import {leave} from '../leave.mjs';
test('one', async () => { await leave(); });
test('two', () => { assert.equal(1, 2); });
"""


@dataclass(frozen=True)
class NodeBench:
    """Writes trees and runs their tests in the real sandbox, without any package."""

    sandbox: Sandbox
    folder: Path

    def run(
        self,
        files: dict[str, str],
        paths: tuple[str, ...] = (),
        root: str = "",
        runner: TestRunner = TestRunner.NODE_TEST,
    ) -> Observation:
        tree = self.folder / "tree"
        for path, text in files.items():
            target = tree / path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(text)
        recipe = Recipe("node", (), (), (), runner, ("--", "test/*.mjs"), "", root=root)
        variables = (("PATH", "/usr/local/bin:/usr/bin:/bin"),)
        environment = Environment(Side.HEAD, recipe, "", "", "", variables)
        limits = Limits(timeout_s=120, output_bytes=100_000)
        order = TestOrder(Side.HEAD, str(tree), environment, paths, limits)
        return asyncio.run(run_tests(self.sandbox, order))

    def tests(self, files: dict[str, str]) -> TestRun:
        observation = self.run(files)
        assert observation.tests is not None
        return observation.tests


@pytest.fixture
def node(tmp_path: Path) -> NodeBench:
    for path in [tmp_path, *tmp_path.parents[:2]]:
        path.chmod(0o755)
    return NodeBench(open_sandbox("auto", tmp_path / "state"), tmp_path)


def outcomes(run: TestRun) -> dict[str, str]:
    return {result.id: result.outcome.value for result in run.results}


def test_a_subtest_in_a_file_that_a_test_loads_is_a_part_of_it(node: NodeBench) -> None:
    inner = "import {test} from 'node:test';\nawait test('inner', () => {});\n"
    files = {
        "lib/inner.mjs": inner,
        "test/a.mjs": "import {test} from 'node:test';\n"
        "test('outer', async () => { await import('../lib/inner.mjs'); });\n",
        "test/b.mjs": "import {test} from 'node:test';\ntest('other', () => {});\n",
    }
    run = node.tests(files)
    assert run.complete, run.problem
    assert outcomes(run) == {
        "test/a.mjs::outer": "passed",
        "test/a.mjs::outer > inner": "passed",
        "test/b.mjs::other": "passed",
    }


def test_every_test_has_its_outcome_title_and_code(node: NodeBench) -> None:
    observation = node.run({"test/a.mjs": MANY})
    run = observation.tests
    assert run is not None and run.complete, observation
    assert outcomes(run) == {
        "test/a.mjs::passes": "passed",
        "test/a.mjs::fails": "failed",
        "test/a.mjs::is skipped": "skipped",
        "test/a.mjs::is to do": "xfailed",
        "test/a.mjs::a suite > holds a test": "passed",
        "test/a.mjs::a suite > holds a failure": "failed",
    }
    failing = next(one for one in run.results if one.id.endswith("::fails"))
    assert (failing.path, failing.line) == ("test/a.mjs", 4)
    assert "assert.equal(1, 2)" in failing.source and "1 == 2" in failing.message
    assert observation.exit_code == 1
    assert observation.command == "node --test 'test/*.mjs'"


def test_a_project_in_a_folder_is_tested_there(node: NodeBench) -> None:
    files = {"packages/one/test/a.mjs": MANY, "packages/one/test/b.mjs": "throw new Error('no')"}
    observation = node.run(files, ("packages/one/test/b.mjs",), root="packages/one")
    assert observation.tests is not None and observation.tests.complete
    script = "packages/one/test/b.mjs::the whole file"
    assert outcomes(observation.tests) == {script: "failed"}


@pytest.mark.parametrize(
    "way_out",
    [
        "process.exit(0)",
        "process.reallyExit(0)",
        "process.kill(process.pid, 'SIGKILL')",
        "process.kill(process.ppid, 'SIGKILL'); await new Promise(r => setTimeout(r, 60000))",
        "process.exitCode = 0; await new Promise(() => {})",
    ],
)
def test_leaving_early_is_never_a_pass(node: NodeBench, way_out: str) -> None:
    leave = f"export async function leave() {{ {way_out}; }}"
    run = node.tests({"leave.mjs": leave, "test/a.mjs": TWO})
    found = outcomes(run)
    assert not run.complete or found.get("test/a.mjs::two") == "failed" or "test/a.mjs" in found
    assert found.get("test/a.mjs::two") != "passed"
    assert found.get("test/a.mjs") != "passed"


def test_a_module_that_exits_when_it_is_loaded_does_not_pass_its_tests(node: NodeBench) -> None:
    leave = "process.exit(0); export const leave = () => {};"
    run = node.tests({"leave.mjs": leave, "test/a.mjs": TWO})
    assert outcomes(run) == {"test/a.mjs": "error"}


@pytest.mark.parametrize(
    "patch", ["try { assert.equal = () => {}; } catch {}", "assert.equal = () => {};"]
)
def test_the_code_under_test_cannot_silence_assertions(node: NodeBench, patch: str) -> None:
    leave = f"import assert from 'node:assert';\n{patch}\nexport const leave = () => {{}};\n"
    found = outcomes(node.tests({"leave.mjs": leave, "test/a.mjs": TWO}))
    assert found.get("test/a.mjs::two", "error") != "passed"
    assert found.get("test/a.mjs::two") == "failed" or found["test/a.mjs"] == "error"


@pytest.mark.parametrize(
    "written",
    [
        "require('fs').writeSync(3, '00000010' + 'x'.repeat(48))",
        "require('fs').writeFileSync('/proc/' + process.ppid + '/fd/3', '00000010' + 'x'.repeat(48))",
    ],
)
def test_what_a_test_writes_into_the_channel_is_no_result(node: NodeBench, written: str) -> None:
    text = f"""
import {{test}} from 'node:test';
import {{createRequire}} from 'node:module';
const require = createRequire(import.meta.url);
try {{ {written} }} catch {{}}
test('fails', () => {{ throw new Error('really'); }});
"""
    run = node.tests({"test/a.mjs": text})
    assert not run.complete or outcomes(run) == {"test/a.mjs::fails": "failed"}


def test_a_test_cannot_take_the_pen(node: NodeBench) -> None:
    text = """
import {test} from 'node:test';
import {createRequire} from 'node:module';
test('the pen is not there', () => {
  const recorder = createRequire(import.meta.url)('/opt/assay/sandbox/harness/node/recorder.cjs');
  if (recorder.take() !== null) throw new Error('taken');
});
"""
    run = node.tests({"test/a.mjs": text})
    assert run.complete and outcomes(run) == {"test/a.mjs::the pen is not there": "passed"}


def test_a_tree_without_tests_says_so(node: NodeBench) -> None:
    observation = node.run({"index.mjs": ""})
    assert observation.tests is not None
    assert "passed" not in outcomes(observation.tests).values()


SCRIPT = "import {add} from '../add.mjs';\nimport assert from 'node:assert';\nassert.equal(add(1, 2), 3);\n"


def scripts(node: NodeBench, add: str, test: str = SCRIPT) -> dict[str, str]:
    files = {"add.mjs": add, "test/a.mjs": test, "test/b.mjs": "console.log('fine');"}
    observation = node.run(files, runner=TestRunner.NODE)
    assert observation.tests is not None and observation.tests.complete, observation
    return outcomes(observation.tests)


def test_each_script_of_tests_is_one_test(node: NodeBench) -> None:
    whole = "test/{}.mjs::the whole file".format
    good = "export const add = (a, b) => a + b;"
    assert scripts(node, good) == {whole("a"): "passed", whole("b"): "passed"}
    bad = "export const add = (a, b) => a - b;"
    assert scripts(node, bad) == {whole("a"): "failed", whole("b"): "passed"}
    broken = scripts(node, good, "import './nowhere.mjs';")
    assert broken == {whole("a"): "failed", whole("b"): "passed"}


@pytest.mark.parametrize(
    "way_out",
    [
        "process.exit(0);",
        "process.reallyExit(0);",
        "setTimeout(() => process.exit(0), 1); export const wait = await new Promise(() => {});",
        "process.on('uncaughtException', () => {});",
        "process.once('exit', () => { process.exitCode = 0; }); process.exit();",
        "process.kill(process.pid, 'SIGKILL');",
        "process.stdout.write('TAP version 13\\n1..1\\nok 1 - all\\n'); process.exit(0);",
    ],
)
def test_the_code_under_test_cannot_end_a_script_with_success(
    node: NodeBench, way_out: str
) -> None:
    found = scripts(node, f"export const add = (a, b) => a - b;\n{way_out}\n")
    assert "passed" not in {word for name, word in found.items() if name.startswith("test/a.mjs")}
    assert any(name.startswith("test/a.mjs") for name in found)


def test_a_script_may_end_itself(node: NodeBench) -> None:
    found = scripts(node, "export const add = (a, b) => a + b;", f"{SCRIPT}process.exit(0);")
    assert found["test/a.mjs::the whole file"] == "passed"
