"""Keeps requirements a DAG: unknown ids, self edges and cycles are mended and told."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from graphlib import CycleError, TopologicalSorter

from bot.values import Requirement


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


def with_edges(
    requirements: tuple[Requirement, ...], edges: Iterable[tuple[str, str]]
) -> tuple[tuple[Requirement, ...], tuple[str, ...]]:
    """Add edges (later, earlier) one by one; what would make no DAG is left out and told.

    The edges that are there stay: an added one never pushes out another.
    """
    remarks: list[str] = []
    for later, earlier in dict.fromkeys(edges):
        known = {requirement.id for requirement in requirements}
        if later not in known or earlier not in known:
            unknown = earlier if later in known else later
            remarks.append(f"An edge to unknown {unknown[:40]} was left out.")
            continue
        if later == earlier:
            remarks.append(f"{later} would depend on itself; that edge was left out.")
            continue
        grown = tuple(_with_edge(r, later, earlier) for r in requirements)
        if cycle := _cycle(grown):
            told = " → ".join(reversed(cycle))
            remarks.append(f"{later} on {earlier} would close the circle {told}; left out.")
        else:
            requirements = grown
    return requirements, tuple(remarks)


def _with_edge(requirement: Requirement, id_: str, prerequisite: str) -> Requirement:
    if requirement.id != id_ or prerequisite in requirement.prerequisites:
        return requirement
    return replace(requirement, prerequisites=(*requirement.prerequisites, prerequisite))
