"""With which settings Django's tests are run."""

from __future__ import annotations

from pathlib import Path

import pytest

from sandbox.toolchains import SetupHints, Toolchain
from sandbox.values import Recipe, TestRunner
from tests.sandbox.toolchains.projects import detect, write

TOOLS = Toolchain(python="3.11.2", uv="0.13.9")
SETUP = "from setuptools import setup\nsetup(name='shop', install_requires=['Django>=4'])\n"
TREE = {
    "setup.py": SETUP,
    "shop/__init__.py": "",
    "shop/tests.py": "from django.test import TestCase\nclass A(TestCase): ...\n",
    "shop/tests_settings.py": "SECRET_KEY = 'x'\n",
}
BY_DJANGO = ("--ds=shop.tests_settings", "--override-ini=python_files=test*.py")
NAMED = "DJANGO_SETTINGS_MODULE"


def recipe(tree: Path, **setup: str) -> Recipe:
    found = detect(tree, SetupHints(**setup), TOOLS)
    assert found is not None
    return found


def brings_plugin(found: Recipe) -> bool:
    return any("pytest-django" in word for argv in found.install for word in argv)


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("tox.ini", f"[testenv]\nsetenv =\n    {NAMED}=shop.tests_settings\ncommands = django-admin test\n"),
        ("tox.ini", "[testenv]\ncommands = django-admin test --settings=shop.tests_settings\n"),
        ("Makefile", "test:\n\tpython -m django test --settings shop.tests_settings\n"),
        ("noxfile.py", "session.run('django-admin', 'test', '--settings', 'shop.tests_settings')\n"),
        ("runtests.py", f"os.environ['{NAMED}'] = 'shop.tests_settings'\nr.run_tests(['shop'])\n"),
        (
            ".github/workflows/ci.yml",
            f"jobs:\n  t:\n    env:\n      {NAMED}: shop.tests_settings\n    steps:\n"
            "    - run: python manage.py test\n",
        ),
    ],
)  # fmt: skip
def test_tests_for_djangos_runner_get_its_settings(tmp_path: Path, path: str, text: str) -> None:
    tree = write(tmp_path, {**TREE, path: text})
    found = recipe(tree)
    assert (found.runner, found.test_arguments) == (TestRunner.PYTEST, BY_DJANGO)
    assert brings_plugin(found)
    assert any(f"because {path} runs them with Django." in one for one in found.reasons)
    assert not brings_plugin(recipe(tree, install="pip install ."))


def test_the_settings_of_manage_py_are_taken_where_it_is_called(tmp_path: Path) -> None:
    manage = f"os.environ.setdefault('{NAMED}', 'shop.tests_settings')\n"
    tree = write(tmp_path, {**TREE, "manage.py": manage})
    assert not brings_plugin(recipe(tree))
    write(tree, {"tox.ini": "[testenv]\ncommands = python manage.py test\n"})
    assert recipe(tree).test_arguments == BY_DJANGO


def test_settings_for_pytest_bring_the_plugin_that_reads_them(tmp_path: Path) -> None:
    settings = f"[tool:pytest]\n{NAMED} = shop.tests_settings\n"
    found = recipe(write(tmp_path, {**TREE, "setup.cfg": settings}))
    assert (found.runner, found.test_arguments) == (TestRunner.PYTEST, ())
    assert brings_plugin(found)


@pytest.mark.parametrize(
    "files",
    [
        {"tox.ini": f"[testenv]\nsetenv = {NAMED}=shop.gone\ncommands = django-admin test\n"},
        {"tox.ini": f"[testenv]\nsetenv = {NAMED}=shop.tests_settings\ncommands = pytest\n"},
        {
            "setup.py": SETUP.replace("Django>=4", "attrs"),
            "tox.ini": "[testenv]\ncommands = django-admin test --settings=shop.tests_settings\n",
        },
    ],
)
def test_nothing_is_added_without_settings_or_for_a_project_that_calls_pytest(
    tmp_path: Path, files: dict[str, str]
) -> None:
    assert not brings_plugin(recipe(write(tmp_path, {**TREE, **files})))
