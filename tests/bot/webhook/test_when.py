"""Which heads are judged by themselves, and which check run stands there where one is not."""

from __future__ import annotations

from dataclasses import replace

import pytest

from bot.errors import Transient
from bot.github import CheckReport, CheckStatus, LabelSet, Permission
from bot.steps import run_in_process
from bot.store import Ended, EvaluationState
from bot.values import Conclusion, Delivery, Trigger
from bot.webhook.sweep import sweep
from tests.bot.queue.states import JobState, state_of
from tests.bot.webhook.conftest import Office
from tests.bot.webhook.payloads import HEAD, clicked, comment, delivery, pull_request
from tests.bot.webhook.pretended_github import PULL_REQUEST, PretendedGitHub, PretendedRepository

FILE = ".github/assay.yml"
NEWER = "e" * 40


def say(office: Office, text: str, branch: str = "main") -> None:
    office.hello.files[branch, FILE] = text.encode()


def become(office: Office, **changes: object) -> None:
    """Change the pull request."""
    office.hello.pull_requests[9] = replace(PULL_REQUEST, **changes)  # type: ignore[arg-type]


def labeled(label: str, by: str, action: str = "labeled", delivery_id: str = "d-l") -> Delivery:
    body = {"number": 9, "state": "open", "head": {"sha": HEAD}}
    payload = {"pull_request": body, "label": {"name": label}, "sender": {"login": by}}
    return delivery("pull_request", action, payload, delivery_id)


def with_label(office: Office, label: str, by: str, *, by_bot: bool = False) -> None:
    become(office, labels=(label,))
    office.hello.labels = (LabelSet(label, by, by_bot),)


def shown(office: Office) -> CheckReport:
    """The newest check run."""
    return list(office.hello.checks.values())[-1]


def is_queued(office: Office) -> bool:
    records = office.records.recent(1)
    return bool(records) and state_of(office.jobs, records[0].id) is JobState.QUEUED


async def test_on_request_only_shows_a_check_run_with_a_button_and_no_comment(
    office: Office,
) -> None:
    say(office, "triggers: [command]")
    await office.take(pull_request("opened"))
    check = shown(office)
    assert (check.status, check.conclusion) == (CheckStatus.COMPLETED, Conclusion.ACTION_REQUIRED)
    assert check.title == "Not judged yet: comment /judge"
    assert [(one.label, one.identifier) for one in check.actions] == [("Judge now", "judge")]
    assert office.hello.comments_put == {}
    assert not is_queued(office)

    button = {"requested_action": {"identifier": "judge"}}
    stranger = clicked("requested_action", check.external_id, "d-2", **button)
    office.hello.permissions["maintainer"] = Permission.TRIAGE
    await office.take(stranger)
    assert not is_queued(office), "the button needs write access"
    office.hello.permissions["maintainer"] = Permission.WRITE
    await office.take(clicked("requested_action", check.external_id, "d-3", **button))
    assert is_queued(office)
    assert office.request().trigger is Trigger.RERUN


async def test_what_is_shown_already_is_not_shown_again(office: Office) -> None:
    say(office, "triggers: [command]")
    await office.take(pull_request("opened"))
    office.hello.unchecked = (9,)  # the sweep looked a moment before
    await sweep(office.adapters, run_in_process)
    await office.take(pull_request("reopened", "d-2"))
    assert len(office.hello.checks) == 1


async def test_each_trigger_counts_for_itself(office: Office) -> None:
    say(office, "triggers: [opened]")
    await office.take(pull_request("opened"))
    assert is_queued(office)
    office.hello.push(9, NEWER)
    await office.take(pull_request("synchronize", "d-2", head={"sha": NEWER}))
    assert shown(office).title == "Not judged yet: comment /judge"
    assert shown(office).head_sha == NEWER


PATHS = "when: {paths: {exclude: ['docs/**', '*.md']}}"


@pytest.mark.parametrize(
    ("changed", "judged"),
    [
        (("docs/a.md", "README.md"), False),
        (("docs/deep/down/a.py",), False),
        (("docs/a.md", "calc.py"), True),
        (("a/README.md",), True),
        (("docs/a.md", FILE), True),
        ((), True),
    ],
)
async def test_path_filters(office: Office, changed: tuple[str, ...], judged: bool) -> None:
    say(office, PATHS)
    office.hello.paths = changed
    office.hello.complete = bool(changed)
    await office.take(pull_request("opened"))
    assert is_queued(office) is judged
    if not judged:
        assert shown(office).conclusion is Conclusion.NEUTRAL
        assert "when.paths" in shown(office).summary.replace("&#8203;", "")
        assert office.latest.conclusion == "neutral"


async def test_paths_that_count_can_be_named(office: Office) -> None:
    say(office, "when: {paths: {include: ['src/**'], exclude: ['**/*.md']}}")
    office.hello.paths = ("src/deep/notes.md", "tests/x.py")
    await office.take(pull_request("opened"))
    assert shown(office).conclusion is Conclusion.NEUTRAL
    office.hello.paths = ("src/deep/notes.md", "src/x.py")
    await office.take(pull_request("reopened", "d-2"))
    assert is_queued(office)


async def test_a_head_that_moves_while_its_files_are_listed_is_judged(office: Office) -> None:
    say(office, PATHS)
    office.hello.paths = ("docs/a.md",)
    office.hello.on_paths = lambda: office.hello.push(9, NEWER)
    await office.take(pull_request("opened"))
    assert is_queued(office)


async def test_a_commit_that_was_judged_is_not_covered_up(office: Office) -> None:
    await office.take(pull_request("opened"))
    judged = office.latest
    office.records.ended(judged.id, Ended(EvaluationState.DONE, Conclusion.FAILURE, report_key="k"))
    fail = replace(shown(office), status=CheckStatus.COMPLETED, conclusion=Conclusion.FAILURE)
    office.hello.checks[judged.id] = fail
    say(office, PATHS)
    office.hello.paths = ("docs/a.md",)
    await office.take(pull_request("reopened", "d-2"))
    assert list(office.hello.checks) == [judged.id], "the verdict stands"
    other = replace(PULL_REQUEST, number=10)
    office.hello.pull_requests[10] = other
    await office.take(pull_request("opened", "d-3", number=10))
    assert shown(office).conclusion is Conclusion.ACTION_REQUIRED
    assert "judged for another pull request" in shown(office).summary
    become(office, base_ref="release")
    office.hello.protected.add("release")
    office.hello.branches["release"] = "d" * 40
    say(office, PATHS, "release")
    await office.take(pull_request("edited", "d-4", changes={"base": {"ref": {"from": "main"}}}))
    assert shown(office).conclusion is Conclusion.ACTION_REQUIRED, "it was judged for main"


async def test_on_request_only_a_new_target_takes_the_verdict_back(office: Office) -> None:
    say(office, "triggers: [command]")
    await office.take(comment("/judge"))
    judged = office.latest
    office.records.ended(judged.id, Ended(EvaluationState.DONE, Conclusion.SUCCESS, report_key="k"))
    office.hello.checks[judged.id] = replace(
        shown(office), status=CheckStatus.COMPLETED, conclusion=Conclusion.SUCCESS
    )
    await office.take(pull_request("edited", "d-2", changes={"title": {"from": "x"}}))
    assert len(office.hello.checks) == 1
    office.hello.branches["release"] = "d" * 40
    become(office, base_ref="release")
    say(office, "triggers: [command]", "release")
    await office.take(pull_request("edited", "d-3", changes={"base": {"ref": {"from": "main"}}}))
    assert shown(office).title == "Not judged yet: comment /judge"
    assert shown(office).conclusion is Conclusion.ACTION_REQUIRED


SKIP = "when: {labels: {skip: [no-judge]}}"


@pytest.mark.parametrize(
    ("by", "by_bot", "passes"),
    [
        ("triager", False, True),
        ("maintainer", False, True),
        ("reader", False, False),
        ("contributor", False, False),  # the author, who may even write
        ("labeler[bot]", True, False),
    ],
)
async def test_a_label_that_skips_counts_by_its_setter(
    office: Office, by: str, by_bot: bool, passes: bool
) -> None:
    say(office, SKIP)
    office.hello.permissions |= {
        "triager": Permission.TRIAGE,
        "reader": Permission.READ,
        "contributor": Permission.ADMIN,
        "labeler[bot]": Permission.WRITE,
    }
    await office.take(pull_request("opened"))
    running = office.latest.id
    with_label(office, "no-judge", by, by_bot=by_bot)
    await office.take(labeled("no-judge", by))
    if passes:
        assert shown(office).conclusion is Conclusion.NEUTRAL
        assert state_of(office.jobs, running) is JobState.CANCELLED
    else:
        assert list(office.hello.checks) == [running]
        assert is_queued(office)


async def test_a_label_does_not_count_for_a_newer_commit(office: Office) -> None:
    say(office, SKIP)
    office.hello.permissions["triager"] = Permission.TRIAGE
    with_label(office, "No-Judge", "triager")
    await office.take(labeled("No-Judge", "triager"))
    assert shown(office).conclusion is Conclusion.NEUTRAL
    become(office, labels=("No-Judge",), head_sha=NEWER)
    await office.take(pull_request("synchronize", "d-2", head={"sha": NEWER}))
    assert (shown(office).head_sha, shown(office).conclusion) == (NEWER, Conclusion.ACTION_REQUIRED)
    assert "this one is newer" in shown(office).summary
    assert not is_queued(office)
    become(office, head_sha=NEWER)
    gone = labeled("No-Judge", "triager", "unlabeled", "d-3")
    await office.take(replace(gone, payload=gone.payload.replace(HEAD, NEWER)))
    assert is_queued(office), "without the label it is judged"


async def test_a_label_after_the_verdict_changes_nothing(office: Office) -> None:
    say(office, SKIP)
    await office.take(pull_request("opened"))
    judged = office.latest.id
    office.records.ended(judged, Ended(EvaluationState.DONE, Conclusion.FAILURE, report_key="k"))
    office.hello.checks[judged] = replace(
        shown(office), status=CheckStatus.COMPLETED, conclusion=Conclusion.FAILURE
    )
    with_label(office, "no-judge", "maintainer")
    await office.take(labeled("no-judge", "maintainer"))
    assert list(office.hello.checks) == [judged]


async def test_other_labels_say_nothing(office: Office) -> None:
    await office.take(pull_request("opened"))
    running = office.latest.id
    with_label(office, "🚀" * 200, "maintainer")
    await office.take(labeled("🚀" * 200, "maintainer"))
    assert (office.latest.id, list(office.hello.checks)) == (running, [running])


@pytest.mark.parametrize(
    ("by", "may"), [("maintainer", True), ("triager", False), ("stranger", False)]
)
async def test_a_label_that_asks_needs_write_access(office: Office, by: str, may: bool) -> None:
    say(office, "triggers: [command]\nwhen: {labels: {ask: [judge-me]}}")
    office.hello.permissions["triager"] = Permission.TRIAGE
    with_label(office, "judge-me", by)
    await office.take(labeled("judge-me", by))
    assert is_queued(office) is may
    if may:
        await office.take(labeled("judge-me", by, delivery_id="d-again"))
        assert len(office.records.recent()) == 1, "it is being judged"
        office.hello.push(9, NEWER)
        await office.take(pull_request("synchronize", "d-2", head={"sha": NEWER}))
        assert is_queued(office), "as long as the label is there"
    else:
        assert shown(office).conclusion is Conclusion.ACTION_REQUIRED


async def test_other_target_branches_are_left_alone(office: Office) -> None:
    say(office, "when: {branches: [main, 'release/**']}")
    office.hello.branches |= {"wip": "d" * 40, "release/1/x": "c" * 40}
    become(office, base_ref="wip")
    await office.take(pull_request("opened"))
    assert (office.hello.checks, office.records.recent()) == ({}, ())
    become(office, base_ref="release/1/x")
    await office.take(pull_request("reopened", "d-2"))
    assert is_queued(office)


BOTS = "when: {authors: {skip: ['*[bot]']}}"


def from_bot(action: str, actor: str, delivery_id: str = "d-b", **more: object) -> Delivery:
    sent = pull_request(action, delivery_id, **more)
    return replace(sent, payload=sent.payload.replace('"maintainer"', f'"{actor}"'))


async def test_authors_are_left_out_as_long_as_they_push_themselves(office: Office) -> None:
    say(office, BOTS)
    become(office, author="dependabot[bot]")
    await office.take(from_bot("opened", "dependabot[bot]"))
    assert shown(office).conclusion is Conclusion.NEUTRAL
    await office.take(from_bot("edited", "dependabot[bot]", "d-e", changes={"title": {}}))
    assert len(office.hello.checks) == 1, "a title is nothing that a filter looks at"
    become(office, author="dependabot[bot]", head_sha=NEWER)
    await office.take(from_bot("synchronize", "mallory", "d-2", head={"sha": NEWER}))
    assert is_queued(office), "somebody else pushed"
    await office.take(comment("/judge cancel", delivery_id="d-3"))
    await office.take(from_bot("reopened", "dependabot[bot]", "d-4", head={"sha": NEWER}))
    assert shown(office).conclusion is Conclusion.ACTION_REQUIRED
    assert "right after its author pushed it" in shown(office).summary


async def test_drafts_are_left_alone_and_a_running_evaluation_stops(office: Office) -> None:
    become(office, draft=True)
    await office.take(pull_request("opened", draft=True))
    assert (office.hello.checks, office.records.recent()) == ({}, ())
    become(office, draft=False)
    await office.take(pull_request("ready_for_review", "d-2"))
    running = office.latest.id
    become(office, draft=True)
    await office.take(pull_request("converted_to_draft", "d-3", draft=True))
    assert state_of(office.jobs, running) is JobState.CANCELLED
    assert shown(office).conclusion is Conclusion.CANCELLED
    await office.take(comment("/judge", delivery_id="d-4"))
    assert is_queued(office), "asked for, a draft is judged"


async def test_drafts_are_judged_where_the_configuration_says_so(office: Office) -> None:
    say(office, "when: {drafts: true}")
    become(office, draft=True)
    await office.take(pull_request("opened", draft=True))
    assert is_queued(office)
    await office.take(pull_request("converted_to_draft", "d-2", draft=True))
    assert len(office.records.recent()) == 1


async def test_a_filter_lets_nothing_pass_into_an_unprotected_branch(office: Office) -> None:
    say(office, PATHS)
    office.hello.paths = ("docs/a.md",)
    office.hello.branches["wip"] = "d" * 40
    become(office, base_ref="wip")
    await office.take(pull_request("opened"))
    assert shown(office).conclusion is Conclusion.ACTION_REQUIRED
    office.hello.protected.add("wip")
    say(office, PATHS, "wip")
    await office.take(pull_request("reopened", "d-2"))
    assert shown(office).conclusion is Conclusion.NEUTRAL


async def test_an_unprotected_branch_brings_no_filter_of_its_own(office: Office) -> None:
    office.hello.branches["wip"] = "d" * 40
    say(office, "when: {paths: {exclude: ['**']}, labels: {skip: [x]}}", "wip")
    office.hello.paths = ("calc.py",)
    become(office, base_ref="wip")
    await office.take(pull_request("opened"))
    assert is_queued(office)


async def test_the_organizations_defaults_count_below_the_repositorys_own(office: Office) -> None:
    acme = PretendedRepository("octo/.github", files={("main", FILE): b"triggers: [command]\n"})
    assert isinstance(office.adapters.github, PretendedGitHub)
    office.adapters.github.organization = acme
    await office.take(pull_request("opened"))
    assert shown(office).title == "Not judged yet: comment /judge"
    say(office, "triggers: [opened]")
    await office.take(pull_request("reopened", "d-2"))
    assert is_queued(office)


@pytest.mark.parametrize("text", [b"triggers: [never]", b"\xff\xfe", b"a: &a [*a]", b"x" * 70_000])
async def test_broken_defaults_of_the_organization_lock_nobody_out(
    office: Office, text: bytes
) -> None:
    assert isinstance(office.adapters.github, PretendedGitHub)
    office.adapters.github.organization = PretendedRepository(
        "octo/.github", files={("main", FILE): text}
    )
    await office.take(pull_request("opened"))
    assert is_queued(office)
    office.adapters.github.organization.away = True
    await office.take(pull_request("reopened", "d-2"))
    assert is_queued(office)


async def test_a_broken_configuration_is_for_the_evaluation_to_tell(office: Office) -> None:
    say(office, "gaet: 1")
    await office.take(pull_request("opened"))
    assert is_queued(office)


async def test_while_github_is_away_nothing_is_decided(office: Office) -> None:
    say(office, "triggers: [command]")
    office.hello.away = True
    with pytest.raises(Transient):
        await office.take(pull_request("opened"))
