"""Shipped code that the diff does not show: it runs what it decodes or reads, or looks into a test file."""

from __future__ import annotations

import ast
import posixpath
import re
from collections.abc import Iterator
from pathlib import PurePosixPath

from bot.diff.kinds import is_code, is_shipped_source, is_test_file
from bot.diff.lines import added_lines, is_gone
from bot.diff.paths import configures_tests
from bot.integrity.reading.inspection import Inspection, make_finding
from bot.integrity.reading.languages import SCRIPT
from bot.text.clipping import clip_line
from bot.values.rules import CODE_DECODED, TEST_READ, UNSEEN_CONTENT
from sandbox.values import Finding

_SHOWN_CHARS = 60
_RUNS = {"exec", "eval", "compile", "loads", "load", "FunctionType"}
_LOADERS = {"pickle", "cPickle", "marshal", "dill", "cloudpickle", "shelve", "jsonpickle"}
_BRINGS = re.compile(
    r"b(?:16|32|64|85)decode|a85decode|a2b_|unhexlify|fromhex|decompress|decode|read|recv|open|urlopen|"
    r"chr|translate|get_data|get_code"
)
_LOADED_MODULE = re.compile(
    r"(?:\brequire\(\s?|\bimport\(\s?|\bfrom\s|\bimport\s)(['\"])(\.{1,2}/[^'\"]+)\1"
)
_WHOLE_PATH = re.compile(r"(['\"])(\w[\w.-]{0,80}/[\w./-]{1,200})\1")
_SCRIPT_RUNS = re.compile(
    r"(?:\beval|\bFunction|\brunIn(?:New|This)?Context|\bvm\.Script|\b_compile)\s*\("
    r"[^;]{0,200}?(?:\batob\b|\bBuffer\.from\b|\breadFile|\bfetch\b|\bdecodeURI|\bunescape\b|"
    r"\bfromCharCode\b|\bfromCodePoint\b|\binflate|\bgunzip|\bunzip|\bbrotliDecompress)"
)


def decoded_code(inspection: Inspection) -> Iterator[Finding]:
    """New calls that run, as code, what is decoded or read while the program runs."""
    for change in inspection.left():
        if not is_shipped_source(change.path):
            continue
        before, after = inspection.before(change) or "", inspection.after(change) or ""
        if change.path.endswith(".py"):
            found = _python_runs(after, [*inspection.trees.nodes(after)])
        elif change.path.endswith(SCRIPT.suffixes):
            found = (
                (after.count("\n", 0, one.start()) + 1, one.group())
                for one in _SCRIPT_RUNS.finditer(after)
            )
        else:
            continue
        for line, text in found:
            if text not in before:
                message = f"This runs code that the diff does not show: `{clip_line(text, _SHOWN_CHARS)}`."
                yield make_finding(CODE_DECODED, change, line, message)


def _python_runs(text: str, nodes: list[ast.AST]) -> Iterator[tuple[int, str]]:
    bound: dict[str, list[ast.expr]] = {}
    for node in nodes:
        if isinstance(node, ast.Assign | ast.AnnAssign | ast.NamedExpr) and node.value is not None:
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            for target in targets:
                if isinstance(target, ast.Name):
                    bound.setdefault(target.id, []).append(node.value)
    for node in nodes:
        if not isinstance(node, ast.Call) or not _runs_something(node):
            continue
        # what it runs comes from a decoder or a file, at once or by one name in between
        given: list[ast.AST] = [node.args[0]]
        names = {one.id for one in ast.walk(node.args[0]) if isinstance(one, ast.Name)}
        given += [value for name in sorted(names) for value in bound.get(name, ())]
        if any(
            isinstance(one, ast.Call) and _BRINGS.match(ast.unparse(one.func).rsplit(".", 1)[-1])
            for part in given
            for one in ast.walk(part)
        ):
            yield node.lineno, ast.get_source_segment(text, node) or ast.unparse(node)


def _runs_something(node: ast.Call) -> bool:
    """Whether a call runs its first argument as code: `exec(…)`, `pickle.loads(…)`, not `re.compile(…)`."""
    if not node.args:
        return False
    if isinstance(node.func, ast.Name):
        return node.func.id in _RUNS - {"loads", "load"}
    if not isinstance(node.func, ast.Attribute) or node.func.attr not in _RUNS:
        return False
    owner = node.func.value
    owners = (
        _LOADERS if node.func.attr in ("loads", "load") else {"builtins", "__builtins__", "types"}
    )
    return isinstance(owner, ast.Name) and owner.id in owners


def test_reading(inspection: Inspection) -> Iterator[Finding]:
    """New source lines that name a test file of this change: the answers stand there."""
    tests = {
        PurePosixPath(change.path).name
        for change in inspection.left()
        if is_test_file(change.path) and is_code(change.path)
    } - {"__init__.py", "conftest.py", "index.js"}
    for change in inspection.left() if tests else ():
        is_shipped = is_shipped_source(change.path) and not configures_tests(change.path)
        if not is_shipped:
            continue
        before = inspection.before(change) or ""
        for number, line in added_lines(change):
            rest = _without_own_modules(line, change.path, inspection)
            if rest.lstrip().startswith(("#", "//", "*")):
                continue
            ends_a_string = (
                re.search(r"[\"'`/]" + re.escape(name) + r"[\"'`]", rest) for name in tests
            )
            if any(ends_a_string) and line.strip() not in before:
                message = f"This source names a test file: `{clip_line(line, _SHOWN_CHARS)}`."
                yield make_finding(TEST_READ, change, number, message)


def _without_own_modules(line: str, path: str, inspection: Inspection) -> str:
    """Drop what a line names that ships: its whole path, or a script's module. Tests may have such names."""

    def ships(path: str) -> bool:
        return is_shipped_source(path) and inspection.head.read(path) is not None

    def kept(found: re.Match[str]) -> str:
        module = posixpath.normpath(posixpath.join(posixpath.dirname(path), found[2]))
        return "" if ships(module) else found.group()

    line = _WHOLE_PATH.sub(lambda found: "" if ships(found[2]) else found.group(), line)
    return _LOADED_MODULE.sub(kept, line) if path.endswith(SCRIPT.suffixes) else line


# --- finds changed content that a run can load and that no diff shows: links, pointers, compiled code


_SUBMODULE, _SYMLINK = "160000", "120000"
_LFS = b"version https://git-lfs.github.com/spec/"
_LOADED = frozenset((
    ".a", ".class", ".dll", ".dylib", ".egg", ".exe", ".jar", ".joblib", ".node", ".o", ".pickle",
    ".pkl", ".pyc", ".pyd", ".pyo", ".pyz", ".so", ".war", ".wasm", ".whl",
))  # fmt: skip
_PICTURES = frozenset(
    [".gif", ".ico", ".jpeg", ".jpg", ".mp4", ".pdf", ".png", ".ttf", ".webp", ".woff", ".woff2"]
)
# ELF, Windows, Mach-O (both byte orders and universal, which Java classes share), WebAssembly.
_PROGRAMS = (
    b"\x7fELF", b"MZ", b"\xcf\xfa\xed\xfe", b"\xce\xfa\xed\xfe", b"\xca\xfe\xba\xbe", b"\0asm",
)  # fmt: skip


def unseen_content(inspection: Inspection) -> Iterator[Finding]:
    """One finding for each changed file whose content a run can load and the diff does not show."""
    gone = [one.path for one in inspection.diff.files if is_gone(one)]
    for change in inspection.left():
        # a link may have the name of code, or stand where a file or a folder was
        replaces_code = change.new_mode == _SYMLINK and (
            change.old_mode not in ("", _SYMLINK)
            or PurePosixPath(change.path).suffix not in ("", ".md", ".txt", ".rst")
            or any(path.startswith(f"{change.path}/") for path in gone)
        )
        what = ""
        if change.new_mode == _SUBMODULE:
            what = (
                "This submodule moves to another commit, and what changed in it is not shown here."
            )
        elif replaces_code:
            what = "This symbolic link stands in for code, and the diff does not show what it leads to."
        else:
            content = inspection.head.read_bytes(change.path)
            if content is not None and content.startswith(_LFS):
                what = "This is a large-file (LFS) pointer, and its content was not fetched."
            elif change.binary and _is_loaded(change.path, content):
                what = "This binary file can be loaded as code, and nobody can read it in a diff."
        if what:
            yield make_finding(UNSEEN_CONTENT, change, 0, what)


def _is_loaded(path: str, content: bytes | None) -> bool:
    suffixes = PurePosixPath(path.lower()).suffixes
    if not _LOADED.isdisjoint(suffixes):
        return True
    if content is None:  # too large to look at
        return _PICTURES.isdisjoint(suffixes[-1:])
    return content.startswith(_PROGRAMS)
