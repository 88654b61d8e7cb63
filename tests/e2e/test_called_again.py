"""What equal calls give: something else the second time, or one object for all, is asked about."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Mapping
from dataclasses import dataclass

import pytest

from tests.e2e.folder import Folder, open_folder

pytestmark = [pytest.mark.slow, pytest.mark.real]
needs_node = pytest.mark.skipif(not shutil.which("node"), reason="node is not installed")


@dataclass(frozen=True, slots=True)
class Change:
    """A demand, the code before and after, the new test, and what the reason says of the second call."""

    demand: str
    base: str
    head: str
    test: str
    why: str = ""


_WORDS = "def is_word(text):\n    return bool(text)\n"
_IS_WORD = "    assert is_word('ab')\n    assert not is_word('a1')\n"
_DEFAULTS = "def defaults():\n    return {'tags': ['new'], 'size': 10}\n"
_BLUE = "    assert defaults()['colour'] == 'blue'\n"
PYTHON = {
    "used-up": Change(
        "`is_word` accepts letters only",
        _WORDS,
        "LETTERS = iter('abcdefghijklmnopqrstuvwxyz')\n\n\n"
        "def is_word(text):\n    return bool(text) and all(one in LETTERS for one in text)\n",
        _IS_WORD,
        "when it is called once more",
    ),
    "letters": Change(
        "`is_word` accepts letters only",
        _WORDS,
        "LETTERS = 'abcdefghijklmnopqrstuvwxyz'\n\n\n"
        "def is_word(text):\n    return bool(text) and all(one in LETTERS for one in text)\n",
        _IS_WORD,
    ),
    "shared": Change(
        "`defaults` have the `colour` `blue`",
        _DEFAULTS,
        "DEFAULTS = {'tags': ['new'], 'size': 10, 'colour': 'blue'}\n\n\n"
        "def defaults():\n    return DEFAULTS\n",
        _BLUE,
        "the same one to all",
    ),
    "new": Change(
        "`defaults` have the `colour` `blue`",
        _DEFAULTS,
        _DEFAULTS.replace("10}", "10, 'colour': 'blue'}"),
        _BLUE,
    ),
    "counted": Change(
        "`number` gives the next number at each call",
        "def number():\n    return 0\n",
        "import itertools\n\n_NUMBERS = itertools.count(7)\n\n\ndef number():\n    return next(_NUMBERS)\n",
        "    assert number() == 7\n    assert number() == 8\n",
    ),
}
_BASKET = (
    "class Basket:\n    def __init__(self, prices):\n        self.prices = list(prices)\n\n"
    "    def total(self):\n        return sum(self.prices)\n"
)
_REDUCED = _BASKET.replace("prices):", "prices, discount=0):")
_LESS = "price * (100 - discount) // 100 for price in prices"
_JOURNAL = (
    "class Journal:\n    def __init__(self):\n        self.lines = []\n\n"
    "    def text(self):\n        return '/'.join(self.lines)\n"
)
_EXCHANGE = (
    "class Exchange:\n    def __init__(self, fetch):\n        self.fetch = fetch\n\n"
    "    def convert(self, amount, source, target):\n"
    "        return amount * self.fetch(source, target)\n"
)
_FETCHED = """class Exchange:
    def __init__(self, fetch):
        self.fetch = fetch
        self.rates = {}

    def convert(self, amount, source, target):
        if KEY not in self.rates:
            self.rates[KEY] = self.fetch(source, target)
        return amount * self.rates[KEY]
"""
_FETCHES = """    asked = []

    def fetch(source, target):
        asked.append(source)
        return 3

    exchange = Exchange(fetch)
    assert exchange.convert(5, 'EUR', 'USD') == 15
    assert exchange.convert(7, 'EUR', 'USD') == 21
    assert asked == ['EUR']
"""
_TOTALS = (
    "class Totals:\n    def __init__(self, add):\n        self.add = add\n\n"
    "    def total(self, order):\n        return self.add(order)\n"
)
_ADDED = """class Totals:
    def __init__(self, add):
        self.add = add
        self.known = {}

    def total(self, order):
        if KEY not in self.known:
            self.known[KEY] = self.add(order)
        return self.known[KEY]
"""
_ADDS = """    seen = []

    def add(order):
        seen.append(order)
        return sum(order)

    totals, order = Totals(add), [1, 2]
    assert totals.total(order) == 3
    assert totals.total(order) == 3
    assert len(seen) == 1
"""
_GATE = (
    "class Gate:\n    def __init__(self, places):\n        self.places = places\n\n"
    "    def passes(self):\n        return True\n"
)
_TICKETS = (
    "class Tickets:\n    def __init__(self, first):\n        self.number = first\n\n"
    "    def next(self):\n        return self.number\n"
)
OBJECTS = {
    "lazy": Change(
        "`Basket` takes a `discount` in percent",
        _BASKET,
        _REDUCED.replace("list(prices)", f"({_LESS})"),
        "    assert Basket([100, 300], discount=10).total() == 360\n",
        "once more on the same object",
    ),
    "listed": Change(
        "`Basket` takes a `discount` in percent",
        _BASKET,
        _REDUCED.replace("list(prices)", f"[{_LESS}]"),
        "    assert Basket([100, 300], discount=10).total() == 360\n",
    ),
    "one default": Change(
        "`Journal` takes the lines that it starts with",
        _JOURNAL,
        _JOURNAL.replace("self)", "self, lines=[])", 1).replace("= []\n\n", "= lines\n\n"),
        "    assert Journal(['x', 'y']).text() == 'x/y'\n",
        "all of them have the same one",
    ),
    "own lines": Change(
        "`Journal` takes the lines that it starts with",
        _JOURNAL,
        _JOURNAL.replace("self)", "self, lines=())", 1).replace("= []\n\n", "= list(lines)\n\n"),
        "    assert Journal(['x', 'y']).text() == 'x/y'\n",
    ),
    "shared lines": Change(
        "`Journal`s share their lines: each has those that others start with",
        _JOURNAL,
        "LINES = []\n\n\n"
        + _JOURNAL.replace("self)", "self, lines=())", 1).replace(
            "= []\n\n", "= LINES\n        LINES.extend(lines)\n\n"
        ),
        "    assert Journal(['x']).text() == 'x'\n    assert Journal().text() == 'x'\n",
    ),
    "half a key": Change(
        "`Exchange.convert` fetches each rate once",
        _EXCHANGE,
        _FETCHED.replace("KEY", "source"),
        _FETCHES,
        "whose result that is",
    ),
    "whole key": Change(
        "`Exchange.convert` fetches each rate once",
        _EXCHANGE,
        _FETCHED.replace("KEY", "(source, target)"),
        _FETCHES,
    ),
    "identity": Change(
        "`Totals.total` adds an order up once",
        _TOTALS,
        _ADDED.replace("KEY", "id(order)"),
        _ADDS,
        "after its argument was changed in place",
    ),
    "content": Change(
        "`Totals.total` adds an order up once",
        _TOTALS,
        _ADDED.replace("KEY", "tuple(order)"),
        _ADDS,
    ),
    "shown twice": Change(
        "`Gate` lets as many pass as it has places",
        _GATE,
        _GATE.replace(
            "        return True", "        self.places -= 1\n        return self.places >= 0"
        ),
        "    gate = Gate(1)\n    assert gate.passes()\n    assert not gate.passes()\n",
    ),
    "counting": Change(
        "`Tickets.next` gives the next number at each call",
        _TICKETS,
        _TICKETS.replace("        return self", "        self.number += 1\n        return self"),
        "    tickets = Tickets(6)\n    assert tickets.next() == 7\n    assert tickets.next() == 8\n",
    ),
}
_LOAD = """import functools
import pathlib


def load(path):
    return pathlib.Path(path).read_text()
"""
_LOADED = _LOAD.replace("path):", "path, default=None):").replace(
    "pathlib.Path(path).read_text()",
    "pathlib.Path(path).read_text() if pathlib.Path(path).exists() else default",
)
_LOADS = (
    "    assert load('none.txt', 'nothing') == 'nothing'\n"
    "    assert load(__file__, 'nothing') != 'nothing'\n"
)
_CACHED = _LOADED.replace("def load", "@functools.lru_cache\ndef load")
_WIDE = "import functools\n\n\ndef is_wide(number):\n    return number > 9\n"
KEPT = {
    "kept": Change(
        "`load` gives `default` where no file is",
        _LOAD,
        _CACHED,
        _LOADS,
        "`load` is worked out each time",
    ),
    "read": Change("`load` gives `default` where no file is", _LOAD, _LOADED, _LOADS),
    "kept as asked": Change(
        "`load` gives `default` where no file is, and caches what it gives", _LOAD, _CACHED, _LOADS
    ),
    "always the same": Change(
        "`is_wide` takes `least`",
        _WIDE,
        _WIDE.replace(
            "def is_wide(number)", "@functools.cache\ndef is_wide(number, least=10)"
        ).replace("> 9", ">= least"),
        "    assert is_wide(12, 12)\n    assert not is_wide(12, 13)\n",
    ),
}
_IS_SLUG = "export function isSlug(text) {\n  return text.length > 0;\n}\n"
_SLUGS = "  assert.equal(isSlug('a-b'), true);\n  assert.equal(isSlug('A b'), false);\n"
_MADE = "export function defaults() {\n  return {tags: ['new'], size: 10};\n}\n"
_IS_BLUE = "  assert.equal(defaults().colour, 'blue');\n"
NODE = {
    "sticky": Change(
        "`isSlug` accepts lower-case letters and dashes only",
        _IS_SLUG,
        "const SLUG = /^[a-z0-9-]+$/g;\n\n"
        + _IS_SLUG.replace("text.length > 0", "SLUG.test(text)"),
        _SLUGS,
        "when it is called once more",
    ),
    "plain": Change(
        "`isSlug` accepts lower-case letters and dashes only",
        _IS_SLUG,
        "const SLUG = /^[a-z0-9-]+$/;\n\n" + _IS_SLUG.replace("text.length > 0", "SLUG.test(text)"),
        _SLUGS,
    ),
    "shared": Change(
        "`defaults` have the `colour` `blue`",
        _MADE,
        "const DEFAULTS = {tags: ['new'], size: 10, colour: 'blue'};\n\n"
        "export function defaults() {\n  return DEFAULTS;\n}\n",
        _IS_BLUE,
        "the same one to all",
    ),
    "new": Change(
        "`defaults` have the `colour` `blue`",
        _MADE,
        _MADE.replace("10}", "10, colour: 'blue'}"),
        _IS_BLUE,
    ),
}

_TILL = """export class Till {
  #prices;

  constructor(prices) {
    this.#prices = [...prices];
  }

  total() {
    let sum = 0;
    for (const price of this.#prices) sum += price;
    return sum;
  }
}
"""
_LINES = """export class Journal {
  constructor() {
    this.lines = [];
  }

  text() {
    return this.lines.join('/');
  }
}
"""
_REDUCING = _TILL.replace("constructor(prices)", "constructor(prices, {discount = 0} = {})")
_ONCE = (
    "  let calls = 0;\n  const add = one => {\n    calls++;\n    return one.lines.length;\n  };\n"
    "  const order = {lines: [1, 2]};\n  assert.equal(total(order, add), 2);\n"
    "  assert.equal(total(order, add), 2);\n  assert.equal(calls, 1);\n"
)
_KIND = "export function kind() {\n  return 'kit';\n}\n"
_KNOWN = """
const known = new Map();

export function total(order, add) {
  const key = KEY;
  if (!known.has(key)) known.set(key, add(order));
  return known.get(key);
}
"""
_LARGEST = """export function largest(values) {
  let most = values[0];
  for (const value of values) if (value > most) most = value;
  return most;
}
"""
_LARGE = "  assert.equal(largest([{n: 4}, {n: 9}], one => one.n), 9);\n"
OBJECTS_IN_NODE = {
    "iterator": Change(
        "`Till` takes the `discount` off each price",
        _TILL,
        _REDUCING.replace(
            "[...prices]",
            "(function * () { for (const one of prices) yield one * (1 - discount); })()",
        ),
        "  assert.equal(new Till([100, 300], {discount: 0.5}).total(), 200);\n",
        "once more on the same object",
    ),
    "list": Change(
        "`Till` takes the `discount` off each price",
        _TILL,
        _REDUCING.replace("[...prices]", "[...prices].map(one => one * (1 - discount))"),
        "  assert.equal(new Till([100, 300], {discount: 0.5}).total(), 200);\n",
    ),
    "one default": Change(
        "`Journal` takes the lines that it starts with",
        _LINES,
        "const NONE = [];\n\n"
        + _LINES.replace("()", "(lines = NONE)", 1).replace("= [];", "= lines;"),
        "  assert.equal(new Journal(['x', 'y']).text(), 'x/y');\n",
        "all of them have the same one",
    ),
    "own lines": Change(
        "`Journal` takes the lines that it starts with",
        _LINES,
        _LINES.replace("()", "(lines = [])", 1).replace("= [];", "= lines;"),
        "  assert.equal(new Journal(['x', 'y']).text(), 'x/y');\n",
    ),
    "text of an object": Change(
        "`total` adds an order up once, and remembers it",
        _KIND,
        _KIND + _KNOWN.replace("KEY", "String(order)"),
        _ONCE,
        "whose result that is",
    ),
    "text of its parts": Change(
        "`total` adds an order up once, and remembers it",
        _KIND,
        _KIND + _KNOWN.replace("KEY", "JSON.stringify(order)"),
        _ONCE,
    ),
    "the object": Change(
        "`total` adds an order up once, and remembers it",
        _KIND,
        _KIND + _KNOWN.replace("KEY", "order"),
        _ONCE,
    ),
    "numbers only": Change(
        "`largest` takes what to compare",
        _LARGEST,
        "export function largest(values, of = value => value) {\n"
        "  return Math.max(...values.map(of));\n}\n",
        _LARGE,
        "without what is new",
    ),
    "whatever has an order": Change(
        "`largest` takes what to compare",
        _LARGEST,
        "export function largest(values, of) {\n"
        "  let most = of ? of(values[0]) : values[0];\n"
        "  for (const value of of ? values.map(one => of(one)) : values) if (value > most) most = value;\n"
        "  return most;\n}\n",
        _LARGE,
    ),
}


NODE_PROJECT = {
    "package.json": json.dumps(
        {"name": "shop", "version": "1.0.0", "type": "module", "scripts": {"test": "node --test"}}
    ),
    "name.js": "export const name = 'shop';\n",
    "test/name.test.js": "import {test} from 'node:test';\nimport assert from 'node:assert/strict';\n"
    "import {name} from '../name.js';\n\ntest('name', () => {\n  assert.equal(name, 'shop');\n});\n",
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Folder:
    return open_folder(tmp_path_factory.mktemp("again"))


@pytest.fixture(scope="module")
def node_folder(tmp_path_factory: pytest.TempPathFactory) -> Folder:
    return open_folder(tmp_path_factory.mktemp("again"), NODE_PROJECT)


@pytest.mark.parametrize("name", PYTHON)
def test_equal_calls_in_python(folder: Folder, name: str) -> None:
    change = PYTHON[name]
    function = change.demand.split("`")[1]
    test = f"from again import {function}\n\n\ndef test_{_said(change)}():\n{change.test}"
    _assert_told(folder, name, change, {"again.py": change.base}, {"tests/test_again.py": test})


@pytest.mark.parametrize("name", KEPT)
def test_results_that_are_kept_in_python(folder: Folder, name: str) -> None:
    change = KEPT[name]
    function = change.demand.split("`")[1]
    test = f"from again import {function}\n\n\ndef test_{_said(change)}():\n{change.test}"
    _assert_told(folder, name, change, {"again.py": change.base}, {"tests/test_again.py": test})


@pytest.mark.parametrize("name", OBJECTS)
def test_calls_on_objects_in_python(folder: Folder, name: str) -> None:
    change = OBJECTS[name]
    kind = change.base.split(":")[0].removeprefix("class ")
    test = f"from again import {kind}\n\n\ndef test_{_said(change)}():\n{change.test}"
    _assert_told(folder, name, change, {"again.py": change.base}, {"tests/test_again.py": test})


@needs_node
@pytest.mark.parametrize("name", NODE)
def test_equal_calls_in_javascript(node_folder: Folder, name: str) -> None:
    change = NODE[name]
    function = change.demand.split("`")[1]
    test = (
        "import {test} from 'node:test';\nimport assert from 'node:assert/strict';\n"
        f"import {{{function}}} from '../again.js';\n\ntest('{function}', () => {{\n{change.test}}});\n"
    )
    _assert_told(node_folder, name, change, {"again.js": change.base}, {"test/again.test.js": test})


@needs_node
@pytest.mark.parametrize("name", OBJECTS_IN_NODE)
def test_calls_on_objects_in_javascript(node_folder: Folder, name: str) -> None:
    change = OBJECTS_IN_NODE[name]
    called = change.demand.split("`")[1]
    test = (
        "import {test} from 'node:test';\nimport assert from 'node:assert/strict';\n"
        f"import {{{called}}} from '../again.js';\n\ntest('{change.demand}', () => {{\n{change.test}}});\n"
    )
    _assert_told(node_folder, name, change, {"again.js": change.base}, {"test/again.test.js": test})


def _said(change: Change) -> str:
    return "_".join(re.findall(r"\w+", change.demand.lower()))


def _assert_told(
    folder: Folder, name: str, change: Change, base: Mapping[str, str], test: Mapping[str, str]
) -> None:
    name = name.replace(" ", "-")
    start = folder.branch(f"{name}-start", base)
    head = dict.fromkeys(base, change.head)
    judged = folder.judge(
        folder.branch(name, {**head, **test}, start), start, f"Calls\n\n- [ ] {change.demand}\n"
    )
    if change.why:
        assert judged.conclusion == "action_required", judged.said()
        assert change.why in judged.said(), judged.said()
    else:
        assert judged.conclusion == "success", judged.said()
