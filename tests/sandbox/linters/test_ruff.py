"""Ruff on both sides, in real bubblewrap on real checkouts."""

from __future__ import annotations

from pathlib import Path

import pytest

from sandbox.base import Sandbox
from sandbox.values import Severity
from tests.sandbox.linters.changes import Content, lint, told
from tests.sandbox.repositories import Repository

pytestmark = pytest.mark.real


async def test_only_what_is_new_on_head_counts(sandbox: Sandbox, tmp_path: Path) -> None:
    old = "import os\n\n\ndef f():\n    return 1\n"
    new = "# moved down\n\nimport os\nimport sys\n\n\ndef f():\n    return undefined\n"
    result = await lint(sandbox, tmp_path, {"a.py": old, "same.py": old}, {"a.py": new})
    assert told(result) == [("F401", "a.py", 4), ("F821", "a.py", 8)]
    assert result is not None
    assert [finding.rule for finding in result.base.findings] == ["F401"]
    assert len(result.head.findings) == 3
    assert {finding.severity for finding in result.new} == {Severity.ADVISE}


async def test_a_renamed_file_keeps_its_old_findings(sandbox: Sandbox, tmp_path: Path) -> None:
    text = "import os\n" + "".join(f"x{n} = {n}\n" for n in range(30))
    head = {"old.py": None, "new.py": text + "import sys\n"}
    result = await lint(sandbox, tmp_path, {"old.py": text}, head)
    assert told(result) == [("F401", "new.py", 32)]


async def test_of_two_equal_findings_the_added_line_is_new(
    sandbox: Sandbox, tmp_path: Path
) -> None:
    function = "def f{}():\n    print(name)\n\n\n"
    base = {"a.py": function.format(1)}
    head = {"a.py": function.format(0) + function.format(1)}
    assert told(await lint(sandbox, tmp_path, base, head)) == [("F821", "a.py", 2)]


async def test_a_syntax_error_is_a_finding(sandbox: Sandbox, tmp_path: Path) -> None:
    result = await lint(sandbox, tmp_path, {"a.py": "x = 1\n"}, {"a.py": "x = (\n"})
    assert [rule for rule, _, _ in told(result)] == ["invalid-syntax"]


async def test_the_repositorys_own_rules_hold(sandbox: Sandbox, tmp_path: Path) -> None:
    base = {"pyproject.toml": '[tool.ruff.lint]\nselect = ["E711"]\n', "a.py": "x = 1\n"}
    head = {"a.py": "import os\nx = 1\nx == None\n"}
    assert told(await lint(sandbox, tmp_path, base, head)) == [("E711", "a.py", 3)]


@pytest.mark.parametrize(
    "head_configuration",
    ["[lint]\nignore = ['F']\n", "[lint]\nselect = ['ALL']\n", "exclude = ['*.py']\n", None],
)
async def test_the_pull_request_cannot_change_the_rules_it_is_judged_by(
    sandbox: Sandbox, tmp_path: Path, head_configuration: str | None
) -> None:
    base = {"ruff.toml": "[lint]\nselect = ['F']\n", "a.py": "x = 1\n"}
    head = {"ruff.toml": head_configuration, "a.py": "import os\nx = 1\n"}
    assert told(await lint(sandbox, tmp_path, base, head)) == [("F401", "a.py", 1)]


async def test_a_second_configuration_does_not_outrank_the_first(
    sandbox: Sandbox, tmp_path: Path
) -> None:
    base = {
        "pyproject.toml": '[tool.ruff]\nextend = "shared.toml"\n',
        "shared.toml": "[lint]\nselect = ['F']\n",
        "pkg/a.py": "x = 1\n",
    }
    quiet = "[lint]\nselect = []\n"
    head = {".ruff.toml": quiet, "pkg/ruff.toml": quiet, "shared.toml": quiet}
    result = await lint(sandbox, tmp_path, base, head | {"pkg/a.py": "import os\nx = 1\n"})
    assert told(result) == [("F401", "pkg/a.py", 1)]


async def test_a_first_configuration_is_not_yet_policy(sandbox: Sandbox, tmp_path: Path) -> None:
    head = {"ruff.toml": "[lint]\nselect = ['ALL']\n", "a.py": "import os\n"}
    assert told(await lint(sandbox, tmp_path, {"a.py": ""}, head)) == [("F401", "a.py", 1)]


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("ruff.toml", "select = [\n"),
        ("ruff.toml", "no-such-key = 1\n"),
        (".ruff.toml", "required-version = '==0.0.1'\n"),
        ("pyproject.toml", "[tool.ruff]\nextend = '../../../etc/passwd'\n"),
        ("pyproject.toml", b"\xff\xfe[tool.ruff]"),
        ("pyproject.toml", "[" * 100_000),
    ],
)
async def test_a_broken_configuration_is_said(
    sandbox: Sandbox, tmp_path: Path, name: str, content: str | bytes
) -> None:
    base = {name: content, "a.py": "x = 1\n"}
    result = await lint(sandbox, tmp_path, base, {"a.py": "import os\n"})
    assert result is not None
    assert "ruff refused to run: " in result.head.output
    assert result.new == ()


async def test_nothing_to_lint(sandbox: Sandbox, tmp_path: Path) -> None:
    assert await lint(sandbox, tmp_path, {"a.py": "", "b": "1"}, {"a.py": None, "b": "2"}) is None


async def test_awkward_files(sandbox: Sandbox, tmp_path: Path) -> None:
    """Names that look like options, links, bytes that are no text, other line ends, a notebook."""
    Repository(tmp_path / "elsewhere").commit({"x.py": "import os\n"})
    (tmp_path / "project").parent.mkdir(exist_ok=True)
    head: dict[str, Content] = {
        "--config=evil.py": "import os\n",
        "naïve dir/m ö.py": "import os\n",
        "latin.py": b"x = '\xe9'\n",
        "mac.py": b"import os\rimport sys\r",
        "null.py": b"\0\1\2",
        "empty.pyi": "",
    }
    rules = told(await lint(sandbox, tmp_path, {"a.py": ""}, head))
    assert ("F401", "--config=evil.py", 1) in rules
    assert ("F401", "naïve dir/m ö.py", 1) in rules


async def test_more_names_than_one_command_can_hold(sandbox: Sandbox, tmp_path: Path) -> None:
    folder = "/".join(["d" * 200] * 10)
    head = {f"{folder}/m{n:04}.py": "import os\n" for n in range(600)}
    result = await lint(sandbox, tmp_path, {"a.py": ""}, head)
    assert result is not None
    assert result.head.problem == ""
    assert len(result.new) > 400
