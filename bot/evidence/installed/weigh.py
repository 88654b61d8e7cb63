"""Says where it matters what users install, and what it means where they cannot use what base lets them.

What could not be built, fetched or packed is not measured and decides nothing.
"""

from __future__ import annotations

import json
import re
import sys
import tomllib
from collections.abc import Iterable
from dataclasses import replace
from pathlib import PurePosixPath

from bot.diff.kinds import is_test_file
from bot.diff.lines import added_lines, is_gone, is_new, old_path, removed_lines
from bot.diff.paths import is_document
from bot.evidence.case import Case
from bot.evidence.oracle import unsatisfied, unverified
from bot.evidence.planning import Change
from bot.task.requirements import BUILDS
from bot.values import ActionKind, Requirement, Requirements, Step, Verdict, VerdictOutcome
from sandbox.installed.values import InstalledSide, Use
from sandbox.test_runs.path_kinds import SCRIPTS
from sandbox.values import FileChange

_STEP = Step(
    id="",
    goal="Use the package as its users install it: by itself, with its dependencies only.",
    guidance="Built or packed on both sides, and loaded without the tree and what tests bring.",
    requirement_ids=(BUILDS,),
    action=ActionKind.INSTALLED,
)
_MOST_PATHS, _MOST_NAMED = 50, 3
_ASIDE = {
    "docs",
    "doc",
    "examples",
    "example",
    "benchmarks",
    "bench",
    "scripts",
    "tools",
    ".github",
}
_PACKAGING = {"setup.py", "setup.cfg", "MANIFEST.in", ".npmignore"}
_PYTHON = re.compile(r"\s*(?:from\s+([A-Za-z_]\w*)[\w.]*\s+import\b|import\s+([A-Za-z_][\w., ]*))")
_SCRIPT = re.compile(
    r"""\b(?:from|import|require)\b\s{0,9}\(?\s{0,9}['"]((?:@[\w.-]{1,100}/)?\w[\w.-]{0,100})(?=['"/])"""
)
_BUILT_IN = frozenset(
    [
        "assert",
        "buffer",
        "child_process",
        "cluster",
        "console",
        "constants",
        "crypto",
        "dgram",
        "dns",
        "domain",
        "events",
        "fs",
        "http",
        "http2",
        "https",
        "inspector",
        "module",
        "net",
        "os",
        "path",
        "perf_hooks",
        "process",
        "punycode",
        "querystring",
        "readline",
        "repl",
        "stream",
        "string_decoder",
        "timers",
        "tls",
        "tty",
        "url",
        "util",
        "v8",
        "vm",
        "wasi",
        "worker_threads",
        "zlib",
    ]
)
_FIELDS = (
    *("files", "exports", "imports", "main", "module", "bin", "type", "name", "private"),
    *("dependencies", "peerDependencies", "optionalDependencies", "bundledDependencies"),
)
_BUILDERS = ("setuptools", "hatch", "poetry", "flit", "pdm", "uv", "maturin", "meson-python")
_BY_ITSELF = "Installed by itself, as users have it"
_CONTAIN_ALL = (
    "Let the package contain all that it imports (`packages`, `include`, `files`), name what it needs in "
    "`dependencies`, and push."
)
_OPEN_IT = "List it in `exports`, or say in the issue that `exports` is to close it."
_SPEAKS_OF_EXPORTS = re.compile(r"(?i)\bexports?\b.{0,40}\b(?:map|field)\b|[`'\"]exports['\"`]")


# --- where it matters -------------------------------------------------------------------------


def plan_installed(_: Requirements, change: Change) -> Step | None:
    """Plan it for new imports of other packages, new files, and edits of what says how to package."""
    paths = tuple(one.path for one in change.diff.files if _matters(one, change))
    return replace(_STEP, arguments=paths[:_MOST_PATHS]) if paths else None


def _matters(one: FileChange, change: Change) -> bool:
    name, suffix = PurePosixPath(one.path).name, PurePosixPath(one.path).suffix
    before, after = change.base.read(old_path(one)) or "", change.head.read(one.path) or ""
    if name in ("pyproject.toml", "package.json"):
        read = _packaging_of_python if name == "pyproject.toml" else _packaging_of_node
        return read(before) != read(after)
    if name in _PACKAGING or is_gone(one):
        return name in _PACKAGING
    if is_test_file(one.path) or is_document(one.path) or one.path.split("/")[0] in _ASIDE:
        return False
    if is_new(one) or one.old_path:
        return suffix in (".py", *SCRIPTS) or _is_named(name, change)
    read_imports = _imports_of_python if suffix == ".py" else _imports_of_node
    if suffix not in (".py", *SCRIPTS):
        return False
    new = read_imports(text for _, text in added_lines(one))
    new -= read_imports(text for _, text in removed_lines(one))
    return bool(new) and not new <= _own(change)


def _packaging_of_python(text: str) -> object:
    try:
        data = tomllib.loads(text)
    except (ValueError, RecursionError):
        return text
    project = data.get("project")
    stated = (
        {k: v for k, v in project.items() if k != "version"} if isinstance(project, dict) else {}
    )
    tool = data.get("tool")
    tools = [tool.get(one) for one in _BUILDERS] if isinstance(tool, dict) else []
    return stated, data.get("build-system"), tools


def _packaging_of_node(text: str) -> object:
    try:
        data = json.loads(text)
    except (ValueError, RecursionError):
        return text
    return [data.get(one) for one in _FIELDS] if isinstance(data, dict) else text


def _is_named(name: str, change: Change) -> bool:
    """Whether new lines of code speak of a file of data."""
    code = (one for one in change.diff.files if one.path.endswith((".py", *SCRIPTS)))
    return any(name in text for one in code for _, text in added_lines(one))


def _imports_of_python(lines: Iterable[str]) -> set[str]:
    said = [match for line in lines if (match := _PYTHON.match(line))]
    names = {
        part.split()[0].split(".")[0]
        for m in said
        for part in (m[1] or m[2]).split(",")
        if part.split()
    }
    return names - sys.stdlib_module_names


def _imports_of_node(lines: Iterable[str]) -> set[str]:
    return {match[1] for line in lines for match in _SCRIPT.finditer(line)} - _BUILT_IN


def _own(change: Change) -> set[str]:
    """Return the names of all folders and files: what is imported by one of them is there anyway."""
    return {part.removesuffix(".py") for path in change.head.paths() for part in path.split("/")}


# --- what it means ----------------------------------------------------------------------------


def broken(base: InstalledSide, head: InstalledSide) -> tuple[Use, ...]:
    """Return what users of base can do and users of head cannot, for something that is not there.

    What an extra brings may be missing where not everybody looks.
    """
    could = {one.what for one in base.uses if not one.error}
    return tuple(
        one
        for one in head.uses
        if one.error and one.counts and one.what in could
        if one.is_for_all or not _is_of_extra(one.missing, head)
    )


def doubts(base: InstalledSide, head: InstalledSide) -> tuple[str, ...]:
    """Return, as clauses, what of head may not work for users, where base has nothing like it."""
    found = []
    if not base.unmet:
        unmet = [one for one in head.unmet if not _is_of_extra(one.package, head)]
        found += [f"`{one.path}` imports `{one.package}`, which is not installed" for one in unmet]
    kinds = {PurePosixPath(path).suffix for path in base.left_out}
    left_out = [path for path in head.left_out if PurePosixPath(path).suffix not in kinds]
    found += [f"the package does not contain `{path}`" for path in left_out]
    return tuple(dict.fromkeys(found))


def closed(base: InstalledSide, head: InstalledSide) -> tuple[str, ...]:
    """Return the paths that users of base can import, and that head has and gives nobody."""
    return tuple(sorted(set(base.open).intersection(head.closed)))


def _is_of_extra(module: str, head: InstalledSide) -> bool:
    """Whether an extra that is for users brings a module."""
    names = {
        re.sub(r"[-_.]+", "-", module).lower(),
        *(p.package for p in head.providers if p.module == module),
    }
    return any(one.package in names and not _OF_TESTS.match(one.extra) for one in head.extras)


_OF_TESTS = re.compile(r"(?:tests?|testing|dev|develop|development|ci|lint|docs?|typing)(?:$|-)")


def with_installed(verdict: Verdict, requirement: Requirement, case: Case) -> Verdict:
    """Let it build only where what base's users can do, head's users can do too."""
    if requirement.id != BUILDS or verdict.outcome is not VerdictOutcome.SATISFIED:
        return verdict
    for evidence in case.observed.evidence:
        base = evidence.base.installed if evidence.base else None
        head = evidence.head.installed if evidence.head else None
        if base and head and not (base.problem or head.problem):
            told = _told(base, head, requirement, case)
            if told:
                return replace(told, evidence_ids=(evidence.id,))
            verdict = replace(verdict, evidence_ids=(*verdict.evidence_ids, evidence.id))
    return verdict


def _told(
    base: InstalledSide, head: InstalledSide, requirement: Requirement, case: Case
) -> Verdict | None:
    """Return the verdict where head's users lost something, or may have."""
    if lost := broken(base, head):
        first, more = lost[0], f" So do {len(lost) - 1} more." if len(lost) > 1 else ""
        reason = f"{_BY_ITSELF}, `{first.what}` works on base and fails on head: {first.error.rstrip('.')}."
        step = _advice(first.missing, head)
        return unsatisfied(requirement, f"{reason}{more}", case, next_step=step)
    if found := doubts(base, head):
        more = f" ({len(found) - _MOST_NAMED} more)" if len(found) > _MOST_NAMED else ""
        reason = f"{_BY_ITSELF}, {'; '.join(found[:_MOST_NAMED])}{more}."
        missing = head.unmet[0].package if head.unmet else ""
        return unverified(requirement, reason, _advice(missing, head))
    asked = (f"{one.text}\n{one.detail}" for one in case.requirements.items if one.trust.is_asked)
    if (shut := closed(base, head)) and not any(map(_SPEAKS_OF_EXPORTS.search, asked)):
        named = ", ".join(f"`{path}`" for path in shut[:_MOST_NAMED])
        more = f" and {len(shut) - _MOST_NAMED} more" if len(shut) > _MOST_NAMED else ""
        reason = f"Users of base can import {named}{more}; `exports` of `package.json` closes that."
        return unverified(requirement, reason, _OPEN_IT)
    return None


def _advice(missing: str, head: InstalledSide) -> str:
    brought = next((one.package for one in head.providers if one.module == missing), "")
    if brought:
        return f"Add `{brought}` to `dependencies`, since only the tests bring it now, and push."
    return _CONTAIN_ALL
