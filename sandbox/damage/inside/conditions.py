"""Conditions of a change that ask for a certain value, each made always true and always false; other values.

A test that tells the two sides of `size < 16` apart fails with one of them. What only asks for a type, a
platform or a version is left out: one machine cannot see both sides of it. So is a guard of what its function
reads: `hasattr(a, 'b')` beside `a.b`.
Of a text that base has, too, only what narrows another condition is asked: `… && key === 'name'`. So it is of
what all code asks for, none or a number up to two, that guards nothing: `… && total === 0` beside no `total`.
What asks for the beginning and for the end of one text is one condition.
Keys and cases that a change adds, what an answer is looked up by or a switch asks for, get another word; of a
long table, of which tests look at some, there is none."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import chain, islice, takewhile

import tree_sitter

from sandbox.damage.inside.languages import CONDITIONED, NUMBER, OPERATION, TEXT
from sandbox.damage.inside.make import Damage, shown
from sandbox.damage.inside.source import Source, function_around, parents, part, text_of, walk

_MOST = 6
_MOST_NARROWED = 4
_SMALL = 2  # what honest code asks for everywhere
_WORD = re.compile(r"\w{2}|\w.*\w")  # not "-" and ",;:"
# Nobody's data should reach them.
_OF_PROTOTYPES = frozenset(("__proto__", "prototype", "constructor"))
_COMPARING = frozenset((
    "==", "!=", "===", "!==", "<", ">", "<=", ">=", "in", "not in", "is", "is not",
))  # fmt: skip
_BOTH, _EITHER, _NOT = frozenset(("&&", "and")), frozenset(("||", "or")), frozenset(("!", "not"))
_JOINING = _BOTH | _EITHER | _NOT
_AROUND = re.compile(r"parenthesized|boolean_operator|binary|unary|not_operator|conjunction")
_MEMBER = (
    re.compile(r"hasattr\(\s*(?P<owner>\w[\w.]*),\s*['\"](?P<name>\w+)['\"]"),
    re.compile(r"['\"](?P<name>\w+)['\"] in (?P<owner>\w[\w.]*)"),
)
_BEGINS = re.compile(r"(?P<subject>\w[\w.]*)(?:\.starts_?[wW]ith\(|\[0\]\s*={2,3})")
_ENDS = re.compile(r"(?P<subject>\w[\w.]*)(?:\.ends_?[wW]ith\(|(?:\[-1\]|\.at\(-1\))\s*={2,3})")
_CALLED = re.compile(r"call(?:_expression)?\Z|method_invocation\Z")
_CALLED_OR_FUNCTION = re.compile(rf"{_CALLED.pattern}|lambda|function|closure|generator")
_TOLD_APART = re.compile(
    r"\btypeof\b|\binstanceof\b|__name__|"
    r"(?:\A|[.\]?(\s!])(?:type|kind|code|errno|nodeType|nodeName|tag|tagName|platform|version_info|implementation)\b"
)
_ALWAYS = {"python": ("True", "False"), "c": ("1", "0"), "cpp": ("1", "0"), "bash": (":", "! :")}


_LITTLE = re.compile(r"-?[0-2]|None|null|undefined|nil|''|\"\"|\[\]|\{\}|\(\)")
_NONE = re.compile(r"None|null|undefined|nil")
_FINDING_NONE = frozenset(("is", "==", "==="))
_NAME = re.compile(r"[A-Za-z_$][\w$]*")
_COMMON = frozenset(("self", "this", "len", "length", "size", "is", "not", "typeof"))
_STATEMENT = re.compile(r"_statement\Z|_clause\Z|declar|arrow_function|lambda|closure")


def conditions(sources: list[Source]) -> Iterator[Damage]:
    """Yield each condition on a value that no file had on base, made always true and then always false.

    Behind them stand the conditions that narrow another one to a text, each always met.
    """
    before = b"\n".join(one.before for one in sources)
    gone = b"\n".join(text for one in sources for _, _, text in one.hunks)
    found = [(source, node) for source in sources for node in _new_ones(source, before)]
    valued = [(*one, values) for one in found if (values := _new_values(*one, before, gone))]
    for source, node, values in valued[:_MOST]:
        for is_met in (True, False):
            yield _always(is_met, source, node, "condition", values)
    known = [node for _, node, _ in valued]
    narrowing = (
        (source, node, texts, answer)
        for source, node in found
        if node not in known and (texts := _own_texts(node)) and (answer := _met(node)) is not None
        # A new file may have it from another one.
        if source.before or not all(text.encode() in gone for text in texts)
    )
    asked = [node for _, node in found]
    little = (
        (source, node, (value,), answer)
        for source in sources
        for node in _changed_ones(source, before)
        if node not in asked and (value := _little(node)) and (answer := _met(node)) is not None
    )
    for source, node, texts, answer in islice(chain(narrowing, little), _MOST_NARROWED):
        yield _always(answer, source, node, "narrowed", texts)


def _little(condition: tree_sitter.Node) -> str:
    """Return none or the small number that a condition asks for beside others; "" for guards, and others."""
    if not OPERATION.search(condition.type) or len(condition.named_children) != 2:
        return ""
    sides = {text_of(one) for one in condition.named_children}
    value = next((one for one in sides if _LITTLE.fullmatch(one)), "")
    operators = {text_of(one) for one in condition.children if not one.is_named}
    if not value or (_NONE.fullmatch(value) and not operators <= _FINDING_NONE):
        return ""
    around = next((one for one in parents(condition) if _STATEMENT.search(one.type)), None)
    subjects = {name for side in sides - {value} for name in _NAME.findall(side)} - _COMMON
    if around is None or not subjects:
        return ""
    rest = text_of(around).replace(text_of(condition), " ", 1)
    return "" if subjects & {*_NAME.findall(rest)} else value


def _always(
    is_met: bool, source: Source, node: tree_sitter.Node, kind: str, values: tuple[str, ...]
) -> Damage:
    line, last = node.start_point[0] + 1, _other_end(node) or node
    place = source.number, kind, line, source.symbol(line), node.start_byte, last.end_byte
    put = _ALWAYS.get(source.language or source.dialect, ("true", "false"))[0 if is_met else 1]
    asked = source.text[node.start_byte : last.end_byte].decode(errors="replace")
    told = f"`{shown(asked)}` is always {'true' if is_met else 'false'}"
    return Damage(*place, put.encode(), told, is_telling=False, names=values)


def _new_ones(source: Source, before: bytes) -> Iterator[tree_sitter.Node]:
    """Yield the outermost conditions with a value in the lines of a change."""
    end = 0
    for node in _changed_ones(source, before):
        if node.start_byte < end or not (_own_texts(node) or any(map(is_value, walk(node)))):
            continue
        end = (_other_end(node) or node).end_byte
        yield node


def _asks_library(condition: tree_sitter.Node, source: Source) -> bool:
    """Tell whether a condition asks what a module has that the file loads: `'brotli' in zlib`."""
    found = (one.search(text_of(condition)) for one in _MEMBER)
    owners = {re.escape(one["owner"].partition(".")[0]) for one in found if one}
    loaded = (
        rf"\bimport\b[^\n;]{{0,200}}\b{one}\b|\b{one}\s{{0,9}}=\s{{0,9}}require\(" for one in owners
    )
    return any(re.search(one.encode(), source.text) for one in loaded)


def _changed_ones(source: Source, before: bytes) -> Iterator[tree_sitter.Node]:
    """Yield the conditions in the lines of a change that could be met on one machine, and not met."""
    tops = (source.root,) if source.root else source.readable
    for node in (one for top in tops for one in walk(top)):
        if not source.adds(node.start_point[0] + 1) or not _is_condition(node):
            continue
        written = text_of(node)
        if written.encode() in before or _TOLD_APART.search(written) or _asks_library(node, source):
            continue
        if not (_guards_read(node) or _counts(node) or _chooses_code(node)):
            yield node


def _other_end(node: tree_sitter.Node) -> tree_sitter.Node | None:
    """Return what asks, right behind a condition on the beginning of a text, for the end of it, too."""
    begins, around = _BEGINS.match(text_of(node)), node.parent
    if begins is None or around is None or not _is_both(around):
        return None
    after = node.next_named_sibling
    if after is None and around.parent is not None and _is_both(around.parent):
        after = around.next_named_sibling  # of `a and b and c` the first two are one node
    ends = _ENDS.match(text_of(after)) if after is not None else None
    return after if ends and ends["subject"] == begins["subject"] else None


def _is_both(node: tree_sitter.Node) -> bool:
    return any(not one.is_named and text_of(one) in _BOTH for one in node.children)


def _new_values(
    source: Source, condition: tree_sitter.Node, before: bytes, gone: bytes
) -> tuple[str, ...]:
    """Return the values that base does not ask for: texts, and numbers that stand alone.

    What a new file has may come from another one (`gone` is what the change takes from all files).
    """
    values = []
    near = b"\n".join(text for _, _, text in source.hunks) if source.before else gone
    for one in filter(is_value, walk(condition)):
        is_other = _is_given if TEXT.search(one.type) else _is_reckoned  # unlike `2 ** n`
        value = text_of(one)
        is_new = not is_other(one, condition) and not _was_asked(value, near, before)
        if is_new and value not in _OF_PROTOTYPES:
            values.append(value)
    return tuple(values)


def _own_texts(condition: tree_sitter.Node) -> tuple[str, ...]:
    """Return the texts that a condition asks for itself, as written; none where it asks for a member.

    In Python `'x' in y` asks for a part of a text where its function reads no `y['x']` or `y.get('x')`.
    """
    asked, around = _member(condition), function_around(condition)
    if asked:
        read = rf"\b{re.escape(asked['owner'])}(?:\.\w+\(|\[)['\"]{asked['name']}['\"]"
        is_python = condition.type == "comparison_operator"
        if not is_python or around is None or re.search(read, text_of(around)):
            return ()
    texts = [one for one in walk(condition) if TEXT.search(one.type)]
    return tuple(
        text_of(one) for one in texts if not _is_given(one, condition, _CALLED_OR_FUNCTION)
    )


def _met(condition: tree_sitter.Node) -> bool | None:
    """Return the answer with which a condition narrows nothing; None for what stands beside no other one."""
    is_met = True
    for around in takewhile(lambda one: _AROUND.search(one.type), parents(condition)):
        operators = {text_of(one) for one in around.children if not one.is_named}
        if operators & _BOTH:
            return is_met
        if operators & _NOT:
            is_met = not is_met
        elif not operators <= {"(", ")"}:
            return None
    return None


def _guards_read(condition: tree_sitter.Node) -> bool:
    """Tell whether a condition asks for a member that the function around it reads."""
    asked, around = _member(condition), function_around(condition)
    if asked is None or around is None:
        return False
    read = rf"\b{re.escape(asked['owner'])}\.{asked['name']}\b"
    return re.search(read, text_of(around)) is not None


def _counts(condition: tree_sitter.Node) -> bool:
    """Tell whether a condition ends a loop that counts: `for (let i = 0; i < 3; i++)`."""
    loop, counter = condition.parent, condition.child_by_field_name("left")
    first = part(loop, "initializer") if loop and loop.type == "for_statement" else None
    if first is None or counter is None:
        return False
    return re.search(rf"\b{re.escape(text_of(counter))}\s?=", text_of(first)) is not None


def _chooses_code(condition: tree_sitter.Node) -> bool:
    """Tell whether a condition is one of C's preprocessor: `#if PY_MINOR_VERSION >= 12`."""
    around = next((one for one in parents(condition) if not _AROUND.search(one.type)), None)
    return around is not None and around.type.startswith("preproc")


def _member(condition: tree_sitter.Node) -> re.Match[str] | None:
    """Return the `owner` and `name` of the member that a condition asks for; None where it asks for none."""
    found = (one.match(text_of(condition)) for one in _MEMBER)
    return next((one for one in found if one), None)


def _was_asked(value: str, near: bytes, before: bytes) -> bool:
    """Tell whether base has a value: a text anywhere, a number near what changed (`> 18` becomes `>= 18`).

    What is only a part of another word is none: "Data" of "X509Data".
    """
    is_number, written = NUMBER.match(value), re.escape(value.encode())
    whole = rb"(?<![\w.])%s(?![\w.])" if is_number else rb"(?<!\w)%s(?!\w)"
    is_word = value[:1].isalnum() and value[-1:].isalnum()
    pattern = whole if is_number or is_word else rb"%s"
    return re.search(pattern % written, near if is_number else before) is not None


def _is_condition(node: tree_sitter.Node) -> bool:
    """Tell whether a node is a comparison, or a call whose answer a condition asks for."""
    if not node.is_named:
        return False
    if OPERATION.search(node.type):
        return any(not one.is_named and text_of(one) in _COMPARING for one in node.children)
    return bool(_CALLED.search(node.type)) and _is_asked(node)


def _is_asked(node: tree_sitter.Node) -> bool:
    around = node.parent
    while around is not None and _AROUND.search(around.type):
        operators = {text_of(one) for one in around.children if not one.is_named}
        if operators & _JOINING:
            return True
        if not operators <= {"(", ")"}:
            return False
        node, around = around, around.parent
    if around is None or around.type == "if_clause":  # of a comprehension
        return around is not None
    asked = around.child_by_field_name("condition")
    if around.type == "conditional_expression" and asked is None:  # Python's has no fields
        asked = next(iter(around.named_children[1:2]), None)
    return around.type in CONDITIONED and asked == node


def is_value(node: tree_sitter.Node) -> bool:
    """Tell whether a node is a text with a word in it, or a number that few ask for."""
    written = text_of(node)
    if TEXT.search(node.type):
        return bool(_WORD.search(written))
    is_number = not node.children and node.is_named and NUMBER.match(written)
    return bool(is_number) and float(written) > _SMALL


def _is_given(
    text: tree_sitter.Node, condition: tree_sitter.Node, to: re.Pattern[str] = _CALLED
) -> bool:
    """Tell whether a text is given to another call, whose result the condition asks for."""
    inside = takewhile(lambda one: one != condition, parents(text))
    return any(to.search(one.type) for one in inside)


def _is_reckoned(number: tree_sitter.Node, condition: tree_sitter.Node) -> bool:
    """Tell whether a number is a part of what is computed from names, or an index."""
    # A side of a comparison, or an argument or the subject of a call.
    operand, around, is_call = number, number.parent, _CALLED.search(condition.type)
    while around is not None and around != condition:
        if is_call and around.parent == condition:
            break
        operand, around = around, around.parent
    return any("identifier" in one.type for one in walk(operand))


_MOST_KEYS = 6
_KEYED = re.compile(r"(?:pair|switch_case|case_clause|case_statement)\Z")


def keys(sources: list[Source]) -> Iterator[Damage]:
    """Yield the keys that no file had on base, where they are few."""
    before = b"\n".join(one.before for one in sources)
    found: list[tuple[Source, tree_sitter.Node]] = []
    for source, root in ((one, one.root) for one in sources if one.root is not None):
        for node in walk(root):
            line = node.start_point[0] + 1
            if not _KEYED.match(node.type) or not source.adds(line):
                continue
            first = part(node, "key", "value") or next(iter(node.named_children), None)
            values = filter(is_value, walk(first)) if first is not None else ()
            found += [(source, one) for one in values if text_of(one).encode() not in before]
    for source, node in found if len(found) <= _MOST_KEYS else ():
        line, value = node.start_point[0] + 1, text_of(node)
        put = b"damaged" if TEXT.search(node.type) else b"1" + value.encode()
        place = source.number, "key", line, source.symbol(line), node.start_byte, node.end_byte
        told = f"`{shown(value)}` is another key"
        yield Damage(*place, put, told, is_telling=False, names=(value,))


_STEPS = (3, 7, 11)
_MOST_PLACES = 20  # places; what stands at more of them is more than one input
_MOST_DIGITS = 18
_NOT_PLAIN = re.compile(rb"[\\%{}$]")
_LETTERS = b"abcdefghijklmnopqrstuvwxyz"
_TITLED = re.compile(r"(?:test|it|describe|suite|context|specify|t)(?:\.\w+)*\Z")


def in_other_values(sources: list[Source], values: list[str]) -> Iterator[Damage]:
    """Yield every place of these values changed, once in each of a few ways; `what` says in which."""
    found = [
        (source, start, end)
        for source in sources
        if source.root is not None
        for value in values
        for start, end in _places(source.root, value.encode())
    ]
    if any(_NOT_PLAIN.search(source.text[start:end]) for source, start, end in found):
        return
    for step in _STEPS if len(found) <= _MOST_PLACES else ():
        at, digits = step % len(_LETTERS), b"0123456789"
        moved = _LETTERS[at:] + _LETTERS[:at]
        turned = digits[step % 10 :] + digits[: step % 10]
        known = _LETTERS + _LETTERS.upper() + digits
        other = bytes.maketrans(known, moved + moved.upper() + turned)
        for source, start, end in found:
            text = source.text[start:end]
            put = str(int(text) + step).encode() if text.isdigit() else text.translate(other)
            line = source.text.count(b"\n", 0, start) + 1
            place = source.number, "other_value", line, "", start, end
            yield Damage(*place, put, str(step), is_telling=False)


def _places(root: tree_sitter.Node, value: bytes) -> Iterator[tuple[int, int]]:
    """Yield where a value stands; a key of an object (`{a: 1}`) goes with the texts that are the same."""
    written = re.compile(re.escape(value), re.IGNORECASE)
    is_number = NUMBER.match(value.decode()) is not None and len(value) <= _MOST_DIGITS
    texts, same = [], []
    for node in walk(root):
        if TEXT.search(node.type) and not _is_title(node):
            texts += [
                (node.start_byte + match.start(), node.start_byte + match.end())
                for match in written.finditer(node.text or b"")
            ]
        elif not node.children and node.is_named and node.text == value:
            same.append(node)
    yield from texts
    for node in same:
        is_key = node.parent is not None and node.parent.type == "pair"
        if is_number or (texts and is_key and node.type == "property_identifier"):
            yield node.start_byte, node.end_byte


def _is_title(text: tree_sitter.Node) -> bool:
    """Tell whether a text is what a test is called: with another one it could not be found again."""
    around = text.parent.parent if text.parent is not None else None
    call = around.parent if around is not None and around.type == "arguments" else None
    function = part(call, "function")
    if around is None or function is None or not _TITLED.match(text_of(function)):
        return False
    return around.named_children[0] == text.parent
