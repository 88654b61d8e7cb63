"""How a project calls its tests: the lines of nox, Makefile, task tables and scripts, as text only.

Of a call of pytest or unittest counts what decides which tests there are: paths and options.
"""

from __future__ import annotations

import ast
import posixpath
import re
import shlex
from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import PurePosixPath

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


# --- what of a call decides which tests there are --------------------------------------------------

# Options that decide which tests there are or whether they can run.
_KEPT_WITH_VALUE = {
    "-m", "-k", "-p", "-W", "-o", "-c", "--config-file", "--override-ini", "--pythonwarnings",
    "--ignore", "--ignore-glob", "--deselect", "--import-mode", "--rootdir", "--confcutdir",
    "--doctest-glob", "--doctest-encoding", "--asyncio-mode", "--hypothesis-profile", "--ds", "--dc",
}  # fmt: skip
_UNITTEST_WITH_VALUE = {
    "-s", "-t", "-p", "-k", "--start-directory", "--top-level-directory", "--pattern",
}  # fmt: skip
_KEPT_ALONE = {
    "--doctest-modules", "--doctest-ignore-import-errors", "--doctest-continue-on-failure",
    "--doctest-plus", "--doctest-rst", "--doctest-only", "--xdoctest", "--xdoc", "--markdown-docs",
    "--pyargs", "--strict", "--strict-markers", "--strict-config", "--noconftest", "--runxfail",
}  # fmt: skip
# Options about looks, speed and coverage: dropped with their values.
_DROPPED_WITH_VALUE = {
    "-n", "--numprocesses", "-r", "--maxfail", "--cov", "--cov-report", "--cov-config", "--cov-context",
    "--cov-fail-under", "--durations", "--durations-min", "--junitxml", "--junit-xml", "--junit-prefix",
    "--tb", "--color", "--timeout", "--timeout-method", "--reruns", "--reruns-delay", "--dist", "--tx",
    "--basetemp", "--log-level", "--log-cli-level", "--log-file", "--log-format", "--html", "--capture",
    "--show-capture", "--verbosity", "--report-log", "--alluredir", "--hypothesis-seed", "--count",
    "--splits", "--group", "--doctest-report", "--parallel-threads",
}  # fmt: skip
_ATTACHED = re.compile(r"-[mkpWoc].+")  # "-pno:xdist"
_BARE = re.compile(r"-[a-zA-Z]+\Z")  # "-vv", "-ra": looks
_REDIRECTED = re.compile(r"\d?(>>?|<)(&\d)?(.*)")
_GLOB_PATHS = 50


def understood(tree: Tree, call: RunnerLine) -> tuple[str, ...]:
    """Return the arguments that matter, paths relative to the tree.

    What is not known (a variable, an option of a plug-in) is left out: without it more is run, not less.
    """
    try:
        words = shlex.split(call.text, comments=True)
    except ValueError:
        words = call.text.replace('"', "").replace("'", "").split()
    found = list(_kept(tree, call, deque(words)))
    paths = [word for word in found if not word.startswith("-")]
    if call.runner == "doctest":
        # What runs `python -m doctest FILES` in pytest.
        there = [path for path in paths if tree.has(path)]
        texts = [path for path in there if not path.endswith(".py")]
        modules = ["--doctest-modules"] if len(texts) < len(there) else []
        return (*modules, *(f"--doctest-glob={PurePosixPath(path).name}" for path in texts), *there)
    if call.folder and tree.is_plain(call.folder) and not any(tree.has(path) for path in paths):
        found.append(call.folder)
    return tuple(found)


def _kept(tree: Tree, call: RunnerLine, words: deque[str]) -> Iterator[str]:
    is_unittest = call.runner == "unittest"
    while words:
        word = words.popleft()
        option, equals, _ = word.partition("=")
        value = words[0] if words and not equals else ""
        if redirected := _REDIRECTED.fullmatch(word):
            if not (redirected[2] or redirected[3]) and words:
                words.popleft()
        elif not word.startswith("-"):
            yield from _paths(tree, call, word)
        elif option in _DROPPED_WITH_VALUE:
            if value and not value.startswith("-"):
                words.popleft()
        elif is_unittest or _is_unclear(word):
            if option in _UNITTEST_WITH_VALUE and value and not _is_unclear(value):
                yield from (word, words.popleft())
        elif option in _KEPT_WITH_VALUE:
            if value:
                words.popleft()
            if not _is_unclear(value):
                yield from (word, value) if value else (word,)
        elif _ATTACHED.fullmatch(word) or _is_known(tree, option):
            yield word


def _is_known(tree: Tree, option: str) -> bool:
    """Tell whether an option without a value matters; one of the tree's own conftest.py may."""
    if option in _KEPT_ALONE or option.startswith("--xdoctest-"):
        return True
    if _BARE.fullmatch(option):
        return False
    files = [path for path in tree.files() if PurePosixPath(path).name == "conftest.py"]
    return any(re.search(rf"[\"']{re.escape(option)}[\"']", tree.read(path)) for path in files[:50])


def _is_unclear(word: str) -> bool:
    """Tell whether a word holds what only a shell, tox or CI knows."""
    return bool(re.search(r"[$`\0\n]|\{[\w:]+\}", word))


def _paths(tree: Tree, call: RunnerLine, word: str) -> Iterator[str]:
    """Yield a path as the tree has it; a pattern gives the files that it stands for."""
    if word == "discover" and call.runner == "unittest":
        yield word
    if _is_unclear(word) or word.startswith("/"):
        return
    path, colons, test = word.partition("::")
    path = (
        posixpath.normpath(posixpath.join(call.folder, path))
        if call.folder
        else path.removeprefix("./")
    )
    tried = [path.rstrip("/"), f"src/{path}".rstrip("/"), word.partition("::")[0].rstrip("/")]
    dotted = path.replace(".", "/")
    if "/" not in path and call.runner == "unittest":
        # A module, or a function of one that gives a suite.
        module, _, function = path.rpartition(".")
        text = tree.read(f"{module.replace('.', '/')}.py") if module else ""
        gives_suite = re.search(rf"(?m)^def {re.escape(function)}\(\):", text)
        if tree.has(f"{dotted}.py") or tree.has(dotted) or gives_suite:
            yield word
            return
    tried += [dotted, f"src/{dotted}"] if "/" not in path else []
    if any(sign in word for sign in "*?["):
        # As a shell does: `*` stays within one folder.
        wanted = PurePosixPath(path).parts
        files = [file for file in tree.files() if fnmatchcase(file, path)]
        if "**" not in wanted:
            files = [one for one in files if len(PurePosixPath(one).parts) == len(wanted)]
        yield from files[:_GLOB_PATHS]
        return
    known = next((one for one in tried if one and ".." not in one and tree.has(one)), "")
    if known:
        yield f"{known}{colons}{test}"


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
