"""Every changed file by what it is to the program, read in the real sandbox: in doubt it is code."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from sandbox import open_sandbox
from sandbox.base import Sandbox
from sandbox.changes.reading import is_documentation, read_kinds
from tests.sandbox.linters.changes import Files, changed

pytestmark = pytest.mark.real

PYTHON = '''"""Sums."""
from typing import Any
import os
import sys

__credits__ = ["A name"]


def half(a: int, b=1) -> int:
    """Halve it."""
    # in two
    return (a // 2) if a else [b, "x"]


class Kept:
    """Keeps."""

    size: int = 1

    def keep(self, it: "Any") -> None:
        return None


@command
def run(a: int):
    """Run it."""
    return a
'''
SHOWN = 'def half(n):\n    """Halve it.\n\n    >>> half(2)\n    1\n    """\n    return n / 2\n'
DATA = '@dataclass(frozen=True)\nclass Price:\n    """A price."""\n\n    cents: int\n'
NO_TYPES = """T = TypeVar("T")


class Client(Protocol):
    size: int

    def get(self, path: str) -> str: ...
"""
GENERIC = f"""from __future__ import annotations
from typing import Protocol, TypeVar

{NO_TYPES}

def first(a: T, client=None) -> T:
    return a
"""
CHECKED = "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    import sys"
CACHED_OLD = """import sys

if sys.version_info >= (3, 9):
    from functools import cache
else:
    from functools import lru_cache

    cache = lru_cache(maxsize=None)
"""
CACHED = f"""import re
{CACHED_OLD}

@cache
def find(text):
    return re.search("a", text)
"""
ALIASED = """from .chord import parse


def read(text):
    return parse(1)
"""
SCRIPT = """// adds
export async function add(a, b) {
  const all = [a, b];
  if (!all) return
  return all[0] + all[1]
}
const shown = 'a';
"""
TYPED = """import { type A, b } from './b'
interface Price { cents: number }
export function half(price: Price, c?: number): number {
  const all = [price] as Price[]
  return all[0]!.cents / 2
}
class Shop { constructor(private name: string) {} }
"""
GO = "package a\n\n// Half halves.\nfunc Half(n int) int {\n\treturn n / 2\n}\n"
SHELL = "#!/bin/sh\n# greets\ncat <<EOF\na\n\n# b\nEOF\n"
RUST = "/// Halves.\n/// ```\n/// assert_eq!(half(4), 2);\n/// ```\npub fn half(n: i32) -> i32 { n / 2 }\n"

CASES = [
    # what a Python program is not told of
    ("py", PYTHON, "Halve it.", "Cut it in two.", "comments"),
    ("py", PYTHON, '["A name"]', '["A name", "Another"]', "comments"),
    ("py", PYTHON, '["A name"]', "[print(1)]", ""),
    ("py", PYTHON, "__credits__", "__all__", ""),
    ("py", PYTHON, '    """Halve it."""\n', "", "comments"),
    ("py", PYTHON, "# in two", "# into two halves", "comments"),
    ("py", PYTHON, "(a // 2)", "a // 2", "formatting"),
    ("py", PYTHON, '[b, "x"]', "[\n        b,\n        'x',\n    ]", "formatting"),
    ("py", PYTHON, "import os\nimport sys", "import sys\nimport os", "formatting"),
    ("py", PYTHON, "a: int, b=1", "a: float, b: int = 1", "types"),
    ("py", PYTHON, "from typing import Any", "from typing import Any, List", "types"),
    ("py", PYTHON, "return a\n", "return a  # type: ignore\n", "types"),
    ("py", GENERIC, NO_TYPES, "", "types"),
    ("py", GENERIC, "str) -> str: ...", "str) -> str: return path", ""),
    ("py", GENERIC, "str) -> str: ...", "str = read()) -> str: ...", ""),
    ("py", GENERIC, "path: str) -> str: ...", "*, path: str = read()) -> str: ...", ""),
    ("py", GENERIC, 'TypeVar("T")', 'TypeVar("T", bound=read())', ""),
    ("py", GENERIC, "return a", "return T", ""),
    # what it is
    ("py", PYTHON, "a // 2", "a / 2", ""),
    ("py", PYTHON, '"x"', '"y"', ""),
    ("py", PYTHON, "    return None", "return None", ""),
    ("py", PYTHON, "b=1", "b=2", ""),
    ("py", PYTHON, "size: int", "size: str", ""),  # a dataclass is made of it
    ("py", PYTHON, "def run(a: int)", "def run(a: str)", ""),  # a decorator may read it
    ("py", PYTHON, "Run it.", "Run it now.", ""),
    ("py", PYTHON, "a: int, b=1", "a: print(1), b=1", ""),  # it is run when the module is loaded
    ("py", PYTHON, "# in two", "# pragma: no cover", ""),
    ("py", PYTHON, "# in two", "# in two  # noqa", ""),
    ("py", PYTHON, '"""Sums."""', '# -*- coding: latin-1 -*-\n"""Sums."""', ""),
    ("py", PYTHON, '"""Sums."""', '#!/usr/bin/python\n"""Sums."""', ""),
    ("py", PYTHON, "Halve it.", "Halve it.\n\n    >>> half(2)\n    1\n    ", "comments"),
    ("py", SHOWN, ">>> half(2)\n    1", ">>> half(2)\n    2", ""),
    ("py", SHOWN, "\n    >>> half(2)\n    1\n", "", ""),
    ("py", DATA, "A price.", "What is paid.", "comments"),
    ("py", DATA, "A price.", "A price.\n\n    >>> Price(1)\n    Price(cents=1)\n    ", "comments"),
    ("py", DATA, "cents: int", "cents: float", ""),
    ("py", PYTHON, "import os\n", "", "unused"),
    ("py", PYTHON, "import os", "from os import path", "unused"),
    ("py", PYTHON + "print(os)\n", "import os\n", "", ""),
    ("py", PYTHON + "__all__ = ['os']\n", "import os\n", "", ""),
    ("py", PYTHON, "import os\n", "import readline\n", ""),
    ("py", PYTHON, "import os\n", "import other\n", ""),
    ("py", CACHED, CACHED_OLD, "from functools import cache\n", "unused"),
    ("py", CACHED, CACHED_OLD, "from other import cache\n", ""),
    ("py", CACHED, CACHED_OLD, "from functools import lru_cache as cache\n", ""),
    ("py", CACHED.replace("9", "12"), CACHED_OLD.replace("9", "12"), "from functools import cache\n", ""),
    ("py", ALIASED, "import parse", "import Chord, parse\nLine = list[Chord]", "types"),
    ("py", ALIASED, "from .chord import parse", "from .other import parse", ""),
    ("py", ALIASED, "return parse(1)", "return parse(2)", ""),
    ("py", f"Line = list[int]\n{ALIASED}", "list[int]", "list[str]", ""),
    ("py", ALIASED, "import parse", "import Chord, parse\nLine = Chord(1)", ""),
    ("py", PYTHON, "import os\nimport sys", "from os import path as sys\nimport sys", ""),
    ("py", PYTHON, "import os", "import os as half", ""),
    ("py", PYTHON, "import Any", "import Any as len", "types"),
    ("py", "from typing import Text\nprint(Text)\n", "typing import Text", "typing import Any as Text", ""),
    ("py", PYTHON + "len\n", "import Any", "import Any as len", ""),
    ("py", PYTHON, "import sys", CHECKED, "types"),
    ("py", PYTHON + "print(sys)\n", "import sys", CHECKED, ""),
    ("py", PYTHON + "eval('os.name')\n", "import os\n", "", ""),
    ("py", PYTHON, '"""Sums."""', '"""Sums."""\nTYPE_CHECKING = 1\nif TYPE_CHECKING:\n    import evil', ""),
    ("py", PYTHON, "return a\n", "return a (\n", ""),
    # layout, comments and types of scripts
    ("js", SCRIPT, "// adds", "// adds up", "comments"),
    ("js", SCRIPT, "[a, b];", "[\n    a,\n    b,\n  ]", "formatting"),
    ("js", SCRIPT, "'a';", '"a"', "formatting"),
    ("js", SCRIPT, "return all[0]", "return\n    all[0]", ""),
    ("js", SCRIPT, "async function", "async\nfunction", ""),
    ("js", SCRIPT, "[a, b];", "[a, , b];", ""),
    ("js", SCRIPT, "[a, b];", "[a, b]\n  (a)", ""),
    ("js", SCRIPT, "'a'", "`a`", ""),
    ("js", SCRIPT, "// adds", "// eslint-disable-next-line no-undef", ""),
    ("js", SCRIPT, "// adds", "/** @jest-environment jsdom */", ""),
    ("js", SCRIPT, "// adds", "/* webpackChunkName: 'a' */", ""),
    ("js", "f(), g();\n", "f(), g()", "(f(), g())", "formatting"),
    ("js", "{ f() }\n++i, ++j;\n", "++i, ++j", "(++i, ++j)", "formatting"),
    ("js", "i\n++\nj\n", "i\n++\nj", "i++\nj", ""),
    ("js", "x = a + b * c;\n", "b * c", "(b * c)", "formatting"),
    ("js", "x = a + b * c;\n", "a + b", "(a + b)", ""),
    ("js", "f(a, b);\n", "a, b", "(a, b)", ""),
    ("js", "f = () => ({});\n", "({})", "{}", ""),
    ("js", "x = (a?.b).c;\n", "(a?.b)", "a?.b", ""),
    ("js", "'use strict';\n", "'use strict'", "('use strict')", ""),
    ("js", "f = () => {};\n", "f =", "(f) =", ""),
    ("js", "x = /* @__PURE__ */ f();\n", "f()", "(/* istanbul ignore next */ f())", ""),
    ("js", "x = { a: a, b: c };\n", "a: a", "a", "formatting"),
    ("js", "x = { a: a, b: c };\n", "b: c", "c", ""),
    ("js", "x = { __proto__: __proto__ };\n", ": __proto__", "", ""),
    ("jsx", "x = <p>a {b}</p>\n", "a {b}", "\n  a {b}\n", "formatting"),
    ("jsx", "x = <p>a {b}</p>\n", "a {b}", "a\n{b}", ""),
    ("jsx", "x = <p>a &amp;b</p>\n", "&amp;b", "&amp;\nb", ""),
    ("ts", TYPED, "cents: number", "cents: bigint", "types"),
    ("ts", TYPED, "c?: number): number", "c?: string): string", "types"),
    ("ts", TYPED, " as Price[]", "", "types"),
    ("ts", TYPED, "]!.cents", "].cents", "types"),
    ("ts", TYPED, "price: Price", "this: Price, price: Price", "types"),
    ("ts", TYPED, "interface Price", "// @ts-expect-error\ninterface Price", "types"),
    ("ts", TYPED, "private name", "name", ""),  # it makes a property
    ("ts", TYPED, "import { type A, b }", "import { A, b }", ""),
    ("ts", TYPED, "interface Price", "declare const enum P { A = 1 }\ninterface Price", ""),
    ("ts", TYPED, "class Shop", "@injectable() class Shop", ""),
    ("ts", f"@injectable()\n{TYPED[-51:]}", "name: string", "name: number", ""),
    # other languages
    ("go", GO, "// Half halves.", "// Half cuts in two.", "comments"),
    ("go", GO, "\treturn n / 2", "\treturn n /\n\t\t2", "formatting"),
    ("go", GO, "// Half halves.", "//go:build linux", ""),
    ("go", GO, "// Half halves.", "//go:noinline", ""),
    ("go", GO.replace("// Half", 'import "C"\n// Half'), "Half halves.", "int f();", ""),
    ("rs", RUST, "Halves.", "Cuts in two.", "comments"),
    ("rs", RUST, "half(4), 2", "half(4), 3", ""),
    ("rs", f"#[derive(Parser)]\nstruct A;\n{RUST}", "Halves.", "Cuts in two.", ""),
    ("sh", SHELL, "# greets", "# says hello", "comments"),
    ("sh", SHELL, "a\n\n", "a\n", ""),
    ("sh", SHELL, "# b", "# c", ""),
    ("sh", SHELL, "#!/bin/sh", "#!/bin/bash", ""),
    ("php", "<?php // a\n", "// a", "// b", ""),
]  # fmt: skip


@pytest.fixture(scope="module")
def sandbox(tmp_path_factory: pytest.TempPathFactory) -> Sandbox:
    return open_sandbox("bubblewrap", tmp_path_factory.mktemp("sandbox"))


async def kinds(sandbox: Sandbox, folder: Path, base: Files, head: Files) -> Mapping[str, str]:
    found = await read_kinds(sandbox, changed(folder, base, {**base, **head}))
    return {path: kind.value for path, kind in found.items()}


async def test_what_stays_the_same_to_a_program(sandbox: Sandbox, tmp_path: Path) -> None:
    """All at once, each in a file of its own."""
    base, head, wanted = {}, {}, {}
    for number, (suffix, text, old, new, kind) in enumerate(CASES):
        assert text.count(old) == 1, f"{old!r} does not name one place"
        path = f"src/a{number}.{suffix}"
        base[path], head[path] = text, text.replace(old, new)
        wanted[path] = (old, new, kind)
    base["pyproject.toml"] = head["pyproject.toml"] = '[project]\nrequires-python = ">=3.9"\n'
    found = await kinds(sandbox, tmp_path, base, head)
    told = {path: (old, new, found.get(path, "")) for path, (old, new, _) in wanted.items()}
    assert told == wanted


@pytest.mark.parametrize(
    ("reader", "old", "new"),
    [
        ("def tell(f):\n    print(f.__doc__)\n", "Halve it.", "Cut it."),
        ("from a import (\n    __credits__,\n)\n\nprint(*__credits__)\n", "A name", "Another"),
        ("import a\n\nprint(a.__credits__)\n", "A name", "Another"),
        ("import docopt\n", '"""Sums."""', '"""Usage: sums"""'),
        ("import pydantic\n", "Keeps.", "Holds."),
        ("import inspect\nget = inspect.getsource\n", "# in two", "# cut"),
        ("from .a import half, os\n", "import os\n", ""),
        ("def check(f):\n    return f.__annotations__\n", 'it: "Any"', "it: object"),
        ("from beartype.claw import beartype_this_package\n", "a: int, b=1", "a: str, b=1"),
    ],
)
async def test_what_somebody_reads_besides(
    sandbox: Sandbox, tmp_path: Path, reader: str, old: str, new: str
) -> None:
    base, head = {"src/a.py": PYTHON}, {"src/a.py": PYTHON.replace(old, new)}
    assert len(await kinds(sandbox, tmp_path / "one", base, head)) == 1
    assert await kinds(sandbox, tmp_path / "other", {**base, "src/read.py": reader}, head) == {}


async def test_credits_that_are_only_handed_on(sandbox: Sandbox, tmp_path: Path) -> None:
    reader = "from a import (\n    __credits__,\n    half)\n\n__all__ = [\n    '__credits__',\n]\n\nhalf(1)\n"
    base, head = {"src/a.py": PYTHON, "src/read.py": reader}, {}
    head["src/a.py"] = PYTHON.replace("A name", "Another")
    assert await kinds(sandbox, tmp_path, base, head) == {"src/a.py": "comments"}


@pytest.mark.parametrize(
    ("folder", "found"), [("dev", {"CHANGES.md": "documentation"}), ("src/dev", {}), ("app", {})]
)
async def test_what_only_makes_a_release_is_not_the_program(
    sandbox: Sandbox, tmp_path: Path, folder: str, found: Mapping[str, str]
) -> None:
    base = {"CHANGES.md": "# 1\n", f"{folder}/notes.py": "print(open('CHANGES.md').read())\n"}
    assert await kinds(sandbox, tmp_path, base, {"CHANGES.md": "# 2\n"}) == found


async def test_documents_and_whoever_reads_them(sandbox: Sandbox, tmp_path: Path) -> None:
    source = (
        "import pathlib\n\nhelp = pathlib.Path('HELP.md').read_text()\n"
        'rows = open("docs/data/rows.txt")\n'
    )
    base = {
        "src/a.py": source,
        "setup.py": "open('README.md')\n",
        "conftest.py": "examples = Sybil(patterns=['*.md'])\n",
        "prompts/system.md": "Be good.\n",
    }
    documents = (
        "README.md",
        "CHANGES",
        "src/README.rst",
        ".github/CONTRIBUTING.md",
        "news/1.bugfix",
    )
    others = (
        "HELP.md",
        "src/template.md",
        "tests/expected.md",
        "requirements-dev.txt",
        "words.txt",
    )
    texts = dict.fromkeys((*documents, *others), "words\n")
    found = await kinds(
        sandbox, tmp_path / "one", base, {**texts, "prompts/system.md": "Be bad.\n"}
    )
    assert found == dict.fromkeys(documents, "documentation")
    found = await kinds(sandbox, tmp_path / "other", base, {"docs/data/rows.txt": "1\n"})
    assert found == {}
    free = await kinds(
        sandbox, tmp_path / "free", {"a.py": "x = 1\n"}, {"docs/a.md": "a", "docs/a.png": b"\x00"}
    )
    assert set(free) == {"docs/a.md", "docs/a.png"}


async def test_files_of_types_alone_and_files_that_are_more(
    sandbox: Sandbox, tmp_path: Path
) -> None:
    head = {
        "a.pyi": "x: int\n",
        "b.d.ts": "export const b: number\n",
        "c/py.typed": "",
        "d.py": "",
        "e.ts": "",
    }
    found = await kinds(sandbox, tmp_path, {"x.py": "x = 1\n"}, head)
    assert found == dict.fromkeys(("a.pyi", "b.d.ts", "c/py.typed"), "types")


@pytest.mark.parametrize(
    ("package", "found"),
    [("from .chord import Chord\n", "types"), ("import chord\n", ""), ("", "")],
)
async def test_a_name_for_types_from_what_the_package_loads_anyway(
    sandbox: Sandbox, tmp_path: Path, package: str, found: str
) -> None:
    text = "from __future__ import annotations\n\n\ndef f(a):\n    return a\n"
    now = text.replace("\n\n\ndef f(a)", "\n\nfrom .chord import Chord\n\n\ndef f(a: Chord)")
    base = {
        "src/p/__init__.py": package,
        "src/p/chord.py": "class Chord: ...\n",
        "src/p/a.py": text,
    }
    told = await kinds(sandbox, tmp_path, base, {"src/p/a.py": now})
    assert told.get("src/p/a.py", "") == found


@pytest.mark.parametrize(
    ("data", "found"),
    [
        ('\n[tool.setuptools.package-data]\np = ["py.typed"]\n', "types"),
        ('\n[tool.setuptools.package-data]\np = ["py.typed", "words.txt"]\n', ""),
        ('\n[tool.setuptools.package-data]\np = ["py.typed"]\nq = ["*"]\n', ""),
    ],
)
async def test_a_project_that_newly_says_that_it_has_types(
    sandbox: Sandbox, tmp_path: Path, data: str, found: str
) -> None:
    base = {"pyproject.toml": '[project]\nname = "p"\n'}
    head = {"pyproject.toml": base["pyproject.toml"] + data}
    told = await kinds(sandbox, tmp_path, base, head)
    assert told.get("pyproject.toml", "") == found


def test_a_hostile_name_is_no_document() -> None:
    assert not is_documentation("requirements.txt")
    assert not is_documentation("tests/README.md")
    assert not is_documentation("docs/plugin.py")
    assert not is_documentation("examples/a.py") and is_documentation("examples/a.md")
    assert not is_documentation("CMakeLists.txt")
