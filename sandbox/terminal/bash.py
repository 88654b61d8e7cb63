"""One shell line on one side, in a fresh copy-on-write tree with the environment's layers.

Only lines of trusted configuration come here; the line is one argument of bash and nothing is
put into it. What such a line runs must not come from the pull request either: `trusted_files`
names those files so that the caller takes them from base.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from posixpath import normpath

from sandbox.base import TREE, Command, Killed, Limits, Mount, MountMode, Network, Sandbox
from sandbox.errors import CheckoutError
from sandbox.repository.names import inside
from sandbox.toolchains import layers
from sandbox.toolchains.node_chain import VARIABLE
from sandbox.values import Environment, Observation, Side

_MAX_LINE_BYTES = 128 * 1024  # the kernel's limit for one argument
KILLED = {
    Killed.MEMORY: "It used more memory than it may.",
    Killed.DISK: "It wrote more to disk than it may.",
    Killed.ENTRIES: "It made more files than it may.",
    Killed.CHANNEL: "It wrote more to the channel than it may.",
}


@dataclass(frozen=True, slots=True)
class ShellRun:
    """One line to run on one side. `environment` is None for a project that needs none."""

    line: str
    side: Side
    tree: str
    environment: Environment | None = None
    limits: Limits = field(default_factory=Limits)
    network: Network = Network.NONE


async def run_shell(sandbox: Sandbox, run: ShellRun) -> Observation:
    """Run the line and return what it showed; a failing line is data.

    `problem` is set when the run proves nothing: the environment is not there or a limit ended it.
    Raises SandboxError when isolation cannot be had.
    """
    environment = run.environment
    if problem := layers.unbuilt(run.side, environment):
        return Observation(run.side, run.line, problem=problem)
    try:
        is_argument = "\0" not in run.line and len(run.line.encode()) < _MAX_LINE_BYTES
    except UnicodeEncodeError:  # half of a surrogate pair
        is_argument = False
    if not is_argument:
        problem = "The line holds characters that no program can be given, or is too long."
        return Observation(run.side, repr(run.line)[:200], problem=problem)
    tree = Mount(run.tree, TREE, MountMode.COPY_ON_WRITE)
    completed = await sandbox.run(
        Command(
            argv=("/bin/bash", "--noprofile", "--norc", "-c", run.line),
            mounts=(tree, *layers.mounts(environment)),
            environment=environment.variables if environment else (),
            network=run.network,
            limits=run.limits,
        )
    )
    output = completed.stdout.decode(errors="replace")
    said = completed.stderr.decode(errors="replace")
    if output and said and not output.endswith("\n"):
        output += "\n"
    problem = KILLED.get(completed.killed, "") if completed.killed else ""
    if completed.killed is Killed.TIMEOUT:
        problem = f"It did not end within {run.limits.timeout_s:g} s."
    return Observation(
        run.side,
        run.line,
        completed.exit_code,
        output + said,
        completed.seconds,
        timed_out=completed.killed is Killed.TIMEOUT,
        truncated=completed.truncated,
        problem=problem,
    )


# --- what a line runs -----------------------------------------------------------------------

_INTERPRETER = re.compile(r"(python|pypy)[\d.]*|bash|sh|dash|zsh|node|ruby|perl|php|source|\.")
_WRAPPERS = {
    "env", "exec", "command", "time", "nice", "nohup", "timeout", "xargs", "!", "then", "do",
}  # fmt: skip
_RUNNERS = {"uv", "poetry", "pdm", "hatch", "pipenv", "rye"}  # `uv run python x.py`
_OWN_FILES = {
    "make": ("Makefile", "makefile", "GNUmakefile"),
    "nox": ("noxfile.py",),
    "tox": ("tox.ini",),
    "just": ("justfile", "Justfile"),
}
TEST_FILE = re.compile(r"(^|/)(test_[^/]*|[^/]*_test|conftest)\.py$|(^|/)tests?/")
# What stands beside a tool is what it imports, so such a folder is trusted as a whole: an edited
# `tools/common.py` or an added `tools/json.py` would speak in the tool's name.
_TOOL_FOLDERS = {
    "tools", "tool", "scripts", "script", "checks", "ci", ".ci", ".github", "hack", "dev",
}  # fmt: skip
_VALUE_OPTIONS = {"-W", "-X"}  # of an interpreter, followed by a word of their own


def trusted_files(line: str, base_tree: Path) -> tuple[str, ...]:
    """Return the paths of base that the line runs: programs, scripts, modules and named tests.

    A script in a folder for tools (`tools/`, `scripts/`, ...) brings that whole folder.
    A file that is only looked at (`mypy src/app.py`) is not among them: it is what is judged, and
    base's copy would make the check say yes to everything.
    """
    found: dict[str, None] = {}
    folder = PurePosixPath()
    for words in _simple_commands(line):
        if words[0] == "cd" and len(words) > 1:
            folder /= words[1]
            continue
        for name in _run_by(words):
            # From the tree's root, whether it was named relative, by `../` or in full.
            whole = normpath(PurePosixPath(TREE, folder, name)).lstrip("/")
            path = whole.removeprefix(TREE.lstrip("/") + "/")
            try:
                is_file = inside(base_tree, path).is_file()
            except (CheckoutError, OSError):
                continue
            if is_file:
                top = path.partition("/")[0]
                found[top if top in _TOOL_FOLDERS else path] = None
    return tuple(found)


def _simple_commands(line: str) -> Iterator[list[str]]:
    lexer = shlex.shlex(line.replace("\n", " ; "), posix=True, punctuation_chars=True)
    lexer.whitespace_split = True
    lexer.commenters = ""
    try:
        tokens = list(lexer)
    except ValueError:  # an unclosed quote: bash will refuse the line too
        tokens = line.split()
    words: list[str] = []
    for token in [*tokens, ";"]:
        if set(token) <= set("();<>|&"):
            if words:
                yield words
            words = []
        else:
            words.append(token)


def _run_by(words: list[str]) -> Iterator[str]:
    """Yield the names that a simple command may run, relative to where it stands."""
    left = list(words)  # without what stands before the program
    while left:
        first = left[0]
        if len(left) > 1 and first in _RUNNERS and left[1] == "run":
            left = left[2:]
        elif (
            first in _WRAPPERS or VARIABLE.match(first) or re.fullmatch(r"-.*|[\d.]+[smh]?", first)
        ):
            left = left[1:]
        else:
            break
    arguments = iter(left)
    program = next(arguments, "")
    yield program
    rest = list(arguments)
    yield from _OWN_FILES.get(PurePosixPath(program).name, ())
    if _INTERPRETER.fullmatch(PurePosixPath(program).name):
        yield from _script(rest)
    for word in rest:
        named = word.partition("=")[2] if word.startswith("-") else word
        if TEST_FILE.search(named.partition("::")[0]):
            yield named.partition("::")[0]


def _script(arguments: list[str]) -> Iterator[str]:
    words = iter(arguments)
    for word in words:
        if word == "-m":
            module = next(words, "").replace(".", "/")
            yield from (f"{module}.py", f"{module}/__main__.py")
            return
        if word in _VALUE_OPTIONS:
            next(words, "")
        elif word == "-c":
            return
        elif not word.startswith("-"):
            yield word
            return
