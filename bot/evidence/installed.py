"""What users install: the package alone, loaded on both sides without the tree and what only tests bring.

What could not be built, fetched or packed is not measured and decides nothing.
"""

from __future__ import annotations

import asyncio
import json
import re
import sys
import tomllib
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path, PurePosixPath

from bot.context import EvaluationContext, Project
from bot.diff.kinds import is_test_file
from bot.diff.lines import added_lines, is_gone, is_new, old_path, removed_lines
from bot.evidence.case import Case
from bot.evidence.oracle import unsatisfied, unverified
from bot.evidence.planning import Change
from bot.evidence.seen import Seen, ShownBoth, StepSide, on_both, showing, sides
from bot.services import Services, build_request
from bot.task.requirements import BUILDS
from bot.text.clipping import listed
from bot.values import ActionKind, Requirement, Requirements, Step, Verdict, VerdictOutcome
from sandbox.installed.node import can_be_packed, load_packed
from sandbox.installed.python import Wanted, can_be_installed, import_installed
from sandbox.installed.values import InstalledSide, Lacking, broken, doubts, shut
from sandbox.test_runs.path_kinds import SCRIPTS
from sandbox.toolchains.tree import Tree
from sandbox.values import Environment, FileChange, Observation, Side

_STEP = Step(
    id="",
    goal="Use the package as its users install it: by itself, with its dependencies only.",
    guidance="Built or packed on both sides, and loaded without the tree and what tests bring.",
    requirement_ids=(BUILDS,),
    action=ActionKind.INSTALLED,
)
_MOST_PATHS, _MOST_NAMED = 50, 3
_ASIDE = {
    "docs", "doc", "examples", "example", "benchmarks", "bench", "scripts", "tools", ".github",
}  # fmt: skip
_CODE = (".py", *SCRIPTS)
_PACKAGING = {"setup.py", "setup.cfg", "MANIFEST.in", ".npmignore"}
_PYTHON = re.compile(
    r"(?:^|[;:])\s{0,99}(?:from\s+([A-Za-z_]\w*)[\w.]*\s+import\b|import\s+([A-Za-z_][\w., ]*))"
    r"|\b(?:import_module|__import__)\(\s{0,9}['\"]([A-Za-z_]\w*)"
)
_SCRIPT = re.compile(
    r"""\b(?:from|import|require)\b\s{0,9}\(?\s{0,9}['"]((?:@[\w.-]{1,100}/)?\w[\w.-]{0,100})(?=['"/])"""
)
_BUILT_IN = {
    "assert", "buffer", "child_process", "cluster", "constants", "crypto", "dns", "events", "fs", "http",
    "http2", "https", "inspector", "module", "net", "os", "path", "perf_hooks", "process", "querystring",
    "readline", "stream", "string_decoder", "timers", "tls", "tty", "url", "util", "v8", "vm",
    "worker_threads", "zlib",
}  # fmt: skip
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
    file, before = PurePosixPath(one.path), change.base.read(old_path(one)) or ""
    if file.name in _PACKAGING:
        return True
    if file.name in _STATED:
        read = _STATED[file.name]
        return read(before) != read(change.head.read(one.path) or "")
    is_aside = is_test_file(one.path) or file.parts[0] in _ASIDE
    if is_aside or is_gone(one):
        return False
    if is_new(one) or one.old_path:
        code = (o for o in change.diff.files if PurePosixPath(o.path).suffix in _CODE)
        is_named = any(file.name in text for o in code for _, text in added_lines(o))
        return file.suffix in _CODE or is_named
    read_imports = _imports_of_python if file.suffix == ".py" else _imports_of_node
    new = read_imports(text for _, text in added_lines(one)) if file.suffix in _CODE else set()
    new = new - read_imports(text for _, text in removed_lines(one))
    if new and file.suffix == ".py":  # the modules at the top of the tree are there anyway
        paths = (
            one.removeprefix("src/").removesuffix("/__init__.py") for one in change.head.paths()
        )
        own = {one.removesuffix(".py") for one in paths if "/" not in one}
        new = {name for name in new if name.strip() not in own}
    return bool(new)


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


_STATED = {"pyproject.toml": _packaging_of_python, "package.json": _packaging_of_node}


def _imports_of_python(lines: Iterable[str]) -> set[str]:
    """Return what is imported, with a space before it where the line is indented: it may be conditional."""
    found = set()
    for line in lines:
        parts = (
            part
            for match in _PYTHON.finditer(line)
            for part in (match[1] or match[2] or match[3]).split(",")
        )
        names = {re.split(r"[.\s]", part.strip())[0] for part in parts} - sys.stdlib_module_names
        found |= {f" {name}" if line[:1].isspace() else name for name in names - {""}}
    return found


def _imports_of_node(lines: Iterable[str]) -> set[str]:
    return {match[1] for line in lines for match in _SCRIPT.finditer(line)} - _BUILT_IN


# --- what it means ----------------------------------------------------------------------------


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
        error = first.error.rstrip(".")
        reason = f"{_BY_ITSELF}, `{first.what}` works on base and fails on head: {error}.{more}"
        return unsatisfied(requirement, reason, case, next_step=_advice(first.package))
    if found := doubts(base, head):
        named = [_clause(one) for one in found[:_MOST_NAMED]]
        more = f" ({len(found) - _MOST_NAMED} more)" if len(found) > _MOST_NAMED else ""
        reason = f"{_BY_ITSELF}, {'; '.join(named)}{more}."
        return unverified(requirement, reason, _advice(found[0].package))
    asked = (one.with_detail for one in case.requirements.items if one.trust.is_asked)
    if (closed := shut(base, head)) and not any(map(_SPEAKS_OF_EXPORTS.search, asked)):
        told = f"Users of base can import {listed(f'`{one}`' for one in closed)}"
        reason = f"{told}; `exports` of `package.json` closes that."
        return unverified(requirement, reason, _OPEN_IT)
    return None


def _clause(one: Lacking) -> str:
    if one.package:
        return f"`{one.path}` imports what only the tests have, from `{one.package}`"
    return f"the package does not contain `{one.path}`"


def _advice(package: str) -> str:
    return f"Add `{package}` to `dependencies`, and push." if package else _CONTAIN_ALL


_MOST_FILES = 3_000


async def use_installed(services: Services, case: EvaluationContext, step: Step) -> Seen:
    """Use the first project that users can install of those that the paths in the arguments are of."""
    for project in dict.fromkeys(map(case.built.at, step.arguments)):
        if shown := await _used(services, case, project, step):
            base, head = shown
            is_lost = base and (broken(base, head) or doubts(base, head) or shut(base, head))
            before = _observation(Side.BASE, base, 0) if base else None
            return showing(step, before, _observation(Side.HEAD, head, int(bool(is_lost))))
    return Seen()


async def _used(
    services: Services, case: EvaluationContext, project: Project, step: Step
) -> ShownBoth[InstalledSide] | None:
    both = sides(case, project)
    environments = [
        one.environment for one in both if one.environment and not one.environment.failure
    ]
    kinds = {one.recipe.ecosystem for one in environments}
    if len(environments) < len(both) or len(kinds) > 1 or both.base.is_off:
        return None
    is_python = kinds == {"python"}
    can = can_be_installed if is_python else can_be_packed
    if not (is_python or kinds == {"node"}):
        return None
    # Base alone says whether there are users: head cannot stop the look by calling itself private.
    if not await asyncio.to_thread(can, environments[0], Path(both.base.tree)):
        return None

    async def run(place: StepSide) -> InstalledSide:
        environment = environments[place.side is Side.HEAD]
        if is_python:
            wanted = await asyncio.to_thread(_wanted, case, place, environment.recipe.root, step)
            return await _imported(services, case, environment, wanted)
        return await load_packed(services.sandbox, environment, Path(place.tree))

    return await on_both(run, both)


async def _imported(
    services: Services, case: EvaluationContext, environment: Environment, wanted: Wanted
) -> InstalledSide:
    side, policy = environment.side, case.policy
    request = replace(
        build_request(services, case.request, case.checkout, side, environment.recipe),
        network=policy.network_to_build,
        is_trusted=side is Side.BASE and policy.base_is_trusted,
    )
    return await import_installed(services.sandbox, request, environment, wanted)


def _wanted(case: EvaluationContext, place: StepSide, root: str, step: Step) -> Wanted:
    """Return what to look at: changed modules, and new files. Base's files show whether it leaves any out."""
    is_base = place.side is Side.BASE
    changes = [one for one in case.checkout.diff.files if not is_test_file(one.path)]
    there = [one for one in changes if not (is_new(one) if is_base else is_gone(one))]
    modules = (old_path(one) if is_base else one.path for one in there)
    above = f"{root}/" if root else ""
    if is_base:
        files = [f"{above}{path}" for path in Tree(Path(place.tree, root)).files()]
    else:
        files = [
            one.path
            for one in there
            if one.path in step.arguments and (is_new(one) or one.old_path)
        ]
    files = [path for path in files if not is_test_file(path)][:_MOST_FILES]
    return Wanted(
        _below(above, (one for one in modules if one.endswith(".py"))), _below(above, files)
    )


def _below(above: str, paths: Iterable[str]) -> tuple[str, ...]:
    return tuple(path.removeprefix(above) for path in paths if path.startswith(above))


def _observation(side: Side, seen: InstalledSide, exit_code: int) -> Observation:
    lines = [f"{one.what}: {one.error or 'fine'}" for one in seen.uses]
    for one in seen.lacking:
        what = f"imports what only the tests have, from {one.package}"
        lines.append(f"{one.path}: {what if one.package else 'not in the package'}")
    lines += [f"{path}: not in exports" for path in seen.closed]
    problem = f"Not measured. {seen.problem}" if seen.problem else ""
    output = "\n".join(lines)
    code = None if problem else exit_code
    return Observation(
        side, seen.command, code, output, seen.seconds, problem=problem, installed=seen
    )
