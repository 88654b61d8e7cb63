"""What the shipped code of head reads besides running: documents, docstrings, annotations, its own text."""

from __future__ import annotations

import os
import re
from functools import cached_property
from pathlib import Path, PurePosixPath

_SOURCES = frozenset((
    ".py", ".pyx", ".js", ".mjs", ".cjs", ".jsx", ".ts", ".mts", ".cts", ".tsx", ".vue", ".svelte", ".go",
    ".rs", ".java", ".kt", ".kts", ".c", ".h", ".cc", ".cpp", ".cxx", ".hpp", ".cs", ".rb", ".php",
    ".swift", ".scala", ".lua", ".sh", ".bash", ".pl", ".ex", ".exs", ".r", ".jl",
))  # fmt: skip
_ASIDE = frozenset((
    ".git", ".tox", ".nox", ".venv", "venv", "node_modules", "vendor", "third_party", "site-packages",
    "tests", "test", "__tests__", "testing", "spec", "doc", "docs", "documentation", "examples",
    "benchmarks", ".github",
))  # fmt: skip
_TOOLING = frozenset(("dev", "release"))  # at the top: what maintainers run, such as a release
_IS_TEST = re.compile(r"[._-](?:test|spec)s?\.\w+$")
_ABOUT_ITSELF = frozenset(("setup.py", "conf.py", "conftest.py", "noxfile.py", "tasks.py"))
_MOST_FILES, _MOST_BYTES, _MOST_FILE_BYTES = 20_000, 100_000_000, 1_000_000

_DOCSTRINGS = re.compile(rb"__doc__|\bgetdoc\b|\bgetcomments\b")
_OF_DOCSTRINGS = re.compile(
    rb"(?m)^\s*(?:from|import)\s+(?:docopt|ply|fire|defopt|plac|click|typer|cyclopts|tyro|invoke|pydantic|"
    rb"pydantic_ai|fastapi|fastmcp|mcp|langchain\w*|sqlmodel|graphene\w*|strawberry|ninja|litestar|apispec|"
    rb"flasgger|flask_restx|flask_smorest|rest_framework|drf_\w+|django|discord|simple_parsing|agents|smolagents|"
    rb"dspy|autogen\w*|nltk|spark_parser|trafaret)\b"
)
_ANNOTATIONS = re.compile(
    rb"__annotations__|\bget_type_hints\b|\bget_annotations\b|\bgetfullargspec\b|\.annotation\b|\bannotationlib\b"
    rb"|\.return_annotation\b|\bevaluate_forward_ref\b"
)
_OF_ANNOTATIONS = re.compile(
    rb"(?m)^\s*(?:from|import)\s+(?:pydantic\w*|fastapi|fastmcp|mcp|typer|beartype|typeguard|injector|punq|lagom|"
    rb"dishka|dependency_injector|msgspec|cattrs?|strawberry|sqlmodel|ninja|litestar|starlite|cyclopts|tyro|fire|"
    rb"plum|defopt|simple_parsing|dacite|marshmallow\w*|mashumaro|adaptix|apischema|jsonargparse|"
    rb"langchain\w*|discord|blacksheep|esmerald|svcs|wireup|hydra|agents|smolagents|dspy|taskiq|faststream)\b"
)
_OF_TYPES = re.compile(
    rb"\"(?:typia|@nestia/\w+|ts-patch|ttypescript|tst-reflect|@deepkit/\w+|typescript-json-schema|tsoa|ts-auto-mock"
    rb"|ts-json-schema-generator|ts-transformer-\w+|typescript-rtti|ts-runtime-checks|vue|@vue/\w+)\""
)
_OWN_TEXT = re.compile(
    rb"\bgetsource\w*\b|\bgetsourcefile\b|\bco_firstlineno\b|\bf_lineno\b|\bfindsource\b"
)
_HANDED_ON = re.compile(
    rb"(?m)^(?:[ \t]*from[ \t]+[\w.]+[ \t]+import[ \t]+(?:\([^)]{0,9999}\)|[^\n(]*)"
    rb"|__all__[ \t]*=[ \t]*[\[(][^\])]{0,9999})"
)
CREDITS = ("__author__", "__authors__", "__maintainer__", "__credits__", "__copyright__")
_CREDITS = re.compile(rf"(?m)(?<!^)\b(?:{'|'.join(CREDITS)})\b".encode())
DECLARING = ("pyproject.toml", "setup.cfg", "setup.py")
LOWEST = re.compile(
    r"(?m)^[ \t]{0,40}(?:requires-python|python_requires|python)[ \t]{0,40}=[ \t]{0,40}[\"']?"
    r"(?:>=|\^|~=?)[ \t]{0,9}3\.(\d{1,2})"
)
"""How files of a Python project declare the lowest release of Python 3 that it runs with."""


class ChangedProject:
    """The sources of one tree that ship, searched as text. Where there are too many, everything is read."""

    def __init__(self, root: Path) -> None:
        self._root = root

    @cached_property
    def _texts(self) -> tuple[bytes, ...] | None:
        texts, size = [], 0
        for folder, below, names in os.walk(self._root):
            aside = _ASIDE | (_TOOLING if Path(folder) == self._root else frozenset())
            below[:] = sorted(name for name in below if name not in aside)
            for name in sorted(names):
                is_test = name.startswith("test_") or _IS_TEST.search(name)
                if is_test or name in _ABOUT_ITSELF or Path(name).suffix.lower() not in _SOURCES:
                    continue
                texts.append(_text(Path(folder, name)))
                size += len(texts[-1])
                if len(texts) > _MOST_FILES or size > _MOST_BYTES:
                    return None
        return tuple(texts)

    def _finds(self, *patterns: re.Pattern[bytes]) -> bool:
        if self._texts is None:
            return True
        return any(pattern.search(text) for text in self._texts for pattern in patterns)

    @cached_property
    def reads_docstrings(self) -> bool:
        """Whether any source may show or obey a docstring."""
        return self._finds(_DOCSTRINGS, _OF_DOCSTRINGS)

    @cached_property
    def reads_annotations(self) -> bool:
        """Whether any source may look at the annotations of a function at run time."""
        return self._finds(_ANNOTATIONS, _OF_ANNOTATIONS)

    @cached_property
    def reads_its_text(self) -> bool:
        """Whether any source reads the text, the comments or the line numbers of Python code."""
        return self._finds(_OWN_TEXT)

    @cached_property
    def reads_credits(self) -> bool:
        """Whether any source does more than hand on who made it."""
        texts = self._texts
        return texts is None or any(_CREDITS.search(_HANDED_ON.sub(b"", text)) for text in texts)

    @cached_property
    def lowest_python(self) -> int:
        """The lowest release of Python 3 that the project says it runs with; 0 where it says nothing."""
        declared = (_text(self._root / name).decode(errors="replace") for name in DECLARING)
        return max((int(one[1]) for text in declared for one in LOWEST.finditer(text)), default=0)

    def imports_from(self, module: str, name: str) -> bool:
        """Whether any source imports a name from a module that is called so, wherever it stands."""
        parts = (re.escape(os.fsencode(one)) for one in (module, name))
        pattern = (
            rb"\bfrom\s[\w.]{0,200}\b%b\s+import\b(?:\s*\([^)]{0,9999}|[^\n]{0,999})\b%b\b"
            % (*parts,)
        )
        return self._finds(re.compile(pattern))

    def loads(self, path: str, module: str) -> bool:
        """Whether a file imports names from a module, written as there (`.model`), outside of any block."""
        written = rb"(?m)^from[ \t]+%b[ \t]+import\b" % re.escape(os.fsencode(module))
        return re.search(written, _text(self._root / path)) is not None

    @cached_property
    def builds_from_types(self) -> bool:
        """Whether a package is named, in any manifest at the top, that makes code of TypeScript's types."""
        return _OF_TYPES.search(_text(self._root / "package.json")) is not None

    def reads_document(self, path: str) -> bool:
        """Whether any source names a document, the top folder that it stands in, or all of its kind."""
        pure = PurePosixPath(path)
        name = re.escape(os.fsencode(pure.name))
        patterns = [
            rb"[\"'`][^\"'`\n]*" + name,
            rb"\*" + re.escape(os.fsencode(pure.suffix)) + rb"\b",
        ]
        if len(pure.parts) > 1:
            top = re.escape(os.fsencode(pure.parts[0]))
            patterns.append(rb"[\"'`](?:\.{1,2}/)*" + top + rb"(?:/[^\"'`\n]*)?[\"'`]")
        if pure.suffix == ".py":
            patterns.append(
                rb"\b(?:import|from)\s+[\w.]*\b" + re.escape(os.fsencode(pure.stem)) + rb"\b"
            )
        return self._finds(*map(re.compile, patterns))


def _text(file: Path) -> bytes:
    if file.is_symlink() or not file.is_file():
        return b""
    with file.open("rb") as stream:
        return stream.read(_MOST_FILE_BYTES)
