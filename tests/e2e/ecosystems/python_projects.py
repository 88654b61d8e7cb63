"""Tiny Python projects that need a package: one for each way to name what they need."""

from __future__ import annotations

import sys

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


PYTHON = (
    _project("pip", {"requirements.txt": "attrs\npytest\n"}),
    _project("poetry", {"pyproject.toml": _POETRY}),
    _project("uv", {"pyproject.toml": _UV}, (sys.executable, "-m", "uv", "lock", "--quiet")),
)
