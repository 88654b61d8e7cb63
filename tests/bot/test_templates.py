"""Every text renders with what it is given, and misses nothing."""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from functools import cache
from pathlib import Path

import pytest
from jinja2 import Environment, UndefinedError, meta

from bot.commands.replay import call_views
from bot.mcp.answers import Commands, Shown, explained, judged, missing
from bot.queue import QueueDepth
from bot.report.machine import machine, read_machine
from bot.report.markdown import (
    Detail,
    EarlierVerdicts,
    PastVerdict,
    VerdictChange,
    requirement_graph,
)
from bot.report.view import view
from bot.source.shared_head import HeadVerdict
from bot.store import (
    ApiToken,
    EvaluationFacts,
    EvaluationFilter,
    EvaluationRecord,
    EvaluationState,
    FlakyTest,
    HostDisk,
    IssuedToken,
    JudgedEvaluation,
    StageTime,
    Totals,
)
from bot.templates import (
    folder,
    html_environment,
    markdown_environment,
    render_html,
    render_markdown,
    text_environment,
)
from bot.text import suggestion
from bot.values import (
    ActionKind,
    Answered,
    Conclusion,
    Exchange,
    ExpectedCalls,
    ExpectedPrice,
    Forecast,
    KeptRubric,
    LabelKind,
    Plan,
    ReadableRepository,
    Requirements,
    Role,
    Rubric,
    Step,
    VerdictLabel,
    VerdictOutcome,
)
from bot.web.calibration import CalibrationTable, LabelQuery, counted, grouped, measured
from bot.web.dashboard.figures import figures
from bot.web.dashboard.pages import CONCLUSIONS, EvaluationRow, ListQuery
from bot.web.dashboard.visits import Visitor
from bot.webhook.when import Doubt, NotByItself, Sifted
from sandbox.values import Finding, Fix, Replacement, Severity
from tests.bot.report.examples import EXAMPLES

TOKEN = "ghp_" + "a1B2" * 9
API_TOKEN = ApiToken("0" * 12, "acme/slugify", "nightly", True, 1.0, 9.0)
RECORD = EvaluationRecord(
    "e1",
    "acme/slugify",
    9,
    "b" * 40,
    1,
    "opened",
    "mina",
    EvaluationState.RUNNING,
    1.0,
    2.0,
    "observe",
)
ROWS = tuple(
    EvaluationRow(replace(RECORD, state=state, conclusion=conclusion), facts)
    for state, conclusion in (
        (EvaluationState.RUNNING, ""), (EvaluationState.QUEUED, ""),
        (EvaluationState.DONE, "success"), (EvaluationState.DONE, "failure"),
        (EvaluationState.FAILED, ""),
    )
    for facts in (EvaluationFacts(), EvaluationFacts("devin", 2, 3, 0.25))
)  # fmt: skip
LABEL = VerdictLabel(
    LabelKind.AGREED, "o/n", 9, "b" * 40, "a" * 40, "e1", "failure", "R2", "Rounds", "behaviour",
    "unsatisfied", "oracle", "", "ben", "It is so", "comment 1", 1.0,
)  # fmt: skip
HEADS = (
    HeadVerdict(7, Conclusion.FAILURE, "2 of 4 <requirements> met", RECORD),
    HeadVerdict(9, Conclusion.ACTION_REQUIRED, "it has not been judged"),
)
RUBRIC = Rubric("a", ("b",), ("c",), ("d",))
PLAN = Plan((Step("E1", "See `it`", "g", ("R1",), ActionKind.READ, ("a",)),) * 50)
CALLS = ExpectedCalls(Role.PANEL, 0, 15, 2_000, 300)
FORECAST = Forecast(
    Requirements(()), PLAN, PLAN.digest, (ExpectedPrice(CALLS, "m", None, None),), 2.0, 40, 30.0
)
FULL = Detail(rows=200, text=1000, tests=8, output=4000)
LEAST = Detail(rows=1, text=20, tests=1, output=0, folded=False)

FIX = Fix(
    Finding("F401", Severity.ADVISE, "a.py", 1, "m", tool="ruff"), Replacement(1, ("a",), ("b",))
)
MEMORY = EarlierVerdicts(
    (
        PastVerdict(
            Conclusion.FAILURE, "1 of 2 met", "c" * 40, "https://x/e0", "2026-11-22 10:00 UTC"
        ),
    ),
    (
        VerdictChange(
            "R2", "Refuses zero people", VerdictOutcome.UNVERIFIED, VerdictOutcome.SATISFIED
        ),
        VerdictChange("R3", "Rounds", None, VerdictOutcome.UNSATISFIED),
        VerdictChange("R4", "Logs", VerdictOutcome.SATISFIED, None),
    ),
)
VIEWS = tuple(view(make()) for make in EXAMPLES.values())
DOCUMENTS = tuple(read_machine(machine(one).encode()) for one in VIEWS)

# Each text with the values that it is given; a new one must be entered here.
GIVEN: dict[str, tuple[dict[str, object], ...]] = {
    "report/report.md.j2": tuple(
        {"view": one, "link": link, "detail": detail, "memory": memory,
         "shows_pictures": bool(link), "MOST_PICTURES": 3}
        for one in VIEWS
        for link in ("", "https://assay.example/e")
        for detail, memory in ((FULL, None), (FULL, MEMORY), (LEAST, MEMORY))
    ),
    "report/report.html.j2": tuple(
        {"view": one, "graph": requirement_graph(one.requirements)}
        for one in VIEWS
    ),
    "report/suggestion.md.j2": (
        {"finding": FIX.finding, "message": "m <b>", "block": suggestion(FIX.replacement.after)},
    ),
    "report/suggestions.md.j2": tuple(
        {"count": count, "named": named, "more": len(named)}
        for count in (1, 2)
        for named in ((), ("a.py:1 ruff F401",) * 2)
    ),
    "pages/home.html.j2": tuple(
        {
            "rows": rows,
            "may_list": may_list,
            "sign_in": sign_in,
            "operator": operator,
            "calibration": "https://x/c" if may_list else "",
        }
        for rows, may_list, operator in (
            ([(RECORD, "https://x/e1")], True, "/operator?s=x"),
            ([], True, ""),
            ([], False, ""),
        )
        for sign_in in ("", "/login")
    ),
    "pages/calibration.html.j2": tuple(
        {
            "signature": "x.y",
            "wanted": LabelQuery("", date(2026, 11, 1), None, ("<b>",)),
            "repositories": ["o/n"],
            "total": measured("", labels),
            "people": 1,
            "changes": 1,
            "tables": (CalibrationTable("kind", grouped(labels, lambda one: one.category)),),
            "others": counted((*labels, replace(LABEL, kind=LabelKind.MERGED, subject=""))),
            "install": install,
            "fewest": 10,
            "most": 2_000 if labels else 0,
        }
        for labels in ((), (LABEL,) * 12, (LABEL, replace(LABEL, verdict="unverified")))
        for install in ("", "install `it`")
    ),
    "pages/state.html.j2": tuple(
        {"record": record, "refresh_s": 0 if record.state.is_final else 4, "is_visitor": is_visitor}
        for is_visitor in (False, True)
        for record in (
            EvaluationRecord("e", "a/b", 0, "", 0, "opened", "", state, 1.0, 2.0, stage)
            for state in EvaluationState
            for stage in ("", "observe", "unheard-of")
        )
    ),
    "pages/state.json.j2": ({"record": RECORD},),
    "pages/downloads.html.j2": tuple(
        {"links": [("pdf", "x"), ("json", "y"), ("md", "z")], "record": record}
        for record in (None, RECORD)
    ),
    "dashboard/list.html.j2": tuple(
        {"visitor": visitor, "here": "list", "asked": asked, "rows": rows, "agents": ("devin",),
         "repositories": (ReadableRepository(1, "acme/slugify"),), "conclusions": CONCLUSIONS,
         "newer": "", "older": "/?page=2"}
        for visitor in (Visitor("mina", ()), Visitor("the operator", None))
        for asked, rows in (
            (ListQuery(EvaluationFilter()), ROWS), (ListQuery(EvaluationFilter(number=9)), ()),
            (ListQuery(EvaluationFilter()), ()),
        )
    ),
    "dashboard/repository.html.j2": tuple(
        {"visitor": Visitor("mina", ()), "here": "repository", "repository": "acme/slugify", "rows": ROWS,
         "figures": figures(judged, 90.0), "counted": 0, "flaky": flaky,
         "all": "/?repository=acme/slugify"}
        for rows, judged, flaky in (
            (ROWS, (JudgedEvaluation(9, "success", 1.0, EvaluationFacts("devin")),),
             (FlakyTest("test_x", 2, 1.0),)),
            ((), (), ()),
        )
    ),
    "dashboard/operator.html.j2": tuple(
        {"visitor": Visitor("the operator", None), "here": "operator", "depth": QueueDepth(1, 2),
         "rows": rows, "totals": totals, "now_s": 9.0}
        for rows, totals in (
            (ROWS, Totals((), (StageTime("observe", 2, 3.0),), (), (HostDisk("h", 1, 2, 3.0),))),
            ((), Totals((), ())),
        )
    ),
    "dashboard/tokens.html.j2": tuple(
        {"visitor": visitor, "here": "tokens", "form": "x", "issued": issued, "problem": problem,
         "shown": shown, "now_s": 5.0, "days": (7, 30), "address": "https://assay.example"}
        for visitor in (
            Visitor("mina", (ReadableRepository(1, "acme/slugify", True),)),
            Visitor("the operator", None),
        )
        for issued, problem, shown in (
            (IssuedToken(API_TOKEN, "assay_0"), "", (API_TOKEN,)),
            (None, "<b>", (replace(API_TOKEN, revoked_s=2.0),)), (None, "", ()),
        )
    ),
    "pages/missing.html.j2": ({},),
    "pages/gone.html.j2": ({},),
    "pages/away.html.j2": ({},),
    "pages/no_pdf.html.j2": ({},),
    "pages/printing.html.j2": ({"refresh_s": 4},),
    "error.html.j2": ({"status": 500, "title": "t", "text": "x"},),
    "check/approval.md.j2": ({"author": "mina"},),
    "check/not_judged.md.j2": tuple(
        {"sifted": Sifted(by, "x", doubt), "base": "main"}
        for by in NotByItself
        for doubt in (None, *Doubt)
    ),
    "check/requirement.md.j2": tuple(
        {"view": shown, "row": row, "link": "https://x/e"}
        for shown in VIEWS
        for row in shown.requirements
    ),
    "check/judged_again.md.j2": ({},),
    "check/requirement_shared.md.j2": ({},),
    "check/ended.md.j2": (
        {"superseded": True, "why": "w", "next_step": ""},
        {"superseded": False, "why": "w", "next_step": ""},
        {"superseded": False, "why": "w", "next_step": "n"},
    ),
    "check/in_progress.md.j2": tuple(
        {"stage": stage, "plan": plan}
        for plan in (None, Plan(()), PLAN)
        for stage in (
            "checkout", "configure", "environment", "task", "plan", "observe", "damage",
            "deliberate", "judge", "report", "publish",
        )
    ),
    "check/judging.md.j2": tuple(
        {"sha": "a" * 40, "commit": commit, "link": "https://x/e1"}
        for commit in ("", "https://x/commit/a")
    ),
    "check/late.md.j2": ({"title": "2 of 4 met", "link": "https://x/e1"},),
    "check/own_verdict.md.j2": ({"link": "https://x/e1"},),
    "check/queued.md.j2": ({"link": "https://x/e1"},),
    "check/shared_head.md.j2": tuple(
        {"own": HEADS[0], "worst": worst, "verdicts": HEADS, "link": lambda _id: "https://x/e1"}
        for worst in HEADS
    ),
    "setup/next_steps.txt.j2": (
        {"app_id": 1, "url": "https://x", "folder": "/srv/<assay>", "check": "Assay"},
    ),
    "setup/register.html.j2": (
        {"github": "https://x", "page": "https://x/new?state=s", "manifest": "{}"},
    ),
    "setup/registered.html.j2": ({"app": "https://x/apps/assay"},),
    "mcp/instructions.txt.j2": ({},),
    "mcp/judged.txt.j2": tuple({"answer": judged(one, "/srv/out")} for one in DOCUMENTS),
    "mcp/missing.txt.j2": tuple({"answer": missing(one)} for one in DOCUMENTS),
    "mcp/explained.txt.j2": tuple(
        {"answer": explained(one, row.id)} for one in DOCUMENTS for row in one.requirements
    ),
    "mcp/commands.txt.j2": ({"answer": Commands(
        requirement="R1", verdict=VerdictOutcome.UNSATISFIED,
        commands=(Shown(command="a\nb", shows="c", evidence="E1"),) * 2,
    )},),
    "replay/prompts.txt.j2": tuple(
        {"calls": call_views((Exchange(Role.PANEL, about, 1, turn, "s", "u", "r", 3),) * 2)}
        for about in ("", "R1")
        for turn in (0, 1)
    ),
    "reply/no_write_access.md.j2": ({"on_pull_request": True}, {"on_pull_request": False}),
    "reply/acceptance.md.j2": ({"lines": ("Say why: `/judge accept R2 <reason>`.", "@x **y**")},),
    "reply/help.md.j2": ({},),
    "reply/not_understood.md.j2": ({"line": "/judge <b> @x"},),
    "reply/answered.md.j2": tuple(
        {"answered": Answered(("One.", "@x <b>"), ids, "m", usd), "head": "a" * 40, "link": "https://x/e",
         "again": bool(ids)}
        for ids, usd in (((), None), (("E1", "E2"), 0.01))
    ),
    "reply/paused.md.j2": ({"actor": "ben", "running": True}, {"actor": "ben", "running": False}),
    "reply/resumed.md.j2": tuple(
        {"head": "a" * 40, "started": known == "nothing", "known": known}
        for known in ("nothing", "judged", "running", "elsewhere")
    ),
    "reply/rerun.md.j2": tuple(
        {"head": "a" * 40, "requirement": "R1", "started": started, "done": "it is closed"}
        for started in (True, False)
    ),
    "reply/labelled.md.j2": tuple({"labels": (replace(LABEL, kind=kind),) * 2} for kind in LabelKind),
    "reply/explained.md.j2": tuple(
        {
            "view": shown, "rows": shown.requirements, "left_out": left_out, "link": "https://x/e",
            "again": bool(left_out),
        }
        for shown in VIEWS
        for left_out in ((), ("R7", "R8"))
    ),
    "reply/plan.md.j2": tuple(
        {"forecast": told, "head": "a" * 40, "problem": "" if told else "p", "next_step": "n"}
        for told in (None, FORECAST, replace(FORECAST, prices=()))
    ),
    "reply/nothing_to_cancel.md.j2": ({},),
    "reply/refused_patch.md.j2": ({"problems": ["it does not apply"]},),
    "reply/rubric_drafted.md.j2": tuple(
        {
            "kept": KeptRubric(2, RUBRIC), "number": 7, "needed": needed, "golden": golden,
            "link": "https://x/7",
        }
        for needed, golden in ((1, 0), (2, 1), (2, 2))
    ),
    "reply/rubric_approved.md.j2": tuple(
        {
            "kept": KeptRubric(2, RUBRIC, ("ben", "mara")), "number": 7, "needed": needed,
            "approved_by": ("ben", "mara"), "golden": golden, "link": "https://x/7",
        }
        for needed, golden in ((2, 2), (3, 1), (3, 0))
    ),
    "reply/refused.md.j2": tuple({"problem": "p", "next_step": n} for n in ("", "n")),
    "rubric/form.md.j2": tuple({"rubric": RUBRIC, "number": 7, "needed": n} for n in (1, 2)),
}  # fmt: skip


def sources() -> set[str]:
    """Every template but the forge's own and the prompts, which their agents' tests render."""
    root = folder()
    names = (path.relative_to(root).as_posix() for path in root.rglob("*.j2"))
    return {name for name in names if not name.startswith(("forge/", "prompts/"))}


def environment_of(name: str) -> Environment:
    if name.endswith(".txt.j2"):
        return text_environment()
    return markdown_environment() if name.endswith(".md.j2") else html_environment()


@cache
def reached(name: str) -> set[str]:
    """A template and all that it includes, imports or extends."""
    tree = environment_of(name).parse((folder() / name).read_text())
    named = {found for found in meta.find_referenced_templates(tree) if found}
    return {name}.union(*(reached(found) for found in named))


@pytest.mark.parametrize("name", sorted(GIVEN))
def test_a_text_renders_with_what_it_is_given(name: str) -> None:
    for values in GIVEN[name]:
        assert environment_of(name).get_template(name).render(**values).strip()


def test_every_text_is_rendered_here() -> None:
    assert sources() <= set().union(*map(reached, GIVEN))


def test_a_value_that_is_missing_is_an_error() -> None:
    with pytest.raises(UndefinedError):
        render_markdown("check/ended.md.j2")


@pytest.mark.parametrize("place", ("check/ended.md.j2", "error.html.j2"))
def test_whoever_renders_a_text_cannot_post_a_secret_or_a_tag(place: str) -> None:
    words = f"<b>{TOKEN}</b>"
    if place.endswith(".md.j2"):
        text = render_markdown(place, superseded=True, why=words, next_step="")
    else:
        text = render_html(place, status=500, title="t", text=words)

    assert TOKEN not in text
    assert "<b>" not in text


def test_the_folder_is_the_one_beside_the_packages() -> None:
    assert folder() == Path(__file__).parents[2] / "templates"
