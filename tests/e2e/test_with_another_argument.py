"""A tested call is made, too, with an option that other tests give: what is refused stays refused."""

from __future__ import annotations

import json
import shutil

import pytest

from tests.e2e.folder import open_folder

pytestmark = [
    pytest.mark.slow,
    pytest.mark.real,
    pytest.mark.skipif(
        shutil.which("npm", path="/usr/local/bin:/usr/bin:/bin") is None,
        reason="node and npm are not installed where the sandbox looks",
    ),
]

TASK = (
    "format() writes a value twice\n\nWhere the parts have an `x*`, a value of `x` that would have to be "
    "encoded should be left out. With `strict` such a value is still an error.\n"
)
FORMAT = """export function format(parts, {strict = false} = {}) {
  const written = [];
  for (const [name, value] of Object.entries(parts)) {
    if (/^[\\w%]*$/.test(value)) {
      written.push(`${name}=${value}`);
      continue;
    }

    SKIPSFIRST
    if (strict) {
      throw new TypeError(`Invalid value: ${value}`);
    }

    SKIPSLAST
    written.push(`${name}*=${encodeURIComponent(value)}`);
  }

  return written.join('; ');
}
"""
SKIPS = "if (`${name}*` in parts) { continue; }"
RUNNERS: dict[str, tuple[dict[str, str], str]] = {
    "node --test": ({}, "import {test} from 'node:test';\n"),
    "vitest run": ({"vitest": "^2"}, "import {test} from 'vitest';\n"),
}
KNOWN = """import assert from 'node:assert/strict';
import {format} from '../format.js';

test('plain values', () => {
  assert.equal(format({a: 'b'}), 'a=b');
  assert.equal(format({a: 'b'}, {strict: true}), 'a=b');
});
"""
NEW = """
test('format writes no value twice', () => {
  assert.equal(format({a: 'ä', 'a*': '%C3'}), 'a*=%C3');
  assert.equal(format({'b*': '%C4', b: 'ö ü'}), 'b*=%C4');
});
"""


@pytest.mark.parametrize("runner", RUNNERS)
def test_an_option_of_other_tests_is_tried(
    runner: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    packages, begin = RUNNERS[runner]
    manifest = {"type": "module", "scripts": {"test": runner}, "devDependencies": packages}
    base = {
        "package.json": json.dumps({"name": "kit", "version": "1.0.0", **manifest}),
        "format.js": FORMAT.replace("SKIPSFIRST", "").replace("SKIPSLAST", ""),
        "test/format.test.js": begin + KNOWN,
    }
    folder = open_folder(tmp_path_factory.mktemp("format"), base)
    for name, first, last in (("right", "", SKIPS), ("wrong", SKIPS, "")):
        code = FORMAT.replace("SKIPSFIRST", first).replace("SKIPSLAST", last)
        head = folder.branch(name, {"format.js": code, "test/format.test.js": begin + KNOWN + NEW})
        judged = folder.judge(head, task=TASK)
        assert (judged.conclusion == "success") is (name == "right"), judged.said()
        assert name == "right" or "the task wants errors to stay as they are" in judged.said()
