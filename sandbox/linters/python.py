"""Ruff: the repository's own rules, else a small set that finds mistakes."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from sandbox.linters.base import Breaks, Call, Job, Linter, Remark, Said, ends
from sandbox.linters.programs import program
from sandbox.linters.reading import sarif

_DEFAULT_RULES = "E9,F63,F7,F82,F401,F811,F841,B"
_FILES = (".ruff.toml", "ruff.toml", "pyproject.toml")  # in ruff's own order
# Syntax that only an older or newer Python refuses: ruff guesses the version, so it proves nothing.
_OF_A_VERSION = re.compile(r"\(syntax was (added|removed) in Python")


def configuration_of(tree: Path) -> str:
    """Return the file at the root that configures ruff, or ""; a broken pyproject.toml counts."""
    found = (name for name in _FILES if (tree / name).is_file())
    return next(
        (name for name in found if name != "pyproject.toml" or _tells_ruff(tree / name)), ""
    )


def _tells_ruff(project: Path) -> bool:
    try:
        return "ruff" in tomllib.loads(project.read_text(errors="replace")).get("tool", {})
    except (tomllib.TOMLDecodeError, RecursionError, AttributeError, TypeError):
        return True


def _calls(job: Job) -> tuple[Call, ...]:
    rules: tuple[str, ...] = ("--isolated", "--select", _DEFAULT_RULES)
    if configuration_of(job.policy):
        rules = ("--force-exclude", "--no-respect-gitignore")
    options = ("--output-format=sarif", "--no-fix", "--no-cache", "--exit-zero", *rules)
    return (program("ruff", "check", *options, "--", *job.paths),)


def _read(said: Said) -> Iterator[Remark]:
    for remark in sarif(said):
        broken = remark.rule == "invalid-syntax" and not _OF_A_VERSION.search(remark.message)
        yield replace(remark, breaks=Breaks.ALWAYS if broken else Breaks.NO)


RUFF = Linter(
    name="ruff",
    install="make install",
    takes=ends(".py", ".pyi"),
    calls=_calls,
    read=_read,
    configuration=("*.toml",),  # any of them may be named by `extend`
    ends_with=frozenset({0}),
)
