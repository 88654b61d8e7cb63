"""Which files a runner of its own process for each file takes for tests."""

from __future__ import annotations

from pathlib import Path

import pytest

from sandbox.harness.node_start import test_files as files_of

NONE = '{"name": "kit"}'
SETTINGS = {
    "no setting": (NONE, "", [], ["test/a.js", "test/utils/bin.js"]),
    "package.json": ('{"tap": {"files": ["test/*.js"]}}', "", [], ["test/a.js"]),
    "one pattern": ('{"tap": {"files": "test/*.js"}}', "", [], ["test/a.js"]),
    "other settings": ('{"tap": {"jobs": 1}}', "", [], ["test/a.js", "test/utils/bin.js"]),
    "its own file": (NONE, "jobs: 1\nfiles:\n  - test/*.js\ntimeout: 3\n", [], ["test/a.js"]),
    "its own line": (NONE, "files: ['test/*.js']\n", [], ["test/a.js"]),
    "the command line": ('{"tap": {"files": ["test/*.js"]}}', "", ["lib/b.js"], ["lib/b.js"]),
}


@pytest.mark.parametrize("name", SETTINGS)
def test_tap_runs_the_files_of_its_setting(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    manifest, own, words, files = SETTINGS[name]
    for path in ("test/a.js", "test/utils/bin.js", "lib/b.js"):
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).touch()
    (tmp_path / "package.json").write_text(manifest)
    if own:
        (tmp_path / ".taprc").write_text(own)
    monkeypatch.chdir(tmp_path)

    assert files_of("tap", words, []).run == files
