"""Finds words that speak to an AI reviewer, and text that hides from a human one.

They are looked for in every text that the change adds, in the author's own words, and in what images
carry besides pixels. Assay never follows them; a person has to know that somebody tried.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator

from bot.diff.lines import added_lines, is_gone
from bot.integrity.inspection import Inspection, make_finding
from bot.integrity.metadata import texts_in_image
from bot.text.clipping import clip
from bot.values.rules import HIDDEN_TEXT, INSTRUCTION
from sandbox.values import FileChange, Finding, Severity

_WHO = (
    r"(?:AI|A\.I\.|LLM|GPT|ChatGPT|Claude|Copilot|Gemini|language model|(?:code |automated |automatic )"
    r"review(?:er|ing)?(?: bot)?|review bot|reviewing (?:bot|agent|model)|judg(?:e|ing) (?:model|bot)"
    r"|assistant|grader|evaluator)s?"
)
_VERDICT = (
    r"(?:approve|accept|merge|pass|satisf(?:y|ied)|LGTM|looks? good|full (?:marks|score)|highest score|"
    r"(?:score|rate|grade) (?:this|it|of)|no (?:issues|problems|findings)|"
    r"(?:do not|don't) (?:flag|report|mention|comment)|skip (?:this|the) (?:file|check|review))"
)
INSTRUCTIONS = (
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
    re.compile(r"(?i)<\|?(?:im_start|system|endoftext)\|?>|\[/?INST\]|\bBEGIN SYSTEM PROMPT\b"),
)
_HIDING = re.compile("[\u202a-\u202e\u2066-\u2069\U000e0001-\U000e007f]")
_ZERO_WIDTH = re.compile(r"(?<=[\x21-\x7e])[\u200b-\u200d\u2060\ufeff\u00ad](?=[\x21-\x7e])")
_WORD = re.compile(r"[^\W\d_]{2,}")
_MIXED = ({"LATIN", "CYRILLIC"}, {"LATIN", "GREEK"})


def instructions_to_reviewers(inspection: Inspection) -> Iterator[Finding]:
    """Words that tell a reviewing model what to think, wherever a model might read them."""
    for change in inspection.diff.files:
        if is_gone(change):
            continue
        for number, line in added_lines(change):
            if any(pattern.search(line) for pattern in INSTRUCTIONS):
                message = f"This speaks to an AI reviewer: “{_short(line)}”."
                yield make_finding(INSTRUCTION, change, number, message)
        yield from _in_image(change, inspection)
    yield from _in_unasked_words(inspection)


def _in_image(change: FileChange, inspection: Inspection) -> Iterator[Finding]:
    data = inspection.head.read_bytes(change.path) if change.binary else None
    for text in texts_in_image(data) if data else ():
        if any(pattern.search(text) for pattern in INSTRUCTIONS):
            message = f"What this image carries besides pixels speaks to an AI reviewer: “{_short(text)}”."
            yield make_finding(INSTRUCTION, change, 0, message)


def _in_unasked_words(inspection: Inspection) -> Iterator[Finding]:
    for requirement in inspection.requirements.items:
        if requirement.trust.is_asked:
            continue
        for line in f"{requirement.text}\n{requirement.detail}".splitlines():
            if any(pattern.search(line) for pattern in INSTRUCTIONS):
                message = f"{requirement.origin} speaks to an AI reviewer: “{_short(line)}”."
                yield Finding(INSTRUCTION, Severity.ADVISE, "", 0, message, tool="integrity")


def hidden_text(inspection: Inspection) -> Iterator[Finding]:
    """Characters that make a text look other than it is read: directions, tags, twins of letters."""
    for change in inspection.diff.files:
        if is_gone(change):
            continue
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
        if not word.isascii() and any(mix <= _scripts(word) for mix in _MIXED):
            return f"Letters of two alphabets in one word (`{word[:40]}`)"
    return ""


def _scripts(word: str) -> set[str]:
    return {unicodedata.name(letter, "").split(" ", 1)[0] for letter in word}


def _short(text: str) -> str:
    shown = "".join(c if c.isprintable() else f"⟨U+{ord(c):04X}⟩" for c in " ".join(text.split()))
    return clip(shown, 120)
