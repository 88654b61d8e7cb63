"""What a demand writes as code: the functions, attributes and options that it is about."""

from __future__ import annotations

import builtins
import keyword
import re

from bot.task.alternatives import without_blocks
from bot.text.words import sentences, words_of
from bot.values import Requirement

CODE_SPAN = re.compile(r"`([^`\n]{1,200})`")
_WITH_SIGNS = re.compile(r"(?=.{0,40}\W)\S{2,40}")
_VALUE = re.compile(r"'[^'\n]*'|\"[^\"\n]*\"|\\\w+")
"""What is written as code and names none: texts (`'col'`) and escapes (`\\xHH`)."""
_CALLED = re.compile(r"\b([A-Za-z_]\w+)\(|\b(\w*[a-z0-9]_\w+|[a-z]+[A-Z]\w*)\b")
_COMPARED = re.compile(
    r"(?i)\b(?:besides?|next to|along(?:side| with)|unlike|(?:just|much) like|similar(?:ly)? to|same as"
    r"|as with|instead of|rather than|analogous to|also (?:in|of|for|with)(?: what)?)"
    r"(?: (?:the|its|our|existing)){0,2}\s`[^`\n]{1,200}`"
    r"|\b(?:as|that|which)\s`[^`\n]{1,200}`\s(?:already|cannot|can't|(?:is|are) unable to|refuses? to)\b"
)
"""What a demand only sets its subject beside: "Beside `total`, a mean" is about no `total`.

Nor is "a list that `verify` cannot read" about `verify`, or "the check that `total` already makes" about
`total`.
"""
_LEFT_OUT = re.compile(
    r"`[^`\n]{1,80}` (?:(?:does|do)(?: not|n't) (?:count|matter|need)"
    r"|(?:is|are) (?:not (?:affected|concerned|part)|unaffected|fine))\b"
)
"""What a demand says to have no part in it: "`has` doesn't count"."""
_KEPT = re.compile(r"(?i)\b(?:keeps?|stays?|remains?|unchanged|unaffected|regression controls?)\b")
_TEST_NAME = re.compile(r"test_\w+|\w+_test")  # "`test_valid` may change" is about no code
_NOT_OURS = frozenset((*dir(builtins), *keyword.kwlist, "null", "undefined", "true", "false"))
_CODE_NAME = re.compile(r"[A-Za-z_]\w+")
_OPTION = re.compile(r"-{0,2}[A-Za-z]\w*(?:-\w+)+")
_MEMBER = re.compile(r"(?<=\w\.)[A-Za-z_]\w+")


def named_code(requirement: Requirement) -> frozenset[str]:
    """Return the identifiers of what a demand is about: written as code in it, else in the text around it.

    What it only compares its subject with, and what the text says to be kept, is not among them.
    """
    around = " ".join(one for one in sentences(requirement.detail) if not _KEPT.search(one))
    texts = (_LEFT_OUT.sub(" ", _COMPARED.sub(" ", text)) for text in (requirement.text, around))
    return next(filter(None, map(code_named, texts)), frozenset())


def code_around(requirement: Requirement) -> frozenset[str]:
    """Return the identifiers that the text around a demand tells how the trouble shows itself with.

    Only blocks of code have them; of what the author says of the change all of the text may be such.
    """
    prose = without_blocks(requirement.detail) if requirement.trust.is_asked else ""
    return code_named(requirement.detail) - code_named(f"{requirement.text}\n{prose}")


_CODE = r"(?:`[^`\n]{1,200}`|\.?(?=\w{0,60}(?:[a-z0-9]_|[a-z][A-Z])\w)\w{3,80}\b(?:\(\))?)"
_STANDING_FOR = re.compile(
    r"(?:(?i:alias(?:es)?|shims?|synonyms?|counterparts?))\s(?:for|of|to)\s"
    rf"{_CODE}(?:(?:,\s|\s?&\s?|,?\sand\s){_CODE}){{0,4}}(?=\s*(?:\Z|[.;:()\n]))"
)
"""What something new is to stand for: of "aliases for `total` and `mean`" the aliases are asked for."""


def asked_code(requirement: Requirement) -> frozenset[str]:
    """Return the identifiers of what a demand names, without those that it asks another name for."""
    texts = (requirement.text, requirement.detail)
    named = (code_named(_STANDING_FOR.sub(" ", text)) for text in texts)
    return named_code(requirement) & frozenset[str]().union(*named)


def _in_one(span: str) -> str:
    """Return an option (`--unique-size`) as the one name that programs have for it; its parts are none."""
    return span.strip("-").replace("-", "_") if _OPTION.fullmatch(span) else span


def code_named(text: str) -> frozenset[str]:
    """Return the identifiers that a text writes as code, without those of the language itself.

    The `compile` of `pattern.compile(text)` is no builtin.
    """
    text = CODE_SPAN.sub(lambda code: _VALUE.sub(" ", code[0]), text)
    spans = [_in_one(span) for span in CODE_SPAN.findall(text)]
    quoted = [name for part in spans for name in _CODE_NAME.findall(part)]
    called = [one or other for one, other in _CALLED.findall(text)]
    members = frozenset(name for part in spans for name in _MEMBER.findall(part))
    named = (name for name in (*quoted, *called) if not _TEST_NAME.fullmatch(name))
    return frozenset(named) - (_NOT_OURS - members)


def spelled_code(requirement: Requirement) -> frozenset[str]:
    """Return what is written as code and what nobody uses by chance.

    It is what has signs in the demand (`%i`), and names of several words in the text of a title.
    """
    signs = frozenset(filter(_WITH_SIGNS.fullmatch, CODE_SPAN.findall(requirement.text)))
    if not requirement.is_title:
        return signs
    spans = map(_in_one, CODE_SPAN.findall(requirement.detail))
    return signs | frozenset(
        name for span in spans for name in _CODE_NAME.findall(span) if len(words_of(name)) > 1
    )
