"""Where it matters what users install, and what counts of what they lost."""

from __future__ import annotations

import difflib
import json
from collections.abc import Mapping

import pytest

from bot.evidence.installed import plan_installed
from bot.evidence.planning import Change
from bot.values import Requirements
from sandbox.installed.values import InstalledSide, Lacking, Use, broken, doubts, shut
from sandbox.values import ChangeStatus, Diff, FileChange, Hunk

TOML = (
    "[project]\nname = 'shop'\nversion = '%s'\ndependencies = [%s]\n[tool.ruff]\nline-length = %s\n"
)
BASE = {
    "pyproject.toml": TOML % ("1", "", 80),
    "package.json": json.dumps({"name": "shop", "version": "1.0.0", "scripts": {"test": "mocha"}}),
    "shop/__init__.py": "import os\n\n\ndef price():\n    import attr\n\n    return attr\n",
    "shop/tax.py": "",
    "lib/price.js": "import fs from 'node:fs';\n",
}


class Side:
    def __init__(self, files: Mapping[str, str]) -> None:
        self.files = files

    def read(self, path: str) -> str | None:
        return self.files.get(path)

    def read_bytes(self, path: str) -> bytes | None:
        return self.files[path].encode() if path in self.files else None

    def paths(self) -> tuple[str, ...]:
        return tuple(self.files)


def planned(**changed: str) -> tuple[str, ...]:
    changes = []
    for path, text in changed.items():
        before = BASE.get(path)
        lines = difflib.unified_diff(
            (before or "").splitlines(), text.splitlines(), n=0, lineterm=""
        )
        hunk = Hunk(
            1, 1, 1, 1, tuple(line for line in lines if not line.startswith(("---", "+++", "@@")))
        )
        status = ChangeStatus.ADDED if before is None else ChangeStatus.MODIFIED
        changes.append(FileChange(path, status, hunks=(hunk,)))
    change = Change(Diff(tuple(changes)), Side(BASE), Side({**BASE, **changed}))
    step = plan_installed(Requirements(()), change)
    return step.arguments if step else ()


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("shop/tax.py", "from packaging.version import Version\n"),
        ("shop/tax.py", "import re, packaging as p\n"),
        ("shop/tax.py", "rate = 1; import packaging\n"),
        ("shop/tax.py", "version = importlib.import_module('packaging.version')\n"),
        ("shop/__init__.py", "import attr\nimport os\n\n\ndef price():\n    return attr\n"),
        ("shop/rates.py", "RATE = 2\n"),
        ("pyproject.toml", TOML % ("1", "'packaging'", 80)),
        ("package.json", json.dumps({"name": "shop", "files": ["lib"]})),
        ("MANIFEST.in", "include shop/rates.txt\n"),
        ("lib/price.js", "import fs from 'node:fs';\nimport got from 'got';\n"),
        ("lib/price.js", "const {get} = require('@shop/net/get');\n"),
        ("lib/rate.js", "export const rate = 2;\n"),
    ],
)
def test_it_is_looked_at_where_it_may_matter(path: str, text: str) -> None:
    assert planned(**{path: text}) == (path,)


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("shop/tax.py", "import re\nfrom shop import price\nfrom .rates import RATE\n"),
        ("shop/tax.py", "RATE = 2\n"),
        ("shop/rates.txt", "2\n"),
        ("tests/test_tax.py", "import pytest\n"),
        ("docs/conf.py", "import sphinx\n"),
        ("pyproject.toml", TOML % ("2", "", 100)),
        (
            "package.json",
            json.dumps({"name": "shop", "version": "1.0.1", "devDependencies": {"ava": "6"}}),
        ),
        (
            "lib/price.js",
            "import fs from 'node:fs';\nimport path from 'path';\nimport './rate.js';\n",
        ),
        ("README.md", "import shop\n"),
    ],
)
def test_it_is_not_looked_at_where_it_cannot_matter(path: str, text: str) -> None:
    assert planned(**{path: text}) == ()


def test_a_new_file_of_data_is_looked_at_where_new_code_names_it() -> None:
    code = "TABLE = open('rates.txt')\n"
    assert planned(**{"shop/rates.txt": "2\n", "shop/tax.py": code}) == ("shop/rates.txt",)


def test_only_what_base_can_do_is_lost() -> None:
    base = InstalledSide(
        "", 0, (Use("import shop"), Use("import tax", "no x"), Use("import rates"))
    )
    lost = Use("import shop", "no packaging", "packaging")
    other = Use("import rates", "no display", counts=False)
    new, as_before = Use("import new", "no y"), Use("import tax", "no x")
    assert broken(base, InstalledSide("", 0, (lost, other, new, as_before))) == (lost,)


def test_what_base_lacks_of_a_kind_excuses_the_same_of_head() -> None:
    module, text = Lacking("shop/rates/high.py"), Lacking("shop/rates/high.txt")
    lazy = Lacking("shop/tax.py", "packaging")
    head = InstalledSide("", 0, lacking=(module, text, lazy))
    assert doubts(InstalledSide("", 0), head) == (module, text, lazy)
    base = InstalledSide(
        "", 0, lacking=(Lacking("shop/notes.txt"), Lacking("shop/old.py", "attrs"))
    )
    assert doubts(base, head) == (module,)


def test_a_path_is_shut_where_it_was_open() -> None:
    base, head = (
        InstalledSide("", 0, open=("shop/a.js",)),
        InstalledSide("", 0, closed=("shop/a.js", "shop/b.js")),
    )
    assert shut(base, head) == ("shop/a.js",)
