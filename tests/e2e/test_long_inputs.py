"""What base answers at a long text or list, head has to answer, too."""

from __future__ import annotations

import pytest

from tests.e2e.folder import Files, open_folder

pytestmark = [pytest.mark.real, pytest.mark.slow]

NESTED = "Nested lists\n\n- [ ] `total` adds up lists in lists, as `total([1, [2]])`\n"
TOTALS = {
    "for each item": (
        "    if not items:\n        return 0\n    first, *rest = items\n"
        "    return (total(first) if isinstance(first, list) else first) + total(rest)\n"
    ),
    "for each list": (
        "    return sum(total(one) if isinstance(one, list) else one for one in items)\n"
    ),
}
TOTAL_TESTS: Files = {
    "tests/test_nested.py": (
        "from total import total\n\n\ndef test_total_adds_up_lists_in_lists():\n"
        "    assert total([1, [2, [3]], 4]) == 10\n    assert total([[5], 6]) == 11\n"
    )
}
SLUGS = {"many ways": "/^([a-z0-9]+-?)+$/", "one way": "/^[a-z0-9]+(?:-[a-z0-9]+)*$/"}
SLUG = "- [ ] `isSlug` accepts lower-case letters, digits and dashes only\n"
SLUG_TESTS: Files = {
    "test/slug.test.js": (
        "import {test} from 'node:test';\nimport assert from 'node:assert/strict';\n"
        "import {isSlug} from '../slug.js';\n\n"
        "test('isSlug accepts lower-case letters, digits and dashes only', () => {\n"
        "  assert.equal(isSlug('a-b'), true);\n  assert.equal(isSlug('A b'), false);\n"
        "  assert.equal(isSlug('x9'), true);\n});\n"
    )
}


@pytest.mark.parametrize("name", TOTALS)
def test_a_call_of_itself_for_each_item_does_not_satisfy(
    tmp_path_factory: pytest.TempPathFactory, name: str
) -> None:
    shown = "from total import total\n\n\ndef test_total():\n    assert total([1, 2]) == 3\n"
    base: Files = {
        "total.py": "def total(items):\n    return sum(items)\n",
        "tests/test_total.py": shown,
    }
    folder = open_folder(tmp_path_factory.mktemp("totals"), base)
    change: Files = {"total.py": f"def total(items):\n{TOTALS[name]}", **TOTAL_TESTS}
    found = folder.judge(folder.branch(name.replace(" ", "-"), change), task=NESTED)

    is_deep = name == "for each item"
    assert found.conclusion == ("action_required" if is_deep else "success"), found.said()
    told = "is given a list of 1,500 items, base answers and head raised RecursionError"
    assert (told in found.said()) is is_deep


@pytest.mark.parametrize("name", SLUGS)
def test_a_pattern_that_matches_in_many_ways_does_not_satisfy(
    tmp_path_factory: pytest.TempPathFactory, name: str
) -> None:
    script = "export function isSlug(text) {{\n  return {};\n}}\n"
    base: Files = {
        "package.json": '{"name": "slug", "type": "module", "scripts": {"test": "node --test"}}\n',
        "slug.js": script.format("text.length > 0"),
        "test/empty.test.js": (
            "import {test} from 'node:test';\nimport assert from 'node:assert/strict';\n"
            "import {isSlug} from '../slug.js';\n\ntest('nothing is no slug', () => {\n"
            "  assert.equal(isSlug(''), false);\n});\n"
        ),
    }
    folder = open_folder(tmp_path_factory.mktemp("slugs"), base)
    change: Files = {"slug.js": script.format(f"{SLUGS[name]}.test(text)"), **SLUG_TESTS}
    found = folder.judge(folder.branch(name.replace(" ", "-"), change), task=SLUG)

    is_slow = name == "many ways"
    assert found.conclusion == ("action_required" if is_slow else "success"), found.said()
    told = "is given a text of 3,001 characters, base answers and head gives no answer in a second"
    assert (told in found.said()) is is_slow
