"""What a tree's listing holds, and that every ecosystem reads the same one."""

from __future__ import annotations

import os
from pathlib import Path

from sandbox.toolchains.tree import LISTED_FILES, Tree
from tests.sandbox.toolchains.projects import write


def test_files_are_listed_sorted_without_hidden_and_vendored_folders(tmp_path: Path) -> None:
    names = ("b.py", "a/z.py", "a/b/c.py", ".git/config", "node_modules/x/index.js", ".hidden")
    tree = Tree(write(tmp_path, dict.fromkeys(names, "")))
    assert tree.files() == (".hidden", "b.py", "a/z.py", "a/b/c.py")


def test_a_listing_is_capped(tmp_path: Path) -> None:
    for number in range(LISTED_FILES + 1):
        os.mknod(f"{tmp_path}/{number:06}")
    assert len(Tree(tmp_path).files()) == LISTED_FILES


def test_a_tree_is_walked_once(tmp_path: Path) -> None:
    tree = Tree(write(tmp_path, {"a.py": ""}))
    assert tree.files() == ("a.py",)
    write(tmp_path, {"b.py": ""})
    assert tree.files() == ("a.py",)
    assert Tree(tmp_path).files() == ("a.py", "b.py")
