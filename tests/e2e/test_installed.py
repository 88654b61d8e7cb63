"""What works in the developers' environment only is no build: users install the package alone."""

from __future__ import annotations

import json

import pytest

from tests.e2e.folder import Files, Folder, Judged, open_folder

pytestmark = [pytest.mark.real, pytest.mark.slow]

DECLARED = """[project]
name = 'vers'
version = '1'
requires-python = '>=3.9'
dependencies = []
[project.optional-dependencies]
test = ['pytest']
fast = ['iniconfig']
[build-system]
requires = ['setuptools']
build-backend = 'setuptools.build_meta'
[tool.setuptools]
packages = ['vers']
"""
PYTHON: Files = {
    "pyproject.toml": DECLARED,
    "vers/__init__.py": "def newest(versions):\n    return max(versions)\n",
    "vers/lists.py": "def last(items):\n    return items[-1]\n",
    "tests/test_vers.py": (
        "from vers import newest\n\n\ndef test_newest():\n    assert newest(['1.0', '1.1']) == '1.1'\n"
    ),
}
TEST = (
    "from vers import newest\n\n\ndef test_newest_compares_versions_by_their_numbers():\n"
    "    assert newest(['1.9', '1.10']) == '1.10'\n    assert newest(['2.0', '10.0', '9.5']) == '10.0'\n"
)
TASK = "Versions are compared as text\n\n- [ ] `newest` compares versions by their numbers\n"
BY_PACKAGE = "from packaging.version import Version\n\n\n"
BY_NUMBERS = "def newest(versions):\n    return max(versions, key=Version)\n"
KEY = "def Version(version):\n    return [int(part) for part in version.split('.')]\n"
OWN = {
    "vers/__init__.py": f"from vers.numbers.key import Version\n\n\n{BY_NUMBERS}",
    "vers/numbers/__init__.py": "",
    "vers/numbers/key.py": KEY,
}
WITH_DEPENDENCY = DECLARED.replace("dependencies = []", "dependencies = ['packaging']")
NAMED = DECLARED.replace("packages = ['vers']", "packages = ['vers', 'vers.numbers']")
FALLBACK = (
    "try:\n    from packaging.version import Version\nexcept ImportError:\n"
    "    def Version(version):\n        return [int(part) for part in version.split('.')]\n"
)
TABLE = (
    "import pathlib\n\n\ndef newest(versions):\n"
    "    table = pathlib.Path(__file__).with_name('order.txt').read_text().split()\n"
    "    return max(versions, key=lambda one: [int(part) for part in one.split(table[0])])\n"
)


@pytest.fixture(scope="module")
def python(tmp_path_factory: pytest.TempPathFactory) -> Folder:
    return open_folder(tmp_path_factory.mktemp("python"), PYTHON)


def builds(judged: Judged) -> tuple[str, str]:
    (row,) = [one for one in judged.document.requirements if one.id == "B1"]
    return row.verdict, row.reason


def test_a_package_that_only_the_tests_bring_is_to_be_declared(python: Folder) -> None:
    head = {"vers/__init__.py": BY_PACKAGE + BY_NUMBERS, "tests/test_numbers.py": TEST}
    judged = python.judge(python.branch("undeclared", head), task=TASK)
    assert judged.conclusion == "failure", judged.said()
    assert "`import vers` works on base and fails on head" in builds(judged)[1]
    assert "Add `packaging` to `dependencies`" in judged.said()
    (row,) = [one for one in judged.document.requirements if one.id == "B1"]
    (seen,) = [one for one in judged.document.evidence if one.id in row.evidence]
    assert seen.base
    assert seen.head
    assert "import vers: fine" in seen.base.output
    assert "No module named 'packaging'" in seen.head.output
    right = python.branch("declared", {**head, "pyproject.toml": WITH_DEPENDENCY})
    judged = python.judge(right, task=TASK)
    assert judged.conclusion == "success", judged.said()


def test_a_package_that_the_code_can_do_without_need_not_be_declared(python: Folder) -> None:
    files = {"vers/__init__.py": f"{FALLBACK}\n\n{BY_NUMBERS}", "tests/test_numbers.py": TEST}
    judged = python.judge(python.branch("fallback", files), task=TASK)
    assert builds(judged)[0] == "satisfied", judged.said()


def test_what_a_function_imports_is_declared_or_comes_with_an_extra(python: Folder) -> None:
    lazy = (
        "def newest(versions):\n    from packaging.version import Version\n\n"
        "    return max(versions, key=Version)\n"
    )
    head = {"vers/__init__.py": lazy, "tests/test_numbers.py": TEST}
    judged = python.judge(python.branch("lazy", head), task=TASK)
    assert judged.conclusion == "action_required", judged.said()
    assert (
        "`vers/__init__.py` imports what only the tests have, from `packaging`" in builds(judged)[1]
    )
    extra = DECLARED.replace("fast = ['iniconfig']", "fast = ['iniconfig', 'packaging']")
    judged = python.judge(python.branch("extra", {**head, "pyproject.toml": extra}), task=TASK)
    assert judged.conclusion == "success", judged.said()


def test_a_new_package_is_to_be_in_the_wheel(python: Folder) -> None:
    head = {**OWN, "tests/test_numbers.py": TEST}
    judged = python.judge(python.branch("left-out", head), task=TASK)
    assert judged.conclusion == "failure", judged.said()
    assert "No module named 'vers.numbers'" in builds(judged)[1]
    right = python.branch("named", {**head, "pyproject.toml": NAMED})
    assert python.judge(right, task=TASK).conclusion == "success"


def test_a_file_that_code_reads_is_to_be_in_the_wheel(python: Folder) -> None:
    head = {"vers/__init__.py": TABLE, "vers/order.txt": ".\n", "tests/test_numbers.py": TEST}
    judged = python.judge(python.branch("data", head), task=TASK)
    assert judged.conclusion == "action_required", judged.said()
    assert "the package does not contain `vers/order.txt`" in builds(judged)[1]
    data = f"{DECLARED}[tool.setuptools.package-data]\nvers = ['*.txt']\n"
    judged = python.judge(python.branch("with-data", {**head, "pyproject.toml": data}), task=TASK)
    assert judged.conclusion == "success", judged.said()


def manifest(**more: object) -> str:
    stated = {
        "name": "shop",
        "version": "1.0.0",
        "type": "module",
        "scripts": {"test": "node --test"},
    }
    return json.dumps(
        {**stated, "main": "index.js", "files": ["index.js", "lib"], **more}, indent=2
    )


PRICE = "export function price(cents) {\n  return %s;\n}\n"
NODE: Files = {
    "package.json": manifest(devDependencies={"twice": "file:./vendor/twice"}),
    "vendor/twice/package.json": json.dumps(
        {"name": "twice", "version": "1.0.0", "type": "module"}
    ),
    "vendor/twice/index.js": "export function twice(cents) {\n  return 2 * cents;\n}\n",
    "index.js": PRICE % "cents",
    "lib/round.js": "export function round(cents) {\n  return Math.round(cents);\n}\n",
    "test/round.test.js": (
        "import {test} from 'node:test';\nimport assert from 'node:assert/strict';\n"
        "import {round} from '../lib/round.js';\n\n"
        "test('round', () => {\n  assert.equal(round(1.6), 2);\n});\n"
    ),
}
PRICE_TEST = (
    "import {test} from 'node:test';\nimport assert from 'node:assert/strict';\n"
    "import {price} from '../index.js';\n\ntest('price returns twice the cents', () => {\n"
    "  assert.equal(price(4), 8);\n  assert.equal(price(150), 300);\n});\n"
)
DOUBLED = "The price is doubled\n\n- [ ] `price` returns twice the cents\n"
TWICE = {
    "index.js": "import {twice} from './rates/twice.js';\n\n" + PRICE % "twice(cents)",
    "rates/twice.js": "export function twice(cents) {\n  return 2 * cents;\n}\n",
    "test/price.test.js": PRICE_TEST,
}
CLOSED = {"index.js": PRICE % "2 * cents", "test/price.test.js": PRICE_TEST}


@pytest.fixture(scope="module")
def node(tmp_path_factory: pytest.TempPathFactory) -> Folder:
    return open_folder(tmp_path_factory.mktemp("node"), NODE)


def test_a_new_folder_is_to_be_published(node: Folder) -> None:
    judged = node.judge(node.branch("unpublished", TWICE), task=DOUBLED)
    assert judged.conclusion == "failure", judged.said()
    assert "`import('shop')` works on base and fails on head" in builds(judged)[1]
    stated = manifest(files=["index.js", "lib", "rates"])
    judged = node.judge(node.branch("published", {**TWICE, "package.json": stated}), task=DOUBLED)
    assert judged.conclusion == "success", judged.said()


def test_a_private_package_has_no_users(node: Folder) -> None:
    base = node.branch("private", {"package.json": manifest(private=True)})
    judged = node.judge(node.branch("inside", TWICE, start=base), base, task=DOUBLED)
    assert judged.conclusion == "success", judged.said()
    public = node.branch("secret", {**TWICE, "package.json": manifest(private=True)})
    assert builds(node.judge(public, task=DOUBLED))[0] == "unsatisfied"


def test_what_only_development_needs_is_not_there_for_users(node: Folder) -> None:
    code = "import {twice} from 'twice';\n\n" + PRICE % "twice(cents)"
    head = {"index.js": code, "test/price.test.js": PRICE_TEST}
    judged = node.judge(node.branch("development", head), task=DOUBLED)
    assert judged.conclusion == "failure", judged.said()
    assert "Cannot find package 'twice'" in builds(judged)[1]
    assert "Add `twice` to `dependencies`" in judged.said()
    stated = manifest(dependencies={"twice": "file:./vendor/twice"})
    judged = node.judge(node.branch("needed", {**head, "package.json": stated}), task=DOUBLED)
    assert builds(judged)[0] == "satisfied", judged.said()


def test_where_no_entry_is_named_users_load_what_lies_at_the_top(node: Folder) -> None:
    stated = manifest(
        main=None, files=["shop.js"], devDependencies={"twice": "file:./vendor/twice"}
    )
    files = {"package.json": stated, "shop.js": PRICE % "cents", "index.js": None}
    start = node.branch("no-entry", files)
    code = "import {twice} from 'twice';\n\n" + PRICE % "twice(cents)"
    test = PRICE_TEST.replace("../index.js", "../shop.js")
    head = node.branch("no-entry-head", {"shop.js": code, "test/price.test.js": test}, start)
    judged = node.judge(head, start, DOUBLED)
    assert judged.conclusion == "failure", judged.said()
    assert "Cannot find package 'twice'" in builds(judged)[1]


def test_what_exports_closes_is_for_a_person(node: Folder) -> None:
    shut = node.branch("shut", {**CLOSED, "package.json": manifest(exports="./index.js")})
    judged = node.judge(shut, task=DOUBLED)
    assert judged.conclusion == "action_required", judged.said()
    assert "Users of base can import `shop/lib/round.js`" in builds(judged)[1]
    exports = {".": "./index.js", "./lib/*": "./lib/*"}
    right = node.branch("open", {**CLOSED, "package.json": manifest(exports=exports)})
    judged = node.judge(right, task=DOUBLED)
    assert judged.conclusion == "success", judged.said()
