"""Finds options, errors, members and statuses that a task asks for, and that head has nowhere it should."""

from __future__ import annotations

import builtins
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from http import HTTPStatus

from bot.diff.kinds import is_test_file
from bot.diff.lines import added_lines
from bot.diff.paths import is_changelog, is_document
from bot.evidence.tests.results import code_of
from bot.integrity.reading.inspection import Inspection, make_finding, ships, words_of_task
from bot.task.alternatives import without_blocks
from bot.task.categories import MUST, keeps
from bot.text.words import sentences, whole_name
from bot.values import Category
from bot.values.rules import OPTION_MISSING, PART_MISSING
from sandbox.values import Finding

_SENTENCE = re.compile(r"(?<=[.!?;])\s+|\n\s{0,20}\n|\n(?=[ \t]{0,20}(?:[-*#>|]|\d+[.)]))")
_ASKS = re.compile(
    rf"\b{MUST}\b|(?:^|[,:;]\s|\b(?:and|then|or)\s)\W{{0,3}}(?i:please )?"
    r"(?i:answer|exit|leave|reject|raise|throw|fail|return|respond|reply|end)\b"
)
"""What asks for something: a verb that must be, or one that orders."""
_NOT = re.compile(
    r"(?i)\b(?:not|never|no longer|instead of|rather than|in place of|without|unlike|currently|"
    r"previously|used to|so far|as it does|as (?:before|today|now))\b|n['\u2019]t\b"
)
_ERROR = re.compile(
    r"\b(?:an?|the|raises?|throws?|with|or|and)\s{1,3}`?(?:new )?(?:\w{1,40}\.){0,4}"
    r"([A-Z][a-z]\w{0,60}(?:Error|Exception))\b"
)
_UNWRITTEN = frozenset((
    *(name for name, one in vars(builtins).items() if isinstance(one, type) and issubclass(one, Exception)),
    *("RangeError", "URIError"),
))  # fmt: skip
"""What languages raise themselves: no code has to name it."""
_MEMBER = re.compile(
    r"`(?:[A-Za-z_]\w{0,40}\.){1,4}([A-Za-z_]\w{1,40})(?:\(\))?`(?: \w{1,20}){0,2}? "
    rf"{MUST}\b(?! not| never)"
)
_EXIT = re.compile(
    r"(?i)\b(?:exit|return|leave|end)\w{0,3} (?:with )?(?:an? |the )?(?:exit )?(?:status|code)"
    r"(?: code)?(?: of)? `?(\d{1,3})\b(?!\.\d)"
)
_STATUS = re.compile(
    r"(?i)\b(?:(?:status|http)(?: status)?(?: code)?(?: of)? "
    r"|(?:answer|respond|repl(?:y|ie))\w{0,3} (?:with )?(?:an? )?)`?([1-5]\d\d)\b(?!\.\d)"
)
_NEEDED = re.compile(
    r"`(?:\w{1,40}\.)*(\w{1,40})(?:\(\))?` (?:\w{1,12} )?(?:needs?|takes?|accepts?|gets?) "
    r"(?:\w{1,12} ){0,3}`(\w{3,40})(?:=[^`\n]{0,40})?`"
)
"""Somebody (a class, a function), and what it needs."""
_CALLED = re.compile(r"`(\w{1,40})(?:\.\w{1,40}){0,3}\(([^`\n]{3,200})\)`")
_BY_NAME = re.compile(r"(?<![\w.'\"])([a-z_]\w{2,40})\s?=(?!=)")
_VAGUE = re.compile(
    r"(?i)\b(?:maybe|perhaps|could|might|possibly|alternatively|either|something like|e\.g\.|"
    r"for example|such as|or so|i'd (?:suggest|propose)|or)\b|\?"
)
"""What leaves open how something is to be called."""
_USUAL = frozenset(("0", "1", "2", "200", "500"))
"""What a program ends with, or a server answers, without its code saying so."""
_NOTE = re.compile(r"\s*(?:#|//|/?\*)")
_GIVES_NUMBER = re.compile(r"(?i)exit|status|code|return|repl|respon|send|http|raise|throw|error|=")
_OF_FILES = re.compile(
    r"(?i)(?:py|js|mjs|cjs|ts|tsx|jsx|json|md|rst|txt|toml|ya?ml|cfg|ini|html?|css|sh|lock)\Z"
)
_MOST_READ = 4_000  # files


@dataclass(frozen=True, slots=True)
class _Part:
    """What is asked for: as a person is told, and what shows that code has it."""

    shown: str
    pattern: re.Pattern[str]
    is_number: bool = False
    defined: re.Pattern[str] | None = None
    """Code that head must have for the part to be one of this project; None where any project's is."""


def missing_parts(inspection: Inspection) -> Iterator[Finding]:
    """What sentences ask for that no code of head, and no test that fails without the change, has."""
    shipped = inspection.shipped()
    if not shipped or inspection.diff.truncated:
        return
    said = words_of_task(inspection)
    left = list({one.shown: one for one in (*_asked(said), *_asked_parameters(said))}.values())
    if not left:
        return
    lines = [line for one in shipped for _, line in added_lines(one)]
    if inspection.tests:
        lines += code_of(inspection.turned_green).splitlines()
    lines += [
        line
        for one in inspection.left()
        for _, line in added_lines(one)
        if not (ships(one.path) or is_document(one.path) or is_changelog(one.path))
        and not (is_test_file(one.path) and inspection.tests)
    ]
    left = [one for one in left if not _has(one, lines)]
    paths = [path for path in inspection.head.paths() if ships(path)] if left else []
    if not paths or len(paths) > _MOST_READ:
        return
    defined = set[_Part]()
    for path in paths:
        text = inspection.head.read(path) or ""
        left = [one for one in left if not _has(one, text.splitlines())]
        defined.update(one for one in left if one.defined and one.defined.search(text))
    for one in (one for one in left if one.defined is None or one in defined):
        message = (
            f"The task asks for {one.shown}, and neither the code nor a test that fails without this change "
            "has it."
        )
        yield make_finding(PART_MISSING, shipped[0], 0, message)


def _asked(said: str) -> Iterator[_Part]:
    """Yield what the sentences that ask for something name."""
    for sentence in _SENTENCE.split(without_blocks(said)):
        one = " ".join(sentence.split())
        asks = _ASKS.search(one)
        if asks is None or keeps(one):
            continue
        for found in _ERROR.finditer(one, asks.start()):
            if found[1] not in _UNWRITTEN and not _NOT.search(one[: found.start()]):
                yield _Part(f"`{found[1]}`", re.compile(rf"(?<!\w){found[1]}(?!\w)"))
        if _NOT.search(one):
            continue
        for found in _MEMBER.finditer(one):
            if not _OF_FILES.match(found[1]):
                shown = found[0].partition("`")[2].partition("`")[0]
                yield _Part(f"`{shown}`", re.compile(rf"(?i)(?<![a-z0-9]){found[1]}(?![a-z0-9])"))
        for kind, pattern in (("exit status", _EXIT), ("status", _STATUS)):
            for found in pattern.finditer(one):
                if found[1] not in _USUAL:
                    yield _Part(f"the {kind} {found[1]}", _number(found[1]), is_number=True)


def _asked_parameters(said: str) -> Iterator[_Part]:
    """Yield the parameters by name that a call in a task's running text has, and what somebody needs."""
    for sentence in _SENTENCE.split(without_blocks(said)):
        one = " ".join(sentence.split())
        if _VAGUE.search(one) or keeps(one):
            continue
        found = [(needed, [needed[2]]) for needed in _NEEDED.finditer(one)]
        found += [(call, _BY_NAME.findall(call[2])) for call in _CALLED.finditer(one)]
        for place, names in found:
            behind = one[place.end() :].partition(",")[0]
            if not (_NOT.search(one[: place.end()]) or _NOT.search(behind)):
                keywords = r"\b(?:def|class|function|const|let|var)[ \t]+"
                defined = re.compile(rf"{keywords}{re.escape(place[1])}\b")
                yield from (_Part(f"`{n}`", whole_name(n), defined=defined) for n in names)


def _number(number: str) -> re.Pattern[str]:
    """How code writes a status: as a number, or by its name in HTTP."""
    known = [one for one in HTTPStatus if str(one.value) == number]
    words = [re.escape(one.name).replace("_", "_?") for one in known]
    words += [re.escape(one.phrase).replace(r"\ ", "[ -]") for one in known]
    plain = rf"(?<![\w.]){number}(?![\w.])|_{number}_|\b[A-Za-z]+{number}\b"
    return re.compile("|".join((plain, *(f"(?i:{one})" for one in words))))


def _has(part: _Part, lines: Iterable[str]) -> bool:
    return any(
        part.pattern.search(line) and not (part.is_number and not _GIVES_NUMBER.search(line))
        for line in lines
        if not _NOTE.match(line)
    )


_NAME = r"--(?:no-)?([a-z][a-z0-9]{1,30}(?:-[a-z0-9]{1,30}){0,5})"
_OPTION = re.compile(rf"`{_NAME}(?:[= ][^`\n]{{0,60}})?`")
_COMMAND = re.compile(rf"`(\w{{2,40}}) (?:[^`\n]{{0,60}} )?{_NAME}(?:[= ][^`\n]{{0,60}})?`")
"""A command as somebody is to type it: its program, and an option."""
_ASKS_OPTION = re.compile(
    r"(?i)\b(?:options?|flags?|switch(?:es)?|arguments?|parameters?)\b|^\W*(?:add|support|accept|introduce|with)\b"
)
_WRITTEN = re.compile(r"\badd_argument\(\s*['\"]-|\bclick\.option\(|\.option\(\s*['\"]-")
_ON_COMMAND_LINE = re.compile(r"(?i)\bcommand[- ]lines?\b")
_AWAY = re.compile(
    r"(?i)\b(?:remov|drop|delet|deprecat|no longer|renam|instead\b|not\b|never\b|without\b)"
)
_OF_OTHERS = re.compile(
    r"(?i)\b(?:pytest|mypy|ruff|tox|pip|uv|npm|yarn|pnpm|node|git|docker|cargo|cmake|jest|vitest|eslint|"
    r"prettier|tsc|gcc|clang|curl)\b"
)
"""Programs whose options a task may speak of, too."""


def missing_options(inspection: Inspection) -> Iterator[Finding]:
    """Options that a demand has in backticks, and that neither a changed line nor a file of head takes."""
    names = dict.fromkeys(_asked_options(inspection))
    typed = [name for name in _typed_options(inspection) if name not in names]
    if not (names or typed):
        return
    changes = inspection.shipped()
    lines = [line for one in changes for _, line in added_lines(one)]
    left = [name for name in names if not any(map(_taking(name).search, lines))]
    paths = inspection.head.paths() if (left or typed) and changes else ()
    if not paths or len(paths) > _MOST_READ:
        return
    is_written = False  # whether the code writes its options out
    for path in paths:
        text = "" if is_document(path) or is_changelog(path) else inspection.head.read(path) or ""
        left = [name for name in left if not _has_option(name, path, text)]
        typed = [name for name in typed if f"--{name}" not in text]
        is_written = is_written or _WRITTEN.search(text) is not None
    for name in (*left, *(typed if is_written else ())):
        message = f"The task asks for the option `--{name}`, and no file but documents has it."
        yield make_finding(OPTION_MISSING, changes[0], 0, message)


def _asked_options(inspection: Inspection) -> Iterator[str]:
    """Yield the options, without dashes, that the program is to take."""
    for one in inspection.requirements.items:
        if one.category is Category.BEHAVIOUR and one.mandatory:
            for said in sentences(one.with_detail):
                is_ours = _ASKS_OPTION.search(said) and not (
                    _AWAY.search(said) or _OF_OTHERS.search(said)
                )
                yield from (found[1] for found in _OPTION.finditer(said) if is_ours)


def _typed_options(inspection: Inspection) -> Iterator[str]:
    """Yield the options, without dashes, of the project's own commands as somebody is to type them."""
    # Three dots in a command end no sentence.
    said = sentences(without_blocks(words_of_task(inspection)).replace("...", "…"))
    commands = [
        found
        for one in said
        if _ON_COMMAND_LINE.search(one) and not (_AWAY.search(one) or _VAGUE.search(one))
        for found in _COMMAND.finditer(one)
    ]
    paths = inspection.head.paths() if commands else ()
    parts = {part for path in paths for part in path.split("/")}
    yield from (found[2] for found in commands if found[1] in parts)


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


def _has_option(name: str, path: str, text: str) -> bool:
    """Whether a file of head has an option; elsewhere than in the change only as it is written."""
    if f"--{name}" in text or f"--no-{name}" in text:
        return True
    return not is_test_file(path) and ships(path) and _taking(name).search(text) is not None
