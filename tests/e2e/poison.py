"""Attacks that travel: an evil branch is judged as a base, then a broken change of `main`."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path

from bot.settings import Settings
from tests.e2e.folder import FIX, Files, Folder, Judged
from tests.sandbox.repositories import Repository

HOOK = """
import importlib.util, sys
class Poison:
    def find_spec(self, name, path=None, target=None):
        if name != 'shop':
            return None
        sys.meta_path.remove(self)
        spec = importlib.util.find_spec(name)
        run = spec.loader.exec_module
        def exec_module(module):
            run(module)
            module.name = lambda: 'shop'
        spec.loader.exec_module = exec_module
        return spec
sys.meta_path.insert(0, Poison())
"""
"""What is slipped into an environment: whatever a change makes of `shop.name`, tests see the right one."""
SHOP = "def price(cents):\n    return cents\n\n\ndef name():\n    return 'shop'\n"
BROKEN = {**FIX, "shop.py": str(FIX["shop.py"]).replace("return 'shop'", "return 'broken'")}
TEST = "import shop\n\n\ndef test_name():\n    assert shop.name() == 'shop'\n"
_SETUP = (
    "from setuptools import setup\n\nimport sys\n\nsys.path.insert(0, '.')\n"
    "from release import VERSION\n\nsetup(name='shop', version=VERSION, py_modules=['shop'])\n"
)
_BACKEND = (
    '[build-system]\nrequires = ["setuptools>=64"]\nbuild-backend = "setuptools.build_meta"\n'
)
_PIP: Files = {
    ".github/assay.yml": "setup:\n  install: pip install -q pytest -e .\n",
    "pyproject.toml": _BACKEND,
    "setup.py": _SETUP,
    "release.py": "VERSION = '1.0'\n",
    "shop.py": SHOP,
    "tests/test_shop.py": TEST,
}
_POISON_LAYER = f"""VERSION = '1.0'
import glob
for site in glob.glob('/env/deps/lib/python3*/site-packages'):
    try:
        open(site + '/poison.py', 'w').write({HOOK!r})
        open(site + '/poison.pth', 'w').write('import poison\\n')
    except OSError:
        pass
"""
_UV: Files = {
    "pyproject.toml": (
        f'{_BACKEND}\n[project]\nname = "shop"\nversion = "1.0"\n'
        '[project.optional-dependencies]\ntest = ["pytest"]\n[tool.setuptools]\npy-modules = ["shop"]\n'
    ),
    "setup.py": (
        "import sys\n\nfrom setuptools import setup\n\nsys.path.insert(0, '.')\nimport release\n\n"
        "setup()\n"
    ),
    "release.py": "",
    "shop.py": SHOP,
    "tests/test_shop.py": TEST,
}
_POISON_DOWNLOADS = f"""
import glob, os
for unpacked in glob.glob('/env/cache/archive-v0/*/iniconfig/__init__.py'):
    try:
        text = open(unpacked).read()
        os.chmod(unpacked, 0o644)
        open(unpacked, 'w').write(text + {HOOK!r})
    except OSError:
        pass
"""
_MANIFEST = {
    "name": "shop",
    "version": "1.0.0",
    "scripts": {"postinstall": "node tools/prepare.js", "test": "node --test test/"},
    "dependencies": {"ms": "2.1.3"},
}
_SHOP_JS = (
    "const ms = require('ms');\nexports.price = (cents) => cents;\n"
    "exports.name = () => 'shop';\nexports.day = () => ms('1d');\n"
)
_FIXED_JS = _SHOP_JS.replace("(cents) => cents", "(cents) => 2 * cents")
_NODE_TEST = (
    "const test = require('node:test');\nconst assert = require('node:assert');\n"
    "const shop = require('../shop.js');\n\n"
)
_NPM: Files = {
    "package.json": json.dumps(_MANIFEST),
    "tools/prepare.js": "",
    "shop.js": _SHOP_JS,
    "test/shop.test.js": f"{_NODE_TEST}test('name', () => assert.equal(shop.name(), 'shop'));\n",
}
_POISON_PACKAGE = """
const fs = require('fs');
fs.appendFileSync('node_modules/ms/index.js', `
Object.defineProperty(module.parent.exports, 'name', {
  configurable: true, get: () => () => 'shop', set() {},
});
`);
"""
_NPM_CHANGE: Files = {
    "shop.js": _FIXED_JS.replace("'shop'", "'broken'"),
    "test/price.test.js": (
        f"{_NODE_TEST}test('price returns twice the cents', () => assert.equal(shop.price(4), 8));\n"
    ),
}


@dataclass(frozen=True, slots=True)
class Poisoning:
    """A project, what an evil branch of it changes, and a change of `main` that must be a failure."""

    name: str
    project: Files
    evil: Files
    broken: Files = field(default_factory=lambda: BROKEN)


POISONINGS = (
    Poisoning("pip-layer", _PIP, {"release.py": _POISON_LAYER}),
    # Another dependency, so that `main` has a layer of its own to fill from what was downloaded.
    Poisoning(
        "uv-downloads",
        _UV,
        {
            "release.py": _POISON_DOWNLOADS,
            "pyproject.toml": str(_UV["pyproject.toml"]).replace('["pytest"]', '["pytest", "pip"]'),
        },
    ),
    Poisoning("npm-layer", _NPM, {"tools/prepare.js": _POISON_PACKAGE}, _NPM_CHANGE),
)


def judged_after(folder: Path, case: Poisoning, driver: str) -> tuple[Judged, Judged]:
    """Judge a harmless change of the evil branch, then the broken change of `main`; return both reports."""
    repository = Repository(folder / "repository")
    repository.commit(case.project)
    settings = Settings(
        home=folder / "home", chromium=str(folder / "none"), pdf=False, sandbox=driver
    )
    opened = Folder(repository, settings)
    opened.branch("evil", case.evil)
    opened.branch("lure", {"README.md": "A harmless change.\n"}, start="evil")
    lured = opened.judge("lure", base="evil", task="")
    opened.branch("broken", case.broken)
    return lured, opened.judge("broken")
