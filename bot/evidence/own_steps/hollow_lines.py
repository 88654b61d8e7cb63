"""Reads a judge's shell line: does it run something of the project, or only look at files?"""

from __future__ import annotations

import ast
import re
import shlex
from collections.abc import Sequence
from dataclasses import dataclass

from bot.diff.python_source import parse_python

_BETWEEN = re.compile(r"[;&|()\n]+")
_ASSIGNED = re.compile(r"^\w+=")
_HIDDEN = re.compile(r"(?:2|&)>")
_LOOKING_WORDS = (
    "[ [[ test ls cat tac grep egrep fgrep rg find stat file head tail wc nl diff cmp comm git awk "
    "sed sort uniq cut tr tee cp mv ln basename dirname realpath readlink sha256sum md5sum cksum "
    "false exit"
)
_SETTING_WORDS = (
    "cd pwd echo printf true : touch mkdir rm export set sleep fi for done while in { }"
)
_STARTING_WORDS = "timeout env command xargs ! if then do else time"
_RUNNER_WORDS = "pytest py.test unittest nose2 tox nox jest vitest mocha ava ctest bats"
_TOOL_WORDS = "npm yarn pnpm cargo go mvn gradle make node bun deno"
_LOOKING, _SETTING = frozenset(_LOOKING_WORDS.split()), frozenset(_SETTING_WORDS.split())
_RUNNING_OTHERS = frozenset(_STARTING_WORDS.split())
_RUNNERS, _WITH_TEST = frozenset(_RUNNER_WORDS.split()), frozenset(_TOOL_WORDS.split())
_LOOKS_ONLY = "Its line looks at files: what stands in them is no behaviour."
_RUNS_NOTHING = "Its line runs nothing of the project."
_HIDES = "Its line hides what goes wrong."
REPOSITORY_TESTS = (
    "It runs tests of the repository, which are compared four ways already: a test of the judge's own "
    "is needed."
)


@dataclass(frozen=True, slots=True)
class Part:
    """One command of a line; `is_piped` says that it reads what the one before it wrote."""

    words: tuple[str, ...]
    is_piped: bool

    @property
    def name(self) -> str:
        """The command's name without its folder; empty when the part only sets something."""
        return self.words[0].rsplit("/", 1)[-1] if self.words else ""

    @property
    def is_run(self) -> bool:
        """Whether it can be something of the project that runs."""
        return bool(self.words) and self.name not in _LOOKING | _SETTING


def line_problem(line: str, own_paths: Sequence[str] = ()) -> str:
    """Why a line shows no behaviour, as a sentence; empty when it may. `own_paths` are the judge's files."""
    parts = _parts(line)
    if _HIDDEN.search(line):
        return _HIDES
    if any(part.name in _LOOKING and not part.is_piped for part in parts):
        return _LOOKS_ONLY
    if not any(part.is_run for part in parts):
        return _RUNS_NOTHING
    if any(_tests_the_repository(part, own_paths) for part in parts):
        return REPOSITORY_TESTS
    return ""


def names_in_line(line: str) -> tuple[str, ...]:
    """What a line runs and passes on, without comments; of Python in it, what is called."""
    return tuple(name for part in _parts(line) if part.is_run for name in _names(part.words))


def is_looking(command: str) -> bool:
    """Whether a command, by its first word or by that of the line that a shell is given, only looks."""
    plain = command.replace('"', " ").replace("'", " ")
    words = [one for one in plain.split() if one not in ("sh", "bash", "/bin/sh", "-c", "-ec")]
    return bool(words) and words[0].rsplit("/", 1)[-1] in _LOOKING | _SETTING


def _parts(line: str) -> list[Part]:
    found: list[Part] = []
    words: list[str] = []
    before = ""
    for token in (*_tokens(line), ";"):
        if _BETWEEN.fullmatch(token):
            found.append(Part(_own_words(words), before == "|"))
            words, before = [], token
        else:
            words.append(token)
    return [one for one in found if one.words]


def _tokens(line: str) -> list[str]:
    """The line's words and what stands between commands; a line that cannot be read gives one word."""
    reader = shlex.shlex(line, posix=True, punctuation_chars=";&|()\n")
    reader.whitespace, reader.whitespace_split = " \t\r", True
    try:
        return list(reader)
    except ValueError:
        return ["false"]


def _own_words(words: list[str]) -> tuple[str, ...]:
    """A command without assignments before it and without what only starts it."""
    rest = words
    while rest and (_ASSIGNED.match(rest[0]) or rest[0] in _RUNNING_OTHERS):
        is_timeout = rest[0] == "timeout"
        rest = rest[1:]
        while is_timeout and rest and (rest[0].startswith("-") or rest[0][:1].isdigit()):
            rest = rest[1:]
    return tuple(rest)


def _tests_the_repository(part: Part, own_paths: Sequence[str]) -> bool:
    words = [one.rsplit("/", 1)[-1] for one in part.words]
    is_runner = bool(_RUNNERS.intersection(words)) or (
        part.name in _WITH_TEST and bool({"test", "check", "--test", "t"}.intersection(words))
    )
    own = [one for one in part.words if one.removeprefix("./") in own_paths]
    others = [one for one in part.words[1:] if _is_path(one) and one not in own]
    return is_runner and (not own or bool(others))


def _is_path(word: str) -> bool:
    return not word.startswith("-") and bool(re.search(r"\.\w{1,5}(::|$)|/", word))


def _names(words: tuple[str, ...]) -> list[str]:
    if len(words) > 2 and words[1] == "-c" and "python" in words[0]:
        return _called(words[2])
    return list(words)


def _called(source: str) -> list[str]:
    """The functions and methods that Python calls."""
    tree = parse_python(source)
    if tree is None:
        return []
    calls = [node.func for node in ast.walk(tree) if isinstance(node, ast.Call)]
    named = [one.id if isinstance(one, ast.Name) else getattr(one, "attr", "") for one in calls]
    return [one for one in named if one]
