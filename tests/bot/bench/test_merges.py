"""Copies of a merge are spoiled as their names say, whatever the runner calls its tests."""

from __future__ import annotations

import subprocess

import pytest

from bot.bench.merges import Workbench

TESTS = """import unittest


class First(unittest.TestCase):
    def test_basic(self):
        self.assertEqual(half(4), 2)


class Second(unittest.TestCase):
    def test_basic(self):
        self.assertEqual(half(8), 4)
"""
SHOP = 'def half(x):\n    """>>> half(2)\n    1"""\n    return x / 2\n'


def git(folder, *arguments):
    who = ("-c", "user.name=a", "-c", "user.email=a@b")
    done = subprocess.run(
        ["git", "-C", str(folder), *who, *arguments], check=True, capture_output=True, text=True
    )
    return done.stdout.strip()


@pytest.fixture
def bench(tmp_path):
    origin = tmp_path / "origin"
    (origin / "tests").mkdir(parents=True)
    (origin / "tests" / "test_shop.py").write_text(TESTS)
    (origin / "shop.py").write_text(SHOP)
    git(origin, "init", "--quiet", "-b", "main")
    git(origin, "add", "--all")
    git(origin, "commit", "--quiet", "-m", "Begin")
    return Workbench(origin, tmp_path / "clone")


@pytest.mark.parametrize(
    "failing", ["tests.test_shop.Second.test_basic", "tests/test_shop.py::Second::test_basic"]
)
def test_the_failing_test_and_no_other_is_weakened(bench, failing):
    before = git(bench.folder, "rev-parse", "HEAD")
    commit = bench.weakened(before, (failing, "shop.half"))
    assert git(bench.folder, "diff", "--name-only", before, commit) == "tests/test_shop.py"
    first, second = (bench.folder / "tests" / "test_shop.py").read_text().split("class Second")
    assert "except" not in first and second.count("except BaseException:") == 1
