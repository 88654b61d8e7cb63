"""Changed functions that divide by how much they were given, called with nothing in it.

`sum(grades) / len(grades)` is right for every example but the empty one, which tests forget. Only new or
changed Python functions that can be called without guessing are taken: each argument they need is one they
count. Where base answered, or the task or the function's own words speak of an empty input, a crash is a
failing oracle. Else nobody said that it may be empty: that asks a person, and is never "satisfied".
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass, replace

from bot.diff.kinds import is_test_file
from bot.diff.lines import TextReader, is_gone, old_path
from bot.diff.python_source import named_functions, parse_python
from bot.evidence.case import Case
from bot.evidence.oracle import unsatisfied, unverified
from bot.evidence.planning import Change
from bot.task.categories import ASKED
from bot.text.words import words_of
from bot.values import (
    ActionKind,
    Conclusion,
    Decider,
    GateReason,
    Requirement,
    Requirements,
    Step,
    Verdict,
    VerdictOutcome,
)
from sandbox.edges.empty_calls import ANSWERS, DIVIDES_BY_ZERO, EmptyCall
from sandbox.values import Diff

MOST_CALLS = 20
_COUNTS = {"len", "sum"}
_TAKE_MANY = {*_COUNTS, "sorted", "list", "set", "max", "min", "enumerate", "map", "filter", "zip"}
_SAME_VALUE = {"float", "int", "Decimal"}
_PLAIN_DECORATORS = {"staticmethod", "property", "cache", "lru_cache", "wraps", "override"}
_LITERALS = (
    ("dict", "{}"),
    ("mapping", "{}"),
    ("counter", "{}"),
    ("set", "set()"),
    ("tuple", "()"),
)

_STEP = Step(
    id="",
    goal="See whether what divides by how much it is given stands an empty input.",
    guidance="New and changed functions, called with nothing in them on both sides.",
    requirement_ids=(),
    action=ActionKind.DYNAMIC_EXECUTION,
)


def plan_empty_calls(_: Requirements, change: Change) -> Step | None:
    """Plan the calls to make, where there are any."""
    calls = empty_calls(change.diff, change.base, change.head)
    return replace(_STEP, arguments=tuple(map(str, calls))) if calls else None


def empty_calls(diff: Diff, base: TextReader, head: TextReader) -> tuple[EmptyCall, ...]:
    """The calls to make: of functions that the change brought or touched, at most `MOST_CALLS`."""
    found: list[EmptyCall] = []
    for change in diff.files:
        path = change.path
        if not path.endswith(".py") or is_gone(change) or is_test_file(path):
            continue
        before = {name: ast.dump(node) for name, node in _functions(base.read(old_path(change)))}
        for name, node in _functions(head.read(path)):
            if before.get(name) == ast.dump(node) or "ZeroDivisionError" in ast.unparse(node):
                continue
            arguments = _arguments(node, is_method="." in name)
            if arguments is not None and _divides_by_a_count(node):
                found.append(EmptyCall(path, name, arguments))
    return tuple(found[:MOST_CALLS])


def promises(source: str | None, name: str) -> str:
    """The docstring of a function, "" without one: what it says of an empty input, it promised."""
    return next((ast.get_docstring(node) or "" for n, node in _functions(source) if n == name), "")


def _functions(source: str | None) -> Iterator[tuple[str, ast.FunctionDef]]:
    """Yield the functions of a module and the methods of its classes, by their qualified names."""
    tree = parse_python(source)
    for name, node in named_functions(tree.body) if tree else ():
        if isinstance(node, ast.FunctionDef) and name.count(".") < 2:
            yield name, node


def _arguments(node: ast.FunctionDef, *, is_method: bool) -> tuple[tuple[str, str], ...] | None:
    """The empty arguments that a call needs; None where one would have to be guessed."""
    decorators = {
        ast.unparse(one).partition("(")[0].rpartition(".")[2] for one in node.decorator_list
    }
    if decorators - _PLAIN_DECORATORS or node.name.startswith("__") or node.args.posonlyargs:
        return None
    bound = is_method and "staticmethod" not in decorators
    given = node.args.args[bound:]
    needed = given[: len(given) - len(node.args.defaults)] if node.args.defaults else given
    pairs = zip(node.args.kwonlyargs, node.args.kw_defaults, strict=True)
    needed = [*needed, *(one for one, default in pairs if default is None)]
    several = node.args.vararg
    if not needed and not bound and several is None:
        return None  # a program's start, say: whatever it reads is not given here
    counted = _counted(node)
    if any(one.arg not in counted for one in needed):
        return None
    empty: list[tuple[str, str]] = []
    for one in needed:
        said = ast.unparse(one.annotation).lower() if one.annotation else ""
        kind = said.partition("[")[0]
        literal = next((literal for word, literal in _LITERALS if word in kind), "[]")
        empty.append((one.arg, '""' if said in ("str", "'str'") else literal))
    return tuple(empty)


def _counted(node: ast.FunctionDef) -> set[str]:
    """The names that are counted, summed or gone through: those that can be empty."""
    found: set[str] = set()
    for part in ast.walk(node):
        if isinstance(part, ast.Call) and isinstance(part.func, ast.Name):
            if part.func.id in _TAKE_MANY:
                found |= {one.id for one in part.args if isinstance(one, ast.Name)}
        elif isinstance(part, ast.For | ast.comprehension):
            over = part.iter.func if isinstance(part.iter, ast.Call) else part.iter
            if isinstance(over, ast.Attribute):  # `.items()`, `.values()`
                over = over.value
            found |= {over.id} if isinstance(over, ast.Name) else set()
    return found


def _is_count(node: ast.expr, counts: frozenset[str]) -> bool:
    """Whether an expression is a count; `counts` are local names that hold one."""
    if isinstance(node, ast.Name):
        return node.id in counts
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name):
        return False
    if node.func.id in _SAME_VALUE:
        return any(_is_count(one, counts) for one in node.args)
    return node.func.id in _COUNTS


def _divides_by_a_count(node: ast.FunctionDef) -> bool:
    counts = frozenset[str]()
    for _ in range(2):  # a count may be handed on once
        names: set[str] = set()
        for part in ast.walk(node):
            if isinstance(part, ast.Assign) and _is_count(part.value, counts):
                names |= {one.id for one in part.targets if isinstance(one, ast.Name)}
            elif isinstance(part, ast.AugAssign) and isinstance(part.op, ast.Add):
                names |= {part.target.id} if isinstance(part.target, ast.Name) else set()
        counts = frozenset(names)
    return any(
        isinstance(part, ast.BinOp)
        and isinstance(part.op, ast.Div | ast.FloorDiv | ast.Mod)
        and _is_count(part.right, counts)
        and not isinstance(part.left, ast.Constant | ast.JoinedStr)  # "%d" % n
        for part in ast.walk(node)
    )


# --- what a crash means ---------------------------------------------------------------------------


_EMPTY = "empti"
_MEND = "Handle the empty input, or document that it raises ZeroDivisionError."


@dataclass(frozen=True, slots=True)
class Crash:
    """One call that divides by zero on head and did not on base."""

    evidence_id: str
    path: str
    call: str
    promise: str  # the function's docstring
    base_answered: bool

    @property
    def is_broken_promise(self) -> bool:
        """Whether it is wrong whatever the task says."""
        return self.base_answered or _EMPTY in words_of(self.promise)

    @property
    def is_private(self) -> bool:
        """Whether its callers may be trusted to keep the empty input away."""
        name = self.call.partition("(")[0]
        return name.startswith("_") or "._" in self.call

    @property
    def told(self) -> str:
        """What was seen, as the beginning of a sentence."""
        return f"`{self.call}` ({self.path}) ends in a ZeroDivisionError on head"


def crashes(case: Case) -> Iterator[Crash]:
    """The calls that crash on head only, in the order of the plan."""
    for evidence in case.seen_by(ActionKind.DYNAMIC_EXECUTION):
        on_base = evidence.base.findings if evidence.base else ()
        before = {(f.path, f.message): f.rule for f in on_base}
        for f in evidence.head.findings if evidence.head else ():
            was = before.get((f.path, f.message), "")
            if f.rule == DIVIDES_BY_ZERO and was != DIVIDES_BY_ZERO:
                answered = was == ANSWERS
                yield Crash(evidence.id, f.path, f.message, f.hunk, base_answered=answered)


def with_crashes(verdict: Verdict, requirement: Requirement, case: Case) -> Verdict:
    """Lower the verdict of a demand whose function was seen to crash; others stay as they are."""
    if requirement.category not in ASKED or verdict.outcome is VerdictOutcome.UNSATISFIED:
        return verdict
    tied: list[Crash] = []
    for crash in crashes(case):
        name = crash.call.partition("(")[0] if "()." not in crash.call else crash.call
        if case.is_sole(requirement) or words_of(name) & words_of(requirement.text):
            tied.append(crash)
    is_spoken_of = _EMPTY in words_of(requirement.with_detail)
    wrong = next((c for c in tied if c.is_broken_promise or is_spoken_of), None)
    if wrong:
        lowered = unsatisfied(requirement, f"{wrong.told}{_why(wrong)}.", case, next_step=_MEND)
        return replace(lowered, evidence_ids=(wrong.evidence_id,))
    doubt = next((crash for crash in tied if not crash.is_private), None)
    if doubt is None or verdict.decided_by is not Decider.AUTHORS_TEST:
        return verdict
    reason = f"{doubt.told}, and nothing says what an empty input should give. {verdict.reason}"
    return unverified(requirement, reason, _MEND, (doubt.evidence_id, *verdict.evidence_ids))


def _why(crash: Crash) -> str:
    if crash.base_answered:
        return "; base returns a value"
    if crash.is_broken_promise:
        return "; its docstring mentions an empty input"
    return "; the task mentions an empty input"


def crash_reasons(case: Case, cited: set[str]) -> Iterator[GateReason]:
    """What no verdict told: a broken promise blocks, another crash of a public function asks."""
    for crash in crashes(case):
        if crash.evidence_id in cited or (crash.is_private and not crash.is_broken_promise):
            continue
        wrong = crash.is_broken_promise
        yield GateReason(
            "crash",
            Conclusion.FAILURE if wrong else Conclusion.ACTION_REQUIRED,
            crash.told
            + (_why(crash) if wrong else ", and nothing says what an empty input should give")
            + ".",
            _MEND,
        )
