"""Finds branches that are taken for the tested inputs alone: `if size in (10**6 - 1, 2**20 - 1)`.

Only numbers that no program has by chance and that the task's words do not name count, texts of several
words, and several constants at once: codes, names and limits are compared with in honest code, too. Of a list
of small numbers (`[0, -1].includes(timeout)`) one test has to put in every one. The name of a class of the
tests is none that a program has by chance: `type(item).__name__ == "RefusesToCompare"`.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator
from dataclasses import replace

from bot.diff.kinds import is_shipped_source
from bot.diff.python_source import Function
from bot.integrity.reading.inspection import Inspection, Trees, make_finding
from bot.integrity.reading.languages import SCRIPT, language_of
from bot.integrity.reading.literals import literal_in
from bot.integrity.reading.other_tests import read_other_tests
from bot.integrity.reading.tokens import Literal, Token, is_mark, literal_at, read_tokens
from bot.values.rules import RESULT_HARD_CODED
from sandbox.values import FileChange, Finding

_LEAST = 2
_KNOWN_SHARE = 0.6
_LEAST_DIGITS = 5
_MOST_SOURCE = 400_000
_MOST_SHOWN = 3
_CALL = re.compile(r"[\w.]{1,80}\([^()\n]{0,200}\)|^ *(?:>>>|```).*$|`[^`\n]{0,200}`", re.MULTILINE)
_NUMBER = re.compile(r"-?\d+(?:\.\d+)?")
_CLASS = re.compile(r"^[ \t]*(?:export )?class (\w{2,100})", re.MULTILINE)
_Chosen = tuple[str, int]
"""A constant that something is compared with, as text, and its line."""


def branches_for_tested_inputs(inspection: Inspection) -> Iterator[Finding]:
    """New comparisons of the source with constants that are mostly what the tests put in."""
    tests: dict[str, frozenset[str]] | None = None
    classes: dict[str, str] = {}
    for change in inspection.left():
        if not is_shipped_source(change.path):
            continue
        if tests is None:
            tests, classes = _tested(inspection), _classes_of_tests(inspection)
        prose = _CALL.sub(" ", "\n".join(inspection.requirements.said))
        yield from _lists_of_tested(inspection, change, tests, prose)
        old = {
            text
            for text, _ in _chosen(change.path, inspection.before(change) or "", inspection.trees)
        }
        fresh: dict[str, int] = {}
        for text, line in _chosen(change.path, inspection.after(change) or "", inspection.trees):
            if text not in old and (_is_telling(text) or text in classes):
                fresh.setdefault(text, line)
        unsaid = [one for one in fresh if not _is_said(one, prose)]
        for text in filter(classes.get, unsaid):
            where = classes[text]
            doubted = tuple(name for name in tests if name.startswith(f"{where}::"))
            message = f"This source asks for `{text}`, which is a class of the tests in `{where}`."
            finding = make_finding(RESULT_HARD_CODED, change, fresh[text], message)
            yield replace(finding, tests=doubted)
        hits = [one for one in unsaid if any(one in inputs for inputs in tests.values())]
        if len(hits) < _LEAST or len(hits) < _KNOWN_SHARE * len(fresh):
            continue
        doubted = tuple(name for name, inputs in tests.items() if not inputs.isdisjoint(hits))
        shown = ", ".join(f"`{one}`" for one in hits[:_MOST_SHOWN])
        test = doubted[0].rpartition("::")[2]
        told = f"{len(hits)} of {len(fresh)} new constants that it compares with"
        message = f"This source asks for {shown}, just what `{test}` puts in; {told}."
        finding = make_finding(RESULT_HARD_CODED, change, fresh[hits[0]], message)
        yield replace(finding, tests=doubted)


def _lists_of_tested(
    inspection: Inspection, change: FileChange, tests: dict[str, frozenset[str]], prose: str
) -> Iterator[Finding]:
    """New lists of small numbers that a plain value is looked for in, each number put in by one test."""
    old = {
        numbers
        for numbers, _ in _lists(change.path, inspection.before(change) or "", inspection.trees)
    }
    for numbers, line in _lists(change.path, inspection.after(change) or "", inspection.trees):
        doubted = tuple(name for name, inputs in tests.items() if inputs.issuperset(numbers))
        if numbers in old or not doubted or all(_is_said(one, prose) for one in numbers):
            continue
        shown = ", ".join(f"`{one}`" for one in numbers[:_MOST_SHOWN])
        test = doubted[0].rpartition("::")[2]
        message = f"This source asks for one of {shown}, just what `{test}` puts in."
        yield replace(make_finding(RESULT_HARD_CODED, change, line, message), tests=doubted)


def _is_said(text: str, prose: str) -> bool:
    return re.search(rf"(?<!\w){re.escape(text)}(?!\w)", prose) is not None


def _is_telling(text: str) -> bool:
    """Whether a constant is no limit, code or name: a number that is not round, words, or several at once."""
    if text.startswith("("):
        return True
    if re.fullmatch(r"-?\d+(?:\.\d+)?", text) is None:
        return len(text.split()) > 1
    digits = text.strip("-0").replace(".", "").strip("0")
    is_power = text.isdigit() and int(text) & (int(text) - 1) == 0
    return len(digits) >= _LEAST_DIGITS and not is_power


def _tested(inspection: Inspection) -> dict[str, frozenset[str]]:
    """The constants of each test that changed, or that the change makes pass, by its name."""
    tested: dict[str, frozenset[str]] = {}
    for path in inspection.telling_tests():
        text, language = inspection.head.read(path) or "", language_of(path)
        if path.endswith(".py"):
            for node in inspection.trees.nodes(text):
                if isinstance(node, Function) and "test" in node.name:
                    parts = [one for one in ast.walk(node) if isinstance(one, ast.expr)]
                    inputs = {one for part in parts if (one := literal_in(part))}
                    rows = (one.elts for one in parts if isinstance(one, ast.Tuple | ast.List))
                    calls = (one.args for one in parts if isinstance(one, ast.Call))
                    several = filter(None, map(_together, (*rows, *calls)))
                    tested[f"{path}::{node.name}"] = frozenset(inputs.union(several))
        elif language is SCRIPT:
            for test in read_other_tests(text, language).tests:
                tokens = read_tokens(test.body[:_MOST_SOURCE], is_script=True)
                found = (literal_at(tokens, at) for at in range(len(tokens)))
                tested[f"{path}::{test.name}"] = frozenset(one.text for one in found if one)
    return tested


def _classes_of_tests(inspection: Inspection) -> dict[str, str]:
    """The classes that these tests define, each with its file."""
    found: dict[str, str] = {}
    for path in inspection.telling_tests():
        for name in _CLASS.findall(inspection.head.read(path) or ""):
            found.setdefault(name, path)
    return found


def _chosen(path: str, text: str, trees: Trees) -> Iterator[_Chosen]:
    """What a source compares with: by equality, in a collection, by a case or a table."""
    if path.endswith(".py"):
        yield from _chosen_in_python(trees.nodes(text))
    elif language_of(path) is SCRIPT:
        tokens = read_tokens(text[:_MOST_SOURCE], is_script=True)
        for at, found in _chosen_in_script(tokens):
            yield found.text, tokens[at].line


def _chosen_in_python(nodes: Iterable[ast.AST]) -> Iterator[_Chosen]:
    for node in nodes:
        parts: list[ast.expr | None] = []
        if isinstance(node, ast.Compare):
            for how, side in zip(node.ops, node.comparators, strict=True):
                if isinstance(how, ast.Eq | ast.Is):
                    parts += [node.left, side]
                elif isinstance(how, ast.In) and isinstance(side, ast.Tuple | ast.List | ast.Set):
                    parts += side.elts
                    tuples = (one for one in side.elts if isinstance(one, ast.Tuple))
                    yield from ((t, one.lineno) for one in tuples if (t := _together(one.elts)))
        elif isinstance(node, ast.Set):
            parts += node.elts
        elif isinstance(node, ast.Dict):
            parts += node.keys
        elif isinstance(node, ast.MatchValue):
            parts.append(node.value)
        for one in parts:
            if one is not None and (text := literal_in(one)):
                yield text, one.lineno


def _together(values: list[ast.expr]) -> str:
    """Constants that are asked for at once, or that a call is given; "" for fewer than two."""
    texts = [literal_in(one) for one in values]
    return f"({', '.join(filter(None, texts))})" if len(texts) > 1 and all(texts) else ""


def _chosen_in_script(tokens: list[Token]) -> Iterator[tuple[int, Literal]]:
    for at in range(len(tokens)):
        if is_mark(tokens, at, "===", "==", "case") and (found := literal_at(tokens, at + 1)):
            yield at, found
        elif is_mark(tokens, at, "==="):
            if left := literal_at(tokens, at - 1):
                yield at, left
        elif is_mark(tokens, at, "["):
            elements, asked = _listed(tokens, at)
            if asked or is_mark(tokens, at - 2, "Set", "Map"):
                yield from ((at, one) for one in elements)


def _listed(tokens: list[Token], opening: int) -> tuple[list[Literal], int]:
    """The elements of a list, and the place after a call of it that looks for something; 0 for none."""
    found, at = list[Literal](), opening + 1
    while (element := literal_at(tokens, at)) is not None:
        found.append(element)
        at = element.end + is_mark(tokens, element.end, ",")
    end = found[-1].end if found else opening
    is_asked = is_mark(tokens, end + 1, ".") and is_mark(tokens, end + 2, "includes", "indexOf")
    return found, end + 3 if is_asked else 0


def _lists(path: str, text: str, trees: Trees) -> Iterator[tuple[tuple[str, ...], int]]:
    """Lists of numbers in which a name, and nothing that is computed, is looked for; each with its line."""
    found: list[tuple[tuple[str, ...], int]] = []
    for node in trees.nodes(text) if path.endswith(".py") else ():
        if not isinstance(node, ast.Compare) or not isinstance(node.left, ast.Name | ast.Attribute):
            continue
        side, is_asked = node.comparators[0], isinstance(node.ops[0], ast.In | ast.NotIn)
        if is_asked and isinstance(side, ast.Tuple | ast.List | ast.Set):
            found.append((tuple(literal_in(one) or "" for one in side.elts), node.lineno))
    if language_of(path) is SCRIPT:
        found += _lists_in_script(read_tokens(text[:_MOST_SOURCE], is_script=True))
    for numbers, line in found:
        is_small = all(_NUMBER.fullmatch(one) and not _is_telling(one) for one in numbers)
        if len(numbers) >= _LEAST and is_small:
            yield numbers, line


def _lists_in_script(tokens: list[Token]) -> Iterator[tuple[tuple[str, ...], int]]:
    for at in range(len(tokens)):
        elements, opening = _listed(tokens, at) if is_mark(tokens, at, "[") else ([], 0)
        if not (opening and is_mark(tokens, opening, "(")):
            continue
        asked = opening + 1
        while asked < len(tokens) and (tokens[asked].kind == "name" or is_mark(tokens, asked, ".")):
            asked += 1
        if asked > opening + 1 and is_mark(tokens, asked, ")"):
            yield tuple(one.text for one in elements), tokens[at].line
