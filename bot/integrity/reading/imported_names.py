"""Names of a file's text as the modules have them that they come from, whatever its imports call them."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import NamedTuple

_LONGEST_LINE = 2_000
_LOADS = ("__import__", "importlib.import_module", "import_module")
_MODULES = "os|process|fs|fs/promises|worker_threads|perf_hooks|cluster|crypto|module"
_GLOBALS = rf"(?:(?:globalThis|global)\.)?(?P<module>{_MODULES}|Math|performance|require)"
_LOADED = re.compile(
    rf"(?:\([ ]?await[ ]|\bawait[ ])?\b(?:require|import)\([ ]?['\"`](?:node:)?({_MODULES})['\"`][ ]?\)+"
)
_IMPORTED = re.compile(
    rf"\bimport\s(?!type\b)([^;'\"()]{{1,600}}?)\s?\bfrom\s?['\"](?:node:)?(?P<module>{_MODULES})['\"]"
)
_DECLARED = re.compile(
    rf"\b(?:const|let|var)\s?(?P<names>[\w$]{{1,80}}|\{{[^{{}}]{{1,600}}\}})\s?=\s?{_GLOBALS}\b(?!\s?[.(\[\w])"
)
_ASKS_BY_TEXT = re.compile(
    r"\b([\w$]{1,80})(?:\?\.)?\[[ ]?['\"`]([A-Za-z_$][\w$]{0,80})['\"`][ ]?\]"
)
_PART = re.compile(r"(?:\*\s?as\s)?\b([A-Za-z_$][\w$]*)(?:\s?(?::|\bas\b)\s?([\w$]+))?")


class Imported(NamedTuple):
    """What an import of Python binds, the module that it is from, and its name there.

    The module has "." before what is near; the name of a module itself is empty.
    """

    bound: str
    module: str
    name: str


def imports_in(tree: ast.Module) -> Iterator[Imported]:
    """Yield all that the imports of a file of Python bind."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom):
            module = "." * node.level + (node.module or "")
            yield from (Imported(a.asname or a.name, module, a.name) for a in node.names)
        elif isinstance(node, ast.Import):
            for a in node.names:
                yield Imported(a.asname or a.name.partition(".")[0], a.name, "")


def python_names(tree: ast.Module) -> dict[str, str]:
    """What each name that a file of Python imports is called where it comes from; "." before what is near."""
    names: dict[str, str] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names.update((one.asname, one.name) for one in node.names if one.asname)
        elif isinstance(node, ast.ImportFrom):
            module = "." * node.level + (node.module or "")
            names.update((one.asname or one.name, f"{module}.{one.name}") for one in node.names)
        elif isinstance(node, ast.Assign) and isinstance(node.value, ast.Call):
            name, module = node.targets[0], loaded_by(node.value)
            if module and isinstance(name, ast.Name):
                names[name.id] = module
    return names


def loaded_by(call: ast.Call) -> str:
    """The module that a call of Python loads by a text (`__import__('os')`); or ""."""
    first = call.args[0] if call.args else None
    is_load = written(call.func, {}) in _LOADS
    if is_load and isinstance(first, ast.Constant) and isinstance(first.value, str):
        return first.value
    return ""


def written(node: ast.expr, names: dict[str, str]) -> str:
    """A name with its attributes, as its module has it; of what else they belong to only the last."""
    if isinstance(node, ast.Name):
        return names.get(node.id, node.id)
    if isinstance(node, ast.Subscript):
        return f"{written(node.value, names)}[]"
    if isinstance(node, ast.Call):
        if module := loaded_by(node):
            return module
        function = written(node.func, names)
        match node.args:
            case [owner, ast.Constant(str(attribute)), *_] if function == "getattr":
                return f"{written(owner, names)}.{attribute}"
        return f"{function}()"
    return f"{written(node.value, names)}.{node.attr}" if isinstance(node, ast.Attribute) else ""


def script_lines(text: str) -> Iterator[tuple[int, str]]:
    """Yield JavaScript's lines (from 1) with `os.hostname` for what an import calls otherwise.

    What is imported from a module by its own name comes once more, as if it were called there.
    """
    lines = [line[:_LONGEST_LINE] for line in text.splitlines()]
    text = _LOADED.sub(r"\1", "\n".join(lines)).replace("fs/promises", "promises")
    text = _ASKS_BY_TEXT.sub(r"\1.\2", text).replace("?.", ".")
    names: dict[str, str] = {}
    for found in (*_IMPORTED.finditer(text), *_DECLARED.finditer(text)):
        module, parts, begin = found["module"].rpartition("/")[2], found[1], found.start(1)
        whole, brace, inner = parts.partition("{")
        for one in _PART.finditer(whole):
            names[one[1]] = module
        for one in _PART.finditer(inner):
            names[one[2] or one[1]] = f"{module}.{one[1]}"
            at = begin + len(whole) + len(brace) + one.start()
            yield text.count("\n", 0, at) + 1, f"{module}.{one[1]}("
    others = {name: full for name, full in names.items() if name != full}
    if others:
        called = re.compile(rf"(?<![\w$.])(?:{'|'.join(map(re.escape, others))})(?![\w$])")
        text = called.sub(lambda found: others[found[0]], text)
    yield from enumerate(text.split("\n"), 1)
