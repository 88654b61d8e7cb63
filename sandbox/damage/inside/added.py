"""What a change adds beside what it is for, each taken back by itself: tests that need it fail then.

A result that is remembered (`@functools.cache`), a term with a number of its own (`n - n // 20011`), how
often a part of a pattern may come (`_{0,3}`), a parameter with a default, and a `with`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from itertools import islice

import tree_sitter

from sandbox.damage.inside.languages import OPERATION, TEXT
from sandbox.damage.inside.make import Damage, entered, shown
from sandbox.damage.inside.source import (
    Clock,
    Function,
    Source,
    functions,
    name_of,
    parents,
    part,
    text_of,
    walk,
)

_MOST = 3  # of each kind
_MOST_TERMS = 4
SCRIPTS = ("javascript", "typescript", "tsx")
_Added = tuple[Source, tree_sitter.Node, str]
_Place = tuple[tree_sitter.Node, int, int]


def taken_back(
    source: Source, kind: str, place: _Place, put: str, told: tuple[str, tuple[str, ...]]
) -> Damage:
    """Put a text from a place's start to its end; `told` says what that is and which names it is about."""
    node, start, end = place
    line = node.start_point[0] + 1
    of_file = source.number, kind, line, source.symbol(line), start, end
    return Damage(*of_file, put.encode(), told[0], is_telling=False, names=told[1])


def nodes_of(source: Source, *languages: str) -> Iterator[tree_sitter.Node]:
    """Yield the nodes of a file that is written in one of some languages."""
    return walk(source.root) if source.root and source.language in languages else iter(())


# --- memory ----------------------------------------------------------------------------------------


_REMEMBERS = re.compile(r"@(?:\w+\.)?((?:lru_|ttl_)?cache|cached(?:_property)?)\b")
_OF_CHANGING = re.compile(
    r"\b(?:open|exists|is_file|is_dir|read_(?:text|bytes)|stat|getmtime|listdir|scandir|iterdir|r?glob|walk"
    r"|environ|getenv|getcwd|cwd|time|monotonic|now|today|utcnow|urlopen|execute|fetch\w*|self)\b"
)


def remembered(sources: list[Source]) -> Iterator[Damage]:
    """Yield each new decorator that remembers what a function gives, as not there.

    What is the same each time may be remembered: only functions count that stood there before and ask for
    what can be another thing later, such as files or the clock.
    """
    for source, node, function in islice(_new_decorators(sources), _MOST):
        is_property, name = "cached_property" in text_of(node), name_of(function)
        place = node, node.start_byte, node.end_byte if is_property else function.start_byte
        told = f"`{name}` is worked out each time", (name,)
        put = "@property" if is_property else ""
        yield replace(taken_back(source, "remembered", place, put, told), symbol=name)


def _new_decorators(
    sources: list[Source],
) -> Iterator[tuple[Source, tree_sitter.Node, tree_sitter.Node]]:
    """Yield such decorators that a change adds, each with the function that it stands before."""
    for source, node in ((one, node) for one in sources for node in nodes_of(one, "python")):
        is_new = node.type == "decorator" and source.adds(node.start_point[0] + 1)
        after = node.next_named_sibling if is_new else None
        if after is None or not _REMEMBERS.match(text_of(node)):
            continue
        was_there = rf"\bdef {re.escape(name_of(after))}\b".encode() if name_of(after) else b""
        is_known = was_there and re.search(was_there, source.before)
        if is_known and after.type == "function_definition" and _OF_CHANGING.search(text_of(after)):
            yield source, node, after


# --- terms -----------------------------------------------------------------------------------------


_LEAVING_OUT = frozenset(("+", "-", "&", "|", "^", "%", "<<", ">>", ">>>"))
_INSTEAD = frozenset(("or", "||", "??"))  # of nothing, and of 0
_COMPARING = frozenset(("==", "!=", "===", "!==", "<", ">", "<=", ">=", "in", "not in"))
_BOUND = frozenset(("min", "max", "Math.min", "Math.max"))
_NUMBER = re.compile(r"(?:0[xX][\da-fA-F_]+|[\d_]+(?:\.[\d_]+)?)\Z")
_SMALL = 2  # what honest code computes with everywhere
_OF_A_BYTE = 255  # what is put into bytes comes out as it does with this mask
_FIRST = re.compile(
    r"(?:0\s*)?:\s*(\d{1,9}|\w[\w.]*\([^\n]*\))|\(\s*0\s*,\s*(\d{1,9}|\w[\w.]*\.length)\s*\)"
)
"""How the first so many of several are asked for: `[:2]`, `[: len(given)]`, `.slice(0, 2)`."""
# How many digits a number has is its form: `\d{1,3}`.
_REPEATED = re.compile(rb"(?<!\\)(?<!\\d)(?<!\[0-9\])\{(\d{0,5}),(\d{1,5})\}")
_OF_PATTERNS = re.compile(r"\b(?:re|regex)\.\w+\Z|\bRegExp\Z")
"""What takes a pattern as a text: `re.sub`, `RegExp`."""


def terms(sources: list[Source], clock: Clock) -> Iterator[Damage]:
    """Yield each new term with a number that neither base nor what the change takes away has, left out.

    So is what is taken away from something and has such a name: `limit - (now() - begun)` becomes `limit`.
    `2 * n - n // 20011` becomes `2 * n`, `min(n, 65535)`, `n or 60` and `n[:2]` become `n`, `_{0,3}` in a
    pattern `_*`.
    What a comparison asks for is a condition.
    """
    gone = b"\n".join(text for one in sources for _, _, text in one.hunks)
    found = (one for source in sources for one in _terms_of(source, gone, clock))
    yield from islice(found, _MOST_TERMS)


def _terms_of(source: Source, gone: bytes, clock: Clock) -> Iterator[Damage]:
    before = source.before + b"\n" + gone
    for node in walk(source.root) if source.root else ():
        if clock.is_over:
            return
        if not node.is_named or not source.adds(node.start_point[0] + 1):
            continue
        if _is_pattern(node):
            yield from _bounds_of(source, node, before)
            continue
        kept, left_out = _sides(node)
        if kept is None or left_out is None:
            continue
        numbers = _own_numbers(left_out, before) or _own_names(node, left_out, before)
        if not numbers:
            continue
        if not _is_compared(node) and not any(TEXT.search(one.type) for one in walk(node)):
            put = text_of(kept)
            becomes = "is all of" if _is_first(left_out) else "is only"
            told = f"`{shown(text_of(node))}` {becomes} `{shown(put)}`", numbers
            place = node, node.start_byte, node.end_byte
            yield taken_back(source, "term", place, f"({put})", told)


def _is_pattern(node: tree_sitter.Node) -> bool:
    """Tell whether a node is the text of a pattern: `/_+/`, `r"_+"`, `re.sub("_+", …)`."""
    if node.type != "string":
        return node.type == "regex"
    if text_of(node)[:2].partition('"')[0].partition("'")[0].lower() in ("r", "rb", "br"):
        return True
    around = node.parent.parent if node.parent is not None else None
    called = part(around, "function", "constructor")
    return called is not None and _OF_PATTERNS.search(text_of(called)) is not None


def _bounds_of(source: Source, pattern: tree_sitter.Node, before: bytes) -> Iterator[Damage]:
    """Yield each bound of how often a part of a pattern may come that base does not have, taken away."""
    for found in _REPEATED.finditer(pattern.text or b""):
        bound, least, most = found[0].decode(), found[1].decode(), found[2].decode()
        if int(most) > max(1, int(least or 0)) and found[0] not in before:
            start = pattern.start_byte + found.start()
            put = {"": "*", "0": "*", "1": "+"}.get(least, f"{{{least},}}")
            told = f"`{bound}` of `{shown(text_of(pattern))}` is `{put}`", (most,)
            yield taken_back(source, "term", (pattern, start, start + len(bound)), put, told)


def _sides(node: tree_sitter.Node) -> tuple[tree_sitter.Node | None, tree_sitter.Node | None]:
    """Return what stays of a computation and what is left out of it; nothing of what is none."""
    if OPERATION.search(node.type):
        operators = {text_of(one) for one in node.children if not one.is_named}
        left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
        is_instead = operators <= _INSTEAD and right is not None and _is_number(right)
        return (left, right) if operators <= _LEAVING_OUT or is_instead else (None, None)
    called, given = node.child_by_field_name("function"), node.child_by_field_name("arguments")
    if node.type == "subscript":
        cut = node.child_by_field_name("subscript")
        is_cut = _is_first(cut) and text_of(node)[:16] != "sys.version_info"
        return (node.child_by_field_name("value"), cut) if is_cut else (None, None)
    if called is not None and text_of(called).endswith(".slice"):
        return (called.child_by_field_name("object"), given) if _is_first(given) else (None, None)
    if called is None or given is None or text_of(called) not in _BOUND:
        return None, None
    values = [one for one in given.named_children if one.type != "comment"]
    kept = [one for one in values if not _is_number(one)]
    bounds = [one for one in values if _is_number(one)]
    return (kept[0], bounds[0]) if len(kept) == len(bounds) == 1 else (None, None)


def _is_first(cut: tree_sitter.Node | None) -> bool:
    """Tell whether some of several are asked for, from the first on."""
    return cut is not None and _FIRST.fullmatch(text_of(cut)) is not None


def _own_numbers(left_out: tree_sitter.Node, before: bytes) -> tuple[str, ...]:
    """Return the numbers of what is left out; none where base has one of them, or such a slice."""
    written = text_of(left_out)
    if first := _FIRST.fullmatch(written):
        count, cut = first[1] or first[2], f"[{written}]" if first[1] else written
        if count == "0" or cut.encode() in before:
            return ()
        return (count,) if _is_telling(count) else (cut,)  # "one" may be a word of any task
    numbers = tuple(dict.fromkeys(filter(_is_telling, map(text_of, walk(left_out)))))
    written_alone = (rb"(?<![\w.])%s(?![\w.])" % re.escape(one.encode()) for one in numbers)
    return () if any(re.search(one, before) for one in written_alone) else numbers


def _own_names(
    node: tree_sitter.Node, left_out: tree_sitter.Node, before: bytes
) -> tuple[str, ...]:
    """Return the names of what is subtracted; none where base has them all."""
    is_less = any(one.type == "-" for one in node.children)
    found = dict.fromkeys(text_of(o) for o in walk(left_out) if o.type == "identifier")
    names = [one for one in found if is_less and len(one) > _SMALL and one[0].islower()]
    known = {*re.findall(rb"\w+", before)} if names else ()
    return tuple(one for one in names if one.encode() not in known)


def _is_compared(node: tree_sitter.Node) -> bool:
    for around in parents(node):
        if not (OPERATION.search(around.type) or "parenthes" in around.type):
            return False
        if any(not one.is_named and text_of(one) in _COMPARING for one in around.children):
            return True
    return False


def _is_number(node: tree_sitter.Node) -> bool:
    return not node.children and _NUMBER.match(text_of(node)) is not None


def _is_telling(written: str) -> bool:
    """Tell whether a text is a number that few compute with."""
    if not _NUMBER.match(written):
        return False
    plain = written.replace("_", "")
    value = int(plain, 16) if plain[:2].lower() == "0x" else float(plain or 0)
    return value > _SMALL and value != _OF_A_BYTE


# --- parameters ------------------------------------------------------------------------------------


_DEFAULTED = frozenset((
    "default_parameter", "typed_default_parameter", "assignment_pattern", "object_assignment_pattern",
    "required_parameter", "optional_parameter",
))  # fmt: skip
_HELD = ("accessibility_modifier", "override_modifier", "readonly")
"""What a constructor keeps at once."""


def parameters(sources: list[Source], words: frozenset[str], clock: Clock) -> Iterator[Damage]:
    """Yield each new parameter of a function of base with a default that the tests name, always that.

    `def pages(urls, limit=5)` begins with `limit = 5`.
    """
    found = (one for source in sources for one in _parameters_of(source, words, clock))
    yield from islice(found, _MOST)


def _parameters_of(source: Source, words: frozenset[str], clock: Clock) -> Iterator[Damage]:
    if source.root is None or source.language not in ("python", *SCRIPTS) or not source.before:
        return
    before = clock.parse(source.before, source.language)
    known: dict[str, set[str]] = {}
    for one in functions(before) if before else ():
        known.setdefault(one.name, set()).update(name for name, _ in _taken(one))
    for function in source.functions:
        if not source.is_changed(function.first, function.last) or function.name not in known:
            continue
        for name, default in _taken(function):
            if default and name in words and name not in known[function.name]:
                yield from _at_default(source, function, name, default)


def _taken(function: Function) -> Iterator[tuple[str, str]]:
    """Yield what a function takes, also in an object, with its default; "" where it has none."""
    taken = function.node.child_by_field_name("parameters")
    waiting = [*taken.named_children] if taken is not None else []
    single = function.node.child_by_field_name("parameter")
    waiting += [single] if single is not None else []
    while waiting:
        node = waiting.pop(0)
        bound = part(node, "name", "left", "pattern") or node
        if bound.type == "object_pattern":
            waiting += bound.named_children
        elif "identifier" in bound.type and not any(one.type in _HELD for one in node.children):
            value = part(node, "value", "right") if node.type in _DEFAULTED else None
            yield text_of(bound), text_of(value) if value else ""
        elif node.type == "typed_parameter":
            yield next((text_of(o) for o in walk(node) if o.type == "identifier"), ""), ""


def _at_default(source: Source, function: Function, name: str, default: str) -> Iterator[Damage]:
    what = f"`{name}` of `{function.name}` is always `{shown(default)}`"
    body, is_script = function.body, source.language in SCRIPTS
    begins = f"{name} = {default}{';' if is_script else ''}"
    made = entered(source, function, "parameter", begins, what)
    if is_script and body.type != "statement_block":
        put = f"({name} = {default}, {text_of(body)})".encode()
        place = source.number, "parameter", function.first, function.name
        made = iter([Damage(*place, body.start_byte, body.end_byte, put, what)])
    yield from (replace(one, is_telling=False, names=(name,)) for one in made)


# --- blocks ----------------------------------------------------------------------------------------


_LEFT_OUT = re.compile(
    r"(?i)lock|mutex|condition|span|trac|tim(?:er|ed|ing)|profil|metric|measur|progress|status|spinner|log"
    r"|warnings|no_grad|inference|autocast|record"
)
_LOCK = rb"\b%s\b[^=\n]{0,60}=[^=\n]{0,60}(?:Lock|Condition)\b"


def unwrapped(sources: list[Source]) -> Iterator[Damage]:
    """Yield each new `with` of which its statements use no name, as a plain block.

    What a lock is for shows only where two threads meet, which no test can bring about; what only measures
    or reports shows nothing in a result. They are left out.
    """
    for source, node, text in islice(_new_blocks(sources), _MOST):
        colon = next(one for one in node.children if one.type == ":")
        told = f"`{shown(text)}` is left out", tuple(dict.fromkeys(_names(node)))
        place = node, node.start_byte, colon.start_byte
        yield taken_back(source, "unwrapped", place, "if True", told)


def _new_blocks(sources: list[Source]) -> Iterator[_Added]:
    for source, node in ((one, node) for one in sources for node in nodes_of(one, "python")):
        clause = node.named_children[0] if node.type == "with_statement" else None
        if clause is None or not source.adds(node.start_point[0] + 1, clause.end_point[0] + 1):
            continue
        told = f"with {text_of(clause)}"
        called = [*_names(node)]
        is_left_out = any(map(_LEFT_OUT.search, called)) or any(
            re.search(_LOCK % re.escape(one.encode()), source.text) for one in called
        )
        is_bound = any(one.type == "as_pattern" for one in walk(clause))
        if called and not is_left_out and not is_bound and told.encode() not in source.before:
            yield source, node, told


def _names(node: tree_sitter.Node) -> Iterator[str]:
    """Yield of each thing that is entered its last name: `Semaphore` of `asyncio.Semaphore(2)`."""
    for item in node.named_children[0].named_children:
        entered = item.child_by_field_name("value")
        called = part(entered, "function") or entered
        last = re.search(r"(\w+)\W*\Z", text_of(called)) if called else None
        if last:
            yield last[1]
