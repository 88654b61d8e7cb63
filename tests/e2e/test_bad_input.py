"""Whatever comes in ends in a finished report that says what happened and what to do.

One repository on disk, judged as `assay judge` does it; its environment is built once.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.e2e.folder import FIX, NOTHING, PROJECT, SECRET, Files, Folder, Judged, open_folder

pytestmark = [pytest.mark.real, pytest.mark.slow]

QUICK = "limits: {minutes: 0.15}\n"
"""For tests that never end: nine seconds."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Folder:
    made = open_folder(tmp_path_factory.mktemp("bad-input"))
    made.branch("no-tests", {"tests/test_shop.py": None})
    made.branch("never-builds", {"requirements.txt": "./missing-package\n"})
    made.branch("lacks", {"requirements.txt": "pytest\niniconfig>=99\n"})
    made.branch("quick", {".github/assay.yml": QUICK})
    return made


def is_told(judged: Judged) -> bool:
    """A report without a traceback, with a next step unless all is well."""
    said = judged.said()
    assert "Traceback" not in said
    return judged.conclusion == "success" or bool(judged.document.next_steps)


# --- what cannot be built or has no tests ---------------------------------------------------


def test_a_right_change_succeeds(folder: Folder) -> None:
    judged = folder.judge(folder.branch("right", FIX))
    assert judged.conclusion == "success", judged.said()


def test_a_repository_without_tests_asks_for_some(folder: Folder) -> None:
    judged = folder.judge(
        folder.branch("untested", {"shop.py": FIX["shop.py"]}, "no-tests"), "no-tests"
    )
    assert judged.conclusion == "action_required"
    assert "Not applicable: base has no tests" in judged.said()
    assert "Add a test that fails without this change" in judged.said()


def test_a_project_that_builds_nowhere_is_nobodys_failure(folder: Folder) -> None:
    judged = folder.judge(folder.branch("still-broken", FIX, "never-builds"), "never-builds")
    assert judged.conclusion == "action_required"
    assert "Neither base nor head builds: error: " in judged.document.requirements[0].reason
    assert "missing-package" in judged.document.requirements[0].reason
    assert "setup.install" in judged.said()


def test_what_no_registry_has_is_the_operators(folder: Folder) -> None:
    first = folder.judge(folder.branch("lacks-too", FIX, "lacks"), "lacks").document.requirements[0]
    assert "iniconfig" in first.reason
    assert "Ask the operator of Assay for a package registry" in first.next_step


def test_why_no_packages_fit_is_said(folder: Folder) -> None:
    files = {**FIX, "requirements.txt": "pytest\niniconfig>=99\n"}
    reason = folder.judge(folder.branch("unsolvable", files)).document.requirements[0].reason
    assert "error: No solution found when resolving dependencies: cause: Because " in reason
    assert "iniconfig" in reason


def test_a_change_that_breaks_the_build_fails_and_shows_its_output(folder: Folder) -> None:
    broken = folder.branch(
        "breaks-build", {**FIX, "requirements.txt": "pytest\n./missing-package\n"}
    )
    judged = folder.judge(broken)
    assert judged.conclusion == "failure"
    assert "builds on base, but not on head" in judged.said()
    assert "missing-package" in judged.markdown
    build = judged.document.evidence[0]
    assert build.requirements == ("B1",) and build.transition == "regressed"
    assert (
        "head does not build" in judged.document.title
        and build.id in judged.document.requirements[0].evidence
    )


def test_a_change_that_mends_the_build_cannot_be_compared(folder: Folder) -> None:
    mended = folder.branch("mends-build", {**FIX, "requirements.txt": "pytest\n"}, "never-builds")
    judged = folder.judge(mended, "never-builds")
    assert judged.conclusion == "action_required"
    regressions = judged.document.requirements[1]
    assert "Base does not build: error: " in regressions.reason
    assert "missing-package" in regressions.reason
    assert "Let the base branch build" in regressions.next_step


def test_a_python_that_is_not_there_is_no_failure(folder: Folder) -> None:
    project = '[project]\nname = "shop"\nversion = "1"\nrequires-python = ">=3.99"\n'
    judged = folder.judge(folder.branch("newer", {**FIX, "pyproject.toml": project}))
    assert judged.conclusion == "action_required"
    assert "lacks Python >= 3.99" in judged.said() and "assay doctor" in judged.said()


def test_a_project_of_another_kind_is_told_what_is_missing(folder: Folder) -> None:
    files: Files = dict.fromkeys(PROJECT) | {"index.js": "1\n"}
    folder.branch("javascript", files)
    judged = folder.judge(
        folder.branch("more-javascript", {"index.js": "2\n"}, "javascript"), "javascript"
    )
    assert judged.conclusion == "action_required"
    assert "No kind of project that Assay knows" in judged.said()
    assert "setup.test" in judged.said()


def test_the_first_tests_of_a_repository_prove_what_fails_without_the_change(
    folder: Folder,
) -> None:
    judged = folder.judge(folder.branch("first-tests", FIX, "no-tests"), "no-tests")
    assert judged.conclusion == "success"
    assert "Not applicable: base has no tests" in judged.said()
    assert judged.document.tests and len(judged.document.tests.fail_to_pass) == 1


def test_deleting_all_tests_fails(folder: Folder) -> None:
    judged = folder.judge(
        folder.branch("deleted", {**FIX, "tests/test_shop.py": None, "tests/test_price.py": "\n"})
    )
    assert judged.conclusion == "failure"
    assert "`test_name` was deleted" in judged.said()


# --- revisions ------------------------------------------------------------------------------


@pytest.mark.parametrize(("head", "base"), [("gone", "main"), ("main", "gone")])
def test_an_unknown_revision_is_named(folder: Folder, head: str, base: str) -> None:
    judged = folder.judge(head, base)
    assert judged.conclusion == "action_required"
    assert "'gone' names no commit" in judged.said() and "name another one" in judged.said()


def test_an_empty_change_is_nothing_to_judge(folder: Folder) -> None:
    judged = folder.judge(folder.branch("empty"))
    assert judged.conclusion == "action_required"
    assert "changes nothing over its base" in judged.said()


def test_unrelated_histories_are_refused(folder: Folder) -> None:
    folder.repository.git("checkout", "--quiet", "--orphan", "alone")
    folder.repository.commit(FIX, "another beginning")
    judged = folder.judge("alone")
    assert judged.conclusion == "action_required"
    assert "no common history" in judged.said()


# --- configuration --------------------------------------------------------------------------


def configured(folder: Folder, name: str, text: str, files: Files = FIX) -> Judged:
    """Judge a change against a base with this configuration."""
    folder.branch(name, {".github/assay.yml": text})
    return folder.judge(folder.branch(f"{name}-head", files, name), name)


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("unknown-key", "gates: {lint: block}\n", "`gates` is not a known key (did you mean `gate`?)"),
        ("wrong-value", "gate: {lint: loudly}\n", "`gate.lint`: must be 'advise' or 'block'"),
        ("bad-yaml", "gate: [unclosed\n", "line 2: it is not valid YAML"),
        ("bomb", "a: &a [x, x]\nb: &b [*a, *a]\nc: [*b, *b]\n", "line 2: aliases (*name) are not allowed"),
        ("no-mapping", "- gate\n", "the top level must be a mapping"),
        ("huge", "# " + "x" * 70_000, "is larger than"),
    ],
)  # fmt: skip
def test_a_broken_configuration_is_told_by_key(
    folder: Folder, name: str, text: str, said: str
) -> None:
    judged = configured(folder, name, text)
    assert judged.conclusion == "action_required"
    assert ".github/assay.yml" in judged.said() and said in judged.said()


def test_a_shell_line_tells_by_its_exit_code_only(folder: Folder) -> None:
    judged = configured(folder, "shell", "setup: {test: 'pytest -q | cat'}\n")
    assert judged.conclusion == "action_required"
    assert "tells only its exit code" in judged.said()
    assert "one call of a test runner" in judged.said()


def test_a_shell_line_that_fails_on_head_fails(folder: Folder) -> None:
    line = "set -e; pytest -q; true"
    broken = {**FIX, "shop.py": PROJECT["shop.py"]}
    judged = configured(folder, "shell-fails", f"setup: {{test: '{line}'}}\n", broken)
    assert judged.conclusion == "failure"
    assert "pass on base and fail on head" in judged.said()


def test_unverified_may_be_allowed(folder: Folder) -> None:
    untested = {"shop.py": FIX["shop.py"]}
    judged = configured(folder, "allow", "gate: {unverified: allow}\n", untested)
    assert judged.conclusion == "neutral"
    assert "configuration allows what could not be verified" in judged.said()


def test_new_lint_may_block(folder: Folder) -> None:
    sloppy = {**FIX, "shop.py": f"import os\n{FIX['shop.py']!s}"}
    judged = configured(folder, "lint", "gate: {lint: block}\n", sloppy)
    assert judged.conclusion == "failure"
    assert "shop.py:1 F401" in judged.said()


CHECKED = (
    "requirements: [{id: R1, text: The price is documented, check: grep -q price README.md}]\n"
)


@pytest.mark.parametrize(
    ("more", "conclusion"), [({"README.md": "price\n"}, "success"), (NOTHING, "failure")]
)
def test_a_configured_check_decides(folder: Folder, more: Files, conclusion: str) -> None:
    judged = configured(folder, f"check-{conclusion}", CHECKED, {**FIX, **more})
    assert judged.conclusion == conclusion
    assert ("The check" in judged.said()) is True


REACHES = """
import socket


def test_the_network_is_there():
    '''The price needs twice the network.'''
    assert socket.if_nameindex() and [n for _, n in socket.if_nameindex() if n != "lo"]
"""


@pytest.mark.parametrize(("policy", "conclusion"), [("always", "success"), ("build", "failure")])
def test_the_tests_have_a_network_only_where_configured(
    folder: Folder, policy: str, conclusion: str
) -> None:
    files = {**FIX, "tests/test_network.py": REACHES}
    judged = configured(folder, f"net-{policy}", f"sandbox: {{network: {policy}}}\n", files)
    assert judged.conclusion == conclusion, judged.said()


def test_a_build_without_network_says_so(folder: Folder) -> None:
    files = {**FIX, "requirements.txt": "pytest\nidna==3.10\n"}
    judged = configured(folder, "offline", "sandbox: {network: none}\n", files)
    assert judged.conclusion == "failure"
    assert "network" in str(judged.document.evidence[0].head)


# --- what the change brings -----------------------------------------------------------------


def test_a_large_binary_file_asks_a_person(folder: Folder) -> None:
    judged = folder.judge(folder.branch("large", {**FIX, "model.bin": bytes(200 << 20)}))
    assert judged.conclusion == "action_required"
    assert "model.bin" in judged.said() and "Split the pull request" in judged.said()


def test_a_large_text_file_leaves_weakened_tests_unseen(folder: Folder) -> None:
    judged = folder.judge(folder.branch("long", {**FIX, "data.txt": "line of text\n" * 2_000_000}))
    assert judged.conclusion == "action_required"
    assert "too large to read whole" in judged.said()


def test_five_thousand_files_are_too_many_to_read(folder: Folder) -> None:
    files = {f"data/d{n % 50}/f{n}.py": f"x = {n}\n" for n in range(5000)}
    judged = folder.judge(folder.branch("wide", {**FIX, **files}))
    assert judged.conclusion == "action_required"
    assert "too large to read whole" in judged.said()
    asked = judged.document.requirements[-1]
    assert asked.verdict == "satisfied" and asked.decided_by == "author's test"


def test_binary_sources_and_odd_names_are_data(folder: Folder) -> None:
    folder.branch("odd")
    place = os.fsencode(folder.repository.folder)
    for name in (b"caf\xe9.py", b"a\nb.py", "te\u202est.py".encode(), b"x\x1b[31m.txt"):
        with open(os.path.join(place, name), "wb") as file:  # noqa: PTH118, PTH123 - bytes
            file.write(b"\0\xff\xfe" * 100)
    folder.repository.commit({**FIX, "logo.png": b"\x89PNG\0\xff" * 1000})
    judged = folder.judge("odd")
    assert judged.conclusion == "success", judged.said()
    assert "\x1b" not in judged.markdown and "\u202e" not in judged.markdown


HOSTILE = r"""
import pytest


@pytest.mark.parametrize("x", ["\ud800", "\0", "\x1b[31mred", "\u202e rtl", "@everyone <script>"])
def test_text(x):
    assert x == "a", x


def test_message():
    raise ValueError("\ud800 \0 \x1b]0;t\x07 \u202e <img src=x> @ada ghp_" + "a" * 36 + " SECRET")
""".replace("SECRET", SECRET)


@pytest.mark.parametrize("side", ["base", "head"])
def test_hostile_texts_stay_texts(folder: Folder, side: str) -> None:
    start = folder.branch(
        f"texts-{side}", {"tests/test_text.py": HOSTILE} if side == "base" else {}
    )
    files = FIX if side == "base" else {**FIX, "tests/test_text.py": HOSTILE}
    head = folder.branch(f"texts-{side}-head", files, start)
    task = "Title \ud800 \0 \x1b[31m \u202e\n\n- [ ] `price` returns \ud800 twice \0 the cents\n"
    judged = folder.judge(head, start, task)
    assert judged.conclusion == ("success" if side == "base" else "failure"), judged.said()
    for never in ("\ud800", "\0", "\x1b", "\u202e", "ghp_a", SECRET):
        assert never not in judged.markdown


# --- what the tests do ----------------------------------------------------------------------

UNTOLD = {
    "hangs": (
        "import time\n\n\ndef test_it():\n    time.sleep(1000)\n",
        "timed_out",
        "Fix what hangs",
    ),
    "forks": ("import os\n\n\ndef test_it():\n    while True:\n        os.fork()\n", None, ""),
    "eats": (
        "def test_it():\n    x = []\n    while True:\n        x.append(bytearray(1 << 28))\n",
        None,
        "",
    ),
}


@pytest.mark.parametrize("name", UNTOLD)
def test_a_run_that_hits_a_limit_is_never_a_success(folder: Folder, name: str) -> None:
    code, conclusion, said = UNTOLD[name]
    judged = folder.judge(
        folder.branch(f"limit-{name}", {**FIX, "tests/test_it.py": code}, "quick"), "quick"
    )
    assert is_told(judged)
    assert judged.conclusion in (
        (conclusion,) if conclusion else ("action_required", "timed_out", "failure")
    )
    assert said in judged.said()


FILLS = """
def test_it():
    for n in range(100_000):
        with open(f"f{n}", "wb") as file:
            file.write(b"0" * 100_000_000)
"""


def test_a_disk_filler_fails_its_own_test(folder: Folder) -> None:
    judged = folder.judge(
        folder.branch("fills", {**FIX, "tests/test_it.py": FILLS}, "quick"), "quick"
    )
    assert is_told(judged)
    assert judged.conclusion in ("failure", "action_required", "timed_out")


def test_a_hundred_megabytes_of_output_are_cut(folder: Folder) -> None:
    noise = (
        "def test_it():\n    for _ in range(100):\n        print('x' * 1_000_000)\n    assert 0\n"
    )
    judged = folder.judge(folder.branch("noise", {**FIX, "tests/test_it.py": noise}))
    assert judged.conclusion == "failure"
    assert len(judged.markdown) < 65_536


@pytest.mark.parametrize(
    ("name", "code"),
    [
        ("killed", "import os, signal\nos.kill(os.getpid(), signal.SIGKILL)\n"),
        ("left", "import os\nos._exit(0)\n"),
    ],
)
def test_a_conftest_that_ends_the_run_proves_nothing(folder: Folder, name: str, code: str) -> None:
    judged = folder.judge(folder.branch(f"conftest-{name}", {**FIX, "conftest.py": code}))
    assert judged.conclusion == "action_required"
    assert "while the tests were being collected" in judged.said()


def test_five_thousand_tests_are_counted(folder: Folder) -> None:
    parameters = "@pytest.mark.parametrize('n', range(5000))"
    many = f"import pytest\n\n\n{parameters}\ndef test_many(n):\n    assert n >= 0\n"
    judged = folder.judge(folder.branch("many", {**FIX, "tests/test_many.py": many}))
    assert judged.conclusion == "success", judged.said()
    assert len(judged.markdown) < 65_536


# --- the command itself ---------------------------------------------------------------------


def command(folder: Folder, head: str, out: Path) -> subprocess.CompletedProcess[str]:
    """Run the command as a person would."""
    arguments = ["judge", str(folder.repository.folder), "--base", "main", "--head", head]
    return subprocess.run(
        [sys.executable, "-m", "bot.cli", *arguments, "--out", str(out)],
        env={**os.environ, "ASSAY_HOME": str(folder.settings.home)},
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )


def test_the_command_says_it_in_its_exit_code_and_files(folder: Folder, tmp_path: Path) -> None:
    untested = folder.branch("by-command", {"shop.py": FIX["shop.py"]})
    done = command(folder, untested, tmp_path / "out")
    assert done.returncode == 3, done.stderr
    assert "Add a test that fails without this change" in done.stdout
    assert "Traceback" not in done.stderr
    files = {file.name for file in (tmp_path / "out").iterdir()}
    assert files == {f"report.{kind}" for kind in ("json", "md", "html", "pdf", "sarif")}


def test_the_command_refuses_what_is_no_revision(folder: Folder, tmp_path: Path) -> None:
    done = command(folder, "nowhere", tmp_path / "out")
    assert done.returncode == 2
    assert "nowhere" in done.stderr and "Traceback" not in done.stderr
