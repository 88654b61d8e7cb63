"""What a change touches is shown as the functions that it stands in, from their signature on."""

from __future__ import annotations

from bot.diff.unified import changed_code
from sandbox.values import ChangeStatus, Diff, FileChange, Hunk

SHOP = (
    "import math\n\n\nclass Bill:\n    def total(self, tax: float = 0.0) -> int:\n        whole = 1\n"
    "        return whole + 2\n\n    def other(self):\n        return 3\n\n\ndef last(a):\n    return a\n"
)


class Head:
    def read(self, path: str) -> str | None:
        return {"src/shop.py": SHOP, "tests/test_shop.py": SHOP}.get(path)

    def read_bytes(self, path: str) -> bytes | None:
        return None

    def paths(self) -> tuple[str, ...]:
        return ("src/shop.py", "tests/test_shop.py")


def change(path: str, start: int, *lines: str) -> FileChange:
    return FileChange(path, ChangeStatus.MODIFIED, hunks=(Hunk(start, 2, start, 2, lines),))


def test_the_signature_and_the_body_of_what_changed_are_shown() -> None:
    inner = change("src/shop.py", 6, "         whole = 1", "+        return whole + 2")
    text = changed_code(Diff((inner,)), Head(), 1_000)
    assert text.startswith("src/shop.py, line 4:\nclass Bill:")
    assert "def total(self, tax: float = 0.0) -> int:" in text and "def last" not in text
    outer = change("src/shop.py", 13, " def last(a):", "-    return b", "+    return a")
    assert changed_code(Diff((outer,)), Head(), 1_000) == (
        "src/shop.py, line 13:\ndef last(a):\n    return a"
    )


def test_a_signature_on_many_lines_is_shown_whole() -> None:
    text = "import re\n\n\ndef escape(\n    src: str,\n    pos: int,\n) -> str:\n    return src[pos:]\n"
    head = {"a.py": text}
    change = FileChange(
        "a.py",
        ChangeStatus.MODIFIED,
        hunks=(Hunk(8, 1, 8, 1, ("-    return 1", "+    return src[pos:]")),),
    )

    class Reader(Head):
        def read(self, path: str) -> str | None:
            return head.get(path)

    shown = changed_code(Diff((change,)), Reader(), 1_000)
    assert shown.startswith("a.py, line 4:\ndef escape(\n    src: str,")


def test_of_a_long_function_the_signature_and_what_is_near_are_shown() -> None:
    lines = [
        "def fractional(value):",
        *(f"    a{n} = {n}" for n in range(90)),
        "    return value",
        "",
        "x = 1",
    ]

    class Reader(Head):
        def read(self, path: str) -> str | None:
            return "\n".join(lines)

    edit = FileChange(
        "a.py", ChangeStatus.MODIFIED, hunks=(Hunk(92, 1, 92, 1, ("+    return value",)),)
    )
    shown = changed_code(Diff((edit,)), Reader(), 2_000).splitlines()
    assert shown[:3] == ["a.py, line 1:", "def fractional(value):", "…"]
    assert (
        shown[-1] == "    return value" and "    a85 = 85" in shown and "    a40 = 40" not in shown
    )


def test_tests_and_what_has_no_room_are_left_out() -> None:
    tests = change("tests/test_shop.py", 13, " def last(a):", "+    return a")
    code = change("src/shop.py", 13, " def last(a):", "+    return a")
    assert changed_code(Diff((tests,)), Head(), 1_000) == ""
    assert changed_code(Diff((code,)), Head(), 10) == ""
