"""Mount points inside a tree that may be hostile."""

from pathlib import Path

from sandbox.base import Mount, MountMode
from sandbox.docker.container import make_mount_points


def mounts(tree: Path, source: Path, target: str) -> tuple[Mount, ...]:
    return (Mount(str(tree), "/work/tree", MountMode.WRITABLE), Mount(str(source), target))


def test_folders_and_files_are_made_where_they_are_missing(tmp_path: Path) -> None:
    tree, file = tmp_path / "tree", tmp_path / "file"
    (tree / "a").mkdir(parents=True)
    file.touch()
    make_mount_points(mounts(tree, tmp_path, "/work/tree/a/b/c"))
    make_mount_points(mounts(tree, file, "/work/tree/d/e"))
    assert (tree / "a/b/c").is_dir()
    assert (tree / "d/e").is_file()


def test_a_link_in_the_tree_leads_nowhere(tmp_path: Path) -> None:
    tree, outside = tmp_path / "tree", tmp_path / "outside"
    tree.mkdir()
    outside.mkdir()
    (tree / ".venv").symlink_to(outside)
    make_mount_points(mounts(tree, tmp_path, "/work/tree/.venv/deps"))
    assert list(outside.iterdir()) == []


def test_a_file_in_the_way_stays(tmp_path: Path) -> None:
    tree = tmp_path / "tree"
    tree.mkdir()
    (tree / ".venv").write_text("file")
    make_mount_points(mounts(tree, tmp_path, "/work/tree/.venv/deps"))
    assert (tree / ".venv").read_text() == "file"


def test_a_folder_that_is_only_read_is_left_alone(tmp_path: Path) -> None:
    tree = tmp_path / "tree"
    tree.mkdir()
    make_mount_points((Mount(str(tree), "/work/tree"), Mount(str(tmp_path), "/work/tree/deps")))
    assert list(tree.iterdir()) == []
