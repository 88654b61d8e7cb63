"""What a judge's own step did on copies of head is weighed: does it show what was asked?"""

from __future__ import annotations

from dataclasses import replace

import pytest

from bot.evidence.own_steps.weigh import Named, hollow_problem, nearness, own_step
from bot.judges.citations import citation_problem
from bot.values import (
    ActionKind,
    Category,
    ChangedSymbol,
    CodePlace,
    DamageSeen,
    Evidence,
    Impact,
    Requirement,
    Step,
    Transition,
    Trust,
    VerdictOutcome,
)
from sandbox.damage.values import Damage, DamageTrial
from sandbox.values import Observation, Side

WORDS = Requirement("R1", "split refuses zero people", Category.BEHAVIOUR, "issue #7", Trust.ASKER)
CODE = replace(WORDS, text="`split` raises `ValueError` for zero people")
KEPT = replace(CODE, category=Category.KEEP)


def trial(
    kind: str, noticed: bool | None, path: str = "shop.py", *, is_new: bool = False
) -> DamageTrial:
    is_telling = kind not in ("same", "restored", "result", "nothing", "unsteady")
    damage = Damage(path, kind, 4, "split", f"`split`: {kind}", is_telling, is_new, ("split",))
    own = ("A-R1-1",)
    return DamageTrial(damage, own if noticed else (), own if noticed is False else ())


def step(*trials: DamageTrial, action: ActionKind = ActionKind.DYNAMIC_EXECUTION) -> Evidence:
    taken = Step("A-R1-1", "Try it.", "", ("R1",), action, ("python -m shop",))
    before, after = (
        Observation(Side.BASE, "run", 1, "", 0.1),
        Observation(Side.HEAD, "run", 0, "", 0.1),
    )
    seen = DamageSeen(trials, about="R1")
    return Evidence(taken.id, taken, before, after, Transition.FIXED, (seen,))


def held(*trials: DamageTrial) -> Evidence:
    seen = step(*trials)
    return replace(seen, base=replace(seen.head, side=Side.BASE), transition=Transition.HELD)


SAME, BEFORE = trial("same", False), trial("restored", True)
RESULTS = (trial("result", False), trial("nothing", True))
RIGHT = {
    "a body": step(SAME, BEFORE, trial("emptied", True)),
    "a body, and what it returns": step(
        SAME, BEFORE, trial("emptied", True), trial("result", True), trial("nothing", True)
    ),
    "a condition": step(SAME, BEFORE, trial("emptied", False), trial("negated", True)),
    "what is new": step(SAME, trial("emptied", True, is_new=True)),
    "what is new, beside what changed": step(
        SAME, trial("restored", False), trial("emptied", True, is_new=True)
    ),
    "that two results are the same": step(
        SAME, BEFORE, trial("emptied", True), *RESULTS, trial("unsteady", True)
    ),
}


@pytest.mark.parametrize("name", RIGHT)
def test_a_step_that_notices_what_was_asked_stands(name: str) -> None:
    seen = RIGHT[name]
    assert hollow_problem(seen, CODE) == ""
    assert own_step(seen, CODE) == seen
    assert citation_problem(CODE, VerdictOutcome.SATISFIED, (seen.id,), (seen,)) == ""


HOLLOW = {
    "no damage": (step(SAME, trial("emptied", False)), "0 of 1 damage noticed near `split`"),
    "only that something comes back": (
        step(SAME, BEFORE, trial("emptied", True), *RESULTS), "1 of 1 damage noticed near `split`"),
    "with itself": (
        step(SAME, trial("restored", False), trial("emptied", False), trial("unsteady", True)),
        "It passes with"),
    "something else flips": (
        step(SAME, trial("restored", False), trial("emptied", True)), "It passes with `split`: restored"),
    "time was over": (
        step(SAME, trial("restored", None), trial("emptied", True)), "It passes with `split`: restored"),
    "the text": (step(trial("same", True), BEFORE, trial("emptied", True)), "it reads the code"),
    "no control": (step(BEFORE, trial("emptied", True)), "no result on a copy of head"),
    "a control without result": (step(trial("same", None), trial("emptied", True)), "no result on a copy"),
    "nothing loads": (step(SAME, trial("emptied", None)), "no result where `split` is damaged"),
    "the text of another language": (
        step(SAME, trial("emptied", False, "shop.js"), trial("constant", True, "shop.js")),
        "1 of 2 damages noticed"),
    "nobody measured": (replace(RIGHT["a body"], damage=()), "Nobody measured"),
    "of another requirement": (
        replace(RIGHT["a body"], damage=(DamageSeen((SAME, BEFORE), about="R2"),)), "Nobody measured"),
    "not measurable": (
        replace(RIGHT["a body"], damage=(DamageSeen(problem="Nothing near.", about="R1"),)), "Nothing near."),
    "the repository's own tests": (step(SAME, action=ActionKind.UNIT_TESTS), "four ways"),
    "a page": (step(SAME, action=ActionKind.INTERACTION), "No act of it is about `split`"),
}  # fmt: skip


@pytest.mark.parametrize("name", HOLLOW)
def test_a_hollow_step_raises_nothing(name: str) -> None:
    seen, why = HOLLOW[name]
    shown = own_step(seen, CODE)
    assert shown.transition is Transition.UNKNOWN
    assert shown.head is not None and why in shown.head.problem
    assert why in citation_problem(CODE, VerdictOutcome.SATISFIED, (shown.id,), (shown,))
    planned = replace(seen, step=replace(seen.step, is_proposed=True))
    assert why in citation_problem(CODE, VerdictOutcome.SATISFIED, (planned.id,), (planned,))


def test_what_stays_need_not_fail_as_on_base() -> None:
    unflipped = (SAME, trial("restored", False), trial("emptied", True))
    assert hollow_problem(held(*unflipped), KEPT) == ""
    assert "damage noticed" in hollow_problem(held(SAME, trial("emptied", False)), KEPT)
    two = (
        SAME,
        trial("restored", False),
        trial("emptied", True),
        *RESULTS,
        trial("unsteady", True),
    )
    assert "damage noticed" in hollow_problem(held(*two), KEPT), "base's results are the same, too"


def test_upkeep_is_shown_by_what_stands_there() -> None:
    upkeep = replace(CODE, category=Category.UPKEEP)
    assert hollow_problem(HOLLOW["nobody measured"][0], upkeep) == ""


def test_what_fails_on_head_refutes_as_before() -> None:
    """To lower a verdict a test need not be of the best; the head is not its author's friend."""
    failing = HOLLOW["no damage"][0]
    assert failing.head is not None
    failing = replace(failing, head=replace(failing.head, exit_code=1))
    assert own_step(failing, CODE) == failing


def near(
    requirement: Requirement, *names: str, symbol: str = "", path: str = "shop.js", line: str = "",
    around: str = "", is_changed: bool = True,
) -> bool:  # fmt: skip
    damage = Damage(path, "emptied", 1, symbol, "", names=names, is_changed=is_changed)
    called = CodePlace("shop.js", 9, "split", "function")
    changed = ChangedSymbol(CodePlace("shop.js", 1, "cents", ""), "changed", (called,), (), 1, 0)
    rules = nearness(requirement, Named.of(requirement, around), Impact((changed,)), line)
    return any(is_near(damage) for is_near in rules)


def test_near_is_what_the_requirement_names_and_what_that_calls() -> None:
    assert near(CODE, "Bill", "split") and near(WORDS, "split") and not near(CODE, "verified")
    assert not near(CODE, "split", is_changed=False) and near(KEPT, "split", is_changed=False)
    assert near(CODE, "cents", symbol="cents")
    assert not near(CODE, "cents", symbol="cents", path="shop.py"), "of Python a run tells it"
    assert near(KEPT, "verified"), "what stays is seen at all that changed"
    assert near(CODE, "main", line="split 10 0") and not near(CODE, "main", line="cat DONE.md")
    assert not near(CODE, "main", line='python -c "split"')


def test_what_it_names_may_stand_in_the_task_around_it() -> None:
    """The task's own author says "it"; the code is named a sentence before, or in the title."""
    pronoun = replace(WORDS, text="It should raise an error that says who must pay")
    issue = "`split(1000, 0)` ends in a ZeroDivisionError. It should raise an error."
    assert near(pronoun, "split", around=issue) and not near(pronoun, "split")
    assert not near(CODE, "verified", around="`verified` is there"), "its own words come first"


@pytest.mark.parametrize("written", ["`'split'`", '`"split"`', r"`\\split`", r"`\\xHH`"])
def test_a_text_or_an_escape_that_is_written_as_code_names_none(written: str) -> None:
    """Nothing that is called so could ever be damaged: what the task names around it is meant."""
    demand = replace(WORDS, text=f"The last part is given back: {written}")
    around = "get_real_name() is wrong, and `test_names` may change"
    assert Named.of(demand, around).identifiers == {"get_real_name"}
    assert Named.of(demand, around).is_met_by("get_real_name")
    assert not Named.of(demand, around).is_met_by("unrelated")
    assert Named.of(replace(demand, text="`last('a')` gives `'split'`"), around).code == {"last"}
