"""What tox, nox and CI files install and call for the tests: hints, read as text, never run."""

from __future__ import annotations

import ast
import re
import shlex
from collections.abc import Iterator, Mapping
from configparser import ConfigParser
from dataclasses import dataclass, replace
from itertools import groupby, pairwise

from packaging.utils import canonicalize_name

from sandbox.toolchains.python_calls import (
    PARTS,
    RunnerLine,
    calls_in,
    make_places,
    nox_places,
    task_places,
)
from sandbox.toolchains.python_project import (
    hatch_environments,
    hatch_tables,
    parsed,
    requirement_name,
)
from sandbox.toolchains.test_line import Job, ci_jobs
from sandbox.toolchains.tree import LINE_CHARS, Table, Tree

# Tools that CI installs to run the job, not to run the tests.
_TOOLS = frozenset(
    {"pip", "setuptools", "wheel", "build", "twine", "tox", "tox-uv", "tox-gh-actions", "nox"}
    | {"hatch", "flit", "poetry", "pdm", "uv", "pre-commit", "virtualenv", "codecov", "coveralls"}
    | {"flake8", "black", "ruff", "isort", "mypy", "pylint", "bandit", "safety", "pip-audit"}
    | {"pytest-travis-fold", "pytest-github-actions-annotate-failures"}
)
# Options of `pip install` and `uv pip install` whose next word is a value, though it may read as a package.
# fmt: off
_WITH_VALUES = frozenset({
    "-c", "--constraint", "-b", "--build-constraint", "--override", "-p", "--python", "-t", "--target",
    "--prefix", "--root", "--src", "--platform", "--python-platform", "--implementation", "--abi", "-C",
    "--resolution", "--prerelease", "--upgrade-strategy", "--index-strategy", "--link-mode", "--color",
    "--no-binary", "--only-binary", "--no-build-isolation-package", "--keyring-provider",
    "--config-setting", "--config-settings", "--global-option", "--exclude-newer", "-i", "--index",
    "--index-url", "--extra-index-url", "--default-index", "-f", "--find-links", "--trusted-host",
    "--progress-bar", "--cache-dir", "--torch-backend", "--use-feature",
})
# fmt: on
_MAKE = re.compile(r"make((?:\s+[\w.-]+)+)")
_MOST_OF_TARGET = 50  # lines
_TESTS = re.compile(r"(unit[_-]?)?(tests?|check|pytest)\b")


@dataclass(frozen=True, slots=True)
class TestHints:
    """What one place installs before the tests, and how it calls them; all of it may be empty.

    `is_aside`: it is not the place of the tests, so its installs count only with its doctests. `is_whole`:
    the tests run with the project and what this place installs, and with nothing else.
    """

    __test__ = False
    source: str
    extras: tuple[str, ...] = ()
    groups: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
    packages: tuple[str, ...] = ()
    calls: tuple[RunnerLine, ...] = ()
    is_aside: bool = False
    is_of_ci: bool = False
    is_whole: bool = False


def read_hints(tree: Tree, project: str) -> tuple[TestHints, ...]:
    """Return the hints of tox, nox, CI, Makefile and tasks in this order; `project` is normalised."""
    found = (
        *_tox(tree, project),
        *_nox(tree, project),
        *_ci(tree, project),
        *_targets(tree),
        *_hatch(tree),
    )
    return tuple(
        one for one in found if one.extras or one.groups or one.files or one.packages or one.calls
    )


def _aside(hints: TestHints) -> TestHints:
    """Return a place that is not the tests' own; without doctests it installs nothing."""
    if any(call.asks_for_doctests for call in hints.calls):
        return replace(hints, is_aside=True)
    return TestHints(hints.source, calls=hints.calls, is_aside=True, is_of_ci=hints.is_of_ci)


def _tox(tree: Tree, project: str) -> Iterator[TestHints]:
    """Yield what the environment of the tests says, then the others as far as they run doctests."""
    tables = {"pyproject.toml (tox)": tree.toml("pyproject.toml").table("tool", "tox")}
    tables["tox.toml"] = tree.toml("tox.toml")
    config, source = tree.ini("tox.ini"), "tox.ini"
    legacy = tables["pyproject.toml (tox)"].text("legacy_tox_ini")
    if not config.sections() and legacy:
        config, source = ConfigParser(interpolation=None, strict=False), "pyproject.toml (tox)"
        config.read_string(legacy)
    names = [s for s in config.sections() if s == "testenv" or s.startswith("testenv:")]
    for name, table in tables.items() if not names else ():
        yield _tox_table(tree, name, table.table("env_run_base"))
        for one in table.table("env").names():
            yield _aside(_tox_table(tree, f"{name} {one}", table.table("env", one)))
    main = next((s for s in ("testenv", "testenv:py", "testenv:test") if s in names), "")
    for name in sorted(names, key=lambda one: one != main):
        hints = _tox_section(tree, config, name, project)
        hints = replace(hints, source=source if name == main else f"{source} ({name})")
        yield hints if name == main else _aside(hints)


def _tox_table(tree: Tree, source: str, table: Table) -> TestHints:
    lines = []
    for command in table.lists("commands"):
        words: list[str] = []
        for word in command:  # of `{replace = "posargs", default = [...]}` the default
            words += [word] if isinstance(word, str) else Table(word).strings("default")
        lines.append(shlex.join(words))
    return TestHints(
        source,
        extras=table.strings("extras"),
        groups=table.strings("dependency_groups"),
        packages=_plain_packages(table.strings("deps")),
        is_whole=True,
        calls=calls_in(tree, _resolved("\n".join(lines)), _start(table.text("change_dir"))),
    )


def _start(folder: str) -> str:
    """Return the folder that an environment changes into, "" for the tree and for tox's own."""
    folder = next(iter(_resolved(folder)), "")
    return "" if folder.startswith(("/", ".", "{", "$")) else folder.rstrip("/")


def _tox_section(tree: Tree, config: ConfigParser, section: str, project: str) -> TestHints:
    def said(key: str) -> str:
        return config.get(section, key, fallback="")

    start = _start(said("changedir") or said("change_dir"))
    commands = [_conditioned(line) for line in _resolved(said("commands"))]
    calls = [(one, calls_in(tree, [one.text], start)) for one in commands]
    # What tests are called for, they are installed for.
    factors = frozenset(one.factors for one, found in calls if found)
    words: list[str] = []
    for line in _holding(said("deps"), factors):
        # A requirement is one word, whatever its marker holds.
        text = line.partition(" #")[0].strip()
        words += [text] if parsed(text) else _words(line)
    installed = _pip_arguments(words, project)
    # Where every environment runs the tests, they skip what the extra of one of them brings.
    extra = {one.factors for one in map(_conditioned, _resolved(said("extras")))}
    if any(one.factors for one in commands):
        extra = set()
    extra = {one for one in extra if not config.has_section(f"testenv:{one}")}
    return replace(
        installed,
        source="tox.ini",
        extras=installed.extras + _split(said("extras"), factors | extra),
        groups=installed.groups + _split(said("dependency_groups"), factors),
        is_whole=True,
        calls=tuple(dict.fromkeys(call for _, found in calls for call in found)),
    )


_TOX_FOLDERS = re.compile(r"\{(toxinidir|tox_root|envsitepackagesdir|env_site_packages_dir)\}/?")


def _resolved(text: str) -> list[str]:
    """Return tox's lines with its folders cut off and `{posargs:x}` resolved."""
    text = _TOX_FOLDERS.sub("", text.replace("\\\n", " "))
    text = re.sub(r"\{posargs:([^{}]*)\}", r"\1", text).replace("{posargs}", "")
    lines = [line.strip() for line in text.splitlines() if len(line) < LINE_CHARS]
    return [line for line in lines if line]


@dataclass(frozen=True, slots=True)
class _Conditioned:
    """A line of tox and the factors that it holds for, as they are written; "" for all."""

    text: str
    factors: str


def _conditioned(line: str) -> _Conditioned:
    found = re.match(r"([\w.{},!-]+)\s*:\s+", line)
    return _Conditioned(line[found.end() :], found[1]) if found else _Conditioned(line, "")


def _holding(text: str, factors: frozenset[str]) -> list[str]:
    """Return tox's lines that hold for every factor or for one of these."""
    lines = [_conditioned(line) for line in _resolved(text)]
    return [one.text for one in lines if not one.factors or one.factors in factors]


def _split(text: str, factors: frozenset[str]) -> tuple[str, ...]:
    lines = _holding(text, factors)
    return tuple(word for line in lines for word in re.split(r"[\s,]+", line) if word)


def _nox(tree: Tree, project: str) -> Iterator[TestHints]:
    """Yield each session's calls; what is installed comes from functions whose name says test."""
    words: list[str] = []
    for function in tree.python("noxfile.py").body:
        if isinstance(function, ast.FunctionDef) and _TESTS.match(function.name):
            for node in ast.walk(function):
                if isinstance(node, ast.Call) and ast.unparse(node.func) == "session.install":
                    words += [word for argument in node.args for word in _nox_words(argument)]
    yield _pip_arguments(words, project, "noxfile.py")
    for place in nox_places(tree):
        hints = TestHints(f"{place.source} ({place.name})", calls=calls_in(tree, place.lines))
        yield hints if _TESTS.match(place.name) else _aside(hints)


def _targets(tree: Tree) -> Iterator[TestHints]:
    """Yield the calls of a Makefile's targets and of the tasks of hatch, pixi, pdm, poe and the like."""
    for place in (*make_places(tree), *task_places(tree)):
        hints = TestHints(f"{place.source}: {place.name}", calls=calls_in(tree, place.lines))
        yield hints if _TESTS.match(place.name) else _aside(hints)


def _hatch(tree: Tree) -> Iterator[TestHints]:
    """Yield the extras and groups of hatch's environments that are for the tests, or have a task for them."""
    calling = {place.source for place in task_places(tree) if calls_in(tree, place.lines)}
    for file, table in hatch_tables(tree):
        for one in hatch_environments(table):
            source = f"{file} {one.name}"
            if source in calling or _TESTS.match(one.name.removeprefix("hatch-")):
                extras, groups = one.strings("features"), one.strings("dependency-groups")
                own = () if one.name == "default" else (one.name,)
                yield TestHints(source, extras=extras, groups=(*own, *groups))


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
    """Yield for each CI file its first job that runs tests, and the other jobs that run doctests."""
    made = {place.name: place.lines[:_MOST_OF_TARGET] for place in make_places(tree)}
    for _, jobs_of_file in groupby(ci_jobs(tree), key=lambda job: job.path):
        jobs = [_job(tree, job, project, made) for job in jobs_of_file]
        with_calls = [job for job in jobs if job.calls]
        yield from with_calls[:1]
        yield from (_aside(job) for job in with_calls[1:])


def _job(tree: Tree, job: Job, project: str, made: Mapping[str, tuple[str, ...]]) -> TestHints:
    """Read one job; `made` are the lines of the Makefile's targets, which it may call its tests by."""
    lines, words = job.lines(), list[str]()
    for line in (part for whole in lines for part in PARTS.split(whole)):
        if re.search(r"\bpip3? install\b", line):
            words += _words(line.split("install", 1)[1])
        elif re.search(r"\b(uv (sync|run)|poetry install|pdm (install|sync))\b", line):
            words += _groups_only(_words(line))
    found = _pip_arguments(words, project, job.path)
    calls, usual = (
        calls_in(tree, _with_targets(one, made)) for one in (lines, job.for_any_python().lines())
    )
    if usual:  # the others may need another version than the one that is here
        calls = tuple(one for one in calls if one in usual or one.asks_for_doctests)
    return replace(found, calls=calls, is_of_ci=True)


def _with_targets(lines: list[str], made: Mapping[str, tuple[str, ...]]) -> Iterator[str]:
    """Yield what targets run in place of the lines that make them."""
    for line in lines:
        called = _MAKE.fullmatch(line)
        targets = called[1].split() if called else []
        yield from (inner for one in targets for inner in made.get(one, ())) if targets else (line,)


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
            extras += [name.strip() for name in (local.group(2) or "").split(",") if name.strip()]
        elif not word.startswith("-") and previous not in _WITH_VALUES | {"-e"}:
            packages.append(word)
        previous = word
    requirements = [parsed(word) for word in packages]
    own = (one for one in requirements if one and canonicalize_name(one.name) == project)
    extras += [extra for one in own for extra in one.extras]
    return TestHints(
        source,
        tuple(dict.fromkeys(extras)),
        tuple(dict.fromkeys(groups)),
        tuple(dict.fromkeys(file.removeprefix("./") for file in files if "$" not in file)),
        tuple(p for p in _plain_packages(packages) if requirement_name(p) != project),
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


def _plain_packages(words: tuple[str, ...] | list[str]) -> tuple[str, ...]:
    """Keep what is a requirement by name, no URL, no shell or matrix variable, no tool of the job."""
    plain = ((word, parsed(word)) for word in dict.fromkeys(words))
    return tuple(
        word
        for word, requirement in plain
        if requirement and not requirement.url and requirement_name(word) not in _TOOLS
    )
