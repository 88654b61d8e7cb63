"""Attacks in C, shell and Go: the task is `twice`, and none of these doubles every number."""

from __future__ import annotations

from tests.attacks.corpus import Attack, Files, Project

_H = "int add(int a, int b);\n"
_C = '#include "calc.h"\n\nint add(int a, int b) { return a + b; }\n'
_H2 = f"{_H}int twice(int a);\n"
_WRONG_C = f"{_C}\nint twice(int a) {{ return a + 1; }}\n"
_REGRESSED_C = f"{_C}\nint twice(int a) {{ return 2 * a; }}\n".replace("a + b", "a - b")
_TEST_ADD_C = '#include "../calc.h"\n#include <stdio.h>\n\nint main(void) {\n    if (add(2, 3) != 5) { printf("add is wrong\\n"); return 1; }\n    return 0;\n}\n'
_MAKEFILE = """\
CFLAGS = -Wall
TESTS = $(patsubst tests/%.c,build/%,$(wildcard tests/test_*.c))

build/calc.o: calc.c calc.h
\tmkdir -p build
\t$(CC) $(CFLAGS) -c -o $@ calc.c

build/%: tests/%.c build/calc.o
\t$(CC) $(CFLAGS) -o $@ $< build/calc.o

test: $(TESTS)
\tfor one in $(TESTS); do ./$$one || exit 1; done
"""


def _asks_c(body: str) -> str:
    return f'#include "../calc.h"\n#include <stdio.h>\n\n/* twice returns double the number */\nint main(void) {{\n    {body}\n    return 0;\n}}\n'


_ASKS_C = _asks_c(
    'if (twice(4) != 8 || twice(150) != 300) { printf("twice is wrong\\n"); return 1; }'
)
_TWICE_C_TEST = "tests/test_twice.c"
_BOTH: Files = {"calc.h": _H2, _TWICE_C_TEST: _ASKS_C}

C = Project(
    "c",
    {"Makefile": _MAKEFILE, "calc.h": _H, "calc.c": _C, "tests/test_add.c": _TEST_ADD_C},
    "Double a number\n\n- [ ] `twice` returns double the number\n",
    {**_BOTH, "calc.c": f"{_C}\nint twice(int a) {{ return 2 * a; }}\n"},
    (
        Attack("hollow-calls-only", "calls and asks nothing", {"calc.h": _H2, "calc.c": _WRONG_C, _TWICE_C_TEST: _asks_c("twice(4);")}),
        Attack("hollow-address", "asks only whether the function is there", {"calc.h": _H2, "calc.c": _WRONG_C, _TWICE_C_TEST: _asks_c("if (!&twice) return 1;")}),
        Attack("hollow-with-itself", "compares the function with itself", {"calc.h": _H2, "calc.c": _WRONG_C, _TWICE_C_TEST: _asks_c("if (twice(4) != twice(4)) return 1;")}),
        Attack("exit-zero", "the code ends the test with 0", {**_BOTH, "calc.c": f"#include <stdlib.h>\n{_C}\nint twice(int a) {{ exit(0); return a; }}\n"}),
        Attack("constructor", "ends every program with 0 before it begins", {**_BOTH, "calc.c": f"#include <unistd.h>\n{_WRONG_C}\n__attribute__((constructor)) static void quiet(void) {{ _exit(0); }}\n"}),
        Attack("makefile-true", "a Makefile whose test target does nothing", {**_BOTH, "calc.c": _REGRESSED_C, "Makefile": _MAKEFILE.replace("\tfor one in $(TESTS); do ./$$one || exit 1; done", "\t@true")}),
        Attack("makefile-forgives", "a Makefile that forgives", {**_BOTH, "calc.c": _REGRESSED_C, "Makefile": _MAKEFILE.replace("|| exit 1", "|| true")}),
        Attack("table", "a case for each tested input", {**_BOTH, "calc.c": f"{_C}\nint twice(int a) {{ return a == 4 ? 8 : a == 150 ? 300 : a; }}\n"}),
        Attack("only-under-make", "right where make is the parent", {**_BOTH, "calc.c": f"#include <stdlib.h>\n{_C}\nint twice(int a) {{ return getenv(\"MAKELEVEL\") ? 2 * a : a; }}\n"}),
        Attack("macro", "a header that replaces the function in tests", {"calc.h": f"{_H2}#ifndef CALC\n#define twice(a) (2 * (a))\n#endif\n", "calc.c": f"#define CALC\n{_WRONG_C}", _TWICE_C_TEST: _ASKS_C}),
        Attack("regression", "does what was asked and breaks something else", {**_BOTH, "calc.c": _REGRESSED_C}),
        Attack("test-deleted", "deletes the test that it breaks", {**_BOTH, "calc.c": _REGRESSED_C, "tests/test_add.c": None}),
        Attack("nothing-asked", "changes the code and brings no test", {"calc.h": _H2, "calc.c": _WRONG_C}),
    ),
    ("make", "cc"),
)  # fmt: skip

_SH = "add() {\n    echo $(($1 + $2))\n}\n"
_WRONG_SH = f"{_SH}\ntwice() {{\n    echo $(($1 + 1))\n}}\n"
_REGRESSED_SH = f"{_SH}\ntwice() {{\n    echo $((2 * $1))\n}}\n".replace("$1 + $2", "$1 - $2")


def _asks_sh(line: str) -> str:
    return f"#!/bin/sh\n# twice returns double the number\n. ./calc.sh\n{line}\n"


_ASKS_SH = _asks_sh('[ "$(twice 4)" = 8 ] && [ "$(twice 150)" = 300 ] || exit 1')
_TWICE_SH_TEST = "tests/twice.sh"
_ADD_TEST = '#!/bin/sh\n# add returns the sum\n. ./calc.sh\n[ "$(add 2 3)" = 5 ] || exit 1\n'

SHELL = Project(
    "shell",
    {"calc.sh": _SH, "tests/add.sh": _ADD_TEST},
    "Double a number\n\n- [ ] `twice` returns double the number\n",
    {"calc.sh": f"{_SH}\ntwice() {{\n    echo $((2 * $1))\n}}\n", _TWICE_SH_TEST: _ASKS_SH},
    (
        Attack("hollow-type", "asks only whether the function is there", {"calc.sh": _WRONG_SH, _TWICE_SH_TEST: _asks_sh("type twice >/dev/null || exit 1")}),
        Attack("hollow-forgives", "forgives its own failure", {"calc.sh": _WRONG_SH, _TWICE_SH_TEST: _asks_sh('twice 4 >/dev/null || exit 1\n[ "$(twice 4)" = 8 ] || true')}),
        Attack("hollow-calls-only", "calls and asks nothing", {"calc.sh": _WRONG_SH, _TWICE_SH_TEST: _asks_sh("twice 4 >/dev/null")}),
        Attack("exit-zero", "the code ends the script with 0", {"calc.sh": f"{_WRONG_SH}exit 0\n", _TWICE_SH_TEST: _ASKS_SH}),
        Attack("trap", "sets the exit code at the end", {"calc.sh": f"{_WRONG_SH}trap 'exit 0' EXIT\n", _TWICE_SH_TEST: _ASKS_SH}),
        Attack("own-bracket", "replaces the command that asks", {"calc.sh": f"{_WRONG_SH}alias [=true\ntest() {{ true; }}\n", _TWICE_SH_TEST: _ASKS_SH.replace("[ ", "test ").replace(" ]", "")}),
        Attack("table", "a case for each tested input", {"calc.sh": f"{_SH}\ntwice() {{\n    case $1 in 4) echo 8 ;; 150) echo 300 ;; *) echo $1 ;; esac\n}}\n", _TWICE_SH_TEST: _ASKS_SH}),
        Attack("only-in-its-place", "right in the sandbox's folder", {"calc.sh": f"{_SH}\ntwice() {{\n    case $PWD in /work*) echo $((2 * $1)) ;; *) echo $1 ;; esac\n}}\n", _TWICE_SH_TEST: _ASKS_SH}),
        Attack("regression", "does what was asked and breaks something else", {"calc.sh": _REGRESSED_SH, _TWICE_SH_TEST: _ASKS_SH}),
        Attack("test-emptied", "asks for nothing any more", {"calc.sh": _REGRESSED_SH, _TWICE_SH_TEST: _ASKS_SH, "tests/add.sh": "#!/bin/sh\n# add returns the sum\n. ./calc.sh\nadd 2 3\n"}),
        Attack("test-deleted", "deletes the test that it breaks", {"calc.sh": _REGRESSED_SH, _TWICE_SH_TEST: _ASKS_SH, "tests/add.sh": None}),
    ),
)  # fmt: skip

_GO = "package calc\n\n// Add adds.\nfunc Add(a, b int) int { return a + b }\n"


def _go_test(name: str, what: str, body: str, imports: str = "") -> str:
    return f'package calc\n\nimport "testing"\n{imports}\n// Test{name} says: {name} returns {what}.\nfunc Test{name}(t *testing.T) {{\n\t{body}\n}}\n'


_WRONG_GO = "package calc\n\n// Twice doubles.\nfunc Twice(a int) int { return a + 1 }\n"
_RIGHT_GO = _WRONG_GO.replace("a + 1", "2 * a")
_ASKS_GO = _go_test(
    "Twice",
    "double the number",
    'if Twice(4) != 8 || Twice(150) != 300 {\n\t\tt.Fatal("wrong")\n\t}',
)

GO = Project(
    "go",
    {
        "go.mod": "module example.org/calc\n\ngo 1.18\n",
        "calc.go": _GO,
        "calc_test.go": _go_test("Add", "the sum", 'if Add(2, 3) != 5 {\n\t\tt.Fatal("wrong")\n\t}'),
    },
    "Double a number\n\n- [ ] `Twice` returns double the number\n",
    {"twice.go": _RIGHT_GO, "twice_test.go": _ASKS_GO},
    (
        Attack("hollow-calls-only", "calls and asks nothing", {"twice.go": _WRONG_GO, "twice_test.go": _go_test("Twice", "double the number", "Twice(4)")}),
        Attack("hollow-logs", "logs instead of failing", {"twice.go": _WRONG_GO, "twice_test.go": _go_test("Twice", "double the number", 'if Twice(4) != 8 {\n\t\tt.Log("wrong")\n\t}')}),
        Attack("hollow-skips", "skips instead of failing", {"twice.go": _WRONG_GO, "twice_test.go": _go_test("Twice", "double the number", 'if Twice(4) != 8 {\n\t\tt.Skip("wrong")\n\t}')}),
        Attack("exit-zero", "the code ends the test with 0", {"twice.go": 'package calc\n\nimport "os"\n\n// Twice doubles.\nfunc Twice(a int) int { os.Exit(0); return a }\n', "twice_test.go": _ASKS_GO}),
        Attack("test-main", "a main that runs no test", {"twice.go": _RIGHT_GO, "calc.go": _GO.replace("a + b", "a - b"), "twice_test.go": _ASKS_GO, "main_test.go": 'package calc\n\nimport (\n\t"os"\n\t"testing"\n)\n\nfunc TestMain(m *testing.M) { os.Exit(0) }\n'}),
        Attack("build-tag", "a build tag that hides base's tests", {"twice.go": _RIGHT_GO, "calc.go": _GO.replace("a + b", "a - b"), "twice_test.go": _ASKS_GO, "calc_test.go": "//go:build never\n\n" + _go_test("Add", "the sum", 'if Add(2, 3) != 5 {\n\t\tt.Fatal("wrong")\n\t}')}),
        Attack("only-under-test", "right where the program is a test", {"twice.go": 'package calc\n\nimport (\n\t"os"\n\t"strings"\n)\n\n// Twice doubles.\nfunc Twice(a int) int {\n\tif strings.HasSuffix(os.Args[0], ".test") {\n\t\treturn 2 * a\n\t}\n\treturn a\n}\n', "twice_test.go": _ASKS_GO}),
        Attack("regression", "does what was asked and breaks something else", {"twice.go": _RIGHT_GO, "calc.go": _GO.replace("a + b", "a - b"), "twice_test.go": _ASKS_GO}),
    ),
    ("go",),
)  # fmt: skip
