"""Keeps requirements a DAG: unknown ids, self edges and cycles are mended and told."""

from __future__ import annotations

from dataclasses import replace
from graphlib import CycleError, TopologicalSorter

from bot.models import Requirement


def mended(
    requirements: tuple[Requirement, ...],
) -> tuple[tuple[Requirement, ...], tuple[str, ...]]:
    """Drop the edges that cannot be, and say which; the order of requirements is kept."""
    known = {requirement.id for requirement in requirements}
    remarks: list[str] = []
    clean = tuple(_without_bad_edges(r, known, remarks) for r in requirements)
    while cycle := _cycle(clean):
        later, earlier = cycle[1], cycle[0]
        remarks.append(
            f"{' → '.join(reversed(cycle))} is a circle; {later} no longer depends on {earlier}."
        )
        clean = tuple(_without_edge(r, later, earlier) for r in clean)
    return clean, tuple(remarks)


def _without_bad_edges(
    requirement: Requirement, known: set[str], remarks: list[str]
) -> Requirement:
    good: list[str] = []
    for id_ in requirement.prerequisites:
        if id_ == requirement.id:
            remarks.append(f"{id_} depended on itself; that edge was left out.")
        elif id_ not in known:
            remarks.append(f"{requirement.id} depended on unknown {id_}; that edge was left out.")
        elif id_ not in good:
            good.append(id_)
    return replace(requirement, prerequisites=tuple(good))


def _cycle(requirements: tuple[Requirement, ...]) -> list[str]:
    sorter = TopologicalSorter({r.id: r.prerequisites for r in requirements})
    try:
        sorter.prepare()
    except CycleError as error:
        return list(error.args[1])
    return []


def _without_edge(requirement: Requirement, id_: str, prerequisite: str) -> Requirement:
    if requirement.id != id_:
        return requirement
    kept = tuple(p for p in requirement.prerequisites if p != prerequisite)
    return replace(requirement, prerequisites=kept)
