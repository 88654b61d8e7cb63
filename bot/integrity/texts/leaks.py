"""Finds secrets that a change adds, or has its code tell; a finding shows their place, never the secret."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise

from bot.diff.kinds import is_test_file
from bot.diff.lines import added_lines
from bot.diff.paths import is_document
from bot.integrity.reading.inspection import Inspection, make_finding, words_of_task
from bot.text import redact
from bot.text.clipping import clip_line
from bot.text.words import sentences
from bot.values.rules import SECRET_ADDED, SECRET_TOLD
from sandbox.values import Finding

_NAMED = re.compile(r"\[redacted: ([\w ]{1,40})\]")
_NO_VALUE = re.compile(
    r"\(\?|\[\^|\\[sSwWdDb]|\]\+|\{\{|\$\{|<\w+>"
    r"|@(?:[\w-]+\.){0,5}(?:example|localhost|invalid|test)\b"  # hosts of RFC 2606
)
"""A line with one of these is a regular expression, a template or an example, not a value."""
_WEAK = ("secret", "credentials", "authorization", "cookie", "password", "bearer token")
"""Shapes known by the name before them only: in tests and documents those are examples."""


def secrets_added(inspection: Inspection) -> Iterator[Finding]:
    """One finding for each kind of secret in a file's new lines."""
    for change in inspection.left():
        lines = added_lines(change)
        clean = redact("\n".join(line for _, line in lines))
        before = inspection.before(change) or ""
        for kind in dict.fromkeys(_NAMED.findall(clean)):
            if kind in _WEAK and (is_test_file(change.path) or is_document(change.path)):
                continue
            places = (
                (number, line.strip())
                for number, line in lines
                if kind in _NAMED.findall(redact(line))
                and not (kind in _WEAK and _NO_VALUE.search(line))
            )
            place = next(places, None)
            if place is None and kind == "private key":
                # of several lines: it begins with its header
                place = next(((number, "") for number, line in lines if "-----" in line), None)
            if place is None or (place[1] and place[1] in before):
                continue
            message = (
                f"This looks like a secret ({kind}) that the change adds; revoke it if it is real."
            )
            finding = make_finding(SECRET_ADDED, change, place[0], message)
            yield replace(finding, hunk=redact(finding.hunk))


_TELLING = re.compile(
    r"(?:\b_?(?i:log(?:ger|ging)?|console)[ ]?\.[ ]?"
    r"(?:debug|info|warn(?:ing)?|error|exception|critical|log|trace)"
    r"|(?<![\w.])print|\bsys\.std(?:out|err)\.write|\bprocess\.std(?:out|err)\.write)[ ]?\((.{0,300})"
)
_TEXT = re.compile(r"'(?:[^'\\]|\\.){0,300}+'|\"(?:[^\"\\]|\\.){0,300}+\"")
_IN_TEXT = re.compile(r"\{([^{}\n]{1,80})\}")
_OF_SECRETS = r"secrets?|passw(?:or)?ds?|passphrase|api_?key|private_?key|credentials?"
_SECRET = re.compile(rf"(?i)(?<![a-z])(?:{_OF_SECRETS}|tokens?|signature|sign)(?![a-z])")
_KEY = re.compile(r"(?i)(?<![a-z])(?<!len\()(?<!cache_)(?<!sort_)keys?(?![a-z_(.=])")
_SIGNS = re.compile(r"(?i)\bhmac\b|createhmac|\bfernet\b|encrypt|decrypt|cipher|\bjwt\b")
"""Where a key is a secret."""
_KEEPS_OUT = re.compile(
    rf"(?i){_OF_SECRETS}|hmac|compare_?digest|timing_?safe|bearer|authori[sz]|login"
)
"""Where tokens and signatures are for somebody to get in, and none of a language."""
_SPOKEN_OF = re.compile(r"(?i)\b(?:logs?|logging|logged|prints?|printed|shows?|shown)\b")
_SHOWN_CHARS = 60
_MOST_LINES, _LONGEST_LINE = 12, 300  # of one call


def secrets_told(inspection: Inspection) -> Iterator[Finding]:
    """The first line of each file that newly prints or logs what has the name of a secret."""
    said = sentences(words_of_task(inspection))
    if any(_SPOKEN_OF.search(one) and _SECRET.search(one) for one in said):
        return
    for change in inspection.shipped():
        before = inspection.before(change) or ""
        if not _KEEPS_OUT.search(before):
            continue
        are_secret = _SIGNS.search(before) is not None
        lines = added_lines(change)
        for at, (number, line) in enumerate(lines):
            told = _TELLING.search(line)
            if told is None:
                continue
            call = told[1] + _behind(lines, at, told[1])
            # Of a text only what stands in its braces is a value.
            values = f"{_TEXT.sub(' ', call)} {' '.join(_IN_TEXT.findall(call))}"
            if not (_SECRET.search(values) or (are_secret and _KEY.search(values))):
                continue
            shown = clip_line(redact(line.strip()), _SHOWN_CHARS)
            message = (
                f"This tells a secret, by its name (`{shown}`), and the task does not speak of it."
            )
            yield make_finding(SECRET_TOLD, change, number, message)
            break


def _behind(lines: Sequence[tuple[int, str]], at: int, opened: str) -> str:
    """Return the added lines behind one up to where the bracket closes that it `opened`."""
    depth, found = 1 + opened.count("(") - opened.count(")"), ""
    for (before, _), (number, line) in pairwise(lines[at : at + _MOST_LINES]):
        if depth <= 0 or number != before + 1:
            break
        found += f" {line[:_LONGEST_LINE]}"
        depth += line.count("(") - line.count(")")
    return found
