"""What base answers near the tested inputs, and head with nothing, or an error of no purpose."""

from __future__ import annotations

import pytest

from tests.e2e.folder import Files, Folder, open_folder

pytestmark = [pytest.mark.real, pytest.mark.slow]

TASK = "Double names\n\n`initials` should take each letter of a double name: `anne-marie smith` has `AMS`.\n"
BASE = """def initials(name):
    return ''.join(map(first, name.split(' ')))


def first(word):
    return word[:1].upper()
"""
HEAD = """import re


def initials(name):
    words = re.split('[ -]', name)
    return ''.join({} for word in words)


def first(word):
    return word[:1].upper()
"""
TESTS = (
    "import kit\n\n\ndef test_initials_of_double_names():\n"
    "    assert kit.initials('anne-marie smith') == 'AMS'\n"
    "    assert kit.initials('jean-luc picard') == 'JLP'\n"
)
SCRIPT = """export function initials(name) {
  return name.split(' ').map(word => word.slice(0, 1).toUpperCase()).join('');
}
"""
SCRIPT_TESTS = (
    "import {test} from 'node:test';\nimport assert from 'node:assert/strict';\n"
    "import {initials} from '../kit.js';\n\ntest('initials of double names', () => {\n"
    "  assert.equal(initials('anne-marie smith'), 'AMS');\n"
    "  assert.equal(initials('jean-luc picard'), 'JLP');\n});\n"
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Folder:
    opened = open_folder(tmp_path_factory.mktemp("crashes"))
    known = "import kit\n\n\ndef test_kit():\n    assert kit.initials('ada lovelace') == 'AL'\n"
    gone: Files = {"shop.py": None, "tests/test_shop.py": None}
    opened.repository.commit({**gone, "kit.py": BASE, "tests/test_kit.py": known})
    return opened


@pytest.fixture(scope="module")
def scripts(tmp_path_factory: pytest.TempPathFactory) -> Folder:
    known = (
        "import {test} from 'node:test';\nimport assert from 'node:assert/strict';\n"
        "import {initials} from '../kit.js';\n\ntest('initials', () => {\n"
        "  assert.equal(initials('ada lovelace'), 'AL');\n});\n"
    )
    project: Files = {
        "package.json": '{"name": "kit", "type": "module", "scripts": {"test": "node --test"}}\n',
        "kit.js": SCRIPT,
        "test/kit.test.js": known,
    }
    return open_folder(tmp_path_factory.mktemp("crashes-node"), project)


@pytest.mark.parametrize("is_right", [False, True], ids=["crashes", "answers"])
def test_an_error_near_the_tested_inputs_that_base_does_not_know_is_asked_about(
    folder: Folder, is_right: bool
) -> None:
    head = HEAD.format("first(word)" if is_right else "word[0].upper()")
    files: Files = {"kit.py": head, "tests/test_double.py": TESTS}
    found = folder.judge(folder.branch(f"double-{is_right}", files), task=TASK)

    assert found.conclusion == ("success" if is_right else "action_required"), found.said()
    assert ("on head, which no test shows" in found.said()) is not is_right


@pytest.mark.parametrize("is_right", [False, True], ids=["crashes", "answers"])
def test_an_error_of_javascript_is_asked_about_too(scripts: Folder, is_right: bool) -> None:
    head = SCRIPT.replace("' '", "/[ -]/")
    if not is_right:
        head = head.replace("word.slice(0, 1)", "word[0]")
    files: Files = {"kit.js": head, "test/double.test.js": SCRIPT_TESTS}
    found = scripts.judge(scripts.branch(f"double-{is_right}", files), task=TASK)

    assert found.conclusion == ("success" if is_right else "action_required"), found.said()
    assert ("on head, which no test shows" in found.said()) is not is_right


SIZE = """def size(text):
    number = text.rstrip('km')
    if not number.isdigit():
        raise ValueError(text)
    return int(number) * {'k': 1000, 'm': 1000000}.get(text[-1:], 1)
"""
SIZES = (
    "import kit\n\n\ndef test_size_knows_g():\n    assert kit.size('2g') == 2000000000\n"
    "    assert kit.size('31g') == 31000000000\n"
)
ENDS = {
    "right": SIZE.replace("'km'", "'kmg'").replace("1000000}", "1000000, 'g': 10**9}"),
    "nothing": SIZE.replace("'km'", "'kmg'").replace(
        "    return int(number) * {'k': 1000, 'm': 1000000}.get(text[-1:], 1)\n",
        "    for unit, factor in (('k', 1000), ('m', 1000000), ('g', 10**9)):\n"
        "        if text.endswith(unit):\n            return int(number) * factor\n",
    ),
    "error": SIZE.replace("'km'", "'kmg'")
    .replace(
        "    if not number.isdigit():\n        raise ValueError(text)\n",
        "    if not number[0].isdigit():\n        raise ValueError(text)\n",
    )
    .replace("1000000}", "1000000, 'g': 10**9}"),
}


@pytest.mark.parametrize("name", ENDS)
def test_nothing_and_an_error_in_the_place_of_another_are_asked_about(
    folder: Folder, name: str
) -> None:
    known = "import kit\n\n\ndef test_size():\n    assert kit.size('2k') == 2000\n"
    start = folder.branch(f"size-{name}-base", {"kit.py": SIZE, "tests/test_kit.py": known})
    files: Files = {"kit.py": ENDS[name], "tests/test_size.py": SIZES}
    task = "Gigabytes\n\n`size` should know `g`: `2g` is 2000000000.\n"
    found = folder.judge(folder.branch(f"size-{name}", files, start=start), base=start, task=task)

    assert found.conclusion == ("success" if name == "right" else "action_required"), found.said()
    assert ("on head, which no test shows" in found.said()) is (name != "right")


WORDS = "import re\n\n\ndef words(text):\n    return {}\n"


@pytest.mark.parametrize("name", ["list", "tuple", "iterator"])
def test_the_same_items_in_another_kind_of_list_are_asked_about(folder: Folder, name: str) -> None:
    found = "re.split('[ _]', text)"
    made = {"list": found, "tuple": f"tuple({found})", "iterator": f"iter({found})"}
    known = "import kit\n\n\ndef test_words():\n    assert sorted(kit.words('b a')) == ['a', 'b']\n"
    files: Files = {"kit.py": WORDS.format("text.split(' ')"), "tests/test_kit.py": known}
    start = folder.branch(f"words-{name}-base", files)
    tests = known.replace("test_words", "test_words_at_underscores").replace("'b a'", "'b_a'")
    head: Files = {"kit.py": WORDS.format(made[name]), "tests/test_words.py": tests}
    task = "Underscores\n\n`words` should cut a text at `_` as well.\n"
    judged = folder.judge(folder.branch(f"words-{name}", head, start=start), base=start, task=task)

    assert judged.conclusion == ("success" if name == "list" else "action_required"), judged.said()
    assert ("another kind of result" in judged.said()) is (name != "list")


TOTAL = "def total(prices, rate=1):\n    return sum(prices) * rate\n"
ROUNDED = """def total(prices, rate=1, digits=None):
    found = {} * rate
    return found if digits is None else round(found, digits)
"""


SUMS = {
    "as-before": ("sum(prices)", ""),
    "worse": ("(prices[0] + sum(prices[1:]))", "raised IndexError on head"),
    "otherwise": (
        "sum(prices[:3])",
        "without what is new in the tests' call",
    ),
}


@pytest.mark.parametrize("name", SUMS)
def test_what_is_near_calls_of_tests_that_hold_is_tried_too(folder: Folder, name: str) -> None:
    known = "import kit\n\n\ndef test_total():\n    assert kit.total([20, 30]) == 50\n"
    files: Files = {"kit.py": TOTAL, "tests/test_kit.py": known}
    start = folder.branch(f"total-{name}-base", files)
    shown = (
        known
        + "\n\ndef test_total_is_rounded():\n    assert kit.total([1, 2], 1.0501, digits=1) == 3.2\n"
    )
    summed, said = SUMS[name]
    head: Files = {"kit.py": ROUNDED.format(summed), "tests/test_kit.py": shown}
    task = "Rounding\n\n`total` should take `digits`, and round to so many.\n"
    judged = folder.judge(folder.branch(f"total-{name}", head, start=start), base=start, task=task)

    assert judged.conclusion == ("action_required" if said else "success"), judged.said()
    assert said in judged.said()
