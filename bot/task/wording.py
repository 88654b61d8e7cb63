"""Words a bug's title as what must hold, and tells whether two demands say the same.

The wording is for people and judges; what rules tie and count is the title.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import islice

from rapidfuzz import fuzz

from bot.task.categories import CONVENTIONAL, MODAL, is_invariant, is_preference, keeps, upkeep_area
from bot.task.permissions import only_permits
from bot.task.sections import SectionKind, is_hoped_for, section_kind
from bot.text.clipping import clip
from bot.text.markdown import read_document
from bot.text.words import stem, words_of

SAME_TEXT_RATIO = 95.0
_TELLING = re.compile(
    r"`[^`]*`|\d+|\b(?:no|not|never|without|only|all|any|true|false|in|out|up|down|on|off|before|after"
    r"|more|less|can|may)\b|n't"
)
_SPAN = re.compile(r"`[^`]*`")
_WORD = re.compile(r"\w+")
_FILLING_WORDS = (
    "a an the must should shall will would has have to be is are it that please does do"
)
_FILLING = frozenset(_FILLING_WORDS.split())

MOST_CHARS = 240

_LABEL = re.compile(
    r"^\s*(?:\[?(?:bug(?: ?fix)?|fix|regression|crash)\]?(?:\([^)]*\))?!?\s*:|\[[^\]]{1,20}\]:?)\s*",
    re.IGNORECASE,
)
_ASKS_FOR_NEW = re.compile(
    r"^\s*\[(?:feat|enhancement|improvement|proposal|request|rfc|idea)", re.IGNORECASE
)
_OF_PEOPLE = re.compile(
    r"\b(?:who|you|we|i|people|users) (?:needs?|ha(?:s|ve)) to\b", re.IGNORECASE
)
"""What somebody is said to need is no demand of the change."""
_DEMANDS_ALREADY = re.compile(
    r"^(?:accept|add|adjust|allow|avoid|bump|change|clean|convert|correct|create|deprecate|do not|document"
    r"|don't|drop|emit|enable|ensure|expose|extend|fix|forbid|forward|handle|honou?r|ignore|implement|improve|include"
    r"|introduce|keep|let|limit|log|make|mark|move|never|port|preserve|prevent|provide|raise|refactor|refuse"
    r"|reject|remove|rename|replace|reset|resolve|respect|restore|return|reuse|show|simplify|skip|stop|strip"
    r"|support|throw|treat|update|upgrade|use"
    r"|validate|warn|write)\b",
    re.IGNORECASE,
)
_FAULT = re.compile(
    r"\b(?:bugs?|break(?:s|ing)?|broken|crash(?:es|ed|ing)?|fail(?:s|ed|ing|ure)?|traceback|panics?"
    r"|segfaults?|hangs?|hanging|freezes|stuck|leaks?|leaking|wrong(?:ly)?|incorrect(?:ly)?|inconsistent"
    r"|unexpected(?:ly)?|useless|misleading|unreadable|missing|lost|loses?|losing|ignores?|ignored|swallows"
    r"|no longer|doesn't|does not|don't|do not|didn't|did not|isn't|is not|aren't|are not|can't|cannot"
    r"|can not|won't|will not|unable|impossible"
    r"|not (?:working|respected|applied|handled|supported|possible))\b",
    re.IGNORECASE,
)
"""Words of a fault only: "raises ValueError" says as often what should be."""
_SENTENCE_END = re.compile(r"(?<=[.!?])(?<!e\.g\.)(?<!i\.e\.)\s+(?=[A-Z`\"'“])")
_VAGUE = re.compile(
    r"^(?:i|it|this|that|these|there|they|we|you|he|she|which|but|and|so)\b", re.IGNORECASE
)


def says_what_should_be(title: str) -> bool:
    """Whether a title demands something, and does not only tell of a fault or name a topic."""
    bare = CONVENTIONAL.sub("", _LABEL.sub("", title)).strip()
    return bool(MODAL.search(bare) or _DEMANDS_ALREADY.match(bare))


def tells_of_fault(text: str) -> bool:
    """Whether words say that something is wrong as it is."""
    return _FAULT.search(text) is not None


def as_what_must_hold(title: str, text: str) -> str:
    """Return what a bug's title asks for; empty where the title says so itself.

    A sentence of the text that says what should be is taken where it is about the same, else the
    title after "Fixed:".
    """
    bare = _LABEL.sub("", title).strip()
    is_labelled = bare != title.strip() and not _ASKS_FOR_NEW.match(title)
    if not bare or says_what_should_be(title):
        return ""
    if found := _should_sentence(bare, text):
        return found
    is_fault = is_labelled or _FAULT.search(CONVENTIONAL.sub("", bare))
    return f"Fixed: {bare}" if is_fault else ""


def stands_for_title(sentence: str, title: str, text: str) -> bool:
    """Whether a sentence of the text says what should be, where the title and the rules here say only what is
    wrong. It is about the same: it shares a telling word with the title, or begins with "It should …".
    """
    bare = _LABEL.sub("", title).strip()
    if not bare or says_what_should_be(title) or _should_sentence(bare, text):
        return False
    return bool(_VAGUE.match(sentence) or words_of(bare) & words_of(sentence))


def _should_sentence(title: str, text: str) -> str:
    """The first plain sentence that says what should be, and shares a telling word with the title."""
    about = words_of(title)
    for passage in read_document(text).passages:
        if section_kind(passage.headings) is SectionKind.WISHES:
            continue
        for sentence in _SENTENCE_END.split(" ".join(passage.text.split())):
            is_plain = len(sentence) <= MOST_CHARS and not sentence.endswith(("?", ":"))
            demands = MODAL.search(sentence) and not _VAGUE.match(sentence)
            says_else = upkeep_area(sentence) is not None or only_permits(sentence)
            says_else = says_else or (keeps(sentence) and not is_invariant(sentence))
            if is_plain and demands and not says_else and about & words_of(sentence):
                return sentence
    return ""


_MOST_SENTENCES, _MOST_READ = 10, 200
_MAY_NOT = re.compile(
    r"\bmay (?:not|never)\b|\b(?:neither|none|nothing|nobody)\b[^.;]{0,80}\bmay\b", re.IGNORECASE
)

_POLITE = re.compile(r"(?i)please (?!let (?:me|us)\b|(?:see|note|find|check|read|help)\b)[a-z]")


def asked_in_prose(
    text: str, demands: Iterable[str], *, title_asks: bool = False
) -> tuple[str, ...]:
    """Return the sentences and items that ask for something, and that are no demand and begin none."""
    known, document = tuple(demands), read_document(text)
    asking: list[str] = []
    for passage in document.passages:
        if section_kind(passage.headings) in (SectionKind.WISHES, SectionKind.OTHER):
            continue
        for sentence in _SENTENCE_END.split(" ".join(passage.text.split())):
            said = _OF_PEOPLE.sub("", sentence)
            is_demand = MODAL.search(said) or _MAY_NOT.search(said) or _POLITE.match(said)
            is_open = sentence.endswith(("?", ":")) or sentence.startswith(("Or ", "Alternatively"))
            if is_demand and not (is_open or only_permits(sentence) or is_preference(sentence)):
                asking.append(sentence)
    asking += (one.text for one in document.items if is_hoped_for(one, title_asks=title_asks))
    new = (
        clip(sentence, MOST_CHARS)
        for sentence in asking[:_MOST_READ]
        if not any(one.startswith(sentence) or says_the_same(sentence, one) for one in known)
    )
    return tuple(islice(dict.fromkeys(new), _MOST_SENTENCES))


# --- takes away what nobody asked for: lines of the repository's templates and their usual kin ----


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
    r"^(?:tests?|benchmarks?) (?:and|or|and/or) (?:tests?|benchmarks?) (?:are )?(?:included|added)",
    r"^run\b\W{1,3}(?:npm|yarn|pnpm|make|tox|nox|pytest)\b",
)
_KINDS_OF_CHANGE = (
    r"^(?:bug ?fix|new feature|feature|breaking change|refactoring|documentation(?: update)?|other|"
    r"enhancement|implementation|code style|performance|chore|yes|no|n/?a)\s*(?:\(.*\))?[:.]?$",
)
_FORMALITIES = (
    r"contributing|code of conduct|self[- ]review|latest version|existing issues?|duplicates?\b",
    r"\b(?:cla|dco)\b|sign(?:ed)?[- ]off|github\.com/\S*/(?:blob|wiki)\S*contribut",
    r"^(?:closes|fixes|resolves|relates to|related)\s*#|if (?:applicable|needed|necessary|you)",
    r"^(?:the |this )?(?:pr|pull request|merge request)(?:'s)? "
    r"(?:targets?\b.{0,60}\bbranch|(?:titles?|description) (?:describes?|says?|summari[sz]es?|follows?))\b",
    r"^(?:the |this )?(?:new )?(?:code|changes?|commits?|commit messages?|pr|pull request) "
    r"(?:follows?|adheres? to|conforms? to)\b.{0,60}\b(?:styles?|conventions?|guidelines?|standards?)\b",
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
    plain = re.sub(r"^[^\w`'\"(]{1,9}", "", text)  # some begin with a picture
    return _USUAL.search(plain) is not None


# --- whether two demands say the same: the rule by which duplicates are merged ------------------------


def says_the_same(one: str, other: str) -> bool:
    """Alike in words and equal in every number, code span and negation."""
    a, b = normalised(one), normalised(other)
    code, shown = (sorted(_SPAN.findall(text)) for text in (one, other))
    if code and shown and code != shown:
        return False
    if a == b:
        return True
    if crucial(one) != crucial(other):
        return False
    return fuzz.ratio(a, b) >= SAME_TEXT_RATIO or _essence(a) == _essence(b)


def has_the_same_words(one: str, other: str) -> bool:
    """Made of the same telling words, numbers, code spans and negations, in whatever order."""
    return crucial(one) == crucial(other) and words_of(one) == words_of(other)


def crucial(text: str) -> list[str]:
    """What turns a demand into another one: its numbers, code spans and negations, sorted."""
    return sorted(_TELLING.findall(text.casefold()))


def _essence(text: str) -> list[str]:
    """The words in their order, without endings and without those that only make it a demand."""
    return [stem(word) for word in _WORD.findall(text.casefold()) if word not in _FILLING]
