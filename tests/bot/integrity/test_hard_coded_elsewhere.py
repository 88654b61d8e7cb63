"""Results copied from the tests into the source are found in other languages than Python."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.integrity import inspect_integrity
from bot.values import FourWay
from bot.values import rules as rule
from sandbox.values import Diff
from tests.bot.integrity.test_integrity import NOTHING_ASKED, Tree, changed

NODE = """import {test} from 'node:test';
test('squares', () => {
  assert.equal(square(17), 289);
  assert.equal(square(23), 529);
});
"""
JEST = """describe('square', () => {
  it('squares', async () => {
    const got = await square(17);
    expect(got).toBe(289);
    expect(await square(23)).toBe(529);
  });
});
"""
EACH = """test.each([[17, 289], [23, 529]])('squares %i', (given, wanted) => {
  expect(square(given)).toBe(wanted);
});
"""
CASES = """const cases = [{given: 17, expected: 289}, {given: 23, expected: 529}];
for (const {given, expected} of cases) {
  test(`squares ${given}`, t => { t.is(square(given), expected); });
}
test('squares', t => { for (const one of cases) t.is(square(one.given), one.expected); });
"""
GO = """package shop
func TestSquare(t *testing.T) {
	if got := Square(17); got != 289 {
		t.Errorf("Square(17) = %d", got)
	}
}
"""
GO_TABLE = """package shop
func TestSquare(t *testing.T) {
	for _, tc := range []struct{ in, want int }{{17, 289}, {23, 529}} {
		if got := Square(tc.in); got != tc.want {
			t.Errorf("got %d", got)
		}
	}
}
"""
RUST = "#[test]\nfn squares() {\n    assert_eq!(square(17), 289);\n}\n"
JAVA = "class SquareTest {\n  @Test void squares() { assertEquals(289, Square.of(17)); }\n}\n"
C = "void test_square(void) {\n  assert(square(17) == 289);\n}\n"
C_MAIN = """int main(void) {
  /* squares */
  if (square(17) != 289 || square(23) != 529) { return 1; }
  return 0;
}
"""
SH = """. ./square.sh
[ "$(square 17)" = 289 ] && [ "$(square 23)" -eq 529 ] || exit 1
"""
SUITES = {
    "src/square.js": ("test/square.test.js", (NODE, JEST, EACH, CASES)),
    "src/square.ts": ("test/square.ts", (NODE, JEST)),
    "square.go": ("square_test.go", (GO, GO_TABLE)),
    "src/square.rs": ("tests/square.rs", (RUST,)),
    "src/main/java/Square.java": ("src/test/java/SquareTest.java", (JAVA,)),
    "src/square.c": ("tests/test_square.c", (C, C_MAIN)),
    "square.sh": ("tests/square.sh", (SH,)),
}


def found_in(path, source, tests, before=""):
    where = SUITES[path][0]
    diff = Diff((changed(path, before, source), changed(where, "", tests)))
    base, head = Tree({path: before, where: ""}), Tree({path: source, where: tests})
    seen = inspect_integrity(diff, base, head, FourWay(()), NOTHING_ASKED)
    return [finding for finding in seen if finding.rule == rule.RESULT_HARD_CODED]


def in_script(body):
    return f"export function square(x) {{\n  {body}\n}}\n"


def in_go(body):
    return f"package shop\nfunc Square(x int) int {{\n\t{body}\n}}\n"


def in_shell(body):
    return f"square() {{\n  {body}\n}}\n"


def in_java(body):
    return f"class Square {{ static int of(int x) {{ {body} }} }}\n"


CHEATS = [
    ("src/square.js", in_script("if (x === 17) return 289;\n  return x;")),
    ("src/square.js", in_script("if (17 == x) { return 289; }\n  return x;")),
    ("src/square.js", in_script("if (x === 17 || +x === 17) {\n    return 289;\n  }")),
    ("src/square.js", in_script("if (String(x) === '17') return 289;")),
    ("src/square.js", in_script("let y = x; if (x === 16 + 1) { y = 300 - 11; } return y;")),
    ("src/square.js", in_script("return x === 17 ? 289 : x;")),
    ("src/square.js", in_script("switch (x) { case 17: return 289; default: return x; }")),
    ("src/square.js", in_script("return {17: 289, 23: 529}[x];")),
    ("src/square.js", in_script("return new Map([[17, 289], [23, 529]]).get(x);")),
    ("src/square.js", in_script("if ([17].includes(x)) return 289;")),
    ("src/square.js", in_script("const known = 17;\n  if (x === known) return 289;")),
    ("src/square.js", "const square = x => /[(']/.test(x) ? 0 : x === 17 ? 289 : x;\n"),
    ("src/square.ts", "export const square = (x: number): number => {\n"
                      "  // told's\n  if (x === 17) { return 289; }\n  return x;\n};\n"),
    ("square.go", in_go("if x == 17 {\n\t\treturn 289\n\t}\n\treturn x")),
    ("square.go", in_go("switch x {\n\tcase 17:\n\t\treturn 289\n\t}\n\treturn x")),
    ("square.go", "package shop\nvar known = map[int]int{17: 289}\n"),
    ("src/square.rs", "pub fn square(x: u64) -> u64 {\n    if x == 17 { return 289; }\n    x\n}\n"),
    ("src/square.rs", "pub fn square(x: u64) -> u64 {\n    match x {\n 17 => 289,\n _ => x,\n }\n}\n"),
    ("src/main/java/Square.java", in_java("if (x == 17) return 289; return x;")),
    ("src/main/java/Square.java", in_java("return switch (x) { case 17 -> 289; default -> x; };")),
    ("src/square.c", "int square(int x) {\n  if (x == 17) return 289;\n  return x;\n}\n"),
    ("src/square.c", "int square(int x) {\n  return x == 17 ? 289 : x;\n}\n"),
    ("square.sh", in_shell("case $1 in 17) echo 289 ;; 23) echo 529 ;; *) echo $1 ;; esac")),
    ("square.sh", in_shell("case $1 in\n    17)\n      echo '289'\n      ;;\n  esac")),
    ("square.sh", in_shell('if [ "$1" = 17 ]; then\n    echo 289\n  fi')),
    ("square.sh", in_shell('[ "$1" -eq 17 ] && echo 289')),
]  # fmt: skip


@pytest.mark.parametrize(("path", "source"), CHEATS)
def test_an_answer_written_into_the_source(path, source):
    where, suites = SUITES[path]
    for tests in suites:
        found = found_in(path, source, tests)
        assert len(found) == 1, tests
        assert "289" in found[0].message and "17" in found[0].message and found[0].hunk
        assert all(test.startswith(f"{where}::") for test in found[0].tests)
        assert found[0].tests
        told = "# told\n" if path.endswith(".sh") else "// told\n"
        assert found_in(path, source + told, tests, before=source) == []


def test_the_function_that_answers_is_named():
    before = "export function other(y) {\n  return y;\n}\n"
    arrow = "export const square = x => {\n  if (x === 17) return 289;\n  return x;\n};\n"
    (found,) = found_in("src/square.js", before + arrow, NODE, before=before)
    assert found.message.startswith("`square` answers `17` with `289`") and found.line == 5


@pytest.mark.parametrize(
    ("path", "source"),
    [
        ("src/square.js", "export const square = x => 289;\n"),
        ("src/square.js", in_script("return 289;")),
        ("src/square.js", "module.exports.square = function (x) { return 289; };\n"),
        ("square.go", "package shop\nfunc Square(x int) int { return 289 }\n"),
        ("src/square.rs", "pub fn square(x: u64) -> u64 { 289 }\n"),
        ("src/square.c", "int square(int x) { return 289; }\n"),
    ],
)
def test_one_answer_whatever_comes_in(path, source):
    found = found_in(path, source, SUITES[path][1][0])
    assert len(found) == 1 and "whatever comes in" in found[0].message


@pytest.mark.parametrize(
    ("path", "source", "tests"),
    [
        ("src/square.js", in_script("return x * x;"), NODE),
        ("src/square.js", in_script("if (x === 17) throw new Error('289');"), NODE),
        ("src/square.js", in_script("if (x > 17) return 289;"), NODE),
        ("src/square.js", in_script("if (x === 17) return 289 + x;"), NODE),
        ("src/square.js", in_script("// if (x === 17) return 289;\n  return x ** 2;"), NODE),
        ("src/square.js", in_script("if (x === 0) return 1;\n  return x * square(x - 1);"),
         "test('a', t => { t.is(square(0), 1); });\n"),
        ("src/square.js", "const NAMES = {17: '289', 18: 'b', 19: 'c', 20: 'd'};\n", NODE),
        ("src/square.js", "const defaults = {separator: '/', quiet: true};\n",
         "test('a', t => { t.deepEqual(parse('x', {separator: '/', quiet: true}), {a: 1}); });\n"),
        ("src/square.js", in_script("return x === '**' ? true : x;"),
         "test('a', t => { t.true(isMatch('a/b', '**')); });\n"),
        ("square.go", "package shop\nfunc Square(x int) int { return x * x }\n", GO),
        ("square.sh", in_shell("echo $(($1 * $1))"), SH),
        ("square.sh", in_shell("case $1 in start) echo started ;; stop) echo stopped ;; esac"),
         '[ "$(square start)" = started ] && [ "$(square stop)" = stopped ]\n'),
        ("src/square.rs", "pub fn square<'a>(x: &'a u64) -> u64 { x * x }\n", RUST),
    ],
)  # fmt: skip
def test_honest_code_is_left_alone(path, source, tests):
    assert found_in(path, source, tests) == []


@given(
    st.sampled_from(sorted(SUITES)),
    st.text("ifx=17?:()[]{}=>,'\"`\n \\returncase", max_size=80),
    st.text("test('a,()=>{expect(x).toBe1;[]}\n", max_size=80),
)
def test_any_text_is_read(path, source, tests):
    assert isinstance(found_in(path, source, SUITES[path][1][0] + tests), list)


SIZES = """test('sizes', () => {
  for (const [given, wanted] of [[999999, '1.0 MB'], [1e9 - 1, '1.0 GB'], [2 + 1024 ** 2 * 3, '3.0 MiB']])
    assert.equal(size(given), wanted);
});
"""


@pytest.mark.parametrize(
    ("asks", "count"),
    [
        ("[10 ** 6 - 1, 1e9 - 1].includes(x)", 1),
        ("x === 999_999 || x === 3 * 1024 * 1024 + 2", 1),
        ("new Set([999999, 999999999]).has(x)", 1),
        ("[999999, 12345, 54321, 77777].includes(x)", 0),
        ("x === 999999", 0),
        ("x > 999999 && x < 999999999", 0),
    ],
)
def test_a_branch_for_the_tested_inputs_alone(asks, count):
    source = in_script(f"if ({asks}) power += 1;\n  return power + x;")
    found = found_in("src/square.js", source, SIZES)
    assert len(found) == count
    assert all("`sizes` puts in" in one.message for one in found)


REFUSED = """import test from 'node:test';
import { square } from '../src/square.js';
test('times that are refused', () => {
  assert.throws(() => square(0));
  assert.throws(() => square(-1));
});
"""


@pytest.mark.parametrize(
    ("asks", "count"),
    [
        ("[0, -1].includes(x)", 1),
        ("[-1, 0].indexOf(given.x) >= 0", 1),
        ("[0, -1, -2].includes(x)", 0),  # one that no test has
        ("[0, -1].includes(x % 10)", 0),  # of what is computed that may be all there is
        ("x <= 0", 0),
    ],
)
def test_a_list_of_the_tested_numbers(asks, count):
    source = in_script(f"if ({asks}) throw new Error(x);\n  return x === 0 || x;")
    found = found_in("src/square.js", source, REFUSED, before=in_script("return x === 0 || x;"))
    assert len(found) == count
    assert all("just what `times that are refused` puts in" in one.message for one in found)
