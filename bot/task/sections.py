"""Tells from headings and leading sentences whether a list states demands."""

from __future__ import annotations

import re
from collections.abc import Container, Iterable
from enum import StrEnum

from bot.task.categories import MODAL, MUST
from bot.text.markdown import ListItem

_List = tuple[str, tuple[str, ...]]
"""The paragraph just before a list, and the headings above it."""


class SectionKind(StrEnum):
    """What a part of an issue or pull request is for."""

    DEMANDS = "demands"
    WISHES = "wishes"
    OTHER = "other"  # steps to reproduce, versions, logs, talk: nothing is demanded there
    NEUTRAL = "neutral"


_OTHER = re.compile(
    r"reprod|^steps\b|environment|^versions?\b|system info|set-?up info|actual|current behaviou?r|"
    r"observed|stack ?trace|traceback|\blogs?\b|output|additional (?:context|info)|screenshots?|"
    r"alternatives?|before (?:submitting|you)|^context|related|references?|^links?|out of scope|"
    r"non-?goals|motivation|background|types? of change|how .*(?:tested|verified)|^test(?:ing|ed)\b|"
    r"\btest(?:ing)? (?:done|plan|results?)|^verif(?:ied|ication)\b|^(?:manual )?qa\b|"
    r"describe the bug|what happened|^problem|root cause|^questions?|^notes?\b|^credits|reviewers?|"
    r"release notes?$|^changelog$|what(?:'s| is)? changed|^changes$|^summary|^description$",
    re.IGNORECASE,
)
_DEMANDS = re.compile(
    r"acceptance|requirements?\b|expected|definition of done|^to-?do|^tasks?$|desired|"
    r"what should|must\b|should\b|deliverables?|^goals?$|success criteria|specification|"
    r"proposed (?:solution|behaviou?r|changes?)|^scope$",
    re.IGNORECASE,
)
_WISHES = re.compile(r"nice[- ]to[- ]have|optional|stretch|would be nice|bonus|wish", re.IGNORECASE)
_NOT_DEMANDING_LEAD = re.compile(
    r"reproduc|\bsteps?\b|\btried\b|environment|versions?\b|currently|actual|observed|happens|"
    r"traceback|\blogs?\b|i (?:ran|run|get|see|use|am)\b|for example|e\.g\.|"
    r"because|following (?:error|output|code)|"
    r"(?:two|three|several|some|a few|possible|either of (?:the|these)) "
    r"(?:options|alternatives|possibilities|solutions|approaches|ways|choices)\b",
    re.IGNORECASE,
)
_ASKING = re.compile(
    rf"\b(?:{MUST}|require[sd]?|requirements?|expected|"
    r"want|would (?:like|love)|please|criteria|demands?|done when|missing|lacks?|lacking"
    r"|let (?:(?:the|our|your|any) )?(?:users?|callers?|people|everybody|me|us|them|one))\b",
    re.IGNORECASE,
)
_DEMANDING_VERBS = (
    "add allow accept avoid calculate change check convert create delete deprecate detect disallow "
    "drop emit enable ensure expose fix forbid format handle ignore implement include keep limit log "
    "make match move never only parse pass prevent preserve print provide raise read refuse reject remove "
    "rename replace require respect return round show skip sort stop store strip support throw treat update "
    "use validate warn write yield"
)
_DEMANDING = rf"(?:{_DEMANDING_VERBS.replace(' ', '|')})(?:s|es)?"
_DEMANDING_START = re.compile(rf"^(?:`[^`]+`\s+)?(?:do not|don't|{_DEMANDING})\b", re.IGNORECASE)
SIGNATURE = re.compile(
    r"`(?:\w{1,60}\.){0,4}(?P<name>[A-Za-z_$]\w{0,60})\((?P<given>(?=[^`()\n]*[=*])[^`\n]{1,200})\)`\s?(?::|-|\u2013|\u2014)\s"
)
"""What an item begins with that says what a function is to take: `take(name, *, timeout=None)`: …"""
_FAULTY = re.compile(
    r"\b(?:crash\w*|hangs?|fails?|wrong\w*|broken|ignored|traceback|doesn't|does not|instead of)\b",
    re.IGNORECASE,
)
_DONE = re.compile(
    r"^\W*(?:i(?:'ve| have)?\s+)?(?:manually |locally )?(?:verified|tested|confirmed|checked|ran|reviewed)\b"
    r"|^\W*(?:\w+ ){0,5}(?:tests?|suites?|checks|ci|lint(?:ing|er)?|build)"
    r"(?: suite)? (?:still )?(?:pass(?:es|ed|ing)?|succeed(?:s|ed)?|(?:is|are) (?:green|passing))\b",
    re.IGNORECASE,
)
"""Ticked: what somebody did to see whether a change is right, and no demand of it."""
_STATING = re.compile(
    # "`pause()` starts no new jobs"
    rf"\A`[\w.$]{{1,80}}\([^`\n]{{0,200}}\)`\s[a-z]{{2,20}}s\b"
    rf"|\b(?:{_DEMANDING}|gives?|becomes?|defaults?|equals?|means?|sets?|takes?|works?|fails?)\b",
    re.IGNORECASE,
)


_HOPING = re.compile(
    r"\b(?:would be (?:great|good|useful|helpful|handy)|(?:(?:we|i)'d|would) (?:like|love)|(?:we|i) need|"
    r"please)\b",
    re.IGNORECASE,
)


_VAGUE = re.compile(
    r"(?:some(?:thing| way| kind| sort)|any(?:thing| way)|a way|maybe|perhaps)\b", re.IGNORECASE
)
"""What an item begins with that says no more than for what something is wanted: no words tie a test to it."""


def section_kind(headings: tuple[str, ...]) -> SectionKind:
    """What the innermost telling heading says, outermost last."""
    for heading in reversed(headings):
        for kind, pattern in (
            (SectionKind.WISHES, _WISHES),
            (SectionKind.DEMANDS, _DEMANDS),
            (SectionKind.OTHER, _OTHER),
        ):
            if pattern.search(heading):
                return kind
    return SectionKind.NEUTRAL


def asks(lead: str) -> bool:
    """Whether the last sentence before a list or a block ends with a colon and asks for something."""
    sentence = re.split(r"[.?!]", lead.rstrip())[-1]
    return sentence.endswith(":") and _ASKING.search(sentence) is not None


def item_kind(item: ListItem, *, title_asks: bool) -> SectionKind:
    """Whether one top-level list item is a demand, a wish, or neither.

    A list right below a title that asks for something says what the title means.
    """
    kind = section_kind(item.headings)
    if kind is not SectionKind.NEUTRAL:
        return kind
    if _WISHES.search(item.lead):
        return SectionKind.WISHES
    if item.ticked and _DONE.search(item.text):
        return SectionKind.OTHER
    if item.ticked is not None or (asks(item.lead) and not _VAGUE.match(item.text)):
        return SectionKind.DEMANDS
    is_below_title = title_asks and not item.lead and not item.headings
    told = not _NOT_DEMANDING_LEAD.search(item.lead) and (
        MODAL.search(item.text)
        or (item.number and _DEMANDING_START.search(item.text))
        or (is_below_title and _STATING.search(item.text))
        or (SIGNATURE.match(item.text) and not _FAULTY.search(item.text))
    )
    return SectionKind.DEMANDS if told else SectionKind.OTHER


def lists_of_demands(items: Iterable[ListItem], title_asks: bool) -> frozenset[_List]:
    """Return what leads to the lists at the top level in which an item is a demand."""
    top = (one for one in items if one.parent < 0)
    return frozenset(
        (one.lead, one.headings)
        for one in top
        if item_kind(one, title_asks=title_asks) is SectionKind.DEMANDS
    )


def goes_on(item: ListItem, lists: Container[_List]) -> bool:
    """Whether an item states something in a list in which another one is a demand."""
    is_plain = item.ticked is None and section_kind(item.headings) is SectionKind.NEUTRAL
    is_beside = item.parent < 0 and (item.lead, item.headings) in lists
    return is_beside and is_plain and _STATING.search(item.text) is not None


def is_hoped_for(item: ListItem, *, title_asks: bool) -> bool:
    """Whether an item that is no demand stands below words that hope for what it states, or such a title."""
    is_plain = item.parent < 0 and section_kind(item.headings) is SectionKind.NEUTRAL
    is_told = is_plain and not _NOT_DEMANDING_LEAD.search(item.lead)
    is_hope = title_asks or _HOPING.search(item.lead) is not None
    says = _STATING.search(item.text) or _VAGUE.match(item.text)
    return is_told and is_hope and says is not None
