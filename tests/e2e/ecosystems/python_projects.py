"""Tiny Python projects that need a package: one for each way to name what they need."""

from __future__ import annotations

import sys
from dataclasses import replace

from sandbox.registry import Client
from tests.e2e.ecosystems.project import Files, Project

_ADD = "import attrs\n\n\n@attrs.frozen\nclass Sum:\n    value: int\n\n\n"
_ADD += "def add(a, b):\n    return Sum(a + b).value\n"
_TWICE = _ADD + "\n\ndef twice(a):\n    return add(a, a)\n"
_TEST = "import calc\n\n\ndef test_{name}():\n    assert calc.{call} == {want}\n"
_ADD_TEST = _TEST.format(name="add_returns_the_sum", call="add(2, 3)", want=5)
_TWICE_TEST = _TEST.format(name="twice_returns_double_the_number", call="twice(4)", want=8)

_POETRY = """\
[build-system]
requires = ["poetry-core"]
build-backend = "poetry.core.masonry.api"

[tool.poetry]
name = "calc"
version = "1.0.0"
description = ""
authors = []

[tool.poetry.dependencies]
python = "^3.8"
attrs = ">=22"

[tool.poetry.group.dev.dependencies]
pytest = ">=7"
"""
_UV = """\
[project]
name = "calc"
version = "1.0.0"
requires-python = ">=3.8"
dependencies = ["attrs"]

[dependency-groups]
dev = ["pytest"]

[tool.uv]
package = false
"""


def _project(name: str, more: Files, locked_by: tuple[str, ...] = ()) -> Project:
    twice = "tests/test_twice.py"
    return Project(
        name=name,
        programs=("python3",),
        registry=Client.PIP,
        is_slow=True,
        start={"calc.py": _ADD, "tests/test_add.py": _ADD_TEST, **more},
        good={"calc.py": _TWICE, twice: _TWICE_TEST},
        bad={"calc.py": _ADD.replace("a + b", "a - b")},
        proof=f"{twice}::test_twice_returns_double_the_number",
        broken="tests/test_add.py::test_add_returns_the_sum",
        locked_by=locked_by,
    )


_LOCK = '[[package]]\nname = "attrs"\nversion = "22.2.0"\ndescription = ""\n'
_LOCKED = "from importlib.metadata import version\n\nassert version('attrs') == '22.2.0'\n"
_SETTINGS = """\
SECRET_KEY = "x"
DATABASES = {"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": ":memory:"}}
INSTALLED_APPS = ["django.contrib.contenttypes", "django.contrib.auth"]
"""
_DJANGO: Files = {
    "requirements.txt": "attrs\nDjango\n",
    "tox.ini": "[testenv]\nsetenv =\n    DJANGO_SETTINGS_MODULE=settings\ncommands = django-admin test\n",
    "settings.py": _SETTINGS,
    "tests/__init__.py": "",
    "tests/tests.py": (
        "from django.contrib.auth.models import User\nfrom django.test import TestCase\n\nimport calc\n\n\n"
        "class SumTest(TestCase):\n    def test_sum_of_users(self):\n"
        "        User.objects.create(username='one')\n"
        "        assert calc.add(User.objects.count(), 3) == 4\n"
    ),
}
PYTHON = (
    _project("pip", {"requirements.txt": "attrs\npytest\n"}),
    _project("poetry", {"pyproject.toml": _POETRY}),
    _project(
        "poetry-lock",
        {"pyproject.toml": _POETRY, "poetry.lock": _LOCK, "tests/conftest.py": _LOCKED},
    ),
    replace(_project("django", _DJANGO), broken="tests/tests.py::SumTest::test_sum_of_users"),
    _project("uv", {"pyproject.toml": _UV}, (sys.executable, "-m", "uv", "lock", "--quiet")),
)
