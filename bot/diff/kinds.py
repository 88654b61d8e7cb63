"""Tells by its path in which language a file is, and whether it is a test, in any of them."""

from __future__ import annotations

import re
from pathlib import PurePosixPath

from bot.diff.paths import is_automation, is_build_file, is_changelog, is_document, is_test_path

_TEST_NAME = re.compile(
    r"(?:\.|-|_)(?:test|tests|spec)\.[cm]?[jt]sx?$|^(?:test|tests)\.[cm]?[jt]sx?$|_test\.(?:go|cc|cpp|c|sh)$"
    r"|(?:^Test\w+|\w(?:Test|Tests|IT))\.(?:java|kt)$|^(?:test_|tests?\.).*\.(?:c|cc|cpp|rs|sh|bats)$"
    r"|\.bats$|_spec\.rb$|^test_.*\.py$|_test\.py$"
)
_TEST_FOLDER = re.compile(r"(?:^|/)(?:__tests__|tests?|spec|t|src/test)/")
_CODE = {
    ".py", ".js", ".jsx", ".mjs", ".cjs", ".ts", ".tsx", ".mts", ".cts", ".vue", ".svelte", ".go", ".rs",
    ".java", ".kt", ".c", ".h", ".cc", ".cpp", ".hpp", ".cxx", ".cs", ".rb", ".php", ".swift", ".sh",
    ".bash", ".bats", ".pl", ".lua", ".scala", ".sql",
}  # fmt: skip


def is_code(path: str) -> bool:
    """Whether a path is a program text of a language in common use."""
    return PurePosixPath(path).suffix.lower() in _CODE


def is_test_file(path: str) -> bool:
    """Whether a path is a test or belongs to the tests, in any language."""
    return (
        is_test_path(path)
        or _TEST_NAME.search(PurePosixPath(path).name) is not None
        or _TEST_FOLDER.search(path) is not None
    )


def is_shipped_source(path: str) -> bool:
    """Whether a path is code that ships: neither test, document, build nor automation file."""
    if is_test_file(path) or is_build_file(path) or is_automation(path) or is_changelog(path):
        return False
    return is_code(path) and not is_document(path)
