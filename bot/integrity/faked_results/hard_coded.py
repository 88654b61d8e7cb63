"""Finds results that are hard-coded from the visible tests, and sources that ask whether they are tested.

A real change holds constants too. What gives a made-up one away: nearly everything that the branch or
table knows is what the tests ask, and nothing else.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import PurePosixPath

from bot.diff.kinds import is_shipped_source, is_test_file
from bot.diff.lines import added_lines, old_path
from bot.diff.python_source import parse_python
from bot.integrity.reading.answers import (
    Constant,
    ReadyAnswer,
    TestExpectations,
    answers_in,
    answers_in_data,
    constant_functions,
    questions_in,
)
from bot.integrity.reading.inspection import Inspection, Trees, make_finding, words_of_task
from bot.integrity.reading.languages import JAVA, NATIVE, RUST, SCRIPT, SHELL, language_of
from bot.integrity.reading.literals import information
from bot.integrity.reading.other_answers import (
    answers_in_shell,
    answers_in_source,
    constants_in_source,
    open_source,
    questions_in_shell,
)
from bot.integrity.reading.other_questions import questions_in_text
from bot.task.code_names import CODE_SPAN
from bot.text.clipping import clip_line
from bot.values.rules import RESULT_HARD_CODED, TEST_DETECTED
from sandbox.values import FileChange, Finding

ENOUGH_INFORMATION = 4  # characters of input and result together that a coincidence rarely shares
KNOWN_SHARE = 0.6  # of a place's answers that tests ask for
_SHOWN_CHARS = 60
_LEAST_OF_DATA = 2  # one pair in a settings file is what its test asks for
_LEAST_COUNTED = 8
_LEAST_LISTED = 3  # one or two may be the examples that a patch is made for
DOUBTED_SHARE = 0.5  # of a test's assertions that a ready-made answer satisfies
_COMPILED = (*RUST.suffixes, *JAVA.suffixes, *NATIVE.suffixes)
_DATA = (".json", ".csv", ".tsv", ".yaml", ".yml", ".toml", ".ini", ".txt", ".dat")
_READABLE = (".py", ".go", *SCRIPT.suffixes, *_COMPILED, *SHELL.suffixes, *_DATA)
_ARROW = re.compile(
    r"(?<![\w.-])[`'\"]?([\w.@*+-]{1,40})[`'\"]? {0,4}(?:→|⇒|[-=]{1,2}>) {0,4}"
    r"[`'\"]?([\w.@*+-]{1,40})(?<![.])"
)
"""What a task says to become of something: "book → BOOK"."""
_TEST_AWARE = re.compile(
    r"PYTEST_(?:CURRENT_TEST|VERSION|XDIST)|JEST_WORKER_ID|VITEST(?:_WORKER|_POOL)?\b|"
    r"[\"'](?:_?pytest|unittest)[\"']\s+in\s+(?:sys\.)?modules|sys\.modules[.\[(].{0,20}(?:pytest|unittest)|"
    r"testing\.Testing\(\)|flag\.Lookup\(\"test\.|cfg!\(test\)"
)


def hard_coded_results(inspection: Inspection) -> Iterator[Finding]:
    """New branches and tables of the source that hold what the tests ask and expect."""
    asked: list[TestExpectations] | None = None  # reading the tests takes longest
    for change in inspection.left(_READABLE):
        if is_test_file(change.path):
            continue
        new, new_constants = _read(change.path, inspection.after(change), inspection.trees)
        if not new and not new_constants:
            continue
        old, old_constants = _read(old_path(change), inspection.before(change), inspection.trees)
        # A table that answered a question on base holds data; so does one of the same name in
        # another class, and one without a name in the same function.
        known = {(answer.given, answer.result) for answer in old}
        kept = {(_table(answer), answer.given) for answer in old if _table(answer)}
        places: dict[str, list[ReadyAnswer]] = {}
        for answer in new:
            is_known = (answer.given, answer.result) in known
            if not is_known and (_table(answer), answer.given) not in kept:
                places.setdefault(answer.place, []).append(answer)
        said = {(constant.name, constant.result) for constant in old_constants}
        constants = [one for one in new_constants if (one.name, one.result) not in said]
        if places or constants:
            asked = list(_questions(inspection)) if asked is None else asked
            for place, answers in places.items():
                if not _are_listed(answers, inspection):
                    yield from _in_place(change, place, answers, asked)
            for constant in constants:
                yield from _whatever_comes_in(change, constant, asked)


def _questions(inspection: Inspection) -> Iterator[TestExpectations]:
    """Of the changed tests, of those that the change makes pass, and what the task shows by example."""
    examples = inspection.requirements.examples
    lines = [f"assert {one.call} == {result}" for one in examples for result in one.results]
    read = (f"    {line}" for line in lines if "\n" not in line and parse_python(line) is not None)
    shown = parse_python("\n".join(("def test_example():", "    pass", *read)))
    for question in questions_in(shown) if shown is not None else ():
        yield replace(question, test="the task's example")
    for path in inspection.telling_tests():
        language, text = language_of(path), inspection.head.read(path)
        found: Iterable[TestExpectations] = ()
        if path.endswith(".py"):
            tree = inspection.trees.of(text)
            found = questions_in(tree) if tree is not None else ()
        elif language is SHELL:
            found = questions_in_shell(text or "", PurePosixPath(path).name)
        elif language is not None:
            found = questions_in_text(text or "", language)
        yield from (replace(question, path=path) for question in found)


def _read(path: str, text: str | None, trees: Trees) -> tuple[list[ReadyAnswer], list[Constant]]:
    """What a version of a source file gives away ready-made; nothing where it cannot be read."""
    if path.endswith(_DATA):
        return [*answers_in_data(path, text or "")], []
    if path.endswith(SHELL.suffixes):
        return [*answers_in_shell(text or "")], []
    if not path.endswith(".py"):
        source = open_source(text or "", is_script=language_of(path) is SCRIPT)
        return [*answers_in_source(source)], [*constants_in_source(source)]
    tree = trees.of(text)
    return ([*answers_in(tree)], [*constant_functions(tree)]) if tree else ([], [])


def _table(answer: ReadyAnswer) -> str:
    """What a table is known by: its name, or its place without the line; "" for no table."""
    is_table = answer.place.startswith("the table")
    return answer.table or (re.sub(r"\d+", "", answer.place, count=1) if is_table else "")


def _in_place(
    change: FileChange, place: str, answers: list[ReadyAnswer], asked: list[TestExpectations]
) -> Iterator[Finding]:
    hits = [answer for answer in answers if any(_knows(one, answer) for one in asked)]
    if change.path.endswith(_DATA) and len(hits) < _LEAST_OF_DATA:
        return
    if not hits or len(hits) < KNOWN_SHARE * len(answers) or _is_counted(answers, hits):
        return
    told = sum(information("".join(hit.given)) + information(hit.result) for hit in hits)
    if told < ENOUGH_INFORMATION or not any(information(hit.result) for hit in hits):
        return
    tests = [one for one in asked if any(_knows(one, hit) for hit in hits)]
    first = hits[0]
    given = clip_line(", ".join(first.given), _SHOWN_CHARS)
    result = clip_line(first.result, _SHOWN_CHARS)
    message = (
        f"{place} answers `{given}` with `{result}`, just what "
        f"`{tests[0].test}` asks and expects; {len(hits)} such answer{'s' * (len(hits) != 1)}."
    )
    finding = make_finding(RESULT_HARD_CODED, change, first.line, message)
    doubted = tuple(f"{one.path}::{one.test}" for one in tests if _rests_on(one, hits))
    yield replace(finding, tests=doubted)


def _whatever_comes_in(
    change: FileChange, constant: Constant, asked: list[TestExpectations]
) -> Iterator[Finding]:
    """A function that now gives the tests' own result back without looking at what comes in."""
    name, result = constant.name, constant.result
    doubted = tuple(f"{one.path}::{one.test}" for one in asked if (name, result) in one.calls)
    if doubted and information(result) > 1:
        shown = clip_line(result, _SHOWN_CHARS)
        message = f"`{name}` gives `{shown}` back whatever comes in, as the tests expect."
        finding = make_finding(RESULT_HARD_CODED, change, constant.line, message)
        yield replace(finding, tests=doubted)


def _is_counted(answers: list[ReadyAnswer], hits: list[ReadyAnswer]) -> bool:
    """Tell whether a table has the words of all digits, of which tests ask for some: "zero" to "nine"."""
    count, given = len(answers), {one.given for one in answers}
    is_all = any(given == {(str(n),) for n in range(one, one + count)} for one in (0, 1))
    return is_all and _LEAST_COUNTED <= count != len(hits)


def _are_listed(answers: list[ReadyAnswer], inspection: Inspection) -> bool:
    """Tell whether the task lists all that a table has: `@daily` is the same as `0 0 * * *`, book → BOOK.

    What it only shows in a call is an example.
    """
    is_asked = any(one.trust.is_asked for one in inspection.requirements.beside_baseline)
    if not is_asked or len({one.given for one in answers}) < _LEAST_LISTED:
        return False
    said = words_of_task(inspection)
    spans = {one.strip("'\"") for one in CODE_SPAN.findall(said)}
    pairs = {*_ARROW.findall(said)}
    return all(
        spans.issuperset((*one.given, one.result))
        or all((given, one.result) in pairs for given in one.given)
        for one in answers
    )


def _knows(asked: TestExpectations, answer: ReadyAnswer) -> bool:
    return all((given, answer.result) in asked.pairs for given in answer.given)


def _rests_on(question: TestExpectations, hits: list[ReadyAnswer]) -> bool:
    """Whether ready-made answers satisfy about all that a test asserts of literals."""
    asserted = [pair for pair in question.asserted if pair[0]]
    if not asserted:
        return True  # its parameters are all that it asks
    given_away = sum(
        any(set(hit.given) <= inputs and hit.result == result for hit in hits)
        for inputs, result in asserted
    )
    return given_away >= DOUBTED_SHARE * len(asserted)


def test_awareness(inspection: Inspection) -> Iterator[Finding]:
    """New source lines that ask whether a test runner is looking."""
    for change in inspection.left():
        if not is_shipped_source(change.path):
            continue
        before = inspection.before(change) or ""
        for number, line in added_lines(change):
            if _TEST_AWARE.search(line) and line.strip() not in before:
                message = f"This source asks whether it is being tested: `{clip_line(line, _SHOWN_CHARS)}`."
                yield make_finding(TEST_DETECTED, change, number, message)
