"""Ties a requirement to the tests that speak for it: by explicit mention, or by shared telling words.

A word tells much when few tests at hand use it and no other requirement of the task shares it. Digits, the
ids of parametrized cases, and words that any test may use tie nothing.
A tie says why it was made, so that a doubting reader can check it.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from bot.task.code_names import CODE_SPAN, code_named, spelled_code
from bot.task.sections import SIGNATURE
from bot.text.words import Vocabulary, code_words, joined_words, words_of
from bot.values import Requirement, TestChange, TestComparison

THRESHOLD = 0.4
"""Chosen on merged pull requests of four projects; see tests/bot/task/test_ties.py."""
MAX_TESTS = 3000  # of those that could speak for something; the proofs come first
MIN_COVERAGE = 0.2  # share of the requirement's own words that a test has to meet
_SEVERAL_NAMES = 3
_HALF = 0.5
CODE_WEIGHT = 0.6  # a word in the code of a test tells less than one in its name or docstring
_TITLED = re.compile(r"\.[cm]?[jt]sx?$")  # files whose tests have titles, not names
_DIGITS = re.compile(r"(?<![\w#])\d[\d_]*(?!\w)")
_UNTOLD = re.compile(rf"{_DIGITS.pattern}|(?i:\b[a-z]+n['\u2019]t\b)")  # "don" is a rare word
_MANY_DIGITS = re.compile(r"(?<!\w)(?!0(?!\d))\d[\d_]*(?!\w)")  # 0 may stand for "zero"
_CASE_IDS = re.compile(
    r"\bids?\s{0,8}=\s{0,8}(?:\[[^\]]{0,2000}\]|\([^)]{0,2000}\)|\"[^\"\n]{0,300}\"|'[^'\n]{0,300}')"
)
_BODY = re.compile(r"^[ \t]*(?:async[ \t]+)?def[ \t]", re.MULTILINE)
_GENERIC = words_of(
    "number numbers string text list item entry object element type kind thing way data input output name "
    "call caller user default argument option message error exception raise accept give take set add read "
    "write show handle contain include one two first last same different right wrong good bad valid invalid"
)
_OF_PLACES = words_of("issue bug gh pr case regression")
_DEFAULTED = re.compile(r"([A-Za-z_]\w{0,60})\s?(?::[^=,]{1,60})?=")
_FUNCTION = re.compile(r"`(?:\w+\.)*([A-Za-z_]\w{3,60})[(`]")
_GENERIC_NAME = re.compile(r"^(?:test|tests|test_?it|test_?main|test_?\d+)$")


@dataclass(frozen=True, slots=True)
class Tie:
    """One requirement tied to one test. `score` is 0 to 1, 1 for an explicit mention; `why` a clause.

    `by_example` says that the test expects, perhaps among other things, what the task shows. `of_name` is the
    share of what the test's own name says that the requirement speaks of, 0 to 1; 1 where it names the test.
    """

    requirement_id: str
    test_id: str
    score: float
    why: str
    explicit: bool = False
    by_example: bool = False
    of_name: float = 0.0


@dataclass(frozen=True, slots=True)
class _TestWords:
    name: Vocabulary
    code: Vocabulary


@dataclass(frozen=True, slots=True)
class _Demand:
    requirement: Requirement
    words: frozenset[str]
    said: Vocabulary  # with all that is said around it


def tie_tests(
    requirements: Sequence[Requirement],
    tests: Sequence[TestComparison],
    corpus: Sequence[TestComparison],
) -> tuple[Tie, ...]:
    """Every tie at or over the threshold between `requirements` and `tests`.

    `corpus` are all tests at hand; they say which words are common. With several requirements a test
    is tied by words only to those that it fits about as well as its best one.
    """
    demands = [_demand(requirement) for requirement in requirements]
    own, given = _own_code(requirements), _own_parameters(requirements)
    scale = _Scale(demands, corpus)
    ties: list[Tie] = []
    for test in tests[:MAX_TESTS]:
        explicit: list[Tie] = []
        for demand in demands:
            if why := mention(demand.requirement, test, requirements):
                is_named = _names_test(demand.requirement, test)
                of_name = 1.0 if is_named else scale.share_of_bare_name(test, demand.said)
                explicit.append(
                    Tie(demand.requirement.id, test.id, 1.0, why, explicit=True, of_name=of_name)
                )
        if explicit:
            ties += explicit
            continue
        after = [*_named_after(test, own), *_given(test, given)]
        known = {one.requirement_id for one in after}
        similar = _similar_ties(test, demands, scale)
        ties += (*after, *(one for one in similar if one.requirement_id not in known))
    return (*ties, *_ties_of_what_is_left(demands, tests[:MAX_TESTS], scale, ties))


def _own_code(requirements: Sequence[Requirement]) -> dict[str, str]:
    """Return what may be a function's name and one demand of several has as code, each with its id."""
    named = [(name, one.id) for one in requirements for name in set(_FUNCTION.findall(one.text))]
    counts = Counter(name for name, _ in named)
    several = len(requirements) > 1
    return {name: id_ for name, id_ in named if several and counts[name] == 1}


def _own_parameters(requirements: Sequence[Requirement]) -> dict[str, tuple[str, frozenset[str]]]:
    """Return by id of a demand that begins with a signature its function, and what only this one may give it.

    These are the parameters with a default: they are mostly what is new.
    """
    found: dict[str, tuple[str, frozenset[str]]] = {}
    for one in requirements if len(requirements) > 1 else ():
        if signature := SIGNATURE.match(one.text):
            names = frozenset(_DEFAULTED.findall(signature["given"]))
            found[one.id] = signature["name"], names
    counts = Counter((function, name) for function, names in found.values() for name in names)
    return {
        id_: (function, frozenset(name for name in names if counts[function, name] == 1))
        for id_, (function, names) in found.items()
    }


def _given(test: TestComparison, given: dict[str, tuple[str, frozenset[str]]]) -> Iterator[Tie]:
    """Yield a tie to the demand whose function a test calls, with what only that one is to take."""
    for id_, (function, names) in given.items():
        if re.search(rf"(?<![\w$]){re.escape(function)}\(", test.source):
            own = sorted(n for n in names if re.search(rf"(?<![\w$]){n}\s?[=:]", test.source))
            if own:
                why = f"it calls `{function}` with `{own[0]}`"
                yield Tie(id_, test.id, 1.0, why, of_name=1.0)


def _named_after(test: TestComparison, own: dict[str, str]) -> Iterator[Tie]:
    """Yield a tie to the one demand whose function a test calls and is named after."""
    told = test_name(test.id)  # a name, or a title
    named = [
        name
        for name in own
        if re.search(rf"(?<![^\W_]){name}(?![^\W_])", told)
        and re.search(rf"(?<!\w){name}\(", test.source)
    ]
    for name in named:
        id_ = own[name]
        if not any(name != one and name in one for one in named):  # `load` of `load_all`
            yield Tie(id_, test.id, 1.0, f"it is named after `{name}`, which it calls", of_name=1.0)


def _similar_ties(test: TestComparison, demands: Sequence[_Demand], scale: _Scale) -> list[Tie]:
    words = _words_of_test(test)
    scored = [(scale.score(demand, words), demand) for demand in demands]
    best = max((score for (score, _), _ in scored), default=0.0)
    ties = [
        Tie(
            demand.requirement.id,
            test.id,
            round(score, 2),
            f"matched on: {_listed(demand.requirement.text, shared)}",
            of_name=scale.share_of_bare_name(test, demand.said),
        )
        for (score, shared), demand in scored
        if score >= max(THRESHOLD, best * scale.margin)
    ]
    known = {one.requirement_id for one in ties}
    # Of a long demand a test meets a few words: one that is named by these is about nothing else.
    for demand in demands if len(demands) > 1 else ():
        if demand.requirement.id not in known and (named := scale.names_alone(test, demand)):
            why = f"its name is of: {_listed(demand.requirement.text, named)}"
            ties.append(Tie(demand.requirement.id, test.id, THRESHOLD, why, of_name=1.0))
    if ties or len(demands) != 1:
        return ties
    # A title may be a topic only: what is asked stands as code in its text.
    (demand,) = demands
    met = sorted(
        one
        for one in spelled_code(demand.requirement)
        if re.search(rf"(?<![^\W_]){re.escape(one)}(?![^\W_])", test_name(test.id))
    )
    of_name = scale.share_of_bare_name(test, demand.said)
    why = f"matched on: {', '.join(met)}"
    return [Tie(demand.requirement.id, test.id, THRESHOLD, why, of_name=of_name)] if met else []


def _ties_of_what_is_left(
    demands: Sequence[_Demand], tests: Sequence[TestComparison], scale: _Scale, ties: Sequence[Tie]
) -> Iterator[Tie]:
    """Yield ties that no score gives: of several demands a long one shares few of its words with any test.

    A test is of the only demand that speaks of half of its name. A demand that nothing else shows is shown by
    a test that uses all of its names, three at least; which of them must do what, the damage shows.
    """
    tied_tests = {one.test_id for one in ties}
    tied_demands = {one.requirement_id for one in ties}
    changed = [one for one in tests if one.change is TestChange.FAIL_TO_PASS]
    for test in changed if len(demands) > 1 else ():
        own = {} if test.id in tied_tests else scale.own_words(test, demands)
        for demand in demands:
            names = code_named(demand.requirement.text)
            words, of_name = own.get(demand, ()), scale.share_of_bare_name(test, demand.said)
            if len(own) == 1 and words and of_name >= _HALF:
                why = f"only it speaks of: {_listed(demand.requirement.text, words)}"
                yield Tie(demand.requirement.id, test.id, THRESHOLD, why, of_name=of_name)
            elif (
                demand.requirement.id not in tied_demands
                and len(names) >= _SEVERAL_NAMES
                and all(re.search(rf"(?<!\w){re.escape(one)}(?!\w)", test.source) for one in names)
            ):
                why = f"it uses {', '.join(f'`{name}`' for name in sorted(names)[:5])}"
                yield Tie(demand.requirement.id, test.id, THRESHOLD, why, of_name=of_name)


def _demand(requirement: Requirement) -> _Demand:
    words = words_of(_UNTOLD.sub(" ", requirement.text))
    detail = words_of(_UNTOLD.sub(" ", requirement.detail))
    return _Demand(requirement, words, Vocabulary(words | detail))


class _Scale:
    """How much each word tells, given the tests and the demands of one task."""

    margin = 0.85

    def __init__(self, demands: Sequence[_Demand], corpus: Sequence[TestComparison]) -> None:
        functions = {(t.path, test_name(t.id)): t for t in corpus}
        self._tests = len(functions)
        self._document_frequency = Counter(
            word for t in functions.values() for word in _all_words(t)
        )
        self._weights: dict[str, float] = {}
        self._demands = len(demands)
        self._demand_frequency = Counter(word for one in demands for word in one.words)

    def weight(self, word: str) -> float:
        """Inverse document frequency over tests, times how few requirements share the word."""
        if word not in self._weights:
            weight = math.log(1 + (self._tests + 1) / (1 + self._document_frequency[word]))
            sharing = max(1, self._demand_frequency[word])
            if self._demands != 1 and sharing != 1:
                weight = weight * (1 - sharing / self._demands) / sharing
            if word.isdigit() and not self._document_frequency[word]:
                weight = 0.0  # "(fixes #401)": a number that no test bears tells none from another
            self._weights[word] = weight
        return self._weights[word]

    def score(self, demand: _Demand, test: _TestWords) -> tuple[float, tuple[str, ...]]:
        """How well a requirement and a test fit, 0 to 1, and the words they share."""
        total = sum(self.weight(word) for word in demand.words)
        met: dict[str, float] = {}
        for word in demand.words:
            by_code = CODE_WEIGHT if test.code.knows(word) else 0.0
            met[word] = 1.0 if test.name.knows(word) else by_code
        shared = sorted((w for w in demand.words if met[w]), key=lambda w: (-self.weight(w), w))
        if not total or len(shared) < min(2, len(demand.words) - 1) or _GENERIC.issuperset(shared):
            return 0.0, ()
        coverage = sum(self.weight(w) * met[w] for w in shared) / total
        if coverage < MIN_COVERAGE:
            return 0.0, ()
        return (2 * coverage + self._share_known(test.name.words, demand.said)) / 3, tuple(shared)

    def share_of_bare_name(self, test: TestComparison, said: Vocabulary) -> float:
        """How much of a test's name a requirement speaks of, without the docstring, which can be edited.

        Numbers and single letters say where a test stands (`test_93_c_invalid`), not what it is about.
        """
        words = words_of(test_name(test.id)) - _OF_PLACES
        telling = frozenset(word for word in words if len(word) > 1 and not word.isdigit())
        return round(self._share_known(telling or words, said), 2)

    def names_alone(self, test: TestComparison, demand: _Demand) -> tuple[str, ...]:
        """Return the words of a test's name where a demand has all of them, and one no other demand has."""
        words = words_of(test_name(test.id)) - _OF_PLACES
        own = {one for one in words - _GENERIC if self._demand_frequency[one] == 1}
        is_named = len(words) > 1 and words <= demand.words and bool(own & demand.words)
        return tuple(sorted(words - _GENERIC)) if is_named else ()

    def own_words(
        self, test: TestComparison, demands: Sequence[_Demand]
    ) -> dict[_Demand, tuple[str, ...]]:
        """Return the demands with the words of a test's name that each is the only one to have."""
        words = words_of(test_name(test.id)) - _OF_PLACES - _GENERIC
        telling = {word for word in words if len(word) > 2 and self._demand_frequency[word] == 1}
        prose = {one: words_of(CODE_SPAN.sub(" ", one.requirement.text)) for one in demands}
        found = {one: tuple(sorted(telling & said)) for one, said in prose.items()}
        return {one: named for one, named in found.items() if named}

    def _share_known(self, words: frozenset[str], said: Vocabulary) -> float:
        total = sum(self.weight(word) for word in words)
        return sum(self.weight(w) for w in words if said.knows(w)) / total if total else 0.0


def mention(
    requirement: Requirement, test: TestComparison, all_requirements: Sequence[Requirement]
) -> str:
    """Why a requirement and a test name each other explicitly, or an empty string."""
    if _names_test(requirement, test):
        return f"the requirement names `{test_name(test.id)}`"
    issue = re.search(r"#(\d+)$", requirement.origin)
    if issue is None:
        return ""
    number = int(issue.group(1))
    pattern = rf"(?i)(?:issues?[\s_/#-]*|bug[\s_#-]*|gh[\s_#-]*|regression[\s_#-]*|#){number}(?!\d)"
    if not re.search(pattern, f"{test_name(test.id)}\n{test.source}"):
        return ""
    if sum(r.origin == requirement.origin for r in all_requirements) == 1:
        return f"the test names issue #{issue.group(1)}"
    return ""


def _names_test(requirement: Requirement, test: TestComparison) -> bool:
    name = test_name(test.id)
    named = rf"(?<!\w){re.escape(name)}(?!\w)"
    # Nobody may use the name by chance: a title of one word is a word like any other.
    is_titled = _TITLED.search(test.id.partition("::")[0])
    is_telling = len(name.split()) > 2 if is_titled else not _GENERIC_NAME.match(name)
    return is_telling and re.search(named, requirement.text) is not None


def test_name(test_id: str) -> str:
    """The bare function name of a runner's id: `tests/test_a.py::TestB::test_c[1]` → `test_c`.

    A test that has a title instead (`test/a.js::suite > title`) is named by all its titles.
    """
    path, _, titles = test_id.partition("::")
    if titles and _TITLED.search(path):
        return titles
    return test_id.split("[", 1)[0].rsplit("::", 1)[-1].rsplit(".", 1)[-1]


def _words_of_test(test: TestComparison) -> _TestWords:
    docstring = re.search(r'("""|\'\'\')(.*?)\1', test.source, re.DOTALL)
    told = docstring[2] if docstring else ""
    scope = () if _TITLED.search(test.path) else _without_case(test).split("::")[1:-1]
    name = " ".join((test_name(test.id), *scope))
    words = Vocabulary(words_of(f"{name} {told}"), joined_words(name))
    return _TestWords(words, Vocabulary(_all_words(test)))


def _all_words(test: TestComparison) -> frozenset[str]:
    start = _BODY.search(test.source)
    body = start.start() if start else 0
    source = _CASE_IDS.sub(" ", test.source[:body]) + test.source[body:]
    return code_words(_MANY_DIGITS.sub(" ", f"{_without_case(test).partition('::')[2]}\n{source}"))


def _without_case(test: TestComparison) -> str:
    """The id without that of a parametrized case; a title may have brackets of its own."""
    return test.id if _TITLED.search(test.path) else test.id.split("[", 1)[0]


def _listed(text: str, stems: Sequence[str]) -> str:
    """The shared words as the requirement spells them."""
    spelled: dict[str, str] = {}
    for word in re.findall(r"\w+", text):
        for part in words_of(word):
            spelled.setdefault(part, word)
    shown = dict.fromkeys(spelled.get(part, part) for part in stems)
    words = [word for word in shown if not word.isdigit()] or list(shown)
    return ", ".join(words[:5])


def speaks_of(requirement: Requirement, test: TestComparison) -> bool:
    """Whether a requirement, with all that is said around it, and a test share any telling word."""
    words = _words_of_test(test)
    said = _demand(requirement).said.words - _GENERIC
    return any(words.name.knows(word) or words.code.knows(word) for word in said)
