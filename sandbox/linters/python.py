"""Ruff: the repository's own rules, else a small set that finds mistakes."""

from __future__ import annotations

import json
import re
import shlex
import tomllib
from collections.abc import Iterator
from pathlib import Path

from sandbox.base import Mount
from sandbox.linters.base import (
    Breaks,
    Edit,
    Linter,
    LinterCall,
    LinterOutput,
    LinterRemark,
    LintJob,
    Position,
    ends,
)
from sandbox.linters.programs import INSIDE, program
from sandbox.linters.reading import layout, parsed, read_parsed, tree_path
from sandbox.toolchains.python_project import read_project
from sandbox.toolchains.tree import Tree

_OWN_RULES = ("--force-exclude", "--no-respect-gitignore")
_DEFAULT_RULES = "E9,F63,F7,F82,F401,F811,F841,B"
_FILES = (".ruff.toml", "ruff.toml", "pyproject.toml")  # in ruff's own order
# Syntax that only an older or newer Python refuses: ruff guesses the version, so it proves nothing.
_OF_A_VERSION = re.compile(r"\(syntax was (added|removed) in Python")


def configuration_of(tree: Path) -> str:
    """Return the file at the root that configures ruff, or ""; a broken pyproject.toml counts."""
    for name in (one for one in _FILES if (tree / one).is_file()):
        if name != "pyproject.toml":
            return name
        try:
            tools = tomllib.loads((tree / name).read_text(errors="replace")).get("tool", {})
            return name if "ruff" in tools else ""
        except (ValueError, RecursionError, AttributeError, TypeError):
            return name
    return ""


def _calls(job: LintJob) -> tuple[LinterCall, ...]:
    own = configuration_of(job.policy)
    rules = _OWN_RULES if own else ("--isolated", "--select", _DEFAULT_RULES)
    options = ("--output-format=json", "--no-fix", "--no-cache", "--exit-zero", *rules)
    return (program("ruff", "check", *options, "--", *job.paths),)


def _read(said: LinterOutput) -> Iterator[LinterRemark]:
    """Read ruff's own JSON: its SARIF does not say which fixes are safe."""
    for item in parsed(said.out):
        rule, message = item["code"].text, item["message"].text
        broken = rule == "invalid-syntax" and not _OF_A_VERSION.search(message)
        fix = item["fix"]
        edits = (
            Edit(
                Position(one["location"]["row"].number, one["location"]["column"].number),
                Position(one["end_location"]["row"].number, one["end_location"]["column"].number),
                one["content"].text,
            )
            for one in fix["edits"]
        )
        yield LinterRemark(
            rule=rule,
            path=tree_path(item["filename"].text, said.folder),
            line=item["location"]["row"].number,
            message=message,
            end_line=item["end_location"]["row"].number,
            breaks=Breaks.ALWAYS if broken else Breaks.NO,
            edits=tuple(edits) if fix["applicability"].text == "safe" else (),
        )


RUFF = Linter(
    name="ruff",
    install="make install",
    takes=ends(".py", ".pyi"),
    calls=_calls,
    read=_read,
    configuration=("*.toml",),  # any of them may be named by `extend`
    ends_with=frozenset({0}),
)


# --- how it is laid out, where base says that ruff does it


_PRE_COMMIT = ".pre-commit-config.yaml"
_HOOK = re.compile(r"\bid: {0,9}[\"']?ruff-format\b")


def _formats(tree: Path) -> bool:
    """Whether the root says so: a table of the formatter's, or its hook for pre-commit."""
    found, files = configuration_of(tree), Tree(tree)
    table = files.toml(found) if found else None
    if table and found == _FILES[-1]:
        table = table.table("tool", "ruff")
    is_set_up = table is not None and table.has("format")
    return is_set_up or _HOOK.search(files.read(_PRE_COMMIT)) is not None


_DIFF = ("format", "--diff", "--no-cache", *_OWN_RULES, "--")
RUFF_FORMAT = Linter(
    name="ruff format",
    install="make install",
    takes=ends(".py", ".pyi"),
    calls=lambda job: (program("ruff", *_DIFF, *job.paths),) if _formats(job.policy) else (),
    read=layout("ruff format"),
    configuration=("*.toml", _PRE_COMMIT),
)


# --- calls of the standard library that the project's own Python would refuse when it reaches them


_PROGRAM = Path(__file__).parent / "inside" / "calls.py"
_LEAST = re.compile(r"(?:>=?|~=|==)\s*(\d+\.\d+)")


def _signature_command(job: LintJob) -> tuple[LinterCall, ...]:
    """Isolated and without site: neither the tree nor an installed package speaks in its name."""
    target = f"{INSIDE}/calls.py"
    wanted = [
        read_project(Tree(tree / job.root)).requires_python for tree in (job.tree, job.policy)
    ]
    found = [match[1] for text in wanted for match in _LEAST.finditer(text[:200])]
    # "3.12" where head or base asks for no older Python, "" where neither says.
    least = max(found, key=lambda text: [int(part) for part in text.split(".")], default="")
    argv = ("python3", "-I", "-S", target, least)
    shown = f"# calls bound by Python's inspect.signature: {shlex.join(job.paths)}"
    mounts = (Mount(str(_PROGRAM), target),)
    return (LinterCall(argv, shown, mounts, stdin=json.dumps(job.paths).encode()),)


SIGNATURES = Linter(
    name="inspect.signature",
    install="apt-get install python3",
    takes=ends(".py"),
    calls=_signature_command,
    read=read_parsed,
    ends_with=frozenset({0}),
    program="python3",
)
