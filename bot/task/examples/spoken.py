"""Reads the calls that a task speaks of without a result that can be compared: complaints and demands.

"`parse('urn:x|foo:bar')` takes `foo` for the namespace", "The same goes for `size(1024, True)`", "`f('')`
should be refused": such a call must give something else on head than on base. What is said of how things
work, what must stay, comparisons, conditions and effects beside the result are left alone.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Container, Iterator

from bot.task.examples.blocks import is_actual
from bot.task.examples.results import Sentence, code_sentences
from bot.task.examples.values import expression, read_value
from bot.task.sections import SectionKind, section_kind
from bot.text.markdown import read_document
from bot.values import Example, ExampleKind, TaskSource

_CALL = r"\0(?P<call>\d+)\0"
_MUST = r"(?:should|must|shall|has to|have to|needs to|need to|ought to|(?:is|are) supposed to)"
_DEMANDED = re.compile(
    rf"{_CALL}(?:,(?! (?:with|when|in|on|under|after|without|given)\b)[^.:;()]{{0,120}}?"
    rf"|\s+and\s[^.:;()]{{0,120}}?)?\s+{_MUST}(?:n't|\s+not|\s+never)?\s+(?P<what>\w+ ?\w*)"
)
_SAME = re.compile(
    r"(?:\w+,? )?(?:the same|same|likewise|similarly|ditto)\b(?! (?:as|way|manner)\b)[^\0]{0,80}",
    re.IGNORECASE,
)
_LEAD = re.compile(
    r"\W{0,4}(?:(?:for (?:example|instance)|e\.g\.|currently|now|today|also|here|right now|at the moment|"
    r"calling|running|evaluating|I noticed that|it seems that)\b[,:]?\s{1,4}){0,3}(?=\0)",
    re.IGNORECASE,
)
_BREAKS = re.compile(
    rf"{_CALL}(?:(?:,\s|,?\s(?:and|or)\s)\0\d+\0){{0,8}}\s+(?:also\s+|both\s+|always\s+)?"
    r"(?:crash(?:es)?|fails?|breaks?|blows? up|explodes?|errors?(?: out)?|(?:is|are) broken)(?!\w| to\b)"
)
_COMPLAINED = re.compile(
    rf"{_CALL}\s+(?:\w+ly\s+)?(?:takes\s+(?!an?\b|the\b|any\b|one\b|two\b|only\b|no\b)|(?:treats|drops|loses|ignores|"
    r"strips|removes|swallows|truncates|returns|gives|yields|produces|parses|reads|leaves|converts|turns|becomes|"
    r"rounds|splits|merges|skips|misses|mangles|duplicates|appends|matches|resolves|decodes|encodes|escapes|raises|"
    r"throws|fails to|does not|doesn't|cannot|can't|(?:is|gets) (?:(?:\w+ly|not) )?"
    r"(?:\w+ed|read|taken|false|true|False|True|wrong|lost|left|split))\b)"
)
_WORKING = re.compile(
    r"work|(?:be )?(?:accept|allow|possible|support|valid)|succeed|(?:raise|fail|crash|throw|error|break)\b"
)
_NEGATED = re.compile(r"(?:n't|\snot|\snever)\s$")
_NEXT_WORDS = 8
_SETTING = re.compile(
    r"\W{0,4}(?:with|under|in|on|after|without|given|for) "
    r"(?!this|that|example|instance|the (?:fix|change)|all)",
    re.IGNORECASE,
)
_KEPT = re.compile(
    r"\b(?:still|stays?|remains?|keeps?|kept|continues?|unchanged|unaffected|as before|already|rightly|"
    r"of course|by design|intended|fine|okay|ok|perhaps|maybe|whether|as it should)\b"
    r"|(?<!n't )(?<!not )\bworks\b",
    re.IGNORECASE,
)
"""Words of a sentence that speaks of what is right, or in doubt."""
_COMPARED = re.compile(
    r"\b(?:like|unlike|than|(?<!ed )(?<!read )(?<!taken )as\b(?! well| expected)|same|equals?|"
    r"equivalent|identical|differs?|different|"
    r"compar\w+|consistent\w*|whereas|although|though|but|however|instead|alternativ\w+|"
    r"work[- ]?around|either|any)\b",
    re.IGNORECASE,
)
"""Words that may make a call the other one, which is right."""
_SOMETIMES = re.compile(
    r"\b(?:if|unless|when|whenever|while|once|until|twice|again|repeated\w*|why|how|sometimes|randomly|"
    r"(?:on|under|with|in|using) (?:windows|linux|mac ?os|python|pypy|node|deno|bun|browsers?)|python ?[23]|"
    r"(?:on|with|under|using) (?:the |an? )?\w+ (?:locale|version|timezone|backend|platform))\b|\?\s*$",
    re.IGNORECASE,
)
_BESIDE = re.compile(
    r"\b(?:warn\w*|logs?|logged|logging|deprecat\w+|document\w*|docs?|docstrings?|types?|typed|typing|hints?|"
    r"annotat\w+|mypy|pyright|signature|overload\w*|slow\w*|fast\w*|quick\w*|performance|seconds?|memory|leaks?|"
    r"quadratic|linear|hangs?|cach\w+|mutat\w+|modif\w+|in[- ]place|cop(?:y|ies)|lazy|lazily|iterators?|"
    r"views?|generators?|(?<!for )instances?|identity|pickl\w+|threads?|async\w*|await\w*|promises?|stderr|"
    r"side effects?|coverage|rename\w*|benchmark\w*)\b",
    re.IGNORECASE,
)
"""What a call does beside giving a result, and what is said of it without being run."""
_ADDED = re.compile(
    r"^[^\w\n]{0,8}(?:\w{1,40}(?:\([^)\n]{0,40}\))?!?: )?"
    r"(?:add|support|allow|implement|introduce|enable|provide|expose|feature|option)\w*\b"
    r"|\b(?:feature|proposal|opt[- ]in|would be (?:nice|great|useful|helpful)|I(?:'d| would) like|it possible"
    r"|(?:new|an?|another|optional|extra) (?:\w{1,40} )?"
    r"(?:option|flag|parameter|argument|keyword|function|method|setting|helper))\b",
    re.IGNORECASE | re.MULTILINE,
)
"""Words of a text that asks for something new: the calls that it shows may stay as they are."""
Call = Callable[[str], str]
"""Reads a code as a call of the project; "" for another."""


def spoken_of(source: TaskSource, known: Container[str], call_of: Call) -> Iterator[Example]:
    """The calls of a text that must change, and those that may be what it complains of (merely shown)."""
    passages = dict.fromkeys(read_document(source.text).passages)
    if _BESIDE.search(source.title):
        return
    is_new = any(_ADDED.search(one) for one in (source.title, *(p.text for p in passages)))
    for passage in passages:
        section = section_kind(passage.headings)
        is_telling = section in (SectionKind.DEMANDS, SectionKind.NEUTRAL)
        if not (is_telling or is_actual(passage.headings[-1])):
            continue
        before: ExampleKind | None = None
        for words in code_sentences(passage.text):
            sentence = Sentence(words)
            found = list(_in_sentence(sentence, before, call_of, is_new=is_new))
            for kind, number, error in found:
                said = sentence.codes[number]
                if call_of(said) not in known:
                    yield Example(kind, call_of(said), (), error, said, "", source.reference)
            # In which sense "the same" of the next sentence would be meant; None where something is right.
            if found:
                before = found[0][0]
            elif _KEPT.search(sentence.masked) or _SOMETIMES.search(sentence.masked):
                before = None
            elif re.search(rf"\b{_MUST}\b", sentence.masked):
                before = ExampleKind.CHANGING
            else:
                before = before or (ExampleKind.SHOWN if sentence.codes else None)


Spoken = tuple[ExampleKind, int, str]


def _in_sentence(
    sentence: Sentence, before: ExampleKind | None, call_of: Call, *, is_new: bool
) -> Iterator[Spoken]:
    masked = sentence.masked
    if any(one.search(masked) for one in (_SOMETIMES, _BESIDE, _KEPT)):
        return
    numbers = [n for n, code in enumerate(sentence.codes) if _shows_input(call_of(code))]
    same = _SAME.match(masked)
    if same:
        is_complaint = before and not (is_new and before is ExampleKind.SHOWN)
        if before and is_complaint and not _COMPARED.search(masked, same.end()):
            yield from ((before, number, "") for number in numbers)
        return
    found = [*_demanded(masked), *_complained(masked, is_new=is_new)]
    yield from (one for one in found if one[1] in numbers)


def _demanded(masked: str) -> Iterator[Spoken]:
    for found in _DEMANDED.finditer(masked) if not _SETTING.match(masked) else ():
        if _COMPARED.search(masked, 0, found.end() + _NEXT_WORDS):
            continue
        is_not = _NEGATED.search(masked, 0, found.start("what")) is not None
        is_failing = re.match(r"(?:raise|fail|crash|throw|error|break)", found["what"]) is not None
        is_working = _WORKING.match(found["what"]) is not None and is_failing is is_not
        yield ExampleKind.CHANGING, int(found["call"]), "Exception" if is_working else ""


def _complained(masked: str, *, is_new: bool) -> Iterator[Spoken]:
    """What a sentence, or the words behind its colon, say of the call that they begin with."""
    if _COMPARED.search(masked):
        return
    for start in (0, *(one.end() for one in re.finditer(r": ", masked))):
        lead = _LEAD.match(masked, start)
        if lead and (breaks := _BREAKS.match(masked, lead.end())):
            for number in re.findall(r"\0(\d+)\0", breaks[0]):
                yield ExampleKind.CHANGING, int(number), "Exception"
        elif lead and not is_new and (said := _COMPLAINED.match(masked, lead.end())):
            yield ExampleKind.SHOWN, int(said["call"]), ""


def _shows_input(call: str) -> bool:
    """Whether a call is made with something: `f()` is how a function is named."""
    node = expression(call) if call else None
    if not isinstance(node, ast.Call):
        return False
    for given in (*node.args, *(one.value for one in node.keywords)):
        parts = (ast.BinOp, ast.Constant, ast.operator)
        is_sum = isinstance(given, ast.BinOp) and all(isinstance(n, parts) for n in ast.walk(given))
        if is_sum or read_value(ast.unparse(given), is_script=True) is not None:
            return True
    return False
