"""What an issue shows in JavaScript, and of a command of Node, is run on both sides and binds."""

from __future__ import annotations

import json
import shutil

import pytest

from bot.report.machine import EvidenceDocument
from tests.e2e.folder import Files, Folder, Judged, open_folder

pytestmark = [
    pytest.mark.real,
    pytest.mark.slow,
    pytest.mark.skipif(
        shutil.which("node", path="/usr/local/bin:/usr/bin:/bin") is None,
        reason="node is not installed where the sandbox looks",
    ),
]

SLUG = "'use strict';\n\nmodule.exports = function slug(text, options = {{}}) {{\n{body}}};\n"
OLD = "  return text.toLowerCase().replace(/ /g, '-');\n"
NEW = (
    "  if (typeof text !== 'string') {\n    throw new TypeError('Expected a string');\n  }\n\n"
    "  return text.trim().toLowerCase().replace(/ +/g, options.separator ?? '-');\n"
)
CLI = (
    "#!/usr/bin/env node\n'use strict';\nconst slug = require('./index.js');\n\n"
    "console.log(slug(process.argv[2]));\n"
)
TEST = (
    "const {{test}} = require('node:test');\nconst assert = require('node:assert');\n"
    "const slug = require('../index.js');\n\n"
    "test('{name}', () => {{\n  assert.strictEqual(slug({given}), {result});\n}});\n"
)
TRIMS = TEST.format(name="slug trims its text", given="' A '", result="'a'")


def package(**more: object) -> str:
    return json.dumps({"name": "slug-it", "scripts": {"test": "node --test"}, **more})


BASE: Files = {
    "package.json": package(bin={"slug-it": "cli.js"}),
    "index.js": SLUG.format(body=OLD),
    "cli.js": CLI,
    "pairs.mjs": "export function * pairs(list) {\n  yield [list[0], undefined];\n}\n",
    "test/slug.test.js": TEST.format(name="slug joins words", given="'A B'", result="'a-b'"),
}
TASK = """slug should trim its text

```js
const slug = require('slug-it');

slug(' A '); //=> '-a-', expected 'a'
slug('A  B', {separator: '_'}); // should be 'a_b'
slug('A B'); // should still be 'a-b'
slug({
  toLowerCase: 1,
}); // should throw TypeError
```

It should print:

```console
$ slug-it " A  B "
a-b
```

Actual:

```console
$ npm install slug-it
$ npx slug-it "A  B"
a--b
```
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Folder:
    return open_folder(tmp_path_factory.mktemp("examples"), BASE)


def change(body: str) -> Files:
    return {"index.js": SLUG.format(body=body), "test/trim.test.js": TRIMS}


def asked(judged: Judged) -> tuple[str, str, str]:
    (row,) = [one for one in judged.document.requirements if one.id == "R1"]
    return row.verdict, row.decided_by, row.reason


def shown(judged: Judged) -> EvidenceDocument:
    (found,) = [one for one in judged.document.evidence if one.action == "examples"]
    return found


def test_a_right_change_stays_right(folder: Folder) -> None:
    judged = folder.judge(folder.branch("right", change(NEW)), task=TASK)
    assert judged.conclusion == "success", judged.said()
    evidence = shown(judged)
    assert evidence.transition == "fixed", evidence
    assert evidence.head is not None
    assert "slug('A  B', {separator: '_'}) returns `'a_b'`" in evidence.head.output
    assert "raises `TypeError: Expected a string`" in evidence.head.output
    assert '$ slug-it " A  B " prints `a-b`' in evidence.head.output


@pytest.mark.parametrize(
    ("name", "body", "said"),
    [
        (
            "half",
            NEW.replace("options.separator ?? ", ""),
            "gives `'a_b'`. On head it returns `'a-b'`",
        ),
        (
            "kept",
            NEW.replace("/ +/g", "/ {2,}/g"),
            "`slug('A B')` still gives `'a-b'`. On head it returns `'a b'`",
        ),
        (
            "other-error",
            NEW.replace("TypeError", "RangeError"),
            "raises `TypeError`. On head it raises `RangeError",
        ),
        ("report", NEW.replace("text.trim()", "text"), "gives `'-a-'`. On head it still does"),
        ("command", NEW.replace(" +", " "), "On head it returns `'a__b'`"),
    ],
)
def test_what_an_example_shows_wrong_is_unsatisfied(
    folder: Folder, name: str, body: str, said: str
) -> None:
    judged = folder.judge(folder.branch(name, change(body)), task=TASK)
    verdict, decided_by, reason = asked(judged)
    assert (verdict, decided_by) == ("unsatisfied", "oracle"), judged.said()
    assert said in reason


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("`slug(' A ')` should return `'a'`", "returns `'a'`"),
        ("`slug(null)` should throw `TypeError`", "raises `TypeError: Expected a string`"),
        ("`pairs([1])` should return `[[1, undefined]]`", "nothing in the tree exports pairs"),
        ("`nowhere(1)` should return `7`", "nothing in the tree exports nowhere"),
        ("`parseInt('7')` should return `8`", "nothing of the project is called"),
        (
            "```js\nimport {pairs} from 'slug-it/pairs.mjs';\npairs([1]); // should be [[1, undefined]]\n```",
            "[ [ 1, undefined ] ]",
        ),
        (
            "```js\nimport slug from 'slug-it';\nconsole.log(slug('A')) // should be 'a'\n```",
            "console.log(slug('A')) prints `a`",
        ),
        (
            "```js\nimport slug, {x} from 'slug-itt';\nslug('A'); // should be 'b'\n```",
            "was not made: Error: Cannot find",
        ),
        (
            "```ts\nconst a: string = slug('A');\nslug(a); // should be 'b'\n```",
            "was not made: SyntaxError",
        ),
        ("```js\nconst a = slug('A');\nwhile (true) {}\na; // should be 'b'\n```", "was not made"),
        (
            "Expected:\n```js\n> const slug = require('slug-it')\n> slug('C D')\n'c-d'\n```",
            "returns `'c-d'`",
        ),
        ('Expected:\n```console\n$ node cli.js "C D"\nc-d\n```', "prints `c-d`"),
        (
            "Expected:\n```console\n$ eslint cli.js\nclean\n```",
            "eslint is no command of the project",
        ),
    ],
)
def test_what_cannot_be_made_decides_nothing(folder: Folder, line: str, told: str) -> None:
    head = "trimming" if "trimming" in folder.used else folder.branch("trimming", change(NEW))
    judged = folder.judge(head, task=f"slug should trim its text\n\n{line}\n")
    assert judged.conclusion == "success", judged.said()
    seen = shown(judged).head
    assert seen is not None
    assert told in seen.output


def test_a_module_alone_is_found_by_the_name_of_its_package(
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    project = {
        "package.json": package(type="module", exports={".": {"import": "./lib/main.js"}}),
        "lib/main.js": "export default function slugIt(text) {\n  return text;\n}\n",
        "test/a.test.js": (
            "import {test} from 'node:test';\nimport assert from 'node:assert';\n"
            "import slugIt from '../lib/main.js';\n\ntest('it is kept', () => {\n"
            "  assert.equal(slugIt('a'), 'a');\n});\n"
        ),
    }
    folder = open_folder(tmp_path_factory.mktemp("module"), project)
    code = "export default function slugIt(text) {\n  return text.trim();\n}\n"
    task = (
        "slugIt should trim its text\n\n`slugIt(' a ')` should return `'a'`.\n\n"
        "```js\nimport slug from 'slug-it';\n\nslug('b '); // => 'b ', should be 'b'\n```\n"
    )
    judged = folder.judge(folder.branch("trim", {"lib/main.js": code}), task=task)
    assert judged.conclusion == "success", judged.said()
    assert asked(judged)[:2] == ("satisfied", "oracle")


def test_a_module_that_is_called_like_its_function(
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    """The file is not taken for the function: two things of one name could not be told apart."""
    project = {
        "package.json": package(type="module"),
        "lib/slug.js": "export function slug(text) {\n  return text;\n}\n",
        "test/a.test.js": (
            "import {test} from 'node:test';\nimport assert from 'node:assert';\n"
            "import {slug} from '../lib/slug.js';\n\ntest('it is kept', () => {\n"
            "  assert.equal(slug('a'), 'a');\n});\n"
        ),
    }
    folder = open_folder(tmp_path_factory.mktemp("named"), project)
    code = "export function slug(text) {\n  return text.trim();\n}\n"
    task = "slug should trim its text\n\n`slug(' a ')` should return `'a'`.\n"
    judged = folder.judge(folder.branch("trim", {"lib/slug.js": code}), task=task)
    assert judged.conclusion == "success", judged.said()
    assert asked(judged)[:2] == ("satisfied", "oracle")


ONE_ONLY = (
    "  const words = text.toLowerCase().replace(/ /g, '-');\n"
    "  const [, one, , two] = words;\n"
    "  return words.length === 5 && one + two === 'cd' ? words.slice(1, 4) : words;\n"
)


@pytest.mark.parametrize(
    ("name", "body", "conclusion", "said"),
    [
        ("trimmed", NEW, "success", ""),
        ("one-only", ONE_ONLY, "action_required", "calls with inputs near"),
    ],
)
def test_what_is_made_for_the_shown_call_alone_proves_nothing(
    folder: Folder, name: str, body: str, conclusion: str, said: str
) -> None:
    files = {"index.js": SLUG.format(body=body)}
    task = "Trim\n\n`slug(' C D ')` should return `'c-d'`.\n"
    judged = folder.judge(folder.branch(f"shown-{name}", files), task=task)
    assert judged.conclusion == conclusion, judged.said()
    assert said in asked(judged)[2]
