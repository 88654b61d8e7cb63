"""The sample project's issues and the four pull requests that the demo opens on it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from bot.values import Conclusion

SAMPLE = Path(__file__).parent / "sample"
PROJECT = SAMPLE / "project"


@dataclass(frozen=True, slots=True)
class SampleIssue:
    """An issue of the sample project; they are numbered from 1 in the order given."""

    title: str
    body: str


@dataclass(frozen=True, slots=True)
class Scene:
    """One pull request: `name` is the folder laid over the project and the branch's name."""

    name: str
    title: str
    body: str
    expected: Conclusion
    met: str  # requirements met, of all; a bot that failed would meet none and conclude the same
    lesson: str  # what a person should see, in one line
    found: Conclusion | None = None  # what else it may be where judges find out what no test shows

    @property
    def files(self) -> Path:
        """The changed files, at their paths in the project."""
        return SAMPLE / "scenes" / self.name


ISSUES = (
    SampleIssue(
        "parse_amount should cope with what people type",
        "Customers paste amounts from their bank.\n\n"
        "## Acceptance criteria\n"
        "- [ ] `parse_amount` accepts thousands separators, such as `1,234.50`\n"
        "- [ ] `parse_amount` raises `ValueError` for negative amounts\n",
    ),
    SampleIssue(
        "split should refuse zero people",
        "`split(1000, 0)` ends in a ZeroDivisionError. It should raise a ValueError that says "
        "that at least one person must pay.\n",
    ),
    SampleIssue(
        "discount accepts impossible percentages",
        "`discount` should raise ValueError for a percentage below 0 or above 100.\n",
    ),
)

SCENES = (
    Scene(
        "right_fix",
        "Accept thousands separators and refuse negative amounts",
        "Closes #1.",
        Conclusion.SUCCESS,
        "5 of 5",
        "both requirements are met, each by a test that failed before",
    ),
    Scene(
        "half_done",
        "Accept thousands separators",
        "Closes #1. All done, please merge!",
        Conclusion.ACTION_REQUIRED,
        "4 of 5",
        "one of two requirements has no evidence: could not tell is never pass",
        found=Conclusion.FAILURE,
    ),
    Scene(
        "weakened",
        "Refuse to split between zero people",
        "Fixes #2.",
        Conclusion.FAILURE,
        "2 of 4",
        "the suite is green because a test was weakened; its base version fails on head",
    ),
    Scene(
        "breaks_another",
        "Refuse impossible discounts",
        "Fixes #3.",
        Conclusion.FAILURE,
        "3 of 4",
        "the new tests pass, and a test of another function fails now",
    ),
)
