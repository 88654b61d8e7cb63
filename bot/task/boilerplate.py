"""Takes away what nobody asked for: lines of the repository's templates and their usual kin."""

from __future__ import annotations

import re

from bot.text.markdown import read_document

_FIRST_PERSON = (
    r"\bi(?:'ve| have| am|'m| will|'ll| agree| understand| confirm| searched| checked| read)\b",
    r"\bmy (?:code|change|pull request|pr|commits?)\b",
    r"^(?:this|the) (?:pr|pull request|change)s? (?:is|has|have|does|follows|closes|includes)\b",
)
_CHORES_DONE = (
    r"^(?:new |unit |all |existing |regression )*tests? (?:(?:have been|are|were|is) )?"
    r"(?:added|updated|written|included|pass(?:es|ing)?)",
    r"^(?:added|updated|wrote|included|add or update|add/update)\b.{0,30}"
    r"\b(?:tests?|docs|documentation|change ?log|news|release notes?)\b",
    r"^(?:docs|documentation|docstrings?|change ?log|news|readme)\b.{0,30}"
    r"\b(?:added|updated|is up to date|entry|if)\b",
    r"linters?\b.{0,20}\b(?:pass|run)",
    r"pre-?commit\b.{0,30}(?:pass|run|install)",
    r"^(?:lint|format|style) (?:passes|is clean)",
)
_KINDS_OF_CHANGE = (
    r"^(?:bug ?fix|new feature|feature|breaking change|refactoring|documentation(?: update)?|other|"
    r"enhancement|code style|performance|chore|yes|no|n/?a)\s*(?:\(.*\))?[:.]?$",
)
_FORMALITIES = (
    r"contributing|code of conduct|self[- ]review|latest version|existing issues?|duplicates?\b",
    r"\b(?:cla|dco)\b|sign(?:ed)?[- ]off|github\.com/\S*/(?:blob|wiki)\S*contribut",
    r"^(?:closes|fixes|resolves|relates to|related)\s*#|if (?:applicable|needed|necessary|you)",
)
_USUAL = re.compile(
    "|".join((*_FIRST_PERSON, *_CHORES_DONE, *_KINDS_OF_CHANGE, *_FORMALITIES)), re.IGNORECASE
)


def normalised(text: str) -> str:
    """A text reduced to its words, for comparing lines that differ in markup only."""
    return " ".join(re.findall(r"[\w.'/-]+", text.casefold().replace("`", " "))).strip(". ")


def template_lines(templates: tuple[str, ...]) -> frozenset[str]:
    """Every list item and line of prose of the given templates, normalised."""
    lines: set[str] = set()
    for template in templates:
        document = read_document(template)
        lines.update(normalised(item.text) for item in document.items)
        lines.update(
            normalised(re.sub(r"^[\s>*+-]*(?:\[[ xX]\])?", "", line))
            for line in template.splitlines()
        )
    return frozenset(lines - {""})


def is_usual_boilerplate(text: str) -> bool:
    """Whether a check-list line is one that templates everywhere carry."""
    return _USUAL.search(text.strip()) is not None
