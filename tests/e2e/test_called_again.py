"""What equal calls give: something else the second time, or one object for all, is asked about."""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping
from dataclasses import dataclass

import pytest

from tests.e2e.folder import Folder, open_folder

pytestmark = [pytest.mark.slow, pytest.mark.real]
needs_node = pytest.mark.skipif(not shutil.which("node"), reason="node is not installed")


@dataclass(frozen=True, slots=True)
class Change:
    """A demand, the code before and after, the new test, and what the reason says of the second call."""

    demand: str
    base: str
    head: str
    test: str
    why: str = ""


_WORDS = "def is_word(text):\n    return bool(text)\n"
_IS_WORD = "    assert is_word('ab')\n    assert not is_word('a1')\n"
_DEFAULTS = "def defaults():\n    return {'tags': ['new'], 'size': 10}\n"
_BLUE = "    assert defaults()['colour'] == 'blue'\n"
PYTHON = {
    "used-up": Change(
        "`is_word` accepts letters only",
        _WORDS,
        "LETTERS = iter('abcdefghijklmnopqrstuvwxyz')\n\n\n"
        "def is_word(text):\n    return bool(text) and all(one in LETTERS for one in text)\n",
        _IS_WORD,
        "when it is called once more",
    ),
    "letters": Change(
        "`is_word` accepts letters only",
        _WORDS,
        "LETTERS = 'abcdefghijklmnopqrstuvwxyz'\n\n\n"
        "def is_word(text):\n    return bool(text) and all(one in LETTERS for one in text)\n",
        _IS_WORD,
    ),
    "shared": Change(
        "`defaults` have the `colour` `blue`",
        _DEFAULTS,
        "DEFAULTS = {'tags': ['new'], 'size': 10, 'colour': 'blue'}\n\n\n"
        "def defaults():\n    return DEFAULTS\n",
        _BLUE,
        "the same one to all",
    ),
    "new": Change(
        "`defaults` have the `colour` `blue`",
        _DEFAULTS,
        _DEFAULTS.replace("10}", "10, 'colour': 'blue'}"),
        _BLUE,
    ),
    "counted": Change(
        "`number` gives the next number at each call",
        "def number():\n    return 0\n",
        "import itertools\n\n_NUMBERS = itertools.count(7)\n\n\ndef number():\n    return next(_NUMBERS)\n",
        "    assert number() == 7\n    assert number() == 8\n",
    ),
}
_IS_SLUG = "export function isSlug(text) {\n  return text.length > 0;\n}\n"
_SLUGS = "  assert.equal(isSlug('a-b'), true);\n  assert.equal(isSlug('A b'), false);\n"
_MADE = "export function defaults() {\n  return {tags: ['new'], size: 10};\n}\n"
_IS_BLUE = "  assert.equal(defaults().colour, 'blue');\n"
NODE = {
    "sticky": Change(
        "`isSlug` accepts lower-case letters and dashes only",
        _IS_SLUG,
        "const SLUG = /^[a-z0-9-]+$/g;\n\n"
        + _IS_SLUG.replace("text.length > 0", "SLUG.test(text)"),
        _SLUGS,
        "when it is called once more",
    ),
    "plain": Change(
        "`isSlug` accepts lower-case letters and dashes only",
        _IS_SLUG,
        "const SLUG = /^[a-z0-9-]+$/;\n\n" + _IS_SLUG.replace("text.length > 0", "SLUG.test(text)"),
        _SLUGS,
    ),
    "shared": Change(
        "`defaults` have the `colour` `blue`",
        _MADE,
        "const DEFAULTS = {tags: ['new'], size: 10, colour: 'blue'};\n\n"
        "export function defaults() {\n  return DEFAULTS;\n}\n",
        _IS_BLUE,
        "the same one to all",
    ),
    "new": Change(
        "`defaults` have the `colour` `blue`",
        _MADE,
        _MADE.replace("10}", "10, colour: 'blue'}"),
        _IS_BLUE,
    ),
}


NODE_PROJECT = {
    "package.json": json.dumps(
        {"name": "shop", "version": "1.0.0", "type": "module", "scripts": {"test": "node --test"}}
    ),
    "name.js": "export const name = 'shop';\n",
    "test/name.test.js": "import {test} from 'node:test';\nimport assert from 'node:assert/strict';\n"
    "import {name} from '../name.js';\n\ntest('name', () => {\n  assert.equal(name, 'shop');\n});\n",
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Folder:
    return open_folder(tmp_path_factory.mktemp("again"))


@pytest.fixture(scope="module")
def node_folder(tmp_path_factory: pytest.TempPathFactory) -> Folder:
    return open_folder(tmp_path_factory.mktemp("again"), NODE_PROJECT)


@pytest.mark.parametrize("name", PYTHON)
def test_equal_calls_in_python(folder: Folder, name: str) -> None:
    change = PYTHON[name]
    function = change.demand.split("`")[1]
    test = f"from again import {function}\n\n\ndef test_{_said(change)}():\n{change.test}"
    _assert_told(folder, name, change, {"again.py": change.base}, {"tests/test_again.py": test})


@needs_node
@pytest.mark.parametrize("name", NODE)
def test_equal_calls_in_javascript(node_folder: Folder, name: str) -> None:
    change = NODE[name]
    function = change.demand.split("`")[1]
    test = (
        "import {test} from 'node:test';\nimport assert from 'node:assert/strict';\n"
        f"import {{{function}}} from '../again.js';\n\ntest('{function}', () => {{\n{change.test}}});\n"
    )
    _assert_told(node_folder, name, change, {"again.js": change.base}, {"test/again.test.js": test})


def _said(change: Change) -> str:
    return "_".join(change.demand.replace("`", "").lower().split())


def _assert_told(
    folder: Folder, name: str, change: Change, base: Mapping[str, str], test: Mapping[str, str]
) -> None:
    start = folder.branch(f"{name}-start", base)
    head = dict.fromkeys(base, change.head)
    judged = folder.judge(
        folder.branch(name, {**head, **test}, start), start, f"Calls\n\n- [ ] {change.demand}\n"
    )
    if change.why:
        assert judged.conclusion == "action_required", judged.said()
        assert change.why in judged.said(), judged.said()
    else:
        assert judged.conclusion == "success", judged.said()
