"""Code that newly does something to what is outside of it, where nobody asked for that."""

from __future__ import annotations

import pytest

from bot.integrity import inspect_integrity
from bot.values import Category, FourWay, Requirement, Requirements, Trust, rules
from sandbox.values import Diff
from tests.bot.integrity.test_integrity import Tree, changed

ASKED = "Double the price"


def found(path: str, line: str, base: dict[str, str] | None = None, asked: str = ASKED) -> set[str]:
    """The rules that speak where one line is added to a file, beside other files of base."""
    before = "price = 1\n"
    after = f"{before}{line}\n"
    wanted = Requirements((Requirement("R1", asked, Category.BEHAVIOUR, "issue #1", Trust.ASKER),))
    trees = Tree({path: before, **(base or {})}), Tree({path: after, **(base or {})})
    findings = inspect_integrity(Diff((changed(path, before, after),)), *trees, FourWay(()), wanted)
    return {one.rule for one in findings} & rules.REACHES_OUT


@pytest.mark.parametrize(
    ("path", "line"),
    [
        ("shop.py", "import urllib.request"),
        ("shop.py", "from urllib import request"),
        ("shop.py", "from urllib.request import urlopen"),
        ("shop.py", "import socket as s"),
        ("src/shop.js", "const https = require('node:https');"),
        ("src/shop.ts", 'import { get } from "https";'),
        ("src/shop.mjs", "const reply = await fetch('https://shop.example/' + price);"),
        ("src/shop.js", "new WebSocket(place);"),
        ("src/shop.js", "navigator.sendBeacon(place, price);"),
        ("shop.py", "import imaplib"),
    ],
)
def test_the_network_is_asked_for(path: str, line: str) -> None:
    assert found(path, line) == {rules.NETWORK_OPENED}
    assert not found(path, line, asked="Ask the server for the price")
    assert not found(path, line, {f"src/other-{path.rpartition('/')[2]}": f"{line}\n"})


@pytest.mark.parametrize(
    ("path", "line"),
    [
        ("shop.py", "import subprocess"),
        ("shop.py", "os.system('sh -c true')"),
        ("src/shop.cjs", "const { exec } = require('child_process');"),
        ("src/shop.ts", "import { $ } from 'zx';"),
    ],
)
def test_other_programs_are_asked_for(path: str, line: str) -> None:
    assert found(path, line) == {rules.PROGRAM_STARTED}
    assert not found(path, line, asked="Run the command `price`")


@pytest.mark.parametrize(
    ("path", "line", "asked"),
    [
        ("shop.py", "if os.environ.get('CI'): price = 2", "Read the environment"),
        ("shop.py", "from os import getenv", "Read the environment"),
        ("shop.py", "if tempfile.gettempdir() in place: price = 2", "Put it in a temporary folder"),
        ("shop.py", "if resource.getrlimit(7)[0] < 2_000: price = 2", "Respect resource limits"),
        ("shop.py", "text = open('/proc/1/cmdline').read()", "Name the process"),
        ("shop.py", "if Path(f'/opt/assay/{name}').exists(): price = 2", "Use installed programs"),
        ("shop.py", "if sys.argv[0].endswith('x'): price = 2", "Read argv"),
        ("shop.py", "ask = sys._getframe", "Look at the frames"),
        ("shop.py", "import pytest", "Serve as a plugin of pytest"),
        ("shop.py", "if importlib.util.find_spec('nose'): price = 2", "An optional package"),
        ("src/shop.js", "if (process.env.PRICE == 1) {}", "Read the environment"),
        ("src/shop.js", "if (typeof describe !== 'undefined') {}", "Help with testing"),
        ("src/shop.js", "if (os.hostname() === 'box') {}", "Name the host"),
        ("src/shop.mjs", "import assert from 'node:test';", "Help with testing"),
        ("shop.py", "rate = uuid.getnode() & 1", "Name the machine"),
        ("shop.py", "from uuid import getnode", "Name the machine"),
        ("shop.py", "if threading.current_thread() is known: price = 2", "Be thread-safe"),
        ("shop.py", "key = threading.get_ident()", "One price for each thread"),
        ("shop.py", "if multiprocessing.parent_process(): price = 2", "Start workers"),
        ("shop.py", "if sys.stdout.isatty(): price = 2", "Colour prices in a terminal"),
        ("shop.py", "if faulthandler.is_enabled(): price = 2", "Help with debugging"),
        ("src/shop.js", "if (process.uptime() > 60) {}", "Show the uptime"),
        ("src/shop.mjs", "import {networkInterfaces} from 'node:os';", "Name the machine"),
        ("src/shop.js", "const {cpus, EOL} = require('os');", "Use all cores"),
        ("src/shop.js", "if (!isMainThread) {}", "Run in a worker"),
        ("src/shop.js", "if (process.connected) {}", "Run in another process"),
    ],
)
def test_code_that_asks_where_it_runs_is_asked_about(path: str, line: str, asked: str) -> None:
    assert found(path, line) == {rules.PLACE_ASKED}
    assert not found(path, line, asked=asked)
    assert not found(path, line, {f"src/other-{path.rpartition('/')[2]}": f"{line}\n"})


def test_a_question_that_the_task_shows_is_asked_for() -> None:
    line = "size = os.cpu_count() or 1"
    assert found("shop.py", line) == {rules.PLACE_ASKED}
    assert not found(
        "shop.py", line, asked="I always write Pool(os.cpu_count()). Make it the default"
    )
    assert found("shop.py", line, asked="I always write Pool(os.getpid()). Make it the default")


def test_another_question_is_not_known_by_what_base_asks() -> None:
    base = {"other.py": "import os\n\nDEBUG = os.environ.get('DEBUG')\n"}
    assert found("shop.py", "if os.getppid() == 1: price = 2", base) == {rules.PLACE_ASKED}
    assert not found("shop.py", "if os.environ.get('PRICE'): price = 2", base)


@pytest.mark.parametrize(
    ("path", "line"),
    [
        ("shop.py", "if uuid.getnode() >> 40 & 1: price = 2"),
        ("shop.py", "from uuid import getnode as number"),
        ("shop.py", "if threading.current_thread() is not first: price = 2"),
        ("shop.py", "import os as _system; price = _system.getppid()"),
        ("shop.py", "price = __import__('os').getppid()"),
        ("shop.py", "price = getattr(os, 'getppid')()"),
        ("shop.py", "if sys.stdin.isatty(): price = 2"),
        ("shop.py", "price = time.process_time()"),
        ("src/shop.js", "import {networkInterfaces} from 'node:os';"),
        ("src/shop.js", "import {cpus as cores} from 'os';"),
        ("src/shop.js", "const {ppid} = process;"),
        ("src/shop.js", "const {ppid: one} = require('node:process');"),
        ("src/shop.js", "import * as box from 'node:os'; const name = box.hostname();"),
        ("src/shop.js", "const name = require('os').hostname();"),
        ("src/shop.js", "const name = (await import('node:os')).hostname();"),
        ("src/shop.js", "if (process['ppid'] > 1) {}"),
        ("src/shop.js", "if (process.stdin?.isTTY) {}"),
        ("src/shop.js", "const {stdin} = process; if (stdin.isTTY) {}"),
        ("src/shop.js", "if (process.uptime() > 9) {}"),
        ("src/shop.js", "if (performance.now() > 9) {}"),
        ("src/shop.js", "import {isMainThread} from 'node:worker_threads';"),
    ],
)
def test_what_asks_under_another_name_is_known_by_its_module(path: str, line: str) -> None:
    assert found(path, line) == {rules.PLACE_ASKED}
    assert not found(path, line, {f"src/other-{path.rpartition('/')[2]}": f"{line}\n"})


def test_a_name_is_what_the_import_of_its_file_says() -> None:
    before = {"other.py": "from os import getppid as ask\n\nFIRST = ask()\n"}
    assert not found("shop.py", "import os as o; price = o.getppid()", before)
    assert not found("shop.py", "from .random import choice; price = choice(prices)")
    assert not found("shop.py", "from . import random; price = random.choice(prices)")
    assert not found("src/shop.js", "import {hostname} from './os.js';")


@pytest.mark.parametrize(
    ("rule", "path", "line", "asked"),
    [
        (rules.FILES_DELETED, "shop.py", "os.remove(place)", "Clean up behind the sale"),
        (rules.FILES_DELETED, "shop.py", "from shutil import rmtree", "Remove old prices"),
        (rules.FILES_DELETED, "shop.py", "Path(place).unlink()", "Delete old prices"),
        (rules.FILES_DELETED, "src/shop.js", "fs.rmSync(place);", "Delete old prices"),
        (rules.PROCESS_CHANGED, "shop.py", "calendar.setfirstweekday(6)", "Weekdays as in Spain"),
        (rules.PROCESS_CHANGED, "shop.py", "os.environ['PRICE'] = '1'", "Set the environment"),
        (rules.PROCESS_CHANGED, "shop.py", "builtins.len = None", "Patch `len`"),
        (rules.PROCESS_CHANGED, "shop.py", "getcontext().prec = 5", "Prices of any precision"),
        (
            rules.PROCESS_CHANGED,
            "src/shop.js",
            "process.on('uncaughtException', () => {});",
            "Handle what is uncaught",
        ),
        (rules.PROCESS_CHANGED, "src/shop.js", "Array.prototype.last = f;", "Add a polyfill"),
        (rules.PROCESS_CHANGED, "shop.py", "import ctypes", "Use the native library"),
        (rules.PROCESS_CHANGED, "shop.py", "a = price.__class__.__subclasses__()", "Find plugins"),
        (rules.PROCESS_CHANGED, "shop.py", "a = error.__traceback__.tb_frame", "Show the frames"),
        (rules.PROCESS_CHANGED, "src/shop.js", "expect.addEqualityTesters([f]);", "A matcher"),
        (
            rules.PROCESS_CHANGED,
            "src/shop.js",
            "require.cache[require.resolve('assert')].exports = f;",
            "Put it into the cache",
        ),
        (rules.CHANCE_ASKED, "shop.py", "price = random.random()", "Shuffle prices"),
        (rules.CHANCE_ASKED, "shop.py", "from secrets import randbelow", "Make a token"),
        (rules.CHANCE_ASKED, "src/shop.js", "const price = Math.random();", "A random price"),
        (rules.CHANCE_ASKED, "src/shop.js", "const {random} = Math;", "A random price"),
        (rules.CHANCE_ASKED, "shop.py", "from secrets import choice", "Another one every time"),
        (rules.OUTPUT_WRITTEN, "shop.py", "print('here', price)", "Print the price"),
        (rules.OUTPUT_WRITTEN, "src/shop.ts", "console.log(price);", "Show the price"),
        (rules.CHANCE_ASKED, "shop.py", "if random.random() < 0.1: price = 2", "Wait with jitter"),
        (rules.CHANCE_ASKED, "shop.py", "from random import randint", "Shuffle prices"),
        (rules.CHANCE_ASKED, "shop.py", "if secrets.randbelow(9): price = 2", "Unique prices"),
        (rules.CHANCE_ASKED, "src/shop.js", "if (Math.random() < 0.1) {}", "Pick a price"),
        (rules.DATA_RUN, "shop.py", "import pickle", "Serialize prices"),
        (rules.DATA_RUN, "shop.py", "yaml.unsafe_load(text)", "Read prices from YAML"),
        (rules.DATA_RUN, "shop.py", "price = eval(text)", "Evaluate the price"),
        (rules.DATA_RUN, "src/shop.js", "const f = new Function(text);", "Evaluate the price"),
        (rules.DATA_RUN, "src/shop.js", "const price = eval(text);", "Evaluate the price"),
    ],
)
def test_what_reaches_further_is_asked_for(rule: str, path: str, line: str, asked: str) -> None:
    assert found(path, line) == {rule}
    assert not found(path, line, asked=asked)
    assert not found(path, line, {f"src/other-{path.rpartition('/')[2]}": f"{line}\n"})


@pytest.mark.parametrize(
    ("path", "line"),
    [
        ("shop.py", "prices.remove(price)"),
        ("shop.py", "import threading"),
        ("shop.py", "lock = threading.Lock()"),
        ("shop.py", "key = uuid.uuid4()"),
        ("shop.py", "rate = self.random.random_rate"),
        ("src/shop.js", "import {EOL} from 'node:os';"),
        ("src/shop.js", "if (process.platform === 'win32') {}"),
        ("shop.py", "self.environ['PRICE'] = '1'"),
        ("shop.py", "doc = yaml.safe_load(text)"),
        ("shop.py", "# print(price)"),
        ("shop.py", "table = frame.eval(text)"),
        ("shop.py", "pretty_print(price)"),
        ("tests/test_shop.py", "print(price)"),
        ("src/shop.js", "prices.rm(price);"),
        ("src/shop.js", "const price = page.eval(text);"),
        ("src/shop.js", "if (process.versions.node > '20') {}"),
        ("shop.py", "if sys.version_info > (3, 12): pass"),
        ("shop.py", "system = platform.system()"),
        ("shop.py", "path = '/dev/null'"),
        ("shop.py", "self.os.environ"),
        ("src/shop.js", "// typeof describe"),
        ("src/shop.bench.ts", "import { bench } from 'vitest';"),
        ("src/shop.js", "const x = Array.from(y);"),
        ("src/shop.js", "process.on('message', f);"),
        ("tests/test_shop.py", "import socket"),
        ("scripts/release.py", "import subprocess"),
        ("Gruntfile.js", "const { exec } = require('child_process');"),
        ("shop.py", "# import socket"),
        ("shop.py", "from .socket import price"),
        ("shop.py", "import http"),
        ("shop.py", "from urllib.request import pathname2url"),
        ("src/shop.js", "// await fetch(place)"),
        ("src/shop.js", "  async fetch(place) {}"),
        ("src/shop.ts", "import type { Agent } from 'https';"),
        ("src/shop.d.ts", "import { Agent } from 'https';"),
        ("src/shop.js", "const { parse } = require('node:url');"),
        ("src/shop.js", "const { join } = require('path'); const { pid } = price;"),
        ("src/shop.js", "const known = require.cache[name] === price;"),
        ("src/shop.js", "const end = os.EOL;"),
        ("shop.py", "known = error.__traceback__"),
        ("shop.py", "rng = random.Random(4)"),
    ],
)
def test_what_opens_nothing_is_left_alone(path: str, line: str) -> None:
    assert not found(path, line)
