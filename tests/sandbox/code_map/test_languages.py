"""What each grammar finds: definitions, uses and imports of a small text in every language."""

from __future__ import annotations

import json

import pytest

from sandbox.code_map.code import read_facts
from sandbox.code_map.inside.parse import GRAMMARS, read
from sandbox.code_map.inventory import language_of

# path → text, what it defines, what it uses, what it imports
TEXTS = {
    "a.py": (
        "import os.path\nfrom .amounts import parse as p\nLIMIT = 3\nclass Bill(Base):\n"
        "    def total(self):\n        return p(self.rows, key=by_name) + helper(LIMIT)\n"
        "PATTERN = rf'{number} {word}' * MOST\ndef all():\n    return [_TABLE[a] for a in amounts]\n",
        {"LIMIT", "Bill", "total", "PATTERN", "all"},
        {"parse", "Base", "p", "rows", "by_name", "helper", "LIMIT"}
        | {"number", "word", "MOST", "_TABLE", "amounts"},
        {"os.path", ".amounts"},
    ),
    "a.js": (
        "import {parse} from './amounts.js';\nconst fs = require('fs');\n"
        "export const total = (rows) => rows.map(parse);\nfunction split() { return new Bill(); }\n"
        "class Bill extends Base { pay() { return split(); } }\nconst v = () => <Row/>;\n"
        "const same = half;\nconst table = { pay: whole, all: [quarter] };\n"
        "function chosen() { return third; }\n"
        "function every() { for (const one of names) one(`${text}`, ...rest, KEYS[0]); }\n",
        {"total", "split", "Bill", "pay", "fs", "v", "same", "table", "chosen", "every"},
        {"parse", "map", "Bill", "Base", "split", "Row", "half", "whole", "quarter", "third"}
        | {"names", "one", "text", "rest", "KEYS"},
        {"./amounts.js", "fs"},
    ),
    "a.ts": (
        "import type { Amount } from './amount';\nexport interface Bill { rows: Amount[] }\n"
        "type Id = string;\nenum Kind { A }\nabstract class Base {}\n"
        "export class Big extends Base { total(a: Bill): number { return sum(a.rows); } }\n"
        "export const pay = payAll as unknown as Id;\n",
        {"Bill", "Id", "Kind", "Base", "Big", "total", "pay"},
        {"Amount", "Base", "Bill", "sum", "rows", "payAll", "Id"},
        {"./amount"},
    ),
    "a.tsx": (
        "import { Row } from './row';\nexport function View(): Node { return <Row id={1}></Row>; }\n",
        {"View"},
        {"Row", "Node"},
        {"./row"},
    ),
    "a.go": (
        'package a\nimport (\n  "fmt"\n  m "example.com/x/money"\n)\nconst Limit = 3\n'
        "type Bill struct{ Rows []Row }\nfunc (b *Bill) Total() int { return m.Sum(b.Rows) }\n"
        "func Split(n int) { fmt.Println(limit(n)) }\n",
        {"Limit", "Bill", "Total", "Split"},
        {"Row", "Bill", "Sum", "Rows", "Println", "limit"},
        {"fmt", "example.com/x/money"},
    ),
    "a.rs": (
        "use crate::amounts::parse;\nmod money;\nconst LIMIT: u8 = 3;\nstruct Bill { rows: Vec<Row> }\n"
        "trait Pays { fn pay(&self); }\nimpl Bill { fn total(&self) -> u8 { parse(self.rows) } }\n"
        "enum Kind { A }\nmacro_rules! m { () => {} }\n"
        "#[test]\nfn works() { assert_eq!(split(1), money::half(2)); }\n",
        {"LIMIT", "Bill", "Pays", "pay", "total", "Kind", "m", "works"},
        {"parse", "Row", "rows", "split", "half", "assert_eq", "Bill"},
        {"crate::amounts::parse", "money"},
    ),
    "A.java": (
        "import com.shop.Amount;\npublic class A extends Base {\n  A() {}\n"
        "  int total(Row r) { return Amount.parse(new Bill(r)); }\n}\n"
        "interface Pays {}\nenum Kind { X }\nrecord Pair(int a) {}\n",
        {"A", "total", "Pays", "Kind", "Pair"},
        {"Base", "Row", "Amount", "parse", "Bill"},
        {"com.shop.Amount"},
    ),
    "a.c": (
        '#include <stdio.h>\n#include "amounts.h"\n#define LIMIT 3\n#define HALF(x) ((x)/2)\n'
        "typedef struct bill { int n; } bill_t;\nenum kind { A };\n"
        "int total(bill_t *b) { return sum(b->n, each); }\nchar *name(void) { return 0; }\n",
        {"LIMIT", "HALF", "bill", "bill_t", "kind", "total", "name"},
        {"bill_t", "sum", "n", "each"},
        {"stdio.h", "amounts.h"},
    ),
    "a.cpp": (
        '#include "bill.hpp"\nnamespace shop {\nclass Bill : public Base { int total() { return 1; } };\n'
        "int Bill::pay(int n) { return money::half(n) + rows.size(); }\nint free_one() { return f(); }\n}\n",
        {"shop", "Bill", "total", "pay", "free_one"},
        {"half", "size", "f", "Base"},
        {"bill.hpp"},
    ),
    "a.rb": (
        "require 'json'\nrequire_relative 'amounts'\nmodule Shop\n  LIMIT = 3\n  class Bill < Base\n"
        "    def total\n      parse(rows)\n    end\n    def self.make\n      new\n    end\n  end\nend\n",
        {"Shop", "LIMIT", "Bill", "total", "make"},
        {"Base", "parse", "rows"},
        {"json", "amounts"},
    ),
    "a.php": (
        "<?php\nuse Shop\\Amount;\nrequire_once 'lib.php';\nfunction split_it() { return half(1); }\n"
        "class Bill extends Base implements Pays {\n"
        "  function total(Row $r) { return $this->sum(Amount::parse(new Cent())); }\n}\n"
        "interface Pays {}\ntrait T {}\nenum Kind {}\n",
        {"split_it", "Bill", "total", "Pays", "T", "Kind"},
        {"half", "Base", "Pays", "Row", "sum", "Amount", "parse", "Cent"},
        {"Shop\\Amount", "lib.php"},
    ),
    "A.cs": (
        "using System;\nusing Shop.Money;\nnamespace X {\nclass Bill : Base {\n  public int Rows { get; }\n"
        "  Bill() {}\n  int Total(Row r) { return Amount.Parse(Half(new Cent())); }\n}\n"
        "interface IPays {}\nenum Kind { A }\nstruct S {}\nrecord P(int A);\n}\n",
        {"Bill", "Rows", "Total", "IPays", "Kind", "S", "P"},
        {"Base", "Row", "Amount", "Parse", "Half", "Cent"},
        {"System", "Shop.Money"},
    ),
    "a.sh": (
        ". ./lib.sh\nsource tools/money.sh\ntotal() {\n  half 3 | sort\n}\nfunction pay { total; }\n",
        {"total", "pay"},
        {"half", "sort", "total"},
        {"./lib.sh", "tools/money.sh"},
    ),
    "a.kt": (
        "import shop.Amount\nclass Bill : Base() {\n  fun total(r: Row): Int { return half(r.sum()) }\n}\n"
        "object One\n",
        {"Bill", "total", "One"},
        {"Base", "Row", "half", "sum"},
        {"shop.Amount"},
    ),
    "a.scala": (
        "import shop.Amount\nclass Bill extends Base { def total(r: Row) = half(r.sum) }\n"
        "object One\ntrait Pays\n",
        {"Bill", "total", "One", "Pays"},
        {"Base", "Row", "half", "sum"},
        {"shop.Amount"},
    ),
    "a.swift": (
        "import Shop\nclass Bill: Base { func total(r: Row) -> Int { return half(r.sum()) } }\n"
        "struct S {}\nprotocol Pays {}\n",
        {"Bill", "total", "S", "Pays"},
        {"Base", "Row", "half", "sum"},
        {"Shop"},
    ),
    "a.lua": (
        "local m = require('money')\nfunction total(r) return half(r) end\n"
        "function M.pay() return m.sum(total(1)) end\nfunction M:ask() self:go() end\n",
        {"total", "pay", "ask"},
        {"half", "sum", "total", "go"},
        {"money"},
    ),
}


@pytest.mark.parametrize("path", TEXTS)
def test_a_language_tells_its_definitions_uses_and_imports(path: str) -> None:
    text, defines, uses, imports = TEXTS[path]
    facts = read_facts(json.loads(json.dumps(read(text.encode(), language_of(path)))))
    assert facts is not None
    assert {one.name for one in facts.definitions} == defines
    assert uses <= set(facts.uses)
    assert set(facts.imports) == imports
    for one in facts.definitions:
        assert one.name in text.splitlines()[one.line - 1]


def test_every_grammar_has_a_text() -> None:
    assert {language_of(path) for path in TEXTS} == set(GRAMMARS)


@pytest.mark.parametrize("name", GRAMMARS)
@pytest.mark.parametrize("text", [b"", b"\xff\xfe\x00(((", b"}" * 500 + b"((" * 500])
def test_text_that_is_no_program_tells_little(name: str, text: bytes) -> None:
    assert read_facts(read(text, name)) is not None
