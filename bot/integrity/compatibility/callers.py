"""Finds calls that were right on base and break, or mean something else, on head.

No test may make them. A person is asked where the task does not speak of that, never of what takes nothing
from callers (a last parameter that may be left out, another name where only the place counts).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache, partial
from itertools import islice

from bot.diff.lines import old_path
from bot.integrity.compatibility.public_names import exported_names, may_be_called
from bot.integrity.reading.inspection import Inspection, Trees, make_finding, words_of_task
from bot.integrity.reading.languages import SCRIPT
from bot.integrity.reading.public_use import is_public
from bot.integrity.reading.script_signatures import script_signatures
from bot.integrity.reading.signatures import (
    Defaults,
    Parameter,
    Passing,
    Signature,
    defaults_of,
    only_once,
    python_signatures,
)
from bot.text.clipping import clip_line
from bot.text.words import sentences, whole_name
from bot.values.rules import DEFAULT_CHANGED, SIGNATURE_BROKEN
from sandbox.values import FileChange, Finding

_SHOWN_CHARS = 120
_MOST_ASKED = 40  # functions of one change, each of which may take a look at all files of base
_MOST_READ = 400  # files
_LONGEST_LINE = 2_000
_BREAKING = re.compile(
    r"(?im)\b(?:breaking|incompatib\w+|signatures?|renam\w+|deprecat\w+|revert\w*|positional\w*|"
    r"keyword[- ]only)\b|^\w+(?:\([^()\n]{0,60}\))?!:"
)
"""What says that callers have to follow."""
_OF_CALLS = re.compile(
    r"(?i)\b(?:param(?:eter)?s?|arg(?:ument)?s?|kwargs?|keywords?|options?|defaults?|defaulting|configurable|"
    r"async\w*|await\w*|coroutines?|promises?|propert(?:y|ies)|attributes?|(?:static|class) ?methods?)\b"
)
"""What speaks of a call where it stands with a name."""
_OF_PLACE = re.compile(
    r"(?i)\b(?:first|second|third|last|front|order\w*|plac\w+|position\w*|before|after|behind|between|"
    r"mov\w+|swap\w*|callers?|calls?)\b"
)
_OF_GOING = re.compile(
    r"(?i)\b(?:remov\w*|drop\w*|delet\w*|gone|obsolete\w*|replac\w*|instead|longer|rid|merg\w*|without|"
    r"unus\w+|needless|kill\w*|mov\w+|callers?|calls?)\b"
)
_OF_GIVING = re.compile(
    r"(?i)\b(?:requir\w*|mandatory|must|needs?|has to|have to|giv\w+|default\w*|optional\w*|explicit\w*|"
    r"callers?|calls?)\b"
)
"""What speaks of a parameter's place, of one that goes or has to be given, or of those who give it."""
_CALLS_STAY = re.compile(
    r"(?i)\b(?:callers?|calls|usages?|users?)\b.{0,60}\b(?:"
    r"(?:have|has|need|ought) to|must|shall|should|stays?|remains?|keeps?|still|continues?"
    r")\b.{0,40}\b(?:work\w*|(?:as|like) (?:they|it|before|now|today)|the same|valid|unchanged|unaffected"
    r"|break)\b"
    r"|\bbackwards?[- ]compatib"
)
"""What says that calls of base go on as they are."""
_CODE = re.compile(r"`[^`\n]{1,200}`|\b\w+=|\b\w+_\w+\b|\b[a-z]+[A-Z]\w*")
_PLAIN = frozenset(("nothing", "None", "True", "False", "null", "undefined", "true", "false"))
_A_VALUE = re.compile(r"['\"`\d-]|(?:true|false)\Z")
"""A default that is a text, a number, true or false."""
_AWAITS = re.compile(r"\bawait\b|\.(?:then|catch|finally)\(")
_AWAITED = re.compile(
    r"(?i)\b(?:async\w*|await\w*|coroutine\w*|futures?|promise\w*|then|thenable)\b"
)


@dataclass(frozen=True, slots=True)
class _Break:
    """What callers meet, in words; the parameter of base, and words that are only said of the change."""

    rule: str
    said: str
    name: str = ""
    words: frozenset[str] = frozenset()
    excuse: re.Pattern[str] | None = None
    """What a sentence has to say beside the parameter's name; None where the name as code says enough."""


def broken_callers(inspection: Inspection) -> Iterator[Finding]:
    """Public functions that can no longer be called as on base, or do something else when they are."""
    said = words_of_task(inspection)
    files = [one for one in inspection.left() if may_be_called(one)]
    if not files or _BREAKING.search(said) or inspection.diff.truncated:
        return
    left, awaiting = _MOST_ASKED, cache(partial(_awaiting, inspection))
    for change in files:
        changed = [
            (one, other)
            for one, other in functions_on_both(change, inspection)
            if _form(one) != _form(other) and other.marks <= one.marks
        ]
        if not changed:
            continue
        before, after = inspection.before(change) or "", inspection.after(change) or ""
        defaults = defaults_of(change.path, before, after, inspection.trees)
        for one, other in changed:
            is_as_before = (
                other.is_async
                and not one.is_async
                and one.is_script
                and _is_awaited(one, awaiting())
            )
            now = replace(other, is_async=False) if is_as_before else other
            found = next(_breaks(one, now, defaults), None)
            if found is None or _is_said(found, one.name, said) or not left:
                continue
            left -= 1
            if is_public(old_path(change), one.name.rpartition(".")[2], inspection.base):
                took, takes = (
                    clip_line(str(side) or "nothing", _SHOWN_CHARS) for side in (one, other)
                )
                shown = f"`{one.name}` took `{took}` on base"
                if took != takes:
                    shown += f" and takes `{takes}` now"
                end = (
                    "Calls that do not give it do something else now"
                    if found.rule == DEFAULT_CHANGED
                    else "Calls that were right on base break"
                )
                message = f"{shown}: {found.said}. {end}, and the task does not speak of it."
                yield make_finding(found.rule, change, other.line, message)


def _awaiting(inspection: Inspection) -> list[str]:
    """The lines of base's scripts that await something."""
    paths = (path for path in inspection.base.paths() if path.endswith(SCRIPT.suffixes))
    return [
        line[:_LONGEST_LINE]
        for path in islice(paths, _MOST_READ)
        for line in (inspection.base.read(path) or "").splitlines()
        if _AWAITS.search(line[:_LONGEST_LINE])
    ]


def _is_awaited(one: Signature, awaiting: list[str]) -> bool:
    """Whether lines await what a JavaScript function gives, which then is a promise already."""
    name = re.escape(one.name.rpartition(".")[2])
    awaited = re.compile(
        rf"\bawait\b[^;\n]{{0,200}}(?<![\w$]){name}\(|(?<![\w$]){name}\([^;\n]{{0,200}}\)\s{{0,20}}"
        r"\.(?:then|catch|finally)\("
    )
    return any(map(awaited.search, awaiting))


def _form(one: Signature) -> tuple[object, ...]:
    return one.parameters, one.is_async, one.is_attribute, one.is_static


def _is_said(found: _Break, function: str, said: str) -> bool:
    """Whether the task speaks of a parameter as of one, or says what is only said of the change."""
    bare = function.rpartition(".")[2]
    if found.rule == SIGNATURE_BROKEN and any(map(_CALLS_STAY.search, sentences(said))):
        return False
    if found.excuse is not None:
        # a call that is written out, or a sentence that says it of the parameter, or of the function's
        shown = (one for one in _CODE.findall(said) if _names(bare, one))
        return any(_names(found.name, one) for one in shown) or any(
            found.excuse.search(sentence)
            and (
                _names(found.name, sentence)
                or (_names(bare, sentence) and _OF_CALLS.search(sentence))
            )
            for sentence in sentences(said)
        )
    if any(_names(one, said) for one in found.words):
        return True
    if found.name and any(_names(found.name, code) for code in _CODE.findall(said)):
        return True
    return any(
        _OF_CALLS.search(sentence) and (_names(found.name, sentence) or _names(bare, sentence))
        for sentence in sentences(said)
    )


def _names(name: str, text: str) -> bool:
    return bool(name) and whole_name(name).search(text) is not None


def functions_on_both(
    change: FileChange, inspection: Inspection, *, public: bool = True
) -> list[tuple[Signature, Signature]]:
    """Pair the functions that a changed file has on base and on head: those for everybody, or all others."""
    old = _signatures(old_path(change), inspection.before(change) or "", inspection.trees)
    new = _signatures(change.path, inspection.after(change) or "", inspection.trees)
    both = [(one, new[name]) for name, one in old.items() if name in new]
    return [(one, now) for (one, is_public), (now, is_now) in both if is_public is is_now is public]


def _signatures(path: str, text: str, trees: Trees) -> dict[str, tuple[Signature, bool]]:
    """The functions of a text that are defined once, each with whether it is for everybody."""
    if path.endswith(".py"):
        found = only_once(python_signatures(text, trees))
        return {name: (one, not re.search(r"(?:^|\.)_", name)) for name, one in found.items()}
    exported = exported_names(path, text) | {"default", "module.exports"}
    signatures = dict[str, tuple[Signature, bool]]()
    for name, one in only_once(
        script_signatures(text, is_typed=path.endswith(("ts", "tsx")))
    ).items():
        # exported, or a method of a class that is; `_` is nobody's but its own
        owner, _, member = name.partition(".")
        is_own = member.startswith("_") or owner.startswith("_")
        signatures[name] = one, name in exported or (owner in exported and not is_own)
    return signatures


# --- what breaks -------------------------------------------------------------------------------


def _breaks(one: Signature, other: Signature, defaults: Defaults) -> Iterator[_Break]:
    """Yield what callers of base meet on head, worst first."""
    # another kind of thing
    if one.is_attribute != other.is_attribute:
        now = "is an attribute" if other.is_attribute else "has to be called"
        yield _broken(f"it {now}")
    if one.is_async != other.is_async and not one.is_attribute:
        sync = other if one.is_async else one
        if not _AWAITED.search(sync.source):
            now = "gives no result before it is awaited" if other.is_async else "cannot be awaited"
            yield _broken(f"it {now}")
    if one.is_static and not other.is_static:
        yield _broken("it is a method of an object")
    if one.is_attribute or other.is_attribute:
        return
    yield from _misplaced(one, other)
    yield from _no_longer_by_name(one, other)
    yield from _newly_required(one, other)
    # no more values than are named, where no new parameter takes their place
    grown = len(other.parameters) >= len(one.parameters)
    for passing, said in (
        (Passing.REST, "it takes no further values"),
        (Passing.NAMED_REST, "it takes no further names"),
    ):
        if _has(one, passing) and not _has(other, passing) and not grown:
            yield _broken(said)
    # defaults that are another value now
    named = {p.name: p for p in other.parameters if p.name}
    pairs = [(p, named[p.name]) for p in one.parameters if p.name in named]
    for old, new in zip(_placed(one), _placed(other), strict=False):
        entries = {p.name: p for p in new.entries}
        pairs += [(p, entries[p.name]) for p in old.entries if p.name in entries]
    for old, new in pairs:
        if defaults.differ(old.default, new.default, one.source, other.source):
            shown = new.default if new.default is not None else "nothing"
            said = f"`{old.name}` is `{clip_line(shown, 40)}` where a call does not give it"
            value = shown.strip("'\"")
            words = {old.name, value} if len(value) > 1 and value not in _PLAIN else {old.name}
            yield _Break(DEFAULT_CHANGED, said, old.name, frozenset(words))


def _broken(
    said: str, name: str = "", *words: str, excuse: re.Pattern[str] | None = None
) -> _Break:
    return _Break(SIGNATURE_BROKEN, said, name, frozenset(words), excuse)


def _placed(one: Signature) -> list[Parameter]:
    return [p for p in one.parameters if p.passing in (Passing.BY_PLACE, Passing.EITHER)]


def _has(one: Signature, passing: Passing) -> bool:
    return any(p.passing is passing for p in one.parameters)


def _misplaced(one: Signature, other: Signature) -> Iterator[_Break]:
    """Yield what a call by place meets: a value reaches another parameter, or none."""
    old, new = _placed(one), _placed(other)
    was, now = {p.name: p for p in one.parameters}, {p.name: p for p in other.parameters}
    for at, parameter in enumerate(old):
        name = parameter.name
        here = new[at] if at < len(new) else None
        if here is not None and here.name == name:
            continue
        shown = f"`{name or parameter}`"
        if here is not None and here.entries and _A_VALUE.match(parameter.default or ""):
            yield _broken(f"{shown} is taken for an object", name, excuse=_OF_GOING)
            continue
        if name in now and now[name] in new:
            yield _broken(f"{shown} stands at another place", name, excuse=_OF_PLACE)
        elif here is not None and here.name in was and not (one.is_script and not here.name):
            yield _broken(f"{shown} is gone", name, excuse=_OF_GOING)
        elif here is None and not _has(other, Passing.REST):
            if name in now:
                yield _broken(f"{shown} can only be given by name", name)
            elif not one.is_script or (
                _names(name, one.source) and not _names("arguments", other.source)
            ):
                yield _broken(f"{shown} is gone", name, excuse=_OF_GOING)


def _no_longer_by_name(one: Signature, other: Signature) -> Iterator[_Break]:
    """Yield what a call by name meets: its name is not known."""
    pairs = [(one.parameters, other.parameters)]
    if one.is_script:
        sides = (_placed(one), _placed(other))
        pairs = [
            (a.entries, b.entries) for a, b in zip(*sides, strict=False) if a.entries and b.entries
        ]
    for old, new in pairs:
        now = {p.name: p for p in new}
        takes_any = any(
            p.passing in (Passing.NAMED_REST, Passing.REST)
            for p in new
            if one.is_script or p.passing is Passing.NAMED_REST
        )
        for at, parameter in enumerate(old):
            by_name = parameter.passing in (Passing.EITHER, Passing.BY_NAME)
            name = parameter.name
            if not by_name or name.startswith("_") or takes_any:
                continue
            if name not in now:
                here = new[at] if at < len(new) else None
                is_renamed = here is not None and here.name not in {p.name for p in old}
                if here and is_renamed:
                    yield _broken(f"`{name}` is called `{here.name}`", name, here.name)
                else:
                    yield _broken(f"`{name}` is gone", name, excuse=_OF_GOING)
            elif now[name].passing is Passing.BY_PLACE:
                yield _broken(f"`{name}` can only be given by its place", name)


def _newly_required(one: Signature, other: Signature) -> Iterator[_Break]:
    """Yield parameters that a call has to give, and did not have to on base."""
    for old, new in zip(_placed(one), _placed(other), strict=False):
        if old.entries and new.entries and old.default is not None and new.default is None:
            yield _broken(f"`{new}` must be given")
    if one.is_script and (not one.is_typed or _has(one, Passing.REST)):
        return
    was = {p.name: p for p in one.parameters}
    placed = _placed(one)
    for at, parameter in enumerate(other.parameters):
        name = parameter.name
        is_rest = parameter.passing in (Passing.REST, Passing.NAMED_REST)
        if is_rest or parameter.default is not None or parameter.is_optional:
            continue
        known = was.get(name)
        if known is None and parameter.passing is not Passing.BY_NAME and at < len(placed):
            known = placed[at]  # under another name
        if known is None:
            yield _broken(f"`{name}` must be given", name, name)
        elif known.default is not None and not one.is_script:
            yield _broken(f"`{name}` must be given", known.name, excuse=_OF_GIVING)
