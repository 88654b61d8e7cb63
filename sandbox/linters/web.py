"""Web pages and style sheets: tidy for HTML, the CSS standard's own parser, or the project's stylelint."""

from __future__ import annotations

import re
from collections.abc import Iterator

from sandbox.linters.base import Linter, LinterOutput, LinterRemark, LintJob, ends
from sandbox.linters.node import has_configuration, named_by, of_project
from sandbox.linters.programs import plain, script
from sandbox.linters.reading import parsed, read_parsed, text_lines, tree_path

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
