"""Rows of a table of tests: one that is replaced is an edited expectation, one that is dropped is not."""

from __future__ import annotations

import json

import pytest

from tests.e2e.folder import Files, Folder, open_folder
from tests.e2e.test_node import pytestmark

__all__ = ["pytestmark"]

RULES = """export function errors(groups) {
  const seen = groups.flat(){expanded};
  return seen.length === new Set(seen).size ? '' : 'defined twice';
}
export function total(prices) {
  return prices.reduce((sum, price) => sum + price, 0);
}
"""
OLD = RULES.replace("{expanded}", "")
NEW = RULES.replace(
    "{expanded}", ".flatMap((one) => one === 'p-*' ? ['p-a', 'p-b'] : [one]).sort()"
)
TESTS = """import {describe, it} from 'node:test';
import assert from 'node:assert/strict';
import {errors, total} from '../rules.js';

const tests = {each: (rows) => (title, run) =>
  rows.forEach((row) => it(title.replace('$name', row.name), () => run(row)))};

describe('duplicate rules', () => {
  const rows = [
    {name: 'plain', groups: [['a'], ['a']], wanted: 'defined twice'},
    {name: 'a lone glob', groups: [['p-*'], ['p-a']], wanted: ''},
  ];
  tests.each(rows)('$name', ({groups, wanted}) => {
    assert.equal(errors(groups), wanted);
  });
});
describe('sums', () => {
  tests.each([{name: 'of two', prices: [1, 2], sum: 3}, {name: 'of none', prices: [], sum: 0}])(
    'total $name', ({prices, sum}) => { assert.equal(total(prices), sum); });
});
"""
LONE = "{name: 'a lone glob', groups: [['p-*'], ['p-a']], wanted: ''},"
OVERLAPS = "{name: 'a glob that overlaps', groups: [['p-*'], ['p-a']], wanted: 'defined twice'},"
ASKED = "Expand globs\n\n- [ ] duplicate rules expand a lone glob\n"
UNASKED = "Tell more clashes\n\n- [ ] `errors` tells them\n"
BASE: Files = {
    "package.json": json.dumps(
        {"name": "rules", "type": "module", "scripts": {"test": "node --test"}}
    ),
    "rules.js": OLD,
    "test/rules.test.js": TESTS,
}


@pytest.fixture(scope="module")
def rules(tmp_path_factory: pytest.TempPathFactory) -> Folder:
    return open_folder(tmp_path_factory.mktemp("rules"), BASE)


def test_a_replaced_row_asks_a_person_unless_it_is_named(rules: Folder) -> None:
    head = rules.branch(
        "replaced", {"rules.js": NEW, "test/rules.test.js": TESTS.replace(LONE, OVERLAPS)}
    )
    judged = rules.judge(head, task=UNASKED)
    assert judged.conclusion == "action_required", judged.said()
    assert (
        "changes what `test/rules.test.js::duplicate rules > a lone glob` expects" in judged.said()
    )
    judged = rules.judge(head, task=ASKED)
    assert judged.conclusion == "success", judged.said()


@pytest.mark.parametrize(
    ("name", "rules_js", "before", "after"),
    [
        ("dropped", NEW, LONE, ""),
        ("replaced-in-another-table", NEW.replace("+ price", "+ 2 * price"), LONE, OVERLAPS),
        ("passes-with-any-code", NEW, LONE, "{name: 'a word', groups: [['x']], wanted: ''},"),
    ],
)
def test_a_row_that_goes_and_hides_a_break_fails(
    rules: Folder, name: str, rules_js: str, before: str, after: str
) -> None:
    tests = TESTS.replace(before, after)
    if name == "replaced-in-another-table":
        tests = tests.replace("{name: 'of two', prices: [1, 2], sum: 3}, ", "")
    head = rules.branch(name, {"rules.js": rules_js, "test/rules.test.js": tests})
    judged = rules.judge(head, task=UNASKED)
    assert judged.conclusion == "failure", judged.said()
