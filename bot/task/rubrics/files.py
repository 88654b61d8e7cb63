"""Reads the rubrics on the base branch: `.github/assay/rubrics/`, one file per issue.

`7.yml`, `7.yaml` and `7.json` are the rubric of issue 7, `issue-7.yml` and `7-split-by-zero.yml` too, and
so is `7.md` in the form of the comment. It is golden by being there: whoever may merge it approved it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import NoReturn

from bot.errors import UserError
from bot.task.rubrics.form import RubricProblem, checked, read_form
from bot.text import visible
from bot.text.plain_yaml import PlainYamlError, load_plain_yaml, shown_key
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


# --- the shapes that people write: Google-style rubrics load as they are ---------------------------
# Parts may have their usual other names, stand below a `rubric` key, and hold a list, a mapping or a text
# with bullets; an entry is a text or an object. The schema is closed all the same: what is not known is
# refused with its place, since a demand that is silently left out is a demand that nobody judges.


_PARTS = ("requirements", "acceptable", "unacceptable")
_OTHERWISE = {
    "root_cause": "intent root_cause_or_intent rootcause cause goal",
    "requirements": "requirement must must_have must_hold",
    "acceptable": "may_differ",
    "unacceptable": "must_not must_not_have must_not_hold",
}
_KINDS = "solutions patches fixes changes variations alternatives approaches behaviors behaviours"
_NAMES = {
    **{name: part for part in _OTHERWISE for name in (part, *_OTHERWISE[part].split())},
    **{f"{part}_{kind}": part for part in _PARTS[1:] for kind in _KINDS.split()},
}
"""A part's name as people write it → the part."""
_BESIDE = {
    "issue", "title", "name", "id", "task", "bug", "description", "summary", "notes", "author",
    "authors", "reviewers", "date", "version", "source", "url", "link", "references",
}  # fmt: skip
"""What may stand beside the parts and asks for nothing."""
_SAYS = ("text", "requirement", "criterion", "criteria", "statement", "must", "rule", "behavior")
_HEADS, _SAYS_MORE = ("title", "name", "summary"), ("description", "detail", "details")
_BESIDE_AN_ENTRY = {
    "id", "key", "requirement_id", "number", "rationale", "reason", "why", "explanation",
    "justification", "category", "area", "type", "weight", "example", "examples", "evidence",
    "source", "references", "notes", "prerequisites", "depends_on",
}  # fmt: skip
_OF_AN_ENTRY = {*_SAYS, *_HEADS, *_SAYS_MORE, *_BESIDE_AN_ENTRY}
_OF_AN_ENTRY |= {"mandatory", "required", "optional"}
_BULLET = re.compile(r"(?:[-*+•]|\(?\d{1,3}[.)])\s+(?:\[[ xX]\]\s+)?(\S.*)")
_NUMBERED = re.compile(r"[A-Za-z]{0,12}[ _.#-]?\d{1,3}")

Fields = Mapping[str, object]


def rubric_of(value: object, issue: int = 0) -> Rubric:
    """The rubric that a parsed file spells; `issue` is whose it is. Raises RubricProblem."""
    fields = _fields(value, "it")
    inner = fields.get("rubric", fields.get("patch_rubric"))
    if inner is not None:  # the parts stand below it
        beside = {key: one for key, one in fields.items() if key not in ("rubric", "patch_rubric")}
        fields = beside | dict(_fields(inner, "`rubric`"))
    parts: dict[str, object] = {}
    for key, entries in fields.items():
        part = _NAMES.get(key)
        if part in parts:
            raise RubricProblem(f"`{shown_key(key)}` names the part {part} a second time")
        if part is not None:
            parts[part] = entries
        elif key not in _BESIDE:
            raise RubricProblem(f"`{shown_key(key)}` is no part of a rubric")
    named = re.fullmatch(r"#?(\d{1,10})", _plain(fields.get("issue")))
    if issue and named and int(named[1]) != issue:
        raise RubricProblem(f"its name is issue {issue}'s, and it says issue {int(named[1])}")
    if not parts.keys() >= {"root_cause", "requirements"}:
        missing = "root_cause" if "root_cause" not in parts else "requirements"
        raise RubricProblem(f"`{missing}` is missing")
    root = " ".join(_entries("root_cause", parts["root_cause"]))
    return checked(Rubric(root, *(tuple(_entries(part, parts.get(part))) for part in _PARTS)))


def _entries(part: str, value: object) -> Iterator[str]:
    """Each entry as one line."""
    if isinstance(value, str):
        # its bullets, each with the lines that go on with it; without bullets the text itself
        entries: list[str] = []
        for line in filter(str.strip, visible(value).splitlines()):
            found = _BULLET.fullmatch(line.strip())
            if found and len(entries) == 1 and entries[0].endswith(":"):
                entries.clear()  # it only leads to the list
            if found or not entries:
                entries.append(found[1] if found else line.strip())
            else:
                entries[-1] += f" {line.strip()}"
        yield from map(_line, entries)
    elif isinstance(value, list):
        for number, entry in enumerate(value, start=1):
            yield _entry(f"entry {number} of `{part}`", entry)
    elif isinstance(value, dict):
        for key, entry in value.items():
            yield _keyed(f"`{shown_key(str(key))}` of `{part}`", str(key), entry)
    elif value is not None:
        raise RubricProblem(f"`{part}` is neither a list nor a text")


def _entry(place: str, entry: object) -> str:
    if not isinstance(entry, dict):
        return _plain(entry) or _refuse(place)
    if len(entry) == 1:
        ((key, value),) = entry.items()
        if plain_key(key) not in _OF_AN_ENTRY:
            return _keyed(place, str(key), value)
    return _of_object(place, _fields(entry, place))


def _keyed(place: str, key: str, value: object) -> str:
    """An entry below a key: `R1: text` is the text, `Errors: are told` is a text with a colon in it."""
    if isinstance(value, dict):
        return _of_object(place, _fields(value, place))
    text = _plain(value) or _refuse(place)
    return text if _NUMBERED.fullmatch(key) else _line(f"{key}: {text}")


def _of_object(place: str, fields: Fields) -> str:
    if strange := next((key for key in fields if key not in _OF_AN_ENTRY), ""):
        raise RubricProblem(f"{place} has `{shown_key(strange)}`, which is not known there")
    if fields.get("optional") or False in (fields.get("mandatory"), fields.get("required")):
        raise RubricProblem(f"{place} is optional: a rubric has only what must and must not hold")
    said = [
        text
        for names in (_HEADS, _SAYS, _SAYS_MORE)
        if (text := next((_plain(fields[n]) for n in names if _plain(fields.get(n))), ""))
    ]
    return ": ".join(said) or _refuse(place)


def _refuse(place: str) -> NoReturn:
    raise RubricProblem(f"{place} is no text")


def _fields(value: object, place: str) -> Fields:
    if not isinstance(value, dict):
        raise RubricProblem(f"{place} is no mapping")
    fields = {plain_key(key): one for key, one in value.items()}
    if len(fields) < len(value):
        raise RubricProblem(f"{place} has two keys that mean the same")
    return fields


def plain_key(key: object) -> str:
    """A key by its plain name: `Root Cause`, `root-cause` and `root_cause` are one."""
    return re.sub(r"[^a-z0-9]+", "_", str(key).casefold()).strip("_")


def _plain(value: object) -> str:
    """A text or a whole number as one line; empty for anything else."""
    if isinstance(value, int) and not isinstance(value, bool) and abs(value) < 10**12:
        return str(value)
    return _line(value) if isinstance(value, str) else ""


def _line(text: str) -> str:
    return " ".join(visible(text).split())
