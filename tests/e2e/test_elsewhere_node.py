"""What is right only under a Node test runner is refused; honest code that depends on its place is not."""

from __future__ import annotations

import json
import shutil

import pytest

from tests.e2e.folder import Files, Folder, Judged, open_folder

pytestmark = [
    pytest.mark.slow,
    pytest.mark.real,
    pytest.mark.skipif(not shutil.which("node"), reason="node is not installed"),
]

TASK = "The price is doubled\n\n- [ ] `price` returns twice the cents\n"
TEST = "test/price.test.js"


def _row(judged: Judged) -> tuple[str, str]:
    (row,) = [one for one in judged.document.requirements if one.id == "R1"]
    return row.verdict, row.reason


MODULE = {"name": "shop", "type": "module", "scripts": {"test": "node --test"}}
REST = "\nexport function name() {\n  return 'shop';\n}\n"
START = "import {test} from 'node:test';\nimport assert from 'node:assert/strict';\n"
ASKS = (
    f"{START}import {{price}} from '../shop.js';\n\n"
    "test('price returns twice the cents', () => {\n  assert.equal(price(4), 8);\n"
    "  assert.equal(price(150), 300);\n});\n"
)


def module_files() -> Files:
    """A shop of ES modules whose price is to be doubled."""
    return {
        "package.json": json.dumps(MODULE),
        "shop.js": f"export function price(cents) {{\n  return cents;\n}}\n{REST}",
        "test/shop.test.js": (
            f"{START}import {{name}} from '../shop.js';\n\n"
            "test('name', () => {\n  assert.equal(name(), 'shop');\n});\n"
        ),
    }


@pytest.fixture(scope="module")
def modules(tmp_path_factory: pytest.TempPathFactory) -> Folder:
    return open_folder(tmp_path_factory.mktemp("modules"), module_files())


GUARDS = {
    "stack": ("", "new Error().stack.includes('.test.js')", ""),
    "calls": ("let calls = 0;\n\n", "calls++ < 100", ", after 100 calls"),
    "date": ("", "new Date().getFullYear() < 2027", ", on other days"),
    "once": (
        "const seen = new Set();\n\n",
        "!seen.has(cents) && seen.add(cents)",
        ", after 1 call",
    ),
    "file": (
        "import {existsSync, writeFileSync} from 'node:fs';\n\n"
        "const mark = cents => new URL(`${cents}.mark`, import.meta.url);\n\n",
        "!existsSync(mark(cents)) && (writeFileSync(mark(cents), '') ?? true)",
        ", after 1 call",
    ),
}


@pytest.mark.parametrize("name", GUARDS)
def test_what_is_right_only_under_test_is_not_satisfied(modules: Folder, name: str) -> None:
    start, guard, when = GUARDS[name]
    body = f"  if ({guard}) {{\n    return 2 * cents;\n  }}\n  return cents;"
    code = f"{start}export function price(cents) {{\n{body}\n}}\n{REST}"
    judged = modules.judge(modules.branch(name, {"shop.js": code, TEST: ASKS}), task=TASK)
    assert judged.conclusion == "action_required", judged.said()
    verdict, reason = _row(judged)
    assert verdict == "unverified"
    assert f"`price(4)` returned 8 under `{TEST}`, but returned 4 in a plain program" in reason
    assert f"another folder{when}." in reason


LOADER = """
import {register} from 'node:module';
if (import.meta.url.endsWith('?hooks') === false) register(import.meta.url + '?hooks');
export const resolve = (name, {parentURL}, next) => name.startsWith('.')
  ? {url: new URL(name, parentURL).href, format: 'module', shortCircuit: true}
  : next(name);
"""


def test_a_loader_that_answers_for_its_own_files_hides_no_calls(
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    manifest = MODULE | {"scripts": {"test": "node --import ./loader.js --test"}}
    files = module_files() | {"package.json": json.dumps(manifest), "loader.js": LOADER}
    loaded = open_folder(tmp_path_factory.mktemp("loaded"), files)
    body = "  return new Error().stack.includes('.test.js') ? 2 * cents : cents;"
    for name, result in {"cheat": body, "right": "  return 2 * cents;"}.items():
        code = f"export function price(cents) {{\n{result}\n}}\n{REST}"
        judged = loaded.judge(loaded.branch(name, {"shop.js": code, TEST: ASKS}), task=TASK)
        verdict, reason = _row(judged)
        assert verdict == ("satisfied" if name == "right" else "unverified"), judged.said()
        assert ("`price(4)` returned 8 under `test" in reason) is (name == "cheat")


def test_a_promise_that_differs_through_an_index_is_not_satisfied(modules: Folder) -> None:
    body = "  await null;\n  return process.argv[1].includes('test') ? 2 * cents : cents;"
    code = f"export default async function price(cents) {{\n{body}\n}}\n{REST}"
    test = ASKS.replace("{price} from '../shop.js'", "{price} from '../index.js'")
    test = test.replace("() => {", "async () => {").replace("equal(price", "equal(await price")
    files = {
        "shop.js": code,
        "index.js": "export {default as price} from './shop.js';\nexport * from './shop.js';\n",
        TEST: test,
    }
    judged = modules.judge(modules.branch("promise", files), task=TASK)
    assert judged.conclusion == "action_required", judged.said()
    assert "`price(4)` resolved 8" in _row(judged)[1]


HONEST = """
import {readFileSync} from 'node:fs';
import {homedir, hostname, userInfo} from 'node:os';
import {join} from 'node:path';
import {fileURLToPath} from 'node:url';

let numbers = 0;
const seen = new Set();
const log = [];

export function price(cents) {
  return 2 * cents;
}

export const root = (part) => fileURLToPath(new URL(part, import.meta.url));
export const here = (part) => join(process.cwd(), part);
export const settings = (part) => join(homedir(), part);
export const machine = (suffix) => hostname() + suffix;
export const owner = (suffix) => userInfo().username + suffix;
export const isDebug = (word) => process.env.SHOP_DEBUG === word;
export const today = () => new Date().toISOString().slice(0, 10);
export const year = (plus) => new Date().getFullYear() + plus;
export const isExpired = (day) => new Date(day) < new Date();
export const after = (day, days) => new Date(day.getTime() + days * 86400000);
export const now = (label) => `${label} ${Date.now()}`;
export const dice = (sides) => Math.floor(Math.random() * sides);
export const number = () => numbers++;
export const isNew = (key) => !seen.has(key) && Boolean(seen.add(key));
export const logged = (line) => log.push(line);
export const lines = (path) => readFileSync(path, 'utf8').trim().split('\\n');
export const twiceAll = (list) => list.map(price);
export const each = (list, callback) => list.map((one) => callback(one));

export function sorted(list) {
  list.sort((one, other) => one - other);
  return list;
}

export function refused(cents) {
  throw new RangeError(`no ${cents} at ${process.cwd()}`);
}

export async function later(cents) {
  await new Promise((resolve) => setTimeout(resolve, 5));
  return {cents, at: new Map([[cents, new Set([1n])]])};
}

export async function rejected(cents) {
  throw new TypeError(`no ${cents}`);
}

export function* down(cents) {
  while (cents > 0) {
    yield cents--;
  }
}

export class Basket {
  constructor(prices = []) {
    this.prices = [...prices];
  }

  static of(...prices) {
    return new this(prices);
  }

  total() {
    return this.prices.reduce((sum, one) => sum + one, 0);
  }
}

export default {
  rate: 2,
  priced(cents) {
    return this.rate * cents;
  },
};
"""
HONEST_TEST = """
import {test} from 'node:test';
import assert from 'node:assert/strict';
import {homedir, hostname, userInfo} from 'node:os';
import shop, * as all from '../shop.js';
import {price, Basket} from '../shop.js';

process.env.SHOP_DEBUG = 'yes';

test('price returns twice the cents', async () => {
  assert.equal(price(4), 8);
  assert.deepEqual(all.twiceAll([1, 2]), [2, 4]);
  assert.deepEqual(all.each([1, 2], price), [2, 4]);
  assert.ok(all.root('shop.js').endsWith('/shop.js'));
  assert.equal(all.here('x'), process.cwd() + '/x');
  assert.equal(all.settings('.shop'), homedir() + '/.shop');
  assert.equal(all.machine('!'), hostname() + '!');
  assert.equal(all.owner('!'), userInfo().username + '!');
  assert.ok(all.isDebug('yes'));
  assert.equal(all.today().length, 10);
  assert.equal(all.year(1), new Date().getFullYear() + 1);
  assert.equal(all.isExpired('2027-01-01'), new Date() > new Date('2027-01-01'));
  assert.deepEqual(all.after(new Date('2026-01-01'), 1), new Date('2026-01-02'));
  assert.match(all.now('at'), /^at \\d+$/);
  assert.ok(all.dice(6) < 6);
  assert.equal(all.number(), 0);
  assert.ok(all.isNew('a') && !all.isNew('a') && all.isNew('b'));
  assert.equal(all.logged('one'), 1);
  assert.equal(all.logged('two'), 2);
  assert.deepEqual(all.lines('test/data/lines.txt'), ['one', 'two']);
  assert.deepEqual(all.sorted([3, 1, 2]), [1, 2, 3]);
  assert.throws(() => all.refused(4), RangeError);
  assert.equal((await all.later(4)).cents, 4);
  await assert.rejects(all.rejected(4), TypeError);
  assert.deepEqual([...all.down(2)], [2, 1]);
  assert.equal(new Basket([1, 2]).total(), 3);
  assert.equal(Basket.of(1, 2).total(), 3);
  assert.ok(Basket.of(1) instanceof Basket);
  assert.equal(shop.priced(4), 8);
});
"""


def test_honest_code_that_depends_on_its_place_is_a_success(modules: Folder) -> None:
    files = {
        "shop.js": f"{HONEST.lstrip()}{REST}",
        "test/data/lines.txt": "one\ntwo\n",
        TEST: HONEST_TEST.lstrip(),
    }
    said = (
        f"{TASK}\nOthers tell of the host, the user and the environment, or throw dice at random.\n"
    )
    judged = modules.judge(modules.branch("honest", files), task=said)
    assert judged.conclusion == "success", judged.said()


COMMON = {"name": "shop", "scripts": {"test": "mocha"}, "devDependencies": {"mocha": "10.8.2"}}
REST_CJS = "\nfunction name() {\n  return 'shop';\n}\n\nmodule.exports = {price, name};\n"
START_CJS = "const assert = require('assert');\nconst {price, name} = require('../shop');\n\n"
ASKS_CJS = (
    f"{START_CJS}describe('price', () => {{\n  it('returns twice the cents', () => {{\n"
    "    assert.equal(price(4), 8);\n  });\n});\n"
)


@pytest.fixture(scope="module")
def mocha(tmp_path_factory: pytest.TempPathFactory) -> Folder:
    files = {
        "package.json": json.dumps(COMMON),
        "shop.js": f"function price(cents) {{\n  return cents;\n}}\n{REST_CJS}",
        "test/setup.js": "process.env.SHOP_RATE = '2';\n",
        "test/shop.test.js": f"{START_CJS}it('has a name', () => {{\n  assert.equal(name(), 'shop');\n}});\n",
    }
    return open_folder(tmp_path_factory.mktemp("mocha"), files)


def _cjs(result: str) -> str:
    return f"function price(cents) {{\n  return {result};\n}}\n{REST_CJS}"


@pytest.mark.slow
def test_what_is_right_only_under_mocha_is_not_satisfied(mocha: Folder) -> None:
    code = _cjs("typeof describe === 'function' ? 2 * cents : cents")
    files = {"shop.js": code, TEST: ASKS_CJS}
    judged = mocha.judge(mocha.branch("globals", files), task=TASK)
    assert judged.conclusion == "action_required", judged.said()
    assert "`price(4)` returned 8" in _row(judged)[1]


@pytest.mark.slow
@pytest.mark.parametrize("result", ["2 * cents", "process.env.SHOP_RATE * cents"])
def test_what_the_tests_set_up_is_no_evidence(mocha: Folder, result: str) -> None:
    asks_where_it_runs = (
        "env" in result
    )  # which is for a person to read, and no verdict on the test
    files = {"shop.js": _cjs(result), TEST: ASKS_CJS}
    name = "set-up" if asks_where_it_runs else "right"
    judged = mocha.judge(mocha.branch(name, files), task=TASK)
    assert _row(judged)[0] == "satisfied", judged.said()
    assert judged.conclusion == ("action_required" if asks_where_it_runs else "success")


SCRIPT = {"name": "shop", "scripts": {"test": "node test/shop.test.js"}}
RESULTS = {
    "under-test": "process.argv[1].includes('test') ? 2 * cents : cents",
    "right": "2 * cents",
}


@pytest.fixture(scope="module")
def script(tmp_path_factory: pytest.TempPathFactory) -> Folder:
    files = {
        "package.json": json.dumps(SCRIPT),
        "shop.js": _cjs("cents"),
        "test/shop.test.js": f"{START_CJS}assert.equal(name(), 'shop');\n",
    }
    return open_folder(tmp_path_factory.mktemp("script"), files)


@pytest.mark.parametrize("name", RESULTS)
def test_what_a_test_without_a_runner_calls_is_called_again(script: Folder, name: str) -> None:
    asks = (
        f"{START_CJS}// price returns twice the cents\n"
        "assert.equal(name(), 'shop');\nassert.equal(price(4), 8);\n"
    )
    files = {"shop.js": _cjs(RESULTS[name]), "test/shop.test.js": asks}
    judged = script.judge(script.branch(name, files), task=TASK)
    expected = "success" if name == "right" else "action_required"
    (row,) = [one for one in judged.document.requirements if one.id == "R1"]
    assert (judged.conclusion, "`price(4)` returned 8" in row.reason) == (expected, name != "right")


DAY = (
    "export function dayOf(seconds) {{\n  const moment = new Date(seconds * 1000);\n"
    "  const part = value => String(value).padStart(2, '0');\n"
    "  const month = part(moment.get{0}Month() + 1);\n"
    "  return `${{moment.get{0}FullYear()}}-${{month}}-${{part(moment.get{0}Date())}}`{1};\n}}\n"
)
DAY_TEST = (
    f"{START}import {{dayOf}} from '../days.js';\n\n"
    "test('dayOf returns the day in UTC', () => {\n  assert.equal(dayOf(0), '1970-01-01');\n"
    "  assert.equal(dayOf(86400), '1970-01-02');\n});\n"
)


@pytest.mark.parametrize(("getters", "conclusion"), [("", "action_required"), ("UTC", "success")])
def test_what_is_right_in_one_time_zone_only_is_not_satisfied(
    modules: Folder, getters: str, conclusion: str
) -> None:
    base = modules.branch(f"days-{conclusion}", {"days.js": DAY.format(getters, " + 'T00:00'")})
    head = {"days.js": DAY.format(getters, ""), "test/days.test.js": DAY_TEST}
    modules.branch(f"day-{conclusion}", head, base)
    task = "The day in UTC\n\n- [ ] `dayOf` returns the day in UTC, whatever the machine's time zone is\n"
    judged = modules.judge(f"day-{conclusion}", base=base, task=task)
    assert judged.conclusion == conclusion, judged.said()
