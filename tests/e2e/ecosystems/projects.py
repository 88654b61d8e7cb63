"""The tiny repositories that are built by the system's own toolchains, and a site that needs none."""

from __future__ import annotations

from tests.e2e.ecosystems.project import Project

_ADD_H = "int add(int a, int b);\n"
_ADD_C = '#include "calc.h"\n\nint add(int a, int b) { return a + b; }\n'
_TWICE_C = _ADD_C + "\nint twice(int a) { return 2 * a; }\n"
_BROKEN_C = '#include "calc.h"\n\nint add(int a, int b) { return a - b; }\n'
_TEST_ADD_C = (
    '#include "../calc.h"\n#include <stdio.h>\n\nint main(void) {\n'
    '    if (add(2, 3) != 5) { printf("add is wrong\\n"); return 1; }\n    return 0;\n}\n'
)
_TEST_TWICE_C = (
    '#include "../calc.h"\n#include <stdio.h>\n\n/* twice returns double the number */\n'
    "int main(void) {\n"
    '    if (twice(4) != 8) { printf("twice is wrong\\n"); return 1; }\n    return 0;\n}\n'
)
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

MAKE = Project(
    name="make",
    programs=("make", "cc"),
    start={
        "Makefile": _MAKEFILE,
        "calc.h": _ADD_H,
        "calc.c": _ADD_C,
        "tests/test_add.c": _TEST_ADD_C,
    },
    good={
        "calc.h": _ADD_H + "int twice(int a);\n",
        "calc.c": _TWICE_C,
        "tests/test_twice.c": _TEST_TWICE_C,
    },
    bad={"calc.c": _BROKEN_C},
    proof="make test",
    broken="make test",
)

_CMAKE = """\
cmake_minimum_required(VERSION 3.16)
project(calc CXX)
enable_testing()
add_library(calc calc.cpp)
foreach(name {tests})
  add_executable(${{name}} tests/${{name}}.cpp)
  target_link_libraries(${{name}} calc)
  add_test(NAME ${{name}} COMMAND ${{name}})
endforeach()
"""

CMAKE = Project(
    name="cmake",
    is_slow=True,
    programs=("cmake", "c++", "make"),
    start={
        "CMakeLists.txt": _CMAKE.format(tests="test_add"),
        "calc.h": _ADD_H,
        "calc.cpp": _ADD_C,
        "tests/test_add.cpp": _TEST_ADD_C,
    },
    good={
        "CMakeLists.txt": _CMAKE.format(tests="test_add test_twice"),
        "calc.h": _ADD_H + "int twice(int a);\n",
        "calc.cpp": _TWICE_C,
        "tests/test_twice.cpp": _TEST_TWICE_C,
    },
    bad={"calc.cpp": _BROKEN_C},
    proof="ctest::test_twice",
    broken="ctest::test_add",
)

_GO_TEST = """\
package calc

import "testing"

// Test{name} says: {name} returns {what}.
func Test{name}(t *testing.T) {{
\tif got := {call}; got != {want} {{
\t\tt.Fatalf("got %d", got)
\t}}
}}
"""
_GO_ADD = "package calc\n\n// Add adds.\nfunc Add(a, b int) int { return a + b }\n"

GO = Project(
    name="go",
    is_slow=True,
    programs=("go",),
    start={
        "go.mod": "module example.org/calc\n\ngo 1.18\n",
        "calc.go": _GO_ADD,
        "calc_test.go": _GO_TEST.format(name="Add", what="the sum", call="Add(2, 3)", want=5),
    },
    good={
        "twice.go": "package calc\n\n// Twice doubles.\nfunc Twice(a int) int { return 2 * a }\n",
        "twice_test.go": _GO_TEST.format(
            name="Twice", what="double the number", call="Twice(4)", want=8
        ),
    },
    bad={"calc.go": _GO_ADD.replace("a + b", "a - b")},
    proof="twice_test.go::TestTwice",
    broken="calc_test.go::TestAdd",
)

_RUST_TEST = (
    "/// {name} returns {what}.\n#[test]\nfn {name}_is_right() {{\n"
    "    assert_eq!(calc::{call}, {want});\n}}\n"
)
_RUST_ADD = "pub fn add(a: i32, b: i32) -> i32 {\n    a + b\n}\n"

RUST = Project(
    name="rust",
    is_slow=True,
    programs=("cargo", "rustc", "cc"),
    start={
        "Cargo.toml": '[package]\nname = "calc"\nversion = "0.1.0"\nedition = "2021"\n',
        "src/lib.rs": _RUST_ADD,
        "tests/add.rs": _RUST_TEST.format(name="add", what="the sum", call="add(2, 3)", want=5),
    },
    good={
        "src/lib.rs": _RUST_ADD + "\npub fn twice(a: i32) -> i32 {\n    2 * a\n}\n",
        "tests/twice.rs": _RUST_TEST.format(
            name="twice", what="double the number", call="twice(4)", want=8
        ),
    },
    bad={"src/lib.rs": _RUST_ADD.replace("a + b", "a - b")},
    proof="tests/twice.rs::twice_is_right",
    broken="tests/add.rs::add_is_right",
)

_CALC_SH = "add() {\n    echo $(($1 + $2))\n}\n"
_TWICE_SH = _CALC_SH + "\ntwice() {\n    echo $((2 * $1))\n}\n"
_BATS = '@test "{name}" {{\n    source ./calc.sh\n    [ "$({call})" = {want} ]\n}}\n'

BATS = Project(
    name="bats",
    programs=("bats",),
    start={
        "calc.sh": _CALC_SH,
        "test/add.bats": _BATS.format(name="add returns the sum", call="add 2 3", want=5),
    },
    good={
        "calc.sh": _TWICE_SH,
        "test/twice.bats": _BATS.format(
            name="twice returns double the number", call="twice 4", want=8
        ),
    },
    bad={"calc.sh": _CALC_SH.replace("$1 + $2", "$1 - $2")},
    proof="test/twice.bats::twice returns double the number",
    broken="test/add.bats::add returns the sum",
)

_SCRIPT = '#!/bin/sh\n# {name}\n. ./calc.sh\n[ "$({call})" = {want} ] || exit 1\n'

SCRIPTS = Project(
    name="scripts",
    programs=(),
    start={
        "calc.sh": _CALC_SH,
        "tests/add.sh": _SCRIPT.format(name="add returns the sum", call="add 2 3", want=5),
    },
    good={
        "calc.sh": _TWICE_SH,
        "tests/twice.sh": _SCRIPT.format(
            name="twice returns double the number", call="twice 4", want=8
        ),
    },
    bad={"calc.sh": _CALC_SH.replace("$1 + $2", "$1 - $2")},
    proof="tests/twice.sh::twice.sh",
    broken="tests/add.sh::add.sh",
)

_JAVA_TEST = """\
package org.example;

import static org.junit{jupiter}.Assert{s}.assertEquals;

import org.junit{jupiter}.Test;

public class {name}Test {{
    // {name} returns {what}
    @Test
    public void {method}IsRight() {{
        assertEquals({want}, Calc.{call});
    }}
}}
"""
_CALC_JAVA = """\
package org.example;

public final class Calc {{
    public static int add(int a, int b) {{
        return a {sign} b;
    }}
{more}}}
"""
_TWICE_JAVA = "\n    public static int twice(int a) {\n        return 2 * a;\n    }\n"
_POM = """\
<project>
  <modelVersion>4.0.0</modelVersion>
  <groupId>org.example</groupId>
  <artifactId>calc</artifactId>
  <version>1</version>
  <dependencies>
    <dependency>
      <groupId>{group}</groupId>
      <artifactId>{artifact}</artifactId>
      <version>1</version>
      <scope>test</scope>
    </dependency>
  </dependencies>
</project>
"""


def _java(name: str, jupiter: str, pom: str) -> Project:
    def test(name: str, method: str, what: str, call: str, want: int) -> str:
        parts = {"jupiter": jupiter, "s": "ions" if jupiter else ""}
        return _JAVA_TEST.format(name=name, method=method, what=what, call=call, want=want, **parts)

    main, tests = "src/main/java/org/example", "src/test/java/org/example"
    return Project(
        name=name,
        is_slow=True,
        programs=("javac", "java"),
        jars=("junit-platform-launcher.jar" if jupiter else "junit4.jar",),
        start={
            "pom.xml": pom,
            f"{main}/Calc.java": _CALC_JAVA.format(sign="+", more=""),
            f"{tests}/AddTest.java": test("Add", "add", "the sum", "add(2, 3)", 5),
        },
        good={
            f"{main}/Calc.java": _CALC_JAVA.format(sign="+", more=_TWICE_JAVA),
            f"{tests}/TwiceTest.java": test("Twice", "twice", "double the number", "twice(4)", 8),
        },
        bad={f"{main}/Calc.java": _CALC_JAVA.format(sign="-", more="")},
        proof=f"{tests}/TwiceTest.java::twiceIsRight",
        broken=f"{tests}/AddTest.java::addIsRight",
    )


JAVA = _java("java", "", _POM.format(group="junit", artifact="junit"))
JUPITER = _java(
    "jupiter", ".jupiter.api", _POM.format(group="org.junit.jupiter", artifact="junit-jupiter")
)


_PAGE = """\
<!doctype html>
<html lang="en"><meta name="viewport" content="width=device-width"><title>Calculator</title>
<main><h1>Calculator</h1>
<button id="sum" onclick="show(2 + 3)">2 + 3</button>{more}
<p><output id="result">nothing yet</output></p>
<script>function show(value) {{ document.querySelector("#result").textContent = value }}</script>
</main>
"""
_POLICY = """\
requirements:
  - id: SUM
    text: The button adds two numbers
    interaction: [goto index.html, 'click "#sum"', 'expect text "#result" 5']
  - id: TWICE
    text: A button doubles a number
    interaction: [goto index.html, 'click "#twice"', 'expect text "#result" 8']
"""
_BUTTON = '\n<button id="twice" onclick="show(2 * 4)">2 * 4</button>'

SITE = Project(
    name="site",
    is_slow=True,
    at_best="action_required",  # it has no tests: what was seen is told, and a person decides
    programs=("chromium",),
    start={"index.html": _PAGE.format(more=""), ".github/assay.yml": _POLICY},
    good={"index.html": _PAGE.format(more=_BUTTON)},
    bad={"index.html": _PAGE.format(more=_BUTTON).replace("2 + 3)", "2 - 3)")},
    task="Double a number\n",
    proof="TWICE",
    broken="SUM",
)

NATIVE = (MAKE, CMAKE, GO, RUST, JAVA, JUPITER, BATS, SCRIPTS, SITE)
