"""The words of Assay as values: what is asked, what was seen, what is concluded.

All are frozen, slotted and made of plain parts, so `pydantic.TypeAdapter` turns each to JSON and
back.
"""

from bot.values.conclusions import (
    ACCEPT_BUTTON,
    EXPLAIN_BUTTON,
    RERUN_BUTTON,
    Acceptance,
    AcceptanceKind,
    Conclusion,
    Evaluation,
    GateReason,
    GateResult,
    ItemScore,
    Judgement,
    MemberVerdict,
    PlanScore,
    Publication,
)
from bot.values.four_way import (
    AdaptedTest,
    ChangedSnapshot,
    FourWay,
    GrownTest,
    NotRun,
    RetiredTest,
    TestChange,
    TestComparison,
    TestedFolder,
    Transition,
)
from bot.values.grades import Criterion, Grade, Grading, KeptRubric, Rubric, TaskRubric
from bot.values.observed import (
    ABLATED,
    Beside,
    ChangedSymbol,
    ClaimedStep,
    Claims,
    CodePlace,
    DamageSeen,
    Dependent,
    Evidence,
    ExampleOutcome,
    ExampleSeen,
    Impact,
    Located,
    LocatedPlace,
    Observed,
    Part,
    Trajectory,
    TrajectoryStep,
)
from bot.values.opinions import (
    TRIAL,
    Act,
    Analysis,
    CanaryResult,
    Deliberation,
    Exchange,
    Opinion,
    PanelResult,
    PatchOpinion,
    Role,
    RoleUsage,
    Round,
    Scores,
    Statement,
    Validity,
)
from bot.values.plans import ActionKind, Plan, PlanBroken, PlanExtension, Step
from bot.values.requests import (
    STAGES,
    Delivery,
    EvaluationRequest,
    ExpectedCalls,
    ExpectedPrice,
    FolderRequest,
    Forecast,
    IssueReference,
    ReadableRepository,
    Trigger,
)
from bot.values.talk import Answered, LabelKind, Pause, Question, VerdictLabel, that_count
from bot.values.tasks import (
    Category,
    Example,
    ExampleKind,
    ExampleLanguage,
    ItemKind,
    ListedRequirement,
    ListedTask,
    PermittedChange,
    PlanItem,
    PlannedCase,
    Preference,
    Requirement,
    Requirements,
    ShownResult,
    SourceKind,
    Task,
    TaskSource,
    TestPlan,
    Trust,
    UnreadExample,
    WhyUnread,
)
from bot.values.verdicts import Decider, Need, ServedHunk, Verdict, VerdictOutcome, WhyNotMeasured
