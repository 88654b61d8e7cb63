"""Tests that see no damage prove nothing: hollow ones are refused, right changes of every shape are not."""

from __future__ import annotations

import pytest

from tests.e2e.folder import FIX, Folder, Judged, open_folder

pytestmark = pytest.mark.real


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Folder:
    return open_folder(tmp_path_factory.mktemp("damage"))


NEW = "def double(cents):\n    return 2 * cents\n\n\n"
WRONG = "def double(cents):\n    return 3 * cents\n\n\n"
SHOP = "def price(cents):\n    return cents\n\n\ndef name():\n    return 'shop'\n"
TASK = "Prices can be doubled\n\n- [ ] `double` returns twice the cents\n"


def row(judged: Judged, id_: str) -> str:
    (found,) = [one for one in judged.document.requirements if one.id == id_]
    return f"{found.verdict}: {found.reason}"


def test_a_fix_with_its_test_notices_damage(folder: Folder) -> None:
    judged = folder.judge(folder.branch("fix", FIX))
    assert judged.conclusion == "success", judged.said()
    assert "damages noticed" in row(judged, "R1"), row(judged, "R1")


HOLLOW = {
    "callable": "assert callable(double)",
    "try-pass": "try:\n        assert double(4) == 8\n    except Exception:\n        pass",
    "try-assertion": "try:\n        assert double(4) == 8\n    except AssertionError:\n        pass",
    "empty-loop": "for cents, twice in ():\n        assert double(cents) == twice",
    "itself": "assert double(4) == double(4)",
    "any": "from unittest import mock\n\n    assert double(4) == mock.ANY",
    "mocked": (
        "from unittest import mock\n\n    with mock.patch('shop.double', return_value=8):\n"
        "        assert shop.double(4) == 8"
    ),
    "always-equal": (
        "class Eight:\n        def __eq__(self, other):\n            return True\n\n"
        "    assert double(4) == Eight()"
    ),
    "own-copy": (
        "def double(cents):\n        return 2 * cents\n\n    assert shop.double\n    assert double(4) == 8"
    ),
    "generated": "assert all(double(n) == 2 * n for n in range(0))",
}
"""What a test can say of a wrong `double` and stay green; on base there is no `double`."""


@pytest.mark.parametrize("name", HOLLOW)
def test_a_hollow_test_satisfies_nothing(folder: Folder, name: str) -> None:
    text = f"import shop\nfrom shop import double\n\n\ndef test_double_returns_twice_the_cents():\n    {HOLLOW[name]}\n"
    judged = folder.judge(
        folder.branch(name, {"shop.py": WRONG + SHOP, "tests/test_double.py": text}), task=TASK
    )
    assert judged.conclusion == "action_required", judged.said()
    assert "unverified" in row(judged, "R1")
    assert "0 of" in row(judged, "R1"), row(judged, "R1")


IN_PROCESS = {
    "conftest": (
        "tests/conftest.py",
        "import pytest\n\n\n@pytest.hookimpl(hookwrapper=True)\ndef pytest_runtest_call(item):\n"
        "    outcome = yield\n    outcome.force_result(None)\n",
    ),
    "assert-rewritten": (
        "tests/conftest.py",
        "import builtins\n\n\ndef pytest_pyfunc_call(pyfuncitem):\n    return True\n",
    ),
}


@pytest.mark.parametrize("name", IN_PROCESS)
def test_results_that_are_made_up_satisfy_nothing(folder: Folder, name: str) -> None:
    path, text = IN_PROCESS[name]
    test = "from shop import double\n\n\ndef test_double_returns_twice_the_cents():\n    assert double(4) == 8\n"
    files = {"shop.py": WRONG + SHOP, "tests/test_double.py": test, path: text}
    judged = folder.judge(folder.branch(name, files), task=TASK)
    assert judged.conclusion != "success", judged.said()
    assert "unverified" in row(judged, "R1"), judged.said()


UNITTEST = {
    "assert-equal": (
        "shop.py",
        "import unittest\n\nunittest.TestCase.assertEqual = lambda *_: None\n\n\n",
    ),
    "get-obj": (
        "tests/conftest.py",
        "import _pytest.python\n\n_pytest.python.Function._getobj = lambda self: (lambda *_, **__: None)\n",
    ),
}


@pytest.mark.parametrize("name", UNITTEST)
def test_an_assertion_that_is_patched_satisfies_nothing(folder: Folder, name: str) -> None:
    path, text = UNITTEST[name]
    test = (
        "import unittest\n\nimport shop\n\n\nclass TestDouble(unittest.TestCase):\n"
        "    def test_double_returns_twice_the_cents(self):\n        self.assertEqual(shop.double(4), 8)\n"
    )
    files = {"shop.py": WRONG + SHOP, "tests/test_double.py": test}
    files[path] = text + files.get(path, "")
    judged = folder.judge(folder.branch(name, files), task=TASK)
    assert judged.conclusion != "success", judged.said()
    assert "unverified" in row(judged, "R1"), judged.said()
