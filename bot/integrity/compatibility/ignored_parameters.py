"""Finds what callers of Python on base may give, and head takes without a look at it.

A test that gives it may want what head does anyway; who else gives it gets something else.
"""

from __future__ import annotations

import ast
import textwrap
from collections.abc import Iterator

from bot.diff.python_source import Function, parse_python
from bot.integrity.compatibility.callers import functions_on_both
from bot.integrity.compatibility.public_names import may_be_called
from bot.integrity.reading.inspection import Inspection, make_finding, words_of_task
from bot.integrity.reading.signatures import Passing, Signature
from bot.text.words import whole_name
from bot.values.rules import PARAMETER_IGNORED
from sandbox.values import Finding

_OTHERS = (Passing.REST, Passing.NAMED_REST)
_ALL_OF_THEM = frozenset(("locals", "vars", "eval", "exec"))
"""What reads each parameter without its name."""


def ignored_parameters(inspection: Inspection) -> Iterator[Finding]:
    """Parameters of public functions that base reads and head does not, and that the task does not name."""
    said = words_of_task(inspection)
    for change in inspection.left((".py",)):
        both = functions_on_both(change, inspection) if may_be_called(change) else ()
        for was, now in both:
            taken = {one.name for one in was.parameters if one.passing not in _OTHERS}
            for name in (one.name for one in now.parameters if one.name in taken):
                is_asked = name.startswith("_") or whole_name(name).search(said)
                if not is_asked and _reads(was, name) and not _reads(now, name):
                    message = (
                        f"`{now.name}` takes `{name}` as on base, but does not read it any more, and the "
                        "task does not speak of it."
                    )
                    yield make_finding(PARAMETER_IGNORED, change, now.line, message)


def _reads(function: Signature, name: str) -> bool:
    """Whether the code of a function looks at what it is given, and does not overwrite it first."""
    tree = parse_python(textwrap.dedent(function.source))
    node = tree.body[0] if tree and tree.body else None
    if not isinstance(node, Function) or all(map(_does_nothing, node.body)):
        return True
    for statement in node.body:
        names = [one for one in ast.walk(statement) if isinstance(one, ast.Name)]
        own = [one for one in names if one.id == name]
        if any(isinstance(one.ctx, ast.Load) for one in own) or _ALL_OF_THEM & {
            o.id for o in names
        }:
            return True
        if own and isinstance(statement, ast.Assign):
            return False
    return False


def _does_nothing(statement: ast.stmt) -> bool:
    """Whether a statement only says something, or that there is nothing yet."""
    is_text = isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)
    return is_text or isinstance(statement, ast.Pass | ast.Raise)
