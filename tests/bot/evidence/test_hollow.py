"""A judge's own step that passes on head tests what was asked, or it is told why it shows nothing."""

from __future__ import annotations

from dataclasses import replace

import pytest

from bot.evidence.own_steps import hollow
from bot.evidence.own_steps.weigh import own_step
from bot.judges.citations import citation_problem
from bot.values import (
    ActionKind,
    Category,
    Evidence,
    Requirement,
    Step,
    Transition,
    Trust,
    VerdictOutcome,
)
from sandbox.values import Observation, Side

WORDS = Requirement("R1", "split refuses zero people", Category.BEHAVIOUR, "issue #7", Trust.ASKER)
CODE = replace(WORDS, text="`split` raises `ValueError` for zero people")
TEST = "import pytest\nimport shop\nfrom pathlib import Path\nfrom shop import split\n\n\n"
ABOUT = "nothing that is about"
NOT_DONE = "asserts nothing that the project's code does"


def hollow_problem(seen: Evidence, requirement: Requirement, around: str = "") -> str:
    return hollow.hollow_problem(seen, requirement, around)


def executed(text: str, line: str = "", base: str = "", path: str = "judge_test.py") -> Evidence:
    return step(ActionKind.DYNAMIC_EXECUTION, line, path, text, base=base)


def step(action: ActionKind, *arguments: str, base: str = "") -> Evidence:
    taken = Step("A-R1-1", "Try it.", "", ("R1",), action, arguments)
    before = Observation(Side.BASE, "run", 1, base, 0.1)
    return Evidence(
        taken.id, taken, before, Observation(Side.HEAD, "run", 0, "", 0.1), Transition.FIXED
    )


def body(*lines: str, arguments: str = "", head: str = TEST) -> str:
    return f"{head}def test_it({arguments}):\n" + "".join(f"    {line}\n" for line in lines)


TRIED = ("try:", "    split(1, 0)", "except ValueError:", "    pass", "else:")
UNITTEST = (
    "import unittest\nfrom shop import split\n\n\nclass TestIt(unittest.TestCase):\n"
    "    def setUp(self):\n        self.shares = split(10, 2)\n\n"
    "    def test_it(self):\n        self.assertRaises(ValueError, split, 10, 0)\n"
    "        self.assertEqual(self.shares, [5, 5])\n"
)
RIGHT = {
    "an exception": body("with pytest.raises(ValueError):", "    split(10, 0)"),
    "an exception by hand": body(*TRIED, "    raise AssertionError('took it')"),
    "a failure by hand": body(*TRIED, "    pytest.fail('took it')"),
    "a value": body("shares = split(10, 3)", "total = sum(shares)", "assert total == 10"),
    "a length": body("assert len(shop.split(10, 2)) == 2"),
    "what was caught": body("with pytest.raises(ValueError) as error:", "    split(10, 0)",
                            "assert 'person' in str(error.value)"),
    "another name": body("cut = shop.split", "assert cut(10, 2) == [5, 5]"),
    "a table": body("for total, people in TABLE:", "    assert sum(split(total, people)) == total",
                    head=f"{TEST}TABLE = [(10, 2), (7, 3)]\n\n\n"),
    "a loop": body("for people in (1, 2):", "    assert sum(split(10, people)) == 10"),
    "unittest": UNITTEST,
    "a helper": f"{TEST}def shares(n):\n    return split(10, n)\n\n\ndef test_it():\n    assert shares(2)\n",
    "an object": body("bill = shop.Bill(10)", "assert bill.split(2) == 5"),
    "a property": body("assert shop.Bill(10, people=2).split == 5"),
    "a module by name": body("import importlib", "m = importlib.import_module('shop')",
                             "assert m.split(10, 2) == [5, 5]"),
    "a program of the project": body(
        "import subprocess, sys", "ran = subprocess.run([sys.executable, '-m', 'shop', 'split', '0'])",
        "assert ran.returncode == 2",
    ),
    "what is printed": body("shop.main(['split', '0'])", "assert 'no' in capsys.readouterr().err",
                            arguments="capsys"),
    "what is written": body("out = tmp_path / 'a'", "shop.save(split(1, 1), out)",
                            "assert out.read_text() == '1'", arguments="tmp_path"),
    "a fixture of the project": body("answer = client.get('/split?people=0')",
                                     "assert answer.status_code == 400", arguments="client"),
    "parameters": body("with pytest.raises(ValueError):", "    split(10, people)",
                       arguments="people", head=f"{TEST}@pytest.mark.parametrize('people', [0])\n"),
    "awaited": f"{TEST}async def test_it():\n    assert await split(10, 2) == [5, 5]\n",
    "no function": f"{TEST}assert split(10, 2) == [5, 5]\n",
}  # fmt: skip


@pytest.mark.parametrize("requirement", [WORDS, CODE], ids=["words", "code"])
@pytest.mark.parametrize("name", RIGHT)
def test_a_test_of_what_was_asked_stands(name: str, requirement: Requirement) -> None:
    seen = executed(RIGHT[name])
    assert hollow_problem(seen, requirement) == ""
    assert own_step(seen, requirement) == seen
    assert citation_problem(requirement, VerdictOutcome.SATISFIED, (seen.id,), (seen,)) == ""


HOLLOW = {
    "a file": (body("assert Path('DONE.md').exists()"), NOT_DONE),
    "a file through a variable": (body("text = Path('a').read_text()", "assert text"), NOT_DONE),
    "a file by a program": (
        body("import subprocess", "assert subprocess.run(['test', '-f', 'split']).returncode == 0"),
        NOT_DONE,
    ),
    "a file by a shell": (
        body("import os", "assert os.system('sh -c \"grep split DONE.md\"') == 0"), NOT_DONE),
    "a file in a parameter": (
        body("assert there", arguments="there",
             head=f"{TEST}@pytest.mark.parametrize('there', [Path('split').exists()])\n"),
        NOT_DONE,
    ),
    "a file in a fixture": (
        f"{TEST}@pytest.fixture\ndef split_done():\n    return Path('a').exists()\n\n\n"
        "def test_it(split_done):\n    assert split_done\n",
        NOT_DONE,
    ),
    "a name": (body("assert hasattr(shop, 'VERIFIED')"), NOT_DONE),
    "a value": (body("assert shop.VERIFIED"), NOT_DONE),
    "the source": (
        body("import inspect", "assert 'ValueError' in inspect.getsource(shop.split)"), NOT_DONE),
    "the text of the function": (body("assert str(split)"), NOT_DONE),
    "another function": (body("assert shop.verified()"), ABOUT),
    "beside the right call": (body("split(1, 1)", "assert Path('a').exists()"), NOT_DONE),
    "beside the right assertion": (body("assert split(1, 1)", "assert shop.verified()"), ABOUT),
    "beside the right test": (
        body("assert split(1, 1)") + "\n\ndef test_other():\n    assert shop.verified()\n", ABOUT),
    "no assertion": (body("split(1, 1)"), "asserts nothing that can be read"),
    "too much to read": (body(*["assert split(1, 1) == [1]"] * 600), "write less"),
    "no Python": ("def test_it(:\n", "asserts nothing that can be read"),
}  # fmt: skip


@pytest.mark.parametrize("name", HOLLOW)
def test_a_hollow_test_raises_nothing(name: str) -> None:
    text, why = HOLLOW[name]
    shown = own_step(executed(text), CODE)
    assert shown.transition is Transition.UNKNOWN
    assert shown.head is not None and why in shown.head.problem
    told = citation_problem(CODE, VerdictOutcome.SATISFIED, (shown.id,), (shown,))
    assert why in told


@pytest.mark.parametrize(
    ("base", "name"),
    [
        ("AttributeError: module 'shop' has no attribute 'verified'", "verified"),
        ("ImportError: cannot import name 'verified' from 'shop'", "verified"),
        ("python: can't open file '/x/done.py': [Errno 2]", "done.py"),
        ("sh: 1: ./done: not found", "done"),
    ],
)
def test_a_name_that_is_only_new_shows_nothing(base: str, name: str) -> None:
    text = body("assert shop.verified(split)")
    assert name in hollow_problem(executed(text, base=base), CODE)


def test_a_name_that_was_asked_for_may_be_new() -> None:
    missing = "AttributeError: module 'shop' has no attribute 'split'"
    asked = executed(RIGHT["a value"], base=missing)
    assert hollow_problem(asked, CODE) == hollow_problem(asked, WORDS) == ""
    exists = executed(body("assert hasattr(shop, 'split')"), base=missing)
    assert hollow_problem(exists, CODE) == ""
    license_ = replace(WORDS, text="There is a LICENSE.md")
    assert hollow_problem(executed(body("assert Path('LICENSE.md').exists()")), license_) == ""


LINES = {
    "test -f DONE.md": "looks at files",
    "cat split.txt | head -1": "looks at files",
    "python -m shop split 0 && test -f DONE.md": "looks at files",
    "cd src; true": "runs nothing",
    "python -m shop split 0 2>/dev/null": "hides",
    "python -m shop verified  # split": ABOUT,
    'python -c "import shop; print(shop.verified(), 1)"': ABOUT,
    "python -m pytest -k split": "compared four ways",
    "npm test -- split": "compared four ways",
    "'": "looks at files",
    "": "runs nothing",
    "python -m shop split 10 0": "",
    "cd src && PYTHONPATH=. timeout 5 python -m shop split 10 0 | grep people": "",
    'python -c "import shop; print(shop.split(10, 2))"': "",
}


@pytest.mark.parametrize("line", LINES)
def test_a_line_runs_what_was_asked(line: str) -> None:
    said = hollow_problem(step(ActionKind.BASH, line), CODE)
    assert LINES[line] in said
    assert bool(said) is bool(LINES[line])


def test_a_program_is_held_to_its_line_and_its_files() -> None:
    program = "import shop\nassert shop.split(10, 2) == [5, 5]\n"
    own = {"path": "judge_split.py"}
    assert hollow_problem(executed(program, "python judge_split.py", **own), CODE) == ""
    assert hollow_problem(executed(program, "pytest judge_split.py", **own), CODE) == ""
    for line in ("test -f DONE.md", "pytest tests/test_done.py judge_split.py", "pytest"):
        assert hollow_problem(executed(program, line, **own), CODE)


def test_other_languages_are_held_to_what_they_call() -> None:
    text = "import {{ split, verified }} from './shop.js'\ntest('split', () => assert({}(10, 0)))\n"
    own = {"path": "judge.test.js"}
    assert hollow_problem(executed(text.format("split"), **own), CODE) == ""
    assert ABOUT in hollow_problem(executed(text.format("verified"), **own), CODE)
    typed = "test('split', () => assert(run('./shop.js', 'split', '10', '0')))\n"
    assert hollow_problem(executed(typed, **own), CODE) == "", (
        "what is passed on counts, a title does not"
    )


def test_the_repositorys_own_tests_and_pages_are_no_test_of_the_judge() -> None:
    assert "four ways" in hollow_problem(step(ActionKind.UNIT_TESTS, "tests/test_done.py"), CODE)
    acts = ("goto done.html", 'expect text "h1" Done')
    assert hollow_problem(step(ActionKind.INTERACTION, *acts), CODE)
    assert not hollow_problem(step(ActionKind.INTERACTION, *acts, "click #split"), CODE)


def test_a_planned_step_is_held_to_the_same() -> None:
    for line, why in (("test -f DONE.md", "looks at files"), ("python -m shop split 0", "")):
        planned = step(ActionKind.BASH, line)
        planned = replace(planned, step=replace(planned.step, is_proposed=True))
        told = citation_problem(CODE, VerdictOutcome.SATISFIED, (planned.id,), (planned,))
        assert why in told and bool(told) is bool(why)


def test_what_it_names_may_stand_in_the_task_around_it() -> None:
    """The task's own author says "it"; the code is named a sentence before, or in the title."""
    pronoun = replace(WORDS, text="It should raise an error that says who must pay")
    issue = "`split(1000, 0)` ends in a ZeroDivisionError. It should raise an error."
    right, other = executed(RIGHT["an exception"]), executed(body("assert shop.verified()"))
    assert hollow_problem(right, pronoun, issue) == ""
    assert ABOUT in hollow_problem(right, pronoun) and ABOUT in hollow_problem(
        other, pronoun, issue
    )
    assert ABOUT in hollow_problem(other, CODE, "`verified` is there"), "its own words come first"
    assert own_step(right, pronoun, issue) == right


def test_a_long_chain_of_values_is_followed() -> None:
    chain = "".join(f"v{n} = v{n - 1}\n" for n in range(1, 700))
    asserted = "\n\ndef test_it():\n    assert v699.real == 5\n"
    right = executed(f"{TEST}v0 = split(10, 2)[0]\n{chain}{asserted}")
    assert hollow_problem(right, CODE) == ""
    hollow_one = executed(f"{TEST}v0 = Path('a').exists()\n{chain}{asserted}")
    assert NOT_DONE in hollow_problem(hollow_one, CODE)


def test_upkeep_is_shown_by_what_stands_there() -> None:
    upkeep = replace(CODE, category=Category.UPKEEP)
    assert hollow_problem(executed(HOLLOW["a file"][0]), upkeep) == ""


def test_what_fails_on_head_refutes_as_before() -> None:
    """To lower a verdict a test need not be of the best; the head is not its author's friend."""
    failing = executed(HOLLOW["a name"][0])
    assert failing.head is not None
    failing = replace(failing, head=replace(failing.head, exit_code=1))
    assert own_step(failing, CODE) == failing


def test_operators_and_built_in_functions_are_the_special_methods_that_they_call():
    asked = replace(WORDS, text="`Bill.__hash__` does not depend on the order of `__add__`")
    seen = executed(body("a, b = shop.Bill(1), shop.Bill(2)", "assert hash(a + b) == hash(b + a)"))
    assert hollow_problem(seen, asked) == ""
    beside = executed(body("a, b = shop.Bill(1), shop.Bill(2)", "assert a.total == b.total"))
    assert ABOUT in hollow_problem(beside, replace(asked, text="`__hash__` is stable"))


def test_what_only_stands_in_the_project_is_no_alias_of_something_done():
    seen = executed(body("told = shop.__doc__", "assert told.startswith('split')"))
    assert NOT_DONE in hollow_problem(seen, CODE)
