"""Where in the code a requirement is most likely about, and why: by mention, then by shared words."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache

from bot.judge.code.index import CodeIndex, Symbol
from bot.judge.paths import is_test_path
from bot.judge.words import MIN_PREFIX, words_of
from bot.models import LocatedPlace

PLACES = 3
_SPELLED = re.compile(r"`([^`\n]{2,80})`|\b(\w+(?:[._/:-]+\w+)+|\w*[a-z]\w*[A-Z]\w*)\b")
_LAST = re.compile(r"\w+(?=\W*$)")
_LEAST = 0.18  # share of the requirement's telling words that a place has to meet
_TEXT_CHARACTERS = 4_000
_CHANGED_BONUS = 0.15
_UNKNOWN = 0.3
_PATH_WEIGHT, _USE_WEIGHT = 0.7, 0.3


def locate(
    text: str, index: CodeIndex, changed: Iterable[Symbol] = (), most: int = PLACES
) -> tuple[LocatedPlace, ...]:
    """Return the best places for a text, the best first; none when nothing shares a telling word.

    `changed` are the symbols that the change touches: of equals they come first. Tests are left out.
    """
    touched, text = set(changed), text[:_TEXT_CHARACTERS]
    named = set(_spelled(text))
    wanted = words_of(text)
    symbols = [one for one in _symbols(index) if not is_test_path(one.path)]
    weights = _weights(wanted, symbols)
    scored = []
    for symbol in symbols:
        score, why = _score(symbol, named, weights, index)
        if score >= _LEAST:
            bonus = _CHANGED_BONUS if symbol in touched else 0.0
            told = _told(why, text) + ("; this pull request changes it" if bonus else "")
            scored.append(LocatedPlace(symbol.place, round(min(score + bonus, 1.0), 3), told))
    scored.sort(key=lambda one: (-one.score, one.place.path, one.place.line))
    return tuple(scored[:most])


def _symbols(index: CodeIndex) -> Iterator[Symbol]:
    for file in index.files.values():
        yield from (Symbol(file.path, definition) for definition in file.facts.definitions)


def _spelled(text: str) -> Iterator[str]:
    """The names that a text spells as code does: quoted, dotted, with a path or a capital inside."""
    for quoted, bare in _SPELLED.findall(text):
        whole = quoted or bare
        yield whole
        name = _LAST.search(whole.split("(", 1)[0])
        if name:
            yield name[0]


def _weights(wanted: frozenset[str], symbols: Sequence[Symbol]) -> dict[str, float]:
    """How much each wanted word tells: the fewer symbols have it in their names, the more.

    A word that nothing is called by tells little; it may stand here in another form.
    """
    seen = Counter(word for one in symbols for word in _words(one.definition.name))
    seen.update(word for path in {one.path for one in symbols} for word in _words(path))
    known = {_as_known(word, seen) for word in wanted}
    return {
        word: math.log(1 + len(symbols) / (1 + seen[word])) if word in seen else _UNKNOWN
        for word in known
    }


def _as_known(word: str, seen: Counter[str]) -> str:
    """A word as the code has it: itself, or its longest beginning of five letters or more."""
    beginnings = (word[:n] for n in range(len(word), MIN_PREFIX - 1, -1))
    return next((one for one in beginnings if one in seen), word)


def _score(
    symbol: Symbol, named: set[str], weights: dict[str, float], index: CodeIndex
) -> tuple[float, str | frozenset[str]]:
    """Return a score of 0 to 1, and the reason or the shared stems."""
    name, path = symbol.definition.name, symbol.path
    if name in named and len(name) > 2:
        return 0.85, "named in the requirement"
    if path in named or path.rpartition("/")[2] in named:
        return 0.8, "its file is named in the requirement"
    in_name, in_path = _words(name) & weights.keys(), _words(path) & weights.keys()
    shared = in_name | in_path
    if not shared:
        return 0.0, ""
    whole = sum(weights.values()) or 1.0
    met = sum(weights[word] for word in in_name)
    met += _PATH_WEIGHT * sum(weights[word] for word in in_path - in_name)
    used = _words(" ".join(_used(symbol, index))) & weights.keys() - shared
    met += _USE_WEIGHT * sum(weights[word] for word in used)
    share = met / whole
    return (share, shared) if in_name else (share * 0.5, _IN_PATH)


_IN_PATH = "its file's name shares a word with it"


def _used(symbol: Symbol, index: CodeIndex) -> Iterator[str]:
    found = symbol.definition
    for name, lines in index.files[symbol.path].facts.uses.items():
        if any(found.line <= line <= found.end_line for line in lines):
            yield name


def _told(why: str | frozenset[str], text: str) -> str:
    """Say the shared stems as the requirement spells them."""
    if isinstance(why, str):
        return why
    spelled = {_words(word): word for word in reversed(re.findall(r"\w+", text)) if _words(word)}
    said = [word for stems, word in spelled.items() if _meets(stems, why)]
    return f"shares {', '.join(f'“{word}”' for word in said[:4])} with it"


def _meets(stems: frozenset[str], shared: frozenset[str]) -> bool:
    return any(one.startswith(word) for one in stems for word in shared)


@lru_cache(maxsize=100_000)
def _words(name: str) -> frozenset[str]:
    return words_of(name)
