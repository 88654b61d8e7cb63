"""The real eslint, biome and stylelint of a project, installed by npm, by base's rules."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from sandbox.base import Sandbox
from sandbox.linters import LintRequest, lint_change
from sandbox.toolchains import layers
from sandbox.values import Environment, Recipe, Replacement, Side, TestRunner
from tests.sandbox.linters.changes import Files, changed, lint, told

pytestmark = [pytest.mark.real, pytest.mark.slow]

PACKAGES = ("eslint@^10", "@eslint/js@^10", "stylelint@^16", "prettier@^3")
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
    return installed(tmp_path_factory.mktemp("layers") / "project", *PACKAGES)


def installed(layer: Path, *packages: str) -> Environment:
    folder = layer / layers.KEPT
    folder.mkdir(parents=True)
    npm = ["npm", "install", "--no-audit", "--no-fund", "--prefix", str(folder), *packages]
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


async def test_what_eslint_and_prettier_would_do_are_fixes(
    sandbox: Sandbox, tmp_path: Path, project: Environment
) -> None:
    rules = "export default [{rules: {'prefer-const': 'error', 'no-var': 'error'}}];\n"
    base = {
        **BASE,
        "tools/rules.js": rules,
        ".prettierrc": '{"singleQuote": true}\n',
        ".prettierignore": "ignored.js\n",
        "old.js": "export const b = {b:1}\n",
    }
    head: Files = {
        "a.js": "export const a = 1;\nlet é = '😀'; let b = 2;\nexport { b, é };\n",
        "old.js": "export const b = {b:1}\n\nexport const c = [ 1 ];\n",
        "ignored.js": "export const d = {d:1}\n",
        "broken.js": "const = 1\n",
        "odd $(touch x) name.css": "a {\n  color:red;\n}\n",
    }
    checkout = changed(tmp_path, base, head)
    request = LintRequest(checkout, tmp_path / "workspace", project, with_formatters=True)
    linted = await lint_change(sandbox, request)
    assert linted is not None
    found = {
        (one.finding.tool, one.finding.path, one.finding.line): one.replacement
        for one in linted.fixes
    }
    two = "let é = '😀'; let b = 2;"
    assert found == {
        ("eslint", "a.js", 2): Replacement(2, (two,), ("let é = '😀'; const b = 2;",)),
        ("prettier", "a.js", 2): Replacement(2, (two,), ("let é = '😀';", "let b = 2;")),
        ("prettier", "old.js", 3): Replacement(
            3, ("export const c = [ 1 ];",), ("export const c = [1];",)
        ),
        ("prettier", "odd $(touch x) name.css", 2): Replacement(
            2, ("  color:red;",), ("  color: red;",)
        ),
    }


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


@pytest.mark.parametrize("version", ["1.8.3", "1.9.4", "2.0.0", "2.3.0", "^2.4.0"])
async def test_every_biome_is_read(sandbox: Sandbox, tmp_path: Path, version: str) -> None:
    project = installed(tmp_path / "layers" / "project", f"@biomejs/biome@{version}")
    base: Files = {"biome.json": "{}\n", "a, 100%.js": "export const a = 1;\n"}
    head: Files = {"a, 100%.js": "export const a = 1;\ndebugger;\n"}
    result = await lint(sandbox, tmp_path, base, head, project)
    assert told(result) == [("suspicious/noDebugger", "a, 100%.js", 2)]


async def test_a_biome_that_cannot_do_what_is_asked_is_said(
    sandbox: Sandbox, tmp_path: Path
) -> None:
    project = installed(tmp_path / "layers" / "project", "@biomejs/biome@1.5.3")
    base: Files = {"biome.json": "{}\n", "a.js": "export const a = 1;\n"}
    result = await lint(sandbox, tmp_path, base, {"a.js": "debugger;\n"}, project)
    assert result is not None
    assert "biome cannot be read: Error: `--reporter` is not expected" in result.head.output
