"""What callers of base rely on asks a person where it changes without a word, and no test calls it so."""

from __future__ import annotations

import pytest

from tests.e2e.folder import Files, Folder, open_folder

pytestmark = [pytest.mark.real, pytest.mark.slow]
SHOP = """class Refused(ValueError):
    pass


def price(cents, *, rate=2):
    return cents


def label(name, width=8, strict=True):
    if not name:
        raise Refused(name)
    return name.ljust(width)


def shown(name):
    text = label(name)
    return f"[{text}]"
"""
RIGHT = SHOP.replace("return cents", "return 2 * cents")
TEST = (
    "import shop\n\n\ndef test_price_returns_twice_the_cents():\n"
    "    assert shop.price(4) == 8\n    assert shop.price(7) == 14\n"
)
TASK = "Double the price\n\n- [ ] `price` returns twice the cents\n"
TRIED = """    try:
        text = label(name)
    except Exception:
        return ""
"""
WRONG = {
    "renamed": ("label(name, width=8", "label(name, size=8", "`width` is called `size`"),
    "removed": (", strict=True", "", "`strict` is gone"),
    "moved": ("name, width=8, strict=True", "name, strict=True, width=8", "at another place"),
    "by-name": ("name, width=8", "name, *, width=8", "`width` can only be given by name"),
    "required": ("def shown(name)", "def shown(name, how)", "`how` must be given"),
    "default": ("width=8", "width=0", "`width` is `0` where a call does not give it"),
    "lenient": ("strict=True", "strict=False", "`strict` is `False` where a call"),
    "async": ("def shown", "async def shown", "it gives no result before it is awaited"),
    "base": ("Refused(ValueError)", "Refused(Exception)", "`Refused` is a `ValueError` on base"),
    "dropped": ("    text = label(name)\n", TRIED, "An error of `label(name)` is dropped here"),
}
REST = """):
    if not name:
        raise Refused(name)
    return name.ljust(width)
"""
RIGHTS = {
    "more": (
        "strict=True" + REST,
        'strict=True, fill=" "' + REST.replace("(width)", "(width, fill)"),
        f"{TASK}- [ ] `label` takes a `fill`, with which it fills up\n",
    ),
    "typed": ("label(name, width=8", "label(name: str, width: int = 8", TASK),
    "asked": ("width=8", "width=9", f"{TASK}- [ ] the default `width` of `label` is 9\n"),
    "handled": (
        "    text = label(name)\n",
        TRIED,
        f"{TASK}- [ ] `shown('')` ignores the error: it is `''`\n",
    ),
}
MORE_TESTS = {
    "more": "\n\ndef test_label_takes_a_fill():\n    assert shop.label('a', fill='.') == 'a.......'\n",
    "asked": "\n\ndef test_default_width_of_label():\n    assert len(shop.label('a')) == 9\n",
    "handled": "\n\ndef test_shown_ignores_the_error():\n    assert shop.shown('') == ''\n",
}
SCRIPT = """function price(cents) {
  return cents;
}

function fetchAll(url, { retries = 3, wait = 1 } = {}) {
  return `${url} ${retries} ${wait}`;
}

function save(name, how = 'w') {
  return price(name) + how;
}

module.exports = { price, fetchAll, save };
"""
SCRIPT_RIGHT = SCRIPT.replace("return cents", "return 2 * cents")
SCRIPT_TEST = """const test = require('node:test');
const assert = require('node:assert');
const { price } = require('../index.js');

test('price returns twice the cents', () => {
  assert.strictEqual(price(4), 8);
  assert.strictEqual(price(7), 14);
});
"""
SCRIPT_OLD = """const test = require('node:test');
const assert = require('node:assert');
const { price } = require('../index.js');

test('nothing costs nothing', () => {
  assert.strictEqual(price(0), 0);
});
"""
SCRIPT_WRONG = {
    "option": ("retries = 3", "retries = 0", "`retries` is `0` where a call does not give it"),
    "gone": ("{ retries = 3, wait = 1 }", "{ attempts = 3, wait = 1 }", "called `attempts`"),
    "default": ("how = 'w'", "how = 'a'", "`how` is `'a'` where a call does not give it"),
    "moved": ("save(name, how = 'w')", "save(how, name)", "`name` stands at another place"),
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Folder:
    old = "import shop\n\n\ndef test_shop():\n    assert shop.price(0) == 0\n"
    return open_folder(
        tmp_path_factory.mktemp("callers"), {"shop.py": SHOP, "tests/test_shop.py": old}
    )


@pytest.fixture(scope="module")
def node(tmp_path_factory: pytest.TempPathFactory) -> Folder:
    files = {
        "package.json": '{"name": "shop", "version": "1.0.0", "scripts": {"test": "node --test test/"}}\n',
        "index.js": SCRIPT,
        "test/shop.test.js": SCRIPT_OLD,
    }
    return open_folder(tmp_path_factory.mktemp("callers-node"), files)


def _changed(text: str, old: str, new: str) -> str:
    assert old in text
    return text.replace(old, new)


@pytest.mark.parametrize("name", WRONG)
def test_what_breaks_callers_asks_a_person(folder: Folder, name: str) -> None:
    old, new, said = WRONG[name]
    files: Files = {"shop.py": _changed(RIGHT, old, new), "tests/test_price.py": TEST}
    judged = folder.judge(folder.branch(name, files), task=TASK)
    assert judged.conclusion == "action_required", judged.said()
    assert said in judged.said()


@pytest.mark.parametrize("name", RIGHTS)
def test_what_callers_may_keep_or_the_task_asks_for_passes(folder: Folder, name: str) -> None:
    old, new, task = RIGHTS[name]
    test = TEST + MORE_TESTS.get(name, "")
    files: Files = {"shop.py": _changed(RIGHT, old, new), "tests/test_price.py": test}
    judged = folder.judge(folder.branch(f"right-{name}", files), task=task)
    assert judged.conclusion == "success", judged.said()


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=[pytest.mark.slow] if name in ("gone", "moved") else [])
        for name in SCRIPT_WRONG
    ],
)
def test_what_breaks_callers_of_javascript_asks_a_person(node: Folder, name: str) -> None:
    old, new, said = SCRIPT_WRONG[name]
    files: Files = {"index.js": _changed(SCRIPT_RIGHT, old, new), "test/price.test.js": SCRIPT_TEST}
    judged = node.judge(node.branch(name, files), task=TASK)
    assert judged.conclusion == "action_required", judged.said()
    assert said in judged.said()


def test_what_takes_nothing_from_callers_of_javascript_passes(node: Folder) -> None:
    files: Files = {
        "index.js": SCRIPT_RIGHT.replace("save(name, how = 'w')", 'save(title, how = "w")').replace(
            "price(name)", "price(title)"
        ),
        "test/price.test.js": SCRIPT_TEST,
    }
    judged = node.judge(node.branch("right", files), task=TASK)
    assert judged.conclusion == "success", judged.said()
