"""Measures of agreement that several commands and a page share, by the libraries of the extra `bench`.

`said` is what a judge says and `truth` what it is held against, both as yes or no.
"""

from __future__ import annotations

import importlib
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from types import ModuleType

INSTALL = "install the extra `bench`: .venv/bin/pip install --no-deps -r deploy/bench.lock"


def has_statistics(*libraries: str) -> bool:
    """Whether the extra `bench` is installed, and these libraries of it."""
    return all(find_spec(name) is not None for name in ("sklearn", "scipy", *libraries))


def library(name: str) -> ModuleType:
    """Import a library of the extra `bench`; so that commands without it need not have it."""
    return importlib.import_module(name)


@dataclass(frozen=True, slots=True)
class Interval:
    """A 95 % confidence interval of a share or of kappa."""

    low: float
    high: float


def wilson(part: int, whole: int) -> Interval:
    """Return Wilson's interval of a share; `whole` must not be 0."""
    found = library("scipy.stats").binomtest(part, whole).proportion_ci(method="wilson")
    return Interval(float(found.low), float(found.high))


def cohen_kappa(truth: Sequence[bool], said: Sequence[bool]) -> float | None:
    """Return Cohen's kappa; None where both always say the same one thing, and it is 0 / 0."""
    if len({*truth, *said}) < 2:
        return None
    score: Callable[[list[bool], list[bool]], float]
    score = library("sklearn.metrics").cohen_kappa_score
    found = float(score(list(truth), list(said)))
    return None if math.isnan(found) else found


def kappa_interval(truth: Sequence[bool], said: Sequence[bool]) -> Interval | None:
    """Return the large-sample interval of Cohen's kappa; None where kappa is not defined.

    Fleiss, Cohen, Everitt: Large sample standard errors of kappa and weighted kappa (1969), formula 13;
    no library of the extra has it.
    """
    kappa = cohen_kappa(truth, said)
    if kappa is None:
        return None
    pairs, sides = list(zip(truth, said, strict=True)), (False, True)
    share = {(i, j): pairs.count((i, j)) / len(pairs) for i in sides for j in sides}
    rows = {i: share[i, False] + share[i, True] for i in sides}
    columns = {j: share[False, j] + share[True, j] for j in sides}
    chance, rest = sum(rows[i] * columns[i] for i in sides), 1 - kappa
    same = sum(share[i, i] * (1 - (rows[i] + columns[i]) * rest) ** 2 for i in sides)
    other = rest**2 * sum(
        share[i, j] * (columns[i] + rows[j]) ** 2 for i in sides for j in sides if i != j
    )
    variance = (same + other - (kappa - chance * rest) ** 2) / ((1 - chance) ** 2 * len(pairs))
    spread = float(library("scipy.stats").norm.ppf(0.975)) * math.sqrt(max(0.0, variance))
    return Interval(max(-1.0, kappa - spread), min(1.0, kappa + spread))


def mcnemar(mended: int, spoiled: int) -> float:
    """Return the p-value of McNemar's exact test: does one run have more right than the other?

    Needs the extra `bench`. It is the binomial test of the discordant pairs, of which so many are
    right in one run only, against a fair coin.
    """
    if not mended + spoiled:
        return 1.0
    test = library("scipy.stats").binomtest
    return float(test(mended, mended + spoiled, 0.5).pvalue)
