"""Compares two texts of a script apart from what they import."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator
from dataclasses import dataclass, field

import tree_sitter

from sandbox.changes.inside.comments import obeyed
from sandbox.changes.inside.grammars import SCRIPTS, parsed, tokens_of

_PLACE = re.compile(
    r"(?:const|let|var)\s+(?:__filename=fileURLToPath\(import\.meta\.url\)"
    r"|__dirname=(?:path\.)?dirname\((?:__filename|fileURLToPath\(import\.meta\.url\))\)"
    r"|require=createRequire\(import\.meta\.url\));?"
)
"""What ES modules write for what CommonJS has."""
_WHOLE = ("default", "*")


@dataclass(slots=True)
class _Script:
    """What a script binds by imports ({name: module and member}), loads besides, and all its other code."""

    bound: dict[str, tuple[str, str]] = field(default_factory=dict)
    loaded: set[str] = field(default_factory=set)
    code: list[str] = field(default_factory=list)
    comments: list[str] = field(default_factory=list)

    def bind(self, name: str, module: str, member: str) -> None:
        """Take one name of an import; the whole of a module has the name that it is given."""
        self.bound[name] = module, "" if member in (*_WHOLE, name) else member


def differ_in_imports(language: str, before: bytes, after: bytes) -> bool:
    """Tell whether two texts are the same but for how they import, of the same modules, the same names.

    A module may be written by another path to the same file. Raises ValueError when in doubt.
    """
    if language not in SCRIPTS:
        return False
    old, new = _read(language, before), _read(language, after)
    used = set(old.code)
    names = [name for name in {*old.bound, *new.bound} if name in used]
    is_same = all(old.bound.get(name) == new.bound.get(name) for name in names)
    is_same = is_same and obeyed(old.comments) == obeyed(new.comments)
    return is_same and old.code == new.code and old.loaded == new.loaded


def _read(language: str, source: bytes) -> _Script:
    script = _Script()
    for node in parsed(language, source).named_children:
        text = re.sub(r"\s*([=().;])\s*", r"\1", (node.text or b"").decode(errors="replace"))
        is_directive = text.rstrip(";") in ("'use strict'", '"use strict"')
        if is_directive or _PLACE.fullmatch(text) or _takes_import(node, script):
            continue
        script.code += tokens_of(node, script.comments)
    return script


def _takes_import(node: tree_sitter.Node, script: _Script) -> bool:
    """Take a statement that only imports; tell whether it was one."""
    if node.type == "import_statement":
        return _takes_module(node, script)
    if node.type == "expression_statement":
        module, member = _required(node.named_children[0])
        script.loaded |= {module} if module and not member else set()
        return bool(module) and not member
    if node.type not in ("variable_declaration", "lexical_declaration"):
        return False
    found = []
    for one in node.named_children:
        value, name = one.child_by_field_name("value"), one.child_by_field_name("name")
        module, member = _required(value) if value is not None else ("", "")
        bound = list(_bound(name)) if name is not None else []
        if not module or not bound or (member and bound[0][1] != "*"):
            return False
        found += [(local, module, member or of) for local, of in bound]
    for local, module, member in found:
        script.bind(local, module, member)
    return True


def _takes_module(node: tree_sitter.Node, script: _Script) -> bool:
    source = node.child_by_field_name("source")
    if source is None or any(one.type in ("type", "import_attribute") for one in node.children):
        return False
    module = _module(source)
    clauses = [one for one in node.named_children if one.type == "import_clause"]
    script.loaded |= set() if clauses else {module}
    for part in (part for clause in clauses for part in clause.named_children):
        if part.type == "identifier":
            script.bind(_text(part), module, "default")
        elif part.type == "namespace_import":
            script.bind(_text(part.named_children[0]), module, "*")
        for one in part.named_children if part.type == "named_imports" else ():
            name, alias = one.child_by_field_name("name"), one.child_by_field_name("alias")
            if name is None or any(word.type in ("type", "typeof") for word in one.children):
                raise ValueError("an import of an unknown form")
            script.bind(_text(alias or name), module, _text(name))
    return True


def _required(node: tree_sitter.Node) -> tuple[str, str]:
    """Return the module of `require("a")`, or of `require("a").b`, and its member; "" for all else."""
    if node.type == "member_expression":
        inner, name = node.child_by_field_name("object"), node.child_by_field_name("property")
        module, member = _required(inner) if inner is not None else ("", "")
        return (module, _text(name)) if module and not member and name is not None else ("", "")
    called, given = node.child_by_field_name("function"), node.child_by_field_name("arguments")
    words = given.named_children if given is not None else []
    if called is None or _text(called) != "require" or [one.type for one in words] != ["string"]:
        return "", ""
    return _module(words[0]), ""


def _bound(name: tree_sitter.Node) -> Iterator[tuple[str, str]]:
    """Yield each name that is bound, and the member that it is; none where it is bound in another way."""
    if name.type == "identifier":
        yield _text(name), "*"
        return
    parts = name.named_children if name.type == "object_pattern" else []
    kinds = ("shorthand_property_identifier_pattern", "pair_pattern")
    if all(one.type in kinds for one in parts):
        for one in parts:
            key, value = one.child_by_field_name("key"), one.child_by_field_name("value")
            is_plain = value is None or value.type == "identifier"
            yield from [(_text(value or one), _text(key or one))] if is_plain else []


def _module(source: tree_sitter.Node) -> str:
    """Return what a script imports from: a relative path without its ending, a package without `node:`."""
    name = _text(source)[1:-1]
    if not name.startswith("."):
        return name.removeprefix("node:")
    path = re.sub(r"\.[cm]?[jt]sx?$", "", posixpath.normpath(name))
    return re.sub(r"(?:^|/)index$", "", path) or "."


def _text(node: tree_sitter.Node) -> str:
    return (node.text or b"").decode(errors="replace")
