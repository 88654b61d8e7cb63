"""Words a bug's title as what must hold: for people and judges; no rule rests on it."""

from __future__ import annotations

import re

from bot.task.categories import is_invariant, keeps, upkeep_area
from bot.task.permissions import only_permits
from bot.task.sections import SectionKind, section_kind
from bot.text.markdown import read_document
from bot.text.words import words_of

MOST_CHARS = 240

_LABEL = re.compile(
    r"^\s*(?:\[?(?:bug(?: ?fix)?|fix|regression|crash)\]?(?:\([^)]*\))?\s*:|\[[^\]]{1,20}\]:?)\s*",
    re.IGNORECASE,
)
_MODAL = re.compile(r"\b(?:must|shall|should|needs? to|has to|have to|ought to)\b", re.IGNORECASE)
_DEMANDS_ALREADY = re.compile(
    r"^(?:add|adjust|allow|avoid|bump|change|clean|correct|deprecate|do not|document|don't|drop|enable"
    r"|ensure|expose|extend|fix|forbid|handle|ignore|implement|improve|include|introduce|keep|let|limit"
    r"|log|make|mark|move|never|port|prevent|provide|raise|refactor|refuse|reject|remove|rename|replace"
    r"|respect|restore|return|show|simplify|skip|stop|strip|support|throw|treat|update|upgrade|use"
    r"|validate|warn|write)\b",
    re.IGNORECASE,
)
_FAULT = re.compile(
    r"\b(?:bugs?|break(?:s|ing)?|broken|crash(?:es|ed|ing)?|fail(?:s|ed|ing|ure)?|traceback|panics?"
    r"|segfaults?|hangs?|hanging|freezes|stuck|leaks?|leaking|wrong(?:ly)?|incorrect(?:ly)?|inconsistent"
    r"|unexpected(?:ly)?|missing|lost|loses?|losing|ignores?|ignored|swallows|no longer|doesn't|does not"
    r"|don't|do not|didn't|did not|isn't|is not|aren't|are not|can't|cannot|can not|won't|will not|unable"
    r"|impossible|not (?:working|respected|applied|handled|supported|possible))\b",
    re.IGNORECASE,
)
"""Words of a fault only: "raises ValueError" says as often what should be."""
_SENTENCE_END = re.compile(r"(?<=[.!?])(?<!e\.g\.)(?<!i\.e\.)\s+(?=[A-Z`\"'“])")
_VAGUE = re.compile(
    r"^(?:i|it|this|that|these|there|they|we|you|he|she|which|but|and|so)\b", re.IGNORECASE
)


def says_what_should_be(title: str) -> bool:
    """Whether a title demands something, and does not only tell of a fault or name a topic."""
    bare = _LABEL.sub("", title).strip()
    return bool(_MODAL.search(bare) or _DEMANDS_ALREADY.match(bare))


def as_what_must_hold(title: str, text: str) -> str:
    """Return what a bug's title asks for; empty where the title says so itself.

    A sentence of the text that says what should be is taken where it is about the same, else the
    title after "Fixed:".
    """
    bare = _LABEL.sub("", title).strip()
    is_labelled = bare != title.strip()
    if not bare or says_what_should_be(title):
        return ""
    if found := _should_sentence(bare, text):
        return found
    return f"Fixed: {bare}" if is_labelled or _FAULT.search(bare) else ""


def _should_sentence(title: str, text: str) -> str:
    """The first plain sentence that says what should be, and shares a telling word with the title."""
    about = words_of(title)
    for passage in read_document(text).passages:
        if section_kind(passage.headings) is SectionKind.WISHES:
            continue
        for sentence in _SENTENCE_END.split(" ".join(passage.text.split())):
            is_plain = len(sentence) <= MOST_CHARS and not sentence.endswith(("?", ":"))
            demands = _MODAL.search(sentence) and not _VAGUE.match(sentence)
            says_else = upkeep_area(sentence) is not None or only_permits(sentence)
            says_else = says_else or (keeps(sentence) and not is_invariant(sentence))
            if is_plain and demands and not says_else and about & words_of(sentence):
                return sentence
    return ""
