"""What only one of Node's runners does: errors that nobody caught, hangs, plug-ins, another major version."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from tests.e2e.folder import Files, Judged, open_folder

pytestmark = [
    pytest.mark.real,
    pytest.mark.slow,
    pytest.mark.skipif(
        shutil.which("node", path="/usr/local/bin:/usr/bin:/bin") is None,
        reason="node is not installed where the sandbox looks",
    ),
]

TITLE = "discounted refuses a percentage above 100"
TASK = "`discounted` refuses a percentage above 100\n"
DISCOUNT = """export function total(prices) {
  return prices.reduce((sum, price) => sum + price, 0);
}

export function discounted(price, percentage) {
  return price - price * percentage / 100;
}
"""
REFUSING = DISCOUNT.replace(
    "  return price -",
    "  if (percentage > 100) {\n    throw new RangeError('above 100');\n  }\n\n  return price -",
)


def manifest(script: str, more: str = "", **packages: str) -> str:
    settings = json.loads(more or "{}")
    return json.dumps(
        {"type": "module", "scripts": {"test": script}, "devDependencies": packages, **settings}
    )


def judged(folder: Path, base: Files, change: Files, task: str = TASK) -> Judged:
    till = open_folder(folder, base)
    return till.judge(till.branch("change", change), task=task)


def assert_shown_by(seen: Judged, test: str) -> None:
    """The change succeeds, and this test alone fails without it."""
    assert seen.document.tests is not None, seen.markdown
    assert list(seen.document.tests.fail_to_pass) == [test]
    assert seen.conclusion == "success", seen.markdown


LISTENING = f"""import {{expect, test}} from 'vitest';
import {{discounted}} from '../price.js';

test('{TITLE}', async () => {{
  const answered = new Promise(done => {{
    setTimeout(() => {{
      done();
      expect(() => discounted(200, 101)).toThrow('above 100');
    }});
  }});
  await answered;
  await new Promise(done => setTimeout(done, 50));
}});

test('discounted takes the percentage off the price', () => {{
  expect(discounted(200, 10)).toBe(180);
}});
"""


def test_what_nobody_caught_fails_the_test_that_vitest_names(tmp_path: Path) -> None:
    """It fails vitest's run and no test of it, so the new test seemed to pass on base's code too."""
    old = LISTENING.replace("expect(() => discounted(200, 101)).toThrow('above 100');", "")
    base = {
        "package.json": manifest("vitest run", vitest="^3", vite="^6"),
        "price.js": DISCOUNT,
        "test/price.test.js": old.replace(TITLE, "discounted can be called later"),
    }
    change = {"price.js": REFUSING, "test/price.test.js": LISTENING}
    seen = judged(tmp_path, base, change)
    assert_shown_by(seen, f"test/price.test.js::{TITLE}")


CALLED = """import {expect, test} from 'vitest';
import {discounted} from '../price.js';

test('discounted takes the percentage off the price', () => {
  expect(discounted(200, 10)).toBe(180);
});
"""
REFUSED = f"""
test('{TITLE}', () => {{
  expect(() => discounted(200, 101)).toThrow('above 100');
}});
"""
OF_TYPES = """import {expectTypeOf, test} from 'vitest';
import {discounted} from '../price.js';

test('discounted gives a number', () => {
  expectTypeOf(discounted(200, 10)).toBeNumber();
});
"""


def test_an_old_vitest_finds_vite_where_pnpm_puts_it(tmp_path: Path) -> None:
    """It is not beside the project's own packages, so no test ran ("Can not find dependency 'vite'")."""
    manager = '{"packageManager": "pnpm@10.12.1"}'
    base = {
        "package.json": manifest("vitest run", manager, vitest="0.29.8"),
        "pnpm-workspace.yaml": "packages: []\n",
        "price.js": DISCOUNT,
        "test/price.test.js": CALLED,
    }
    seen = judged(tmp_path, base, {"price.js": REFUSING, "test/price.test.js": CALLED + REFUSED})
    assert_shown_by(seen, f"test/price.test.js::{TITLE}")


def test_tests_that_packages_bring_along_are_not_run(tmp_path: Path) -> None:
    """A project's own `exclude` takes the place of vitest's, which leaves out `node_modules`."""
    settings = {"dependencies": {"fast-uri": "3.0.6"}}
    base = {
        "package.json": manifest("vitest run", json.dumps(settings), vitest="^4", vite="^7"),
        "vitest.config.js": "export default {test: {exclude: ['benchmarks/**']}};\n",
        "price.js": DISCOUNT,
        "test/price.test.js": CALLED,
    }
    seen = judged(tmp_path, base, {"price.js": REFUSING, "test/price.test.js": CALLED + REFUSED})
    assert_shown_by(seen, f"test/price.test.js::{TITLE}")


@pytest.mark.parametrize(
    "script", ["vitest run --typecheck", "vitest run && vitest run --typecheck.only"]
)
def test_an_option_of_vitest_takes_no_file_for_its_value(tmp_path: Path, script: str) -> None:
    """`--typecheck test/price.test.js` left out that file, and base's tests on head's code did not run.

    Where `--typecheck.only` gets no file of types, this vitest is gone before its end.
    """
    packages = {"vitest": "1.0.4", "vite": "^5", "typescript": "^5"}
    settings = {"allowJs": True, "strict": True, "noEmit": True, "skipLibCheck": True}
    settings |= {"module": "esnext", "moduleResolution": "bundler", "target": "esnext"}
    base = {
        "package.json": manifest(script, **packages),
        "tsconfig.json": json.dumps({"compilerOptions": settings}),
        "price.js": DISCOUNT,
        "test/price.test.js": CALLED,
        "test/types.test-d.ts": OF_TYPES,
    }
    more = "  expectTypeOf(discounted(200, 20)).toBeNumber();\n});"
    change = {
        "price.js": REFUSING,
        "test/price.test.js": CALLED + REFUSED,
        "test/types.test-d.ts": OF_TYPES.replace("});", more),
    }
    seen = judged(tmp_path, base, change)
    assert seen.document.tests is not None, seen.markdown
    assert f"test/price.test.js::{TITLE}" in seen.document.tests.fail_to_pass
    assert seen.conclusion == "success", seen.said()


DAYS = """export function next(day) {
  return (day + 1) % 7;
}

export function until(day, wanted) {
  let count = 0;
  while (day !== wanted) {
    day = next(day);
    count += 1;
  }

  return count;
}
"""
UNTIL = "until refuses a day that there is not"
REFUSES = DAYS.replace(
    "  let count",
    "  if (!(wanted >= 0 && wanted < 7)) {\n    throw new RangeError('no such day');\n  }\n\n  let count",
)


def test_the_test_that_hangs_under_ava_fails_and_no_other_does(tmp_path: Path) -> None:
    """Tests of a file start together: the one that never returns kept what passed from being told."""
    known = (
        "import test from 'ava';\nimport {next, until} from '../days.js';\n\n"
        "test('next goes round', t => {\n  t.is(next(6), 0);\n});\n"
    )
    new = (
        f"\ntest('{UNTIL}', t => {{\n  t.throws(() => until(1, 9), {{message: 'no such day'}});\n}});\n"
        "\ntest('until counts', t => {\n  t.is(until(1, 3), 2);\n});\n"
    )
    base = {
        "package.json": manifest("ava", '{"ava": {"timeout": "3s"}}', ava="^6"),
        "days.js": DAYS,
        "test/days.js": known,
    }
    change = {"days.js": REFUSES, "test/days.js": known + new}
    seen = judged(tmp_path, base, change, f"`{UNTIL}`\n")
    assert_shown_by(seen, f"test/days.js::{UNTIL}")


SPEC = """import {discounted, total} from '../price.js';

it('total adds up all prices', () => {
  expect(jasmine.pp(total([1, 2]))).toBe('3');
});

it('discounted takes the percentage off the price', () => {
  expect(discounted(200, 10)).toBe(180);
});
"""


def specs(version: str) -> str:
    return manifest("jasmine spec/*.js", jasmine=version, **{"jasmine-core": version})


@pytest.mark.parametrize("is_broken", [False, True], ids=["kept", "broken"])
def test_a_runner_that_knows_base_s_tests_no_more_asks_a_person(
    tmp_path: Path, is_broken: bool
) -> None:
    """jasmine 4 dropped `jasmine.pp`. Base's jasmine shows whether the code still does it."""
    base = {"package.json": specs("^3"), "price.js": DISCOUNT, "spec/price.js": SPEC}
    adapted = SPEC.replace(
        "jasmine.pp(total([1, 2]))).toBe('3')", "typeof total([1])).toBe('number')"
    )
    change = {
        "package.json": specs("^5"),
        "price.js": DISCOUNT.replace("sum + price", "price") if is_broken else DISCOUNT,
        "spec/price.js": adapted,
    }
    seen = judged(tmp_path, base, change, "Use jasmine 5\n")
    verdicts = {row.id: row for row in seen.document.requirements}
    if is_broken:
        assert seen.conclusion == "failure", seen.markdown
        assert verdicts["B2"].verdict == "unsatisfied"
        return
    assert seen.conclusion == "action_required", seen.markdown
    assert verdicts["B2"].verdict == "unverified"
    assert "1 test of base fails with jasmine 5." in verdicts["B2"].reason
    assert "passes on head's code with base's packages (jasmine 3." in verdicts["B2"].reason
    assert "jasmine.pp is not a function" in verdicts["B2"].reason
    assert verdicts["B3"].verdict == "satisfied"


TAP_TEST = f"""import t from 'tap'

t.test('discounted takes the percentage off the price', async t => {{
  const {{ discounted }} = await t.mockImport('../src/price.js')
  t.equal(discounted(200, 10), 180)
  t.type(gc, 'function')
  t.type(t.clock.enter, 'function')
}})

t.test('{TITLE}', async t => {{
  const {{ discounted }} = await t.mockImport('../src/price.js')
  t.throws(() => discounted(200, 101), {{ message: 'above 100' }})
}})
"""


def test_tap_starts_with_its_plug_ins_and_its_configuration(tmp_path: Path) -> None:
    """TypeScript, mocks, a plug-in that tap installs by itself, and options of node: all from `.taprc`."""
    known, _, new = TAP_TEST.partition(f"\nt.test('{TITLE}'")
    base = {
        "package.json": manifest("tap", tap="^21"),
        ".taprc": 'node-arg:\n  - --expose-gc\nplugin:\n  - "@tapjs/clock"\n',
        "src/price.ts": DISCOUNT,
        "test/price.ts": known,
    }
    change = {"src/price.ts": REFUSING, "test/price.ts": f"{known}\nt.test('{TITLE}'{new}"}
    seen = judged(tmp_path, base, change)
    assert_shown_by(seen, f"test/price.ts::{TITLE}")


BLOCKED = "import 'tap'\n\nAtomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)\n"
"""A test file that stands still for ever, and that no timer of its own can end."""


def test_a_file_of_tap_that_stands_still_does_not_take_all_the_time(tmp_path: Path) -> None:
    known, _, new = TAP_TEST.partition(f"\nt.test('{TITLE}'")
    known = "".join(line for line in known.splitlines(True) if "t.type(" not in line)
    base = {
        "package.json": manifest("tap", tap="^21"),
        ".taprc": "timeout: 5\n",
        ".github/assay.yml": "limits: {minutes: 6}\n",
        "src/price.js": DISCOUNT,
        "test/price.js": known,
        "test/waits.js": BLOCKED,
    }
    change = {"src/price.js": REFUSING, "test/price.js": f"{known}\nt.test('{TITLE}'{new}"}
    seen = judged(tmp_path, base, change)
    assert_shown_by(seen, f"test/price.js::{TITLE}")


OLD_DISCOUNT = DISCOUNT.replace("export ", "") + "module.exports = {total, discounted};\n"
OLD_TAP = "var t = require('tap');\nvar price = require('../price.js');\n\n"
OLD_TEST = "t.test('{}', function (t) {{\n  t.{};\n  t.end();\n}});\n"


def test_an_old_tap_is_watched_on_the_oldest_node(tmp_path: Path) -> None:
    """It has no parser of its own, and CI asks for a Node on which nothing can be watched."""
    known = OLD_TAP + OLD_TEST.format(
        "takes the percentage off", "equal(price.discounted(200, 10), 180)"
    )
    new = OLD_TEST.format(TITLE, "throws(function () { price.discounted(200, 101); })")
    base = {
        "package.json": manifest("tap test/*.js", '{"type": "commonjs"}', tap="^5.8"),
        ".travis.yml": "language: node_js\nnode_js:\n  - '4'\n",
        "price.js": OLD_DISCOUNT,
        "test/price.js": known,
    }
    refusing = REFUSING.replace("export ", "") + "module.exports = {total, discounted};\n"
    change = {"price.js": refusing, "test/price.js": known + new}
    seen = judged(tmp_path, base, change)
    assert_shown_by(seen, f"test/price.js::{TITLE}")
    assert any("Node 6 is taken" in one for one in seen.document.environment.reasons)


def test_a_file_of_tap_that_cannot_be_loaded_says_why(tmp_path: Path) -> None:
    base = {
        "package.json": manifest("tap test/*.js", '{"type": "commonjs"}', tap="^16"),
        "price.js": OLD_DISCOUNT,
        "test/price.js": OLD_TAP + OLD_TEST.format("it is there", "ok(price.total)"),
    }
    change = {"price.js": None, "prices.js": OLD_DISCOUNT}
    seen = judged(tmp_path, base, change, "Rename the module\n")
    assert seen.conclusion == "failure", seen.markdown
    verdicts = {row.id: row for row in seen.document.requirements}
    assert "Cannot find module '../price.js'" in verdicts["B2"].reason


STARTS_ITSELF = """const t = require('tap');
const price = require('../price.js');

if (!process.env.OTHER) {
  t.spawn(process.execPath, [__filename], {env: {...process.env, OTHER: 'yes'}});
}
t.equal(price.total([1, 2]), 3);
"""


def test_a_file_of_tap_that_starts_itself_once_more_has_its_results(tmp_path: Path) -> None:
    """The second run is a test that is named after the command line, which ends with the file's name."""
    new = OLD_TAP + OLD_TEST.format(TITLE, "throws(function () { price.discounted(200, 101); })")
    refusing = REFUSING.replace("export ", "") + "module.exports = {total, discounted};\n"
    base = {
        "package.json": manifest("tap test/*.js", '{"type": "commonjs"}', tap="^16"),
        "price.js": OLD_DISCOUNT,
        "test/total.js": STARTS_ITSELF,
    }
    seen = judged(tmp_path, base, {"price.js": refusing, "test/price.js": new})
    assert_shown_by(seen, f"test/price.js::{TITLE}")
    assert seen.document.tests is not None
    kept = ["node ./test/total.js", "the whole file"]
    assert list(seen.document.tests.pass_to_pass) == [f"test/total.js::{one}" for one in kept]
    assert not seen.document.tests.other


@pytest.mark.parametrize("script", ["uvu test", "uvu -r esm test"], ids=["modules", "esm"])
def test_uvu_is_watched_on_a_node_without_import(tmp_path: Path, script: str) -> None:
    """And where the package esm compiles what the tests load."""
    known = (
        "import {test} from 'uvu';\nimport {is, throws} from 'uvu/assert';\n"
        "import {discounted} from '../price.js';\n\n"
        "test('discounted takes the percentage off the price', () => is(discounted(200, 10), 180));\n"
    )
    new = f"test('{TITLE}', () => throws(() => discounted(200, 101), 'above 100'));\n"
    kind = "commonjs" if "esm" in script else "module"
    more = {"type": kind, "engines": {"node": "16"}}
    base = {
        "package.json": manifest(script, json.dumps(more), uvu="^0.5", esm="^3"),
        "price.js": DISCOUNT,
        "test/first.js": "import {test} from 'uvu';\ntest('nothing fails', () => {});\ntest.run();\n",
        "test/price.js": f"{known}test.run();\n",
    }
    change = {"price.js": REFUSING, "test/price.js": f"{known}{new}test.run();\n"}
    seen = judged(tmp_path, base, change)
    assert_shown_by(seen, f"test/price.js::{TITLE}")


@pytest.mark.parametrize("place", ["out", "lib/umd"])
def test_tests_that_are_compiled_with_their_sources_are_found(tmp_path: Path, place: str) -> None:
    """The test script does not build, and the build script tests what it built."""
    own = {
        "compile": "tsc",
        "build": "npm run compile && npm test",
        "test": f"mocha '{place}/**/*.spec.js'",
    }
    settings = {"outDir": place, "module": "commonjs", "target": "es2022", "skipLibCheck": True}
    known = (
        "import {discounted} from './price';\n\n"
        "declare const it: (title: string, body: () => void) => void;\n"
        "declare const require: (name: string) => any;\nconst assert = require('assert');\n\n"
        "it('discounted takes off', () => assert.strictEqual(discounted(200, 10), 180));\n"
    )
    new = f"it('{TITLE}', () => assert.throws(() => discounted(200, 101), /above 100/));\n"
    more = json.dumps({"type": "commonjs", "scripts": own})
    base = {
        "package.json": manifest("", more, mocha="^10", typescript="^5"),
        "tsconfig.json": json.dumps({"compilerOptions": settings, "include": ["src"]}),
        "src/price.ts": DISCOUNT,
        "src/price.spec.ts": known,
    }
    change = {"src/price.ts": REFUSING, "src/price.spec.ts": known + new}
    seen = judged(tmp_path, base, change)
    assert_shown_by(seen, f"src/price.spec.ts::{TITLE}")


def test_uvu_loads_tests_in_typescript_by_what_it_requires_first(tmp_path: Path) -> None:
    known = (
        "import {test} from 'uvu';\nimport {is, throws} from 'uvu/assert';\n"
        "import {discounted} from '../price';\n\n"
        "test('discounted takes the percentage off the price', () => is(discounted(200, 10), 180));\n"
    )
    new = f"test('{TITLE}', () => throws(() => discounted(200, 101), 'above 100'));\n"
    base = {
        "package.json": manifest("uvu -r tsm test", '{"type": "commonjs"}', uvu="^0.5", tsm="^2.3"),
        "price.ts": DISCOUNT,
        "test/price.ts": f"{known}test.run();\n",
    }
    change = {"price.ts": REFUSING, "test/price.ts": f"{known}{new}test.run();\n"}
    seen = judged(tmp_path, base, change)
    assert_shown_by(seen, f"test/price.ts::{TITLE}")


@pytest.mark.parametrize("ignored", [" -i suites", ""], ids=["ignored", "found by its name"])
def test_tests_that_a_file_of_uvu_defines_for_others_are_run_by_those(
    tmp_path: Path, ignored: str
) -> None:
    """The file that the change edits defines them, and tells nothing where it runs alone."""
    known = (
        "const {suite} = require('uvu');\nconst {is, throws} = require('uvu/assert');\n\n"
        "exports.prices = ({discounted}) => {\n  const test = suite('prices');\n"
        "  test('discounted takes the percentage off the price', () => is(discounted(200, 10), 180));\n"
    )
    new = f"  test('{TITLE}', () => throws(() => discounted(200, 101), 'above 100'));\n"
    common = {"type": "commonjs"}
    exports = "module.exports = {total, discounted};\n"
    base = {
        "package.json": manifest(f"uvu test{ignored}", json.dumps(common), uvu="^0.5"),
        "price.js": DISCOUNT.replace("export ", "") + exports,
        "test/suites/prices.js": f"{known}  test.run();\n}};\n",
        "test/price.js": "require('./suites/prices').prices(require('../price'));\n",
    }
    refusing = REFUSING.replace("export ", "") + exports
    change = {"price.js": refusing, "test/suites/prices.js": f"{known}{new}  test.run();\n}};\n"}
    seen = judged(tmp_path, base, change)
    assert_shown_by(seen, f"test/price.js::prices > {TITLE}")


def test_shared_tests_of_a_new_file_of_uvu_fail_without_what_it_loads(tmp_path: Path) -> None:
    """It comes first by its name: the same tests of the file beside it are not taken for its own."""
    shared = (
        "const {suite} = require('uvu');\nconst {is} = require('uvu/assert');\n\n"
        "exports.prices = ({discounted}) => {\n  const test = suite('prices');\n"
        "  test('discounted takes the percentage off', () => is(discounted(200, 10), 180));\n"
        "  test.run();\n};\n"
    )
    exports = "module.exports = {total, discounted};\n"
    price = DISCOUNT.replace("export ", "") + exports
    base = {
        "package.json": manifest("uvu test -i suites", '{"type": "commonjs"}', uvu="^0.5"),
        "price.js": price,
        "test/price.js": "require('./suites/prices').prices(require('../price'));\n",
        "test/suites/prices.js": shared,
    }
    change = {
        "exact.js": price.replace("price * percentage / 100", "price / 100 * percentage"),
        "test/exact.js": "require('./suites/prices').prices(require('../exact'));\n",
    }
    task = "Prices without rounding\n\n- [ ] `exact.js` takes the percentage off\n"
    seen = judged(tmp_path, base, change, task)
    assert seen.document.tests is not None, seen.markdown
    title = "prices > discounted takes the percentage off"
    assert list(seen.document.tests.fail_to_pass) == [f"test/exact.js::{title}"], seen.markdown


def test_tape_is_watched_where_the_package_esm_loads_it(tmp_path: Path) -> None:
    known = (
        "import test from 'tape';\nimport {discounted} from '../price.js';\n\n"
        "test('discounted takes the percentage off the price', t => {\n"
        "  t.equal(discounted(200, 10), 180);\n  t.end();\n});\n"
    )
    new = f"test('{TITLE}', t => {{\n  t.throws(() => discounted(200, 101), /above 100/);\n  t.end();\n}});\n"
    base = {
        "package.json": manifest(
            "tape -r esm test/*.js", '{"type": "commonjs"}', tape="^5", esm="^3"
        ),
        "price.js": DISCOUNT,
        "test/price.js": known,
    }
    change = {"price.js": REFUSING, "test/price.js": f"{known}{new}"}
    seen = judged(tmp_path, base, change)
    assert_shown_by(seen, f"test/price.js::{TITLE}")


def test_what_a_test_of_tape_throws_keeps_no_other_from_running(tmp_path: Path) -> None:
    """Without what is new the first new test throws; the second one holds there, too."""
    known = (
        "import assert from 'node:assert';\nimport test from 'tape';\n"
        "import * as price from '../price.js';\n\n"
        "test('discounted takes the percentage off the price', t => {\n"
        "  t.equal(price.discounted(200, 10), 180);\n  t.end();\n});\n"
    )
    rounded = (
        "test('whole cuts what is below one', t => {\n"
        "  assert.equal(price.whole(1.5), 1);\n  t.end();\n});\n"
    )
    named = f"test('{TITLE}', t => {{\n  t.%s;\n  t.end();\n}});\n"
    refuses = named % "throws(() => price.discounted(200, 101), /above 100/)"
    hollow = named % "equal(price.discounted(200, 100), 0)"
    whole = "\nexport function whole(price) {\n  return Math.floor(price);\n}\n"
    base = {
        "package.json": manifest("tape test/*.js", tape="^5"),
        "price.js": DISCOUNT,
        "test/price.js": known,
    }
    wrong = {"price.js": DISCOUNT + whole, "test/price.js": f"{known}{rounded}{hollow}"}
    till = open_folder(tmp_path, base)
    seen = till.judge(till.branch("wrong", wrong), task=TASK)
    assert seen.document.tests is not None, seen.markdown
    assert list(seen.document.tests.fail_to_pass) == ["test/price.js::whole cuts what is below one"]
    assert seen.conclusion == "action_required", seen.markdown
    right = {"price.js": REFUSING + whole, "test/price.js": f"{known}{rounded}{refuses}"}
    seen = till.judge(till.branch("right", right), task=TASK)
    assert seen.conclusion == "success", seen.markdown


BEFORE_MODULES = (
    "const assert = require('assert');\nconst price = require('../price');\n\n"
    "describe('discounted', function () {\n"
    "  it('takes the percentage off the price', function () {\n"
    "    assert.equal(price.discounted(200, 10), 180);\n  });\n"
)
REFUSAL = (
    "  it('refuses a percentage above 100 é', function () {\n"
    "    assert.throws(() => price.discounted(200, 101), /above 100/);\n  });\n"
)


def test_mocha_2_is_watched_on_a_node_of_its_time(tmp_path: Path) -> None:
    """Node 7 knows less of JavaScript than 8: Assay's own recorder asked for more."""
    more = '{"type": "commonjs", "engines": {"node": "7"}}'
    exported = "\nexports.discounted = discounted;\n"
    base: Files = {
        "package.json": manifest("mocha --check-leaks", more, mocha="2.4.5"),
        "price.js": DISCOUNT.replace("export ", "") + exported,
        "test/price.js": f"{BEFORE_MODULES}}});\n",
    }
    refusing = REFUSING.replace("export ", "") + exported
    change: Files = {"price.js": refusing, "test/price.js": f"{BEFORE_MODULES}{REFUSAL}}});\n"}
    seen = judged(tmp_path, base, change)
    assert seen.conclusion == "success", seen.markdown


STARTS_MOCHA = (
    "const fs = require('fs');\nconst Mocha = require('mocha');\nconst mocha = new Mocha({timeout: 9000});\n"
    "for (const name of fs.readdirSync('lib/tests')) mocha.addFile(`lib/tests/${name}`);\n"
    "mocha.run(failures => process.exit(failures));\n"
)


def test_what_a_program_gives_to_mocha_is_told_test_by_test(tmp_path: Path) -> None:
    """It was one test by its exit code, and beside it node ran mocha's own files, which need mocha."""
    exported = "\nexports.discounted = discounted;\n"
    inside = BEFORE_MODULES.replace("'../price", "'../../price")
    base: Files = {
        "package.json": manifest(
            "node test.js && node test.mjs", '{"type": "commonjs"}', mocha="^10"
        ),
        "price.js": DISCOUNT.replace("export ", "") + exported,
        "test.js": STARTS_MOCHA,
        "test.mjs": "import './price.js';\n",
        "lib/tests/price.test.js": f"{inside}}});\n",
    }
    refusing = REFUSING.replace("export ", "") + exported
    change: Files = {"price.js": refusing, "lib/tests/price.test.js": f"{inside}{REFUSAL}}});\n"}
    seen = judged(tmp_path, base, change)
    title = "discounted > refuses a percentage above 100 é"
    assert_shown_by(seen, f"lib/tests/price.test.js::{title}")
    assert "describe is not defined" not in repr(seen.document)


COLORED = (
    "const pc = require('picocolors');\nconst {{discounted}} = require('../price.js');\n\n"
    "test('a price is green', () => {{\n"
    "  expect(pc.green(discounted(8, 50))).toBe('\\u001b[32m4\\u001b[39m');\n}});\n"
    "{more}"
)
COLORED_ERROR = (
    "\ntest('an error is red', () => {\n  let said = '';\n"
    "  try { discounted(9, 101); } catch (error) { said = pc.red(error.message); }\n"
    "  expect(said).toBe('\\u001b[31mabove 100\\u001b[39m');\n});\n"
)


def test_colors_that_the_script_asks_for_are_printed(tmp_path: Path) -> None:
    """They were never: of jest-extended 331 tests failed on both sides, and could not tell of anything."""
    exported = "\nexports.discounted = discounted;\n"
    base: Files = {
        "package.json": manifest(
            "jest --color=true", '{"type": "commonjs"}', jest="^29", picocolors="^1"
        ),
        "price.js": DISCOUNT.replace("export ", "") + exported,
        "test/price.test.js": COLORED.format(more=""),
    }
    refusing = REFUSING.replace("export ", "") + exported
    change: Files = {"price.js": refusing, "test/price.test.js": COLORED.format(more=COLORED_ERROR)}
    seen = judged(tmp_path, base, change)
    assert_shown_by(seen, "test/price.test.js::an error is red")
    assert seen.document.tests and len(seen.document.tests.pass_to_pass) == 1


def test_a_new_file_that_the_script_names_is_run(tmp_path: Path) -> None:
    """Where base names single files, base's own line runs no other one."""
    head = manifest("mocha test.js && mocha test.more.js", mocha="^11")
    known = (
        "import assert from 'node:assert';\nimport {discounted} from './price.js';\n\n"
        "it('discounted takes the percentage off the price', () => {\n"
        "  assert.equal(discounted(200, 10), 180);\n});\n"
    )
    shown = (
        "import assert from 'node:assert';\nimport {discounted} from './price.js';\n\n"
        f"it('{TITLE}', () => {{\n  assert.throws(() => discounted(200, 101), /above 100/);\n}});\n"
    )
    base = {
        "package.json": manifest("mocha test.js", mocha="^11"),
        "price.js": DISCOUNT,
        "test.js": known,
    }
    seen = judged(
        tmp_path, base, {"package.json": head, "price.js": REFUSING, "test.more.js": shown}
    )
    assert_shown_by(seen, f"test.more.js::{TITLE}")


@pytest.mark.parametrize("is_of_code", [False, True], ids=["tests alone", "code, too"])
def test_a_package_of_the_tests_alone_excuses_and_proves_nothing(
    tmp_path: Path, is_of_code: bool
) -> None:
    """Its new version exports other names: no test can be loaded with the other side's packages."""
    known = (
        "import {assert} from 'simple-assert';\nimport {discounted} from '../price.js';\n\n"
        "it('discounted takes a percentage off', () => assert(discounted(200, 10) === 180));\n"
    )
    new = (
        f"it('{TITLE}', () => {{\n  let message = '';\n"
        "  try { discounted(200, 101); } catch (error) { message = error.message; }\n"
        "  assert(message.includes('above 100'));\n});\n"
    )
    used = "import * as checks from 'simple-assert';\nexport const known = checks;\n"
    own = used if is_of_code else ""

    def files(version: str, code: str, test: str) -> dict[str, str | None]:
        packages = {"mocha": "^9", "simple-assert": version}
        declared = manifest("mocha", json.dumps({"type": "module"}), **packages)
        return {"package.json": declared, "price.js": own + code, "test/price.js": test}

    base = files("^1", DISCOUNT, known.replace("{assert}", "assert"))
    seen = judged(tmp_path, base, files("^2", REFUSING, known + new))
    assert seen.document.tests is not None, seen.markdown
    verdicts = {row.id: row for row in seen.document.requirements}
    is_told = "fails with simple-assert 2." in verdicts["B2"].reason
    assert is_told is not is_of_code, seen.markdown
    assert ("expectation changed" in seen.markdown) is is_of_code
    if not is_of_code:
        assert list(seen.document.tests.fail_to_pass) == [f"test/price.js::{TITLE}"]
        assert verdicts["B2"].verdict == "unverified"
