"""Code that asks for truth where only nothing is meant: zero, false and "" come out as None does."""

from __future__ import annotations

import shutil

import pytest

from tests.e2e.folder import Folder, open_folder
from tests.e2e.test_called_again import NODE_PROJECT

pytestmark = [pytest.mark.slow, pytest.mark.real]
needs_node = pytest.mark.skipif(not shutil.which("node"), reason="node is not installed")

TASK = "None is written as text\n\n`field` should write nothing for None.\n"
PYTHON = "def field(row):\n    return 'x=' + str(row['value'])\n"
TEST = (
    "from fields import field\n\n\ndef test_field_writes_nothing_for_none():\n"
    "    assert field({'value': None}) == 'x='\n"
)
SCRIPT = "export function field(row) {\n  return 'x=' + String(row.value);\n}\n"
SCRIPT_TEST = (
    "import {test} from 'node:test';\nimport assert from 'node:assert/strict';\n"
    "import {field} from '../fields.js';\n\ntest('field writes nothing for null', () => {\n"
    "  assert.equal(field({value: null}), 'x=');\n});\n"
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Folder:
    return open_folder(tmp_path_factory.mktemp("fields"))


@pytest.fixture(scope="module")
def node_folder(tmp_path_factory: pytest.TempPathFactory) -> Folder:
    return open_folder(tmp_path_factory.mktemp("fields"), NODE_PROJECT)


@pytest.mark.parametrize(
    ("name", "written", "task", "conclusion"),
    [
        ("truth", "str(row['value'] or '')", TASK, "action_required"),
        ("none", "('' if row['value'] is None else str(row['value']))", TASK, "success"),
        ("asked", "str(row['value'] or '')", f"{TASK}\nZero is not written, either.\n", "success"),
    ],
)
def test_in_python(folder: Folder, name: str, written: str, task: str, conclusion: str) -> None:
    start = folder.branch(f"{name}-start", {"fields.py": PYTHON})
    code = PYTHON.replace("str(row['value'])", written)
    head = folder.branch(name, {"fields.py": code, "tests/test_fields.py": TEST}, start)
    judged = folder.judge(head, start, task)
    assert judged.conclusion == conclusion, judged.said()
    if conclusion != "success":
        assert (
            "`field(row={'value': 0})` returned 'x=0' on base and returned 'x=' on head"
            in judged.said()
        )


@needs_node
@pytest.mark.parametrize(
    ("name", "written", "conclusion"),
    [
        ("truth", "String(row.value || '')", "action_required"),
        ("null", "String(row.value ?? '')", "success"),
    ],
)
def test_in_javascript(node_folder: Folder, name: str, written: str, conclusion: str) -> None:
    start = node_folder.branch(f"{name}-start", {"fields.js": SCRIPT})
    code = SCRIPT.replace("String(row.value)", written)
    head = node_folder.branch(name, {"fields.js": code, "test/fields.test.js": SCRIPT_TEST}, start)
    judged = node_folder.judge(head, start, TASK.replace("None", "null"))
    assert judged.conclusion == conclusion, judged.said()
    if conclusion != "success":
        assert "as `field(" in judged.said()
