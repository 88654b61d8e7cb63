"""Which trees may be deleted, on real folders."""

from __future__ import annotations

import os
import time
from pathlib import Path

from sandbox.folders import leased
from sandbox.repository.checkout import CheckoutRequest, take
from sandbox.repository.mirror import RepositorySource, evict, release
from sandbox.values import Checkout
from tests.sandbox.repositories import Repository

DAYS, PLENTY = 7, 10 * 1024**3
DAY_S = 24 * 3600


def checked_out(tmp_path: Path, holder: str) -> Checkout:
    folder = tmp_path / "project"
    if not folder.exists():
        repository = Repository(folder)
        repository.commit({"a": "1" * 1000})
        repository.commit({"a": "2" * 1000})
    request = CheckoutRequest(holder, RepositorySource(str(folder)), "main~1", "main")
    return take(tmp_path / "root", request)


def test_a_held_tree_stays_and_a_released_one_goes(tmp_path: Path) -> None:
    first = checked_out(tmp_path, "e1")
    checked_out(tmp_path, "e2")
    root = tmp_path / "root"
    assert evict(root, DAYS, 0) == 0
    release(root, "e1")
    assert evict(root, DAYS, 0) == 0
    release(root, "e2")
    assert evict(root, DAYS, 0) >= 2000
    assert not Path(first.head_tree).exists()
    assert Path(checked_out(tmp_path, "e3").head_tree, "a").exists()


def test_what_is_young_and_small_stays(tmp_path: Path) -> None:
    checkout = checked_out(tmp_path, "e1")
    root = tmp_path / "root"
    release(root, "e1")
    assert evict(root, DAYS, PLENTY) == 0
    old = time.time() - 8 * DAY_S
    os.utime(Path(checkout.base_tree).parent, (old, old))
    assert evict(root, DAYS, PLENTY) >= 1000
    assert not Path(checkout.base_tree).exists()
    assert Path(checkout.head_tree).exists()


def test_the_hold_of_a_dead_worker_ends(tmp_path: Path) -> None:
    checkout = checked_out(tmp_path, "e1")
    old = time.time() - 2 * DAY_S
    for hold in (tmp_path / "root" / "trees").glob("*/*.held-*"):
        os.utime(hold, (old, old))
    assert evict(tmp_path / "root", DAYS, 0) >= 2000
    assert not Path(checkout.head_tree).exists()


def test_a_tree_that_is_being_written_stays(tmp_path: Path) -> None:
    above = tmp_path / "root" / "trees" / "r"
    with leased(above, "sha.partial-") as partial:
        (partial / "tree").mkdir()
        assert evict(tmp_path / "root", DAYS, 0) == 0
        assert partial.exists()


def test_a_tree_whose_writer_was_killed_goes_at_once(tmp_path: Path) -> None:
    above = tmp_path / "root" / "trees" / "r"
    with leased(above, "sha.partial-") as partial:
        pass
    (partial / "tree").mkdir(parents=True)
    evict(tmp_path / "root", DAYS, PLENTY)
    assert not partial.exists()


def test_a_mirror_that_nobody_opened_for_long_goes(tmp_path: Path) -> None:
    checked_out(tmp_path, "e1")
    root = tmp_path / "root"
    (mirror,) = (root / "mirrors").glob("*.git")
    old = time.time() - 8 * DAY_S
    os.utime(mirror, (old, old))
    assert evict(root, DAYS, PLENTY) == 0
    release(root, "e1")
    assert evict(root, DAYS, PLENTY) > 0
    assert not mirror.exists()
    assert Path(checked_out(tmp_path, "e2").head_tree, "a").exists()
