"""Compares an expected file with what a program wrote, by kind: values, cells, pixels, else text."""

from __future__ import annotations

import csv
import io
import json
import math
import os
import re
import resource
import signal
import unicodedata
import zipfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from xml.etree import ElementTree

try:
    from PIL import Image, ImageChops  # where the sandbox has it: Debian's python3-pil
except ImportError:
    Image = None  # told as what is missing

_MOST_BYTES = 20 << 20
_RELATIVE, _ABSOLUTE = 1e-6, 1e-9
ANSI = re.compile(r"\x1b(\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(\x07|\x1b\\)?|[@-Z\\-_])")
Rows = list[list[str]]


class Unreadable(Exception):
    """A file is not what its name says; the text says which and why."""


@dataclass(frozen=True, slots=True)
class Compared:
    """`outcome` is a word of `sandbox.values.FileOutcome`; `detail` the first difference, in words."""

    outcome: str
    detail: str = ""


def compare(expected: Path, actual: Path, suffix: str) -> Compared:
    """Compare two files of a kind: "equal", "similar", "differs", "unreadable" or "undecided".

    Similar: every value is there, but their order, layout or company differs.
    """
    if max(expected.stat().st_size, actual.stat().st_size) > _MOST_BYTES:
        return Compared("undecided", "it is too large to be compared")
    wanted, found = expected.read_bytes(), actual.read_bytes()
    if wanted == found:
        return Compared("equal")
    if suffix in PICTURES:
        return compare_pictures(wanted, found)
    try:
        return _BY_SUFFIX.get(suffix, _by_text)(wanted, found)
    except Unreadable as error:
        return Compared("unreadable", str(error))


# --- text -------------------------------------------------------------------------------------


def plain(text: str) -> str:
    """One form for what looks the same: line ends, spaces at line ends, composed letters, no colours."""
    text = unicodedata.normalize("NFC", ANSI.sub("", text.replace("\r\n", "\n")))
    return "\n".join(line.rstrip() for line in text.split("\n")).strip("\n")


def _text(data: bytes) -> str:
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise Unreadable("it is no UTF-8 text") from error


def _by_text(wanted: bytes, found: bytes) -> Compared:
    try:
        expected = plain(_text(wanted))
    except Unreadable:
        return Compared("undecided", "files of this kind can only be compared byte by byte")
    actual = plain(_text(found))
    if expected == actual:
        return Compared("equal")
    if "".join(expected.split()).casefold() == "".join(actual.split()).casefold():
        return Compared("similar", "only spaces, line breaks or capitals differ")
    lines, other_lines = expected.split("\n"), actual.split("\n")
    for number, (one, other) in enumerate(zip(lines, other_lines, strict=False), start=1):
        if one != other:
            detail = f"line {number}: expected {one[:200]!r}, found {other[:200]!r}"
            return Compared("differs", detail)
    return Compared("differs", f"expected {len(lines)} lines, found {len(other_lines)}")


# --- values -----------------------------------------------------------------------------------


def _by_json(wanted: bytes, found: bytes) -> Compared:
    expected, actual = _json(wanted, "the expected file"), _json(found, "the file")
    difference = _differs(expected, actual, "$")
    if not difference:
        return Compared("equal")
    if _holds(expected, actual):
        return Compared("similar", f"every value is there, but: {difference}")
    return Compared("differs", difference)


def _json(data: bytes, whose: str) -> object:
    try:
        value: object = json.loads(_text(data))
    except (ValueError, RecursionError) as error:
        raise Unreadable(f"{whose} is no JSON: {str(error)[:200]}") from error
    return value


def _are_close(one: float, other: float) -> bool:
    return one == other or math.isclose(one, other, rel_tol=_RELATIVE, abs_tol=_ABSOLUTE)


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _differs(expected: object, actual: object, where: str) -> str:
    """The first difference, in words; empty when there is none."""
    if isinstance(expected, dict) and isinstance(actual, dict):
        for key in (*expected, *(k for k in actual if k not in expected)):
            if key not in actual or key not in expected:
                return f"{where}.{key} is {'not expected' if key in actual else 'missing'}"
            if inner := _differs(expected[key], actual[key], f"{where}.{key}"):
                return inner
        return ""
    if isinstance(expected, list) and isinstance(actual, list):
        for index, (one, other) in enumerate(zip(expected, actual, strict=False)):
            if inner := _differs(one, other, f"{where}[{index}]"):
                return inner
        same = len(expected) == len(actual)
        return "" if same else f"{where}: expected {len(expected)} entries, found {len(actual)}"
    if isinstance(expected, int | float) and isinstance(actual, int | float):
        both_numbers = _is_number(expected) and _is_number(actual)
        same = _are_close(expected, actual) if both_numbers else expected is actual
    else:
        same = type(expected) is type(actual) and expected == actual
    return "" if same else f"{where}: expected {repr(expected)[:200]}, found {repr(actual)[:200]}"


def _holds(expected: object, actual: object) -> bool:
    """Whether `actual` has all that is expected, with more keys, or names and numbers in another order.

    A list of records has an order; a list of names may be a set that somebody printed.
    """
    if isinstance(expected, dict) and isinstance(actual, dict):
        return all(key in actual and _holds(expected[key], actual[key]) for key in expected)
    if isinstance(expected, list) and isinstance(actual, list):
        if len(expected) != len(actual) or len(expected) > 2000:
            return False
        if any(isinstance(one, dict | list) for one in expected):
            return all(map(_holds, expected, actual))
        left = list(actual)
        for one in expected:
            index = next((i for i, other in enumerate(left) if not _differs(one, other, "")), None)
            if index is None:
                return False
            del left[index]
        return True
    return not _differs(expected, actual, "")


def _by_json_lines(wanted: bytes, found: bytes) -> Compared:
    parts = [
        b"[" + b",".join(line for line in data.splitlines() if line.strip()) + b"]"
        for data in (wanted, found)
    ]
    return _by_json(*parts)


# --- tables -----------------------------------------------------------------------------------


def _by_csv(wanted: bytes, found: bytes) -> Compared:
    return _by_rows(_csv(wanted), _csv(found), "row")


def _csv(data: bytes) -> Rows:
    text = _text(data)
    first = text.partition("\n")[0]
    delimiter = max(",;\t|", key=first.count)
    try:
        rows = list(csv.reader(io.StringIO(text, newline=""), delimiter=delimiter))
    except csv.Error as error:
        raise Unreadable(f"it is no table: {error}") from error
    return [[cell.strip() for cell in row] for row in rows if any(cell.strip() for cell in row)]


def _by_rows(expected: Rows, actual: Rows, what: str) -> Compared:
    for number, (one, other) in enumerate(zip(expected, actual, strict=False), start=1):
        if not _same_row(one, other):
            detail = f"{what} {number}: expected {one[:20]}, found {other[:20]}"
            break
    else:
        if len(expected) == len(actual):
            return Compared("equal")
        detail = f"expected {len(expected)} {what}s, found {len(actual)}"
    if len(expected) == len(actual) and all(map(_same_row, sorted(expected), sorted(actual))):
        return Compared("similar", f"the same {what}s in another order; {detail}")
    return Compared("differs", detail)


def _same_row(one: list[str], other: list[str]) -> bool:
    return len(one) == len(other) and all(map(_same_cell, one, other))


def _same_cell(one: str, other: str) -> bool:
    if one == other:
        return True
    # A number with a leading zero is a code or an id: 010 is not 10.
    if re.match(r"[+-]?0\d", one) or re.match(r"[+-]?0\d", other):
        return False
    try:
        return _are_close(float(one), float(other))
    except ValueError:
        return False


def _by_sheets(wanted: bytes, found: bytes) -> Compared:
    expected, actual = read_sheets(wanted), read_sheets(found)
    if [name for name, _ in expected] != [name for name, _ in actual]:
        return Compared("differs", f"sheets: expected {expected and [n for n, _ in expected]}")
    outcomes = [
        _by_rows(rows, other, f"{name}: row")
        for (name, rows), (_, other) in zip(expected, actual, strict=True)
    ]
    order = ("equal", "similar", "differs")
    return max(outcomes, key=lambda one: order.index(one.outcome), default=Compared("equal"))


_BY_SUFFIX: dict[str, Callable[[bytes, bytes], Compared]] = {
    **dict.fromkeys((".json", ".geojson"), _by_json),
    **dict.fromkeys((".jsonl", ".ndjson"), _by_json_lines),
    **dict.fromkeys((".csv", ".tsv"), _by_csv),
    **dict.fromkeys((".xlsx", ".xlsm"), _by_sheets),
}


# --- pictures --------------------------------------------------------------------------------


_MOST_PIXELS = 40_000_000
_SAME_SHADE = 8  # of 255: what re-encoding and anti-aliasing do
_ALIKE_SHARE = 0.02
BY_BROWSER = (".png", ".jpg", ".jpeg", ".gif", ".webp", ".bmp")
PICTURES = (*BY_BROWSER, ".tif", ".tiff", ".ppm")
"""What pictures end with: those that a browser shows, and all that can be compared."""
_FORMATS = ("PNG", "JPEG", "GIF", "BMP", "WEBP", "TIFF", "PPM")


def compare_pictures(wanted: bytes, found: bytes) -> Compared:
    """Equal: no pixel differs by more than a shade (a thin line is few pixels); similar: one in fifty."""
    if Image is None:
        return Compared("undecided", "comparing pictures needs python3-pil in the sandbox")
    try:
        expected, actual = _pixels(wanted), _pixels(found)
    except (OSError, ValueError, SyntaxError, Image.DecompressionBombError) as error:
        return Compared("unreadable", f"it cannot be read as a picture: {str(error)[:200]}")
    if expected.size != actual.size:
        return Compared("differs", f"expected {expected.size} pixels, found {actual.size}")
    bands = ImageChops.difference(expected, actual).split()
    worst = bands[0]
    for band in bands[1:]:
        worst = ImageChops.lighter(worst, band)
    shades = worst.histogram()
    different = sum(shades[_SAME_SHADE + 1 :])
    share = float(different / max(1, expected.width * expected.height))
    detail = f"{100 * share:.2f} % of the pixels differ"
    if share == 0:
        return Compared("equal", detail)
    return Compared("similar" if share <= _ALIKE_SHARE else "differs", detail)


def _pixels(data: bytes) -> Image.Image:
    with Image.open(io.BytesIO(data), formats=_FORMATS) as picture:
        if picture.width * picture.height > _MOST_PIXELS:
            raise ValueError(f"it has {picture.width} x {picture.height} pixels")
        return picture.convert("RGBA")


# --- reads a hostile file in a child of its own: what it breaks there, and how long it takes, is data


_SECONDS = 20
_MEMORY_BYTES = 2 << 30
_ANSWER_BYTES = 1 << 16


def guarded(work: Callable[[], Compared]) -> Compared:
    """Do the work in a child with little time and memory; say "unreadable" when it does not answer."""
    reading, writing = os.pipe()
    pid = os.fork()
    if pid == 0:
        try:
            resource.setrlimit(resource.RLIMIT_AS, (_MEMORY_BYTES, _MEMORY_BYTES))
            resource.setrlimit(resource.RLIMIT_CPU, (_SECONDS, _SECONDS))
            signal.alarm(_SECONDS)
            found = work()
            answer = json.dumps([found.outcome, found.detail[:1000]]).encode()
            os.write(writing, answer[:_ANSWER_BYTES])
        finally:
            os._exit(0)
    os.close(writing)
    with os.fdopen(reading, "rb") as answers:
        said = answers.read(_ANSWER_BYTES)
    os.waitpid(pid, 0)
    if not said:
        return Compared("unreadable", "reading it ended without an answer")
    outcome, detail = json.loads(said)
    return Compared(outcome, detail)


# --- reads the cells of an .xlsx workbook (ECMA-376) by the standard library, within bounds -------


_MOST_BYTES_OF_BOOK = 64 << 20
_MOST_CELLS = 500_000
_MAIN = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"
_LINK = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}id"
_CELL = re.compile(r"([A-Z]{1,3})(\d{1,7})")
Sheet = tuple[str, list[list[str]]]


def read_sheets(data: bytes) -> list[Sheet]:
    """Return each sheet's name and its rows of shown values; empty rows and trailing blanks are left out.

    Raises Unreadable for a file that is no workbook, or is too large when unpacked.
    """
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as book:
            if sum(entry.file_size for entry in book.infolist()) > _MOST_BYTES_OF_BOOK:
                raise Unreadable("it is too large when unpacked")
            shared: list[str] = []
            if "xl/sharedStrings.xml" in book.namelist():
                texts = _xml(book, "xl/sharedStrings.xml")
                shared = ["".join(t.text or "" for t in item.iter(f"{_MAIN}t")) for item in texts]
            links = _xml(book, "xl/_rels/workbook.xml.rels")
            targets = {link.get("Id"): link.get("Target", "") for link in links}
            found = []
            for sheet in _xml(book, "xl/workbook.xml").iter(f"{_MAIN}sheet"):
                target = targets[sheet.get(_LINK)].lstrip("/")
                path = target if target.startswith("xl/") else f"xl/{target}"
                found.append((sheet.get("name", ""), _rows(_xml(book, path), shared)))
            return found
    except (zipfile.BadZipFile, ElementTree.ParseError, KeyError, ValueError, OSError) as error:
        raise Unreadable(f"it is no workbook: {str(error)[:200]}") from error


def _xml(book: zipfile.ZipFile, name: str) -> ElementTree.Element:
    with book.open(name) as file:
        data = file.read(_MOST_BYTES_OF_BOOK + 1)
    if len(data) > _MOST_BYTES_OF_BOOK:
        raise Unreadable("it is too large when unpacked")
    return ElementTree.fromstring(data)  # noqa: S314  in the sandbox, in a bounded child


def _rows(root: ElementTree.Element, shared: list[str]) -> list[list[str]]:
    rows: dict[int, dict[int, str]] = {}
    for count, cell in enumerate(root.iter(f"{_MAIN}c")):
        place = _CELL.fullmatch(cell.get("r", ""))
        if count > _MOST_CELLS or place is None:
            raise Unreadable("it has too many cells, or cells without a place")
        if cell.get("t") == "inlineStr":
            value = "".join(text.text or "" for text in cell.iter(f"{_MAIN}t")).strip()
        else:
            stored = cell.find(f"{_MAIN}v")
            value = (stored.text or "").strip() if stored is not None else ""
            if cell.get("t") == "s" and value:
                value = shared[int(value)].strip()
        if value:
            column = 0
            for letter in place[1]:
                column = column * 26 + ord(letter) - 64
            rows.setdefault(int(place[2]), {})[column] = value
    return [
        [row.get(column, "") for column in range(1, max(row) + 1)]
        for _, row in sorted(rows.items())
    ]
