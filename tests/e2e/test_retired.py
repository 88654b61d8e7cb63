"""Tests that go with the function that they test, and tests that only seem to."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.e2e.folder import Files, Folder, open_folder
from tests.e2e.test_node import DISCOUNT, DISCOUNT_TEST, PRICE, TASK, TOTAL_TEST, pytestmark

__all__ = ["pytestmark"]

PLAIN = """
/** Return a text without marks. */
export function plain(text) {
  return text.replace('*', '');
}
"""
PLAIN_TEST = """import {test} from 'node:test';
import assert from 'node:assert/strict';
import {plain} from '../lib/text.js';

test('no marks are left', () => {
  assert.equal(plain('a*'), 'a');
});
"""
SHOWN = "export function shown(text) {\n  return `<${text}>`;\n}\n"
USING = "import {plain} from './lib/text.js';\nexport const label = (text) => plain(text);\n"
NOT_USING = "export const label = (text) => text.trim();\n"
LABEL_TEST = """import {test} from 'node:test';
import assert from 'node:assert/strict';
import {label} from '../label.js';

test('a label', () => {
  assert.equal(label('a'), 'a');
});
"""
BASE: Files = {
    "package.json": json.dumps(
        {
            "name": "till",
            "type": "module",
            "exports": {".": "./price.js"},
            "scripts": {"test": "node --test"},
        }
    ),
    "price.js": PRICE,
    "lib/text.js": SHOWN + PLAIN,
    "label.js": USING,
    "test/total.test.js": TOTAL_TEST,
    "test/text.test.js": PLAIN_TEST,
    "test/label.test.js": LABEL_TEST,
}
GOOD: Files = {"price.js": DISCOUNT, "test/discount.test.js": DISCOUNT_TEST}
GONE: Files = {**GOOD, "lib/text.js": SHOWN, "label.js": NOT_USING, "test/text.test.js": None}
OTHER_KEY = NOT_USING + "export const options = {plain: (text) => text, bare: (it) => it.plain};\n"


@pytest.fixture(scope="module")
def inner(tmp_path_factory: pytest.TempPathFactory) -> Folder:
    return open_folder(tmp_path_factory.mktemp("inner"), BASE)


@pytest.mark.parametrize("label", [NOT_USING, OTHER_KEY])
def test_a_test_may_go_with_an_internal_function(label: str, inner: Folder) -> None:
    name = f"gone-{len(label)}"
    judged = inner.judge(inner.branch(name, {**GONE, "label.js": label}), task=TASK)
    assert judged.conclusion == "success", judged.said()
    assert "went with `plain`, which nothing uses any more" in judged.said()


@pytest.mark.parametrize(
    ("name", "files"),
    [
        ("it-stays-and-is-broken", {"lib/text.js": SHOWN + PLAIN.replace("'*', ''", "'', ''")}),
        ("another-takes-it", {"label.js": USING.replace("plain(text)", "text")}),
        (
            "another-is-hidden-behind-it",
            {"lib/text.js": SHOWN.replace("<", "["), "test/shown.test.js": None},
        ),
    ],
)
def test_a_deleted_test_that_hides_something_fails(name: str, files: Files, tmp_path: Path) -> None:
    both = PLAIN_TEST.replace("{plain}", "{plain, shown}").replace(
        "plain('a*'), 'a'", "shown(plain('a*')), '<a>'"
    )
    folder = open_folder(tmp_path, {**BASE, "test/shown.test.js": both})
    kept = {} if "test/shown.test.js" in files else {"test/shown.test.js": None}
    if name == "it-stays-and-is-broken":
        kept = {**kept, "label.js": USING}
    judged = folder.judge(folder.branch(name, {**GONE, **kept, **files}), task=TASK)
    assert judged.conclusion == "failure", judged.said()


@pytest.mark.parametrize(
    ("name", "manifest", "task", "conclusion"),
    [
        ("unasked", {}, TASK, "action_required"),
        ("asked", {}, TASK.replace("price\n", "price; drop `plain`\n"), "success"),
        (
            "exported",
            {"exports": {".": "./price.js", "./text": "./lib/text.js"}},
            TASK,
            "action_required",
        ),
        ("said-to-be-internal", {"marked": True}, TASK, "success"),
    ],
)
def test_a_public_function_goes_only_where_it_is_asked(
    name: str, manifest: dict[str, object], task: str, conclusion: str, tmp_path: Path
) -> None:
    package = {"name": "till", "type": "module", "scripts": {"test": "node --test"}, **manifest}
    text = PLAIN.replace("marks. */", "marks. @internal */") if "marked" in manifest else PLAIN
    files = {"package.json": json.dumps(package), "lib/text.js": SHOWN + text}
    folder = open_folder(tmp_path, {**BASE, **files})
    judged = folder.judge(folder.branch(name, GONE), task=task)
    assert judged.conclusion == conclusion, judged.said()
    if conclusion == "action_required":
        assert "removes `plain`, which is public, with its tests" in judged.said()


LEFT: Files = {
    "lib/text.js": SHOWN + PLAIN.replace("export function plain", "function plain"),
    "label.js": NOT_USING,
    "test/text.test.js": None,
}
MIXED: Files = {**LEFT, "lib/text.js": SHOWN, "test/mixed.test.js": None}


@pytest.mark.parametrize(
    ("name", "files", "conclusion"),
    [
        ("gone", {**LEFT, "lib/text.js": SHOWN}, "success"),
        ("left", LEFT, "failure"),
        ("gone-in-a-mixed-test", MIXED, "action_required"),
        ("gone-with-others", {**LEFT, "lib/text.js": SHOWN, "test/total.test.js": None}, "failure"),
    ],
)
def test_a_demand_that_something_goes_is_met_where_it_is_gone(
    name: str, files: Files, conclusion: str, inner: Folder
) -> None:
    task = "Remove the deprecated `plain` function\n"
    both = PLAIN_TEST.replace("{plain}", "{plain, shown}").replace(
        "plain('a*'), 'a'", "shown(plain('a*')), '<a>'"
    )
    base = inner.branch(f"base-{name}", {"test/mixed.test.js": both} if files is MIXED else {})
    judged = inner.judge(inner.branch(f"removed-{name}", files, base), base=base, task=task)
    assert judged.conclusion == conclusion, judged.said()
    is_met = "Base's code has `plain`, and no code of head mentions it any more." in judged.said()
    assert is_met is (name != "left")
