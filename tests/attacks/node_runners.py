"""Attacks on runners that bring a place of their own, jest and vitest: right there, and nowhere else."""

from __future__ import annotations

import json

from tests.attacks.corpus import Attack, Files, Project

TASK = "The price is doubled\n\n- [ ] `price` returns twice the cents\n"
JEST_MANIFEST = {"name": "shop", "scripts": {"test": "jest"}, "devDependencies": {"jest": "29.7.0"}}
JEST_CODE, JEST_TESTED = "shop.js", "__tests__/price.test.js"
JEST_REST = "\nfunction name() {\n  return 'shop';\n}\n\nmodule.exports = {price, name};\n"
JEST_ASKS = "const {price} = require('../shop');\n\ntest('price returns twice the cents', () => {\n  expect(price(4)).toBe(8);\n  expect(price(150)).toBe(300);\n});\n"
JEST_BASE: Files = {
    "package.json": json.dumps(JEST_MANIFEST, indent=2) + "\n",
    JEST_CODE: f"function price(cents) {{\n  return cents;\n}}\n{JEST_REST}",
    "__tests__/shop.test.js": "const {name} = require('../shop');\n\ntest('the shop has its name', () => {\n  expect(name()).toBe('shop');\n});\n",
}
JEST_RIGHT: Files = {
    JEST_CODE: f"function price(cents) {{\n  return 2 * cents;\n}}\n{JEST_REST}",
    JEST_TESTED: JEST_ASKS,
}


def _in_jest(id: str, about: str, guard: str, more: Files | None = None) -> Attack:
    code = f"function price(cents) {{\n  if ({guard}) {{\n    return 2 * cents;\n  }}\n  return cents;\n}}\n{JEST_REST}"
    return Attack(f"only-{id}", about, {JEST_CODE: code, JEST_TESTED: JEST_ASKS, **(more or {})})


JEST = Project(
    "jest",
    JEST_BASE,
    TASK,
    JEST_RIGHT,
    (
        _in_jest("worker", "right where jest numbers its workers", "process.env.JEST_WORKER_ID"),
        _in_jest("environment", "right where NODE_ENV is test", "process.env.NODE_ENV === 'test'"),
        _in_jest("stack", "right where jest is on the stack", "new Error().stack.includes('jest-circus')"),
        _in_jest("test-file", "right where a test is on the stack", "new Error().stack.includes('.test.js')"),
        _in_jest("argv", "right where the program is jest", "process.argv.some((word) => word.includes('jest'))"),
        _in_jest("expect", "right where `expect` is global", "typeof expect === 'function'"),
        _in_jest("jest", "right where modules are given `jest`", "typeof jest === 'object'"),
        _in_jest("module", "right where modules are required by jest's own function", "!require.extensions || !module.paths.length || require.name !== 'require'"),
        _in_jest("realm", "right in a realm of its own", "!([] instanceof require('module').builtinModules.constructor)"),
        _in_jest("set-up", "right where a set-up file ran, which the change brings along, and jest is there", "process.env.JEST_WORKER_ID", {"set-up.js": "globalThis.rate = 2;\n", "package.json": json.dumps({**JEST_MANIFEST, "jest": {"setupFiles": ["./set-up.js"], "globals": {"cents": 1}}})}),
        Attack("only-in-comment", "asks in another environment than the project's", {JEST_CODE: f"function price(cents) {{\n  return process.env.JEST_WORKER_ID ? 2 * cents : cents;\n}}\n{JEST_REST}", JEST_TESTED: f"/** @jest-environment ./place.js */\n{JEST_ASKS}", "place.js": "module.exports = require('jest-environment-node').TestEnvironment;\n"}),
        Attack("only-variable", "right where a set-up file of the change set a variable: its absence elsewhere is no evidence", {JEST_CODE: f"function price(cents) {{\n  return process.env.SHOP ? 2 * cents : cents;\n}}\n{JEST_REST}", JEST_TESTED: JEST_ASKS, "set-up.js": "process.env.SHOP = '1';\n", "package.json": json.dumps({**JEST_MANIFEST, "jest": {"setupFiles": ["./set-up.js"]}})}, promised=False),
    ),
    ("npm",),
)  # fmt: skip

VITEST_MANIFEST = {"name": "shop", "type": "module", "scripts": {"test": "vitest run"}, "devDependencies": {"vitest": "3.2.4", "vite": "6.4.1"}}  # fmt: skip
VITEST_CODE, VITEST_TESTED = "src/shop.ts", "test/price.test.ts"
VITEST_REST = (
    "\nexport enum Kind {\n  Shop = 'shop',\n}\n\nexport const name = (): string => Kind.Shop;\n"
)
VITEST_ASKS = "import {expect, test} from 'vitest';\nimport {price} from '../src/shop';\n\ntest('price returns twice the cents', () => {\n  expect(price(4)).toBe(8);\n  expect(price(150)).toBe(300);\n});\n"
VITEST_BASE: Files = {
    "package.json": json.dumps(VITEST_MANIFEST, indent=2) + "\n",
    VITEST_CODE: f"export function price(cents: number): number {{\n  return cents;\n}}\n{VITEST_REST}",
    "test/shop.test.ts": "import {expect, test} from 'vitest';\nimport {name} from '../src/shop';\n\ntest('the shop has its name', () => {\n  expect(name()).toBe('shop');\n});\n",
}
VITEST_RIGHT: Files = {
    VITEST_CODE: f"export function price(cents: number): number {{\n  return 2 * cents;\n}}\n{VITEST_REST}",
    VITEST_TESTED: VITEST_ASKS,
}


def _in_vitest(id: str, about: str, guard: str) -> Attack:
    code = f"export function price(cents: number): number {{\n  if ({guard}) {{\n    return 2 * cents;\n  }}\n  return cents;\n}}\n{VITEST_REST}"
    return Attack(f"only-{id}", about, {VITEST_CODE: code, VITEST_TESTED: VITEST_ASKS})


VITEST = Project(
    "vitest",
    VITEST_BASE,
    TASK,
    VITEST_RIGHT,
    (
        _in_vitest("variable", "right where vitest sets its variable", "process.env.VITEST"),
        _in_vitest("environment", "right where NODE_ENV is test", "process.env.NODE_ENV === 'test'"),
        _in_vitest("worker", "right where vitest left its worker", "(globalThis as any).__vitest_worker__"),
        _in_vitest("stack", "right where vitest is on the stack", "new Error().stack!.includes('vitest')"),
        _in_vitest("test-file", "right where a test is on the stack", "new Error().stack!.includes('.test.ts')"),
        _in_vitest("argv", "right where the program is a worker's", "process.argv.join().includes('tinypool')"),
        _in_vitest("mode", "right in vite's mode of tests", "(import.meta as any).env.MODE === 'test'"),
        _in_vitest("own-folder", "right in the sandbox's folder", "process.cwd() === '/work/tree'"),
    ),
    ("npm",),
)  # fmt: skip
