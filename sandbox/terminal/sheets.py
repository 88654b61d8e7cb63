"""Reads the cells of an .xlsx workbook (ECMA-376) by the standard library, within bounds."""

from __future__ import annotations

import io
import re
import zipfile
from xml.etree import ElementTree

_MOST_BYTES = 64 << 20
_MOST_CELLS = 500_000
_MAIN = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"
_LINK = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}id"
_CELL = re.compile(r"([A-Z]{1,3})(\d{1,7})")
Sheet = tuple[str, list[list[str]]]


class NotASheet(Exception):
    """The file is no workbook that can be read."""


def read_sheets(data: bytes) -> list[Sheet]:
    """Return each sheet's name and its rows of shown values; empty rows and trailing blanks are left out.

    Raises NotASheet for a file that is no workbook, or is too large when unpacked.
    """
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as book:
            if sum(entry.file_size for entry in book.infolist()) > _MOST_BYTES:
                raise NotASheet("it is too large when unpacked")
            return list(_sheets(book))
    except (zipfile.BadZipFile, ElementTree.ParseError, KeyError, ValueError, OSError) as error:
        raise NotASheet(f"it is no workbook: {str(error)[:200]}") from error


def _sheets(book: zipfile.ZipFile) -> list[Sheet]:
    shared = _shared(book)
    targets = {
        link.get("Id"): link.get("Target", "") for link in _xml(book, "xl/_rels/workbook.xml.rels")
    }
    found = []
    for sheet in _xml(book, "xl/workbook.xml").iter(f"{_MAIN}sheet"):
        target = targets[sheet.get(_LINK)].lstrip("/")
        path = target if target.startswith("xl/") else f"xl/{target}"
        found.append((sheet.get("name", ""), _rows(_xml(book, path), shared)))
    return found


def _xml(book: zipfile.ZipFile, name: str) -> ElementTree.Element:
    with book.open(name) as file:
        data = file.read(_MOST_BYTES + 1)
    if len(data) > _MOST_BYTES:
        raise NotASheet("it is too large when unpacked")
    return ElementTree.fromstring(data)  # noqa: S314  in the sandbox, in a bounded child


def _shared(book: zipfile.ZipFile) -> list[str]:
    if "xl/sharedStrings.xml" not in book.namelist():
        return []
    root = _xml(book, "xl/sharedStrings.xml")
    return ["".join(text.text or "" for text in item.iter(f"{_MAIN}t")) for item in root]


def _rows(root: ElementTree.Element, shared: list[str]) -> list[list[str]]:
    rows: dict[int, dict[int, str]] = {}
    for count, cell in enumerate(root.iter(f"{_MAIN}c")):
        place = _CELL.fullmatch(cell.get("r", ""))
        if count > _MOST_CELLS or place is None:
            raise NotASheet("it has too many cells, or cells without a place")
        value = _value(cell, shared)
        if value:
            rows.setdefault(int(place[2]), {})[_column(place[1])] = value
    return [
        [row.get(column, "") for column in range(1, max(row) + 1)]
        for _, row in sorted(rows.items())
    ]


def _column(letters: str) -> int:
    number = 0
    for letter in letters:
        number = number * 26 + ord(letter) - 64
    return number


def _value(cell: ElementTree.Element, shared: list[str]) -> str:
    if cell.get("t") == "inlineStr":
        return "".join(text.text or "" for text in cell.iter(f"{_MAIN}t")).strip()
    value = cell.find(f"{_MAIN}v")
    text = (value.text or "").strip() if value is not None else ""
    return shared[int(text)].strip() if cell.get("t") == "s" and text else text
