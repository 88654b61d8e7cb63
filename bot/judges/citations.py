"""Holds a judge to its evidence: what is cited must exist, be about the claim, and not speak against it.

No model is believed here. "Satisfied" needs a piece that was executed or read for this requirement
and that base does not show as well; what merely holds everywhere is about no new behaviour.
"""

from __future__ import annotations

import base64
import binascii
import codecs
import re
import unicodedata
from collections.abc import Iterator

from bot.evidence.own_steps.weigh import hollow_problem, refutes
from bot.integrity.texts.instructions import orders_in, printed_anew
from bot.text.clipping import clip_line, steady
from bot.values import ActionKind, Category, Evidence, Requirement, Transition, VerdictOutcome
from bot.values.four_way import passed
from sandbox.values import NOT_RUNNABLE

HINTS = (ActionKind.LOCATE,)
"""Actions whose results are hints for people; nothing may rest on them."""
REMARKS = (ActionKind.STATIC_LINTER,)
"""Actions whose results may be cited beside a proof, and are none."""
LOOKS = (ActionKind.READ, ActionKind.SEARCH)
"""Actions that execute nothing: that they find nothing is no failure of head."""
INFORMING = (ActionKind.WEB_BROWSING,)
"""Actions that show nothing of the change: they may be cited, and never satisfy by themselves."""


def citation_problem(
    requirement: Requirement,
    outcome: VerdictOutcome,
    cited: tuple[str, ...],
    evidence: tuple[Evidence, ...],
    around: str = "",
) -> str:
    """Why an opinion that cites these ids does not count; empty when it does.

    `evidence` is what may be cited for the requirement. "Could not tell" needs none. `around` is the
    task as others than the author tell it.
    """
    known = {one.id: one for one in about(requirement, evidence)}
    unknown = [id_ for id_ in cited if id_ not in known]
    if unknown:
        return f"It cites {unknown[0][:40]!r}, which is no evidence on this requirement."
    if outcome is VerdictOutcome.UNVERIFIED:
        return ""
    if not cited:
        return f'It says "{outcome.value}" and cites nothing.'
    return next(_doubts(requirement, outcome, [known[id_] for id_ in cited], around), "")


def speaks_to_judges(one: Evidence) -> bool:
    """Whether what a step printed on head, and not on base, tells judges what to say."""
    return bool(words_to_judges(printed_anew(one)))


def about(requirement: Requirement, evidence: tuple[Evidence, ...]) -> tuple[Evidence, ...]:
    """The evidence that an opinion on the requirement may cite at all."""
    return tuple(
        one
        for one in evidence
        if requirement.id in one.step.requirement_ids and one.step.action not in HINTS
    )


def holds_for_patch(one: Evidence, *, as_valid: bool) -> bool:
    """Whether a piece can be cited for a whole patch: it was executed or read on head, and as a proof of
    VALID it neither fails there nor is a new check that base passes too."""
    head = one.head
    if one.step.action in (*HINTS, *REMARKS) or head is None or head.exit_code is None:
        return False
    if head.problem or head.timed_out or (as_valid and speaks_to_judges(one)):
        return False
    return not as_valid or (one.transition is not Transition.VACUOUS and passed(head) is not False)


def failing_on_head(
    requirement: Requirement, cited: tuple[str, ...], evidence: tuple[Evidence, ...]
) -> tuple[str, ...]:
    """Those of the cited steps that were executed for this requirement and fail on head.

    They assert what they expect, so they are facts: no number of votes outweighs one.
    """
    return tuple(
        one.id
        for one in about(requirement, evidence)
        if one.id in cited
        and refutes(one, requirement.id)
        and one.head is not None
        and one.head.exit_code not in NOT_RUNNABLE
    )


def _doubts(
    requirement: Requirement, outcome: VerdictOutcome, seen: list[Evidence], around: str
) -> Iterator[str]:
    """Why what is cited does not show the outcome; each holds where those before it do not."""
    doubts = [_why_no_proof(requirement, one) for one in seen]
    proofs = [one for one, doubt in zip(seen, doubts, strict=True) if not doubt]
    if not proofs:
        yield f'It says "{outcome.value}", and {doubts[0]}'
    if outcome is not VerdictOutcome.SATISFIED:
        return
    for one in seen:
        if one.step.action not in LOOKS and passed(one.head) is False:
            yield f'It says "satisfied" by {one.id}, which fails on head.'
    stale = [_why_nothing_new(requirement, one) for one in proofs]
    new = [one for one, why in zip(proofs, stale, strict=True) if not why]
    if not new:
        yield f'It says "satisfied", and {stale[0]}'
    for one in seen:
        if speaks_to_judges(one):
            yield f"What {one.id} shows tells judges what to say: what cites it counts for nothing."
    # Whether any of it tests what was asked: the planner read the change's names too.
    hollow = [
        hollow_problem(one, requirement, around) if one.step.is_proposed else "" for one in new
    ]
    if all(hollow):
        yield f'It says "satisfied", and {new[0].id} proves nothing of it. {hollow[0]}'


def _why_no_proof(requirement: Requirement, one: Evidence) -> str:
    """Why a piece shows nothing, whichever way it is cited; empty when it may."""
    if one.step.action in REMARKS:
        return f"{one.id} is a linter's remark, which proves nothing."
    if one.step.action in INFORMING:
        return f"{one.id} was looked up and shows nothing of the change."
    head = one.head
    if head is None or head.problem or head.timed_out or head.exit_code is None:
        why = f" {head.problem}" if head and head.problem else ""
        return f"{one.id} was not executed or read on head, or proves nothing.{why}"
    if one.transition is Transition.VACUOUS:
        return f"{one.id} is a new check that passes on base too: it proves nothing."
    others = set(one.step.requirement_ids) - {requirement.id}
    if one.step.action is ActionKind.UNIT_TESTS and others:
        return f"{one.id} is the whole test suite, which is about no single requirement."
    return ""


def _why_nothing_new(requirement: Requirement, one: Evidence) -> str:
    """Why a piece does not show that anything was done; a submission has no base to differ from.

    That something executed still happens, or still does not, is the very proof of what must stay, or must
    not come.
    """
    may_stay = requirement.category in (Category.PROHIBITION, Category.KEEP)
    kept = may_stay and one.step.action not in LOOKS
    base, head = one.base, one.head
    if kept or requirement.category is Category.CRITERION or base is None or head is None:
        return ""
    if base.exit_code != head.exit_code or any(picture.changed for picture in head.pictures):
        return ""
    if steady(base.output) != steady(head.output):
        return ""
    return (
        f"{one.id} shows the same on base and on head: nothing of what was asked for is new in it."
    )


# --- finds, in all that judges of a run read, words that tell them what to say --------------------


_SAYING = re.compile(
    r"(?i)\b(?:answer|say|reply|respond|output|vote|mark|rate|grade|judges?|conclude|deem|declare|"
    r"treat|verdict|outcome)\b[^\n]{0,60}\bsatisfied\b"
)
_REPLY = re.compile(r"(?i)[\"'](?:outcome|verdict)[\"']\s*:\s*[\"'](?:satisfied|valid)[\"']")
_SQUASHED = re.compile(
    r"(?:ignore|disregard|forget)(?:all|any|the|your|every|of)*(?:previous|prior|above|earlier|system|other)*"
    r"(?:instructions|rules|prompts?|guidelines)"
    r"|(?:answer|say|reply|respond|output|vote|mark|judge|conclude|deem|declare|treat|verdict|outcome)"
    r"(?:with|as|is|be|that|it|this|requirement|must|should|just|only|simply|ri|to)*satisfied"
)
_BASE64 = re.compile(r"[A-Za-z0-9+/]{24,4000}={0,2}")
_LETTERS = re.compile(r"[^a-z]")
_LIKE = str.maketrans(
    "01345@$|"
    "\u0430\u0435\u043e\u0440\u0441\u0445\u0443\u0456\u0455\u0458\u0501\u0442\u043a\u043c\u043d"
    "\u03b1\u03bf\u03b5\u03b9\u03c1\u03c4\u03ba\u03bd",
    "oieasas" + "l" + "aeopcxyisjdtkmn" + "aoeiptkv",
)
_SHOWN_CHARS = 120


def words_to_judges(text: str) -> str:
    """The first words that speak to a judge, shortened; empty when there are none."""
    plain = unicodedata.normalize("NFKC", text)
    lines = plain.splitlines()
    for _, said in orders_in(lines):
        return clip_line(said, _SHOWN_CHARS)
    for line in lines:
        if _SAYING.search(line) or _REPLY.search(line):
            return clip_line(line, _SHOWN_CHARS)
    # Look through spacing, line ends, look-alike letters, direction and rot13.
    letters = _LETTERS.sub("", plain.casefold().translate(_LIKE))
    for reading in (letters, letters[::-1], codecs.encode(letters, "rot13")):
        if disguised := _SQUASHED.search(reading):
            return clip_line(disguised.group(), _SHOWN_CHARS)
    for encoded in _BASE64.finditer(plain):
        word = encoded.group().rstrip("=")
        try:
            inside = base64.b64decode(word + "=" * (-len(word) % 4), validate=True).decode()
        except (binascii.Error, UnicodeDecodeError):
            continue
        if spoken := _SAYING.search(inside) or _SQUASHED.search(
            _LETTERS.sub("", inside.casefold())
        ):
            return clip_line(spoken.group(), _SHOWN_CHARS)
    return ""
