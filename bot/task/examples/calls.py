"""Reads the calls that a task's sentences show with what they give, so that they can be made on both sides.

"`split(10, 0)` should raise `ValueError`", "`split(0, 3)` must still return `[0, 0, 0]`", "`mean([1, 2])`
returns `1` instead of `1.5`"; blocks of code are read by `blocks.py`. Only what others than the author
wrote counts. What cannot be read is left alone.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator
from dataclasses import replace

from bot.task.examples.blocks import examples_in, is_actual
from bot.task.examples.results import Sentence, code_sentences, plain_call, spellings
from bot.task.examples.spoken import spoken_of
from bot.task.examples.values import expression, read_value
from bot.task.inputs import is_data
from bot.task.sections import SectionKind, section_kind
from bot.text.markdown import Paragraph, read_document
from bot.values import Example, ExampleKind, ShownResult, TaskSource, UnreadExample, WhyUnread

MOST_EXAMPLES = 40
MOST_SHOWN = 100
_LEAST_MESSAGE = 4
_LEFT_OUT = re.compile(r"\.\.\.|\u2026|[<{%]\w|\bsomething\b")

_CALL = r"\0(?P<call>\d+)\0"
_RESULT = (
    r"(?:(?:back|(?:the|an?)\s+\w+)\s+)?"
    r"(?:\0(?P<result>\d+)\0|(?P<plain>\"[^\"\0]*\"|'[^'\0]*'|-?\d+(?:\.\d+)?(?!\w|\.\w)"
    r"|True\b|False\b|None\b|true\b|false\b|null\b|undefined\b))(?!\s+or\b)"
)
_ERROR = r"(?:an?\s+|the\s+)?(?:\0(?P<error>\d+)\0|(?P<bare>[A-Z]\w*(?:Error|Exception))\b)"
_GIVES = (
    r"(?:(?:is\s+)?(?:giv|return|yield|print|output)(?:es?|s|ing)?|be equal to|(?:be|is)(?:\s+still)?|equals?"
    r"|becomes?|produces?|evaluates? to|results? in|stays?|remains?|reads?|renders? as)"
)
_MESSAGE = (
    r"with\s+(?:(?:the|an?)\s+)?(?:exact\s+)?"
    r"(?:(?:(?:error\s+)?(?:message|text|words)\s+|error\s+)?[\"\u201c](?P<{plain}>[^\"\u201c\u201d\0]{{4,200}})[\"\u201d]"
    r"|(?:error\s+)?(?:message|text)\s+\0(?P<{code}>\d+)\0)"
)
_SAYING = _MESSAGE.format(plain="message", code="message_code")
_ERROR_SAYING = _MESSAGE.format(plain="error_message", code="error_message_code")
_RAISES = r"(?:raise(?:s|ing)?|throw(?:s|ing)?|fails? with|(?:be|is) (?:refused|rejected) with)"
_GIVEN = (
    rf"(?:(?P<verb>{_GIVES})\s+{_RESULT}|{_RAISES}\s+{_ERROR}(?:,?\s+{_ERROR_SAYING})?"
    rf"|(?:fails?|throws?|raises?)(?:\s+an\s+(?:error|exception))?\s+{_SAYING})"
)
_MUST = r"(?:should|must|shall|has to|have to|needs to|ought to|is (?:expected|supposed) to)"
_STILL = r"(?P<still>(?:still|continues? to|keeps?(?: on)?)\s+)?"
_PLAINLY = r"(?:(?:now|then|always|instead|rather|also|too|just|simply)\s+)*"
_EXPECTED = re.compile(
    rf"{_CALL}(?P<between>[^\0]{{0,40}}?)\b{_MUST}\s+{_PLAINLY}{_STILL}{_PLAINLY}{_GIVEN}"
)
_TO_BE = re.compile(
    rf"\b[Ee]xpect(?:ed|ing)?\s+(?:that\s+)?{_CALL}\s+to\s+{_PLAINLY}{_STILL}{_PLAINLY}{_GIVEN}"
)
_INPUT_GIVES = re.compile(rf"{_CALL}\s+{_MUST}\s+{_PLAINLY}{_GIVEN}")
_MARKUP = re.compile(r"<[a-z!/?][^<>]*>.*", re.DOTALL)
_FUNCTION = re.compile(r"([A-Za-z_][\w.]*)\(")
_LABEL = re.compile(r"\W{0,4}(?:(?P<right>[Ee]xpected)|[Aa]ctual(?:ly)?)(?: \w+){0,2}\s?:")
_STAYS = re.compile(rf"{_CALL}\s+(?P<verb>stays|remains)\s+{_RESULT}")
_WORKS = re.compile(
    rf"{_CALL}\s+{_MUST}\s+"
    r"(?:still|continue to|keep(?: on)?)\s+work(?:ing)?\b"
)
_HOLDS = re.compile(
    rf"{_CALL}\s+{_MUST}\s+{_PLAINLY}{_STILL}(?:hold|pass|succeed|be (?:true|True|\0\d+\0))(?!\w)"
)
_WRONG = re.compile(
    rf"{_CALL}\s+(?:still\s+)?(?P<now>(?:currently|now|today|actually|wrongly|incorrectly)\s+)?{_GIVEN}"
    r"(?P<after>\s+(?:today|currently|at the moment|right now|instead(?! of))\b)?"
)
_INSTEAD = re.compile(
    rf",?\s+(?:instead of|rather than|but\s+(?:it\s+)?{_MUST}\s+{_PLAINLY}{_GIVES})\s+"
    r"\0(?P<result>\d+)\0"
)
_LISTED = re.compile(
    rf"{_CALL}\s+{_PLAINLY}{_STILL}(?:{_GIVEN}|(?:===?|=>|->|→|⇒|=)\s*\0(?P<shown>\d+)\0)"
)
_TELLS_OF_NOW = re.compile(
    r"(?i)\b(?:today|currently|now|at the moment|so far|as of|wrong\w*|incorrect\w*|broken|bugs?|but|instead"
    r"|rather|th(?:ough|an)|although|however|yet|expected|should|must|shall|has to|have to|needs? to|ought)\b"
)
"""What a demand has that says beside what a call gives what it ought to give: "`f(1)` is 2, should be 3"."""
_FIRST = re.compile(r"\W{0,4}\0(?P<call>\d+)\0")
_IT = re.compile(r"^(?:It|This|That)\b")
_KEEPING = re.compile(r"still|stay|remain")
_CONDITION_BETWEEN = re.compile(
    r"\b(?:twice|again|after|when|with|without|if|unless|while|once|until|on|in|under|not|never)\b"
)
_CONDITION_AFTER = re.compile(
    r"[,\s]*(?:when|if|unless|under|with|without|after|only|until|while|where|once|on|"
    r"in(?!\s+(?:this|that|all|every|any|both)\b))\b"
)
_CONDITION_BEFORE = re.compile(
    r"\W*(?:(?:under|unless|once|on)\b|in (?!this|that|other|particular|general|short)|"
    r"(?:with|after) (?!this|that|the (?:fix|change))|"
    r"(?:when|if) (?!I\b|you\b|we\b|one\b|call|running|using))|"
    r".{0,200}?\b(?:don't|do not|doesn't|does not|not sure|why|whether|maybe|perhaps|unclear)\b",
    re.IGNORECASE,
)
_NEGATED = re.compile(r"(?:n't|\bnot|\bnever) (?:really |necessarily )?$")
_ALLOWED = (
    ast.Expression, ast.Call, ast.Attribute, ast.Name, ast.Load, ast.Constant, ast.keyword, ast.List,
    ast.Tuple, ast.Set, ast.Dict, ast.UnaryOp, ast.USub, ast.UAdd, ast.BinOp, ast.Add, ast.Sub,
    ast.Mult, ast.Div, ast.Pow, ast.Subscript, ast.Slice,
)  # fmt: skip


def examples_of(source: TaskSource, demands: Iterable[str]) -> Iterator[Example | UnreadExample]:
    """What one text shows; in its `demands` a call that "returns" something must do so."""
    found: list[Example | UnreadExample] = []
    document = read_document(source.text)
    passages = [
        one
        for one in (Paragraph(source.title, ()), *document.passages)
        if section_kind(one.headings) is not SectionKind.WISHES
    ]
    for number, passage in enumerate(dict.fromkeys(passages), start=1):
        before = ""
        for words in code_sentences(passage.text):
            sentence = Sentence(words)
            if len(sentence.codes) <= 1 and before and _IT.match(words):
                sentence = Sentence(f"`{before}`{words[words.find(' ') :]}")
            found += _in_sentence(sentence, source.reference)
            before = next((code for code in sentence.codes if _call(code)), before)
        found += _in_section(passage, source.reference, number)
    for number, block in enumerate(document.blocks, start=len(passages) + 1):
        if section_kind(block.headings) is not SectionKind.WISHES:
            found += examples_in(block, source.reference, number)
    for text in dict.fromkeys(demands):
        sentence = Sentence(text)
        if not _TELLS_OF_NOW.search(sentence.masked):
            found += _listed(sentence, ExampleKind.EXPECTED, source.reference)
    wished = [one for one in found if isinstance(one, Example) and one.kind is ExampleKind.EXPECTED]
    for one in found:
        if isinstance(one, Example) and one.kind is ExampleKind.REPORTED:
            is_contrast = any(_is_longer(other, one) for other in wished)
            yield replace(one, kind=ExampleKind.SHOWN) if is_contrast else one
        else:
            yield one
    yield from _of_the_one_function(source)
    known = {one.call for one in found if isinstance(one, Example)}
    yield from spoken_of(source, known, _call)


def _of_the_one_function(source: TaskSource) -> Iterator[Example]:
    """What inputs are said to give, "`<b>x` should give `'x'`", of the only function that a text names.

    That it is called with them is our reading: such an example is merely shown.
    """
    passages = read_document(source.text).passages
    texts = (one.text for one in passages if section_kind(one.headings) is not SectionKind.WISHES)
    said = [Sentence(one) for text in (source.title, *texts) for one in code_sentences(text)]
    named = {match[1] for one in said for code in one.codes if (match := _FUNCTION.match(code))}
    if len(named) != 1:
        return
    function = named.pop()
    for sentence in said:
        for found in _INPUT_GIVES.finditer(sentence.masked):
            given = _argument(sentence.codes[int(found["call"])])
            result = _result(sentence, found)
            if given and result and _is_value(result) and not _is_conditional(sentence, found):
                call, told = f"{function}({given})", spellings(result)
                yield Example(ExampleKind.SHOWN, call, told, "", call, result, source.reference)


def _argument(shown: str) -> str:
    """An input of a text as an argument: a literal as it stands, and what is no code as a string; or ""."""
    if _FUNCTION.match(shown):
        return ""
    if read_value(shown) is not None:
        return shown
    return repr(shown) if is_data(shown) or _MARKUP.fullmatch(shown) else ""


def _is_longer(wished: Example, now: Example) -> bool:
    """Whether a call is wished for that another one, which is shown as it is, becomes by a new argument."""
    longer, call = expression(wished.said_call), expression(now.said_call)
    if not isinstance(longer, ast.Call) or not isinstance(call, ast.Call):
        return False
    given, had = (
        [ast.dump(part) for part in (one.func, *one.args, *one.keywords)] for one in (longer, call)
    )
    return len(given) > len(had) and given[: len(had)] == had


def shown_results(source: TaskSource) -> Iterator[ShownResult]:
    """The calls with literal arguments that should give a result, for comparison with what a test asks."""
    document = read_document(source.text)
    texts = (source.title, *(one.text for one in document.passages))
    for text in dict.fromkeys(texts):
        for words in code_sentences(text):
            sentence = Sentence(words)
            for found in _EXPECTED.finditer(sentence.masked):
                said_call, result = sentence.codes[int(found["call"])], _result(sentence, found)
                call = plain_call(expression(said_call))
                if call and result:
                    spelled = spellings(result)
                    yield ShownResult(call, spelled, said_call, result, source.reference)


def _in_section(passage: Paragraph, origin: str, group: int) -> Iterator[Example | UnreadExample]:
    """What is said plainly after a label or under a heading that says how things should be, or are."""
    innermost = passage.headings[-1:]
    is_wrong = bool(innermost) and is_actual(innermost[0])
    is_right = not is_wrong and section_kind(innermost) is SectionKind.DEMANDS
    for words in code_sentences(passage.text):
        label = _LABEL.match(words)
        if label["right"] if label else is_right:
            yield from _listed(Sentence(words), ExampleKind.EXPECTED, origin)
        elif label or is_wrong:
            for one in _listed(Sentence(words), ExampleKind.REPORTED, origin):
                yield replace(one, group=group) if isinstance(one, Example) else one


def _listed(
    sentence: Sentence, kind: ExampleKind, origin: str
) -> Iterator[Example | UnreadExample]:
    for found in _LISTED.finditer(sentence.masked):
        is_kept = kind is ExampleKind.EXPECTED and _is_keeping(found)
        yield from _example(sentence, ExampleKind.KEPT if is_kept else kind, found, origin)
    first = _FIRST.match(sentence.masked)
    if first and kind is ExampleKind.EXPECTED:
        yield from _equality(sentence, kind, first, origin)


def _in_sentence(sentence: Sentence, origin: str) -> Iterator[Example | UnreadExample]:
    for pattern in (_EXPECTED, _TO_BE):
        for found in pattern.finditer(sentence.masked):
            kind = ExampleKind.KEPT if _is_keeping(found) else ExampleKind.EXPECTED
            yield from _example(sentence, kind, found, origin)
    for found in _STAYS.finditer(sentence.masked):
        yield from _example(sentence, ExampleKind.KEPT, found, origin)
    for found in _WORKS.finditer(sentence.masked):
        said_call = sentence.codes[int(found["call"])]
        call = _call(said_call)
        if call and _is_conditional(sentence, found):
            yield UnreadExample(sentence.said, WhyUnread.CONDITIONAL, origin)
        elif call:
            yield Example(ExampleKind.KEPT, call, (), "", said_call, "", origin)
    for found in _HOLDS.finditer(sentence.masked):
        kind = ExampleKind.KEPT if found["still"] else ExampleKind.EXPECTED
        yield from _equality(sentence, kind, found, origin)
    for found in _WRONG.finditer(sentence.masked):
        instead = _INSTEAD.match(sentence.masked, found.end())
        if not (found["now"] or found["after"] or instead):
            continue
        wrong = list(_example(sentence, ExampleKind.REPORTED, found, origin))
        yield from wrong
        for one in wrong if instead else ():
            result = sentence.codes[int(instead["result"])] if instead else ""
            if isinstance(one, Example) and _is_value(result):
                right = replace(one, results=spellings(result), error="", said_result=result)
                yield replace(right, kind=ExampleKind.EXPECTED)


def _is_keeping(found: re.Match[str]) -> bool:
    return bool(found["still"] or _KEEPING.search(found["verb"] or ""))


def _example(
    sentence: Sentence, kind: ExampleKind, found: re.Match[str], origin: str
) -> Iterator[Example | UnreadExample]:
    """What a match says; nothing where its call or result cannot be made."""
    said_call = sentence.codes[int(found["call"])]
    call, groups = _call(said_call), found.groupdict()
    error = groups.get("bare") or ""
    if number := groups.get("error"):
        error = sentence.codes[int(number)].removesuffix("()")
    result = _result(sentence, found)
    # The message that an error must have, as it is quoted; one with something left out is none.
    quoted = groups.get("message_code") or groups.get("error_message_code")
    message = groups.get("message") or groups.get("error_message") or ""
    message = sentence.codes[int(quoted)].strip("'\"") if quoted else message
    message = "" if _LEFT_OUT.search(message) or len(message) < _LEAST_MESSAGE else message
    is_error = bool(error) and re.fullmatch(r"[\w.]{1,80}", error) is not None
    is_printed = re.match(r"print|output|render|read", groups.get("verb") or "") is not None
    is_result = bool(result) and _is_value(result) and not is_printed
    if not call or not (is_error or is_result or (message and not error)):
        return
    if _is_conditional(sentence, found):
        yield UnreadExample(sentence.said, WhyUnread.CONDITIONAL, origin)
    elif error or message:
        shown = Example(kind, call, (), error.rpartition(".")[2], said_call, error, origin)
        yield replace(shown, said_result=error or message, message=message)
    else:
        yield Example(kind, call, spellings(result), "", said_call, result, origin)


def _result(sentence: Sentence, found: re.Match[str]) -> str:
    groups = found.groupdict()
    number = groups.get("result") or groups.get("shown")
    return sentence.codes[int(number)] if number else groups.get("plain") or ""


def _equality(
    sentence: Sentence, kind: ExampleKind, found: re.Match[str], origin: str
) -> Iterator[Example]:
    """`f(1) == 2` as the call and its result."""
    said = sentence.codes[int(found["call"])]
    left, _, right = said.replace("===", "==").partition(" == ")
    is_plain = right and "==" not in right and _call(left) and read_value(right) is not None
    if is_plain and not _is_conditional(sentence, found):
        left, right = left.strip(), right.strip()
        yield Example(kind, _call(left), spellings(right), "", left, right, origin)


def _is_conditional(sentence: Sentence, found: re.Match[str]) -> bool:
    """Whether it is said of some circumstances only, doubted, or asked."""
    masked = sentence.masked
    between = found.groupdict().get("between") or ""
    return bool(
        _CONDITION_BETWEEN.search(between)
        or _CONDITION_AFTER.match(masked, found.end())
        or _CONDITION_BEFORE.match(masked[: found.start()])
        or _NEGATED.search(masked[: found.start()])
        or masked.rstrip().endswith("?")
    )


def _is_value(text: str) -> bool:
    """Whether a result could be what code gives: a literal, or one word that may be meant as a string."""
    node = expression(text)
    if node is None or isinstance(node, ast.Name):
        return bool(re.fullmatch(r"\S{1,80}", text))
    if any(isinstance(one, ast.Call) for one in ast.walk(node)):
        return False
    return read_value(text) is not None or read_value(text, is_script=True) is not None


def _call(text: str) -> str:
    """A call of the project as an expression that only calls and builds values; "" for another."""
    node = expression(text)
    if not isinstance(node, ast.Call) or not all(isinstance(n, _ALLOWED) for n in ast.walk(node)):
        return ""
    attributes = [n.attr for n in ast.walk(node) if isinstance(n, ast.Attribute)]
    names = [n.id for n in ast.walk(node) if isinstance(n, ast.Name)]
    if not names or any(one.startswith("_") for one in (*attributes, *names)):
        return ""
    return ast.unparse(node)
