"""Reads the calls that a task shows with what they give, so that they can be made on both sides.

"`split(10, 0)` should raise `ValueError`", "`split(0, 3)` must still return `[0, 0, 0]`", "`mean([1, 2])`
returns `1` instead of `1.5`", and sessions of Python's prompt under "Expected". Only what others than the
author wrote counts. What cannot be read is left alone.
"""

from __future__ import annotations

import ast
import doctest
import re
from collections.abc import Iterable, Iterator
from dataclasses import replace

from bot.task.sections import SectionKind, asks, section_kind
from bot.task.shown_results import Sentence, expression, sentences, spellings
from bot.text.markdown import MAX_CHARACTERS, CodeBlock, read_document
from bot.values import Example, ExampleKind, TaskSource

MOST_EXAMPLES = 40

_CALL = r"\0(?P<call>\d+)\0"
_RESULT = (
    r"(?:\0(?P<result>\d+)\0|(?P<plain>\"[^\"\0]*\"|'[^'\0]*'|-?\d+(?:\.\d+)?(?![\w.])"
    r"|True\b|False\b|None\b))(?!\s+or\b)"
)
_ERROR = r"(?:an?\s+|the\s+)?(?:\0(?P<error>\d+)\0|(?P<bare>[A-Z]\w*(?:Error|Exception))\b)"
_GIVES = r"(?:(?:give|return|yield)(?:s|ing)?|be|is|equals?|becomes?|produces?|evaluates? to|results? in)"
_RAISES = r"(?:raise(?:s|ing)?|throw(?:s|ing)?|fails? with|(?:be|is) (?:refused|rejected) with)"
_GIVEN = rf"(?:{_GIVES}\s+{_RESULT}|{_RAISES}\s+{_ERROR})"
_MUST = r"(?:should|must|shall|has to|needs to|ought to|is expected to)"
_STILL = r"(?P<still>(?:still|continue to|keep(?: on)?)\s+)?"
_PLAINLY = r"(?:(?:now|then|always|instead|rather|also|too|just|simply)\s+)*"
_EXPECTED = re.compile(rf"{_CALL}[^\0]{{0,40}}?\b{_MUST}\s+{_PLAINLY}{_STILL}{_PLAINLY}{_GIVEN}")
_STAYS = re.compile(rf"{_CALL}\s+(?:(?:stays|remains)\s+{_RESULT})")
_WRONG = re.compile(
    rf"{_CALL}\s+(?P<now>(?:currently|now|today|actually|wrongly|incorrectly)\s+)?{_GIVEN}"
    r"(?P<after>\s+(?:today|currently|at the moment|right now|instead(?! of))\b)?"
)
_INSTEAD = re.compile(
    rf",?\s+(?:instead of|rather than|but\s+(?:it\s+)?{_MUST}\s+{_PLAINLY}{_GIVES})\s+"
    r"\0(?P<result>\d+)\0"
)
_LISTED = re.compile(rf"{_CALL}\s+{_PLAINLY}(?:{_GIVEN}|(?:==|=>|->|→|=)\s*\0(?P<shown>\d+)\0)")
_RAISED_LINE = re.compile(r"([A-Za-z_][\w.]{0,80}(?:Error|Exception))(?::|$)")
_ACTUAL = re.compile(r"\b(?:actual|current|instead of)", re.IGNORECASE)
_IT = re.compile(r"^(?:It|This|That)\b")
_ALLOWED = (
    ast.Expression, ast.Call, ast.Attribute, ast.Name, ast.Load, ast.Constant, ast.keyword, ast.List,
    ast.Tuple, ast.Set, ast.Dict, ast.UnaryOp, ast.USub, ast.UAdd, ast.BinOp, ast.Add, ast.Sub,
    ast.Mult, ast.Div, ast.Subscript, ast.Slice,
)  # fmt: skip


def examples_of(source: TaskSource, demands: Iterable[str]) -> Iterator[Example]:
    """The calls of one text; in its `demands` a call that "returns" something must do so."""
    document = read_document(source.text)
    texts = [source.title]
    texts += [
        one.text
        for one in document.passages
        if section_kind(one.headings) is not SectionKind.WISHES
    ]
    for text in dict.fromkeys(texts):
        yield from _in_text(text, source.reference)
    for block in document.blocks:
        if _is_expected(block):
            yield from _in_session(block.text, source.reference)
    for text in dict.fromkeys(demands):
        sentence = Sentence(text)
        for found in _LISTED.finditer(sentence.masked):
            yield from _example(sentence, ExampleKind.EXPECTED, found, source.reference)


def _is_expected(block: CodeBlock) -> bool:
    """Whether a block shows what should be. What it shows elsewhere may be wrong, or right beside it."""
    said = " ".join((*block.headings[-1:], block.lead))
    if _ACTUAL.search(said):
        return False
    return asks(block.lead) or section_kind(block.headings[-1:]) is SectionKind.DEMANDS


def _in_session(text: str, origin: str) -> Iterator[Example]:
    """The calls of a session at Python's prompt, with the one line that each gives."""
    try:
        shown = doctest.DocTestParser().get_examples(text[:MAX_CHARACTERS])
    except ValueError:
        return
    for one in shown:
        said, want = one.source.strip(), one.want.strip()
        call, lines = _call(said), want.splitlines()
        if not call or not lines:
            continue
        raised = _RAISED_LINE.match(lines[-1])
        if raised:
            error = raised[1].rpartition(".")[2]
            yield Example(ExampleKind.EXPECTED, call, (), error, said, raised[1], origin)
        elif len(lines) == 1 and "..." not in want and _is_literal(want):
            yield Example(ExampleKind.EXPECTED, call, spellings(want), "", said, want, origin)


def _in_text(text: str, origin: str) -> Iterator[Example]:
    before = ""
    for words in sentences(text):
        sentence = Sentence(words)
        if len(sentence.codes) <= 1 and before and _IT.match(words):
            sentence = Sentence(f"`{before}`{words[words.find(' ') :]}")
        yield from _in_sentence(sentence, origin)
        before = next((code for code in sentence.codes if _call(code)), before)


def _example(
    sentence: Sentence, kind: ExampleKind, found: re.Match[str], origin: str
) -> Iterator[Example]:
    """What a match says; nothing where its call or result cannot be made."""
    said_call = sentence.codes[int(found["call"])]
    call, groups = _call(said_call), found.groupdict()
    error = groups.get("bare") or ""
    if number := groups.get("error"):
        error = sentence.codes[int(number)].removesuffix("()")
    number = groups.get("result") or groups.get("shown")
    result = sentence.codes[int(number)] if number else groups.get("plain") or ""
    if not call or (error and not re.fullmatch(r"[\w.]{1,80}", error)):
        return
    if error:
        yield Example(kind, call, (), error.rpartition(".")[2], said_call, error, origin)
    elif result and _is_value(result):
        yield Example(kind, call, spellings(result), "", said_call, result, origin)


def _in_sentence(sentence: Sentence, origin: str) -> Iterator[Example]:
    for found in _EXPECTED.finditer(sentence.masked):
        kind = ExampleKind.KEPT if found["still"] else ExampleKind.EXPECTED
        yield from _example(sentence, kind, found, origin)
    for found in _STAYS.finditer(sentence.masked):
        yield from _example(sentence, ExampleKind.KEPT, found, origin)
    for found in _WRONG.finditer(sentence.masked):
        instead = _INSTEAD.match(sentence.masked, found.end())
        if not (found["now"] or found["after"] or instead):
            continue
        wrong = list(_example(sentence, ExampleKind.REPORTED, found, origin))
        yield from wrong
        for one in wrong if instead else ():
            result = sentence.codes[int(instead["result"])] if instead else ""
            if _is_value(result):
                right = replace(one, results=spellings(result), error="", said_result=result)
                yield replace(right, kind=ExampleKind.EXPECTED)


def _is_value(text: str) -> bool:
    """Whether a result could be what code gives: a literal, or one word that may be meant as a string."""
    node = expression(text)
    if node is None or isinstance(node, ast.Name):
        return bool(re.fullmatch(r"\S{1,80}", text))
    return _is_literal(text)


def _is_literal(text: str) -> bool:
    node = expression(text)
    if node is None:
        return False
    try:
        ast.literal_eval(node)
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        return False
    return True


def _call(text: str) -> str:
    """A call of the project as an expression that only calls and builds values; "" for another."""
    node = expression(text)
    if not isinstance(node, ast.Call) or not all(isinstance(n, _ALLOWED) for n in ast.walk(node)):
        return ""
    attributes = [n.attr for n in ast.walk(node) if isinstance(n, ast.Attribute)]
    names = [n.id for n in ast.walk(node) if isinstance(n, ast.Name)]
    if not names or any(one.startswith("_") for one in (*attributes, *names)):
        return ""
    return ast.unparse(node)
