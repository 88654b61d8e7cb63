"""A change that does otherwise what base did, beside what it is for, does not satisfy unseen."""

from __future__ import annotations

import pytest

from tests.e2e.folder import Files, Folder, Judged, open_folder

pytestmark = [pytest.mark.real, pytest.mark.slow]

TASK = "Entries expire\n\n`put` takes `ttl`, in seconds. After that `get` returns the default.\n"
CACHE = """import time


class Cache:
    def __init__(self, size=100, clock=time.monotonic):
        if size < 1:
            raise ValueError("size")
        self.size, self.clock, self.items = size, clock, {}

    def __len__(self):
        # what was put and not taken away
        return len(self.items)

    def clear(self):
        self.items.clear()

    def put(self, key, value):
        self.items[key] = value

    def get(self, key, default=None):
        return self.items.get(key, default)
"""
TESTS = """import pytest
from cache import Cache


def test_get():
    cache = Cache()
    cache.put("a", 1)
    assert cache.get("a") == 1
    assert cache.get("b", 7) == 7


def test_size():
    with pytest.raises(ValueError):
        Cache(0)
"""
EXPIRES = """

def test_expires():
    now = [100.0]
    cache = Cache(clock=lambda: now[0])
    cache.put("a", 1, ttl=30)
    now[0] += 29
    assert cache.get("a") == 1
    now[0] += 2
    assert cache.get("a", 9) == 9
"""
DONE = CACHE.replace(
    """    def put(self, key, value):
        self.items[key] = value
""",
    """    def put(self, key, value, ttl=None):
        self.items[key] = value, None if ttl is None else self.clock() + ttl
""",
).replace(
    """        return self.items.get(key, default)
""",
    """        value, ends = self.items.get(key, (default, None))
        return default if ends is not None and ends <= self.clock() else value
""",
)
UNSEEN = {
    "a bound": ("if size < 1:", "if size == 0:"),
    "a default": ("clock=time.monotonic", "clock=time.time"),
    "a statement": ("self.items.clear()", "self.items = {0: (0, 0)}"),
    "a call of what the task names": ("self.items.clear()", "self.items = {0: (self.get(0), 0)}"),
    "something more": ("len(self.items)", "len(self.items) + (len(self.items) > 1)"),
}
SEEN = {
    "only what is asked for": ("", ""),
    "layout and comments": (
        "        # what was put and not taken away\n        return len(self.items)\n",
        "        # what was put\n        return len(\n            self.items\n        )\n",
    ),
    "an annotation": ("def __len__(self):", "def __len__(self) -> int:"),
    "an entry more": ("self.items.clear()", "self.items.clear(), self.items.copy()"),
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Folder:
    opened = open_folder(tmp_path_factory.mktemp("altered"))
    gone: Files = {"shop.py": None, "tests/test_shop.py": None}
    opened.repository.commit({**gone, "cache.py": CACHE, "tests/test_cache.py": TESTS})
    return opened


def judged(
    folder: Folder, name: str, change: tuple[str, str], *, task: str = TASK, tests: str = EXPIRES
) -> Judged:
    files: Files = {
        "cache.py": DONE.replace(*change) if change[0] else DONE,
        "tests/test_cache.py": TESTS + tests,
    }
    return folder.judge(folder.branch(name.replace(" ", "-"), files), task=task)


@pytest.mark.parametrize("name", UNSEEN)
def test_what_nothing_needs_is_asked_about(folder: Folder, name: str) -> None:
    found = judged(folder, name, UNSEEN[name])

    assert found.conclusion == "action_required", found.said()
    assert f"`{UNSEEN[name][0]}` is still there" in found.said() or name not in (
        "a bound",
        "a statement",
    )
    assert ("is missing" in found.said()) is (name == "something more")
    assert "what this part of the change is for" in found.said()


SUM = "def sum_{0}(a, b):\n    if a {1} {0}:\n        return b\n    return a + b{2} + {0}\n"
RANK = "\n\ndef rank(name):\n{}    return 0\n"
TREES = ("ash", "elm", "fir", "ivy", "oak", "yew")
SHOWN = "    assert [sum_{0}({0}, 7), sum_{0}({1}, 7)] == [7, {2}]\n"


def test_so_is_what_comes_behind_much_that_a_test_needs(folder: Folder) -> None:
    """As many runs as that take longer than ten seconds, and there is time for them."""
    slow = "import time\n\n\ndef pytest_sessionstart():\n    time.sleep(1)\n"
    sides = [
        f"DEPTH = {depth}\n\n\n" + "\n\n".join(SUM.format(n, *signs) for n in range(12))
        for depth, *signs in ((3, "<", ""), (4, "<=", " * 2"))
    ]
    rows = [f"    if name == {one!r}:\n        return {at + 1}\n" for at, one in enumerate(TREES)]
    sides = [sides[0] + RANK.format(""), sides[1] + RANK.format("".join(rows))]
    base = folder.branch("slow", {"conftest.py": slow, "sums.py": sides[0]})
    shown = "".join(SHOWN.format(n, n + 1, 2 * n + 15) for n in range(12))
    shown += f"    assert [rank(one) for one in {(*TREES, 'x')}] == [1, 2, 3, 4, 5, 6, 0]\n"
    test = f"from sums import *\n\n\ndef test_weights():\n{shown}"
    folder.branch("much", {"sums.py": sides[1], "tests/test_sums.py": test}, base)
    found = folder.judge("much", base=base, task="Weigh what comes second\n\nTrees have ranks.\n")

    assert "`3` is still there instead of `4`, for `DEPTH`" in found.said(), found.said()


@pytest.mark.parametrize("name", SEEN)
def test_what_takes_nothing_away_is_not(folder: Folder, name: str) -> None:
    found = judged(folder, name, SEEN[name])

    assert found.conclusion == "success", found.said()


def test_what_the_task_speaks_of_is_not(folder: Folder) -> None:
    task = TASK + "\n`clear` keeps one entry that tells when it was done.\n"
    found = judged(folder, "named", UNSEEN["a statement"], task=task)

    assert found.conclusion == "success", found.said()


def test_what_a_test_needs_is_not(folder: Folder) -> None:
    shown = "\n\ndef test_below():\n    assert Cache(-1).size == -1\n"
    found = judged(folder, "tested", UNSEEN["a bound"], tests=EXPIRES + shown)

    assert found.conclusion == "success", found.said()


@pytest.mark.parametrize("said", ["", "\nNothing stays for more than 500 seconds.\n"])
def test_a_term_that_no_test_needs_is_asked_about(folder: Folder, said: str) -> None:
    bounded = ("self.clock() + ttl", "self.clock() + min(ttl, 500)")
    found = judged(folder, f"term-{bool(said)}", bounded, task=TASK + said)

    assert found.conclusion == ("success" if said else "action_required"), found.said()
    assert ("`min(ttl, 500)` is only `ttl`" in found.said()) is not said


NARROW = (
    "if ends is not None and ends",
    'if ends is not None and key.startswith("a") and ends',
)


@pytest.mark.parametrize("said", ["", "\nOnly keys that start with `a` expire.\n"])
def test_what_holds_for_the_text_of_the_test_only_is_asked_about(folder: Folder, said: str) -> None:
    found = judged(folder, f"narrow-{bool(said)}", NARROW, task=TASK + said)

    assert found.conclusion == ("success" if said else "action_required"), found.said()
    is_told = '`key.startswith("a")` is always true' in found.said()
    assert is_told is not bool(said)


RATES = """def net(price, rate):
    share = price * rate // 100
    return price - share


def fee(price, rate):
    share = price * rate // 100
    return share


def tip(price, rate):
    share = price * rate // 100
    return price + share
"""
RATE_TESTS = """import rates


def test_rates():
    assert (rates.net(4, 50), rates.fee(4, 50), rates.tip(4, 50)) == (2, 2, 6)
"""
EXACT = "\n\ndef test_exact():\n    assert rates.net(5, 50) == 2.5\n"


@pytest.mark.parametrize(
    ("done", "conclusion"),
    [
        (("net", "fee", "tip"), "success"),  # as in `net`, which a test needs
        (("fee", "tip"), "action_required"),  # alike, and nothing needs it
    ],
)
def test_what_is_done_alike_is_needed_where_one_of_it_is(
    folder: Folder, done: tuple[str, ...], conclusion: str
) -> None:
    gone: Files = {"cache.py": None, "tests/test_cache.py": None}
    files: Files = {**gone, "rates.py": RATES, "tests/test_rates.py": RATE_TESTS}
    base = folder.branch(f"rates-{conclusion}", files)
    parts = RATES.split("\n\n\n")
    head = "\n\n\n".join(one.replace("//", "/") if one[4:7] in done else one for one in parts)
    if "net" not in done:
        head = head.replace("price - share", "price - share - price * rate % 100 / 100")
    change: Files = {"rates.py": head, "tests/test_rates.py": RATE_TESTS + EXACT}
    name = folder.branch(f"exact-{conclusion}", change, start=base)
    found = folder.judge(name, base=base, task="Net prices are exact\n\n`net` gives fractions.\n")

    assert found.conclusion == conclusion, found.said()


TOO_EARLY = "Requests time out too early\n\n- [ ] `timeout` is 30 seconds\n"
IN_PYTHON: Files = {"tests/test_timeout.py": "import client\n\n\ndef test_timeout_is_thirty_seconds():\n"
                    "    assert client.options()['timeout'] == 30\n"}  # fmt: skip
WEB = "\n\ndef given(timeout=5, verify=True):\n    return {'timeout': timeout, 'verify': verify}\n"
READ = "from pathlib import Path\n\nHERE = Path(__file__).parent\n\n\ndef options():\n    return "
ALONGSIDE: dict[str, tuple[str, str, str, Files]] = {
    # a file, what is in it, what is altered along the way, and files that read it
    "an entry": (
        "client.py",
        "OPTIONS = {'timeout': 10, 'verify': True}\n\n\ndef options():\n    return OPTIONS\n",
        "'verify': True",
        {},
    ),
    "an argument": (
        "client.py",
        f"{WEB}\n\ndef options():\n    return given(timeout=10, verify=True)\n",
        "timeout=10, verify=True",
        {},
    ),
    "an attribute": (
        "client.py",
        "class Options:\n    timeout = 10\n    verify = True\n\n\ndef options():\n    return vars(Options)\n",
        "verify = True",
        {},
    ),
    "a default": (
        "client.py",
        "def options(timeout=10, verify=True):\n    return {'timeout': timeout, 'verify': verify}\n",
        "verify=True",
        {},
    ),
    "JSON": (
        "options.json",
        '{\n  "timeout": 10,\n  "verify": true\n}\n',
        '"verify": true',
        {"client.py": f"import json\n{READ}json.loads((HERE / 'options.json').read_text())\n"},
    ),
    "TOML": (
        "options.toml",
        "# of requests\ntimeout = 10\nverify = true\n",
        "verify = true",
        {
            "client.py": f"import tomllib\n{READ}tomllib.loads((HERE / 'options.toml').read_text())\n"
        },
    ),
}


def asked_for(folder: Folder, name: str, *, is_altered: bool, task: str = TOO_EARLY) -> Judged:
    path, text, altered, beside = ALONGSIDE[name]
    gone: Files = {"cache.py": None, "tests/test_cache.py": None}
    shown = "import client\n\n\ndef test_timeout():\n    assert client.options()['timeout'] > 0\n"
    known: Files = {**gone, **beside, path: text, "tests/test_client.py": shown}
    label = f"{name}-{is_altered}-{task is TOO_EARLY}".replace(" ", "-")
    base = folder.branch(f"base-{label}", known)
    if is_altered:
        text = text.replace(altered, altered.replace("True", "False").replace("true", "false"))
    files: Files = {path: text.replace("10", "30"), **IN_PYTHON}
    return folder.judge(folder.branch(f"head-{label}", files, start=base), base=base, task=task)


@pytest.mark.parametrize("name", ALONGSIDE)
def test_a_value_that_is_altered_along_the_way_is_asked_about(folder: Folder, name: str) -> None:
    found = asked_for(folder, name, is_altered=True)

    assert found.conclusion == "action_required", found.said()
    assert "rue` is still there instead of `" in found.said()


@pytest.mark.parametrize("name", ALONGSIDE)
def test_a_value_that_a_test_needs_is_not(folder: Folder, name: str) -> None:
    found = asked_for(folder, name, is_altered=False)

    assert found.conclusion == "success", found.said()


@pytest.mark.parametrize("name", ["an entry", "TOML"])
def test_a_value_that_the_task_names_is_not(folder: Folder, name: str) -> None:
    task = f"{TOO_EARLY}\nAnd do not `verify` any longer.\n"
    found = asked_for(folder, name, is_altered=True, task=task)

    assert found.conclusion == "success", found.said()


def test_a_value_that_no_test_reads_is_not(folder: Folder) -> None:
    path, text, _, _ = ALONGSIDE["an entry"]
    gone: Files = {"cache.py": None, "tests/test_cache.py": None}
    deployed: Files = {"deploy/app.yaml": "kind: Deployment\nspec:\n  replicas: 2\n"}
    shown = "import client\n\n\ndef test_options():\n    assert client.options()\n"
    tests: Files = {"tests/test_client.py": shown}
    base = folder.branch("base-unread", {**gone, **deployed, **tests, path: text})
    more: Files = {"deploy/app.yaml": "kind: Deployment\nspec:\n  replicas: 3\n"}
    files: Files = {**more, path: text.replace("10", "30"), **IN_PYTHON}
    found = folder.judge(folder.branch("head-unread", files, start=base), base=base, task=TOO_EARLY)

    assert found.conclusion == "success", found.said()


SCRIPT = "export const OPTIONS = {\n  timeout: 10,\n  verify: true,\n};\n"
SCRIPT_TEST = (
    "import {{test}} from 'node:test';\nimport assert from 'node:assert/strict';\n"
    "import {{OPTIONS}} from '../client.js';\n\n"
    "test('timeout is 30 seconds', () => {{\n  assert.ok({});\n}});\n"
)


@pytest.mark.parametrize("is_altered", [True, False])
def test_so_it_is_in_a_script(
    tmp_path_factory: pytest.TempPathFactory, *, is_altered: bool
) -> None:
    project: Files = {
        "package.json": '{"name": "client", "type": "module", "scripts": {"test": "node --test"}}\n',
        "client.js": SCRIPT,
        "test/client.test.js": SCRIPT_TEST.format("OPTIONS.timeout > 0"),
    }
    opened = open_folder(tmp_path_factory.mktemp("altered-script"), project)
    text = SCRIPT.replace("verify: true", "verify: false") if is_altered else SCRIPT
    files: Files = {
        "client.js": text.replace("10", "30"),
        "test/timeout.test.js": SCRIPT_TEST.format("OPTIONS.timeout === 30"),
    }
    found = opened.judge(opened.branch("longer", files), task=TOO_EARLY)

    assert found.conclusion == ("action_required" if is_altered else "success"), found.said()
    assert ("`true` is still there instead of `false`" in found.said()) is is_altered


PAGES = 'import asyncio\n\n\nasync def pages(get, urls{}):\n    """The pages."""\n{}'
ONE_BY_ONE = "    return [await get(url) for url in urls]\n"
AT_MOST = (
    "    free = asyncio.Semaphore(limit)\n\n    async def page(url):\n        async with {}:\n"
    "            return await get(url)\n\n    return await asyncio.gather(*map(page, urls))\n"
)
PAGE_TEST = (
    "import asyncio\n\nfrom pages import pages\n\n\ndef test_pages_are_fetched_at_the_same_time():\n"
    "    running = []\n    most = []\n\n    async def get(url):\n        running.append(url)\n"
    "        await asyncio.sleep(0.01)\n        most.append(len(running))\n        running.remove(url)\n"
    "        return url.upper()\n\n    assert asyncio.run(pages(get, 'abcdef', limit=2)) == list('ABCDEF')\n"
    "    assert max(most) {}\n"
)
PAGES_TASK = (
    "Fetch pages at the same time\n\n`pages` fetches never more than `limit` at once (5).\n"
)


@pytest.mark.parametrize(
    ("name", "body", "asked", "told"),
    [
        ("right", AT_MOST.format("free"), "== 2", ""),
        (
            "own",
            AT_MOST.format("asyncio.Semaphore(limit)"),
            "> 1",
            "`limit` of `pages` is always `5`",
        ),
        ("fixed", AT_MOST.format("free").replace("limit)", "2)"), "== 2", "`limit` of `pages` is"),
    ],
)
def test_a_parameter_that_no_test_needs_is_asked_about(
    folder: Folder, name: str, body: str, asked: str, told: str
) -> None:
    base = folder.branch(f"pages-{name}", {"pages.py": PAGES.format("", ONE_BY_ONE)})
    head = {
        "pages.py": PAGES.format(", limit=5", body),
        "tests/test_pages.py": PAGE_TEST.format(asked),
    }
    folder.branch(f"limit-{name}", head, base)
    found = folder.judge(f"limit-{name}", base=base, task=PAGES_TASK)

    assert found.conclusion == ("action_required" if told else "success"), found.said()
    assert told in found.said()
