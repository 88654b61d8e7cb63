"""A bug's title is worded as what must hold, and one line of a failure says what was wrong."""

from __future__ import annotations

import pytest

from bot.evidence.tests.four_way import assertion_line
from bot.task.wording import asked_in_prose
from bot.values import Trust
from tests.bot.verdict.cases import gate_of, observed, requirements

DISCOUNT = "discount accepts impossible percentages"
SHOULD = "`discount` should raise ValueError for a percentage below 0 or above 100."


@pytest.mark.parametrize(
    ("title", "body", "shown"),
    [
        (DISCOUNT, f"We sold for nothing. {SHOULD} Thanks!", SHOULD),
        (DISCOUNT, "", f"Fixed: {DISCOUNT}"),
        (DISCOUNT, "You should look at it. It should work.", f"Fixed: {DISCOUNT}"),
        (DISCOUNT, f"```\n{SHOULD}\n```", f"Fixed: {DISCOUNT}"),
        (
            DISCOUNT,
            "Should `discount` raise? The discount should be 5, right?",
            f"Fixed: {DISCOUNT}",
        ),
        (DISCOUNT, "Discounts of nothing must keep working.", f"Fixed: {DISCOUNT}"),
        ("[Bug]: TypeError for None", "", "Fixed: TypeError for None"),
        (
            "The cookie is set on page loads",
            "**Describe the bug**\nIt is set.\n\n**Expected behavior:**\nThe cookie should not be set.",
            "The cookie should not be set.",
        ),
        ("fix: preserve loose lists (#272)", "", "fix: preserve loose lists (#272)"),
        ("[FEAT] Source mapping info", "", "[FEAT] Source mapping info"),
        ("split should refuse zero people", SHOULD, "split should refuse zero people"),
        ("split raises ValueError for zero people", "", "split raises ValueError for zero people"),
        ("Support missing files", "", "Support missing files"),
        ("Dark mode", "", "Dark mode"),
        ("feat(cli)!: handle missing keys", "", "feat(cli)!: handle missing keys"),
        ("break: rename `wild` to `any`", "", "break: rename `wild` to `any`"),
        ("config: missing keys", "", "Fixed: config: missing keys"),
    ],
)
def test_a_bugs_title_says_what_must_hold(title: str, body: str, shown: str) -> None:
    (asked,) = [one for one in requirements(title, body).items if one.id == "R1"]
    assert (asked.text, asked.shown) == (title, shown)


@pytest.mark.parametrize("kind", ["", "feat: ", "breaking(api)!: "])
def test_a_list_below_a_title_that_asks_is_asked_for(kind: str) -> None:
    said = requirements(
        f"{kind}Add gzip to the reader", "- Adds an option `gzip`.\n- It keeps names.\n"
    )
    asked = [one.text for one in said.items if one.id.startswith("R")]
    assert asked == ["Adds an option `gzip`.", "It keeps names."]


def test_the_title_of_the_report_says_it_too() -> None:
    decided = gate_of(requirements(DISCOUNT, SHOULD), observed())
    assert "“`discount` should raise ValueError" in decided.title


def test_an_authors_own_title_stays_as_it_is() -> None:
    (asked,) = [r for r in requirements(DISCOUNT, trust=Trust.AUTHOR).items if r.id == "R1"]
    assert asked.shown == DISCOUNT


PYTEST = """def test_total():
>       assert total([1]) == 2
E       AssertionError: assert 1 == 2
E        +  where 1 = total([1])

tests/test_a.py:7: AssertionError"""
UNITTEST = """Traceback (most recent call last):
  File "tests/test_a.py", line 7, in test_total
    self.assertEqual(total([1]), 2)
AssertionError: 1 != 2
"""
JEST = """Error: expect(received).toBe(expected) // Object.is equality

Expected: 2
Received: 1
    at Object.<anonymous> (test/a.test.js:4:20)"""
NODE = """AssertionError [ERR_ASSERTION]: Expected values to be strictly equal:

1 !== 2

    at TestContext.<anonymous> (file:///a.test.js:5:10)"""
UVU = """Expected values to be strictly equal:
++1          [number]     (Expected)
--undefined  [undefined]  (Actual)

Assertion: Expected values to be strictly equal:
    at assert (/work/tree/node_modules/uvu/assert/index.js:31:8)"""
UVU_DEEP = """Expected values to be deeply equal:
··{
····"b":·[
Actual:
--····2
Expected:
++····3
····]
··}"""
AVA = """Difference (- actual, + expected):

  {
-   a: 3,
+   a: 4,
  }

Error
    at ExecutionContext.deepEqual (file:///ava/lib/assert.js:309:16)"""
TAP = """should be equal
--- expected
+++ actual
@@ -1,3 +1,3 @@
 {
-  "a": 4
+  "a": 3
 }
Test.<anonymous> (test/a.test.js:5:28)"""
RUST = """thread 'total' panicked at src/lib.rs:9:5:
assertion `left == right` failed
  left: 1
 right: 2"""
GO = """--- FAIL: TestTotal (0.00s)
    a_test.go:12: got 1, want 2"""


@pytest.mark.parametrize(
    ("message", "line"),
    [
        (PYTEST, "AssertionError: assert 1 == 2"),
        (UNITTEST, "AssertionError: 1 != 2"),
        (JEST, "Expected: 2, Received: 1"),
        (NODE, "AssertionError [ERR_ASSERTION]: Expected values to be strictly equal: 1 !== 2"),
        (UVU, "Expected: 1, Received: undefined"),
        (UVU_DEEP, "Expected: 3, Received: 2"),
        (AVA, "Expected: a: 4,, Received: a: 3,"),
        (TAP, 'Expected: "a": 4, Received: "a": 3'),
        (RUST, "thread 'total' panicked at src/lib.rs:9:5: assertion `left == right` failed"),
        (GO, "a_test.go:12: got 1, want 2"),
        ("Segmentation fault", "Segmentation fault"),
        ("", ""),
    ],
)
def test_one_line_of_a_failure(message: str, line: str) -> None:
    assert assertion_line(message) == line


def test_a_long_line_is_clipped() -> None:
    assert len(assertion_line("E   assert " + "x" * 5000)) == 240


def test_sentences_that_ask_for_something_are_found_beside_the_demands() -> None:
    text = (
        "A bad limit ends as status 500. It should answer 400. The list should also be sorted by name. "
        "Neither of the two may be changed.\n\n"
        "Should it log? Ideally it should be fast. Tests that pin the order may "
        "change.\n\n## Steps to reproduce\n\nYou must start the server.\n\n```\nit must not be read\n```\n"
    )
    more = "The log should say it. Please sort names. Please see #3. Or the manual should."
    text = f"{more}\n\n{text}\n**Additional context**\nIt should run."
    found = asked_in_prose(text, ["It should answer 400."])
    assert found == (
        "The log should say it.",
        "Please sort names.",
        "The list should also be sorted by name.",
        "Neither of the two may be changed.",
    )
