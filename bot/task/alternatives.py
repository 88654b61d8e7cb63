"""Reads what a demand names side by side.

Tests for one of several are no proof of all: "Backslashes must be escaped with `output_format='python'` and
`output_format='php'`" names two, and so does "for `basename` and for `matchBase`". What must stay as it is
needs no test that fails without the change.
"""

from __future__ import annotations

import builtins
import re
from collections.abc import Collection, Iterable, Iterator

from bot.task.categories import MODAL, MUST, keeps
from bot.text.words import sentences_of_paragraphs, written_as_code
from bot.values import Requirement

_FENCE = re.compile(r"^ *(```|~~~).*?^ *\1", re.DOTALL | re.MULTILINE)
_NAMED = re.compile(r"`([^`\n]{1,80})`|\"([^\"\n]{1,60})\"|\b([A-Za-z_]\w{2,60})\(\)")
_BESIDE = re.compile(
    r"[,/](?: (?:both|also|the))?"
    r"|(?:, )?(?:and|nor|as well as)(?: (?:for|in|with|to|from|of|on|at|by|both|also|the)){0,2}"
)
"""Between two names of one list; in "in arrays of `a`, with `b` set" there are two sides of one thing."""
_OR_ELSE = re.compile(rf"{_BESIDE.pattern}|(?:, )?or")
_SETTING = re.compile(r"([A-Z][A-Z0-9_]{1,60})=([\w.-]{1,60})")
_BARE = re.compile(r"(?:\w+(?:\.|::|#))*(\w{3,})(?:\(.*)?")
_BUILTIN = frozenset(dir(builtins))
_ASKING = re.compile(
    r"(?i)\b(?:should|must|shall|ought|needs?|has to|have to|wrong\w*|broken?|breaks?|fail\w*|crash\w*"
    r"|rais\w*|throw\w*|refus\w*|reject\w*|ignor\w*|miss\w*|cannot|can't|do(?:es)? not|do(?:es)?n't"
    r"|lacks?|bugs?)\b"
)
"""Words of sentences that ask for something, or complain."""
_AS_IT_IS = re.compile(r"(?i)\b(?:knows?|already|today|currently|so far|at the moment|until now)\b")
"""Words of sentences that tell what there is."""
_ALL = re.compile(r"(?i)\b(?:both|each|all)\b")
_BY_WAY_OF = re.compile(
    r"(?i)\b(?:us(?:e|es|ed|ing)|call(?:s|ed|ing)?|via|through|with|by|from|of|in|to)\W{1,3}\Z"
)
_COMPARING = re.compile(
    r"(?i)\b(?:differ\w*|same|agree\w*|disagree\w*|(?:in)?consistent\w*|match\w*|mismatch\w*|unlike|equal\w*"
    r"|than|between|instead|rather|as (?:\S{1,80} )?(?:does|do|did|is|are))\b"
)
"""Words of sentences in which one name may be measured by another, and is to stay as it is."""
_COMES_TO = re.compile(r"(?:becomes?|gives?|(?:in)?to|as)(?: an?| the)?")
_LIKE = re.compile(rf"{_BESIDE.pattern}|(?:,|as)(?: (?:for|in|with|to|from|of|on|at|by))?")
_FOR_EXAMPLE = re.compile(
    r"(?i)\b(?:such as|like|e\.\s?g\.|for (?:example|instance)|including"
    r"|(?:deriv|guess|deduc|inferr|comput|calculat|combin|compos)ed (?:from|of)"
    r"|(?:placed?|puts?|insert(?:s|ed)?|add(?:s|ed)?|stands?|comes?|goes|runs?) between)[\s,:(]{0,4}\Z"
)
_AND_OTHERS = re.compile(
    r"(?i)[\s,()]{0,4}(?:and so (?:on|forth)|etc\b|(?:and|or) (?:others?|similar|the like)\b|…|\.\.\.)"
)
"""What stands around names that are examples, that one thing is made of, or that it has its place between."""
_SUBJECT = re.compile(
    r"`(?:\w{1,40}(?:\.|::|#)){0,3}([A-Za-z_]\w{2,60})(?:\([^`\n]{0,80}\))?` (?:(?:also|then|now|too) )?"
    rf"{MUST} (?!not\b|never\b|be\b|still\b|only\b|have\b)"
)
"""A function that is to do something."""
_STRING = re.compile(r"'([^'\n]+)'|\"([^\"\n]+)\"")
_WORD = re.compile(r"[A-Za-z_][\w.]*")
_ESCAPE = re.compile(r"\\(?:\w{1,8}|\W)")
_SIGN = re.compile(r"[^A-Za-z0-9\s]{1,3}")
_INPUT = re.compile(
    r"(?!-|[A-Za-z_][\w-]*(?:\.[A-Za-z_][\w-]*)*\Z)(?=\S*[A-Za-z0-9])[^\s()'\"=:;{}\[\]/\\]{2,40}"
)
"""What is given to a function and no name, option, path or piece of code: `1.x.5`."""
_LEAST_INPUTS = 3  # of two the one may be what becomes of something else
_SAME_FOR = re.compile(
    r"(?i)\b(?:the same (?:goes|holds|applies|is true|happens|problem)|likewise|similarly|so (?:do|are|is))\b"
)
_OF_A_CALL = re.compile(r"\w\([^()\d]{0,40}(?<![\w.])(-?\d{1,9})(?![\w.])[^()\d]{0,40}\)")
_NUMBER_SAID = re.compile(r"(?<![\w.+*/-])-?\d{1,9}(?![\w*/-]|\.\d)")
_BOUND = r"(?i)(?<![\w.])(\d{1,9})(?: [a-z]{1,20}){0,2} (?:or|and) "
_FROM = re.compile(
    rf"{_BOUND}(?:more|above|over|older|longer|larger|higher)\b"
    r"|\b(?:at least|not less than|no (?:less|fewer) than) (\d{1,9})(?![\w.]\d|\w)"
)
_UP_TO = re.compile(
    rf"{_BOUND}(?:less|fewer|below|under|younger|shorter|smaller|lower)\b"
    r"|\b(?:at most|not more than|no more than) (\d{1,9})(?![\w.]\d|\w)"
)
"""Bounds that belong to what they bound."""
_TYPES = dict.fromkeys(("string", "text"), "str") | {"integer": "int"}
_TYPES |= {
    one: one
    for one in (
        "bytes", "bytearray", "memoryview", "str", "int", "float", "list", "tuple", "set", "frozenset",
    )
}  # fmt: skip
_TYPE = rf"(?:an? )?`?(?:{'|'.join(_TYPES)})s?`?"
_OF_TYPES = re.compile(rf"(?i)(?<![\w.-]){_TYPE}(?:,? (?:and|or) {_TYPE}|, {_TYPE})+(?![\w.(-])")
_TYPE_SAID = re.compile(rf"(?i)\b({'|'.join(_TYPES)})s?\b")
"""Types that stand side by side in words: "Bytes, bytearray and memoryview", "lists or tuples"."""
_LEAST = 2  # characters of a name that a test does not have by chance
_METHOD = re.compile(r"[A-Z]\w*\.([a-z_]\w*)")
_NEW_CLAUSE = re.compile(r", (?:and|or)(?: then)?")


def untested_alternatives(
    requirement: Requirement, tests: str, added: Collection[str] = ()
) -> tuple[str, str] | None:
    """Return what a demand names and `tests` (their code) do not have, and what they have of the same list.

    None where they have all or nothing of each list, or where there is no list. The names of what the change
    has `added` count as code without being marked as such. Private functions are tested by way of those that
    call them, and seldom by their names.
    """
    prose = written_as_code(_wanted(prose_of(requirement)), added)
    listed = [
        [one for one in names if _atoms(one) and not one.startswith("_")]
        for names in _lists(prose, _BESIDE)
    ]
    # "`CACHE=0` or `CACHE=false`": where either is to do, both have to.
    listed += (names for names in _lists(prose, _OR_ELSE) if _are_values_of_one(names))
    for names in listed:
        known = [name for name in names if all(_has(tests, one) for one in _atoms(name))]
        missing = [name for name in names if name not in known]
        if known and missing:
            return missing[0], known[0]
    return None


def _wanted(text: str) -> str:
    """Return a text without the sentences that only tell what there is."""
    told = sentences_of_paragraphs(text)
    return "\n\n".join(o for o in told if not _AS_IT_IS.search(o) or MODAL.search(o))


def _are_values_of_one(names: list[str]) -> bool:
    """Whether all set the same variable of the environment, each to another value."""
    set_ = {found[1] if (found := _SETTING.fullmatch(one)) else "" for one in names}
    return len(set_) == 1 and "" not in set_


def named_together(requirement: Requirement) -> Iterator[tuple[str, ...]]:
    """Yield the bare names of which somebody who may ask wants the same, side by side.

    Not where one is compared with another, nor where the text around a demand only tells how things are.
    """
    if not requirement.trust.is_asked:
        return
    around = sentences_of_paragraphs(_FENCE.sub("\n\n", requirement.detail))
    for sentence in (requirement.text, *filter(_ASKING.search, around)):
        if _COMPARING.search(sentence):
            continue
        # "Both should find it: `load` by its name, and `find` by its path."
        all_of_them = [
            next(filter(None, one.groups()))
            for one in (_NAMED.finditer(sentence) if _ALL.search(sentence) else ())
            if not _BY_WAY_OF.search(sentence[: one.start()])
        ]
        for listed in dict.fromkeys(map(tuple, (*_lists(sentence, _BESIDE), all_of_them))):
            bare = (found[1] for one in listed if (found := _BARE.fullmatch(one)))
            names = tuple(dict.fromkeys(name for name in bare if name not in _BUILTIN))
            if len(names) > 1:
                yield names


def asked_subjects(requirement: Requirement) -> Iterator[str]:
    """Yield the bare names of which a sentence of somebody who may ask says that they must do something."""
    for sentence in (
        sentences_of_paragraphs(prose_of(requirement)) if requirement.trust.is_asked else ()
    ):
        one = " ".join(sentence.split())
        yield from (found[1] for found in _SUBJECT.finditer(one) if not keeps(one))


def _has(code: str, name: str) -> bool:
    """Whether code has a name, or that of what it belongs to: `_valign`, the `Mapping` of `WithMapping`."""
    if setting := _SETTING.fullmatch(name):
        return re.search(rf"['\"`=]{re.escape(setting[2])}(?!\w)", code) is not None
    part = r"|(?<=[a-z0-9])" if name[:1].isupper() else ""
    # Of `Watcher.poll` tests have an object: `await watcher.poll()`.
    if method := _METHOD.fullmatch(name):
        return re.search(rf"\.{method[1]}(?!\w)", code) is not None
    return re.search(rf"(?:(?<!\w)_{{0,2}}{part}){re.escape(name)}(?!\w)", code) is not None


def side_by_side(requirement: Requirement) -> tuple[tuple[str, ...], ...]:
    """Return what a demand puts side by side, words, signs or inputs: one may stand in the other's place."""
    text = prose_of(requirement)
    found: list[tuple[str, ...]] = []
    for listed in _lists(_wanted(text), _LIKE):
        names = dict.fromkeys(filter(None, map(_plain, listed)))
        words = tuple(name for name in names if len(name) >= _LEAST and name.isidentifier())
        signs = tuple(name for name in names if _SIGN.fullmatch(name))
        inputs = tuple(one for one in dict.fromkeys(listed) if _INPUT.fullmatch(one))
        found += [group for group in (words, signs) if len(group) > 1]
        found += [inputs] if len(inputs) >= _LEAST_INPUTS else []
    for sentence in sentences_of_paragraphs(text):
        for listed in () if keeps(sentence) else _OF_TYPES.findall(" ".join(sentence.split())):
            kinds = dict.fromkeys(_TYPES[one.lower()] for one in _TYPE_SAID.findall(listed))
            found += [tuple(kinds)] if len(kinds) > 1 else []
    # The numbers of the calls that the text shows, with those of which it says the same.
    shown: list[str] = []
    for sentence in sentences_of_paragraphs(text):
        if shown and (same := _SAME_FOR.search(sentence)) and not _NAMED.search(sentence):
            numbers = _NUMBER_SAID.findall(sentence[same.end() :])
            alike = tuple(dict.fromkeys((*shown, *numbers)))
            found += [alike] if len(alike) > len(shown) else []
        shown += _numbers_of_calls(sentence)
    # The number of a call, and a bound beyond which it lies: 120, "100 or more".
    called = _numbers_of_calls(text)
    for pattern, side in ((_FROM, 1), (_UP_TO, -1)):
        for match in pattern.finditer(text):
            bound = match[1] or match[2]
            found += [(one, bound) for one in called if (int(one) - int(bound)) * side > 0]
    return tuple(found)


def _numbers_of_calls(text: str) -> list[str]:
    """Return the only number of each call that stands in a text as code."""
    codes = (next(filter(None, match.groups())) for match in _NAMED.finditer(text))
    return [match[1] for code in codes if (match := _OF_A_CALL.search(code))]


def _plain(name: str) -> str:
    """The word, text or sign that a name is; "" for a longer piece of code."""
    texts = [one or other for one, other in _STRING.findall(name)]
    plain = texts[0] if len(texts) == 1 else name.partition("=")[0] or name
    return plain if _WORD.fullmatch(plain) or _SIGN.fullmatch(plain) else ""


def prose_of(requirement: Requirement) -> str:
    """Return the words of a demand, of a title with the text below it, without blocks of code."""
    said = requirement.text
    if requirement.is_title:
        said = f"{said}\n\n{requirement.detail}"
    return without_blocks(said)


def without_blocks(text: str) -> str:
    """Return a text without its blocks of code."""
    return _FENCE.sub("\n\n", text)


def _lists(text: str, beside: re.Pattern[str]) -> Iterator[list[str]]:
    """Yield the names of code that stand side by side, with nothing but `beside` between them.

    Examples of more ("`a`, `b` and so on") are no list: no test has to have each of them. Of "`a` and `b` to
    `x`, `c` to `y`" the list is what comes to something.
    """
    for sentence in sentences_of_paragraphs(text):
        if keeps(sentence):
            continue
        names: list[str] = []
        start = end = 0
        comes_to, is_open, kind = False, False, (False, False)
        for match in _NAMED.finditer(sentence):
            name = next(filter(None, match.groups()))
            between = " ".join(sentence[end : match.start()].split())
            is_beside = beside.fullmatch(between) is not None
            # "It should be a `BadData`, and `poll` should log it": each has its own.
            if is_beside and len(names) == 1 and _NEW_CLAUSE.fullmatch(between):
                has_own = MODAL.match(sentence[match.end() :].lstrip())
                is_beside = not (has_own and MODAL.search(sentence[:start]))
            if names and not is_beside and _COMES_TO.fullmatch(between):
                comes_to, is_open, end = True, False, match.end()
                continue
            # A name and a text in quotes are no two of a kind.
            own = "(" in name, match[2] is None  # is it a call, and written as code
            if not is_beside or (names and own != kind):
                if not (is_open or _are_examples(sentence[:start], sentence[end:])):
                    yield names
                names, start, comes_to = [], match.start(), False
            kind, end, is_open = own, match.end(), comes_to
            names.append(name)
        if not (is_open or _are_examples(sentence[:start], sentence[end:])):
            yield names


def _are_examples(before: str, after: str) -> bool:
    return bool(_FOR_EXAMPLE.search(before[-40:]) or _AND_OTHERS.match(after))


def _atoms(name: str) -> list[str]:
    """What a test has to have of a name: its texts, else its words."""
    texts = [one or other for one, other in _STRING.findall(name)]
    if _ESCAPE.fullmatch(name) or _SETTING.fullmatch(name):
        return [name]
    found: Iterable[str] = texts or _WORD.findall(name)
    return [one for one in found if len(one) >= _LEAST]
