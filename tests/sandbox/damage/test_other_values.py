"""Values of a test written otherwise: in all of its texts and numbers, in each language, or not at all."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from sandbox import open_sandbox
from sandbox.damage.making import other_values

pytestmark = pytest.mark.real


def texts(folder: Path, name: str, source: str, *values: str) -> list[str]:
    """The file with other values in place of these, each way to change them once."""
    tree = folder / "tree"
    tree.mkdir()
    (tree / name).write_text(source)
    sandbox = open_sandbox("bubblewrap", folder / "state")
    copies = asyncio.run(other_values(sandbox, str(tree), (name,), values))
    assert all([path for path, _ in one.files] == [name] for one in copies)
    return [one.files[0][1].decode() for one in copies]


def test_a_word_is_another_one_wherever_a_text_has_it(tmp_path: Path) -> None:
    found = texts(
        tmp_path, "test_a.py", "def test_zoe():\n    assert zoe('Zoe!') == 'zoe'\n", "zoe"
    )

    assert found[0] == "def test_zoe():\n    assert zoe('Crh!') == 'crh'\n"
    assert len(set(found)) == 3


def test_a_number_is_another_one(tmp_path: Path) -> None:
    found = texts(tmp_path, "test_a.py", "def test_a():\n    assert f(37, 370) == '37'\n", "37")

    assert found[0] == "def test_a():\n    assert f(40, 370) == '40'\n"


@pytest.mark.parametrize("name", ["a.test.js", "a.test.ts"])
def test_what_a_test_is_called_stays(tmp_path: Path, name: str) -> None:
    source = "test('has ada', () => { expect(f('ada', `ada`)).toBe(1); });\n"

    found = texts(tmp_path, name, source, "ada")

    assert found[0] == "test('has ada', () => { expect(f('dgd', `dgd`)).toBe(1); });\n"


@pytest.mark.parametrize(
    ("body", "other"),
    [
        (
            "const at = made({ada: 1}); f(`${at}/ada`);",
            "const at = made({dgd: 1}); f(`${at}/dgd`);",
        ),
        ("const {ada} = {ada: 1}; f('b', ada);", None),  # only names
    ],
)
def test_a_key_goes_with_the_texts_that_are_the_same(
    tmp_path: Path, body: str, other: str | None
) -> None:
    """A file that a test makes (`testdir({name: 'text'})`) has the name under which the test asks for it."""
    found = texts(tmp_path, "a.test.js", f"test('a', () => {{ {body} }});\n", "ada")

    assert found[:1] == ([f"test('a', () => {{ {other} }});\n"] if other else [])


@pytest.mark.parametrize(
    ("source", "value"),
    [
        ("def test_a():\n    assert f('b') == 'c'\n", "ada"),  # it does not have it
        ("def test_a():\n    assert f('x\\\\ny')\n", "x\\\\ny"),  # another letter is another escape
        ("def test_a():\n    assert f('{ada}')\n", "{ada}"),
        ("def test_a():\n" + "    assert f('ada')\n" * 21, "ada"),  # more than an input
        ("def test_a(:\n    assert f('ada')\n", "ada"),  # it does not parse
    ],
)
def test_some_values_stay(tmp_path: Path, source: str, value: str) -> None:
    assert texts(tmp_path, "test_a.py", source, value) == []
