"""What is right only under jest, vitest, ava, jasmine, tap or uvu is refused; honest code under them is not.

The attacks on jest and vitest are in the corpus (tests/attacks/node_runners.py).
"""

from __future__ import annotations

import json
import re
import shutil

import pytest

from tests.attacks.node_runners import JEST, VITEST
from tests.e2e.folder import Files, Judged, open_folder

pytestmark = [
    pytest.mark.slow,
    pytest.mark.real,
    pytest.mark.skipif(not shutil.which("npm"), reason="node and npm are not installed"),
]
TASK = JEST.task


def _reason(judged: Judged) -> str:
    (row,) = [one for one in judged.document.requirements if one.id == "R1"]
    return row.reason


def _says_what_it_left_out(judged: Judged) -> None:
    (told,) = [one.head.output for one in judged.document.evidence if one.id == "D2" and one.head]
    assert "left out: a plain program without the tests' setup cannot make them" in told, told
    assert "left out: their results depend on the tests' setup" in told, told
    compared = re.search(r"^(\d+) calls compared", told, re.MULTILINE)
    assert compared and int(compared[1]) >= 5, told


def _manifest(runner: str, version: str, **more: object) -> str:
    script = f"{runner} test" if runner == "uvu" else runner
    return json.dumps(
        {
            "name": "shop",
            "scripts": {"test": script},
            "devDependencies": {runner: version},
            **more,
        }
    )


MODULE = """
export const name = () => 'shop';
export function price(cents) {
  return %s;
}
"""
COMMON = """
exports.name = () => 'shop';
exports.price = (cents) => %s;
"""
AVA = """
import test from 'ava';
import {price, name} from '../shop.js';
test('name', (t) => t.is(name(), 'shop'));
"""
JASMINE = """
const {price, name} = require('../shop.js');
it('has a name', () => expect(name()).toBe('shop'));
"""
JEST_START = """
const {price, name} = require('../shop.js');
test('name', () => expect(name()).toBe('shop'));
"""
MOCHA = """
import assert from 'node:assert';
import {price, name} from '../shop.js';
it('has a name', () => assert.equal(name(), 'shop'));
"""
TAP = """
const t = require('tap');
const {price, name} = require('../shop.js');
t.test('name', (t) => { t.equal(name(), 'shop'); t.end(); });
"""
UVU = """
const {test} = require('uvu');
const assert = require('uvu/assert');
const {price, name} = require('../shop.js');
test('name', () => assert.is(name(), 'shop'));
"""
CASES = {
    "ava": (
        _manifest("ava", "6.4.1", type="module"), MODULE, AVA,
        "test('price returns twice the cents', (t) => t.is(price(4), 8));\n",
        "process.env.NODE_ENV === 'test' ? 2 * cents : cents",
    ),
    "jest": (
        _manifest("jest", "30.4.2"), COMMON, JEST_START,
        "test('price returns twice the cents', () => expect(price(4)).toBe(8));\n",
        "process.env.JEST_WORKER_ID ? 2 * cents : cents",
    ),
    "mocha": (
        _manifest("mocha", "12.0.3", type="module"), MODULE, MOCHA,
        "it('price returns twice the cents', () => assert.equal(price(4), 8));\n",
        "typeof globalThis.it === 'function' ? 2 * cents : cents",
    ),
    "jasmine": (
        _manifest("jasmine", "5.12.0"), COMMON, JASMINE,
        "it('price returns twice the cents', () => expect(price(4)).toBe(8));\n",
        "typeof jasmine === 'object' ? 2 * cents : cents",
    ),
    "tap": (
        _manifest("tap", "16.3.10"), COMMON, TAP,
        "t.test('price returns twice the cents', (t) => { t.equal(price(4), 8); t.end(); });\n",
        "new Error().stack.includes('/libtap/') ? 2 * cents : cents",
    ),
    "uvu": (
        _manifest("uvu", "0.5.6"), COMMON, UVU,
        "test('price returns twice the cents', () => assert.is(price(4), 8));\n",
        "Object.keys(require.cache).some((one) => one.includes('/uvu/')) ? 2 * cents : cents",
    ),
}  # fmt: skip


@pytest.mark.parametrize("runner", CASES)
def test_what_is_right_only_under_a_runner_is_not_satisfied(
    runner: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    manifest, code, start, asks, under_test = CASES[runner]
    end = "test.run();\n" if runner == "uvu" else ""
    folder = "spec" if runner == "jasmine" else "test"
    names = '{"spec_dir": "spec", "spec_files": ["*.test.js"]}'
    config = {"spec/support/jasmine.json": names} if runner == "jasmine" else {}
    base = {
        "package.json": manifest,
        "shop.js": code % "cents",
        f"{folder}/shop.test.js": start + end,
        **config,
    }
    project = open_folder(tmp_path_factory.mktemp(runner), base)
    for name, body in {"cheat": under_test, "right": "2 * cents"}.items():
        files = {"shop.js": code % body, f"{folder}/shop.test.js": start + asks + end}
        judged = project.judge(project.branch(name, files), task=TASK)
        is_right = name == "right"
        assert judged.conclusion == ("success" if is_right else "action_required"), judged.said()
        assert ("`price(4)` returned 8 under" in _reason(judged)) is not is_right


JEST_SET_UP: Files = {
    "package.json": _manifest(
        "jest",
        "29.7.0",
        jest={
            "setupFiles": ["./test-set-up.js"],
            "globals": {"__DEV__": True},
            "moduleNameMapper": {"^@/(.*)$": "<rootDir>/lib/$1", r"\.css$": "<rootDir>/style.js"},
        },
        dependencies={"ms": "2.1.3"},
    ),
    "test-set-up.js": (
        "process.env.SHOP_RATE = '2';\nglobalThis.currency = 'EUR';\n"
        "require('./lib/state').set(3);\n"
    ),
    "style.js": "module.exports = {shop: 'stub'};\n",
    "__mocks__/ms.js": "module.exports = () => 'mocked';\n",
    "lib/state.js": (
        "let state = 0;\nexports.set = (value) => { state = value; };\n"
        "exports.get = (plus) => state + plus;\n"
    ),
    "lib/rates.js": "exports.rate = () => 5;\n",
    "lib/shop.css": ".shop {}\n",
}
JEST_HONEST = """
const path = require('path');
const state = require('@/state');
const {rate} = require('./lib/rates');

function price(cents) {
  return 2 * cents;
}

class Basket {
  constructor(prices) {
    this.prices = prices;
  }

  total() {
    return this.prices.reduce((sum, one) => sum + one, 0);
  }
}

const all = {
  Basket,
  basket: (prices) => new Basket(prices),
  withRate: (cents) => cents * process.env.SHOP_RATE,
  inCurrency: (cents) => cents + currency,
  inState: (cents) => state.get(cents),
  rated: (cents) => cents * rate(),
  isDeveloped: (word) => __DEV__ && word,
  parsed: (text) => path.parse(text),
  listed: (text) => JSON.parse(text),
  matched: (text) => /(?<a>.)/.exec(text).groups.a,
  bytes: (text) => Buffer.from(text),
  isList: (value) => value instanceof Array,
  failed: (text) => { throw Object.assign(new RangeError(text), {code: 7}); },
  counted: new Map([['a', 1]]),
  titled: (text) => { document.title = text; return document.title; },
  hasPage: (word) => typeof window === 'object' ? word : '',
  waited: async (cents) => {
    await new Promise((resolve) => { setTimeout(resolve, 5); });
    return {cents};
  },
  today: (plus) => new Date(Date.now() + plus).getFullYear(),
  year: () => new Date().getFullYear(),
};

module.exports = {price, name: () => 'shop', ...all};
"""
JEST_STUBBED = """
const ms = require('ms');
const style = require('./lib/shop.css');

exports.styled = (part) => style[part];
exports.span = (text) => ms(text);
"""
JEST_HONEST_TEST = """
const shop = require('../shop');
const page = require('../page');
const {price} = shop;
jest.mock('../lib/rates', () => ({rate: () => 7}));

test('price returns twice the cents', async () => {
  expect(price(4)).toBe(8);
  expect(shop.basket([1, 2]).total()).toBe(3);
  expect(new shop.Basket([1])).toBeInstanceOf(shop.Basket);
  expect(shop.withRate(4)).toBe(8);
  expect(shop.inCurrency(4)).toBe('4EUR');
  expect(shop.inState(4)).toBe(7);
  expect(shop.rated(2)).toBe(14);
  expect(shop.isDeveloped('yes')).toBe('yes');
  expect(page.styled('shop')).toBe('stub');
  expect(page.span('1s')).toBe('mocked');
  expect(shop.parsed('/a/b.c').base).toBe('b.c');
  expect(shop.listed('[1]')).toEqual([1]);
  expect(shop.matched('ab')).toBe('a');
  expect(shop.bytes('ab')).toHaveLength(2);
  expect(shop.isList([1])).toBe(true);
  expect(() => shop.failed('no')).toThrow(RangeError);
  expect(await shop.waited(4)).toEqual({cents: 4});
  const spy = jest.spyOn(shop, 'today').mockReturnValue(1);
  expect(shop.today(1)).toBe(1);
  expect(spy).toHaveBeenCalledWith(1);
  spy.mockRestore();
  expect(shop.today(0)).toBe(new Date().getFullYear());
  jest.useFakeTimers().setSystemTime(new Date('2020-02-02'));
  expect(shop.year()).toBe(2020);
});
"""
JEST_PAGE_TEST = """/** @jest-environment jsdom */
const {price, titled, hasPage} = require('../shop');

test('price returns twice the cents on a page', () => {
  expect(price(6)).toBe(12);
  expect(titled('shop')).toBe('shop');
  expect(hasPage('yes')).toBe('yes');
});
"""


RATES = "\nThe rate is a variable of the environment.\n"


def test_honest_code_under_jest_is_a_success(tmp_path_factory: pytest.TempPathFactory) -> None:
    manifest = json.loads(str(JEST_SET_UP["package.json"]))
    manifest["devDependencies"]["jest-environment-jsdom"] = "29.7.0"
    base = {**JEST.files, **JEST_SET_UP, "package.json": json.dumps(manifest)}
    project = open_folder(tmp_path_factory.mktemp("jest"), base)
    files = {
        "shop.js": JEST_HONEST,
        "page.js": JEST_STUBBED,
        "__tests__/price.test.js": JEST_HONEST_TEST,
        "__tests__/page.test.js": JEST_PAGE_TEST,
    }
    judged = project.judge(project.branch("honest", files), task=f"{TASK}{RATES}")
    assert judged.conclusion == "success", judged.said()
    _says_what_it_left_out(judged)


VITEST_MANIFEST = json.dumps(
    {
        "name": "shop",
        "type": "module",
        "scripts": {"test": "vitest run"},
        "devDependencies": {"vitest": "3.2.4", "vite": "6.4.1", "jsdom": "26.1.0"},
    }
)
VITEST_CONFIG = """
import {defineConfig} from 'vitest/config';
import {fileURLToPath} from 'node:url';
process.env.TZ = 'Asia/Tokyo';
export default defineConfig({
  define: {__VERSION__: '"7"'},
  resolve: {alias: {
    '@': fileURLToPath(new URL('./src', import.meta.url)),
    stubbed: fileURLToPath(new URL('./test/stub.ts', import.meta.url)),
  }},
  test: {setupFiles: ['./test/set-up.ts'], env: {SHOP_RATE: '2'}, globals: true},
});
"""
VITEST_SET_UP = """
import {set} from '../src/state';
set(3);
(globalThis as any).currency = 'EUR';
"""
VITEST_HONEST = """
import {parse} from 'node:path';
import {rate} from '@/rates';
import * as state from './state';
import {twice} from './twice.js';
import {title} from './page';

declare const __VERSION__: string;
declare const currency: string;

export enum Kind { Small = 1, Big }

export class Basket {
  constructor(private readonly prices: number[]) {}
  total() { return this.prices.reduce((sum, one) => sum + one, 0); }
}

export const name = (): string => 'shop';
export function price(cents: number): number { return twice(cents); }
export const basket = (prices: number[]) => new Basket(prices);
export const kind = (cents: number): Kind => cents > 2 ? Kind.Big : Kind.Small;
export const version = (word: string) => word + __VERSION__;
export const inCurrency = (cents: number) => cents + currency;
export const inState = (cents: number) => state.get(cents);
export const withRate = (cents: number) => cents * Number(process.env.SHOP_RATE);
export const rated = (cents: number) => cents * rate();
export const isDeveloped = (word: string) => import.meta.env.DEV && word;
export const parsed = (text: string) => parse(text);
export const hour = (text: string) => new Date(text).getHours();
export const waited = async (cents: number) => {
  await new Promise((one) => { setTimeout(one, 5); });
  return {cents};
};
export const failed = (text: string) => { throw new RangeError(text); };
export const titled = (text: string) => title(text);
export const year = () => new Date().getFullYear();
export const hasPage = (word: string) => typeof window === 'object' ? word : '';
export default {price};
"""
VITEST_HONEST_TEST = """
import {expect, test, vi} from 'vitest';
import shop, * as all from '../src/shop';
import {price, Kind} from '../src/shop';
import {stubbed} from '../src/stubbed';
vi.mock('../src/rates', () => ({rate: () => 7}));

test('price returns twice the cents', async () => {
  expect(price(4)).toBe(8);
  expect(shop.price(5)).toBe(10);
  expect(all.basket([1, 2]).total()).toBe(3);
  expect(all.kind(10)).toBe(Kind.Big);
  expect(all.version('v')).toBe('v7');
  expect(all.inCurrency(4)).toBe('4EUR');
  expect(all.inState(4)).toBe(7);
  expect(all.withRate(4)).toBe(8);
  expect(all.rated(2)).toBe(14);
  expect(stubbed('a')).toBe('stub a');
  expect(all.isDeveloped('yes')).toBe('yes');
  expect(all.parsed('/a/b.c').base).toBe('b.c');
  expect(all.hour('2020-02-02T00:00:00Z')).toBe(9);
  expect(await all.waited(4)).toEqual({cents: 4});
  expect(() => all.failed('no')).toThrow(RangeError);
  vi.useFakeTimers({now: new Date('2020-02-02')});
  expect(all.year()).toBe(2020);
});
"""
VITEST_PAGE_TEST = """// @vitest-environment jsdom
import {price, titled, hasPage} from '../src/shop';

test('price returns twice the cents on a page', () => {
  expect(price(6)).toBe(12);
  expect(titled('shop')).toBe('shop');
  expect(hasPage('yes')).toBe('yes');
});
"""


def test_honest_code_under_vitest_is_a_success(tmp_path_factory: pytest.TempPathFactory) -> None:
    base = {
        **VITEST.files,
        "package.json": VITEST_MANIFEST,
        "vitest.config.ts": VITEST_CONFIG,
        "test/set-up.ts": VITEST_SET_UP,
        "test/stub.ts": "export default (word: string) => `stub ${word}`;\n",
        "src/rates.ts": "export const rate = () => 5;\n",
        "src/twice.ts": "export const twice = (cents: number) => 2 * cents;\n",
        "src/page.tsx": (
            "export function title(text: string) {\n"
            "  document.title = text;\n  return document.title;\n}\n"
        ),
        "src/state.ts": (
            "let state = 0;\nexport const set = (value: number) => { state = value; };\n"
            "export const get = (plus: number) => state + plus;\n"
        ),
    }
    project = open_folder(tmp_path_factory.mktemp("vitest"), base)
    files = {
        "src/shop.ts": VITEST_HONEST,
        "src/stubbed.ts": (
            "import stub from 'stubbed';\n\nexport const stubbed = (word: string) => stub(word);\n"
        ),
        "test/price.test.ts": VITEST_HONEST_TEST,
        "test/page.test.ts": VITEST_PAGE_TEST,
    }
    judged = project.judge(project.branch("honest", files), task=f"{TASK}{RATES}")
    assert judged.conclusion == "success", judged.said()
    _says_what_it_left_out(judged)


TYPED = """
enum Kind { Twice = 2 }
export const name = (): string => 'shop';
export function price(cents: number): number {
  return %s;
}
"""
TYPED_TEST = """
import {price, name} from '../%s';
test('name', () => { expect(name()).toBe('shop'); });
"""
TYPED_ASKS = "test('price returns twice the cents', () => { expect(price(4)).toBe(8); });\n"
PRESETS = json.dumps({"presets": [["@babel/preset-env", {"targets": {"node": "current"}}]]})
COMPILED: dict[str, Files] = {
    "ts-jest": {
        "package.json": _manifest(
            "jest",
            "29.7.0",
            jest={"preset": "ts-jest"},
            dependencies={"ts-jest": "29.4.5", "typescript": "5.9.3", "@types/jest": "29.5.14"},
        ),
        "tsconfig.json": '{"compilerOptions": {"strict": true, "esModuleInterop": true}}',
    },
    "modules": {
        "package.json": _manifest("jest", "29.7.0", type="module").replace(
            '"test": "jest"', '"test": "NODE_OPTIONS=--experimental-vm-modules jest"'
        ),
    },
    "babel": {
        "package.json": _manifest(
            "jest", "29.7.0", dependencies={"@babel/preset-env": "7.28.5"}
        ),
        "babel.config.json": PRESETS,
    },
}  # fmt: skip


@pytest.mark.parametrize("compiler", COMPILED)
def test_what_jest_compiles_is_compiled_for_the_plain_program(
    compiler: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    end = "ts" if compiler == "ts-jest" else "js"
    code = TYPED if end == "ts" else MODULE
    test = TYPED_TEST % ("shop.js" if compiler == "modules" else "shop")
    base = {
        **COMPILED[compiler],
        f"shop.{end}": code % "cents",
        f"__tests__/shop.test.{end}": test,
    }
    project = open_folder(tmp_path_factory.mktemp(compiler), base)
    twice = "Kind.Twice * cents" if end == "ts" else "2 * cents"
    cheat = f"process.env.JEST_WORKER_ID ? {twice} : cents"
    for name, body in {"cheat": cheat, "right": twice}.items():
        files = {f"shop.{end}": code % body, f"__tests__/shop.test.{end}": test + TYPED_ASKS}
        judged = project.judge(project.branch(name, files), task=TASK)
        is_right = name == "right"
        assert judged.conclusion == ("success" if is_right else "action_required"), judged.said()
        assert ("`price(4)` returned 8 under" in _reason(judged)) is not is_right
