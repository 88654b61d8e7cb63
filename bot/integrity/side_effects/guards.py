"""Finds guards of base that a change takes away, where the task does not speak of it.

A guard refuses: `if …: raise …`, or a call that is there to protect (`compare_digest`, `escape`). Tests
often show what is let through now, and never what is not refused any more. Python is read by its syntax
tree, JavaScript by its tokens; what another changed file refuses has only moved.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

from bot.diff.lines import old_path
from bot.diff.python_source import called_names
from bot.integrity.reading.inspection import Inspection, Trees, make_finding, ships, words_of_task
from bot.integrity.reading.languages import SCRIPT
from bot.integrity.reading.tokens import Token, end_of_bracket, is_mark, read_tokens
from bot.text.clipping import clip_line
from bot.text.words import Vocabulary, code_words, sentences
from bot.values.rules import GUARD_REMOVED
from sandbox.values import Finding, Side

_SHOWN_CHARS = 80
_MOST_SOURCE = 200_000
_MOST_TOKENS = 60  # of one condition, or of what is thrown
_LETS = re.compile(
    r"(?i)\b(?:allow|accept|permit|relax|lenien|loosen|toler|ignor|optional|no longer|instead|without|crash|"
    r"fail|error|exception|rais|throw|reject|refus|\w*valid|unvalid|check|guard|restrict|limit|forbid|drop|remov|delet|"
    r"refactor|simplif|rewrit|rework|revert|merg|mov|clean|dead|redundan|unused|unnecessar|duplica|unify|extract|"
    r"replac|switch|port|migrat|deprecat|assert|strict|safe|unsafe|secur|escap|sanitiz|quot|trust)"
)
"""What speaks of refusing less, or of code that is put elsewhere."""
_KEEPS = re.compile(
    r"(?i)\b(?:still|as (?:now|before|today)|unchanged|keeps?|kept|remain\w*|stays?|must not|should not)\b"
)
_PROTECTS = re.compile(
    r"(?i)^_{0,2}(?:compare_?digest|timing_?safe_?equal|constant_time_\w+|html_?escape|escape_?html|"
    r"shlex_quote|sanitiz\w*|secure_filename|safe_join|is_relative_to|"
    r"(?:check|verify|require|ensure|validate)_?(?:\w*(?:password|token|signature|permission|auth|csrf|access|origin|host|path|"
    r"certificate)\w*)|is_?(?:allowed|authenticated|authorized)|has_?permissions?|authenticate|authorize)$"
)
"""The last name of a call that is there to keep somebody out, or something in."""

_MADE = re.compile(r"[^\n]{1000}")
"""Code that no person wrote: a bundle."""
_STATEMENTS = frozenset(("if", "for", "while", "switch", "catch", "with", "function", "return"))


@dataclass(frozen=True, slots=True)
class _Guard:
    """What refuses: its condition, the parts of which any (or all) must hold, and its error.

    The parts, and the error, have the words by which a task would speak of them.
    """

    condition: str
    parts: Mapping[str, str]
    is_any: bool
    error: str
    says: str
    line: int

    def lost_to(self, head: _Guard) -> str | None:
        """The words of what head's guard does not refuse any more; None where it refuses as much."""
        before = self.parts if self.is_any else {self.condition: self.words}
        now = head.parts if head.is_any else {head.condition: ""}
        if now.keys() < before.keys():
            return " ".join(before[one] for one in before.keys() - now.keys())
        needed = {head.condition} if head.is_any else head.parts.keys()
        is_narrowed = {self.condition} < needed if self.is_any else self.parts.keys() < needed
        return self.words if is_narrowed else None

    @property
    def words(self) -> str:
        """All words of its condition."""
        return " ".join(self.parts.values())


@dataclass(frozen=True, slots=True)
class _Lost:
    """A guard of base that is gone, or refuses less; its line there, and words that would speak of it.

    `protects` says that it is a call that is there to protect.
    """

    shown: str
    line: int
    words: str
    is_gone: bool = True
    protects: bool = False


@dataclass(frozen=True, slots=True)
class _Left:
    """What head's changed files have of one language: conditions and errors, and the names that are called.

    `refuses` are the functions that raise by themselves.
    """

    texts: frozenset[str]
    called: frozenset[str]
    refuses: frozenset[str] = frozenset()


def removed_guards(inspection: Inspection) -> Iterator[Finding]:
    """Guards of base in code that lives on, where head refuses less and the task does not say so.

    A task that speaks of refusing in other words may mean them, but not a call that is there to protect.
    """
    asked = [one for one in sentences(words_of_task(inspection)) if not _KEEPS.search(one)]
    may_let = any(map(_LETS.search, asked))
    if inspection.diff.truncated:
        return
    said = Vocabulary(code_words("\n".join(asked)))
    trees = inspection.trees
    for suffixes, read, find in (
        ((".py",), _left_in_python, _lost_in_python),
        (SCRIPT.suffixes, _left_in_script, _lost_in_script),
    ):
        files = inspection.left(suffixes)
        edited = [one for one in files if ships(old_path(one))]
        texts = {one.path: inspection.after(one) or "" for one in files}
        left: _Left | None = None  # of all files, where one of them alone has lost something
        for change in edited:
            before, after = inspection.before(change) or "", texts[change.path]
            if not any(find(before, after, read([after], trees), trees)):
                continue
            left = left or read(texts.values(), trees)
            for lost in find(before, after, left, trees):
                if (may_let and not lost.protects) or any(map(said.knows, code_words(lost.words))):
                    continue
                shown = clip_line(lost.shown, _SHOWN_CHARS)
                what = "is gone" if lost.is_gone else "refuses less now"
                message = f"`{shown}`, which base has, {what}, and the task does not speak of it."
                yield make_finding(GUARD_REMOVED, change, lost.line, message, Side.BASE)


def _refuses_less(
    base: Sequence[_Guard], head: Sequence[_Guard], left: _Left, more: int
) -> Iterator[_Lost]:
    """Yield the guards of base that are gone or narrower; head raises `more` errors than base."""
    known = {one.condition for one in base}
    for guard in base if more <= 0 else ():
        if guard.condition in left.texts:
            continue
        lost, is_lost = None, guard.error not in left.texts
        if is_lost:
            lost = f"{guard.words} {guard.says}" if more < 0 else None
        else:
            now = (one for one in head if one.error == guard.error and one.condition not in known)
            lost = next((words for one in now if (words := guard.lost_to(one)) is not None), None)
        if lost is not None:
            shown = f"if {guard.condition}: {guard.error}"
            yield _Lost(shown, guard.line, lost, is_gone=is_lost)


# --- Python ------------------------------------------------------------------------------------


def _left_in_python(heads: Collection[str], trees: Trees) -> _Left:
    read = [tree for text in heads if (tree := trees.of(text))]
    texts = {one.condition for tree in read for one in _guards(tree)}
    texts |= {ast.unparse(error) for tree in read for error in _raised(tree)}
    refuses = (
        name.rpartition(".")[2]
        for text in heads
        for name, node in trees.functions(text)
        if _raised(node)
    )
    called = (name for tree in read for name in called_names(tree))
    return _Left(frozenset(texts), frozenset(called), frozenset(refuses))


def _lost_in_python(before: str, after: str, left: _Left, trees: Trees) -> Iterator[_Lost]:
    functions = dict(trees.functions(after))
    for name, base in trees.functions(before):
        head = functions.get(name)
        if head is None:
            continue
        calls = called_names(base)
        for call, line in calls.items():
            if _PROTECTS.match(call) and call not in left.called:
                yield _Lost(f"{call}(…)", line, call, protects=True)
        if not left.refuses.isdisjoint(called_names(head).keys() - calls.keys()):
            continue  # the guard may stand in what is called now
        given = {one.arg for one in ast.walk(base.args) if isinstance(one, ast.arg)}
        more = len(_raised(head)) - len(_raised(base))
        yield from _refuses_less(list(_guards(base, given)), list(_guards(head)), left, more)


def _guards(node: ast.AST, given: Collection[str] = ()) -> Iterator[_Guard]:
    """Yield what raises on a condition; what a function is `given` is no word of its own."""
    for one in ast.walk(node):
        last = one.body[-1] if isinstance(one, ast.If) else None
        if isinstance(one, ast.If) and isinstance(last, ast.Raise) and last.exc:
            listed = one.test.values if isinstance(one.test, ast.BoolOp) else [one.test]
            yield _Guard(
                ast.unparse(one.test),
                {ast.unparse(part): _words(part, given) for part in listed},
                isinstance(one.test, ast.BoolOp) and isinstance(one.test.op, ast.Or),
                ast.unparse(last.exc),
                _words(last, given),
                one.lineno,
            )


def _words(node: ast.AST, given: Collection[str]) -> str:
    """What code names, and what its texts say."""
    found: list[str] = []
    for one in ast.walk(node):
        if isinstance(one, ast.Name) and one.id not in given:
            found.append(one.id)
        elif isinstance(one, ast.Attribute):
            found.append(one.attr)
        elif isinstance(one, ast.Constant) and isinstance(one.value, str):
            found.append(one.value)
    return " ".join(found)


def _raised(node: ast.AST) -> list[ast.expr]:
    return [one.exc for one in ast.walk(node) if isinstance(one, ast.Raise) and one.exc]


# --- JavaScript --------------------------------------------------------------------------------


def _left_in_script(heads: Collection[str], _trees: Trees) -> _Left:
    read = [read_tokens(text, is_script=True) for text in heads if len(text) <= _MOST_SOURCE]
    texts = {text for tokens in read for _, text in _thrown(tokens)}
    texts |= {one.condition for tokens in read for one, _ in _script_guards(tokens)}
    called = (tokens[at].value for tokens in read for at, _ in _followed(tokens))
    return _Left(frozenset(texts), frozenset(called))


def _lost_in_script(before: str, after: str, left: _Left, _trees: Trees) -> Iterator[_Lost]:
    if max(len(before), len(after)) > _MOST_SOURCE or _MADE.search(before):
        return
    old, new = (read_tokens(text, is_script=True) for text in (before, after))
    names = {one.value for one in new if one.kind == "name"}
    told: set[str] = set()
    for at, owner in _followed(old):
        name = old[at].value
        if _PROTECTS.match(name) and owner in names and name not in left.called | told:
            told.add(name)
            yield _Lost(f"{name}(…)", old[at].line, name, protects=True)
    base = [one for one, owner in _script_guards(old) if owner in names]
    head = [one for one, _ in _script_guards(new)]
    more = len(list(_thrown(new))) - len(list(_thrown(old)))
    yield from _refuses_less(base, head, left, more)


def _script_guards(tokens: list[Token]) -> Iterator[tuple[_Guard, str]]:
    """Yield what throws on a condition, with the name of the function that was begun last."""
    thrown = dict(_thrown(tokens))
    for at, owner in _followed(tokens):
        close = end_of_bracket(tokens, at + 1, _MOST_TOKENS)
        behind = close + 1 + is_mark(tokens, close + 1, "{")
        if tokens[at].value != "if" or behind not in thrown:
            continue
        marks = {one: _at_top(tokens, at + 1, close, one) for one in ("||", "&&")}
        cuts = [at + 1, *(marks["||"] or marks["&&"]), close]
        parts = (tokens[cuts[n] + 1 : cuts[n + 1]] for n in range(len(cuts) - 1))
        error = thrown[behind]
        guard = _Guard(
            _text(tokens[at + 2 : close]),
            {text: text for text in map(_text, parts)},
            bool(marks["||"]),
            error,
            error,
            tokens[at].line,
        )
        yield guard, owner


def _followed(tokens: list[Token]) -> Iterator[tuple[int, str]]:
    """Yield the names that a bracket follows, by place, with the function that was begun last."""
    owner = ""
    for at in range(len(tokens) - 1):
        if tokens[at].kind != "name" or not is_mark(tokens, at + 1, "("):
            continue
        close = end_of_bracket(tokens, at + 1, _MOST_TOKENS)
        if is_mark(tokens, close + 1, "{") and tokens[at].value not in _STATEMENTS:
            owner = tokens[at].value
        else:
            yield at, owner


def _thrown(tokens: list[Token]) -> Iterator[tuple[int, str]]:
    """Yield where something is thrown, and what."""
    for at in range(len(tokens)):
        if is_mark(tokens, at, "throw"):
            end = at + 1
            while end < min(len(tokens), at + _MOST_TOKENS) and not is_mark(tokens, end, ";", "}"):
                end += 1
            yield at, _text(tokens[at + 1 : end])


def _at_top(tokens: list[Token], opening: int, close: int, mark: str) -> list[int]:
    """Where a mark stands between two brackets, and in no other bracket."""
    found, depth = [], 0
    for at in range(opening + 1, close):
        if tokens[at].kind == "mark":
            depth += (tokens[at].value in ("(", "[", "{")) - (tokens[at].value in (")", "]", "}"))
            if not depth and tokens[at].value == mark:
                found.append(at)
    return found


def _text(tokens: list[Token]) -> str:
    return " ".join(one.value for one in tokens)
