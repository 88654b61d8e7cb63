"""How far the prose of a test plan can be held against a program's output without a model.

Only what the plan quotes can be looked for, and only where its sentence says that it is shown and does
not hedge ("such as", "e.g.", "or"). That all of it was printed satisfies an item only when the prose
says nothing else: every other word is one of a closed list, or a word of the item's own name.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum

from rapidfuzz import fuzz

from bot.text.words import sentences
from bot.values import PlanItem
from sandbox.terminal.compare import ANSI

_QUOTED = re.compile(
    r"(?<![\w'])'([^'\n]{2,160})'(?![\w'])|\"([^\"\n]{2,160})\"|`([^`\n]{2,160})`|“([^”\n]{2,160})”"
)
_ASSERT = re.compile(r"(?is)\*\*\s*assert[^*]*\*\*:?(.*?)(?=\n\s*\d+\.\s*\*\*|\Z)")
_HEDGED = re.compile(
    r"(?i)\bsuch as\b|\be\.?g\b|\bfor (example|instance)\b|\bsimilar\b|\blike\b|\bor\b|\betc\b|"
    r"\bformat\b|\bequivalent\b|\bpossibly\b|\boptional"
)
_TURNED = re.compile(
    r"(?i)\b(not|no longer|never|without|remov\w*|delet\w*|reject\w*|instead|neither|nor|hid\w*|"
    r"clear(s|ed|ing)\b|enter\w*|input(s|ting)\b|select\w*|choos\w*|typ(e|es|ing)\b)"
)
_SHOWN = re.compile(
    r"(?i)\b(display|show|print|output|contain|includ|list|visible|appear|indicat|present)\w*"
)
_MENU = re.compile(r"(?i)\b(sub-?)?menus?\b|\boptions?\b")
_PLACEHOLDER = re.compile(r"[\[{<].{0,200}[\]}>]|\bX{1,3}\b|\.\.\.|…|^%|\*\*")
_FILE = re.compile(r"^[\w./-]+\.[A-Za-z]\w{0,5}$")
_SHOWING = """
a all also an and are as be check clear clearly complete completely confirm contain contains
containing correct correctly data display displayed displaying displays each every exit exits
expected five following four from full fully in include included includes including is it its
launched list listed lists main menu message messages normally observe of on once option
options output outputs present print printed prints program prompt properly should show shown
shows six start started starts starting submenu successfully system that the then these three
to two user verify when whether will with
"""
_ONLY_SHOWING = frozenset(_SHOWING.split())
_MADE = re.compile(r"(?i)\b(created|generated|exported to|saved|written)\b")
_PATH = re.compile(r"(?<![\w./-])(?:[\w.-]+/)*[\w-]+\.[A-Za-z]{2,5}(?![\w/])")
_ALIKE_RATIO, _ALIKE_WORDS_RATIO = 72.0, 80.0
_LEAST_LETTERS = 3


class HowPrinted(StrEnum):
    """Whether a demanded text was printed."""

    WHOLLY = "wholly"  # together, in order
    APART = "apart"  # every text somewhere, but not as one list
    ALIKE = "alike"  # something like what is missing was printed
    PARTLY = "partly"  # some of it, and nothing like the rest
    NOT = "not"


@dataclass(frozen=True, slots=True)
class Demand:
    """The texts that one sentence of the plan says are shown."""

    texts: tuple[str, ...]
    is_menu: bool = False


@dataclass(frozen=True, slots=True)
class Quotations:
    """What an item's prose demands to be printed; `is_all` when it demands nothing else."""

    demands: tuple[Demand, ...]
    is_all: bool


def quotations(item: PlanItem, typed: str) -> Quotations:
    """Find the demanded texts of an item. `typed` is what its input says: that is no output."""
    prose = [*_ASSERT.findall(item.description), item.expected_output]
    told = [s.strip() for text in prose for s in sentences(_joined(text)) if s.strip()]
    demands: dict[Demand, None] = {}
    is_all = bool(told)
    allowed = _ONLY_SHOWING | set(_words(item.metric))
    for sentence in told:
        demand, around = _demand(sentence, typed), _unquoted(sentence)
        if demand is not None:
            demands[demand] = None
        is_plain = not _HEDGED.search(around) and set(_words(around)) <= allowed
        is_all = is_all and is_plain and (demand is not None or not _quoted(sentence))
    return Quotations(tuple(demands), is_all and bool(demands))


def printed(demand: Demand, output: str) -> HowPrinted:
    """Look for a demand in what was printed, whatever the capitals and the spacing."""
    lines = [_plain(line) for line in ANSI.sub("", output).splitlines()]
    wanted = [_plain(text) for text in demand.texts]
    if _in_one_block(wanted, lines):
        return HowPrinted.WHOLLY
    whole = " ".join(lines)
    missing = [text for text in wanted if text not in whole]
    if not missing:
        return HowPrinted.APART
    # Something was printed that a person could take for each of them.
    if all(
        fuzz.partial_ratio(text, whole) >= _ALIKE_RATIO
        or any(fuzz.token_set_ratio(text, line) >= _ALIKE_WORDS_RATIO for line in lines)
        for text in missing
    ):
        return HowPrinted.ALIKE
    return HowPrinted.PARTLY if len(missing) < len(wanted) else HowPrinted.NOT


def left_out(demand: Demand, screens: Iterable[str]) -> tuple[str, ...]:
    """The texts of a menu that are missing where the most of the others are shown; none if unsure."""
    if not demand.is_menu:
        return ()
    wanted = [_plain(text) for text in demand.texts]
    shown = [_plain(ANSI.sub("", screen)) for screen in screens]
    missing = [[text for text in wanted if text not in one] for one in shown]
    best = min(missing, key=len, default=wanted)
    return tuple(best) if best and len(wanted) - len(best) > 1 else ()


def is_printed_whole(item: PlanItem, output: str, typed: str) -> bool:
    """Whether the expected output itself stands in the output, word for word, and nobody typed it."""
    wanted = _plain(item.expected_output)
    if len(wanted) < 12 or len(wanted.split()) < 3:
        return False
    return wanted in _plain(ANSI.sub("", output)) and wanted not in _plain(typed)


def made_files(item: PlanItem) -> tuple[str, ...]:
    """The files that the expected output says are made, without any hedging."""
    found: dict[str, None] = {}
    for sentence in sentences(_joined(item.expected_output)):
        if _MADE.search(sentence) and not (_HEDGED.search(sentence) or _TURNED.search(sentence)):
            bare = sentence.replace("\N{ONE DOT LEADER}", ".")
            found |= dict.fromkeys(path for path in _PATH.findall(bare))
    return tuple(path for path in found if path not in item.input_files)


# --- reading the prose --------------------------------------------------------------------------


def _joined(text: str) -> str:
    """Sentences end outside quotations only: points in a quotation are held back."""
    return _QUOTED.sub(lambda match: re.sub(r"[.;!?]\s", "\N{ONE DOT LEADER} ", match[0]), text)


def _quoted(sentence: str) -> list[str]:
    found = [next(part for part in match if part) for match in _QUOTED.findall(sentence)]
    return [text.replace("\N{ONE DOT LEADER}", ".").strip() for text in found]


def _unquoted(sentence: str) -> str:
    return _QUOTED.sub(" ", sentence)


def _demand(sentence: str, typed: str) -> Demand | None:
    around = _unquoted(sentence)
    texts = tuple(dict.fromkeys(_quoted(sentence)))
    if not texts or _HEDGED.search(around) or _TURNED.search(around) or not _SHOWN.search(around):
        return None
    entered = {line.strip() for line in typed.splitlines()}
    for text in texts:
        letters = sum(character.isalnum() for character in text)
        is_no_output = letters < _LEAST_LETTERS or _PLACEHOLDER.search(text) or _FILE.match(text)
        if is_no_output or text in entered:
            return None
    return Demand(texts, is_menu=bool(_MENU.search(around)))


def _words(text: str) -> Iterator[str]:
    return (word.casefold() for word in re.findall(r"[^\W\d_]+", text))


def _plain(text: str) -> str:
    return " ".join(text.casefold().split())


def _in_one_block(wanted: list[str], lines: list[str]) -> bool:
    """Whether all texts stand in this order within few lines: a menu, not words from all over."""
    for start in range(len(lines)):
        block = "\n".join(lines[start : start + 2 * len(wanted)])
        place = 0
        for text in wanted:
            place = block.find(text, place)
            if place < 0:
                break
            place += len(text)
        else:
            return True
    return False
