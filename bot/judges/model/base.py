"""What is asked of models, what goes wrong, what is remembered, and what it costs."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Generic, Protocol, TypeVar

from pydantic import BaseModel

from bot.errors import AssayError
from bot.values import TRIAL, Role

Reply = TypeVar("Reply", bound=BaseModel)


class ModelProblem(AssayError):
    """A model gave no answer; `why` is one sentence for people. It is never a verdict by itself."""

    def __init__(self, why: str) -> None:
        super().__init__(why)
        self.why = why


class Answerless(ModelProblem):
    """The model refused, or its reply was invalid twice."""


class BudgetSpent(ModelProblem):
    """The evaluation has used up its budget, time or interactions."""


class ModelAway(ModelProblem):
    """The endpoint does not respond, rejects the key, or does not know the model."""


@dataclass(frozen=True, slots=True)
class Prompt:
    """One question. `system` is ours alone and the same for every question of its kind, so that
    endpoints can cache it; whatever is not ours stands in `user`, fenced (`bot.text.Fence`).

    `sample` tells repetitions of the same question apart: each is answered for itself. `about` is for the
    record alone: a requirement's id, or what else tells the question from others of its role.
    """

    role: Role
    system: str
    user: str
    images_png: tuple[bytes, ...] = ()
    temperature: float = 0.2
    sample: int = 0
    about: str = ""
    most_tokens: int = 0  # of the reply; 0: as many as the endpoint allows

    @property
    def counted_as(self) -> Role:
        """The row of the cost that it is counted in: a panel that is tried has one of its own."""
        return Role.CANARY if self.about == TRIAL else self.role


@dataclass(frozen=True, slots=True)
class Tool:
    """Something that a model may do. `call` takes a value of `arguments` and returns text for the model.

    A wrong call is told to the model as text; `call` raises nothing but errors of Assay.
    """

    name: str
    description: str
    arguments: type[BaseModel]
    call: Callable[[Any], Awaitable[str]]


@dataclass(frozen=True, slots=True)
class Toolbox(Generic[Reply]):
    """What a conversation may use, in at most `interactions` requests.

    `refusal` says why a reply does not count, and what would; empty where it does.
    """

    tools: Sequence[Tool]
    interactions: int
    refusal: Callable[[Reply], str] | None = None


@dataclass(frozen=True, slots=True)
class SessionLimits:
    """The limits of one evaluation's models; `usd_spent` is what its earlier stages cost."""

    usd: float
    minutes: float
    usd_spent: float = 0.0


class Memory(Protocol):
    """A cache of replies, keyed by the content of the request, so that no request is paid for twice."""

    def reply(self, key: str) -> bytes | None:
        """Return the reply stored under this key (hexadecimal), or None."""

    def keep_reply(self, key: str, reply: bytes) -> None:
        """Store the reply atomically."""


# --- models' replies by key, for the record of one run --------------------------------------------


class RecordingMemory:
    """Passes everything on to another memory and remembers what this run saw; `seen` by key."""

    def __init__(self, kept_in: Memory) -> None:
        self._kept_in = kept_in
        self.seen: dict[str, bytes] = {}

    def reply(self, key: str) -> bytes | None:
        """Return what was kept, or None."""
        value = self._kept_in.reply(key)
        if value is not None:
            self.seen[key] = value
        return value

    def keep_reply(self, key: str, reply: bytes) -> None:
        """Keep it there, and here."""
        self._kept_in.keep_reply(key, reply)
        self.seen[key] = reply

    def forget(self, key: str) -> None:
        """Leave out of this run's record what it read and did not use."""
        self.seen.pop(key, None)


class SealedMemory:
    """The record of a run that is over: nothing is asked that it does not hold."""

    def __init__(self, replies: Mapping[str, bytes]) -> None:
        self._replies = replies

    def reply(self, key: str) -> bytes:
        """Return what the run saw. Raises ModelAway for what it did not ask."""
        if key not in self._replies:
            raise ModelAway("The bundle holds no reply to this question: the program has changed.")
        return self._replies[key]

    def keep_reply(self, key: str, reply: bytes) -> None:
        """Nothing is asked, so nothing is answered."""
        raise AssertionError(f"a sealed memory was told {key} ({len(reply)} bytes)")
