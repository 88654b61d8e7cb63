"""Reads the keyed lines that our JUnit runner writes: what carries another key is somebody else's."""

from __future__ import annotations

import base64
import binascii

from sandbox.harness import outcome
from sandbox.harness.readers.seen import MOST_TESTS, NAME_CHARS, Reading, Seen, clipped

_WORDS = {outcome.PASSED, outcome.FAILED, outcome.SKIPPED}


def read(text: str, key: str) -> Reading:
    """Return the worst result of every test (`test` lines count as passed); without the end, a problem."""
    found: dict[str, Seen] = {}
    has_ended, problem = False, ""
    for line in text.splitlines():
        words = line.split(" ")
        if len(words) != 5 or words[0] != key or has_ended or len(found) > MOST_TESTS:
            problem = problem or "Somebody else wrote into the report."
        elif words[1] == "end":
            has_ended = True
        else:
            _add(found, words)
    if not has_ended and not problem:
        problem = "The tests ended before their end: something left the program."
    return Reading(tuple(found.values()), problem)


def _add(found: dict[str, Seen], words: list[str]) -> None:
    name = _decoded(words[2])[:NAME_CHARS]
    word = words[3] if words[3] in _WORDS else outcome.ERROR
    known = found.get(name)
    if known is None or outcome.worse(known.outcome, word) != known.outcome:
        found[name] = Seen(name, word, message=clipped(_decoded(words[4])))


def _decoded(word: str) -> str:
    try:
        return base64.b64decode(word[1:], validate=True).decode("utf-8", "replace")
    except (binascii.Error, ValueError):
        return ""
