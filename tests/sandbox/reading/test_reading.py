"""Searching and reading hostile trees through the real sandbox."""

from __future__ import annotations

import importlib.util
from dataclasses import replace
from pathlib import Path

import pytest

from sandbox import open_sandbox
from sandbox.base import Command, Completed, Sandbox
from sandbox.reading.read import MOST_HITS, FilePassage, WantedPassage, read, search
from sandbox.values import Observation, Side
from tests.sandbox.reading.documents import write_document

pytestmark = pytest.mark.real


@pytest.fixture(scope="module")
def sandbox(tmp_path_factory: pytest.TempPathFactory) -> Sandbox:
    return open_sandbox("bubblewrap", tmp_path_factory.mktemp("sandbox"))


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    folder = tmp_path / "tree"
    (folder / "src").mkdir(parents=True)
    (folder / "src" / "a.py").write_text("def old_name():\n    pass\n\nold_name()\n# a+b\n")
    (folder / "latin.txt").write_bytes(b"caf\xe9 old_name\n")
    (folder / "binary").write_bytes(b"\0old_name\n")
    (folder / "link.py").symlink_to("/etc/passwd")
    return folder


async def found(sandbox: Sandbox, tree: Path, wanted: WantedPassage) -> Observation:
    return await search(sandbox, Side.HEAD, str(tree), wanted)


async def test_a_text_is_found_by_file_and_line(sandbox: Sandbox, tree: Path) -> None:
    seen = await found(sandbox, tree, WantedPassage("old_name"))
    assert seen.output.splitlines() == [
        "latin.txt:1: caf\ufffd old_name",
        "src/a.py:1: def old_name():",
        "src/a.py:4: old_name()",
    ]
    assert (seen.exit_code, seen.problem) == (0, "")


@pytest.mark.parametrize(
    ("wanted", "output"),
    [
        (WantedPassage("a+b"), "src/a.py:5: # a+b"),
        (WantedPassage("^old_n.me", is_pattern=True), "src/a.py:4: old_name()"),
        (WantedPassage("root:"), "Not found."),
    ],
)
async def test_texts_are_texts_and_patterns_are_patterns(
    sandbox: Sandbox, tree: Path, wanted: WantedPassage, output: str
) -> None:
    assert (await found(sandbox, tree, wanted)).output == output


async def test_a_pattern_that_is_none_is_told(sandbox: Sandbox, tree: Path) -> None:
    seen = await found(sandbox, tree, WantedPassage("(((", is_pattern=True))
    assert "could not be done" in seen.problem


class Hurried:
    """The real sandbox with less time, so that a test need not wait for half a minute."""

    name = "hurried"

    def __init__(self, inner: Sandbox) -> None:
        self._inner = inner

    async def run(self, command: Command) -> Completed:
        limits = replace(command.limits, timeout_s=5.0)
        return await self._inner.run(replace(command, limits=limits))


async def test_a_pattern_that_never_ends_is_stopped_with_what_it_found(
    sandbox: Sandbox, tree: Path
) -> None:
    (tree / "src" / "z.txt").write_text("a" * 60 + "!\n")
    seen = await found(
        Hurried(sandbox), tree, WantedPassage(r"old_name\(\)$|^(a+)+$", is_pattern=True)
    )
    assert seen.timed_out and "did not end" in seen.problem
    assert seen.output == "src/a.py:4: old_name()"


async def test_more_hits_than_can_be_shown_are_cut(sandbox: Sandbox, tree: Path) -> None:
    (tree / "many.txt").write_text("needle\n" * 5_000)
    seen = await found(sandbox, tree, WantedPassage("needle"))
    assert seen.truncated and len(seen.output.splitlines()) == MOST_HITS


async def shown(sandbox: Sandbox, tree: Path, *passage: str | int) -> Observation:
    return await read(sandbox, Side.HEAD, str(tree), FilePassage(*passage))  # type: ignore[arg-type]


async def test_a_file_is_read_by_its_lines(sandbox: Sandbox, tree: Path) -> None:
    assert (await shown(sandbox, tree, "src/a.py", 1, 2)).output == "def old_name():\n    pass"
    assert (await shown(sandbox, tree, "latin.txt")).output == "caf\ufffd old_name"


@pytest.mark.parametrize("path", ["link.py", "../tree/src/a.py", "missing.py", "src", "binary"])
async def test_what_is_no_text_of_the_tree_is_not_read(
    sandbox: Sandbox, tree: Path, path: str
) -> None:
    seen = await shown(sandbox, tree, path)
    assert seen.problem and not seen.output


@pytest.mark.slow
@pytest.mark.skipif(
    importlib.util.find_spec("markitdown") is None, reason="the extra `documents` is not installed"
)
async def test_a_document_is_converted_inside(sandbox: Sandbox, tree: Path) -> None:
    write_document(tree / "offer.docx", "The price is 12 euros.")
    (tree / "broken.docx").write_bytes(b"PK\x03\x04 nothing")
    seen = await shown(sandbox, tree, "offer.docx")
    assert (seen.output.strip(), seen.problem) == ("The price is 12 euros.", "")
    assert "could not be converted" in (await shown(sandbox, tree, "broken.docx")).problem


@pytest.mark.slow
@pytest.mark.skipif(
    importlib.util.find_spec("markitdown") is None, reason="the extra `documents` is not installed"
)
async def test_sheets_slides_and_printed_pages_are_converted_too(
    sandbox: Sandbox, tree: Path
) -> None:
    _write_sheet(tree / "prices.xlsx", [["part", "price"], ["wheel", 12]])
    _write_slides(tree / "talk.pptx", "Why wheels turn")
    (tree / "bill.pdf").write_bytes(_printed("Twelve euros for a wheel"))
    for path, text in (
        ("prices.xlsx", "| wheel | 12 |"),
        ("talk.pptx", "Why wheels turn"),
        ("bill.pdf", "Twelve euros for a wheel"),
    ):
        seen = await shown(sandbox, tree, path)
        assert seen.problem == "" and text in seen.output, (path, seen)
        (tree / path).write_bytes((tree / path).read_bytes()[:200])
        assert "could not be converted" in (await shown(sandbox, tree, path)).problem, path


def _write_sheet(path: Path, rows: list[list[object]]) -> None:
    openpyxl = pytest.importorskip("openpyxl")
    book = openpyxl.Workbook()
    for row in rows:
        book.active.append(row)
    book.save(path)


def _write_slides(path: Path, title: str) -> None:
    pptx = pytest.importorskip("pptx")
    talk = pptx.Presentation()
    slide = talk.slides.add_slide(talk.slide_layouts[0])
    slide.shapes.title.text = title
    talk.save(path)


def _printed(text: str) -> bytes:
    """The least that is a PDF: one page with one line."""
    drawn = f"BT /F1 24 Tf 72 700 Td ({text}) Tj ET".encode()
    objects = (
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R "
        b"/Resources << /Font << /F1 5 0 R >> >> >>",
        b"<< /Length %d >>\nstream\n%s\nendstream" % (len(drawn), drawn),
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    )
    written, places = b"%PDF-1.4\n", []
    for number, one in enumerate(objects, start=1):
        places.append(len(written))
        written += b"%d 0 obj\n%s\nendobj\n" % (number, one)
    table = b"".join(b"%010d 00000 n \n" % place for place in places)
    head = b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1)
    end = b"trailer\n<< /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n"
    return written + head + table + end % (len(objects) + 1, len(written))


async def test_pages_and_drawings_are_searched_as_text(sandbox: Sandbox, tree: Path) -> None:
    (tree / "page.html").write_text("<h1>Wheel shop</h1>\n")
    (tree / "logo.svg").write_text(
        "<svg xmlns='http://www.w3.org/2000/svg'>\n<title>Wheel</title></svg>"
    )
    (tree / "photo.png").write_bytes(b"\x89PNG\r\n\x1a\n\0\0\0 Wheel")
    seen = await found(sandbox, tree, WantedPassage("Wheel"))
    assert seen.output.splitlines() == [
        "logo.svg:2: <title>Wheel</title></svg>",
        "page.html:1: <h1>Wheel shop</h1>",
    ]
