"""Every value that crosses a step comes back the same, as JSON."""

from __future__ import annotations

import dataclasses
import functools
import inspect
import json
import types
import typing
from collections.abc import Callable
from enum import Enum
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import bot.store
import bot.values
import sandbox.values
from bot.errors import AssayError, OutOfTime, Superseded, Transient, UserError
from bot.queue.codec import (
    JsonSerializer,
    StepFailed,
    decode,
    encode,
    outcome_of,
    raise_error,
    result_type,
)


def values_of(*modules: types.ModuleType) -> list[type]:
    return [
        kind
        for module in modules
        for _, kind in inspect.getmembers(module, dataclasses.is_dataclass)
        if kind.__module__.startswith(module.__name__)
    ]


VALUES = values_of(bot.values, sandbox.values)
assert len(VALUES) >= 30  # both modules were read
# Lone surrogates are what undecodable file names become.
TEXT = st.text(st.characters(), max_size=6) | st.sampled_from(["\udcff.py", "\0", "é", "💥"])


PLAIN: dict[object, st.SearchStrategy[object]] = {
    str: TEXT,
    int: st.integers(),
    bool: st.booleans(),
    float: st.floats(allow_nan=False),
    type(None): st.none(),
    Path: st.sampled_from([Path("shop"), Path("/srv/é")]),
}


@functools.cache
def strategy_of(hint: object) -> st.SearchStrategy[object]:
    """Build values by the annotation, all the way down."""
    if hint in PLAIN:
        return PLAIN[hint]
    if isinstance(hint, type) and issubclass(hint, Enum):
        return st.sampled_from(list(hint))
    if isinstance(hint, type) and dataclasses.is_dataclass(hint):
        hints = typing.get_type_hints(hint)
        fields = {one.name: strategy_of(hints[one.name]) for one in dataclasses.fields(hint)}
        if hint is bot.values.EvaluationRequest:  # only what is judged here can do without a part
            fields["trigger"] = st.just(bot.values.Trigger.LOCAL)
        return st.builds(hint, **fields)
    origin, arguments = typing.get_origin(hint), typing.get_args(hint)
    if origin in (typing.Union, types.UnionType):
        return st.one_of(*map(strategy_of, arguments))
    assert origin is tuple, hint
    if arguments[-1] is Ellipsis:
        return st.lists(strategy_of(arguments[0]), max_size=2).map(tuple)
    return st.tuples(*map(strategy_of, arguments))


@pytest.mark.thorough
@pytest.mark.parametrize("kind", VALUES, ids=lambda kind: kind.__name__)
def test_every_value_comes_back_the_same(kind: type) -> None:
    @settings(max_examples=10, deadline=None)
    @given(strategy_of(kind))
    def check(value: object) -> None:
        text = encode(value, kind)
        assert text.isascii()
        assert decode(text, kind) == value

    check()


def test_containers_of_values_come_back() -> None:
    kind = tuple[bot.values.Transition, ...] | None
    for value in (None, (), (bot.values.Transition.FIXED,)):
        assert decode(encode(value, kind), kind) == value  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "error",
    [
        OutOfTime("late", "next"),
        UserError("what", "next"),
        Superseded("abc123"),
        Transient("away", 7.5),
        AssayError("odd"),
    ],
    ids=lambda error: type(error).__name__,
)
def test_our_errors_come_back_as_they_were(error: AssayError) -> None:
    with pytest.raises(AssayError) as raised:
        raise_error(outcome_of(error))
    expected = StepFailed if type(error) is AssayError else type(error)
    assert type(raised.value) is expected
    assert vars(raised.value) == vars(error) or expected is StepFailed


def test_the_serializer_writes_json_and_remembers_errors() -> None:
    serializer = JsonSerializer()
    stored = serializer.serialize({"args": ("x",), "kwargs": {}})
    assert json.loads(stored) == {"args": ["x"], "kwargs": {}}
    assert serializer.deserialize(stored) == {"args": ["x"], "kwargs": {}}
    error = serializer.deserialize(serializer.serialize(ValueError("no")))
    assert isinstance(error, StepFailed)
    assert str(error) == "ValueError: no"


class Answering:
    def __call__(self) -> int:
        return 1

    async def method(self) -> str:
        return ""


def no_annotation():  # type: ignore[no-untyped-def]
    return 1


@pytest.mark.parametrize(
    ("step", "kind"),
    [
        (Answering(), int),
        (Answering().method, str),
        (functools.partial(functools.partial(encode, 1), int), str),
    ],
)
def test_the_annotation_says_what_is_stored(step: Callable[..., object], kind: type) -> None:
    assert result_type(step) is kind


def test_a_step_without_an_annotation_is_refused() -> None:
    with pytest.raises(TypeError, match="return annotation"):
        result_type(no_annotation)
