"""What a Node project's recipe says, from its files alone."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from sandbox.test_runs.test_order import TestOrder
from sandbox.test_runs.unit_tests import TEST_DRIVERS
from sandbox.toolchains import SetupHints, Toolchain, choose_both, detect_both
from sandbox.toolchains.node_version import satisfies
from sandbox.toolchains.projects import Projects
from sandbox.values import Environment, Recipe, Side, TestRunner
from tests.sandbox.toolchains.projects import detect, write

TOOLS = Toolchain("3.11.2", "0.13.9", (("node", "20.20.2"), ("npm", "11.0.0")))
HATCHLING = "[project]\nname = 'a'\nversion = '1'\n"
TEST = "import test from 'node:test';\n"
MAKEFILE = """BIN = ./node_modules/.bin
WAIT := 5
build:
\tcc -c a.c
test-unit: build
\t@NODE_ENV=test $(BIN)/mocha \\
\t\t--timeout $(WAIT) test/unit
"""


def node(tree: Path, manifest: dict[str, object], **files: str) -> Recipe:
    named = {name.replace("__", "/").replace("_", "."): text for name, text in files.items()}
    write(tree, {"package.json": json.dumps(manifest), "test/a.test.js": TEST, **named})
    found = detect(tree, SetupHints(), TOOLS)
    assert found is not None and found.ecosystem == "node"
    return found


@pytest.mark.parametrize(
    ("script", "command"),
    [
        ("tape 'test/*.js'", "npx tape test/a.test.js"),
        ("tap", "npx tap test/a.test.js"),
        ("uvu -r esm test", r"node -r esm node_modules/.bin/uvu . 'test/a\.test\.js'"),
        ("node --test 'test/*.js'", "node --test test/a.test.js"),
        ("jest --silent", "npx jest --runTestsByPath test/a.test.js"),
        ("mocha --exit", "npx mocha --exit"),  # nothing is chosen there: all of it runs
    ],
)
def test_the_command_shown_for_some_files_runs_what_was_run(
    tmp_path: Path, script: str, command: str
) -> None:
    recipe = node(tmp_path, {"scripts": {"test": script}})
    environment = Environment(Side.HEAD, recipe, "", "", "", ())
    order = TestOrder(Side.HEAD, str(tmp_path), environment, ("test/a.test.js",))
    assert TEST_DRIVERS[recipe.runner].shown(order) == command


@pytest.mark.parametrize(
    ("script", "runner", "arguments"),
    [
        ("node --test", "node --test", ("--",)),
        (
            "xo && node --import=tsx/esm --test test/*.ts && del-cli dist && tsc && tsd",
            "node --test",
            ("--import=tsx/esm", "--", "test/*.ts"),
        ),
        ("tsx --test --test-reporter=dot x.ts", "node --test", ("--import=tsx", "--", "x.ts")),
        ("xo && ava && tsd", "ava", ("--",)),
        ("npm run lint && npm run unit", "mocha", ("--", "--timeout", "9", "test/*.js")),
        ("c8 --reporter=lcov mocha --reporter dot --bail", "mocha", ("--",)),
        ("vitest run --coverage", "vitest", ("--",)),
        ("vitest --config ../x.mts run", "vitest", ("--", "--config", "../x.mts")),
        ("vitest run -c x.mts run", "vitest", ("--", "-c", "x.mts", "run")),
        ("mocha -t 9 run", "mocha", ("--", "-t", "9", "run")),
        (
            "cross-env NODE_OPTIONS=--experimental-vm-modules npx jest --silent -c x.json",
            "jest",
            ("NODE_OPTIONS=--experimental-vm-modules", "--", "-c", "x.json"),
        ),
        (
            "kcd-scripts test --coverage -t a",
            "jest",
            ("--", "--config=node_modules/kcd-scripts/jest.js", "--rootDir=.", "-t", "a"),
        ),
        ("node node_modules/vitest/dist/cli-wrapper.js --run", "vitest", ("--",)),
        (
            "node --experimental-vm-modules node_modules/jest/bin/jest.js",
            "jest",
            ("--experimental-vm-modules", "--"),
        ),
        ("mocha out/*.js -s 0 -w -u tdd", "mocha", ("--", "out/*.js", "-s", "0", "-u", "tdd")),
        ("mocha --ui tdd -t 9 -b", "mocha", ("--", "--ui", "tdd", "-t", "9")),
        ("mocha --ui=tdd -R dot", "mocha", ("--", "--ui=tdd")),
        ("jest --color=true", "jest", ("NO_COLOR=", "FORCE_COLOR=1", "--")),
        ("FORCE_COLOR=2 mocha", "mocha", ("FORCE_COLOR=2", "NO_COLOR=", "--")),
        ("FORCE_COLOR=0 mocha --color", "mocha", ("FORCE_COLOR=0", "--")),
        ("mocha --no-color", "mocha", ("--",)),
        ("jest -w 2 -t price -o", "jest", ("--", "-w", "2", "-t", "price")),
        ("vitest run -w -u --ui", "vitest", ("--",)),
        ("mocha a.js && mocha b/*.js", "mocha", ("--", "a.js", "b/*.js")),
        ("mocha a.js && mocha --flag b.js", "mocha", ("--", "a.js")),
        ("yarn unit", "mocha", ("--", "--timeout", "9", "test/*.js")),
        ("npm run bare 'lib/**'", "mocha", ("--", "lib/**")),
        ("npm run bare --silent lib -- -t 9", "mocha", ("--", "lib", "-t", "9")),
        ("pnpm run bare --timeout 9 lib", "mocha", ("--", "--timeout", "9", "lib")),
        (
            "cross-env NODE_ENV=test nyc npm run unit -- --grep fast",
            "mocha",
            ("NODE_ENV=test", "--", "--timeout", "9", "test/*.js", "--grep", "fast"),
        ),
        ("run-s lint unit", "mocha", ("--", "--timeout", "9", "test/*.js")),
        ("npm-run-all --parallel lint test:*", "ava", ("--",)),
        ("pnpm run '/^unit$/'", "mocha", ("--", "--timeout", "9", "test/*.js")),
        ("pnpm run --parallel '/^(?:lint|test):.*/'", "node --test", ("--",)),  # not read
        ("pnpm run '/^test:.+/'", "ava", ("--",)),
        ("concurrently 'npm:lint' 'npm:unit'", "mocha", ("--", "--timeout", "9", "test/*.js")),
        ("npm run lint && npm run wrapped", "mocha", ("A=1", "--", "spec")),
        ("make test-unit", "mocha", ("NODE_ENV=test", "--", "--timeout", "5", "test/unit")),
        ("standard && tape test/*.js | tap-spec", "tape", ("--", "test/*.js")),
        (
            "tape -r @babel/register 'test/**/*.js'",
            "tape",
            ("-r", "@babel/register", "--", "test/**/*.js"),
        ),
        ("tap --100 -R spec --timeout 60 test/*.js", "tap", ("--", "test/*.js")),
        ("nyc --reporter=lcov tap", "tap", ("--",)),
        ("uvu -r tsm tests", "uvu", ("-r", "tsm", "--", "tests")),
        (
            "uvu -r esm test -i suites --ignore=data",
            "uvu",
            ("-r", "esm", "--", "test", "--ignore=data", "--ignore=suites"),
        ),
        ("xo && node test/index.js", "node", ("--", "test/index.js")),
        (
            "ts-node test/a.ts && ts-node test/b.ts",
            "node",
            ("-r", "ts-node/register", "--", "test/a.ts", "test/b.ts"),
        ),
        ("node test/prepare.js && mocha", "mocha", ("--",)),
        (
            "jasmine --config=spec/support/jasmine.json",
            "jasmine",
            ("--", "--config=spec/support/jasmine.json"),
        ),
        ("node node_modules/.bin/nyc node_modules/.bin/_mocha x", "mocha", ("--", "x")),
    ],
)
def test_the_runner_is_found_in_the_chain(
    tmp_path: Path, script: str, runner: str, arguments: tuple[str, ...]
) -> None:
    scripts = {
        "test": script,
        "unit": "mocha -R dot --timeout 9 test/*.js",
        "lint": "eslint .",
        "test:unit": "npx ava",
        "bare": "mocha",
        "wrapped": "A=1 sh scripts/test.sh",
    }
    files = {"scripts/test.sh": "#!/bin/sh\nset -e\nmocha spec\n", "Makefile": MAKEFILE}
    write(tmp_path, files)
    found = node(tmp_path, {"scripts": scripts})
    assert (found.runner.value, found.test_arguments) == (runner, arguments)


@pytest.mark.parametrize(
    ("files", "settings", "arguments"),
    [
        (
            {},
            {"require": ["@babel/register", "ts-node/register"]},
            "@babel/register ts-node/register",
        ),
        ({".nycrc": '{"require": "esm"}'}, {}, "esm"),
        ({".nycrc": "no JSON"}, {"require": ["a b", "./hooks.js", 3]}, "./hooks.js"),
        ({}, {"require": []}, ""),
    ],
)
def test_what_nyc_has_every_node_load_is_loaded(
    tmp_path: Path, files: dict[str, str], settings: dict[str, object], arguments: str
) -> None:
    scripts = {"test": "nyc npm run unit", "unit": "A=1 mocha x"}
    write(tmp_path, files)
    found = node(tmp_path, {"scripts": scripts, "nyc": settings})
    loaded = " ".join(f"--require={one}" for one in arguments.split())
    variables = (f"NODE_OPTIONS={loaded}", "A=1") if loaded else ("A=1",)
    assert (found.runner.value, found.test_arguments) == ("mocha", (*variables, "--", "x"))
    plain = node(tmp_path, {"scripts": {"test": "mocha x"}, "nyc": settings})
    assert plain.test_arguments == ("--", "x")


def test_a_project_has_its_own_settings_of_a_runner_that_is_brought(tmp_path: Path) -> None:
    found = node(tmp_path, {"scripts": {"test": "kcd-scripts test"}, "jest": {"roots": ["lib"]}})
    assert (found.runner.value, found.test_arguments) == ("jest", ("--",))


def test_every_call_of_a_runner_is_made(tmp_path: Path) -> None:
    scripts = {"test": "mocha a.js && mocha --flag b.js && npm run types", "types": "vitest run"}
    recipe = node(tmp_path, {"scripts": scripts})
    assert [(one.runner.value, one.arguments) for one in recipe.calls] == [
        ("mocha", ("--", "a.js")),
        ("mocha", ("--", "--flag", "b.js")),
        ("vitest", ("--",)),
    ]
    whole = node(tmp_path, {"scripts": {"test": "mocha a.js && mocha b.js"}})
    assert whole.more_calls == ()
    zones = {"test": "TZ=UTC jest a && TZ=EST jest a && TZ=CET jest a && mocha"}
    assert (
        "Then jest runs 2 times, called there too. Then mocha runs, called there too."
        in (node(tmp_path, {"scripts": zones}).reasons[-1])
    )


def test_a_script_that_loads_files_of_node_test_is_run_by_it(tmp_path: Path) -> None:
    scripts = {"test": "node --enable-source-maps test/index.js"}
    write(tmp_path, {"test/index.js": "import './a.js'\nimport './b.js'\n", "test/a.js": "it();\n"})
    assert node(tmp_path, {"scripts": scripts}).runner is TestRunner.NODE
    write(tmp_path, {"test/b.js": "import {test} from 'node:test'\n"})
    found = node(tmp_path, {"scripts": scripts})
    assert found.runner is TestRunner.NODE_TEST
    assert found.test_arguments == ("--enable-source-maps", "--", "test/index.js")


@pytest.mark.parametrize(
    ("script", "program", "is_run"),
    [
        (
            "unheard-of && node test/check-sizes.js",
            "process.exit(statSync('a.js').size > 9);\n",
            True,
        ),
        ("unheard-of && node test/check-sizes.js", "assert.equal(sizes(), 9);\n", False),
        ("mocha && node test/check-sizes.js", "process.exit(0);\n", False),
    ],
)
def test_tests_of_node_that_a_strange_program_runs_are_run_beside_scripts(
    script: str, program: str, is_run: bool, tmp_path: Path
) -> None:
    write(tmp_path, {"test/check-sizes.js": program, "test/deep/a.test.js": TEST})
    found = node(tmp_path, {"scripts": {"test": script}})
    alone = (TestRunner.NODE, ("--", "test/check-sizes.js"))
    by_node = [(TestRunner.NODE_TEST, ("--", "test/**/*.test.js")), alone]
    not_by_it = [(TestRunner.MOCHA, ("--",))] if "mocha" in script else [alone]
    calls = [(one.runner, one.arguments) for one in found.calls]
    assert calls == (by_node if is_run else not_by_it)


PROGRAM = (
    "const Mocha = require('mocha')\nconst walk = require('klaw')\n"
    "const mocha = new Mocha({ui: 'tdd', reporter: 'dot', timeout: 30000})\n"
    "walk('./lib').on('data', one => mocha.addFile(one.path)).on('end', () => mocha.run(process.exit))\n"
)


@pytest.mark.parametrize("program", [PROGRAM, PROGRAM.replace("new Mocha(", "mocked(")])
def test_what_a_program_gives_to_mocha_is_run_by_mocha(tmp_path: Path, program: str) -> None:
    scripts = {"test": "npm run a && npm run b", "a": "nyc node test.js", "b": "node test.mjs"}
    tests = dict.fromkeys(("lib/copy/__tests__/a.test.js", "lib/b.spec.mjs"), "1;\n")
    write(tmp_path, {"test.js": program, "test.mjs": "assert(true);\n", **tests})
    found = node(tmp_path, {"scripts": scripts, "devDependencies": {"mocha": "10"}})
    calls = [
        (found.runner, found.test_arguments[1:]),
        *((o.runner, o.arguments[1:]) for o in found.more_calls),
    ]
    patterns = "lib/**/*.spec.mjs", "lib/**/*.test.js", "test/**/*.test.js"
    if program is PROGRAM:
        mocha = "--timeout", "30000", "--ui", "tdd", *patterns
        assert calls == [(TestRunner.MOCHA, mocha), (TestRunner.NODE, ("test.mjs",))]
    else:
        assert calls == [(TestRunner.NODE, ("test.js", "test.mjs"))]


def test_scripts_that_call_each_other_or_cannot_be_read_end(tmp_path: Path) -> None:
    scripts = {"test": "npm run a", "a": "npm run test && npm run a", "pretest": "echo '"}
    found = node(tmp_path, {"scripts": scripts, "devDependencies": {"vitest": "3"}})
    assert found.runner is TestRunner.VITEST
    assert node(tmp_path / "b", {"scripts": {"test": "intern"}}).runner is TestRunner.NODE_TEST


@pytest.mark.parametrize(
    ("file", "key", "runner"),
    [
        ("jest.config.js", "", TestRunner.JEST),
        ("", "jest", TestRunner.JEST),
        (".mocharc.yml", "", TestRunner.MOCHA),
        ("docs/jest.config.js", "", TestRunner.VITEST),
        ("", "", TestRunner.VITEST),
    ],
)
def test_behind_a_program_that_is_not_known_the_runner_with_settings_runs(
    tmp_path: Path, file: str, key: str, runner: TestRunner
) -> None:
    manifest: dict[str, object] = {
        "scripts": {"test": "scripts-of-ours test"},
        "devDependencies": {"scripts-of-ours": "14", "vitest": "3"},
        **({key: {}} if key else {}),
    }
    write(tmp_path, {file: "module.exports = {}\n"} if file else {})

    assert node(tmp_path, manifest).runner is runner


@pytest.mark.parametrize(
    ("manifest", "lock", "words"),
    [
        ({}, "package-lock.json", '"npm", "ci"'),
        ({"dependencies": {"a": "1"}}, "", '"npm", "install"'),
        (
            {"packageManager": "pnpm@9.1.0+sha512.00"},
            "pnpm-lock.yaml",
            "manager/node_modules/.bin/pnpm",
        ),
        ({}, "yarn.lock", '"--frozen-lockfile"'),
    ],
)
def test_the_package_manager_is_the_lock_files(
    tmp_path: Path, manifest: dict[str, object], lock: str, words: str
) -> None:
    found = node(tmp_path, manifest, **({lock.replace(".", "_"): "x"} if lock else {}))
    assert words in " ".join(word for argv in found.install for word in argv)


@pytest.mark.parametrize(
    ("lock", "text", "manager"),
    [
        ("yarn_lock", "# yarn lockfile v1\n", "yarn@1.22.22"),
        ("yarn_lock", "__metadata:\n  version: 6\n", "@yarnpkg/cli-dist@3.8.7"),
        ("yarn_lock", "__metadata:\n  version: 8\n  cacheKey: 10c0\n", "@yarnpkg/cli-dist@4.13.0"),
        ("yarn_lock", "__metadata:\n  version: 99\n", "@yarnpkg/cli-dist@4"),
        ("pnpm-lock_yaml", "lockfileVersion: '6.0'\n", "pnpm@8"),
        ("pnpm-lock_yaml", "lockfileVersion: '9.0'\n", "pnpm@10"),
    ],
)
def test_a_manager_is_as_old_as_its_lock(
    tmp_path: Path, lock: str, text: str, manager: str
) -> None:
    found = node(tmp_path, {"dependencies": {"a": "1"}}, **{lock: text})
    assert found.install[0][-1] == manager


@pytest.mark.parametrize(
    ("named", "form", "manager"),
    [("8.4.0", "9.0", "pnpm@10"), ("8.4.0", "6.0", "pnpm@8.4.0"), ("9.1.0", "9.0", "pnpm@9.1.0")],
)
def test_a_pnpm_too_old_for_the_lock_is_not_taken(
    tmp_path: Path, named: str, form: str, manager: str
) -> None:
    """It would pass over the lock; so nobody saw where that is out of date, and it need not fit."""
    manifest = {"dependencies": {"a": "1"}, "packageManager": f"pnpm@{named}"}
    lock = {"pnpm-lock_yaml": f"lockfileVersion: '{form}'\n"}
    recipe = node(tmp_path, manifest, **lock)
    assert recipe.install[0][-1] == manager
    is_exact = manager != "pnpm@10"
    assert ("--frozen-lockfile" in " ".join(recipe.install[1])) is is_exact
    assert ("exactly as" in recipe.reasons[0]) is is_exact


@pytest.mark.parametrize(
    ("source", "made"),
    [
        ('const names = require("./made/names");', "lib/made/names"),
        ('import names from "./made/names.js";', "lib/made/names.js"),
        ("import {\n  all,\n} from '../made.js';", "made.js"),
        ('import one from "./one.js";', ""),
        ('import one from "./one";', ""),
        ('import { here } from ".";', ""),
        ('const out = require("../../elsewhere");', ""),
        ('// const names = require("./made/names");', ""),
        ('try { require("./made/names"); } catch {}', ""),
    ],
)
def test_what_npm_prepares_is_made_where_a_source_loads_it(
    tmp_path: Path, source: str, made: str
) -> None:
    """npm runs `prepare` after each installation; here it runs where something of it is missing."""
    manifest = {"scripts": {"test": "node --test", "build": "tsc", "prepare": "node make.mjs"}}
    files = {"lib__index_js": source, "lib__one_ts": "export {}"}
    recipe = node(tmp_path, manifest, **files)
    assert (("npm", "run", "prepare") in recipe.optional) is bool(made)
    assert any(f"load `{made}`" in one for one in recipe.reasons) is bool(made)


_LOOSE, _EXACT = "npm install --ignore-scripts --no-save", "npm ci --ignore-scripts"


@pytest.mark.parametrize(
    ("jobs", "install"),
    [
        ({"test": ("npm install", "npm test")}, _LOOSE),
        ({"test": ("npm install", "npm test"), "publish": ("npm ci", "npm publish")}, _LOOSE),
        ({"test": ("npm ci", "npm test"), "publish": ("npm install", "npm publish")}, _EXACT),
        ({"old": ("npm install", "npm test"), "test": ("npm ci", "npm run test")}, _EXACT),
        ({"test": ("npm install -g npm", "npm ci", "npm test")}, _EXACT),
        ({"test": ("npm install codecov -g", "npm test")}, _EXACT),
        ({"site": ("npm install", "npm run build")}, _EXACT),
    ],
)
def test_a_lock_that_tests_in_ci_are_not_held_to_need_not_fit(
    tmp_path: Path, jobs: dict[str, tuple[str, ...]], install: str
) -> None:
    """`npm install` mends it there, so nobody sees that it is out of date; `npm ci` would refuse it."""
    steps = {
        name: "".join(f"      - run: {one}\n" for one in lines) for name, lines in jobs.items()
    }
    text = "".join(f"  {name}:\n    steps:\n{lines}" for name, lines in steps.items())
    write(tmp_path, {".github/workflows/ci.yml": f"jobs:\n{text}"})
    recipe = node(tmp_path, {"dependencies": {"a": "1"}}, **{"package-lock_json": "{}"})
    steps_run = json.loads(recipe.install[0][-2])
    assert " ".join(steps_run[0]).endswith(install)
    assert ("exactly as" in recipe.reasons[0]) is (install == _EXACT)


def test_without_dependencies_nothing_is_installed(tmp_path: Path) -> None:
    assert node(tmp_path, {"name": "a"}).install == ()


def test_the_digest_follows_what_is_installed_and_nothing_else(tmp_path: Path) -> None:
    manifest: dict[str, object] = {"dependencies": {"a": "1"}, "version": "1.0.0"}
    one = node(tmp_path / "a", manifest).lock_digest
    assert node(tmp_path / "b", {**manifest, "version": "2.0.0"}).lock_digest == one
    assert node(tmp_path / "c", {"dependencies": {"a": "2"}}).lock_digest != one
    assert node(tmp_path / "d", {**manifest, "scripts": {"postinstall": "x"}}).lock_digest != one
    locked = node(tmp_path / "e", manifest, **{"package-lock_json": "x"}).lock_digest
    assert locked not in (
        one,
        node(tmp_path / "f", manifest, **{"package-lock_json": "y"}).lock_digest,
    )


def test_the_packages_of_a_workspace_share_what_is_installed(tmp_path: Path) -> None:
    packages = {
        "package.json": {"private": True, "packageManager": "pnpm@10.1.0"},
        "packages/a/package.json": {"name": "a", "scripts": {"test": "vitest run"}},
        "packages/b/package.json": {"name": "b", "scripts": {"test": "ava"}},
    }
    write(tmp_path, {path: json.dumps(manifest) for path, manifest in packages.items()})
    write(tmp_path, {"pnpm-workspace.yaml": "packages: ['packages/*']", "pnpm-lock.yaml": "x"})
    found = [detect(tmp_path, SetupHints(root=f"packages/{one}"), TOOLS) for one in "ab"]
    assert [one.runner.value for one in found if one] == ["vitest", "ava"]
    assert len({one.lock_digest for one in found if one}) == 1


def test_what_is_missing_is_needed(tmp_path: Path) -> None:
    assert node(tmp_path / "a", {"engines": {"node": ">=99"}}).needs == ("Node >=99",)
    assert node(tmp_path / "b", {"engines": {"node": ">=18"}}).needs == ()
    bare = detect(tmp_path / "b", SetupHints(), Toolchain("3.11.2"))
    assert bare is not None and bare.needs == ("Node >=18 (node, npm)",)


CI = ".github/workflows/ci.yml"
MATRIX = """\
on: [push]
jobs:
  test:
    strategy:
      matrix:
        node-version: {}
    steps:
      - uses: actions/setup-node@v4
        with:
          node-version: ${{{{ matrix.node-version }}}}
      - run: npm cit
"""
JOBS = """\
jobs:
  one:
    steps:
      - uses: actions/setup-node@v4
        with:
          node-version: 22
      - run: {}
  other:
    steps:
      - uses: actions/setup-node@v4
        with: {{node: 1}}
      - with:
          node-version: '24'
      - run: {}
"""


@pytest.mark.parametrize(
    ("manifest", "files", "release"),
    [
        ({"engines": {"node": ">=18"}}, {}, ""),
        ({"engines": {"node": ">=22"}}, {}, "node 22"),
        ({"engines": {"node": "^22.20 || ^24.12 || >=26"}}, {}, "node 22"),
        ({"engines": {"node": "<19"}}, {}, "node 18"),
        ({"engines": {"node": "14.x"}}, {}, "node 14"),
        ({"engines": {"node": "21"}}, {}, "node 21"),
        ({"engines": {"node": "16.13.1"}}, {}, "node 16.13.1"),
        ({"engines": {"node": ">=18"}}, {".nvmrc": "v22.3.0\n"}, "node 22.3.0"),
        ({}, {".nvmrc": "lts/gallium"}, "node 16"),
        ({}, {".nvmrc": "lts/*"}, ""),
        ({}, {".node-version": "20.1.0"}, ""),
        ({}, {".node-version": "npm:other@1 --foo"}, ""),
        ({"volta": {"node": "18.19.0"}}, {".nvmrc": "22"}, "node 18.19.0"),
        ({}, {CI: MATRIX.format("[18.x, 22.x, 24.x]")}, "node 24"),
        ({}, {CI: MATRIX.format("[16.x, 18.x, 19.x]")}, "node 18"),
        ({}, {CI: MATRIX.format("[19.x]")}, "node 19"),
        ({}, {CI: MATRIX.format("[18.x, 20.x, 24.x]")}, ""),
        (
            {},
            {CI: MATRIX.format("\n          - 16\n          # the oldest\n          - '18'")},
            "node 18",
        ),
        ({}, {CI: MATRIX.format("[lts/iron, node]")}, ""),
        ({"engines": {"node": ">=18"}}, {CI: MATRIX.format("[22, 24]")}, "node 24"),
        ({"engines": {"node": "18 || 22"}}, {CI: MATRIX.format("[18, 20, 22, 24]")}, "node 22"),
        ({"engines": {"node": "<23"}}, {CI: MATRIX.format("[24, 26]")}, ""),
        ({}, {".nvmrc": "22", CI: MATRIX.format("[24]")}, "node 22"),
        ({}, {CI: JOBS.format("npm test", "npm run docs")}, "node 22"),
        ({}, {CI: JOBS.format("npm ci", "npm publish")}, ""),
        ({}, {CI: JOBS.format("npm publish", "pnpm vitest --coverage")}, "node 24"),
        ({}, {".travis.yml": "language: node_js\nnode_js:\n- '10'\n- '8'\n- stable\n"}, "node 10"),
        ({}, {".travis.yml": "language: node_js\nnode_js:\n- '4'\n- '5'\n"}, "node 6"),
        ({}, {".nvmrc": "v4.9.1"}, "node 6"),
        ({}, {CI: "{" * 3000 + "\nnode: [" + "22," * 900 + MATRIX}, ""),
    ],
)
def test_the_node_that_a_project_asks_for_is_fetched(
    tmp_path: Path, manifest: dict[str, object], files: dict[str, str], release: str
) -> None:
    write(tmp_path, files)
    recipe = node(tmp_path, {"scripts": {"test": "mocha"}, **manifest})
    assert (recipe.toolchain, recipe.needs) == (release, ())
    assert any("npm's registry" in reason for reason in recipe.reasons) is bool(release)
    other = node(tmp_path / "other", {})
    assert (recipe.lock_digest == other.lock_digest) is not bool(release)


@pytest.mark.parametrize(
    ("manager", "asked", "release"),
    [
        ("pnpm@11.13.1", "", "node 22"),
        ("pnpm@11.13.1", "22.9.0", "node 22"),
        ("pnpm@11.13.1", "22.14.0", "node 22.14.0"),
        ("pnpm@11.13.1", "24", "node 24"),
        ("pnpm@10.1.0", "", ""),
        ("pnpm@9.1.0", "16", ""),
        ("pnpm@8.1.0", "16", "node 16"),
        ("yarn@4.1.0", "", ""),
    ],
)
def test_the_node_runs_the_package_manager_too(
    tmp_path: Path, manager: str, asked: str, release: str
) -> None:
    """pnpm 11 ends at once on a Node before 22.13, whatever .nvmrc says."""
    write(tmp_path, {".nvmrc": asked})
    manifest = {"packageManager": manager, "dependencies": {"ms": "2.1.3"}}
    recipe = node(tmp_path, {"scripts": {"test": "mocha"}, **manifest})
    assert (recipe.toolchain, recipe.needs) == (release, ())


@pytest.mark.parametrize(
    ("date", "release"),
    [("", "node 16"), ("2016-03-01", "node 16"), ("2022-06-01", "node 18"), ("2023-09-01", "")],
)
def test_the_newest_node_of_ci_is_that_of_its_time(tmp_path: Path, date: str, release: str) -> None:
    manifest = {"scripts": {"test": "mocha"}}
    write(
        tmp_path, {"package.json": json.dumps(manifest), CI: MATRIX.format("[lts/gallium, node]")}
    )
    recipe = detect(tmp_path, SetupHints(released_before=date), TOOLS)
    assert recipe is not None
    assert recipe.toolchain == release


@pytest.mark.parametrize(
    ("asked", "release"), [("16", ""), ("18", "node 18"), ("18.1.0", "node 18"), ("22", "node 22")]
)
def test_the_node_tells_the_results_of_its_own_runner(
    tmp_path: Path, asked: str, release: str
) -> None:
    write(tmp_path, {".nvmrc": asked, "test/a.js": "require('node:test')"})
    recipe = node(tmp_path, {"scripts": {"test": "node --test"}})
    assert (recipe.toolchain, recipe.needs) == (release, ())


@pytest.mark.parametrize(
    ("wanted", "is_met"),
    [
        (">=18", True), ("^18 || >=20.0", True), ("20.x", True), ("18.x", False), ("<20", False),
        (">=20.20.3", False), ("^20.3", True), ("~20.3", False), ("18 - 20", True), ("", True),
        ("*", True), (">=14.16 <19", False), ("lts/*", True), (">=12.0.0 <13 || >=20", True),
    ],
)  # fmt: skip
def test_ranges_of_node(wanted: str, is_met: bool) -> None:
    assert satisfies("20.20.2", wanted) is is_met


def test_tests_that_use_what_is_built_are_built_for(tmp_path: Path) -> None:
    scripts = {"test": "node --test", "build": "tsc"}
    manifest: dict[str, object] = {"scripts": scripts, "main": "dist/index.js"}
    write(tmp_path / "a", {"test/c.test.js": "assert('a.b'.split('.')[0] === '..')"})
    assert node(tmp_path / "a", {**manifest, "name": "shop"}).install_project == ()
    write(tmp_path / "a", {"test/b.test.js": "import x from '../dist/index.js';"})
    assert node(tmp_path / "a", manifest).install_project == (("npm", "run", "build"),)
    scripts["test"] = "npm run build && node --test"
    assert node(tmp_path / "b", manifest).install_project == (("npm", "run", "build"),)
    scripts["test"] = "tsc && node --test"
    assert node(tmp_path / "c", manifest).install_project == (("npm", "run", "build"),)
    scripts["test"] = "tsc --noEmit && node --test"  # looks at types, and writes nothing
    assert node(tmp_path / "d", manifest).install_project == ()


@pytest.mark.parametrize(
    ("scripts", "commands"),
    [
        ({"test": "tsc && mocha lib"}, ["tsc"]),
        ({"test": "npm run t", "t": "npx tsc -p test && mocha lib"}, ["tsc -p test"]),
        ({"pretest": "tsc -b", "test": "mocha lib", "build": "tsc"}, ["npm run build", "tsc -b"]),
        ({"test": "npm run build && mocha lib", "build": "npm run c", "c": "tsc"}, ["npm run build"]),
        ({"test": "tsc -p types && mocha lib"}, []),
        ({"pretest": "npm run lint", "postlint": "tsc", "lint": "eslint .", "test": "mocha lib"}, []),
        ({"test": "mocha lib && tsc"}, []),
    ],
)  # fmt: skip
def test_what_a_test_script_compiles_itself_is_compiled(
    scripts: dict[str, str], commands: list[str], tmp_path: Path
) -> None:
    write(tmp_path, {"types/tsconfig.json": '{"compilerOptions": {"noEmit": true}}'})
    found = node(tmp_path, {"scripts": scripts}).install_project
    assert [" ".join(argv) for argv in found] == commands


def test_tests_that_are_compiled_themselves_are_built_for(tmp_path: Path) -> None:
    write(tmp_path, {"src/price.ts": "", "src/price.spec.ts": TEST})
    scripts = {"test": "mocha 'out/**/*.spec.js'", "build": "tsc"}
    assert node(tmp_path, {"scripts": scripts}).install_project == (("npm", "run", "build"),)
    scripts["test"] = "mocha src/price.spec.ts"
    assert node(tmp_path, {"scripts": scripts}).install_project == ()


@pytest.mark.parametrize(
    ("path", "text", "is_built"),
    [
        ("src/shop.ts", "import { price } from 'shop/price';", True),
        ("src/shop.test.ts", "const { price } = require('shop/price');", True),
        ("src/shop.ts", "import type { Price } from 'shop/price';", False),
        ("src/shop.ts", "/**\n * import { price } from 'shop/price';\n */", False),
        ("src/shop.ts", "import { tax } from 'shop/tax';", False),  # its folder is in the tree
        ("src/shop.ts", "import { price } from 'other/price';", False),
    ],
)
def test_what_loads_a_part_of_its_own_package_is_built_for(
    path: str, text: str, is_built: bool, tmp_path: Path
) -> None:
    write(tmp_path, {"src/price.ts": "", "src/price.test.ts": TEST, "tax/index.js": "", path: text})
    exports = {f"./{one}": {"require": f"./{one}/index.js"} for one in ("price", "tax")}
    manifest = {"name": "shop", "exports": exports, "scripts": {"test": "uvu src", "build": "tsc"}}
    assert bool(node(tmp_path, manifest).install_project) is is_built


@pytest.mark.parametrize(
    ("settings", "own", "is_built"),
    [
        ("plugin:\n  - '@tapjs/clock'\n", {}, True),
        ("", {"plugin": ["@tapjs/clock"]}, True),
        ("timeout: 5\n", {"timeout": 5}, False),
    ],
)
def test_tap_gets_the_plug_ins_that_it_is_told_of(
    settings: str, own: dict[str, object], is_built: bool, tmp_path: Path
) -> None:
    write(tmp_path, {".taprc": settings, "test/a.js": TEST})
    manifest = {"scripts": {"test": "tap"}, "devDependencies": {"tap": "^21"}, "tap": own}
    assert ("tap build" in str(node(tmp_path, manifest).install)) is is_built


@pytest.mark.parametrize(
    ("build", "script"),
    [
        ("npm run clean && npm run compile && npm run lint && npm test", "compile"),
        ("run-s compile check", "compile"),
        ("npm run compile && rollup -c", "build"),
        ("mocha && rollup -c", "build"),  # nothing else would build it
    ],
)
def test_a_build_that_tests_too_is_left_for_what_it_compiles_by(
    build: str, script: str, tmp_path: Path
) -> None:
    write(tmp_path, {"test/b.test.js": "import x from '../dist/index.js';"})
    own = {"test": "mocha", "check": "nyc mocha", "compile": "tsc -b .", "build": build}
    recipe = node(tmp_path, {"scripts": own, "main": "dist/index.js"})
    assert recipe.install_project == (("npm", "run", script),)


@pytest.mark.parametrize(
    ("path", "text", "is_built"),
    [
        ("vitest.config.mts", "test: { name: 'shop', alias: { other: './src' } }", True),
        ("vitest.config.mts", "alias: [{ find: /^shop$/, replacement: './src/index.ts' }]", False),
        ("vite.config.js", "alias: { 'shop': './src/index.ts' }", False),
        ("jest.config.js", "moduleNameMapper: { '^shop$': '<rootDir>/src' }", False),
        ("other.config.js", "alias: { 'shop': './src/index.ts' }", True),
    ],
)
def test_tests_that_get_the_sources_by_the_name_of_the_package_need_no_build(
    path: str, text: str, is_built: bool, tmp_path: Path
) -> None:
    scripts = {"test": "vitest run", "build": "rollup -c"}
    write(tmp_path, {path: text, "test/b.test.js": "import { price } from 'shop'"})
    found = node(tmp_path, {"name": "shop", "scripts": scripts, "main": "./index.js"})
    assert bool(found.install_project) is is_built


def test_evidence_decides_and_both_sides_agree(tmp_path: Path) -> None:
    python = {"pyproject.toml": HATCHLING, "src/a.py": "", "tests/test_a.py": ""}
    docs = {"package.json": "{}", "docs/a.js": "", "docs/b.js": "", "docs/c.js": ""}
    base = write(tmp_path / "base", {**python, **docs})
    found = detect(base, SetupHints(), TOOLS)
    assert found is not None and found.ecosystem == "python"
    many = {f"test/{n}.test.js": TEST for n in range(9)}
    head = write(tmp_path / "head", {**python, **docs, **many})
    alone = detect(head, SetupHints(), TOOLS)
    assert alone is not None and alone.ecosystem == "node"
    choice = choose_both(base, head, SetupHints())
    both = detect_both(choice, (base, head), SetupHints(), TOOLS)
    assert both.base and both.head
    assert (both.base.ecosystem, both.head.ecosystem) == ("python", "python")
    configured = detect(base, SetupHints(test="npm test"), TOOLS)
    assert configured is not None and configured.ecosystem == "node"


def test_a_package_of_a_monorepo_is_the_root_of_its_changes(tmp_path: Path) -> None:
    package = {"package.json": "{}", "index.js": "", "test/a.test.js": TEST}
    files = {f"packages/{n}/{path}": text for n in ("one", "two") for path, text in package.items()}
    base = write(tmp_path / "base", {**files, "package.json": "{}"})
    head = write(tmp_path / "head", {**files, "package.json": "{}"})
    one, two = "packages/one", "packages/two"
    assert Projects(base, head).touched([f"{one}/index.js"]) == (one,)
    assert Projects(base, head).touched([f"{one}/index.js", f"{two}/index.js"]) == (one, two)
    new = write(tmp_path / "new", {f"packages/new/{p}": text for p, text in package.items()})
    assert Projects(base, new).touched(["packages/new/index.js"]) == ("",)
    installed_at_the_top = write(tmp_path / "head", {"package-lock.json": "{}"})
    found = detect(installed_at_the_top, SetupHints(root="packages/one"), TOOLS)
    assert found is not None and found.root == "packages/one"
    assert found.install[0][-1] == "/work/tree"


def test_a_package_whose_tests_only_the_top_can_run_is_no_project(tmp_path: Path) -> None:
    package = {"package.json": "{}", "index.js": "", "test/a.test.js": "test('a', () => {})"}
    files = {f"packages/one/{path}": text for path, text in package.items()}
    write(tmp_path, {**files, "package.json": json.dumps({"scripts": {"test": "jest"}})})
    projects = Projects(tmp_path, tmp_path)
    assert projects.all == ()
    assert projects.touched(["packages/one/index.js"]) == ("",)


PLAIN = "test('a', () => {})\n"


@pytest.mark.parametrize(
    ("script", "tested", "inner", "has_top"),
    [
        ("yarn workspaces foreach -A run test", "vitest run", PLAIN, False),
        ("npm test --workspaces --if-present", "vitest run", PLAIN, False),
        ("pnpm -r test && node checks/test.mjs", "vitest run", PLAIN, True),
        ("yarn workspaces foreach --exclude one run test", "vitest run", PLAIN, True),
        ("yarn workspaces foreach -A run test", "./test.sh", PLAIN, True),  # Assay cannot run it
        ("npm test --workspaces", "node --test", TEST, True),  # Assay can run it from the top
    ],
)
def test_a_top_that_only_runs_the_tests_of_its_packages_has_none(
    tmp_path: Path, script: str, tested: str, inner: str, has_top: bool
) -> None:
    top = {"workspaces": ["packages/*"], "scripts": {"test": script}}
    runs = {"scripts": {"test": tested}}
    files = {"package.json": json.dumps(top), "packages/two/test.mjs": "import 'one';\n"}
    one = {
        "package.json": json.dumps(runs),
        "index.js": "",
        "test/a.test.js": inner,
    }
    two = {"packages/two/package.json": json.dumps({"scripts": {"test:consumer": "node test.mjs"}})}
    files |= {f"packages/one/{path}": text for path, text in one.items()} | two
    write(tmp_path, files)
    changed = ("package.json", "packages/one/index.js")
    found = Projects(tmp_path, tmp_path)
    assert found.has_top is has_top
    assert ("" in found.touched(changed)) is has_top


def test_what_a_package_takes_by_version_is_the_registrys_but_no_package_of_a_workspace(
    tmp_path: Path,
) -> None:
    takes = {
        "shop": "^15.0.0-0",
        "local": "file:../..",
        "linked": "workspace:*",
        "tagged": "latest",
    }
    example = json.dumps({"dependencies": takes, "devDependencies": {"jest": "30"}})
    files = {"package.json": '{"name": "shop"}', "examples/one/package.json": example}
    base, head = write(tmp_path / "base", files), write(tmp_path / "head", files)
    found = Projects(base, head)
    assert found.from_registry("examples/one/test/index.js") == {"shop", "jest"}
    assert found.from_registry("lib/index.js") == found.from_registry("../x.js") == set()

    linked = example.replace("^15.0.0-0", "file:../..")
    write(head, {"examples/one/package.json": linked})
    assert Projects(base, head).from_registry("examples/one/index.js") == {"jest"}
    for name, text in (
        ("package.json", '{"workspaces": ["examples/*"], "devDependencies": {"tsup": "6"}}'),
        ("pnpm-workspace.yaml", ""),
    ):
        shop = {"packages/shop/package.json": '{"name": "shop"}'}
        inside = write(tmp_path / name, {**files, **shop, name: text})
        taken = Projects(inside, inside).from_registry("examples/one/index.js")
        assert taken == {"jest"} | ({"tsup"} if name == "package.json" else set())


ODD = (
    "", "[]", "null", '{"scripts": []}', '{"scripts": {"test": 7}}', '{"engines": "x"}', "{" * 5000,
    '{"engines": {"node": "|| >= x.y - 9999999999999999999999 &&"}}', '{"packageManager": ["pnpm@1"]}',
    '{"exports": {"a": {"b": []}}, "scripts": {"build": "x", "test": "mocha \\u0000 \\ud800 $(x) `y`"}}',
    '{"dependencies": ["a"], "workspaces": 7, "main": "../../x", "name": "[(*"}',
    json.dumps({"scripts": {"test": "run-s " + "test " * 700, "pretest": "run-p " + "test " * 700}}),
    json.dumps({"scripts": {"test": "npm run test && " * 200}}),
    json.dumps({"scripts": {"test": "sh a.sh"}}), json.dumps({"scripts": {"test": "make all"}}),
    json.dumps({"scripts": {"test": "(" * 2000}}), json.dumps({"scripts": {"test": "mocha '"}}),
)  # fmt: skip


@pytest.mark.thorough
@pytest.mark.parametrize("text", ODD)
def test_whatever_a_manifest_holds_is_read(tmp_path: Path, text: str) -> None:
    write(
        tmp_path,
        {
            "package.json": text,
            "pnpm-lock.yaml": "lockfileVersion: [",
            "a.test.js": "(",
            "a.sh": "sh a.sh\n" * 300,
            "Makefile": "all: all b\n\t$(A)\nb: all b\nA = $(A) $(A)\n" * 100,
        },
    )
    found = detect(tmp_path, SetupHints(), TOOLS)
    assert found is not None and found.ecosystem == "node"
    words = [*found.test_arguments, *found.reasons, *(w for argv in found.install for w in argv)]
    assert "\0" not in "".join(words).encode().decode()


def test_what_no_lock_fixes_is_of_the_commits_time(tmp_path: Path) -> None:
    manifest = {"scripts": {"test": "mocha"}, "devDependencies": {"mocha": "^2"}}
    free = write(tmp_path / "free", {"package.json": json.dumps(manifest), "test/a.js": ""})
    locked = {"package.json": json.dumps(manifest), "test/a.js": "", "package-lock.json": "{}"}
    old = SetupHints(released_before="2016-11-10")

    def installed(tree: Path, hints: SetupHints) -> tuple[str, str, str]:
        found = detect(tree, hints, TOOLS)
        assert found is not None
        return str(found.install), found.reasons[0], found.lock_digest

    now, then = installed(free, SetupHints()), installed(free, old)
    assert "--before" not in now[0] and "--before=2016-11-10" in then[0]
    assert "there is no lock file" in then[1] and "2016-11-10" in then[1]
    assert now[2] != then[2] != installed(free, SetupHints(released_before="2017-01-02"))[2]
    tree = write(tmp_path / "locked", locked)
    assert installed(tree, old) == installed(tree, SetupHints())


@pytest.mark.parametrize(
    ("workflow", "words"),
    [
        (
            "jobs:\n  all:\n    env:\n      LANG: en_US.utf8\n      TOKEN: abc\n      TZ: America/New_York\n"
            "    steps:\n      - run: npm run test\n",
            ("LANG=en_US.utf8", "TZ=America/New_York"),
        ),
        ("env:\n  TZ: 'UTC'\njobs:\n  all:\n    steps:\n      - run: npm test\n", ("TZ=UTC",)),
        ("jobs:\n  all:\n    steps:\n      - run: TZ=Asia/Tokyo npx mocha\n", ("TZ=Asia/Tokyo",)),
        ("jobs:\n  site:\n    env:\n      TZ: UTC\n    steps:\n      - run: npm run site\n", ()),
        (
            "jobs:\n  all:\n    env:\n      TZ: ${{ matrix.tz }}\n    steps:\n      - run: npm test\n",
            (),
        ),
        (
            "jobs:\n  all:\n    env:\n      # TZ: UTC\n      NODE_OPTIONS: -r x\n    steps: npm test\n",
            (),
        ),
        ("jobs:\n  a:\n    steps: TZ=A npm test\n  b:\n    steps: TZ=B npm test\n", ()),
        ("jobs:\n  a:\n    steps:\n", ()),
    ],
)
def test_tests_run_in_the_time_zone_and_locale_of_ci(
    workflow: str, words: tuple[str, ...], tmp_path: Path
) -> None:
    write(tmp_path, {".github/workflows/test.yml": workflow})
    found = node(tmp_path, {"scripts": {"test": "LANG=C jest" if not words else "jest"}})
    own = ("LANG=C",) if not words else ()
    assert found.test_arguments == (*words, *own, "--")
    assert ("as .github/workflows/test.yml does" in found.reasons[-1]) is bool(words)


@pytest.mark.parametrize(
    ("script", "shown", "words"),
    [
        ("jest", "<dim>expect(</><red>element</>)", ("NO_COLOR=", "FORCE_COLOR=1")),
        ("jest", "<b>expect</b>", ()),
        ("mocha", "<red>element</>", ()),
    ],
)
def test_tests_print_in_the_colors_that_their_snapshots_have(
    script: str, shown: str, words: tuple[str, ...], tmp_path: Path
) -> None:
    snapshot = (
        f"test('a', () => {{\n  expect(f).toThrowErrorMatchingInlineSnapshot(`{shown}`);\n}});\n"
    )
    write(tmp_path, {"src/price.test.js": snapshot})
    found = node(tmp_path, {"scripts": {"test": script}})
    assert found.test_arguments == (*words, "--")
    assert ("as src/price.test.js does" in found.reasons[-1]) is bool(words)


@pytest.mark.parametrize(
    ("line", "option"),
    [
        ("npm install --legacy-peer-deps", "--legacy-peer-deps"),
        ("npm ci --no-audit --force", "--force"),
        ("npm install -g npm && npm ci", ""),
        ("npm install", ""),
    ],
)
def test_peers_that_fit_no_version_are_treated_as_in_ci(
    line: str, option: str, tmp_path: Path
) -> None:
    write(tmp_path, {".github/workflows/ci.yml": f"jobs:\n  a:\n    steps:\n      - run: {line}\n"})
    found = node(tmp_path, {"devDependencies": {"mocha": "^6"}, "scripts": {"test": "mocha"}})
    (install,) = found.install
    assert [one for one in ("--legacy-peer-deps", "--force") if one in " ".join(install)] == [
        *filter(None, [option])
    ]
    assert any("as CI does" in one for one in found.reasons) is bool(option)


@pytest.mark.parametrize(
    ("line", "manager"),
    [
        ("npm ci", "npm"),
        ("npm install --no-audit", "npm"),
        ("npm install -g yarn && yarn install", "yarn"),
        ("npm ci && yarn install", "yarn"),
        ("make", "yarn"),
    ],
)
def test_of_several_locks_the_one_that_ci_uses_is_kept_up(
    line: str, manager: str, tmp_path: Path
) -> None:
    files = {
        "yarn.lock": "# yarn lockfile v1\n",
        "package-lock.json": "{}",
        ".github/workflows/ci.yml": f"jobs:\n  a:\n    steps:\n      - run: {line}\n",
    }
    write(tmp_path, files)
    found = node(tmp_path, {"devDependencies": {"mocha": "^6"}, "scripts": {"test": "mocha"}})
    assert f"Dependencies are installed by {manager}" in " ".join(found.reasons)


@pytest.mark.parametrize(
    ("lock", "rebuilds"),
    [("pnpm-lock.yaml", "bin/pnpm rebuild"), ("package-lock.json", "npm rebuild")],
)
def test_install_scripts_are_run_by_whoever_installed(
    lock: str, rebuilds: str, tmp_path: Path
) -> None:
    """npm would run `prepare` of all that pnpm linked: a build in packages that lack what it builds."""
    write(tmp_path, {lock: ""})
    found = node(tmp_path, {"devDependencies": {"mocha": "^6"}, "scripts": {"test": "mocha"}})
    told = " ".join(found.install[-1])
    assert rebuilds in told
    assert ("npm rebuild" in told.replace("pnpm rebuild", "")) is (lock != "pnpm-lock.yaml")


@pytest.mark.parametrize(
    ("test", "entry", "is_built"),
    [
        ("import {a} from '@shop/a';\n", "lib/index.js", True),
        ("import {a} from '@shop/a/more';\n", "lib/index.js", True),
        ("import {a} from '../packages/a/src/index.ts';\n", "lib/index.js", False),
        ("import {a} from '@shop/a';\n", "src/index.ts", False),
    ],
)
def test_a_package_of_a_workspace_that_tests_load_is_built(
    tmp_path: Path, test: str, entry: str, is_built: bool
) -> None:
    top = {
        "workspaces": ["packages/*"],
        "scripts": {"build": "tsc -b", "test": "vitest run"},
        "devDependencies": {"vitest": "3"},
    }
    own = {"name": "@shop/a", "main": entry}
    files = {
        "packages/a/package.json": json.dumps(own),
        "packages/a/src/index.ts": "export const a = 1;\n",
    }
    write(tmp_path, {"package.json": json.dumps(top), "test/a.test.js": test, **files})
    found = detect(tmp_path, SetupHints(), TOOLS)
    assert found is not None
    told = any("`packages/a/lib`, which is built" in one for one in found.reasons)
    assert told is is_built
    assert (("npm", "run", "build") in found.install_project) is is_built
