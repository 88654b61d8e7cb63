"""The report shows what judges said: blind opinions, rounds, dissent and scores, folded."""

from __future__ import annotations

from dataclasses import replace

from bot.report.machine import machine, read_machine
from bot.report.markdown import html, markdown
from bot.report.view import view
from bot.values import Act, ActionKind, Evidence, Transition, VerdictOutcome
from tests.bot.report.examples import canary_missed, deliberated, one_missing


def test_the_comment_folds_the_talk_and_shows_the_dissent() -> None:
    text = markdown(view(deliberated()), "")
    (fold,) = [part for part in text.split("<details>") if "What the judges said" in part]
    said = fold.split("</details>")[0]
    assert "blind, judge 1: satisfied by E1 (correctness 4, functionality 3, clarity 3)" in said
    assert "blind, judge 3: no opinion that counts. Its reply could not be read twice." in said
    assert "round 1, judge 1 to judge 2: disagree. E1 has the empty slug." in said
    assert "**dissent, judge 2**: unsatisfied by E1" in said
    assert "3.3 of 4 points" in said
    assert "tried on what is known" in said


def test_what_is_cited_stands_beside_the_talk() -> None:
    """A step that asserts nothing is shown by what it says on each side, not by its exit code."""
    evaluation = deliberated()
    assert evaluation.observed is not None and evaluation.deliberation is not None
    seen = evaluation.observed.evidence[0]
    step = replace(seen.step, id="A-R2-1", action=ActionKind.BASH)
    sides = (
        replace(one, output=f"[{n}]", exit_code=0) for n, one in enumerate((seen.base, seen.head))
    )
    called = Evidence("A-R2-1", step, *sides, Transition.HELD)
    (panel,) = evaluation.deliberation.panels
    alone = replace(panel.dissent[0], evidence_ids=("A-R2-1",))
    held = replace(
        evaluation.deliberation, evidence=(called,), panels=(replace(panel, dissent=(alone,)),)
    )
    shown = view(replace(evaluation, deliberation=held))
    for text in (markdown(shown, ""), html(shown)):
        said = text[text.index("What the judges said") :]
        said = said[
            : said.index("What was run") if "What was run" in said else said.index("Evidence:")
        ]
        for words in ("A-R2-1", "[0]", "[1]", "hows something else on head", called.head.command):
            assert words in said, words
    same = replace(called, head=replace(called.head, output="[0]"))
    text = markdown(view(replace(evaluation, deliberation=replace(held, evidence=(same,)))), "")
    assert "shows the same on both sides" in text and "[1]" not in text


def test_the_page_shows_every_round() -> None:
    page = html(view(deliberated()))
    for words in (
        "3 judges, 1 round of negotiation",
        "Round 1",
        "<strong>query</strong>",
        "dissents",
    ):
        assert words in page


def test_a_panels_reason_that_its_row_gives_is_not_given_again() -> None:
    evaluation, why = deliberated(), "A reason of the panel alone"
    assert evaluation.deliberation and evaluation.judgement
    (panel,) = evaluation.deliberation.panels
    held = replace(evaluation.deliberation, panels=(replace(panel, reason=why),))
    verdicts = tuple(
        replace(one, reason=f"{why}. Judge 2 dissents: unsatisfied.")
        if one.requirement_id == panel.requirement_id
        else one
        for one in evaluation.judgement.verdicts
    )
    given = replace(evaluation.judgement, verdicts=verdicts)
    apart, both = (
        view(replace(evaluation, deliberation=held, judgement=judgement))
        for judgement in (evaluation.judgement, given)
    )
    for shown in (apart, both):
        assert html(shown).count(why) == markdown(shown, "").count(why) == 1


def test_the_machine_reads_it() -> None:
    judges = read_machine(machine(view(deliberated())).encode()).judges
    assert judges is not None
    (panel,) = judges.panels
    assert (panel.outcome, panel.score, panel.is_agreed) == (VerdictOutcome.SATISFIED, 3.33, True)
    assert panel.rounds[1].statements[1].act is Act.DISAGREE
    assert [one.judge for one in panel.dissent] == [2]
    assert judges.canary is not None
    assert judges.canary.is_passed


def test_a_missed_canary_is_said_on_top() -> None:
    shown = view(canary_missed())
    assert "count for nothing" in markdown(shown, "")
    assert "count for nothing" in html(shown)
    judges = read_machine(machine(shown).encode()).judges
    assert judges is not None
    assert judges.problem.startswith("The judges' opinions count for nothing.")


def test_without_judges_nothing_is_said_of_them() -> None:
    shown = view(one_missing())
    assert shown.judges is None
    assert "judges said" not in markdown(shown, "") + html(shown)
