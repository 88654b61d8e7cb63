"""Finds options of the command line that a task asks for, and that no file of head but a document has."""

from __future__ import annotations

import re
from collections.abc import Iterator

from bot.diff.kinds import is_test_file
from bot.diff.lines import added_lines, is_gone
from bot.diff.paths import is_changelog, is_document
from bot.integrity.inspection import Inspection, make_finding
from bot.integrity.reach import ships
from bot.text.words import sentences
from bot.values import Category
from bot.values.rules import OPTION_MISSING
from sandbox.values import Finding

_OPTION = re.compile(
    r"`--(?:no-)?([a-z][a-z0-9]{1,30}(?:-[a-z0-9]{1,30}){0,5})(?:[= ][^`\n]{0,60})?`"
)
_ASKS = re.compile(
    r"(?i)\b(?:options?|flags?|switch(?:es)?|arguments?|parameters?)\b|^\W*(?:add|support|accept|introduce|with)\b"
)
_AWAY = re.compile(
    r"(?i)\b(?:remov|drop|delet|deprecat|no longer|renam|instead\b|not\b|never\b|without\b)"
)
_OF_OTHERS = re.compile(
    r"(?i)\b(?:pytest|mypy|ruff|tox|pip|uv|npm|yarn|pnpm|node|git|docker|cargo|cmake|jest|vitest|eslint|"
    r"prettier|tsc|gcc|clang|curl)\b"
)
"""Programs whose options a task may speak of, too."""
_MOST_READ = 4_000  # files


def missing_options(inspection: Inspection) -> Iterator[Finding]:
    """Options that a demand has in backticks, and that neither a changed line nor a file of head takes."""
    names = dict.fromkeys(_asked(inspection))
    if not names:
        return
    changes = [one for one in inspection.diff.files if not is_gone(one) and ships(one.path)]
    lines = [line for one in changes for _, line in added_lines(one)]
    left = [name for name in names if not any(map(_taking(name).search, lines))]
    paths = inspection.head.paths() if left and changes else ()
    if not paths or len(paths) > _MOST_READ:
        return
    for path in paths:
        text = "" if is_document(path) or is_changelog(path) else inspection.head.read(path) or ""
        left = [name for name in left if not _has(name, path, text)]
    for name in left:
        message = f"The task asks for the option `--{name}`, and no file but documents has it."
        yield make_finding(OPTION_MISSING, changes[0], 0, message)


def _asked(inspection: Inspection) -> Iterator[str]:
    """Yield the options, without dashes, that the program is to take."""
    for one in inspection.requirements.items:
        if one.category is Category.BEHAVIOUR and one.mandatory:
            for said in sentences(f"{one.text}\n{one.detail}"):
                is_ours = _ASKS.search(said) and not (_AWAY.search(said) or _OF_OTHERS.search(said))
                yield from (found[1] for found in _OPTION.finditer(said) if is_ours)


def _taking(name: str) -> re.Pattern[str]:
    """How code takes an option: as it is written, quoted, or by a name that tools make one of."""
    parts = name.split("-")
    camel = parts[0] + "".join(map(str.capitalize, parts[1:]))
    as_name = "|".join(dict.fromkeys(("_".join(parts), camel, name)))
    written = rf"--(?:no-)?{name}(?![\w-])|--\[no-\]{name}(?![\w-])|['\"`](?:{as_name})['\"`]"
    if len(parts) > 1:
        return re.compile(rf"{written}|(?i:(?<![\w$])(?:{as_name})(?![\w$]))")
    # a parameter, a key, an attribute that is read
    as_one = rf"(?<![\w$.])(?:{name})_?\s?[:=](?!=)|\.{name}\b(?!\()|[{{,]\s?{name}\s?[,}}]"
    return re.compile(f"{written}|{as_one}")


def _has(name: str, path: str, text: str) -> bool:
    """Whether a file of head has an option; elsewhere than in the change only as it is written."""
    if f"--{name}" in text or f"--no-{name}" in text:
        return True
    return not is_test_file(path) and ships(path) and _taking(name).search(text) is not None
