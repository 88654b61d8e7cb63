"""The import rules of the design, held by reading every module's syntax tree."""

from __future__ import annotations

import ast
import sys
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
MODULES = sorted(
    path
    for package in ("bot", "sandbox")
    for path in (ROOT / package).rglob("*.py")
    if "sample" not in path.parts and "harness" not in path.parts
    if not path.is_relative_to(
        ROOT / "sandbox/elsewhere/inside"
    )  # like the harness: the project's Python
)

# The one library that each adapter may bring in, and nobody else may.
ONLY_HERE = {
    "dbos": ("bot.queue",),
    "githubkit": ("bot.github",),
    "sqlalchemy": ("bot.store", "bot.queue", "bot.demo.forge"),
    "fsspec": ("bot.store",),
    "playwright": ("sandbox",),
    "flask": ("bot.web", "bot.demo.forge", "bot.wsgi", "bot.commands"),
    "docker": ("sandbox",),
    "openai": ("bot.judges.model",),
    "pydantic_ai": ("bot.judges.model",),
    "genai_prices": ("bot.judges.model",),
    "httpcore": ("bot.judges.web_access",),
    "mcp": ("bot.mcp",),
}

PURE = ("bot.text", "bot.values", "sandbox.values")

# package → what it may import of our own code, beside itself; every module is under one of these rules.
MAY_IMPORT: dict[str, tuple[str, ...]] = {
    "sandbox": (),
    # values and text
    "bot": (),
    "bot.errors": (),
    "bot.values": ("sandbox.values", "sandbox.damage.values", "sandbox.elsewhere.values"),
    "bot.text": ("sandbox.values",),
    "bot.apart": ("bot.errors",),
    "bot.settings": ("bot.errors",),
    "bot.steps": (),
    "bot.templates": ("bot.text",),
    "bot.configuration": ("bot.errors", "bot.text", "sandbox.browser.script"),
    # what was asked, seen and concluded: pure
    "bot.diff": ("sandbox.values", "sandbox.test_runs"),
    "bot.task": (*PURE, "bot.configuration", "bot.diff", "bot.errors"),
    "bot.task.rubrics": ("bot.errors", "bot.task.rubrics", "bot.text", "bot.values"),
    "bot.context": ("bot.configuration", "bot.task.rubrics", "bot.values", "sandbox"),
    "bot.evidence": (
        *PURE,
        "bot.configuration",
        "bot.context",
        "bot.diff",
        "bot.services",
        "bot.store",
        "bot.task",
        "sandbox",
    ),
    "bot.integrity": (
        *PURE,
        "bot.diff",
        "bot.evidence.tests.results",
        "bot.task",
        "sandbox.registry",
    ),
    "bot.trajectory": (*PURE,),
    "bot.verdict": (*PURE, "bot.configuration", "bot.diff", "bot.evidence", "bot.task", "sandbox"),
    "bot.report": (
        "bot.templates",
        "bot.text",
        "bot.values",
        "sandbox.elsewhere.values",
        "sandbox.values",
    ),
    "bot.report.pdf": ("sandbox.base", "sandbox.browser.journey", "sandbox.toolchains.layers"),
    # adapters: each may bring in the library that is its own
    "bot.github": (
        "bot.errors",
        "bot.settings",
        "bot.templates",
        "bot.text",
        "bot.values",
        "sandbox.values",
    ),
    "bot.store": ("bot.errors", "bot.settings", "bot.text", "bot.values", "sandbox.values"),
    "bot.queue": ("bot.errors", "bot.settings", "bot.steps", "bot.values", "sandbox.values"),
    "bot.judges.model": ("bot.errors", "bot.settings", "bot.values", "sandbox.values"),
    "bot.judges.web_access": (
        "bot.apart",
        "bot.errors",
        "bot.settings",
        "bot.text",
        "sandbox.network",
        "sandbox.base",
        "sandbox.concurrently",
        "sandbox.registry",
    ),
    "bot.judges.web_access.inside": (),
    "bot.judges": (
        *PURE,
        "bot.configuration",
        "bot.diff",
        "bot.evidence",
        "bot.integrity",
        "bot.judges.model",
        "bot.task",
        "bot.templates",
        "sandbox",
    ),
    # the evaluation, and what surrounds it
    "bot.services": (
        *PURE,
        "bot.configuration",
        "bot.judges.model",
        "bot.judges.web_access",
        "bot.report.checks",
        "bot.settings",
        "bot.store",
        "sandbox",
    ),
    "bot.source": (
        *PURE,
        "bot.configuration",
        "bot.errors",
        "bot.github",
        "bot.report.markdown",
        "bot.services",
        "bot.store",
        "bot.task",
        "bot.templates",
        "sandbox",
    ),
    "bot.evaluation": (
        *PURE,
        "bot.apart",
        "bot.configuration",
        "bot.context",
        "bot.diff",
        "bot.errors",
        "bot.evidence",
        "bot.github",
        "bot.integrity",
        "bot.judges",
        "bot.report",
        "bot.services",
        "bot.settings",
        "bot.source.repository",
        "bot.steps",
        "bot.store",
        "bot.task",
        "bot.trajectory",
        "bot.verdict",
        "sandbox",
    ),
    "bot.webhook": (
        *PURE,
        "bot.configuration",
        "bot.errors",
        "bot.evaluation.conclude_again",
        "bot.evaluation.rubrics",
        "bot.github",
        "bot.judges.rubric_drafting",
        "bot.queue",
        "bot.report.model",
        "bot.source",
        "bot.steps",
        "bot.store",
        "bot.task.rubrics",
        "bot.templates",
        "bot.verdict.acceptance",
        "sandbox",
    ),
    "bot.bench.measures": (),
    "bot.web": (
        *PURE,
        "bot.bench.measures",
        "bot.configuration",
        "bot.errors",
        "bot.github",
        "bot.queue",
        "bot.report",
        "bot.settings",
        "bot.store",
        "bot.templates",
        "bot.webhook",
    ),
    "bot.doctor": (
        "bot.errors",
        "bot.github",
        "bot.queue",
        "bot.report.pdf",
        "bot.settings",
        "bot.store",
        "bot.templates",
        "sandbox",
    ),
    "bot.demo": ("bot.errors", "bot.values"),
    "bot.demo.forge": ("bot.text",),
    "bot.bench": (
        *PURE,
        "bot.configuration",
        "bot.diff",
        "bot.errors",
        "bot.integrity",
        "bot.report",
        "bot.task",
        "sandbox",
    ),
    "bot.mcp": (*PURE, "bot.errors", "bot.report", "bot.templates", "sandbox"),
    # what wires
    "bot.commands": ("bot", "sandbox"),
    "bot.cli": ("bot.commands", "bot.errors", "sandbox"),
    "bot.wsgi": (
        "bot.errors",
        "bot.github",
        "bot.queue",
        "bot.settings",
        "bot.store",
        "bot.web",
    ),
}

# What decides imports nothing, itself or through others, that runs or asks anything.
DECIDES = (
    "bot.diff",
    "bot.task",
    "bot.integrity",
    "bot.trajectory",
    "bot.verdict",
    "bot.report.view",
)
ACTS = (
    "bot.services",
    "bot.github",
    "bot.store",
    "bot.queue",
    "bot.judges",
    "sandbox.terminal.bash",
)

SHARED_BY_STAGES = (
    "bot.evaluation.observe",
    "bot.evaluation.recording",
    "bot.evaluation.damaged_steps",
    "bot.evaluation.decisions",
    "bot.evaluation.progress",
    "bot.evaluation.judging",
    "bot.evaluation.on_host",
    "bot.evaluation.recording",
    "bot.evaluation.rubrics",
    "bot.services",
)


def module_name(path: Path) -> str:
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


# Where statements stand in a statement.
BLOCKS = ("body", "orelse", "finalbody", "handlers", "cases")


@cache
def imports(path: Path) -> list[tuple[str, bool]]:
    """Return (module, is at the top level of the file) of every import."""
    found: list[tuple[str, bool]] = []
    ahead: list[tuple[ast.AST, bool]] = [(ast.parse(path.read_text()), True)]
    while ahead:
        node, is_top = ahead.pop()
        if isinstance(node, ast.Import):
            found += [(alias.name, is_top) for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative import"
            names = [f"{node.module}.{alias.name}" for alias in node.names]
            if not all(_is_module(name) for name in names):  # more than submodules
                names.append(node.module or "")
            found += [(name, is_top) for name in names]
        else:  # no import stands inside an expression
            is_top = is_top and not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
            ahead += [(child, is_top) for name in BLOCKS for child in getattr(node, name, ())]
    return found


def within(module: str, packages: tuple[str, ...]) -> bool:
    return f"{module}.".startswith(tuple(f"{package}." for package in packages))


def rule_for(module: str) -> tuple[str, tuple[str, ...]]:
    package = max((name for name in MAY_IMPORT if within(module, (name,))), key=len)
    return package, MAY_IMPORT[package]


def test_a_module_imports_only_what_its_layer_may() -> None:
    wrong = []
    for path in MODULES:
        name = module_name(path)
        own, allowed = rule_for(name)
        for imported, _ in imports(path):
            ours = within(imported, ("bot", "sandbox")) and _is_module(imported)
            if ours and not within(imported, (*allowed, own)):
                wrong.append(f"{name} imports {imported}")
            library = imported.partition(".")[0]
            if library in ONLY_HERE and not within(name, ONLY_HERE[library]):
                wrong.append(f"{name} imports {library}")
    assert wrong == []


def test_imports_stand_at_the_top() -> None:
    wrong = []
    for path in MODULES:
        inside = [imported for imported, is_top in imports(path) if not is_top]
        if inside:
            wrong.append(f"{module_name(path)} imports {inside} inside a function")
    assert wrong == []


# Packages that our own programs inside the sandbox are given.
MOUNTED = (
    ("sandbox.linters.inside", "yaml"),
    ("sandbox.linters.inside", "tinycss2"),
    ("sandbox.terminal", "PIL"),
    ("sandbox.code_map.inside", "tree_sitter"),
    ("sandbox.changes.inside", "tree_sitter"),
    ("sandbox.damage.inside", "tree_sitter"),
    ("sandbox.edges.inside", "call"),
    ("sandbox.reading.inside", "markitdown"),
)


def test_the_sandbox_needs_only_the_standard_library_and_its_drivers() -> None:
    known = set(sys.stdlib_module_names) | {"sandbox", "docker", "playwright", "packaging", "uv"}
    for path in MODULES:
        if within(module_name(path), ("sandbox",)):
            extra = {name for home, name in MOUNTED if within(module_name(path), (home,))}
            for imported, _ in imports(path):
                assert imported.split(".")[0] in known | extra, (
                    f"{module_name(path)} imports {imported}"
                )


def test_stages_do_not_import_one_another() -> None:
    for path in (ROOT / "bot" / "evaluation").glob("*.py"):
        if path.stem in {"__init__", "services", "docket", "base_results", "acting", "recording"}:
            continue
        if path.stem in {"conclude_again", "forecast"}:  # they do some of the stages, in order
            continue
        for imported, _ in imports(path):
            if within(imported, ("bot.evaluation",)):
                assert within(imported, SHARED_BY_STAGES), f"{path.stem} imports {imported}"


def test_there_are_no_import_cycles() -> None:
    _has_no_cycles(import_graph())


def test_there_are_no_cycles_between_packages() -> None:
    packages: dict[str, set[str]] = {}
    for name, imported in import_graph().items():
        package = _package(name)
        packages.setdefault(package, set()).update(_package(one) for one in imported)
    _has_no_cycles({name: imported - {name} for name, imported in packages.items()})


@pytest.mark.parametrize("package", DECIDES)
def test_what_decides_neither_runs_nor_asks_anything(package: str) -> None:
    graph = import_graph()
    seen: set[str] = set()
    ahead = [name for name in graph if within(name, (package,))]
    while ahead:
        name = ahead.pop()
        assert not within(name, ACTS), f"{package} reaches {name}"
        ahead += graph.get(name, set()) - seen
        seen |= graph.get(name, set())


def _has_no_cycles(graph: dict[str, set[str]]) -> None:
    done: set[str] = set()

    def visit(name: str, trail: tuple[str, ...]) -> None:
        assert name not in trail, " → ".join((*trail, name))
        if name not in done:
            for imported in graph.get(name, set()) - {name}:
                visit(imported, (*trail, name))
            done.add(name)

    for name in graph:
        visit(name, ())


def _package(module: str) -> str:
    """The package of a module, as far as rules tell them apart: a child of ours is one of its own."""
    return rule_for(module)[0] if within(module, ("bot",)) else "sandbox"


@cache
def _is_module(name: str) -> bool:
    base = ROOT / Path(*name.split("."))
    return base.is_dir() or base.with_suffix(".py").exists()


NAMES = {module_name(path) for path in MODULES}


@cache
def import_graph() -> dict[str, set[str]]:
    """Return what each module imports of our own at its top level."""
    return {
        module_name(path): {name for name, is_top in imports(path) if is_top and name in NAMES}
        for path in MODULES
    }
