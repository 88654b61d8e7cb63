"""What every agent of one evaluation shares: the models, and the marks round hostile text."""

from __future__ import annotations

from dataclasses import dataclass

from bot.judges.acting import Acting
from bot.judges.model.base import Session
from bot.text import Delimiter

ANY_DAY = "*"


@dataclass(frozen=True, slots=True)
class Chambers:
    """The models of one evaluation, the delimiter of its run, and how analysts act (None: they do not).

    `today` is the day in UTC on which judges that passed their trial are believed; empty: they are tried
    each time. ANY_DAY is for a run that is derived again from its record.
    """

    session: Session
    delimiter: Delimiter
    acting: Acting | None = None
    today: str = ""
