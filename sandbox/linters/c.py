"""C and C++: the compiler's syntax check and cppcheck.

The compiler is an oracle for a missing header. How the project calls it is guessed from the build
files: the language's standard and plain definitions. Headers of the tree are found wherever they
stand, behind the system's own (`-idirafter`), so that none is missing for want of an `-I`.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from dataclasses import replace
from itertools import islice
from pathlib import Path, PurePosixPath

from sandbox.linters.base import (
    Breaks,
    Linter,
    LinterCall,
    LinterOutput,
    LinterRemark,
    LintJob,
    ends,
)
from sandbox.linters.programs import plain
from sandbox.linters.reading import text_lines
from sandbox.toolchains.tree import Tree

_C, _CPP = (".c",), (".cc", ".cpp", ".cxx", ".c++")
_HEADERS = (".h", ".hh", ".hpp", ".hxx", ".inc", ".inl", ".ipp")
_SKIPPED = {".git", "node_modules", "target", "vendor", "venv"}
_MAX_FOLDERS = 150
_MOST_READ = 200_000
_BUILD_FILES = ("Makefile", "makefile", "GNUmakefile", "CMakeLists.txt", "meson.build")
_STANDARD = {
    False: re.compile(r"-std=(?:gnu|c)(\d\w)\b|C_STANDARD\s+(\d\d)\b|\bc_std=(?:gnu|c)(\d\w)\b"),
    True: re.compile(
        r"-std=(?:gnu|c)\+\+(\d\w)\b|CXX_STANDARD\s+(\d\d)\b|cpp_std=(?:gnu|c)\+\+(\d\w)\b"
    ),
}
_KNOWN_STANDARDS = {
    False: {"89", "90", "99", "9x", "11", "1x", "17", "18", "2x", "23"},
    True: {"98", "03", "11", "14", "17", "1z", "20", "2a", "23", "2b"},
}
_DEFINITION = re.compile(r"(?<![\w-])-D[A-Za-z_]\w*(?:=\w[\w.]*)?(?![\w$(\"'\\=])")
_DIAGNOSTIC = re.compile(
    r"(?P<kind>(?:fatal )?error|warning|note): (?P<message>.*?)(?: \[(?P<rule>-W[\w+=-]+)\])?"
)
_PARSE = re.compile(r"expected |stray |unterminated |missing terminating")
_FORGOTTEN = re.compile(r"(?<=: note: )(?:.{0,300}did you forget to '#include|include '<)")
_SYSTEM_INCLUDE = re.compile(r"^[\s\d|]*#\s*include(?:_next)?\s*<")
_MISSING_FILE = re.compile(r"(?P<name>\S+): No such file or directory")


def _compiler(program: str, job: LintJob, *, cpp: bool) -> tuple[LinterCall, ...]:
    options = ["-fsyntax-only", "-fdiagnostics-color=never", "-fmax-errors=200"]
    text = "\n".join(Tree(job.tree).read(name)[:_MOST_READ] for name in _BUILD_FILES)
    found = [next(filter(None, match)) for match in _STANDARD[cpp].findall(text)]
    language = "gnu++" if cpp else "gnu"
    # Where no build file says it, the newest C++: new words must not look like mistakes.
    unsaid = "2b" if cpp else ""
    last = next((year for year in reversed(found) if year in _KNOWN_STANDARDS[cpp]), unsaid)
    # gcc before 14 knows C23 and C++23 only under their working names.
    year = {"23": "2b" if cpp else "2x"}.get(last, last)
    standard = [f"-std={language}{year}"] if year else []
    options += [*standard, *dict.fromkeys(_DEFINITION.findall(text)[:50])]
    # The folders that hold headers and those above them, the nearest to the root first.
    folders: set[PurePosixPath] = {PurePosixPath()}
    for header in _files(job.tree, _HEADERS):
        inner = PurePosixPath(header.parent.relative_to(job.tree).as_posix())
        folders |= {inner, *inner.parents}
        if len(folders) >= _MAX_FOLDERS:
            break
    nearest = sorted(folders, key=lambda folder: (len(folder.parts), folder.as_posix()))
    for folder in nearest[:_MAX_FOLDERS]:
        options += ["-idirafter", f"./{folder}" if folder.parts else "."]
    variables = (("LC_ALL", "C"),)
    return (plain(program, *options, *job.paths, variables=variables),)


_INCLUDE = re.compile(rb"^[ \t]*#[ \t]*include[ \t]*\"([^\"\n]{1,300})\"", re.MULTILINE)
_MAX_INCLUDERS = 12
_MAX_SEARCHED = 3_000


def includers(tree: Path, changed: tuple[str, ...]) -> tuple[str, ...]:
    """Return C and C++ files that include a changed header by its name: they can break untouched."""
    names = {PurePosixPath(path).name for path in changed if path.endswith(_HEADERS)}
    found: list[str] = []
    for file in islice(_files(tree, (*_C, *_CPP)), _MAX_SEARCHED) if names else ():
        with file.open("rb") as opened:
            included = _INCLUDE.findall(opened.read(_MOST_READ))
        if names & {PurePosixPath(name.decode(errors="replace")).name for name in included}:
            found.append(file.relative_to(tree).as_posix())
    return tuple(found[:_MAX_INCLUDERS])


def _files(tree: Path, suffixes: tuple[str, ...]) -> Iterator[Path]:
    for folder, folders, names in os.walk(tree):
        folders[:] = sorted(set(folders) - _SKIPPED)
        for name in sorted(names):
            file = Path(folder, name)
            if name.endswith(suffixes) and file.is_file() and not file.is_symlink():
                yield file


def _read_compiler(said: LinterOutput) -> Iterator[LinterRemark]:
    """Read errors and warnings; what stands below one can make sure of it or cast doubt on it."""
    held: LinterRemark | None = None
    for line in said.err.split(b"\n"):
        told = next(text_lines(line), None)
        match = _DIAGNOSTIC.fullmatch(told[2]) if told else None
        if told and match and match["kind"] != "note":
            if held:
                yield held
            held = _remark(told[0], told[1], match)
        elif held:
            # A library's header may only be missing here; one of the standard was surely forgotten.
            below = line.decode(errors="replace")
            if held.rule == "missing-header" and _SYSTEM_INCLUDE.search(below):
                held = replace(held, breaks=Breaks.NO)
            elif forgotten := _FORGOTTEN.search(below):
                message = f"{held.message} (note: {below[forgotten.start() :]})"
                held = replace(held, message=message, breaks=Breaks.ALWAYS)
    if held:
        yield held


def _remark(path: str, line: int, match: re.Match[str]) -> LinterRemark:
    message = match["message"]
    if match["kind"] == "warning":
        return LinterRemark(match["rule"] or "warning", path, line, message)
    if missing := _MISSING_FILE.fullmatch(message):
        text = f"{missing['name']} is not in the repository and not on this machine."
        return LinterRemark("missing-header", path, line, text, breaks=Breaks.IF_IT_PARSED)
    sure = Breaks.ALWAYS if _PARSE.search(message) else Breaks.IF_IT_PARSED
    return LinterRemark("error", path, line, message, breaks=sure)


_CPPCHECK_OPTIONS = (
    *("--quiet", "--enable=warning,portability", "--inline-suppr", "--max-configs=4"),
    "--template={file}:{line}:{column}: {severity}: {id}: {message}",
)
_CPPCHECK = re.compile(r"(?P<severity>\w+): (?P<rule>\w+): (?P<message>.*)")
_TELLS_NOTHING = {"information", "debug", "none", "syntaxError", "preprocessorErrorDirective"}
_TELLS_NOTHING |= {"unknownMacro", "internalAstError"}


def _read_cppcheck(said: LinterOutput) -> Iterator[LinterRemark]:
    """Leave out what cppcheck could not understand: it does not know the project's macros."""
    for path, line, rest in text_lines(said.err):
        match = _CPPCHECK.fullmatch(rest)
        if match and not _TELLS_NOTHING & {match["severity"], match["rule"]}:
            yield LinterRemark(match["rule"], path, line, match["message"])


CC = Linter(
    name="cc",
    program="cc",
    install="apt-get install gcc libc6-dev",
    takes=ends(*_C),
    calls=lambda job: _compiler("cc", job, cpp=False),
    read=_read_compiler,
)
CPP = Linter(
    name="c++",
    program="c++",
    install="apt-get install g++",
    takes=ends(*_CPP),
    calls=lambda job: _compiler("c++", job, cpp=True),
    read=_read_compiler,
)
CPPCHECK = Linter(
    name="cppcheck",
    program="cppcheck",
    install="apt-get install cppcheck",
    takes=ends(*_C, *_CPP),
    calls=lambda job: (plain("cppcheck", *_CPPCHECK_OPTIONS, *job.paths),),
    read=_read_cppcheck,
    ends_with=frozenset({0}),
)
