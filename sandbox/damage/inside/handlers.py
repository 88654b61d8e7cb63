"""New handlers of errors that give nothing in their place, each with its error let through."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice

import tree_sitter

from sandbox.damage.inside.added import SCRIPTS, nodes_of, taken_back
from sandbox.damage.inside.make import Damage, shown
from sandbox.damage.inside.source import Source, text_of, walk

_MOST = 4
_NO_ERROR = re.compile(r"Stop(?:Async)?Iteration|ImportError|ModuleNotFoundError|GeneratorExit")
_NOTHING_DONE = frozenset(("pass_statement", "continue_statement", "empty_statement", "comment"))
_NOTHING_GIVEN = re.compile(
    r"return(?: (?:None|null|undefined|[Tt]rue|[Ff]alse|''|\"\"|\[\]|\{\}))?;?"
)
_Handler = tuple[Source, tree_sitter.Node, str]


def passed_over(sources: list[Source]) -> Iterator[Damage]:
    """Yield each new handler of errors that does nothing, with its error let through.

    Of several errors in whose place one value is given, each is let through by itself. Handlers that do
    anything are left to the other damages; so is what ends a loop or says that a module is not there.
    """
    yield from islice(
        (one for found in _new_handlers(sources) for one in _let_through(*found)), _MOST
    )


def _let_through(source: Source, node: tree_sitter.Node, head: str) -> Iterator[Damage]:
    block = node.named_children[-1]
    caught = next((one for one in walk(node) if one.type == "tuple"), block)
    errors = [*map(text_of, caught.named_children)] if caught.end_byte <= block.start_byte else []
    if len(errors) > 1 and _NOTHING_GIVEN.fullmatch(text_of(block)):
        for one in errors:
            place = node, caught.start_byte, caught.end_byte
            put = f"({', '.join(other for other in errors if other != one)},)"
            told = f"`{shown(head)}` lets `{one}` through", (one,)
            yield taken_back(source, "passed_over", place, put, told)
        return
    if source.language == "python":
        start, text = block.start_byte, "raise"
        names = tuple(re.findall(r"\w+", head.partition(" as ")[0])[1:])
    else:
        error = node.child_by_field_name("parameter")
        name = text_of(error) if error else "error"
        start, text, names = node.start_byte, f"catch ({name}) {{ throw {name}; }}", ()
    told = f"`{shown(head)}` lets the error through", names
    yield taken_back(source, "passed_over", (node, start, block.end_byte), text, told)


def _new_handlers(sources: list[Source]) -> Iterator[_Handler]:
    """Yield the handlers that a change adds and that do nothing, each with what stands before its block."""
    for source, node in ((o, node) for o in sources for node in nodes_of(o, "python", *SCRIPTS)):
        if node.type not in ("except_clause", "catch_clause") or not node.named_children:
            continue
        block = node.named_children[-1]
        does_nothing = block.type in ("block", "statement_block") and all(
            one.type in _NOTHING_DONE
            or text_of(one) == "..."
            or _NOTHING_GIVEN.fullmatch(text_of(one))
            for one in block.named_children
        )
        if not does_nothing or not source.adds(node.start_point[0] + 1, node.end_point[0] + 1):
            continue
        # Without comments: `except ValueError`, `catch (error)`.
        parts = [text_of(one) for one in node.children if one != block and one.type != "comment"]
        head = " ".join(part for part in parts if part != ":")
        head = head.replace("( ", "(").replace(" )", ")")
        was_there = any(head.encode() in text for _, _, text in source.hunks)
        if not was_there and not _NO_ERROR.search(head):
            yield source, node, head
