"""The comment: verdict first, always whole, always within GitHub's limit, nothing hostile in it."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import replace
from html import unescape

import pytest
from hypothesis import given
from hypothesis import strategies as st
from inline_snapshot import snapshot
from markdown_it import MarkdownIt
from markdown_it.token import Token

from bot.report.checks import check_summary
from bot.report.machine import machine
from bot.report.markdown import html, markdown, marker
from bot.report.view import view
from bot.values import Conclusion, Decider, Evaluation, Observed, TestChange
from sandbox.elsewhere.values import Unmeasured
from sandbox.values import Observation, Side
from tests.bot.report.examples import (
    EXAMPLES,
    HOSTILE,
    canary_missed,
    deliberated,
    hostile,
    one_missing,
    regression,
    success,
)

LINK = "https://assay.example/evaluations/1?s=abc"
MARKDOWN = MarkdownIt("gfm-like")
assert MARKDOWN.linkify is not None
MARKDOWN.linkify.set({"fuzzy_link": False})

OUR_TAGS = re.compile(r"</?(?:code|details|summary|br|sub|pre)>|<pre lang=\"\w+\">")


def comment(evaluation: Evaluation) -> str:
    return markdown(view(evaluation), LINK)


def page(evaluation: Evaluation) -> str:
    return html(view(evaluation))


def every(tokens: list[Token]) -> list[Token]:
    return [*tokens, *(child for token in tokens for child in (token.children or ()))]


def outside_code(tokens: list[Token]) -> str:
    """What GitHub looks through for mentions and references: it leaves `<code>` alone."""
    depth, found = 0, ""
    for token in tokens:
        if token.type == "html_inline":
            depth += {"<code>": 1, "</code>": -1}.get(token.content, 0)
        elif token.type == "text" and depth == 0:
            found += token.content
    return found


def folds(text: str) -> list[str]:
    blocks = [token.content for token in MARKDOWN.parse(text) if token.type == "html_block"]
    return re.findall(r"</?details>", "".join(blocks))


def heavy(evaluation: Evaluation, times: int) -> Evaluation:
    """The same evaluation with very many requirements, tests, findings and outputs."""
    observed, judgement = evaluation.observed, evaluation.judgement
    assert observed
    assert judgement
    requirements = judgement.requirements.items * times
    return replace(
        evaluation,
        warnings=tuple(f"warning {n} " + HOSTILE for n in range(times)),
        environment=evaluation.environment * times,
        observed=replace(
            observed,
            tests=replace(observed.tests, comparisons=observed.tests.comparisons * times),
            findings=observed.findings * times,
            integrity=observed.findings * times,
            evidence=observed.evidence * times,
            impact=observed.impact
            and replace(observed.impact, symbols=observed.impact.symbols * times),
        ),
        judgement=replace(
            judgement, requirements=replace(judgement.requirements, items=requirements)
        ),
    )


def test_the_first_lines_say_what_why_and_what_to_do() -> None:
    head = comment(one_missing()).split("\n\n<details>")[0]

    assert head == snapshot("""\
<!-- assay:pull-request 9 -->
## ⚠️ 1 of 2 things that were asked for is not shown to work

- ❔ **Never return an empty slug for non-empty input**<br>\
No test that failed on base and passes on head speaks about it.<br>\
<sub>R2 · unverified · not decided · issue #&#8203;7</sub>

**What to do next:**
1. Add a test that fails on base and shows that an empty slug can no longer \
happen, or name an existing one in the pull request's description.\
""")


HOME = "https://forge.example/acme/slugify"


def linked(evaluation: Evaluation) -> str:
    return markdown(view(evaluation, (), HOME), LINK)


def test_what_is_not_met_comes_first_and_what_is_met_is_folded() -> None:
    text = comment(regression())
    first, _, rest = text.partition("<details>\n<summary>4 met</summary>")

    assert "stops working" in first and "<sub>B2 · unsatisfied" in first
    assert "The project builds" not in first
    for requirement in (
        "The project builds",
        "Transliterate letters",
        "Never return an empty slug",
    ):
        assert text.count(f"**{requirement}") == 1 and f"**{requirement}" in rest
    assert first.count("1 test that passes on base fails on head") == 1


def test_a_failing_test_stands_beside_its_assertion_and_the_changed_code_it_reaches() -> None:
    (line,) = [line for line in linked(regression()).splitlines() if line.startswith("  - [")][:1]

    assert line == (
        f"  - [<code>tests/test_slugify.py::test_truncates_at_word_boundary</code>]({HOME}/blob/"
        "b81d0e44c9a7f3126655de098bca7741f0e2d3c5/tests/test_slugify.py#L41): "
        "<code>AssertionError: assert 'one-two-' == 'one-two'</code>, reaches "
        f"[<code>src/slugify/core.py: truncate</code>]({HOME}/blob/"
        "b81d0e44c9a7f3126655de098bca7741f0e2d3c5/src/slugify/core.py#L12), changed here"
    )


def test_commits_issues_and_files_are_linked_where_the_repository_has_pages() -> None:
    evaluation = success()
    assert evaluation.judgement
    items = tuple(replace(one, issue=7) for one in evaluation.judgement.requirements.items)
    requirements = replace(evaluation.judgement.requirements, items=items)
    judgement = replace(evaluation.judgement, requirements=requirements)
    tokens = every(MARKDOWN.parse(linked(replace(evaluation, judgement=judgement))))
    targets = [str(token.attrGet("href")) for token in tokens if token.type == "link_open"]

    assert f"{HOME}/issues/7" in targets
    assert f"{HOME}/commit/{evaluation.head_sha}" in targets
    assert f"{HOME}/blob/{evaluation.head_sha}/slugify.py#L3" in targets


def test_a_hostile_name_cannot_leave_its_link() -> None:
    tokens = every(MARKDOWN.parse(linked(hostile())))
    targets = [str(token.attrGet("href")) for token in tokens if token.type == "link_open"]

    assert len(targets) > 10
    assert all(target == LINK or target.startswith(f"{HOME}/") for target in targets)


@pytest.mark.thorough
@pytest.mark.parametrize("name", EXAMPLES)
def test_every_fold_and_fence_is_closed(name: str) -> None:
    text = comment(EXAMPLES[name]())

    assert folds(text) == ["<details>", "</details>"] * (len(folds(text)) // 2)
    assert MARKDOWN.parse(text)[-1].type == "paragraph_close", "the last line is part of a block"


def test_the_impact_is_short_and_folded() -> None:
    text = comment(regression())
    start = text.index("<summary>Impact")
    part = text[start : text.index("</details>", start)]
    assert "(9 changed symbols)" in part
    assert "<code>src/slugify/core.py: truncate</code> changed" in part
    assert "</code> and 6 more |" in part
    assert "removed | no use was found | none by name |" in part
    assert "and 7 more changed symbols" in part


@pytest.mark.parametrize(
    ("count", "said"), [(1, "1 more changed symbol."), (2, "2 more changed symbols.")]
)
def test_one_more_symbol_is_one_symbol(count: int, said: str) -> None:
    evaluation = regression()
    assert evaluation.observed
    assert evaluation.observed.impact
    impact = replace(evaluation.observed.impact, left_out=count)
    shown = replace(evaluation, observed=replace(evaluation.observed, impact=impact))

    assert f"and {said}" in comment(shown)
    assert f'<p class="small">and {said.rstrip(".")}</p>' in page(shown)


@pytest.mark.parametrize(("shown_in", "fits"), [(comment, 8), (page, 20)])
@pytest.mark.parametrize(("more", "said"), [(1, "and 1 more test"), (2, "and 2 more tests")])
def test_one_more_test_is_one_test(
    shown_in: Callable[[Evaluation], str], fits: int, more: int, said: str
) -> None:
    evaluation = regression()
    assert evaluation.observed
    assert evaluation.judgement
    tests = evaluation.observed.tests
    broken = next(one for one in tests.comparisons if one.change is TestChange.PASS_TO_FAIL)
    many = tuple(replace(broken, id=f"{broken.id}_{n}") for n in range(fits + more))
    ids = tuple(one.id for one in many)
    verdicts = tuple(
        replace(one, tests=ids) if one.requirement_id == "B2" else one
        for one in evaluation.judgement.verdicts
    )
    shown = replace(
        evaluation,
        observed=replace(evaluation.observed, tests=replace(tests, comparisons=many)),
        judgement=replace(evaluation.judgement, verdicts=verdicts),
    )

    assert re.search(rf"{said}(?!\w)", shown_in(shown))


def test_nothing_of_a_hostile_author_acts() -> None:
    tokens = every(MARKDOWN.parse(comment(hostile())))
    html = "".join(t.content for t in tokens if t.type in {"html_block", "html_inline"})
    html = html.replace(marker(hostile().request), "")
    links = [token for token in tokens if token.type == "link_open"]
    prose = outside_code(tokens)

    assert re.sub(r"[^<>]*", "", OUR_TAGS.sub("", html)) == "", html
    assert [token.attrGet("href") for token in links] == [LINK]
    assert not [token for token in tokens if token.type in {"image", "em_open", "s_open"}]
    assert not re.search(r"(?<!\w)@\w|#\d|GH-\d|www\.|ghp_", prose)


@pytest.mark.thorough
@given(st.text(max_size=200))
def test_no_title_or_requirement_makes_a_link_or_tag(text: str) -> None:
    evaluation = success()
    assert evaluation.judgement
    first, *rest = evaluation.judgement.requirements.items
    items = (replace(first, text=text, origin=text), *rest)
    judgement = replace(
        evaluation.judgement, requirements=replace(evaluation.judgement.requirements, items=items)
    )
    gate = replace(evaluation.gate, title=text)
    tokens = MARKDOWN.parse(comment(replace(evaluation, judgement=judgement, gate=gate)))

    assert [t.attrGet("href") for t in every(tokens) if t.type == "link_open"] == [LINK]
    assert sum(token.type == "table_open" for token in tokens) == 1
    assert sum(token.type == "tr_open" for token in tokens) == 1 + 2
    rows = [t for t in tokens if t.type == "inline" and t.content.startswith("✅ **")]
    assert len(rows) == 5


@pytest.mark.thorough
@pytest.mark.parametrize("times", (1, 40))
@pytest.mark.parametrize("example", (regression, hostile), ids=("regression", "hostile"))
def test_it_always_fits(example: object, times: int) -> None:
    seen = view(heavy(regression() if example is regression else hostile(), times))
    text = markdown(seen, LINK)

    assert len(text.encode()) <= 65_536
    assert len(check_summary(seen, LINK).summary.encode()) <= 65_535
    assert folds(text) == ["<details>", "</details>"] * (len(folds(text)) // 2)
    assert f"]({LINK})" in text
    assert "unsatisfied" in text


@pytest.mark.thorough
def test_what_is_left_out_is_counted() -> None:
    text = comment(heavy(regression(), 120))

    unmet = len(re.findall(r"^- [❌❔]", text, re.MULTILINE))
    assert 0 < unmet < 120
    assert f"{120 - unmet} more unmet requirements are in the [full report]" in text
    met = len(re.findall(r"^- ✅", text, re.MULTILINE))
    assert met == 0 or f"{480 - met} more met requirements are in the [full report]" in text


def test_one_huge_output_does_not_push_the_verdict_out() -> None:
    evaluation = regression()
    assert isinstance(evaluation.observed, Observed)
    item = evaluation.observed.evidence[0]
    assert item.head
    flooded = replace(item, head=replace(item.head, output="`<@x>\n" * 200_000, exit_code=1))
    text = comment(replace(evaluation, observed=replace(evaluation.observed, evidence=(flooded,))))

    assert len(text.encode()) <= 65_536
    assert "characters left out" in text


def test_the_marker_stays_the_same_over_a_pull_requests_life() -> None:
    first, second = success().request, replace(success().request, id="other", head_sha="f" * 40)

    assert marker(first) == marker(second) == comment(success()).splitlines()[0]
    patch = replace(first, number=0, id="a--><b>")
    assert marker(patch) == "<!-- assay:evaluation a--b -->"


def test_the_check_run_uses_the_same_words() -> None:
    shown = view(regression())

    assert check_summary(shown, LINK).summary in markdown(shown, LINK)
    assert check_summary(shown, LINK).title == shown.title


def test_the_title_of_a_check_run_has_no_marks_of_code():
    seen = success()
    assert seen.gate is not None
    told = replace(seen.gate, title="“`parse` refuses minus” could not be verified")
    shown = view(replace(seen, gate=told))

    assert check_summary(shown, LINK).title == "“parse refuses minus” could not be verified"


def test_without_a_served_page_there_is_no_link() -> None:
    assert "](" not in markdown(view(success()), "")


ALONE = "No model looked for what these tests leave out."


def test_a_success_says_what_the_authors_tests_alone_show() -> None:
    both = success()
    assert both.judgement
    *kept, last = both.judgement.verdicts
    by_base = replace(last, decided_by=Decider.ORACLE)
    one = replace(both, judgement=replace(both.judgement, verdicts=(*kept, by_base)))

    for show in (comment, page):
        assert f"The requirements rest on the author's own tests. {ALONE}" in unescape(show(both))
        assert f"1 of the 2 requirements rests on the author's own tests. {ALONE}" in unescape(
            show(one)
        )
        assert ALONE not in unescape(show(one_missing())), "nothing is called good there"
    document = json.loads(machine(view(both)))
    assert document["on_authors_tests"] == ["R1", "R2"]


def test_where_judges_looked_nothing_rests_on_the_authors_tests_alone() -> None:
    looked = replace(success(), deliberation=deliberated().deliberation)
    unheard = replace(success(), deliberation=canary_missed().deliberation)

    assert ALONE not in comment(looked)
    assert ALONE in unescape(comment(unheard)), "a judge that counts for nothing has not looked"


@pytest.mark.parametrize("conclusion", [c for c in Conclusion if c is not Conclusion.SUCCESS])
def test_only_success_is_said_to_satisfy_everything(conclusion: Conclusion) -> None:
    evaluation = success()
    silent = replace(evaluation, gate=replace(evaluation.gate, conclusion=conclusion, reasons=()))

    assert "Every mandatory requirement is satisfied" not in comment(silent)
    assert "Every mandatory requirement is satisfied" in comment(success())


def test_calls_near_those_of_the_tests_stand_below_these() -> None:
    text = comment(success())
    line = next(one for one in text.splitlines() if "calls near those of the tests" in one)
    assert line.startswith(
        "  - 1 of 1 calls near those of the tests also gives something else on head"
    )
    assert line.endswith("<code>returned 'b-c'</code>.")
    above = text[: text.index(line)].splitlines()[-1]
    assert "test_umlauts" in above


def test_a_met_requirement_says_where_only_its_tests_inputs_were_tried() -> None:
    evaluation = success()
    look = evaluation.observed.second_look
    inputs = tuple(replace(one, problem=Unmeasured.NEW) for one in look.inputs)
    observed = replace(evaluation.observed, second_look=replace(look, inputs=inputs))
    line = "  - Only the inputs of these tests were tried: the function is new."
    assert line in comment(replace(evaluation, observed=observed)).splitlines()
    assert line not in comment(evaluation)


def test_what_happened_is_said_once() -> None:
    evaluation = one_missing()
    told = comment(replace(evaluation, problem="The sandbox did not start."))
    assert "**What happened:** The sandbox did not start." in told
    title = view(evaluation).title
    again = comment(replace(evaluation, problem=title))
    assert title in again and "What happened" not in again


def test_each_side_says_how_it_ended() -> None:
    evaluation = regression()
    assert re.search(r"^- base: exit code \d", markdown(view(evaluation), LINK), re.MULTILINE)
    why = "On base nothing could be built, so no test could run."
    unbuilt = Observation(Side.BASE, "", None, "", 0.0, problem=why)
    evidence = tuple(replace(one, base=unbuilt) for one in evaluation.observed.evidence)
    observed = replace(evaluation.observed, evidence=evidence)
    assert f"- base: nothing ran; {why}" in comment(replace(evaluation, observed=observed))
