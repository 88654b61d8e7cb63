"""A command line imports what it needs: a wrong one is answered before anything large is loaded."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from bot.cli import assay
from bot.commands.asked import PARTS
from bot.values import Part
from tests.bot.commands.running import environment

pytestmark = pytest.mark.real

# Each takes more than 50 ms to import; together they were most of two seconds.
LARGE = {
    "dbos", "githubkit", "httpx", "jinja2", "openai", "playwright", "pydantic", "pydantic_ai", "rich",
    "sqlalchemy", "tree_sitter", "werkzeug", "yaml",
}  # fmt: skip
LIGHT_PARTS_OF_OURS = {
    "bot", "bot.cli", "bot.commands", "bot.commands.asked", "bot.commands.bench_lines", "bot.errors",
}  # fmt: skip


def imported(home: Path, *arguments: str) -> tuple[int, set[str]]:
    """Run the command; its exit code, and every module that it imported."""
    done = subprocess.run(
        [sys.executable, "-X", "importtime", "-m", "bot.cli", *arguments],
        cwd=home.parent,
        env=environment(home, {"ASSAY_CHROMIUM": "/nowhere"}),
        capture_output=True,
        text=True,
        timeout=180,
        check=False,
    )
    lines = [line for line in done.stderr.splitlines() if line.startswith("import time:")]
    return done.returncode, {line.rpartition("|")[2].strip() for line in lines}


def large(modules: set[str]) -> set[str]:
    return {name.partition(".")[0] for name in modules} & LARGE


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (("--help",), 0),
        (("--version",), 0),
        (("nonsense",), 2),
        (("judge", "--head", "x", "--worktree"), 2),
        (("judge", "--task", "missing.md"), 2),
        *(((name, "--nonsense"), 2) for name in sorted(assay.commands)),
    ],
)
def test_a_wrong_command_line_loads_nothing_large(
    tmp_path: Path, arguments: tuple[str, ...], code: int
) -> None:
    exit_code, modules = imported(tmp_path / "home", *arguments)

    assert exit_code == code
    assert not large(modules)
    assert {name for name in modules if name.startswith("bot")} <= LIGHT_PARTS_OF_OURS


def test_the_doctor_loads_no_database_and_no_client_where_there_is_none_to_ask(
    tmp_path: Path,
) -> None:
    exit_code, modules = imported(tmp_path / "home", "doctor")

    assert exit_code == 0
    assert not large(modules) & {"dbos", "githubkit", "jinja2", "playwright", "sqlalchemy"}
    assert not {"bot.evaluation", "bot.verdict"} & modules


def test_judging_loads_no_engine_and_no_client_of_github(tmp_path: Path) -> None:
    exit_code, modules = imported(tmp_path / "home", "judge", "nowhere")

    assert exit_code == 2
    assert not large(modules) & {
        "dbos",
        "githubkit",
        "playwright",
        "openai",
        "pydantic_ai",
        "werkzeug",
    }


def test_the_parts_that_can_be_left_out_are_those_that_exist() -> None:
    assert tuple(Part) == PARTS
