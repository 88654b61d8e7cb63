"""Finds errors that base let out and that head drops, where the task does not speak of errors.

Seen is code of base that stands in a new `try` whose handler only goes on: no test may ever get there. And an
`__exit__` that newly gives back something true: it drops all errors. Where a handler of base raises, it is
not enough that the task speaks of what fails: it has to say that an error is passed over.
Python is read by its syntax tree, JavaScript by its tokens.
"""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import islice

from bot.diff.python_source import Function
from bot.integrity.reading.inspection import Inspection, Trees, make_finding, words_of_task
from bot.integrity.reading.languages import SCRIPT
from bot.integrity.reading.tokens import Token, end_of_bracket, is_mark, read_tokens
from bot.text.clipping import clip_line
from bot.text.words import sentences
from bot.values.rules import ERROR_SWALLOWED
from sandbox.values import Finding

_SHOWN_CHARS = 80
_MOST_SOURCE = 200_000
_MOST_TOKENS = 60  # of one call, or of one handler
_MOST_CAUGHT = 200  # places of one file, each of at most
_MOST_TRIED = 3_000  # tokens
_GOES_ON = re.compile(
    r"(?i)\b(?:ignor\w*|swallow\w*|toler\w+|lenient\w*|silen\w+|robust\w*|suppress\w*|fall\w*[ -]?backs?|"
    r"graceful\w*|best[- ]effort|crash\w*|traceback\w*|unavailable|revert\w*|pass\w* over)\b"
)
"""What speaks of going on in spite of an error."""
_OF_FAILURES = re.compile(r"(?i)\b(?:fail\w*|catch\w*|malformed|corrupt\w*|invalid|unparsable)\b")
_OF_ERRORS = re.compile(
    r"(?i)errors?\b|exceptions?\b|\b(?:rais\w+|throw\w*|thrown|reject\w*|fail\w*|giv\w+ up)\b"
)
_NOT = re.compile(
    r"(?i)\b(?:no|not|never|without|instead|rather|handl\w+|longer|skip\w*|returns?|stops?)\b"
    r"|n['\u2019]t\b"
)
_UNSAID = "the task does not speak of errors."
_NAMED = re.compile(
    r"(?<![\w.])[A-Z]\w{0,60}(?:Error|Exception)(?!\w)"
    r"|\b(?:ENOENT|EEXIST|EACCES|EISDIR|ENOTDIR|EPERM|EPIPE|ECONNREFUSED|ECONNRESET|ETIMEDOUT)\b"
)
"""Errors of one kind; which one an error of JavaScript is, its code says, and no `catch`."""
_OF_ANY = re.compile(
    r"(?i)\b(?:any|all|every|each|whatever|(?<!other )(?:errors|exceptions)|malformed|corrupt\w*|"
    r"broken|damaged|invalid|bad|unreadable|unparsable|robust\w*|never|best[- ]effort|revert\w*)\b"
)
_BROAD = frozenset(("", "Exception", "BaseException"))
_LOGS = re.compile(r"(?:self\.)?_?(?:log|logger|logging|LOG|LOGGER|warnings|print|console)\b")
_MADE = re.compile(r"dict|list|set|tuple|frozenset|str|bytes|int|float|\w+\.copy")
"""What a handler calls for a plain value."""
_REACHED = (ast.Call, ast.Subscript, ast.Raise)


@dataclass(frozen=True, slots=True)
class _Handled:
    """Code whose errors are handled: what may fail in it, which errors, and the line of the handler."""

    parts: frozenset[str]
    errors: frozenset[str]
    line: int

    @property
    def is_broad(self) -> bool:
        """Whether any error is handled."""
        return bool(self.errors & _BROAD)

    def covers(self, other: _Handled) -> bool:
        """Whether all errors of another handler are handled here, too."""
        return self.is_broad or other.errors <= self.errors


@dataclass(frozen=True, slots=True)
class _Dropped:
    """What base lets fail and head drops at a line: any error (`is_broad`), or what base made others of."""

    part: str
    line: int
    is_broad: bool
    was_raised: bool = False


def swallowed_errors(inspection: Inspection) -> Iterator[Finding]:
    """Code of base whose errors nobody gets to see any more."""
    said = words_of_task(inspection)
    goes_on = _GOES_ON.search(said) or any(
        _OF_ERRORS.search(one) and _NOT.search(one)  # that some are raised says nothing of that
        for one in sentences(said)
    )
    is_of_errors = bool(goes_on or _OF_FAILURES.search(said))
    named = () if _OF_ANY.search(said) else tuple(dict.fromkeys(_NAMED.findall(said)))
    if (goes_on and not named) or inspection.diff.truncated:
        return
    why = "the task does not say that it is passed over." if is_of_errors else _UNSAID
    why = f"the task speaks of `{named[0]}` only." if is_of_errors and named else why
    is_any_asked = bool(named) or not is_of_errors
    for change in inspection.shipped((".py", *SCRIPT.suffixes)):
        before, after = inspection.before(change) or "", inspection.after(change) or ""
        is_python = change.path.endswith(".py")
        exits = _in_exits(before, after, inspection.trees) if is_any_asked and is_python else ()
        for part, line in exits:
            message = (
                f"`{part}` drops every error of the block that `with` is in front of, and {why}"
            )
            yield make_finding(ERROR_SWALLOWED, change, line, message)
        find = _in_python if is_python else _in_script
        for one in find(before, after, inspection.trees):
            is_more = one.is_broad and (is_python or any(map(str.isupper, named)))
            if is_of_errors and not (is_more and named) and not (one.was_raised and not goes_on):
                continue
            shown = clip_line(one.part, _SHOWN_CHARS)
            message = f"An error of `{shown}` is dropped here. Base lets it out, and {why}"
            yield make_finding(ERROR_SWALLOWED, change, one.line, message)


# --- Python ------------------------------------------------------------------------------------


def _in_python(before: str, after: str, trees: Trees) -> Iterator[_Dropped]:
    functions = dict(trees.functions(before))
    raised = {name.rpartition(".")[2]: _raised(node) for name, node in functions.items()}
    for name, node in trees.functions(after):
        if name not in functions:
            continue
        base = functions[name]
        known, turned = [*_handled(base, _drops)], [*_handled(base, _raises)]
        parts = _parts(base.body)
        for one in _handled(node, _drops):
            told = [
                part
                for part in one.parts & parts
                if not any(part in k.parts and k.covers(one) for k in known)
                and (one.is_broad or one.errors & _on_purpose(part, base, raised, turned))
            ]
            if told:
                # what is raised elsewhere, after a loop, say, still comes out
                comes_out = any(part.startswith("raise") for part in _parts(node.body) - parts)
                was_raised = not comes_out and any(
                    k.errors == one.errors and not k.parts.isdisjoint(told) for k in turned
                )
                longest = max(sorted(told), key=len)
                yield _Dropped(longest, one.line, one.is_broad, was_raised)


def _on_purpose(
    part: str, base: Function, raised: dict[str, frozenset[str]], turned: list[_Handled]
) -> frozenset[str]:
    """The errors that base raises by itself in a part of its code, or makes others of."""
    callee = part.partition("(")[0].rpartition(".")[2]
    own = _raised(base) if part.startswith("raise") else raised.get(callee, frozenset())
    return own.union(*(one.errors for one in turned if part in one.parts))


def _raised(node: ast.AST) -> frozenset[str]:
    """The classes of errors that code raises by itself."""
    raised = (one.exc for one in ast.walk(node) if isinstance(one, ast.Raise) and one.exc)
    return frozenset(
        ast.unparse(one.func if isinstance(one, ast.Call) else one).rpartition(".")[2]
        for one in raised
    )


def _parts(body: list[ast.stmt]) -> frozenset[str]:
    """What may fail in some statements."""
    found = (one for stmt in body for one in ast.walk(stmt) if isinstance(one, _REACHED))
    return frozenset(ast.unparse(one) for one in found)


def _handled(function: Function, is_so: Callable[[ast.ExceptHandler], bool]) -> Iterator[_Handled]:
    """Yield what each `try` handles in one way; a `with suppress(…)` drops it."""
    for node in ast.walk(function):
        if isinstance(node, ast.Try):
            for handler in filter(is_so, node.handlers):
                yield _Handled(_parts(node.body), _classes(handler.type), handler.lineno)
        elif isinstance(node, ast.With | ast.AsyncWith) and is_so is _drops:
            for item in node.items:
                call = item.context_expr
                if isinstance(call, ast.Call) and ast.unparse(call.func).endswith("suppress"):
                    errors = frozenset[str]().union(*(_classes(one) for one in call.args))
                    yield _Handled(_parts(node.body), errors, node.lineno)


def _classes(kind: ast.expr | None) -> frozenset[str]:
    if kind is None:
        return frozenset(("",))
    listed = kind.elts if isinstance(kind, ast.Tuple) else [kind]
    return frozenset(ast.unparse(one).rpartition(".")[2] for one in listed)


def _raises(handler: ast.ExceptHandler) -> bool:
    return any(isinstance(one, ast.Raise) for one in ast.walk(handler))


def _drops(handler: ast.ExceptHandler) -> bool:
    """Whether a handler does nothing with an error but log it."""
    told = [
        one
        for one in handler.body
        if not (
            isinstance(one, ast.Expr)
            and isinstance(one.value, ast.Call)
            and _LOGS.match(ast.unparse(one.value.func))
        )
    ]
    return not any(
        (
            isinstance(one, _USED)
            and not (isinstance(one, ast.Call) and _MADE.fullmatch(ast.unparse(one.func)))
        )
        or (isinstance(one, ast.Name) and one.id == handler.name)
        for stmt in told
        for one in ast.walk(stmt)
    )


_USED = (ast.Call, ast.Raise, ast.Await, ast.Yield, ast.YieldFrom)


def _in_exits(before: str, after: str, trees: Trees) -> Iterator[tuple[str, int]]:
    """Yield each `__exit__` that newly gives back something true by itself: what, and its line."""
    known = dict(trees.functions(before))
    for name, node in trees.functions(after):
        given = _truth(node) if name.endswith(("__exit__", "__aexit__")) else None
        if given is not None and (name not in known or _truth(known[name]) is None):
            yield f"return {ast.unparse(given)}", given.lineno


def _truth(node: Function) -> ast.expr | None:
    """Return what a function gives back that is always true: a constant, or itself."""
    given = (one.value for one in ast.walk(node) if isinstance(one, ast.Return) and one.value)
    return next(
        (
            one
            for one in given
            if (isinstance(one, ast.Constant) and one.value)
            or (isinstance(one, ast.Name) and node.args.args and one.id == node.args.args[0].arg)
        ),
        None,
    )


# --- JavaScript --------------------------------------------------------------------------------


def _in_script(before: str, after: str, _trees: Trees) -> Iterator[_Dropped]:
    if max(len(before), len(after)) > _MOST_SOURCE:
        return
    old, new = (read_tokens(text, is_script=True) for text in (before, after))
    kept = _seen(new)
    lost = {call for call, count in _seen(old).items() if kept[call] < count}
    for one in _caught(new):
        told = one.parts & lost
        if told:
            yield _Dropped(max(sorted(told), key=len), new[one.line].line, is_broad=True)


def _seen(tokens: list[Token]) -> Counter[str]:
    """How often each call is made whose errors are not dropped."""
    calls = Counter(text for text, _, _ in _calls(tokens, 0, len(tokens)))
    calls.subtract(part for one in _caught(tokens) for part in one.parts)
    return calls


def _caught(tokens: list[Token]) -> Iterator[_Handled]:
    """Yield what each `catch` drops; `line` is its token."""
    closing = {end: text for text, _, end in _calls(tokens, 0, len(tokens))}
    places = (at for at in range(len(tokens)) if is_mark(tokens, at, "catch"))
    for at in islice(places, _MOST_CAUGHT):
        if is_mark(tokens, at - 1, "."):
            is_given = at - 2 in closing and is_mark(tokens, at + 1, "(")
            if is_given and _gives_nothing(tokens, at + 1):
                yield _Handled(frozenset((closing[at - 2],)), _BROAD, at)
            continue
        opening, name = at + 1, ""
        if is_mark(tokens, opening, "("):
            name = tokens[opening + 1].value if opening + 1 < len(tokens) else ""
            opening = _end(tokens, opening) + 1
        # the token that opens what is closed before it; the first one that is looked at where none does
        depth, start, first = 0, at - 1, max(0, at - 1 - _MOST_TRIED)
        while start > first:
            if tokens[start].kind == "mark":
                depth += (tokens[start].value in ")]}") - (tokens[start].value in "([{")
            if depth <= 0:
                break
            start -= 1
        start = max(start, first)
        is_caught = is_mark(tokens, start - 1, "try") and is_mark(tokens, opening, "{")
        if is_caught and _does_nothing(tokens, opening, _end(tokens, opening), name):
            parts = frozenset(text for text, _, _ in _calls(tokens, start, at))
            yield _Handled(parts, _BROAD, at)


def _end(tokens: list[Token], opening: int) -> int:
    """The token that closes a bracket, or the last one that is looked at for it."""
    return end_of_bracket(tokens, opening, _MOST_TOKENS + 1)


def _calls(tokens: list[Token], start: int, end: int) -> Iterator[tuple[str, int, int]]:
    """Yield the calls between two tokens: as text, and their first and last tokens."""
    opened: list[int] = []
    for close in range(start, end):
        if is_mark(tokens, close, "("):
            opened.append(close)
            continue
        if not is_mark(tokens, close, ")") or not opened:
            continue
        at = opened.pop()
        is_called = (
            at > start and tokens[at - 1].kind == "name" and tokens[at - 1].value not in _WORDS
        )
        if not is_called or close - at > _MOST_TOKENS:
            continue
        first, least = at - 1, max(start + 1, at - _MOST_TOKENS)
        while (
            first > least
            and is_mark(tokens, first - 1, ".", "?.")
            and tokens[first - 2].kind == "name"
        ):
            first -= 2
        if not is_mark(tokens, first - 1, "function"):
            yield " ".join(one.value for one in tokens[first : close + 1]), first, close


_WORDS = frozenset(
    ("if", "for", "while", "switch", "catch", "function", "return", "typeof", "await", "super")
)


def _does_nothing(tokens: list[Token], opening: int, end: int, name: str) -> bool:
    """Whether code between two tokens calls nothing but a log, throws nothing and leaves the error alone."""
    at = opening + 1
    while at < min(end, opening + _MOST_TOKENS):
        if is_mark(tokens, at, "console") and is_mark(tokens, at + 3, "("):
            at = _end(tokens, at + 3)
        elif is_mark(tokens, at, "throw", "await", "yield", "new", name or "throw") or (
            is_mark(tokens, at, "(") and tokens[at - 1].kind == "name"
        ):
            return False
        at += 1
    return end - opening < _MOST_TOKENS


def _gives_nothing(tokens: list[Token], opening: int) -> bool:
    """Whether what `.catch(` is given does nothing: `() => {}`, `(error) => null`, `noop`."""
    close = _end(tokens, opening)
    if close == opening + 2:
        return is_mark(tokens, opening + 1, "noop")
    names = [at for at in range(opening, min(close, opening + 6)) if tokens[at].kind == "name"]
    is_function = is_mark(tokens, opening + 1, "function")
    given = [tokens[at].value for at in names if tokens[at].value not in ("async", "function")]
    marks = ("{",) if is_function else ("=>",)
    behind = (at for at in range(opening, min(close, opening + 8)) if is_mark(tokens, at, *marks))
    start = next(behind, None)
    if start is None:
        return False
    name = given[0] if given and names[0] < start else ""
    return _does_nothing(tokens, start, close, name)
