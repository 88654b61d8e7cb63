"""What a Python project says of itself, read without running any of it.

Sources: `pyproject.toml` (PEP 518, 621, 735; poetry, PDM, hatch), `setup.cfg`, `setup.py` as a
syntax tree. What cannot be read is left to the build (`is_dynamic`), never guessed.
Poetry's own notation: https://python-poetry.org/docs/dependency-specification/
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from sandbox.toolchains.tree import LINE_CHARS, Table, Tree


@dataclass(frozen=True, slots=True)
class NamedList:
    """The requirements of one extra or group. `is_loose`: only we can read it, uv cannot.

    Then each becomes an argument of a command, so only what is a requirement is kept.
    """

    name: str
    requirements: tuple[str, ...]
    is_loose: bool = False


@dataclass(frozen=True, slots=True)
class PythonProject:
    """One project's own words. `source` is the file that declares it, "" when none does.

    `is_dynamic`: the dependencies are only known to code that runs at build time.
    """

    source: str = ""
    name: str = ""
    requires_python: str = ""
    backend: str = ""
    is_installable: bool = False
    is_dynamic: bool = False
    dependencies: tuple[str, ...] = ()
    extras: tuple[NamedList, ...] = ()
    groups: tuple[NamedList, ...] = ()


def read_project(tree: Tree) -> PythonProject:
    """Return what the tree's project files declare; an empty Project when there are none."""
    pyproject = tree.toml("pyproject.toml")
    tool, is_built = pyproject.table("tool"), pyproject.has("build-system")
    groups = _groups(tree)
    backend = pyproject.table("build-system").text("build-backend")
    if pyproject.has("project"):
        project = pyproject.table("project")
        dynamic = set(project.strings("dynamic"))
        optional = project.table("optional-dependencies")
        # Where `[project]` names no dependencies, poetry's backend takes its own table.
        is_named = project.has("dependencies") or project.has("optional-dependencies")
        of_poetry = tool.table("poetry").has("dependencies") and backend.startswith("poetry.")
        return PythonProject(
            source="pyproject.toml",
            name=_name(project.text("name")),
            requires_python=project.text("requires-python"),
            backend=backend,
            # Without a build system pip assumes setuptools; an application without is not packaged.
            is_installable=is_built or tool.has("setuptools") or tree.has("setup.py"),
            is_dynamic=bool(dynamic & {"dependencies", "optional-dependencies"})
            or (of_poetry and not is_named),
            dependencies=project.strings("dependencies"),
            extras=tuple(NamedList(name, optional.strings(name)) for name in optional.names()),
            groups=groups,
        )
    if tool.has("poetry"):
        poetry = pyproject.table("tool", "poetry")
        listed, wanted = poetry.table("extras"), poetry.table("dependencies").text("python")
        return PythonProject(
            source="pyproject.toml",
            name=_name(poetry.text("name")),
            requires_python="" if "|" in wanted else _specifier(wanted),
            backend=backend,
            is_installable=is_built,
            is_dynamic=True,  # poetry's own notation: its backend translates it
            extras=tuple(NamedList(name, listed.strings(name)) for name in listed.names()),
            groups=groups,
        )
    if tree.has("setup.py"):
        return _setup_py(tree, groups)
    if tree.has("setup.cfg") and tree.ini("setup.cfg").has_section("metadata"):
        return _setup_cfg(tree, groups)
    if tree.has("pyproject.toml"):
        return PythonProject(
            "pyproject.toml", backend=backend, is_installable=is_built, groups=groups
        )
    return PythonProject()


def _name(text: str) -> str:
    """Return the normalised name when it is one: it becomes an argument of a command."""
    name = canonicalize_name(text)
    return name if re.fullmatch(r"[a-z0-9-]{1,200}", name) else ""


def _groups(tree: Tree) -> tuple[NamedList, ...]:
    """Return PEP 735 groups with their `include-group` entries followed (cycles end), and other lists.

    These are what PDM, uv (its old key), poetry and hatch keep outside the standard.
    """
    pyproject = tree.toml("pyproject.toml")
    groups = pyproject.table("dependency-groups")

    def members(name: str, trail: tuple[str, ...]) -> tuple[str, ...]:
        included = [t.text("include-group") for t in groups.tables(name)]
        nested = [members(i, (*trail, name)) for i in included if i not in (*trail, name)]
        own = groups.strings(name)
        return own + tuple(requirement for found in nested for requirement in found)

    standard = tuple(NamedList(name, members(name, ())) for name in groups.names())
    tool = pyproject.table("tool")
    pdm = tool.table("pdm", "dev-dependencies")
    lists = [NamedList(name, pdm.strings(name), is_loose=True) for name in pdm.names()]
    lists.append(NamedList("dev", tool.table("uv").strings("dev-dependencies"), is_loose=True))
    named = tool.table("poetry", "group")
    of_poetry = [("dev", tool.table("poetry", "dev-dependencies"))]
    of_poetry += [(name, named.table(name, "dependencies")) for name in named.names()]
    lists += [NamedList(name, _requirements(table), is_loose=True) for name, table in of_poetry]
    for one in (one for _, table in hatch_tables(tree) for one in hatch_environments(table)):
        own = one.strings("dependencies")
        if one.name == "hatch-test" and not own:
            own = ("pytest", "pytest-mock")  # what hatch itself brings, as far as tests call it
        lists.append(NamedList(one.name, own + one.strings("extra-dependencies"), is_loose=True))
    return (*standard, *(entry for entry in lists if entry.requirements))


@dataclass(frozen=True, slots=True)
class HatchEnvironment:
    """One of hatch's environments: what it does not say itself, its template says."""

    name: str
    own: Table
    template: Table

    def strings(self, key: str) -> tuple[str, ...]:
        """Return one of its lists."""
        return (self.own if self.own.has(key) else self.template).strings(key)


def hatch_tables(tree: Tree) -> tuple[tuple[str, Table], ...]:
    """Return the tables of hatch's environments, with what a place of each is called."""
    of_project = tree.toml("pyproject.toml").table("tool", "hatch", "envs")
    return ("hatch", of_project), ("hatch.toml", tree.toml("hatch.toml").table("envs"))


def hatch_environments(table: Table) -> Iterator[HatchEnvironment]:
    """Yield the environments of a table such as `tool.hatch.envs`."""
    for name in table.names():
        own = table.table(name)
        is_alone = own.has("detached") or name.startswith("hatch-")  # these are hatch's own
        above = own.text("template") or ("" if is_alone else "default")
        yield HatchEnvironment(name, own, table.table(above))


def _setup_cfg(tree: Tree, groups: tuple[NamedList, ...]) -> PythonProject:
    config = tree.ini("setup.cfg")
    extras = (
        config.items("options.extras_require")
        if config.has_section("options.extras_require")
        else []
    )
    return PythonProject(
        source="setup.cfg",
        name=_name(config.get("metadata", "name", fallback="")),
        requires_python=config.get("options", "python_requires", fallback=""),
        backend=tree.toml("pyproject.toml").table("build-system").text("build-backend"),
        is_installable=True,
        is_dynamic=True,
        extras=tuple(NamedList(name, tuple(text.split("\n"))) for name, text in extras),
        groups=groups,
    )


def _setup_py(tree: Tree, groups: tuple[NamedList, ...]) -> PythonProject:
    """Return what `setup(...)` is given as literals, or as names of module-level literals."""
    module = tree.python("setup.py")
    names: dict[str, object] = {}
    for node in module.body:
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            names[node.targets[0].id] = _literal(node.value, names)
    words: list[ast.keyword] = []
    for call in ast.walk(module):
        if isinstance(call, ast.Call):
            called = getattr(call.func, "attr", None) or getattr(call.func, "id", None)
            words += call.keywords if called == "setup" else []
    values = Table({word.arg: _literal(word.value, names) for word in words if word.arg})
    from_config = _setup_cfg(tree, groups)
    tests = values.strings("tests_require")
    loose = (NamedList("tests_require", tests, is_loose=True),) if tests else ()
    extras = values.table("extras_require")
    return PythonProject(
        source="setup.py",
        name=_name(values.text("name")) or from_config.name,
        requires_python=values.text("python_requires") or from_config.requires_python,
        backend=from_config.backend,
        is_installable=True,
        is_dynamic=True,
        extras=tuple(NamedList(name, extras.strings(name)) for name in extras.names())
        or from_config.extras,
        groups=groups + loose,
    )


def _literal(node: ast.expr, names: dict[str, object]) -> object:
    if isinstance(node, ast.Name):
        return names.get(node.id)
    if isinstance(node, ast.Dict):
        keys = [k.value if isinstance(k, ast.Constant) else None for k in node.keys]
        pairs = zip(keys, node.values, strict=True)
        return {key: _literal(value, names) for key, value in pairs if key is not None}
    try:
        value = ast.literal_eval(node)
    except (ValueError, TypeError, SyntaxError, RecursionError, MemoryError):
        return None
    return list(value) if isinstance(value, tuple) else value


def _requirements(dependencies: Table) -> tuple[str, ...]:
    """Leave out what has no version (path, git, url): the report's reader sees it missing."""
    lines: list[str] = []
    for name in dependencies.names():
        table = dependencies.table(name)
        version = dependencies.text(name) or table.text("version")
        if name == "python" or not version or "|" in version:
            continue
        extras = ",".join(table.strings("extras"))
        marker = f" ; {table.text('markers')}" if table.text("markers") else ""
        lines.append(f"{name}{f'[{extras}]' if extras else ''}{_specifier(version)}{marker}")
    return tuple(lines)


def _specifier(version: str) -> str:
    found: list[str] = []
    for text in map(str.strip, version.split(",")):
        number = text[1:].strip()
        if text in {"", "*"}:
            continue
        if text[0] == "^":
            # The caret keeps the leftmost part that is not zero.
            parts = number.split(".")
            nonzero = [index for index, part in enumerate(parts) if part != "0"]
            found.append(_range(number, nonzero[0] if nonzero else len(parts) - 1))
        elif text[0] == "~" and not text.startswith("~="):
            found.append(_range(number, min(1, number.count("."))))
        else:
            found.append(text.replace(" ", "") if text[0] in "<>=!~" else f"=={text}")
    return ",".join(found)


def _range(number: str, position: int) -> str:
    parts = number.split(".")
    if not all(re.fullmatch("[0-9]{1,9}", part) for part in parts[: position + 1]):
        return f">={number}"
    upper = [*parts[:position], str(int(parts[position]) + 1)]
    return f">={number},<{'.'.join(upper)}"


def parsed(text: str) -> Requirement | None:
    """Return the requirement, or None when the text is none, or one too deep or long to parse."""
    if len(text) > LINE_CHARS:
        return None
    try:
        return Requirement(text)
    except (ValueError, RecursionError):  # InvalidRequirement is a ValueError
        return None


def requirement_name(text: str) -> str:
    """Return the normalised name that a requirement line starts with, "" when it names none."""
    requirement = parsed(text)
    if requirement:
        return canonicalize_name(requirement.name)
    match = re.match(r"[A-Za-z0-9][\w.-]{0,200}", text.strip()[:LINE_CHARS])
    return canonicalize_name(match.group()) if match else ""
