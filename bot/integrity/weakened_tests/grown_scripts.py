"""Finds the tests of JavaScript that expect one member more, in their code or in a snapshot.

The code of a test is compared by its tokens: a list or an object may have elements more. Of the snapshots of
a test that reads as on base, only lines may be new.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import PurePosixPath

from bot.diff.lines import Texts
from bot.integrity.reading.languages import SCRIPT
from bot.integrity.reading.tokens import Token, read_tokens
from bot.integrity.weakened_tests.grown import named_members
from bot.values import GrownTest, TestComparison

_WORD = re.compile(r"[A-Za-z_$][\w$]+")
_SNAPSHOT = re.compile(r"(?i)snap(?:shot)?s?\b")
_LEAVES_OUT = re.compile(
    r"includes|some|oneOf|anyOf|any|indexOf|has|filter|find\w*|omit|without|exclude\w*|not[A-Z]?\w*|doesNot\w*"
    r"|except|skip\w*|ignore\w*"
)
_COMPARES = re.compile(
    r"(?:assert|check|expect|verify)\w*|\w*(?:[eE]quals?|[sS]ame|[mM]atch(?:es)?)|to[A-Z]\w*|eql|is|like|members"
    r"|keys|Set|Map|Array|Object|of|from|fromEntries|concat|push|test|it|specify"
)
_CLOSING = {"(": ")", "[": "]", "{": "}"}
_MOST_DEPTH = 60


def find_grown_scripts(
    tests: Sequence[TestComparison],
    base: Texts,
    head: Texts,
    said: Iterable[str],
    changed: Sequence[str],
) -> tuple[GrownTest, ...]:
    """The tests whose base version fails on head, and whose edit only added members that `said` names.

    Every element, or line of a snapshot, that was added has a word that base's file does not have, and that
    the task says. What leaves things out, and what tested code is given, may not grow.
    """
    named = {word.casefold() for text in said for word in _WORD.findall(text)}
    found: list[GrownTest] = []
    for test in tests:
        if not (test.is_edited and test.path.endswith(SCRIPT.suffixes)) or test.table:
            continue
        if test.source == test.source_before:
            name = PurePosixPath(test.path).name
            paths = [path for path in changed if _SNAPSHOT.search(path) and name in path]
            added = [_lines_more(base.read(path), head.read(path)) for path in paths]
        else:
            paths, added = [test.path], [_members_more(test.source_before, test.source)]
        known = "\n".join(base.read(path) or "" for path in paths)
        members = named_members((o for each in added for o in each or ()), known, named, _WORD)
        if members and None not in added:
            found.append(GrownTest(test.id, members))
    return tuple(found)


def _lines_more(before: str | None, after: str | None) -> list[str] | None:
    """The lines that joined; None where any other is gone or different."""
    kept, joined = (before or "").splitlines(), list[str]()
    at = 0
    for line in (after or "").splitlines():
        if at < len(kept) and kept[at] == line:
            at += 1
        else:
            joined.append(line)
    return [line for line in joined if _WORD.search(line)] if at == len(kept) else None


def _members_more(before: str, after: str) -> list[str] | None:
    """The elements that joined lists and tables; None where anything else differs, or may ask for less."""
    tokens = [read_tokens(one, is_script=True) for one in (before, after)]
    old, new = map(_brackets, tokens)
    leaves_out = any(
        one.value == "!" if one.kind == "mark" else _LEAVES_OUT.fullmatch(one.value)
        for one in tokens[1]
        if one.kind in ("mark", "name")
    )
    grown = _ElementComparison()
    if leaves_out or old is None or new is None or not grown.parts_alike(old, new):
        return None
    return None if grown.gives_more or _is_given(new, grown.names) else grown.added


@dataclass(slots=True)
class _Brackets:
    """What stands in a pair of brackets (or in the whole text), cut at its commas.

    `is_table` says that it is a list or an object, `called` is the function whose arguments it is.
    """

    opening: str = ""
    is_table: bool = False
    called: str | None = None
    parts: list[list[Token | _Brackets]] = field(default_factory=lambda: [[]])

    @property
    def is_given(self) -> bool:
        """Whether it is what another function than one that compares is called with."""
        return self.called is not None and _COMPARES.fullmatch(self.called) is None


def _brackets(tokens: Sequence[Token]) -> _Brackets | None:
    """Read the brackets of a text; None where they do not match, or lie too deep in one another."""
    around = [_Brackets()]
    for token in tokens:
        inner = around[-1]
        if token.kind == "mark" and token.value in _CLOSING:
            opened = _opened(token.value, inner)
            inner.parts[-1].append(opened)
            around.append(opened)
        elif token.kind == "mark" and token.value in _CLOSING.values():
            if _CLOSING.get(inner.opening) != token.value:
                return None
            if not inner.parts[-1]:
                inner.parts.pop()  # after a last comma
            around.pop()
        elif token.kind == "mark" and token.value == ",":
            inner.parts.append([])
        else:
            inner.parts[-1].append(token)
        if len(around) > _MOST_DEPTH:
            return None
    return around[0] if len(around) == 1 else None


def _opened(opening: str, around: _Brackets) -> _Brackets:
    before = around.parts[-1][-1] if around.parts[-1] else None
    word = before.value if isinstance(before, Token) and before.kind == "name" else ""
    is_after_value = isinstance(before, _Brackets) or (word and word != "return")
    if opening == "(":
        return _Brackets(opening, called=word if is_after_value and word != "for" else None)
    if opening == "[":
        return _Brackets(opening, is_table=not is_after_value)
    is_statement = before is None and not (around.is_table or around.opening == "(")
    is_body = isinstance(before, Token) and before.value in ("=>", ";")
    return _Brackets(opening, is_table=not (is_after_value or is_statement or is_body))


@dataclass(slots=True)
class _ElementComparison:
    """Compares code, where a list or an object may have elements more; `added` are these.

    `names` are those of all that grew; `gives_more` says that what a function is given did.
    """

    added: list[str] = field(default_factory=list)
    names: set[str] = field(default_factory=set)
    gives_more: bool = False

    def parts_alike(self, before: _Brackets, after: _Brackets) -> bool:
        """Whether two pairs of brackets hold the same, but for what joined."""
        known = len(self.added)
        if before.is_table and after.is_table:
            is_alike = self._holds(before.parts, after.parts)
        else:
            both = zip(before.parts, after.parts, strict=False)
            is_alike = len(before.parts) == len(after.parts) and all(
                self._alike(one, other) for one, other in both
            )
        self.gives_more |= after.is_given and len(self.added) > known
        is_same_kind = (before.opening, before.is_table) == (after.opening, after.is_table)
        return is_alike and is_same_kind

    def _holds(
        self, before: list[list[Token | _Brackets]], after: list[list[Token | _Brackets]]
    ) -> bool:
        """Whether all elements are there still, in their order."""
        at = 0
        for part in after:
            trial = _ElementComparison()
            if at < len(before) and trial._alike(before[at], part):
                at += 1
                self.added += trial.added
                self.names |= trial.names
                self.gives_more |= trial.gives_more
            else:
                self.added.append(" ".join(_words(part)))
        return at == len(before)

    def _alike(self, before: list[Token | _Brackets], after: list[Token | _Brackets]) -> bool:
        if len(before) != len(after):
            return False
        for at, (one, other) in enumerate(zip(before, after, strict=True)):
            known = len(self.added)
            if isinstance(one, _Brackets) and isinstance(other, _Brackets):
                is_same = self.parts_alike(one, other)
            else:
                is_same = (
                    isinstance(one, Token)
                    and isinstance(other, Token)
                    and (one.kind, one.value) == (other.kind, other.value)
                )
            if not is_same:
                return False
            name, mark = (after[at - 2], after[at - 1]) if at > 1 else (None, None)
            is_named = isinstance(mark, Token) and mark.value == "=" and isinstance(name, Token)
            if len(self.added) > known and is_named and isinstance(name, Token):
                self.names.add(name.value)
        return True


def _words(part: Iterable[Token | _Brackets]) -> Iterator[str]:
    for one in part:
        if isinstance(one, Token):
            yield one.value
        else:
            yield from (word for inner in one.parts for word in _words(inner))


def _is_given(code: _Brackets, names: set[str], *, is_given: bool = False) -> bool:
    """Whether one of these names is an argument of a call that does not only compare."""
    is_given |= code.is_given
    return any(
        _is_given(one, names, is_given=is_given)
        if isinstance(one, _Brackets)
        else is_given and one.kind == "name" and one.value in names
        for part in code.parts
        for one in part
    )
