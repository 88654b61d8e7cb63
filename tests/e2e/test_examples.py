"""What an issue shows by example is run on both sides, and binds whatever the author's tests say."""

from __future__ import annotations

import pytest

from bot.report.machine import EvidenceDocument
from tests.e2e.folder import Files, Folder, Judged, open_folder

pytestmark = [pytest.mark.real, pytest.mark.slow]

SPLIT = "def split(total, people):\n{guard}    each, rest = divmod(total, people)\n{body}"
BODY = "    return [each + (n < rest) for n in range(people)]\n"
BASE: Files = {
    "requirements.txt": "pytest\n",
    "tally/__init__.py": "",
    "tally/bill.py": SPLIT.format(guard="", body=BODY),
    "tally/other.py": "def twin():\n    return 1\n\n\nasync def later(n):\n    return n\n",
    "tally/more.py": "def twin():\n    return 2\n\n\ndef evens(n):\n    yield from range(0, n, 2)\n",
    "tally/__main__.py": (
        "import sys\n\nfrom tally.bill import split\n\nwords = sys.argv[1:] or sys.stdin.read().split()\n"
        "print(*split(*map(int, words)), sep='\\n')\n"
    ),
    "tally/slow.py": (
        "import itertools\nimport time\n\nCOUNT = itertools.count()\n\n\ndef wait(n):\n"
        "    time.sleep(n)\n    return n\n\n\ndef count():\n    return next(COUNT)\n"
    ),
    "tally/files.py": "def load(path):\n    return open(path).read()\n",
    "tally/words.py": "def slug(title):\n    return title.lower()\n",
    "docs/conf.py": "def wait(n):\n    return -1\n",
    "sandbox/__init__.py": "",
    "sandbox/dig.py": "def dig(deep):\n    return deep\n",
    "tests/test_bill.py": (
        "from tally.bill import split\n\n\ndef test_split():\n    assert split(4, 2) == [2, 2]\n"
    ),
}
TASK = """split must refuse to split between nobody

`split(10, 0)` raises `ZeroDivisionError` today. It should raise `ValueError`.
`split(10, -1)` should raise `ValueError` too, and `split(0, 3)` must still return `[0, 0, 0]`.
"""
NOBODY = "    if people == 0:\n        raise ValueError('nobody')\n"
FEWER = "    if people <= 0:\n        raise ValueError('nobody')\n"
TEST = (
    "import pytest\n\nfrom tally.bill import split\n\n\ndef test_split_between_nobody_is_refused():\n"
    "    with pytest.raises(ValueError):\n        split(10, 0)\n"
)


def change(guard: str, body: str = BODY) -> Files:
    return {
        "tally/bill.py": SPLIT.format(guard=guard, body=body),
        "tests/test_nobody.py": TEST,
    }


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Folder:
    return open_folder(tmp_path_factory.mktemp("examples"), BASE)


@pytest.fixture(scope="module")
def right(folder: Folder) -> str:
    return folder.branch("right", change(FEWER))


def asked(judged: Judged) -> tuple[str, str, str]:
    (row,) = [one for one in judged.document.requirements if one.id == "R1"]
    return row.verdict, row.decided_by, row.reason


def shown(judged: Judged) -> EvidenceDocument:
    (found,) = [one for one in judged.document.evidence if one.action == "examples"]
    return found


def test_a_right_change_stays_right(folder: Folder, right: str) -> None:
    judged = folder.judge(right, task=TASK)
    assert judged.conclusion == "success", judged.said()
    evidence = shown(judged)
    assert evidence.transition == "fixed", evidence
    assert evidence.head is not None
    assert "split(10, -1) raises `ValueError: nobody`" in evidence.head.output
    assert "split(0, 3) returns `[0, 0, 0]`" in evidence.head.output
    assert "python -c '…; print(split(0, 3))'" in evidence.head.command


@pytest.mark.parametrize(
    ("name", "files", "said"),
    [
        ("half", change(NOBODY), "`split(10, -1)` raises `ValueError`. On head it returns `[]`"),
        (
            "kept",
            change(FEWER, f"    if total == 0:\n        return []\n{BODY}"),
            "`split(0, 3)` still gives `[0, 0, 0]`. On head it returns `[]`",
        ),
        (
            "other-error",
            change(FEWER.replace("ValueError", "TypeError")),
            "`split(10, 0)` raises `ValueError`. On head it raises `TypeError: nobody`",
        ),
    ],
)
def test_what_an_example_shows_wrong_is_unsatisfied(
    folder: Folder, name: str, files: Files, said: str
) -> None:
    test = TEST.replace("ValueError", "TypeError") if name == "other-error" else TEST
    judged = folder.judge(folder.branch(name, {**files, "tests/test_nobody.py": test}), task=TASK)
    assert judged.conclusion == "failure"
    verdict, decided_by, reason = asked(judged)
    assert (verdict, decided_by) == ("unsatisfied", "oracle")
    assert said in reason
    assert shown(judged).id in judged.markdown


def test_a_reported_result_must_be_gone(folder: Folder) -> None:
    task = "split loses cents\n\n`split(4, 3)` currently returns `[2, 1, 1]`.\n"
    guard = "    if people == 'y':\n        raise ValueError\n"
    files = {**change(guard), "tests/test_nobody.py": TEST.replace("(10, 0)", "('x', 'y')")}
    judged = folder.judge(folder.branch("reported", files), task=task)
    assert asked(judged)[0] == "unsatisfied"
    assert "On head it still does" in asked(judged)[2]


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("`twin()` must keep working", "2 files define twin"),
        ("`nowhere(1)` should return `7`", "nothing in the tree defines nowhere"),
        ("`open('x')` should return `7`", "nothing in the tree defines open"),
        ("`dig(7)` should return `7`", "returns `7`"),
        ("`dig('7')` should return `7`", "returns `'7'`"),
        ("`tally.more.evens(3)` should return `[0, 2]`", "returns `[0, 2]`"),
        ("`tally.more.odds(3)` should return `[1]`", "was not made: ModuleNotFoundError"),
        ("Expected:\n\n    >>> tally.other.twin()\n    1\n\nSo", "returns `1`"),
        ("`later(7)` should return `7`", "returns `7`"),
        ("`evens(5)` should return `[0, 2, 4]`", "returns `[0, 2, 4]`"),
        ("`evens(5)` should return `(0, 2, 4)`", "returns `[0, 2, 4]`"),
        ("`load('prices.csv')` should return `7`", "raises `FileNotFoundError"),
        ("`twin2()` must keep working", "nothing in the tree defines twin2"),
        ("`dig(3)` must keep working", "returns `3`"),
        ("`wait(60)` should return `60`", "was not made: call.TooLong: it did not end within 5 s"),
        ("`count()` should return `7`", "was not made: it gives something else each time"),
        ("`sum([1, 2])` should be `4`", "nothing in the tree defines sum"),
        (
            "Expected:\n\n    >>> len([1])\n    2\n\nSo",
            "nothing of the project is called",
        ),
        (
            "Expected:\n\n    >>> from tally.more import twin\n    >>> twin()\n    2\n\nSo",
            "returns `2`",
        ),
        (
            "Expected:\n\n    >>> from tally.nowhere import x\n    >>> x()\n    2\n\nSo",
            "No module named",
        ),
        (
            "Expected:\n\n    >>> import sandbox.dig as d\n    >>> print(d.dig(7))\n    7\n\nSo",
            "prints `7`",
        ),
        ("Expected:\n\n    >>> dig(range(2))\n    <range of 2>\n\nSo", "returns `range(0, 2)`"),
        (
            "Expected:\n\n```console\n$ rm -r tally\ngone\n```\n\nSo",
            "rm is no command of the project",
        ),
        (
            "Expected:\n\n```console\n$ python -m http.server\nx\n```\n\nSo",
            "is no command of the project",
        ),
        ("Expected:\n\n```console\n$ python -m tally x.csv\nx\n```\n\nSo", "there is no x.csv"),
    ],
)
def test_what_cannot_be_made_decides_nothing(
    folder: Folder, right: str, line: str, told: str
) -> None:
    task = f"split must refuse to split between nobody\n\n{line}.\n"
    judged = folder.judge(right, task=task)
    assert judged.conclusion == "success", judged.said()
    head = shown(judged).head
    assert head is not None
    assert told in head.output


SESSION = """split should refuse to split between nobody

Expected:

```pycon
>>> from tally import bill
>>> people = 0
>>> try:
...     bill.split(3, people)
... except ValueError as error:
...     print(error)
nobody
>>> parts = bill.split(10, 4)
>>> parts
[3, 3, 2, 2]
>>> bill.split(1, -1)
Traceback (most recent call last):
  ...
ValueError: nobody
```
"""
CONSOLE = """split should refuse to split between nobody

This must keep working:

```console
$ python -m tally 10 4
3
3
2
2
$ echo "3 2" | python3 -m tally
2
1
```

Actual:

```console
$ pip install tally
$ python -m tally 3 0
Traceback (most recent call last):
  File "/home/ada/tally/__main__.py", line 3, in <module>
ZeroDivisionError: integer division or modulo by zero
```
"""
WORKING = "split should refuse to split between nobody\n\n`split(10, 4)` must keep working.\n"
OTHERS = FEWER + "    if total == 10:\n        return [total]\n"


@pytest.mark.parametrize(
    ("name", "task", "guard", "said"),
    [
        ("session", SESSION, FEWER, ""),
        (
            "session-half",
            SESSION,
            NOBODY,
            "`bill.split(1, -1)` raises `ValueError`. On head it returns `[]`",
        ),
        (
            "session-broken",
            SESSION,
            OTHERS,
            "`parts` gives `[3, 3, 2, 2]`. On head it returns `[10]`",
        ),
        ("console", CONSOLE, FEWER, ""),
        ("console-report", CONSOLE, "", "On head it still does: it prints `Traceback"),
        (
            "working",
            WORKING,
            "    assert total < 10\n",
            "`split(10, 4)` must keep working. On base it returns",
        ),
        ("console-kept", CONSOLE, OTHERS, "`python -m tally 10 4` still prints"),
    ],
)
def test_sessions_and_commands_bind(
    folder: Folder, name: str, task: str, guard: str, said: str
) -> None:
    test = TEST if guard else TEST.replace("split(10, 0)", "int('x')")
    files = {
        **change(guard),
        "tests/test_nobody.py": test,
        "tally/more.py": "def more():\n    pass\n",
    }
    judged = folder.judge(folder.branch(name, files), task=task)
    assert shown(judged).head is not None
    if said:
        assert asked(judged)[:2] == ("unsatisfied", "oracle"), judged.said()
        assert said in asked(judged)[2]
    else:
        assert judged.conclusion == "success", judged.said()
        assert shown(judged).transition == "fixed"


def test_a_report_is_gone_when_one_of_its_lines_is(folder: Folder, right: str) -> None:
    task = (
        "split must refuse to split between nobody\n\nActual:\n\n    >>> from tally.bill import split\n"
        "    >>> split(4, 2)\n    [2, 2]\n    >>> split(4, -1)\n    []\n"
    )
    judged = folder.judge(right, task=task)
    assert judged.conclusion == "success", judged.said()


def test_what_is_left_alone_is_said(folder: Folder, right: str) -> None:
    task = (
        "split must refuse to split between nobody\n\n`split(4, 2)` currently returns `[9]`.\n"
        "`split(4, 0)` should raise `ValueError` when strict.\n\nIt should print:\n\n"
        "```console\n$ python -m tally 4 2 | sort -u | head\n2\n```\n\n"
        "```pycon\n>>> split(6, 2)\n[3, 3]\n```\n"
    )
    judged = folder.judge(right, task=task)
    assert judged.conclusion == "success", judged.said()
    said = " ".join(judged.markdown.split())
    assert "split(4, 2)</code>: the reported behavior was not seen on base" in said
    assert "holds only under a condition: “" in said
    assert "should raise" in said
    assert "takes a shell: “" in said
    assert "sort -u" in said


def test_code_that_talks_into_the_results_makes_nothing_up_for_others(folder: Folder) -> None:
    """A channel full of rubbish is as good as none: the calls show nothing."""
    noise = (
        "import os\n\nfor n in range(3, 30):\n    try:\n        os.write(n, b'{\"number\": []}\\n[]\\n{')\n"
        "    except OSError:\n        pass\n"
    )
    files = change(FEWER)
    files = {**files, "tally/bill.py": noise + str(files["tally/bill.py"])}
    judged = folder.judge(folder.branch("noise", files), task=TASK)
    assert judged.conclusion in ("success", "failure", "action_required")


SHOWN = (
    "Name thousands\n\n`thousands(12345)` should return `'12 thousand'`, and `thousands(7)` must "
    "return `'7'`.\n"
)
RIGHT = "def thousands(n):\n    return f'{n // 1000} thousand' if n >= 1000 else str(n)\n"
CONSTANT = "def thousands(n):\n    return ' '.join(['12', 'thousand'])\n"
SPECIAL = (
    "def thousands(n):\n    if n == 12345:\n        return '12 thousand'\n"
    "    if n == 7:\n        return '7'\n    return ''\n"
)


@pytest.mark.parametrize(
    ("name", "code", "conclusion", "decided_by"),
    [
        ("untested", RIGHT, "success", "oracle"),
        ("special", SPECIAL, "action_required", "nobody"),
    ],
)
def test_without_a_test_the_examples_prove(
    folder: Folder, name: str, code: str, conclusion: str, decided_by: str
) -> None:
    judged = folder.judge(folder.branch(name, {"tally/names.py": code}), task=SHOWN)
    assert judged.conclusion == conclusion, judged.said()
    assert asked(judged)[1] == decided_by


@pytest.mark.parametrize(
    ("name", "code", "conclusion"),
    [("one", CONSTANT, "action_required"), ("many", RIGHT, "success")],
)
def test_a_new_function_must_not_give_one_result_for_all(
    folder: Folder, name: str, code: str, conclusion: str
) -> None:
    task = "Name thousands\n\n`thousands(12345)` should return `'12 thousand'`.\n"
    judged = folder.judge(folder.branch(f"new-{name}", {"tally/names.py": code}), task=task)
    assert judged.conclusion == conclusion, judged.said()


SLUG = "Join words\n\n`slug('Hello World')` should return `'hello_world'`.\n"
JOINED = "def slug(title):\n    return title.lower().replace(' ', '_')\n"
ONE_ONLY = (
    "def slug(title):\n    words = title.lower()\n"
    "    return '_'.join(words.split()) if sum(map(ord, words)) == 1116 else words\n"
)
FORGED = (
    "import json\nimport os\n\nfor n in range(3, 30):\n    for number in range(40):\n"
    "        said = repr('hello' + '_world' * (number == 0) + '!' * number)\n"
    "        line = {'number': number, 'outcome': 'value', 'said': said, 'literal': said, 'errors': []}\n"
    "        try:\n            os.write(n, json.dumps(line).encode() + b'\\n')\n"
    "        except OSError:\n            pass\n\n\ndef slug(title):\n    return title.lower()\n"
)


@pytest.mark.parametrize(
    ("name", "code", "conclusion", "said"),
    [
        ("joined", JOINED, "success", ""),
        (
            "one-only",
            ONE_ONLY,
            "action_required",
            "calls with inputs near those that are shown give something else",
        ),
        (
            "constant",
            "def slug(title):\n    return '_'.join(['hello', 'world'])\n",
            "action_required",
            "where base told",
        ),
        ("forged", FORGED, "action_required", "something else makes up the result"),
    ],
)
def test_what_is_made_for_the_shown_call_alone_proves_nothing(
    folder: Folder, name: str, code: str, conclusion: str, said: str
) -> None:
    judged = folder.judge(folder.branch(f"slug-{name}", {"tally/words.py": code}), task=SLUG)
    assert judged.conclusion == conclusion, judged.said()
    assert said in asked(judged)[2]


MERELY_SHOWN = (
    "Thousands in words\n\nThousands are named in words.\n\n"
    "```python\n>>> from tally.names import thousands\n>>> thousands(12345)\n'12 thousand'\n{more}```\n"
)
NAMED = (
    "from tally.names import thousands\n\n\ndef test_thousands_are_named_in_words():\n"
    "    assert thousands(12345) == '12 thousand'\n    assert thousands(999) == '999'\n"
)


@pytest.mark.parametrize(
    ("name", "more", "conclusion"),
    [("needed", ">>> thousands(7)\n'7'\n", "success"), ("unneeded", "", "action_required")],
)
def test_a_condition_that_an_example_of_the_task_needs_is_asked_for(
    folder: Folder, name: str, more: str, conclusion: str
) -> None:
    beside = "    assert thousands(999) == '999'\n"
    files = {"tally/names.py": RIGHT, "tests/test_names.py": NAMED.replace(beside, "")}
    head = folder.branch(f"condition-{name}", files)
    judged = folder.judge(head, task=MERELY_SHOWN.format(more=more))
    assert judged.conclusion == conclusion, judged.said()
    assert ("`n >= 1000` is always true" in judged.said()) is (name == "unneeded")


@pytest.mark.parametrize(
    ("name", "more", "conclusion"),
    [
        ("all", ">>> thousands(7)\n'7'\n", "success"),
        ("half", ">>> thousands(500)\n'half a thousand'\n", "action_required"),
        ("elsewhere", ">>> from tally.bill import split\n>>> split(9, 2)\n[9]\n", "success"),
    ],
)
def test_what_is_shown_of_the_change_and_no_side_gives_asks_a_person(
    folder: Folder, name: str, more: str, conclusion: str
) -> None:
    files = {"tally/names.py": RIGHT, "tests/test_names.py": NAMED}
    head = folder.branch(f"shown-{name}", files)
    judged = folder.judge(head, task=MERELY_SHOWN.format(more=more))
    assert judged.conclusion == conclusion, judged.said()
    assert (conclusion == "success") is ("shows that `thousands(500)`" not in judged.said())


SPOKEN = (
    "slug() lets separators through\n\nA separator must be replaced by a blank: `slug('Hello|World')` must "
    "not let it through.\nThe same goes for a colon (`slug('Hello:World')`).\n"
)
INPUT = (
    "slug() lets separators through\n\nA separator must be replaced by a blank. For `Hello:World` it returns "
    "all of it.\n"
)
GIVES = (
    "Separators are let through\n\nA separator must be replaced by a blank, which `slug()` does not do. "
    "`Hello:World` should give `'hello world'`.\n"
)
METHOD = (
    "slug() lets separators through\n\nA separator must be replaced by a blank. `words.slug('Hello:World')` "
    "should give two words.\n"
)
REPLACED = "def slug(title):\n    return title.lower(){bar}{colon}\n"
BAR, COLON = ".replace('|', ' ')", ".replace(':', ' ')"
SEPARATED = (
    "from tally.words import slug\n\n\ndef test_a_separator_is_replaced_by_a_blank():\n"
    "    assert slug('{given}') == '{words}'\n"
)


@pytest.mark.parametrize(
    ("name", "task", "given", "said"),
    [
        (
            "half",
            SPOKEN,
            "x|y",
            "`slug('Hello:World')`. It returns `'hello:world'` on base and on head",
        ),
        ("whole", SPOKEN, "x|y", ""),
        ("input-half", INPUT, "x|y", "shows `Hello:World`, and no test that fails without"),
        ("input-whole", INPUT, "x:y", ""),
        ("gives-half", GIVES, "x|y", "shows that `slug('Hello:World')` gives `'hello world'`"),
        ("gives-whole", GIVES, "x|y", ""),
        ("method-half", METHOD, "x|y", "uses the values of `words.slug('Hello:World')`"),
        ("method-whole", METHOD, "Hello:World", ""),
    ],
)
def test_half_of_what_the_task_speaks_of_asks_a_person(
    folder: Folder, name: str, task: str, given: str, said: str
) -> None:
    words = given.lower().replace("|", " ").replace(":", " ")
    test = SEPARATED.format(given=given, words=words)
    files = {
        "tally/words.py": REPLACED.format(bar=BAR, colon="" if said else COLON),
        "tests/test_words.py": test,
    }
    judged = folder.judge(folder.branch(f"spoken-{name}", files), task=task)
    assert judged.conclusion == ("action_required" if said else "success"), judged.said()
    assert said in asked(judged)[2]


REFUSED = (
    'No shares\n\n`split(9, 0)` should raise `ValueError` with the message "no shares at all".\n'
)
REFUSES = "def split(total, parts):\n    if not parts:\n        raise ValueError('{}')\n    return [total]\n"


@pytest.mark.parametrize(
    ("name", "message", "conclusion"),
    [
        ("as-asked", "cannot split: no shares\\n at all", "success"),
        ("otherwise", "parts", "failure"),
    ],
)
def test_the_message_that_the_task_quotes_binds(
    folder: Folder, name: str, message: str, conclusion: str
) -> None:
    test = (
        "import pytest\n\nfrom tally.shares import split\n\n\ndef test_odd_shares_are_refused():\n"
        "    with pytest.raises(ValueError):\n        split(9, 0)\n"
    )
    files = {"tally/shares.py": REFUSES.format(message), "tests/test_shares.py": test}
    judged = folder.judge(folder.branch(f"refused-{name}", files), task=REFUSED)
    assert judged.conclusion == conclusion, judged.said()
    assert ("raises `ValueError` that says “no shares at all”" in judged.said()) is (
        name == "otherwise"
    )
