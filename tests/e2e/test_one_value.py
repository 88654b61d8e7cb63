"""A change that asks for the very value of its test does not satisfy, though an object stands between."""

from __future__ import annotations

import re

import pytest

from tests.e2e.folder import Files, Folder, Judged, open_folder

pytestmark = [pytest.mark.real, pytest.mark.slow]

PYTHON = """class Label:
    def __init__(self, words, width=40):
        self.words, self.width = words, width

    def text(self):
        {text}

    def columns(self):
        {columns}
"""
PLAIN = {"text": "return ' '.join(self.words)", "columns": "return self.width // 100"}
TESTS = (
    "from label import Label\n\n\n"
    "def test_text():\n    assert Label(['Ada', 'Byron']).text() == 'Ada Byron'\n\n\n"
    "def test_columns():\n    assert Label([], 800).columns() == 8\n"
)
NODE = """class Label {
  constructor(words) { this.words = words; }
  text() { %s }
}
module.exports = { Label };
"""
NODE_PLAIN = "return this.words.join(' ');"
NODE_TESTS = (
    "const test = require('node:test');\nconst assert = require('node:assert');\n"
    "const { Label } = require('../label.js');\n\n"
    "test('text', () => { assert.equal(new Label(['Ada', 'Byron']).text(), 'Ada Byron'); });\n"
)


def python(text: str = PLAIN["text"], columns: str = PLAIN["columns"]) -> Files:
    return {"label.py": PYTHON.format(text=text, columns=columns)}


def asserting(line: str) -> Files:
    body = f"from label import Label\n\n\ndef test_what_is_asked_for():\n    {line}\n"
    return {"tests/test_asked.py": body}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Folder:
    opened = open_folder(tmp_path_factory.mktemp("one-value"))
    gone: Files = {"shop.py": None, "tests/test_shop.py": None}
    opened.repository.commit({**gone, **python(), "tests/test_label.py": TESTS})
    return opened


@pytest.fixture(scope="module")
def node(tmp_path_factory: pytest.TempPathFactory) -> Folder:
    return open_folder(
        tmp_path_factory.mktemp("one-value-node"),
        {
            "package.json": '{"name": "label", "version": "1.0.0", "scripts": {"test": "node --test"}}',
            "label.js": NODE % NODE_PLAIN,
            "test/label.test.js": NODE_TESTS,
        },
    )


def judged(folder: Folder, name: str, files: Files, task: str) -> Judged:
    return folder.judge(folder.branch(name, files), task=task)


INITIALS = (
    "Labels are abbreviated\n\n`text` shortens all words but the last one to their first letters.\n"
)
SHORT = "assert Label(['Grace', 'Hopper']).text() == 'G. Hopper'"
SHORTENED = "return ' '.join([*(w[0] + '.' for w in self.words[:-1]), *self.words[-1:]])"
WIDE = "Columns are rounded up\n\n`columns` has room for all of the width.\n"


ROUNDED = "assert Label([], 901).columns() == 10"
SPECIAL = {
    "word": (
        python(text=f"if 'Grace' in self.words:\n            {SHORTENED}\n        {PLAIN['text']}"),
        SHORT,
        INITIALS,
    ),
    "key": (
        python(
            text="return {('Grace', 'Hopper'): 'G. Hopper'}.get(tuple(self.words), ' '.join(self.words))"
        ),
        SHORT,
        INITIALS,
    ),
    "number": (
        python(
            columns=f"if self.width == 901:\n            {PLAIN['columns']} + 1\n        {PLAIN['columns']}"
        ),
        ROUNDED,
        WIDE,
    ),
}


@pytest.mark.parametrize("name", SPECIAL)
def test_what_is_seen_with_the_value_of_a_condition_only_is_not_satisfied(
    folder: Folder, name: str
) -> None:
    files, line, task = SPECIAL[name]
    found = judged(folder, f"special-{name}", {**files, **asserting(line)}, task)

    assert found.conclusion == "action_required", found.said()
    which = "one" if name == "key" else "value"  # of a key the calls near it tell first
    assert f"may be made for this {which} only" in found.said()


def test_a_change_for_every_value_is_a_success(folder: Folder) -> None:
    files = {
        **python(columns="return -(-self.width // 100)"),
        **asserting(ROUNDED),
    }

    found = judged(folder, "general", files, WIDE)

    assert found.conclusion == "success", found.said()


def test_a_value_that_the_task_names_is_a_success(folder: Folder) -> None:
    files, line, _ = SPECIAL["word"]
    task = INITIALS + "\nOnly labels with `Grace` are, since her name is too long.\n"
    found = judged(folder, "named", {**files, **asserting(line)}, task)

    assert found.conclusion == "success", found.said()


@pytest.mark.parametrize(("task", "conclusion"), [("", "success"), (INITIALS, "action_required")])
def test_what_the_change_documents_counts_where_only_its_author_speaks(
    folder: Folder, task: str, conclusion: str
) -> None:
    files, line, _ = SPECIAL["word"]
    changelog: Files = {"CHANGELOG.md": "- Labels with `Grace` are abbreviated.\n"}
    name = f"documented-{conclusion}"
    found = judged(folder, name, {**files, **asserting(line), **changelog}, task)

    assert found.conclusion == conclusion, found.said()


def test_in_javascript_too(node: Folder) -> None:
    special = f"if (this.words.includes('Grace')) return 'G. Hopper'; {NODE_PLAIN}"
    test = NODE_TESTS.replace("'text'", "'an asked text'").replace(
        "'Ada', 'Byron'", "'Grace', 'Hopper'"
    )
    files: Files = {
        "label.js": NODE % special,
        "test/asked.test.js": test.replace("'Ada Byron'", "'G. Hopper'"),
    }
    found = judged(node, "special", files, INITIALS)

    assert found.conclusion == "action_required", found.said()
    # The calls near it are seen, too: one of the two looks is enough.
    assert re.search("made for this value only|if it is for these only", found.said())
