"""Takes calls, decorators and fields out of changed lines, where these have no value to change.

Only where each changed place has one of these, or goes whole and unused, and no condition went: of anything
else that a change does, nothing here would tell.
"""

from __future__ import annotations

import difflib
import re
import textwrap
from collections.abc import Iterator

import tree_sitter

from sandbox.damage.inside.make import Damage, shown
from sandbox.damage.inside.source import Source, is_aside, text_of, walk

_LANGUAGES = ("python", "javascript", "typescript", "tsx")
_IDLE = re.compile(r"(?:import\b.*|from\b.*\bimport\b.*|#.*|//.*|/?\*.*|[)\]}]*;?)\Z")
"""A line that does nothing by itself."""
_HEAD = re.compile(r"(?:export )?(?:default )?(?:async )?(?:def|function|class)\s+([\w$]+)")
_COUNTED = (
    re.compile(
        r"\b(?:if|elif|else|case|match|switch|while|until|raise|throw|assert|try|except|catch|finally|with|await"
        r"|and|or|yield|break|continue)\b|\?|&&|\|\|"
    ),
    re.compile(r"[\w$\])]\("),
    re.compile(r"(?m)^.*\S"),
)
"""Conditions, calls and lines, of which no place may lose any."""
_WORD = re.compile(r"\"[^\"\n]*\"|'[^'\n]*'|[\w$]+")
_OF_FUNCTIONS = frozenset(
    ("def", "function", "return", "self", "this", "cls", "__init__", "const", "let", "var")
)
_BLOCKS = ("module", "program", "block", "statement_block", "class_body")
_MOST_LINES = 5_000
_PLAIN = re.compile(
    r"identifier|call|call_expression|member_expression|attribute|subscript.*|string"
)
_NOT_ALONE = ("keyword_argument", "list_splat", "dictionary_splat", "spread_element", "comment")


def stripped(sources: list[Source]) -> Iterator[Damage]:
    """Yield head without each of these; nothing where a place would be left without any."""
    found: list[Damage] = []
    for source in sources:
        before, now = (
            text.decode(errors="replace").splitlines() for text in (source.before, source.text)
        )
        is_read = source.root is not None and source.language in _LANGUAGES
        if not is_read or max(len(before), len(now)) > _MOST_LINES:
            return
        gone = {name for line in before for name in _named(line)}.difference(*map(_named, now))
        if any(_is_named(name, sources) for name in gone):
            return
        made = [*_stripped(source)]
        covered = {line for one, last in made for line in range(one.line, last + 1)}
        steps = difflib.SequenceMatcher(None, before, now, autojunk=False).get_opcodes()
        for _, start, end, first, last in (one for one in steps if one[0] != "equal"):
            went, came = _telling(before[start:end]), _telling(now[first:last])
            is_less = any(len(one.findall(went)) > len(one.findall(came)) for one in _COUNTED)
            is_whole = not came and _is_whole(before[start:end])
            lost = _words(before[start:end]) - _words(now[first:last])
            if not is_whole and (is_less or any(_is_named(one, sources) for one in lost)):
                return
            if any(_telling([now[n]]) and n + 1 not in covered for n in range(first, last)):
                return
        found += (one for one, _ in made)
    yield from found


def _telling(lines: list[str]) -> str:
    """The lines that do something, without the heads of functions and classes."""
    return "\n".join(o for o in lines if not (_IDLE.match(o.strip()) or _HEAD.match(o.strip())))


def _words(lines: list[str]) -> set[str]:
    """The names and values that lines have."""
    return {one for line in lines for one in _WORD.findall(line)} - _OF_FUNCTIONS


def _named(line: str) -> list[str]:
    """The function or class that begins in a line, if any does."""
    found = _HEAD.match(line.strip())
    return [found[1]] if found else []


def _is_named(name: str, sources: list[Source]) -> bool:
    """Tell whether head has a name somewhere; a value it always has."""
    if not name[0].isidentifier():
        return True
    whole = re.compile(rb"(?<![\w$])%b(?![\w$])" % re.escape(name).encode())
    return any(whole.search(source.text) for source in sources)


def _is_whole(lines: list[str]) -> bool:
    """Tell whether these lines are functions or classes and nothing beside them."""
    outer = [o for o in textwrap.dedent("\n".join(lines)).splitlines() if not o[:1].isspace()]
    return all(_IDLE.match(one) or _HEAD.match(one) or one.startswith("@") for one in outer)


def _stripped(source: Source) -> Iterator[tuple[Damage, int]]:
    """Yield each damage with the last line of the statement that it stands in."""
    for node in walk(source.root) if source.root is not None else ():
        line = node.start_point[0] + 1
        if not source.adds(line, node.end_point[0] + 1) or is_aside(node):
            continue
        parent = node.parent
        if node.type == "decorator":
            put, told = "", f"`{shown(text_of(node))}` is taken out"
        elif _is_field(node):
            put, told = "pass", f"`{shown(text_of(node))}` is taken out"
        elif parent is not None and parent.type != "decorator" and (given := _first_given(node)):
            put, told = given, f"`{shown(text_of(node))}` becomes `{shown(given)}`"
        else:
            continue
        place = source.number, "stripped", line, source.symbol(line), node.start_byte, node.end_byte
        whole = node
        while whole.parent is not None and whole.parent.type not in _BLOCKS:
            whole = whole.parent
        last = node.end_point[0] if node.type == "decorator" else whole.end_point[0]
        yield Damage(*place, put.encode("utf-8", "surrogateescape"), told), last + 1


def _is_field(node: tree_sitter.Node) -> bool:
    """Tell whether a node is a field with a type in the body of a class."""
    statement = node.parent if node.type == "assignment" else None
    block = statement.parent if statement is not None else None
    around = block.parent if block is not None else None
    is_typed = node.child_by_field_name("type") is not None
    return is_typed and around is not None and around.type == "class_definition"


def _first_given(node: tree_sitter.Node) -> str:
    """Return what a call is given first, as an expression; "" for what is no call, or is given nothing."""
    given = node.child_by_field_name("arguments") if node.type.startswith("call") else None
    if (
        given is None
        or given.type not in ("argument_list", "arguments")
        or not given.named_children
    ):
        return ""
    first = given.named_children[0]
    if first.type in _NOT_ALONE:
        return ""
    return text_of(first) if _PLAIN.fullmatch(first.type) else f"({text_of(first)})"
