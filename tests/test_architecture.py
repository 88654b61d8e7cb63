"""The import rules of the design, held by reading every module's syntax tree."""

from __future__ import annotations

import ast
import sys
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
    "dbos": ("bot.engine",),
    "githubkit": ("bot.github",),
    "sqlalchemy": ("bot.store", "bot.engine", "bot.forge"),
    "fsspec": ("bot.store",),
    "playwright": ("sandbox",),
    "flask": ("bot.web", "bot.forge", "bot.wsgi", "bot.commands"),
    "docker": ("sandbox",),
    "openai": ("bot.llm",),
    "pydantic_ai": ("bot.llm",),
    "genai_prices": ("bot.llm",),
    "httpcore": ("bot.lookup",),
}

# package → what it may import of our own code.
MAY_IMPORT = {
    "sandbox": ("sandbox",),
    "bot.models": (
        "bot.models",
        "sandbox.models",
        "sandbox.damage.values",
        "sandbox.elsewhere.values",
    ),
    "bot.errors": (),
    "bot.apart": ("bot.errors",),
    "bot.settings": ("bot.errors",),
    "bot.clipping": (),
    "bot.safety": ("bot.clipping", "bot.safety"),
    "bot.templates": ("bot.clipping", "bot.safety"),
    "bot.configuration": (
        "bot.configuration",
        "bot.errors",
        "bot.plain_yaml",
        "sandbox.browser.script",
    ),
    "bot.policy": ("bot.configuration", "bot.errors", "bot.github"),
    "bot.kept_criteria": ("bot.errors", "bot.models"),
    "bot.plain_yaml": (),
    "bot.judge": (
        "bot.judge",
        "bot.clipping",
        "bot.models",
        "bot.configuration",
        "bot.safety",
        "sandbox.models",
        "sandbox.tools",
        "sandbox.damage.values",
        "sandbox.elsewhere.values",
        "sandbox.graph.facts",
        "sandbox.browser.faults",
        "sandbox.edges.calls",
        "sandbox.interaction.pictures",
    ),
    "bot.report": (
        "bot.report",
        "bot.annotations",
        "bot.clipping",
        "bot.models",
        "bot.safety",
        "bot.templates",
        "sandbox.models",
    ),
    "bot.report.pdf": ("sandbox.base", "sandbox.browser.paper"),
    "bot.llm": ("bot.llm", "bot.models", "bot.errors", "bot.settings", "sandbox.models"),
    "bot.agents": (
        "bot.agents",
        "bot.clipping",
        "bot.configuration",
        "bot.judge",
        "bot.llm.base",
        "bot.models",
        "bot.rubrics.form",
        "bot.safety",
        "bot.templates",
        "sandbox.browser.script",
        "sandbox.concurrently",
        "sandbox.models",
    ),
    "bot.lookup": (
        "bot.lookup",
        "bot.apart",
        "bot.errors",
        "bot.safety",
        "bot.settings",
        "sandbox.addresses",
        "sandbox.base",
        "sandbox.concurrently",
        "sandbox.tools.registry",
    ),
    "bot.lookup.inside": (),
    "bot.payload": (),
    "bot.rubrics": (
        "bot.rubrics",
        "bot.agents",
        "bot.configuration",
        "bot.errors",
        "bot.github",
        "bot.judge",
        "bot.llm.base",
        "bot.models",
        "bot.plain_yaml",
        "bot.policy",
        "bot.safety",
        "bot.settings",
        "bot.store",
        "sandbox",
    ),
    "bot.rubrics.form": ("bot.models", "bot.safety"),
    "bot.rubrics.files": (
        "bot.rubrics.form",
        "bot.rubrics.spellings",
        "bot.errors",
        "bot.models",
        "bot.plain_yaml",
    ),
    "bot.rubrics.spellings": ("bot.rubrics.form", "bot.models", "bot.plain_yaml", "bot.safety"),
    "bot.annotations": (),
    "bot.github": (
        "bot.github",
        "bot.annotations",
        "bot.payload",
        "bot.models",
        "bot.errors",
        "bot.settings",
        "sandbox.models",
    ),
    "bot.store": (
        "bot.store",
        "bot.models",
        "bot.errors",
        "bot.safety",
        "bot.settings",
        "sandbox.models",
    ),
    "bot.engine": (
        "bot.engine",
        "bot.steps",
        "bot.models",
        "bot.errors",
        "bot.settings",
        "sandbox.models",
    ),
    "bot.forge": ("bot.forge", "bot.payload"),
    "bot.looks": (
        "bot.looks",
        "bot.judge",
        "bot.models",
        "bot.stages.docket",
        "bot.stages.services",
        "bot.stages.base_results",
        "sandbox",
    ),
}


SHARED_BY_STAGES = (
    "bot.stages.base_results",
    "bot.stages.bundle",
    "bot.stages.decisions",
    "bot.stages.docket",
    "bot.stages.matter",
    "bot.stages.on_host",
    "bot.stages.recording",
    "bot.stages.services",
)


def module_name(path: Path) -> str:
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def imports(path: Path) -> list[tuple[str, bool]]:
    """Return (module, is at the top level of the file) of every import."""
    tree = ast.parse(path.read_text())
    top = {id(node) for node in ast.walk(tree) if isinstance(node, ast.Import | ast.ImportFrom)}
    for function in ast.walk(tree):
        if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            top -= {id(node) for node in ast.walk(function)}
    found: list[tuple[str, bool]] = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found += [(alias.name, id(node) in top) for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative import"
            names = [f"{node.module}.{alias.name}" for alias in node.names]
            if not all(_is_module(name) for name in names):  # more than submodules
                names.append(node.module or "")
            found += [(name, id(node) in top) for name in names]
    return found


def within(module: str, packages: tuple[str, ...]) -> bool:
    return any(module == package or module.startswith(package + ".") for package in packages)


def rule_for(module: str) -> tuple[str, ...] | None:
    matching = [package for package in MAY_IMPORT if within(module, (package,))]
    return MAY_IMPORT[max(matching, key=len)] if matching else None


@pytest.mark.parametrize("path", MODULES, ids=module_name)
def test_a_module_imports_only_what_its_layer_may(path: Path) -> None:
    allowed = rule_for(module_name(path))
    for imported, _ in imports(path):
        ours = within(imported, ("bot", "sandbox"))
        if ours and allowed is not None and _is_module(imported):
            assert within(imported, allowed), f"{module_name(path)} imports {imported}"
        for library, homes in ONLY_HERE.items():
            if within(imported, (library,)):
                assert within(module_name(path), homes), f"{module_name(path)} imports {library}"


@pytest.mark.parametrize("path", MODULES, ids=module_name)
def test_imports_stand_at_the_top(path: Path) -> None:
    inside = [imported for imported, is_top in imports(path) if not is_top]
    assert not inside, f"{module_name(path)} imports {inside} inside a function"


# Packages that our own programs inside the sandbox are given.
MOUNTED = (
    ("sandbox.linters.inside", "yaml"),
    ("sandbox.linters.inside", "tinycss2"),
    ("sandbox.interaction", "PIL"),
    ("sandbox.graph.inside", "tree_sitter"),
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
    for path in (ROOT / "bot" / "stages").glob("*.py"):
        if path.stem in {"__init__", "services", "docket", "base_results", "acting", "recording"}:
            continue
        if path.stem == "conclude_again":  # it does the last two stages once more
            continue
        for imported, _ in imports(path):
            if within(imported, ("bot.stages",)):
                assert within(imported, SHARED_BY_STAGES), f"{path.stem} imports {imported}"


def test_there_are_no_import_cycles() -> None:
    names = {module_name(path) for path in MODULES}
    graph = {
        module_name(path): {name for name, is_top in imports(path) if is_top and name in names}
        for path in MODULES
    }
    done: set[str] = set()

    def visit(name: str, trail: tuple[str, ...]) -> None:
        assert name not in trail, " → ".join((*trail, name))
        if name not in done:
            for imported in graph[name] - {name}:
                visit(imported, (*trail, name))
            done.add(name)

    for name in graph:
        visit(name, ())


def _is_module(name: str) -> bool:
    base = ROOT / Path(*name.split("."))
    return base.is_dir() or base.with_suffix(".py").exists()
