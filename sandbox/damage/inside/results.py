"""Functions that run as they do and give something else back: a value of the same type, or nothing."""

from __future__ import annotations

from collections.abc import Iterator

import tree_sitter

from sandbox.damage.inside.languages import FUNCTIONS
from sandbox.damage.inside.source import Function, Source, text_of

_NO_VALUE = ("None", "null", "undefined")
_SCRIPTS = ("javascript", "typescript", "tsx")

# What is no plain value is not changed within its type: an error comes in its place, which every test that
# looks at the call notices. Nothing is looked up by a name that the file may have given to something else.
_PYTHON = (
    "(lambda c, v: c(c, v))(lambda c, v: (lambda n: "
    '(not v) if "bool" in n else {number} if "int" in n else {float} if "float" in n '
    'else {text} if "str" in n else b"damaged" if "bytes" in n '
    'else ({items} or [97]) if "list" in n '
    'else v._make([c(c, e) for e in v]) if "_make" in v.__class__.__dict__ '
    'else ((*[c(c, e) for e in v],) or (97,)) if "tuple" in n '
    'else v.__class__({{c(c, e) for e in v}} or {{97}}) if "set" in n or "frozenset" in n '
    'else ({members} or {{"damaged": 97}}) if "dict" in n else 1 // 0)'
    "([k.__name__ for k in v.__class__.__mro__]), ({value}))"
)
_MORE = 97_000
"""Added to a number it leaves a sign, an order and the last digits as they are."""
_PYTHON_WAYS = (
    {
        "number": "-97",
        "float": "-97.5",
        "text": '"damaged"',
        "items": "[c(c, e) for e in v][1:]",
        "members": "{k: c(c, e) for k, e in v.items()}",
    },
    {
        "number": f"v + {_MORE}",
        "float": f"(v + {_MORE} if v - v == 0 and v + {_MORE} != v else 1000097.5)",
        "text": '(v * 97 + "~")',
        "items": "v[::-1] * 2",
        "members": "{}",
    },
)
_NEARLY = {
    "number": "(v + 2)",
    "float": "(v * 1.05 + 0.05)",
    "text": "v",
    "items": "[c(c, e) for e in v]",
    "members": "{k: c(c, e) for k, e in v.items()}",
}
"""Outside of what rounding leaves open, inside of a tolerance that takes wrong results."""
_SCRIPT_NEARLY = {
    "number": "Number.isInteger(v) ? v + 2 : v * 1.05 + 0.05",
    "text": "v",
    "items": "v.map((e{any}) => c(e))",
    "members": "Object.fromEntries(Object.entries(v).map(([k, e]) => [k, c(e)]))",
}
_NOW = '__import__("time").perf_counter_ns()'
_UNSTEADY = {
    "number": f"{_NOW} + 0",
    "float": f"{_NOW} + 0.5",
    "text": f"(v + str({_NOW}))",
    "items": f"[*v, {_NOW}]",
    "members": f"{{**v, {_NOW}: 97}}",
}
_SCRIPT = (
    "(function c(v{any}){any} {{ "
    'if (typeof v === "boolean") return !v; if (typeof v === "number") return {number}; '
    'if (typeof v === "string") return {text}; '
    "if (Array.isArray(v)) {{ const made = {items}; return made.length ? made : [97]; }} "
    'if (v && typeof v.then === "function") return v.then(c); '
    "const kind = v && Object.getPrototypeOf(v); "
    "if (v && (kind === null || kind === Object.prototype)) {{ const made = {members}; "
    "return Object.keys(made).length ? made : {{damaged: 97}}; }} "
    'throw new Error("damaged"); }})(({value}))'
)
_SCRIPT_WAYS = (
    {
        "number": "-97",
        "text": '"damaged"',
        "items": "v.map((e{any}) => c(e)).slice(1)",
        "members": "Object.fromEntries(Object.entries(v).map(([k, e]) => [k, c(e)]))",
    },
    {
        "number": f"Number.isFinite(v) && v + {_MORE} !== v ? v + {_MORE} : 1000097",
        "text": 'v.repeat(97) + "~"',
        "items": "[...v].reverse().concat(v)",
        "members": "{}",
    },
)


def other_results(source: Source, function: Function) -> list[tuple[int, int, str]]:
    """Return (start, end, text) of a function that gives another value, a third, nothing, and a near one.

    Empty where it gives no value back, or where the language has no way to change one.
    """
    values = list(_values(source, function))
    if not values:
        return []
    if source.language == "python":
        wrappers = [_filled(_PYTHON, way, "") for way in _PYTHON_WAYS] + ["(({value}), None)[1]"]
        wrappers.append(_filled(_PYTHON, _NEARLY, ""))
    else:
        kind = "" if source.language == "javascript" else ": any"
        nothing = "(void ({value}))" if not kind else "(void ({value}) as any)"
        wrappers = [_filled(_SCRIPT, way, kind) for way in _SCRIPT_WAYS] + [nothing]
        wrappers.append(_filled(_SCRIPT, _SCRIPT_NEARLY, kind))
    return [_replaced(source, values, wrapper) for wrapper in wrappers]


def unsteady(source: Source, function: Function) -> tuple[int, int, str] | None:
    """Return (start, end, text) of a function that gives another value at each call; of Python only."""
    values = list(_values(source, function)) if source.language == "python" else []
    return _replaced(source, values, _filled(_PYTHON, _UNSTEADY, "")) if values else None


def _filled(template: str, way: dict[str, str], kind: str) -> str:
    """Fill all but the value, which stays a field."""
    own = {name: text.replace("{any}", kind) for name, text in way.items()}
    filled = template.format(any=kind, value="\0", **own)
    return filled.replace("{", "{{").replace("}", "}}").replace("\0", "{value}")


def _replaced(source: Source, values: list[tree_sitter.Node], wrapper: str) -> tuple[int, int, str]:
    start, end = values[0].start_byte, values[-1].end_byte
    parts, at = [], start
    for node in values:
        parts.append(source.text[at : node.start_byte].decode("utf-8", "surrogateescape"))
        parts.append(wrapper.format(value=(node.text or b"").decode("utf-8", "surrogateescape")))
        at = node.end_byte
    return start, end, "".join(parts)


def _values(source: Source, function: Function) -> Iterator[tree_sitter.Node]:
    """Yield what is returned or yielded in a function itself, in the order of the text."""
    if source.language != "python" and source.language not in _SCRIPTS:
        return
    body = function.body
    if source.language != "python" and body.type != "statement_block":
        yield body
        return
    waiting = [body]
    while waiting:
        node = waiting.pop()
        if node.type in FUNCTIONS or node.type in ("lambda", "class_definition", "class"):
            continue
        if node.type in ("return_statement", "yield", "yield_expression"):
            given = [one for one in node.named_children if one.type != "comment"]
            is_delegated = any(one.type in ("from", "*") for one in node.children)
            if len(given) == 1 and not is_delegated and text_of(given[0]) not in _NO_VALUE:
                yield given[0]
            continue
        waiting += reversed(node.children)
