"""The graph of requirements as it is laid out and drawn."""

from __future__ import annotations

import re
from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from bot.report.markdown import MOST_NODES, NODE_WIDTH, RequirementGraph, html, requirement_graph
from bot.report.model import RequirementView
from bot.report.view import view
from tests.bot.report.examples import HOSTILE, one_missing

(ROW, *_) = view(one_missing()).requirements


def row(name: str, *builds_on: str, blocked_by: tuple[str, ...] = ()) -> RequirementView:
    requirement = replace(ROW.requirement, id=name, prerequisites=builds_on)
    return replace(
        ROW, requirement=requirement, verdict=replace(ROW.verdict, blocked_by=blocked_by)
    )


def drawn(*rows: RequirementView) -> RequirementGraph:
    return requirement_graph(rows)


def test_what_is_built_on_stands_above() -> None:
    graph = drawn(row("R3", "R2"), row("R1"), row("R2", "R1", blocked_by=("R1",)), row("R4", "R1"))
    heights = {node.row.requirement.id: node.y for node in graph.nodes}

    assert heights["R1"] < heights["R2"] == heights["R4"] < heights["R3"]
    assert sorted(edge.is_met for edge in graph.edges) == [False, True, True]
    assert {node.row.requirement.id for node in graph.dependents} == {"R2", "R3", "R4"}


def test_a_list_without_edges_is_a_grid_in_its_order() -> None:
    graph = drawn(*(row(f"R{number}") for number in range(12)))

    assert [node.row.requirement.id for node in graph.nodes] == [f"R{n}" for n in range(12)]
    assert len({node.y for node in graph.nodes}) == 3
    assert graph.edges == graph.dependents == ()


NAMES = st.sampled_from([f"R{number}" for number in range(8)])


@given(st.dictionaries(NAMES, st.lists(NAMES, max_size=4), max_size=8))
def test_every_requirement_has_one_place_inside_also_in_circles(
    graph: dict[str, list[str]],
) -> None:
    laid = drawn(*(row(name, *builds_on) for name, builds_on in graph.items()))

    assert {node.row.requirement.id for node in laid.nodes} == set(graph)
    assert len({(node.x, node.y) for node in laid.nodes}) == len(graph)
    for node in laid.nodes:
        assert NODE_WIDTH / 2 <= node.x <= laid.width - NODE_WIDTH / 2
        assert 0 < node.y < laid.height


def test_of_very_many_the_first_are_drawn_and_the_rest_is_counted() -> None:
    graph = drawn(*(row(f"R{number}", f"R{number - 1}") for number in range(1_000)))

    assert (len(graph.nodes), graph.left_out) == (MOST_NODES, 1_000 - MOST_NODES)


def test_the_report_shows_it_with_the_same_in_words() -> None:
    page = html(view(one_missing()))

    assert '<svg viewBox="0 0 360' in page
    assert re.search(r"R2 builds on R1\.", page)
    assert 'role="img" aria-labelledby="graph-title" aria-describedby="graph-text"' in page


def test_hostile_names_are_only_words() -> None:
    shown = view(one_missing())
    strange = row(HOSTILE.replace("\ud800", ""), "R1")
    page = html(replace(shown, requirements=(*shown.requirements, strange)))

    assert "<script" not in page
    assert "style=" not in page.partition("<svg")[2].partition("</svg>")[0]
