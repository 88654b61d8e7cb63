"""Tests of shells and Makefiles run once more as a whole elsewhere; honest ones do not mind."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.e2e.folder import Folder, open_folder

pytestmark = [pytest.mark.real, pytest.mark.slow]

TASK = "Double a number\n\n- [ ] `twice` returns double the number\n"
ADD = "add() {\n    echo $(($1 + $2))\n}\n"
TEST = "tests/twice.sh"
ASKS = '#!/bin/sh\n# twice returns double the number\n. ./calc.sh\n[ "$(twice 4)" = 8 ] || exit 1\n'


@pytest.fixture(scope="module")
def scripts(tmp_path_factory: pytest.TempPathFactory) -> Folder:
    files = {
        "calc.sh": ADD,
        "tests/add.sh": '#!/bin/sh\n. ./calc.sh\n[ "$(add 2 3)" = 5 ] || exit 1\n',
    }
    return open_folder(tmp_path_factory.mktemp("scripts"), files)


GUARDS = {
    "folder": "case $PWD in /work*) echo $((2 * $1)) ;; *) echo $1 ;; esac",
    "user": 'if [ -z "$USER" ]; then echo $((2 * $1)); else echo $1; fi',
}


@pytest.mark.parametrize("name", GUARDS)
def test_a_script_that_passes_only_in_its_place_is_not_satisfied(
    scripts: Folder, name: str
) -> None:
    files = {"calc.sh": f"{ADD}\ntwice() {{\n    {GUARDS[name]}\n}}\n", TEST: ASKS}
    judged = scripts.judge(scripts.branch(name, files), task=TASK)
    assert judged.conclusion == "action_required", judged.said()
    (row,) = [one for one in judged.document.requirements if one.id == "R1"]
    assert "fails in another one" in row.reason
    assert "D2" in row.evidence


def test_an_honest_script_may_know_its_place(scripts: Folder) -> None:
    code = (
        f"{ADD}\ntwice() {{\n    echo $((2 * $1))\n}}\n"
        'root() {\n    pwd\n}\n\nsettings() {\n    echo "${HOME:-.}/.calc"\n}\n'
    )
    test = (
        f'{ASKS}[ "$(root)" = "$PWD" ] || exit 1\n'
        '[ "$(settings)" = "${HOME:-.}/.calc" ] || exit 1\n'
        'kept=$(mktemp) && echo 4 >"$kept" && [ "$(twice "$(cat "$kept")")" = 8 ]\n'
    )
    judged = scripts.judge(scripts.branch("honest", {"calc.sh": code, TEST: test}), task=TASK)
    assert judged.conclusion == "success", judged.said()


def test_a_place_where_tests_of_base_fail_is_no_evidence(tmp_path: Path) -> None:
    files = {
        "calc.sh": ADD,
        "tests/add.sh": '#!/bin/sh\n. /work/tree/calc.sh\n[ "$(add 2 3)" = 5 ] || exit 1\n',
    }
    folder = open_folder(tmp_path, files)
    head = {
        "calc.sh": f"{ADD}\ntwice() {{\n    echo $((2 * $1))\n}}\n",
        TEST: ASKS.replace("./calc.sh", "/work/tree/calc.sh"),
    }
    judged = folder.judge(folder.branch("fixed", head), task=TASK)
    assert judged.conclusion == "success", judged.said()


MAKEFILE = """
test: named build/test_calc
\tfor one in build/test_*; do ./$$one || exit 1; done

build/%: tests/%.c calc.c calc.h
\tmkdir -p build && $(CC) -o $@ $< calc.c

named:
\t$(MAKE) --no-print-directory check-name NAME=calc

check-name:
\t[ "$(NAME)" = calc ]
"""
CALC = '#include <stdlib.h>\n#include "calc.h"\n\nint add(int a, int b) { return a + b; }\n'
TWICE = "int twice(int a) {{ return {} * a; }}\n"
TEST_C = '#include "../calc.h"\n\nint main(void) {{ return {}; }}\n'
FACTORS = {"under-make": '(getenv("MAKELEVEL") ? 2 : 1)', "right": "2"}


@pytest.fixture(scope="module")
def make(tmp_path_factory: pytest.TempPathFactory) -> Folder:
    files = {
        "Makefile": MAKEFILE,
        "calc.h": "int add(int a, int b);\n",
        "calc.c": CALC,
        "tests/test_calc.c": TEST_C.format("add(2, 3) != 5"),
    }
    return open_folder(tmp_path_factory.mktemp("make"), files)


@pytest.mark.skipif(not shutil.which("cc"), reason="cc is not installed")
@pytest.mark.parametrize("name", FACTORS)
def test_what_is_right_only_under_make_is_not_satisfied(make: Folder, name: str) -> None:
    files = {
        "calc.h": "int add(int a, int b);\nint twice(int a);\n",
        "calc.c": f"{CALC}{TWICE.format(FACTORS[name])}",
        "tests/test_calc.c": TEST_C.format("add(2, 3) != 5 || twice(4) != 8"),
    }
    judged = make.judge(make.branch(name, files), task=TASK)
    expected = "success" if name == "right" else "action_required"
    assert judged.conclusion == expected, judged.said()
