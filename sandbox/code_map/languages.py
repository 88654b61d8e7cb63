"""Which grammar reads a file, told by its name."""

from __future__ import annotations

from pathlib import PurePosixPath

PACKAGES = (
    "tree-sitter",
    "tree-sitter-bash",
    "tree-sitter-c",
    "tree-sitter-c-sharp",
    "tree-sitter-cpp",
    "tree-sitter-go",
    "tree-sitter-java",
    "tree-sitter-javascript",
    "tree-sitter-kotlin",
    "tree-sitter-lua",
    "tree-sitter-php",
    "tree-sitter-python",
    "tree-sitter-ruby",
    "tree-sitter-rust",
    "tree-sitter-scala",
    "tree-sitter-swift",
    "tree-sitter-typescript",
)
"""The parser and its grammars, each in a wheel that holds the compiled grammar."""

_SUFFIXES = {
    "python": ".py .pyi",
    "javascript": ".js .mjs .cjs .jsx",
    "typescript": ".ts .mts .cts",
    "tsx": ".tsx",
    "go": ".go",
    "rust": ".rs",
    "java": ".java",
    "c": ".c",
    "cpp": ".cc .cpp .cxx .h .hh .hpp .hxx .ipp",
    "ruby": ".rb .rake",
    "php": ".php",
    "c_sharp": ".cs",
    "bash": ".sh .bash",
    "kotlin": ".kt .kts",
    "scala": ".scala .sc",
    "swift": ".swift",
    "lua": ".lua",
}
_LANGUAGES = {suffix: name for name, all_ in _SUFFIXES.items() for suffix in all_.split()}


def language_of(path: str) -> str:
    """Return the language of a source file; empty for anything else. C's headers are read as C++."""
    return _LANGUAGES.get(PurePosixPath(path).suffix.lower(), "")
