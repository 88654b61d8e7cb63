"""Whose rules hold, what counts as new, and what blocks: in real bubblewrap on real checkouts."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pytest

from sandbox.base import Sandbox
from sandbox.values import Severity
from tests.sandbox.linters.changes import Content, Files, lint, of

pytestmark = pytest.mark.real

BAD_SCRIPT = "#!/bin/sh\nrm -r $1\n"
UNQUOTED = "SC2086"


@dataclass(frozen=True)
class Silenced:
    """A configuration that would keep a linter quiet about a file; `before` is base's."""

    rule: str
    file: tuple[str, str]
    configuration: tuple[str, str]
    before: str = ""


SILENCED = (
    Silenced(UNQUOTED, ("a.sh", BAD_SCRIPT), (".shellcheckrc", f"disable={UNQUOTED}\n")),
    Silenced("key-duplicates", ("a.yml", "a: 1\na: 2\n"), (".yamllint", "{rules: {}}\n")),
    Silenced(
        "DL3003",
        ("Dockerfile", "FROM debian:12\nRUN cd /\n"),
        (".hadolint.yaml", "ignored: [DL3003]\n"),
    ),
    Silenced(
        "F401",
        ("a.py", "import os\n"),
        ("pyproject.toml", "[tool.ruff.lint]\nignore = ['F401']\n"),
        "[tool.ruff.lint]\nselect = ['F']\n",
    ),
    Silenced(
        "LT01",
        ("a.sql", "SELECT  1\n"),
        (".sqlfluff", "[sqlfluff]\ndialect = ansi\nrules = ST01\n"),
        "[sqlfluff]\ndialect = ansi\n",
    ),
)


@pytest.mark.parametrize("silenced", SILENCED, ids=lambda silenced: silenced.rule)
async def test_a_pull_request_cannot_switch_a_rule_off(
    sandbox: Sandbox, tmp_path: Path, silenced: Silenced
) -> None:
    name, text = silenced.configuration
    base = {"README": "x"} | ({name: silenced.before} if silenced.before else {})
    result = await lint(sandbox, tmp_path, base, dict([silenced.file, (name, text)]))
    assert silenced.rule in {finding.rule for finding in result.new}


async def test_what_base_switched_off_stays_off(sandbox: Sandbox, tmp_path: Path) -> None:
    base = {".shellcheckrc": f"disable={UNQUOTED}\n"}
    result = await lint(sandbox, tmp_path, base, {"a.sh": BAD_SCRIPT, ".shellcheckrc": None})
    assert of(result, "shellcheck") == []


async def test_a_renamed_and_moved_finding_is_not_new(sandbox: Sandbox, tmp_path: Path) -> None:
    filler = "".join(f"echo {n}\n" for n in range(30))
    base = {"old.sh": BAD_SCRIPT + filler}
    head = {"old.sh": None, "bin/new.sh": f"#!/bin/sh\n\n\nrm -r $1\n{filler}echo $2\n"}
    found = of(await lint(sandbox, tmp_path, base, head), "shellcheck")
    assert [(one.path, one.line, one.rule) for one in found] == [("bin/new.sh", 35, UNQUOTED)]


async def test_changed_lines_come_first(sandbox: Sandbox, tmp_path: Path) -> None:
    """A line that was not touched can get worse: its variable lost its value."""
    base = {"a.sh": "#!/bin/sh\nx=1\necho\necho $x\n", "b.sh": "#!/bin/sh\necho\n"}
    head = {"a.sh": "#!/bin/sh\n\necho\necho $x\n", "b.sh": BAD_SCRIPT}
    found = of(await lint(sandbox, tmp_path, base, head), "shellcheck")
    assert (found[0].path, found[-1].path) == ("b.sh", "a.sh")


BLOCKING: dict[str, tuple[Files, Files]] = {
    "a script that is new": ({"README": "x"}, {"tools/a.sh": "if true\n"}),
    "a module that is new": ({"README": "x"}, {"a.mjs": "const = 1;\n"}),
    "a merge left half done": (
        {"a.yml": "a: 1\n"},
        {"a.yml": "<<<<<<< ours\na: {{ x }}\n=======\na: [2\n>>>>>>> theirs\n"},
    ),
    "a header that is gone": (
        {"a.c": '#include "x.h"\nint f(void) { return X; }\n', "inc/x.h": "#define X 1\n"},
        {"inc/x.h": None},
    ),
    "a header that lost what is used": (
        {"a.c": '#include "y.h"\nint f(void) { return X; }\n', "inc/y.h": "#define X 1\n"},
        {"inc/y.h": "#define Y 1\n"},
    ),
    "a header that was never added": (
        {"a.c": "int f(void) { return 1; }\n"},
        {"a.c": '#include "never.h"\nint f(void) { return X; }\n'},
    ),
    "a program without its header": (
        {"README": "x"},
        {"hello.c": 'int main(void) { printf("hi"); return 0; }\n'},
    ),
    "a test that is no Python": ({"README": "x"}, {"tests/test_a.py": "def f(:\n"}),
}
ADVISORY: dict[str, tuple[Files, Files]] = {
    "it was broken before": ({"a.sh": "if a\n"}, {"a.sh": "if b; fi done\n"}),
    "a fixture": ({"README": "x"}, {"tests/fixtures/a.json": "{", "testdata/b.yml": "a: [\n"}),
    "data of a test": ({"README": "x"}, {"tests/data/a.json": "{", "test/x.py": "def (\n"}),
    "its name says it": ({"README": "x"}, {"examples/bad_syntax.py": "def (\n"}),
    "a template": (
        {"README": "x"},
        {"chart/templates/a.yaml": "a: {{ .b }}\n", "a.yaml": "{% if x %}\na: 1\n{% endif %}\n"},
    ),
    "comments in JSON": ({"tsconfig.json": "{}"}, {"tsconfig.json": '{"a": [1,], // x\n}\n'}),
    "one document a line": ({"README": "x"}, {"a.json": '{"a": 1}\n{"a": 2}\n'}),
    "an unknown tag": ({"README": "x"}, {"a.yml": "a: !Ref b\n---\nb: !!python/name:x ''\n"}),
    "patterns of bash": ({"README": "x"}, {"a.sh": "shopt -s extglob\nls !(a)\n"}),
    "another shell": ({"README": "x"}, {"a.sh": "#!/usr/bin/env fish\nif a\nend\n"}),
    "new JavaScript that may be JSX": ({"README": "x"}, {"a.js": "const a = <b />;\n"}),
    "JavaScript that became JSX": ({"a.js": "f(1);\n"}, {"a.js": "f(<b>1</b>);\n"}),
    "a module in a .js file": ({"a.js": "f(1);\n"}, {"a.js": "import f from 'x';\nf(1);\n"}),
    "a library that is not here": (
        {"a.c": "int f(void) { return 1; }\n"},
        {"a.c": "#include <no/such.h>\nint f(void) { return X; }\n"},
    ),
    "a header that a tool makes": ({"README": "x"}, {"b.c": '#include "made.h"\nint f(void);\n'}),
    "newer C++": (
        {"a.cpp": "int f();\n"},
        {"a.cpp": "template <typename T> concept A = requires(T t) { t.f(); };\n"},
    ),
    "Java with a library": (
        {"A.java": "class A { }\n"},
        {"A.java": "import org.lib.B;\nclass A { B b = new B(); }\n"},
    ),
}
OF_THE_PROJECT: dict[str, tuple[Files, Files]] = {
    "C as the project compiles it": (
        {"a.c": "int f(void);\n", "Makefile": "CFLAGS = -std=c89 -DANSWER=42\n"},
        {"a.c": "int f() { return g(ANSWER); }\n"},
    ),
    "syntax of another Python": (
        {"pyproject.toml": '[project]\nname = "x"\nrequires-python = ">=3.8"\n[tool.ruff]\n'},
        {"a.py": "match 1:\n    case 1:\n        pass\n"},
    ),
}


def in_folders(cases: dict[str, tuple[Files, Files]]) -> tuple[Files, Files]:
    """All cases as one change, each in a folder of its own."""
    base: dict[str, Content] = {"README": "x"}
    head: dict[str, Content] = {}
    for number, (before, after) in enumerate(cases.values()):
        base |= {f"case{number}/{name}": text for name, text in before.items()}
        head |= {f"case{number}/{name}": text for name, text in after.items()}
    return base, head


async def test_a_file_that_parses_no_more_blocks(sandbox: Sandbox, tmp_path: Path) -> None:
    result = await lint(sandbox, tmp_path, *in_folders(BLOCKING))
    blocking = {one.path.split("/")[0] for one in result.new if one.severity is Severity.BLOCK}
    seen = {name: f"case{number}" in blocking for number, name in enumerate(BLOCKING)}
    assert seen == dict.fromkeys(BLOCKING, True)
    assert (result.base.exit_code, result.head.exit_code) == (0, 1)
    assert result.new[0].severity is Severity.BLOCK


async def test_what_may_be_meant_never_blocks(sandbox: Sandbox, tmp_path: Path) -> None:
    result = await lint(sandbox, tmp_path, *in_folders(ADVISORY))
    assert [one for one in result.new if one.severity is Severity.BLOCK] == []
    assert "was stopped" not in result.head.output
    linters = {one.tool for one in result.new}
    assert {"bash -n", "data files", "node --check", "cc"} <= linters, "they did look"


async def test_that_a_broken_fixture_is_broken_is_no_news(sandbox: Sandbox, tmp_path: Path) -> None:
    meant = ("tests/data/invalid.toml", "test/malformed/a.json")
    others = ("tests/data/valid.toml", "conf/invalid.toml", "tests/data/conf.json")
    files = dict.fromkeys((*meant, *others), "a = [\n")
    result = await lint(sandbox, tmp_path, {"README": "x"}, files)

    assert {one.path for one in result.new} == {*others}
    assert all(name in {one.path for one in result.head.findings} for name in meant)


@pytest.mark.parametrize("name", OF_THE_PROJECT)
async def test_the_projects_own_language_is_no_mistake(
    sandbox: Sandbox, tmp_path: Path, name: str
) -> None:
    result = await lint(sandbox, tmp_path, *OF_THE_PROJECT[name])
    assert {one.severity for one in result.new} <= {Severity.ADVISE}
