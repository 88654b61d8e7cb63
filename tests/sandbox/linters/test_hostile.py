"""What linters may meet and what they may do: too large, too loud, too slow, lying, or code."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from sandbox.base import Limits, Sandbox
from sandbox.linters.base import Linter, LintJob, sources
from sandbox.linters.node import BIOME, ESLINT, of_project
from sandbox.linters.run import Linted, lint
from sandbox.toolchains import layers
from sandbox.values import Environment, Recipe, Severity, Side, TestRunner
from tests.sandbox.linters.changes import lint as lint_change
from tests.sandbox.linters.changes import of

pytestmark = pytest.mark.real

RECIPE = Recipe("node", (), (), (), TestRunner.NONE, (), "")


def project_with(tmp_path: Path, program: str, script: str) -> Environment:
    """A built environment whose `node_modules` has one program, as a package manager leaves it."""
    layer = tmp_path / "layers" / "project"
    binary = layer / layers.KEPT / "0" / ".bin" / program
    binary.parent.mkdir(parents=True)
    binary.write_text(script)
    binary.chmod(0o755)
    (layer.parent / layers.NOTES).write_text(json.dumps([["0", "node_modules"]]))
    return Environment(Side.BASE, RECIPE, "digest", "", str(layer), ())


async def eslint(sandbox: Sandbox, tmp_path: Path, script: str, linter: Linter = ESLINT) -> Linted:
    """What comes of a project whose eslint is this script."""
    tree = tmp_path / "tree"
    tree.mkdir()
    (tree / "a.js").write_text("f(1);\n")
    (tree / "eslint.config.js").write_text("export default [];\n")
    files = sources(tree, ("a.js",))
    environment = project_with(tmp_path, "eslint", script)
    linted = await lint(sandbox, linter, Side.HEAD, LintJob(files, tree, tree, environment))
    assert linted is not None
    return linted


def printing(*results: object) -> str:
    return f"#!/bin/sh\ncat <<'END'\n{json.dumps(results)}\nEND\nexit 1\n"


async def test_the_projects_own_eslint_is_asked(sandbox: Sandbox, tmp_path: Path) -> None:
    message = {"ruleId": "no-undef", "line": 1, "endLine": 1, "message": "'f' is not defined."}
    broken = {"ruleId": None, "fatal": True, "line": 2, "message": "Parsing error"}
    result = {"filePath": "/work/tree/a.js", "messages": [message, broken]}
    linted = await eslint(sandbox, tmp_path, printing(result))
    assert linted.problem == ""
    told = [(remark.rule, remark.path, remark.line) for remark in linted.remarks]
    assert told == [("no-undef", "a.js", 1), ("syntax", "a.js", 2)]
    assert linted.command.startswith("node_modules/.bin/eslint --format json")


async def test_biome_steps_back_where_eslint_is_set_up(sandbox: Sandbox, tmp_path: Path) -> None:
    tree = tmp_path / "tree"
    tree.mkdir()
    (tree / ".eslintrc.json").write_text("{}")
    (tree / "a.js").write_text("f(1);\n")
    environment = project_with(tmp_path, "eslint", printing())
    job = LintJob(sources(tree, ("a.js",)), tree, tree, environment)
    assert await lint(sandbox, BIOME, Side.HEAD, job) is None


async def test_an_eslint_that_came_with_the_tree_is_not_asked(
    sandbox: Sandbox, tmp_path: Path
) -> None:
    base = {"eslint.config.js": "export default [];\n", "a.js": "f(1);\n"}
    head = {"node_modules/.bin/eslint": printing(), "a.js": "f(2);\n"}
    result = await lint_change(sandbox, tmp_path, base, head)
    assert "eslint" not in result.head.output


@pytest.mark.parametrize(
    "output",
    [
        "nothing that is JSON",
        "[" * 100_000,
        '{"a": ',
        "\x00\xff",
        "",
    ],
)
async def test_output_that_is_no_report_is_said(
    sandbox: Sandbox, tmp_path: Path, output: str
) -> None:
    (tmp_path / "output").write_text(output)
    script = f"#!/bin/sh\nprintf '%s' '{output.replace(chr(0), '')}'\n"
    linted = await eslint(sandbox, tmp_path, script)
    assert linted.problem == "eslint cannot be read: its output is no JSON."
    assert linted.remarks == ()


@pytest.mark.parametrize(
    "result",
    [
        1,
        None,
        {"filePath": 3, "messages": {"a": 1}},
        {"filePath": "/work/tree/a.js", "messages": [{"ruleId": ["x"], "line": "NaN"}, 7]},
        {"filePath": "/etc/passwd", "messages": [{"ruleId": "r", "line": 1, "message": "m"}]},
        {"filePath": "../../etc/passwd", "messages": [{"ruleId": "r", "line": 1, "message": "m"}]},
        {"filePath": "a.js\0", "messages": [{"ruleId": "r", "line": 1, "message": "m"}]},
        {"filePath": "no.js", "messages": [{"ruleId": "r", "line": 1, "message": "m"}]},
    ],
)
async def test_results_of_no_kind_and_of_no_file_are_passed_over(
    sandbox: Sandbox, tmp_path: Path, result: object
) -> None:
    linted = await eslint(sandbox, tmp_path, printing(result))
    assert (linted.problem, linted.remarks) == ("", ())


async def test_a_hundred_megabytes_are_not_read(sandbox: Sandbox, tmp_path: Path) -> None:
    script = "#!/bin/sh\nhead -c 100000000 /dev/zero | tr '\\0' '['\n"
    linted = await eslint(sandbox, tmp_path, script)
    assert linted.problem == "eslint printed more than 16 MB, which is not read."


async def test_a_linter_that_hangs_is_stopped(sandbox: Sandbox, tmp_path: Path) -> None:
    hasty = replace(ESLINT, limits=Limits(timeout_s=1))
    linted = await eslint(sandbox, tmp_path, "#!/bin/sh\nsleep 600\n", hasty)
    assert linted.problem == "eslint did not end within 1 s."


async def test_a_linter_that_crashes_says_why(sandbox: Sandbox, tmp_path: Path) -> None:
    linted = await eslint(sandbox, tmp_path, "#!/bin/sh\necho 'no plug-in x' >&2\nexit 2\n")
    assert linted.problem == "eslint refused to run: no plug-in x"


async def test_a_linter_that_is_not_there_is_a_remark(sandbox: Sandbox, tmp_path: Path) -> None:
    absent = replace(BIOME, calls=lambda job: (of_project(job, "eslint"),))
    tree = tmp_path / "tree"
    tree.mkdir()
    (tree / ".eslintrc").write_text("{}")
    (tree / "a.js").write_text("")
    job = LintJob(sources(tree, ("a.js",)), tree, tree)
    linted = await lint(sandbox, absent, Side.HEAD, job)
    assert linted is not None and linted.missing
    assert linted.problem == "biome is not installed: npm install --global @biomejs/biome"


async def test_code_of_a_configuration_sees_nothing_of_ours(
    sandbox: Sandbox, tmp_path: Path
) -> None:
    """An eslint.config.js is a program: no network, no other file, no write that lasts."""
    script = (
        "#!/bin/sh\necho x > /work/tree/a.js; echo y > /work/tree/node_modules/y\n"
        "(getent hosts example.org || ls /root/.bashrc) > /dev/null 2>&1 && exit 3\necho '[]'\n"
    )
    linted = await eslint(sandbox, tmp_path, script)
    assert linted.problem == ""
    assert (tmp_path / "tree" / "a.js").read_text() == "f(1);\n"
    assert not list((tmp_path / "layers").rglob("y"))


async def test_thousands_of_findings_are_capped_and_said(sandbox: Sandbox, tmp_path: Path) -> None:
    head = {"a.py": "".join(f"print(a{n})\n" for n in range(6_000))}
    result = await lint_change(sandbox, tmp_path, {"README": "x"}, head)
    assert len(result.new) == 500
    assert "only the first 5000 findings were read" in result.head.output
    assert "more new ones" in result.head.output
    assert len(result.head.output) <= 16_000


async def test_minified_code_is_left_out_and_said(sandbox: Sandbox, tmp_path: Path) -> None:
    head = {"app.js": "f(1);" * 1_000_000, "lib.min.js": "const = 1;", "b.js": "f(1);\n"}
    result = await lint_change(sandbox, tmp_path, {"README": "x"}, head)
    assert "1 larger than 1 MB not looked at: app.js" in result.head.output
    assert [one.path for one in result.new if one.severity is Severity.BLOCK] == []


async def test_a_number_that_python_does_not_read_breaks_nothing(
    sandbox: Sandbox, tmp_path: Path
) -> None:
    long = "1" * 5_000
    named = {"package.json": f'{{"a": {long}}}', "b.json": f'{{"a": {long}}} // said\n'}
    head = {**named, "pyproject.toml": f"[tool]\na = {long}\n", "z.json": "{"}
    result = await lint_change(sandbox, tmp_path, {"README": "x"}, head)
    assert result is not None and result.head.problem == ""
    assert {one.path for one in result.new} == {"z.json"}


async def test_names_that_look_like_options_or_lie_about_places(
    sandbox: Sandbox, tmp_path: Path
) -> None:
    bad = "#!/bin/sh\nrm -r $1\n"
    names = ("-rf.sh", "--format=json1.sh", "a b.sh", "ü\n:1:1: x.sh", "$(id).sh", "%41.sh")
    result = await lint_change(sandbox, tmp_path, {"README": "x"}, dict.fromkeys(names, bad))
    assert {finding.path for finding in of(result, "shellcheck")} == set(names)


async def test_links_are_not_followed(sandbox: Sandbox, tmp_path: Path) -> None:
    tree = tmp_path / "tree"
    (tree / "sub").mkdir(parents=True)
    (tree / "sub" / "a.sh").symlink_to("/etc/profile")
    (tree / "out").symlink_to("/etc")
    (tree / "b.sh").write_text("#!/bin/sh\nrm -r $1\n")
    assert [source.path for source in sources(tree, ("sub", "out", "b.sh", "../x"))] == ["b.sh"]
