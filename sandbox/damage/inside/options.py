"""New options of a command line, each accepted and of no effect: tests that show what it is for fail then."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from itertools import islice

import tree_sitter

from sandbox.damage.inside.make import Damage, entered
from sandbox.damage.inside.source import Source, text_of, walk

_MOST = 3
_OPTION = re.compile(r"[rRuU]?[\"'](--?[A-Za-z][\w-]{0,80})(?:/[\w-]{0,80})?[\"']\Z")
_NAME = re.compile(r"[\"']([A-Za-z_]\w{0,80})[\"']\Z")
_IGNORED = "action=type('_', (__import__('argparse').Action,), {'__call__': lambda *_, **__: None})"
_TAKES_NOTHING = {"store_true": ", default=False", "store_false": ", default=True", "count": ""}
_TAKES_VALUES = ("", "store", "append", "extend")
_ADDING = re.compile(r"(?:\w+\.)*(?:add_argument|option)\Z")
_Keywords = dict[str, tree_sitter.Node]


def options(sources: list[Source], words: frozenset[str]) -> Iterator[Damage]:
    """Yield each new option of `argparse` or `click` that the tests name, as one that leaves its default.

    `add_argument("--dry", action="store_true")` still takes `--dry`, and `args.dry` is `False`; a function
    below `@click.option("--dry", is_flag=True)` begins with `dry = False`.
    """
    yield from islice((one for source in sources for one in _options_of(source, words)), _MOST)


def _options_of(source: Source, words: frozenset[str]) -> Iterator[Damage]:
    for node in walk(source.root) if source.root and source.language == "python" else ():
        if node.type != "call" or not source.adds(node.start_point[0] + 1, node.end_point[0] + 1):
            continue
        called, given = node.child_by_field_name("function"), node.child_by_field_name("arguments")
        if called is None or given is None or not _ADDING.match(text_of(called)):
            continue
        written = [text_of(one) for one in given.named_children if one.type == "string"]
        spelled = [found[1] for one in written if (found := _OPTION.match(one))]
        name = max(spelled, key=len, default="")
        is_named = name and words.issuperset(re.findall(r"\w+", name))
        if not is_named or any(one.encode() in source.before for one in spelled):
            continue
        keywords = {
            text_of(key): one.child_by_field_name("value") or one
            for one in given.named_children
            if (key := one.child_by_field_name("name")) is not None
        }
        dest = next((found[1] for one in written if (found := _NAME.match(one))), "")
        dest = dest or name.lstrip("-").replace("-", "_").lower()
        is_of_click = text_of(called).endswith("option")
        make = _left_by_click if is_of_click else _left_by_argparse
        for damage in make(source, node, keywords, dest):
            yield replace(damage, what=f"`{name}` changes nothing", is_telling=False, names=(dest,))


def _left_by_argparse(
    source: Source, call: tree_sitter.Node, keywords: _Keywords, _: str
) -> Iterator[Damage]:
    action = keywords.get("action")
    does = text_of(action).strip("\"'") if action else ""
    if does in _TAKES_NOTHING:
        put = f"{_IGNORED}, nargs=0{'' if 'default' in keywords else _TAKES_NOTHING[does]}"
    elif does in _TAKES_VALUES:
        put = _IGNORED
    else:
        return
    given = call.child_by_field_name("arguments")
    last = [one for one in given.named_children if one.type != "comment"][-1] if given else call
    written = action.parent if action else None
    start, end = (
        (written.start_byte, written.end_byte) if written else (last.end_byte, last.end_byte)
    )
    line = call.start_point[0] + 1
    place = source.number, "parameter", line, source.symbol(line), start, end
    yield Damage(*place, (put if written else f", {put}").encode(), "")


def _left_by_click(
    source: Source, call: tree_sitter.Node, keywords: _Keywords, dest: str
) -> Iterator[Damage]:
    decorated = call.parent.parent if call.parent and call.parent.type == "decorator" else None
    below = decorated.child_by_field_name("definition") if decorated else None
    function = next((one for one in source.functions if one.node == below), None)
    if function is None or "expose_value" in keywords or "callback" in keywords:
        return
    default = text_of(keywords["default"]) if "default" in keywords else "None"
    if "default" not in keywords and ("is_flag" in keywords or "/" in text_of(call)):
        default = "False"
    elif "default" not in keywords and "multiple" in keywords:
        default = "()"
    yield from entered(source, function, "parameter", f"{dest} = {default}", "")
