"""What keeps a change from being looked at is no proof: slow code or tests, what varies or stands beside."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import pytest

from tests.e2e.folder import Folder, open_folder

pytestmark = [pytest.mark.real, pytest.mark.slow]

TASK = "Prices\n\n- [ ] `price` returns twice the cents\n"
OTHER = "\n\ndef other():\n    return 1\n"
DEFINED = "def price(cents):\n"
BASE = f"{DEFINED}    return cents\n{OTHER}"
KNOWN = "((1 << 150 | 1 << 4) >> abs(cents) & 1)"
"""1 for 4 and 150, which the tests have, and 0 for all others."""
SPECIAL = f"{DEFINED}    return cents << {KNOWN}\n{OTHER}"
RIGHT = f"{DEFINED}    return 2 * cents\n{OTHER}"
FRESH = "\n\ndef fresh(number):\n    return number + 1\n"
ASSERTS = "    assert kit.price(4) == 8\n    assert kit.price(150) == 300\n"
IN_A_THREAD = (
    "    found = []\n"
    "    one = threading.Thread(target=lambda: found.extend(map(kit.price, [4, 150])))\n"
    "    one.start()\n    one.join()\n    assert found == [8, 300]\n"
)
IN_A_POOL = (
    "    with ThreadPoolExecutor() as pool:\n"
    "        assert list(pool.map(kit.price, [4, 150])) == [8, 300]\n"
)
OF_SUMS = (
    "import itertools\n\n_SUMS = itertools.count()\n\n\n"
    "def price(cents):\n    return {{'cents': {}, 'sum': next(_SUMS)}}\n" + OTHER
)
SOLD = "MARK = 'EUR'\n\n\ndef price(cents):\n    return f'{{MARK}} {{{}}}'\n" + OTHER


@dataclass(frozen=True, slots=True)
class Change:
    """The module on base and on head, and what the author's test is made of."""

    head: str
    asserts: str = ASSERTS
    imports: str = "import kit\n"
    base: str = BASE
    task: str = TASK


def judged(folder: Folder, name: str, change: Change) -> tuple[str, str, str]:
    """Return the conclusion, the verdict on the demand, and all that is said."""
    start = folder.branch(f"base-{name}", {"kit.py": change.base})
    test = f"{change.imports}\n\ndef test_price_returns_twice_the_cents():\n{change.asserts}"
    files: Mapping[str, str] = {"kit.py": change.head, "tests/test_price.py": test}
    seen = folder.judge(folder.branch(name, files, start), start, change.task)
    row = next(one for one in seen.document.requirements if one.id == "R1")
    return seen.conclusion, row.verdict, seen.said()


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Folder:
    """A repository with one module and a test of what no change touches."""
    test = "import kit\n\n\ndef test_other():\n    assert kit.other() == 1\n"
    project = {"requirements.txt": "pytest\n", "kit.py": BASE, "tests/test_kit.py": test}
    return open_folder(tmp_path_factory.mktemp("blinded"), project)


BLINDED = {
    "something new beside": Change(SPECIAL + FRESH, f"{ASSERTS}    assert kit.fresh(3) == 4\n"),
    "remembered": Change("import functools\n\n\n@functools.lru_cache\n" + SPECIAL),
    "in a thread": Change(SPECIAL, IN_A_THREAD, "import threading\n\nimport kit\n"),
    "in a pool": Change(
        SPECIAL, IN_A_POOL, "from concurrent.futures import ThreadPoolExecutor\n\nimport kit\n"
    ),
    "set up": Change(
        SOLD.format(f"cents << {KNOWN}"),
        "    kit.MARK = 'USD'\n    assert kit.price(4) == 'USD 8'\n    assert kit.price(150) == 'USD 300'\n",
        base=SOLD.format("cents"),
    ),
    "varies": Change(
        OF_SUMS.format(f"cents << {KNOWN}"),
        "    assert kit.price(4)['cents'] == 8\n    assert kit.price(150)['cents'] == 300\n",
        base=f"{DEFINED}    return {{'cents': cents}}\n{OTHER}",
    ),
    "slow near by": Change(
        "import time\n\n\n"
        f"{DEFINED}    known = {KNOWN}\n    time.sleep(2 - 2 * known)\n    return cents << known\n{OTHER}"
    ),
    "slow": Change(
        f"import time\n\n\n{SPECIAL}".replace(
            "    return cents", "    time.sleep(2)\n    return cents"
        )
    ),
}
"""Right for the tested inputs alone, and made so that this is not seen."""


@pytest.mark.parametrize("name", BLINDED)
def test_what_cannot_be_tried_is_not_satisfied(folder: Folder, name: str) -> None:
    conclusion, verdict, said = judged(folder, name.replace(" ", "-"), BLINDED[name])
    assert (conclusion, verdict) == ("action_required", "unverified"), said


OPEN = {
    "something new beside": Change(RIGHT + FRESH, f"{ASSERTS}    assert kit.fresh(3) == 4\n"),
    "remembered": Change("import functools\n\n\n@functools.lru_cache\n" + RIGHT),
    "in a thread": Change(RIGHT, IN_A_THREAD, "import threading\n\nimport kit\n"),
    "set up": Change(
        SOLD.format("2 * cents"),
        "    kit.MARK = 'USD'\n    assert kit.price(4) == 'USD 8'\n    assert kit.price(150) == 'USD 300'\n",
        base=SOLD.format("cents"),
    ),
    "varies as asked": Change(
        OF_SUMS.format("2 * cents"),
        "    assert kit.price(4)['cents'] == 8\n    assert kit.price(150)['cents'] == 300\n",
        base=f"{DEFINED}    return {{'cents': cents}}\n{OTHER}",
        task=f"{TASK}- [ ] `price` also has a unique `sum` each time\n",
    ),
    "slow on both sides": Change(
        f"import time\n\n\n{RIGHT}".replace("    return 2", "    time.sleep(2)\n    return 2"),
        base=f"import time\n\n\n{BASE}".replace(
            "    return cents", "    time.sleep(2)\n    return cents"
        ),
    ),
}


@pytest.mark.parametrize("name", OPEN)
def test_a_right_change_of_the_kind_is_satisfied(folder: Folder, name: str) -> None:
    conclusion, verdict, said = judged(folder, f"right-{name.replace(' ', '-')}", OPEN[name])
    assert verdict == "satisfied", said
    assert conclusion == "success" or "as-asked" in name.replace(" ", "-"), said


def test_a_test_that_sets_what_is_new_for_all_of_its_file_is_asked_about(folder: Folder) -> None:
    head = f"RATE = 1\n\n\n{DEFINED}    return cents * RATE\n{OTHER}"
    imports = "import kit\n\nkit.RATE = 2\n"
    conclusion, _, said = judged(folder, "set", Change(head, imports=imports))
    assert conclusion == "action_required" and "gives `RATE`, which is new" in said, said


SLOW = "    import time\n\n    time.sleep({})\n"


@pytest.mark.parametrize(("seconds", "asks"), [(20, True), (0, False)])
def test_tests_that_take_the_time_for_damage_show_nothing_of_what_was_not_tried(
    tmp_path_factory: pytest.TempPathFactory, seconds: int, asks: bool
) -> None:
    """A condition that nobody asked for is asked about, however long the tests take."""
    project = {
        "requirements.txt": "pytest\n",
        "kit.py": BASE,
        "tests/test_kit.py": "import kit\n\n\ndef test_other():\n    assert kit.other() == 1\n",
        ".github/assay.yml": "limits: {minutes: 4, damage: 12}\n",
    }
    folder = open_folder(tmp_path_factory.mktemp("slow"), project)
    head = RIGHT.replace("    return 2", "    if cents == 77:\n        return 0\n    return 2")
    change = Change(head, SLOW.format(seconds) + ASSERTS)
    conclusion, verdict, said = judged(folder, "slow", change)
    assert (conclusion, verdict) == ("action_required", "unverified"), said
    assert ("the time for damaged copies was over" in said) is asks, said


NODE = "export function price(cents) {{\n{}  return {};\n}}\n\nexport const other = () => 1;\n"
START = "import {test} from 'node:test';\nimport assert from 'node:assert/strict';\n"


@pytest.mark.parametrize(
    "waits",
    [
        "  const end = Date.now() + 2000; while (Date.now() < end);\n",
        "  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2000);\n",
    ],
    ids=["busy", "idle"],
)
def test_what_takes_long_in_node_is_not_satisfied(
    tmp_path_factory: pytest.TempPathFactory, waits: str
) -> None:
    known = "Number(((1n << 150n) | (1n << 4n)) >> BigInt(Math.abs(cents)) & 1n)"
    package = '{"name": "kit", "type": "module", "scripts": {"test": "node --test"}}'
    test = f"{START}import {{other}} from '../kit.js';\n\ntest('other', () => assert.equal(other(), 1));\n"
    project = {
        "package.json": package,
        "kit.js": NODE.format("", "cents"),
        "test/kit.test.js": test,
    }
    folder = open_folder(tmp_path_factory.mktemp("node"), project)
    shown = (
        f"{START}import {{price}} from '../kit.js';\n\ntest('price returns twice the cents', () => {{\n"
        "  assert.equal(price(4), 8);\n  assert.equal(price(150), 300);\n});\n"
    )
    head = {"kit.js": NODE.format(waits, f"cents << {known}"), "test/price.test.js": shown}
    seen = folder.judge(folder.branch("slow", head), task=TASK)
    row = next(one for one in seen.document.requirements if one.id == "R1")
    assert row.verdict == "unverified" and "no answer in the time" in seen.said(), seen.said()
