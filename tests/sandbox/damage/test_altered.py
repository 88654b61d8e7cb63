"""Which places of a change are tried as on base: statements of functions that are not what they were."""

from __future__ import annotations

from pathlib import Path

import pytest

from sandbox import open_sandbox
from sandbox.damage.making import make_damages
from sandbox.damage.values import ALTERED, EXTENDED, Damage
from tests.sandbox.linters.changes import changed

pytestmark = pytest.mark.real

PYTHON = (
    "import os\n\nLIMIT = 3\n\n\n"
    "def f(a, b=1):\n    # all\n    if a < 1:\n        return b\n    return a\n"
)
MORE = "\n\ndef g(a):\n    return a + LIMIT\n"


async def altered(
    folder: Path, base: str, head: str, name: str = "a.py", *, kind: str = ALTERED
) -> list[Damage]:
    checkout = changed(folder, {name: base}, {name: head})
    copies = await make_damages(open_sandbox("bubblewrap", folder / "state"), checkout, {name}, ())
    found = [one for one in copies if one.damage.kind == kind]
    assert all(text.decode() != head for one in found for _, text in one.files)
    return [one.damage for one in found]


@pytest.mark.parametrize(
    ("was", "now", "names"),
    [
        ("if a < 1:", "if a == 0:", ("f",)),
        ("b=1", "b=2", ("f",)),
        ("        return b\n", "", ("f", "b")),
        ("return a\n", "return max(a)\n", None),
        ("    # all\n", "    # some\n", None),
        ("def f(a, b=1):", "def f(a: int, b: int = 1) -> int:", None),
        ("if a < 1:", "if (\n        a < 1\n    ):", None),
        ("LIMIT = 3", "LIMIT = 4", ("LIMIT", "3", "4")),
        ("STARTS = ('=', 'at', 'in')", "STARTS = ('=', 'in')", ("STARTS", "at")),
        ("STARTS = ('=', 'at', 'in')", "STARTS = ('=', 'at', 'in', 'to')", None),
        ("UNITS = {'s': 1, 'min': 60}", "UNITS = {'s': 1}", None),
        ("import os", "import sys", None),
    ],
)
async def test_what_is_gone_from_a_function_is_tried(
    tmp_path: Path, was: str, now: str, names: tuple[str, ...] | None
) -> None:
    base = PYTHON if was in PYTHON else f"{PYTHON}\n{was}\n"
    found = await altered(tmp_path, base, base.replace(was, now))

    assert [one.names for one in found] == ([names] if names else [])


async def test_the_name_of_a_caught_error_that_nothing_reads_is_no_place(tmp_path: Path) -> None:
    handler = "    except OSError as error:\n        a.failed += 1\n        log(error)\n"
    base = f"def f(a):\n    try:\n        return g(a)\n{handler}"
    unnamed = base.replace(" as error", "").replace("log(error)", "trace()")
    found = await altered(tmp_path, base, unnamed)
    assert [one.what for one in found] == ["`log(error)` is still there"]
    other = await altered(tmp_path / "other", base, unnamed.replace("OSError", "ValueError"))
    assert len(other) > 1


@pytest.mark.parametrize(
    ("name", "base", "head", "loaded"),
    [
        (
            "a.py",
            "import os\nimport re\n\n\ndef f(a):\n    os.replace(a, re.sub('x', 'y', a))\n    return a\n",
            "import re\n\n\ndef f(a):\n    write(re.sub('x', 'y', a))\n    return a\n",
            "    import os\n    os.replace(",
        ),
        (
            "a.mjs",
            "import { resolve, sep } from 'node:path';\n\n"
            "export const f = a => {\n  return resolve(a + sep);\n};\n",
            "import { resolve } from 'node:path';\n\nexport const f = a => {\n  return resolve(a);\n};\n",
            "import { resolve, sep } from 'node:path';\n\nexport",
        ),
        (
            "a.cjs",
            "const path = require('path');\n\nfunction f(a) {\n  return path.resolve(a);\n}\n",
            "function f(a) {\n  return a + a;\n}\n",
            "const path = require('path');\n\nfunction f",
        ),
    ],
)
async def test_what_a_place_needs_is_imported_again(
    tmp_path: Path, name: str, base: str, head: str, loaded: str
) -> None:
    checkout = changed(tmp_path, {name: base}, {name: head})
    sandbox = open_sandbox("bubblewrap", tmp_path / "state")
    copies = await make_damages(sandbox, checkout, {name}, ())
    texts = [text.decode() for one in copies if one.damage.kind == ALTERED for _, text in one.files]
    assert any(loaded in text for text in texts), texts
    assert all(text.count("node:path") < 2 and text.count("require") < 2 for text in texts)


CHAINED = """class Outbox {
  #tail = Promise.resolve();

  send(parts) {
    this.#tail = this.#tail.then(() => this.deliver(parts));
    return this.#tail;
  }
}
"""
LOCKED = """class Bank:
    def __init__(self):
        self._lock = Lock()

    def take(self, a):
        with self._lock:
            return a
"""


@pytest.mark.parametrize(
    ("name", "base", "head", "needed"),
    [
        (
            "a.js",
            CHAINED,
            "class Outbox {\n  send(parts) {\n    return this.deliver(parts);\n  }\n}\n",
            "#tail =",
        ),
        (
            "a.py",
            LOCKED,
            "class Bank:\n    def __init__(self):\n        pass\n\n"
            "    def take(self, a):\n        return a\n",
            "self._lock = Lock()",
        ),
    ],
)
async def test_what_a_place_needs_elsewhere_in_its_file_is_there_again(
    tmp_path: Path, name: str, base: str, head: str, needed: str
) -> None:
    checkout = changed(tmp_path, {name: base}, {name: head})
    copies = await make_damages(
        open_sandbox("bubblewrap", tmp_path / "state"), checkout, {name}, ()
    )
    texts = [one.files[0][1].decode() for one in copies if one.damage.kind == ALTERED]
    assert base in texts
    assert all(needed in text for text in texts)


async def test_another_name_is_nothing_that_a_place_lacks(tmp_path: Path) -> None:
    head = LOCKED.replace("_lock", "_guard").replace("return a", "return a + 1")
    checkout = changed(tmp_path, {"a.py": LOCKED}, {"a.py": head})
    copies = await make_damages(
        open_sandbox("bubblewrap", tmp_path / "state"), checkout, {"a.py"}, ()
    )
    assert LOCKED not in [one.files[0][1].decode() for one in copies if one.damage.kind == ALTERED]


async def test_the_last_statement_of_a_function_is_a_place_and_all_of_its_places_are_one(
    tmp_path: Path,
) -> None:
    save = "        name = other()\n        name.write(text)\n        os.replace(name)\n"
    base = f"class File:\n    def save(self, text):\n{save}\n    def load(self):\n        return self.text\n"
    last = await altered(tmp_path / "last", base, base.replace("        os.replace(name)\n", ""))
    assert [(one.symbol, one.what) for one in last] == [
        ("save", "`os.replace(name)` is still there")
    ]
    both = base.replace("        os.replace(name)\n", "").replace("other()", "self.name")
    found = await altered(tmp_path / "both", base, both)
    assert "`save` is as on base in 2 places" in [one.what for one in found]
    other = base.replace("        return self.text\n", "        return self.text\n\n\nX = 1\n")
    assert await altered(tmp_path / "behind", other, base) == []


async def test_a_function_taken_out_of_another_is_no_place_unless_it_does_otherwise(
    tmp_path: Path,
) -> None:
    base = "def f(a):\n    b = []\n    b.append(a.x)\n    b.append(g(a.y))\n    return b\n"
    head = "def f(a):\n    b = []\n    b += h(a)\n    return b\n\n\ndef h(c):\n    return [c.x, g(c.y)]\n"
    assert await altered(tmp_path / "same", base, head) == []
    assert await altered(tmp_path / "other", base, head.replace("g(c.y)", "g(c.x)"))


async def test_an_optional_parameter_that_nothing_reads_is_no_place(tmp_path: Path) -> None:
    base = "def f(a, b=1, c=2):\n    return [a, c]\n"
    unread, read = base.replace(", b=1", ""), base.replace(", c=2", "")
    assert await altered(tmp_path / "unread", base, unread) == []
    assert await altered(tmp_path / "read", base, read) != []


@pytest.mark.parametrize(
    ("gone", "rest", "is_tried"),
    [
        ("self._a = False", "self.b = a", False),
        ("self._a = False", "self.b = self._a", True),
        ("self.a = False", "self.b = a", True),
        ("self._a = start()", "self.b = a", True),
    ],
)
async def test_nor_is_a_private_attribute_that_nothing_names_any_more(
    tmp_path: Path, gone: str, rest: str, is_tried: bool
) -> None:
    head = f"class A:\n    def __init__(self, a):\n        self.c = a\n        {rest}\n"
    base = head.replace("        self.b", f"        {gone}\n        self.b")

    assert bool(await altered(tmp_path, base, head)) is is_tried


@pytest.mark.parametrize(
    ("guard", "is_tried"),
    [
        ("if isinstance(value, str):", False),
        ("if isinstance(value, bytes):", True),
        ("if not isinstance(value, str):", True),
        ("if isinstance(str, value):", True),
    ],
)
async def test_a_guard_may_move_into_the_function_that_it_guards(
    tmp_path: Path, guard: str, is_tried: bool
) -> None:
    split = "def split(text):\n    return text.split()\n\n\n"
    read = f"def read(value):\n    {guard}\n        value = split(value)\n    return value\n"
    inside = "    if isinstance(text, str):\n        return text.split()\n    return text\n"
    head = split.replace("    return text.split()\n", inside)
    head += read.replace(f"    {guard}\n    ", "")

    found = await altered(tmp_path, split + read, head)

    assert any("read" in one.names for one in found) is is_tried
    other = split.replace("split", "other") + head.replace("split(text)", "split_all(text)")
    before = split.replace("split", "other", 1) + split + read
    assert any("read" in one.names for one in await altered(tmp_path / "o", before, other))


@pytest.mark.parametrize(
    ("rest", "is_tried"),
    [
        ("    b = a\n    name = b\n", False),
        ("    name = f'{name}-{a}'\n", True),
        ("    name += '-'\n", True),
        ("    if a:\n        name = a\n", True),
        ("    name: str = a\n", False),
        ("    global b\n    name = b\n", True),
        ("    b = name\n    name = b\n", True),
        ("    b = [lambda: name]\n    name = b\n", True),
    ],
)
async def test_nor_is_a_value_that_is_overwritten_before_it_is_read(
    tmp_path: Path, rest: str, is_tried: bool
) -> None:
    head = f"def f(a, name=1):\n{rest}    return [name, a]\n"
    base = head.replace("\n", "\n    name = str(a)\n", 1)

    assert bool(await altered(tmp_path, base, head)) is is_tried


@pytest.mark.parametrize(
    ("rest", "is_tried"),
    [
        ("    return (a, made(a))\n", False),  # what made it is run, too
        ("    return (a, other(a))\n", True),
        ("    return (a, made(a), got)\n", True),
    ],
)
async def test_nor_is_a_value_that_nobody_reads(tmp_path: Path, rest: str, is_tried: bool) -> None:
    head = f"def f(a):\n    check(a)\n{rest}"
    base = head.replace("    check(a)\n", "    check(a)\n    got = made(a)\n")

    told = [one.what for one in await altered(tmp_path, base, head)]
    assert any("got = made(a)" in one for one in told) is is_tried


@pytest.mark.parametrize(
    ("before", "after", "is_tried"),
    [
        ("of.get(a, set())", "of.get(a, {})", False),
        ("of.get(a, set())", "of.get(a, {1})", True),
        ("use(a, set())", "use(a, {})", True),
    ],
)
async def test_nor_is_something_empty_for_what_is_missing(
    tmp_path: Path, before: str, after: str, is_tried: bool
) -> None:
    base, head = (f"def f(of, a):\n    x = {one}\n    return x\n" for one in (before, after))
    assert bool(await altered(tmp_path, base, head)) is is_tried


ASSERTS = "def f(a):\n    b = load(a)\n    assert isinstance(b, dict)\n    return typing.cast('dict', b)\n"
REFUSES = (
    "def f(a):\n    b = load(a)\n    if not isinstance(b, dict):\n        raise Error(b)\n"
    "    return b\n"
)


@pytest.mark.parametrize(
    ("head", "tried"),
    [
        (REFUSES, False),
        (REFUSES.replace("        raise Error(b)", "        b = {}"), True),
        (REFUSES.replace("isinstance(b, dict)", "isinstance(a, dict)"), True),
        (REFUSES.replace("return b", "return list(b)"), True),
    ],
)
async def test_nor_is_what_is_asserted_where_the_function_refuses_it_now(
    tmp_path: Path, head: str, tried: bool
) -> None:
    assert bool(await altered(tmp_path, ASSERTS, head)) is tried


async def test_nor_are_types_of_what_a_function_assigns(tmp_path: Path) -> None:
    base = "def f(a):\n    b: list[dict[str, int]] = []\n    return [*b, a]\n"
    assert await altered(tmp_path, base, base.replace("int", "str")) == []


@pytest.mark.parametrize(
    ("was", "now", "is_tried"),
    [
        ("if (a.length !== 0)", "if (a.length > 0)", True),
        ("if (a.length > 0)", "if (a.length)", False),
        ("if (a.length && b)", "if (a.length > 0 && b)", False),
        ("if (text.length > 0 && b)", "if (text && b)", False),
        ("if (!(text))", "if (!(text.length > 0))", False),
        ("if (a.length > 0)", "if (a)", True),
        ("if (a.length > 0)", "if (a.length >= 0)", True),
        ("if (a.length === 0)", "if (a.length)", True),
        ("if (a.length > 1)", "if (a.length)", True),
        ("if (b = text.length > 0)", "if (b = text)", True),
        ("if (parts.length > 0)", "if (parts)", True),
        ("if (any.length > 0)", "if (any)", True),
    ],
)
async def test_nor_is_a_length_that_is_asked_for_otherwise(
    tmp_path: Path, was: str, now: str, is_tried: bool
) -> None:
    known = "const text = typeof b === 'string' ? b : '';\n  const parts = b.split(',');"
    known += "\n  let any = '';"
    base = f"function f(a, b) {{\n  {known}\n  {was} {{\n    return parts;\n  }}\n  any = a;\n}}\n"
    found = await altered(tmp_path, base, base.replace(was, now), "a.js")
    assert bool(found) is is_tried


@pytest.mark.parametrize(
    ("was", "now", "is_tried"),
    [
        ("return a + 1", "return a + 1", False),
        ("return a and one(a - 1)", "return a and each(a - 1)", False),
        ("return a + 1", "return a + 2", True),
        ("return a + 1", "return a + each(0)", True),
    ],
)
async def test_nor_is_a_call_of_the_same_function_by_its_new_name(
    tmp_path: Path, was: str, now: str, is_tried: bool
) -> None:
    """The old name is another function's now: with a call of that, the place would not be as on base."""
    call = "def call(items):\n    return [{}(item) for item in items]\n"
    base = f"def one(a):\n    {was}\n\n\n{call.format('one')}"
    head = (
        f"def one(a):\n    return call([a])\n\n\ndef each(a):\n    {now}\n\n\n{call.format('each')}"
    )
    found = await altered(tmp_path, base, head)
    assert any("for item in items" in one.what for one in found) is is_tried


@pytest.mark.parametrize(
    ("was", "now", "is_tried"),
    [
        ("(a as unknown) as string", "a as string", False),
        ("(a as any).b!", "a.b", False),
        ("(a.b() satisfies B)", "a.b()", False),
        ("(a + 1 as number) * 2", "a + 1 * 2", True),
        ("(a as any).b", "a.c", True),
        ("!a", "a!", True),
    ],
)
async def test_nor_are_casts(tmp_path: Path, was: str, now: str, is_tried: bool) -> None:
    base = f"function f(a: any) {{\n  return {was};\n}}\n"
    found = await altered(tmp_path, base, base.replace(was, now), "a.ts")
    assert bool(found) is is_tried


async def test_a_comma_behind_the_last_entry_of_a_list_is_layout(tmp_path: Path) -> None:
    base = "def f(\n    a: list[int],\n    b=1,\n):\n    return [\n        a,\n        b,\n    ]\n"
    short = "def f(a: Rows, b=1):\n    return [a, b]\n"
    assert await altered(tmp_path / "layout", base, short) == []
    one = "def f(a):\n    return (a,)\n"
    assert await altered(tmp_path / "tuple", one, one.replace("(a,)", "(a)")) != []


async def test_what_is_done_alike_is_known_in_shorthand_too(tmp_path: Path) -> None:
    base = "function f(t, name) {\n  g({name: last(t)});\n  log(name);\n  return last(t);\n}\n"
    head = base.replace("{name: last(t)}", "{name}").replace("return last(t)", "return name")
    found = await altered(tmp_path, base, head, "a.js")
    found = [one for one in found if "places" not in one.what]
    assert len(found) == 2
    assert len({one.edit for one in found}) == 1


async def test_names_that_have_the_same_more_are_done_alike(tmp_path: Path) -> None:
    base = "function f(d) {\n  return `${d.getHours()}:${d.getMinutes()}:${two(d.getDay())}`;\n}\n"
    found = await altered(tmp_path / "all", base, base.replace("get", "getUTC"), "a.js")
    parts = [one for one in found if "instead of" in one.what]
    assert len(parts) == 3 and {one.edit for one in parts} == {"f >UTC"}
    other = base.replace("getHours", "getUTCHours").replace("getDay", "getDate")
    found = await altered(tmp_path / "two", base, other, "a.js")
    assert sorted(one.edit for one in found if "instead of" in one.what) == ["", "f >UTC"]


async def test_the_same_guard_in_two_places_of_a_function_is_done_alike(tmp_path: Path) -> None:
    base = "def f(a, b):\n    if a.x == 1:\n        a.pop(0)\n    if b.x == 1:\n        b.pop(0)\n"
    head = base.replace("a.x == 1", "a.x == 1 and a.all").replace("b.x == 1", "b.x == 1 and b.all")
    found = await altered(tmp_path / "one", base, head)
    assert len(found) == 2 and len({one.edit for one in found} - {""}) == 1
    apart = (
        base.replace("    if b", "def g(b):\n    if b"),
        head.replace("    if b", "def g(b):\n    if b"),
    )
    assert len({one.edit for one in await altered(tmp_path / "two", *apart)}) == 2


@pytest.mark.parametrize(("new", "is_tried"), [("entry", False), ("all", True)])
async def test_another_name_in_a_function_without_one_is_no_place(
    tmp_path: Path, new: str, is_tried: bool
) -> None:
    base = "function f(all) {\n  all = g(all);\n  return all.filter((e) => e.isIn(e.all));\n}\n"
    head = base.replace("(e) => e.isIn(e.", f"({new}) => {new}.isIn({new}.")
    assert bool(await altered(tmp_path, base, head, "a.js")) is is_tried


@pytest.mark.parametrize(("name", "is_tried"), [("node:path", False), ("node:fs", True)])
async def test_either_name_of_a_module_of_node_is_the_same(
    tmp_path: Path, name: str, is_tried: bool
) -> None:
    base = "const path = require('path');\nfunction f(a) {\n  return require('path').join(a, 'b');\n}\n"
    for number, end in enumerate((";", ".j")):
        folder = tmp_path / str(number)
        folder.mkdir()
        head = base.replace(f"require('path'){end}", f"require('{name}'){end}")
        assert bool(await altered(folder, base, head, "a.js")) is is_tried


@pytest.mark.parametrize(("left", "is_tried"), [("[]", False), ("0", True)])
async def test_a_list_for_what_is_missing_is_the_same_either_way(
    tmp_path: Path, left: str, is_tried: bool
) -> None:
    base = f"function f(a) {{\n  return g(a.items || {left});\n}}\n"
    found = await altered(tmp_path, base, base.replace("||", "??"), "a.js")
    assert bool(found) is is_tried


async def test_a_line_that_only_closes_is_no_place(tmp_path: Path) -> None:
    base = (
        "var more = function more(a) {\n  return a;\n};\n\nfunction f() {\n  return more(1);\n}\n"
    )
    head = base.replace("var more = function more", "function more").replace("};", "}")
    found = await altered(tmp_path, base, head, "a.js")
    assert [one.what for one in found if "`};`" in one.what] == []


async def test_each_place_is_tried_alone(tmp_path: Path) -> None:
    head = (PYTHON + MORE).replace("a < 1", "a < 2").replace("a + LIMIT", "a - LIMIT")
    found = await altered(tmp_path, PYTHON + MORE, head)

    assert [one.what for one in found] == [
        "`if a < 1:` is still there",
        "`return a + LIMIT` is still there",
    ]
    assert [one.symbol for one in found] == ["f", "g"]


@pytest.mark.parametrize(
    ("comment", "name"),
    [("# none left", "a.py"), ("// none left", "a.js"), ("/*\n   * none left\n   */", "a.js")],
)
async def test_the_first_line_of_code_is_told_of_what_is_gone(
    tmp_path: Path, comment: str, name: str
) -> None:
    gone = f"    {comment}\n\n    b = a.pop()\n    a.push(b)\n"
    function = "def f(a):\n{}    return a\n" if name == "a.py" else "function f(a) {{\n{}}}\n"
    whole, *_ = await altered(tmp_path, function.format(gone), function.format(""), name)

    assert whole.what == "`b = a.pop()` is still there"


async def test_a_new_function_behind_a_place_is_no_part_of_it(tmp_path: Path) -> None:
    head = PYTHON.replace("    return a\n", f"    return b{MORE}")
    found = await altered(tmp_path, PYTHON, head)

    assert [one.what for one in found] == ["`return a` is still there"]


async def test_what_only_moves_is_not_tried(tmp_path: Path) -> None:
    lines = "    c = a\n    d = a + 1\n"
    base = f"def f(a):\n{lines}    return c + d\n"
    head = f"def both(a):\n{lines}    return c + d\n\n\ndef f(a):\n    return both(a)\n"

    assert await altered(tmp_path, base, head) == []


@pytest.mark.parametrize(
    ("before", "behind", "is_tried"),
    [
        ("let b = null;", "const c = a.open();\n  b = of(c);\n", False),
        ("let b = null;", "const c = a.open();\n  b = of(a);\n", True),
        ("let b = null;\n  const c = a.open();\n  b = of(c);", "", True),
        ("let b = null;", "b = of(c);\n", True),
    ],
)
async def test_a_name_that_is_declared_before_what_sets_it_moves_is_not_tried(
    tmp_path: Path, before: str, behind: str, is_tried: bool
) -> None:
    rows = "  stop(() => b);\n  a.on('end', stop);\n  a.on('error', stop);\n  a.resume();\n"
    base = f"function f(a, stop) {{\n  const c = a.open();\n  const b = of(c);\n{rows}  return b;\n}}\n"
    head = f"function f(a, stop) {{\n  {before}\n{rows}  {behind}  return b;\n}}\n"
    found = await altered(tmp_path, base, head, "a.js")

    assert any("is still there" in one.what for one in found) is is_tried


@pytest.mark.parametrize(
    ("name", "base", "head"),
    [
        ("a.js", "function f(a) {\n  return a > 1;\n}\n", "function f(a) {\n  return a < 1;\n}\n"),
        (
            "a.ts",
            "function f(a: number) {\n  return a > 1;\n}\n",
            "function f(a: number) {\n  return a < 1;\n}\n",
        ),
        (
            "a.go",
            "package a\n\nfunc F(a int) bool {\n\treturn a > 1\n}\n",
            "package a\n\nfunc F(a int) bool {\n\treturn a < 1\n}\n",
        ),
        ("a.c", "int f(int a) {\n  return a > 1;\n}\n", "int f(int a) {\n  return a < 1;\n}\n"),
    ],
)
async def test_in_other_languages_too(tmp_path: Path, name: str, base: str, head: str) -> None:
    (found,) = await altered(tmp_path, base, head, name)

    assert found.what.endswith("is still there")
    assert found.symbol.lower() == "f"


async def test_lines_side_by_side_are_tried_one_by_one_too(tmp_path: Path) -> None:
    head = PYTHON.replace("    if a < 1:\n        return b\n", "    if a < 2:\n        return a\n")
    found = await altered(tmp_path, PYTHON, head)

    assert [(one.what, one.line) for one in found] == [
        ("`if a < 1:` is still there", 8),
        ("`1` is still there instead of `2`", 8),
        ("`b` is still there instead of `a`", 9),
        ("`if a < 1:` is still there", 8),
        ("`return b` is still there", 9),
    ]


LOADING = """const f = async (items) => {{
  try {{
    {}
  }} catch (error) {{
    items.forEach((one) => fail(one, error));
  }}
}};
"""
BY_KEY = """const values = await load(items.map((item) => item.key));
    check(values, items.length);
    items.forEach((item, at) => item.resolve(values[at]));"""
ONCE_EACH = """const keys = [...new Set(items.map((item) => item.key))];
    const values = await load(keys);
    check(values, keys.length);
    items.forEach((item, at) => settle(item, values[at]));"""


async def test_the_last_of_some_lines_and_those_before_it_are_tried_apart(tmp_path: Path) -> None:
    found = await altered(tmp_path, LOADING.format(BY_KEY), LOADING.format(ONCE_EACH), "a.js")

    whole = [one for one in found if one.what.endswith("is still there")]
    assert [(one.line, "settle" in one.names, "keys" in one.names) for one in whole] == [
        (3, True, True),
        (3, False, True),
        (6, True, False),
    ]


@pytest.mark.parametrize(
    ("came", "own"),
    [
        ("    keys = [item * 2 for item in b]\n    return max(keys, key=lambda one: -one)\n",
         {"keys", "item", "one"}),
        ("    def size(key):\n        return key\n\n    return size(b)\n", set()),
        ("    return b + LIMIT\n", set()),
    ],
)  # fmt: skip
async def test_the_variables_that_a_place_gives_a_name_are_its_own(
    tmp_path: Path, came: str, own: set[str]
) -> None:
    found = await altered(
        tmp_path, PYTHON, PYTHON.replace("        return b\n    return a\n", came)
    )

    assert {*found[0].parameters} == own


@pytest.mark.parametrize(
    ("was", "now", "is_tried"),
    [
        ("return [roles[x] for x in of(a)]", "return [roles[x] for x in sorted(of(a, b))]", True),
        ("return [roles[x] for x in of(a)]", "return [roles[x] for x in of(a, b)]", False),
        ("return [roles[x] for x in of(a)]", "return [roles[x] for x in sorted(of(b, a))]", False),
    ],
)
async def test_a_place_is_given_the_arguments_that_its_calls_have_besides(
    tmp_path: Path, was: str, now: str, *, is_tried: bool
) -> None:
    base = f"def f(a, b):\n    {was}\n"
    checkout = changed(tmp_path, {"a.py": base}, {"a.py": base.replace(was, now)})
    sandbox = open_sandbox("bubblewrap", tmp_path / "state")
    made = await make_damages(sandbox, checkout, {"a.py"}, ())
    tried = [one for one in made if one.damage.kind in (ALTERED, EXTENDED)]
    texts = {text.decode() for one in tried for _, text in one.files}

    given = base.replace("of(a)", "of(a, b)")
    assert (given in texts) is is_tried
    assert (base in texts) is not is_tried


@pytest.mark.parametrize(
    ("other", "behind", "is_tried"),
    [
        ("c = b", True, True),
        ("d = b", True, False),
        ("c = g(a)", True, False),
        ("c = b", False, False),  # put back, it would get another value all the same
    ],
)
async def test_a_value_that_becomes_one_of_two_does_not_only_move(
    tmp_path: Path, other: str, *, behind: bool, is_tried: bool
) -> None:
    before, after = ("    d = b\n", "") if behind else ("", "    d = b\n")
    base = f"def f(a, b):\n{before}    c = g(a)\n{after}    return c + d\n"
    head = (
        f"def f(a, b):\n    d = b\n    if b:\n        {other}\n    else:\n        c = g(a)\n"
        "    return c + d\n"
    )
    checkout = changed(tmp_path, {"a.py": base}, {"a.py": head})
    sandbox = open_sandbox("bubblewrap", tmp_path / "state")
    made = await make_damages(sandbox, checkout, {"a.py"}, ())

    tried = [one for one in made if one.damage.kind in (ALTERED, EXTENDED)]
    texts = [text.decode() for one in tried for _, text in one.files]
    assert any("\n    c = g(a)\n" in text for text in texts) is is_tried


@pytest.mark.parametrize(("given", "is_tried"), [("b.size - 1", False), ("b.size - 2", True)])
async def test_an_expression_that_only_gets_a_name_is_not_tried(
    tmp_path: Path, given: str, is_tried: bool
) -> None:
    base = "def f(a, b):\n    n = 0\n    return a ** (b.size - 1) + n\n"
    head = f"def f(a, b):\n    c = {given}\n    n = 0\n    return a**c + n\n"
    found = await altered(tmp_path, base, head)

    assert bool(found) is is_tried


@pytest.mark.parametrize(("was", "is_tried"), [("a.copy()", False), ("a.clear()", True)])
async def test_a_list_that_is_copied_in_another_way_is_not_tried(
    tmp_path: Path, was: str, is_tried: bool
) -> None:
    base, head = (f"def f(a):\n    return {one}\n" for one in (was, "a[:]"))

    assert bool(await altered(tmp_path, base, head)) is is_tried


async def test_a_place_with_other_texts_alone_is_named_by_their_words(tmp_path: Path) -> None:
    base = "def f(a):\n    a('use: f FILE [--bare]')\n"
    head = base.replace("FILE", "FILE [--right COLUMNS]")
    (found,) = await altered(tmp_path, base, head)

    assert found.names == ("f", "COLUMNS", "right")


@pytest.mark.parametrize(
    ("now", "what", "names"),
    [
        ("if a < 2 and b:", "`1` is still there instead of `2`", ("1", "2")),
        ("if b and a <= 1:", "`<` is still there instead of `<=`", ()),
        ("if b and a <= 1:", "`b and` is missing", ("b",)),
        ("if min(a, b) < 3:", "`1` is still there instead of `3`", ("1", "3")),
    ],
)
async def test_each_part_of_a_place_is_tried_alone(
    tmp_path: Path, now: str, what: str, names: tuple[str, ...]
) -> None:
    whole, *parts = await altered(tmp_path, PYTHON, PYTHON.replace("if a < 1:", now))

    assert whole.what == "`if a < 1:` is still there"
    assert (what, names) in [(one.what, one.names) for one in parts]


@pytest.mark.parametrize(
    ("was", "now", "what"),
    [
        ("if a < 1:", "if a < 1 and b:", "`and b` is missing"),
        ("return b", "return b + a", "`+ a` is missing"),
        ("return b", 'return f"{b}"', None),  # base has nothing of it that a part could be
        ("return b", "return b, a", None),  # a list has an entry more
        ("a, b=1", "a, b=1, c=2", None),
    ],
)
async def test_something_more_in_a_statement_is_a_part_where_it_makes_another_value(
    tmp_path: Path, was: str, now: str, what: str | None
) -> None:
    found = await altered(tmp_path, PYTHON, PYTHON.replace(was, now))

    assert [one.what for one in found] == ([what] if what else [])


@pytest.mark.parametrize(
    ("was", "now", "what"),
    [
        ("return a\n", "return a[:9]\n", "`[:9]` is missing"),
        ("return a\n", "return max(a)\n", "`return a` is still there"),
        ("return b", "return b.lower()", "`.lower()` is missing"),
        ("    return a\n", "    a.pop()\n    return a\n", "`a.pop()` is missing"),
        ("f(a, b=1)", "f(a, b=1, c=2)", "`, c=2` is missing"),
        # A part of it says the same.
        ("return b", "return b + a", None),
        # These do nothing more.
        ("f(a, b=1):", "f(a: int, b: int = 1) -> int:", None),
        ("    return a\n", "    # all\n    return a\n", None),
        ("    return a\n", "    LOG.debug('%s', a)\n    return a\n", None),
        ("return b", "return open(b, encoding='utf-8')", "`return b` is still there"),
        ("return open(b)", "return open(b, encoding='utf-8')", None),
        ("if a:", "if a is not None:", None),
        ("return arg(b)", "return arg(b, help='b')", None),
    ],
)
async def test_what_is_added_to_the_statements_of_a_function_is_tried(
    tmp_path: Path, was: str, now: str, what: str | None
) -> None:
    base = PYTHON if was in PYTHON else PYTHON.replace("return b", was)
    base = base if was in base else PYTHON.replace("if a < 1:", was)
    found = await altered(tmp_path, base, base.replace(was, now), kind=EXTENDED)

    assert [one.what for one in found] == ([what] if what else [])


async def test_a_new_function_adds_nothing_to_another(tmp_path: Path) -> None:
    assert await altered(tmp_path, PYTHON, PYTHON + MORE, kind=EXTENDED) == []


@pytest.mark.parametrize(
    ("name", "was", "now", "parts"),
    [
        ("a.js", "a.indexOf(b) === 0", "a === b || a.startsWith(b + c)", []),
        ("a.js", "a.indexOf(b) !== -1 && c", "a.includes(b) && c", []),
        ("a.py", "a.find(b) == 0 or c", "a.startswith(b + c) or c", []),
        # What a pattern is tried on changed with it.
        ("a.js", "/(^|x)y$/.test(b)", "/^y$/.test(a(b))", []),
        ("a.js", "/(^|x)abc[y]$/.test(b)", "/^abc[z]$/.test(b)", ["`(^|x)`", "`[y]`"]),
        # The same call, and one whose result is compared with something else now.
        ("a.py", "a.find(b, c) == 0 or c", "a.find(0, c) or c", ["`b`", "`== 0`"]),
        ("a.py", "a.find(b) == 0 or c", "a.index(b) > 1 or c", ["`find`", "`== 0`"]),
    ],
)
async def test_a_call_and_what_compares_its_result_are_one_part(
    tmp_path: Path, name: str, was: str, now: str, parts: list[str]
) -> None:
    """`a.startsWith(b) === 0` is neither what base did nor what anybody would write."""
    line = "  if ({}) {{\n    return 1\n  }}\n" if name == "a.js" else "  if {}:\n    return 1\n"
    start = "function f(a, b, c) {\n" if name == "a.js" else "def f(a, b, c):\n"
    base, head = (f"{start}{line.format(one)}{'}' * start.count('{')}\n" for one in (was, now))
    whole, *found = await altered(tmp_path, base, head, name)

    assert whole.what.startswith("`if")
    assert len(found) == len(parts)
    assert all(one.what.startswith(what) for one, what in zip(found, parts, strict=True))


@pytest.mark.parametrize(
    ("name", "base"),
    [
        ("a.py", "def f(a, how='w'):\n    print('x')\n    b = g(a)\n    return b + how\n"),
        (
            "a.js",
            "function f(a, how = 'w') {\n  print('x')\n  const b = g(a)\n  return b + how\n}\n",
        ),
    ],
)
@pytest.mark.parametrize(
    ("edit", "is_tried"),
    [
        (("how", "kind"), False),
        (("a)", "first)"), True),  # in one of two places: another name
        (("g(", "h("), True),  # of no name of its own
        (("'x'", '"x"'), False),
        (("'x'", '"y"'), True),
    ],
)
async def test_other_names_of_its_own_and_other_quotes_are_no_places(
    tmp_path: Path, name: str, base: str, edit: tuple[str, str], is_tried: bool
) -> None:
    assert bool(await altered(tmp_path, base, base.replace(*edit), name)) is is_tried


TEXT = "typeof v !== 'x'"


@pytest.mark.parametrize(
    ("line", "now", "told"),
    [
        ("(\n    {}\n  )", f"({TEXT} || v === '' || v === i.a) &&\n    (i.b || i.o)", False),
        ("(\n    {}\n  )", "(v === '' || v === i.a) &&\n    (i.b || i.o)", True),
        ("({})", f"({TEXT} || v === '' || v === i.a) &&\n    (i.b || i.o)", False),
        ("({})", "(v === '' || v === i.a) &&\n    (i.b || i.o)", True),
    ],
)
async def test_what_moves_within_a_place_and_half_a_bracket_are_no_parts(
    tmp_path: Path, line: str, now: str, told: bool
) -> None:
    """With what moved where it was it would stand there twice."""
    code = "function f(i, v) {{\n  if {} {{\n    return 1\n  }}\n}}\n"
    was = f"i.b ||\n    (i.o && {TEXT})"
    base, head = (code.format(line.format(one)) for one in (was, now))
    found = [one.what for one in await altered(tmp_path, base, head, "a.js")]

    assert (f"`&& {TEXT}` is still there" in found) is told
    assert [one for one in found if "missing" in one and one.count("(") != one.count(")")] == []


async def test_what_is_done_alike_in_several_places_is_no_part(tmp_path: Path) -> None:
    base = "def f(a, b):\n    if a and b:\n        return 1\n"
    head = base.replace("a and b", "a is not None and b is not None")

    assert await altered(tmp_path, base, head) == []


PATTERN = "import re\n\nRE = re.compile(r'^[=-]+[ ]*$')\n\n\ndef f(a):\n    return RE.match(a)\n"


async def test_a_pattern_outside_of_functions_is_a_place_with_its_parts(tmp_path: Path) -> None:
    head = PATTERN.replace("[=-]+[ ]*", "(?:=+|-+)[ ]?")
    whole, *parts = await altered(tmp_path, PATTERN, head)

    assert (whole.symbol, whole.names) == ("RE", ("RE",))
    assert [one.what for one in parts] == [
        "`[=-]+` is still there instead of `(?:=+|-+)`",
        "`*` is still there instead of `?`",
    ]
    assert all("RE" in one.names for one in parts)


OPENED = "import server\n\nserver.of(8080).start({given})\n\n\ndef f(a):\n    return a\n"


@pytest.mark.parametrize(
    ("was", "now", "told"),
    [
        ("8080, '127.0.0.1', wait=True", "8080, wait=True", ["'127.0.0.1'"]),
        ("8080, wait=True", "8080", ["wait=True"]),
        ("8080, '127.0.0.1'", "8081, '127.0.0.2'", []),
        ("8080", "8080, wait=True", []),
        ("8080, help='what to do'", "8080", []),
    ],
)
async def test_an_argument_that_is_gone_outside_of_functions_is_given_again(
    tmp_path: Path, was: str, now: str, told: list[str]
) -> None:
    base, head = (OPENED.format(given=one) for one in (was, now))
    found = [one for one in await altered(tmp_path, base, head) if "is given" in one.what]

    assert [one.what for one in found] == [f"`start(…)` is given `{o}`, as on base" for o in told]
    assert all(one.symbol == "start" for one in found)


async def test_an_argument_that_is_gone_from_a_script_is_given_again(tmp_path: Path) -> None:
    line = "require('http').createServer(f).listen(port, {given}() => {{\n  g();\n}});\n"
    base, head = (line.format(given=one) for one in ("'127.0.0.1', ", ""))
    (found,) = await altered(tmp_path, base, head, "bin/a.js")

    assert (found.symbol, found.names) == ("listen", ("listen", "127.0.0.1"))


async def test_a_text_with_escapes_is_another_where_what_is_between_them_changed(
    tmp_path: Path,
) -> None:
    base, head = (f'def f(a):\n    return a + "{one}\\n"\n' for one in ("end", "stop"))
    (found,) = await altered(tmp_path, base, head)

    assert found.line == 2


@pytest.mark.parametrize(("name", "is_tried"), [("help", False), ("mode", True)])
async def test_a_text_of_help_is_not_tried(tmp_path: Path, name: str, is_tried: bool) -> None:
    line = "def f(o):\n    o.add('--kind', {name}='{text}')\n    return o\n"
    base, head = (line.format(name=name, text=one) for one in ("A or B", "A, B or C"))

    assert bool(await altered(tmp_path, base, head)) is is_tried


@pytest.mark.parametrize(
    ("was", "now", "is_tried"),
    [
        ("'must be a text'", "'must be one text'", False),
        ("'GET'", "'PUT'", True),
        ("f'{a} must be a text'", "f'{b} must be a text'", True),
    ],
)
async def test_the_message_of_an_error_is_not_tried(
    tmp_path: Path, was: str, now: str, is_tried: bool
) -> None:
    line = "def f(a, b):\n    if not a:\n        raise ValueError({text})\n    return b\n"
    base, head = (line.format(text=one) for one in (was, now))

    assert bool(await altered(tmp_path, base, head)) is is_tried


@pytest.mark.parametrize(
    ("told", "is_tried"),
    [
        ("raise ValueError(text)", False),
        ("raise ValueError(text, a) from None", False),
        (
            "raise ValueError(text)\n    if not b:\n        text = 'no b'\n        raise TypeError(text)",
            False,
        ),
        ("send(text)\n        raise ValueError(text)", True),
        ("return text", True),
    ],
)
async def test_nor_is_a_message_that_has_a_name_and_no_other_use(
    tmp_path: Path, told: str, is_tried: bool
) -> None:
    line = f"def f(a, b):\n    if not a:\n        text = 'must be {{text}}'\n        {told}\n    return b\n"
    base, head = (line.format(text=one) for one in ("a text", "one text"))

    assert bool(await altered(tmp_path, base, head)) is is_tried


@pytest.mark.parametrize(
    ("told", "is_tried"),
    [
        ("throw new TypeError('{text}')", False),
        ("log(`{text} ${{a}}`)", False),
        ("this.logger.info('{text}')", False),
        ("console.log('{text}')", True),
        ("send('{text}')", True),
    ],
)
async def test_nor_is_what_javascript_throws_or_logs(
    tmp_path: Path, told: str, is_tried: bool
) -> None:
    line = "function f(a) {{\n  if (!a) " + told + ";\n  return a;\n}}\n"
    base, head = (line.format(text=one) for one in ("not a text", "never a text"))

    assert bool(await altered(tmp_path, base, head, "a.js")) is is_tried


async def test_how_a_name_is_declared_is_no_part_of_a_change(tmp_path: Path) -> None:
    base = "function f(a) {\n  let b = /[a-z]+/;\n  b = a.replace(b, '');\n  return b;\n}\n"
    head = "function f(a) {\n  const b = more(a);\n  const c = a.replace(b, '');\n  return c;\n}\n"
    found = await altered(tmp_path, base, head, "a.js")

    assert found and not any("`let`" in one.what for one in found)


TABLE = "RATES = {'EUR': 100, 'GBP': 86, 'USD': 108, 'SEK': 9, 'NOK': 8}\n"


@pytest.mark.parametrize(
    ("base", "head", "told"),
    [
        (
            TABLE,
            TABLE.replace("86", "68").replace("'EUR'", "'CHF': 94, 'EUR'"),
            ["`86` is still there instead of `68`, for `GBP`"],
        ),
        (TABLE, "RATES = {\n    'USD': 108,\n    'SEK': 9,\n}\n", []),
        (
            TABLE,
            "RATES = {'EUR': 1, 'GBP': 2, 'USD': 3, 'SEK': 4, 'NOK': 5}\n",
            ["`100` is still there instead of `1`, with 4 other values as before"],
        ),
        ("A = [1, 2, 3]\n", "A = [1, 5, 3]\n", ["`2` is still there instead of `5`"]),
        ("A = [1, 2, 3]\n", "A = [0, 1, 2, 3]\n", []),
        ("A = ['x', 1_000]\n", 'A = ["x", 1000]\n', []),
        ("__version__ = '1.2'\n", "__version__ = '1.3'\n", []),
        ("VERSION = (1, 2, 'rc')\n", "VERSION = (\n    1, 3, 'final',\n)\n", []),
        ("__version_info__ = Version(2, 9, 1)\n", "__version_info__ = Version(2, 9, 2)\n", []),
        (
            "version_info = least(9, 1, limit=3)\n",
            "version_info = least(9, 1, limit=4)\n",
            ["`3` is still there instead of `4`, for `limit`"],
        ),
        (
            "versions = (2, 9)\n",
            "versions = (2, 8)\n",
            ["`9` is still there instead of `8`"],
        ),
        ("A = {'a': 'two words'}\n", "A = {'a': 'two other words'}\n", []),
        ("f(1)\n", "g(2)\n", []),
        (
            "f = partial(get, verify=True)\n",
            "f = partial(get, timeout=3, verify=False)\n",
            ["`True` is still there instead of `False`, for `verify`"],
        ),
        (
            "class A:\n    x = 1\n\n\nclass B:\n    x = 1\n",
            "class B:\n    x = 2\n\n\nclass A:\n    x = 1\n",
            ["`1` is still there instead of `2`, for `x`"],
        ),
    ],
)
async def test_values_are_compared_with_those_of_the_same_name(
    tmp_path: Path, base: str, head: str, told: list[str]
) -> None:
    assert [one.what for one in await altered(tmp_path, base, head)] == told


@pytest.mark.parametrize(
    ("name", "base", "head", "told"),
    [
        (
            "a.js",
            "export const a = {b: 1, c: [1, {d: 2}]};\n",
            "export const a = {\n  z: 0, b: 3, c: [1, {d: 4}],\n};\n",
            [
                "`1` is still there instead of `3`, for `b`",
                "`2` is still there instead of `4`, for `d`",
            ],
        ),
        (
            "a.ts",
            "class A { x: number = 1; }\nexport const f = (a = 1, {b = 2} = {}) => a + b;\n",
            "class A { x: number = 2; }\nexport const f = (a = 1, {b = 3} = {}) => a + b;\n",
            [
                "`1` is still there instead of `2`, for `x`",
                "`2` is still there instead of `3`, for `b`",
            ],
        ),
        (
            "a.json",
            '\n{"a": {"b": 1}, "c": [1, 2]}\n',
            '\n{"n": 0, "c": [1, 3], "a": {"b": 2}}\n',
            [
                "`2` is still there instead of `3`",
                "`1` is still there instead of `2`, for `b`",
            ],
        ),
        (
            "a.yaml",
            "a:\n  b: 1  # one\n  c: 2\nd:\n  b: 1\n",
            "a:\n  n: 0\n  b: 3  # one\n  c: 2\nd:\n  b: 1\n",
            ["`1` is still there instead of `3`, for `b`"],
        ),
        ("a.ini", "[a]\nx = 1\n[b]\nx = 1\n", "[b]\nx = 1\n[a]\nx = 1\n", []),
    ],
)
async def test_values_of_scripts_and_data_are(
    tmp_path: Path, name: str, base: str, head: str, told: list[str]
) -> None:
    found = await altered(tmp_path, base, head, name)

    assert [one.what for one in found if "instead" in one.what] == told


@pytest.mark.parametrize(
    ("name", "sides", "told", "names"),
    [
        (
            "a.sql",
            ("SELECT a\nFROM b;\n", "SELECT c\nFROM b;\n"),
            "`a` is still there instead of `c`, for `SELECT`",
            ("a", "c"),
        ),
        (
            "a.sql",
            ("SELECT a\nWHERE b\nAND c;\n", "SELECT a\nWHERE b;\n"),
            "`WHERE b AND c;` is still there instead of `WHERE b;`",
            ("b", "c"),
        ),
        ("a.html", ("<p>\n<b>\n", "<p>\n"), "`<b>` is still there", ("b",)),
        ("a.html", ("<p>\n<b>\n", "<b>\n<p>\n"), None, None),
        ("a.html", ("<p>\n", "<p>\n<b>\n"), None, None),
        ("a.html", ("<p>\n<!-- b -->\n", "<p>\n<!-- c -->\n"), None, None),
        ("a.html", ("<p>\n", "<p >\n"), None, None),
        (
            "Dockerfile",
            ("FROM a:1\n", "FROM a:2\n"),
            "`1` is still there instead of `2`, for `FROM`",
            ("1", "2"),
        ),
        (
            ".env",
            ("A=1\nB=2\n", "A=1\nB=3\n"),
            "`2` is still there instead of `3`, for `B`",
            ("B", "2", "3"),
        ),
    ],
)
async def test_rows_of_queries_templates_and_dockerfiles(
    tmp_path: Path,
    name: str,
    sides: tuple[str, str],
    told: str | None,
    names: tuple[str, ...] | None,
) -> None:
    found = await altered(tmp_path, *sides, name)

    assert [one.what for one in found] == ([told] if told else [])
    assert [one.names for one in found] == ([names] if names else [])


@pytest.mark.parametrize(
    ("base", "head", "put"),
    [
        ("a = 10", "a = 30", ["31", "29"]),
        ("a = 0.5", "a = 1.5", ["2.5", "0.5"]),
        ("a = true", "a = false", ["true"]),
        ("a = 'x'", "a = 'y'", ["'damaged'"]),
        ("a = 1", "a = 1\nb = 2", []),
    ],
)
async def test_values_of_data_are_others_still(
    tmp_path: Path, base: str, head: str, put: list[str]
) -> None:
    checkout = changed(tmp_path, {"a.toml": base + "\n"}, {"a.toml": head + "\n"})
    sandbox = open_sandbox("bubblewrap", tmp_path / "state")
    copies = await make_damages(sandbox, checkout, {"a.toml"}, ())
    values = [one for one in copies if one.damage.kind == "constant"]
    (back,) = [one for one in copies if one.damage.kind == "reverted"]

    assert [text.decode() for one in values for _, text in one.files] == [
        f"a = {one}\n" for one in put
    ]
    assert back.damage.is_telling is not bool(put)


SAVES = """async function save(items, store) {
  for (const item of items) {
    await store.put(item);
  }
}
"""
LOOP = SAVES.partition("{\n")[2].rpartition("}\n")[0]


@pytest.mark.parametrize(
    ("loop", "awaited"),
    [
        ("items.forEach(async item => {\n    await store.put(item);\n  });", "items"),
        ("items.forEach(item => store.put(item));", "items"),
        ("items.list.map(async function (item) {\n    await store.put(item);\n  });", "items.list"),
        ("await Promise.all(items.map(item => store.put(item)));", ""),
        ("return items.map(item => store.put(item));", ""),
        ("items.forEach(item => {\n    log(item);\n  });", ""),
        ("items.forEach(async item => {\n    await store.drop(item);\n  });", ""),
    ],
)
@pytest.mark.parametrize("name", ["a.js", "a.ts"])
async def test_promises_that_a_loop_drops_are_awaited_again(
    tmp_path: Path, name: str, loop: str, awaited: str
) -> None:
    found = await altered(tmp_path, SAVES, SAVES.replace(LOOP, f"  {loop}\n"), name)
    told = [one.what for one in found if "is awaited" in one.what]

    assert [one.partition(".forEach")[0].partition(".map")[0] for one in told] == (
        [f"`{awaited}"] if awaited else []
    )
