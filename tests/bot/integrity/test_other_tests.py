"""Weakened tests are found in JavaScript, TypeScript, Go, Rust, Java, C and shell."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.integrity.reading.languages import LANGUAGES
from bot.integrity.reading.other_tests import read_other_tests
from bot.values import rules as rule
from tests.bot.integrity.test_integrity import rules_of

LOOSER, GONE, TRIVIAL = rule.ASSERTION_LOOSENED, rule.ASSERTION_REMOVED, rule.ASSERTION_TRIVIAL
SKIPPED, DELETED = rule.TEST_SKIPPED, rule.TEST_DELETED

JEST = """import {total} from '../src/total';
describe('total', () => {
  // adds (and nothing else
  it('adds two', () => {
    const sum = total([1, 2]);
    expect(sum).toBe(3);
    expect(total([])).toBe(0);
  });
  test.each([[1, 1], [2, 2]])('keeps %i', (a, b) => {
    expect(total([a])).toEqual(b);
  });
});
"""
AVA = """import test from 'ava';
test('adds', async t => {
\tt.is(total([1, 2]), 3);
\tawait t.throwsAsync(total(null), {message: 'no'});
});
"""
GO = """package shop
func TestTotal(t *testing.T) {
	if got := Total(1, 2); got != 3 {
		t.Errorf("Total() = %d", got)
	}
	require.Equal(t, 0, Total())
}
"""
RUST = """#[cfg(test)]
mod tests {
    #[test]
    fn adds() {
        assert_eq!(total(&[1, 2]), 3);
        assert!(total(&[]) == 0, "empty }");
    }
}
"""
JAVA = """class TotalTest {
    @Test
    void adds() throws Exception {
        assertEquals(3, total(1, 2));
        assertEquals(0.5, half(1), 0.01);
    }
}
"""
C = """#include "total.h"
static void test_adds(void) {
    assert(total(1, 2) == 3);
    assert(total(0, 0) == 0);
}
TEST(Total, Adds) {
  EXPECT_EQ(total(1, 2), 3);
  EXPECT_NEAR(half(1), 0.5, 0.01);
}
"""
BATS = """@test "adds two" {
  run total 1 2
  [ "$status" -eq 0 ]
  [ "$output" = "3" ]
}
"""


@pytest.mark.parametrize(
    ("path", "before", "old", "new", "found"),
    [
        ("test/total.test.js", JEST, "toBe(3)", "toBeTruthy()", LOOSER),
        ("test/total.test.ts", JEST, "expect(sum).toBe(3);", "", GONE),
        ("test/total.test.ts", JEST, "toEqual(b)", "toBeDefined()", LOOSER),
        ("test/total.test.ts", JEST, "test.each(", "test.skip.each(", SKIPPED),
        ("test/total.test.ts", JEST, "expect(sum).toBe(3)", "expect(true).toBe(true)", TRIVIAL),
        ("src/total.spec.ts", JEST, "it('adds", "it.skip('adds", SKIPPED),
        ("src/total.spec.ts", JEST, "it('adds", "xit('adds", SKIPPED),
        ("src/total.spec.ts", JEST, "it('adds", "it.only('adds", SKIPPED),
        ("src/total.spec.ts", JEST, "describe('", "describe.skip('", SKIPPED),
        ("src/total.spec.ts", JEST, "it('adds two'", "notATest('adds two'", DELETED),
        ("a/__tests__/x.tsx", JEST, "const sum", "return;\nconst sum", GONE),
        ("a/__tests__/x.tsx", JEST, "const sum", "if (f('{')) {\nreturn;\n}\nconst sum", GONE),
        ("a/__tests__/x.tsx", JEST, "const sum", "on(() => {\nreturn;\n});\nconst sum", None),
        (
            "test/total.test.js",
            JEST,
            "expect(sum).toBe(3);",
            "try { expect(sum).toBe(3); } catch (error) {}",
            LOOSER,
        ),
        (
            "test/total.test.js",
            JEST,
            "expect(sum).toBe(3);",
            "setTimeout(() => {\nexpect(sum).toBe(3);\n}, 0).unref();",
            LOOSER,
        ),
        (
            "test/total.test.js",
            JEST,
            "expect(sum).toBe(3);",
            "if (sum['a-b']) expect(sum['a-b']).toBe(3);\nexpect(sum).toBe(3);",
            LOOSER,
        ),
        (
            "test/total.test.js",
            JEST,
            "const sum",
            "for (const one of all) if (one) expect(one).toBe(3);\nconst sum",
            None,
        ),
        (
            "test/total.test.js",
            JEST,
            "const sum",
            "let e; try { expect(total(null)).toBe(0); } catch (err) { e = err; }\nconst sum",
            None,
        ),
        ("test.js", AVA, "t.is(total([1, 2]), 3)", "t.truthy(total([1, 2]))", LOOSER),
        ("test.js", AVA, "test('adds", "test.failing('adds", SKIPPED),
        ("test/a.js", AVA, "t.is(total([1, 2]), 3)", "t.pass()", TRIVIAL),
        ("total_test.go", GO, "require.Equal(t, 0, Total())", "", GONE),
        ("total_test.go", GO, "	if got", '	t.Skip("later")\n	if got', SKIPPED),
        ("total_test.go", GO, "package shop", "//go:build never\npackage shop", SKIPPED),
        ("total_test.go", GO, "func TestTotal", "func testTotal", DELETED),
        ("src/lib.rs", RUST, "assert_eq!(total(&[1, 2]), 3);", "", GONE),
        ("src/lib.rs", RUST, "#[test]", "#[test]\n#[ignore]", SKIPPED),
        ("tests/a.rs", RUST, "assert_eq!(total(&[1, 2]), 3)", "assert!(true)", TRIVIAL),
        ("src/test/java/TotalTest.java", JAVA, "@Test", "@Disabled\n@Test", SKIPPED),
        ("src/test/java/TotalTest.java", JAVA, "@Test", "", DELETED),
        ("src/test/java/TotalTest.java", JAVA, "0.01", "99.0", LOOSER),
        ("src/test/java/TotalTest.java", JAVA, "assertEquals(3, total(1, 2));", "", GONE),
        ("tests/test_total.c", C, "assert(total(1, 2) == 3);", "assert(1);", TRIVIAL),
        ("tests/test_total.cpp", C, "0.5, 0.01", "0.5, 9.5", LOOSER),
        ("tests/test_total.cpp", C, "EXPECT_EQ(total(1, 2), 3);", "", GONE),
        ("tests/test_total.cpp", C, "TEST(Total, Adds) {", "TEST(Total, Adds) {\n GTEST_SKIP();", SKIPPED),
        ("test/total.bats", BATS, '[ "$output" = "3" ]', "", GONE),
        ("test/total.bats", BATS, "  run total", "  skip\n  run total", SKIPPED),
        ("test/total.bats", BATS, '[ "$output" = "3" ]', '[ "$output" = "3" ] || true', LOOSER),
        # honest edits
        ("test/total.test.js", JEST, "toBe(3)", "toBe(4)", None),
        ("test/total.test.js", JEST, "toBe(3)", "toStrictEqual(3)", None),
        ("test/total.test.js", JEST, "// adds (and nothing else", "// it.only('x', () => {", None),
        ("test/total.test.js", JEST, "expect(sum)", "expect(sum).toBe(3);\nexpect(sum)", None),
        (
            "test/total.test.js",
            JEST,
            "const sum = total([1, 2]);\n    expect(sum).toBe(3);",
            "jest.useFakeTimers();\nconst sum = total([1, 2]);\nsetTimeout(() => {\nexpect(sum).toBe(3);\n"
            "}, 0);\njest.runAllTimers();",
            None,
        ),
        ("total_test.go", GO, "Total(1, 2)", "Total(2, 1)", None),
        ("src/lib.rs", RUST, "fn adds", "fn adds_up", None),
        ("tests/test_total.c", C, "== 3", "== 4", None),
        ("test/total.bats", BATS, '"3"', '"4"', None),
    ],
)  # fmt: skip
def test_other_languages(path, before, old, new, found):
    assert old in before
    after = before.replace(old, new, 1)
    assert rules_of(before, after, path=path) == ({found} if found else set())
    assert rules_of(before, before, path=path) == set()


LINKED = """it('has a link', () => {
  expect(page(1)).toMatch(/\\/users\\//);
});
"""
QUOTED = """it('has a title', () => {
  expect(page(1)).toMatch(/`/);
  expect(page(2)).toBe(half(8) / 2 - half(4) / 2);
  expect(
    page(3)).toMatch(/[/`]/);
});
"""


@pytest.mark.parametrize(
    ("after", "found"),
    [
        (LINKED, DELETED),
        (LINKED + QUOTED.replace("expect(page(2))", "// expect(page(2))"), GONE),
        (LINKED + QUOTED.replace("toBe(half(8) / 2 - half(4) / 2)", "toBeDefined()"), LOOSER),
    ],
)
def test_a_regular_expression_is_neither_a_comment_nor_a_string(after, found):
    assert after != LINKED + QUOTED
    assert rules_of(LINKED + QUOTED, after, path="test/page.test.js") == {found}


@given(st.text("test('a, () => {expect(x).toBe})\n;#[]\"`//*@", max_size=120))
def test_any_text_is_read(text):
    for language in LANGUAGES:
        assert isinstance(read_other_tests(text, language).tests, tuple)


NODE_TEST = """import {test} from 'node:test';
import assert from 'node:assert';
test('adds', async () => {
\tassert.equal(total([1, 2]), 3);
\tawait assert.rejects(total(null), {message: 'no'});
\tassert.doesNotThrow(() => total([undefined]));
\tassert.ok(!total([]));
\tassert.ok(total([4]) <= 4);
});
"""
AVA_TOO = """import test from 'ava';
test('adds', async t => {
\tt.is(total([1, 2]), 3);
\tawait t.throwsAsync(total(null), {message: 'no'});
\tt.notThrows(() => total([undefined]));
\tt.false(total([]));
\tt.true(total([4]) <= 4);
});
"""


def test_another_assertion_library_is_no_loosening():
    assert rules_of(AVA_TOO, NODE_TEST, path="test/total.js") == set()


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("assert.rejects(total(null), {message: 'no'})", "assert.rejects(total(null))"),
        ("assert.equal(total([1, 2]), 3)", "assert.ok(total([1, 2]))"),
        ("assert.equal(total([1, 2]), 3)", "assert.match(total([1, 2]), /equal(s)/)"),
    ],
)
def test_a_weaker_assertion_of_another_library_is_one(old, new):
    weaker = NODE_TEST.replace(old, new)
    assert weaker != NODE_TEST
    assert rules_of(AVA_TOO, weaker, path="test/total.js") == {LOOSER}
