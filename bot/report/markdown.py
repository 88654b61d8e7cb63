"""The report as a Markdown comment that always fits."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from bot.report.machine import ReportDocument
from bot.report.model import ReportView, RequirementView
from bot.report.pictures import is_reachable, picture_address
from bot.templates import render_html, render_markdown
from bot.text.clipping import clip
from bot.values import Conclusion, EvaluationRequest, VerdictOutcome

COMMENT_LIMIT = 65_536
"""GitHub's limit of a comment, in characters; counted here in bytes to be safe."""
MOST_PICTURES = 3
STATUS_BYTES = 1_500
"""Kept free in a comment for the line about an evaluation that runs."""
CHECK_LIMIT = 65_535
"""GitHub's limit of a check run's summary and of its text."""


@dataclass(frozen=True, slots=True)
class Detail:
    """How much of each thing is said; `folded` is false when only the head of the report is left."""

    rows: int
    text: int  # characters of a sentence
    tests: int  # characters of requirement evidence: how many tests are named
    output: int  # characters of an output or a message
    folded: bool = True


_LADDER = (
    Detail(rows=200, text=1_000, tests=8, output=4_000),
    Detail(rows=60, text=600, tests=5, output=1_500),
    Detail(rows=25, text=400, tests=3, output=500),
    Detail(rows=25, text=300, tests=2, output=0, folded=False),
    Detail(rows=4, text=160, tests=1, output=0, folded=False),
)
"""From everything to the least: whole renderings, so that no cut leaves a fence or a fold open."""


_TEMPLATE = "report/report.md.j2"
_STATUS = re.compile(
    r"<!-- assay:status ([\w.-]{1,200}) -->\r?\n.*?<!-- assay:status end -->\r?\n", re.DOTALL
)


def marker(request: EvaluationRequest) -> str:
    """The hidden first line that finds Assay's comment again: one a pull request, one a patch."""
    return _marker(request.number, request.id)


def _marker(number: int, evaluation_id: str) -> str:
    if number:
        return f"<!-- assay:pull-request {number} -->"
    return f"<!-- assay:evaluation {_plain(evaluation_id)} -->"


def _plain(evaluation_id: str) -> str:
    return "".join(c for c in evaluation_id if c.isascii() and (c.isalnum() or c in "_.-"))


def markdown(view: ReportView, link: str, memory: EarlierVerdicts | None = None) -> str:
    """The whole comment, marker first; `link` leads to the full report (empty: none is served)."""
    first = _marker(view.subject.number, view.id)
    limit = COMMENT_LIMIT - len(first) - 1 - STATUS_BYTES
    return f"{first}\n{fitted(view, link, limit, memory)}"


def fitted(
    view: ReportView, link: str, limit_bytes: int, memory: EarlierVerdicts | None = None
) -> str:
    """The most detailed rendering of the report within `limit_bytes` of UTF-8."""
    text = ""
    for detail in _LADDER:
        text = render_markdown(
            _TEMPLATE,
            view=view,
            link=link,
            detail=detail,
            memory=memory,
            picture_address=picture_address,
            shows_pictures=is_reachable(link),
            MOST_PICTURES=MOST_PICTURES,
        )
        if len(text.encode()) <= limit_bytes:
            return text
    raise ValueError(f"{_TEMPLATE} is {len(text)} characters long at its least detail")


def with_status(comment: str, evaluation_id: str, text: str) -> str:
    """The comment with one line about a running evaluation below its marker; an older line goes."""
    first, _, rest = _STATUS.sub("", comment).partition("\n")
    name = _plain(evaluation_id)
    line = clip(" ".join(text.split()), STATUS_BYTES // 4)
    return f"{first}\n<!-- assay:status {name} -->\n{line}\n<!-- assay:status end -->\n{rest}"


def without_status(comment: str, evaluation_id: str) -> str:
    """The comment without the line about this evaluation; another one's stays."""
    found = _STATUS.search(comment)
    if found is None or found[1] != _plain(evaluation_id):
        return comment
    return _STATUS.sub("", comment)


# --- the report as one self-contained HTML page: no script, nothing remote, readable on paper too ---


def html(view: ReportView) -> str:
    """The whole page; its own policy forbids everything but its inline style."""
    graph = requirement_graph(view.requirements)
    return render_html("report/report.html.j2", view=view, graph=graph)


# --- what was said of a pull request before: what changed since the last verdict, and the older ones


@dataclass(frozen=True, slots=True)
class PastVerdict:
    """One earlier conclusion; `link` leads to its report, `when` is its time in words."""

    conclusion: Conclusion
    title: str
    head_sha: str
    link: str
    when: str


@dataclass(frozen=True, slots=True)
class VerdictChange:
    """One requirement whose verdict is another now; None where it is new, or asked no more."""

    requirement_id: str
    text: str
    before: VerdictOutcome | None
    after: VerdictOutcome | None


@dataclass(frozen=True, slots=True)
class EarlierVerdicts:
    """The earlier verdicts, newest first, and the changes since the newest of them."""

    past: tuple[PastVerdict, ...]
    changes: tuple[VerdictChange, ...] = ()


def changes_since(before: ReportDocument, now: ReportView) -> tuple[VerdictChange, ...]:
    """Compare by what is asked: the task may number its requirements anew."""
    texts = Counter(one.text for one in before.requirements)
    known = {_key(one.id, one.text, texts): one for one in before.requirements}
    found = []
    for row in now.requirements:
        asked, after = row.requirement, row.verdict.outcome
        earlier = known.pop(_key(asked.id, asked.text, texts), None)
        outcome = earlier.verdict if earlier else None
        if outcome is not after:
            found.append(VerdictChange(asked.id, asked.shown, outcome, after))
    for one in known.values():  # asked no more
        found.append(VerdictChange(one.id, one.wording or one.text, one.verdict, None))
    return tuple(found)


def _key(id_: str, text: str, texts: Counter[str]) -> tuple[str, str]:
    return ("" if texts[text] < 2 else id_), text


# --- the graph of the requirements, for a narrow picture: what others build on stands above them ---


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
    half = NODE_HEIGHT / 2
    edges = []
    for node in nodes.values():
        for name in dict.fromkeys(node.builds_on):
            if (base := nodes.get(name)) is None or base is node:
                continue
            upper, lower = base.y + half, node.y - half
            bend = max(12.0, abs(lower - upper) / 2)
            path = (
                f"M{base.x:g} {upper:g}C{base.x:g} {upper + bend:g} "
                f"{node.x:g} {lower - bend:g} {node.x:g} {lower:g}"
            )
            edges.append(DrawnEdge(path, name not in node.row.verdict.blocked_by))
    height = round(max(line - 1, 0) * _PITCH_Y + NODE_HEIGHT + 2 * _TOP)
    left_out = max(0, len(rows) - len(shown))
    return RequirementGraph(tuple(nodes.values()), tuple(edges), WIDTH, height, left_out)


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
