"""Turns prose and code into comparable words: identifiers split, stop words dropped, endings cut."""

from __future__ import annotations

import re
from collections.abc import Collection
from functools import lru_cache
from itertools import pairwise

_END = r"(?<=[.!?;])\s+"
_SENTENCE = re.compile(rf"{_END}|\n")
_WRAPPED = re.compile(
    r"^(\S.{58,}(?:[a-z,](?=\n[`\"'(A-Za-z])|[\w`)\"'](?=\n[a-z])))\n", re.MULTILINE
)
_SENTENCE_OF_A_PARAGRAPH = re.compile(rf"{_END}|\n{{2,}}")
_STOP_WORDS = (
    "a about after all also an and any are as assert at be been being both but by can case cases "
    "class code could def do does done each ensure every expect expected fix fixed fixes for from "
    "function get given has have how i if implement import in instead into is issue it its just "
    "like make makes may method methods more must need needs no new non not now of on only or "
    "other our out own please pr properly pull request requirement return returned returns self "
    "shall should so some still such support test testcase tests than that the their them then "
    "there these they this those to up use used uses using via was we well were what when where "
    "which while who will with within work working works would yet you bug change changed changes "
    "check checks correct correctly true false pytest mark parametrize unittest fixture result "
    "results value values actual parameter"
)
_STOP = frozenset(_STOP_WORDS.split())
_IDENTIFIER = re.compile(r"[^\W\d_]+(?:'\w+)?|\d+", re.UNICODE)
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_NAMES = re.compile(r"\w+")
_LITERALS = (
    (re.compile(r"(?<![\w\])'\"])(?:''|\"\"|\[\]|\{\}|\(\))(?!['\"])"), "empti"),
    (re.compile(r"(?<![\w.])-\d"), "negat"),
)
_SPELLED = {"0": "zero", "none": "none", "null": "none", "nothing": "none", "exception": "error"}
MIN_PREFIX = 5
_LONGEST_PREFIX = 60  # letters; no word that people say is longer


def words_of(text: str) -> frozenset[str]:
    """The telling words of prose or code, as stems."""
    found = set()
    for chunk in _IDENTIFIER.findall(
        _CAMEL.sub(" ", text.replace("_", " ").replace("\u2019", "'"))
    ):
        word = chunk.casefold().split("'")[0]
        if word in _STOP or (len(word) < 2 and not word.isdigit()):
            continue
        found.add(stem(_SPELLED.get(word, word)))
    return frozenset(found)


def joined_words(names: str) -> frozenset[str]:
    """Return each two neighbours in names as the one word that others write: `GetItem` is `getitem`."""
    parts = (_CAMEL.sub("_", one).casefold().strip("_").split("_") for one in _NAMES.findall(names))
    return frozenset(stem(a + b) for one in parts for a, b in pairwise(one) if a and b)


@lru_cache(maxsize=100_000)
def name_words(name: str) -> frozenset[str]:
    """`words_of` a name, which a repository has many times over."""
    return words_of(name)


def code_words(source: str) -> frozenset[str]:
    """The words of code, and in words what its literals show: nothing between quotes is `empty`."""
    shown = {word for pattern, word in _LITERALS if pattern.search(source)}
    return words_of(source) | shown


_ENDINGS = (
    "ization", "ations", "ation", "ings", "ing", "ions", "ive", "ion", "ed", "es", "ly", "er", "s",
)  # fmt: skip


@lru_cache(maxsize=20_000)
def stem(word: str) -> str:
    """A word without its English endings; crude, but the same for `raises`, `raised`, `raising`."""
    if len(word) > 4 and word.endswith("ies"):
        word = word[:-3] + "y"
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            word = word[: -len(ending)]
            break
    if len(word) > 3 and word.endswith(("e", "y")):
        word = word[:-1] + ("i" if word.endswith("y") else "")
    return word


class Vocabulary:
    """A set of stems that also knows a word by its beginning, and those that are `joined`."""

    __slots__ = ("_beginnings", "_joined", "words")

    def __init__(self, words: frozenset[str], joined: frozenset[str] = frozenset()) -> None:
        self.words, self._joined = words, joined
        self._beginnings = {word[:n] for word in words for n in _prefixes(word)}

    def knows(self, word: str) -> bool:
        """Whether the word is here: equal, or one begins the other by five letters or more."""
        if word in self.words or word in self._joined or word in self._beginnings:
            return True
        return any(word[:n] in self.words for n in _prefixes(word))


def _prefixes(word: str) -> range:
    """How long the beginnings of a word are by which it is known."""
    return range(MIN_PREFIX, min(len(word), _LONGEST_PREFIX))


_AS_CODE = re.compile(r"(`[^`\n]*`|\"[^\"\n]*\")")
_NAME = re.compile(r"(?<![\w.$-])[A-Za-z_$][\w$]{2,}(?![\w$(-]|\.\w)")


def written_as_code(text: str, names: Collection[str]) -> str:
    """Put into code marks what stands in a text as a plain word and is one of these names."""
    parts = _AS_CODE.split(text) if names else [text]
    parts[::2] = (
        _NAME.sub(lambda found: f"`{found[0]}`" if found[0] in names else found[0], one)
        for one in parts[::2]
    )
    return "".join(parts)


def whole_name(name: str) -> re.Pattern[str]:
    """Return the pattern that finds a name of code where it stands alone; `$` is a letter of names."""
    return re.compile(rf"(?<![\w$]){re.escape(name)}(?![\w$])")


def sentences(text: str) -> list[str]:
    """Return the sentences and lines of a text, wrapped lines as one; some may be empty."""
    return _SENTENCE.split(unwrapped(text))


def unwrapped(text: str) -> str:
    """Return a text with the lines of its paragraphs joined where a long one ends within a sentence."""
    return _WRAPPED.sub(r"\1 ", text)


def sentences_of_paragraphs(text: str) -> list[str]:
    """Return the sentences of a text whose lines may be wrapped; some may be empty."""
    return _SENTENCE_OF_A_PARAGRAPH.split(text)
