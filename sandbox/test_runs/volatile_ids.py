"""Gives tests whose ids change from run to run (a time, an address, a UUID in a parameter) one id.

Only ids that one run has and the other lacks are looked at, and only what cannot be part of a fixed
parameter is set aside: a date of the last weeks with the times beside it, an address, a UUID.
"""

from __future__ import annotations

import re
from collections import defaultdict, deque
from dataclasses import replace
from datetime import date, timedelta

from sandbox.values import TestRun

RECENT_DAYS = 35
"""How old a kept run of base can be, and some."""

_ADDRESS = re.compile(r"0x[0-9a-fA-F]{8,16}\b")
_UUID = re.compile(r"\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b", re.I)
_DATE = re.compile(r"\b(?:(\d{4})-(\d\d)-(\d\d)|(\d\d)-(\d\d)-(\d{4}))\b")
_TIME = re.compile(r"\d{1,2}:\d\d(?::\d\d(?:\.\d+)?)?")


def aligned(run: TestRun, *references: TestRun) -> TestRun:
    """Return `run` with its volatile ids as the first of `references` that has the test spells them."""
    own = {result.id for result in run.results}
    known = {result.id for reference in references for result in reference.results}
    spare: dict[str, deque[str]] = defaultdict(deque)
    for test_id in dict.fromkeys(r.id for reference in references for r in reference.results):
        if test_id not in own and (form := steady_form(test_id)) != test_id:
            spare[form].append(test_id)
    if not spare:
        return run
    results = []
    for result in run.results:
        same = spare.get(steady_form(result.id)) if result.id not in known else None
        results.append(replace(result, id=same.popleft()) if same else result)
    return replace(run, results=tuple(results))


def steady_form(test_id: str) -> str:
    """Return the id with every volatile part of its parameters set aside."""
    function, bracket, parameters = test_id.partition("[")
    if not bracket:
        return test_id
    steady = _UUID.sub("<uuid>", _ADDRESS.sub("<address>", parameters))
    dated = _DATE.sub(_without_recent_date, steady)
    if dated != steady:
        dated = _TIME.sub("<time>", dated)
    return f"{function}[{dated}"


def _without_recent_date(found: re.Match[str]) -> str:
    year, month, day, first, second, last = found.groups()
    spellings = ((year, month, day),) if year else ((last, first, second), (last, second, first))
    return "<date>" if any(_is_recent(*spelling) for spelling in spellings) else found.group()


def _is_recent(year: str, month: str, day: str) -> bool:
    try:
        then = date(int(year), int(month), int(day))
    except ValueError:
        return False
    return abs(date.today() - then) <= timedelta(days=RECENT_DAYS)
