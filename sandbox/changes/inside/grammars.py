"""Compares two texts of a file by the trees that tree-sitter makes of them."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from dataclasses import dataclass, field

import tree_sitter

from sandbox.changes.inside.comments import about_types, examples, obeyed
from sandbox.changes.inside.project import ChangedProject
from sandbox.code_map.inside.parse import parsed

_SCRIPTS = frozenset(("javascript", "typescript", "tsx"))
_FREE_LAYOUT = _SCRIPTS | {"go", "rust", "java", "c", "cpp"}
"""Languages whose layout is read from the tree; in the others only comments and blank lines may differ."""
_EXACT = re.compile(
    r"string|template|char|regex|heredoc|raw_|rune|jsx_text|macro|asm|token_tree"
    r"|preproc_(?:def|function_def|arg|call|include|params|directive)"
)
_STATEMENTS = re.compile(
    r"_statement$|_declaration$|^(?:public_)?field_definition$|_signature$|^statement_block$"
)
_LISTS = frozenset((
    "arguments", "formal_parameters", "array", "object", "array_pattern", "object_pattern",
    "named_imports", "export_clause", "enum_body", "type_arguments", "type_parameters",
))  # fmt: skip
# What a line break may stand behind, or in front of, only at the price of another meaning.
_ENDED_BY_LINE = frozenset((
    "async", "return", "throw", "break", "continue", "yield", "abstract", "type", "declare", "namespace",
    "module", "interface", "get", "set", "static", "accessor", "readonly", "let", "using", "await", "of",
    "global",
))  # fmt: skip
_NOT_AFTER_LINE = frozenset(("++", "--", "=>", "`", "!", "as", "satisfies"))
_RUST_READS_DOCS = re.compile(
    rb"\b(?:Parser|Args|Subcommand|ValueEnum|StructOpt|clap|displaydoc|JsonSchema|ToSchema|OpenApi|pyclass|pyfunction|"
    rb"pymethods|pymodule|napi|uniffi|wasm_bindgen|[Gg]raph[Qq][Ll]\w*|utoipa|poise|include_str)\b"
)
_MOST_S = 10.0
_TYPES = frozenset((
    "type_annotation", "type_parameters", "type_arguments", "type_predicate_annotation",
    "asserts_annotation", "opting_type_annotation", "omitting_type_annotation", "adding_type_annotation",
    "implements_clause", "interface_declaration", "type_alias_declaration", "function_signature",
    "ambient_declaration",
))  # fmt: skip
"""What TypeScript leaves out of the program."""
_CASTS = frozenset(("as_expression", "satisfies_expression", "non_null_expression"))


@dataclass(slots=True)
class _ReadTree:
    """One side: its tree's tokens with and without types, its comments, and its lines without comments."""

    source: bytes
    tokens: list[str] = field(default_factory=list)
    untyped: list[str] = field(default_factory=list)
    comments: list[str] = field(default_factory=list)
    lines: list[bytes] = field(default_factory=list)
    is_decorated: bool = False


def compare_trees(language: str, before: bytes, after: bytes, project: ChangedProject) -> str:
    """Return the kind of change, or "" where the program may have changed.

    Raises ValueError when in doubt.
    """
    old, new = _read(language, before), _read(language, after)
    if _first_line(before) != _first_line(after) or _are_obeyed(language, old, new):
        return ""
    is_bound = language not in _FREE_LAYOUT
    if old.tokens == new.tokens and not (is_bound and old.lines != new.lines):
        if about_types(old.comments) != about_types(new.comments):
            return "types"
        return "formatting" if old.comments == new.comments else "comments"
    is_typed = language in ("typescript", "tsx") and not (old.is_decorated or new.is_decorated)
    is_same = is_typed and old.untyped == new.untyped and not project.builds_from_types
    return "types" if is_same else ""


def _are_obeyed(language: str, old: _ReadTree, new: _ReadTree) -> bool:
    """Whether a comment differs that is code: for a tool, in cgo's preamble, an example that is run."""
    both = old.source + new.source
    if old.comments == new.comments:
        return False
    if language == "go" and re.search(rb'import "C"|\bfunc Example', both):
        return True
    is_rust = language == "rust"
    if is_rust and _RUST_READS_DOCS.search(both):
        return True
    lines = ["\n".join(old.comments)], ["\n".join(new.comments)]
    before, after = (examples(one, are_fences_run=is_rust) for one in lines)
    return before != after or obeyed(old.comments) != obeyed(new.comments)


def _first_line(text: bytes) -> bytes:
    return text.split(b"\n", 1)[0] if text.startswith(b"#!") else b""


def _read(language: str, source: bytes) -> _ReadTree:
    """Read a text. Raises ValueError where it cannot be parsed."""
    end = time.process_time() + _MOST_S
    root = parsed(source, language, lambda: time.process_time() > end).root_node
    if root.has_error:
        raise ValueError("it cannot be parsed")
    read = _ReadTree(source)
    is_script = language in _SCRIPTS
    read.tokens = list(_tokens(root, read, is_script=is_script, is_typed=True))
    if language in ("typescript", "tsx"):
        read.untyped = list(_tokens(root, None, is_script=True, is_typed=False))
    # The lines of a text without its comments, and without those that are empty then.
    kept, at, waiting = [], 0, [root]
    while waiting:
        node = waiting.pop()
        if "comment" in node.type:
            kept.append(source[at : node.start_byte])
            at = max(at, node.end_byte)
        else:
            waiting += reversed(node.children)
    kept.append(source[at:])
    read.lines = [line.rstrip() for line in b" ".join(kept).split(b"\n") if line.strip()]
    return read


def _tokens(
    root: tree_sitter.Node, read: _ReadTree | None, *, is_script: bool, is_typed: bool
) -> Iterator[str]:
    """The tree from left to right: a mark where a named node begins and ends, and the text of every leaf."""
    waiting: list[tree_sitter.Node | str] = [root]
    while waiting:
        node = waiting.pop()
        if isinstance(node, str):
            yield node
            continue
        if "comment" in node.type:
            if read is not None:
                text = _text(node)
                read.comments.append("\n".join(line.strip() for line in text.strip().splitlines()))
            continue
        if read is not None and node.type == "decorator":
            read.is_decorated = True
        if not is_typed and _is_type(node):
            continue
        if is_script and (same := _as_written_shorter(node)):
            waiting.append(same)
            continue
        children = [one for one in node.children if not _is_layout(one, node, is_script=is_script)]
        if not is_typed and node.type in _CASTS:
            children = children[:1]
        elif not node.children or _is_exact(node):
            leaf = _leaf(node, is_script=is_script)
            yield from [leaf] if leaf else []
            continue
        name = node.type
        if not is_typed:
            name = name.replace("optional_parameter", "required_parameter")
            is_parameter = "parameter" in node.type
            children = [one for one in children if not (is_parameter and one.type in ("?", ","))]
        is_cast = not is_typed and node.type in _CASTS
        waiting += reversed([*children] if is_cast else [f"({name}", *children, ")"])


def _as_written_shorter(node: tree_sitter.Node) -> tree_sitter.Node | None:
    """What stands for a script's `(a)` and `{a: a}`, which mean what `a` and `{a}` do; None for all else.

    Brackets do mean something round a text, which is no directive then, round `a?.b` before `.c`, and round
    what something is given to: a function takes no name from that.
    """
    named = node.named_children
    if node.type == "parenthesized_expression" and len(named) == 1:
        inner, parent = named[0], node.parent
        is_target = parent is not None and parent.child_by_field_name("left") == node
        means = is_target or inner.type in ("string", "comment") or b"?." in (inner.text or b"")
        return None if means else inner
    if node.type == "pair" and len(named) == 2:
        key, value = named
        is_same = key.type == "property_identifier" and value.type == "identifier"
        return value if is_same and key.text == value.text and key.text != b"__proto__" else None
    return None


def _is_exact(node: tree_sitter.Node) -> bool:
    """Whether a node's text counts as it stands: strings and their like, and what its children leave out."""
    if _EXACT.search(node.type):
        return True
    at = node.start_byte
    text = node.text or b""
    for child in node.children:
        if text[at - node.start_byte : child.start_byte - node.start_byte].strip():
            return True
        at = child.end_byte
    return bool(text[at - node.start_byte :].strip())


def _leaf(node: tree_sitter.Node, *, is_script: bool) -> str:
    text = _text(node)
    if not is_script:
        return text
    if node.type == "string" and len(text) > 1 and not re.search(r"[\\'\"]", text[1:-1]):
        return f'"{text[1:-1]}"'
    if node.type == "jsx_text":
        beside = (node.prev_sibling, node.next_sibling)
        is_part = any(one is not None and one.type == "html_character_reference" for one in beside)
        # As it is shown: lines are trimmed and joined by one space, empty ones left out.
        first, *others = text.split("\n")
        lines = [first, *(line.lstrip(" \t") for line in others)]
        lines = [*(line.rstrip(" \t") for line in lines[:-1]), lines[-1]]
        return text if is_part else " ".join(line for line in lines if line)
    if text in _ENDED_BY_LINE:
        following = _neighbour(node, is_next=True)
        if following is None or following.start_point[0] != node.end_point[0]:
            return f"{text}\n"
    is_prefix = text in ("++", "--") and node.prev_sibling is None
    if text in _NOT_AFTER_LINE and not is_prefix:
        before = _neighbour(node, is_next=False)
        if before is not None and before.end_point[0] != node.start_point[0]:
            return f"\n{text}"
    return text


def _is_layout(node: tree_sitter.Node, parent: tree_sitter.Node, *, is_script: bool) -> bool:
    """Whether a token only separates: a script's closing semicolon or comma, Go's end of a line."""
    if node.is_named or not _text(node).strip():
        return not node.is_named
    if not is_script or node.type not in (";", ","):
        return False
    following, before = node.next_sibling, node.prev_sibling
    while following is not None and "comment" in following.type:
        following = following.next_sibling
    while before is not None and "comment" in before.type:
        before = before.prev_sibling
    if node.type == ";":
        is_body = parent.type in ("class_body", "interface_body", "object_type")
        return is_body or (following is None and _STATEMENTS.search(parent.type) is not None)
    closes = following is not None and following.type in (")", "]", "}", ">")
    return closes and parent.type in _LISTS and before is not None and before.is_named


def _is_type(node: tree_sitter.Node) -> bool:
    """Whether TypeScript leaves a node out of the program."""
    if node.type in _TYPES:
        return "enum" not in _text(node)  # a constant enum is written into whoever uses it
    if node.type == "export_statement":
        declared = node.child_by_field_name("declaration")
        marks = {one.type for one in node.children}
        is_typed = declared is not None and "default" not in marks and _is_type(declared)
        return "type" in marks or is_typed
    if node.type == "import_statement":
        return any(one.type == "type" for one in node.children)
    return node.type == "required_parameter" and any(one.type == "this" for one in node.children)


def _neighbour(node: tree_sitter.Node, *, is_next: bool) -> tree_sitter.Node | None:
    """The node beside a token, comments left out, wherever in the tree it stands."""
    at: tree_sitter.Node | None = node
    while at is not None:
        beside = at.next_sibling if is_next else at.prev_sibling
        while beside is not None and "comment" in beside.type:
            beside = beside.next_sibling if is_next else beside.prev_sibling
        if beside is not None:
            return beside
        at = at.parent
    return None


def _text(node: tree_sitter.Node) -> str:
    return (node.text or b"").decode(errors="surrogateescape")
