"""Pull requests that are made of very long words are judged as others are, and within their time."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from tests.e2e.folder import FIX, TASK, Folder, open_folder

pytestmark = [pytest.mark.real, pytest.mark.slow]

LONG = 3_000_000
WITHIN_S = 240  # on a busy machine; the old code took longer for a single file
WORD = "a" * LONG
LOUD = """\
import shop


def test_price_returns_twice_the_cents():
    print("x" * 3_000_000)
    assert shop.price(4) == 8
"""
# One line each: what made a regular expression, a bracket counter or a tokenizer quadratic.
FILES = {
    "web/app.min.js": 'var a="' + WORD[: LONG // 3] + '";' + "f(" * 300_000 + ")" * 300_000 + ";\n",
    "web/word.js": WORD,
    "web/quotes.test.js": "\\`" * (LONG // 2),
    "web/patterns.js": "a=" + "/[" * (LONG // 2),
    "web/asserts.test.js": "assert." * (LONG // 7),
    "web/ticks.md": "`" * LONG,
    "web/spaces.txt": " " * LONG + "x",
    "web/brackets.txt": "(" * LONG,
    "web/test_words.sh": '\\"' * (LONG // 2),
    "web/BOOST_test.c": "BOOST_" * (LONG // 6),
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Folder:
    return open_folder(tmp_path_factory.mktemp("large"))


def test_a_minified_file_is_no_reason_not_to_judge(folder: Folder) -> None:
    head = folder.branch("minified", {**FIX, "web/app.min.js": FILES["web/app.min.js"]})
    judged = folder.judge(head)

    assert judged.conclusion == "success", judged.said()


def test_long_words_everywhere_are_judged_within_the_time(folder: Folder) -> None:
    head = folder.branch("words", {**FIX, **FILES, "tests/test_price.py": LOUD})
    began = time.monotonic()
    judged = folder.judge(head, task=f"{TASK}\n\n{WORD}\n\n{'`' * LONG}\n")

    assert time.monotonic() - began < WITHIN_S
    assert judged.conclusion in ("success", "action_required"), judged.said()
    assert "price" in judged.said()


def test_a_name_of_four_kilobytes_is_judged_or_said(folder: Folder) -> None:
    name = "/".join(["d" * 200] * 18) + "/a.txt"
    judged = folder.judge(folder.branch("name", {**FIX, name: "1\n"}))

    assert judged.conclusion in ("success", "action_required"), judged.said()
    assert Path(name).name == "a.txt"
