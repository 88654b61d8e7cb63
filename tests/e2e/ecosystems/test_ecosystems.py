"""Each ecosystem end to end: a tiny repository, a good change and a bad one, judged in the sandbox."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.e2e.ecosystems.judging import PROJECTS, judge_both
from tests.e2e.ecosystems.project import Files, Project
from tests.e2e.ecosystems.projects import JAVA, MAKE, RUST
from tests.e2e.folder import open_folder
from tests.sandbox.harness.kept import needs

pytestmark = [pytest.mark.real, pytest.mark.slow]


@pytest.mark.parametrize(
    "project",
    [
        pytest.param(one, id=one.name, marks=[pytest.mark.slow] if one.is_slow else [])
        for one in PROJECTS
    ],
)
def test_a_good_change_succeeds_and_a_bad_one_fails(tmp_path: Path, project: Project) -> None:
    needs(*project.programs, jars=project.jars)
    judge_both(tmp_path, project, "bubblewrap")


def test_a_test_target_that_asks_for_nothing_hides_no_break(tmp_path: Path) -> None:
    """Base's Makefile runs on head's code when what it says of tests was edited."""
    needs("make", "cc")
    folder = open_folder(tmp_path, MAKE.start)
    gutted = MAKE.start["Makefile"].replace("./$$one || exit 1", "true")
    folder.branch("gutted", {**MAKE.bad, "Makefile": gutted})
    folder.branch("ignoring", {**MAKE.bad, "Makefile": ".IGNORE:\n" + MAKE.start["Makefile"]})

    assert folder.judge("gutted", task=MAKE.task).conclusion == "failure"
    assert folder.judge("ignoring", task=MAKE.task).conclusion == "failure"


# --- what cannot be built -----------------------------------------------------------------------


def test_a_c_program_without_its_header_does_not_build(tmp_path: Path) -> None:
    """CodeVisionary's scene: the missing header is named by the compiler, on head only."""
    needs("make", "cc")
    folder = open_folder(tmp_path, MAKE.start)
    folder.branch("no-header", {"calc.c": "int add(int a, int b) { return (int32_t)(a + b); }\n"})
    judged = folder.judge("no-header", task=MAKE.task)

    assert judged.conclusion == "failure", judged.said()
    built = next(row for row in judged.document.requirements if row.id == "B1")
    assert built.verdict == "unsatisfied"
    assert "int32_t" in built.reason
    evidence = next(one for one in judged.document.evidence if one.id == built.evidence[0])
    assert evidence.head is not None
    assert "int32_t" in evidence.head.output


def test_a_new_c_file_that_nothing_builds_is_checked_by_the_compiler(tmp_path: Path) -> None:
    needs("cc")
    folder = open_folder(tmp_path, {"README.md": "Small programs.\n"})
    text = 'int main(void) { printf("%d\\n", 6 * 7); return 0; }\n'
    folder.branch("no-header", {"answer.c": text})
    folder.branch("good", {"answer.c": "#include <stdio.h>\n\n" + text})
    judged = folder.judge("no-header", task="Print the answer\n")

    assert judged.conclusion == "failure", judged.said()
    assert "printf" in judged.said()
    assert folder.judge("good", task="Print the answer\n").conclusion == "action_required"


def test_a_language_without_a_toolchain_is_unverified(tmp_path: Path) -> None:
    folder = open_folder(tmp_path, {"Gemfile": "", "lib/a.rb": "A = 1\n", "test/a_test.rb": ""})
    folder.branch("change", {"lib/a.rb": "A = 2\n"})
    judged = folder.judge("change", task="A becomes two\n")

    assert judged.conclusion == "action_required"
    built = next(row for row in judged.document.requirements if row.id == "B1")
    assert built.verdict == "unverified"
    assert "Ruby (ruby, bundler); Assay cannot build Ruby projects yet" in built.reason


_GRADLE = {"build.gradle": "plugins { id 'java' }\n", "src/main/java/A.java": "class A {}\n"}
_GUAVA = "<dependency><groupId>com.example</groupId><artifactId>guava</artifactId></dependency>"


@pytest.mark.parametrize(
    ("start", "change", "programs", "lacking"),
    [
        pytest.param(
            _GRADLE, {"src/main/java/A.java": "class A { int a; }\n"}, (),
            "lacks Gradle (gradle); Assay cannot build Gradle projects yet", id="gradle",
        ),
        pytest.param(
            JAVA.start,
            {"pom.xml": JAVA.start["pom.xml"].replace("</dependencies>", f"{_GUAVA}</dependencies>")},
            JAVA.programs, "lacks the Maven dependencies guava", id="maven",
        ),
        pytest.param(
            RUST.start, {"Cargo.toml": RUST.start["Cargo.toml"] + '[dependencies]\nserde = "1"\n'},
            RUST.programs, "lacks the crates that Cargo.toml names", id="cargo",
        ),
    ],
)  # fmt: skip
def test_dependencies_that_cannot_be_had_are_needed_and_no_failure(
    tmp_path: Path, start: Files, change: Files, programs: tuple[str, ...], lacking: str
) -> None:
    needs(*programs)
    folder = open_folder(tmp_path, start)
    folder.branch("change", change)
    judged = folder.judge("change", task="Need more\n")

    assert judged.conclusion == "action_required", judged.said()
    built = next(row for row in judged.document.requirements if row.id == "B1")
    assert built.verdict == "unverified"
    assert lacking in built.reason


def test_a_static_site_builds_and_has_nothing_to_test(tmp_path: Path) -> None:
    folder = open_folder(tmp_path, {"index.html": "<!doctype html><title>A</title><p>one</p>\n"})
    folder.branch("change", {"index.html": "<!doctype html><title>A</title><p>two</p>\n"})
    judged = folder.judge("change", task="Say two\n")

    verdicts = {row.id: row.verdict for row in judged.document.requirements}
    assert verdicts["B1"] == "satisfied"
    assert judged.conclusion == "action_required"
    assert "static site" in " ".join(judged.document.environment.reasons)
