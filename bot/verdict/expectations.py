"""Says which changed expectations the task asks for, and which are for a person."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from bot.evidence.case import Case
from bot.evidence.tests.results import test_ids
from bot.task.changed_parts import ChangedPart, changed_beside
from bot.values import Conclusion, GateReason, TestComparison

_EXPECTS = "The pull request changes what {tests} expect{s}, and the task does not ask for it."
_LOADS = (
    "{tests} read{s} as on base, but base's version of the file cannot be loaded with head's code, and the "
    "task does not ask for that."
)
_BEREFT = (
    "Base's version of {tests} cannot run on head, as it loads a file that the pull request takes away. "
    "Whether the edited version still demands enough is for a person to say."
)
_STANDS_IN = (
    "{tests} give{s} a stand-in `{member}`, too, which head's code needs. Whether all that it stands for has "
    "that is for a person to say."
)
_SAY_SO = "If the new behavior is intended, say so in the issue, then comment `/judge`."


def expectation_reasons(case: Case) -> Iterator[GateReason]:
    """A changed expectation needs a requirement that names the new behaviour, else a person."""
    changed = (
        *case.groups.expectations,
        *(t for t in case.groups.loosened if case.is_explained(t)),
        *(t for t in case.groups.withdrawn if case.is_named(t)),
        *case.retired,
    )
    for test in changed:
        if why := case.why_meant(test):
            yield GateReason("expectation", Conclusion.SUCCESS, why, tests=(test.id,))
    unasked = [test for test in changed if not (case.breaks_nobody(test) or case.is_accepted(test))]
    went = [test for test in changed if case.retirement(test)]
    yield from _tests_went_with_code(case, went, unasked)
    for test in changed:
        if test not in unasked and (part := _changed_beside(case, test)):
            became = f"changes `{part.before}` to `{part.after}`"
            yield _for_a_person(
                f"What {test.shown} expects changes as the task asks, and also "
                f"{became if part.after else f'loses `{part.before}`'}, of which the task says nothing.",
                f"Leave this part as it was. {_SAY_SO}",
                (test.id,),
            )
    unasked = [test for test in unasked if test not in went]
    loads = [one for one in unasked if one.only_loads_otherwise or _only_follows(case, one)]
    lacking = case.observed.tests.bereft
    bereft = [one for one in unasked if one.id in lacking and one not in loads]
    grown = {one: found.new_member for one in unasked if (found := case.adapted(one))}
    for member in dict.fromkeys(filter(None, grown.values())):
        tests = [one for one in unasked if grown.get(one) == member]
        s = "s" if len(tests) == 1 else ""
        said = _STANDS_IN.format(tests=test_ids(tests), s=s, member=member)
        yield _for_a_person(said, _SAY_SO, [test.id for test in tests])
    rest = [one for one in unasked if one not in (*loads, *bereft) and not grown.get(one)]
    for text, tests in {_LOADS: loads, _BEREFT: bereft, _EXPECTS: rest}.items():
        if tests:
            said = text.format(tests=test_ids(tests), s="s" if len(tests) == 1 else "")
            yield _for_a_person(said, _SAY_SO, [test.id for test in tests])


def _only_follows(case: Case, test: TestComparison) -> bool:
    """Whether a test demands what it did, where head's code keeps base's version of its file from loading."""
    adapted = case.adapted(test)
    return bool(test.not_loaded) and adapted is not None and not adapted.new_member


def _for_a_person(text: str, next_step: str, tests: Iterable[str]) -> GateReason:
    asks = Conclusion.ACTION_REQUIRED
    return GateReason("expectation", asks, text, next_step, tests=tuple(tests))


def _changed_beside(case: Case, test: TestComparison) -> ChangedPart | None:
    """What an accepted edit of a test changes beside what the task asks for; nothing of what it allows."""
    is_edited = bool(test.source_before) and test.head_on_head is not None
    if not is_edited or case.why_meant(test) or case.adapted(test):
        return None
    wanted = case.requirements
    said = (*wanted.said, *(one.with_detail for one in wanted.beside_baseline))
    return changed_beside(test.source_before, test.source, "\n".join(said))


def _tests_went_with_code(
    case: Case, went: list[TestComparison], unasked: list[TestComparison]
) -> Iterator[GateReason]:
    """What is public may be used outside of the project: a person says whether it may go."""
    left = [test for test in went if test in unasked]
    mixed = [test for test in left if (gone := case.retirement(test)) and gone.may_test_more]
    if mixed:
        yield _for_a_person(
            f"{test_ids(mixed)} went with {_functions(case, mixed)}, and may test more than that.",
            "Keep what is tested of the rest. If these tests may go, say so in the issue, then comment "
            "`/judge`.",
            [test.id for test in mixed],
        )
    public = [test for test in left if test not in mixed]
    if public:
        yield _for_a_person(
            f"The pull request removes {_functions(case, public)}, which is public, with its tests "
            f"{test_ids(public)}, and the task does not ask for it.",
            "If it is meant to go, say so in the issue, then comment `/judge`.",
            [test.id for test in public],
        )
    rightly = [test for test in went if test not in unasked]
    if rightly:
        yield GateReason(
            "expectation",
            Conclusion.SUCCESS,
            f"{test_ids(rightly)} went with {_functions(case, rightly)}, which nothing uses any more.",
            tests=tuple(test.id for test in rightly),
        )


def _functions(case: Case, tests: list[TestComparison]) -> str:
    gone = (case.retirement(test) for test in tests)
    names = dict.fromkeys(name for one in gone if one for name in one.functions)
    return ", ".join(f"`{name}`" for name in names)
