"""Damaged copies of changed files: in every language, ranked, parsable, and bounded for hostile files."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from sandbox import open_sandbox
from sandbox.damage.making import DamagedCopy, make_damages
from sandbox.damage.values import CONDITION, NARROWED, OF_LINES, PASSED_OVER, SAME, TERM, UNASKED
from tests.sandbox.linters.changes import changed

pytestmark = pytest.mark.real

SOURCES = {
    "a.py": (
        "def f(a):\n    return a\n",
        "def f(a):\n    if a < 2:\n        return 3\n    return a\n",
    ),
    "a.js": ("function f(a) { return a; }\n", "function f(a) { if (a < 2) return 3; return a; }\n"),
    "a.ts": ("const f = (a: number) => a;\n", "const f = (a: number): number => a + 2;\n"),
    "a.go": (
        "package a\n\nfunc F(a int) (int, error) { return a, nil }\n",
        "package a\n\nfunc F(a int) (int, error) { if a < 2 { return 3, nil }; return a, nil }\n",
    ),
    "a.rs": ("fn f(a: i32) -> i32 { a }\n", "fn f(a: i32) -> i32 { if a < 2 { 3 } else { a } }\n"),
    "A.java": (
        "class A { int f(int a) { return a; } }\n",
        "class A { int f(int a) { if (a < 2) return 3; return a; } }\n",
    ),
    "a.c": ("int f(int a) { return a; }\n", "int f(int a) { if (a < 2) return 3; return a; }\n"),
    "a.cpp": ("int f(int a) { return a; }\n", "int f(int a) { if (a < 2) return 3; return a; }\n"),
    "a.rb": ("def f(a)\n  a\nend\n", "def f(a)\n  return 3 if a < 2\n  a\nend\n"),
    "a.php": (
        "<?php\nfunction f($a) { return $a; }\n",
        "<?php\nfunction f($a) { if ($a < 2) { return 3; } return $a; }\n",
    ),
    "a.cs": (
        "class A { int F(int a) { return a; } }\n",
        "class A { int F(int a) { if (a < 2) return 3; return a; } }\n",
    ),
    "a.sh": ("f() {\n  echo 1\n}\n", 'f() {\n  if [ "$1" -eq 2 ]; then echo 3; fi\n  echo 1\n}\n'),
    "a.kt": ("fun f(a: Int): Int { return a }\n", "fun f(a: Int): Int { return a + 2 }\n"),
    "a.scala": (
        "object A { def f(a: Int): Int = { a } }\n",
        "object A { def f(a: Int): Int = { if (a < 2) 3 else a } }\n",
    ),
    "a.swift": (
        "func f(a: Int) -> Int { return a }\n",
        "func f(a: Int) -> Int { if a < 2 { return 3 }\n return a }\n",
    ),
    "a.lua": (
        "local function f(a)\n  return a\nend\n",
        "local function f(a)\n  if a < 2 then return 3 end\n  return a\nend\n",
    ),
}


async def made(
    folder: Path, base: dict[str, str], head: dict[str, str], words: tuple[str, ...] = ()
) -> tuple[DamagedCopy, ...]:
    """The damages; the copy that only looks different stands second."""
    checkout = changed(folder, base, head)
    found = await make_damages(open_sandbox("bubblewrap", folder / "state"), checkout, head, words)
    assert [one.damage.kind == SAME for one in found[:3]] == [False, True, False][: len(found)]
    return tuple(one for one in found if one.damage.kind not in (*UNASKED, SAME))


@pytest.mark.parametrize("name", SOURCES)
async def test_every_language_is_damaged(tmp_path: Path, name: str) -> None:
    base, head = SOURCES[name]
    damages = await made(tmp_path, {name: base}, {name: head})
    kinds = {one.damage.kind for one in damages}
    assert {"reverted", "raises"} <= kinds, kinds
    assert kinds & {"operator", "negated", "constant"}, kinds
    if name not in ("a.kt", "a.scala", "a.swift"):  # no way to leave that fits every type
        assert "emptied" in kinds, kinds
    assert {one.damage.symbol.lower() for one in damages} == {"f"}
    assert all(one.files != ((name, head.encode()),) for one in damages)
    (reverted,) = [one for one in damages if one.damage.kind == "reverted"]
    assert reverted.files == ((name, base.encode()),)
    assert [one.damage for one in damages] == [
        one.damage for one in await made(tmp_path / "again", {name: base}, {name: head})
    ]


async def test_a_new_decorator_touches_the_function_that_it_stands_over(tmp_path: Path) -> None:
    base = "import functools\n\n\ndef f(a):\n    return 2 * a\n"
    head = base.replace("def", "@functools.cache\ndef")
    damages = await made(tmp_path, {"a.py": base}, {"a.py": head})
    assert {"reverted", "emptied"} <= {one.damage.kind for one in damages}
    assert {one.damage.symbol for one in damages} == {"f"}


ASKING = {
    "a.py": (
        "def f(a):\n    return a\n",
        "def f(a):\n    if a[7] == 5 and len(a) > 4 ** a and a.startswith('abc'):\n        return 3\n"
        "    if a.get('key') or f(a.get('others') == a) or a in ',;:!?':\n        return 4\n"
        "    return [b for b in a if b != 10**6 and type(b) == 'int']\n",
        ["a[7] == 5", "a.startswith('abc')", "a.get('key')", "b != 10**6"],
    ),
    "a.js": (
        "const f = (a) => a;\n",
        "const f = (a) => (a.name === 'fooBar' && /x(ab)?/.test(a) ? 3 : !a.size && ![4, 7].includes(a));\n",
        ["a.name === 'fooBar'", "/x(ab)?/.test(a)", "[4, 7].includes(a)"],
    ),
    "a.ts": (
        "const f = (a: any) => a;\n",
        "const f = (a: any) => typeof a === 'string' || a.kind === 'leaf' || a === 'leaf';\n",
        ["a === 'leaf'"],
    ),
    "guards.py": (
        "def f(a):\n    return a\n",
        "def f(a):\n    return a.b if hasattr(a, 'b') or hasattr(a, 'cc') else a\n",
        ["hasattr(a, 'cc')"],
    ),
    "library.py": (
        "import os\n\n\ndef f(a):\n    return a\n",
        "import os\n\n\ndef f(a):\n    return a if hasattr(os, 'fork') or hasattr(a, 'fork') else 3\n",
        ["hasattr(a, 'fork')"],
    ),
    "library.js": (
        "const zlib = require('zlib');\nconst f = (a) => a;\n",
        "const zlib = require('zlib');\nconst f = (a) => ('brotli' in zlib || 'brotli' in a ? 3 : a);\n",
        ["'brotli' in a"],
    ),
    "guards.js": (
        "const f = (a) => a;\n",
        "const f = (a) => ('size' in a ? a.size : 'length' in a ? 3 : a);\n",
        ["'length' in a"],
    ),
    "words.js": (
        "const f = (a) => `<X509Data>${a}</X509Data>` + 'Key';\n",
        "const f = (a) => (['Data'].includes(a) || a === 'Key' ? 3 : `<X509Data>${a}</X509Data>` + 'Key');\n",
        ["['Data'].includes(a)"],
    ),
    "prototypes.js": (
        "const f = (a) => a;\n",
        "const f = (a) => (a === '__proto__' || a === 'prototypes' ? 3 : a);\n",
        ["a === 'prototypes'"],
    ),
    "counts.js": (
        "const f = (a) => a;\n",
        "const f = (a) => {\n  for (let i = 0; i < 3; i++) a += i;\n"
        "  for (let i = 0; a < 12; i++) a += i;\n  return a;\n};\n",
        ["a < 12"],
    ),
    "counts.c": (
        "int f(int a) { return a; }\n",
        "int f(int a) { for (int i = 0; i < 9; i++) a += i; return a < 16 ? 3 : a; }\n",
        ["a < 16"],
    ),
    "a.go": (
        "package a\n\nfunc F(a int) int { return a }\n",
        "package a\n\nfunc F(a int) int { if a == 12 || a < 2 { return 3 }; return a }\n",
        ["a == 12"],
    ),
    "a.c": (
        "int f(int a) { return a; }\n",
        "int f(int a) { if (a < 16) return 3; return a; }\n",
        ["a < 16"],
    ),
    "a.rb": ("def f(a)\n  a\nend\n", "def f(a)\n  return 3 if a < 16\n  a\nend\n", ["a < 16"]),
}
"""Base, head, and the conditions on a value that head adds."""


@pytest.mark.parametrize("name", ASKING)
async def test_a_condition_on_a_value_is_made_always_true_and_always_false(
    tmp_path: Path, name: str
) -> None:
    base, head, wanted = ASKING[name]
    checkout = changed(tmp_path, {name: base}, {name: head})
    sandbox = open_sandbox("bubblewrap", tmp_path / "state")
    found = [
        o for o in await make_damages(sandbox, checkout, {name}, ()) if o.damage.kind == CONDITION
    ]
    told = [f"`{one}` is always {says}" for one in wanted for says in ("true", "false")]
    assert [one.damage.what for one in found] == told
    assert all(one.damage.names for one in found)
    for one, text in zip(found, [text for text in wanted for _ in range(2)], strict=True):
        ((_, made),) = one.files
        assert text not in made.decode() and len(made) < len(head)


NARROWING = {
    "a.js": (
        "const f = (a, b) => '>' in b;\n",
        "const f = (a, b) => a && !b.includes('>') ? !(b.size && (b.startsWith('+'))) "
        ": b.x === '-' || '>' in b;\n",
        ["`b.includes('>')` is always false", "`b.startsWith('+')` is always true"],
    ),
    "a.py": (
        "def f(a, b):\n    return a == 'x'\n",
        "def f(a, b):\n    if a and b[:1] in ('x', '*') and hasattr(b, 'x') and any(c == 'x' for c in b):\n"
        "        return 3 if b and b[0] == g('x') else b[1] == 'x'\n    return a == 'x'\n",
        ["`b[:1] in ('x', '*')` is always true"],
    ),
    "ends.py": (
        "def f(a, b):\n    return '<' + '>' + '\"' + a\n",
        "def f(a, b):\n    if a and b.startswith('<') and b.endswith('>'):\n        return 3\n"
        "    if a and b[0] == '\"' and b[-1] == '\"':\n        return 4\n"
        "    if a and b.startswith('<') and a.endswith('>'):\n        return 5\n    return a\n",
        [
            "`b.startswith('<') and b.endswith('>')` is always true",
            "`b[0] == '\"' and b[-1] == '\"'` is always true",
            "`b.startswith('<')` is always true",
            "`a.endswith('>')` is always true",
        ],
    ),
    "in.py": (
        "def f(a, b):\n    return 'make' + a, 'size'\n",
        "def f(a, b):\n    if a and 'make' in a:\n        return 3\n"
        "    if a and 'size' in b and b['size']:\n        return 4\n"
        "    c = b.get('make')\n    return c if a and 'make' in b else a\n",
        ["`'make' in a` is always true"],
    ),
    "in.js": (
        "const f = (a) => 'size' + a;\n",
        "const f = (a) => a && 'size' in a ? 3 : a;\n",
        [],
    ),
    "little.js": (
        "function f(a, b, c) {\n  if (a.bad) {\n    b.go();\n  }\n  if (c) b.go();\n}\n",
        "function f(a, b, c) {\n  if (a.bad && c.rows.length === 0) {\n    b.go();\n  }\n"
        "  if (c && c.size > 1) b.go();\n  if (a && b !== null) c.go();\n"
        "  return b.line < 2 || a.x;\n}\n",
        ["`c.rows.length === 0` is always true"],
    ),
    "little.py": (
        "def f(a, b):\n    if g(a) is not b:\n        return 3\n    return b\n",
        "def f(a, b, c=None):\n    if c is None and h(a) is not b:\n        return 3\n"
        "    if b and len(a) == 2:\n        return a[1]\n    if c is None and a:\n        c = []\n"
        "    return b if a and c is not None else a\n",
        ["`c is None` is always true"],
    ),
    "b.js": (
        "const f = (a) => a.tagName === 'P';\n",
        "const f = (a) => a.x && a.tagName === 'P' || a.y && a.some((b) => b === 'P') "
        "|| typeof a === 'P' && a;\n",
        [],
    ),
}
"""Base, head, and how the conditions that narrow another one to a text of base are always met."""


@pytest.mark.parametrize("name", NARROWING)
async def test_what_narrows_a_condition_to_a_text_is_always_met(tmp_path: Path, name: str) -> None:
    base, head, wanted = NARROWING[name]
    checkout = changed(tmp_path, {name: base}, {name: head})
    sandbox = open_sandbox("bubblewrap", tmp_path / "state")
    made = await make_damages(sandbox, checkout, {name}, ())
    found = [one.damage for one in made if one.damage.kind in (NARROWED, CONDITION)]
    assert [one.what for one in found] == wanted
    assert all(one.kind == NARROWED and one.names for one in found)


MACROS = (
    "MACRO_HEAD typedef struct {{ MACRO_MORE int size; }} thing;\n\n{}\n"
    "static MACRO(int f(thing *one)) {{\n"
)
OF_C = "static int taken(thing *one) {\n  return one->size;\n}\n"


async def test_a_condition_is_read_in_a_file_of_c_whose_macros_no_grammar_reads(
    tmp_path: Path,
) -> None:
    more = (
        "#if MINOR_VERSION >= 12 && X\n  if (one->size == 7)\n    return 0;\n#endif\n  return one"
    )
    base, head = (MACROS.format(one) for one in (OF_C, OF_C.replace("  return one", more)))
    checkout = changed(tmp_path, {"a.c": base}, {"a.c": head})
    sandbox = open_sandbox("bubblewrap", tmp_path / "state")
    made = await make_damages(sandbox, checkout, {"a.c"}, ())
    found = [one.damage.what for one in made if one.damage.kind == CONDITION]
    assert found == [f"`one->size == 7` is always {met}" for met in ("true", "false")]


TERMS = {
    "a.py": (
        "def f(a, b):\n    return a\n",
        "def f(a, b):\n    c = min(a, 9_000) - b // 70 if a % 400 == 0 else (a + b) & 0xFFFF\n"
        "    return c + 1, c * 60, f'{a}' + '77', a or 3600, a or b > 8\n",
        [
            "`min(a, 9_000) - b // 70` is only `min(a, 9_000)`",
            "`min(a, 9_000)` is only `a`",
            "`(a + b) & 0xFFFF` is only `(a + b)`",
            "`a or 3600` is only `a`",
        ],
    ),
    "a.js": (
        "const f = a => a % 512;\n",
        "const f = (a, b) => [Math.max(3.5, a), a % 512 + b, b & 255, a - g(b / 99), b ?? 1, a - 100 > b];\n",
        ["`Math.max(3.5, a)` is only `a`", "`a - g(b / 99)` is only `a`"],
    ),
    "a.ts": (
        "const f = (limit: number) => limit;\nconst now = () => 1;\n",
        "const f = (limit: number, begun: number) => go(limit - (now() - begun), limit - now(), -begun);\n"
        "const now = () => 1;\n",
        ["`limit - (now() - begun)` is only `limit`", "`now() - begun` is only `now()`"],
    ),
    "b.py": (
        "def f(a, b):\n    return a[:5] + 9\n",
        "import sys\n\n\ndef f(a, b):\n    c = sys.version_info[:2], a[:0], a[1:3], a[:b], a[:7] == b\n"
        "    return [x for x in a[:9]] + b[0:2] + a[:5] + 9 + b[: len(a)], c\n",
        ["`a[:9]` is all of `a`", "`b[0:2]` is all of `b`", "`b[: len(a)]` is all of `b`"],
    ),
    "b.js": (
        "const f = a => a;\n",
        "const f = (a, b) => [a.slice(0, 2), a.slice(1, 4), b.slice(0, a), a.slice(0, b.length)];\n",
        ["`a.slice(0, 2)` is all of `a`", "`a.slice(0, b.length)` is all of `a`"],
    ),
    "c.py": (
        "import re\n\n\ndef f(a):\n    return re.sub('x{0,9}', '', a)\n",
        "import re\n\n\ndef f(a):\n    b = re.sub('x{0,9}y{1,4}', '', a)\n"
        "    a = re.sub(r'x{0,1}\\{2,5}z{2}', '', a)\n"
        "    return b, 'x{0,7}', r'é{,6}', f'{a}{0, 3}'\n",
        ["`{1,4}` of `'x{0,9}y{1,4}'` is `+`", "`{,6}` of `r'é{,6}'` is `*`"],
    ),
    "c.js": (
        "const f = a => a;\n",
        "const f = a => [a.replace(/^[_$]{0,3}/, ''), a.split(new RegExp('a{2,4}')), 'a{2,3}', a / 2,"
        " /^\\d{1,3}%/];\n",
        ["`{0,3}` of `/^[_$]{0,3}/` is `*`", "`{2,4}` of `'a{2,4}'` is `{2,}`"],
    ),
}
"""Base, head, and how terms with a new number are left out."""


@pytest.mark.parametrize("name", TERMS)
async def test_a_term_with_a_new_number_is_left_out(tmp_path: Path, name: str) -> None:
    base, head, wanted = TERMS[name]
    checkout = changed(tmp_path, {name: base}, {name: head})
    sandbox = open_sandbox("bubblewrap", tmp_path / "state")
    made = await make_damages(sandbox, checkout, {name}, ())
    found = [one for one in made if one.damage.kind == TERM]
    assert [one.damage.what for one in found] == wanted
    for one in found:
        ((_, text),) = one.files
        told = one.damage.what.partition("` is ")[0].strip("`")
        assert one.damage.names and told not in text.decode()


async def test_a_value_that_base_asks_for_is_none_of_the_change(tmp_path: Path) -> None:
    base = "def f(a):\n    if a == 'abc':\n        return 3\n    return a > 18\n"
    head = (
        "def f(a):\n    if a:\n        if a == 'abc':\n            return 3\n    return a >= 18\n"
    )
    checkout = changed(tmp_path, {"a.py": base}, {"a.py": head})
    sandbox = open_sandbox("bubblewrap", tmp_path / "state")
    made = await make_damages(sandbox, checkout, {"a.py"}, ())
    assert made and CONDITION not in {one.damage.kind for one in made}


@pytest.mark.parametrize(("moved", "is_asked"), [(True, False), (False, True)])
async def test_what_moves_to_a_new_file_was_asked_before(
    tmp_path: Path, moved: bool, is_asked: bool
) -> None:
    base = "def f(a):\n    return a.level == 12\n"
    head = "from b import is_high\n\n\ndef f(a):\n    return is_high(a.level)\n"
    new = f"def is_high(level):\n    return level == {12 if moved else 16}\n"
    checkout = changed(tmp_path, {"a.py": base}, {"a.py": head, "b.py": new})
    sandbox = open_sandbox("bubblewrap", tmp_path / "state")
    made = await make_damages(sandbox, checkout, {"a.py", "b.py"}, ())
    assert made and (CONDITION in {one.damage.kind for one in made}) is is_asked


@pytest.mark.parametrize(
    ("name", "base", "head", "wanted"),
    [
        (
            "a.py",
            "def f(a):\n    return int(a)\n",
            "def f(a):\n    try:\n        return int(a)\n    except (ValueError, TypeError) as e:  # no\n"
            "        pass\n    try:\n        return next(a)\n    except StopIteration:\n        pass\n"
            "    try:\n        return a()\n    except KeyError:\n        return 0\n",
            ("`except (ValueError, TypeError) as e` lets the error through", b"        raise\n"),
        ),
        (
            "a.mjs",
            "const f = (a) => JSON.parse(a);\n",
            "const f = (a) => {\n  try {\n    return JSON.parse(a);\n  } catch {\n    // no\n  }\n};\n",
            ("`catch` lets the error through", b"  } catch (error) { throw error; }\n"),
        ),
        (
            "a.ts",
            "const f = (a: string) => JSON.parse(a);\n",
            "const f = (a: string) => {\n  try {\n    return a.at(0);\n  } catch (why: unknown) {}\n};\n",
            ("`catch (why : unknown)` lets the error through", b"catch (why) { throw why; }"),
        ),
    ],
)
async def test_an_error_that_is_newly_passed_over_is_let_through(
    tmp_path: Path, name: str, base: str, head: str, wanted: tuple[str, bytes]
) -> None:
    checkout = changed(tmp_path, {name: base}, {name: head})
    sandbox = open_sandbox("bubblewrap", tmp_path / "state")
    damages = await make_damages(sandbox, checkout, {name}, ())
    (one,) = [copy for copy in damages if copy.damage.kind == PASSED_OVER]
    ((_, made),) = one.files
    assert one.damage.what == wanted[0]
    assert wanted[1] in made


async def test_each_error_in_whose_place_nothing_is_given_is_let_through(tmp_path: Path) -> None:
    base = "def f(a):\n    return int(a)\n"
    head = (
        "def f(a):\n    try:\n        return int(a)\n    except (TypeError, ValueError):\n"
        "        return None\n\n\ndef g(a):\n    try:\n        return a()\n    except KeyError:\n"
        "        return 0\n\n\ndef h(a):\n    try:\n        return a()\n    except OSError:\n        return\n"
    )
    checkout = changed(tmp_path, {"a.py": base}, {"a.py": head})
    sandbox = open_sandbox("bubblewrap", tmp_path / "state")
    damages = await make_damages(sandbox, checkout, {"a.py"}, ())
    found = [one for one in damages if one.damage.kind == PASSED_OVER]
    assert {one.damage.what: one.damage.names for one in found} == {
        "`except (TypeError, ValueError)` lets `TypeError` through": ("TypeError",),
        "`except (TypeError, ValueError)` lets `ValueError` through": ("ValueError",),
        "`except OSError` lets the error through": ("OSError",),
    }
    assert "except (ValueError,):" in dict(found[0].files)["a.py"].decode()


async def test_a_dialect_that_the_grammar_cannot_read_is_taken_back(tmp_path: Path) -> None:
    base = "// @flow\nexport function f(a: ?number, b: {| c: number => K |}) { return a; }\n"
    head = base.replace("return a;", "return a && b;")
    (damage,) = await made(tmp_path, {"a.js": base}, {"a.js": head})
    assert (damage.damage.kind, damage.files) == ("reverted", (("a.js", base.encode()),))


async def test_what_is_taken_back_in_several_functions_is_in_none_of_them(tmp_path: Path) -> None:
    base = "def a(x):\n    return x\n\n\ndef b(x):\n    y = x\n    return y\n"
    one = base.replace("return y", "return 2 * y")
    several = "def a(x):\n    return 2 * x\n\n\ndef c(x):\n    return x\n"
    for number, (head, symbol) in enumerate([(one, "b"), (several, "")]):
        damages = await made(tmp_path / str(number), {"m.py": base}, {"m.py": head})
        taken_back = [one.damage for one in damages if one.damage.kind == "reverted"]
        assert [one.symbol for one in taken_back] == [symbol]


async def test_what_the_tests_name_comes_first_and_a_new_name_tells_little(tmp_path: Path) -> None:
    base = "def a(x):\n    return x\n"
    head = f"{base}\n\ndef b(x):\n    return 2 * x\n\n\ndef c(x):\n    return 3 * x\n"
    damages = [one.damage for one in await made(tmp_path, {"m.py": base}, {"m.py": head}, ("c",))]
    assert (damages[0].kind, damages[0].symbol) == ("emptied", "c")
    assert [one.is_telling for one in damages if one.kind in ("reverted", "raises")] == [False] * 3
    assert "a" not in {one.symbol for one in damages}, "what did not change was damaged"


async def test_many_functions_are_emptied_together_too(tmp_path: Path) -> None:
    head = {
        f"m{file}.py": "".join(f"def f{n}(x):\n    return x + {n}\n\n\n" for n in range(4))
        for file in range(3)
    }
    damages = await made(tmp_path, {"kept.py": "a = 1\n"}, head)
    together = damages[1]
    assert together.damage.what == "12 changed functions do nothing"
    assert {path: text.count(b"return\n") for path, text in together.files} == dict.fromkeys(
        head, 4
    )


async def test_words_tests_and_tables_are_left_alone(tmp_path: Path) -> None:
    table = "TABLE = {\n" + "".join(f"    'key{n}': {n},\n" for n in range(50)) + "}\n"
    head = {
        "table.py": table,
        "names.py": "from table import TABLE\n\n__all__ = ['TABLE']\n__version__ = '4.1.0rc1'\n",
        "tests/test_it.py": "def test_it():\n    assert 1 == 1\n",
        "broken.py": "def f(:\n",
    }
    assert await made(tmp_path, {"kept.py": "a = 1\n"}, head) == ()


@pytest.mark.parametrize(
    ("other", "text", "is_left"),
    [
        ("src/page.js", "export function f(a) {\n  return a + 1;\n}\n", True),
        ("src/page.js", "export {f} from './page.min.js';\n", False),
        ("src/other.js", "export function f(a) {\n  return a + 1;\n}\n", False),
    ],
)
async def test_a_minified_file_is_left_to_what_it_is_made_of(
    tmp_path: Path, other: str, text: str, is_left: bool
) -> None:
    head = {"src/page.min.js": "function f(a){return a<1?2:3}\n", other: text}
    base = {"src/page.min.js": "function f(a){return a}\n", other: "export const f = 1;\n"}
    damaged = {one.damage.path for one in await made(tmp_path, base, head)}

    assert damaged and ("src/page.min.js" not in damaged) is is_left


async def test_hostile_files_end_in_time(tmp_path: Path) -> None:
    head = {
        "word.py": f"x = '{'a' * 450_000}'\n",
        "line.js": "f(1);" * 90_000,
        "deep.py": "(" * 100_000,
        "many.py": "".join(f"def f{n}(a):\n    return a < {n}\n" for n in range(8_000)),
        "nested.js": "function f(a) { if (a < 2) {" * 3_000 + "}}" * 3_000,
    }
    began = time.monotonic()
    damages = await made(tmp_path, {"kept.py": "a = 1\n"}, head)
    assert time.monotonic() - began < 60
    assert len(damages) <= 61


async def test_a_long_file_changed_in_many_places_is_damaged_too(tmp_path: Path) -> None:
    """What is asked about takes none of the time of what shows whether a test sees anything."""
    row = "  if (items[{0}] !== undefined) {{ total = add(total, items[{0}]{1}, 'item {0}'); }}\n"
    rows = [
        [row.format(n, f" * {n}" if is_head and n % 40 == 0 else "") for n in range(1_200)]
        for is_head in (False, True)
    ]
    base, head = (f"function sum(items) {{\n{''.join(some)}  return total;\n}}\n" for some in rows)
    kinds = {one.damage.kind for one in await made(tmp_path, {"a.js": base}, {"a.js": head})}
    assert {"reverted", "emptied", "negated"} <= kinds


async def test_neither_types_nor_overloads_are_damaged(tmp_path: Path) -> None:
    stub = "@overload\ndef f(a: Optional[int] = 128) -> 'Rows[int]': ...\n\n\n"
    base = f"{stub}def f(a: Optional[int] = 128) -> 'Rows[int]':\n    return rows(a)\n"
    head = (
        base.replace("Optional[int]", "int | None")
        .replace("'Rows", "'Cells")
        .replace("rows", "cells")
    )
    found = [one.damage for one in await made(tmp_path, {"a.py": base}, {"a.py": head})]
    points = [(one.line, one.what) for one in found if one.kind in OF_LINES]
    assert points == [(5, "`128` becomes `129`")]


async def test_what_of_a_changed_line_is_as_on_base_is_told(tmp_path: Path) -> None:
    base = "function f(a, b) {\n  return !has(a, b) || b > 1 || g(a);\n}\n"
    head = base.replace("has(a", "Object.hasOwn(a").replace("> 1", "> 2")
    found = [one.damage for one in await made(tmp_path, {"a.js": base}, {"a.js": head})]
    told = {one.what: one.is_changed for one in found if one.kind in OF_LINES}
    kept = {"`||` becomes `&&`": False, "`>` becomes `<=`": False, "`>` becomes `>=`": False}
    assert told == {**kept, "`2` becomes `3`": True}


async def test_a_hunk_of_a_file_that_no_grammar_reads_is_among_them(tmp_path: Path) -> None:
    """As few damages are made of all, it may not come behind those of a long new file."""
    long = "".join(
        f"def f_{n}(a):\n    if a < {n}:\n        return {n}\n    return a\n\n\n" for n in range(40)
    )
    code = "MACRO(x\nint f(int a) { return a; }\n"
    base = {"a.c": code, "b.py": ""}
    checkout = changed(tmp_path, base, {"a.c": code.replace("a; }", "2; }"), "b.py": long})
    copies = await make_damages(
        open_sandbox("bubblewrap", tmp_path / "state"), checkout, {"a.c", "b.py"}, ()
    )
    assert any(one.damage.path == "a.c" and one.damage.kind == "reverted" for one in copies)
