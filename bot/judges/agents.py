"""What every agent of one evaluation shares: the models, and the marks round hostile text."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from bot.templates import render_text
from bot.text import Delimiter
from bot.values import ActionKind, Evidence, Step

if TYPE_CHECKING:
    from bot.judges.model.session import ModelSession

ANY_DAY = "*"


@dataclass(frozen=True, slots=True)
class Agents:
    """The models of one evaluation, the delimiter of its run, and how analysts act (None: they do not).

    `today` is the day in UTC on which judges that passed their trial are believed; empty: they are tried
    each time. ANY_DAY is for a run that is derived again from its record.
    """

    session: ModelSession
    delimiter: Delimiter
    acting: Acting | None = None
    today: str = ""

    def texts(self, name: str, **values: object) -> tuple[str, str]:
        """A question's `system` and `user` from the templates of its name; `values` are fenced already."""
        user = render_text(f"prompts/{name}.user.txt.j2", mark=self.delimiter.word, **values)
        return render_text(f"prompts/{name}.system.txt.j2"), user


# --- the seam by which an analyst acts: whoever runs the evaluation takes its steps ---------------


@dataclass(frozen=True, slots=True)
class Taken:
    """What one step gave: evidence that may be cited (None: hints only), and a note beside it."""

    evidence: Evidence | None = None
    note: str = ""


@dataclass(frozen=True, slots=True)
class Acting:
    """What an analyst may do, and how much of it.

    `take` runs a step on both sides and turns what goes wrong into data; `picture` gives a kept PNG by
    the name of its artifact; `web` looks something up outside (None: not allowed); `run` names the
    evaluation, so that a resumed conversation sees what the first one saw. `reads_only`: nothing is run,
    since what was not built fails for that alone. `left_out` are actions that a measurement goes without.
    """

    run: str
    take: Callable[[Step], Awaitable[Taken]]
    picture: Callable[[str], Awaitable[bytes | None]]
    web: Callable[[str], Awaitable[str]] | None = None
    interactions: int = 40
    minutes: float = 30.0
    reads_only: bool = False
    left_out: frozenset[ActionKind] = frozenset()
