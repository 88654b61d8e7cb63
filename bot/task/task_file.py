"""Reads a task that is a JSON or YAML file of typed requirements: a DevAI instance, or a patch rubric.

DevAI: `{name, query, requirements: [{requirement_id, prerequisites, criteria, category}], preferences}`.
A rubric: `{root_cause or intent, requirements, acceptable, unacceptable}`, each requirement a text or an
object. Both load as they are; what is wrong with a single entry is mended or left out, and told.
"""

from __future__ import annotations

import difflib
import json
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import replace

from bot.task.rubrics.files import plain_key, rubric_of
from bot.task.rubrics.form import RubricProblem
from bot.text.plain_yaml import PlainYamlError, load_plain_yaml
from bot.values import ListedRequirement, ListedTask, TaskSource, Trust

MAX_TEXT = 500
MAX_DETAIL = 4_000
MAX_PROSE = 20_000
MAX_ENTRIES = 400
MAX_YAML = 64 * 1024
_REQUIREMENTS_KEY = re.compile(
    r"(?im)^\W{0,12}requirements?\W{0,2}:|^\W{0,12}must(?:[ _-]\w+)?\W{0,2}:"
)
AREAS = (
    "Dataset or Environment", "Data preprocessing and postprocessing", "Machine Learning Method",
    "Save Trained Model", "Performance Metrics", "Visualization", "Human Computer Interaction", "Other",
)  # fmt: skip
"""The kinds of requirement that DevAI knows."""
_TITLES = ("name", "title")
_PROSE = (
    "query", "task", "intent", "root_cause", "rootcause", "description", "acceptable",
    "acceptable_solutions", "unacceptable", "unacceptable_solutions", "hint", "resource",
)  # fmt: skip
_TEXTS = ("criteria", "requirement", "text", "criterion", "description", "name")
_KEYS = ("requirement_id", "id", "key")
_NEEDS = ("prerequisites", "depends_on", "needs", "after")
_AREAS = ("category", "area")
_ALIKE = 0.85

Fields = Mapping[str, object]


def read_task_file(text: str, reference: str, trust: Trust) -> TaskSource | None:
    """The source that a task file makes; None for any other text, which is read as words."""
    value = _parsed(text)
    fields = _fields(value)
    if not isinstance(fields.get("requirements"), list):
        with suppress(RubricProblem):  # a rubric of another shape is spelt out as lists
            rubric = rubric_of(value)
            fields = {
                "root_cause": rubric.root_cause,
                "requirements": list(rubric.requirements),
                "acceptable": list(rubric.acceptable),
                "unacceptable": list(rubric.unacceptable),
            }
    entries = fields.get("requirements")
    if not isinstance(entries, list) or not entries:
        return None
    title = next((_text(fields[key]) for key in _TITLES if _text(fields.get(key))), "")
    prose: list[str] = []
    for key in _PROSE:
        if told := _text(fields.get(key)):
            is_plain = key in ("query", "task", "description")
            # A list keeps its lines; the name of a part says what it is.
            prose.append(told if is_plain else f"{key.replace('_', ' ')}:\n{told}")
    listed = _listed(entries[:MAX_ENTRIES], fields.get("preferences"))
    if len(entries) > MAX_ENTRIES:
        remark = f"{len(entries)} requirements are listed; the first {MAX_ENTRIES} were read."
        listed = replace(listed, remarks=(*listed.remarks, remark))
    body = "\n\n".join(prose)[:MAX_PROSE]
    return TaskSource(
        reference, (title or body or reference)[:MAX_TEXT], body, trust, listed=listed
    )


def _parsed(text: str) -> object:
    """The value that the text spells, or None; words that are no file of fields are not looked at."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        pass
    if len(text) > MAX_YAML or not _REQUIREMENTS_KEY.search(text):
        return None
    try:
        return load_plain_yaml(text)
    except PlainYamlError:
        return None


def _listed(entries: list[object], wishes: object) -> ListedTask:
    remarks: list[str] = []
    read = [_requirement(place, entry, remarks) for place, entry in enumerate(entries)]
    # Every entry stays; of two with one id the later gets an id of its own.
    seen: Counter[str] = Counter()
    found: list[ListedRequirement] = []
    for one in filter(None, read):
        seen[one.key] += 1
        if seen[one.key] > 1:
            remarks.append(f"Two requirements are called {one.key}; both are judged.")
            found.append(replace(one, key=f"{one.key}/{seen[one.key]}"))
        else:
            found.append(one)
    if any(one.area for one in found):
        remarks += [
            f"Requirement {one.key} has no category; it is read by its words."
            for one in found
            if not one.area
        ]
    wished = wishes if isinstance(wishes, list) else []
    texts = (_first(_fields(wish), _TEXTS) or _text(wish) for wish in wished[:MAX_ENTRIES])
    return ListedTask(tuple(found), tuple(text for text in texts if text), tuple(remarks))


def _requirement(place: int, entry: object, remarks: list[str]) -> ListedRequirement | None:
    fields = _fields(entry)
    text = _text(entry) if isinstance(entry, str) else _first(fields, _TEXTS)
    if not text:
        remarks.append(f"Entry {place} of the requirements says nothing; it was left out.")
        return None
    key = _first(fields, _KEYS) or str(place)
    needs = next((fields[name] for name in _NEEDS if isinstance(fields.get(name), list)), [])
    named = tuple(_text(one) for one in needs) if isinstance(needs, list) else ()
    # The area as DevAI spells it, where it nearly does.
    area = _first(fields, _AREAS)
    near = difflib.get_close_matches(area, AREAS, n=1, cutoff=_ALIKE)
    if area and near and near[0] != area:
        remarks.append(
            f"Requirement {key[:40]}: the category “{area[:40]}” was read as “{near[0]}”."
        )
        area = near[0]
    return ListedRequirement(
        key=key[:40],
        text=text,
        prerequisites=tuple(one[:40] for one in named if one),
        area=area[:80],
        mandatory=fields.get("mandatory") is not False and fields.get("optional") is not True,
        detail=_text(fields.get("rationale"))[:MAX_DETAIL],
    )


# --- values of any shape ------------------------------------------------------------------------


def _fields(value: object) -> Fields:
    """An object's fields by plain names."""
    if not isinstance(value, dict):
        return {}
    return {plain_key(key): one for key, one in value.items()}


def _first(fields: Fields, names: Iterable[str]) -> str:
    return next((text for name in names if (text := _text(fields.get(name)))), "")


def _text(value: object) -> str:
    if isinstance(value, list):
        return "\n".join(filter(None, map(_text, value)))
    if isinstance(value, str):
        return " ".join(value.split())
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return str(value) if is_number else ""
