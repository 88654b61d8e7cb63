"""Reads the `test` script of a package.json: which runner is called in the chain, and how."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import islice

from sandbox.environments.tree import Table
from sandbox.models import TestRunner

_ENDS = {"&&", "||", ";", "&", "|", "(", ")"}
_VARIABLE = re.compile(r"[A-Za-z_]\w*=")
_LONGEST = 4000
_DEEPEST = 5
_MOST_COMMANDS = 200  # scripts can call each other again and again
_RUNNERS = {
    "mocha": TestRunner.MOCHA,
    "_mocha": TestRunner.MOCHA,
    "jest": TestRunner.JEST,
    "vitest": TestRunner.VITEST,
    "ava": TestRunner.AVA,
}
# Programs that only start another one; their own options are left out.
_WRAPPERS = {"npx", "cross-env", "c8", "nyc", "env", "cross-env-shell", "bunx", "pnpx", "time"}
_WITH_VALUE = {
    "--reporter", "-r", "--reporters", "--reporter-option", "--report-dir", "--check-coverage",
    "--lines", "--functions", "--branches", "--statements", "--include", "--exclude", "--src",
    "-x", "-n",
}  # fmt: skip
_NODE_WITH_VALUE = {
    "-r",
    "--require",
    "--import",
    "--loader",
    "--experimental-loader",
    "-C",
    "--conditions",
}
# Options about looks, speed and coverage, of any of the runners: the result does not depend on them.
_DROPPED = re.compile(
    r"--(no-)?(reporters?|test-reporter|test-reporter-destination|watch\w*|coverage|collect-?coverage"
    r"|experimental-test-coverage|bail|fail-fast|verbose|parallel|color|colors|silent|tap|ci"
    r"|test-coverage-[\w-]+|reporter-options?|update-snapshots|updateSnapshot|update|run|node-arguments"
    r"|test-update-snapshots|coverage\.[\w.-]+|ui|open)(=.*)?|-[RutwvsbO]"
)
_DROPPED_WITH_VALUE = {
    "--reporter", "-R", "--reporters", "--test-reporter", "--test-reporter-destination",
    "--reporter-option", "--reporter-options", "-O",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class ScriptCall:
    """How a script calls a runner. `arguments` as in a Recipe: NAME=value, node's, `--`, the runner's.

    `before` are names of scripts and programs that the chain runs before it.
    """

    runner: TestRunner
    arguments: tuple[str, ...]
    script: str
    before: tuple[str, ...] = ()
    others: int = 0


def read_script(scripts: Table, name: str = "test") -> ScriptCall | None:
    """Return the first call of a known runner in a script and those that it runs; None without one."""
    found: ScriptCall | None = None
    before: list[str] = []
    others = 0
    for script, words in islice(_segments(scripts, name, 0), _MOST_COMMANDS):
        call = _call(words)
        if call is None:
            before += [] if found else words[:3]
        elif found is None:
            found = ScriptCall(call[0], call[1], script, tuple(before))
        elif joined := _joined(found, *call):
            found = joined
        else:
            others += 1
    if found is None:
        return None
    return ScriptCall(found.runner, found.arguments, found.script, found.before, others)


def _joined(found: ScriptCall, runner: TestRunner, arguments: tuple[str, ...]) -> ScriptCall | None:
    """Return one call for two of the same runner that differ in nothing but their files, else None."""
    at, other = found.arguments.index("--"), arguments.index("--")
    ours, theirs = found.arguments[at + 1 :], arguments[other + 1 :]
    has_files = ours and theirs and not any(word.startswith("-") for word in (*ours, *theirs))
    if runner is not found.runner or found.arguments[:at] != arguments[:other] or not has_files:
        return None
    return replace(found, arguments=(*found.arguments, *theirs))


def _segments(scripts: Table, name: str, depth: int) -> Iterator[tuple[str, list[str]]]:
    """Yield (script's name, words) of every command of a chain, called scripts opened up."""
    if depth > _DEEPEST:
        return
    for part in (f"pre{name}", name):
        for words in _commands(scripts.text(part)):
            called = [one for one in _called(words) if scripts.text(one)]
            for one in called:
                yield from _segments(scripts, one, depth + 1)
            if called:
                yield part, ["(scripts)", *called]
            else:
                yield part, words


def _commands(line: str) -> Iterator[list[str]]:
    lexer = shlex.shlex(line[:_LONGEST], posix=True, punctuation_chars="&|;()")
    lexer.whitespace_split = True
    lexer.commenters = ""
    words: list[str] = []
    try:
        for word in lexer:
            if word in _ENDS:
                yield words
                words = []
            else:
                words.append(word)
    except ValueError:
        return
    yield words


def _called(words: list[str]) -> list[str]:
    """Return the scripts that a command runs by name."""
    match words:
        case ["npm" | "pnpm" | "yarn" | "bun", "run" | "run-script", *rest]:
            return [word for word in rest if not word.startswith("-")][:1]
        case ["npm", "test" | "t", *_]:
            return ["test"]
        case ["yarn" | "pnpm", script, *_]:
            return [script]
        case ["npm-run-all" | "run-s" | "run-p" | "npm-run-all2", *rest]:
            return [word for word in rest if not word.startswith("-")]
        case ["node", "--run", script, *_]:
            return [script]
    return []


def _call(words: list[str]) -> tuple[TestRunner, tuple[str, ...]] | None:
    variables: list[str] = []
    rest = list(words)
    while rest:
        word = rest[0]
        if _VARIABLE.match(word):
            variables.append(rest.pop(0))
        elif word in _WRAPPERS:
            rest = _unwrapped(rest[1:])
        elif word in ("yarn", "pnpm") and rest[1:2] and rest[1] in ("exec", "dlx", *_RUNNERS):
            rest = rest[2:] if rest[1] in ("exec", "dlx") else rest[1:]
        else:
            break
    if not rest:
        return None
    return _runner(rest, variables)


def _runner(rest: list[str], variables: list[str]) -> tuple[TestRunner, tuple[str, ...]] | None:
    program, arguments = rest[0].rsplit("/", 1)[-1], rest[1:]
    node: list[str] = []
    if program == "tsx":
        program, node = "node", ["--import=tsx"]
    if program == "node":
        own, arguments = _node_options(arguments)
        node += own
        if "--test" in node:
            kept = [word for word in node if word != "--test" and not _DROPPED.fullmatch(word)]
            tests = [word for word in kept if word.startswith("--test-")]
            node = [word for word in kept if not word.startswith("--test-")]
            return TestRunner.NODE_TEST, (*variables, *node, "--", *tests, *arguments)
        program = re.sub(r"\.\w+$", "", arguments[0].rsplit("/", 1)[-1]) if arguments else ""
        arguments = arguments[1:]
    runner = _RUNNERS.get(program)
    if runner is None:
        return None
    return runner, (*variables, *node, "--", *_kept(arguments))


def _unwrapped(words: list[str]) -> list[str]:
    """Leave out a wrapper's own options."""
    rest = list(words)
    while rest and rest[0].startswith("-"):
        word = rest.pop(0)
        if word == "--":
            break
        if word in _WITH_VALUE and rest and not rest[0].startswith("-"):
            rest.pop(0)
    return rest


def _node_options(words: list[str]) -> tuple[list[str], list[str]]:
    """Split into node's own options (with their values joined on) and the rest."""
    own: list[str] = []
    rest = list(words)
    while rest and rest[0].startswith("-"):
        word = rest.pop(0)
        if word in _DROPPED_WITH_VALUE:
            rest = rest[1:]
        elif word in _NODE_WITH_VALUE and rest:
            own += [f"{word}={rest.pop(0)}"] if word.startswith("--") else [word, rest.pop(0)]
        else:
            own.append(word)
    return own, rest


def _kept(arguments: list[str]) -> list[str]:
    kept: list[str] = []
    rest = list(arguments)
    if rest[:1] and rest[0] in ("run", "watch", "dev"):
        rest.pop(0)
    while rest:
        word = rest.pop(0)
        if word in _DROPPED_WITH_VALUE:
            rest = rest[1:]
        elif not _DROPPED.fullmatch(word):
            kept.append(word)
    return kept
