"""JavaScript and TypeScript: the project's own eslint, else biome; and node's word on the syntax."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Iterator
from pathlib import Path
from posixpath import normpath, relpath
from urllib.parse import unquote

from sandbox.base import TREE
from sandbox.linters.base import (
    Edit,
    LintedFile,
    Linter,
    LinterCall,
    LinterOutput,
    LinterRemark,
    LintJob,
    Position,
    UnreadableOutput,
    ends,
)
from sandbox.linters.programs import parse_calls, plain
from sandbox.linters.reading import layout, parsed, read_parsed, tree_path
from sandbox.test_runs.path_kinds import SCRIPTS
from sandbox.toolchains.tree import Tree

_ESLINT_FILES = ("eslint.config.*", ".eslintrc", ".eslintrc.*")
_BIOME_FILES = ("biome.json", "biome.jsonc", ".biome.json", ".biome.jsonc")
_MOST_BYTES = 1_000_000


def has_configuration(tree: Path, patterns: tuple[str, ...], package_key: str) -> bool:
    """Say whether the root holds one of the files, or package.json such a key."""
    if any(found.is_file() for pattern in patterns for found in tree.glob(pattern)):
        return True
    return Tree(tree).json("package.json").has(package_key)


def _takes(source: LintedFile) -> bool:
    return source.name.endswith(SCRIPTS) and ".min." not in source.name


def _uses_eslint(job: LintJob) -> bool:
    root = job.policy / job.root
    return job.has_modules and has_configuration(root, _ESLINT_FILES, "eslintConfig")


_RELATIVE = re.compile(rb"""['"](\.{1,2}/[^'"\n]{1,300})['"]""")
_ENDINGS = ("", ".js", ".cjs", ".mjs", ".ts", ".json", "/index.js", "/index.cjs", "/index.mjs")


def named_by(patterns: tuple[str, ...]) -> Callable[[Path], tuple[str, ...]]:
    """Return what finds the files that configurations name by `./…`: rules and shared settings."""

    def find(policy: Path) -> tuple[str, ...]:
        found: set[str] = set()
        for file in (one for pattern in patterns for one in policy.rglob(pattern)):
            if "node_modules" in file.parts or file.is_symlink() or not file.is_file():
                continue
            with file.open("rb") as opened:
                names = _RELATIVE.findall(opened.read(_MOST_BYTES))
            folder = file.parent.relative_to(policy).as_posix()
            paths = {normpath(f"{folder}/{name.decode(errors='replace')}") for name in names}
            found |= {path + ending for path in paths for ending in _ENDINGS}
        return tuple(sorted(found))

    return find


def of_project(job: LintJob, program: str, *options: str) -> LinterCall:
    """Call a program of the project's `node_modules`, in the project's folder."""
    start = (f"node_modules/.bin/{program}", *options)
    names = [source.path for source in job.sources]
    shown = shlex.join([*start, *(relpath(name, job.root or ".") for name in names)])
    return LinterCall((*start, *(f"{TREE}/{name}" for name in names)), shown, folder=job.root)


_ESLINT_OPTIONS = ("--format", "json", "--no-error-on-unmatched-pattern", "--no-color", "--")


def _read_eslint(said: LinterOutput) -> Iterator[LinterRemark]:
    for file in parsed(said.out):
        path = tree_path(file["filePath"].text)
        for item in file["messages"]:
            # What `eslint --fix` would do; suggestions, which may change what the code does, are left out.
            edits: tuple[Edit, ...] = ()
            offsets = [one.number for one in item["fix"]["range"]]
            if len(offsets) == 2:
                start, end = (Position(0, offset + 1, is_utf16=True) for offset in offsets)
                edits = (Edit(start, end, item["fix"]["text"].text),)
            fatal = item["fatal"].is_true
            if fatal or item["ruleId"].text:  # else "this file is ignored"
                yield LinterRemark(
                    rule=item["ruleId"].text or "syntax",
                    path=path,
                    line=item["line"].number,
                    message=item["message"].text,
                    end_line=item["endLine"].number,
                    edits=edits,
                )


def _biome(job: LintJob) -> tuple[LinterCall, ...]:
    """Lint by the repository's biome.json, else biome's recommended rules; not where eslint does it."""
    if _uses_eslint(job):
        return ()
    configured = has_configuration(job.policy / job.root, _BIOME_FILES, "")
    # Of what machines read, every version since 1.8 prints the annotations of GitHub's workflows alike.
    options = ("--reporter=github", "--colors=off", "--max-diagnostics=200", "--vcs-enabled=false")
    ignored = ("--no-errors-on-unmatched", "--files-ignore-unknown=true")
    lint = ("lint", *options, *ignored, *job.paths)
    own = f"./{job.root or '.'}/node_modules/.bin/biome"
    return (plain(own if job.has_modules and configured else "biome", *lint),)


_ANNOTATION = re.compile(
    r"::(?:error|warning|notice) title=(?P<rule>[^,\n]*),file=(?P<file>[^,\n]*),line=(?P<line>\d{1,9}),"
    r"endLine=(?P<end>\d{1,9}),[^:\n]*::(?P<message>[^\n]*)"
)


def _read_biome(said: LinterOutput) -> Iterator[LinterRemark]:
    found = [*map(_ANNOTATION.fullmatch, said.out.decode(errors="replace").splitlines())]
    if said.exit_code and not any(found):
        told = said.err.decode(errors="replace").split("\n")
        raise UnreadableOutput(next((one.strip() for one in told if one.strip()), "it is silent"))
    for one in filter(None, found):
        rule, message = unquote(one["rule"]).removeprefix("lint/"), unquote(one["message"])
        if rule != "internalError/fs":
            path = tree_path(unquote(one["file"]), said.folder)
            yield LinterRemark(rule, path, int(one["line"]), message, int(one["end"]))


_PRETTIER = "prettier"
_PRETTIER_FILES = (".prettierrc", ".prettierrc.*", "prettier.config.*")
_LAID_OUT = (*SCRIPTS, ".json", ".css", ".scss", ".less", ".html", ".vue", ".md", ".yml", ".yaml")
# Prettier prints the whole file, or nothing where it is told to ignore it.
_DIFF = """for file; do
  if node_modules/.bin/prettier "$file" > /tmp/laid-out 2> /dev/null && [ -s /tmp/laid-out ]; then
    diff -u --label "$file" --label "$file" -- "$file" /tmp/laid-out
  fi
done
exit 0"""


def _prettier(job: LintJob) -> tuple[LinterCall, ...]:
    if not (
        job.has_modules and has_configuration(job.policy / job.root, _PRETTIER_FILES, _PRETTIER)
    ):
        return ()
    paths = [one.path for one in job.sources if one.path.isprintable()]
    shown = of_project(job, _PRETTIER, "--check").shown
    argv = ("/bin/sh", "-c", _DIFF, "sh", *(f"{TREE}/{path}" for path in paths))
    return (LinterCall(argv, shown, folder=job.root),)


PRETTIER = Linter(
    name=_PRETTIER,
    install="npm install --save-dev prettier, in the project",
    takes=ends(*_LAID_OUT),
    calls=_prettier,
    read=layout(_PRETTIER),
    configuration=(*_PRETTIER_FILES, ".prettierignore", ".editorconfig", "package.json"),
    named=named_by(_PRETTIER_FILES),
    ends_with=frozenset({0}),
)
ESLINT = Linter(
    name="eslint",
    install="npm install --save-dev eslint, in the project",
    takes=_takes,
    calls=lambda job: (of_project(job, "eslint", *_ESLINT_OPTIONS),) if _uses_eslint(job) else (),
    read=_read_eslint,
    configuration=(*_ESLINT_FILES, ".eslintignore", "package.json"),
    named=named_by(_ESLINT_FILES),
)
BIOME = Linter(
    name="biome",
    program="biome",
    install="npm install --global @biomejs/biome",
    takes=_takes,
    calls=_biome,
    read=_read_biome,
    configuration=(*_BIOME_FILES, ".editorconfig"),
)
NODE = Linter(
    name="node --check",
    program="node",
    install="apt-get install nodejs",
    takes=lambda source: (
        source.name.endswith((".js", ".mjs", ".cjs")) and ".min." not in source.name
    ),
    calls=lambda job: parse_calls("node", job),
    read=read_parsed,
    ends_with=frozenset({0}),
)
