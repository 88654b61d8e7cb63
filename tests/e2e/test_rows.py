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
        "changes what `test/rules.test.js::duplicate rules > a glob that overlaps` expects"
        in judged.said()
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


PARSED = """export function range(text) {
  return /^[\\dx]+(\\.[\\dx]+)*$/.test(text) ? text : undefined;
}
"""
REFUSED = PARSED.replace(
    "  return", "  if (/x\\.\\d/.test(text)) {\n    return null;\n  }\n\n  return"
)
TABLE = "export const rows = [\n  ['1.x', '1.x'],\n  ['2.1', '2.1'],\n];\n"
MORE = TABLE.replace("];", "  ['1.x.5', null],\n  ['x.1', null],\n];")
BY_TABLE = """import {it} from 'node:test';
import assert from 'node:assert/strict';
import {range} from '../range.js';
import {rows} from './fixtures/rows.js';

for (const [text, wanted] of rows) {
  it(`an x and a number in a range: ${text}`, () => { assert.equal(range(text), wanted); });
}
"""


def test_rows_of_another_file_belong_to_the_tests(tmp_path_factory: pytest.TempPathFactory) -> None:
    """A value that the task speaks of may stand where the tests read it."""
    base = {
        **BASE,
        "range.js": PARSED,
        "test/fixtures/rows.js": TABLE,
        "test/range.test.js": BY_TABLE,
    }
    folder = open_folder(tmp_path_factory.mktemp("ranges"), base)
    task = (
        "A number after an x should make a range invalid\n\nIn a range a number must not follow a wildcard: "
        "`1.x.5` and `x.1` are invalid. `range` should return null for them.\n"
    )
    for name, table, refused in (
        ("null", MORE, REFUSED),
        ("false", MORE.replace("null", "false"), REFUSED.replace("null", "false")),
    ):
        head = folder.branch(name, {"range.js": refused, "test/fixtures/rows.js": table})
        judged = folder.judge(head, task=task)
        (row,) = [one for one in judged.document.requirements if one.id == "R1"]
        assert (judged.conclusion == "success") is (name == "null"), judged.said()
        assert name != "null" or row.decided_by == "author's test", judged.said()
