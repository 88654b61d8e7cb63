"""Has rubrics drafted from an issue and the base branch, and finds those of a task; a draft stays advice.

Drafting fetches the base branch alone: no head, no diff and no word of a pull request is within its reach.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

from bot.configuration import MAX_BYTES, PATH, Configuration, Layer, effective, refusal
from bot.errors import UserError
from bot.evaluation.on_host import host_errors
from bot.evidence.code_map.index import CodeIndex
from bot.evidence.code_map.locate import locate
from bot.judges.agents import Agents
from bot.judges.model import ModelProblem, OpenSession, SessionLimits
from bot.judges.rubric_drafting import AskedIssue, draft_rubric
from bot.settings import Settings
from bot.source.repository import policy_context
from bot.task.categories import category_of
from bot.task.rubrics.files import (
    FOLDER,
    NO_ISSUE,
    CommittedRubric,
    issue_of,
    names_no_issue,
    read_rubric_file,
    refused,
)
from bot.task.wording import says_the_same
from bot.text import delimiter_of, scrub_tree
from bot.values import (
    Category,
    CodePlace,
    KeptRubric,
    Requirement,
    Requirements,
    Rubric,
    Task,
    TaskRubric,
    Trust,
)
from sandbox.base import Sandbox
from sandbox.code_map.code import KeptFacts, read_base_code
from sandbox.code_map.facts import SourceFile
from sandbox.repository.checkout import Base, take_base
from sandbox.repository.mirror import RepositorySource, list_paths, read_file, release
from sandbox.repository.names import TreeReader

if TYPE_CHECKING:
    from bot.github.client import GitHubApp


@dataclass(frozen=True, slots=True)
class Branch:
    """The branch that patches for an issue want into."""

    repository: str
    installation: int
    name: str


@dataclass(frozen=True, slots=True)
class RubricRule:
    """An issue's rubric on a branch: the approvals that it needs, and its file if there is one."""

    approvals: int
    path: str = ""


@dataclass(frozen=True, slots=True)
class RubricDrafter:
    """The adapters, wired once; no text that it gives holds any of the `secrets`."""

    settings: Settings
    sandbox: Sandbox
    github: GitHubApp
    open_session: OpenSession
    mark_key: bytes
    secrets: tuple[str, ...] = ()

    async def rule(self, branch: Branch, issue: int) -> RubricRule:
        """Return an issue's rubric on the branch. Raises UserError, Transient."""
        async with self._base(branch, "approvals") as base:
            configuration = await self._configuration(branch, base)
            path = await asyncio.to_thread(_path, base, issue)
        return RubricRule(configuration.rubric.approvals, path)

    async def draft(self, branch: Branch, issue: AskedIssue) -> Rubric:
        """Draft the rubric of an issue. Raises UserError where that cannot be, Transient."""
        async with self._base(branch, f"rubric {issue.number}") as base:
            limits = (await self._configuration(branch, base)).limits
            async with self.open_session(SessionLimits(limits.usd, limits.minutes)) as session:
                if session is None:
                    raise UserError(
                        "Drafting a rubric needs a model. Set `ASSAY_MODEL`, or write "
                        f"the rubric yourself as `{FOLDER}/{issue.number}.yml` on the base branch."
                    )
                key = f"rubric {branch.repository} {issue.number} {base.sha}"
                agents = Agents(session, delimiter_of(self.mark_key, key))
                home = self.github.clone_url(branch.repository).removesuffix(".git")
                asked, code = replace(issue, home=home), await self._code(branch, base)
                try:
                    drafted = await draft_rubric(agents, asked, code)
                except ModelProblem as error:
                    raise UserError(f"No rubric could be drafted: {error.why}") from error
        return scrub_tree(drafted, self.secrets)

    async def _configuration(self, branch: Branch, base: Base) -> Configuration:
        """What counts of the branch's own file, over the organization's defaults."""
        opened = partial(self.github.repository, installation=branch.installation)
        context = await policy_context(opened, branch.repository, branch.name)
        raw = await asyncio.to_thread(read_file, base.mirror, base.sha, PATH, MAX_BYTES)
        held = effective(Layer(branch.name, raw), context)
        if held.problem:
            raise refusal(held.problem)
        return held.configuration

    async def _code(self, branch: Branch, base: Base) -> TreeCode:
        kept = KeptFacts(self.settings.home.absolute() / "graphs", branch.repository)
        files = await read_base_code(self.sandbox, base.tree, kept)
        return TreeCode(files, TreeReader(base.tree))

    @asynccontextmanager
    async def _base(self, branch: Branch, purpose: str) -> AsyncIterator[Base]:
        """The tip of the branch on disk, held for a while."""
        root = self.settings.home / "git"
        token = await self.github.clone_token(branch.installation, branch.repository)
        url = self.github.clone_url(branch.repository)
        source = RepositorySource(url, token.value, allow_http="://" in self.settings.ghe_host)
        holder = f"{branch.repository} {purpose}"
        try:
            with host_errors():
                yield await asyncio.to_thread(take_base, root, source, branch.name, holder)
        finally:
            await asyncio.to_thread(release, root, holder)


def _path(base: Base, issue: int) -> str:
    """The file of an issue's rubric on the branch; empty where there is none."""
    there = list_paths(base.mirror, base.sha, FOLDER)
    return next((path for path in there if issue_of(path) == issue), "")


_MOST_LINES = 400
_MOST_FOUND = 20


class TreeCode:
    """A `bot.judges.rubric_drafting.BaseCode` over an exported tree."""

    def __init__(self, files: Iterable[SourceFile], reader: TreeReader) -> None:
        self._index, self._reader = CodeIndex(files), reader

    def locate(self, text: str, most: int) -> tuple[CodePlace, ...]:
        """The places that a text is most likely about, the best first; one a file and name."""
        return tuple(one.place for one in locate(text, self._index, most=most))

    def find(self, name: str) -> tuple[CodePlace, ...]:
        """Where a name is defined."""
        last = name.rpartition(".")[2]
        return tuple(one.place for one in self._index.defined(last)[:_MOST_FOUND])

    def read(self, path: str, first: int, last: int) -> str:
        """Lines of a file; one sentence where there is none."""
        text = self._reader.read(path)
        if text is None:
            return f"There is no text file {path[:200]}."
        lines = text.splitlines()[first - 1 : min(last, first + _MOST_LINES)]
        return "\n".join(f"{number}: {line}" for number, line in enumerate(lines, start=first))


# --- the rubrics of a task -------------------------------------------------------------------------
# Of each issue that asks for one, the file on base counts, else what was kept. What must hold is
# judged as any demand. What must not hold is a prohibition: no test can vouch for it by its name.


_MOST_TOLD = 5


def rubrics_of(
    task: Task,
    committed: Iterable[CommittedRubric],
    kept: dict[int, tuple[KeptRubric, ...]],
    needed: int,
) -> tuple[TaskRubric, ...]:
    """One rubric at most for each issue. Raises UserError for a file that cannot be used.

    Of what was kept, the newest version that `needed` people besides the author approved is golden;
    else the newest is a draft.
    """
    files = tuple(committed)
    found = []
    for issue in issues(task):
        own = [file for file in files if issue_of(file.path) == issue]
        if len(own) > 1:
            raise refused(own[1].path, f"{own[0].path} is a rubric of the same issue; keep one")
        if own:
            rubric = read_rubric_file(own[0])
            found.append(TaskRubric(issue, rubric, is_golden=True, path=own[0].path))
        elif drafts := kept.get(issue, ()):
            golden = [one for one in drafts if len(one.approvals(task.author)) >= needed]
            one = (golden or drafts)[-1]
            approved_by = one.approvals(task.author)
            found.append(TaskRubric(issue, one.rubric, bool(golden), one.version, approved_by))
    return tuple(found)


def unused(committed: Iterable[CommittedRubric]) -> tuple[str, ...]:
    """A remark on each file that looks like a rubric and is nobody's."""
    found = [one.path for one in committed if names_no_issue(one.path)]
    return tuple(
        f"{path} is not used: {NO_ISSUE} (`7.yml` is issue 7's)." for path in found[:_MOST_TOLD]
    )


def issues(task: Task) -> tuple[int, ...]:
    """The issues of the repository that ask for this task."""
    return tuple(dict.fromkeys(source.issue for source in task.sources if source.issue))


_PROHIBITED = "Must not hold: "


def with_rubrics(
    found: Requirements, rubrics: tuple[TaskRubric, ...]
) -> tuple[Requirements, tuple[TaskRubric, ...]]:
    """The requirements with those of golden rubrics, and the rubrics with the ids that these got.

    A demand that the task makes already is raised to a maintainer's, mandatory, under its own id;
    the rest stands behind the baseline: G1, G2, … where no id is taken.
    """
    items = list(found.items)
    letter = "G"
    while any(re.fullmatch(rf"{letter}\d+", one.id) for one in items):
        letter += "_"
    numbered: list[TaskRubric] = []
    added: list[Requirement] = []
    for rubric in rubrics:
        ids: list[str] = []
        for wanted in _wanted(rubric) if rubric.is_golden else ():
            # Where the task itself makes the same demand, as one that judges or tests decide.
            same = (
                n
                for n, one in enumerate(items)
                if one.category is wanted.category and says_the_same(one.text, wanted.text)
            )
            known = next(same, None)
            if known is None:
                added.append(replace(wanted, id=f"{letter}{len(added) + 1}"))
                ids.append(added[-1].id)
            else:
                asked = items[known]
                is_theirs = asked.trust is Trust.MAINTAINER
                origin = asked.origin if is_theirs else f"{asked.origin}, {rubric.name}"
                items[known] = replace(asked, trust=Trust.MAINTAINER, mandatory=True, origin=origin)
                ids.append(asked.id)
        numbered.append(replace(rubric, requirement_ids=tuple(ids)))
    first = next((n for n, one in enumerate(items) if one.category is not Category.BASELINE), None)
    first = len(items) if first is None else first
    whole = (*items[:first], *added, *items[first:])
    return replace(found, items=whole), tuple(numbered)


def _wanted(rubric: TaskRubric) -> list[Requirement]:
    must = [
        Requirement("", text, category_of(text), rubric.name, Trust.MAINTAINER)
        for text in rubric.rubric.requirements
    ]
    return must + [
        Requirement("", _PROHIBITED + text, Category.PROHIBITION, rubric.name, Trust.MAINTAINER)
        for text in rubric.rubric.unacceptable
    ]
