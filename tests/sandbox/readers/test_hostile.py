"""Every reader on hostile input: it answers, within bounds, and does not believe what is torn."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sandbox.harness import outcome
from sandbox.harness.readers import MESSAGE_CHARS, NAME_CHARS, Reading, read_tap
from sandbox.harness.supervisor import cargo, ctest, go

WORDS = {
    outcome.PASSED,
    outcome.XPASSED,
    outcome.XFAILED,
    outcome.SKIPPED,
    outcome.FAILED,
    outcome.ERROR,
}
READERS: dict[str, Callable[[str], Reading]] = {
    "tap": read_tap,
    "junit": lambda text: ctest.read_junit(text.encode("utf-8", "replace")),
    "go": go.read_events,
    "libtest": cargo.read_results,
}
# Pieces of the real formats, so that random documents come near to real ones.
PIECES = st.sampled_from(
    [
        "ok", "not ok", "ok 1 - a", "not ok 2 b # TODO later", "ok 3 # SKIP", "1..3", "1..0 # skip",
        "TAP version 14", "Bail out! x", "  ok 1 - sub", "ok 99999999999999999999",
        "<testsuite>", "<testcase name='a' time='1e999'>", "<failure message='x'/>", "</testcase>",
        "<!DOCTYPE a [<!ENTITY b 'c'>]>", "</testsuite>", "<skipped/>", "&b;",
        '{"Action":"run","Test":"TestA"}', '{"Action":"pass","Test":"TestA","Elapsed":-1}',
        '{"Action":"fail"}', '{"Action":"output","Test":["x"],"Output":7}', "[[[[", '"',
        "test a ... ok", "test a ... FAILED", "test result: ok. 1 passed; 0 failed; 0 ignored; 0",
        "a: test", "1 test, 0 benchmarks", "---- a stdout ----", "failures:", "\0", "\ud800", "é",
    ]
)  # fmt: skip
DOCUMENTS = st.lists(st.one_of(PIECES, st.text(max_size=40)), max_size=40).map("\n".join)


@pytest.mark.parametrize("name", READERS)
@given(text=DOCUMENTS)
def test_a_reader_answers_whatever_it_is_given(name: str, text: str) -> None:
    reading = READERS[name](text)
    for test in reading.tests:
        assert test.outcome in WORDS
        assert len(test.message) <= MESSAGE_CHARS
        assert len(test.name) <= NAME_CHARS
        assert 0 <= test.seconds < 1e6


@given(count=st.integers(1, 30), data=st.data())
def test_a_tap_stream_that_lost_a_line_is_not_whole(count: int, data: st.DataObject) -> None:
    lines = [f"1..{count}", *(f"ok {number} - test {number}" for number in range(1, count + 1))]
    assert not read_tap("\n".join(lines)).problem
    lost = data.draw(st.integers(0, count))
    torn = lines[:lost] + lines[lost + 1 :]
    reading = read_tap("\n".join(torn))
    assert reading.problem or not reading.tests


@given(count=st.integers(1, 30), number=st.integers(1, 40), bad=st.booleans())
def test_a_point_too_many_is_not_whole(count: int, number: int, bad: bool) -> None:
    """The tested code prints a point of its own among the real ones."""
    lines = [f"ok {index} - test {index}" for index in range(1, count + 1)]
    forged = f"{'not ' * bad}ok {number} - made up"
    where = min(number, count - 1) if count > 1 else 0
    text = "\n".join([f"1..{count}", *lines[:where], forged, *lines[where:]])
    assert read_tap(text).problem


@given(
    names=st.lists(st.from_regex(r"Test[A-Z][a-z]{1,5}", fullmatch=True), min_size=1, unique=True)
)
def test_go_events_without_an_end_are_a_problem(names: list[str]) -> None:
    events = []
    for name in names:
        events += [f'{{"Action":"run","Test":"{name}"}}', f'{{"Action":"pass","Test":"{name}"}}']
    events.append('{"Action":"pass","Package":"a"}')
    assert [t.name for t in go.read_events("\n".join(events)).tests] == names
    assert not go.read_events("\n".join(events)).problem
    for missing in range(len(events)):
        assert go.read_events("\n".join(events[:missing] + events[missing + 1 :])).problem


def test_a_second_end_of_a_go_test_is_a_problem_and_the_worse_one_counts() -> None:
    events = ["run", "pass", "fail", "pass"]
    text = "\n".join(f'{{"Action":"{one}","Test":"TestA"}}' for one in events)
    reading = go.read_events(text + '\n{"Action":"fail"}')
    assert reading.problem
    assert [t.outcome for t in reading.tests] == [outcome.FAILED]


def test_a_second_line_of_a_rust_test_is_a_problem_and_the_worse_one_counts() -> None:
    text = (
        "test a ... FAILED\ntest a ... ok\n"
        "test result: ok. 1 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out\n"
    )
    reading = cargo.read_results(text)
    assert reading.problem
    assert [t.outcome for t in reading.tests] == [outcome.FAILED]


def test_entities_are_never_expanded() -> None:
    lol = "".join(f'<!ENTITY l{n} "{f"&l{n - 1};" * 10}">' for n in range(1, 9))
    text = f'<!DOCTYPE x [<!ENTITY l0 "lol">{lol}]><testsuite><testcase name="&l8;"/></testsuite>'
    reading = ctest.read_junit(text.encode())
    assert reading.problem
    assert not reading.tests


def test_a_deep_document_is_refused() -> None:
    assert ctest.read_junit(b"<a>" * 100_000).problem


def test_a_torn_document_keeps_what_it_told() -> None:
    text = b"<testsuite><testcase name='a' time='0.5'/><testcase name='b'><fail"
    reading = ctest.read_junit(text)
    assert [(t.name, t.seconds) for t in reading.tests] == [("a", 0.5)]
    assert reading.problem


def test_ctest_tells_what_was_not_run() -> None:
    text = (
        b"<testsuite><testcase name='gone' status='notrun'><skipped message='no program'/></testcase>"
        b"<testcase name='off' status='disabled'><skipped message='Disabled'/></testcase>"
        b"<testcase name='bad' status='fail'><failure message=''/><system-out>why</system-out></testcase>"
        b"<testcase name='good' status='run'/></testsuite>"
    )
    seen = {t.name: t.outcome for t in ctest.read_junit(text).tests}
    assert seen == {"gone": "skipped", "off": "skipped", "bad": "failed", "good": "passed"}
    assert ctest.read_junit(text).tests[2].message == "why"


def test_several_streams_follow_one_another() -> None:
    text = (
        "1..2\nok 1 a\nok 2 b\nhello\nTAP version 13\n1..1\nnot ok 1 c\n# because\nok 1 d\n1..1\n"
    )
    reading = read_tap(text)
    assert not reading.problem
    assert [(t.name, t.outcome) for t in reading.tests] == [
        ("a", "passed"),
        ("b", "passed"),
        ("c", "failed"),
        ("d", "passed"),
    ]
    assert reading.tests[2].message == "because"


def test_directives_count() -> None:
    text = "1..4\nok 1 a # SKIP no net\nnot ok 2 b # TODO\nok 3 c # todo\nok 4 d \\# SKIP\n"
    words = [t.outcome for t in read_tap(text).tests]
    assert words == ["skipped", "xfailed", "xpassed", "passed"]
