"""What callers rely on: how a function is called, its defaults, base classes, errors that come out."""

from __future__ import annotations

import pytest

from bot.integrity import inspect_integrity
from bot.values import Category, FourWay, Requirement, Requirements, Trust, rules
from sandbox.values import Diff
from tests.bot.integrity.test_integrity import Tree, changed

OF_CALLERS = rules.FOR_A_PERSON - {rules.OPTION_UNASKED}
ASKED = "`price` returns twice the cents"


def found(
    path: str, base: str, head: str, asked: str = ASKED, trust: Trust = Trust.ASKER
) -> list[tuple[str, str]]:
    """The rules that speak of callers, with what they say."""
    wanted = Requirements((Requirement("R1", asked, Category.BEHAVIOUR, "issue #1", trust),))
    diff = Diff((changed(path, base, head),))
    findings = inspect_integrity(diff, Tree({path: base}), Tree({path: head}), FourWay(()), wanted)
    return [(one.rule, one.message) for one in findings if one.rule in OF_CALLERS]


def said_of(base: str, head: str, path: str = "shop.py") -> str:
    """What is said of one change."""
    return " ".join(message for _, message in found(path, base, head))


@pytest.mark.parametrize(
    ("before", "after", "said"),
    [
        ("cents, tax=0", "cents, vat=0", "`tax` is called `vat`"),
        ("cents, tax=0", "cents", "`tax` is gone"),
        ("cents, tax", "tax, cents", "`cents` stands at another place"),
        ("cents, tax=0", "cents, *, tax=0", "`tax` can only be given by name"),
        ("cents, tax=0", "cents, tax", "`tax` must be given"),
        ("cents", "cents, tax", "`tax` must be given"),
        ("cents", "cents, *, tax", "`tax` must be given"),
        ("cents, tax=0", "cents, shop=None, tax=0", "`tax` stands at another place"),
        ("cents", "cents, /", "`cents` can only be given by its place"),
        ("cents, *more", "cents", "it takes no further values"),
        ("cents, **more", "cents", "it takes no further names"),
        ("cents, *, tax=0", "cents, *, vat=0", "`tax` is called `vat`"),
        ("cents, tax=0", "cents, tax=1", "`tax` is `1` where a call does not give it"),
        ("cents, strict=True", "cents, strict=False", "`strict` is `False` where"),
        ("cents, tax=3", "cents, tax=None", "`tax` is `None` where"),
        ("cents, how=Mode.FAST", "cents, how=Mode.SLOW", "`how` is `Mode.SLOW` where"),
        ("cents, how=FAST", "cents, how=3", "`how` is `3` where"),
    ],
)
def test_what_breaks_callers_is_told(before: str, after: str, said: str) -> None:
    text = "FAST = 2\n\n\ndef price({}):\n    return cents\n"
    assert said in said_of(text.format(before), text.format(after))


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("cents", "cents, tax=0"),
        ("cents", "cents, *, tax=0"),
        ("cents", "cents: int | None"),
        ("cents, _tax=0", "cents, _vat=0"),
        ("cents, tax, /", "cents, vat, /"),
        ("cents, tax", "cents, tax=0"),
        ("cents, tax=0", "*args, **kwargs"),
        ("cents, tax=1", "cents, tax=1.0"),
        ("cents, how=FAST", "cents, how=2"),
        ("cents, tax=[]", "cents, tax=None"),
        ("cents, tax=7", "cents, tax=None"),
    ],
)
def test_what_takes_nothing_from_callers_is_not(before: str, after: str) -> None:
    text = "FAST = 2\n\n\ndef price({}):\n    return cents + 7\n"
    assert not said_of(text.format(before), text.format(after))


SHOP = """class Shop:
    def __init__(self, name, size=1):
        self.name = name

    def close(self):
        pass
"""
RECORD = """from dataclasses import dataclass


@dataclass
class Shop:
    name: str
    size: int = 1
"""


@pytest.mark.parametrize(
    ("base", "old", "new", "said"),
    [
        (SHOP, "size=1", "size", "`Shop` took `name, size=1` on base and takes `name, size` now"),
        (SHOP, "def close(self)", "def close(self, how)", "`how` must be given"),
        (SHOP, "def close", "async def close", "it gives no result before it is awaited"),
        (SHOP, "    def close", "    @property\n    def close", ""),
        (RECORD, "    name: str\n", "    owner: str\n    name: str\n", "`name` stands at another"),
        (RECORD, "size: int = 1", "size: int = 2", "`size` is `2` where a call does not give it"),
        (RECORD, "size: int = 1", "size: int = 1\n    open: bool = True", ""),
    ],
)
def test_methods_constructors_and_records_are_read(
    base: str, old: str, new: str, said: str
) -> None:
    message = said_of(base, base.replace(old, new))
    assert said in message
    assert bool(message) == bool(said)


@pytest.mark.parametrize(
    ("base", "head", "said"),
    [
        ("export function price(a, b = 2) {", "export function price(a, b = 3) {", "`b` is `3`"),
        ("export function price(a, b) {", "export function price(b, a) {", "`a` stands at another"),
        (
            "export function price(a, by = ',') {",
            "export function price(a, { rate } = {}) {",
            "`by` is taken for an object",
        ),
        ("export function price(a, by) {", "export function price(a, { rate } = {}) {", ""),
        (
            "export const price = (a, b) => {",
            "export const price = (n, a, b) => {",
            "another place",
        ),
        ("export function price(a, b) {", "export function price(a) {", "`b` is gone"),
        (
            "export function price(a, { b = 3 } = {}) {",
            "export function price(a, { b = 0 } = {}) {",
            "`b` is `0`",
        ),
        (
            "export function price(a, { b = 3 } = {}) {",
            "export function price(a, { n = 3 } = {}) {",
            "`b` is called `n`",
        ),
        (
            "export function price(a, { b = 3 } = {}) {",
            "export function price(a, { b = 3 }) {",
            "must be given",
        ),
        (
            "exports.price = function (a, b = 2) {",
            "exports.price = function (a, b = 3) {",
            "`b` is `3`",
        ),
        (
            "module.exports = price;\nfunction price(a, b = 2) {",
            "module.exports = price;\nfunction price(a, b) {",
            "`b` is `nothing`",
        ),
        ("export function price(a, b) {", "export async function price(a, b) {", "is awaited"),
        ("export default function (a, b = 2) {", "export default function (a, b = 1) {", "`b` is"),
        ("export function price(a, b) {", "export function price(one, b) {", ""),
        ("export function price(a, b) {", "export function price(a, b, c = 1) {", ""),
        ("export function price(a, b = 'x') {", 'export function price(a, b = "x") {', ""),
        ("function price(a, b = 2) {", "function price(a, b = 3) {", ""),
    ],
)
def test_exported_functions_of_javascript_are_read(base: str, head: str, said: str) -> None:
    body = "\n  return a + b;\n}\n"
    message = said_of(base + body, head + body, "index.js")
    assert said in message
    assert bool(message) == bool(said)


def test_typescript_and_its_classes_are_read() -> None:
    base = (
        "export class Shop<T extends { a: string }> {\n  constructor(private readonly name: string) {}\n"
        "  price(rates: Map<string, number>, tax?: number): number { return tax ?? 1; }\n"
        "  private close(how: string): void {}\n}\n"
    )
    more = base.replace("name: string)", "name: string, size: number)")
    assert "`size` must be given" in said_of(base, more, "shop.ts")
    moved = base.replace("rates:", "shop: Shop, rates:")
    assert "`rates` stands at another place" in said_of(base, moved, "shop.ts")
    fine = base.replace("how: string", "").replace("tax?: number", "tax?: bigint, shop?: Shop")
    assert not said_of(base, fine, "shop.ts")


@pytest.mark.parametrize(
    ("asked", "is_asked"),
    [
        ("`price` takes a `tax`", False),
        ("Rename what `price` is given", False),
        ("The option tax of `price` is one by default", False),
        ("A change of the signature of all functions", False),
        ("A tax is paid", False),
        ("`label` has an option", True),
        ("`price` is twice the cents", True),
    ],
)
def test_what_the_task_speaks_of_is_not_asked(asked: str, is_asked: bool) -> None:
    base, head = (f"def price(cents, tax={at}):\n    return cents\n" for at in (0, 1))
    assert bool(found("shop.py", base, head, asked)) == is_asked
    assert found("shop.py", base, head, f"{ASKED}\n{asked}", Trust.AUTHOR)


@pytest.mark.parametrize(
    ("head", "asked", "is_asked"),
    [
        ("text, end='', width=9", "The result of `shorten` is never longer than `width`", True),
        (
            "text, end='', width=9",
            "`shorten` takes a parameter `end`, and `width` is a limit",
            True,
        ),
        ("text, end='', width=9", "`shorten` takes `end` before `width`", False),
        ("text, end='', width=9", "`shorten(text, end, width)` ends with `end`", False),
        ("text", "The result of `shorten` is as long as `width`", True),
        ("text", "`shorten` no longer takes `width`", False),
        ("text, width", "The result of `shorten` is never longer than `width`", True),
        ("text, width", "`width` of `shorten` is required", False),
        ("text, end, width=9", "`shorten` takes `end` before `width`", False),
        ("text, end, width=9", "`end` before `width`. All calls have to work as they do.", True),
        ("text, end, width=9", "`end` before `width`. Existing callers must not break.", True),
    ],
)
def test_a_mere_mention_excuses_no_broken_call(head: str, asked: str, *, is_asked: bool) -> None:
    texts = (f"def shorten({one}):\n    return text\n" for one in ("text, width=9", head))
    assert bool(found("shop.py", *texts, asked)) == is_asked


def test_a_parameter_that_has_the_name_of_a_thing_is_not_spoken_of() -> None:
    base, head = (f"def price({name}):\n    return {name}\n" for name in ("cents", "amount"))
    assert found("shop.py", base, head)
    assert not found("shop.py", base, head, "`price` takes an amount")


@pytest.mark.parametrize(
    ("base", "head", "lost"),
    [
        ("class Bad(ValueError):\n    pass\n", "class Bad(Exception):\n    pass\n", "ValueError"),
        ("class Bad(Shop):\n    pass\n", "class Bad:\n    pass\n", "Shop"),
        ("class Bad(LookupError):\n    pass\n", "class Bad(KeyError):\n    pass\n", ""),
        ("class Bad(Shop):\n    pass\n", "class Bad(Other):\n    pass\n", ""),
        (
            "class Bad(Shop):\n    pass\n",
            "class More(Shop):\n    pass\n\n\nclass Bad(More):\n    pass\n",
            "",
        ),
        ("class Bad(Generic[T]):\n    pass\n", "class Bad:\n    pass\n", ""),
        ("class _Bad(Shop):\n    pass\n", "class _Bad:\n    pass\n", ""),
    ],
)
def test_a_lost_base_class_is_told(base: str, head: str, lost: str) -> None:
    message = said_of(base, head)
    assert bool(message) == bool(lost)
    assert f"`{lost}`" in message or not lost


@pytest.mark.parametrize(
    ("base", "head", "lost"),
    [
        ("six.with_metaclass(Kind, object)", "metaclass=Kind", ""),
        ("with_metaclass(Kind)", "object, metaclass=Kind", ""),
        ("object", "", ""),
        ("with_metaclass(Kind, Shop)", "metaclass=Kind", "Shop"),
        ("with_metaclass(Kind, Shop)", "Shop, metaclass=Kind", ""),
        ("Shop", "with_metaclass(Kind, object)", "Shop"),
        ("Shop", "with_metaclass(Kind, Shop)", ""),
        ("namedtuple('Bad', 'a b')", "", ""),
        ("Shop", "made(Shop)", ""),  # it may be one
        ("Shop", "made(one._Shop)", ""),
        ("*BASES", "", ""),
    ],
)
def test_what_a_call_makes_is_no_name_of_a_base_class(base: str, head: str, lost: str) -> None:
    message = said_of(*(f"class Bad({one}):\n    pass\n" for one in (base, head)))
    assert bool(message) == bool(lost)
    assert f"`{lost}`" in message or not lost


def test_a_lost_base_class_of_javascript_is_told() -> None:
    base = "export class Bad<T extends Map<string, T>> extends TypeError {}\n"
    assert "`TypeError`" in said_of(base, base.replace("TypeError", "Error"), "bad.ts")
    assert not said_of(base, base.replace("extends TypeError", "\n  extends TypeError"), "bad.ts")
    assert not said_of(base.replace("TypeError", "Error"), base, "bad.ts")


READ = "def read(name):\n    if not name:\n        raise ValueError(name)\n    return name\n\n\n"
CALLED = f"{READ}def price(name):\n    cents = read(name)\n    return cents\n"


GIVEN = "    cents = read(name)\n"
TRIED = f"    try:\n    {GIVEN}    except {{}}:\n        {{}}\n"


@pytest.mark.parametrize(
    ("new", "is_told"),
    [
        (TRIED.format("Exception", "return None"), True),
        (TRIED.format("BaseException", "cents = 0"), True),
        (TRIED.format("ValueError", "return 0"), True),
        (TRIED.format("Exception as error", "log.info(error)"), True),
        (f"    with suppress(Exception):\n    {GIVEN}", True),
        (TRIED.format("KeyError", "return 0"), False),
        (TRIED.format("Exception as error", "raise Bad from error"), False),
        (TRIED.format("Exception as error", "return told(error)"), False),
        (f"{GIVEN}    try:\n        note(cents)\n    except Exception:\n        pass\n", False),
    ],
)
def test_errors_of_base_that_are_dropped_are_told(new: str, is_told: bool) -> None:
    head = CALLED.replace(GIVEN, new)
    assert bool(said_of(CALLED, head)) == is_told
    assert not found("shop.py", CALLED, head, "A bad name is ignored")
    assert not found("shop.py", CALLED, head, "`price` does not raise an error")
    raises = found("shop.py", CALLED, head, "`label` raises a `ValueError`")
    assert bool(raises) == is_told


GETS = """def get(address):
    for attempt in range(3):
        try:
            return load(address)
        except OSError:
            if attempt == 2:
                raise
"""
RAISES = "            if attempt == 2:\n                raise\n"
FAILED = "Log a warning for each failed attempt of `get`"


@pytest.mark.parametrize(
    ("new", "asked", "is_told"),
    [
        ("            log.warning('failed')\n", FAILED, True),
        ("            continue\n", FAILED, True),
        ("            pass\n", "`get` must not fail", False),
        ("            pass\n", "What cannot be loaded is ignored", False),
        ("            pass\n", "`get` returns None where all attempts fail", False),
        (f"            log.warning('failed')\n{RAISES}", FAILED, False),
        ("            log.warning('failed')\n    raise Gone(address)\n", FAILED, False),
        ("            error = Gone(address)\n", FAILED, False),
        ("            give_up(attempt)\n", FAILED, False),
    ],
)
def test_a_raise_that_is_gone_from_a_handler_is_told(
    new: str, asked: str, *, is_told: bool
) -> None:
    assert bool(found("shop.py", GETS, GETS.replace(RAISES, new), asked)) == is_told


def test_an_error_that_base_made_another_one_of_is_told() -> None:
    base = TRIED.replace(GIVEN, "    return PRICES[name]\n").format("KeyError", "raise Bad(name)")
    base = f"def price(name):\n{base}"
    head = base.replace("raise Bad(name)", "return 0")
    assert "`PRICES[name]`" in said_of(base, head)
    assert not said_of(head, head.replace("return 0", "return 1"))


@pytest.mark.parametrize(
    ("body", "is_told"),
    [
        ("try { return read(a); } catch {}", True),
        ("try { return read(a); } catch (e) { console.log(e); return 0; }", True),
        ("return read(a).catch(() => {});", True),
        ("return read(a).catch((error) => null);", True),
        ("return read(a).catch((error) => { throw new Bad(error); });", False),
        ("try { return read(a); } catch (e) { return told(e); }", False),
        ("try { note(a); } catch {} return read(a);", False),
    ],
)
def test_errors_of_javascript_that_are_dropped_are_told(body: str, is_told: bool) -> None:
    text = "export function price(a) {{ {} }}\n"
    base, head = text.format("return read(a);"), text.format(body)
    assert bool(said_of(base, head, "index.js")) == is_told


@pytest.mark.parametrize(
    ("use", "is_told"),
    [
        ("  const price = add(job);", True),
        ("  const price = await add(job);", False),
        ("  return add(job).then(show);", False),
        ("  await ready;\n  return add(job);", True),
    ],
)
def test_a_script_function_that_is_awaited_already_may_be_async(use: str, is_told: bool) -> None:
    base = f"export function add(job) {{\n  return job();\n}}\n\nasync function run(job) {{\n{use}\n}}\n"
    said = said_of(base, base.replace("export function", "export async function"), "shop.js")
    assert ("it gives no result before it is awaited" in said) is is_told
