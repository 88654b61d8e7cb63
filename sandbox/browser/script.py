"""The small language of interaction scripts: one act a line, read into typed values.

    goto PATH                     fill TARGET TEXT          expect text TARGET TEXT
    click TARGET                  select TARGET OPTION      expect visible TARGET
    hover TARGET                  press KEY [TARGET]        expect hidden TARGET
    scroll TARGET | top | bottom  wait SECONDS | TARGET     expect count TARGET NUMBER
                                                            expect url TEXT

A TARGET is a selector as Playwright has them (`#buy`, `text=Buy`, `role=button[name="Buy"]`); words
with spaces are quoted as in a shell.
"""

from __future__ import annotations

import shlex
from dataclasses import dataclass
from enum import StrEnum

MAX_ACTS = 40
MAX_WAIT_S = 10.0


class Verb(StrEnum):
    """What an act does; the last five are expectations."""

    GOTO = "goto"
    CLICK = "click"
    HOVER = "hover"
    FILL = "fill"
    SELECT = "select"
    PRESS = "press"
    SCROLL = "scroll"
    WAIT = "wait"
    TEXT = "text"
    VISIBLE = "visible"
    HIDDEN = "hidden"
    COUNT = "count"
    URL = "url"


EXPECTATIONS = frozenset({Verb.TEXT, Verb.VISIBLE, Verb.HIDDEN, Verb.COUNT, Verb.URL})


@dataclass(frozen=True, slots=True)
class ScriptAct:
    """One act; `line` is how it was written. Empty `target` and `value` where the verb has none."""

    verb: Verb
    line: str
    target: str = ""
    value: str = ""


class ScriptError(ValueError):
    """Why a line is no act."""


_SHAPES = {
    Verb.GOTO: ("target",),
    Verb.CLICK: ("target",),
    Verb.HOVER: ("target",),
    Verb.FILL: ("target", "value"),
    Verb.SELECT: ("target", "value"),
    Verb.TEXT: ("target", "value"),
    Verb.VISIBLE: ("target",),
    Verb.HIDDEN: ("target",),
    Verb.COUNT: ("target", "value"),
    Verb.URL: ("value",),
}


def read_act(line: str) -> ScriptAct:
    """Read one line. Raises ScriptError, which never repeats a value."""
    try:
        words = shlex.split(line)
    except ValueError:
        raise ScriptError("a quote is not closed") from None
    name, *rest = words or [""]
    expects = name == "expect"
    if expects:
        name, *rest = rest or [""]
    known = [verb for verb in Verb if (verb in EXPECTATIONS) == expects]
    if name not in known:
        allowed = ", ".join(known) + ("" if expects else ", expect")
        raise ScriptError(f"not a known {'expectation' if expects else 'act'}; allowed: {allowed}")
    verb = Verb(name)
    if verb is Verb.PRESS and len(rest) in (1, 2):
        return ScriptAct(verb, line, "".join(rest[1:]), rest[0])
    if verb is Verb.SCROLL and len(rest) == 1:
        is_end = rest[0] in ("top", "bottom")
        return ScriptAct(verb, line, "" if is_end else rest[0], rest[0] if is_end else "")
    if verb is Verb.WAIT and len(rest) == 1:
        is_time = rest[0].replace(".", "", 1).isdecimal()
        if is_time and float(rest[0]) > MAX_WAIT_S:
            raise ScriptError(f"`wait` waits {MAX_WAIT_S:g} seconds at most")
        return ScriptAct(verb, line, "" if is_time else rest[0], rest[0] if is_time else "")
    shape = _SHAPES.get(verb, ())
    if not shape or len(rest) != len(shape):
        wants = " and ".join(f"a {part}" for part in shape) or "one word"
        if verb is Verb.PRESS:
            wants = "a key, and perhaps a target"
        raise ScriptError(
            f"`{verb}` is followed by {wants}; is a word with `#` or spaces not quoted?"
        )
    if verb is Verb.COUNT and not rest[1].isdecimal():
        raise ScriptError("`expect count` ends with a number")
    return ScriptAct(verb, line, **dict(zip(shape, rest, strict=True)))


def read_script(lines: tuple[str, ...]) -> tuple[ScriptAct, ...]:
    """Read a whole script, which begins with `goto` and expects something. Raises ScriptError."""
    acts = []
    for number, line in enumerate(lines, start=1):
        try:
            acts.append(read_act(line))
        except ScriptError as error:
            raise ScriptError(f"act {number}: {error}") from None
    if not acts or acts[0].verb is not Verb.GOTO:
        raise ScriptError("the first act is `goto PATH`")
    if not any(act.verb in EXPECTATIONS for act in acts):
        raise ScriptError("a script expects something (`expect text ...`), else it proves nothing")
    return tuple(acts)
