"""The values that the sandbox side hands out; nothing here knows of GitHub or of judging.

Every value is frozen and slotted and made of plain parts (str, int, tuples, enums), so that
`pydantic.TypeAdapter` turns it to JSON and back without custom code.
Paths on the host are stored as `str`, paths inside the sandbox as `str` too; the names say which.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from sandbox.installed.values import InstalledSide
from sandbox.terminal.values import ItemRun


class Side(StrEnum):
    """Which state of the repository was looked at."""

    BASE = "base"
    HEAD = "head"


class ChangeStatus(StrEnum):
    """How one file differs between base and head."""

    ADDED = "added"
    MODIFIED = "modified"
    DELETED = "deleted"
    RENAMED = "renamed"


class ChangeKind(StrEnum):
    """What the change of one file is to the program: the first six leave it as it is."""

    DOCUMENTATION = "documentation"
    COMMENTS = "comments"  # docstrings too
    FORMATTING = "formatting"
    TYPES = "types"
    UNUSED = "unused"  # imports and branches that nothing uses
    POLICY = "policy"  # how Assay judges; base's counts
    TESTS = "tests"
    SETUP = (
        "setup"  # build files, continuous integration, and what is no code in any known language
    )
    CODE = "code"

    @property
    def is_inert(self) -> bool:
        """Whether a program does the same after such a change."""
        return self not in (ChangeKind.TESTS, ChangeKind.SETUP, ChangeKind.CODE)


@dataclass(frozen=True, slots=True)
class ChangedFile:
    """One changed file with the kind of its change."""

    path: str
    kind: ChangeKind


@dataclass(frozen=True, slots=True)
class Hunk:
    """One hunk of a unified diff; `lines` keep their leading ' ', '+' or '-'. Lines count from 1."""

    old_start: int
    old_count: int
    new_start: int
    new_count: int
    lines: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class FileChange:
    """One changed file. `path` is the name on head (on base when deleted), see sandbox.repository.names.

    `truncated` says that the file is too large for a diff, or that hunks were left out. Modes are
    git's six octal digits ("100755"), empty on the side where the file does not exist.
    """

    path: str
    status: ChangeStatus
    old_path: str | None = None
    hunks: tuple[Hunk, ...] = ()
    binary: bool = False
    truncated: bool = False
    old_mode: str = ""
    new_mode: str = ""


@dataclass(frozen=True, slots=True)
class Diff:
    """What head changes over base, capped; `truncated` says that files or hunks were left out."""

    files: tuple[FileChange, ...]
    truncated: bool = False

    @property
    def changed_paths(self) -> tuple[str, ...]:
        """The names of all changed files, the old names of renamed ones included."""
        renamed = (one.old_path for one in self.files if one.status is ChangeStatus.RENAMED)
        names = [*(one.path for one in self.files), *(path for path in renamed if path)]
        return tuple(dict.fromkeys(names))

    def added_lines(self) -> dict[str, set[int]]:
        """The lines that head added or changed, from 1, by file."""
        found: dict[str, set[int]] = {}
        for change in self.files:
            lines = found.setdefault(change.path, set())
            for hunk in change.hunks:
                number = hunk.new_start
                for line in hunk.lines:
                    if line.startswith("+"):
                        lines.add(number)
                    number += not line.startswith(("-", "\\"))
        return found


@dataclass(frozen=True, slots=True)
class MissingSubmodule:
    """A submodule whose folder is empty. `is_named`: a file of the tree that is no prose names it."""

    path: str
    sha: str
    reason: str  # one sentence
    is_named: bool = True


@dataclass(frozen=True, slots=True)
class Checkout:
    """Both sides on disk. Base is the merge base of head and its target.

    `base_tree` and `head_tree` are host folders without `.git`; nothing may write to them.
    `target_sha` is the tip of the target branch, where the policy is read. The versions are PEP 440
    guesses from the nearest tag, for projects that ask git for their version; empty without a tag.
    `takes_back` is the commit of base's history that the change undoes, exactly and by its own word;
    `takes_back_title` is the first line of its message.
    `newest_commit_s` is when the newer of head and the target's tip was committed (Unix time, 0: unknown).
    """

    base_sha: str
    head_sha: str
    target_sha: str
    base_tree: str
    head_tree: str
    diff: Diff
    warnings: tuple[str, ...] = ()
    base_version: str = ""
    head_version: str = ""
    missing_submodules: tuple[MissingSubmodule, ...] = ()  # on either side
    newest_commit_s: int = 0
    takes_back: str = ""
    takes_back_title: str = ""


class TestRunner(StrEnum):
    """How the tests of a project are run."""

    __test__ = False
    PYTEST = "pytest"
    UNITTEST = "unittest"
    BATS = "bats"
    CARGO = "cargo"
    CTEST = "ctest"
    GO = "go"
    JUNIT = "junit"
    MAKE = "make"  # a target of the Makefile
    SCRIPTS = "scripts"  # shell scripts, one test each
    NODE_TEST = "node --test"
    MOCHA = "mocha"
    JEST = "jest"
    VITEST = "vitest"
    AVA = "ava"
    JASMINE = "jasmine"
    TAP = "tap"
    TAPE = "tape"
    UVU = "uvu"
    NODE = "node"  # a script of tests: `node test.js`
    COMMAND = "command"  # a shell command of the configuration; only its exit code speaks
    NONE = "none"


@dataclass(frozen=True, slots=True)
class TestCall:
    """One call of a runner that a project makes."""

    __test__ = False
    runner: TestRunner
    arguments: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Recipe:
    """How one side of a repository is built and tested, and why.

    `reasons` are full sentences for the report. `needs` names what this machine lacks
    ("Python >= 3.13"); a recipe with needs is never built and yields `unverified`.
    `optional` are those of `install_project` without which tests may run: where they fail alike on both
    sides, the tests run all the same, and `unbuilt` says so as a sentence.
    `lock_digest` is the sha256 of every declared input of the dependency layer; `runs_tree` says that
    code of the tree can run while it is filled, so that the whole tree is an input too.
    """

    ecosystem: str
    reasons: tuple[str, ...]
    install: tuple[tuple[str, ...], ...]  # argv lists that fill the dependency layer, in order
    install_project: tuple[tuple[str, ...], ...]  # argv lists that fill the project layer
    runner: TestRunner
    test_arguments: tuple[str, ...]  # of the runner; for COMMAND one shell line
    lock_digest: str
    needs: tuple[str, ...] = ()
    root: str = ""  # the project's folder inside the tree; every command of it starts there
    left_out: str = ""  # which of the project's tests are not run, as a sentence
    toolchain: str = ""  # what is fetched before all else, since the machine lacks it: "node 22"
    lacks: str = ""  # what becomes of `needs` where that toolchain cannot be had
    more_calls: tuple[TestCall, ...] = ()  # what the project's own tests call besides
    too_new: str = ""  # that all versions which the project tests with are older than this one
    runs_tree: bool = False
    optional: tuple[tuple[str, ...], ...] = ()
    unbuilt: str = ""

    @property
    def calls(self) -> tuple[TestCall, ...]:
        """Every call that makes up one run of the tests, in order."""
        return (TestCall(self.runner, self.test_arguments), *self.more_calls)


class Outcome(StrEnum):
    """What one test did in one run."""

    __test__ = False
    PASSED = "passed"
    FAILED = "failed"
    ERROR = "error"
    SKIPPED = "skipped"
    XFAILED = "xfailed"
    XPASSED = "xpassed"


FAILING = (Outcome.FAILED, Outcome.ERROR)
"""The outcomes of a test that is to pass and does not."""


@dataclass(frozen=True, slots=True)
class TestResult:
    """One test in one run. `id` is the runner's own (a pytest node id)."""

    __test__ = False
    id: str
    outcome: Outcome
    seconds: float = 0.0
    message: str = ""
    path: str = ""
    line: int = 0
    source: str = ""  # code and docstring of the test function, capped
    raised: str = ""  # what kept a whole file from being loaded: "ImportError: no name x in y"
    is_doctest: bool = False  # examples of a docstring or of a text; its path holds the code
    is_lint: bool = False  # what a linter says of a file, shown by a plug-in of the runner
    table: str = ""  # for one row of `test.each`: what its rows have in common
    is_unfinished: bool = False  # the run of its file ended while it ran, or before it


@dataclass(frozen=True, slots=True)
class TestRun:
    """All tests of one run. `complete` only when every collected test has exactly one result.

    An incomplete run proves nothing; `problem` says in one sentence what is missing.
    """

    __test__ = False
    complete: bool
    results: tuple[TestResult, ...]
    problem: str = ""
    forged: bool = False  # somebody else wrote into the result channel
    runner: str = ""  # what ran them, where it said so: "jest 29.7.0"


class Severity(StrEnum):
    """How much a finding weighs in the gate."""

    ADVISE = "advise"
    BLOCK = "block"


@dataclass(frozen=True, slots=True)
class Finding:
    """A linter's or integrity check's remark. Lines count from 1, on `side`.

    `tests` are the tests (path::function) that the remark puts in doubt: they prove nothing more. `about`
    is the id of the one test that it speaks of, where rules ask for that.
    """

    rule: str
    severity: Severity
    path: str
    line: int
    message: str
    end_line: int = 0
    side: Side = Side.HEAD
    hunk: str = ""
    tool: str = ""
    tests: tuple[str, ...] = ()
    about: str = ""


@dataclass(frozen=True, slots=True)
class Replacement:
    """Whole lines that become others: `before` stands on head from line `first` on, without line breaks.

    There is always a line before; without any `after` they are removed.
    """

    first: int
    before: tuple[str, ...]
    after: tuple[str, ...]

    @property
    def last(self) -> int:
        """The last line that is replaced."""
        return self.first + len(self.before) - 1


@dataclass(frozen=True, slots=True)
class Fix:
    """A linter's own exact fix of a finding that is new on head."""

    finding: Finding
    replacement: Replacement


@dataclass(frozen=True, slots=True)
class Picture:
    """A kept PNG by the name of its artifact. Base's and head's belong together by their title.

    On head, `difference` names a picture of what changed from base's (empty: nothing to show), and
    `changed` of `pixels` say how much; both are 0 where the two were not compared.
    """

    title: str
    artifact: str
    difference: str = ""
    changed: int = 0
    pixels: int = 0


NOT_RUNNABLE = (126, 127)  # the shell's own exit codes: not executable, not found


@dataclass(frozen=True, slots=True)
class Observation:
    """What one action showed on one side. `command` is for people to repeat, never executed."""

    side: Side
    command: str = ""
    exit_code: int | None = None  # None: killed or never started
    output: str = ""
    seconds: float = 0.0
    timed_out: bool = False
    out_of_memory: bool = False
    truncated: bool = False
    tests: TestRun | None = None
    findings: tuple[Finding, ...] = ()
    pictures: tuple[Picture, ...] = ()
    problem: str = ""  # why this observation proves nothing, in one sentence
    item: ItemRun | None = None  # of a test plan's item only
    installed: InstalledSide | None = None  # of the package by itself only


@dataclass(frozen=True, slots=True)
class Unfetched:
    """What could not be installed: `what` it is ("git dependency"), and the `owner` that asks for it, or "".

    `left_out` says that only development needs it, so that the rest was installed without.
    """

    what: str
    name: str
    owner: str = ""
    left_out: bool = False


@dataclass(frozen=True, slots=True)
class Environment:
    """One side's built environment: two read-only host folders and what to set in the sandbox.

    `failure` is set when the build failed: then the folders are empty and nothing can run.
    `seconds` is what building took (0.0 when it came from the cache).
    """

    side: Side
    recipe: Recipe
    digest: str
    dependencies_layer: str
    project_layer: str
    variables: tuple[tuple[str, str], ...]
    seconds: float = 0.0
    cached: bool = False
    failure: Observation | None = None
    toolchain_layer: str = ""
    unfetched: tuple[Unfetched, ...] = ()
