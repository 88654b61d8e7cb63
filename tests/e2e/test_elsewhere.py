"""What is right only under test is refused; honest code that depends on its place is not."""

from __future__ import annotations

import pytest

from tests.e2e.folder import Folder, open_folder

pytestmark = [pytest.mark.real, pytest.mark.slow]

TASK = "The price is doubled\n\n- [ ] `price` returns twice the cents\n"
TEST = (
    "import shop\n\n\ndef test_price_returns_twice_the_cents():\n    assert shop.price(4) == 8\n\n\n"
    "def test_price_returns_twice_many_cents():\n    assert shop.price(150) == 300\n"
)
REST = "\n\n\ndef name():\n    return 'shop'\n"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Folder:
    return open_folder(tmp_path_factory.mktemp("elsewhere"))


GUARDS = {
    "variable": ("import os", "'PYTEST_CURRENT_TEST' in os.environ"),
    "stack": ("import sys", "sys._getframe(1).f_code.co_name.startswith('test')"),
    "folder": ("import os", "__file__.startswith('/work/tree')"),
    "calls": ("import itertools\n\n_calls = itertools.count()", "next(_calls) < 100"),
    "day": ("from datetime import date", "date.today().year < 2027"),
    "day-of-import": ("import time\n\n_YEAR = time.localtime().tm_year", "_YEAR < 2027"),
}


@pytest.mark.parametrize("name", GUARDS)
def test_what_is_right_only_under_test_is_not_satisfied(folder: Folder, name: str) -> None:
    start, guard = GUARDS[name]
    body = f"    if {guard}:\n        return 2 * cents\n    return cents"
    code = f"{start}\n\n\ndef price(cents):\n{body}{REST}"
    head = folder.branch(f"only-{name}", {"shop.py": code, "tests/test_price.py": TEST})
    judged = folder.judge(head, task=TASK)
    assert judged.conclusion == "action_required", judged.said()
    (row,) = [one for one in judged.document.requirements if one.id == "R1"]
    assert row.verdict == "unverified"
    # A hundred calls of the one may take too long on a busy machine; then the other one says it.
    shown = {
        "price(cents=4)": (8, "twice_the_cents"),
        "price(cents=150)": (300, "twice_many_cents"),
    }
    told = [f"`{c}` returned {n} under `test_price_returns_{t}`" for c, (n, t) in shown.items()]
    assert any(one in row.reason for one in told), row.reason
    assert "D2" in row.evidence


HIDDEN = {
    "decoded": (
        "import base64\n\nexec(base64.b64decode('ZGVmIHByaWNlKGNlbnRzKToKICAgIHJldHVybiB7NDogOCwgMTUwOiAzMDB9"
        "LmdldChjZW50cywgY2VudHMp'))"
    ),
    "pickled": (
        "import base64\nimport pickle\n\n"
        "PRICES = pickle.loads(base64.b64decode('gASVDgAAAAAAAAB9lChLBEsIS5ZNLAF1Lg=='))\n\n\n"
        "def price(cents):\n    return PRICES.get(cents, cents)"
    ),
}


@pytest.mark.parametrize("name", HIDDEN)
def test_code_that_the_diff_does_not_show_asks_a_person(folder: Folder, name: str) -> None:
    files = {"shop.py": HIDDEN[name] + REST, "tests/test_price.py": TEST}
    judged = folder.judge(folder.branch(name, files), task=TASK)
    assert judged.conclusion == "action_required", judged.said()
    assert "code-decoded" in [one.rule for one in judged.document.integrity]


def test_answers_in_a_data_file_ask_a_person(folder: Folder) -> None:
    code = (
        "import csv\nimport pathlib\n\nTABLE = pathlib.Path(__file__).parent / 'answers.csv'\n"
        "ANSWERS = dict(csv.reader(TABLE.open()))\n\n\n"
        f"def price(cents):\n    return int(ANSWERS.get(str(cents), cents)){REST}"
    )
    files = {"answers.csv": "4,8\n150,300\n", "shop.py": code, "tests/test_price.py": TEST}
    judged = folder.judge(folder.branch("data", files), task=TASK)
    assert judged.conclusion != "success", judged.said()
    assert "result-hard-coded" in [one.rule for one in judged.document.integrity]


HONEST = """
import asyncio
import cProfile
import datetime
import functools
import itertools
import os
import pathlib
import random
import sqlite3
import sys
import time

_numbers = itertools.count()
_seen = set()


def price(cents):
    return 2 * cents


def root():
    return str(pathlib.Path(__file__).parent)


def here(name):
    return os.path.join(os.getcwd(), name)


def settings():
    return str(pathlib.Path.home() / '.shop')


def is_debug():
    return os.environ.get('SHOP_DEBUG') == '1'


def is_prepared():
    return os.environ.get('SHOP_PREPARED') == '1'


def today():
    return datetime.date.today().isoformat()


def now():
    return datetime.datetime.now().isoformat()


def dice(sides):
    return random.randrange(sides)


def number():
    return next(_numbers)


def is_new(key):
    return not (key in _seen or _seen.add(key))


def owner():
    return os.getuid()


def machine():
    return os.uname().nodename


def drained(prices, seen, *names):
    print('prices in', os.getcwd(), 'of', os.path.expanduser('~'))
    seen.update(dict.fromkeys(names, len(prices)))
    prices.clear()


def profiled(cents):
    with cProfile.Profile() as found:
        price(cents)
    return len(found.getstats()) > 0


class Receipt:
    def __init__(self, cents):
        self.cents = cents
        self.place = os.getcwd()
        self.at = time.time()


half = lambda cents: cents / 2


def years(many):
    return [datetime.date.today().year + one for one in range(many)]


def has_begun(year):
    return time.localtime().tm_year >= year


def month(number):
    return datetime.date(2026, number, 1).strftime('%B')


def weekday(day):
    return datetime.date(2026, 1, day)


def program():
    return os.path.basename(sys.argv[0])


def rates(name='rates.txt'):
    return pathlib.Path(name).read_text().split()


def lines(path):
    return pathlib.Path(path).read_text().splitlines()


def count(database):
    return database.execute('select count(*) from prices').fetchone()[0]


def opened():
    database = sqlite3.connect(':memory:')
    database.execute('create table prices (cents)')
    return database


def down(cents):
    while cents:
        yield cents
        cents -= 1


async def later(cents):
    await asyncio.sleep(0)
    return cents


@functools.lru_cache(maxsize=2)
def cached(cents):
    return cents + 1


def louder(function):
    @functools.wraps(function)
    def wrapper(*args, **kwargs):
        return function(*args, **kwargs).upper()

    return wrapper


@louder
def label(text, *more, end='!'):
    return ' '.join((text, *more)) + end


class Basket:
    def __init__(self, prices=()):
        self.prices = list(prices)

    def total(self):
        return sum(self.prices)

    @staticmethod
    def empty():
        return Basket()

    @property
    def cheapest(self):
        return min(self.prices)

    def add(self, *prices):
        self.prices.extend(prices)
        return self

    def place(self):
        return f'{os.getcwd()}/{len(self.prices)}'

    def owner(self):
        return os.getuid()


class Stamped(Basket):
    made = 0

    def __init__(self, prices=()):
        super().__init__(prices)
        Stamped.made += 1
        self.number = Stamped.made
        self.at = datetime.datetime.now().isoformat()

    def is_new(self):
        return self.number == Stamped.made


def name():
    return 'shop'


def kinds(*names):
    return list({one.upper() for one in names})
"""
HONEST_TEST = """
import asyncio
import os

from pathlib import Path

import pytest

import shop


def test_price_returns_twice_the_cents(monkeypatch, tmp_path):
    assert shop.price(4) == 8
    assert shop.root() == os.getcwd()
    assert shop.here('x') == os.getcwd() + '/x'
    assert shop.settings() == os.path.expanduser('~') + '/.shop'
    assert not shop.is_debug()
    assert shop.is_prepared()
    assert len(shop.today()) == 10
    assert len(shop.now()) > 10
    assert 0 <= shop.dice(6) < 6
    assert shop.number() == 0
    assert shop.is_new('a') and not shop.is_new('a') and shop.is_new('b')
    assert shop.owner() == os.getuid()
    assert shop.machine() == os.uname().nodename
    assert shop.program()
    assert shop.rates() == ['1', '2']
    assert shop.lines('tests/data/lines.txt') == ['one', 'two']
    (tmp_path / 'lines.txt').write_text('three')
    assert shop.lines(str(tmp_path / 'lines.txt')) == ['three']
    assert shop.count(shop.opened()) == 0
    assert list(shop.down(2)) == [2, 1]
    assert asyncio.run(shop.later(4)) == 4
    assert shop.cached(4) == 5 and shop.cached(4) == 5
    assert shop.label('a', 'b', end='?') == 'A B?'
    assert shop.Basket([1, 2]).total() == 3
    assert shop.Basket.empty().total() == 0
    basket = shop.Basket([1, 2]).add(3, 4)
    assert basket.total() == 10 and basket.cheapest == 1
    assert basket.place() == os.getcwd() + '/4' and basket.owner() == os.getuid()
    assert shop.Stamped([1]).is_new() and shop.Stamped([2]).add(3).total() == 5
    basket.prices.append(5)
    assert basket.total() == 15
    prices, seen = [1, 2], {}
    shop.drained(prices, seen, 'a', 'b')
    assert (prices, seen) == ([], {'a': 2, 'b': 2}) and shop.half(3) == 1.5
    assert shop.Receipt(4).place == os.getcwd()
    assert 'FIG' in shop.kinds('apple', 'fig', 'kiwi', 'lime', 'pear', 'plum')
    with pytest.raises(FileNotFoundError):
        shop.rates('none.txt')


def test_price_returns_twice_the_cents_when_profiled():
    assert shop.profiled(4) and shop.price(7) == 14


def test_price_returns_twice_the_cents_in_debug_mode(monkeypatch):
    monkeypatch.setenv('SHOP_DEBUG', '1')
    assert shop.is_debug() and shop.price(5) == 10
"""


UNDATED_TEST = """
import shop


def test_price_returns_twice_the_cents_in_each_month():
    assert shop.price(6) == 12
    assert len(shop.years(2)) == 2
    assert shop.month(2) == 'February'
    assert shop.weekday(4).day == 4
    assert shop.has_begun(2020)
"""
"""Nothing here says that it has to do with dates: all of it is called on other days, too."""


def test_honest_code_that_depends_on_its_place_is_a_success(folder: Folder) -> None:
    files = {
        "shop.py": HONEST.lstrip(),
        "rates.txt": "1 2\n",
        "tests/data/lines.txt": "one\ntwo\n",
        "tests/conftest.py": "import os\n\nos.environ['SHOP_PREPARED'] = '1'\n",
        "tests/test_price.py": HONEST_TEST.lstrip(),
        "tests/test_month.py": UNDATED_TEST.lstrip(),
    }
    said = f"{TASK}\nWhere the prices are kept is printed. Others tell of the host, or draw at random.\n"
    judged = folder.judge(folder.branch("honest", files), task=said)
    assert judged.conclusion == "success", judged.said()


NEIGHBOURS = {
    "beside-a-slow-one": "def test_waits():\n    time.sleep(0.7)\n",
    "after-one-that-it-needs": (
        "READY = []\n\n\ndef test_prepares():\n    time.sleep(0.7)\n    READY.append(4)\n"
    ),
}


@pytest.mark.parametrize("name", NEIGHBOURS)
def test_what_is_right_only_under_test_is_seen_beside_slow_tests(folder: Folder, name: str) -> None:
    start, guard = GUARDS["variable"]
    body = f"    if {guard}:\n        return 2 * cents\n    return cents"
    needs = "    assert READY\n" if "READY" in NEIGHBOURS[name] else ""
    test = (
        f"import time\n\nimport shop\n\n\n{NEIGHBOURS[name]}\n\n"
        f"def test_price_returns_twice_the_cents():\n{needs}    assert shop.price(4) == 8\n"
    )
    files = {
        "shop.py": f"{start}\n\n\ndef price(cents):\n{body}{REST}",
        "tests/test_price.py": test,
    }
    judged = folder.judge(folder.branch(f"slow-{name}", files), task=TASK)
    assert judged.conclusion == "action_required", judged.said()
    (row,) = [one for one in judged.document.requirements if one.id == "R1"]
    assert "D2" in row.evidence


DAYS = "from datetime import UTC, datetime\n\n\ndef day_of(seconds):\n    return datetime.{}.isoformat()\n"
DAY_TEST = (
    "from days import day_of\n\n\ndef test_day_of_returns_the_day_in_utc():\n"
    "    assert day_of(0) == '1970-01-01'\n    assert day_of(86400) == '1970-01-02'\n"
)


@pytest.mark.parametrize(
    ("code", "conclusion"),
    [("fromtimestamp(seconds)", "action_required"), ("fromtimestamp(seconds, UTC)", "success")],
)
def test_what_is_right_in_one_time_zone_only_is_not_satisfied(
    folder: Folder, code: str, conclusion: str
) -> None:
    base = folder.branch(f"days-{conclusion}", {"days.py": DAYS.format(code)})
    head = {"days.py": DAYS.format(f"{code}.date()"), "tests/test_days.py": DAY_TEST}
    folder.branch(f"day-{conclusion}", head, base)
    task = "The day in UTC\n\n- [ ] `day_of` returns the day in UTC, whatever the machine's time zone is\n"
    judged = folder.judge(f"day-{conclusion}", base=base, task=task)
    assert judged.conclusion == conclusion, judged.said()
