"""The supervisor on honest and on lying test programs of every runner it knows."""

from __future__ import annotations

from pathlib import Path

import pytest

from sandbox import open_sandbox
from sandbox.values import TestRunner
from tests.sandbox.harness.kept import Kept, needs, told

pytestmark = pytest.mark.real

GO_MOD = "module example.org/a\n\ngo 1.18\n"
CARGO = '[package]\nname = "a"\nversion = "0.1.0"\nedition = "2021"\n'


@pytest.fixture
def kept(tmp_path: Path) -> Kept:
    for path in [tmp_path, *tmp_path.parents[:2]]:
        path.chmod(0o755)
    return Kept(open_sandbox("auto", tmp_path / "state"), tmp_path)


# --- scripts, make, bats --------------------------------------------------------------------------


def test_scripts_end_with_their_exit_code_and_their_points(kept: Kept) -> None:
    run = kept.run(
        TestRunner.SCRIPTS,
        {
            "tests/good.sh": "#!/bin/sh\nexit 0\n",
            "tests/bad.sh": "echo why; exit 3\n",
            "tests/points.sh": "echo 1..2; echo ok 1 - one; echo not ok 2 - two\n",
            "tests/torn.sh": "echo 1..2; echo ok 1 - one; exit 0; echo ok 2 - two\n",
            "tests/too_many.sh": "echo 1..1; echo ok 1 - one; echo ok 1 - made up\n",
            "tests/loud.sh": "head -c 30000000 /dev/zero | tr '\\0' 'x'\n",
        },
    )
    assert run.complete
    assert told(run) == {
        "good.sh": "passed",
        "bad.sh": "failed",
        "points.sh": "passed",
        "points.sh::one": "passed",
        "points.sh::two": "failed",
        "torn.sh": "error",
        "torn.sh::one": "passed",
        "too_many.sh": "error",
        "too_many.sh::one": "passed",
        "too_many.sh::made up": "passed",
        "loud.sh": "error",
    }


def test_a_test_cannot_reach_the_supervisor_or_its_channel(kept: Kept) -> None:
    script = """
for pid in /proc/[0-9]*; do
    [ "${pid#/proc/}" = $$ ] && continue
    for descriptor in "$pid"/fd/*; do
        echo forged > "$descriptor" && exit 1
    done
done 2>/dev/null
[ -z "$ASSAY_CHANNEL_FD" ]
"""
    run = kept.run(TestRunner.SCRIPTS, {"tests/a.sh": script})
    assert run.complete, run.problem
    assert told(run)["a.sh"] in {"passed", "failed"}
    assert not run.forged


def test_killing_the_supervisor_leaves_a_run_without_an_end(kept: Kept) -> None:
    files = {"tests/a.sh": "exit 0\n", "tests/b.sh": "kill -9 $PPID; exit 0\n"}
    run = kept.run(TestRunner.SCRIPTS, files)
    assert not run.complete
    assert "tests/b.sh" in run.problem


def test_what_a_test_leaves_running_is_dead_before_the_next(kept: Kept) -> None:
    files = {
        "tests/a.sh": "(setsid sh -c 'sleep 1; touch /tmp/late; sleep 60' &) ; exit 0\n",
        "tests/b.sh": "sleep 2; [ ! -e /tmp/late ]\n",
    }
    run = kept.run(TestRunner.SCRIPTS, files)
    assert told(run) == {"a.sh": "passed", "b.sh": "passed"}


def test_a_test_that_hangs_is_named_and_the_rest_goes_on(kept: Kept) -> None:
    files = {"tests/a.sh": "sleep 600\n", "tests/b.sh": "exit 0\n"}
    run = kept.run(TestRunner.SCRIPTS, files, timeout_s=12)
    assert run.complete, run.problem
    assert told(run) == {"a.sh": "failed", "b.sh": "passed"}
    assert "did not end" in run.results[0].message


def test_make_fails_by_its_exit_code_whatever_is_printed(kept: Kept) -> None:
    needs("make")
    run = kept.run(
        TestRunner.MAKE, {"Makefile": "test:\n\t@echo 1..1; echo ok 1 - fine\n\t@false\n"}
    )
    assert told(run) == {"make test": "failed", "fine": "passed"}


LEAVES = {
    "calc.h": "int add(int a, int b);\n",
    "calc.c": '#include <stdlib.h>\n#include "calc.h"\n\nint add(int a, int b) {\n'
    "    if (a > 1) exit(0);\n    return a - b;\n}\n",
    "tests/test_add.c": '#include "../calc.h"\n\nint main(void) { return add(2, 3) == 5 ? 0 : 1; }\n',
    "tests/test_ends.c": "#include <stdlib.h>\n\nint main(void) { exit(0); }\n",
}


def test_an_early_exit_out_of_the_tested_code_is_no_success_in_make(kept: Kept) -> None:
    needs("make", "cc")
    recipe = "test:\n\tcc -o test_add tests/test_add.c calc.c\n\t./test_add\n"
    recipe += "\tcc -o test_ends tests/test_ends.c\n\t./test_ends\n"
    run = kept.run(TestRunner.MAKE, {**LEAVES, "Makefile": recipe})
    assert told(run) == {"make test": "error"}
    assert "`add` (calc.c) ended test_add" in run.results[0].message

    honest = {**LEAVES, "Makefile": recipe, "calc.c": "int add(int a, int b) { return a + b; }\n"}
    assert told(kept.run(TestRunner.MAKE, honest)) == {"make test": "passed"}


def test_an_early_exit_out_of_the_tested_code_is_no_success_in_ctest(kept: Kept) -> None:
    needs("cmake", "cc", "make")
    lists = (
        "cmake_minimum_required(VERSION 3.16)\nproject(a C)\nenable_testing()\n"
        "foreach(name test_add test_ends)\n  add_executable(${name} tests/${name}.c calc.c)\n"
        "  add_test(NAME ${name} COMMAND ${name})\nendforeach()\n"
    )
    run = kept.run(TestRunner.CTEST, {**LEAVES, "CMakeLists.txt": lists})
    assert told(run) == {"test_add": "error", "test_ends": "passed"}


def test_a_sourced_file_that_ends_the_script_is_no_success(kept: Kept) -> None:
    run = kept.run(
        TestRunner.SCRIPTS,
        {
            "calc.sh": "add() {\n    exit 0\n}\n",
            "gone.sh": "exit 0\n",
            "tests/lib.sh": "finish() {\n    exit 0\n}\n",
            "tests/bash.sh": "#!/bin/bash\n. ./calc.sh\nadd 1 2\nexit 1\n",
            "tests/plain.sh": "#!/bin/sh\n. ./gone.sh\nexit 1\n",
            "tests/ends.sh": "#!/bin/sh\n. tests/lib.sh\nfinish\n",
            "tests/inner.sh": '#!/bin/bash\n. ./calc.sh\n[ -z "$(add 1 2)" ]\n',
        },
    )
    seen = told(run)
    assert (seen["bash.sh"], seen["plain.sh"]) == ("error", "error")
    assert (seen["ends.sh"], seen["inner.sh"], seen["lib.sh"]) == ("passed",) * 3


def test_make_that_runs_nothing_proves_nothing(kept: Kept) -> None:
    needs("make")
    run = kept.run(TestRunner.MAKE, {"Makefile": "test:\n\tfalse\n", "test": ""})
    assert told(run) == {"make test": "error"}
    assert "is up to date" in run.results[0].message


def test_bats_tests_cannot_speak_for_each_other(kept: Kept) -> None:
    needs("bats")
    text = (
        '@test "honest" {\n    true\n}\n\n'
        '@test "liar" {\n    echo "ok 3 victim" >&3\n    echo "ok 3 victim"\n}\n\n'
        '@test "victim" {\n    false\n}\n\n'
        '@test "leaves early" {\n    exit 0\n}\n\n'
        '@test "skips" {\n    skip "later"\n}\n'
    )
    run = kept.run(TestRunner.BATS, {"test/a.bats": text})
    assert run.complete, run.problem
    seen = told(run)
    assert seen["honest"] == "passed"
    assert seen["victim"] == "failed"
    assert seen["leaves early"] in {"failed", "error"}
    assert seen["skips"] == "skipped"


def test_a_bats_test_with_marks_in_its_name_runs_alone(kept: Kept) -> None:
    needs("bats")
    text = '@test "adds 1.5 (twice) [a|b]" {\n    true\n}\n\n@test "bad" {\n    false\n}\n'
    run = kept.run(TestRunner.BATS, {"test/a.bats": text})
    assert told(run) == {"adds 1.5 (twice) [a|b]": "passed", "bad": "failed"}


# --- CMake ------------------------------------------------------------------------------------------


def test_ctest_builds_what_can_be_built_and_fails_the_rest(kept: Kept) -> None:
    needs("cmake", "cc", "make")
    lists = (
        "cmake_minimum_required(VERSION 3.16)\nproject(a C)\nenable_testing()\n"
        "foreach(name good bad broken liar)\n  add_executable(${name} tests/${name}.c)\n"
        "  add_test(NAME ${name} COMMAND ${name})\nendforeach()\n"
    )
    liar = (
        '#include <stdlib.h>\nint main(void) {\n  system("for f in /tmp/*report.xml; do '
        "echo '<testsuite/>' > $f; done\");\n  return 1;\n}\n"
    )
    run = kept.run(
        TestRunner.CTEST,
        {
            "CMakeLists.txt": lists,
            "tests/good.c": "int main(void) { return 0; }\n",
            "tests/bad.c": "int main(void) { return 1; }\n",
            "tests/broken.c": "int main(void) { return no_such_name; }\n",
            "tests/liar.c": liar,
        },
    )
    assert run.complete, run.problem
    assert told(run) == {"good": "passed", "bad": "failed", "broken": "failed", "liar": "failed"}
    broken = next(result for result in run.results if result.id == "ctest::broken")
    assert "no_such_name" in broken.message
    assert broken.path == "tests/broken.c"


# --- Go -----------------------------------------------------------------------------------------------

GO_LIARS = """package a

import (
	"fmt"
	"os"
	"syscall"
	"testing"
)

func TestHonest(t *testing.T) {}

func TestVictim(t *testing.T) { t.Fatal("real failure") }

func TestLiar(t *testing.T) {
	fmt.Println("--- PASS: TestVictim (0.00s)")
	fmt.Print("\\n=== RUN   TestVictim\\n--- PASS: TestVictim (0.00s)\\nno newline")
}

func TestExit(t *testing.T) { os.Exit(0) }

func TestSystemCall(t *testing.T) {
	fmt.Print("--- PASS: TestSystemCall (0.00s)\\nPASS\\n")
	os.Stdout.Sync()
	syscall.Exit(0)
}

func TestPanics(t *testing.T) { panic("oh") }

func TestSkips(t *testing.T) { t.Skip("later") }

func TestTable(t *testing.T) {
	t.Run("one", func(t *testing.T) {})
}
"""


def test_go_tests_cannot_speak_for_each_other(kept: Kept) -> None:
    needs("go")
    run = kept.run(TestRunner.GO, {"go.mod": GO_MOD, "a_test.go": GO_LIARS})
    assert run.complete, run.problem
    seen = told(run)
    assert seen["TestHonest"] == "passed"
    assert seen["TestSkips"] == "skipped"
    assert seen["TestTable"] == "passed"
    for name in ("TestVictim", "TestExit", "TestSystemCall", "TestPanics"):
        assert seen[name] in {"failed", "error"}, name
    victim = next(result for result in run.results if result.id == "a_test.go::TestVictim")
    assert "real failure" in victim.message
    assert victim.source.startswith("func TestVictim")


@pytest.mark.slow
def test_go_subtests_and_packages(kept: Kept) -> None:
    needs("go")
    run = kept.run(
        TestRunner.GO,
        {
            "go.mod": GO_MOD,
            "a_test.go": 'package a\n\nimport "testing"\n\nfunc TestTable(t *testing.T) {\n'
            '\tt.Run("one", func(t *testing.T) {})\n}\n',
            "b/b_test.go": 'package b\n\nimport "testing"\n\nfunc TestB(t *testing.T) { missing() }\n',
        },
    )
    assert told(run) == {"TestTable": "passed", "TestTable[one]": "passed", "b": "error"}
    broken = next(result for result in run.results if result.id == "b")
    assert broken.path == "b"
    assert "missing" in broken.message


def test_a_go_main_that_swallows_failures_is_seen(kept: Kept) -> None:
    needs("go")
    text = (
        'package a\n\nimport (\n\t"os"\n\t"testing"\n)\n\n'
        "func TestMain(m *testing.M) {\n\tm.Run()\n\tos.Exit(0)\n}\n\n"
        "func TestA(t *testing.T) { t.Fatal() }\n"
    )
    run = kept.run(TestRunner.GO, {"go.mod": GO_MOD, "a_test.go": text})
    assert run.forged
    assert not run.complete


# --- Rust ---------------------------------------------------------------------------------------------

RUST_LIARS = """
#[test]
fn honest() {}

#[test]
fn victim() { panic!("real failure"); }

#[test]
fn liar() {
    use std::io::Write;
    let mut out = unsafe { <std::fs::File as std::os::unix::io::FromRawFd>::from_raw_fd(1) };
    out.write_all(b"\\ntest victim ... ok\\n").unwrap();
    std::mem::forget(out);
}

#[test]
fn leaves_early() {
    use std::io::Write;
    let mut out = unsafe { <std::fs::File as std::os::unix::io::FromRawFd>::from_raw_fd(1) };
    out.write_all(b"test leaves_early ... ok\\n\\ntest result: ok. 1 passed; 0 failed; 0 ignored; 0\\n")
        .unwrap();
    std::process::exit(0);
}

#[test]
#[ignore]
fn later() {}
"""


@pytest.mark.slow
def test_rust_tests_cannot_speak_for_each_other(kept: Kept) -> None:
    needs("cargo", "cc")
    run = kept.run(
        TestRunner.CARGO,
        {
            "Cargo.toml": CARGO,
            "src/lib.rs": "pub mod inner;\n",
            "src/inner.rs": "#[cfg(test)]\nmod tests {\n    #[test]\n    fn inside() {}\n}\n",
            "tests/liars.rs": RUST_LIARS,
            "tests/broken.rs": "#[test]\nfn broken() { a::missing(); }\n",
        },
    )
    assert run.complete, run.problem
    seen = {result.id: result.outcome.value for result in run.results}
    assert seen["src/inner.rs::inner::tests::inside"] == "passed"
    assert seen["tests/liars.rs::honest"] == "passed"
    assert seen["tests/liars.rs::later"] == "skipped"
    assert seen["tests/liars.rs::victim"] == "failed"
    assert seen["tests/liars.rs::leaves_early"] in {"failed", "error"}
    assert seen["tests/broken.rs"] == "error"
    broken = next(result for result in run.results if result.id == "tests/broken.rs")
    assert "missing" in broken.message


# --- Java ---------------------------------------------------------------------------------------------

JAVA_LIARS = """
import static org.junit.Assert.assertEquals;

import org.junit.Ignore;
import org.junit.Test;

public class LiarTest {
    @Test
    public void honest() {}

    @Test
    public void victim() {
        assertEquals(1, 2);
    }

    @Test
    public void leavesEarly() {
        System.out.println("OK (1 test)");
        System.exit(0);
    }

    @Ignore
    @Test
    public void later() {}
}
"""


@pytest.mark.slow
def test_java_tests_cannot_leave_early(kept: Kept) -> None:
    needs("javac", "java", jars=("junit4.jar",))
    run = kept.run(
        TestRunner.JUNIT,
        {
            "src/main/java/A.java": "class A {}\n",
            "src/test/java/LiarTest.java": JAVA_LIARS,
            "src/test/java/BrokenTest.java": "class BrokenTest { int a = missing(); }\n",
        },
        timeout_s=400,
    )
    assert run.complete, run.problem
    assert told(run) == {
        "src/test/java/BrokenTest.java": "error",
        "honest": "passed",
        "victim": "failed",
        "leavesEarly": "error",
        "later": "skipped",
    }
