"""`assay config`: what is wrong in a file, and the schema for editors, as a person runs them."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from bot.configuration import json_schema

pytestmark = pytest.mark.real


def assay(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    argv = [sys.executable, "-m", "bot.cli", "config", *arguments]
    return subprocess.run(argv, cwd=folder, capture_output=True, text=True, timeout=60, check=False)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    (tmp_path / ".github").mkdir()
    return tmp_path / ".github" / "assay.yml"


def test_a_valid_file_ends_with_0(file: Path) -> None:
    file.write_text("gate: {lint: block}\n")
    done = assay(file.parents[1], "check")
    assert (done.returncode, done.stdout) == (0, ".github/assay.yml is valid.\n")


def test_each_error_is_told_with_line_and_key_and_ends_with_2(file: Path) -> None:
    file.write_text("limits: {minutes: 0}\n\ngaet: {}\n")
    done = assay(file.parents[1], "check", ".github/assay.yml")
    first, second = done.stderr.splitlines()
    assert done.returncode == 2
    assert first == ".github/assay.yml:1: `limits.minutes`: must be greater than 0"
    assert second.startswith(
        ".github/assay.yml:3: `gaet` is not a known key (did you mean `gate`?)"
    )


def test_a_huge_and_a_missing_file(file: Path, tmp_path: Path) -> None:
    file.write_text("#" * 2_000_000)
    done = assay(tmp_path, "check", str(file))
    assert (done.returncode, "larger than 64 KiB" in done.stderr) == (2, True)
    done = assay(tmp_path, "check", "nowhere.yml")
    assert (done.returncode, "cannot be read: No such file" in done.stderr) == (2, True)


def test_the_schema_is_printed(tmp_path: Path) -> None:
    done = assay(tmp_path, "schema")
    assert (done.returncode, done.stdout) == (0, json_schema())
