"""Rubrics are drafted from the issue and base's code: real git, real sandbox, scripted model."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest
from pydantic_ai.messages import ModelResponse, ToolCallPart

from bot.errors import UserError
from bot.evaluation.rubrics import Branch, RubricDrafter, RubricRule
from bot.github import AccessToken, Issue
from bot.judges.model import no_models
from bot.judges.rubric_drafting import AskedIssue
from bot.settings import Settings
from bot.steps import run_in_process
from bot.webhook.adapters import Adapters
from bot.webhook.handle import handle
from bot.webhook.rubrics import rubric_marker
from sandbox import open_sandbox
from tests.bot.webhook.conftest import NoVerdicts, Office, PretendedForesight, office
from tests.bot.webhook.payloads import comment
from tests.bot.webhook.pretended_github import PULL_REQUEST, PretendedGitHub, PretendedRepository
from tests.sandbox.repositories import Repository
from tests.scripted import Call, Reply, Scripted

pytestmark = pytest.mark.real
__all__ = ["office"]
HEAD_MARK, BODY_MARK = "HEADMARK", "BODYMARK"
BASE = {
    "stats.py": "def mean(prices):\n    return sum(prices) / len(prices)\n",
    "notes.py": "LIMIT = 3\n",
    ".github/assay.yml": "rubric: {approvals: 3}\n",
}
ISSUE = AskedIssue(7, "`mean` breaks on no prices", "It raises ZeroDivisionError. It should be 0.")
BRANCH = Branch("octo/hello", 7, "main")
DRAFT = {
    "root_cause": "`mean` divides by len(prices).",
    "requirements": ["mean([]) is 0", "mean([]) is 0"],
    "unacceptable": ["Catching every exception"],
}


@dataclass
class LocalGitHub(PretendedGitHub):
    """The app whose repository git fetches from a folder."""

    folder: Path = Path()
    hello: PretendedRepository = field(default_factory=PretendedRepository)

    async def clone_token(self, installation: int, repository: str) -> AccessToken:
        return AccessToken("", 0.0)

    def clone_url(self, repository: str) -> str:
        return str(self.folder)


@dataclass
class World:
    """A repository with a base and a head, and a drafter before it."""

    repository: Repository
    github: LocalGitHub
    scripted: Scripted
    drafter: RubricDrafter


def world_of(folder: Path, script: object) -> World:
    repository = Repository(folder / "repository")
    repository.commit(BASE)
    repository.git("checkout", "--quiet", "-b", "fix")
    fixed = f"def mean(prices):\n    # {HEAD_MARK}\n    return 0\n"
    repository.commit({"stats.py": fixed, "only_on_head.py": f"{HEAD_MARK} = 1\n"})
    repository.git("checkout", "--quiet", "main")
    scripted = Scripted(script, folder / "replies")  # type: ignore[arg-type]
    github = LocalGitHub(folder=repository.folder)
    settings = Settings(home=folder / "home")
    sandbox = open_sandbox("bubblewrap", folder / "sandbox")
    drafter = RubricDrafter(settings, sandbox, github, scripted.open, b"key", ("topsecretvalue",))
    return World(repository, github, scripted, drafter)


def reads_then_drafts(call: Call) -> Reply:
    """Looks at a file and at what only head has, then writes."""
    if "LIMIT = 3" not in call.user:
        calls = [
            ToolCallPart("read_file", {"path": "notes.py"}),
            ToolCallPart("read_file", {"path": "only_on_head.py"}),
            ToolCallPart("read_file", {"path": "../../../etc/passwd"}),
            ToolCallPart("find_definition", {"name": "mean"}),
        ]
        return ModelResponse(parts=calls)
    return dict(DRAFT)


async def test_nothing_of_head_or_of_the_pull_request_is_in_the_prompt(
    tmp_path: Path, office: Office
) -> None:
    """By the public door: the command on a pull request whose head, title and text all speak up."""
    world = world_of(tmp_path, reads_then_drafts)
    hello = world.github.hello
    hello.pull_requests[9] = replace(
        PULL_REQUEST,
        title=f"{BODY_MARK} title",
        body=f"{BODY_MARK} body",
        head_sha=world.repository.git("rev-parse", "fix"),
    )
    hello.issues[7] = Issue(7, ISSUE.title, ISSUE.text, "asker", "NONE")
    hello.closes[9] = (7,)
    adapters = Adapters(
        world.github, office.records, office.jobs, str, "Assay", world.drafter, PretendedForesight(),
        NoVerdicts(),
    )  # fmt: skip
    await handle(adapters, comment("/judge rubric"), run_in_process)
    prompts = [f"{call.system}\n{call.user}\n{call.messages!r}" for call in world.scripted.calls]
    assert len(prompts) == 2
    for prompt in prompts:
        assert HEAD_MARK not in prompt
        assert BODY_MARK not in prompt
        assert "root:" not in prompt
    assert "return sum(prices) / len(prices)" in prompts[0]  # located by the issue's words
    assert "stats.py:1 function mean" in prompts[1]
    assert "There is no text file only_on_head.py." in prompts[1]
    assert "- mean([]) is 0\n" in hello.comments_put[7, rubric_marker(7)].replace("\\", "")
    (kept,) = office.records.rubrics("octo/hello", 7)
    assert kept.rubric.requirements == ("mean([]) is 0",)


async def test_a_draft_is_paid_once_however_often_the_worker_dies(tmp_path: Path) -> None:
    world = world_of(tmp_path, reads_then_drafts)
    first = await world.drafter.draft(BRANCH, ISSUE)
    paid = len(world.scripted.calls)
    assert await world.drafter.draft(BRANCH, ISSUE) == first
    assert len(world.scripted.calls) == paid


async def test_a_document_that_the_issue_links_is_given_as_base_has_it(tmp_path: Path) -> None:
    world = world_of(tmp_path, lambda call: dict(DRAFT))
    world.repository.commit({"docs/spec.md": "# Mean\n\nThe mean of nothing is 0.\n"})
    world.repository.git("checkout", "--quiet", "fix")
    world.repository.commit({"docs/spec.md": f"# {HEAD_MARK}\n"})
    world.repository.git("checkout", "--quiet", "main")
    linked = replace(ISSUE, text="As [the spec](docs/spec.md#mean) and [this](docs/gone.md) say.")
    await world.drafter.draft(BRANCH, linked)
    (call,) = world.scripted.calls
    assert "3: The mean of nothing is 0." in call.user
    assert HEAD_MARK not in call.user
    assert "docs/gone.md begin" not in call.user


async def test_the_base_branch_says_how_many_approve(tmp_path: Path) -> None:
    world = world_of(tmp_path, reads_then_drafts)
    assert await world.drafter.rule(BRANCH, 7) == RubricRule(3)
    path = ".github/assay/rubrics/7.yaml"
    world.repository.git("checkout", "--quiet", "main")
    world.repository.commit({path: "root_cause: x\n"})
    assert await world.drafter.rule(BRANCH, 7) == RubricRule(3, path)
    assert await world.drafter.rule(BRANCH, 70) == RubricRule(3)


async def test_without_a_model_it_says_so_in_one_sentence(tmp_path: Path) -> None:
    world = world_of(tmp_path, reads_then_drafts)
    drafter = replace(world.drafter, open_session=no_models)
    with pytest.raises(
        UserError, match=r"^[^.]*\. Set `ASSAY_MODEL`.*rubrics/7.yml` on the base branch\.$"
    ):
        await drafter.draft(BRANCH, ISSUE)


async def test_a_reply_that_is_no_rubric_is_told(tmp_path: Path) -> None:
    world = world_of(tmp_path, lambda call: "I think it is fine.")
    with pytest.raises(UserError, match="No rubric could be drafted: The model's reply"):
        await world.drafter.draft(BRANCH, ISSUE)


async def test_a_model_that_only_reads_drafts_from_what_it_was_given(tmp_path: Path) -> None:
    def script(call: Call) -> Reply:
        if call.tools:
            return ModelResponse(parts=[ToolCallPart("read_file", {"path": "notes.py"})])
        return {**DRAFT, "acceptable": ["topsecretvalue stays"]}

    world = world_of(tmp_path, script)
    drafted = await world.drafter.draft(BRANCH, ISSUE)
    assert drafted.acceptable == ("[redacted] stays",)
