"""The real eslint and stylelint of a project, installed by npm, by base's rules."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from sandbox.base import Sandbox
from sandbox.toolchains import layers
from sandbox.values import Environment, Recipe, Side, TestRunner
from tests.sandbox.linters.changes import Files, lint, told

pytestmark = [pytest.mark.real, pytest.mark.slow]

PACKAGES = ("eslint@^10", "@eslint/js@^10", "stylelint@^16")
BASE: Files = {
    "package.json": '{"name": "x", "type": "module"}\n',
    "eslint.config.js": "import rules from './tools/rules.js';\nexport default rules;\n",
    "tools/rules.js": "import js from '@eslint/js';\nexport default [js.configs.recommended];\n",
    ".stylelintrc.json": '{"rules": {"color-no-invalid-hex": true}}\n',
    "a.js": "export const a = 1;\n",
    "a.css": "a { color: red; }\n",
}


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Environment:
    layer = tmp_path_factory.mktemp("layers") / "project"
    folder = layer / layers.KEPT
    folder.mkdir(parents=True)
    npm = ["npm", "install", "--no-audit", "--no-fund", "--prefix", str(folder), *PACKAGES]
    try:
        subprocess.run(npm, check=True, capture_output=True, timeout=300)
    except (OSError, subprocess.SubprocessError) as error:
        pytest.skip(f"npm cannot install the linters here: {error}")
    (layer.parent / layers.NOTES).write_text(json.dumps([["node_modules", "node_modules"]]))
    recipe = Recipe("node", (), (), (), TestRunner.NONE, (), "")
    return Environment(Side.BASE, recipe, "digest", "", str(layer), ())


async def test_they_speak_by_bases_rules(
    sandbox: Sandbox, tmp_path: Path, project: Environment
) -> None:
    head: Files = {
        "tools/rules.js": "export default [];\n",
        ".stylelintrc.json": '{"rules": {}}\n',
        "a.js": "export const a = 1;\nfoo(a);\n",
        "a.css": "a { color: red; }\n\nb { color: #fffffff; }\n",
    }
    result = await lint(sandbox, tmp_path, BASE, head, project)
    assert told(result) == [("color-no-invalid-hex", "a.css", 3), ("no-undef", "a.js", 2)]
    assert result is not None
    assert "node_modules/.bin/eslint --format json" in result.head.command


async def test_a_configuration_that_breaks_is_said(
    sandbox: Sandbox, tmp_path: Path, project: Environment
) -> None:
    base = {
        **BASE,
        "eslint.config.js": "import plugin from 'no-such-plug-in';\nexport default [];\n",
    }
    result = await lint(sandbox, tmp_path, base, {"a.js": "foo(1);\n"}, project)
    assert result is not None
    assert "eslint refused to run: " in result.head.output
    assert [one for one in result.new if one.tool == "eslint"] == []
