"""What base awaits, and a loop of the change lets go: its tests see what is done at once, and no error."""

from __future__ import annotations

import pytest

from tests.e2e.folder import Folder, open_folder
from tests.e2e.test_elsewhere_node import module_files
from tests.e2e.test_elsewhere_node import pytestmark as needs_node

pytestmark = needs_node
TASK = (
    "How many were saved?\n\n`saveAll` resolves to the number of items. As before it resolves when all of "
    "them are stored, and rejects when one cannot be.\n"
)
STORE = "export async function saveAll(items, store) {{\n{}}}\n"
BASE = STORE.format("  for (const item of items) {\n    await store.put(item);\n  }\n")
COUNTS = """import {test} from 'node:test';
import assert from 'node:assert/strict';
import {saveAll} from '../store.js';

test('saveAll resolves to the number of items', async () => {
  const kept = [];
  assert.equal(await saveAll(['a', 'b', 'c'], {put: item => kept.push(item)}), 3);
  assert.deepEqual(kept, ['a', 'b', 'c']);
});
"""
LOOPS = {
    "dropped": "  items.forEach(async item => {\n    await store.put(item);\n  });\n",
    "awaited": "  for (const item of items) {\n    await store.put(item);\n  }\n",
}


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Folder:
    files = {**module_files(), "store.js": BASE}
    return open_folder(tmp_path_factory.mktemp("promises"), files)


@pytest.mark.parametrize("name", LOOPS)
def test_a_loop_that_drops_promises(shop: Folder, name: str) -> None:
    head = STORE.format(f"{LOOPS[name]}  return items.length;\n")
    judged = shop.judge(
        shop.branch(name, {"store.js": head, "test/count.test.js": COUNTS}), task=TASK
    )
    is_dropped = name == "dropped"
    assert judged.conclusion == ("action_required" if is_dropped else "success"), judged.said()
    assert ("`items.forEach(…)` is awaited, as on base" in judged.said()) is is_dropped
