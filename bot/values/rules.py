"""The names of the integrity rules, shared by those who find and those who weigh."""

from __future__ import annotations

UNREAD_CHANGES = "unread-changes"
UNSEEN_CONTENT = "unseen-content"
TEST_DELETED = "test-deleted"
TEST_FILE_DELETED = "test-file-deleted"
TEST_SKIPPED = "test-skipped"
NEW_TEST_SKIPPED = "new-test-skipped"
TEST_DESELECTED = "test-deselected"
ASSERTION_REMOVED = "assertion-removed"
ASSERTION_LOOSENED = "assertion-loosened"
ASSERTION_TRIVIAL = "assertion-trivial"
EXPECTATION_CHANGED = "expectation-changed"
TEST_ADAPTED = "test-adapted"
CI_EDITED = "ci-edited"
CI_WEAKENED = "ci-weakened"
RESULTS_REWRITTEN = "results-rewritten"
EARLY_EXIT = "early-exit"
EQUALITY_FAKED = "equality-faked"
STARTUP_HOOK = "startup-hook"
SUPPRESSION_ADDED = "suppression-added"
CHECK_LOWERED = "check-lowered"
RESULT_HARD_CODED = "result-hard-coded"
TEST_DETECTED = "test-detected"
TEST_READ = "test-read"
CODE_DECODED = "code-decoded"
TEST_FOLLOWS_MOVE = "test-follows-move"
SECRET_ADDED = "secret-added"
SECRET_TOLD = "secret-told"
INSTRUCTION = "instruction-to-reviewers"
HIDDEN_TEXT = "hidden-text"
OUT_OF_SCOPE = "out-of-scope"
NETWORK_OPENED = "network-opened"
PUBLIC_NAME_REMOVED = "public-name-removed"
SIGNATURE_BROKEN = "signature-broken"
DEFAULT_CHANGED = "default-changed"
OVERRIDE_LEFT = "override-left"
TWIN_LEFT = "twin-left"
RELEASE_LEFT_OUT = "release-left-out"
BASE_CLASS_LOST = "base-class-lost"
ERROR_SWALLOWED = "error-swallowed"
GUARD_REMOVED = "guard-removed"
PARAMETER_IGNORED = "parameter-ignored"
OPTION_UNASKED = "option-unasked"
OPTION_MISSING = "option-missing"
PART_MISSING = "part-missing"
ONLY_TESTS_CALL = "only-tests-call"
ONLY_FIRST_REPLACED = "only-first-replaced"
LETTERS_STRIPPED = "letters-stripped"
MODULE_SHADOWED = "module-shadowed"
PROGRAM_STARTED = "program-started"
FILES_DELETED = "files-deleted"
PROCESS_CHANGED = "process-changed"
OUTPUT_WRITTEN = "output-written"
DATA_RUN = "data-run"
PLACE_ASKED = "place-asked"
CHANCE_ASKED = "chance-asked"
DEPENDENCY_UNKNOWN = "dependency-unknown"
DEPENDENCY_UNASKED = "dependency-unasked"
DEPENDENCY_YOUNG = "dependency-young"
DEPENDENCY_MOVED = "dependency-moved"
ENTRY_STALE = "entry-stale"
MODE_LOST = "mode-lost"
HASH_LOST = "hash-lost"
STAND_IN_ADDED = "stand-in-added"
POLICY_LOOSENED = "policy-loosened"
CLAIM_CONTRADICTED = "claim-contradicted"
INSTRUCTION_IN_LOG = "instruction-in-log"
"""What an agent's log says to reviewers: judges are not shown it, so it keeps none of them back."""
OF_LOG = frozenset({CLAIM_CONTRADICTED, INSTRUCTION_IN_LOG})
"""Findings about an agent's log, not about the change."""
CONFIGURATION = "configuration"
"""Not about the code under test: `.github/assay.yml` itself cannot be read."""

MADE_UP = frozenset(
    {
        RESULTS_REWRITTEN,
        EARLY_EXIT,
        EQUALITY_FAKED,
        STARTUP_HOOK,
        RESULT_HARD_CODED,
        TEST_DETECTED,
        TEST_READ,
        CODE_DECODED,
    }
)
"""Code that can make results up: even where nothing else is wrong, a person has to look."""

NEEDS_READER = MADE_UP | {UNREAD_CHANGES, UNSEEN_CONTENT}
"""What keeps anybody from saying that no test was weakened."""

WEAKENED = frozenset(
    (ASSERTION_REMOVED, ASSERTION_LOOSENED, ASSERTION_TRIVIAL, TEST_SKIPPED, NEW_TEST_SKIPPED)
)
"""Findings that say of a test file's edits that they demand less."""

REACHES_OUT = frozenset(
    (
        NETWORK_OPENED,
        PROGRAM_STARTED,
        FILES_DELETED,
        PROCESS_CHANGED,
        OUTPUT_WRITTEN,
        DATA_RUN,
        PLACE_ASKED,
        CHANCE_ASKED,
        SECRET_TOLD,
    )
)
"""What no code of base did, and nobody asked for: a person has to say whether it may."""
_READ_CODE = (
    "Read this code. If it is wanted, say so in the issue, then comment `/judge`; else take it out."
)
_SAY_SO = "say so in the issue, then comment `/judge`, or accept it."
NEXT_STEPS = {
    **dict.fromkeys(REACHES_OUT, _READ_CODE),
    # What callers of base rely on and may not find on head, and no test may ask for.
    PUBLIC_NAME_REMOVED: f"Put it back, then push. If it is meant to go, {_SAY_SO}",
    SIGNATURE_BROKEN: "Let it be called as on base, too, then push. If callers are meant to follow, "
    + _SAY_SO,
    DEFAULT_CHANGED: f"Put the default back, then push. If it is meant to change, {_SAY_SO}",
    OVERRIDE_LEFT: "Let each override take it, too, and show that by a test, then push. If it is meant so, "
    + _SAY_SO,
    BASE_CLASS_LOST: f"Put the base class back, then push. If it is meant to go, {_SAY_SO}",
    ERROR_SWALLOWED: "Let the error out, then push. If it is meant to be dropped, " + _SAY_SO,
    GUARD_REMOVED: f"Put it back, then push. If all that it refused is meant to pass, {_SAY_SO}",
    PARAMETER_IGNORED: f"Read it as on base, then push. If it is to have no effect, {_SAY_SO}",
    ENTRY_STALE: f"Change what users load, too, or build it, then push. If it is meant to stay, {_SAY_SO}",
    HASH_LOST: f"Define `__hash__` as well, then push. If nobody is to hash these objects, {_SAY_SO}",
    MODE_LOST: f"Put the mode back (`chmod +x`), then push. If it is meant to go, {_SAY_SO}",
    # What the change does by halves, or besides.
    RELEASE_LEFT_OUT: f"Put it into a `finally`, and test that, then push. If it is meant so, {_SAY_SO}",
    TWIN_LEFT: f"Change the other one, too, and test it, then push. If it is meant to stay, {_SAY_SO}",
    LETTERS_STRIPPED: "Use `removeprefix` or `removesuffix`, then push. If letters are meant, "
    + _SAY_SO,
    ONLY_FIRST_REPLACED: "Replace all of them (`replaceAll`, or a pattern with `g`), then push. If the first "
    "is meant, " + _SAY_SO,
    ONLY_TESTS_CALL: "Use it where the trouble is, show that by a test that does not use it, then push. "
    "If it is what is wanted, " + _SAY_SO,
    OPTION_MISSING: "Let the program take this option, and show that by a test, then push. If another one is "
    "meant, " + _SAY_SO,
    PART_MISSING: "Do what the task says of it, and show that by a test, then push. If the code says it "
    "otherwise, " + _SAY_SO,
    OPTION_UNASKED: "Let it work without the option, and show that by a test, then push. If the option is "
    "what is wanted, " + _SAY_SO,
    DEPENDENCY_MOVED: f"Leave its version as on base, then push. If it is meant to change, {_SAY_SO}",
    # What may keep tests from telling.
    CI_WEAKENED: f"Run all tests, and let a failure be seen, then push. If it is meant so, {_SAY_SO}",
    INSTRUCTION: "Take these words out, then push. If they are meant for the program's users, a person can "
    "accept them.",
    MODULE_SHADOWED: "Change the module that base has, and give a new one a name of its own, then push.",
    NEW_TEST_SKIPPED: "Let the test run, or leave it out, then push. If it cannot run yet, "
    + _SAY_SO,
    STAND_IN_ADDED: "Name it in the tests that need it (`jest.mock`), and show the change without it, then "
    "push. If it is meant so, " + _SAY_SO,
}
"""What a person can do. Nothing that runs shows whether these may be: never a success before one looked."""
FOR_A_PERSON = frozenset(NEXT_STEPS)

NOT_ABOUT_TESTS = (
    FOR_A_PERSON - {CI_WEAKENED, INSTRUCTION, MODULE_SHADOWED, NEW_TEST_SKIPPED, STAND_IN_ADDED}
    | OF_LOG
    | {
        DEPENDENCY_UNKNOWN,
        DEPENDENCY_YOUNG,
        DEPENDENCY_UNASKED,
        OUT_OF_SCOPE,
        POLICY_LOOSENED,
    }
)
"""Findings that say nothing of whether tests were weakened; the gate weighs them by themselves."""

IN_WORDS = {
    UNREAD_CHANGES: "the change is too large to read whole",
    UNSEEN_CONTENT: "content changed that a diff cannot show",
    TEST_DELETED: "a test was deleted",
    TEST_FILE_DELETED: "a test file was deleted",
    TEST_SKIPPED: "a test is skipped now",
    NEW_TEST_SKIPPED: "a new test is skipped",
    TEST_DESELECTED: "tests are no longer selected",
    ASSERTION_REMOVED: "an assertion was removed",
    ASSERTION_LOOSENED: "a test shows less than it did",
    ASSERTION_TRIVIAL: "an assertion can no longer fail",
    EXPECTATION_CHANGED: "a test expects something else now",
    TEST_ADAPTED: "a test was adapted to a moved interface",
    TEST_FOLLOWS_MOVE: "a test follows code that moved",
    CI_EDITED: "the CI was edited",
    CI_WEAKENED: "the CI runs fewer tests, or lets them fail",
    RESULTS_REWRITTEN: "its code rewrites test results",
    EARLY_EXIT: "its code ends the tests early",
    EQUALITY_FAKED: "its code fakes equality",
    STARTUP_HOOK: "its code runs before the tests start",
    SUPPRESSION_ADDED: "a check was suppressed",
    CHECK_LOWERED: "a check was lowered",
    RESULT_HARD_CODED: "an expected result is hard-coded",
    TEST_DETECTED: "its code detects that it is tested",
    TEST_READ: "its code names a test file",
    CODE_DECODED: "it runs code that the diff does not show",
    SECRET_ADDED: "a secret was added",
    SECRET_TOLD: "its code newly tells a secret",
    INSTRUCTION: "a text gives orders to reviewers",
    INSTRUCTION_IN_LOG: "the agent's log gives orders to reviewers",
    CLAIM_CONTRADICTED: "the agent's log claims what is not so",
    HIDDEN_TEXT: "hidden text was added",
    OUT_OF_SCOPE: "files outside the task changed",
    NETWORK_OPENED: "its code newly opens the network",
    PUBLIC_NAME_REMOVED: "a public name is gone",
    SIGNATURE_BROKEN: "calls that were right on base break",
    DEFAULT_CHANGED: "a default is another value",
    OVERRIDE_LEFT: "an override does not take what its base class takes",
    RELEASE_LEFT_OUT: "it keeps what it took where something fails",
    TWIN_LEFT: "one of several that are alike is as before",
    BASE_CLASS_LOST: "a public class loses a base class",
    MODULE_SHADOWED: "tests get another module than base's",
    ERROR_SWALLOWED: "an error is dropped that base lets out",
    GUARD_REMOVED: "something is let through that base refuses",
    PARAMETER_IGNORED: "a parameter has no effect any more",
    ONLY_TESTS_CALL: "only its tests use what it adds",
    ONLY_FIRST_REPLACED: "it replaces only the first of a sign",
    LETTERS_STRIPPED: "it takes letters away, and not a word",
    OPTION_MISSING: "an option that the task names is nowhere",
    PART_MISSING: "an error, a member or a status that the task names is nowhere",
    OPTION_UNASKED: "it takes an option that nobody asked for",
    PROGRAM_STARTED: "its code newly starts other programs",
    FILES_DELETED: "its code newly deletes files",
    PROCESS_CHANGED: "its code newly changes the whole process",
    OUTPUT_WRITTEN: "its code newly prints",
    DATA_RUN: "its code newly runs what data say",
    PLACE_ASKED: "its code newly asks where it runs",
    CHANCE_ASKED: "its code newly draws random numbers",
    DEPENDENCY_UNKNOWN: "a new dependency does not exist",
    DEPENDENCY_UNASKED: "a new dependency could not be looked up",
    DEPENDENCY_YOUNG: "a new dependency is very new",
    DEPENDENCY_MOVED: "another dependency changes its version, too",
    ENTRY_STALE: "what users load is as before",
    MODE_LOST: "a program can be executed no more",
    HASH_LOST: "objects of a class can no longer be hashed",
    STAND_IN_ADDED: "tests get a stand-in for a package",
    POLICY_LOOSENED: "Assay's configuration was loosened",
    CONFIGURATION: "Assay's configuration cannot be read",
}
"""What a finding of each rule says of the change."""
