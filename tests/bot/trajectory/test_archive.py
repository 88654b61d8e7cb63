"""A log in an archive of a stranger's making: found, or left out; never an error, never too much."""

from __future__ import annotations

import io
import zipfile

import pytest

from bot.trajectory.reading import MOST_CHARACTERS, log_in_archive, read_trajectory
from tests.bot.trajectory.samples import CLAUDE_CODE


def archive(files: dict[str, str | bytes], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    """A ZIP archive of these files."""
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", method) as opened:
        for name, content in files.items():
            opened.writestr(name, content)
    return target.getvalue()


@pytest.mark.parametrize("method", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED])
def test_the_largest_log_is_read(method: int) -> None:
    files = {"notes.txt": "x" * 100_000, "small.json": "[]", "deep/Log.JSONL": CLAUDE_CODE}
    assert read_trajectory(log_in_archive(archive(files, method))).format == "Claude Code"


def test_names_lead_nowhere() -> None:
    for name in ("../../etc/log.json", "/etc/log.json", "..\\log.json", "a/" * 500 + "log.json"):
        assert log_in_archive(archive({name: "[1]"})) == "[1]"


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"no archive",
        archive({}),
        archive({"log.txt": "[1]"}),
        archive({"log.json": ""}),
        archive({"log.json": CLAUDE_CODE})[:-10],
        archive({"log.json": CLAUDE_CODE}, zipfile.ZIP_LZMA),
        archive({"log.json": "[" * 5_000_000}),  # 1,000 to 1
        archive({"log.json": b" " * (MOST_CHARACTERS + 1)}, zipfile.ZIP_STORED),
        archive({f"{n}.txt": "x" for n in range(1_000)} | {"log.json": "[1]"}),
    ],
    ids=["empty", "other", "none", "ending", "blank", "cut", "method", "bomb", "large", "many"],
)
def test_what_is_no_log_within_the_limits_is_left_out(data: bytes) -> None:
    assert log_in_archive(data) == ""


def test_an_encrypted_or_lying_entry_is_left_out() -> None:
    plain = archive({"log.json": CLAUDE_CODE})
    entry = plain.index(b"PK\x01\x02")
    encrypted = bytearray(plain)
    encrypted[entry + 8] |= 1
    encrypted[6] |= 1
    assert log_in_archive(bytes(encrypted)) == ""
    lying = bytearray(plain)
    lying[entry + 24 : entry + 28] = (5).to_bytes(4, "little")  # its size
    assert len(log_in_archive(bytes(lying))) <= 5
    moved = bytearray(plain)
    moved[entry + 42 : entry + 46] = (1 << 30).to_bytes(4, "little")  # where it begins
    assert log_in_archive(bytes(moved)) == ""
