"""Makes the calls of the tests that speak for the change, and calls near them, on base and on head."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from itertools import chain, islice, permutations

from sandbox.elsewhere.calls_near import (
    MOST_INPUTS,
    MOST_OF_A_FUNCTION,
    LongCall,
    NearCall,
    all_of,
    calls_around,
    calls_at,
    calls_beside,
    chosen,
    long_calls,
    long_input,
    unanswered,
)
from sandbox.elsewhere.driver import Driver, Looking
from sandbox.elsewhere.held import held_calls
from sandbox.elsewhere.in_series import InSeries
from sandbox.elsewhere.new_names import added_code, changed_defaults, literals
from sandbox.elsewhere.sides import CallsOfBoth, Replay, Swap, unmeasured
from sandbox.elsewhere.told import Recorded, both_sides
from sandbox.elsewhere.values import (
    MOMENT,
    RAISED,
    ZONES,
    BothSides,
    OtherResult,
    Otherwise,
    SecondLook,
    TestedInput,
    Unmeasured,
    stands_alone,
)
from sandbox.elsewhere.variation import neighbors

_FEW = 3
_MOST_SAME, _FEW_OTHERS = 100, 12  # calls
_MORE = 24  # calls near one, about one of its values
_RAISES = re.compile(r"\b(?:raise|throw(?:[ ]new)?)[ ]+([A-Za-z_$][\w$]*)")
_LEAST_KEY = 2
_NUMBERS = re.compile(r"\d[\w.]*")
_OF_NO_ORDER = re.compile(r"\b(?:frozen)?set\(|\bhash\(|\{[^{}:\n]{1,200}\}")
"""What code has that comes in another order where the hashes of texts are others."""
_OTHER_SEED = 3
_IN_UTC = "timezone.utc"
_NearCalls = dict[Recorded, tuple[NearCall, ...]]
_Finding = Callable[..., tuple[NearCall, ...]]


async def replay_nearby(
    replay: Replay, calls: tuple[Recorded, ...], names: frozenset[str], in_series: InSeries
) -> SecondLook:
    """Return the inputs at which the tests see the change, each with calls near it. Raises SandboxError.

    `names` are those that only head knows. A program on each side makes all of the calls, each in a process
    of its own and twice: those near to many in a second one, once it is known which of these show the change.
    The first one makes those in series too, as a start takes longer than they do.
    """
    driver, looking = replay.driver, replay.looking
    wanted = _of_the_tests(looking, calls)
    if not wanted:
        return SecondLook(inputs=nothing_called(looking)) + await in_series.alone(replay)
    if looking.base is None:
        return SecondLook(inputs=(unmeasured(wanted[0], Unmeasured.NO_BASE),))
    added = added_code(looking.checkout.diff, set(looking.test_files))
    words = literals(added)

    # A test that makes a call which is refused, and passes, shows that too.
    shown = [*wanted, *(one for one in calls if one.outcome.startswith("raised"))]

    def near(some: Iterable[Recorded], find: _Finding = calls_around) -> _NearCalls:
        return {one: find(driver, one, words, calls, shown) for one in chosen(some)}

    # A start takes longer than the calls near a few tested ones, and apart they do not disturb these.
    is_at_once = driver.is_apart and len(wanted) <= _FEW and not (looking.beside or looking.kept)
    around = near(wanted) if is_at_once else {}
    plain = {one: other for one in wanted if (other := driver.without(one, names))}
    beside = near(dict.fromkeys(plain.values()), calls_beside)
    without = {one: (call, *(o.call for o in beside.get(call, ()))) for one, call in plain.items()}
    long = long_calls(driver, wanted, wanted) if is_at_once else ()
    held = held_calls(driver, looking, calls, wanted, words)
    asked = [*wanted, *all_of(around), *dict.fromkeys(chain(*without.values()))]
    asked += [*(one.call for one in long), *held.all]
    base, head = await replay.runs(asked, in_series.series)
    sides = await replay.with_a_second_try(replay.compared(asked, base, head), wanted)
    swaps: tuple[Swap, ...] = ()
    if not is_at_once:
        seen = [one for one in wanted if sides.may_differ(one) and not sides.lacks(one, plain)]
        around, swaps = near(seen), tuple(_swaps(driver, looking, seen))
        long = long_calls(driver, wanted, seen)
        # The long ones are last: one that comes to no end may take the rest of the time.
        if more := [*all_of(around), *(one.call for one in swaps), *(one.call for one in long)]:
            sides = sides.joined(await replay.on_both(more))
    around = {one: calls for one, calls in around.items() if not sides.lacks(one, plain)}
    sides, around = await _asked_on(replay, sides, around, words, shown)
    weighed = (sides.weighed(one, around.get(one, ()), driver.values(one)) for one in wanted)
    without |= held.as_before(sides, plain)
    return SecondLook(
        inputs=tuple(_with_its_words((*weighed, *sides.not_plain(wanted)), words, added)),
        swapped=tuple(filter(None, map(sides.told_apart, swaps))),
        differences=tuple(filter(None, map(sides.answered_once, wanted))),
        otherwise=(
            *changed_defaults(wanted, without, sides.base, sides.head, names),
            *held.worse(sides, _RAISES.findall(added)),
            *await _too_long(replay, sides, long),
            *await _unordered(replay, sides, asked, added),
            *await _same_otherwise(replay, wanted, words),
        ),
    ) + in_series.weighed(base, head)


async def _asked_on(
    replay: Replay,
    sides: CallsOfBoth,
    around: dict[Recorded, tuple[NearCall, ...]],
    words: tuple[object, ...],
    shown: Iterable[Recorded],
) -> tuple[CallsOfBoth, dict[Recorded, tuple[NearCall, ...]]]:
    """Make more calls with another value of what none of the few others of showed the change.

    Where a call has many arguments, few of the calls near it are about one. Those that are `shown` the tests
    make themselves.
    """
    known = {(one.module, one.name, one.arguments) for one in shown}
    more = {
        call: tuple(
            one
            for place in islice(places, _FEW)
            for one in islice(calls_at(replay.driver, call, place, words), _MORE)
            if (call.module, call.name, one.call.arguments) not in known
        )
        for call, group in around.items()
        if sides.may_differ(call) and (places := sides.seen_elsewhere(call, group))
    }
    asked = [one for one in dict.fromkeys(all_of(more)) if one not in sides.base]
    if not asked:
        return sides, around
    sides = sides.joined(await replay.on_both(asked))
    all_near = {
        call: tuple({one.call: one for one in (*group, *more.get(call, ()))}.values())
        for call, group in around.items()
    }
    return sides, all_near


def _of_the_tests(looking: Looking, calls: tuple[Recorded, ...]) -> list[Recorded]:
    """The calls of the tests that speak for the change; of one that makes some itself, only these."""
    wanted = [one for one in calls if looking.speaks(one)]
    own = {(one.path, one.test) for one in wanted if one.is_direct}
    return [one for one in wanted if one.is_direct or (one.path, one.test) not in own]


def _with_its_words(
    found: Iterable[TestedInput | None], words: tuple[object, ...], added: str
) -> Iterator[TestedInput]:
    """Yield inputs with the texts of the change's code that are a part of them, and what that code raises."""
    errors = tuple(dict.fromkeys(_RAISES.findall(added)))
    texts = [one for one in words if isinstance(one, str) and len(one) >= _LEAST_KEY]
    for shown in filter(None, found):
        call = shown.tested.call.lower()
        keys = tuple(text for text in texts if text.lower() in call and "`" not in text)
        yield replace(shown, keys=keys, errors=errors)


async def _too_long(
    replay: Replay, sides: CallsOfBoth, long: tuple[LongCall, ...]
) -> tuple[OtherResult, ...]:
    """Return the first long call that head does not answer, made once more by itself, either."""
    first = next(unanswered(long, sides.base, sides.head), None)
    if first is None:
        return ()
    alone = await replay.on_both([first.call])
    is_so = any(unanswered([first], alone.base, alone.head))
    return (long_input(first, alone.head[first.call]),) if is_so else ()


async def _same_otherwise(
    replay: Replay, wanted: list[Recorded], words: tuple[object, ...]
) -> tuple[OtherResult, ...]:
    """Return calls that come otherwise with what is the same: by the task, or a moment of another zone."""
    return (*await _unequal(replay, wanted, words), *await _told_elsewhere(replay, wanted))


async def _unequal(
    replay: Replay, wanted: Iterable[Recorded], words: tuple[object, ...]
) -> tuple[OtherResult, ...]:
    """Return a call near a tested one that comes otherwise with what the task takes for the same.

    Some others have to come alike with both: what is only said in other words is no input.
    """
    driver = replay.driver
    pairs = [
        (call, made, f"{one}` and `{other}")
        for one, other in replay.looking.same
        for tested in chosen(o for o in wanted if one in driver.values(o))
        for call in (tested, *_with_others(driver, tested, (one, other), words))
        if (made := driver.swapped(call, one, other))
    ][:_MOST_SAME]
    if not pairs:
        return ()
    found = (await replay.on_both([o for call, made, _ in pairs for o in (call, made)])).head
    known = [
        (both_sides(call.shown, two.all, one.all), call, both)
        for call, made, both in pairs
        if (one := found[call]) and (two := found[made]) and not (one.unsteady or two.unsteady)
        if not re.match(RAISED, two.all)
    ]
    apart = [
        OtherResult(Otherwise.UNEQUAL, o, call.path, both) for o, call, both in known if o.differs
    ]
    return tuple(apart[:1]) if len(apart) < len(known) else ()


async def _told_elsewhere(replay: Replay, wanted: Iterable[Recorded]) -> tuple[OtherResult, ...]:
    """Return a tested call that only head answers otherwise where another time zone tells its moments.

    That is asked where a task speaks of UTC.
    """
    driver = replay.driver
    timed = (one for one in wanted if _IN_UTC in one.arguments)
    pairs = [
        (call, made, name)
        for call in (chosen(timed) if replay.looking.in_other_zone else ())
        for name in ZONES
        if (made := driver.swapped(call, MOMENT, name))
    ]
    if not pairs:
        return ()
    sides = await replay.on_both([o for call, made, _ in pairs for o in (call, made)])
    for call, made, name in pairs:
        gave = [(run[made], run[call]) for run in (sides.base, sides.head)]
        known = [
            both_sides(call.shown, two.all, one.all)
            for two, one in gave
            if one and two and not (one.unsteady or two.unsteady)
        ]
        is_same = [not one.differs and not re.match(RAISED, one.on_base) for one in known]
        if is_same == [True, False] and known[1].differs:
            both = f"a moment in UTC` and `the same one in {name}"
            return (OtherResult(Otherwise.UNEQUAL, known[1], call.path, both),)
    return ()


def _with_others(
    driver: Driver, call: Recorded, same: tuple[str, str], words: tuple[object, ...]
) -> Iterator[Recorded]:
    """Yield calls with another value in place of each but the one that has a `same`: its numbers first."""
    named = [one for text in same for one in _NUMBERS.findall(text)]
    for slot, value in enumerate(driver.values(call)):
        others = (other for other, _ in neighbors(value, (*named, *words)))
        first = (one for one in named if type(value) is str)
        found = islice(chain(first, others), _FEW_OTHERS) if value != same[0] else ()
        yield from (driver.varied(call, slot, other) for other in found)


async def _unordered(
    replay: Replay, sides: CallsOfBoth, asked: list[Recorded], added: str
) -> tuple[OtherResult, ...]:
    """Return the calls whose order on head is another one where the hashes of texts are others (Python)."""
    if not (replay.driver.is_apart and _OF_NO_ORDER.search(added)):
        return ()
    mixed = await replay.on_both(asked, seed=_OTHER_SEED)
    return tuple(islice(filter(None, (sides.in_other_order(o, mixed) for o in asked)), MOST_INPUTS))


async def replay_held(
    replay: Replay, calls: tuple[Recorded, ...], names: frozenset[str]
) -> SecondLook:
    """Return calls near those of tests that hold that come otherwise on head. Raises SandboxError.

    `names` are those that only head knows.
    """
    driver, looking = replay.driver, replay.looking
    words = literals(added_code(looking.checkout.diff, set(looking.test_files)))
    own = sorted(calls, key=lambda one: one.name.rpartition(".")[2] not in looking.touched)
    around = {one: calls_beside(driver, one, words, calls, calls) for one in chosen(own)}
    if looking.base is None or not around:
        return SecondLook()
    sides = await replay.on_both([*around, *all_of(around)])
    near = {one: (one, *(other.call for other in group)) for one, group in around.items()}
    otherwise = changed_defaults((), near, sides.base, sides.head, names)
    return SecondLook(otherwise=tuple(otherwise))


def _swaps(driver: Driver, looking: Looking, seen: list[Recorded]) -> Iterator[Swap]:
    """Calls with what a task puts side by side in place of what they have, and no call of the tests has.

    What is to stay as it is stands in the place of whole texts.
    """
    pairs = dict.fromkeys(pair for group in looking.beside for pair in permutations(group, 2))
    found = (
        Swap(call, name, other, made)
        for name, other in pairs
        if not any(_has(driver, one, other, name) for one in seen)
        for call in [one for one in seen if _has(driver, one, name, other)][:MOST_OF_A_FUNCTION]
        if (made := driver.swapped(call, name, other))
    )
    kept = (
        Swap(call, value, other, driver.varied(call, slot, other))
        for other in looking.kept
        for call in seen[:MOST_OF_A_FUNCTION]
        for slot, value in enumerate(driver.values(call))
        if type(value) is str and not value.isidentifier() and value != other
    )
    return chain(islice(found, MOST_INPUTS), islice(kept, MOST_INPUTS))


def _has(driver: Driver, call: Recorded, text: str, other: str) -> bool:
    """Tell whether a call has a text that could be another one; what has signs in it stands by itself."""
    if re.fullmatch(r"\w+", text) or not any(letter.isalnum() for letter in text):
        return driver.swapped(call, text, other) is not None
    return stands_alone(text, call.arguments)


def nothing_called(looking: Looking) -> tuple[TestedInput, ...]:
    """Say of every file of the tests that no call of its was seen."""
    nothing = BothSides("", "", "")
    return tuple(
        TestedInput(nothing, "", path, "", problem=Unmeasured.NO_CALLS) for path in looking.paths
    )
