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
_NOTHING_DONE = frozenset(("pass_statement", "continue_statement", "empty_statement", "comment"))


def passed_over(sources: list[Source]) -> Iterator[Damage]:
    """Yield each new handler of errors that does nothing, with its error let through."""
    found = (
        (source, node)
        for source in sources
        if source.root is not None
        for node in walk(source.root)
        if node.type in ("except_clause", "catch_clause") and _is_new(source, node)
    )
    for source, node in islice(found, _MOST):
        block = node.named_children[-1]
        if source.language == "python":
            head, start, text = _head(node, block), block.start_byte, "raise"
            names = tuple(re.findall(r"\w+", head.partition(" as ")[0])[1:])
        else:
            caught = node.child_by_field_name("parameter")
            name = text_of(caught) if caught else "error"
            head, start, names = _head(node, block), node.start_byte, ()
            text = f"catch ({name}) {{ throw {name}; }}"
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


def _is_new(source: Source, node: tree_sitter.Node) -> bool:
    """Tell whether the change adds a handler that does nothing, in a language whose errors are values."""
    if source.language not in ("python", "javascript", "typescript", "tsx"):
        return False
    first, last = node.start_point[0] + 1, node.end_point[0] + 1
    block = node.named_children[-1] if node.named_children else node
    return (
        any(a <= first and last <= b for a, b in source.ranges)
        and not any(_head(node, block).encode() in text for _, _, text in source.hunks)
        and not _NO_ERROR.search(_head(node, block))
        and block.type in ("block", "statement_block")
        and all(one.type in _NOTHING_DONE or text_of(one) == "..." for one in block.named_children)
    )


def _head(node: tree_sitter.Node, block: tree_sitter.Node) -> str:
    """What stands before a handler's block, without comments: `except ValueError`, `catch (error)`."""
    parts = [text_of(one) for one in node.children if one != block and one.type != "comment"]
    return " ".join(part for part in parts if part != ":").replace("( ", "(").replace(" )", ")")
