"""What of a project's call of pytest or unittest decides which tests there are: paths and options."""

from __future__ import annotations

import posixpath
import re
import shlex
from collections import deque
from collections.abc import Iterator
from fnmatch import fnmatchcase
from pathlib import PurePosixPath

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from sandbox.toolchains.python_calls import RunnerLine
from sandbox.toolchains.tree import Tree

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


def _is_suite(tree: Tree, name: str) -> bool:
    """Tell whether a dotted name is that of a function which gives a suite, in a module of the tree."""
    module, _, function = name.rpartition(".")
    text = tree.read(f"{module.replace('.', '/')}.py") if module else ""
    return re.search(rf"(?m)^def {re.escape(function)}\(\):", text) is not None


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
        is_module = tree.has(f"{dotted}.py") or tree.has(dotted)
        tried = [path] if is_module or _is_suite(tree, path) else tried
        if tried == [path]:
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


_LINE_CHARS = 2_000


def parsed(text: str) -> Requirement | None:
    """Return the requirement, or None when the text is none, or one too deep or long to parse."""
    if len(text) > _LINE_CHARS:
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
    match = re.match(r"[A-Za-z0-9][\w.-]{0,200}", text.strip()[:_LINE_CHARS])
    return canonicalize_name(match.group()) if match else ""
