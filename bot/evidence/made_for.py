"""Says whether a change may be made for the inputs of its tests alone: none near them shows it."""

from __future__ import annotations

import ast
import re
from collections.abc import Container, Iterable, Iterator
from dataclasses import dataclass

from bot.evidence.damage import called_in
from bot.evidence.said_values import SHOWN_CODE, speaks_of, special_words
from bot.values import Requirements, TestComparison
from sandbox.elsewhere.values import (
    MOST_SHOWN,
    SEVERAL,
    BothSides,
    SecondLook,
    TestedInput,
    Unmeasured,
    calls_near,
)
from sandbox.elsewhere.variation import ALONE, accented

LEAST_NEAR = 20
"""So many calls near the tested ones must tell something."""
_LEAST_OF_ARGUMENT = 10
_ONE_IN = 10
_LEAST_ON_BASE = 5
_LEAST_WITH_KEY = 5
_FEW = 4
_LEAST_REFUSED = 3
_TELLING = 10  # characters of a result that two inputs do not share by chance
_RETURNED = "returned "
_NOTHING = ("None", "null", "undefined", "[]", "{}", "()", "set()", "''", '""')
_COMMON = ("None", "True", "False", "null", "undefined", "true", "false")


@dataclass(frozen=True, slots=True)
class MadeFor:
    """The first tested input that the change is seen at, and at how many calls near all such it is seen.

    `is_constant` says that it is seen at all of them alike: head gives the tested result whatever comes in.
    `argument` is the value, as code, of the one argument that these calls vary, where that alone says so;
    `key` a text of the change that none of these calls has, `letters` those that they have others for.
    `is_of_numbers` says that these calls have other numbers in their texts, and that head refuses them all.
    """

    first: TestedInput
    differing: int
    near: int
    is_constant: bool = False
    argument: str = ""
    key: str = ""
    letters: tuple[str, ...] = ()
    is_of_numbers: bool = False


def made_for(
    test: TestComparison, seen: SecondLook | None, wanted: Requirements, named: Container[str] = ()
) -> MadeFor | None:
    """Return why a test's inputs may be the only ones that the change is for; None where nothing says so.

    Each function that the test calls, and that gives something else on head, must be measured and narrow;
    what is no plain value cannot be. But where those that the demand itself names (`named`) are measured,
    what could not be measured of others says nothing. An input that the task names itself, or at which a
    boundary moved by one step, may well stand alone. So may one result for every input that the task names.
    """
    inputs = [one for one in (seen.inputs if seen else ()) if _is_made_by(one, test)]
    own = [one for one in inputs if one.function.rpartition(".")[2] in named]
    if own and not any(one.problem for one in own):
        inputs = [one for one in inputs if one in own or not one.problem]
    return made_for_inputs(inputs, wanted)


def made_for_inputs(inputs: Iterable[TestedInput], wanted: Requirements) -> MadeFor | None:
    """Return why a change may be for these inputs alone; None where nothing says so."""
    inputs = list(inputs)
    asked = (one.text for one in wanted.beside_baseline)
    said = "\n".join((*wanted.said, *asked))
    groups: dict[str, list[TestedInput]] = {}
    if constant := next((one for one in inputs if _is_constant(one, inputs, said)), None):
        return MadeFor(constant, len(constant.near), len(constant.near), is_constant=True)
    measured = {one.function for one in inputs if not one.problem}
    # Inputs that are no plain values say nothing of those that are, and show the change.
    inputs = [
        one
        for one in inputs
        if one.problem is not Unmeasured.NO_PLAIN_INPUT or one.function not in measured
    ]
    if any(one.problem for one in inputs):
        return None
    for one in inputs:
        # What the task shows by calls is no word about an argument.
        prose = _prose(one, said)
        is_named = bool(one.values) and all(speaks_of(value, said, prose) for value in one.values)
        if not one.moves_boundary and not is_named:
            groups.setdefault(one.function, []).append(one)
    kept = [one for group in groups.values() for one in group]
    counts = [_counted(group) for group in groups.values()]
    if groups and all(near >= LEAST_NEAR and seen * _ONE_IN < near for seen, near in counts):
        return MadeFor(kept[0], *_counted(kept))
    for is_made_for in (_singular, _keyed, _lettered, _numbered):
        found = [is_made_for(group, said) for group in groups.values()]
        if found and all(found):
            return found[0]
    return None


def _singular(inputs: list[TestedInput], said: str) -> MadeFor | None:
    """Say why a change may be for one value of an argument: it is seen where that stays only."""
    near = calls_near(inputs)
    for place in sorted({both.place for both in near} - {(SEVERAL, "")}):
        values = [one.value_at(place) for one in inputs]  # "" where it was not varied to any effect
        is_of = (place, (SEVERAL, ""))
        varied = [both for both in near if both.place in is_of and not both.is_alike]
        is_seen = any(both.differs for both in near if both.place not in is_of)
        if not is_seen or len(varied) < _LEAST_OF_ARGUMENT or any(one.differs for one in varied):
            continue
        prose = _prose(inputs[0], said)
        if not any(
            one == "" or speaks_of(one, said, prose) or _is_choice(place[1], one, said)
            for one in values
        ):
            return MadeFor(inputs[0], 0, len(varied), argument=values[0])
    return None


def _is_choice(option: str, value: str, said: str) -> bool:
    """Whether a task gives an option this very word: of `{ arrays: "brackets" }` others are other options."""
    given = rf"\b{re.escape(option)}[\"']?\s?[:=]\s?[\"']{re.escape(value[1:-1])}[\"']"
    is_word = re.fullmatch(r"([\"'])[A-Za-z][\w-]*\1", value) is not None
    return bool(option) and is_word and re.search(given, said) is not None


def _keyed(inputs: list[TestedInput], said: str) -> MadeFor | None:
    """Say whether a change may be for inputs with a text that it compares with, and that nobody speaks of."""
    near = calls_near(inputs)
    for key in inputs[0].keys:
        is_said = re.search(rf"(?i)(?<!\w){re.escape(key)}(?!\w)", said)
        if is_said or not all(key in one.keys for one in inputs):
            continue
        whole = (both for both in near if not both.is_cut)
        others = [both for both in whole if key.lower() not in both.call.lower()]
        seen = [both for both in near if both.differs]
        if min(len(others), len(seen)) >= _LEAST_WITH_KEY and not any(o.differs for o in others):
            return MadeFor(inputs[0], 0, len(others), key=key)
    return None


def _lettered(inputs: list[TestedInput], said: str) -> MadeFor | None:
    """Say whether a change may be for some letters with accents: with others nothing shows it."""
    of_each = [accented(one.tested.call.lower()) for one in inputs]
    letters = frozenset[str]().union(*of_each)
    is_said = any(re.search(rf"(?<!\w){re.escape(one)}(?!\w)", said) for one in letters)
    if is_said or not all(of_each):
        return None
    near = [(both, accented(both.call.lower())) for both in calls_near(inputs) if not both.is_cut]
    others = [both for both, its in near if its and not its & letters]
    seen = [both for both, its in near if its & letters and both.differs]
    if min(len(others), len(seen)) < _LEAST_WITH_KEY or any(one.differs for one in others):
        return None
    return MadeFor(inputs[0], 0, len(others), letters=tuple(sorted(letters)))


def _numbered(inputs: list[TestedInput], said: str) -> MadeFor | None:
    """Say whether a change may be for the numbers of the tested texts: with others head refuses, too."""
    refused, answered = set[str](), set[str]()
    for one in inputs:
        form = ALONE.sub("#", one.tested.call)
        if not one.tested.was_refused or one.tested.is_refused or form == one.tested.call:
            return None
        alike = [both for both in one.near if ALONE.sub("#", both.call) == form]
        answered.update(both.call for both in alike if both.differs)
        refused.update(both.call for both in one.still if ALONE.sub("#", both.call) == form)
    if answered or len(refused) < _LEAST_REFUSED:
        return None
    return MadeFor(inputs[0], 0, len(refused), is_of_numbers=True)


def _is_made_by(tested: TestedInput, test: TestComparison) -> bool:
    """Whether a test makes a call; where only its file is known, by the names that it calls."""
    if tested.test != tested.path or not tested.function:
        return test.makes(tested.path, tested.test)
    if tested.path != test.path:
        return False
    name = tested.function.rpartition(".")[2]
    is_titled = re.search(rf"(?<!\w){re.escape(name)}(?!\w)", test.id) is not None
    return name == "default" or is_titled or name in called_in(test)


def in_words(why: MadeFor, ones: str) -> str:
    """Say what calls near some inputs (`ones`, "the tested ones") show, and what follows."""
    near = f"calls with inputs near {ones}"
    if why.is_constant:
        apart = "" if why.first.problem else ", where base told them apart"
        return (
            f"But all {why.near} {near} give just this on head{apart}. So nothing shows that the result "
            "depends on the input."
        )
    if why.argument:
        return (
            f"But none of {why.near} calls with another value than `{why.argument}` gives something else on "
            "head than on base, so the change may be made for this one only."
        )
    if why.key:
        return (
            f"But none of {why.near} {near} without `{why.key}`, which the code of the change has, gives "
            "something else on head than on base, so the change may be made for inputs with it only."
        )
    if why.letters:
        named = ", ".join(f"`{one}`" for one in why.letters[:_FEW])
        return (
            f"But none of {why.near} {near} with other letters than {named} gives something else on head "
            "than on base, so the change may be made for these letters only."
        )
    if why.is_of_numbers:
        return (
            f"But head refuses, as base does, all {why.near} calls with other numbers in the texts of "
            f"{ones}, so the change may be made for these only."
        )
    give = "gives" if why.differing == 1 else "give"
    return (
        f"But only {why.differing} of {why.near} {near} {give} something else on head than on base, so the "
        "change may be made for these only."
    )


def _counted(inputs: Iterable[TestedInput]) -> tuple[int, int]:
    near: dict[tuple[str, ...], BothSides] = {}
    for one in inputs:
        found = one.tested.on_base.removeprefix(_RETURNED)
        is_found = len(found) >= _TELLING and not found.startswith("raised")
        for both in one.near:
            # What gives the same is one input for all that the function cares: the tested one, or another.
            gives = (both.on_base, both.on_head)
            texts = [text.removeprefix(_RETURNED) for text in gives]
            is_long = all(len(t) >= _TELLING and not t.startswith("raised") for t in texts)
            is_whole = max(map(len, gives)) < MOST_SHOWN
            # Base found much in the tested input: what neither side finds anything in is none of its kind.
            is_none = is_found and not both.differs and texts[0] in _NOTHING
            if not is_long or gives != (one.tested.on_base, one.tested.on_head):
                near[gives if (is_long and is_whole) or is_none else (both.call, *gives)] = both
    return sum(both.differs for both in near.values()), len(near)


def _is_constant(tested: TestedInput, inputs: list[TestedInput], said: str) -> bool:
    """Whether a function gives one result on head, and is new, or told the same inputs apart on base."""
    alike = [one for one in inputs if one.function == tested.function]
    calls = {both.call: both for one in alike for both in (one.tested, *one.near)}.values()
    on_head = {both.on_head for both in calls}
    result = tested.tested.on_head.removeprefix(_RETURNED)
    is_telling = tested.tested.on_head.startswith(_RETURNED) and result not in _COMMON
    if len(on_head) > 1 or not is_telling or len(tested.near) < LEAST_NEAR:
        return False
    is_new = tested.problem is Unmeasured.NEW
    if not is_new and (tested.problem or len({both.on_base for both in calls}) < _LEAST_ON_BASE):
        return False
    words = re.escape(result.strip("'\""))
    if words:
        return not re.search(rf"(?<![\w.-]){words}(?!\.?\w)", _prose(tested, said, words))
    try:
        special = special_words(ast.literal_eval(result))
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return True
    return not (special and re.search(rf"(?i)\b(?:{special})\b", said))


def _prose(tested: TestedInput, said: str, result: str = "") -> str:
    """The task without what it shows: blocks of code, calls of the function, and the result behind these."""
    name = re.escape(tested.function.rpartition(".")[2])
    behind = rf"(?:[^\n]{{0,40}}?{result})?" if result else ""
    prose = re.sub(rf"\b{name}\([^\n]*?\)+(?!\w){behind}", " ", SHOWN_CODE.sub(" ", said))
    return re.sub(rf"(?m)^ *['\"]?{result}['\"]? *$", " ", prose) if result else prose


def table(inputs: Iterable[TestedInput]) -> Iterator[str]:
    """Each tested input with what is near it, first where the sides differ; calls, base, head."""
    for one in inputs:
        if one.problem and not one.near:
            where = _where(one) if one.test else one.path
            yield f"{where}: not measured, {one.problem}"
            continue
        if not one.near:
            yield f"{_where(one)}: no input near it tells anything"
            continue
        near = sorted(one.near, key=lambda both: not both.differs)
        rows = [("call", "base", "head")]
        rows += [(_flat(b.call), _flat(b.on_base), _flat(b.on_head)) for b in (one.tested, *near)]
        widths = [max(len(row[at]) for row in rows) for at in (0, 1)]
        differing = f"{sum(both.differs for both in near)} of {len(near)} inputs near it differ"
        if one.problem:
            differing = f"{one.problem}, and gives the same for all {len(near)} inputs near it"
        yield f"{_where(one)}: {differing}"
        for call, base, head in rows:
            yield f"  {call:<{widths[0]}}  {base:<{widths[1]}}  {head}"


def _flat(text: str) -> str:
    return " ".join(text.split())


def _where(one: TestedInput) -> str:
    return f"{one.tested.call} in {one.test}" if one.test else one.tested.call
