"""The second look for Node: the tests get proxies of what they load, and a plain `node` calls it again.

Jest and vitest bring modules, globals and variables of their own. What only a project's set-up gives is
kept out there too: bare tests run without it, and a plain program that misses something says nothing.
"""

from __future__ import annotations

import contextlib
import json
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import chain
from pathlib import Path
from urllib.parse import quote

from sandbox.base import TREE, Command, Mount
from sandbox.elsewhere.driver import CHANNEL_BYTES, ELSEWHERE, Again, Looking, plain_program
from sandbox.elsewhere.told import SHOWN, Recorded
from sandbox.elsewhere.variation import swapped
from sandbox.test_runs.node_tests import NODE_TESTS
from sandbox.test_runs.test_order import TestOrder, local
from sandbox.values import Environment, TestRunner

_INSIDE = Path(__file__).parent / "inside" / "node"
_TARGET = "/opt/assay/sandbox/elsewhere/inside/node"
_RUN = "/srv/run"
_RUNNERS_OWN = (
    *("NODE", "npm_", "NPM_", "MOCHA", "CI", "ASSAY", "NYC", "INIT_CWD"),
    *("JEST", "VITE", "AVA", "JASMINE", "TAP", "UVU", "TS_NODE", "BABEL_ENV"),
)
_SETS_UP = (TestRunner.JEST, TestRunner.VITEST)
"""The runners that prepare a place for test files: bare tests lie there as files of their own."""
_LOADS = {
    TestRunner.JEST: "typeof require === 'function' ? require(file) : import(file)",
    TestRunner.VITEST: "import(file)",
}
_LOADS_ELSE = (
    "import(url).catch(error => {"
    " if (typeof require === 'function') return require(file); throw error; })"
)
_TESTS = {
    TestRunner.JEST: "typeof it === 'function' ? it : require('@jest/globals').it",
    TestRunner.VITEST: "it",
}

_STUB = re.compile(r'stub\("(\w{1,80})"')
_WORD = re.compile(r"[\w.-]+", re.ASCII)
_MOST_WORDS = 4_000


_OF_OBJECTS = ".prototype."
"""In the name of a method: its first argument is then an object as text (`inside/node/objects.cjs`)."""


def _shown(name: str, arguments: str) -> str:
    plain = name.removeprefix("default.")
    if _OF_OBJECTS in name and (of := _Object.of(read_arguments(arguments))):
        asked = (*of.asked, (name.rpartition(".")[2], of.own))
        steps = (f"{method}({written(values)[1:-1]})" for method, values in asked)
        return f"new {of.name}({written(of.made)[1:-1]}), {', '.join(steps)}"[:SHOWN]
    parts = [arguments[1:-1]]
    if "stub(" in arguments:
        with contextlib.suppress(ValueError):
            parts = _parts(parts[0])
    stubs = (_STUB.match(part) for part in parts)
    words = (stub[1] if stub else part for stub, part in zip(stubs, parts, strict=True))
    return f"{plain}({', '.join(words)})"[:SHOWN]


class NodeDriver:
    """Calls of tests that a runner of Node's world, or node alone, runs."""

    is_apart = False
    shown = staticmethod(_shown)

    def recording(self, looking: Looking) -> Command:
        """Return the run of the tests with the preload that records."""
        tree = looking.checkout.head_tree
        return _in_the_runner(looking, tree, looking.head, looking.paths)

    def under_test(self, again: Again) -> Command:
        """Return a run of the runner in which every file of the tests is ours."""
        paths = tuple(sorted({call.path for call in again.calls}))
        run = _in_the_runner(again.looking, again.tree, again.environment, paths, again.calls)
        if again.environment.recipe.runner not in _SETS_UP:
            return run
        mounts = list(run.mounts)
        again.folder.mkdir(parents=True, exist_ok=True)
        for number, path in enumerate(paths):
            file = again.folder / f"{number}.js"
            file.write_text(_bare_test(path, again.environment.recipe.runner))
            mounts.append(Mount(str(file), f"{TREE}/{path}"))
        return replace(run, mounts=tuple(mounts))

    def plain(self, again: Again) -> Command:
        """Return a launcher that starts `node` with a program of ours."""
        orders = {
            "tree": ELSEWHERE,
            "root": again.environment.recipe.root,
            "sets_up": again.environment.recipe.runner in _SETS_UP,
            "resolved": again.told["resolved"].text,
            "zone": "" if again.looking.in_other_zone else again.told["place"]["zone"].text,
            "gone": again.looking.test_files,
            "calls": _orders(again.calls, ELSEWHERE),
            "is_brief": again.is_brief,
            "series": [{"steps": _orders(one.steps, ELSEWHERE)} for one in again.series],
        }
        own = (
            *(
                Mount(str(_INSIDE / one), f"{_RUN}/{one}")
                for one in ("run.py", "sources.cjs", "stubs.cjs", "values.cjs")
            ),
            Mount(str(_INSIDE / "plain.cjs"), f"{_RUN}/main.cjs"),
        )
        argv = ("python3", "-I", "-S", f"{_RUN}/run.py")
        return plain_program(again, argv, own, _RUNNERS_OWN, orders)

    def values(self, call: Recorded) -> tuple[object, ...]:
        """Return the arguments that are plain in Python too; of others their text, which stays.

        Behind them come those that a method's object was made of, and asked with before.
        """
        return tuple(chain(*_given(call)[1]))

    def taken(self, call: Recorded) -> int:
        """Return how many of these the function itself takes."""
        return len(_given(call)[1][0])

    def varied(self, call: Recorded, number: int, value: object) -> Recorded:
        """Return the same call with another value as one of these arguments."""
        values, groups = _given(call)
        for one in groups:
            if number < len(one):
                one[number] = value
                break
            number -= len(one)
        return _with(call, values())

    def without(self, call: Recorded, names: frozenset[str]) -> Recorded | None:
        """Return the same call without the options of these names; None where it has none.

        An argument of which nothing is left is gone, too.
        """
        values, groups = _given(call)
        is_less = False
        for one in groups:
            last = one[-1] if one else None
            if isinstance(last, dict) and not names.isdisjoint(last):
                kept = {name: value for name, value in last.items() if name not in names}
                one[-1:] = [kept] if kept else []
                is_less = True
        return _with(call, values()) if is_less else None

    def shorter(self, call: Recorded) -> Recorded | None:
        """Return the same call without its last argument."""
        values, (own, *_) = _given(call)
        if len(own) < 2:
            return None
        own.pop()
        return _with(call, values())

    def swapped(self, call: Recorded, name: str, other: str) -> Recorded | None:
        """Return the same call with another word in its arguments, as a key, or as the function's name."""
        values = read_arguments(call.arguments)
        told, called = swapped(values, name, other), swapped(call.name, name, other)
        return None if (call.name, values) == (called, told) else _with(call, told, called)


@dataclass(frozen=True, slots=True)
class _Object:
    """What a method is called on, and with: a class by name, what it is given, what was asked before."""

    name: str
    made: list[object]
    asked: tuple[tuple[str, list[object]], ...]
    own: list[object]

    @classmethod
    def of(cls, values: tuple[object, ...]) -> _Object | None:
        """Read the arguments of a method's call; None where not all of the object is plain."""
        match values:
            case [[str(name), list(made), list(steps)], *own]:
                asked = [
                    (one[0], one[1]) for one in steps if isinstance(one, list) and len(one) == 2
                ]
                is_plain = all(isinstance(a, str) and isinstance(b, list) for a, b in asked)
                is_whole = len(asked) == len(steps) and is_plain
                return cls(name, made, tuple(asked), own) if is_whole else None
        return None

    @property
    def values(self) -> list[object]:
        """The arguments of the call, as they are told."""
        return [[self.name, self.made, [[*one] for one in self.asked]], *self.own]


def _given(call: Recorded) -> tuple[Callable[[], list[object]], list[list[object]]]:
    """Return the values of a call in lists that can be changed, and what gives its arguments then.

    The function's own are first; what an object is that is not plain stays.
    """
    values = read_arguments(call.arguments)
    if _OF_OBJECTS not in call.name:
        own = [*values]
        return lambda: own, [own]
    if of := _Object.of(values):
        return lambda: of.values, [of.own, of.made, *(one for _, one in of.asked)]
    own = [*values[1:]]
    return lambda: [*values[:1], *own], [own]


def _with(call: Recorded, values: Sequence[object], name: str = "") -> Recorded:
    """Return the same call with other arguments, or of another function."""
    arguments, called = written(values), name or call.name
    return replace(call, name=called, arguments=arguments, shown=_shown(called, arguments))


def _in_the_runner(
    looking: Looking,
    tree: str,
    environment: Environment,
    paths: tuple[str, ...],
    calls: tuple[Recorded, ...] = (),
) -> Command:
    """Return the project's own test run, started by a launcher that adds the preload."""
    order = TestOrder(environment.side, tree, environment, paths, looking.limits)
    run = NODE_TESTS.command(local(order))
    runner = environment.recipe.runner
    orders = {
        "tree": TREE,
        "runner": runner.value,
        "sets_up": runner in _SETS_UP,
        "laid": {path: _bare_test(path, runner) for path in paths},
        "paths": paths,
        "tests": looking.test_files,
        "said": sorted(set(_WORD.findall(looking.code)))[:_MOST_WORDS],
        "calls": _orders(calls, TREE),
    }
    return replace(
        run,
        argv=("python3", "-I", "-S", f"{_TARGET}/run.py", *run.argv),
        mounts=(*run.mounts, Mount(str(_INSIDE), _TARGET)),
        stdin=json.dumps(orders).encode() + b"\n" + run.stdin,
        channel_bytes=CHANNEL_BYTES,
    )


def _bare_test(path: str, runner: TestRunner) -> str:
    """Return the text of a test file, for either kind of module, that only makes recorded calls."""
    given = (
        "apply: (found, self, values) => found.apply(self, values)",
        "evaluate: text => (0, eval)(text)",
        f"load: ({{url, file}}) => {_LOADS.get(runner, _LOADS_ELSE)}",
        f"it: {_TESTS.get(runner, 'undefined')}",
    )
    lines = (
        "/** @jest-environment node */",
        "// @ts-nocheck",
        "import {it} from 'vitest';" if runner is TestRunner.VITEST else "",
        f"globalThis[Symbol.for('assay')].run({json.dumps(path)}, {{{', '.join(given)}}});",
    )
    return "\n".join(lines) + "\n"


def _orders(calls: tuple[Recorded, ...], tree: str) -> list[dict[str, object]]:
    return [
        {
            "number": number,
            "url": f"file://{quote(f'{tree}/{call.module}')}",
            "module": call.module,
            "file": f"{tree}/{call.module}",
            "name": call.name,
            "arguments": call.arguments,
            "path": call.path,
            "timeless": call.timeless,
        }
        for number, call in enumerate(calls)
    ]


# --- reads and writes plain values as JavaScript shows them; what Python has no equal for stays text


_NAME = re.compile(r"[A-Za-z_$][\w$]*", re.ASCII)
_UNSEEN = re.compile(
    "[\\x7f-\\x9f\\xad\\u061c\\u200b-\\u200f\\u2028-\\u202e\\u2060-\\u2069\\ufeff]"
)
_DEEPEST = 8
_DECODER = json.JSONDecoder()
_DATE = re.compile(r'new Date\("(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3})Z"\)', re.ASCII)


class AsIs(str):
    """A value's text that is written as it was read."""

    __slots__ = ()


def read_arguments(text: str) -> tuple[object, ...]:
    """Return the arguments of a call from a list of them; none where the text is no such list."""
    try:
        parts = _parts(text[1:-1]) if text[:1] == "[" and text[-1:] == "]" else []
    except ValueError:
        return ()
    values: list[object] = []
    for part in parts:
        try:
            values.append(_read(part, 0))
        except (ValueError, RecursionError):
            values.append(AsIs(part))
    return tuple(values)


def written(value: object, depth: int = 0) -> str:
    """Return a value as JavaScript writes it. Raises ValueError for what it cannot."""
    if isinstance(value, AsIs):
        return str(value)
    if depth > _DEEPEST:
        raise ValueError
    if isinstance(value, datetime):
        return f'new Date("{value.isoformat(timespec="milliseconds")}Z")'
    if isinstance(value, list | tuple):
        return "[" + ", ".join(written(one, depth + 1) for one in value) + "]"
    if isinstance(value, dict):
        members = []
        for name, one in ((str(name), one) for name, one in value.items()):
            is_plain = _NAME.fullmatch(name) and name != "__proto__"
            key = name if is_plain else f"[{_quoted(name)}]"
            members.append(f"{key}: {written(one, depth + 1)}")
        return "{" + ", ".join(members) + "}"
    return _quoted(value)


def _quoted(value: object) -> str:
    """Return a plain value with nothing in its text that no reader sees, as `inside/node/values.cjs` does."""
    text = json.dumps(value, ensure_ascii=False, allow_nan=False)
    return _UNSEEN.sub(lambda one: f"\\u{ord(one[0]):04x}", text)


def _read(text: str, depth: int) -> object:
    if depth > _DEEPEST:
        raise ValueError
    if text[:1] == "[" and text[-1:] == "]":
        return [_read(one, depth + 1) for one in _parts(text[1:-1])]
    if text[:1] == "{" and text[-1:] == "}":
        return dict(_member(one, depth + 1) for one in _parts(text[1:-1]))
    if date := _DATE.fullmatch(text):
        return datetime.fromisoformat(date[1])
    if text in ("NaN", "Infinity", "-Infinity"):  # JSON of Python's own
        raise ValueError
    value: object = json.loads(text)
    return value


def _member(text: str, depth: int) -> tuple[str, object]:
    if found := _NAME.match(text):
        name, end = found.group(), found.end()
    elif text[:1] == "[":
        name, end = _DECODER.raw_decode(text, 1)
        end += text[end : end + 1] == "]"
    else:
        raise ValueError
    if not isinstance(name, str) or text[end : end + 2] != ": ":
        raise ValueError
    return name, _read(text[end + 2 :], depth)


def _parts(text: str) -> list[str]:
    """Split at the commas outside of brackets and strings. Raises ValueError."""
    parts, begin, open_brackets, at = list[str](), 0, 0, 0
    while at < len(text):
        letter = text[at]
        if letter == '"':
            _, at = _DECODER.raw_decode(text, at)
            continue
        open_brackets += (letter in "[{(") - (letter in "]})")
        if letter == "," and open_brackets == 0:
            parts.append(text[begin:at].strip())
            begin = at + 1
        at += 1
    if open_brackets:
        raise ValueError
    return [*parts, text[begin:].strip()] if text.strip() else []
