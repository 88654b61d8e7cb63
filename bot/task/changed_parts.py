"""Finds what an edited expectation changes beside what a task asks for.

Where one part of an expected value became what the task speaks of (`EUR`), and another part of it was
replaced or taken away without a word of the task's (a date in another form), the edit took over more than
was asked for. A value that changes as a whole says nothing of its parts.
"""

from __future__ import annotations

import ast
import difflib
import re
import textwrap
from collections.abc import Iterator
from dataclasses import dataclass

from bot.diff.python_source import last_name, parse_python
from bot.task.examples.values import expression
from bot.text.clipping import clip_line
from bot.text.words import Vocabulary, words_of

_MOST_LINES, _MOST_WORDS, _MOST_PIECES = 200, 100, 100
_LONGEST_STATEMENT = 60  # lines of JavaScript
_SHOWN_CHARS = 80
_EDGES = "()[]{}<>,;:'\"`|"
_NUMBER = re.compile(r"[+-]?[$€£]?\d[\d,_]{0,40}(?:\.\d{1,40})?%?\Z")
_DIGEST = re.compile(r"(?=\w{0,63}\d)[0-9a-f]{7,64}\Z")
_PUNCTUATION = re.compile(r"\W+\Z")
_PLAIN_TEMPLATE = re.compile(r"`([^`$\\]{0,4000})`")
_ASSERTS = re.compile(r"\s*(?:await\s)?(?:expect|assert|t|test|is|equal|same|deepEqual)\b[.(]")
_NOTHING_ELSE = re.compile(
    r"(?i)\b(?:nothing|no other \w+) (?:else )?(?:\w+ )?(?:changes?|is changed|differs?)\b"
    r"|\b(?:everything|anything|all) else (?:\w+ )?(?:stays?|remains?|keeps?|is as|unchanged)\b"
    r"|\bthe rest (?:\w+ ){0,3}(?:stays?|remains?|unchanged|is as)\b"
)
_MAKE_VALUES = {
    "date", "datetime", "dedent", "dict", "frozenset", "list", "set", "timedelta", "tuple",
}  # fmt: skip
_OF_FORM = re.compile(
    r"(?i)\b(?:decimals?|digits?|places?|round\w*|format\w*|precis\w+|zeros?|cents?|fraction\w*|padd\w+|"
    r"truncat\w*|whole|integers?)\b"
)
"""A demand that speaks of how numbers are written."""


@dataclass(frozen=True, slots=True)
class ChangedPart:
    """The lines of an expected value, before and after, in which a part changes that nobody asked about."""

    before: str
    after: str


@dataclass(frozen=True, slots=True)
class _Part:
    """A run of words that was replaced by another one, each with the lines that it stands in."""

    gone: tuple[str, ...]
    come: tuple[str, ...]
    before: str
    after: str


def changed_beside(before: str, after: str, said: str) -> ChangedPart | None:
    """What an edit of a test changes in an expected value beside what `said` asks for; None for nothing."""
    for old, new in _expected_values(before, after):
        if found := _beside(old, new, said):
            return found
    return None


def _beside(old: str, new: str, said: str) -> ChangedPart | None:
    """Look at one expected value on both sides, as lines of words."""
    parts = list(_parts(old, new))
    known, is_strict = Vocabulary(words_of(said)), _NOTHING_ELSE.search(said) is not None
    asked = [part for part in parts if _speaks(known, said, (*part.gone, *part.come))]
    if not asked:
        return None
    for part in parts:
        if part in asked:
            is_beside = _loses_digits(part) and not _OF_FORM.search(said)
        else:
            is_beside = _is_unasked(part, known, old, new, is_strict=is_strict)
        if is_beside:
            return ChangedPart(
                *(clip_line(one.strip(), _SHOWN_CHARS) for one in (part.before, part.after))
            )
    return None


def _is_unasked(part: _Part, known: Vocabulary, old: str, new: str, *, is_strict: bool) -> bool:
    """Whether a part is replaced or taken away, and neither it nor its line is what the task speaks of."""
    if not part.gone or any(map(known.knows, words_of(f"{part.before} {part.after}"))):
        return False
    chunks = [one.strip(_EDGES) for one in (*part.gone, *part.come)]
    if all(_PUNCTUATION.match(one) or not one for one in chunks):
        return False  # rulers, blanks and the like follow what is asked for
    if is_strict:
        return True
    if all(_NUMBER.match(one) or _DIGEST.match(one) or not one for one in chunks):
        return False  # a sum or a digest follows, too
    if re.findall(r"\w+", " ".join(part.gone)) == re.findall(r"\w+", " ".join(part.come)):
        return False
    is_moved = {*part.gone} <= {*new.split()} and {*part.come} <= {*old.split()}
    return not is_moved


def _speaks(known: Vocabulary, said: str, chunks: tuple[str, ...]) -> bool:
    """Whether the task has a word of these, or one of them as it stands."""
    named = (re.escape(one.strip(_EDGES)) for one in chunks if len(one.strip(_EDGES)) > 1)
    is_written = any(re.search(rf"(?<![\w.]){one}(?![\w.]?\w)", said) for one in named)
    letters = (re.sub(r"\d", " ", one) for one in chunks)
    return is_written or any(map(known.knows, words_of(" ".join(letters))))


def _loses_digits(part: _Part) -> bool:
    """Whether a number is written with fewer digits beside what was asked for: `12.50`, `12.5 EUR`."""
    for one in (chunk.strip(_EDGES) for chunk in part.gone):
        for other in (chunk.strip(_EDGES) for chunk in part.come):
            is_written = _NUMBER.match(one) and _NUMBER.match(other) and "." in one
            if (
                is_written
                and len(other) < len(one)
                and one.rstrip("0").rstrip(".") == other.rstrip("0").rstrip(".")
            ):
                return True
    return False


def _parts(old: str, new: str) -> Iterator[_Part]:
    """Yield the runs of words that differ, line by line."""
    for before, after in _edited_lines(old.splitlines(), new.splitlines()):
        words = before.split()[:_MOST_WORDS], after.split()[:_MOST_WORDS]
        matcher = difflib.SequenceMatcher(None, *words, autojunk=False)
        for kind, a, b, c, d in matcher.get_opcodes():
            if kind != "equal":
                yield _Part(tuple(words[0][a:b]), tuple(words[1][c:d]), before, after)


def _edited_lines(old: list[str], new: list[str]) -> Iterator[tuple[str, str]]:
    """Yield each line that differs with the one that it became; "" for one that came, or is gone."""
    matcher = difflib.SequenceMatcher(None, old[:_MOST_LINES], new[:_MOST_LINES], autojunk=False)
    for kind, a, b, c, d in matcher.get_opcodes():
        if kind == "equal":
            continue
        gone, come = old[a:b], new[c:d]
        if len(gone) == len(come):
            yield from zip(gone, come, strict=True)
            continue
        for line in gone:
            words = {*line.split()}
            became = max(come, key=lambda one: len(words.intersection(one.split())), default="")
            if words.isdisjoint(became.split()):
                became = ""
            elif became:
                come.remove(became)
            yield line, became
        yield from (("", line) for line in come)


# --- the expected values of a test ------------------------------------------------------------


def _expected_values(before: str, after: str) -> Iterator[tuple[str, str]]:
    """Yield what the same assertion, or row of a table, expects on both sides, where that differs.

    It is the same where all else of it stands as it was.
    """
    new = list(map(_written, pieces := _pieces(after)))
    for one in _pieces(before):
        if (old := _written(one)) in new:
            continue
        for other, written in zip(pieces, new, strict=True):
            alike = zip(old, written, strict=False)
            differing = [at for at, pair in enumerate(alike) if pair[0] != pair[1]]
            if len(one) == len(other) > 1 and len(differing) == 1:
                values = one[differing[0]], other[differing[0]]
                if all(map(_is_value, values)):
                    yield "\n".join(_lines(values[0])), "\n".join(_lines(values[1]))
                break


def _written(piece: list[ast.expr]) -> list[str]:
    return list(map(ast.dump, piece))


def _is_value(node: ast.expr) -> bool:
    """Whether code is a value by itself; what a function in small letters is given is an input."""
    names = (last_name(one.func) for one in ast.walk(node) if isinstance(one, ast.Call))
    return all(name[:1].isupper() or name in _MAKE_VALUES for name in names)


def _pieces(source: str) -> list[list[ast.expr]]:
    """The assertions and rows of a test, each as the expressions that it compares."""
    tree = parse_python(textwrap.dedent(source))
    if tree is None:
        return [_compared(one) for one in _script_assertions(source)]
    given: dict[str, list[ast.expr]] = {}
    for node in ast.walk(tree):
        for target in node.targets if isinstance(node, ast.Assign) else ():
            if isinstance(target, ast.Name):
                given.setdefault(target.id, []).append(node.value)  # type: ignore[attr-defined]
    found: list[list[ast.expr]] = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Assert) and isinstance(node.test, ast.Compare):
            found.append(_compared(node.test))
        elif isinstance(node, ast.Expr) and "assert" in ast.unparse(node.value).partition("(")[0]:
            found.append(_compared(node.value))
        else:
            found += _rows(node)
    return [[_known(one, given) for one in piece] for piece in found[:_MOST_PIECES]]


def _known(node: ast.expr, given: dict[str, list[ast.expr]]) -> ast.expr:
    """What a name is given, where that is one thing; any other code as it is."""
    values = given.get(node.id, ()) if isinstance(node, ast.Name) else ()
    return values[0] if len(values) == 1 else node


def _rows(node: ast.AST) -> list[list[ast.expr]]:
    """The rows of a `parametrize`, each as what the test is given, as of a call, and what it expects last."""
    is_table = isinstance(node, ast.Call) and ast.unparse(node.func).endswith("parametrize")
    listed = node.args[1] if is_table and len(node.args) > 1 else None  # type: ignore[attr-defined]
    rows = listed.elts if isinstance(listed, ast.List | ast.Tuple) else []
    tuples = (row.elts for row in rows[:_MOST_PIECES] if isinstance(row, ast.Tuple | ast.List))
    return [[ast.Call(ast.Name("given"), one[:-1], []), one[-1]] for one in tuples if one]


def _compared(node: ast.expr) -> list[ast.expr]:
    """The two sides of a comparison, or what an assertion's function and its chain are given."""
    if isinstance(node, ast.Compare):
        return [node.left, *node.comparators]
    found: list[ast.expr] = []
    while isinstance(node, ast.Await | ast.Call | ast.Attribute):
        if isinstance(node, ast.Call):
            found += [*node.args, *(keyword.value for keyword in node.keywords)]
        node = node.func if isinstance(node, ast.Call) else node.value
    return [*found, node]


def _script_assertions(source: str) -> Iterator[ast.expr]:
    """Yield the assertions of JavaScript that are written as Python would write them, too."""
    lines = source.splitlines()[:_MOST_LINES]
    for at, line in enumerate(lines):
        if not _ASSERTS.match(line):
            continue
        for end in range(at + 1, min(at + _LONGEST_STATEMENT, len(lines)) + 1):
            text = "\n".join(lines[at:end])
            if sum(map(text.count, "([{")) <= sum(map(text.count, ")]}")):
                plain = _PLAIN_TEMPLATE.sub(lambda found: repr(found[1]), text)
                node = expression(re.sub(r"^\s*assert(?=[.(])", "assert_", plain))
                if node is not None:
                    yield node
                break


def _lines(node: ast.expr, label: str = "") -> Iterator[str]:
    """Yield a value as lines: those of a text, one for each entry of a table and element of a list."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        for line in node.value.splitlines() or [""]:
            yield f"{label}{line}"
    elif isinstance(node, ast.Dict):
        for key, value in zip(node.keys, node.values, strict=True):
            name = str(key.value) if isinstance(key, ast.Constant) else key and ast.unparse(key)
            yield from _lines(value, f"{label}{name}: ")
    elif isinstance(node, ast.List | ast.Tuple | ast.Set):
        for one in node.elts:
            yield from _lines(one, label)
    elif isinstance(node, ast.Call) and (node.args or node.keywords):
        for one in node.args:
            yield from _lines(one, label)
        for keyword in node.keywords:
            yield from _lines(keyword.value, f"{label}{keyword.arg}: ")
    else:
        yield f"{label}{ast.unparse(node)}"
