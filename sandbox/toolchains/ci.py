"""Reads what a project's CI says, as text, never run: its jobs and their shell lines."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from sandbox.toolchains.tree import LINE_CHARS, Tree

_FILES = (".gitlab-ci.yml", ".travis.yml", "azure-pipelines.yml", ".circleci/config.yml")
_JOB = re.compile(r"^(?=  [\w-]+:\s*$)", re.M)


@dataclass(frozen=True, slots=True)
class Job:
    """One job of a file of CI; what the file says for all its jobs stands in a job of its own, the first."""

    path: str
    text: str
    is_shared: bool = False

    @property
    def is_of_workflow(self) -> bool:
        """Tell whether it is GitHub's, whose jobs are told apart for certain."""
        return self.path not in _FILES

    def lines(self) -> list[str]:
        """Return its shell lines: continued ones and folded ones (`run: >`) joined."""
        joined = re.sub(
            r"\\\n\s*", " ", re.sub(r"\$\{\{[^}\n]{0,300}\}\}", "$EXPRESSION", self.text)
        )
        joined = re.sub(
            r"(?m)^( *)((?:- )?(?:run|script|command): *)>[-+]?\n((?:\1 +.*\n?)+)",
            lambda found: f"{found[1]}{found[2]}{' '.join(found[3].split())}\n",
            joined,
        )
        stripped = [
            re.sub(r"^\s*(- )?\s*(run:|(?:name|uses):.*|script:|command:)?\s*[|>]?[-+]?", "", line)
            for line in joined.splitlines()
            if len(line) < LINE_CHARS
        ]
        return [line.strip() for line in stripped if line.strip()]


def ci_jobs(tree: Tree) -> Iterator[Job]:
    """Yield the jobs of all files of CI, without the lines that are comments or too long to read."""
    workflows = (tree.listing(".github/workflows", suffix) for suffix in (".yml", ".yaml"))
    for path in (*(one for listed in workflows for one in listed), *_FILES):
        lines = (line for line in tree.read(path).splitlines() if len(line) < LINE_CHARS)
        text = "\n".join(line for line in lines if not line.lstrip().startswith("#"))
        for number, job in enumerate(_JOB.split(text)):
            yield Job(path, job, is_shared=not number)
