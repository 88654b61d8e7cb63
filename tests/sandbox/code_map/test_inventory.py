"""What is listed of a large tree."""

from __future__ import annotations

from pathlib import Path

from sandbox.code_map.inventory import take_inventory


def test_a_tree_over_the_limit_still_lists_what_the_diff_changes(tmp_path: Path) -> None:
    for number in range(5):
        folder = tmp_path / f"d{number}"
        folder.mkdir()
        for file in range(10):
            (folder / f"{file}.py").touch()
    seen = take_inventory(tmp_path, changed=frozenset(("d4/9.py",)), max_files=40)
    assert "d4/9.py" in seen.files
    assert len(seen.files) == 41
    assert seen.left_out["over the limit for one repository"] == 9


def test_what_is_known_and_not_changed_is_not_read_again(tmp_path: Path) -> None:
    for name in ("a.py", "b.py"):
        (tmp_path / name).write_text("x = 1\n")
    known = take_inventory(tmp_path)
    for name in ("a.py", "b.py"):
        (tmp_path / name).write_text("x = 2\n")
    seen = take_inventory(tmp_path, known, frozenset(("a.py",)))
    assert seen.files["a.py"].blob != known.files["a.py"].blob
    assert seen.files["b.py"] == known.files["b.py"]


def test_what_others_wrote_is_not_listed(tmp_path: Path) -> None:
    for name in ("src/a.py", "node_modules/b/b.js", "vendor/c.go", "readme.md"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("x")
    assert set(take_inventory(tmp_path).files) == {"src/a.py"}
