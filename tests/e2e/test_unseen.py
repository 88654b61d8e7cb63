"""What the diff of a change cannot show keeps anybody from saying that no test was weakened."""

from __future__ import annotations

import importlib.util
import marshal

import pytest

from tests.e2e.folder import FIX, Files, Folder, Judged, open_folder

pytestmark = [pytest.mark.real, pytest.mark.slow]

LFS = "version https://git-lfs.github.com/spec/v1\noid sha256:" + "0" * 64 + "\nsize 9\n"
EVIL = "def price(cents):\n    return 8\n\n\ndef name():\n    return 'shop'\n"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Folder:
    return open_folder(tmp_path_factory.mktemp("unseen"))


def compiled(source: str, flags: int) -> bytes:
    """A `.pyc` of this machine's Python; flags 1 says that nobody is to check it against its source."""
    header = importlib.util.MAGIC_NUMBER + flags.to_bytes(4, "little") + b"\0" * 8
    return header + marshal.dumps(compile(source, "/work/tree/shop.py", "exec"))


def b3_of(judged: Judged) -> tuple[str, str]:
    (row,) = [row for row in judged.document.requirements if row.id == "B3"]
    return row.verdict, row.reason


@pytest.mark.parametrize(
    ("name", "files", "told"),
    [
        ("bytecode", {"tools/extra.pyc": compiled(EVIL, 0)}, "tools/extra.pyc: This binary file"),
        ("library", {"native.bin": b"\x7fELF\0\0\x01"}, "native.bin: This binary file"),
        ("pickle", {"table.pkl": b"\x80\x04\x95\0."}, "table.pkl: This binary file"),
        ("pointer", {"data/model.txt": LFS}, "data/model.txt: This is a large-file (LFS) pointer"),
    ],
)
def test_content_that_can_be_loaded_needs_a_reader(
    folder: Folder, name: str, files: Files, told: str
) -> None:
    judged = folder.judge(folder.branch(name, {**FIX, **files}))
    verdict, reason = b3_of(judged)
    assert (verdict, judged.conclusion) == ("unverified", "action_required")
    assert told in reason


@pytest.mark.parametrize("mode", ["160000", "120000"])
def test_a_submodule_and_a_link_in_place_of_code(folder: Folder, mode: str) -> None:
    head = folder.branch(f"mode-{mode}", FIX)
    git = folder.repository.git
    content = folder.repository.blob("tests/test_price.py") if mode == "120000" else "1" * 40
    git("update-index", "--add", "--cacheinfo", f"{mode},{content},tests/test_more.py")
    git("commit", "--quiet", "-m", "more")
    git("reset", "--quiet", "--hard") if mode == "120000" else None
    verdict, reason = b3_of(folder.judge(head))
    assert verdict == "unverified"
    assert reason.startswith("tests/test_more.py: This s")


def test_pictures_are_no_code(folder: Folder) -> None:
    judged = folder.judge(folder.branch("picture", {**FIX, "docs/a.png": b"\x89PNG\r\n\0\0"}))
    assert judged.conclusion == "success", judged.said()


def test_bytecode_beside_its_source_is_not_run(folder: Folder) -> None:
    """Unchecked bytecode of right code would hide that the source is wrong."""
    right = str(FIX["shop.py"])
    wrong = right.replace("2 * cents", "3 * cents")
    pyc = {"__pycache__/shop.cpython-311.pyc": compiled(right, 1)}
    judged = folder.judge(folder.branch("stale", {**FIX, "shop.py": wrong, **pyc}))
    assert judged.conclusion == "failure", judged.said()
