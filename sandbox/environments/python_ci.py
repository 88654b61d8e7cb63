"""What tox, nox and CI files install and call for the tests: hints, read as text, never run."""

from __future__ import annotations

import ast
import re
import shlex
from collections.abc import Iterator
from configparser import ConfigParser
from dataclasses import dataclass
from itertools import pairwise

from packaging.utils import canonicalize_name

from sandbox.environments.python_requirement import parsed, requirement_name
from sandbox.environments.tree import Table, Tree

# Tools that CI installs to run the job, not to run the tests.
_TOOLS = frozenset(
    {"pip", "setuptools", "wheel", "build", "twine", "tox", "tox-uv", "tox-gh-actions", "nox"}
    | {"hatch", "flit", "poetry", "pdm", "uv", "pre-commit", "virtualenv", "codecov", "coveralls"}
    | {"flake8", "black", "ruff", "isort", "mypy", "pylint", "bandit", "safety", "pip-audit"}
    | {"pytest-travis-fold", "pytest-github-actions-annotate-failures"}
)
_NOX_TESTS = re.compile(r"(unit_?)?tests?\b")
_CI_FILES = (".gitlab-ci.yml", ".travis.yml", "azure-pipelines.yml", ".circleci/config.yml")
_TEST_CALL = re.compile(
    r"(?:^|[\s/;&\"'])(?P<runner>pytest|py\.test|unittest)(?=$|[\s\"'])(?P<rest>.*)"
)
_LINE_CHARS = 2_000
_PARTS = re.compile(r"&&|\|\||[;|]")


@dataclass(frozen=True, slots=True)
class TestHints:
    """What one file installs before the tests, and how it calls them; all of it may be empty."""

    __test__ = False
    source: str
    extras: tuple[str, ...] = ()
    groups: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
    packages: tuple[str, ...] = ()
    installs_project: bool = False
    commands: tuple[str, ...] = ()

    @property
    def says_something(self) -> bool:
        """Tell whether there is anything to use."""
        lists = (self.extras, self.groups, self.files, self.packages, self.commands)
        return self.installs_project or any(lists)


def read_hints(tree: Tree, project: str) -> tuple[TestHints, ...]:
    """Return the hints of tox, nox and CI in this order; `project` is its normalised name."""
    found = (_tox(tree, project), _nox(tree, project), *_ci(tree, project))
    return tuple(hints for hints in found if hints.says_something)


def _tox(tree: Tree, project: str) -> TestHints:
    pyproject = tree.toml("pyproject.toml").table("tool", "tox")
    config = tree.ini("tox.ini")
    source = "tox.ini"
    if not config.sections() and pyproject.has("legacy_tox_ini"):
        config, source = _parsed(pyproject.text("legacy_tox_ini")), "pyproject.toml (tox)"
    elif not config.sections():
        table = pyproject.table("env_run_base") or Table({})
        return TestHints(
            "pyproject.toml (tox)",
            extras=table.strings("extras"),
            groups=table.strings("dependency_groups"),
            packages=_plain_packages(table.strings("deps")),
        )
    section = next(
        (s for s in ("testenv", "testenv:py", "testenv:test") if config.has_section(s)), ""
    )
    if not section:
        return TestHints(source)
    lines = _unconditional(config.get(section, "deps", fallback=""))
    installed = _pip_arguments([word for line in lines for word in _words(line)], project)
    return TestHints(
        source,
        extras=installed.extras + _split(config.get(section, "extras", fallback="")),
        groups=installed.groups + _split(config.get(section, "dependency_groups", fallback="")),
        files=installed.files,
        packages=installed.packages,
        commands=_test_calls(_unconditional(config.get(section, "commands", fallback=""))),
    )


def _parsed(text: str) -> ConfigParser:
    parser = ConfigParser(interpolation=None, strict=False)
    parser.read_string(text)
    return parser


def _unconditional(text: str) -> list[str]:
    """Return tox lines that hold for every factor, `{toxinidir}/` and `{posargs:x}` resolved."""
    text = text.replace("{toxinidir}/", "").replace("{tox_root}/", "").replace("\\\n", " ")
    text = re.sub(r"\{posargs:([^{}]*)\}", r"\1", text).replace("{posargs}", "")
    lines = [line.strip() for line in text.splitlines() if len(line) < _LINE_CHARS]
    return [line for line in lines if line and not re.match(r"[\w{},!-]+\s*:\s", line)]


def _split(text: str) -> tuple[str, ...]:
    lines = _unconditional(text)
    return tuple(word for line in lines for word in re.split(r"[\s,]+", line) if word)


def _nox(tree: Tree, project: str) -> TestHints:
    """Read what `session.install(...)` names in functions whose name says test."""
    words = [
        word
        for call in _nox_installs(tree.read("noxfile.py"))
        for argument in call.args
        for word in _nox_words(argument)
    ]
    return _pip_arguments(words, project, "noxfile.py")


def _nox_installs(text: str) -> Iterator[ast.Call]:
    try:
        functions = ast.parse(text).body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return
    for function in functions:
        if isinstance(function, ast.FunctionDef) and _NOX_TESTS.match(function.name):
            for node in ast.walk(function):
                if isinstance(node, ast.Call) and ast.unparse(node.func) == "session.install":
                    yield node


def _nox_words(argument: ast.expr) -> Iterator[str]:
    """Yield what an argument says by itself: a text, or the groups of `nox.project.dependency_groups`."""
    if isinstance(argument, ast.Constant) and isinstance(argument.value, str):
        yield argument.value
    inner = argument.value if isinstance(argument, ast.Starred) else None
    if isinstance(inner, ast.Call) and ast.unparse(inner.func).endswith("dependency_groups"):
        for name in inner.args[1:]:
            if isinstance(name, ast.Constant) and isinstance(name.value, str):
                yield from ("--group", name.value)


def _ci(tree: Tree, project: str) -> Iterator[TestHints]:
    """Yield one hint for each CI file with a job that runs tests: only its first such job."""
    workflows = tree.listing(".github/workflows", ".yml") + tree.listing(
        ".github/workflows", ".yaml"
    )
    for path in (*workflows, *_CI_FILES):
        jobs = re.split(r"^(?=  [\w-]+:\s*$)", tree.read(path), flags=re.M)
        job = next((job for job in jobs if any(_calls(line) for line in _lines(job))), "")
        if job:
            yield _job(path, _lines(job), project)


def _lines(job: str) -> list[str]:
    joined = job.replace("\\\n", " ")
    stripped = [
        re.sub(r"^\s*(- )?\s*(run:|name:.*|script:)?\s*[|>]?-?", "", li)
        for li in joined.splitlines()
        if len(li) < _LINE_CHARS  # no person wrote a longer one, and patterns must stay fast
    ]
    return [part.strip() for line in stripped for part in _PARTS.split(line) if part.strip()]


def _job(source: str, lines: list[str], project: str) -> TestHints:
    words: list[str] = []
    for line in lines:
        if re.search(r"\bpip3? install\b", line):
            words += _words(line.split("install", 1)[1])
        elif re.search(r"\b(uv (sync|run)|poetry install|pdm (install|sync))\b", line):
            words += _groups_only(_words(line))
    found = _pip_arguments(words, project, source)
    return TestHints(
        source,
        found.extras,
        found.groups,
        found.files,
        found.packages,
        found.installs_project,
        _test_calls(lines),
    )


def _words(line: str) -> list[str]:
    try:
        return shlex.split(line, comments=True)
    except ValueError:
        return []


def _groups_only(words: list[str]) -> list[str]:
    """Keep the options of uv, poetry and pdm that name extras and groups, as pip would say them."""
    same = {"--group": "--group", "--only-group": "--group", "--with": "--group", "-G": "--group"}
    same |= {"--extra": "--extra", "--extras": "--extra", "-E": "--extra"}
    flat = [part for word in words for part in word.split("=", 1)]
    found: list[str] = []
    for option, value in pairwise(flat):
        if option in same:
            found += [part for name in re.split(r"[\s,]+", value) for part in (same[option], name)]
    return found


def _pip_arguments(words: list[str], project: str, source: str = "") -> TestHints:
    """Sort the arguments of `pip install` into extras of the project, groups, files and packages."""
    extras: list[str] = []
    groups: list[str] = []
    files: list[str] = []
    packages: list[str] = []
    installs_project = False
    previous = ""
    for word in _spelled_out(words):
        local = re.fullmatch(r"(\.|\.\[([\w\s,.-]+)\])", word)
        if previous in {"-r", "--requirement"}:
            files.append(word)
        elif word.startswith("-r") and len(word) > 2:
            files.append(word[2:])
        elif previous == "--group":
            groups.append(word)
        elif previous == "--extra":
            extras.append(word)
        elif local:
            installs_project = True
            extras += [name.strip() for name in (local.group(2) or "").split(",") if name.strip()]
        elif not word.startswith("-") and previous not in {"-c", "--constraint", "-e"}:
            packages.append(word)
        previous = word
    own = [_own_extras(word, project) for word in packages]
    extras += [extra for found in own for extra in found]
    return TestHints(
        source,
        tuple(dict.fromkeys(extras)),
        tuple(dict.fromkeys(groups)),
        tuple(dict.fromkeys(file.removeprefix("./") for file in files if "$" not in file)),
        tuple(p for p in _plain_packages(packages) if requirement_name(p) != project),
        installs_project or any(own),
    )


def _spelled_out(words: list[str]) -> Iterator[str]:
    """Yield `-e.[test]` and `--group=test` as the two words that they are."""
    for word in words:
        option, equals, value = word.partition("=")
        if word.startswith("-e") and len(word) > 2:
            yield from ("-e", word[2:])
        elif equals and option in {"--group", "--extra", "--requirement"}:
            yield from (option, value)
        else:
            yield word


def _own_extras(word: str, project: str) -> tuple[str, ...]:
    requirement = parsed(word)
    own = requirement and canonicalize_name(requirement.name) == project
    return tuple(requirement.extras) if requirement and own else ()


def _plain_packages(words: tuple[str, ...] | list[str]) -> tuple[str, ...]:
    """Keep what is a requirement by name, no URL, no shell or matrix variable, no tool of the job."""
    plain = ((word, parsed(word)) for word in dict.fromkeys(words))
    return tuple(
        word
        for word, requirement in plain
        if requirement and not requirement.url and requirement_name(word) not in _TOOLS
    )


def _calls(line: str) -> bool:
    return bool(_TEST_CALL.search(line)) and not re.search(r"\b(pip3?|uv|conda) .*install\b", line)


def _test_calls(lines: list[str]) -> tuple[str, ...]:
    """Return "pytest ..." or "unittest ..." for each line that calls one of them."""
    found = (_TEST_CALL.search(line) for line in lines if _calls(line))
    return tuple(
        f"{m['runner'].replace('py.test', 'pytest')}{m['rest']}".strip() for m in found if m
    )
