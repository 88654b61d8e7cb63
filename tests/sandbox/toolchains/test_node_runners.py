"""Real runners from the registry, installed by each package manager, tell every test."""

from __future__ import annotations

import asyncio
import json
import re
import shutil
from dataclasses import dataclass
from pathlib import Path

import pytest

from bot.evidence.tests.four_way import assertion_line
from sandbox import open_sandbox
from sandbox.test_runs.test_order import TestOrder
from sandbox.test_runs.unit_tests import run_tests
from sandbox.toolchains import ECOSYSTEMS, SetupHints
from sandbox.toolchains.build import build
from sandbox.toolchains.ecosystem import BuildRequest, toolchain
from sandbox.values import Environment, Observation, Side, Unfetched
from tests.sandbox.toolchains.projects import detect

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
NEEDS = "const assert = require('assert');\nconst {sum} = require('../sum.js');\n"
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
    script: str = ""
    tells_skipped: bool = True
    node: str = ""  # what `engines` asks for


# A configuration that wants other reporters, and the pen.
VITEST_CONFIG = """import {createRequire} from 'node:module';
createRequire(import.meta.url)('/opt/assay/sandbox/harness/node/recorder.cjs').take();
export default {test: {reporters: ['json'], coverage: {enabled: true}}};
"""
_OLD_VITEST = {"test/a.test.js": VITEST + SUITES, "test/broken.test.js": BROKEN}
_VITEST = {**_OLD_VITEST, "vitest.config.mjs": VITEST_CONFIG}
# Each starts and reports in its own way; 4 is the last for Node 20.
_VITESTS = (("^1", "^5"), ("^2", "^5"), ("^3", "^6"), ("^4", "^7"))
# It breaks off inside of a suite, before the others are loaded.
_BROKEN_OFF = "describe('half', () => {\n  it('is there', () => {});\n  " + BROKEN + "});\n"
_MOCHA = {"test/a.test.js": NEEDS + SUITES, "test/a-broken.test.js": _BROKEN_OFF}
_MOCHA_BROKEN = "test/a-broken.test.js"
_JEST = {"test/a.test.js": NEEDS + SUITES, "test/broken.test.js": BROKEN}
_AVA = {"test/a.test.js": AVA, "test/broken.test.js": BROKEN}
_AVA_MODULE = {  # since 8 it cannot be required
    "test/a.test.mjs": AVA.replace("const test = require('ava')", "import test from 'ava'").replace(
        "const {sum} = require('../sum.js')", "import {sum} from '../sum.js'"
    ),
    "test/broken.test.mjs": "import './nowhere.js';\n",
}
_JASMINE = {
    "spec/a.test.js": NEEDS + SUITES.replace("it.skip", "xit"),
    "spec/a-broken.test.js": BROKEN,
    "spec/support/jasmine.json": '{"spec_dir": "spec", "spec_files": ["**/*.test.js"]}',
}
_TAP_TEST = """const t = require('tap');
const {sum} = require('../sum.js');
t.test('sum', t => {
  t.test('adds', t => { t.equal(sum(1, 2), 3); t.end(); });
  t.test('fails', t => { t.equal(sum(1, 2), 4); t.end(); });
  t.test('is skipped', {skip: true}, t => { t.end(); });
  t.end();
});
"""
_TAPE_TEST = """const test = require('tape');
const {sum} = require('../sum.js');
test('sum', t => {
  t.test('adds', t => { t.equal(sum(1, 2), 3); t.end(); });
  t.test('fails', t => { t.equal(sum(1, 2), 4); t.end(); });
  t.test('is skipped', {skip: true}, t => { t.end(); });
  t.end();
});
"""
_UVU_TEST = """const {suite} = require('uvu');
const assert = require('uvu/assert');
const {sum} = require('../sum.js');
const test = suite('sum');
test('adds', () => { assert.is(sum(1, 2), 3); });
test('fails', () => { assert.is(sum(1, 2), 4); });
test.skip('is skipped', () => {});
test.run();
"""
_UVU_MODULE = _UVU_TEST.replace("const {suite} = require('uvu')", "import {suite} from 'uvu'")
_UVU_MODULE = _UVU_MODULE.replace(
    "const assert = require('uvu/assert')", "import * as assert from 'uvu/assert'"
)
_UVU_MODULE = _UVU_MODULE.replace(
    "const {sum} = require('../sum.js')", "import {sum} from '../sum.js'"
)


def _with_broken(library: str, test: str) -> dict[str, str]:
    broken = f"const test = require('{library}');\n{BROKEN}"
    return {"test/a.test.js": test, "test/broken.test.js": broken}


# What the oldest and the newest major are given and how they report differs; between them it changes too.
CASES = [
    *(Case("mocha", one, _MOCHA, broken=_MOCHA_BROKEN) for one in ("^3", "^4", "^7", "^11", "^12")),
    *(Case("jest", one, _JEST) for one in ("^24", "^29", "^30")),
    Case("vitest", "0.34.6", _OLD_VITEST, others=(("vite", "^4"),)),
    Case("vitest", "1.0.4", _OLD_VITEST, others=(("vite", "^5"),)),
    *(Case("vitest", one, _VITEST, others=(("vite", vite),)) for one, vite in _VITESTS),
    *(Case("ava", one, _AVA, "") for one in ("^2", "^3", "^6")),
    Case("mocha", "^3", _MOCHA, broken=_MOCHA_BROKEN, node="8"),
    Case("ava", "^3", _AVA, "", node="14"),
    Case("ava", "^7", _AVA, "", node=">=22.20"),
    Case("ava", "8.0.1", _AVA_MODULE, "", "test/broken.test.mjs", node=">=22.20"),
    Case("vitest", "^5", _VITEST, node=">=22.12"),
    *(
        Case("jasmine", one, _JASMINE, broken="spec/a-broken.test.js")
        for one in ("^2.8", "^3", "^7")
    ),
    *(Case("tap", one, _with_broken("tap", _TAP_TEST)) for one in ("^12", "^16", "^18", "^21")),
    *(
        Case("tape", one, _with_broken("tape", _TAPE_TEST), script="tape 'test/*.test.js' | cat")
        for one in ("^4", "^5")
    ),
    Case("uvu", "^0.5", _with_broken("uvu", _UVU_TEST), script="uvu test", tells_skipped=False),
    Case(
        "uvu",
        "0.5.6",
        {"test/a.test.mjs": _UVU_MODULE},
        script="uvu test",
        broken="",
        tells_skipped=False,
    ),
]


def built(folder: Path, tree: Path) -> Environment:
    async def make() -> Environment:
        sandbox = open_sandbox("auto", folder / "state")
        recipe = detect(tree, SetupHints(), await toolchain(sandbox, ECOSYSTEMS.values()))
        assert recipe is not None and not recipe.needs, recipe
        request = BuildRequest(Side.BASE, tree, recipe, "", "tests/x", "sha", folder / "state")
        return await build(sandbox, request)

    return asyncio.run(make())


def observed(folder: Path, tree: Path) -> Observation:
    environment = built(folder, tree)
    assert environment.failure is None, environment.failure
    order = TestOrder(Side.BASE, str(tree), environment)
    return asyncio.run(run_tests(open_sandbox("auto", folder / "state"), order))


def written(folder: Path, files: dict[str, str]) -> Path:
    for path in [folder, *folder.parents[:2]]:
        path.chmod(0o755)
    for path, text in files.items():
        target = folder / "tree" / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text)
    return folder / "tree"


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.runner}{case.version}{case.node}")
def test_a_runner_tells_every_test(case: Case, tmp_path: Path) -> None:
    manifest = {
        "scripts": {"test": f"eslint . && {case.script or case.runner}"},
        "devDependencies": {case.runner: case.version, **dict(case.others)},
        "engines": {"node": case.node} if case.node else {},
    }
    tree = written(tmp_path, {"package.json": json.dumps(manifest), "sum.js": SUM, **case.files})
    observation = observed(tmp_path, tree)
    assert observation.tests is not None and observation.tests.complete, observation
    found = {one.id: one.outcome.value for one in observation.tests.results}
    test = f"{next(iter(case.files))}::{case.suite}"
    expected = {f"{test}adds": "passed", f"{test}fails": "failed"}
    if case.tells_skipped:
        expected |= {f"{test}is skipped": "skipped"}
    assert found == expected | ({case.broken: "error"} if case.broken else {}), observation
    assert all(one.id.startswith(one.path) for one in observation.tests.results)
    (said,) = (one.message for one in observation.tests.results if one.id == f"{test}fails")
    line = assertion_line(said)
    assert {"3", "4"} <= set(re.findall(r"\b\d+\b", line)), f"{line}\n---\n{said}"


@pytest.mark.parametrize("manager", ["pnpm@9.15.9", "yarn@1.22.22", "yarn@4.9.2"])
def test_a_package_manager_of_the_manifest_installs_and_can_be_called(
    manager: str, tmp_path: Path
) -> None:
    name, version = manager.split("@")
    test = (
        "import 'ms';\nimport assert from 'node:assert';\nimport test from 'node:test';\n"
        "import {execFileSync} from 'node:child_process';\n"
        "test('it is there', () => {});\n"
        f"const said = execFileSync('{name}', ['--version'], {{encoding: 'utf8'}});\n"
        f"test('its manager is, too', () => assert.equal(said.trim(), '{version}'));\n"
    )
    manifest = {
        "type": "module",
        "packageManager": manager,
        "dependencies": {"ms": "2.1.3"},
        "scripts": {
            "build": f"{name} --version > built.txt",
            "test": "npm run build && node --test",
        },
    }
    tree = written(tmp_path, {"package.json": json.dumps(manifest), "test/a.test.js": test})
    observation = observed(tmp_path, tree)
    assert observation.tests is not None and observation.tests.complete, observation
    assert [one.outcome.value for one in observation.tests.results] == ["passed", "passed"]


def test_what_an_error_of_jasmine_says_is_told_beside_its_properties(tmp_path: Path) -> None:
    """Where an error has properties of its own, jasmine's stack begins with them."""
    spec = (
        "it('fails', () => { throw Object.assign(new Error('the price is off'), {code: 7}); });\n"
    )
    manifest = {"scripts": {"test": "jasmine"}, "devDependencies": {"jasmine": "^5"}}
    files = {
        "package.json": json.dumps(manifest),
        "spec/support/jasmine.json": '{"spec_dir": "spec", "spec_files": ["**/*.test.js"]}',
        "spec/a.test.js": spec,
    }
    observation = observed(tmp_path, written(tmp_path, files))
    assert observation.tests is not None and observation.tests.complete, observation
    (result,) = observation.tests.results
    assert result.message.startswith("Error: the price is off\n"), result.message
    assert "code: 7" in result.message or "error properties" in result.message


@pytest.mark.parametrize("version", ["^3", "^6"])
def test_what_a_hanging_test_of_ava_keeps_from_ending_has_not_failed(
    version: str, tmp_path: Path
) -> None:
    hangs = AVA + "test('hangs', () => { for (;;); });\n"
    manifest = {
        "scripts": {"test": "ava"},
        "devDependencies": {"ava": version},
        "ava": {"timeout": "3s", "files": ["test/*.test.js"]},
    }
    files = {"package.json": json.dumps(manifest), "sum.js": SUM, "test/a.test.js": hangs}
    observation = observed(tmp_path, written(tmp_path, files))
    assert observation.tests is not None and not observation.tests.complete, observation
    outcomes = {one.id: one.outcome.value for one in observation.tests.results}
    assert outcomes.get("test/a.test.js::adds", "passed") == "passed", observation


def test_mocha_goes_on_after_the_first_failure(tmp_path: Path) -> None:
    manifest = {"scripts": {"test": "mocha"}, "devDependencies": {"mocha": "^11"}}
    suites = "it('fails', () => { throw new Error('no'); });\nit('adds', () => {});\n"
    files = {
        "package.json": json.dumps(manifest),
        ".mocharc.json": '{"bail": true}',
        "test/a.test.js": f"{suites}describe('more', () => {{ it('adds, too', () => {{}}); }});\n",
    }
    observation = observed(tmp_path, written(tmp_path, files))
    assert observation.tests is not None and observation.tests.complete, observation
    assert {one.id.rpartition("::")[2]: one.outcome.value for one in observation.tests.results} == {
        "fails": "failed",
        "adds": "passed",
        "more > adds, too": "passed",
    }


INTEGRITY = "sha512-6FlzubTLZG3J2a/NVCAleEhjzq5oxgHyaCU9yYXvcLsvoVaHJq/s5xXI6/XXP6tz7R9xAOtHnSO/tXtF3WRTlA=="
PNPM_LOCK = f"""\
lockfileVersion: '9.0'
importers:
  .:
    dependencies:
      ms: {{specifier: 2.1.3, version: 2.1.3}}
packages:
  ms@2.1.3:
    resolution: {{integrity: {INTEGRITY}}}
snapshots:
  ms@2.1.3: {{}}
"""


def test_what_a_lock_of_pnpm_pins_is_installed_whatever_its_age(tmp_path: Path) -> None:
    """pnpm 11 holds every entry against the registry's dates, and ends where one is not told."""
    manifest = {"packageManager": "pnpm@11.13.1", "dependencies": {"ms": "2.1.3"}}
    files = {
        "package.json": json.dumps({**manifest, "scripts": {"test": "node --test"}}),
        "pnpm-lock.yaml": PNPM_LOCK,
        "pnpm-workspace.yaml": "packages: []\nminimumReleaseAge: 100000000\n",
        ".node-version": "22",
        "test/a.test.js": ONE_TEST,
    }
    observation = observed(tmp_path, written(tmp_path, files))
    assert observation.tests is not None and observation.tests.complete, observation
    assert [one.outcome.value for one in observation.tests.results] == ["passed"]


UNREACHABLE = "git+https://git.invalid/nobody/nothing.git"
ONE_TEST = "const test = require('node:test');\nrequire('ms');\ntest('it is there', () => {});\n"


def _with_git(kind: str, **manifest: object) -> dict[str, str]:
    package = {
        "scripts": {"test": "node --test", "lint": "nothing ."},
        "dependencies": {"ms": "2.1.3"},
        **manifest,
    }
    named = package.setdefault(kind, {})
    assert isinstance(named, dict)
    named["nothing"] = UNREACHABLE
    return {"package.json": json.dumps(package), "test/a.test.js": ONE_TEST}


def test_a_tool_that_cannot_be_fetched_is_left_out_and_said(tmp_path: Path) -> None:
    aside = {"bench.js": "require('nothing');\n", ".eslintrc.json": '{"extends": "nothing"}'}
    tree = written(tmp_path, {**_with_git("devDependencies"), **aside})
    environment = built(tmp_path, tree)
    assert environment.failure is None, environment.failure
    assert environment.unfetched == (Unfetched("git dependency", "nothing", "", left_out=True),)
    order = TestOrder(Side.BASE, str(tree), environment)
    observation = asyncio.run(run_tests(open_sandbox("auto", tmp_path / "state"), order))
    assert observation.tests is not None and observation.tests.complete, observation
    assert [one.outcome.value for one in observation.tests.results] == ["passed"]


@pytest.mark.parametrize(
    ("kind", "more"),
    [
        ("dependencies", {}),
        ("devDependencies", {"test/b.test.js": "require('nothing');\n"}),
        ("devDependencies", {".mocharc.json": '{"require": ["nothing/register"]}'}),
    ],
)
def test_what_the_tests_need_and_cannot_be_fetched_is_named(
    kind: str, more: dict[str, str], tmp_path: Path
) -> None:
    environment = built(tmp_path, written(tmp_path, {**_with_git(kind), **more}))
    assert environment.failure is not None
    assert "The git dependency nothing could not be fetched" in environment.failure.problem
    assert environment.failure.seconds < 60


def test_a_dependency_of_a_locked_tool_is_named_with_its_owner(tmp_path: Path) -> None:
    lock = {
        "lockfileVersion": 3,
        "packages": {
            "": {"dependencies": {"ms": "2.1.3"}, "devDependencies": {"tool": "1.0.0"}},
            "node_modules/ms": {"version": "2.1.3"},
            "node_modules/tool": {"version": "1.0.0", "dev": True, "dependencies": {"part": "x/y"}},
            "node_modules/part": {"version": "1.0.0", "resolved": f"{UNREACHABLE}#0123456"},
        },
    }
    manifest = {"dependencies": {"ms": "2.1.3"}, "devDependencies": {"tool": "1.0.0"}}
    files = {
        "package.json": json.dumps({**manifest, "scripts": {"test": "node --test"}}),
        "package-lock.json": json.dumps(lock),
        "test/a.test.js": ONE_TEST,
    }
    environment = built(tmp_path, written(tmp_path, files))
    assert environment.failure is None, environment.failure
    assert environment.unfetched == (Unfetched("git dependency", "part", "tool", left_out=True),)


def test_an_old_lock_of_npm_names_what_it_has_from_github(tmp_path: Path) -> None:
    lock = {
        "lockfileVersion": 1,
        "dependencies": {
            "ms": {"version": "2.1.3", "integrity": INTEGRITY},
            "tool": {"version": "1.0.0", "dev": True, "requires": {"part": "gist:x/y#1.1.1"}},
            "part": {"version": "gist:x/y#0123456", "from": "gist:x/y#1.1.1", "dev": True},
        },
    }
    manifest = {"dependencies": {"ms": "2.1.3"}, "devDependencies": {"tool": "1.0.0"}}
    files = {
        "package.json": json.dumps({**manifest, "scripts": {"test": "node --test"}}),
        "package-lock.json": json.dumps(lock),
        "test/a.test.js": ONE_TEST,
    }
    environment = built(tmp_path, written(tmp_path, files))
    assert environment.failure is None, environment.failure
    assert environment.unfetched == (Unfetched("git dependency", "part", "tool", left_out=True),)


@pytest.mark.parametrize(
    ("wanted", "begins", "told"),
    [
        (
            ">=4",
            "Assay failed to observe mocha 9.0.0: it exited with 1",
            "nothing about the change",
        ),
        (
            ">=99",
            "mocha 9.0.0 needs Node >=99, and this is Node ",
            "exited with 1 before its first",
        ),
        (["no range"], "Assay failed to observe mocha 9.0.0", "nothing about the change"),
    ],
)
def test_a_runner_that_cannot_load_our_reporter_is_our_failure(
    tmp_path: Path, wanted: object, begins: str, told: str
) -> None:
    """A mocha that says it is new and knows no option of ours: what it says is told as our failure.

    Unless it was made for another Node.
    """
    said = "error: unknown option `--no-parallel'"
    script = f"""if (process.argv.includes('--no-parallel')) {{
  console.log('  ✔ throws an error');
  console.error("{said}");
  process.exit(1);
}}
console.log('1 passing');
"""
    made = {"name": "mocha", "version": "9.0.0", "bin": {"mocha": "bin.js"}}
    package = json.dumps({**made, "engines": {"node": wanted}})
    files = {
        "package.json": json.dumps({"scripts": {"test": "mocha"}}),
        "node_modules/mocha/package.json": package,
        "node_modules/mocha/lib/cli/cli.js": script,
        "node_modules/mocha/bin.js": script,
        "test/a.test.js": "it('is', () => {});",
    }
    tests = observed(tmp_path, written(tmp_path, files)).tests
    assert tests is not None and not tests.complete
    assert tests.problem.startswith(begins)
    assert said in tests.problem and told in tests.problem


def test_a_runner_that_fails_without_us_too_is_not_our_failure(tmp_path: Path) -> None:
    manifest = {
        "scripts": {"test": "mocha --config nowhere.json"},
        "devDependencies": {"mocha": "^11"},
    }
    files = {"package.json": json.dumps(manifest), "test/a.test.js": "it('is', () => {});"}
    tests = observed(tmp_path, written(tmp_path, files)).tests
    assert tests is not None and not tests.complete
    assert re.match(r"mocha 11\.\S+ exited with 1 before its first test\.", tests.problem), tests
    assert "nowhere.json" in tests.problem


FAILING = {
    "tap": "require('tap').test('adds', t => { t.equal(sum(1, 2), 3); t.end(); });",
    "tape": "require('tape')('adds', t => { t.equal(sum(1, 2), 3); t.end(); });",
    "uvu": "const {test} = require('uvu');\nconst {is} = require('uvu/assert');\n"
    "test('adds', () => { is(sum(1, 2), 3); });\ntest.run();",
    "jasmine": "it('adds', () => { expect(sum(1, 2)).toBe(3); });",
}
MADE_UP = (
    "TAP version 13\\n# Subtest: adds\\n    ok 1 - adds\\n    1..1\\nok 1 - adds\\n1..1\\n# ok\\n"
)
TRICKS = (
    f"process.stdout.write('{MADE_UP}');",
    f"exports.sum = () => {{ process.stdout.write('{MADE_UP}'); process.exit(0); }};",
    f"process.stdout.write('{MADE_UP}'); process.exit(0);",
    "exports.sum = () => { process.reallyExit(0); };",
    f"process.on('exit', () => {{ process.stdout.write('{MADE_UP}'); process.reallyExit(0); }});",
    "process.exit = () => {}; process.once('exit', () => { process.exitCode = 0; });",
)


@pytest.mark.parametrize("runner", FAILING)
def test_what_the_code_under_test_prints_or_ends_passes_no_test(
    runner: str, tmp_path: Path
) -> None:
    manifest = {
        "scripts": {"test": "uvu test" if runner == "uvu" else f"{runner} test/*.test.js"},
        "devDependencies": {runner: "*"},
    }
    test = f"const {{sum}} = require('../sum.js');\n{FAILING[runner]}\n"
    tree = written(tmp_path, {"package.json": json.dumps(manifest), "test/a.test.js": test})
    wrong = "exports.sum = (a, b) => a - b;\n"
    (tree / "sum.js").write_text(wrong)
    environment = built(tmp_path, tree)
    assert environment.failure is None, environment.failure
    for trick in ("", *TRICKS, "exports.sum = (a, b) => a + b;"):
        (tree / "sum.js").write_text(f"{wrong}{trick}\n")
        order = TestOrder(Side.BASE, str(tree), environment)
        tests = asyncio.run(run_tests(open_sandbox("auto", tmp_path / "state"), order)).tests
        assert tests is not None
        passed = [one.id for one in tests.results if one.outcome.value == "passed"]
        is_right = "a + b" in trick
        assert bool(tests.complete and passed) is is_right, (trick, tests)


THROWN = """const {test} = require('tap');
test('is told what is thrown', t => {
  t.plan(2);
  t.threw = error => t.equal(error.message, 'late');
  setTimeout(() => {
    t.ok(true);
    throw new Error('late');
  }, 5);
});
"""


@pytest.mark.parametrize("version", ["^16", "^18"])
def test_what_a_test_of_tap_takes_for_itself_is_no_error_of_its_file(
    version: str, tmp_path: Path
) -> None:
    manifest = {"scripts": {"test": "tap"}, "devDependencies": {"tap": version}}
    files = {"package.json": json.dumps(manifest), "test/a.test.js": THROWN}
    observation = observed(tmp_path, written(tmp_path, files))
    assert observation.tests is not None and observation.tests.complete, observation
    assert [one.outcome.value for one in observation.tests.results] == ["passed"]
