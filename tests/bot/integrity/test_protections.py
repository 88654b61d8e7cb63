"""What protects on base and is gone: a lock, values apart from a query, hashes, errors that come out."""

from __future__ import annotations

import pytest

from bot.integrity import inspect_integrity
from bot.values import Category, FourWay, Requirement, Requirements, Trust, rules
from sandbox.values import Diff
from tests.bot.integrity.test_callers import ASKED, found
from tests.bot.integrity.test_integrity import Tree, changed

COUNTER = """import threading


class Counter:
    def __init__(self):
        self.lock = threading.Lock()
        self.value = 0

    def add(self):
        with self.lock:
            self.value += 1
"""
USERS = """def find(database, name):
    return database.execute('SELECT id FROM users WHERE name = ?', (name,)).fetchall()
"""
POINT = """class Point:
    def __init__(self, x):
        self.x = x
"""
OF_DICT = POINT.replace("Point:", "Point(dict):")
TIMER = """class Timer:
    def __enter__(self):
        return self
"""
HELD = "        with self.lock:\n            self.value += 1\n"
EQUAL = "\n    def __eq__(self, other):\n        return self.x == other.x\n"
EXIT = "\n    def __exit__(self, kind, error, trace):\n        return {}\n"


def every(base: str, head: str) -> list[str]:
    findings = inspect_integrity(
        Diff((changed("shop.py", base, head),)),
        Tree({"shop.py": base}),
        Tree({"shop.py": head}),
        FourWay(()),
        Requirements((Requirement("R1", "`held`", Category.BEHAVIOUR, "#1", Trust.ASKER),)),
    )
    return [one.rule for one in findings if one.rule in rules.FOR_A_PERSON]


def told(base: str, head: str, asked: str = ASKED, path: str = "shop.py") -> list[str]:
    return [rule for rule, _ in found(path, base, head, asked)]


@pytest.mark.parametrize(
    ("now", "asked", "is_lost"),
    [
        ("        self.value += 1\n", ASKED, True),
        ("        self.value += 1\n", "Count without a lock, in one thread", False),
        (HELD.replace("+= 1", "+= 2"), ASKED, False),
        (HELD.replace("with self.lock", "with self.lock, self.lock"), ASKED, False),
        ("        with self.other_lock:\n            self.value += 1\n", ASKED, False),
        (
            "        self.value += 1\n\n    def more(self):\n        with self.lock:\n            pass\n",
            ASKED,
            True,
        ),
        (
            "        self.value += 1\n\n    def more(self):\n        with self.lock:\n"
            "            self.add()\n",
            ASKED,
            False,
        ),
        ("        self.lock.acquire()\n        self.value += 1\n", ASKED, False),
        (
            "        self.more()\n\n    def more(self):\n        with self.lock:\n            pass\n",
            ASKED,
            False,
        ),
    ],
)
def test_a_lock_that_nobody_holds_any_more(now: str, asked: str, is_lost: bool) -> None:
    assert told(COUNTER, COUNTER.replace(HELD, now), asked) == [rules.GUARD_REMOVED] * is_lost


@pytest.mark.parametrize(
    ("now", "is_lost"),
    [
        ("f\"SELECT id FROM users WHERE name = '{name}'\")", True),
        ('"SELECT id FROM users WHERE name = \'" + name + "\'")', True),
        ("f'SELECT {FIELDS} FROM users WHERE name = ?', (name,))", False),
        ("'SELECT id FROM users WHERE id = ? AND name = ?', (1, name))", False),
        ("'SELECT id FROM users')", False),
    ],
)
def test_values_that_are_written_into_a_query(now: str, is_lost: bool) -> None:
    head = USERS.replace("'SELECT id FROM users WHERE name = ?', (name,))", now)
    assert head != USERS
    assert (rules.GUARD_REMOVED in told(USERS, head)) is is_lost


@pytest.mark.parametrize(
    ("base", "head", "asked", "is_lost"),
    [
        (POINT, POINT + EQUAL, ASKED, True),
        (POINT, POINT + EQUAL + "\n    __hash__ = object.__hash__\n", ASKED, False),
        (POINT, POINT + EQUAL + "\n    def __hash__(self):\n        return 1\n", ASKED, False),
        (POINT, POINT + EQUAL, "Points are equal by value and not hashable", False),
        (POINT + EQUAL, POINT + EQUAL.replace("self.x ==", "self.x is"), ASKED, False),
        (OF_DICT, OF_DICT + EQUAL, ASKED, False),
        ("A = 1\n", POINT + EQUAL, ASKED, False),
    ],
)  # fmt: skip
def test_objects_that_can_no_longer_be_hashed(
    base: str, head: str, asked: str, is_lost: bool
) -> None:
    assert told(base, head, asked) == [rules.HASH_LOST] * is_lost


@pytest.mark.parametrize(
    ("given", "is_dropped"),
    [
        ("self", True),
        ("True", True),
        ("None", False),
        ("False", False),
        ("kind is KeyError", False),
        ("self.inner.__exit__(kind, error, trace)", False),
    ],
)
def test_an_exit_that_drops_every_error(given: str, is_dropped: bool) -> None:
    head = TIMER + EXIT.format(given)
    assert told(TIMER, head) == [rules.ERROR_SWALLOWED] * is_dropped
    assert told(head, head + "\nA = 1\n") == []
    assert told(TIMER, head, "`with Timer()` ignores errors") == []


READ = "def read(path):\n    with open(path) as file:\n        return json.load(file)\n"
CAUGHT = (
    "def read(path):\n    try:\n        with open(path) as file:\n            return json.load(file)\n"
    "    except {}:\n        return dict(DEFAULTS)\n"
)
SCRIPT = "export function read(path) {\n  return JSON.parse(readFileSync(path));\n}\n"
SCRIPT_CAUGHT = (
    "export function read(path) {{\n  try {{\n    return JSON.parse(readFileSync(path));\n  }} catch{} {{\n"
    "    {}return {{}};\n  }}\n}}\n"
)
FAILS = "The first start fails: `read` raises FileNotFoundError. It should return nothing then."


@pytest.mark.parametrize(
    ("caught", "asked", "is_dropped"),
    [
        ("Exception", FAILS, True),
        ("FileNotFoundError", FAILS, False),
        ("OSError", FAILS, False),
        ("Exception as error", f"{FAILS} ", True),
        ("Exception", FAILS.replace("FileNotFoundError", "an error"), False),
        ("Exception", f"{FAILS} A broken file is nothing, too.", False),
        ("Exception", f"{FAILS} Other errors come out.", True),
    ],
)
def test_more_errors_are_dropped_than_the_one_that_is_named(
    caught: str, asked: str, is_dropped: bool
) -> None:
    assert told(READ, CAUGHT.format(caught), asked) == [rules.ERROR_SWALLOWED] * is_dropped


@pytest.mark.parametrize(
    ("name", "first", "asked", "is_dropped"),
    [
        ("", "", "`read` fails with ENOENT. Ignore that.", True),
        (
            " (error)",
            "if (error.code !== 'ENOENT') throw error;\n    ",
            "`read` fails with ENOENT",
            False,
        ),
        (
            "",
            "",
            "`read` fails with a SyntaxError. Ignore that.",
            False,
        ),  # what no `catch` can tell
    ],
)
def test_more_errors_of_scripts_are_dropped(
    name: str, first: str, asked: str, is_dropped: bool
) -> None:
    head = SCRIPT_CAUGHT.format(name, first)
    assert told(SCRIPT, head, asked, "shop.mjs") == [rules.ERROR_SWALLOWED] * is_dropped


GET = """def get(address):
    try:
        return fetch(address)
    except OSError as error:
        raise Lost(address) from error
"""
RAISES = "        raise Lost(address) from error\n"


@pytest.mark.parametrize(
    ("now", "asked", "is_dropped"),
    [
        ("        logging.warning(error)\n", "Retry where `fetch` fails", True),
        ("        pass\n", "Retry where `fetch` fails", True),
        ("        pass\n", "Where `fetch` fails, return nothing", False),
        ("        pass\n    raise Lost(address)\n", "Retry where `fetch` fails", False),
        (RAISES.replace("(address)", "(address, 1)"), "Retry where `fetch` fails", False),
    ],
)
def test_a_handler_that_raises_on_base_and_drops_the_error_now(
    now: str, asked: str, is_dropped: bool
) -> None:
    assert told(GET, GET.replace(RAISES, now), asked) == [rules.ERROR_SWALLOWED] * is_dropped


POOL = "class Pool:\n    def take(self):\n        return self.free.pop()\n"
HOLDS = "\n    @contextmanager\n    def held(self):\n        one = self.take()\n        self.used += 1\n{}"


@pytest.mark.parametrize(
    ("body", "is_left"),
    [
        ("        yield one\n        self.release(one)\n", True),
        ("        yield one\n        self.used -= 1\n", True),
        ("        if one:\n            yield one\n            await one.close()\n", True),
        ("        yield one\n        self.commit(one)\n", False),
        ("        yield one\n        log('done')\n", False),
        (
            "        try:\n            yield one\n        finally:\n            self.release(one)\n",
            False,
        ),
        (
            "        try:\n            yield one\n        except OSError:\n            raise Lost\n"
            "        self.release(one)\n",
            False,
        ),
    ],
)
def test_what_a_context_manager_keeps_where_its_block_fails(body: str, is_left: bool) -> None:
    head = POOL + HOLDS.format(body)
    if "await" in body:
        head = head.replace("def held", "async def held").replace("@context", "@asynccontext")
    assert every(POOL, head) == [rules.RELEASE_LEFT_OUT] * is_left
    assert every(head, head + "\n\nA = 1\n") == []
