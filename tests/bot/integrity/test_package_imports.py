"""Tests of scripts whose file only imports a package of a new version otherwise break nobody."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from bot.integrity.weakened_tests.lost_imports import loading_packages_otherwise
from bot.values import TestChange
from sandbox.values import Diff
from tests.bot.integrity.test_integrity import Tree, changed
from tests.bot.verdict.cases import comparison

SPEC = "test/price.spec.ts"
BEFORE = """\
import { expect } from 'chai';
import { default as Rates } from 'rates';
import { price } from '../src/price';

it('adds taxes', () => { expect(price(Rates.standard)).to.equal(24); });
"""
AFTER = BEFORE.replace("{ default as Rates }", "* as Rates")
AT_ONE, AT_TWO = {"rates": "^1.0.0", "chai": "^4"}, {"rates": "^1.1.0", "chai": "^4"}


def breaks_nobody(
    after: str, base: dict[str, str], head: dict[str, str], said: str = "x", own: str = "shop"
) -> bool:
    """Whether a file that became `after` only loads a package otherwise, with these packages asked for."""
    sides = [
        Tree({SPEC: text, "package.json": json.dumps({"name": own, "devDependencies": asked})})
        for text, asked in ((BEFORE, base), (after, head))
    ]
    diff = Diff(tuple(changed(path, sides[0][path], sides[1][path]) for path in sides[0]))
    test = comparison(f"{SPEC}::adds taxes", TestChange.EXPECTATION_CHANGED)
    test = replace(test, path=SPEC, source="it()", source_before="it()", not_loaded=said)
    return bool(loading_packages_otherwise((test,), diff, *sides))


@pytest.mark.parametrize(
    ("after", "is_fine"),
    [
        (AFTER, True),
        (BEFORE.replace("{ default as Rates }", "Rates"), True),
        (BEFORE.replace("{ default as Rates }", "{ fake as Rates }"), False),
        (AFTER.replace("'rates'", "'fake-rates'"), False),
        (AFTER.replace("'../src/price'", "'../src/other'"), False),
        (AFTER.replace("{ expect }", "{ should as expect }"), False),
        (AFTER.replace("24", "25"), False),
        (AFTER.replace("adds taxes", "adds  taxes"), False),
    ],
)
def test_only_how_a_package_of_a_new_version_is_imported_may_differ(
    after: str, is_fine: bool
) -> None:
    assert breaks_nobody(after, AT_ONE, AT_TWO) is is_fine
    assert not breaks_nobody(after, AT_ONE, AT_ONE)


def test_types_of_a_package_count_as_it_and_what_loads_is_judged_by_its_result() -> None:
    assert breaks_nobody(AFTER, {"@types/rates": "1"}, {"@types/rates": "2", "rates": "1"})
    assert not breaks_nobody(AFTER, AT_ONE, AT_TWO, said="")


def test_what_a_package_of_the_repository_exports_is_its_own_code() -> None:
    assert not breaks_nobody(AFTER, AT_ONE, AT_TWO, own="rates")
