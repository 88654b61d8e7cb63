"""Reads the rubrics on the base branch: `.github/assay/rubrics/`, one file per issue.

`7.yml`, `7.yaml` and `7.json` are the rubric of issue 7, `issue-7.yml` and `7-split-by-zero.yml` too, and
so is `7.md` in the form of the comment. It is golden by being there: whoever may merge it approved it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from bot.errors import UserError
from bot.task.rubrics.form import RubricProblem, read_form
from bot.task.rubrics.spellings import rubric_of
from bot.text.plain_yaml import PlainYamlError, load_plain_yaml
from bot.values import Rubric

FOLDER = ".github/assay/rubrics"
MOST_BYTES = 64 * 1024
MOST_FILES = 500
NO_ISSUE = "its name does not say whose issue's it is"
_NAME = re.compile(
    rf"{re.escape(FOLDER)}/(?:issue[-_]?)?([1-9]\d{{0,9}})"
    r"(?:(?:[-_.][^/]*)?\.(?:yml|yaml|json)|\.md)",
    re.IGNORECASE,
)
_IN_YAML = re.compile(rf"{re.escape(FOLDER)}/[^/]+\.(?:yml|yaml|json)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class CommittedRubric:
    """An unparsed rubric file on the target branch; `problem` says why it cannot be read."""

    path: str
    text: str
    problem: str = ""


def issue_of(path: str) -> int:
    """Return the number of the issue that a file's name gives; 0 if it is not a rubric."""
    found = _NAME.fullmatch(path)
    return int(found[1]) if found else 0


def names_no_issue(path: str) -> bool:
    """Tell whether a file looks like a rubric but its name has no issue number."""
    return _IN_YAML.fullmatch(path) is not None and not issue_of(path)


def committed_rubric(path: str, data: bytes | None) -> CommittedRubric:
    """Return the file's text, with a problem set if it is not a regular text file."""
    if data is None:
        return CommittedRubric(path, "", "it is no regular file")
    try:
        return CommittedRubric(path, data.decode("utf-8-sig"))
    except UnicodeDecodeError:
        return CommittedRubric(path, "", "it is not UTF-8 text")


def read_rubric_file(file: CommittedRubric) -> Rubric:
    """Read a rubric's file (JSON is YAML). Raises UserError that names the file."""
    if file.problem:
        raise refused(file.path, file.problem)
    try:
        if file.path.lower().endswith(".md"):
            return read_form(file.text)
        return rubric_of(load_plain_yaml(file.text), issue_of(file.path))
    except (PlainYamlError, RubricProblem) as error:
        raise refused(file.path, str(error)) from None


def refused(path: str, why: str) -> UserError:
    """Return the error for a rubric on the base branch that cannot be used."""
    return UserError(
        f"The rubric {path} on the base branch cannot be used: {why}.",
        "Correct it on the base branch. Then comment `/judge`, or run the command again.",
    )
