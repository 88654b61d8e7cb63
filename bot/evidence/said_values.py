"""Tells whether a task speaks of a value: a number, a word, or what is named and not written (empty, one);
and of what a change does that nothing needs: `if size < 16 and …`, a handler that passes over an error.
"""

from __future__ import annotations

import ast
import builtins
import re
from collections.abc import Iterable
from functools import partial

from bot.task.code_names import code_named
from bot.values import Requirements
from sandbox.damage.values import (
    ALTERED,
    EXTENDED,
    NARROWED,
    PARAMETER,
    PASSED_OVER,
    REMEMBERED,
    UNWRAPPED,
    Damage,
)

SHOWN_CODE = re.compile(r"^ *(```|~~~).*?^ *\1|^ *>>>[^\n]*", re.DOTALL | re.MULTILINE)
"""Blocks of code and examples: a task shows there, and says nothing."""
_OWN_NAME = re.compile(
    r"(?m)^[ \t]*(?:>>> |\.\.\. )?(?:(?:let|const|var|if|elif|while|print)\b[ \t(]*)?([A-Za-z_]\w*)"
    r"(?:[ \t]*:[ \t]*[\w.\[\]]{1,40})?[ \t]*:?=(?!=)(?![^\n]*,[ \t]*$)"
)
"""What a task's shown code gives a value: a variable of the example, and no argument on a line of its own."""
_SPAN = re.compile(r"`([^`\n]*)`")
_WORD = re.compile(r"['\"]?[\w.+-]+['\"]?\Z")
_OF_ERRORS = re.compile(
    r"(?i)\b(?:errors?|exceptions?|fail\w*|invalid\w*|rais\w*|throw\w*|caught|catch\w*|ignor\w*|skip\w*"
    r"|swallow\w*|malformed|crash\w*|cannot|can't|could not|reject\w*|refus\w*|toler\w*|lenient\w*"
    r"|broken|corrupt\w*|silent\w*|missing|absent|unavailable|unreadable|unsupported|best effort"
    r"|(?<!were )not (?:found|there|available|installed))\b"
)
_RAISES = re.compile(
    r"^(?!.*(?:\b(?:not?|never|without|instead|until now|so far|today|skip\w*|ignor\w*)\b|n't\b)).*"
    r"\b(?:is|be|are|rais\w+|throw\w*|give\w*) (?:an? )?`?[A-Z]\w*(?:Error|Exception)\b",
    re.IGNORECASE,
)
_OF_CACHES = re.compile(
    r"(?i)(?:cach|memo[iz]|remember|reus)|\b(?:fast|slow|speed|perform|optimi|expensive|repeated|redundant"
    r"|once\b|(?:too|very|so) often\b|again\b|(?:each|every) (?:call|time)\b|lazy|lazi)"
)
# Names of code (`tools.mark.slow`): neither prose, nor a file with its ending, nor a host.
_CHAIN = re.compile(r"(?<![\w./:@-])[A-Za-z_]\w*(?:\.[A-Za-z_]\w*){2,}(?![\w/:@-])")
_OF_HOSTS = frozenset(("com", "org", "net", "io", "dev"))
_RESTRICTING = re.compile(
    r"(?i)\b(?:only|just|unless|except\w*|other than|but|not|never|no|without|cannot|\w+n't"
    r"|if|when|where|while)\b"
)
_SENTENCE = re.compile(r"(?<=[.!?:;])\s+|\n\s*\n")
_EVERYWHERE = frozenset(dir(builtins)) | {
    "self", "cls", "this", "Array", "Boolean", "Date", "Error", "JSON", "Map", "Math", "Number", "Object",
    "Promise", "RangeError", "RegExp", "Set", "String", "Symbol", "console", "undefined", "process",
}  # fmt: skip
"""Names that every program has: a text that has one of them does not speak of this place."""
_ARGUMENTS = re.compile(r"\([^()\n]{0,200}\)")
_DEFINED = re.compile(
    r"\b(?:def|function)[ ]+(\w{1,80})"
    r"|^[ \t]{0,8}(?:(?:async|static)[ ])?(\w{1,80})\([^()\n]{0,200}\) ?\{$",
    re.MULTILINE,
)
_ONE_IN, _ONE_OF = 4, 2
_LONGEST_NAME = 40
_LEAST_NAME = 3
_NOTHING = r"empty|blank|nothing|no|none|null|missing|without|absent|zero[ -]length|unset|omitted"
_SPACE = r"blank|white[ -]?spaces?|spaces?|tabs?|new[ -]?lines?|line breaks?|empty|trailing|leading"
_ZERO = rf"zero|division|divide|divided|{_NOTHING}"
_ONE = r"one|single|singular|once|only|lone"


def is_said(damage: Damage, wanted: Requirements, on_base: str = "") -> bool:
    """Tell whether a task speaks of errors, of each value that a condition asks for, or of what is altered.

    What it only shows in code is no word about a value, and what it says of a parameter shows no use of it.
    Of the words of a demand, those count that are names in the damaged file as it is `on_base`.
    """
    said = _all_of(wanted)
    if damage.kind in (PARAMETER, UNWRAPPED):
        # What speaks of a parameter asks for a test that shows what it is for.
        entered = damage.names if damage.kind == UNWRAPPED else ()
        return any(re.search(rf"(?i)(?<![a-z])_*{re.escape(one)}", said) for one in entered)
    if damage.kind == PASSED_OVER:
        # Who asks for an error wants none passed over.
        said = " ".join(
            one for one in re.split(r"(?<=[.!?;])\s+|\n", said) if not _RAISES.search(one)
        )
        return _OF_ERRORS.search(said) is not None or any(one in said for one in damage.names)
    if damage.kind == REMEMBERED:
        return _OF_CACHES.search(said) is not None
    if damage.kind in (ALTERED, EXTENDED):
        return _speaks_of_part(damage, wanted, on_base, said)
    asked = "\n".join(one.text for one in wanted.beside_baseline)
    values = tuple(o for o in damage.names if not _is_field(o, asked, on_base))
    if damage.kind == NARROWED:
        prose = SHOWN_CODE.sub(" ", said)
        is_own = any(one in _own_names(said) for one in values)
        return not is_own and any(map(partial(_restricts, values), _SENTENCE.split(prose)))
    return _has_each_value(values, said)


def _speaks_of_part(damage: Damage, wanted: Requirements, on_base: str, said: str) -> bool:
    """Tell whether a task speaks of what is altered, by the names in it."""
    # A demand that names the function to mend does not speak of each statement in it.
    demands = (code_named(f"{one.text} {one.wording}") for one in wanted.items)
    subjects = frozenset[str]().union(*demands)
    altered = [
        one
        for one in damage.names
        if (one not in subjects or one != damage.symbol) and one not in _EVERYWHERE
    ]
    names = [re.escape(one) for one in altered if len(one) >= _LEAST_NAME]
    # How a change calls its own variables says nothing: `key` stands in any text.
    own = {re.escape(one) for one in damage.parameters}
    found = [one for one in names if one not in own and _has_name(one, said)]
    if _is_beside(damage, wanted, on_base, said):
        return False
    if damage.kind == EXTENDED:
        # What is asked for mostly adds to what there is: one word of it will do.
        return bool(found) or _has_name(re.escape(damage.symbol), said)
    # One word of many may stand in any text, the more so where nobody speaks of the function.
    share = _ONE_IN if _has_name(re.escape(_own_name(damage)), said) else _ONE_OF
    return len(found) * share >= max(len(names), 1)


def _is_beside(damage: Damage, wanted: Requirements, on_base: str, said: str) -> bool:
    """Tell whether a task names functions of a file, and this part of another one has none of them."""
    own = _own_name(damage)
    defined = {one or other for one, other in _DEFINED.findall(on_base)}
    # Of `set(key, ttl=None)` only the function is what a demand is about.
    about = code_named(_ARGUMENTS.sub("()", "\n".join(one.text for one in wanted.items)))
    is_other = own in defined and bool(defined & about) and about.isdisjoint(damage.names)
    return is_other and not (own[:1] in "_#" or _has_name(re.escape(own), said))


def _own_name(damage: Damage) -> str:
    return damage.symbol.rpartition(".")[2]


def _has_name(name: str, said: str) -> bool:
    """Tell whether a text has a name, given as a pattern, with or without low lines around."""
    return re.search(rf"(?i)(?<!\w)_*{name}_*(?!\w)", said) is not None


def _is_field(value: str, asked: str, on_base: str) -> bool:
    """Tell whether a demand names, in plain words, an attribute or a text that base's code has."""
    if not (value.isascii() and value.isalpha() and len(value) >= _LEAST_NAME):
        return False
    has_known = re.search(rf"(?<=\.){value}(?![\w(])|(?<=['\"]){value}(?=['\"])", on_base)
    return bool(has_known and re.search(rf"(?<!\w){value}(?!\w)", asked))


def _has_each_value(values: Iterable[str], said: str) -> bool:
    prose = _SPAN.sub(
        lambda span: span[0] if _WORD.match(span[1]) else " ", SHOWN_CODE.sub(" ", said)
    )
    own = _own_names(said)
    for value in values:
        if value in own:
            is_named = False
        elif value[:1].isdecimal():
            is_named = has_number(value, prose)
        else:
            is_named = has_text(value, prose) or (len(value.split()) > 1 and value in prose)
        if not is_named:
            return False
    return True


def _own_names(said: str) -> frozenset[str]:
    """Return the variables of the code that a task shows: whoever reports a bug names them by chance."""
    blocks = (block[0] for block in SHOWN_CODE.finditer(said))
    return frozenset(name for block in blocks for name in _OWN_NAME.findall(block))


def _restricts(texts: tuple[str, ...], sentence: str) -> bool:
    """Tell whether a sentence says that something holds only with, or not with, each of some texts."""
    quoted = (
        rf"(?<!\w){re.escape(one)}(?!\w)"
        if one.isalnum() and len(one) >= _LEAST_NAME
        else rf"[`'\"]{re.escape(one)}[`'\"]"
        for one in texts
    )
    return bool(_RESTRICTING.search(sentence)) and all(re.search(one, sentence) for one in quoted)


def is_mentioned(damage: Damage, wanted: Requirements) -> bool:
    """Tell whether a task's prose has each value that a condition asks for, as a word like any other."""
    prose = SHOWN_CODE.sub(" ", _all_of(wanted))
    words = (rf"(?i)(?<!\w){re.escape(value.strip())}(?!\w)" for value in damage.names)
    return all(re.search(one, prose) for one in words)


def _all_of(wanted: Requirements) -> str:
    return "\n".join((*wanted.said, *(one.text for one in wanted.items)))


def speaks_of(literal: str, said: str, prose: str) -> bool:
    """Tell whether a task speaks of a value, written as code; `prose` is `said` without what it shows."""
    try:
        value = ast.literal_eval(literal)
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        digits = re.search(r"-?\d+(?:\.\d+)?", literal)  # Decimal('0.5')
        return digits is not None and has_number(digits[0], prose)
    if special := special_words(value):
        return bool(re.search(rf"(?i)\b(?:{special})\b", said)) or _written(literal, said)
    if isinstance(value, int | float):
        return has_number(literal, prose)
    if isinstance(value, list | tuple | set) and len(value) == 1:
        return bool(re.search(rf"(?i)\b(?:{_ONE})\b", said))
    text = value.decode("latin-1") if isinstance(value, bytes) else value
    return isinstance(text, str) and has_text(text, said if len(text) == 1 else prose)


def special_words(value: object) -> str:
    """Return the words, as a pattern, for a value that has hardly any like it; "" for all others."""
    if value is None or (isinstance(value, str | bytes | list | tuple | set | dict) and not value):
        return _NOTHING
    if isinstance(value, str | bytes) and not value.strip():
        return _SPACE
    if isinstance(value, int | float) and value in (0, 1):
        return _ONE if value else _ZERO
    return ""


def _written(literal: str, said: str) -> bool:
    if literal in ("''", '""'):
        return bool(re.search(r"(?<![\w'])''(?!')|(?<![\w\"])\"\"(?!\")", said))
    return has_number(literal, said) if literal[-1].isdigit() else literal in said


def has_number(literal: str, said: str) -> bool:
    """Tell whether a number stands in a text, as a word of its own."""
    return bool(re.search(rf"(?<![\w.#-]){re.escape(literal)}(?!\.?\w)", said))


def has_text(text: str, said: str) -> bool:
    """Tell whether one word is named; one that stands in every prose must be quoted, or be of code."""
    if len(text) > _LONGEST_NAME or len(text.split()) != 1:
        return False
    word = re.escape(text)
    if text.isascii() and text.isalpha() and text.islower():
        quoted = re.search(rf"[`'\"\u201c\u2018]{word}[`'\"\u201d\u2019]", said)
        chains = (chain.split(".") for chain in _CHAIN.findall(said))
        return bool(quoted) or any(text in one and _OF_HOSTS.isdisjoint(one) for one in chains)
    start = r"(?<!\w)" if text[0].isalnum() else r"(?<![\w./:-])"
    return bool(re.search(start + word + (r"(?!\w)" if text[-1].isalnum() else ""), said))
