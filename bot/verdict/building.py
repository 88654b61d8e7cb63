"""Judges whether a change builds, and tells the first error of a build that failed."""

from __future__ import annotations

import re
from dataclasses import replace

from bot.evidence.case import Case
from bot.evidence.oracle import satisfied, unsatisfied, unverified
from bot.values import Part, Requirement, Verdict
from sandbox.values import Side

_ERROR = re.compile(
    r"\berror(?:\[\w+\]| TS\d+)?: |\bERR_[A-Z]\w+|^npm (?:ERR!|error) (?!code )\S+ \w", re.I
)
_CAUSE = re.compile(r"cause: ")
_NOT_THERE = re.compile(
    r"(?i)\b404\b|\bETARGET\b|\bno matching (?:version|distribution)\b|\bERR_PNPM_(?:FETCH_404|NO_MATCHING)"
    r"|\bnot found in the (?:package )?registry|\bBecause only .{1,80} is available|\bno versions? of\b"
    r"|\bCouldn't find any versions for\b|\bNo candidates found\b"
)
"""What installers say of a package that the registry does not have."""


def judge_building(requirement: Requirement, case: Case) -> Verdict:
    """The verdict for B1; in doubt it says who can do what."""
    base, head, needs = case.observed.built_base, case.observed.built_head, case.observed.needs
    if head:
        unbuilt = case.observed.unbuilt
        said = f"It is installed on head. {unbuilt}" if unbuilt else "It builds on head."
        return satisfied(requirement, said, case)
    if head is False:
        return _does_not_build(requirement, case)
    if needs:
        return unverified(
            requirement,
            f"Assay's machine lacks {', '.join(needs)}.",
            "Ask the operator of Assay to install it (`assay doctor` says how), then comment `/judge`.",
        )
    if base:
        return unverified(
            requirement,
            "It builds on base, and head has nothing left to build.",
            "Restore the build files, or say in the issue that they are to be removed.",
        )
    return satisfied(requirement, "There is nothing to build on either side.", case)


def _does_not_build(requirement: Requirement, case: Case) -> Verdict:
    base, needs = case.observed.built_base, case.observed.needs
    if Part.BASE_SIDE in case.observed.without:
        why = f"Head does not build{first_error(case)}. Base was not looked at."
        return unverified(requirement, why, "Judge it with everything.")
    if base:
        what = case.observed.build_folder or "It"
        said = f"{what} builds on base, but not on head{first_error(case)}."
        verdict = unsatisfied(requirement, said, case)
        return replace(
            verdict,
            evidence_ids=case.build_ids,
            next_step="Fix what the output of the build reports, and push.",
        )
    if base is None and not needs:
        return unverified(
            requirement,
            f"Base has nothing to build, and head does not build{first_error(case)}.",
            "Read the output of the build. Fix the code, or install what Assay's machine lacks.",
        )
    error = first_error(case)
    next_step = (
        "Set `setup.install` and `setup.test` in `.github/assay.yml`, or fix the base branch."
    )
    if _NOT_THERE.search(error):
        next_step = (
            "Ask the operator of Assay for a package registry that has it. If none has, let the base branch "
            "ask for another version."
        )
    return unverified(
        requirement,
        f"Neither base nor head builds{error}. So this change cannot be judged by running it.",
        next_step,
    )


def first_error(case: Case, side: Side = Side.HEAD) -> str:
    """Return the first error of a side's build, as the end of a sentence; "" when none can be told."""
    of_build = (e for e in case.observed.evidence if e.id in case.build_ids)
    builds = (e.head if side is Side.HEAD else e.base for e in of_build)
    lines = [line.strip() for seen in builds if seen for line in seen.output.splitlines()]
    at = next((number for number, line in enumerate(lines) if _ERROR.search(line)), len(lines))
    first, cause = (*lines[at : at + 2], "", "")[:2]
    told = f": {first[:200].rstrip('.:')}" if first else ""
    # uv tells why on the next line.
    return f"{told}: {cause[:300].rstrip('.')}" if told and _CAUSE.match(cause) else told
