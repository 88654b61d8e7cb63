"""`.github/assay.yml` by people: the first one, a broken one, the organization's, another branch's."""

from __future__ import annotations

import pytest

from bot.demo.forge.operator import NewRepository
from bot.demo.forge.rows import CheckRow
from tests.e2e.project import ASKED, FIX
from tests.e2e.town import Place, Town, report
from tests.world import git

pytestmark = pytest.mark.real
FILE = ".github/assay.yml"


def words(run: CheckRow) -> str:
    """Title and summary as people read them."""
    return f"{run.title}\n{run.summary}".replace("&#8203;", "").replace("\u200b", "")


def owners_defaults(town: Town, text: str) -> str:
    """Writes the file of the owner's `.github` repository; gives its commit."""
    if town.forge.state.repository("mara/.github") is None:
        bare = town.operator.repository(NewRepository("mara/.github"))
        tree = town.folder / "trees" / "owner"
        tree.mkdir(parents=True)
        git(tree, "init", "--quiet", "--initial-branch=main")
    else:
        bare, tree = town.forge.state.git_dir("mara/.github"), town.folder / "trees" / "owner"
    place = Place(town, "mara/.github", tree, bare)
    return place.push("main", {FILE: text} if text else {FILE: None}, new=False)


def test_the_first_configuration_passes_and_a_wrong_one_is_annotated(town: Town) -> None:
    place = town.place()
    good = place.push("good", {FILE: "# ours\ntriggers: [opened]\nlimits: {minutes: 20}\n"})
    place.open("good", "Configure Assay")
    wrong = place.push("wrong", {FILE: "# ours\ngate:\n  unverifed: allow\n"})
    number = place.open("wrong", "Configure Assay")
    run = place.completed(good)
    assert run.conclusion == "success", words(run)
    assert report(run).items("integrity") == ()

    run = place.completed(wrong)
    assert run.conclusion == "failure"
    assert [(one.path, one.start_line, one.level) for one in run.annotations] == [
        (FILE, 3, "failure")
    ]
    assert "`gate.unverifed` is not a known key (did you mean `unverified`?)" in (
        run.annotations[0].message
    )
    assert "gate.unverifed" in words(run)
    assert "gate.unverifed" in place.verdict(number)


def test_what_a_configuration_loosens_is_shown_and_base_judges(town: Town) -> None:
    place = town.place({FILE: "gate: {unverified: block}\n"})
    sha = place.push("loose", {FILE: "gate: {unverified: allow}\nsandbox: {network: always}\n"})
    place.open("loose", "Configure Assay")
    run = place.completed(sha)
    assert run.conclusion == "success", words(run)
    found = [(one.text("rule"), one.text("message")) for one in report(run).items("integrity")]
    assert found == [
        ("policy-loosened", "Once merged, `gate.unverified` is looser than before."),
        ("policy-loosened", "Once merged, `sandbox.network` is looser than before."),
    ]
    # With code beside it, base's word counts: what nothing shows asks a person.
    both = place.push("both", {FILE: "gate: {unverified: allow}\n", "new.py": "X = 1\n"})
    place.open("both", "Add a constant")
    assert place.completed(both).conclusion == "action_required"


def test_a_broken_configuration_on_base_does_not_lock_the_repository(town: Town) -> None:
    place = town.place({FILE: "gate: {unverifed: allow}\n"})
    other = place.push("mean", FIX)
    place.open("mean", ASKED)
    mended = place.push("mended", {FILE: "gate: {unverified: allow}\n"})
    place.open("mended", "Mend the configuration")
    gone = place.push("gone", {FILE: None})
    place.open("gone", "Remove the configuration")
    still = place.push("still", {FILE: "gate: {unverifed: block}\n"})
    place.open("still", "Mend the configuration")
    stopped = place.completed(other)
    assert stopped.conclusion == "action_required"
    assert "gate.unverifed" in words(stopped)
    assert "in a pull request of its own" in words(stopped)
    for sha in (mended, gone):
        run = place.completed(sha)
        assert run.conclusion == "success", words(run)
        warned = " ".join(one.text() for one in report(run).items("warnings"))
        assert "judged with the defaults" in warned
    assert place.completed(still).conclusion == "failure"


@pytest.mark.parametrize(
    "content",
    [
        b"#" * 1_000_000,
        b"\xff\xfeg\x00a\x00",
        b"a: &a [1]\nb: [*a, *a]\n",
        b"gate: {}\ngate: {}\n",
        b"gate:\n\tlint: block\n",
        f"when: {{labels: {{skip: ['{'🚀' * 200}']}}}}\n".encode(),
    ],
    ids=["1 MB", "UTF-16", "aliases", "twice", "tab", "emoji"],
)  # fmt: skip
def test_a_hostile_configuration_is_refused_by_line(town: Town, content: bytes) -> None:
    place = town.place()
    sha = place.push("hostile", {FILE: content})
    place.open("hostile", "Configure Assay")
    run = place.completed(sha)
    assert run.conclusion == "failure"
    ours = [one for one in run.annotations if one.title.startswith("assay config check")]
    assert [one.path for one in ours] == [FILE], "a linter of YAML may say something too"
    assert FILE in words(run)


def test_the_owners_defaults_are_used_and_told(town: Town) -> None:
    place = town.place({FILE: "limits: {minutes: 20}\n"})
    said = "requirements:\n- {id: ORG, text: There is no bad.txt, check: test ! -e bad.txt}\n"
    sha = owners_defaults(town, said)
    try:
        bad = place.push("bad", {**FIX, "bad.txt": "x\n"})
        place.open("bad", ASKED)
        run = place.completed(bad)
        assert run.conclusion == "failure"
        verdicts = {r.text("id"): r.text("verdict") for r in report(run).items("requirements")}
        assert verdicts["ORG"] == "unsatisfied"
        warned = " ".join(one.text() for one in report(run).items("warnings"))
        assert f"Defaults of mara/.github at {sha[:12]} hold" in warned

        owners_defaults(town, "requirments: []\n")
        again = place.push("again", {**FIX, "bad.txt": "x\n"})
        place.open("again", ASKED)
        run = place.completed(again)
        assert run.conclusion == "success", words(run)
        warned = " ".join(one.text() for one in report(run).items("warnings"))
        assert "The defaults of mara/.github at" in warned
        assert "`requirments` is not a known key" in warned
    finally:
        owners_defaults(town, "")


def test_another_target_branch_cannot_loosen(town: Town) -> None:
    place = town.place({FILE: "gate: {unverified: block}\n"})
    loose = "gate: {unverified: allow}\nlimits: {usd: 900}\nsandbox: {network: always}\n"
    place.push("evil-base", {FILE: loose})
    sha = place.push("change", {"new.py": "X = 1\n", FILE: loose}, new=False)
    number = place.town.operator.pull_request(
        town.ben, place.name, title="Add a constant", body="", head="change", base="evil-base"
    )
    run = place.completed(sha)
    assert run.conclusion == "action_required", "`unverified: allow` does not count there"
    warned = " ".join(one.text() for one in report(run).items("warnings"))
    assert "`gate.unverified`, `limits.usd`, `sandbox.network`" in warned
    assert "evil-base" in place.verdict(number)

    town.operator.control("POST", "protect", repository=place.name, branch="evil-base")
    place.command(number, "/judge")
    assert place.completed(sha, 2).conclusion == "neutral", "a protected branch may"
