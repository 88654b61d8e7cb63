"""Comments that a program, a compiler or a tool obeys, and examples in words that are run as tests."""

from __future__ import annotations

import re
from collections.abc import Sequence

_OBEYED = re.compile(
    r"""(?x)
    ^\#! | -\*- | ^\#.{0,40}coding[:=] | ^\#\s*///  # shebang, encoding, metadata of a script
    | ^(?://|\#|--)[a-z]+[:\[] | ^//\s*\+build | ^//export\b | ^//line\b  # Go's directives and their like
    | \b(?:noqa|nosec|nolint|noinspection|pragma|pylint|flake8|mypy|pyright|pyre|pytype|ruff|isort|yapf|fmt
        |autopep8|black|coverage|cython|distutils|sphinx_gallery\w*|doctest|frozen_string_literal|rubocop
        |shellcheck|hadolint|eslint|tslint|jshint|jslint|prettier|biome|stylelint|istanbul|c8|v8|webpack\w*
        |vite|flow|jsx\w*|swc|babel|deno-\w+|clang-(?:format|tidy)|cppcheck|checkstyle|spotbugs|ktlint
        |swiftlint|phpcs|psalm|phpstan|codegen)\s*[:=\[(]
    | \b(?:noqa|nosec|NOLINT\w*|NOSONAR|nolint|fallthrough)\b
    | \b(?:eslint|tslint|jshint|stylelint|biome|prettier|rubocop|phpcs|istanbul|c8|v8|coverage|pylint|skipcq
        |pragma)[ :-]*(?:disable|enable|ignore|no|skip|off|on|env|global)
    | @(?:ts-\w+|jsx\w*|flow|noflow|jest-\w+|vitest-\w+|format|prettier|license|preserve|cc_on|generated
        |codeCoverage\w*|formatter|swc\w*|vite-\w+|strict|internal|SuppressWarnings|__\w+)
    | ^\#[A-Z]{3,}\b | ^//>\s | BEGIN\ INIT\ INFO | swift-tools-version
    | [\#@]__[A-Z_]+__ | \#\s*source(?:Mapping)?URL= | ^/\*! | ^///?\s*<(?:reference|amd)
    """
)
_TYPE = re.compile(r"^#\s*type:\s|@ts-(?:ignore|expect-error)\b")
_PROMPT = re.compile(r"^\s*>>>\s")
_FENCE = re.compile(r"^\W*(?:```|~~~)")


def obeyed(comments: Sequence[str]) -> list[str]:
    """The comments that somebody obeys, in their order; those about types are not among them."""
    return [one for one in comments if _OBEYED.search(one) and not _TYPE.search(one)]


def about_types(comments: Sequence[str]) -> list[str]:
    """The comments that speak to a type checker."""
    return [one for one in comments if _TYPE.search(one)]


def examples(words: Sequence[str], *, are_fences_run: bool = False) -> list[str]:
    """The lines of docstrings and comments that a doctest would run or compare."""
    found: list[str] = []
    for text in words:
        is_example = is_fenced = False
        for line in text.splitlines():
            if are_fences_run and _FENCE.match(line):
                is_fenced = not is_fenced
                found.append(line)
                continue
            is_example = bool(_PROMPT.match(line)) or (is_example and bool(line.strip()))
            if is_example or is_fenced:
                found.append(line.strip())
    return found
