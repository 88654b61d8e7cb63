"""Repositories of several projects: what the change can break elsewhere is run too, or B2 says it was not."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path

import pytest

from tests.e2e.folder import Files, Folder, Judged, open_folder

pytestmark = [pytest.mark.real, pytest.mark.slow]
needs_node = pytest.mark.skipif(
    shutil.which("node", path="/usr/local/bin:/usr/bin:/bin") is None,
    reason="node is not installed where the sandbox looks",
)

TASK = "Prices in cents\n\n- [ ] `price` returns whole cents\n"


def row(judged: Judged, id_: str) -> tuple[str, str]:
    """A requirement's verdict and reason."""
    found = next(one for one in judged.document.requirements if one.id == id_)
    return found.verdict, found.reason


def broken(judged: Judged) -> tuple[str, ...]:
    """The tests that make B2 unsatisfied."""
    found = next(one for one in judged.document.requirements if one.id == "B2")
    assert found.verdict == "unsatisfied"
    return found.tests


def ran(judged: Judged) -> dict[str, tuple[int, int]]:
    """How many tests were run by folder, on base and on head."""
    assert judged.document.tests is not None
    return {one.folder: (one.base, one.head) for one in judged.document.tests.folders}


# --- Python ----------------------------------------------------------------------------------


def manifest(name: str, *dependencies: str) -> str:
    return (
        '[build-system]\nrequires = ["setuptools"]\nbuild-backend = "setuptools.build_meta"\n'
        f'[project]\nname = "{name}"\nversion = "1"\ndependencies = {list(dependencies)}\n'
        f'[tool.setuptools]\npackages = ["{name}"]\n'
    )


PRICE = "def price(euros):\n    return float(euros)\n\n\ndef label():\n    return 'price'\n"
CENTS = PRICE.replace("float(euros)", "int(euros * 100)")
INVOICE = (
    "from shop_alpha.pricing import price\n\n\n"
    "def invoice(euros):\n    return f'{price(euros):.2f} EUR'\n"
)
PYTHON: Files = {
    "packages/alpha/pyproject.toml": manifest("shop_alpha"),
    "packages/alpha/shop_alpha/__init__.py": "",
    "packages/alpha/shop_alpha/pricing.py": PRICE,
    "packages/alpha/tests/test_label.py": (
        "from shop_alpha.pricing import label\n\n\ndef test_label():\n    assert label() == 'price'\n"
    ),
    "packages/beta/pyproject.toml": manifest("shop_beta", "shop_alpha"),
    "packages/beta/shop_beta/__init__.py": "",
    "packages/beta/shop_beta/invoices.py": INVOICE,
    "packages/beta/tests/test_invoices.py": (
        "from shop_beta.invoices import invoice\n\n\n"
        "def test_invoice():\n    assert invoice(2) == '2.00 EUR'\n"
    ),
    "packages/gamma/pyproject.toml": manifest("shop_gamma"),
    "packages/gamma/shop_gamma/__init__.py": "def colour():\n    return 'red'\n",
    "packages/gamma/tests/test_colour.py": (
        "from shop_gamma import colour\n\n\ndef test_colour():\n    assert colour() == 'red'\n"
    ),
}
NAMES = ("alpha", "beta", "gamma")
CENTS_TEST = (
    "from shop_alpha.pricing import price\n\n\n"
    "def test_price_returns_whole_cents():\n    assert repr(price(2)) == '200'\n"
)
BREAKING: Files = {
    "packages/alpha/shop_alpha/pricing.py": CENTS,
    "packages/alpha/tests/test_cents.py": CENTS_TEST,
}
MENDED: Files = {
    **BREAKING,
    "packages/beta/shop_beta/invoices.py": INVOICE.replace("price(euros)", "price(euros) / 100"),
}


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Folder:
    return open_folder(tmp_path_factory.mktemp("shop"), PYTHON)


def test_a_package_that_breaks_another_one_fails(shop: Folder) -> None:
    judged = shop.judge(shop.branch("breaking", BREAKING), task=TASK)
    assert judged.conclusion == "failure", judged.said()
    assert broken(judged) == ("packages/beta/tests/test_invoices.py::test_invoice",)
    assert "2 tests in packages/alpha/ and 1 in packages/beta/ were run" in row(judged, "B2")[1]
    assert ran(judged) == {"packages/alpha": (1, 2), "packages/beta": (1, 1)}


def test_two_packages_in_one_change_are_both_built_and_run(shop: Folder) -> None:
    judged = shop.judge(shop.branch("mended", MENDED), task=TASK)
    assert judged.conclusion == "success", judged.said()
    verdict, reason = row(judged, "B2")
    assert verdict == "satisfied"
    assert (
        "1 test in packages/alpha/ and 1 in packages/beta/ passed on base and pass on head"
        in reason
    )
    assert ran(judged) == {"packages/alpha": (1, 2), "packages/beta": (1, 1)}
    assert judged.document.tests is not None
    assert judged.document.tests.not_run == ()


def test_at_the_top_only_its_own_tests_are_run(tmp_path: Path) -> None:
    """tox there calls the tests of every package, more than are followed."""
    lines = [f"packages/{name}/tests{more}" for more in ("", " -k o") for name in NAMES]
    tox = "[testenv]\ncommands =\n" + "".join(f"  pytest {one}\n" for one in (*lines, "tools"))
    top = (
        "import sys\nsys.path.insert(0, 'packages/alpha')\n"
        "from shop_alpha.pricing import price\n\n\ndef test_top():\n    assert price(0) == 0\n"
    )
    folder = open_folder(tmp_path, {**PYTHON, "tox.ini": tox, "tools/test_top.py": top})
    judged = folder.judge(folder.branch("mended", MENDED), task=TASK)
    assert judged.conclusion == "success", judged.said()
    assert set(ran(judged)) == {"packages/alpha", "packages/beta", "tools"}


def test_files_of_one_name_are_run_folder_by_folder_and_mean_no_other_project(
    tmp_path: Path,
) -> None:
    """pytest refuses two `test_price.py` at once; `.pricing` and `conftest` are each project's own."""
    suite = (
        "from conftest import EUROS\nfrom {0} import price\n\n\n"
        "def test_{1}():\n    assert price(EUROS) == 2\n"
    )
    files: Files = {}
    for name in ("alpha", "gamma"):
        top, package = f"packages/{name}", f"shop_{name}"
        files[f"{top}/pyproject.toml"] = manifest(package)
        files[f"{top}/{package}/__init__.py"] = (
            "from .pricing import price\n\n__all__ = ['price']\n"
        )
        files[f"{top}/{package}/pricing.py"] = PRICE
        for kind in ("unit", "functional"):
            files[f"{top}/tests/{kind}/conftest.py"] = "EUROS = 2\n"
            files[f"{top}/tests/{kind}/test_price.py"] = suite.format(package, kind)
    changed = (
        "\n\ndef test_price_refuses_less_than_nothing():\n"
        "    with pytest.raises(ValueError):\n        price(-1)\n"
    )
    path = "packages/alpha/tests/unit/test_price.py"
    refusing = PRICE.replace(
        "    return float",
        "    if euros < 0:\n        raise ValueError(euros)\n    return float",
        1,
    )
    branch: Files = {
        "packages/alpha/shop_alpha/pricing.py": refusing,
        path: f"import pytest\n\n{files[path]}{changed}",
    }
    task = "`price` refuses less than nothing\n\n`price(-1)` should raise `ValueError`.\n"
    folder = open_folder(tmp_path, files)
    judged = folder.judge(folder.branch("refusing", branch), task=task)
    assert judged.conclusion == "success", judged.said()
    assert ran(judged) == {"packages/alpha": (2, 3)}


def test_a_package_that_nobody_uses_is_run_alone(shop: Folder) -> None:
    files = {"packages/gamma/shop_gamma/__init__.py": "def colour():\n    return str('red')\n"}
    judged = shop.judge(shop.branch("alone", files), task="Write it as text\n")
    verdict, reason = row(judged, "B2")
    assert verdict == "satisfied", judged.said()
    assert "1 test in packages/gamma/ passed on base and passes on head" in reason


def test_a_package_that_cannot_be_run_is_no_success(tmp_path: Path) -> None:
    needing = PYTHON["packages/beta/pyproject.toml"]
    assert isinstance(needing, str)
    needing = needing.replace('version = "1"', 'version = "1"\nrequires-python = ">=3.99"')
    folder = open_folder(tmp_path, {**PYTHON, "packages/beta/pyproject.toml": needing})
    judged = folder.judge(folder.branch("breaking", BREAKING), task=TASK)
    assert judged.conclusion == "action_required", judged.said()
    verdict, reason = row(judged, "B2")
    assert verdict == "unverified"
    assert "Only packages/alpha/ was run; packages/beta/ uses `price`" in reason
    assert "Python >= 3.99" in reason
    assert judged.document.tests is not None
    (left,) = judged.document.tests.not_run
    assert (left.folder, left.uses) == ("packages/beta", ("price",))


def test_a_package_that_loses_its_project_file_is_still_run(shop: Folder) -> None:
    files = {**BREAKING, "packages/beta/pyproject.toml": None}
    judged = shop.judge(shop.branch("hidden", files), task=TASK)
    assert judged.conclusion == "failure", judged.said()
    assert broken(judged) == ("packages/beta/tests/test_invoices.py::test_invoice",)


def test_a_renamed_package_that_others_need_does_not_build(shop: Folder) -> None:
    path = "packages/alpha/pyproject.toml"
    renamed = str(PYTHON[path]).replace('name = "shop_alpha"', 'name = "shop-alpha-of-nowhere"')
    judged = shop.judge(shop.branch("renamed", {path: renamed}), task="Rename the package\n")
    assert judged.conclusion == "failure", judged.said()
    verdict, reason = row(judged, "B1")
    assert verdict == "unsatisfied"
    assert "packages/beta builds on base, but not on head" in reason


def test_a_package_that_goes_is_no_success(shop: Folder) -> None:
    gone = {path: None for path in PYTHON if path.startswith("packages/beta/")}
    judged = shop.judge(shop.branch("gone", {**BREAKING, **gone}), task=TASK)
    assert judged.conclusion != "success", judged.said()


def test_a_configured_line_that_runs_one_package_is_no_success(tmp_path: Path) -> None:
    lines = (
        "setup:\n  install: pip install -e packages/alpha pytest\n  test: pytest packages/alpha\n"
    )
    folder = open_folder(tmp_path, {**PYTHON, ".github/assay.yml": lines})
    judged = folder.judge(folder.branch("breaking", BREAKING), task=TASK)
    assert judged.conclusion == "action_required", judged.said()
    assert "Only packages/alpha/ was run; packages/beta/ uses `price`" in row(judged, "B2")[1]


def test_configured_install_lines_install_every_package(tmp_path: Path) -> None:
    lines = "setup: {install: pip install -e packages/alpha -e packages/beta pytest}\n"
    folder = open_folder(tmp_path, {**PYTHON, ".github/assay.yml": lines})
    judged = folder.judge(folder.branch("mended", MENDED), task=TASK)
    assert judged.conclusion == "success", judged.said()
    assert ran(judged) == {"packages/alpha": (1, 2), "packages/beta": (1, 1)}


@pytest.mark.parametrize("line", ["make test", "cd packages/alpha && pytest"])
def test_a_configured_line_is_followed_to_its_runner(tmp_path: Path, line: str) -> None:
    lines = f"setup: {{install: pip install -e packages/alpha pytest, test: {line}}}\n"
    makefile = "test:\n\t@cd packages/alpha && python -m pytest -q\n"
    alone = {path: text for path, text in PYTHON.items() if "packages/alpha" in path}
    folder = open_folder(tmp_path, {**alone, "Makefile": makefile, ".github/assay.yml": lines})
    judged = folder.judge(folder.branch("good", BREAKING), task=TASK)
    assert judged.conclusion == "success", judged.said()
    assert ran(judged) == {"packages/alpha": (1, 2)}


def test_a_dependent_without_tests_that_load_is_said_to_be_not_run(tmp_path: Path) -> None:
    lost = "import nothing_that_exists\n\n\ndef test_invoice():\n    assert nothing_that_exists\n"
    folder = open_folder(tmp_path, {**PYTHON, "packages/beta/tests/test_invoices.py": lost})
    judged = folder.judge(folder.branch("breaking", BREAKING), task=TASK)
    assert judged.conclusion == "action_required", judged.said()
    reason = row(judged, "B2")[1]
    assert "Only packages/alpha/ was run; packages/beta/ uses `price` (none of its tests" in reason


@pytest.mark.parametrize(
    ("on_base", "on_head", "is_asked"),
    [("alpha", "alpha", False), ("alpha", "*", True), ("*", "alpha", True)],
)
def test_an_example_outside_of_uvs_workspace_has_the_published_package(
    tmp_path: Path, on_base: str, on_head: str, *, is_asked: bool
) -> None:
    def workspace(members: str) -> Files:
        return {"pyproject.toml": f"[tool.uv.workspace]\nmembers = ['packages/{members}']\n"}

    # `import pricing` is of a file beside it, and may be taken for the other package's.
    near = {
        "packages/beta/tests/pricing.py": "",
        "packages/beta/tests/test_near.py": "import pricing\n",
    }
    folder = open_folder(tmp_path, {**PYTHON, **workspace(on_base), **near})
    change = BREAKING if on_base == on_head else {**BREAKING, **workspace(on_head)}
    judged = folder.judge(folder.branch("breaking", change), task=TASK)
    assert (judged.conclusion == "success") is not is_asked, judged.said()
    assert ("packages/beta/ uses `price`" in judged.said()) is is_asked


@pytest.mark.parametrize("name", ["testutils.py", "test_more.py"])
def test_a_touched_folder_without_any_test_is_passed_over(tmp_path: Path, name: str) -> None:
    """A file that a runner would take for a test, and in which it found none, is looked at by a person."""
    tools: Files = {
        "packages/tools/requirements.txt": "",
        "packages/tools/make.py": "print('made')\n",
        f"packages/tools/{name}": "def compare(one, other):\n    return one == other\n",
    }
    folder = open_folder(tmp_path, {**PYTHON, **tools})
    head = folder.branch("with-tools", {**MENDED, "packages/tools/make.py": "print('made it')\n"})
    judged = folder.judge(head, task=TASK)
    is_passed = name == "testutils.py"
    assert judged.conclusion == ("success" if is_passed else "action_required"), judged.said()
    assert ("packages/tools" not in ran(judged)) is is_passed
    assert ("packages/tools/: On base there are no tests" in judged.said()) is not is_passed


def test_one_core_finds_what_two_find(tmp_path: Path, shop: Folder) -> None:
    allowed = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(allowed)})
    try:
        folder = open_folder(tmp_path, PYTHON)
        alone = folder.judge(folder.branch("slowly", MENDED), task=TASK)
    finally:
        os.sched_setaffinity(0, allowed)
    both = shop.judge(shop.branch("quickly", MENDED), task=TASK)
    assert alone.document.tests == both.document.tests
    assert alone.said() == both.said()


PROJECTS = """
projects:
  - path: packages/alpha
    setup: {install: "pip install -e . pytest", test: "python -m pytest -q tests"}
  - path: ./packages/beta/
    setup: {install: "pip install -e ../alpha -e . pytest"}
"""


def test_listed_projects_are_built_as_each_says(tmp_path: Path) -> None:
    folder = open_folder(tmp_path, {**PYTHON, ".github/assay.yml": PROJECTS})
    judged = folder.judge(folder.branch("breaking", BREAKING), task=TASK)
    assert judged.conclusion == "failure", judged.said()
    assert ran(judged) == {"packages/alpha": (1, 2), "packages/beta": (1, 1)}


@pytest.mark.parametrize(
    "path", ["packages/delta", "packages/link", "packages/alpha/pyproject.toml"]
)
def test_a_listed_project_that_is_no_folder_is_said_so(tmp_path: Path, path: str) -> None:
    lines = f"projects: [{{path: packages/alpha}}, {{path: {path}}}]\n".replace("alpha}", "gamma}")
    folder = open_folder(tmp_path, {**PYTHON, ".github/assay.yml": lines})
    (folder.repository.folder / "packages" / "link").symlink_to("beta")
    folder.repository.commit()
    judged = folder.judge(folder.branch("breaking", BREAKING), task=TASK)
    assert judged.conclusion == "action_required"
    assert "`projects[1].path` names no folder" in judged.said()


# --- Node ------------------------------------------------------------------------------------

NODE: Files = {
    "package.json": json.dumps({"private": True, "workspaces": ["packages/*"]}),
    "packages/alpha/package.json": json.dumps(
        {
            "name": "@shop/alpha",
            "version": "1.0.0",
            "type": "module",
            "exports": "./src/api.js",
            "scripts": {"test": "node --test"},
        }
    ),
    "packages/alpha/src/api.js": "export * from './pricing.js';\n",
    "packages/alpha/src/pricing.js": (
        "export function price(euros) {\n  return euros;\n}\n\n"
        "export function label() {\n  return 'price';\n}\n"
    ),
    "packages/alpha/test/label.test.js": (
        "import {test} from 'node:test';\nimport assert from 'node:assert/strict';\n"
        "import {label} from '../src/api.js';\n\n"
        "test('label', () => assert.equal(label(), 'price'));\n"
    ),
    "packages/beta/package.json": json.dumps(
        {
            "name": "@shop/beta",
            "version": "1.0.0",
            "type": "module",
            "scripts": {"test": "node --test"},
            "dependencies": {"@shop/alpha": "^1.0.0"},
        }
    ),
    "packages/beta/src/invoices.js": (
        "import {price} from '@shop/alpha';\n\n"
        "export function invoice(euros) {\n  return `${price(euros).toFixed(2)} EUR`;\n}\n"
    ),
    "packages/beta/test/invoices.test.js": (
        "import {test} from 'node:test';\nimport assert from 'node:assert/strict';\n"
        "import {invoice} from '../src/invoices.js';\n\n"
        "test('invoice', () => assert.equal(invoice(2), '2.00 EUR'));\n"
    ),
}
NODE_BREAKING: Files = {
    "packages/alpha/src/pricing.js": (
        "export function price(euros) {\n  return Math.round(euros * 100);\n}\n\n"
        "export function label() {\n  return 'price';\n}\n"
    ),
    "packages/alpha/test/cents.test.js": (
        "import {test} from 'node:test';\nimport assert from 'node:assert/strict';\n"
        "import {price} from '../src/api.js';\n\n"
        "test('price returns whole cents', () => assert.equal(price(2), 200));\n"
    ),
}


def _with_manager(name: str) -> Files:
    """The workspace as pnpm or yarn know it."""
    if name == "npm":
        return NODE
    top = {"private": True, "packageManager": {"pnpm": "pnpm@10.12.1", "yarn": "yarn@4.9.2"}[name]}
    beta = json.loads(str(NODE["packages/beta/package.json"]))
    beta["dependencies"] = {"@shop/alpha": "workspace:^"}
    files = {**NODE, "packages/beta/package.json": json.dumps(beta)}
    if name == "yarn":
        return {**files, "package.json": json.dumps({**top, "workspaces": ["packages/*"]})}
    members = "packages:\n  - 'packages/*'\n"
    return {**files, "package.json": json.dumps(top), "pnpm-workspace.yaml": members}


@needs_node
@pytest.mark.parametrize(
    "manager",
    [
        "npm",
        "pnpm",
        "yarn",
    ],
)
def test_a_package_of_a_workspace_that_breaks_another_one_fails(
    tmp_path: Path, manager: str
) -> None:
    folder = open_folder(tmp_path, _with_manager(manager))
    judged = folder.judge(folder.branch("breaking", NODE_BREAKING), task=TASK)
    assert judged.conclusion == "failure", judged.said()
    assert broken(judged) == ("packages/beta/test/invoices.test.js::invoice",)
    assert ran(judged) == {"packages/alpha": (1, 2), "packages/beta": (1, 1)}


@needs_node
def test_what_a_package_imports_of_its_workspace_is_built_first(tmp_path: Path) -> None:
    alpha = json.loads(str(NODE["packages/alpha/package.json"]))
    alpha["exports"] = "./dist/api.js"
    alpha["scripts"]["build"] = "node build.js"
    build = "import {cpSync} from 'node:fs';\ncpSync('src', 'dist', {recursive: true});\n"
    files = {"packages/alpha/package.json": json.dumps(alpha), "packages/alpha/build.js": build}
    folder = open_folder(tmp_path, {**NODE, **files})
    judged = folder.judge(folder.branch("breaking", NODE_BREAKING), task=TASK)
    assert judged.conclusion == "failure", judged.said()
    assert broken(judged) == ("packages/beta/test/invoices.test.js::invoice",)
    assert ran(judged) == {"packages/alpha": (1, 2), "packages/beta": (1, 1)}


@needs_node
def test_an_example_that_takes_the_published_package_is_not_asked(tmp_path: Path) -> None:
    folder = open_folder(tmp_path, {**NODE, "package.json": json.dumps({"private": True})})
    judged = folder.judge(folder.branch("cents", NODE_BREAKING), task=TASK)
    assert judged.conclusion == "success", judged.said()
    assert ran(judged) == {"packages/alpha": (1, 2)}
