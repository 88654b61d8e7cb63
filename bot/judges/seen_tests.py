"""Tells judges what tests did: each with its id, what it gave on base and on head, and why it failed.

An exit code says of many tests that something failed, and no runner's printing is like another's: the
results are, whatever runner gave them.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

from bot.task.requirements import NOTHING_REGRESSES
from bot.text.clipping import clip, clip_line, clip_middle, steady
from bot.values import ActionKind, Evidence, FourWay, TestChange, TestComparison, Transition
from sandbox.values import FAILING, Observation, Outcome, TestResult

MESSAGE_CHARS = 700
"""Of one failure: its end says what was expected and what was there."""
MOST_TOLD = 30
MOST_UNCHANGED = 8
"""Tests that pass on both sides and are named; of more, the number is told."""
_MOVES = {
    (True, False): "passed on base, fails on head",
    (False, False): "fails on both sides",
    (None, False): "only on head, and fails",
    (False, True): "fixed",
    (None, True): "only on head, and passes",
    (True, None): "only on base, where it passed",
    (False, None): "only on base, where it failed",
    (True, True): "passes on both sides",
}
"""Whether a test passes on base and on head, the most telling first."""
_PROGRESS = re.compile(
    r"^(?:\S+\.\w{1,4} )?[.FEsxX]+ +\[ *\d{1,3}%\]$|^(?=[^.]*\.)[.FEsxX]{3,}$|^[\u2022\u00b7\u2024.\s]{3,}$"
)
_CAUSE = re.compile(r"^[\w.]*(?:Error|Exception|Failed|Exit)\b")
_BENCHMARK = re.compile(r"^-{5,} ?benchmark\b|^Name \(time in ")
_BENCHMARK_ROW = re.compile(
    r"(?:[ \t]{1,60}[\d,.]{1,30}[ \t]{1,60}\([\d,.>]{1,30}\)){2}|^-{20,}$|^Legend:|^  (?:Outliers|OPS):"
)


def has_results(evidence: Evidence) -> bool:
    """Whether each test's own result is known on head."""
    return bool(evidence.head and evidence.head.tests and evidence.head.tests.results)


def moved(evidence: Evidence) -> Transition:
    """The transition by the tests where each has a result; else that of the step itself."""
    if not has_results(evidence) or evidence.transition in (Transition.VACUOUS, Transition.UNKNOWN):
        return evidence.transition
    moves = {move for move, _ in _moves(evidence)}
    for found, move in (
        (Transition.REGRESSED, (True, False)),
        (Transition.STILL_FAILING, (False, False)),
        (Transition.STILL_FAILING, (None, False)),
        (Transition.FIXED, (False, True)),
    ):
        if move in moves:
            return found
    return evidence.transition


def told_tests(evidence: Evidence, most_chars: int) -> str:
    """What each test did: counts first, then what changed or fails, one body of a table once."""
    # Whether one side's tests ran on the other's code: of these only what differs is run.
    step = evidence.step
    is_of_all = step.action is ActionKind.UNIT_TESTS and not step.is_proposed
    crossed = is_of_all and step.requirement_ids in ((), (NOTHING_REGRESSES,))
    told = [one for one in _moves(evidence) if None not in one[0] or not crossed]
    counts = Counter(move for move, _ in told)
    lines = [
        *([evidence.step.goal] if crossed else []),
        " · ".join(f"{words}: {counts[move]}" for move, words in _MOVES.items() if counts[move]),
    ]
    most = MOST_TOLD
    for move, words in _MOVES.items():
        rows = [pair for one, pair in told if one == move]
        if move == (True, True) and (len(counts) > 1 or len(rows) > MOST_UNCHANGED):
            continue
        groups: dict[str, list[_Pair]] = {}
        for pair in rows:
            if shown := pair[1] or pair[0]:
                groups.setdefault(function_of(shown.id), []).append(pair)
        for group in groups.values():
            if not most:
                lines.append("… more tests are left out")
                break
            most -= 1
            lines += _group(group, words)
    return clip_middle("\n".join(lines), most_chars)


def quiet(output: str) -> str:
    """An output without progress dots and tables of benchmarks."""
    lines: list[str] = []
    in_table = False
    for line in steady(output).splitlines():
        in_table = bool(_BENCHMARK.search(line)) or (
            in_table and (bool(_BENCHMARK_ROW.search(line)) or not line.strip())
        )
        if not in_table and not _PROGRESS.match(line):
            lines.append(line)
    return "\n".join(lines).strip("\n")


_Pair = tuple[TestResult | None, TestResult | None]
_Move = tuple[bool | None, bool | None]


def _moves(evidence: Evidence) -> Iterator[tuple[_Move, _Pair]]:
    base, head = _results(evidence.base), _results(evidence.head)
    for id_ in dict.fromkeys((*head, *base)):
        pair = base.get(id_), head.get(id_)
        move = _passes(pair[0]), _passes(pair[1])
        if move in _MOVES:
            yield move, pair


def _results(seen: Observation | None) -> dict[str, TestResult]:
    return {one.id: one for one in seen.tests.results} if seen and seen.tests else {}


def _passes(result: TestResult | None) -> bool | None:
    """None where it was not there, or not run to an end."""
    if result is None or result.outcome not in (Outcome.PASSED, *FAILING):
        return None
    return result.outcome is Outcome.PASSED


def function_of(test_id: str) -> str:
    """Return a test's id without its parameters: its source comes once for all of them."""
    return test_id.split("[", 1)[0]


def _group(group: list[_Pair], words: str) -> Iterator[str]:
    """One test, or the rows of one table: the first failure stands for all."""
    before, after = group[0]
    shown = after or before
    if shown is None:
        return
    rows = f" and {len(group) - 1} more of its cases" if len(group) > 1 else ""
    yield f"- {clip_line(shown.id, 240)}{rows}: {words}"
    for side, one in (("head", after), ("base", before)):
        if one is None or one.outcome not in FAILING or not one.message:
            continue
        message = steady(one.message)
        lines = [line for line in message.splitlines() if line.strip()]
        if one is after or not lines:
            why = clip_middle(message, MESSAGE_CHARS)
        else:  # a failure that is none on head any more: what it came to
            by_pytest = next((line for line in lines if line.startswith("E  ")), "")
            causes = [line for line in lines if _CAUSE.match(line)]
            why = clip_line((by_pytest or (causes or lines)[-1]).strip(), MESSAGE_CHARS // 2)
        yield f"  on {side}: {why}"
        return


# --- all tests of the change, four ways ---------------------------------------------------------

_FOUR_WAYS = {
    TestChange.PASS_TO_FAIL: "passed on base's code, fails on head's",
    TestChange.NEW_FAILING: "new, and fails on head's code",
    TestChange.EXPECTATION_CHANGED: "base's version fails on head's code, the edited one passes",
    TestChange.REMOVED: "removed; base's version passes on head's code",
    TestChange.STILL_FAILING: "fails on both",
    TestChange.FAIL_TO_PASS: "fails on base's code, passes on head's",
    TestChange.NEVER_FAILED: "new, and passes on base's code too",
    TestChange.FLAKY: "flaky",
    TestChange.PASS_TO_PASS: "passes on both",
}
FOUR_WAYS_CHARS = 5_000


def told_four_ways(tests: FourWay) -> str:
    """Base's and head's tests on base's and head's code; empty where no test was compared."""
    counts = Counter(one.change for one in tests.comparisons)
    if not counts:
        return tests.problem
    lines = [tests.problem] if tests.problem else []
    for change, words in _FOUR_WAYS.items():
        if not counts[change]:
            continue
        lines.append(f"{words}: {counts[change]}")
        if change is TestChange.PASS_TO_PASS:
            continue
        groups: dict[str, list[TestComparison]] = {}
        for one in tests.comparisons:
            if one.change is change:
                groups.setdefault(function_of(one.id), []).append(one)
        for group in list(groups.values())[:MOST_TOLD]:
            rows = f" and {len(group) - 1} more of its cases" if len(group) > 1 else ""
            by = ", written or edited by the change's author" if group[0].written_by_author else ""
            said = f": {clip_line(steady(group[0].assertion), 240)}" if group[0].assertion else ""
            lines.append(f"- {clip_line(group[0].id, 240)}{rows}{by}{said}")
    return clip("\n".join(lines), FOUR_WAYS_CHARS)
