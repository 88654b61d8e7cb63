"""The GitHub client against the forge over real HTTP: what each operation says and finds."""

from __future__ import annotations

import pytest

from bot.demo.forge.operator import NewRepository
from bot.errors import UserError
from bot.github import (
    NotThere,
    Permission,
    Reaction,
)
from bot.github.client import convert_manifest, open_public
from bot.values import IssueReference
from tests.bot.github.reports import remarks, report
from tests.world import Place, World, git

pytestmark = pytest.mark.real

MARKER = "<!-- assay:report -->"


async def test_a_pull_request_is_read_whole(place: Place) -> None:
    place.world.operator.as_person(
        place.world.ada, "PATCH", f"repos/{place.name}/pulls/{place.number}", body="Fixes it"
    )
    async with place.world.github().repository(place.name) as repository:
        found = await repository.pull_request(place.number)
    assert (found.title, found.body, found.state) == ("Greet the world", "Fixes it", "open")
    assert (found.head_ref, found.base_ref) == ("feature", "main")
    assert found.head_sha == place.head()
    assert found.base_sha == git(place.tree, "rev-parse", "main")
    assert (found.author, found.author_association) == ("ada", "OWNER")
    assert not found.from_fork
    assert not found.draft


async def test_a_fork_is_seen_as_one(place: Place) -> None:
    operator, fork = place.world.operator, f"bob/{place.name.partition('/')[2]}"
    bare = operator.repository(NewRepository(fork, fork_of=place.name))
    git(place.tree, "push", "--quiet", str(bare), "HEAD:refs/heads/mine")
    number = operator.pull_request(
        place.world.bob, place.name, title="From outside", head="bob:mine", base="main"
    )
    async with place.world.github().repository(place.name) as repository:
        found = await repository.pull_request(number)
        assert found.from_fork
        assert found.head_repository == fork
        assert await repository.is_first_time_contributor(found)
        mine = await repository.pull_request(place.number)
        assert not await repository.is_first_time_contributor(mine)


async def test_an_issue_is_told_from_a_pull_request(place: Place) -> None:
    number = place.world.operator.issue(place.world.bob, place.name, "It greets nobody", "- [ ] x")
    async with place.world.github().repository(place.name) as repository:
        issue = await repository.issue(number)
        other = await repository.issue(place.number)
        with pytest.raises(NotThere):
            await repository.issue(999)
    assert (issue.title, issue.body, issue.author) == ("It greets nobody", "- [ ] x", "bob")
    assert not issue.is_pull_request
    assert other.is_pull_request


async def test_closing_issues_are_githubs_own(place: Place) -> None:
    operator, ada = place.world.operator, place.world.ada
    first = operator.issue(ada, place.name, "One")
    second = operator.issue(ada, place.name, "Two")
    place.commit("more", {"a.py": ""})
    body = f"Fixes #{first}, resolves #{second} and closes #999, mentions #{place.number}."
    number = place.open("Two at once", head="more", body=body)
    async with place.world.github().repository(place.name) as repository:
        found = await repository.closing_issues(number)
        with pytest.raises(NotThere):
            await repository.closing_issues(first)
    assert found == (IssueReference(place.name, first), IssueReference(place.name, second))


async def test_the_comment_is_one_and_the_apps_own(place: Place) -> None:
    operator = place.world.operator
    operator.comment(place.world.bob, place.name, place.number, f"{MARKER}\nI am the app, honest")
    async with place.world.github().repository(place.name) as repository:
        first = await repository.put_comment(place.number, MARKER, "**failure**")
        again = await repository.put_comment(place.number, MARKER, "**success**")
        same = await repository.put_comment(place.number, MARKER, "**success**")
        other = await repository.put_comment(place.number, "<!-- assay:help -->", "help")
        everything = await repository.comments(place.number)
    assert first.id == again.id == same.id != other.id
    assert [comment.own for comment in everything] == [False, True, True]
    assert everything[0].body.endswith("honest")
    assert everything[1].body == f"{MARKER}\n**success**"


async def test_a_comment_that_says_the_same_is_not_written_again(place: Place) -> None:
    async with place.world.github().repository(place.name) as repository:
        await repository.put_comment(place.number, MARKER, "same")
        await repository.put_comment(place.number, MARKER, "same")
    assert place.deliveries("issue_comment", "edited") == []


async def test_a_deleted_comment_is_made_anew(place: Place) -> None:
    async with place.world.github().repository(place.name) as repository:
        first = await repository.put_comment(place.number, MARKER, "one")
        path = f"repos/{place.name}/issues/comments/{first.id}"
        place.world.operator.as_person(place.world.ada, "DELETE", path)
        second = await repository.put_comment(place.number, MARKER, "two")
        assert [comment.id for comment in await repository.comments(place.number)] == [second.id]


async def test_the_comment_is_found_behind_many_others(place: Place) -> None:
    async with place.world.github().repository(place.name) as repository:
        first = await repository.put_comment(place.number, MARKER, "one")
        for index in range(105):
            place.world.operator.comment(place.world.bob, place.name, place.number, f"+{index}")
        assert len(await repository.comments(place.number)) == 106
        assert (await repository.put_comment(place.number, MARKER, "two")).id == first.id


async def test_half_a_character_is_replaced_not_a_crash(place: Place) -> None:
    async with place.world.github().repository(place.name) as repository:
        comment = await repository.put_comment(place.number, MARKER, "a\ud800b")
        assert await repository.permission("a\ud800b") is Permission.NONE
        run = await repository.put_check_run(
            report(place, summary="\udfff", annotations=remarks(1), external_id="x\ud800")
        )
    assert comment.body == f"{MARKER}\na?b"
    assert run.annotations == 1


async def test_a_comment_too_long_is_a_clear_refusal(place: Place) -> None:
    async with place.world.github().repository(place.name) as repository:
        with pytest.raises(UserError, match="too long"):
            await repository.put_comment(place.number, MARKER, "x" * 65_536)


async def test_reactions_are_idempotent(place: Place) -> None:
    number = place.world.operator.comment(place.world.ada, place.name, place.number, "/judge")
    async with place.world.github().repository(place.name) as repository:
        for reaction in (Reaction.EYES, Reaction.EYES, Reaction.ROCKET):
            await repository.react(number, reaction)
    path = f"repos/{place.name}/issues/comments/{number}/reactions"
    found = place.world.operator.as_person(place.world.ada, "GET", path).items()
    assert [item.text("content") for item in found] == ["eyes", "rocket"]


async def test_permissions_are_githubs_word(world: World) -> None:
    roles = {f"{role}er": role for role in ("admin", "maintain", "write", "triage", "read")}
    for login in roles:
        world.operator.person(login)
    place = world.new_place(private=True, collaborators=roles)
    async with world.github().repository(place.name) as repository:
        found = {login: await repository.permission(login) for login in (*roles, "bob", "nobody")}
    assert found == {
        "adminer": Permission.ADMIN,
        "maintainer": Permission.WRITE,
        "writeer": Permission.WRITE,
        "triageer": Permission.TRIAGE,
        "reader": Permission.READ,
        "bob": Permission.NONE,
        "nobody": Permission.NONE,
    }
    assert [level.can_write for level in Permission] == [False, False, False, True, True]
    assert [level.can_triage for level in Permission] == [False, False, True, True, True]


async def test_files_are_read_at_a_revision(place: Place) -> None:
    (place.tree / ".github").mkdir()
    (place.tree / "link").symlink_to("hello.py")
    place.commit("feature", {".github/assay.yml": "gate: {lint: block}\n", "ä b.txt": "x"})
    async with place.world.github().repository(place.name) as repository:
        assert await repository.file(".github/assay.yml", "feature") == b"gate: {lint: block}\n"
        assert await repository.file(".github/assay.yml", place.head()) is not None
        assert await repository.file(".github/assay.yml", "main") is None
        assert await repository.file("ä b.txt", "feature") == b"x"
        assert await repository.file("nowhere", "no such branch") is None
        assert await repository.default_branch() == "main"


async def test_protected_branches_are_told_from_others(place: Place) -> None:
    place.world.operator.control("POST", "protect", repository=place.name, branch="main")
    async with place.world.github().repository(place.name) as repository:
        found = [await repository.is_protected(name) for name in ("main", "feature", "nowhere")]
    assert found == [True, False, False]


async def test_changed_paths_hold_both_names_of_a_rename(place: Place) -> None:
    git(place.tree, "mv", "hello.py", "bye.py")
    place.commit("feature", {"new.txt": "x\n"})
    async with place.world.github().repository(place.name) as repository:
        seen = await repository.pull_request(place.number)
        found = await repository.changed_paths(seen)
    assert (set(found.paths), found.complete) == ({"hello.py", "bye.py", "new.txt"}, True)


async def test_labels_know_who_set_them_last(place: Place) -> None:
    operator, ada, path = place.world.operator, place.world.ada, f"repos/{place.name}/issues"
    labels = f"{path}/{place.number}/labels"
    operator.as_person(ada, "POST", labels, labels=["skip", "later", "🚀" * 20])
    operator.as_person(ada, "DELETE", f"{labels}/later")
    async with place.world.github().repository(place.name) as repository:
        found = await repository.labels_set(place.number)
        seen = await repository.pull_request(place.number)
    assert [(one.label, one.by, one.by_bot) for one in found] == [
        ("skip", "ada", False), ("🚀" * 20, "ada", False),
    ]  # fmt: skip
    assert seen.labels == ("skip", "🚀" * 20)
    sent = place.deliveries("pull_request", "labeled") + place.deliveries(
        "pull_request", "unlabeled"
    )
    assert len(sent) == 4


@pytest.mark.parametrize("login", ["../../user", "ada/../bob", "a b", "%2e%2e", "ö"])
async def test_a_hostile_login_stays_in_its_place(place: Place, login: str) -> None:
    async with place.world.github().repository(place.name) as repository:
        assert await repository.permission(login) is Permission.NONE


@pytest.mark.parametrize("name", ["../user", "a/..", "a/b/c", "a", "", "a/b?x=1", "a/b#c", "-/b"])
async def test_a_hostile_repository_name_is_refused(world: World, name: str) -> None:
    with pytest.raises(UserError, match="owner/name"):
        async with world.github().repository(name):
            pass


async def test_branches_with_odd_names_are_found(place: Place) -> None:
    names = ["feat/one", "feat#1", "50%", "ümlaut", "a+b"]
    for name in names:
        place.commit(name, {"a.py": name})
    async with place.world.github().repository(place.name) as repository:
        for name in names:
            sha = git(place.tree, "ls-remote", str(place.bare), f"refs/heads/{name}").split()[0]
            assert await repository.branch_sha(name) == sha
        assert await repository.default_branch() == "main"
        with pytest.raises(NotThere):
            await repository.branch_sha("gone")


async def test_the_sweep_finds_what_was_missed(place: Place) -> None:
    place.commit("second", {"b.py": ""})
    missed = place.open("Missed", head="second")
    place.commit("third", {"c.py": ""})
    place.open("A draft", head="third", draft=True)
    place.commit("fourth", {"d.py": ""})
    closed = place.open("Closed", head="fourth")
    path = f"repos/{place.name}/pulls/{closed}"
    place.world.operator.as_person(place.world.ada, "PATCH", path, state="closed")
    sha = git(place.tree, "ls-remote", str(place.bare), "refs/heads/feature").split()[0]
    async with place.world.github().repository(place.name) as repository:
        await repository.put_check_run(report(place, head_sha=sha))
        found = await repository.unchecked_pull_requests("Assay")
    assert [pull_request.number for pull_request in found] == [missed]


async def test_a_merge_group_names_its_members(place: Place) -> None:
    queue = f"gh-readonly-queue/main/pr-{place.number}-{'a' * 40}"
    place.commit("second", {"b.py": ""})
    second = place.open("Second", head="second")
    group = place.commit(queue, {"c.py": ""})
    async with place.world.github().repository(place.name) as repository:
        alone = await repository.merge_group_members(f"refs/heads/{queue}", group)
        place.world.operator.control(
            "POST",
            "merge-groups",
            repository=place.name,
            head_ref=queue,
            members=[second, place.number],
        )
        both = await repository.merge_group_members(queue, group)
        old = await repository.merge_group_members(queue, "b" * 40)
        assert await repository.merge_group_members("refs/heads/main", group) == ()
    assert alone == (place.number,)
    assert both == (second, place.number)
    assert old == (place.number,)


async def test_the_app_knows_itself_and_where_it_is(place: Place) -> None:
    world = place.world
    github = world.github()
    info = await github.app()
    assert (info.id, info.slug) == (world.app.id, "assay")
    assert dict(info.permissions)["checks"] == "write"
    assert "merge_group" in info.events
    assert [found.id for found in await github.installations()] == [world.installation]
    assert await github.installation_of(place.name) == world.installation
    assert place.name in await github.installation_repositories(world.installation)
    assert github.clone_url(place.name) == f"{world.web}/{place.name}.git"


async def test_a_repository_without_the_app_is_said_so(world: World) -> None:
    world.operator.repository(NewRepository("bob/alone", private=True))
    with pytest.raises(NotThere, match="not installed"):
        await world.github().installation_of("bob/alone")


async def test_the_clone_token_reads_one_repository_only(world: World) -> None:
    place, other = world.new_place(private=True), world.new_place(private=True)
    token = await world.github().clone_token(world.installation, place.name)

    def url(target: Place) -> str:
        return f"http://x-access-token:{token.value}@{world.web.partition('//')[2]}/{target.name}"

    assert "refs/heads/main" in git(place.tree, "ls-remote", f"{url(place)}.git")
    for command in (
        ("ls-remote", f"{url(other)}.git"),
        ("push", f"{url(place)}.git", "HEAD:refs/heads/evil"),
    ):
        with pytest.raises(Exception, match="non-zero exit status"):
            git(place.tree, *command)


async def test_secrets_stay_out_of_reprs(world: World) -> None:
    place = world.new_place()
    github = world.github()
    token = await github.clone_token(world.installation, place.name)
    shown = f"{github!r} {token!r} {world.app!r} {world.ada!r}"
    for secret in (token.value, world.app.private_key, world.ada.token):
        assert secret not in shown


async def test_anybody_reads_what_is_public(place: Place) -> None:
    async with open_public(place.world.manners(), place.name) as reader:
        assert (await reader.pull_request(place.number)).title == "Greet the world"
        assert await reader.closing_issues(place.number) == ()
        assert await reader.comments(place.number) == ()
        assert await reader.branch_sha("feature") == place.head()


async def test_a_personal_token_opens_a_private_repository(world: World) -> None:
    place = world.new_place(private=True)
    async with open_public(world.manners(), place.name) as reader:
        with pytest.raises(NotThere):
            await reader.pull_request(place.number)
    async with open_public(world.manners(), place.name, world.ada.token) as reader:
        assert (await reader.pull_request(place.number)).number == place.number
        assert await reader.closing_issues(place.number) == ()


async def test_a_manifest_code_works_once(world: World) -> None:
    code = world.submitted_manifest()
    credentials = await convert_manifest(world.manners(), code)
    assert credentials.slug == "assay-of-ada"
    assert "PRIVATE KEY" in credentials.private_key
    assert credentials.webhook_secret
    assert credentials.private_key not in repr(credentials)
    with pytest.raises(NotThere):
        await convert_manifest(world.manners(), code)


async def test_a_merge_and_its_commits_are_known(place: Place) -> None:
    path = f"repos/{place.name}/pulls/{place.number}/merge"
    async with place.world.github().repository(place.name) as repository:
        assert await repository.commit_messages(place.number) == ("Change",)
        assert await repository.merged_with(place.head()) == ()
        merged = place.world.operator.as_person(place.world.ada, "PUT", path, merge_method="squash")
        sha = merged.text("sha")
        (found,) = await repository.merged_with(sha)
        assert (found.number, found.merged, found.is_open) == (place.number, True, False)
        assert await repository.pull_requests_of(sha) == ()
        assert await repository.branch_sha("main") == sha
    assert git(place.bare, "show", "main:hello.py") == "print('hello, world')"
    (closed,) = place.deliveries("pull_request", "closed")
    assert '"merged": true' in closed.payload or '"merged":true' in closed.payload
