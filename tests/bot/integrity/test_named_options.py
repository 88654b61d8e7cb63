"""Options that a task names, and that nothing takes."""

from __future__ import annotations

import pytest

from bot.integrity import inspect_integrity
from bot.values import Category, FourWay, Requirement, Requirements, Trust, rules
from sandbox.values import Diff
from tests.bot.integrity.test_integrity import Tree, changed

BEFORE = "import sys\n\n\ndef main(words):\n    print(report(words))\n"
ASKED = "With the option `--json` the orders are printed as JSON"
HOLLOW = f"import json\n{BEFORE}\n\ndef as_json(orders):\n    return json.dumps(orders)\n"


def found(after: str, asked: str = ASKED, path: str = "src/cli.py", **others: str) -> list[str]:
    """What is said of a command line that became another one; `others` are files that stay."""
    wanted = Requirements((Requirement("R1", asked, Category.BEHAVIOUR, "issue #1", Trust.ASKER),))
    diff = Diff((changed(path, BEFORE, after),))
    sides = Tree({path: BEFORE, **others}), Tree({path: after, **others})
    findings = inspect_integrity(diff, *sides, FourWay(()), wanted)
    return [one.message for one in findings if one.rule == rules.OPTION_MISSING]


@pytest.mark.parametrize(
    "asked", [ASKED, "Add `--json`", "A flag `--json` prints JSON", "Support `--json FILE`"]
)
def test_an_option_that_no_file_has(asked: str) -> None:
    (message,) = found(HOLLOW, asked)
    assert "the option `--json`, and no file but documents has it" in message
    assert found(HOLLOW, asked, **{"README.md": "`--json` prints JSON\n"}) == [message]


def test_an_option_of_a_command_that_is_to_be_typed() -> None:
    asked = "Links expire.\n\n- On the command line: `src ... link --json-too NAME`"
    head = f"{HOLLOW}\nparser.add_argument('--quiet')\nshow(json_too=1)\n"
    assert found(head, asked)
    assert not found(f"{head}\nparser.add_argument('--json-too')\n", asked)
    assert not found(head, asked.replace("`src", "`other"))
    assert not found(head, asked.replace("On the command line", "I ran"))
    assert not found(f"{HOLLOW}\nfire.Fire(show)\n", asked)


@pytest.mark.parametrize(
    "line",
    [
        "parser.add_argument('--json', action='store_true')",
        "parser.add_argument('-j', '--json')",
        "def main(words, json: bool = False): pass",
        "def main(words, json_=False): pass",
        "if argv.json: pass",
        "flags = {json: true}",
        'flag.Bool("json", false, "print JSON")',
        "const {json} = parse(argv)",
    ],
)
def test_the_ways_to_take_one(line: str) -> None:
    assert found(f"{HOLLOW}\n\n{line}\n") == []


@pytest.mark.parametrize("line", ["def main(dry_run=False): pass", "if options.dryRun: pass"])
def test_one_of_two_words(line: str) -> None:
    asked = "With the option `--dry-run` nothing is written"
    assert found(HOLLOW, asked) != []
    assert found(f"{HOLLOW}\n{line}\n", asked) == []


@pytest.mark.parametrize(
    "asked",
    [
        "Remove the option `--json`",
        "pytest takes the option `--json`, and so do we",
        "`main` is as fast as `--json`",
        "The option --json prints JSON",
    ],
)
def test_what_asks_for_no_option_of_this_program(asked: str) -> None:
    assert found(HOLLOW, asked) == []


def test_a_test_or_a_file_of_base_that_has_it_is_enough() -> None:
    assert found(HOLLOW, **{"tests/test_cli.py": "main(['--json'])\n"}) == []
    assert found(HOLLOW, **{"scripts/run": "exec cli --json\n"}) == []
