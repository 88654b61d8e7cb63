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
    clean: list[Requirement] = []
    for requirement in requirements:
        own, good = requirement.id, list[str]()
        for id_ in requirement.prerequisites:
            if id_ == own:
                remarks.append(f"{id_} depended on itself; that edge was left out.")
            elif id_ not in known:
                remarks.append(f"{own} depended on unknown {id_}; that edge was left out.")
            elif id_ not in good:
                good.append(id_)
        clean.append(replace(requirement, prerequisites=tuple(good)))
    while cycle := _cycle(clean):
        later, earlier = cycle[1], cycle[0]
        remarks.append(
            f"{' → '.join(reversed(cycle))} is a circle; {later} no longer depends on {earlier}."
        )
        for at, one in enumerate(clean):
            if one.id == later:
                kept = tuple(id_ for id_ in one.prerequisites if id_ != earlier)
                clean[at] = replace(one, prerequisites=kept)
    return tuple(clean), tuple(remarks)


def _cycle(requirements: Iterable[Requirement]) -> list[str]:
    sorter = TopologicalSorter({r.id: r.prerequisites for r in requirements})
    try:
        sorter.prepare()
    except CycleError as error:
        return list(error.args[1])
    return []


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
        grown = tuple(
            replace(one, prerequisites=(*one.prerequisites, earlier))
            if one.id == later and earlier not in one.prerequisites
            else one
            for one in requirements
        )
        if cycle := _cycle(grown):
            told = " → ".join(reversed(cycle))
            remarks.append(f"{later} on {earlier} would close the circle {told}; left out.")
        else:
            requirements = grown
    return requirements, tuple(remarks)
