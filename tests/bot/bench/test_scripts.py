"""JavaScript and TypeScript are spoiled where it can be understood, and only there."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from bot.bench.sabotage import Target
from bot.bench.scripts import broken, candidates, weakened

SOURCE = """\
import x from 'x';
/** function hidden() { return 1; } */
export function add(a: number, {b = 1}: {b?: number} = {}): number {
  return a + b;
}
const twice = (n: number) => { return n * 2; };
export const short = n => n + 1;
class Queue<T extends object> {
  #items = [];
  constructor(options) { if (options) { return this; } }
  async take(count: number): Promise<T[]> {
    return this.#items.slice(0, count);
  }
  clear() { this.#items = []; }
  * each() { yield 1; return 2; }
}
"""
TESTS = (
    "add(1); add(2); twice(1); twice(2); queue.take(1); queue.take(2); clear(); clear(); each each"
)
TEST = """\
import test from 'node:test';
describe('suite', () => {
  test('one', async () => {
    assert.equal(1, 2);
  });
  test('two', () => { assert.fail(); }, 1000);
  test('three', () => assert.fail());
});
"""


def targets(touched: dict[str, set[int]]) -> list[Target]:
    return list(candidates({"a.ts": SOURCE}, [TESTS], touched))


def test_functions_that_give_back_something_and_are_tested_are_targets() -> None:
    assert [one.name for one in targets({})] == ["add", "twice", "take"]
    assert [one.name for one in targets({"a.ts": {4, 12}})] == ["twice"]


def test_a_broken_function_gives_back_nothing() -> None:
    spoiled = broken(SOURCE, targets({})[0])
    assert "number {return undefined; \n  return a + b;" in spoiled
    assert len(spoiled.splitlines()) == len(SOURCE.splitlines())


def test_a_weakened_test_cannot_fail() -> None:
    spoiled = weakened(TEST, {"suite > one", "suite > two"})
    assert spoiled.count("try {") == spoiled.count("catch {}") == 2
    assert "test('three', () => assert.fail());" in spoiled
    assert weakened(TEST, {"another"}) == TEST


@pytest.mark.skipif(shutil.which("node") is None, reason="node is not installed")
def test_what_is_spoiled_can_still_be_loaded(tmp_path: Path) -> None:
    file = tmp_path / "a.mjs"
    file.write_text(weakened(TEST, {"one", "two", "suite"}))
    done = subprocess.run(["node", "--check", str(file)], capture_output=True, check=False)
    assert done.returncode == 0, done.stderr
