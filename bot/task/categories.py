"""Tells from words what kind of demand a text is: behaviour, what must stay, upkeep, or a soft wish.

Upkeep and keeping are decided by narrow patterns only: a behaviour taken for upkeep would need no proof,
and one that is taken for kept would be proven by what base does too.
"""

from __future__ import annotations

import re
from enum import StrEnum
from itertools import takewhile

from bot.text.words import sentences
from bot.values import Category, Requirement, Requirements


class Area(StrEnum):
    """What an upkeep demand asks to be looked after."""

    DOCUMENTATION = "documentation"
    CHANGELOG = "changelog"
    TESTS = "tests"
    TYPING = "typing"
    DEPENDENCIES = "dependencies"
    AUTOMATION = "automation"
    CODE = "code"  # refactoring, renaming, style: source changes, behaviour does not
    RELEASE = "release"
    CHORE = "chore"  # whatever keeps the project going: code, build or automation


ASKED = (Category.BEHAVIOUR, Category.KEEP, Category.UPKEEP)
"""What the words of a task ask for."""
NARROW = frozenset((Area.DOCUMENTATION, Area.CHANGELOG, Area.TESTS, Area.AUTOMATION))
"""Areas that ask for no change of source."""

CONVENTIONAL = re.compile(
    r"^(?:(?P<type>[a-z]+)(?:\((?P<scope>[^)]{0,60})\))?!?:|\[(?P<tag>[a-z]+(?: deps)?)\])\s",
    re.IGNORECASE,
)
"""`refactor(core): …`, or `[Refactor] …`."""
_BY_TYPE = {
    "docs": Area.DOCUMENTATION,
    "doc": Area.DOCUMENTATION,
    "documentation": Area.DOCUMENTATION,
    "readme": Area.DOCUMENTATION,
    "test": Area.TESTS,
    "tests": Area.TESTS,
    "typing": Area.TYPING,
    "types": Area.TYPING,
    "deps": Area.DEPENDENCIES,
    "dev deps": Area.DEPENDENCIES,
    "build": Area.DEPENDENCIES,
    "ci": Area.AUTOMATION,
    "refactor": Area.CODE,
    "style": Area.CODE,
    "chore": Area.CHORE,
    "cleanup": Area.CODE,
    "release": Area.RELEASE,
}
_TO_VERSION = re.compile(r"\bto\s+[\^~<>=v\"'`]*(\d+(?:\.\w+)+)")
_UPDATES = re.compile(r"(?:bump|update|upgrade|pin|lock)\b", re.IGNORECASE)
_BEHAVIOUR_TYPES = {"feat", "feature", "fix", "bugfix", "perf", "revert", "new"}

_VERB = r"(?:add|update|write|improve|fix|mention|document|extend|adjust|include|correct|remove)"
_DOCUMENT = (
    r"(?:docs?|documentation|readme|docstrings?|[jt]sdoc|(?:code|doc) comments?|user guide|typos?)"
)
_RELEASE = r"(?:c?python|pypy|node(?:\.?js)?)\s{0,3}v?[<>=]{0,2}\s{0,3}\d[\d.+]{0,20}"
_TEST_FILE = r"[`\"']?[\w./-]{0,80}tests?[\w-]{0,40}\.\w{1,4}[`\"']?"
_TELLING = r"(?:updated?|complete|up to date|improve\w*|describes?|explains?|mentions?|covers?)"
_THING = r"`?[A-Za-z_][\w.]{0,60}(?:\(\))?`?"
_FORM = (
    r"(?:(?:frozen |slotted )?data ?class|named ?tuple|typed ?dict|enum(?:eration)?|comprehension|generator"
    r" expression|list comprehension)"
)
_OWN = (
    r"(?:own|custom|hand[- ]?(?:written|rolled|made)|home[- ]?(?:grown|made)) (?:`[\w.]{1,60}(?:\(\))?`"
    r"|(?:\w+ )?(?:code|implementations?|functions?|helpers?|logic|loops?|regex\w*)\b)"
)
_BY_WORDS: dict[Area, tuple[str, ...]] = {
    Area.CHANGELOG: (
        rf"^(?:{_VERB}\s+)?(?:an?\s+|the\s+)?(?:entry\s+(?:in|to)\s+(?:the\s+)?)?"
        r"(?:change ?log|release notes?|news ?(?:fragment|entry))\b[^.]{0,40}\.?$",
        r"^(?:add|write|create)\b.{0,30}\b(?:change ?log|news fragment|release note)",
    ),
    Area.TESTS: (
        rf"^(?:please\s+)?(?:{_VERB}\s+)?(?:(?:an?|some|more|the|new|missing)\s+)?"
        r"(?:unit |regression |integration )?"
        r"(?:tests?|test (?:cases?|coverage))"
        r"(?:\s+(?:for|to|of|covering)\b.*|\s*(?:added|updated|pass)?\.?)$",
        rf"^rename\s+{_TEST_FILE}\s+(?:to|as|into)\s+{_TEST_FILE}\.?$",
    ),
    Area.DOCUMENTATION: (
        rf"^(?:{_VERB})\s+(?:an?\s+|the\s+|some\s+|missing\s+)?(?:\w+\s+){{0,2}}{_DOCUMENT}\b",
        rf"^(?:the )?{_DOCUMENT}(?: (?:is|are|must be|should be))?(?: {_TELLING}\b.*)?\.?$",
        rf"^(?:{_VERB})\s+(?:\w+\s+){{0,3}}(?:examples?|notes?|sections?|links?|descriptions?)\s+"
        rf"(?:to|in|into|of|for)\s+(?:the\s+)?(?:\w+\s+){{0,2}}{_DOCUMENT}\.?$",
        r"^(?:say|explain|describe|mention|show|note|clarify)\s+in\s+(?:the\s+)?(?:\w+\s+){0,2}"
        rf"{_DOCUMENT}\b",
        r"^document\s",
        rf"^(?:the |missing |better )?{_DOCUMENT} (?:for|of|on|about)\s[^.;:\n]{{1,80}}$",
        rf"^(?:the |our )?(?:\w+ )?{_DOCUMENT} (?:still )?(?:says?|names?|mentions?|shows?|lists?|claims?"
        r"|states?|describes?|lacks?|misses|contains?|has|have|uses?|refers?|links?|points?|calls?|gives?)\b",
        rf"^(?:{_VERB})\s+[^.;:\n]{{1,60}}\sin\s+(?:the\s+)?(?:\w+\s+)?{_DOCUMENT}\.?$",
    ),
    Area.TYPING: (
        r"^(?:add|fix|improve|complete|correct|update)\s+(?:\w+\s+){0,2}"
        r"(?:type (?:hints?|annotations?)|typing|annotations)\b",
        r"\b(?:mypy|pyright) (?:errors?|strict|passes|clean)\b",
    ),
    Area.DEPENDENCIES: (
        r"^(?:bump|upgrade|pin|unpin)s?\s+\S+.*\b(?:from|to|version|dependenc\w+|\d+ updates?)\b",
        # as robots word it
        r"^(?:update\s+(?:all\s+)?(?:(?:non-)?m(?:aj|in)or\s+)?dependenc\w+\b|lock ?file maintenance\b"
        r"|update\s+[@\w./-]+(?:\s+(?:requirement|action|monorepo|docker tag))?(?:\s+from\s+\S+)?"
        r"\s+to\s+[\^~<>=v]*\d+\.\d[\w.+-]*(?!\S))",
        r"^update\s+(?:dev(?:elopment)?[- ])?(?:dependenc\w+|requirements|lock ?file)\b",
        rf"^(?:drop(?:s|ped)?|required?|removed?)\b(?: support for)?(?: eol)? {_RELEASE}",
        r"^drop(?:s|ped)?(?: support for)? v?\d{1,3}\.\d{1,3}(?:(?:,| and) \d{1,3}\.\d{1,3}){0,3}\.?$",
        rf"^{_RELEASE} (?:is|are|was|has been|(?:has )?reached) (?:(?:now|its|their) )?"
        r"(?:eol|end[- ]of[- ]life|unsupported)\b[^.;:\n]{0,60}\b(?:drop|remove)\b[^.;:\n]{0,40}\.?$",
        r"^(?:adds?|added|declares?d?|claims?)\b(?: support for)? (?:python|pypy|node(?:\.js)?)"
        r"\s*v?\d[\d.]*(?:(?:,| and|, and) \d[\d.]*){0,4}(?: support)?\.?(?: \(#\d+\))?$",
        r"^(?:drop(?:s|ped)?|removed?)(?: support for)? (?:eol|end[- ]of[- ]life|unsupported|outdated) "
        r"(?:versions of python|pythons?(?: versions?| releases?)?)\.?(?: \(#\d+\))?$",
    ),
    Area.AUTOMATION: (
        r"^(?:update|fix|add)\s+(?:\w+\s+){0,2}"
        r"(?:ci|github actions?|workflows?|pre-?commit|tox)\b",
        r"^update\s+[\w./-]+\s+action\s+to\s+v?\d",
    ),
    Area.CODE: (
        r"^(?:refactor|clean ?up|reformat|reorgani[sz]e|simplify the (?:code|implementation))\b",
        # of what nothing runs: "Remove an unused helper, test long names"
        r"^(?:remove|delete|drop)\s+(?:(?:an?|the|some|all)\s+)?(?:unused|dead|unreachable)\s+(?:private\s+)?"
        r"(?:code|functions?|methods?|helpers?|imports?|variables?|constants?|class(?:es)?|branch(?:es)?)"
        r"(?:,? (?:and )?(?:add )?tests? [^,;:\n]{1,60})?\.?$",
        # of one's form: "Entry could be a dataclass", "Turn Entry into a named tuple"
        rf"^(?:{_THING} (?:could|should|can|might) (?:be|become)|(?:make|turn|convert|rewrite) {_THING}"
        rf"(?: (?:in)?to| as)?) an? {_FORM}\.?$",
        # "Split `main` into one function per command"
        rf"^(?:split|break|divide) {_THING}(?: up)? into (?:\w+ ){{0,3}}"
        r"(?:functions?|methods?|helpers?|modules?|class(?:es)?)\b[^.;:\n]{0,40}\.?$",
        # of a function's inside: "Use reduce in sum", "Use dict.fromkeys instead of a loop in `names`"
        rf"^use {_THING}(?: instead of (?:an? |the )?(?:\w+ )?{_THING})? in {_THING}\.?$",
        # "Reading of values gets its own module"
        r"\b(?:gets?|has|have) (?:its|their) own (?:modules?|files?|packages?)\b[^.;:\n]{0,40}\.?$",
        # what the project does by itself, done by what is there
        rf"^(?:(?:use|prefer|switch to) [^,;\n]{{1,80}}? instead of (?:(?:the|our|its) )?{_OWN}"
        rf"|replace (?:(?:the|our|its) )?{_OWN} (?:with|by)\b)[^,;:\n]{{0,60}}$",
        r"^(?:(?:moderni[sz]e|upgrade)\s+(?:\w+\s+){0,2}(?:syntax|string formatting)"
        r"|upgrade\s+to\s+(?:python\s+)?\d[\d.]*\+?\s+(?:code\s+)?syntax"
        r"|(?:use|convert to|switch to)\s+(?:\w+\s+){0,2}f-?strings?)\b[^,;:]{0,40}$",
        r"^(?:run|apply|(?:(?:re)?format|lint)(?: and (?:lint|format))?(?: the code| all files)?"
        r" (?:with|by|using))\s+(?:black|ruff|isort|pyupgrade|prettier|eslint|xo)\b[^,;:]{0,40}$",
        r"^(?:(?:add|enable) (?:(?:more|new|some|further) )?(?:ruff|flake8|pylint) rules"
        r"(?: and fix (?:(?:the|all|new) )?(?:warnings|errors|findings|violations))?"
        r"|fix (?:(?:the|all|new) )?(?:ruff|flake8|pylint)(?:,? (?:and )?[A-Z]{1,4}\d{2,4}){0,8}"
        r" (?:warnings|errors|findings|violations))"
        r"(?: \(#\d+\))?\.?$",
    ),
    Area.CHORE: (r"^\[pre-commit\.ci\]",),
    Area.RELEASE: (r"^(?:release|prepare (?:for )?(?:the )?release|bump version|version bump)\b",),
}
"""How demands of each area are worded; the first that fits counts."""
_FITTING = {
    area: tuple(re.compile(one, re.IGNORECASE) for one in patterns)
    for area, patterns in _BY_WORDS.items()
}
_PREFERENCE = re.compile(
    r"\b(?:nice[- ]to[- ]have|would be nice|optional(?:ly)?\s*[:)\]]|^optional(?:ly)?\b|bonus\b|stretch goal"
    r"|if (?:possible|time permits)|ideally\b)",
    re.IGNORECASE,
)


MUST = r"(?:must|shall|should|ha(?:s|ve) to|needs? to|ought to)"
MODAL = re.compile(rf"\b{MUST}\b", re.IGNORECASE)
_ALTERED = r"(?:chang|break|alter|remov|renam|drop|delet|touch|affect|modif)\w*"
_STAYS = re.compile(
    rf"\b{MUST}\s+(?:all\s+|also\s+|always\s+)?(?:stay|remain|keep\s+\w+ing|continue|still"
    rf"|be\s+(?:kept|preserved|unchanged|unaffected|left\s+\w+)|not\s+(?:be\s+)?{_ALTERED})\b"
    r"|\b(?:stays?|remains?)\s+(?:as\b|the same|unchanged|valid|working|accepted|supported|intact|compatible)"
    r"|\b(?:still|keeps?|continues? to)\s+(?:works?|working|returns?|gives?|raises?|accepts?|passe?s?)\b"
    rf"|^(?:do not|don't|never)\s+{_ALTERED}\b"
    r"|\bunchanged\b|\bbackwards?[- ]compatib|\bno (?:visible )?(?:difference|change in behaviou?r)\b",
    re.IGNORECASE,
)
_MAY_STAY = re.compile(
    r"\b(?:keeps?|kept|stays?|remains?|still|the same"
    r"|as (?:it|they) (?:is|was|are|were|do|does|did)|as (?:before|now|today))\b",
    re.IGNORECASE,
)
_INVARIANT = re.compile(
    rf"\b{MUST}\s+(?:not|never)\s+depend\s+on\b|\b{MUST}\s+be\s+independent\s+of\b", re.IGNORECASE
)
_FORBIDS = re.compile(
    rf"\b(?:{MUST}\s+(?:not|never)|do not|don't|never)\s+(?:\w+ly\s+)?"
    r"(?:log|print|expose|leak|store|send|write|require|import|add|introduce|use|touch|open|read)\b",
    re.IGNORECASE,
)

_PRESERVES = re.compile(
    r"(?:there (?:is|should be) |with )?no (?:visible |intended )?"
    r"(?:behaviou?r(?:al)? changes?|changes? (?:of|in|to) (?:the )?behaviou?r)(?: (?:is )?intended)?"
    r"(?: \([^()\n]{1,160}\)|, (?:only|just) [^\n]{1,200})?\W*"
    r"|no (?:functional|semantic|logic(?:al)?|user[- ](?:visible|facing)) changes?"
    r"(?: (?:is |are )?intended)?\W*"
    r"|(?:the )?behaviou?r (?:does not|doesn't|must not|should not) change\W*"
    r"|(?:this|it) is (?:just |only |purely )?a (?:pure )?refactoring\W*"
    r"|(?:just |only )?(?:a )?pure refactoring(?:: [^\n]{1,400})?\W*",
    re.IGNORECASE,
)


def preserves(text: str) -> bool:
    """Whether a sentence of the text says, without any condition, that the behavior stays as it is."""
    return any(_PRESERVES.fullmatch(one.strip()) for one in sentences(text))


def keeps(text: str) -> bool:
    """Whether the words ask that something stays as it is, or does not depend on something."""
    return bool(_STAYS.search(text) or is_invariant(text))


def may_keep(text: str) -> bool:
    """Whether the words can be read so, where a model says that they ask that something stays as it is."""
    return keeps(text) or preserves(text) or _MAY_STAY.search(text) is not None


def is_invariant(text: str) -> bool:
    """Whether the words ask that something does not depend on something: base may well be wrong there."""
    return _INVARIANT.search(text) is not None


def forbids(text: str) -> bool:
    """Whether the words forbid that the change brings something in."""
    return _FORBIDS.search(text) is not None


_IN_BRACKETS = re.compile(r"\([^()]{0,200}\)")
_SUBORDINATE = re.compile(
    r"[,;:]|\b(?:that|which|where\w*|when\w*|if|unless|because|as|while|who|so)\b"
)
_WISHED = re.compile(r"(?i)\b(?:(?:would|'d) (?:like|love)|wants?|please)\b")
_TELLS = re.compile(
    r"\b(?:is|are|was|were|has|have|had|does|do|did|can|could|will|would|may|might)\b|n't\b"
    r"|(?:`[^`]{1,80}`|\b(?:it|this|that|\w+(?:tion|thod|ass|and|ser|ler)))\s+(?:\w+ly\s+)?\w+s\b",
    re.IGNORECASE,
)
"""What a sentence has that tells how things are: a verb of no demand."""
_SAYS_OF_THE_SAME = re.compile(r"(?:it|this|that|these|those|which|so|but it)\b", re.IGNORECASE)


_OF_SPEED = re.compile(
    r"(?i)^(?:perf(?:ormance)?(?:\([^)]{0,40}\))?!?:"
    r"|(?:improve|increase|optimi[sz]e)\w* (?:the |\w+ ){0,3}(?:performance|speed)\b"
    r"|speed(?:s|ed|ing)? up\b|(?:make|made)\b.{0,60} fast(?:er)?\b)"
    r"|\bgets? (?:\w+ ){0,2}slow(?:er)?\b|\b(?:is|are) (?:(?:too|very|so|really|extremely|unusably) slow\b"
    r"|slow (?:with|for|on|when|if|in|at)\b)"
    r"|\b(?:is|are) (?:\w{1,12} ){0,2}slow[.!]?$"
    r"|\btakes? (?:too long|forever|ages|minutes|hours)\b"
    r"|\bquadratic(?:ally)? (?:time|complexity|run ?time)\b"
)
"""A demand that only asks for less time."""


def asks_for_speed(requirement: Requirement) -> bool:
    """Whether all that a demand asks for is less time."""
    return _OF_SPEED.search(requirement.text) is not None


def keeps_behavior(requirements: Requirements) -> bool:
    """Whether a demand calls the change one of source, or of speed, alone, and none asks for behavior."""
    of_source = [o for o in requirements.items if o.category is Category.UPKEEP]
    of_program = [
        o for o in requirements.items if o.category in (Category.BEHAVIOUR, Category.CRITERION)
    ]
    if not all(map(asks_for_speed, of_program)):
        return False
    areas = {upkeep_area(one.text) for one in of_source}
    return bool(of_program) or not areas.isdisjoint((Area.CODE, Area.DEPENDENCIES, None))


def upkeep_area(text: str) -> Area | None:
    """The area that an upkeep demand is about; None for a demand of behaviour."""
    cleaned = text.strip().strip("*_ ").removeprefix("Fixed: ")
    conventional = CONVENTIONAL.match(cleaned)
    if conventional:
        kind = (conventional["type"] or conventional["tag"]).lower()
        is_update = kind not in _BEHAVIOUR_TYPES or _UPDATES.match(cleaned, conventional.end())
        if conventional["scope"] in ("deps", "deps-dev") and is_update:
            return Area.DEPENDENCIES
        if kind in _BY_TYPE:
            return _BY_TYPE[kind]
        if kind in _BEHAVIOUR_TYPES:
            return None
    fitting = (a for a, patterns in _FITTING.items() if any(p.search(cleaned) for p in patterns))
    return next(fitting, None)


def version_of(text: str) -> str:
    """The version that an update of a dependency is to bring; "" where none is named."""
    is_update = upkeep_area(text) is Area.DEPENDENCIES and not text.lower().startswith(
        ("drop", "remove")
    )
    found = _TO_VERSION.findall(text) if is_update else []
    return found[-1] if found else ""


def category_of(text: str) -> Category:
    """Upkeep, or what must stay, where the words say so plainly; else behaviour."""
    if upkeep_area(text) is not None:
        return Category.UPKEEP
    return Category.KEEP if keeps(text) and not _asks_first(text) else Category.BEHAVIOUR


def _asks_first(text: str) -> bool:
    """Whether a demand of several sentences asks for something else before it says what stays as it is.

    "Names for months and weekdays. They must stay an error elsewhere." A sentence asks where it says what
    must be or is wished for, and the first one where it has no verb; one that only tells how things are does
    not.
    """
    said = [one for one in sentences(text) if one.strip()]
    before = [*takewhile(lambda one: not keeps(one), said)]
    if len(before) in (0, len(said)) or _SAYS_OF_THE_SAME.match(said[len(before)]):
        return False
    begun = _SUBORDINATE.split(_IN_BRACKETS.sub(" ", before[0]), maxsplit=1)[0]
    is_asked = any(MODAL.search(one) or _WISHED.search(one) for one in before)
    return is_asked or not _TELLS.search(begun)


def is_preference(text: str) -> bool:
    """Whether the words make it a wish, not a demand."""
    return _PREFERENCE.search(text) is not None
