"""Which ecosystem a tree is of, how it is built and tested, and what is said to be missing."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from sandbox.toolchains.ecosystem import SetupHints, Toolchain
from sandbox.values import Recipe, TestRunner
from tests.sandbox.toolchains.projects import detect, write

ALL = (
    ("make", "4.3"), ("cc", "12.2"), ("cmake", "3.25.1"), ("go", "1.19.8"), ("cargo", "0.66.0"),
    ("javac", "17.0.1"), ("bats", "1.8.2"),
)  # fmt: skip
TOOLS = Toolchain(python="3.11.2", uv="0.13.9", programs=ALL)
BARE = replace(TOOLS, programs=())

C = {"a.c": "int a;\n"}
MAKEFILE = "all:\n\tcc -c a.c\n\ncheck: all\n\t./t\n\ntest: check\n"
CMAKE = "project(a C)\nadd_library(a a.c)\n"
POM = (
    "<project><dependencies><dependency><groupId>{}</groupId><artifactId>{}</artifactId>"
    "</dependency></dependencies></project>"
)


def found(tree: Path, tools: Toolchain = TOOLS, **setup: str) -> Recipe:
    recipe = detect(tree, SetupHints(**setup), tools)
    assert recipe is not None
    return recipe


@pytest.mark.parametrize(
    ("files", "ecosystem", "runner"),
    (
        ({**C, "Makefile": MAKEFILE}, "make", TestRunner.MAKE),
        ({**C, "Makefile": "all:\n\tcc -c a.c\n"}, "make", TestRunner.NONE),
        ({"Makefile": "test:\n\t./run\n"}, "make", TestRunner.MAKE),
        ({**C, "CMakeLists.txt": CMAKE}, "cmake", TestRunner.NONE),
        ({**C, "CMakeLists.txt": CMAKE + "enable_testing()\n"}, "cmake", TestRunner.CTEST),
        ({**C, "CMakeLists.txt": CMAKE + "include(CTest)", "Makefile": "all:"}, "cmake", TestRunner.CTEST),
        ({"go.mod": "module a\n\ngo 1.18\n", "a_test.go": ""}, "go", TestRunner.GO),
        ({"go.mod": "module a\n", "a.go": ""}, "go", TestRunner.NONE),
        ({"Cargo.toml": "[package]\nname='a'\n", "tests/a.rs": ""}, "rust", TestRunner.CARGO),
        ({"Cargo.toml": "", "src/lib.rs": "#[test]\nfn a() {}\n"}, "rust", TestRunner.CARGO),
        ({"Cargo.toml": "", "src/lib.rs": ""}, "rust", TestRunner.NONE),
        ({"pom.xml": "<project/>", "src/test/java/ATest.java": ""}, "java", TestRunner.JUNIT),
        ({"src/main/java/A.java": ""}, "java", TestRunner.NONE),
        ({"a.sh": "", "test/a.bats": ""}, "shell", TestRunner.BATS),
        ({"a.sh": "", "tests/a.sh": ""}, "shell", TestRunner.SCRIPTS),
        ({"a.sh": "", "test_a.sh": ""}, "shell", TestRunner.SCRIPTS),
        ({"a.sh": ""}, "shell", TestRunner.NONE),
        ({"index.html": "", "about/index.html": ""}, "site", TestRunner.NONE),
    ),
)  # fmt: skip
def test_a_project_is_known_by_what_stands_in_it(
    tmp_path: Path, files: dict[str, str], ecosystem: str, runner: TestRunner
) -> None:
    recipe = found(write(tmp_path, files))
    assert (recipe.ecosystem, recipe.runner, recipe.needs) == (ecosystem, runner, ())
    assert recipe.reasons


@pytest.mark.parametrize(
    ("files", "said"),
    (
        ({**C, "Makefile": MAKEFILE}, "C compiler"),
        ({**C, "CMakeLists.txt": CMAKE}, "CMake"),
        ({"go.mod": "module a\n\ngo 1.18\n", "a.go": ""}, "Go 1.18 or later"),
        ({"Cargo.toml": "", "src/lib.rs": ""}, "Rust (cargo, rustc)"),
        ({"pom.xml": "<project/>", "src/main/java/A.java": ""}, "Java compiler"),
        ({"test/a.bats": ""}, "Bats"),
    ),
)
def test_a_toolchain_that_is_not_there_is_a_need(
    tmp_path: Path, files: dict[str, str], said: str
) -> None:
    recipe = found(write(tmp_path, files), BARE)
    assert said in " ".join(recipe.needs)
    assert not recipe.install_project


@pytest.mark.parametrize(
    ("files", "said"),
    (
        ({"go.mod": "module a\n\ngo 1.22\n", "a.go": ""}, "Go 1.22 or later (the sandbox has 1.19.8)"),
        ({"Cargo.toml": "[dependencies]\nserde = '1'\n", "src/lib.rs": ""}, "cargo vendor"),
        ({"Cargo.toml": "[dev-dependencies]\na.version = '1'\n", "src/lib.rs": ""}, "cargo vendor"),
        ({"pom.xml": POM.format("com.google", "guava"), "A.java": ""}, "Maven dependencies guava"),
        ({"pom.xml": "<project><modules></modules></project>", "A.java": ""}, "several modules"),
        ({"Gemfile": "", "a.rb": ""}, "Ruby (ruby, bundler); Assay cannot build Ruby projects yet"),
        ({"composer.json": "{}", "a.php": ""}, "PHP"),
        ({"build.gradle": "", "src/main/java/A.java": ""}, "Gradle"),
        ({"a.csproj": "", "A.cs": ""}, ".NET"),
        ({"meson.build": "", "a.c": ""}, "Meson"),
    ),
)  # fmt: skip
def test_what_assay_cannot_build_is_said(tmp_path: Path, files: dict[str, str], said: str) -> None:
    recipe = found(write(tmp_path, files))
    assert said in " ".join(recipe.needs)


@pytest.mark.parametrize(
    "files",
    (
        {"Cargo.toml": "[dependencies]\nb = {path = 'b'}\n", "src/lib.rs": ""},
        {"Cargo.toml": "[dependencies]\nserde = '1'\n", "src/lib.rs": "", "vendor/serde/a": ""},
        {"pom.xml": POM.format("org.junit.jupiter", "junit-jupiter"), "A.java": ""},
        {"pom.xml": "<project><!-- <modules> --></project>", "A.java": ""},
    ),
)
def test_what_stands_in_the_tree_is_no_need(tmp_path: Path, files: dict[str, str]) -> None:
    assert found(write(tmp_path, files)).needs == ()


def test_python_with_a_makefile_and_c_parts_is_python(tmp_path: Path) -> None:
    files = {
        "pyproject.toml": "[project]\nname = 'a'\n",
        "a.py": "",
        "b.py": "",
        "tests/test_a.py": "def test_a(): pass\n",
        "Makefile": "test:\n\tpytest\n",
        "speed.c": "",
    }
    assert found(write(tmp_path, files)).ecosystem == "python"


def test_what_go_requires_is_fetched_into_the_layer(tmp_path: Path) -> None:
    mod = "module a\n\ngo 1.18\n\nrequire (\n\tgithub.com/a/b v1.2.3\n)\n"
    recipe = found(write(tmp_path, {"go.mod": mod, "a.go": "", "go.sum": "one"}))
    assert recipe.install == (("go", "mod", "download"),)
    (tmp_path / "go.sum").write_text("two")
    assert found(tmp_path).lock_digest != recipe.lock_digest
    write(tmp_path, {"vendor/modules.txt": ""})
    assert found(tmp_path).install == ()


def test_a_configured_line_is_taken_unless_it_says_what_assay_does_anyway(tmp_path: Path) -> None:
    write(tmp_path, {"go.mod": "module a\n\ngo 1.18\n", "a_test.go": ""})
    assert found(tmp_path, test="go test ./...").runner is TestRunner.GO
    taken = found(tmp_path, test="go test ./... && ./more.sh")
    assert (taken.runner, taken.test_arguments) == (
        TestRunner.COMMAND,
        ("go test ./... && ./more.sh",),
    )


def test_a_configured_make_target_is_the_one_that_is_run(tmp_path: Path) -> None:
    write(tmp_path, {**C, "Makefile": MAKEFILE})
    assert found(tmp_path).test_arguments == ("make", "test")
    configured = found(tmp_path, test="make check")
    assert (configured.runner, configured.test_arguments) == (TestRunner.MAKE, ("make", "check"))


def test_a_container_file_is_a_hint_and_nothing_more(tmp_path: Path) -> None:
    files = {
        **C,
        "Makefile": MAKEFILE,
        "Dockerfile": "FROM gcc:13\nRUN apt-get install -y libfoo-dev \\\n    zlib1g-dev && make\n",
        ".devcontainer/devcontainer.json": '{"image": "mcr.example/c:1"}',
    }
    said = " ".join(found(write(tmp_path, files)).reasons)
    assert "`gcc:13`" in said
    assert "`libfoo-dev`, `zlib1g-dev`" in said
    assert "`mcr.example/c:1`" in said


def test_a_configured_line_of_a_python_project_does_not_make_it_another(tmp_path: Path) -> None:
    files = {"pyproject.toml": "", "a.py": "", "Makefile": "test:\n\tpytest\n", "ci.sh": ""}
    write(tmp_path, files)
    assert found(tmp_path, test="make test").ecosystem == "python"
    assert found(tmp_path, test="bash ci.sh").ecosystem == "python"
