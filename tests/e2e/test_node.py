"""Tiny Node projects judged as `assay judge` does it: a good change, bad ones, and one that cheats."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from tests.e2e.folder import Files, Folder, Judged, open_folder

pytestmark = [
    pytest.mark.real,
    pytest.mark.slow,
    pytest.mark.skipif(
        shutil.which("node", path="/usr/local/bin:/usr/bin:/bin") is None,
        reason="node is not installed where the sandbox looks",
    ),
]

TASK = "A discount\n\n- [ ] `discounted` takes the percentage off the price\n"
PRICE = """export function total(prices) {
  return prices.reduce((sum, price) => sum + price, 0);
}
"""
DISCOUNT = f"""{PRICE}
export function discounted(price, percentage) {{
  return price - price * percentage / 100;
}}
"""
TOTAL_TEST = """import {test} from 'node:test';
import assert from 'node:assert/strict';
import {total} from '../price.js';

test('total adds up all prices', () => {
  assert.equal(total([1, 2]), 3);
});
"""
DISCOUNT_TEST = """import {test} from 'node:test';
import assert from 'node:assert/strict';
import {discounted} from '../price.js';

test('discounted takes the percentage off the price', () => {
  assert.equal(discounted(200, 10), 180);
});
"""
PROJECT: Files = {
    "package.json": json.dumps(
        {"name": "till", "type": "module", "scripts": {"test": "node --test"}}
    ),
    "price.js": PRICE,
    "test/total.test.js": TOTAL_TEST,
}


@pytest.fixture(scope="module")
def till(tmp_path_factory: pytest.TempPathFactory) -> Folder:
    return open_folder(tmp_path_factory.mktemp("till"), PROJECT)


def verdicts(judged: Judged) -> dict[str, str]:
    return {row.text: row.verdict for row in judged.document.requirements}


def test_a_good_change_is_satisfied_by_a_test_that_failed_before(till: Folder) -> None:
    files = {"price.js": DISCOUNT, "test/discount.test.js": DISCOUNT_TEST}
    judged = till.judge(till.branch("good", files), task=TASK)
    assert judged.conclusion == "success", judged.said()
    assert judged.document.tests is not None
    expected = ["test/discount.test.js::discounted takes the percentage off the price"]
    assert list(judged.document.tests.fail_to_pass) == expected


def test_a_wrong_change_fails(till: Folder) -> None:
    wrong = DISCOUNT.replace("/ 100", "")
    files = {"price.js": wrong, "test/discount.test.js": DISCOUNT_TEST}
    judged = till.judge(till.branch("wrong", files), task=TASK)
    assert judged.conclusion == "failure", judged.said()


def test_a_regression_fails(till: Folder) -> None:
    files = {
        "price.js": DISCOUNT.replace("sum + price", "price"),
        "test/discount.test.js": DISCOUNT_TEST,
    }
    judged = till.judge(till.branch("regression", files), task=TASK)
    assert judged.conclusion == "failure", judged.said()
    assert judged.document.tests is not None
    assert list(judged.document.tests.pass_to_fail) == [
        "test/total.test.js::total adds up all prices"
    ]


@pytest.mark.parametrize("way", ["process.exit(0)", "process.reallyExit(0)"])
def test_a_module_that_ends_the_tests_early_is_no_success(till: Folder, way: str) -> None:
    files = {"price.js": f"{DISCOUNT}\n{way};\n", "test/discount.test.js": DISCOUNT_TEST}
    judged = till.judge(till.branch(f"exits-{len(way)}", files), task=TASK)
    assert judged.conclusion in ("failure", "action_required"), judged.said()
    assert judged.document.tests is None or not judged.document.tests.fail_to_pass


def test_a_loosened_test_is_no_success(till: Folder) -> None:
    files = {
        "price.js": PRICE.replace("sum + price", "price"),
        "test/total.test.js": TOTAL_TEST.replace("assert.equal(total([1, 2]), 3)", "total([1, 2])"),
    }
    judged = till.judge(till.branch("loosened", files), task=TASK)
    assert judged.conclusion in ("failure", "action_required"), judged.said()


def test_a_package_of_a_workspace_is_judged_in_its_folder(tmp_path: Path) -> None:
    one = {f"packages/one/{path}": text for path, text in PROJECT.items()}
    two = {f"packages/two/{path}": text for path, text in PROJECT.items()}
    folder = open_folder(tmp_path, {**one, **two, "package.json": '{"private": true}'})
    files = {
        "packages/one/price.js": DISCOUNT,
        "packages/one/test/discount.test.js": DISCOUNT_TEST,
    }
    judged = folder.judge(folder.branch("good", files), task=TASK)
    assert judged.conclusion == "success", judged.said()
    assert judged.document.tests is not None
    assert {one.split("::")[0] for one in judged.document.tests.fail_to_pass} == {
        "packages/one/test/discount.test.js"
    }


BUILD = """import {cpSync, rmSync} from 'node:fs';
rmSync('out', {recursive: true, force: true});
cpSync('test', 'out/test', {recursive: true});
cpSync('price.js', 'out/price.js');
"""


@pytest.mark.slow
def test_tests_that_are_built_are_built_of_the_right_side(tmp_path: Path) -> None:
    scripts = {"build": "node build.js", "test": "npm run build && node --test out/test/*.js"}
    manifest = json.dumps({"name": "till", "type": "module", "scripts": scripts})
    folder = open_folder(tmp_path, {**PROJECT, "package.json": manifest, "build.js": BUILD})
    good = {"price.js": DISCOUNT, "test/discount.test.js": DISCOUNT_TEST}
    judged = folder.judge(folder.branch("good", good), task=TASK)
    assert judged.conclusion == "success", judged.said()
    assert judged.document.tests is not None
    assert list(judged.document.tests.fail_to_pass) == [
        "test/discount.test.js::discounted takes the percentage off the price"
    ]
    bent = {
        **good,
        "price.js": DISCOUNT.replace("sum + price", "sum + price + 1"),
        "test/total.test.js": TOTAL_TEST.replace("total([1, 2]), 3", "total([1, 2]), 5"),
    }
    judged = folder.judge(folder.branch("bent", bent), task=TASK)
    assert judged.conclusion in ("failure", "action_required"), judged.said()
    assert judged.document.tests is not None
    assert "test/total.test.js::total adds up all prices" not in judged.document.tests.pass_to_pass


@pytest.mark.parametrize("test", ["node --test", "npm run build && node --test"])
def test_a_build_that_fails_on_both_sides_does_not_keep_tests_from_running(
    tmp_path: Path, test: str
) -> None:
    manifest = {"name": "till", "type": "module"}
    scripts = {"test": test, "build": "node build.js"}
    folder = open_folder(
        tmp_path,
        {
            **PROJECT,
            "package.json": json.dumps({**manifest, "scripts": scripts}),
            "build.js": "process.exit(3);\n",
            "test/built.test.js": TOTAL_TEST.replace("../price.js", "../dist/price.js"),
        },
    )
    files = {"price.js": DISCOUNT, "test/discount.test.js": DISCOUNT_TEST}
    judged = folder.judge(folder.branch("good", files), task=TASK)
    assert judged.conclusion == "success", judged.said()
    said = judged.said()
    assert "`npm run build` fails on base and on head. The tests were run all the same." in said
    worse = {**files, "build.js": "console.error('error: no such price');\nprocess.exit(3);\n"}
    judged = folder.judge(folder.branch("worse", worse), task=TASK)
    assert judged.conclusion == "action_required", judged.said()
    assert "Neither base nor head builds: error: no such price." in judged.said()
    mends = {"build.js": "import {cpSync} from 'node:fs';\ncpSync('price.js', 'dist/price.js');\n"}
    base = folder.branch("mended", mends)
    folder.branch("broken", {**files, "build.js": "process.exit(3);\n"}, base)
    judged = folder.judge("broken", base=base, task=TASK)
    assert judged.conclusion == "failure", judged.said()


@pytest.mark.slow
def test_a_dependency_that_the_change_adds_is_there_for_its_tests_only(till: Folder) -> None:
    manifest = json.loads(str(PROJECT["package.json"])) | {"dependencies": {"ms": "2.1.3"}}
    extra = "import ms from 'ms';\n"
    files = {
        "package.json": json.dumps(manifest),
        "price.js": DISCOUNT,
        "test/discount.test.js": extra + DISCOUNT_TEST,
        "test/total.test.js": extra + TOTAL_TEST,
    }
    judged = till.judge(till.branch("dependency", files), task=TASK)
    assert judged.conclusion == "success", judged.said()
    assert judged.document.tests is not None
    assert "test/total.test.js::total adds up all prices" in judged.document.tests.pass_to_pass


def test_a_node_that_is_not_there_is_needed_and_no_failure(tmp_path: Path) -> None:
    manifest = {"name": "till", "type": "module", "engines": {"node": ">=99"}}
    folder = open_folder(tmp_path, {**PROJECT, "package.json": json.dumps(manifest)})
    files = {"price.js": DISCOUNT, "test/discount.test.js": DISCOUNT_TEST}
    judged = folder.judge(folder.branch("good", files), task=TASK)
    assert judged.conclusion == "action_required", judged.said()
    assert judged.document.environment.needs == ("Node >=99",)


SHOTS = "tap-snapshots/test/shown.test.js.test.cjs"
SHOWN_TEST = f"""import {{test}} from 'node:test';
import assert from 'node:assert/strict';
import shots from '../{SHOTS}';
import {{total}} from '../price.js';

test('total is shown', () => {{
  assert.equal(`${{total([1, 2])}}`, shots.total);
}});
"""


def test_a_snapshot_of_tap_travels_with_its_test(tmp_path: Path) -> None:
    """The file of tests does not change: only the snapshot shows that something else is expected."""
    shown = {"test/shown.test.js": SHOWN_TEST, SHOTS: "exports.total = '3';\n"}
    folder = open_folder(tmp_path, {**PROJECT, **shown})
    wrong = {
        "price.js": PRICE.replace("0);", "1);"),
        "test/total.test.js": None,
        SHOTS: "exports.total = '4';\n",
    }
    judged = folder.judge(folder.branch("shots", wrong), task=TASK)
    assert judged.conclusion == "failure", judged.said()
    assert judged.document.tests is not None
    changed = judged.document.tests.other.get("expectation_changed", ())
    assert list(changed) == ["test/shown.test.js::total is shown"], judged.document.tests


KEPT_SHOTS = "test/__snapshots__/receipt.test.js.snap"
RECEIPT_TEST = """import {test} from 'node:test';
import assert from 'node:assert/strict';
import {readFileSync} from 'node:fs';
import {receipt} from '../receipt.js';

test('receipt', () => {
  const kept = readFileSync(new URL('./__snapshots__/receipt.test.js.snap', import.meta.url), 'utf8');
  assert.ok(kept.includes('= `' + receipt([1, 12]) + '`;'));
});
"""
ALIGNED = (
    "Align the prices\n\nreceipt should align:\n\n```\n-  1\n- 12\n```\n\n"
    "instead of\n\n```\n- 1\n- 12\n```\n"
)


@pytest.mark.parametrize(
    ("width", "shown", "conclusion"),
    [(2, "-  1\n- 12", "success"), (3, "-   1\n-  12", "action_required")],
)
def test_a_snapshot_may_become_what_the_issue_shows(
    width: int, shown: str, conclusion: str, tmp_path: Path
) -> None:
    code = "export function receipt(prices) {\n  return prices.map((one) => `- ${one}`).join('\\n');\n}\n"

    def files(code: str, shown: str) -> Files:
        return {"receipt.js": code, KEPT_SHOTS: f"exports[`receipt 1`] = `{shown}`;\n"}

    base = {**PROJECT, "test/receipt.test.js": RECEIPT_TEST, **files(code, "- 1\n- 12")}
    folder = open_folder(tmp_path, base)
    wider = code.replace("${one}", f"${{`${{one}}`.padStart({width})}}")
    judged = folder.judge(folder.branch("wider", files(wider, shown)), task=ALIGNED)
    assert judged.conclusion == conclusion, judged.said()
    assert ("expects changes as" in judged.said()) == (conclusion == "success")


def test_tests_that_move_together_with_the_call_that_names_them(tmp_path: Path) -> None:
    """Each side's tests are called as that side calls them: jasmine cannot be told single files."""

    def manifest(files: str) -> str:
        scripts = {"test": f"jasmine {files}"}
        return json.dumps(
            {"type": "module", "scripts": scripts, "devDependencies": {"jasmine": "^5"}}
        )

    def spec(path: str, title: str, call: str, want: int) -> str:
        name = call.partition("(")[0]
        says = f"it('{title}', () => {{ expect({call}).toBe({want}); }});\n"
        return f"import {{{name}}} from '{path}';\n{says}"

    total = spec("./price.js", "total adds up all prices", "total([1, 2])", 3)
    old = {"package.json": manifest("price_spec.js"), "price.js": PRICE, "price_spec.js": total}
    title = "discounted takes the percentage off the price"
    new: Files = {
        "package.json": manifest("tests/*_test.js"),
        "price.js": DISCOUNT,
        "price_spec.js": None,
        "tests/price_test.js": total.replace("./", "../"),
        "tests/discount_test.js": spec("../price.js", title, "discounted(200, 10)", 180),
    }
    folder = open_folder(tmp_path, old)
    judged = folder.judge(folder.branch("moved", new), task=TASK)
    assert judged.document.tests is not None, judged.said()
    assert list(judged.document.tests.fail_to_pass) == [f"tests/discount_test.js::{title}"]
    assert judged.conclusion == "success", judged.said()
    broken = {**new, "price.js": DISCOUNT.replace("sum + price", "price")}
    judged = folder.judge(folder.branch("broken", broken), task=TASK)
    assert judged.conclusion == "failure", judged.said()


def test_tests_find_a_home(till: Folder) -> None:
    home = (
        "import {test} from 'node:test';\nimport assert from 'node:assert/strict';\n"
        "import fs from 'node:fs';\nimport {discounted} from '../price.js';\n\n"
        "test('discounted takes the percentage off, at home', () => {\n"
        "  for (const name of ['HOME', 'TMPDIR']) fs.writeFileSync(`${process.env[name]}/a`, 'a');\n"
        "  assert.equal(discounted(200, 10), 180);\n});\n"
    )
    judged = till.judge(
        till.branch("home", {"price.js": DISCOUNT, "test/home.test.js": home}), task=TASK
    )
    assert judged.conclusion == "success", judged.said()
