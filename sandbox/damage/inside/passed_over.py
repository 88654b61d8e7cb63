"""Errors that a change passes over (`except ValueError: continue`): each let through instead.

A test that shows what the handler is for fails then. Handlers that do anything are left to the other
damages; so is what ends a loop or says that a module is not there.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice

import tree_sitter

from sandbox.damage.inside.make import Damage, shown
from sandbox.damage.inside.source import Source, text_of, walk

_MOST = 3
_NO_ERROR = re.compile(r"Stop(?:Async)?Iteration|ImportError|ModuleNotFoundError|GeneratorExit")
_ERRORS_ARE_VALUES = ("python", "javascript", "typescript", "tsx")
_NOTHING_DONE = frozenset(("pass_statement", "continue_statement", "empty_statement", "comment"))


def passed_over(sources: list[Source]) -> Iterator[Damage]:
    """Yield each new handler of errors that does nothing, with its error let through."""
    for source, node, head in islice(_new_ones(sources), _MOST):
        block = node.named_children[-1]
        if source.language == "python":
            start, text = block.start_byte, "raise"
            names = tuple(re.findall(r"\w+", head.partition(" as ")[0])[1:])
        else:
            caught = node.child_by_field_name("parameter")
            name = text_of(caught) if caught else "error"
            start, text, names = node.start_byte, f"catch ({name}) {{ throw {name}; }}", ()
        line = node.start_point[0] + 1
        yield Damage(
            source.number,
            "passed_over",
            line,
            source.symbol(line),
            start,
            block.end_byte,
            text.encode(),
            f"`{shown(head)}` lets the error through",
            is_telling=False,
            names=names,
        )


def _new_ones(sources: list[Source]) -> Iterator[tuple[Source, tree_sitter.Node, str]]:
    """Yield the handlers that a change adds and that do nothing, each with what stands before its block."""
    read = [(one, one.root) for one in sources if one.root and one.language in _ERRORS_ARE_VALUES]
    for source, node in ((one, node) for one, root in read for node in walk(root)):
        if node.type not in ("except_clause", "catch_clause") or not node.named_children:
            continue
        first, last, block = node.start_point[0] + 1, node.end_point[0] + 1, node.named_children[-1]
        does_nothing = block.type in ("block", "statement_block") and all(
            one.type in _NOTHING_DONE or text_of(one) == "..." for one in block.named_children
        )
        if not does_nothing or not any(a <= first and last <= b for a, b in source.ranges):
            continue
        # Without comments: `except ValueError`, `catch (error)`.
        parts = [text_of(one) for one in node.children if one != block and one.type != "comment"]
        head = " ".join(part for part in parts if part != ":")
        head = head.replace("( ", "(").replace(" )", ")")
        was_there = any(head.encode() in text for _, _, text in source.hunks)
        if not was_there and not _NO_ERROR.search(head):
            yield source, node, head
