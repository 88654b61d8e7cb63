"""Tiny Node projects: one for each package manager with its lock file, one for each test runner."""

from __future__ import annotations

import json

from sandbox.tools.registry import Client
from tests.e2e.ecosystems.project import Files, Project

_INTEGRITY = "sha512-6FlzubTLZG3J2a/NVCAleEhjzq5oxgHyaCU9yYXvcLsvoVaHJq/s5xXI6/XXP6tz7R9xAOtHnSO/tXtF3WRTlA=="
_CHECKSUM = (
    "10c0/d924b57e7312b3b63ad21fc5b3dc0af5e78d61a1fc7cfb5457edaf26326bf62be5307cc87ffb6862ef1c2b33b0"
    "233cdb5d4f01c4c958cc0d660948b65a287a48"
)
_MS = {"dependencies": {"ms": "2.1.3"}}
# The locks name no registry: each manager asks its own.
_NPM_LOCK = json.dumps(
    {
        "name": "calc",
        "version": "1.0.0",
        "lockfileVersion": 3,
        "packages": {
            "": {"name": "calc", "version": "1.0.0", **_MS},
            "node_modules/ms": {"version": "2.1.3", "integrity": _INTEGRITY},
        },
    }
)
_PNPM_LOCK = f"""\
lockfileVersion: '9.0'

importers:
  .:
    dependencies:
      ms:
        specifier: 2.1.3
        version: 2.1.3

packages:
  ms@2.1.3:
    resolution: {{integrity: {_INTEGRITY}}}

snapshots:
  ms@2.1.3: {{}}
"""
_YARN_LOCK = f"""\
# yarn lockfile v1


ms@2.1.3:
  version "2.1.3"
  integrity {_INTEGRITY}
"""
_BERRY_LOCK = f"""\
__metadata:
  version: 8
  cacheKey: 10c0

"calc@workspace:.":
  version: 0.0.0-use.local
  resolution: "calc@workspace:."
  dependencies:
    ms: "npm:2.1.3"
  languageName: unknown
  linkType: soft

"ms@npm:2.1.3":
  version: 2.1.3
  resolution: "ms@npm:2.1.3"
  checksum: {_CHECKSUM}
  languageName: node
  linkType: hard
"""

_ADD = "exports.add = (a, b) => a + b;\n"
_TWICE = _ADD + "exports.twice = (a) => 2 * a;\n"
_REQUIRED = "const {add, twice} = require('../calc.js');\nconst {equal} = require('node:assert');\n"
_IMPORTED = "import {add, twice} from '../calc.js';\nimport {equal} from 'node:assert';\n"
_BLOCK = "\n@('TITLE', () => {\n  equal(CALL, WANT);\n});\n"
# A test file by runner; TITLE, CALL and WANT are filled in.
_NODE_TEST = "const test = require('node:test');\n" + _REQUIRED + _BLOCK.replace("@", "test")
_JEST = _REQUIRED + _BLOCK.replace("@", "test")
_MOCHA = _REQUIRED + _BLOCK.replace("@", "it")
_VITEST = "import {test} from 'vitest';\n" + _IMPORTED + _BLOCK.replace("@", "test")
_AVA = (
    "const test = require('ava');\nconst {add, twice} = require('../calc.js');\n\n"
    "test('TITLE', (t) => {\n  t.is(CALL, WANT);\n});\n"
)


def _test(template: str, title: str, call: str, want: int) -> str:
    return template.replace("TITLE", title).replace("CALL", call).replace("WANT", str(want))


def _project(name: str, manifest: dict[str, object], test: str, more: Files) -> Project:
    manifest = {"name": "calc", "version": "1.0.0", **manifest}
    twice = "twice returns double the number"
    return Project(
        name=name,
        programs=("node", "npm"),
        registry=Client.NPM,
        is_slow=True,
        start={
            "package.json": json.dumps(manifest),
            "calc.js": _ADD,
            "test/add.test.js": _test(test, "add returns the sum", "add(2, 3)", 5),
            **more,
        },
        good={"calc.js": _TWICE, "test/twice.test.js": _test(test, twice, "twice(4)", 8)},
        bad={"calc.js": _ADD.replace("a + b", "a - b")},
        proof=f"test/twice.test.js::{twice}",
        broken="test/add.test.js::add returns the sum",
    )


def _managed(name: str, lock: str, text: str) -> Project:
    """A project whose tests need the package that the lock file names."""
    manifest = {"scripts": {"test": "node --test"}, **_MS}
    return _project(name, manifest, "require('ms');\n" + _NODE_TEST, {lock: text})


def _run_by(runner: str, version: str, test: str) -> Project:
    manifest = {"scripts": {"test": runner}, "devDependencies": {runner: version}}
    return _project(runner, manifest, test, {})


MANAGERS = (
    _managed("npm", "package-lock.json", _NPM_LOCK),
    _managed("pnpm", "pnpm-lock.yaml", _PNPM_LOCK),
    _managed("yarn-classic", "yarn.lock", _YARN_LOCK),
    _managed("yarn", "yarn.lock", _BERRY_LOCK),
)
RUNNERS = (
    _run_by("jest", "^29", _JEST),
    _run_by("vitest", "^2", _VITEST),
    _run_by("mocha", "^11", _MOCHA),
    _run_by("ava", "^6", _AVA),
)
