"""What is wrong with a page on head, compared with base."""

from __future__ import annotations

from dataclasses import replace

import pytest

from bot.evidence.pages.weigh import PageChanges, compare_pages
from sandbox.browser.records import RULES
from sandbox.values import Finding, Observation, Severity, Side


def seen(side: Side, *faults: str, problem: str = "") -> Observation:
    """Faults are written `page rule message`."""
    findings = []
    for fault in faults:
        page, rule, message = fault.split(" ", 2)
        assert rule in RULES
        findings.append(Finding(rule, Severity.ADVISE, page, 0, message, tool="browser"))
    return Observation(side, "", 0, "", 0.0, findings=tuple(findings), problem=problem)


def compared(base: tuple[str, ...], head: tuple[str, ...]) -> PageChanges:
    return compare_pages(seen(Side.BASE, *base), seen(Side.HEAD, *head))


@pytest.mark.parametrize(
    "fault",
    [
        "a.html not-loaded It answers with status 500.",
        "a.html console-error TypeError: x is null",
        "a.html failed-request image /b.png: status 404",
        "a.html covered-control button “Buy” is covered by div",
        "a.html axe image-alt (Images must have text) at img",
    ],
)
def test_a_new_fault_breaks_and_a_known_one_does_not(fault: str) -> None:
    assert len(compared((), (fault,)).broken) == 1
    assert compared((fault.replace("a.html", "b.html"),), (fault,)).broken
    assert compared((fault,), (fault,)).broken == ()
    assert compared((fault,), ()) == PageChanges((), ())


def test_a_page_that_loads_on_head_alone_is_less_accessible_than_none() -> None:
    new = "a.html not-loaded It answers with status 404."
    violation = "a.html axe color-contrast (Elements must meet thresholds) at .line"
    assert compared((new,), (violation,)) == PageChanges((), ())
    assert len(compared((new,), (violation, "a.html console-error boom")).broken) == 1
    assert len(compared((new.replace("a.html", "b.html"),), (violation,)).broken) == 1


def test_numbers_in_a_message_do_not_make_it_new() -> None:
    base, head = (
        ("a.html console-error late by 12 ms",),
        ("a.html console-error late by 345 ms",) * 3,
    )
    assert compared(base, head) == PageChanges((), ())


def test_violations_are_counted_by_rule_wherever_they_stand() -> None:
    one = "a.html axe image-alt (x) at #old > img"
    moved, second = (
        "a.html axe image-alt (x) at #new > img",
        "a.html axe image-alt (x) at main > img",
    )
    assert compared((one,), (moved,)).broken == ()
    assert len(compared((one,), (moved, second)).broken) == 1


def test_the_worst_is_told_first() -> None:
    head = ("a.html axe x at y", "a.html console-error boom", "a.html not-loaded It is gone.")
    assert [text.split(": ")[1] for text in compared((), head).broken] == [
        "It is gone.", "a new error", "a new serious accessibility violation",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("base", "head", "why"),
    [
        ((), ("a.html not-settled it does not finish loading",), "does not finish"),
        ((), ("a.html not-examined Timeout",), "Timeout"),
        (("a.html not-loaded x",), ("a.html not-loaded y",), "loads on neither side"),
        (
            (),
            ("a.html console-error boom", "a.html failed-request fetch /api: status 404"),
            "a server may be missing here",
        ),
        (
            ("a.html has-effect button “Buy”",),
            ("a.html no-effect button “Buy”",),
            "does nothing on head",
        ),
        (
            ("a.html not-examined the browser gave up",),
            ("a.html console-error boom",),
            "base could not be opened",
        ),
        (
            (),
            (
                "a.html needs-network script https://cdn/x.js: failed",
                "a.html console-error $ is not defined",
            ),
            "it lacks what only the network has",
        ),
    ],
)
def test_what_cannot_be_told_is_a_doubt(
    base: tuple[str, ...], head: tuple[str, ...], why: str
) -> None:
    changes = compared(base, head)
    assert changes.broken == ()
    assert any(why in doubt for doubt in changes.doubts)


def test_a_control_that_never_did_anything_may_go_on_so() -> None:
    dead = "a.html no-effect button “Buy”"
    assert compared((dead,), (dead,)) == PageChanges((), ())
    assert compared((), (dead,)) == PageChanges((), ())


def test_controls_of_one_name_are_lost_together_or_not() -> None:
    dead, alive = "a.html no-effect button “Buy”", "a.html has-effect button “Buy”"
    assert compared((alive, dead), (dead,)) == PageChanges((), ())
    assert compared((alive, dead), (alive, dead)) == PageChanges((), ())
    assert compared((alive,), (alive, dead)) == PageChanges((), ())


def test_without_base_a_fault_is_a_doubt_and_none_is_none() -> None:
    fault = seen(Side.HEAD, "a.html console-error boom")
    unseen = seen(Side.BASE, problem="the browser was stopped")
    for base in (None, unseen):
        assert compare_pages(base, fault).broken == ()
        assert len(compare_pages(base, fault).doubts) == 1
        assert compare_pages(base, replace(fault, findings=())) == PageChanges((), ())
