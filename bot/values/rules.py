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
    )
)
"""What no code of base did, and nobody asked for: a person has to say whether it may."""
LEAVES_CALLERS = frozenset(
    (
        PUBLIC_NAME_REMOVED,
        SIGNATURE_BROKEN,
        DEFAULT_CHANGED,
        OVERRIDE_LEFT,
        BASE_CLASS_LOST,
        ERROR_SWALLOWED,
        GUARD_REMOVED,
        PARAMETER_IGNORED,
        ENTRY_STALE,
        HASH_LOST,
        MODE_LOST,
    )
)
"""What callers of base rely on and may not find on head, and no test may ask for."""
FOR_A_PERSON = (
    REACHES_OUT
    | LEAVES_CALLERS
    | {
        CI_WEAKENED,
        DEPENDENCY_MOVED,
        INSTRUCTION,
        MODULE_SHADOWED,
        NEW_TEST_SKIPPED,
        LETTERS_STRIPPED,
        ONLY_FIRST_REPLACED,
        ONLY_TESTS_CALL,
        OPTION_MISSING,
        OPTION_UNASKED,
        PART_MISSING,
        RELEASE_LEFT_OUT,
        STAND_IN_ADDED,
        TWIN_LEFT,
    }
)
"""Nothing that runs shows whether these may be: never a success before a person has looked."""

NOT_ABOUT_TESTS = (
    OF_LOG
    | REACHES_OUT
    | LEAVES_CALLERS
    | {
        DEPENDENCY_MOVED,
        DEPENDENCY_UNKNOWN,
        DEPENDENCY_YOUNG,
        DEPENDENCY_UNASKED,
        LETTERS_STRIPPED,
        ONLY_FIRST_REPLACED,
        ONLY_TESTS_CALL,
        OPTION_MISSING,
        OPTION_UNASKED,
        OUT_OF_SCOPE,
        PART_MISSING,
        POLICY_LOOSENED,
        RELEASE_LEFT_OUT,
        TWIN_LEFT,
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
    ASSERTION_LOOSENED: "an assertion was loosened",
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
