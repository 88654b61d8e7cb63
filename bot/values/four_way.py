"""Base against head: the transition of a step, and the four-way result of the tests."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum
from pathlib import PurePosixPath

from sandbox.values import Observation, Outcome

_LONGEST_SHOWN = 200  # letters of the id of a test
_KEPT = 90  # of each end of a longer one


class Transition(StrEnum):
    """What changed from base to head; the transition is the evidence."""

    FIXED = "fixed"
    REGRESSED = "regressed"
    STILL_FAILING = "still_failing"
    HELD = "held"
    VACUOUS = "vacuous"
    UNKNOWN = "unknown"


def passed(observation: Observation | None) -> bool | None:
    """Whether an action passed; None when what was seen proves nothing."""
    if observation is None or observation.exit_code is None:
        return None
    if observation.timed_out or observation.problem:
        return None
    return observation.exit_code == 0


def transition(base: Observation | None, head: Observation | None) -> Transition:
    """The transition of one action."""
    return between(passed(base), passed(head))


def between(before: bool | None, after: bool | None) -> Transition:
    """The transition between two sides that passed, failed, or prove nothing (None)."""
    if before is None or after is None:
        return Transition.UNKNOWN
    if before and after:
        return Transition.HELD
    if after:
        return Transition.FIXED
    return Transition.REGRESSED if before else Transition.STILL_FAILING


class TestChange(StrEnum):
    """What the four ways say about one test."""

    __test__ = False
    FAIL_TO_PASS = "fail_to_pass"
    PASS_TO_PASS = "pass_to_pass"
    PASS_TO_FAIL = "pass_to_fail"
    NEVER_FAILED = "never_failed"  # new on head, and already passes on base's code
    STILL_FAILING = "still_failing"
    NEW_FAILING = "new_failing"  # new on head, and fails there
    EXPECTATION_CHANGED = (
        "expectation_changed"  # base's version fails on head, the edited one passes
    )
    REMOVED = "removed"  # collected on base, not on head, and its base version passes on head
    FLAKY = "flaky"
    SKIPPED = "skipped"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class ChangedSnapshot:
    """A text that a test's result is compared with, on both sides; `line` of head's file, from 1."""

    path: str
    line: int
    before: str
    after: str


@dataclass(frozen=True, slots=True)
class TestComparison:
    """One test four ways; None where it was not run or not collected there.

    `written_by_author` says that the pull request added or edited the file the test stands in, or what it
    reads: then base has no such test, or only head's version fails there.
    `assertion` is the one line of the failure that says most.
    `passes`/`runs` count the repeats on head after a first disagreement (0/0 when never repeated);
    `flakes_on_base` says that one of those on base, where it passed at first, failed; `needs_others`, that it
    fails on base with its file alone, and passes among all others. `source_before` is
    base's version of a test whose expectation changed, or whose version of base fails on head.
    """

    __test__ = False
    id: str
    change: TestChange
    base_on_base: Outcome | None = None
    base_on_head: Outcome | None = None
    head_on_base: Outcome | None = None
    head_on_head: Outcome | None = None
    written_by_author: bool = False
    message: str = ""  # the failure that matters, capped
    path: str = ""
    line: int = 0
    source: str = ""
    passes: int = 0
    runs: int = 0
    assertion: str = ""
    flakes_on_base: bool = False
    needs_others: bool = False
    source_before: str = ""
    not_loaded: str = ""  # the exception that keeps its file from being loaded, and the path
    table: str = ""  # for one row of `test.each`: what its rows have in common
    is_unfinished: bool = False  # what failed is that the run of its file ended before it
    runner_of_base: str = (
        ""  # "jest 29.7.0": with it and base's packages, base's version passes on head
    )
    runner_of_head: str = ""  # another major version, with which that fails
    snapshots: tuple[ChangedSnapshot, ...] = ()  # those of its file that it is compared with

    @property
    def shown(self) -> str:
        """Its id as code of a sentence, which a mark inside of it would end; a long one by its two ends."""
        name = self.id.replace("`", "'")
        is_long = len(name) > _LONGEST_SHOWN
        return f"`{name[:_KEPT]}…{name[-_KEPT:]}`" if is_long else f"`{name}`"

    @property
    def only_loads_otherwise(self) -> bool:
        """Whether it reads as on base, where head's code keeps base's version of its file from loading.

        Of a Python test more is known (`weakened_tests/adaptation.py`), of a row of a table less.
        """
        is_same = self.source_before == self.source and not self.table
        return bool(self.not_loaded) and is_same and not self.path.endswith(".py")

    @property
    def place(self) -> str:
        """Where in its file it stands: `TestA::test_b`, without parameters; unittest writes a dotted name."""
        bare = self.id.split("[", 1)[0]
        if "::" in bare or not self.path.endswith(".py"):
            return bare.partition("::")[2]
        module = PurePosixPath(self.path).stem
        return f".{bare}".partition(f".{module}.")[2].replace(".", "::")

    @property
    def is_edited(self) -> bool:
        """Whether base's version of it fails on head, and head's passes."""
        failed = (TestChange.PASS_TO_FAIL, TestChange.EXPECTATION_CHANGED)
        return self.change in failed and self.head_on_head is Outcome.PASSED

    def makes(self, path: str, name: str) -> bool:
        """Whether a call is this test's, by the path and the name of the test that makes it."""
        if path != self.path or name not in self.id:
            return False
        return re.search(rf"(?<!\w){re.escape(name)}(?!\w)", self.id) is not None


@dataclass(frozen=True, slots=True)
class TestedFolder:
    """A folder whose tests were run: a project's, or one of the repository's; "" is the top.

    `base` and `head` count the tests of each side. `transition` is set where only the exit code of
    the command is known; `problem` says why these runs prove nothing.
    """

    __test__ = False
    folder: str
    base: int = 0
    head: int = 0
    transition: Transition | None = None
    problem: str = ""


@dataclass(frozen=True, slots=True)
class NotRun:
    """A project whose tests the change can break and that were not run; `why` is a clause."""

    folder: str
    uses: tuple[str, ...]
    why: str


@dataclass(frozen=True, slots=True)
class RetiredTest:
    """A deleted test of functions that the change removes and that nothing on head uses any more.

    `files` are those in which all of them stood, where these are gone, too.
    """

    id: str
    functions: tuple[str, ...]
    is_public: bool  # somebody outside of the project could call one of them
    may_test_more: bool = False  # it uses something that stays, too
    files: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class GrownTest:
    """A test that expects new members beside all that it expected, and the task's names for them.

    What it leaves out are new members, too: other tests ask for these.
    """

    id: str
    members: tuple[str, ...]
    left_out: tuple[str, ...] = ()

    def __str__(self) -> str:
        also = [f"and {_listed(self.members)}, which the task names"] if self.members else []
        also += [f"but leaves out the new {_listed(self.left_out)}"] if self.left_out else []
        return f"expects all that it expected, {', '.join(also)}"


def _listed(names: tuple[str, ...]) -> str:
    return ", ".join(f"`{one}`" for one in names)


@dataclass(frozen=True, slots=True)
class AdaptedTest:
    """An edited test that demands the same of an interface that moved, or of code that `only_moved`.

    Where it `is_of_package`, only what it loads of a package with a new version is imported otherwise. Where
    there is a `new_member`, a stand-in of the test has it now, and nothing else differs.
    """

    id: str
    only_moved: bool
    is_of_package: bool = False
    new_member: str = ""


@dataclass(frozen=True, slots=True)
class FourWay:
    """The four-way test result. `problem` says why it proves nothing (empty when it does).

    `folders` are those whose tests were run, `not_run` those that the change can break beside them;
    `retired` are tests that went with the code that they tested, `grown` those that only expect one member
    more, which the task names, `adapted` those that follow a moved interface; base's version of those in
    `bereft` (ids) loads a file that the change takes away. `ended_on_base` says what ended the run of head's
    tests on base's code before its end: tests without a result there show nothing. Where a change takes back
    a commit exactly (`takes_back`, with its title), `taken_back` are the ids of the tests in its files that
    are gone, or that pass on head as they are again.
    """

    comparisons: tuple[TestComparison, ...]
    problem: str = ""
    evidence_id: str = ""
    folders: tuple[TestedFolder, ...] = ()
    not_run: tuple[NotRun, ...] = ()
    retired: tuple[RetiredTest, ...] = ()
    grown: tuple[GrownTest, ...] = ()
    adapted: tuple[AdaptedTest, ...] = ()
    bereft: tuple[str, ...] = ()
    ended_on_base: str = ""
    takes_back: str = ""
    takes_back_title: str = ""
    taken_back: tuple[str, ...] = ()
