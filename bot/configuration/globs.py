"""Matches paths and names by patterns, in a time that no pattern can blow up.

`*` is any run of characters without a slash, `?` one of them, `**` any run, and `**/` any number of
folders, none included. Everything else, brackets too, stands for itself: `*[bot]`, `app/[id]/**`.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Annotated

from pydantic import AfterValidator, StringConstraints

LONGEST_GLOB = 200
MOST_GLOBS = 50
_TOKENS = re.compile(r"(?:^|(?<=/))\*\*/+|\*{2,}|\*|.", re.DOTALL)
_FOLDERS, _ANY, _RUN, _ONE = "**/", "**", "*", "?"


def matches(pattern: str, name: str) -> bool:
    """Whether the whole of `name` is what the pattern says.

    All ways through the pattern are walked at once, a character at a time: the time is at most the
    product of both lengths.
    """
    tokens = _tokens(pattern)
    states = _reached(tokens, {0})
    for character in name:
        after: set[int] = set()
        for state in states:
            if state < 0:  # inside the folders: go on, or be at the start of a name again
                after.add(state)
                if character == "/":
                    after.add(-1 - state)
                continue
            token = tokens[state] if state < len(tokens) else ""
            if token == _ANY or (token == _RUN and character != "/"):
                after.add(state)
            elif token == character or (token == _ONE and character != "/"):
                after.add(state + 1)
        states = _reached(tokens, after)
        if not states:
            return False
    return len(tokens) in states


def matches_any(patterns: tuple[str, ...], name: str) -> bool:
    """Whether one of the patterns matches."""
    return any(matches(pattern, name) for pattern in patterns)


@lru_cache(maxsize=1024)
def _tokens(pattern: str) -> tuple[str, ...]:
    found: list[str] = []
    for token in _TOKENS.findall(pattern):
        kind = _FOLDERS if token.startswith("**/") else _ANY if token.startswith("**") else token
        if not (found and found[-1] == kind and kind in (_FOLDERS, _ANY, _RUN)):
            found.append(kind)
    return tuple(found)


def _reached(tokens: tuple[str, ...], states: set[int]) -> set[int]:
    """The states with those that follow without a character; folders are entered and left at `/`.

    A state is how many tokens are done. Inside the folders of token `i` it is `-1 - i`.
    """
    reached = set(states)
    for state in states:
        position = state
        while 0 <= position < len(tokens) and tokens[position] in (_FOLDERS, _ANY, _RUN):
            if tokens[position] == _FOLDERS:
                reached.add(-1 - position)
            position += 1
            reached.add(position)
    return reached


def _written_well(pattern: str) -> str:
    if pattern.startswith("!"):
        raise ValueError("a pattern cannot begin with `!`; name it under `exclude` or `skip`")
    if pattern.startswith(("/", "./")):
        raise ValueError("paths begin at the root of the repository, without `/` or `./`")
    if pattern.endswith("/"):
        raise ValueError("a folder matches no file; end it with `/**`")
    return pattern


Glob = Annotated[
    str, StringConstraints(min_length=1, max_length=LONGEST_GLOB), AfterValidator(_written_well)
]
