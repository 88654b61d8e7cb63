"""What judges that reason over evidence say, and what their models cost."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from bot.values.grades import Grading
from bot.values.observed import Evidence
from bot.values.plans import PlanExtension
from bot.values.verdicts import Verdict, VerdictOutcome

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


class Act(StrEnum):
    """What a judge may do in a round of negotiation (CodeVisionary): about itself, or about another."""

    MAINTAIN = "maintain"
    CHANGE = "change"
    WITHDRAW = "withdraw"
    AGREE = "agree"
    QUERY = "query"
    DISAGREE = "disagree"


@dataclass(frozen=True, slots=True)
class Scores:
    """Points of one judge, 0 to 4 each."""

    correctness: int
    functionality: int
    clarity: int

    @property
    def mean(self) -> float:
        """The mean of the three, 0 to 4."""
        return (self.correctness + self.functionality + self.clarity) / 3


@dataclass(frozen=True, slots=True)
class Opinion:
    """One judge's opinion of one requirement. `judge` counts from 1; `scores` is None without one.

    `problem` says why it does not count: unreadable twice, its evidence does not exist, withdrawn.
    """

    judge: int
    outcome: VerdictOutcome
    reason: str
    evidence_ids: tuple[str, ...] = ()
    scores: Scores | None = None
    problem: str = ""

    @property
    def counts(self) -> bool:
        """Whether it is an opinion at all."""
        return not self.problem


@dataclass(frozen=True, slots=True)
class Statement:
    """What one judge said in a round; `about` is another judge's number, 0 for its own opinion."""

    judge: int
    act: Act
    about: int
    explanation: str


@dataclass(frozen=True, slots=True)
class Round:
    """One round: number 0 is the blind one. `opinions` are how all judges stand after it."""

    number: int
    statements: tuple[Statement, ...]
    opinions: tuple[Opinion, ...]


@dataclass(frozen=True, slots=True)
class PanelResult:
    """What a panel came to about one requirement. `score` is the mean of what counts, 0 to 4.

    `outcome` is unverified without agreement; `dissent` are the last opinions that differ from it.
    """

    requirement_id: str
    outcome: VerdictOutcome
    reason: str
    evidence_ids: tuple[str, ...] = ()
    score: float | None = None
    is_agreed: bool = False
    rounds: tuple[Round, ...] = ()
    dissent: tuple[Opinion, ...] = ()

    @property
    def is_heard(self) -> bool:
        """Whether any judge replied: without a reply, asking again may bring one."""
        return bool(self.rounds) and any(one.scores for one in self.rounds[0].opinions)

    @property
    def all_evidence_ids(self) -> tuple[str, ...]:
        """What it rests on, then what those who dissent cite; each once."""
        cited = (*self.evidence_ids, *(id_ for one in self.dissent for id_ in one.evidence_ids))
        return tuple(dict.fromkeys(cited))


@dataclass(frozen=True, slots=True)
class Analysis:
    """What an analyst found out about one requirement by acting, before any panel.

    `evidence_ids` are its own steps. `refuted_by` are those of them that fail on head and show that
    the requirement is not met. `problem` says why it ended early (a budget, a model that is away).
    """

    requirement_id: str
    outcome: VerdictOutcome
    reason: str
    evidence_ids: tuple[str, ...] = ()
    refuted_by: tuple[str, ...] = ()
    interactions: int = 0
    problem: str = ""


class Validity(StrEnum):
    """The verdict on a whole patch (rubric-guided judging)."""

    VALID = "VALID"
    INVALID = "INVALID"


@dataclass(frozen=True, slots=True)
class PatchOpinion:
    """One word on the whole patch, with its thought, its justification and a remark on minimality.

    `is_unsure` asks for a person; `doubts` say why. `evidence_ids` and `quotes` (lines of the diff) are
    cited and were found to exist. `votes` are VALID, INVALID and no opinion, over all samples.
    """

    validity: Validity | None
    thought: str
    justification: str
    minimality: str
    is_unsure: bool
    rubric: str = ""  # "golden, version 2", "draft", or empty
    problem: str = ""
    is_golden: bool = False  # all that it was judged by is golden
    evidence_ids: tuple[str, ...] = ()
    quotes: tuple[str, ...] = ()
    doubts: tuple[str, ...] = ()
    votes: tuple[int, int, int] = (0, 0, 0)


class Role(StrEnum):
    """Who asks a model; each may have a model of its own."""

    COMPREHENSION = "comprehension"
    RUBRIC = "rubric"
    PLANNER = "planner"
    ANALYST = "analyst"
    CANARY = "canary"  # the panel, tried on what is known
    PANEL = "panel"
    PATCH = "patch"
    CRITIC = "critic"
    QUANTIFIER = "quantifier"
    VERIFIER = "verifier"


@dataclass(frozen=True, slots=True)
class RoleUsage:
    """What one role's model calls took. `cached` of the `calls` were answered from memory for nothing.

    `usd` is None where nobody knows the model's price.
    """

    role: Role
    model: str
    calls: int = 0
    cached: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    usd: float | None = None
    seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class CanaryResult:
    """Whether the judges saw through what is known: a planted requirement each way, and an instruction."""

    is_passed: bool
    failures: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Deliberation:
    """All that models contributed to one evaluation; empty where none is set.

    `evidence` are the analysts' steps, which verdicts may cite; `extensions` say of each why it was
    added to the plan. `problem` says why it counts for nothing (a missed canary), `not_asked` why nobody
    was asked though a model is set. `found` are the oracles' verdicts, before any judge was asked.
    """

    evidence: tuple[Evidence, ...] = ()
    analyses: tuple[Analysis, ...] = ()
    panels: tuple[PanelResult, ...] = ()
    patch: PatchOpinion | None = None
    canary: CanaryResult | None = None
    usage: tuple[RoleUsage, ...] = ()
    problem: str = ""
    extensions: tuple[PlanExtension, ...] = ()
    grading: Grading | None = None  # by the kept criteria and preferences; advice
    not_asked: str = ""
    found: tuple[Verdict, ...] = ()
