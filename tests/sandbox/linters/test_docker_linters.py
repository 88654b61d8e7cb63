"""Linters under the docker driver: what Assay brings along runs, what the image lacks is said."""

from __future__ import annotations

from pathlib import Path

import pytest

from sandbox import open_sandbox
from sandbox.values import Severity
from tests.docker_engine import IMAGE
from tests.sandbox.linters.changes import lint

pytestmark = pytest.mark.real


async def test_linters_of_ours_and_of_the_image(
    docker_engine: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DOCKER_HOST", docker_engine)
    monkeypatch.setenv("ASSAY_DOCKER_IMAGE", IMAGE)
    sandbox = open_sandbox("docker", tmp_path / "state")
    head = {
        "a.py": "import os\n",
        "calls.py": "import shutil\n\nshutil.copyfile('a', 'b', follow_symlink=True)\n",
        "a.yml": "a: 1\na: 2\n",
        "a.json": "{",
        "a.css": "a { b }\n",
        "a.c": 'int main(void) { puts("x"); }\n',
        "a.html": "<p>x</b>\n",
    }
    result = await lint(sandbox, tmp_path, {"README": "x"}, head)
    assert result is not None
    told = {(one.tool, one.rule, one.severity) for one in result.new}
    assert told >= {
        ("ruff", "F401", Severity.ADVISE),
        ("inspect.signature", "refused-call", Severity.BLOCK),
        ("yamllint", "key-duplicates", Severity.ADVISE),
        ("data files", "syntax", Severity.BLOCK),
        ("css", "css", Severity.ADVISE),
        ("cc", "-Wimplicit-function-declaration", Severity.BLOCK),
    }
    assert "tidy is not installed: apt-get install tidy" in result.head.output
