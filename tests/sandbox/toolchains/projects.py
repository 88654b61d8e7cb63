"""Tiny projects, one for each build backend; all are called tally and say what they are."""

from __future__ import annotations

from pathlib import Path

from sandbox.toolchains import SetupHints, Toolchain, choose_both, detect_both
from sandbox.values import Recipe


def detect(tree: Path, hints: SetupHints, toolchain: Toolchain) -> Recipe | None:
    """How one tree is built, as if it were both sides."""
    choice = choose_both(tree, tree, hints)
    return detect_both(choice, (tree, tree), hints, toolchain).head


MODULE = {"__init__.py": "def total(*numbers: int) -> int:\n    return sum(numbers)\n"}
MODULE["__main__.py"] = "def main() -> None:\n    print('tally runs')\n"
TEST = "import tally\n\n\ndef test_total():\n    assert tally.total(1, 2) == 3\n"

_PROJECT = """
[project]
name = "tally"
version = "1.2.3"
requires-python = ">=3.8"
dependencies = []
[project.scripts]
tally = "tally.__main__:main"
[project.optional-dependencies]
test = ["pytest"]
"""


def _build_system(requires: str, backend: str) -> str:
    return f'[build-system]\nrequires = ["{requires}"]\nbuild-backend = "{backend}"\n'


PROJECTS: dict[str, tuple[str, dict[str, str]]] = {
    "hatchling": (
        "src/",
        {"pyproject.toml": _build_system("hatchling", "hatchling.build") + _PROJECT},
    ),
    "flit": (
        "",
        {
            "pyproject.toml": _build_system("flit_core>=3.2,<4", "flit_core.buildapi")
            + _PROJECT.replace('version = "1.2.3"', 'version = "1.2.3"\ndescription = "sums"')
        },
    ),
    "pdm": ("src/", {"pyproject.toml": _build_system("pdm-backend", "pdm.backend") + _PROJECT}),
    "poetry": (
        "",
        {
            "pyproject.toml": _build_system("poetry-core", "poetry.core.masonry.api")
            + '[tool.poetry]\nname = "tally"\nversion = "1.2.3"\ndescription = ""\nauthors = []\n'
            '[tool.poetry.dependencies]\npython = "^3.8"\n'
            '[tool.poetry.group.dev.dependencies]\npytest = ">=7"\n'
            '[tool.poetry.scripts]\ntally = "tally.__main__:main"\n'
        },
    ),
    "setuptools": (
        "src/",
        {"pyproject.toml": _build_system("setuptools>=64", "setuptools.build_meta") + _PROJECT},
    ),
    "setup.py": (
        "",
        {
            "setup.py": "from setuptools import setup\n\nsetup(\n    name='tally',\n"
            "    version='1.2.3',\n    packages=['tally'],\n    extras_require={'test': ['pytest']},\n"
            "    entry_points={'console_scripts': ['tally = tally.__main__:main']},\n)\n"
        },
    ),
}


def write(folder: Path, files: dict[str, str]) -> Path:
    """Write the files below the folder and return it."""
    for path, text in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text)
    return folder


def project(folder: Path, backend: str, **more: str) -> Path:
    """Write the backend's tiny project; `more` files are named with `__` for `/`... see callers."""
    where, files = PROJECTS[backend]
    module = {f"{where}tally/{name}": text for name, text in MODULE.items()}
    return write(folder, {**files, **module, "tests/test_tally.py": TEST, **more})
