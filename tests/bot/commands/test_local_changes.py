"""`assay judge` where somebody works: what is judged by default, and what is said of the rest."""

from __future__ import annotations

import os
import pty
import re
import shlex
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from bot.report.machine import read_machine
from tests.bot.commands.running import assay, environment
from tests.bot.commands.test_judge import tree
from tests.world import git

__all__ = ["tree"]

pytestmark = [pytest.mark.real, pytest.mark.slow]


def clone(tree: Path, *options: str) -> Path:
    folder = tree.with_name("clone")
    git(tree.parent, "clone", "--quiet", *options, f"file://{tree}", str(folder))
    return folder


def test_what_is_not_committed_is_named_and_judged_only_when_asked(tree: Path) -> None:
    (tree / ".gitignore").write_text("*.log\n")
    (tree / "greeting.py").write_text("def greet(name):\n    return f'good day {name}'\n")
    (tree / "secret.log").write_text("not for anybody\n")
    index = (tree / ".git/index").read_bytes()

    committed = assay(tree / ".assay", "judge", "--no-pdf")
    report = tree / "assay-report"
    assert committed.returncode == 0, committed.stdout + committed.stderr
    assert "2 changed files are not judged; `--worktree` judges them." in committed.stderr
    assert re.search(r"Judging HEAD \([0-9a-f]{10}\) against main\.", committed.stderr)
    assert {"report.html", "report.json"} <= {path.name for path in report.iterdir()}
    assert not (report / "report.pdf").exists()
    assert "report.pdf" not in committed.stdout

    whole = assay(tree / ".assay", "judge", "--no-pdf", "--worktree")
    document = read_machine((report / "report.json").read_bytes())
    assert whole.returncode == 1, whole.stdout + whole.stderr
    assert "Judging the work tree" in whole.stderr
    assert "not judged" not in whole.stderr
    assert "not for anybody" not in (report / "report.json").read_text()
    assert {"test_hello.TestGreet.test_greet_says_hello"} <= {
        name.rpartition("tests.")[2] for name in document.tests.pass_to_fail
    }
    assert git(tree, "status", "--porcelain").split() == ["M", "greeting.py", "??", ".gitignore"]
    assert (tree / ".git/index").read_bytes() == index


def test_only_uncommitted_changes_can_be_judged(tree: Path) -> None:
    git(tree, "checkout", "--quiet", "main")
    (tree / "greeting.py").write_text("def greet(name):\n    return f'hello, {name}'\n")
    without = assay(tree / ".assay", "judge")
    (tree / "tests").joinpath("test_new.py").write_text(
        (tree / "tests/test_hello.py").read_text().replace("hello'", "hello, Ada'")
    )
    judged = assay(tree / ".assay", "judge", "tests", "--worktree", "--no-pdf")

    assert without.returncode == 2
    assert "HEAD has no new commits to judge" in without.stderr
    assert "1 changed file is not judged; `--worktree` judges it." in without.stderr
    assert judged.returncode == 0, judged.stdout + judged.stderr
    document = read_machine((tree / "assay-report/report.json").read_bytes())
    assert {row.id for row in document.requirements} == {"B1", "B2", "B3"}
    assert "Nothing says what the change should do" in " ".join(judged.stdout.split())


def test_a_shallow_clone_ends_with_two_and_the_command_that_mends_it(tree: Path) -> None:
    git(tree, "checkout", "--quiet", "main")
    folder = clone(tree, "--depth=1", "--branch=fix")
    for arguments in ((), ("--base", "origin/main"), ("--base", "HEAD~1")):
        done = assay(folder / ".assay", "judge", *arguments)
        assert done.returncode == 2, done.stderr
        assert "shallow clone" in done.stderr
    command = done.stderr.rpartition("run in it: ")[2]
    git(folder, *shlex.split(command)[1:])

    assert assay(folder / ".assay", "judge", "--no-pdf").returncode == 0


def test_both_sides_in_a_shallow_clone_without_what_they_share(tree: Path) -> None:
    git(tree, "checkout", "--quiet", "main")
    git(tree, "commit", "--quiet", "--allow-empty", "-m", "Go on")
    done = assay(
        clone(tree, "--depth=1", "--no-single-branch") / ".assay", "judge", "--head", "origin/fix"
    )

    assert done.returncode == 2
    assert "shallow clone: it lacks the history that origin/main and origin/fix have" in done.stderr
    assert "git fetch --unshallow origin" in done.stderr


def test_an_empty_repository_is_said_to_be_empty(tmp_path: Path) -> None:
    tree = tmp_path / "new"
    tree.mkdir()
    git(tree, "init", "--quiet")
    (tree / "a.py").touch()
    for arguments in ((), ("--worktree",), ("--base", "main")):
        done = assay(tree / ".assay", "judge", *arguments)
        assert done.returncode == 2
        assert f"{tree} has no commits yet." in done.stderr


def test_the_terminal_shows_the_time_and_the_runs_while_it_waits(tree: Path) -> None:
    slow = tree / "tests" / "test_name.py"
    slow.write_text(
        slow.read_text().replace(
            "        self", "        __import__('time').sleep(1)\n        self"
        )
    )
    git(tree, "commit", "--quiet", "--all", "-m", "Test slowly")
    ours, theirs = pty.openpty()
    argv = [sys.executable, "-m", "bot.cli", "judge", "--no-pdf"]
    variables = environment(tree / ".assay", {"TERM": "xterm", "COLUMNS": "120"})
    with subprocess.Popen(argv, cwd=tree, env=variables, stdout=theirs, stderr=theirs) as process:
        os.close(theirs)
        shown = b""
        try:
            while part := os.read(ours, 65536):
                shown += part
        except OSError:  # a terminal's way to say that nobody writes any more
            pass
    os.close(ours)

    assert process.returncode == 0, shown
    assert re.search(rb"observe, \d+ s, [12] of 4 runs", shown), shown


def test_an_interrupt_is_no_conclusion(tree: Path) -> None:
    command = [sys.executable, "-m", "bot.cli", "judge", "--no-pdf"]
    of_home = environment(tree / ".assay", {})
    with subprocess.Popen(
        command, cwd=tree, env=of_home, stderr=subprocess.PIPE, text=True
    ) as judging:
        assert judging.stderr is not None
        assert judging.stderr.readline()  # it is under way
        judging.send_signal(signal.SIGINT)
        said = judging.stderr.read()

    assert judging.returncode == 130, said
    assert said.endswith("assay: interrupted\n")
