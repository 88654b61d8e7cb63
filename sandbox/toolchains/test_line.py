"""Follows a configured test line to the runners that it calls, so that each test's result is known.

Only what is understood whole is followed: a line with anything else in it is run as it stands, and
then only its exit code speaks. The line is the configuration's, a Makefile is read from base.
"""

from __future__ import annotations

import posixpath
import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass, replace

from sandbox.toolchains.python_calls import make_places
from sandbox.toolchains.tree import LINE_CHARS, Tree

_FILES = (".gitlab-ci.yml", ".travis.yml", "azure-pipelines.yml", ".circleci/config.yml")
_JOB = re.compile(r"^(?=  [\w-]+:\s*$)", re.M)
_STEPS = re.compile(r"(?m)^ *steps: *\n(?=( *)- )")
_FOR_ONE_PYTHON = re.compile(
    r"(?m)^ *(?:- )?if:[^\n]{0,300}\bmatrix\.[\w.-]{0,40}py[\w.-]{0,40} *== *['\"]?\d"
)


@dataclass(frozen=True, slots=True)
class Job:
    """One job of a file of CI; what the file says for all its jobs stands in a job of its own, the first."""

    path: str
    text: str
    is_shared: bool = False

    @property
    def is_of_workflow(self) -> bool:
        """Tell whether it is GitHub's, whose jobs are told apart for certain."""
        return self.path not in _FILES

    def for_any_python(self) -> Job:
        """Return it without the steps that are for one version of Python among several."""
        steps = _STEPS.search(self.text)
        if steps is None:
            return self
        found = re.split(rf"(?m)^(?={steps[1]}- )", self.text[steps.end() :])
        kept = (one for one in found if not _FOR_ONE_PYTHON.search(one))
        return replace(self, text=f"{self.text[: steps.end()]}{''.join(kept)}")

    def lines(self) -> list[str]:
        """Return its shell lines: continued ones and folded ones (`run: >`) joined."""
        joined = re.sub(
            r"\\\n\s*", " ", re.sub(r"\$\{\{[^}\n]{0,300}\}\}", "$EXPRESSION", self.text)
        )
        joined = re.sub(
            r"(?m)^( *)((?:- )?(?:run|script|command): *)>[-+]?\n((?:\1 +.*\n?)+)",
            lambda found: f"{found[1]}{found[2]}{' '.join(found[3].split())}\n",
            joined,
        )
        stripped = [
            re.sub(r"^\s*(- )?\s*(run:|(?:name|uses):.*|script:|command:)?\s*[|>]?[-+]?", "", line)
            for line in joined.splitlines()
            if len(line) < LINE_CHARS
        ]
        return [line.strip() for line in stripped if line.strip()]


def ci_jobs(tree: Tree) -> Iterator[Job]:
    """Yield the jobs of all files of CI, without the lines that are comments or too long to read."""
    workflows = (tree.listing(".github/workflows", suffix) for suffix in (".yml", ".yaml"))
    for path in (*(one for listed in workflows for one in listed), *_FILES):
        lines = (line for line in tree.read(path).splitlines() if len(line) < LINE_CHARS)
        text = "\n".join(line for line in lines if not line.lstrip().startswith("#"))
        for number, job in enumerate(_JOB.split(text)):
            yield Job(path, job, is_shared=not number)


_SHELL = re.compile(r"[|<>$`{}*?\\~]|&(?!&)(?<!&&)")
_MOST_CALLS = 12
_DEEPEST = 3
_PYTHON = re.compile(r"(?:\S*/)?python(?:3(?:\.\d+)?)?")
_RUNS = {"uv", "poetry", "pdm", "rye", "pipenv"}
_NODE = {
    "npm", "pnpm", "yarn", "npx", "node", "mocha", "jest", "vitest", "ava", "jasmine", "tap", "tape", "uvu",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class TestPlace:
    """One call of a test runner: the folder that it starts in, and its words as a line."""

    __test__ = False
    folder: str
    line: str


class _Unclear(Exception):
    """Something in the line is not understood."""


def test_places(line: str, tree: Tree) -> tuple[TestPlace, ...]:
    """Return the calls that a line makes, one a folder; the line itself where it cannot be followed."""
    try:
        found = list(_calls(line, "", tree, 0))
    except _Unclear:
        return (TestPlace("", line),)
    folders = [one.folder for one in found]
    is_clear = 0 < len(found) <= _MOST_CALLS and len(set(folders)) == len(folders)
    there = all(not folder or tree.is_plain(folder) for folder in folders)
    return tuple(found) if is_clear and there else (TestPlace("", line),)


test_places.__test__ = False  # type: ignore[attr-defined]


def _calls(line: str, folder: str, tree: Tree, depth: int) -> Iterator[TestPlace]:
    if depth > _DEEPEST or len(line) > LINE_CHARS or _SHELL.search(line):
        raise _Unclear
    around: list[str] = []
    for words in _commands(line):
        match words:
            case ["("]:
                around.append(folder)
            case [")"] if around:
                folder = around.pop()
            case ["cd", to] if not to.startswith(("/", "-")):
                folder = _at(folder, to)
            case ["make", *rest]:
                yield from _made(rest, folder, tree, depth)
            case _:
                yield _call(words, folder)
    if around:
        raise _Unclear


def _at(folder: str, to: str) -> str:
    """Return the folder that a path leads to; the line is unclear where that is outside of the tree."""
    found = posixpath.normpath(posixpath.join(folder, to))
    if found.startswith(("/", "..")):
        raise _Unclear
    return "" if found == "." else found


def _commands(line: str) -> Iterator[list[str]]:
    """Yield the words of each command, and a parenthesis as a command of its own."""
    lexer = shlex.shlex(line.replace("\n", ";"), posix=True, punctuation_chars="&;()")
    lexer.whitespace_split, lexer.commenters = True, ""
    words: list[str] = []
    try:
        for word in lexer:
            if set(word) <= set("&;()"):
                yield from ([words] if words else [])
                yield from ([mark] for mark in word if mark in "()")
                words = []
            else:
                words.append(word)
    except ValueError:
        raise _Unclear from None
    yield from ([words] if words else [])


def _call(words: list[str], folder: str) -> TestPlace:
    """Return the call of a runner that a command is, without what only starts it."""
    while True:
        match words:
            case [program, "run", *rest] if program in _RUNS and rest and rest[0][0] != "-":
                words = rest
            case ["coverage", "run", "-m", *rest]:
                words = ["python", "-m", *rest]
            case [python, "-m", "coverage", "run", "-m", *rest] if _PYTHON.fullmatch(python):
                words = ["python", "-m", *rest]
            case [python, "-m", "pytest", *rest] if _PYTHON.fullmatch(python):
                words = ["pytest", *rest]
            case ["py.test", *rest]:
                words = ["pytest", *rest]
            case ["npm", "--prefix" | "-C", to, *rest]:
                folder, words = _at(folder, to), ["npm", *rest]
            case ["npm", *rest, "-w" | "--workspace", to] if "/" in to and not to.startswith("@"):
                folder, words = _at(folder, to), ["npm", *rest]
            case _:
                break
    is_unittest = (
        len(words) > 2 and words[1:3] == ["-m", "unittest"] and _PYTHON.fullmatch(words[0])
    )
    if not (words[0] in {"pytest", *_NODE} or is_unittest):
        raise _Unclear
    return TestPlace(folder, shlex.join(words))


def _made(words: list[str], folder: str, tree: Tree, depth: int) -> Iterator[TestPlace]:
    """Follow `make [-C FOLDER] TARGET` into the recipe; every line of it starts in the folder anew."""
    if words[:1] == ["-C"] and len(words) > 1:
        folder, words = _at(folder, words[1]), words[2:]
    if len(words) != 1 or words[0].startswith("-") or "=" in words[0]:
        raise _Unclear
    places = make_places(Tree(tree.root / folder))
    lines = next((place.lines for place in places if place.name == words[0]), ())
    told = [line for line in lines if not re.match(r"\s*(?:#|echo\b)|\s*\Z", line)]
    if not told:
        raise _Unclear
    for line in told:
        yield from _calls(line, folder, tree, depth + 1)
