"""Reads whether the words of a task ask for all that an edited test expects otherwise.

Each change has to be said: a number in a demand that names what it is of, a text that a demand shows, or the
same change that the task shows of another text. An assertion of what a task quotes as wrong may become any
other.
"""

from __future__ import annotations

import ast
import difflib
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from bot.diff.python_source import last_name
from bot.task.categories import ASKED, is_preference, keeps
from bot.task.examples.results import newly_asked
from bot.task.examples.values import expression, read_value
from bot.task.permissions import NEGATION
from bot.task.sections import asks
from bot.task.wording import says_what_should_be, tells_of_fault
from bot.text.clipping import clip_line
from bot.text.markdown import read_document
from bot.text.words import Vocabulary, sentences, whole_name, words_of
from bot.values import Requirements, TestComparison

_MOST_TOKENS, _MOST_SHOWN, _SHOWN_CHARS = 400, 60, 60
_LEAST_QUOTED = 4  # letters of a text that is quoted as wrong
_WISHES = re.compile(r"(?i)\b(?:could|can|would)\b[^.?!\n]{0,200}\?\s*\Z")
"""What is politely asked just before a block that shows it: "Could it be one line?"."""
_POLITE = re.compile(r"(?i)^\W*(?:please|could you)\s")
_NUMBER = re.compile(r"(?<![\w.])-?\d[\d_]{0,40}(?:\.\d{1,40})?(?![\w.]*\d)")
_IN_BRACKETS = re.compile(r"\([^()\n]{0,200}\)")
_QUOTED = re.compile(
    r"`([^`\n]{1,400})`|\"([^\"\n]{1,400})\"|\u201c([^\u201d\n]{1,400})\u201d|(?<!\w)'([^'\n]{1,400})'(?!\w)"
)
_INSTEAD = re.compile(
    r"(?i)(?:\b(?:instead of|rather than|no longer|(?:and|but) not)|[,(;]\s?not)\s+(?:the\s)?"
    r"(?:`[^`\n]{1,400}`|\"[^\"\n]{1,400}\"|'[^'\n]{1,400}'|\S+)"
)
_TOKEN = re.compile(r"\w+|[ \t]+|[^\w \t]")
_ASSERTION = re.compile(r"\b(?:assert\w*|expect)\b")
_NAMED = re.compile(
    r"(?<![\w$])[A-Za-z_$][\w$]{0,80}(?=\()|(?<=\.)[A-Za-z_]\w{0,80}|(?<=['\"])\w{1,80}(?=['\"])"
)
_ERROR = re.compile(r"[A-Z]\w{2,80}")
_EXPECTS_ERROR = re.compile(
    r"(?i)\b(?:assert_?)?(?:raises|throws|to_?throw|rejects)|\bexcept\b|\binstanceof\b"
)
_MEASURES = {"len", "abs", "int", "float", "round", "str", "list", "sorted", "repr"}


@dataclass(frozen=True, slots=True)
class _Said:
    """What those who ask write: sentences that demand, and texts that are wanted, wrong, or shown at all.

    Of what one sentence wants `instead` of something, that comes first.
    """

    demands: list[str]
    wanted: list[str]
    wrong: list[str]
    shown: list[str]
    instead: list[tuple[str, str]]
    words: Vocabulary


_Change = tuple[str, object, object]
"""Code that is compared, with the value that it had to have, and the one that it has to have now."""


def asked_in_words(wanted: Requirements, test: TestComparison) -> str:
    """Why the words of a task ask for an edit, as a sentence; "" where they do not, or are the author's."""
    demands = [
        one
        for one in wanted.items
        if one.trust.is_asked and one.category in ASKED and one.origin != "configuration"
    ]
    if not demands:
        return ""
    items = tuple(one.text for one in demands if not one.is_title)
    said, origin = _read(wanted.said, items), demands[0].origin
    changes = list(_changes(test))
    if changes and all(_is_said(said, *one) for one in changes):
        _, before, after = changes[0]
        old, new = _shown(before), _shown(after)
        became = f"`{old}` became `{new}`" if old != new else "only blanks are others"
        return f"What {test.shown} expects changes as {origin} says: {became}."
    other = _other_error(said, test)
    if other and whole_name(other[0]).search("\n".join(wanted.said)):
        return (
            f"What {test.shown} expects changes as {origin} says: `{other[0]}` became `{other[1]}`."
        )
    if quoted := _was_wrong(said, test):
        return f"What {test.shown} expected is what {origin} asks to change: `{_shown(quoted)}`."
    return ""


def _shown(value: object) -> str:
    return clip_line(str(value).replace("`", "'"), _SHOWN_CHARS)


def _changes(test: TestComparison) -> Iterator[_Change]:
    """All that an edit changes; nothing where it changes more than what code is compared with."""
    for one in newly_asked(test.source_before, test.source, of_any=True):
        if one.before != one.result:
            old, new = read_value(one.before), read_value(one.result)
            yield one.call, old and old[0], new and new[0]
    if test.source == test.source_before:
        for snapshot in test.snapshots:
            yield test.source, snapshot.before, snapshot.after


# --- what a task says -------------------------------------------------------------------------


@lru_cache(maxsize=8)
def _read(texts: tuple[str, ...], items: tuple[str, ...]) -> _Said:
    demands, wanted, wrong, shown = list[str](), list[str](), list[str](), list[str]()
    instead: list[tuple[str, str]] = []
    for text in texts:
        title, _, body = text.partition("\n")
        document = read_document(body)
        told = [title, *(s for one in document.passages for s in sentences(one.text))]
        for sentence in filter(None, map(str.strip, told)):
            asked = _INSTEAD.sub(" ", sentence)
            replaced = [quoted for one in _INSTEAD.findall(sentence) for quoted in _texts(one)]
            shown += _texts(sentence)
            if _demands(asked, items):
                demands.append(asked)
                wanted += _texts(asked)
                instead += [(old, new) for old in replaced for new in _texts(asked)]
            elif not keeps(sentence) and tells_of_fault(_QUOTED.sub(" ", f"{title} {sentence}")):
                wrong += _texts(sentence)
            wrong += replaced
        for block in document.blocks:
            lead = [one for one in sentences(block.lead) if one.strip()][-1:]
            texts_of_it = [block.text.strip("\n"), *_texts(block.text)]
            shown += texts_of_it
            is_asked = (asks(block.lead) or _WISHES.search(block.lead)) and not NEGATION.search(
                re.split(r"[.?!]", block.lead)[-1]
            )
            if is_asked or (lead and _demands(lead[0], items)):
                wanted += texts_of_it
    words = Vocabulary(words_of("\n".join(texts)))
    return _Said(demands, wanted, wrong, shown, instead, words)


def _demands(sentence: str, items: tuple[str, ...]) -> bool:
    """Whether a sentence says how something should be, without any negation, and not that it stays."""
    bare = _POLITE.sub("", sentence.strip())
    told = _QUOTED.sub("`text`", bare)  # of which the words demand nothing
    is_asked = says_what_should_be(told) or any(bare in one for one in items)
    denies = NEGATION.search(_IN_BRACKETS.sub(" ", told))
    is_none = denies or keeps(bare) or is_preference(bare)
    return is_asked and not is_none and not bare.endswith("?")


def _texts(sentence: str) -> list[str]:
    """What stands in quotes or as code in it, and in quotes in such code; each also with its escapes read."""
    quoted = [next(filter(None, one)) for one in _QUOTED.findall(sentence)]
    quoted += [next(filter(None, one)) for text in quoted for one in _QUOTED.findall(text)]
    values = (read_value(f'"{one}"') for one in quoted if "\\" in one and '"' not in one)
    return [*quoted, *(str(one[0]) for one in values if one)]


# --- whether it says a change -----------------------------------------------------------------


def _is_said(said: _Said, code: str, before: object, after: object) -> bool:
    if isinstance(before, list | tuple) and isinstance(after, list | tuple):
        pairs = list(zip(before, after, strict=False))
        return len(before) == len(after) and all(
            a == b or _is_said(said, code, a, b) for a, b in pairs
        )
    if isinstance(before, dict) and isinstance(after, dict):
        keys = before.keys() if before.keys() == after.keys() else ()
        return bool(keys) and all(
            before[one] == after[one] or _is_said(said, f"{code}.{one}", before[one], after[one])
            for one in keys
        )
    if isinstance(before, str) and isinstance(after, str):
        return _is_text_said(said, code, before, after)
    are_numbers = all(type(one) in (int, float) for one in (before, after))
    return are_numbers and _is_number_said(said, code, after)


def _is_number_said(said: _Said, code: str, number: object) -> bool:
    """Whether a demand has a number, and all words of the name that the number is of."""
    named = words_of(_name(code))
    for sentence in said.demands:
        known = Vocabulary(words_of(sentence))
        has_it = any(float(one) == number for one in _NUMBER.findall(sentence))
        if has_it and named and all(map(known.knows, named)):
            return True
    return False


def _name(code: str) -> str:
    """What a piece of code asks for by its last name: `size` of `len(box.size())`."""
    node = expression(code)
    while isinstance(node, ast.Call) and node.args and last_name(node.func) in _MEASURES:
        node = node.args[0]
    return last_name(node.func if isinstance(node, ast.Call) else node)


def _is_text_said(said: _Said, code: str, before: str, after: str) -> bool:
    """Whether a demand shows a text, or all of it that differs; or it changes as another that is shown."""
    named = map(words_of, _NAMED.findall(code))
    if not any(one and all(map(said.words.knows, one)) for one in named):
        return False
    lines = [one.rstrip() for one in after.strip('"\n').splitlines()]
    words = re.findall(r"\w+", after)
    shown_lines = {one.rstrip() for text in said.wanted for one in text.splitlines()} - {""}
    if words and {*filter(None, lines)} <= shown_lines and len(before.splitlines()) > 1:
        return True
    same = [one.splitlines() for one in said.wanted if re.findall(r"\w+", one) == words]
    if words and same:  # a demand shows just this text, which has no other blanks and marks then
        return any([one.rstrip() for one in shown] == lines for shown in same)
    parts = _parts(before, after)
    instead = [
        _parts(*pair) for pair in said.instead[:_MOST_SHOWN] if set.intersection(*map(_words, pair))
    ]
    known = _same_words(said).union(*instead)
    # of what is wanted instead, no part comes without the others
    is_whole = all(len({parts.count(one) for one in pair}) < 2 for pair in instead)
    return (
        bool(parts) and is_whole and all(one in known or _is_shown(said, one[1]) for one in parts)
    )


def _is_shown(said: _Said, come: str) -> bool:
    """Whether a text that a demand shows has these words, as whole words."""
    found = come.strip()
    whole = re.compile(rf"(?<!\w){re.escape(found)}(?!\w)")
    return re.search(r"\w", found) is not None and any(map(whole.search, said.wanted))


def _parts(before: str, after: str) -> list[tuple[str, str]]:
    """The runs of tokens that were replaced; of blanks any number is one."""
    old, new = (_TOKEN.findall(one)[:_MOST_TOKENS] for one in (before, after))
    matcher = difflib.SequenceMatcher(None, old, new, autojunk=False)
    found = [
        ("".join(old[a:b]), "".join(new[c:d]))
        for kind, a, b, c, d in matcher.get_opcodes()
        if kind != "equal"
    ]
    is_cut = len(old) == _MOST_TOKENS or len(new) == _MOST_TOKENS
    return [] if is_cut else [(_as_one(gone), _as_one(come)) for gone, come in found]


def _as_one(text: str) -> str:
    return re.sub(r"[ \t]+", " ", text)


def _same_words(said: _Said) -> set[tuple[str, str]]:
    """The blanks and marks that are other ones where the task shows the same words as wanted."""
    found: set[tuple[str, str]] = set()
    for wanted in said.wanted[:_MOST_SHOWN]:
        for other in said.shown[:_MOST_SHOWN]:
            words = re.findall(r"\w+", wanted)
            if words and words == re.findall(r"\w+", other):
                found.update(_parts(other, wanted))
    return found


def _words(text: str) -> set[str]:
    return {*re.findall(r"\w+", text)}


def _was_wrong(said: _Said, test: TestComparison) -> str:
    """The first text that the task quotes as wrong, where each line that went asserted such a text; or "".

    In place of each, something of the same is asserted, and nothing expects that text still. It is as good
    where what is expected now is another text that a demand shows, with whatever numbers.
    """
    lines = test.source_before.splitlines(), test.source.splitlines()
    quoted: list[str] = []
    for kind, a, b, c, d in difflib.SequenceMatcher(None, *lines, autojunk=False).get_opcodes():
        if kind == "equal":
            continue
        come = lines[1][c:d]
        asserted = " ".join(one for one in come if _ASSERTION.search(one))
        for line in lines[0][a:b]:
            now = "\n".join(come)
            found = [one for one in said.wrong if _asserts(line, one) and one not in now]
            found = found or [one for one in said.shown if _became_wanted(said, one, line, come)]
            if not found or not _names(line) & _names(asserted):
                return ""
            quoted.append(found[0])
        if a == b:
            return ""
    return quoted[0] if quoted else ""


def _other_error(said: _Said, test: TestComparison) -> tuple[str, str] | None:
    """Return the error that a test expected and the one that a demand names, where no more is changed."""
    pairs = {*_parts(test.source_before, test.source)}
    if len(pairs) != 1:
        return None
    ((before, after),) = pairs
    if not (_ERROR.fullmatch(before) and _ERROR.fullmatch(after)):
        return None
    kept = {*test.source_before.splitlines()}
    lines = [one for one in test.source.splitlines() if one not in kept]
    are_expected = all(_EXPECTS_ERROR.search(one) for one in lines)
    is_asked = any(map(whole_name(after).search, said.demands))
    return (before, after) if are_expected and is_asked else None


def _became_wanted(said: _Said, shown: str, line: str, come: list[str]) -> bool:
    """Whether a line that went expects a text of the task, and one that came another, which is demanded."""
    old = _any_numbers(shown)
    after = {
        text for one in map(_any_numbers, come) if _ASSERTION.search(one) for text in _texts(one)
    }
    wanted = after.intersection(map(_any_numbers, said.wanted)) - {old}
    return (
        " " in shown.strip()
        and bool(wanted)
        and _asserts(_any_numbers(line), old)
        and old not in after
    )


def _any_numbers(text: str) -> str:
    return _NUMBER.sub("0", text)


def _names(line: str) -> set[str]:
    return _words(_ASSERTION.sub(" ", _QUOTED.sub(" ", line))) - {"in", "not", "is"}


def _asserts(line: str, quoted: str) -> bool:
    """Whether a line expects a text: all of what it expects, or some words of it."""
    text = quoted.strip()
    if len(text) < _LEAST_QUOTED or not _ASSERTION.search(line):
        return False
    return any(text == one.strip() or (" " in text and text in one) for one in _texts(line))
