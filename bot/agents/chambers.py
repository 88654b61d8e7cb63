"""What every agent of one evaluation shares: the models, and the marks round hostile text."""

from __future__ import annotations

from dataclasses import dataclass

from bot.llm.base import Session
from bot.safety import Delimiter


@dataclass(frozen=True, slots=True)
class Chambers:
    """The models of one evaluation, and the delimiter of its run."""

    session: Session
    delimiter: Delimiter
