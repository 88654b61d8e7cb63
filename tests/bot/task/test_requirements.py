"""What a task demands: lists, titles, templates, trust, the graph."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.evidence.planning import plan
from bot.task.graph import mended
from bot.task.linked import closing_issues
from bot.task.requirements import comprehend
from bot.values import ActionKind, Category, Requirement, Task, TaskSource, Trust
from tests.bot.configured import read_configuration
from tests.bot.verdict.cases import DEFAULTS, requirements, task


def asked(wanted) -> list[str]:
    return [r.text for r in wanted.items if r.category is not Category.BASELINE]


# --- what is taken ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    "body",
    [
        "- [ ] accepts commas\n- [x] refuses minus signs",
        "## Acceptance criteria\n- accepts commas\n- refuses minus signs",
        "**Definition of done**\n\n1. accepts commas\n2. refuses minus signs",
        "### Expected behaviour\n* accepts commas\n* refuses minus signs",
        "It must:\n- accepts commas\n- refuses minus signs",
        "Two things are missing:\n- accepts commas\n- refuses minus signs",
        "## Requirements\n### Parsing\n- accepts commas\n- refuses minus signs",
        "## Steps to reproduce\n1. run it\n2. must fail\n"
        "## Requirements\n- accepts commas\n- refuses minus signs",
    ],
)
def test_lists_that_demand_are_requirements(body):
    assert asked(requirements("parse", body)) == ["accepts commas", "refuses minus signs"]


@pytest.mark.parametrize(
    ("text", "category"),
    [
        ("Include a test.", Category.UPKEEP),
        ("Please add a regression test", Category.UPKEEP),
        ("the sign must stay", Category.KEEP),
        ("`digest` should not depend on the order of keys", Category.KEEP),
        ("Existing callers must keep working", Category.KEEP),
        ("do not rename `price`", Category.KEEP),
        ("must be sorted", Category.BEHAVIOUR),
        ("negative amounts must not be accepted", Category.BEHAVIOUR),
        ("shows what still fails", Category.BEHAVIOUR),
        # The first sentence asks for something, and another one says what stays.
        ("Names for months (`jan`), in lists too. Names must stay an error.", Category.BEHAVIOUR),
        ("`load` should take a path. Callers must keep working.", Category.BEHAVIOUR),
        ("`load` reads a file once. `load` must keep working twice.", Category.KEEP),
        ("Names are an error in hours. They must stay an error.", Category.KEEP),
        ("The sign must stay. It should be printed first.", Category.KEEP),
        (
            "All is late. I would like `shift(cues, after=...)`. The others must stay as they are.",
            Category.BEHAVIOUR,
        ),
    ],
)
def test_a_listed_demand_has_the_kind_that_its_words_say(text, category):
    found = requirements("parse", f"## Requirements\n- accepts commas\n- {text}")
    assert {r.text: r.category for r in found.items}[text] is category


@pytest.mark.parametrize(
    ("title", "text", "category"),
    [
        ("Write `format` as a ternary", "It got lost. No behavior changes.", Category.UPKEEP),
        ("Move `format` out", "No change of behavior, only one place for it.", Category.UPKEEP),
        ("Move `format` out", "No change of behavior, except for dates.", Category.BEHAVIOUR),
        ("Simplify `Shop`", "Pure refactoring: `sum` in place of a loop.", Category.UPKEEP),
        ("Simplify `format`", "Behaviour must not change.", Category.UPKEEP),
        ("Split `shop.py`", "This is a pure refactoring.\n\nIt is long.", Category.UPKEEP),
        ("Add `reverse`", "No behavior changes.", Category.BEHAVIOUR),
        ("feat(sort): add `reverse`", "No change in behavior.", Category.BEHAVIOUR),
        ("`sort` is slow", "No behavior changes for small lists.", Category.BEHAVIOUR),
        ("`sort` is wrong", "It gives no behavior changes a chance.", Category.BEHAVIOUR),
    ],
)
def test_a_text_may_say_that_behavior_stays(title, text, category):
    (found,) = [r for r in requirements(title, text).items if r.category is not Category.BASELINE]
    assert found.category is category


def test_what_is_only_allowed_is_no_demand():
    body = (
        "## Requirements\n- accepts commas\n- The test that pins exact hashes may change\n"
        "- The order of the keys may differ\n- Users may change their address"
    )
    found = requirements("parse", body)
    assert asked(found) == ["accepts commas", "Users may change their address"]
    assert [one.sentence for one in found.permitted] == [
        "The test that pins exact hashes may change"
    ]


def test_a_demand_that_is_said_twice_in_other_filling_words_is_one():
    body = "- [ ] split refuses zero people\n- [ ] split should refuse zero people\n"
    assert asked(requirements("t", body)) == ["split refuses zero people"]
    apart = (
        "- [ ] log in before payment\n- [ ] log out before payment\n- [ ] is_open returns true\n"
    )
    apart += "- [ ] is_open returns false\n- [ ] payment before log in"
    assert len(asked(requirements("t", apart))) == 5


def test_a_topic_for_a_title_is_context_where_the_text_says_what_should_be():
    body = "`parse` should accept commas in amounts. Snapshots of amounts should be updated."
    (title,) = requirements("Amounts with commas", body).items[3:]
    assert title.shown == "`parse` should accept commas in amounts."


BARE = '- `parse("1,000")` returns 1000\n- negative amounts raise `ValueError`'


def test_a_bare_list_below_a_title_that_asks_says_what_it_means():
    found = asked(requirements("parse should accept commas and refuse minus signs", BARE))
    assert found == ['`parse("1,000")` returns 1000', "negative amounts raise `ValueError`"]


@pytest.mark.parametrize(
    ("title", "body"),
    [
        ("parse crashes on odd amounts", BARE),
        ("parse should accept commas", f"I tried:\n\n{BARE}"),
        ("parse should accept commas", f"## Actual behaviour\n{BARE}"),
        ("parse should accept commas", "- Python 3.11\n- Linux"),
    ],
)
def test_a_bare_list_may_tell_what_happens_instead(title, body):
    assert asked(requirements(title, body)) == [title]


def test_an_authors_bare_list_describes_the_change():
    assert asked(requirements("Accept commas", BARE, trust=Trust.AUTHOR)) == ["Accept commas"]


@pytest.mark.parametrize(
    "body",
    [
        "## Steps to reproduce\n1. Add a line\n2. It should print it\n- [ ] really",
        "**To Reproduce**\nSteps to reproduce the behavior:\n1. Go to it\n2. Print must show",
        "## Environment\n- Python 3.11\n- must be Linux",
        "### Actual behaviour\n1. raise an error\n2. return nothing",
        "When I run it:\n1. print the total\n2. raise",
        "> - [ ] quoted\n> - must hold",
        "```\n- [ ] in code\n1. must not count\n```",
        "    - [ ] indented code",
        "<!--\n- [ ] hidden\n-->",
        "I like:\n- cats\n- dogs",
        "Traceback:\n1. raise ValueError",
        "- [ ] I have read CONTRIBUTING.md\n- [x] Tests added\n- [ ] changelog updated\n- [x] Bug fix",
        "- [x] Implementation.\n- [x] Enhancement",
        "- [x] the pull request title says what it does\n- [x] the pull request targets the *default* branch",
        "- [x] the code follows the established code style of the repository\n  - `make lint` passes",
        "## Out of scope\n- must not be done",
        "## Test plan\n- [ ] Open the page and check that it should load\n- [x] negatives are refused",
        "- [x] All 45 parser tests pass (43 existing + 2 new)\n- [x] CI is green",
        "- [x] Verified no regression for files without BOM\n- [x] I've manually tested it",
        "- [x] run `npm run test && npm run benchmark`\n- [x] tests and/or benchmarks are included",
        "- [ ] 📚 Updated documentation for changed code. (N/A, it mends a crash)",
        "## How this was verified\n1. Run it, it must print the total",
    ],
)
def test_what_demands_nothing_leaves_the_title(body):
    assert asked(requirements("parse commas", body)) == ["parse commas"]


@pytest.mark.parametrize(
    "item",
    [
        "[ ] Verified addresses only",
        "[x] Tests of `total` pass dates",
        "[x] the pull request title is escaped",
        "[x] the code follows redirects",
    ],
)
def test_what_is_to_be_done_yet_is_demanded(item):
    assert item[4:] in asked(requirements("x", f"- {item}"))


def test_numbered_lists_of_demands_count_without_a_heading():
    body = "Please:\n\n1. Raise ValueError for zero people\n2. `total` rounds once\n3. thanks a lot"
    assert asked(requirements("split", body))[:2] == [
        "Raise ValueError for zero people",
        "`total` rounds once",
    ]


def test_a_numbered_list_below_what_a_change_fixes_is_one_of_demands():
    body = (
        "Fixes false positives of the rule.\n\n"
        "1. Require the exact name instead of matching typos.\n2. Respect local bindings."
    )
    wanted = ["Require the exact name instead of matching typos.", "Respect local bindings."]
    assert asked(requirements("fix(rule): do not report locals", body)) == wanted


def test_template_lines_are_taken_away_also_when_ticked():
    template = "## Checklist\n- [ ] Screenshots were compared\n- [ ] The migration runs\n"
    body = "- [x] The migration runs\n- [ ] Screenshots were compared.\n- [ ] zero is refused\n"
    found = comprehend(task("split", body), DEFAULTS, (template,))
    assert asked(found) == ["zero is refused"]


def test_wishes_are_preferences():
    body = "## Acceptance criteria\n- works\n- (optional) fast\n## Nice to have\n- colours"
    found = requirements("x", body)
    assert asked(found) == ["works"]
    assert [p.text for p in found.preferences] == ["(optional) fast", "colours"]


# --- whose words -----------------------------------------------------------------------------


def test_what_the_author_leaves_open_beside_what_is_done_is_told_and_no_demand():
    boxes = "- [x] negatives are refused\n- [ ] `sum` is deprecated\n- [ ] Bug fix\n"
    found = requirements("x", "- [ ] zero is refused", author=boxes)
    assert asked(found) == ["zero is refused", "negatives are refused"]
    assert [one for one in found.remarks if "open" in one] == [
        "pull request #9 leaves “`sum` is deprecated” open, so it is not judged."
    ]
    # who asks may tick off what is there already, and a list without any tick is one of things to do
    assert len(asked(requirements("x", boxes))) == 2
    assert len(asked(requirements("x", "- [ ] y is 1", author=boxes.replace("[x]", "[ ]")))) == 3


def test_the_authors_text_adds_and_never_removes():
    without = requirements("x", "- [ ] zero is refused")
    found = requirements("x", "- [ ] zero is refused", author="- [x] negatives are refused\n")
    assert set(without.items) <= set(found.items)
    assert asked(found) == ["zero is refused", "negatives are refused"]


def test_an_authors_list_does_not_replace_the_askers_title():
    found = requirements("split should refuse zero people", "", author="- [x] update the docs")
    assert asked(found)[0] == "split should refuse zero people"
    assert found.items[3].trust is Trust.ASKER


def test_duplicates_keep_the_more_trusted_origin():
    found = requirements("x", "- [ ] Zero is refused.", author="- [x] zero is **refused**")
    assert [(r.text, r.origin) for r in found.items[3:]] == [("Zero is refused.", "issue #7")]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("split accepts 3 people at the table", "split accepts 4 people at the table"),
        ("the total is never rounded down here", "the total is rounded down here"),
        ("calling `add` returns the sum of both", "calling `sub` returns the sum of both"),
    ],
)
def test_alike_is_not_the_same(one, other):
    assert len(asked(requirements("x", f"- [ ] {one}", author=f"- [ ] {other}"))) == 2


def test_a_list_of_chores_does_not_hide_the_title():
    found = requirements("split should refuse zero people", "- [ ] Update the README")
    assert [r.category for r in found.items[3:]] == [Category.BEHAVIOUR, Category.UPKEEP]


def test_a_merge_subject_gives_way_to_its_first_line():
    source = TaskSource(
        "pull request #3", "Merge pull request #3 from a/b", "Fix the sum\n", Trust.AUTHOR
    )
    assert asked(comprehend(Task("m", (source,)), DEFAULTS, ())) == ["Fix the sum"]


def test_an_empty_task_still_asks_for_something():
    source = TaskSource("pull request #3", "", "", Trust.AUTHOR)
    assert len(asked(comprehend(Task("", (source,)), DEFAULTS, ()))) == 1


def test_a_merge_group_asks_for_the_baseline_only():
    found = comprehend(Task("The merge group holds together", ()), DEFAULTS, ())
    assert [r.id for r in found.items] == ["B1", "B2", "B3"]


# --- ids, graph, caps ------------------------------------------------------------------------


def test_configured_requirements_keep_their_ids():
    policy = read_configuration("requirements: [{id: R1, text: signatures stay, check: ./api}]")
    found = comprehend(task("x", "- [ ] a thing\n- [ ] b thing"), policy, ())
    assert [r.id for r in found.items] == ["B1", "B2", "B3", "R1", "R2", "R3"]
    assert found.items[3].category is Category.CHECK
    assert found.items[3].check == "./api"


def test_explicit_prerequisites_become_edges():
    body = "- [ ] R1: parse commas\n- [ ] R2: refuse minus (after R1)\n  - [ ] also inside brackets"
    found = requirements("x", body)
    assert [(r.id, r.prerequisites) for r in found.items[3:]] == [
        ("R1", ()),
        ("R2", ("R1",)),
        ("R3", ("R2",)),
    ]


def test_a_prerequisite_that_is_not_listed_is_told():
    found = requirements("x", "- [ ] parse commas, depends on R9")
    assert found.items[3].prerequisites == ()
    assert "not listed" in found.remarks[0]


def test_plain_nested_points_are_details():
    found = requirements("x", "- [ ] parse commas\n  - such as `1,000`\n")
    assert asked(found) == ["parse commas"]
    assert "1,000" in found.items[3].detail


def node(id_: str, *prerequisites: str) -> Requirement:
    return Requirement(id_, id_, Category.BEHAVIOUR, "issue", Trust.ASKER, True, prerequisites)


@pytest.mark.parametrize(
    ("graph", "told"),
    [
        ((node("R1", "R1"),), "depended on itself"),
        ((node("R1", "R7"),), "unknown R7"),
        ((node("R1", "R2"), node("R2", "R1")), "is a circle"),
        ((node("R1", "R3"), node("R2", "R1"), node("R3", "R2")), "is a circle"),
    ],
)
def test_bad_edges_are_mended_and_told(graph, told):
    repaired, remarks = mended(graph)
    assert told in remarks[0]
    assert mended(repaired) == (repaired, ())


@given(st.lists(st.lists(st.integers(0, 7), max_size=4), min_size=1, max_size=8))
def test_any_graph_is_mended_into_a_dag(edges):
    graph = tuple(node(f"R{i}", *(f"R{j}" for j in to)) for i, to in enumerate(edges))
    repaired, remarks = mended(graph)
    assert mended(repaired) == (repaired, ())
    kept = sum(len(r.prerequisites) for r in repaired)
    assert remarks or kept == sum(len(set(r.prerequisites)) for r in graph)


def test_too_many_and_too_long_are_cut_and_told():
    body = "".join(f"- [ ] point {n} {'x' * 600 if n == 0 else ''}\n" for n in range(60))
    found = requirements("x", body)
    assert len(asked(found)) == 40
    assert max(len(text) for text in asked(found)) == 500
    assert any("only the first 40" in remark for remark in found.remarks)
    assert any("was cut" in remark for remark in found.remarks)


def test_alternatives_of_a_list_are_one_demand():
    body = (
        "- Either we need to export the real `half`.\n- Or we need to remove `half` from the index.\n"
        "- We need to say so.\n"
    )
    first, second = asked(requirements("`half` is not what is exported", body))
    assert (
        first
        == "Either we need to export the real `half`. Or we need to remove `half` from the index."
    )
    assert second == "We need to say so."
    assert len(asked(requirements("x", body.replace("Either we", "We")))) == 3


@pytest.mark.parametrize(
    ("title", "category"),
    [
        ("docs: explain split", Category.UPKEEP),
        ("refactor(core): split the parser", Category.UPKEEP),
        ("Drop 3.9", Category.UPKEEP),
        ("Drop support for 3.8 and 3.9", Category.UPKEEP),
        ("Node 16 is EOL since 2023, drop it", Category.UPKEEP),
        ("Python 3.8 is end of life: remove the workaround", Category.BEHAVIOUR),
        ("Node 16 crashes when a socket is dropped", Category.BEHAVIOUR),
        ("Drop 3 of the columns", Category.BEHAVIOUR),
        ("Docs for renderTable and friends", Category.UPKEEP),
        ("Add JSDoc to what core exports", Category.UPKEEP),
        ("Docs for `half` are right: it rounds", Category.BEHAVIOUR),
        ("[Refactor] use one parser", Category.UPKEEP),
        ("Upgrade string formatting. (#151)", Category.UPKEEP),
        ("Use f-strings everywhere", Category.UPKEEP),
        ("Add more ruff rules and fix warnings (#406)", Category.UPKEEP),
        ("Fix the pylint errors.", Category.UPKEEP),
        ("Fix Ruff FA100, I001 and UP006 errors", Category.UPKEEP),
        ("Fix Ruff FA100 and the parser's errors", Category.BEHAVIOUR),
        ("format and lint with ruff", Category.UPKEEP),
        ("Format dates with ruff", Category.BEHAVIOUR),
        ("upgrade to 3.10 code syntax (#771)", Category.UPKEEP),
        ("Remove an unused function, test long files", Category.UPKEEP),
        ("Remove unused options, add `--json`", Category.BEHAVIOUR),
        ("Upgrade to the new query syntax", Category.BEHAVIOUR),
        ('Rename "helper_tests.py" to "test_helpers.py".', Category.UPKEEP),
        ("Rename latest.py to newest.py", Category.BEHAVIOUR),
        ("Add more ruff rules and fix warnings, and return 0 on error", Category.BEHAVIOUR),
        ("Fix warnings", Category.BEHAVIOUR),
        ("Run ruff on the tests", Category.UPKEEP),
        ("Use the query syntax of the server", Category.BEHAVIOUR),
        ("Upgrade string formatting, and refuse empty names", Category.BEHAVIOUR),
        ("Run prettier before a file is written: its output is shown", Category.BEHAVIOUR),
        ("[Dev Deps] update `eslint`", Category.UPKEEP),
        ("[New] add a test command", Category.BEHAVIOUR),
        ("[Fix] document the parser it picks", Category.BEHAVIOUR),
        ("chore(deps): bump ruff", Category.UPKEEP),
        ("Bump ruff from 0.1 to 0.2", Category.UPKEEP),
        ("Bump the npm group across 1 directory with 3 updates", Category.UPKEEP),
        ("Update idna to 3.7", Category.UPKEEP),
        ("Update dependency lodash to v4 [SECURITY]", Category.UPKEEP),
        ("fix(deps): update dependency lodash to v4.17.21", Category.UPKEEP),
        ("fix(deps): the crash without lodash", Category.BEHAVIOUR),
        ("Lock file maintenance", Category.UPKEEP),
        ("Update actions/checkout action to v4", Category.UPKEEP),
        ("Update the rate to 3.7", Category.BEHAVIOUR),
        ("Fix typo in README", Category.UPKEEP),
        ("Add examples to the documentation", Category.UPKEEP),
        ("Say in the readme how to install the package", Category.UPKEEP),
        ("The readme names a wrong type of token", Category.UPKEEP),
        ("Correct the grammar of ranges in the documentation", Category.UPKEEP),
        ("Fix the crash in the documentation builder", Category.BEHAVIOUR),
        ("The documentation builder gives no error", Category.BEHAVIOUR),
        ("Add a flag to the documentation command", Category.BEHAVIOUR),
        ("Add type hints to shop.py", Category.UPKEEP),
        ("Update the changelog", Category.UPKEEP),
        ("Changelog.", Category.UPKEEP),
        ("Add tests for split", Category.UPKEEP),
        ("[pre-commit.ci] pre-commit autoupdate", Category.UPKEEP),
        ("fix: docs command crashes", Category.BEHAVIOUR),
        ("feat: test command", Category.BEHAVIOUR),
        ("Fix crash in the documentation builder", Category.BEHAVIOUR),
        ("Add a --docs option", Category.BEHAVIOUR),
        ("History is kept between runs", Category.BEHAVIOUR),
        ("Testing an empty list should return zero", Category.BEHAVIOUR),
        ("Update total when a line is removed", Category.BEHAVIOUR),
        ("Comments are stripped from SQL", Category.BEHAVIOUR),
        ("Remove comments from the output", Category.BEHAVIOUR),
    ],
)
def test_only_plain_upkeep_is_upkeep(title, category):
    assert requirements(title).items[3].category is category


@given(st.text(max_size=400), st.text(max_size=60))
def test_any_text_is_comprehended(body, title):
    found = requirements(title, body, author=body)
    assert len({r.id for r in found.items}) == len(found.items)
    assert len(found.items) > 3


@given(
    st.lists(
        st.sampled_from(
            [
                "- [ ] a\n",
                "  - b\n",
                "1. must c\n",
                "> ",
                "# H\n",
                "<!--",
                "```\n",
                "**x**\n\n",
                "\t",
            ]
        )
    )
)
def test_any_markdown_is_comprehended(parts):
    assert len(requirements("x", "".join(parts)).items) > 3


# --- closing keywords and the plan -----------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Fixes #12", [("o/r", 12)]),
        ("closes: org/re.po#3, resolved GH-8", [("org/re.po", 3), ("o/r", 8)]),
        ("FIXED https://github.com/a/b/issues/9.", [("a/b", 9)]),
        ("fixes #1, fixes #1", [("o/r", 1)]),
        ("prefixes #4, fixes 4, fix #0, fixes#5, fixes #6a", []),
        ("`fixes #1` <!-- fixes #2 -->\n```\nfixes #3\n```", []),
        ("see #3", []),
    ],
)
def test_closing_keywords(text, found):
    assert [(i.repository, i.number) for i in closing_issues(text, "o/r")] == found


@given(st.text(max_size=300))
def test_any_text_may_close(text):
    assert isinstance(closing_issues(text, "o/r"), tuple)


def test_changed_documents_are_read_for_people_and_bound_to_nothing():
    policy = read_configuration("{}")
    changed = ("a.py", *(f"offer{n}.DOCX" for n in range(5)))
    steps = plan(comprehend(task(), policy, ()), policy, changed).steps
    documents = [s for s in steps if s.action is ActionKind.READ]
    assert [s.arguments for s in documents] == [(f"offer{n}.DOCX",) for n in range(3)]
    assert not any(s.requirement_ids for s in documents)
    assert [s.id for s in steps] == [f"E{n}" for n in range(1, len(steps) + 1)]


def test_the_plan_binds_every_step_to_requirements():
    policy = read_configuration(
        "setup: {test: make test}\nrequirements: [{id: C1, text: api, check: ./api}]"
    )
    wanted = comprehend(task(), policy, ())
    steps = plan(wanted, policy, ("src/a.py",)).steps
    assert [(s.id, s.action) for s in steps] == [
        ("E1", ActionKind.UNIT_TESTS),
        ("E2", ActionKind.STATIC_LINTER),
        ("E3", ActionKind.BASH),
        ("E4", ActionKind.LOCATE),
    ]
    assert steps[0].arguments == ("make test",)
    assert steps[2].requirement_ids == ("C1",)
    assert {id_ for step in steps for id_ in step.requirement_ids} == {r.id for r in wanted.items}


def texts(title: str, body: str) -> list[str]:
    wanted = comprehend(
        Task(title, (TaskSource("issue #1", title, body, Trust.ASKER),)), DEFAULTS, ()
    )
    return [one.text for one in wanted.beside_baseline]


def test_code_in_other_letters_is_another_demand() -> None:
    upper, lower = '`rate("5 PER S")` should give 5', '`rate("5 per s")` should give 5'
    assert texts("Rates in words", f"- {lower}\n- {upper}\n") == [lower, upper]
    assert texts("Rates in words", f"- {lower}\n- Rate should give 5\n- {lower}.\n") == [
        lower,
        "Rate should give 5",
    ]


def test_what_stands_in_the_list_of_a_demand_is_one_too() -> None:
    body = (
        "We need miles. Let the user define units:\n\n- `define(name)` adds one. It must not replace any\n"
        "- `remove(name)` removes one\n- `units()` lists the names\n\nThanks to all who helped:\n\n- Ada\n"
    )
    assert len(texts("Custom units", body)) == 3
    hoped = body.replace(
        "Let the user define units:", "It would be great if one could define units."
    )
    hoped = hoped.replace(" It must not replace any", "")
    assert texts("Custom units", hoped) == ["Custom units"]
    wanted = comprehend(
        Task("", (TaskSource("issue #1", "Custom units", hoped, Trust.ASKER),)), DEFAULTS, ()
    )
    assert "`remove(name)` removes one" in wanted.not_apart


def test_what_is_listed_below_a_wish_or_a_title_that_asks_is_told() -> None:
    items = "- `use(fn)` adds a function\n- returning None drops it\n"
    wish = f"We'd like to drop events in one place:\n\n{items}"
    assert texts("Middleware", wish) == ["Middleware"]
    listed = "Mails take longer.\n\n- it defaults to 30 seconds\n- None means no limit\n"
    title = "Change the default timeout from 5 to 30 seconds"
    assert texts(title, listed) == [title]
    for of, text, told in (
        (title, listed, "None means no limit"),
        ("Middleware", wish, "`use(fn)` adds a function"),
    ):
        task = Task("", (TaskSource("issue #1", of, text, Trust.ASKER),))
        assert told in comprehend(task, DEFAULTS, ()).not_apart


def test_of_several_options_none_is_a_demand_by_itself() -> None:
    options = "1. Use `toString` of `lib/util`\n2. Remove the `toString` export\n"
    assert texts("toString is exported twice", f"Two options:\n\n{options}") == [
        "toString is exported twice"
    ]
    assert len(texts("toString is exported twice", f"What to do:\n\n{options}")) == 2


def test_the_sentence_that_a_demand_begins_with_is_judged():
    first, second = "`load` should take a path.", "It must close the file."
    found = requirements("Paths", f"## Requirements\n- {first} {second}")
    assert found.not_apart == (second,)


def test_an_item_that_begins_with_a_signature_is_a_demand():
    body = (
        "Old ones can be sent again.\n\n- `verify(body, *, now=None)`: with `now`, old ones are an error.\n"
        "- `Relay(inbox, clock=time)`: passes `now` on.\n"
    )
    assert len(asked(requirements("Old webhooks can be sent again", body))) == 2
    for other in ("- `verify(body, now=1)`: crashes\n", "- `verify(body)`: is slow\n"):
        found = asked(requirements("Verifying crashes", f"I use it daily.\n\n{other}"))
        assert found == ["Verifying crashes"]


def test_an_item_that_names_nothing_is_told_and_no_demand():
    body = (
        "Would love to have:\n\n- `contrast(a, b)`: the ratio\n- something that adjusts the text\n"
    )
    found = requirements("Contrast checks", body)
    assert asked(found) == ["`contrast(a, b)`: the ratio"]
    assert "something that adjusts the text" in found.not_apart


def test_an_item_that_says_what_a_call_does_goes_on_with_a_list_of_demands():
    body = (
        "It blocks a lane.\n\n- `add(job, { timeout })`: without it nothing changes, it must not wait.\n"
        "- `pause()` starts no new jobs until `resume()` is called.\n- 3 of them hang\n"
    )
    first, second = asked(requirements("Timeouts, and pausing", body))
    assert first.startswith("`add(job") and second.startswith("`pause()` starts")


BOLD = (
    "Two mistakes.\n\n**Lost cents.** One cent belongs to nobody. It should go to the first name.\n\n"
    "**The day itself**: `until` is before the end of `day`,\nand the whole day should be in.\n"
)


def test_paragraphs_that_begin_in_bold_are_a_list_of_demands():
    title = "Cents get lost, and a day is left out"
    first, second = asked(requirements(title, BOLD))
    assert first == "Lost cents: One cent belongs to nobody. It should go to the first name."
    assert second.startswith("The day itself: `until` is")
    for other in (
        BOLD.replace("It should go", "It goes"),
        BOLD.replace("\n\n**The day", "\n\n```\n**The day") + "```\n",
        BOLD.replace("**The day itself**:", "The day itself:"),
    ):
        assert asked(requirements(title, other)) == [title]
