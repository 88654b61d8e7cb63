"""SQL: sqlfluff, where base configures it; without a dialect it would guess."""

from __future__ import annotations

import configparser
import tomllib
from collections.abc import Iterator
from pathlib import Path

from sandbox.linters.base import Linter, LinterCall, LinterOutput, LinterRemark, LintJob, ends
from sandbox.linters.programs import module
from sandbox.linters.reading import parsed, tree_path

_INI_FILES = (".sqlfluff", "setup.cfg", "tox.ini", "pep8.ini")


def _is_configured(tree: Path) -> bool:
    for name in _INI_FILES:
        parser = configparser.RawConfigParser(strict=False)
        try:
            parser.read(tree / name, encoding="utf-8")
        except (configparser.Error, UnicodeDecodeError):
            continue
        if "sqlfluff" in parser:
            return True
    try:
        project = tomllib.loads((tree / "pyproject.toml").read_text(errors="replace"))
        return "sqlfluff" in project.get("tool", {})
    except (OSError, ValueError, RecursionError, AttributeError, TypeError):
        return False


def _calls(job: LintJob) -> tuple[LinterCall, ...]:
    if not _is_configured(job.policy):
        return ()
    options = ("--format", "json", "--nocolor", "--disable-progress-bar", "--processes", "1")
    return (module("sqlfluff", "lint", *options, "--", *job.paths),)


def _read(said: LinterOutput) -> Iterator[LinterRemark]:
    for file in parsed(said.out):
        path = tree_path(file["filepath"].text)
        for item in file["violations"]:
            line = item["start_line_no"].number or item["line_no"].number
            yield LinterRemark(item["code"].text, path, line, item["description"].text)


SQLFLUFF = Linter(
    name="sqlfluff",
    program="sqlfluff",
    install="pip install sqlfluff",
    takes=ends(".sql"),
    calls=_calls,
    read=_read,
    configuration=(*_INI_FILES, "pyproject.toml", ".sqlfluffignore"),
)
