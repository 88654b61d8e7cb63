"""A new option leaves calls without it as they are: who changes them on the way is asked."""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from dataclasses import dataclass

import pytest

from tests.e2e.folder import Folder, open_folder
from tests.e2e.test_called_again import NODE_PROJECT

pytestmark = [pytest.mark.slow, pytest.mark.real]
needs_node = pytest.mark.skipif(not shutil.which("node"), reason="node is not installed")


@dataclass(frozen=True, slots=True)
class Option:
    """A demand of a new option, the code before and after, and the new test; `is_right` if nothing else
    changes that no test shows."""

    demand: str
    base: str
    head: str
    test: str
    is_right: bool


_ROWS = "def rows(orders):\n    return [one['id'] for one in orders]\n"
_PAID = (
    "    orders = [{'id': 2, 'paid': True}, {'id': 1, 'paid': False}]\n"
    "    assert list(rows(orders, paid=True)) == [2]\n"
    "    assert list(rows(orders, paid=False)) == [1]\n"
)
_OF_ROWS = "`rows` can be only the `paid` ones"
_OF_GROSS = "`gross` with `reduced` adds 6.25 percent"
_GROSS = (
    "from decimal import Decimal\n\n\ndef gross(net):\n    return Decimal(net) * Decimal('1.25')\n"
)
_REDUCED = "    assert gross(16, reduced=True) == 17\n    assert gross(8, reduced=True) == 8.5\n"
PYTHON = {
    "iterator": Option(
        _OF_ROWS,
        _ROWS,
        "def rows(orders, paid=None):\n"
        "    return (one['id'] for one in orders if paid is None or one['paid'] == paid)\n",
        _PAID,
        is_right=False,
    ),
    "list": Option(
        _OF_ROWS,
        _ROWS,
        "def rows(orders, paid=None):\n"
        "    return [one['id'] for one in orders if paid is None or one['paid'] == paid]\n",
        _PAID,
        is_right=True,
    ),
    "float": Option(
        _OF_GROSS,
        _GROSS,
        "def gross(net, reduced=False):\n    return float(net) * (1.0625 if reduced else 1.25)\n",
        _REDUCED,
        is_right=False,
    ),
    "exact": Option(
        _OF_GROSS,
        _GROSS,
        "from decimal import Decimal\n\n\ndef gross(net, reduced=False):\n"
        "    return Decimal(net) * Decimal('1.0625' if reduced else '1.25')\n",
        _REDUCED,
        is_right=True,
    ),
    "shown": Option(
        _OF_ROWS,
        _ROWS,
        "def rows(orders, paid=None):\n"
        "    return sorted(one['id'] for one in orders if paid is None or one['paid'] == paid)\n",
        _PAID + "    assert rows(orders) == [1, 2]\n",
        is_right=True,
    ),
    "others shown": Option(
        "`label` decodes bytes, and `errors` says how",
        "def label(value):\n    return str(value)\n",
        "def label(value, errors='replace'):\n"
        "    return value.decode(errors=errors) if isinstance(value, bytes) else str(value)\n",
        "    assert label(b'ab') == 'ab'\n    assert label(b'cd') == 'cd'\n"
        "    assert label(b'a\\xff', errors='ignore') == 'a'\n",
        is_right=True,
    ),
}
_LABEL = "export function label(price) {\n  return price.toFixed(2);\n}\n"
_IN_EUROS = (
    "  assert.equal(label(1.5, {currency: 'EUR'}), '1.50 EUR');\n"
    "  assert.equal(label(2, {currency: 'USD'}), '2.00 USD');\n"
)
_OF_LABEL = "`label` takes a `currency`, which stands behind the price"
_MASK = (
    "export function mask(card) {\n  const digits = String(card).replace(/\\D/g, '');\n"
    "  return '*'.repeat(Math.max(digits.length - 4, 0)) + digits.slice(-4);\n}\n"
)
_SIGNS = "  assert.equal(mask('4111111111111111', {sign: '#'}), '############1111');\n"
_OF_MASK = "`mask` takes another `sign`"
_WITH = "export function label(price, {currency} = {}) {\n  return "
NODE = {
    "rounded": Option(
        _OF_LABEL,
        _LABEL,
        _WITH + "currency ? `${price.toFixed(2)} ${currency}` : String(price);\n}\n",
        _IN_EUROS,
        is_right=False,
    ),
    "rewritten": Option(
        _OF_MASK,
        _MASK,
        "export function mask(card, {sign = '*'} = {}) {\n"
        "  return card.slice(0, -4).replace(/\\d/g, sign) + card.slice(-4);\n}\n",
        _SIGNS,
        is_right=False,
    ),
    "signed": Option(
        _OF_MASK,
        _MASK,
        _MASK.replace("(card)", "(card, {sign = '*'} = {})", 1).replace(
            "'*'.repeat", "sign.repeat"
        ),
        _SIGNS,
        is_right=True,
    ),
    "added": Option(
        _OF_LABEL,
        _LABEL,
        _WITH + "price.toFixed(2) + (currency ? ` ${currency}` : '');\n}\n",
        _IN_EUROS,
        is_right=True,
    ),
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Folder:
    return open_folder(tmp_path_factory.mktemp("options"))


@pytest.fixture(scope="module")
def node_folder(tmp_path_factory: pytest.TempPathFactory) -> Folder:
    return open_folder(tmp_path_factory.mktemp("options"), NODE_PROJECT)


@pytest.mark.parametrize("name", PYTHON)
def test_a_new_option_of_python(folder: Folder, name: str) -> None:
    option = PYTHON[name]
    function = option.demand.split("`")[1]
    test = f"from option import {function}\n\n\ndef test_{_said(option)}():\n{option.test}"
    _assert_told(folder, name, option, {"option.py": option.base}, {"tests/test_option.py": test})


@needs_node
@pytest.mark.parametrize("name", NODE)
def test_a_new_option_of_javascript(node_folder: Folder, name: str) -> None:
    option = NODE[name]
    function = option.demand.split("`")[1]
    test = (
        "import {test} from 'node:test';\nimport assert from 'node:assert/strict';\n"
        f"import {{{function}}} from '../option.js';\n\ntest('{_said(option)}', () => {{\n{option.test}}});\n"
    )
    _assert_told(
        node_folder, name, option, {"option.js": option.base}, {"test/option.test.js": test}
    )


def _said(option: Option) -> str:
    return "_".join(
        "".join(one for one in option.demand.lower() if one.isalnum() or one == " ").split()
    )


def _assert_told(
    folder: Folder, name: str, option: Option, base: Mapping[str, str], test: Mapping[str, str]
) -> None:
    name = name.replace(" ", "-")
    start = folder.branch(f"{name}-start", base)
    head = {**dict.fromkeys(base, option.head), **test}
    judged = folder.judge(
        folder.branch(name, head, start), start, f"Options\n\n- [ ] {option.demand}\n"
    )
    if option.is_right:
        assert judged.conclusion == "success", judged.said()
    else:
        assert judged.conclusion == "action_required", judged.said()
        assert "without what is new in the tests' call" in judged.said()
