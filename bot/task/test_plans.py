"""Reads a test plan in PRDBench's format (`detailed_test_plan.json`), in all the shapes that are met.

A plan that is no JSON, or no list of items, is one clear error that names the file. A single item that
cannot be understood stays in the plan with its problem: the denominator is the list.
"""

from __future__ import annotations

import json
import re

from bot.errors import UserError
from bot.values import ItemKind, PlanItem, PlannedCase, TestPlan

MAX_BYTES = 16 << 20
MAX_ITEMS = 2000
MAX_CASES = 50
_METRIC, _PROSE, _COMMAND, _TYPED = 500, 8000, 8000, 100_000
_POWERSHELL = re.compile(
    r"(?i)(^|[;&|(]\s*)(powershell|pwsh)\b|\$env:|\b(Get|Set|Remove|New|Select|Write|Test|Copy|Out)-"
    r"(Content|Item|Path|String|Object|Host|Output|File|ChildItem)\b|\becho\s+.*\|\s*Out-"
)


def read_plan(data: bytes, path: str) -> TestPlan:
    """Read a plan. Raises UserError naming the file for what is no plan at all."""
    if len(data) > MAX_BYTES:
        raise refused(path, f"it is larger than {MAX_BYTES >> 20} MiB")
    try:
        value = json.loads(data.decode("utf-8-sig"))
    except UnicodeDecodeError:
        raise refused(path, "it is no UTF-8 text") from None
    except RecursionError:
        raise refused(path, "it is nested too deeply") from None
    except ValueError as error:
        raise refused(path, f"it is no JSON ({error})") from None
    # The list itself, or the only list in an object around it.
    if isinstance(value, dict):
        lists = [inner for inner in value.values() if isinstance(inner, list)]
        value = lists[0] if len(lists) == 1 else None
    if not isinstance(value, list):
        raise refused(path, "it is no list of items")
    if not value:
        raise refused(path, "it has no items")
    if len(value) > MAX_ITEMS:
        raise refused(path, f"it has {len(value)} items; {MAX_ITEMS} is the most")
    return TestPlan(path, tuple(_item(n, entry) for n, entry in enumerate(value, start=1)))


def refused(path: str, why: str) -> UserError:
    """Return the error for a plan that the configuration names and that cannot be used."""
    return UserError(
        f"The test plan {path} that `criteria` names cannot be used: {why}.",
        "Correct it, or `criteria` in `.github/assay.yml`, on the base branch; then ask again.",
    )


def _item(number: int, entry: object) -> PlanItem:
    fields = entry if isinstance(entry, dict) else {}
    kind, problem = ItemKind.SHELL_INTERACTION, ""
    said = _text(fields.get("type")).strip().casefold()
    try:
        kind = ItemKind(said.replace("-", "_").replace(" ", "_"))
    except ValueError:
        problem = f"Its type is none of {', '.join(ItemKind)}."
    cases, remark = _cases(fields)
    problem = "It is no object." if not isinstance(entry, dict) else problem or remark
    expected_files = _paths(fields.get("expected_output_files"))
    if not problem and not cases and not expected_files:
        problem = "It names neither a command nor a file to compare."
    return PlanItem(
        number=number,
        metric=_text(fields.get("metric"))[:_METRIC].strip() or f"Item {number}",
        description=_text(fields.get("description"))[:_PROSE],
        kind=kind,
        cases=cases,
        input_files=_paths(fields.get("input_files")),
        expected_files=expected_files,
        expected_output=_text(fields.get("expected_output"))[:_PROSE],
        problem=problem,
    )


def _cases(fields: dict[str, object]) -> tuple[tuple[PlannedCase, ...], str]:
    """The commands, and why they cannot be run; `{}` and `{null, null}` are no command."""
    value = fields.get("testcases")
    entries = value if isinstance(value, list) else [value]
    if len(entries) > MAX_CASES:
        return (), f"It has {len(entries)} test cases; {MAX_CASES} is the most."
    found: list[PlannedCase] = []
    for entry in entries:
        if isinstance(entry, str) and entry.strip():
            found.append(PlannedCase(entry.strip()))
        elif isinstance(entry, dict):
            command = _text(entry.get("test_command")).strip()
            if command:
                found.append(PlannedCase(command, _text(entry.get("test_input"))))
    cases = tuple(found)
    for case in cases:
        if _POWERSHELL.search(case.command):
            return cases, "It needs PowerShell, which is not run here."
        if len(case.command) > _COMMAND or len(case.typed) > _TYPED:
            return (), "A command or what is typed into it is too long."
    return cases, ""


def _text(value: object) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, list):
        return "\n".join(_text(part) for part in value)
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return str(value) if is_number else ""


def _paths(value: object) -> tuple[str, ...]:
    """One path, a list of them, or nothing in any of its spellings."""
    values = value if isinstance(value, list) else [value]
    names = (name.strip() for name in values if isinstance(name, str))
    return tuple(dict.fromkeys(name for name in names if name))[:100]
