"""How a project calls its tests: the lines of nox, Makefile, task tables and scripts, as text only."""

from __future__ import annotations

import ast
import posixpath
import re
import shlex
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from sandbox.toolchains.python_project import hatch_tables
from sandbox.toolchains.tree import LINE_CHARS, Table, Tree

PARTS = re.compile(r"&&|\|\||[;|]")
# `doctest` is a word of other tools, too (`sphinx-build -b doctest`, `make doctest`).
_TEST_CALL = re.compile(
    r"(?:^|[\s/;&\"'(])(?P<runner>pytest|py\.test|unittest|(?<=\s-m\s)doctest)"
    r"(?=$|[\s\"')])(?P<rest>.*)"
)
_NO_CALL = re.compile(
    r"\s*(#|echo\b|uses:|printf\b)"
    r"|.*\b(pip3?|uv|conda|mamba|pipx|apt|apt-get|brew|poetry|pdm)\s(\S{1,100}\s){0,9}?(install|add|sync)\b"
)
_ADDED_PACKAGE = re.compile(r"--(with|with-requirements|extra|group|python)[= ]\S+")
_PROGRAM = re.compile(
    r"\s*(?:run:\s*)?(?:python[\d.]*\s+(?:-m\s+coverage\s+run\s+)?|coverage\s+run\s+)(?:-\w+\s+)*(\w+\.py)(?=\s|$)"
)
_DEFAULT_TEST = re.compile(r"\bunittest\.main\(\s*defaultTest\s*=\s*[\"'](\w+)[\"']")
_SCRIPT_BYTES = 20_000
_SCRIPTS_DEEP = 3
# What turns doctests on: pytest's own options, and those of plug-ins for the same.
_DOCTESTS = re.compile(r"--(doctest-(modules|glob|plus|rst|only)|xdoc|markdown-docs|sybil)")


@dataclass(frozen=True, slots=True)
class RunnerLine:
    """One line that starts tests. `text` is what follows the runner's name, `folder` where it starts."""

    runner: str  # pytest, unittest or doctest
    text: str
    folder: str = ""

    @property
    def asks_for_doctests(self) -> bool:
        """Tell whether it runs examples of documentation."""
        return self.runner == "doctest" or bool(_DOCTESTS.search(self.text))


@dataclass(frozen=True, slots=True)
class LineGroup:
    """Lines that are run together: a session of nox, a target of a Makefile, a task."""

    source: str
    name: str
    lines: tuple[str, ...]


def calls_in(tree: Tree, lines: Iterable[str], folder: str = "") -> tuple[RunnerLine, ...]:
    """Return the calls of a runner in these shell lines and in the scripts that they start."""
    found = [call for line in lines for call in _calls_of_line(tree, line, folder, 0)]
    return tuple(call for call in dict.fromkeys(found) if not _is_elsewhere(tree, call))


def _is_elsewhere(tree: Tree, call: RunnerLine) -> bool:
    """Tell whether a call names nothing of the tree: it tests another project, or what a job has fetched."""
    words = (word.strip("\"'") for word in call.text.split() if not word.startswith("-"))
    paths = (posixpath.normpath(posixpath.join(call.folder, word)) for word in words)
    named = [path for path in paths if tree.has(path)] or [call.folder]
    if all(any(f"{path}/".startswith(f"{one}/") for one in tree.without) for path in named):
        return True
    is_there = not call.folder or call.folder.startswith("/") or tree.has(call.folder)
    return not is_there and not any(word in call.text for word in ("..", "--pyargs"))


def _calls_of_line(tree: Tree, line: str, folder: str, depth: int) -> Iterator[RunnerLine]:
    if len(line) > LINE_CHARS:  # no person wrote a longer one, and patterns must stay fast
        return
    for part in PARTS.split(line):
        # Before `-m pytest` other words can look like the runner, too.
        bare = _ADDED_PACKAGE.sub("", part)
        option = re.search(r"\s-m\s(?=(pytest|unittest|doctest)(\s|$))", bare)
        if moved := re.match(r"\s*[@(-]*cd\s+([\w./-]+)\s*$", part):
            folder = posixpath.normpath(posixpath.join(folder, moved[1]))
        elif _NO_CALL.match(part):
            continue
        elif found := _TEST_CALL.search(bare[option.start() :] if option else bare):
            runner = found["runner"].replace("py.test", "pytest")
            yield RunnerLine(runner, _without_ends(found["rest"].strip()), folder)
        elif suite := _suite(tree, part, folder):
            yield RunnerLine("unittest", suite, folder)
        elif depth < _SCRIPTS_DEEP:
            for inner in _script(tree, part):
                yield from _calls_of_line(tree, inner, folder, depth + 1)


def _without_ends(text: str) -> str:
    """Cut off the quotes and parentheses whose other half stands before the runner's name."""
    for sign in "\"'":
        if text.count(sign) % 2:
            text = text[1:] if text.startswith(sign) else text.removesuffix(sign)
            text = text.strip()
    return text.rstrip(")") if text.count(")") > text.count("(") else text


def _script(tree: Tree, part: str) -> list[str]:
    """Return the lines of the shell script that a command starts; none for anything else."""
    started = re.match(r"\s*(?:run:\s*)?(?:(?:ba|da)?sh\s+(?:-\w+\s+)*)?(?:\./)?([\w./-]+)", part)
    if not started or ("/" not in started[1] and not started[1].endswith(".sh")):
        return []
    text = tree.read(started[1])
    is_shell = started[1].endswith(".sh") or re.match(r"#!.*\b(ba|da)?sh\b", text)
    # Continued lines are joined.
    joined = re.sub(r"\\\n\s*", " ", text).splitlines()
    return joined if is_shell and len(text) <= _SCRIPT_BYTES else []


def _suite(tree: Tree, part: str, folder: str) -> str:
    """Return the suite that a program of the project hands to `unittest.main`, by its dotted name."""
    started = _PROGRAM.match(part)
    text = tree.read(posixpath.normpath(posixpath.join(folder, started[1]))) if started else ""
    named = _DEFAULT_TEST.search(text) if len(text) <= _SCRIPT_BYTES else None
    return f"{started[1].removesuffix('.py')}.{named[1]}" if started and named else ""


# --- nox --------------------------------------------------------------------------------------


def nox_places(tree: Tree) -> Iterator[LineGroup]:
    """Yield for each session what `session.run` starts, as far as it is written down."""
    module = tree.python("noxfile.py").body
    values = _assigned(module)
    for function in module:
        if isinstance(function, ast.FunctionDef):
            known = values | _assigned(ast.walk(function))
            lines = [
                shlex.join(word for part in node.args for word in _spelled(part, known, 0))
                for node in ast.walk(function)
                if isinstance(node, ast.Call)
                and isinstance(node.func, ast.Attribute)
                and node.func.attr in {"run", "run_always"}
            ]
            yield LineGroup("noxfile.py", function.name, tuple(filter(None, lines)))


def _assigned(nodes: Iterable[ast.AST]) -> dict[str, ast.expr]:
    """Return what names are given."""
    return {
        node.targets[0].id: node.value
        for node in nodes
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name)
    }


def _spelled(part: ast.expr, values: Mapping[str, ast.expr], depth: int) -> Iterator[str]:
    """Yield the words of an argument that are literals; of `posargs or [...]` the default."""
    if depth > 4:
        return
    if isinstance(part, ast.Constant) and isinstance(part.value, str):
        yield part.value
    elif isinstance(part, ast.Name) and part.id in values:
        yield from _spelled(values[part.id], values, depth + 1)
    elif isinstance(part, ast.Starred):
        yield from _spelled(part.value, values, depth + 1)
    elif isinstance(part, ast.List | ast.Tuple):
        for one in part.elts:
            yield from _spelled(one, values, depth + 1)
    elif isinstance(part, ast.BoolOp):
        yield from _spelled(part.values[-1], values, depth + 1)
    elif isinstance(part, ast.IfExp):
        yield from _spelled(part.orelse, values, depth + 1)


# --- Makefile ---------------------------------------------------------------------------------


def make_places(tree: Tree) -> Iterator[LineGroup]:
    """Yield a Makefile's targets with their recipes and those of the targets that they need."""
    name = next((n for n in ("GNUmakefile", "makefile", "Makefile") if tree.is_plain(n)), "")
    text = re.sub(r"\\\n\s*", " ", tree.read(name)) if name else ""
    lines = [line for line in text.splitlines() if len(line) < LINE_CHARS]
    defined = (re.match(r"(\w+)\s*[:?+]?:?=\s*(.*)", line) for line in lines)
    variables = {found[1]: found[2].strip() for found in defined if found}
    recipes: dict[str, list[str]] = {}
    needs: dict[str, list[str]] = {}
    target = ""
    for line in lines:
        rule = re.match(r"([\w.-]+)\s*::?(?!=)\s*([^#;]*)", line)
        if rule:
            target = rule[1]
            recipes.setdefault(target, [])
            needs.setdefault(target, []).extend(rule[2].split())
        elif line.startswith("\t") and target:
            command = line.strip().lstrip("@-")
            # Variables are filled in; one named PYTEST that nothing defines stands for pytest.
            for _ in range(3):
                command = re.sub(
                    r"\$[({](\w+)[)}]",
                    lambda found: variables.get(found[1], "pytest" if found[1] == "PYTEST" else ""),
                    command,
                )[:LINE_CHARS]
            recipes[target].append(command)
    for target in recipes:
        reached = [target]
        for one in reached:
            reached += [need for need in needs.get(one, ()) if need not in reached]
        yield LineGroup(
            name, target, tuple(line for one in reached for line in recipes.get(one, ()))
        )


# --- task tables ------------------------------------------------------------------------------


def task_places(tree: Tree) -> Iterator[LineGroup]:
    """Yield the tasks of hatch, pixi, pdm, poe, taskipy and rye."""
    tool = tree.toml("pyproject.toml").table("tool")
    tables = [
        (f"{source} {name}", environments.table(name, "scripts"))
        for source, environments in hatch_tables(tree)
        for name in environments.names()
    ]
    tables += [
        (f"pyproject.toml ({name})", tool.table(name, key))
        for name, key in (
            ("pdm", "scripts"),
            ("poe", "tasks"),
            ("taskipy", "tasks"),
            ("rye", "scripts"),
        )
    ]
    for source, table in (
        ("pyproject.toml (pixi)", tool.table("pixi")),
        ("pixi.toml", tree.toml("pixi.toml")),
    ):
        features = table.table("feature")
        of_features = (features.table(name, "tasks") for name in features.names())
        tables += [(source, one) for one in (table.table("tasks"), *of_features)]
    for source, table in tables:
        for task in table.names():
            lines = tuple(re.sub(r"\{args:?([^{}]*)\}", r"\1", one) for one in _texts(table, task))
            yield LineGroup(source, task, lines)


def _texts(table: Table, task: str) -> tuple[str, ...]:
    """Return a task's lines, whether it is a text, a list or a table with `cmd` or `shell`."""
    inner = table.table(task)
    if inner.names():
        keys = [key for key in ("cmd", "shell", "composite", "script") if inner.has(key)]
        return tuple(text for key in keys for text in _texts(inner, key))
    return (table.text(task),) if table.text(task) else table.strings(task)
