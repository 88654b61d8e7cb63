"""Values written otherwise: wherever a file's texts and numbers hold one, other letters and digits stand."""

from __future__ import annotations

import re
from collections.abc import Iterator

import tree_sitter

from sandbox.damage.inside.languages import NUMBER, TEXT
from sandbox.damage.inside.make import Damage
from sandbox.damage.inside.source import Source, text_of, walk

_STEPS = (3, 7, 11)
_MOST = 20  # places; what stands at more of them is more than one input
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
    for step in _STEPS if len(found) <= _MOST else ():
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
    written = re.compile(re.escape(value), re.IGNORECASE)
    is_number = NUMBER.match(value.decode()) is not None and len(value) <= _MOST_DIGITS
    for node in walk(root):
        if TEXT.search(node.type) and not _is_title(node):
            for match in written.finditer(node.text or b""):
                yield node.start_byte + match.start(), node.start_byte + match.end()
        elif is_number and not node.children and node.is_named and node.text == value:
            yield node.start_byte, node.end_byte


def _is_title(text: tree_sitter.Node) -> bool:
    """Tell whether a text is what a test is called: with another one it could not be found again."""
    around = text.parent.parent if text.parent is not None else None
    call = around.parent if around is not None and around.type == "arguments" else None
    function = call.child_by_field_name("function") if call is not None else None
    if around is None or function is None or not _TITLED.match(text_of(function)):
        return False
    return around.named_children[0] == text.parent
