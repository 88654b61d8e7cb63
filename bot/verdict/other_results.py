"""What comes of a tested call otherwise than callers know it, where no demand speaks of that."""

from __future__ import annotations

import re
from collections.abc import Iterable

from bot.task.alternatives import prose_of, without_blocks
from bot.task.categories import may_keep
from bot.task.refusals import wants_given
from bot.text.words import sentences
from bot.verdict.claims import Claim, Gap
from sandbox.elsewhere.values import NOTHING, BothSides, Otherwise, Unmeasured, end_of

_NUMBER = r"-?(?:0|[1-9]\d*)(?:\.\d*[1-9])?"
_A_NUMBER = re.compile(rf"returned {_NUMBER}")
_LIKE_A_NUMBER = re.compile(
    rf"returned (?:[\"']{_NUMBER}[\"']|{_NUMBER}n|\[(?:Number|String)\b.*)", re.DOTALL
)
"""What `==` of JavaScript takes for a number, written as a number is: with zeros around it, it is a form."""
_VARIES = re.compile(
    r"(?i)random|shuffl|uniqu|uuid|\btim(?:e|ing)|\bdate|\bnow\b|clock|token|nonce|salt|tempor|jitter"
)
"""What gives something else each time."""
_AN_OBJECT = re.compile(r"returned (?:\{|[A-Z]\w* )")
_SPEAKS_OF_OBJECTS = re.compile(
    r"(?i)\b(?:object|dict|mapping|record|propert|attribut|field|instance|class)|\{"
)
_A_VALUE = re.compile(r"returned (?!undefined|null)")
_SPEAKS_OF_TEXT = re.compile(r"\b(?:strings?|texts?|str|big ?ints?|quoted)\b", re.I)
_LISTED = re.compile(r"returned (?:an iterator that yields )?[\[({](?P<items>.*)[\])}]", re.DOTALL)
_SPEAKS_OF_LISTS = re.compile(
    r"(?i)\b(?:tuples?|lists?|sets?|arrays?|sequences?|iter\w*|generat\w*|laz(?:y|ily)|yield\w*|stream\w*|"
    r"(?:im)?mutab\w*|frozen\w*|one (?:by one|at a time))\b"
)
_SPEAKS_OF_LATER = re.compile(r"\b(?:a?sync\w*|promis\w*|await\w*|block\w*|resolv\w*)\b", re.I)
_SPEAKS_OF_CHANGING = re.compile(
    r"(?i)\b(?:in[- ]place|mutat|modif(?:y|ies)|append|consum|fills?\b)"
)
_FORBIDS_CHANGING = re.compile(
    r"(?i)\b(?:not|never|without) (?:in[- ]place|mutat|modif|chang|alter|append|consum|fill)"
)
_SPEAKS_OF_STATE = re.compile(
    r"(?i)\b(?:once|twice|again|repeat\w*|each (?:call|time)|every (?:call|time)|(?:first|second|next|later|"
    r"subsequent|previous|last) (?:call|time|value|item|result|run)s?|random\w*|unique\w*|uuids?|counters?|"
    r"stat(?:e|es|eful)|cach\w+|memo\w*|reus\w+|shar(?:e[ds]?|ing)|singletons?|(?:in|de)crement\w*|iterat\w+|"
    r"generat\w+|consum\w+|queues?|stacks?|toggl\w+|registr\w+|register\w*|lazy|lazily|same object|"
    r"identity|allocat\w+|fast\w*|slow\w*|speed\w*|perform\w+|optimi[sz]\w+)\b"
)
_OF_NO_ORDER = re.compile(
    r"(?i)\b(?:any|no|arbitrary|random\w*) (?:\w+ )?order|\bunordered|\border (?:does not|doesn't|may)"
)
_SPEAKS_OF_FIRST = re.compile(
    r"(?i)\b(?:singletons?|first|previous|last|shar(?:e[ds]?|ing)|registr\w+|register\w*|initiali[sz]\w+)\b"
)
"""What came first may then honestly stay."""
_SPEAKS_OF_USE = re.compile(
    r"(?i)\b(?:limit\w*|quotas?|exhaust\w*|expir\w*|remaining|budgets?|attempts?|tries|retr(?:y|ies)|"
    r"throttl\w+|debounc\w+|pops?|popped|already|duplicates?)\b"
)
"""What an object allows may then honestly be used up."""
_OTHERWISE = {
    Otherwise.WORSE: (
        "`{call}`, near a call of a test that holds, {base} on base and {head} on head, which no test shows.",
        "Answer such a call as before, or add a test that shows what it is to give",
    ),
    Otherwise.DEFAULT: (
        "without what is new in the tests' call, `{call}` {base} on base and {head} on head, and no test "
        "shows that this is meant.",
        "Leave such a call as it was, or add a test that shows what it is to give",
    ),
    Otherwise.TOO_LONG: (
        "where `{call}` is given {beside}, base answers and head {head}.",
        "Let the time that it takes, and the depth of calls, not grow so fast with what it is given",
    ),
    Otherwise.UNEQUAL: (
        "the task takes `{beside}` for the same, and on head `{call}` {head}, but with the other {base}.",
        "Let both give the same, or let the task say where they differ",
    ),
    Otherwise.UNORDERED: (
        "`{call}` gives the same on base each time a program starts. On head it {base} in one process and "
        "{head} in another, as the order of a set is another one.",
        "Keep the order, or let the task say that it does not matter",
    ),
    Otherwise.SHARED: (
        "each `{call}` has its own `{beside}` on base, and on head all of them have the same one: who "
        "changes it changes it for everybody, and the task does not ask for that.",
        "Give each object its own, or let the task ask for one that is shared",
    ),
    **{
        how: (
            f"on head `{{call}}` {{base}} by itself, and {{head}} {after}.",
            "Let a call give the same whatever was called before, or let the task ask for what changes",
        )
        for how, after in (
            (Otherwise.OTHER, "after `{beside}`, whose result that is"),
            (Otherwise.CHANGED, "after its argument, the result from before, was changed in place"),
            (Otherwise.SAME, "when it is called once more on the same object"),
            (Otherwise.MADE, "after the same call on another object"),
        )
    },
}
"""What is told of a call that comes otherwise, and what to do."""
_EXCUSES = {
    Otherwise.UNORDERED: (_OF_NO_ORDER,),
    Otherwise.OTHER: (_SPEAKS_OF_FIRST,),
    Otherwise.CHANGED: (_SPEAKS_OF_FIRST,),
    Otherwise.SAME: (_SPEAKS_OF_STATE, _SPEAKS_OF_USE),
    Otherwise.MADE: (_SPEAKS_OF_STATE,),
    Otherwise.SHARED: (_SPEAKS_OF_STATE,),
}
"""What a demand speaks of that asks for it."""
_OF_REFUSALS = re.compile(r"(?i)\b(?:throw|rais|refus|reject)|error\b|exception\b")
_ERROR = re.compile(r"(?<![\w.])[A-Z]\w*(?:Error|Exception)(?!\w)")
_NAMES_REFUSAL = re.compile(
    rf"{_ERROR.pattern}|\bstill (?:an error\b|(?:be )?(?:refus|reject|rais|throw|fail))"
)
_SEVERAL, _FEW = 2, 3
_NOTHING = re.compile(r"(?<![\w'\"])(?:None|null)(?![\w'\"])")
_FALSY = ("0", "False", "false", "''", '""')
_SPEAKS_OF_FALSY = re.compile(
    r"(?i)\b(?:falsy|falsey|truth\w*|blank|zeros?|empty (?:strings?|texts?|lists?)|bool\w*)\b"
)


def comes_otherwise(claim: Claim) -> Gap | None:
    """A number comes as text or an object, a value as a promise, or the same items as another kind of list.

    No demand speaks of that.
    """
    calls = (one.tested for one in claim.inputs)
    one = next((one for one in calls if _is_another_kind(one, claim.asked)), None)
    if one is None and not _SPEAKS_OF_LISTS.search(claim.asked):
        calls = (call for one in claim.plain_inputs for call in (one.tested, *one.near))
        one = next(filter(_is_another_list, calls), None)
    if one is None:
        return None
    return Gap(
        f"`{one.call}` {one.on_base} on base and {one.on_head} on head, and the task does not ask for "
        "another kind of result.",
        "Return what callers of this function know, or let the task ask for it",
        claim.nearby,
    )


def changes_arguments(claim: Claim) -> Gap | None:
    """What a tested call is given is something else after it, on head only, and no demand speaks of that."""
    one = next((one for one in claim.inputs if one.left), None)
    said = claim.asked
    is_asked = _SPEAKS_OF_CHANGING.search(said) and not _FORBIDS_CHANGING.search(said)
    if one is None or is_asked:
        return None
    return Gap(
        f"`{one.tested.call}` changes nothing that it is given on base, and on head makes it `{one.left}`, "
        "and the task does not ask for that.",
        "Leave what callers pass as it is, or let the task ask for its change",
        claim.nearby,
    )


def depends_on_calls_before(claim: Claim) -> Gap | None:
    """Calls answer otherwise after others, or give one object to all, on head only, and no demand says so.

    What is to be remembered is never the result of another call.
    """
    after = (Otherwise.OTHER, Otherwise.CHANGED, Otherwise.SAME, Otherwise.MADE)
    if gap := _otherwise(claim, *after) or _otherwise(claim, Otherwise.SHARED):
        return gap
    if _SPEAKS_OF_STATE.search(claim.asked):
        return None
    if one := next((one for one in claim.inputs if one.later), None):
        return Gap(
            f"`{one.tested.call}` gives on base the same each time, and on head something else when it is "
            f"called once more: it {one.later}.",
            "Let equal calls give the same, or let the task ask for what changes",
            claim.nearby,
        )
    if one := next((one for one in claim.inputs if one.is_shared), None):
        return Gap(
            f"`{one.tested.call}` gives a new object each time on base, and on head the same one to all: who "
            "changes it changes it for everybody, and the task does not ask for that.",
            "Return a new object each time, or let the task ask for one that is shared",
            claim.nearby,
        )
    return None


def gives_other_results(claim: Claim) -> Gap | None:
    """Calls as one could make them before come otherwise on head, not at all or in any order.

    They are without what is new in the tests' calls, or with a very long text or list.
    """
    ways = (Otherwise.DEFAULT, Otherwise.TOO_LONG, Otherwise.UNORDERED, Otherwise.UNEQUAL)
    return next(filter(None, (_otherwise(claim, how) for how in ways)), None)


def _otherwise(claim: Claim, *ways: Otherwise) -> Gap | None:
    """Return what is told of the first call that comes otherwise in one of these ways, unasked.

    What is seen with tests of which none speaks for a demand stands in everybody's way.
    """
    paths = {test.path for test in claim.tests}
    tied = {tie.test_id for tie in claim.case.ties}
    others = {test.path for test in claim.case.groups.proofs if test.id in tied} - paths
    of_all = "\n".join((claim.asked, *claim.case.requirements.said))
    for one in claim.seen.otherwise:
        said = of_all if one.how is Otherwise.UNORDERED else claim.asked
        is_asked = any(words.search(said) for words in _EXCUSES.get(one.how, ()))
        is_asked = is_asked or (one.how is Otherwise.WORSE and _is_asked_for(one.call, claim))
        if one.how in ways and one.path not in others and not is_asked:
            but, step = _OTHERWISE[one.how]
            return Gap(one.told(but), step, claim.nearby)
    return None


def _is_asked_for(near: BothSides, claim: Claim) -> bool:
    """Whether the task wants the function to give nothing at times, as it does here."""
    name = near.call.partition("(")[0].rpartition(".")[2]
    said = "\n".join(claim.case.requirements.said)
    return near.bad_end == NOTHING and wants_given(said, name, near.on_head.rpartition(" ")[2])


def answers_what_stays_refused(claim: Claim) -> Gap | None:
    """The demand wants calls to be refused as before; near the tested ones head answers what base refuses."""
    own = prose_of(claim.requirement)
    beside = without_blocks("\n".join(claim.case.requirements.said))
    kept = [
        one
        for one in dict.fromkeys(
            (*sentences(own), *filter(_NAMES_REFUSAL.search, sentences(beside)))
        )
        if may_keep(one) and _OF_REFUSALS.search(one)
    ]
    named = {name for one in kept for name in _ERROR.findall(one)}

    def is_answered(one: BothSides) -> bool:
        is_meant = not named or one.error_on_base in named
        return one.was_refused and not one.is_refused and is_meant

    shown = {one.function for one in claim.inputs if is_answered(one.tested)}
    others = (one for one in claim.inputs if one.function not in shown)
    answered = [near for one in others for near in one.near if is_answered(near)]
    # one is enough of the very error that the task names
    if not kept or len(answered) < (1 if named else _SEVERAL):
        return None
    first = answered[0]
    return Gap(
        f"the task wants errors to stay as they are: `{first.call}`, near a tested input, {first.on_base} on "
        f"base and {first.on_head} on head, and no test shows that such a call is to be answered.",
        "Refuse such a call as before, or add a test that shows what it is to give",
        claim.nearby,
    )


def ends_badly_near(claim: Claim) -> Gap | None:
    """Near the inputs of tests head ends in an error that nobody raises on purpose, or gives nothing.

    Base answers there, or refuses on purpose; and no tested call shows such an end.
    """
    known = {
        (one.function, end_of(told))
        for one in claim.inputs
        for told in (one.tested.on_base, one.tested.on_head)
    }
    for one in claim.plain_inputs:
        for near in one.near:
            is_known = (one.function, near.bad_end) in known or near.bad_end in one.errors
            # in the place of nothing is what callers do not give
            is_none = _has_falsy(near.call, one.tested.call) or _is_asked_for(near, claim)
            if near.bad_end and not is_known and not is_none:
                return Gap(
                    f"`{near.call}`, near a tested input, {near.on_base} on base and {near.on_head} on head, "
                    "which no test shows.",
                    "Answer such a call as before, or add a test that shows what it is to give",
                    claim.nearby,
                )
    return _otherwise(claim, Otherwise.WORSE)


def cannot_be_tried(claim: Claim) -> Gap | None:
    """On head, and not on base, a tested call cannot be tried with other inputs: it takes long, or varies.

    What cannot be tried must not be easier to prove than what can.
    """
    varies = _VARIES.search(claim.asked) is not None
    for one in claim.inputs:
        call = f"`{one.tested.call}`"
        if one.unanswered > max(_FEW, len(one.near)):
            what = f"{one.unanswered} calls near {call} give no answer in the time for it"
        elif one.problem is Unmeasured.NO_ANSWER:
            what = f"{call} gives no answer in the time for it"
        elif one.problem is Unmeasured.UNSTEADY_NOW and not varies:
            what = f"{call} gives something else each time"
        else:
            continue
        return Gap(
            f"outside of its test {what} on head; on base it is not so. "
            "So nobody could see what other inputs give.",
            "Let it give one answer, and in time, as on base, or say in the task why it does not",
            claim.nearby,
        )
    return None


def takes_other_for_nothing(claim: Claim) -> Gap | None:
    """Zero, false or an empty text comes out on head just as a tested None does, and not so on base."""
    said = (one for one in sentences(claim.asked) if not may_keep(one))
    if any(map(_SPEAKS_OF_FALSY.search, said)):
        return None
    for one in claim.plain_inputs:
        same = one.tested
        others = (o.tested for o in claim.inputs if o.function == one.function)
        if any(o.on_head == same.on_head and o.call != same.call for o in others):
            continue  # it does not come of nothing alone
        # Where zero comes as before, numbers are asked for: no other value there is one.
        if any(_has_falsy(o.call, same.call, ("0",)) and not o.differs for o in one.near):
            continue
        for near in one.near:
            is_new = near.on_base not in (near.on_head, same.on_base) and not near.was_refused
            if is_new and near.on_head == same.on_head and _has_falsy(near.call, same.call):
                return Gap(
                    f"`{near.call}` {near.on_base} on base and {near.on_head} on head, as `{same.call}` "
                    "does, and the task does not ask for that.",
                    "Ask whether it is nothing, not whether it is true; or add a test that shows what such "
                    "a call is to give",
                    claim.nearby,
                )
    return None


def _has_falsy(near: str, tested: str, values: Iterable[str] = _FALSY) -> bool:
    """Whether a call is another one with zero, false or an empty text in place of nothing."""
    return any(
        f"{tested[: found.start()]}{falsy}{tested[found.end() :]}" == near
        for found in _NOTHING.finditer(tested)
        for falsy in values
    )


def _is_another_list(one: BothSides) -> bool:
    """Whether the same items, one or more, come in a list on one side and as something else on the other."""
    base, head = (_LISTED.fullmatch(told) for told in (one.on_base, one.on_head))
    if base is None or head is None or one.on_base == one.on_head:
        return False
    items = [found["items"].removesuffix(",") for found in (base, head)]
    return bool(items[0]) and items[0] == items[1]


def _is_another_kind(one: BothSides, asked: str) -> bool:
    is_text = _A_NUMBER.fullmatch(one.on_base) and _LIKE_A_NUMBER.fullmatch(one.on_head)
    if is_text and not _SPEAKS_OF_TEXT.search(asked):
        return one.on_head.removeprefix("returned ") not in asked
    if _A_NUMBER.fullmatch(one.on_base) and _AN_OBJECT.match(one.on_head):
        kind = one.on_head.removeprefix("returned ").partition(" ")[0]
        return not _SPEAKS_OF_OBJECTS.search(asked) and kind not in asked
    is_later = _A_VALUE.match(one.on_base) and one.on_head.startswith("resolved ")
    return bool(is_later) and not _SPEAKS_OF_LATER.search(asked)
