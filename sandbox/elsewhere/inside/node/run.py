"""Runs a Node project's tests with a preload of ours, or has calls made again by a plain program.

Started as `python3 -I -S run.py [the command of the test run]`; the orders come as one line of JSON on
standard input, before those of the test run. What was seen goes to the channel.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterable, Iterator
from itertools import chain
from typing import Any

_FOLDER = "/tmp/assay-calls"  # noqa: S108 - the sandbox's own
_HERE = os.path.dirname(os.path.abspath(__file__))  # noqa: PTH100, PTH120
_LARGEST = 1 << 20
_MOST_CALLS = 400
_MOST_NAMES = 4_000
_MOST_STARTS = 5
_MOST_TIMES = 500
_LONGEST_S = 10.0
_YEAR_MS = 365 * 86_400_000
_LATER_MS = (_YEAR_MS + 57 * 86_400_000 + 7_000_000, 4 * _YEAR_MS + 150 * 86_400_000 + 41_000_000)
_OF_DATES = re.compile(r"\bDate\b|[Tt]imers?\b|[Cc]lock|moment|dayjs|luxon|date-fns|Temporal")
_ZONE = re.compile(r"[A-Za-z][\w+/-]{0,60}")
_UNSEEN_STUB = re.compile(r"\bstub\(\"[^\"]* \d+\.\d+\"\)")
_NOTHING = re.compile(
    r'\[(?:\["[\w$]*", \[\], \[(?:(?:, )?\["[\w$]+", \[\]\]){0,9}\]\])?\]', re.ASCII
)
"""The arguments of a call that is given nothing, and whose object was not, either."""
_LIKE_DATES = re.compile(r"\d{4}-\d\d|\bDate\(|\b\d{10}(?:\d{3})?\b|[\w-]{40}")


def main() -> None:
    """Do what the orders say and leave."""
    channel = int(os.environ.pop("ASSAY_CHANNEL_FD"))
    orders = json.loads(sys.stdin.buffer.readline())
    records: Iterable[dict[str, Any]]
    if sys.argv[1:]:
        records = _under_test(orders, sys.argv[1:])
        if not orders["calls"]:
            records = [_recorded(records, orders["tree"])]
    else:
        records = _plain(orders)
    for one in records:  # the time may be over before the last one is there
        data = json.dumps(one).encode() + b"\n"
        while data:
            data = data[os.write(channel, data) :]
    os._exit(0)


def _under_test(orders: dict[str, Any], argv: list[str]) -> list[dict[str, Any]]:
    theirs = json.loads(sys.stdin.buffer.readline())
    preload = "again.cjs" if orders["calls"] else "record.cjs"
    known = theirs["environment"].get("NODE_OPTIONS", "")
    theirs["environment"]["NODE_OPTIONS"] = f"{known} --require={_HERE}/{preload}".strip()
    os.mkdir(_FOLDER)  # noqa: PTH102
    with open(f"{_FOLDER}/orders.json", "w") as file:  # noqa: PTH123
        json.dump({**orders, "environment": theirs["environment"]}, file)
    for path in orders["paths"]:  # base may not have them: what they hold is ours
        place = os.path.join(orders["tree"], path)  # noqa: PTH118
        if orders["calls"] and not os.path.exists(place):  # noqa: PTH110
            os.makedirs(os.path.dirname(place), exist_ok=True)  # noqa: PTH103, PTH120
            with open(place, "w"):  # noqa: PTH123
                pass
    read, write = os.pipe()
    run = subprocess.Popen(
        argv,
        env={**os.environ, "ASSAY_CHANNEL_FD": str(write)},
        stdin=subprocess.PIPE,
        pass_fds=(write,),
    )
    os.close(write)
    threading.Thread(target=_drained, args=(read,), daemon=True).start()
    run.communicate(json.dumps(theirs).encode() + b"\n")
    found: list[dict[str, Any]] = []
    for name in sorted(os.listdir(_FOLDER)):  # noqa: PTH208
        if name.endswith(".jsonl"):
            with open(f"{_FOLDER}/{name}", "rb") as file:  # noqa: PTH123
                found += _records(file.read(_LARGEST))
    return found


def _drained(descriptor: int) -> None:
    while os.read(descriptor, _LARGEST):
        pass


def _records(data: bytes) -> list[dict[str, Any]]:
    found = []
    for line in data.splitlines():
        with contextlib.suppress(ValueError):
            record = json.loads(line)
            if isinstance(record, dict):
                found.append(record)
    return found


def _recorded(records: list[dict[str, Any]], tree: str) -> dict[str, Any]:
    """Put together what all processes saw; a call that came out twice as two things is unsteady."""
    calls: dict[tuple[str, ...], dict[str, Any]] = {}
    place: dict[str, Any] = {}
    of_dates: dict[str, bool] = {}
    unread = [
        {"path": one["unread"], "test": one["unread"], "name": one["name"]}
        for one in records
        if "unread" in one
    ][:_MOST_NAMES]
    names = [one["resolved"] for one in records if "resolved" in one][:_MOST_NAMES]
    for one in records:
        place = place or one.get("place", {})
        if "outcome" not in one:
            continue
        call = calls.setdefault((one["module"], one["name"], one["arguments"]), one)
        if call["outcome"] != one["outcome"]:
            call["outcome"] = "unsteady"
    for call in calls.values():
        path = call["test"] = call["path"]
        if path not in of_dates:
            of_dates[path] = _speaks_of_dates(os.path.join(tree, path))  # noqa: PTH118
        told = call["arguments"] + call["outcome"]
        call["timeless"] = not (
            of_dates[path] or _NOTHING.fullmatch(call["arguments"]) or _LIKE_DATES.search(told)
        )
    found = list(calls.values())[:_MOST_CALLS]
    told = {"place": place, "resolved": json.dumps(names), "calls": found, "unread": unread}
    return {**told, "with_functions": [*_with_functions(records), *_objects(records)]}


def _with_functions(records: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """Yield the calls that are given functions of tests, with what these gave in their place."""
    seen: dict[str, list[str | None]] = {}
    for one in records:
        if "stub" in one:
            seen.setdefault(one["stub"], []).append(one["seen"])
    for call in (one["with"] for one in records if "with" in one):
        text = call["arguments"]
        for name, results in seen.items():
            if None not in results:
                table = ", ".join(map(str, results))
                shown = json.dumps(name.partition(" ")[0])
                text = text.replace(f"stub({json.dumps(name)})", f"stub({shown}, [{table}])")
        if not _UNSEEN_STUB.search(text):
            yield {**call, "arguments": text, "test": call["path"], "outcome": "unseen"}


def _objects(records: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """Yield the objects that tests make, each as a call of its class."""
    for one in (one["made"] for one in records if "made" in one):
        yield {**one, "name": f"new {one['name']}", "test": one["path"], "outcome": "unseen"}


def _speaks_of_dates(path: str) -> bool:
    try:
        with open(path, encoding="utf-8", errors="replace") as file:  # noqa: PTH123
            return bool(_OF_DATES.search(file.read(_LARGEST)))
    except OSError:
        return True


def _plain(orders: dict[str, Any]) -> Iterable[dict[str, Any]]:
    """Make the calls in another order; one that is asked for alone, twice in processes of its own.

    How often a function may be called is tried with its first call; a call that nothing of dates stands
    in is made at two other dates too.
    """
    tree = orders["tree"]
    orders["resolved"] = json.loads(orders["resolved"] or "[]")
    for path in orders["gone"]:
        with contextlib.suppress(OSError):
            os.remove(os.path.join(tree, path))  # noqa: PTH107, PTH118
            os.removedirs(os.path.dirname(os.path.join(tree, path)))  # noqa: PTH118, PTH120
    os.makedirs(os.environ["HOME"], exist_ok=True)  # noqa: PTH103
    if _ZONE.fullmatch(orders["zone"]):
        os.environ["TZ"] = orders["zone"]  # configuration of tests often sets it
    calls = orders["calls"][::-1]
    if orders["is_brief"]:
        nearby = _in_both_orders(calls, orders) if calls else []
        return chain(nearby, _in_series(orders))
    place, found = _made(calls, orders)
    first = _one_of_each(calls)
    _, repeated = _made(first, orders, most_times=_MOST_TIMES)
    for number, one in repeated.items():
        known = found.get(number, one)
        is_unsteady = len(calls) == 1 and known["outcome"] != one["outcome"]
        found[number] = {**one, **known, "unsteady": one.get("unsteady", False) or is_unsteady}
    timeless = [one for one in calls if one["timeless"] and one["number"] in found]
    dates = [_made(timeless, orders, later_ms=ms)[1] for ms in _LATER_MS] if timeless else []
    for number in (one["number"] for one in timeless):
        later = {one[number]["outcome"] for one in dates if number in one}
        is_dated = len(later) == 1 and not any(_LIKE_DATES.search(text) for text in later)
        if is_dated and later != {found[number]["outcome"]}:
            found[number]["dated"] = later.pop()
    return [{"place": place}, *found.values()]


def _in_series(orders: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Make the calls of each series in a process of its own, and yield what the last one gives."""
    end = time.monotonic() + _LONGEST_S
    for number, one in enumerate(orders["series"]):
        left_s = end - time.monotonic()
        if left_s <= 0:
            return
        asked = {**orders, "calls": one["steps"], "most_times": 1, "later_ms": 0}
        told = [o for o in _program(asked, left_s) if "outcome" in o]
        if told and told[-1]["outcome"] and told[-1]["number"] == len(one["steps"]) - 1:
            ignores = told[-1].get("ignores", False)
            yield {"series": str(number), "outcome": told[-1]["outcome"], "ignores": ignores}


def _in_both_orders(calls: list[dict[str, Any]], orders: dict[str, Any]) -> list[dict[str, Any]]:
    """Make the calls forth and back: what differs then depends on what others left.

    One of each function is made twice, before anything else is.
    """
    twice = _made(_one_of_each(calls)[::-1], orders, most_times=2)[1]
    place, found = _made(calls[::-1], orders)
    for number, one in _made(calls, orders)[1].items():
        known = found.setdefault(number, one)
        known["unsteady"] = known["outcome"] != one["outcome"]
    found.update(
        (number, {**found[number], **one})
        for number, one in twice.items()
        if ("later" in one or one.get("shared")) and number in found
    )
    return [{"place": place}, *found.values()]


def _one_of_each(calls: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The last call of each function."""
    return list({(one["module"], one["name"]): one for one in calls}.values())


def _made(
    calls: list[dict[str, Any]], orders: dict[str, Any], *, most_times: int = 1, later_ms: int = 0
) -> tuple[dict[str, Any], dict[int, dict[str, Any]]]:
    """Make calls one after another in a process; where one ends it, the next go on in a new one."""
    place: dict[str, Any] = {}
    found: dict[int, dict[str, Any]] = {}
    end = time.monotonic() + _LONGEST_S
    for _ in range(_MOST_STARTS):
        left_s = end - time.monotonic()
        if not calls or left_s <= 0:
            break
        begun = None
        asked = {**orders, "calls": calls, "most_times": most_times, "later_ms": later_ms}
        for one in _program(asked, left_s):
            place = place or one.get("place", {})
            begun = one.get("begins", begun)
            if "outcome" in one:
                found.setdefault(one["number"], one)
        numbers = [one["number"] for one in calls]
        calls = calls[numbers.index(begun) + 1 :] if begun in numbers else []
    return place, {number: one for number, one in found.items() if one["outcome"]}


def _program(asked: dict[str, Any], time_s: float) -> list[dict[str, Any]]:
    with tempfile.TemporaryFile() as told:
        given = json.dumps({**asked, "channel": told.fileno()}).encode()
        with contextlib.suppress(subprocess.TimeoutExpired, OSError):
            subprocess.run(
                ["node", "/srv/run/main.cjs"],
                input=given,
                stdout=subprocess.DEVNULL,
                pass_fds=(told.fileno(),),
                timeout=time_s,
                check=False,
            )
        told.seek(0)
        return _records(told.read(_LARGEST))


if __name__ == "__main__":
    main()
