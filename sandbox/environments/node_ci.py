"""The time zone and the locale that a project's CI runs its tests in: read as text, never run.

Tests of dates and of texts expect them without asking for them. Nothing else of CI's environment is taken.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from sandbox.environments.tree import LINE_CHARS, Tree

_FILES = (".gitlab-ci.yml", ".travis.yml", "azure-pipelines.yml", ".circleci/config.yml")
_TESTS = re.compile(
    r"\b(?:npm|yarn|pnpm)\s+(?:run(?:-script)?\s+)?(?:-\S+\s+)*(?:t|tst|test|unit)\b"
    r"|\b(?:jest|mocha|ava|vitest|tap|tape|jasmine|uvu)\b|\bnode\s+(?:-\S+\s+)*--test\b"
)
_SETTING = re.compile(
    r"""(?<![\w.$])(TZ|LANG|LANGUAGE|LC_[A-Z]+)(?:\s*:\s+|=)(?:"([\w./:+@-]+)"|'([\w./:+@-]+)'|([\w./:+@-]+))"""
)
_JOB = re.compile(r"^(?=  [\w-]+:\s*$)", re.M)
Settings = tuple[tuple[str, str], ...]


def read_settings(tree: Tree) -> tuple[str, Settings]:
    """Return the file that says most and (name, value) of what all jobs that run tests agree about."""
    values: dict[str, set[str]] = {}
    source = ""
    for path, text in _jobs(tree):
        for name, *quoted in _SETTING.findall(text):
            values.setdefault(name, set()).add("".join(quoted))
            source = source or path
    agreed = tuple((name, found.pop()) for name, found in values.items() if len(found) == 1)
    return (source, agreed) if agreed else ("", ())


def _jobs(tree: Tree) -> Iterator[tuple[str, str]]:
    """Yield each job that runs tests, with what its file says for all jobs."""
    workflows = [tree.listing(".github/workflows", suffix) for suffix in (".yml", ".yaml")]
    for path in (*workflows[0], *workflows[1], *_FILES):
        lines = (line for line in tree.read(path).splitlines() if len(line) < LINE_CHARS)
        text = "\n".join(line for line in lines if not line.lstrip().startswith("#"))
        if path in _FILES:
            yield path, text
            continue
        shared, *jobs = _JOB.split(text)
        yield from ((path, f"{shared}\n{job}") for job in jobs if _TESTS.search(job))
