"""Values as text and back, and the values near them: also of texts that nobody honest wrote."""

from __future__ import annotations

import collections
import datetime
import enum
import io
import subprocess
import threading
from decimal import Decimal
from pathlib import PurePosixPath
from typing import Any
from unicodedata import category, name

import pytest
from packaging.version import Version

from sandbox.elsewhere.inside.calls import is_of_test
from sandbox.elsewhere.inside.objects import Instance, Reference
from sandbox.elsewhere.inside.values import Given, given, literal, read
from sandbox.elsewhere.node import read_arguments, written
from sandbox.elsewhere.python import PythonDriver
from sandbox.elsewhere.told import (
    CallOutcome,
    Recorded,
    both_sides,
    is_callers_own,
    is_only_kept_otherwise,
    shown_beside,
)
from sandbox.elsewhere.values import MOST_SHOWN
from sandbox.elsewhere.variation import near, neighbors, swapped

UTC = datetime.UTC


class Kind(enum.Enum):
    """A member is known by its name."""

    PLAIN = 1


class Box:
    """Nothing but its attributes."""

    def __init__(self, items: list[int]) -> None:
        self.items = items

    def grown(self) -> Box:
        """Return another box, and change this one."""
        self.items.append(0)
        return Box([*self.items])


ALIKE = [
    datetime.date(2024, 1, 31),
    datetime.datetime(2024, 2, 29, 12, 30, tzinfo=UTC),
    datetime.time(23, 59),
    datetime.timedelta(days=-1, seconds=3),
    len,
    Decimal,
    Kind.PLAIN,
    Version("1.2rc1"),
    PurePosixPath("/shop/prices"),
    collections.Counter("aab"),
    bytearray(b"a\x00"),
    io.BytesIO(b"12"),
    {"out": io.StringIO("12")},
    [{1: (Version("1.0"), None)}, Decimal("1.5")],
]


@pytest.mark.parametrize("value", ALIKE, ids=lambda value: type(value).__name__)
def test_what_is_made_again_is_alike(value: Any) -> None:
    text = literal(value)
    assert text is not None
    assert literal(read(text)) == text
    again = given(read(text))
    assert type(again) is type(value)
    assert literal(again) == text
    for other in near(read(text)):
        assert literal(other) is not None


@pytest.mark.parametrize(
    "value",
    [
        object(),
        lambda: 1,
        threading.Lock(),
        collections.deque([1]),
        ValueError("x"),
        {Version("1")},
    ],
    ids=lambda value: type(value).__name__,
)
def test_what_cannot_be_made_again_has_no_text(value: object) -> None:
    assert literal(value) is None


def test_a_function_of_a_test_is_told_by_what_it_gave() -> None:
    text = "[stub('rate', [(('EUR', 'USD'), 3), (('EUR', 'USD'), 4)])]"
    assert literal(read(text)) == text
    (rate,) = given(read(text))
    assert [rate("EUR", "USD"), rate("EUR", "USD"), rate("EUR", target="USD")] == [3, 4, 4]
    other = rate("EUR", "GBP")
    assert other not in (3, 4)
    assert given(read(text))[0]("EUR", "GBP") == other
    assert rate("EUR", "CHF") != other


def test_a_function_of_a_test_that_was_never_called_gives_nothing() -> None:
    (never,) = given(read("[stub('never', [])]"))
    assert never(1) is never("a") is None


def test_a_file_is_read_on_from_where_it_was_and_tells_what_is_written_to_it() -> None:
    file = io.StringIO("a line\nanother")
    file.readline()
    (again,) = given(read(literal([file]) or ""))
    assert again.read() == "another"
    before = Given([again])
    again.write("!")
    assert before.left(None) == " and left [StringIO('a line\\nanother!', 15)]"
    again.close()
    assert literal(again) is None


def test_a_function_of_a_test_gives_a_list_anew_each_time() -> None:
    (names,) = given(read("[stub('names', [((), ['a'])])]"))
    names().append("b")
    assert names() == names("other") == ["a"]


def test_attributes_are_varied_but_those_that_an_object_keeps_for_itself() -> None:
    box = Instance("shop:Box", {"width": 3, "_area": 9})
    states = [one.state for one in near(box)]
    assert len(states) > 20
    assert {one["_area"] for one in states} == {9}
    assert all(one["width"] != 3 for one in states)


def test_a_table_of_objects_that_hold_their_keys_is_varied_as_a_whole() -> None:
    roles = {
        one: Instance("m:Role", {"name": one, "of": of}) for one, of in (("a", ()), ("bc", ("a",)))
    }
    within = ((), {}, {"_roles": roles, "of": ["bc"]})

    assert near(roles) == [] and near({"a": roles["a"], "b": 1}) != []
    text = repr(swapped(within, "a", "xyz"))
    assert text.count("'xyz'") == 3 and "'a'" not in text


def test_a_program_is_varied_by_its_words_and_lines() -> None:
    text = "from typing import Any\nif Any:\n    import shop\n"
    others = near(text)
    assert "from typing import Dqb\nif Dqb:\n    import shop\n" in others
    assert "from typing import Any\nif Any:\n" in others
    assert "from typing import Any\n    import shop\n" in others


def test_a_text_is_also_written_as_people_write_it() -> None:
    assert {" 12h ", "12H", "-12h", "12 h"} <= {*near("12h")}
    units = [one for one, _ in neighbors("3d", ("d", "h", "m", "seconds of it", 60))]
    assert {"3h", " 3h ", "-3h", "3m"} <= {*units[:30]}
    assert "3seconds of it" not in units


@pytest.mark.parametrize("text", ["Café", "ÉCOLE", "привет", "cafe\u0301", "日本"])
def test_letters_outside_ascii_are_varied_within_their_kind(text: str) -> None:
    own = [one for one in text if not one.isascii()]
    others = [one for one in near(text) if len(one) == len(text)]
    changed = [[a for a, b in zip(one, text, strict=True) if not b.isascii()] for one in others]
    whole = [one for one in changed if all(a != b for a, b in zip(one, own, strict=True))]
    assert len({*map(tuple, whole)}) >= 5
    kinds = [[(category(a), name(a).partition(" ")[0]) for a in one] for one in whole]
    right = [(category(one), name(one).partition(" ")[0]) for one in own]
    assert sum(one == right for one in kinds) >= 5
    assert "٤ kg" in near("٣ kg")


def test_what_a_method_changes_beside_a_new_object_is_told() -> None:
    box = Box([1])
    held = Given([], box)
    assert held.left(None) == ""
    assert held.left(box.grown()) == " and left [[1, 0]]"
    items = [1]
    passed = Given([Box(items)])
    items.append(2)
    assert passed.left(None) == " and left [[1, 2]]"


class Loud(type):
    """A class that answers no question."""

    def __getattribute__(cls, name: str) -> Any:
        if name in ("__module__", "__qualname__"):
            raise RuntimeError(name)
        return super().__getattribute__(name)


class Quiet(metaclass=Loud):
    """Nobody learns where it is found."""


def test_a_class_that_answers_no_question_ends_nothing() -> None:
    assert literal(Quiet()) is None
    assert literal([Quiet]) is None
    assert Given([Quiet()], Quiet()).left(Quiet()) == ""


HOSTILE = [
    "instance(1, 2)",
    "instance('shop:Box', [])",
    "instance('shop:Box', {1: 2})",
    "instance('os; x', {})",
    "instance('shop:Box')",
    "reference(1)",
    "reference('shop')",
    "reference('shop:Box', {})",
    "datetime.date(0, 0, 0)",
    "datetime.timedelta(days=10**12)",
    "datetime.timedelta(days=999999999999)",
    "datetime.sleep(1)",
    "Fraction('1e999999999')",
    "{instance('shop:Box', {}): 1}",
    "BytesIO('a', 0)",
    "StringIO('a', -1)",
    "bytearray(b'a', 1)",
    "stub('price', [1])",
    "stub('price', [(1, 2)])",
    "stub(1, [((), 2)])",
    "(" * 500,
    "__import__('os')",
]


@pytest.mark.parametrize("text", HOSTILE)
def test_a_text_that_nobody_honest_wrote_is_no_value(text: str) -> None:
    call = Recorded("shop", "price", 0, f"(({text},), {{}})", "t.py", "test", "returned 1", "")
    assert PythonDriver().values(call) == ()
    assert PythonDriver().taken(call) == 0
    assert PythonDriver().without(call, frozenset({"price"})) is None


@pytest.mark.parametrize("state", ["1", "{'()': 1}", "{'()': (1, 2, 3)}", "{'()': ((), [])}"])
def test_what_an_object_was_made_of_may_be_anything(state: str) -> None:
    arguments = f"((), {{'price': 1}}, {state})"
    call = Recorded("shop", "Shop.sum", 0, arguments, "t.py", "test", "returned 1", "")
    assert PythonDriver().without(call, frozenset({"price"})) is None


@pytest.mark.parametrize(
    "value",
    [datetime.timedelta.max, datetime.timedelta.min, datetime.date.max, datetime.date.min],
    ids=str,
)
def test_the_first_and_the_last_time_have_neighbors(value: object) -> None:
    assert all(type(one) is type(value) for one in near(value))


def test_what_nobody_sees_in_a_text_is_written_so_that_it_is_seen() -> None:
    text = '["\\ufeffA=1\\u200b", {["\\u2060b"]: "ä→ 😀"}]'
    assert written(list(read_arguments(text))) == text
    script = f"console.log(require('./sandbox/elsewhere/inside/node/values.cjs').literal({text}))"
    ran = subprocess.run(["node", "-e", script], capture_output=True, text=True, check=True)
    assert ran.stdout.strip() == text


def test_dates_of_javascript_are_read_and_written() -> None:
    text = '[new Date("2024-01-31T10:20:30.123Z"), {at: new Date("1999-12-31T00:00:00.000Z")}, new Date(NaN)]'
    values = read_arguments(text)
    assert written(list(values)) == text
    assert all(written(one).startswith('new Date("') for one in near(values[0]))


def test_a_name_is_shown_as_one_writes_it() -> None:
    assert repr(Reference("shop.money:Kind.PLAIN")) == "Kind.PLAIN"
    assert repr(Instance("shop:Box", {"items": [1]})) == "Box(items=[1])"


def test_of_a_long_call_what_tells_it_from_the_tested_one_is_shown() -> None:
    begin = f"fixed(text='{'from typing import Any; ' * 4}"
    tested = f"{begin}import shop', level=3)"
    assert shown_beside(tested, tested) == tested[:MOST_SHOWN]
    assert shown_beside("fixed(text='a')", tested) == "fixed(text='a')"
    assert shown_beside(f"{begin}import till', level=3)", tested) == (
        "fixed(… y; import till', level=3)"
    )
    assert shown_beside(f"{begin}import shop', level=4)", tested).endswith("level=4)")
    assert both_sides(tested, f"returned {begin}a", f"returned {begin}b").on_head.endswith("b")


def test_what_looks_at_bytes_is_written_as_them() -> None:
    view = memoryview(b"ab")
    text = literal([view])
    assert text == "[memoryview(b'ab')]"
    (again,) = given(read(text))
    assert type(again) is memoryview
    assert again == view
    view.release()
    assert literal([view]) is None
    for forged in ("bytearray('a')", "memoryview(1, 2)", "bytearray(b'a', b'b')"):
        with pytest.raises(ValueError):
            read(forged)


def test_another_type_is_tried_wherever_a_value_stands() -> None:
    call = Recorded(
        "kit", "show", 0, "(([b'a', {'x': b'b'}],), {'key': b'c'})", "t.py", "t", "", ""
    )
    swapped = PythonDriver().swapped(call, "bytes", "bytearray")
    assert swapped is not None
    assert swapped.shown == "show([bytearray(b'a'), {'x': bytearray(b'b')}], key=bytearray(b'c'))"
    assert PythonDriver().swapped(call, "tuple", "list") is None


@pytest.mark.parametrize(
    ("name", "test", "is_its"),
    [
        ("test_total", "tests/test_kit.py::test_total_is_rounded", False),
        ("test_total", "tests/test_kit.py::TestKit::test_total", True),
        ("test_total", "tests/test_kit.py::test_total[1-2]", True),
        ("adds", "test/kit.js::kit > adds", True),
    ],
)
def test_a_call_is_of_the_test_that_has_its_whole_name(name: str, test: str, is_its: bool) -> None:
    assert is_of_test(name, test) is is_its


@pytest.mark.parametrize(
    ("base", "head", "is_alike"),
    [
        (
            "None and left {'_of': {'eve': {'a'}}}",
            "None and left {'_of': {'eve': {'a': None}}}",
            True,
        ),
        ("None and left {'_of': {'a'}, 'n': 1}", "None and left {'_of': ['a'], 'n': 2}", False),
        ("None and left {'of': {'a'}}", "None and left {'of': ['a']}", False),  # everybody sees it
        ("None and left {'_n': 1}", "None and left {'_n': 2}", False),
        ("1 and left {'_of': {'a'}}", "2 and left {'_of': ['a']}", False),
        ("None and left {'_of': {'a'}}", "None and left {'_of': ", False),
    ],
)
def test_how_an_object_keeps_something_to_itself_is_nothing_that_others_see(
    base: str, head: str, is_alike: bool
) -> None:
    assert is_only_kept_otherwise(f"returned {base}", f"returned {head}") is is_alike


@pytest.mark.parametrize(
    ("under_test", "elsewhere", "is_so"),
    [
        ("returned {'module': 'tests.test_log'}", "returned {'module': '__main__'}", True),
        ("returned 'test_log'", "returned '__main__'", True),
        ("returned 'test_log'", "returned 'other'", False),
        ("returned ('test_log', 1)", "returned ('__main__', 2)", False),
        ("returned 'test_log_2'", "returned '__main___2'", False),
        ("returned 1", "returned 1", False),
    ],
)
def test_the_name_of_the_module_that_calls_is_no_other_answer(under_test, elsewhere, *, is_so):
    assert is_callers_own("tests/test_log.py", under_test, elsewhere) is is_so


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("returned -0.0", "returned 0.0"),
        ("returned {'a': -0, 'b': [-0.0]}", "returned {'a': 0, 'b': [0.0]}"),
        ("returned -0.05", "returned -0.05"),
        ("returned 3-0", "returned 3-0"),
        ("returned '2024-07-01'", "returned '2024-07-01'"),
    ],
)
def test_a_zero_has_no_sign(text: str, shown: str) -> None:
    assert CallOutcome(text, unsteady=False, later="", times=1, dated="").all == shown
