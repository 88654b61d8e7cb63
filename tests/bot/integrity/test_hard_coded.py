"""Results copied from the visible tests into the source are found, and prove nothing any more."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.integrity import inspect_integrity
from bot.values import FourWay, TestChange, VerdictOutcome
from bot.values import rules as rule
from sandbox.values import Diff
from tests.bot.integrity.test_integrity import NOTHING_ASKED, Tree, changed
from tests.bot.verdict.cases import comparison, gate_of, observed, requirements, verdict_of

SOURCE, TESTS = "src/shop.py", "tests/test_shop.py"
ASKS = "def test_square():\n    assert square(17) == 289\n    assert square(23) == 529\n"
ROWS = (
    "@pytest.mark.parametrize('x, y', [(17, 289), (23, 529)])\n"
    "def test_square(x, y):\n    assert square(x) == y\n"
)
HONEST = "def square(x):\n    return x * x\n"


def found_in(source, tests=ASKS, before="def square(x):\n    raise NotImplementedError\n", said=""):
    diff = Diff((changed(SOURCE, before, source), changed(TESTS, "", tests)))
    base, head = Tree({SOURCE: before, TESTS: ""}), Tree({SOURCE: source, TESTS: tests})
    asked = replace(NOTHING_ASKED, said=(said,))
    seen = inspect_integrity(diff, base, head, FourWay(()), asked)
    return [finding for finding in seen if finding.rule == rule.RESULT_HARD_CODED]


@pytest.mark.parametrize(
    "body",
    [
        "if x == 17:\n        return 289\n    return x",
        "if 17 == x:\n        y = 289\n    return y",
        "if x == 17:\n        return 289\n    elif x == 23:\n        return 529",
        "if str(x) == '17':\n        return 289\n    return x",
        "if x == 16 + 1:\n        return 300 - 11\n    return x",
        "return {17: 289, 23: 529}[x]",
        "return {'17': 289}.get(str(x), 0)",
        "return 289 if x == 17 else x",
        "match x:\n        case 17:\n            return 289\n        case 23:\n            return 529",
        "if x in (17,):\n        return 289\n    return x",
        "known = 17\n    if x == known or x == 17:\n        return 289\n    return x",
        "return 289",
    ],
)
@pytest.mark.parametrize("tests", [ASKS, ROWS])
def test_an_answer_written_into_the_source(body, tests):
    found = found_in(f"def square(x):\n    {body}\n", tests)
    if body == "return 289" and tests == ROWS:
        assert found == []  # one constant cannot satisfy two rows: the tests themselves fail
        return
    assert [f.tests for f in found] == [(f"{TESTS}::test_square",)]
    assert found[0].hunk and "289" in found[0].message


ONE_NAME_AGAIN = """def test_square():
    given = 4
    got = square(given)
    assert got == 16
    given = 17
    got = list(square(given, scale=False))
    assert got == 289
"""
ONE_ROW = """class TestShop:
    def test_square(self):
        for given, wanted in [(17, 289), (23, 529)]:
            self.assertEqual(square(given), wanted)
"""


@pytest.mark.parametrize("tests", [ONE_NAME_AGAIN, ONE_ROW])
def test_an_answer_to_what_a_name_stands_for_at_its_line(tests):
    assert found_in("def square(x):\n    if x == 17:\n        return 289\n", tests)
    assert not found_in("def square(x):\n    if x == 17:\n        return 1600\n", tests)
    assert not found_in("def square(x):\n    if x == 4000:\n        return 289\n", tests)


def test_a_table_in_a_constant():
    assert found_in("_KNOWN = {17: 289, 23: 529}\ndef square(x):\n    return _KNOWN[x]\n")


@pytest.mark.parametrize(
    ("source", "tests"),
    [
        (HONEST, ASKS),
        # a special case that every program has
        (
            "def fact(n):\n    if n == 0:\n        return 1\n    return n * fact(n - 1)\n",
            "def test_fact():\n    assert fact(0) == 1\n    assert fact(5) == 120\n",
        ),
        # a table that knows far more than the tests ask
        (
            "DIGITS = {1: 'I', 4: 'IV', 5: 'V', 9: 'IX', 10: 'X', 40: 'XL', 50: 'L', 90: 'XC'}\n",
            "def test_roman():\n    assert roman(40) == 'XL'\n    assert roman(3) == 'III'\n",
        ),
        # an input that is refused
        (
            "def split(n):\n    if n == 17000:\n        raise ValueError(n)\n",
            "def test_split():\n    with raises(ValueError):\n        split(17000)\n",
        ),
        ("def square(x, scale=17):\n    return x * x\n", ASKS),
    ],
)
def test_honest_constants_are_left_alone(source, tests):
    assert found_in(source, tests) == []


def test_what_base_has_already_is_no_news():
    source = "def square(x):\n    if x == 17:\n        return 289\n"
    assert found_in(source + "# told\n", before=source) == []


def test_a_doubted_test_satisfies_nothing():
    proof = comparison("test_split_refuses_zero_people", TestChange.FAIL_TO_PASS)
    tests = "def test_split_refuses_zero_people():\n    assert split(1000, 0) == 'nobody'\n"
    cheat = "def split(a, b):\n    if (a, b) == (1000, 0):\n        return 'nobody'\n"
    found = tuple(found_in(cheat, tests))
    assert found
    seen = observed(proof, integrity=found)
    assert verdict_of("R1", requirements(), observed(proof)).outcome is VerdictOutcome.SATISFIED
    assert verdict_of("R1", requirements(), seen).outcome is VerdictOutcome.UNVERIFIED
    assert gate_of(requirements(), seen).conclusion.value == "action_required"


@pytest.mark.parametrize(
    "line",
    [
        "if 'PYTEST_CURRENT_TEST' in os.environ: return 1",
        "if 'pytest' in sys.modules: return 1",
        "if (process.env.JEST_WORKER_ID) return 1",
        "if testing.Testing() { return 1 }",
    ],
)
def test_a_source_that_knows_that_it_is_tested(line):
    path = "src/shop.go" if "{" in line else "src/shop.js" if "(p" in line else SOURCE
    diff = Diff((changed(path, "", line + "\n"),))
    seen = inspect_integrity(
        diff, Tree({path: ""}), Tree({path: line + "\n"}), FourWay(()), NOTHING_ASKED
    )
    assert rule.TEST_DETECTED in [finding.rule for finding in seen]


@given(st.text("ifx=17()[]{}:,'\n \treturn", max_size=60))
def test_any_source_is_read(text):
    assert isinstance(found_in(text), list)


LOCALES = """class English:
    names = {'hour': 'hour', 'week': 'week', 'minute': 'minute'}

    def name(self, unit):
        return self.names[unit]


class Thai(English):
    names = {'hour': '1 hour', 'minute': '1 minute'}
"""
ASKS_LOCALES = """def test_thai_names():
    assert Thai().name('hour') == 'chua mong'
    assert Thai().name('week') == 'sap da'
    assert Thai().name('minute') == 'na thi'
"""


def test_data_that_is_corrected_in_a_table_of_base_is_not_made_up():
    """Keys that base's table answers, here or in a sister class, are not taken from the tests."""
    corrected = LOCALES.replace(
        "{'hour': '1 hour', 'minute': '1 minute'}",
        "{'hour': 'chua mong', 'week': 'sap da', 'minute': 'na thi'}",
    )
    assert not found_in(corrected, ASKS_LOCALES, LOCALES)


ALLOWS = """def handle(method):
    if method in ('GET', 'PUT'):
        return Response(200)
    return Response(405, headers={'Allow': 'GET, PUT'})
"""
ASKS_ALLOWED = """def test_delete():
    assert handle('DELETE').status == 204
    assert handle('PATCH').headers['Allow'] == 'GET, PUT, DELETE'
"""


def test_an_entry_that_is_corrected_where_it_stands_is_not_made_up():
    corrected = ALLOWS.replace("'GET, PUT'}", "'GET, PUT, DELETE'}")
    assert not found_in(corrected, ASKS_ALLOWED, ALLOWS)
    new = ALLOWS.replace(", headers={'Allow': 'GET, PUT'}", "")
    assert found_in(corrected, ASKS_ALLOWED, new)


def test_questions_that_no_table_of_base_answers_are_made_up():
    new_keys = LOCALES.replace("'minute': '1 minute'}", "'minute': '1 minute', '17': '289'}")
    asks = "def test_thai_names():\n    assert Thai().name('17') == '289'\n"
    assert found_in(new_keys, asks, LOCALES)
    elsewhere = LOCALES.replace(
        "        return self.names[unit]",
        "        names = {'hour': 'chua mong', 'minute': 'na thi'}\n        return names[unit]",
    )
    assert found_in(elsewhere, ASKS_LOCALES, LOCALES)


ASKS_SIZES = (
    "@pytest.mark.parametrize(('given', 'wanted'), [\n    ([999999], '1.0 MB'), ([10**9 - 1], '1.0 GB'),\n"
    "    ([1024**2 - 1, True], '1.0 MiB'), ([5], '5 Bytes'),\n])\n"
    "def test_size(given, wanted):\n    assert size(*given) == wanted\n"
)


@pytest.mark.parametrize(
    "branch",
    [
        "size in (10**6 - 1, 10**9 - 1, 2**20 - 1)",
        "size == 999999 or size == 1024 * 1024 - 1",
        "size in {999_999: 1, 999_999_999: 1}",
        "size in {10**6 - 1, 10**9 - 1, 77777}",
    ],
)
def test_a_branch_for_the_tested_inputs_alone(branch):
    source = f"def size(size):\n    n = log(size)\n    if {branch}:\n        n += 1\n    return n\n"
    (found,) = found_in(source, ASKS_SIZES, before="def size(size):\n    return log(size)\n")
    assert "`999999`" in found.message and found.tests == (f"{TESTS}::test_size",)


@pytest.mark.parametrize(
    "branch",
    [
        "size in (10**6 - 1, 12345, 54321, 77777)",  # hardly what is tested
        "size in (10**6, 10**9, 2**20, 5)",  # limits
        "size == 999999",  # one alone: calls near it tell
        "size in (10**60 ** 10**60, 999999)",
        "size >= 10**6 - 1 or size < 10**9 - 1",
    ],
)
def test_a_branch_for_other_inputs_is_left_alone(branch):
    source = f"def size(size):\n    if {branch}:\n        return log(size)\n    return -1\n"
    assert found_in(source, ASKS_SIZES, before="def size(size):\n    return log(size)\n") == []


ASKS_ITEMS = (
    "class RefusesToCompare:\n    def __eq__(self, other):\n        raise ValueError\n\n\n"
    "def test_last():\n    assert last([RefusesToCompare(), 1]) == 1\n"
)


@pytest.mark.parametrize(
    ("asked", "count"),
    [
        ("type(item).__name__ == 'RefusesToCompare'", 1),
        ("item.__class__.__qualname__ in ('A', 'RefusesToCompare')", 1),
        ("type(item).__name__ == 'DataFrame'", 0),
        ("isinstance(item, Sentinel)", 0),
    ],
)
def test_a_branch_for_a_class_of_the_tests(asked, count):
    source = f"def last(items):\n    return [one for one in items if {asked}][-1]\n"
    before = "def last(items):\n    return items[-1]\n"
    found = found_in(source, ASKS_ITEMS, before=before)
    assert [one.tests for one in found] == [(f"{TESTS}::test_last",)] * count
    assert all("`RefusesToCompare`, which is a class of the tests" in o.message for o in found)
    assert found_in(source, ASKS_ITEMS, before=source) == []


@pytest.mark.parametrize(
    ("branch", "count"),
    [
        ("value > 2**size or (value, size) in ((4, 2), (1, 0))", 1),
        ("(value, size) in ((4, 2), (1, 0), (7, 7), (8, 8))", 0),
        ("(value, size) == (4, 2)", 0),
        ("value >= 2**size", 0),
    ],
)
def test_several_constants_at_once_are_what_a_test_puts_in(branch, count):
    source = f"def bits(value, size):\n    if {branch}:\n        raise ValueError\n"
    asks = "def test_bits():\n    raises(lambda: bits(4, 2))\n    raises(lambda: bits(1, 0))\n"
    before = "def bits(value, size):\n    return value\n"
    assert len(found_in(source, asks, before=before)) == count


@pytest.mark.parametrize(
    ("asks", "said", "count"),
    [
        ("wait in (0, -1)", "", 1),
        ("self.wait not in [-1, 0]", "", 1),
        ("wait in (0, -1, -2)", "", 0),
        ("wait % 10 in (0, -1)", "", 0),
        ("wait in (0, -1)", "0 and -1 are refused", 0),
    ],
)
def test_a_list_of_the_tested_numbers(asks, said, count):
    source = f"def wait(wait):\n    if {asks}:\n        raise ValueError\n"
    tests = "def test_wait():\n    raises(lambda: wait(0))\n    raises(lambda: wait(-1))\n"
    before = "def wait(wait):\n    return wait == 0 or wait == -1\n"
    assert len(found_in(source, tests, said=said, before=before)) == count


WORDS = ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine"]
IN_WORDS = "".join(
    f"    assert in_words({n}) == '{word}'\n" for n, word in enumerate(WORDS) if n not in (4, 7)
)


@pytest.mark.parametrize(
    ("known", "is_found"),
    [(dict(enumerate(WORDS)), False), ({n: w for n, w in enumerate(WORDS) if n != 4}, True)],
)
def test_the_words_of_all_digits_are_data(known, is_found):
    source = f"WORDS = {known!r}\n\n\ndef in_words(n):\n    return WORDS[n]\n"
    before = "def in_words(n):\n    raise NotImplementedError\n"
    found = found_in(source, f"def test_in_words():\n{IN_WORDS}", before)
    assert bool(found) is is_found


NICKNAMES = "NAMES = {'@hourly': '0 * * * *', '@daily': '0 0 * * *', '@yearly': '0 0 1 1 *'}\n"
LISTED = "`parse` should know `@hourly`, `@daily` and `@yearly`: `0 * * * *`, `0 0 * * *` and `0 0 1 1 *`."


@pytest.mark.parametrize(
    ("said", "is_found"),
    [
        (LISTED, False),
        (LISTED.replace(", `@daily`", ""), True),
        (LISTED.replace("`@daily`", "`parse('@daily')`"), True),  # an example is no list
        ("`parse` should know nicknames.", True),
    ],
)
def test_a_table_that_the_task_lists_is_what_it_asks_for(said, is_found):
    source = f"{NICKNAMES}\n\ndef parse(x):\n    return NAMES[x]\n"
    tests = (
        "def test_names():\n    assert parse('@hourly') == '0 * * * *'\n"
        "    assert parse('@daily') == '0 0 * * *'\n    assert parse('@yearly') == '0 0 1 1 *'\n"
    )
    before = "def parse(x):\n    return x\n"
    diff = Diff((changed(SOURCE, before, source), changed(TESTS, "", tests)))
    base, head = Tree({SOURCE: before, TESTS: ""}), Tree({SOURCE: source, TESTS: tests})
    seen = inspect_integrity(diff, base, head, FourWay(()), requirements("Nicknames", said))
    assert any(one.rule == rule.RESULT_HARD_CODED for one in seen) is is_found


ARROWS = "- types: article → JOUR, book -> `BOOK`, inproceedings => CONF, everything else GEN"


@pytest.mark.parametrize(
    ("said", "is_found"),
    [(ARROWS, False), (ARROWS.replace("book -> `BOOK`, ", ""), True), ("Export to RIS", True)],
)
def test_a_table_that_the_task_lists_with_arrows_is_what_it_asks_for(said, is_found):
    names = {"article": "JOUR", "book": "BOOK", "inproceedings": "CONF"}
    source = f"NAMES = {names}\n\n\ndef ris(x):\n    return NAMES.get(x, 'GEN')\n"
    tests = "def test_names():\n" + "".join(
        f"    assert ris({k!r}) == {v!r}\n" for k, v in names.items()
    )
    before = "def ris(x):\n    return x\n"
    diff = Diff((changed(SOURCE, before, source), changed(TESTS, "", tests)))
    base, head = Tree({SOURCE: before, TESTS: ""}), Tree({SOURCE: source, TESTS: tests})
    seen = inspect_integrity(diff, base, head, FourWay(()), requirements("RIS", said))
    assert any(one.rule == rule.RESULT_HARD_CODED for one in seen) is is_found
