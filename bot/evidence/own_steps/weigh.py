"""Says what a judge's own step can show: whether it asserts anything, and tests what was asked.

Only one that asserts something can refute, or prove nothing new. The analyst that wrote it reads the change,
and the change can talk it into a test that fails on base, passes on head and tests nothing asked: a file or
a name that only head has, another function. Nobody reads what it wrote: it is run on copies of head
(`bot.evaluation.damaged_steps`), and what it did there is weighed here. It shows something where it notices
damage to what the requirement is about, where what that was on base brings its failure back, and where the
same code in other words does not.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace

from bot.evidence.damage import Noticed
from bot.task.categories import is_invariant
from bot.task.code_names import code_named, named_code
from bot.text.clipping import steady
from bot.text.words import words_of
from bot.values import ActionKind, Category, DamageSeen, Evidence, Impact, Requirement, Transition
from bot.values.four_way import passed
from sandbox.damage.values import Damage, is_hollow
from sandbox.values import NOT_RUNNABLE

OPEN_TO_TALK = (Category.BEHAVIOUR, Category.KEEP, Category.CRITERION, Category.PROHIBITION)
"""Upkeep is shown by what stands in files: there, looking is enough."""
ASSERTING = (ActionKind.DYNAMIC_EXECUTION, ActionKind.INTERACTION, ActionKind.FILE_COMPARISON)
"""Actions that say what they expect: their failure on head means something by itself. The exit code
of any other command is only something to reason about."""
LINES = (ActionKind.BASH, ActionKind.SHELL_INTERACTION)
DAMAGED = (*LINES, ActionKind.DYNAMIC_EXECUTION, ActionKind.FILE_COMPARISON)
"""Actions that are repeated on damaged copies of head."""
_NEW_BEHAVIOUR = (Category.BEHAVIOUR, Category.CRITERION)
_PYTHON = (".py", ".pyi")
_STAYING = (Category.KEEP, Category.PROHIBITION)
REPOSITORY_TESTS = (
    "It runs tests of the repository, which are compared four ways already: a test of the judge's own "
    "is needed."
)
_UNMEASURED = "Nobody measured whether it notices damage to what the requirement is about."
_READS = (
    "On a copy of head whose code does the same in other words it shows something else: it reads the code, "
    "or rests on the change's own tests."
)
_NO_CONTROL = "It gives no result on a copy of head whose code does the same in other words."
NOTHING_NEAR = (
    "Nothing that the change does to {} can be damaged, so nothing shows that it is about that."
)


_NOT_ON_BASE = (
    "It fails on base too, and what must stay is what base does: expect what base gives, and see whether "
    "head gives it still."
)


def own_step(evidence: Evidence, requirement: Requirement, around: str = "") -> Evidence:
    """The evidence with the transition of a check that came with the judge.

    A new check that passes on base too is `vacuous` where a behaviour is asked for; a command that
    asserts nothing is so when both sides also say the same. What passes on head without testing what
    was asked has a `problem` that says why: it raises nothing. `around` is the task as others than the
    author tell it.
    """
    is_kept = requirement.category is Category.KEEP and not is_invariant(requirement.text)
    if is_kept and evidence.transition is Transition.STILL_FAILING and evidence.head:
        unknown = replace(evidence.head, problem=_NOT_ON_BASE)
        return replace(evidence, head=unknown, transition=Transition.UNKNOWN)
    if is_vacuous(evidence, requirement):
        return replace(evidence, transition=Transition.VACUOUS)
    head = evidence.head
    problem = hollow_problem(evidence, requirement, around) if head and passed(head) else ""
    if head is None or not problem:
        return evidence
    return replace(evidence, head=replace(head, problem=problem), transition=Transition.UNKNOWN)


_OWN_MISTAKE = re.compile(
    r"\b(?:SyntaxError|IndentationError|ModuleNotFoundError|command not found|No such file or directory"
    r"|unrecognized arguments|unexpected EOF)\b|^usage: ",
    re.MULTILINE,
)


def planned_step_refutes(evidence: Evidence, requirement_id: str) -> bool:
    """Whether a planned step for this requirement alone fails on head, and not by a mistake of its own.

    A line of the plan ends with 0 when all is well; an analyst has to say that its failure means what it
    seems to mean.
    """
    step, head = evidence.step, evidence.head
    if head is None or not step.is_proposed or step.requirement_ids != (requirement_id,):
        return False
    is_asserting = step.action in (*ASSERTING, ActionKind.BASH)
    ran = head.exit_code not in NOT_RUNNABLE and not _OWN_MISTAKE.search(head.output)
    return is_asserting and ran and passed(head) is False


def why_no_refutation(evidence: Evidence, requirement_id: str) -> str:
    """Why a step that an analyst names refutes nothing, as a sentence; empty where it does."""
    if refutes(evidence, requirement_id) or planned_step_refutes(evidence, requirement_id):
        return ""
    head, step, why = evidence.head, evidence.step, "asserts nothing of its own"
    if head is None or head.exit_code is None or head.timed_out:
        why = "gave no result on head"
    elif head.problem:
        why = f"proves nothing: {head.problem.rstrip('.')}"
    elif passed(head):
        why = "passes on head"
    elif step.requirement_ids != (requirement_id,):
        why = "is about other requirements too"
    elif step.is_proposed:
        why = "fails on head by a mistake of the step itself"
    elif step.action in LINES:
        why = "is a shell line, which asserts nothing"
    return f"{evidence.id} {why}."


REFUTES = (
    "What counts: a dynamic_execution, interaction or file_comparison step of yours, or a planned step for "
    "this requirement alone, that fails on head in what the requirement asks for."
)
_SHOWS = {
    Category.UPKEEP: "What counts: a step that read it on head.",
    Category.KEEP: (
        "What counts: a step of yours that passes on base and on head, and fails where the code that the "
        "requirement names is damaged."
    ),
}


def what_counts(requirement: Requirement) -> str:
    """What would show a requirement, as a sentence for who was refused."""
    return _SHOWS.get(
        requirement.category,
        "What counts: a step of yours that fails on base, passes on head, and fails again where the code "
        "that the requirement names is damaged, or is as on base.",
    )


def refutes(evidence: Evidence, requirement_id: str) -> bool:
    """Whether a step fails on head in what it asserts, and was taken for this requirement alone.

    A failure that is the judge's own mistake, or that a limit ended, has a `problem` and refutes nothing.
    """
    return (
        evidence.step.requirement_ids == (requirement_id,)
        and evidence.step.action in ASSERTING
        and passed(evidence.head) is False
    )


# --- whether a step that passes on head tests what was asked ----------------------------------------


def is_to_be_measured(evidence: Evidence, requirement: Requirement) -> bool:
    """Whether a step may raise something, if it notices damage to what the requirement is about."""
    return (
        evidence.step.action in DAMAGED
        and requirement.category in OPEN_TO_TALK
        and passed(evidence.head) is True
        and not is_vacuous(evidence, requirement)
    )


def is_vacuous(evidence: Evidence, requirement: Requirement) -> bool:
    """Whether a new check passes on base too, where a behaviour is asked for: it proves nothing new.

    A command that asserts nothing does so when both sides also say the same.
    """
    action, base, head = evidence.step.action, evidence.base, evidence.head
    if evidence.transition is not Transition.HELD or requirement.category not in _NEW_BEHAVIOUR:
        return False
    if action in ASSERTING:
        return True
    if action not in LINES or base is None or head is None:
        return False
    return steady(base.output) == steady(head.output)


def hollow_problem(evidence: Evidence, requirement: Requirement, around: str = "") -> str:
    """Why a step of a judge that passes on head shows nothing of the requirement; empty when it may.

    `around` is the task as others than the author tell it.
    """
    step = evidence.step
    if requirement.category not in OPEN_TO_TALK:
        return ""
    if step.action is ActionKind.UNIT_TESTS:
        return REPOSITORY_TESTS
    named = Named.of(requirement, around)
    if step.action is ActionKind.INTERACTION and not named.is_met_by(" ".join(step.arguments)):
        return f"No act of it is about {named.words}."
    if step.action not in DAMAGED:
        return ""
    seen = next((one for one in evidence.damage if one.about == requirement.id), None)
    if seen is None or seen.problem:
        return seen.problem if seen else _UNMEASURED
    return _unnoticed(evidence, seen, requirement, named)


def _unnoticed(evidence: Evidence, seen: DamageSeen, requirement: Requirement, named: Named) -> str:
    control = next((one for one in seen.trials if one.damage.kind == "same"), None)
    if control is None or not control.ran:
        return _NO_CONTROL
    if control.noticed:
        return _READS
    before = [one for one in seen.trials if one.damage.kind == "restored"]
    telling = [one for one in seen.damages if one.damage.is_telling]
    counted = Noticed(sum(bool(one.noticed) for one in telling), len(telling))
    if not counted.of:
        return f"It gives no result where {named.words} is damaged."
    must_flip = evidence.transition is not Transition.HELD or requirement.category not in _STAYING
    noticed = [one for one in telling if one.noticed]
    met = [one for one in noticed if not is_hollow(one.damage, seen.trials, evidence.step.id)]
    if must_flip and before:  # what two calls give is compared, and base's two differ
        met += [one for one in seen.damages if one.damage.kind == "unsteady" and one.noticed]
    # Of Python, the same code in other words leaves nothing of a text to read; else its text is still there.
    is_python = all(one.damage.path.endswith(_PYTHON) for one in met)
    if not met or not (is_python or any(one.damage.kind == "emptied" for one in met)):
        return (
            f"{counted} near {named.words}: it passes whatever that does, or notices only that nothing comes "
            "back. What it asserts has to depend on it."
        )
    is_new = any(one.damage.is_new for one in met)  # nothing of that is on base
    if must_flip and not is_new and not all(one.noticed for one in before):
        return (
            f"It passes with {before[0].damage.what} too: what it fails by on base is something else "
            f"than {named.words}."
        )
    return ""


def nearness(
    requirement: Requirement, named: Named, impact: Impact | None, line: str
) -> tuple[Callable[[Damage], bool], ...]:
    """What is near to a requirement: first what it names, else what that calls by the graph of the code, or
    what takes a parameter that it names.

    A line of a shell that starts what the requirement names is about all that changed; so is a step on what
    must stay.
    """
    symbols = impact.symbols if impact else ()
    callers = {one.place.name: tuple(place.name for place in one.callers) for one in symbols}
    is_staying = requirement.category in _STAYING
    words = () if " -c" in line else line.split()
    found: list[Callable[[Damage], bool]] = [
        lambda one: (is_staying or one.is_changed) and named.is_met_by(*one.names),
        lambda one: (
            one.is_changed
            and not one.path.endswith(_PYTHON)  # of Python a run tells it
            and named.is_met_by(*callers.get(one.symbol, ()))
        ),
        lambda one: one.is_changed and not named.code.isdisjoint(one.parameters),
    ]
    if is_staying or (words and named.is_met_by(*words)):
        found.append(lambda one: one.is_changed)
    return tuple(found)


# --- what a requirement names: the code that a judge's step has to be about -----------------------


_IDENTIFIER = re.compile(r"[A-Za-z_]\w+")
_SHOWN_WORDS = 60


@dataclass(frozen=True, slots=True)
class Named:
    """`code` are the identifiers that it writes as code, without those of the language itself; where it
    writes none, `nearby` are those of the task that it stands in ("It should raise an error").
    """

    text: str
    code: frozenset[str]
    nearby: frozenset[str]
    stems: frozenset[str]

    @classmethod
    def of(cls, requirement: Requirement, around: str = "") -> Named:
        """What the requirement's own words name; `around` is the task as others than the author tell it."""
        return cls(
            requirement.text,
            named_code(requirement),
            code_named(around),
            words_of(requirement.with_detail),
        )

    @property
    def identifiers(self) -> frozenset[str]:
        """The names in code that it is about."""
        return self.code or self.nearby

    @property
    def words(self) -> str:
        """What it names, for a sentence."""
        if self.code:
            return " or ".join(f"`{one}`" for one in sorted(self.code)[:3])
        text = " ".join(self.text.split())
        return f"“{text if len(text) <= _SHOWN_WORDS else text[: _SHOWN_WORDS - 1] + '…'}”"

    def is_met_by(self, *names: str) -> bool:
        """Whether one of these is about it: an identifier in it, else a telling word that both have."""
        if self.code:
            return any(self.code.intersection(_IDENTIFIER.findall(name)) for name in names)
        if any(self.nearby.intersection(_IDENTIFIER.findall(name)) for name in names):
            return True
        return not self.stems or any(self.stems & words_of(name) for name in names)
