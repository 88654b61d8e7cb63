"""Tests and their material in Go, Rust, Java, C and shell, by name; what build files say of tests."""

from __future__ import annotations

from pathlib import Path

import pytest

from sandbox.test_runs.path_kinds import PathKind, classify, runner_configuration, scope


@pytest.mark.parametrize(
    ("path", "kind"),
    (
        ("a_test.go", PathKind.TEST),
        ("pkg/a_test.go", PathKind.TEST),
        ("pkg/a.go", PathKind.SOURCE),
        ("pkg/testdata/a.json", PathKind.SUPPORT),
        ("pkg/testdata/a_test.go", PathKind.SUPPORT),
        ("tests/a.rs", PathKind.TEST),
        ("crate/tests/a.rs", PathKind.TEST),
        ("tests/common/mod.rs", PathKind.SUPPORT),
        ("src/lib.rs", PathKind.SOURCE),
        ("src/test/java/a/BTest.java", PathKind.TEST),
        ("src/test/java/a/Fixture.java", PathKind.SUPPORT),
        ("src/test/resources/a.xml", PathKind.SUPPORT),
        ("src/main/java/a/LatestTest.java", PathKind.SOURCE),
        ("BTest.java", PathKind.TEST),
        ("test_a.c", PathKind.TEST),
        ("src/a_test.cpp", PathKind.TEST),
        ("tests/helper.c", PathKind.TEST),
        ("tests/helper.h", PathKind.SUPPORT),
        ("tests/CMakeLists.txt", PathKind.SUPPORT),
        ("src/contest.c", PathKind.SOURCE),
        ("test/a.bats", PathKind.TEST),
        ("a.bats", PathKind.TEST),
        ("run-tests.sh", PathKind.TEST),
        ("deploy.sh", PathKind.SOURCE),
        ("Makefile", PathKind.RUNNER_CONFIG),
        ("CMakeLists.txt", PathKind.RUNNER_CONFIG),
        ("src/CMakeLists.txt", PathKind.RUNNER_CONFIG),
    ),
)
def test_a_file_is_what_its_name_says(path: str, kind: PathKind) -> None:
    assert classify(path) is kind


@pytest.mark.parametrize(
    ("path", "folder"),
    (
        ("pkg/testdata/deep/a.json", "pkg"),
        ("core/src/test/resources/a.xml", "core"),
        ("src/test/resources/a.xml", ""),
        ("tests/common/mod.rs", "tests"),
    ),
)
def test_material_reaches_the_tests_that_can_read_it(path: str, folder: str) -> None:
    assert scope(path) == folder


MAKEFILE = (
    "SRC = a.c b.c\nall: prog\n\nprog: $(SRC)\n\tcc -o prog $(SRC)\n\n"
    "test: prog\n\t./prog --self\n\t./more\n"
)
CMAKE = "project(a C)\nadd_library(a a.c)\nenable_testing()\nadd_test(NAME one\n  COMMAND one)\n"


@pytest.mark.parametrize(
    ("name", "before", "after", "is_same"),
    (
        ("Makefile", MAKEFILE, MAKEFILE.replace("b.c", "b.c new.c"), True),
        ("Makefile", MAKEFILE, MAKEFILE.replace("./more", "true"), False),
        ("Makefile", MAKEFILE, MAKEFILE.replace("test: prog", "test:"), False),
        ("Makefile", MAKEFILE, ".IGNORE:\n" + MAKEFILE, False),
        ("Makefile", MAKEFILE, "SHELL = /bin/true\n" + MAKEFILE, False),
        ("Makefile", MAKEFILE, "MAKEFLAGS += -i\n" + MAKEFILE, False),
        ("rules.mk", MAKEFILE, MAKEFILE.replace("./more", "true"), False),
        ("CMakeLists.txt", CMAKE, CMAKE.replace("a.c)", "a.c new.c)"), True),
        ("CMakeLists.txt", CMAKE, CMAKE.replace("COMMAND one", "COMMAND true"), False),
        ("CMakeLists.txt", CMAKE, CMAKE.replace("enable_testing()\n", ""), False),
    ),
)
def test_only_what_a_build_file_says_of_tests_is_the_runners(
    tmp_path: Path, name: str, before: str, after: str, is_same: bool
) -> None:
    (tmp_path / name).write_text(before)
    one = runner_configuration(tmp_path, name)
    (tmp_path / name).write_text(after)
    assert (one == runner_configuration(tmp_path, name)) is is_same
