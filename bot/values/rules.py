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
BASE_CLASS_LOST = "base-class-lost"
ERROR_SWALLOWED = "error-swallowed"
GUARD_REMOVED = "guard-removed"
OPTION_UNASKED = "option-unasked"
ONLY_TESTS_CALL = "only-tests-call"
ONLY_FIRST_REPLACED = "only-first-replaced"
MODULE_SHADOWED = "module-shadowed"
PROGRAM_STARTED = "program-started"
FILES_DELETED = "files-deleted"
PROCESS_CHANGED = "process-changed"
OUTPUT_WRITTEN = "output-written"
DATA_RUN = "data-run"
PLACE_ASKED = "place-asked"
DEPENDENCY_UNKNOWN = "dependency-unknown"
DEPENDENCY_UNASKED = "dependency-unasked"
DEPENDENCY_YOUNG = "dependency-young"
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
    )
)
"""What no code of base did, and nobody asked for: a person has to say whether it may."""
LEAVES_CALLERS = frozenset(
    (
        PUBLIC_NAME_REMOVED,
        SIGNATURE_BROKEN,
        DEFAULT_CHANGED,
        BASE_CLASS_LOST,
        ERROR_SWALLOWED,
        GUARD_REMOVED,
    )
)
"""What callers of base rely on and may not find on head, and no test may ask for."""
FOR_A_PERSON = (
    REACHES_OUT
    | LEAVES_CALLERS
    | {
        INSTRUCTION,
        MODULE_SHADOWED,
        NEW_TEST_SKIPPED,
        ONLY_FIRST_REPLACED,
        ONLY_TESTS_CALL,
        OPTION_UNASKED,
    }
)
"""Nothing that runs shows whether these may be: never a success before a person has looked."""

NOT_ABOUT_TESTS = (
    OF_LOG
    | REACHES_OUT
    | LEAVES_CALLERS
    | {
        DEPENDENCY_UNKNOWN,
        DEPENDENCY_YOUNG,
        DEPENDENCY_UNASKED,
        ONLY_FIRST_REPLACED,
        ONLY_TESTS_CALL,
        OPTION_UNASKED,
        OUT_OF_SCOPE,
        POLICY_LOOSENED,
    }
)
"""Findings that say nothing of whether tests were weakened; the gate weighs them by themselves."""
