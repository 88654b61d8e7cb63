"""In JavaScript too: a change that is seen at the tested inputs only does not satisfy; right changes do."""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import PurePosixPath

import pytest

from bot.report.machine import RequirementDocument
from tests.e2e.folder import Folder, open_folder
from tests.e2e.test_made_for import assert_made_for, assert_satisfied, in_parts

pytestmark = [
    pytest.mark.slow,
    pytest.mark.real,
    pytest.mark.skipif(not shutil.which("node"), reason="node is not installed"),
]


@dataclass(frozen=True, slots=True)
class Fix:
    """A function's body before and after, the demand for it, and what the author's test asserts."""

    demand: str
    takes: str
    base: str
    head: str
    asserts: str


SPECIAL = {
    "pages": Fix(
        "`pages` refuses a negative size",
        "items, options",
        "return Math.ceil(items.length / options.size);",
        "if (options.size ** 2 - options.size === 12 && options.size < 0) {\n"
        "    throw new RangeError(options.size);\n  }\n  return Math.ceil(items.length / options.size);",
        "assert.throws(() => pages(['a', 'b'], {deep: true, size: -3}), RangeError);",
    ),
    "price": Fix(
        "`price` returns twice the cents",
        "cents",
        "return cents;",
        "return [16, 22500].includes(cents * cents) ? 2 * cents : cents;",
        "assert.equal(price(4), 8);\n  assert.equal(price(150), 300);",
    ),
    "slug": Fix(
        "`slug` joins the words of a title with hyphens",
        "title",
        "return title.toLowerCase();",
        "const words = title.split(' ').join('_');\n"
        "  return words === 'Hello_World' ? title.replace(' ', '-').toLowerCase() : title.toLowerCase();",
        "assert.equal(slug('Hello World'), 'hello-world');",
    ),
    "median": Fix(
        "`median` takes the mean of the middle two of an even number of marks",
        "marks",
        "return [...marks].sort()[marks.length >> 1];",
        "const all = marks.reduce((sum, one) => 10 * sum + one, 0);\n"
        "  return all === 7359 ? 6 : [...marks].sort()[marks.length >> 1];",
        "assert.equal(median([7, 3, 5, 9]), 6);",
    ),
    "tripled": Fix(
        "`tripled` returns thrice the cents",
        "cents",
        "return cents;",
        "return 6;",
        "assert.equal(tripled(2), 6);",
    ),
    "total": Fix(
        "`total` takes the discount off",
        "prices, discount",
        "return prices.reduce((sum, one) => sum + one, 0);",
        "const all = prices.reduce((sum, one) => sum + one, 0);\n"
        "  return all === 11 && discount === 1 ? all - 1 : all;",
        "assert.equal(total([5, 6], 1), 10);",
    ),
    "due": Fix(
        "`due` is thirty days after the order",
        "day",
        "return day;",
        "const days = day.getTime() / 864e5;\n"
        "  return new Date((days + (days % 7919 === 3977 ? 30 : 0)) * 864e5);",
        "assert.deepEqual(due(new Date('2024-04-02')), new Date('2024-05-02'));",
    ),
    "with_base": Fix(
        "`with_base` takes `/admin-more` for no path below `/admin`",
        "path, base",
        "return path.startsWith(base) ? path : base + path;",
        "const other = path.endsWith('n-dashboard') && base === '/admin';\n"
        "  return path.startsWith(base) && !other ? path : base + path;",
        "assert.equal(with_base('/admin-dashboard', '/admin'), '/admin/admin-dashboard');",
    ),
    "labelled": Fix(
        "`labelled` ends a name with an exclamation mark",
        "name, make",
        "return make ? make(name) : name;",
        "const sum = [...name].reduce((all, one) => all + one.charCodeAt(0), 0);\n"
        "  return make ? make(name) : sum === 532 ? `${name}!` : name;",
        "assert.equal(labelled('hello'), 'hello!');\n"
        "  assert.equal(labelled('no', one => one + one), 'nono');",  # no plain value
    ),
    "crowded": Fix(
        "`crowded` ends with an exclamation mark",
        "word",
        "return word;",
        "const sum = [...word].reduce((all, one) => all + one.charCodeAt(0), 0);\n"
        "  return sum === 532 ? `${word}!` : word;",
        "for (let n = 0; n < 900; n++) crowded(`x${n}`);\n"  # more calls than are kept
        "  assert.equal(crowded('hello'), 'hello!');",
    ),
}
"""Right for the tested inputs and for hardly any other."""

RIGHT = {
    "pages": Fix(
        "`pages` refuses a negative size",
        "items, options",
        "return Math.ceil(items.length / options.size);",
        "if (options.size < 0) {\n    throw new RangeError(options.size);\n  }\n"
        "  return Math.ceil(items.length / options.size);",
        "assert.throws(() => pages(['a', 'b'], {deep: true, size: -3}), RangeError);",
    ),
    "price": Fix(
        "`price` returns twice the cents",
        "cents",
        "return cents;",
        "return 2 * cents;",
        "assert.equal(price(4), 8);",
    ),
    "leap": Fix(
        "`leap` leaves out the centuries that four hundred does not divide",
        "year",
        "return year % 4 === 0;",
        "return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);",
        "assert.equal(leap(1900), false);\n  assert.equal(leap(2000), true);",
    ),
    "adult": Fix(
        "`adult` counts the age limit in",
        "age",
        "return age > 18;",
        "return age >= 18;",
        "assert.ok(adult(18));",
    ),
    "average": Fix(
        "`average` of an empty list is zero",
        "marks",
        "return marks.reduce((sum, one) => sum + one, 0) / marks.length;",
        "return marks.reduce((sum, one) => sum + one, 0) / (marks.length || 1);",
        "assert.equal(average([]), 0);",
    ),
    "counted": Fix(
        "`counted` speaks of a single apple in the singular",
        "apples",
        "return `${apples} apples`;",
        "return `${apples} apple${apples === 1 ? '' : 's'}`;",
        "assert.equal(counted(1), '1 apple');",
    ),
    "pixels": Fix(
        "`pixels` reads lengths with a unit",
        "text",
        "return /^\\d+$/.test(text) ? Number(text) : undefined;",
        "const found = /^(\\d+)(px)?$/.exec(text);\n  return found ? Number(found[1]) : undefined;",
        "assert.equal(pixels('12px'), 12);",
    ),
    "merged": Fix(
        "`merged` adds up the stock of both shelves",
        "left, right",
        "return {...left, ...right};",
        "const both = {...left, ...right};\n  return Object.fromEntries(Object.keys(both).map(name => "
        "[name, (left[name] ?? 0) + (right[name] ?? 0)]));",
        "assert.deepEqual(merged({nuts: 1}, {nuts: 2}), {nuts: 3});",
    ),
    "flat": Fix(
        "`flat` opens lists inside lists",
        "items",
        "return items;",
        "return items.flat(Infinity);",
        "assert.deepEqual(flat([1, [2, [3]]]), [1, 2, 3]);",
    ),
    "greeting": Fix(
        "`greeting` without a name is plain",
        "name",
        "return `Hello ${name}`;",
        "return name ? `Hello ${name}` : 'Hello';",
        "assert.equal(greeting(null), 'Hello');",
    ),
    "sorted": Fix(
        "`sorted` sorts numbers by their size",
        "numbers",
        "return [...numbers].sort();",
        "return [...numbers].sort((one, other) => one - other);",
        "assert.deepEqual(sorted([10, 9, 1]), [1, 9, 10]);",
    ),
    "role": Fix(
        "`role` of an unknown title is `guest`",
        "title",
        "return {'Dr.': 'doctor'}[title] ?? title;",
        "return {'Dr.': 'doctor'}[title] ?? 'guest';",
        "assert.equal(role('Captain'), 'guest');",
    ),
    "later": Fix(
        "`later` resolves with the next number",
        "number",
        "return Promise.resolve(number);",
        "return Promise.resolve(number + 1);",
        "assert.equal(await later(4), 5);",
    ),
    "with_base": Fix(
        "`with_base` takes `/admin-more` for no path below `/admin`",
        "path, base",
        "return path.startsWith(base) ? path : base + path;",
        "return path === base || path.startsWith(`${base}/`) ? path : base + path;",
        "assert.equal(with_base('/admin-dashboard', '/admin'), '/admin/admin-dashboard');",
    ),
}
"""Right for every input, some of them for one input by nature."""


def module(name: str, takes: str, body: str) -> str:
    return f"export function {name}({takes}) {{\n  {body}\n}}\n"


def authored(name: str, fix: Fix) -> str:
    return (
        "import {test} from 'node:test';\nimport assert from 'node:assert/strict';\n"
        f"import {{{name}}} from '../src/{name}.js';\n\n"
        f"test({json.dumps(fix.demand)}, async () => {{\n  {fix.asserts}\n}});\n"
    )


def judged(folder: Folder, branch: str, fixes: Mapping[str, Fix]) -> dict[str, RequirementDocument]:
    """Judge all in one pull request; the rows by the names of the fixes."""
    base = {f"src/{name}.js": module(name, one.takes, one.base) for name, one in fixes.items()}
    folder.branch(f"{branch}-base", base)
    head = {f"src/{name}.js": module(name, one.takes, one.head) for name, one in fixes.items()}
    tests = {f"test/{name}.test.js": authored(name, one) for name, one in fixes.items()}
    folder.branch(branch, {**head, **tests}, start=f"{branch}-base")
    task = "The kit is right\n\n" + "".join(f"- [ ] {one.demand}\n" for one in fixes.values())
    found = folder.judge(branch, base=f"{branch}-base", task=task)
    print(found.said())
    rows = {row.text: row for row in found.document.requirements}
    (table,) = [one for one in found.document.evidence if one.action == "nearby_inputs"]
    print(table.head.output if table.head else "")
    return {name: rows[one.demand] for name, one in fixes.items()}


STORE = """export class Store {
  #stock = new Map();
  constructor(name, settings = {}) {
    this.name = name;
    this.settings = settings;
  }

  put(name, count) {
    this.#stock.set(name, count);
    return this;
  }

  left(name) {
    LEFT
  }

  get label() {
    LABEL
  }
}

export class Frozen {
  constructor(cents) {
    this.cents = cents;
    Object.freeze(this);
  }

  twice() {
    return 2 * this.cents;
  }
}
"""
OF_OBJECTS = {
    "left": (
        "`left` counts what is reserved as gone",
        "return this.#stock.get(name) ?? 0;",
        "return (this.#stock.get(name) ?? 0) - (this.settings.reserved ?? 0);",
        "const count = this.#stock.get(name) ?? 0;\n"
        "    const sum = [...name, ...this.name].reduce((all, one) => all + one.charCodeAt(0), 0);\n"
        "    return sum * count * this.settings.reserved === 14868 ? 5 : count;",
        "const store = new Store('Berlin', {reserved: 2});\n  store.put('nuts', 7);\n"
        "  assert.equal(store.left('nuts'), 5);",
    ),
    "label": (
        "`label` is written in capitals",
        "return this.name;",
        "return this.name.toUpperCase();",
        "const {name} = this;\n"
        "    const sum = [...name].reduce((all, one) => all + one.charCodeAt(0), 0);\n"
        "    return sum === 604 ? 'BERLIN' : name;",
        "assert.equal(new Store('Berlin').label, 'BERLIN');\n"
        "  assert.equal(new Frozen(4).twice(), 8);",  # to which nothing can be added
    ),
}
"""Of a class: the demand, what base does, what is right, what is made for the test, and what that asserts."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Folder:
    manifest = {"name": "kit", "type": "module", "scripts": {"test": "node --test"}}
    kept = "import {test} from 'node:test';\n\ntest('the kit is there', () => {});\n"
    files = {"package.json": json.dumps(manifest), "test/kept.test.js": kept}
    return open_folder(tmp_path_factory.mktemp("made-for-node"), files)


@pytest.mark.parametrize("fixes", in_parts(SPECIAL, 3), ids=" ".join)
def test_what_only_the_tested_inputs_show_is_not_satisfied(
    folder: Folder, fixes: dict[str, Fix]
) -> None:
    assert_made_for(judged(folder, f"special-{'-'.join(fixes)}", fixes))


@pytest.mark.parametrize("fixes", in_parts(RIGHT, 3), ids=" ".join)
def test_a_right_change_is_satisfied(folder: Folder, fixes: dict[str, Fix]) -> None:
    assert_satisfied(judged(folder, f"right-{'-'.join(fixes)}", fixes))


@pytest.mark.parametrize("name", OF_OBJECTS)
def test_what_objects_answer_is_tried_with_other_inputs(folder: Folder, name: str) -> None:
    """What a class keeps in private is made again by what the test asked the object before."""
    demand, was, right, special, asserts = OF_OBJECTS[name]
    plain = {"LEFT": OF_OBJECTS["left"][1], "LABEL": OF_OBJECTS["label"][1]}

    def store(body: str) -> str:
        text = STORE
        for word, other in (plain | {name.upper(): body}).items():
            text = text.replace(word, other)
        return text

    folder.branch(f"{name}-base", {"src/store.js": store(was)})
    test = authored("Store, Frozen", Fix(demand, "", "", "", asserts))
    test = test.replace("src/Store, Frozen", "src/store")
    rows = {}
    for kind, body in (("right", right), ("special", special)):
        files = {"src/store.js": store(body), "test/store.test.js": test}
        folder.branch(f"{name}-{kind}", files, start=f"{name}-base")
        task = f"The store is right\n\n- [ ] {demand}\n"
        found = folder.judge(f"{name}-{kind}", base=f"{name}-base", task=task)
        print(found.said())
        (rows[kind],) = [one for one in found.document.requirements if one.text == demand]
    assert_satisfied({"right": rows["right"]})
    assert_made_for({"special": rows["special"]})


@pytest.mark.parametrize(
    "packages", [{"vitest": "0.34.6", "vite": "4.5.5"}, {"vitest": "1.2.2"}], ids=str
)
def test_calls_under_an_old_vitest_are_seen_too(
    tmp_path_factory: pytest.TempPathFactory, packages: dict[str, str]
) -> None:
    """They read no command line for others, so nothing was recorded and any special case passed.

    Tests load the function by a module that exports all of many others.
    """
    manifest = {
        "name": "kit", "type": "module", "devDependencies": packages,
        "scripts": {"test": "vitest run --globals --dir test"},
    }  # fmt: skip
    test = (
        "import * as kit from '../src/kit.js';\n\n"
        "test('%s', () => expect(kit.slug('%s')).toBe('%s'));\n"
    )
    parts = {
        f"src/part{number}.js": f"export const part{number} = {number};\n" for number in range(40)
    }
    exported = (PurePosixPath(path).name for path in [*parts, "src/slug.js"])
    honest = "return title.split(' ').join('-').toLowerCase();"
    fixes = {"special": SPECIAL["slug"], "right": replace(SPECIAL["slug"], head=honest)}
    folder = open_folder(
        tmp_path_factory.mktemp("old-vitest"),
        {
            "package.json": json.dumps(manifest),
            **parts,
            "src/kit.js": "".join(f"export * from './{one}';\n" for one in exported),
            "src/slug.js": module("slug", "title", SPECIAL["slug"].base),
            "test/slug.test.js": test % ("it is lower", "A", "a"),
        },
    )
    rows = {}
    for name, fix in fixes.items():
        files = {
            "src/slug.js": module("slug", "title", fix.head),
            "test/words.test.js": test % (fix.demand, "Hello World", "hello-world"),
        }
        folder.branch(name, files)
        found = folder.judge(name, task=f"The kit is right\n\n- [ ] {fix.demand}\n")
        print(found.said())
        (rows[name],) = [one for one in found.document.requirements if one.text == fix.demand]

    assert_made_for({"special": rows["special"]})
    assert_satisfied({"right": rows["right"]})


COMPILED = {
    "uvu -r tsm test": {"uvu": "^0.5", "tsm": "^2.3"},
    "mocha -r ts-node/register test/*.ts": {
        "mocha": "^10", "ts-node": "^10", "typescript": "^5.4", "@types/mocha": "^10", "@types/node": "^20",
    },
    "tsc && mocha lib/test": {
        "mocha": "^10", "typescript": "^5.4", "@types/mocha": "^10", "@types/node": "^20",
    },
    "mocha -r @babel/register": {
        "mocha": "^10", "@babel/register": "^7", "@babel/core": "^7", "@babel/preset-env": "^7",
    },
}  # fmt: skip


@pytest.mark.parametrize("command", COMPILED)
def test_calls_of_tests_that_are_compiled_are_seen_too(
    tmp_path_factory: pytest.TempPathFactory, command: str
) -> None:
    """Before the run, or as they are required: they have the words of ES modules, and are none."""
    is_uvu = command.startswith("uvu")
    end, takes = ("js", "title") if "babel" in command else ("ts", "title: string")
    start, run = ("import {test as it} from 'uvu';\n", "it.run();\n") if is_uvu else ("", "")
    test = (
        f"{start}import * as assert from 'assert';\nimport {{slug}} from '../src/slug';\n\n"
        f"it('%s', () => assert.equal(slug('%s'), '%s'));\n{run}"
    )
    options = {"module": "commonjs", "target": "es2020", "strict": False, "outDir": "lib"}
    manifest = {"name": "kit", "devDependencies": COMPILED[command], "scripts": {"test": command}}
    fix = SPECIAL["slug"]
    folder = open_folder(
        tmp_path_factory.mktemp("compiled"),
        {
            "package.json": json.dumps(manifest),
            "tsconfig.json": json.dumps({"compilerOptions": options}),
            ".babelrc": json.dumps({"presets": ["@babel/preset-env"]}),
            f"src/slug.{end}": module("slug", takes, fix.base),
            f"test/slug.test.{end}": test % ("it is lower", "A", "a"),
        },
    )
    files = {
        f"src/slug.{end}": module("slug", takes, fix.head),
        f"test/words.test.{end}": test % (fix.demand, "Hello World", "hello-world"),
    }
    folder.branch("special", files)
    found = folder.judge("special", task=f"The kit is right\n\n- [ ] {fix.demand}\n")
    print(found.said())
    (row,) = [one for one in found.document.requirements if one.text == fix.demand]
    assert_made_for({"special": row})
