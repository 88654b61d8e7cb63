"""The graph of the requirements, laid out for a narrow picture: what others build on stands above them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from bot.report.model import RequirementView

MOST_NODES = 100
A_ROW = 5
WIDTH, NODE_WIDTH, NODE_HEIGHT = 360, 64, 26
"""In user units of the picture, which are pixels on a phone."""
_PITCH_X, _PITCH_Y, _TOP = WIDTH / A_ROW, 52, 4
_CHARACTERS = 7


@dataclass(frozen=True, slots=True)
class DrawnRequirement:
    """One requirement; `x` and `y` are the middle of its box, `label` its id as far as there is room."""

    row: RequirementView
    x: float
    y: float

    @property
    def label(self) -> str:
        """The id, clipped."""
        name = self.row.requirement.id
        return name if len(name) <= _CHARACTERS else f"{name[: _CHARACTERS - 1]}…"

    @property
    def builds_on(self) -> tuple[str, ...]:
        """The ids of its prerequisites."""
        return self.row.requirement.prerequisites


@dataclass(frozen=True, slots=True)
class DrawnEdge:
    """From what is built on to what builds on it: an SVG path."""

    path: str
    is_met: bool


@dataclass(frozen=True, slots=True)
class RequirementGraph:
    """A picture of `width` x `height`; `left_out` requirements have no place in it."""

    nodes: tuple[DrawnRequirement, ...]
    edges: tuple[DrawnEdge, ...]
    width: int
    height: int
    left_out: int

    @property
    def dependents(self) -> tuple[DrawnRequirement, ...]:
        """The requirements that build on others."""
        return tuple(node for node in self.nodes if node.builds_on)


def requirement_graph(rows: Sequence[RequirementView]) -> RequirementGraph:
    """Lay out the first MOST_NODES requirements by how much they build on, A_ROW beside one another."""
    shown = {row.requirement.id: row for row in rows[:MOST_NODES]}
    nodes: dict[str, DrawnRequirement] = {}
    line = 0
    for layer in _layers(shown):
        ordered = sorted(layer, key=lambda row: _above(row, nodes))
        for start in range(0, len(ordered), A_ROW):
            part = ordered[start : start + A_ROW]
            y = _TOP + NODE_HEIGHT / 2 + line * _PITCH_Y
            first = (WIDTH - _PITCH_X * (len(part) - 1)) / 2
            for place, row in enumerate(part):
                nodes[row.requirement.id] = DrawnRequirement(row, first + place * _PITCH_X, y)
            line += 1
    height = round(max(line - 1, 0) * _PITCH_Y + NODE_HEIGHT + 2 * _TOP)
    return RequirementGraph(
        tuple(nodes.values()), _edges(nodes), WIDTH, height, max(0, len(rows) - len(shown))
    )


def _layers(shown: Mapping[str, RequirementView]) -> list[list[RequirementView]]:
    """Each layer builds on earlier ones only; members of a circle stand together in the last one."""
    placed: set[str] = set()
    left = dict(shown)
    layers = []
    while left:
        ready = [
            row
            for row in left.values()
            if all(name in placed or name not in left for name in row.requirement.prerequisites)
        ] or list(left.values())
        layers.append(ready)
        for row in ready:
            placed.add(row.requirement.id)
            del left[row.requirement.id]
    return layers


def _above(row: RequirementView, nodes: Mapping[str, DrawnRequirement]) -> float:
    """Where the middle of what it builds on stands: few edges cross then. The order stays otherwise."""
    places = [nodes[name].x for name in row.requirement.prerequisites if name in nodes]
    return sum(places) / len(places) if places else WIDTH / 2


def _edges(nodes: Mapping[str, DrawnRequirement]) -> tuple[DrawnEdge, ...]:
    half = NODE_HEIGHT / 2
    found = []
    for node in nodes.values():
        for name in dict.fromkeys(node.builds_on):
            if (base := nodes.get(name)) is None or base is node:
                continue
            start, end = base.y + half, node.y - half
            bend = max(12.0, abs(end - start) / 2)
            path = (
                f"M{base.x:g} {start:g}C{base.x:g} {start + bend:g} "
                f"{node.x:g} {end - bend:g} {node.x:g} {end:g}"
            )
            found.append(DrawnEdge(path, name not in node.row.verdict.blocked_by))
    return tuple(found)
