"""The grammar of comments: which command a line is, and what its words name. Nothing else is read.

There are no options: a comment can never say where Assay asks, what it runs, or with what.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass

from bot.text import scrub
from bot.text.clipping import clip_line
from bot.values import Judgement
from bot.webhook.decisions import JudgeCommand

_WORD = "/judge"
WITH_WORDS = frozenset(
    {
        JudgeCommand.ACCEPT,
        JudgeCommand.OVERRIDE,
        JudgeCommand.EXPLAIN,
        JudgeCommand.RERUN,
        JudgeCommand.ASK,
        JudgeCommand.AGREE,
        JudgeCommand.DISAGREE,
    }
)
"""After these come ids, and mostly a reason in free text."""
_ALONE = frozenset(JudgeCommand) - WITH_WORDS - {JudgeCommand.JUDGE, JudgeCommand.UNKNOWN}
ASK_MODELS = frozenset(
    {JudgeCommand.ASK, JudgeCommand.PLAN, JudgeCommand.RUBRIC, JudgeCommand.APPROVE_RUBRIC}
)
"""What may take minutes, or must wait for such."""
ON_ISSUES = frozenset({JudgeCommand.RUBRIC, JudgeCommand.APPROVE_RUBRIC})
_LONGEST_WORDS = 4_000
LONGEST_REASON = 500
_BEFORE_A_REASON = "-\u2013\u2014:,; "
_ID = re.compile(r"[A-Za-z]{1,3}[0-9]{1,4}")


def first_line(body: str) -> str:
    """Cut the first line of a comment, without the spaces around it."""
    return body.partition("\n")[0].strip()


def parse(line: str) -> JudgeCommand | None:
    """Read one line: None when it is no command of ours, UNKNOWN when it is a wrong one."""
    words = line.split()
    if not words or words[0] != _WORD:
        return None
    said = " ".join(words[1:])
    if not said:
        return JudgeCommand.JUDGE
    if words[1] in WITH_WORDS:
        return JudgeCommand(words[1])
    return JudgeCommand(said) if said in _ALONE else JudgeCommand.UNKNOWN


def words_behind(body: str) -> str:
    """Return what stands behind `/judge accept`, on one line; a reason may go on below."""
    return " ".join(body[:_LONGEST_WORDS].split()[2:])


@dataclass(frozen=True, slots=True)
class Words:
    """What a person wrote behind the command: what they speak of, and why."""

    subjects: tuple[str, ...]
    reason: str


def read_words(text: str, judgement: Judgement) -> Words:
    """Read ids until the reason begins. The gate's rules count before the first id only: they are words.

    What looks like an id and is none counts as one: nobody means it as a reason.
    """
    ids = {requirement.id.lower(): requirement.id for requirement in judgement.requirements.items}
    rules = {r.rule for r in judgement.gate.reasons if not r.requirement_ids}
    words = text.split()
    subjects: list[str] = []
    while words:
        word = as_id(words[0])
        known = ids.get(word.lower()) or (word if rules.issuperset((word, *subjects)) else "")
        joins = word.lower() in ("", "and", "&", "+") and len(words) > 1 and bool(subjects)
        if known or _ID.fullmatch(word) or (not subjects and not joins):
            subjects.append(known or word)
        elif not (joins and as_id(words[1]).lower() in ids):
            break
        words.pop(0)
    if words and words[0].lower().strip(",:") == "because":
        words.pop(0)
    reason = clip_line(scrub(" ".join(words)).lstrip(_BEFORE_A_REASON), LONGEST_REASON)
    return Words(tuple(dict.fromkeys(subjects)), reason)


def first_id(words: str) -> str:
    """Return the id that the words begin with; empty where there is none."""
    return as_id((words.split() or [""])[0])


def as_id(word: str) -> str:
    """Return a word without the punctuation round it and the marks in it that nobody sees."""
    seen = "".join(sign for sign in word if unicodedata.category(sign) != "Cf")
    return seen.strip(",;:.")
