"""Finds words that speak to an AI reviewer, and text that hides from a human one.

They are looked for in every text that the change adds, in the author's own words, and in what images
carry besides pixels. Assay never follows them; a person has to know that somebody tried.
"""

from __future__ import annotations

import re
import struct
import unicodedata
import zlib
from collections.abc import Iterable, Iterator, Sequence

from bot.diff.lines import added_lines
from bot.integrity.reading.inspection import Inspection, make_finding
from bot.text.clipping import clip
from bot.values import Evidence, Task, Trust
from bot.values.rules import HIDDEN_TEXT, INSTRUCTION
from sandbox.values import Finding, Observation, Severity

MAX_TEXTS = 50
MAX_TEXT_BYTES = 64_000
_MOST_PRINTED = 200_000
_MOST_LINES = 3  # of one order
_LONGEST = 600
_BLANK = " \t\r\n\f\v"
_NUMBER = re.compile(r"[0-9]+(?:\.[0-9]+)?")
_PNG = b"\x89PNG\r\n\x1a\n"
_TEXT_CHUNKS = (b"tEXt", b"zTXt", b"iTXt", b"eXIf")
_RIFF_CHUNKS = (b"EXIF", b"XMP ", b"ICMT")
_READABLE = re.compile(rb"[\x20-\x7e\t\r\n]{12,}")
_WIDE = re.compile(rb"([\x20-\x7e])\0")


def texts_in_image(data: bytes) -> tuple[str, ...]:
    """The readable runs of 12 characters or more in a PNG's, JPEG's, GIF's or WebP's metadata."""
    found: list[str] = []
    read = next((read for mark, read in _METADATA.items() if data.startswith(mark)), None)
    for block in read(data) if read else ():
        readable = [run.decode("ascii") for run in _READABLE.findall(block[:MAX_TEXT_BYTES])]
        utf16 = _WIDE.sub(rb"\1", block[:MAX_TEXT_BYTES])  # EXIF comments may be UTF-16
        readable += [run.decode("ascii") for run in _READABLE.findall(utf16)]
        found += [text for text in readable if text not in found]
        if len(found) >= MAX_TEXTS:
            break
    return tuple(found[:MAX_TEXTS])


def _png(data: bytes) -> Iterator[bytes]:
    at = len(_PNG)
    while at + 12 <= len(data):
        size, kind = struct.unpack_from(">I4s", data, at)
        body = data[at + 8 : at + 8 + size]
        if kind in _TEXT_CHUNKS:
            yield body
            # the deflated part, never more than 64,000 bytes of it
            start = body.find(b"\x78") if kind in (b"zTXt", b"iTXt") else -1
            while 0 <= start < 400:
                try:
                    yield zlib.decompressobj().decompress(body[start:], MAX_TEXT_BYTES)
                    break
                except zlib.error:
                    start = body.find(b"\x78", start + 1)
        at += size + 12


def _jpeg(data: bytes) -> Iterator[bytes]:
    at = 2
    while at + 4 <= len(data) and data[at] == 0xFF:
        marker, size = data[at + 1], struct.unpack_from(">H", data, at + 2)[0]
        if marker in (0xDA, 0xD9):
            return
        if marker == 0xFE or 0xE1 <= marker <= 0xEF:
            yield data[at + 4 : at + 2 + size]
        at += 2 + max(size, 2)


def _gif(data: bytes) -> Iterator[bytes]:
    at = data.find(b"\x21\xfe")
    for _ in range(MAX_TEXTS):
        if at < 0:
            return
        at += 2
        parts: list[bytes] = []
        while at < len(data) and data[at] and sum(map(len, parts)) < MAX_TEXT_BYTES:
            parts.append(data[at + 1 : at + 1 + data[at]])
            at += data[at] + 1
        yield b"".join(parts)
        at = data.find(b"\x21\xfe", at)


def _riff(data: bytes) -> Iterator[bytes]:
    at = 12
    while data[8:12] == b"WEBP" and at + 8 <= len(data):
        kind, size = struct.unpack_from("<4sI", data, at)
        if kind in _RIFF_CHUNKS:
            yield data[at + 8 : at + 8 + size]
        at += 8 + size + size % 2


_METADATA = {_PNG: _png, b"\xff\xd8": _jpeg, b"GIF8": _gif, b"RIFF": _riff}


_WHO = (
    r"(?:AI|A\.I\.|LLM|GPT|ChatGPT|Claude|Copilot|Gemini|language model|(?:code |automated |automatic )"
    r"review(?:er|ing)?(?: (?:bot|system|tool|agent|model))?|review bot|reviewing (?:bot|agent|model)"
    r"|judg(?:e|ing) (?:model|bot)|grading (?:system|model|bot)"
    r"|assistant(?![\"'])|grader|evaluator)s?"  # in quotes it is the role in a chat's transcript
)
_VERDICT = (
    r"(?:approve|accept|merge|pass|satisf(?:y|ied)|LGTM|looks? good|full (?:marks|score)|highest score|"
    r"(?:score|rate|grade) (?:this|it|of)|no (?:issues|problems|findings)|"
    r"(?:do not|don't) (?:flag|report|mention|comment)|skip (?:this|the) (?:file|check|review)"
    r"|(?:is|are|as) (?:met|fulfilled|valid))"
)
_JUDGE = (
    r"(?:(?:AI|A\.I\.|LLM|GPT|machine|model|bot|automated|automatic|automatically)[\s-](?:\w+[\s-])?"
    r"(?:review(?:ers?|ing)?|judg(?:e|es|ing)|grad(?:ers?|ing)|evaluat(?:ors?|ion)|assess(?:ors?|ment)|checkers?|verifiers?)"
    r"|(?:review|judg|grad|evaluat)(?:er|ing|e|or)[\s-](?:AI|LLM|model|bot|agent)s?)"
)
_GOOD = (
    r"[\s\"'`*]{1,4}(?:be\s+)?"
    r"(?:satisfied|fulfilled|met|pass(?:ed|ing)?|success(?:ful)?|approved|valid)\b"
)
_DEMAND = r"(?:requirements?|criteri(?:on|a)|demands?|verdicts?)"
_CONCLUDE = (
    r"\b(?:report|rate|list|record|set|conclude|rule|classify|declare|score|treat|mark|count|regard|deem"
    r"|judge)\b"
)
INSTRUCTIONS = (
    # Who speaks to such a reader, with a colon behind it, has something to tell it.
    re.compile(
        r"(?i)\b(?:notes?|notice|instructions?|messages?|attention|reminders?|hints?|memo|dear)\b[\s,:]{1,4}"
        rf"(?:(?:to|for)\s+)?(?:(?:the|any|all|every|our)\s+)?{_JUDGE}(?:\s+\w+)?\s?[:,\u2014-]"
    ),
    re.compile(
        r"(?i)\b(?:whoever|who(?:soever)?|anyone (?:who)?|any(?:thing| tool| system| model| agent) that)\s+"
        r"(?:evaluates|reviews|judges|grades|scores|checks)\b[^.:\n]{0,20}"
        r"\b(?:patch|pull request|change|diff|submission)\b[^.:\n]{0,20}\bautomatically\b"
    ),
    re.compile(
        rf"(?i){_CONCLUDE}[^.;\n]{{0,60}}\b{_DEMAND}\b[^.;\n]{{0,60}}?(?:\bas|\bto|\bis|\bare|=){_GOOD}"
    ),
    re.compile(
        rf"(?i){_CONCLUDE}{_GOOD}[\s\"'`*]{{0,3}}\s?(?:for|on)\s+(?:every|all|each|any)\b[^.;\n]{{0,30}}\b{_DEMAND}\b"
    ),
    re.compile(
        r"(?i)\b(?:ignore|disregard|forget|override)\b.{0,30}\b(?:previous|prior|above|earlier|all|your|system)\b"
        r".{0,30}\b(?:instructions?|prompts?|rules|guidelines|directions)\b"
    ),
    re.compile(rf"\b{_WHO}\b[^\n]{{0,80}}\b(?i:{_VERDICT})\b"),
    re.compile(rf"\b(?i:{_VERDICT})\b[^\n]{{0,40}}\b(?i:you are)\b[^\n]{{0,20}}\b{_WHO}\b"),
    re.compile(
        rf"(?i)\b(?:you are|you're|act as)\s+(?:an?|the)\s+(?:\w+\s+){{0,3}}{_WHO}\b.{{0,60}}"
        r"\b(?:must|should|have to|need to|will)\b"
    ),
    re.compile(
        r"\b(?i:answer|say|reply|respond|output|vote|conclude|declare)\b[\s:\"'`*]{1,4}"
        r"(?:(?i:that|it|this|with|the verdict|is|are|as)\s+){0,3}[\"'`*]*"
        r"(?:satisfied|SATISFIED|VALID)\b(?!\s*(?:or|/|if|when|unless)\b)"
    ),
    re.compile(
        r"(?i)\b(?:treat|consider|regard|count|mark|deem|judge)\b(?:\s+[^\s.;]+){0,6}?\s+(?:as|to be)\s+"
        r"(?:met|satisfied|fulfilled)\b"
    ),
    re.compile(r"(?i)<\|?(?:im_start|system|endoftext)\|?>|\[/?INST\]|\bBEGIN SYSTEM PROMPT\b"),
)
_DESCRIBED = re.compile(
    r"(?i)\b(?:if|when|once)\s(?:(?!\b(?:you|your|review|judg|grad|evaluat)|\bAI\b)[^.;:]){1,120}, "
    r"(?:mark|set|record|count|treat) (?:this|that|the) "
    r"(?!(?:above|first|following|given|last|main|next|only|same|stated|whole)\b)\w+ requirement as \w+"
)
"""What a program does with requirements of its own: "If a key is there, mark this key requirement as met"."""
_HIDING = re.compile("[\u202a-\u202e\u2066-\u2069\U000e0001-\U000e007f]")
_ZERO_WIDTH = re.compile(r"(?<=[\x21-\x7e])[\u200b-\u200d\u2060\ufeff\u00ad](?=[\x21-\x7e])")
_WORD = re.compile(r"[^\W\d_]{2,}")
_MIXED = ({"LATIN", "CYRILLIC"}, {"LATIN", "GREEK"})


def instructions_to_reviewers(inspection: Inspection) -> Iterator[Finding]:
    """Words that tell a reviewing model what to think, wherever a model might read them."""
    for change in inspection.left():
        lines = list(added_lines(change))
        for at, said in orders_in([line for _, line in lines]):
            message = f"This speaks to an AI reviewer: “{_short(said)}”."
            yield make_finding(INSTRUCTION, change, lines[at][0], message)
        data = inspection.head.read_bytes(change.path) if change.binary else None
        for text in texts_in_image(data) if data else ():
            if _is_order(text):
                what = "What this image carries besides pixels"
                message = f"{what} speaks to an AI reviewer: “{_short(text)}”."
                yield make_finding(INSTRUCTION, change, 0, message)
    for one in inspection.requirements.items:
        if not one.trust.is_asked:
            yield from orders_in_text(one.origin, one.with_detail)


def orders_in_words(task: Task, evidence: Iterable[Evidence]) -> Iterator[Finding]:
    """What the author's own text and the output of head say to an AI reviewer, and base's does not."""
    for source in task.sources:
        if source.trust is Trust.AUTHOR:
            yield from orders_in_text(source.reference, f"{source.title}\n{source.text}")
    for one in evidence:
        yield from orders_in_text(f"The output of {one.id} on head", printed_anew(one))


def printed_anew(one: Evidence) -> str:
    """The lines that a step prints on head and not on base, whatever the numbers in them.

    Runners print the seconds that a test took beside its title. In another order base's output may be cut
    where head's is not, so titles of base's tests are left out, too.
    """
    known = {_NUMBER.sub("", line) for line in printed(one.base).splitlines()}
    lines = [line for line in printed(one.head).splitlines() if _NUMBER.sub("", line) not in known]
    tests = one.base.tests.results if one.base and one.base.tests else ()
    titles = {re.split(r"::| > ", test.id)[-1] for test in tests}
    text = "\n".join(lines)
    for title in titles:
        if title in text and _is_order(title):
            text = text.replace(title, "")
    return text


def printed(seen: Observation | None) -> str:
    """What was printed, and what tests gave for their failure."""
    if seen is None:
        return ""
    results = seen.tests.results if seen.tests else ()
    return "\n".join((seen.output, *(one.message for one in results)))[:_MOST_PRINTED]


def orders_in_text(where: str, text: str, rule: str = INSTRUCTION) -> Iterator[Finding]:
    """What a text that is no part of the change says to an AI reviewer."""
    for _, said in orders_in(text.splitlines()):
        message = f"{where} speaks to an AI reviewer: “{_short(said)}”."
        yield Finding(rule, Severity.ADVISE, "", 0, message, tool="integrity")


def orders_in(lines: Sequence[str]) -> Iterator[tuple[int, str]]:
    """The lines, alone or up to three together, that tell a reviewer what to say; each with its index."""
    quotes = '"' * 3, "'" * 3
    bare = [  # without what makes a line a comment, a quotation or a docstring
        line.lstrip(f"{_BLANK}+>#/*;|-")
        .rstrip(f"{_BLANK}*/\\")
        .removeprefix(quotes[0])
        .removeprefix(quotes[1])
        .strip()
        for line in lines
    ]
    free = 0
    for at, line in enumerate(lines):
        if at < free:
            continue
        if _is_order(line):
            yield at, line
            continue
        for length in range(2, _MOST_LINES + 1):
            said = " ".join(bare[at : at + length])
            alone = any(map(_is_order, lines[at + 1 : at + length]))
            if len(said) <= _LONGEST and _is_order(said) and not alone:
                yield at, said
                free = at + length
                break


def _is_order(text: str) -> bool:
    told = _DESCRIBED.sub("", text)
    return any(pattern.search(told) for pattern in INSTRUCTIONS)


def hidden_text(inspection: Inspection) -> Iterator[Finding]:
    """Characters that make a text look other than it is read: directions, tags, twins of letters."""
    for change in inspection.left():
        before = inspection.before(change) or ""
        for number, line in added_lines(change):
            what = _hidden_in(line)
            if what and line.strip() not in before:
                yield make_finding(HIDDEN_TEXT, change, number, f"{what}: “{_short(line)}”.")


def _hidden_in(line: str) -> str:
    if line.isascii():
        return ""
    if _HIDING.search(line):
        return "Characters that turn the direction of text or cannot be seen"
    if _ZERO_WIDTH.search(line):
        return "A character without width inside a word"
    for word in _WORD.findall(line):
        if word.isascii():
            continue
        scripts = {unicodedata.name(letter, "").split(" ", 1)[0] for letter in word}
        if any(mix <= scripts for mix in _MIXED):
            return f"Letters of two alphabets in one word (`{word[:40]}`)"
    return ""


def _short(text: str) -> str:
    shown = "".join(c if c.isprintable() else f"⟨U+{ord(c):04X}⟩" for c in " ".join(text.split()))
    return clip(shown, 120)
