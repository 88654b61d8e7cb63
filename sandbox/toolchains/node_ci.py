"""What a JavaScript project's CI says of its tests: the releases of Node, the time zone and the locale.

Tests of dates and of texts expect the last two without asking for them. Nothing else of CI's environment
is taken.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from sandbox.toolchains.ci import Job, ci_jobs
from sandbox.toolchains.tree import Tree

_TESTED = re.compile(
    r"\b(?:npm|pnpm|yarn|bun)\s+(?:(?:-\S+|run|run-script)\s+)*(?:t|tst|test|tests|cit|unit|coverage)\b"
    r"|\b(?:vitest|jest|mocha|jasmine|ava|tape|tap|uvu|c8|nyc)\b|\bnode\s+(?:-\S+\s+)*--test\b"
)
_SETTING = re.compile(
    r"""(?<![\w.$])(TZ|LANG|LANGUAGE|LC_[A-Z]+)(?:\s*:\s+|=)(?:"([\w./:+@-]+)"|'([\w./:+@-]+)'|([\w./:+@-]+))"""
)
_NODE_KEY = re.compile(
    r"[ \t]*(?:-[ \t]+)?['\"]?(?:node|node_js|nodejs)(?:[-_]?versions?)?['\"]?[ \t]*:(?P<value>.*)",
    re.I,
)
_CODENAMES = {
    "argon": "4", "boron": "6", "carbon": "8", "dubnium": "10", "erbium": "12", "fermium": "14",
    "gallium": "16", "hydrogen": "18", "iron": "20", "jod": "22", "krypton": "24",
}  # fmt: skip
_EXACT = re.compile(r"v?(\d{1,3}(?:\.\d{1,4}){0,2})(?:\.[xX*])?")
MAJORS = range(4, 60)
Settings = tuple[tuple[str, str], ...]


def read_settings(tree: Tree) -> tuple[str, Settings]:
    """Return the file that says most and (name, value) of what all jobs that run tests agree about."""
    values: dict[str, set[str]] = {}
    source = ""
    shared = Job("", "")
    for job in ci_jobs(tree):
        if job.is_shared:
            shared = job
        if job.is_of_workflow and (job.is_shared or not _TESTED.search(job.text)):
            continue
        for name, *quoted in _SETTING.findall(f"{shared.text}\n{job.text}"):
            values.setdefault(name, set()).add("".join(quoted))
            source = source or job.path
    agreed = tuple((name, found.pop()) for name, found in values.items() if len(found) == 1)
    return (source, agreed) if agreed else ("", ())


def releases_of_ci(tree: Tree) -> dict[str, str]:
    """Return the releases on which CI runs the tests, each with the file that says so.

    A matrix of releases is there for the tests; a single one counts in a job that calls them.
    """
    found: dict[str, str] = {}
    for job in ci_jobs(tree):
        releases = list(_releases_in(job.text.splitlines()))
        if len(releases) > 1 or job.path == ".travis.yml" or _TESTED.search(job.text):
            found |= dict.fromkeys(releases, job.path)
    return found


def release_named(text: str) -> str:
    """Return the release that the first line of a text names ("22", "18.12.1"), "" where it names none."""
    word = text.strip().split("\n", 1)[0].strip().lower()
    word = _CODENAMES.get(word.removeprefix("lts/"), word)
    found = _EXACT.fullmatch(word)
    return found.group(1) if found else ""


def _releases_in(lines: list[str]) -> Iterator[str]:
    """Yield the releases that the keys of a CI job name, in a line or in the list below it."""
    is_listing = False
    for line in lines:
        key = _NODE_KEY.fullmatch(line)
        text = (key["value"] if key else line).split("#")[0].strip()
        if key:
            is_listing = not text
        elif is_listing and (not text or text.startswith("-")):
            text = text.removeprefix("-")
        else:
            is_listing, text = False, ""
        for word in re.split(r"[\s\[\],'\"]+", text):
            release = release_named(word)
            if release and int(release.split(".")[0]) in MAJORS:
                yield release
