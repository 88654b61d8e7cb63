"""What a test hands in has neighbours; what it expects, ids, patterns and titles have none."""

from __future__ import annotations

from dataclasses import replace

from bot.judges.inputs import MOST_ALIKE, MOST_DIFFERING, near_inputs, told_differences
from sandbox.elsewhere.values import BothSides, TestedInput


def literals(*sources: str) -> list[str]:
    return [one.literal for one in near_inputs(sources)]


def test_only_what_calls_get_is_an_input():
    source = (
        '@pytest.mark.slow("why")\n@patch("shop.clock")\ndef test_parse(clock):\n'
        '    """A word about 12."""\n'
        '    with pytest.raises(ValueError, match="too many"):\n        parse("1,5", 7)\n'
        '    assert parse("1.5") == 150\n    assert str(parse(3)) == "300"\n'
    )
    assert sorted(literals(source)) == sorted(["'1,5'", "7", "'1.5'", "3"])


def test_of_a_table_only_the_columns_that_are_handed_in():
    source = (
        '@pytest.mark.parametrize("text, cents", [("1", 100), pytest.param("2", 200, id="two")], '
        'ids=["one", "second"])\ndef test_parse(text, cents):\n    assert parse(text) == cents\n'
    )
    assert literals(source) == ["'1'", "'2'"]


def test_a_variable_is_followed():
    assert literals("def test_it():\n    given = 'abc'\n    assert f(given) == 'xyz'\n") == [
        "'abc'"
    ]


def test_bytes_decimals_and_containers_have_neighbours_too():
    source = (
        "def test_it():\n    assert f(b'ab') == 1\n    assert g(Decimal('1.50')) == 2\n"
        "    assert h([3, 4]) == 7\n    assert k({'a': 5}) == 5\n"
    )
    near = {one.literal: one.near for one in near_inputs([source])}
    assert "b''" in near["b'ab'"] and "b'ba'" in near["b'ab'"]
    assert 'Decimal("-1.50")' in near["Decimal('1.50')"]
    assert "[]" in near["[3, 4]"] and "[3, 4][::-1]" in near["[3, 4]"]
    assert "{}" in near["{'a': 5}"]
    assert {"3", "4", "'a'", "5"} & set(near) == {"3", "4", "5"}


def test_other_languages_lose_titles_and_expectations():
    source = 'test("adds 12", () => {\n  expect(add(3)).toBe(8);\n  assert.equal(add(4), 9);\n});\n'
    assert "3" in literals(source) and not {"8", "'adds 12'"} & set(literals(source))


def test_what_changed_near_a_tested_input_is_told_and_the_rest_is_not():
    tested = BothSides("chunked('AB', -1)", "yields []", "raised ValueError")
    near = (
        BothSides("chunked('AB', 0)", "yields []", "raised ValueError"),
        BothSides("chunked('AB', 2)", "yields ['AB']", "yields ['AB']"),
    )
    one = TestedInput(tested, "chunked", "test_negative", "tests/test_more.py", near=near)
    assert told_differences((one, one)) == (
        "chunked('AB', 0): base yields []; head raised ValueError"
    )
    many = tuple(BothSides(f"f({n})", "1", str(n + 2)) for n in range(40))
    told = told_differences((replace(one, near=many),)).splitlines()
    assert len(told) == MOST_DIFFERING + 1 and told[-1] == f"… and {40 - MOST_DIFFERING} more"


def test_what_base_only_refuses_does_not_push_out_what_it_gives() -> None:
    refused = tuple(BothSides(f"f(1, by={n})", "raised TypeError", str(n)) for n in range(40))
    given = BothSides("f(2)", "returned 2", "returned 3")
    tested = BothSides("f(1, by=7)", "raised TypeError", "7")
    one = TestedInput(tested, "f", "test_f", "tests/test_f.py", near=(*refused, given))
    told = told_differences((one,)).splitlines()
    assert told[0] == "f(2): base returned 2; head returned 3"
    assert len(told) == MOST_ALIKE + 2 and told[-1] == f"… and {40 - MOST_ALIKE} more"
