"""JSON in and out of the engine's database: typed by annotations, never pickle."""

from __future__ import annotations

import functools
import json
import typing
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from typing import Any, TypeVar, cast

from dbos import Serializer
from pydantic import TypeAdapter

from bot.errors import AssayError, OutOfTime, Superseded, Transient, UserError

T = TypeVar("T")


class StepFailed(AssayError):
    """A step's unexpected exception, as it is remembered: its kind and its message."""


class JsonSerializer(Serializer):
    """What DBOS stores: plain JSON. Values are text already (see `encode`), errors become two words."""

    def name(self) -> str:
        """Name the format; stored beside every value."""
        return "assay_json"

    def serialize(self, data: Any) -> str:
        """Turn plain data or an exception to JSON text."""
        if isinstance(data, BaseException):
            data = {"$error": type(data).__name__, "message": str(data)}
        return json.dumps(data)

    def deserialize(self, serialized_data: str) -> Any:
        """Turn JSON text back; an error comes back as `StepFailed`."""
        data = json.loads(serialized_data)
        if isinstance(data, dict) and "$error" in data:
            return StepFailed(f"{data['$error']}: {data['message']}")
        return data


@functools.cache
def _adapter(kind: Any) -> TypeAdapter[Any]:
    return TypeAdapter(kind)


def encode(value: T, kind: Any) -> str:
    """Write `value` of type `kind` as ASCII JSON; undecodable file names (lone surrogates) survive."""
    return json.dumps(_adapter(kind).dump_python(value, mode="json"))


def decode(text: str, kind: type[T]) -> T:
    """Read back what `encode` wrote."""
    value: T = _adapter(cast(Hashable, kind)).validate_python(json.loads(text))
    return value


def result_type(step: Callable[..., Any]) -> Any:
    """Tell what a step returns from its annotation. Raises TypeError when it says nothing."""
    function = step
    while isinstance(function, functools.partial):
        function = function.func
    if not hasattr(function, "__annotations__"):
        function = type(function).__call__
    hints = typing.get_type_hints(function)
    if "return" not in hints:
        raise TypeError(f"the step {function!r} needs a return annotation to be stored")
    return hints["return"]


@dataclass(frozen=True, slots=True)
class StoredOutcome:
    """How a step ended, as stored: a result in JSON or one of our own errors."""

    result: str = ""
    error: str = ""  # "", "user", "out of time", "superseded" or "transient"
    what: str = ""
    next_step: str = ""
    retry_after_s: float = 0.0
    life: int = 0  # of the job, in which the step ended; 0 in older records


def outcome_of(error: AssayError) -> StoredOutcome:
    """Remember an error of ours so that a replay raises the same one."""
    match error:
        case OutOfTime():
            return StoredOutcome(error="out of time", what=error.what, next_step=error.next_step)
        case UserError():
            return StoredOutcome(error="user", what=error.what, next_step=error.next_step)
        case Superseded():
            return StoredOutcome(error="superseded", what=error.by)
        case Transient():
            return StoredOutcome(
                error="transient", what=error.what, retry_after_s=error.retry_after_s
            )
        case _:
            return StoredOutcome(error="failed", what=f"{type(error).__name__}: {error}")


def raise_error(outcome: StoredOutcome) -> None:
    """Raise the error that an outcome holds, if it holds one."""
    match outcome.error:
        case "":
            return
        case "out of time":
            raise OutOfTime(outcome.what, outcome.next_step)
        case "user":
            raise UserError(outcome.what, outcome.next_step)
        case "superseded":
            raise Superseded(outcome.what)
        case "transient":
            raise Transient(outcome.what, outcome.retry_after_s)
        case _:
            raise StepFailed(outcome.what)
