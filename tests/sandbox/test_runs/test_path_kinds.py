"""Which files belong to the tests, and what of two trees runs crosswise."""

from __future__ import annotations

from pathlib import Path

import pytest

from sandbox.test_runs.four_way import Crosswise, find_crosswise
from sandbox.test_runs.path_kinds import PathKind, classify, scope


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("app.py", "source"),
        ("src/pkg/testing.py", "source"),
        ("src/pkg/testing/tools.py", "source"),
        ("django/test/client.py", "source"),
        ("docs/tests.md", "source"),
        ("contest_entry.py", "source"),
        ("testimony.py", "source"),
        ("tests/test_app.py", "test"),
        ("test_app.py", "test"),
        ("pkg/app_test.py", "test"),
        ("pkg/tests/app_tests.py", "test"),
        ("pkg/ab_tests.py", "source"),
        ("shop/tests.py", "test"),
        ("testing/test_hooks.py", "test"),
        ("tests/__init__.py", "support"),
        ("tests/tools.py", "support"),
        ("tests/data/in.json", "support"),
        ("pkg/tests/data/in.json", "support"),
        ("test/cases.txt", "support"),
        ("pkg/__snapshots__/test_app.ambr", "support"),
        ("conftest.py", "support"),
        ("pkg/conftest.py", "support"),
        ("pyproject.toml", "runner_config"),
        ("pytest.ini", "runner_config"),
        ("tests/pytest.ini", "runner_config"),
        ("tox.ini", "runner_config"),
        ("setup.cfg", "runner_config"),
        ("setup.py", "source"),
        ("source/index.ts", "source"),
        ("lib/commands/test/index.js", "source"),
        ("lib/contest.js", "source"),
        ("test/advanced.ts", "test"),
        ("src/__tests__/app.tsx", "test"),
        ("src/app.spec.mjs", "test"),
        ("src/app.test.jsx", "test"),
        ("test.js", "test"),
        ("test.node.js", "test"),
        ("test.config.js", "source"),
        ("karma.conf.js", "runner_config"),
        ("test.d.ts", "source"),
        ("spec/app.js", "test"),
        ("packages/one/test/a.js", "test"),
        ("test/_tools.js", "support"),
        ("test/fixtures/a.test-data.js", "support"),
        ("test/helpers/make.js", "support"),
        ("fixtures/unreadable/.gitignore", "support"),
        ("test/fixtures/help/package.json", "support"),
        ("fixtures/a/pyproject.toml", "support"),
        ("test/package.json", "runner_config"),
        ("src/fixtures/package.json", "runner_config"),
        ("packages/one/fixtures/a.js", "support"),
        ("src/fixtures/a.js", "source"),
        ("test-d/index.d.ts", "support"),
        ("src/__snapshots__/app.test.js.snap", "support"),
        ("index.test-d.ts", "support"),
        ("tap-snapshots/test/app.js.test.cjs", "support"),
        ("src/app.test.js.snapshot", "support"),
        ("jest.setup.ts", "support"),
        ("src/setupTests.js", "support"),
        ("package.json", "runner_config"),
        ("vitest.config.mts", "runner_config"),
        (".mocharc.yml", "runner_config"),
        (".taprc", "runner_config"),
        ("test/mocha.opts", "runner_config"),
        ("spec/support/jasmine.json", "runner_config"),
        ("webpack.config.js", "source"),
    ],
)
def test_paths_are_told_apart_by_name(path: str, kind: str) -> None:
    assert classify(path) == PathKind(kind)


@pytest.mark.parametrize(
    ("path", "folder"),
    [
        ("conftest.py", ""),
        ("tests/unit/conftest.py", "tests/unit"),
        ("tests/data/deep/in.json", "tests"),
        ("pkg/tests/data/in.json", "pkg/tests"),
        ("pkg/__snapshots__/a.ambr", "pkg"),
        ("tap-snapshots/test/unit/app.js.test.cjs", "test/unit"),
        ("packages/a/tap-snapshots/test-app.js-TAP.test.js", "packages/a"),
        ("fixtures/deep/a.json", ""),
        ("packages/a/fixtures/a.json", "packages/a"),
        ("pyproject.toml", ""),
        ("tests/pytest.ini", "tests"),
    ],
)
def test_support_reaches_as_far_as_its_folder(path: str, folder: str) -> None:
    assert scope(path) == folder


def write(root: Path, files: dict[str, str]) -> Path:
    for path, text in files.items():
        target = root / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text)
    root.mkdir(exist_ok=True)
    return root


COMMON = {"app.py": "1", "tests/test_a.py": "a", "tests/test_b.py": "b", "tests/sub/test_c.py": "c"}


def crosswise(tmp_path: Path, base: dict[str, str], head: dict[str, str]) -> Crosswise:
    one = write(tmp_path / "base", {**COMMON, **base})
    return find_crosswise(one, write(tmp_path / "head", {**COMMON, **head}))


def test_a_change_of_sources_runs_nothing_crosswise(tmp_path: Path) -> None:
    assert crosswise(tmp_path, {}, {"app.py": "2", "new.py": ""}) == Crosswise((), (), ())


def test_edited_added_and_deleted_test_files(tmp_path: Path) -> None:
    found = crosswise(
        tmp_path,
        {"tests/test_gone.py": "x"},
        {"tests/test_a.py": "A", "tests/test_new.py": "n"},
    )
    assert found == Crosswise(
        swapped=("tests/test_a.py", "tests/test_gone.py", "tests/test_new.py"),
        base_paths=("tests/test_a.py", "tests/test_gone.py"),
        head_paths=("tests/test_a.py", "tests/test_new.py"),
    )


def test_a_conftest_takes_its_folder_along(tmp_path: Path) -> None:
    found = crosswise(tmp_path, {}, {"tests/sub/conftest.py": "x", "tests/test_a.py": "A"})
    assert found.swapped == ("tests/sub/conftest.py", "tests/test_a.py")
    assert found.base_paths == found.head_paths == ("tests/sub", "tests/test_a.py")


def test_new_data_cannot_change_what_base_tests_do(tmp_path: Path) -> None:
    found = crosswise(tmp_path, {}, {"tests/data/new.json": "{}"})
    assert (found.base_paths, found.head_paths) == ((), ("tests",))


def test_only_the_runners_part_of_a_configuration_counts(tmp_path: Path) -> None:
    found = crosswise(
        tmp_path,
        {"pyproject.toml": "[project]\nversion = '1'\n[tool.pytest.ini_options]\naddopts = '-q'\n"},
        {"pyproject.toml": "[project]\nversion = '2'\n[tool.pytest.ini_options]\naddopts = '-q'\n"},
    )
    assert found == Crosswise((), (), ())


def test_a_changed_runner_configuration_runs_everything_crosswise(tmp_path: Path) -> None:
    found = crosswise(
        tmp_path, {"setup.cfg": "[tool:pytest]\naddopts = -q\n"}, {"setup.cfg": "[metadata]\n"}
    )
    assert found == Crosswise(("setup.cfg",), ("",), ("",))


def test_links_are_compared_as_links(tmp_path: Path) -> None:
    one, other = write(tmp_path / "base", COMMON), write(tmp_path / "head", COMMON)
    (one / "tests/data").symlink_to("/etc/passwd")
    (other / "tests/data").symlink_to("/etc/passwd")
    assert find_crosswise(one, other) == Crosswise((), (), ())
    (other / "tests/data").unlink()
    (other / "tests/data").symlink_to("/etc/shadow")
    assert find_crosswise(one, other).swapped == ("tests/data",)


def test_of_a_manifest_only_the_runners_sections_travel(tmp_path: Path) -> None:
    base = {"package.json": '{"version": "1", "jest": {"testMatch": ["a"]}}'}
    head = {"package.json": '{"version": "2", "jest": {"testMatch": ["a"]}}'}
    assert crosswise(tmp_path / "one", base, head) == Crosswise((), (), ())
    narrowed = {"package.json": '{"version": "2", "jest": {"testMatch": ["b"]}}'}
    assert crosswise(tmp_path / "two", base, narrowed).base_paths == ("",)


@pytest.mark.parametrize("key", ["tool.pytest", "project"])
def test_a_configuration_with_a_number_too_long_to_read_is_compared_whole(
    tmp_path: Path, key: str
) -> None:
    head = {"pyproject.toml": f"[{key}]\nlevel = {'1' * 5_000}\n"}
    found = crosswise(tmp_path, {"pyproject.toml": "[project]\n"}, head)
    assert found == Crosswise(("pyproject.toml",), ("",), ("",))


def test_a_script_that_only_one_side_has_concerns_both(tmp_path: Path) -> None:
    found = crosswise(tmp_path, {}, {"tests/helpers/tool.js": "1", "tests/data.json": "{}"})
    assert "tests" in found.base_paths and "tests" in found.head_paths
