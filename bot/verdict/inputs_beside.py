"""What a task names beside the inputs of tests, and what a tested call gives with it in their place."""

from __future__ import annotations

import re

from bot.evidence.tests.results import code_of
from bot.task.alternatives import side_by_side
from bot.task.inputs import alike, kept_beside, like_shown
from bot.verdict.claims import Claim, Gap

_TEXT = re.compile(r"\"(?:[^\"\\]|\\.)*+(?:\"|\Z)|'(?:[^'\\]|\\.)*+(?:'|\Z)")
_BROKEN = tuple(
    re.compile(one)
    for one in (
        r"\\ud[89a-f][\da-f]{2}",
        r"\\ufffd|\ufffd",
        r"\bNaN\b",
        r"\bundefined\b",
        r"\[object Object\]",
        r"\bNone\b",
    )
)
"""What stands in a text only where something went wrong: half a character, or a value that is none."""
_NOTHING_GIVEN = re.compile(r"\{\}|\[\]|''|\"\"|\bnull\b|\b(?:None|NaN|undefined)\b")


def left_as_it_was(claim: Claim) -> Gap | None:
    """The task names two things side by side, and the change is seen with one of them only."""
    paths = {test.path for test in claim.tests}
    groups, pairs = side_by_side(claim.requirement), alike(claim.requirement)
    like = like_shown(claim.requirement)
    code = code_of(claim.case.observed.tests.comparisons) if pairs or like else ""
    code = "".join(code.split('"""')[::2])  # what a test says of itself is no input
    seen = [one for one in (claim.seen.swapped if claim.seen else ()) if one.path in paths]
    swaps = [
        one
        for one in seen
        if not one.is_alike
        and (
            any({one.name, one.other} <= {*group} for group in groups)
            or (one.other not in code and any({one.name, one.other} == {*pair} for pair in pairs))
        )
    ]
    changed = {one.other for one in swaps if one.swapped.differs}
    # What is named beside a call that is shown may need another call: one such input tells enough.
    untested = [o for o in seen if (o.name, o.other) in like and not _stands_in(o.other, code)]
    works = {one.other for one in untested if one.is_alike or one.swapped.differs}
    told = {one.name for one in untested if one.other in works}
    swaps += [one for one in untested if one.name not in told]
    left = next((one for one in swaps if one.other not in changed), None)
    if left is None:
        return None
    same = left.swapped
    return Gap(
        f"the task names `{left.other}` beside `{left.name}`: `{left.tested.call}` gives something else on "
        f"head than on base, `{same.call}` {same.on_head} on both, and no test shows the change with "
        f"`{left.other}`.",
        f"Make it work with `{left.other}` too, or add a test with it that fails without this change",
        claim.nearby,
    )


def _stands_in(text: str, code: str) -> bool:
    """Whether a text is written in code: in quotes, or as a part of other code than a longer text."""
    return re.search(rf"(?<![^\s'\"`(\[,:=]){re.escape(text)}(?![^\s'\"`)\],:;])", code) is not None


def changes_what_stays(claim: Claim) -> Gap | None:
    """A tested call comes otherwise, too, with an input in it that the task wants to stay as it is."""
    pairs = kept_beside(claim.case.requirements.items)
    code = code_of(claim.case.observed.tests.comparisons) if pairs else ""
    for one in claim.seen.swapped if pairs and claim.seen else ():
        is_tested = re.search(rf"(?<![\w.-]){re.escape(one.other)}(?![\w.-])", code)
        is_kept = one.is_alike or not one.swapped.differs
        if (one.name, one.other) in pairs and not is_kept and not is_tested:
            return Gap(
                f"the task wants `{one.other}` to stay as it is: `{one.swapped.call}` "
                f"{one.swapped.on_base} on base and {one.swapped.on_head} on head.",
                "Answer such a call as before, or add a test that shows what it is to give",
                claim.nearby,
            )
    return None


def gives_broken_text_still(claim: Claim) -> Gap | None:
    """A tested call no longer gives half a character, say, and another one near it does, as on base."""
    for one in claim.inputs:
        gone = [
            each
            for each in _BROKEN
            if each.search(_texts(one.tested.on_base)) and not each.search(one.tested.on_head)
        ]
        for near in one.near:
            told = "" if near.differs or _NOTHING_GIVEN.search(near.call) else _texts(near.on_head)
            if any(each.search(told) and not each.search(near.call) for each in gone):
                return Gap(
                    f"`{one.tested.call}` {one.tested.on_base} on base and {one.tested.on_head} on head, "
                    f"but `{near.call}` {near.on_head} on both.",
                    "Mend it for every input, or add a test that shows what such a call is to give",
                    claim.nearby,
                )
    return None


def _texts(told: str) -> str:
    """Return the texts in what a call gives."""
    return "\n".join(_TEXT.findall(told))
