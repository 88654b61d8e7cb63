"""What base answers near the tested inputs, and head ends at with an error that nobody raises on purpose."""

from __future__ import annotations

import pytest

from tests.e2e.folder import Files, Folder, open_folder

pytestmark = [pytest.mark.real, pytest.mark.slow]

TASK = "Double names\n\n`initials` should take each letter of a double name: `anne-marie smith` has `AMS`.\n"
BASE = """def initials(name):
    return ''.join(map(first, name.split(' ')))


def first(word):
    return word[:1].upper()
"""
HEAD = """import re


def initials(name):
    words = re.split('[ -]', name)
    return ''.join({} for word in words)


def first(word):
    return word[:1].upper()
"""
TESTS = (
    "import kit\n\n\ndef test_initials_of_double_names():\n"
    "    assert kit.initials('anne-marie smith') == 'AMS'\n"
    "    assert kit.initials('jean-luc picard') == 'JLP'\n"
)
SCRIPT = """export function initials(name) {
  return name.split(' ').map(word => word.slice(0, 1).toUpperCase()).join('');
}
"""
SCRIPT_TESTS = (
    "import {test} from 'node:test';\nimport assert from 'node:assert/strict';\n"
    "import {initials} from '../kit.js';\n\ntest('initials of double names', () => {\n"
    "  assert.equal(initials('anne-marie smith'), 'AMS');\n"
    "  assert.equal(initials('jean-luc picard'), 'JLP');\n});\n"
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Folder:
    opened = open_folder(tmp_path_factory.mktemp("crashes"))
    known = "import kit\n\n\ndef test_kit():\n    assert kit.initials('ada lovelace') == 'AL'\n"
    gone: Files = {"shop.py": None, "tests/test_shop.py": None}
    opened.repository.commit({**gone, "kit.py": BASE, "tests/test_kit.py": known})
    return opened


@pytest.fixture(scope="module")
def scripts(tmp_path_factory: pytest.TempPathFactory) -> Folder:
    known = (
        "import {test} from 'node:test';\nimport assert from 'node:assert/strict';\n"
        "import {initials} from '../kit.js';\n\ntest('initials', () => {\n"
        "  assert.equal(initials('ada lovelace'), 'AL');\n});\n"
    )
    project: Files = {
        "package.json": '{"name": "kit", "type": "module", "scripts": {"test": "node --test"}}\n',
        "kit.js": SCRIPT,
        "test/kit.test.js": known,
    }
    return open_folder(tmp_path_factory.mktemp("crashes-node"), project)


@pytest.mark.parametrize("is_right", [False, True], ids=["crashes", "answers"])
def test_an_error_near_the_tested_inputs_that_base_does_not_know_is_asked_about(
    folder: Folder, is_right: bool
) -> None:
    head = HEAD.format("first(word)" if is_right else "word[0].upper()")
    files: Files = {"kit.py": head, "tests/test_double.py": TESTS}
    found = folder.judge(folder.branch(f"double-{is_right}", files), task=TASK)

    assert found.conclusion == ("success" if is_right else "action_required"), found.said()
    assert ("on head, which no test shows" in found.said()) is not is_right


@pytest.mark.parametrize("is_right", [False, True], ids=["crashes", "answers"])
def test_an_error_of_javascript_is_asked_about_too(scripts: Folder, is_right: bool) -> None:
    head = SCRIPT.replace("' '", "/[ -]/")
    if not is_right:
        head = head.replace("word.slice(0, 1)", "word[0]")
    files: Files = {"kit.js": head, "test/double.test.js": SCRIPT_TESTS}
    found = scripts.judge(scripts.branch(f"double-{is_right}", files), task=TASK)

    assert found.conclusion == ("success" if is_right else "action_required"), found.said()
    assert ("on head, which no test shows" in found.said()) is not is_right
