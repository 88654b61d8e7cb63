"""What was said to a model and what it answered, as a person reads it."""

from __future__ import annotations

from dataclasses import dataclass

from bot.values.opinions import Role

TRIAL = "trial"
"""What a question about what is known is about."""


@dataclass(frozen=True, slots=True)
class Exchange:
    """One call. `about` is the requirement's id, TRIAL for what is known, empty for the whole change.

    `turn` counts from 0 within a conversation; `said` is only what is new in it, `chars` is all that was
    sent. Tokens are the endpoint's own count, 0 where it counts none. `tools` are those offered, one a
    line with the schema of its arguments, in a conversation's first turn.
    """

    role: Role
    about: str
    sample: int
    turn: int
    system: str
    said: str
    reply: str
    chars: int
    input_tokens: int = 0
    output_tokens: int = 0
    tools: str = ""
