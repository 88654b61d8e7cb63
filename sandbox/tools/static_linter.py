"""Ruff on the changed Python files of both sides; what is new on head is what counts.

The repository's ruff configuration is data that only ruff reads, inside the sandbox. Base's
configuration (the one at the root) holds on both sides, so a pull request can neither quieten the
linter nor drown the report in rules it just switched on. A repository without one gets a small set
that finds mistakes.
"""

from __future__ import annotations

import json
import shutil
import sysconfig
import tomllib
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from sandbox.base import TREE, Command, Completed, Limits, Mount, MountMode, Sandbox, SandboxError
from sandbox.concurrently import concurrently
from sandbox.models import ChangeStatus, Checkout, FileChange, Finding, Observation, Severity, Side
from sandbox.names import inside

_RUFF = "/opt/assay/ruff"
_DEFAULT_RULES = "E9,F63,F7,F82,F401,F811,F841,B"
_CONFIGURATION = (".ruff.toml", "ruff.toml", "pyproject.toml")  # in ruff's own order
_LIMITS = Limits(timeout_s=120.0, memory_mb=2048, processes=64, output_bytes=32_000_000)
_MAX_OUTPUT = 4000
_MAX_MESSAGE = 500
_MAX_NAME_BYTES = 1_000_000  # the kernel takes 2 MB of arguments


@dataclass(frozen=True, slots=True)
class Linted:
    """Both sides as ruff sees them, and the findings that only head has."""

    base: Observation
    head: Observation
    new: tuple[Finding, ...]


async def lint_python(sandbox: Sandbox, checkout: Checkout) -> Linted | None:
    """Run ruff on the changed Python files; None when there are none.

    A configuration that ruff refuses is a `problem` of the observations, with no new finding.
    Raises SandboxError when ruff is not installed with Assay or isolation cannot be had.
    """
    changes = list(_named_within(checkout.diff.files, _MAX_NAME_BYTES))
    if not any(change.status is not ChangeStatus.DELETED for change in changes):
        return None
    configuration = configuration_of(Path(checkout.base_tree))
    extra = _base_configuration(checkout) if configuration else ()
    sides = []
    for side, tree in ((Side.BASE, checkout.base_tree), (Side.HEAD, checkout.head_tree)):
        paths = _paths(changes, side, Path(tree))
        mounts = (Mount(tree, TREE, MountMode.COPY_ON_WRITE), *(extra if side is Side.HEAD else ()))
        sides.append(_lint(sandbox, side, _arguments(paths, configuration), mounts))
    base, head = await concurrently(*sides)
    new = () if base.problem or head.problem else _new_on_head(base, head, checkout, changes)
    return Linted(base, head, new)


def configuration_of(tree: Path) -> str:
    """Return the file at the root that configures ruff, or ""; a broken pyproject.toml counts."""
    found = (name for name in _CONFIGURATION if (tree / name).is_file())
    return next(
        (name for name in found if name != "pyproject.toml" or _tells_ruff(tree / name)), ""
    )


def _tells_ruff(project: Path) -> bool:
    try:
        return "ruff" in tomllib.loads(project.read_text(errors="replace")).get("tool", {})
    except (tomllib.TOMLDecodeError, RecursionError, AttributeError, TypeError):
        return True


def _named_within(changes: tuple[FileChange, ...], max_bytes: int) -> Iterator[FileChange]:
    """Yield the changed Python files whose names fit into one command, on both sides the same."""
    left = max_bytes
    for change in filter(_is_python, changes):
        left -= len(change.path.encode()) + len((change.old_path or "").encode()) + 16
        if left > 0:
            yield change


def _is_python(change: FileChange) -> bool:
    utf8_named = not change.path.startswith('"')
    return change.path.endswith((".py", ".pyi")) and not change.binary and utf8_named


def _paths(changes: list[FileChange], side: Side, tree: Path) -> list[str]:
    absent = ChangeStatus.ADDED if side is Side.BASE else ChangeStatus.DELETED
    present = (change for change in changes if change.status is not absent)
    paths = [_name_on(change, side) for change in present]
    return [path for path in paths if _is_regular(tree, path)]


def _name_on(change: FileChange, side: Side) -> str:
    return change.old_path or change.path if side is Side.BASE else change.path


def _is_regular(tree: Path, path: str) -> bool:
    found = inside(tree, path)
    return found.is_file() and not found.is_symlink()


def _base_configuration(checkout: Checkout) -> tuple[Mount, ...]:
    """Return base's version of every TOML file, to lie over what the pull request made of it.

    Any of them may be part of the configuration (`extend = "shared.toml"`).
    """
    changed = (
        change.old_path or change.path
        for change in checkout.diff.files
        if change.status is not ChangeStatus.ADDED
    )
    names = [path for path in changed if path.endswith(".toml")]
    base, head = Path(checkout.base_tree), Path(checkout.head_tree)
    return tuple(
        Mount(str(inside(base, path)), f"{TREE}/{path}")
        for path in names
        if _is_regular(base, path) and inside(head, path).parent.is_dir()
    )


def _arguments(paths: list[str], configuration: str) -> tuple[str, ...]:
    rules: tuple[str, ...] = ("--isolated", "--select", _DEFAULT_RULES)
    if configuration:  # named, so that a file added next to it or below it is not looked at
        rules = ("--config", f"{TREE}/{configuration}")
    options = ("--output-format=json", "--no-fix", "--no-cache", "--exit-zero", "--force-exclude")
    return ("check", *options, *rules, "--", *(f"./{path}" for path in paths)) if paths else ()


async def _lint(
    sandbox: Sandbox, side: Side, arguments: tuple[str, ...], mounts: tuple[Mount, ...]
) -> Observation:
    shown = " ".join(("ruff", *arguments))[:_MAX_OUTPUT]
    if not arguments:
        return Observation(side, "ruff check", 0, "No file to look at.", 0.0)
    completed = await sandbox.run(
        Command(
            argv=(_RUFF, *arguments),
            mounts=(*mounts, Mount(_ruff_binary(), _RUFF)),
            environment=(("NO_COLOR", "1"),),
            limits=_LIMITS,
        )
    )
    return _observed(side, shown, completed)


def _ruff_binary() -> str:
    own = Path(sysconfig.get_path("scripts"), "ruff")
    found = str(own) if own.is_file() else shutil.which("ruff")
    if not found:
        raise SandboxError("ruff is not installed next to Assay; run `make install` again.")
    return found


def _observed(side: Side, command: str, completed: Completed) -> Observation:
    said = completed.stderr.decode(errors="replace")[:_MAX_OUTPUT]
    findings: tuple[Finding, ...] = ()
    problem = ""
    if completed.killed or completed.truncated:
        problem = "Ruff was stopped by a limit, so its findings are not complete."
    elif completed.exit_code != 0:
        problem = "Ruff refused to run: " + (said.strip().splitlines() or ["no reason given"])[-1]
    else:
        try:
            findings = tuple(_findings(completed.stdout, side))
        except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
            problem = "Ruff's output could not be read."
    lines = [f"{f.path}:{f.line}: {f.rule} {f.message}" for f in findings]
    return Observation(
        side,
        command,
        completed.exit_code,
        ("\n".join(lines) or said or "No findings.")[:_MAX_OUTPUT],
        completed.seconds,
        truncated=completed.truncated,
        findings=findings,
        problem=problem,
    )


def _findings(output: bytes, side: Side) -> Iterator[Finding]:
    for item in json.loads(output):
        yield Finding(
            rule=str(item["code"] or "invalid-syntax"),
            severity=Severity.ADVISE,
            path=str(item["filename"]).removeprefix(f"{TREE}/"),
            line=int(item["location"]["row"]),
            message=str(item["message"])[:_MAX_MESSAGE],
            end_line=int(item["end_location"]["row"]),
            side=side,
            tool="ruff",
        )


# --- new on head ----------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Key:
    """What makes two findings the same one, wherever the line moved."""

    rule: str
    path: str
    text: str


def _new_on_head(
    base: Observation, head: Observation, checkout: Checkout, changes: list[FileChange]
) -> tuple[Finding, ...]:
    renamed = {change.old_path or change.path: change.path for change in changes}
    known = Counter(_keys(base.findings, Path(checkout.base_tree), renamed))
    added = {change.path: _added_lines(change) for change in changes}
    keyed = zip(head.findings, _keys(head.findings, Path(checkout.head_tree), {}), strict=True)
    new = []
    # Untouched lines first: when one of two equal findings is new, it is the one on an added line.
    for finding, key in sorted(keyed, key=lambda pair: pair[0].line in added.get(pair[0].path, ())):
        if known[key] > 0:
            known[key] -= 1
        else:
            new.append(finding)
    return tuple(sorted(new, key=lambda finding: (finding.path, finding.line, finding.rule)))


def _keys(findings: tuple[Finding, ...], tree: Path, renamed: dict[str, str]) -> list[_Key]:
    lines = {path: _lines(tree, path) for path in {finding.path for finding in findings}}
    return [
        _Key(
            finding.rule,
            renamed.get(finding.path, finding.path),
            _text(lines[finding.path], finding.line),
        )
        for finding in findings
    ]


def _lines(tree: Path, path: str) -> list[str]:
    return inside(tree, path).read_text(errors="replace").split("\n")


def _text(lines: list[str], number: int) -> str:
    return " ".join(lines[number - 1].split()) if 0 < number <= len(lines) else ""


def _added_lines(change: FileChange) -> set[int]:
    numbers = set()
    for hunk in change.hunks:
        number = hunk.new_start
        for line in hunk.lines:
            if line.startswith("+"):
                numbers.add(number)
            number += not line.startswith("-")
    return numbers
