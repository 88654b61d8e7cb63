"""What is written in a place of a change and in the same place of base, and the parts of it that differ."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from difflib import SequenceMatcher
from itertools import chain, islice

import tree_sitter

from sandbox.damage.inside.languages import FUNCTIONS, OPERATION, TEXT
from sandbox.damage.inside.make import shown
from sandbox.damage.inside.source import Piece, function_around, parents, part, pieces, said, walk

_MOST_PIECES = 400  # of a place
_MOST_PARTS = 4  # a place with more of them is written anew
_MOST_LINES = 3
_LONGEST_BETWEEN = 2  # signs between two differences that are one
_NUMBER = re.compile(rb"\d[\d_]*(?:\.\d+)?")
_WORD = re.compile(rb"\w")
_NAME = re.compile(rb"[A-Za-z_$][\w$]{2,79}")
_JOINING = ("and", "or", "&&", "||")
_LEAST_MORE = 2  # letters that names have more for the same reason
_OPERATORS = (
    {b"<", b"<=", b">", b">="},
    {b"+", b"-"},
    {b"*", b"/"},
    {b"and", b"or"},
    {b"&&", b"||"},
)
"""Of which one is easily taken for another."""
_IN_TEXT = re.compile(
    rb"\\.|\[(?:\\.|[^\]\\\n]){0,200}\]|\(\?(?:<?[=!:]|P?<\w+>)|\w+|\s+|.", re.DOTALL
)
"""A pattern's escapes, classes and groups; words; signs."""
_COMPARING = (b"==", b"!=", b"===", b"!==", b"<", b">", b"<=", b">=", b"is", b"is not")
_WITHIN_CALL = ("arguments", "argument_list", "member_expression", "attribute", "regex", "string")
"""Nodes between a call and what it is given, or made of."""
_OPENING, _CLOSING = ("(", "[", "{", "${"), (")", "]", "}")
_SEVERAL = 3  # words that do not stand in two places by chance
_COMPARED = 3  # parts: what is compared, how, and with what
_CONSTANTS = (b"None", b"null", b"undefined", b"nil", b"True", b"true", b"False", b"false")
_BOUND = re.compile(r"not_|unary|conditional|ternary|template|interpolation|\Astring")
"""Nodes, besides operations, of which something more makes another value; a list only gets one entry more."""


@dataclass(frozen=True, slots=True)
class Place:
    """What is written in a part of a text, in its order, with the whole text and its tree."""

    pieces: list[Piece]
    text: bytes
    root: tree_sitter.Node

    @classmethod
    def of(cls, text: bytes, root: tree_sitter.Node, start: int, end: int) -> Place:
        """Read what stands between two bytes."""
        found = [
            one
            for node in said(root, start, end)
            for one in pieces(node)
            if start <= one.start < end
        ]
        return cls(sorted(found, key=lambda one: one.start), text, root)

    @property
    def lines(self) -> int:
        """Return over how many lines it goes."""
        return self.pieces[-1].line - self.pieces[0].line + 1 if self.pieces else 0


@dataclass(frozen=True, slots=True)
class Step:
    """What is gone from base, and what came in its place at a byte of head; one of both may be nothing."""

    gone: tuple[Piece, ...]
    came: tuple[Piece, ...]
    at: int

    @property
    def end(self) -> int:
        """Return the byte of head behind what came."""
        return self.came[-1].end if self.came else self.at


@dataclass(frozen=True, slots=True)
class Part:
    """What has to be put from `start` to `end` of head for a part of a place to be as on base.

    `edit` is what a name has more, or less, now: the same of `getUTCDay` for `getDay` and of `getUTCHours`;
    and what is joined to a condition, without its names.
    """

    line: int
    start: int
    end: int
    put: bytes
    what: str
    names: tuple[str, ...]
    edit: str = ""


def steps(was: list[Piece], now: list[Piece], joined: int = 0) -> list[Step]:
    """Return what differs between two places; all of those that are too long to be compared.

    What is `joined` by at most so many signs that are the same is one step.
    """
    if max(len(was), len(now)) > _MOST_PIECES:
        return [Step(tuple(was), tuple(now), now[0].start if now else 0)]
    old, new = [one.text for one in was], [one.text for one in now]
    ranges: list[list[int]] = []
    for kind, *place in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if kind == "equal":
            continue
        between = b"".join(new[ranges[-1][3] : place[2]]) if ranges else b""
        if between and len(between) <= joined and not _WORD.search(between):
            ranges[-1][1], ranges[-1][3] = place[1], place[3]
        else:
            ranges.append(place)
    end = now[-1].end if now else 0
    return [
        Step(tuple(was[a:b]), tuple(now[c:d]), now[c].start if c < len(now) else end)
        for a, b, c, d in ranges
    ]


def parts(changed: list[Step], was: Place, now: Place, hunk: tuple[bytes, bytes]) -> Iterator[Part]:
    """Yield what can be as on base by itself, in lines that are changed in more than one way (`changed`).

    What only moves within the `hunk` (its text on base and on head) is no such part. Numbers and operators
    come with them that have become others where more is written beside them.
    """
    old, new = ([cut for one in side.pieces for cut in _cut(one)] for side in (was, now))
    is_more = not any(one.gone for one in changed)
    found = _with_calls(steps(old, new, 0 if is_more else _LONGEST_BETWEEN), old, new, was)
    is_whole = len(found) == 1 and not is_more
    is_anew = len(found) > _MOST_PARTS or not was.lines == now.lines <= _MOST_LINES
    for one in found if not (is_whole or is_anew) else ():
        if _is_moved(one, was, now, hunk) or _is_of_a_call(one, changed):
            continue
        if not (_is_closed(one.gone, was) and _is_closed(one.came, now)):
            continue
        put = was.text[one.gone[0].start : one.gone[-1].end] if one.gone else b""
        came = now.text[one.at : one.end]
        is_replaced = bool(put.strip() and came.strip())
        if is_replaced or (_is_bound(was, one.gone) if put else _is_bound(now, one.came)):
            told = f"`{_shown(put)}` is still there" if put else f"`{_shown(came)}` is missing"
            if put and came:
                told += f" instead of `{_shown(came)}`"
            names = dict.fromkeys(_name(piece) for piece in (*one.gone, *one.came))
            line = now.text.count(b"\n", 0, one.at) + 1
            named = tuple(filter(None, names))
            edit = _longer_name(put, came) if put else _guard(one.came)
            yield Part(line, one.at, one.end, put, told, named, edit)
    on_line = Counter(one.line for step in changed for one in step.came)
    for step in changed:
        if len(step.gone) != 1 or not step.came:
            continue
        gone = step.gone[0].text
        for piece in dict.fromkeys((step.came[0], step.came[-1])):
            is_number = _NUMBER.fullmatch(gone) and _NUMBER.fullmatch(piece.text)
            is_other = is_number or any(gone in o and piece.text in o for o in _OPERATORS)
            if is_other and on_line[piece.line] > 1:
                numbers = (gone.decode(), piece.text.decode()) if is_number else ()
                told = f"`{gone.decode()}` is still there instead of `{piece.text.decode()}`"
                yield Part(piece.line, piece.start, piece.end, gone, told, numbers)


def _longer_name(old: bytes, new: bytes) -> str:
    """Return by what one name is longer than another, and in which way; "" for other words."""
    found = SequenceMatcher(None, old, new, autojunk=False).get_opcodes()
    apart = [(old[a:b], new[c:d]) for kind, a, b, c, d in found if kind != "equal"]
    is_named = _NAME.fullmatch(old) and _NAME.fullmatch(new)
    if not is_named or len(apart) != 1 or b"" not in apart[0]:
        return ""
    gone, came = (one.decode(errors="replace") for one in apart[0])
    return f"{gone}>{came}" if len(gone + came) >= _LEAST_MORE else ""


def _guard(came: tuple[Piece, ...]) -> str:
    """Return what is the same for what is joined to two conditions, of whatever names: `and a`, `and b`."""
    words = ["" if "identifier" in one.type else one.text.decode(errors="replace") for one in came]
    return " ".join(words) if words[0] in _JOINING and "" in words else ""


def _is_moved(one: Step, was: Place, now: Place, hunk: tuple[bytes, bytes]) -> bool:
    """Tell whether what is gone, or came, stands on the other side of the hunk: it would be there twice."""
    written, place = (one.gone, was) if one.gone else (one.came, now)
    words = [piece for piece in written if _WORD.search(piece.text)]
    if (one.gone and one.came) or len(words) < _SEVERAL:
        return False
    own = place.text[words[0].start : words[-1].end]  # without the operators that join it
    other = hunk[1] if one.gone else hunk[0]
    return b"".join(own.split()) in b"".join(other.split())


def _is_of_a_call(one: Step, changed: list[Step]) -> bool:
    """Tell whether this is of a text, or pattern, and what its call is given changed, too: both go together.

    `/(^|\\/)\\./.test(file)` is `/^\\./.test(name(file))`.
    """
    if not one.came or not TEXT.search(one.came[0].type):
        return False
    text: tree_sitter.Node | None = one.came[0].node
    while text is not None and TEXT.search(text.type):
        around, text = text, text.parent
    while text is not None and "call" not in text.type:
        text = text.parent if text.type in _WITHIN_CALL else None
    return text is not None and any(
        text.start_byte <= other.at < text.end_byte
        and not around.start_byte <= other.at < around.end_byte
        for other in changed
    )


def _is_closed(written: tuple[Piece, ...], place: Place) -> bool:
    """Tell whether all brackets that open or close from the first piece to the last do both there.

    Those of a cast are between pieces.
    """
    start, end = (written[0].start, written[-1].end) if written else (0, 0)
    depth = 0
    for node in said(place.root, start, end, with_types=True) if written else ():
        if node.children or not start <= node.start_byte < end:
            continue
        depth += (node.type in _OPENING) - (node.type in _CLOSING)
        if depth < 0:
            return False
    return depth == 0


def _with_calls(found: list[Step], old: list[Piece], new: list[Piece], was: Place) -> list[Step]:
    """Join what calls another function and what no longer compares its result, and all between them.

    `a.indexOf(b) === 0` is `a.startsWith(b)`: neither half of that is what anybody would have written.
    """
    for name, operator in _compared_calls(was):
        first = next((n for n, one in enumerate(found) if _has(one.gone, name)), len(found))
        last = next((n for n, one in enumerate(found) if _has(one.gone, operator)), 0)
        if first < last and not any(one.text in _COMPARING for one in found[last].came):
            begun, ended = found[first], found[last]
            gone = (o for o in old if begun.gone[0].start <= o.start <= ended.gone[-1].start)
            came = (one for one in new if begun.at <= one.start < ended.end)
            found[first : last + 1] = [Step(tuple(gone), tuple(came), begun.at)]
    return found


def _compared_calls(place: Place) -> Iterator[tuple[int, int]]:
    """Yield where the names of calls stand whose results are compared with a constant, and the operators."""
    start, end = (place.pieces[0].start, place.pieces[-1].end) if place.pieces else (0, 0)
    for node in said(place.root, start, end):
        if not OPERATION.search(node.type) or len(node.children) != _COMPARED:
            continue
        call, operator, constant = node.children
        called = call.child_by_field_name("function") if "call" in call.type else None
        text = (constant.text or b"").lstrip(b"-")
        is_constant = _NUMBER.fullmatch(text) or text in _CONSTANTS
        if called is not None and is_constant and operator.text in _COMPARING:
            name = called.named_children[-1] if called.named_children else called
            yield name.start_byte, operator.start_byte


def _has(written: tuple[Piece, ...], start: int) -> bool:
    return any(one.start == start for one in written)


def _cut(piece: Piece) -> Iterator[Piece]:
    """Cut a text into its words and signs; all else is one piece."""
    if not TEXT.search(piece.type):
        yield piece
        return
    for one in _IN_TEXT.finditer(piece.text):
        start = piece.start + one.start()
        yield replace(piece, text=one[0], start=start, end=start + len(one[0]))


def _is_bound(place: Place, written: tuple[Piece, ...]) -> bool:
    """Tell whether something stands within an operation or a text."""
    start, end = written[0].start, written[-1].end
    node = place.root.descendant_for_byte_range(start, end)
    while node is not None and (node.start_byte, node.end_byte) == (start, end):
        node = node.parent
    if node is None or not place.text[start:end].strip():
        return False
    return any(one.search(node.type) is not None for one in (OPERATION, TEXT, _BOUND))


def _name(piece: Piece) -> str:
    """Return what a task would call a piece: a name, a number, or a word of a text; or ""."""
    is_named = "identifier" in piece.type or piece.text in _CONSTANTS
    is_word = is_named or TEXT.search(piece.type) or _NUMBER.fullmatch(piece.text)
    return piece.text.decode(errors="replace") if is_word and piece.text[:1].isalnum() else ""


def _shown(text: bytes) -> str:
    return shown(" ".join(text.decode(errors="replace").split()))


# --- texts that only people read: of an error, of a log, or of how a program is used ----------


_HELP = (b"help", b"description", b"epilog", b"usage", b"summary")
"""Names of texts that say how a program is used."""
_RAISING = ("raise_statement", "throw_statement")
_LOGGING = re.compile(rb"(?:\A|(?<!console)\.)(?:log|debug|info|warn(?:ing)?|trace|verbose)\Z")
"""Functions that log; what a console shows is what a program prints."""
_OF_NONE = (b"is", b"not", b"None", b"null", b"undefined")
_UTF8 = re.compile(rb"encoding=['\"](?i:utf-?8)['\"]\Z")
_MOST_AROUND = 7
GIVEN = ("assignment", "variable_declarator", "field_definition", "public_field_definition")
"""Nodes that give a name a value."""
_CONTENTS = ("string_content", "string_fragment")


def is_for_people(piece: Piece) -> bool:
    """Tell whether this is of a text that a name such as `help` has, of an error's message, or of a log's."""
    if not (piece.type.startswith("string") or piece.type in "'\""):
        return False
    is_word = piece.type in _CONTENTS and b" " not in piece.text
    for node in islice(chain((piece.node,), parents(piece.node)), _MOST_AROUND):
        names = (node.child_by_field_name(one) for one in ("name", "key", "left"))
        if any((one.text or b"").strip(b"'\"") in _HELP for one in names if one is not None):
            return True
        if not is_word and (_tells(node) or _is_only_told(node)):
            return True
    return False


def counts(piece: Piece) -> bool:
    """Tell whether this is a word of what a program does: not of a log's call, of help, or of UTF-8.

    UTF-8 is what a text is read in on most machines without that word; and that none is asked for
    (`is not None`) says what a value's truth mostly says, too.
    """
    for node in (piece.node, *parents(piece.node)):
        if node.type in FUNCTIONS:
            break
        name = part(node, "name") if node.type == "keyword_argument" else None
        is_aside = name is not None and (name.text in _HELP or _UTF8.search(node.text or b""))
        if is_aside or _logs(node):
            return False
    return _WORD.match(piece.text) is not None and piece.text not in _OF_NONE


def _tells(node: tree_sitter.Node) -> bool:
    """Tell whether this raises an error, or logs."""
    return node.type in _RAISING or _logs(node)


def _logs(node: tree_sitter.Node) -> bool:
    called = node.child_by_field_name("function")
    return called is not None and _LOGGING.search(called.text or b"") is not None


def _is_only_told(given: tree_sitter.Node) -> bool:
    """Tell whether a name gets its value here that the function around it uses for such texts only."""
    name, around = _target(given), function_around(given)
    if around is None or name is None or name.type != "identifier":
        return False
    named = [one for one in walk(around) if one.type == "identifier" and one.text == name.text]
    uses = [one for one in named if one.parent is None or _target(one.parent) != one]
    return bool(uses) and all(_is_told(one, around) for one in uses)


def _target(given: tree_sitter.Node) -> tree_sitter.Node | None:
    """Return what gets a value here."""
    if given.type not in GIVEN:
        return None
    return part(given, "left", "name")


def _is_told(node: tree_sitter.Node, around: tree_sitter.Node) -> bool:
    while node.parent is not None and node != around:
        node = node.parent
        if _tells(node):
            return True
    return False
