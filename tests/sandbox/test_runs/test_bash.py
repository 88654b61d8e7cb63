"""Shell lines of trusted configuration, in real bubblewrap; and which files they run."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from sandbox import open_sandbox
from sandbox import values as models
from sandbox.base import Limits
from sandbox.terminal.bash import ShellRun, run_shell, trusted_files
from sandbox.toolchains.layers import DEPENDENCIES, PROJECT
from sandbox.values import Environment, Observation, Recipe, Side

pytestmark = pytest.mark.real


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    folder = tmp_path / "tree"
    folder.mkdir()
    (folder / "data.txt").write_text("hello\n")
    return folder


@pytest.fixture
def environment(tmp_path: Path) -> Environment:
    for layer in ("deps", "project"):
        (tmp_path / layer).mkdir()
        (tmp_path / layer / "who").write_text(f"{layer}\n")
    (tmp_path / "notes.json").write_text("[]")
    recipe = Recipe("python", (), (), (), models.TestRunner.NONE, (), "")
    layers = (str(tmp_path / "deps"), str(tmp_path / "project"))
    return Environment(Side.HEAD, recipe, "d", *layers, variables=(("COLOUR", "blue"),))


async def shown(tmp_path: Path, run: ShellRun) -> Observation:
    return await run_shell(open_sandbox("bubblewrap", tmp_path / "state"), run)


async def test_a_line_runs_in_a_tree_that_is_thrown_away(tmp_path: Path, tree: Path) -> None:
    line = "cat data.txt && echo changed > data.txt && cat data.txt; echo \"$0 'q'\" >&2; exit 3"
    seen = await shown(tmp_path, ShellRun(line, Side.BASE, str(tree)))
    assert (seen.exit_code, seen.problem, seen.command) == (3, "", line)
    assert seen.output == "hello\nchanged\n/bin/bash 'q'\n"
    assert (
        await shown(tmp_path, ShellRun("cat data.txt", Side.BASE, str(tree)))
    ).output == "hello\n"


async def test_the_layers_and_variables_are_there(
    tmp_path: Path, tree: Path, environment: Environment
) -> None:
    line = f"cat {DEPENDENCIES}/who {PROJECT}/who; echo $COLOUR; touch {DEPENDENCIES}/x"
    seen = await shown(tmp_path, ShellRun(line, Side.HEAD, str(tree), environment))
    assert seen.output.startswith("deps\nproject\nblue\n")
    assert seen.exit_code == 1
    listed = ShellRun(f"ls {DEPENDENCIES}", Side.HEAD, str(tree), environment)
    assert (await shown(tmp_path, listed)).output == "who\n"


async def test_without_its_environment_nothing_is_run(
    tmp_path: Path, tree: Path, environment: Environment
) -> None:
    failed = replace(environment, failure=Observation(Side.HEAD, "pip", 1, "no", 0.1))
    seen = await shown(tmp_path, ShellRun("true", Side.HEAD, str(tree), failed))
    assert seen.exit_code is None
    assert "could not be built" in seen.problem


async def test_a_line_that_does_not_end(tmp_path: Path, tree: Path) -> None:
    limits = Limits(timeout_s=0.5)
    seen = await shown(tmp_path, ShellRun("echo hi; sleep 60", Side.HEAD, str(tree), None, limits))
    assert (seen.exit_code, seen.timed_out, seen.output) == (None, True, "hi\n")
    assert seen.problem == "It did not end within 0.5 s."


@pytest.mark.parametrize(
    ("line", "code"),
    [("no-such-program", 127), ("if then", 2), ("", 0), ("# only a remark", 0), ("exit 300", 44)],
)
async def test_bad_lines_are_data(tmp_path: Path, tree: Path, line: str, code: int) -> None:
    seen = await shown(tmp_path, ShellRun(line, Side.HEAD, str(tree)))
    assert (seen.exit_code, seen.problem) == (code, "")


@pytest.mark.parametrize("line", ["echo \0", "echo \ud800", "echo " + "x" * 200_000])
async def test_lines_that_no_program_can_be_given(tmp_path: Path, tree: Path, line: str) -> None:
    seen = await shown(tmp_path, ShellRun(line, Side.HEAD, str(tree)))
    assert seen.exit_code is None
    assert "no program can be given" in seen.problem
    assert trusted_files(line, tree) == ()


async def test_output_that_is_no_text_and_very_long(tmp_path: Path, tree: Path) -> None:
    line = r"printf '\xff\x00\xe9\n'; yes | head -c 3000000"
    seen = await shown(
        tmp_path, ShellRun(line, Side.HEAD, str(tree), None, Limits(output_bytes=10_000))
    )
    assert seen.truncated
    assert seen.output.startswith("�\0�\n")
    assert len(seen.output) < 12_000


FILES = (
    "tools/api_diff.py",
    "tools/pkg/__main__.py",
    "check.sh",
    "src/app.py",
    "src/tests/test_app.py",
    "tests/test_contract.py",
    "Makefile",
    "conftest.py",
)


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("python tools/api_diff.py src/app.py", ("tools",)),
        ("python3.12 -X dev -W error ./tools/api_diff.py", ("tools",)),
        ("python -m tools.pkg --strict && python -m tools.api_diff", ("tools",)),
        ("./check.sh; mypy src/app.py", ("check.sh",)),
        ("LEVEL=1 timeout 20 bash -eu check.sh", ("check.sh",)),
        (". check.sh", ("check.sh",)),
        ("cd tools && python api_diff.py", ("tools",)),
        ("cd src; pytest tests/test_app.py::test_x", ("src/tests/test_app.py",)),
        ("uv run pytest -q tests/test_contract.py", ("tests/test_contract.py",)),
        ("python -c 'print(1)' src/app.py", ()),
        ("make check", ("Makefile",)),
        ("(python 'tools/api_diff.py')|tee log", ("tools",)),
        ("true\npython /work/tree/tools/api_diff.py", ("tools",)),
        ("python ../../etc/passwd", ()),
        ("python tools", ()),
        ("python 'unclosed tools/api_diff.py", ()),
        ("", ()),
        (" ; && |", ()),
        ("cd", ()),
        ("python \0 -m", ()),
    ],
)
def test_the_files_that_a_line_runs(tmp_path: Path, line: str, expected: tuple[str, ...]) -> None:
    for name in FILES:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("x")
    assert trusted_files(line, tmp_path) == tuple(expected)
