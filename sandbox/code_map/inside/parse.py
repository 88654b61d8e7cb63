"""Reads source files into facts: what each defines, what it uses and what it imports.

Runs inside the sandbox with `tree_sitter` and the grammars mounted: they are C code, and the files are
hostile. Input: a JSON list of [path, language]. Output on the private channel: one JSON line as a file is
begun, [number], and one when it is done, [number, definitions, uses, imports], where a definition is
[name, kind, line, end line], and uses and imports are lists of lines by name. A file that takes too long
yields [number, false].
"""

from __future__ import annotations

import importlib
import json
import os
import sys
import time
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import BinaryIO

import tree_sitter

GRAMMARS = {
    "python": ("tree_sitter_python", "language", ("python",)),
    "javascript": ("tree_sitter_javascript", "language", ("script", "javascript", "jsx")),
    "typescript": ("tree_sitter_typescript", "language_typescript", ("script", "typescript")),
    "tsx": ("tree_sitter_typescript", "language_tsx", ("script", "typescript", "jsx")),
    "go": ("tree_sitter_go", "language", ("go",)),
    "rust": ("tree_sitter_rust", "language", ("rust",)),
    "java": ("tree_sitter_java", "language", ("java",)),
    "c": ("tree_sitter_c", "language", ("c",)),
    "cpp": ("tree_sitter_cpp", "language", ("c", "cpp")),
    "ruby": ("tree_sitter_ruby", "language", ("ruby",)),
    "php": ("tree_sitter_php", "language_php", ("php",)),
    "c_sharp": ("tree_sitter_c_sharp", "language", ("c_sharp",)),
    "bash": ("tree_sitter_bash", "language", ("bash",)),
    "kotlin": ("tree_sitter_kotlin", "language", ("kotlin",)),
    "scala": ("tree_sitter_scala", "language", ("scala",)),
    "swift": ("tree_sitter_swift", "language", ("swift",)),
    "lua": ("tree_sitter_lua", "language", ("lua",)),
}
"""By language: the package, its function that gives the grammar, and our query files."""
_MOST = 6_000  # of anything in one file
_NAME_CHARACTERS = 120
_FILE_S = 10.0
_CHUNK = 1_000_000


def main() -> int:
    """Read every named file. Returns the exit code."""
    files: list[tuple[str, str]] = json.load(sys.stdin)
    with os.fdopen(int(os.environ["ASSAY_CHANNEL_FD"]), "wb") as channel:
        for number, (path, language) in enumerate(files):
            _tell(channel, [number])
            # Without following a link: none is named here, but the tree is somebody else's.
            file = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
            with os.fdopen(file, "rb") as stream:
                source = stream.read()
            try:
                _tell(channel, [number, *read(source, language)])
            except ValueError:  # the parser's way to say that it was told to stop
                _tell(channel, [number, False])
    return 0


def _tell(channel: BinaryIO, what: list[object]) -> None:
    channel.write(json.dumps(what, separators=(",", ":")).encode() + b"\n")
    channel.flush()


@cache
def grammar(name: str) -> tuple[tree_sitter.Parser, tree_sitter.Query]:
    """Return a language's parser and our query of it."""
    package, function, queries = GRAMMARS[name]
    language = tree_sitter.Language(getattr(importlib.import_module(package), function)())
    folder = Path(__file__).parent / "queries"
    text = "\n".join((folder / f"{query}.scm").read_text() for query in queries)
    return tree_sitter.Parser(language), tree_sitter.Query(language, text)


def parsed(source: bytes, name: str, is_over: Callable[[], bool]) -> tree_sitter.Tree:
    """Return the tree of a text. Raises ValueError where it is over before that is done."""
    parser, _ = grammar(name)
    parser.reset()
    return parser.parse(
        lambda offset, _: source[offset : offset + _CHUNK],
        progress_callback=lambda _offset, _error: is_over(),
    )


def read(source: bytes, name: str) -> list[object]:
    """Return [definitions, uses, imports] of a text. Raises ValueError when it takes too long."""
    _, query = grammar(name)
    end = time.process_time() + _FILE_S
    tree = parsed(source, name, lambda: time.process_time() > end)
    definitions: dict[tuple[str, int], tuple[str, int]] = {}
    uses: dict[str, dict[int, None]] = {}
    imports: dict[str, dict[int, None]] = {}
    # A match is an import, a use, or a definition with its name.
    for _, found in tree_sitter.QueryCursor(query, match_limit=5_000).matches(tree.root_node):
        for node in found.get("i", ()):
            imports.setdefault(_text(node), {})[node.start_point[0] + 1] = None
        for node in found.get("r", ()):
            uses.setdefault(_text(node), {})[node.start_point[0] + 1] = None
        whole = [(mark[2:], nodes[0]) for mark, nodes in found.items() if mark.startswith("d.")]
        for node in found.get("n", ()) if whole else ():
            kind, body = whole[0]
            place = (_text(node), node.start_point[0] + 1)
            definitions.setdefault(place, (kind, body.end_point[0] + 1))
    places = list(definitions.items())[:_MOST]
    used = {}
    for word, lines in list(uses.items())[:_MOST]:
        # Without the lines on which the name itself is defined.
        elsewhere = [line for line in lines if (word, line) not in definitions]
        if elsewhere:
            used[word] = elsewhere
    return [
        [[name, kind, line, end_line] for (name, line), (kind, end_line) in places],
        used,
        {module: list(lines) for module, lines in list(imports.items())[:_MOST]},
    ]


def _text(node: tree_sitter.Node) -> str:
    text = (node.text or b"").decode(errors="replace")[:_NAME_CHARACTERS]
    return text.removeprefix("import ").strip("\"'<>`")


if __name__ == "__main__":
    sys.exit(main())
