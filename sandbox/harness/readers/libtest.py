"""Reads what Rust's test harness prints: its list of tests, its result lines and its summary.

Source: the `test` crate (library/test/src/formatters/pretty.rs). The tests' own output can stand
between; a line that repeats a result, or a summary that does not fit the lines, is a problem.
"""

from __future__ import annotations

import re
from collections import Counter

from sandbox.harness import outcome
from sandbox.harness.readers.seen import MOST_TESTS, NAME_CHARS, Reading, Seen, clipped

_LISTED = re.compile(r"(\S.*): test")
_RESULT = re.compile(r"test (\S.*?)(?: - should panic)? \.\.\. (ok|FAILED|ignored)(?:, (.*))?")
_SUMMARY = re.compile(
    r"test result: (?:ok|FAILED)\. (\d{1,9}) passed; (\d{1,9}) failed; (\d{1,9}) ignored;.*"
)
_SAID = re.compile(r"^---- (\S.*?) stdout ----\n(.*?)(?=^---- |^\nfailures:|\Z)", re.M | re.S)
_WORDS = {"ok": outcome.PASSED, "FAILED": outcome.FAILED, "ignored": outcome.SKIPPED}


def read_list(text: str) -> tuple[str, ...]:
    """Return the names of `--list --format terse`, each once."""
    found = (_LISTED.fullmatch(line) for line in text.splitlines()[:MOST_TESTS])
    return tuple(dict.fromkeys(match.group(1)[:NAME_CHARS] for match in found if match))


def read(text: str) -> Reading:
    """Return one run's results."""
    said = {name: clipped(body.strip()) for name, body in _SAID.findall(text)}
    found: dict[str, list[str]] = {}
    summaries = []
    for line in text.splitlines():
        result, summary = _RESULT.fullmatch(line), _SUMMARY.fullmatch(line)
        if result:
            found.setdefault(result.group(1)[:NAME_CHARS], []).append(_WORDS[result.group(2)])
        elif summary:
            summaries.append(tuple(int(number) for number in summary.groups()))
        if len(found) > MOST_TESTS:
            return Reading((), f"There are more than {MOST_TESTS} tests.")
    tests = tuple(_seen(name, words, said.get(name, "")) for name, words in found.items())
    return Reading(tests, _problem(found, summaries))


def _seen(name: str, words: list[str], said: str) -> Seen:
    worst = words[0]
    for word in words[1:]:
        worst = outcome.worse(worst, word)
    return Seen(name, worst, message=said if worst == outcome.FAILED else "")


def _problem(found: dict[str, list[str]], summaries: list[tuple[int, ...]]) -> str:
    twice = next((name for name, words in found.items() if len(words) > 1), "")
    if twice:
        return f"A second result of {twice} was printed."
    if len(summaries) != 1:
        return f"The run printed {len(summaries)} summaries instead of one."
    counted = Counter(words[0] for words in found.values())
    told = tuple(counted[word] for word in (outcome.PASSED, outcome.FAILED, outcome.SKIPPED))
    return "" if told == summaries[0] else "The summary does not fit the results."
