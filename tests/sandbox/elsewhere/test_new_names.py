"""What an object has more on head, under names that only head knows, is no other answer of a call."""

from __future__ import annotations

import pytest

from sandbox.elsewhere.new_names import changed_defaults, without_attributes
from sandbox.elsewhere.told import CallOutcome, Recorded

NAMES = frozenset(("limit", "kinds"))


@pytest.mark.parametrize(
    ("told", "expected"),
    [
        ("returned None and left {'size': 1, 'limit': 2}", "returned None and left {'size': 1}"),
        (
            "returned None and left {'limit': [1, 2], 'size': 1}",
            "returned None and left {'size': 1}",
        ),
        ("returned None and left {'limit': 2}", "returned None and left {}"),
        ("returned Bag {'kinds': {'a': ', '}, 'size': 1}", "returned Bag {'size': 1}"),
        (
            "returned [instance('m:Bag', {'size': 1, 'kinds': (1,), 'limit': 2})]",
            "returned [instance('m:Bag', {'size': 1})]",
        ),
        (
            "returned None and left {'own': instance('m:Own', {'limit': \"it's\", 'a': {'limit': 1}})}",
            "returned None and left {'own': instance('m:Own', {'a': {'limit': 1}})}",
        ),
    ],
)
def test_attributes_that_only_head_knows_are_left_out(told: str, expected: str) -> None:
    assert without_attributes(told, NAMES) == expected


@pytest.mark.parametrize(
    "told",
    [
        "returned {'size': 1, 'limit': 2}",
        "returned 1 and left [{'limit': 2}]",
        "returned 'and left {limit: 2}'",
        "returned Bag {'size': 'limit', 'a': 2}",
        "returned Bag {'size': 1, 'limits': 2",
        "raised ValueError",
        "returned ')]}'",
        "returned )]}, {",
    ],
)
def test_all_else_that_is_told_stays(told: str) -> None:
    assert without_attributes(told, NAMES) == told


@pytest.mark.parametrize(
    ("base", "head", "is_otherwise"),
    [
        (
            "returned None and left {'_a': [], 'n': 1}",
            "returned None and left {'_b': [], 'n': 1}",
            False,
        ),
        (
            "returned None and left {'_a': [], 'n': 1}",
            "returned None and left {'_b': [1], 'n': 1}",
            True,
        ),
        (
            "returned None and left {'a': [], 'n': 1}",
            "returned None and left {'b': [], 'n': 1}",
            True,
        ),
        ("returned {'_a': 1} and left {'n': 1}", "returned {'_b': 1} and left {'n': 1}", True),
    ],
)
def test_a_private_attribute_may_have_another_name(
    base: str, head: str, is_otherwise: bool
) -> None:
    call = Recorded(
        "bus", "Bus.on", 0, "((), {}, {})", base, "tests/test_bus.py", "test_on", "Bus.on()"
    )
    sides = ({call: CallOutcome(told, False, "", 0, "")} for told in (base, head))
    found = [*changed_defaults((), {call: (call,)}, *sides, ())]
    assert bool(found) is is_otherwise


@pytest.mark.parametrize(
    ("base", "head", "is_otherwise"),
    [
        ("raised ValueError", "returned 1000", True),
        ("raised SignatureError", "returned None", True),
        ("raised ValueError", "raised SignatureError", True),
        ("raised ValueError", "raised TooOld", False),  # an error that is new
        ("raised TypeError", "returned 1000", False),  # base did not refuse it
        ("raised KeyError", "returned 1000", False),
    ],
)
def test_what_base_refuses_stays_refused_without_what_is_new(
    base: str, head: str, is_otherwise: bool
) -> None:
    path, test = "tests/test_signing.py", "test_tolerance"
    calls = [
        Recorded("signing", "verify", 0, f"(({key!r},), {{}}, {{}})", base, path, test, key)
        for key in ("", "k", "l")
    ]
    empty, first, other = calls
    sides = [dict.fromkeys(calls, CallOutcome(told, False, "", 0, "")) for told in (base, head)]
    for side in sides:
        side[first] = CallOutcome("returned 1", False, "", 0, "")  # what the test shows
    found = [*changed_defaults((first,), {first: (empty,)}, *sides, ("TooOld",))]
    assert bool(found) is is_otherwise
    # So it does where the test shows what comes without what is new, and that stays as it is.
    shown = {other: CallOutcome("returned 1", False, "", 0, "") for other in (first, other)}
    both = ({**side, **shown} for side in sides)
    near = {first: (other, empty)}
    assert bool([*changed_defaults((first,), near, *both, ("TooOld",))]) is is_otherwise
    # Where a test makes a call as before that is answered now, that is what is asked for.
    assert not [*changed_defaults((first, other), {first: (empty,)}, *sides, ())]
