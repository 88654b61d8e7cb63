"""Where in the code a requirement is most likely about, and why: by mention, then by shared words."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from heapq import nlargest
from typing import NamedTuple

from bot.evidence.code_map.index import CodeIndex, Symbol
from bot.text.words import MIN_PREFIX, name_words, words_of
from bot.values import LocatedPlace
from sandbox.code_map.facts import Definition

PLACES = 3
_SPELLED = re.compile(
    r"`([^`\n]{2,80})`|\b(\w+(?:[._/:-]+\w+)+|(?=[^\Wa-z]*[a-z][^\WA-Z]*[A-Z])\w+)\b"
)
_LAST = re.compile(r"\w+(?=\W*$)")
_LEAST = 0.18  # share of the requirement's telling words that a place has to meet
_TEXT_CHARACTERS = 4_000
_BONUS = 0.15  # of what this pull request changes
_LOOKED_INTO = 200
_UNKNOWN = 0.3
_PATH_WEIGHT, _USE_WEIGHT = 0.7, 0.3


def locate(
    text: str, index: CodeIndex, changed: Iterable[Symbol] = (), most: int = PLACES
) -> tuple[LocatedPlace, ...]:
    """Return the best places for a text, the best first; none when nothing shares a telling word.

    `changed` are the symbols that the change touches: of equals they come first. Tests are left out.
    """
    touched, text = set(changed), text[:_TEXT_CHARACTERS]
    # The names that it spells as code does: quoted, dotted, with a path or a capital inside.
    spelled: set[str] = set()
    for quoted, bare in _SPELLED.findall(text):
        whole = quoted or bare
        spelled.add(whole)
        if name := _LAST.search(whole.split("(", 1)[0]):
            spelled.add(name[0])
    request = _Request(text, spelled, _weights(words_of(text), index))
    changed_files = {symbol.path for symbol in touched}

    def rank(one: _Candidate) -> float:
        match, path, found = one
        is_touched = path in changed_files and Symbol(path, found) in touched
        return match.score + _BONUS * is_touched

    nearest = nlargest(_LOOKED_INTO, _candidates(request, index), key=rank)
    symbols = ((Symbol(path, found), match) for match, path, found in nearest)
    scored = [(symbol, _looked_into(symbol, match, request, index)) for symbol, match in symbols]
    ranked = sorted(
        (one for one in scored if one[1].score >= _LEAST),
        key=lambda one: (
            -one[1].score - _BONUS * (one[0] in touched),
            one[0].path,
            one[0].definition.line,
        ),
    )
    # Methods of one name in one file are one place to look at.
    places: dict[str, tuple[Symbol, _Match]] = {}
    for symbol, match in ranked:
        places.setdefault(symbol.place.words, (symbol, match))
    best = [*places.values()][:most]
    return tuple(_told(symbol, match, request, symbol in touched) for symbol, match in best)


@dataclass(frozen=True, slots=True)
class _Request:
    """A text, the names it spells as code does, and how much each of its words tells."""

    text: str
    named: set[str]
    weights: dict[str, float]

    def shared(self, name: str) -> frozenset[str]:
        """The telling words of the text that a name has, too."""
        return name_words(name).intersection(self.weights)

    def share(self, words: frozenset[str], weight: float = 1.0) -> float:
        """How much of the text some of its words make up, 0 to 1."""
        if not words:
            return 0.0
        whole = sum(self.weights.values()) or 1.0
        return weight * sum(self.weights[word] for word in words) / whole


class _Match(NamedTuple):
    """How near a name is, and why: a clause, or the stems that it shares."""

    score: float
    why: str = ""
    shared: frozenset[str] = frozenset()


_Candidate = tuple[_Match, str, Definition]
"""A match, the file's path, the definition: a big repository has a million, so nothing is built."""


def _candidates(request: _Request, index: CodeIndex) -> Iterator[_Candidate]:
    """Match every symbol outside of the tests by its name and its file's name; no match, no candidate."""
    in_names: dict[str, frozenset[str]] = {}
    matches: dict[tuple[frozenset[str], frozenset[str]], _Match] = {}
    for path, file in index.sources.items():
        in_path = request.shared(path)
        is_named = path in request.named or path.rpartition("/")[2] in request.named
        share = 0.5 * request.share(in_path, _PATH_WEIGHT)
        of_file = (
            _FILE_NAMED if is_named else _Match(share, "its file's name shares a word with it")
        )
        for found in file.facts.definitions:
            name = found.name
            if name not in in_names:
                in_names[name] = request.shared(name)
            in_name = in_names[name]
            if name in request.named and len(name) > 2:
                yield _NAMED, path, found
            elif in_name and not is_named:
                if (in_name, in_path) not in matches:
                    met = request.share(in_name) + request.share(in_path - in_name, _PATH_WEIGHT)
                    matches[in_name, in_path] = _Match(met, "", in_name | in_path)
                yield matches[in_name, in_path], path, found
            elif of_file.score:
                yield of_file, path, found


_NAMED = _Match(0.85, "named in the requirement")
_FILE_NAMED = _Match(0.8, "its file is named in the requirement")


def _looked_into(symbol: Symbol, one: _Match, request: _Request, index: CodeIndex) -> _Match:
    """Add what the names that a symbol uses share with the text."""
    if not one.shared:
        return one
    found = symbol.definition
    used = (
        name
        for name, lines in index.files[symbol.path].facts.uses.items()
        if any(found.line <= line <= found.end_line for line in lines)
    )
    shared = request.shared(" ".join(used)) - one.shared
    return one._replace(score=one.score + request.share(shared, _USE_WEIGHT))


def _weights(wanted: frozenset[str], index: CodeIndex) -> dict[str, float]:
    """How much each wanted word tells: the fewer symbols have it in their names, the more.

    A word that nothing is called by tells little; it may stand here in another form.
    """
    seen = index.vocabulary
    known: set[str] = set()
    for word in wanted:
        # As the code has it: itself, or its longest beginning of five letters or more.
        beginnings = (word[:n] for n in range(len(word), MIN_PREFIX - 1, -1))
        known.add(next((one for one in beginnings if one in seen), word))
    total = index.symbols.total()
    return {
        word: math.log(1 + total / (1 + seen[word])) if word in seen else _UNKNOWN for word in known
    }


def _told(symbol: Symbol, one: _Match, request: _Request, is_changed: bool) -> LocatedPlace:
    """Say why, with the shared words as the requirement spells them."""
    why = one.why
    if one.shared:
        said = [
            f"“{word}”"
            for word in dict.fromkeys(re.findall(r"\w+", request.text))
            if any(stem.startswith(shared) for stem in name_words(word) for shared in one.shared)
        ]
        why = f"shares {', '.join(said[:4])} with it"
    why += "; this pull request changes it" if is_changed else ""
    return LocatedPlace(symbol.place, round(min(one.score, 1.0), 3), why)
