"""Impact of a diff and places of a requirement, on facts that the real parser read."""

from __future__ import annotations

import difflib
from collections.abc import Mapping

import pytest

from bot.evidence.code_map.impact import changed_symbols, impact, unreached, untouched
from bot.evidence.code_map.index import CodeIndex
from bot.evidence.code_map.locate import locate
from bot.values import (
    Category,
    CodePlace,
    Decider,
    Impact,
    Located,
    LocatedPlace,
    Requirement,
    Trust,
    Verdict,
    VerdictOutcome,
)
from bot.verdict.outcome import with_places
from sandbox.code_map.code import read_facts
from sandbox.code_map.facts import Code, SourceFile
from sandbox.code_map.inside.parse import read
from sandbox.code_map.inventory import language_of
from sandbox.values import ChangeStatus, Diff, FileChange, Hunk

PYTHON = {
    "src/tally/__init__.py": "from tally.amounts import parse_amount\n",
    "src/tally/amounts.py": (
        "LIMIT = 3\n\ndef parse_amount(text):\n    return int(text)\n\n"
        "def format_amount(cents):\n    return str(cents)\n"
    ),
    "src/tally/invoice.py": (
        "from tally import parse_amount\n\nclass Invoice:\n    def total(self, rows):\n"
        "        return sum(parse_amount(row) for row in rows)\n"
    ),
    "src/other/shapes.py": "def parse_amount(shape):\n    return shape\n\nparse_amount(1)\n",
    "src/other/use.py": "from other.shapes import parse_amount\n\ndef area():\n    return parse_amount(2)\n",
    "tests/test_amounts.py": (
        "from tally.amounts import parse_amount\n\ndef test_parse():\n    assert parse_amount('1') == 1\n"
    ),
    "tests/test_invoice.py": (
        "from tally.invoice import Invoice\n\ndef test_total():\n    assert Invoice().total(['1']) == 1\n"
    ),
}
SCRIPT = {
    "src/amounts.ts": "export function parseAmount(text: string) {\n  return Number(text);\n}\n",
    "src/invoice.ts": (
        "import { parseAmount } from './amounts';\nexport const total = (rows: string[]) =>\n"
        "  rows.map(parseAmount);\n"
    ),
    "test/invoice.test.ts": (
        "import { total } from '../src/invoice';\ntest('sums', () => {\n  total(['1']);\n});\n"
    ),
}
GO = {
    "money/amounts.go": "package money\n\nfunc Parse(text string) int {\n\treturn 1\n}\n",
    "shop/bill.go": (
        'package shop\nimport "example.com/x/money"\n\nfunc Total() int {\n\treturn money.Parse("1")\n}\n'
    ),
    "json/parse.go": "package json\n\nfunc Parse(text string) int {\n\treturn 2\n}\n",
}


def files(texts: Mapping[str, str]) -> tuple[SourceFile, ...]:
    found = []
    for path, text in texts.items():
        facts = read_facts(read(text.encode(), language_of(path)))
        assert facts is not None
        found.append(SourceFile(path, language_of(path), facts))
    return tuple(found)


def edited(path: str, line: int) -> Diff:
    hunk = Hunk(line, 1, line, 1, ("-old", "+new"))
    return Diff((FileChange(path, ChangeStatus.MODIFIED, None, (hunk,)),))


def of(texts: Mapping[str, str], diff: Diff, base: Mapping[str, str] | None = None) -> Impact:
    code = Code(files(texts if base is None else base), files(texts))
    return impact(code, changed_symbols(code, diff), CodeIndex(code.head))


@pytest.mark.parametrize(
    ("texts", "diff", "symbol", "callers", "tests"),
    [
        (
            PYTHON,
            edited("src/tally/amounts.py", 4),
            "src/tally/amounts.py: parse_amount",
            ["src/tally/invoice.py: total"],
            ["tests/test_amounts.py: test_parse", "tests/test_invoice.py: test_total"],
        ),
        (
            SCRIPT,
            edited("src/amounts.ts", 2),
            "src/amounts.ts: parseAmount",
            ["src/invoice.ts: total"],
            ["test/invoice.test.ts:3"],
        ),
        (GO, edited("money/amounts.go", 4), "money/amounts.go: Parse", ["shop/bill.go: Total"], []),
    ],
    ids=["python", "typescript", "go"],
)
def test_a_changed_symbol_names_its_callers_and_tests(
    texts: Mapping[str, str], diff: Diff, symbol: str, callers: list[str], tests: list[str]
) -> None:
    (found,) = of(texts, diff).symbols
    assert (found.place.words, found.how) == (symbol, "changed")
    assert [place.words for place in found.callers] == callers
    assert [place.words for place in found.tests] == tests


def test_a_removed_symbol_is_told_with_those_who_still_use_it() -> None:
    path = "src/tally/amounts.py"
    head = {**PYTHON, path: "def format_amount(cents):\n    return str(cents)\n"}
    gone = Hunk(1, 5, 1, 0, ("-LIMIT = 3", "-", "-def parse_amount(text):", "-    …", "-"))
    diff = Diff((FileChange(path, ChangeStatus.MODIFIED, None, (gone,)),))
    found = {one.place.name: one for one in of(head, diff, base=PYTHON).symbols}
    assert found["parse_amount"].how == "removed"
    assert "format_amount" not in {n for n, one in found.items() if one.how == "removed"}


def test_variants_of_one_function_use_what_changed_once() -> None:
    variants = "if n:\n    def ask():\n        own()\nelse:\n    def ask():\n        return own()\n"
    texts = {"a.py": f"def own():\n    return 1\n\n\n{variants}"}
    (found,) = of(texts, edited("a.py", 2)).symbols
    assert ([one.words for one in found.callers], found.caller_count) == (["a.py: ask"], 1)


def test_a_change_of_tests_only_has_no_impact() -> None:
    assert of(PYTHON, edited("tests/test_amounts.py", 4)) == Impact(())


def test_a_large_diff_is_capped_and_counted() -> None:
    many = "".join(f"def f{n}():\n    return {n}\n" for n in range(100))
    hunk = Hunk(1, 0, 1, 200, tuple(f"+{line}" for line in many.splitlines()))
    diff = Diff((FileChange("a.py", ChangeStatus.ADDED, None, (hunk,)),))
    found = of({"a.py": many}, diff, base={})
    assert len(found.symbols) == 60 and found.left_out == 40
    assert {one.how for one in found.symbols} == {"added"}


@pytest.mark.parametrize(
    ("text", "place", "reason"),
    [
        ("`format_amount` pads cents", "src/tally/amounts.py: format_amount", "named in"),
        ("The total of an invoice is rounded", "src/tally/invoice.py: total", "“total”"),
        ("Amounts are formatted with two digits", "src/tally/amounts.py: format_amount", "shares"),
        ("Fix src/other/use.py please", "src/other/use.py: area", "its file is named"),
    ],
)
def test_a_requirement_is_located_with_a_reason(text: str, place: str, reason: str) -> None:
    found = locate(text, CodeIndex(files(PYTHON)))
    assert found[0].place.words == place
    assert reason in found[0].reason


def test_what_shares_no_word_is_located_nowhere() -> None:
    assert locate("The documentation mentions Kubernetes", CodeIndex(files(PYTHON))) == ()


def test_of_equals_the_changed_one_comes_first() -> None:
    code = Code(files(PYTHON), files(PYTHON))
    changed = changed_symbols(code, edited("src/tally/amounts.py", 4))
    found = locate("`parse_amount` takes commas", CodeIndex(code.head), changed)
    assert found[0].place.path == "src/tally/amounts.py"
    assert found[0].reason.endswith("this pull request changes it")
    assert found[1].place.path == "src/other/shapes.py"


def test_methods_of_one_name_are_one_place() -> None:
    twice = "class {}:\n    def read_rows(self):\n        return 1\n\n\n"
    text = twice.format("One") + twice.format("Two")
    found = locate("`read_rows` takes commas", CodeIndex(files({"a.py": text, "b.py": text})))
    assert [one.place.words for one in found] == ["a.py: read_rows", "b.py: read_rows"]


DEMAND = Requirement("R1", "`format_amount` pads", Category.BEHAVIOUR, "issue #1", Trust.ASKER)


@pytest.mark.parametrize("outcome", VerdictOutcome)
def test_a_place_never_changes_an_outcome(outcome: VerdictOutcome) -> None:
    located = (Located("R1", locate(DEMAND.text, CodeIndex(files(PYTHON)))),)
    given = Verdict("R1", outcome, Decider.NOBODY, "No test.", next_step="Add one.")
    found = with_places(given, DEMAND, located)
    assert (found.outcome, found.decided_by, found.next_step) == (
        outcome,
        Decider.NOBODY,
        "Add one.",
    )
    if outcome is VerdictOutcome.UNVERIFIED:
        assert "Look at `src/tally/amounts.py: format_amount` (named in" in found.reason
    else:
        assert found == given


def test_a_place_that_shares_one_word_of_many_is_not_named() -> None:
    place = LocatedPlace(CodePlace("module.c", 3, "EnableRef"), 0.22, "shares “Enable” with it")
    given = Verdict("R1", VerdictOutcome.UNVERIFIED, Decider.NOBODY, "No test.")
    assert with_places(given, DEMAND, (Located("R1", (place,)),)) == given


@pytest.mark.parametrize(
    ("line", "names", "found"),
    [
        (4, ("parse_amount", "format_amount"), [("format_amount", "parse_amount")]),
        (4, ("format_amount", "parse_amount", "total"), [("format_amount", "parse_amount")]),
        (4, ("parse_amount", "total"), []),  # by its import
        (4, ("total", "Invoice"), []),
        (4, ("format_amount", "nothing"), []),
        (7, ("format_amount", "area"), [("area", "format_amount")]),
        (1, ("parse_amount", "format_amount"), []),  # a value of the whole file
    ],
)
def test_what_a_change_does_not_reach_is_told_with_what_it_does(
    line: int, names: tuple[str, ...], found: list[tuple[str, str]]
) -> None:
    code = files(PYTHON)
    diff, index = edited("src/tally/amounts.py", line), CodeIndex(code)
    changed = changed_symbols(Code(code, code), diff)

    assert list(untouched([names], changed, diff, index)) == found


STOCK = """class Stock:
    def __init__(self):
        self.items = {}

    def take(self, name):
        self.items[name] -= self.count(name)

    def count(self, name):
        return self.items.get(name, 0)
"""
KEEPS = ("        self.items = {}\n", "        self.items = {}\n        self.held = {}\n")
RESERVES = (
    "    def count",
    "    def reserve(self, name):\n        self.held[name] = 1\n\n    def count",
)


@pytest.mark.parametrize(
    ("edits", "names", "found"),
    [
        ([KEEPS, RESERVES], ["take"], ["take"]),
        ([KEEPS, RESERVES], ["reserve", "Stock", "nothing"], []),
        ([("self.items = {}", "self.items = Counter()"), RESERVES], ["take"], []),  # what it reads
        ([("name, 0)", "name, 1)")], ["take"], []),  # what it calls
        ([("-= self", "= self")], ["take"], []),
        ([("class Stock:\n", "class Stock:\n    most = 3\n\n")], ["take"], []),  # the class itself
        ([("class Stock:\n", "set_up()\n\n\nclass Stock:\n")], ["take"], []),  # the file
    ],
)
def test_a_function_is_told_that_a_change_does_not_reach(
    edits: list[tuple[str, str]], names: list[str], found: list[str]
) -> None:
    text = STOCK
    for old, new in edits:
        assert old in text
        text = text.replace(old, new)
    base, head = files({"shop/stock.py": STOCK}), files({"shop/stock.py": text})
    lines = [*difflib.unified_diff(STOCK.splitlines(), text.splitlines(), n=99)][3:]
    counts = len(STOCK.splitlines()), len(text.splitlines())
    hunk = Hunk(1, counts[0], 1, counts[1], tuple(lines))
    diff = Diff((FileChange("shop/stock.py", ChangeStatus.MODIFIED, hunks=(hunk,)),))
    changed = changed_symbols(Code(base, head), diff)
    assert list(unreached(names, changed, diff, CodeIndex(head))) == found
