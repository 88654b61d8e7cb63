"""Which projects of a repository use what a diff changes, in every language that is built."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from bot.evidence.code_map.impact import changed_symbols, dependents
from bot.evidence.code_map.index import CodeIndex
from bot.values import Dependent
from sandbox.code_map.facts import Code
from sandbox.values import ChangeStatus, Diff, FileChange, Hunk
from tests.bot.evidence.test_code import files

PYTHON = {
    "alpha/shop/alpha/pricing.py": (
        "RATE = 2\n\n\ndef price(euros):\n    return _cents(euros)\n\n\n"
        "def _cents(euros):\n    return int(euros * 100)\n\n\n"
        "class Cart:\n    def __len__(self):\n        return 0\n"
    ),
    "alpha/tests/test_pricing.py": "from shop.alpha.pricing import price\n\n\ndef test():\n    price(1)\n",
    "beta/shop/beta/bills.py": (
        "from shop.alpha.pricing import price\n\n\ndef bill(euros):\n    return price(euros)\n"
    ),
    "gamma/shop/gamma/sent.py": "from shop.beta.bills import bill\n\n\ndef send():\n    return bill(1)\n",
    "delta/shop/delta/carts.py": "from shop.alpha.pricing import Cart\n\n\ndef cart():\n    return Cart()\n",
    "other/shop/other/price.py": "def price(shares):\n    return shares\n\n\nprice(1)\n",
    "apart/shop/apart/names.py": "def named(one):\n    return one.price(2), one._cents(3)\n",
}
NODE = {
    "alpha/src/api.ts": "export * from './pricing';\n",
    "alpha/src/pricing.ts": "export function price(euros: number) {\n  return euros;\n}\n",
    "beta/src/bills.ts": (
        "import { price } from '@shop/alpha';\nexport const bill = (euros: number) => price(euros);\n"
    ),
    "gamma/src/prices.ts": "export function price(shares: number) {\n  return shares;\n}\n",
    "delta/src/own.ts": "import { price } from '../../alpha/src/pricing';\nprice(1);\n",
}
GO = {
    "alpha/pricing.go": "package alpha\n\nfunc Price(euros int) int {\n\treturn euros\n}\n",
    "beta/bill.go": (
        'package beta\nimport "example.com/shop/alpha"\n\nfunc Bill() int {\n\treturn alpha.Price(1)\n}\n'
    ),
    "gamma/price.go": "package gamma\n\nfunc Price(n int) int {\n\treturn n\n}\n",
}
RUST = {
    "alpha/src/lib.rs": "pub fn price(euros: i64) -> i64 {\n    euros\n}\n",
    "beta/src/lib.rs": "use shop_alpha::price;\n\npub fn bill() -> i64 {\n    price(1)\n}\n",
    "gamma/src/lib.rs": "pub fn price(n: i64) -> i64 {\n    n\n}\n",
}
JAVA = {
    "alpha/src/main/java/shop/alpha/Prices.java": (
        "package shop.alpha;\npublic class Prices {\n  public static int price(int euros) {\n"
        "    return euros;\n  }\n}\n"
    ),
    "beta/src/main/java/shop/beta/Bills.java": (
        "package shop.beta;\nimport shop.alpha.Prices;\npublic class Bills {\n  int bill() {\n"
        "    return Prices.price(1);\n  }\n}\n"
    ),
}
C = {
    "alpha/price.h": "int price(int euros);\n",
    "alpha/price.c": '#include "price.h"\n\nint price(int euros) {\n  return euros;\n}\n',
    "beta/bill.c": '#include "../alpha/price.h"\n\nint bill(void) {\n  return price(1);\n}\n',
}
SHELL = {
    "alpha/lib.sh": "price() {\n  echo 1\n}\n",
    "beta/bill.sh": "source ../alpha/lib.sh\n\nbill() {\n  price\n}\n",
}


def using(
    texts: Mapping[str, str],
    path: str,
    line: int,
    packages: Mapping[str, str] = {},
    new: str = "new",
) -> tuple[Dependent, ...]:
    hunk = Hunk(line, 1, line, 1, ("-# old", f"+{new}"))
    diff = Diff((FileChange(path, ChangeStatus.MODIFIED, None, (hunk,)),))
    code = Code(files(texts), files(texts))
    index = CodeIndex(code.head, packages)
    return dependents(diff, changed_symbols(code, diff), index, lambda one: one.partition("/")[0])


@pytest.mark.parametrize(
    ("texts", "path", "line", "packages", "found"),
    [
        (NODE, "alpha/src/pricing.ts", 2, {"@shop/alpha": "alpha"}, ("beta", "delta")),
        (GO, "alpha/pricing.go", 4, {"example.com/shop/alpha": "alpha"}, ("beta",)),
        (GO, "alpha/pricing.go", 4, {}, ("beta",)),
        (RUST, "alpha/src/lib.rs", 2, {"shop_alpha": "alpha"}, ("beta",)),
        (JAVA, "alpha/src/main/java/shop/alpha/Prices.java", 4, {}, ("beta",)),
        (C, "alpha/price.c", 4, {}, ("beta",)),
        (SHELL, "alpha/lib.sh", 2, {}, ("beta",)),
    ],
    ids=["node", "go", "go by path", "rust", "java", "c", "shell"],
)
def test_a_project_that_calls_what_changed_is_found(texts, path, line, packages, found):
    assert tuple(one.folder for one in using(texts, path, line, packages)) == found


def test_users_of_users_are_found_and_namesakes_are_not():
    found = {one.folder: one.uses for one in using(PYTHON, "alpha/shop/alpha/pricing.py", 5)}
    assert found == {"beta": ("price",), "gamma": ("price",)}
    private = {one.folder: one.uses for one in using(PYTHON, "alpha/shop/alpha/pricing.py", 9)}
    assert private == {"beta": ("_cents",), "gamma": ("_cents",)}


@pytest.mark.parametrize(
    ("suffix", "own", "text", "test"),
    [
        ("py", "own.py", "from .errors import Failure", "from .own import Failure"),
        ("py", "own.py", "from . import errors", "from .own import Failure"),
        ("py", "own.py", "from ..bills.errors import Failure", "from conftest import Failure"),
        ("py", "own.py", "from .errors import Failure", "from tests.conftest import Failure"),
        ("ts", "own.ts", "import { Failure } from './errors';", "import '../bills/own';"),
    ],
)
def test_a_relative_import_or_one_of_a_module_beside_means_no_namesake(suffix, own, text, test):
    """Projects of one repository have files of the same names; each means its own."""
    texts: dict[str, str] = {}
    for folder in ("alpha", "beta"):
        package = f"{folder}/{'prices' if folder == 'alpha' else 'bills'}"
        failure = (
            "class Failure(Exception):\n    pass\n"
            if suffix == "py"
            else "export class Failure {}\n"
        )
        texts[f"{package}/errors.{suffix}"] = failure
        texts[f"{package}/__init__.{suffix}"] = ""
        texts[f"{folder}/tests/conftest.{suffix}"] = failure
        texts[f"{folder}/tests/test_it.{suffix}"] = f"{test}\n\n\nraise Failure\n"
    texts[f"beta/bills/{own}"] = f"{text}\n\n\nraise Failure\n"
    for path in (f"alpha/prices/errors.{suffix}", f"alpha/tests/conftest.{suffix}"):
        assert using(texts, path, 1, new="class Failure: ...") == ()
    texts["gamma/own.py"] = "from prices.errors import Failure\n\n\nraise Failure\n"
    found = using(texts, f"alpha/prices/errors.{suffix}", 1)
    assert [one.folder for one in found] == ["gamma"]


def test_a_relative_import_of_another_project_is_seen():
    texts = {
        "alpha/errors.py": "class Failure(Exception):\n    pass\n",
        "beta/errors.py": "class Failure(Exception):\n    pass\n",
        "beta/shop/own.py": "from ...alpha.errors import Failure\n\n\nraise Failure\n",
    }
    assert using(texts, "alpha/errors.py", 1) == (Dependent("beta", ("Failure",)),)
    assert using(texts, "beta/errors.py", 1) == ()


def test_a_relative_import_with_a_dot_in_its_name_means_that_file_alone():
    """Each package of a workspace has a `jest.config.ts`, and imports that of the top."""
    own = "export function price() {}\n"
    texts = {
        "alpha/price.config.ts": own,
        "beta/price.config.ts": own,
        "beta/own.ts": "import { price } from './price.config';\nprice();\n",
        "gamma/own.ts": "import { price } from '../alpha/price.config';\nprice();\n",
    }
    new = "export function price() { return 1 }"
    assert using(texts, "alpha/price.config.ts", 1, new=new) == (Dependent("gamma", ("price",)),)
    assert using(texts, "beta/price.config.ts", 1, new=new) == ()


def test_a_class_changes_with_its_methods():
    found = using(PYTHON, "alpha/shop/alpha/pricing.py", 14)
    assert found == (Dependent("delta", ("Cart",)),)


def test_a_line_outside_of_all_definitions_concerns_whoever_imports_its_file():
    path = "alpha/shop/alpha/pricing.py"
    found = using(PYTHON, path, 2, new="register(price)")
    assert {one.folder for one in found} == {"beta", "gamma", "delta"}
    assert using(PYTHON, path, 2, new="# a comment") == ()
    assert using(PYTHON, path, 2, new="import os") == ()


@pytest.mark.parametrize(
    ("path", "found"),
    [
        ("alpha/pyproject.toml", {"beta", "delta"}),
        ("alpha/shop/alpha/rates.json", {"beta", "delta"}),
        ("alpha/shop/alpha/gone.py", {"beta", "delta"}),
        ("alpha/README.md", set()),
        ("alpha/tests/data.json", set()),
        ("alpha/uv.lock", set()),
        ("other/shop/other/rates.json", set()),
    ],
)
def test_what_ships_with_a_project_concerns_whoever_imports_it(path, found):
    assert {one.folder for one in using(PYTHON, path, 1)} == found


@pytest.mark.parametrize(
    "text",
    [
        "import shop.alpha.pricing as p\n\n\ndef b():\n    return p.price(1)\n",
        "from shop.alpha import pricing\n\n\ndef b():\n    return pricing.price(1)\n",
        "from shop.alpha.pricing import price as cost\n\n\ndef b():\n    return cost(1)\n",
        "from shop.alpha.pricing import *\n\n\ndef b():\n    return price(1)\n",
    ],
)
def test_every_way_to_import_is_seen(text):
    init = {"alpha/shop/alpha/__init__.py": "", "beta/b.py": text}
    texts = {path: one for path, one in PYTHON.items() if "beta" not in path}
    found = using({**texts, **init}, "alpha/shop/alpha/pricing.py", 5)
    assert Dependent("beta", ("price",)) in found


@pytest.mark.parametrize(
    "text",
    [
        "import * as alpha from '@shop/alpha';\nalpha.price(1);\n",
        "const {price} = require('@shop/alpha');\nprice(1);\n",
        "const alpha = require('@shop/alpha');\nmodule.exports = () => alpha.price(1);\n",
        "async function f() {\n  const {price} = await import('@shop/alpha');\n  price(1);\n}\n",
        "import {price as cost} from '@shop/alpha';\nexport const x = () => cost(1);\n",
        "import {price} from '@shop/alpha/src/pricing.js';\nexport const x = () => price(1);\n",
    ],
)
def test_every_way_to_import_a_package_is_seen(text):
    packages = {"@shop/alpha": "alpha"}
    texts = {path: one for path, one in NODE.items() if "beta" not in path}
    found = using({**texts, "beta/src/bills.js": text}, "alpha/src/pricing.ts", 2, packages)
    assert Dependent("beta", ("price",)) in found
