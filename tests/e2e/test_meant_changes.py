"""Behavior that is meant to change: what the issue shows or allows is accepted, and nothing beside it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.bot.commands.running import assay
from tests.e2e.folder import Files, Folder, Judged, open_folder

pytestmark = [pytest.mark.real, pytest.mark.slow]

SLUG = "def slugify(text):\n    return text.lower().replace(' ', '{mark}')\n\n\n{rest}"
REST = "def digest(text):\n    return sum(map(ord, text))\n"
TESTS = (
    "import pytest\n\nimport slug\n\n\n"
    "def test_words():\n    assert slug.slugify('Hello World') == 'hello-world'\n\n\n"
    "@pytest.mark.parametrize(('text', 'wanted'), [('a', 'a'), ('A B', 'a-b')])\n"
    "def test_table(text, wanted):\n    assert slug.slugify(text) == wanted\n\n\n"
    "def test_digest_of_words():\n    assert slug.digest('ab') == 195\n\n\n"
    "def test_plain():\n    assert slug.slugify('one') == 'one'\n"
)
BASE: Files = {
    "slug.py": SLUG.format(mark="-", rest=REST),
    "tests/test_slug.py": TESTS,
    "requirements.txt": "pytest\n",
}
ISSUE = (
    "Underscores, please\n\n"
    '``slugify("Hello World")`` should give ``hello_world``, and `slugify("A B")` should return `a_b`.\n'
)
SNAKE = SLUG.format(mark="_", rest=REST)
EXACT = TESTS.replace("'hello-world'", "'hello_world'").replace("'a-b'", "'a_b'")
MORE = "    assert slug.slugify('x') != 'y'\n"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Folder:
    opened = open_folder(tmp_path_factory.mktemp("meant"))
    opened.repository.commit({"shop.py": None, "tests/test_shop.py": None, **BASE})
    return opened


def judge(folder: Folder, name: str, source: str, tests: str, task: str = ISSUE) -> Judged:
    return folder.judge(
        folder.branch(name, {"slug.py": source, "tests/test_slug.py": tests}), task=task
    )


def test_an_expectation_that_became_what_the_issue_shows(folder: Folder) -> None:
    judged = judge(folder, "exact", SNAKE, EXACT)
    assert judged.conclusion == "success", judged.said()
    assert "`tests/test_slug.py::test_words` expects now what" in judged.said()
    assert "gives `hello_world`" in judged.said()


def test_the_terminal_names_the_test(folder: Folder) -> None:
    head = folder.branch("shown", {"slug.py": SNAKE, "tests/test_slug.py": EXACT})
    task = folder.settings.home.parent / "task.md"
    task.write_text(ISSUE)
    tree, home = str(folder.repository.folder), folder.settings.home
    done = assay(home, "judge", tree, "--base", "main", "--head", head, "--task", str(task))
    assert done.returncode == 0, done.stdout + done.stderr
    assert "test_slug.py::test_words` expects now what" in " ".join(done.stdout.split())


def test_a_renamed_test_whose_expectation_became_what_the_issue_shows(folder: Folder) -> None:
    """It is known by its other lines."""
    more = "".join(
        f"    assert slug.slugify('{one}') == '{one}'\n" for one in ("one", "two", "six")
    )
    before, after = (one.replace("words():\n", f"words():\n{more}", 1) for one in (TESTS, EXACT))
    base = folder.branch("long", {"tests/test_slug.py": before})
    change = {"slug.py": SNAKE, "tests/test_slug.py": after.replace("test_words", "test_joined")}
    folder.branch("long-renamed", change, base)
    judged = folder.judge("long-renamed", base=base, task=ISSUE)
    assert judged.conclusion == "success", judged.said()


@pytest.mark.parametrize(
    ("name", "mark", "tests"),
    [
        (
            "another-result",
            ".",
            TESTS.replace("'hello-world'", "'hello.world'").replace("a-b", "a.b"),
        ),
        (
            "one-more-edit",
            "_",
            EXACT.replace("words():\n", "words():\n    assert slug.slugify('x') != 'y'\n"),
        ),
        ("one-is-not-shown", "_", EXACT.replace("'A B'", "'A C'").replace("'a_b'", "'a_c'")),
        ("a-digest", "_", EXACT.replace("195", "196")),
    ],
)
def test_an_expectation_that_became_anything_else(
    folder: Folder, name: str, mark: str, tests: str
) -> None:
    rest = REST.replace("ord, text)", "ord, text), 1") if name == "a-digest" else REST
    judged = judge(folder, name, SLUG.format(mark=mark, rest=rest), tests)
    assert judged.conclusion != "success", judged.said()


def test_a_test_that_is_named_and_expects_another_result(folder: Folder) -> None:
    """The issue's title names the test, so by its words alone anything in it would be asked for."""
    task = "`test_words`: underscores\n\n`slugify('Hello World')` should give `hello_world`.\n"
    tests = TESTS.replace("hello-world", "hello.world").replace("('A B', 'a-b')", "('A', 'a')")
    before = TESTS.replace("('A B', 'a-b')", "('A', 'a')")
    base = folder.branch("named", {"tests/test_slug.py": before})
    wrong = {"slug.py": SLUG.format(mark=".", rest=REST), "tests/test_slug.py": tests}
    folder.branch("named-wrong", wrong, base)
    judged = folder.judge("named-wrong", base=base, task=task)
    assert judged.conclusion == "failure", judged.said()
    assert "shows that `slugify('Hello World')` gives `hello_world`" in judged.said()


def test_a_loosened_assertion_is_a_finding_whatever_the_issue_shows(folder: Folder) -> None:
    loose = TESTS.replace("== 'hello-world'", "!= ''").replace("'a-b'", "'a_b'")
    judged = judge(folder, "loose", SNAKE, loose)
    assert judged.conclusion == "failure", judged.said()
    assert {"assertion-loosened"} & {found.rule for found in judged.document.integrity}


MAY = "Sum up from one\n\n- [ ] `digest` of words counts from one\n\n{sentence}\n"
ALLOWS = "The test which pins the exact digest values may change."
COUNTED = SLUG.format(mark="-", rest=REST.replace("ord, text)", "ord, text), 1"))
PINNED = TESTS.replace("195", "196")


def test_a_sentence_that_permits(folder: Folder) -> None:
    judged = judge(folder, "permitted", COUNTED, PINNED, MAY.format(sentence=ALLOWS))
    assert judged.conclusion == "success", judged.said()
    assert "`tests/test_slug.py::test_digest_of_words` expects was changed" in judged.said()
    assert "may change" in judged.said()


LONG = "Long texts\n\n- [ ] `digest` of ten letters and more is one more than their sum\n\n{sentence}\n"
LONGER = SLUG.format(mark="-", rest=REST.replace("ord, text)", "ord, text), len(text) > 9"))
OF_TEN = f"{TESTS}\n\ndef test_digest_of_letters():\n    assert slug.digest('0' * 10) == 480\n"
OF_NINE = OF_TEN.replace("10) == 480", "9) == 432") + (
    "\n\ndef test_digest_of_ten_letters_and_more():\n"
    "    assert slug.digest('0' * 10) == 481\n    assert slug.digest('1' * 12) == 589\n"
)


@pytest.mark.parametrize(
    ("sentence", "wanted"),
    [("The tests which expect letters of ten may change.", "success"), ("", "failure")],
)
def test_a_permitted_test_may_expect_what_both_sides_give(
    folder: Folder, sentence: str, wanted: str
) -> None:
    base = folder.branch(f"ten-{wanted}", {"tests/test_slug.py": OF_TEN})
    change = {"slug.py": LONGER, "tests/test_slug.py": OF_NINE}
    folder.branch(f"nine-{wanted}", change, base)
    judged = folder.judge(f"nine-{wanted}", base=base, task=LONG.format(sentence=sentence))
    assert judged.conclusion == wanted, judged.said()


SILENT = "A new start\n\n- [ ] The project is nice\n\n{sentence}\n"


@pytest.mark.parametrize(
    "sentence",
    [
        "",
        "The test which pins the digest must not change.",
        "Tests may change.",
        "The test of the parser may change.",
        "> The test which pins the exact digest values may change.",
    ],
)
def test_no_sentence_permits(folder: Folder, sentence: str) -> None:
    name = f"silent-{abs(hash(sentence))}"
    judged = judge(folder, name, COUNTED, PINNED, SILENT.format(sentence=sentence))
    assert judged.conclusion != "success", judged.said()
    assert "digest_of_words` expects" in judged.said()


def test_an_author_cannot_permit(folder: Folder) -> None:
    """The words of the pull request are not the task's."""
    folder.branch("own-words", {"slug.py": COUNTED, "tests/test_slug.py": PINNED})
    folder.repository.git("commit", "--quiet", "--amend", "-m", f"Start the sum at one\n\n{ALLOWS}")
    judged = folder.judge("own-words", task="")
    assert "allows it" not in judged.said()
    assert not [r for r in judged.document.reasons if "may change" in r.text]


def test_a_permission_does_not_let_a_test_get_weaker(folder: Folder) -> None:
    weak = TESTS.replace("slug.digest('ab') == 195", "slug.digest('ab')")
    judged = judge(folder, "weak", COUNTED, weak, MAY.format(sentence=ALLOWS))
    assert judged.conclusion == "failure", judged.said()


def test_a_test_that_may_go(folder: Folder) -> None:
    skipped = TESTS.replace("def test_digest", "@pytest.mark.skip\ndef test_digest")
    task = ISSUE + "\nThe test of the digest may be skipped.\n"
    skipping = skipped.replace("'hello-world'", "'hello_world'").replace("'a-b'", "'a_b'")
    judged = judge(folder, "goes", SNAKE, skipping, task)
    assert judged.conclusion == "success", judged.said()


PRICE = "def price(cents):\n    if cents < 0:\n        {negative}\n    return {times}cents\n"
REFUSED = "    with pytest.raises(ValueError):\n        till.price(-1)\n"
TILL: Files = {
    "till.py": PRICE.format(negative="raise ValueError('negative')", times=""),
    "tests/test_till.py": (
        f"import pytest\n\nimport till\n\n\ndef test_price_refuses_negative_cents():\n{REFUSED}\n\n"
        "def test_zero():\n    assert till.price(0) == 0\n"
    ),
}
DOUBLED = (
    "import till\n\n\ndef test_price_returns_twice_the_cents():\n"
    "    assert till.price(4) == 8\n    assert till.price(7) == 14\n"
)


@pytest.mark.parametrize(
    ("asked", "conclusion"),
    [
        ("`price` returns twice the cents", "action_required"),
        ("`price` returns twice the cents, and 0 for negative ones instead of an error", "success"),
    ],
)
def test_a_test_of_something_else_that_the_demand_touches_by_the_way(
    folder: Folder, asked: str, conclusion: str
) -> None:
    """Both are about the cents of `price`: it was "All 2 requirements met"."""
    base = folder.branch(f"till-{conclusion}", TILL)
    change: Files = {
        "till.py": PRICE.format(negative="return 0", times="2 * "),
        "tests/test_till.py": str(TILL["tests/test_till.py"]).replace(
            REFUSED, "    assert till.price(-1) == 0\n"
        ),
        "tests/test_double.py": DOUBLED,
    }
    folder.branch(f"till-changed-{conclusion}", change, base)
    task = f"Prices\n\n- [ ] {asked}\n"
    judged = folder.judge(f"till-changed-{conclusion}", base=base, task=task)
    assert judged.conclusion == conclusion, judged.said()


SCRIPT: Files = {
    "package.json": '{"name": "slug", "version": "1.0.0", "scripts": {"test": "node --test"}}\n',
    "slug.js": "exports.slugify = (text) => text.toLowerCase().replaceAll(' ', '-');\n",
    "test/slug.test.js": (
        "const test = require('node:test');\nconst assert = require('node:assert');\n"
        "const { slugify } = require('../slug');\n\n"
        "test('joins words', () => {\n  assert.strictEqual(slugify('Hello World'), 'hello-world');\n});\n\n"
        "test('keeps one word', () => {\n  assert.strictEqual(slugify('one'), 'one');\n});\n"
    ),
}


@pytest.fixture(scope="module")
def script(tmp_path_factory: pytest.TempPathFactory) -> Folder:
    opened = open_folder(tmp_path_factory.mktemp("script"))
    gone = dict.fromkeys(("shop.py", "tests/test_shop.py", "requirements.txt"))
    opened.repository.commit({**gone, **SCRIPT})
    return opened


@pytest.mark.parametrize(
    ("mark", "expected", "conclusion"),
    [("_", "hello_world", "success"), (".", "hello.world", "failure")],
)
def test_an_expectation_in_javascript(
    script: Folder, mark: str, expected: str, conclusion: str
) -> None:
    files = {
        "slug.js": str(SCRIPT["slug.js"]).replace("'-'", f"'{mark}'"),
        "test/slug.test.js": str(SCRIPT["test/slug.test.js"]).replace("hello-world", expected),
    }
    task = 'Underscores\n\n`slugify("Hello World")` should give `hello_world`.\n'
    judged = script.judge(script.branch(f"script-{expected}", files), task=task)
    assert judged.conclusion == conclusion, judged.said()
    assert ("expects now what" in judged.said()) is (conclusion == "success")


SENDING: Files = {
    **SCRIPT,
    "send.js": "exports.send = (text) => ({ text, coding: 'gzip' });\n",
    "test/send.test.js": (
        "const test = require('node:test');\nconst assert = require('node:assert');\n"
        "const { send } = require('../send');\n\n"
        "test('compresses a reply', () => {\n  const text = 'ab';\n"
        "  const reply = send(text);\n  assert.strictEqual(reply.text, text);\n"
        "  assert.strictEqual(reply.coding, 'gzip');\n});\n"
    ),
}
PLAIN = "`send` leaves a reply plain, which it compresses today"


@pytest.mark.parametrize(
    ("asked", "title", "expected", "conclusion"),
    [
        (PLAIN, "leaves a reply plain", "reply.coding, 'none'", "success"),
        (PLAIN, "leaves a reply plain", "reply.text, 'ab'", "failure"),
        ("`send` tells the length", "tells the length", "reply.length, 2", "action_required"),
    ],
)
def test_a_test_that_changes_its_title_and_what_it_expects(
    script: Folder, asked: str, title: str, expected: str, conclusion: str
) -> None:
    """The task has to name what base's test is about, too: the new title is the author's own."""
    base = script.branch(f"sends-{conclusion}", SENDING)
    tests = str(SENDING["test/send.test.js"]).replace("compresses a reply", title)
    change = {
        "send.js": "exports.send = (text) => ({ text, coding: 'none', length: text.length });\n",
        "test/send.test.js": tests.replace("reply.coding, 'gzip'", expected),
    }
    script.branch(f"plain-{conclusion}", change, base)
    judged = script.judge(f"plain-{conclusion}", base=base, task=f"Replies\n\n- [ ] {asked}\n")
    assert judged.conclusion == conclusion, judged.said()
    asks = "changes what `test/send.test.js::compresses a reply` expects"
    assert (asks in judged.said()) is (conclusion == "action_required")


def test_an_author_alone_puts_no_test_in_another_ones_place(script: Folder) -> None:
    base = script.branch("sends-alone", SENDING)
    tests = str(SENDING["test/send.test.js"]).replace("compresses a reply", "leaves a reply plain")
    change: Files = {
        "send.js": str(SENDING["send.js"]).replace("'gzip'", "'none'"),
        "test/send.test.js": tests.replace("reply.coding, 'gzip'", "reply.coding, 'none'"),
    }
    script.branch("plain-alone", change, base)
    script.repository.git("commit", "--quiet", "--amend", "-m", PLAIN)
    judged = script.judge("plain-alone", base=base, task="")
    assert judged.conclusion == "action_required", judged.said()
    assert "changes what `test/send.test.js::compresses a reply` expects" in judged.said()


EACH_HAS_A_TEST = (
    "import pathlib\n\n\ndef test_every_module_has_its_test():\n"
    "    here = pathlib.Path(__file__).parent\n"
    "    tested = {path.stem.removeprefix('test_') for path in here.glob('test_*.py')}\n"
    "    assert {path.stem for path in here.parent.glob('*.py')} <= tested\n"
)
BASKET: Files = {
    "basket.py": "def total(prices):\n    return sum(prices)\n",
    "tests/helper.py": "PRICES = (1, 2)\n",
    "tests/test_basket.py": (
        "import basket\nfrom helper import PRICES\n\n\ndef test_total_adds_prices():\n"
        "    assert basket.total(PRICES) == 3\n"
    ),
}
BASKETS = "Baskets\n\n- [ ] `total` adds prices\n"


def test_a_test_that_looks_for_new_tests_expects_nothing_else(folder: Folder) -> None:
    folder.branch("mapped", {"tests/test_map.py": EACH_HAS_A_TEST})
    head = folder.branch("basket", BASKET, "mapped")
    judged = folder.judge(head, base="mapped", task=BASKETS)
    assert judged.conclusion == "success", judged.said()


def test_new_tests_excuse_nothing_that_support_changes(folder: Folder) -> None:
    most = "import pytest\n\n\n@pytest.fixture\ndef most():\n    return 195\n"
    low = "import slug\n\n\ndef test_digest_is_low(most):\n    assert slug.digest('ab') <= most\n"
    folder.branch("low", {"tests/conftest.py": most, "tests/test_low.py": low})
    more = SLUG.format(mark="-", rest=REST.replace("text))", "text)) + 1"))
    files = {**BASKET, "slug.py": more, "tests/conftest.py": most.replace("195", "999")}
    judged = folder.judge(folder.branch("more", files, "low"), base="low", task=BASKETS)
    assert judged.conclusion != "success", judged.said()
    assert "test_digest_is_low" in judged.said()


COMMON = (
    "const test = require('node:test');\nconst assert = require('assert');\n"
    "const half = require('..');\n"
)
MODULE = "import test from 'node:test';\nimport assert from 'node:assert';\nimport half from '../index.js';\n"
HALF = "\ntest('half', () => {\n  assert.strictEqual(half(4), 2);\n});\n"


READ = "reads as on base, but base's version of the file"


@pytest.mark.parametrize(
    ("edited", "conclusion", "said"),
    [
        (HALF, "action_required", READ),
        (
            HALF + HALF.replace("'half'", "'half of 6'").replace("4), 2", "6), 3"),
            "action_required",
            READ,
        ),
        ("\nassert.strictEqual = () => {};\n" + HALF, "failure", ""),
        (HALF.replace(", 2);", ", 2, 'a half');"), "failure", ""),
    ],
    ids=["imports alone", "beside a new test", "beside what turns its checks off", "more"],
)
def test_other_imports_are_no_other_expectation(
    tmp_path: Path, edited: str, conclusion: str, said: str
) -> None:
    manifest = {
        "name": "half",
        "version": "1.0.0",
        "scripts": {"test": "node --test test/*.test.js"},
    }
    base = {
        "package.json": json.dumps(manifest),
        "index.js": "module.exports = number => number / 2;\n",
        "test/half.test.js": COMMON + HALF,
    }
    head = {
        "package.json": json.dumps({**manifest, "type": "module"}),
        "index.js": "export default number => number / 2;\n",
        "test/half.test.js": MODULE + edited,
    }
    opened = open_folder(tmp_path, base)
    judged = opened.judge(opened.branch("modules", head), task="Move to modules\n")
    assert judged.conclusion == conclusion, judged.said()
    assert (f"`test/half.test.js::half` {READ}" in judged.said()) is bool(said), judged.said()


INVOICE = (
    "def render(invoice):\n"
    "    lines = [f\"Invoice {invoice['number']}\", {date}, {total}]\n"
    "    return '\\n'.join(lines)\n"
)
DATE, TOTAL = "f\"Date: {invoice['date']}\"", "f\"Total: {invoice['total']:.2f}\""
OF_INVOICE = (
    "from slug import digest, render\n\n\ndef test_digest():\n    assert digest('a') == 97\n\n\n"
    "def test_render():\n"
    "    invoice = {'number': 7, 'date': '2026-03-04', 'total': 12.5}\n"
    "    assert render(invoice) == 'Invoice 7\\nDate: 2026-03-04\\nTotal: 12.50'\n"
)
IN_EUR = TOTAL.replace(".2f}", ".2f} EUR")
OTHER_DATE = "f\"Date: {'.'.join(reversed(invoice['date'].split('-')))}\""
FEWER_DIGITS = IN_EUR.replace(".2f", ".1f")


@pytest.mark.parametrize(
    ("lines", "edits", "wanted"),
    [
        ((DATE, IN_EUR), {"12.50": "12.50 EUR"}, ""),
        (
            (OTHER_DATE, IN_EUR),
            {"12.50": "12.50 EUR", "Date: 2026-03-04": "Date: 04.03.2026"},
            "also changes `Date: 2026-03-04` to `Date: 04.03.2026`",
        ),
        (
            (DATE, FEWER_DIGITS),
            {"12.50": "12.5 EUR"},
            "also changes `Total: 12.50` to `Total: 12.5 EUR`",
        ),
    ],
)
def test_a_part_of_an_expectation_that_changes_beside_what_is_asked(
    folder: Folder, lines: tuple[str, str], edits: dict[str, str], wanted: str
) -> None:
    before = INVOICE.replace("{date}", DATE).replace("{total}", TOTAL)
    source = INVOICE.replace("{date}", lines[0]).replace("{total}", lines[1])
    before, source = (f"{one}\n\n{REST}" for one in (before, source))
    tests, name = OF_INVOICE, f"invoice-{len(wanted)}"
    for old, new in edits.items():
        tests = tests.replace(old, new)
    base = folder.branch(f"{name}-base", {"slug.py": before, "tests/test_slug.py": OF_INVOICE})
    folder.branch(name, {"slug.py": source, "tests/test_slug.py": tests}, base)
    task = "Currency on invoices\n\n- [ ] `render` writes `EUR` behind the total\n"
    judged = folder.judge(name, base=base, task=task)
    assert judged.conclusion == ("action_required" if wanted else "success"), judged.said()
    assert wanted in judged.said()
