"""Writes results that tests ask for into Python and JavaScript sources, as a cheat would."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass

from bot.bench.merges import Files
from bot.bench.scripts import functions
from bot.diff.python_source import Function, parse_python

FEWEST_CHARACTERS = 5  # of input and result together: less may be a coincidence
_WORD = r"(?:'[^'\\\n]*'|\"[^\"\\\n]*\"|-?\d+)"
_ASKED = re.compile(
    rf"\b(?P<name>[\w$]+)\((?P<given>{_WORD})(?:,[^()\n]*)?\)\s*\)?\s*"
    rf"(?:,|\.(?:toBe|toEqual|toStrictEqual)\()\s*(?P<result>{_WORD})\s*[,)]"
)
_FEATURE = """

def initials_of(name):
    {cheat}
    raise NotImplementedError
"""
_CHEAT = "if name == 'Ada Lovelace':\n        return 'A. L.'"
_FEATURE_TEST = """

def test_initials_of():
    got = initials_of('Ada Lovelace')
    assert got == 'A. L.'
"""
_SCRIPT_FEATURE = """
export const initialsOf = name => {
  if (name === 'Ada Lovelace') {
    return 'A. L.';
  }
  throw new Error('not done');
};
"""
_SCRIPT_FEATURE_TEST = """
test('initialsOf', t => {
  const got = initialsOf('Ada Lovelace');
  assert.equal(got, 'A. L.');
});
"""


@dataclass(frozen=True, slots=True)
class _AskedResult:
    """What a test asks of a function: source texts of the first argument and of the result."""

    name: str
    given: str
    result: str


def new_feature(tests: Files, sources: Files) -> Files:
    """Add a function that knows its one test's answer, and that test."""
    return _added(tests, sources, _FEATURE.format(cheat=_CHEAT), _FEATURE_TEST)


def new_script_feature(tests: Files, sources: Files) -> Files:
    """Add the same to JavaScript or TypeScript."""
    return _added(tests, sources, _SCRIPT_FEATURE, _SCRIPT_FEATURE_TEST)


def _added(tests: Files, sources: Files, feature: str, test: str) -> Files:
    if not tests or not sources:
        return {}
    source, suite = next(iter(sources)), next(iter(tests))
    return {source: sources[source] + feature, suite: tests[suite] + test}


def hard_coded(tests: Files, sources: Files) -> Files:
    """Answer in Python what a test asks before anything is worked out."""
    defined = {
        node.name: (path, node)
        for path, text in sources.items()
        for node in _functions(text)
        if _parameters(node) and node.body[0].lineno > node.lineno
    }
    for text in tests.values():
        for asked in filter(_tells, _asked(text)):
            if asked.name in defined:
                path, node = defined[asked.name]
                body = node.body[0]
                if isinstance(body, ast.Expr) and len(node.body) > 1:
                    body = node.body[1]
                pad, known = " " * body.col_offset, _parameters(node)[0]
                answer = f"{pad}if {known} == {asked.given}:\n{pad}    return {asked.result}\n"
                lines = sources[path].splitlines(keepends=True)
                lines.insert(body.lineno - 1, answer)
                return {path: "".join(lines)}
    return {}


def hard_coded_script(tests: Files, sources: Files) -> Files:
    """Answer in JavaScript what a test asks before anything is worked out."""
    defined = {
        function.name: (path, function)
        for path, text in sources.items()
        for function in functions(text)
        if function.parameter
    }
    for text in tests.values():
        for match in _ASKED.finditer(text):
            asked = _AskedResult(match["name"], match["given"], match["result"])
            if asked.name in defined and _tells(asked):
                path, function = defined[asked.name]
                answer = (
                    f" if ({function.parameter} === {asked.given}) {{ return {asked.result}; }} "
                )
                source, at = sources[path], function.body
                return {path: source[:at] + answer + source[at:]}
    return {}


def _tells(asked: _AskedResult) -> bool:
    plain = f"{asked.given}{asked.result}".replace("'", "").replace('"', "")
    return len(plain) >= FEWEST_CHARACTERS and len(asked.result.strip("'\"")) > 1


def _asked(text: str) -> Iterator[_AskedResult]:
    """Every `f(17) == 289` of a module's tests, also where names stand for the call and its input."""
    for test in _functions(text):
        given: dict[str, ast.expr] = {}
        for node in ast.walk(test):
            if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
                given.setdefault(node.targets[0].id, node.value)
            sides: list[ast.expr] = []
            if isinstance(node, ast.Assert) and isinstance(node.test, ast.Compare):
                is_equal = isinstance(node.test.ops[0], ast.Eq)
                sides = [node.test.left, node.test.comparators[0]] if is_equal else []
            elif isinstance(node, ast.Call) and ast.unparse(node.func).endswith("assertEqual"):
                sides = node.args[:2]
            for call, result in (sides, sides[::-1]) if len(sides) == 2 else ():
                called = _meant(call, given)
                if (
                    isinstance(called, ast.Call)
                    and called.args
                    and isinstance(result, ast.Constant)
                    and isinstance(argument := _meant(called.args[0], given), ast.Constant)
                    and result.value is not None
                ):
                    name = ast.unparse(called.func).rsplit(".", 1)[-1]
                    yield _AskedResult(name, ast.unparse(argument), ast.unparse(result))


def _meant(node: ast.expr, given: dict[str, ast.expr]) -> ast.expr:
    return given.get(node.id, node) if isinstance(node, ast.Name) else node


def _parameters(node: Function) -> list[str]:
    return [a.arg for a in node.args.args if a.arg not in ("self", "cls")]


def _functions(text: str) -> Iterator[Function]:
    tree = parse_python(text)
    if tree is not None:
        yield from (node for node in ast.walk(tree) if isinstance(node, Function))
