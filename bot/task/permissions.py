"""Reads which tests a task lets change, or go: by words ("the test which pins exact hash values may change"),
by what it asks to remove, or by an example of what such a test expects now.

Only who may ask can allow it, in a sentence without any negation, and only for the tests that it speaks of.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import PurePosixPath

from bot.task.examples.results import Sentence
from bot.task.ties import test_name
from bot.text.markdown import read_document
from bot.text.words import Vocabulary, code_words, sentences, whole_name, words_of
from bot.values import (
    Category,
    PermittedChange,
    Requirement,
    TaskSource,
    TestComparison,
)

_LONGEST = 500
_TESTS = r"\b(?:tests?|snapshots?|expectations?|assertions?|test_\w+|\w+_test)\b"
_MAY = (
    r"\b(?:may|can|could|might|will|must|should|has to|have to|need to|needs to|is allowed to|are allowed to|"
    r"is free to|are free to|is expected to|are expected to|is going to|are going to|is to|are to)\s+"
    r"(?:(?:well|also|now|then|therefore|simply)\s+)?"
)
_CHANGE = (
    r"(?:(?:be\s+)?(?:chang|updat|adjust|adapt|rewrit|regenerat|edit|differ|fail\b|break\b)\w*"
    r"|(?:get|have|take|expect|hold|be\s+given)\s+(?:(?:an?|the)\s+)?(?:new|other|another|different|updated)\b)"
)
_GO = r"(?:be\s+)?(?:remov|delet|dropp?|skipp?|retir|go\b)\w*"
_ALLOWS = re.compile(rf"(?i){_TESTS}.{{0,400}}?{_MAY}(?P<what>{_CHANGE}|{_GO})")
_POINTS = re.compile(
    r"(?i)(?:this|that|these|those) (?:tests?|snapshots?|expectations?|assertions?)\b"
)
_POINTS_BACK = re.compile(r"(?i)\b(?:them|they|it|these|those)\b")
_REMOVES = re.compile(rf"(?i){_GO}")
_ONE_DESCRIBED = re.compile(
    r"(?i)\b(?:test|snapshot|expectation|assertion)\s+(?:(?:that|which)\b|(?:of|for|pinning|asserting|comparing)\s)"
)
_OF_EXPECTATION = re.compile(r"(?i)\b(?:expectations?|assertions?)\s+(?:that|which|of|for|about)\b")
_MANY = re.compile(r"(?i)\b(?:tests|snapshots|expectations|assertions)\b")
_OF_THESE = re.compile(
    r"(?i)\b(?:tests|expectations|assertions) (?:of|for) "
    r"(?P<what>`?[\w.$]{2,60}`?(?:(?:, | and |, and )`?[\w.$]{2,60}`?){0,5})"
    r"(?= (?:that|which|may|can|will|must|should|have|need|are)\b)"
)
_PINS = re.compile(r"(?i)\b(?:pin(?:s|ned|ning)?|hard-?coded?s?|literals?)\b")
_PINNED = re.compile(
    r"===?[ \t]{0,9}[('\"`\d\-\[{bru]{0,3}['\"`\d\[{]|['\"`\d][ \t]{0,9}===?(?!=)"
    r"|(?i:assert_?(?:equals?|eq|is)|to_?(?:be|equal|strictequal)|(?:deep|strict)_?equal|snapshot)"
)
NEGATION = re.compile(
    r"(?i)\b(?:not|no(?!-)|none|never|without|neither|nor|unless|only if|except)\b|n['\u2019]t\b"
)
_QUOTED = re.compile(r"`[^`\n]{0,200}`|\"[^\"\n]{0,200}\"")
"""What a sentence only shows: `None` negates nothing there."""
_NAMED = re.compile(
    r"`([^`\n]+)`|\b(test_\w+|\w+_test)\b|((?<![\w.-])(?:[\w.-]+/)+[\w.-]+|(?<![\w-])[\w-]+\.(?:py|[cm]?[jt]sx?)\b)"
)
_GENERIC = words_of(
    "pin pins pinned exact exactly precise old existing current previous expectation expectations assertion "
    "assertions snapshot output outputs unit regression update updated adjust adjusted adapt adapted rewrite "
    "rewritten allow allowed free remove removed delete deleted drop dropped skip skipped retire retired go "
    "break fail well also therefore simply assert asserts today behavior behaviour hold holds literal "
    "exactly itself themselves another different differ beside besides written bare form"
)


_IN_WORDS = "one two three four five six seven eight nine ten eleven twelve"
_DIGITS = {word: str(number) for number, word in enumerate(_IN_WORDS.split(), start=1)}
"""Who writes of tests that expect ten days has tests with `10` in mind."""
_FREE = re.compile(
    r"(?i)\b(?:tests?|test_\w+|snapshots?|expectations?|assertions?|messages?|wording|order|formats?|output|hash(?:es)?"
    r"|internals?|implementation|representation)\b[^.;]{0,80}?\b"
    r"(?:may|can|could|might|(?:is|are) (?:allowed|free) to)\s+(?:(?:well|also|now|then)\s+)?"
    r"(?:change|differ|vary|go|break|be\s+(?:chang|differ|adapt|adjust|updat|rewrit|remov|delet|dropp)\w*)\b"
)
_DEMANDS = re.compile(r"(?i)\b(?:must|shall|should|has to|have to|needs? to)\b")


def only_permits(sentence: str) -> bool:
    """Whether a sentence only allows something to change, and demands nothing."""
    if len(sentence) > _LONGEST or NEGATION.search(sentence) or _DEMANDS.search(sentence):
        return False
    return _FREE.search(sentence) is not None


def permitted_changes(source: TaskSource) -> Iterator[PermittedChange]:
    """The sentences of one text that allow a test to change or to go."""
    document = read_document(source.text)
    said = (*(one.text for one in document.passages), *(one.text for one in document.items))
    texts = (source.title, *said)
    for text in dict.fromkeys(texts):
        before, rows = "", list[str]()
        for one in sentences(text):
            # "`test_valid` lists what is read; this test may change"
            told = f"{before} {one.strip()}" if _POINTS.match(one.strip()) else one.strip()
            before = one.strip()
            found = _ALLOWS.search(told[:_LONGEST])
            if found and len(told) <= _LONGEST and not NEGATION.search(_QUOTED.sub(" ", told)):
                removes = _REMOVES.fullmatch(found["what"]) is not None
                meant = tuple(rows) if _POINTS_BACK.search(told) else ()
                yield PermittedChange(told, source.reference, removes, meant)
            rows += Sentence(one).codes


def speaks_of_test(permitted: PermittedChange, test: TestComparison) -> bool:
    """Whether a permission names a test or its file, or describes it by words that are all its own.

    One that describes nothing ("existing tests may change") speaks of no test in particular. "The expectation
    that `key` is given may go" speaks of tests that have lost lines with all that it writes as code. One test
    that is described ("the test that pins an exact key") is known by its own name: its file has others, too.
    """
    named = [next(filter(None, one)).strip("()") for one in _NAMED.findall(permitted.sentence)]
    spelled = [one for one in named if "test" in one.lower() and re.fullmatch(r"[\w./-]+", one)]
    if spelled:
        own = test_name(test.id)
        paths = (one.lstrip("./") for one in spelled if "/" in one or "." in one)
        return own in spelled or any(f"/{test.path}".endswith(f"/{one}") for one in paths)
    if owners := _OF_THESE.search(permitted.sentence):
        titles = [words_of(t) for one in test.id.split("::")[1:] for t in one.split(" > ")]
        named = [words for one in owners["what"].split() if (words := words_of(one))]
        # A name of Python says what it tests and how; a title that is a name, or a class, only the first.
        is_code = test.path.endswith(".py")
        return any(one <= title if is_code else one == title for one in named for title in titles)
    codes = re.findall(r"\w+", " ".join(Sentence(permitted.sentence).codes))
    if codes and _OF_EXPECTATION.search(permitted.sentence):
        kept = test.source.splitlines()
        gone = "\n".join(one for one in test.source_before.splitlines() if one not in kept)
        return all(whole_name(one).search(gone) for one in codes)
    subject = words_of(permitted.sentence) - _GENERIC
    name = Vocabulary(words_of(f"{test_name(test.id)} {test.path}"))
    code = Vocabulary(code_words(f"{test.source}\n{test.source_before}"))
    is_known = all(
        name.knows(word) or code.knows(word) or _DIGITS.get(word) in code.words for word in subject
    )
    if _ONE_DESCRIBED.search(permitted.sentence) and not _MANY.search(permitted.sentence):
        name = Vocabulary(words_of(test_name(test.id)))
        # A test that is said to pin something held something literal on base.
        before = test.source_before
        is_pin = bool(before) and _PINS.search(permitted.sentence) is not None
        is_known = is_known and (not is_pin or _PINNED.search(before) is not None)
    return bool(subject) and is_known and any(name.knows(word) for word in subject)


def lets_go(permitted: PermittedChange, test: TestComparison) -> bool:
    """Whether a permission lets a test go: in so many words, or as the row of a value that it means."""
    row = test.id.partition("[")[2].removesuffix("]")
    return row in permitted.rows or (permitted.removes and speaks_of_test(permitted, test))


def permission_for(
    permitted: Iterable[PermittedChange], test: TestComparison
) -> PermittedChange | None:
    """Return the first permission that speaks of a test."""
    return next((one for one in permitted if speaks_of_test(one, test)), None)


# --- tells whether a demand speaks plainly of what a deleted test was about -----------------------


_IDENTIFIER = re.compile(
    r"`([^`\n]{2,80})`|(?<!\w)(__\w+__|\w+(?:\.\w+)+|[a-z]+(?:_\w+)+|[a-z]+[A-Z]\w*|\w+(?=\(\)))"
)
_REMOVING = re.compile(
    r"(?i)\b(?:remov(?:e|es|ed|al|ing)|drop(?:s|ped|ping)?|delet(?:e|es|ed|ing)|get rid of|"
    r"no longer|retir(?:e|es|ed|ing)|obsolete)\b"
)


_MOVING = re.compile(
    r"(?i)\b(?:mov(?:e|es|ed|ing)|relocat\w+|extract(?:s|ed|ing)?"
    r"|in(?:to)? (?:an? |the )?(?:(?:new|own|separate|other) )?(?:module|file|package)"
    r" (?:of (?:its|their) own|`))"
)


def names_subject(requirement: Requirement, test: TestComparison) -> bool:
    """Whether the demand spells the identifier that a test is named after."""
    return any(_naming(requirement, test))


def asks_to_remove(requirement: Requirement, test: TestComparison) -> bool:
    """Whether somebody who may ask does so, in one sentence, to remove a test's subject."""
    return requirement.trust.is_asked and any(map(_REMOVING.search, _naming(requirement, test)))


def _naming(requirement: Requirement, test: TestComparison) -> Iterator[str]:
    """The sentences of a demand that spell the identifier that a test is named after."""
    is_demand = requirement.category is not Category.BASELINE
    said = _told(requirement.with_detail) if is_demand else ()
    return (one for one in said if _is_named_after(test, one))


def asks_to_remove_function(requirement: Requirement, function: str) -> bool:
    """Whether somebody who may ask does so, in one sentence, to remove a function by its name."""
    return _asks_of_function(requirement, function, _REMOVING)


def ask_to_remove(requirements: Iterable[Requirement], names: Iterable[str]) -> bool:
    """Whether those who may ask want all of some functions or files removed; of a file its name is said."""
    asked = tuple(requirements)
    bare = {PurePosixPath(name).name for name in names}
    return bool(bare) and all(
        any(asks_to_remove_function(one, name) for one in asked) for name in bare
    )


def asks_to_move_function(requirement: Requirement, function: str) -> bool:
    """Whether somebody who may ask does so, in one sentence, to put a function by its name elsewhere."""
    return _asks_of_function(requirement, function, _MOVING)


def _asks_of_function(requirement: Requirement, function: str, asked: re.Pattern[str]) -> bool:
    named = whole_name(function)
    return requirement.trust.is_asked and any(
        asked.search(sentence) and named.search(sentence)
        for sentence in _told(requirement.with_detail)
    )


_REMOVE_IT = re.compile(
    r"(?i)\s*(?:(?:so|please|let's|we (?:can|should|could)|just)[ ,]+){0,3}"
    r"(?:remove|drop|delete|retire|get rid of) (?:it|them|this|these|both|all of (?:it|them|this|these))\b"
    r"[^.;:\n]{0,40}[.!]?\s*"
)


def _told(text: str) -> Iterator[str]:
    """Yield the sentences of a text; one that only says "Delete it." with the one before."""
    before = ""
    for one in filter(str.strip, sentences(text)):
        yield f"{before} {one}" if before and _REMOVE_IT.fullmatch(one) else one
        before = one


_LEAST = 3  # letters of a name that can be looked for
_THINGS = (
    r"(?:options?|functions?|methods?|class(?:es)?|modules?|parameters?|arguments?|flags?|constants?|attributes?"
    r"|propert(?:y|ies)|helpers?|exports?|alias(?:es)?|types?|fields?|keys?|hooks?|settings?|config(?:uration)?s?"
    r"|(?:sub)?commands?)"
)
_NAMED_THING = rf"(?:`[^`\n]{{2,80}}`|[\w.-]{{2,80}}(?:\(\))?)(?:\s{_THINGS})?"
_ONLY_REMOVES = re.compile(
    r"(?i)\s*(?:\w{1,20}(?:\([^()\n]{0,40}\))?!?:\s?)?(?:remove|drop|delete|retire|get rid of)s?\s"
    rf"(?:(?:the|all|our|old|unused|obsolete|deprecated|{_THINGS})\s){{0,4}}"
    rf"(?P<what>{_NAMED_THING}(?:(?:,\s|,?\sand\s){_NAMED_THING}){{0,4}})"
    r"(?:\sfrom\s(?:(?:the|our|its)\s)?`?[\w./-]{2,60}`?)?[.!]?\s*(?:\(#\d{1,9}\))?\s*"
)
_IS_DEAD = re.compile(
    rf"(?i)\s*(?P<what>{_NAMED_THING}(?:(?:,\s|,?\sand\s){_NAMED_THING}){{0,4}})\s(?:is|are)\s(?:now\s)?"
    r"(?:dead|unused|obsolete|unreachable|superfluous|no longer (?:used|needed|called)"
    r"|not (?:used|needed|called)(?: any ?more)?)(?: code)?[.!]?\s*"
)
_SPELLED = re.compile(
    r"`(?:[\w.]*\.)?(\w+)(?:\(\))?`|`?(?<![\w-])([a-z]\w*(?:-\w+)+)(?![\w-])`?"
    r"|(?<![\w`-])(?:\w+\.)*(\w*[a-z][A-Z]\w*|\w+_\w+|(?<=\.)\w+)\b(?![`-])"
)
"""Names of code, and of commands: `import-legacy`."""


def removed_names(requirement: Requirement) -> frozenset[str]:
    """Return the identifiers that a demand wants gone, where it asks for nothing else."""
    found = _ONLY_REMOVES.fullmatch(requirement.text)
    if requirement.is_title and any(map(_REMOVE_IT.fullmatch, sentences(requirement.detail))):
        found = found or _IS_DEAD.fullmatch(requirement.text)
    named = _SPELLED.findall(found["what"]) if found else ()
    return frozenset(name for name in map("".join, named) if len(name) >= _LEAST)


def _is_named_after(test: TestComparison, sentence: str) -> bool:
    name = words_of(test_name(test.id))
    scope = words_of(" ".join(test.id.split("[", 1)[0].split("::")[1:-1]))
    for match in _IDENTIFIER.finditer(sentence):
        words = words_of(match.group(1) or match.group(2))
        if name and name & words and words <= name | scope and name <= words | scope:
            return True
    return False
