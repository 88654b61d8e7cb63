"""Which deleted tests went with their functions, in JavaScript and Python; in doubt none did."""

from __future__ import annotations

import json

import pytest

from bot.integrity import inspect_integrity
from bot.integrity.weakened_tests.lost_imports import find_bereft
from bot.integrity.weakened_tests.removed_code import find_gone, find_retired
from bot.task.permissions import removed_names
from bot.values import FourWay, TestChange, TestComparison
from sandbox.values import Diff, Outcome
from tests.bot.integrity.test_integrity import NOTHING_ASKED, changed
from tests.bot.verdict.cases import KEPT, SPLIT, conclusion_of, gate_of, observed, requirements

TEXT = "exports.shown = (t) => t;\nexports.plain = (t) => t.replace('*', '');\n"
LEFT = "exports.shown = (t) => t;\n"
MEMBER = "const text = require('../lib/text');\nit('p', () => { equal(text.plain('a*'), 'a'); });\n"
TAKEN = "const {plain} = require('../lib/text.js');\nit('p', () => { equal(plain('a*'), 'a'); });\n"
MIXED = MEMBER.replace("'a');", "text.shown('a'));")
HELPED = (
    "const {plain, shown} = require('../lib/text.js');\nconst check = (t) => equal(shown(t), t);\n"
    "it('p', () => { check(plain('a*')); });\n"
)
PACKAGE = '{"name": "x", "exports": "./index.js"}'
SCRIPTS = {"index.js": "exports.a = 1;\n", "package.json": PACKAGE, "lib/text.js": TEXT}
MODULE = "def shown(t):\n    return t\n\n\ndef _plain(t):\n    return t.strip()\n"
MODULES = {"pkg/__init__.py": "", "pkg/text.py": MODULE}
PYTHON = "from pkg.text import _plain\n\n\ndef test_plain():\n    assert _plain(' a') == 'a'\n"


class Tree(dict[str, str]):
    """One side's files."""

    def read(self, path: str) -> str | None:
        return self.get(path)

    def read_bytes(self, path: str) -> bytes | None:
        return self[path].encode() if path in self else None

    def paths(self) -> tuple[str, ...]:
        return tuple(self)


def retired(path: str, test: str, base: dict[str, str], head: dict[str, str]) -> list[bool]:
    """Whether what went with the one deleted test was public; empty where it did not just go along."""
    kept = "\n".join(line for line in test.splitlines() if "import" not in line)
    source = next((line for line in kept.splitlines() if line.startswith("it(")), kept)
    comparison = TestComparison(
        f"{path}::p", TestChange.PASS_TO_FAIL, Outcome.PASSED, Outcome.FAILED, path=path,
        source=f"p\n{source}",
    )  # fmt: skip
    found = find_retired((comparison,), Tree({**base, path: test}), Tree(head))
    return [one.is_public for one in found]


@pytest.mark.parametrize(
    ("test", "more", "found"),
    [
        (TAKEN, {}, [False]),
        (MEMBER, {}, [False]),
        (
            MEMBER.replace("require('../lib/text')", "requireInject('../lib/text', {fs})"),
            {},
            [False],
        ),
        (TAKEN.replace("require('../lib/text.js')", "t.mock('../lib/text.js', {})"), {}, [False]),
        (TAKEN, {"lib/text.js": TEXT}, []),
        (MIXED, {}, []),
        (HELPED, {}, []),
        (TAKEN.replace("{plain}", "{plain, shown}"), {}, [False]),
        (
            TAKEN.replace("{plain}", "{plain, shown}") + "beforeEach(() => { shown('a'); });\n",
            {},
            [],
        ),
        ("it('p', () => { equal(1, 1); });\n", {}, []),
        (TAKEN, {"a.js": "const t = require('./lib/text');\nt.plain('a');\n"}, []),
        (TAKEN, {"a.js": "require('./lib/text').plain('a');\n"}, []),
        (TAKEN, {"a.js": "require('./lib/text')['plain']('a');\n"}, []),
        (TAKEN, {"a.js": "import {plain} from './lib/text.js';\n"}, []),
        (TAKEN, {"a.js": "const f = a ? plain : b;\n"}, []),
        (TAKEN, {"a.js": "const o = {plain};\n"}, []),
        (TAKEN, {"a.js": "const o = {plain: 1};\no.plain();\n// plain\n"}, [False]),
        (TAKEN, {"a.d.ts": "interface A { shown(): void; plain?(t: string): string; }\n"}, [False]),
        (TAKEN, {"a.d.ts": "export function plain(t: string): string;\n"}, []),
    ],
)
def test_a_test_of_a_script_goes_only_with_all_that_it_tests(
    test: str, more: dict[str, str], found: list[bool]
) -> None:
    head = {**SCRIPTS, "lib/text.js": LEFT, **more}
    assert retired("test/text.js", test, SCRIPTS, head) == found


@pytest.mark.parametrize(
    "more",
    [
        {"package.json": '{"name": "x"}'},
        {"package.json": '{"name": "x", "exports": {"./*": "./lib/*.js"}}'},
        {"package.json": '{"name": "x", "exports": ["./lib/text.js"]}'},
        {"package.json": '{"name": "x", "exports": "./dist/built.js"}'},
        {"index.js": "exports.text = require('./lib/text');\n"},
        {"index.js": "const text = require('./lib/text');\nmodule.exports = {text};\n"},
        {"index.js": "module.exports = require('./lib/all');\n"},
        {"index.js": "export {plain} from './lib/text.js';\n"},
        {"lib/all.js": "import * as text from './text.js';\nexport default text;\n"},
    ],
)
def test_a_function_that_users_can_reach_is_public(more: dict[str, str]) -> None:
    base = {**SCRIPTS, **more}
    head = {path: text for path, text in base.items() if "plain" not in text}
    assert retired("test/text.js", TAKEN, base, {**head, "lib/text.js": LEFT}) == [True]


TAKES_IT = "import { plain } from './lib/text.js'\n"
BUILT = {"types": "./dist/index.d.ts", "default": "./dist/index.js"}


@pytest.mark.parametrize(
    ("index", "found"),
    [
        ("export * from './other.js'\nexport { shown } from './lib/text.js'\n", [False]),
        ("export * from './other.js'\nexport { plain } from './lib/text.js'\n", [True]),
        ("export * from './other.js'\nexport * from './lib/text.js'\n", [True]),
        ("export * from './nowhere.js'\n", [True]),
        ("export * from 'elsewhere'\n", [False]),
        ("export * from './user.js'\n", [False]),
        ("export * from './named.js'\n", [True]),
        ("export * from './listed.js'\n", [True]),
        ("import { plain } from './lib/text.js'\nexport const all = { plain }\n", [True]),
    ],
)
def test_entries_that_are_built_are_read_where_they_are_built_from(
    index: str, found: list[bool]
) -> None:
    """What `dist/index.js` hands on is what `src/index.ts` and the modules behind its stars do."""
    base = {
        "package.json": json.dumps({"name": "x", "exports": {".": BUILT}}),
        "src/index.ts": index,
        "src/other.ts": "export const a = 1;\n",
        "src/user.ts": f"{TAKES_IT}export function used(t) {{\n  return plain(t);\n}}\n",
        "src/listed.ts": f"{TAKES_IT}export const all = {{\n  plain,\n}};\n",
        "src/named.ts": f"{TAKES_IT}export const named = plain;\n",
        "src/lib/text.ts": "export const plain = (t) => t;\nexport const shown = (t) => t;\n",
    }
    head = {path: text for path, text in base.items() if "plain" not in text}
    head["src/lib/text.ts"] = "export const shown = (t) => t;\n"
    test = TAKEN.replace("../lib/text.js", "../src/lib/text.js")
    assert retired("test/text.js", test, base, head) == found
    moved = {path.replace("src/", "source/"): text for path, text in base.items()}
    moved["package.json"] = '{"name": "x", "exports": "./dist/source/index.js"}'
    head = {path.replace("src/", "source/"): text for path, text in head.items()}
    assert retired("test/text.js", test.replace("src/", "source/"), moved, head) == found


@pytest.mark.parametrize(
    ("name", "more", "found"),
    [
        ("_plain", {}, [False]),
        ("plain", {}, [True]),
        ("_plain", {"pkg/a.py": "from pkg.text import _plain\n"}, []),
        ("_plain", {"pkg/a.py": "from pkg import text\n\nx = text._plain(' a')\n"}, []),
        ("_plain", {"pkg/a.py": "x = getattr(text, '_plain')\n"}, []),
        ("_plain", {"pkg/a.py": "def broken(:\n    _plain\n"}, []),
        ("_plain", {"pkg/text.py": MODULE.replace("strip()", "lower()")}, []),
    ],
)
def test_a_test_of_a_python_module(name: str, more: dict[str, str], found: list[bool]) -> None:
    base = {path: text.replace("_plain", name) for path, text in MODULES.items()}
    head = {**base, "pkg/text.py": "def shown(t):\n    return t\n", **more}
    assert retired("tests/test_text.py", PYTHON.replace("_plain", name), base, head) == found


@pytest.mark.parametrize(
    ("body", "found"),
    [
        ("test_plain():\n    assert _plain(' a') == 'a'", [False]),
        ("test_plain(tmp_path, text):\n    assert _plain(' a') == 'a'", [False]),
        ("test_plain():\n    assert _plain(shown(' a')) == 'a'", []),
        ("test_plain():\n    assert check('a')", []),
        ("test_plain(client):\n    assert _plain(client.text) == 'a'", []),
    ],
)
def test_a_test_of_a_python_module_that_stays(body: str, found: list[bool]) -> None:
    """Its file imports what stays too: for another test, for this one, or for a helper of this one."""
    imports = (
        "from pkg.text import _plain, shown\n\n\ndef check(t):\n    return shown(_plain(t))\n\n\n"
    )
    others = (
        "@pytest.mark.parametrize(('text', 'wanted'), TABLE)\ndef test_b(text, wanted): ...\n\n\n"
    )
    test = f"{imports}{others}def {body}\n"
    head = {**MODULES, "pkg/text.py": "def shown(t):\n    return t\n"}
    source = f"def {body}\n"
    comparison = TestComparison(
        "tests/test_text.py::test_plain", TestChange.PASS_TO_FAIL, Outcome.PASSED, Outcome.FAILED,
        path="tests/test_text.py", source=source,
    )  # fmt: skip
    base = Tree({**MODULES, "tests/test_text.py": test})
    assert [one.is_public for one in find_retired((comparison,), base, Tree(head))] == found


PLUGIN = (
    "class Plugin:\n    def add_options(self, parser):\n        parser.add('x')\n\n"
    "    def run(self):\n        return 1\n"
)
PLUGIN_TEST = (
    "from pkg.cli import main\n\n\nclass Example:\n"
    "    def add_options(self, parser):\n        parser.add('y')\n\n\n"
    "def test_options():\n    assert main(Example()) == 0\n"
)
CLI = (
    "def main(plugin):\n    if hasattr(plugin, 'add_options'):\n        plugin.add_options(None)\n"
    "    return 0\n"
)
CALLED = {"pkg/__init__.py": "", "pkg/plugin.py": PLUGIN, "pkg/cli.py": CLI}


@pytest.mark.parametrize(
    ("left", "names", "found"),
    [
        (
            {"pkg/plugin.py": "", "pkg/cli.py": "def main(plugin):\n    return 0\n"},
            ["add_options"],
            [True],
        ),
        ({"pkg/plugin.py": ""}, [], []),  # the program still asks for it
        ({"pkg/cli.py": "def main(plugin):\n    return 0\n"}, [], []),
    ],
)
def test_a_test_goes_with_the_name_that_is_to_go(
    left: dict[str, str], names: list[str], found: list[bool]
) -> None:
    path = "tests/test_options.py"
    base, head = Tree({**CALLED, path: PLUGIN_TEST}), Tree({**CALLED, **left})
    gone = find_gone(["add_options", "absent"], base, head)
    source = PLUGIN_TEST[PLUGIN_TEST.index("def test") :]
    test = TestComparison(
        f"{path}::test_options", TestChange.PASS_TO_FAIL, Outcome.PASSED, Outcome.FAILED, path=path,
        source=source,
    )  # fmt: skip

    assert sorted(gone) == names
    went = find_retired((test,), base, head, gone)
    assert [one.is_public and one.may_test_more for one in went] == found  # `main` stays


WHOLE = (
    "const plain = requireInject('../lib/plain.js', {});\nit('p', () => equal(plain('a*'), 'a'));\n"
)


@pytest.mark.parametrize(
    ("head", "found"),
    [
        ({"index.js": "exports.a = 1;\n"}, [True]),
        ({"index.js": "exports.a = require('./lib/plain');\n"}, []),
        ({"index.js": "exports.a = 1;\n", "lib/plain.js": TEXT}, []),
        ({"index.js": "exports.a = 1;\n", "src/plain.js": "require('../lib/plain.js')"}, []),
    ],
)
def test_a_module_that_is_taken_whole_goes_with_its_tests(
    head: dict[str, str], found: list[bool]
) -> None:
    plain = "module.exports = (t) => t.replace('*', '');\n"
    base = {"index.js": "exports.a = require('./lib/plain');\n", "lib/plain.js": plain}
    assert retired("test/a.js", WHOLE, base, head) == found


MOCKED = "const a = inject('../lib/a', {'../lib/text.js': (t) => t});\nit('p', () => a('x'));\n"
SOME = MOCKED.replace("'../lib/text.js': (t) => t", "")


@pytest.mark.parametrize(
    ("message", "left", "conclusion"),
    [
        ("Cannot find module '/work/tree/lib/text.js'\nRequire stack:", None, "action_required"),
        ("Error: Cannot find module '../lib/text' from 'test/a.js'", None, "action_required"),
        ("Error: Cannot find module '../lib/other' from 'test/a.js'", None, "failure"),
        ("Error: Cannot find module '/work/tree/lib/text.js'", LEFT, "failure"),
        ("AssertionError: 3 is not 4", None, "failure"),
    ],
)
def test_an_edited_test_that_mocked_what_is_gone_is_for_a_person(
    message: str, left: str | None, conclusion: str
) -> None:
    """Whether it was loosened cannot be seen: base's version of it does not run on head."""
    base, head = {"test/a.js": MOCKED, "lib/text.js": TEXT}, {"test/a.js": SOME}
    diff = Diff((changed("test/a.js", MOCKED, SOME), changed("lib/text.js", TEXT, left)))
    test = TestComparison(
        "test/a.js::p", TestChange.PASS_TO_FAIL, Outcome.PASSED, Outcome.FAILED, Outcome.PASSED,
        Outcome.PASSED, written_by_author=True, message=message, path="test/a.js",
        source=SOME, source_before=MOCKED,
    )  # fmt: skip
    if left is not None:
        head["lib/text.js"] = left
    bereft, _ = find_bereft((test,), diff)
    tests = FourWay((*KEPT, SPLIT, test), evidence_id="E1", bereft=bereft)
    integrity = inspect_integrity(diff, Tree(base), Tree(head), tests, NOTHING_ASKED)
    assert conclusion_of(tests=tests, integrity=integrity).value == conclusion


COMMAND = """@main.command(name="import-legacy")
def import_legacy():
    store(read_legacy())
"""
RUN = "def test_import_legacy(run):\n    assert run('import-legacy') == 'imported'\n"
READ = "from pkg.legacy import read_legacy\n\n\ndef test_read():\n    assert read_legacy() == []\n"
ASKS = "Please remove the import-legacy command, legacy.py and the tests for it."


@pytest.mark.parametrize(
    ("text", "test", "path", "conclusion"),
    [
        (ASKS, RUN, "tests/test_run.py", "success"),
        (ASKS, READ, "tests/test_legacy.py", "success"),
        (
            ASKS,
            RUN.replace("test_import_legacy", "test_run"),
            "tests/test_run.py",
            "action_required",
        ),
        ("It is old.", READ, "tests/test_legacy.py", "action_required"),
    ],
)
def test_a_command_goes_with_its_file_and_their_tests(
    text: str, test: str, path: str, conclusion: str
) -> None:
    base = Tree(MODULES | {"pkg/cli.py": COMMAND, "pkg/legacy.py": "def read_legacy(): ...\n"})
    base[path], head = test, Tree(MODULES)
    wanted = requirements("Get rid of import-legacy", text)
    gone = find_gone(removed_names(wanted.beside_baseline[0]), base, head)
    assert gone == {"import-legacy"}
    name = test.partition("def ")[2].partition("(")[0]
    went = TestComparison(
        f"{path}::{name}",
        TestChange.PASS_TO_FAIL,
        Outcome.PASSED,
        Outcome.FAILED,
        path=path,
        source=test,
    )
    tests = FourWay(
        (*KEPT, went), evidence_id="E1", retired=find_retired((went,), base, head, gone)
    )
    seen = observed(tests=tests, gone=tuple(gone))
    assert gate_of(wanted, seen).conclusion.value == conclusion


LACKS = "E   AttributeError: module 'pkg' has no attribute 'text'"


@pytest.mark.parametrize(
    ("message", "path", "found"),
    [
        (LACKS, "tests/test_text.py", [False]),
        ("E   ModuleNotFoundError: No module named 'pkg.text'", "tests/test_text.py", [False]),
        (LACKS, "tests/test_all.py", [True]),
        (LACKS.replace("'text'", "'shown'"), "tests/test_text.py", []),
        ("E   assert 1 == 2", "tests/test_text.py", []),
    ],
)
def test_a_deleted_test_of_a_file_that_is_taken_away_is_for_a_person(
    message: str, path: str, found: list[bool]
) -> None:
    """Its own error says what it lacks; it may test more where it is not named after that."""
    diff = Diff((changed(path, PYTHON, None), changed("src/pkg/text.py", MODULE, None)))
    test = TestComparison(
        f"{path}::test_plain", TestChange.PASS_TO_FAIL, Outcome.PASSED, Outcome.FAILED,
        message=message, path=path, source_before=PYTHON,
    )  # fmt: skip
    edited, went = find_bereft((test,), diff)
    assert not edited
    assert [one.may_test_more for one in went] == found
    tests = FourWay((*KEPT, SPLIT, test), evidence_id="E1", retired=went)
    base = Tree({path: PYTHON, "src/pkg/text.py": MODULE})
    integrity = inspect_integrity(diff, base, Tree(), tests, NOTHING_ASKED)
    concluded = conclusion_of(tests=tests, integrity=integrity).value
    assert concluded == ("action_required" if found else "failure")


WORDS = """def say_short(schedule):
    return str(schedule)


def parse(text):
    return [text]
"""


@pytest.mark.parametrize(
    ("asserted", "may_test_more"),
    [
        ("say_short(parse('(3)')) == '60/1'", False),
        ("say_short(parse('3')) == str(parse('3'))", True),
        ("parse(say_short(1)) == ['1']", True),
    ],
)
def test_what_a_call_of_removed_code_is_given_is_only_made_for_it(
    asserted: str, may_test_more: bool
) -> None:
    path = "tests/test_words.py"
    test = f"def test_sixty():\n    assert {asserted}\n"
    text = f"from pkg.words import parse, say_short\n\n\n{test}"
    base = Tree(MODULES | {"pkg/words.py": WORDS, path: text})
    head = Tree(MODULES | {"pkg/words.py": WORDS.partition("\n\n\n")[2]})
    went = TestComparison(
        f"{path}::test_sixty",
        TestChange.PASS_TO_FAIL,
        Outcome.PASSED,
        Outcome.FAILED,
        path=path,
        source=test,
    )
    (found,) = find_retired((went,), base, head, frozenset(("say_short",)))
    assert found.may_test_more is may_test_more
