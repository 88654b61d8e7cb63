"""Poetry's own notation for requirements, as far as uv cannot read it from the build backend.

Source: https://python-poetry.org/docs/dependency-specification/ (caret, tilde, wildcard, tables).
"""

from __future__ import annotations

import re

from sandbox.environments.tree import Table


def poetry_groups(poetry: Table) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """Return (group, requirements) for `dev-dependencies` and every `group.<name>`."""
    found = [("dev", _requirements(poetry.table("dev-dependencies")))]
    groups = poetry.table("group")
    for name in groups.names():
        found.append((name, _requirements(groups.table(name, "dependencies"))))
    return tuple((name, requirements) for name, requirements in found if requirements)


def python_constraint(poetry: Table) -> str:
    """Return `dependencies.python` as a version specifier, "" when absent or an alternative."""
    text = poetry.table("dependencies").text("python")
    return "" if "|" in text else _specifier(text)


def _requirements(dependencies: Table) -> tuple[str, ...]:
    """Leave out what has no version (path, git, url): the report's reader sees it missing."""
    lines: list[str] = []
    for name in dependencies.names():
        table = dependencies.table(name)
        version = dependencies.text(name) or table.text("version")
        if name == "python" or not version or "|" in version:
            continue
        extras = ",".join(table.strings("extras"))
        marker = f" ; {table.text('markers')}" if table.text("markers") else ""
        lines.append(f"{name}{f'[{extras}]' if extras else ''}{_specifier(version)}{marker}")
    return tuple(lines)


def _specifier(version: str) -> str:
    parts = (_one(part.strip()) for part in version.split(","))
    return ",".join(part for part in parts if part)


def _one(text: str) -> str:
    if text in {"", "*"}:
        return ""
    if text[0] == "^":
        return _range(text[1:].strip(), _caret_position(text[1:].strip()))
    if text[0] == "~" and not text.startswith("~="):
        number = text[1:].strip()
        return _range(number, min(1, number.count(".")))
    if text[0] in "<>=!~":
        return text.replace(" ", "")
    return f"=={text}"


def _caret_position(number: str) -> int:
    """The caret keeps the leftmost part that is not zero."""
    parts = number.split(".")
    nonzero = [index for index, part in enumerate(parts) if part != "0"]
    return nonzero[0] if nonzero else len(parts) - 1


def _range(number: str, position: int) -> str:
    parts = number.split(".")
    if not all(re.fullmatch("[0-9]{1,9}", part) for part in parts[: position + 1]):
        return f">={number}"
    upper = [*parts[:position], str(int(parts[position]) + 1)]
    return f">={number},<{'.'.join(upper)}"
