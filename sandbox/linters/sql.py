"""SQL: sqlfluff, where base configures it; without a dialect it would guess."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from sandbox.linters.base import Linter, LinterOutput, LinterRemark, ends
from sandbox.linters.programs import module
from sandbox.linters.reading import parsed, tree_path
from sandbox.toolchains.tree import Tree

_LINT = (
    *("lint", "--format", "json", "--nocolor", "--disable-progress-bar", "--processes", "1"),
    "--",
)
_INI_FILES = (".sqlfluff", "setup.cfg", "tox.ini", "pep8.ini")


def _is_configured(tree: Path) -> bool:
    files = Tree(tree)
    is_in_ini = any("sqlfluff" in files.ini(name) for name in _INI_FILES)
    return is_in_ini or files.toml("pyproject.toml").table("tool").has("sqlfluff")


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
    calls=lambda job: (
        (module("sqlfluff", *_LINT, *job.paths),) if _is_configured(job.policy) else ()
    ),
    read=_read,
    configuration=(*_INI_FILES, "pyproject.toml", ".sqlfluffignore"),
)
