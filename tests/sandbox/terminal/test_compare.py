"""Files compared by kind: by value where there are values, never equal by luck."""

from __future__ import annotations

import io
import json
import zipfile
from pathlib import Path

import pytest

from sandbox.terminal.compare import Compared, compare, guarded

_MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
_LINKS = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"


@pytest.fixture
def said(tmp_path: Path):
    def compared(suffix: str, expected: str | bytes, actual: str | bytes) -> Compared:
        for name, content in (("expected", expected), ("actual", actual)):
            data = content.encode() if isinstance(content, str) else content
            (tmp_path / name).write_bytes(data)
        return compare(tmp_path / "expected", tmp_path / "actual", suffix)

    return compared


@pytest.mark.parametrize(
    ("suffix", "expected", "actual", "outcome"),
    [
        (".txt", "a\nb\n", "\ufeffa  \r\nb\r\n\r\n", "equal"),
        (".txt", "Café", "Cafe\u0301", "equal"),
        (".txt", "plain", "\x1b[1;32mplain\x1b[0m", "equal"),
        (".txt", "Total 3", "total  3", "similar"),
        (".txt", "Total 3", "Total 4", "differs"),
        (".txt", "a", "", "differs"),
        (".txt", "text", b"\xff\xfe\x00", "unreadable"),
        (".bin", b"\xff\x00", b"\xff\x01", "undecided"),
        (".json", '{"a": 1, "b": [1.0, 2]}', '{"b":[1,2.0000000001],"a":1.0}', "equal"),
        (".json", "[1, true]", "[1, 1]", "differs"),
        (".json", "[null]", "[0]", "differs"),
        (".json", '["a", "b", "b"]', '["b", "a", "b"]', "similar"),
        (".json", '["a", "b", "b"]', '["a", "a", "b"]', "differs"),
        (".json", '[{"a": 1}, {"a": 2}]', '[{"a": 2}, {"a": 1}]', "differs"),
        (".json", '{"a": 1}', '{"a": 1, "time": 3}', "similar"),
        (".json", '{"a": 1, "b": 2}', '{"a": 1}', "differs"),
        (".json", "[]", "[1]", "differs"),
        (".json", "[1]", "[1", "unreadable"),
        (".json", "[1]", "[" * 100_000, "unreadable"),
        (".jsonl", '{"a": 1}\n{"a": 2}\n', '{"a":1}\n\n{"a":2.0}', "equal"),
        (".csv", "n,v\na,0.5\n", "n;v\r\na;0.50\r\n", "equal"),
        (".csv", "B,00\nE,010\n", "B,0\nE,10\n", "differs"),
        (".csv", "n\na\nb\n", "n\nb\na\n", "similar"),
        (".csv", "n\na\n", "n\na\na\n", "differs"),
        (".csv", 'n\n"a,b"\n', "n\na,b\n", "differs"),
        (".csv", "n,v\nx,nan\n", "n,v\nx,nan \n", "equal"),
        (".png", b"\x89PNG\r\n\x1a\nrubbish", b"\x89PNG\r\n\x1a\nother", "unreadable"),
        (".xlsx", b"PK rubbish", b"PK other", "unreadable"),
    ],
)
def test_by_kind(said, suffix: str, expected, actual, outcome: str) -> None:
    if suffix == ".png":
        pytest.importorskip("PIL", reason="Pillow is in the sandbox's Python only")
    assert said(suffix, expected, actual).outcome == outcome


def book(*rows: tuple[object, ...], shared: bool = False, name: str = "Sheet1") -> bytes:
    """A workbook by hand, as the standard says: numbers as values, texts inline or shared."""
    texts: list[str] = []
    cells = []
    for number, row in enumerate(rows, start=1):
        for letter, value in zip("ABCDEF", row, strict=False):
            place = f'r="{letter}{number}"'
            if isinstance(value, str) and shared:
                texts.append(value)
                cells.append(f'<c {place} t="s"><v>{len(texts) - 1}</v></c>')
            elif isinstance(value, str):
                cells.append(f'<c {place} t="inlineStr"><is><t>{value}</t></is></c>')
            else:
                cells.append(f"<c {place}><v>{value}</v></c>")
    strings = "".join(f"<si><t>{text}</t></si>" for text in texts)
    files = {
        "xl/workbook.xml": f'<workbook xmlns="{_MAIN}" xmlns:r="{_LINKS}"><sheets>'
        f'<sheet name="{name}" r:id="rId1"/></sheets></workbook>',
        "xl/_rels/workbook.xml.rels": '<R><R Id="rId1" Target="worksheets/sheet1.xml"/></R>',
        "xl/worksheets/sheet1.xml": f'<worksheet xmlns="{_MAIN}"><sheetData><row>{"".join(cells)}'
        "</row></sheetData></worksheet>",
        "xl/sharedStrings.xml": f'<sst xmlns="{_MAIN}">{strings}</sst>',
    }
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for path, text in files.items():
            archive.writestr(path, text)
    return packed.getvalue()


@pytest.mark.parametrize(
    ("actual", "outcome"),
    [
        (book(("name", "price"), ("tea", 2.5), shared=True), "equal"),
        (book(("name", "price"), ("tea", 2.50000000001)), "equal"),
        (book(("name", "price"), ("tea", 2.6)), "differs"),
        (book(("tea", 2.5), ("name", "price")), "similar"),
        (book(("name", "price"), ("tea", 2.5), name="Other"), "differs"),
        (book(("name", "price")), "differs"),
    ],
)
def test_spreadsheets_by_cells(said, actual: bytes, outcome: str) -> None:
    assert said(".xlsx", book(("name", "price"), ("tea", 2.5)), actual).outcome == outcome


@pytest.mark.thorough
def test_a_workbook_that_unpacks_to_gigabytes(said) -> None:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("xl/workbook.xml", b" " * (65 << 20))
    seen = said(".xlsx", book(("a",)), packed.getvalue())
    assert (seen.outcome, "too large" in seen.detail) == ("unreadable", True)


def test_the_first_difference_is_told(said) -> None:
    seen = said(".json", json.dumps({"a": [{"b": 1}]}), json.dumps({"a": [{"b": "1"}]}))
    assert seen.detail == "$.a[0].b: expected 1, found '1'"
    assert said(".txt", "a\nb", "a\nc").detail == "line 2: expected 'b', found 'c'"


def test_a_reader_that_dies_is_data() -> None:
    def dies() -> Compared:
        raise SystemExit(9)

    assert guarded(dies).outcome == "unreadable"
    assert guarded(lambda: Compared("equal", "x")) == Compared("equal", "x")
