"""Every linter of the table on a good and a bad file, in real bubblewrap."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass

import pytest

from sandbox.base import Sandbox
from sandbox.linters import LINTERS, LintedChange, missing_linters
from sandbox.values import Severity
from tests.sandbox.linters.changes import Content, Files, lint, of

pytestmark = pytest.mark.real

GO_MOD = "module example.org/m\n\ngo 1.19\n"
CARGO = '[package]\nname = "m"\nversion = "0.1.0"\nedition = "2021"\n'
NO_MAIN = "int twice(int x);\n"
PAGE = "<!DOCTYPE html>\n<html lang='en'><head><title>x</title></head><body>\n{}\n</body></html>\n"
WORKFLOW = "on: push\njobs:\n  a:\n    runs-on: ubuntu-latest\n    steps:\n      - run: {}\n"


@dataclass(frozen=True)
class Trial:
    """A file that a linter has nothing against, and what it finds when that file gets worse."""

    linter: str
    good: Files
    bad: Files
    rule: str
    line: int
    blocks: bool = False
    change: int = 0  # javac says nothing but parse errors while there is one


TRIALS = (
    Trial("ruff", {"a.py": "x = 1\n"}, {"a.py": "x = 1\nx = (\n"}, "invalid-syntax", 3, True),
    Trial(
        "inspect.signature",
        {"copies.py": "import shutil\n\nshutil.copyfile('a', 'b', follow_symlinks=True)\n"},
        {"copies.py": "import shutil\n\nshutil.copyfile('a', 'b', follow_symlink=True)\n"},
        "refused-call",
        3,
        True,
    ),
    Trial(
        "biome",
        {"a.ts": "console.log(1);\n"},
        {"a.ts": "console.log(1);\nconst a = 1;\na = 2;\nconsole.log(a);\n"},
        "correctness/noConstAssign",
        3,
    ),
    Trial("node --check", {"a.js": "f(1);\n"}, {"a.js": "f(1);\nconst = 2;\n"}, "syntax", 2, True),
    Trial(
        "bash -n",
        {"a.sh": "shopt -s extglob\necho !(a)\n"},
        {"a.sh": "if true; then\n  echo\n"},
        "syntax",
        3,
        True,
    ),
    Trial(
        "shellcheck",
        {"run": '#!/bin/sh\nrm -r "$1"\n'},
        {"run": '#!/bin/sh\n\nrm -r "$1" $2\n'},
        "SC2086",
        3,
    ),
    Trial(
        "hadolint",
        {"Dockerfile": "FROM debian:12\n"},
        {"Dockerfile": "FROM debian:12\nRUN cd /tmp\n"},
        "DL3003",
        2,
    ),
    Trial(
        "actionlint",
        {".github/workflows/a.yml": WORKFLOW.format("make")},
        {".github/workflows/a.yml": WORKFLOW.format("echo ${{ githubb.sha }}")},
        "expression",
        6,
    ),
    Trial("yamllint", {"a.yaml": "a: 1\n"}, {"a.yaml": "a: 1\na: 2\n"}, "key-duplicates", 2),
    Trial("data files", {"a.json": "{}\n"}, {"a.json": '{\n"a" 1}\n'}, "syntax", 2, True),
    Trial("data files", {"a.yml": "a: !b\n"}, {"a.yml": "a: [1\nb: 2\n"}, "syntax", 2, True),
    Trial("data files", {"a.toml": "a = 1\n"}, {"a.toml": "a = 1\na = 2\n"}, "syntax", 2, True),
    Trial(
        "gofmt",
        {"go/a.go": "package a\n"},
        {"go/a.go": "package a\n\nfunc f( {}\n"},
        "syntax",
        3,
        True,
    ),
    Trial(
        "go vet",
        {"m/go.mod": GO_MOD, "m/p/a.go": "package p\n"},
        {"m/p/a.go": 'package p\n\nimport "fmt"\n\nfunc F() { fmt.Printf("%d", "x") }\n'},
        "printf",
        5,
    ),
    Trial(
        "clippy",
        {"Cargo.toml": CARGO, "src/lib.rs": "pub fn f() {}\n"},
        {"src/lib.rs": "pub fn f(v: &Vec<u8>) -> bool {\n    v.len() == 0\n}\n"},
        "clippy::len_zero",
        2,
    ),
    Trial(
        "cc",
        {"a.c": '#include <stdio.h>\nint main(void) { return puts("x"); }\n'},
        {"a.c": 'int main(void) { return puts("x"); }\n'},
        "-Wimplicit-function-declaration",
        1,
        True,
    ),
    Trial(
        "c++",
        {"a.cpp": "int main() { return 0; }\n"},
        {"a.cpp": "int main() { return 0 }\n"},
        "error",
        1,
        True,
    ),
    Trial(
        "cppcheck",
        {"b.c": "int f(void) { int a[3] = {0}; return a[2]; }\n"},
        {"b.c": "int f(void) { int a[3] = {0}; return a[5]; }\n"},
        "arrayIndexOutOfBounds",
        1,
    ),
    Trial(
        "javac",
        {"A.java": "import lib.B;\nclass A { B b; }\n"},
        {"A.java": "import lib.B;\nclass A { B b }\n"},
        "syntax",
        2,
        True,
    ),
    Trial(
        "javac",
        {"A.java": "class A { }\n"},
        {"A.java": "class A { java.util.List x; }\n"},
        "rawtypes",
        1,
        change=1,
    ),
    Trial(
        "tidy",
        {"a.html": PAGE.format("<p>x</p>")},
        {"a.html": PAGE.format("<p>x</b></p>")},
        "html",
        3,
    ),
    Trial(
        "css",
        {"a.css": "@media print { a { color: red; &:hover { top: 0 } } }\n"},
        {"a.css": "a { color: red; }\nb { top 0; }\n"},
        "css",
        2,
    ),
    Trial(
        "sqlfluff",
        {".sqlfluff": "[sqlfluff]\ndialect = sqlite\n", "a.sql": "SELECT a FROM t\n"},
        {"a.sql": "SELECT a FROM t\nWHERE a=1\n"},
        "LT01",
        2,
    ),
)


def missing(result: LintedChange | None, linter: str) -> str:
    """The line that says that a linter is not installed."""
    assert result is not None
    said = f"{result.head.output}\n{result.head.problem}".splitlines()
    return next((line for line in said if line.startswith(f"{linter} is not installed:")), "")


@pytest.fixture(scope="module")
def changes(
    sandbox: Sandbox, tmp_path_factory: pytest.TempPathFactory
) -> dict[int, LintedChange | None]:
    """All trials at once: what each linter says is told apart by its name and file."""
    found = {}
    for number in {trial.change for trial in TRIALS}:
        good: dict[str, Content] = {}
        bad: dict[str, Content] = {}
        for trial in TRIALS:
            if trial.change == number:
                assert not good.keys() & trial.good.keys()
                good |= trial.good
                bad |= trial.bad
        folder = tmp_path_factory.mktemp("change")
        found[number] = asyncio.run(lint(sandbox, folder, good, bad))
    return found


@pytest.mark.parametrize("trial", TRIALS, ids=lambda trial: f"{trial.linter}-{trial.rule}")
def test_it_finds_what_is_new(changes: dict[int, LintedChange | None], trial: Trial) -> None:
    result = changes[trial.change]
    if line := missing(result, trial.linter):
        pytest.skip(line)
    assert result is not None
    found = [f for f in of(result, trial.linter) if f.path in trial.bad]
    assert trial.rule in {finding.rule for finding in found}, result.head
    first = next(finding for finding in found if finding.rule == trial.rule)
    assert first.line == trial.line
    assert (first.severity is Severity.BLOCK) == trial.blocks
    on_base = [one for one in result.base.findings if one.tool == trial.linter]
    assert [one for one in on_base if one.path in trial.good] == []


def test_what_is_missing_is_told_beforehand(
    sandbox: Sandbox, changes: dict[int, LintedChange | None]
) -> None:
    absent = {linter.name for linter in asyncio.run(missing_linters(sandbox))}
    told = {trial.linter for trial in TRIALS if missing(changes[trial.change], trial.linter)}
    assert told == absent


def test_every_linter_is_tried() -> None:
    of_the_projects = {"eslint", "stylelint"}  # they come with a project: test_project_linters.py
    assert {trial.linter for trial in TRIALS} | of_the_projects == {one.name for one in LINTERS}
