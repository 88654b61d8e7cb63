"""Generated projects to judge, and the same installs and test runs done by hand."""

from __future__ import annotations

import subprocess
import sys
import sysconfig
from dataclasses import dataclass
from pathlib import Path

from tests.sandbox.repositories import Repository

TASK = "The price is doubled\n\n- [ ] `price` returns twice the cents\n"
_PYPROJECT = """[build-system]
requires = ["setuptools>=77"]
build-backend = "setuptools.build_meta"

[project]
name = "shop"
version = "1.0"
dependencies = ["click", "requests", "jinja2"]

[dependency-groups]
test = ["pytest"]
"""
_BEFORE = "def price(cents):\n    return cents\n"
_AFTER = "def price(cents):\n    return 2 * cents\n"
_NEW_TEST = (
    "from shop import price\n\n\ndef test_price_is_twice_the_cents():\n    assert price(4) == 8\n"
)
_SLOW = """import hashlib
import time

import pytest


@pytest.mark.parametrize("number", range({count}))
def test_sums(number):
    time.sleep({sleep_s})
    hashlib.pbkdf2_hmac("sha256", b"shop", bytes([number]), {rounds})
"""
_BY_HAND = """set -e
side() {{
    mkdir $1 && git -C {repository} archive $2 | tar -x -C $1
    {uv} pip install -q --python {venv}/$1/bin/python --no-deps --reinstall ./$1
    (cd $1 && {venv}/$1/bin/python -m pytest -q -p no:cacheprovider > ../$1.log)
}}
side base {base} & first=$!
side head {head} & second=$!
wait $first; wait $second
{ruff} check -q --isolated --exit-zero base/src head/src > ruff.log
cp head/tests/test_price.py base/tests/
(cd base && {venv}/base/bin/python -m pytest -q -p no:cacheprovider tests/test_price.py > ../new.log) || true
"""


@dataclass(frozen=True, slots=True)
class Size:
    """How many tests a generated suite has, and what each does."""

    count: int
    sleep_s: float
    rounds: int


TINY = Size(3, 0.0, 1)
SLOW = Size(100, 0.17, 40_000)  # about 20 seconds


class Project:
    """A repository whose pull requests all make the same right change, each on its own base."""

    def __init__(self, folder: Path, size: Size) -> None:
        self._folder = folder
        self.repository = Repository(folder / "repository")
        suite = _SLOW.format(count=size.count, sleep_s=size.sleep_s, rounds=size.rounds)
        self.repository.commit(
            {
                "pyproject.toml": _PYPROJECT,
                "src/shop/__init__.py": _BEFORE,
                "tests/test_sums.py": suite,
            }
        )
        self.task = folder / "task.md"
        self.task.write_text(TASK)
        self._bases = 0

    def new_base(self) -> str:
        """Commit on main, as every merge does, and return the sha."""
        self._bases += 1
        self.repository.git("checkout", "--quiet", "main")
        return self.repository.commit({"CHANGES.md": f"{self._bases}\n"})

    def pull_request(self, base: str) -> str:
        """Make the right change on a base and return its sha."""
        self.repository.git("checkout", "--quiet", "--detach", base)
        return self.repository.commit(
            {"src/shop/__init__.py": _AFTER, "tests/test_price.py": _NEW_TEST}, f"Double on {base}"
        )

    def by_hand(self, venv: Path, base: str, head: str) -> list[str]:
        """Return the command that does by hand what a judge must at least do, both sides at once."""
        line = _BY_HAND.format(
            repository=self.repository.folder,
            venv=venv,
            base=base,
            head=head,
            uv=_program("uv"),
            ruff=_program("ruff"),
        )
        return ["sh", "-c", line]

    def prepare_by_hand(self, venv: Path) -> None:
        """Make one environment a side with all dependencies; not part of what is measured."""
        uv = _program("uv")
        for side in ("base", "head"):
            where = str(venv / side)
            subprocess.run([uv, "venv", "-q", "--python", sys.executable, where], check=True)
            wanted = ("click", "requests", "jinja2", "pytest", "setuptools>=77")
            install = [uv, "pip", "install", "-q", "--python", f"{where}/bin/python", *wanted]
            subprocess.run(install, check=True)


def _program(name: str) -> str:
    return str(Path(sysconfig.get_path("scripts"), name))
