"""Says whether the inputs that a task shows stand in the code of tests.

`queue.add(fn, {timeout: 0})` cannot be made without a queue; "For `db.schema.tbl.col` it returns `'schema'`"
is no call at all. What such a text shows, a test that fails without the change should use.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator
from difflib import SequenceMatcher
from itertools import chain, combinations, islice, product

from bot.task.alternatives import prose_of
from bot.task.categories import keeps
from bot.task.examples.results import Sentence, clauses, code_sentences
from bot.task.examples.values import expression
from bot.values import Requirement

_LEAST_TEXT = 2
_LEAST_NUMBER = 10  # smaller ones stand in every test
_BY_ITSELF = 4  # characters of a text that no test has by chance
_ELSEWHERE = re.compile(
    r"\b(?:open|read_?(?:text|bytes|file)\w*|load_\w+|fixtures?|snapshots?|glob\w*|walk|listdir)\b"
    r"|parametrize\([^()]{0,200},\s{0,20}[A-Za-z_]|\beach\(\s{0,20}[A-Za-z_]"
)
"""Tests whose data stand somewhere else."""
_QUOTED = re.compile(
    r"\"((?:[^\"\\\n]|\\.){1,300})\"|'((?:[^'\\\n]|\\.){1,300})'|`((?:[^`\\]|\\.){1,300})`"
)
_INPUT = r"\0(?P<input>\d+)\0"
_BE = r"(?:should|must|has to|needs to|ought to)\s+(?:not\s+|never\s+)?be"
_JUDGED = r"(?:rejected|refused|accepted|allowed|(?:in)?valid|an? (?:\w+ )?error|parsed|read|treated|escaped)"
_SHOWN = (
    re.compile(
        rf"(?:For|Given|With|From|On)(?: the)?(?: \w+)?\s{_INPUT},?\s"
        r"(?:it|this|\0\d+\0|the \w+|\w+\(\))\s(?:\w+ly\s)?"
        r"(?:returns|gives|yields|raises|throws|prints|outputs|produces|is|becomes)\b"
    ),
    re.compile(rf"{_INPUT}\s(?:{_BE}|(?:is|gets)(?:\s\w+ly|\snot|\snow)?)\s{_JUDGED}\b"),
)
_CODE = re.compile(_INPUT)
_BEFORE = 40
_GIVES = re.compile(
    r"(?:\b(?:gives?|gave|returns?|yields?|becomes?|be|is|are|into|prints?|outputs?|produces?|instead of|not)"
    r"|[-=]>|→)\s*\Z"
)
"""What stands before a result."""
_KEPT = re.compile(
    r"(?i)\bkeeps? (?:its|their|the)\b"
    r"|` (?:is|are) still (?:no\b|not an?\b|an? (?!bug|problem|issue)\w|text\b|(?:in)?valid|refus|reject"
    r"|allow|accept)"
)
_AT_TIMES = re.compile(
    r"(?i)\b(?:with|without|when|while|if|unless|where|under|otherwise|default)\b"
)
_NAME = re.compile(r"(?!-?\d*\.\d+\Z|-\d+\Z)[\w.-]*|.*(?:[\w$ ]\(|\n).*|\(.*", re.DOTALL)
_NUMBER = re.compile(r"-?(?:\d+(?:\.\d+)?|\.\d+)")
_ALIKE = 0.7
_MOST_ALIKE = 12
_DOTTED = re.compile(r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*){2,}")
_SMALL = 2  # numbers up to it are like no other
_NO_INPUT = re.compile(
    r"[\w.-]*|[\w./*-]+\.\w{1,5}|-.*|@[\w.]+|.*\(.*|[\w.-]+(?:<.*>|\[.*\]|: .*|=.*)|.{0,2}|.{81,}"
    r"|.*(?:[=-]>|[;{}…]|\.\.\.).*|[A-Za-z_][\w.]*(?: [-+*/%] [\w.]+)* (?:[<>]=?|[=!]==?) .*"
)
"""Names of functions, files, options and types, code, and formulas: `w + b > 100`."""


def untested_input(requirement: Requirement, tests: str) -> str:
    """Return an input that a demand shows with a result and the code of `tests` does not have; or ""."""
    texts = [next(filter(None, one), "") for one in _QUOTED.findall(tests)]
    if not texts or _ELSEWHERE.search(tests):  # the tests' data may be elsewhere
        return ""
    shapes, plain = set(map(_shape, texts)), _plain(tests)
    for words in code_sentences(prose_of(requirement)):
        sentence = Sentence(words)
        if keeps(words) or words.rstrip().endswith("?"):
            continue
        for pattern in _SHOWN:
            for found in pattern.finditer(sentence.masked):
                shown = sentence.codes[int(found["input"])].strip("'\"")
                # A dotted name is data where a result that stands beside it, in quotes, is a part of it.
                parts = {f"{quote}{part}{quote}" for part in shown.split(".") for quote in "'\""}
                is_part = _DOTTED.fullmatch(shown) and not parts.isdisjoint(sentence.codes)
                is_tested = _plain(shown) in plain or _shape(shown) in shapes
                if (is_part or is_data(shown)) and not is_tested:
                    return shown
    return ""


def has_alike(shown: str, tests: str) -> bool:
    """Whether the code of `tests` has a text with the signs of one that a demand shows: `sub/*` for `a/*`."""
    shape = _shape(shown)
    texts = (next(filter(None, one), "") for one in _QUOTED.findall(tests))
    return re.fullmatch(r"[\w.\s-]*", shown) is None and any(_shape(one) == shape for one in texts)


def is_data(shown: str) -> bool:
    """Whether code of a text is an input, and neither a name nor a piece of code."""
    return _NO_INPUT.fullmatch(shown) is None


def alike(requirement: Requirement) -> tuple[tuple[str, str], ...]:
    """Return the pairs of a demand's inputs that look like each other: one may stand in the other's place.

    Names, code, what stays as it is and what is said to come out are none.
    """
    return tuple(pair for pair in combinations(_demanded(requirement), 2) if _look_alike(*pair))


def like_shown(requirement: Requirement) -> tuple[tuple[str, str], ...]:
    """Return what the calls of a demand are given, each text with inputs that look like it and stand alone.

    "`match('/a', '/**/b')` is wrong. That goes for `/**/b/**`": whether each of these shows it with the rest
    of the call as it is, nobody says.
    """
    shown = dict.fromkeys(chain.from_iterable(map(_in_calls, _changing(requirement))))
    inputs = _demanded(requirement)
    pairs = product(islice((one for one in shown if one not in inputs), _MOST_ALIKE), inputs)
    return tuple(pair for pair in pairs if _look_alike(*pair))


_SAME = re.compile(
    r"`([^`\n]{1,80})` (?:means|stands for|is (?:the same as|equivalent to|short(?:hand)? for|read as))"
    r" `([^`\n]{1,80})`"
)


def same_inputs(requirement: Requirement) -> tuple[tuple[str, str], ...]:
    """Return the inputs that a demand takes for the same: "`^0.2.3` means `>=0.2.3 <0.3.0`"."""
    found = _SAME.findall(" ".join(prose_of(requirement).split()))
    return tuple(pair for pair in found if not any("(" in one for one in pair))


def _demanded(requirement: Requirement) -> tuple[str, ...]:
    found = dict.fromkeys(chain.from_iterable(map(_given, _changing(requirement))))
    return tuple(islice(found, _MOST_ALIKE))


def _changing(requirement: Requirement) -> list[str]:
    return [one for one in code_sentences(prose_of(requirement)) if not _stays(one)]


def kept_beside(asked: Iterable[Requirement]) -> tuple[tuple[str, str], ...]:
    """Return inputs of what is asked, each with one that looks like it and is to stay as it is, always."""
    known = tuple(asked)
    kept = kept_inputs(known)
    inputs = dict.fromkeys(
        chain.from_iterable(map(_given, chain.from_iterable(map(_changing, known))))
    )
    pairs = product(islice(inputs, _MOST_ALIKE), kept)
    return tuple(pair for pair in pairs if pair[0] not in kept and _look_alike(*pair))


def kept_inputs(asked: Iterable[Requirement]) -> tuple[str, ...]:
    """Return the inputs of which a clause says, without a condition, that they are to stay as they are."""
    said = chain.from_iterable(code_sentences(prose_of(one)) for one in asked)
    parts = (part for words in said if _stays(words) for part in clauses(words))
    always = (part for part in parts if not _AT_TIMES.search(part))
    return tuple(islice(dict.fromkeys(chain.from_iterable(map(_given, always))), _MOST_ALIKE))


def _stays(words: str) -> bool:
    return keeps(words) or _KEPT.search(words) is not None


def _given(words: str) -> Iterator[str]:
    """Yield the texts that a sentence has as code, but for names and what is said to come out."""
    sentence = Sentence(words)
    for match in _CODE.finditer(sentence.masked):
        shown = sentence.codes[int(match["input"])].strip("'\"")
        is_result = _GIVES.search(sentence.masked[: match.start()][-_BEFORE:])
        if not is_result and _is_input(shown):
            yield shown


def _in_calls(words: str) -> Iterator[str]:
    """Yield the texts that the calls of a sentence are given."""
    for code in Sentence(words).codes:
        node = expression(code)
        for one in ast.walk(node) if isinstance(node, ast.Call) else ():
            text = one.value if isinstance(one, ast.Constant) else None
            if isinstance(text, str) and _is_input(text):
                yield text


def _is_input(text: str) -> bool:
    return len(text) >= _LEAST_TEXT and not _NAME.fullmatch(text)


def _look_alike(one: str, other: str) -> bool:
    if not any(letter.isalnum() for letter in one + other):
        return set(one) == set(other)
    if _NUMBER.fullmatch(one) and _NUMBER.fullmatch(other):
        return True
    return SequenceMatcher(None, one, other, autojunk=False).ratio() >= _ALIKE


def _shape(text: str) -> str:
    return re.sub(r"\w+", "w", text.strip())


def _plain(code: str) -> str:
    """Code without white space, and with one kind of quotes."""
    return re.sub(r"['`]", '"', re.sub(r"\s+", "", code))


def stands_in(call: str, tests: str) -> bool | None:
    """Whether the values that a call is made with stand in the code of tests; None where nobody can tell."""
    node = expression(call)
    if not isinstance(node, ast.Call) or _ELSEWHERE.search(tests):
        return None
    found = list(_atoms(node))
    telling = [pattern for pattern, is_telling in found if is_telling]
    code = _plain(tests)
    if not telling:
        return True if found and all(re.search(one, code) for one, _ in found) else None
    return all(re.search(one, code) for one in telling)


def needs_more(call: str) -> bool:
    """Whether a call is one of an object, or is given a variable: by itself it cannot be made."""
    node = expression(call)
    if not isinstance(node, ast.Call):
        return False
    given = [*node.args, *(one.value for one in node.keywords)]
    return isinstance(node.func, ast.Attribute) or any(isinstance(one, ast.Name) for one in given)


def _atoms(node: ast.AST) -> Iterator[tuple[str, bool]]:
    """A pattern for each value in a call, and whether few tests have it by chance."""
    if isinstance(node, ast.Call):
        for one in node.args:
            yield from _atoms(one)
        for keyword in node.keywords:
            yield from _pair(keyword.arg or "", keyword.value)
    elif isinstance(node, ast.Dict):
        for key, value in zip(node.keys, node.values, strict=True):
            named = key.id if isinstance(key, ast.Name) else getattr(key, "value", "")
            yield from _pair(str(named), value)
    elif isinstance(node, ast.List | ast.Tuple | ast.Set):
        for one in node.elts:
            yield from _atoms(one)
    elif written := _written(node):
        plain = node.value if isinstance(node, ast.Constant) else None
        if isinstance(plain, str):
            is_telling = len(plain.strip()) >= _LEAST_TEXT
            yield (written if len(plain) >= _BY_ITSELF else f'"{written}"'), is_telling
        else:
            is_small = isinstance(plain, int) and abs(plain) < _LEAST_NUMBER
            yield written, (plain is not None and not is_small) or isinstance(node, ast.BinOp)


def _pair(name: str, value: ast.expr) -> Iterator[tuple[str, bool]]:
    written = _written(value)
    if not written or not name:
        yield from _atoms(value)
    else:
        quote = '"?' if isinstance(value, ast.Constant) and isinstance(value.value, str) else ""
        number = value.value if isinstance(value, ast.Constant) else None
        if isinstance(number, int | float) and number > _SMALL:
            written = r"\d"  # one of many: `{ max: 10 }`
        yield rf'(?<!\w)"?{re.escape(name)}"?[:=]{quote}{written}', True


def _written(node: ast.AST) -> str:
    """A plain value as a pattern of how it is written; "" for what is none."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        text = node.value
        spelled = {_plain(one) for one in (text, repr(text)[1:-1], text.replace("\\", "\\\\"))}
        return f"(?:{'|'.join(map(re.escape, sorted(spelled)))})"
    if isinstance(node, ast.Constant) and node.value is not None:
        shown = str(node.value)
        both = f"(?:{shown}|{shown.lower()})"
        return rf"(?<![\w.]){both if isinstance(node.value, bool) else re.escape(shown)}(?![\w.])"
    is_sum = isinstance(node, ast.UnaryOp | ast.BinOp)
    if is_sum and not any(isinstance(one, ast.Name | ast.Call) for one in ast.walk(node)):
        return rf"(?<![\w.]){re.escape(_plain(ast.unparse(node)))}(?![\w.])"
    return ""
