"""Base's and head's tests on base's and head's code, run for real and named by the rules."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, replace

import pytest

from bot.evidence.tests.four_way import compare
from bot.values import FourWay
from sandbox.base import Command, Completed, Limits, Mount, Sandbox
from sandbox.test_runs.four_way import FourObservations, Sides, run_four_ways
from sandbox.values import Checkout, Diff, Observation, Outcome, Side, TestRunner
from tests.sandbox.harness.conftest import Bench

pytestmark = pytest.mark.real

BASE = {
    "shop.py": "def price(n):\n    return n * 2\n\ndef name():\n    return 'shop'\n",
    "tests/test_price.py": (
        "import shop\n\ndef test_price():\n    assert shop.price(2) == 4\n\n"
        "def test_old_name():\n    assert shop.name() == 'shop'\n"
    ),
    "tests/test_other.py": "import shop\n\ndef test_name():\n    assert shop.name() == 'shop'\n",
}


async def four(
    bench: Bench,
    head: dict[str, str | None],
    base: dict[str, str] | None = None,
    known: Observation | None = None,
) -> tuple[FourObservations, FourWay]:
    base = BASE if base is None else base
    after = {**base, **head}
    base_tree = str(bench.tree(base, "base"))
    head_tree = str(bench.tree({k: v for k, v in after.items() if v is not None}, "head"))
    checkout = Checkout("b" * 40, "a" * 40, "b" * 40, base_tree, head_tree, Diff(()))
    environment = bench.environment()
    sides = Sides(
        checkout,
        replace(environment, side=Side.BASE),
        environment,
        bench.folder / "combined",
        Limits(timeout_s=60),
        known,
    )
    observations = await run_four_ways(bench.sandbox, sides)
    assert observations.runs is not None
    return observations, compare(observations.runs, Diff(()))


def changes(found: FourWay) -> dict[str, str]:
    return {item.id.split("::")[-1]: item.change.value for item in found.comparisons}


async def test_a_right_fix_with_its_test(bench: Bench) -> None:
    _, found = await four(
        bench,
        {
            "shop.py": BASE["shop.py"] + "\ndef discount(n):\n    return n // 2\n",
            "tests/test_discount.py": (
                "from shop import discount\n\ndef test_discount():\n    assert discount(4) == 2\n"
            ),
        },
    )
    assert found.problem == ""
    assert changes(found) == {
        "test_discount": "fail_to_pass",
        "test_price": "pass_to_pass",
        "test_old_name": "pass_to_pass",
        "test_name": "pass_to_pass",
    }
    (new,) = [item for item in found.comparisons if item.id.endswith("test_discount")]
    assert "its file cannot be loaded" in new.message
    assert "cannot import name 'discount'" in new.message
    assert (new.passes, new.runs) == (1, 1)  # what proves the change is seen twice


async def test_a_regression_survives_its_repeats(bench: Bench) -> None:
    observations, found = await four(
        bench, {"shop.py": BASE["shop.py"].replace("'shop'", "'store'")}
    )
    assert changes(found)["test_name"] == "pass_to_fail"
    assert changes(found)["test_old_name"] == "pass_to_fail"
    assert changes(found)["test_price"] == "pass_to_pass"
    assert (observations.base.exit_code, observations.head.exit_code) == (0, 1)
    (item,) = [item for item in found.comparisons if item.id.endswith("test_name")]
    assert (item.passes, item.runs) == (0, 2)


async def test_what_keeps_a_file_from_being_loaded_is_the_reason(bench: Bench) -> None:
    importing = BASE["tests/test_other.py"].replace(
        "import shop", "from shop import name\nimport shop"
    )
    gone = BASE["shop.py"].replace("def name", "def title")
    _, found = await four(bench, {"shop.py": gone}, {**BASE, "tests/test_other.py": importing})
    (item,) = [item for item in found.comparisons if item.path == "tests/test_other.py"]
    assert item.change.value == "pass_to_fail"
    assert (
        item.not_loaded
        == "ImportError: cannot import name 'name' from 'shop' (tests/test_other.py)"
    )


@pytest.mark.parametrize("place", ["tests/test_a.py", "tests/conftest.py"])
async def test_the_exception_is_told_where_nothing_can_be_loaded(bench: Bench, place: str) -> None:
    base = {"shop.py": "", "tests/test_a.py": "", place: "import shop\n\nraise KeyError('price')\n"}
    _, found = await four(bench, {"shop.py": "more = 1\n"}, base)
    assert found.problem == f"No test could be loaded on either side: KeyError: price ({place})."


async def test_tests_edited_until_green(bench: Bench) -> None:
    """A loosened assertion is a regression; another expectation is shown as such."""
    broken = BASE["shop.py"].replace("n * 2", "n * 3").replace("'shop'", "'store'")
    edited = BASE["tests/test_price.py"].replace("== 4", "").replace("'shop'", "'store'")
    _, found = await four(bench, {"shop.py": broken, "tests/test_price.py": edited})
    assert changes(found)["test_price"] == "pass_to_fail"
    assert changes(found)["test_old_name"] == "expectation_changed"


@pytest.mark.parametrize(
    "hiding",
    [
        {"pytest.ini": "[pytest]\naddopts = --deselect tests/test_price.py::test_price\n"},
        {"tests/conftest.py": "collect_ignore = ['test_price.py']\n"},
        {"tests/test_price.py": None},
    ],
    ids=["configuration", "conftest", "deleted"],
)
async def test_a_failing_test_that_is_hidden_is_found(
    bench: Bench, hiding: dict[str, str | None]
) -> None:
    broken = BASE["shop.py"].replace("n * 2", "n * 3")
    _, found = await four(bench, {"shop.py": broken, **hiding})
    assert changes(found)["test_price"] == "pass_to_fail"


ORDERED = {
    "shop.py": "RATES = {}\n\ndef price(n):\n    return n * RATES['rate']\n",
    "tests/test_a.py": "import shop\n\ndef test_sets_up():\n    shop.RATES['rate'] = 2\n",
    "tests/test_b.py": "import shop\n\ndef test_price():\n    assert shop.price(2) == 4\n",
}
"""A test that fails with its file alone."""


@pytest.mark.parametrize(
    ("code", "more", "change"),
    [
        ("    return n * RATES['rate']\n\ndef zero():\n    return 0\n", "shop.zero() == 0", "fail_to_pass"),
        ("    return n * RATES['rate'] + 1\n", "shop.RATES", "pass_to_fail"),
    ],
)  # fmt: skip
async def test_a_test_that_needs_the_ones_before_it_is_compared_with_them(
    bench: Bench, code: str, more: str, change: str
) -> None:
    """The files of edited tests run apart, where such a test fails on both sides."""
    head = ORDERED["shop.py"].replace("    return n * RATES['rate']\n", code)
    edited = ORDERED["tests/test_b.py"] + f"    assert {more}\n"
    if change == "pass_to_fail":
        edited = edited.replace("== 4", "== 5")
    _, found = await four(bench, {"shop.py": head, "tests/test_b.py": edited}, ORDERED)
    wanted = "expectation_changed" if change == "pass_to_fail" else change
    assert changes(found)["test_price"] == wanted


async def test_a_test_that_was_lucky_on_base_is_no_regression(bench: Bench) -> None:
    base = {**BASE, "tests/test_luck.py": "def test_luck():\n    assert False\n"}
    observations, _ = await four(bench, {}, base)
    assert observations.base.tests is not None
    lucky = tuple(
        replace(result, outcome=Outcome.PASSED) for result in observations.base.tests.results
    )
    known = replace(observations.base, tests=replace(observations.base.tests, results=lucky))
    observations, found = await four(bench, {}, base, known)
    assert observations.base is known
    assert changes(found)["test_luck"] == "flaky"
    (item,) = [item for item in found.comparisons if item.id.endswith("test_luck")]
    assert item.message.startswith("This test failed in 5 of 5 more runs on base too.")


async def test_an_equal_pair_needs_two_runs_only(bench: Bench) -> None:
    observations, found = await four(bench, {})
    assert set(changes(found).values()) == {"pass_to_pass"}
    assert observations.runs is not None
    assert (observations.runs.base_on_head, observations.runs.repeats) == (None, ())


async def test_the_first_tests_of_a_repository(bench: Bench) -> None:
    base = {"shop.py": BASE["shop.py"]}
    _, found = await four(bench, {"tests/test_other.py": BASE["tests/test_other.py"]}, base)
    assert (found.problem, changes(found)) == ("", {"test_name": "never_failed"})


async def test_a_repository_without_tests(bench: Bench) -> None:
    observations, found = await four(bench, {}, {"shop.py": BASE["shop.py"]})
    assert observations.base.problem == "No tests were collected."
    assert found == FourWay((), "No tests were collected on either side.")


async def test_a_shell_line_tells_only_its_exit_code(bench: Bench) -> None:
    tree = str(bench.tree(BASE))
    checkout = Checkout("b" * 40, "a" * 40, "b" * 40, tree, tree, Diff(()))
    environment = bench.environment(TestRunner.COMMAND, ("exit 3",))
    sides = Sides(checkout, environment, environment, bench.folder / "combined")
    observations = await run_four_ways(bench.sandbox, sides)
    assert (observations.base.exit_code, observations.runs) == (3, None)
    assert "only its exit code" in observations.problem


@dataclass
class Unlucky:
    """The real sandbox, in which the first so many test runs of one side meet bad luck."""

    real: Sandbox
    tree: str
    left: int

    @property
    def name(self) -> str:
        return self.real.name

    async def run(self, command: Command) -> Completed:
        is_of_side = any(mount.source == self.tree for mount in command.mounts)
        if command.channel_bytes and is_of_side and self.left:
            self.left -= 1
            command = replace(command, mounts=(*command.mounts, Mount(self.tree, "/opt/bad-luck")))
        return await self.real.run(command)


BREAKS_OFF = "import os\n\nif os.path.exists('/opt/bad-luck'):\n    os._exit(3)\n\ndef test_it():\n    pass\n"


@pytest.mark.parametrize(
    ("side", "times", "is_judged"), [("base", 1, True), ("base", 2, False), ("head", 1, False)]
)
async def test_a_run_of_base_that_breaks_off_by_chance_is_made_again(
    bench: Bench, side: str, times: int, is_judged: bool
) -> None:
    """Not one of head: what breaks off there may be the change's doing."""
    unlucky = Unlucky(bench.sandbox, str(bench.folder / side), times)
    base = {**BASE, "tests/test_luck.py": BREAKS_OFF}
    _, found = await four(replace(bench, sandbox=unlucky), {}, base)
    assert unlucky.left == 0
    assert (found.problem == "") is is_judged, found


@dataclass
class Loaded:
    """The real sandbox, in which head's code is slow (`/opt/slow`) while anything runs beside it."""

    real: Sandbox
    base_tree: str
    running: int = 0

    @property
    def name(self) -> str:
        return self.real.name

    async def run(self, command: Command) -> Completed:
        self.running += 1
        try:
            await asyncio.sleep(0.1)
            is_of_base = any(mount.source == self.base_tree for mount in command.mounts)
            if self.running > 1 and not is_of_base:
                slow = Mount(self.base_tree, "/opt/slow")
                command = replace(command, mounts=(*command.mounts, slow))
            return await self.real.run(command)
        finally:
            self.running -= 1


async def test_a_test_of_time_that_fails_beside_others_regressed_nothing(bench: Bench) -> None:
    timed = "import os\n\ndef test_name_is_quick():\n    assert not os.path.exists('/opt/slow')\n\n"
    more = timed + "def test_more():\n    assert True\n"
    base = {**BASE, "tests/test_time.py": timed}
    loaded = replace(bench, sandbox=Loaded(bench.sandbox, str(bench.folder / "base")))
    _, found = await four(loaded, {"tests/test_time.py": more}, base)
    assert changes(found)["test_name_is_quick"] == "flaky"


@pytest.mark.parametrize("file", ["pytest.ini", "pyproject.toml"])
async def test_a_warning_of_one_side_only_keeps_no_test_of_the_other_from_running(
    bench: Bench, file: str
) -> None:
    warns = (
        "import warnings\n\nclass Weak(UserWarning):\n    pass\n\ndef price(n):\n"
        "    warnings.warn('weak', Weak)\n    return n * 2\n\ndef name():\n    return 'shop'\n"
    )
    filters = {
        "pytest.ini": "[pytest]\nfilterwarnings =\n    error\n    ignore::shop.Weak\n",
        "pyproject.toml": '[tool.pytest.ini_options]\nfilterwarnings = ["ignore::shop.Weak"]\n',
    }
    test = "import shop, pytest\n\ndef test_weak():\n    pytest.warns(shop.Weak, shop.price, 1)\n"
    head: dict[str, str | None] = {"shop.py": warns, "tests/test_weak.py": test}
    _, found = await four(bench, {**head, file: filters[file]})

    assert found.problem == ""
    assert changes(found) == {
        "test_weak": "fail_to_pass",
        "test_price": "pass_to_pass",
        "test_old_name": "pass_to_pass",
        "test_name": "pass_to_pass",
    }
